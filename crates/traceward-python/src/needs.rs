//! What a spec needs of a trace, for those who can leave out the rest before it is read.

use crate::spec::Spec;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use traceward::Goal;

/// The columns that a spec with these options speaks of: variables, those that hold the time, and
/// the key.
#[pyfunction]
#[pyo3(signature = (spec, measures, options))]
pub fn needs(
    py: Python<'_>,
    spec: &Bound<'_, PyAny>,
    measures: bool,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<(Vec<String>, Vec<String>, Option<String>)> {
    let goal = if measures { Goal::Query } else { Goal::Check };
    let prepared = Spec::of(spec)?.get().prepared(py, goal, options)?;
    let spec = &prepared.spec;
    Ok((variables(spec).collect(), times(spec).collect(), spec.settings().by.clone()))
}

/// All columns that a spec speaks of.
pub fn needed(spec: &traceward::Spec) -> Vec<String> {
    variables(spec).chain(times(spec)).chain(spec.settings().by.clone()).collect()
}

fn variables(spec: &traceward::Spec) -> impl Iterator<Item = String> {
    spec.variables().iter().map(|variable| variable.name.to_string())
}

fn times(spec: &traceward::Spec) -> impl Iterator<Item = String> {
    spec.settings().time.iter().flat_map(|time| time.columns()).cloned()
}
