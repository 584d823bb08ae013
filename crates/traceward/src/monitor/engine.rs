//! The engine that follows a trace state by state: the one place to change when there is a better one.

use std::fmt;
use traceward_engine::engine::breadth_first::{self, BreadthFirst};
use traceward_engine::engine::{GaveUp, Unsupported};
use traceward_engine::select::{Config, EngineName};
use traceward_logic::formula::{FormulaId, Formulas};
use traceward_logic::letter::{Alphabet, Proposition};
use traceward_logic::verdict::Verdict;

/// A formula ready to be followed.
#[derive(Clone, Debug)]
pub(super) struct Engine(BreadthFirst);

/// How far a formula has been followed.
#[derive(Clone)]
pub(super) struct Run {
    cache: breadth_first::Cache,
    run: breadth_first::Run,
}

impl Engine {
    /// Refuses engines that read a trace to its end.
    pub(super) fn choose(config: &Config) -> Result<(), String> {
        match config.engine {
            EngineName::Auto | EngineName::BreadthFirst => Ok(()),
            other => Err(format!("the engine {other} reads a trace to its end; breadth-first can follow one")),
        }
    }

    /// Prepares a formula in negation normal form with split atoms.
    pub(super) fn new(
        formulas: &Formulas,
        alphabet: &Alphabet,
        root: FormulaId,
        config: &Config,
    ) -> Result<Self, Unsupported> {
        BreadthFirst::new(formulas, alphabet, root, config.breadth_first).map(Self)
    }

    pub(super) fn start(&self) -> Run {
        let mut cache = breadth_first::Cache::default();
        let run = self.0.start(&mut cache);
        Run { cache, run }
    }

    /// Takes the next state; `holds` tells which propositions do.
    pub(super) fn step(&self, run: &mut Run, holds: &dyn Fn(Proposition) -> bool) -> Result<Verdict, GaveUp> {
        self.0.step(&mut run.cache, &mut run.run, holds)
    }
}

/// The cache is no news.
impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.run.fmt(f)
    }
}
