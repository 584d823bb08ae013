//! What a monitor says.

use super::property::{signs, statistics_text, vacuously};
use super::query::{within, write_summary};
use super::runs::{write_coverage, write_waiting};
use super::units::{counted, exact_moment, measured_or_none, moment, state_value};
use super::{BAD, BOLD, DIM, GOOD, OPEN, POSITION_WIDTH, missing, source_text};
use crate::command::monitor::{self, Ending};
use crate::failure::given_up;
use std::io::{self, Write};
use traceward::message::Shown;
use traceward::report::Place;
use traceward::{Abandoned, Feed, KeyViolation, KeyedFeed, KeyedProperty, Known, MeasuredQuery, Missed, Verdict};

/// The line of a monitor about a property after a state: the text before the position, and the text
/// behind it.
pub fn monitor_line(name: &str, verdict: Verdict, client: Option<&str>) -> (String, String) {
    let style = match verdict {
        Verdict::Satisfied => GOOD,
        Verdict::Violated => BAD,
        Verdict::Holding | Verdict::Pending => DIM,
    };
    let head = client.map(|client| format!("{}: ", Shown(client))).unwrap_or_default();
    (head, format!("  {style}{verdict:<9}{style:#}  {}\n", Shown(name)))
}

/// The line of a monitor about a property whose verdict a state has made final.
pub fn decision_line(position: u64, decision: &Decided<'_>) -> String {
    let Decided { name, verdict, state, time, missed } = *decision;
    let (_, tail) = monitor_line(name, verdict, None);
    let state = match time {
        Some(time) => format!("by the clock at {}, after {}", moment(time), state_text(state)),
        None => state_text(state),
    };
    let head = format!("{position:>POSITION_WIDTH$}{}  {DIM}{state}{DIM:#}\n", tail.trim_end_matches('\n'));
    missed.iter().fold(head, |lines, missed| lines + &missed_line(missed))
}

/// A property whose verdict has become final.
pub struct Decided<'a> {
    pub name: &'a str,
    pub verdict: Verdict,
    /// The state that made it final, or the last one before the clock did.
    pub state: &'a Place,
    /// The time of the clock, if that made it final.
    pub time: Option<i64>,
    pub missed: &'a [Missed],
}

/// The line about an obligation that was not met in time.
fn missed_line(Missed { obligation, since, deadline }: &Missed) -> String {
    let indent = " ".repeat(POSITION_WIDTH);
    format!("{indent}  {DIM}`{}` of position {since} had to come by {}{DIM:#}\n", Shown(obligation), moment(*deadline))
}

/// The line about a property of a program whose verdict a state has made final: where, and with
/// which values.
pub fn observed_line(name: &str, verdict: Verdict, state: &Place) -> String {
    let style = if verdict == Verdict::Violated { BAD } else { GOOD };
    let values: Vec<String> =
        state.values.iter().map(|(name, value)| format!("{} = {}", Shown(name), state_value(value))).collect();
    let place = state.source.as_ref().map_or_else(|| "at the start".to_owned(), ToString::to_string);
    let separator = if values.is_empty() { "" } else { ": " };
    format!("{style}{verdict}{style:#}  {}  {place}{separator}{}", Shown(name), values.join(", "))
}

/// A state by its line, time and values.
fn state_text(Place { position: _, line, source, time, values }: &Place) -> String {
    let values: Vec<String> =
        values.iter().map(|(name, value)| format!("{} = {}", Shown(name), state_value(value))).collect();
    // The clock of a program counts from when the machine began, which tells nobody anything.
    let time = time.and_then(|time| match source {
        Some(_) => exact_moment(time),
        None => Some(moment(time)),
    });
    let time = time.map(|time| format!(", {time}")).unwrap_or_default();
    let separator = if values.is_empty() { "" } else { ": " };
    format!("line {line}{}{time}{separator}{}", source_text(source.as_ref()), values.join(", "))
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
    let (what, why) = ends(ending);
    writeln!(out, "{BOLD}{what}{BOLD:#}: {}{why}", seen(monitor.position(), feed.skipped()))?;
    for (id, verdict) in monitor.property_ids().zip(ending.verdicts(monitor)) {
        let property = monitor.property(id);
        let doubt = monitor.doubt(id);
        let is_unknown = property.gave_up.is_some() || doubt.is_some();
        let (mark, style) = if is_unknown { ("?", OPEN) } else { signs(verdict) };
        let known = if is_unknown { UNKNOWN } else { verdict.name() };
        let (name, formula) = (Shown(property.name), Shown(property.formula));
        let vacuous = monitor.vacuous(id).filter(|_| verdict == Verdict::Satisfied);
        let vacuously = vacuous.map(vacuously).unwrap_or_default();
        write!(out, "{style}{mark} {known}{vacuously}{style:#}  {name}  {DIM}{formula}{DIM:#}")?;
        match property.decided_at {
            Some(position) => {
                let state = property.decided_by.map(|state| format!(" ({})", state_text(state))).unwrap_or_default();
                writeln!(out, "  final since position {position}{state}")?;
            }
            None => writeln!(out)?,
        }
        if let Some(gave_up) = property.gave_up {
            writeln!(out, "    {}", given_up(gave_up))?;
        }
        if let Some(doubt) = doubt {
            writeln!(out, "    {doubt}")?;
        }
        if let Some(description) = property.description {
            writeln!(out, "    {}", Shown(description))?;
        }
        if cost == monitor::Cost::Told {
            let engine = monitor.engine(id).map_or("algebraic", |engine| engine.name());
            writeln!(out, "    {}", statistics_text(engine, monitor.engine_statistics(id)))?;
        }
        let (coverage, waiting) = monitor.runs(id, ending.of_trace());
        let waited = waiting.as_deref().unwrap_or_default();
        coverage.iter().try_for_each(|found| write_coverage(out, found, waited))?;
        waiting.iter().flatten().try_for_each(|one| write_waiting(out, one))?;
    }
    let states = monitor.position();
    match ending {
        Ending::Complete => monitor.queries_at_end().try_for_each(|query| write_end_value(out, &query, states))?,
        _ => monitor.queries().try_for_each(|query| write_end_value(out, &query, states))?,
    }
    write_missing(out, monitor.missing(), states)?;
    match monitor.recorded() {
        Some(kept) if (kept as u64) < monitor.position() => {
            writeln!(out, "{DIM}note: what is told of runs is of the first {}{DIM:#}", counted(kept, "state"))
        }
        _ => Ok(()),
    }
}

/// Writes what a monitor of many keys says at the end.
pub fn keyed_end(out: &mut impl Write, feed: &KeyedFeed, ending: Ending) -> io::Result<()> {
    let monitor = feed.monitor();
    let (what, why) = ends(ending);
    let traces = counted(monitor.traces() as usize, "trace");
    writeln!(out, "{BOLD}{what}{BOLD:#}: {}, {traces} of keys{why}", seen(monitor.states(), feed.skipped()))?;
    monitor.properties().try_for_each(|property| write_keyed(out, &property))?;
    for query in monitor.queries() {
        writeln!(out, "{BOLD}{}{BOLD:#}  {DIM}{}{DIM:#}", Shown(query.name), Shown(query.query))?;
        query.description.iter().try_for_each(|text| writeln!(out, "    {}", Shown(text)))?;
        write_summary(out, &query.summary)?;
        if let Some((key, reason)) = query.lost {
            writeln!(out, "    {UNKNOWN} for {}: {}", Shown(key), given_up(reason))?;
        }
    }
    write_missing(out, monitor.missing(), monitor.states())
}

/// Writes what is to be known of variables that had no value in some states.
fn write_missing<'a>(
    out: &mut impl Write,
    mut variables: impl Iterator<Item = (&'a str, u64)>,
    states: u64,
) -> io::Result<()> {
    variables.try_for_each(|(name, count)| writeln!(out, "{DIM}note: {}{DIM:#}", missing(name, count, states)))
}

/// Writes the verdict on a property over keys.
fn write_keyed(out: &mut impl Write, property: &KeyedProperty<'_>) -> io::Result<()> {
    let is_unknown = property.unknown > 0 && property.verdict != Verdict::Violated;
    let (mark, style) = if is_unknown { ("?", OPEN) } else { signs(property.verdict) };
    let known = if is_unknown { UNKNOWN } else { property.verdict.name() };
    let vacuously = property.vacuous_trigger.map(vacuously).unwrap_or_default();
    let (name, formula) = (Shown(property.name), Shown(property.formula));
    writeln!(out, "{style}{mark} {known}{vacuously}{style:#}  {name}  {DIM}{formula}{DIM:#}")?;
    property.description.iter().try_for_each(|text| writeln!(out, "    {}", Shown(text)))?;
    if let Some(reason) = property.gave_up {
        writeln!(out, "    {UNKNOWN} for {}: {}", counted(property.unknown as usize, "trace"), given_up(reason))?;
    }
    if property.vacuous > 0 && property.vacuous_trigger.is_none() {
        writeln!(out, "    vacuously for {} of {}", property.vacuous, property.checked)?;
    }
    if property.violated == 0 {
        return Ok(());
    }
    writeln!(out, "    violated for {} of {}:", property.violated, property.checked)?;
    for KeyViolation { key, number, decided_by, .. } in property.first_violations {
        let name = if *number > 1 { format!("{} (trace {number})", Shown(key)) } else { Shown(key).to_string() };
        let at = decided_by.as_ref().map_or_else(
            || "at its end".to_owned(),
            |state| format!("at position {} ({})", state.position, state_text(state)),
        );
        writeln!(out, "      {name}: {at}")?;
    }
    let more = property.violated - property.first_violations.len() as u64;
    if more > 0 { writeln!(out, "      {DIM}… and {more} more{DIM:#}") } else { Ok(()) }
}

/// What is said of an end, and why it came before that of the input.
fn ends(ending: Ending) -> (&'static str, &'static str) {
    match ending {
        Ending::Complete => ("end", ""),
        Ending::CutShort => ("stopped", ""),
        Ending::Decided => ("stopped", "; every verdict is final, and what comes next was not read"),
        Ending::Violated => ("stopped", "; a property is violated, and what comes next was not read"),
    }
}

/// The line of a monitor about the value of a query so far.
pub fn value_line(position: u64, query: &MeasuredQuery<'_>) -> String {
    let (known, settled) = known_text(query, position + 1);
    format!("{position:>POSITION_WIDTH$}  {} = {known}{DIM}{settled}{DIM:#}\n", Shown(query.name))
}

/// What is known of a query after so many states, and for how many of them if it is not all.
fn known_text(query: &MeasuredQuery<'_>, states: u64) -> (String, String) {
    match &query.known {
        Known::Value { value, settled, tolerance } => {
            let settled = settled
                .filter(|settled| *settled < states)
                .map(|settled| format!("  of the first {}", counted(settled as usize, "state")));
            let about = tolerance.map(|tolerance| format!(" ({})", within(tolerance))).unwrap_or_default();
            (measured_or_none(query.measure, value.as_ref()) + &about, settled.unwrap_or_default())
        }
        Known::Failed(message) => (format!("{UNKNOWN}: {}", Shown(message)), String::new()),
        Known::GaveUp(gave_up) => {
            (format!("{UNKNOWN}: {}", given_up(&Abandoned::Limit(gave_up.clone()))), String::new())
        }
    }
}

/// Writes the value of a query at the end.
fn write_end_value(out: &mut impl Write, query: &MeasuredQuery<'_>, states: u64) -> io::Result<()> {
    let (known, settled) = known_text(query, states);
    let (name, text) = (Shown(query.name), Shown(query.query));
    writeln!(out, "{BOLD}{name} = {known}{BOLD:#}{DIM}{settled}  {text}{DIM:#}")?;
    match query.description {
        Some(description) => writeln!(out, "    {}", Shown(description)),
        None => Ok(()),
    }
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
