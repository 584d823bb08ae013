//! Walkthroughs: what an engine holds after each state of a short trace, as the papers tell their
//! examples.
//!
//! A walkthrough is data, whatever the engine: sets of nodes, values of nodes, states, or a graph.
//! An engine that is walked through runs as it always does, on the structures that it always has;
//! it is asked what it holds between its own steps. Nothing is computed again for the reader.

mod text;

use crate::automaton::metric::Metric;
use crate::limit::{BuildError, GaveUp};
use crate::prepared::Prepared;
use std::fmt;
use std::sync::Arc;
use traceward_logic::formula::AtomId;
use traceward_logic::letter::Letters;
use traceward_logic::verdict::Verdict;

/// The account of what an engine held on its way over a trace.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Walkthrough {
    /// The automaton that the engine runs on, as text: what the names mean. None if it is too large
    /// to be read, or is only made as the trace goes.
    pub automaton: Option<String>,
    /// The steps, in the order in which the engine made them.
    pub steps: Vec<WalkthroughStep>,
}

/// A step of an engine.
#[derive(Clone, PartialEq, Debug)]
pub struct WalkthroughStep {
    /// The state that was taken; none if the engine looks at the trace as a whole.
    pub state: Option<ShownState>,
    /// The things that the engine held, one after another.
    pub stages: Vec<Stage>,
    /// The conclusion that could be drawn from them.
    pub conclusion: Conclusion,
}

/// A state as engines see it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ShownState {
    /// The position in the trace.
    pub position: usize,
    /// The propositions by their texts, in order of these, and whether each holds.
    pub propositions: Vec<(String, bool)>,
}

/// Writes the state as the first paper does: `4: ⟨a, ¬b, ¬(x > 5)⟩`.
impl fmt::Display for ShownState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let literal = |(text, holds): &(String, bool)| match holds {
            true => text.clone(),
            false if text.contains(' ') => format!("¬({text})"),
            false => format!("¬{text}"),
        };
        let literals: Vec<String> = self.propositions.iter().map(literal).collect();
        write!(f, "{}: ⟨{}⟩", self.position, literals.join(", "))
    }
}

/// The conclusion that can be drawn from what an engine holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Conclusion {
    /// The verdict after the states so far.
    SoFar(Verdict),
    /// Whether the formula holds at this position, or from the start if the step is about the
    /// trace as a whole.
    Here(bool),
}

/// Something that an engine held in the course of a step.
#[derive(Clone, PartialEq, Debug)]
pub struct Stage {
    /// The name of the stage, such as `candidates`.
    pub name: &'static str,
    /// The thing that was held.
    pub content: Content,
}

impl Stage {
    /// A stage of a name.
    pub(super) fn new(name: &'static str, content: Content) -> Self {
        Self { name, content }
    }
}

/// The forms of what engines hold.
#[derive(Clone, PartialEq, Debug)]
pub enum Content {
    /// Sets of nodes, of which one is enough: slices, or configurations with clocks.
    Sets(Vec<HeldSet>),
    /// The values of all nodes at one position.
    Values(Vec<(String, bool)>),
    /// States of an ordinary automaton.
    States(Vec<HeldState>),
    /// Nodes with what is below them. A tree is a graph in which nothing is shared.
    Graph(HeldGraph),
}

impl Content {
    /// The number of nodes or states in it: how much there is to read.
    pub fn size(&self) -> usize {
        match self {
            Self::Sets(sets) => sets.iter().map(|set| set.members.len().max(1)).sum(),
            Self::Values(values) => values.len(),
            Self::States(states) => states.len(),
            Self::Graph(graph) => graph.vertices.len(),
        }
    }
}

/// A set of nodes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HeldSet {
    /// The nodes by name, and behind `^` the clock where there are clocks: `n5^3`.
    pub members: Vec<String>,
    /// Whether the trace may end in all of them.
    pub is_accepting: bool,
    /// The least number of visits to rejecting nodes of the runs that lead to the set, if that was
    /// counted.
    pub visits: Option<u64>,
}

/// Writes the set as `{n0, n1}`, with an asterisk if the trace may end there; with a number of
/// visits as `({n0, n1}, 2)`.
impl fmt::Display for HeldSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = if self.is_accepting { "*" } else { "" };
        let set = match &self.members[..] {
            [] => format!("∅{mark}"),
            members => format!("{{{}}}{mark}", members.join(", ")),
        };
        match self.visits {
            Some(visits) => write!(f, "({set}, {visits})"),
            None => f.write_str(&set),
        }
    }
}

/// A state of an ordinary automaton.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HeldState {
    /// The name of the state; none if states have none.
    pub name: Option<String>,
    /// The meaning of the state in words: what it owes, and what it claims.
    pub meaning: String,
    /// Whether the trace may end there.
    pub is_accepting: bool,
}

/// Writes the state as `S1: owes X (F b)`, with an asterisk if the trace may end there.
impl fmt::Display for HeldState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = if self.is_accepting { "*" } else { "" };
        match &self.name {
            Some(name) => write!(f, "{name}{mark}: {}", self.meaning),
            None => write!(f, "{}{mark}", self.meaning),
        }
    }
}

/// A vertex of a [`HeldGraph`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct HeldId(u32);

impl HeldId {
    /// The id as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Vertices with what is below them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct HeldGraph {
    /// All vertices. The ids of vertices are indices into them.
    pub vertices: Vec<HeldVertex>,
    /// The vertices at the top.
    pub roots: Vec<HeldId>,
}

/// A node, a branching point, or something else in a graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HeldVertex {
    /// The name: `n5^3`, `∧`, `{n0^∞}`, `t2 := 3`.
    pub label: String,
    /// The position at which the node is visited, where a graph spans several.
    pub position: Option<usize>,
    /// The value, as far as it is known.
    pub value: Option<bool>,
    /// The vertices below.
    pub children: Vec<HeldId>,
}

impl HeldVertex {
    /// A vertex with nothing below it, whose value is not known.
    pub(super) fn new(label: impl Into<String>) -> Self {
        Self { label: label.into(), position: None, value: None, children: Vec::new() }
    }
}

/// Writes the vertex alone: `n1 at 3: true`.
impl fmt::Display for HeldVertex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.label)?;
        self.position.iter().try_for_each(|position| write!(f, " at {position}"))?;
        self.value.iter().try_for_each(|value| write!(f, ": {value}"))
    }
}

impl HeldGraph {
    /// A vertex of an id.
    pub fn vertex(&self, id: HeldId) -> &HeldVertex {
        &self.vertices[id.index()]
    }

    /// For each vertex, the number of those that it is below.
    pub fn parents(&self) -> Vec<usize> {
        let mut parents = vec![0; self.vertices.len()];
        let below = self.vertices.iter().flat_map(|vertex| &vertex.children);
        below.for_each(|child| parents[child.index()] += 1);
        parents
    }

    /// Adds a vertex below another, or at the top.
    pub(super) fn add(&mut self, parent: Option<HeldId>, vertex: HeldVertex) -> HeldId {
        let id = HeldId(self.vertices.len() as u32);
        self.vertices.push(vertex);
        self.hang(parent, id);
        id
    }

    /// Puts a vertex below another, or at the top.
    pub(super) fn hang(&mut self, parent: Option<HeldId>, id: HeldId) {
        match parent {
            Some(parent) => self.vertices[parent.index()].children.push(id),
            None => self.roots.push(id),
        }
    }
}

/// The reason why there is no walkthrough.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WalkthroughError {
    /// The engine holds nothing from one state to the next.
    NothingHeld,
    /// There is more to show than anybody could read.
    TooMuch {
        /// The position of the state after which it is so; none if it is about the whole trace.
        position: Option<usize>,
        /// The number of nodes that may be shown after a state.
        limit: usize,
    },
    /// The engine reached a limit, or cannot take the formula.
    Engine(BuildError),
}

impl WalkthroughError {
    /// The same error after the state at a position.
    pub(super) fn after(self, position: usize) -> Self {
        match self {
            Self::TooMuch { limit, .. } => Self::TooMuch { position: Some(position), limit },
            other => other,
        }
    }
}

impl From<GaveUp> for WalkthroughError {
    fn from(gave_up: GaveUp) -> Self {
        Self::Engine(gave_up.into())
    }
}

impl From<BuildError> for WalkthroughError {
    fn from(error: BuildError) -> Self {
        Self::Engine(error)
    }
}

/// The trace that an engine is walked over, and the words for what is met.
#[derive(Clone, Copy, Debug)]
pub struct Guide<'a> {
    /// The formula by itself, stage by stage: the one that the engine was compiled for.
    pub prepared: &'a Prepared,
    /// The letters of the trace, which has a state.
    pub letters: &'a Letters,
    /// The names of the variables.
    pub names: &'a [Arc<str>],
    /// The number of nodes that may be shown after a state.
    pub most_nodes: usize,
    /// Whether breadth-first traversal counts visits, too.
    pub visits: Visits,
}

/// The choice whether breadth-first traversal counts how often runs visit rejecting nodes, as in
/// section 4.3 of the first paper.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Visits {
    /// They are not counted.
    #[default]
    NotCounted,
    /// Each slice has the least number of visits of the runs that lead to it. Formulas with bounds
    /// have no such number.
    Counted,
}

/// The number of nodes that the conditions of an automaton may name, and the number of states that
/// it may have, to be read beside a walkthrough.
const MOST_NAMED: u64 = 1000;

impl Guide<'_> {
    /// The state at a position.
    pub(super) fn state(&self, position: usize) -> ShownState {
        let text = |atom: AtomId| self.prepared.formulas.atom(atom).display(self.names).to_string();
        let atoms = self.prepared.alphabet.atoms().iter();
        let holds = atoms.map(|&(place, atom)| (text(atom), self.letters.bitmap(place).get(position)));
        let mut propositions: Vec<(String, bool)> = holds.collect();
        propositions.sort();
        ShownState { position, propositions }
    }

    /// Refuses more nodes than anybody could read.
    pub(super) fn allow(&self, nodes: usize) -> Result<(), WalkthroughError> {
        let limit = self.most_nodes;
        if nodes > limit { Err(WalkthroughError::TooMuch { position: None, limit }) } else { Ok(()) }
    }

    /// Refuses stages that are more than anybody could read.
    pub(super) fn allow_stages(&self, stages: &[Stage]) -> Result<(), WalkthroughError> {
        stages.iter().try_for_each(|stage| self.allow(stage.content.size()))
    }

    /// The text of an automaton that names so many nodes, or has so many states, if that can be
    /// read.
    pub(super) fn readable(&self, named: u64, text: impl FnOnce() -> String) -> Option<String> {
        (named <= MOST_NAMED).then(text)
    }

    /// The text of a metric automaton, if it can be read.
    pub(super) fn metric_text(&self, automaton: &Metric) -> Option<String> {
        let text = || automaton.display(&self.prepared.formulas, self.names).to_string();
        self.readable(automaton.written_out(), text)
    }
}
