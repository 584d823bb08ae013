//! A monitor fed with bytes.

use super::{Monitor, PropertyId, StepError};
use crate::check::unfit;
use crate::error::{Error, Request};
use traceward_logic::diagnostic::did_you_mean;
use traceward_trace::{
    CannotRestore, Cell, Implied, Note, ReadOptions, ReadStop, RecordSink, RecordStream, TraceError,
};

/// Reads states from bytes as they arrive, and steps a [`Monitor`] with them.
///
/// ```
/// use traceward::{Event, Feed, Monitor, Spec, Verdict};
///
/// let spec: Spec = "G !error".parse()?;
/// let mut feed = Feed::new(Monitor::new(&spec)?)?;
/// let mut verdicts = Vec::new();
/// let mut watch = |monitor: &Monitor, event: Event<'_>| {
///     if let Event::State { changed } = event {
///         let position = monitor.position() - 1;
///         verdicts.extend(changed.iter().map(|&id| (position, monitor.property(id).verdict)));
///     }
///     Ok::<(), traceward::Error>(())
/// };
/// feed.push(b"{\"error\": false}\n{\"error\": tr", &mut watch)?;
/// feed.push(b"ue}\n", &mut watch)?;
/// feed.finish(&mut watch)?;
/// assert_eq!(verdicts, [(0, Verdict::Holding), (1, Verdict::Violated)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Feed {
    monitor: Monitor,
    stream: RecordStream,
    skipped: u64,
    /// Whether the input has said how its records are read, or a record has come.
    has_begun: bool,
}

/// An event while bytes are read.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A state was taken.
    State {
        /// The properties whose verdict it changed.
        changed: &'a [PropertyId],
    },
    /// The clock has moved, and brought verdicts.
    Clock {
        /// The properties whose verdict it changed.
        changed: &'a [PropertyId],
    },
    /// After the first state, if it has come to that: variables that properties need and nothing
    /// has spoken of.
    Unseen(&'a [Unseen]),
    /// A line holds no state that can be taken. Unless the watcher says otherwise, reading goes on
    /// behind it.
    BadLine(&'a TraceError),
}

/// A variable that properties need and nothing has spoken of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unseen {
    /// The name of the variable.
    pub name: String,
    /// The name that may have been meant, as a question.
    pub hint: Option<String>,
}

impl Feed {
    /// Feeds a monitor; format, separator and texts for missing values are told by looking.
    pub fn new(monitor: Monitor) -> Result<Self, Error> {
        Self::with_options(monitor, &ReadOptions::default())
    }

    /// Feeds a monitor. Of the options those about format, separator and null count; the spec tells
    /// the rest.
    pub fn with_options(mut monitor: Monitor, options: &ReadOptions) -> Result<Self, Error> {
        let options = monitor.program.read_options_beside(options);
        monitor.read_with(options.clone());
        Ok(Self { monitor, stream: RecordStream::new(options)?, skipped: 0, has_begun: false })
    }

    /// The monitor.
    pub fn monitor(&self) -> &Monitor {
        &self.monitor
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
    /// back. They are no states yet, so that [`Monitor::save`] does not know of them. Bytes of a
    /// record that has only half arrived are in neither.
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
        watch: &mut impl FnMut(&Monitor, Event<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.read(watch, |stream, sink| stream.push(bytes, sink))
    }

    /// Takes what is left without a line end: no more bytes will come.
    pub fn finish<E: From<Error>>(
        &mut self,
        watch: &mut impl FnMut(&Monitor, Event<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.read(watch, RecordStream::finish)?;
        if self.monitor.position() == 0 && !self.has_begun { Ok(self.monitor.demand_timestamps()?) } else { Ok(()) }
    }

    /// Learns how late it is, where the records themselves do not tell: no later record has a
    /// timestamp below `time` in nanoseconds, but for those that may be late.
    pub fn advance_to<E: From<Error>>(
        &mut self,
        time: i64,
        watch: &mut impl FnMut(&Monitor, Event<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.read(watch, |stream, sink| stream.advance_to(time, sink))
    }

    /// Says how late it is when the records arrive that are pushed from now on, in nanoseconds. It
    /// is their timestamp, if the monitor was made by [`Monitor::by_arrival`].
    pub fn arrive(&mut self, time: i64) {
        self.monitor.intake.arrive(time);
    }

    /// Whether the input has said that its trace has ended. Others end where their bytes do.
    pub fn has_ended(&self) -> bool {
        self.stream.has_ended()
    }

    /// What is worth telling about the input so far.
    pub fn notes(&self) -> Vec<Note> {
        self.stream.notes()
    }

    /// What was probably meant where all lines were bad so far: nobody has a column that timestamps
    /// are to come from.
    pub fn unknown_time(&self) -> Option<TraceError> {
        let is_refused = self.monitor.position() == 0 && self.skipped > 0;
        self.monitor.intake.unknown_time(&self.stream.names()).filter(|_| is_refused)
    }

    /// The variables that properties need and nothing has spoken of, be it a CSV header.
    pub fn unseen(&self) -> Vec<Unseen> {
        self.told(self.monitor.unseen().map(str::to_owned))
    }

    /// Names that nothing has spoken of, each with what may have been meant.
    fn told(&self, unseen: impl Iterator<Item = String>) -> Vec<Unseen> {
        let mut unseen = unseen.peekable();
        if unseen.peek().is_none() {
            return Vec::new();
        }
        told(&self.stream, unseen)
    }

    fn read<E: From<Error>, W: FnMut(&Monitor, Event<'_>) -> Result<(), E>>(
        &mut self,
        watch: &mut W,
        read: impl FnOnce(&mut RecordStream, &mut dyn RecordSink) -> Result<(), ReadStop>,
    ) -> Result<(), E> {
        let Self { monitor, skipped, has_begun, .. } = self;
        let mut sink = Steps { monitor, skipped, has_begun, watch, unseen: Vec::new(), failed: None };
        let result = read(&mut self.stream, &mut sink);
        let (unseen, failed) = (sink.unseen, sink.failed);
        match self.told(unseen.into_iter()).as_slice() {
            [] => {}
            unseen => watch(&self.monitor, Event::Unseen(unseen))?,
        }
        match (result, failed) {
            (Ok(()), _) => Ok(()),
            (Err(ReadStop::Failed(error)), _) => Err(self.monitor.unfit(error).into()),
            (Err(ReadStop::Asked), Some(failed)) => Err(failed),
            (Err(ReadStop::Asked), None) => Ok(()),
        }
    }
}

/// Names that nothing has spoken of, each with what may have been meant.
pub(super) fn told(stream: &RecordStream, unseen: impl Iterator<Item = String>) -> Vec<Unseen> {
    let names = stream.names();
    let in_header = |name: &String| stream.has_header() && names.contains(name);
    let told = |name: String| {
        // It may be among the names by now, with later lines.
        let others = names.iter().filter(|one| **one != name).map(String::as_str);
        Unseen { hint: did_you_mean(&name, others), name }
    };
    unseen.filter(|name| !in_header(name)).map(told).collect()
}

/// Steps a monitor with each record, and tells a watcher.
struct Steps<'a, E, W> {
    monitor: &'a mut Monitor,
    skipped: &'a mut u64,
    has_begun: &'a mut bool,
    watch: &'a mut W,
    /// The variables that the first state has not spoken of.
    unseen: Vec<String>,
    /// The error for which the reading was stopped.
    failed: Option<E>,
}

impl<E: From<Error>, W: FnMut(&Monitor, Event<'_>) -> Result<(), E>> Steps<'_, E, W> {
    fn stop(&mut self, failed: E) -> Result<(), ReadStop> {
        self.failed = Some(failed);
        Err(ReadStop::Asked)
    }
}

impl<E: From<Error>, W: FnMut(&Monitor, Event<'_>) -> Result<(), E>> RecordSink for Steps<'_, E, W> {
    fn header(&mut self, names: &[String]) -> Result<Vec<Option<usize>>, TraceError> {
        // What is missing is no column of this header: the first record says it is a timestamp.
        if !*self.has_begun && self.monitor.demand_timestamps().is_err() {
            return Ok(vec![None; names.len()]);
        }
        self.monitor.header(names)
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
        let stepped = match self.monitor.step_cells(line, cells) {
            Ok(()) => {
                if self.monitor.position() == 1 {
                    self.unseen = self.monitor.unseen().map(str::to_owned).collect();
                }
                (self.watch)(self.monitor, Event::State { changed: &self.monitor.changed })
            }
            Err(StepError::Refused(error)) => return self.bad_line(error),
            Err(StepError::Evaluation(message)) => Err(Error::Evaluation { message, line }.into()),
            Err(StepError::TooManyKeys { limit }) => Err(Error::from(Request::TooManyKeys { limit }).into()),
        };
        stepped.or_else(|failed| self.stop(failed))
    }

    fn clock(&mut self, time: i64) -> Result<(), ReadStop> {
        if self.monitor.advance_to(time).is_empty() {
            return Ok(());
        }
        let event = Event::Clock { changed: &self.monitor.changed };
        (self.watch)(self.monitor, event).or_else(|failed| self.stop(failed))
    }

    fn bad_line(&mut self, error: TraceError) -> Result<(), ReadStop> {
        if let Err(failed) = (self.watch)(self.monitor, Event::BadLine(&error)) {
            return self.stop(failed);
        }
        *self.skipped += 1;
        Ok(())
    }
}

impl Monitor {
    /// The error of a value, with the place in the spec that has a part in it.
    fn unfit(&self, error: TraceError) -> Error {
        unfit(&self.program.spec, error)
    }
}
