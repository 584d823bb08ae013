//! The answer, as data.

pub use crate::experiment::{Clock, ExperimentReport, Figures, Findings, Points, Sample, Summarised};
pub use crate::runs::{
    CoverageReport, CoveredPart, Distribution, Fate, RunCoverage, UnusedPart, WaitingReport, WorstWait,
};
pub use crate::summary::{Frequencies, Numbers, Spread, Summary};
pub use crate::warning::{Subject, Warning, WarningKind};
use std::ops::RangeInclusive;
use std::sync::Arc;
use traceward_engine::engine::EngineStatistics;
pub use traceward_engine::engine::walkthrough::{
    Conclusion, Content, HeldGraph, HeldId, HeldSet, HeldState, HeldVertex, ShownState, Stage, Walkthrough,
    WalkthroughStep,
};
use traceward_engine::query::Tolerance;
use traceward_engine::select::EngineName;
use traceward_logic::bitmap::Bitmap;
pub use traceward_logic::formula::{Direction, Unit};
pub use traceward_logic::query::Measure;
use traceward_logic::value::Value;
use traceward_logic::verdict::Verdict;
use traceward_trace::{Key, LineUnit, Note, SourcePlace};

/// The report on a trace: the answers to all questions of a spec.
#[derive(Clone, Debug)]
pub struct Report {
    /// The report on the trace itself.
    pub trace: TraceReport,
    /// The report on each property, in the spec's order.
    pub properties: Vec<PropertyReport>,
    /// The report on each query, in the spec's order.
    pub queries: Vec<QueryReport>,
    /// Probable mistakes in what was asked.
    pub warnings: Vec<Warning>,
}

impl Report {
    /// Whether any property is violated.
    pub fn is_violated(&self) -> bool {
        self.properties.iter().any(|property| property.verdict == Verdict::Violated)
    }

    /// Whether some property has no answer: its verdict may be another, and nobody can tell.
    pub fn is_unanswered(&self) -> bool {
        self.warnings.iter().any(|warning| warning.kind.leaves_unanswered())
    }
}

/// The report on the trace itself.
#[derive(Clone, Debug, Default)]
pub struct TraceReport {
    /// The number of states.
    pub states: usize,
    /// What lines of the input are: rows, if it is a table.
    pub line_unit: LineUnit,
    /// The keys in order of first appearance, with the number of states of each; none if the trace
    /// was not split.
    pub keys: Option<Vec<(Key, usize)>>,
    /// The first and last timestamp in nanoseconds, if the trace has timestamps.
    pub span: Option<(i64, i64)>,
    /// The variables that met missing values, with the number of times.
    pub missing: Vec<(Arc<str>, usize)>,
    /// The notes of the reader.
    pub notes: Vec<Note>,
    /// The paper's table, if it was asked for.
    pub table: Option<String>,
}

/// The report on a property.
#[derive(Clone, Debug)]
pub struct PropertyReport {
    /// The name.
    pub name: String,
    /// The description in the spec.
    pub description: Option<Arc<str>>,
    /// The text in the spec.
    pub formula: String,
    /// The verdict on the property.
    pub verdict: Verdict,
    /// The engine that found the verdict.
    pub engine: EngineName,
    /// The position whose state made the verdict final; none if that was only known at the end.
    pub decided_at: Option<usize>,
    /// Whether that position is the least possible.
    pub decided_exact: bool,
    /// The highest cost of finding the verdict; over all keys, if the trace was split.
    pub cost: Cost,
    /// The positions at which the property holds, if they were asked for.
    pub truth: Option<Bitmap>,
    /// The trigger that never happened, if the property is satisfied only because of that; if the
    /// trace was split, only where it is so for all keys.
    pub vacuous: Option<String>,
    /// The evidence for the verdict.
    pub evidence: Evidence,
    /// What became of what the property asks for within a window, over all keys; nothing while a
    /// trace goes on.
    pub responses: Vec<ResponseReport>,
    /// The verdicts by key, if the trace was split.
    pub keys: Option<KeysReport>,
    /// The steps of the engine that found the verdict, if they were asked for; none for an assert.
    pub walkthrough: Option<Walkthrough>,
}

/// The highest cost of an engine in answering.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cost {
    /// The cost was not asked for.
    #[default]
    NotAsked,
    /// The engine does not count its cost.
    Unknown,
    /// The cost that the engine counted.
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

/// The report on something that a property asks for within a window: `F[0,5] q` in
/// `G(p -> F[0,5] q)`.
#[derive(Clone, Debug, PartialEq)]
pub struct ResponseReport {
    /// The response, in the words of the spec.
    pub response: String,
    /// The number of times it came in time.
    pub in_time: usize,
    /// The number of times it came when its window was over.
    pub late: usize,
    /// The number of times it never came.
    pub never: usize,
    /// The largest bound that was needed by a response that came; none if none did.
    pub largest: Option<NeededBound>,
}

impl ResponseReport {
    /// The number of times the response was asked for.
    pub fn asked(&self) -> usize {
        self.in_time + self.late + self.never
    }

    /// The tightest bound that would have held; none if one never came, or none was asked for.
    pub fn tightest(&self) -> Option<&NeededBound> {
        self.largest.as_ref().filter(|_| self.never == 0)
    }
}

/// The least far end of a window by which a response came.
#[derive(Clone, Debug, PartialEq)]
pub struct NeededBound {
    /// The far end, in steps or nanoseconds.
    pub bound: u64,
    /// The unit in which it counts.
    pub unit: Unit,
    /// The key, if the trace was split.
    pub key: Option<Arc<str>>,
    /// The first state at which so much was needed.
    pub at: Place,
}

/// The evidence for a verdict.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evidence {
    /// The positions at which the body of an always fails.
    pub violations: Option<Violations>,
    /// The state at which a violated property that is no always was judged.
    pub judged_at: Option<Violation>,
    /// The obligations that are open at the end of a trace that goes on.
    pub owed: Vec<OwedReport>,
    /// A timeline for each position since which something is owed, if timelines were asked for.
    pub owed_since: Vec<Timeline>,
    /// The values that an assert compared; none for other properties.
    pub compared: Option<Compared>,
    /// The parts that mattered, if they were asked for.
    pub coverage: Option<CoverageReport>,
    /// The waiting times of eventualities, if they were asked for.
    pub waiting: Option<Vec<WaitingReport>>,
}

/// The values that an assert compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    /// The value of the query; none if it has none.
    pub value: Option<Value>,
    /// The counterpart that it was compared with.
    pub with: Counterpart,
    /// What the numbers in the value are.
    pub measure: Measure,
}

/// The counterpart with which an assert compares the value of a query.
#[derive(Clone, Debug, PartialEq)]
pub enum Counterpart {
    /// A constant.
    Constant(Value),
    /// Another query with its value; none if it has none.
    Query(Option<Value>),
}

/// An obligation that is open at the end of a trace that goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwedReport {
    /// The formula that has to come about, as text.
    pub obligation: String,
    /// The position at which it was asked for.
    pub since: usize,
    /// The line of that state in the input.
    pub line: u64,
    /// The first position at which it may come about, if that is not the next.
    pub from: Option<u64>,
    /// The last position at which it may come about; none if there is no end, or it is one in time.
    pub until: Option<u64>,
    /// The time from which on it may come about, in nanoseconds, if that is not yet.
    pub from_time: Option<i64>,
    /// The last time at which it may come about, in nanoseconds, if it is bounded in time.
    pub until_time: Option<i64>,
    /// Whether there is no other way to satisfy the property.
    pub is_necessary: bool,
}

/// The positions at which the body of an always fails.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Violations {
    /// The number of positions at which it fails.
    pub count: usize,
    /// The first of these positions.
    pub first: Vec<Violation>,
}

/// A position at which the body of an always fails.
#[derive(Clone, Debug, PartialEq)]
pub struct Violation {
    /// The position in the trace, or in the key's part of it.
    pub position: usize,
    /// The line of the state in the input.
    pub line: u64,
    /// The place in a program at which the state came about, if the input tells.
    pub source: Option<SourcePlace>,
    /// The timestamp of the state, if it has one.
    pub time: Option<i64>,
    /// The timestamp of the first state of the trace, or of the key's part of it.
    pub first_time: Option<i64>,
    /// The values of the variables that the property speaks of.
    pub values: Vec<(Arc<str>, Value)>,
    /// The variables that are missing there, and whose values would have had a say in it.
    pub missing: Vec<Arc<str>>,
    /// The values of earlier states that are missing there, and would have had a say in it, each by
    /// its text.
    pub missing_earlier: Vec<Arc<str>>,
    /// The reason for it; none where that was not looked for, or does not follow from the states
    /// one by one.
    pub why: Option<Why>,
    /// The states around it, if timelines were asked for.
    pub timeline: Option<Timeline>,
}

/// The states around a position that matters, and what holds in each of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Timeline {
    /// The position that it is about.
    pub about: usize,
    /// The number of states of the trace, or of the key's part of it.
    pub len: usize,
    /// The states in order, each with the values that the property speaks of. There may be gaps
    /// between them: a timeline has the states that matter and some next to them.
    pub states: Vec<Place>,
    /// The rows: the property's operators from the outermost on, and then its propositions.
    pub rows: Vec<TimelineRow>,
}

/// A part of a property in a timeline.
#[derive(Clone, Debug, PartialEq)]
pub struct TimelineRow {
    /// The part, in the words of the spec.
    pub text: String,
    /// The kind of part.
    pub kind: RowKind,
    /// For each state of the timeline whether the part holds there; none where that depends on
    /// states to come.
    pub truth: Vec<Option<bool>>,
}

/// The kind of a part of a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowKind {
    /// The part has operators.
    Formula,
    /// The part speaks of one state alone.
    Proposition,
}

/// The reason why a formula fails at a position.
#[derive(Clone, Debug, PartialEq)]
pub struct Why {
    /// What was owed and what happened, the outermost operator first.
    pub reasons: Vec<Reason>,
    /// The propositions that decide, each at a run of positions: whatever holds elsewhere, the
    /// formula fails. None if they are too many to be named.
    pub literals: Option<Vec<Literal>>,
    /// The positions whose states decide, as runs: whatever other states say, the formula fails.
    pub states: Vec<RangeInclusive<usize>>,
}

/// A temporal operator that was asked at a position, and what became of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Reason {
    /// The formula whose outermost operator it is, in the words of the spec.
    pub formula: String,
    /// The direction in which it looks.
    pub direction: Direction,
    /// Whether its window has a far end.
    pub is_bounded: bool,
    /// The state at which it was asked.
    pub since: Place,
    /// Whether it holds there.
    pub holds: bool,
    /// What became of it.
    pub outcome: Outcome,
}

/// What became of a temporal operator.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// There is no next, or no earlier, state.
    NoState,
    /// Its operand settled it at a state.
    Settled {
        /// The operand, in the words of the spec.
        operand: String,
        /// The state, with the values that the operand speaks of.
        at: Place,
    },
    /// Its operand had one value throughout the window: the value of the operator.
    Throughout {
        /// The operand, in the words of the spec.
        operand: String,
        /// The first and last state of the window; none if it has no states.
        window: Option<(Place, Place)>,
        /// Whether the trace ended, or began, before the window did.
        is_cut: bool,
        /// The state outside the window at which the operand has the other value: the first one
        /// beyond, or else the nearest one before it.
        outside: Option<Place>,
    },
    /// One operand changed before the other one did.
    Broken {
        /// The operand that should have lasted, in the words of the spec.
        kept: String,
        /// The state at which it did not, with the values that it speaks of.
        at: Place,
        /// The operand that was waited for, in the words of the spec.
        goal: String,
        /// The state at which that came, if it ever did.
        came: Option<Place>,
    },
}

/// A state that an explanation points at.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// The position in the trace, or in the key's part of it.
    pub position: usize,
    /// The line of the state in the input.
    pub line: u64,
    /// The place in a program at which the state came about, if the input tells.
    pub source: Option<SourcePlace>,
    /// The timestamp of the state, if it has one.
    pub time: Option<i64>,
    /// The values that matter there.
    pub values: Vec<(Arc<str>, Value)>,
}

/// A proposition that has one value at each of a run of positions.
#[derive(Clone, Debug, PartialEq)]
pub struct Literal {
    /// The proposition, in the words of the spec.
    pub proposition: String,
    /// Its value there.
    pub holds: bool,
    /// The first state of the run, with the values that the proposition speaks of.
    pub first: Place,
    /// The last state of the run.
    pub last: Place,
}

/// The report on a property, by key.
#[derive(Clone, Debug, Default)]
pub struct KeysReport {
    /// The number of keys.
    pub checked: usize,
    /// The number of keys for which the property is violated.
    pub violated: usize,
    /// The number of keys for which the property is satisfied only because a trigger never
    /// happened.
    pub vacuous: usize,
    /// The verdict for each key, in order of first appearance.
    pub verdicts: Vec<Verdict>,
    /// The first keys for which the property is violated; of an assert, those whose values are
    /// farthest from what they are compared with.
    pub first_violations: Vec<KeyVerdict>,
    /// The summary of the values that an assert compared; none for other properties.
    pub compared: Option<Summary>,
}

/// The verdict for a key.
#[derive(Clone, Debug)]
pub struct KeyVerdict {
    /// The key.
    pub key: Arc<str>,
    /// The number of the trace among those of its key, counted from 1.
    pub number: u32,
    /// The verdict for the key.
    pub verdict: Verdict,
    /// The evidence for the verdict.
    pub evidence: Evidence,
}

impl KeyVerdict {
    /// The key, and behind it the number of the trace if it is not the first.
    pub fn label(&self) -> Arc<str> {
        match self.number {
            1 => self.key.clone(),
            number => numbered_key(&self.key, number),
        }
    }
}

/// The name of a trace that is not the first of its key, where there is one text for both.
pub fn numbered_key(key: &str, number: u32) -> Arc<str> {
    format!("{key} (trace {number})").into()
}

/// The report on a query.
#[derive(Clone, Debug)]
pub struct QueryReport {
    /// The name.
    pub name: String,
    /// The description in the spec.
    pub description: Option<Arc<str>>,
    /// The text in the spec.
    pub query: String,
    /// The value that was measured.
    pub value: QueryValue,
    /// The values at all positions, if the query is an experiment.
    pub everywhere: Option<Everywhere>,
    /// The number of requests of a latency that were never answered; none if the query has no
    /// latency.
    pub unanswered: Option<usize>,
    /// What the numbers in the value are.
    pub measure: Measure,
    /// How far the numbers that the value is made of may be off, by key the worst of them; none if
    /// they are exact.
    pub tolerance: Option<Tolerance>,
    /// What can be drawn, if that was asked for.
    pub points: Option<Points>,
}

/// What the values of an experiment at all positions come to; or the message why there is none at
/// one of them.
pub type Everywhere = Result<Box<ExperimentReport>, String>;

/// The value of a query.
#[derive(Clone, Debug)]
pub enum QueryValue {
    /// The value on the whole trace; none if the query failed.
    Whole(Option<Value>),
    /// The values on a trace that was split.
    ByKey {
        /// The value for each key, in order of first appearance; none where the query failed.
        values: Vec<(Arc<str>, Option<Value>)>,
        /// The summary of these values.
        summary: Box<Summary>,
    },
}
