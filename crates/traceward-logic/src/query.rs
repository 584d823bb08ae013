//! Queries: what is measured. A query has a value at a position, or fails there.

use crate::ast::Aggregate;
use crate::expr::Expr;
use crate::formula::FormulaId;
use crate::value::Value;

/// A query whose types have been checked. Functions are expressions over [`Expr::Parameter`].
#[derive(Clone, Debug, PartialEq)]
pub enum Query {
    /// `p : e`: e where p holds.
    Value {
        /// p
        guard: FormulaId,
        /// e
        expr: Expr,
    },
    /// `true` where the formula holds.
    Holds(FormulaId),
    /// Both, combined.
    And {
        /// Of two arguments.
        combine: Expr,
        /// The left query.
        left: Box<Query>,
        /// The right query.
        right: Box<Query>,
    },
    /// Both combined, or the one that did not fail.
    Or {
        /// Of two arguments.
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
        /// What has to fail.
        query: Box<Query>,
    },
    /// The mapped value at the next position.
    Next {
        /// Of one argument.
        map: Expr,
        /// What is asked there.
        query: Box<Query>,
    },
    /// The mapped value of `right` where it first succeeds, if `left` succeeds until then.
    Until {
        /// Of one argument.
        map: Expr,
        /// What has to succeed until then.
        left: Box<Query>,
        /// What is asked.
        right: Box<Query>,
    },
    /// A constant in place of a failure.
    Default {
        /// What may fail.
        query: Box<Query>,
        /// What then.
        constant: Value,
    },
    /// The values from here on (while a formula holds), summarised.
    Aggregate {
        /// How.
        aggregate: Aggregate,
        /// Of what; two for a correlation.
        queries: Vec<Query>,
        /// For how long.
        condition: Option<FormulaId>,
    },
}

impl Query {
    /// Calls `visit` for every formula in it.
    pub fn for_each_formula(&self, visit: &mut impl FnMut(FormulaId)) {
        match self {
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
        }
    }

    /// Calls `visit` for every expression over states in it.
    pub fn for_each_expr(&self, visit: &mut impl FnMut(&Expr)) {
        match self {
            Self::Value { expr, .. } => visit(expr),
            Self::Holds(_) => {}
            Self::And { left, right, .. } | Self::Or { left, right, .. } | Self::Until { left, right, .. } => {
                left.for_each_expr(visit);
                right.for_each_expr(visit);
            }
            Self::Not { query, .. } | Self::Next { query, .. } | Self::Default { query, .. } => {
                query.for_each_expr(visit);
            }
            Self::Aggregate { queries, .. } => queries.iter().for_each(|query| query.for_each_expr(visit)),
        }
    }
}
