//! Backward evaluation, state by state: section 4.3 of the paper.
//!
//! From the last position to the first, each part gets its value from those of its operands there,
//! and a transient node from what its automaton had one position later. So two values are kept for
//! each part, and nothing else. This is what [`super::block`] does for many positions at a time; it
//! is asked where that cannot answer, and it fills the paper's tables.
//!
//! An error is a value here, like ⊥: the definition asks only for what it needs, so an error counts
//! only where somebody asks.

use super::accumulator::{Accumulator, End};
use super::{Holds, Outcome};
use crate::automaton::algebraic::{Algebraic, Binary, Part, PartId, Unary};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use traceward_logic::expr::{Arguments, Expr, StateAt};
use traceward_logic::semantics::EvaluationError;
use traceward_logic::trace::Trace;
use traceward_logic::value::Value;

/// The value of a part at a position.
#[derive(Clone, Debug)]
pub(super) enum Held {
    /// ⊥
    Nothing,
    Value(Value),
    /// A collection, which is that of its part in [`Backward::collections`].
    Collection(PartId),
    /// An error of whoever asks.
    Failed(Rc<EvaluationError>),
}

impl Held {
    fn of(outcome: Outcome) -> Self {
        match outcome {
            Ok(Some(value)) => Self::Value(value),
            Ok(None) => Self::Nothing,
            Err(error) => Self::Failed(Rc::new(error)),
        }
    }

    pub(super) fn outcome(&self) -> Outcome {
        match self {
            Self::Nothing | Self::Collection(_) => Ok(None),
            Self::Value(value) => Ok(Some(value.clone())),
            Self::Failed(error) => Err((**error).clone()),
        }
    }

    fn is_nothing(&self) -> bool {
        matches!(self, Self::Nothing)
    }
}

/// The values of all parts, at one position after the other.
pub(super) struct Backward<'a> {
    automaton: &'a Algebraic,
    trace: &'a Trace,
    holds: Holds<'a>,
    here: Vec<Held>,
    later: Vec<Held>,
    collections: FxHashMap<PartId, Accumulator>,
}

impl<'a> Backward<'a> {
    pub(super) fn new(automaton: &'a Algebraic, trace: &'a Trace, holds: Holds<'a>) -> Self {
        let nothing = vec![Held::Nothing; automaton.parts().len()];
        Self { automaton, trace, holds, here: nothing.clone(), later: nothing, collections: FxHashMap::default() }
    }

    /// Goes to the position before the last one visited, or to the last of the trace.
    pub(super) fn visit(&mut self, position: usize) {
        std::mem::swap(&mut self.here, &mut self.later);
        for id in self.automaton.part_ids() {
            self.here[id.index()] = self.value_of(id, position);
        }
    }

    /// The value of a part at the position visited last.
    pub(super) fn held(&self, id: PartId) -> &Held {
        &self.here[id.index()]
    }

    /// What a part has at the position visited last, as people may see it: of a collection its
    /// summary so far.
    pub(super) fn shown(&self, id: PartId, position: usize) -> Outcome {
        match self.held(id) {
            Held::Collection(collection) => self.collections[collection].value(position),
            held => held.outcome(),
        }
    }

    fn value_of(&mut self, id: PartId, position: usize) -> Held {
        match self.automaton.part(id) {
            Part::Terminal { assertion, expr } => {
                let asserted = assertion.is_none_or(|formula| (self.holds)(formula, position));
                if asserted { self.value_in_state(expr, position) } else { Held::Nothing }
            }
            Part::Transient { next, function } => self.applied(function, &self.later[next.index()], position),
            Part::And { function, left, right } | Part::Or { function, left, right } => {
                let is_or = matches!(self.automaton.part(id), Part::Or { .. });
                self.joined(id, function, (*left, *right), is_or, position)
            }
            Part::Apply { function: Unary::Begin(collector), part } => match self.held(*part) {
                Held::Nothing => {
                    self.collections.insert(*part, Accumulator::new(collector));
                    Held::Collection(*part)
                }
                held => held.clone(),
            },
            Part::Apply { function, part } => self.applied(function, self.held(*part), position),
        }
    }

    fn value_in_state(&self, expr: &Expr, position: usize) -> Held {
        let value = expr.value(&StateAt { trace: self.trace, position });
        let value = value.map_err(|reason| EvaluationError::of(expr, position, reason));
        Held::of(value.map(|value| Some(value).filter(|value| !value.is_missing())))
    }

    fn applied(&self, function: &Unary, held: &Held, position: usize) -> Held {
        match (function, held) {
            (_, Held::Failed(_)) => held.clone(),
            (Unary::Identity | Unary::Default(_), Held::Value(_)) | (Unary::Identity, _) => held.clone(),
            (Unary::Map(map), Held::Value(value)) => function_value(map, std::slice::from_ref(value), position),
            (Unary::Negate(constant) | Unary::Default(constant), Held::Nothing) => Held::Value(constant.clone()),
            (Unary::Finish(_), Held::Collection(collection)) => Held::of(self.collections[collection].value(position)),
            _ => Held::Nothing,
        }
    }

    fn joined(
        &mut self,
        id: PartId,
        function: &Binary,
        (left, right): (PartId, PartId),
        is_or: bool,
        position: usize,
    ) -> Held {
        let (left, right) = (self.held(left).clone(), self.held(right).clone());
        match function {
            Binary::Collect(collector) => {
                let again = match left {
                    Held::Collection(_) => self.collections.remove(&id),
                    Held::Failed(_) if !matches!(right, Held::Failed(_)) => return left,
                    _ => None,
                };
                self.collected(id, again, right, || Accumulator::new(collector), position)
            }
            Binary::Otherwise => {
                if left.is_nothing() {
                    right
                } else {
                    left
                }
            }
            Binary::Then => match left {
                Held::Nothing | Held::Failed(_) => left,
                _ => right,
            },
            Binary::Pair => match (left, right) {
                (Held::Value(left), Held::Value(right)) => Held::Value(Value::Pair(Box::new((left, right)))),
                (Held::Value(_), right) => right,
                (left, _) => left,
            },
            Binary::While => match right {
                Held::Nothing | Held::Failed(_) => right,
                _ => left,
            },
            Binary::Combine(_) | Binary::Compare(_) => match (left, right) {
                (failed @ Held::Failed(_), _) | (_, failed @ Held::Failed(_)) => failed,
                (Held::Value(left), Held::Value(right)) => combined(function, left, right, position),
                (one, Held::Nothing) | (Held::Nothing, one) if is_or => one,
                _ => Held::Nothing,
            },
        }
    }

    /// The collection of a part with a value taken into it.
    fn collected(
        &mut self,
        id: PartId,
        again: Option<Accumulator>,
        value: Held,
        new: impl FnOnce() -> Accumulator,
        position: usize,
    ) -> Held {
        let accumulator = match (value, again) {
            (failed @ Held::Failed(_), _) => return failed,
            (Held::Value(value), again) => {
                let mut accumulator = again.unwrap_or_else(new);
                accumulator.add(&value, End::Front, position);
                accumulator
            }
            (_, Some(again)) => again,
            (_, None) => return Held::Nothing,
        };
        self.collections.insert(id, accumulator);
        Held::Collection(id)
    }
}

fn combined(function: &Binary, left: Value, right: Value, position: usize) -> Held {
    match function {
        Binary::Compare(op) => Held::Value(Value::Bool(op.holds(&left, &right))),
        Binary::Combine(combine) => function_value(combine, &[left, right], position),
        Binary::Otherwise | Binary::Then | Binary::Pair | Binary::While | Binary::Collect(_) => Held::Nothing,
    }
}

fn function_value(function: &Expr, arguments: &[Value], position: usize) -> Held {
    let value = function.value(&Arguments(arguments));
    let value = value.map_err(|reason| EvaluationError::of(function, position, reason));
    Held::of(value.map(|value| Some(value).filter(|value| !value.is_missing())))
}
