//! Engines that tell whether formulas hold, and not where.

use super::follow::Follower;
use super::{Config, EngineName, Prepared};
use crate::engine::depth_first::{self, DepthFirst};
use crate::engine::observer::Observer;
use crate::engine::{Decision, EngineStatistics};
use crate::limit::{BuildError, GaveUp};
use std::sync::Arc;
use traceward_logic::bitmap::Bitmap;
use traceward_logic::formula::{FormulaId, Formulas};
use traceward_logic::letter;
use traceward_logic::trace::Trace;

/// An engine that tells whether formulas hold at position 0, and not where else.
#[derive(Clone, Debug)]
pub struct Judge {
    prepared: Prepared,
    engine: Traversal,
}

#[derive(Clone, Debug)]
enum Traversal {
    DepthFirst(DepthFirst),
    Observer(Vec<Observer>),
    Follower(EngineName, Vec<Arc<dyn Follower>>),
}

/// What an engine found out about a formula.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Judged {
    /// Its verdict.
    pub decision: Decision,
    /// What that has cost at its most, if the engine knows.
    pub statistics: Option<EngineStatistics>,
}

impl Judge {
    /// The engine for these formulas, if the configuration asks for one of this kind.
    pub fn new(formulas: &Formulas, roots: &[FormulaId], config: Config) -> Result<Option<Self>, BuildError> {
        let prepared = Prepared::new(formulas, roots, config.simplification);
        let Prepared { formulas, alphabet, normal, .. } = &prepared;
        let engine = match config.engine {
            EngineName::Auto | EngineName::Naive | EngineName::Reverse => return Ok(None),
            EngineName::DepthFirst => {
                Traversal::DepthFirst(DepthFirst::new(formulas, alphabet, normal, config.of_engines()))
            }
            EngineName::Observer => {
                let one = |index| prepared.observer(index, config.of_engines());
                Traversal::Observer((0..roots.len()).map(one).collect::<Result<_, _>>()?)
            }
            name => {
                let one = |index| prepared.follower(index, &config).transpose();
                Traversal::Follower(name, (0..roots.len()).filter_map(one).collect::<Result<_, _>>()?)
            }
        };
        Ok(Some(Self { prepared, engine }))
    }

    /// The engine.
    pub fn engine(&self) -> EngineName {
        match self.engine {
            Traversal::DepthFirst(_) => EngineName::DepthFirst,
            Traversal::Observer(_) => EngineName::Observer,
            Traversal::Follower(name, _) => name,
        }
    }

    /// What the engine has made of the first formula, in words.
    pub fn summary(&self) -> Option<String> {
        match &self.engine {
            Traversal::DepthFirst(_) => None,
            Traversal::Observer(engines) => Some(match engines.first()?.automaton() {
                Some(automaton) => format!("a minimal deterministic automaton of {} states", automaton.states().len()),
                None => "a deterministic automaton that is unfolded as far as the trace goes".into(),
            }),
            Traversal::Follower(_, engines) => engines.first()?.summary(),
        }
    }

    /// Whether the position at which the verdict on a formula is final is the least possible.
    pub fn is_exact(&self, formula: usize) -> bool {
        matches!(&self.engine, Traversal::Observer(engines) if engines[formula].is_exact())
    }

    /// Whether each formula holds on a trace with a state whose expressions can be evaluated.
    pub fn decide(&self, trace: &Trace) -> Result<Vec<Judged>, GaveUp> {
        let letters = letter::letters(&self.prepared.formulas, &self.prepared.alphabet, trace);
        let alone = |decision| Judged { decision, statistics: None };
        match &self.engine {
            Traversal::DepthFirst(engine) => {
                let holds = engine.check(&mut depth_first::Cache::default(), &letters)?;
                Ok(holds.into_iter().map(|holds| alone(Decision { holds, decided_at: None })).collect())
            }
            Traversal::Observer(engines) => engines.iter().map(|engine| engine.check(&letters).map(alone)).collect(),
            Traversal::Follower(_, engines) => {
                let one = |engine: &Arc<dyn Follower>| {
                    let (decision, statistics) = engine.check(&letters)?;
                    Ok(Judged { decision, statistics })
                };
                engines.iter().map(one).collect()
            }
        }
    }

    /// Where each formula holds, from an engine that can tell.
    pub fn truth(&self, trace: &Trace) -> Result<Option<Vec<Bitmap>>, GaveUp> {
        let letters = letter::letters(&self.prepared.formulas, &self.prepared.alphabet, trace);
        match &self.engine {
            Traversal::DepthFirst(engine) => engine.truth(&mut depth_first::Cache::default(), &letters).map(Some),
            Traversal::Observer(_) | Traversal::Follower(..) => Ok(None),
        }
    }
}
