//! Collections that are asked only at position 0: all values of a block are taken at once, and the
//! summary is made in the end.

use super::lanes::{Bits, Data, Lanes, Stretch, WORDS, for_each_backward};
use super::loops::Choice;
use crate::automaton::algebraic::Collector;
use crate::query::accumulator::{Accumulator, Correlation, End, Spread};
use crate::query::{Precision, Tolerance};
use rustc_hash::FxHashMap;
use traceward_logic::ast::Aggregate;
use traceward_logic::bitmap::Bitmap;
use traceward_logic::semantics::{self, EvaluationError};
use traceward_logic::total::Total;
use traceward_logic::trace::{Trace, VariableId};
use traceward_logic::value::{ArithmeticError, Value};

/// A collection on its way from the last block to the first.
#[derive(Clone, Debug)]
pub(super) struct Folded {
    collector: Collector,
    precision: Precision,
    collected: Collected,
    /// Whether the condition held at the last position looked at.
    goes_on: bool,
}

/// The values of a collection so far, as far as its summary needs them.
#[derive(Clone, Debug)]
enum Collected {
    /// The types are not known before the first block.
    Unknown,
    Count(u64),
    Sum(Total),
    IntBest(Choice, Option<i64>),
    FloatBest(Choice, Option<f64>),
    Spread(Box<Spread>),
    Ints(Vec<i64>),
    Floats(Vec<f64>),
    /// How often each string of a column occurs, and where first.
    Codes(VariableId, Vec<(u64, usize)>),
    /// How often each integer occurs, and where first.
    IntCounts(FxHashMap<i64, (u64, usize)>),
    Correlation(Box<Correlation>),
    Any(Box<Accumulator>),
}

/// What is taken from a block.
pub(super) enum Taken<'a> {
    One(&'a Lanes),
    /// Two queries side by side, for a correlation.
    Two(&'a Lanes, &'a Lanes),
}

impl Folded {
    pub fn new(collector: &Collector, precision: Precision) -> Self {
        Self { collector: collector.clone(), precision, collected: Collected::Unknown, goes_on: false }
    }

    /// Takes the values of a block. Where the condition fails, all that was collected behind it is
    /// of no interest.
    pub fn take(&mut self, taken: &Taken<'_>, condition: Option<&Bits>, stretch: Stretch, trace: &Trace) {
        if matches!(self.collected, Collected::Unknown) {
            self.collected = Collected::new(&self.collector, self.precision, taken);
        }
        let ok = match taken {
            Taken::One(lanes) => lanes.ok,
            Taken::Two(left, right) => super::lanes::and(&left.ok, &right.ok),
        };
        let all = stretch.all();
        match condition {
            Some(condition) if *condition != all => {
                let wanted = leading(condition, &all);
                self.collected = Collected::new(&self.collector, self.precision, taken);
                self.collected.add(taken, &super::lanes::and(&ok, &wanted), stretch, trace);
            }
            _ => self.collected.add(taken, &ok, stretch, trace),
        }
        self.goes_on = condition.is_none_or(|condition| condition[0] >> (Bitmap::WORD - 1) == 1);
    }

    /// Whether two such collections can be joined so that nobody can tell: sums of floats depend on
    /// their order.
    pub fn can_be_joined(&self) -> bool {
        match &self.collected {
            Collected::Sum(total) => total.to_parts().integer_count > 0,
            Collected::Count(_)
            | Collected::IntBest(..)
            | Collected::FloatBest(..)
            | Collected::Ints(_)
            | Collected::Floats(_)
            | Collected::Codes(..)
            | Collected::IntCounts(_) => true,
            Collected::Unknown | Collected::Spread(_) | Collected::Correlation(_) | Collected::Any(_) => false,
        }
    }

    /// Takes what was collected at the positions before those that were looked at.
    pub fn join(&mut self, before: Self) {
        self.collected.join(before.collected);
        self.goes_on = before.goes_on;
    }

    /// How far the summary may be off; none if it is exact.
    pub fn tolerance(&self) -> Option<Tolerance> {
        match &self.collected {
            Collected::Any(accumulator) if self.goes_on => accumulator.tolerance(),
            _ => None,
        }
    }

    /// The summary at position 0.
    pub fn into_value(self, trace: &Trace) -> Result<Option<Value>, EvaluationError> {
        if !self.goes_on {
            return Ok(None);
        }
        let overflow = EvaluationError { position: 0, reason: ArithmeticError::Overflow, expression: None };
        let Self { collector, collected, .. } = self;
        Ok(match collected {
            Collected::Unknown => None,
            Collected::Any(accumulator) => return accumulator.value(0),
            Collected::Count(count) => Some(Value::Int(count as i64)),
            Collected::Sum(total) if total.count() == 0 => None,
            Collected::Sum(total) => match collector {
                Collector::Aggregate(Aggregate::Avg) => total.mean(),
                _ => Some(total.sum().map_err(|_| overflow)?),
            },
            Collected::IntBest(_, best) => best.map(Value::Int),
            Collected::FloatBest(_, best) => best.map(Value::Float),
            Collected::Spread(spread) => spread.deviation(),
            Collected::Ints(numbers) => of_ints(&collector, numbers),
            Collected::Floats(numbers) => of_floats(&collector, numbers),
            Collected::Codes(variable, counts) => of_counts(&collector, counts.into_iter().zip(0..), |code| {
                Lanes { ok: [u64::MAX; WORDS], data: Data::Code(variable, vec![code]) }.value(0, trace)
            }),
            Collected::IntCounts(counts) => {
                let counts = counts.into_iter().map(|(number, count)| (count, number));
                of_counts(&collector, counts, Value::Int)
            }
            Collected::Correlation(correlation) => correlation.value(),
        }
        .filter(|value| !value.is_missing()))
    }
}

fn of_ints(collector: &Collector, mut numbers: Vec<i64>) -> Option<Value> {
    match *collector {
        Collector::Aggregate(Aggregate::Histogram(buckets)) => {
            let numbers: Vec<f64> = numbers.iter().map(|&number| number as f64).collect();
            if numbers.is_empty() { None } else { semantics::buckets_of(buckets, &numbers) }
        }
        _ => Some(Value::Int(*ranked(collector, &mut numbers, Ord::cmp)?)),
    }
}

fn of_floats(collector: &Collector, mut numbers: Vec<f64>) -> Option<Value> {
    match *collector {
        Collector::Aggregate(Aggregate::Histogram(_)) if numbers.is_empty() => None,
        Collector::Aggregate(Aggregate::Histogram(buckets)) => semantics::buckets_of(buckets, &numbers),
        _ => Some(Value::Float(*ranked(collector, &mut numbers, f64::total_cmp)?)),
    }
}

/// The quantile of some numbers: selected, not sorted.
fn ranked<'n, T>(
    collector: &Collector,
    numbers: &'n mut [T],
    order: impl FnMut(&T, &T) -> std::cmp::Ordering,
) -> Option<&'n T> {
    let part = match *collector {
        Collector::Aggregate(Aggregate::Quantile(part)) => part,
        _ => 0.5,
    };
    if numbers.is_empty() {
        return None;
    }
    let rank = semantics::rank(part, numbers.len());
    Some(numbers.select_nth_unstable_by(rank - 1, order).1)
}

/// The mode of counted values, or how many there are.
fn of_counts<T: Copy>(
    collector: &Collector,
    counts: impl Iterator<Item = ((u64, usize), T)>,
    value: impl Fn(T) -> Value,
) -> Option<Value> {
    let occurring = counts.filter(|((count, _), _)| *count > 0);
    match *collector {
        Collector::Aggregate(Aggregate::Distinct) => Some(Value::Int(occurring.count() as i64)),
        Collector::Aggregate(Aggregate::Histogram(_)) => {
            let mut found: Vec<((u64, usize), T)> = occurring.collect();
            found.sort_by_key(|((count, first), _)| (std::cmp::Reverse(*count), *first));
            let entry = |((count, _), one): ((u64, usize), T)| Value::List(vec![value(one), Value::Int(count as i64)]);
            (!found.is_empty()).then(|| Value::List(found.into_iter().map(entry).collect()))
        }
        _ => {
            let most = occurring.max_by_key(|((count, first), _)| (*count, std::cmp::Reverse(*first)));
            most.map(|(_, one)| value(one))
        }
    }
}

/// The positions of a block before the first at which a condition fails.
fn leading(condition: &Bits, all: &Bits) -> Bits {
    let mut wanted = [0; WORDS];
    for word in 0..WORDS {
        let ones = (condition[word] | !all[word]).leading_ones();
        wanted[word] = match ones {
            0 => 0,
            ones => (u64::MAX << (u64::BITS - ones)) & all[word],
        };
        if ones < u64::BITS {
            break;
        }
    }
    wanted
}

impl Collected {
    fn new(collector: &Collector, precision: Precision, taken: &Taken<'_>) -> Self {
        let any = || Self::Any(Box::new(Accumulator::with_precision(collector, precision)));
        let Collector::Aggregate(aggregate) = collector else { return any() };
        if let Taken::Two(..) = taken {
            return Self::Correlation(Box::default());
        }
        let Taken::One(lanes) = taken else { return any() };
        match (aggregate, &lanes.data) {
            // Strings of a column are kept anyway: of them all is exact at no further cost.
            (Aggregate::Mode | Aggregate::Distinct | Aggregate::Histogram(_), Data::Code(variable, _)) => {
                Self::Codes(*variable, Vec::new())
            }
            (
                Aggregate::Quantile(_)
                | Aggregate::Median
                | Aggregate::Mode
                | Aggregate::Distinct
                | Aggregate::Histogram(_),
                _,
            ) if precision != Precision::Exact => any(),
            (Aggregate::Count, _) => Self::Count(0),
            (Aggregate::Sum | Aggregate::Avg, Data::Int(_) | Data::Float(_)) => Self::Sum(Total::default()),
            (Aggregate::Min, Data::Int(_)) => Self::IntBest(Choice::Least, None),
            (Aggregate::Max, Data::Int(_)) => Self::IntBest(Choice::Greatest, None),
            (Aggregate::Min, Data::Float(_)) => Self::FloatBest(Choice::Least, None),
            (Aggregate::Max, Data::Float(_)) => Self::FloatBest(Choice::Greatest, None),
            (Aggregate::Stddev, Data::Int(_) | Data::Float(_)) => Self::Spread(Box::default()),
            (Aggregate::Quantile(_) | Aggregate::Median | Aggregate::Histogram(_), Data::Int(_)) => {
                Self::Ints(Vec::new())
            }
            (Aggregate::Quantile(_) | Aggregate::Median | Aggregate::Histogram(_), Data::Float(_)) => {
                Self::Floats(Vec::new())
            }
            (Aggregate::Mode | Aggregate::Distinct, Data::Int(_)) => Self::IntCounts(FxHashMap::default()),
            _ => any(),
        }
    }

    /// Takes what was collected before, of the same type.
    fn join(&mut self, before: Self) {
        match (self, before) {
            (Self::Count(count), Self::Count(more)) => *count += more,
            (Self::Sum(total), Self::Sum(more)) => total.merge(&more),
            (Self::IntBest(choice, best), Self::IntBest(_, other)) => {
                *best = [*best, other].into_iter().flatten().reduce(|one, other| choice.of(one, other));
            }
            (Self::FloatBest(choice, best), Self::FloatBest(_, other)) => {
                *best = other.map(|number| better(*choice, *best, number)).or(*best);
            }
            (Self::Ints(kept), Self::Ints(more)) => kept.extend(more),
            (Self::Floats(kept), Self::Floats(more)) => kept.extend(more),
            (Self::Codes(_, counts), Self::Codes(_, before)) => {
                counts.resize(counts.len().max(before.len()), (0, 0));
                counts.iter_mut().zip(before).for_each(|(count, before)| *count = counted_before(*count, before));
            }
            (Self::IntCounts(counts), Self::IntCounts(before)) => {
                for (number, before) in before {
                    let count = counts.entry(number).or_insert((0, 0));
                    *count = counted_before(*count, before);
                }
            }
            _ => unreachable!("what is joined has one type, and can be joined"),
        }
    }

    fn add(&mut self, taken: &Taken<'_>, wanted: &Bits, stretch: Stretch, trace: &Trace) {
        match (&mut *self, taken) {
            (Self::Correlation(correlation), Taken::Two(left, right)) => for_each_backward(wanted, |lane| {
                correlation.add(&left.value(lane, trace), &right.value(lane, trace));
            }),
            (_, Taken::One(lanes)) => self.add_one(lanes, wanted, stretch, trace),
            _ => {}
        }
    }

    fn add_one(&mut self, lanes: &Lanes, wanted: &Bits, stretch: Stretch, trace: &Trace) {
        match (self, &lanes.data) {
            (Self::Count(count), _) => *count += ones(wanted),
            (Self::Sum(total), Data::Int(numbers)) => total.add_integers(sum_of(numbers, wanted), ones(wanted)),
            (Self::Sum(total), Data::Float(numbers)) => {
                for_each_backward(wanted, |lane| total.add_float(numbers[lane]));
            }
            (Self::IntBest(choice, best), Data::Int(numbers)) => {
                *best = best_int(*choice, numbers, wanted, *best);
            }
            (Self::FloatBest(choice, best), Data::Float(numbers)) => {
                for_each_backward(wanted, |lane| *best = Some(better(*choice, *best, numbers[lane])));
            }
            (Self::Spread(spread), _) => {
                for_each_backward(wanted, |lane| spread.add(&lanes.value(lane, trace)));
            }
            (Self::Ints(kept), Data::Int(numbers)) => keep(kept, numbers, wanted),
            (Self::Floats(kept), Data::Float(numbers)) => keep(kept, numbers, wanted),
            (Self::Codes(_, counts), Data::Code(_, codes)) => for_each_backward(wanted, |lane| {
                let code = codes[lane] as usize;
                if counts.len() <= code {
                    counts.resize(code + 1, (0, 0));
                }
                counts[code] = (counts[code].0 + 1, stretch.base + lane);
            }),
            (Self::IntCounts(counts), Data::Int(numbers)) => for_each_backward(wanted, |lane| {
                let entry = counts.entry(numbers[lane]).or_insert((0, 0));
                *entry = (entry.0 + 1, stretch.base + lane);
            }),
            (Self::Any(accumulator), _) => for_each_backward(wanted, |lane| {
                accumulator.add(&lanes.value(lane, trace), End::Front, stretch.base + lane);
            }),
            _ => unreachable!("what is collected has one type"),
        }
    }
}

/// How often something occurs, and where first, if it occurred before, too.
fn counted_before(behind: (u64, usize), before: (u64, usize)) -> (u64, usize) {
    if before.0 == 0 { behind } else { (behind.0 + before.0, before.1) }
}

fn ones(bits: &Bits) -> u64 {
    bits.iter().map(|word| u64::from(word.count_ones())).sum()
}

/// The sum of the numbers at some positions. 64 numbers at a time: two halves of each cannot
/// overflow.
fn sum_of(numbers: &[i64], wanted: &Bits) -> i128 {
    let mut sum = 0_i128;
    for (chunk, &word) in numbers.chunks(Bitmap::WORD).zip(wanted) {
        if word == u64::MAX {
            let (low, high) = chunk.iter().fold((0_u64, 0_i64), |(low, high), &number| {
                (low + (number as u64 & 0xFFFF_FFFF), high + (number >> 32))
            });
            sum += (i128::from(high) << 32) + i128::from(low);
        } else if word != 0 {
            let mut rest = word;
            while rest != 0 {
                let lane = rest.leading_zeros() as usize;
                rest &= !(1 << (Bitmap::WORD - 1 - lane));
                sum += i128::from(chunk[lane]);
            }
        }
    }
    sum
}

fn best_int(choice: Choice, numbers: &[i64], wanted: &Bits, best: Option<i64>) -> Option<i64> {
    let mut best = best;
    for (chunk, &word) in numbers.chunks(Bitmap::WORD).zip(wanted) {
        let found = match word {
            0 => None,
            u64::MAX => best_of_all(choice, chunk),
            word => {
                let set = chunk.iter().enumerate().filter(|(lane, _)| word >> (Bitmap::WORD - 1 - lane) & 1 == 1);
                set.map(|(_, number)| *number).reduce(|one, other| choice.of(one, other))
            }
        };
        best = match (best, found) {
            (Some(one), Some(other)) => Some(choice.of(one, other)),
            (one, other) => one.or(other),
        };
    }
    best
}

/// The best of some numbers. Eight of them are compared at a time: one behind the other, each
/// comparison would wait for the one before it.
fn best_of_all(choice: Choice, numbers: &[i64]) -> Option<i64> {
    let (eights, rest) = numbers.as_chunks::<8>();
    let eight = eights.iter().copied().reduce(|mut best, eight| {
        match choice {
            Choice::Least => best.iter_mut().zip(eight).for_each(|(one, other)| *one = (*one).min(other)),
            Choice::Greatest => best.iter_mut().zip(eight).for_each(|(one, other)| *one = (*one).max(other)),
        }
        best
    });
    eight.into_iter().flatten().chain(rest.iter().copied()).reduce(|one, other| choice.of(one, other))
}

/// The better of two floats; of equal ones, 0.0 and -0.0, the new one, which is the earlier.
fn better(choice: Choice, best: Option<f64>, number: f64) -> f64 {
    match (best, choice) {
        (Some(best), Choice::Least) if best < number => best,
        (Some(best), Choice::Greatest) if best > number => best,
        _ => number,
    }
}

/// Keeps the values at some positions.
fn keep<T: Copy>(kept: &mut Vec<T>, values: &[T], wanted: &Bits) {
    for (chunk, &word) in values.chunks(Bitmap::WORD).zip(wanted) {
        match word {
            0 => {}
            u64::MAX => kept.extend_from_slice(chunk),
            word => {
                let set = chunk.iter().enumerate().filter(|(lane, _)| word >> (Bitmap::WORD - 1 - lane) & 1 == 1);
                kept.extend(set.map(|(_, value)| *value));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wherever the best number stands, and however many there are.
    #[test]
    fn the_best_of_some_numbers_is_found_at_any_place() {
        for len in 0..=Bitmap::WORD {
            for best in 0..len.max(1) {
                let distance = |at: usize| at.abs_diff(best) as i64;
                let falling: Vec<i64> = (0..len).map(|at| -distance(at)).collect();
                assert_eq!(best_of_all(Choice::Greatest, &falling), (len > 0).then_some(0), "{best} of {len}");
                let rising: Vec<i64> = (0..len).map(|at| i64::MIN + distance(at)).collect();
                assert_eq!(best_of_all(Choice::Least, &rising), (len > 0).then_some(i64::MIN), "{best} of {len}");
            }
        }
    }
}
