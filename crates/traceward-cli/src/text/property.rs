//! Verdicts on properties, and what speaks for them.

use super::units::{column_name, counted, moment, value_text};
use super::why::write_why;
use super::{BAD, DIM, GOOD, OPEN};
use anstyle::Style;
use std::io::{self, Write};
use std::sync::Arc;
use traceward::engine::EngineStatistics;
use traceward::message::Shown;
use traceward::report::{
    Compared, Cost, Counterpart, CoverageReport, KeyVerdict, KeysReport, OwedReport, Violation, Violations,
    WaitingReport,
};
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
        name, description, formula, verdict, engine, decided_at, decided_exact: _, cost, truth, vacuous, evidence, keys,
    } = property;
    let (mark, style) = if vacuous.is_some() { ("✓", OPEN) } else { signs(*verdict) };
    let (name, formula) = (Shown(name), Shown(formula));
    let vacuously = vacuous.as_deref().map(vacuously).unwrap_or_default();
    writeln!(out, "{style}{mark} {verdict}{vacuously}{style:#}  {name}  {DIM}{formula}{DIM:#}")?;
    if let Some(description) = description {
        writeln!(out, "    {}", Shown(description))?;
    }
    write_evidence(out, evidence, *decided_at, report.trace.states)?;
    match cost {
        Cost::NotAsked => {}
        Cost::Unknown => writeln!(out, "    {}", statistics_text(engine.name(), None))?,
        Cost::Known(statistics) => writeln!(out, "    {}", statistics_text(engine.name(), Some(*statistics)))?,
    }
    if let Some(keys) = keys {
        write_keys(out, keys)?;
    }
    if let Some(truth) = truth {
        writeln!(out, "    holds at {} of {}: {truth}", truth.count_ones(), counted(truth.len(), "position"))?;
    }
    Ok(())
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
    let Evidence { violations, judged_at, owed, owed_since: _, compared, coverage, waiting } = evidence;
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
    for one in owed {
        writeln!(out, "    {}", owed_text(one))?;
    }
    if let Some(found) = coverage {
        write_coverage(out, found)?;
    }
    waiting.iter().flatten().try_for_each(|one| write_waiting(out, one))
}

/// The values that an assert compared.
pub fn compared_text(Compared { value, with }: &Compared) -> String {
    let side = |value: &Option<Value>| value.as_ref().map_or_else(|| "no value".to_owned(), ToString::to_string);
    match (value, with) {
        (Some(value), Counterpart::Constant(_)) => format!("its value is {value}"),
        (None, Counterpart::Constant(_)) => "it has no value".to_owned(),
        (value, Counterpart::Query(other)) => format!("{} on the left, {} on the right", side(value), side(other)),
    }
}

/// The highest cost of an engine.
pub fn statistics_text(engine: &str, statistics: Option<EngineStatistics>) -> String {
    let Some(statistics) = statistics else {
        return format!(
            "{engine} keeps neither configurations nor a graph; \
             breadth-first, forward-backward, forward-backward-dag and generic do"
        );
    };
    let EngineStatistics { peak_configurations, peak_nodes, peak_leaves, peak_bytes } = statistics;
    let part = |count: Option<usize>, what| count.map(|count| counted(count, what));
    let parts = [
        part(peak_configurations, "configuration"),
        part(peak_nodes, "node"),
        part(peak_leaves, "waiting timer"),
        Some(counted(peak_bytes, "byte")),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    format!("{engine} had at most {}", parts.join(", "))
}

/// An obligation, with since when and until when.
pub fn owed_text(owed: &OwedReport) -> String {
    let verb = if owed.is_necessary { "owes" } else { "could be satisfied by" };
    let when = match (owed.from, owed.until) {
        (Some(from), Some(until)) if from == until => format!(", at position {until}"),
        (Some(from), Some(until)) => format!(", between positions {from} and {until}"),
        (Some(from), None) => format!(", from position {from} on"),
        (None, Some(until)) => format!(", by position {until} at the latest"),
        (None, None) => String::new(),
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
    let mut names: Vec<&Arc<str>> = found.into_iter().flat_map(|violation| &violation.missing).collect();
    names.sort_unstable();
    names.dedup();
    if names.is_empty() {
        return None;
    }
    let defined: Vec<String> = names.iter().map(|name| format!("defined({})", column_name(name))).collect();
    let them = if names.len() == 1 { "it" } else { "them" };
    Some(format!("to leave out states without {them}: {} -> …", defined.join(" & ")))
}

pub(super) fn write_coverage(out: &mut impl Write, found: &CoverageReport) -> io::Result<()> {
    let lines = coverage_lines(found);
    let Some((last, others)) = lines.split_last() else { return Ok(()) };
    others.iter().try_for_each(|line| writeln!(out, "    {line}"))?;
    writeln!(out, "    {DIM}{last}{DIM:#}")
}

/// The parts that never mattered, and then how much of the automaton did; nothing of a violated
/// property.
pub fn coverage_lines(found: &CoverageReport) -> Vec<String> {
    let Some(covered) = found.covered else { return Vec::new() };
    let mut lines = Vec::new();
    let mut reasons: Vec<Option<&String>> = found.unused.iter().map(|one| one.never_happened.as_ref()).collect();
    reasons.sort();
    reasons.dedup();
    for reason in reasons {
        let parts = found.unused.iter().filter(|one| one.never_happened.as_ref() == reason);
        let parts: Vec<String> = parts.map(|one| format!("`{}`", Shown(&one.part))).collect();
        let parts = parts.join(" and ");
        lines.push(match reason {
            Some(never) => {
                let never = Shown(never);
                format!("`{never}` never happened: the property held vacuously, {parts} never mattered")
            }
            None => format!("{parts} never mattered: the property holds without"),
        });
    }
    let visits = found.rejecting_visits_tree.unwrap_or(0);
    let slices = found.rejecting_visits_slices.map(|count| format!(" ({count} by slices)")).unwrap_or_default();
    lines.push(format!(
        "every run visits {covered} of {}, and rejecting ones {} at the least{slices}",
        counted(found.nodes, "node"),
        counted(visits as usize, "time"),
    ));
    lines
}

pub(super) fn write_waiting(out: &mut impl Write, one: &WaitingReport) -> io::Result<()> {
    let average = (one.average * 1e3).round() / 1e3;
    writeln!(
        out,
        "    `{}` waited {} to {} steps, {average} on average, {} asked",
        Shown(&one.part),
        one.least,
        one.most,
        counted(one.asked as usize, "time"),
    )
}

/// A state that speaks for a verdict.
pub fn violation_text(violation: &Violation) -> String {
    let values: Vec<String> =
        violation.values.iter().map(|(name, value)| format!("{} = {}", Shown(name), value_text(Some(value)))).collect();
    let time = violation.time.map(|time| format!(", {}", moment(time))).unwrap_or_default();
    let separator = if values.is_empty() { "" } else { ": " };
    let values = values.join(", ");
    let missing: Vec<String> = violation.missing.iter().map(|name| column_name(name)).collect();
    let missing = match &missing[..] {
        [] => String::new(),
        [one] => format!("; {one} is missing"),
        [others @ .., last] => format!("; {} and {last} are missing", others.join(", ")),
    };
    format!("position {} (line {}{time}){separator}{values}{missing}", violation.position, violation.line)
}

/// The first state that speaks for the verdict on a key.
fn first_state(key: &KeyVerdict) -> Option<&Violation> {
    let Evidence { violations, judged_at, .. } = &key.evidence;
    violations.as_ref().and_then(|found| found.first.first()).or(judged_at.as_ref())
}

pub(super) fn write_keys<'a>(out: &mut impl Write, keys: &'a KeysReport) -> io::Result<()> {
    if keys.violated == 0 {
        let count = |verdict| keys.verdicts.iter().filter(|one| **one == verdict).count();
        let split = [Verdict::Pending, Verdict::Holding, Verdict::Satisfied].map(|verdict| (verdict, count(verdict)));
        let split: Vec<String> = split
            .iter()
            .filter(|(_, count)| *count > 0 && *count < keys.checked)
            .map(|(verdict, count)| format!("{verdict} for {count}"))
            .collect();
        let vacuously = match keys.vacuous {
            0 => String::new(),
            count => format!(", {count} of them vacuously"),
        };
        return match &split[..] {
            [] => writeln!(out, "    for each of {}{vacuously}", counted(keys.checked, "key")),
            split => writeln!(out, "    {} of {}{vacuously}", split.join(", "), counted(keys.checked, "key")),
        };
    }
    writeln!(out, "    for {} of {}:", keys.violated, counted(keys.checked, "key"))?;
    for one in &keys.first_violations {
        let first = first_state(one).map(|violation| format!(": first at {}", violation_text(violation)));
        let why = first.or_else(|| one.evidence.compared.as_ref().map(|found| format!(": {}", compared_text(found))));
        writeln!(out, "      {}{}", Shown(&one.key), why.unwrap_or_default())?;
        first_state(one).map_or(Ok(()), |violation| write_reasons(out, violation, "        "))?;
    }
    let first = |one: &'a KeyVerdict| first_state(one).into_iter();
    write_missing(out, keys.first_violations.iter().flat_map(first))?;
    if keys.violated > keys.first_violations.len() {
        let more = keys.violated - keys.first_violations.len();
        writeln!(out, "      {DIM}… and {more} more (--max-violations, --keys-to FILE.csv){DIM:#}")?;
    }
    Ok(())
}
