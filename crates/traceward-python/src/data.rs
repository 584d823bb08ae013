//! Traces as Python has them: paths, bytes, and whatever hands over Arrow data.

// The C data interface hands over pointers, in capsules.
#![allow(unsafe_code)]

use crate::columns;
use crate::error::{Kind, exception};
use crate::work::Length;
use arrow_array::cast::AsArray;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchIterator, make_array};
use arrow_schema::{ArrowError, DataType, SchemaRef};
use pyo3::exceptions::{PyException, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyByteArray, PyBytes, PyCapsule, PyDict, PyMemoryView, PyString, PyTuple};
use std::collections::VecDeque;
use std::ffi::CStr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use traceward::engine::Interrupt;
use traceward_arrow::{FFI_ArrowArrayStream, RecordBatchReader, RecordBatchStreamReader};

/// The number of rows up to which a table is short.
const SHORT_ROWS: usize = 10_000;

/// The number of bytes up to which an input is short.
const SHORT_BYTES: usize = 100_000;

const STREAM: &CStr = c"arrow_array_stream";
const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";

/// A trace.
pub enum Data {
    /// A file.
    Path(PathBuf),
    /// The bytes of a file.
    Bytes(PyBackedBytes),
    /// A table.
    Batches(Batches),
}

impl Data {
    /// The trace that an argument is.
    pub fn of(given: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(text) = given.cast::<PyString>() {
            return path_of(text).map(Self::Path);
        }
        if given.hasattr("__fspath__")? {
            return Ok(Self::Path(given.extract()?));
        }
        if let Some(batches) = Batches::of(given)? {
            return Ok(Self::Batches(batches));
        }
        match bytes_of(given)? {
            Some(bytes) => Ok(Self::Bytes(bytes)),
            None => Err(no_trace(given)?),
        }
    }

    /// The name of the trace in messages.
    pub fn name(&self) -> &Path {
        match self {
            Self::Path(path) => path,
            Self::Bytes(_) => Path::new("<bytes>"),
            Self::Batches(_) => Path::new("<table>"),
        }
    }

    /// The reason why a table has no more rows, once there is one.
    pub fn failure(&self) -> Option<Failure> {
        match self {
            Self::Batches(batches) => Some(batches.failure()),
            Self::Path(_) | Self::Bytes(_) => None,
        }
    }

    /// Whether it takes long to read it.
    pub fn length(&mut self, py: Python<'_>) -> Length {
        let is_short = match self {
            Self::Path(path) => path.metadata().is_ok_and(|file| file.is_file() && file.len() <= SHORT_BYTES as u64),
            Self::Bytes(bytes) => bytes.len() <= SHORT_BYTES,
            Self::Batches(batches) => py.detach(|| batches.is_short()),
        };
        if is_short { Length::Short } else { Length::Long }
    }
}

/// The path that a text is. What has several lines is none, but may well be a trace.
fn path_of(text: &Bound<'_, PyString>) -> PyResult<PathBuf> {
    let path: PathBuf = text.extract()?;
    if path.as_os_str().as_encoded_bytes().contains(&b'\n') && !path.exists() {
        return Err(PyValueError::new_err(
            "a text is the path of a file, and this one has several lines; a trace itself is bytes: text.encode()",
        ));
    }
    Ok(path)
}

fn no_trace(given: &Bound<'_, PyAny>) -> PyResult<PyErr> {
    let kind = given.get_type().name()?;
    let help = match kind.to_str()? {
        "generator" | "list" | "tuple" => "; a Monitor takes states one by one",
        "ndarray" => "; give each array a name: {\"x\": array}",
        _ => "",
    };
    Ok(PyTypeError::new_err(format!(
        "a trace is a path, bytes, an open file, a dict of columns, or a table that speaks Arrow (PyArrow, Polars, pandas, DuckDB), \
         not {kind}{help}"
    )))
}

/// The bytes of whatever has the buffer protocol; those of `bytes` are not copied.
fn bytes_of(given: &Bound<'_, PyAny>) -> PyResult<Option<PyBackedBytes>> {
    if let Ok(bytes) = given.cast::<PyBytes>() {
        return Ok(Some(bytes.clone().into()));
    }
    if let Ok(bytes) = given.cast::<PyByteArray>() {
        return Ok(Some(bytes.clone().into()));
    }
    if given.hasattr("read")? {
        return read(given).map(Some);
    }
    let Ok(view) = PyMemoryView::from(given) else { return Ok(None) };
    // An array of numbers is no text.
    if view.getattr("itemsize")?.extract::<usize>()? != 1 {
        return Ok(None);
    }
    let bytes = view.call_method0("tobytes")?;
    Ok(Some(bytes.cast::<PyBytes>()?.clone().into()))
}

/// What a file that is open has from where it is.
fn read(file: &Bound<'_, PyAny>) -> PyResult<PyBackedBytes> {
    let read = file.call_method0("read")?;
    let bytes = match read.cast::<PyString>() {
        Ok(text) => text.call_method1("encode", ("utf-8",))?,
        Err(_) => read,
    };
    let kind = bytes.get_type().name()?;
    let bytes = bytes.cast::<PyBytes>();
    Ok(bytes.map_err(|_| PyTypeError::new_err(format!("a file reads bytes or texts, not {kind}")))?.clone().into())
}

/// Record batches, some of which may have been looked at.
pub struct Batches {
    schema: SchemaRef,
    begun: VecDeque<Result<RecordBatch, ArrowError>>,
    rest: Option<Box<dyn RecordBatchReader + Send>>,
    /// The flag by which somebody else ends the reading.
    interrupt: Option<Interrupt>,
    failure: Failure,
}

/// The reason why there are no more batches, in the words of whoever hands them over.
pub type Failure = Arc<OnceLock<String>>;

impl Batches {
    /// The reason why there are no more batches, once there is one.
    pub fn failure(&self) -> Failure {
        self.failure.clone()
    }

    /// The batches that an argument hands over, if it does.
    pub fn of(given: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        if let Ok(columns) = given.cast::<PyDict>() {
            return Ok(Some(Self::of_batch(columns::batch(columns)?)));
        }
        if let Ok(stream) = given.getattr("__arrow_c_stream__") {
            let batches = Self::of_stream(&stream)?;
            return match with_types(given, &batches.schema)? {
                Some(typed) => Self::of_stream(&typed.getattr("__arrow_c_stream__")?).map(Some),
                None => Ok(Some(batches)),
            };
        }
        if let Ok(array) = given.getattr("__arrow_c_array__") {
            return Self::of_array(&array.call0()?).map(Some);
        }
        Ok(None)
    }

    fn of_batch(batch: RecordBatch) -> Self {
        let schema = batch.schema();
        let batches = RecordBatchIterator::new([Ok(batch)], schema.clone());
        Self::new(schema, Box::new(batches))
    }

    fn of_stream(method: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = method.py();
        let capsule = method.call0().map_err(|error| not_handed_over(py, error))?;
        let stream = taken::<FFI_ArrowArrayStream>(&capsule, STREAM)?;
        // SAFETY: the capsule has the name of a stream, and so holds one; nobody else can use it
        // meanwhile, as the lock is held. What is moved out is marked as released there.
        let stream = unsafe { FFI_ArrowArrayStream::from_raw(stream) };
        let reader = RecordBatchStreamReader::try_new(stream).map_err(|error| unreadable(py, &error.to_string()))?;
        Ok(Self::new(reader.schema(), Box::new(reader)))
    }

    fn new(schema: SchemaRef, batches: Box<dyn RecordBatchReader + Send>) -> Self {
        Self { schema, begun: VecDeque::new(), rest: Some(batches), interrupt: None, failure: Failure::default() }
    }

    fn of_array(pair: &Bound<'_, PyAny>) -> PyResult<Self> {
        let array = array_of(pair)?;
        let Some(rows) = array.as_struct_opt() else { return Err(single_column()) };
        if rows.null_count() > 0 {
            return Err(PyValueError::new_err("some rows are null as a whole: a table has none such"));
        }
        Ok(Self::of_batch(RecordBatch::from(rows)))
    }

    /// Whether all of it is at hand and little.
    fn is_short(&mut self) -> bool {
        let mut rows = 0;
        while let Some(rest) = &mut self.rest {
            match rest.next() {
                Some(batch) => {
                    rows += batch.as_ref().map_or(0, RecordBatch::num_rows);
                    let has_failed = batch.is_err();
                    self.begun.push_back(batch);
                    if has_failed {
                        self.rest = None;
                    } else if rows > SHORT_ROWS {
                        return false;
                    }
                }
                None => self.rest = None,
            }
        }
        true
    }

    /// The batches, whose reading ends once an interrupt is raised.
    #[must_use]
    pub fn interrupted_by(self, interrupt: Option<Interrupt>) -> Self {
        Self { interrupt, ..self }
    }
}

impl Iterator for Batches {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.interrupt.is_some_and(Interrupt::is_raised) {
            return Some(Err(ArrowError::ExternalError("the reading was interrupted".into())));
        }
        let batch = self.begun.pop_front().or_else(|| self.rest.as_mut()?.next());
        if let Some(Err(error)) = &batch {
            // It is told once.
            let _ = self.failure.set(error.to_string());
        }
        batch
    }
}

impl RecordBatchReader for Batches {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

/// The frame of Polars with a type for each column, if some have none: Polars hands columns of
/// nothing but nulls over with a buffer, which they do not have, and so nobody takes them.
fn with_types<'py>(given: &Bound<'py, PyAny>, schema: &SchemaRef) -> PyResult<Option<Bound<'py, PyAny>>> {
    let is_untyped = schema.fields().iter().any(|field| *field.data_type() == DataType::Null);
    if !is_untyped || !given.get_type().module()?.to_str()?.starts_with("polars") {
        return Ok(None);
    }
    let polars = given.py().import("polars")?;
    let types = PyDict::new(given.py());
    types.set_item(polars.getattr("Null")?, polars.getattr("Boolean")?)?;
    given.call_method1("cast", (types,)).map(Some)
}

/// The array that a pair of capsules holds: its schema, and itself.
pub fn array_of(pair: &Bound<'_, PyAny>) -> PyResult<ArrayRef> {
    let pair = pair.cast::<PyTuple>()?;
    let (schema, array) = (taken(&pair.get_item(0)?, SCHEMA)?, taken(&pair.get_item(1)?, ARRAY)?);
    // SAFETY: the capsules have the names of a schema and an array, and so hold them; nobody else
    // can use them meanwhile, as the lock is held. What is moved out is marked as released there.
    let (schema, array) = unsafe { (FFI_ArrowSchema::from_raw(schema), FFI_ArrowArray::from_raw(array)) };
    let wrong = |error| PyValueError::new_err(format!("the Arrow array cannot be read: {error}"));
    // SAFETY: an array that comes with its schema is laid out as that says; the protocol is so.
    let data = unsafe { from_ffi(array, &schema) }.map_err(wrong)?;
    Ok(make_array(data))
}

fn single_column() -> PyErr {
    PyTypeError::new_err("a single column is no trace; give a table, with a name for each column: {\"x\": column}")
}

/// The exception for a table that its library does not hand over, as it was not made for that.
fn not_handed_over(py: Python<'_>, error: PyErr) -> PyErr {
    if !error.is_instance_of::<PyException>(py) {
        return error;
    }
    let text = format!(
        "<table>: it cannot be handed over: {}\n  help: give each column one type, and each one a name of its own",
        error.value(py)
    );
    let told = exception(py, Kind::Trace, &text);
    told.set_cause(py, Some(error));
    told
}

/// The exception for a stream whose schema cannot be read.
fn unreadable(py: Python<'_>, reason: &str) -> PyErr {
    if reason.contains("as a Schema") {
        return single_column();
    }
    let reason = reason.trim_start_matches("C Data interface error: ");
    let help = "cast the column to another type, or leave it out";
    exception(py, Kind::Trace, &format!("<table>: it cannot be read: {reason}\n  help: {help}"))
}

/// What a capsule of a certain name points to.
fn taken<T>(capsule: &Bound<'_, PyAny>, name: &CStr) -> PyResult<*mut T> {
    let capsule = capsule.cast::<PyCapsule>()?;
    Ok(capsule.pointer_checked(Some(name))?.cast::<T>().as_ptr())
}
