//! The monitor of a property with bounds in time.

use super::ChosenProperty;
use crate::error::ExportError;
use crate::monitor::timed::{Refused, TimedMonitor, c, rust};
use std::sync::Arc;
use traceward::Spec;
use traceward_engine::select::Simplification;

/// The monitor of a property with bounds in time.
#[derive(Clone, Debug)]
pub struct PropertyMonitor {
    monitor: TimedMonitor,
    name: Option<Arc<str>>,
}

impl PropertyMonitor {
    /// The monitor in C99; what it declares is named after the property, or `monitor`.
    pub fn c(&self) -> String {
        c::monitor(&self.monitor, self.name.as_deref().unwrap_or("monitor"))
    }

    /// The monitor in Rust.
    pub fn rust(&self) -> String {
        rust::monitor(&self.monitor)
    }
}

/// The monitor of the only property of a spec, or of the one of that name; none if the property has
/// no bounds in time, so that its deterministic automaton is the monitor.
pub fn timed_monitor(
    spec: &Spec,
    name: Option<&str>,
    simplification: Simplification,
) -> Result<Option<PropertyMonitor>, ExportError> {
    let mut chosen = ChosenProperty::new(spec, name, simplification)?;
    if chosen.timed_part().is_none() {
        return Ok(None);
    }
    let prepared = &mut chosen.prepared;
    let root = prepared.simplified[0];
    let (text, names) = (&chosen.text, &chosen.names);
    let made = TimedMonitor::new(&mut prepared.formulas, &prepared.alphabet, root, chosen.on_empty, text, names);
    let monitor = made.map_err(|Refused { part, reason }| ExportError::Deadlines {
        part: prepared.formulas.display(part, names).to_string(),
        reason,
    })?;
    Ok(Some(PropertyMonitor { monitor, name: chosen.name }))
}
