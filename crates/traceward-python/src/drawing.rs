//! Reports as pages and pictures, for notebooks.

use crate::error::of_problem;
use crate::report::NativeReport;
use pyo3::prelude::*;
use traceward_cli::binding::{self, Problem};

/// The report as a page to look at: a whole document of HTML.
#[pyfunction]
#[pyo3(signature = (report))]
pub fn page(report: &NativeReport) -> String {
    binding::report_page(&report.path, &report.report)
}

/// The values of the report's queries as a picture, in SVG.
#[pyfunction]
#[pyo3(signature = (report))]
pub fn picture(py: Python<'_>, report: &NativeReport) -> PyResult<String> {
    binding::report_picture(&report.path, &report.report).map_err(|problem| match problem {
        // It is about what was asked, and no file.
        Problem::Said(text) => of_problem(py, Problem::Usage(text), &report.path),
        other => of_problem(py, other, &report.path),
    })
}
