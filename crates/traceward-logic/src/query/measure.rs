//! What the numbers of a query are: people read nanoseconds in other units than counts.

use super::Query;
use crate::ast::Aggregate;
use crate::expr::Expr;
use crate::value::ArithmeticOp;

/// What the numbers in a query's value are.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Measure {
    /// Numbers of some other kind, or no numbers.
    #[default]
    Plain,
    /// Timestamps, in nanoseconds.
    Moment,
    /// Stretches of time, in nanoseconds.
    Duration,
    /// Pairs of such numbers.
    Pair(Box<Measure>, Box<Measure>),
    /// A list of buckets, each with two edges that are such numbers, and a count.
    Buckets(Box<Measure>),
}

impl Query {
    /// What the numbers in its value are.
    pub fn measure(&self) -> Measure {
        match self {
            Self::Value { expr, .. } => of(expr, &[]),
            Self::And { combine, left, right } => of(combine, &[left.measure(), right.measure()]),
            Self::Or { combine, left, right } => {
                let sides = [left.measure(), right.measure()];
                alike(alike(of(combine, &sides), sides[0].clone()), sides[1].clone())
            }
            Self::Next { map, query } => of(map, &[query.measure()]),
            Self::Until { map, right, .. } => of(map, &[right.measure()]),
            Self::Default { query, .. } => query.measure(),
            Self::Aggregate { aggregate, queries, .. } => {
                collected(*aggregate, queries.first().map(Self::measure).unwrap_or_default())
            }
            Self::Fold { combine, query, .. } => folded(combine, &query.measure()),
            Self::Constant(_) | Self::Holds(_) | Self::Not { .. } | Self::Compare(_) => Measure::Plain,
        }
    }
}

/// A measure, if two agree on it.
fn alike(one: Measure, other: Measure) -> Measure {
    if one == other { one } else { Measure::Plain }
}

/// What the summary of values is.
fn collected(aggregate: Aggregate, values: Measure) -> Measure {
    match (aggregate, values) {
        (Aggregate::Histogram(_), Measure::Plain) => Measure::Plain,
        (Aggregate::Histogram(_), values) => Measure::Buckets(Box::new(values)),
        (Aggregate::Stddev, Measure::Moment | Measure::Duration) => Measure::Duration,
        (Aggregate::Sum, Measure::Duration) => Measure::Duration,
        (
            Aggregate::Min
            | Aggregate::Max
            | Aggregate::Avg
            | Aggregate::First
            | Aggregate::Last
            | Aggregate::Mode
            | Aggregate::Quantile(_)
            | Aggregate::Median,
            values,
        ) => values,
        _ => Measure::Plain,
    }
}

/// What an accumulator is: what the function makes of its start, a plain number, if it makes the
/// same of that again.
fn folded(combine: &Expr, values: &Measure) -> Measure {
    let first = of(combine, &[Measure::Plain, values.clone()]);
    let second = of(combine, &[first.clone(), values.clone()]);
    alike(first, second)
}

/// What an expression is, with arguments that are these.
fn of(expr: &Expr, arguments: &[Measure]) -> Measure {
    match expr {
        Expr::Time => Measure::Moment,
        Expr::Parameter(index) => arguments.get(usize::from(*index)).cloned().unwrap_or_default(),
        Expr::Past(expr, _) => of(expr, arguments),
        Expr::Negate(expr) | Expr::Abs(expr) => match of(expr, arguments) {
            Measure::Duration => Measure::Duration,
            _ => Measure::Plain,
        },
        Expr::Min(left, right) | Expr::Max(left, right) => chosen(of(left, arguments), of(right, arguments)),
        Expr::Pair(left, right) => Measure::Pair(Box::new(of(left, arguments)), Box::new(of(right, arguments))),
        Expr::Arithmetic(op, left, right) => computed(*op, of(left, arguments), of(right, arguments)),
        _ => Measure::Plain,
    }
}

/// What the lesser or greater of two is. A plain number beside a time is one in nanoseconds.
fn chosen(left: Measure, right: Measure) -> Measure {
    use Measure::{Duration, Moment, Plain};
    match (left, right) {
        (time @ (Moment | Duration), Plain) | (Plain, time @ (Moment | Duration)) => time,
        (left, right) => alike(left, right),
    }
}

/// What comes of arithmetic. A plain number beside a time is one in nanoseconds, or a factor.
fn computed(op: ArithmeticOp, left: Measure, right: Measure) -> Measure {
    use ArithmeticOp::{Add, Divide, Multiply, Remainder, Subtract};
    use Measure::{Duration, Moment, Plain};
    match (op, left, right) {
        (Subtract, Moment, Moment) => Duration,
        (Add | Subtract, Moment, Duration | Plain) | (Add, Duration | Plain, Moment) => Moment,
        (Add | Subtract, Duration, Duration | Plain) | (Add | Subtract, Plain, Duration) => Duration,
        (Multiply, Duration, Plain) | (Multiply, Plain, Duration) | (Divide, Duration, Plain) => Duration,
        (Remainder, Duration, Duration | Plain) | (Remainder, Moment, Duration | Plain) => Duration,
        _ => Plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::SourceId;
    use crate::lower::{Declarations, Goal, Schema, lower};
    use crate::parse;

    fn measure(query: &str) -> Measure {
        let spec = parse::spec(SourceId(0), query).expect("a query");
        let schema = Schema { has_time: true, ..Schema::default() };
        let specs = [(spec, Goal::Query)];
        let lowered = lower(&specs, &Declarations::default(), None)
            .and_then(|_| lower(&specs, &Declarations::default(), Some(&schema)));
        lowered.expect("a query that can be asked").queries[0].query.measure()
    }

    #[test]
    fn only_times_are_times() {
        assert_eq!(measure("time"), Measure::Moment);
        for duration in [
            "max(time) - min(time)",
            "max(time - past(time))",
            "avg(time - past(time)) / 2",
            "stddev(time)",
            "quantile(0.9, time - past(time)) ?? 0",
            "fold(0, (acc, v) => acc + v, time - past(time))",
            "fold(0, (acc, v) => max(acc, v), time - past(time)) forward",
        ] {
            assert_eq!(measure(duration), Measure::Duration, "{duration}");
        }
        for plain in
            ["count(time)", "distinct(time)", "pos", "max(time - past(time)) / max(time - past(time))", "max(pos)"]
        {
            assert_eq!(measure(plain), Measure::Plain, "{plain}");
        }
        for plain in ["fold(0, (n, v) => n + 1, time)", "fold(1, (acc, v) => acc * v, time - past(time))"] {
            assert_eq!(measure(plain), Measure::Plain, "{plain}");
        }
        assert_eq!(measure("fold(0, (acc, v) => v, time)"), Measure::Moment);
        assert_eq!(measure("histogram(3, time - past(time))"), Measure::Buckets(Box::new(Measure::Duration)));
    }
}
