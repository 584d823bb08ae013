//! Ordinary automata as plain data, from which documents for programs are made.

use crate::labelled::{Labelled, state_name};
use std::sync::Arc;
use traceward_engine::automaton::deterministic::{Edge, LabelsTooLong, Product};
use traceward_engine::automaton::tableau::{Automaton, StateId};
use traceward_logic::letter::Proposition;
use traceward_logic::verdict::Verdict;

/// The kinds of automata that have a [`Listing`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ListingKind {
    /// A tableau automaton.
    Tableau,
    /// A deterministic automaton.
    Deterministic,
}

/// An automaton with its texts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Listing {
    /// The kind of automaton.
    pub kind: ListingKind,
    /// The formula.
    pub formula: String,
    /// The propositions that letters are made of, in order.
    pub propositions: Vec<ListedProposition>,
    /// The name of the initial state.
    pub start: String,
    /// The states, in order.
    pub states: Vec<ListedState>,
    /// The edges, in order of where they begin.
    pub edges: Vec<ListedEdge>,
    /// The reason why the edges are without labels, or are not there at all.
    pub left_out: Option<LeftOut>,
}

/// The part of a listing that is too large to be written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LeftOut {
    /// The labels of the edges.
    Labels(LabelsTooLong),
    /// The edges themselves.
    Edges(LabelsTooLong),
}

/// A proposition of a [`Listing`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ListedProposition {
    /// The proposition as it is written.
    pub text: String,
    /// Whether the proposition makes a difference.
    pub is_relevant: bool,
}

/// A state of a [`Listing`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ListedState {
    /// The name of the state.
    pub name: String,
    /// Whether a trace may end in the state.
    pub accepting: bool,
    /// The verdict that is certain in the state while the trace goes on, where the automaton tells.
    /// One run of a non-deterministic automaton can only tell that the formula is satisfied for
    /// good.
    pub verdict: Option<Verdict>,
    /// The text of what the state owes and claims; empty where states are not made of formulas.
    pub text: String,
}

/// An edge of a [`Listing`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ListedEdge {
    /// The name of the state that the edge leaves.
    pub from: String,
    /// The name of the state that the edge leads to.
    pub to: String,
    /// The letters of the edge, as text.
    pub label: String,
    /// The letters of the edge: those that make one of these products true. A literal is an index
    /// into the propositions, and whether that proposition has to hold.
    pub products: Vec<Vec<(usize, bool)>>,
}

impl Listing {
    /// The number of accepting states.
    pub fn accepting(&self) -> usize {
        self.states.iter().filter(|state| state.accepting).count()
    }

    /// The listing of a tableau automaton; `names` are those of the variables.
    pub fn of_tableau(automaton: &Automaton, names: &[Arc<str>]) -> Self {
        let text = |atom| automaton.formulas().atom(atom).display(names).to_string();
        let state = |id: StateId| ListedState {
            name: id.to_string(),
            accepting: automaton.state(id).accepting,
            verdict: automaton.state(id).satisfied.then_some(Verdict::Satisfied),
            text: automaton.state_text(id, names),
        };
        let edges = automaton.edges().iter().map(|edge| ListedEdge {
            from: edge.from.to_string(),
            to: edge.to.to_string(),
            label: automaton.label_text(edge, names),
            products: vec![edge.literals.iter().map(|one| (one.proposition.index(), !one.negated)).collect()],
        });
        let texts = automaton.alphabet().atoms().iter().map(|&(_, atom)| text(atom));
        Self {
            kind: ListingKind::Tableau,
            formula: automaton.formulas().display(automaton.root(), names).to_string(),
            propositions: propositions(texts, &automaton.propositions()),
            start: StateId::INIT.to_string(),
            states: automaton.state_ids().map(state).collect(),
            edges: edges.collect(),
            left_out: None,
        }
    }

    /// A deterministic automaton. Labels that are too long to be written are left out.
    pub fn of_deterministic(labelled: &Labelled) -> Self {
        let automaton = labelled.automaton();
        let states = automaton.state_ids().map(|id| ListedState {
            name: state_name(id),
            accepting: automaton.state(id).accepting,
            verdict: Some(automaton.verdict(id)),
            text: String::new(),
        });
        let (edges, left_out) = match labelled.edges() {
            Ok(edges) => (edges.iter().map(|edge| labelled_edge(labelled, edge)).collect(), None),
            Err(too_long) => unlabelled_edges(labelled, too_long),
        };
        let texts = labelled.propositions().iter().map(|proposition| proposition.text.clone());
        Self {
            kind: ListingKind::Deterministic,
            formula: labelled.formula().to_owned(),
            propositions: propositions(texts, &automaton.relevant()),
            start: state_name(automaton.initial()),
            states: states.collect(),
            edges,
            left_out,
        }
    }
}

fn labelled_edge(labelled: &Labelled, edge: &Edge) -> ListedEdge {
    let literals = |product: &Product| product.iter().map(|&(one, holds)| (one.index(), holds)).collect();
    ListedEdge {
        from: state_name(edge.from),
        to: state_name(edge.to),
        label: labelled.label_text(edge),
        products: edge.products.iter().map(literals).collect(),
    }
}

/// The edges without labels, if they are not too many.
fn unlabelled_edges(labelled: &Labelled, too_long: LabelsTooLong) -> (Vec<ListedEdge>, Option<LeftOut>) {
    let Some(arrows) = labelled.arrows() else { return (Vec::new(), Some(LeftOut::Edges(too_long))) };
    let edge = |(from, to)| ListedEdge {
        from: state_name(from),
        to: state_name(to),
        label: String::new(),
        products: Vec::new(),
    };
    (arrows.into_iter().map(edge).collect(), Some(LeftOut::Labels(too_long)))
}

fn propositions(texts: impl Iterator<Item = String>, relevant: &[Proposition]) -> Vec<ListedProposition> {
    let listed = texts.enumerate().map(|(index, text)| {
        let is_relevant = relevant.binary_search(&Proposition(index as u32)).is_ok();
        ListedProposition { text, is_relevant }
    });
    listed.collect()
}
