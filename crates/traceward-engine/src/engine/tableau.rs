//! The observer of Giannakopoulou and Havelund, section 6.2, as they ran it: the set of states that their non-deterministic
//! automaton may be in.
//!
//! A step keeps the states reached over enabled edges. None left: no continuation satisfies the formula. One that is
//! satisfied for good: every continuation does. At the end the formula holds if some current state accepts.
//!
//! Everything that can grow is in the automaton, which has limits of its own; a run cannot give up.

use super::{Config, Decision};
use crate::automaton::tableau::{Automaton, Edge, Initial, StateId};
use crate::limit::BuildError;
use traceward_logic::formula::{FormulaId, Formulas};
use traceward_logic::letter::{Alphabet, Letters, Proposition};
use traceward_logic::verdict::Verdict;

/// A formula ready to be observed with its tableau automaton.
#[derive(Clone, Debug)]
pub struct Tableau {
    automaton: Automaton,
    propositions: Vec<Proposition>,
}

/// Scratch: the letter of a step, and the states that it leads to. Runs of any [`Tableau`] may share it.
#[derive(Clone, Debug, Default)]
pub struct Cache {
    /// By the index of the proposition.
    letter: Vec<bool>,
    reached: Vec<StateId>,
}

/// An observer that has got somewhere.
#[derive(Clone, Debug)]
pub struct Run {
    /// The current states, in order.
    states: Vec<StateId>,
    verdict: Verdict,
}

impl Run {
    /// The states that the automaton may be in, in order.
    pub fn states(&self) -> &[StateId] {
        &self.states
    }
}

impl Tableau {
    /// Prepares a formula in negation normal form with split atoms. `holds_on_empty` is whether the empty trace satisfies
    /// it, judged on the formula as it was lowered.
    pub fn new(
        formulas: &Formulas,
        alphabet: &Alphabet,
        root: FormulaId,
        holds_on_empty: bool,
        config: Config,
    ) -> Result<Self, BuildError> {
        Automaton::new(formulas, alphabet, root, Initial::BySemantics(holds_on_empty), config.limits).map(Self::of)
    }

    /// An observer of an automaton.
    pub fn of(automaton: Automaton) -> Self {
        Self { propositions: automaton.propositions(), automaton }
    }

    /// The automaton that is run.
    pub fn automaton(&self) -> &Automaton {
        &self.automaton
    }

    /// The propositions that matter, in order; [`Self::step`] asks for no others.
    pub fn propositions(&self) -> &[Proposition] {
        &self.propositions
    }

    /// An observer that has seen no state.
    pub fn start(&self) -> Run {
        let states = vec![StateId::INIT];
        Run { verdict: self.verdict_of(&states), states }
    }

    /// Takes the next state; `holds` tells which propositions do.
    pub fn step(&self, cache: &mut Cache, run: &mut Run, holds: &dyn Fn(Proposition) -> bool) -> Verdict {
        if run.verdict.is_final() {
            return run.verdict;
        }
        self.read_letter(cache, holds);
        cache.reached.clear();
        for &state in &run.states {
            let enabled = self.automaton.edges_from(state).iter().filter(|edge| is_enabled(edge, &cache.letter));
            cache.reached.extend(enabled.map(|edge| edge.to));
        }
        cache.reached.sort_unstable();
        cache.reached.dedup();
        run.states.clone_from(&cache.reached);
        run.verdict = self.verdict_of(&run.states);
        run.verdict
    }

    /// The verdict if the trace went on behind what a run has seen.
    pub fn verdict(&self, run: &Run) -> Verdict {
        run.verdict
    }

    /// Whether the formula holds on a trace, which may be empty.
    pub fn check(&self, cache: &mut Cache, letters: &Letters) -> Decision {
        let mut run = self.start();
        for position in 0..letters.len {
            let verdict = self.step(cache, &mut run, &|proposition| letters.bitmap(proposition).get(position));
            if verdict.is_final() {
                return Decision { holds: verdict == Verdict::Satisfied, decided_at: Some(position) };
            }
        }
        Decision { holds: run.verdict == Verdict::Holding, decided_at: None }
    }

    fn read_letter(&self, cache: &mut Cache, holds: &dyn Fn(Proposition) -> bool) {
        cache.letter.clear();
        cache.letter.resize(self.automaton.alphabet().atoms().len(), false);
        for &proposition in &self.propositions {
            cache.letter[proposition.index()] = holds(proposition);
        }
    }

    fn verdict_of(&self, states: &[StateId]) -> Verdict {
        let mut current = states.iter().map(|&state| self.automaton.state(state));
        if states.is_empty() {
            Verdict::Violated
        } else if current.clone().any(|state| state.satisfied) {
            Verdict::Satisfied
        } else if current.any(|state| state.accepting) {
            Verdict::Holding
        } else {
            Verdict::Pending
        }
    }
}

fn is_enabled(edge: &Edge, letter: &[bool]) -> bool {
    edge.literals.iter().all(|literal| literal.holds(|proposition| letter[proposition.index()]))
}
