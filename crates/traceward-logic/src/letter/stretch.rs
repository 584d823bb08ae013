//! Expressions that compute, evaluated over many positions at a time.
//!
//! A stretch of positions is evaluated as a whole, operator by operator, if none of them fails.
//! Where one does, [`Failed`] is all that is told: state by state, as the definition has it, it is
//! then found out which, and why. What a connective does not ask for is not evaluated there either,
//! or its failing does not count.

use super::columnar;
use crate::bitmap::Bitmap;
use crate::expr::Expr;
use crate::trace::{ColumnData, Trace, VariableId};
use crate::value::{ArithmeticOp, CompareOp, Value, compare_int_with_float};
use std::cmp::Ordering;
use std::ops::Range;

/// The positions of a stretch at most: so many values of eight bytes fit the first cache several
/// times.
const LANES: usize = 1024;
const WORDS: usize = LANES / Bitmap::WORD;

/// One bit for each position of a stretch, in the layout of [`Bitmap`].
type Bits = [u64; WORDS];

/// A position fails that was asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Failed;

/// Positions that follow each other. The first is a multiple of [`LANES`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch {
    base: usize,
    len: usize,
}

impl Stretch {
    /// The stretches of a trace of this length, in order.
    pub(super) fn all(len: usize) -> impl Iterator<Item = Self> {
        (0..len).step_by(LANES).map(move |base| Self { base, len: LANES.min(len - base) })
    }

    pub(super) fn positions(self) -> Range<usize> {
        self.base..self.base + self.len
    }

    /// The bits of positions from one on.
    fn since(self, first: usize) -> Bits {
        let first = first.clamp(self.base, self.base + self.len) - self.base;
        of_lanes(self.len, |lane| lane >= first)
    }

    fn of(self, bitmap: &Bitmap) -> Bits {
        let words = &bitmap.words()[self.base / Bitmap::WORD..];
        std::array::from_fn(|word| words.get(word).copied().unwrap_or(0))
    }
}

/// A boolean expression that can be evaluated over stretches.
pub(super) enum Test {
    /// The positions at which it holds are known.
    Known(Bitmap),
    Compare(CompareOp, Term, Term),
    Among(Term, Vec<Term>),
    Defined(Term),
    Not(Box<Test>),
    All(Vec<Test>),
    Any(Vec<Test>),
    Differ(Box<(Test, Test)>),
}

/// A number that can be evaluated over stretches. All its values are integers, or all are floats.
pub(super) enum Term {
    Int(i64),
    Float(f64),
    Column(VariableId),
    Position,
    Time,
    Past(Box<Term>, usize),
    Arithmetic(ArithmeticOp, Box<(Term, Term)>),
    Abs(Box<Term>),
}

/// The values of a term; where its bit is not set there is none, and what stands here is arbitrary.
struct Lanes {
    ok: Bits,
    data: Data,
}

enum Data {
    Int(Vec<i64>),
    Float(Vec<f64>),
}

impl Test {
    /// The form of an expression for stretches of a trace; none if there is something in it that is
    /// only evaluated state by state.
    pub(super) fn of(expr: &Expr, trace: &Trace) -> Option<Self> {
        // What is known at once is false where it fails.
        if !expr.can_fail()
            && let Some(known) = columnar::at_once(expr, trace)
        {
            return Some(Self::Known(known));
        }
        let test = |expr: &Expr| Self::of(expr, trace);
        let term = |expr: &Expr| Term::of(expr, trace);
        let all = |parts: &[Expr]| parts.iter().map(test).collect::<Option<Vec<_>>>();
        let pair = |a: &Expr, b: &Expr| Some(Box::new((test(a)?, test(b)?)));
        Some(match expr {
            Expr::Literal(Value::Bool(bit)) => Self::Known(Bitmap::filled(trace.len, *bit)),
            Expr::Compare(op, a, b) => Self::Compare(*op, term(a)?, term(b)?),
            Expr::In(a, values) => Self::Among(term(a)?, values.iter().map(Term::constant).collect::<Option<_>>()?),
            Expr::Defined(a) => Self::Defined(term(a)?),
            Expr::Not(a) => Self::Not(Box::new(test(a)?)),
            Expr::And(parts) => Self::All(all(parts)?),
            Expr::Or(parts) => Self::Any(all(parts)?),
            Expr::Implies(a, b) => Self::Any(vec![Self::Not(Box::new(test(a)?)), test(b)?]),
            Expr::Xor(a, b) => Self::Differ(pair(a, b)?),
            Expr::Iff(a, b) => Self::Not(Box::new(Self::Differ(pair(a, b)?))),
            _ => return None,
        })
    }

    /// The positions of a stretch at which the test holds, one bit each as words of a [`Bitmap`].
    pub(super) fn words(&self, trace: &Trace, stretch: Stretch) -> Result<Vec<u64>, Failed> {
        let bits = self.holds(trace, stretch, &stretch.since(0))?;
        Ok(bits[..stretch.len.div_ceil(Bitmap::WORD)].to_vec())
    }

    /// Of some positions of a stretch those at which the test holds.
    fn holds(&self, trace: &Trace, stretch: Stretch, wanted: &Bits) -> Result<Bits, Failed> {
        let value = |term: &Term| term.lanes(trace, stretch, 0, wanted);
        Ok(match self {
            Self::Known(bits) => and(wanted, &stretch.of(bits)),
            Self::Compare(op, a, b) => and(wanted, &compare(*op, &value(a)?, &value(b)?, stretch.len)),
            Self::Among(a, values) => {
                let a = value(a)?;
                let mut among = [0; WORDS];
                for one in values {
                    among = or(&among, &compare(CompareOp::Equal, &a, &value(one)?, stretch.len));
                }
                and(wanted, &among)
            }
            Self::Defined(a) => and(wanted, &value(a)?.ok),
            Self::Not(a) => without(wanted, &a.holds(trace, stretch, wanted)?),
            // Connectives ask from the left, and no further than they have to.
            Self::All(parts) => {
                let mut left = *wanted;
                for part in parts {
                    left = part.holds(trace, stretch, &left)?;
                }
                left
            }
            Self::Any(parts) => {
                let mut left = *wanted;
                for part in parts {
                    left = without(&left, &part.holds(trace, stretch, &left)?);
                }
                without(wanted, &left)
            }
            Self::Differ(pair) => {
                let (a, b) = (pair.0.holds(trace, stretch, wanted)?, pair.1.holds(trace, stretch, wanted)?);
                std::array::from_fn(|word| a[word] ^ b[word])
            }
        })
    }
}

impl Term {
    fn of(expr: &Expr, trace: &Trace) -> Option<Self> {
        let term = |expr: &Expr| Self::of(expr, trace);
        Some(match expr {
            Expr::Literal(value) => Self::constant(value)?,
            Expr::Variable(variable) => match trace.columns[variable.index()].data {
                ColumnData::Int(_) | ColumnData::Float(_) => Self::Column(*variable),
                ColumnData::Bool(_) | ColumnData::Mixed(_) | ColumnData::Text(_) => return None,
            },
            Expr::Position => Self::Position,
            Expr::Time => Self::Time,
            Expr::Past(a, steps) => Self::Past(Box::new(term(a)?), *steps as usize),
            // As the definition has it: 0 - a.
            Expr::Negate(a) => Self::Arithmetic(ArithmeticOp::Subtract, Box::new((Self::Int(0), term(a)?))),
            Expr::Arithmetic(op, a, b) => Self::Arithmetic(*op, Box::new((term(a)?, term(b)?))),
            Expr::Abs(a) => Self::Abs(Box::new(term(a)?)),
            _ => return None,
        })
    }

    fn constant(value: &Value) -> Option<Self> {
        match value {
            Value::Int(int) => Some(Self::Int(*int)),
            Value::Float(float) => Some(Self::Float(*float)),
            _ => None,
        }
    }

    /// The values so many steps before the positions of a stretch; failing at positions that are
    /// not wanted does not count.
    fn lanes(&self, trace: &Trace, stretch: Stretch, steps: usize, wanted: &Bits) -> Result<Lanes, Failed> {
        let Stretch { base, len } = stretch;
        // Where there is no such state there is no value, not even that of a constant.
        let there = || if steps == 0 { *wanted } else { and(wanted, &stretch.since(steps)) };
        let earlier = |lane: usize| (base + lane).saturating_sub(steps);
        Ok(match self {
            Self::Int(int) => Lanes { ok: there(), data: Data::Int(vec![*int; len]) },
            Self::Float(float) => Lanes { ok: there(), data: Data::Float(vec![*float; len]) },
            Self::Position => {
                Lanes { ok: there(), data: Data::Int((0..len).map(|lane| earlier(lane) as i64).collect()) }
            }
            Self::Time => match &trace.time {
                Some(time) => Lanes { ok: there(), data: Data::Int(before(time, stretch, steps)) },
                None => Lanes { ok: [0; WORDS], data: Data::Int(vec![0; len]) },
            },
            Self::Column(variable) => {
                let column = &trace.columns[variable.index()];
                let data = match &column.data {
                    ColumnData::Int(ints) => Data::Int(before(ints, stretch, steps)),
                    ColumnData::Float(floats) => Data::Float(before(floats, stretch, steps)),
                    _ => unreachable!("a column of numbers of one type"),
                };
                let ok = match &column.present {
                    None => there(),
                    Some(present) => and(&there(), &of_lanes(len, |lane| present.get(earlier(lane)))),
                };
                Lanes { ok, data }
            }
            Self::Past(a, more) => a.lanes(trace, stretch, steps.saturating_add(*more), &there())?,
            Self::Arithmetic(op, pair) => {
                let there = there();
                arithmetic(
                    *op,
                    pair.0.lanes(trace, stretch, steps, &there)?,
                    pair.1.lanes(trace, stretch, steps, &there)?,
                )?
            }
            Self::Abs(a) => absolute(a.lanes(trace, stretch, steps, &there())?)?,
        })
    }
}

/// The values so many steps before the positions of a stretch; where there is none, any stands.
fn before<T: Copy + Default>(values: &[T], Stretch { base, len }: Stretch, steps: usize) -> Vec<T> {
    let lacking = steps.saturating_sub(base).min(len);
    let mut before = vec![T::default(); lacking];
    let first = (base + lacking).saturating_sub(steps);
    before.extend_from_slice(&values[first..first + (len - lacking)]);
    before
}

fn arithmetic(op: ArithmeticOp, a: Lanes, b: Lanes) -> Result<Lanes, Failed> {
    let ok = and(&a.ok, &b.ok);
    match (a.data, b.data) {
        (Data::Int(a), Data::Int(b)) if op != ArithmeticOp::Divide => of_ints(op, ok, a, &b),
        (a, b) => of_floats(op, ok, a.into_floats(), &b.into_floats()),
    }
}

fn of_ints(op: ArithmeticOp, ok: Bits, mut a: Vec<i64>, b: &[i64]) -> Result<Lanes, Failed> {
    let failed = match op {
        ArithmeticOp::Add => each(&mut a, b, i64::overflowing_add),
        ArithmeticOp::Subtract => each(&mut a, b, i64::overflowing_sub),
        ArithmeticOp::Multiply => each(&mut a, b, i64::overflowing_mul),
        // The one overflow of a remainder, i64::MIN % -1, is 0.
        _ => each(&mut a, b, |a, b| if b == 0 { (0, true) } else { (a.wrapping_rem(b), false) }),
    };
    not_at(&failed, &ok)?;
    Ok(Lanes { ok, data: Data::Int(a) })
}

fn of_floats(op: ArithmeticOp, mut ok: Bits, mut a: Vec<f64>, b: &[f64]) -> Result<Lanes, Failed> {
    let failed = match op {
        ArithmeticOp::Add => each(&mut a, b, |a, b| (a + b, false)),
        ArithmeticOp::Subtract => each(&mut a, b, |a, b| (a - b, false)),
        ArithmeticOp::Multiply => each(&mut a, b, |a, b| (a * b, false)),
        ArithmeticOp::Divide => each(&mut a, b, |a, b| (a / b, b == 0.0)),
        ArithmeticOp::Remainder => each(&mut a, b, |a, b| (a % b, b == 0.0)),
    };
    not_at(&failed, &ok)?;
    // What is no number is missing.
    ok = without(&ok, &of_lanes(a.len(), |lane| a[lane].is_nan()));
    Ok(Lanes { ok, data: Data::Float(a) })
}

fn absolute(a: Lanes) -> Result<Lanes, Failed> {
    let data = match a.data {
        Data::Float(floats) => Data::Float(floats.into_iter().map(f64::abs).collect()),
        Data::Int(mut ints) => {
            let failed = of_lanes(ints.len(), |lane| ints[lane] == i64::MIN);
            not_at(&failed, &a.ok)?;
            ints.iter_mut().for_each(|int| *int = int.wrapping_abs());
            Data::Int(ints)
        }
    };
    Ok(Lanes { data, ..a })
}

/// Sets each value to what comes of it and another; returns where that fails.
#[inline(always)]
fn each<T: Copy>(values: &mut [T], others: &[T], apply: impl Fn(T, T) -> (T, bool)) -> Bits {
    let mut failed = [0; WORDS];
    let chunks = values.chunks_mut(Bitmap::WORD).zip(others.chunks(Bitmap::WORD));
    for ((values, others), failed) in chunks.zip(&mut failed) {
        let mut bits = 0_u64;
        for (value, other) in values.iter_mut().zip(others) {
            let (result, fails) = apply(*value, *other);
            *value = result;
            bits = (bits << 1) | u64::from(fails);
        }
        *failed = bits << (Bitmap::WORD - values.len());
    }
    failed
}

fn compare(op: CompareOp, a: &Lanes, b: &Lanes, len: usize) -> Bits {
    let admitted = match (&a.data, &b.data) {
        (Data::Int(a), Data::Int(b)) => of_lanes(len, |lane| op.admits(a[lane].cmp(&b[lane]))),
        (Data::Float(a), Data::Float(b)) => {
            of_lanes(len, |lane| op.admits(a[lane].partial_cmp(&b[lane]).unwrap_or(Ordering::Equal)))
        }
        (Data::Int(a), Data::Float(b)) => of_lanes(len, |lane| op.admits(compare_int_with_float(a[lane], b[lane]))),
        (Data::Float(a), Data::Int(b)) => {
            of_lanes(len, |lane| op.admits(compare_int_with_float(b[lane], a[lane]).reverse()))
        }
    };
    and(&admitted, &and(&a.ok, &b.ok))
}

impl Data {
    fn into_floats(self) -> Vec<f64> {
        match self {
            Self::Float(floats) => floats,
            Self::Int(ints) => ints.into_iter().map(|int| int as f64).collect(),
        }
    }
}

/// The bits of the lanes for which something holds.
#[inline(always)]
fn of_lanes(len: usize, holds: impl Fn(usize) -> bool) -> Bits {
    let mut bits = [0; WORDS];
    for (index, word) in bits.iter_mut().enumerate().take(len.div_ceil(Bitmap::WORD)) {
        let first = index * Bitmap::WORD;
        let end = (first + Bitmap::WORD).min(len);
        let filled = (first..end).fold(0_u64, |word, lane| (word << 1) | u64::from(holds(lane)));
        *word = filled << (Bitmap::WORD - (end - first));
    }
    bits
}

fn not_at(failed: &Bits, asked: &Bits) -> Result<(), Failed> {
    if and(failed, asked) == [0; WORDS] { Ok(()) } else { Err(Failed) }
}

fn and(left: &Bits, right: &Bits) -> Bits {
    std::array::from_fn(|word| left[word] & right[word])
}

fn or(left: &Bits, right: &Bits) -> Bits {
    std::array::from_fn(|word| left[word] | right[word])
}

fn without(left: &Bits, right: &Bits) -> Bits {
    std::array::from_fn(|word| left[word] & !right[word])
}
