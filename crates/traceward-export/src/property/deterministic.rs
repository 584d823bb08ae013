//! The deterministic automaton of a property.

use super::ChosenProperty;
use crate::error::ExportError;
use crate::graph::Graph;
use crate::labelled::Labelled;
use crate::listing::Listing;
use crate::{fsp, hoa, monitor};
use std::sync::Arc;
use traceward::Spec;
use traceward_engine::automaton::deterministic::{Deterministic, Room};
use traceward_engine::limit::Limits;
use traceward_engine::select::{Prepared, Simplification};

/// The deterministic automaton of a property: complete and minimal.
#[derive(Clone, Debug)]
pub struct DeterministicAutomaton {
    labelled: Labelled,
    name: Option<Arc<str>>,
}

impl DeterministicAutomaton {
    /// The automaton as text, a state with its edges at a time.
    pub fn text(&self) -> String {
        self.labelled.text()
    }

    /// The automaton in the Hanoi format.
    pub fn hoa(&self) -> Result<String, ExportError> {
        hoa::hoa(&self.labelled).map_err(Into::into)
    }

    /// The automaton as a process for LTSA.
    pub fn fsp(&self) -> Result<String, ExportError> {
        fsp::of_deterministic(&self.labelled).map_err(Into::into)
    }

    /// The automaton as pictures show it.
    pub fn graph(&self) -> Result<Graph, ExportError> {
        Graph::of_deterministic(&self.labelled).map_err(Into::into)
    }

    /// The automaton as data, for programs.
    pub fn listing(&self) -> Listing {
        Listing::of_deterministic(&self.labelled)
    }

    /// The automaton as a monitor in C99; what it declares is named after the property, or
    /// `monitor`.
    pub fn c(&self) -> String {
        monitor::c::monitor(&self.labelled, self.name.as_deref().unwrap_or("monitor"))
    }

    /// The automaton as a monitor in Rust.
    pub fn rust(&self) -> String {
        monitor::rust::monitor(&self.labelled)
    }
}

/// The deterministic automaton of the only property of a spec, or of the one of that name.
pub fn deterministic_automaton(
    spec: &Spec,
    name: Option<&str>,
    simplification: Simplification,
    limits: Limits,
) -> Result<DeterministicAutomaton, ExportError> {
    let chosen = ChosenProperty::new(spec, name, simplification)?;
    chosen.refuse_time()?;
    let Prepared { formulas, alphabet, simplified, .. } = &chosen.prepared;
    let Limits { automaton_states: states, memory, work, interrupt, .. } = limits;
    let room = Room { states, memory, work, interrupt };
    let automaton = Deterministic::new(formulas, alphabet, simplified[0], chosen.on_empty, room)?;
    let labelled = Labelled::new(automaton, &chosen.text, formulas, alphabet, &chosen.names);
    Ok(DeterministicAutomaton { labelled, name: chosen.name })
}
