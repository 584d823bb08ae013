//! Ordinary automata as graphs: states, and labelled arrows between them. Whoever makes a [`Graph`]
//! decides what its labels mean, so that deterministic and non-deterministic automata are drawn by
//! the same code.

mod dot;
mod label;
pub(crate) mod layout;
pub(crate) mod svg;

use crate::labelled::{Labelled, state_name, state_text};
use crate::literals::LiteralTexts;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use traceward_engine::automaton::deterministic::{self, LabelsTooLong, Product};
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
    /// The column of events, if strings that it is compared with stand alone on the arrows.
    pub event: Option<Arc<str>>,
    /// Whether arrows are left out because no state can have all that they ask for.
    pub has_impossible: bool,
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

/// The alternatives of the arrows, by their ends.
type Alternatives = BTreeMap<(usize, usize), Vec<Product>>;

impl Graph {
    /// The graph of a tableau automaton; `names` are those of the variables, and `literals` the
    /// texts of its propositions.
    pub fn of_tableau(automaton: &Automaton, names: &[Arc<str>], literals: &LiteralTexts) -> Self {
        let mut alternatives = Alternatives::new();
        for edge in automaton.edges() {
            let ends = (edge.from.index(), edge.to.index());
            let product = edge.literals.iter().map(|literal| (literal.proposition, !literal.negated));
            alternatives.entry(ends).or_default().push(product.collect());
        }
        let node = |id: StateId| GraphNode {
            name: id.to_string(),
            label: String::new(),
            tooltip: automaton.state_text(id, names),
            accepting: automaton.state(id).accepting,
            mark: automaton.state(id).satisfied.then_some(Mark::Satisfied),
        };
        let formula = automaton.formulas().display(automaton.root(), names).to_string();
        let nodes = automaton.state_ids().map(node).collect();
        Self::of_alternatives(formula, nodes, StateId::INIT.index(), alternatives, literals)
    }

    /// The graph of a deterministic automaton; `literals` are the texts of its propositions.
    pub fn of_deterministic(labelled: &Labelled, literals: &LiteralTexts) -> Result<Self, LabelsTooLong> {
        let automaton = labelled.automaton();
        let edge = |edge: deterministic::Edge| ((edge.from.index(), edge.to.index()), edge.products);
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
        let alternatives = labelled.edges()?.into_iter().map(edge).collect();
        let nodes = automaton.state_ids().map(node).collect();
        let formula = labelled.formula().to_owned();
        Ok(Self::of_alternatives(formula, nodes, automaton.initial().index(), alternatives, literals))
    }

    fn of_alternatives(
        formula: String,
        nodes: Vec<GraphNode>,
        start: usize,
        alternatives: Alternatives,
        literals: &LiteralTexts,
    ) -> Self {
        let all = alternatives.len();
        let edge = |((from, to), products): ((usize, usize), Vec<Product>)| {
            let label = literals.alternatives(&products).join("\n");
            (!label.is_empty()).then_some(GraphEdge { from, to, label })
        };
        let edges: Vec<GraphEdge> = alternatives.into_iter().filter_map(edge).collect();
        let has_impossible = edges.len() < all;
        let graph = Self { formula, nodes, start, edges, event: literals.event().cloned(), has_impossible };
        if has_impossible { graph.reached() } else { graph }
    }

    /// The graph without the states that no arrow leads to any more. Others keep their names.
    fn reached(self) -> Self {
        let mut numbers: Vec<Option<usize>> = vec![None; self.nodes.len()];
        let mut open = vec![self.start];
        while let Some(node) = open.pop() {
            if numbers[node].replace(0).is_none() {
                open.extend(self.edges.iter().filter(|edge| edge.from == node).map(|edge| edge.to));
            }
        }
        for (place, number) in numbers.iter_mut().filter(|number| number.is_some()).enumerate() {
            *number = Some(place);
        }
        let edge = |edge: GraphEdge| Some(GraphEdge { from: numbers[edge.from]?, to: numbers[edge.to]?, ..edge });
        let nodes = self.nodes.into_iter().zip(&numbers).filter(|(_, number)| number.is_some());
        Self {
            start: numbers[self.start].unwrap_or(0),
            nodes: nodes.map(|(node, _)| node).collect(),
            edges: self.edges.into_iter().filter_map(edge).collect(),
            ..self
        }
    }

    fn has_mark(&self, mark: Mark) -> bool {
        self.nodes.iter().any(|node| node.mark == Some(mark))
    }
}
