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
use std::sync::Arc;

/// What came of evaluating an expression.
type Outcome = Result<Value, ArithmeticError>;

/// The values of earlier states that some expressions ask for. Clones share what they are asked, so
/// that a memory for each of very many traces takes no more than its values.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    asked: Arc<Asked>,
    /// For each expression its last values, the last one at the end; empty before the first state.
    values: Box<[VecDeque<Outcome>]>,
}

/// The expressions whose values are kept.
#[derive(Clone, Debug, Default)]
struct Asked {
    kept: Vec<Kept>,
    /// For each expression its place among those that are kept.
    places: FxHashMap<Expr, usize>,
}

/// An expression whose last values are kept.
#[derive(Clone, Debug)]
struct Kept {
    expr: Expr,
    /// The number of values that are kept.
    most: u32,
}

impl Memory {
    /// A memory of what these expressions ask for, in which no state has happened.
    pub fn of<'a>(exprs: impl IntoIterator<Item = &'a Expr>) -> Self {
        let mut asked = Asked::default();
        for expr in exprs {
            expr.for_each_past(&mut |past| {
                if let Expr::Past(expr, steps) = past {
                    asked.keep(expr, *steps);
                }
            });
        }
        Self { asked: Arc::new(asked), values: Box::default() }
    }

    /// Whether nothing is asked for.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.asked.kept.is_empty()
    }

    /// Takes in a state that has happened. The values are those of its variables, by their ids.
    #[inline]
    pub fn record(&mut self, values: &[Value], position: u64, time: Option<i64>) {
        if !self.is_empty() {
            self.record_all(values, position, time);
        }
    }

    fn record_all(&mut self, values: &[Value], position: u64, time: Option<i64>) {
        let state = RowState { values, position, time, memory: self };
        let now: Vec<Outcome> = self.asked.kept.iter().map(|kept| kept.expr.value(&state)).collect();
        if self.values.is_empty() {
            self.values = now.iter().map(|_| VecDeque::new()).collect();
        }
        for ((kept, values), value) in self.asked.kept.iter().zip(&mut self.values).zip(now) {
            if values.len() == kept.most as usize {
                values.pop_front();
            }
            values.push_back(value);
        }
    }

    /// The value of an expression this many states before the next one; missing where there is no
    /// such state.
    ///
    /// # Panics
    /// If the expression is not one that the memory was made for.
    pub(super) fn value(&self, expr: &Expr, steps: u32) -> Outcome {
        let values = self.values.get(self.asked.places[expr]);
        let nth = values.and_then(|values| Some(values.get(values.len().checked_sub(steps as usize)?)?.clone()));
        nth.unwrap_or(Ok(Value::Missing))
    }
}

impl Asked {
    fn keep(&mut self, expr: &Expr, steps: u32) {
        let place = *self.places.entry(expr.clone()).or_insert(self.kept.len());
        match self.kept.get_mut(place) {
            Some(kept) => kept.most = kept.most.max(steps),
            None => self.kept.push(Kept { expr: expr.clone(), most: steps }),
        }
    }
}
