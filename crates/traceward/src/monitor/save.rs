//! Monitors as bytes, so that they can outlive their process.
//!
//! What is written is where a monitor is, and not what it does: the spec and the settings come from
//! whoever restores it, and a number that is made of them tells whether they are those of the
//! monitor that was saved. The frame is that of the engines' runs.

use super::measure::{ALGEBRAIC, Pursued};
use super::program::{CompiledClaim, CompiledProperty, CompiledTrigger, Program, Timestamps};
use super::spelling::Occurred;
use super::trigger::AwaitedTrigger;
use super::{Abandoned, FollowedProperty, Missed, Monitor, Pursuit};
use crate::error::{Error, Request};
use crate::report::Place;
use crate::spec::Spec;
use std::fmt;
use std::sync::Arc;
use traceward_engine::query::online::Online;
use traceward_engine::saved::{self, Origin, Reader, Writer, checksum, framed, unframed};
use traceward_engine::select::Config;
use traceward_logic::trace::VariableId;
use traceward_trace::SourcePlace;

/// The name of who has saved, where a run has that of its engine.
pub(super) const MONITOR: &str = "monitor";

/// The name of a monitor that follows keys.
pub(super) const KEYED: &str = "keyed monitor";

/// The most states that a monitor can have seen: expressions take positions for signed numbers.
pub(super) const MOST_STATES: u64 = i64::MAX as u64;

/// The reason why bytes are no monitor of a spec.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum RestoreError {
    /// The bytes do not begin as saved monitors do.
    NotAMonitor,
    /// The bytes were written in another version of the format.
    Version(u16),
    /// The monitor was one of another spec.
    OtherSpec,
    /// The monitor had other settings: another engine, another precision, or limits that lead to
    /// another engine.
    OtherConfig,
    /// The monitor had other keys: it followed one trace and not one for each key, or the other way
    /// round, or their traces ended by another silence, or more or fewer violations were told.
    OtherKeys,
    /// The bytes were cut short, or changed.
    Damaged,
}

impl fmt::Display for RestoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAMonitor => f.write_str("this is no saved monitor"),
            Self::Version(version) => write!(
                f,
                "the monitor was saved in version {version} of the format, which this version does not read; \
                 the trace has to be followed from its start"
            ),
            Self::OtherSpec => f.write_str(
                "the monitor was saved with another spec; it goes on with the one it was made of, \
                 and with no other",
            ),
            Self::OtherConfig => f.write_str(
                "the monitor was saved with other settings; it goes on with the engine and the precision \
                 it was made with",
            ),
            Self::OtherKeys => f.write_str(
                "the monitor was saved with other options for keys; it goes on with or without keys, \
                 with the silence and with the number of violations that it was made with",
            ),
            Self::Damaged => f.write_str("the saved monitor is damaged: bytes are missing, or were changed"),
        }
    }
}

impl std::error::Error for RestoreError {}

/// The error of the frame of a monitor.
pub(super) fn of_frame(error: saved::RestoreError) -> RestoreError {
    match error {
        saved::RestoreError::OtherEngine(name) if [MONITOR, KEYED].contains(&&*name) => RestoreError::OtherKeys,
        saved::RestoreError::NotARun | saved::RestoreError::OtherEngine(_) => RestoreError::NotAMonitor,
        saved::RestoreError::Version(version) => RestoreError::Version(version),
        saved::RestoreError::OtherFormula => RestoreError::OtherSpec,
        saved::RestoreError::Damaged => RestoreError::Damaged,
    }
}

/// The error of a run inside a monitor, the spec being the same. Limits may have led to another
/// engine.
pub(super) fn of_run(error: saved::RestoreError) -> RestoreError {
    match error {
        saved::RestoreError::OtherEngine(_) | saved::RestoreError::OtherFormula => RestoreError::OtherConfig,
        _ => RestoreError::Damaged,
    }
}

/// What a monitor is read by.
pub(super) type Read<T> = Result<T, saved::RestoreError>;

pub(super) const DAMAGED: saved::RestoreError = saved::RestoreError::Damaged;

impl Monitor {
    /// The monitor as bytes, for [`Self::restore`]: where it is in the trace, what it owes and what
    /// it has collected. A monitor that records the states for [`Self::runs`] is refused, because
    /// that would be the whole trace.
    ///
    /// ```
    /// use traceward::{Config, Monitor, Spec, State, Verdict};
    ///
    /// let spec: Spec = "G(request -> F grant)".parse()?;
    /// let mut monitor = Monitor::new(&spec)?;
    /// monitor.step(&State::new().with("request", true).with("grant", false))?;
    /// let bytes = monitor.save()?;
    ///
    /// // Perhaps in another process, and another day:
    /// let mut monitor = Monitor::restore(&spec, Config::default(), &bytes)?;
    /// assert_eq!((monitor.position(), monitor.verdicts()), (1, vec![Verdict::Pending]));
    /// monitor.step(&State::new().with("request", false).with("grant", true))?;
    /// assert_eq!(monitor.end(), [Verdict::Satisfied]);
    ///
    /// let other: Spec = "G !request".parse()?;
    /// let error = Monitor::restore(&other, Config::default(), &bytes).unwrap_err();
    /// assert!(error.to_string().contains("saved with another spec"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn save(&self) -> Result<Vec<u8>, Error> {
        if self.recording.is_some() {
            return Err(Request::SaveRecorded.into());
        }
        Ok(framed(origin(MONITOR, &self.program.spec), |to| self.write(to)))
    }

    /// A monitor that was saved. It goes on as if it had never been interrupted; only the costs
    /// that engines tell are counted from here. Spec and settings have to be those of the monitor
    /// that was saved, but limits may be others, and the spec may have other comments.
    pub fn restore(spec: &Spec, config: Config, bytes: &[u8]) -> Result<Self, Error> {
        let mut monitor = Self::with_config(spec, config)?;
        let mut inside = None;
        let read = unframed(origin(MONITOR, spec), bytes, |from| {
            let read = monitor.read_with_settings(from);
            read.map_err(|error| {
                inside = Some(error);
                DAMAGED
            })
        });
        read.map_err(|error| inside.unwrap_or_else(|| of_frame(error)))?;
        Ok(monitor)
    }

    fn write(&self, to: &mut Writer) {
        let program = &*self.program;
        to.number(program.settings);
        to.bit(program.timestamps == Timestamps::Brought);
        to.number(self.position);
        to.number(self.line);
        to.bytes(&self.intake.save());
        to.bytes(&self.memory.save());
        for bits in [&self.letter, &self.news, &self.seen, &bits(&self.needed, self.letter.len())] {
            bits.iter().for_each(|word| to.number(*word));
        }
        self.occurred.save(to);
        let follows = program.properties.iter().zip(&self.follows);
        follows.for_each(|(property, follow)| follow.write(property, to));
        self.triggers.iter().for_each(|trigger| trigger.write(to));
        program.queries.iter().zip(&self.measured).for_each(|(query, pursued)| pursued.write(query.online(), to));
    }

    fn read_with_settings(&mut self, from: &mut Reader<'_>) -> Result<(), RestoreError> {
        if from.number().map_err(of_run)? != self.program.settings {
            return Err(RestoreError::OtherConfig);
        }
        if from.bit().map_err(of_run)? && self.program.timestamps == Timestamps::AsNamed {
            let timed = self.program.with_timestamps().and_then(Self::of);
            *self = timed.map_err(|_| RestoreError::Damaged)?;
        }
        self.read(from).map_err(of_run)
    }

    fn read(&mut self, from: &mut Reader<'_>) -> Read<()> {
        let program = self.program.clone();
        self.position = from.number().and_then(|position| at_most(position, MOST_STATES))?;
        self.line = from.number()?;
        self.intake.restore(from.bytes()?).map_err(|_| DAMAGED)?;
        self.memory.restore(from.bytes()?).map_err(|_| DAMAGED)?;
        let mut needed = vec![0; self.letter.len()];
        for bits in [&mut self.letter, &mut self.news, &mut self.seen, &mut needed] {
            read_bits(bits, program.atoms.len(), from)?;
        }
        self.needed = (0..program.atoms.len()).filter(|atom| needed[atom / 64] >> (atom % 64) & 1 == 1).collect();
        self.occurred = Occurred::restored(&program.spelling, from)?;
        for (property, follow) in program.properties.iter().zip(&mut self.follows) {
            *follow = FollowedProperty::read(property, &program, self.position, from)?;
        }
        for (trigger, awaited) in program.triggers.iter().zip(&mut self.triggers) {
            *awaited = AwaitedTrigger::read(trigger, from)?;
        }
        for (query, pursued) in program.queries.iter().zip(&mut self.measured) {
            *pursued = Pursued::read(query.online(), from)?;
            if !pursued.is_at(self.position) {
                return Err(DAMAGED);
            }
        }
        Ok(())
    }
}

/// Who has saved, and of which spec. Comments and white space make no other spec.
pub(super) fn origin(who: &'static str, spec: &Spec) -> Origin {
    Origin { engine: who, formula: checksum(spec.essence().as_bytes()) }
}

/// A number for those settings that runs depend on. Limits are not among them, so that a monitor
/// can go on with higher ones.
pub(super) fn settings(config: &Config) -> u64 {
    let Config { engine, simplification, subsumption, memory, exactness, limits: _, precision } = config;
    let text = format!("{engine:?} {simplification:?} {subsumption:?} {memory:?} {exactness:?} {precision:?}");
    checksum(text.as_bytes())
}

pub(super) fn at_most(number: u64, most: u64) -> Read<u64> {
    if number <= most { Ok(number) } else { Err(DAMAGED) }
}

/// A bit for each of some atoms, in so many words.
fn bits(atoms: &[usize], words: usize) -> Vec<u64> {
    let mut bits = vec![0; words];
    atoms.iter().for_each(|atom| bits[atom / 64] |= 1 << (atom % 64));
    bits
}

/// Reads a bit for each of so many atoms. There are no others.
pub(super) fn read_bits(bits: &mut [u64], atoms: usize, from: &mut Reader<'_>) -> Read<()> {
    for (index, word) in bits.iter_mut().enumerate() {
        *word = from.number()?;
        let used = (atoms - index * 64).min(64);
        if used < 64 && *word >> used != 0 {
            return Err(DAMAGED);
        }
    }
    Ok(())
}

impl FollowedProperty {
    fn write(&self, property: &CompiledProperty, to: &mut Writer) {
        to.verdict(self.verdict);
        to.bit(self.decided_by.is_some());
        if let Some(place) = &self.decided_by {
            write_place(place, to);
            to.optional(self.decided_time.map(i64::cast_unsigned));
            to.size(self.missed.len());
            for Missed { obligation, since, deadline } in &self.missed {
                to.bytes(obligation.as_bytes());
                to.number(*since);
                to.number(deadline.cast_unsigned());
            }
        }
        match (&self.run, &property.claim) {
            (Ok(Pursuit::Formula(run)), _) => {
                to.tag(0);
                to.bytes(&run.save());
            }
            (Ok(Pursuit::Assert(pursued, _)), CompiledClaim::Assert(compiled)) => {
                to.tag(1);
                pursued.write(compiled.online(), to);
            }
            (Ok(Pursuit::Assert(..)), CompiledClaim::Formula(_)) => unreachable!("a run is that of its claim"),
            (Err(reason), _) => write_abandoned(reason, to),
        }
    }

    fn read(property: &CompiledProperty, program: &Program, states: u64, from: &mut Reader<'_>) -> Read<Self> {
        let verdict = from.verdict()?;
        let decided_by = if from.bit()? { Some(place(&property.variables, program, states, from)?) } else { None };
        let (decided_time, missed) = if decided_by.is_some() { by_the_clock(from)? } else { (None, Vec::new()) };
        let run = match (from.tag()?, &property.claim) {
            (0, CompiledClaim::Formula(compiled)) => Ok(Pursuit::Formula(compiled.engine.restore(from.bytes()?)?)),
            (1, CompiledClaim::Assert(compiled)) => {
                // What is certain of it is found out again with the next state, before it is asked.
                Ok(Pursuit::Assert(Pursued::read(compiled.online(), from)?, Ok(verdict)))
            }
            (EVALUATION, CompiledClaim::Formula(_)) => return Err(DAMAGED),
            (tag, claim) => Err(abandoned(tag, claim.engine_name(), from)?),
        };
        let was_decided = decided_by.is_some();
        if was_decided != verdict.is_final() || was_decided && run.is_err() {
            return Err(DAMAGED);
        }
        Ok(Self { run, verdict, decided_by, decided_time, missed })
    }
}

/// Writes a place, but not of which variables it has values.
pub(super) fn write_place(Place { position, line, time, values, source }: &Place, to: &mut Writer) {
    to.size(*position);
    to.number(*line);
    to.optional(time.map(i64::cast_unsigned));
    values.iter().for_each(|(_, value)| to.value(value));
    let texts = source.iter().flat_map(|SourcePlace { at, function }| [at, function]);
    to.bit(source.is_some());
    texts.for_each(|text| write_text(text.as_deref(), to));
}

/// Reads a place with the values of some variables.
pub(super) fn place(variables: &[VariableId], program: &Program, states: u64, from: &mut Reader<'_>) -> Read<Place> {
    let position = from.number().and_then(|position| at_most(position, states))? as usize;
    let (line, time) = (from.number()?, from.optional()?.map(u64::cast_signed));
    let mut value = |id: &VariableId| Ok((program.names[id.index()].clone(), from.value()?));
    let values = variables.iter().map(&mut value).collect::<Read<_>>()?;
    let source =
        if from.bit()? { Some(SourcePlace { at: optional_text(from)?, function: optional_text(from)? }) } else { None };
    Ok(Place { position, line, time, values, source })
}

/// The tags of reasons. Those before them are tags of runs.
const LIMIT: u8 = 2;
const EVALUATION: u8 = 3;

/// Writes why something is not followed any more.
pub(super) fn write_abandoned(reason: &Abandoned, to: &mut Writer) {
    match reason {
        Abandoned::Limit(gave_up) => {
            to.tag(LIMIT);
            to.gave_up(gave_up);
        }
        Abandoned::Evaluation(message) => {
            to.tag(EVALUATION);
            to.bytes(message.as_bytes());
        }
    }
}

/// Reads a reason whose tag has been read.
pub(super) fn abandoned(tag: u8, engine: &'static str, from: &mut Reader<'_>) -> Read<Abandoned> {
    match tag {
        LIMIT => from.gave_up(engine).map(Abandoned::Limit),
        EVALUATION => text(from).map(Abandoned::Evaluation),
        _ => Err(DAMAGED),
    }
}

/// The time at which the clock has decided, and what was missed by then.
fn by_the_clock(from: &mut Reader<'_>) -> Read<(Option<i64>, Vec<Missed>)> {
    let time = from.optional()?.map(u64::cast_signed);
    let missed = |from: &mut Reader<'_>| {
        Ok(Missed { obligation: text(from)?, since: from.number()?, deadline: from.number()?.cast_signed() })
    };
    Ok((time, (0..from.count()?).map(|_| missed(from)).collect::<Read<_>>()?))
}

fn write_text(text: Option<&str>, to: &mut Writer) {
    to.bit(text.is_some());
    text.into_iter().for_each(|text| to.bytes(text.as_bytes()));
}

fn optional_text(from: &mut Reader<'_>) -> Read<Option<Arc<str>>> {
    if from.bit()? { text(from).map(|text| Some(text.into())) } else { Ok(None) }
}

pub(super) fn text(from: &mut Reader<'_>) -> Read<String> {
    String::from_utf8(from.bytes()?.to_vec()).map_err(|_| DAMAGED)
}

impl Pursued {
    pub(super) fn write(&self, online: &Online, to: &mut Writer) {
        match &self.run {
            Ok(run) => {
                to.tag(0);
                to.bytes(&online.save(run));
            }
            Err(gave_up) => {
                to.tag(1);
                to.gave_up(gave_up);
            }
        }
        to.bit(self.doubt.is_some());
        if let Some(doubt) = &self.doubt {
            to.bytes(doubt.as_bytes());
        }
    }

    pub(super) fn read(online: &Online, from: &mut Reader<'_>) -> Read<Self> {
        let run = match from.tag()? {
            0 => Ok(Box::new(online.restore(from.bytes()?)?)),
            1 => Err(from.gave_up(ALGEBRAIC)?),
            _ => return Err(DAMAGED),
        };
        let doubt = if from.bit()? { Some(text(from)?) } else { None };
        Ok(Self { run, doubt })
    }

    /// Whether it has seen so many states, or stopped looking.
    pub(super) fn is_at(&self, position: u64) -> bool {
        self.run.as_ref().map_or(true, |run| run.position() == position)
    }
}

impl AwaitedTrigger {
    fn write(&self, to: &mut Writer) {
        to.bit(self.is_met);
        to.bit(self.run.is_some());
        if let Some(run) = &self.run {
            to.bytes(&run.save());
        }
    }

    fn read(trigger: &CompiledTrigger, from: &mut Reader<'_>) -> Read<Self> {
        let is_met = from.bit()?;
        let run = if from.bit()? { Some(trigger.compiled.engine.restore(from.bytes()?)?) } else { None };
        Ok(Self { run, is_met })
    }
}
