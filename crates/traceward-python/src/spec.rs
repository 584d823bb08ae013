//! What must hold and what is measured, as a Python object.

use crate::error::{Kind, exception, of_problem, of_spec_error};
use crate::options::{refuse_unknown, words};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use std::ffi::OsString;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use traceward::{Checker, Goal, Settings, Source};
use traceward_cli::binding::{self, CheckRequest, Reading};

/// The name of a text that came from no file.
const TEXT: &str = "<spec>";

/// How deep lists of texts may be.
const DEEPEST: usize = 8;

/// The number of ways of asking a spec that are remembered.
const MOST_REMEMBERED: usize = 16;

/// What must hold and what is measured.
///
/// A spec is a formula or a query, a list of them, or the text of a spec file. It is read once;
/// mistakes raise `SpecError` with the place underlined.
///
/// >>> from traceward import Spec
/// >>> spec = Spec(["G(request -> F grant)", "G !error"])
/// >>> spec.properties
/// ['p1', 'p2']
/// >>> sorted(spec.variables)
/// ['error', 'grant', 'request']
/// >>> Spec("property answered = G(request -> F grant)").properties
/// ['answered']
#[pyclass(frozen, module = "traceward")]
pub struct Spec {
    texts: Vec<(String, String)>,
    base: Settings,
    /// The spec as it is read without options. One that is a mere argument is never read so, since
    /// it may need the options that come with it.
    first: OnceLock<traceward::Spec>,
    prepared: Mutex<Vec<Arc<Prepared>>>,
}

/// A spec with the options by which it is asked.
pub struct Prepared {
    goal: Goal,
    words: Vec<OsString>,
    /// The options.
    pub request: CheckRequest,
    /// The spec, read with the settings that options give.
    pub spec: traceward::Spec,
    /// Answers for short traces.
    short: OnceLock<Checker>,
}

impl Prepared {
    /// Answers for traces that are short: without any thread beside the one that asks, since to
    /// start one takes longer, and with what was made ready for the trace before.
    pub fn short(&self) -> Result<&Checker, traceward::Error> {
        if let Some(known) = self.short.get() {
            return Ok(known);
        }
        let mut options = self.request.options(None, Reading::default());
        options.read.pieces.threads = NonZero::<usize>::MIN;
        let made = Checker::new(self.spec.clone(), options)?;
        Ok(self.short.get_or_init(|| made))
    }

    /// Answers for any trace that is read in a certain way.
    pub fn reading(&self, reading: Reading) -> Result<Checker, traceward::Error> {
        Checker::new(self.spec.clone(), self.request.options(None, reading))
    }
}

impl Spec {
    /// The spec that an argument is: one, or the texts or the path of one.
    pub fn of<'py>(given: &Bound<'py, PyAny>) -> PyResult<Bound<'py, Self>> {
        match given.cast::<Self>() {
            Ok(spec) => Ok(spec.clone()),
            Err(_) => Bound::new(given.py(), Self::unread(given, Settings::default())?),
        }
    }

    /// The spec whose texts have not been read yet.
    fn unread(given: &Bound<'_, PyAny>, base: Settings) -> PyResult<Self> {
        let texts = texts_of(given)?;
        if texts.is_empty() {
            return Err(exception(given.py(), Kind::Usage, "there is nothing to ask: the list of formulas is empty"));
        }
        Ok(Self { texts, base, first: OnceLock::new(), prepared: Mutex::default() })
    }

    /// The spec as it is read without options.
    fn first(&self, py: Python<'_>) -> PyResult<&traceward::Spec> {
        if let Some(first) = self.first.get() {
            return Ok(first);
        }
        // A query alone is no property, and need not be one.
        let first = parsed(&self.texts, Goal::Check, self.base.clone())
            .or_else(|error| parsed(&self.texts, Goal::Query, self.base.clone()).map_err(|_| error))
            .map_err(|error| hinted(of_spec_error(py, &error), py, &self.texts))?;
        Ok(self.first.get_or_init(|| first))
    }

    /// The spec as it is asked with certain options.
    pub fn prepared(&self, py: Python<'_>, goal: Goal, options: Option<&Bound<'_, PyDict>>) -> PyResult<Arc<Prepared>> {
        let words = words(options)?;
        let lock = || self.prepared.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().iter().find(|one| one.goal == goal && one.words == words) {
            return Ok(known.clone());
        }
        refuse_unknown(options, &CheckRequest::names())?;
        let request = CheckRequest::parse(&words).map_err(|problem| of_problem(py, problem, Path::new("")))?;
        let spec = self.read(py, goal, request.settings())?;
        let made = Arc::new(Prepared { goal, words, request, spec, short: OnceLock::new() });
        let mut remembered = lock();
        if remembered.len() == MOST_REMEMBERED {
            remembered.remove(0);
        }
        remembered.push(made.clone());
        Ok(made)
    }

    /// The spec, read with settings that stand over its own.
    pub fn read(&self, py: Python<'_>, goal: Goal, over: Settings) -> PyResult<traceward::Spec> {
        let read = parsed(&self.texts, goal, over.or(&self.base));
        read.map_err(|error| hinted(of_spec_error(py, &error), py, &self.texts))
    }
}

fn parsed(texts: &[(String, String)], goal: Goal, settings: Settings) -> Result<traceward::Spec, traceward::SpecError> {
    let sources = texts.iter().map(|(name, text)| Source::new(name, text, goal)).collect();
    traceward::Spec::parse_with(sources, settings)
}

/// The texts of a spec, each with its name.
fn texts_of(given: &Bound<'_, PyAny>) -> PyResult<Vec<(String, String)>> {
    texts_within(given, DEEPEST)
}

/// The texts of lists that are so deep at the most: one may be among its own members.
fn texts_within(given: &Bound<'_, PyAny>, depth: usize) -> PyResult<Vec<(String, String)>> {
    let py = given.py();
    if let Ok(text) = given.cast::<PyString>() {
        return Ok(vec![(TEXT.to_owned(), text.to_str()?.to_owned())]);
    }
    if let Ok(spec) = given.cast::<Spec>() {
        return Ok(spec.get().texts.clone());
    }
    if given.is_instance_of::<PyList>() || given.is_instance_of::<PyTuple>() {
        let Some(depth) = depth.checked_sub(1) else {
            return Err(PyTypeError::new_err("a list of texts is no list of lists of lists of them"));
        };
        let texts = given.try_iter()?.map(|one| texts_within(&one?, depth)).collect::<PyResult<Vec<_>>>()?;
        return Ok(texts.concat());
    }
    if given.hasattr("__fspath__")? {
        let path: PathBuf = given.extract()?;
        let source = binding::spec_file(&path, Goal::Check).map_err(|problem| of_problem(py, problem, &path))?;
        return Ok(vec![(source.name, source.text)]);
    }
    let kind = given.get_type().name()?;
    let is_table = given.hasattr("__arrow_c_stream__")?;
    let help = if is_table { "; the spec comes first, and then the trace" } else { "" };
    Err(PyTypeError::new_err(format!(
        "a spec is a Spec, a text, a list of texts, or the path of a spec file (pathlib.Path), not {kind}{help}"
    )))
}

#[pymethods]
impl Spec {
    #[new]
    #[pyo3(signature = (text, *, event=None, dialect=None, names=None))]
    fn new(
        py: Python<'_>,
        text: &Bound<'_, PyAny>,
        event: Option<String>,
        dialect: Option<&str>,
        names: Option<Vec<String>>,
    ) -> PyResult<Self> {
        let dialect = dialect.map(str::parse).transpose();
        let dialect = dialect.map_err(|error: String| exception(py, Kind::Usage, &format!("dialect: {error}")))?;
        let base = Settings { event, dialect, ..Settings::default() };
        let mut spec = Self::unread(text, base)?;
        for (one, name) in spec.texts.iter_mut().zip(names.into_iter().flatten()) {
            one.0 = name;
        }
        spec.first(py)?;
        Ok(spec)
    }

    /// The spec in a file (`.tw`, or a C file that carries one).
    ///
    /// >>> import pathlib, tempfile
    /// >>> folder = tempfile.TemporaryDirectory()
    /// >>> path = pathlib.Path(folder.name) / "p.tw"
    /// >>> _ = path.write_text("property quiet = G !error")
    /// >>> Spec.from_file(path).properties
    /// ['quiet']
    /// >>> folder.cleanup()
    #[staticmethod]
    #[pyo3(signature = (path, *, event=None, dialect=None))]
    fn from_file(py: Python<'_>, path: PathBuf, event: Option<String>, dialect: Option<&str>) -> PyResult<Self> {
        Self::new(py, path.into_pyobject(py)?.as_any(), event, dialect, None)
    }

    /// The names of the properties; those without one are `p1`, `p2`, …
    #[getter]
    fn properties(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        Ok(self.first(py)?.property_names())
    }

    /// The names of the queries; those without one are `q1`, `q2`, …
    #[getter]
    fn queries(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        Ok(self.first(py)?.query_names())
    }

    /// The names of the variables that it speaks of.
    #[getter]
    fn variables(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        Ok(self.first(py)?.variables().iter().map(|variable| variable.name.to_string()).collect())
    }

    /// The column by which it splits a trace, if it names one.
    #[getter]
    fn by(&self, py: Python<'_>) -> PyResult<Option<String>> {
        Ok(self.first(py)?.settings().by.clone())
    }

    /// Probable mistakes in the spec alone, as text.
    #[getter]
    fn warnings(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        Ok(self.first(py)?.warnings(crate::error::style()))
    }

    /// The text; of several, one after the other.
    #[getter]
    fn text(&self) -> String {
        self.texts.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>().join("\n")
    }

    fn __str__(&self) -> String {
        self.text()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let texts: Vec<&str> = self.texts.iter().map(|(_, text)| text.as_str()).collect();
        let shown = match texts.as_slice() {
            [text] => text.into_pyobject(py)?.repr()?,
            texts => PyList::new(py, texts)?.repr()?,
        };
        Ok(format!("Spec({})", shown.to_str()?))
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.texts == other.texts && self.base == other.base
    }

    fn __hash__(&self) -> u64 {
        use std::hash::{DefaultHasher, Hash, Hasher};
        let mut hasher = DefaultHasher::new();
        self.texts.hash(&mut hasher);
        hasher.finish()
    }

    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
        let (names, texts): (Vec<&String>, Vec<&String>) = self.texts.iter().map(|(name, text)| (name, text)).unzip();
        let options = PyDict::new(py);
        options.set_item("event", self.base.event.as_deref())?;
        options.set_item("dialect", self.base.dialect.map(|dialect| dialect.name()))?;
        options.set_item("names", names)?;
        Ok((PyTuple::new(py, [texts])?, options))
    }
}

/// The error with a way out, if the text is the name of a file.
fn hinted(error: PyErr, py: Python<'_>, texts: &[(String, String)]) -> PyErr {
    if let [(_, text)] = texts
        && text.ends_with(".tw")
        && !text.contains(char::is_whitespace)
    {
        let note = format!("{text} looks like the path of a spec file: Spec.from_file({text:?}) reads it");
        // Notes are there from Python 3.11 on.
        let _ = error.value(py).call_method1("add_note", (note,));
    }
    error
}
