//! Evaluating an expression at every position at once.
//!
//! The common forms, a boolean variable and a comparison of a variable with a constant, go over
//! whole columns; the rest is evaluated state by state.

use super::Atom;
use crate::bitmap::Bitmap;
use crate::expr::{Expr, StateAt};
use crate::trace::{Column, ColumnData, Number, TextData, Trace, VariableId};
use crate::value::{CompareOp, Value, compare_int_with_float};
use std::cmp::Ordering;

/// The positions at which a boolean expression holds.
pub(super) fn holds(expr: &Expr, trace: &Trace) -> Bitmap {
    whole_column(&Atom::of(expr), trace).unwrap_or_else(|| {
        let at = |position| expr.holds(&StateAt { trace, position }).unwrap_or(false);
        (0..trace.len).map(at).collect()
    })
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
