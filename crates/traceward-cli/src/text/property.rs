//! Verdicts on properties, and what speaks for them.

use super::query::write_summary;
use super::response::response_lines;
use super::runs::{write_coverage, write_waiting};
use super::units::{column_name, counted, measured, moment, moment_after, percent, state_value};
use super::walkthrough::write_walkthrough;
use super::why::write_why;
use super::{BAD, DIM, GOOD, OPEN, source_text};
use anstyle::Style;
use std::io::{self, Write};
use traceward::engine::EngineStatistics;
use traceward::message::Shown;
use traceward::report::{Compared, Cost, Counterpart, KeyVerdict, KeysReport, OwedReport, Violation, Violations};
use traceward::{Evidence, PropertyReport, Report, Value, Verdict};

/// The sign of a verdict.
pub fn sign(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Satisfied | Verdict::Holding => "✓",
        Verdict::Violated => "✗",
        Verdict::Pending => "…",
    }
}

pub(super) fn signs(verdict: Verdict) -> (&'static str, Style) {
    let style = match verdict {
        Verdict::Satisfied | Verdict::Holding => GOOD,
        Verdict::Violated => BAD,
        Verdict::Pending => OPEN,
    };
    (sign(verdict), style)
}

pub(super) fn write_property(out: &mut impl Write, property: &PropertyReport, report: &Report) -> io::Result<()> {
    // Taken apart field by field, so that none is left out unnoticed. Which engine answered, and
    // whether an earlier one could have, is asked by programs only.
    #[rustfmt::skip]
    let PropertyReport {
        name, description, formula, verdict, engine, decided_at, decided_exact: _, cost, truth, vacuous, evidence,
        responses, keys, walkthrough,
    } = property;
    let (mark, style) = if vacuous.is_some() { ("✓", OPEN) } else { signs(*verdict) };
    let (name, formula) = (Shown(name), Shown(formula));
    let vacuously = vacuous.as_deref().map(vacuously).unwrap_or_default();
    let is_open = is_unanswered(property, report);
    let verdict = verdict_word(*verdict, is_open);
    writeln!(out, "{style}{mark} {verdict}{vacuously}{style:#}  {name}  {DIM}{formula}{DIM:#}")?;
    if let Some(description) = description {
        writeln!(out, "    {}", Shown(description))?;
    }
    write_evidence(out, evidence, *decided_at, report.trace.states)?;
    response_lines(responses).iter().try_for_each(|line| writeln!(out, "    {line}"))?;
    match cost {
        Cost::NotAsked => {}
        Cost::Unknown => writeln!(out, "    {}", statistics_text(engine.name(), None))?,
        Cost::Known(statistics) => writeln!(out, "    {}", statistics_text(engine.name(), Some(*statistics)))?,
    }
    if let Some(keys) = keys {
        write_keys(out, keys, is_open)?;
    }
    if let Some(found) = &evidence.coverage {
        write_coverage(out, found, evidence.waiting.as_deref().unwrap_or_default())?;
    }
    evidence.waiting.iter().flatten().try_for_each(|one| write_waiting(out, one))?;
    if let Some(truth) = truth {
        writeln!(out, "    holds at {} of {}: {truth}", truth.count_ones(), counted(truth.len(), "position"))?;
    }
    if let Some(walkthrough) = walkthrough {
        write_walkthrough(out, engine.name(), walkthrough)?;
    }
    Ok(())
}

/// Whether it could not be found out if a property is violated for good.
fn is_unanswered(property: &PropertyReport, report: &Report) -> bool {
    let mut open = report.warnings.iter().filter(|warning| warning.kind.leaves_unanswered());
    open.any(|warning| warning.about.as_ref().is_some_and(|about| about.name() == property.name))
}

/// A verdict in words: what is pending may be violated for good where that could not be found out.
fn verdict_word(verdict: Verdict, is_open: bool) -> String {
    match verdict {
        Verdict::Pending if is_open => "pending or violated".to_owned(),
        verdict => verdict.to_string(),
    }
}

/// What is said of a property that is satisfied because a trigger never happened.
pub(super) fn vacuously(trigger: &str) -> String {
    format!(", vacuously: `{}` never holds", Shown(trigger))
}

pub(super) fn write_evidence(
    out: &mut impl Write,
    evidence: &Evidence,
    decided_at: Option<usize>,
    states: usize,
) -> io::Result<()> {
    // Coverage and waiting stand behind what is said of keys.
    let Evidence { violations, judged_at, owed, owed_since: _, compared, coverage: _, waiting: _ } = evidence;
    if let Some(compared) = compared {
        writeln!(out, "    {}", compared_text(compared))?;
    }
    if let Some(found) = violations {
        write_violations(out, found, states, "    ")?;
    }
    if let Some(first) = judged_at {
        writeln!(out, "    judged at {}", violation_text(first))?;
        write_reasons(out, first, "      ")?;
        write_missing(out, [first])?;
    }
    if let Some(position) = decided_at {
        writeln!(out, "    decided at position {position}")?;
    }
    owed.iter().try_for_each(|one| writeln!(out, "    {}", owed_text(one)))
}

/// The values that an assert compared.
pub fn compared_text(Compared { value, with, measure }: &Compared) -> String {
    let side = |value: &Option<Value>| match value {
        Some(value) => measured(measure, value),
        None => "no value".to_owned(),
    };
    match (value, with) {
        (Some(value), Counterpart::Constant(_)) => format!("its value is {}", measured(measure, value)),
        (None, Counterpart::Constant(_)) => "it has no value".to_owned(),
        (value, Counterpart::Query(other)) => format!("{} on the left, {} on the right", side(value), side(other)),
    }
}

/// The highest cost of an engine.
pub fn statistics_text(engine: &str, statistics: Option<EngineStatistics>) -> String {
    let Some(statistics) = statistics else {
        return format!(
            "{engine} does not count what it keeps; \
             breadth-first, forward-backward, forward-backward-dag, generic and streaming tell what they keep"
        );
    };
    let EngineStatistics { peak_configurations, peak_nodes, peak_leaves, peak_waiting, peak_bytes } = statistics;
    let part = |count: Option<usize>, what| count.map(|count| counted(count, what));
    let parts = [
        part(peak_configurations, "configuration"),
        part(peak_nodes, "node"),
        part(peak_leaves, "waiting timer"),
        part(peak_waiting, "waiting span"),
        Some(counted(peak_bytes, "byte")),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    format!("{engine} had at most {}", parts.join(", "))
}

/// The times between which something is owed.
fn owed_time_text(from: Option<i64>, until: Option<i64>) -> String {
    match (from.map(moment), until.map(moment)) {
        (Some(from), Some(until)) => format!(", between {from} and {until}"),
        (Some(from), None) => format!(", from {from} on"),
        (None, Some(until)) => format!(", by {until} at the latest"),
        (None, None) => String::new(),
    }
}

/// An obligation, with since when and until when.
pub fn owed_text(owed: &OwedReport) -> String {
    let verb = if owed.is_necessary { "owes" } else { "could be satisfied by" };
    let when = match (owed.from, owed.until) {
        (None, None) => owed_time_text(owed.from_time, owed.until_time),
        (Some(from), Some(until)) if from == until => format!(", at position {until}"),
        (Some(from), Some(until)) => format!(", between positions {from} and {until}"),
        (Some(from), None) => format!(", from position {from} on"),
        (None, Some(until)) => format!(", by position {until} at the latest"),
    };
    format!("{verb} `{}` since position {} (line {}){when}", Shown(&owed.obligation), owed.since, owed.line)
}

pub(super) fn write_violations(
    out: &mut impl Write,
    found: &Violations,
    states: usize,
    indent: &str,
) -> io::Result<()> {
    if found.count == 0 {
        return Ok(());
    }
    writeln!(out, "{indent}fails at {} of {}:", found.count, counted(states, "position"))?;
    for violation in &found.first {
        writeln!(out, "{indent}  {}", violation_text(violation))?;
        write_reasons(out, violation, &format!("{indent}    "))?;
    }
    if found.count > found.first.len() {
        let more = found.count - found.first.len();
        writeln!(out, "{indent}  {DIM}… and {more} more (--max-violations){DIM:#}")?;
    }
    write_missing(out, &found.first)
}

fn write_reasons(out: &mut impl Write, violation: &Violation, indent: &str) -> io::Result<()> {
    violation.why.iter().try_for_each(|why| write_why(out, why, violation.line, indent))
}

/// Writes the way out where missing values may have decided violations.
pub(super) fn write_missing<'a>(
    out: &mut impl Write,
    found: impl IntoIterator<Item = &'a Violation>,
) -> io::Result<()> {
    missing_text(found).map_or(Ok(()), |text| writeln!(out, "    {text}"))
}

/// The way out where missing values may have decided violations.
pub fn missing_text<'a>(found: impl IntoIterator<Item = &'a Violation>) -> Option<String> {
    let text = |one: &'a Violation| {
        let here = one.missing.iter().map(|name| column_name(name));
        here.chain(one.missing_earlier.iter().map(|past| Shown(past).to_string()))
    };
    let mut names: Vec<String> = found.into_iter().flat_map(text).collect();
    names.sort_unstable();
    names.dedup();
    if names.is_empty() {
        return None;
    }
    let defined: Vec<String> = names.iter().map(|name| format!("defined({name})")).collect();
    let them = if names.len() == 1 { "it" } else { "them" };
    Some(format!("to leave out states without {them}: {} -> …", defined.join(" & ")))
}

/// A state that speaks for a verdict.
pub fn violation_text(violation: &Violation) -> String {
    let values: Vec<String> =
        violation.values.iter().map(|(name, value)| format!("{} = {}", Shown(name), state_value(value))).collect();
    let time = violation.time.map(|time| format!(", {}", moment_after(violation.first_time, time))).unwrap_or_default();
    let separator = if values.is_empty() { "" } else { ": " };
    let values = values.join(", ");
    let missing: Vec<String> = violation.missing.iter().map(|name| column_name(name)).collect();
    let missing = match &missing[..] {
        [] => String::new(),
        [one] => format!("; {one} is missing"),
        [others @ .., last] => format!("; {} and {last} are missing", others.join(", ")),
    };
    let source = source_text(violation.source.as_ref());
    format!("position {} (line {}{source}{time}){separator}{values}{missing}", violation.position, violation.line)
}

/// The first state that speaks for the verdict on a key.
fn first_state(key: &KeyVerdict) -> Option<&Violation> {
    let Evidence { violations, judged_at, .. } = &key.evidence;
    violations.as_ref().and_then(|found| found.first.first()).or(judged_at.as_ref())
}

pub(super) fn write_keys<'a>(out: &mut impl Write, keys: &'a KeysReport, is_open: bool) -> io::Result<()> {
    let KeysReport { checked, violated, vacuous: _, verdicts: _, first_violations, compared } = keys;
    writeln!(out, "    {}{}", verdicts_text(keys, is_open), if *violated == 0 { "" } else { ":" })?;
    for one in first_violations {
        let first = first_state(one).map(|violation| format!(": first at {}", violation_text(violation)));
        let why = first.or_else(|| one.evidence.compared.as_ref().map(|found| format!(": {}", compared_text(found))));
        writeln!(out, "      {}{}", Shown(&one.label()), why.unwrap_or_default())?;
        first_state(one).map_or(Ok(()), |violation| write_reasons(out, violation, "        "))?;
    }
    let first = |one: &'a KeyVerdict| first_state(one).into_iter();
    write_missing(out, first_violations.iter().flat_map(first))?;
    if *violated > first_violations.len() {
        let more = violated - first_violations.len();
        writeln!(out, "      {DIM}… and {more} more (--max-violations, --keys-to FILE.csv){DIM:#}")?;
    }
    match compared {
        Some(summary) if *checked > 1 => write_summary(out, summary),
        _ => Ok(()),
    }
}

/// How many keys have each verdict.
fn verdicts_text(keys: &KeysReport, is_open: bool) -> String {
    let count = |verdict| keys.verdicts.iter().filter(|one| **one == verdict).count();
    let all = [Verdict::Satisfied, Verdict::Holding, Verdict::Pending, Verdict::Violated];
    let split: Vec<(Verdict, usize)> =
        all.map(|verdict| (verdict, count(verdict))).into_iter().filter(|(_, count)| *count > 0).collect();
    let checked = counted(keys.checked, "key");
    if let [] | [_] = &split[..] {
        let vacuously = if keys.vacuous > 0 { format!(", {} of them vacuously", keys.vacuous) } else { String::new() };
        return format!("for each of {checked}{vacuously}");
    }
    let share = |(verdict, count): &(Verdict, usize)| {
        let is_vacuous = *verdict == Verdict::Satisfied && keys.vacuous > 0;
        let vacuously = if is_vacuous { format!(", {} vacuously", keys.vacuous) } else { String::new() };
        let verdict = verdict_word(*verdict, is_open);
        format!("{verdict} for {count} ({}{vacuously})", percent(*count, keys.checked))
    };
    format!("{} of {checked}", split.iter().map(share).collect::<Vec<_>>().join(", "))
}
