//! `traceward monitor`

use crate::arguments::{BadInput, MonitorArguments, OutputFormat};
use crate::failure::{Failure, Outcome, given_up, tell};
use crate::live::{Live, News};
use crate::{input, json, text};
use std::io::{self, Write};
use std::path::Path;
use traceward::input::{TraceError, Unseen};
use traceward::{Error, Event, Feed, Goal, Monitor, PropertyId, Spec, Verdict};
use traceward_wire::{EndOfTrace, Extent, VerdictEvent, line};

/// The name of the input in messages.
const INPUT: &str = "-";

pub fn run(arguments: &MonitorArguments, out: &mut impl Write) -> Result<Outcome, Failure> {
    let spec = spec(arguments)?;
    if !arguments.quiet {
        spec.warnings(input::style()).iter().for_each(|warning| tell(warning));
    }
    let monitor = Monitor::with_config(&spec, arguments.engine.config()).map_err(unanswerable)?;
    let options = input::read_options(Path::new(INPUT), &arguments.trace);
    let feed = Feed::with_options(monitor, &options).map_err(unanswerable)?;
    let wording = Wording::new(arguments.format, feed.monitor());
    Session { arguments, feed, wording, out }.run()
}

fn spec(arguments: &MonitorArguments) -> Result<Spec, Failure> {
    if arguments.spec.expressions.is_empty() && arguments.paths.is_empty() {
        return Err(Failure::new("nothing to monitor\n  help: give a formula with -e, or a spec file"));
    }
    let settings = input::settings(&arguments.trace);
    let (spec, traces) = input::spec_and_traces(&arguments.spec, &arguments.paths, settings, Goal::Check)?;
    match traces.iter().find(|path| path.as_os_str() != INPUT) {
        Some(path) => {
            let path = path.display();
            Err(Failure::new(format!(
                "{path}: a monitor reads standard input\n  help: traceward monitor … < {path}, or traceward check for a trace that has ended"
            )))
        }
        None => Ok(spec),
    }
}

fn unanswerable(error: Error) -> Failure {
    Failure::of(&error, INPUT, input::style())
}

fn tell_of(unseen: &[Unseen], severity: &str, what: &str) {
    for Unseen { name, hint } in unseen {
        let hint = hint.as_ref().map(|hint| format!("\n  help: {hint}")).unwrap_or_default();
        tell(&format!("{severity}: `{name}` {what}{hint}"));
    }
}

/// The way in which a trace came to its end.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The input ended, or somebody ended it.
    Complete,
    /// Something went wrong: the trace would have gone on.
    CutShort,
}

impl Ending {
    /// The verdict on each property at the end.
    pub fn verdicts(self, monitor: &Monitor) -> Vec<Verdict> {
        match self {
            Self::Complete => monitor.end(),
            Self::CutShort => monitor.verdicts(),
        }
    }
}

/// The choice whether the cost of following is told.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Cost {
    Told,
    Untold,
}

/// A monitor at work.
struct Session<'a, W> {
    arguments: &'a MonitorArguments,
    feed: Feed,
    wording: Wording,
    out: &'a mut W,
}

/// The reason why a monitor ends before its input does.
enum EarlyEnd {
    /// The question cannot be answered any more.
    Failed(Error),
    /// A bad line, and those are not to be skipped.
    BadLine,
    /// The output cannot be written.
    Output(io::Error),
}

impl From<Error> for EarlyEnd {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl From<io::Error> for EarlyEnd {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

impl<W: Write> Session<'_, W> {
    fn run(mut self) -> Result<Outcome, Failure> {
        let mut live =
            Live::standard_input().map_err(|error| Failure::new(format!("{INPUT}: {}", input::reason(&error))))?;
        let mut outcome = Outcome::Holds;
        loop {
            // Whatever was found out is told before anybody waits for more.
            let (result, is_last) = match live.next(|| self.out.flush())? {
                News::Bytes(piece) => {
                    let result = self.push(piece.bytes());
                    live.give_back(piece);
                    (result, false)
                }
                News::End => (self.finish(), true),
                // A line that has only half arrived is no bad one.
                News::Interrupted => (Ok(()), true),
                News::Failed(error) => {
                    tell(&format!("error: {INPUT}: cannot be read: {}", input::reason(&error)));
                    outcome = Outcome::Unanswered;
                    (self.finish(), true)
                }
            };
            match result {
                Ok(()) => {}
                Err(EarlyEnd::Output(error)) => return Err(error.into()),
                Err(EarlyEnd::BadLine) => outcome = Outcome::Unanswered,
                Err(EarlyEnd::Failed(error)) => {
                    self.out.flush()?;
                    unanswerable(error).report();
                    outcome = Outcome::Unanswered;
                }
            }
            if is_last || outcome == Outcome::Unanswered {
                // Nothing but bad lines is no trace that could be judged.
                if self.feed.monitor().position() == 0 && self.feed.skipped() > 0 {
                    outcome = Outcome::Unanswered;
                }
                let ending = if outcome == Outcome::Unanswered { Ending::CutShort } else { Ending::Complete };
                return self.end(ending).map(|verdicts| verdicts.max(outcome));
            }
        }
    }

    fn push(&mut self, bytes: &[u8]) -> Result<(), EarlyEnd> {
        let mut watch = Watch { arguments: self.arguments, wording: &self.wording, out: self.out };
        self.feed.push(bytes, &mut |monitor, event| watch.see(monitor, event))
    }

    fn finish(&mut self) -> Result<(), EarlyEnd> {
        let mut watch = Watch { arguments: self.arguments, wording: &self.wording, out: self.out };
        self.feed.finish(&mut |monitor, event| watch.see(monitor, event))
    }

    /// The verdicts at the end, and what they mean for the exit status.
    fn end(self, ending: Ending) -> Result<Outcome, Failure> {
        let cost = if self.arguments.engine_statistics { Cost::Told } else { Cost::Untold };
        match self.arguments.format {
            OutputFormat::Json => {
                let extent = if ending == Ending::Complete { Extent::Complete } else { Extent::CutShort };
                let verdicts = ending.verdicts(self.feed.monitor());
                let end = EndOfTrace::new(&self.feed, extent, &verdicts, &given_up, cost == Cost::Told);
                writeln!(self.out, "{}", line(&end))?;
            }
            OutputFormat::Text => text::monitor_end(self.out, &self.feed, ending, cost)?,
        }
        self.out.flush()?;
        let gave_up = self.feed.monitor().properties().any(|property| property.gave_up.is_some());
        let mut outcome = if gave_up { Outcome::Unanswered } else { Outcome::Holds };
        let unseen = if self.feed.monitor().position() > 0 { self.feed.unseen() } else { Vec::new() };
        if !unseen.is_empty() && ending == Ending::Complete {
            tell_of(&unseen, "error", "was never seen: what is asked of it was false throughout");
            outcome = Outcome::Unanswered;
        }
        if self.feed.skipped() > 0 && self.arguments.on_bad_input.is_none() {
            outcome = Outcome::Unanswered;
        }
        if self.feed.skipped() > 0 && !self.arguments.quiet {
            tell(&format!("warning: {} skipped", text::counted(self.feed.skipped() as usize, "bad line")));
        }
        let violated = ending.verdicts(self.feed.monitor()).contains(&Verdict::Violated);
        Ok(outcome.max(if violated { Outcome::Violated } else { Outcome::Holds }))
    }
}

/// Prints what happens.
struct Watch<'a, W> {
    arguments: &'a MonitorArguments,
    wording: &'a Wording,
    out: &'a mut W,
}

impl<W: Write> Watch<'_, W> {
    fn see(&mut self, monitor: &Monitor, event: Event<'_>) -> Result<(), EarlyEnd> {
        match event {
            Event::State { .. } if self.arguments.every_step => {
                let position = monitor.position() - 1;
                let mut properties = monitor.properties().enumerate().filter(|(_, one)| one.gave_up.is_none());
                properties.try_for_each(|(index, one)| self.wording.write(self.out, position, index, one.verdict))?;
            }
            Event::State { changed } => {
                changed.iter().try_for_each(|&id| self.verdict(monitor, id))?;
            }
            Event::Unseen(unseen) => self.unseen(unseen)?,
            Event::BadLine(error) => self.bad_line(error)?,
            // What a later version of the library has to tell.
            _ => {}
        }
        Ok(())
    }

    /// Writes what is known of a property after the last state.
    fn verdict(&mut self, monitor: &Monitor, id: PropertyId) -> io::Result<()> {
        let (position, property) = (monitor.position() - 1, monitor.property(id));
        let Some(gave_up) = property.gave_up else {
            return self.wording.write(self.out, position, id.index(), property.verdict);
        };
        match self.arguments.format {
            OutputFormat::Json => writeln!(self.out, "{}", line(&VerdictEvent::unknown(position, property.name)))?,
            OutputFormat::Text => self.out.write_all(text::unknown_line(position, property.name).as_bytes())?,
        }
        self.out.flush()?;
        tell(&format!("error: `{}`: {}", property.name, given_up(gave_up)));
        Ok(())
    }

    fn unseen(&mut self, unseen: &[Unseen]) -> io::Result<()> {
        if !self.arguments.quiet {
            self.out.flush()?;
            tell_of(
                unseen,
                "warning",
                "has not been seen: until it is, it is missing, and what is asked of it is false",
            );
        }
        Ok(())
    }

    fn bad_line(&mut self, error: &TraceError) -> Result<(), EarlyEnd> {
        // What was printed before it comes before it.
        self.out.flush()?;
        if self.arguments.on_bad_input == Some(BadInput::Stop) {
            unanswerable(Error::Trace(error.clone())).report();
            return Err(EarlyEnd::BadLine);
        }
        if !self.arguments.quiet {
            let (line, message) = (error.line().unwrap_or(0), error.message());
            tell(&format!("warning: {INPUT}:{line}: {message}; the line is skipped"));
        }
        Ok(())
    }
}

/// The lines that a monitor prints, all but for the position worded beforehand.
struct Wording {
    /// The text that stands before the position.
    head: Vec<u8>,
    /// The least width of the position.
    width: usize,
    /// The text that stands behind the position, for each property and each of its verdicts.
    tails: Vec<[Vec<u8>; 4]>,
}

impl Wording {
    fn new(format: OutputFormat, monitor: &Monitor) -> Self {
        let line = |name: &str, verdict| match format {
            OutputFormat::Json => json::monitor_line(name, verdict),
            OutputFormat::Text => text::monitor_line(name, verdict),
        };
        let width = match format {
            OutputFormat::Json => 0,
            OutputFormat::Text => text::POSITION_WIDTH,
        };
        let (head, _) = line("", Verdict::Satisfied);
        // In the order of `place`.
        let verdicts = [Verdict::Satisfied, Verdict::Violated, Verdict::Holding, Verdict::Pending];
        let tails = monitor.properties().map(|property| verdicts.map(|one| line(property.name, one).1.into_bytes()));
        Self { head: head.into_bytes(), width, tails: tails.collect() }
    }

    fn place(verdict: Verdict) -> usize {
        match verdict {
            Verdict::Satisfied => 0,
            Verdict::Violated => 1,
            Verdict::Holding => 2,
            Verdict::Pending => 3,
        }
    }

    fn write(&self, out: &mut impl Write, position: u64, property: usize, verdict: Verdict) -> io::Result<()> {
        // As many digits as a number of 64 bits can have.
        let mut digits = [b' '; 20];
        let (mut rest, mut start) = (position, digits.len());
        loop {
            start -= 1;
            digits[start] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        out.write_all(&self.head)?;
        out.write_all(&digits[start.min(digits.len() - self.width)..])?;
        out.write_all(&self.tails[property][Self::place(verdict)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_padded_to_their_width() {
        let tails = vec![[0, 1, 2, 3].map(|place| format!(" {place}\n").into_bytes())];
        let shown = |head: &[u8], width, position| {
            let mut out = Vec::new();
            let wording = Wording { head: head.to_vec(), width, tails: tails.clone() };
            wording.write(&mut out, position, 0, Verdict::Holding).unwrap();
            String::from_utf8(out).unwrap()
        };
        assert_eq!(shown(b"", 8, 0), "       0 2\n");
        assert_eq!(shown(b"", 8, 12_345_678), "12345678 2\n");
        assert_eq!(shown(b"", 8, 123_456_789), "123456789 2\n");
        assert_eq!(shown(b"at ", 0, 0), "at 0 2\n");
        assert_eq!(shown(b"at ", 0, u64::MAX), format!("at {} 2\n", u64::MAX));
    }
}
