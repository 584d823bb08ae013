//! What was measured.

use super::experiment::{self, write_experiment};
use super::histogram::{self, write_histogram};
use super::units::{counted, measured, measured_briefly, measured_or_none, percent, shortened};
use super::{BOLD, DIM};
use std::io::{self, Write};
use std::sync::Arc;
use traceward::Value;
use traceward::engine::{Tolerance, ToleranceKind};
use traceward::message::{Shown, lined_up};
use traceward::report::{Frequencies, Numbers, QueryReport, QueryValue, Spread, Summary};

/// The most keys whose values are told one by one.
const FEW_KEYS: usize = 10;

pub(super) fn write_query(out: &mut impl Write, query: &QueryReport) -> io::Result<()> {
    let QueryReport { name, description, query: text, value, everywhere, measure, .. } = query;
    let QueryReport { unanswered, tolerance, points: _, .. } = query;
    let (name, text) = (Shown(name), Shown(text));
    let value_here = value_in_heading(query).map(|value| format!(" = {value}")).unwrap_or_default();
    writeln!(out, "{BOLD}{name}{value_here}{BOLD:#}  {DIM}{text}{DIM:#}")?;
    match (everywhere, value) {
        (Some(Ok(report)), _) => write_experiment(out, query, report)?,
        (Some(Err(message)), _) => writeln!(out, "    no summary over all positions: {}", Shown(message))?,
        (None, QueryValue::Whole(Some(value))) => write_histogram(out, measure, value)?,
        (None, QueryValue::Whole(None)) => {}
        (None, QueryValue::ByKey { values, summary }) => write_values(out, values, summary)?,
    }
    if let Some(description) = description {
        writeln!(out, "    {}", Shown(description))?;
    }
    if let Some(tolerance) = tolerance {
        writeln!(out, "    approximate, {}", within(*tolerance))?;
    }
    match unanswered {
        Some(0) | None => Ok(()),
        // A latency alone has said so.
        Some(_) if experiment::is_latency(query) => Ok(()),
        Some(count) => writeln!(out, "    {} never answered", counted(*count, "request")),
    }
}

/// How good an approximate value is.
pub fn within(Tolerance { relative, kind }: Tolerance) -> String {
    // A hundred times the part may have digits that nobody wrote.
    let percent = (relative * 1e8).round() / 1e6;
    match kind {
        ToleranceKind::Certain => format!("within {percent}%"),
        ToleranceKind::Likely => format!("within {percent}% in 99 of 100 cases"),
        ToleranceKind::Borders => format!("numbers within {percent}% of a border may be counted beyond it"),
        ToleranceKind::Frequency => {
            format!("another value may be more frequent, by up to {percent}% of all values")
        }
    }
}

/// The value behind the name. What an experiment is at position 0 is not what it is, so it is said
/// where it is; of a latency it says nothing.
fn value_in_heading(query: &QueryReport) -> Option<String> {
    let QueryValue::Whole(value) = &query.value else { return None };
    match (&query.everywhere, value) {
        (Some(Ok(_)), None) => None,
        (Some(Ok(_)), Some(_)) if experiment::is_latency(query) => None,
        (Some(_), value) => Some(format!("{} at position 0", measured_or_none(&query.measure, value.as_ref()))),
        (None, Some(value)) if histogram::is_histogram(value) => None,
        (None, value) => Some(measured_or_none(&query.measure, value.as_ref())),
    }
}

/// Writes the values of few keys one by one, of many only the worst, and what all come to.
fn write_values(out: &mut impl Write, values: &[(Arc<str>, Option<Value>)], summary: &Summary) -> io::Result<()> {
    let measure = &summary.measure;
    let are_few = values.len() <= FEW_KEYS;
    if are_few {
        let told =
            values.iter().map(|(key, value)| (Shown(key).to_string(), measured_or_none(measure, value.as_ref())));
        write_pairs(out, told.collect(), "    ")?;
    }
    write_summary(out, summary)?;
    match &summary.spread {
        Spread::Numbers(Numbers { worst, .. }) if !are_few && !worst.is_empty() => {
            writeln!(out, "    the largest:")?;
            let told = worst.iter().map(|(key, value)| (Shown(key).to_string(), measured(measure, value)));
            write_pairs(out, told.collect(), "      ")?;
            writeln!(out, "      {DIM}… and {} more (--format json){DIM:#}", values.len() - worst.len())
        }
        _ => Ok(()),
    }
}

/// Writes what the values of a query come to over all keys.
pub(super) fn write_summary(out: &mut impl Write, summary: &Summary) -> io::Result<()> {
    let keys = counted(summary.keys, "key");
    let without = without_value(summary);
    match &summary.spread {
        Spread::Nothing => writeln!(out, "    over {keys}: none has a value"),
        Spread::Numbers(Numbers { min, median, p90, p99, max, mean, worst: _ }) => {
            let [min, median, p90, p99, max, mean] =
                [min, median, p90, p99, max, mean].map(|value| measured_briefly(&summary.measure, value));
            let spread = format!("min {min}, median {median}, p90 {p90}, p99 {p99}, max {max}, mean {mean}");
            writeln!(out, "    over {keys}: {spread}; {without}")
        }
        Spread::Others(Frequencies { distinct, most }) => {
            writeln!(out, "    over {keys}: {}; {without}", counted(*distinct, "different value"))?;
            write_frequencies(out, most, *distinct, &|count| {
                format!("{} ({})", counted(count, "key"), percent(count, summary.keys))
            })
        }
    }
}

/// Writes the most frequent values with how frequent they are, and how many there are beside them.
pub(super) fn write_frequencies(
    out: &mut impl Write,
    most: &[(Value, usize)],
    distinct: usize,
    share: &dyn Fn(usize) -> String,
) -> io::Result<()> {
    let told = most.iter().map(|(value, count)| (shortened(&value.to_string()), share(*count)));
    write_pairs(out, told.collect(), "      ")?;
    match distinct - most.len() {
        0 => Ok(()),
        more => writeln!(out, "      {DIM}… and {more} more{DIM:#}"),
    }
}

/// Writes a line for each pair, with the second parts below each other.
pub(super) fn write_pairs(out: &mut impl Write, pairs: Vec<(String, String)>, indent: &str) -> io::Result<()> {
    let width = lined_up(pairs.iter().map(|(first, _)| first.chars().count()));
    pairs.iter().try_for_each(|(first, second)| writeln!(out, "{indent}{first:<width$}  {second}"))
}

fn without_value(summary: &Summary) -> String {
    let share = percent(summary.without_value, summary.keys);
    match summary.without_value {
        0 => "each has a value".to_owned(),
        1 => format!("1 ({share}) has no value"),
        count => format!("{count} ({share}) have no value"),
    }
}
