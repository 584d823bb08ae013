//! Conditions of alternating and metric automata in disjunctive form.

use std::fmt;
use std::rc::Rc;
use traceward_engine::automaton::alternating::{self, Alternating, ConditionId, NodeId};
use traceward_engine::automaton::metric::{self, Clock, ClockId, Metric};
use traceward_logic::formula::Unit;

/// A condition in disjunctive form: one of these sets of arrows has to be followed, all of its
/// arrows together. ε is the one set that is empty.
pub type Disjuncts = Vec<Vec<Edge>>;

/// An arrow to a node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Edge {
    /// The node that the arrow leads to.
    pub to: NodeId,
    /// The change of the node's clock on the way, if it has one.
    pub clock: Option<ClockChange>,
}

impl Edge {
    fn plain(to: NodeId) -> Self {
        Self { to, clock: None }
    }

    /// The text at the arrow in a picture; none if no clock changes.
    pub fn caption(self) -> Option<String> {
        self.clock.map(|change| change.to_string())
    }
}

/// The change of a clock: `t1 := 4`, `t1--`; of one that counts time: `t1 := 5ms`, `t1 -= Δ`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ClockChange {
    /// The arrow enters the clock's sub-automaton.
    Set(ClockId, Clock),
    /// The arrow stays in the clock's sub-automaton, and a step has passed.
    CountDown(ClockId),
    /// The arrow enters the sub-automaton of a clock that counts time.
    SetTime(ClockId, Clock),
    /// The arrow stays in the sub-automaton of such a clock, and the time between two states has
    /// passed.
    Elapse(ClockId),
}

impl fmt::Display for ClockChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Set(clock, start) => write!(f, "{clock} := {start}"),
            Self::CountDown(clock) => write!(f, "{clock}--"),
            Self::SetTime(clock, start) => write!(f, "{clock} := {}", start.text(Unit::Time)),
            Self::Elapse(clock) => write!(f, "{clock} -= Δ"),
        }
    }
}

/// The error that a condition has more disjuncts than may be drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooManyDisjuncts {
    /// The number of disjuncts allowed.
    pub limit: usize,
}

impl fmt::Display for TooManyDisjuncts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a condition of this automaton has more than {} disjuncts", self.limit)
    }
}

/// The number of arrows that all disjuncts may hold together. A formula of a million conjuncts is
/// refused before it fills the memory.
const MOST_ENTRIES: usize = 1 << 23;

/// The form of a condition, whichever automaton it is of.
enum Form {
    Empty,
    Edge(Edge),
    And(ConditionId, ConditionId),
    Or(ConditionId, ConditionId),
    Set(ClockId, Clock, ConditionId),
}

/// The disjunctive form of conditions, by the index of the condition.
pub(super) struct MultipliedOut(Vec<Option<Rc<Disjuncts>>>);

impl MultipliedOut {
    /// Multiplies out the wanted conditions of an alternating automaton.
    pub(super) fn of_alternating(
        automaton: &Alternating,
        wanted: &[ConditionId],
        limit: usize,
    ) -> Result<Self, TooManyDisjuncts> {
        let form = |id: ConditionId| match automaton.condition(id) {
            alternating::Condition::Empty => Form::Empty,
            alternating::Condition::Node(node) => Form::Edge(Edge::plain(node)),
            alternating::Condition::And(left, right) => Form::And(left, right),
            alternating::Condition::Or(left, right) => Form::Or(left, right),
        };
        Self::new(&automaton.parts(wanted), form, limit)
    }

    /// Multiplies out all conditions of a metric automaton. An arrow to a timer counts its clock
    /// down, unless it enters the timer's sub-automaton. Other clocks that are set on the way do
    /// not matter to the timer.
    pub(super) fn of_metric(automaton: &Metric, limit: usize) -> Result<Self, TooManyDisjuncts> {
        let edge = |to: NodeId| match automaton.node(to).kind {
            metric::Kind::Leaf(_) => Edge::plain(to),
            metric::Kind::Timer { clock, .. } => {
                let change = match automaton.unit(clock) {
                    Unit::Steps => ClockChange::CountDown(clock),
                    Unit::Time => ClockChange::Elapse(clock),
                };
                Edge { to, clock: Some(change) }
            }
        };
        let form = |id: ConditionId| match automaton.condition(id) {
            metric::Condition::Empty => Form::Empty,
            metric::Condition::Node(node) => Form::Edge(edge(node)),
            metric::Condition::And(left, right) => Form::And(left, right),
            metric::Condition::Or(left, right) => Form::Or(left, right),
            metric::Condition::Metric(clock, inner) => Form::Set(clock, automaton.clock(clock), inner),
        };
        let parts: Vec<ConditionId> = automaton.condition_ids().collect();
        Self::new(&parts, form, limit)
    }

    /// Multiplies out parts before wholes, so that nothing recurses into conditions of any depth.
    fn new(parts: &[ConditionId], form: impl Fn(ConditionId) -> Form, limit: usize) -> Result<Self, TooManyDisjuncts> {
        let mut table = Self(vec![None; parts.last().map_or(0, |last| last.index() + 1)]);
        let mut entries = 0;
        for &part in parts {
            let disjuncts = match form(part) {
                Form::Empty => vec![Vec::new()],
                Form::Edge(edge) => vec![vec![edge]],
                Form::Or(left, right) => either(table.of(left), table.of(right)),
                Form::And(left, right) => both(table.of(left), table.of(right), limit),
                Form::Set(clock, start, inner) => entered(table.of(inner), clock, start),
            };
            entries += disjuncts.iter().map(Vec::len).sum::<usize>();
            if disjuncts.len() > limit || entries > MOST_ENTRIES {
                return Err(TooManyDisjuncts { limit });
            }
            table.0[part.index()] = Some(Rc::new(disjuncts));
        }
        Ok(table)
    }

    fn of(&self, condition: ConditionId) -> &[Vec<Edge>] {
        self.0[condition.index()].as_ref().expect("parts come before wholes")
    }

    pub(super) fn disjuncts(&self, condition: ConditionId) -> Disjuncts {
        self.of(condition).to_vec()
    }
}

fn either(left: &[Vec<Edge>], right: &[Vec<Edge>]) -> Disjuncts {
    let mut all = left.to_vec();
    all.extend(right.iter().filter(|disjunct| !left.contains(disjunct)).cloned());
    all
}

/// The products of two disjunctive forms. It stops when there are more than the limit.
fn both(left: &[Vec<Edge>], right: &[Vec<Edge>], limit: usize) -> Disjuncts {
    let mut all = Disjuncts::new();
    for (one, other) in left.iter().flat_map(|one| right.iter().map(move |other| (one, other))) {
        let mut edges: Vec<Edge> = one.iter().chain(other).copied().collect();
        edges.sort_unstable();
        edges.dedup();
        if !all.contains(&edges) {
            all.push(edges);
        }
        if all.len() > limit {
            break;
        }
    }
    all
}

/// The arrows of a sub-automaton, where its clock is set.
fn entered(inner: &[Vec<Edge>], clock: ClockId, start: Clock) -> Disjuncts {
    let set = |edge: &Edge| match edge.clock {
        Some(ClockChange::CountDown(own)) if own == clock => {
            Edge { clock: Some(ClockChange::Set(clock, start)), ..*edge }
        }
        Some(ClockChange::Elapse(own)) if own == clock => {
            Edge { clock: Some(ClockChange::SetTime(clock, start)), ..*edge }
        }
        _ => *edge,
    };
    inner.iter().map(|disjunct| disjunct.iter().map(set).collect()).collect()
}
