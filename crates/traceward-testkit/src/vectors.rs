//! Cases with known answers from a brute-force reference written straight from the definition:
//! `testdata/vectors`.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;

/// A line of `formulas.jsonl`.
#[derive(Clone, Debug, Deserialize)]
pub struct FormulaVector {
    /// `future`, `past`, `bounded` or `mixed`.
    pub family: String,
    /// The formula.
    pub formula: String,
    /// The bits of each variable, a character for each state.
    pub trace: BTreeMap<String, String>,
    /// The positions at which the formula holds, a bit for each.
    pub truth: String,
}

/// A line of `queries.jsonl`.
#[derive(Clone, Debug, Deserialize)]
pub struct QueryVector {
    /// The query.
    pub query: String,
    /// The states.
    pub trace: Vec<serde_json::Map<String, serde_json::Value>>,
    /// Its value at position 0: null for a failure, `[n, d]` for a fraction.
    pub value: serde_json::Value,
}

/// A line of `corners.jsonl`.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Corner {
    /// Two texts are one formula.
    Same {
        /// The one text.
        text: String,
        /// The other text.
        as_: String,
    },
    /// The text is refused as a property.
    Error {
        /// The text.
        text: String,
        /// The types of the variables.
        variables: BTreeMap<String, String>,
        /// The reason.
        why: String,
    },
    /// The verdict on a trace of no states.
    Empty {
        /// The formula.
        formula: String,
        /// Whether the formula holds.
        satisfied: bool,
    },
    /// Truth at every position of a CSV.
    Csv {
        /// The file.
        csv: String,
        /// The formula.
        formula: String,
        /// The positions at which the formula holds, a bit for each.
        truth: String,
    },
    /// The verdict for each key.
    By {
        /// The file.
        csv: String,
        /// The column of keys.
        key: String,
        /// The formula.
        formula: String,
        /// Whether the formula holds, for each key.
        satisfied: BTreeMap<String, bool>,
    },
    /// Truth at every position of a CSV with timestamps.
    Time {
        /// The file.
        csv: String,
        /// The column of timestamps.
        time: String,
        /// Their unit.
        unit: String,
        /// The formula.
        formula: String,
        /// The positions at which the formula holds, a bit for each.
        truth: String,
    },
    /// The value of a query.
    Query {
        /// The file.
        csv: String,
        /// The query.
        query: String,
        /// Its value at position 0.
        value: serde_json::Value,
    },
    /// The text is refused as a query.
    QueryError {
        /// The file.
        csv: String,
        /// The text.
        query: String,
    },
}

/// The lines of `formulas.jsonl`.
pub fn formulas() -> Vec<FormulaVector> {
    lines("formulas.jsonl")
}

/// The lines of `queries.jsonl`.
pub fn queries() -> Vec<QueryVector> {
    lines("queries.jsonl")
}

/// The lines of `corners.jsonl`.
pub fn corners() -> Vec<Corner> {
    lines("corners.jsonl")
}

fn lines<T: DeserializeOwned>(name: &str) -> Vec<T> {
    let path = crate::testdata("vectors").join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"))).collect()
}
