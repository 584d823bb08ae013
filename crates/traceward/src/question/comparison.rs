//! Asserts: the values of two queries, compared.
//!
//! On a trace that goes on, a verdict is final where no continuation can change the comparison.
//! What follows a trace as it grows finds that out on the way, so it is asked here, too. Of queries
//! that cannot be followed it is known how their values can change ([`Trend`]); where nothing is
//! known the verdict is what it would be if the trace ended here, and never a final one.

use super::Question;
use super::judgement::Judgement;
use super::measured::{QueryIndex, value_of_part};
use super::part::Part;
use crate::check::Extent;
use crate::doubt::{Side, doubt};
use crate::error::{Error, Request};
use crate::monitor::CompiledAssert;
use crate::report::{Compared, Counterpart};
use traceward_engine::query::online::Trend;
use traceward_engine::query::{Precision, QueryError};
use traceward_logic::ast::Aggregate;
use traceward_logic::formula::{Direction, FormulaId, Formulas, Node};
use traceward_logic::query::{Comparison, Query};
use traceward_logic::value::Value;
use traceward_logic::verdict::Verdict;

/// The judgement on an assert.
pub(super) fn judge(part: &Part<'_>, comparison: &Comparison, sides: [QueryIndex; 2]) -> Result<Judgement, Error> {
    let [left, right] = sides.map(|side| part.value(side));
    let (left, right) = (left?, right?);
    let errors = [part.error(sides[0])?, part.error(sides[1])?];
    let side = |value, error: Option<QueryError>| Side {
        value,
        tolerance: error.map(|error| error.tolerance),
        is_direct: error.is_some_and(|error| error.is_direct),
    };
    if let Some(doubt) = doubt([side(left.as_ref(), errors[0]), side(right.as_ref(), errors[1])]) {
        return Err(Request::TooClose { doubt }.into());
    }
    let holds = comparison.holds(left.as_ref(), right.as_ref());
    let verdict = match part.question.options.extent {
        Extent::Whole => Verdict::at_end(holds),
        // An estimate may fall where the number that it stands for rises.
        Extent::Prefix if errors.iter().any(Option::is_some) => {
            if holds {
                Verdict::Holding
            } else {
                Verdict::Pending
            }
        }
        Extent::Prefix => on_prefix(part, comparison, left.as_ref(), right.as_ref()),
    };
    let with = match &comparison.right {
        Query::Constant(constant) => Counterpart::Constant(constant.clone()),
        _ => Counterpart::Query(right),
    };
    let compared = Compared { value: left, with, measure: comparison.left.measure() };
    Ok(Judgement { compared: Some(compared), ..Judgement::new(verdict) })
}

fn on_prefix(part: &Part<'_>, comparison: &Comparison, left: Option<&Value>, right: Option<&Value>) -> Verdict {
    followed(part, comparison).unwrap_or_else(|| by_trend(part, comparison, left, right))
}

/// The verdict of following the states one by one, if that can be done.
fn followed(part: &Part<'_>, comparison: &Comparison) -> Option<Verdict> {
    let Question { bound, options, .. } = part.question;
    let assert = CompiledAssert::new(&bound.lowered, "", comparison, Precision::Exact).ok()?;
    let (mut pursued, mut verdict) = (assert.start(), None);
    for position in 0..part.len() {
        let step = part.at(position, |state| assert.step(&mut pursued, &state, &options.config.limits, &bound.names));
        verdict = Some(step.ok()?);
        if verdict.is_some_and(Verdict::is_final) {
            break;
        }
    }
    verdict.filter(|_| pursued.doubt.is_none())
}

fn by_trend(part: &Part<'_>, comparison: &Comparison, left: Option<&Value>, right: Option<&Value>) -> Verdict {
    let holds = comparison.holds(left, right);
    let trend = trend(part, &comparison.left, left).against(trend(part, &comparison.right, right));
    let is_final = trend.settles(comparison.op, left.zip(right).and_then(|(left, right)| left.compare(right)));
    match (is_final, holds) {
        (true, holds) => Verdict::at_end(holds),
        (false, true) => Verdict::Holding,
        (false, false) => Verdict::Pending,
    }
}

/// How a query's value can change, given the value that it has if the trace ends here.
fn trend(part: &Part<'_>, query: &Query, value: Option<&Value>) -> Trend {
    if let Query::Constant(_) = query {
        return Trend::Fixed;
    }
    if part.len() == 0 {
        return Trend::Free;
    }
    let formulas = &part.question.bound.lowered.formulas;
    match query {
        Query::Next { query, .. } if is_local(formulas, query) && part.len() > 1 => Trend::Fixed,
        Query::Until { left, right, .. }
            if value.is_some() && is_local(formulas, left) && is_local(formulas, right) =>
        {
            Trend::Fixed
        }
        Query::Default { query, .. } => match value_of_part(part, formulas, query) {
            Ok(inner @ Some(_)) => trend(part, query, inner.as_ref()),
            _ => Trend::Free,
        },
        Query::Aggregate { aggregate, queries, condition }
            if queries.iter().all(|query| is_local(formulas, query))
                && condition.is_none_or(|condition| looks_back(formulas, condition)) =>
        {
            let over = condition.is_some_and(|condition| !part.holds_throughout(condition));
            if over { Trend::Fixed } else { collecting(*aggregate, value) }
        }
        query if is_local(formulas, query) => Trend::Fixed,
        _ => Trend::Free,
    }
}

/// How a summary changes as values are added.
fn collecting(aggregate: Aggregate, value: Option<&Value>) -> Trend {
    match (aggregate, value) {
        (_, None) => Trend::Free,
        (Aggregate::Count | Aggregate::Distinct | Aggregate::Max, Some(_)) => Trend::Rising,
        (Aggregate::Min, Some(_)) => Trend::Falling,
        (Aggregate::First, Some(_)) => Trend::Fixed,
        _ => Trend::Free,
    }
}

/// Whether a query's value at a position needs no later state.
fn is_local(formulas: &Formulas, query: &Query) -> bool {
    match query {
        Query::Constant(_) => true,
        Query::Value { guard: formula, .. } | Query::Holds(formula) => looks_back(formulas, *formula),
        Query::And { left, right, .. } | Query::Or { left, right, .. } => {
            is_local(formulas, left) && is_local(formulas, right)
        }
        Query::Not { query, .. } | Query::Default { query, .. } => is_local(formulas, query),
        Query::Compare(comparison) => is_local(formulas, &comparison.left) && is_local(formulas, &comparison.right),
        Query::Next { .. } | Query::Until { .. } | Query::Aggregate { .. } | Query::Fold { .. } => false,
    }
}

/// Whether a formula's truth at a position needs no later state.
fn looks_back(formulas: &Formulas, formula: FormulaId) -> bool {
    formulas.parts(&[formula]).into_iter().all(|part| match formulas.node(part) {
        Node::Next(direction, ..)
        | Node::Eventually(direction, ..)
        | Node::Always(direction, ..)
        | Node::Binary(_, direction, ..) => direction == Direction::Past,
        Node::Constant(_) | Node::Atom(_) | Node::Not(_) | Node::And(..) | Node::Or(..) => true,
    })
}

/// How far the value of a violated assert is from its bound; none where there is no such number.
pub(super) fn distance(compared: &Compared) -> Option<f64> {
    let with = match &compared.with {
        Counterpart::Constant(constant) => Some(constant),
        Counterpart::Query(value) => value.as_ref(),
    };
    let (value, with) = (compared.value.as_ref()?.as_f64()?, with?.as_f64()?);
    Some((value - with).abs()).filter(|distance| !distance.is_nan())
}
