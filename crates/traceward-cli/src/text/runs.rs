//! Which parts of a property mattered, and how long eventualities waited.

use super::DIM;
use super::units::{counted, elapsed};
use std::io::{self, Write};
use traceward::message::Shown;
use traceward::report::{CoverageReport, Distribution, Fate, WaitingReport, WorstWait};

pub(super) fn write_coverage(out: &mut impl Write, found: &CoverageReport) -> io::Result<()> {
    let mut reasons: Vec<Option<&String>> = found.unused.iter().map(|one| one.never_happened.as_ref()).collect();
    reasons.sort();
    reasons.dedup();
    for reason in reasons {
        let parts = found.unused.iter().filter(|one| one.never_happened.as_ref() == reason);
        let parts: Vec<String> = parts.map(|one| format!("`{}`", Shown(&one.part))).collect();
        let parts = parts.join(" and ");
        match reason {
            Some(never) => writeln!(out, "    `{}` never happened: {parts} never mattered", Shown(never))?,
            None => writeln!(out, "    {parts} never mattered")?,
        }
    }
    // The first part is the whole.
    for one in found.parts.iter().skip(1).filter(|one| one.asked > 0 && one.is_temporal) {
        let unmet = match one.asked - one.met {
            0 => String::new(),
            unmet => format!(", {unmet} of them in vain"),
        };
        writeln!(out, "    {DIM}`{}` was asked {}{unmet}{DIM:#}", Shown(&one.part), counted(one.asked, "time"))?;
    }
    let Some(runs) = &found.runs else { return Ok(()) };
    let Some(covered) = runs.covered else { return Ok(()) };
    let visits = runs.rejecting_visits_tree.unwrap_or(0);
    let slices = runs.rejecting_visits_slices.map(|count| format!(" ({count} by slices)")).unwrap_or_default();
    writeln!(
        out,
        "    {DIM}every run visits {covered} of {}, and rejecting ones {} at the least{slices}{DIM:#}",
        counted(runs.nodes, "node"),
        counted(visits as usize, "time"),
    )
}

pub(super) fn write_waiting(out: &mut impl Write, one: &WaitingReport) -> io::Result<()> {
    writeln!(out, "    `{}` was asked {}{}", Shown(&one.part), counted(one.asked as usize, "time"), fates(one))?;
    if let Some(steps) = &one.steps {
        writeln!(out, "      {}", distribution_text(steps, |steps| steps.to_string(), " steps"))?;
    }
    if let Some(time) = &one.time {
        writeln!(out, "      {}", distribution_text(time, elapsed, ""))?;
    }
    for worst in one.worst.iter().filter(|worst| is_told(worst)) {
        writeln!(out, "      {DIM}{}{DIM:#}", worst_text(worst))?;
    }
    Ok(())
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
