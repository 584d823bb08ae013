//! What a monitor says.

use super::property::{signs, statistics_text, vacuously};
use super::units::counted;
use super::{BAD, BOLD, DIM, GOOD, OPEN, POSITION_WIDTH};
use crate::command::monitor::{self, Ending};
use crate::failure::given_up;
use std::io::{self, Write};
use traceward::message::Shown;
use traceward::{Feed, Verdict};

/// The line of a monitor about a property after a state: the text before the position, and the text
/// behind it.
pub fn monitor_line(name: &str, verdict: Verdict) -> (String, String) {
    let style = match verdict {
        Verdict::Satisfied => GOOD,
        Verdict::Violated => BAD,
        Verdict::Holding | Verdict::Pending => DIM,
    };
    (String::new(), format!("  {style}{verdict:<9}{style:#}  {}\n", Shown(name)))
}

/// The line of a monitor about a property that is given up after a state.
pub fn unknown_line(position: u64, name: &str) -> String {
    format!("{position:>POSITION_WIDTH$}  {OPEN}{UNKNOWN:<9}{OPEN:#}  {name}\n")
}

/// The word for a verdict that could not be found out.
pub(super) const UNKNOWN: &str = "unknown";

/// Writes what a monitor says at the end.
pub fn monitor_end(out: &mut impl Write, feed: &Feed, ending: Ending, cost: monitor::Cost) -> io::Result<()> {
    let monitor = feed.monitor();
    let (what, why) = match ending {
        Ending::Complete => ("end", ""),
        Ending::CutShort => ("stopped", ""),
        Ending::Decided => ("stopped", "; every verdict is final, and what comes next was not read"),
        Ending::Violated => ("stopped", "; a property is violated, and what comes next was not read"),
    };
    writeln!(out, "{BOLD}{what}{BOLD:#}: {}{why}", seen(monitor.position(), feed.skipped()))?;
    for (id, verdict) in monitor.property_ids().zip(ending.verdicts(monitor)) {
        let property = monitor.property(id);
        let (mark, style) = property.gave_up.map_or(signs(verdict), |_| ("?", OPEN));
        let known = property.gave_up.map_or(verdict.name(), |_| UNKNOWN);
        let (name, formula) = (Shown(property.name), Shown(property.formula));
        let vacuous = monitor.vacuous(id).filter(|_| verdict == Verdict::Satisfied);
        let vacuously = vacuous.map(vacuously).unwrap_or_default();
        write!(out, "{style}{mark} {known}{vacuously}{style:#}  {name}  {DIM}{formula}{DIM:#}")?;
        match property.decided_at {
            Some(position) => writeln!(out, "  final since position {position}")?,
            None => writeln!(out)?,
        }
        if let Some(gave_up) = property.gave_up {
            writeln!(out, "    {}", given_up(gave_up))?;
        }
        if let Some(description) = property.description {
            writeln!(out, "    {}", Shown(description))?;
        }
        if cost == monitor::Cost::Told {
            let (engine, statistics) = (monitor.engine(id).name(), monitor.engine_statistics(id));
            writeln!(out, "    {}", statistics_text(engine, statistics))?;
        }
    }
    Ok(())
}

/// Writes what a monitor knew when it was stopped in the middle of a step.
pub fn monitor_stopped(
    out: &mut impl Write,
    states: u64,
    bad_lines: u64,
    verdicts: &[(&str, Option<Verdict>)],
) -> io::Result<()> {
    writeln!(out, "{BOLD}stopped{BOLD:#}: {}", seen(states, bad_lines))?;
    for (name, verdict) in verdicts {
        let (mark, style) = verdict.map_or(("?", OPEN), signs);
        let known = verdict.map_or(UNKNOWN, Verdict::name);
        writeln!(out, "{style}{mark} {known}{style:#}  {}", Shown(name))?;
    }
    Ok(())
}

/// The number of states and bad lines that a monitor has seen.
pub(super) fn seen(states: u64, bad_lines: u64) -> String {
    let states = counted(states as usize, "state");
    match bad_lines {
        0 => states,
        count => format!("{states}, {} skipped", counted(count as usize, "bad line")),
    }
}
