//! What a monitor says, a line at a time.

use crate::evidence::SourcePlace;
use crate::report::{Coverage, Summary, Waiting, Warning, unit};
use crate::value::of_tolerance;
use crate::{ErrorKind, Members, Statistics, VERSION, Value, Verdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use traceward::input::Note;
use traceward::report::{self, Cost};
use traceward::{
    Abandoned, Feed, KeyViolation, KeyedFeed, KeyedMonitor, KeyedProperty, KeyedQuery, Known, MeasuredQuery, Monitor,
};

/// The verdict on a property has changed.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct VerdictEvent {
    /// The position whose state changed it.
    pub position: u64,
    /// The client whose trace it is, if there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// The key whose trace it is, if the input is split by key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The number of the trace among those of its key, from the second on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<u32>,
    /// The property.
    pub property: String,
    /// What is known of it.
    pub verdict: Verdict,
    /// Whether no continuation can change it.
    #[serde(rename = "final")]
    pub is_final: bool,
    /// Why the trace of the key has ended here, if only that made it final: `marker` or `silence`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
    /// The line in the input of the state that made it final.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// The place in a program at which that state came about, if the input tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<SourcePlace>,
    /// The timestamp of that state in nanoseconds, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_ns: Option<i64>,
    /// The values in that state of the variables that the property speaks of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<Members<Value>>,
    /// The time that the clock had reached, in nanoseconds, if it was the clock that brought the
    /// verdict and not a state. The state is then the last one before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<i64>,
    /// What had to come about and did not come in time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missed: Vec<Missed>,
}

/// An obligation that was not met in time.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Missed {
    /// What had to come about.
    pub obligation: String,
    /// The position at which it was asked for.
    pub since: u64,
    /// The last time at which it could have come, in nanoseconds.
    pub deadline_ns: i64,
}

impl From<&traceward::Missed> for Missed {
    fn from(missed: &traceward::Missed) -> Self {
        let traceward::Missed { obligation, since, deadline } = missed;
        Self { obligation: obligation.clone(), since: *since, deadline_ns: *deadline }
    }
}

impl VerdictEvent {
    /// A verdict on a property after the state at a position.
    pub fn new(position: u64, property: &str, verdict: traceward::Verdict) -> Self {
        Self { is_final: verdict.is_final(), verdict: verdict.into(), ..Self::unknown(position, property) }
    }

    /// The verdict with the state that made it final.
    #[must_use]
    pub fn decided_by(self, state: &report::Place) -> Self {
        let report::Place { position: _, line, source, time, values } = state;
        let source = source.as_ref().map(SourcePlace::from);
        Self { line: Some(*line), source, time_ns: *time, values: Some(Members::of_values(values)), ..self }
    }

    /// The verdict with what was not met in time, and with the clock if that brought it.
    #[must_use]
    pub fn brought_by(self, time: Option<i64>, missed: &[traceward::Missed]) -> Self {
        Self { time, missed: missed.iter().map(Missed::from).collect(), ..self }
    }

    /// A property that could not be followed beyond the state at a position.
    pub fn unknown(position: u64, property: &str) -> Self {
        Self {
            position,
            client: None,
            key: None,
            trace: None,
            property: property.to_owned(),
            verdict: Verdict::Unknown,
            is_final: true,
            ended: None,
            line: None,
            source: None,
            time_ns: None,
            values: None,
            time: None,
            missed: Vec::new(),
        }
    }
}

/// The value of a query so far.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ValueEvent {
    /// The position of the last state.
    pub position: u64,
    /// The client whose trace it is, if there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// The key whose trace it is, if the input is split by key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The number of the trace among those of its key, from the second on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<u32>,
    /// What is known of the query.
    #[serde(flatten)]
    pub known: RunningQuery,
    /// Why the trace of the key has ended here, which is when values are told by key:
    /// `marker` or `silence`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
}

/// What is known of a query that is followed.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RunningQuery {
    /// The query.
    pub query: String,
    /// What is known of it.
    #[serde(flatten)]
    pub known: KnownValue,
}

/// The value of a query, as far as it is known.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct KnownValue {
    /// Its value over the states that are settled; null if it fails, or is not known yet.
    pub value: Value,
    /// The number of states that are settled; not there if no later state can change the value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settled: Option<u64>,
    /// The unit of the numbers: `ns` of timestamps and of stretches of time, otherwise none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// The relative error of the numbers that the value is made of; not there if they are exact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relative_error: Option<f64>,
    /// What the error is one of, if it is not a certain one of the number itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_kind: Option<ErrorKind>,
    /// Why there is no value, and will be none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl RunningQuery {
    /// What is known of a query; `reason` words why one was given up.
    pub fn new(query: &MeasuredQuery<'_>, reason: &dyn Fn(&Abandoned) -> String) -> Self {
        let MeasuredQuery { name, query: _, description: _, measure, known } = query;
        let lost = |abandoned| (Value::from(None), None, None, Some(reason(&abandoned)));
        let (value, settled, tolerance, reason) = match known {
            Known::Value { value, settled, tolerance } => (Value::from(value.as_ref()), *settled, *tolerance, None),
            Known::Failed(message) => lost(Abandoned::Evaluation(message.clone())),
            Known::GaveUp(gave_up) => lost(Abandoned::Limit(gave_up.clone())),
        };
        let (relative_error, error_kind) = of_tolerance(tolerance);
        let known = KnownValue { value, settled, unit: unit(measure), relative_error, error_kind, reason };
        Self { query: (*name).to_owned(), known }
    }
}

/// The trace has come to its end.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct EndOfTrace {
    /// Always true: it tells this line from the others.
    pub end: bool,
    /// The client whose trace it is, if there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// True if the client went away before it had ended its trace.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub gone: bool,
    /// False if the trace was cut short: then verdicts are those of a trace that goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub complete: Option<bool>,
    /// Why it was not read to the end, if that was asked for: `decided` or `violated`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
    /// The number of states.
    pub states: u64,
    /// The number of lines that held no state and were skipped.
    pub skipped: u64,
    /// The number of records that came too late to be put in order, and were left out.
    #[serde(default, skip_serializing_if = "crate::report::is_zero")]
    pub late: u64,
    /// For each variable of which a value was asked in states that had none, in how many.
    #[serde(default, skip_serializing_if = "Members::is_empty")]
    pub missing: Members<u64>,
    /// What the reader noticed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The verdict on each property.
    pub properties: Vec<EndVerdict>,
    /// The value of each query.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub queries: Vec<EndValue>,
    /// Probable mistakes in what was asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
    /// The version of the documents.
    pub version: u32,
}

/// The value of a query at the end.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct EndValue {
    /// The query.
    pub name: String,
    /// What is known of it; if the trace was cut short, of the states that are settled.
    #[serde(flatten)]
    pub known: KnownValue,
    /// Its values over the keys whose traces have ended, if the input is split by key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<Summary>,
}

impl From<RunningQuery> for EndValue {
    fn from(known: RunningQuery) -> Self {
        let RunningQuery { query: name, known } = known;
        Self { name, known, summary: None }
    }
}

impl EndValue {
    /// The values of a query over keys; `reason` words why there is none for one of them.
    fn of_keys(query: &KeyedQuery<'_>, reason: &dyn Fn(&Abandoned) -> String) -> Self {
        let KeyedQuery { name, query: _, description: _, measure, summary, tolerance, lost } = query;
        let (relative_error, error_kind) = of_tolerance(*tolerance);
        let reason = lost.map(|(key, lost)| format!("{key}: {}", reason(lost)));
        let (value, settled, unit) = (Value::from(None), None, unit(measure));
        let known = KnownValue { value, settled, unit, relative_error, error_kind, reason };
        Self { name: (*name).to_owned(), known, summary: Some(Summary::from(summary)) }
    }
}

/// The verdicts on a property over keys at the end.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct EndKeys {
    /// The number of traces of keys.
    pub checked: u64,
    /// The number of them for which it is violated.
    pub violated: u64,
    /// The number of them for which it is satisfied only because a trigger never happened.
    pub vacuous: u64,
    /// The number of them for which it could not be followed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unknown: u64,
    /// The first of them for which it is violated, in the order of their first states.
    pub first_violations: Vec<EndKeyVerdict>,
}

/// The verdict for a key at the end.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct EndKeyVerdict {
    /// The key.
    pub key: String,
    /// The number of the trace among those of its key, from the second on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<u32>,
    /// The verdict.
    pub verdict: Verdict,
    /// The position in the key's trace whose state made it final; not there if its end did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<u64>,
    /// The line of that state in the input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// The timestamp of that state in nanoseconds, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_ns: Option<i64>,
    /// The values in that state of the variables that the property speaks of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<Members<Value>>,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// The number of a trace among those of its key, from the second on.
pub fn trace_number(number: u32) -> Option<u32> {
    (number > 1).then_some(number)
}

impl EndKeys {
    fn new(property: &KeyedProperty<'_>) -> Self {
        let KeyedProperty { checked, violated, vacuous, unknown, .. } = *property;
        let first_violations = property.first_violations.iter().map(EndKeyVerdict::from).collect();
        Self { checked, violated, vacuous, unknown, first_violations }
    }
}

impl From<&KeyViolation> for EndKeyVerdict {
    fn from(violation: &KeyViolation) -> Self {
        let place = violation.decided_by.as_ref();
        Self {
            key: violation.key.to_string(),
            trace: trace_number(violation.number),
            verdict: Verdict::Violated,
            position: place.map(|place| place.position as u64),
            line: place.map(|place| place.line),
            time_ns: place.and_then(|place| place.time),
            values: place.map(|place| Members::of_values(&place.values)),
        }
    }
}

/// The verdict on a property at the end.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct EndVerdict {
    /// The property.
    pub name: String,
    /// What is known of it.
    pub verdict: Verdict,
    /// Why it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The trigger that never happened, if the property is satisfied only because of that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vacuous: Option<String>,
    /// The verdicts over keys, if the input is split by key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keys: Option<EndKeys>,
    /// Which parts mattered, if that was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<Coverage>,
    /// How long eventualities waited, if that was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting: Option<Vec<Waiting>>,
    /// What following it has cost, if that was asked; null if its engine does not count.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "crate::report::asked")]
    #[schemars(with = "Option<Statistics>")]
    pub engine_statistics: Option<Option<Statistics>>,
}

/// Whether what a monitor has read is all there is of its trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// It is.
    Complete,
    /// Something went wrong on the way.
    CutShort,
    /// Every verdict is final, and that was enough.
    Decided,
    /// A property is violated, and that was enough.
    Violated,
}

impl Extent {
    /// The reason for stopping before the end, if it was asked for.
    fn stopped(self) -> Option<String> {
        match self {
            Self::Complete | Self::CutShort => None,
            Self::Decided => Some("decided".to_owned()),
            Self::Violated => Some("violated".to_owned()),
        }
    }
}

/// Variables with a number each.
fn counted<'a>(missing: impl Iterator<Item = (&'a str, u64)>) -> Members<u64> {
    Members(missing.map(|(name, count)| (name.to_owned(), count)).collect())
}

/// Notes in words. That there is no state is told by their number, whatever there was instead.
fn told(notes: &[Note]) -> Vec<String> {
    let is_told = |note: &&Note| !matches!(note, Note::EmptyInput | Note::HeaderOnly | Note::NoRows);
    notes.iter().filter(is_told).map(ToString::to_string).collect()
}

/// Whether there is no verdict on a property at the end.
fn is_unknown(monitor: &Monitor, id: traceward::PropertyId) -> bool {
    monitor.property(id).gave_up.is_some() || monitor.doubt(id).is_some()
}

impl EndOfTrace {
    /// What was known of a trace when somebody cut it short: the number of states, of lines that
    /// were skipped, and the verdict on each property by its name; none where it was given up on.
    pub fn cut_short(states: u64, skipped: u64, verdicts: &[(&str, Option<traceward::Verdict>)]) -> Self {
        let property = |(name, verdict): &(&str, Option<traceward::Verdict>)| EndVerdict {
            name: (*name).to_owned(),
            verdict: verdict.map_or(Verdict::Unknown, Verdict::from),
            reason: None,
            vacuous: None,
            keys: None,
            coverage: None,
            waiting: None,
            engine_statistics: None,
        };
        let properties = verdicts.iter().map(property).collect();
        let (complete, stopped) = (Some(false), None);
        Self {
            end: true,
            client: None,
            gone: false,
            version: VERSION,
            complete,
            stopped,
            states,
            skipped,
            late: 0,
            missing: Members::default(),
            notes: Vec::new(),
            properties,
            queries: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// What a feed of many keys has come to; `reason` words why a property was given up.
    pub fn of_keys(feed: &KeyedFeed, extent: Extent, reason: &dyn Fn(&Abandoned) -> String) -> Self {
        let end = Self::of_keyed_monitor(feed.monitor(), extent, reason);
        Self { skipped: feed.skipped(), late: feed.late(), notes: told(&feed.notes()), ..end }
    }

    /// What a monitor of many keys has come to that got its states one by one.
    pub fn of_keyed_monitor(monitor: &KeyedMonitor, extent: Extent, reason: &dyn Fn(&Abandoned) -> String) -> Self {
        let property = |property: KeyedProperty<'_>| EndVerdict {
            name: property.name.to_owned(),
            verdict: match (property.verdict, property.unknown) {
                (verdict @ traceward::Verdict::Violated, _) | (verdict, 0) => verdict.into(),
                _ => Verdict::Unknown,
            },
            reason: property.gave_up.map(reason),
            vacuous: property.vacuous_trigger.map(str::to_owned),
            keys: Some(EndKeys::new(&property)),
            coverage: None,
            waiting: None,
            engine_statistics: None,
        };
        Self {
            complete: (extent != Extent::Complete).then_some(false),
            stopped: extent.stopped(),
            missing: counted(monitor.missing()),
            properties: monitor.properties().map(property).collect(),
            queries: monitor.queries().map(|query| EndValue::of_keys(&query, reason)).collect(),
            warnings: monitor.warnings().iter().map(Warning::from).collect(),
            ..Self::cut_short(monitor.states(), 0, &[])
        }
    }

    /// What a feed has come to; `verdicts` are those on its properties, and `reason` words why one
    /// was given up.
    pub fn new(
        feed: &Feed,
        extent: Extent,
        verdicts: &[traceward::Verdict],
        reason: &dyn Fn(&Abandoned) -> String,
        cost_asked: bool,
    ) -> Self {
        let end = Self::of_monitor(feed.monitor(), extent, verdicts, reason, cost_asked);
        Self { skipped: feed.skipped(), late: feed.late(), notes: told(&feed.notes()), ..end }
    }

    /// What a monitor has come to that got its states one by one.
    pub fn of_monitor(
        monitor: &Monitor,
        extent: Extent,
        verdicts: &[traceward::Verdict],
        reason: &dyn Fn(&Abandoned) -> String,
        cost_asked: bool,
    ) -> Self {
        let ending = match extent {
            Extent::Complete => traceward::Ending::Ended,
            Extent::CutShort | Extent::Decided | Extent::Violated => traceward::Ending::Open,
        };
        let runs = |id| {
            let (coverage, waiting) = monitor.runs(id, ending);
            let waiting = waiting.map(|found| found.iter().map(Waiting::from).collect());
            (coverage.as_ref().map(Coverage::from), waiting)
        };
        let end_verdict = |id, verdict: &traceward::Verdict, (coverage, waiting)| EndVerdict {
            name: monitor.property(id).name.to_owned(),
            verdict: if is_unknown(monitor, id) { Verdict::Unknown } else { (*verdict).into() },
            reason: monitor.property(id).gave_up.map(reason).or_else(|| monitor.doubt(id).map(str::to_owned)),
            vacuous: monitor.vacuous(id).filter(|_| *verdict == traceward::Verdict::Satisfied).map(str::to_owned),
            keys: None,
            coverage,
            waiting,
            engine_statistics: Statistics::asked(match (cost_asked, monitor.engine_statistics(id)) {
                (false, _) => Cost::NotAsked,
                (true, None) => Cost::Unknown,
                (true, Some(statistics)) => Cost::Known(statistics),
            }),
        };
        let end_value = |query: &MeasuredQuery<'_>| RunningQuery::new(query, reason).into();
        let property = |(id, verdict): (traceward::PropertyId, &traceward::Verdict)| end_verdict(id, verdict, runs(id));
        Self {
            end: true,
            client: None,
            gone: false,
            version: VERSION,
            complete: (extent != Extent::Complete).then_some(false),
            stopped: extent.stopped(),
            states: monitor.position(),
            skipped: 0,
            late: 0,
            missing: counted(monitor.missing()),
            notes: Vec::new(),
            properties: monitor.property_ids().zip(verdicts).map(property).collect(),
            queries: match extent {
                Extent::Complete => monitor.queries_at_end().map(|query| end_value(&query)).collect(),
                _ => monitor.queries().map(|query| end_value(&query)).collect(),
            },
            warnings: monitor.warnings().iter().map(Warning::from).collect(),
        }
    }
}
