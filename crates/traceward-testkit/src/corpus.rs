//! The project's own cases: `testdata/corpus/*.toml`, run by every engine.

use serde::Deserialize;
use std::collections::BTreeMap;
use traceward_logic::bitmap::Bitmap;
use traceward_logic::lower::{Claim, Goal, Lowered};
use traceward_logic::trace::{Column, Trace};

/// A formula, a trace, and where the formula holds.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// The name, which says what the case is about.
    pub name: String,
    /// The formula.
    pub formula: String,
    /// The bits of each variable, a character for each state.
    pub trace: BTreeMap<String, String>,
    /// The timestamps in nanoseconds, if the formula needs them.
    #[serde(default)]
    pub time: Option<Vec<i64>>,
    /// The positions at which the formula holds, a bit for each.
    pub truth: String,
}

#[derive(Deserialize)]
struct File {
    case: Vec<Case>,
}

/// All cases, in order of file name.
///
/// # Panics
/// If a file cannot be read.
pub fn cases() -> Vec<Case> {
    let folder = crate::testdata("corpus");
    let mut paths: Vec<_> = std::fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("a readable folder").path())
        .collect();
    paths.sort();
    let read = |path: &std::path::PathBuf| {
        let text = std::fs::read_to_string(path).expect("a readable file");
        let file: File = toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        file.case
    };
    paths.iter().flat_map(read).collect()
}

impl Case {
    /// The formula lowered, and the trace with its columns in the order of the formula's variables.
    ///
    /// # Panics
    /// If the formula is refused.
    pub fn prepare(&self) -> (Lowered, Claim, Trace) {
        prepare(&self.formula, &self.trace, self.time.clone(), self.truth.len())
    }
}

/// Lowers a formula over boolean variables and lays out a trace for it.
///
/// # Panics
/// If the formula is refused.
pub fn prepare(
    formula: &str,
    bits: &BTreeMap<String, String>,
    time: Option<Vec<i64>>,
    len: usize,
) -> (Lowered, Claim, Trace) {
    let lowered =
        crate::lowered(formula, Goal::Check, None, None).unwrap_or_else(|errors| panic!("{formula}: {errors:?}"));
    let column = |name: &str| {
        let text = bits.get(name).unwrap_or_else(|| panic!("{formula}: no variable {name}"));
        Column::of_bools(Bitmap::from_text(text))
    };
    let columns = lowered.variables.list().iter().map(|variable| column(&variable.name)).collect();
    let claim = lowered.properties[0].claim.clone();
    (lowered, claim, Trace { len, columns, time: time.map(Into::into) })
}
