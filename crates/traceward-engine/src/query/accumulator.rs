//! Collections that take one value after the other and can be summarised in between.
//!
//! A value is taken at either end: the backward evaluation of the paper takes ever earlier ones,
//! and whoever follows a trace takes ever later ones. A summary is that of the definition,
//! whichever way the values came.

mod save;

use super::frequencies::{Frequencies, Wanted};
use super::histogram::Histogram;
use super::sketch::{Precision, Sketch};
use super::tolerance::{Tolerance, ToleranceKind};
use crate::automaton::algebraic::Collector;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use traceward_logic::ast::Aggregate;
use traceward_logic::expr::{Arguments, Expr};
use traceward_logic::moments::Moments;
use traceward_logic::query::FoldOrder;
use traceward_logic::semantics::{self, EvaluationError};
use traceward_logic::total::Total;
use traceward_logic::value::{ArithmeticError, CompareOp, Value};

/// The end of a collection at which a value is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// Before all values that there are.
    Front,
    /// Behind them.
    Back,
}

/// The values that were collected, as far as the summary needs them.
#[derive(Clone, Debug)]
pub struct Accumulator {
    collected: Collected,
    count: usize,
}

#[derive(Clone, Debug)]
enum Collected {
    Count,
    Sum(Total),
    Mean(Total),
    /// The best value so far, and what another has to be to beat it.
    Best(CompareOp, Option<Value>),
    /// The value at an end.
    AtEnd(End, Option<Value>),
    Spread(Box<Spread>),
    Frequencies(Box<Frequencies>),
    Quantile(Box<Quantile>),
    Histogram(Box<Histogram>),
    Correlation(Box<Correlation>),
    Fold(Box<Fold>),
}

impl Accumulator {
    /// A collection without a value, which keeps whatever its summary needs.
    pub fn new(collector: &Collector) -> Self {
        Self::with_precision(collector, Precision::Exact)
    }

    /// A collection without a value, whose summary is as exact as was asked for.
    pub fn with_precision(collector: &Collector, precision: Precision) -> Self {
        let collected = match collector {
            Collector::Aggregate(aggregate) => Collected::of(*aggregate, precision),
            Collector::Fold { start, combine, order } => Collected::Fold(Box::new(Fold {
                start: start.clone(),
                combine: combine.clone(),
                order: *order,
                state: Ok(Some(start.clone())),
                waiting: Vec::new(),
            })),
        };
        Self { collected, count: 0 }
    }

    /// The number of values.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Takes a value of a position.
    pub fn add(&mut self, value: &Value, end: End, position: usize) {
        self.count += 1;
        match &mut self.collected {
            Collected::Count => {}
            Collected::Sum(total) | Collected::Mean(total) => total.add(value),
            Collected::Best(beats, best) => keep_best(*beats, best, value, end),
            Collected::AtEnd(wanted, at_end) => {
                if *wanted == end || at_end.is_none() {
                    *at_end = Some(value.clone());
                }
            }
            Collected::Spread(spread) => spread.add(value),
            Collected::Frequencies(frequencies) => frequencies.add(value, end),
            Collected::Quantile(quantile) => quantile.add(value, end),
            Collected::Histogram(histogram) => histogram.add(value, end),
            Collected::Correlation(correlation) => {
                if let Value::Pair(pair) = value {
                    correlation.add(&pair.0, &pair.1);
                }
            }
            Collected::Fold(fold) => fold.add(value, end, position),
        }
    }

    /// The summary; none where there is none of so few values. The position is that of the
    /// collection.
    pub fn value(&self, position: usize) -> Result<Option<Value>, EvaluationError> {
        let failed = |reason: ArithmeticError| EvaluationError { position, reason, expression: None };
        if let Collected::Fold(fold) = &self.collected {
            return fold.value();
        }
        if self.count == 0 {
            return Ok(match &self.collected {
                Collected::Count => Some(Value::Int(0)),
                Collected::Frequencies(frequencies) => frequencies.of_nothing(),
                _ => None,
            });
        }
        let value = match &self.collected {
            Collected::Count => Some(Value::Int(self.count as i64)),
            Collected::Sum(total) => Some(total.sum().map_err(failed)?),
            Collected::Mean(total) => total.mean(),
            Collected::Best(_, value) | Collected::AtEnd(_, value) => value.clone(),
            Collected::Spread(spread) => spread.deviation(),
            Collected::Frequencies(frequencies) => frequencies.value(),
            Collected::Quantile(quantile) => quantile.value(),
            Collected::Histogram(histogram) => histogram.value().map_err(failed)?,
            Collected::Correlation(correlation) => correlation.value(),
            Collected::Fold(fold) => fold.value()?,
        };
        Ok(value.filter(|value| !value.is_missing()))
    }

    /// How far the summary may be off; none if it is exact.
    pub fn tolerance(&self) -> Option<Tolerance> {
        match &self.collected {
            Collected::Quantile(quantile) => {
                let relative = quantile.sketch.as_ref()?.accuracy();
                Some(Tolerance { relative, kind: ToleranceKind::Certain })
            }
            Collected::Frequencies(frequencies) => frequencies.tolerance(),
            Collected::Histogram(histogram) => histogram.tolerance(),
            _ => None,
        }
    }

    /// The number of bytes on the heap, about.
    pub fn bytes(&self) -> usize {
        let value = size_of::<Value>();
        match &self.collected {
            Collected::Histogram(histogram) => histogram.bytes(),
            Collected::Frequencies(frequencies) => frequencies.bytes(),
            Collected::Quantile(quantile) => {
                let sketch = quantile.sketch.as_ref().map_or(0, Sketch::bytes);
                (quantile.low.len() + quantile.high.len()) * (value + 8) + sketch
            }
            Collected::Fold(fold) => fold.waiting.capacity() * (value + 8),
            _ => 0,
        }
    }
}

impl Collected {
    fn of(aggregate: Aggregate, precision: Precision) -> Self {
        match aggregate {
            Aggregate::Count => Self::Count,
            Aggregate::Sum => Self::Sum(Total::default()),
            Aggregate::Avg => Self::Mean(Total::default()),
            Aggregate::Min => Self::Best(CompareOp::Less, None),
            Aggregate::Max => Self::Best(CompareOp::Greater, None),
            Aggregate::First => Self::AtEnd(End::Front, None),
            Aggregate::Last => Self::AtEnd(End::Back, None),
            Aggregate::Stddev => Self::Spread(Box::default()),
            Aggregate::Mode => Self::Frequencies(Box::new(Frequencies::new(Wanted::Mode, precision))),
            Aggregate::Distinct => Self::Frequencies(Box::new(Frequencies::new(Wanted::Distinct, precision))),
            Aggregate::Quantile(part) => Self::Quantile(Box::new(Quantile::new(part, precision))),
            Aggregate::Median => Self::Quantile(Box::new(Quantile::new(0.5, precision))),
            Aggregate::Histogram(buckets) => Self::Histogram(Box::new(Histogram::new(buckets, precision))),
            Aggregate::Corr => Self::Correlation(Box::default()),
        }
    }
}

/// Of equal values the earliest is kept: 1 and 1.0 are equal, and look different.
fn keep_best(beats: CompareOp, best: &mut Option<Value>, value: &Value, end: End) {
    let is_better = match (best.as_ref(), end) {
        (None, _) => true,
        (Some(best), End::Front) => !beats.holds(best, value),
        (Some(best), End::Back) => beats.holds(value, best),
    };
    if is_better {
        *best = Some(value.clone());
    }
}

/// The units in which deviations are measured: for usual numbers, for those whose squares overflow,
/// and for those whose squares vanish.
const UNITS: [f64; 3] = [1.0, 3.273390607896142e150, 3.054936363499605e-151];

/// The deviations beyond which the second unit is used, and below which the third is.
const USUAL: [f64; 2] = [1e-120, 1e120];

/// Count, mean and squared deviations, by Welford's recurrence. All numbers are seen from the first
/// one: that changes no deviation, and keeps what large integers such as timestamps differ by.
#[derive(Clone, Debug, Default)]
pub(super) struct Spread {
    origin: Option<Value>,
    count: f64,
    means: [f64; 3],
    squares: [f64; 3],
    /// The largest distance from the origin.
    widest: f64,
    /// Whether a number was infinite: then there is no mean to deviate from.
    is_infinite: bool,
    exact: Exact,
}

/// Moments without rounding, as long as there are such.
#[derive(Clone, Debug)]
struct Exact(Option<Moments>);

impl Default for Exact {
    fn default() -> Self {
        Self(Some(Moments::default()))
    }
}

impl Exact {
    fn add(&mut self, pair: [&Value; 2]) {
        self.0 = match (self.0, pair) {
            (Some(moments), [Value::Int(left), Value::Int(right)]) => moments.with([*left, *right]),
            _ => None,
        };
    }
}

impl Spread {
    pub(super) fn add(&mut self, number: &Value) {
        self.exact.add([number, number]);
        self.advance(number);
    }

    /// Takes a number, and gives its distances from the means before and behind it.
    fn advance(&mut self, number: &Value) -> [(f64, f64); 3] {
        let origin = self.origin.get_or_insert_with(|| number.clone()).clone();
        self.count += 1.0;
        self.is_infinite |= number.as_f64().is_none_or(f64::is_infinite);
        self.widest = self.widest.max(semantics::difference(number, &origin, 1.0).abs());
        std::array::from_fn(|unit| {
            let number = semantics::difference(number, &origin, UNITS[unit]);
            let before = number - self.means[unit];
            self.means[unit] += before / self.count;
            let behind = number - self.means[unit];
            self.squares[unit] += before * behind;
            (before, behind)
        })
    }

    fn unit(&self) -> usize {
        match self.widest {
            widest if widest > USUAL[1] => 1,
            widest if widest < USUAL[0] => 2,
            _ => 0,
        }
    }

    pub(super) fn deviation(&self) -> Option<Value> {
        let unit = self.unit();
        let rounded = || (self.squares[unit] / self.count).sqrt() * UNITS[unit];
        let deviation = self.exact.0.and_then(|moments| moments.deviation()).unwrap_or_else(rounded);
        (self.count > 0.0 && !self.is_infinite).then(|| Value::float(deviation))
    }
}

/// The moments of pairs, by the same recurrence.
#[derive(Clone, Debug, Default)]
pub(super) struct Correlation {
    left: Spread,
    right: Spread,
    /// By the units of both sides.
    products: [[f64; 3]; 3],
    exact: Exact,
}

impl Correlation {
    pub(super) fn add(&mut self, left: &Value, right: &Value) {
        self.exact.add([left, right]);
        let (left, right) = (self.left.advance(left), self.right.advance(right));
        for (products, (before, _)) in self.products.iter_mut().zip(left) {
            for (product, (_, behind)) in products.iter_mut().zip(right) {
                *product += before * behind;
            }
        }
    }

    pub(super) fn value(&self) -> Option<Value> {
        if let Some(correlation) = self.exact.0.and_then(|moments| moments.correlation()) {
            return (self.left.count >= 2.0 && !correlation.is_nan()).then(|| Value::float(correlation));
        }
        let (left, right) = (self.left.unit(), self.right.unit());
        let scale = self.left.squares[left].sqrt() * self.right.squares[right].sqrt();
        let is_defined = self.left.count >= 2.0 && scale > 0.0 && !self.left.is_infinite && !self.right.is_infinite;
        is_defined.then(|| Value::float((self.products[left][right] / scale).clamp(-1.0, 1.0)))
    }
}

/// The places of values, which come at either end.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Places {
    earliest: i64,
    latest: i64,
}

impl Places {
    /// The place of one more value.
    pub(super) fn next(&mut self, end: End) -> i64 {
        match end {
            End::Front => {
                self.earliest -= 1;
                self.earliest
            }
            End::Back => {
                self.latest += 1;
                self.latest
            }
        }
    }

    /// The number of places so far.
    pub(super) fn count(self) -> u64 {
        self.latest.abs_diff(self.earliest)
    }

    /// Whether there is a place.
    pub(super) fn contains(self, place: i64) -> bool {
        (self.earliest..=self.latest).contains(&place)
    }
}

/// The values up to the wanted rank, and those above it. With every value the rank grows by one or
/// not at all, so that one value at the most changes sides.
///
/// Beyond the number of values that are to be kept, a sketch takes their place.
#[derive(Clone, Debug)]
struct Quantile {
    part: f64,
    share: semantics::Share,
    precision: Precision,
    sketch: Option<Sketch>,
    low: BinaryHeap<Ranked>,
    high: BinaryHeap<Reverse<Ranked>>,
    places: Places,
}

/// A value in its order; of equal values the earlier is less.
#[derive(Clone, Debug)]
struct Ranked(Value, i64);

impl Ord for Ranked {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.compare(&other.0).unwrap_or(Ordering::Equal).then(self.1.cmp(&other.1))
    }
}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Ranked {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Ranked {}

impl Quantile {
    fn new(part: f64, precision: Precision) -> Self {
        Self {
            part,
            share: semantics::Share::new(part),
            precision,
            sketch: None,
            low: BinaryHeap::new(),
            high: BinaryHeap::new(),
            places: Places::default(),
        }
    }

    fn add(&mut self, value: &Value, end: End) {
        if let Some(sketch) = &mut self.sketch {
            sketch.add(value.as_f64().unwrap_or_default());
            return;
        }
        // There is no sketch of anything but numbers.
        if value.as_f64().is_none() {
            self.precision = Precision::Exact;
        }
        let ranked = Ranked(value.clone(), self.places.next(end));
        match self.low.peek() {
            Some(greatest) if ranked > *greatest => self.high.push(Reverse(ranked)),
            _ => self.low.push(ranked),
        }
        let rank = self.share.rank(self.low.len() + self.high.len());
        while self.low.len() > rank
            && let Some(greatest) = self.low.pop()
        {
            self.high.push(Reverse(greatest));
        }
        while self.low.len() < rank
            && let Some(Reverse(least)) = self.high.pop()
        {
            self.low.push(least);
        }
        if let Some(accuracy) = self.precision.error_beyond(self.low.len() + self.high.len()) {
            self.forget(accuracy);
        }
    }

    /// Lets a sketch take the place of the values.
    fn forget(&mut self, accuracy: f64) {
        let mut sketch = Sketch::new(accuracy);
        let high = std::mem::take(&mut self.high).into_iter().map(|Reverse(ranked)| ranked);
        for Ranked(value, _) in std::mem::take(&mut self.low).into_iter().chain(high) {
            sketch.add(value.as_f64().unwrap_or_default());
        }
        self.sketch = Some(sketch);
    }

    fn value(&self) -> Option<Value> {
        if let Some(sketch) = &self.sketch {
            return sketch.quantile(self.part);
        }
        self.low.peek().map(|ranked| ranked.0.clone())
    }
}

/// A fold. Where values come from the other end than it takes them, they wait until it is asked.
#[derive(Clone, Debug)]
struct Fold {
    start: Value,
    combine: Expr,
    order: FoldOrder,
    state: Result<Option<Value>, EvaluationError>,
    /// Values that cannot be taken yet, the one to be taken first at the end.
    waiting: Vec<(Value, usize)>,
}

impl Fold {
    fn add(&mut self, value: &Value, end: End, position: usize) {
        match (self.order, end) {
            (FoldOrder::Backward, End::Front) | (FoldOrder::Forward, End::Back) => {
                let state = std::mem::replace(&mut self.state, Ok(None));
                self.state = self.taken(state, value, position);
            }
            _ => self.waiting.push((value.clone(), position)),
        }
    }

    fn taken(
        &self,
        state: Result<Option<Value>, EvaluationError>,
        value: &Value,
        position: usize,
    ) -> Result<Option<Value>, EvaluationError> {
        let Some(accumulated) = state? else { return Ok(None) };
        let value = self.combine.value(&Arguments(&[accumulated, value.clone()]));
        let value = value.map_err(|reason| EvaluationError::of(&self.combine, position, reason))?;
        Ok(Some(value).filter(|value| !value.is_missing()))
    }

    fn value(&self) -> Result<Option<Value>, EvaluationError> {
        if self.waiting.is_empty() {
            return self.state.clone();
        }
        let start = Ok(Some(self.start.clone()));
        self.waiting.iter().rev().fold(start, |state, (value, position)| self.taken(state, value, *position))
    }
}
