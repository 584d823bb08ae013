//! The values of one part at the positions of a block, by type.

use crate::query::samples::text;
use traceward_logic::bitmap::Bitmap;
use traceward_logic::trace::{Trace, VariableId};
use traceward_logic::value::Value;

/// The positions of a block: a multiple of those of a word. So many values of eight bytes fit the
/// first cache several times.
pub(in crate::query) const BLOCK: usize = 1024;

/// The words that tell of all positions of a block.
pub(super) const WORDS: usize = BLOCK / Bitmap::WORD;

/// One bit for each position of a block, in the layout of [`Bitmap`].
pub(in crate::query) type Bits = [u64; WORDS];

/// The place of a block in its trace.
#[derive(Clone, Copy, Debug)]
pub(in crate::query) struct Stretch {
    /// The first position, a multiple of [`BLOCK`].
    pub base: usize,
    /// The number of positions.
    pub len: usize,
}

impl Stretch {
    /// All positions of the block.
    pub fn all(self) -> Bits {
        std::array::from_fn(|word| {
            let before = word * Bitmap::WORD;
            match self.len.saturating_sub(before) {
                0 => 0,
                rest if rest >= Bitmap::WORD => u64::MAX,
                rest => u64::MAX << (Bitmap::WORD - rest),
            }
        })
    }

    /// The bits of a row of the trace.
    pub fn of(self, row: &Bitmap) -> Bits {
        let words = &row.words()[self.base / Bitmap::WORD..];
        std::array::from_fn(|word| words.get(word).copied().unwrap_or(0))
    }
}

/// Whether a position of a block is among some.
pub(super) fn is_set(bits: &Bits, lane: usize) -> bool {
    bits[lane / Bitmap::WORD] >> (Bitmap::WORD - 1 - lane % Bitmap::WORD) & 1 == 1
}

pub(super) fn and(left: &Bits, right: &Bits) -> Bits {
    std::array::from_fn(|word| left[word] & right[word])
}

pub(super) fn or(left: &Bits, right: &Bits) -> Bits {
    std::array::from_fn(|word| left[word] | right[word])
}

pub(super) fn without(left: &Bits, right: &Bits) -> Bits {
    std::array::from_fn(|word| left[word] & !right[word])
}

/// Calls `visit` for each position that is set, the last one first.
pub(in crate::query) fn for_each_backward(bits: &Bits, mut visit: impl FnMut(usize)) {
    for (index, &word) in bits.iter().enumerate().rev() {
        let mut rest = word;
        while rest != 0 {
            let lowest = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            visit(index * Bitmap::WORD + Bitmap::WORD - 1 - lowest);
        }
    }
}

/// The values of a part at the positions of a block; where its bit is not set, what stands here is
/// arbitrary.
#[derive(Clone, Debug)]
pub(in crate::query) struct Lanes {
    pub ok: Bits,
    pub data: Data,
}

/// Values by type.
#[derive(Clone, Debug)]
pub(in crate::query) enum Data {
    /// `true` wherever there is a value: a formula.
    True,
    Int(Vec<i64>),
    Float(Vec<f64>),
    /// Strings of a column, by their places in its dictionary.
    Code(VariableId, Vec<u32>),
    Any(Vec<Value>),
}

/// A value of some [`Data`].
#[derive(Clone, Debug)]
pub(in crate::query) enum Scalar {
    True,
    Int(i64),
    Float(f64),
    Code(VariableId, u32),
    Any(Value),
}

impl Scalar {
    pub fn value(&self, trace: &Trace) -> Value {
        match self {
            Self::True => Value::Bool(true),
            Self::Int(number) => Value::Int(*number),
            Self::Float(number) => Value::Float(*number),
            Self::Code(variable, code) => Value::Str(text(trace, *variable, *code)),
            Self::Any(value) => value.clone(),
        }
    }
}

impl Lanes {
    pub fn nothing() -> Self {
        Self { ok: [0; WORDS], data: Data::True }
    }

    /// The value at a position, if there is one.
    pub fn scalar(&self, lane: usize) -> Option<Scalar> {
        is_set(&self.ok, lane).then(|| match &self.data {
            Data::True => Scalar::True,
            Data::Int(numbers) => Scalar::Int(numbers[lane]),
            Data::Float(numbers) => Scalar::Float(numbers[lane]),
            Data::Code(variable, codes) => Scalar::Code(*variable, codes[lane]),
            Data::Any(values) => Scalar::Any(values[lane].clone()),
        })
    }

    /// The value at a position where there is one.
    pub fn value(&self, lane: usize, trace: &Trace) -> Value {
        match &self.data {
            Data::True => Value::Bool(true),
            Data::Int(numbers) => Value::Int(numbers[lane]),
            Data::Float(numbers) => Value::Float(numbers[lane]),
            Data::Code(variable, codes) => Value::Str(text(trace, *variable, codes[lane])),
            Data::Any(values) => values[lane].clone(),
        }
    }

    /// The same values without a common type.
    pub fn into_any(self, len: usize, trace: &Trace) -> Self {
        if matches!(self.data, Data::Any(_)) {
            return self;
        }
        let value = |lane| if is_set(&self.ok, lane) { self.value(lane, trace) } else { Value::Missing };
        Self { ok: self.ok, data: Data::Any((0..len).map(value).collect()) }
    }

    /// A constant at some positions.
    pub fn constant(value: &Value, ok: Bits, len: usize) -> Self {
        let data = match value {
            Value::Bool(true) => Data::True,
            Value::Int(number) => Data::Int(vec![*number; len]),
            Value::Float(number) => Data::Float(vec![*number; len]),
            other => Data::Any(vec![other.clone(); len]),
        };
        Self { ok, data }
    }

    /// The values of either, whose positions exclude each other.
    pub fn merged(self, other: Self, len: usize, trace: &Trace) -> Self {
        let ok = or(&self.ok, &other.ok);
        let pick = |lane: usize| is_set(&self.ok, lane);
        let data = match (&self.data, &other.data) {
            (Data::True, Data::True) => Data::True,
            (Data::Int(one), Data::Int(two)) => {
                Data::Int((0..len).map(|lane| if pick(lane) { one[lane] } else { two[lane] }).collect())
            }
            (Data::Float(one), Data::Float(two)) => {
                Data::Float((0..len).map(|lane| if pick(lane) { one[lane] } else { two[lane] }).collect())
            }
            (Data::Code(variable, one), Data::Code(same, two)) if variable == same => {
                Data::Code(*variable, (0..len).map(|lane| if pick(lane) { one[lane] } else { two[lane] }).collect())
            }
            _ => {
                let value = |lane| match (pick(lane), is_set(&other.ok, lane)) {
                    (true, _) => self.value(lane, trace),
                    (false, true) => other.value(lane, trace),
                    (false, false) => Value::Missing,
                };
                Data::Any((0..len).map(value).collect())
            }
        };
        Self { ok, data }
    }

    /// The values one position later; `carry` is what there is behind the block.
    pub fn one_later(&self, carry: Option<&Scalar>, len: usize, trace: &Trace) -> Self {
        let mut ok: Bits = std::array::from_fn(|word| {
            self.ok[word] << 1 | self.ok.get(word + 1).map_or(0, |next| next >> (Bitmap::WORD - 1))
        });
        if carry.is_some() {
            let last = len - 1;
            ok[last / Bitmap::WORD] |= 1 << (Bitmap::WORD - 1 - last % Bitmap::WORD);
        }
        let data = match (&self.data, carry) {
            (Data::True, None | Some(Scalar::True)) => Data::True,
            (Data::Int(numbers), None) => Data::Int(moved(numbers, 0)),
            (Data::Int(numbers), Some(Scalar::Int(carry))) => Data::Int(moved(numbers, *carry)),
            (Data::Float(numbers), None) => Data::Float(moved(numbers, 0.0)),
            (Data::Float(numbers), Some(Scalar::Float(carry))) => Data::Float(moved(numbers, *carry)),
            (Data::Code(variable, codes), None) => Data::Code(*variable, moved(codes, 0)),
            (Data::Code(variable, codes), Some(Scalar::Code(_, carry))) => Data::Code(*variable, moved(codes, *carry)),
            (_, carry) => {
                let Data::Any(values) = self.clone().into_any(len, trace).data else { unreachable!("just made") };
                let carry = carry.map_or(Value::Missing, |carry| carry.value(trace));
                Data::Any(values.into_iter().skip(1).chain([carry]).collect())
            }
        };
        Self { ok, data }
    }
}

fn moved<T: Copy>(values: &[T], last: T) -> Vec<T> {
    let mut moved = Vec::with_capacity(values.len());
    moved.extend_from_slice(&values[1..]);
    moved.push(last);
    moved
}
