//! The answer of `inspect`.

use crate::{VERSION, Value};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use traceward::input::{ColumnInspection, Counted, Distinct, Inspection, Suggestion, TimeGuess};

/// What a trace holds.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct InspectionDocument {
    /// The version of the documents.
    pub version: u32,
    /// Its path, `-` for standard input.
    pub path: String,
    /// Its format.
    pub format: String,
    /// The number of states.
    pub states: u64,
    /// The columns, in order of appearance.
    pub columns: Vec<Column>,
    /// The separator of CSV fields.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub separator: Option<char>,
    /// The first and the last timestamp in nanoseconds, if a time column was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_span_ns: Option<(i64, i64)>,
    /// The number of keys, if a key column was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keys: Option<usize>,
    /// What the reader noticed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Properties to begin with, the best first.
    #[serde(default)]
    pub suggestions: Vec<SuggestedCommand>,
}

/// A property that makes sense for a trace.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SuggestedCommand {
    /// The command that checks it, as a list of arguments; the first is the program.
    pub command: Vec<String>,
    /// What it says, for people.
    pub claim: String,
    /// The share of keys or states for which it holds, of those of which it says something.
    pub share: f64,
    /// The number of keys or states for which it holds.
    pub holds: u64,
    /// The number of keys or states of which it says something.
    pub asked: u64,
    /// What these numbers count: `keys` or `states`.
    pub counted: String,
    /// The number of states that were looked at, if it is not all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub looked_at: Option<u64>,
}

impl SuggestedCommand {
    /// The document of a suggestion; the command and its claim are worded by whoever knows options.
    pub fn new(command: Vec<String>, claim: String, suggestion: &Suggestion) -> Self {
        let Suggestion { claim: _, key: _, time: _, counted, asked, holds, looked_at } = suggestion;
        let counted = match counted {
            Counted::Keys => "keys",
            Counted::States => "states",
        };
        Self {
            command,
            claim,
            share: *holds as f64 / (*asked).max(1) as f64,
            holds: *holds,
            asked: *asked,
            counted: counted.to_owned(),
            looked_at: *looked_at,
        }
    }
}

impl InspectionDocument {
    /// The document of an inspection; `path` is what to call the trace.
    pub fn new(path: &str, inspection: &Inspection, suggestions: Vec<SuggestedCommand>) -> Self {
        let Inspection { format, separator, rows, columns, time_span, keys, suggestions: _, notes } = inspection;
        Self {
            version: VERSION,
            path: path.to_owned(),
            format: format.to_string(),
            states: *rows,
            columns: columns.iter().map(Column::from).collect(),
            separator: separator.map(char::from),
            time_span_ns: *time_span,
            keys: *keys,
            notes: notes.iter().map(ToString::to_string).collect(),
            suggestions,
        }
    }
}

/// What a column holds.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// The type of its values: `empty`, `bool`, `int`, `float` or `text`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The number of records with a value.
    pub present: u64,
    /// The number of records without one.
    pub missing: u64,
    /// The number of different values.
    pub distinct: usize,
    /// Whether there are more different values than were counted.
    pub distinct_is_lower_bound: bool,
    /// Some different values, in order of appearance.
    pub examples: Vec<String>,
    /// Whether it looks like a column to split the trace by.
    pub looks_like_key: bool,
    /// The least value of a column of numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<Value>,
    /// The largest value of a column of numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<Value>,
    /// The first and the last moment of a column of dates, in nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dates_ns: Option<(i64, i64)>,
    /// If it looks like timestamps: the layout of dates, or the unit of numbers, null where that
    /// cannot be told.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "crate::report::asked")]
    #[schemars(with = "Option<String>")]
    pub looks_like_time: Option<Option<String>>,
}

impl From<&ColumnInspection> for Column {
    fn from(column: &ColumnInspection) -> Self {
        #[rustfmt::skip]
        let ColumnInspection {
            name, kind, present, missing, range, dates, distinct, examples, time, looks_like_key,
        } = column;
        let (distinct, distinct_is_lower_bound) = match distinct {
            Distinct::Exactly(count) => (*count, false),
            Distinct::MoreThan(count) => (*count, true),
        };
        Self {
            name: name.clone(),
            kind: kind.to_string(),
            present: *present,
            missing: *missing,
            distinct,
            distinct_is_lower_bound,
            examples: examples.clone(),
            looks_like_key: *looks_like_key,
            min: range.as_ref().map(|(least, _)| least.into()),
            max: range.as_ref().map(|(_, largest)| largest.into()),
            dates_ns: *dates,
            looks_like_time: time.as_ref().map(|guess| match guess {
                TimeGuess::Dates(layout) => Some((*layout).to_owned()),
                TimeGuess::Numbers(unit) => unit.map(|unit| unit.to_string()),
            }),
        }
    }
}
