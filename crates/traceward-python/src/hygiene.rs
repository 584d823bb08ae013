//! What is said of specs without a trace: `lint`, `compare`, `automaton`, `explain_plan`.

use crate::error::{in_python, of_problem};
use crate::options::{refuse_unknown, words};
use crate::report::{Answer, unanswered};
use crate::spec::Spec;
use crate::work::{Length, done};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::Serialize;
use std::path::Path;
use traceward::Goal;
use traceward_cli::binding::{self, AutomatonRequest, HygieneRequest, PlanRequest, Problem};
use traceward_wire::{ComparisonDocument, LintDocument};

fn misunderstood(py: Python<'_>) -> impl Fn(Problem) -> PyErr {
    move |problem| of_problem(py, problem, Path::new(""))
}

fn json(document: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(document).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// The spec of a question without a trace.
fn asked(py: Python<'_>, spec: &Bound<'_, PyAny>, options: Option<&Bound<'_, PyDict>>) -> PyResult<traceward::Spec> {
    let words = words(options)?;
    refuse_unknown(options, &HygieneRequest::names())?;
    let request = HygieneRequest::parse(&words).map_err(misunderstood(py))?;
    Spec::of(spec)?.get().read(py, Goal::Check, request.settings())
}

/// Tells which properties can never hold, can never fail, follow from others, or cannot hold
/// together.
#[pyfunction]
#[pyo3(signature = (spec, options))]
pub fn lint(py: Python<'_>, spec: &Bound<'_, PyAny>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Answer> {
    let spec = asked(py, spec, options)?;
    let found = done(py, Length::Long, move |interrupt| traceward::hygiene::lint_until(&spec, interrupt))?;
    let lint = found.map_err(|error| unanswered(py, &error))?;
    Ok(Answer::new(json(&LintDocument::from(&lint))?, in_python(&binding::lint_text(&lint))))
}

/// Tells whether two formulas mean the same.
#[pyfunction]
#[pyo3(signature = (spec, options))]
pub fn compare(py: Python<'_>, spec: &Bound<'_, PyAny>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Answer> {
    let spec = asked(py, spec, options)?;
    let found = done(py, Length::Long, move |interrupt| traceward::hygiene::compare_until(&spec, interrupt))?;
    let comparison = found.map_err(|error| unanswered(py, &error))?;
    Ok(Answer::new(json(&ComparisonDocument::from(&comparison))?, in_python(&binding::comparison_text(&comparison))))
}

/// The automaton of a property in one of its forms.
#[pyfunction]
#[pyo3(signature = (spec, form, options))]
pub fn automaton(
    py: Python<'_>,
    spec: &Bound<'_, PyAny>,
    form: String,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<String> {
    let words = words(options)?;
    refuse_unknown(options, &AutomatonRequest::names())?;
    let mut request = AutomatonRequest::parse(&words).map_err(misunderstood(py))?;
    let spec = Spec::of(spec)?.get().read(py, request.goal(), request.settings())?;
    let made = done(py, Length::Long, move |interrupt| request.form(&spec, &form, interrupt))?;
    made.map_err(|problem| match problem {
        // It is about what was asked, and no file.
        Problem::Said(text) => misunderstood(py)(Problem::Usage(text)),
        other => misunderstood(py)(other),
    })
}

/// What becomes of formulas and queries.
#[pyfunction]
#[pyo3(signature = (spec, options))]
pub fn explain_plan(py: Python<'_>, spec: &Bound<'_, PyAny>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Answer> {
    let words = words(options)?;
    refuse_unknown(options, &PlanRequest::names())?;
    let request = PlanRequest::parse(&words).map_err(misunderstood(py))?;
    let spec = Spec::of(spec)?.get().read(py, Goal::Check, request.settings())?;
    let made = done(py, Length::Long, move |_| request.answer(&spec))?;
    let (json, text) = made.map_err(misunderstood(py))?;
    Ok(Answer::new(json, in_python(&text)))
}
