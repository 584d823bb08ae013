//! The deterministic automaton of a property.

use super::{Wanted, too_large};
use crate::error::Error;
use crate::spec::Spec;
use std::sync::Arc;
use traceward_engine::automaton::deterministic::{Deterministic, LabelsTooLong, Room};
use traceward_engine::automaton::export::graph::Graph;
use traceward_engine::automaton::export::labelled::Labelled;
use traceward_engine::automaton::export::listing::Listing;
use traceward_engine::automaton::export::{fsp, hoa, monitor};
use traceward_engine::select::{Prepared, Simplification};

/// Larger ones take long to make smallest, and are of no use to anybody as a text.
const LIMITS: Room = Room { states: 20_000, memory: 1 << 29 };

/// The deterministic automaton of a property: complete and minimal.
#[derive(Clone, Debug)]
pub struct DeterministicAutomaton {
    labelled: Labelled,
    name: Option<Arc<str>>,
}

impl DeterministicAutomaton {
    /// As text, a state with its edges at a time.
    pub fn text(&self) -> Result<String, Error> {
        self.labelled.text().map_err(too_long)
    }

    /// In the Hanoi format.
    pub fn hoa(&self) -> Result<String, Error> {
        hoa::hoa(&self.labelled).map_err(too_long)
    }

    /// As a process for LTSA.
    pub fn fsp(&self) -> Result<String, Error> {
        fsp::of_deterministic(&self.labelled).map_err(too_long)
    }

    /// As pictures show it.
    pub fn graph(&self) -> Result<Graph, Error> {
        Graph::of_deterministic(&self.labelled).map_err(too_long)
    }

    /// As data.
    pub fn listing(&self) -> Result<Listing, Error> {
        Listing::of_deterministic(&self.labelled).map_err(too_long)
    }

    /// As a monitor in C99; what it declares is named after the property, or `monitor`.
    pub fn c(&self) -> String {
        monitor::c::monitor(&self.labelled, self.name.as_deref().unwrap_or("monitor"))
    }

    /// As a monitor in Rust.
    pub fn rust(&self) -> String {
        monitor::rust::monitor(&self.labelled)
    }
}

/// The deterministic automaton of the only property of a spec, or of the one of that name.
pub fn deterministic_automaton(
    spec: &Spec,
    name: Option<&str>,
    simplification: Simplification,
) -> Result<DeterministicAutomaton, Error> {
    let wanted = Wanted::new(spec, name, simplification)?;
    wanted.refuse_time()?;
    let Prepared { formulas, alphabet, simplified, .. } = &wanted.prepared;
    let automaton =
        Deterministic::new(formulas, alphabet, simplified[0], wanted.on_empty, LIMITS).map_err(too_large)?;
    let labelled = Labelled::new(automaton, &wanted.text, formulas, alphabet, &wanted.names);
    Ok(DeterministicAutomaton { labelled, name: wanted.name })
}

fn too_long(error: LabelsTooLong) -> Error {
    Error::Request(format!("{error}\n  help: --to c and --to rust write it without labels"))
}
