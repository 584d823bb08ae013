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
    /// One engine for each formula.
    Offline(Vec<Arc<dyn Offline>>),
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

/// The error of one of several formulas.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OfFormula<E> {
    /// The place of the formula among those that were asked.
    pub formula: usize,
    /// The error.
    pub error: E,
}

/// Asks for each of some formulas, up to the first error.
fn each<A, T, E>(asked: &[A], one: impl Fn(&A) -> Result<T, E>) -> Result<Vec<T>, OfFormula<E>> {
    let place = |(formula, asked)| one(asked).map_err(|error| OfFormula { formula, error });
    asked.iter().enumerate().map(place).collect()
}

impl Judge {
    /// The engine for the formulas of these indices, if the configuration asks for one of this
    /// kind.
    pub fn new(prepared: &Prepared, indices: &[usize], config: &Config) -> Result<Option<Self>, OfFormula<BuildError>> {
        let engine = match config.engine.build() {
            None | Some(Build::Rows(_)) => return Ok(None),
            Some(Build::Verdicts(build)) => {
                let one = |index: &usize| build(prepared, &[*index], config.of_engines());
                Judging::Offline(indices.iter().map(one).collect())
            }
            Some(Build::Follows(build)) => {
                Judging::Followers(each(indices, |&index| build(prepared, index, config.of_engines()))?)
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
    pub fn decide(&self, letters: &Letters) -> Result<Vec<Ruling>, OfFormula<GaveUp>> {
        match &self.engine {
            Judging::Offline(engines) => each(engines, |engine| {
                let decision = engine.decide(letters)?[0];
                Ok(Ruling { decision, statistics: None })
            }),
            Judging::Followers(engines) => each(engines, |engine| {
                let end = engine.verdict_at_end(letters)?;
                Ok(Ruling { decision: end.decision(), statistics: end.statistics })
            }),
        }
    }

    /// The positions at which each formula holds, from an engine that can tell.
    pub fn truth(&self, letters: &Letters) -> Result<Option<Vec<Bitmap>>, OfFormula<GaveUp>> {
        match &self.engine {
            Judging::Offline(engines) => {
                each(engines, |engine| Ok(engine.truth(&mut Cache::default(), letters)?[0].clone())).map(Some)
            }
            Judging::Followers(_) => Ok(None),
        }
    }
}
