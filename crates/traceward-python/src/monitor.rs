//! A trace that goes on inside of a Python program.

use crate::data::Batches;
use crate::error::{Kind, exception, in_python, of_error, of_problem, of_step};
use crate::options::{refuse_unknown, words};
use crate::report::Answer;
use crate::spec::Spec;
use crate::value::{Given, given};
use arrow_array::{RecordBatch, RecordBatchIterator};
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyAny, PyBytes, PyDict, PyString, PyTuple, PyType};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};
use traceward::input::TimeUnit;
use traceward::message::did_you_mean;
use traceward::report::Place;
use traceward::{Config, Goal, Known, PropertyId, StepError, Value, VariableId, Verdict};
use traceward_cli::binding::{self, MonitorRequest};
use traceward_wire::{EndOfTrace, Extent, VerdictEvent};

/// The number of names of variables that are remembered as the objects that they are.
const MOST_NAMES: usize = 256;

/// The number of rows between two looks for signals.
const ROWS_AT_ONCE: usize = 1 << 20;

/// A verdict that has changed.
#[pyclass(frozen, module = "traceward")]
pub struct Change {
    /// The name of the property.
    #[pyo3(get)]
    property: Py<PyString>,
    verdict: Verdict,
    /// The position whose state changed it.
    #[pyo3(get)]
    position: u64,
    /// Whether the property is not followed any more, so that nothing more is known.
    gave_up: bool,
    /// The state that made it final.
    decision: Option<Box<Decision>>,
}

/// What made a verdict final.
#[derive(Clone)]
struct Decision {
    by: Place,
    time: Option<i64>,
    missed: Vec<traceward::Missed>,
}

/// A change before it is an object of Python.
struct Noted {
    id: PropertyId,
    verdict: Verdict,
    position: u64,
    gave_up: bool,
    decision: Option<Box<Decision>>,
}

impl Noted {
    fn new(monitor: &traceward::Monitor, id: PropertyId) -> Self {
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
        }
    }
}

/// The verdict as the class of Python that it is.
fn verdict_object<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    CLASS.import(py, "traceward._verdict", "Verdict")?.call1((name,))
}

#[pymethods]
impl Change {
    /// What is known of the property: a `Verdict`.
    #[getter]
    fn verdict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        verdict_object(py, &if self.gave_up { "unknown".to_owned() } else { self.verdict.to_string() })
    }

    /// Whether no continuation can change it.
    #[getter]
    fn is_final(&self) -> bool {
        self.decision.is_some()
    }

    /// The values of the property's variables in the state that made the verdict final; none if it
    /// is not final.
    #[getter]
    fn values<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.to_dict(py)?.call_method1("get", ("values",)).map(|values| Some(values).filter(|values| !values.is_none()))
    }

    /// The change as the program's monitor prints it.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let name = self.property.bind(py).to_str()?;
        let event = match (self.gave_up, &self.decision) {
            (true, _) => VerdictEvent::unknown(self.position, name),
            (false, None) => VerdictEvent::new(self.position, name, self.verdict),
            (false, Some(decision)) => VerdictEvent::new(self.position, name, self.verdict)
                .decided_by(&decision.by)
                .brought_by(decision.time, &decision.missed),
        };
        let json = serde_json::to_string(&event).map_err(|error| PyValueError::new_err(error.to_string()))?;
        static LOADS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        LOADS.import(py, "json", "loads")?.call1((json,))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (name, verdict) = (self.property.bind(py).to_str()?, self.verdict);
        let verdict = if self.gave_up { "unknown".to_owned() } else { verdict.to_string() };
        let is_final = if self.is_final() { ", final" } else { "" };
        Ok(format!("<Change: {name} is {verdict} at position {}{is_final}>", self.position))
    }
}

/// What a name of a state means to a monitor.
#[derive(Clone, Copy)]
struct Slot {
    variable: Option<VariableId>,
    is_time: bool,
}

/// A monitor at work.
struct Inner {
    monitor: traceward::Monitor,
    has_ended: bool,
    /// Names by the objects that they are: those of keyword arguments are the same in each call.
    names: Vec<(Py<PyString>, Slot)>,
    /// The state that is taken, kept for its memory.
    values: Vec<(VariableId, Value)>,
    /// Whether it was looked after the first state whether variables are missing.
    has_looked: bool,
}

/// The time of a state.
enum Moment {
    None,
    Nanoseconds(i64),
    AsGiven(Value),
}

/// Judges properties while a trace goes on.
#[pyclass(frozen, subclass, module = "traceward._native", name = "Monitor")]
pub struct Monitor {
    inner: Mutex<Inner>,
    properties: Vec<Py<PyString>>,
    time: Option<(String, Option<TimeUnit>)>,
    on_verdict: Option<Py<PyAny>>,
    allows_empty: bool,
    tells_cost: bool,
}

impl Monitor {
    fn made(
        py: Python<'_>,
        spec: &Bound<'_, PyAny>,
        on_verdict: Option<Py<PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
        make: impl FnOnce(&traceward::Spec, Config, &MonitorRequest) -> Result<traceward::Monitor, traceward::Error>,
    ) -> PyResult<Self> {
        let words = words(options)?;
        refuse_unknown(options, &MonitorRequest::names())?;
        let request = MonitorRequest::parse(&words).map_err(|problem| of_problem(py, problem, Path::new("")))?;
        let spec = Spec::of(spec)?.get().read(py, Goal::Check, request.settings())?;
        if let Some(callback) = &on_verdict
            && !callback.bind(py).is_callable()
        {
            return Err(PyTypeError::new_err("on_verdict is a function that takes a Change"));
        }
        let time = spec.settings().time.as_ref();
        if time.is_some_and(|time| !time.rest.is_empty()) {
            let text = "the timestamp of a state is one value, and the spec names several columns";
            return Err(exception(py, Kind::Usage, text));
        }
        let monitor = make(&spec, request.config(), &request).map_err(|error| of_error(py, &error, "the trace"))?;
        let properties = monitor.properties().map(|one| PyString::new(py, one.name).unbind()).collect();
        let inner = Inner { monitor, has_ended: false, names: Vec::new(), values: Vec::new(), has_looked: false };
        Ok(Self {
            inner: Mutex::new(inner),
            properties,
            time: time.map(|time| (time.name.clone(), time.unit)),
            on_verdict,
            allows_empty: request.allows_empty(),
            tells_cost: request.engine_statistics(),
        })
    }

    /// The monitor, if no other thread uses it.
    fn lock(&self) -> PyResult<MutexGuard<'_, Inner>> {
        self.inner.try_lock().map_err(|_| {
            PyRuntimeError::new_err("the monitor is in use: another thread is in the middle of a batch of states")
        })
    }

    /// The monitor, if its trace goes on.
    fn going_on(&self, py: Python<'_>) -> PyResult<MutexGuard<'_, Inner>> {
        let inner = self.lock()?;
        if inner.has_ended {
            let text = "the trace has ended: a monitor takes no state after end(), or behind its `with` block";
            return Err(exception(py, Kind::Usage, text));
        }
        Ok(inner)
    }

    fn slot(&self, inner: &mut Inner, name: &Bound<'_, PyString>) -> PyResult<Slot> {
        if let Some((_, slot)) = inner.names.iter().find(|(known, _)| known.is(name)) {
            return Ok(*slot);
        }
        let slot = self.slot_of(inner, name.to_str()?);
        if inner.names.len() < MOST_NAMES {
            inner.names.push((name.clone().unbind(), slot));
        }
        Ok(slot)
    }

    fn slot_of(&self, inner: &Inner, name: &str) -> Slot {
        let is_time = self.time.as_ref().is_some_and(|(time, _)| time == name);
        Slot { variable: inner.monitor.variable(name), is_time }
    }

    /// Adds the values of a state.
    fn add(&self, inner: &mut Inner, values: &Bound<'_, PyDict>, time: &mut Moment) -> PyResult<()> {
        for (name, value) in values {
            let name = name.cast::<PyString>().map_err(|_| PyTypeError::new_err("names of variables are texts"))?;
            let slot = self.slot(inner, name)?;
            self.add_value(inner, slot, &value, time, || Ok(name.to_str()?.to_owned()))?;
        }
        Ok(())
    }

    fn add_value(
        &self,
        inner: &mut Inner,
        slot: Slot,
        value: &Bound<'_, PyAny>,
        time: &mut Moment,
        name: impl Fn() -> PyResult<String>,
    ) -> PyResult<()> {
        // What nobody speaks of may be anything, but its members may be spoken of.
        if slot.variable.is_none() && !slot.is_time && !value.is_instance_of::<PyDict>() && !is_sequence(value) {
            return Ok(());
        }
        let found = match given(value) {
            Ok(found) => found,
            Err(reason) => return Err(exception(value.py(), Kind::Trace, &format!("`{}`: {reason}", name()?))),
        };
        let (as_value, as_time) = match found {
            Given::Members(members) => return self.add_members(inner, &members, time, &name()?),
            Given::Moment(moment) => (Value::Int(moment), Moment::Nanoseconds(moment)),
            Given::Value(value) if slot.is_time => (value.clone(), Moment::AsGiven(value)),
            Given::Value(value) => (value, Moment::None),
        };
        if let Some(variable) = slot.variable {
            inner.values.push((variable, as_value));
        }
        if slot.is_time {
            *time = as_time;
        }
        Ok(())
    }

    /// Adds the members of an object as `object.member`, and the elements of a list as `list.0`.
    fn add_members(
        &self,
        inner: &mut Inner,
        members: &Bound<'_, PyAny>,
        time: &mut Moment,
        name: &str,
    ) -> PyResult<()> {
        let mut add = |member: String, value: &Bound<'_, PyAny>| {
            let slot = self.slot_of(inner, &member);
            self.add_value(inner, slot, value, time, || Ok(member.clone()))
        };
        if let Ok(dict) = members.cast::<PyDict>() {
            for (key, value) in dict {
                add(format!("{name}.{}", key.str()?.to_str()?), &value)?;
            }
            return Ok(());
        }
        for (index, value) in members.try_iter()?.enumerate() {
            add(format!("{name}.{index}"), &value?)?;
        }
        Ok(())
    }

    /// The changes as objects, after whoever wants to know has been told.
    fn told<'py>(&self, py: Python<'py>, noted: Vec<Noted>) -> PyResult<Bound<'py, PyTuple>> {
        if noted.is_empty() {
            return Ok(PyTuple::empty(py));
        }
        let change = |noted: Noted| {
            let Noted { id, verdict, position, gave_up, decision } = noted;
            let property = self.properties[id.index()].clone_ref(py);
            Bound::new(py, Change { property, verdict, position, gave_up, decision })
        };
        let changes = noted.into_iter().map(change).collect::<PyResult<Vec<_>>>()?;
        if let Some(callback) = &self.on_verdict {
            changes.iter().try_for_each(|change| callback.call1(py, (change,)).map(drop))?;
        }
        PyTuple::new(py, changes)
    }

    /// Warns once of variables that the first state does not speak of.
    fn look_for_unseen(&self, py: Python<'_>, inner: &mut Inner, given: &[String]) -> PyResult<()> {
        inner.has_looked = true;
        // One that is there and null is no slip.
        let is_given = |name: &str| given.iter().any(|given| given == name);
        let unseen = inner.monitor.unseen().filter(|name| !is_given(name)).map(str::to_owned);
        for name in unseen.collect::<Vec<String>>() {
            let near = did_you_mean(&name, given.iter().map(String::as_str));
            let near = near.map(|near| format!("; {near}")).unwrap_or_default();
            let text = format!("`{name}` is not in the first state: what is asked of it is false{near}");
            warn(py, &text)?;
        }
        Ok(())
    }

    fn step_batch_rows(&self, py: Python<'_>, batch: &RecordBatch, only_final: bool) -> PyResult<Vec<Noted>> {
        let mut guard = self.going_on(py)?;
        let inner = &mut *guard;
        let stepped = py.detach(|| {
            let schema = batch.schema();
            let batches = RecordBatchIterator::new([Ok(batch.clone())], schema);
            let rows = traceward_arrow::read(batches, &inner.monitor.row_options())
                .map_err(|failure| traceward::Error::from(failure.error))?;
            let mut noted = Vec::new();
            let result = inner.monitor.step_rows(&rows, |monitor, changed| {
                let notable = |id: &&PropertyId| {
                    let property = monitor.property(**id);
                    !only_final || property.is_final() || property.gave_up.is_some()
                };
                noted.extend(changed.iter().filter(notable).map(|id| Noted::new(monitor, *id)));
            });
            Ok::<(Vec<Noted>, Result<(), StepError>), traceward::Error>((noted, result))
        });
        let (noted, result) = stepped.map_err(|error| of_error(py, &error, "<table>"))?;
        if !inner.has_looked && inner.monitor.position() > 0 {
            let given = batch.schema().fields().iter().map(|field| field.name().clone()).collect::<Vec<_>>();
            self.look_for_unseen(py, inner, &given)?;
        }
        if let Err(error) = result {
            drop(guard);
            self.told(py, noted)?;
            return Err(of_step(py, &error));
        }
        Ok(noted)
    }
}

fn is_sequence(value: &Bound<'_, PyAny>) -> bool {
    value.is_instance_of::<pyo3::types::PyList>() || value.is_instance_of::<PyTuple>()
}

/// Warns, in the way of Python.
fn warn(py: Python<'_>, text: &str) -> PyResult<()> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    static WARN: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let class = CLASS.import(py, "traceward._errors", "TraceWarning")?;
    WARN.import(py, "warnings", "warn")?.call1((text, class, 2)).map(drop)
}

#[pymethods]
impl Monitor {
    #[new]
    #[pyo3(signature = (spec, *, on_verdict=None, **options))]
    fn new(
        py: Python<'_>,
        spec: &Bound<'_, PyAny>,
        on_verdict: Option<Py<PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        Self::made(py, spec, on_verdict.filter(|one| !one.is_none(py)), options, |spec, config, request| {
            traceward::Monitor::with_questions(spec, config, request.questions())
        })
    }

    /// A monitor that was saved: it goes on as if it had never been interrupted. Spec and options
    /// have to be the same.
    #[classmethod]
    #[pyo3(signature = (spec, saved, *, on_verdict=None, **options))]
    fn restore<'py>(
        class: &Bound<'py, PyType>,
        spec: &Bound<'py, PyAny>,
        saved: &Bound<'py, PyBytes>,
        on_verdict: Option<Bound<'py, PyAny>>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = class.py();
        let arguments = PyDict::new(py);
        options.into_iter().flatten().try_for_each(|(name, value)| arguments.set_item(name, value))?;
        arguments.set_item("on_verdict", on_verdict)?;
        let made = class.call((spec,), Some(&arguments))?;
        let restored = Self::made(py, spec, None, options, |spec, config, _| {
            traceward::Monitor::restore(spec, config, saved.as_bytes())
        })?;
        let this = made.cast::<Self>()?.get();
        let mut inner = this.lock()?;
        inner.monitor = restored.lock()?.monitor.clone();
        inner.has_looked = inner.monitor.position() > 0;
        drop(inner);
        Ok(made)
    }

    /// The monitor as bytes, to go on with later: see `restore`.
    fn save<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.lock()?.monitor.save().map_err(|error| of_error(py, &error, "the trace"))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Takes the next state, and returns the verdicts that it changed.
    #[pyo3(signature = (state=None, /, **values))]
    fn step<'py>(
        &self,
        py: Python<'py>,
        state: Option<&Bound<'py, PyAny>>,
        values: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let mut guard = self.going_on(py)?;
        let inner = &mut *guard;
        inner.values.clear();
        let mut time = Moment::None;
        let state = state.filter(|state| !state.is_none());
        let state = state.map(|state| state.cast::<PyDict>().map_err(|_| not_a_state(state))).transpose()?;
        for values in state.into_iter().chain(values) {
            self.add(inner, values, &mut time)?;
        }
        let Inner { monitor, values: taken, .. } = inner;
        let stepped = match &time {
            Moment::None => monitor.step_values(taken, None),
            Moment::Nanoseconds(time) => monitor.step_values(taken, Some(*time)),
            Moment::AsGiven(time) => monitor.step_timed(taken, time),
        };
        let changed = stepped.map_err(|error| of_step(py, &error))?;
        let noted = if changed.is_empty() {
            Vec::new()
        } else {
            let changed = changed.to_vec();
            changed.into_iter().map(|id| Noted::new(monitor, id)).collect()
        };
        if !inner.has_looked {
            let given: Vec<Bound<'_, PyAny>> = state.into_iter().chain(values).flat_map(|one| one.keys()).collect();
            let given: Vec<String> = given.iter().map(ToString::to_string).collect();
            self.look_for_unseen(py, inner, &given)?;
        }
        // Whoever is told may ask the monitor.
        drop(guard);
        self.told(py, noted)
    }

    /// Takes the rows of a table as the next states, and returns the verdicts that became final;
    /// with `only_final=False` all that changed.
    #[pyo3(signature = (data, /, *, only_final=true))]
    fn step_batch<'py>(
        &self,
        py: Python<'py>,
        data: &Bound<'py, PyAny>,
        only_final: bool,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let batches = Batches::of(data)?.ok_or_else(|| {
            PyTypeError::new_err("a batch is a dict of columns, or a table that speaks Arrow (PyArrow, Polars, pandas)")
        })?;
        let mut batches = batches;
        let mut all = Vec::new();
        while let Some(batch) = py.detach(|| batches.next()) {
            let batch = batch.map_err(|error| exception(py, Kind::Trace, &format!("<table>: {error}")))?;
            for begin in (0..batch.num_rows()).step_by(ROWS_AT_ONCE) {
                let rows = batch.slice(begin, ROWS_AT_ONCE.min(batch.num_rows() - begin));
                all.extend(self.step_batch_rows(py, &rows, only_final)?);
                py.check_signals()?;
            }
        }
        self.told(py, all)
    }

    /// Learns that time has passed: no later state has an earlier timestamp. Returns the verdicts
    /// that changed, as what had to come about by then has not.
    #[pyo3(signature = (time, /))]
    fn advance_to<'py>(&self, py: Python<'py>, time: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyTuple>> {
        let time = self.nanoseconds(time)?;
        let mut inner = self.going_on(py)?;
        let changed = inner.monitor.advance_to(time).to_vec();
        let noted = changed.into_iter().map(|id| Noted::new(&inner.monitor, id)).collect();
        drop(inner);
        self.told(py, noted)
    }

    /// The earliest time that may bring a verdict once it has passed, in nanoseconds, if any does.
    #[getter]
    fn deadline(&self) -> PyResult<Option<i64>> {
        Ok(self.lock()?.monitor.deadline())
    }

    /// The number of states so far.
    #[getter]
    fn position(&self) -> PyResult<u64> {
        Ok(self.lock()?.monitor.position())
    }

    /// Whether the trace has ended.
    #[getter]
    fn has_ended(&self) -> PyResult<bool> {
        Ok(self.lock()?.has_ended)
    }

    /// The names of the variables that can make a difference.
    #[getter]
    fn variables(&self) -> PyResult<Vec<String>> {
        Ok(self.lock()?.monitor.variables().map(str::to_owned).collect())
    }

    /// The verdict on each property by its name, the trace being about to go on.
    #[getter]
    fn verdicts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let inner = self.lock()?;
        let verdicts = PyDict::new(py);
        for (name, property) in self.properties.iter().zip(inner.monitor.properties()) {
            let verdict = if property.gave_up.is_some() { "unknown".to_owned() } else { property.verdict.to_string() };
            verdicts.set_item(name, verdict_object(py, &verdict)?)?;
        }
        Ok(verdicts)
    }

    /// Ends the trace without a look at what it has come to.
    fn _abandon(&self) -> PyResult<()> {
        self.lock()?.has_ended = true;
        Ok(())
    }

    /// Ends the trace, and tells what it has come to.
    fn _end(&self, py: Python<'_>) -> PyResult<Answer> {
        let mut inner = self.lock()?;
        inner.has_ended = true;
        let monitor = &inner.monitor;
        self.refuse_unanswered(py, monitor)?;
        let verdicts = monitor.end();
        let reason = |abandoned: &traceward::Abandoned| in_python(&binding::given_up(abandoned));
        let end = EndOfTrace::of_monitor(monitor, Extent::Complete, &verdicts, &reason, self.tells_cost);
        for warning in monitor.warnings().iter().filter(|warning| warning.is_urgent) {
            warn(py, &in_python(&binding::warning(Path::new("the trace"), warning)))?;
        }
        let json = serde_json::to_string(&end).map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Answer::new(json, String::new()))
    }
}

impl Monitor {
    /// Refuses an end at which there is no answer: no state, a variable that was never seen, or
    /// something that was given up.
    fn refuse_unanswered(&self, py: Python<'_>, monitor: &traceward::Monitor) -> PyResult<()> {
        if monitor.position() == 0 && !self.allows_empty {
            let text = "the trace is empty: no state was taken\n  help: allow_empty judges a trace without a state";
            return Err(exception(py, Kind::Trace, text));
        }
        if monitor.position() > 0
            && let Some(name) = monitor.unseen().next()
        {
            let text = format!("`{name}` was never seen: what is asked of it was false throughout");
            return Err(exception(py, Kind::Trace, &text));
        }
        for id in monitor.property_ids() {
            let property = monitor.property(id);
            let reason = property.gave_up.map(|one| in_python(&binding::given_up(one)));
            if let Some(reason) = reason.or_else(|| monitor.doubt(id).map(str::to_owned)) {
                return Err(exception(py, Kind::Limit, &format!("`{}`: {reason}", property.name)));
            }
        }
        for query in monitor.queries_at_end() {
            let reason = match query.known {
                Known::Value { .. } => continue,
                Known::Failed(reason) => reason,
                Known::GaveUp(gave_up) => in_python(&binding::given_up(&traceward::Abandoned::Limit(gave_up))),
            };
            return Err(exception(py, Kind::Limit, &format!("`{}`: {reason}", query.name)));
        }
        Ok(())
    }

    /// A time as the timestamps of states are given, in nanoseconds.
    fn nanoseconds(&self, time: &Bound<'_, PyAny>) -> PyResult<i64> {
        let unit = self.time.as_ref().and_then(|(_, unit)| *unit);
        let wrong = |reason: &str| Err(exception(time.py(), Kind::Trace, reason));
        match (given(time), unit) {
            (Ok(Given::Moment(moment)), _) => Ok(moment),
            (Ok(Given::Value(Value::Int(number))), Some(unit)) => match number.checked_mul(unit.nanoseconds()) {
                Some(time) => Ok(time),
                None => wrong("the time is out of range"),
            },
            (Ok(Given::Value(Value::Float(number))), Some(unit)) => {
                let time = (number * unit.nanoseconds() as f64).round();
                if time.abs() < 9e18 { Ok(time as i64) } else { wrong("the time is out of range") }
            }
            (Ok(Given::Value(Value::Int(_) | Value::Float(_))), None) => {
                wrong("a number has no meaning as a time: give a datetime, or name the unit: time=\"COLUMN:s\"")
            }
            (Err(reason), _) => wrong(&reason),
            _ => wrong("a time is a datetime, or a number of the unit of the time column"),
        }
    }
}

fn not_a_state(state: &Bound<'_, PyAny>) -> PyErr {
    let kind = state.get_type().name().map(|name| name.to_string()).unwrap_or_default();
    PyTypeError::new_err(format!("a state is a dict of values by name, not {kind}"))
}

/// Monitors go from thread to thread, as the interpreter likes.
const _: fn() = || {
    fn is_send<T: Send>() {}
    is_send::<Arc<Mutex<Inner>>>();
};
