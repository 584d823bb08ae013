//! Ordinary automata as graphs: states, and labelled arrows between them. Whoever makes a [`Graph`]
//! decides what its labels mean, so that deterministic and non-deterministic automata are drawn by
//! the same code.

mod dot;
mod layout;
mod svg;

use crate::labelled::{Labelled, state_name, state_text};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use traceward_engine::automaton::deterministic::{self, LabelsTooLong};
use traceward_engine::automaton::tableau::{Automaton, StateId};
use traceward_logic::verdict::Verdict;

pub use dot::dot;
pub use svg::svg;

/// An automaton with its texts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Graph {
    /// The formula.
    pub formula: String,
    /// The states, in order.
    pub nodes: Vec<GraphNode>,
    /// The index of the initial state.
    pub start: usize,
    /// The arrows, at most one from a state to another.
    pub edges: Vec<GraphEdge>,
}

/// A state of a [`Graph`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GraphNode {
    /// The name of the state, an identifier: `S0`.
    pub name: String,
    /// The text under the name; it may be empty.
    pub label: String,
    /// The text that explains the state.
    pub tooltip: String,
    /// Whether a run may end in the state.
    pub accepting: bool,
    /// The mark of a state that settles the formula.
    pub mark: Option<Mark>,
}

/// The mark of a state whose verdict no continuation changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mark {
    /// Every continuation satisfies the formula.
    Satisfied,
    /// No continuation satisfies the formula.
    Violated,
}

impl Mark {
    /// The colour of a state with this mark.
    fn colour(self) -> &'static str {
        match self {
            Self::Satisfied => "#d8f0dc",
            Self::Violated => "#f8dcd8",
        }
    }
}

/// An arrow of a [`Graph`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GraphEdge {
    /// The index of the state that the arrow leaves.
    pub from: usize,
    /// The index of the state that the arrow leads to.
    pub to: usize,
    /// The letters of the arrow; each line is an alternative.
    pub label: String,
}

/// The error that there is more to draw than anybody could look at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PictureTooLarge {
    /// The number of states.
    pub states: usize,
    /// The number of arrows.
    pub edges: usize,
}

impl fmt::Display for PictureTooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an automaton of {} states and {} arrows is too large to draw", self.states, self.edges)
    }
}

impl Graph {
    /// The graph of a tableau automaton; `names` are those of the variables.
    pub fn of_tableau(automaton: &Automaton, names: &[Arc<str>]) -> Self {
        let mut labels: BTreeMap<(usize, usize), Vec<String>> = BTreeMap::new();
        for edge in automaton.edges() {
            let ends = (edge.from.index(), edge.to.index());
            labels.entry(ends).or_default().push(automaton.label_text(edge, names));
        }
        let edges = labels.into_iter().map(|((from, to), labels)| GraphEdge { from, to, label: labels.join("\n") });
        let node = |id: StateId| GraphNode {
            name: id.to_string(),
            label: String::new(),
            tooltip: automaton.state_text(id, names),
            accepting: automaton.state(id).accepting,
            mark: automaton.state(id).satisfied.then_some(Mark::Satisfied),
        };
        Self {
            formula: automaton.formulas().display(automaton.root(), names).to_string(),
            nodes: automaton.state_ids().map(node).collect(),
            start: StateId::INIT.index(),
            edges: edges.collect(),
        }
    }

    /// The graph of a deterministic automaton.
    pub fn of_deterministic(labelled: &Labelled) -> Result<Self, LabelsTooLong> {
        let automaton = labelled.automaton();
        let edge = |edge: &deterministic::Edge| GraphEdge {
            from: edge.from.index(),
            to: edge.to.index(),
            label: edge.products.iter().map(|one| labelled.product_text(one)).collect::<Vec<_>>().join("\n"),
        };
        let node = |id: deterministic::StateId| GraphNode {
            name: state_name(id),
            label: String::new(),
            tooltip: state_text(automaton.verdict(id)).to_owned(),
            accepting: automaton.state(id).accepting,
            mark: match automaton.verdict(id) {
                Verdict::Satisfied => Some(Mark::Satisfied),
                Verdict::Violated => Some(Mark::Violated),
                Verdict::Holding | Verdict::Pending => None,
            },
        };
        Ok(Self {
            formula: labelled.formula().to_owned(),
            nodes: automaton.state_ids().map(node).collect(),
            start: automaton.initial().index(),
            edges: labelled.edges()?.iter().map(edge).collect(),
        })
    }

    fn has_mark(&self, mark: Mark) -> bool {
        self.nodes.iter().any(|node| node.mark == Some(mark))
    }
}
