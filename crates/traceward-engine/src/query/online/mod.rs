//! Queries on a trace that goes on.
//!
//! Every part passes on what it has, position by position and in order, as soon as it is certain: a
//! *run* is so many positions at which it has the same. What looks at its own state is certain at
//! once. A transient node is a position late, an until waits for what it waits for and keeps only
//! how many positions wait, a window keeps the positions it has not closed, and an interval what
//! was collected in it until it ends. A part with two operands keeps what came early from one of
//! them. So memory is proportional to what is owed.
//!
//! A collection that is asked at position 0 only takes values as they become certain: its running
//! value is that of the positions that are *settled*. A collection that is asked everywhere and has
//! no condition would need the whole trace, and is refused ([`Unfollowable`]).

mod node;
mod runs;
mod save;

use super::Outcome;
use super::accumulator::Accumulator;
use super::demand::{Demand, Operand};
use super::held::{Held, Join, applied, joined};
use super::{Precision, Tolerance};
use crate::automaton::algebraic::{Algebraic, Binary, Collector, LoopKind, Part, PartId, Plain, Unary};
use crate::limit::{Limit, Limits, Unsupported};
use crate::past::{Past, PastId, PastRun};
use crate::prepared::{Prepared, Simplification};
use node::{Clock, Direct, Node};
use runs::Run;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Ordering;
use std::fmt;
use traceward_logic::ast::Aggregate;
use traceward_logic::expr::{Environment, Expr};
use traceward_logic::formula::{self, Direction, FormulaId, Formulas};
use traceward_logic::letter::Proposition;
use traceward_logic::query::{FoldOrder, Query};
use traceward_logic::value::{CompareOp, Value};

/// Why queries cannot be followed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unfollowable {
    /// A collection whose value is asked at every position, each time up to the end of the trace.
    WholeTrace {
        /// The query, by its place.
        query: usize,
        /// The aggregate.
        aggregate: String,
    },
    /// A fold that takes values from the last state on.
    BackwardFold {
        /// The query, by its place.
        query: usize,
    },
    /// An until, or one of its kin, with a bound.
    BoundedUntil,
    /// A feature of formulas.
    Formula(Unsupported),
}

impl fmt::Display for Unfollowable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WholeTrace { aggregate, .. } => write!(
                f,
                "`{aggregate}` is asked at every state, and each time up to the end: the whole trace would have to be kept"
            ),
            Self::BackwardFold { .. } => f.write_str(
                "`fold` takes values from the last state to the first; `fold(…) forward` can follow a trace",
            ),
            Self::BoundedUntil => {
                f.write_str("no query can be followed with a bound on `U`, `W` or `R` yet; `F` and `G` may have one")
            }
            Self::Formula(unsupported) => write!(f, "no query can be followed with {} yet", unsupported.what),
        }
    }
}

impl std::error::Error for Unfollowable {}

/// Queries that are ready to follow a trace.
#[derive(Clone, Debug)]
pub struct Online {
    automaton: Algebraic,
    demand: Demand,
    past: Past,
    /// The atoms of assertions, by their places in letters.
    atoms: Vec<Expr>,
    looks: Vec<Look>,
    direct: Vec<DirectFold>,
    /// The terminal nodes that have the same in every state.
    constants: Vec<(PartId, Value)>,
    /// The parts that have something to do as their operands pass on what they have.
    active: Vec<PartId>,
    /// For each part its place among the nodes of a run; none if it keeps nothing. Very many runs
    /// may be kept, so that they have no more nodes than they need.
    places: Vec<Option<usize>>,
    ends_quietly: bool,
    precision: Precision,
}

/// A terminal node that looks at every state.
#[derive(Clone, Debug)]
struct Look {
    part: PartId,
    asserted: Asserted,
    expr: Expr,
}

/// Where the truth of an assertion stands.
#[derive(Clone, Copy, Debug)]
enum Asserted {
    Always,
    /// By the place of its atom.
    Atom(usize),
    Past(PastId),
}

/// A collection that takes its values from states, with what it looks at there: of a span where it
/// begins, and where it ends.
#[derive(Clone, Debug)]
struct DirectFold {
    part: PartId,
    from: Look,
    to: Option<Look>,
}

impl Look {
    /// What there is to see in a state, whose position is that of the environment.
    fn seen(&self, holds: &[bool], past: &PastRun, state: &impl Environment, position: u64) -> Held {
        let is_asserted = match self.asserted {
            Asserted::Always => true,
            Asserted::Atom(atom) => holds[atom],
            Asserted::Past(assertion) => past.holds(assertion),
        };
        if !is_asserted {
            return Held::Nothing;
        }
        let value = match &self.expr {
            Expr::Time => Ok(state.time()),
            Expr::Position => Ok(Value::Int(state.position())),
            Expr::Variable(variable) => Ok(state.variable(*variable)),
            expr => expr.value(state),
        };
        Held::of_expr(&self.expr, value, position as usize)
    }
}

/// The number of states after which it is looked whether memory is used up. In a state there is not
/// much that begins to wait, and to ask every part in each of them takes longer than the rest.
const STATES_BETWEEN_LOOKS_AT_MEMORY: u64 = 64;

/// The ways in which a query's value can change as a trace goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Trend {
    /// The value, or its absence, stays as it is.
    Fixed,
    /// There is a value, and it never falls.
    Rising,
    /// There is a value, and it never rises.
    Falling,
    /// Nothing is known.
    Free,
}

impl Trend {
    /// The trend of a left side as seen from a right side.
    #[must_use]
    pub fn against(self, right: Self) -> Self {
        match (self, right) {
            (Self::Fixed, Self::Fixed) => Self::Fixed,
            (Self::Rising, Self::Fixed | Self::Falling) | (Self::Fixed, Self::Falling) => Self::Rising,
            (Self::Falling, Self::Fixed | Self::Rising) | (Self::Fixed, Self::Rising) => Self::Falling,
            _ => Self::Free,
        }
    }

    /// Whether a comparison stays as it is while its left side can change only so, the sides being
    /// ordered like this now.
    pub fn settles(self, op: CompareOp, ordering: Option<Ordering>) -> bool {
        match (self, ordering) {
            (Self::Fixed, _) => true,
            (Self::Rising, Some(ordering)) => stays_above(op, ordering),
            (Self::Falling, Some(ordering)) => stays_above(op.mirrored(), ordering.reverse()),
            (Self::Free, _) | (_, None) => false,
        }
    }
}

/// Whether a comparison stays as it is while its left side can only rise.
fn stays_above(op: CompareOp, ordering: Ordering) -> bool {
    match op {
        CompareOp::Equal | CompareOp::NotEqual | CompareOp::LessOrEqual | CompareOp::Greater => ordering.is_gt(),
        CompareOp::Less | CompareOp::GreaterOrEqual => ordering.is_ge(),
    }
}

/// What is known of a query while the trace goes on.
#[derive(Clone, PartialEq, Debug)]
pub struct RunningValue {
    /// The value over the positions that are settled; none if there is none yet.
    pub value: Outcome,
    /// The number of positions that are settled; none if the value is final.
    pub settled: Option<u64>,
    /// How far the numbers that the value is made of may be off; none if they are exact.
    pub tolerance: Option<Tolerance>,
}

/// Queries on their way through a trace.
#[derive(Clone, Debug)]
pub struct OnlineRun {
    past: PastRun,
    /// The parts that keep something, by their places.
    nodes: Vec<Node>,
    /// What each part has passed on in the last step; empty if none ever does.
    out: Vec<Vec<Run>>,
    /// For each part whether it has been known at position 0, and what it had; empty if none passes
    /// anything on.
    first: Vec<Option<Held>>,
    /// The parts that pass on what they have, and have not done so yet.
    unknown: Vec<PartId>,
    position: u64,
    holds: Vec<bool>,
}

impl OnlineRun {
    /// The number of states that it has seen.
    pub fn position(&self) -> u64 {
        self.position
    }
}

impl Online {
    /// Prepares queries over formulas of an arena.
    pub fn new<'q>(
        formulas: &Formulas,
        queries: impl IntoIterator<Item = &'q Query>,
        precision: Precision,
    ) -> Result<Self, Unfollowable> {
        let automaton = Algebraic::new(formulas, queries, Plain::Followed);
        let demand = Demand::new(&automaton, &FxHashSet::default());
        refuse_what_needs_the_trace(&automaton, &demand)?;
        let assertions = automaton.assertions();
        let looks_ahead = |formula: &FormulaId| formulas.node(*formula).direction() == Some(Direction::Future);
        if assertions.iter().any(looks_ahead) {
            return Err(Unfollowable::BoundedUntil);
        }
        let prepared = Prepared::new(formulas, &assertions, Simplification::Off);
        let place = |formula: &FormulaId| match prepared.formulas.node(*formula) {
            formula::Node::Atom(atom) => prepared.alphabet.proposition(atom).map(Proposition::index),
            _ => None,
        };
        let others: Vec<FormulaId> = prepared.split.iter().copied().filter(|one| place(one).is_none()).collect();
        let past =
            Past::new("algebraic", &prepared.formulas, &prepared.alphabet, &others).map_err(Unfollowable::Formula)?;
        let atoms = prepared.alphabet.atoms().iter().map(|(_, atom)| prepared.formulas.atom(*atom).clone()).collect();
        let truth = |split: &FormulaId| place(split).map_or_else(|| Asserted::Past(past.id(*split)), Asserted::Atom);
        let asserted = assertions.into_iter().zip(&prepared.split).map(|(one, split)| (one, truth(split))).collect();
        let nodes: Vec<Node> = automaton.part_ids().map(|id| Node::new(&automaton, &demand, id, precision)).collect();
        let needed = needed(&automaton, &demand, &nodes);
        let (looks, constants) = terminals(&automaton, &demand, &needed, &asserted);
        let needed_nodes = automaton.part_ids().filter(|id| needed[id.index()]);
        let (direct, active) = needed_nodes.partition::<Vec<_>, _>(|id| nodes[id.index()].is_direct());
        let active: Vec<PartId> = active.into_iter().filter(|id| nodes[id.index()].is_active()).collect();
        let mut kept = 0..;
        let place = |id: PartId| if direct.contains(&id) || active.contains(&id) { kept.next() } else { None };
        let places = automaton.part_ids().map(place).collect();
        let direct = direct.into_iter().filter_map(|id| direct_fold(&automaton, &demand, id, &asserted)).collect();
        let ends_quietly = ends_quietly(&automaton, &demand);
        Ok(Self { automaton, demand, past, atoms, looks, direct, constants, active, places, ends_quietly, precision })
    }

    /// A run that has seen no state.
    pub fn start(&self) -> OnlineRun {
        let kept = self.automaton.part_ids().filter(|id| self.places[id.index()].is_some());
        let nodes: Vec<Node> = kept.map(|id| Node::new(&self.automaton, &self.demand, id, self.precision)).collect();
        let passing = if self.passes_nothing() { 0 } else { self.places.len() };
        let mut out = vec![Vec::new(); passing];
        for (part, value) in &self.constants {
            out[part.index()].push(Run { count: 1, held: Held::Value(value.clone()) });
        }
        let constants = self.constants.iter().map(|(part, _)| *part);
        let looks = self.looks.iter().map(|look| look.part);
        let passes_on = |part: &PartId| self.places[part.index()].is_some_and(|place| nodes[place].passes_on());
        let active = self.active.iter().copied().filter(passes_on);
        OnlineRun {
            past: self.past.start(),
            unknown: constants.chain(looks).chain(active).collect(),
            first: vec![None; passing],
            nodes,
            out,
            position: 0,
            holds: Vec::new(),
        }
    }

    /// Whether no part passes anything on: all collections take their values from states.
    fn passes_nothing(&self) -> bool {
        self.active.is_empty() && self.looks.is_empty() && self.constants.is_empty()
    }

    /// The node of a part, if it keeps something.
    fn node<'r>(&self, run: &'r OnlineRun, id: PartId) -> Option<&'r Node> {
        self.places[id.index()].map(|place| &run.nodes[place])
    }

    /// What a part has been known to have at position 0.
    fn known_first(run: &OnlineRun, id: PartId) -> Option<&Held> {
        run.first.get(id.index())?.as_ref()
    }

    /// Takes the next state.
    pub fn step(&self, run: &mut OnlineRun, state: &impl Environment, limits: &Limits) -> Result<(), Limit> {
        run.holds.clear();
        // Whether an expression that cannot be evaluated is an error is for others to say.
        run.holds.extend(self.atoms.iter().map(|atom| match atom {
            Expr::Variable(variable) => state.is_true(*variable),
            atom => atom.holds(state).unwrap_or(false),
        }));
        let time = match state.time() {
            Value::Int(time) => time,
            _ => 0,
        };
        let OnlineRun { past, holds, nodes, out, position, .. } = run;
        if !self.past.is_empty() {
            self.past.step(past, &|proposition: Proposition| holds[proposition.index()], Some(time));
        }
        let seen = |look: &Look| look.seen(holds, past, state, *position);
        for look in &self.looks {
            let out = &mut out[look.part.index()];
            out.clear();
            out.push(Run { count: 1, held: seen(look) });
        }
        for DirectFold { part, from, to } in &self.direct {
            if let Some(place) = self.places[part.index()] {
                nodes[place].see(*position, || seen(from), || to.as_ref().map_or(Held::Nothing, seen));
            }
        }
        self.advance(run, Clock::State { position: run.position, time });
        run.position += 1;
        let looks = run.position.is_multiple_of(STATES_BETWEEN_LOOKS_AT_MEMORY);
        if looks && Self::bytes(run) > limits.memory { Err(Limit::Memory(limits.memory)) } else { Ok(()) }
    }

    /// Ends the trace: what waits for later states waits in vain.
    pub fn end(&self, run: &mut OnlineRun) {
        for out in &mut run.out {
            out.clear();
        }
        if run.position > 0 {
            self.advance(run, Clock::End);
        }
    }

    /// Lets every part take what its operands have passed on.
    fn advance(&self, run: &mut OnlineRun, clock: Clock) {
        for &id in &self.active {
            // Operands have lower ids.
            let (operands, rest) = run.out.split_at_mut(id.index());
            let (out, Some(place)) = (&mut rest[0], self.places[id.index()]) else { continue };
            out.clear();
            run.nodes[place].advance(&self.automaton, id, clock, |part| operands[part.index()].as_slice(), out);
        }
        if let Clock::End = clock {
            for place in self.direct.iter().filter_map(|fold| self.places[fold.part.index()]) {
                run.nodes[place].end();
            }
        }
        if !run.unknown.is_empty() {
            let (out, first) = (&run.out, &mut run.first);
            run.unknown.retain(|part| {
                first[part.index()] = out[part.index()].first().map(|run| run.held.clone());
                first[part.index()].is_none()
            });
        }
    }

    /// What is known of a query so far.
    pub fn value(&self, run: &OnlineRun, query: usize) -> RunningValue {
        let root = self.automaton.roots()[query];
        let settled = self.settled(run, root);
        let value = match self.at_zero(run, root) {
            Some(held) => held.outcome(),
            None => Ok(None),
        };
        RunningValue { value, settled, tolerance: self.tolerance(run, root) }
    }

    /// What a query would have if the trace ended here.
    pub fn value_at_end(&self, run: &OnlineRun, query: usize) -> Outcome {
        let root = self.automaton.roots()[query];
        let settled = self.settled(run, root);
        // Where the end brings nothing new, what is settled is all there is.
        if (settled.is_none() || settled == Some(run.position) || self.ends_quietly)
            && let Some(held) = self.at_zero(run, root)
        {
            return held.outcome();
        }
        let mut ended = run.clone();
        self.end(&mut ended);
        self.value(&ended, query).value
    }

    /// How the value of a query can change as the trace goes on.
    pub fn trend(&self, run: &OnlineRun, query: usize) -> Trend {
        self.trend_of(run, self.automaton.roots()[query])
    }

    fn trend_of(&self, run: &OnlineRun, id: PartId) -> Trend {
        if self.settled(run, id).is_none() {
            return Trend::Fixed;
        }
        let has_value = matches!(self.at_zero(run, id), Some(Held::Value(_)));
        match self.automaton.part(id) {
            // An estimate may fall where the number that it stands for rises.
            Part::Apply { function: Unary::Finish(_), .. } if self.tolerance(run, id).is_some() => Trend::Free,
            Part::Apply { function: Unary::Finish(collector), part } if has_value => {
                let of = match self.demand.loop_of(&self.automaton, *part) {
                    Some(LoopKind::Collection { of, .. }) => Some(*of),
                    _ => None,
                };
                collecting(collector, of.is_some_and(|of| self.is_never_negative(of)))
            }
            Part::Apply { function: Unary::Default(_), part }
                if !matches!(self.at_zero(run, *part), Some(Held::Nothing)) =>
            {
                self.trend_of(run, *part)
            }
            _ => Trend::Free,
        }
    }

    /// Whether the numbers of a part are known to be 0 or more.
    fn is_never_negative(&self, id: PartId) -> bool {
        match self.automaton.part(id) {
            Part::Terminal { expr, .. } => is_never_negative(expr),
            Part::Apply {
                function: Unary::Finish(Collector::Aggregate(Aggregate::Count | Aggregate::Distinct)),
                ..
            } => true,
            _ => false,
        }
    }

    /// The expressions over states that are evaluated.
    pub fn exprs(&self) -> impl Iterator<Item = &Expr> {
        let values = self.automaton.parts().iter().filter_map(|part| match part {
            Part::Terminal { expr, .. } => Some(expr),
            _ => None,
        });
        values.chain(&self.atoms)
    }

    /// What a part has at position 0, as far as it is known; of a collection its value so far.
    fn at_zero(&self, run: &OnlineRun, id: PartId) -> Option<Held> {
        if self.demand.is_everywhere(id) {
            return Self::known_first(run, id).cloned();
        }
        match self.automaton.part(id) {
            Part::Terminal { .. } | Part::Transient { .. } | Part::Window { .. } => Self::known_first(run, id).cloned(),
            Part::Apply { function: Unary::Finish(_), .. } => self.node(run, id)?.summary(),
            Part::Apply { function, part } => Some(applied(function, &self.at_zero(run, *part)?, 0)),
            Part::And { function, left, right } => {
                let (left, right) = (self.at_zero(run, *left)?, self.at_zero(run, *right)?);
                Some(joined(Join::And, function, &left, &right, 0))
            }
            Part::Or { function, left, right } => {
                let (left, right) = (self.at_zero(run, *left)?, self.at_zero(run, *right)?);
                Some(joined(Join::Or, function, &left, &right, 0))
            }
        }
    }

    /// The number of positions that the value at position 0 of a part is settled for; none if it is
    /// final.
    fn settled(&self, run: &OnlineRun, id: PartId) -> Option<u64> {
        let of_first = || if Self::known_first(run, id).is_some() { None } else { Some(0) };
        if self.demand.is_everywhere(id) {
            return of_first();
        }
        match self.automaton.part(id) {
            Part::Terminal { .. } | Part::Transient { .. } | Part::Window { .. } => of_first(),
            Part::Apply { function: Unary::Finish(_), .. } => self.node(run, id).map_or(Some(0), Node::settled),
            Part::Apply { part, .. } => self.settled(run, *part),
            Part::And { left, right, .. } | Part::Or { left, right, .. } => {
                match (self.settled(run, *left), self.settled(run, *right)) {
                    (Some(left), Some(right)) => Some(left.min(right)),
                    (one, other) => one.or(other),
                }
            }
        }
    }

    /// How far the numbers that a part's value at position 0 is made of may be off.
    fn tolerance(&self, run: &OnlineRun, id: PartId) -> Option<Tolerance> {
        match self.automaton.part(id) {
            _ if self.demand.is_everywhere(id) => None,
            Part::Terminal { .. } | Part::Transient { .. } | Part::Window { .. } => None,
            Part::Apply { function: Unary::Finish(_), .. } => self.node(run, id)?.tolerance(),
            Part::Apply { part, .. } => self.tolerance(run, *part),
            Part::And { left, right, .. } | Part::Or { left, right, .. } => {
                let (left, right) = (self.tolerance(run, *left), self.tolerance(run, *right));
                left.into_iter().chain(right).reduce(Tolerance::or_worse)
            }
        }
    }

    /// Whether the value of a query is that of a summary itself, so that an error of the summary is
    /// one of the value.
    pub fn is_summary(&self, query: usize) -> bool {
        let id = self.automaton.behind_defaults(self.automaton.roots()[query]);
        matches!(self.automaton.part(id), Part::Apply { function: Unary::Finish(_), .. })
    }

    /// The number of bytes that a run keeps, about.
    pub fn bytes(run: &OnlineRun) -> usize {
        run.nodes.iter().map(Node::bytes).sum()
    }
}

/// The terminal nodes outside of loops: those that look at states, and those that need not.
fn terminals(
    automaton: &Algebraic,
    demand: &Demand,
    needed: &[bool],
    asserted: &FxHashMap<FormulaId, Asserted>,
) -> (Vec<Look>, Vec<(PartId, Value)>) {
    let (mut looks, mut constants) = (Vec::new(), Vec::new());
    for part in automaton.part_ids().filter(|id| needed[id.index()] && !demand.is_inside(*id)) {
        match automaton.part(part) {
            Part::Terminal { assertion: None, expr: Expr::Literal(value) } if !value.is_missing() => {
                constants.push((part, value.clone()));
            }
            _ => looks.extend(look(automaton, part, asserted)),
        }
    }
    (looks, constants)
}

/// A terminal node as one that looks at states.
fn look(automaton: &Algebraic, part: PartId, asserted: &FxHashMap<FormulaId, Asserted>) -> Option<Look> {
    let Part::Terminal { assertion, expr } = automaton.part(part) else { return None };
    let asserted = assertion.map_or(Asserted::Always, |formula| asserted[&formula]);
    Some(Look { part, asserted, expr: expr.clone() })
}

/// A collection that takes its values from states.
fn direct_fold(
    automaton: &Algebraic,
    demand: &Demand,
    id: PartId,
    asserted: &FxHashMap<FormulaId, Asserted>,
) -> Option<DirectFold> {
    let Part::Apply { part: head, .. } = automaton.part(id) else { return None };
    let LoopKind::Collection { of, .. } = demand.loop_of(automaton, *head)? else { return None };
    let look = |part| look(automaton, part, asserted);
    Some(match node::direct(automaton, demand, *of)? {
        Direct::Value(from) => DirectFold { part: id, from: look(from)?, to: None },
        Direct::Span { from, to, .. } => DirectFold { part: id, from: look(from)?, to: Some(look(to)?) },
    })
}

/// For each part whether a query needs it, be it by way of others.
fn needed(automaton: &Algebraic, demand: &Demand, nodes: &[Node]) -> Vec<bool> {
    let mut needed = vec![false; nodes.len()];
    let mut asked: Vec<PartId> = automaton.roots().to_vec();
    while let Some(id) = asked.pop() {
        let is_new = !std::mem::replace(&mut needed[id.index()], true);
        if is_new && !nodes[id.index()].is_direct() {
            operands(automaton, demand, id, |part| asked.push(part));
        }
    }
    needed
}

/// Visits the parts that a part looks at, loops being parts by themselves.
fn operands(automaton: &Algebraic, demand: &Demand, id: PartId, mut visit: impl FnMut(PartId)) {
    match demand.loop_of(automaton, id) {
        Some(LoopKind::Until { left, right }) => [*left, *right].into_iter().for_each(visit),
        Some(LoopKind::Collection { of, condition, .. }) => {
            [Some(*of), *condition].into_iter().flatten().for_each(visit)
        }
        None => match automaton.part(id) {
            Part::Terminal { .. } => {}
            Part::Transient { next: part, .. } | Part::Apply { part, .. } | Part::Window { of: part, .. } => {
                visit(*part)
            }
            Part::And { left, right, .. } | Part::Or { left, right, .. } => [*left, *right].into_iter().for_each(visit),
        },
    }
}

/// How a summary changes as values are added.
fn collecting(collector: &Collector, never_negative: bool) -> Trend {
    match collector {
        Collector::Aggregate(Aggregate::Count | Aggregate::Distinct | Aggregate::Max) => Trend::Rising,
        Collector::Aggregate(Aggregate::Sum) if never_negative => Trend::Rising,
        Collector::Aggregate(Aggregate::Min) => Trend::Falling,
        Collector::Aggregate(Aggregate::First) => Trend::Fixed,
        _ => Trend::Free,
    }
}

/// Whether an expression is known to be 0 or more wherever it has a value.
fn is_never_negative(expr: &Expr) -> bool {
    match expr {
        Expr::Literal(value) => value.as_f64().is_some_and(|number| number >= 0.0),
        Expr::Abs(_) | Expr::Len(_) | Expr::Position => true,
        _ => false,
    }
}

/// Whether the end of a trace brings no values that were not known before: what waits then waits in
/// vain, and nothing is made of that.
fn ends_quietly(automaton: &Algebraic, demand: &Demand) -> bool {
    let can_fail = can_fail(automaton, demand);
    let of_parts = automaton.part_ids().all(|id| match automaton.part(id) {
        _ if demand.is_inside(id) || !demand.is_everywhere(id) => true,
        Part::Terminal { .. } | Part::Transient { .. } | Part::Window { .. } => true,
        // An error that waits for the other side is one also if that has nothing in the end.
        Part::And { left, right, .. } => !can_fail[left.index()] && !can_fail[right.index()],
        Part::Apply { function, .. } => matches!(function, Unary::Map(_)),
        Part::Or { .. } => false,
    });
    // An until may wait for its left side although it has what it waits for.
    let instant = instant(automaton, demand);
    let of_loops = automaton.loops().iter().all(|one| match one.kind {
        LoopKind::Until { left, .. } => instant[left.index()],
        LoopKind::Collection { .. } => true,
    });
    of_parts && of_loops
}

/// For each part whether it is certain as soon as its state is there.
fn instant(automaton: &Algebraic, demand: &Demand) -> Vec<bool> {
    let mut instant: Vec<bool> = Vec::new();
    for id in automaton.part_ids() {
        let of = |part: &PartId| instant[part.index()];
        instant.push(match automaton.part(id) {
            _ if demand.is_inside(id) => false,
            Part::Terminal { .. } => true,
            Part::Transient { .. } | Part::Window { .. } => false,
            Part::Apply { function, part } => !matches!(function, Unary::Finish(_)) && of(part),
            Part::And { left, right, .. } | Part::Or { left, right, .. } => of(left) && of(right),
        });
    }
    instant
}

/// For each part whether it may have an error in place of a value.
fn can_fail(automaton: &Algebraic, demand: &Demand) -> Vec<bool> {
    let mut can_fail: Vec<bool> = Vec::new();
    for id in automaton.part_ids() {
        let of = |part: &PartId| can_fail[part.index()];
        can_fail.push(match (demand.loop_of(automaton, id), automaton.part(id)) {
            (Some(LoopKind::Until { left, right }), _) => of(left) || of(right),
            // Sums may overflow.
            (Some(LoopKind::Collection { .. }), _) | (_, Part::Apply { function: Unary::Finish(_), .. }) => true,
            _ if demand.is_inside(id) => true,
            (None, Part::Terminal { expr, .. }) => expr.can_fail(),
            (None, Part::Transient { next: part, function } | Part::Apply { function, part }) => {
                matches!(function, Unary::Map(map) if map.can_fail()) || of(part)
            }
            (None, Part::Window { of: part, .. }) => of(part),
            (None, Part::And { function, left, right } | Part::Or { function, left, right }) => {
                matches!(function, Binary::Combine(combine) if combine.can_fail()) || of(left) || of(right)
            }
        });
    }
    can_fail
}

/// Refuses what cannot be computed without keeping the whole trace.
fn refuse_what_needs_the_trace(automaton: &Algebraic, demand: &Demand) -> Result<(), Unfollowable> {
    for id in automaton.part_ids() {
        let Part::Apply { function: Unary::Finish(collector), part } = automaton.part(id) else { continue };
        let Some(LoopKind::Collection { condition, .. }) = demand.loop_of(automaton, *part) else { continue };
        let query = automaton.query_of(id);
        if demand.is_everywhere(id) && condition.is_none() {
            let aggregate = match collector {
                Collector::Aggregate(aggregate) => aggregate.name().to_owned(),
                Collector::Fold { .. } => "fold".to_owned(),
            };
            return Err(Unfollowable::WholeTrace { query, aggregate });
        }
        let is_backward = matches!(collector, Collector::Fold { order: FoldOrder::Backward, .. });
        if is_backward && !demand.is_everywhere(id) {
            return Err(Unfollowable::BackwardFold { query });
        }
    }
    Ok(())
}
