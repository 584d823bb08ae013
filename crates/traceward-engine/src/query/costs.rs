//! The costs of evaluating queries, before there is a trace.

use super::Queries;
use super::block::{BLOCK, Step};
use crate::automaton::algebraic::Collector;
use crate::automaton::metric::{Magnitude, Statement};
use crate::select::{MostNeeded, SpaceUnit};
use traceward_logic::ast::Aggregate;
use traceward_logic::query::FoldOrder;

/// The number of positions whose values are found together.
pub const POSITIONS_OF_BLOCK: usize = BLOCK;

/// The steps in which queries are evaluated, counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct StepCounts {
    /// Parts with a value at every position.
    pub registers: usize,
    /// Those of them that are collections.
    pub running: usize,
    /// Collections that are asked only at position 0, and are summarised in the end.
    pub folded: usize,
    /// Formulas whose truth at every position is found out before.
    pub formulas: usize,
    /// Queries whose values at all positions are kept.
    pub sampled: usize,
}

impl Queries {
    /// The number of steps of each kind.
    pub fn step_counts(&self) -> StepCounts {
        let mut counts = StepCounts {
            formulas: self.automaton.assertions().len(),
            sampled: self.sampled.len(),
            ..StepCounts::default()
        };
        for step in self.program.steps() {
            match step {
                Step::Part(_) | Step::Until { .. } => counts.registers += 1,
                Step::Running { .. } => {
                    counts.registers += 1;
                    counts.running += 1;
                }
                Step::Folded { .. } => counts.folded += 1,
            }
        }
        counts
    }

    /// The most that the evaluation of the automaton can need for so many states.
    pub fn most_needed(&self, states: usize) -> MostNeeded {
        let states = states.max(1) as f64;
        let register = states.min(BLOCK as f64);
        let mut space = states * self.sampled.len() as f64;
        let mut time = states * self.sampled.len() as f64;
        for step in self.program.steps() {
            let (values, steps) = match step {
                Step::Part(_) | Step::Until { .. } => (register, states),
                Step::Running { collector, .. } => {
                    (register + kept(collector, states), states * again(collector, states))
                }
                Step::Folded { collector, .. } => (kept(collector, states), states),
            };
            space += values;
            time += steps;
        }
        most(space, time)
    }

    /// The most that the definition can need: every part may look at all positions from each on.
    pub fn most_needed_by_definition(&self, states: usize) -> MostNeeded {
        let (states, parts) = (states.max(1) as f64, self.automaton.parts().len().max(1) as f64);
        most(parts * states, parts * states * states)
    }
}

fn most(space: f64, time: f64) -> MostNeeded {
    let counted =
        |number: f64, formula| Statement { name: "counted", formula, allows: Magnitude::new(number.max(1.0)) };
    MostNeeded { unit: SpaceUnit::Values, space: counted(space, "values kept"), time: counted(time, "steps taken") }
}

/// The number of values that a collection keeps.
fn kept(collector: &Collector, states: f64) -> f64 {
    match collector {
        Collector::Aggregate(
            Aggregate::Quantile(_)
            | Aggregate::Median
            | Aggregate::Histogram(_)
            | Aggregate::Mode
            | Aggregate::Distinct,
        )
        | Collector::Fold { order: FoldOrder::Forward, .. } => states,
        _ => 1.0,
    }
}

/// The steps for the summary of a collection at one position.
fn again(collector: &Collector, states: f64) -> f64 {
    match collector {
        Collector::Aggregate(Aggregate::Quantile(_) | Aggregate::Median) => states.log2().ceil().max(1.0),
        Collector::Aggregate(Aggregate::Histogram(_)) | Collector::Fold { order: FoldOrder::Forward, .. } => states,
        _ => 1.0,
    }
}
