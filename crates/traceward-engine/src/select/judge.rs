//! Engines that tell whether formulas hold, and not where.

use super::table::Build;
use super::{Config, EngineName};
use crate::engine::follow::Follower;
use crate::engine::offline::{Cache, Offline};
use crate::engine::{Decision, EngineStatistics};
use crate::limit::{BuildError, GaveUp};
use crate::prepared::Prepared;
use std::sync::Arc;
use traceward_logic::bitmap::Bitmap;
use traceward_logic::letter::Letters;

/// An engine that tells whether formulas hold at position 0, and not where else.
#[derive(Clone, Debug)]
pub struct Judge {
    name: EngineName,
    engine: Judging,
}

#[derive(Clone, Debug)]
enum Judging {
    /// One engine for all formulas.
    Offline(Arc<dyn Offline>),
    /// One engine for each formula.
    Followers(Vec<Arc<dyn Follower>>),
}

/// The answer of a [`Judge`] for one formula.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ruling {
    /// The verdict on the formula.
    pub decision: Decision,
    /// The highest cost of the verdict, if the engine knows it.
    pub statistics: Option<EngineStatistics>,
}

impl Judge {
    /// The engine for the formulas of these indices, if the configuration asks for one of this
    /// kind.
    pub fn new(prepared: &Prepared, indices: &[usize], config: &Config) -> Result<Option<Self>, BuildError> {
        let engine = match config.engine.build() {
            None | Some(Build::Rows(_)) => return Ok(None),
            Some(Build::Verdicts(build)) => Judging::Offline(build(prepared, indices, config.of_engines())),
            Some(Build::Follows(build)) => {
                let one = |&index: &usize| build(prepared, index, config.of_engines());
                Judging::Followers(indices.iter().map(one).collect::<Result<_, _>>()?)
            }
        };
        Ok(Some(Self { name: config.engine, engine }))
    }

    /// The name of the engine.
    pub fn engine(&self) -> EngineName {
        self.name
    }

    /// A description in words of what the engine has made of the first formula.
    pub fn summary(&self) -> Option<String> {
        match &self.engine {
            Judging::Offline(_) => None,
            Judging::Followers(engines) => engines.first()?.summary(),
        }
    }

    /// Whether the position at which the verdict on a formula is final is the least possible.
    pub fn is_exact(&self, formula: usize) -> bool {
        matches!(&self.engine, Judging::Followers(engines) if engines[formula].is_exact())
    }

    /// Whether each formula holds on letters with a state.
    pub fn decide(&self, letters: &Letters) -> Result<Vec<Ruling>, GaveUp> {
        match &self.engine {
            Judging::Offline(engine) => {
                let decisions = engine.decide(letters)?.into_iter();
                Ok(decisions.map(|decision| Ruling { decision, statistics: None }).collect())
            }
            Judging::Followers(engines) => {
                let one = |engine: &Arc<dyn Follower>| {
                    let end = engine.verdict_at_end(letters)?;
                    Ok(Ruling { decision: end.decision(), statistics: end.statistics })
                };
                engines.iter().map(one).collect()
            }
        }
    }

    /// The positions at which each formula holds, from an engine that can tell.
    pub fn truth(&self, letters: &Letters) -> Result<Option<Vec<Bitmap>>, GaveUp> {
        match &self.engine {
            Judging::Offline(engine) => {
                Ok(Some(engine.truth(&mut Cache::default(), letters)?.into_iter().cloned().collect()))
            }
            Judging::Followers(_) => Ok(None),
        }
    }
}
