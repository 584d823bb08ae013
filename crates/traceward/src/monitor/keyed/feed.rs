//! A keyed monitor fed with bytes.

use super::super::feed::told;
use super::super::{StepError, Timestamps, Unseen};
use super::{EndedTrace, KeyedMonitor, KeyedStep, PassedTime};
use crate::check::unfit;
use crate::error::{Error, Request};
use traceward_trace::{
    CannotRestore, Cell, Implied, Intake, Note, ReadOptions, ReadStop, RecordSink, RecordStream, TraceError,
};

/// Reads states from bytes as they arrive, and steps a [`KeyedMonitor`] with them.
///
/// ```
/// use traceward::{KeyedEvent, KeyedFeed, KeyedMonitor, Spec, Verdict};
///
/// let spec: Spec = "trace { by user } property p = G !error".parse()?;
/// let mut feed = KeyedFeed::new(KeyedMonitor::new(&spec)?)?;
/// let mut violated = Vec::new();
/// let mut watch = |_: &KeyedMonitor, event: KeyedEvent<'_>| {
///     if let KeyedEvent::State(step) = event {
///         let is_violated = step.changed.iter().any(|change| change.verdict == Verdict::Violated);
///         violated.extend(is_violated.then(|| (step.key.to_owned(), step.position)));
///     }
///     Ok::<(), traceward::Error>(())
/// };
/// feed.push(b"user,error\nann,0\nbob,0\nann,1\n", &mut watch)?;
/// feed.finish(&mut watch)?;
/// assert_eq!(violated, [("ann".to_owned(), 1)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct KeyedFeed {
    monitor: KeyedMonitor,
    stream: RecordStream,
    skipped: u64,
    /// Whether the input has said how its records are read, or a record has come.
    has_begun: bool,
}

/// An event while bytes of many keys are read.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum KeyedEvent<'a> {
    /// A state was taken.
    State(KeyedStep<'a>),
    /// The clock has moved, and has brought verdicts or ended traces.
    Clock {
        /// The traces on which it has brought verdicts.
        passed: &'a [PassedTime],
        /// The traces that have been silent for too long.
        ended: &'a [EndedTrace],
    },
    /// After the first state, if it has come to that: variables that properties need and nothing
    /// has spoken of.
    Unseen(&'a [Unseen]),
    /// A line holds no state that can be taken. Unless the watcher says otherwise, reading goes on
    /// behind it.
    BadLine(&'a TraceError),
}

impl KeyedFeed {
    /// Feeds a monitor; format, separator and texts for missing values are told by looking.
    pub fn new(monitor: KeyedMonitor) -> Result<Self, Error> {
        Self::with_options(monitor, &ReadOptions::default())
    }

    /// Feeds a monitor. Of the options those about format, separator and null count; the spec tells
    /// the rest.
    pub fn with_options(mut monitor: KeyedMonitor, options: &ReadOptions) -> Result<Self, Error> {
        let options = monitor.program.read_options_beside(options);
        monitor.read_with(options.clone());
        Ok(Self { monitor, stream: RecordStream::new(options)?, skipped: 0, has_begun: false })
    }

    /// The monitor.
    pub fn monitor(&self) -> &KeyedMonitor {
        &self.monitor
    }

    /// The monitor, for whoever ends its traces.
    pub fn monitor_mut(&mut self) -> &mut KeyedMonitor {
        &mut self.monitor
    }

    /// The number of bad lines that did not end the feeding.
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// The number of records that came too late to be put in order, and were left out.
    pub fn late(&self) -> u64 {
        self.stream.late()
    }

    /// The records that are held back to be put in order, as bytes; none if none are to be held
    /// back. They are no states yet, so that [`KeyedMonitor::save`] does not know of them. Bytes of
    /// a record that has only half arrived are in neither.
    pub fn save_held(&self) -> Option<Vec<u8>> {
        self.stream.save_held()
    }

    /// Holds back what [`Self::save_held`] has written, for the same spec and the same options.
    pub fn restore_held(&mut self, bytes: &[u8]) -> Result<(), CannotRestore> {
        self.stream.restore_held(bytes)
    }

    /// Takes bytes that have arrived; `watch` is told what comes of them, and an error it returns
    /// ends the feeding.
    pub fn push<E: From<Error>>(
        &mut self,
        bytes: &[u8],
        watch: &mut impl FnMut(&KeyedMonitor, KeyedEvent<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.read(watch, |stream, sink| stream.push(bytes, sink))
    }

    /// Takes what is left without a line end: no more bytes will come. The traces of keys go on
    /// until somebody ends them.
    pub fn finish<E: From<Error>>(
        &mut self,
        watch: &mut impl FnMut(&KeyedMonitor, KeyedEvent<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.read(watch, RecordStream::finish)?;
        if self.monitor.states() == 0 && !self.has_begun {
            self.monitor.demand_timestamps()?;
        }
        self.key_note().map(drop).map_err(|error| Error::from(error).into())
    }

    /// Learns how late it is, where the records themselves do not tell: no later record has a
    /// timestamp below `time` in nanoseconds, but for those that may be late.
    pub fn advance_to<E: From<Error>>(
        &mut self,
        time: i64,
        watch: &mut impl FnMut(&KeyedMonitor, KeyedEvent<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.read(watch, |stream, sink| stream.advance_to(time, sink))
    }

    /// Says how late it is when the records arrive that are pushed from now on, in nanoseconds. It
    /// is their timestamp, if the monitor was made by [`KeyedMonitor::by_arrival`].
    pub fn arrive(&mut self, time: i64) {
        self.monitor.intake.arrive(time);
    }

    /// Whether the input has said that it has ended.
    pub fn has_ended(&self) -> bool {
        self.stream.has_ended()
    }

    /// What is worth telling about the input so far.
    pub fn notes(&self) -> Vec<Note> {
        self.stream.notes().into_iter().chain(self.key_note().ok().flatten()).collect()
    }

    /// What was probably meant where all lines were bad so far: nobody has a column that timestamps
    /// are to come from.
    pub fn unknown_time(&self) -> Option<TraceError> {
        let is_refused = self.monitor.states() == 0 && self.skipped > 0;
        self.monitor.intake.unknown_time(&self.stream.names()).filter(|_| is_refused)
    }

    fn key_note(&self) -> Result<Option<Note>, TraceError> {
        let KeyedMonitor { intake, states, without_key, .. } = &self.monitor;
        intake.key_note(*states, *without_key, &self.stream.names())
    }

    /// The variables that properties need and nothing has spoken of, be it a CSV header.
    pub fn unseen(&self) -> Vec<Unseen> {
        told(&self.stream, self.monitor.unseen().map(str::to_owned))
    }

    fn read<E: From<Error>, W: FnMut(&KeyedMonitor, KeyedEvent<'_>) -> Result<(), E>>(
        &mut self,
        watch: &mut W,
        read: impl FnOnce(&mut RecordStream, &mut dyn RecordSink) -> Result<(), ReadStop>,
    ) -> Result<(), E> {
        let Self { monitor, skipped, has_begun, .. } = self;
        let mut sink = Steps { monitor, skipped, has_begun, watch, unseen: Vec::new(), failed: None };
        let result = read(&mut self.stream, &mut sink);
        let (unseen, failed) = (sink.unseen, sink.failed);
        match told(&self.stream, unseen.into_iter()).as_slice() {
            [] => {}
            unseen => watch(&self.monitor, KeyedEvent::Unseen(unseen))?,
        }
        match (result, failed) {
            (Ok(()), _) => Ok(()),
            (Err(ReadStop::Failed(error)), _) => Err(unfit(&self.monitor.program.spec, error).into()),
            (Err(ReadStop::Asked), Some(failed)) => Err(failed),
            (Err(ReadStop::Asked), None) => Ok(()),
        }
    }
}

/// Steps a monitor with each record, and tells a watcher.
struct Steps<'a, E, W> {
    monitor: &'a mut KeyedMonitor,
    skipped: &'a mut u64,
    has_begun: &'a mut bool,
    watch: &'a mut W,
    /// The variables that the first state has not spoken of.
    unseen: Vec<String>,
    /// The error for which the reading was stopped.
    failed: Option<E>,
}

impl<E: From<Error>, W: FnMut(&KeyedMonitor, KeyedEvent<'_>) -> Result<(), E>> Steps<'_, E, W> {
    fn stop(&mut self, failed: E) -> Result<(), ReadStop> {
        self.failed = Some(failed);
        Err(ReadStop::Asked)
    }

    /// Takes a record of a key.
    fn step(&mut self, key: &str, line: u64, cells: &[Cell<'_>]) -> Result<(), ReadStop> {
        let taken = self.monitor.take(key, line, cells).map(|step| (step.number, step.position));
        let (number, position) = match taken {
            Ok(place) => place,
            Err(error) => return self.refuse(error, line),
        };
        if self.monitor.states() == 1 {
            self.unseen = self.monitor.unseen().map(str::to_owned).collect();
        }
        let (changed, ended) = (&*self.monitor.changed, &*self.monitor.ended);
        let step = KeyedStep { key, number, position, changed, ended };
        (self.watch)(self.monitor, KeyedEvent::State(step)).or_else(|failed| self.stop(failed))
    }

    /// Tells why a record is no state. It has come at some time all the same, and others may have
    /// ended by then.
    fn refuse(&mut self, error: StepError, line: u64) -> Result<(), ReadStop> {
        self.tell_clock(&[])?;
        match error {
            StepError::Refused(error) => self.bad_line(error),
            StepError::Evaluation(message) => self.stop(Error::Evaluation { message, line }.into()),
            StepError::TooManyKeys { limit } => self.stop(Error::from(Request::TooManyKeys { limit }).into()),
        }
    }

    /// Tells what time has brought, if it has brought anything.
    fn tell_clock(&mut self, passed: &[PassedTime]) -> Result<(), ReadStop> {
        let ended = self.monitor.ended_by_clock();
        if passed.is_empty() && ended.is_empty() {
            return Ok(());
        }
        let event = KeyedEvent::Clock { passed, ended };
        (self.watch)(self.monitor, event).or_else(|failed| self.stop(failed))
    }
}

impl<E: From<Error>, W: FnMut(&KeyedMonitor, KeyedEvent<'_>) -> Result<(), E>> RecordSink for Steps<'_, E, W> {
    fn header(&mut self, names: &[String]) -> Result<Vec<Option<usize>>, TraceError> {
        // What is missing is no column of this header: the first record says it is a timestamp.
        if !*self.has_begun && self.monitor.demand_timestamps().is_err() {
            return Ok(vec![None; names.len()]);
        }
        self.monitor.intake.header(names)
    }

    fn implied(&mut self, implied: &Implied) -> Result<(), ReadStop> {
        *self.has_begun = true;
        self.monitor.take_implied(implied).or_else(|error| self.stop(error.into()))
    }

    fn record(&mut self, line: u64, cells: &[Cell<'_>]) -> Result<(), ReadStop> {
        if !*self.has_begun {
            *self.has_begun = true;
            if let Err(error) = self.monitor.demand_timestamps() {
                return self.stop(error.into());
            }
        }
        match self.monitor.intake.key(line, cells) {
            Ok(Some(key)) => self.step(&key, line, cells),
            Ok(None) => {
                self.monitor.without_key += 1;
                Ok(())
            }
            Err(error) => self.bad_line(error),
        }
    }

    fn clock(&mut self, time: i64) -> Result<(), ReadStop> {
        let passed = self.monitor.advance_to(time);
        self.tell_clock(&passed)
    }

    fn bad_line(&mut self, error: TraceError) -> Result<(), ReadStop> {
        if let Err(failed) = (self.watch)(self.monitor, KeyedEvent::BadLine(&error)) {
            return self.stop(failed);
        }
        *self.skipped += 1;
        Ok(())
    }
}

impl KeyedMonitor {
    /// Sets the options by which records are read from now on. What earlier states have told stays.
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
                *self = Self::of(self.program.with_timestamps()?, self.options);
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
}
