//! How many different values there are, of more values than are kept.
//!
//! The sketch is HyperLogLog from the crate `datasketches`. Its error depends on chance: what is
//! stated are three standard errors. Of its two estimates the one is taken that depends on the set
//! of values alone, so that a trace has one answer whichever way it is read. It is not monotone: a
//! value that is added may lower it by a little.
//!
//! Values are hashed here, because the hash of the standard library depends on the machine.

use crate::saved::{Reader, RestoreError, Writer, checksum};
use datasketches::hll::{HllSketch, HllType};
use traceward_logic::semantics;
use traceward_logic::value::Value;

/// The standard error of a sketch with one register; it falls with the root of their number.
const OF_ONE_REGISTER: f64 = 1.04;

/// The number of standard errors that are stated.
const STANDARD_ERRORS: f64 = 3.0;

/// The least and the greatest logarithm of the number of registers.
const REGISTERS: std::ops::RangeInclusive<u8> = 4..=21;

/// The length of the head of a sketch that has registers, in words of four bytes, as its first byte
/// tells it.
const WORDS_BEFORE_REGISTERS: u8 = 10;

/// An estimate of how many different values there are.
#[derive(Clone, Debug)]
pub(super) struct Cardinality {
    sketch: HllSketch,
    error: f64,
}

impl Cardinality {
    /// No values yet. The error is that of the accuracy, or the least that the sketch can have.
    pub fn new(accuracy: f64) -> Self {
        let most = *REGISTERS.end();
        let registers = REGISTERS.into_iter().find(|registers| stated(*registers) <= accuracy).unwrap_or(most);
        let sketch = HllSketch::new(registers, HllType::Hll8).expect("a number of registers that there can be");
        // In ten thousandths, so that people can read it.
        let least = (stated(registers) * 10_000.0).ceil() / 10_000.0;
        Self { sketch, error: accuracy.max(least) }
    }

    /// Takes a value.
    pub fn add(&mut self, value: &Value) {
        let mut bytes = Vec::new();
        write(&semantics::in_one_form(value), &mut bytes);
        self.sketch.update(checksum(&bytes).to_le());
    }

    /// The number of different values, about.
    pub fn estimate(&self) -> u64 {
        self.sketch.composite_estimate().round() as u64
    }

    /// The relative error in 99 of 100 cases.
    pub fn error(&self) -> f64 {
        self.error
    }

    /// The number of bytes, about.
    pub fn bytes(&self) -> usize {
        self.sketch.estimated_size()
    }

    /// While there are few values, the sketch has a number of four bytes for each behind its head,
    /// in the order of its table. They are sorted, so that the same estimate is the same bytes.
    pub fn save(&self, to: &mut Writer) {
        let mut bytes = self.sketch.serialize();
        let words = bytes[0];
        if words < WORDS_BEFORE_REGISTERS {
            let mut numbers: Vec<[u8; 4]> = bytes.as_chunks().0[usize::from(words)..].to_vec();
            numbers.sort_unstable();
            let head = usize::from(words) * 4;
            bytes[head..head + numbers.len() * 4].copy_from_slice(numbers.as_flattened());
        }
        to.bytes(&bytes);
    }

    pub fn restore(accuracy: f64, from: &mut Reader<'_>) -> Result<Self, RestoreError> {
        let expected = Self::new(accuracy);
        let sketch = HllSketch::deserialize(from.bytes()?).map_err(|_| RestoreError::Damaged)?;
        let fits = sketch.lg_config_k() == expected.sketch.lg_config_k() && sketch.target_type() == HllType::Hll8;
        let restored = Self { sketch, ..expected };
        if fits && restored.sketch.composite_estimate().is_finite() { Ok(restored) } else { Err(RestoreError::Damaged) }
    }
}

/// The error that is stated for a logarithm of the number of registers.
fn stated(registers: u8) -> f64 {
    STANDARD_ERRORS * OF_ONE_REGISTER / f64::from(1_u32 << registers).sqrt()
}

/// Writes a value such that different values are different bytes, on every machine the same.
fn write(value: &Value, to: &mut Vec<u8>) {
    match value {
        Value::Missing => to.push(0),
        Value::Bool(bit) => to.extend([1, u8::from(*bit)]),
        Value::Int(number) => {
            to.push(2);
            to.extend(number.to_le_bytes());
        }
        Value::Float(number) => {
            to.push(3);
            to.extend(number.to_bits().to_le_bytes());
        }
        Value::Str(text) => {
            to.push(4);
            to.extend((text.len() as u64).to_le_bytes());
            to.extend(text.as_bytes());
        }
        Value::Pair(pair) => {
            to.push(5);
            write(&pair.0, to);
            write(&pair.1, to);
        }
        Value::List(values) => {
            to.push(6);
            to.extend((values.len() as u64).to_le_bytes());
            values.iter().for_each(|value| write(value, to));
        }
    }
}
