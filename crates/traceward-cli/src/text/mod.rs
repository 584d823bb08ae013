//! Answers for people.

mod experiment;
mod histogram;
mod hygiene;
mod inspection;
mod monitor;
mod property;
mod query;
mod response;
mod runs;
mod units;
mod walkthrough;
mod why;

use crate::input;
use anstyle::{AnsiColor, Style};
pub use experiment::{heading as experiment_heading, sample_place};
pub use histogram::{buckets, counted_values, is_histogram};
pub use hygiene::{comparison, lint};
pub use inspection::inspection;
pub use monitor::{
    Decided, decision_line, keyed_end, monitor_end, monitor_line, monitor_stopped, observed_line, unknown_line,
    value_line,
};
use property::write_property;
pub use property::{compared_text, missing_text, owed_text, sign, statistics_text, violation_text};
pub use query::within;
use query::write_query;
pub use response::response_lines;
pub use runs::{coverage_lines, waiting_lines, worst_lines};
use std::io::{self, Write};
use std::path::Path;
use traceward::input::{LineUnit, Note, SourcePlace};
use traceward::message::Shown;
use traceward::report::{Warning, WarningKind};
use traceward::{Goal, Report, Verdict};
use units::elapsed;
pub use units::{counted, measured_briefly, measured_or_none, moment, number_text, shown as shown_value};
pub use why::why_lines;

const GOOD: Style = AnsiColor::Green.on_default().bold();
const BAD: Style = AnsiColor::Red.on_default().bold();
const OPEN: Style = AnsiColor::Yellow.on_default().bold();
const DIM: Style = Style::new().dimmed();
const BOLD: Style = Style::new().bold();

/// Writes what was found out about one trace.
pub fn report(out: &mut impl Write, path: &Path, report: &Report, goal: Goal) -> io::Result<()> {
    writeln!(out, "{BOLD}{}{BOLD:#}: {}", input::name(path), extent(report))?;
    for property in &report.properties {
        write_property(out, property, report)?;
    }
    for query in &report.queries {
        write_query(out, query)?;
    }
    if let Some(table) = &report.trace.table {
        writeln!(out)?;
        table.trim_end().lines().try_for_each(|line| writeln!(out, "{}", Shown(line)))?;
    }
    for note in notes(report) {
        writeln!(out, "{DIM}note: {note}{DIM:#}")?;
    }
    if goal == Goal::Check && report.properties.len() > 1 {
        let violated = report.properties.iter().filter(|property| property.verdict == Verdict::Violated).count();
        writeln!(out, "{violated} of {} properties violated", report.properties.len())?;
    }
    Ok(())
}

/// A probable mistake in what was asked of a trace.
pub fn warning(path: &Path, warning: &Warning) -> String {
    let Warning { kind, about, is_urgent: _ } = warning;
    let about = about.as_ref().map(|about| format!("{}: ", about.name())).unwrap_or_default();
    let severity = match kind {
        kind if kind.leaves_unanswered() => "error",
        kind if is_a_note(kind) => "note",
        _ => "warning",
    };
    let help = match kind {
        WarningKind::NotFollowed { .. } => "\n  help: without --prefix it is judged as if the trace ended here",
        _ => "",
    };
    format!("{severity}: {}: {}{help}", input::name(path), Shown(&format!("{about}{kind}")))
}

/// Whether a warning only says how something is read.
pub fn is_a_note(kind: &WarningKind) -> bool {
    matches!(kind, WarningKind::StepsBesideTime { .. } | WarningKind::StepsAreChanges { .. })
}

/// How large a trace is.
pub fn extent(report: &Report) -> String {
    let trace = &report.trace;
    let mut text = counted(trace.states, "state");
    if let Some(keys) = &trace.keys {
        text.push_str(&format!(" in {}", counted(keys.len(), "key")));
    }
    if let Some((first, last)) = trace.span {
        text.push_str(&format!(", {}", elapsed(last.abs_diff(first))));
    }
    if trace.line_unit == LineUnit::Row {
        text.push_str("; a line is a row of the table");
    }
    text
}

/// Whether a note belongs to the answer; the others are asides about the input, and no part of the
/// results.
pub fn is_about_the_answer(note: &Note) -> bool {
    matches!(note, Note::EmptyInput | Note::HeaderOnly | Note::NoRows)
}

/// What is to be known of a trace beside the answer.
pub fn notes(report: &Report) -> Vec<String> {
    let trace = &report.trace;
    let mut notes: Vec<String> =
        trace.notes.iter().filter(|note| is_about_the_answer(note)).map(ToString::to_string).collect();
    if trace.states == 0 && notes.is_empty() {
        notes.push("the trace is empty".into());
    }
    notes.extend(trace.missing.iter().map(|(name, count)| missing(name, *count as u64, trace.states as u64)));
    notes
}

/// What is to be known of a variable that had no value in some states.
pub fn missing(name: &str, count: u64, states: u64) -> String {
    let of = counted(states as usize, "state");
    format!("`{}` is missing in {count} of {of}; what is asked of it is false there", Shown(name))
}

/// The place in a program at which a state came about, behind its line.
fn source_text(source: Option<&SourcePlace>) -> String {
    source.map(|source| format!(", {source}")).unwrap_or_default()
}

/// The least width of a position in the lines of a monitor.
pub const POSITION_WIDTH: usize = 8;
