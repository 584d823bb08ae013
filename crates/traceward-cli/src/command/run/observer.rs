//! A monitor that watches a program, and tells what it sees.

use crate::arguments::OutputFormat;
use crate::command::monitor::{Cost, Ending};
use crate::failure::{Failure, Outcome, given_up, tell};
use crate::{input, json, text};
use traceward::input::Unseen;
use traceward::message::Shown;
use traceward::{Error, Event, Feed, Known, Monitor, PropertyId, Verdict};
use traceward_wire::{EndOfTrace, VerdictEvent};

/// The name of the input in messages.
const PROGRAM: &str = "the program";

/// A monitor that watches a program.
pub struct Observer {
    feed: Feed,
    format: OutputFormat,
    quiet: bool,
    /// The process, if it is not the first.
    who: Option<String>,
}

/// What a program is answered that waits.
pub enum Reply {
    /// It does not wait.
    Silence,
    /// It may go on.
    Ok,
    /// It is to stop, because of this property.
    Stop(String),
    /// All is said.
    Done,
}

impl Observer {
    pub fn new(monitor: Monitor, format: OutputFormat, quiet: bool, who: Option<String>) -> Result<Self, Failure> {
        let feed = traceward_server::feed(monitor).map_err(unanswerable)?;
        Ok(Self { feed, format, quiet, who })
    }

    /// Takes whole lines, and tells of verdicts that are final now.
    pub fn take(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let Self { feed, format, quiet, who } = self;
        let watch = Watch { format: *format, quiet: *quiet, who: who.as_deref() };
        feed.push(bytes, &mut |monitor, event| watch.see(monitor, event)).map_err(unanswerable)
    }

    /// Takes a line, and says what the program is to do.
    pub fn answer(&mut self, line: &[u8]) -> Result<Reply, Failure> {
        self.take(line)?;
        let word = line.split(|byte| byte.is_ascii_whitespace()).next().unwrap_or_default();
        Ok(match word {
            b"init" | b"next" => self.violated().map_or(Reply::Ok, Reply::Stop),
            b"end" => Reply::Done,
            _ => Reply::Silence,
        })
    }

    /// The first property that is violated for good.
    fn violated(&self) -> Option<String> {
        let mut properties = self.feed.monitor().properties();
        properties.find(|one| one.verdict == Verdict::Violated).map(|one| one.name.to_owned())
    }

    /// Judges the trace, and tells all that is known.
    pub fn end(mut self, ending: Ending) -> Result<Outcome, Failure> {
        let watch = Watch { format: self.format, quiet: self.quiet, who: self.who.as_deref() };
        self.feed.finish(&mut |monitor, event| watch.see(monitor, event)).map_err(unanswerable)?;
        if ending == Ending::Complete && !self.quiet {
            for note in self.feed.notes().iter().filter(|note| note.is_warning()) {
                tell(&format!("warning: {}{note}", self.prefix()));
            }
        }
        let verdicts = ending.verdicts(self.feed.monitor());
        let is_violated = verdicts.contains(&Verdict::Violated);
        if !self.quiet || is_violated {
            self.tell_end(ending, &verdicts)?;
        }
        let outcome = if is_violated { Outcome::Violated } else { Outcome::Holds };
        Ok(outcome.max(self.shortcomings(ending)))
    }

    fn prefix(&self) -> String {
        self.who.as_ref().map(|who| format!("{who}: ")).unwrap_or_default()
    }

    fn tell_end(&self, ending: Ending, verdicts: &[Verdict]) -> Result<(), Failure> {
        match self.format {
            OutputFormat::Json => {
                let end = EndOfTrace::new(&self.feed, ending.extent(), verdicts, &given_up, false);
                tell(&json::line(&end));
            }
            OutputFormat::Text => {
                let mut lines = Vec::new();
                text::monitor_end(&mut lines, &self.feed, ending, Cost::Untold)?;
                tell(&format!("{}{}", self.prefix(), String::from_utf8_lossy(&lines).trim_end()));
            }
        }
        Ok(())
    }

    /// What keeps the verdicts from being an answer.
    fn shortcomings(&self, ending: Ending) -> Outcome {
        let monitor = self.feed.monitor();
        let is_lost = monitor.properties().any(|one| one.gave_up.is_some())
            || monitor.property_ids().any(|id| monitor.doubt(id).is_some())
            // Of a program that was stopped nobody expects them.
            || (ending == Ending::Complete
                && monitor.queries_at_end().any(|query| !matches!(query.known, Known::Value { .. })));
        let mut outcome = if is_lost || self.feed.skipped() > 0 { Outcome::Unanswered } else { Outcome::Holds };
        if monitor.position() == 0 {
            Failure::new("the program told no state: there is no trace to judge").report();
            return Outcome::Unanswered;
        }
        let unseen = self.feed.unseen();
        if !unseen.is_empty() && ending == Ending::Complete {
            for Unseen { name, .. } in &unseen {
                let name = Shown(name);
                tell(&format!("error: `{name}` was never told: what is asked of it was false throughout"));
            }
            outcome = Outcome::Unanswered;
        }
        if !self.quiet {
            let warnings = monitor.warnings();
            let urgent = warnings.iter().filter(|warning| warning.is_urgent);
            urgent.for_each(|warning| tell(&text::warning(std::path::Path::new(PROGRAM), warning)));
        }
        outcome
    }
}

fn unanswerable(error: Error) -> Failure {
    Failure::of(&error, PROGRAM, input::live_style())
}

/// Tells what happens.
struct Watch<'a> {
    format: OutputFormat,
    quiet: bool,
    who: Option<&'a str>,
}

impl Watch<'_> {
    fn see(&self, monitor: &Monitor, event: Event<'_>) -> Result<(), Error> {
        match event {
            Event::State { changed } => changed.iter().for_each(|&id| self.verdict(monitor, id)),
            Event::BadLine(error) => {
                tell(&format!("error: {PROGRAM}: {}; the line is skipped", Shown(&error.message())));
            }
            // What was never told is told at the end.
            _ => {}
        }
        Ok(())
    }

    /// Tells a verdict that the last state has made final.
    fn verdict(&self, monitor: &Monitor, id: PropertyId) {
        let property = monitor.property(id);
        if let Some(gave_up) = property.gave_up {
            return tell(&format!("error: `{}`: {}", Shown(property.name), given_up(gave_up)));
        }
        let position = monitor.position() - 1;
        let is_told = property.verdict == Verdict::Violated || (property.verdict.is_final() && !self.quiet);
        let Some(state) = property.decided_by.filter(|_| is_told) else { return };
        let line = match self.format {
            OutputFormat::Json => {
                let event = VerdictEvent::new(position, property.name, property.verdict).decided_by(state);
                json::line(&event)
            }
            OutputFormat::Text => text::observed_line(property.name, property.verdict, state),
        };
        let who = self.who.map(|who| format!("{who}: ")).unwrap_or_default();
        tell(&format!("{who}{}", line.trim_end()));
    }
}
