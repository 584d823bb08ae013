//! Metric alternating automata: the thesis on bounded temporal logic, chapter 2.
//!
//! A *leaf* ⟨ν, acc⟩ asks something of the current state. A *timer* ⟨F, δ, acc⟩ asks something of a
//! clock; if that is so, δ is asked of the next state, with the clock one less. A *metric
//! sub-automaton* 𝒜ᵈ sets the clock to d for all that is in it. So a bound is a number in the
//! automaton, whose size does not depend on it.
//!
//! An operator with the bound `[a,b]` is a window of b - a steps that opens after a delay of a
//! steps, each with a clock of its own:
//!
//! ```text
//! window of F    t ∨ A                    of G    (t ∨ z) ∧ A
//! window of U    (t ∧ A1) ∨ A2            of W    A2 ∨ (A1 ∧ (t ∨ z))
//! window of R    A2 ∧ (A1 ∨ t ∨ z)        of M    (A1 ∧ A2) ∨ (t ∧ A2)
//! delay of all   t ∨ (z ∧ window)
//! ```
//!
//! where the timer t asks for a positive clock and leads back to the whole line, and z asks for the
//! clock 0. Timers of `F`, `U` and `M` reject, those of `G`, `W` and `R` accept. Without an upper
//! bound the clock is ∞ and z, which cannot hold, is left out; without a lower bound there is no
//! delay. The thesis sets the delay's clock to a - 1 and has no line for `W`, `R` and `M`; inside
//! its functions Ψ2 to Ψ4 it refers to the wrong ones. `X f` is a timer with one step to go that
//! leads to f.
//!
//! A bound in time is a number of nanoseconds, and its clock goes on by the time between two
//! states: none at all if they have one timestamp, and past the end of a window if no state is in
//! it. One clock, set to b, does for window and delay of `[a,b]`: it says how long the window stays
//! open.
//!
//! ```text
//! window of F    o ∧ (t ∨ A)              of G    c ∨ (t ∧ A), and so on
//! delay of all   d ∨ (e ∧ window)
//! ```
//!
//! where t asks for a clock that is not negative, as o does, and c for a negative one: whether a
//! window closes with a state is not known before the next one comes, so t has always something to
//! wait for. d asks for more than b - a, e for no more. Without an upper bound the delay has its
//! own clock, set to a, and the window that of steps.
//!
//! Past operators are leaves here: what holds of the past is known when a state arrives, see
//! [`crate::past`].

mod bound;
mod delay;
mod display;
mod measure;
mod sublogic;

use super::alternating::{ConditionId, NodeId};
pub use bound::{HIDDEN_CONSTANT, Magnitude, Measures, Statement};
pub use delay::overlapping_delay;
use rustc_hash::FxHashMap;
use std::fmt;
pub use sublogic::{Sublogic, sublogic};
use traceward_logic::formula::{
    AtomId, BinaryOp, Direction, FormulaId, Formulas, Interval, Node as Operator, Strength, Unit,
};
use traceward_logic::print::duration;

/// The value of a clock: a number of steps or of nanoseconds, or ∞. A clock that counts time may
/// be negative: then its end has been passed by so much.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Clock(i64);

impl Clock {
    /// A clock that has run out.
    pub const ZERO: Self = Self(0);
    /// A clock that never runs out.
    pub const INFINITE: Self = Self(i64::MAX);

    /// A clock with so much to go. Numbers from the largest on stand for ∞: no trace is as long.
    pub fn new(left: u64) -> Self {
        Self(i64::try_from(left).unwrap_or(i64::MAX))
    }

    /// What the clock has to go, in its unit; none for ∞, and 0 once its end has been passed.
    pub fn left(self) -> Option<u64> {
        (self != Self::INFINITE).then_some(self.0.max(0) as u64)
    }

    /// The clock one step later.
    ///
    /// # Panics
    /// If the clock has run out.
    pub fn later(self) -> Self {
        assert!(self > Self::ZERO, "a clock that has not run out");
        if self == Self::INFINITE { self } else { Self(self.0 - 1) }
    }

    /// The clock so many nanoseconds later.
    #[must_use]
    pub fn after(self, nanoseconds: u64) -> Self {
        if self == Self::INFINITE { self } else { Self(self.0.saturating_sub_unsigned(nanoseconds)) }
    }

    /// The distance from one moment to another, both in a clock's unit.
    pub(crate) fn between(now: u64, end: u128) -> Self {
        let now = u128::from(now);
        match i64::try_from(end.abs_diff(now)) {
            Ok(distance) if end < now => Self(-distance),
            Ok(distance) => Self(distance),
            Err(_) => Self(if end < now { i64::MIN } else { i64::MAX }),
        }
    }

    /// The clock as people write it, in its unit.
    pub fn text(self, unit: Unit) -> String {
        match (self, unit) {
            (Self::INFINITE, _) => "∞".to_owned(),
            (Self(0), _) => "0".to_owned(),
            (Self(steps), Unit::Steps) => steps.to_string(),
            (Self(time), Unit::Time) => {
                let sign = if time < 0 { "-" } else { "" };
                format!("{sign}{}", duration(time.unsigned_abs()))
            }
        }
    }
}

/// Writes the number alone; [`Clock::text`] has the unit.
impl fmt::Display for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(Unit::Steps))
    }
}

/// A clock of an automaton: `t1`, `t2`, …
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ClockId(u32);

impl ClockId {
    /// The id as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for ClockId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "t{}", self.0 + 1)
    }
}

/// A positive boolean combination of nodes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Condition {
    /// ε, which every run satisfies.
    Empty,
    /// A node.
    Node(NodeId),
    /// Both automata have a run.
    And(ConditionId, ConditionId),
    /// One of the two automata has a run.
    Or(ConditionId, ConditionId),
    /// A metric sub-automaton: this clock is set to its start for all that is in it.
    Metric(ClockId, ConditionId),
}

/// The label of a leaf: what it asks of the current state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Label {
    /// `true` or `false`
    Constant(bool),
    /// An atom.
    Atom(AtomId),
    /// A negated atom.
    NotAtom(AtomId),
    /// A formula about the past.
    Past(FormulaId),
}

/// The function F of a timer: what it asks of its clock.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ClockTest {
    /// The test λx. x > 0.
    Positive,
    /// The test λx. x = 0.
    Zero,
    /// The test λx. x > d, of time.
    Above(Clock),
    /// The test λx. x ≤ d, of time.
    UpTo(Clock),
    /// The test λx. x ≥ 0, of time.
    Open,
    /// The test λx. x < 0, of time.
    Closed,
}

impl ClockTest {
    /// The value F(c) of the test for a clock.
    pub fn holds(self, clock: Clock) -> bool {
        match self {
            Self::Positive => clock > Clock::ZERO,
            Self::Zero => clock == Clock::ZERO,
            Self::Above(least) => clock > least,
            Self::UpTo(most) => clock <= most,
            Self::Open => clock >= Clock::ZERO,
            Self::Closed => clock < Clock::ZERO,
        }
    }
}

/// The clock that asks for more, of two on one timer: what holds with it holds with the other
/// (claim 3.2 of the thesis).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stronger {
    /// The smaller clock: something has to come sooner.
    Smaller,
    /// The larger clock: something has to last longer.
    Larger,
    /// Neither clock. The thesis claims that one of them always does, but a delay of two steps says
    /// nothing of a delay of three.
    Neither,
}

/// The kinds of nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A leaf ⟨ν, acc⟩ asks something of the current state.
    Leaf(Label),
    /// A timer ⟨F, δ, acc⟩ asks something of a clock.
    Timer {
        /// The test F.
        test: ClockTest,
        /// The clock that is asked.
        clock: ClockId,
        /// The condition δ on the next state.
        next: ConditionId,
        /// The rule by which two values of the clock compare.
        stronger: Stronger,
    },
}

/// A node of a metric automaton.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Node {
    /// Leaf or timer.
    pub kind: Kind,
    /// Whether a path may end here.
    pub accepting: bool,
    /// The formula that the node was made for.
    pub formula: FormulaId,
}

impl Node {
    /// The test of the node's clock, if the node is a timer.
    pub fn test(self) -> Option<ClockTest> {
        match self.kind {
            Kind::Leaf(_) => None,
            Kind::Timer { test, .. } => Some(test),
        }
    }
}

/// The metric automaton of a formula.
#[derive(Clone, Debug)]
pub struct Metric {
    nodes: Vec<Node>,
    conditions: Vec<Condition>,
    /// The value that each clock is set to.
    clocks: Vec<Clock>,
    /// What each clock counts.
    units: Vec<Unit>,
    root: ConditionId,
    /// The largest constant in the formula.
    largest_constant: u64,
}

/// The error that the bound in time of a part is longer than a clock can count: 292 years.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EndlessTime(pub FormulaId);

impl Metric {
    /// The automaton of a formula in negation normal form with split atoms.
    ///
    /// # Panics
    /// If the formula is not in negation normal form.
    pub fn new(formulas: &Formulas, root: FormulaId) -> Result<Self, EndlessTime> {
        let parts = future_parts(formulas, root);
        let is_too_long = |part: &FormulaId| {
            let bound = formulas.node(*part).interval().filter(|one| one.unit == Unit::Time);
            bound.is_some_and(|one| Clock::new(one.to.unwrap_or(one.from)) == Clock::INFINITE)
        };
        match parts.iter().copied().find(is_too_long) {
            Some(part) => Err(EndlessTime(part)),
            None => Ok(Builder::new(formulas, root).build(&parts, root)),
        }
    }

    /// Whether some clock counts time.
    pub fn is_timed(&self) -> bool {
        self.units.contains(&Unit::Time)
    }

    /// What a clock counts.
    pub fn unit(&self, clock: ClockId) -> Unit {
        self.units[clock.index()]
    }

    /// What the clock of a node counts; steps for a leaf, which does not look at it.
    pub(crate) fn unit_of(&self, node: NodeId) -> Unit {
        match self.node(node).kind {
            Kind::Leaf(_) => Unit::Steps,
            Kind::Timer { clock, .. } => self.unit(clock),
        }
    }

    /// Whether a node is a timer that asks something of the next state.
    pub fn goes_on(&self, node: NodeId) -> bool {
        matches!(self.node(node).kind, Kind::Timer { next, .. } if self.condition(next) != Condition::Empty)
    }

    /// The clock of a timer with the next state, which comes so many nanoseconds later.
    pub(crate) fn later(&self, timer: NodeId, clock: Clock, passed: u64) -> Clock {
        match self.unit_of(timer) {
            Unit::Steps => clock.later(),
            Unit::Time => clock.after(passed),
        }
    }

    /// A time after which all clocks that count time have passed their ends, however long they had
    /// to go: whether it is this or more makes no difference.
    pub(crate) fn longest_time(&self) -> u64 {
        let times = self.clocks.iter().zip(&self.units).filter(|(_, unit)| **unit == Unit::Time);
        times.filter_map(|(clock, _)| clock.left()).max().map_or(0, |longest| longest + 1)
    }

    /// The value of a clock as people write it.
    pub fn clock_text(&self, id: ClockId, clock: Clock) -> String {
        clock.text(self.unit(id))
    }

    /// The nodes, in the order in which the thesis' figures number them.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// A node.
    pub fn node(&self, id: NodeId) -> Node {
        self.nodes[id.index()]
    }

    /// Its size, in words.
    pub(crate) fn summary(&self) -> String {
        format!("a metric automaton of {} nodes", self.nodes().len())
    }

    /// The ids of the nodes, in order.
    pub fn node_ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.nodes.len()).map(NodeId::new)
    }

    /// A condition.
    pub fn condition(&self, id: ConditionId) -> Condition {
        self.conditions[id.index()]
    }

    /// The ids of the conditions, parts before wholes.
    pub fn condition_ids(&self) -> impl Iterator<Item = ConditionId> + use<> {
        (0..self.conditions.len()).map(ConditionId::new)
    }

    /// The value that each clock is set to.
    pub fn clocks(&self) -> &[Clock] {
        &self.clocks
    }

    /// The ids of the clocks, in order.
    pub fn clock_ids(&self) -> impl Iterator<Item = ClockId> + use<> {
        (0..self.clocks.len() as u32).map(ClockId)
    }

    /// The value that a clock is set to.
    pub fn clock(&self, id: ClockId) -> Clock {
        self.clocks[id.index()]
    }

    /// The condition in which runs begin.
    pub fn root(&self) -> ConditionId {
        self.root
    }
}

/// The parts of a formula that are not inside a past operator, parts before wholes.
fn future_parts(formulas: &Formulas, root: FormulaId) -> Vec<FormulaId> {
    let mut needed = vec![false; formulas.len()];
    needed[root.index()] = true;
    let mut parts = formulas.parts(&[root]);
    for part in parts.iter().rev() {
        let node = formulas.node(*part);
        if needed[part.index()] && node.direction() != Some(Direction::Past) {
            node.children().for_each(|child| needed[child.index()] = true);
        }
    }
    parts.retain(|part| needed[part.index()]);
    parts
}

/// The nodes of one formula.
#[derive(Clone, Copy)]
enum Own {
    Leaf(NodeId),
    /// The timer of `X`.
    Next(NodeId, ClockId),
    /// The timers of a bounded operator.
    Bounded {
        delay: Option<TimerPair>,
        window: TimerPair,
    },
}

/// A timer and, where its clock can run out, the node that asks for that; in time, the node that
/// asks whether a window is open, or whether it is closed.
#[derive(Clone, Copy)]
struct TimerPair {
    running: NodeId,
    zero: Option<NodeId>,
    clock: ClockId,
}

struct Builder<'a> {
    formulas: &'a Formulas,
    own: FxHashMap<FormulaId, Own>,
    nodes: Vec<Option<Node>>,
    clocks: Vec<Clock>,
    units: Vec<Unit>,
    conditions: Vec<Condition>,
    ids: FxHashMap<Condition, ConditionId>,
    of_formula: FxHashMap<FormulaId, ConditionId>,
}

impl<'a> Builder<'a> {
    fn new(formulas: &'a Formulas, root: FormulaId) -> Self {
        let mut builder = Self {
            formulas,
            own: FxHashMap::default(),
            nodes: Vec::new(),
            clocks: Vec::new(),
            units: Vec::new(),
            conditions: Vec::new(),
            ids: FxHashMap::default(),
            of_formula: FxHashMap::default(),
        };
        builder.number_nodes(root);
        builder
    }

    /// Numbers nodes from the outside in, as the thesis' figures do: an operator with one operand
    /// before it, one with two behind them, the second operand first. With a stack of its own, for
    /// formulas of any depth.
    fn number_nodes(&mut self, root: FormulaId) {
        enum Task {
            Visit(FormulaId),
            Number(FormulaId),
        }
        let mut visited = vec![false; self.formulas.len()];
        let mut tasks = vec![Task::Visit(root)];
        while let Some(task) = tasks.pop() {
            let formula = match task {
                Task::Number(formula) => {
                    self.number(formula);
                    continue;
                }
                Task::Visit(formula) if std::mem::replace(&mut visited[formula.index()], true) => continue,
                Task::Visit(formula) => formula,
            };
            match self.formulas.node(formula) {
                node if node.direction() == Some(Direction::Past) => self.number(formula),
                Operator::Constant(_) | Operator::Atom(_) | Operator::Not(_) => self.number(formula),
                Operator::And(f, g) | Operator::Or(f, g) => tasks.extend([Task::Visit(g), Task::Visit(f)]),
                Operator::Binary(_, _, _, f, g) => {
                    tasks.extend([Task::Number(formula), Task::Visit(f), Task::Visit(g)]);
                }
                Operator::Next(_, _, f) | Operator::Eventually(_, _, f) | Operator::Always(_, _, f) => {
                    tasks.extend([Task::Visit(f), Task::Number(formula)]);
                }
            }
        }
    }

    fn number(&mut self, formula: FormulaId) {
        let node = self.formulas.node(formula);
        let own = match node.interval() {
            _ if node.direction() != Some(Direction::Future) => Own::Leaf(self.fresh_node()),
            Some(interval) if interval.unit == Unit::Time => self.bounded_in_time(interval),
            Some(interval) => self.bounded(node, interval),
            None => Own::Next(self.fresh_node(), self.fresh_clock(Clock::new(1), Unit::Steps)),
        };
        self.own.insert(formula, own);
    }

    fn bounded(&mut self, node: Operator, interval: Interval) -> Own {
        let delay = (interval.from > 0).then(|| {
            let clock = self.fresh_clock(Clock::new(interval.from), Unit::Steps);
            TimerPair { running: self.fresh_node(), zero: Some(self.fresh_node()), clock }
        });
        let width = interval.to.map_or(Clock::INFINITE, |to| Clock::new(to - interval.from));
        let clock = self.fresh_clock(width, Unit::Steps);
        let running = self.fresh_node();
        let asks_for_zero = is_weak(node) && width != Clock::INFINITE;
        let zero = asks_for_zero.then(|| self.fresh_node());
        Own::Bounded { delay, window: TimerPair { running, zero, clock } }
    }

    /// With an upper bound one clock does for delay and window.
    fn bounded_in_time(&mut self, interval: Interval) -> Own {
        let start = interval.to.unwrap_or(interval.from);
        let clock = (start > 0 || interval.to.is_some()).then(|| self.fresh_clock(Clock::new(start), Unit::Time));
        let delay = clock.filter(|_| interval.from > 0).map(|clock| TimerPair {
            running: self.fresh_node(),
            zero: Some(self.fresh_node()),
            clock,
        });
        let window = match clock.filter(|_| interval.to.is_some()) {
            Some(clock) => TimerPair { running: self.fresh_node(), zero: Some(self.fresh_node()), clock },
            None => {
                let clock = self.fresh_clock(Clock::INFINITE, Unit::Steps);
                TimerPair { running: self.fresh_node(), zero: None, clock }
            }
        };
        Own::Bounded { delay, window }
    }

    fn fresh_node(&mut self) -> NodeId {
        self.nodes.push(None);
        NodeId::new(self.nodes.len() - 1)
    }

    fn fresh_clock(&mut self, start: Clock, unit: Unit) -> ClockId {
        self.clocks.push(start);
        self.units.push(unit);
        ClockId(self.clocks.len() as u32 - 1)
    }

    fn build(mut self, parts: &[FormulaId], root: FormulaId) -> Metric {
        for &part in parts {
            // An atom that occurs only negated has no node.
            if let Some(condition) = self.automaton(part) {
                self.of_formula.insert(part, condition);
            }
        }
        let constants = parts.iter().map(|part| largest_constant_of(self.formulas.node(*part)));
        let largest_constant = constants.max().unwrap_or(0);
        let root = self.of_formula[&root];
        let nodes = self.nodes.into_iter().map(|node| node.expect("every numbered node is built")).collect();
        Metric { nodes, conditions: self.conditions, clocks: self.clocks, units: self.units, root, largest_constant }
    }

    /// The automaton 𝒜(φ) of a formula.
    fn automaton(&mut self, formula: FormulaId) -> Option<ConditionId> {
        let node = self.formulas.node(formula);
        match node {
            Operator::And(f, g) => return Some(self.and(self.of_formula[&f], self.of_formula[&g])),
            Operator::Or(f, g) => return Some(self.or(self.of_formula[&f], self.of_formula[&g])),
            _ => {}
        }
        Some(match (node, *self.own.get(&formula)?) {
            (node, Own::Next(id, clock)) => self.next(formula, node, id, clock),
            (node, Own::Bounded { delay, window }) => self.bounded_operator(formula, node, delay, window),
            (node, Own::Leaf(id)) => {
                let label = self.label(formula, node);
                self.nodes[id.index()] = Some(Node { kind: Kind::Leaf(label), accepting: true, formula });
                self.intern(Condition::Node(id))
            }
        })
    }

    fn label(&self, formula: FormulaId, node: Operator) -> Label {
        match node {
            Operator::Constant(bit) => Label::Constant(bit),
            Operator::Atom(atom) => Label::Atom(atom),
            Operator::Not(f) => match self.formulas.node(f) {
                Operator::Atom(atom) => Label::NotAtom(atom),
                _ => panic!("not in negation normal form"),
            },
            _ => Label::Past(formula),
        }
    }

    /// The automaton of `X f` and of `WX f`.
    fn next(&mut self, formula: FormulaId, node: Operator, id: NodeId, clock: ClockId) -> ConditionId {
        let Operator::Next(_, strength, f) = node else { unreachable!("only these have one timer") };
        let next = self.of_formula[&f];
        let kind = Kind::Timer { test: ClockTest::Positive, clock, next, stronger: Stronger::Neither };
        self.nodes[id.index()] = Some(Node { kind, accepting: strength.holds(), formula });
        let node = self.intern(Condition::Node(id));
        self.intern(Condition::Metric(clock, node))
    }

    /// The automaton of an operator with a window.
    fn bounded_operator(
        &mut self,
        formula: FormulaId,
        node: Operator,
        delay: Option<TimerPair>,
        timers: TimerPair,
    ) -> ConditionId {
        let inside = self.window(formula, node, timers);
        let shares_clock = delay.is_some_and(|delay| delay.clock == timers.clock);
        let window = if shares_clock { inside } else { self.intern(Condition::Metric(timers.clock, inside)) };
        let Some(delay) = delay else { return window };
        let interval = node.interval().expect("an operator with a window");
        let tests = match interval.unit {
            Unit::Steps => (ClockTest::Positive, ClockTest::Zero),
            Unit::Time => {
                let width = Clock::new(interval.to.map_or(0, |to| to - interval.from));
                (ClockTest::Above(width), ClockTest::UpTo(width))
            }
        };
        self.delay(formula, delay, tests, window, is_weak(node))
    }

    /// The window of an operator, its clock being set around it.
    fn window(&mut self, formula: FormulaId, node: Operator, timers: TimerPair) -> ConditionId {
        if self.units[timers.clock.index()] == Unit::Time {
            return self.window_in_time(formula, node, timers);
        }
        let running = self.intern(Condition::Node(timers.running));
        // A weak operator asks nothing after this position if the window closes here.
        let onward = match timers.zero {
            Some(zero) => {
                let zero = self.gate(formula, zero, timers.clock, ClockTest::Zero);
                self.or(running, zero)
            }
            None => running,
        };
        let whole = self.line(node, onward);
        self.window_timer(formula, node, timers, ClockTest::Positive, whole);
        whole
    }

    /// The window of an operator with a finite bound in time. A state behind it satisfies a weak
    /// operator, and no strong one.
    fn window_in_time(&mut self, formula: FormulaId, node: Operator, timers: TimerPair) -> ConditionId {
        let running = self.intern(Condition::Node(timers.running));
        let inside = self.line(node, running);
        let test = if is_weak(node) { ClockTest::Closed } else { ClockTest::Open };
        let gate = self.gate(formula, timers.zero.expect("windows close"), timers.clock, test);
        let whole = if is_weak(node) { self.or(gate, inside) } else { self.and(gate, inside) };
        self.window_timer(formula, node, timers, ClockTest::Open, whole);
        whole
    }

    /// What an operator asks at a position in its window, and of those behind it by `onward`.
    fn line(&mut self, node: Operator, onward: ConditionId) -> ConditionId {
        match node {
            Operator::Eventually(_, _, f) => self.or(onward, self.of_formula[&f]),
            Operator::Always(_, _, f) => self.and(onward, self.of_formula[&f]),
            Operator::Binary(op, _, _, f, g) => {
                self.binary_window(op, onward, self.of_formula[&f], self.of_formula[&g])
            }
            _ => unreachable!("only these operators have windows"),
        }
    }

    fn window_timer(
        &mut self,
        formula: FormulaId,
        node: Operator,
        timers: TimerPair,
        test: ClockTest,
        next: ConditionId,
    ) {
        let stronger = if is_weak(node) { Stronger::Larger } else { Stronger::Smaller };
        let kind = Kind::Timer { test, clock: timers.clock, next, stronger };
        self.nodes[timers.running.index()] = Some(Node { kind, accepting: is_weak(node), formula });
    }

    /// The lines of the table above. What holds where the window closes is in `onward`. The match
    /// is this construction's own: the lines differ in the order of their parts, which drawings
    /// show.
    fn binary_window(&mut self, op: BinaryOp, onward: ConditionId, f: ConditionId, g: ConditionId) -> ConditionId {
        match op {
            BinaryOp::Until => {
                let later = self.and(onward, f);
                self.or(later, g)
            }
            BinaryOp::WeakUntil => {
                let later = self.and(f, onward);
                self.or(g, later)
            }
            BinaryOp::Release => {
                let later = self.or(f, onward);
                self.and(g, later)
            }
            BinaryOp::StrongRelease => {
                let now = self.and(f, g);
                let later = self.and(onward, g);
                self.or(now, later)
            }
        }
    }

    /// The delay: Ψ0 (strong) and Ψ1 (weak) of the thesis. Of the tests, the first asks whether it
    /// lasts, and the second whether it is over.
    fn delay(
        &mut self,
        formula: FormulaId,
        timers: TimerPair,
        (lasts, is_over): (ClockTest, ClockTest),
        window: ConditionId,
        accepting: bool,
    ) -> ConditionId {
        let running = self.intern(Condition::Node(timers.running));
        let zero = self.gate(formula, timers.zero.expect("delays end"), timers.clock, is_over);
        let open = self.and(zero, window);
        let next = self.or(running, open);
        let kind = Kind::Timer { test: lasts, clock: timers.clock, next, stronger: Stronger::Neither };
        self.nodes[timers.running.index()] = Some(Node { kind, accepting, formula });
        self.intern(Condition::Metric(timers.clock, next))
    }

    /// A node that asks something of its clock, and nothing of the next state.
    fn gate(&mut self, formula: FormulaId, id: NodeId, clock: ClockId, test: ClockTest) -> ConditionId {
        let next = self.intern(Condition::Empty);
        let kind = Kind::Timer { test, clock, next, stronger: Stronger::Neither };
        self.nodes[id.index()] = Some(Node { kind, accepting: true, formula });
        self.intern(Condition::Node(id))
    }

    fn and(&mut self, left: ConditionId, right: ConditionId) -> ConditionId {
        self.intern(Condition::And(left, right))
    }

    fn or(&mut self, left: ConditionId, right: ConditionId) -> ConditionId {
        self.intern(Condition::Or(left, right))
    }

    fn intern(&mut self, condition: Condition) -> ConditionId {
        let conditions = &mut self.conditions;
        *self.ids.entry(condition).or_insert_with(|| {
            conditions.push(condition);
            ConditionId::new(conditions.len() - 1)
        })
    }
}

/// The largest constant of an operator's own bound, ∞ left out. `X` is `F[1,1]` in the thesis.
fn largest_constant_of(node: Operator) -> u64 {
    match node.interval() {
        _ if node.direction() != Some(Direction::Future) => 0,
        Some(interval) => interval.to.unwrap_or(interval.from),
        None => 1,
    }
}

/// Whether the end of the trace satisfies an operator that is still waiting.
fn is_weak(node: Operator) -> bool {
    node.strength().is_some_and(Strength::holds)
}

#[cfg(test)]
mod tests;
