//! How values are distributed.

use super::panel::{INNER, Panel, across, below, line, rectangle, tenth};
use super::scale::Axis;
use crate::page::markup::{Element, shown};
use crate::text;
use traceward::Value;
use traceward::report::Measure;

const HEIGHT: f64 = 170.0;

/// The height of a bar that lies.
const ROW: f64 = 20.0;

/// The most bars that lie below each other.
const MOST_ROWS: usize = 30;

/// Sorted numbers in the buckets of an axis; `what` is counted.
pub fn of_numbers(sorted: &[f64], axis: &Axis, measure: &Measure, what: &str, asked: Option<f64>) -> Panel {
    let mut counts = vec![0_u64; axis.buckets];
    sorted.iter().for_each(|value| counts[axis.bucket(*value)] += 1);
    let height_of = Axis::counts(counts.iter().copied().max().unwrap_or(1));
    let width = INNER / axis.buckets as f64;
    // A single bar is no wall.
    let shown = width.min(INNER / 4.0);
    let bar = |(bucket, &count): (usize, &u64)| {
        let height = HEIGHT * height_of.place(count as f64);
        let gap = if shown > 6.0 { 1.0 } else { 0.0 };
        let corner = (width * bucket as f64 + (width - shown) / 2.0 + gap / 2.0, HEIGHT - height);
        let said = format!("{}: {count}", axis.bucket_label(bucket, measure));
        rectangle("bar", corner, (shown - gap, height), &said)
    };
    let bars = counts.iter().enumerate().filter(|(_, count)| **count > 0).map(bar);
    let asked = asked.map(|value| {
        let x = tenth(INNER * axis.place(value));
        line("line asked", (x, 0.0), (x, HEIGHT))
    });
    let grid = across(&height_of, &Measure::Plain, 4, HEIGHT);
    let title = format!("number of {what} by size");
    Panel::new(&title, HEIGHT, grid.into_iter().chain(bars).chain(asked).chain(below(axis, measure, 8, HEIGHT)))
}

/// The buckets of a histogram that a query has made, from the first edge to the last.
pub fn of_buckets(buckets: &[(f64, f64, u64)], measure: &Measure) -> Panel {
    let measure = match measure {
        Measure::Buckets(edges) => edges,
        other => other,
    };
    let (low, high) = (buckets[0].0, buckets[buckets.len() - 1].1);
    let axis = Axis::between(low, high);
    let height_of = Axis::counts(buckets.iter().map(|bucket| bucket.2).max().unwrap_or(1));
    let width = INNER / buckets.len() as f64;
    let bar = |(index, &(from, to, count)): (usize, &(f64, f64, u64))| {
        let height = HEIGHT * height_of.place(count as f64);
        let said = format!("{} to {}: {count}", text::number_text(measure, from), text::number_text(measure, to));
        let gap = if width > 6.0 { 1.0 } else { 0.0 };
        rectangle("bar", (width * index as f64 + gap / 2.0, HEIGHT - height), (width - gap, height), &said)
    };
    let bars = buckets.iter().enumerate().filter(|(_, bucket)| bucket.2 > 0).map(bar);
    let grid = across(&height_of, &Measure::Plain, 4, HEIGHT);
    Panel::new("number of values by size", HEIGHT, grid.into_iter().chain(bars).chain(below(&axis, measure, 8, HEIGHT)))
}

/// Values that are no numbers, with how often each occurs.
pub fn of_values(counts: &[(&Value, u64)]) -> Panel {
    let drawn = &counts[..counts.len().min(MOST_ROWS)];
    let most = counts.iter().map(|(_, count)| *count).max().unwrap_or(1).max(1);
    let row = |(index, (value, count)): (usize, &(&Value, u64))| {
        let y = ROW * index as f64;
        let width = (INNER - 80.0) * *count as f64 / most as f64;
        let label = shown(&value.to_string(), 12);
        let said = format!("{value}: {count}");
        Element::new("g")
            .with(Element::new("text").class("end").attribute("x", -8).attribute("y", y + 14.0).text(label))
            .with(rectangle("bar", (0.0, y + 2.0), (width, ROW - 4.0), &said))
            .with(
                Element::new("text")
                    .class("soft")
                    .attribute("x", tenth(width) + 6.0)
                    .attribute("y", y + 14.0)
                    .text(count),
            )
    };
    let height = ROW * drawn.len() as f64;
    let left = counts.len() - drawn.len();
    let rest = (left > 0).then(|| {
        let text = format!("… and {left} more");
        Element::new("text").class("soft").attribute("x", 0).attribute("y", height + 16.0).text(text)
    });
    Panel::new("number of positions by value", height, drawn.iter().enumerate().map(row).chain(rest))
}
