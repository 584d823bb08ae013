//! Deterministic observers: Giannakopoulou and Havelund, *Automata-Based Verification of Temporal Properties on Running
//! Programs*, sections 5 and 6, and past it.
//!
//! A run is in one state at a time, and a verdict is final at the first position after which that is certain: no accepting state can be
//! reached any more, or no rejecting one. The automaton comes from [`crate::automaton::deterministic`] where it is small: letters are merged into classes
//! that no state tells apart, and a step is a look into a table. Otherwise it is unfolded as far as the trace goes, in
//! memory of bounded size: what a formula *could* need costs nothing.
//!
//! If nothing in the formula counts steps, a letter that repeats makes no difference (section 6.2), and is skipped.

mod dense;
mod lazy;
mod letters;

use super::{Config, Decision, Exactness};
use crate::automaton::deterministic::{Deterministic, Room};
use crate::automaton::progression::{Progression, Rule, Wanted};
use crate::limit::{GaveUp, Limits, Unsupported};
use crate::possible::Knowledge;
use dense::{Dense, TableLimits};
use lazy::Lazy;
use letters::{Blocks, Row};
use std::sync::Arc;
use traceward_logic::formula::{FormulaId, Formulas};
use traceward_logic::letter::{Alphabet, Letters, Proposition};
use traceward_logic::verdict::Verdict;

const ENGINE: &str = "observer";

/// A formula ready to be observed.
#[derive(Clone, Debug)]
pub struct Observer {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    progression: Arc<Progression>,
    dense: Option<Dense>,
    stutter_invariant: bool,
    propositions: Vec<Proposition>,
    /// Whether nothing else is known to be impossible than what is impossible.
    knows_letters: bool,
    config: Config,
}

/// An observer that has got somewhere. A clone goes its own way.
#[derive(Clone, Debug)]
pub struct Run {
    place: Place,
    verdict: Verdict,
    /// The letter that was read last, where it is worth while to know that it repeats.
    row: Option<Row>,
}

#[derive(Clone, Debug)]
enum Place {
    /// A state of the table.
    Dense(dense::SmallState),
    Lazy(Box<Lazy>),
}

/// Something that is owed at the end of what was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Owed {
    /// The formula that has to hold, as text.
    pub formula: String,
    /// How many positions behind the next it begins to be due.
    pub delay: u64,
    /// How many steps it has from then on; none if there is no end.
    pub reach: Option<u64>,
    /// Whether there is no other way to satisfy the formula.
    pub is_necessary: bool,
}

impl Observer {
    /// Prepares a formula with split atoms; `on_empty` tells whether the trace without a state satisfies it, and `knowledge` which
    /// letters there can be.
    pub fn new(
        formulas: &Formulas,
        alphabet: &Alphabet,
        root: FormulaId,
        on_empty: bool,
        knowledge: Knowledge,
        config: Config,
    ) -> Result<Self, Unsupported> {
        let progression = Arc::new(Progression::new(formulas, alphabet, root, on_empty, knowledge.possible)?);
        let Limits { memory, table_states, table_entries, .. } = config.limits;
        let limits = Room { states: table_states, memory: memory / 4 };
        let tables = TableLimits { entries: table_entries.min(memory / 16), memory: memory / 2 };
        let dense = Deterministic::of(&progression, limits).ok().and_then(|automaton| Dense::new(automaton, tables));
        let stutter_invariant = progression.rules.is_stutter_invariant();
        let propositions = match &dense {
            Some(dense) => dense.automaton().relevant(),
            None => mentioned(&progression),
        };
        let knows_letters = knowledge.is_complete;
        let shared = Shared { progression, dense, stutter_invariant, propositions, knows_letters, config };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// The whole automaton, if it is small enough to have been made.
    pub fn automaton(&self) -> Option<&Deterministic> {
        self.shared.dense.as_ref().map(Dense::automaton)
    }

    /// The propositions that matter: whether others hold makes no difference.
    pub fn propositions(&self) -> &[Proposition] {
        &self.shared.propositions
    }

    /// Whether verdicts are final as early as they could be: unless it is not known which letters there can be, or it was allowed to
    /// go on where it takes too long to find out what is certain.
    pub fn is_exact(&self) -> bool {
        let searches = self.shared.dense.is_some() || self.shared.config.exactness == Exactness::Always;
        searches && self.shared.knows_letters
    }

    /// Whether a letter that repeats makes no difference.
    pub fn is_stutter_invariant(&self) -> bool {
        self.shared.stutter_invariant
    }

    /// A run that has seen no state.
    pub fn start(&self) -> Result<Run, GaveUp> {
        let (place, verdict) = match &self.shared.dense {
            Some(dense) => {
                let start = dense.start();
                (Place::Dense(start), dense.verdict(start))
            }
            None => {
                let lazy = Lazy::start(&self.shared.progression, self.shared.config, 0)?;
                let verdict = lazy.verdict();
                (Place::Lazy(Box::new(lazy)), verdict)
            }
        };
        Ok(Run { place, verdict, row: None })
    }

    /// Takes the next state; `holds` tells which propositions do.
    pub fn step(&self, run: &mut Run, holds: &dyn Fn(Proposition) -> bool) -> Result<Verdict, GaveUp> {
        if run.verdict.is_final() {
            return Ok(run.verdict);
        }
        let row = Row::new(&self.shared.propositions, holds);
        match (&mut run.place, &self.shared.dense) {
            // A look into the table takes no longer than to find out that it is needless.
            (Place::Dense(at), Some(dense)) => {
                *at = dense.step(*at, &row);
                run.verdict = dense.verdict(*at);
            }
            (Place::Lazy(_), _) if self.shared.stutter_invariant && run.row.as_ref() == Some(&row) => {}
            (Place::Lazy(lazy), _) => {
                run.verdict = lazy.step(&self.shared.propositions, &row)?;
                run.row = Some(row);
            }
            (Place::Dense(_), None) => unreachable!("a run of another observer"),
        }
        Ok(run.verdict)
    }

    /// What is certain after what a run has seen.
    pub fn verdict(&self, run: &Run) -> Verdict {
        run.verdict
    }

    /// Whether the formula holds on a trace with a state, and at which position that was certain: the least possible.
    pub fn check(&self, letters: &Letters) -> Result<Decision, GaveUp> {
        self.verdict_at_end(letters).map(|(verdict, decided_at)| Decision {
            holds: matches!(verdict, Verdict::Satisfied | Verdict::Holding),
            decided_at,
        })
    }

    /// What is certain at the end of some letters, and at which position it became so if it is final.
    pub fn verdict_at_end(&self, letters: &Letters) -> Result<(Verdict, Option<usize>), GaveUp> {
        let mut run = self.start()?;
        if run.verdict.is_final() {
            return Ok((run.verdict, Some(0)));
        }
        let blocks = Blocks::new(letters, &self.shared.propositions, self.shared.stutter_invariant);
        match (&mut run.place, &self.shared.dense) {
            (Place::Dense(at), Some(dense)) => Ok(dense.run(*at, blocks)),
            (Place::Lazy(lazy), _) => lazy.run(&self.shared.propositions, blocks),
            (Place::Dense(_), None) => unreachable!("a run of another observer"),
        }
    }

    /// What the formula, asked at a position, still owes at the end of some letters; `names` are those of the variables.
    pub fn owed(&self, letters: &Letters, position: usize, names: &[Arc<str>]) -> Result<Vec<Owed>, GaveUp> {
        let Shared { progression, config, .. } = &*self.shared;
        // What makes no difference in the whole automaton may well be looked at on the way.
        let propositions = mentioned(progression);
        let mut lazy = Lazy::start(progression, *config, position)?;
        lazy.run(&propositions, Blocks::new(letters, &propositions, false))?;
        let owed = lazy.owed()?.into_iter().map(|Wanted { owed, holds, is_necessary }| Owed {
            formula: progression.rules.text(owed.part, holds, names),
            delay: u64::from(owed.delay),
            reach: match progression.rules.rule(owed.part) {
                Rule::Until { .. } => owed.reach.steps().map(u64::from),
                _ => Some(0),
            },
            is_necessary,
        });
        Ok(owed.collect())
    }
}

/// The propositions that some rule speaks of.
fn mentioned(progression: &Progression) -> Vec<Proposition> {
    let mut mentioned: Vec<Proposition> = progression
        .rules
        .rules
        .iter()
        .filter_map(|rule| match rule {
            Rule::Proposition(proposition) => Some(*proposition),
            _ => None,
        })
        .collect();
    mentioned.sort_unstable();
    mentioned.dedup();
    mentioned
}
