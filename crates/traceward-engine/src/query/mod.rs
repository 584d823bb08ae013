//! Queries, answered by algebraic alternating automata.
//!
//! All queries of a spec are one automaton ([`crate::automaton::algebraic`]), so that what they
//! share is computed once. It is evaluated backwards: a block of positions at a time (`block`), and
//! state by state (`backward`) where an error stands in the way, or where the paper's tables are
//! wanted. Forward evaluation ([`Queries::forward`]) is the paper's other way, for comparison.

pub mod accumulator;
mod backward;
mod block;
mod demand;
mod forward;
mod held;
pub mod online;
mod save;
mod sketch;
mod table;

pub use forward::{ForwardError, LONGEST as LONGEST_FORWARD};
pub use sketch::{Precision, Sketch};
pub use table::Table;

use crate::automaton::algebraic::{Algebraic, Plain};
use crate::limit::{Budget, GaveUp, Limit, Limits};
use backward::Backward;
use block::{Program, Stopped};
use forward::Forward;
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

/// Queries that are ready to be evaluated.
#[derive(Clone, Debug)]
pub struct Queries {
    automaton: Algebraic,
    program: Program,
}

impl Queries {
    /// Prepares queries over formulas of an arena. Formulas are not translated: where they hold is
    /// asked of the caller.
    pub fn new<'q>(formulas: &Formulas, queries: impl IntoIterator<Item = &'q Query>) -> Self {
        let automaton = Algebraic::new(formulas, queries, Plain::Asserted);
        let program = Program::new(&automaton);
        Self { automaton, program }
    }

    /// The automaton of all queries.
    pub fn automaton(&self) -> &Algebraic {
        &self.automaton
    }

    /// The number of steps that are taken in each block of positions, and the number of collections
    /// among them that are folded over the whole trace.
    pub fn steps(&self) -> (usize, usize) {
        self.program.counts()
    }

    /// The value of each query on a trace with a state, given where formulas hold.
    pub fn values(&self, trace: &Trace, rows: Rows<'_, '_>, limits: &Limits) -> Result<Vec<Outcome>, GaveUp> {
        if self.automaton.roots().is_empty() {
            return Ok(Vec::new());
        }
        let mut budget = Budget::new(&Limits { work: u64::MAX, memory: usize::MAX, ..*limits });
        match self.program.run(&self.automaton, trace, rows, &mut budget) {
            Ok(values) => Ok(values),
            Err(Stopped::Bail) => Ok(state_by_state(&self.automaton, trace, &|formula, j| rows(formula).get(j))),
            Err(Stopped::Limit(limit)) => Err(GaveUp { engine: "algebraic", limit, instead: &[] }),
        }
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
