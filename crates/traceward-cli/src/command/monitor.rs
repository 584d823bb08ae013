//! `traceward monitor`

use crate::arguments::{BadInput, MonitorArguments, OutputFormat};
use crate::failure::{Failure, Outcome, tell};
use crate::live::{self, News};
use crate::{input, json, text};
use std::io::{self, Write};
use std::path::Path;
use traceward::{BadLine, Error, Event, Feed, Followed, Goal, Monitor, Spec, Unseen, Verdict};

/// What the input is called in messages.
const INPUT: &str = "-";

pub fn run(arguments: &MonitorArguments, out: &mut impl Write) -> Result<Outcome, Failure> {
    let spec = spec(arguments)?;
    if !arguments.quiet {
        spec.warnings(input::paint()).iter().for_each(|warning| tell(warning));
    }
    let monitor = Monitor::new(&spec, arguments.engine.config()).map_err(unanswerable)?;
    let options = input::read_options(Path::new(INPUT), &arguments.trace);
    let feed = Feed::new(monitor, &options).map_err(unanswerable)?;
    Session { arguments, feed, out }.run()
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
    Failure::Message(error.render(INPUT, input::paint()))
}

fn warn_of(unseen: &[Unseen], what: &str) {
    for Unseen { name, hint } in unseen {
        let hint = hint.as_ref().map(|hint| format!("\n  help: {hint}")).unwrap_or_default();
        tell(&format!("warning: `{name}` {what}{hint}"));
    }
}

/// A monitor at work.
struct Session<'a, W> {
    arguments: &'a MonitorArguments,
    feed: Feed,
    out: &'a mut W,
}

/// Why it ends before its input does.
enum Stop {
    /// The question cannot be answered any more.
    Failed(Error),
    /// A bad line, and those are not to be skipped.
    BadLine,
    /// The output cannot be written.
    Output(io::Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

impl<W: Write> Session<'_, W> {
    fn run(mut self) -> Result<Outcome, Failure> {
        let news =
            live::standard_input().map_err(|error| Failure::new(format!("{INPUT}: {}", input::reason(&error))))?;
        let mut outcome = Outcome::Holds;
        loop {
            let (result, is_last) = match news.recv() {
                Ok(News::Bytes(bytes)) => (self.push(&bytes), false),
                Ok(News::End) | Err(_) => (self.finish(), true),
                // A line that has only half arrived is no bad one.
                Ok(News::Interrupted) => (Ok(()), true),
                Ok(News::Failed(error)) => {
                    tell(&format!("error: {INPUT}: cannot be read: {}", input::reason(&error)));
                    outcome = Outcome::Unanswered;
                    (self.finish(), true)
                }
            };
            match result {
                Ok(()) => {}
                Err(Stop::Output(error)) => return Err(error.into()),
                Err(Stop::BadLine) => outcome = Outcome::Unanswered,
                Err(Stop::Failed(error)) => {
                    self.out.flush()?;
                    unanswerable(error).report();
                    outcome = Outcome::Unanswered;
                }
            }
            if is_last || outcome == Outcome::Unanswered {
                return self.end().map(|verdicts| verdicts.max(outcome));
            }
        }
    }

    fn push(&mut self, bytes: &[u8]) -> Result<(), Stop> {
        let mut watch = Watch { arguments: self.arguments, out: self.out };
        self.feed.push(bytes, &mut |monitor, event| watch.see(monitor, event))?;
        // Whatever was found out is told before anybody waits for more.
        Ok(self.out.flush()?)
    }

    fn finish(&mut self) -> Result<(), Stop> {
        let mut watch = Watch { arguments: self.arguments, out: self.out };
        self.feed.finish(&mut |monitor, event| watch.see(monitor, event))?;
        Ok(self.out.flush()?)
    }

    /// The verdicts at the end, and what they mean for the exit status.
    fn end(self) -> Result<Outcome, Failure> {
        match self.arguments.format {
            OutputFormat::Json => writeln!(self.out, "{}", json::monitor_end(&self.feed))?,
            OutputFormat::Text => text::monitor_end(self.out, &self.feed)?,
        }
        self.out.flush()?;
        if !self.arguments.quiet && self.feed.monitor().position() > 0 {
            warn_of(&self.feed.unseen(), "was never seen: what is asked of it was false throughout");
        }
        if self.feed.skipped() > 0 && !self.arguments.quiet {
            tell(&format!("warning: {} skipped", text::counted(self.feed.skipped() as usize, "bad line")));
        }
        let violated = self.feed.monitor().end().contains(&Verdict::Violated);
        Ok(if violated { Outcome::Violated } else { Outcome::Holds })
    }
}

/// Prints what happens.
struct Watch<'a, W> {
    arguments: &'a MonitorArguments,
    out: &'a mut W,
}

impl<W: Write> Watch<'_, W> {
    fn see(&mut self, monitor: &Monitor, event: Event<'_>) -> Result<(), Stop> {
        match event {
            Event::State { .. } if self.arguments.every_step => {
                monitor.properties().try_for_each(|property| self.print(monitor, &property))?;
            }
            Event::State { changed } => {
                changed.iter().try_for_each(|&id| self.print(monitor, &monitor.property(id)))?;
            }
            Event::Unseen(unseen) => self.unseen(unseen)?,
            Event::BadLine(bad_line) => self.bad_line(bad_line)?,
        }
        Ok(())
    }

    fn print(&mut self, monitor: &Monitor, property: &Followed<'_>) -> io::Result<()> {
        let position = monitor.position() - 1;
        match self.arguments.format {
            OutputFormat::Json => json::monitor_line(self.out, position, property),
            OutputFormat::Text => text::monitor_line(self.out, position, property),
        }
    }

    fn unseen(&mut self, unseen: &[Unseen]) -> io::Result<()> {
        if !self.arguments.quiet {
            self.out.flush()?;
            warn_of(unseen, "has not been seen: until it is, it is missing, and what is asked of it is false");
        }
        Ok(())
    }

    fn bad_line(&mut self, bad_line: &BadLine) -> Result<(), Stop> {
        let BadLine { line, message, hint } = bad_line;
        // What was printed before it comes before it.
        self.out.flush()?;
        match self.arguments.on_bad_input {
            BadInput::Stop => {
                let hint = hint.as_ref().map(|hint| format!("\n  help: {hint}")).unwrap_or_default();
                tell(&format!("error: {INPUT}:{line}: {message}{hint}"));
                Err(Stop::BadLine)
            }
            BadInput::Skip => {
                if !self.arguments.quiet {
                    tell(&format!("warning: {INPUT}:{line}: {message}; the line is skipped"));
                }
                Ok(())
            }
        }
    }
}
