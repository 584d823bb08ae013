//! A trace that goes on inside of a Python program.

mod change;
mod followed;
mod saved;

pub use change::Change;

use crate::columns::Wanted;
use crate::data::Batches;
use crate::error::{Kind, exception, in_python, of_error, of_problem, of_step};
use crate::needs::needed;
use crate::options::{refuse_unknown, words};
use crate::report::Answer;
use crate::spec::Spec;
use crate::value::{Given, given};
use arrow_array::{RecordBatch, RecordBatchIterator};
use change::{Noted, verdict_object};
use followed::{Followed, KeyGiven, Keyed, Moment, Refusal, Taken, nanoseconds};
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyAny, PyBytes, PyDict, PyString, PyTuple, PyType};
use pyo3::{PyTraverseError, PyVisit};
use std::collections::HashSet;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use traceward::input::{Note, TimeUnit, TraceError, TraceErrorKind};
use traceward::message::did_you_mean;
use traceward::{Goal, KeyedMonitor, Value, VariableId, Verdict};
use traceward_cli::binding::{self, MonitorRequest};

/// The number of names of variables that are remembered as the objects that they are.
const MOST_NAMES: usize = 256;

/// The number of rows between two looks for signals.
const ROWS_AT_ONCE: usize = 1 << 20;

/// What a name of a state means to a monitor.
#[derive(Clone, Copy)]
struct Slot {
    variable: Option<VariableId>,
    is_time: bool,
    is_key: bool,
}

/// A monitor at work.
struct Inner {
    followed: Followed,
    has_ended: bool,
    /// Names by the objects that they are: those of keyword arguments are the same in each call.
    names: Vec<(Py<PyString>, Slot)>,
    taken: Taken,
    /// Whether it was looked after the first state whether variables are missing.
    has_looked: bool,
}

/// Judges properties while a trace goes on.
#[pyclass(frozen, subclass, module = "traceward._native", name = "Monitor")]
pub struct Monitor {
    inner: Mutex<Inner>,
    properties: Vec<Py<PyString>>,
    time: Option<(String, Option<TimeUnit>)>,
    /// The name of the key, if there are keys.
    by: Option<String>,
    /// The names of which members are spoken of.
    containers: HashSet<String>,
    /// The columns of a table that are looked at.
    wanted: Wanted,
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
        make: impl FnOnce(&traceward::Spec, &MonitorRequest) -> Result<Followed, traceward::Error>,
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
        refuse(&spec, &request).map_err(|reason| exception(py, Kind::Usage, reason))?;
        let followed = make(&spec, &request).map_err(|error| of_error(py, &error, "the trace"))?;
        let names = followed.property_names().into_iter();
        let inner = Inner { followed, has_ended: false, names: Vec::new(), taken: Taken::default(), has_looked: false };
        Ok(Self {
            inner: Mutex::new(inner),
            properties: names.map(|name| PyString::new(py, &name).unbind()).collect(),
            time: spec.settings().time.as_ref().map(|time| (time.name.clone(), time.unit)),
            by: spec.settings().by.clone(),
            containers: containers(&spec),
            wanted: Wanted::Named(needed(&spec)),
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
        let is_key = self.by.as_ref().is_some_and(|by| by == name);
        Slot { variable: inner.followed.variable(name), is_time, is_key }
    }

    /// Adds the values of a state.
    fn add(&self, inner: &mut Inner, values: &Bound<'_, PyDict>) -> PyResult<()> {
        for (name, value) in values {
            let name = name.cast::<PyString>().map_err(|_| PyTypeError::new_err("names of variables are texts"))?;
            let slot = self.slot(inner, name)?;
            self.add_value(inner, slot, &value, || Ok(name.to_str()?.to_owned()))?;
        }
        Ok(())
    }

    fn add_value(
        &self,
        inner: &mut Inner,
        slot: Slot,
        value: &Bound<'_, PyAny>,
        name: impl Fn() -> PyResult<String>,
    ) -> PyResult<()> {
        let Slot { variable, is_time, is_key } = slot;
        // What nobody speaks of may be anything, but its members may be spoken of. No others are
        // looked at: a value may be deep, or be among its own members.
        let is_spoken_of = variable.is_some() || is_time || is_key;
        if !is_spoken_of {
            return match self.has_members(value, &name)? {
                true => self.add_members(inner, value, &name()?),
                false => Ok(()),
            };
        }
        let found = match given(value) {
            Ok(found) => found,
            Err(reason) => return Err(exception(value.py(), Kind::Trace, &format!("`{}`: {reason}", name()?))),
        };
        let taken = &mut inner.taken;
        let value = match found {
            Given::Members(members) => {
                let kind = members.get_type().name()?;
                let text = format!("`{}` is a {kind}, not a single value\n  help: name one of its members", name()?);
                return Err(exception(members.py(), Kind::Trace, &text));
            }
            Given::Moment(moment) => {
                if is_time {
                    taken.time = Moment::Nanoseconds(moment);
                }
                if is_key {
                    taken.key = Some(KeyGiven::Moment(moment));
                }
                Value::Int(moment)
            }
            Given::Value(value) => {
                if is_time {
                    taken.time = Moment::AsGiven(value.clone());
                }
                if is_key {
                    taken.key = Some(KeyGiven::Value(value.clone()));
                }
                value
            }
        };
        if let Some(variable) = variable {
            taken.values.push((variable, value));
        }
        Ok(())
    }

    /// Whether members of a value are spoken of, if it has any.
    fn has_members(&self, value: &Bound<'_, PyAny>, name: impl Fn() -> PyResult<String>) -> PyResult<bool> {
        let may_have = !self.containers.is_empty() && (value.is_instance_of::<PyDict>() || is_sequence(value));
        Ok(may_have && self.containers.contains(&name()?))
    }

    /// Adds the members of an object as `object.member`, and the elements of a list as `list.0`.
    fn add_members(&self, inner: &mut Inner, members: &Bound<'_, PyAny>, name: &str) -> PyResult<()> {
        let mut add = |member: String, value: &Bound<'_, PyAny>| {
            let slot = self.slot_of(inner, &member);
            self.add_value(inner, slot, value, || Ok(member.clone()))
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

    /// The changes as objects, after whoever wants to know has been told of all of them; and what
    /// was raised first meanwhile.
    fn told<'py>(&self, py: Python<'py>, noted: Vec<Noted>) -> PyResult<(Vec<Bound<'py, Change>>, PyResult<()>)> {
        let change = |noted: Noted| {
            let property = self.properties[noted.id.index()].clone_ref(py);
            Bound::new(py, Change::new(property, noted))
        };
        let changes = noted.into_iter().map(change).collect::<PyResult<Vec<_>>>()?;
        let Some(callback) = &self.on_verdict else { return Ok((changes, Ok(()))) };
        let tell = |change: &Bound<'py, Change>| callback.call1(py, (change,)).map(drop);
        let told = first_error(changes.iter().map(tell));
        Ok((changes, told))
    }

    /// What is to be said, once, of variables that the first state does not speak of.
    fn unseen(inner: &mut Inner, given: &[String]) -> Vec<String> {
        inner.has_looked = true;
        let said = |name: String| {
            let near = did_you_mean(&name, given.iter().map(String::as_str));
            let near = near.map(|near| format!("; {near}")).unwrap_or_default();
            format!("`{name}` is not in the first state: what is asked of it is false{near}")
        };
        inner.followed.unseen().into_iter().map(said).collect()
    }

    /// Takes rows of a table that come behind so many others; `names` are those of its columns if
    /// it had more.
    fn step_batch_rows(
        &self,
        py: Python<'_>,
        (batch, before): (&RecordBatch, u64),
        names: Option<&[String]>,
        only_final: bool,
    ) -> PyResult<TakenRows> {
        let mut guard = self.going_on(py)?;
        let inner = &mut *guard;
        let stepped = py.detach(|| {
            let schema = batch.schema();
            let batches = RecordBatchIterator::new([Ok(batch.clone())], schema);
            let rows = traceward_arrow::read(batches, &inner.followed.row_options())
                .map_err(|failure| traceward::Error::from(behind(failure.error, before)))?;
            let without_key = rows.notes.iter().find(|note| matches!(note, Note::WithoutKey { .. })).cloned();
            Ok::<_, traceward::Error>((inner.followed.step_rows(&rows, only_final), without_key))
        });
        let ((noted, taken), without_key) = stepped.map_err(|error| of_error(py, &error, "<table>"))?;
        // A row that nobody looked at must not pass in silence.
        let mut warnings: Vec<String> = without_key.iter().map(|note| format!("<table>: {note}")).collect();
        if !inner.has_looked && inner.followed.states() > 0 {
            let left = || batch.schema().fields().iter().map(|field| field.name().clone()).collect();
            warnings.extend(Self::unseen(inner, &names.map_or_else(left, <[String]>::to_vec)));
        }
        Ok(TakenRows { noted, warnings, taken: taken.map_err(|error| of_step(py, &error)) })
    }
}

/// A frame with no columns but those that are looked at, and all names that it had; or the data as
/// it is.
fn chosen<'py>(data: &Bound<'py, PyAny>, wanted: &Wanted) -> PyResult<(Bound<'py, PyAny>, Option<Vec<String>>)> {
    static CHOSEN: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = data.py();
    CHOSEN.import(py, "traceward._frames", "chosen")?.call1((data, wanted.names()))?.extract()
}

/// What rows of a table have come to.
struct TakenRows {
    noted: Vec<Noted>,
    warnings: Vec<String>,
    /// The reason why not all of them were taken.
    taken: PyResult<()>,
}

/// The first error, once all have been tried.
fn first_error(all: impl Iterator<Item = PyResult<()>>) -> PyResult<()> {
    let errors: Vec<PyErr> = all.filter_map(Result::err).collect();
    errors.into_iter().next().map_or(Ok(()), Err)
}

/// The error of a row that comes behind so many others of its table.
fn behind(error: TraceError, rows: u64) -> TraceError {
    let Some(row) = error.line() else { return error };
    let error = match (error.kind().clone(), error.column()) {
        (TraceErrorKind::TimeDecreases { now, before, before_line, key }, Some(column)) => {
            let kind = TraceErrorKind::TimeDecreases { now, before, before_line: rows + before_line, key };
            TraceError::from(kind).in_column(column).of_rows()
        }
        _ => error,
    };
    error.on_line(rows + row)
}

/// The names of which a spec speaks of members: `door`, if it speaks of `door.open`.
fn containers(spec: &traceward::Spec) -> HashSet<String> {
    let settings = spec.settings();
    let variables = spec.variables().iter().map(|variable| &*variable.name);
    let time = settings.time.iter().map(|time| time.name.as_str());
    let names = variables.chain(time).chain(settings.by.as_deref());
    names.flat_map(|name| name.match_indices('.').map(|(end, _)| name[..end].to_owned())).collect()
}

fn is_sequence(value: &Bound<'_, PyAny>) -> bool {
    value.is_instance_of::<pyo3::types::PyList>() || value.is_instance_of::<PyTuple>()
}

/// Warns, in the way of Python, of all that there is; what is raised, if warnings are errors, is
/// the first.
fn warn_all(py: Python<'_>, texts: &[String]) -> PyResult<()> {
    first_error(texts.iter().map(|text| warn(py, text)))
}

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
        Self::made(py, spec, on_verdict.filter(|one| !one.is_none(py)), options, |spec, request| {
            Ok(match spec.settings().by {
                Some(_) => {
                    let monitor = KeyedMonitor::with_options(spec, request.config(), request.keys())?;
                    Followed::Each(Box::new(Keyed::new(monitor, request.keys().idle, Vec::new())))
                }
                None => {
                    let monitor = traceward::Monitor::with_questions(spec, request.config(), request.questions())?;
                    Followed::One(Box::new(monitor))
                }
            })
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
        let this = made.cast::<Self>()?.get();
        let restored = Self::made(py, spec, None, options, |spec, request| {
            let (saved, ends) = saved::parted(saved.as_bytes())?;
            Ok(if spec.settings().by.is_some() {
                let (config, keys) = (request.config(), request.keys());
                let monitor = KeyedMonitor::restore(spec, config, keys, saved)?;
                let untold = saved::untold(ends, &monitor)?;
                Followed::Each(Box::new(Keyed::new(monitor, keys.idle, untold)))
            } else {
                let monitor = traceward::Monitor::restore(spec, request.config(), saved)?;
                Followed::One(Box::new(monitor))
            })
        })?;
        let restored = restored.inner.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut inner = this.lock()?;
        inner.has_looked = restored.followed.states() > 0;
        inner.followed = restored.followed;
        drop(inner);
        Ok(made)
    }

    /// The monitor as bytes, to go on with later: see `restore`.
    fn save<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.lock()?.followed.save(py)?))
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
        inner.taken.clear();
        let state = state.filter(|state| !state.is_none());
        let state = state.map(|state| state.cast::<PyDict>().map_err(|_| not_a_state(state))).transpose()?;
        for values in state.into_iter().chain(values) {
            self.add(inner, values)?;
        }
        let noted = inner.followed.step(&inner.taken).map_err(|refusal| self.refused(py, &refusal))?;
        let mut warnings = Vec::new();
        if !inner.has_looked {
            let given: Vec<Bound<'_, PyAny>> = state.into_iter().chain(values).flat_map(|one| one.keys()).collect();
            let given: Vec<String> = given.iter().map(ToString::to_string).collect();
            warnings = Self::unseen(inner, &given);
        }
        // Whoever is told may ask the monitor.
        drop(guard);
        if noted.is_empty() && warnings.is_empty() {
            return Ok(PyTuple::empty(py));
        }
        let (changes, told) = self.told(py, noted)?;
        told.and(warn_all(py, &warnings))?;
        PyTuple::new(py, changes)
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
        let (data, names) = chosen(data, &self.wanted)?;
        let mut batches = Batches::of(&data, &self.wanted)?.ok_or_else(|| {
            PyTypeError::new_err("a batch is a dict of columns, or a table that speaks Arrow (PyArrow, Polars, pandas)")
        })?;
        let mut all = Vec::new();
        let mut before = 0;
        while let Some(batch) = py.detach(|| batches.next()) {
            let batch = batch.map_err(|error| batches.cut_off(py, "<table>", &error))?;
            for begin in (0..batch.num_rows()).step_by(ROWS_AT_ONCE) {
                let rows = batch.slice(begin, ROWS_AT_ONCE.min(batch.num_rows() - begin));
                let TakenRows { noted, warnings, taken } =
                    self.step_batch_rows(py, (&rows, before), names.as_deref(), only_final)?;
                // Whatever comes next: these rows have been taken.
                let (changes, told) = self.told(py, noted)?;
                all.extend(changes);
                told.and(taken).and(warn_all(py, &warnings))?;
                before += rows.num_rows() as u64;
                py.check_signals()?;
            }
        }
        PyTuple::new(py, all)
    }

    /// Learns that time has passed: no later state has an earlier timestamp. Returns the verdicts
    /// that changed, as what had to come about by then has not.
    #[pyo3(signature = (time, /))]
    fn advance_to<'py>(&self, py: Python<'py>, time: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyTuple>> {
        let time = self.nanoseconds(time)?;
        let mut inner = self.going_on(py)?;
        let noted = inner.followed.advance_to(time);
        drop(inner);
        let (changes, told) = self.told(py, noted)?;
        told?;
        PyTuple::new(py, changes)
    }

    /// The earliest time that may bring a verdict once it has passed, in nanoseconds, if any does.
    #[getter]
    fn deadline(&self) -> PyResult<Option<i64>> {
        Ok(self.lock()?.followed.deadline())
    }

    /// The number of states so far; with `by`, of all keys.
    #[getter]
    fn position(&self) -> PyResult<u64> {
        Ok(self.lock()?.followed.states())
    }

    /// The number of keys that have a trace now, which is 0 without `by`.
    #[getter]
    fn live(&self) -> PyResult<usize> {
        Ok(self.lock()?.followed.keyed().map_or(0, KeyedMonitor::live))
    }

    /// Whether the trace has ended.
    #[getter]
    fn has_ended(&self) -> PyResult<bool> {
        Ok(self.lock()?.has_ended)
    }

    /// The names of the variables that can make a difference.
    #[getter]
    fn variables(&self) -> PyResult<Vec<String>> {
        Ok(self.lock()?.followed.variables())
    }

    /// The verdict on each property by its name, the trace being about to go on; with `by`, the
    /// worst of all keys.
    #[getter]
    fn verdicts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let verdicts = self.lock()?.followed.verdicts();
        self.by_name(py, &verdicts)
    }

    /// The verdict on each property by its name, for the trace that a key has now; none if it has
    /// no trace.
    #[pyo3(signature = (key, /))]
    fn verdicts_of<'py>(&self, py: Python<'py>, key: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let inner = self.lock()?;
        let Some(monitor) = inner.followed.keyed() else {
            return Err(exception(py, Kind::Usage, "there are no keys: by=\"NAME\" says which value is the key"));
        };
        let key = match given(key) {
            Ok(Given::Value(value)) => monitor.key_of(&value).map_err(|error| of_step(py, &error))?,
            Ok(Given::Moment(moment)) => Some(monitor.key_of_moment(moment)),
            Ok(Given::Members(_)) | Err(_) => None,
        };
        let verdicts = key.map(|key| monitor.verdicts_of(&key)).filter(|verdicts| !verdicts.is_empty());
        verdicts.map(|verdicts| self.by_name(py, &verdicts)).transpose()
    }

    /// Tells the interpreter what this holds, so that it finds a monitor that is held by its own
    /// callback.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.on_verdict)
    }

    /// Ends the trace without a look at what it has come to.
    fn _abandon(&self) -> PyResult<()> {
        self.lock()?.has_ended = true;
        Ok(())
    }

    /// Ends the trace, and tells what it has come to, and what is to be said beside it.
    fn _end(&self, py: Python<'_>) -> PyResult<(Answer, Vec<String>)> {
        let mut inner = self.lock()?;
        inner.has_ended = true;
        self.refuse_emptiness(py, &inner)?;
        let end = inner.followed.end(self.tells_cost);
        if let Some((name, reason)) = inner.followed.given_up() {
            return Err(exception(py, Kind::Limit, &format!("`{name}`: {reason}")));
        }
        let warnings = inner.followed.warnings();
        let urgent = warnings.iter().filter(|warning| warning.is_urgent);
        let said = urgent.map(|warning| in_python(&binding::warning(Path::new("the trace"), warning))).collect();
        let json = serde_json::to_string(&end).map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok((Answer::new(json, String::new()), said))
    }
}

impl Monitor {
    /// Refuses an end at which nothing can be said: no state, or a variable that was never seen.
    fn refuse_emptiness(&self, py: Python<'_>, inner: &Inner) -> PyResult<()> {
        let states = inner.followed.states();
        if states == 0 && !self.allows_empty {
            let text = "the trace is empty: no state was taken\n  help: allow_empty judges a trace without a state";
            return Err(exception(py, Kind::Trace, text));
        }
        match inner.followed.unseen().first() {
            Some(name) if states > 0 => {
                let text = format!("`{name}` was never seen: what is asked of it was false throughout");
                Err(exception(py, Kind::Trace, &text))
            }
            _ => Ok(()),
        }
    }

    /// A time as the timestamps of states are given, in nanoseconds.
    fn nanoseconds(&self, time: &Bound<'_, PyAny>) -> PyResult<i64> {
        let unit = self.time.as_ref().and_then(|(_, unit)| *unit);
        nanoseconds(given(time), unit).map_err(|reason| exception(time.py(), Kind::Trace, &reason))
    }

    /// Verdicts by the names of their properties.
    fn by_name<'py>(&self, py: Python<'py>, verdicts: &[Option<Verdict>]) -> PyResult<Bound<'py, PyDict>> {
        let named = PyDict::new(py);
        for (name, verdict) in self.properties.iter().zip(verdicts) {
            named.set_item(name, verdict_object(py, *verdict)?)?;
        }
        Ok(named)
    }

    /// The exception for a state that is not taken.
    fn refused(&self, py: Python<'_>, refusal: &Refusal) -> PyErr {
        match refusal {
            Refusal::Step(error) => of_step(py, error),
            Refusal::WithoutKey => {
                let by = self.by.as_deref().unwrap_or_default();
                exception(py, Kind::Trace, &format!("the state has no `{by}`, so that nobody knows whose it is"))
            }
        }
    }
}

/// Refuses what a monitor cannot be asked.
fn refuse(spec: &traceward::Spec, request: &MonitorRequest) -> Result<(), &'static str> {
    let settings = spec.settings();
    if settings.time.as_ref().is_some_and(|time| !time.rest.is_empty()) {
        return Err("the timestamp of a state is one value, and the spec names several columns");
    }
    let questions = request.questions();
    match settings.by {
        None if request.keys().idle.is_some() => {
            Err("idle ends the traces of keys, and there are none\n  help: by=\"NAME\" says which value is the key")
        }
        None if request.limits_keys() => {
            Err("max_keys limits keys, and there are none\n  help: by=\"NAME\" says which value is the key")
        }
        Some(_) if questions.coverage || questions.waiting => {
            Err("coverage and waiting are not told of keys that are followed\n  help: check(..., by=...) tells them")
        }
        Some(_) if request.engine_statistics() => Err("engine_statistics is not told of keys that are followed"),
        _ => Ok(()),
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
