//! `check`, `query` and `inspect`, and what they answer.

use crate::columns::Wanted;
use crate::counted::Counted;
use crate::data::{Data, Failure};
use crate::error::{Kind, exception, in_python, of_error, of_problem};
use crate::needs::needed;
use crate::options::{refuse_unknown, words};
use crate::spec::{Prepared, Spec};
use crate::table::ArrowTable;
use crate::work::{Length, done};
use arrow_array::{ArrayRef, Float64Array, Int64Array, StringArray};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use traceward::engine::Interrupt;
use traceward::input::{Format, Inspection, Key};
use traceward::report::{QueryReport, QueryValue};
use traceward::{Checker, EngineName, Error, Goal, Report, Value};
use traceward_arrow::Table;
use traceward_cli::binding::{self, InspectRequest, Problem, Reading};
use traceward_wire::ReportDocument;

/// The number of first bytes by which a table is known.
const OPENING: usize = 8;

/// A document of the wire, and the same for people.
#[pyclass(frozen, module = "traceward._native", get_all)]
pub struct Answer {
    /// The document, as JSON.
    json: String,
    /// The text for people.
    text: String,
}

impl Answer {
    /// The answer that is a document and a text.
    pub fn new(json: String, text: String) -> Self {
        Self { json, text }
    }
}

/// The answer to a question about a trace. The document is made when somebody asks for it.
#[pyclass(frozen, module = "traceward._native", name = "Report")]
pub struct NativeReport {
    pub(crate) report: Report,
    pub(crate) path: PathBuf,
    goal: Goal,
    /// What is to be said beside the answer.
    #[pyo3(get)]
    asides: Vec<String>,
}

#[pymethods]
impl NativeReport {
    /// Whether no property is violated.
    #[getter]
    fn ok(&self) -> bool {
        !self.report.is_violated()
    }

    /// The document of the wire, as JSON.
    fn json(&self) -> PyResult<String> {
        let document = ReportDocument::new(&self.path.display().to_string(), &self.report);
        serde_json::to_string(&document).map_err(|error| pyo3::exceptions::PyValueError::new_err(error.to_string()))
    }

    /// The program's text about the trace.
    fn text(&self) -> String {
        in_python(&binding::report_text(&self.path, &self.report, self.goal))
    }

    /// A row for each property.
    fn properties_table(&self) -> PyResult<ArrowTable> {
        let properties = &self.report.properties;
        let count = |value: usize| value as i64;
        let violations = properties.iter().map(|one| one.evidence.violations.as_ref().map(|found| count(found.count)));
        let keys = |get: fn(&traceward::report::KeysReport) -> usize| -> ArrayRef {
            Arc::new(
                properties.iter().map(|one| one.keys.as_ref().map(|keys| count(get(keys)))).collect::<Int64Array>(),
            )
        };
        ArrowTable::new(vec![
            ("name".into(), texts(properties.iter().map(|one| Some(one.name.clone())))),
            ("formula".into(), texts(properties.iter().map(|one| Some(one.formula.clone())))),
            ("verdict".into(), texts(properties.iter().map(|one| Some(one.verdict.to_string())))),
            ("engine".into(), texts(properties.iter().map(|one| Some(one.engine.to_string())))),
            (
                "decided_at".into(),
                Arc::new(properties.iter().map(|one| one.decided_at.map(count)).collect::<Int64Array>()),
            ),
            ("vacuous".into(), texts(properties.iter().map(|one| one.vacuous.clone()))),
            ("violations".into(), Arc::new(violations.collect::<Int64Array>())),
            ("keys_checked".into(), keys(|keys| keys.checked)),
            ("keys_violated".into(), keys(|keys| keys.violated)),
        ])
    }

    /// A row for each key, with the verdict on each property and the value of each query; none if
    /// the trace was not split.
    fn keys_table(&self) -> PyResult<Option<ArrowTable>> {
        let Some(keys) = &self.report.trace.keys else { return Ok(None) };
        let states = keys.iter().map(|(_, states)| Some(*states as i64)).collect::<Int64Array>();
        let mut columns: Vec<(String, ArrayRef)> = vec![
            ("key".into(), texts(keys.iter().map(|(key, _)| Some(key.to_string())))),
            ("states".into(), Arc::new(states)),
        ];
        for property in &self.report.properties {
            let verdict = |index: usize| property.keys.as_ref().map_or(property.verdict, |keys| keys.verdicts[index]);
            let verdicts = texts((0..keys.len()).map(|index| Some(verdict(index).to_string())));
            columns.push((property.name.clone(), verdicts));
        }
        for query in &self.report.queries {
            columns.push((query.name.clone(), values(query, keys)));
        }
        ArrowTable::new(columns).map(Some)
    }
}

fn texts(all: impl Iterator<Item = Option<String>>) -> ArrayRef {
    Arc::new(all.collect::<StringArray>())
}

/// The value of a query for each key: numbers, or what else there is as text. Numbers are floats,
/// unless that would round them.
fn values(query: &QueryReport, keys: &[(Key, usize)]) -> ArrayRef {
    let QueryValue::ByKey { values, .. } = &query.value else {
        return texts(keys.iter().map(|_| None));
    };
    let by_key: std::collections::HashMap<&str, &Value> =
        values.iter().filter_map(|(key, value)| Some((&**key, value.as_ref()?))).collect();
    let found = || keys.iter().map(|(key, _)| by_key.get(&*key.text()).copied());
    let is_exact = |value: Option<&Value>| match value {
        None | Some(Value::Float(_)) => true,
        Some(Value::Int(int)) => i128::from(*int) == (*int as f64) as i128,
        _ => false,
    };
    if found().any(|value| !is_exact(value)) && found().all(|value| matches!(value, None | Some(Value::Int(_)))) {
        // A float would round some of them.
        let int = |value: &Value| if let Value::Int(int) = value { Some(*int) } else { None };
        return Arc::new(found().map(|value| value.and_then(int)).collect::<Int64Array>());
    }
    if found().all(is_exact) {
        let number = |value: &Value| match value {
            Value::Int(int) => Some(*int as f64),
            Value::Float(float) => Some(*float),
            _ => None,
        };
        return Arc::new(found().map(|value| value.and_then(number)).collect::<Float64Array>());
    }
    texts(found().map(|value| {
        value.map(|value| match value {
            Value::Str(text) => text.to_string(),
            other => other.to_string(),
        })
    }))
}

/// Asks a spec of a trace; `measures` tells whether a text alone is a query.
#[pyfunction]
#[pyo3(signature = (spec, data, measures, options, shown, drawn))]
pub fn check(
    py: Python<'_>,
    spec: &Bound<'_, PyAny>,
    data: &Bound<'_, PyAny>,
    measures: bool,
    options: Option<&Bound<'_, PyDict>>,
    shown: bool,
    drawn: bool,
) -> PyResult<NativeReport> {
    let goal = if measures { Goal::Query } else { Goal::Check };
    let prepared = Spec::of(spec)?.get().prepared(py, goal, options)?;
    let mut data = Data::of(data, &Wanted::Named(needed(&prepared.spec)))?;
    let path = data.name().to_path_buf();
    let engine = prepared.request.engine();
    let is_quick = matches!(engine, EngineName::Auto | EngineName::Reverse);
    let length = if is_quick { data.length(py) } else { Length::Long };
    let (asked, failure) = (prepared.clone(), data.failure());
    let answered =
        done(py, length, move |interrupt| answer(&asked, data, length, Reading { interrupt, shown, drawn }))?;
    let report = answered.map_err(|problem| unread(py, problem, &path, failure.as_ref()))?;
    if let Some(reason) = prepared.request.shortcoming(&path, &report) {
        return Err(exception(py, Kind::Trace, &in_python(&reason)));
    }
    let asides = prepared.request.asides(&path, &report).iter().map(|aside| in_python(aside)).collect();
    Ok(NativeReport { report, path, goal, asides })
}

/// The exception for a trace that could not be answered for: if it is a table that somebody hands
/// over, in the words of whoever does.
fn unread(py: Python<'_>, problem: Problem, path: &Path, failure: Option<&Failure>) -> PyErr {
    match failure.and_then(|failure| failure.get()) {
        Some(cut_off) => cut_off.raised(py, &binding::name(path)),
        None => of_problem(py, problem, path),
    }
}

fn answer(prepared: &Prepared, data: Data, length: Length, reading: Reading) -> Result<Report, Problem> {
    match data {
        Data::Path(path) => prepared.request.check_file(&prepared.spec, &path, reading),
        // What is drawn is no part of what is the same each time.
        _ if length == Length::Short && !reading.drawn => Ok(answer_by(prepared.short()?, data, reading)?),
        _ => Ok(answer_by(&prepared.reading(reading)?, data, reading)?),
    }
}

fn answer_by(checker: &Checker, data: Data, reading: Reading) -> Result<Report, Error> {
    match data {
        Data::Path(_) => unreachable!("a file may tell its form by its name"),
        Data::Bytes(bytes) => match table_of(&bytes, |first| Format::of_table(&checker.options().read, first)) {
            Some((table, format)) => checker.check_read(|options| traceward_arrow::table_input(table, format, options)),
            None => checker.check(Interruptible { bytes: &bytes, interrupt: reading.interrupt }),
        },
        Data::Batches(batches) => {
            checker.check_read(|options| traceward_arrow::batches_input(Counted::new(batches, reading), options))
        }
    }
}

/// The table that bytes are, if they are one.
fn table_of(bytes: &[u8], format: impl FnOnce(&[u8]) -> Option<Format>) -> Option<(Table, Format)> {
    let format = format(&bytes[..bytes.len().min(OPENING)])?;
    Some((Table::from_bytes(bytes), format))
}

/// Bytes that cannot be read any more once an interrupt is raised.
struct Interruptible<'a> {
    bytes: &'a [u8],
    interrupt: Option<Interrupt>,
}

impl std::io::Read for Interruptible<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.interrupt.is_some_and(Interrupt::is_raised) {
            return Err(std::io::Error::other("the reading was interrupted"));
        }
        self.bytes.read(buffer)
    }
}

/// Tells what a trace holds.
#[pyfunction]
#[pyo3(signature = (data, options, shown))]
pub fn inspect(
    py: Python<'_>,
    data: &Bound<'_, PyAny>,
    options: Option<&Bound<'_, PyDict>>,
    shown: bool,
) -> PyResult<Answer> {
    let words = words(options)?;
    refuse_unknown(options, &InspectRequest::names())?;
    let request = InspectRequest::parse(&words).map_err(|problem| of_problem(py, problem, Path::new("")))?;
    let mut data = Data::of(data, &Wanted::All)?;
    let path = data.name().to_path_buf();
    let (length, failure) = (data.length(py), data.failure());
    let asked = move |interrupt| {
        let found = look_at(&request, data, Reading { interrupt, shown, drawn: false });
        (request, found)
    };
    let (request, found) = done(py, length, asked)?;
    let inspection = found.map_err(|problem| unread(py, problem, &path, failure.as_ref()))?;
    let (document, text) = request.answer(&path, &inspection);
    let json = serde_json::to_string(&document);
    Ok(Answer::new(json.map_err(|error| pyo3::exceptions::PyValueError::new_err(error.to_string()))?, in_python(&text)))
}

fn look_at(request: &InspectRequest, data: Data, reading: Reading) -> Result<Inspection, Problem> {
    let options = request.options(data.name());
    let found = match data {
        Data::Path(path) => return request.inspect_file(&path, reading),
        Data::Batches(batches) => traceward_arrow::inspect(batches.interrupted_by(reading.interrupt), &options),
        Data::Bytes(bytes) => match table_of(&bytes, |first| Format::of_table(&options, first)) {
            Some((table, format)) => traceward_arrow::inspect_table(table, format, &options),
            None => {
                let bytes = Interruptible { bytes: &bytes, interrupt: reading.interrupt };
                traceward::input::inspect(bytes, &options)
            }
        },
    };
    found.map_err(|error| Error::from(error).into())
}

/// The exception for a question about properties that could not be answered.
pub fn unanswered(py: Python<'_>, error: &Error) -> PyErr {
    of_error(py, error, "the trace")
}
