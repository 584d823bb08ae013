//! Ordinary automata as plain data, from which documents for programs are made.

use crate::labelled::{Labelled, state_name};
use std::sync::Arc;
use traceward_engine::automaton::deterministic::LabelsTooLong;
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
        }
    }

    /// A deterministic automaton.
    pub fn of_deterministic(labelled: &Labelled) -> Result<Self, LabelsTooLong> {
        let automaton = labelled.automaton();
        let states = automaton.state_ids().map(|id| ListedState {
            name: state_name(id),
            accepting: automaton.state(id).accepting,
            verdict: Some(automaton.verdict(id)),
            text: String::new(),
        });
        let literals =
            |product: &Vec<(Proposition, bool)>| product.iter().map(|&(one, holds)| (one.index(), holds)).collect();
        let edges = labelled.edges()?;
        let edges = edges.iter().map(|edge| ListedEdge {
            from: state_name(edge.from),
            to: state_name(edge.to),
            label: labelled.label_text(edge),
            products: edge.products.iter().map(literals).collect(),
        });
        let texts = labelled.propositions().iter().map(|proposition| proposition.text.clone());
        Ok(Self {
            kind: ListingKind::Deterministic,
            formula: labelled.formula().to_owned(),
            propositions: propositions(texts, &automaton.relevant()),
            start: state_name(automaton.initial()),
            states: states.collect(),
            edges: edges.collect(),
        })
    }
}

fn propositions(texts: impl Iterator<Item = String>, relevant: &[Proposition]) -> Vec<ListedProposition> {
    let listed = texts.enumerate().map(|(index, text)| {
        let is_relevant = relevant.binary_search(&Proposition(index as u32)).is_ok();
        ListedProposition { text, is_relevant }
    });
    listed.collect()
}
