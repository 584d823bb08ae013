//! Engines that tell whether formulas hold, and not where.

use super::{Config, EngineName, Prepared};
use crate::engine::breadth_first::{self, BreadthFirst};
use crate::engine::depth_first::{self, DepthFirst};
use crate::engine::observer::Observer;
use crate::engine::tableau::{self, Tableau};
use crate::engine::{BuildError, Decision, GaveUp};
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
    BreadthFirst(Vec<BreadthFirst>),
    Tableau(Vec<Tableau>),
    Observer(Vec<Observer>),
}

impl Judge {
    /// The engine for these formulas, if the configuration asks for one of this kind.
    pub fn new(formulas: &Formulas, roots: &[FormulaId], config: Config) -> Result<Option<Self>, BuildError> {
        let prepared = Prepared::new(formulas, roots, config.simplification);
        let Prepared { formulas, alphabet, normal, .. } = &prepared;
        let engine = match config.engine {
            EngineName::DepthFirst => {
                Traversal::DepthFirst(DepthFirst::new(formulas, alphabet, normal, config.depth_first)?)
            }
            EngineName::BreadthFirst => {
                let one = |root: &FormulaId| BreadthFirst::new(formulas, alphabet, *root, config.breadth_first);
                Traversal::BreadthFirst(normal.iter().map(one).collect::<Result<_, _>>()?)
            }
            EngineName::Tableau => {
                let one = |index| prepared.tableau(index, config.tableau);
                Traversal::Tableau((0..roots.len()).map(one).collect::<Result<_, _>>()?)
            }
            EngineName::Observer => {
                let one = |index| prepared.observer(index, config.observer);
                Traversal::Observer((0..roots.len()).map(one).collect::<Result<_, _>>()?)
            }
            EngineName::Auto | EngineName::Naive | EngineName::Reverse => return Ok(None),
        };
        Ok(Some(Self { prepared, engine }))
    }

    /// The engine.
    pub fn engine(&self) -> EngineName {
        match self.engine {
            Traversal::DepthFirst(_) => EngineName::DepthFirst,
            Traversal::BreadthFirst(_) => EngineName::BreadthFirst,
            Traversal::Tableau(_) => EngineName::Tableau,
            Traversal::Observer(_) => EngineName::Observer,
        }
    }

    /// What the engine has made of the first formula, in words.
    pub fn summary(&self) -> Option<String> {
        match &self.engine {
            Traversal::DepthFirst(_) | Traversal::BreadthFirst(_) => None,
            Traversal::Tableau(engines) => {
                let states = engines.first()?.automaton().states().len();
                Some(format!("a non-deterministic automaton of {states} states"))
            }
            Traversal::Observer(engines) => Some(match engines.first()?.automaton() {
                Some(automaton) => format!("a minimal deterministic automaton of {} states", automaton.states().len()),
                None => "a deterministic automaton that is unfolded as far as the trace goes".into(),
            }),
        }
    }

    /// Whether the position at which the verdict on a formula is final is the least possible.
    pub fn is_exact(&self, formula: usize) -> bool {
        matches!(&self.engine, Traversal::Observer(engines) if engines[formula].is_exact())
    }

    /// Whether each formula holds on a trace with a state whose expressions can be evaluated.
    pub fn decide(&self, trace: &Trace) -> Result<Vec<Decision>, GaveUp> {
        let letters = letter::letters(&self.prepared.formulas, &self.prepared.alphabet, trace);
        match &self.engine {
            Traversal::DepthFirst(engine) => {
                let holds = engine.check(&mut depth_first::Cache::default(), &letters)?;
                Ok(holds.into_iter().map(|holds| Decision { holds, decided_at: None }).collect())
            }
            Traversal::BreadthFirst(engines) => {
                engines.iter().map(|engine| engine.check(&mut breadth_first::Cache::default(), &letters)).collect()
            }
            Traversal::Tableau(engines) => {
                Ok(engines.iter().map(|engine| engine.check(&mut tableau::Cache::default(), &letters)).collect())
            }
            Traversal::Observer(engines) => engines.iter().map(|engine| engine.check(&letters)).collect(),
        }
    }

    /// Where each formula holds, from an engine that can tell.
    pub fn truth(&self, trace: &Trace) -> Result<Option<Vec<Bitmap>>, GaveUp> {
        let letters = letter::letters(&self.prepared.formulas, &self.prepared.alphabet, trace);
        match &self.engine {
            Traversal::DepthFirst(engine) => engine.truth(&mut depth_first::Cache::default(), &letters).map(Some),
            Traversal::BreadthFirst(_) | Traversal::Tableau(_) | Traversal::Observer(_) => Ok(None),
        }
    }
}
