//! Expressions over the positions of a block: over columns, and over the values of other parts.
//!
//! Numbers of one type go by whole slices. Everything else is evaluated position by position, as
//! the definition does.

use super::Bail;
use super::lanes::{Bits, Data, Lanes, Stretch, and, for_each_backward, is_set};
use traceward_logic::expr::{Arguments, Expr, StateAt};
use traceward_logic::trace::{ColumnData, Trace, VariableId};
use traceward_logic::value::{ArithmeticOp, Value};

/// Where an expression finds its values.
#[derive(Clone, Copy)]
pub(super) struct Scope<'a> {
    pub trace: &'a Trace,
    pub stretch: Stretch,
    /// The arguments of a function, which sees nothing else; none for an expression over states.
    pub arguments: &'a [&'a Lanes],
}

impl Scope<'_> {
    /// The values of an expression at some positions. An error at one of them is told only as such:
    /// whether somebody asks for it is for others to find out.
    pub fn values(&self, expr: &Expr, wanted: &Bits) -> Result<Lanes, Bail> {
        match self.by_slices(expr, wanted)? {
            Some(lanes) => Ok(lanes),
            None => self.one_by_one(expr, wanted),
        }
    }

    fn by_slices(&self, expr: &Expr, wanted: &Bits) -> Result<Option<Lanes>, Bail> {
        let len = self.stretch.len;
        let numbers = |a: &Expr| -> Result<Option<Lanes>, Bail> {
            let lanes = self.by_slices(a, wanted)?;
            Ok(lanes.filter(|lanes| matches!(lanes.data, Data::Int(_) | Data::Float(_))))
        };
        Ok(match expr {
            Expr::Literal(value) => Some(Lanes::constant(value, *wanted, len)),
            Expr::Variable(variable) => self.column(*variable, wanted),
            Expr::Position => {
                let base = self.stretch.base as i64;
                Some(Lanes { ok: *wanted, data: Data::Int((base..base + len as i64).collect()) })
            }
            Expr::Time => Some(self.time(wanted)),
            Expr::Parameter(index) => {
                let argument = self.arguments[usize::from(*index)];
                Some(Lanes { ok: and(&argument.ok, wanted), data: argument.data.clone() })
            }
            Expr::Arithmetic(op, a, b) => match (numbers(a)?, numbers(b)?) {
                (Some(a), Some(b)) => Some(arithmetic(*op, a, b)?),
                _ => None,
            },
            Expr::Negate(a) => match numbers(a)? {
                // As the definition has it: 0 - a.
                Some(a) => {
                    let zero = Lanes::constant(&Value::Int(0), a.ok, len);
                    Some(arithmetic(ArithmeticOp::Subtract, zero, a)?)
                }
                None => None,
            },
            _ => None,
        })
    }

    fn column(&self, variable: VariableId, wanted: &Bits) -> Option<Lanes> {
        let column = &self.trace.columns[variable.index()];
        let range = self.stretch.base..self.stretch.base + self.stretch.len;
        let data = match &column.data {
            ColumnData::Int(numbers) => Data::Int(numbers[range].to_vec()),
            ColumnData::Float(numbers) => Data::Float(numbers[range].to_vec()),
            ColumnData::Text(text) => Data::Code(variable, text.codes[range].to_vec()),
            ColumnData::Bool(_) | ColumnData::Mixed(_) => return None,
        };
        let ok = column.present.as_ref().map_or(*wanted, |present| and(wanted, &self.stretch.of(present)));
        Some(Lanes { ok, data })
    }

    fn time(&self, wanted: &Bits) -> Lanes {
        match &self.trace.time {
            Some(time) => {
                let range = self.stretch.base..self.stretch.base + self.stretch.len;
                Lanes { ok: *wanted, data: Data::Int(time[range].to_vec()) }
            }
            None => Lanes { data: Data::Int(vec![0; self.stretch.len]), ..Lanes::nothing() },
        }
    }

    fn one_by_one(&self, expr: &Expr, wanted: &Bits) -> Result<Lanes, Bail> {
        let mut values = vec![Value::Missing; self.stretch.len];
        let mut ok = *wanted;
        let mut failed = false;
        for_each_backward(wanted, |lane| {
            let value = if self.arguments.is_empty() {
                expr.value(&StateAt { trace: self.trace, position: self.stretch.base + lane })
            } else {
                self.arguments_at(lane).map_or(Ok(Value::Missing), |arguments| expr.value(&Arguments(&arguments)))
            };
            match value {
                Ok(Value::Missing) => clear(&mut ok, lane),
                Ok(value) => values[lane] = value,
                Err(_) => failed = true,
            }
        });
        if failed { Err(Bail) } else { Ok(Lanes { ok, data: Data::Any(values) }) }
    }

    fn arguments_at(&self, lane: usize) -> Option<Vec<Value>> {
        let value = |lanes: &&Lanes| is_set(&lanes.ok, lane).then(|| lanes.value(lane, self.trace));
        self.arguments.iter().map(value).collect()
    }
}

fn clear(bits: &mut Bits, lane: usize) {
    bits[lane / 64] &= !(1 << (63 - lane % 64));
}

/// Arithmetic where both sides have a value.
fn arithmetic(op: ArithmeticOp, left: Lanes, right: Lanes) -> Result<Lanes, Bail> {
    let ok = and(&left.ok, &right.ok);
    match (left.data, right.data) {
        (Data::Int(a), Data::Int(b)) if !matches!(op, ArithmeticOp::Divide | ArithmeticOp::Remainder) => {
            integers(op, a, &b, ok)
        }
        (a, b) if matches!(op, ArithmeticOp::Remainder) => remainder(a, b, ok),
        (a, b) => floats(op, as_floats(a), &as_floats(b), ok),
    }
}

fn as_floats(data: Data) -> Vec<f64> {
    match data {
        Data::Int(numbers) => numbers.into_iter().map(|number| number as f64).collect(),
        Data::Float(numbers) => numbers,
        Data::True | Data::Code(..) | Data::Any(_) => Vec::new(),
    }
}

fn integers(op: ArithmeticOp, a: Vec<i64>, b: &[i64], ok: Bits) -> Result<Lanes, Bail> {
    match op {
        ArithmeticOp::Add => each_integer(a, b, ok, i64::overflowing_add),
        ArithmeticOp::Subtract => each_integer(a, b, ok, i64::overflowing_sub),
        _ => each_integer(a, b, ok, i64::overflowing_mul),
    }
}

/// An operation on integers. Where one overflows, it counts only if its position is wanted.
fn each_integer(
    mut a: Vec<i64>,
    b: &[i64],
    ok: Bits,
    operation: impl Fn(i64, i64) -> (i64, bool),
) -> Result<Lanes, Bail> {
    let overflows = a.iter().zip(b).fold(false, |any, (a, b)| any | operation(*a, *b).1);
    if overflows {
        let mut pairs = a.iter().zip(b).enumerate();
        if pairs.any(|(lane, (a, b))| operation(*a, *b).1 && is_set(&ok, lane)) {
            return Err(Bail);
        }
    }
    a.iter_mut().zip(b).for_each(|(a, b)| *a = operation(*a, *b).0);
    Ok(Lanes { ok, data: Data::Int(a) })
}

/// A remainder has the type of its operands, and its divisor must not be zero.
fn remainder(a: Data, b: Data, ok: Bits) -> Result<Lanes, Bail> {
    match (a, b) {
        (Data::Int(mut a), Data::Int(b)) => {
            let mut by_zero = false;
            for (lane, (a, b)) in a.iter_mut().zip(&b).enumerate() {
                by_zero |= *b == 0 && is_set(&ok, lane);
                *a = if *b == 0 { 0 } else { a.wrapping_rem(*b) };
            }
            if by_zero { Err(Bail) } else { Ok(Lanes { ok, data: Data::Int(a) }) }
        }
        (a, b) => floats(ArithmeticOp::Remainder, as_floats(a), &as_floats(b), ok),
    }
}

fn floats(op: ArithmeticOp, mut a: Vec<f64>, b: &[f64], mut ok: Bits) -> Result<Lanes, Bail> {
    let divides = matches!(op, ArithmeticOp::Divide | ArithmeticOp::Remainder);
    if divides && b.iter().enumerate().any(|(lane, b)| *b == 0.0 && is_set(&ok, lane)) {
        return Err(Bail);
    }
    match op {
        ArithmeticOp::Add => each_float(&mut a, b, |a, b| a + b),
        ArithmeticOp::Subtract => each_float(&mut a, b, |a, b| a - b),
        ArithmeticOp::Multiply => each_float(&mut a, b, |a, b| a * b),
        ArithmeticOp::Divide => each_float(&mut a, b, |a, b| a / b),
        ArithmeticOp::Remainder => each_float(&mut a, b, |a, b| a % b),
    }
    // What is no number is missing.
    for (lane, _) in a.iter().enumerate().filter(|(_, number)| number.is_nan()) {
        clear(&mut ok, lane);
    }
    Ok(Lanes { ok, data: Data::Float(a) })
}

fn each_float(a: &mut [f64], b: &[f64], operation: impl Fn(f64, f64) -> f64) {
    a.iter_mut().zip(b).for_each(|(a, b)| *a = operation(*a, *b));
}
