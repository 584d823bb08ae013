//! `traceward monitor`

mod progress;

use crate::arguments::{BadInput, Every, MonitorArguments, OutputFormat, Told};
use crate::failure::{Failure, Outcome, given_up, tell};
use crate::live::{Interrupt, Live, News};
use crate::output::{self, SharedOutput};
use crate::{input, json, text};
use progress::{Progress, VERDICTS, place};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use traceward::engine::{Config, Precision};
use traceward::input::{Format, Note, TraceError, Unseen};
use traceward::message::Shown;
use traceward::{Error, Event, Feed, Goal, Known, MeasuredQuery, Monitor, PropertyId, RunQuestions, Spec, Verdict};
use traceward_wire::{EndOfTrace, Extent, RunningQuery, ValueEvent, VerdictEvent};

/// The name of the input in messages.
const INPUT: &str = "-";

pub fn run(arguments: &MonitorArguments) -> Result<Outcome, Failure> {
    let spec = spec(arguments)?;
    if !arguments.quiet {
        spec.warnings(input::style()).iter().for_each(|warning| tell(warning));
    }
    let questions = RunQuestions { coverage: arguments.coverage, waiting: arguments.waiting };
    let precision = arguments.precision.precision(Some(Precision::BEYOND));
    let config = Config { precision, ..arguments.engine.config() };
    let options = input::read_options(Path::new(INPUT), &arguments.trace);
    // Events bring timestamps that nobody has to name.
    let monitor = match options.format.is_none_or(|format| format == Format::EVENTS) {
        true => Monitor::for_input(&spec, config, questions),
        false => Monitor::with_questions(&spec, config, questions),
    };
    let monitor = monitor.map_err(unanswerable)?;
    let feed = Feed::with_options(monitor, &options).map_err(unanswerable)?;
    let out = SharedOutput::new(output::standard(arguments.content()));
    let progress = Arc::new(Progress::new(arguments, feed.monitor()));
    let wording = Wording::new(arguments.format, feed.monitor());
    Session {
        arguments,
        feed,
        wording,
        interrupt: Interrupt::default(),
        progress,
        lines: Vec::new(),
        told_values: Instant::now(),
        out,
    }
    .run()
}

fn spec(arguments: &MonitorArguments) -> Result<Spec, Failure> {
    if arguments.spec.expressions.is_empty() && arguments.paths.is_empty() {
        return Err(Failure::new("nothing to monitor").help("give a formula with -e, or a spec file"));
    }
    let settings = input::settings(&arguments.trace);
    let (spec, traces) = input::spec_and_traces(&arguments.spec, &arguments.paths, settings, Goal::Check)?;
    match traces.iter().find(|path| path.as_os_str() != INPUT) {
        Some(path) => {
            let path = input::name(path);
            let help = format!("traceward monitor … < {path}, or traceward check for a trace that has ended");
            Err(Failure::new(format!("{path}: a monitor reads standard input")).help(help))
        }
        None => Ok(spec),
    }
}

fn unanswerable(error: Error) -> Failure {
    Failure::of(&error, INPUT, input::live_style())
}

/// Tells of variables that nothing has spoken of.
pub fn describe_unseen(unseen: &[Unseen], severity: &str, what: &str) {
    for Unseen { name, hint } in unseen {
        let hint = hint.as_ref().map(|hint| format!("\n  help: {}", Shown(hint))).unwrap_or_default();
        tell(&format!("{severity}: `{}` {what}{hint}", Shown(name)));
    }
}

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

/// The choice whether the cost of following is told.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Cost {
    Told,
    Untold,
}

/// A monitor at work.
struct Session<'a> {
    arguments: &'a MonitorArguments,
    feed: Feed,
    wording: Wording,
    interrupt: Interrupt,
    progress: Arc<Progress>,
    /// Scratch for lines on their way to the output.
    lines: Vec<u8>,
    /// When values were told last.
    told_values: Instant,
    out: SharedOutput,
}

/// The reason why a monitor ends before its input does.
enum EarlyEnd {
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

impl Session<'_> {
    fn run(mut self) -> Result<Outcome, Failure> {
        let (progress, out) = (self.progress.clone(), self.out.clone());
        let mut live = Live::standard_input(&self.interrupt, move || progress.end(out))
            .map_err(|error| Failure::new(format!("{INPUT}: {}", input::reason(&error))))?;
        loop {
            // Whatever was found out is told before anybody waits for more.
            let news = live.next(|| self.out.flush())?;
            let is_last = !matches!(news, News::Bytes(_) | News::Asked);
            let result = self.take(news, &live);
            let enough = match &result {
                // Where the input has ended nothing was left unread.
                Err(EarlyEnd::Enough(ending)) if !is_last => Some(*ending),
                _ => None,
            };
            let outcome = self.tell_why(result)?;
            if is_last || outcome == Outcome::Unanswered || enough.is_some() || self.interrupt.is_asked() {
                return self.conclude(outcome, enough.unwrap_or(Ending::Complete));
            }
        }
    }

    fn take(&mut self, news: News, live: &Live) -> Result<(), EarlyEnd> {
        match news {
            News::Bytes(piece) => {
                let result = self.push(piece.bytes());
                live.give_back(piece);
                result
            }
            News::Asked => {
                let (mut watch, feed) = self.watch();
                watch.values(feed.monitor())?;
                watch.out.flush()?;
                Ok(())
            }
            News::End => self.finish(),
            // A line that has only half arrived is no bad one.
            News::Interrupted => Ok(()),
            News::Failed(error) => {
                tell(&format!("error: {INPUT}: cannot be read: {}", input::reason(&error)));
                self.finish()?;
                Err(EarlyEnd::Told)
            }
        }
    }

    /// Tells why the monitor ends early, if it does.
    fn tell_why(&mut self, result: Result<(), EarlyEnd>) -> Result<Outcome, Failure> {
        match result {
            Ok(()) | Err(EarlyEnd::Interrupted | EarlyEnd::Enough(_)) => Ok(Outcome::Holds),
            Err(EarlyEnd::Output(error)) => Err(error.into()),
            Err(EarlyEnd::Told) => Ok(Outcome::Unanswered),
            Err(EarlyEnd::Failed(error)) => {
                self.out.flush()?;
                unanswerable(error).report();
                Ok(Outcome::Unanswered)
            }
        }
    }

    fn conclude(self, outcome: Outcome, ending: Ending) -> Result<Outcome, Failure> {
        self.tell_notes(outcome);
        let outcome = outcome.max(self.emptiness(outcome));
        let ending = if outcome == Outcome::Unanswered { Ending::CutShort } else { ending };
        self.end(ending).map(|verdicts| verdicts.max(outcome))
    }

    /// Tells what may be wrong with the input as a whole.
    fn tell_notes(&self, outcome: Outcome) {
        // Who could not read on has not come to the end of the input.
        let has_ended = |note: &Note| outcome != Outcome::Unanswered || !matches!(note, Note::NoEnd { .. });
        let is_told = |note: &Note| !self.arguments.quiet && note.is_warning() && has_ended(note);
        for note in self.feed.notes().iter().filter(|note| is_told(note)) {
            tell(&input::note(&format!("{INPUT}: "), note));
        }
    }

    fn push(&mut self, bytes: &[u8]) -> Result<(), EarlyEnd> {
        let (mut watch, feed) = self.watch();
        feed.push(bytes, &mut |monitor, event| watch.see(monitor, event))
    }

    fn finish(&mut self) -> Result<(), EarlyEnd> {
        let (mut watch, feed) = self.watch();
        feed.finish(&mut |monitor, event| watch.see(monitor, event))
    }

    /// The feed, and who watches it.
    fn watch(&mut self) -> (Watch<'_>, &mut Feed) {
        let Self { arguments, feed, wording, interrupt, progress, lines, told_values, out } = self;
        (Watch { arguments, told: arguments.told(), wording, interrupt, progress, lines, told_values, out }, feed)
    }

    /// What it means that there was no state: bad lines are no trace that could be judged, and no
    /// line at all is one that hardly anybody meant.
    fn emptiness(&self, outcome: Outcome) -> Outcome {
        let was_asked = self.arguments.allow_empty && self.feed.skipped() == 0;
        if self.feed.monitor().position() > 0 || was_asked {
            return Outcome::Holds;
        }
        if outcome == Outcome::Holds && self.feed.skipped() == 0 {
            input::empty(INPUT, &[]).report();
        }
        Outcome::Unanswered
    }

    /// The verdicts at the end, and what they mean for the exit status.
    fn end(mut self, ending: Ending) -> Result<Outcome, Failure> {
        let monitor = self.feed.monitor();
        let verdicts = monitor.property_ids().zip(ending.verdicts(monitor));
        // What is in doubt is not violated: there is no answer, which is told below.
        let violated = verdicts.into_iter().any(|(id, one)| one == Verdict::Violated && monitor.doubt(id).is_none());
        let verdicts = if violated { Outcome::Violated } else { Outcome::Holds };
        // Whoever has to end the program because this takes too long must not say it again.
        if !self.progress.claim_end() {
            return Ok(verdicts);
        }
        let cost = if self.arguments.engine_statistics { Cost::Told } else { Cost::Untold };
        match self.arguments.format {
            OutputFormat::Json => {
                let verdicts = ending.verdicts(self.feed.monitor());
                let end = EndOfTrace::new(&self.feed, ending.extent(), &verdicts, &given_up, cost == Cost::Told);
                writeln!(self.out, "{}", json::line(&end))?;
            }
            OutputFormat::Text => text::monitor_end(&mut self.out, &self.feed, ending, cost)?,
        }
        self.out.flush()?;
        Ok(self.shortcomings(ending).max(verdicts))
    }

    /// What else keeps the verdicts from being an answer.
    fn shortcomings(&self, ending: Ending) -> Outcome {
        let is_lost = |query: MeasuredQuery<'_>| !matches!(query.known, Known::Value { .. });
        let monitor = self.feed.monitor();
        let gave_up = monitor.properties().any(|property| property.gave_up.is_some())
            || monitor.property_ids().any(|id| monitor.doubt(id).is_some())
            || self.feed.monitor().queries_at_end().any(is_lost);
        let mut outcome = if gave_up { Outcome::Unanswered } else { Outcome::Holds };
        if !self.arguments.quiet {
            let warnings = self.feed.monitor().warnings();
            let urgent = warnings.iter().filter(|warning| warning.is_urgent);
            urgent.for_each(|warning| tell(&text::warning(Path::new(INPUT), warning)));
        }
        let unseen = if self.feed.monitor().position() > 0 { self.feed.unseen() } else { Vec::new() };
        // Verdicts that are final already may be so because of what was not seen.
        if !unseen.is_empty() && matches!(ending, Ending::Complete | Ending::Decided) {
            describe_unseen(&unseen, "error", "was never seen: what is asked of it was false throughout");
            outcome = Outcome::Unanswered;
        }
        if self.feed.skipped() > 0 && self.arguments.on_bad_input.is_none() {
            outcome = Outcome::Unanswered;
        }
        if self.feed.skipped() > 0 && !self.arguments.quiet {
            tell(&format!("warning: {} skipped", text::counted(self.feed.skipped() as usize, "bad line")));
        }
        outcome
    }
}

/// Prints what happens.
struct Watch<'a> {
    arguments: &'a MonitorArguments,
    told: Told,
    wording: &'a Wording,
    interrupt: &'a Interrupt,
    progress: &'a Progress,
    lines: &'a mut Vec<u8>,
    told_values: &'a mut Instant,
    out: &'a mut SharedOutput,
}

impl Watch<'_> {
    fn see(&mut self, monitor: &Monitor, event: Event<'_>) -> Result<(), EarlyEnd> {
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
                    enough(self.arguments, monitor).map_or(Ok(()), |ending| Err(EarlyEnd::Enough(ending)))?;
                }
            }
            Event::Unseen(unseen) => self.unseen(unseen)?,
            Event::BadLine(error) => self.bad_line(error)?,
            // What a later version of the library has to tell.
            _ => {}
        }
        Ok(())
    }

    fn state(&mut self, monitor: &Monitor, changed: &[PropertyId]) -> io::Result<()> {
        self.progress.state(monitor, changed);
        if self.told == Told::EveryStep {
            let mut followed = monitor.property_ids().filter(|&id| monitor.property(id).gave_up.is_none());
            followed.try_for_each(|id| self.verdict(monitor, id))?;
        }
        for &id in changed {
            let property = monitor.property(id);
            match (property.gave_up, self.told) {
                (Some(_), _) => self.given_up(monitor, id)?,
                (None, Told::EveryStep) => {}
                (None, Told::Final) if !property.verdict.is_final() => {}
                (None, Told::Final | Told::Changes) => self.verdict(monitor, id)?,
            }
        }
        if !self.lines.is_empty() {
            self.out.write_all(self.lines)?;
            self.lines.clear();
        }
        if self.values_are_due(monitor) { self.values(monitor) } else { Ok(()) }
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
    fn values(&mut self, monitor: &Monitor) -> io::Result<()> {
        *self.told_values = Instant::now();
        let position = monitor.position().saturating_sub(1);
        for query in monitor.queries() {
            match self.arguments.format {
                OutputFormat::Json => {
                    let known = RunningQuery::new(&query, &given_up);
                    writeln!(self.out, "{}", json::line(&ValueEvent { position, known }))?;
                }
                OutputFormat::Text => self.out.write_all(text::value_line(position, &query).as_bytes())?,
            }
        }
        Ok(())
    }

    /// Writes the verdict on a property after the last state; with that state, if it has made the
    /// verdict final.
    fn verdict(&mut self, monitor: &Monitor, id: PropertyId) -> io::Result<()> {
        let (position, property) = (monitor.position() - 1, monitor.property(id));
        let Some(state) = property.decided_by.filter(|_| property.decided_at == Some(position)) else {
            return self.wording.write(self.lines, position, id.index(), property.verdict);
        };
        match self.arguments.format {
            OutputFormat::Json => {
                let event = VerdictEvent::new(position, property.name, property.verdict).decided_by(state);
                writeln!(self.lines, "{}", json::line(&event))
            }
            OutputFormat::Text => {
                let line = text::decision_line(position, property.name, property.verdict, state);
                self.lines.write_all(line.as_bytes())
            }
        }
    }

    /// Writes that a property was given up on in the last state.
    fn given_up(&mut self, monitor: &Monitor, id: PropertyId) -> io::Result<()> {
        let (position, property) = (monitor.position() - 1, monitor.property(id));
        let Some(gave_up) = property.gave_up else { return Ok(()) };
        match self.arguments.format {
            OutputFormat::Json => {
                writeln!(self.lines, "{}", json::line(&VerdictEvent::unknown(position, property.name)))?;
            }
            OutputFormat::Text => self.lines.write_all(text::unknown_line(position, property.name).as_bytes())?,
        }
        self.out.write_all(self.lines)?;
        self.lines.clear();
        self.out.flush()?;
        tell(&format!("error: `{}`: {}", Shown(property.name), given_up(gave_up)));
        Ok(())
    }

    fn unseen(&mut self, unseen: &[Unseen]) -> io::Result<()> {
        if !self.arguments.quiet {
            self.out.flush()?;
            describe_unseen(
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
            return Err(EarlyEnd::Told);
        }
        self.progress.bad_line();
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
