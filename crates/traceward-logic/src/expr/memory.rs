//! Values of earlier states, kept while states arrive one by one.
//!
//! Of each expression that stands under a `past` the last values are kept, as many as are asked
//! for, and nothing else of the states. An expression that could not be evaluated is kept as the
//! error that it is, and raises it where its value is asked for.

mod saved;

pub use saved::CannotRecall;

use super::{Expr, RowState};
use crate::value::{ArithmeticError, Value};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// What came of evaluating an expression.
type Outcome = Result<Value, ArithmeticError>;

/// The values of earlier states that some expressions ask for.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    kept: Vec<Kept>,
    /// For each expression its place among those that are kept.
    places: FxHashMap<Expr, usize>,
}

/// The last values of one expression.
#[derive(Clone, Debug)]
struct Kept {
    expr: Expr,
    /// The number of values that are kept.
    most: u32,
    /// The values, the last one at the end.
    values: VecDeque<Outcome>,
}

impl Memory {
    /// A memory of what these expressions ask for, in which no state has happened.
    pub fn of<'a>(exprs: impl IntoIterator<Item = &'a Expr>) -> Self {
        let mut memory = Self::default();
        for expr in exprs {
            expr.for_each_past(&mut |past| {
                if let Expr::Past(expr, steps) = past {
                    memory.keep(expr, *steps);
                }
            });
        }
        memory
    }

    fn keep(&mut self, expr: &Expr, steps: u32) {
        let place = *self.places.entry(expr.clone()).or_insert(self.kept.len());
        match self.kept.get_mut(place) {
            Some(kept) => kept.most = kept.most.max(steps),
            None => self.kept.push(Kept { expr: expr.clone(), most: steps, values: VecDeque::new() }),
        }
    }

    /// Takes in a state that has happened. The values are those of its variables, by their ids.
    #[inline]
    pub fn record(&mut self, values: &[Value], position: u64, time: Option<i64>) {
        if !self.kept.is_empty() {
            self.record_all(values, position, time);
        }
    }

    fn record_all(&mut self, values: &[Value], position: u64, time: Option<i64>) {
        let state = RowState { values, position, time, memory: self };
        let now: Vec<Outcome> = self.kept.iter().map(|kept| kept.expr.value(&state)).collect();
        for (kept, value) in self.kept.iter_mut().zip(now) {
            if kept.values.len() == kept.most as usize {
                kept.values.pop_front();
            }
            kept.values.push_back(value);
        }
    }

    /// The value of an expression this many states before the next one; missing where there is no
    /// such state.
    ///
    /// # Panics
    /// If the expression is not one that the memory was made for.
    pub(super) fn value(&self, expr: &Expr, steps: u32) -> Outcome {
        let kept = &self.kept[self.places[expr]];
        let nth = kept.values.len().checked_sub(steps as usize);
        nth.map_or(Ok(Value::Missing), |nth| kept.values[nth].clone())
    }
}
