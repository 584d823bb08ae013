//! The values of an experiment at all positions, summed up.
//!
//! An experiment is a query that no collection has summarised: a latency, an expression. Its value
//! at position 0 is what the language asks for, but hardly ever what people want to know.

use crate::report::Place;
use crate::summary::Frequencies;
use rustc_hash::FxHashMap;
use std::cmp::{Ordering, Reverse};
use std::sync::Arc;
use traceward_engine::query::{SampleValues, Samples};
use traceward_logic::query::Measure;
use traceward_logic::semantics::{in_one_form, rank};
use traceward_logic::total::Total;
use traceward_logic::trace::{ColumnData, Trace, VariableId};
use traceward_logic::value::Value;

/// The number of the largest values that are told one by one.
const LARGEST: usize = 3;

/// The number of values that are counted one by one.
const MOST_COUNTED: usize = 10;

/// The values of an experiment at all positions, of all keys if the trace was split.
#[derive(Clone, Debug, PartialEq)]
pub struct ExperimentReport {
    /// Whether the experiment is a latency and nothing else: its values are answers to requests.
    pub is_latency: bool,
    /// The number of positions.
    pub positions: usize,
    /// The number of positions at which the experiment has a value.
    pub count: usize,
    /// What these values come to.
    pub findings: Findings,
}

/// What values come to: numbers have an order that says something, other values are counted.
#[derive(Clone, Debug, PartialEq)]
pub enum Findings {
    /// There is no value.
    Nothing,
    /// All values are numbers.
    Numbers(Box<Figures>),
    /// Some value is no number.
    Others(Frequencies),
}

/// The figures about numbers. Quantiles are values that occur: the least value with at least such
/// a part of the values at or below it, as `quantile` has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Figures {
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
    /// The mean; missing where infinite values of both signs leave none.
    pub mean: Value,
    /// The largest values with their places, the largest first, and of equal ones the earliest.
    pub largest: Vec<Sample>,
}

/// A value of an experiment at a position.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// The key, if the trace was split.
    pub key: Option<Arc<str>>,
    /// The value.
    pub value: Value,
    /// The state.
    pub at: Place,
    /// The state that answered, if the experiment is a latency.
    pub answered: Option<Place>,
}

/// The numbers by which a query can be drawn: its own at all positions, or those that it
/// summarises.
#[derive(Clone, Debug, PartialEq)]
pub struct Points {
    /// What the points are placed by.
    pub clock: Clock,
    /// The first and the last time, or position, of the whole trace.
    pub span: (i64, i64),
    /// The time of each point in nanoseconds, or its position; never decreasing.
    pub at: Vec<i64>,
    /// The numbers.
    pub values: Vec<f64>,
    /// What the numbers are.
    pub measure: Measure,
    /// What the query makes of the numbers.
    pub summarised: Summarised,
}

/// What points are placed by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Clock {
    /// Timestamps.
    Time,
    /// Positions in the trace.
    Position,
}

/// What a query makes of the numbers that are drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Summarised {
    /// Nothing: it is an experiment.
    Not,
    /// Their number.
    Count,
    /// Their sum.
    Sum,
    /// Their mean.
    Mean,
    /// The least of them.
    Min,
    /// The largest of them.
    Max,
    /// A quantile of them.
    Quantile,
}

/// Collects the samples of one experiment, part by part.
#[derive(Default)]
pub(crate) struct ExperimentTally {
    is_latency: bool,
    positions: usize,
    count: usize,
    ints: Vec<i64>,
    floats: Vec<f64>,
    /// For each other value how often it occurs, and its place among those that occurred first.
    others: FxHashMap<Value, (usize, usize)>,
    largest: Vec<Sample>,
}

impl ExperimentTally {
    /// No samples yet, of an experiment that may be a latency and nothing else.
    pub(crate) fn new(is_latency: bool) -> Self {
        Self { is_latency, ..Self::default() }
    }

    /// Takes the samples of a part; `sample` tells where a value of it stands.
    pub(crate) fn add(&mut self, samples: &Samples, trace: &Trace, sample: impl Fn(usize, Value) -> Sample) {
        self.positions += trace.len;
        self.count += samples.len();
        let places = match samples.values() {
            SampleValues::Int(numbers) => {
                self.ints.extend_from_slice(numbers);
                largest(numbers, Ord::cmp)
            }
            SampleValues::Float(numbers) => {
                self.floats.extend_from_slice(numbers);
                largest(numbers, f64::total_cmp)
            }
            SampleValues::True => {
                self.count_other(Value::Bool(true), samples.len());
                Vec::new()
            }
            SampleValues::Text(variable, codes) => {
                self.count_texts(*variable, codes, trace);
                Vec::new()
            }
            SampleValues::Any(values) => self.add_values(values),
        };
        for place in places {
            self.offer(sample(samples.positions()[place], samples.value(place, trace)));
        }
    }

    fn add_values(&mut self, values: &[Value]) -> Vec<usize> {
        for value in values {
            match value {
                Value::Int(number) => self.ints.push(*number),
                Value::Float(number) => self.floats.push(*number),
                other => self.count_other(in_one_form(other), 1),
            }
        }
        if self.others.is_empty() { largest(values, in_order) } else { Vec::new() }
    }

    fn count_texts(&mut self, variable: VariableId, codes: &[u32], trace: &Trace) {
        let ColumnData::Text(text) = &trace.columns[variable.index()].data else { return };
        // Of few codes the whole dictionary would be too long a list.
        let mut counts: FxHashMap<u32, usize> = FxHashMap::default();
        let mut order = Vec::new();
        for &code in codes {
            let count = counts.entry(code).or_insert(0);
            if *count == 0 {
                order.push(code);
            }
            *count += 1;
        }
        for code in order {
            self.count_other(Value::Str(text.dictionary[code as usize].clone()), counts[&code]);
        }
    }

    fn count_other(&mut self, value: Value, times: usize) {
        if times > 0 {
            let first = self.others.len();
            self.others.entry(value).or_insert((0, first)).0 += times;
        }
    }

    /// Keeps a sample if it is among the largest so far; those before it are earlier.
    fn offer(&mut self, sample: Sample) {
        let place = self.largest.partition_point(|one| in_order(&one.value, &sample.value).is_ge());
        if place < LARGEST {
            self.largest.insert(place, sample);
            self.largest.truncate(LARGEST);
        }
    }

    /// What all samples come to.
    pub(crate) fn finish(self) -> ExperimentReport {
        let Self { is_latency, positions, count, ints, floats, others, largest } = self;
        let findings = match (count, others.is_empty()) {
            (0, _) => Findings::Nothing,
            (_, true) => Findings::Numbers(Box::new(figures(ints, floats, largest))),
            (_, false) => Findings::Others(counted(ints, floats, others)),
        };
        ExperimentReport { is_latency, positions, count, findings }
    }
}

/// The order of numbers.
fn in_order(one: &Value, other: &Value) -> Ordering {
    one.compare(other).unwrap_or(Ordering::Equal)
}

/// The places of the largest values, the largest first, and of equal ones the first.
fn largest<T>(values: &[T], order: impl Fn(&T, &T) -> Ordering) -> Vec<usize> {
    let mut found: Vec<usize> = Vec::with_capacity(LARGEST + 1);
    for (place, value) in values.iter().enumerate() {
        let is_small = |least: &usize| order(value, &values[*least]).is_le();
        if found.len() == LARGEST && found.last().is_some_and(is_small) {
            continue;
        }
        let at = found.partition_point(|one| order(&values[*one], value).is_ge());
        found.insert(at, place);
        found.truncate(LARGEST);
    }
    found
}

/// The figures of at least one number.
fn figures(mut ints: Vec<i64>, mut floats: Vec<f64>, largest: Vec<Sample>) -> Figures {
    let mut total = Total::default();
    total.add_integers(ints.iter().map(|&number| i128::from(number)).sum(), ints.len() as u64);
    floats.iter().for_each(|&number| total.add_float(number));
    let mean = mean(&total, &floats);
    let quantiles = match (ints.is_empty(), floats.is_empty()) {
        (false, true) => quantiles(&mut ints, Ord::cmp).map(Value::Int),
        (true, false) => quantiles(&mut floats, f64::total_cmp).map(Value::Float),
        _ => {
            let floats = floats.into_iter().map(Value::Float);
            let mut all: Vec<Value> = ints.into_iter().map(Value::Int).chain(floats).collect();
            quantiles(&mut all, in_order)
        }
    };
    let [min, median, p90, p99, max] = quantiles;
    Figures { min, median, p90, p99, max, mean, largest }
}

/// The mean. A sum of floats that is too large for a float does not make it infinite.
fn mean(total: &Total, floats: &[f64]) -> Value {
    let mean = total.mean().unwrap_or(Value::Missing);
    let is_too_large = mean.as_f64().is_none_or(f64::is_infinite) && floats.iter().all(|number| number.is_finite());
    if !is_too_large || floats.is_empty() {
        return mean;
    }
    let count = total.count() as f64;
    Value::float(floats.iter().map(|number| number / count).sum())
}

/// The least, the quantiles 0.5, 0.9 and 0.99, and the largest of some values: selected, not
/// sorted. Each is looked for among those that are not above the next.
fn quantiles<T: Clone>(values: &mut [T], order: impl Fn(&T, &T) -> Ordering + Copy) -> [T; 5] {
    let count = values.len();
    let [r50, r90, r99] = [0.5, 0.9, 0.99].map(|part| rank(part, count));
    let mut below = count;
    let mut select = |rank: usize| {
        let found = values[..below].select_nth_unstable_by(rank - 1, order).1.clone();
        below = rank;
        found
    };
    let max = select(count);
    let (p99, p90, p50) = (select(r99), select(r90), select(r50));
    [select(1), p50, p90, p99, max]
}

/// How often values occur, if some are no numbers.
fn counted(ints: Vec<i64>, floats: Vec<f64>, mut others: FxHashMap<Value, (usize, usize)>) -> Frequencies {
    let numbers = ints.into_iter().map(Value::Int).chain(floats.into_iter().map(Value::Float));
    for number in numbers {
        let first = others.len();
        others.entry(in_one_form(&number)).or_insert((0, first)).0 += 1;
    }
    let distinct = others.len();
    let mut most: Vec<(Value, (usize, usize))> = others.into_iter().collect();
    most.sort_by_key(|(_, (count, first))| (Reverse(*count), *first));
    most.truncate(MOST_COUNTED);
    Frequencies { distinct, most: most.into_iter().map(|(value, (count, _))| (value, count)).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(parts: &[Vec<Value>]) -> ExperimentReport {
        let mut tally = ExperimentTally::default();
        for (index, values) in parts.iter().enumerate() {
            let samples = Samples::of_outcomes(values.iter().map(|value| Ok(Some(value.clone())))).expect("no error");
            let trace = Trace { len: values.len(), ..Trace::default() };
            tally.add(&samples, &trace, |position, value| Sample {
                key: Some(format!("k{index}").into()),
                value,
                at: Place { position, line: 0, source: None, time: None, values: Vec::new() },
                answered: None,
            });
        }
        tally.finish()
    }

    fn figures_of(parts: &[Vec<Value>]) -> Figures {
        match report(parts).findings {
            Findings::Numbers(figures) => *figures,
            other => panic!("numbers, and not {other:?}"),
        }
    }

    fn ints(numbers: impl IntoIterator<Item = i64>) -> Vec<Value> {
        numbers.into_iter().map(Value::Int).collect()
    }

    #[test]
    fn quantiles_are_values_that_occur() {
        for parts in [vec![ints(1..=100)], vec![ints((1..=50).rev()), ints(51..=100)]] {
            let figures = figures_of(&parts);
            let found = [&figures.min, &figures.median, &figures.p90, &figures.p99, &figures.max];
            assert_eq!(found, [1, 50, 90, 99, 100].map(Value::Int).each_ref());
            assert_eq!(figures.mean, Value::Float(50.5));
        }
        let one = figures_of(&[ints([7])]);
        assert_eq!([one.min, one.median, one.p90, one.p99, one.max], [7; 5].map(Value::Int));
    }

    #[test]
    fn quantiles_are_those_of_the_aggregate() {
        use traceward_logic::ast::Aggregate;
        use traceward_logic::semantics::summarise;
        for count in 1..40 {
            let values = ints((0..count).map(|number| number * 7 % 13));
            let figures = figures_of(std::slice::from_ref(&values));
            for (part, found) in [(0.5, &figures.median), (0.9, &figures.p90), (0.99, &figures.p99)] {
                let asked: Vec<Vec<Value>> = values.iter().map(|value| vec![value.clone()]).collect();
                let defined = summarise(Aggregate::Quantile(part), &asked).expect("no error");
                assert_eq!(Some(found), defined.as_ref(), "{part} of {count}");
            }
        }
    }

    #[test]
    fn the_largest_are_told_with_their_places() {
        let figures = figures_of(&[ints([5, 1, 5]), ints([9, 5, 2])]);
        let told: Vec<(Value, &str, usize)> = figures
            .largest
            .iter()
            .map(|one| (one.value.clone(), one.key.as_deref().unwrap_or_default(), one.at.position))
            .collect();
        assert_eq!(told, [(Value::Int(9), "k1", 0), (Value::Int(5), "k0", 0), (Value::Int(5), "k0", 2)]);
    }

    #[test]
    fn numbers_of_both_types_keep_their_order() {
        let big = (1_i64 << 53) + 1;
        let figures = figures_of(&[vec![Value::Float((big - 1) as f64), Value::Int(big), Value::Int(big - 2)]]);
        assert_eq!((figures.max, figures.min), (Value::Int(big), Value::Int(big - 2)));
        let large = figures_of(&[vec![Value::Float(f64::MAX), Value::Float(f64::MAX)]]);
        assert_eq!(large.mean, Value::Float(f64::MAX));
    }

    #[test]
    fn other_values_are_counted() {
        let texts = |texts: &[&str]| texts.iter().map(|text| Value::str(text)).collect::<Vec<_>>();
        let found = report(&[texts(&["b", "a", "b"]), texts(&["c", "a"])]);
        let most = vec![(Value::str("b"), 2), (Value::str("a"), 2), (Value::str("c"), 1)];
        assert_eq!(found.findings, Findings::Others(Frequencies { distinct: 3, most }));
        assert_eq!((found.positions, found.count), (5, 5));
        assert_eq!(report(&[]).findings, Findings::Nothing);
    }
}
