//! The values of a query over all keys, summed up.

use std::cmp::Ordering;
use std::sync::Arc;
use traceward_logic::query::Measure;
use traceward_logic::semantics::{frequencies, rank};
use traceward_logic::value::Value;

/// The summary of the values that a query has for the keys of a trace.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// The number of keys.
    pub keys: usize,
    /// The number of keys for which the query has no value.
    pub without_value: usize,
    /// What the numbers among the values measure.
    pub measure: Measure,
    /// The spread of the values of the other keys.
    pub spread: Spread,
}

/// The spread of values: numbers have an order that says something, other values are counted.
#[derive(Clone, Debug, PartialEq)]
pub enum Spread {
    /// No key has a value.
    Nothing,
    /// All values are numbers.
    Numbers(Numbers),
    /// Some value is no number.
    Others(Frequencies),
}

/// The spread of numbers. Quantiles are values that some key has: the least value with at least
/// such a part of the values at or below it, as `quantile` has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Numbers {
    /// The least value.
    pub min: Value,
    /// The quantile 0.5.
    pub median: Value,
    /// The quantile 0.9.
    pub p90: Value,
    /// The quantile 0.99.
    pub p99: Value,
    /// The largest value.
    pub max: Value,
    /// The mean of the values; missing where infinite values of both signs leave none.
    pub mean: Value,
    /// The keys with the largest values, the largest first.
    pub worst: Vec<(Arc<str>, Value)>,
}

/// The values that are no numbers, and how often each occurs.
#[derive(Clone, Debug, PartialEq)]
pub struct Frequencies {
    /// The number of different values.
    pub distinct: usize,
    /// The most frequent values with the number of keys or positions that have them, the most
    /// frequent first.
    pub most: Vec<(Value, usize)>,
}

/// The number of values that are counted one by one.
const MOST_COUNTED: usize = 10;

impl Summary {
    /// The summary of values by key, with as many of the worst keys as are asked for.
    pub(crate) fn of(values: &[(Arc<str>, Option<Value>)], measure: Measure, worst: usize) -> Self {
        let known = |(key, value): &'_ (Arc<str>, Option<Value>)| {
            value.as_ref().filter(|value| !value.is_missing()).map(|value| (key.clone(), value.clone()))
        };
        let known: Vec<(Arc<str>, Value)> = values.iter().filter_map(known).collect();
        let (keys, without_value) = (values.len(), values.len() - known.len());
        Self { keys, without_value, measure, spread: Spread::of(known, worst) }
    }

    /// The number of keys for which the query has a value.
    pub fn count(&self) -> usize {
        self.keys - self.without_value
    }

    /// The share of keys for which the query has no value; none if there is no key.
    pub fn share_without_value(&self) -> Option<f64> {
        (self.keys > 0).then(|| self.without_value as f64 / self.keys as f64)
    }
}

impl Spread {
    fn of(values: Vec<(Arc<str>, Value)>, worst: usize) -> Self {
        if values.is_empty() {
            return Self::Nothing;
        }
        if values.iter().all(|(_, value)| value.as_f64().is_some()) {
            return Self::Numbers(Numbers::of(values, worst));
        }
        let values: Vec<&Value> = values.iter().map(|(_, value)| value).collect();
        let mut most = frequencies(&values);
        let distinct = most.len();
        // The order is stable: of values that are equally frequent the one that came first.
        most.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        most.truncate(MOST_COUNTED);
        Self::Others(Frequencies { distinct, most })
    }
}

impl Numbers {
    /// The spread of at least one number.
    fn of(mut values: Vec<(Arc<str>, Value)>, worst: usize) -> Self {
        let mean = mean(&values);
        // From the largest down, and of equal ones in the order of their keys.
        values.sort_by(|(_, one), (_, other)| other.compare(one).unwrap_or(Ordering::Equal));
        let quantile = |part: f64| values[values.len() - rank(part, values.len())].1.clone();
        Self {
            min: values[values.len() - 1].1.clone(),
            median: quantile(0.5),
            p90: quantile(0.9),
            p99: quantile(0.99),
            max: values[0].1.clone(),
            mean,
            worst: values.iter().take(worst).cloned().collect(),
        }
    }
}

/// The mean of at least one number. Integers are summed exactly, and a sum of floats that is too
/// large for a float does not make the mean infinite.
fn mean(values: &[(Arc<str>, Value)]) -> Value {
    let count = values.len() as f64;
    let int = |(_, value): &(Arc<str>, Value)| if let Value::Int(int) = value { Some(i128::from(*int)) } else { None };
    if let Some(sum) = values.iter().map(int).sum::<Option<i128>>() {
        return Value::float(sum as f64 / count);
    }
    let numbers = || values.iter().filter_map(|(_, value)| value.as_f64());
    let sum: f64 = numbers().sum();
    let is_too_large = !sum.is_finite() && numbers().all(f64::is_finite);
    Value::float(if is_too_large { numbers().map(|number| number / count).sum() } else { sum / count })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(values: &[Option<Value>]) -> Summary {
        let keyed = values.iter().enumerate().map(|(index, value)| (format!("k{index}").into(), value.clone()));
        Summary::of(&keyed.collect::<Vec<_>>(), Measure::Plain, 2)
    }

    fn numbers(values: Vec<Value>) -> Numbers {
        match summary(&values.into_iter().map(Some).collect::<Vec<_>>()).spread {
            Spread::Numbers(numbers) => numbers,
            other => panic!("numbers, and not {other:?}"),
        }
    }

    fn ints(values: impl IntoIterator<Item = i64>) -> Numbers {
        numbers(values.into_iter().map(Value::Int).collect())
    }

    #[test]
    fn quantiles_are_values_that_a_key_has() {
        let hundred = ints(1..=100);
        let quantiles = [&hundred.min, &hundred.median, &hundred.p90, &hundred.p99, &hundred.max];
        assert_eq!(quantiles, [1, 50, 90, 99, 100].map(Value::Int).each_ref());
        assert_eq!(hundred.mean, Value::Float(50.5));
        assert_eq!(hundred.worst, [("k99".into(), Value::Int(100)), ("k98".into(), Value::Int(99))]);
        let four = ints([4, 1, 3, 2]);
        assert_eq!([four.median, four.p90, four.p99], [2, 4, 4].map(Value::Int));
        let one = ints([7]);
        assert_eq!([one.min, one.median, one.p90, one.p99, one.max], [7; 5].map(Value::Int));
    }

    #[test]
    fn equally_bad_keys_come_in_their_order() {
        let keys: Vec<Arc<str>> = ints([1, 5, 5, 5]).worst.into_iter().map(|(key, _)| key).collect();
        assert_eq!(keys, ["k1".into(), "k2".into()]);
    }

    #[test]
    fn large_integers_keep_their_order() {
        let big = (1_i64 << 53) + 1;
        let mixed = numbers(vec![Value::Int(big), Value::Float((big - 1) as f64), Value::Int(big - 2)]);
        assert_eq!((mixed.max, mixed.min), (Value::Int(big), Value::Int(big - 2)));
        assert_eq!(mixed.median, Value::Float((big - 1) as f64));
        assert_eq!(ints([i64::MAX, i64::MAX]).mean, Value::Float(i64::MAX as f64));
        assert_eq!(ints([i64::MAX, i64::MIN]).mean, Value::Float(-0.5));
    }

    #[test]
    fn infinity_is_a_number_like_others() {
        let floats = |values: &[f64]| numbers(values.iter().map(|&value| Value::Float(value)).collect());
        let one = floats(&[1.0, f64::INFINITY]);
        assert_eq!(
            (one.max, one.mean, one.median),
            (Value::Float(f64::INFINITY), Value::Float(f64::INFINITY), Value::Float(1.0))
        );
        assert_eq!(floats(&[f64::NEG_INFINITY, f64::INFINITY]).mean, Value::Missing);
        assert_eq!(floats(&[f64::MAX, f64::MAX]).mean, Value::Float(f64::MAX));
    }

    #[test]
    fn keys_without_a_value_are_counted_apart() {
        let some = summary(&[None, Some(Value::Int(1)), Some(Value::Missing), None]);
        assert_eq!((some.keys, some.without_value, some.count()), (4, 3, 1));
        assert_eq!(some.share_without_value(), Some(0.75));
        assert_eq!(summary(&[None]).spread, Spread::Nothing);
        assert_eq!(summary(&[]).share_without_value(), None);
    }

    #[test]
    fn other_values_are_counted() {
        let values = ["b", "a", "b", "c", "a"].map(|text| Some(Value::str(text)));
        let Spread::Others(Frequencies { distinct, most }) = summary(&values).spread else { panic!("strings") };
        assert_eq!(distinct, 3);
        assert_eq!(most, [(Value::str("b"), 2), (Value::str("a"), 2), (Value::str("c"), 1)]);
        let many: Vec<_> = (0..50).map(|number| Some(Value::str(&format!("v{number}")))).collect();
        let Spread::Others(Frequencies { distinct, most }) = summary(&many).spread else { panic!("strings") };
        assert_eq!((distinct, most.len()), (50, MOST_COUNTED));
    }
}
