//! Traces as Python has them: paths, bytes, and whatever hands over Arrow data.

// The C data interface hands over pointers, in capsules.
#![allow(unsafe_code)]

use crate::columns::{self, Wanted};
use crate::error::{Kind, exception};
use crate::work::Length;
use arrow_array::cast::AsArray;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchIterator, make_array};
use arrow_schema::{ArrowError, DataType, Schema, SchemaRef};
use pyo3::exceptions::{PyException, PyKeyboardInterrupt, PyStopIteration, PySystemExit, PyTypeError, PyValueError};
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
    /// The trace that an argument is, as far as it is looked at.
    pub fn of(given: &Bound<'_, PyAny>, wanted: &Wanted) -> PyResult<Self> {
        if let Ok(text) = given.cast::<PyString>() {
            return path_of(text).map(Self::Path);
        }
        if given.hasattr("__fspath__")? {
            // Paths may be bytes.
            let path = given.py().import("os")?.call_method1("fsdecode", (given,))?;
            return Ok(Self::Path(path.extract()?));
        }
        if let Some(batches) = Batches::of(given, wanted)? {
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

/// The reason why there are no more batches, once there is one.
pub type Failure = Arc<OnceLock<CutOff>>;

/// The reason why there are no more batches.
pub struct CutOff {
    /// In the words of whoever hands them over.
    reason: String,
    /// The exception itself, where that is known.
    error: Option<PyErr>,
}

impl CutOff {
    /// The exception for a source that hands over no more rows. What ends programs, as Ctrl-C does,
    /// is what somebody's generator has met.
    pub fn raised(&self, py: Python<'_>, name: &str) -> PyErr {
        let error = self.error.as_ref().map(|error| error.clone_ref(py)).or_else(|| ending(&self.reason));
        match error {
            Some(error) if !error.is_instance_of::<PyException>(py) => error,
            error => {
                let text = format!("{name}: there are no more rows: {}", self.reason);
                let told = exception(py, Kind::Trace, &text);
                told.set_cause(py, error);
                told
            }
        }
    }
}

/// The exception that ends programs, if a text ends with one: libraries hand over nothing but the
/// text of an exception, whose last line has its class.
fn ending(reason: &str) -> Option<PyErr> {
    let last = reason.trim_end().rsplit('\n').next()?;
    let (class, text) = last.split_once(": ").unwrap_or((last, ""));
    let given = || (!text.is_empty()).then(|| text.to_owned());
    match class {
        _ if !reason.contains('\n') => None,
        "KeyboardInterrupt" => {
            Some(given().map_or_else(|| PyKeyboardInterrupt::new_err(()), PyKeyboardInterrupt::new_err))
        }
        "SystemExit" => Some(match text.parse::<i64>() {
            Ok(status) => PySystemExit::new_err(status),
            Err(_) => given().map_or_else(|| PySystemExit::new_err(()), PySystemExit::new_err),
        }),
        _ => None,
    }
}

impl Batches {
    /// The reason why there are no more batches, once there is one.
    pub fn failure(&self) -> Failure {
        self.failure.clone()
    }

    /// The batches that an argument hands over, if it does.
    pub fn of(given: &Bound<'_, PyAny>, wanted: &Wanted) -> PyResult<Option<Self>> {
        if let Ok(columns) = given.cast::<PyDict>() {
            return Ok(Some(Self::of_batch(columns::batch(columns, wanted)?)));
        }
        if is_reader_of_pyarrow(given)? {
            return Self::of_reader(given).map(Some);
        }
        if let Ok(stream) = given.getattr("__arrow_c_stream__") {
            let batches = Self::of_stream(&stream)?;
            if !is_of_polars(given)? {
                return Ok(Some(batches));
            }
            refuse_objects(given, &batches.schema, wanted)?;
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

    fn of_reader(reader: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = reader.py();
        let capsule = reader.getattr("schema")?.call_method0("__arrow_c_schema__")?;
        // SAFETY: as in `array_of`.
        let schema = unsafe { schema_from(taken(&capsule, SCHEMA)?)? };
        let schema = Schema::try_from(&schema).map_err(|error| unreadable(py, &error.to_string()))?;
        let (schema, failure) = (Arc::new(schema), Failure::default());
        let reader = reader.clone().unbind();
        let batches = OfPyArrow { reader, schema: schema.clone(), failure: failure.clone(), has_ended: false };
        Ok(Self { failure, ..Self::new(schema, Box::new(batches)) })
    }

    fn new(schema: SchemaRef, batches: Box<dyn RecordBatchReader + Send>) -> Self {
        Self { schema, begun: VecDeque::new(), rest: Some(batches), interrupt: None, failure: Failure::default() }
    }

    fn of_array(pair: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self::of_batch(rows_of(pair)?))
    }

    /// The exception for an error of the next batch.
    pub fn cut_off(&self, py: Python<'_>, name: &str, error: &ArrowError) -> PyErr {
        let reason = || CutOff { reason: error.to_string(), error: None };
        self.failure.get_or_init(reason).raised(py, name)
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
            let _ = self.failure.set(CutOff { reason: error.to_string(), error: None });
        }
        batch
    }
}

impl RecordBatchReader for Batches {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

/// A reader of PyArrow, whose batches may come from a generator of Python. It is asked for one
/// after the other: a stream would hand over nothing but the text of an exception.
struct OfPyArrow {
    reader: Py<PyAny>,
    schema: SchemaRef,
    failure: Failure,
    has_ended: bool,
}

impl OfPyArrow {
    fn batch(&self, py: Python<'_>) -> PyResult<RecordBatch> {
        let batch = self.reader.bind(py).call_method0("read_next_batch")?;
        let rows = rows_of(&batch.call_method0("__arrow_c_array__")?)?;
        let names = |schema: &Schema| schema.fields().iter().map(|field| field.name().clone()).collect::<Vec<_>>();
        match names(rows.schema_ref()) == names(&self.schema) {
            true => Ok(rows),
            false => Err(PyValueError::new_err("a batch has other columns than the schema says")),
        }
    }

    fn read(&self, py: Python<'_>) -> Option<Result<RecordBatch, ArrowError>> {
        let error = match self.batch(py) {
            Ok(batch) => return Some(Ok(batch)),
            Err(error) if error.is_instance_of::<PyStopIteration>(py) => return None,
            Err(error) => error,
        };
        let reason = error.to_string();
        let _ = self.failure.set(CutOff { reason: reason.clone(), error: Some(error) });
        Some(Err(ArrowError::ExternalError(reason.into())))
    }
}

impl Iterator for OfPyArrow {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.has_ended {
            return None;
        }
        let batch = Python::attach(|py| self.read(py));
        self.has_ended = !matches!(batch, Some(Ok(_)));
        batch
    }
}

impl RecordBatchReader for OfPyArrow {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

fn is_reader_of_pyarrow(given: &Bound<'_, PyAny>) -> PyResult<bool> {
    let is_of_pyarrow = given.get_type().module()?.to_str()?.starts_with("pyarrow");
    Ok(is_of_pyarrow && given.hasattr("read_next_batch")? && given.hasattr("__arrow_c_stream__")?)
}

/// Whether it is something of Polars.
pub fn is_of_polars(given: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(given.get_type().module()?.to_str()?.starts_with("polars"))
}

/// Refuses columns of Python's objects that are looked at: Polars hands over where they are in
/// memory.
fn refuse_objects(given: &Bound<'_, PyAny>, schema: &SchemaRef, wanted: &Wanted) -> PyResult<()> {
    let is_address = |ty: &DataType| *ty == DataType::FixedSizeBinary(8);
    let addresses = schema.fields().iter().filter(|field| is_address(field.data_type()) && wanted.has(field.name()));
    let names: Vec<&str> = addresses.map(|field| field.name().as_str()).collect();
    if names.is_empty() || !given.hasattr("collect_schema")? {
        return Ok(());
    }
    given.py().import("traceward._frames")?.call_method1("refuse_objects", (given, names)).map(drop)
}

/// The frame of Polars with a type for each column, if some have none: Polars hands columns of
/// nothing but nulls over with a buffer, which they do not have, and so nobody takes them.
fn with_types<'py>(given: &Bound<'py, PyAny>, schema: &SchemaRef) -> PyResult<Option<Bound<'py, PyAny>>> {
    let is_untyped = schema.fields().iter().any(|field| is_untyped(field.data_type()));
    if !is_untyped {
        return Ok(None);
    }
    given.py().import("traceward._frames")?.call_method1("typed", (given,)).map(Some)
}

/// Whether a type, or a part of it, is that of nothing but nulls.
fn is_untyped(ty: &DataType) -> bool {
    match ty {
        DataType::Null => true,
        DataType::Struct(members) => members.iter().any(|member| is_untyped(member.data_type())),
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
            is_untyped(item.data_type())
        }
        _ => false,
    }
}

/// The array that a pair of capsules holds: its schema, and itself.
pub fn array_of(pair: &Bound<'_, PyAny>) -> PyResult<ArrayRef> {
    let pair = pair.cast::<PyTuple>()?;
    let (schema, array) = (taken(&pair.get_item(0)?, SCHEMA)?, taken::<FFI_ArrowArray>(&pair.get_item(1)?, ARRAY)?);
    // SAFETY: the capsules have the names of a schema and an array, and so hold them; nobody else
    // can use them meanwhile, as the lock is held. What is moved out is marked as released there.
    let (schema, array) = unsafe { (schema_from(schema)?, FFI_ArrowArray::from_raw(array)) };
    if array.is_released() {
        return Err(handed_over_before());
    }
    let wrong = |error| PyValueError::new_err(format!("the Arrow array cannot be read: {error}"));
    // SAFETY: an array that comes with its schema is laid out as that says; the protocol is so.
    let data = unsafe { from_ffi(array, &schema) }.map_err(wrong)?;
    Ok(make_array(data))
}

/// The schema that is moved out of where it is.
///
/// # Safety
/// As with [`FFI_ArrowSchema::from_raw`].
unsafe fn schema_from(schema: *mut FFI_ArrowSchema) -> PyResult<FFI_ArrowSchema> {
    // SAFETY: the first member of a schema is a pointer to its format, which one that was moved out
    // before has no more; the library takes it for granted.
    let is_released = unsafe { (*schema.cast::<*const std::ffi::c_char>()).is_null() };
    if is_released {
        return Err(handed_over_before());
    }
    // SAFETY: that is what the caller has to see to.
    Ok(unsafe { FFI_ArrowSchema::from_raw(schema) })
}

fn handed_over_before() -> PyErr {
    PyValueError::new_err("the Arrow data has been handed over before: a capsule is taken once")
}

/// The rows that a pair of capsules holds.
fn rows_of(pair: &Bound<'_, PyAny>) -> PyResult<RecordBatch> {
    let array = array_of(pair)?;
    let Some(rows) = array.as_struct_opt() else { return Err(single_column()) };
    if rows.null_count() > 0 {
        return Err(PyValueError::new_err("some rows are null as a whole: a table has none such"));
    }
    Ok(RecordBatch::from(rows))
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
