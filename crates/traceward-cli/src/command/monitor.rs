//! `traceward monitor`

mod by_key;
mod listen;
mod progress;
mod teller;
mod wall;

pub use teller::{Cost, Ending};

use crate::arguments::{ClockSource, MonitorArguments};
use crate::failure::{Failure, Outcome, tell};
use crate::input;
use crate::live::{Interrupt, Live, News};
use crate::output::{self, SharedOutput};
use std::path::Path;
use std::sync::Arc;
use teller::{EarlyEnd, Going, INPUT, Shared, Teller, TraceSource, unanswerable};
use traceward::engine::{Config, Precision};
use traceward::input::Format;
use traceward::{Feed, Goal, Monitor, RunQuestions, Settings, Spec};
use wall::Wall;

pub fn run(arguments: MonitorArguments) -> Result<Outcome, Failure> {
    let spec = spec(&arguments)?;
    if !arguments.quiet {
        spec.warnings(input::style()).iter().for_each(|warning| tell(warning));
    }
    let questions = RunQuestions { coverage: arguments.coverage, waiting: arguments.waiting };
    let precision = arguments.precision.precision(Some(Precision::BEYOND));
    let config = Config { precision, ..arguments.engine.config() };
    let mut options = input::read_options(Path::new(INPUT), &arguments.trace);
    options.heartbeat.clone_from(&arguments.heartbeat);
    let is_events = arguments.listen.is_some() || options.format.is_none_or(|format| format == Format::EVENTS);
    refuse_clock(&arguments, &spec)?;
    if spec.settings().by.is_some() {
        return by_key::run(arguments, &spec, config, &options);
    }
    by_key::refuse_without_key(&arguments)?;
    // Events bring timestamps that nobody has to name.
    let monitor = match is_events {
        _ if arguments.clock == ClockSource::Wall => Monitor::by_arrival(&spec, config, questions),
        true => Monitor::for_input(&spec, config, questions),
        false => Monitor::with_questions(&spec, config, questions),
    };
    let monitor = monitor.map_err(|error| unanswerable(&error, INPUT))?;
    let out = SharedOutput::new(output::standard(arguments.content()));
    let shared = Arc::new(Shared { arguments: arguments.into(), interrupt: Interrupt::default(), out });
    if let Some(address) = &shared.arguments.listen {
        return listen::run(address, &shared, monitor);
    }
    let feed = Feed::with_options(monitor, &options).map_err(|error| unanswerable(&error, INPUT))?;
    let teller = Teller::new(&shared, TraceSource::StandardInput, feed.monitor());
    let wall = Wall::of(&shared.arguments);
    Session { teller, feed, shared, wall }.run()
}

/// Refuses clocks that nobody could read.
fn refuse_clock(arguments: &MonitorArguments, spec: &Spec) -> Result<(), Failure> {
    let has_times = spec.settings().time.is_some();
    if arguments.listen.is_some() && (arguments.clock == ClockSource::Wall || arguments.heartbeat.is_some()) {
        let help = "clients bring the time of each event themselves";
        return Err(Failure::new("--clock and --heartbeat are for standard input").help(help));
    }
    if arguments.clock == ClockSource::Wall && !has_times && arguments.trace.lateness.is_some() {
        let help = "--time COLUMN names the timestamps that records bring";
        return Err(Failure::new("records that get the time of their arrival are never late").help(help));
    }
    if arguments.clock == ClockSource::Wall && !has_times && arguments.heartbeat.is_some() {
        let help = "--time COLUMN names the timestamps that records bring, or leave --heartbeat out";
        return Err(Failure::new("the wall tells the time, and heartbeats have none").help(help));
    }
    Ok(())
}

fn spec(arguments: &MonitorArguments) -> Result<Spec, Failure> {
    if arguments.spec.expressions.is_empty() && arguments.paths.is_empty() {
        return Err(Failure::new("nothing to monitor").help("give a formula with -e, or a spec file"));
    }
    let end_when = arguments.keys.end_when.clone();
    let settings = Settings { end_when, ..input::settings(&arguments.trace) };
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

/// A monitor of standard input at work.
struct Session {
    teller: Teller,
    feed: Feed,
    shared: Arc<Shared>,
    wall: Option<Wall>,
}

impl Session {
    fn run(mut self) -> Result<Outcome, Failure> {
        let (progress, out) = (self.teller.progress().clone(), self.shared.out.clone());
        let mut live =
            Live::standard_input(&self.shared.interrupt, move || progress::end(vec![progress], Outcome::Holds, out))
                .map_err(|error| Failure::new(format!("{INPUT}: {}", input::reason(&error))))?;
        loop {
            // Whatever was found out is told before anybody waits for more.
            let lateness = self.shared.arguments.trace.lateness.unwrap_or(0);
            let patience = self.wall.map(|wall| wall.patience(self.feed.monitor().deadline(), lateness));
            let news = live.next(patience, || self.teller.flush())?;
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
                let ending = enough.unwrap_or(Ending::Complete);
                let (outcome, _) = self.teller.conclude(&self.feed, outcome, ending, going)?;
                return Ok(outcome);
            }
        }
    }

    fn take(&mut self, news: News, live: &Live) -> Result<(), EarlyEnd> {
        match news {
            News::Bytes(piece) => {
                self.look_at_clock()?;
                let result = self.push(piece.bytes());
                live.give_back(piece);
                result
            }
            News::Waited => self.look_at_clock(),
            News::Asked => {
                self.teller.values(self.feed.monitor())?;
                self.teller.flush()?;
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

    /// Tells the monitor how late it is, if the wall does.
    fn look_at_clock(&mut self) -> Result<(), EarlyEnd> {
        let Self { teller, feed, wall: Some(wall), .. } = self else { return Ok(()) };
        let now = wall.now();
        feed.arrive(now);
        feed.advance_to(now, &mut |monitor, event| teller.see(monitor, event))
    }

    fn push(&mut self, bytes: &[u8]) -> Result<(), EarlyEnd> {
        let Self { teller, feed, .. } = self;
        feed.push(bytes, &mut |monitor, event| teller.see(monitor, event))
    }

    fn finish(&mut self) -> Result<(), EarlyEnd> {
        let Self { teller, feed, .. } = self;
        feed.finish(&mut |monitor, event| teller.see(monitor, event))
    }
}
