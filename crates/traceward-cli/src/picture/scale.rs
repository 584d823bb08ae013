//! Axes: where a value is drawn, and what is written beside it.

use crate::text;
use traceward::report::Measure;

/// The number of buckets of an axis whose values are not counted one by one.
const BUCKETS: usize = 40;

/// The largest range of whole numbers of which each has a bucket of its own.
const MOST_WHOLE: f64 = 40.0;

/// The least ratio of the largest to the least value for which decades are drawn equally wide.
const WIDE: f64 = 500.0;

/// The least distance of two values that are written beside an axis.
const NEAREST: f64 = 0.06;

/// An axis from 0, its beginning, to 1, with buckets of equal width.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    scale: Scale,
    low: f64,
    high: f64,
    /// Whether nothing but whole numbers is of interest.
    is_whole: bool,
    /// The number of buckets.
    pub buckets: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Scale {
    Linear,
    /// Powers of ten are equally far from each other.
    Logarithmic {
        /// Whether the first bucket is that of zero, which has no logarithm.
        has_zero: bool,
    },
}

/// A value that is written beside an axis.
#[derive(Clone, PartialEq, Debug)]
pub struct Tick {
    /// Where it stands, from 0 to 1.
    pub place: f64,
    /// Its text.
    pub label: String,
}

impl Axis {
    /// An axis for sorted values, of which there is at least one.
    pub fn of(sorted: &[f64], measure: &Measure) -> Self {
        let (least, most) = (sorted[0], sorted[sorted.len() - 1]);
        let first_positive = sorted.partition_point(|value| *value <= 0.0);
        if let Some(&positive) = sorted.get(first_positive).filter(|_| least >= 0.0) {
            let median = sorted[sorted.len() / 2];
            if most / positive >= WIDE && median * 20.0 < most {
                let scale = Scale::Logarithmic { has_zero: first_positive > 0 };
                return Self { scale, low: positive, high: most, is_whole: false, buckets: BUCKETS };
            }
        }
        let is_whole = *measure == Measure::Plain && sorted.iter().all(|value| value.fract() == 0.0);
        if is_whole && most - least < MOST_WHOLE {
            // Few values do not fill a picture.
            let room = if most - least < 4.0 { 2.0 } else { 0.0 };
            let start = if least >= 0.0 { (least - room).max(0.0) } else { least - room };
            let (least, most) = (start, most + room);
            let buckets = (most - least) as usize + 1;
            return Self { scale: Scale::Linear, low: least - 0.5, high: most + 0.5, is_whole, buckets };
        }
        Self { buckets: BUCKETS, ..Self::linear(least, most) }
    }

    /// An axis between two values; from zero on, where that is not far from the least.
    pub fn linear(least: f64, most: f64) -> Self {
        let low = if least >= 0.0 && least < 0.25 * most { 0.0 } else { least };
        // One value stands in the middle of its axis.
        let room = if most > low { 0.0 } else { (low.abs() * 0.1).max(f64::MIN_POSITIVE) };
        let room = if low == 0.0 && most == 0.0 { 1.0 } else { room };
        Self { scale: Scale::Linear, low: low - room, high: most + room, is_whole: false, buckets: 1 }
    }

    /// An axis for numbers of something, from zero on.
    pub fn counts(most: u64) -> Self {
        Self { is_whole: true, ..Self::linear(0.0, most.max(1) as f64) }
    }

    /// An axis from one value to another.
    pub fn between(low: f64, high: f64) -> Self {
        let room = if high > low { 0.0 } else { (low.abs() * 0.1).max(1.0) };
        Self { scale: Scale::Linear, low: low - room, high: high + room, is_whole: false, buckets: 1 }
    }

    /// Where a value stands, from 0 to 1.
    pub fn place(&self, value: f64) -> f64 {
        let part = match self.scale {
            Scale::Linear => (value / 2.0 - self.low / 2.0) / (self.high / 2.0 - self.low / 2.0),
            Scale::Logarithmic { has_zero } => {
                let zero = self.zero_part(has_zero);
                let part = (value.max(self.low) / self.low).ln() / (self.high / self.low).ln();
                if value <= 0.0 { zero / 2.0 } else { zero + (1.0 - zero) * part }
            }
        };
        part.clamp(0.0, 1.0)
    }

    /// The bucket of a value.
    pub fn bucket(&self, value: f64) -> usize {
        ((self.place(value) * self.buckets as f64) as usize).min(self.buckets - 1)
    }

    /// The values of a bucket, as text.
    pub fn bucket_label(&self, bucket: usize, measure: &Measure) -> String {
        if self.scale == (Scale::Logarithmic { has_zero: true }) && bucket == 0 {
            return "0".to_owned();
        }
        let (from, to) = (self.edge(bucket), self.edge(bucket + 1));
        // Whole numbers lie in the middle of their buckets.
        if self.is_whole {
            return text::number_text(measure, from + 0.5);
        }
        format!("{} to {}", text::number_text(measure, from), text::number_text(measure, to))
    }

    fn edge(&self, bucket: usize) -> f64 {
        let part = bucket as f64 / self.buckets as f64;
        match self.scale {
            Scale::Linear => self.low + (self.high - self.low) * part,
            Scale::Logarithmic { has_zero } => {
                let zero = self.zero_part(has_zero);
                self.low * (self.high / self.low).powf((part - zero) / (1.0 - zero))
            }
        }
    }

    fn zero_part(&self, has_zero: bool) -> f64 {
        if has_zero { 1.0 / self.buckets as f64 } else { 0.0 }
    }

    /// Values to write beside the axis, about as many as are asked for, none too near another.
    pub fn ticks(&self, measure: &Measure, wanted: usize) -> Vec<Tick> {
        let mut ticks = self.all_ticks(measure, wanted);
        let mut last = f64::NEG_INFINITY;
        ticks.retain(|tick| {
            let is_free = tick.place - last >= NEAREST;
            last = if is_free { tick.place } else { last };
            is_free
        });
        ticks
    }

    fn all_ticks(&self, measure: &Measure, wanted: usize) -> Vec<Tick> {
        match self.scale {
            Scale::Linear => {
                let step = step(measure, self.high / wanted as f64 - self.low / wanted as f64);
                let step = if self.is_whole { step.max(1.0) } else { step };
                let first = (self.low / step).ceil();
                let count = ((self.high / step).floor() - first).max(0.0) as usize;
                let values = (0..=count).map(|nth| (first + nth as f64) * step);
                let unit = unit(self.high.abs().max(self.low.abs()));
                values.map(|value| self.tick(value, label(measure, value, step, unit))).collect()
            }
            Scale::Logarithmic { has_zero } => {
                let zero = has_zero.then(|| self.tick(0.0, "0".to_owned()));
                let labelled = |value: f64| self.tick(value, label(measure, value, value, unit(value)));
                zero.into_iter().chain(self.powers().into_iter().map(labelled)).collect()
            }
        }
    }

    fn tick(&self, value: f64, label: String) -> Tick {
        Tick { place: self.place(value), label }
    }

    /// Powers of ten on the axis, not too many of them.
    fn powers(&self) -> Vec<f64> {
        let (first, last) = (self.low.log10().ceil() as i32, self.high.log10().floor() as i32);
        let every = usize::try_from((last - first) / 9 + 1).unwrap_or(1);
        (first..=last).step_by(every).map(|power| 10_f64.powi(power)).collect()
    }
}

/// A round number that is not below the one given.
fn step(measure: &Measure, least: f64) -> f64 {
    const SECOND: f64 = 1e9;
    const LONG: [f64; 14] =
        [15.0, 30.0, 60.0, 120.0, 300.0, 600.0, 900.0, 1800.0, 3600.0, 7200.0, 10_800.0, 21_600.0, 43_200.0, 86_400.0];
    if !matches!(measure, Measure::Plain) && least > 10.0 * SECOND {
        let long = LONG.into_iter().map(|seconds| seconds * SECOND).find(|step| *step >= least);
        return long.unwrap_or_else(|| round(least / (86_400.0 * SECOND)) * 86_400.0 * SECOND);
    }
    round(least)
}

/// 1, 2 or 5 times a power of ten.
fn round(least: f64) -> f64 {
    let power = 10_f64.powf(least.max(f64::MIN_POSITIVE).log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|digit| digit * power).find(|step| *step >= least).unwrap_or(10.0 * power)
}

/// The unit of time in which a number is told: its size in nanoseconds, and its name.
fn unit(nanoseconds: f64) -> (f64, &'static str) {
    const UNITS: [(f64, &str); 6] =
        [(86_400e9, "d"), (3_600e9, "h"), (60e9, "min"), (1e9, "s"), (1e6, "ms"), (1e3, "µs")];
    UNITS.into_iter().find(|(size, _)| nanoseconds >= 2.0 * size || nanoseconds == *size).unwrap_or((1.0, "ns"))
}

fn label(measure: &Measure, value: f64, step: f64, (size, unit): (f64, &str)) -> String {
    match measure {
        _ if value == 0.0 && *measure != Measure::Moment => "0".to_owned(),
        Measure::Duration => format!("{} {unit}", digits(value / size, step / size)),
        Measure::Moment => text::moment(value as i64),
        _ => digits(value, step),
    }
}

/// A number with as many digits as tell it from those a step away.
fn digits(value: f64, step: f64) -> String {
    if value.abs() >= 1e6 || step.abs() < 1e-4 {
        let mantissa = (value.abs().log10() - step.abs().log10()).ceil().clamp(0.0, 6.0) as usize;
        return format!("{value:.mantissa$e}");
    }
    let decimals = (-step.abs().log10().floor()).clamp(0.0, 6.0) as usize;
    let text = format!("{value:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis, measure: &Measure, wanted: usize) -> Vec<String> {
        axis.ticks(measure, wanted).into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn ticks_are_round_numbers() {
        assert_eq!(labels(&Axis::linear(0.0, 10.0), &Measure::Plain, 5), ["0", "2", "4", "6", "8", "10"]);
        assert_eq!(labels(&Axis::linear(0.0, 7e9), &Measure::Duration, 4), ["0", "2 s", "4 s", "6 s"]);
        assert_eq!(labels(&Axis::linear(0.0, 7200e9), &Measure::Duration, 4), ["0", "0.5 h", "1 h", "1.5 h", "2 h"]);
        assert_eq!(labels(&Axis::linear(5.0, 5.0), &Measure::Plain, 3), ["4.5", "5", "5.5"]);
    }

    #[test]
    fn a_heavy_tail_is_drawn_by_decades() {
        let values: Vec<f64> = (0..100).map(|nth| if nth < 99 { 1e3 } else { 1e9 }).collect();
        let axis = Axis::of(&values, &Measure::Duration);
        assert_eq!(labels(&axis, &Measure::Duration, 5)[..3], ["1 µs", "10 µs", "100 µs"]);
        assert_eq!((axis.bucket(1e3), axis.bucket(1e9)), (0, BUCKETS - 1));
        let zeros: Vec<f64> = [0.0].into_iter().chain(values).collect();
        let axis = Axis::of(&zeros, &Measure::Duration);
        assert_eq!((axis.bucket(0.0), axis.bucket(1e3), axis.bucket(1e9)), (0, 1, BUCKETS - 1));
        assert_eq!(axis.bucket_label(0, &Measure::Duration), "0");
    }

    #[test]
    fn whole_numbers_have_buckets_of_their_own() {
        let axis = Axis::of(&[2.0, 2.0, 5.0], &Measure::Plain);
        assert_eq!((axis.buckets, axis.bucket(2.0), axis.bucket(5.0)), (8, 2, 5));
        assert_eq!(axis.bucket_label(5, &Measure::Plain), "5");
        assert_eq!(Axis::of(&[7.0], &Measure::Plain).buckets, 5);
        assert_eq!(labels(&Axis::of(&[7.0], &Measure::Plain), &Measure::Plain, 8), ["5", "6", "7", "8", "9"]);
    }

    #[test]
    fn extreme_numbers_have_an_axis() {
        for values in [vec![f64::MIN, f64::MAX], vec![0.0], vec![f64::MIN_POSITIVE, f64::MAX], vec![-1e-300, 1e-300]] {
            let axis = Axis::of(&values, &Measure::Plain);
            assert!(values.iter().all(|value| (0.0..=1.0).contains(&axis.place(*value))), "{values:?}");
            assert!(axis.ticks(&Measure::Plain, 5).len() < 50, "{values:?}");
        }
    }
}
