//! Values, errors and what parts have, as bytes.

use super::held::Held;
use crate::automaton::algebraic::{Algebraic, Binary, Collector, Part, PartId, Unary};
use crate::saved::{Reader, RestoreError, Writer};
use std::sync::Arc;
use traceward_logic::expr::Expr;
use traceward_logic::semantics::EvaluationError;
use traceward_logic::value::{ArithmeticError, Value};

/// The depth to which values may be nested. It is above the depth of any query, and reading what
/// somebody made up must not use up the stack.
const DEPTH: usize = 2000;

/// What the bytes of a run refer to, and what limits the numbers in them.
pub(super) struct Scope<'a> {
    automaton: &'a Algebraic,
    /// The expressions of the automaton. An error is written with the place of the one that failed.
    exprs: Vec<&'a Expr>,
    /// The number of states that the run has seen. Nothing that is counted is more.
    position: u64,
}

impl<'a> Scope<'a> {
    pub fn new(automaton: &'a Algebraic, position: u64) -> Self {
        Self { automaton, exprs: automaton.parts().iter().filter_map(expr).collect(), position }
    }

    /// The number of states that the run has seen.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Reads a number of positions.
    pub fn positions(&self, from: &mut Reader<'_>) -> Result<u64, RestoreError> {
        from.at_most(self.position)
    }

    pub fn save_held(&self, held: &Held, to: &mut Writer) {
        match held {
            Held::Nothing => to.tag(0),
            Held::Value(value) => {
                to.tag(1);
                to.value(value);
            }
            Held::Collection(part) => {
                to.tag(2);
                to.size(part.index());
            }
            Held::Failed(error) => {
                to.tag(3);
                self.save_error(error, to);
            }
        }
    }

    pub fn held(&self, from: &mut Reader<'_>) -> Result<Held, RestoreError> {
        match from.tag()? {
            0 => Ok(Held::Nothing),
            1 => from.value().map(Held::Value),
            2 => self.part(from).map(Held::Collection),
            3 => Ok(Held::Failed(Arc::new(self.error(from)?))),
            _ => Err(RestoreError::Damaged),
        }
    }

    fn part(&self, from: &mut Reader<'_>) -> Result<PartId, RestoreError> {
        let index = from.index(self.automaton.parts().len())?;
        self.automaton.part_ids().nth(index).ok_or(RestoreError::Damaged)
    }

    pub fn save_error(&self, error: &EvaluationError, to: &mut Writer) {
        to.size(error.position);
        to.bit(error.reason == ArithmeticError::Overflow);
        let place = |failed: &Expr| self.exprs.iter().position(|expr| *expr == failed);
        to.optional(error.expression.as_ref().and_then(place).map(|place| place as u64));
    }

    pub fn error(&self, from: &mut Reader<'_>) -> Result<EvaluationError, RestoreError> {
        let position = from.size()?;
        let reason = if from.bit()? { ArithmeticError::Overflow } else { ArithmeticError::DivisionByZero };
        let expression = match from.bit()? {
            true => Some(self.exprs[from.index(self.exprs.len())?].clone()),
            false => None,
        };
        Ok(EvaluationError { position, reason, expression })
    }
}

/// The expression that a part evaluates. The function of a collection is that of its summary.
fn expr(part: &Part) -> Option<&Expr> {
    match part {
        Part::Terminal { expr, .. } => Some(expr),
        Part::Transient { function, .. } | Part::Apply { function, .. } => match function {
            Unary::Map(expr) | Unary::Finish(Collector::Fold { combine: expr, .. }) => Some(expr),
            _ => None,
        },
        Part::And { function: Binary::Combine(expr), .. } | Part::Or { function: Binary::Combine(expr), .. } => {
            Some(expr)
        }
        Part::And { .. } | Part::Or { .. } | Part::Window { .. } => None,
    }
}

/// Values as bytes.
impl Writer {
    /// Writes a number with its sign.
    pub fn int(&mut self, number: i64) {
        self.number(number.cast_unsigned());
    }

    /// Writes a float, by its bits.
    pub fn float(&mut self, number: f64) {
        self.number(number.to_bits());
    }

    /// Writes a value or that there is none.
    pub fn optional_value(&mut self, value: Option<&Value>) {
        self.bit(value.is_some());
        if let Some(value) = value {
            self.value(value);
        }
    }

    /// Writes values with their number.
    pub fn values(&mut self, values: &[Value]) {
        self.size(values.len());
        values.iter().for_each(|value| self.value(value));
    }

    /// Writes a value.
    pub fn value(&mut self, value: &Value) {
        match value {
            Value::Missing => self.tag(0),
            Value::Bool(bit) => {
                self.tag(1);
                self.bit(*bit);
            }
            Value::Int(number) => {
                self.tag(2);
                self.int(*number);
            }
            Value::Float(number) => {
                self.tag(3);
                self.float(*number);
            }
            Value::Str(text) => {
                self.tag(4);
                self.bytes(text.as_bytes());
            }
            Value::Pair(pair) => {
                self.tag(5);
                self.value(&pair.0);
                self.value(&pair.1);
            }
            Value::List(values) => {
                self.tag(6);
                self.values(values);
            }
        }
    }
}

impl Reader<'_> {
    /// A number up to a limit.
    pub fn at_most(&mut self, limit: u64) -> Result<u64, RestoreError> {
        self.number().and_then(|number| if number <= limit { Ok(number) } else { Err(RestoreError::Damaged) })
    }

    /// A number with its sign.
    pub fn int(&mut self) -> Result<i64, RestoreError> {
        self.number().map(u64::cast_signed)
    }

    /// A float.
    pub fn float(&mut self) -> Result<f64, RestoreError> {
        self.number().map(f64::from_bits)
    }

    /// So many things of a kind. Nothing is made room for before it is read.
    pub fn many<T, C: FromIterator<T>>(
        &mut self,
        mut one: impl FnMut(&mut Self) -> Result<T, RestoreError>,
    ) -> Result<C, RestoreError> {
        let count = self.count()?;
        (0..count).map(|_| one(self)).collect()
    }

    /// A value, if there is one.
    pub fn optional_value(&mut self) -> Result<Option<Value>, RestoreError> {
        if self.bit()? { self.value().map(Some) } else { Ok(None) }
    }

    /// Values with their number.
    pub fn values(&mut self) -> Result<Vec<Value>, RestoreError> {
        self.many(Self::value)
    }

    /// A value, but not NaN, which no value is.
    pub fn value(&mut self) -> Result<Value, RestoreError> {
        self.nested_value(DEPTH)
    }

    fn nested_value(&mut self, depth: usize) -> Result<Value, RestoreError> {
        let below = depth.checked_sub(1).ok_or(RestoreError::Damaged)?;
        match self.tag()? {
            0 => Ok(Value::Missing),
            1 => self.bit().map(Value::Bool),
            2 => self.int().map(Value::Int),
            3 => match self.float()? {
                number if number.is_nan() => Err(RestoreError::Damaged),
                number => Ok(Value::Float(number)),
            },
            4 => str::from_utf8(self.bytes()?).map(Value::str).map_err(|_| RestoreError::Damaged),
            5 => Ok(Value::Pair(Box::new((self.nested_value(below)?, self.nested_value(below)?)))),
            6 => self.many(|from| from.nested_value(below)).map(Value::List),
            _ => Err(RestoreError::Damaged),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::saved::{Origin, framed, unframed};

    const ORIGIN: Origin = Origin { engine: "algebraic", formula: 0 };

    fn again(value: &Value) -> Result<Value, RestoreError> {
        unframed(ORIGIN, &framed(ORIGIN, |to| to.value(value)), |from| from.value())
    }

    #[test]
    fn values_come_back() {
        let pair = |left, right| Value::Pair(Box::new((left, right)));
        let leaves = [Value::Missing, Value::Bool(true), Value::Int(i64::MIN), Value::Float(-0.0), Value::str("aé")];
        let list = Value::List(leaves.to_vec());
        for value in leaves.iter().chain([
            &list,
            &Value::List(Vec::new()),
            &pair(list.clone(), pair(list.clone(), Value::Missing)),
        ]) {
            assert_eq!(again(value).as_ref(), Ok(value));
        }
    }

    #[test]
    fn what_is_no_value_is_refused() {
        let read = |write: &dyn Fn(&mut Writer)| unframed(ORIGIN, &framed(ORIGIN, write), |from| from.value());
        assert_eq!(again(&Value::Float(f64::NAN)), Err(RestoreError::Damaged));
        // Lists in lists in lists, more than the stack has room for.
        let deep = |to: &mut Writer| {
            for _ in 0..100_000 {
                to.tag(6);
                to.number(1);
            }
            to.tag(0);
        };
        assert_eq!(read(&deep), Err(RestoreError::Damaged));
        let endless = |to: &mut Writer| {
            to.tag(6);
            to.number(u64::MAX);
        };
        assert_eq!(read(&endless), Err(RestoreError::Damaged));
        let no_text = |to: &mut Writer| {
            to.tag(4);
            to.bytes(&[0xFF]);
        };
        assert_eq!(read(&no_text), Err(RestoreError::Damaged));
    }
}
