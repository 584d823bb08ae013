//! Keyword arguments as words of a command line.
//!
//! `by="Case ID"` is `--by=Case ID`, `prefix=True` is `--prefix`, a list repeats its option, and
//! `type={"code": "string"}` is `--type=code:string`. What the words mean is not known here.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use std::ffi::OsString;
use std::path::PathBuf;

/// The words that keyword arguments come to, in their order.
pub fn words(options: Option<&Bound<'_, PyDict>>) -> PyResult<Vec<OsString>> {
    let mut words = Vec::new();
    for (name, value) in options.into_iter().flatten() {
        let name = name.cast::<PyString>()?.to_str()?.replace('_', "-");
        add(&mut words, &name, &value)?;
    }
    Ok(words)
}

fn add(words: &mut Vec<OsString>, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
    if value.is_none() {
        return Ok(());
    }
    // Booleans of NumPy are none of Python.
    if let Ok(flag) = value.extract::<bool>() {
        // The policy for missing values is an option whose value is called `false`.
        match (name, flag) {
            ("missing", flag) => words.push(format!("--missing={flag}").into()),
            (_, true) => words.push(format!("--{name}").into()),
            (_, false) => {}
        }
        return Ok(());
    }
    if let Ok(members) = value.cast::<PyDict>() {
        for (key, value) in members {
            words.push(format!("--{name}={}:{}", text(name, &key)?, text(name, &value)?).into());
        }
        return Ok(());
    }
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        return value.try_iter()?.try_for_each(|one| add_one(words, name, &one?));
    }
    words.push(format!("--{name}={}", text(name, value)?).into());
    Ok(())
}

/// Adds a member of a list, which is no list itself.
fn add_one(words: &mut Vec<OsString>, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        return text(name, value).map(drop);
    }
    add(words, name, value)
}

/// A value of an option as text.
fn text(name: &str, value: &Bound<'_, PyAny>) -> PyResult<String> {
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(text.to_str()?.to_owned());
    }
    if value.is_instance_of::<PyInt>() || value.is_instance_of::<PyFloat>() {
        return Ok(value.str()?.to_str()?.to_owned());
    }
    // Integers of NumPy are none of Python; arrays say that they may be some, and mostly are not.
    static INDEX: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    if let Ok(int) = INDEX.import(value.py(), "operator", "index")?.call1((value,)) {
        return Ok(int.str()?.to_str()?.to_owned());
    }
    if let Ok(path) = value.extract::<PathBuf>() {
        return Ok(path.to_string_lossy().into_owned());
    }
    let (name, kind) = (name.replace('-', "_"), value.get_type().name()?);
    Err(PyTypeError::new_err(format!("{name}: a text, a number, a boolean, a list or a dict is needed, not {kind}")))
}

/// Refuses names that no option has.
pub fn refuse_unknown(options: Option<&Bound<'_, PyDict>>, names: &[String]) -> PyResult<()> {
    let known: Vec<String> = names.iter().map(|name| name.replace('-', "_")).collect();
    for name in options.into_iter().flat_map(|options| options.keys()) {
        let name = name.cast::<PyString>()?.to_str()?.to_owned();
        if !known.contains(&name) {
            let near = traceward::message::did_you_mean(&name, known.iter().map(String::as_str));
            let near = near.unwrap_or_else(|| format!("there are {}", known.join(", ")));
            return Err(PyTypeError::new_err(format!("there is no option `{name}`: {near}")));
        }
    }
    Ok(())
}
