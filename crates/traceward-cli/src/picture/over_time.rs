//! How values went over time.

use super::panel::{INNER, Panel, across, below, line, tenth};
use super::scale::Axis;
use crate::page::markup::Element;
use crate::text;
use std::fmt::Write as _;
use traceward::report::{Clock, Measure, Points, Summarised};

const HEIGHT: f64 = 230.0;

/// The most points that are drawn one by one.
const FEW_POINTS: usize = 400;

/// The most stretches of time whose values are summed up.
const MOST_STRETCHES: usize = 64;

/// The number of values that a stretch should have, so that its quantiles say something.
const VALUES_A_STRETCH: usize = 30;

/// The most values that are drawn of a value over time.
const COLUMNS: usize = 500;

/// The quantiles that are drawn as lines.
const QUANTILES: [(f64, &str); 3] = [(0.5, "p50"), (0.9, "p90"), (0.99, "p99")];

/// The values over time: one by one if they are few, else how many lie where; and their quantiles.
pub fn course(points: &Points, axis: &Axis) -> Panel {
    let stretches = (points.values.len() / VALUES_A_STRETCH).clamp(1, MOST_STRETCHES);
    let mut grouped: Vec<Vec<f64>> = vec![Vec::new(); stretches];
    for (at, value) in points.at.iter().zip(&points.values) {
        let stretch = (place_in_time(points, *at) * stretches as f64) as usize;
        grouped[stretch.min(stretches - 1)].push(*value);
    }
    grouped.iter_mut().for_each(|values| values.sort_unstable_by(f64::total_cmp));
    let values = if points.values.len() <= FEW_POINTS { dots(points, axis) } else { heat(axis, &grouped) };
    let quantiles = if points.values.len() < VALUES_A_STRETCH { &[][..] } else { &QUANTILES[..] };
    let lines = quantiles.iter().map(|(part, name)| quantile_line(axis, &grouped, *part, name));
    let grid = across(axis, &points.measure, 5, HEIGHT);
    let all = grid.into_iter().chain(values).chain(lines).chain(time_axis(points)).chain(legend(quantiles));
    Panel::new(&title(points, "values"), HEIGHT, all)
}

/// What the query makes of all values up to a time.
pub fn running(points: &Points, measure: &Measure) -> Panel {
    let course = sampled(points);
    let numbers = || course.iter().map(|(_, value)| *value);
    let starts_at_zero = matches!(points.summarised, Summarised::Count | Summarised::Sum);
    let least = numbers().fold(if starts_at_zero { 0.0 } else { f64::INFINITY }, f64::min);
    let most = numbers().fold(f64::NEG_INFINITY, f64::max);
    let axis = Axis::linear(least, most);
    let mut path = String::new();
    for (nth, (x, value)) in course.iter().enumerate() {
        let (x, y) = (tenth(x * INNER), tenth(HEIGHT * (1.0 - axis.place(*value))));
        // Writing to a string does not fail.
        let _ = if nth == 0 { write!(path, "M{x} {y}") } else { write!(path, "H{x}V{y}") };
    }
    let _ = write!(path, "H{INNER}");
    let path = Element::new("path").class("line running").path(&path);
    let grid = across(&axis, measure, 5, HEIGHT);
    let title = title(points, "running value");
    Panel::new(&title, HEIGHT, grid.into_iter().chain([path]).chain(time_axis(points)))
}

/// The running value at the end of each of some columns of the picture, with where that is.
fn sampled(points: &Points) -> Vec<(f64, f64)> {
    let (mut count, mut sum, mut best) = (0.0, 0.0, None::<f64>);
    let mut course: Vec<(f64, f64)> = Vec::new();
    let mut last_column = usize::MAX;
    for (at, value) in points.at.iter().zip(&points.values) {
        count += 1.0;
        sum += value;
        best = Some(match (best, points.summarised) {
            (Some(best), Summarised::Min) => best.min(*value),
            (Some(best), _) => best.max(*value),
            (None, _) => *value,
        });
        let now = match points.summarised {
            Summarised::Count => count,
            Summarised::Sum => sum,
            Summarised::Mean => sum / count,
            _ => best.unwrap_or(*value),
        };
        let place = place_in_time(points, *at);
        let column = (place * COLUMNS as f64) as usize;
        if column == last_column {
            course.pop();
        }
        last_column = column;
        course.push((place, now));
    }
    course
}

fn title(points: &Points, what: &str) -> String {
    match points.clock {
        Clock::Position => format!("{what} by position"),
        Clock::Time if points.span.0 == 0 => format!("{what} over time"),
        Clock::Time => format!("{what} over time, since {}", text::moment(points.span.0)),
    }
}

/// Where a time stands, from 0 to 1.
fn place_in_time(points: &Points, at: i64) -> f64 {
    let (first, last) = points.span;
    let all = last.abs_diff(first);
    if all == 0 { 0.5 } else { (at.abs_diff(first) as f64 / all as f64).min(1.0) }
}

fn time_axis(points: &Points) -> Vec<Element> {
    let all = points.span.1.abs_diff(points.span.0) as f64;
    if all == 0.0 {
        return vec![line("axis", (0.0, HEIGHT), (INNER, HEIGHT))];
    }
    let measure = match points.clock {
        Clock::Time => Measure::Duration,
        Clock::Position => Measure::Plain,
    };
    below(&Axis::between(0.0, all), &measure, 8, HEIGHT)
}

fn dots(points: &Points, axis: &Axis) -> Vec<Element> {
    let dot = |(at, value): (&i64, &f64)| {
        Element::new("circle")
            .class("dot")
            .attribute("cx", tenth(INNER * place_in_time(points, *at)))
            .attribute("cy", tenth(HEIGHT * (1.0 - axis.place(*value))))
            .attribute("r", 3)
            .attribute("fill-opacity", 0.55)
            .with(Element::new("title").text(text::number_text(&points.measure, *value)))
    };
    points.at.iter().zip(&points.values).map(dot).collect()
}

/// A cell for each stretch of time and each bucket: the more values are in it, the stronger.
fn heat(axis: &Axis, grouped: &[Vec<f64>]) -> Vec<Element> {
    let mut counts = vec![vec![0_u64; axis.buckets]; grouped.len()];
    for (counts, values) in counts.iter_mut().zip(grouped) {
        values.iter().for_each(|value| counts[axis.bucket(*value)] += 1);
    }
    let most = counts.iter().flatten().copied().max().unwrap_or(1) as f64;
    let size = (INNER / grouped.len() as f64, HEIGHT / axis.buckets as f64);
    let mut cells = Element::new("g").class("heat");
    for (stretch, counts) in counts.iter().enumerate() {
        for (bucket, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            let strength = 0.08 + 0.82 * (1.0 + count as f64).ln() / (1.0 + most).ln();
            let cell = Element::new("rect")
                .attribute("x", tenth(size.0 * stretch as f64))
                .attribute("y", tenth(HEIGHT - size.1 * (bucket + 1) as f64))
                .attribute("width", tenth(size.0))
                .attribute("height", tenth(size.1))
                .attribute("fill-opacity", (strength * 100.0).round() / 100.0);
            cells = cells.with(cell);
        }
    }
    vec![cells]
}

/// A quantile in each stretch of time, as a line of steps that ends where there is no value.
fn quantile_line(axis: &Axis, grouped: &[Vec<f64>], part: f64, name: &str) -> Element {
    let width = INNER / grouped.len() as f64;
    let mut path = String::new();
    let mut goes_on = false;
    for (stretch, sorted) in grouped.iter().enumerate() {
        if let Some(value) = quantile(sorted, part) {
            let y = tenth(HEIGHT * (1.0 - axis.place(value)));
            let (from, to) = (tenth(width * stretch as f64), tenth(width * (stretch + 1) as f64));
            // Writing to a string does not fail.
            let _ = if goes_on { write!(path, "V{y}H{to}") } else { write!(path, "M{from} {y}H{to}") };
        }
        goes_on = !sorted.is_empty();
    }
    Element::new("path").class(format_args!("line {name}")).path(&path)
}

/// The least of sorted values with at least such a part of them at or below it.
fn quantile(sorted: &[f64], part: f64) -> Option<f64> {
    let rank = (part * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.max(1) - 1).copied()
}

/// What the lines mean, at the right above the panel.
fn legend(quantiles: &[(f64, &'static str)]) -> Vec<Element> {
    let entry = |(nth, (_, name)): (usize, &(f64, &'static str))| {
        let x = INNER - 180.0 + 62.0 * nth as f64;
        let sign = line(&format!("line {name}"), (x, -14.0), (x + 18.0, -14.0));
        let text = Element::new("text").class("soft").attribute("x", x + 24.0).attribute("y", -10).text(name);
        Element::new("g").with(sign).with(text)
    };
    quantiles.iter().enumerate().map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(summarised: Summarised, values: &[f64]) -> Points {
        let at = (0..values.len() as i64).collect();
        let span = (0, values.len() as i64 - 1);
        Points { clock: Clock::Position, span, at, values: values.to_vec(), measure: Measure::Plain, summarised }
    }

    #[test]
    fn a_running_value_ends_with_the_value_of_all() {
        let last = |summarised| sampled(&points(summarised, &[3.0, 1.0, 8.0])).last().map(|(_, value)| *value);
        assert_eq!(last(Summarised::Count), Some(3.0));
        assert_eq!(last(Summarised::Sum), Some(12.0));
        assert_eq!(last(Summarised::Mean), Some(4.0));
        assert_eq!(last(Summarised::Min), Some(1.0));
        assert_eq!(last(Summarised::Max), Some(8.0));
        let many: Vec<f64> = (0..100_000).map(f64::from).collect();
        assert!(sampled(&points(Summarised::Sum, &many)).len() <= COLUMNS + 1);
    }

    #[test]
    fn quantiles_are_values_that_occur() {
        let sorted: Vec<f64> = (1..=100).map(f64::from).collect();
        assert_eq!(QUANTILES.map(|(part, _)| quantile(&sorted, part)), [Some(50.0), Some(90.0), Some(99.0)]);
        assert_eq!(quantile(&[], 0.5), None);
        assert_eq!(quantile(&[7.0], 0.99), Some(7.0));
    }
}
