//! Traceward for Python: the native module `traceward._native` of the wheel.
//!
//! What is here takes Python's objects apart and asks the library; the classes that people see are
//! in `python/traceward`, made from the documents of `traceward-wire`. Options are those of the
//! command line, through its own definition (`traceward_cli::binding`).

mod columns;
mod counted;
mod data;
mod drawing;
mod error;
mod hygiene;
mod monitor;
mod needs;
mod options;
mod report;
mod spec;
mod table;
mod value;
mod work;

use pyo3::prelude::*;
use std::ffi::OsString;
use traceward::message::Shown;

/// Runs the program `traceward` with these arguments, of which the first is its name, and returns
/// its exit status.
#[pyfunction]
fn main(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| traceward_cli::run(arguments))
}

/// A text from a trace as people may safely see it: nothing in it is obeyed by a terminal.
#[pyfunction]
fn shown(text: &str) -> String {
    Shown(text).to_string()
}

/// The native part of the package `traceward`.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::drawing::{page, picture};
    #[pymodule_export]
    use super::hygiene::{automaton, compare, explain_plan, lint};
    #[pymodule_export]
    use super::monitor::{Change, Monitor};
    #[pymodule_export]
    use super::needs::needs;
    #[pymodule_export]
    use super::report::{Answer, NativeReport, check, inspect};
    #[pymodule_export]
    use super::spec::Spec;
    #[pymodule_export]
    use super::table::ArrowTable;
    #[pymodule_export]
    use super::{main, shown};

    #[pymodule_init]
    fn init(_module: &pyo3::Bound<'_, pyo3::types::PyModule>) -> pyo3::PyResult<()> {
        traceward_cli::binding::hush_caught_panics();
        Ok(())
    }

    /// The version of the package.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
