//! Values of Python as values of a state.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple, PyType};
use traceward::Value;

/// A date or a duration of NumPy that is none.
pub const NOT_A_TIME: i64 = i64::MIN;

/// What an object of Python is to a state.
pub enum Given<'py> {
    /// A value.
    Value(Value),
    /// A moment, in nanoseconds since 1970.
    Moment(i64),
    /// Values with names, or with numbers, of their own.
    Members(Bound<'py, PyAny>),
}

/// What an object is to a state, or why it is nothing.
pub fn given<'py>(object: &Bound<'py, PyAny>) -> Result<Given<'py>, String> {
    if let Ok(bit) = object.cast_exact::<PyBool>() {
        return Ok(Given::Value(Value::Bool(bit.is_true())));
    }
    if let Ok(text) = object.cast_exact::<PyString>() {
        return text_of(text).map(Given::Value);
    }
    if let Ok(int) = object.cast_exact::<PyInt>() {
        return int_of(int).map(Given::Value);
    }
    if let Ok(float) = object.cast_exact::<PyFloat>() {
        return Ok(Given::Value(Value::float(float.value())));
    }
    if object.is_none() {
        return Ok(Given::Value(Value::Missing));
    }
    rare(object)
}

fn text_of(text: &Bound<'_, PyString>) -> Result<Value, String> {
    let text = text.to_str().map_err(|_| "a text that is no Unicode (lone surrogates)".to_owned())?;
    Ok(Value::Str(text.into()))
}

fn int_of(int: &Bound<'_, PyAny>) -> Result<Value, String> {
    let int = int.extract().map_err(|_| "an integer beyond 64 bits".to_owned())?;
    Ok(Value::Int(int))
}

/// What is no plain value: subclasses, numbers of NumPy, dates, durations, decimals, containers.
fn rare<'py>(object: &Bound<'py, PyAny>) -> Result<Given<'py>, String> {
    if object.is_instance_of::<PyDict>() || object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>() {
        return Ok(Given::Members(object.clone()));
    }
    let kind = object.get_type().name().map(|name| name.to_string()).unwrap_or_default();
    // What pandas has for missing values; the one is a `datetime`.
    if kind == "NaTType" || kind == "NAType" {
        return Ok(Given::Value(Value::Missing));
    }
    if let Some(moment) = moment(object)? {
        return Ok(Given::Moment(moment));
    }
    // Enumerations of texts or integers, and NumPy's floats, are subclasses.
    if let Ok(text) = object.cast::<PyString>() {
        return text_of(text).map(Given::Value);
    }
    if object.is_instance_of::<PyInt>() {
        return int_of(object).map(Given::Value);
    }
    if let Ok(float) = object.cast::<PyFloat>() {
        return Ok(Given::Value(Value::float(float.value())));
    }
    // What these are inside is a bare number if their unit is nanoseconds or shorter, or years.
    if kind == "datetime64" || kind == "timedelta64" {
        return time_of_numpy(object, &kind);
    }
    // Scalars of NumPy, PyTorch and their like are a plain value of Python inside.
    if let Ok(item) = object.call_method0("item")
        && !item.get_type().is(object.get_type())
    {
        return given(&item);
    }
    static PLAIN: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let plain = PLAIN.import(object.py(), "traceward._plain", "plain").and_then(|plain| plain.call1((object,)));
    if let Ok(plain) = plain
        && !plain.is(object)
    {
        return given(&plain);
    }
    Err(format!("{kind} is no value of a state: booleans, numbers, texts, None and datetimes are"))
}

/// The moment or the duration that a scalar of NumPy is, of whatever unit.
fn time_of_numpy<'py>(object: &Bound<'py, PyAny>, kind: &str) -> Result<Given<'py>, String> {
    let is_moment = kind == "datetime64";
    let find = || -> PyResult<Option<i64>> {
        let code: String = object.getattr("dtype")?.getattr("str")?.extract()?;
        // NumPy has a length for years and months, which have none.
        if !is_moment && code.trim_end_matches(']').ends_with(['Y', 'M']) {
            return Ok(None);
        }
        let exact = object.call_method1("astype", (if is_moment { "M8[ns]" } else { "m8[ns]" },))?;
        // NumPy lets what does not fit wrap.
        let back = exact.call_method1("astype", (object.getattr("dtype")?,))?;
        let is_same = back.call_method0("tobytes")?.eq(object.call_method0("tobytes")?)?;
        let nanoseconds = exact.call_method1("astype", ("i8",))?.extract::<i64>()?;
        Ok(is_same.then_some(nanoseconds))
    };
    match find() {
        Ok(Some(NOT_A_TIME)) => Ok(Given::Value(Value::Missing)),
        Ok(Some(nanoseconds)) if is_moment => Ok(Given::Moment(nanoseconds)),
        Ok(Some(nanoseconds)) => Ok(Given::Value(Value::Int(nanoseconds))),
        Ok(None) | Err(_) => Err(format!("a {kind} that is no whole number of nanoseconds in 64 bits")),
    }
}

/// The moment that a `datetime` is; one without a zone is UTC, as in a file.
fn moment(object: &Bound<'_, PyAny>) -> Result<Option<i64>, String> {
    static DATETIME: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    static EPOCH: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = object.py();
    let find = || -> PyResult<Option<i64>> {
        if !object.is_instance(DATETIME.import(py, "datetime", "datetime")?)? {
            return Ok(None);
        }
        // Those of pandas have nanoseconds.
        if let Ok(nanoseconds) = object.getattr("value").and_then(|value| value.extract::<i64>()) {
            return Ok(Some(nanoseconds));
        }
        let epoch = EPOCH.import(py, "traceward._plain", "EPOCH")?;
        let aware = match object.getattr("tzinfo")?.is_none() {
            true => object.call_method("replace", (), Some(&utc(py)?))?,
            false => object.clone(),
        };
        let since = aware.sub(epoch)?;
        let part = |name: &str| since.getattr(name)?.extract::<i64>();
        let (days, seconds, microseconds) = (part("days")?, part("seconds")?, part("microseconds")?);
        let moment = i128::from(days * 86_400 + seconds) * 1_000_000_000 + i128::from(microseconds) * 1000;
        Ok(Some(i64::try_from(moment).map_err(|_| pyo3::exceptions::PyOverflowError::new_err("out of range"))?))
    };
    find().map_err(|_| "a date that is out of range, between 1677 and 2262".to_owned())
}

fn utc(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    static UTC: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let zone = UTC.import(py, "traceward._plain", "UTC")?;
    let argument = PyDict::new(py);
    argument.set_item("tzinfo", zone)?;
    Ok(argument)
}
