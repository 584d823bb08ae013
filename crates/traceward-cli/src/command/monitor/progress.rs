//! What a monitor has found out so far, for whoever has to end the program from outside.

use super::teller::{TraceSource, write_client};
use crate::arguments::{MonitorArguments, OutputFormat};
use crate::failure::Outcome;
use crate::live::GRACE;
use crate::output::SharedOutput;
use crate::{json, text};
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Instant;
use traceward::{Change, Monitor, PropertyId, Verdict};
use traceward_wire::EndOfTrace;

/// The verdicts in an order by which a byte tells one.
pub const VERDICTS: [Verdict; 4] = [Verdict::Satisfied, Verdict::Violated, Verdict::Holding, Verdict::Pending];

/// The place of a verdict in [`VERDICTS`].
pub fn place(verdict: Verdict) -> usize {
    match verdict {
        Verdict::Satisfied => 0,
        Verdict::Violated => 1,
        Verdict::Holding => 2,
        Verdict::Pending => 3,
    }
}

/// The byte for a property that was given up on.
const UNKNOWN: u8 = u8::MAX;

/// What a monitor has found out so far. A step may be long, and a reader may not read, so it must
/// be known without asking the thread that is at it.
pub struct Progress {
    format: OutputFormat,
    /// Whether bad lines make the answer none.
    bad_lines_count: bool,
    source: TraceSource,
    names: Vec<String>,
    states: AtomicU64,
    bad_lines: AtomicU64,
    /// For each property the place of its verdict, or [`UNKNOWN`].
    verdicts: Vec<AtomicU8>,
    /// Whether somebody has begun to say how it ended.
    end_is_claimed: AtomicBool,
}

impl Progress {
    /// Nothing has been found out.
    pub fn new(arguments: &MonitorArguments, monitor: &Monitor, source: &TraceSource) -> Self {
        let properties = monitor.properties().map(|property| (property.name.to_owned(), property.verdict));
        Self::of(arguments, properties, source)
    }

    /// Nothing has been found out of properties with these names, which have these verdicts.
    pub fn of(
        arguments: &MonitorArguments,
        properties: impl Iterator<Item = (String, Verdict)>,
        source: &TraceSource,
    ) -> Self {
        let (names, verdicts) = properties.map(|(name, one)| (name, AtomicU8::new(place(one) as u8))).unzip();
        Self {
            source: source.clone(),
            format: arguments.format,
            bad_lines_count: arguments.on_bad_input.is_none(),
            names,
            states: AtomicU64::new(0),
            bad_lines: AtomicU64::new(0),
            verdicts,
            end_is_claimed: AtomicBool::new(false),
        }
    }

    /// A state of a key was taken. What is violated for one is violated, and what was given up for
    /// one is unknown.
    pub fn state_of_key(&self, states: u64, changed: &[Change]) {
        self.states.store(states, Ordering::Relaxed);
        for change in changed {
            let known = match (&change.gave_up, change.verdict) {
                (Some(_), _) => UNKNOWN,
                (None, Verdict::Violated) => place(Verdict::Violated) as u8,
                _ => continue,
            };
            self.verdicts[change.property.index()].store(known, Ordering::Relaxed);
        }
    }

    /// A state was taken.
    pub fn state(&self, monitor: &Monitor, changed: &[PropertyId]) {
        self.states.store(monitor.position(), Ordering::Relaxed);
        for &id in changed {
            let property = monitor.property(id);
            let known = if property.gave_up.is_some() { UNKNOWN } else { place(property.verdict) as u8 };
            self.verdicts[id.index()].store(known, Ordering::Relaxed);
        }
    }

    /// A line held no state; returns how many there are by now.
    pub fn bad_line(&self) -> u64 {
        self.bad_lines.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Whether it is the caller's to say how it ended: that is said once.
    pub fn claim_end(&self) -> bool {
        !self.end_is_claimed.swap(true, Ordering::Relaxed)
    }

    fn say(&self, mut out: SharedOutput) -> io::Result<()> {
        // Waits for whoever is writing.
        out.flush()?;
        if !self.claim_end() {
            return Err(io::ErrorKind::ResourceBusy.into());
        }
        let (states, bad_lines) = (self.states.load(Ordering::Relaxed), self.bad_lines.load(Ordering::Relaxed));
        let verdicts: Vec<(&str, Option<Verdict>)> =
            self.names.iter().map(String::as_str).zip(self.verdicts()).collect();
        let mut lines = Vec::new();
        match self.format {
            OutputFormat::Json => {
                let client = self.source.client().map(str::to_owned);
                let end = EndOfTrace { client, ..EndOfTrace::cut_short(states, bad_lines, &verdicts) };
                writeln!(lines, "{}", json::line(&end))?;
            }
            OutputFormat::Text => {
                write_client(&mut lines, &self.source)?;
                text::monitor_stopped(&mut lines, states, bad_lines, &verdicts)?;
            }
        }
        out.write_all(&lines)?;
        out.flush()
    }

    /// The verdict on each property; none where it was given up on.
    fn verdicts(&self) -> impl Iterator<Item = Option<Verdict>> {
        self.verdicts.iter().map(|place| VERDICTS.get(usize::from(place.load(Ordering::Relaxed))).copied())
    }

    /// The outcome; `pending` is what it is for a property that is pending.
    fn outcome(&self, pending: Outcome) -> Outcome {
        let nothing = self.states.load(Ordering::Relaxed) == 0;
        if nothing || self.bad_lines_count && self.bad_lines.load(Ordering::Relaxed) > 0 {
            return Outcome::Unanswered;
        }
        let outcome = |verdict| match verdict {
            Some(Verdict::Satisfied | Verdict::Holding) => Outcome::Holds,
            Some(Verdict::Violated) => Outcome::Violated,
            Some(Verdict::Pending) => pending,
            None => Outcome::Unanswered,
        };
        self.verdicts().map(outcome).max().unwrap_or(Outcome::Holds)
    }
}

/// Ends the program; `known` is what has come of traces that have ended. Where a thread that
/// monitors is busy in a step, the verdicts so far are said first, those of a trace that goes on.
/// Where it waits for a reader that does not read, nothing can be said, and the trace ends with its
/// last state.
pub fn end(open: Vec<Arc<Progress>>, known: Outcome, out: SharedOutput) {
    let (sender, said) = channel();
    let traces = open.clone();
    let saying = thread::Builder::new().spawn(move || {
        // Who waits no more has ended the program.
        traces.iter().try_for_each(|progress| sender.send(progress.say(out.clone())).ok())
    });
    let deadline = Instant::now() + GRACE;
    let outcome = |progress: &Arc<Progress>| {
        let left = deadline.saturating_duration_since(Instant::now());
        let said = saying.is_ok().then(|| said.recv_timeout(left).ok()).flatten();
        let pending = if matches!(said, Some(Ok(()))) { Outcome::Holds } else { Outcome::Violated };
        progress.outcome(pending)
    };
    let outcome = open.iter().map(outcome).max().map_or(known, |worst| worst.max(known));
    std::process::exit(outcome.exit_status().into());
}
