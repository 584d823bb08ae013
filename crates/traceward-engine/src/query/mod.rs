//! Queries, answered by algebraic alternating automata.
//!
//! All queries of a spec are one automaton ([`crate::automaton::algebraic`]), so that what they
//! share is computed once. It is evaluated backwards: a block of positions at a time (`block`), and
//! state by state (`backward`) where an error stands in the way, or where the paper's tables are
//! wanted. Forward evaluation ([`Queries::forward`]) is the paper's other way, for comparison.

pub mod accumulator;
mod backward;
mod block;
mod cardinality;
mod costs;
mod demand;
mod forward;
mod frequencies;
mod held;
mod histogram;
pub mod online;
mod samples;
mod save;
mod sketch;
mod table;
mod tolerance;

pub use costs::{POSITIONS_OF_BLOCK, StepCounts};
pub use forward::{ForwardError, LONGEST as LONGEST_FORWARD};
pub use samples::{SampleValues, Sampled, Samples};
pub use sketch::{Precision, Sketch};
pub use table::Table;
pub use tolerance::{Tolerance, ToleranceKind};

use crate::automaton::algebraic::{Algebraic, PartId, Plain};
use crate::limit::{Budget, GaveUp, Limit, Limits};
use backward::Backward;
use block::{Program, Stopped};
use forward::Forward;
use rustc_hash::{FxHashMap, FxHashSet};
use std::num::NonZero;
use traceward_logic::bitmap::Bitmap;
use traceward_logic::formula::{FormulaId, Formulas};
use traceward_logic::query::Query;
use traceward_logic::semantics::EvaluationError;
use traceward_logic::trace::Trace;
use traceward_logic::value::Value;

/// The value of a query at a position, or none where it fails; or why it cannot be told.
pub type Outcome = Result<Option<Value>, EvaluationError>;

/// Tells whether a formula holds at a position.
type Holds<'a> = &'a dyn Fn(FormulaId, usize) -> bool;

/// Gives the positions at which a formula holds.
pub type Rows<'a, 'r> = &'a dyn Fn(FormulaId) -> &'r Bitmap;

/// What was found out about some queries.
#[derive(Clone, Debug)]
pub struct Answers {
    /// The value of each query.
    pub values: Vec<Outcome>,
    /// The values at all positions, of each query whose samples were asked for.
    pub samples: Vec<Option<Sampled>>,
    /// The error of each value; none if it is exact.
    pub errors: Vec<Option<QueryError>>,
}

/// Queries that are ready to be evaluated.
#[derive(Clone, Debug)]
pub struct Queries {
    automaton: Algebraic,
    program: Program,
    /// The roots whose values at all positions are wanted.
    sampled: FxHashSet<PartId>,
}

/// The error of a value that is made of approximate numbers.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct QueryError {
    /// The error of the numbers.
    pub tolerance: Tolerance,
    /// Whether the value is such a number, so that the error is one of the value.
    pub is_direct: bool,
}

impl Queries {
    /// Prepares queries over formulas of an arena. Formulas are not translated: where they hold is
    /// asked of the caller.
    pub fn new<'q>(formulas: &Formulas, queries: impl IntoIterator<Item = &'q Query>) -> Self {
        Self::sampling(formulas, queries.into_iter().map(|query| (query, false)))
    }

    /// Prepares queries like [`Self::new`], each with whether its values at all positions are
    /// wanted, too.
    pub fn sampling<'q>(formulas: &Formulas, queries: impl IntoIterator<Item = (&'q Query, bool)>) -> Self {
        let (queries, wanted): (Vec<&Query>, Vec<bool>) = queries.into_iter().unzip();
        let automaton = Algebraic::new(formulas, queries, Plain::Asserted);
        let roots = automaton.roots().iter().zip(wanted);
        let sampled: FxHashSet<PartId> = roots.filter(|(_, wanted)| *wanted).map(|(root, _)| *root).collect();
        let program = Program::new(&automaton, sampled.clone(), Precision::Exact);
        Self { automaton, program, sampled }
    }

    /// The same queries, with summaries as exact as was asked for. Those inside other collections
    /// stay exact.
    #[must_use]
    pub fn with_precision(self, precision: Precision) -> Self {
        let program = Program::new(&self.automaton, self.sampled.clone(), precision);
        Self { program, ..self }
    }

    /// The error of a query's value, given those of summaries.
    fn error(&self, root: PartId, tolerances: &FxHashMap<PartId, Tolerance>) -> Option<QueryError> {
        if let Some(&tolerance) = tolerances.get(&self.automaton.behind_defaults(root)) {
            return Some(QueryError { tolerance, is_direct: true });
        }
        let within = self.automaton.operands(root).into_iter().filter_map(|part| tolerances.get(&part).copied());
        within.reduce(Tolerance::or_worse).map(|tolerance| QueryError { tolerance, is_direct: false })
    }

    /// The automaton of all queries.
    pub fn automaton(&self) -> &Algebraic {
        &self.automaton
    }

    /// The value of each query on a trace with a state, given where formulas hold.
    pub fn values(&self, trace: &Trace, rows: Rows<'_, '_>, limits: &Limits) -> Result<Vec<Outcome>, GaveUp> {
        Ok(self.answers(trace, rows, limits, NonZero::<usize>::MIN)?.values)
    }

    /// The value of each query on a trace with a state, and its samples where they are wanted. So
    /// many threads may work on them, that of the caller included.
    pub fn answers(
        &self,
        trace: &Trace,
        rows: Rows<'_, '_>,
        limits: &Limits,
        threads: NonZero<usize>,
    ) -> Result<Answers, GaveUp> {
        if self.automaton.roots().is_empty() {
            return Ok(Answers { values: Vec::new(), samples: Vec::new(), errors: Vec::new() });
        }
        let budget = Budget::new(&Limits { work: u64::MAX, memory: usize::MAX, ..*limits });
        match self.program.run(&self.automaton, trace, rows, (&budget, threads)) {
            Ok((values, samples, tolerances)) => {
                let samples = samples.into_iter().map(|samples| samples.map(Ok)).collect();
                let errors = self.automaton.roots().iter().map(|root| self.error(*root, &tolerances)).collect();
                Ok(Answers { values, samples, errors })
            }
            Err(Stopped::Bail) => Ok(self.state_by_state(trace, &|formula, j| rows(formula).get(j))),
            Err(Stopped::Limit(limit)) => Err(GaveUp { engine: "algebraic", limit, instead: &[] }),
        }
    }

    /// The same by the evaluation of section 4.3, which knows what errors are asked for.
    fn state_by_state(&self, trace: &Trace, holds: Holds<'_>) -> Answers {
        let roots = self.automaton.roots();
        let mut outcomes: Vec<Option<Vec<Outcome>>> =
            roots.iter().map(|root| self.sampled.contains(root).then(Vec::new)).collect();
        let mut backward = Backward::new(&self.automaton, trace, holds);
        for position in (0..trace.len).rev() {
            backward.visit(position);
            for (outcomes, root) in outcomes.iter_mut().zip(roots) {
                outcomes.iter_mut().for_each(|outcomes| outcomes.push(backward.held(*root).outcome()));
            }
        }
        let values = roots.iter().map(|&root| backward.held(root).outcome()).collect();
        let samples = |outcomes: Vec<Outcome>| Samples::of_outcomes(outcomes.into_iter().rev());
        let samples = outcomes.into_iter().map(|outcomes| outcomes.map(samples)).collect();
        Answers { values, samples, errors: vec![None; roots.len()] }
    }

    /// The value of a query by forward evaluation.
    pub fn forward(
        automaton: &Algebraic,
        trace: &Trace,
        holds: &dyn Fn(FormulaId, usize) -> bool,
        limits: &Limits,
    ) -> Result<Option<Value>, ForwardError> {
        if trace.len > LONGEST_FORWARD {
            return Err(ForwardError::Limit(Limit::Position(LONGEST_FORWARD)));
        }
        Forward::new(automaton, trace, holds, Budget::new(limits)).value(automaton.roots()[0], 0)
    }
}

/// The value of each root of an automaton on a trace with a state, by the evaluation of section
/// 4.3.
pub fn state_by_state(automaton: &Algebraic, trace: &Trace, holds: &dyn Fn(FormulaId, usize) -> bool) -> Vec<Outcome> {
    let mut backward = Backward::new(automaton, trace, holds);
    for position in (0..trace.len).rev() {
        backward.visit(position);
    }
    automaton.roots().iter().map(|&root| backward.held(root).outcome()).collect()
}
