//! Evaluating an expression at every position at once.
//!
//! The common forms, a boolean variable and a comparison of a variable with a constant or with
//! another variable, go over whole columns; what computes goes over stretches of them, and the rest
//! is evaluated state by state. What is said of one earlier state is said of every state and then
//! delayed.

use super::Atom;
use super::stretch::{Stretch, Test};
use crate::bitmap::Bitmap;
use crate::expr::{Earlier, Expr, StateAt};
use crate::trace::{Column, ColumnData, Number, TextData, Trace, VariableId};
use crate::value::{CompareOp, Value, compare_int_with_float};
use std::cmp::Ordering;

/// The positions at which a boolean expression holds.
pub(super) fn holds(expr: &Expr, trace: &Trace) -> Bitmap {
    if let Some(known) = at_once(expr, trace) {
        return known;
    }
    let test = Test::of(expr, trace);
    let state_by_state = |stretch: Stretch| {
        let at = |position| expr.holds(&StateAt { trace, position }).unwrap_or(false);
        stretch.positions().map(at).collect::<Bitmap>().into_words()
    };
    let words = Stretch::all(trace.len).flat_map(|stretch| {
        let words = test.as_ref().and_then(|test| test.words(trace, stretch).ok());
        words.unwrap_or_else(|| state_by_state(stretch))
    });
    Bitmap::from_words(words.collect(), trace.len)
}

/// The positions at which an expression holds that is of a common form.
pub(super) fn at_once(expr: &Expr, trace: &Trace) -> Option<Bitmap> {
    let whole = whole_column(&Atom::of(expr), trace);
    whole.or_else(|| delayed(expr, trace)).or_else(|| two_columns(expr, trace))
}

/// An expression that speaks of one earlier state.
fn delayed(expr: &Expr, trace: &Trace) -> Option<Bitmap> {
    let Earlier { expr, steps } = expr.as_earlier()?;
    Some(holds(&expr, trace).delayed(steps as usize))
}

/// A comparison of two columns of numbers, each as it was some states earlier.
fn two_columns(expr: &Expr, trace: &Trace) -> Option<Bitmap> {
    let Expr::Compare(op, left, right) = expr else { return None };
    let (left, right) = (DelayedColumn::of(left, trace)?, DelayedColumn::of(right, trace)?);
    let bits = match (&left.column.data, &right.column.data) {
        (ColumnData::Int(a), ColumnData::Int(b)) => by_pairs(*op, (a, left.steps), (b, right.steps), i64::cmp),
        (ColumnData::Float(a), ColumnData::Float(b)) => {
            let order = |a: &f64, b: &f64| a.partial_cmp(b).unwrap_or(Ordering::Equal);
            by_pairs(*op, (a, left.steps), (b, right.steps), order)
        }
        _ => return None,
    };
    Some(right.present_only(left.present_only(bits)))
}

/// A column as it was some states earlier.
struct DelayedColumn<'a> {
    column: &'a Column,
    steps: usize,
}

impl<'a> DelayedColumn<'a> {
    fn of(expr: &Expr, trace: &'a Trace) -> Option<Self> {
        let steps = expr.reach() as usize;
        expr.as_variable().map(|variable| Self { column: &trace.columns[variable.index()], steps })
    }

    /// Of these bits those at whose positions the column has a value.
    fn present_only(&self, bits: Bitmap) -> Bitmap {
        match &self.column.present {
            Some(present) => bits.and(&present.delayed(self.steps)),
            None => bits,
        }
    }
}

/// A comparison of the values of two columns, each so many positions earlier. It is false where
/// there is no such position.
fn by_pairs<T>(
    op: CompareOp,
    (left, left_steps): (&[T], usize),
    (right, right_steps): (&[T], usize),
    order: impl Fn(&T, &T) -> Ordering,
) -> Bitmap {
    let len = left.len();
    let first = left_steps.max(right_steps).min(len);
    let at = |position: usize| {
        let admitted =
            position >= first && op.admits(order(&left[position - left_steps], &right[position - right_steps]));
        u64::from(admitted)
    };
    let word = |start: usize| {
        let end = (start + Bitmap::WORD).min(len);
        let word = (start..end).fold(0_u64, |word, position| (word << 1) | at(position));
        word << (Bitmap::WORD - (end - start))
    };
    Bitmap::from_words((0..len).step_by(Bitmap::WORD).map(word).collect(), len)
}

fn whole_column(atom: &Atom, trace: &Trace) -> Option<Bitmap> {
    let column = |variable: &VariableId| &trace.columns[variable.index()];
    match atom {
        Atom::Flag(variable) => match column(variable) {
            Column { data: ColumnData::Bool(bits), present } => Some(present_only(bits.clone(), present.as_ref())),
            _ => None,
        },
        Atom::Defined(variable) => {
            let present = column(variable).present.clone();
            Some(present.unwrap_or_else(|| Bitmap::filled(trace.len, true)))
        }
        Atom::Compare(op, variable, value) => compared(*op, column(variable), value),
        Atom::In(variable, values) => text_column(column(variable), |text| {
            values.iter().any(|value| matches!(value, Value::Str(one) if **one == *text))
        }),
        Atom::Matches(variable, pattern) => text_column(column(variable), |text| pattern.0.is_match(text)),
        Atom::Other(_) => None,
    }
}

fn compared(op: CompareOp, column: &Column, value: &Value) -> Option<Bitmap> {
    let bits = match (&column.data, value) {
        (ColumnData::Int(numbers), Value::Int(value)) => by_order(op, numbers, |number| number.cmp(value)),
        (ColumnData::Int(numbers), Value::Float(value)) => {
            by_order(op, numbers, |number| compare_int_with_float(*number, *value))
        }
        (ColumnData::Float(numbers), Value::Float(value)) => {
            by_order(op, numbers, |number| number.partial_cmp(value).unwrap_or(Ordering::Equal))
        }
        (ColumnData::Float(numbers), Value::Int(value)) => {
            by_order(op, numbers, |number| compare_int_with_float(*value, *number).reverse())
        }
        (ColumnData::Mixed(numbers), Value::Int(value)) => by_order(op, numbers, |number| match *number {
            Number::Int(int) => int.cmp(value),
            Number::Float(float) => compare_int_with_float(*value, float).reverse(),
        }),
        (ColumnData::Mixed(numbers), Value::Float(value)) => by_order(op, numbers, |number| match *number {
            Number::Int(int) => compare_int_with_float(int, *value),
            Number::Float(float) => float.partial_cmp(value).unwrap_or(Ordering::Equal),
        }),
        (ColumnData::Text(_), Value::Str(value)) => {
            return text_column(column, |text| op.admits(text.as_bytes().cmp(value.as_bytes())));
        }
        _ => return None,
    };
    Some(present_only(bits, column.present.as_ref()))
}

/// 64 positions at a time, so that the inner loop has no carried state.
fn by_order<T>(op: CompareOp, values: &[T], order: impl Fn(&T) -> Ordering) -> Bitmap {
    let words = values
        .chunks(Bitmap::WORD)
        .map(|chunk| {
            let word = chunk.iter().fold(0_u64, |word, value| (word << 1) | u64::from(op.admits(order(value))));
            word << (Bitmap::WORD - chunk.len())
        })
        .collect();
    Bitmap::from_words(words, values.len())
}

/// A test on strings, made once for each different string, or once for each state where those are
/// fewer: a part of a trace has the dictionary of the whole.
fn text_column(column: &Column, test: impl Fn(&str) -> bool) -> Option<Bitmap> {
    let ColumnData::Text(TextData { codes, dictionary }) = &column.data else { return None };
    // A missing value has code 0, which an empty dictionary does not have.
    let bits = if dictionary.len() <= codes.len() {
        let passes: Vec<bool> = dictionary.iter().map(|text| test(text)).collect();
        by_code(codes, |code| passes.get(code).copied().unwrap_or(false))
    } else {
        by_code(codes, |code| dictionary.get(code).is_some_and(|text| test(text)))
    };
    Some(present_only(bits, column.present.as_ref()))
}

fn by_code(codes: &[u32], passes: impl Fn(usize) -> bool) -> Bitmap {
    let order = |code: &u32| if passes(*code as usize) { Ordering::Equal } else { Ordering::Less };
    by_order(CompareOp::Equal, codes, order)
}

fn present_only(bits: Bitmap, present: Option<&Bitmap>) -> Bitmap {
    match present {
        Some(present) => bits.and(present),
        None => bits,
    }
}
