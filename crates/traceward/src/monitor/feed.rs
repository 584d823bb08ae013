//! A monitor fed with bytes.

use super::{Monitor, PropertyId, StepError};
use crate::error::Error;
use traceward_logic::diagnostic::did_you_mean;
use traceward_trace::{Arrival, Awaited, Format, ReadOptions, StateStream, StreamOptions, TraceError};

/// Reads states from bytes as they arrive, and steps a [`Monitor`] with them.
///
/// ```
/// use traceward::{Config, Event, Feed, Goal, Monitor, ReadOptions, Source, Spec, Verdict};
///
/// let spec = Spec::parse(vec![Source::new("-e", "G !error", Goal::Check)])?;
/// let mut feed = Feed::new(Monitor::new(&spec, Config::default())?, &ReadOptions::default())?;
/// let mut verdicts = Vec::new();
/// let mut watch = |monitor: &Monitor, event: Event<'_>| {
///     if let Event::State { changed } = event {
///         verdicts.extend(changed.iter().map(|&id| (monitor.position() - 1, monitor.property(id).verdict)));
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
    stream: StateStream,
    skipped: u64,
}

/// What happens while bytes are read.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// A state was taken.
    State {
        /// The properties whose verdict it changed.
        changed: &'a [PropertyId],
    },
    /// After the first state, if it has come to that: variables that properties need and nothing has spoken of.
    Unseen(&'a [Unseen]),
    /// A line holds no state that can be taken. Unless the watcher says otherwise, reading goes on behind it.
    BadLine(&'a BadLine),
}

/// A line that holds no state that can be taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadLine {
    /// Which, 1-based.
    pub line: u64,
    /// What is wrong with it.
    pub message: String,
    /// The way out, where there is one to name.
    pub hint: Option<String>,
}

/// A variable that properties need and nothing has spoken of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unseen {
    /// Its name.
    pub name: String,
    /// What may have been meant.
    pub hint: Option<String>,
}

impl Feed {
    /// Feeds a monitor. Of the options those about format, separator and null count; the spec tells the rest.
    pub fn new(monitor: Monitor, options: &ReadOptions) -> Result<Self, Error> {
        let program = &monitor.program;
        let variables = program.names.iter().zip(&program.variables);
        let stream = StateStream::new(StreamOptions {
            format: options.format,
            separator: options.separator,
            time: program.time.clone(),
            null: options.null.clone(),
            variables: variables
                .map(|(name, variable)| Awaited { name: name.clone(), reading: variable.reading })
                .collect(),
        })?;
        Ok(Self { monitor, stream, skipped: 0 })
    }

    /// The monitor.
    pub fn monitor(&self) -> &Monitor {
        &self.monitor
    }

    /// How many bad lines there were that did not end the feeding.
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// Takes bytes that have arrived; `watch` is told what comes of them, and an error it returns ends the feeding.
    pub fn push<E: From<Error>>(
        &mut self,
        bytes: &[u8],
        watch: &mut impl FnMut(&Monitor, Event<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let read = self.stream.push(bytes);
        self.step_all(read, watch)
    }

    /// Takes what is left without a line end: no more bytes will come.
    pub fn finish<E: From<Error>>(
        &mut self,
        watch: &mut impl FnMut(&Monitor, Event<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let read = self.stream.finish();
        self.step_all(read, watch)
    }

    /// The variables that properties need and nothing has spoken of, be it a CSV header.
    pub fn unseen(&self) -> Vec<Unseen> {
        let mut unseen = self.monitor.unseen().peekable();
        if unseen.peek().is_none() {
            return Vec::new();
        }
        let names = self.stream.names();
        let in_header = |name: &str| self.stream.format() == Some(Format::Csv) && names.iter().any(|one| one == name);
        let unseen = unseen.filter(|name| !in_header(name));
        let told = |name: &str| {
            // It may be among them by now, with lines that are yet to be stepped with.
            let others = names.iter().map(String::as_str).filter(|one| *one != name);
            Unseen { name: name.to_owned(), hint: did_you_mean(name, others) }
        };
        unseen.map(told).collect()
    }

    fn tell_unseen<E>(&self, watch: &mut impl FnMut(&Monitor, Event<'_>) -> Result<(), E>) -> Result<(), E> {
        match self.unseen().as_slice() {
            [] => Ok(()),
            unseen => watch(&self.monitor, Event::Unseen(unseen)),
        }
    }

    /// Steps with what has arrived, and only then fails if the reading did.
    fn step_all<E: From<Error>>(
        &mut self,
        read: Result<(), TraceError>,
        watch: &mut impl FnMut(&Monitor, Event<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        while let Some(arrival) = self.stream.next_arrival() {
            let bad_line = match arrival {
                Arrival::Record { line, time, values } => match self.monitor.step_given(values, time) {
                    Ok(_) => None,
                    Err(StepError::Refused(message)) => Some(BadLine { line, message, hint: None }),
                    Err(StepError::Evaluation(message)) => return Err(Error::Evaluation { message, line }.into()),
                    Err(StepError::GaveUp(gave_up)) => return Err(Error::GaveUp(gave_up).into()),
                },
                Arrival::BadLine(error) => {
                    Some(BadLine { line: error.line().unwrap_or(0), message: error.message(), hint: error.hint() })
                }
            };
            match bad_line {
                None => {
                    watch(&self.monitor, Event::State { changed: &self.monitor.changed })?;
                    if self.monitor.position() == 1 {
                        self.tell_unseen(watch)?;
                    }
                }
                Some(bad_line) => {
                    watch(&self.monitor, Event::BadLine(&bad_line))?;
                    self.skipped += 1;
                }
            }
        }
        read.map_err(|error| E::from(Error::Trace(error)))
    }
}
