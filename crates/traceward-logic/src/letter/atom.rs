//! Atoms by their form: the common ones are evaluated without the detour of a general expression.

use crate::expr::{Expr, Pattern, RowState};
use crate::trace::VariableId;
use crate::value::{CompareOp, Value};

/// An atom by its form. Columns and rows know the same forms.
#[derive(Clone, Debug)]
pub enum Atom {
    /// A boolean variable.
    Flag(VariableId),
    /// `x < 5`
    Compare(CompareOp, VariableId, Value),
    /// `x in {"a", "b"}`
    In(VariableId, Vec<Value>),
    /// `matches(x, "…")`
    Matches(VariableId, Pattern),
    /// `defined(x)`
    Defined(VariableId),
    /// Any other expression.
    Other(Expr),
}

impl Atom {
    /// The form of a boolean expression.
    pub fn of(expr: &Expr) -> Self {
        let variable = |expr: &Expr| match expr {
            Expr::Variable(variable) => Some(*variable),
            _ => None,
        };
        let form = match expr {
            Expr::Variable(id) => Some(Self::Flag(*id)),
            Expr::Compare(op, left, right) => match (&**left, &**right) {
                (Expr::Variable(id), Expr::Literal(value)) => Some(Self::Compare(*op, *id, value.clone())),
                _ => None,
            },
            Expr::In(operand, values) => variable(operand).map(|id| Self::In(id, values.clone())),
            Expr::Matches(operand, pattern) => variable(operand).map(|id| Self::Matches(id, pattern.clone())),
            Expr::Defined(operand) => variable(operand).map(Self::Defined),
            _ => None,
        };
        form.unwrap_or_else(|| Self::Other(expr.clone()))
    }

    /// Whether it holds in a state. What cannot be evaluated does not hold: that it is an error is
    /// noticed where the whole expression is evaluated.
    #[inline]
    pub fn holds(&self, state: &RowState<'_>) -> bool {
        let value = |id: &VariableId| &state.values[id.index()];
        match self {
            Self::Flag(id) => value(id).is_true(),
            Self::Compare(op, id, constant) => match (value(id), constant) {
                (Value::Int(left), Value::Int(right)) => op.admits(left.cmp(right)),
                (Value::Str(left), Value::Str(right)) if !op.is_order() => (left == right) == (*op == CompareOp::Equal),
                (left, right) => op.holds(left, right),
            },
            Self::In(id, constants) => constants.iter().any(|one| CompareOp::Equal.holds(value(id), one)),
            Self::Matches(id, pattern) => matches!(value(id), Value::Str(text) if pattern.0.is_match(text)),
            Self::Defined(id) => !value(id).is_missing(),
            Self::Other(expr) => expr.holds(state).unwrap_or(false),
        }
    }
}
