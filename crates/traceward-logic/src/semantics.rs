//! The definition of the language in code: what a formula or query means on a trace.
//!
//! Nothing here is clever or fast. Every engine is compared with this module on all small formulas
//! and short traces; where they differ, the engine is wrong. If you are new here, this is the page
//! to start with.

mod aggregate;

pub use aggregate::{Share, buckets_of, counted_buckets, difference, frequencies, in_one_form, rank, summarise};

use crate::ast::Aggregate;
use crate::expr::{Arguments, Expr, StateAt};
use crate::formula::{BinaryOp, Direction, FormulaId, Formulas, Interval, Node, Strength, Unit};
use crate::query::{FoldOrder, Query};
use crate::trace::Trace;
use crate::value::{ArithmeticError, Value};
use rustc_hash::FxHashMap;
use std::fmt;

/// An expression could not be evaluated at a position.
#[derive(Clone, PartialEq, Debug)]
pub struct EvaluationError {
    /// The position at which evaluation failed.
    pub position: usize,
    /// The reason.
    pub reason: ArithmeticError,
    /// The expression that was being evaluated; none where it was a summary.
    pub expression: Option<Expr>,
}

impl EvaluationError {
    /// The failure of an expression at a position.
    pub fn of(expression: &Expr, position: usize, reason: ArithmeticError) -> Self {
        Self { position, reason, expression: Some(expression.clone()) }
    }
}

impl fmt::Display for EvaluationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at position {}", self.reason, self.position)
    }
}

/// Whether a trace satisfies a formula: whether the formula holds at position 0.
pub fn satisfied(formulas: &Formulas, formula: FormulaId, trace: &Trace) -> Result<bool, EvaluationError> {
    match truth(formulas, formula, trace)?.first() {
        Some(&at_zero) => Ok(at_zero),
        None => Ok(holds_on_empty(formulas, formula)),
    }
}

/// Whether a formula holds, at each position of a trace.
pub fn truth(formulas: &Formulas, formula: FormulaId, trace: &Trace) -> Result<Vec<bool>, EvaluationError> {
    let rows = truths(formulas, &[formula], trace)?;
    Ok(rows[&formula].clone())
}

/// Whether formulas and all their parts hold, at each position of a trace. Of several errors the
/// one at the earliest position is reported.
pub fn truths(
    formulas: &Formulas,
    roots: &[FormulaId],
    trace: &Trace,
) -> Result<FxHashMap<FormulaId, Vec<bool>>, EvaluationError> {
    let mut rows: FxHashMap<FormulaId, Vec<bool>> = FxHashMap::default();
    let mut first_error: Option<EvaluationError> = None;
    for part in formulas.parts(roots) {
        let row = (0..trace.len).map(|j| holds_at(formulas, formulas.node(part), trace, &rows, j));
        let row = row.collect::<Result<Vec<bool>, EvaluationError>>().unwrap_or_else(|error| {
            if first_error.as_ref().is_none_or(|first| error.position < first.position) {
                first_error = Some(error);
            }
            vec![false; trace.len]
        });
        rows.insert(part, row);
    }
    first_error.map_or(Ok(rows), Err)
}

/// Whether an operator holds at position j, given where its operands hold.
fn holds_at(
    formulas: &Formulas,
    node: Node,
    trace: &Trace,
    rows: &FxHashMap<FormulaId, Vec<bool>>,
    j: usize,
) -> Result<bool, EvaluationError> {
    let at = |f: FormulaId, i: usize| rows[&f][i];
    Ok(match node {
        Node::Constant(bit) => bit,
        Node::Atom(atom) => {
            let state = StateAt { trace, position: j };
            let expr = formulas.atom(atom);
            expr.holds(&state).map_err(|reason| EvaluationError::of(expr, j, reason))?
        }
        Node::Not(f) => !at(f, j),
        Node::And(f, g) => at(f, j) && at(g, j),
        Node::Or(f, g) => at(f, j) || at(g, j),
        Node::Next(direction, strength, f) => match neighbour(trace, direction, j) {
            Some(i) => at(f, i),
            None => strength == Strength::Weak,
        },
        Node::Eventually(direction, interval, f) => window(trace, direction, interval, j).any(|i| at(f, i)),
        Node::Always(direction, interval, f) => window(trace, direction, interval, j).all(|i| at(f, i)),
        Node::Binary(op, direction, interval, f, g) => {
            let window = || window(trace, direction, interval, j);
            match op {
                BinaryOp::Until => until(window(), |i| at(f, i), |i| at(g, i)),
                BinaryOp::WeakUntil => until(window(), |i| at(f, i), |i| at(g, i)) || window().all(|i| at(f, i)),
                BinaryOp::Release => !until(window(), |i| !at(f, i), |i| !at(g, i)),
                BinaryOp::StrongRelease => until(window(), |i| at(g, i), |i| at(f, i) && at(g, i)),
            }
        }
    })
}

/// Whether g holds somewhere in the window, and f at every position of the window before that.
fn until(window: impl Iterator<Item = usize>, f: impl Fn(usize) -> bool, g: impl Fn(usize) -> bool) -> bool {
    for i in window {
        if g(i) {
            return true;
        }
        if !f(i) {
            return false;
        }
    }
    false
}

/// The position next to j in a direction, if the trace has one.
fn neighbour(trace: &Trace, direction: Direction, j: usize) -> Option<usize> {
    match direction {
        Direction::Future => Some(j + 1).filter(|&i| i < trace.len),
        Direction::Past => j.checked_sub(1),
    }
}

/// The positions from j on in a direction whose distance from j lies in the interval, nearest
/// first.
fn window(trace: &Trace, direction: Direction, interval: Interval, j: usize) -> impl Iterator<Item = usize> + '_ {
    let count = match direction {
        Direction::Future => trace.len - j,
        Direction::Past => j + 1,
    };
    let positions = (0..count).map(move |nth| match direction {
        Direction::Future => j + nth,
        Direction::Past => j - nth,
    });
    positions.filter(move |&i| {
        let distance = distance(trace, interval.unit, i, j);
        distance >= interval.from && interval.to.is_none_or(|to| distance <= to)
    })
}

/// The distance between two positions. Without timestamps no time passes; such a formula is refused
/// before it gets here.
fn distance(trace: &Trace, unit: Unit, i: usize, j: usize) -> u64 {
    match (unit, &trace.time) {
        (Unit::Steps, _) => i.abs_diff(j) as u64,
        (Unit::Time, Some(time)) => time[i].abs_diff(time[j]),
        (Unit::Time, None) => 0,
    }
}

/// Whether the trace of no states satisfies a formula: what is asked of some state fails, what is
/// asked of every state holds.
pub fn holds_on_empty(formulas: &Formulas, formula: FormulaId) -> bool {
    let mut holds: FxHashMap<FormulaId, bool> = FxHashMap::default();
    for part in formulas.parts(&[formula]) {
        let bit = match formulas.node(part) {
            Node::Constant(bit) => bit,
            Node::Atom(atom) => holds_without_a_state(formulas.atom(atom)),
            Node::Not(f) => !holds[&f],
            Node::And(f, g) => holds[&f] && holds[&g],
            Node::Or(f, g) => holds[&f] || holds[&g],
            Node::Next(_, strength, _) => strength == Strength::Weak,
            Node::Eventually(..) => false,
            Node::Always(..) => true,
            Node::Binary(op, ..) => matches!(op, BinaryOp::WeakUntil | BinaryOp::Release),
        };
        holds.insert(part, bit);
    }
    holds[&formula]
}

/// A boolean expression where there is no state: variables and comparisons are false, connectives
/// as usual.
fn holds_without_a_state(expr: &Expr) -> bool {
    let holds = holds_without_a_state;
    match expr {
        Expr::Literal(value) => value.is_true(),
        Expr::Not(a) => !holds(a),
        Expr::And(parts) => parts.iter().all(holds),
        Expr::Or(parts) => parts.iter().any(holds),
        Expr::Xor(a, b) => holds(a) ^ holds(b),
        Expr::Implies(a, b) => !holds(a) || holds(b),
        Expr::Iff(a, b) => holds(a) == holds(b),
        _ => false,
    }
}

/// The value of a query on a trace, which is its value at position 0; none if it fails.
pub fn value(formulas: &Formulas, query: &Query, trace: &Trace) -> Result<Option<Value>, EvaluationError> {
    let mut wanted = Vec::new();
    query.for_each_formula(&mut |formula| wanted.push(formula));
    let rows = truths(formulas, &wanted, trace)?;
    value_where(query, trace, &|formula, j| match rows[&formula].get(j) {
        Some(&bit) => bit,
        None => holds_on_empty(formulas, formula),
    })
}

/// The value of a query on a trace, given where its formulas hold. On the empty trace that is asked
/// for position 0.
pub fn value_where(
    query: &Query,
    trace: &Trace,
    holds: &dyn Fn(FormulaId, usize) -> bool,
) -> Result<Option<Value>, EvaluationError> {
    QueryValues { trace, holds, known: FxHashMap::default() }.at(query, 0)
}

/// The value of a query at every position of a trace, given where its formulas hold.
pub fn values_where(query: &Query, trace: &Trace, holds: &dyn Fn(FormulaId, usize) -> bool) -> Vec<Outcome> {
    let mut values = QueryValues { trace, holds, known: FxHashMap::default() };
    (0..trace.len).map(|position| values.at(query, position)).collect()
}

struct QueryValues<'a> {
    trace: &'a Trace,
    holds: &'a dyn Fn(FormulaId, usize) -> bool,
    /// The outcomes so far of parts that look at many positions, by the place of the part in
    /// memory. Nested in each other, such parts would otherwise ask for the same again and again,
    /// twice as often with every level. Nothing is known here that nobody has asked for, so an
    /// error where nobody asks stays unnoticed.
    known: FxHashMap<(*const Query, usize), Outcome>,
}

/// The value of a query at a position, or none where it fails; or why it cannot be told.
pub type Outcome = Result<Option<Value>, EvaluationError>;

/// Positions, in order, with the values of some queries there.
type Collected = Vec<(usize, Vec<Value>)>;

impl QueryValues<'_> {
    /// The value at position j, or none for a failure.
    fn at(&mut self, query: &Query, j: usize) -> Outcome {
        if !matches!(query, Query::Until { .. } | Query::Aggregate { .. } | Query::Fold { .. }) {
            return self.computed(query, j);
        }
        let key = (std::ptr::from_ref(query), j);
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let outcome = self.computed(query, j);
        self.known.insert(key, outcome.clone());
        outcome
    }

    fn computed(&mut self, query: &Query, j: usize) -> Outcome {
        match query {
            Query::Constant(constant) => Ok(Some(constant.clone())),
            Query::Value { guard, expr } => self.guarded(*guard, expr, j),
            Query::Holds(formula) => Ok((self.holds)(*formula, j).then_some(Value::Bool(true))),
            Query::And { combine, left, right } => match (self.at(left, j)?, self.at(right, j)?) {
                (Some(left), Some(right)) => apply(combine, &[left, right], j),
                _ => Ok(None),
            },
            Query::Or { combine, left, right } => match (self.at(left, j)?, self.at(right, j)?) {
                (Some(left), Some(right)) => apply(combine, &[left, right], j),
                (one, other) => Ok(one.or(other)),
            },
            Query::Not { constant, query } => Ok(match self.at(query, j)? {
                Some(_) => None,
                None => Some(constant.clone()),
            }),
            Query::Next { map, query } if j + 1 < self.trace.len => match self.at(query, j + 1)? {
                Some(value) => apply(map, &[value], j),
                None => Ok(None),
            },
            Query::Next { .. } => Ok(None),
            Query::Until { map, left, right } => self.until(map, left, right, j),
            Query::Default { query, constant } => Ok(Some(self.at(query, j)?.unwrap_or_else(|| constant.clone()))),
            Query::Aggregate { aggregate, queries, condition } => self.collection(*aggregate, queries, *condition, j),
            Query::Fold { start, combine, order, query, condition } => {
                let collected = self.collected(std::slice::from_ref(query), *condition, j)?;
                collected.map_or(Ok(None), |values| fold(start, combine, *order, values))
            }
            Query::Compare(comparison) => {
                let (left, right) = (self.at(&comparison.left, j)?, self.at(&comparison.right, j)?);
                let compared = left.zip(right).map(|(left, right)| comparison.op.holds(&left, &right));
                Ok(compared.map(Value::Bool))
            }
        }
    }

    fn guarded(&self, guard: FormulaId, expr: &Expr, j: usize) -> Outcome {
        if j >= self.trace.len || !(self.holds)(guard, j) {
            return Ok(None);
        }
        let state = StateAt { trace: self.trace, position: j };
        let value = expr.value(&state).map_err(|reason| EvaluationError::of(expr, j, reason))?;
        Ok(Some(value).filter(|value| !value.is_missing()))
    }

    fn until(&mut self, map: &Expr, left: &Query, right: &Query, j: usize) -> Outcome {
        for k in j..self.trace.len {
            if let Some(value) = self.at(right, k)? {
                return apply(map, &[value], j);
            }
            if self.at(left, k)?.is_none() {
                return Ok(None);
            }
        }
        Ok(None)
    }

    fn collection(
        &mut self,
        aggregate: Aggregate,
        queries: &[Query],
        condition: Option<FormulaId>,
        j: usize,
    ) -> Outcome {
        let Some(collected) = self.collected(queries, condition, j)? else { return Ok(None) };
        let values: Vec<Vec<Value>> = collected.into_iter().map(|(_, values)| values).collect();
        let failed = |reason| EvaluationError { position: j, reason, expression: None };
        summarise(aggregate, &values).map_err(failed)
    }

    /// The positions from j on where all queries succeed, for as long as the condition holds, with
    /// the values that they have there; none if the condition fails at j.
    fn collected(
        &mut self,
        queries: &[Query],
        condition: Option<FormulaId>,
        j: usize,
    ) -> Result<Option<Collected>, EvaluationError> {
        if condition.is_some_and(|condition| !(self.holds)(condition, j)) {
            return Ok(None);
        }
        let mut collected = Vec::new();
        for i in j..self.trace.len {
            if condition.is_some_and(|condition| !(self.holds)(condition, i)) {
                break;
            }
            let values = queries.iter().map(|query| self.at(query, i)).collect::<Result<Option<Vec<_>>, _>>()?;
            collected.extend(values.map(|values| (i, values)));
        }
        Ok(Some(collected))
    }
}

/// The accumulator after all values, each with the position it is from; a failure as soon as the
/// function gives no value.
fn fold(start: &Value, combine: &Expr, order: FoldOrder, mut values: Collected) -> Outcome {
    if order == FoldOrder::Backward {
        values.reverse();
    }
    let mut accumulator = start.clone();
    for (i, value) in values {
        match apply(combine, &[&[accumulator], &*value].concat(), i)? {
            Some(next) => accumulator = next,
            None => return Ok(None),
        }
    }
    Ok(Some(accumulator))
}

fn apply(function: &Expr, arguments: &[Value], j: usize) -> Outcome {
    let value = function.value(&Arguments(arguments));
    let value = value.map_err(|reason| EvaluationError::of(function, j, reason))?;
    Ok(Some(value).filter(|value| !value.is_missing()))
}
