//! Queries and asserts on a trace that goes on.

use super::Abandoned;
use crate::doubt::Side;
use crate::error::Error;
use crate::spec::Spec;
use std::sync::Arc;
use traceward_engine::limit::{GaveUp, Limits};
use traceward_engine::query::online::{Online, OnlineRun, RunningValue};
use traceward_engine::query::{Precision, Tolerance};
use traceward_logic::expr::{Environment, Expr};
use traceward_logic::lower::{Lowered, NamedQuery};
use traceward_logic::query::{Comparison, Measure, Query};
use traceward_logic::semantics::{self, EvaluationError, Outcome};
use traceward_logic::trace::{Column, Trace};
use traceward_logic::value::Value;
use traceward_logic::verdict::Verdict;

/// The name of the engine of queries.
pub(super) const ALGEBRAIC: &str = "algebraic";

/// A query that is being followed.
#[derive(Clone, PartialEq, Debug)]
pub struct MeasuredQuery<'a> {
    /// The name of the query.
    pub name: &'a str,
    /// The text of the query in the spec.
    pub query: &'a str,
    /// The description in the spec.
    pub description: Option<&'a str>,
    /// What the numbers in its value are.
    pub measure: &'a Measure,
    /// The value so far, or why there will be none.
    pub known: Known,
}

/// What is known of a query.
#[derive(Clone, PartialEq, Debug)]
pub enum Known {
    /// The value over the states that are settled; none if it fails, or is not known yet.
    Value {
        /// The value.
        value: Option<Value>,
        /// The number of states that are settled; none if no later state can change the value.
        settled: Option<u64>,
        /// How far the numbers that the value is made of may be off; none if they are exact.
        tolerance: Option<Tolerance>,
    },
    /// An expression could not be evaluated.
    Failed(String),
    /// A limit was reached.
    GaveUp(GaveUp),
}

/// A query, ready to be followed.
#[derive(Debug)]
pub(super) struct CompiledQuery {
    pub(super) name: String,
    pub(super) text: String,
    pub(super) description: Option<Arc<str>>,
    pub(super) measure: Measure,
    online: Online,
    /// What it has on a trace without a state.
    on_nothing: Outcome,
}

impl CompiledQuery {
    pub(super) fn new(
        spec: &Spec,
        lowered: &Lowered,
        named: &NamedQuery,
        name: String,
        precision: Precision,
    ) -> Result<Self, Error> {
        let online = online(lowered, &name, [&named.query], precision)?;
        Ok(Self {
            name,
            text: spec.text(named.span),
            description: named.description.clone(),
            measure: named.query.measure(),
            online,
            on_nothing: on_nothing(lowered, &named.query),
        })
    }

    pub(super) fn exprs(&self) -> impl Iterator<Item = &Expr> {
        self.online.exprs()
    }

    /// What follows it.
    pub(super) fn online(&self) -> &Online {
        &self.online
    }

    pub(super) fn start(&self) -> Pursued {
        Pursued { run: Ok(Box::new(self.online.start())), doubt: None }
    }

    /// Takes the next state.
    pub(super) fn step(&self, pursued: &mut Pursued, state: &impl Environment, limits: &Limits) {
        pursued.step(&self.online, state, limits);
    }

    /// What is known while the trace goes on.
    pub(super) fn known(&self, pursued: &Pursued, names: &[Arc<str>]) -> Known {
        match &pursued.run {
            Err(gave_up) => Known::GaveUp(gave_up.clone()),
            Ok(run) => {
                let running = self.online.value(run, 0);
                known(running, names)
            }
        }
    }

    /// What is known if the trace ends here.
    pub(super) fn known_at_end(&self, pursued: &Pursued, names: &[Arc<str>]) -> Known {
        match &pursued.run {
            Err(gave_up) => Known::GaveUp(gave_up.clone()),
            Ok(run) => {
                let value = match run.position() {
                    0 => self.on_nothing.clone(),
                    _ => self.online.value_at_end(run, 0),
                };
                known(RunningValue { value, settled: None, ..self.online.value(run, 0) }, names)
            }
        }
    }
}

/// What a query has on a trace without a state.
pub(super) fn on_nothing(lowered: &Lowered, query: &Query) -> Outcome {
    let empty = Trace { columns: vec![Column::all_missing(0); lowered.variables.list().len()], ..Trace::default() };
    semantics::value(&lowered.formulas, query, &empty)
}

fn known(running: RunningValue, names: &[Arc<str>]) -> Known {
    let RunningValue { value, settled, tolerance } = running;
    match value {
        Ok(value) => Known::Value { value, settled, tolerance },
        Err(error) => Known::Failed(failure(&error, names)),
    }
}

/// Whether there will be no value whatever comes: what is said of one state stays so. What is
/// computed from the values of queries, such as a share of nothing, may succeed once there is more.
fn is_for_good(error: &EvaluationError) -> bool {
    fn takes_values(expr: &Expr) -> bool {
        matches!(expr, Expr::Parameter(_)) || expr.parts().into_iter().any(takes_values)
    }
    error.expression.as_ref().is_some_and(|expr| !takes_values(expr))
}

/// An error in words.
fn failure(error: &EvaluationError, names: &[Arc<str>]) -> String {
    let what = match &error.expression {
        Some(expr) => format!("`{}`", expr.display(names)),
        None => "a sum".to_owned(),
    };
    format!("{} in {what} at position {}", error.reason, error.position)
}

fn online<'q>(
    lowered: &Lowered,
    name: &str,
    queries: impl IntoIterator<Item = &'q Query>,
    precision: Precision,
) -> Result<Online, Error> {
    Online::new(&lowered.formulas, queries, precision)
        .map_err(|error| Error::CannotMeasure { query: name.to_owned(), error })
}

/// The run of queries that belong together, or the limit that it reached.
#[derive(Clone, Debug)]
pub(crate) struct Pursued {
    pub(super) run: Result<Box<OnlineRun>, GaveUp>,
    /// Why nobody knows whether a comparison holds, should the trace end here: its values are
    /// approximate, or cannot be computed. Later states may change that.
    pub(crate) doubt: Option<String>,
}

impl Pursued {
    fn step(&mut self, online: &Online, state: &impl Environment, limits: &Limits) {
        let Ok(run) = &mut self.run else { return };
        if let Err(limit) = online.step(run, state, limits) {
            self.run = Err(GaveUp { engine: ALGEBRAIC, limit, instead: &[] });
        }
    }
}

/// An assert, ready to be followed.
#[derive(Debug)]
pub(crate) struct CompiledAssert {
    comparison: Comparison,
    online: Online,
}

impl CompiledAssert {
    pub(crate) fn new(
        lowered: &Lowered,
        name: &str,
        comparison: &Comparison,
        precision: Precision,
    ) -> Result<Self, Error> {
        let online = online(lowered, name, [&comparison.left, &comparison.right], precision)?;
        Ok(Self { comparison: comparison.clone(), online })
    }

    pub(super) fn exprs(&self) -> impl Iterator<Item = &Expr> {
        self.online.exprs()
    }

    /// What follows both sides.
    pub(super) fn online(&self) -> &Online {
        &self.online
    }

    pub(crate) fn start(&self) -> Pursued {
        Pursued { run: Ok(Box::new(self.online.start())), doubt: None }
    }

    /// Takes the next state, and tells what is certain behind it.
    pub(crate) fn step(
        &self,
        pursued: &mut Pursued,
        state: &impl Environment,
        limits: &Limits,
        names: &[Arc<str>],
    ) -> Result<Verdict, Abandoned> {
        pursued.step(&self.online, state, limits);
        let Pursued { run, doubt } = pursued;
        let run = run.as_ref().map_err(|gave_up| Abandoned::Limit(gave_up.clone()))?;
        let side = |query| self.online.value_at_end(run, query);
        let (left, right) = match (side(0), side(1)) {
            (Ok(left), Ok(right)) => (left, right),
            (Err(error), _) | (_, Err(error)) if is_for_good(&error) => {
                return Err(Abandoned::Evaluation(failure(&error, names)));
            }
            (Err(error), _) | (_, Err(error)) => {
                *doubt = Some(failure(&error, names));
                return Ok(Verdict::Pending);
            }
        };
        let holds = self.comparison.holds(left.as_ref(), right.as_ref());
        let trend = self.online.trend(run, 0).against(self.online.trend(run, 1));
        // What is certain follows from what is settled, and not from what would be at the end.
        let so_far = |query| self.online.value(run, query).value.ok().flatten();
        let ordering = so_far(0).zip(so_far(1)).and_then(|(left, right)| left.compare(&right));
        let sides = [0, 1].map(|query| (self.online.value(run, query).tolerance, self.online.is_summary(query)));
        let side = |value, (tolerance, is_direct)| Side { value, tolerance, is_direct };
        *doubt = crate::doubt::doubt([side(left.as_ref(), sides[0]), side(right.as_ref(), sides[1])]);
        // Nothing that is in doubt is certain.
        let is_certain = doubt.is_none() && trend.settles(self.comparison.op, ordering);
        Ok(match (is_certain, holds) {
            (true, _) => Verdict::at_end(self.comparison.holds(so_far(0).as_ref(), so_far(1).as_ref())),
            (false, true) => Verdict::Holding,
            (false, false) => Verdict::Pending,
        })
    }
}
