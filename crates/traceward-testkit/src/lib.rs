//! Never shipped: what Traceward's own tests are made of.
//!
//! [`enumerate`] makes all small formulas and short traces, [`generate`] random larger ones,
//! [`mutate`] inputs that are broken, [`vectors`] and [`corpus`] load cases with known answers, and
//! [`agreement`] holds engines against the definition.

pub mod agreement;
pub mod corpus;
pub mod enumerate;
pub mod generate;
pub mod mutate;
pub mod vectors;

use traceward_logic::ast::Named;
use traceward_logic::diagnostic::{Diagnostic, SourceId};
use traceward_logic::lower::{self, Declarations, Goal, Lowered, Schema};
use traceward_logic::parse;

/// Reads and lowers one text.
pub fn lowered(
    text: &str,
    goal: Goal,
    event: Option<&Named>,
    schema: Option<&Schema>,
) -> Result<Lowered, Vec<Diagnostic>> {
    let spec = parse::spec(SourceId::default(), text)?;
    let declarations = Declarations { event: event.cloned(), types: spec.trace.types.clone(), end_when: None };
    lower::lower(&[(spec, goal)], &declarations, schema)
}

/// The folder of test data that belongs to the project.
pub fn testdata(path: &str) -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata").join(path)
}
