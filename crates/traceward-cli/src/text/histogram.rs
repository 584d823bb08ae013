//! Histograms as bars.

use super::DIM;
use super::units::{number_text, percent, shortened};
use std::io::{self, Write};
use traceward::Value;
use traceward::report::Measure;

/// The longest bar, in characters.
const WIDEST: usize = 40;

/// The shortest bar that the longest one is drawn as, however narrow the terminal is.
const NARROWEST: usize = 10;

/// The most bars that are drawn of one histogram.
const MOST_BARS: usize = 50;

/// A line of a histogram.
struct Bar {
    label: String,
    count: u64,
}

/// Whether a value is a histogram.
pub fn is_histogram(value: &Value) -> bool {
    bars(&Measure::Plain, value).is_some()
}

/// Writes one line a bucket, if a value is a histogram: which values, how many, and a bar.
pub(super) fn write_histogram(out: &mut impl Write, measure: &Measure, value: &Value) -> io::Result<()> {
    match bars(measure, value) {
        Some(bars) => write_bars(out, &bars, terminal_width()),
        None => Ok(()),
    }
}

fn write_bars(out: &mut impl Write, bars: &[Bar], columns: Option<usize>) -> io::Result<()> {
    let shown = &bars[..bars.len().min(MOST_BARS)];
    let all: u64 = bars.iter().map(|bar| bar.count).sum();
    let most = bars.iter().map(|bar| bar.count).max().unwrap_or(0).max(1);
    let share = |bar: &Bar| percent(bar.count as usize, all as usize);
    let labels = shown.iter().map(|bar| bar.label.chars().count()).max().unwrap_or(0);
    let counts = shown.iter().map(|bar| bar.count.to_string().len()).max().unwrap_or(0);
    let shares = shown.iter().map(|bar| share(bar).chars().count()).max().unwrap_or(0);
    let taken = "      ".len() + labels + counts + shares + 4;
    let widest = columns.map_or(WIDEST, |columns| columns.saturating_sub(taken).clamp(NARROWEST, WIDEST));
    for bar in shown {
        let (label, count, share) = (&bar.label, bar.count, share(bar));
        let drawn = blocks(bar.count as f64 / most as f64, widest);
        let line = format!("    {label:<labels$}  {count:>counts$}  {share:>shares$}  {drawn}");
        writeln!(out, "{}", line.trim_end())?;
    }
    match bars.len() - shown.len() {
        0 => Ok(()),
        more => writeln!(out, "    {DIM}… and {more} more (--format json){DIM:#}"),
    }
}

/// The bars of a histogram.
fn bars(measure: &Measure, value: &Value) -> Option<Vec<Bar>> {
    let edges = match measure {
        Measure::Buckets(edges) => edges,
        other => other,
    };
    if let Some(buckets) = buckets(value) {
        let last = buckets.len() - 1;
        let bar = |(index, (from, to, count)): (usize, (f64, f64, u64))| Bar {
            label: interval(edges, from, to, index == last),
            count,
        };
        return Some(buckets.into_iter().enumerate().map(bar).collect());
    }
    let counted = counted_values(value)?.into_iter();
    Some(counted.map(|(value, count)| Bar { label: shortened(&value.to_string()), count }).collect())
}

/// The buckets of a histogram, if a value is one: two edges, and how many numbers lie between.
pub fn buckets(value: &Value) -> Option<Vec<(f64, f64, u64)>> {
    let bucket = |parts: &[Value]| match parts {
        [low, high, Value::Int(count)] => Some((low.as_f64()?, high.as_f64()?, u64::try_from(*count).ok()?)),
        _ => None,
    };
    rows(value)?.into_iter().map(bucket).collect()
}

/// The values of a histogram that counts them, the most frequent first, if a value is one.
pub fn counted_values(value: &Value) -> Option<Vec<(&Value, u64)>> {
    let counted = |parts: &'_ [Value]| match parts {
        [_, Value::Int(count)] => u64::try_from(*count).ok(),
        _ => None,
    };
    let rows = rows(value)?;
    let counts: Vec<u64> = rows.iter().map(|parts| counted(parts)).collect::<Option<_>>()?;
    Some(rows.into_iter().map(|parts| &parts[0]).zip(counts).collect())
}

/// The lists in a list, if it has some and nothing else.
fn rows(value: &Value) -> Option<Vec<&[Value]>> {
    let Value::List(items) = value else { return None };
    let rows: Option<Vec<&[Value]>> =
        items.iter().map(|item| if let Value::List(parts) = item { Some(&parts[..]) } else { None }).collect();
    rows.filter(|rows| !rows.is_empty())
}

/// The numbers of a bucket. Only the last one includes its end.
fn interval(edges: &Measure, from: f64, to: f64, is_last: bool) -> String {
    let end = if is_last { ']' } else { ')' };
    format!("[{}, {}{end}", number_text(edges, from), number_text(edges, to))
}

/// A bar of eighths of characters. What is not nothing is seen.
fn blocks(part: f64, widest: usize) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (part * widest as f64 * 8.0).round() as usize;
    let eighths = if part > 0.0 { eighths.max(1) } else { 0 };
    format!("{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8])
}

/// The width of the terminal that is written to, if it is one.
fn terminal_width() -> Option<usize> {
    terminal_size::terminal_size().map(|(terminal_size::Width(columns), _)| usize::from(columns))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(measure: &Measure, value: &Value, columns: Option<usize>) -> String {
        let mut out = Vec::new();
        write_bars(&mut out, &bars(measure, value).expect("a histogram"), columns).expect("memory");
        String::from_utf8(out).expect("text")
    }

    fn bucket(from: f64, to: f64, count: i64) -> Value {
        Value::List(vec![Value::Float(from), Value::Float(to), Value::Int(count)])
    }

    #[test]
    fn bars_are_as_long_as_their_share() {
        let value = Value::List(vec![bucket(0.0, 1.5, 40), bucket(1.5, 3.0, 1), bucket(3.0, 4.5, 0)]);
        let text = drawn(&Measure::Plain, &value, None);
        assert_eq!(text.lines().next().map(|line| line.matches('█').count()), Some(40));
        assert_eq!(text.lines().nth(1), Some("    [1.5, 3)   1   2.4%  █"));
        assert_eq!(text.lines().nth(2), Some("    [3, 4.5]   0     0%"));
        assert!(drawn(&Measure::Plain, &value, Some(50)).lines().all(|line| line.chars().count() <= 50));
    }

    #[test]
    fn edges_in_time_have_units_and_strings_are_shown_safely() {
        let times = Value::List(vec![bucket(0.0, 2.5e9, 1)]);
        assert!(drawn(&Measure::Buckets(Box::new(Measure::Duration)), &times, None).contains("[0 s, 2.5 s]"));
        let text = Value::List(vec![Value::str(&format!("a\u{1b}{}", "x".repeat(80))), Value::Int(2)]);
        let text = drawn(&Measure::Plain, &Value::List(vec![text]), None);
        assert!(!text.contains('\u{1b}') && text.contains('…'), "{text}");
        assert_eq!(blocks(1e-9, 40), "▏");
        assert!(!is_histogram(&Value::List(Vec::new())) && !is_histogram(&Value::Int(1)));
    }
}
