//! Verdicts that have changed, as Python has them.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyString, PyType};
use std::sync::Arc;
use traceward::message::Shown;
use traceward::report::Place;
use traceward::{PropertyId, Verdict};
use traceward_wire::{VerdictEvent, trace_number};

/// A verdict that has changed.
#[pyclass(frozen, module = "traceward")]
pub struct Change {
    /// The name of the property.
    #[pyo3(get)]
    property: Py<PyString>,
    noted: Noted,
}

/// A change before it is an object of Python.
pub struct Noted {
    pub id: PropertyId,
    pub verdict: Verdict,
    /// The position whose state changed it, in the trace of its key if there are keys.
    pub position: u64,
    /// Whether the property is not followed any more, so that nothing more is known.
    pub gave_up: bool,
    /// The state that made it final.
    pub decision: Option<Box<Decision>>,
    /// The trace of a key that it is about.
    pub of_key: Option<OfKey>,
}

/// What made a verdict final.
pub struct Decision {
    pub by: Place,
    pub time: Option<i64>,
    pub missed: Vec<traceward::Missed>,
}

/// A trace of a key.
#[derive(Clone)]
pub struct OfKey {
    pub key: Arc<str>,
    /// The number of the trace among those of its key, counted from 1.
    pub number: u32,
    /// The reason why it has ended, if only that made the verdict final.
    pub ended: Option<&'static str>,
}

impl Noted {
    /// The verdict on a property of the one trace that a monitor follows.
    pub fn of_trace(monitor: &traceward::Monitor, id: PropertyId) -> Self {
        let property = monitor.property(id);
        let decision = |by: &Place| {
            Box::new(Decision { by: by.clone(), time: property.decided_time, missed: property.missed.to_vec() })
        };
        Self {
            id,
            verdict: property.verdict,
            position: monitor.position().saturating_sub(1),
            gave_up: property.gave_up.is_some(),
            decision: property.decided_by.map(decision),
            of_key: None,
        }
    }

    /// The verdict on a property of a key's trace.
    pub fn of_key(change: &traceward::Change, position: u64, of_key: OfKey) -> Self {
        let traceward::Change { property, verdict, decided_by, decided_time, missed, gave_up } = change;
        let decision = |by: &Place| Box::new(Decision { by: by.clone(), time: *decided_time, missed: missed.clone() });
        Self {
            id: *property,
            verdict: *verdict,
            position,
            gave_up: gave_up.is_some(),
            decision: decided_by.as_ref().map(decision),
            of_key: Some(of_key),
        }
    }

    /// Whether nothing more can become known of the property.
    pub fn is_final(&self) -> bool {
        let has_ended = self.of_key.as_ref().is_some_and(|of_key| of_key.ended.is_some());
        self.decision.is_some() || self.gave_up || has_ended
    }
}

/// The verdict as the class of Python that it is; none where it could not be found out.
pub fn verdict_object(py: Python<'_>, verdict: Option<Verdict>) -> PyResult<Bound<'_, PyAny>> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let name = verdict.map_or_else(|| "unknown".to_owned(), |verdict| verdict.to_string());
    CLASS.import(py, "traceward._verdict", "Verdict")?.call1((name,))
}

impl Change {
    /// The change as an object.
    pub fn new(property: Py<PyString>, noted: Noted) -> Self {
        Self { property, noted }
    }

    fn known(&self) -> Option<Verdict> {
        Some(self.noted.verdict).filter(|_| !self.noted.gave_up)
    }
}

#[pymethods]
impl Change {
    /// What is known of the property: a `Verdict`.
    #[getter]
    fn verdict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        verdict_object(py, self.known())
    }

    /// The position whose state changed it; with `by`, in the trace of its key.
    #[getter]
    fn position(&self) -> u64 {
        self.noted.position
    }

    /// The key whose trace it is, as text; none if there are no keys.
    #[getter]
    fn key(&self) -> Option<&str> {
        self.noted.of_key.as_ref().map(|of_key| &*of_key.key)
    }

    /// The number of the trace among those of its key, counted from 1; none if there are no keys.
    #[getter]
    fn trace(&self) -> Option<u32> {
        self.noted.of_key.as_ref().map(|of_key| of_key.number)
    }

    /// The reason why the trace of the key has ended, if only that made the verdict final:
    /// `marker` or `silence`.
    #[getter]
    fn ended(&self) -> Option<&'static str> {
        self.noted.of_key.as_ref().and_then(|of_key| of_key.ended)
    }

    /// Whether no continuation can change it.
    #[getter]
    fn is_final(&self) -> bool {
        self.noted.decision.is_some() || self.ended().is_some()
    }

    /// The values of the property's variables in the state that made the verdict final; none if no
    /// state did.
    #[getter]
    fn values<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.to_dict(py)?.call_method1("get", ("values",)).map(|values| Some(values).filter(|values| !values.is_none()))
    }

    /// The change as the program's monitor prints it.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let json = serde_json::to_string(&self.event(self.property.bind(py).to_str()?));
        let json = json.map_err(|error| PyValueError::new_err(error.to_string()))?;
        static LOADS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        LOADS.import(py, "json", "loads")?.call1((json,))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let name = self.property.bind(py).to_str()?;
        let verdict = self.known().map_or_else(|| "unknown".to_owned(), |verdict| verdict.to_string());
        let is_final = if self.is_final() { ", final" } else { "" };
        let key = match (self.key(), self.trace()) {
            (None, _) => String::new(),
            (Some(key), None | Some(1)) => format!("{key}: "),
            (Some(key), Some(number)) => format!("{}: ", traceward::report::numbered_key(key, number)),
        };
        let key = Shown(&key);
        Ok(format!("<Change: {key}{name} is {verdict} at position {}{is_final}>", self.noted.position))
    }
}

impl Change {
    fn event(&self, name: &str) -> VerdictEvent {
        let Noted { position, decision, of_key, .. } = &self.noted;
        let event = match (self.known(), decision) {
            (None, _) => VerdictEvent::unknown(*position, name),
            (Some(verdict), None) => VerdictEvent::new(*position, name, verdict),
            (Some(verdict), Some(decision)) => VerdictEvent::new(*position, name, verdict)
                .decided_by(&decision.by)
                .brought_by(decision.time, &decision.missed),
        };
        match of_key {
            None => event,
            Some(OfKey { key, number, ended }) => VerdictEvent {
                key: Some(key.to_string()),
                trace: trace_number(*number),
                ended: ended.map(str::to_owned),
                ..event
            },
        }
    }
}
