//! Deterministic automata on finite words: complete, minimal, with decision diagrams for
//! transitions.
//!
//! States are unfolded by progression of the formula until there are no new ones, and then merged
//! where no continuation tells them apart. An automaton accepts a trace if it is in an accepting
//! state at its end; its first state accepts if the trace without a state satisfies the formula.

mod cover;
mod minimise;
mod table;

use super::diagram::{DiagramLimits, Overflow, Ref};
use super::progression::{Progression, Space, StateRef};
use crate::limit::{Budget, BuildError, GaveUp, Instead, Interrupt, Limit, Limits};
pub use cover::Product;
use rustc_hash::FxHashMap;
use std::fmt;
use traceward_logic::formula::{FormulaId, Formulas};
use traceward_logic::letter::{Alphabet, Proposition};
use traceward_logic::verdict::Verdict;

/// A state of an automaton.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct StateId(u32);

impl StateId {
    /// The id as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Writes the id as its number: `0`, `1`, …
impl fmt::Display for StateId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Where a transition leads: to a test of a proposition, or to a state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Target {
    /// The transition looks at a proposition: an index into [`Deterministic::tests`].
    Test(u32),
    /// The transition leads to this state.
    State(StateId),
}

/// A look at a proposition.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct PropositionTest {
    /// The proposition.
    pub proposition: Proposition,
    /// The target if the proposition does not hold.
    pub low: Target,
    /// The target if it holds.
    pub high: Target,
}

/// A state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct State {
    /// Whether the formula holds if the trace ends here.
    pub accepting: bool,
    /// The target of the next letter.
    pub successors: Target,
}

/// An edge: all letters that lead from one state to another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// The state that the edge leaves.
    pub from: StateId,
    /// The state that the edge leads to.
    pub to: StateId,
    /// The letters of the edge: those that make one of these products true.
    pub products: Vec<Product>,
}

/// The error that labels would take more work than allowed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LabelsTooLong {
    /// The number of steps that may be taken.
    pub work_limit: u64,
}

impl fmt::Display for LabelsTooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the labels of this automaton take more than {} steps to write", self.work_limit)
    }
}

/// The limits on the size of an automaton.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Room {
    /// The number of states that the automaton may have before it is minimised.
    pub states: usize,
    /// The number of bytes that making the automaton may take.
    pub memory: usize,
    /// The number of steps of work that making the automaton may take.
    pub work: u64,
    /// The flag by which somebody else ends the making.
    pub interrupt: Option<Interrupt>,
}

impl Default for Room {
    fn default() -> Self {
        Self { states: 1_000_000, memory: 1 << 30, work: 200_000_000, interrupt: None }
    }
}

impl Room {
    /// The budget for making an automaton.
    fn budget(&self) -> Budget {
        let Self { memory, work, interrupt, .. } = *self;
        Budget::new(&Limits { memory, work, interrupt, ..Limits::default() })
    }

    /// The limits on diagrams that take so many bytes each, with all that is kept beside them.
    pub(crate) fn of_diagrams(&self, bytes_per_node: usize) -> DiagramLimits {
        DiagramLimits { nodes: self.memory / bytes_per_node, budget: self.budget() }
    }
}

/// A complete deterministic automaton with no two states that accept the same.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Deterministic {
    propositions: usize,
    /// The tests that transitions consist of; a test comes after those below it.
    tests: Vec<PropositionTest>,
    /// The states; the first one is the initial one, the others follow as letters lead to them.
    states: Vec<State>,
}

impl Deterministic {
    /// The automaton of a formula with split atoms; `on_empty` tells whether the trace without a
    /// state satisfies it.
    pub fn new(
        formulas: &Formulas,
        alphabet: &Alphabet,
        root: FormulaId,
        on_empty: bool,
        limits: Room,
    ) -> Result<Self, BuildError> {
        Self::in_stages(formulas, alphabet, root, on_empty, limits).map(|(_, minimal)| minimal)
    }

    /// The same, with the number of states that were unfolded before they were merged.
    pub fn in_stages(
        formulas: &Formulas,
        alphabet: &Alphabet,
        root: FormulaId,
        on_empty: bool,
        limits: Room,
    ) -> Result<(usize, Self), BuildError> {
        let progression = Progression::new(formulas, alphabet, root, on_empty, None)?;
        let instead = &[Instead { engine: "reverse", how: "needs no automaton of this kind" }];
        Self::stages_of(&progression, limits)
            .map_err(|too_large| GaveUp { engine: "observer", limit: too_large.limit(limits), instead }.into())
    }

    pub(crate) fn of(progression: &Progression, limits: Room) -> Result<Self, TooLarge> {
        Self::stages_of(progression, limits).map(|(_, minimal)| minimal)
    }

    fn stages_of(progression: &Progression, limits: Room) -> Result<(usize, Self), TooLarge> {
        let unfolded = Unfolding::new(progression, limits)?.run()?;
        let states = unfolded.states.len();
        Ok((states, minimise::minimal(unfolded, &mut limits.budget())?))
    }

    /// The number of propositions in a letter.
    pub fn propositions(&self) -> usize {
        self.propositions
    }

    /// The tests that transitions consist of; a test comes after those below it.
    pub fn tests(&self) -> &[PropositionTest] {
        &self.tests
    }

    /// The states; the first one is the initial one.
    pub fn states(&self) -> &[State] {
        &self.states
    }

    /// The ids of the states, in order.
    pub fn state_ids(&self) -> impl Iterator<Item = StateId> + use<> {
        (0..self.states.len() as u32).map(StateId)
    }

    /// The state in which a run begins.
    pub fn initial(&self) -> StateId {
        StateId(0)
    }

    /// A state.
    pub fn state(&self, id: StateId) -> State {
        self.states[id.index()]
    }

    /// The verdict that is certain in a state while the trace goes on. A minimal automaton never
    /// leaves a state whose verdict is final.
    pub fn verdict(&self, id: StateId) -> Verdict {
        let state = self.state(id);
        match (state.successors == Target::State(id), state.accepting) {
            (true, true) => Verdict::Satisfied,
            (true, false) => Verdict::Violated,
            (false, true) => Verdict::Holding,
            (false, false) => Verdict::Pending,
        }
    }

    /// The state after a letter.
    pub fn next(&self, from: StateId, holds: impl Fn(Proposition) -> bool) -> StateId {
        let mut target = self.state(from).successors;
        loop {
            match target {
                Target::State(state) => return state,
                Target::Test(index) => {
                    let test = self.tests[index as usize];
                    target = if holds(test.proposition) { test.high } else { test.low };
                }
            }
        }
    }

    /// All edges, in the order of the states they leave, then of those they lead to, each with a
    /// short sum of products that says for which letters. No more is done for labels than the limit
    /// says.
    pub fn edges(&self, work_limit: u64) -> Result<Vec<Edge>, LabelsTooLong> {
        let mut work = cover::Work(work_limit);
        let mut edges = Vec::new();
        for from in self.state_ids() {
            let leaving = cover::edges(self, from, &mut work).map_err(|_| LabelsTooLong { work_limit })?;
            edges.extend(leaving.into_iter().map(|(to, products)| Edge { from, to, products }));
        }
        Ok(edges)
    }

    /// All edges without their letters, in the same order. None if finding them takes more work
    /// than the limit says.
    pub fn arrows(&self, work_limit: u64) -> Option<Vec<(StateId, StateId)>> {
        let mut work = cover::Work(work_limit);
        let mut arrows = Vec::new();
        for from in self.state_ids() {
            let targets = cover::targets(self, self.state(from).successors, &mut work).ok()?;
            arrows.extend(targets.into_iter().map(|to| (from, to)));
        }
        Some(arrows)
    }

    /// The propositions that some transition looks at: the others make no difference.
    pub fn relevant(&self) -> Vec<Proposition> {
        let mut relevant: Vec<Proposition> = self.tests.iter().map(|test| test.proposition).collect();
        relevant.sort_unstable();
        relevant.dedup();
        relevant
    }
}

/// The reason why there is no automaton.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TooLarge {
    States(usize),
    Overflow(Overflow),
}

impl TooLarge {
    fn limit(self, limits: Room) -> Limit {
        match self {
            Self::States(limit) => Limit::States(limit),
            Self::Overflow(overflow) => overflow.limit(limits.memory),
        }
    }
}

impl From<Limit> for TooLarge {
    fn from(limit: Limit) -> Self {
        Self::Overflow(Overflow::Spent(limit))
    }
}

impl From<Overflow> for TooLarge {
    fn from(overflow: Overflow) -> Self {
        Self::Overflow(overflow)
    }
}

/// The tests of an automaton, each kept once. A test whose outcome makes no difference is left out.
#[derive(Clone, Debug, Default)]
struct PropositionTests {
    list: Vec<PropositionTest>,
    ids: FxHashMap<PropositionTest, u32>,
}

impl PropositionTests {
    fn make(&mut self, test: PropositionTest) -> Target {
        if test.low == test.high {
            return test.low;
        }
        let next = self.list.len() as u32;
        let id = *self.ids.entry(test).or_insert_with(|| {
            self.list.push(test);
            next
        });
        Target::Test(id)
    }
}

/// An automaton that is being unfolded.
struct Unfolding<'a> {
    progression: &'a Progression,
    space: Space,
    limits: Room,
    tests: PropositionTests,
    /// The states that have been met, in order.
    met: Vec<StateRef>,
    ids: FxHashMap<StateRef, StateId>,
    /// Diagrams of successors as targets.
    targets: FxHashMap<Ref, Target>,
}

impl<'a> Unfolding<'a> {
    fn new(progression: &'a Progression, limits: Room) -> Result<Self, TooLarge> {
        // Beside each diagram there is a test and a look-up, at the most.
        let per_node =
            Progression::BYTES_PER_NODE + 2 * (2 * size_of::<PropositionTest>() + size_of::<(Ref, Target)>() + 16);
        let space = progression.space(limits.of_diagrams(per_node))?;
        Ok(Self {
            progression,
            space,
            limits,
            tests: PropositionTests::default(),
            met: Vec::new(),
            ids: FxHashMap::default(),
            targets: FxHashMap::default(),
        })
    }

    fn run(mut self) -> Result<Deterministic, TooLarge> {
        let initial = self.progression.initial(&mut self.space)?;
        self.meet(initial)?;
        let mut states = Vec::new();
        while let Some(&state) = self.met.get(states.len()) {
            let successors = self.progression.successors(&mut self.space, state)?;
            let successors = self.target(successors)?;
            states.push(State { accepting: self.progression.is_accepting(&self.space, state), successors });
        }
        Ok(Deterministic { propositions: self.progression.rules.propositions as usize, tests: self.tests.list, states })
    }

    fn meet(&mut self, state: StateRef) -> Result<StateId, TooLarge> {
        if let Some(&id) = self.ids.get(&state) {
            return Ok(id);
        }
        if self.met.len() >= self.limits.states {
            return Err(TooLarge::States(self.limits.states));
        }
        let id = StateId(self.met.len() as u32);
        self.met.push(state);
        self.ids.insert(state, id);
        Ok(id)
    }

    fn target(&mut self, successors: Ref) -> Result<Target, TooLarge> {
        if let Some(&known) = self.targets.get(&successors) {
            return Ok(known);
        }
        let made = match self.progression.look(&self.space, successors) {
            Err(state) => Target::State(self.meet(state)?),
            Ok((proposition, low, high)) => {
                let (low, high) = (self.target(low)?, self.target(high)?);
                self.tests.make(PropositionTest { proposition: Proposition(proposition), low, high })
            }
        };
        self.targets.insert(successors, made);
        Ok(made)
    }
}
