//! Queries: what is measured. A query has a value at a position, or fails there.

mod experiment;
mod measure;

use crate::ast::Aggregate;
use crate::expr::Expr;
use crate::formula::FormulaId;
use crate::value::{CompareOp, Value};
pub use measure::Measure;

/// A query whose types have been checked. Functions are expressions over [`Expr::Parameter`].
#[derive(Clone, Debug, PartialEq)]
pub enum Query {
    /// A constant, which needs no state.
    Constant(Value),
    /// `p : e`: e where p holds.
    Value {
        /// The formula p.
        guard: FormulaId,
        /// The expression e.
        expr: Expr,
    },
    /// `true` where the formula holds.
    Holds(FormulaId),
    /// The values of both queries, combined.
    And {
        /// The function of two arguments that combines the values.
        combine: Expr,
        /// The left query.
        left: Box<Query>,
        /// The right query.
        right: Box<Query>,
    },
    /// The values of both queries combined, or the value of the one that did not fail.
    Or {
        /// The function of two arguments that combines the values.
        combine: Expr,
        /// The left query.
        left: Box<Query>,
        /// The right query.
        right: Box<Query>,
    },
    /// A constant where the query fails.
    Not {
        /// The constant.
        constant: Value,
        /// The query that has to fail.
        query: Box<Query>,
    },
    /// The mapped value at the next position.
    Next {
        /// The function of one argument that is applied to the value.
        map: Expr,
        /// The query that is asked there.
        query: Box<Query>,
    },
    /// The mapped value of `right` where it first succeeds, if `left` succeeds until then.
    Until {
        /// The function of one argument that is applied to the value.
        map: Expr,
        /// The query that has to succeed until then.
        left: Box<Query>,
        /// The query that is asked.
        right: Box<Query>,
    },
    /// A constant in place of a failure.
    Default {
        /// The query that may fail.
        query: Box<Query>,
        /// The value to take if it fails.
        constant: Value,
    },
    /// The values from here on (while a formula holds), summarised.
    Aggregate {
        /// The way in which the values are summarised.
        aggregate: Aggregate,
        /// The queries whose values are collected; two for a correlation.
        queries: Vec<Query>,
        /// The formula that has to go on holding while values are collected.
        condition: Option<FormulaId>,
    },
    /// The values from here on (while a formula holds), taken one by one into an accumulator.
    Fold {
        /// The accumulator before the first value.
        start: Value,
        /// The function of two arguments, accumulator and value.
        combine: Expr,
        /// The order in which values are taken.
        order: FoldOrder,
        /// The query whose values are taken.
        query: Box<Query>,
        /// The formula that has to go on holding while values are collected.
        condition: Option<FormulaId>,
    },
    /// `true` or `false`, as the values of two queries compare. It stands only on the outside.
    Compare(Box<Comparison>),
}

/// The order in which a fold takes values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FoldOrder {
    /// From the last position to the first, as the paper's aggregates are.
    Backward,
    /// From the first position to the last.
    Forward,
}

/// Two queries whose values are compared. A constant stands on the right.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The query on the left.
    pub left: Query,
    /// The operator between both.
    pub op: CompareOp,
    /// The query on the right.
    pub right: Query,
}

impl Comparison {
    /// A comparison with its constant on the right.
    pub(crate) fn new(left: Query, op: CompareOp, right: Query) -> Self {
        match (left, right) {
            (left @ Query::Constant(_), right) if !matches!(right, Query::Constant(_)) => {
                Self { left: right, op: op.mirrored(), right: left }
            }
            (left, right) => Self { left, op, right },
        }
    }

    /// Whether the comparison holds of two values; it does not where either query failed.
    pub fn holds(&self, left: Option<&Value>, right: Option<&Value>) -> bool {
        left.zip(right).is_some_and(|(left, right)| self.op.holds(left, right))
    }

    /// Calls `visit` for every formula in it.
    pub fn for_each_formula(&self, visit: &mut impl FnMut(FormulaId)) {
        self.left.for_each_formula(visit);
        self.right.for_each_formula(visit);
    }
}

impl Query {
    /// Calls `visit` for every formula in it.
    pub fn for_each_formula(&self, visit: &mut impl FnMut(FormulaId)) {
        match self {
            Self::Constant(_) => {}
            Self::Value { guard, .. } => visit(*guard),
            Self::Holds(formula) => visit(*formula),
            Self::And { left, right, .. } | Self::Or { left, right, .. } | Self::Until { left, right, .. } => {
                left.for_each_formula(visit);
                right.for_each_formula(visit);
            }
            Self::Not { query, .. } | Self::Next { query, .. } | Self::Default { query, .. } => {
                query.for_each_formula(visit);
            }
            Self::Aggregate { queries, condition, .. } => {
                condition.iter().copied().for_each(&mut *visit);
                queries.iter().for_each(|query| query.for_each_formula(visit));
            }
            Self::Fold { query, condition, .. } => {
                condition.iter().copied().for_each(&mut *visit);
                query.for_each_formula(visit);
            }
            Self::Compare(comparison) => comparison.for_each_formula(visit),
        }
    }

    /// Calls `visit` for every expression over states in it.
    pub fn for_each_expr(&self, visit: &mut impl FnMut(&Expr)) {
        match self {
            Self::Value { expr, .. } => visit(expr),
            Self::Constant(_) | Self::Holds(_) => {}
            Self::And { left, right, .. } | Self::Or { left, right, .. } | Self::Until { left, right, .. } => {
                left.for_each_expr(visit);
                right.for_each_expr(visit);
            }
            Self::Not { query, .. }
            | Self::Next { query, .. }
            | Self::Default { query, .. }
            | Self::Fold { query, .. } => query.for_each_expr(visit),
            Self::Aggregate { queries, .. } => queries.iter().for_each(|query| query.for_each_expr(visit)),
            Self::Compare(comparison) => {
                comparison.left.for_each_expr(visit);
                comparison.right.for_each_expr(visit);
            }
        }
    }
}
