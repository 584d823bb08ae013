//! What a monitor says, of standard input or of a client.

use super::progress::{Progress, VERDICTS, place};
use crate::arguments::{BadInput, Every, MonitorArguments, OutputFormat, Told};
use crate::failure::{Failure, Outcome, given_up, tell};
use crate::live::Interrupt;
use crate::output::SharedOutput;
use crate::{input, json, text};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use traceward::input::{Note, TraceError, Unseen};
use traceward::message::Shown;
use traceward::{Error, Event, Feed, Followed, Known, MeasuredQuery, Monitor, PropertyId, Verdict};
use traceward_wire::{EndOfTrace, Extent, RunningQuery, ValueEvent, VerdictEvent};

/// The way in which a trace came to its end.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The input ended, or somebody ended it.
    Complete,
    /// Something went wrong: the trace would have gone on.
    CutShort,
    /// Every verdict is final, and nobody asked for more: the trace may go on.
    Decided,
    /// A property is violated, and nobody asked for more: the trace may go on.
    Violated,
}

impl Ending {
    /// Whether the trace has ended too.
    pub fn of_trace(self) -> traceward::Ending {
        match self {
            Self::Complete => traceward::Ending::Ended,
            Self::CutShort | Self::Decided | Self::Violated => traceward::Ending::Open,
        }
    }

    /// The verdict on each property at the end.
    pub fn verdicts(self, monitor: &Monitor) -> Vec<Verdict> {
        match self {
            Self::Complete => monitor.end(),
            Self::CutShort | Self::Decided | Self::Violated => monitor.verdicts(),
        }
    }

    /// How much of the trace was seen, for programs.
    pub fn extent(self) -> Extent {
        match self {
            Self::Complete => Extent::Complete,
            Self::CutShort => Extent::CutShort,
            Self::Decided => Extent::Decided,
            Self::Violated => Extent::Violated,
        }
    }
}

/// The reason to stop, if what is known of a trace that goes on is enough.
fn enough(arguments: &MonitorArguments, monitor: &Monitor) -> Option<Ending> {
    let is_violated = || monitor.verdicts().contains(&Verdict::Violated);
    // Nothing more will be known of a property that was given up on.
    let is_known = |query: MeasuredQuery<'_>| !matches!(query.known, Known::Value { settled: Some(_), .. });
    let is_decided = || {
        monitor.properties().all(|one| one.gave_up.is_some() || one.verdict.is_final())
            && monitor.queries().all(is_known)
    };
    if arguments.stop_on_violation && is_violated() {
        return Some(Ending::Violated);
    }
    (arguments.stop_when_decided && is_decided()).then_some(Ending::Decided)
}

/// Who has gone when a monitor ends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Going {
    /// Nobody: the trace is over.
    Over,
    /// The client, before it had ended its trace.
    Gone,
    /// The monitor, and the trace may go on.
    Left,
}

/// The choice whether the cost of following is told.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Cost {
    Told,
    Untold,
}

/// The reason why a monitor ends before its input does.
pub enum EarlyEnd {
    /// The question cannot be answered any more.
    Failed(Error),
    /// Something went wrong that has been told: a bad line that is not to be skipped.
    Told,
    /// A signal asks for the end.
    Interrupted,
    /// What is known is enough.
    Enough(Ending),
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

/// Says what happens to a trace, and what it comes to.
pub struct Teller {
    arguments: Arc<MonitorArguments>,
    told: Told,
    source: TraceSource,
    wording: Wording,
    interrupt: Interrupt,
    progress: Arc<Progress>,
    /// Scratch for lines on their way to the output.
    lines: Vec<u8>,
    /// When values were told last.
    told_values: Instant,
    /// Documents of what was said since they were last taken, if somebody wants them.
    copies: Option<Vec<String>>,
    out: SharedOutput,
}

/// Where a trace comes from.
#[derive(Clone)]
pub enum TraceSource {
    StandardInput,
    /// A client of this name.
    Client(String),
}

impl TraceSource {
    /// The name in messages, with nothing in it that a terminal would obey.
    fn name(&self) -> String {
        match self {
            Self::StandardInput => INPUT.to_owned(),
            Self::Client(name) => Shown(name).to_string(),
        }
    }

    /// The client's name, if there is a client.
    pub fn client(&self) -> Option<&str> {
        match self {
            Self::StandardInput => None,
            Self::Client(name) => Some(name),
        }
    }
}

/// The name of standard input in messages.
pub const INPUT: &str = "-";

/// What somebody else needs to know of a [`Teller`].
pub struct Shared {
    pub arguments: Arc<MonitorArguments>,
    pub interrupt: Interrupt,
    pub out: SharedOutput,
}

impl Teller {
    /// Nothing has been said.
    pub fn new(shared: &Shared, source: TraceSource, monitor: &Monitor) -> Self {
        let Shared { arguments, interrupt, out } = shared;
        Self {
            told: arguments.told(),
            wording: Wording::new(arguments.format, monitor, source.client()),
            progress: Arc::new(Progress::new(arguments, monitor, &source)),
            arguments: arguments.clone(),
            interrupt: interrupt.clone(),
            source,
            lines: Vec::new(),
            told_values: Instant::now(),
            copies: None,
            out: out.clone(),
        }
    }

    /// What has been found out, for whoever has to end the program.
    pub fn progress(&self) -> &Arc<Progress> {
        &self.progress
    }

    /// Keeps documents of what is said from now on.
    pub fn keep_copies(&mut self) {
        self.copies.get_or_insert_default();
    }

    /// The documents of what was said since they were last taken.
    pub fn take_copies(&mut self) -> Vec<String> {
        self.copies.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Lets everybody see what has been said.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// The reason why a question about the trace cannot be answered.
    pub fn unanswerable(&self, error: &Error) -> Failure {
        unanswerable(error, &self.source.name())
    }

    /// What is wrong with the trace as a whole.
    pub fn failure(&self, message: impl std::fmt::Display) -> Failure {
        Failure::new(format!("{}: {message}", self.source.name()))
    }

    /// Tells why the monitor ends early, if it does.
    pub fn tell_why(&mut self, result: Result<(), EarlyEnd>) -> Result<Outcome, Failure> {
        match result {
            Ok(()) | Err(EarlyEnd::Interrupted | EarlyEnd::Enough(_)) => Ok(Outcome::Holds),
            Err(EarlyEnd::Output(error)) => Err(error.into()),
            Err(EarlyEnd::Told) => Ok(Outcome::Unanswered),
            Err(EarlyEnd::Failed(error)) => {
                self.out.flush()?;
                self.unanswerable(&error).report();
                Ok(Outcome::Unanswered)
            }
        }
    }

    /// Says how the trace ended; returns what that means for the exit status, and a document about
    /// it unless somebody else has said it.
    pub fn conclude(
        &mut self,
        feed: &Feed,
        outcome: Outcome,
        ending: Ending,
        going: Going,
    ) -> Result<(Outcome, Option<String>), Failure> {
        self.tell_notes(feed, going);
        let outcome = outcome.max(self.emptiness(feed, outcome));
        let ending = if outcome == Outcome::Unanswered { Ending::CutShort } else { ending };
        let (verdicts, document) = self.end(feed, ending, going)?;
        Ok((verdicts.max(outcome), document))
    }

    /// Tells what may be wrong with the input as a whole.
    fn tell_notes(&self, feed: &Feed, going: Going) {
        // Who did not read on has not come to the end of the input.
        let has_ended = |note: &Note| going != Going::Left || !matches!(note, Note::NoEnd { .. });
        let is_wanted = |note: &Note| !self.arguments.quiet || self.arguments.trace.leaves_unanswered(note);
        let is_told = |note: &Note| is_wanted(note) && note.is_warning() && has_ended(note);
        for note in feed.notes().iter().filter(|note| is_told(note)) {
            tell(&input::note(&format!("{}: ", self.source.name()), note));
        }
    }

    /// What it means that there was no state: bad lines are no trace that could be judged, and no
    /// line at all is one that hardly anybody meant.
    fn emptiness(&self, feed: &Feed, outcome: Outcome) -> Outcome {
        let was_asked = self.arguments.allow_empty && feed.skipped() == 0;
        if feed.monitor().position() > 0 || was_asked {
            return Outcome::Holds;
        }
        if outcome == Outcome::Holds && feed.skipped() == 0 {
            input::empty(&self.source.name(), &[]).report();
        }
        if let Some(error) = feed.unknown_time() {
            self.unanswerable(&Error::Trace(error)).report();
        }
        Outcome::Unanswered
    }

    /// The verdicts at the end, and what they mean for the exit status.
    fn end(&mut self, feed: &Feed, ending: Ending, going: Going) -> Result<(Outcome, Option<String>), Failure> {
        let monitor = feed.monitor();
        let verdicts = ending.verdicts(monitor);
        // What is in doubt is not violated: there is no answer, which is told below.
        let is_violated = |(id, one): (PropertyId, &Verdict)| *one == Verdict::Violated && monitor.doubt(id).is_none();
        let violated = monitor.property_ids().zip(&verdicts).any(is_violated);
        let outcome = if violated { Outcome::Violated } else { Outcome::Holds };
        // Whoever has to end the program because this takes too long must not say it again.
        if !self.progress.claim_end() {
            return Ok((outcome, None));
        }
        let cost = if self.arguments.engine_statistics { Cost::Told } else { Cost::Untold };
        let end = EndOfTrace::new(feed, ending.extent(), &verdicts, &given_up, cost == Cost::Told);
        let client = self.source.client().map(str::to_owned);
        let document = json::line(&EndOfTrace { client, gone: going == Going::Gone, ..end });
        match self.arguments.format {
            OutputFormat::Json => writeln!(self.lines, "{document}")?,
            OutputFormat::Text => {
                write_client(&mut self.lines, &self.source)?;
                text::monitor_end(&mut self.lines, feed, ending, cost)?;
            }
        }
        self.out.write_all(&self.lines)?;
        self.lines.clear();
        self.out.flush()?;
        Ok((self.shortcomings(feed, ending).max(outcome), Some(document)))
    }

    /// What else keeps the verdicts from being an answer.
    fn shortcomings(&self, feed: &Feed, ending: Ending) -> Outcome {
        let is_lost = |query: MeasuredQuery<'_>| !matches!(query.known, Known::Value { .. });
        let monitor = feed.monitor();
        let gave_up = monitor.properties().any(|property| property.gave_up.is_some())
            || monitor.property_ids().any(|id| monitor.doubt(id).is_some())
            || feed.monitor().queries_at_end().any(is_lost);
        let mut outcome = if gave_up { Outcome::Unanswered } else { Outcome::Holds };
        if !self.arguments.quiet {
            let warnings = feed.monitor().warnings();
            let urgent = warnings.iter().filter(|warning| warning.is_urgent);
            urgent.for_each(|warning| tell(&text::warning(Path::new(&self.source.name()), warning)));
        }
        let unseen = if feed.monitor().position() > 0 { feed.unseen() } else { Vec::new() };
        // Verdicts that are final already may be so because of what was not seen.
        if !unseen.is_empty() && matches!(ending, Ending::Complete | Ending::Decided) {
            self.tell_of(&unseen, "error", "was never seen: what is asked of it was false throughout");
            outcome = Outcome::Unanswered;
        }
        if feed.skipped() > 0 && self.arguments.on_bad_input.is_none() {
            outcome = Outcome::Unanswered;
        }
        if feed.notes().iter().any(|note| self.arguments.trace.leaves_unanswered(note)) {
            outcome = Outcome::Unanswered;
        }
        if feed.skipped() > 0 && !self.arguments.quiet {
            tell(&format!("warning: {}{} skipped", self.prefix(), text::counted(feed.skipped() as usize, "bad line")));
        }
        outcome
    }

    /// Says what has happened.
    pub fn see(&mut self, monitor: &Monitor, event: Event<'_>) -> Result<(), EarlyEnd> {
        match event {
            Event::State { changed } => {
                self.state(monitor, changed)?;
                // A bad line is not asked behind: it is counted only once it has been told.
                if self.interrupt.is_asked() {
                    return Err(EarlyEnd::Interrupted);
                }
                // Without news it is as it was; a verdict may be final before there is a state.
                // The values of queries may have become final with any state.
                if !changed.is_empty() || monitor.position() == 1 || monitor.has_queries() {
                    enough(&self.arguments, monitor).map_or(Ok(()), |ending| Err(EarlyEnd::Enough(ending)))?;
                }
            }
            Event::Clock { changed } => {
                self.clock(monitor, changed)?;
                enough(&self.arguments, monitor).map_or(Ok(()), |ending| Err(EarlyEnd::Enough(ending)))?;
            }
            Event::Unseen(unseen) => self.unseen(unseen)?,
            Event::BadLine(error) => self.bad_line(error)?,
            // What a later version of the library has to tell.
            _ => {}
        }
        Ok(())
    }

    /// Says what the clock has brought.
    fn clock(&mut self, monitor: &Monitor, changed: &[PropertyId]) -> io::Result<()> {
        self.progress.state(monitor, changed);
        self.changes(monitor, changed)?;
        self.write_lines()?;
        self.out.flush()
    }

    fn state(&mut self, monitor: &Monitor, changed: &[PropertyId]) -> io::Result<()> {
        self.progress.state(monitor, changed);
        if self.told == Told::EveryStep {
            let mut followed = monitor.property_ids().filter(|&id| monitor.property(id).gave_up.is_none());
            followed.try_for_each(|id| self.verdict(monitor, id))?;
            let given_up = changed.iter().filter(|id| monitor.property(**id).gave_up.is_some());
            given_up.copied().try_for_each(|id| self.given_up(monitor, id))?;
        } else {
            self.changes(monitor, changed)?;
        }
        self.write_lines()?;
        if self.values_are_due(monitor) { self.values(monitor) } else { Ok(()) }
    }

    /// Words the verdicts that have changed.
    fn changes(&mut self, monitor: &Monitor, changed: &[PropertyId]) -> io::Result<()> {
        for &id in changed {
            let property = monitor.property(id);
            match property.gave_up {
                Some(_) => self.given_up(monitor, id)?,
                None if self.told == Told::Final && !property.verdict.is_final() => {}
                None => self.verdict(monitor, id)?,
            }
        }
        Ok(())
    }

    /// Writes the lines that have been worded.
    fn write_lines(&mut self) -> io::Result<()> {
        if !self.lines.is_empty() {
            self.out.write_all(&self.lines)?;
            self.lines.clear();
        }
        Ok(())
    }

    /// Whether it is time to tell the values of queries.
    fn values_are_due(&self, monitor: &Monitor) -> bool {
        match self.arguments.every {
            None => false,
            Some(Every::States(states)) => monitor.position().is_multiple_of(states),
            Some(Every::Time(time)) => self.told_values.elapsed() >= time,
        }
    }

    /// Writes the values of queries so far.
    pub fn values(&mut self, monitor: &Monitor) -> io::Result<()> {
        self.told_values = Instant::now();
        let position = monitor.position().saturating_sub(1);
        for query in monitor.queries() {
            let document = || {
                let (client, known) = (self.source.client().map(str::to_owned), RunningQuery::new(&query, &given_up));
                json::line(&ValueEvent { position, client, key: None, trace: None, known, ended: None })
            };
            if let Some(copies) = &mut self.copies {
                copies.push(document());
            }
            match self.arguments.format {
                OutputFormat::Json => writeln!(self.lines, "{}", document())?,
                OutputFormat::Text => {
                    write_client(&mut self.lines, &self.source)?;
                    self.lines.write_all(text::value_line(position, &query).as_bytes())?;
                }
            }
        }
        self.out.write_all(&self.lines)?;
        self.lines.clear();
        Ok(())
    }

    /// Writes the verdict on a property after the last state; with that state, if it has made the
    /// verdict final.
    fn verdict(&mut self, monitor: &Monitor, id: PropertyId) -> io::Result<()> {
        let (position, property) = (monitor.position() - 1, monitor.property(id));
        let state = property.decided_by.filter(|_| property.decided_at == Some(position));
        let document = |source: &TraceSource| {
            let event = VerdictEvent::new(position, property.name, property.verdict);
            let event = VerdictEvent { client: source.client().map(str::to_owned), ..event };
            json::line(&match state {
                Some(state) => event.decided_by(state).brought_by(property.decided_time, property.missed),
                None => event,
            })
        };
        if let Some(copies) = &mut self.copies {
            copies.push(document(&self.source));
        }
        match (state, self.arguments.format) {
            (None, _) => self.wording.write(&mut self.lines, position, id.index(), property.verdict),
            (Some(_), OutputFormat::Json) => writeln!(self.lines, "{}", document(&self.source)),
            (Some(state), OutputFormat::Text) => {
                write_client(&mut self.lines, &self.source)?;
                let Followed { name, verdict, decided_time: time, missed, .. } = property;
                let line = text::decision_line(position, &text::Decided { name, verdict, state, time, missed });
                self.lines.write_all(line.as_bytes())
            }
        }
    }

    /// Writes that a property was given up on in the last state.
    fn given_up(&mut self, monitor: &Monitor, id: PropertyId) -> io::Result<()> {
        let (position, property) = (monitor.position() - 1, monitor.property(id));
        let Some(gave_up) = property.gave_up else { return Ok(()) };
        let client = self.source.client().map(str::to_owned);
        let document = json::line(&VerdictEvent { client, ..VerdictEvent::unknown(position, property.name) });
        match self.arguments.format {
            OutputFormat::Json => writeln!(self.lines, "{document}")?,
            OutputFormat::Text => {
                write_client(&mut self.lines, &self.source)?;
                self.lines.write_all(text::unknown_line(position, property.name).as_bytes())?;
            }
        }
        if let Some(copies) = &mut self.copies {
            copies.push(document);
        }
        self.out.write_all(&self.lines)?;
        self.lines.clear();
        self.out.flush()?;
        tell(&format!("error: {}`{}`: {}", self.prefix(), Shown(property.name), given_up(gave_up)));
        Ok(())
    }

    fn unseen(&mut self, unseen: &[Unseen]) -> io::Result<()> {
        if !self.arguments.quiet {
            self.out.flush()?;
            self.tell_of(
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
            self.unanswerable(&Error::Trace(error.clone())).report();
            return Err(EarlyEnd::Told);
        }
        let count = self.progress.bad_line();
        if !self.arguments.quiet {
            tell_of_bad_line(&self.source.name(), error, count);
        }
        Ok(())
    }

    /// What stands before a message about the trace, if it is not the only one.
    fn prefix(&self) -> String {
        self.source.client().map(|name| format!("{}: ", Shown(name))).unwrap_or_default()
    }

    fn tell_of(&self, unseen: &[Unseen], severity: &str, what: &str) {
        for Unseen { name, hint } in unseen {
            let hint = hint.as_ref().map(|hint| format!("\n  help: {}", Shown(hint))).unwrap_or_default();
            tell(&format!("{severity}: {}`{}` {what}{hint}", self.prefix(), Shown(name)));
        }
    }
}

/// The number of bad lines that are told one by one.
const BAD_LINES_TOLD: u64 = 16;

/// Tells of a bad line, if so many before it leave it worth telling. A column that is misspelt or
/// an input that is no trace has nothing but bad lines, so that each time they have doubled has to
/// do.
pub fn tell_of_bad_line(source: &str, error: &TraceError, count: u64) {
    let consequence = match count {
        ..BAD_LINES_TOLD => "the line is skipped".to_owned(),
        BAD_LINES_TOLD => "the line is skipped, and of further ones only some are told".to_owned(),
        _ if count.is_power_of_two() => format!("{count} lines are skipped by now"),
        _ => return,
    };
    tell(&format!("warning: {source}:{}: {}; {consequence}", error.line().unwrap_or(0), error.message()));
}

/// The reason why a question about a trace cannot be answered.
pub fn unanswerable(error: &Error, trace: &str) -> Failure {
    Failure::of(error, trace, input::live_style())
}

/// Writes the name of a client before a line for people.
pub fn write_client(out: &mut impl Write, source: &TraceSource) -> io::Result<()> {
    source.client().map_or(Ok(()), |name| write!(out, "{}: ", Shown(name)))
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
    fn new(format: OutputFormat, monitor: &Monitor, client: Option<&str>) -> Self {
        let line = |name: &str, verdict| match format {
            OutputFormat::Json => json::monitor_line(name, verdict, client),
            OutputFormat::Text => text::monitor_line(name, verdict, client),
        };
        let width = match format {
            OutputFormat::Json => 0,
            OutputFormat::Text => text::POSITION_WIDTH,
        };
        let (head, _) = line("", Verdict::Satisfied);
        let tails = monitor.properties().map(|property| VERDICTS.map(|one| line(property.name, one).1.into_bytes()));
        Self { head: head.into_bytes(), width, tails: tails.collect() }
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
        out.write_all(&self.tails[property][place(verdict)])
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
