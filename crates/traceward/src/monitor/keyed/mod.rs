//! A monitor for each key of one stream.
//!
//! All share one program and one intake. Of each key's trace only that is kept in which it differs
//! ([`trails`]); what has come of traces that have ended is summed up ([`tally`]).

mod feed;
mod save;
mod tally;
#[cfg(test)]
mod tests;
mod trails;

pub use feed::{KeyedEvent, KeyedFeed};
pub use tally::{KeyViolation, KeyedProperty, KeyedQuery};

use super::program::{CompiledClaim, CompiledTrigger, Program, Timestamps};
use super::spelling::Occurred;
use super::{Abandoned, Known, Missed, Place, PropertyId, State, StepError, decision, state};
use crate::error::{Error, Request};
use crate::question::never_true;
use crate::report::{Subject, Warning, WarningKind};
use crate::runs::RunQuestions;
use crate::spec::Spec;
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;
use tally::{PropertyTally, QueryTally, worse};
use traceward_engine::select::Config;
use traceward_logic::expr::{Memory, RowState};
use traceward_logic::trace::{Column, VariableId};
use traceward_logic::value::Value;
use traceward_logic::verdict::Verdict;
use traceward_trace::{Cell, Intake, Keys, MissingPolicy, ReadOptions, ReadTrace, Records};
use trails::{Strand, Trail, TrailId, Trails, Whole};

/// Judges properties for each key of a stream, one state at a time.
///
/// The spec names the key: `trace { by KEY }`. A key's trace begins with its first state. It ends
/// with a state that the spec's settings take for the last one ([`crate::Settings::end_when`]),
/// after a silence ([`KeyOptions::idle`]), or with [`Self::end_all`]. A later state of the key
/// begins another trace, which has a number. Memory grows with the keys that have a trace: about
/// 200 bytes each for a property of few states.
///
/// ```
/// use traceward::{KeyedMonitor, Spec, State, Verdict};
///
/// let spec: Spec = "trace { by client } property answered = G(request -> F grant)".parse()?;
/// let mut monitor = KeyedMonitor::new(&spec)?;
/// monitor.step("ann", &State::new().with("request", true).with("grant", false))?;
/// monitor.step("bob", &State::new().with("request", true).with("grant", false))?;
/// let step = monitor.step("ann", &State::new().with("request", false).with("grant", true))?;
/// assert_eq!((step.position, step.changed[0].verdict), (1, Verdict::Holding));
///
/// monitor.end_all();
/// let answered = monitor.properties().next().unwrap();
/// assert_eq!((answered.checked, answered.violated), (2, 1));
/// assert_eq!(&*answered.first_violations[0].key, "bob");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct KeyedMonitor {
    program: Arc<Program>,
    /// Makes states of records, and keeps the last one, of whichever key.
    intake: Intake,
    options: KeyOptions,
    trails: Trails,
    /// The traces in the order in which they may have to end by silence, if that is asked for.
    silent: BinaryHeap<Reverse<(i64, u64, TrailId)>>,
    /// The traces in the order in which the clock may bring a verdict on them.
    due: BinaryHeap<Reverse<(i64, u64, TrailId)>>,
    /// A bit for each atom: whether it holds in the last state, and whether it held in any.
    letter: Vec<u64>,
    seen: Vec<u64>,
    occurred: Occurred,
    /// Whether a state has been the last one of its trace.
    has_marker_held: bool,
    properties: Vec<PropertyTally>,
    queries: Vec<QueryTally>,
    /// The number of states of all keys, of traces, and of records without a key.
    states: u64,
    begun: u64,
    without_key: u64,
    /// Whether all traces have ended, so that what holds of none holds for good.
    is_over: bool,
    /// The latest moment of any key, be it of a state or told by somebody.
    now: Option<i64>,
    changed: Vec<Change>,
    ended: Vec<EndedTrace>,
}

/// The way in which the traces of keys are followed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct KeyOptions {
    /// The silence in nanoseconds after which the trace of a key ends: by the timestamps of states,
    /// or by [`KeyedMonitor::pass_time`] where there are none.
    pub idle: Option<u64>,
    /// The most traces that are followed at a time. One more is an error: to end another for it
    /// would make its verdict wrong. As many keys whose traces have ended are remembered by their
    /// number of traces; of those that have ended before, numbers begin anew.
    pub max_keys: usize,
    /// The number of violations that are told one by one for each property, and of the keys with
    /// the largest values.
    pub max_violations: usize,
}

impl Default for KeyOptions {
    fn default() -> Self {
        Self { idle: None, max_keys: 1_000_000, max_violations: 5 }
    }
}

/// The verdict on a property of one trace has changed.
#[derive(Clone, PartialEq, Debug)]
pub struct Change {
    /// The property.
    pub property: PropertyId,
    /// The verdict on it.
    pub verdict: Verdict,
    /// The state that made it final, if it is final and not because of the end.
    pub decided_by: Option<Place>,
    /// The time that the clock had reached, if the clock made it final.
    pub decided_time: Option<i64>,
    /// The obligations whose time had run out when it became final.
    pub missed: Vec<Missed>,
    /// The reason why the property is not followed any more for this trace.
    pub gave_up: Option<Abandoned>,
}

impl Change {
    fn of(property: usize, verdict: Verdict) -> Self {
        Self::new(PropertyId(property as u32), verdict)
    }

    /// A verdict that is not explained by a state.
    pub fn new(property: PropertyId, verdict: Verdict) -> Self {
        Self { property, verdict, decided_by: None, decided_time: None, missed: Vec::new(), gave_up: None }
    }
}

/// The verdicts that the clock has brought on the trace of a key.
#[derive(Clone, PartialEq, Debug)]
pub struct PassedTime {
    /// The key.
    pub key: Arc<str>,
    /// The number of the trace among those of its key, counted from 1.
    pub number: u32,
    /// The position of the last state of the trace.
    pub position: u64,
    /// The properties whose verdict is another than before.
    pub changed: Vec<Change>,
}

/// What a state has come to.
#[derive(Clone, Copy, Debug)]
pub struct KeyedStep<'a> {
    /// The key.
    pub key: &'a str,
    /// The number of the trace among those of its key, counted from 1.
    pub number: u32,
    /// The position of the state in that trace.
    pub position: u64,
    /// The properties whose verdict is another than before; after the first state all of them.
    pub changed: &'a [Change],
    /// The traces that have ended: those of other keys by silence, and this one with this state.
    pub ended: &'a [EndedTrace],
}

/// The reason why the trace of a key has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KeyEnd {
    /// The state was marked as the last one.
    Marker,
    /// No state has come for too long.
    Silence,
    /// Everything has ended.
    Whole,
}

/// The trace of a key that has ended.
#[derive(Clone, PartialEq, Debug)]
pub struct EndedTrace {
    /// The key.
    pub key: Arc<str>,
    /// The number of the trace among those of its key, counted from 1.
    pub number: u32,
    /// The number of its states.
    pub states: u64,
    /// The reason of its end.
    pub reason: KeyEnd,
    /// The properties whose verdict only the end has made final.
    pub changed: Vec<Change>,
    /// What is known of each query.
    pub values: Vec<Known>,
}

impl KeyedMonitor {
    /// A monitor that has seen no state.
    pub fn new(spec: &Spec) -> Result<Self, Error> {
        Self::with_options(spec, Config::default(), KeyOptions::default())
    }

    /// A monitor that has seen no state, with a certain engine, certain limits and certain ends.
    pub fn with_options(spec: &Spec, config: Config, options: KeyOptions) -> Result<Self, Error> {
        Self::made(spec, config, options, Timestamps::AsNamed)
    }

    /// A monitor for an input that may bring timestamps which nobody has named, as events do.
    pub fn for_input(spec: &Spec, config: Config, options: KeyOptions) -> Result<Self, Error> {
        Self::made(spec, config, options, Timestamps::of_input(spec))
    }

    /// A monitor for an input whose records get the time of their arrival as timestamps
    /// ([`KeyedFeed::arrive`]), unless the spec or the input names others.
    pub fn by_arrival(spec: &Spec, config: Config, options: KeyOptions) -> Result<Self, Error> {
        Self::made(spec, config, options, Timestamps::by_arrival(spec))
    }

    fn made(spec: &Spec, config: Config, options: KeyOptions, timestamps: Timestamps) -> Result<Self, Error> {
        if spec.settings().by.is_none() {
            return Err(Request::NoKey.into());
        }
        let program = Program::new(spec, config, RunQuestions::default(), timestamps)?;
        // What cannot even begin is known before there is a key.
        for property in &program.properties {
            if let CompiledClaim::Formula(compiled) = &property.claim
                && compiled.engine.numbered().is_none()
            {
                let error = |gave_up| Error::from(gave_up).of_property(|| property.name.clone());
                compiled.engine.start().map_err(error)?;
            }
        }
        Ok(Self::of(program.into(), options))
    }

    fn of(program: Arc<Program>, options: KeyOptions) -> Self {
        let words = program.atoms.len().div_ceil(64);
        Self {
            intake: Intake::new(program.read_options()),
            options,
            trails: Trails::default(),
            silent: BinaryHeap::new(),
            due: BinaryHeap::new(),
            letter: vec![0; words],
            seen: vec![0; words],
            occurred: program.spelling.start(),
            has_marker_held: false,
            properties: vec![PropertyTally::default(); program.properties.len()],
            queries: vec![QueryTally::default(); program.queries.len()],
            states: 0,
            begun: 0,
            without_key: 0,
            is_over: false,
            now: None,
            changed: Vec::new(),
            ended: Vec::new(),
            program,
        }
    }

    /// The number of states of all keys.
    pub fn states(&self) -> u64 {
        self.states
    }

    /// The number of keys that have a trace now.
    pub fn live(&self) -> usize {
        self.trails.len()
    }

    /// The number of traces so far.
    pub fn traces(&self) -> u64 {
        self.begun
    }

    /// The properties' ids, in the spec's order.
    pub fn property_ids(&self) -> impl Iterator<Item = PropertyId> + use<> {
        (0..self.properties.len() as u32).map(PropertyId)
    }

    /// The name of a property.
    pub fn property_name(&self, id: PropertyId) -> &str {
        &self.program.properties[id.index()].name
    }

    /// The names and measures of queries, in the spec's order.
    pub fn measures(&self) -> impl Iterator<Item = (&str, &crate::report::Measure)> {
        self.program.queries.iter().map(|query| (&*query.name, &query.measure))
    }

    /// The properties with what is known of them over all keys, in the spec's order. Traces that go
    /// on count with the verdicts they have.
    pub fn properties(&self) -> impl Iterator<Item = KeyedProperty<'_>> {
        self.property_ids().zip(self.verdicts()).map(|(id, verdict)| self.told_property(id, verdict))
    }

    fn told_property(&self, id: PropertyId, verdict: Verdict) -> KeyedProperty<'_> {
        let (property, tally) = (&self.program.properties[id.index()], &self.properties[id.index()]);
        let unmet = tally.unmet.filter(|_| tally.vacuous == self.begun);
        KeyedProperty {
            name: &property.name,
            formula: &property.formula,
            description: property.description.as_deref(),
            verdict,
            checked: self.begun,
            violated: tally.violated,
            vacuous: tally.vacuous,
            vacuous_trigger: unmet.map(|(_, trigger)| self.program.triggers[trigger].text.as_str()),
            unknown: tally.unknown,
            gave_up: tally.gave_up.as_ref(),
            first_violations: &tally.first,
        }
    }

    /// The worst verdict on each property over all keys, in the spec's order.
    pub fn verdicts(&self) -> Vec<Verdict> {
        let so_far = |tally: &PropertyTally| match tally.violated {
            0 => Verdict::Satisfied,
            _ => Verdict::Violated,
        };
        let mut verdicts: Vec<Verdict> = self.properties.iter().map(so_far).collect();
        for id in self.trails.in_order() {
            let strands = self.trails.strands(&self.program, id).iter();
            for ((verdict, strand), property) in verdicts.iter_mut().zip(strands).zip(&self.program.properties) {
                let of_trace = strand.verdict(property.claim.formula());
                *verdict = of_trace.map_or(*verdict, |of_trace| worse(*verdict, of_trace));
            }
        }
        if self.begun == 0 && !self.is_over {
            let of_nothing = |holds| if holds { Verdict::Holding } else { Verdict::Pending };
            return self.program.properties.iter().map(|property| of_nothing(property.holds_on_empty)).collect();
        }
        verdicts
    }

    /// The verdict of each trace that goes on, in the order of their first states: the key, the
    /// number of the trace, and the verdict on each property; none where it was given up.
    pub fn live_verdicts(&self) -> impl Iterator<Item = (&str, u32, Vec<Option<Verdict>>)> {
        self.trails.in_order().into_iter().filter_map(|id| {
            let trail = self.trails.get(id)?;
            let strands = self.trails.strands(&self.program, id).iter().zip(&self.program.properties);
            let verdicts = strands.map(|(strand, property)| strand.verdict(property.claim.formula()));
            Some((&*trail.key, trail.number, verdicts.collect()))
        })
    }

    /// The verdict on each property of the trace that a key has now; none where it was given up,
    /// and nothing if the key has no trace.
    pub fn verdicts_of(&self, key: &str) -> Vec<Option<Verdict>> {
        let Some(id) = self.trails.find(key) else { return Vec::new() };
        let strands = self.trails.strands(&self.program, id).iter().zip(&self.program.properties);
        strands.map(|(strand, property)| strand.verdict(property.claim.formula())).collect()
    }

    /// Whether states have timestamps.
    pub fn has_timestamps(&self) -> bool {
        self.intake.options().time.is_some()
    }

    /// The id of a variable that the spec speaks of; none of any other.
    pub fn variable(&self, name: &str) -> Option<VariableId> {
        self.program.slots.get(name).map(|&slot| VariableId(slot as u32))
    }

    /// The variables that can make a difference to a verdict: what a sender of states has to send.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        let named = self.program.names.iter().zip(&self.program.variables);
        named.filter(|(_, variable)| variable.matters).map(|(name, _)| &**name)
    }

    /// The queries with their values over the keys whose traces have ended, in the spec's order.
    pub fn queries(&self) -> impl Iterator<Item = KeyedQuery<'_>> {
        let tallies = self.queries.iter().enumerate();
        tallies.map(|(index, tally)| tally.told(&self.program, index, self.options.max_violations))
    }

    /// Variables that properties need and no state has spoken of, of whichever key.
    pub fn unseen(&self) -> impl Iterator<Item = &str> {
        let variables = self.program.variables.iter().zip(self.intake.seen()).zip(&self.program.names);
        variables.filter(|((variable, seen), _)| variable.needed && !**seen).map(|(_, name)| &**name)
    }

    /// The variables of which a value was asked in states of whichever key that had none, and in
    /// how many.
    pub fn missing(&self) -> impl Iterator<Item = (&str, u64)> {
        self.program.missing(&self.intake)
    }

    /// Probable mistakes, should everything end here: what properties speak of and no state had.
    pub fn warnings(&self) -> Vec<Warning> {
        let never = |atom: usize| self.states > 0 && self.seen[atom / 64] >> (atom % 64) & 1 == 0;
        let mut warnings = Vec::new();
        for (property, tally) in self.program.properties.iter().zip(&self.properties) {
            let unmet = self.unmet(tally).map(|index| &self.program.triggers[index].compiled.atoms);
            let atoms = property.claim.formula().into_iter().flat_map(|one| one.atoms.iter().copied().flatten());
            for atom in atoms.filter(|atom| never(*atom)) {
                let about = Some(Subject::Property(property.name.clone()));
                let is_urgent = unmet.is_some_and(|atoms| atoms.contains(&Some(atom)));
                let kind = never_true(&self.program.exprs[atom], &self.program.names);
                let kind = kind.filter(|kind| !matches!(kind, WarningKind::StringNeverOccurs { .. }));
                warnings.extend(kind.map(|kind| Warning { kind, about, is_urgent }));
            }
        }
        // A marker that ends no trace is as good as none.
        let marker = self.program.end_marker.as_ref().filter(|_| self.states > 0 && !self.has_marker_held);
        let kind = marker.and_then(|marker| never_true(marker, &self.program.names));
        let kind = kind.filter(|kind| !matches!(kind, WarningKind::StringNeverOccurs { .. }));
        warnings.extend(kind.map(|kind| Warning { kind, about: None, is_urgent: true }));
        if self.states > 0 {
            warnings.extend(self.strings_that_never_came());
        }
        warnings.extend(self.program.warnings.iter().cloned());
        warnings
    }

    /// The number of the trigger of a property that has come about in no trace.
    fn unmet(&self, tally: &PropertyTally) -> Option<usize> {
        tally.unmet.filter(|_| tally.vacuous == self.begun).map(|(_, index)| index)
    }

    fn strings_that_never_came(&self) -> impl Iterator<Item = Warning> {
        let program = &*self.program;
        let is_decisive = |variable, text: &str, about: Option<&Subject>| {
            // A marker that ends no trace is as good as none.
            let Some(about) = about else { return !self.has_marker_held };
            let mut properties = program.properties.iter().zip(&self.properties);
            let of = properties.find(|(property, _)| *about == Subject::Property(property.name.clone()));
            let unmet = of.and_then(|(_, tally)| self.unmet(tally)).map(|index| &program.triggers[index].compiled);
            let atoms = unmet.into_iter().flat_map(|compiled| compiled.atoms.iter().flatten());
            atoms.into_iter().any(|&atom| program.compares(atom, variable, text))
        };
        program.spelling.warnings(&self.occurred, &program.names, is_decisive)
    }

    /// Takes the next state of a key; variables that no property speaks of do not matter.
    ///
    /// A state that is refused has not happened.
    pub fn step<'a>(&'a mut self, key: &'a str, state: &State) -> Result<KeyedStep<'a>, StepError> {
        let mut cells = vec![Cell::Absent; self.intake.options().variables.len()];
        for (name, value) in state.values() {
            if let Some(&slot) = self.program.slots.get(name) {
                cells[slot] = state::cell(value);
            }
        }
        if self.intake.options().time.is_some() {
            cells.push(state.time().map_or(Cell::Absent, Cell::Time));
        }
        self.take(key, self.states + 1, &cells)
    }

    /// Takes the next state of a key, given by ids of variables and with a timestamp in
    /// nanoseconds: nothing is looked up by its name.
    ///
    /// # Panics
    /// If an id is none of this monitor's variables.
    pub fn step_values<'a>(
        &'a mut self,
        key: &'a str,
        values: &[(VariableId, Value)],
        time: Option<i64>,
    ) -> Result<KeyedStep<'a>, StepError> {
        self.step_cells(key, values, time.map_or(Cell::Absent, Cell::Time))
    }

    /// Takes the next state of a key, like [`Self::step_values`], with a timestamp as an input
    /// would bring it: a number of the unit that the spec names, or a date as text.
    ///
    /// # Panics
    /// If an id is none of this monitor's variables.
    pub fn step_timed<'a>(
        &'a mut self,
        key: &'a str,
        values: &[(VariableId, Value)],
        time: &Value,
    ) -> Result<KeyedStep<'a>, StepError> {
        self.step_cells(key, values, state::cell(time))
    }

    fn step_cells<'a>(
        &'a mut self,
        key: &'a str,
        values: &[(VariableId, Value)],
        time: Cell<'_>,
    ) -> Result<KeyedStep<'a>, StepError> {
        let mut cells = vec![Cell::Absent; self.intake.options().variables.len()];
        for (variable, value) in values {
            cells[variable.index()] = state::cell(value);
        }
        if self.has_timestamps() {
            cells.push(time);
        }
        self.take(key, self.states + 1, &cells)
    }

    /// The options by which a table is read whose rows are to be the next states
    /// ([`Self::step_rows`]).
    pub fn row_options(&self) -> ReadOptions {
        // What becomes of values that are missing depends on earlier states, which this one knows.
        let (records, missing) = (Records::States, MissingPolicy::False);
        ReadOptions { records, missing, end_when: None, ..self.intake.options().clone() }
    }

    /// Takes the rows of a table as the next states of their keys; `told` is told what each has
    /// come to that changes a verdict or ends a trace. The rows were read by
    /// [`Self::row_options`].
    ///
    /// A row that is refused has not happened, and ends it: those before it have.
    pub fn step_rows(&mut self, rows: &ReadTrace, mut told: impl FnMut(KeyedStep<'_>)) -> Result<(), StepError> {
        let columns: Vec<(usize, &Column)> =
            rows.columns.iter().enumerate().filter_map(|(slot, column)| Some((slot, column.as_ref()?))).collect();
        columns.iter().for_each(|(slot, _)| self.intake.name(*slot));
        let keys = keys_of_rows(rows);
        let mut cells = vec![Cell::Absent; self.intake.options().variables.len() + usize::from(self.has_timestamps())];
        for (row, key) in keys.into_iter().enumerate() {
            for &(slot, column) in &columns {
                cells[slot] = state::cell_of(column, row);
            }
            if let (Some(times), Some(cell)) = (&rows.time, cells.last_mut()) {
                *cell = Cell::Time(times[row]);
            }
            let step = self.take(&key, self.states + 1, &cells)?;
            if !step.changed.is_empty() || !step.ended.is_empty() {
                told(step);
            }
        }
        Ok(())
    }

    /// The key that a value is, as an input would bring it; none if the value is missing.
    pub fn key_of(&self, value: &Value) -> Result<Option<String>, StepError> {
        let key = self.intake.key_in(self.states + 1, state::cell(value)).map_err(StepError::Refused)?;
        Ok(key.map(Cow::into_owned))
    }

    /// The key that a moment is, in nanoseconds since 1970.
    pub fn key_of_moment(&self, moment: i64) -> String {
        let key = self.intake.key_in(self.states + 1, Cell::Time(moment));
        key.ok().flatten().map(Cow::into_owned).unwrap_or_default()
    }

    /// The latest moment that counts for silence, if there was one: that of a state, or one that
    /// somebody has told.
    pub fn time(&self) -> Option<i64> {
        self.now
    }

    /// Says how late it is, where states have no timestamps: in nanoseconds of whatever clock. The
    /// traces that have been silent for too long end, and are returned.
    pub fn pass_time(&mut self, now: i64) -> &[EndedTrace] {
        self.ended.clear();
        self.expire(now);
        &self.ended
    }

    /// Ends the traces of all keys, and returns how many there were. What has come of them is in
    /// [`Self::properties`] and [`Self::queries`]. The numbers of traces begin anew behind it.
    pub fn end_all(&mut self) -> usize {
        let ids = self.trails.in_order();
        for id in &ids {
            self.end_trace(*id, KeyEnd::Whole);
            self.ended.clear();
        }
        self.trails.forget_past();
        self.is_over = true;
        ids.len()
    }

    /// Takes the next state of a key: a cell for each variable, and those for the time.
    fn take<'a>(&'a mut self, key: &'a str, line: u64, cells: &[Cell<'_>]) -> Result<KeyedStep<'a>, StepError> {
        self.changed.clear();
        self.ended.clear();
        let known = self.offer(key, line, cells)?;
        self.check_next(known).inspect_err(|_| self.intake.withdraw())?;
        let id = match known {
            Some(id) => id,
            None => self.begin(key).inspect_err(|_| self.intake.withdraw())?,
        };
        self.intake.accept();
        self.occurred.take(&self.program.spelling, self.intake.state());
        self.states += 1;
        self.read_letter(id);
        if self.program.measures {
            self.measure(id);
        }
        self.follow(id, line);
        let has_ended = self.leave(id);
        let (number, position) = self.trails.get(id).map_or((1, 0), |trail| (trail.number, trail.states - 1));
        if has_ended {
            self.end_trace(id, KeyEnd::Marker);
        }
        Ok(KeyedStep { key, number, position, changed: &self.changed, ended: &self.ended })
    }

    /// Makes the next state of a record; returns the trace that it goes on with, if there is one.
    fn offer(&mut self, key: &str, line: u64, cells: &[Cell<'_>]) -> Result<Option<TrailId>, StepError> {
        let known = self.trails.find(key);
        self.offer_behind(known, key, line, cells)?;
        let (Some(_), Some(now)) = (self.options.idle, self.intake.next_time()) else { return Ok(known) };
        self.expire(now);
        self.expire_behind(known, now);
        match known.filter(|id| self.trails.get(*id).is_none()) {
            None => Ok(known),
            Some(_) => {
                // It was silent for too long itself: what it carried is not that of the new trace.
                self.intake.withdraw();
                self.offer_behind(None, key, line, cells)?;
                Ok(None)
            }
        }
    }

    fn offer_behind(
        &mut self,
        known: Option<TrailId>,
        key: &str,
        line: u64,
        cells: &[Cell<'_>],
    ) -> Result<(), StepError> {
        match known.and_then(|id| self.trails.get(id)) {
            Some(trail) => self.intake.resume(&trail.carried),
            None => self.intake.resume(&self.trails.carried(key)),
        }
        self.intake.offer_of(Some(key), line, cells).map_err(StepError::Refused)
    }

    /// Whether every expression can be evaluated in the next state.
    fn check_next(&self, known: Option<TrailId>) -> Result<(), StepError> {
        let Self { program, intake, trails, .. } = self;
        if program.fallible.is_empty() {
            return Ok(());
        }
        let trail = known.and_then(|id| trails.get(id));
        let memory = trail.and_then(|trail| trail.memory.as_deref()).unwrap_or(&program.memory);
        let (position, time) = (trail.map_or(0, |trail| trail.states), intake.next_time());
        let state = RowState { values: intake.next(), position, time, memory };
        for expr in &program.fallible {
            if let Err(reason) = expr.holds(&state) {
                let expr = expr.display(&program.names);
                // As of a file that is split by key, the position is one of the whole.
                let message = format!("{reason} in `{expr}` at position {}", self.states);
                return Err(StepError::Evaluation(message));
            }
        }
        Ok(())
    }

    /// Begins a trace of a key that has none.
    fn begin(&mut self, key: &str) -> Result<TrailId, StepError> {
        if self.trails.len() >= self.options.max_keys {
            return Err(StepError::TooManyKeys { limit: self.options.max_keys });
        }
        if is_mostly_past(self.silent.len(), &self.trails) {
            self.silent = in_order_of(&self.trails, |trail| Some(trail.last));
        }
        let id = self.trails.begin(&self.program, key, self.begun);
        if self.options.idle.is_some() {
            let now = self.intake.next_time().max(self.now).unwrap_or_default();
            self.silent.push(Reverse((now, self.begun, id)));
        }
        self.begun += 1;
        Ok(id)
    }

    /// Evaluates all atoms in the state that was accepted.
    fn read_letter(&mut self, id: TrailId) {
        let Self { program, intake, trails, letter, seen, .. } = self;
        let Some(trail) = trails.get(id) else { return };
        let memory = trail.memory.as_deref().unwrap_or(&program.memory);
        let state = RowState { values: intake.state(), position: trail.states, time: intake.time(), memory };
        letter.fill(0);
        for (index, atom) in program.atoms.iter().enumerate() {
            letter[index / 64] |= u64::from(atom.holds(&state)) << (index % 64);
        }
        seen.iter_mut().zip(letter.iter()).for_each(|(seen, letter)| *seen |= letter);
    }

    /// Lets queries and asserts take the state.
    fn measure(&mut self, id: TrailId) {
        let Self { program, intake, trails, .. } = self;
        let (values, time) = (intake.state(), intake.time());
        if let Some((trail, pursued)) = trails.measured(program, id) {
            let memory = trail.memory.as_deref().unwrap_or(&program.memory);
            let state = RowState { values, position: trail.states, time, memory };
            for (query, pursued) in program.queries.iter().zip(pursued) {
                pursued.iter_mut().for_each(|pursued| query.step(pursued, &state, &program.limits));
            }
        }
    }

    /// Lets engines take the state, and finds out which verdicts have changed.
    fn follow(&mut self, id: TrailId, line: u64) {
        let Self { program, intake, trails, letter, properties, changed, options, .. } = self;
        let Some((trail, strands)) = trails.at(program, id) else { return };
        let (strands, triggers) = strands.split_at_mut(program.properties.len());
        let moment = Moment { program, intake, trail, letter };
        for (index, strand) in strands.iter_mut().enumerate() {
            let property = &program.properties[index];
            let before = strand.verdict(property.claim.formula());
            let late = intake.time().map_or_else(Vec::new, |time| strand.missed(time, &program.names));
            let verdict = match moment.step(&property.claim, strand) {
                Ok(Some(verdict)) => verdict,
                Ok(None) => continue,
                Err(reason) => {
                    properties[index].give_up(&reason);
                    changed.push(Change::given_up(index, before, &reason));
                    *strand = Strand::Abandoned(Box::new(reason));
                    continue;
                }
            };
            let place = || decision(&property.variables, &program.names, intake, trail.states, line);
            let decided_by = verdict.is_final().then(place);
            if verdict.is_final() {
                *strand = Strand::Decided(verdict);
            }
            if verdict == Verdict::Violated {
                properties[index].violate(trail, decided_by.as_ref(), options.max_violations);
            }
            if trail.states == 0 || before != Some(verdict) {
                let missed = if verdict == Verdict::Violated { late } else { Vec::new() };
                changed.push(Change { decided_by, missed, ..Change::of(index, verdict) });
            }
        }
        for (trigger, strand) in program.triggers.iter().zip(triggers) {
            moment.await_trigger(trigger, &strands[trigger.property], strand);
        }
    }

    /// Keeps what the trace needs to go on; returns whether the state was its last one.
    fn leave(&mut self, id: TrailId) -> bool {
        let Self { program, intake, trails, now, has_marker_held, .. } = self;
        let Some((trail, _)) = trails.at(program, id) else { return false };
        let (values, position, time) = (intake.state(), trail.states, intake.time());
        let has_ended = program.end_marker.as_ref().is_some_and(|marker| {
            let memory: &Memory = trail.memory.as_deref().unwrap_or(&program.memory);
            marker.holds(&RowState { values, position, time, memory }).unwrap_or(false)
        });
        *has_marker_held |= has_ended;
        if let Some(memory) = &mut trail.memory {
            memory.record(values, position, time);
        }
        intake.leave(&mut trail.carried);
        trail.states += 1;
        // Keys need not be in order of time among each other: who comes late is not silent.
        trail.last = time.max(*now).unwrap_or_default();
        if program.is_timed {
            self.expect(id);
        }
        has_ended
    }

    /// Notes when the clock may next bring a verdict on a trace. Triggers learn the time from
    /// states alone.
    fn expect(&mut self, id: TrailId) {
        let Self { program, trails, due, .. } = self;
        let Some((trail, strands)) = trails.at(program, id) else { return };
        let strands = &strands[..program.properties.len()];
        let Some(deadline) = strands.iter().filter_map(Strand::deadline).min() else { return };
        if trail.due.is_none_or(|due| deadline < due) {
            trail.due = Some(deadline);
            due.push(Reverse((deadline, trail.serial, id)));
            if is_mostly_past(due.len(), trails) {
                *due = in_order_of(trails, |trail| trail.due);
            }
        }
    }

    /// Learns that time has passed, for all keys: no later state has a timestamp below `time`, in
    /// nanoseconds. Returns the traces on which that has brought a verdict. Traces that have been
    /// silent for too long end, and are in [`Self::ended_by_clock`].
    ///
    /// A later state with an earlier timestamp is refused. An earlier `time` says nothing new.
    pub fn advance_to(&mut self, time: i64) -> Vec<PassedTime> {
        self.ended.clear();
        let mut passed = Vec::new();
        if self.intake.passed().is_some_and(|before| time <= before) {
            return passed;
        }
        self.intake.advance_to(time);
        while let Some(&Reverse((deadline, serial, id))) = self.due.peek()
            && deadline < time
        {
            self.due.pop();
            let is_same =
                self.trails.get(id).is_some_and(|trail| trail.serial == serial && trail.due == Some(deadline));
            if is_same {
                passed.extend(self.pass_deadline(id, time));
                self.expect(id);
            }
        }
        self.forget_deadlines();
        self.expire(time);
        passed
    }

    /// The traces that have ended when the clock was last advanced, or by the time of a state that
    /// was refused.
    pub fn ended_by_clock(&self) -> &[EndedTrace] {
        &self.ended
    }

    /// The earliest time that may bring a verdict on some trace once the clock has passed it.
    pub fn deadline(&self) -> Option<i64> {
        self.due.peek().map(|Reverse((deadline, ..))| *deadline)
    }

    /// Forgets the earliest deadlines as long as nobody waits for them any more.
    fn forget_deadlines(&mut self) {
        let Self { trails, due, .. } = self;
        let is_awaited = |deadline: i64, serial: u64, id: TrailId| {
            trails.get(id).is_some_and(|trail| trail.serial == serial && trail.due == Some(deadline))
        };
        while let Some(&Reverse((deadline, serial, id))) = due.peek()
            && !is_awaited(deadline, serial, id)
        {
            due.pop();
        }
    }

    /// Lets the engines of a trace know the time.
    fn pass_deadline(&mut self, id: TrailId, time: i64) -> Option<PassedTime> {
        let Self { program, trails, properties, options, .. } = self;
        let (trail, strands) = trails.at(program, id)?;
        trail.due = None;
        let mut changed = Vec::new();
        for (index, (property, strand)) in program.properties.iter().zip(strands).enumerate() {
            let before = strand.verdict(property.claim.formula());
            let missed = strand.missed(time, &program.names);
            let (change, tally) = match strand.advance(time) {
                Ok(None) => continue,
                Ok(Some(verdict)) => (Change::of(index, verdict), &mut properties[index]),
                Err(gave_up) => {
                    let reason = Abandoned::Limit(gave_up);
                    properties[index].give_up(&reason);
                    *strand = Strand::Abandoned(Box::new(reason.clone()));
                    changed.push(Change::given_up(index, before, &reason));
                    continue;
                }
            };
            let verdict = change.verdict;
            if verdict.is_final() {
                *strand = Strand::Decided(verdict);
                // The values of the last state of this key are not kept.
                let position = trail.states.saturating_sub(1) as usize;
                let (time_of_last, line) = trail.carried.timestamp().unwrap_or((trail.last, 0));
                let time_of_last = Some(time_of_last);
                let state = Place { position, line, source: None, time: time_of_last, values: Vec::new() };
                if verdict == Verdict::Violated {
                    tally.violate(trail, Some(&state), options.max_violations);
                }
                let missed = if verdict == Verdict::Violated { missed } else { Vec::new() };
                changed.push(Change { decided_by: Some(state), decided_time: Some(time), missed, ..change });
            } else if before != Some(verdict) {
                changed.push(change);
            }
        }
        let (key, number, position) = (trail.key.clone(), trail.number, trail.states.saturating_sub(1));
        (!changed.is_empty()).then_some(PassedTime { key, number, position, changed })
    }

    // ---- ends ----

    /// Ends the traces that have been silent for too long.
    fn expire(&mut self, now: i64) {
        let Some(idle) = self.options.idle else { return };
        let now = self.now.map_or(now, |before| before.max(now));
        self.now = Some(now);
        let is_over = |last: i64| now.saturating_sub(last).cast_unsigned() > idle && now > last;
        while let Some(&Reverse((last, serial, id))) = self.silent.peek()
            && is_over(last)
        {
            self.silent.pop();
            match self.trails.get(id).filter(|trail| trail.serial == serial).map(|trail| trail.last) {
                None => {}
                Some(last) if is_over(last) => self.end_trace(id, KeyEnd::Silence),
                Some(last) => self.silent.push(Reverse((last, serial, id))),
            }
        }
    }

    /// Ends the trace of a key whose next state comes too long after its last one, where that could
    /// not be told by the time that other keys have reached.
    fn expire_behind(&mut self, known: Option<TrailId>, next: i64) {
        let Some(idle) = self.options.idle else { return };
        let last = |id: &TrailId| self.trails.get(*id)?.carried.timestamp();
        let is_over = |id: &TrailId| last(id).is_some_and(|(last, _)| next > last && next.abs_diff(last) > idle);
        if let Some(id) = known.filter(is_over) {
            self.end_trace(id, KeyEnd::Silence);
        }
    }

    /// Ends a trace, and counts what has come of it.
    fn end_trace(&mut self, id: TrailId, reason: KeyEnd) {
        // Where everything has ended, no key comes again.
        let most_past = if reason == KeyEnd::Whole { 0 } else { self.options.max_keys };
        let Some(ended) = self.trails.end(&self.program, id, most_past) else { return };
        self.forget_deadlines();
        let changed = (0..self.properties.len()).filter_map(|index| self.end_property(index, &ended)).collect();
        let Self { program, queries, .. } = self;
        let values = program.queries.iter().zip(&ended.pursued);
        let values: Vec<Known> = values.map(|(query, pursued)| query.known_at_end(pursued, &program.names)).collect();
        queries.iter_mut().zip(&values).for_each(|(tally, known)| tally.add(&ended.trail, known));
        let Trail { key, number, states, .. } = ended.trail;
        self.ended.push(EndedTrace { key, number, states, reason, changed, values });
    }

    /// Counts what has come of a property of a trace that has ended; returns the verdict if only
    /// the end has made it final.
    fn end_property(&mut self, index: usize, ended: &Whole) -> Option<Change> {
        let Self { program, properties, options, .. } = self;
        let (Whole { trail, strands, .. }, tally) = (ended, &mut properties[index]);
        let strand = &strands[index];
        let verdict = strand.verdict(program.properties[index].claim.formula())?;
        let verdict = Verdict::at_end(matches!(verdict, Verdict::Satisfied | Verdict::Holding));
        let doubt = strand.doubt().map(|doubt| Abandoned::Evaluation(doubt.to_owned()));
        match (&doubt, verdict) {
            (Some(doubt), _) => tally.give_up(doubt),
            (None, Verdict::Satisfied) => {
                let triggers = program.triggers.iter().zip(&strands[program.properties.len()..]).enumerate();
                let mut unmet = triggers.filter(|(_, (one, strand))| one.property == index && is_unmet(one, strand));
                unmet.next().into_iter().for_each(|(trigger, _)| tally.leave_unmet(trail.serial, trigger));
            }
            (None, _) if !strand.is_over() => tally.violate(trail, None, options.max_violations),
            (None, _) => {}
        }
        (!strand.is_over()).then(|| Change { gave_up: doubt, ..Change::of(index, verdict) })
    }
}

/// Whether of so many entries about traces most must be about traces that have ended, or twice
/// about the same.
fn is_mostly_past(entries: usize, trails: &Trails) -> bool {
    entries > 2 * trails.len() + 64
}

/// The traces that go on, in the order of a moment that they may have. Entries of traces that have
/// ended leave an order only when their moment comes, which may be never.
fn in_order_of(trails: &Trails, moment: impl Fn(&Trail) -> Option<i64>) -> BinaryHeap<Reverse<(i64, u64, TrailId)>> {
    trails.live().filter_map(|(id, trail)| Some(Reverse((moment(trail)?, trail.serial, id)))).collect()
}

/// The key of each row of a table that was read by key.
fn keys_of_rows(rows: &ReadTrace) -> Vec<Arc<str>> {
    let mut keys = vec![Arc::from(""); rows.states];
    for group in rows.keys.iter().flat_map(Keys::groups) {
        let key = group.key.text();
        group.positions.iter().for_each(|&position| keys[position as usize] = key.clone());
    }
    keys
}

impl Change {
    /// A property that is not followed any more for a trace.
    fn given_up(index: usize, before: Option<Verdict>, reason: &Abandoned) -> Self {
        Self { gave_up: Some(reason.clone()), ..Self::of(index, before.unwrap_or(Verdict::Pending)) }
    }
}

/// A state of a trace that is about to be followed.
struct Moment<'a> {
    program: &'a Program,
    intake: &'a Intake,
    trail: &'a Trail,
    letter: &'a [u64],
}

impl Moment<'_> {
    /// Lets a run take the state; none if there is nothing more to find out.
    fn step(&self, claim: &CompiledClaim, strand: &mut Strand) -> Result<Option<Verdict>, Abandoned> {
        let Self { program, intake, trail, letter } = self;
        match (claim, strand) {
            // It could not even begin, and that has not been told.
            (_, Strand::Abandoned(reason)) if trail.states == 0 => Err((**reason).clone()),
            (CompiledClaim::Formula(compiled), strand) => {
                strand.step(compiled, letter, trail.states, intake.time()).map_err(Abandoned::Limit)
            }
            (CompiledClaim::Assert(compiled), Strand::Assert(run)) => {
                let memory = trail.memory.as_deref().unwrap_or(&program.memory);
                let (values, position, time) = (intake.state(), trail.states, intake.time());
                let state = RowState { values, position, time, memory };
                run.verdict = compiled.step(&mut run.pursued, &state, &program.limits, &program.names)?;
                Ok(Some(run.verdict))
            }
            (CompiledClaim::Assert(_), _) => Ok(None),
        }
    }

    /// Looks for a trigger of a property in the state.
    fn await_trigger(&self, trigger: &CompiledTrigger, property: &Strand, strand: &mut Strand) {
        if strand.is_over() {
            return;
        }
        let (states, time) = (self.trail.states, self.intake.time());
        match strand.step(&trigger.compiled, self.letter, states, time) {
            // Of a property that is violated for good nothing more is said.
            _ if matches!(property, Strand::Decided(Verdict::Violated)) => *strand = Strand::Decided(Verdict::Violated),
            Ok(Some(verdict)) if verdict.is_final() => *strand = Strand::Decided(verdict),
            Ok(_) => {}
            // Where the engine gives up nothing is known, and nothing is claimed.
            Err(_) => *strand = Strand::Decided(Verdict::Satisfied),
        }
    }
}

/// Whether a trace has no state that met a trigger.
fn is_unmet(trigger: &CompiledTrigger, strand: &Strand) -> bool {
    let verdict = strand.verdict(Some(&trigger.compiled));
    verdict.is_some_and(|verdict| !matches!(verdict, Verdict::Satisfied | Verdict::Holding))
}
