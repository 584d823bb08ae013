//! Following a trace while it goes on.
//!
//! A [`Monitor`] takes one state after the other and knows the verdict on each property after each
//! of them; a [`Feed`] reads the states from bytes that arrive. This is the observer of
//! Giannakopoulou and Havelund, section 6.2, with its `init`, `next` and `end`: the *image state*
//! holds the last value of every variable, and a formula without `X` and its kin need not look at a
//! state that is to it like the one before.

mod feed;
mod keyed;
mod measure;
mod program;
mod record;
mod save;
mod spelling;
mod state;
mod trigger;

pub use feed::{Event, Feed, Unseen};
pub use keyed::{
    Change, EndedTrace, KeyEnd, KeyOptions, KeyViolation, KeyedEvent, KeyedFeed, KeyedMonitor, KeyedProperty,
    KeyedQuery, KeyedStep, PassedTime,
};
pub(crate) use measure::CompiledAssert;
pub use measure::{Known, MeasuredQuery};
pub use save::RestoreError;
pub use state::State;

use crate::error::{Error, Request};
use crate::question::never_true;
use crate::report::{CoverageReport, Place, Subject, WaitingReport, Warning, WarningKind};
use crate::runs::RunQuestions;
use crate::spec::Spec;
use measure::{CompiledQuery, Pursued};
use program::{CompiledClaim, CompiledFormula, CompiledTrigger, Program, Timestamps};
use record::Recording;
use spelling::Occurred;
use std::fmt;
use std::sync::Arc;
use traceward_engine::engine::EngineStatistics;
use traceward_engine::limit::GaveUp;
use traceward_engine::select::{Config, Due, EngineName, Owed, Running};
pub use traceward_engine::why::Ending;
use traceward_logic::expr::{Memory, RowState};
use traceward_logic::trace::{Column, VariableId};
use traceward_logic::value::Value;
use traceward_logic::verdict::Verdict;
use traceward_trace::{Cell, Implied, Intake, MissingPolicy, ReadOptions, ReadTrace, Records, TraceError};
use trigger::AwaitedTrigger;

/// Judges properties while the trace goes on, one state at a time.
///
/// ```
/// use traceward::{Monitor, Spec, State, Verdict};
///
/// let spec: Spec = "G(request -> F grant)".parse()?;
/// let mut monitor = Monitor::new(&spec)?;
/// monitor.step(&State::new().with("request", true).with("grant", false))?;
/// assert_eq!(monitor.verdicts(), [Verdict::Pending]);
///
/// // What if it were granted now? A copy can find out, and this one goes another way.
/// let mut granted = monitor.clone();
/// granted.step(&State::new().with("request", false).with("grant", true))?;
/// assert_eq!(granted.verdicts(), [Verdict::Holding]);
/// assert_eq!(granted.end(), [Verdict::Satisfied]);
///
/// monitor.step(&State::new().with("request", false).with("grant", false))?;
/// assert_eq!(monitor.end(), [Verdict::Violated]);
/// assert_eq!((granted.position(), monitor.position()), (2, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// With `trace { changes }` in the spec a state holds only what has changed:
///
/// ```
/// # use traceward::{Monitor, Spec, State, Verdict};
/// let spec: Spec = "trace { changes } property p = G(on -> load < 0.9)".parse()?;
/// let mut monitor = Monitor::new(&spec)?;
/// monitor.step(&State::new().with("on", true).with("load", 0.5))?;
/// monitor.step(&State::new().with("load", 0.95))?;
/// assert_eq!(monitor.verdicts(), [Verdict::Violated]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Monitor {
    program: Arc<Program>,
    /// Makes states of records, and keeps the last one.
    intake: Intake,
    position: u64,
    /// The values of earlier states that expressions ask for.
    memory: Memory,
    /// A bit for each atom: whether it held in the last state.
    letter: Vec<u64>,
    /// A bit for each atom: whether its value was another than in the state before.
    news: Vec<u64>,
    /// A bit for each atom: whether it held in any state.
    seen: Vec<u64>,
    occurred: Occurred,
    /// The atoms that some property still needs.
    needed: Vec<usize>,
    follows: Vec<FollowedProperty>,
    /// The triggers of the program, in its order.
    triggers: Vec<AwaitedTrigger>,
    /// The queries of the program, in its order.
    measured: Vec<Pursued>,
    changed: Vec<PropertyId>,
    /// The line of the last state.
    line: u64,
    /// The states so far, if something is to be told of all of them.
    recording: Option<Recording>,
}

/// A property of a [`Monitor`], in the spec's order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct PropertyId(u32);

impl PropertyId {
    /// The id as an index into [`Monitor::verdicts`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A property that is being followed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Followed<'a> {
    /// The name of the property.
    pub name: &'a str,
    /// The text of the property in the spec.
    pub formula: &'a str,
    /// The description in the spec.
    pub description: Option<&'a str>,
    /// The verdict after the states so far; if there is no state yet, the verdict on the empty
    /// trace.
    pub verdict: Verdict,
    /// The position whose state made the verdict final.
    pub decided_at: Option<u64>,
    /// The state that made the verdict final, with the values of the property's variables. If the
    /// clock did, it is the last one before.
    pub decided_by: Option<&'a Place>,
    /// The time that the clock had reached, if the clock made the verdict final.
    pub decided_time: Option<i64>,
    /// The obligations whose time had run out when the verdict became final.
    pub missed: &'a [Missed],
    /// The reason why the property is not followed any more. Its verdict is the last that is known,
    /// and is none on the trace.
    pub gave_up: Option<&'a Abandoned>,
}

impl Followed<'_> {
    /// Whether no continuation can change the verdict.
    pub fn is_final(&self) -> bool {
        self.decided_at.is_some()
    }
}

/// An obligation that was not met in time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Missed {
    /// The formula that had to come about, as text.
    pub obligation: String,
    /// The position at which it was asked for.
    pub since: u64,
    /// The last time at which it could have been met, in nanoseconds.
    pub deadline: i64,
}

/// The reason why a property is not followed any more.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Abandoned {
    /// A limit was reached.
    Limit(GaveUp),
    /// A value that it compares could not be computed.
    Evaluation(String),
}

#[derive(Clone, Debug)]
struct FollowedProperty {
    /// The run, or why there is none any more.
    run: Result<Pursuit, Abandoned>,
    verdict: Verdict,
    /// The state that made the verdict final, or the last one before the clock did.
    decided_by: Option<Place>,
    /// The time of the clock, if it made the verdict final.
    decided_time: Option<i64>,
    /// What was not met in time, if the verdict is final.
    missed: Vec<Missed>,
}

/// The run of a property.
#[derive(Clone, Debug)]
enum Pursuit {
    Formula(Box<dyn Running>),
    /// The run of an assert, and what is certain after the last state.
    Assert(Pursued, Result<Verdict, Abandoned>),
}

/// The number of cells up to which a state's stand on the stack.
const FEW_CELLS: usize = 8;

/// The reason why a state was not taken.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum StepError {
    /// The state is wrong; the monitor is as if it had not been offered.
    Refused(TraceError),
    /// An expression cannot be evaluated in it; the monitor is as if it had not been offered.
    Evaluation(String),
    /// There are as many keys as may be followed, and it is of another one; the monitor is as if it
    /// had not been offered.
    TooManyKeys {
        /// The number of keys that may be followed.
        limit: usize,
    },
}

impl fmt::Display for StepError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(error) => f.write_str(&error.message()),
            Self::Evaluation(message) => f.write_str(message),
            Self::TooManyKeys { limit } => Request::TooManyKeys { limit: *limit }.fmt(f),
        }
    }
}

impl std::error::Error for StepError {}

impl Monitor {
    /// A monitor that has seen no state. Queries that need the whole trace are refused.
    pub fn new(spec: &Spec) -> Result<Self, Error> {
        Self::with_config(spec, Config::default())
    }

    /// A monitor that has seen no state, with a certain engine and certain limits.
    pub fn with_config(spec: &Spec, config: Config) -> Result<Self, Error> {
        Self::with_questions(spec, config, RunQuestions::default())
    }

    /// A monitor that can tell at the end which parts of properties mattered and how long
    /// eventualities waited. For that it keeps a bit for each proposition and state.
    pub fn with_questions(spec: &Spec, config: Config, questions: RunQuestions) -> Result<Self, Error> {
        refuse_keys(spec)?;
        Self::of(Program::new(spec, config, questions, Timestamps::AsNamed)?.into())
    }

    /// A monitor for an input that may bring timestamps which nobody has named, as events do. Where
    /// a spec needs timestamps, a [`Feed`] says that there are none once the input has begun.
    pub fn for_input(spec: &Spec, config: Config, questions: RunQuestions) -> Result<Self, Error> {
        refuse_keys(spec)?;
        Self::of(Program::new(spec, config, questions, Timestamps::of_input(spec))?.into())
    }

    /// A monitor for an input whose records get the time of their arrival as timestamps
    /// ([`Feed::arrive`]), unless the spec or the input names others.
    pub fn by_arrival(spec: &Spec, config: Config, questions: RunQuestions) -> Result<Self, Error> {
        refuse_keys(spec)?;
        Self::of(Program::new(spec, config, questions, Timestamps::by_arrival(spec))?.into())
    }

    /// A monitor that has seen no state of a program.
    fn of(program: Arc<Program>) -> Result<Self, Error> {
        let verdict = |holds: bool| if holds { Verdict::Holding } else { Verdict::Pending };
        let follow = |property: &program::CompiledProperty| {
            let error = |gave_up| Error::from(gave_up).of_property(|| property.name.clone());
            let verdict = verdict(property.holds_on_empty);
            let run = match &property.claim {
                CompiledClaim::Formula(compiled) => Pursuit::Formula(compiled.engine.start().map_err(error)?),
                CompiledClaim::Assert(compiled) => Pursuit::Assert(compiled.start(), Ok(verdict)),
            };
            Ok(FollowedProperty { run: Ok(run), verdict, decided_by: None, decided_time: None, missed: Vec::new() })
        };
        Ok(Self {
            intake: Intake::new(program.read_options()),
            position: 0,
            memory: program.memory.clone(),
            letter: vec![0; program.atoms.len().div_ceil(64)],
            news: vec![0; program.atoms.len().div_ceil(64)],
            needed: (0..program.atoms.len()).collect(),
            seen: vec![0; program.atoms.len().div_ceil(64)],
            occurred: program.spelling.start(),
            follows: program.properties.iter().map(follow).collect::<Result<_, Error>>()?,
            triggers: program.triggers.iter().map(AwaitedTrigger::new).collect(),
            measured: program.queries.iter().map(CompiledQuery::start).collect(),
            changed: Vec::new(),
            line: 0,
            recording: program.recorded.as_ref().map(Recording::new),
            program,
        })
    }

    /// The variables that can make a difference to a verdict: what a sender of states has to send.
    /// (Section 6.2 has the observer tell so to the program it observes.)
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        let named = self.program.names.iter().zip(&self.program.variables);
        named.filter(|(_, variable)| variable.matters).map(|(name, _)| &**name)
    }

    /// The number of states so far, which is the position of the next one.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// The properties, in the spec's order.
    pub fn properties(&self) -> impl Iterator<Item = Followed<'_>> {
        self.property_ids().map(|id| self.property(id))
    }

    /// A property.
    pub fn property(&self, id: PropertyId) -> Followed<'_> {
        let property = &self.program.properties[id.index()];
        let follow = &self.follows[id.index()];
        Followed {
            name: &property.name,
            formula: &property.formula,
            description: property.description.as_deref(),
            verdict: follow.verdict,
            decided_at: follow.decided_by.as_ref().map(|place| place.position as u64),
            decided_by: follow.decided_by.as_ref(),
            decided_time: follow.decided_time,
            missed: &follow.missed,
            gave_up: follow.run.as_ref().err(),
        }
    }

    /// The highest cost of following a property, if its engine knows it.
    pub fn engine_statistics(&self, id: PropertyId) -> Option<EngineStatistics> {
        match self.follows[id.index()].run.as_ref().ok()? {
            Pursuit::Formula(run) => run.statistics(),
            Pursuit::Assert(..) => None,
        }
    }

    /// The engine that follows a property; none for an assert.
    pub fn engine(&self, id: PropertyId) -> Option<EngineName> {
        Some(self.program.properties[id.index()].claim.formula()?.engine.engine())
    }

    /// Whether there is a query.
    pub fn has_queries(&self) -> bool {
        !self.measured.is_empty()
    }

    /// The queries with their values so far, in the spec's order.
    pub fn queries(&self) -> impl Iterator<Item = MeasuredQuery<'_>> {
        self.told_queries(|query, pursued| query.known(pursued, &self.program.names))
    }

    /// The queries with the values that they have if the trace ends here.
    pub fn queries_at_end(&self) -> impl Iterator<Item = MeasuredQuery<'_>> {
        self.told_queries(|query, pursued| query.known_at_end(pursued, &self.program.names))
    }

    fn told_queries(
        &self,
        known: impl Fn(&CompiledQuery, &Pursued) -> Known,
    ) -> impl Iterator<Item = MeasuredQuery<'_>> {
        self.program.queries.iter().zip(&self.measured).map(move |(query, pursued)| MeasuredQuery {
            name: &query.name,
            query: &query.text,
            description: query.description.as_deref(),
            measure: &query.measure,
            known: known(query, pursued),
        })
    }

    /// The properties' ids, in the spec's order.
    pub fn property_ids(&self) -> impl Iterator<Item = PropertyId> + use<> {
        (0..self.follows.len() as u32).map(PropertyId)
    }

    /// The verdict on each property, in the spec's order, the trace being about to go on.
    pub fn verdicts(&self) -> Vec<Verdict> {
        self.follows.iter().map(|follow| follow.verdict).collect()
    }

    /// Why the verdict on an assert at the end would be none: its value is approximate, and the
    /// bound lies within the error.
    pub fn doubt(&self, id: PropertyId) -> Option<&str> {
        match self.follows[id.index()].run.as_ref().ok()? {
            Pursuit::Assert(pursued, _) => pursued.doubt.as_deref(),
            Pursuit::Formula(_) => None,
        }
    }

    /// The verdict on each property if the trace ends here. A property that was given up keeps the
    /// last verdict that is known of it.
    pub fn end(&self) -> Vec<Verdict> {
        let holds = |follow: &FollowedProperty| matches!(follow.verdict, Verdict::Satisfied | Verdict::Holding);
        let at_end = |follow: &FollowedProperty| match follow.run {
            Ok(_) => Verdict::at_end(holds(follow)),
            Err(_) => follow.verdict,
        };
        self.follows.iter().map(at_end).collect()
    }

    /// The trigger in the property's own words that no state has met, if the property is satisfied
    /// only because of that should the trace end here.
    pub fn vacuous(&self, id: PropertyId) -> Option<&str> {
        self.unmet(id).map(|trigger| trigger.text.as_str())
    }

    fn unmet(&self, id: PropertyId) -> Option<&CompiledTrigger> {
        let satisfied = matches!(self.follows[id.index()].verdict, Verdict::Satisfied | Verdict::Holding);
        let triggers = self.program.triggers.iter().zip(&self.triggers);
        let mut unmet = triggers.filter(|(trigger, awaited)| trigger.property == id.index() && awaited.is_unmet());
        unmet.next().map(|(trigger, _)| trigger).filter(|_| satisfied && self.position > 0)
    }

    /// The variables of which a value was asked in states that had none, and in how many.
    pub fn missing(&self) -> impl Iterator<Item = (&str, u64)> {
        self.program.missing(&self.intake)
    }

    /// Probable mistakes, should the trace end here: what properties speak of and no state had.
    pub fn warnings(&self) -> Vec<Warning> {
        let never = |atom: usize| self.position > 0 && self.seen[atom / 64] >> (atom % 64) & 1 == 0;
        let mut warnings = Vec::new();
        for (id, property) in self.property_ids().zip(&self.program.properties) {
            // Of the atoms that are not looked at any more nothing is known.
            let atoms = property.claim.formula().into_iter().flat_map(|one| one.atoms.iter().copied().flatten());
            for atom in atoms.filter(|atom| self.needed.binary_search(atom).is_ok() && never(*atom)) {
                let about = Some(Subject::Property(property.name.clone()));
                let is_urgent = self.unmet(id).is_some_and(|trigger| trigger.compiled.atoms.contains(&Some(atom)));
                let kind = never_true(&self.program.exprs[atom], &self.program.names);
                let kind = kind.filter(|kind| !matches!(kind, WarningKind::StringNeverOccurs { .. }));
                warnings.extend(kind.map(|kind| Warning { kind, about, is_urgent }));
            }
        }
        if self.position > 0 {
            warnings.extend(self.strings_that_never_came());
        }
        warnings.extend(self.program.warnings.iter().cloned());
        warnings
    }

    fn strings_that_never_came(&self) -> impl Iterator<Item = Warning> {
        let program = &*self.program;
        let is_decisive = |variable, text: &str, about: Option<&Subject>| {
            let of = |id: &PropertyId| about == Some(&Subject::Property(program.properties[id.index()].name.clone()));
            let unmet = self.property_ids().find(of).and_then(|id| self.unmet(id));
            let atoms = unmet.into_iter().flat_map(|trigger| trigger.compiled.atoms.iter().flatten());
            atoms.into_iter().any(|&atom| program.compares(atom, variable, text))
        };
        program.spelling.warnings(&self.occurred, &program.names, is_decisive)
    }

    /// Variables that properties need and no state has spoken of.
    pub fn unseen(&self) -> impl Iterator<Item = &str> {
        let variables = self.program.variables.iter().zip(self.intake.seen()).zip(&self.program.names);
        variables.filter(|((variable, seen), _)| variable.needed && !**seen).map(|(_, name)| &**name)
    }

    /// Takes the next state; variables that no property speaks of do not matter. Returns the
    /// properties whose verdict is another than before, after the first state all of them, and
    /// those that are given up.
    ///
    /// A state that is refused has not happened.
    pub fn step(&mut self, state: &State) -> Result<&[PropertyId], StepError> {
        self.step_filled(state.time(), |program, cells| {
            for (name, value) in state.values() {
                if let Some(&slot) = program.slots.get(name) {
                    cells[slot] = state::cell(value);
                }
            }
        })
    }

    /// Takes the next state, like [`Self::step`], its variables given by their ids: names need not
    /// be looked up in every state.
    ///
    /// # Panics
    /// If an id is none of this monitor's variables.
    ///
    /// ```
    /// use traceward::{Monitor, Spec, Value, Verdict};
    ///
    /// let spec: Spec = "G load < 10".parse()?;
    /// let mut monitor = Monitor::new(&spec)?;
    /// let load = monitor.variable("load").unwrap();
    /// for value in [3, 12] {
    ///     monitor.step_values(&[(load, Value::Int(value))], None)?;
    /// }
    /// assert_eq!(monitor.verdicts(), [Verdict::Violated]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn step_values(
        &mut self,
        values: &[(VariableId, Value)],
        time: Option<i64>,
    ) -> Result<&[PropertyId], StepError> {
        self.step_filled(time, |_, cells| {
            for (variable, value) in values {
                cells[variable.index()] = state::cell(value);
            }
        })
    }

    /// Takes the next state, like [`Self::step_values`], with a timestamp as an input would bring
    /// it: a number of the unit that the spec names, or a date as text.
    ///
    /// # Panics
    /// If an id is none of this monitor's variables.
    ///
    /// ```
    /// use traceward::{Monitor, Spec, Value, Verdict};
    ///
    /// let spec: Spec = "trace { time t:s } property p = G(ask -> F[0,5s] answer)".parse()?;
    /// let mut monitor = Monitor::new(&spec)?;
    /// let [ask, answer] = ["ask", "answer"].map(|name| monitor.variable(name).unwrap());
    /// let values = [(ask, Value::Bool(true)), (answer, Value::Bool(false))];
    /// monitor.step_timed(&values, &Value::Int(10))?;
    /// monitor.step_timed(&values, &Value::Float(15.5))?;
    /// assert_eq!(monitor.verdicts(), [Verdict::Violated]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn step_timed(&mut self, values: &[(VariableId, Value)], time: &Value) -> Result<&[PropertyId], StepError> {
        self.step_with(state::cell(time), |_, cells| {
            for (variable, value) in values {
                cells[variable.index()] = state::cell(value);
            }
        })
    }

    /// The options by which a table is read whose rows are to be the next states
    /// ([`Self::step_rows`]).
    pub fn row_options(&self) -> ReadOptions {
        // What becomes of values that are missing depends on earlier states, which this one knows.
        let (records, missing) = (Records::States, MissingPolicy::False);
        ReadOptions { records, missing, key: None, end_when: None, ..self.intake.options().clone() }
    }

    /// Takes the rows of a table as the next states; `told` is told after each that changes a
    /// verdict, as [`Self::step`] would return it. The rows were read by [`Self::row_options`].
    ///
    /// A row that is refused has not happened, and ends it: those before it have.
    pub fn step_rows(&mut self, rows: &ReadTrace, mut told: impl FnMut(&Self, &[PropertyId])) -> Result<(), StepError> {
        let columns: Vec<(usize, &Column)> =
            rows.columns.iter().enumerate().filter_map(|(slot, column)| Some((slot, column.as_ref()?))).collect();
        columns.iter().for_each(|(slot, _)| self.intake.name(*slot));
        for row in 0..rows.states {
            let time = rows.time.as_ref().map_or(Cell::Absent, |times| Cell::Time(times[row]));
            let changed = self.step_with(time, |_, cells| {
                for &(slot, column) in &columns {
                    cells[slot] = state::cell_of(column, row);
                }
            })?;
            if !changed.is_empty() {
                told(self, &self.changed);
            }
        }
        Ok(())
    }

    /// Learns that time has passed: no later state has a timestamp below `time`, in nanoseconds.
    /// What had to come about by then has not, whether or not anything happens any more. It adds no
    /// state. Returns the properties whose verdict is another than before.
    ///
    /// A later state with an earlier timestamp is refused. An earlier `time` says nothing new.
    ///
    /// ```
    /// use traceward::{Monitor, Spec, State, Verdict};
    ///
    /// let spec: Spec = "trace { time t:s } property answered = G(ask -> F[0,5s] answer)".parse()?;
    /// let mut monitor = Monitor::new(&spec)?;
    /// let second = 1_000_000_000;
    /// monitor.step(&State::new().with("ask", true).with("answer", false).at(10 * second))?;
    /// monitor.advance_to(15 * second);
    /// assert_eq!(monitor.verdicts(), [Verdict::Pending]); // an answer may still come at 15 s
    /// monitor.advance_to(15 * second + 1);
    /// assert_eq!(monitor.verdicts(), [Verdict::Violated]);
    /// let property = monitor.properties().next().unwrap();
    /// assert_eq!(property.missed[0].obligation, "F[0,5s] answer");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn advance_to(&mut self, time: i64) -> &[PropertyId] {
        self.changed.clear();
        let reached = self.intake.passed().max(self.intake.time());
        if reached.is_some_and(|reached| time <= reached) {
            return &self.changed;
        }
        self.intake.advance_to(time);
        // Nothing is asked of a trace before its first state: what is settled by then is decided
        // there, and there is no position yet that could be told.
        if self.position == 0 {
            return &self.changed;
        }
        let mut has_ended = false;
        for index in 0..self.follows.len() {
            has_ended |= self.pass_time(index, time);
        }
        if has_ended {
            self.forget_ended();
        }
        &self.changed
    }

    /// The earliest time that may bring a verdict once the clock has passed it, if any does.
    pub fn deadline(&self) -> Option<i64> {
        let open = self.follows.iter().filter(|follow| follow.decided_by.is_none());
        open.filter_map(|follow| match &follow.run {
            Ok(Pursuit::Formula(run)) => run.deadline(),
            _ => None,
        })
        .min()
    }

    /// Lets a property know the time, and returns whether it need not be followed any more.
    fn pass_time(&mut self, index: usize, time: i64) -> bool {
        let (property, follow) = (&self.program.properties[index], &mut self.follows[index]);
        let (Ok(Pursuit::Formula(run)), None) = (&mut follow.run, &follow.decided_by) else { return false };
        let missed = missed(&**run, time, &self.program.names);
        let verdict = match run.advance(time) {
            Ok(verdict) => verdict,
            Err(gave_up) => {
                follow.run = Err(Abandoned::Limit(gave_up));
                self.changed.push(PropertyId(index as u32));
                return true;
            }
        };
        if verdict != follow.verdict {
            self.changed.push(PropertyId(index as u32));
            follow.verdict = verdict;
        }
        if verdict.is_final() {
            let position = self.position.saturating_sub(1);
            follow.decided_by =
                Some(decision(&property.variables, &self.program.names, &self.intake, position, self.line));
            follow.decided_time = Some(time);
            follow.missed = if verdict == Verdict::Violated { missed } else { Vec::new() };
        }
        verdict.is_final()
    }

    /// The id of a variable that the spec speaks of; none of any other.
    pub fn variable(&self, name: &str) -> Option<VariableId> {
        self.program.slots.get(name).map(|&slot| VariableId(slot as u32))
    }

    fn step_filled<'v>(
        &mut self,
        time: Option<i64>,
        fill: impl FnOnce(&Program, &mut [Cell<'v>]),
    ) -> Result<&[PropertyId], StepError> {
        self.step_with(time.map_or(Cell::Absent, Cell::Time), fill)
    }

    /// Takes a state whose cells, one for each variable, are filled by somebody else.
    fn step_with<'v>(
        &mut self,
        time: Cell<'v>,
        fill: impl FnOnce(&Program, &mut [Cell<'v>]),
    ) -> Result<&[PropertyId], StepError> {
        let has_time = self.intake.options().time.is_some();
        let count = self.program.variables.len() + usize::from(has_time);
        // Most specs speak of few variables, and their cells need no memory of their own.
        let (mut few, mut many) = ([Cell::Absent; FEW_CELLS], Vec::new());
        let cells = match few.get_mut(..count) {
            Some(few) => few,
            None => {
                many.resize(count, Cell::Absent);
                many.as_mut_slice()
            }
        };
        fill(&self.program, cells);
        if has_time {
            cells[count - 1] = time;
        }
        self.step_cells(self.position + 1, cells)?;
        Ok(&self.changed)
    }

    /// The field of each cell in a header of these names.
    fn header(&mut self, names: &[String]) -> Result<Vec<Option<usize>>, TraceError> {
        self.intake.header(names)
    }

    /// Sets the options by which records are read from now on. What earlier states have told, be it
    /// those of a monitor that was saved, stays.
    fn read_with(&mut self, options: ReadOptions) {
        let mut intake = Intake::new(options);
        if intake.restore(&self.intake.save()).is_ok() {
            self.intake = intake;
        }
    }

    /// Sets what the input says itself about how its records are read, before there are any.
    fn take_implied(&mut self, implied: &Implied) -> Result<(), Error> {
        let options = self.intake.options().with(implied);
        match (self.program.timestamps, &implied.time) {
            (Timestamps::Brought, None) => self.demand_timestamps()?,
            (Timestamps::AsNamed | Timestamps::Arrival, Some(_)) if self.program.spec.settings().time.is_none() => {
                *self = Self::of(self.program.with_timestamps()?)?;
            }
            _ => {}
        }
        self.read_with(options);
        Ok(())
    }

    /// Says that timestamps are missing, if the spec needs some and nobody has named them.
    fn demand_timestamps(&self) -> Result<(), Error> {
        match self.program.timestamps {
            Timestamps::AsNamed | Timestamps::Arrival => Ok(()),
            Timestamps::Brought => self.program.without_timestamps(),
        }
    }

    /// Takes the next state: a cell for each variable, and one for the time.
    fn step_cells(&mut self, line: u64, cells: &[Cell<'_>]) -> Result<(), StepError> {
        self.intake.offer(line, cells).map_err(StepError::Refused)?;
        self.check_next().inspect_err(|_| self.intake.withdraw())?;
        self.intake.accept();
        self.occurred.take(&self.program.spelling, self.intake.state());
        self.read_letter();
        self.line = line;
        self.record();
        if self.program.measures {
            self.measure();
        }
        self.memory.record(self.intake.state(), self.position, self.intake.time());
        self.follow_all();
        self.position += 1;
        Ok(())
    }

    /// Keeps what is to be told of all states at the end.
    fn record(&mut self) {
        if let (Some(recording), Some(recorded)) = (&mut self.recording, &self.program.recorded) {
            let (values, time) = (self.intake.state(), self.intake.time());
            let state = RowState { values, position: self.position, time, memory: &self.memory };
            recording.take(recorded, self.line, &state);
        }
    }

    /// Lets queries and asserts take the state.
    fn measure(&mut self) {
        let program = &*self.program;
        let (values, time) = (self.intake.state(), self.intake.time());
        let state = RowState { values, position: self.position, time, memory: &self.memory };
        for (query, pursued) in program.queries.iter().zip(&mut self.measured) {
            query.step(pursued, &state, &program.limits);
        }
        for (property, follow) in program.properties.iter().zip(&mut self.follows) {
            if let (CompiledClaim::Assert(compiled), Ok(Pursuit::Assert(pursued, verdict))) =
                (&property.claim, &mut follow.run)
                && follow.decided_by.is_none()
            {
                let stepped = compiled.step(pursued, &state, &program.limits, &program.names);
                *verdict = stepped;
            }
        }
    }

    /// Which parts of a property mattered and how long its eventualities waited, each if that was
    /// asked of [`Self::with_questions`]. `ending` tells whether the trace has ended here.
    pub fn runs(&self, id: PropertyId, ending: Ending) -> (Option<CoverageReport>, Option<Vec<WaitingReport>>) {
        match (&self.recording, &self.program.recorded) {
            (Some(recording), Some(recorded)) => recording.told(&self.program, recorded, id.index(), ending),
            _ => (None, None),
        }
    }

    /// The number of states that are kept for [`Self::runs`]; none if nothing is.
    pub fn recorded(&self) -> Option<usize> {
        self.recording.as_ref().map(Recording::len)
    }

    /// Whether every expression can be evaluated in the next state.
    fn check_next(&self) -> Result<(), StepError> {
        let program = &*self.program;
        let (values, time) = (self.intake.next(), self.intake.next_time());
        let state = RowState { values, position: self.position, time, memory: &self.memory };
        for expr in &program.fallible {
            if let Err(reason) = expr.holds(&state) {
                let expr = expr.display(&program.names);
                let message = format!("{reason} in `{expr}` at position {}", self.position);
                return Err(StepError::Evaluation(message));
            }
        }
        Ok(())
    }

    fn read_letter(&mut self) {
        let (values, time) = (self.intake.state(), self.intake.time());
        let state = RowState { values, position: self.position, time, memory: &self.memory };
        // Most specs have one word of atoms, for which loops over words take longer than the words.
        if let ([letter], [news], [seen]) = (&mut *self.letter, &mut *self.news, &mut *self.seen) {
            let mut now = *letter;
            for &atom in &self.needed {
                let holds = u64::from(self.program.atoms[atom].holds(&state));
                now = now & !(1 << atom) | holds << atom;
            }
            *news = now ^ *letter;
            *letter = now;
            *seen |= now;
            return;
        }
        self.news.fill(0);
        for &atom in &self.needed {
            let holds = u64::from(self.program.atoms[atom].holds(&state));
            let (word, bit) = (atom / 64, atom % 64);
            let flip = ((self.letter[word] >> bit & 1) ^ holds) << bit;
            self.letter[word] ^= flip;
            self.news[word] |= flip;
        }
        self.seen.iter_mut().zip(&self.letter).for_each(|(seen, letter)| *seen |= letter);
    }

    fn follow_all(&mut self) {
        // Who looks at the changes reads all of the list's place: what was just written of it would
        // be waited for.
        if !self.changed.is_empty() {
            self.changed.clear();
        }
        let mut has_ended = false;
        let (letter, news, position, time) = (&self.letter, &self.news, self.position, self.intake.time());
        for (index, (property, follow)) in self.program.properties.iter().zip(&mut self.follows).enumerate() {
            let Ok(run) = &mut follow.run else { continue };
            let ignores = |formula: &CompiledFormula| position > 0 && formula.ignores(news);
            if follow.decided_by.is_some() || property.claim.formula().is_some_and(ignores) {
                continue;
            }
            let mut late = Vec::new();
            let verdict = match (run, &property.claim) {
                (Pursuit::Formula(run), CompiledClaim::Formula(compiled)) => {
                    late = time.map_or_else(Vec::new, |time| missed(&**run, time, &self.program.names));
                    compiled.step(&mut **run, letter, position, time).map_err(Abandoned::Limit)
                }
                (Pursuit::Assert(_, verdict), _) => verdict.clone(),
                (Pursuit::Formula(_), CompiledClaim::Assert(_)) => unreachable!("a run is that of its claim"),
            };
            let verdict = match verdict {
                Ok(verdict) => verdict,
                Err(gave_up) => {
                    self.changed.push(PropertyId(index as u32));
                    follow.run = Err(gave_up);
                    has_ended = true;
                    continue;
                }
            };
            if verdict != follow.verdict || position == 0 {
                self.changed.push(PropertyId(index as u32));
                follow.verdict = verdict;
            }
            if verdict.is_final() {
                follow.decided_by =
                    Some(decision(&property.variables, &self.program.names, &self.intake, position, self.line));
                follow.missed = if verdict == Verdict::Violated { late } else { Vec::new() };
                has_ended = true;
            }
        }
        let triggers_ended = self.await_triggers();
        if has_ended || triggers_ended {
            self.forget_ended();
        }
    }

    /// Looks for triggers in the state, and returns whether some need not be looked for any more.
    fn await_triggers(&mut self) -> bool {
        let mut has_ended = false;
        for (trigger, awaited) in self.program.triggers.iter().zip(&mut self.triggers) {
            let property = &self.follows[trigger.property];
            if awaited.has_ended() || (self.position > 0 && trigger.compiled.ignores(&self.news)) {
                continue;
            }
            if property.verdict == Verdict::Violated && property.decided_by.is_some() {
                awaited.end();
                has_ended = true;
                continue;
            }
            let (letter, position, time) = (&self.letter, self.position, self.intake.time());
            has_ended |= awaited.step(|run| trigger.compiled.step(run, letter, position, time).ok());
        }
        has_ended
    }

    /// Stops evaluating the atoms that only decided properties speak of, and those given up.
    fn forget_ended(&mut self) {
        let followed = self.program.properties.iter().zip(&self.follows);
        let followed = followed.filter(|(_, follow)| follow.decided_by.is_none() && follow.run.is_ok());
        let followed = followed.filter_map(|(property, _)| property.claim.formula());
        let awaited = self.program.triggers.iter().zip(&self.triggers);
        let awaited = awaited.filter(|(_, awaited)| !awaited.has_ended()).map(|(trigger, _)| &trigger.compiled);
        self.needed = followed.chain(awaited).flat_map(|one| one.atoms.iter().copied().flatten()).collect();
        self.needed.sort_unstable();
        self.needed.dedup();
    }
}

/// The obligations of a run whose time runs out before a time.
fn missed(run: &dyn Running, time: i64, names: &[Arc<str>]) -> Vec<Missed> {
    if run.deadline().is_none_or(|deadline| deadline >= time) {
        return Vec::new();
    }
    let missed = |owed: Owed| match owed.due {
        Due::Time { until: Some(deadline), .. } if deadline < time => {
            Some(Missed { obligation: owed.formula, since: owed.since, deadline })
        }
        Due::Time { .. } | Due::Steps { .. } => None,
    };
    run.owed(names).into_iter().filter_map(missed).collect()
}

/// Refuses a spec that splits its trace by key: a [`KeyedMonitor`] follows each.
fn refuse_keys(spec: &Spec) -> Result<(), Error> {
    match (&spec.settings().by, spec.lowered().end_when) {
        (Some(_), _) => Err(Request::MonitorByKey.into()),
        (None, Some(_)) => Err(Request::EndWithoutKey.into()),
        (None, None) => Ok(()),
    }
}

/// The state that makes a verdict final, with the values of some variables.
fn decision(variables: &[VariableId], names: &[Arc<str>], intake: &Intake, position: u64, line: u64) -> Place {
    let value = |id: &VariableId| (names[id.index()].clone(), intake.state()[id.index()].clone());
    let (position, values) = (position as usize, variables.iter().map(value).collect());
    Place { position, line, source: intake.source(), time: intake.time(), values }
}
