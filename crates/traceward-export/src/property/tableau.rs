//! The tableau automaton of a property.

use super::ChosenProperty;
use crate::error::ExportError;
use crate::fsp;
use crate::graph::Graph;
use crate::listing::Listing;
use crate::literals::LiteralTexts;
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
    /// The initial state never accepts, as the paper's construction leaves it before it is relaxed.
    Never,
}

impl InitialState {
    /// The rule for a formula of which it is known whether the trace without a state satisfies it.
    fn rule(self, on_empty: bool) -> Initial {
        match self {
            Self::BySemantics => Initial::BySemantics(on_empty),
            Self::AsInPaper => Initial::AsInPaper,
            Self::Never => Initial::Rejecting,
        }
    }
}

/// The tableau automaton of a property: non-deterministic, on finite words.
#[derive(Clone, Debug)]
pub struct TableauAutomaton {
    automaton: Automaton,
    names: Vec<Arc<str>>,
    title: String,
    literals: LiteralTexts,
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
        let graph = Graph::of_tableau(&self.automaton, &self.names, &self.literals);
        Graph { formula: self.title.clone(), ..graph }
    }

    /// The automaton as data, for programs.
    pub fn listing(&self) -> Listing {
        Listing { formula: self.title.clone(), ..Listing::of_tableau(&self.automaton, &self.names) }
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
    let automaton = chosen.tableau(initial, limits)?;
    let literals = chosen.literals();
    Ok(TableauAutomaton { automaton, names: chosen.names, title: chosen.title, literals })
}

impl ChosenProperty {
    /// The tableau automaton of the property.
    pub(super) fn tableau(&self, initial: InitialState, limits: Limits) -> Result<Automaton, ExportError> {
        self.refuse_time()?;
        let Prepared { formulas, alphabet, normal, .. } = &self.prepared;
        Ok(Automaton::new(formulas, alphabet, normal[0], initial.rule(self.on_empty), limits)?)
    }
}
