//! Engines that tell where formulas hold.

use super::table::Build;
use super::{Config, EngineName};
use crate::engine::offline::{Cache, Offline};
use crate::engine::reverse::Reverse;
use crate::limit::GaveUp;
use crate::prepared::Prepared;
use std::sync::Arc;
use traceward_logic::bitmap::Bitmap;
use traceward_logic::letter::{Batch, Letters};

/// Formulas with an engine that tells where they hold.
#[derive(Clone, Debug)]
pub struct Evaluator {
    prepared: Arc<Prepared>,
    name: EngineName,
    engine: Arc<dyn Offline>,
}

impl Evaluator {
    /// Chooses an engine for all formulas that were prepared: the one that was asked for, if a
    /// report can be made of its rows, and otherwise reverse traversal. That takes every operator,
    /// and nothing reads a file faster. Where only a verdict comes from elsewhere, the rest of the
    /// report is still made of its rows.
    pub fn new(prepared: &Arc<Prepared>, config: &Config) -> Self {
        let indices: Vec<usize> = (0..prepared.normal.len()).collect();
        let (name, engine) = match config.engine.build() {
            Some(Build::Rows(build)) => (config.engine, build(prepared, &indices, config.of_engines())),
            _ => (EngineName::Reverse, Arc::new(Reverse::compile(prepared, &indices, config.of_engines())) as _),
        };
        Self { prepared: prepared.clone(), name, engine }
    }

    /// The engine that was chosen.
    pub fn engine(&self) -> EngineName {
        self.name
    }

    /// The reason for the choice, in words.
    pub fn reason(&self) -> &'static str {
        match self.name {
            EngineName::Reverse => {
                "takes every operator, and is linear in formula and trace when the trace is in a file"
            }
            _ => "the definition itself; quadratic in the trace, for small traces and for comparison",
        }
    }

    /// The formulas, stage by stage.
    pub fn prepared(&self) -> &Arc<Prepared> {
        &self.prepared
    }

    /// The positions at which each formula holds, on letters with a state.
    pub fn truth<'c>(&self, cache: &'c mut Cache, letters: &Letters) -> Result<Vec<&'c Bitmap>, GaveUp> {
        self.engine.truth(cache, letters)
    }

    /// The same for traces that stand one behind the other, each judged by itself; none if the
    /// engine takes traces only one by one.
    pub fn truth_of_batch<'c>(&self, cache: &'c mut Cache, batch: &Batch) -> Option<Vec<&'c Bitmap>> {
        self.engine.truth_of_batch(cache, batch)
    }
}
