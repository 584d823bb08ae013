//! What a monitor follows: one trace, or one for each key.

use super::change::{Noted, OfKey};
use super::saved;
use crate::error::{in_python, of_error};
use crate::value::Given;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::Arc;
use std::time::Instant;
use traceward::input::{ReadTrace, TimeUnit};
use traceward::report::Warning;
use traceward::{
    Abandoned, EndedTrace, KeyEnd, KeyedMonitor, KeyedStep, Known, PropertyId, ReadOptions, StepError, Value,
    VariableId, Verdict,
};
use traceward_cli::binding;
use traceward_wire::{EndOfTrace, Extent};

/// The state that is taken, kept for its memory.
#[derive(Default)]
pub struct Taken {
    pub values: Vec<(VariableId, Value)>,
    pub time: Moment,
    /// The key, as it was given.
    pub key: Option<KeyGiven>,
}

/// The time of a state.
#[derive(Default)]
pub enum Moment {
    #[default]
    None,
    Nanoseconds(i64),
    AsGiven(Value),
}

/// A key as it was given.
pub enum KeyGiven {
    Value(Value),
    Moment(i64),
}

impl Taken {
    pub fn clear(&mut self) {
        self.values.clear();
        (self.time, self.key) = (Moment::None, None);
    }
}

/// One trace, or one for each key.
pub enum Followed {
    One(Box<traceward::Monitor>),
    Each(Box<Keyed>),
}

/// The traces of keys.
pub struct Keyed {
    monitor: KeyedMonitor,
    /// Tells how late it is where silence ends traces and states have no timestamps.
    since: Option<Instant>,
    /// The time that had passed before, if it was saved: nobody was silent while nobody listened.
    before: i64,
    /// What silence has brought before a state that was refused, to be told with the next one.
    untold: Vec<Noted>,
}

/// Nothing has happened: a state was refused.
pub enum Refusal {
    /// It has no key.
    WithoutKey,
    Step(StepError),
}

impl From<StepError> for Refusal {
    fn from(error: StepError) -> Self {
        Self::Step(error)
    }
}

impl Keyed {
    pub fn new(monitor: KeyedMonitor, idle: Option<u64>, untold: Vec<Noted>) -> Self {
        let since = (idle.is_some() && !monitor.has_timestamps()).then(Instant::now);
        let before = monitor.time().unwrap_or_default();
        Self { monitor, since, before, untold }
    }

    /// The traces as bytes: with the silence up to now, and with what it has brought and nobody was
    /// told.
    fn save(&mut self) -> PyResult<Vec<u8>> {
        self.pass_time();
        let saved = saved::joined(&self.untold, self.monitor.save());
        saved.map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// Ends what has been silent for too long by the clock of the machine, where no other tells.
    fn pass_time(&mut self) {
        if let Some(since) = self.since {
            let now = i64::try_from(since.elapsed().as_nanos()).unwrap_or(i64::MAX);
            note_ended(self.monitor.pass_time(self.before.saturating_add(now)), &mut self.untold);
        }
    }

    fn step(&mut self, taken: &Taken) -> Result<Vec<Noted>, Refusal> {
        self.pass_time();
        let key = match &taken.key {
            None => None,
            Some(KeyGiven::Value(value)) => self.monitor.key_of(value)?,
            Some(KeyGiven::Moment(moment)) => Some(self.monitor.key_of_moment(*moment)),
        };
        let key = key.ok_or(Refusal::WithoutKey)?;
        let step = match &taken.time {
            Moment::None => self.monitor.step_values(&key, &taken.values, None),
            Moment::Nanoseconds(time) => self.monitor.step_values(&key, &taken.values, Some(*time)),
            Moment::AsGiven(time) => self.monitor.step_timed(&key, &taken.values, time),
        }?;
        let mut noted = std::mem::take(&mut self.untold);
        note(&step, &mut noted);
        Ok(noted)
    }
}

/// Notes what a state has come to.
fn note(step: &KeyedStep<'_>, noted: &mut Vec<Noted>) {
    let KeyedStep { key, number, position, changed, ended } = *step;
    if !changed.is_empty() {
        let of_key = OfKey { key: Arc::from(key), number, ended: None };
        noted.extend(changed.iter().map(|change| Noted::of_key(change, position, of_key.clone())));
    }
    note_ended(ended, noted);
}

/// Notes what the ends of traces have made certain.
fn note_ended(ended: &[EndedTrace], noted: &mut Vec<Noted>) {
    for EndedTrace { key, number, states, reason, changed, .. } in ended {
        let ended = match reason {
            KeyEnd::Silence => "silence",
            KeyEnd::Marker | KeyEnd::Whole => "marker",
        };
        let of_key = OfKey { key: key.clone(), number: *number, ended: Some(ended) };
        noted.extend(changed.iter().map(|one| Noted::of_key(one, states.saturating_sub(1), of_key.clone())));
    }
}

impl Followed {
    pub fn variable(&self, name: &str) -> Option<VariableId> {
        match self {
            Self::One(monitor) => monitor.variable(name),
            Self::Each(keyed) => keyed.monitor.variable(name),
        }
    }

    /// The names of the variables that can make a difference.
    pub fn variables(&self) -> Vec<String> {
        match self {
            Self::One(monitor) => monitor.variables().map(str::to_owned).collect(),
            Self::Each(keyed) => keyed.monitor.variables().map(str::to_owned).collect(),
        }
    }

    /// The names of the properties.
    pub fn property_names(&self) -> Vec<String> {
        match self {
            Self::One(monitor) => monitor.properties().map(|one| one.name.to_owned()).collect(),
            Self::Each(keyed) => keyed.monitor.properties().map(|one| one.name.to_owned()).collect(),
        }
    }

    /// The number of states so far, of all keys.
    pub fn states(&self) -> u64 {
        match self {
            Self::One(monitor) => monitor.position(),
            Self::Each(keyed) => keyed.monitor.states(),
        }
    }

    /// The variables that no state has spoken of.
    pub fn unseen(&self) -> Vec<String> {
        match self {
            Self::One(monitor) => monitor.unseen().map(str::to_owned).collect(),
            Self::Each(keyed) => keyed.monitor.unseen().map(str::to_owned).collect(),
        }
    }

    pub fn deadline(&self) -> Option<i64> {
        match self {
            Self::One(monitor) => monitor.deadline(),
            Self::Each(keyed) => keyed.monitor.deadline(),
        }
    }

    /// The verdict on each property, with keys the worst of all; none where it was given up.
    pub fn verdicts(&self) -> Vec<Option<Verdict>> {
        match self {
            Self::One(monitor) => {
                let verdict = |id| Some(monitor.property(id)).filter(|one| one.gave_up.is_none());
                monitor.property_ids().map(|id| verdict(id).map(|one| one.verdict)).collect()
            }
            Self::Each(keyed) => {
                let is_known =
                    |one: &traceward::KeyedProperty<'_>| one.verdict == Verdict::Violated || one.unknown == 0;
                keyed.monitor.properties().map(|one| Some(one).filter(is_known).map(|one| one.verdict)).collect()
            }
        }
    }

    /// The traces of keys, if there are any.
    pub fn keyed(&self) -> Option<&KeyedMonitor> {
        match self {
            Self::One(_) => None,
            Self::Each(keyed) => Some(&keyed.monitor),
        }
    }

    /// Takes the next state.
    pub fn step(&mut self, taken: &Taken) -> Result<Vec<Noted>, Refusal> {
        let monitor = match self {
            Self::One(monitor) => monitor,
            Self::Each(keyed) => return keyed.step(taken),
        };
        let changed = match &taken.time {
            Moment::None => monitor.step_values(&taken.values, None),
            Moment::Nanoseconds(time) => monitor.step_values(&taken.values, Some(*time)),
            Moment::AsGiven(time) => monitor.step_timed(&taken.values, time),
        }?;
        if changed.is_empty() {
            return Ok(Vec::new());
        }
        let changed = changed.to_vec();
        Ok(changed.into_iter().map(|id| Noted::of_trace(monitor, id)).collect())
    }

    /// The options by which a table is read whose rows are to be the next states.
    pub fn row_options(&self) -> ReadOptions {
        match self {
            Self::One(monitor) => monitor.row_options(),
            Self::Each(keyed) => keyed.monitor.row_options(),
        }
    }

    /// Takes rows as the next states; returns what has changed up to the one that is refused.
    pub fn step_rows(&mut self, rows: &ReadTrace, only_final: bool) -> (Vec<Noted>, Result<(), StepError>) {
        let mut noted: Vec<Noted> = Vec::new();
        let is_told = |one: &Noted| !only_final || one.is_final();
        let result = match self {
            Self::One(monitor) => monitor.step_rows(rows, |monitor, changed: &[PropertyId]| {
                noted.extend(changed.iter().map(|id| Noted::of_trace(monitor, *id)).filter(is_told));
            }),
            Self::Each(keyed) => {
                keyed.pass_time();
                noted.append(&mut keyed.untold);
                keyed.monitor.step_rows(rows, |step| {
                    let before = noted.len();
                    note(&step, &mut noted);
                    let last = noted.split_off(before);
                    noted.extend(last.into_iter().filter(is_told));
                })
            }
        };
        (noted, result)
    }

    /// Learns that time has passed.
    pub fn advance_to(&mut self, time: i64) -> Vec<Noted> {
        match self {
            Self::One(monitor) => {
                let changed = monitor.advance_to(time).to_vec();
                changed.into_iter().map(|id| Noted::of_trace(monitor, id)).collect()
            }
            Self::Each(keyed) => {
                let mut noted = std::mem::take(&mut keyed.untold);
                for passed in keyed.monitor.advance_to(time) {
                    let of_key = OfKey { key: passed.key, number: passed.number, ended: None };
                    let changed = passed.changed.iter();
                    noted.extend(changed.map(|one| Noted::of_key(one, passed.position, of_key.clone())));
                }
                note_ended(keyed.monitor.ended_by_clock(), &mut noted);
                noted
            }
        }
    }

    /// The monitor as bytes.
    pub fn save(&mut self, py: Python<'_>) -> PyResult<Vec<u8>> {
        match self {
            Self::One(monitor) => monitor.save().map_err(|error| of_error(py, &error, "the trace")),
            Self::Each(keyed) => keyed.save(),
        }
    }

    /// Ends everything, and tells what it has come to; `tells_cost` asks for engine statistics.
    pub fn end(&mut self, tells_cost: bool) -> EndOfTrace {
        let reason = |abandoned: &Abandoned| in_python(&binding::given_up(abandoned));
        match self {
            Self::One(monitor) => {
                let verdicts = monitor.end();
                EndOfTrace::of_monitor(monitor, Extent::Complete, &verdicts, &reason, tells_cost)
            }
            Self::Each(keyed) => {
                keyed.monitor.end_all();
                EndOfTrace::of_keyed_monitor(&keyed.monitor, Extent::Complete, &reason)
            }
        }
    }

    /// Probable mistakes in what was asked.
    pub fn warnings(&self) -> Vec<Warning> {
        match self {
            Self::One(monitor) => monitor.warnings(),
            Self::Each(keyed) => keyed.monitor.warnings(),
        }
    }

    /// The reason why there is no answer at the end, if something was given up: the name of a
    /// property or query, and why.
    pub fn given_up(&self) -> Option<(String, String)> {
        let said = |abandoned: &Abandoned| in_python(&binding::given_up(abandoned));
        match self {
            Self::One(monitor) => of_one(monitor),
            Self::Each(keyed) => {
                let property = |one: traceward::KeyedProperty<'_>| Some((one.name.to_owned(), said(one.gave_up?)));
                let query = |one: traceward::KeyedQuery<'_>| {
                    one.lost.map(|(key, lost)| (one.name.to_owned(), format!("{key}: {}", said(lost))))
                };
                let properties = keyed.monitor.properties().filter(|one| one.unknown > 0);
                properties.filter_map(property).chain(keyed.monitor.queries().filter_map(query)).next()
            }
        }
    }
}

fn of_one(monitor: &traceward::Monitor) -> Option<(String, String)> {
    let said = |abandoned: &Abandoned| in_python(&binding::given_up(abandoned));
    for id in monitor.property_ids() {
        let property = monitor.property(id);
        let reason = property.gave_up.map(said).or_else(|| monitor.doubt(id).map(str::to_owned));
        if let Some(reason) = reason {
            return Some((property.name.to_owned(), reason));
        }
    }
    for query in monitor.queries_at_end() {
        let reason = match query.known {
            Known::Value { .. } => continue,
            Known::Failed(reason) => reason,
            Known::GaveUp(gave_up) => said(&Abandoned::Limit(gave_up)),
        };
        return Some((query.name.to_owned(), reason));
    }
    None
}

/// A time as the timestamps of states are given, in nanoseconds.
pub fn nanoseconds(time: Result<Given<'_>, String>, unit: Option<TimeUnit>) -> Result<i64, String> {
    let out_of_range = || Err("the time is out of range".to_owned());
    match (time?, unit) {
        (Given::Moment(moment), _) => Ok(moment),
        (Given::Value(Value::Int(number)), Some(unit)) => {
            number.checked_mul(unit.nanoseconds()).map_or_else(out_of_range, Ok)
        }
        (Given::Value(Value::Float(number)), Some(unit)) => {
            let time = (number * unit.nanoseconds() as f64).round();
            if time.abs() < 9e18 { Ok(time as i64) } else { out_of_range() }
        }
        (Given::Value(Value::Int(_) | Value::Float(_)), None) => {
            Err("a number has no meaning as a time: give a datetime, or name the unit: time=\"COLUMN:s\"".to_owned())
        }
        _ => Err("a time is a datetime, or a number of the unit of the time column".to_owned()),
    }
}
