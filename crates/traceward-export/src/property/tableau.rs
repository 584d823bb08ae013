//! The tableau automaton of a property.

use super::ChosenProperty;
use crate::error::ExportError;
use crate::fsp;
use crate::graph::Graph;
use crate::listing::Listing;
use std::sync::Arc;
use traceward::Spec;
use traceward_engine::automaton::tableau::{Automaton, Initial};
use traceward_engine::limit::Limits;
use traceward_engine::select::{Prepared, Simplification};

/// The rule by which the initial state of a tableau automaton accepts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum InitialState {
    /// The initial state accepts if the trace without a state satisfies the formula.
    #[default]
    BySemantics,
    /// The initial state accepts as in the paper: if the formula has no until in it, or if an
    /// accepting state is reached whatever the first state is.
    AsInPaper,
}

/// The tableau automaton of a property: non-deterministic, on finite words.
#[derive(Clone, Debug)]
pub struct TableauAutomaton {
    automaton: Automaton,
    names: Vec<Arc<str>>,
}

impl TableauAutomaton {
    /// The automaton as text, a state with its edges at a time.
    pub fn text(&self) -> String {
        self.automaton.display(&self.names).to_string()
    }

    /// The automaton as a process for LTSA.
    pub fn fsp(&self) -> String {
        fsp::of_tableau(&self.automaton, &self.names)
    }

    /// The automaton as pictures show it.
    pub fn graph(&self) -> Graph {
        Graph::of_tableau(&self.automaton, &self.names)
    }

    /// The automaton as data, for programs.
    pub fn listing(&self) -> Listing {
        Listing::of_tableau(&self.automaton, &self.names)
    }
}

/// The tableau automaton of the only property of a spec, or of the one of that name.
pub fn tableau_automaton(
    spec: &Spec,
    name: Option<&str>,
    simplification: Simplification,
    initial: InitialState,
    limits: Limits,
) -> Result<TableauAutomaton, ExportError> {
    let chosen = ChosenProperty::new(spec, name, simplification)?;
    chosen.refuse_time()?;
    let initial = match initial {
        InitialState::BySemantics => Initial::BySemantics(chosen.on_empty),
        InitialState::AsInPaper => Initial::AsInPaper,
    };
    let Prepared { formulas, alphabet, normal, .. } = &chosen.prepared;
    let automaton = Automaton::new(formulas, alphabet, normal[0], initial, limits)?;
    Ok(TableauAutomaton { automaton, names: chosen.names })
}
