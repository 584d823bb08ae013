//! The choice of the engine that answers: the only place that knows all engines.

mod costs;
mod evaluator;
mod judge;
mod online;
mod table;
mod walkthrough;

pub use crate::engine::follow::{Due, Numbered, Owed, Prefix, RunNumber, Running, Step};
pub use crate::engine::offline::Cache;
use crate::engine::{EngineConfig, Exactness, Memory, Subsumption};
use crate::limit::Limits;
pub use crate::prepared::{Prepared, Simplification};
use crate::query::Precision;
pub use costs::{EngineCost, MostNeeded, Refused, SpaceUnit, engine_costs};
pub use evaluator::Evaluator;
pub use judge::{Judge, OfFormula, Ruling};
pub use online::Online;
pub use table::EngineName;
pub use walkthrough::Walk;

/// The settings by which questions are answered.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Config {
    /// The engine that answers.
    pub engine: EngineName,
    /// The choice whether formulas are simplified first.
    pub simplification: Simplification,
    /// The parts of an engine's state that are dropped because another part asks for the same.
    pub subsumption: Subsumption,
    /// The successors that breadth-first traversal remembers from one step to the next.
    pub memory: Memory,
    /// The behaviour of an observer that would take too long to find out what is certain.
    pub exactness: Exactness,
    /// The work and the memory that engines may take.
    pub limits: Limits,
    /// How exact summaries are that need all values; if it is not said, those of a trace that has
    /// ended are exact, and those of one that goes on are up to [`Precision::BEYOND`] values.
    pub precision: Option<Precision>,
}

impl Config {
    /// The part of the settings that engines need to know.
    fn of_engines(&self) -> EngineConfig {
        let Self { subsumption, memory, exactness, limits, .. } = *self;
        EngineConfig { subsumption, memory, exactness, limits }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_have_names() {
        for engine in EngineName::ALL {
            assert_eq!(engine.to_string().parse(), Ok(*engine));
        }
        assert!("revers".parse::<EngineName>().unwrap_err().contains("reverse"));
    }
}
