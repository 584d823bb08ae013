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
use traceward_engine::select::{Prepared, Simplification};

/// The size that an automaton may have. Larger ones take long to minimise, and nobody reads them.
const LIMITS: Room = Room { states: 20_000, memory: 1 << 29 };

/// The deterministic automaton of a property: complete and minimal.
#[derive(Clone, Debug)]
pub struct DeterministicAutomaton {
    labelled: Labelled,
    name: Option<Arc<str>>,
}

impl DeterministicAutomaton {
    /// The automaton as text, a state with its edges at a time.
    pub fn text(&self) -> Result<String, ExportError> {
        self.labelled.text().map_err(Into::into)
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
    pub fn listing(&self) -> Result<Listing, ExportError> {
        Listing::of_deterministic(&self.labelled).map_err(Into::into)
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
) -> Result<DeterministicAutomaton, ExportError> {
    let chosen = ChosenProperty::new(spec, name, simplification)?;
    chosen.refuse_time()?;
    let Prepared { formulas, alphabet, simplified, .. } = &chosen.prepared;
    let automaton = Deterministic::new(formulas, alphabet, simplified[0], chosen.on_empty, LIMITS)?;
    let labelled = Labelled::new(automaton, &chosen.text, formulas, alphabet, &chosen.names);
    Ok(DeterministicAutomaton { labelled, name: chosen.name })
}
