//! What engines held, step by step.

use crate::{Members, Verdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use traceward::report::{self, Conclusion, Content, ShownState, WalkthroughStep};

/// A step of an engine.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    /// The position of the state that was taken; null if the step is about the trace as a whole.
    pub position: Option<usize>,
    /// The propositions, and whether each holds in the state.
    pub state: Members<bool>,
    /// What was held, one thing after another.
    pub stages: Vec<Stage>,
    /// The verdict after the states so far, from an engine that goes on from the first state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// Whether the property holds at this position, from an engine that looks at the whole trace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holds: Option<bool>,
}

/// Something that was held in the course of a step, in one of four forms.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Stage {
    /// The name of the stage, such as `candidates`.
    pub name: String,
    /// Sets of nodes, of which one is enough.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sets: Option<Vec<HeldSet>>,
    /// The values of all nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<Members<bool>>,
    /// States of an ordinary automaton.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub states: Option<Vec<HeldState>>,
    /// Nodes with what is below them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub graph: Option<HeldGraph>,
}

/// A set of nodes.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct HeldSet {
    /// The nodes by name, and behind `^` the clock where there are clocks: `n5^3`.
    pub nodes: Vec<String>,
    /// Whether the trace may end in all of them.
    pub accepting: bool,
    /// The least number of visits to rejecting nodes of the runs that lead here, if that was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visits: Option<u64>,
}

/// A state of an ordinary automaton.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct HeldState {
    /// Its name; null if states have none.
    pub name: Option<String>,
    /// What it owes and claims, for people.
    pub meaning: String,
    /// Whether the trace may end there.
    pub accepting: bool,
}

/// Vertices with what is below them; a tree, unless some are below several.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct HeldGraph {
    /// The indices of the vertices at the top.
    pub roots: Vec<usize>,
    /// All vertices.
    pub vertices: Vec<HeldVertex>,
}

/// A vertex of a graph.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct HeldVertex {
    /// A node with its clock, a set of them, `∧`, `∨`, or a clock that is set.
    pub label: String,
    /// The position at which a node is visited, where a graph spans several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<usize>,
    /// Its value, as far as it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<bool>,
    /// The indices of the vertices below.
    pub below: Vec<usize>,
}

impl From<&WalkthroughStep> for Step {
    fn from(step: &WalkthroughStep) -> Self {
        let WalkthroughStep { state, stages, conclusion } = step;
        let (position, state) = match state {
            Some(ShownState { position, propositions }) => (Some(*position), Members(propositions.clone())),
            None => (None, Members::default()),
        };
        let (verdict, holds) = match conclusion {
            Conclusion::SoFar(verdict) => (Some(Verdict::from(*verdict)), None),
            Conclusion::Here(holds) => (None, Some(*holds)),
        };
        Self { position, state, stages: stages.iter().map(Stage::from).collect(), verdict, holds }
    }
}

impl From<&report::Stage> for Stage {
    fn from(stage: &report::Stage) -> Self {
        let report::Stage { name, content } = stage;
        let empty = Self { name: (*name).to_owned(), sets: None, values: None, states: None, graph: None };
        match content {
            Content::Sets(sets) => Self { sets: Some(sets.iter().map(HeldSet::from).collect()), ..empty },
            Content::Values(values) => Self { values: Some(Members(values.clone())), ..empty },
            Content::States(states) => Self { states: Some(states.iter().map(HeldState::from).collect()), ..empty },
            Content::Graph(graph) => Self { graph: Some(HeldGraph::from(graph)), ..empty },
        }
    }
}

impl From<&report::HeldSet> for HeldSet {
    fn from(set: &report::HeldSet) -> Self {
        let report::HeldSet { members, is_accepting, visits } = set;
        Self { nodes: members.clone(), accepting: *is_accepting, visits: *visits }
    }
}

impl From<&report::HeldState> for HeldState {
    fn from(state: &report::HeldState) -> Self {
        let report::HeldState { name, meaning, is_accepting } = state;
        Self { name: name.clone(), meaning: meaning.clone(), accepting: *is_accepting }
    }
}

impl From<&report::HeldGraph> for HeldGraph {
    fn from(graph: &report::HeldGraph) -> Self {
        let report::HeldGraph { vertices, roots } = graph;
        let indices = |ids: &[report::HeldId]| ids.iter().map(|id| id.index()).collect();
        let vertex = |report::HeldVertex { label, position, value, children }: &report::HeldVertex| HeldVertex {
            label: label.clone(),
            position: *position,
            value: *value,
            below: indices(children),
        };
        Self { roots: indices(roots), vertices: vertices.iter().map(vertex).collect() }
    }
}
