//! Deterministic observers: Giannakopoulou and Havelund, *Automata-Based Verification of Temporal
//! Properties on Running Programs*, sections 5 and 6, and past it.
//!
//! A run is in one state at a time, and a verdict is final at the first position after which that
//! is certain: no accepting state can be reached any more, or no rejecting one. The automaton comes
//! from [`crate::automaton::deterministic`] where it is small: letters are merged into classes that
//! no state tells apart, and a step is a look into a table. Otherwise it is unfolded as far as the
//! trace goes, in memory of bounded size: what a formula *could* need costs nothing.
//!
//! If nothing in the formula counts steps, a letter that repeats makes no difference (section 6.2),
//! and is skipped.

mod dense;
mod lazy;
mod letters;
mod show;

use super::follow::{Due, Follow, Numbered, Owed, Prefix, RunNumber, Step};
use super::walkthrough::{Content, Guide, HeldState, Stage, WalkthroughError};
use super::{EngineConfig, Exactness};
use crate::automaton::deterministic::{Deterministic, Room};
use crate::automaton::progression::{OwedEvent, Progression, Rule};
use crate::limit::{BuildError, GaveUp, Limits};
use crate::possible::{Knowledge, Possible};
use crate::prepared::Prepared;
use crate::saved::{Reader, RestoreError, Writer};
use dense::{Dense, TableLimits};
use lazy::Lazy;
use letters::{Blocks, LetterBits};
use std::sync::Arc;
use traceward_logic::formula::Formulas;
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
    dense: Option<Arc<Dense>>,
    /// The table by itself, for runs that are states of it and nothing else.
    table: Option<Table>,
    stutter_invariant: bool,
    propositions: Vec<Proposition>,
    /// Whether every letter that is not ruled out can occur in some trace. Only then is an early
    /// verdict given at the first position at which it is certain.
    knows_letters: bool,
    config: EngineConfig,
}

/// A table with the propositions of its letters. A run is a state.
#[derive(Debug)]
struct Table {
    dense: Arc<Dense>,
    propositions: Vec<Proposition>,
}

impl Numbered for Table {
    fn start(&self) -> RunNumber {
        RunNumber::new(self.dense.start().index() as u32)
    }

    #[inline]
    fn step(&self, run: RunNumber, step: Step<'_>) -> RunNumber {
        let row = LetterBits::new(&self.propositions, step.letter);
        let next = self.dense.step(self.dense.state(run.number() as usize), &row);
        RunNumber::new(next.index() as u32)
    }

    #[inline]
    fn verdict(&self, run: RunNumber) -> Verdict {
        self.dense.verdict(self.dense.state(run.number() as usize))
    }

    fn restored(&self, number: u32) -> Option<RunNumber> {
        ((number as usize) < self.dense.automaton().states().len()).then(|| RunNumber::new(number))
    }
}

/// A run of an observer. A clone goes on by itself.
#[derive(Clone, Debug)]
pub struct Run {
    state: ObserverState,
    verdict: Verdict,
    /// The letter that was read last, where it is worthwhile to know that it repeats.
    row: Option<LetterBits>,
}

#[derive(Clone, Debug)]
enum ObserverState {
    /// The run is in this state of the table.
    Dense(Arc<Dense>, dense::SmallState),
    Lazy(Box<Lazy>),
}

impl Observer {
    /// An observer whose propositions may hold in any combination, whatever their expressions say.
    pub fn of_any_letters(prepared: &Prepared, index: usize, config: EngineConfig) -> Result<Self, BuildError> {
        Self::of(prepared, index, &prepared.formulas, Knowledge::INDEPENDENT, config)
    }

    fn of(
        prepared: &Prepared,
        index: usize,
        formulas: &Formulas,
        knowledge: Knowledge,
        config: EngineConfig,
    ) -> Result<Self, BuildError> {
        let (root, on_empty) = (prepared.simplified[index], prepared.holds_on_empty(index));
        let progression = Progression::new(formulas, &prepared.alphabet, root, on_empty, knowledge.possible)?;
        Ok(Self::new(progression, knowledge.is_complete, config))
    }

    fn new(progression: Progression, knows_letters: bool, config: EngineConfig) -> Self {
        let progression = Arc::new(progression);
        let Limits { memory, table_states, table_entries, work, interrupt, .. } = config.limits;
        let limits = Room { states: table_states, memory: memory / 4, work: work / 4, interrupt };
        let tables = TableLimits { entries: table_entries.min(memory / 16), memory: memory / 2 };
        let dense = Deterministic::of(&progression, limits)
            .ok()
            .and_then(|automaton| Dense::new(automaton, tables))
            .map(Arc::new);
        let stutter_invariant = progression.rules.is_stutter_invariant();
        let propositions = match &dense {
            Some(dense) => dense.automaton().relevant(),
            None => mentioned(&progression),
        };
        let table = dense.as_ref().map(|dense| Table { dense: dense.clone(), propositions: propositions.clone() });
        let shared = Shared { progression, dense, table, stutter_invariant, propositions, knows_letters, config };
        Self { shared: Arc::new(shared) }
    }

    /// The whole automaton, if it is small enough to have been made.
    pub fn automaton(&self) -> Option<&Deterministic> {
        self.shared.dense.as_ref().map(|dense| dense.automaton())
    }
}

impl Run {
    fn at(state: ObserverState) -> Self {
        let verdict = match &state {
            ObserverState::Dense(dense, at) => dense.verdict(*at),
            ObserverState::Lazy(lazy) => lazy.verdict(),
        };
        Self { state, verdict, row: None }
    }
}

impl Follow for Observer {
    type Run = Run;
    const NAME: &'static str = ENGINE;

    fn compile(prepared: &Prepared, index: usize, config: EngineConfig) -> Result<Self, BuildError> {
        let root = prepared.simplified[index];
        let mut formulas = prepared.formulas.clone();
        let knowledge = Possible::new(&formulas, &Alphabet::of(&formulas, &[root])).knowledge(&mut formulas);
        Self::of(prepared, index, &formulas, knowledge, config)
    }

    fn start(&self) -> Result<Run, GaveUp> {
        Ok(Run::at(match &self.shared.dense {
            Some(dense) => ObserverState::Dense(dense.clone(), dense.start()),
            None => ObserverState::Lazy(Box::new(Lazy::start(&self.shared.progression, self.shared.config, 0)?)),
        }))
    }

    fn step(&self, run: &mut Run, step: Step<'_>) -> Result<Verdict, GaveUp> {
        if run.verdict.is_final() {
            return Ok(run.verdict);
        }
        let row = LetterBits::new(&self.shared.propositions, step.letter);
        match &mut run.state {
            // A look into the table takes no longer than to find out that it is needless.
            ObserverState::Dense(dense, at) => {
                *at = dense.step(*at, &row);
                run.verdict = dense.verdict(*at);
            }
            ObserverState::Lazy(_) if self.shared.stutter_invariant && run.row.as_ref() == Some(&row) => {}
            ObserverState::Lazy(lazy) => {
                run.verdict = lazy.step(&self.shared.propositions, &row)?;
                run.row = Some(row);
            }
        }
        Ok(run.verdict)
    }

    fn verdict(&self, run: &Run) -> Verdict {
        run.verdict
    }

    fn show_step(&self, guide: &Guide<'_>, run: &mut Run, step: Step<'_>) -> Result<Vec<Stage>, WalkthroughError> {
        self.step(run, step)?;
        let name = match &run.state {
            ObserverState::Dense(_, at) => Some(format!("S{}", at.index())),
            // What is unfolded on the way has no number that would last.
            ObserverState::Lazy(_) => None,
        };
        let is_accepting = matches!(run.verdict, Verdict::Satisfied | Verdict::Holding);
        let meaning = show::owed_text(self, guide, run.verdict, step.position as usize)?;
        Ok(vec![Stage::new("state", Content::States(vec![HeldState { name, meaning, is_accepting }]))])
    }

    /// The automaton has no text here: `traceward-export` has it.
    fn automaton_text(&self, _: &Guide<'_>) -> Option<String> {
        None
    }

    fn save(&self, run: &Run, to: &mut Writer) {
        match &run.state {
            ObserverState::Dense(_, at) => {
                to.tag(0);
                to.size(at.index());
            }
            ObserverState::Lazy(lazy) => {
                to.tag(1);
                lazy.save(to);
            }
        }
        to.bit(run.row.is_some());
        if let Some(row) = &run.row {
            row.save(self.shared.propositions.len(), to);
        }
    }

    fn restore(&self, from: &mut Reader<'_>) -> Result<Run, RestoreError> {
        let state = match (from.tag()?, &self.shared.dense) {
            (0, Some(dense)) => {
                ObserverState::Dense(dense.clone(), dense.state(from.index(dense.automaton().states().len())?))
            }
            (1, None) => {
                ObserverState::Lazy(Box::new(Lazy::restore(&self.shared.progression, self.shared.config, from)?))
            }
            // What is allowed decides whether there is a table, and was another when the run was
            // saved.
            (0 | 1, _) => return Err(RestoreError::OtherFormula),
            _ => return Err(RestoreError::Damaged),
        };
        let row = if from.bit()? { Some(LetterBits::restore(self.shared.propositions.len(), from)?) } else { None };
        Ok(Run { row, ..Run::at(state) })
    }

    fn owed(&self, letters: &Letters, position: usize, names: &[Arc<str>]) -> Result<Vec<Owed>, GaveUp> {
        let Shared { progression, config, .. } = &*self.shared;
        // What makes no difference in the whole automaton may well be looked at on the way.
        let propositions = mentioned(progression);
        let mut lazy = Lazy::start(progression, *config, position)?;
        lazy.run(&propositions, Blocks::new(letters, &propositions, false))?;
        let owed = lazy.owed()?.into_iter().map(|OwedEvent { owed, holds, is_necessary }| Owed {
            formula: progression.rules.text(owed.part, holds, names),
            since: position as u64,
            due: Due::Steps {
                delay: u64::from(owed.delay),
                reach: match progression.rules.rule(owed.part) {
                    Rule::Until { .. } => owed.reach.steps().map(u64::from),
                    _ => Some(0),
                },
            },
            is_necessary,
        });
        Ok(owed.collect())
    }

    /// Verdicts are final as early as possible, unless it is not known which letters there can be,
    /// or the observer may go on where it would take too long to find out what is certain.
    fn is_exact(&self) -> bool {
        let searches = self.shared.dense.is_some() || self.shared.config.exactness == Exactness::Always;
        searches && self.shared.knows_letters
    }

    fn is_whole(&self) -> bool {
        self.shared.dense.is_some()
    }

    fn is_stutter_invariant(&self) -> bool {
        self.shared.stutter_invariant
    }

    fn propositions(&self) -> Option<Vec<Proposition>> {
        Some(self.shared.propositions.clone())
    }

    fn summary(&self) -> Option<String> {
        Some(match self.automaton() {
            Some(automaton) => format!("a minimal deterministic automaton of {} states", automaton.states().len()),
            None => "a deterministic automaton that is unfolded as far as the trace goes".into(),
        })
    }

    fn numbered(&self) -> Option<&dyn Numbered> {
        self.shared.table.as_ref().map(|table| table as &dyn Numbered)
    }

    /// Reads 64 letters at a time.
    fn verdict_at_end(&self, letters: &Letters) -> Result<Prefix, GaveUp> {
        let mut run = self.start()?;
        let statistics = None;
        if run.verdict.is_final() {
            return Ok(Prefix { verdict: run.verdict, decided_at: Some(0), statistics });
        }
        let blocks = Blocks::new(letters, &self.shared.propositions, self.shared.stutter_invariant);
        let (verdict, decided_at) = match &mut run.state {
            ObserverState::Dense(dense, at) => dense.run(*at, blocks),
            ObserverState::Lazy(lazy) => lazy.run(&self.shared.propositions, blocks)?,
        };
        Ok(Prefix { verdict, decided_at, statistics })
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
