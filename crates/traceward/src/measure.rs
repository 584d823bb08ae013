//! What the numbers of a query measure, so that people can be told of times in their own units.

use traceward_logic::ast::Aggregate;
use traceward_logic::expr::Expr;
use traceward_logic::query::Query;
use traceward_logic::value::ArithmeticOp;

/// A kind of number that a query can have as its value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Measure {
    /// A number of whatever the trace holds.
    #[default]
    Plain,
    /// A timestamp in nanoseconds.
    Moment,
    /// A stretch of time in nanoseconds.
    Duration,
}

impl Measure {
    /// The measure of a query's value. Where it is in doubt, the number is a plain one: a time that
    /// was divided or multiplied may be in any unit.
    pub(crate) fn of(query: &Query) -> Self {
        match query {
            Query::Constant(_) | Query::Holds(_) | Query::Not { .. } | Query::Compare(_) => Self::Plain,
            Query::Value { expr, .. } => Self::of_expr(expr, &[]),
            Query::And { combine, left, right } => Self::of_expr(combine, &[Self::of(left), Self::of(right)]),
            Query::Or { combine, left, right } => {
                let sides = [Self::of(left), Self::of(right)];
                Self::of_expr(combine, &sides).if_same(sides[0]).if_same(sides[1])
            }
            Query::Next { map, query } => Self::of_expr(map, &[Self::of(query)]),
            Query::Until { map, right, .. } => Self::of_expr(map, &[Self::of(right)]),
            Query::Default { query, .. } => Self::of(query),
            Query::Aggregate { aggregate, queries, .. } => {
                queries.first().map_or(Self::Plain, Self::of).of_all(*aggregate)
            }
        }
    }

    /// The measure of a summary of values that have this one.
    fn of_all(self, aggregate: Aggregate) -> Self {
        match (aggregate, self) {
            (
                Aggregate::Min
                | Aggregate::Max
                | Aggregate::Avg
                | Aggregate::First
                | Aggregate::Last
                | Aggregate::Mode
                | Aggregate::Quantile(_)
                | Aggregate::Median,
                one,
            ) => one,
            (Aggregate::Sum | Aggregate::Stddev, Self::Duration) | (Aggregate::Stddev, Self::Moment) => Self::Duration,
            _ => Self::Plain,
        }
    }

    fn of_expr(expr: &Expr, arguments: &[Self]) -> Self {
        let of = |expr: &Expr| Self::of_expr(expr, arguments);
        match expr {
            Expr::Time => Self::Moment,
            Expr::Parameter(index) => arguments.get(usize::from(*index)).copied().unwrap_or_default(),
            Expr::Past(operand, _) => of(operand),
            Expr::Negate(operand) | Expr::Abs(operand) => of(operand).if_same(Self::Duration),
            Expr::Arithmetic(op, left, right) => of(left).and(*op, of(right)),
            Expr::Min(left, right) | Expr::Max(left, right) => of(left).if_same(of(right)),
            _ => Self::Plain,
        }
    }

    /// The measure of a sum or a difference.
    fn and(self, op: ArithmeticOp, other: Self) -> Self {
        match (op, self, other) {
            (ArithmeticOp::Subtract, Self::Moment, Self::Moment) => Self::Duration,
            (ArithmeticOp::Add | ArithmeticOp::Subtract, Self::Moment, Self::Duration)
            | (ArithmeticOp::Add, Self::Duration, Self::Moment) => Self::Moment,
            (ArithmeticOp::Add | ArithmeticOp::Subtract, Self::Duration, Self::Duration) => Self::Duration,
            _ => Self::Plain,
        }
    }

    /// This measure if the other one is the same, and otherwise none in particular.
    fn if_same(self, other: Self) -> Self {
        if self == other { self } else { Self::Plain }
    }
}
