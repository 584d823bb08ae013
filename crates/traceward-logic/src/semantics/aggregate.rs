//! What aggregates make of the values that were collected.

use crate::ast::Aggregate;
use crate::moments::Moments;
use crate::total::Total;
use crate::value::{ArithmeticError, CompareOp, Value, compare_int_with_float};
use rustc_hash::FxHashMap;
use std::cmp::Ordering;

/// The number of buckets of a histogram that does not say it.
const BUCKETS: u32 = 10;

/// The summary of what was collected, in order of positions: for each position a value, or two for
/// a correlation. Nothing can be counted; other summaries of nothing fail, which is none.
pub fn summarise(aggregate: Aggregate, collected: &[Vec<Value>]) -> Result<Option<Value>, ArithmeticError> {
    let values: Vec<&Value> = collected.iter().map(|values| &values[0]).collect();
    if values.is_empty() {
        let countable = matches!(aggregate, Aggregate::Count | Aggregate::Distinct);
        return Ok(countable.then_some(Value::Int(0)));
    }
    let summary = match aggregate {
        Aggregate::Count => Some(Value::Int(values.len() as i64)),
        Aggregate::Sum => Some(total(&values).sum()?),
        Aggregate::Avg => total(&values).mean(),
        Aggregate::Min => best(CompareOp::Less, &values),
        Aggregate::Max => best(CompareOp::Greater, &values),
        Aggregate::First => values.first().map(|&value| value.clone()),
        Aggregate::Last => values.last().map(|&value| value.clone()),
        Aggregate::Stddev => standard_deviation(&values),
        Aggregate::Mode => by_frequency(&values).into_iter().next().map(|(value, _)| value),
        Aggregate::Distinct => Some(Value::Int(frequencies(&values).len() as i64)),
        Aggregate::Quantile(part) => Some(quantile(part, &values)),
        Aggregate::Median => Some(quantile(0.5, &values)),
        Aggregate::Histogram(buckets) => histogram(buckets, &values),
        Aggregate::Corr => correlation(collected),
    };
    // Infinity and minus infinity have no sum and no mean.
    Ok(summary.filter(|value| !value.is_missing()))
}

fn total(values: &[&Value]) -> Total {
    let mut total = Total::default();
    values.iter().for_each(|value| total.add(value));
    total
}

/// The earliest value that no other beats.
fn best(beats: CompareOp, values: &[&Value]) -> Option<Value> {
    values.iter().copied().reduce(|best, value| if beats.holds(value, best) { value } else { best }).cloned()
}

// ---- spread ----

/// How far each of some numbers lies from their mean, in a unit in which squares neither overflow
/// nor vanish.
struct Deviations {
    deviations: Vec<f64>,
    /// The unit, in two factors: their product may overflow.
    units: [f64; 2],
}

impl Deviations {
    /// The deviations of numbers; none where one is infinite or no number.
    ///
    /// All numbers are seen from the first one. That changes no deviation, but keeps what large
    /// integers such as timestamps differ by, and makes equal numbers differ by exactly 0.
    fn of(values: &[&Value]) -> Option<Self> {
        let numbers: Vec<f64> = values.iter().map(|value| value.as_f64()).collect::<Option<_>>()?;
        let (&first, largest) = (values.first()?, numbers.into_iter().fold(0.0, wider));
        if largest.is_infinite() {
            return None;
        }
        let coarse = power_of_two_below(largest);
        let from_first: Vec<f64> = values.iter().map(|value| difference(value, first, coarse)).collect();
        let fine = power_of_two_below(from_first.iter().copied().fold(0.0, wider));
        let scaled: Vec<f64> = from_first.iter().map(|number| number / fine).collect();
        let mean = mean(&scaled);
        Some(Self { deviations: scaled.iter().map(|number| number - mean).collect(), units: [fine, coarse] })
    }

    /// The mean of the products with other deviations, in both units.
    fn product(&self, other: &Self) -> f64 {
        let products: Vec<f64> = self.deviations.iter().zip(&other.deviations).map(|(a, b)| a * b).collect();
        mean(&products)
    }
}

/// One number less another, in a unit; exact for integers before it is rounded.
pub fn difference(value: &Value, first: &Value, unit: f64) -> f64 {
    match (value, first) {
        (Value::Int(value), Value::Int(first)) => (i128::from(*value) - i128::from(*first)) as f64 / unit,
        _ => value.as_f64().unwrap_or_default() / unit - first.as_f64().unwrap_or_default() / unit,
    }
}

fn wider(most: f64, number: f64) -> f64 {
    most.max(number.abs())
}

/// The greatest power of two up to a number that is not negative, by which it is divided without
/// rounding; 1 for 0 and for what is nearly that.
fn power_of_two_below(number: f64) -> f64 {
    const EXPONENT: u64 = 0x7ff << 52;
    let power = f64::from_bits(number.to_bits() & EXPONENT);
    if power > 0.0 { power } else { 1.0 }
}

/// The mean of finite numbers, or 0 where there are none.
fn mean(numbers: &[f64]) -> f64 {
    let mut total = Total::default();
    numbers.iter().for_each(|&number| total.add_float(number));
    total.mean().and_then(|mean| mean.as_f64()).unwrap_or_default()
}

fn standard_deviation(values: &[&Value]) -> Option<Value> {
    let exact = moments(values.iter().map(|value| [*value, *value])).and_then(|moments| moments.deviation());
    if let (Some(deviation), false) = (exact, values.is_empty()) {
        return Some(Value::float(deviation));
    }
    let deviations = Deviations::of(values)?;
    let [fine, coarse] = deviations.units;
    Some(Value::float(deviations.product(&deviations).sqrt() * fine * coarse))
}

/// The moments of pairs of integers; none if there are other numbers, or such large ones.
fn moments<'a>(pairs: impl IntoIterator<Item = [&'a Value; 2]>) -> Option<Moments> {
    let mut pairs = pairs.into_iter();
    pairs.try_fold(Moments::default(), |moments, pair| match pair {
        [Value::Int(left), Value::Int(right)] => moments.with([*left, *right]),
        _ => None,
    })
}

/// Pearson's correlation; none if there are fewer than two pairs or one side does not vary.
fn correlation(pairs: &[Vec<Value>]) -> Option<Value> {
    let exact = moments(pairs.iter().map(|pair| [&pair[0], &pair[1]])).and_then(|moments| moments.correlation());
    if let Some(correlation) = exact {
        return (pairs.len() >= 2 && !correlation.is_nan()).then(|| Value::float(correlation));
    }
    let side = |index: usize| Deviations::of(&pairs.iter().map(|pair| &pair[index]).collect::<Vec<_>>());
    let (left, right) = (side(0)?, side(1)?);
    let scale = (left.product(&left) * right.product(&right)).sqrt();
    (pairs.len() >= 2 && scale > 0.0).then(|| Value::float((left.product(&right) / scale).clamp(-1.0, 1.0)))
}

// ---- frequency ----

/// The different values in order of first appearance, with how often each occurs; 1 and 1.0 are one
/// value.
pub fn frequencies(values: &[&Value]) -> Vec<(Value, usize)> {
    let mut places: FxHashMap<Value, usize> = FxHashMap::default();
    let mut frequencies: Vec<(Value, usize)> = Vec::new();
    for &value in values {
        let place = *places.entry(in_one_form(value)).or_insert(frequencies.len());
        match frequencies.get_mut(place) {
            Some((_, count)) => *count += 1,
            None => frequencies.push((value.clone(), 1)),
        }
    }
    frequencies
}

/// A value in the form that it shares with all that are equal to it: 1.0 becomes 1.
pub fn in_one_form(value: &Value) -> Value {
    match value {
        Value::Float(number) if compare_int_with_float(*number as i64, *number).is_eq() => Value::Int(*number as i64),
        Value::Pair(pair) => Value::Pair(Box::new((in_one_form(&pair.0), in_one_form(&pair.1)))),
        other => other.clone(),
    }
}

/// The most frequent value first; of equally frequent ones the one that appears first.
fn by_frequency(values: &[&Value]) -> Vec<(Value, usize)> {
    let mut frequencies = frequencies(values);
    frequencies.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    frequencies
}

// ---- rank ----

/// The least value with at least `part` of the values at or below it.
fn quantile(part: f64, values: &[&Value]) -> Value {
    let mut sorted = values.to_vec();
    sorted.sort_by(|left, right| left.compare(right).unwrap_or(Ordering::Equal));
    sorted[rank(part, sorted.len()) - 1].clone()
}

/// The least k ≥ 1 with k ≥ part · count. See [`Share`].
pub fn rank(part: f64, count: usize) -> usize {
    Share::new(part).rank(count)
}

/// A part of some values, taken as the decimal that was written: 0.07 of 100 is 7, though the
/// nearest float is a little more than 0.07.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Share {
    part: f64,
    /// The decimal as a fraction; none if it has more digits than 128 bits hold.
    fraction: Option<(u128, u128)>,
}

impl Share {
    /// The decimal that a float is written as.
    pub fn new(part: f64) -> Self {
        let text = format!("{part}");
        let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
        let digits = format!("{whole}{fraction}").parse::<u128>();
        let fraction = match (digits, 10_u128.checked_pow(fraction.len() as u32)) {
            (Ok(digits), Some(scale)) if digits <= scale => Some((digits, scale)),
            _ => None,
        };
        Self { part, fraction }
    }

    /// The least k ≥ 1 with k ≥ part · count.
    pub fn rank(self, count: usize) -> usize {
        let product = self.fraction.and_then(|(digits, scale)| Some((digits.checked_mul(count as u128)?, scale)));
        match product {
            Some((product, scale)) => (product.div_ceil(scale) as usize).max(1),
            // More decimals than 128 bits hold: a part so small that it is below any rank, or
            // rounding is harmless.
            None => ((self.part * count as f64).ceil() as usize).clamp(1, count),
        }
    }
}

// ---- histograms ----

/// Numbers in buckets, or other values with how often each occurs.
fn histogram(buckets: Option<u32>, values: &[&Value]) -> Option<Value> {
    let numbers: Option<Vec<f64>> = values.iter().map(|value| value.as_f64()).collect();
    match numbers {
        Some(numbers) => buckets_of(buckets, &numbers),
        None => {
            let row = |(value, count): (Value, usize)| Value::List(vec![value, Value::Int(count as i64)]);
            Some(Value::List(by_frequency(values).into_iter().map(row).collect()))
        }
    }
}

/// `[from, to, count]` for each of some buckets of equal width from the least to the greatest
/// number. The last one includes its end. Infinite numbers lie in no such bucket: there is none.
pub fn buckets_of(buckets: Option<u32>, numbers: &[f64]) -> Option<Value> {
    let least = numbers.iter().copied().fold(f64::INFINITY, f64::min);
    let greatest = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    counted_buckets(buckets, (least, greatest), numbers.iter().map(|&number| (number, 1)))
}

/// The same of numbers with how often each occurs, between the least and the greatest one.
pub fn counted_buckets(
    buckets: Option<u32>,
    (least, greatest): (f64, f64),
    numbers: impl IntoIterator<Item = (f64, u64)>,
) -> Option<Value> {
    let buckets = buckets.unwrap_or(BUCKETS);
    if least.is_infinite() || greatest.is_infinite() {
        return None;
    }
    let edges: Vec<f64> = (0..=buckets).map(|edge| edge_of(least, greatest, edge, buckets)).collect();
    let mut counts = vec![0_i64; buckets as usize];
    for (number, times) in numbers {
        // Numbers so close that no edge lies between them are in the first bucket.
        let inner = if edges[1] > least { &edges[1..edges.len() - 1] } else { &[] };
        counts[inner.partition_point(|&edge| edge <= number)] += times as i64;
    }
    let bucket = |(edges, count): (&[f64], i64)| {
        Value::List(vec![Value::float(edges[0]), Value::float(edges[1]), Value::Int(count)])
    };
    Some(Value::List(edges.windows(2).zip(counts).map(bucket).collect()))
}

/// Where a bucket begins, and the one before it ends.
fn edge_of(least: f64, greatest: f64, edge: u32, buckets: u32) -> f64 {
    if edge == buckets {
        return greatest;
    }
    let (edge, buckets) = (f64::from(edge), f64::from(buckets));
    let place = if (greatest - least).is_finite() {
        least + (greatest - least) / buckets * edge
    } else {
        // Half of it does not overflow, and is halved without rounding.
        2.0 * (least / 2.0 + (greatest / 2.0 - least / 2.0) / buckets * edge)
    };
    place.clamp(least, greatest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(aggregate: Aggregate, values: &[Value]) -> String {
        let collected: Vec<Vec<Value>> = values.iter().map(|value| vec![value.clone()]).collect();
        let summary = summarise(aggregate, &collected).expect("a summary");
        summary.map_or("none".to_owned(), |value| value.to_string())
    }

    fn floats(numbers: &[f64]) -> Vec<Value> {
        numbers.iter().map(|&number| Value::Float(number)).collect()
    }

    fn ints(numbers: &[i64]) -> Vec<Value> {
        numbers.iter().map(|&number| Value::Int(number)).collect()
    }

    #[test]
    fn a_quantile_takes_its_part_as_written() {
        assert_eq!(rank(0.07, 100), 7);
        assert_eq!(rank(0.8, 5), 4);
        assert_eq!(rank(0.0, 5), 1);
        assert_eq!(rank(1.0, 5), 5);
        assert_eq!(rank(0.29, 100), 29);
        assert_eq!(rank(1e-20, 5), 1);
    }

    #[test]
    fn the_last_bucket_includes_its_end() {
        let histogram = |buckets, values: &[i64]| summary(Aggregate::Histogram(Some(buckets)), &ints(values));
        assert_eq!(histogram(2, &[1, 5, 2, 2, 9]), "[[1.0, 5.0, 3], [5.0, 9.0, 2]]");
        assert_eq!(histogram(1, &[4, 4]), "[[4.0, 4.0, 2]]");
        assert_eq!(histogram(2, &[4, 4]), "[[4.0, 4.0, 2], [4.0, 4.0, 0]]");
    }

    #[test]
    fn buckets_do_not_overflow() {
        for buckets in [1, 2, 3, 10, 1000] {
            let numbers = [f64::MAX, -f64::MAX, 1e308, -1e308, 0.0, 5e-324];
            let Some(Value::List(list)) = buckets_of(Some(buckets), &numbers) else { panic!("a list") };
            let mut sum = 0;
            let mut end = -f64::MAX;
            for bucket in &list {
                let Value::List(bucket) = bucket else { panic!("a bucket") };
                let (Value::Float(from), Value::Float(to), Value::Int(count)) = (&bucket[0], &bucket[1], &bucket[2])
                else {
                    panic!("edges and a count")
                };
                assert!(*from == end && from <= to && to.is_finite(), "{bucket:?}");
                end = *to;
                sum += count;
            }
            assert_eq!((end, sum), (f64::MAX, numbers.len() as i64));
        }
        assert_eq!(buckets_of(Some(3), &[1.0, f64::INFINITY]), None);
    }

    #[test]
    fn what_is_no_number_is_counted_by_value() {
        let words = ["b", "a", "c", "a", "c"].map(Value::str);
        assert_eq!(summary(Aggregate::Histogram(None), &words), r#"[["a", 2], ["c", 2], ["b", 1]]"#);
        let bits = [true, false, false].map(Value::Bool);
        assert_eq!(summary(Aggregate::Histogram(None), &bits), "[[false, 2], [true, 1]]");
        assert_eq!(summary(Aggregate::Mode, &words), "\"a\"");
    }

    #[test]
    fn a_mean_needs_no_sum_of_64_bits() {
        assert_eq!(summary(Aggregate::Avg, &ints(&[i64::MAX, i64::MAX])), "9.223372036854776e18");
        let collected: Vec<Vec<Value>> = ints(&[i64::MAX, 1]).into_iter().map(|value| vec![value]).collect();
        assert_eq!(summarise(Aggregate::Sum, &collected), Err(ArithmeticError::Overflow));
        assert_eq!(summary(Aggregate::Sum, &ints(&[i64::MAX, 1, -2])), "9223372036854775806");
    }

    #[test]
    fn infinity_and_its_opposite_have_no_sum() {
        let both = floats(&[f64::INFINITY, f64::NEG_INFINITY]);
        for aggregate in [Aggregate::Sum, Aggregate::Avg, Aggregate::Stddev, Aggregate::Histogram(None)] {
            assert_eq!(summary(aggregate, &both), "none", "{aggregate:?}");
        }
        assert_eq!(summary(Aggregate::Sum, &floats(&[f64::INFINITY, 1.0])), "inf");
    }

    #[test]
    fn deviations_of_large_numbers_are_not_lost() {
        let now = 1_700_000_000_000_000_000;
        assert_eq!(summary(Aggregate::Stddev, &ints(&[now, now + 2])), "1.0");
        assert_eq!(summary(Aggregate::Stddev, &ints(&[i64::MAX, i64::MIN])), "9.223372036854776e18");
        assert_eq!(summary(Aggregate::Stddev, &floats(&[1e9 + 0.25, 1e9 + 0.75])), "0.25");
        assert_eq!(summary(Aggregate::Stddev, &floats(&[1e300, -1e300])), "1e300");
        let tiny = f64::MIN_POSITIVE;
        assert_eq!(summary(Aggregate::Stddev, &floats(&[tiny, 3.0 * tiny])), Value::Float(tiny).to_string());
        assert_eq!(summary(Aggregate::Stddev, &floats(&[0.1, 0.1, 0.1])), "0.0");
    }

    #[test]
    fn what_does_not_vary_has_no_correlation() {
        let pairs = |left: &[f64], right: &[f64]| -> Option<Value> {
            let pairs: Vec<Vec<Value>> =
                floats(left).into_iter().zip(floats(right)).map(|(left, right)| vec![left, right]).collect();
            correlation(&pairs)
        };
        assert_eq!(pairs(&[0.1, 0.1, 0.1], &[1.0, 2.0, 3.0]), None);
        assert_eq!(pairs(&[1.0], &[1.0]), None);
        let (huge, tiny) = (f64::MAX / 4.0, f64::MIN_POSITIVE);
        assert_eq!(pairs(&[huge, 3.0 * huge], &[tiny, 3.0 * tiny]), Some(Value::Float(1.0)));
        assert_eq!(pairs(&[1.0, 2.0, 3.0], &[6.0, 4.0, 2.0]), Some(Value::Float(-1.0)));
    }
}
