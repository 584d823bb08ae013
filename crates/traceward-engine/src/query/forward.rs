//! Forward evaluation: definition 3 of the paper, asked from the first position on.
//!
//! Every part is asked as often as somebody needs it, and nothing is kept. So each loop inside
//! another takes the length of its interval once more: of the whole trace, the length to the power
//! of the nesting. (The paper says exponential in the length. Definition 3 to the letter is: it
//! names the value of a transient node twice, once to ask whether there is one.) It is here for the
//! comparison with backward evaluation (the paper's figure 8), and has the limits that every engine
//! has.

use super::accumulator::{Accumulator, End};
use super::{Holds, Outcome};
use crate::automaton::algebraic::{Algebraic, Binary, LoopKind, Part, PartId, Unary};
use crate::limit::{Budget, Limit};
use rustc_hash::FxHashMap;
use traceward_logic::expr::{Arguments, Expr, StateAt};
use traceward_logic::semantics::EvaluationError;
use traceward_logic::trace::Trace;
use traceward_logic::value::Value;

/// Why there is no value.
#[derive(Debug)]
pub enum ForwardError {
    /// An expression could not be evaluated.
    Evaluation(EvaluationError),
    /// The work was more than allowed, or the trace too long to be followed by recursion.
    Limit(Limit),
}

impl From<EvaluationError> for ForwardError {
    fn from(error: EvaluationError) -> Self {
        Self::Evaluation(error)
    }
}

impl From<Limit> for ForwardError {
    fn from(limit: Limit) -> Self {
        Self::Limit(limit)
    }
}

/// The longest trace: a transient node is a call, and the call stack holds no more.
pub const LONGEST: usize = 2_000;

type Asked = Result<Option<Value>, ForwardError>;

pub(super) struct Forward<'a> {
    automaton: &'a Algebraic,
    trace: &'a Trace,
    holds: Holds<'a>,
    budget: Budget,
    /// For the head of each collection, what is collected and while what.
    collections: FxHashMap<PartId, (PartId, Option<PartId>)>,
}

impl<'a> Forward<'a> {
    pub(super) fn new(automaton: &'a Algebraic, trace: &'a Trace, holds: Holds<'a>, budget: Budget) -> Self {
        let collections = automaton.loops().iter().filter_map(|one| match &one.kind {
            LoopKind::Collection { of, condition, .. } => Some((one.head, (*of, *condition))),
            LoopKind::Until { .. } => None,
        });
        Self { automaton, trace, holds, budget, collections: collections.collect() }
    }

    /// The value of a part at a position.
    pub(super) fn value(&mut self, id: PartId, position: usize) -> Asked {
        self.budget.spend(1)?;
        match self.automaton.part(id) {
            Part::Terminal { assertion, expr } => {
                let asserted = assertion.is_none_or(|formula| (self.holds)(formula, position));
                if !asserted {
                    return Ok(None);
                }
                let state = StateAt { trace: self.trace, position };
                Ok(present(expr, expr.value(&state), position)?)
            }
            Part::Transient { next, function } if position + 1 < self.trace.len => {
                let value = self.value(*next, position + 1)?;
                Ok(applied(function, value, position)?)
            }
            Part::Transient { .. } => Ok(None),
            Part::Window { .. } => unreachable!("windows are for who follows a trace"),
            Part::Apply { function: Unary::Finish(collector), part } => {
                let mut accumulator = Accumulator::new(collector);
                let (of, condition) = self.collections[part];
                if !self.collect(&mut accumulator, of, condition, position)? {
                    return Ok(None);
                }
                Ok(accumulator.value(position)?)
            }
            Part::Apply { function, part } => {
                let value = self.value(*part, position)?;
                Ok(applied(function, value, position)?)
            }
            Part::And { function, left, right } => self.both(function, *left, *right, position),
            Part::Or { function, left, right } => self.either(function, *left, *right, position),
        }
    }

    /// Takes what is collected from a position on, by the recursion of section 2.3: the rest of the
    /// interval first, this position last. Tells whether there is an interval at all.
    fn collect(
        &mut self,
        accumulator: &mut Accumulator,
        of: PartId,
        condition: Option<PartId>,
        position: usize,
    ) -> Result<bool, ForwardError> {
        self.budget.spend(1)?;
        if let Some(condition) = condition
            && self.value(condition, position)?.is_none()
        {
            return Ok(false);
        }
        // Of two errors the earlier one is told, so this position is asked first.
        let value = self.value(of, position)?;
        if position + 1 < self.trace.len {
            self.collect(accumulator, of, condition, position + 1)?;
        }
        if let Some(value) = value {
            accumulator.add(&value, End::Front, position);
        }
        Ok(true)
    }

    fn both(&mut self, function: &Binary, left: PartId, right: PartId, position: usize) -> Asked {
        let left = self.value(left, position)?;
        if left.is_none() && matches!(function, Binary::Then | Binary::Pair) {
            return Ok(None);
        }
        let right = self.value(right, position)?;
        match (function, left, right) {
            (Binary::Then, _, right) => Ok(right),
            (Binary::Pair, Some(left), Some(right)) => Ok(Some(Value::Pair(Box::new((left, right))))),
            (Binary::Compare(op), Some(left), Some(right)) => Ok(Some(Value::Bool(op.holds(&left, &right)))),
            (Binary::Combine(combine), Some(left), Some(right)) => {
                Ok(present(combine, combine.value(&Arguments(&[left, right])), position)?)
            }
            _ => Ok(None),
        }
    }

    fn either(&mut self, function: &Binary, left: PartId, right: PartId, position: usize) -> Asked {
        let left = self.value(left, position)?;
        if left.is_some() && *function == Binary::Otherwise {
            return Ok(left);
        }
        let right = self.value(right, position)?;
        match (function, left, right) {
            (Binary::Combine(combine), Some(left), Some(right)) => {
                Ok(present(combine, combine.value(&Arguments(&[left, right])), position)?)
            }
            (_, left, right) => Ok(left.or(right)),
        }
    }
}

fn applied(function: &Unary, value: Option<Value>, position: usize) -> Outcome {
    match (function, value) {
        (Unary::Map(map), Some(value)) => present(map, map.value(&Arguments(&[value])), position),
        (Unary::Negate(_), Some(_)) => Ok(None),
        (Unary::Negate(constant) | Unary::Default(constant), None) => Ok(Some(constant.clone())),
        (_, value) => Ok(value),
    }
}

fn present(expr: &Expr, value: Result<Value, traceward_logic::value::ArithmeticError>, position: usize) -> Outcome {
    let value = value.map_err(|reason| EvaluationError::of(expr, position, reason))?;
    Ok(Some(value).filter(|value| !value.is_missing()))
}
