//! Engines that follow a trace while it grows.

use super::table::Build;
use super::{Config, EngineName};
use crate::automaton::metric::overlapping_delay;
use crate::engine::Exactness;
use crate::engine::follow::{Follower, Numbered, Owed, Prefix, Running};
use crate::limit::{BuildError, Feature, GaveUp, Unsupported};
use crate::prepared::Prepared;
use crate::saved::RestoreError;
use std::sync::Arc;
use traceward_logic::formula::{FormulaId, Formulas, Unit};
use traceward_logic::letter::{Letters, Proposition};

/// The longest delay that observers are asked to follow where it overlaps with others of its kind.
const LONGEST_DELAY: u64 = 10;

fn has_bounds_in_time(formulas: &Formulas, root: FormulaId) -> bool {
    let is_timed = |part: FormulaId| formulas.node(part).interval().is_some_and(|one| one.unit == Unit::Time);
    formulas.parts(&[root]).into_iter().any(is_timed)
}

/// The engine that follows a trace whatever the formula.
const ANY_FORMULA: EngineName = EngineName::Streaming;

/// An engine names another one that takes the formula, which may be of no use while a trace grows.
fn instead_online(error: BuildError) -> BuildError {
    match error {
        BuildError::Unsupported(unsupported) => Unsupported { instead: ANY_FORMULA.name(), ..unsupported }.into(),
        BuildError::GaveUp(_) => error,
    }
}

/// A formula with an engine that follows a trace as it grows.
#[derive(Clone, Debug)]
pub struct Online {
    prepared: Arc<Prepared>,
    index: usize,
    name: EngineName,
    engine: Arc<dyn Follower>,
}

impl Online {
    /// The engine for the formula of an index. Asked to choose, it is an observer, unless that
    /// would be too large or cannot take the formula.
    pub fn new(prepared: &Arc<Prepared>, index: usize, config: &Config) -> Result<Self, BuildError> {
        if config.engine == EngineName::Auto {
            return Self::chosen(prepared, index, config);
        }
        let Some(Build::Follows(build)) = config.engine.build() else {
            let (engine, what) = (config.engine.name(), Feature::GrowingTrace);
            return Err(Unsupported { engine, what, instead: ANY_FORMULA.name() }.into());
        };
        let engine = build(prepared, index, config.of_engines()).map_err(instead_online)?;
        Ok(Self { prepared: prepared.clone(), index, name: config.engine, engine })
    }

    /// An observer if all of its automaton can be made beforehand: then it is exact, and never
    /// grows. All else is followed part by part, which is linear whatever the formula.
    fn chosen(prepared: &Arc<Prepared>, index: usize, config: &Config) -> Result<Self, BuildError> {
        let of = |engine, exactness| Self::new(prepared, index, &Config { engine, exactness, ..*config });
        // Every step of a delay that overlaps with others doubles the states: that is not tried.
        if overlapping_delay(&prepared.formulas, prepared.normal[index]) <= LONGEST_DELAY
            && let Ok(observer) = of(EngineName::Observer, Exactness::WherePossible)
            && observer.engine.is_whole()
        {
            return Ok(observer);
        }
        of(EngineName::Streaming, config.exactness)
    }

    /// The reason in words why an engine was chosen that was not asked for.
    pub fn reason(&self) -> String {
        if self.name == EngineName::Observer && self.is_exact() {
            return "verdicts are final as early as they can be".into();
        }
        if self.name == EngineName::Observer {
            return "verdicts are final as early as can be told without knowing all that values can be".into();
        }
        let (formulas, root) = (&self.prepared.formulas, self.prepared.normal[self.index]);
        match overlapping_delay(formulas, root) {
            _ if has_bounds_in_time(formulas, root) => "it follows the clock, which automata with states cannot".into(),
            0..=LONGEST_DELAY => "a deterministic automaton would be too large".into(),
            delay => format!("delays of {delay} steps overlap, which observers have up to 2^{delay} states for"),
        }
    }

    /// The name of the engine.
    pub fn engine(&self) -> EngineName {
        self.name
    }

    /// Whether the positions at which verdicts are final are the least possible, whatever the
    /// formula.
    pub fn is_exact(&self) -> bool {
        self.engine.is_exact()
    }

    /// The formula, stage by stage, among those that were prepared with it.
    pub fn prepared(&self) -> &Arc<Prepared> {
        &self.prepared
    }

    /// Whether a letter that repeats makes no difference.
    pub fn is_stutter_invariant(&self) -> bool {
        self.engine.is_stutter_invariant()
    }

    /// The propositions that matter: whether others hold makes no difference.
    pub fn propositions(&self) -> Vec<Proposition> {
        let all = || self.prepared.alphabet.atoms().iter().map(|(proposition, _)| *proposition).collect();
        self.engine.propositions().unwrap_or_else(all)
    }

    /// A run that has seen no state.
    pub fn start(&self) -> Result<Box<dyn Running>, GaveUp> {
        self.engine.start()
    }

    /// The engine with runs that are numbers, if each of its runs can be one.
    pub fn numbered(&self) -> Option<&dyn Numbered> {
        self.engine.numbered()
    }

    /// A run that was saved.
    pub fn restore(&self, bytes: &[u8]) -> Result<Box<dyn Running>, RestoreError> {
        self.engine.restore(bytes)
    }

    /// The verdict at the end of a trace that goes on, the position at which it became final, and
    /// what it has cost.
    pub fn verdict_at_end(&self, letters: &Letters) -> Result<Prefix, GaveUp> {
        self.engine.verdict_at_end(letters)
    }

    /// The obligations that the formula, asked at a position, still has at the end of a trace that
    /// goes on, from an engine that can tell.
    pub fn owed(&self, letters: &Letters, position: usize, names: &[Arc<str>]) -> Result<Vec<Owed>, GaveUp> {
        self.engine.owed(letters, position, names)
    }
}
