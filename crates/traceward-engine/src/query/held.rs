//! What a part has at a position, and how functions make one of another.

use super::Outcome;
use crate::automaton::algebraic::{Binary, PartId, Unary};
use std::sync::Arc;
use traceward_logic::expr::{Arguments, Expr};
use traceward_logic::semantics::EvaluationError;
use traceward_logic::value::{ArithmeticError, Value};

/// What a part has at a position.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Held {
    /// ⊥
    Nothing,
    Value(Value),
    /// The collection of a part.
    Collection(PartId),
    /// An error of whoever asks: the definition asks only for what it needs.
    Failed(Arc<EvaluationError>),
}

impl Held {
    pub fn of(outcome: Outcome) -> Self {
        match outcome {
            Ok(Some(value)) => Self::Value(value),
            Ok(None) => Self::Nothing,
            Err(error) => Self::Failed(Arc::new(error)),
        }
    }

    /// What an expression gives at a position.
    pub fn of_expr(expr: &Expr, value: Result<Value, ArithmeticError>, position: usize) -> Self {
        match value {
            Ok(Value::Missing) => Self::Nothing,
            Ok(value) => Self::Value(value),
            Err(reason) => Self::Failed(Arc::new(EvaluationError::of(expr, position, reason))),
        }
    }

    pub fn outcome(&self) -> Outcome {
        match self {
            Self::Nothing | Self::Collection(_) => Ok(None),
            Self::Value(value) => Ok(Some(value.clone())),
            Self::Failed(error) => Err((**error).clone()),
        }
    }
}

/// A function of what a part has, at a position. Collections are for others.
pub(super) fn applied(function: &Unary, held: &Held, position: usize) -> Held {
    match (function, held) {
        (_, Held::Failed(_)) | (Unary::Identity, _) | (Unary::Default(_), Held::Value(_)) => held.clone(),
        (Unary::Map(map), Held::Value(value)) => function_value(map, std::slice::from_ref(value), position),
        (Unary::Negate(constant) | Unary::Default(constant), Held::Nothing) => Held::Value(constant.clone()),
        _ => Held::Nothing,
    }
}

/// The two ways in which automata are joined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Join {
    And,
    Or,
}

/// What two parts have, joined at a position. Collections are for others.
pub(super) fn joined(join: Join, function: &Binary, left: &Held, right: &Held, position: usize) -> Held {
    match function {
        Binary::Otherwise => {
            if *left == Held::Nothing {
                right.clone()
            } else {
                left.clone()
            }
        }
        Binary::Then => match left {
            Held::Nothing | Held::Failed(_) => left.clone(),
            _ => right.clone(),
        },
        Binary::Pair => match (left, right) {
            (Held::Value(left), Held::Value(right)) => {
                Held::Value(Value::Pair(Box::new((left.clone(), right.clone()))))
            }
            (Held::Value(_), right) => right.clone(),
            (left, _) => left.clone(),
        },
        Binary::While => match right {
            Held::Nothing | Held::Failed(_) => right.clone(),
            _ => left.clone(),
        },
        Binary::Combine(_) | Binary::Compare(_) => match (left, right) {
            (Held::Failed(_), _) => left.clone(),
            (_, Held::Failed(_)) => right.clone(),
            (Held::Value(left), Held::Value(right)) => combined(function, left, right, position),
            (one, Held::Nothing) | (Held::Nothing, one) if join == Join::Or => one.clone(),
            _ => Held::Nothing,
        },
        Binary::Collect(_) => Held::Nothing,
    }
}

fn combined(function: &Binary, left: &Value, right: &Value, position: usize) -> Held {
    match function {
        Binary::Compare(op) => Held::Value(Value::Bool(op.holds(left, right))),
        Binary::Combine(combine) => match simply(combine, left, right) {
            Some(value) => Held::of_expr(combine, value, position),
            None => function_value(combine, &[left.clone(), right.clone()], position),
        },
        _ => Held::Nothing,
    }
}

/// The value of a function that is an operation on its arguments, as most are: nothing has to be
/// copied for it.
fn simply(combine: &Expr, left: &Value, right: &Value) -> Option<Result<Value, ArithmeticError>> {
    let Expr::Arithmetic(op, a, b) = combine else { return None };
    let (Expr::Parameter(a), Expr::Parameter(b)) = (&**a, &**b) else { return None };
    let argument = |index: u8| if index == 0 { left } else { right };
    Some(op.apply(argument(*a), argument(*b)))
}

fn function_value(function: &Expr, arguments: &[Value], position: usize) -> Held {
    Held::of_expr(function, function.value(&Arguments(arguments)), position)
}
