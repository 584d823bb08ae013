//! Engines that follow a trace while it grows.

use super::follow::{Follower, Place};
use super::{Config, EngineName, Prepared};
use crate::automaton::metric::{Sublogic, overlapping_delay, sublogic};
use crate::engine::observer::{self, Observer, Owed};
use crate::engine::{self, EngineStatistics, Exactness};
use crate::limit::{BuildError, Feature, GaveUp, Unsupported};
use std::sync::Arc;
use traceward_logic::formula::{FormulaId, Formulas};
use traceward_logic::letter::{self, Proposition};
use traceward_logic::trace::Trace;
use traceward_logic::verdict::Verdict;

/// The longest delay that observers are asked to follow where it overlaps with others of its kind: they have twice the
/// states for every step of it. What generic needs is polynomial in the constants, but for BTL, so there it has to be hopeless.
fn longest_delay(prepared: &Prepared) -> u64 {
    match sublogic(&prepared.formulas, prepared.normal[0]) {
        Some(Sublogic::Ltl | Sublogic::Fbtl | Sublogic::Sbtl) => 10,
        Some(Sublogic::Btl) => 14,
        // Generic does not take bounds in time.
        None => u64::MAX,
    }
}

/// A formula with an engine that follows a trace as it grows.
#[derive(Clone, Debug)]
pub struct Online {
    prepared: Prepared,
    engine: OnlineEngine,
}

#[derive(Clone, Debug)]
enum OnlineEngine {
    Observer(Observer),
    Follower(Arc<dyn Follower>),
}

/// What is certain at the end of a trace that goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Prefix {
    /// The verdict.
    pub verdict: Verdict,
    /// The position at which it became final.
    pub decided_at: Option<usize>,
    /// What finding out has cost at its most, if the engine knows.
    pub statistics: Option<EngineStatistics>,
}

/// How far an [`Online`] engine has got. A clone goes its own way.
#[derive(Clone, Debug)]
pub struct OnlineRun(OnlinePlace);

#[derive(Clone, Debug)]
enum OnlinePlace {
    Observer(observer::Run),
    Follower(Box<dyn Place>),
}

impl Online {
    /// The engine for a formula. Asked to choose, it is an observer, unless that would be too large.
    pub fn new(formulas: &Formulas, root: FormulaId, config: Config) -> Result<Self, BuildError> {
        let prepared = Prepared::new(formulas, &[root], config.simplification);
        let engine = match config.engine {
            EngineName::Auto => Self::chosen(&prepared, config)?,
            EngineName::Observer => OnlineEngine::Observer(prepared.observer(0, config.of_engines())?),
            name => match prepared.follower(0, &config)? {
                Some(follower) => OnlineEngine::Follower(follower),
                None => {
                    let what = Feature::GrowingTrace;
                    return Err(Unsupported { engine: name.name(), what, instead: "observer" }.into());
                }
            },
        };
        Ok(Self { prepared, engine })
    }

    /// An observer that is exact wherever that can be found out; or generic, where observers would be too large or refuse.
    fn chosen(prepared: &Prepared, config: Config) -> Result<OnlineEngine, BuildError> {
        let generic = || {
            let config = Config { engine: EngineName::Generic, ..config };
            prepared.follower(0, &config).ok().flatten().map(OnlineEngine::Follower)
        };
        if overlapping_delay(&prepared.formulas, prepared.normal[0]) > longest_delay(prepared)
            && let Some(generic) = generic()
        {
            return Ok(generic);
        }
        let config = engine::Config { exactness: Exactness::WherePossible, ..config.of_engines() };
        match prepared.observer(0, config) {
            Ok(observer) => Ok(OnlineEngine::Observer(observer)),
            Err(unsupported) => generic().ok_or_else(|| unsupported.into()),
        }
    }

    /// Why an engine was chosen that was not asked for, in words.
    pub fn reason(&self) -> String {
        match &self.engine {
            OnlineEngine::Observer(_) => "verdicts are final as early as they can be".into(),
            OnlineEngine::Follower(_) => match overlapping_delay(&self.prepared.formulas, self.prepared.normal[0]) {
                0 => "its bounds are too large for an observer".into(),
                delay => format!("delays of {delay} steps overlap, which observers have up to 2^{delay} states for"),
            },
        }
    }

    /// The engine.
    pub fn engine(&self) -> EngineName {
        match &self.engine {
            OnlineEngine::Observer(_) => EngineName::Observer,
            OnlineEngine::Follower(follower) => follower.name(),
        }
    }

    /// Whether the positions at which verdicts are final are the least possible, whatever the formula.
    pub fn is_exact(&self) -> bool {
        match &self.engine {
            OnlineEngine::Observer(observer) => observer.is_exact(),
            OnlineEngine::Follower(_) => false,
        }
    }

    /// The formula, stage by stage.
    pub fn prepared(&self) -> &Prepared {
        &self.prepared
    }

    /// Whether a letter that repeats makes no difference.
    pub fn is_stutter_invariant(&self) -> bool {
        match &self.engine {
            OnlineEngine::Observer(observer) => observer.is_stutter_invariant(),
            OnlineEngine::Follower(_) => false,
        }
    }

    /// The propositions that matter: whether others hold makes no difference.
    pub fn propositions(&self) -> Vec<Proposition> {
        match &self.engine {
            OnlineEngine::Observer(observer) => observer.propositions().to_vec(),
            OnlineEngine::Follower(_) => (0..self.prepared.alphabet.atoms().len() as u32).map(Proposition).collect(),
        }
    }

    /// A run that has seen no state.
    pub fn start(&self) -> Result<OnlineRun, GaveUp> {
        Ok(OnlineRun(match &self.engine {
            OnlineEngine::Observer(observer) => OnlinePlace::Observer(observer.start()?),
            OnlineEngine::Follower(follower) => OnlinePlace::Follower(follower.start()),
        }))
    }

    /// Takes the next state; `holds` tells which propositions do.
    ///
    /// # Panics
    /// If the run is one of another engine.
    pub fn step(&self, run: &mut OnlineRun, holds: &dyn Fn(Proposition) -> bool) -> Result<Verdict, GaveUp> {
        match (&self.engine, &mut run.0) {
            (OnlineEngine::Observer(observer), OnlinePlace::Observer(run)) => observer.step(run, holds),
            (OnlineEngine::Follower(follower), OnlinePlace::Follower(place)) => follower.step(&mut **place, holds),
            _ => panic!("a run of another engine"),
        }
    }

    /// What is certain after what a run has seen.
    ///
    /// # Panics
    /// If the run is one of another engine.
    pub fn verdict(&self, run: &OnlineRun) -> Verdict {
        match (&self.engine, &run.0) {
            (OnlineEngine::Observer(observer), OnlinePlace::Observer(run)) => observer.verdict(run),
            (OnlineEngine::Follower(follower), OnlinePlace::Follower(place)) => follower.verdict(&**place),
            _ => panic!("a run of another engine"),
        }
    }

    /// What a run has cost at its most, if the engine knows.
    pub fn statistics(&self, run: &OnlineRun) -> Option<EngineStatistics> {
        match (&self.engine, &run.0) {
            (OnlineEngine::Follower(follower), OnlinePlace::Follower(place)) => follower.statistics(&**place),
            _ => None,
        }
    }

    /// What is certain at the end of a trace that goes on, at which position it became so if it is final, and what that has
    /// cost.
    pub fn verdict_at_end(&self, trace: &Trace) -> Result<Prefix, GaveUp> {
        let letters = letter::letters(&self.prepared.formulas, &self.prepared.alphabet, trace);
        if let OnlineEngine::Observer(observer) = &self.engine {
            let (verdict, decided_at) = observer.verdict_at_end(&letters)?;
            return Ok(Prefix { verdict, decided_at, statistics: None });
        }
        let mut run = self.start()?;
        for position in 0..letters.len {
            let verdict = self.step(&mut run, &|proposition| letters.bitmap(proposition).get(position))?;
            if verdict.is_final() {
                let statistics = self.statistics(&run);
                return Ok(Prefix { verdict, decided_at: Some(position), statistics });
            }
        }
        Ok(Prefix { verdict: self.verdict(&run), decided_at: None, statistics: self.statistics(&run) })
    }

    /// What the formula, asked at a position, still owes at the end of a trace that goes on, from an engine that can tell.
    pub fn owed(&self, trace: &Trace, position: usize, names: &[Arc<str>]) -> Result<Vec<Owed>, GaveUp> {
        let OnlineEngine::Observer(observer) = &self.engine else { return Ok(Vec::new()) };
        observer.owed(&letter::letters(&self.prepared.formulas, &self.prepared.alphabet, trace), position, names)
    }
}
