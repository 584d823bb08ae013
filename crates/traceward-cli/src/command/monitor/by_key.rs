//! A monitor for each key of standard input.

use super::progress::{self, Progress, VERDICTS, place};
use super::teller::{EarlyEnd, Ending, Going, INPUT, Shared, TraceSource, tell_of_bad_line, unanswerable};
use super::wall::Wall;
use crate::arguments::{BadInput, ClockSource, MonitorArguments, OutputFormat, Told};
use crate::failure::{Failure, Outcome, given_up, tell};
use crate::live::{Interrupt, Live, News};
use crate::output::{self, SharedOutput};
use crate::{input, json, text};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use traceward::engine::Config;
use traceward::input::{Format, Note, TraceError, Unseen};
use traceward::message::Shown;
use traceward::report::numbered_key;
use traceward::{
    Change, EndedTrace, Error, KeyEnd, KeyedEvent, KeyedFeed, KeyedMonitor, KeyedStep, MeasuredQuery, PassedTime,
    ReadOptions, Spec, Verdict,
};
use traceward_wire::{EndOfTrace, RunningQuery, ValueEvent, VerdictEvent, trace_number};

/// Follows the trace of each key.
pub fn run(
    arguments: MonitorArguments,
    spec: &Spec,
    config: Config,
    options: &ReadOptions,
) -> Result<Outcome, Failure> {
    refuse(&arguments)?;
    let keys = arguments.key_options();
    // Events bring timestamps that nobody has to name.
    let monitor = match options.format.is_none_or(|format| format == Format::EVENTS) {
        _ if arguments.clock == ClockSource::Wall => KeyedMonitor::by_arrival(spec, config, keys),
        true => KeyedMonitor::for_input(spec, config, keys),
        false => KeyedMonitor::with_options(spec, config, keys),
    };
    let monitor = monitor.map_err(|error| unanswerable(&error, INPUT))?;
    let feed = KeyedFeed::with_options(monitor, options).map_err(|error| unanswerable(&error, INPUT))?;
    let out = SharedOutput::new(output::standard(arguments.content()));
    let shared = Shared { arguments: arguments.into(), interrupt: Interrupt::default(), out };
    let teller = KeyTeller::new(&shared, feed.monitor());
    let wall = Wall::of(&shared.arguments);
    KeyedSession { teller, feed, shared, wall }.run()
}

/// Refuses what is not told of keys.
fn refuse(arguments: &MonitorArguments) -> Result<(), Failure> {
    if arguments.listen.is_some() {
        let help = "let each program connect by itself, which makes it a trace of its own, or pipe one input by key";
        return Err(Failure::new("what clients tell is not split by key").help(help));
    }
    if arguments.coverage || arguments.waiting {
        let help = "traceward check --by … tells them of a trace that has ended";
        return Err(Failure::new("--coverage and --waiting are not told of keys that are followed").help(help));
    }
    if arguments.engine_statistics {
        return Err(Failure::new("--engine-statistics is not told of keys that are followed"));
    }
    if arguments.every.is_some() {
        let help = "leave --every out: the values of a key are told when its trace ends";
        return Err(Failure::new("values so far are not told by key").help(help));
    }
    Ok(())
}

/// Refuses options that only mean something by key.
pub fn refuse_without_key(arguments: &MonitorArguments) -> Result<(), Failure> {
    let refused = |message: &str| Err(Failure::new(message).help("--by COLUMN says which column holds the key"));
    match arguments {
        MonitorArguments { idle: Some(_), .. } => refused("--idle ends the traces of keys, and there are none"),
        MonitorArguments { max_keys: Some(_), .. } => refused("--max-keys limits keys, and there are none"),
        _ => Ok(()),
    }
}

/// A monitor of keys at work.
struct KeyedSession {
    teller: KeyTeller,
    feed: KeyedFeed,
    shared: Shared,
    wall: Option<Wall>,
}

impl KeyedSession {
    fn run(mut self) -> Result<Outcome, Failure> {
        let (progress, out) = (self.teller.progress.clone(), self.shared.out.clone());
        let mut live =
            Live::standard_input(&self.shared.interrupt, move || progress::end(vec![progress], Outcome::Holds, out))
                .map_err(|error| Failure::new(format!("{INPUT}: {}", input::reason(&error))))?;
        loop {
            // Whatever was found out is told before anybody waits for more.
            let lateness = self.shared.arguments.trace.lateness.unwrap_or(0);
            let patience = self.wall.map(|wall| wall.patience(self.feed.monitor().deadline(), lateness));
            let news = live.next(patience, || self.teller.out.flush())?;
            let is_last = !matches!(news, News::Bytes(_) | News::Asked | News::Waited);
            let going = if matches!(news, News::End) { Going::Over } else { Going::Left };
            let result = self.take(news, &live);
            let enough = match &result {
                // Where the input has ended nothing was left unread.
                Err(EarlyEnd::Enough(ending)) if !is_last => Some(*ending),
                _ => None,
            };
            let outcome = self.teller.tell_why(result)?;
            if is_last || outcome == Outcome::Unanswered || enough.is_some() || self.shared.interrupt.is_asked() {
                return self.teller.conclude(&mut self.feed, outcome, enough.unwrap_or(Ending::Complete), going);
            }
        }
    }

    fn take(&mut self, news: News, live: &Live) -> Result<(), EarlyEnd> {
        match news {
            News::Bytes(piece) => {
                self.teller.pass_time(&mut self.feed)?;
                self.look_at_clock()?;
                let Self { teller, feed, .. } = self;
                let result = feed.push(piece.bytes(), &mut |monitor, event| teller.see(monitor, event));
                live.give_back(piece);
                result
            }
            News::Waited => self.look_at_clock(),
            // Values are told when the trace of a key ends.
            News::Asked => Ok(()),
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

    /// Tells the monitor how late it is, if the wall does.
    fn look_at_clock(&mut self) -> Result<(), EarlyEnd> {
        let Self { teller, feed, wall: Some(wall), .. } = self else { return Ok(()) };
        let now = wall.now();
        feed.arrive(now);
        feed.advance_to(now, &mut |monitor, event| teller.see(monitor, event))
    }

    fn finish(&mut self) -> Result<(), EarlyEnd> {
        let Self { teller, feed, .. } = self;
        feed.finish(&mut |monitor, event| teller.see(monitor, event))
    }
}

/// Says what happens to the traces of keys, and what they come to.
struct KeyTeller {
    arguments: Arc<MonitorArguments>,
    told: Told,
    interrupt: Interrupt,
    progress: Arc<Progress>,
    /// For each property and each of its verdicts the text before the position, and behind the key.
    wording: Vec<[(String, String); 4]>,
    /// Scratch for lines on their way to the output.
    lines: Vec<u8>,
    /// When the monitor began: the clock of records that have no timestamps.
    begun: Instant,
    out: SharedOutput,
}

impl KeyTeller {
    fn new(shared: &Shared, monitor: &KeyedMonitor) -> Self {
        let Shared { arguments, interrupt, out } = shared;
        let names = || monitor.property_ids().map(|id| monitor.property_name(id).to_owned());
        let line = |name: &str, verdict| match arguments.format {
            OutputFormat::Json => json::monitor_line(name, verdict, None),
            OutputFormat::Text => text::monitor_line(name, verdict, None),
        };
        let progress = Progress::of(arguments, names().zip(monitor.verdicts()), &TraceSource::StandardInput);
        Self {
            told: arguments.told(),
            wording: names().map(|name| VERDICTS.map(|verdict| line(&name, verdict))).collect(),
            progress: Arc::new(progress),
            arguments: arguments.clone(),
            interrupt: interrupt.clone(),
            lines: Vec::new(),
            begun: Instant::now(),
            out: out.clone(),
        }
    }

    /// Lets traces end that have been silent for too long, where only the clock on the wall tells.
    fn pass_time(&mut self, feed: &mut KeyedFeed) -> io::Result<()> {
        if self.arguments.idle.is_none() || feed.monitor().has_timestamps() {
            return Ok(());
        }
        let now = i64::try_from(self.begun.elapsed().as_nanos()).unwrap_or(i64::MAX);
        let ended = feed.monitor_mut().pass_time(now).to_vec();
        ended.iter().try_for_each(|one| self.ended(feed.monitor(), one))?;
        self.write_out()
    }

    fn see(&mut self, monitor: &KeyedMonitor, event: KeyedEvent<'_>) -> Result<(), EarlyEnd> {
        match event {
            KeyedEvent::State(step) => {
                self.state(monitor, &step)?;
                if self.interrupt.is_asked() {
                    return Err(EarlyEnd::Interrupted);
                }
                if !step.changed.is_empty() || !step.ended.is_empty() {
                    self.enough(monitor, &step).map_or(Ok(()), |ending| Err(EarlyEnd::Enough(ending)))?;
                }
            }
            KeyedEvent::Clock { passed, ended } => {
                self.clock(monitor, passed, ended)?;
                self.enough_of(monitor, passed.iter().flat_map(|one| &one.changed), ended)
                    .map_or(Ok(()), |ending| Err(EarlyEnd::Enough(ending)))?;
            }
            KeyedEvent::Unseen(unseen) => self.unseen(unseen)?,
            KeyedEvent::BadLine(error) => self.bad_line(error)?,
            // What a later version of the library has to tell.
            _ => {}
        }
        Ok(())
    }

    /// The reason to stop, if what is known is enough. Of keys that have not come yet only what is
    /// violated already is certain.
    fn enough(&self, monitor: &KeyedMonitor, step: &KeyedStep<'_>) -> Option<Ending> {
        self.enough_of(monitor, step.changed.iter(), step.ended)
    }

    fn enough_of<'c>(
        &self,
        monitor: &KeyedMonitor,
        changed: impl Iterator<Item = &'c Change>,
        ended: &'c [EndedTrace],
    ) -> Option<Ending> {
        let MonitorArguments { stop_on_violation, stop_when_decided, .. } = *self.arguments;
        let changes = ended.iter().flat_map(|one| &one.changed).chain(changed);
        let mut violations = changes.filter(|change| change.verdict == Verdict::Violated && change.gave_up.is_none());
        if stop_on_violation && violations.next().is_some() {
            return Some(Ending::Violated);
        }
        let is_decided =
            || monitor.properties().all(|property| property.violated > 0) && monitor.measures().count() == 0;
        (stop_when_decided && is_decided()).then_some(Ending::Decided)
    }

    fn state(&mut self, monitor: &KeyedMonitor, step: &KeyedStep<'_>) -> io::Result<()> {
        self.progress.state_of_key(monitor.states(), step.changed);
        let (silent, marked): (Vec<&EndedTrace>, _) = step.ended.iter().partition(|one| one.reason == KeyEnd::Silence);
        silent.into_iter().try_for_each(|one| self.ended(monitor, one))?;
        let trace = KeyedTrace { key: step.key, number: step.number, position: step.position };
        if self.told == Told::EveryStep {
            self.every_verdict(monitor, &trace, step.changed)?;
        } else {
            step.changed.iter().try_for_each(|change| self.change(monitor, &trace, change, None))?;
        }
        marked.into_iter().try_for_each(|one| self.ended(monitor, one))?;
        self.write_out()
    }

    /// Writes what the clock has brought.
    fn clock(&mut self, monitor: &KeyedMonitor, passed: &[PassedTime], ended: &[EndedTrace]) -> io::Result<()> {
        for PassedTime { key, number, position, changed } in passed {
            self.progress.state_of_key(monitor.states(), changed);
            let trace = KeyedTrace { key, number: *number, position: *position };
            changed.iter().try_for_each(|change| self.change(monitor, &trace, change, None))?;
        }
        ended.iter().try_for_each(|one| self.ended(monitor, one))?;
        self.write_out()
    }

    fn write_out(&mut self) -> io::Result<()> {
        if self.lines.is_empty() {
            return Ok(());
        }
        self.out.write_all(&self.lines)?;
        self.lines.clear();
        Ok(())
    }

    /// Writes all verdicts on a trace after a state, whether or not they have changed.
    fn every_verdict(&mut self, monitor: &KeyedMonitor, trace: &KeyedTrace<'_>, changed: &[Change]) -> io::Result<()> {
        let verdicts = monitor.verdicts_of(trace.key);
        if verdicts.is_empty() {
            return changed.iter().try_for_each(|change| self.change(monitor, trace, change, None));
        }
        for (property, verdict) in monitor.property_ids().zip(verdicts) {
            match (changed.iter().find(|change| change.property == property), verdict) {
                (Some(change), _) => self.change(monitor, trace, change, None)?,
                (None, Some(verdict)) => {
                    self.change(monitor, trace, &Change::new(property, verdict), None)?;
                }
                (None, None) => {}
            }
        }
        Ok(())
    }

    /// Writes what the end of a trace has made certain.
    fn ended(&mut self, monitor: &KeyedMonitor, one: &EndedTrace) -> io::Result<()> {
        self.progress.state_of_key(monitor.states(), &one.changed);
        let trace = KeyedTrace { key: &one.key, number: one.number, position: one.states.saturating_sub(1) };
        let why = if one.reason == KeyEnd::Silence { "silence" } else { "marker" };
        one.changed.iter().try_for_each(|change| self.change(monitor, &trace, change, Some(why)))?;
        for ((name, measure), known) in monitor.measures().zip(&one.values) {
            let query = MeasuredQuery { name, query: "", description: None, measure, known: known.clone() };
            match self.arguments.format {
                OutputFormat::Json => {
                    let (key, number) = (Some(one.key.to_string()), trace_number(one.number));
                    let (known, ended) = (RunningQuery::new(&query, &given_up), Some(why.to_owned()));
                    let event = ValueEvent { position: trace.position, client: None, key, trace: number, known, ended };
                    writeln!(self.lines, "{}", json::line(&event))?;
                }
                OutputFormat::Text => {
                    write!(self.lines, "{}: {}", trace.label(), text::value_line(trace.position, &query))?;
                }
            }
        }
        Ok(())
    }

    /// Writes the verdict on a property of a trace.
    fn change(
        &mut self,
        monitor: &KeyedMonitor,
        trace: &KeyedTrace<'_>,
        change: &Change,
        ended: Option<&str>,
    ) -> io::Result<()> {
        let name = monitor.property_name(change.property);
        if change.gave_up.is_none() && self.told == Told::Final && !change.verdict.is_final() {
            return Ok(());
        }
        let is_plain = change.decided_by.is_none() && change.gave_up.is_none() && ended.is_none();
        if is_plain {
            let (head, tail) = &self.wording[change.property.index()][place(change.verdict)];
            return trace.write(&mut self.lines, self.arguments.format, head, tail);
        }
        match self.arguments.format {
            OutputFormat::Json => {
                let event = match change.gave_up {
                    Some(_) => VerdictEvent::unknown(trace.position, name),
                    None => VerdictEvent::new(trace.position, name, change.verdict),
                };
                let event = change.decided_by.iter().fold(event, |event, state| event.decided_by(state));
                let event = event.brought_by(change.decided_time, &change.missed);
                let (key, number) = (Some(trace.key.to_owned()), trace_number(trace.number));
                let event = VerdictEvent { key, trace: number, ended: ended.map(str::to_owned), ..event };
                writeln!(self.lines, "{}", json::line(&event))?;
            }
            OutputFormat::Text => {
                let line = match (&change.gave_up, &change.decided_by) {
                    (Some(_), _) => text::unknown_line(trace.position, name),
                    (None, Some(state)) => {
                        let Change { verdict, decided_time: time, missed, .. } = change;
                        let (verdict, time) = (*verdict, *time);
                        text::decision_line(trace.position, &text::Decided { name, verdict, state, time, missed })
                    }
                    (None, None) => {
                        let (_, tail) = &self.wording[change.property.index()][place(change.verdict)];
                        let width = text::POSITION_WIDTH;
                        format!("{:>width$}{}  at its end\n", trace.position, tail.trim_end_matches('\n'))
                    }
                };
                write!(self.lines, "{}: {line}", trace.label())?;
            }
        }
        if let Some(reason) = &change.gave_up {
            self.write_out()?;
            self.out.flush()?;
            tell(&format!("error: {}: `{}`: {}", trace.label(), Shown(name), given_up(reason)));
        }
        Ok(())
    }

    fn unseen(&mut self, unseen: &[Unseen]) -> io::Result<()> {
        if !self.arguments.quiet {
            self.out.flush()?;
            let what = "has not been seen: until it is, it is missing, and what is asked of it is false";
            tell_of(unseen, "warning", what);
        }
        Ok(())
    }

    fn bad_line(&mut self, error: &TraceError) -> Result<(), EarlyEnd> {
        // What was printed before it comes before it.
        self.out.flush()?;
        if self.arguments.on_bad_input == Some(BadInput::Stop) {
            unanswerable(&Error::Trace(error.clone()), INPUT).report();
            return Err(EarlyEnd::Told);
        }
        let count = self.progress.bad_line();
        if !self.arguments.quiet {
            tell_of_bad_line(INPUT, error, count);
        }
        Ok(())
    }

    /// Tells why the monitor ends early, if it does.
    fn tell_why(&mut self, result: Result<(), EarlyEnd>) -> Result<Outcome, Failure> {
        match result {
            Ok(()) | Err(EarlyEnd::Interrupted | EarlyEnd::Enough(_)) => Ok(Outcome::Holds),
            Err(EarlyEnd::Output(error)) => Err(error.into()),
            Err(EarlyEnd::Told) => Ok(Outcome::Unanswered),
            Err(EarlyEnd::Failed(error)) => {
                self.out.flush()?;
                unanswerable(&error, INPUT).report();
                Ok(Outcome::Unanswered)
            }
        }
    }

    /// Says how it ended; returns what that means for the exit status.
    fn conclude(
        &mut self,
        feed: &mut KeyedFeed,
        outcome: Outcome,
        ending: Ending,
        going: Going,
    ) -> Result<Outcome, Failure> {
        self.tell_notes(feed, going);
        let outcome = outcome.max(self.emptiness(feed, outcome));
        let ending = if outcome == Outcome::Unanswered { Ending::CutShort } else { ending };
        if ending == Ending::Complete {
            feed.monitor_mut().end_all();
        }
        let violated = feed.monitor().properties().any(|property| property.violated > 0);
        let outcome = outcome.max(if violated { Outcome::Violated } else { Outcome::Holds });
        // Whoever has to end the program because this takes too long must not say it again.
        if !self.progress.claim_end() {
            return Ok(outcome);
        }
        match self.arguments.format {
            OutputFormat::Json => {
                let end = EndOfTrace::of_keys(feed, ending.extent(), &given_up);
                writeln!(self.lines, "{}", json::line(&end))?;
            }
            OutputFormat::Text => text::keyed_end(&mut self.lines, feed, ending)?,
        }
        self.write_out()?;
        self.out.flush()?;
        Ok(self.shortcomings(feed, ending).max(outcome))
    }

    /// Tells what may be wrong with the input as a whole.
    fn tell_notes(&self, feed: &KeyedFeed, going: Going) {
        // Who did not read on has not come to the end of the input.
        let has_ended = |note: &Note| going != Going::Left || !matches!(note, Note::NoEnd { .. });
        // A record that nobody looked at must not pass in silence.
        let matters = |note: &Note| note.is_warning() || matches!(note, Note::WithoutKey { .. });
        let is_told = |note: &Note| !self.arguments.quiet && matters(note) && has_ended(note);
        for note in feed.notes().iter().filter(|note| is_told(note)) {
            tell(&input::note(&format!("{INPUT}: "), note));
        }
    }

    /// What it means that there was no state.
    fn emptiness(&self, feed: &KeyedFeed, outcome: Outcome) -> Outcome {
        let was_asked = self.arguments.allow_empty && feed.skipped() == 0;
        if feed.monitor().states() > 0 || was_asked {
            return Outcome::Holds;
        }
        if outcome == Outcome::Holds && feed.skipped() == 0 {
            input::empty(INPUT, &feed.notes()).report();
        }
        if let Some(error) = feed.unknown_time() {
            unanswerable(&Error::Trace(error), INPUT).report();
        }
        Outcome::Unanswered
    }

    /// What else keeps the verdicts from being an answer.
    fn shortcomings(&self, feed: &KeyedFeed, ending: Ending) -> Outcome {
        let monitor = feed.monitor();
        let gave_up = monitor.properties().any(|property| property.unknown > 0)
            || monitor.queries().any(|query| query.lost.is_some());
        let mut outcome = if gave_up { Outcome::Unanswered } else { Outcome::Holds };
        if !self.arguments.quiet {
            let warnings = monitor.warnings();
            let urgent = warnings.iter().filter(|warning| warning.is_urgent);
            urgent.for_each(|warning| tell(&text::warning(Path::new(INPUT), warning)));
        }
        let unseen = if monitor.states() > 0 { feed.unseen() } else { Vec::new() };
        // Verdicts that are final already may be so because of what was not seen.
        if !unseen.is_empty() && matches!(ending, Ending::Complete | Ending::Decided) {
            tell_of(&unseen, "error", "was never seen: what is asked of it was false throughout");
            outcome = Outcome::Unanswered;
        }
        if feed.skipped() > 0 && self.arguments.on_bad_input.is_none() {
            outcome = Outcome::Unanswered;
        }
        if feed.skipped() > 0 && !self.arguments.quiet {
            tell(&format!("warning: {} skipped", text::counted(feed.skipped() as usize, "bad line")));
        }
        outcome
    }
}

fn tell_of(unseen: &[Unseen], severity: &str, what: &str) {
    for Unseen { name, hint } in unseen {
        let hint = hint.as_ref().map(|hint| format!("\n  help: {}", Shown(hint))).unwrap_or_default();
        tell(&format!("{severity}: `{}` {what}{hint}", Shown(name)));
    }
}

/// A trace of a key, as lines name it.
struct KeyedTrace<'a> {
    key: &'a str,
    number: u32,
    position: u64,
}

impl KeyedTrace<'_> {
    /// The name before a line for people.
    fn label(&self) -> String {
        match self.number {
            1 => Shown(self.key).to_string(),
            number => Shown(&numbered_key(self.key, number)).to_string(),
        }
    }

    /// Writes a line whose text was worded beforehand, all but position and key.
    fn write(&self, out: &mut Vec<u8>, format: OutputFormat, head: &str, tail: &str) -> io::Result<()> {
        let Self { number, position, .. } = self;
        match format {
            OutputFormat::Text => {
                let width = text::POSITION_WIDTH;
                write!(out, "{}: {position:>width$}{tail}", self.label())
            }
            OutputFormat::Json => {
                out.extend_from_slice(head.as_bytes());
                write!(out, "{position}, \"key\": ")?;
                json::write_text(out, self.key)?;
                if *number > 1 {
                    write!(out, ", \"trace\": {number}")?;
                }
                out.write_all(tail.as_bytes())
            }
        }
    }
}
