//! The answer, as data.

pub use crate::runs::{CoverageReport, UnusedPart, WaitingReport};
use std::sync::Arc;
use traceward_engine::engine::EngineStatistics;
use traceward_engine::select::EngineName;
use traceward_logic::bitmap::Bitmap;
use traceward_logic::value::Value;
use traceward_logic::verdict::Verdict;
use traceward_trace::Note;

/// What was found out about a trace.
#[derive(Clone, Debug)]
pub struct Report {
    /// About the trace itself.
    pub trace: TraceReport,
    /// About each property, in the spec's order.
    pub properties: Vec<PropertyReport>,
    /// About each query, in the spec's order.
    pub queries: Vec<QueryReport>,
}

impl Report {
    /// Whether any property is violated.
    pub fn is_violated(&self) -> bool {
        self.properties.iter().any(|property| property.verdict == Verdict::Violated)
    }
}

/// About a trace.
#[derive(Clone, Debug, Default)]
pub struct TraceReport {
    /// The number of states.
    pub states: usize,
    /// If it was split, the keys in order of first appearance, and how many states each has.
    pub keys: Option<Vec<(Arc<str>, usize)>>,
    /// The first and last timestamp in nanoseconds, if it has timestamps.
    pub span: Option<(i64, i64)>,
    /// For each variable that met a missing value, how often.
    pub missing: Vec<(Arc<str>, usize)>,
    /// What the reader noticed.
    pub notes: Vec<Note>,
    /// The paper's table, if it was asked for.
    pub table: Option<String>,
}

/// About a property.
#[derive(Clone, Debug)]
pub struct PropertyReport {
    /// Its name.
    pub name: String,
    /// The description in the spec.
    pub description: Option<Arc<str>>,
    /// Its text in the spec.
    pub formula: String,
    /// Whether it holds.
    pub verdict: Verdict,
    /// The engine that found out.
    pub engine: EngineName,
    /// The position whose state made the verdict final; none if that was only known at the end.
    pub decided_at: Option<usize>,
    /// Whether that position is the least possible.
    pub decided_exact: bool,
    /// What finding out has cost at its most; over all keys, if the trace was split.
    pub cost: Cost,
    /// Where it holds, if that was asked for.
    pub truth: Option<Bitmap>,
    /// What speaks for the verdict.
    pub evidence: Evidence,
    /// By key, if the trace was split.
    pub keys: Option<KeysReport>,
}

/// What answering has cost an engine at its most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cost {
    /// Nobody asked.
    #[default]
    NotAsked,
    /// The engine does not count.
    Unknown,
    /// So much.
    Known(EngineStatistics),
}

impl Cost {
    /// The cost, if it was asked for.
    pub(crate) fn asked(asked: bool, statistics: Option<EngineStatistics>) -> Self {
        match (asked, statistics) {
            (false, _) => Self::NotAsked,
            (true, None) => Self::Unknown,
            (true, Some(statistics)) => Self::Known(statistics),
        }
    }
}

/// What speaks for a verdict.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evidence {
    /// Where the body of an always fails.
    pub violations: Option<Violations>,
    /// The state at which a violated property that is no always was judged.
    pub judged_at: Option<Violation>,
    /// What is owed at the end of a trace that goes on.
    pub owed: Vec<OwedReport>,
    /// What an assert compared; none for other properties.
    pub compared: Option<Compared>,
    /// Which parts mattered, if that was asked.
    pub coverage: Option<CoverageReport>,
    /// How long eventualities waited, if that was asked.
    pub waiting: Option<Vec<WaitingReport>>,
}

/// What an assert compared with its constant.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    /// The value of the query; none if it failed.
    pub value: Option<Value>,
}

/// Something that is owed at the end of a trace that goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwedReport {
    /// What has to come about.
    pub obligation: String,
    /// The position at which it was asked for.
    pub since: usize,
    /// The line of that state in the input.
    pub line: u64,
    /// The first position at which it may come about, if that is not the next.
    pub from: Option<u64>,
    /// The last position at which it may come about; none if there is no end.
    pub until: Option<u64>,
    /// Whether there is no other way.
    pub is_necessary: bool,
}

/// Where the body of an always fails.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Violations {
    /// At how many positions.
    pub count: usize,
    /// The first of them.
    pub first: Vec<Violation>,
}

/// A position at which the body of an always fails.
#[derive(Clone, Debug, PartialEq)]
pub struct Violation {
    /// Where in the trace (or in the key's part of it).
    pub position: usize,
    /// The line of the state in the input.
    pub line: u64,
    /// The timestamp of the state, if it has one.
    pub time: Option<i64>,
    /// The values of the variables that the property speaks of.
    pub values: Vec<(Arc<str>, Value)>,
}

/// About a property, by key.
#[derive(Clone, Debug, Default)]
pub struct KeysReport {
    /// How many keys there are.
    pub checked: usize,
    /// For how many of them it is violated.
    pub violated: usize,
    /// The verdict for each key, in order of first appearance.
    pub verdicts: Vec<Verdict>,
    /// The first keys for which it is violated.
    pub first_violations: Vec<KeyVerdict>,
}

/// The verdict for a key.
#[derive(Clone, Debug)]
pub struct KeyVerdict {
    /// The key.
    pub key: Arc<str>,
    /// Whether the property holds for it.
    pub verdict: Verdict,
    /// What speaks for that.
    pub evidence: Evidence,
}

/// About a query.
#[derive(Clone, Debug)]
pub struct QueryReport {
    /// Its name.
    pub name: String,
    /// The description in the spec.
    pub description: Option<Arc<str>>,
    /// Its text in the spec.
    pub query: String,
    /// What was measured.
    pub value: QueryValue,
    /// How many requests of a latency were never answered; none if it has no latency.
    pub unanswered: Option<usize>,
}

/// The value of a query.
#[derive(Clone, Debug)]
pub enum QueryValue {
    /// On the whole trace; none if it failed.
    Whole(Option<Value>),
    /// For each key, in order of first appearance.
    ByKey(Vec<(Arc<str>, Option<Value>)>),
}
