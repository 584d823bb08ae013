//! What an experiment has measured at all positions.

use super::query::{write_frequencies, write_pairs};
use super::units::{counted, measured_briefly, moment, percent, shortened};
use std::io::{self, Write};
use traceward::report::{
    ExperimentReport, Figures, Findings, Frequencies, Measure, Place, QueryReport, QueryValue, Sample,
};

/// Whether a query is a latency and nothing else: its largest values are answers that came late.
pub(super) fn is_latency(query: &QueryReport) -> bool {
    query.everywhere.as_ref().is_some_and(|everywhere| everywhere.as_ref().is_ok_and(|report| report.is_latency))
}

/// Writes what the values at all positions come to.
pub(super) fn write_experiment(out: &mut impl Write, query: &QueryReport, report: &ExperimentReport) -> io::Result<()> {
    let heading = heading(query, report);
    match &report.findings {
        Findings::Nothing => writeln!(out, "    {heading}"),
        Findings::Numbers(figures) => {
            writeln!(out, "    {heading}")?;
            writeln!(out, "    {}", spread(&query.measure, figures))?;
            writeln!(out, "    the {}:", if is_latency(query) { "slowest" } else { "largest" })?;
            write_largest(out, &query.measure, &figures.largest)
        }
        Findings::Others(Frequencies { distinct, most }) => {
            writeln!(out, "    {heading}; {}", counted(*distinct, "different value"))?;
            write_frequencies(out, most, *distinct, &|count| format!("{count} ({})", percent(count, report.count)))
        }
    }
}

/// How many values there are.
pub fn heading(query: &QueryReport, report: &ExperimentReport) -> String {
    if report.is_latency { of_requests(query, report) } else { of_positions(query, report) }
}

/// How many requests were answered.
fn of_requests(query: &QueryReport, report: &ExperimentReport) -> String {
    let unanswered = query.unanswered.unwrap_or(0);
    let never = if unanswered == 0 { String::new() } else { format!(", {unanswered} never answered") };
    match report.count + unanswered {
        0 => format!("no request{}", over_keys(query)),
        requests => format!("{}: {} answered{never}{}", counted(requests, "request"), report.count, over_keys(query)),
    }
}

/// At how many positions there is a value.
fn of_positions(query: &QueryReport, report: &ExperimentReport) -> String {
    let positions = counted(report.positions, "position");
    let keys = over_keys(query);
    match report.count {
        0 => format!("no value at any of {positions}{keys}"),
        count if count == report.positions => format!("at all {positions}{keys}"),
        count => format!("at {count} of {positions}{keys}"),
    }
}

fn over_keys(query: &QueryReport) -> String {
    match &query.value {
        QueryValue::Whole(_) => String::new(),
        QueryValue::ByKey { values, .. } => format!(", over {}", counted(values.len(), "key")),
    }
}

fn spread(measure: &Measure, figures: &Figures) -> String {
    let Figures { min, median, p90, p99, max, mean, largest: _ } = figures;
    let [min, median, p90, p99, max, mean] =
        [min, median, p90, p99, max, mean].map(|value| measured_briefly(measure, value));
    format!("min {min}, p50 {median}, p90 {p90}, p99 {p99}, max {max}, mean {mean}")
}

fn write_largest(out: &mut impl Write, measure: &Measure, largest: &[Sample]) -> io::Result<()> {
    let told = largest.iter().map(|sample| (measured_briefly(measure, &sample.value), sample_place(sample)));
    write_pairs(out, told.collect(), "      ")
}

/// Where a value was measured: its key, position, line and time, and those of the answer.
pub fn sample_place(Sample { key, value: _, at, answered }: &Sample) -> String {
    let until = answered.as_ref().filter(|answered| answered.position != at.position);
    let part = |what: &dyn Fn(&Place) -> Option<String>| {
        let from = what(at)?;
        Some(until.and_then(what).map_or_else(|| from.clone(), |to| format!("{from} to {to}")))
    };
    let position = part(&|place| Some(place.position.to_string())).map(|text| format!("position {text}"));
    let line = part(&|place| Some(place.line.to_string())).map(|text| format!("line {text}"));
    let time = part(&|place| place.time.map(moment));
    let key = key.as_ref().map(|key| format!("key {}", shortened(key)));
    key.into_iter().chain(position).chain(line).chain(time).collect::<Vec<_>>().join(", ")
}
