//! The answers of `check` and `query`.

use crate::evidence::{self, Place, SourcePlace};
use crate::experiment::{PositionsSummary, QuerySummary};
use crate::monitor::trace_number;
use crate::value::of_tolerance;
use crate::{ErrorKind, Members, Step, VERSION, Value, Verdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use traceward::engine::EngineStatistics;
use traceward::input::{LineUnit, Note};
use traceward::report::{self, Subject, WarningKind};
use traceward::report::{
    Compared, Cost, Counterpart, CoverageReport, KeysReport, Measure, OwedReport, QueryReport, QueryValue,
    ResponseReport, Spread, TraceReport, Unit, WaitingReport,
};
use traceward::{Evidence, PropertyReport, Report};

/// The answers about several traces.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TracesDocument {
    /// The version of the documents.
    pub version: u32,
    /// One answer a trace.
    pub traces: Vec<Answer>,
}

impl TracesDocument {
    /// Some answers.
    pub fn new(traces: Vec<Answer>) -> Self {
        Self { version: VERSION, traces }
    }
}

/// The answer about one trace.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Answer {
    /// What was found out.
    Report(Box<ReportDocument>),
    /// Why nothing was.
    Failure(FailureDocument),
}

/// Why a question could not be answered.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FailureDocument {
    /// The version of the documents.
    pub version: u32,
    /// The trace, if it is one trace that could not be answered for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<TracePath>,
    /// What went wrong, for people.
    pub error: String,
}

impl FailureDocument {
    /// What went wrong, with a trace or before there was one.
    pub fn new(path: Option<&str>, error: impl Into<String>) -> Self {
        let trace = path.map(|path| TracePath { path: path.to_owned() });
        Self { version: VERSION, trace, error: error.into() }
    }
}

/// Which trace.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TracePath {
    /// Its path, `-` for standard input.
    pub path: String,
}

/// What was found out about a trace.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ReportDocument {
    /// The version of the documents.
    pub version: u32,
    /// About the trace itself.
    pub trace: Trace,
    /// About each property, in the spec's order.
    pub properties: Vec<Property>,
    /// About each query, in the spec's order.
    pub queries: Vec<Query>,
    /// Probable mistakes in what was asked.
    pub warnings: Vec<Warning>,
}

impl ReportDocument {
    /// The document of a report; `path` is what to call its trace.
    pub fn new(path: &str, report: &Report) -> Self {
        let Report { trace, properties, queries, warnings } = report;
        Self {
            version: VERSION,
            trace: Trace::new(path, trace),
            properties: properties.iter().map(Property::from).collect(),
            queries: queries.iter().map(Query::from).collect(),
            warnings: warnings.iter().map(Warning::from).collect(),
        }
    }
}

/// A probable mistake in what was asked.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Warning {
    /// The kind of mistake: `string-never-occurs`, `comparison-never-true`, …
    pub kind: String,
    /// The name of the property that it is about; null if it is about a query or about all.
    pub property: Option<String>,
    /// The name of the query that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// What is wrong, for people.
    pub message: String,
    /// Whether people were told.
    pub urgent: bool,
    /// A value of the trace that was probably meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub near: Option<String>,
}

impl From<&report::Warning> for Warning {
    fn from(warning: &report::Warning) -> Self {
        let report::Warning { kind, about, is_urgent } = warning;
        let (property, query) = match about {
            Some(Subject::Property(name)) => (Some(name.clone()), None),
            Some(Subject::Query(name)) => (None, Some(name.clone())),
            None => (None, None),
        };
        let near = match kind {
            WarningKind::StringNeverOccurs { near, .. } => near.as_ref().map(ToString::to_string),
            _ => None,
        };
        Self { kind: kind.name().to_owned(), property, query, message: kind.to_string(), urgent: *is_urgent, near }
    }
}

/// About a trace.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Trace {
    /// Its path, `-` for standard input.
    pub path: String,
    /// The number of states.
    pub states: usize,
    /// Whether it has none.
    pub empty: bool,
    /// What each `line` is, if it is no line of text: `row`, if the trace is a table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line_unit: Option<String>,
    /// The number of keys, if it was split.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keys: Option<usize>,
    /// The first and the last timestamp in nanoseconds, if it has timestamps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_span_ns: Option<(i64, i64)>,
    /// For each variable that met a missing value, how often.
    #[serde(default, skip_serializing_if = "Members::is_empty")]
    pub missing: Members<usize>,
    /// The number of records that came too late to be put in order, and were left out.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub late: u64,
    /// What the reader noticed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The lines of the table of an automaton, if that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<Vec<String>>,
}

impl Trace {
    fn new(path: &str, report: &TraceReport) -> Self {
        let TraceReport { states, line_unit, keys, span, missing, notes, table } = report;
        Self {
            path: path.to_owned(),
            states: *states,
            empty: *states == 0,
            line_unit: (*line_unit == LineUnit::Row).then(|| line_unit.to_string()),
            keys: keys.as_ref().map(Vec::len),
            time_span_ns: *span,
            missing: Members(missing.iter().map(|(name, count)| (name.to_string(), *count)).collect()),
            late: notes.iter().map(late).sum(),
            notes: notes.iter().map(ToString::to_string).collect(),
            table: table.as_ref().map(|table| table.lines().map(str::to_owned).collect()),
        }
    }
}

/// The number of records that a note says were late.
fn late(note: &Note) -> u64 {
    match note {
        Note::Late { records, .. } => *records,
        _ => 0,
    }
}

/// Whether a count need not be told.
pub(crate) fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// About a property.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Property {
    /// Its name.
    pub name: String,
    /// Its text in the spec.
    pub formula: String,
    /// Whether it holds.
    pub verdict: Verdict,
    /// The engine that found out.
    pub engine: String,
    /// The position whose state made the verdict final; null if that was only known at the end.
    pub decided_at: Option<usize>,
    /// Whether that position is the least possible.
    pub decided_exact: bool,
    /// The trigger that never happened, if the property is satisfied only because of that.
    pub vacuous: Option<String>,
    /// The description in the spec.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What is owed, if the trace goes on and the verdict is not final.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owed: Option<Vec<Owed>>,
    /// A 1 for each position at which it holds, if that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truth: Option<String>,
    /// Where the body of an always fails.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub violations: Option<Violations>,
    /// The state at which a violated property that is no always was judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judged_at: Option<ViolatingState>,
    /// Why it is violated, at each state that is shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Vec<evidence::Evidence>>,
    /// The value that an assert compared; null if its query has none.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "asked")]
    #[schemars(with = "Option<Value>")]
    pub value: Option<Option<Value>>,
    /// The value of the other query, if an assert compared two; null if that has none.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "asked")]
    #[schemars(with = "Option<Value>")]
    pub compared_with: Option<Option<Value>>,
    /// Which parts mattered, if that was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<Coverage>,
    /// How long eventualities waited, if that was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting: Option<Vec<Waiting>>,
    /// What finding out has cost, if that was asked; null if the engine does not count.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "asked")]
    #[schemars(with = "Option<Statistics>")]
    pub engine_statistics: Option<Option<Statistics>>,
    /// What became of what the property asks for within a window, over all keys.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub responses: Vec<Response>,
    /// The tightest bound that would have held, if the property asks for one thing within a window;
    /// null if that never came, or was never asked for.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "asked")]
    #[schemars(with = "Option<NeededBound>")]
    pub tightest: Option<Option<NeededBound>>,
    /// By key, if the trace was split.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keys: Option<Keys>,
    /// What the engine held after each state, in the order of its steps, if that was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<Vec<Step>>,
    /// The automaton that the names in the steps are of, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub automaton: Option<String>,
}

impl From<&PropertyReport> for Property {
    fn from(report: &PropertyReport) -> Self {
        #[rustfmt::skip]
        let PropertyReport {
            name, description, formula, verdict, engine, decided_at, decided_exact, cost, truth, vacuous, evidence,
            responses, keys, walkthrough,
        } = report;
        let Evidence { violations, judged_at, owed, owed_since: _, compared, coverage, waiting } = evidence;
        let goes_on = !verdict.is_final() && keys.is_none();
        Self {
            name: name.clone(),
            formula: formula.clone(),
            verdict: (*verdict).into(),
            engine: engine.to_string(),
            decided_at: *decided_at,
            decided_exact: *decided_exact,
            vacuous: vacuous.clone(),
            description: description.as_ref().map(ToString::to_string),
            owed: goes_on.then(|| owed.iter().map(Owed::from).collect()),
            truth: truth.as_ref().map(ToString::to_string),
            violations: violations.as_ref().map(Violations::from),
            judged_at: judged_at.as_ref().map(ViolatingState::from),
            evidence: evidence::Evidence::of(evidence),
            value: compared.as_ref().map(compared_value),
            compared_with: compared.as_ref().and_then(compared_with),
            coverage: coverage.as_ref().map(Coverage::from),
            waiting: waiting.as_ref().map(|found| found.iter().map(Waiting::from).collect()),
            engine_statistics: Statistics::asked(*cost),
            responses: responses.iter().map(Response::from).collect(),
            tightest: match &responses[..] {
                [one] => Some(one.tightest().map(NeededBound::from)),
                _ => None,
            },
            keys: keys.as_ref().map(Keys::from),
            steps: walkthrough.as_ref().map(|told| told.steps.iter().map(Step::from).collect()),
            automaton: walkthrough.as_ref().and_then(|told| told.automaton.clone()),
        }
    }
}

/// The value of the query that an assert compared.
fn compared_value(Compared { value, with: _, measure: _ }: &Compared) -> Option<Value> {
    value.as_ref().map(Value::from)
}

/// The value of the other query; none if the assert compared with a constant.
fn compared_with(Compared { value: _, with, measure: _ }: &Compared) -> Option<Option<Value>> {
    match with {
        Counterpart::Constant(_) => None,
        Counterpart::Query(value) => Some(value.as_ref().map(Value::from)),
    }
}

/// What an engine has cost at its most; null for what it does not have.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Statistics {
    /// Sets of nodes with their clocks, at one position.
    pub peak_configurations: Option<usize>,
    /// Nodes of the graph of what is not decided yet.
    pub peak_nodes: Option<usize>,
    /// Timers in it that wait for the next state.
    pub peak_leaves: Option<usize>,
    /// Spans of positions that wait for an answer, or are kept for others.
    pub peak_waiting: Option<usize>,
    /// What all that took.
    pub peak_bytes: usize,
}

impl Statistics {
    pub(crate) fn asked(cost: Cost) -> Option<Option<Self>> {
        match cost {
            Cost::NotAsked => None,
            Cost::Unknown => Some(None),
            Cost::Known(statistics) => {
                let EngineStatistics { peak_configurations, peak_nodes, peak_leaves, peak_waiting, peak_bytes } =
                    statistics;
                Some(Some(Self { peak_configurations, peak_nodes, peak_leaves, peak_waiting, peak_bytes }))
            }
        }
    }
}

/// A member that is absent unless it was asked for, and may be null if it was.
pub(crate) mod asked {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(crate) fn serialize<T: Serialize, S: Serializer>(
        asked: &Option<Option<T>>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        asked.as_ref().and_then(Option::as_ref).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Option<T>>, D::Error> {
        Option::deserialize(deserializer).map(Some)
    }
}

/// What became of something that a property asks for within a window.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Response {
    /// The response, as the spec has it.
    pub response: String,
    /// How often it came in time.
    pub in_time: usize,
    /// How often it came when its window was over.
    pub late: usize,
    /// How often it never came.
    pub never: usize,
    /// The largest bound that a response needed which came; null if none did.
    pub largest: Option<NeededBound>,
}

impl From<&ResponseReport> for Response {
    fn from(report: &ResponseReport) -> Self {
        let ResponseReport { response, in_time, late, never, largest } = report;
        let largest = largest.as_ref().map(NeededBound::from);
        Self { response: response.clone(), in_time: *in_time, late: *late, never: *never, largest }
    }
}

/// The least far end of a window by which a response came.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct NeededBound {
    /// The far end, in its unit.
    pub bound: u64,
    /// The unit: `steps` or `ns`.
    pub unit: String,
    /// The key, if the trace was split.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The position at which so much was first needed, in the trace or in the key's part of it.
    pub position: usize,
    /// The line of that state in the input, or its row in a table.
    pub line: u64,
    /// Its timestamp in nanoseconds, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_ns: Option<i64>,
}

impl From<&report::NeededBound> for NeededBound {
    fn from(needed: &report::NeededBound) -> Self {
        let report::NeededBound { bound, unit, key, at } = needed;
        let report::Place { position, line, source: _, time, values: _ } = at;
        let unit = match unit {
            Unit::Steps => "steps",
            Unit::Time => "ns",
        };
        Self {
            bound: *bound,
            unit: unit.to_owned(),
            key: key.as_ref().map(ToString::to_string),
            position: *position,
            line: *line,
            time_ns: *time,
        }
    }
}

/// Something that is owed at the end of a trace that goes on.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Owed {
    /// What has to come about.
    pub obligation: String,
    /// The position at which it was asked for.
    pub since: usize,
    /// The line of that state in the input, or its row in a table.
    pub line: u64,
    /// The first position at which it may come about, if that is not the next.
    pub from: Option<u64>,
    /// The last position at which it may come about; null if there is no end, or it is one in time.
    pub until: Option<u64>,
    /// The time from which on it may come about, in nanoseconds, if that is not yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_time_ns: Option<i64>,
    /// The last time at which it may come about, in nanoseconds, if it is bounded in time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until_time_ns: Option<i64>,
    /// Whether there is no other way.
    pub necessary: bool,
}

impl From<&OwedReport> for Owed {
    fn from(report: &OwedReport) -> Self {
        let OwedReport { obligation, since, line, from, until, from_time, until_time, is_necessary } = report.clone();
        let (from_time_ns, until_time_ns) = (from_time, until_time);
        Self { obligation, since, line, from, until, from_time_ns, until_time_ns, necessary: is_necessary }
    }
}

/// Where the body of an always fails.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Violations {
    /// At how many positions.
    pub count: usize,
    /// The first of them.
    pub first: Vec<usize>,
    /// The states there.
    pub states: Vec<ViolatingState>,
}

impl From<&report::Violations> for Violations {
    fn from(report: &report::Violations) -> Self {
        let report::Violations { count, first } = report;
        Self {
            count: *count,
            first: first.iter().map(|violation| violation.position).collect(),
            states: first.iter().map(ViolatingState::from).collect(),
        }
    }
}

/// A state that speaks for a verdict.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ViolatingState {
    /// Its position in the trace, or in the key's part of it.
    pub position: usize,
    /// Its line in the input, or its row in a table.
    pub line: u64,
    /// The place in a program at which the state came about, if the input tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<SourcePlace>,
    /// Its timestamp in nanoseconds, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_ns: Option<i64>,
    /// The values of the variables that the property speaks of.
    pub values: Members<Value>,
}

impl From<&report::Violation> for ViolatingState {
    fn from(report: &report::Violation) -> Self {
        // Among the values, what is missing is null. Why it fails is evidence of its own.
        let report::Violation {
            position,
            line,
            source,
            time,
            first_time: _,
            values,
            missing: _,
            missing_earlier: _,
            why: _,
            timeline: _,
        } = report;
        let source = source.as_ref().map(SourcePlace::from);
        Self { position: *position, line: *line, source, time_ns: *time, values: Members::of_values(values) }
    }
}

/// Which parts of a property mattered.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Coverage {
    /// The parts that were written, with how often they were asked.
    pub parts: Vec<CoveredPart>,
    /// The largest parts that never mattered.
    pub unused: Vec<UnusedPart>,
    /// The number of nodes of its alternating automaton; null if runs of that were not looked at.
    pub nodes: Option<usize>,
    /// The number of them that every accepting run visits; null if there is no accepting run.
    pub covered: Option<usize>,
    /// The least number of visits to rejecting nodes.
    pub rejecting_visits: RejectingVisits,
}

/// A part of a property, and how often it was asked.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CoveredPart {
    /// The part.
    pub part: String,
    /// The number of positions at which it was asked.
    pub asked: usize,
    /// The number of these positions at which it was as the property needs it.
    pub met: usize,
}

/// A part of a property that never mattered.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct UnusedPart {
    /// The part.
    pub part: String,
    /// What never happened, if that is why.
    pub never_happened: Option<String>,
}

/// The least number of visits to rejecting nodes, by what a run is.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct RejectingVisits {
    /// A run is a tree.
    pub tree: Option<u64>,
    /// A run is a sequence of slices.
    pub slices: Option<u64>,
}

impl From<&CoverageReport> for Coverage {
    fn from(report: &CoverageReport) -> Self {
        let CoverageReport { parts, unused, runs } = report;
        let part = |report::CoveredPart { part, asked, met, is_temporal: _ }: &report::CoveredPart| CoveredPart {
            part: part.clone(),
            asked: *asked,
            met: *met,
        };
        let idle = |report::UnusedPart { part, never_happened }: &report::UnusedPart| UnusedPart {
            part: part.clone(),
            never_happened: never_happened.clone(),
        };
        let runs = runs.as_ref();
        let visits = |runs: &report::RunCoverage| RejectingVisits {
            tree: runs.rejecting_visits_tree,
            slices: runs.rejecting_visits_slices,
        };
        Self {
            parts: parts.iter().map(part).collect(),
            unused: unused.iter().map(idle).collect(),
            nodes: runs.map(|runs| runs.nodes),
            covered: runs.and_then(|runs| runs.covered),
            rejecting_visits: runs.map(visits).unwrap_or_default(),
        }
    }
}

/// How long an eventuality had to wait.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Waiting {
    /// The eventuality.
    pub part: String,
    /// How often it was asked for.
    pub asked: u64,
    /// How often it came in time.
    pub met: u64,
    /// How often it came when its window was over.
    pub late: u64,
    /// How often it came, but what had to hold until then did not.
    pub broken: u64,
    /// How often it never came.
    pub never: u64,
    /// How often it may still come, since the trace goes on.
    pub open: u64,
    /// The least number of steps of those that came; null if none did. So are the next ones.
    pub least: Option<u64>,
    /// The least number of steps that half of them do not exceed.
    pub median: Option<u64>,
    /// The least number of steps that 90 of 100 do not exceed.
    pub p90: Option<u64>,
    /// The least number of steps that 99 of 100 do not exceed.
    pub p99: Option<u64>,
    /// The greatest number of steps.
    pub most: Option<u64>,
    /// The average number of steps.
    pub average: Option<f64>,
    /// The same in nanoseconds, if the trace has timestamps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_ns: Option<Distribution>,
    /// The worst: those that never came, and the longest.
    pub worst: Vec<WorstWait>,
}

impl From<&WaitingReport> for Waiting {
    fn from(report: &WaitingReport) -> Self {
        let WaitingReport { part, asked, met, late, broken, never, open, steps, time, worst } = report;
        let steps = steps.as_ref().map(Distribution::from);
        Self {
            part: part.clone(),
            asked: *asked,
            met: *met,
            late: *late,
            broken: *broken,
            never: *never,
            open: *open,
            least: steps.map(|steps| steps.least),
            median: steps.map(|steps| steps.median),
            p90: steps.map(|steps| steps.p90),
            p99: steps.map(|steps| steps.p99),
            most: steps.map(|steps| steps.most),
            average: steps.map(|steps| steps.average),
            time_ns: time.as_ref().map(Distribution::from),
            worst: worst.iter().map(WorstWait::from).collect(),
        }
    }
}

/// How waiting times are distributed.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Distribution {
    /// The least.
    pub least: u64,
    /// The least that half of them do not exceed.
    pub median: u64,
    /// The least that 90 of 100 do not exceed.
    pub p90: u64,
    /// The least that 99 of 100 do not exceed.
    pub p99: u64,
    /// The most.
    pub most: u64,
    /// The average.
    pub average: f64,
}

impl From<&report::Distribution> for Distribution {
    fn from(report: &report::Distribution) -> Self {
        let report::Distribution { least, median, p90, p99, most, average } = report.clone();
        Self { least, median, p90, p99, most, average }
    }
}

/// A wait that was long, or has no end.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WorstWait {
    /// The key, if the trace was split.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The state at which it was asked.
    pub since: Place,
    /// The state at which it came; null if it never did.
    pub came: Option<Place>,
    /// What became of it.
    pub fate: Fate,
}

/// What became of an eventuality.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Fate {
    /// It came in time.
    Met,
    /// It came when its window was over.
    Late,
    /// It came, but what had to hold until then did not.
    Broken,
    /// It never came.
    Never,
    /// It may still come.
    Open,
}

impl From<&report::WorstWait> for WorstWait {
    fn from(report: &report::WorstWait) -> Self {
        let report::WorstWait { key, since, came, fate } = report;
        let fate = match fate {
            report::Fate::Met => Fate::Met,
            report::Fate::Late => Fate::Late,
            report::Fate::Broken => Fate::Broken,
            report::Fate::Never => Fate::Never,
            report::Fate::Open => Fate::Open,
        };
        let key = key.as_ref().map(ToString::to_string);
        Self { key, since: since.into(), came: came.as_ref().map(Place::from), fate }
    }
}

/// About a property, by key.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Keys {
    /// The number of keys.
    pub checked: usize,
    /// The number of keys for which it is violated.
    pub violated: usize,
    /// The number of keys for which it is satisfied only because a trigger never happened.
    pub vacuous: usize,
    /// The number of keys with each verdict.
    pub verdicts: Members<usize>,
    /// The first keys for which it is violated.
    pub first_violations: Vec<KeyVerdict>,
    /// What the values come to that an assert compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<Summary>,
}

impl From<&KeysReport> for Keys {
    fn from(report: &KeysReport) -> Self {
        let KeysReport { checked, violated, vacuous, verdicts, first_violations, compared } = report;
        let mut counts: Vec<(String, usize)> = Vec::new();
        for verdict in verdicts {
            match counts.iter_mut().find(|(name, _)| name == verdict.name()) {
                Some((_, count)) => *count += 1,
                None => counts.push((verdict.name().to_owned(), 1)),
            }
        }
        counts.sort();
        Self {
            checked: *checked,
            violated: *violated,
            vacuous: *vacuous,
            verdicts: Members(counts),
            first_violations: first_violations.iter().map(KeyVerdict::from).collect(),
            summary: compared.as_ref().map(Summary::from),
        }
    }
}

/// The verdict for a key.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct KeyVerdict {
    /// The key.
    pub key: String,
    /// The number of the trace among those of its key, from the second on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<u32>,
    /// Whether the property holds for it.
    pub verdict: Verdict,
    /// Where the body of an always fails.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub violations: Option<Violations>,
    /// The state at which a violated property that is no always was judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judged_at: Option<ViolatingState>,
    /// Why it is violated, at each state that is shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Vec<evidence::Evidence>>,
    /// The value that an assert compared; null if its query has none.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "asked")]
    #[schemars(with = "Option<Value>")]
    pub value: Option<Option<Value>>,
    /// The value of the other query, if an assert compared two; null if that has none.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "asked")]
    #[schemars(with = "Option<Value>")]
    pub compared_with: Option<Option<Value>>,
}

impl From<&report::KeyVerdict> for KeyVerdict {
    fn from(report: &report::KeyVerdict) -> Self {
        let report::KeyVerdict { key, number, verdict, evidence } = report;
        // Of a key that violates a property nothing is owed, and runs are looked at for whole
        // traces only.
        let Evidence { violations, judged_at, compared, owed: _, owed_since: _, coverage: _, waiting: _ } = evidence;
        Self {
            key: key.to_string(),
            trace: trace_number(*number),
            verdict: (*verdict).into(),
            violations: violations.as_ref().map(Violations::from),
            judged_at: judged_at.as_ref().map(ViolatingState::from),
            evidence: evidence::Evidence::of(evidence),
            value: compared.as_ref().map(compared_value),
            compared_with: compared.as_ref().and_then(compared_with),
        }
    }
}

/// About a query.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Query {
    /// Its name.
    pub name: String,
    /// Its text in the spec.
    pub query: String,
    /// The description in the spec.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Its value on the whole trace; null if it failed.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "asked")]
    #[schemars(with = "Option<Value>")]
    pub value: Option<Option<Value>>,
    /// Its value for each key, if the trace was split.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<Vec<KeyValue>>,
    /// What its values come to: over all positions if it is an experiment, like a latency; over
    /// all keys if it is none and the trace was split.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<QuerySummary>,
    /// Why an experiment has no summary: an error at some position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_summary: Option<String>,
    /// The unit of the numbers: `ns` of timestamps and of stretches of time, otherwise none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// The relative error of the numbers that the value is made of; not there if they are exact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relative_error: Option<f64>,
    /// What the error is one of, if it is not a certain one of the number itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_kind: Option<ErrorKind>,
    /// How many requests of a latency were never answered, if it has a latency.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unanswered: Option<usize>,
}

/// The value of a query for a key.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct KeyValue {
    /// The key.
    pub key: String,
    /// The value; null if the query failed.
    pub value: Value,
}

/// What the values of a query come to over all keys.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    /// The number of keys.
    pub keys: usize,
    /// The number of keys for which the query has a value.
    pub count: usize,
    /// The number of keys for which it failed.
    pub failed: usize,
    /// The share of keys for which it failed, from 0 to 1; null if there is no key.
    pub failed_share: Option<f64>,
    /// The unit of the numbers: `ns` of timestamps and of stretches of time, otherwise none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// The spread of the values, if all are numbers.
    #[serde(flatten)]
    pub numbers: Option<Numbers>,
    /// The counts of the values, if some are no numbers.
    #[serde(flatten)]
    pub frequencies: Option<Frequencies>,
}

/// The spread of numbers; quantiles are values that some key has.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Numbers {
    /// The least.
    pub min: Value,
    /// The least value with at least half of the values at or below it.
    pub median: Value,
    /// The same with nine tenths of the values.
    pub p90: Value,
    /// The same with 99 of a hundred.
    pub p99: Value,
    /// The largest.
    pub max: Value,
    /// The mean; null where infinite values of both signs leave none.
    pub mean: Value,
    /// The mean, by the name that queries have for it.
    pub avg: Value,
    /// The keys with the largest values, the largest first.
    pub worst: Vec<KeyValue>,
}

/// The counts of values that are no numbers.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Frequencies {
    /// The number of different values.
    pub distinct: usize,
    /// The most frequent values, the most frequent first.
    pub most_frequent: Vec<ValueCount>,
}

/// How many keys, or positions, have a value.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ValueCount {
    /// The value.
    pub value: Value,
    /// The number of keys or positions.
    pub count: usize,
}

impl From<&QueryReport> for Query {
    fn from(report: &QueryReport) -> Self {
        let QueryReport { name, description, query, value, everywhere, measure, unanswered, tolerance, points: _ } =
            report;
        let (whole, values, over_keys) = match value {
            QueryValue::Whole(value) => (Some(value.as_ref().map(Value::from)), None, None),
            QueryValue::ByKey { values, summary } => {
                let told = values.iter().map(|(key, value)| KeyValue::new(key, value.as_ref()));
                (None, Some(told.collect::<Vec<_>>()), Some(Summary::from(&**summary)))
            }
        };
        let keys = values.as_ref().map(Vec::len);
        let (relative_error, error_kind) = of_tolerance(*tolerance);
        let (summary, no_summary) = match everywhere {
            None => (over_keys.map(|summary| QuerySummary::Keys(Box::new(summary))), None),
            Some(Err(message)) => (None, Some(message.clone())),
            Some(Ok(report)) => {
                let summary = PositionsSummary::new(report, keys, *unanswered, unit(measure));
                (Some(QuerySummary::Positions(Box::new(summary))), None)
            }
        };
        Self {
            name: name.clone(),
            query: query.clone(),
            description: description.as_ref().map(ToString::to_string),
            value: whole,
            values,
            summary,
            no_summary,
            unit: unit(measure),
            relative_error,
            error_kind,
            unanswered: *unanswered,
        }
    }
}

/// The unit of what was measured.
pub(crate) fn unit(measure: &Measure) -> Option<String> {
    match measure {
        Measure::Plain => None,
        Measure::Moment | Measure::Duration => Some("ns".to_owned()),
        Measure::Buckets(edges) => unit(edges),
        Measure::Pair(left, right) => unit(left).filter(|_| left == right),
    }
}

impl From<&report::Summary> for Summary {
    fn from(summary: &report::Summary) -> Self {
        let report::Summary { keys, without_value, measure, spread } = summary;
        let (numbers, frequencies) = match spread {
            Spread::Nothing => (None, None),
            Spread::Numbers(numbers) => (Some(Numbers::from(numbers)), None),
            Spread::Others(frequencies) => (None, Some(Frequencies::from(frequencies))),
        };
        Self {
            keys: *keys,
            count: summary.count(),
            failed: *without_value,
            failed_share: summary.share_without_value(),
            unit: unit(measure),
            numbers,
            frequencies,
        }
    }
}

impl From<&report::Numbers> for Numbers {
    fn from(numbers: &report::Numbers) -> Self {
        let report::Numbers { min, median, p90, p99, max, mean, worst } = numbers;
        let [min, median, p90, p99, max, mean] = [min, median, p90, p99, max, mean].map(Value::from);
        let worst = worst.iter().map(|(key, value)| KeyValue::new(key, Some(value))).collect();
        Self { min, median, p90, p99, max, avg: mean.clone(), mean, worst }
    }
}

impl From<&report::Frequencies> for Frequencies {
    fn from(frequencies: &report::Frequencies) -> Self {
        let report::Frequencies { distinct, most } = frequencies;
        let one = |(value, count): &(traceward::Value, usize)| ValueCount { value: value.into(), count: *count };
        Self { distinct: *distinct, most_frequent: most.iter().map(one).collect() }
    }
}

impl KeyValue {
    fn new(key: &str, value: Option<&traceward::Value>) -> Self {
        Self { key: key.to_owned(), value: Value::from(value) }
    }
}
