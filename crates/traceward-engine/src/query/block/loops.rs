//! Loops of the automaton over a block: what is waited for, and collections that are asked at every
//! position.

use super::Bail;
use super::lanes::{Bits, Data, Lanes, Scalar, Stretch, WORDS, is_set};
use crate::automaton::algebraic::Collector;
use crate::query::accumulator::{Accumulator, End};
use traceward_logic::ast::Aggregate;
use traceward_logic::bitmap::Bitmap;
use traceward_logic::trace::Trace;
use traceward_logic::value::Value;

/// `left U right` on its way from the last block to the first.
#[derive(Clone, Debug, Default)]
pub(super) struct Until {
    /// The value at the first position of the block before.
    carry: Option<Scalar>,
}

impl Until {
    /// The values in a block: that of `right` at the next position where it has one, if `left`
    /// succeeds until then.
    pub fn values(&mut self, left: &Bits, right: &Lanes, stretch: Stretch, trace: &Trace) -> Lanes {
        let ok = carried(&right.ok, left, u64::from(self.carry.is_some()), stretch);
        let len = stretch.len;
        let data = match (&right.data, &self.carry) {
            (Data::True, _) => Data::True,
            (Data::Int(numbers), None) => Data::Int(filled(numbers, &right.ok, len, 0)),
            (Data::Int(numbers), Some(Scalar::Int(carry))) => Data::Int(filled(numbers, &right.ok, len, *carry)),
            (Data::Float(numbers), None) => Data::Float(filled(numbers, &right.ok, len, 0.0)),
            (Data::Float(numbers), Some(Scalar::Float(carry))) => Data::Float(filled(numbers, &right.ok, len, *carry)),
            (Data::Code(variable, codes), None) => Data::Code(*variable, filled(codes, &right.ok, len, 0)),
            (Data::Code(variable, codes), Some(Scalar::Code(_, carry))) => {
                Data::Code(*variable, filled(codes, &right.ok, len, *carry))
            }
            (_, carry) => {
                let mut carry = carry.as_ref().map_or(Value::Missing, |carry| carry.value(trace));
                let mut values = vec![Value::Missing; len];
                for lane in (0..len).rev() {
                    if is_set(&right.ok, lane) {
                        carry = right.value(lane, trace);
                    }
                    values[lane] = carry.clone();
                }
                Data::Any(values)
            }
        };
        let lanes = Lanes { ok, data };
        self.carry = lanes.scalar(0);
        lanes
    }
}

/// `v[j] = goal[j] | (kept[j] & v[j+1])`, a carry chain: one addition for 64 positions, as in
/// reverse traversal.
fn carried(goal: &Bits, kept: &Bits, carry: u64, stretch: Stretch) -> Bits {
    let mut bits = [0; WORDS];
    let mut carry = carry;
    for word in (0..stretch.len.div_ceil(Bitmap::WORD)).rev() {
        // Behind the end of a part of a word the chain just goes on.
        let used = (stretch.len - word * Bitmap::WORD).min(Bitmap::WORD);
        let behind = if used == Bitmap::WORD { 0 } else { u64::MAX >> used };
        let either = goal[word] | kept[word] | behind;
        let (sum, over) = either.overflowing_add(goal[word]);
        let (sum, again) = sum.overflowing_add(carry);
        let carries = either ^ goal[word] ^ sum;
        bits[word] = (goal[word] | (either & carries)) & !behind;
        carry = u64::from(over || again);
    }
    bits
}

/// At each position the value at the next one that is set; behind the last of them the carry.
fn filled<T: Copy>(values: &[T], set: &Bits, len: usize, carry: T) -> Vec<T> {
    let mut carry = carry;
    let mut filled = vec![carry; len];
    for word in (0..len.div_ceil(Bitmap::WORD)).rev() {
        let from = word * Bitmap::WORD;
        let to = len.min(from + Bitmap::WORD);
        match set[word] {
            0 => filled[from..to].fill(carry),
            u64::MAX => {
                filled[from..to].copy_from_slice(&values[from..to]);
                carry = values[from];
            }
            bits => {
                for lane in (from..to).rev() {
                    if bits >> (Bitmap::WORD - 1 - (lane - from)) & 1 == 1 {
                        carry = values[lane];
                    }
                    filled[lane] = carry;
                }
            }
        }
    }
    filled
}

/// A collection that is asked at every position.
#[derive(Clone, Debug)]
pub(super) enum Running {
    Count(i64),
    /// The sum, and whether there is any value.
    Sum(i128, bool),
    /// The best value: the greatest, or the least.
    Best(Choice, Option<i64>),
    Any(Box<Accumulator>, Collector),
}

/// Which of two numbers is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Choice {
    Least,
    Greatest,
}

impl Choice {
    pub fn of(self, one: i64, other: i64) -> i64 {
        match self {
            Self::Least => one.min(other),
            Self::Greatest => one.max(other),
        }
    }
}

impl Running {
    /// A collection without a value; `is_integer` tells whether what is collected is.
    pub fn new(collector: &Collector, is_integer: bool) -> Self {
        match collector {
            Collector::Aggregate(Aggregate::Count) => Self::Count(0),
            Collector::Aggregate(Aggregate::Sum) if is_integer => Self::Sum(0, false),
            Collector::Aggregate(Aggregate::Min) if is_integer => Self::Best(Choice::Least, None),
            Collector::Aggregate(Aggregate::Max) if is_integer => Self::Best(Choice::Greatest, None),
            collector => Self::Any(Box::new(Accumulator::new(collector)), collector.clone()),
        }
    }

    /// The summaries in a block, at every position from which the condition goes on.
    pub fn values(
        &mut self,
        of: &Lanes,
        condition: Option<&Bits>,
        stretch: Stretch,
        trace: &Trace,
    ) -> Result<Lanes, Bail> {
        let goes_on = condition.copied().unwrap_or_else(|| stretch.all());
        match (self, &of.data) {
            (Self::Count(count), _) => Ok(running_count(count, &of.ok, goes_on, stretch.len)),
            (Self::Sum(sum, any), Data::Int(numbers)) => running_sum(sum, any, numbers, of.ok, goes_on, stretch.len),
            (Self::Best(choice, best), Data::Int(numbers)) => {
                Ok(running_best(*choice, best, numbers, of.ok, goes_on, stretch.len))
            }
            (Self::Any(accumulator, collector), _) => running_any(accumulator, collector, of, goes_on, stretch, trace),
            _ => unreachable!("what is collected has one type"),
        }
    }
}

fn running_count(count: &mut i64, of: &Bits, goes_on: Bits, len: usize) -> Lanes {
    let mut numbers = vec![0; len];
    for word in (0..len.div_ceil(Bitmap::WORD)).rev() {
        let from = word * Bitmap::WORD;
        let chunk = &mut numbers[from..len.min(from + Bitmap::WORD)];
        let unused = Bitmap::WORD - chunk.len();
        let (mut of, mut on) = (of[word] >> unused, goes_on[word] >> unused);
        if goes_on[word] == 0 {
            *count = 0;
            continue;
        }
        for number in chunk.iter_mut().rev() {
            // Where the condition fails the count begins anew.
            *count = (*count + (of & 1) as i64) & -((on & 1) as i64);
            *number = *count;
            of >>= 1;
            on >>= 1;
        }
    }
    Lanes { ok: goes_on, data: Data::Int(numbers) }
}

fn running_sum(
    sum: &mut i128,
    any: &mut bool,
    numbers: &[i64],
    of: Bits,
    goes_on: Bits,
    len: usize,
) -> Result<Lanes, Bail> {
    let mut sums = vec![0; len];
    let mut ok = [0; WORDS];
    for lane in (0..len).rev() {
        if !is_set(&goes_on, lane) {
            (*sum, *any) = (0, false);
            continue;
        }
        if is_set(&of, lane) {
            *sum += i128::from(numbers[lane]);
            *any = true;
        }
        sums[lane] = i64::try_from(*sum).map_err(|_| Bail)?;
        ok[lane / Bitmap::WORD] |= u64::from(*any) << (Bitmap::WORD - 1 - lane % Bitmap::WORD);
    }
    Ok(Lanes { ok, data: Data::Int(sums) })
}

fn running_best(choice: Choice, best: &mut Option<i64>, numbers: &[i64], of: Bits, goes_on: Bits, len: usize) -> Lanes {
    let mut found = vec![0; len];
    let mut ok = [0; WORDS];
    for lane in (0..len).rev() {
        if !is_set(&goes_on, lane) {
            *best = None;
            continue;
        }
        if is_set(&of, lane) {
            *best = Some(best.map_or(numbers[lane], |best| choice.of(best, numbers[lane])));
        }
        found[lane] = best.unwrap_or_default();
        ok[lane / Bitmap::WORD] |= u64::from(best.is_some()) << (Bitmap::WORD - 1 - lane % Bitmap::WORD);
    }
    Lanes { ok, data: Data::Int(found) }
}

fn running_any(
    accumulator: &mut Accumulator,
    collector: &Collector,
    of: &Lanes,
    goes_on: Bits,
    stretch: Stretch,
    trace: &Trace,
) -> Result<Lanes, Bail> {
    let mut values = vec![Value::Missing; stretch.len];
    let mut ok = [0; WORDS];
    for lane in (0..stretch.len).rev() {
        if !is_set(&goes_on, lane) {
            if accumulator.count() > 0 {
                *accumulator = Accumulator::new(collector);
            }
            continue;
        }
        let position = stretch.base + lane;
        if is_set(&of.ok, lane) {
            accumulator.add(&of.value(lane, trace), End::Front, position);
        }
        if let Some(value) = accumulator.value(position).map_err(|_| Bail)? {
            values[lane] = value;
            ok[lane / Bitmap::WORD] |= 1 << (Bitmap::WORD - 1 - lane % Bitmap::WORD);
        }
    }
    Ok(Lanes { ok, data: Data::Any(values) })
}
