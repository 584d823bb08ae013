//! Which parts of a property mattered, and how long eventualities waited.

use super::DIM;
use super::units::{counted, elapsed};
use std::io::{self, Write};
use traceward::message::Shown;
use traceward::report::{CoverageReport, CoveredPart, Distribution, Fate, RunCoverage, WaitingReport, WorstWait};

/// Writes which parts mattered. How often the eventualities were asked that have waited is told
/// with how long they did.
pub(super) fn write_coverage(out: &mut impl Write, found: &CoverageReport, waited: &[WaitingReport]) -> io::Result<()> {
    unused_lines(found).iter().try_for_each(|line| writeln!(out, "    {line}"))?;
    asked_lines(found, waited).iter().try_for_each(|line| writeln!(out, "    {DIM}{line}{DIM:#}"))
}

/// The parts that never mattered, and then how often the others were asked.
pub fn coverage_lines(found: &CoverageReport) -> Vec<String> {
    unused_lines(found).into_iter().chain(asked_lines(found, &[])).collect()
}

fn unused_lines(found: &CoverageReport) -> Vec<String> {
    let mut reasons: Vec<Option<&String>> = found.unused.iter().map(|one| one.never_happened.as_ref()).collect();
    reasons.sort();
    reasons.dedup();
    let line = |reason: Option<&String>| {
        let parts = found.unused.iter().filter(|one| one.never_happened.as_ref() == reason);
        let parts: Vec<String> = parts.map(|one| format!("`{}`", Shown(&one.part))).collect();
        let parts = parts.join(" and ");
        match reason {
            Some(never) => format!("`{}` never happened: {parts} never mattered", Shown(never)),
            None => format!("{parts} never mattered"),
        }
    };
    reasons.into_iter().map(line).collect()
}

fn asked_lines(found: &CoverageReport, waited: &[WaitingReport]) -> Vec<String> {
    let is_told = |one: &CoveredPart| waited.iter().any(|waited| waited.part == one.part);
    // The first part is the whole.
    let parts = found.parts.iter().skip(1).filter(|one| one.asked > 0 && one.is_temporal && !is_told(one));
    let asked = |one: &CoveredPart| {
        let unmet = match one.asked - one.met {
            0 => String::new(),
            unmet => format!(", {unmet} of them in vain"),
        };
        format!("`{}` was asked {}{unmet}", Shown(&one.part), counted(one.asked, "time"))
    };
    parts.map(asked).chain(found.runs.as_ref().and_then(runs_line)).collect()
}

fn runs_line(runs: &RunCoverage) -> Option<String> {
    let covered = runs.covered?;
    let visits = counted(runs.rejecting_visits_tree.unwrap_or(0) as usize, "time");
    let slices = runs.rejecting_visits_slices.map(|count| format!(" ({count} by slices)")).unwrap_or_default();
    let nodes = counted(runs.nodes, "node");
    Some(format!("every run visits {covered} of {nodes}, and rejecting ones {visits} at the least{slices}"))
}

pub(super) fn write_waiting(out: &mut impl Write, one: &WaitingReport) -> io::Result<()> {
    let mut lines = waiting_lines(one).into_iter();
    lines.next().map_or(Ok(()), |first| writeln!(out, "    {first}"))?;
    lines.try_for_each(|line| writeln!(out, "      {line}"))?;
    worst_lines(one).iter().try_for_each(|line| writeln!(out, "      {DIM}{line}{DIM:#}"))
}

/// How often an eventuality was asked, and how long it waited.
pub fn waiting_lines(one: &WaitingReport) -> Vec<String> {
    let asked = format!("`{}` was asked {}{}", Shown(&one.part), counted(one.asked as usize, "time"), fates(one));
    let steps = one.steps.as_ref().map(|steps| distribution_text(steps, |steps| steps.to_string(), " steps"));
    let time = one.time.as_ref().map(|time| distribution_text(time, elapsed, ""));
    [asked].into_iter().chain(steps).chain(time).collect()
}

/// The waits that were worst.
pub fn worst_lines(one: &WaitingReport) -> Vec<String> {
    one.worst.iter().filter(|worst| is_told(worst)).map(worst_text).collect()
}

/// What became of an eventuality where it did not come in time.
fn fates(one: &WaitingReport) -> String {
    let fates = [
        (one.late, "late"),
        (one.broken, "too late for what had to hold until then"),
        (one.never, "never met"),
        (one.open, "still open"),
    ];
    let fates = fates.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!(", {count} {what}"));
    fates.collect()
}

fn distribution_text(found: &Distribution, text: impl Fn(u64) -> String, unit: &str) -> String {
    let Distribution { least, median, p90, p99, most, average } = found;
    let average = match unit {
        "" => text(*average as u64),
        _ => ((average * 1e3).round() / 1e3).to_string(),
    };
    let [least, median, p90, p99, most] = [least, median, p90, p99, most].map(|value| text(*value));
    format!("waited {least} to {most}{unit}: median {median}, p90 {p90}, p99 {p99}, {average} on average")
}

/// What came at once is not worth a line.
fn is_told(worst: &WorstWait) -> bool {
    worst.came.as_ref().is_none_or(|came| came.position != worst.since.position)
}

fn worst_text(worst: &WorstWait) -> String {
    let WorstWait { key, since, came, fate } = worst;
    let of = key.as_ref().map(|key| format!("{}, ", Shown(key))).unwrap_or_default();
    let Some(came) = came else {
        let what = if *fate == Fate::Open { "still open" } else { "never" };
        return format!("from {of}line {}: {what}", since.line);
    };
    let steps = counted(came.position.abs_diff(since.position), "step");
    let time = since.time.zip(came.time).map(|(one, other)| format!(", {}", elapsed(one.abs_diff(other))));
    format!("from {of}line {} to line {}: {steps}{}", since.line, came.line, time.unwrap_or_default())
}
