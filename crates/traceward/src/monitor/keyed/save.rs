//! Keyed monitors as bytes, so that they can outlive their process.
//!
//! Traces are written in the order of their first states, and ends in the order in which they came,
//! so that the bytes do not depend on how keys are looked up. Heaps are written with the traces
//! that are in them.

use super::super::Abandoned;
use super::super::measure::{ALGEBRAIC, Pursued};
use super::super::program::{CompiledClaim, CompiledFormula, CompiledProperty, Program, Timestamps};
use super::super::save::{
    DAMAGED, KEYED, MOST_STATES, Read, RestoreError, abandoned, at_most, of_frame, of_run, origin, place, read_bits,
    text, write_abandoned, write_place,
};
use super::super::spelling::Occurred;
use super::tally::{KeyViolation, PropertyTally, QueryTally};
use super::trails::{Asserts, Follows, PastKey, Strand, Trail, Whole};
use super::{KeyOptions, KeyedMonitor};
use crate::error::Error;
use crate::spec::Spec;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::sync::Arc;
use traceward_engine::query::online::Online;
use traceward_engine::query::{Tolerance, ToleranceKind};
use traceward_engine::saved::{Reader, Writer, framed, unframed};
use traceward_engine::select::Config;
use traceward_trace::{Carried, Intake};

/// The most traces that a key can have had: the next one has a number, too.
const MOST_TRACES: u64 = i32::MAX as u64;

impl KeyedMonitor {
    /// The monitor as bytes, for [`Self::restore`]: the traces that go on, what has come of those
    /// that have ended, and which keys they had.
    ///
    /// ```
    /// use traceward::{Config, KeyOptions, KeyedMonitor, Spec, State};
    ///
    /// let spec: Spec = "trace { by client } property answered = G(request -> F grant)".parse()?;
    /// let mut monitor = KeyedMonitor::new(&spec)?;
    /// monitor.step("ann", &State::new().with("request", true).with("grant", false))?;
    /// let bytes = monitor.save();
    ///
    /// // Perhaps in another process, and another day:
    /// let (config, keys) = (Config::default(), KeyOptions::default());
    /// let mut monitor = KeyedMonitor::restore(&spec, config, keys, &bytes)?;
    /// let step = monitor.step("ann", &State::new().with("request", false).with("grant", true))?;
    /// assert_eq!((step.number, step.position), (1, 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn save(&self) -> Vec<u8> {
        framed(origin(KEYED, &self.program.spec), |to| self.write(to))
    }

    /// A monitor that was saved. It goes on as if it had never been interrupted. Spec, settings,
    /// silence and number of violations have to be those of the monitor that was saved; limits,
    /// also that of keys, may be others, and the spec may have other comments.
    pub fn restore(spec: &Spec, config: Config, options: KeyOptions, bytes: &[u8]) -> Result<Self, Error> {
        let mut inside = None;
        let read = unframed(origin(KEYED, spec), bytes, |from| {
            Self::read_with_settings(spec, config, options, from).map_err(|error| {
                inside = Some(error);
                DAMAGED
            })
        });
        read.map_err(|error| inside.unwrap_or_else(|| of_frame(error).into()))
    }

    fn write(&self, to: &mut Writer) {
        to.number(self.program.settings);
        to.optional(self.options.idle);
        to.size(self.options.max_violations);
        to.tag(match self.program.timestamps {
            Timestamps::AsNamed => 0,
            Timestamps::Brought => 1,
            Timestamps::Arrival => 2,
        });
        to.bytes(&self.intake.save());
        [self.states, self.begun, self.without_key].into_iter().for_each(|count| to.number(count));
        to.optional(self.now.map(i64::cast_unsigned));
        self.seen.iter().for_each(|word| to.number(*word));
        to.bit(self.has_marker_held);
        self.occurred.save(to);
        self.properties.iter().for_each(|tally| tally.write(to));
        self.queries.iter().for_each(|tally| tally.write(to));
        self.write_traces(to);
        self.write_past(to);
    }

    fn write_traces(&self, to: &mut Writer) {
        let Self { program, trails, .. } = self;
        let silent: FxHashMap<u64, i64> =
            self.silent.iter().map(|Reverse((last, serial, _))| (*serial, *last)).collect();
        to.size(trails.len());
        for id in trails.in_order() {
            let Some(trail) = trails.get(id) else { continue };
            trail.write(to);
            to.optional(silent.get(&trail.serial).copied().map(i64::cast_unsigned));
            trails.strands(program, id).iter().zip(runs(program)).for_each(|(strand, run)| strand.write(run, to));
            let queries = program.queries.iter().zip(trails.pursued(program, id));
            queries.for_each(|(query, pursued)| pursued.write(query.online(), to));
        }
    }

    fn write_past(&self, to: &mut Writer) {
        let ends = self.trails.past().ends();
        to.size(ends.len());
        for (serial, key, past) in ends {
            to.number(serial);
            to.bytes(key.as_bytes());
            to.bit(past.is_some());
            if let Some(PastKey { number, serial: _, carried }) = past {
                to.number(u64::from(*number));
                to.bytes(&carried.save());
            }
        }
    }

    fn read_with_settings(
        spec: &Spec,
        config: Config,
        options: KeyOptions,
        from: &mut Reader<'_>,
    ) -> Result<Self, Error> {
        let damaged = |error| Error::from(of_run(error));
        let settings = from.number().map_err(damaged)?;
        let (idle, violations) = (from.optional().map_err(damaged)?, from.size().map_err(damaged)?);
        if (idle, violations) != (options.idle, options.max_violations) {
            return Err(RestoreError::OtherKeys.into());
        }
        let timestamps = match from.tag().map_err(damaged)? {
            0 => Timestamps::AsNamed,
            1 => Timestamps::Brought,
            2 => Timestamps::Arrival,
            _ => return Err(RestoreError::Damaged.into()),
        };
        let mut monitor = Self::made(spec, config, options, timestamps)?;
        if settings != monitor.program.settings {
            return Err(RestoreError::OtherConfig.into());
        }
        monitor.read(from).map_err(damaged)?;
        Ok(monitor)
    }

    fn read(&mut self, from: &mut Reader<'_>) -> Read<()> {
        let program = self.program.clone();
        self.intake.restore(from.bytes()?).map_err(|_| DAMAGED)?;
        for count in [&mut self.states, &mut self.begun, &mut self.without_key] {
            *count = at_most(from.number()?, MOST_STATES)?;
        }
        self.now = from.optional()?.map(u64::cast_signed);
        read_bits(&mut self.seen, program.atoms.len(), from)?;
        self.has_marker_held = from.bit()?;
        self.occurred = Occurred::restored(&program.spelling, from)?;
        let counts = Counts { states: self.states, traces: self.begun, violations: self.options.max_violations };
        for (property, tally) in program.properties.iter().zip(&mut self.properties) {
            *tally = PropertyTally::read(property, &program, counts, from)?;
        }
        for tally in &mut self.queries {
            *tally = QueryTally::read(counts, from)?;
        }
        self.read_traces(&program, from)?;
        self.read_past(from)
    }

    fn read_traces(&mut self, program: &Program, from: &mut Reader<'_>) -> Read<()> {
        let mut next = 0;
        for _ in 0..from.count()? {
            let trail = Trail::read(program, &self.intake, from)?;
            let is_in_order = next <= trail.serial && trail.serial < self.begun;
            if !is_in_order || trail.states > self.states || self.trails.find(&trail.key).is_some() {
                return Err(DAMAGED);
            }
            next = trail.serial + 1;
            let (states, serial, due) = (trail.states, trail.serial, trail.due);
            let silent = from.optional()?.map(u64::cast_signed);
            let strands = runs(program).map(|run| Strand::read(run, states, from)).collect::<Read<_>>()?;
            let pursued = program.queries.iter().map(|query| read_pursued(query.online(), states, from));
            let pursued = pursued.collect::<Read<_>>()?;
            let id = self.trails.add(program, Whole { trail, strands, pursued });
            if silent.is_some() != self.options.idle.is_some() {
                return Err(DAMAGED);
            }
            self.silent.extend(silent.map(|last| Reverse((last, serial, id))));
            self.due.extend(due.map(|deadline| Reverse((deadline, serial, id))));
        }
        Ok(())
    }

    fn read_past(&mut self, from: &mut Reader<'_>) -> Read<()> {
        for _ in 0..from.count()? {
            let (serial, key) = (from.number()?, Arc::from(text(from)?));
            let past = if from.bit()? { Some(PastKey::read(serial, &self.intake, from)?) } else { None };
            // A key that has a trace takes its past along, and one has no more than one last end.
            let past_keys = self.trails.past();
            let is_known = self.trails.find(&key).is_some() || past_keys.knows(&key);
            if serial >= self.begun || past.is_some() && is_known {
                return Err(DAMAGED);
            }
            self.trails.past_mut().add(serial, key, past);
        }
        Ok(())
    }
}

/// How many there are of what numbers in the bytes count.
#[derive(Clone, Copy)]
struct Counts {
    states: u64,
    traces: u64,
    violations: usize,
}

/// What a strand is a run of.
#[derive(Clone, Copy)]
enum Run<'a> {
    Formula(&'a CompiledFormula),
    Assert(&'a Online),
}

impl Run<'_> {
    fn engine_name(self) -> &'static str {
        match self {
            Self::Formula(compiled) => compiled.engine.engine().name(),
            Self::Assert(_) => ALGEBRAIC,
        }
    }
}

/// What the strands of a trace are runs of: properties, and then triggers.
fn runs(program: &Program) -> impl Iterator<Item = Run<'_>> {
    let properties = program.properties.iter().map(|property| match &property.claim {
        CompiledClaim::Formula(compiled) => Run::Formula(compiled),
        CompiledClaim::Assert(compiled) => Run::Assert(compiled.online()),
    });
    properties.chain(program.triggers.iter().map(|trigger| Run::Formula(&trigger.compiled)))
}

fn read_pursued(online: &Online, states: u64, from: &mut Reader<'_>) -> Read<Pursued> {
    let pursued = Pursued::read(online, from)?;
    if pursued.is_at(states) { Ok(pursued) } else { Err(DAMAGED) }
}

impl Trail {
    fn write(&self, to: &mut Writer) {
        let Self { key, number, serial, states, last, due, carried, memory } = self;
        to.bytes(key.as_bytes());
        to.number(u64::from(*number));
        to.number(*serial);
        to.number(*states);
        to.int(*last);
        to.optional(due.map(i64::cast_unsigned));
        to.bytes(&carried.save());
        memory.iter().for_each(|memory| to.bytes(&memory.save()));
    }

    fn read(program: &Program, intake: &Intake, from: &mut Reader<'_>) -> Read<Self> {
        let (key, number, serial) = (Arc::from(text(from)?), read_number(from)?, from.number()?);
        // A trace begins with a state.
        let states = at_most(from.number()?, MOST_STATES)
            .and_then(|states| if states > 0 { Ok(states) } else { Err(DAMAGED) })?;
        let (last, due) = (from.int()?, from.optional()?.map(u64::cast_signed));
        let carried = read_carried(intake, from)?;
        let memory = if program.memory.is_empty() {
            None
        } else {
            let mut memory = Box::new(program.memory.clone());
            memory.restore(from.bytes()?).map_err(|_| DAMAGED)?;
            Some(memory)
        };
        Ok(Self { key, number, serial, states, last, due, carried, memory })
    }
}

impl PastKey {
    fn read(serial: u64, intake: &Intake, from: &mut Reader<'_>) -> Read<Self> {
        Ok(Self { number: read_number(from)?, serial, carried: read_carried(intake, from)? })
    }
}

/// The number of a trace among those of its key.
fn read_number(from: &mut Reader<'_>) -> Read<u32> {
    u32::try_from(at_most(from.number()?, MOST_TRACES)?).map_err(|_| DAMAGED)
}

fn read_carried(intake: &Intake, from: &mut Reader<'_>) -> Read<Carried> {
    intake.carried(from.bytes()?).map_err(|_| DAMAGED)
}

impl Strand {
    fn write(&self, run: Run<'_>, to: &mut Writer) {
        match (self, run) {
            (Self::Numbered(number), _) => {
                to.tag(0);
                to.number(u64::from(number.number()));
            }
            (Self::Running(follows), _) => {
                to.tag(1);
                to.bytes(&follows.0.save());
            }
            (Self::Assert(asserts), Run::Assert(online)) => {
                to.tag(2);
                asserts.pursued.write(online, to);
                to.verdict(asserts.verdict);
            }
            (Self::Assert(_), Run::Formula(_)) => unreachable!("a run is that of its claim"),
            (Self::Decided(verdict), _) => {
                to.tag(3);
                to.verdict(*verdict);
            }
            (Self::Abandoned(reason), _) => {
                to.tag(4);
                write_abandoned(reason, to);
            }
        }
    }

    fn read(run: Run<'_>, states: u64, from: &mut Reader<'_>) -> Read<Self> {
        Ok(match (from.tag()?, run) {
            (0, Run::Formula(compiled)) => {
                let number = from.small()?;
                let restored = compiled.engine.numbered().and_then(|numbered| numbered.restored(number));
                Self::Numbered(restored.ok_or(DAMAGED)?)
            }
            (1, Run::Formula(compiled)) => Self::Running(Box::new(Follows(compiled.engine.restore(from.bytes()?)?))),
            (2, Run::Assert(online)) => {
                let pursued = read_pursued(online, states, from)?;
                Self::Assert(Box::new(Asserts { pursued, verdict: from.verdict()? }))
            }
            (3, _) => Self::Decided(from.verdict()?),
            (4, run) => Self::Abandoned(Box::new(read_abandoned(run.engine_name(), from)?)),
            _ => return Err(DAMAGED),
        })
    }
}

fn read_abandoned(engine: &'static str, from: &mut Reader<'_>) -> Read<Abandoned> {
    abandoned(from.tag()?, engine, from)
}

impl PropertyTally {
    fn write(&self, to: &mut Writer) {
        let Self { violated, vacuous, unknown, gave_up, first, unmet } = self;
        [violated, vacuous, unknown].into_iter().for_each(|count| to.number(*count));
        to.bit(gave_up.is_some());
        gave_up.iter().for_each(|reason| write_abandoned(reason, to));
        to.size(first.len());
        first.iter().for_each(|violation| violation.write(to));
        to.bit(unmet.is_some());
        if let Some((serial, trigger)) = unmet {
            to.number(*serial);
            to.size(*trigger);
        }
    }

    fn read(property: &CompiledProperty, program: &Program, counts: Counts, from: &mut Reader<'_>) -> Read<Self> {
        let mut count = || at_most(from.number()?, counts.traces);
        let (violated, vacuous, unknown) = (count()?, count()?, count()?);
        let engine = property.claim.engine_name();
        let gave_up = if from.bit()? { Some(read_abandoned(engine, from)?) } else { None };
        let first: Vec<_> = from.many(|from| KeyViolation::read(property, program, counts, from))?;
        if first.len() > counts.violations || !first.is_sorted_by(|one, other| one.serial < other.serial) {
            return Err(DAMAGED);
        }
        let unmet = if from.bit()? { Some((from.number()?, from.index(program.triggers.len())?)) } else { None };
        Ok(Self { violated, vacuous, unknown, gave_up, first, unmet })
    }
}

impl KeyViolation {
    fn write(&self, to: &mut Writer) {
        let Self { key, number, decided_by, serial } = self;
        to.bytes(key.as_bytes());
        to.number(u64::from(*number));
        to.number(*serial);
        to.bit(decided_by.is_some());
        if let Some(place) = decided_by {
            // Where the clock has decided, no values are kept.
            to.bit(!place.values.is_empty());
            write_place(place, to);
        }
    }

    fn read(property: &CompiledProperty, program: &Program, counts: Counts, from: &mut Reader<'_>) -> Read<Self> {
        let (key, number, serial) = (Arc::from(text(from)?), read_number(from)?, from.number()?);
        let decided_by = if from.bit()? {
            let variables = if from.bit()? { &*property.variables } else { &[] };
            Some(place(variables, program, counts.states, from)?)
        } else {
            None
        };
        Ok(Self { key, number, decided_by, serial })
    }
}

impl QueryTally {
    fn write(&self, to: &mut Writer) {
        to.size(self.values.len());
        for (serial, key, value) in &self.values {
            to.number(*serial);
            to.bytes(key.as_bytes());
            to.optional_value(value.as_ref());
        }
        to.bit(self.tolerance.is_some());
        if let Some(Tolerance { relative, kind }) = self.tolerance {
            to.float(relative);
            to.size(KINDS.iter().position(|one| *one == kind).unwrap_or_default());
        }
        to.bit(self.lost.is_some());
        if let Some((key, reason)) = &self.lost {
            to.bytes(key.as_bytes());
            write_abandoned(reason, to);
        }
    }

    fn read(counts: Counts, from: &mut Reader<'_>) -> Read<Self> {
        let value = |from: &mut Reader<'_>| {
            let serial = at_most(from.number()?, counts.traces)?;
            Ok((serial, Arc::from(text(from)?), from.optional_value()?))
        };
        let values = from.many(value)?;
        let tolerance = if from.bit()? { Some(read_tolerance(from)?) } else { None };
        let lost = if from.bit()? { Some((Arc::from(text(from)?), read_abandoned(ALGEBRAIC, from)?)) } else { None };
        Ok(Self { values, tolerance, lost })
    }
}

/// The kinds of errors. They are saved by their place here.
const KINDS: [ToleranceKind; 4] =
    [ToleranceKind::Certain, ToleranceKind::Likely, ToleranceKind::Borders, ToleranceKind::Frequency];

fn read_tolerance(from: &mut Reader<'_>) -> Read<Tolerance> {
    Ok(Tolerance { relative: from.float()?, kind: KINDS[from.index(KINDS.len())?] })
}
