//! A memory as bytes, so that it can outlive its process. Numbers are little-endian.

use super::{Kept, Memory, Outcome};
use crate::value::{ArithmeticError, Value};
use std::collections::VecDeque;
use std::fmt;

/// The version of the format.
const VERSION: u8 = 1;

/// The depth to which pairs may nest: above that of any expression.
const MOST_NESTED: usize = 2000;

/// The bytes before a value: what it is.
mod tag {
    pub(super) const OVERFLOW: u8 = 0;
    pub(super) const DIVISION_BY_ZERO: u8 = 1;
    pub(super) const MISSING: u8 = 2;
    pub(super) const FALSE: u8 = 3;
    pub(super) const TRUE: u8 = 4;
    pub(super) const INT: u8 = 5;
    pub(super) const FLOAT: u8 = 6;
    pub(super) const STR: u8 = 7;
    pub(super) const PAIR: u8 = 8;
}

/// Bytes that were not saved by a memory of the same expressions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CannotRecall;

impl fmt::Display for CannotRecall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("what was saved does not belong to this version or these expressions")
    }
}

impl std::error::Error for CannotRecall {}

impl Memory {
    /// The values that are kept, as bytes.
    pub fn save(&self) -> Vec<u8> {
        let mut bytes = vec![VERSION];
        bytes.extend((self.asked.kept.len() as u32).to_le_bytes());
        for place in 0..self.asked.kept.len() {
            let values = self.values.get(place);
            bytes.extend((values.map_or(0, VecDeque::len) as u32).to_le_bytes());
            values.into_iter().flatten().for_each(|outcome| write_outcome(&mut bytes, outcome));
        }
        bytes
    }

    /// Goes on from what [`Self::save`] wrote for the same expressions.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), CannotRecall> {
        let mut reader = Reader { rest: bytes };
        let fits = reader.byte()? == VERSION && reader.number()? as usize == self.asked.kept.len();
        if !fits {
            return Err(CannotRecall);
        }
        let read = self.asked.kept.iter().map(|kept| reader.values(kept)).collect::<Result<Vec<_>, _>>()?;
        if !reader.rest.is_empty() {
            return Err(CannotRecall);
        }
        self.values = read.into_iter().map(VecDeque::from).collect();
        Ok(())
    }
}

fn write_outcome(bytes: &mut Vec<u8>, outcome: &Outcome) {
    match outcome {
        Ok(value) => write_value(bytes, value),
        Err(ArithmeticError::Overflow) => bytes.push(tag::OVERFLOW),
        Err(ArithmeticError::DivisionByZero) => bytes.push(tag::DIVISION_BY_ZERO),
    }
}

fn write_value(bytes: &mut Vec<u8>, value: &Value) {
    match value {
        // No expression over states has a list.
        Value::Missing | Value::List(_) => bytes.push(tag::MISSING),
        Value::Bool(false) => bytes.push(tag::FALSE),
        Value::Bool(true) => bytes.push(tag::TRUE),
        Value::Int(int) => {
            bytes.push(tag::INT);
            bytes.extend(int.to_le_bytes());
        }
        Value::Float(float) => {
            bytes.push(tag::FLOAT);
            bytes.extend(float.to_bits().to_le_bytes());
        }
        Value::Str(text) => {
            bytes.push(tag::STR);
            bytes.extend((text.len() as u32).to_le_bytes());
            bytes.extend(text.as_bytes());
        }
        Value::Pair(pair) => {
            bytes.push(tag::PAIR);
            write_value(bytes, &pair.0);
            write_value(bytes, &pair.1);
        }
    }
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], CannotRecall> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(CannotRecall)?;
        self.rest = rest;
        Ok(taken)
    }

    fn fixed<const N: usize>(&mut self) -> Result<[u8; N], CannotRecall> {
        self.take(N)?.try_into().map_err(|_| CannotRecall)
    }

    fn byte(&mut self) -> Result<u8, CannotRecall> {
        self.fixed::<1>().map(|[byte]| byte)
    }

    fn number(&mut self) -> Result<u32, CannotRecall> {
        self.fixed().map(u32::from_le_bytes)
    }

    /// The values of one expression, no more than are kept of it.
    fn values(&mut self, kept: &Kept) -> Result<Vec<Outcome>, CannotRecall> {
        let count = self.number()?;
        if count > kept.most {
            return Err(CannotRecall);
        }
        (0..count).map(|_| self.outcome()).collect()
    }

    fn outcome(&mut self) -> Result<Outcome, CannotRecall> {
        match self.rest.first() {
            Some(&tag::OVERFLOW) => self.byte().map(|_| Err(ArithmeticError::Overflow)),
            Some(&tag::DIVISION_BY_ZERO) => self.byte().map(|_| Err(ArithmeticError::DivisionByZero)),
            _ => self.value(MOST_NESTED).map(Ok),
        }
    }

    fn value(&mut self, depth: usize) -> Result<Value, CannotRecall> {
        Ok(match self.byte()? {
            tag::MISSING => Value::Missing,
            tag::FALSE => Value::Bool(false),
            tag::TRUE => Value::Bool(true),
            tag::INT => Value::Int(i64::from_le_bytes(self.fixed()?)),
            tag::FLOAT => Value::float(f64::from_bits(u64::from_le_bytes(self.fixed()?))),
            tag::STR => {
                let length = self.number()? as usize;
                Value::str(std::str::from_utf8(self.take(length)?).map_err(|_| CannotRecall)?)
            }
            tag::PAIR if depth > 0 => Value::Pair(Box::new((self.value(depth - 1)?, self.value(depth - 1)?))),
            _ => return Err(CannotRecall),
        })
    }
}
