//! The observer of Giannakopoulou and Havelund, section 6.2, as they ran it: the set of states that
//! their non-deterministic automaton may be in.
//!
//! A step keeps the states reached over enabled edges. None left: no continuation satisfies the
//! formula. One that is satisfied for good: every continuation does. At the end the formula holds
//! if some current state accepts.
//!
//! Everything that can grow is in the automaton, which has limits of its own; a run cannot give up.

use super::EngineConfig;
use super::follow::{Follow, Step};
use super::walkthrough::{Content, Guide, HeldState, Stage, WalkthroughError};
use crate::automaton::tableau::{Automaton, Edge, Initial, StateId};
use crate::limit::{BuildError, GaveUp};
use crate::prepared::Prepared;
use crate::saved::{Reader, RestoreError, Writer};
use traceward_logic::letter::Proposition;
use traceward_logic::verdict::Verdict;

/// A formula ready to be observed with its tableau automaton.
#[derive(Clone, Debug)]
pub struct Tableau {
    automaton: Automaton,
    propositions: Vec<Proposition>,
}

/// Scratch: the letter of a step, and the states that it leads to.
#[derive(Clone, Debug, Default)]
struct Scratch {
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
    scratch: Scratch,
}

impl Run {
    /// The states that the automaton may be in, in order.
    pub fn states(&self) -> &[StateId] {
        &self.states
    }
}

impl Tableau {
    /// An observer of an automaton.
    pub fn of(automaton: Automaton) -> Self {
        Self { propositions: automaton.propositions(), automaton }
    }

    /// The automaton that is run.
    pub fn automaton(&self) -> &Automaton {
        &self.automaton
    }

    fn read_letter(&self, scratch: &mut Scratch, holds: &dyn Fn(Proposition) -> bool) {
        scratch.letter.clear();
        scratch.letter.resize(self.automaton.alphabet().letter_len(), false);
        for &proposition in &self.propositions {
            scratch.letter[proposition.index()] = holds(proposition);
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

impl Follow for Tableau {
    type Run = Run;
    const NAME: &'static str = "tableau";

    fn compile(prepared: &Prepared, index: usize, config: EngineConfig) -> Result<Self, BuildError> {
        let Prepared { formulas, alphabet, normal, .. } = prepared;
        let initial = Initial::BySemantics(prepared.holds_on_empty(index));
        Automaton::new(formulas, alphabet, normal[index], initial, config.limits).map(Self::of)
    }

    fn start(&self) -> Result<Run, GaveUp> {
        let states = vec![StateId::INIT];
        Ok(Run { verdict: self.verdict_of(&states), states, scratch: Scratch::default() })
    }

    fn step(&self, run: &mut Run, step: Step<'_>) -> Result<Verdict, GaveUp> {
        if run.verdict.is_final() {
            return Ok(run.verdict);
        }
        let Run { states, verdict, scratch } = run;
        self.read_letter(scratch, step.letter);
        scratch.reached.clear();
        for &state in &*states {
            let enabled = self.automaton.edges_from(state).iter().filter(|edge| is_enabled(edge, &scratch.letter));
            scratch.reached.extend(enabled.map(|edge| edge.to));
        }
        scratch.reached.sort_unstable();
        scratch.reached.dedup();
        states.clone_from(&scratch.reached);
        *verdict = self.verdict_of(states);
        Ok(*verdict)
    }

    fn verdict(&self, run: &Run) -> Verdict {
        run.verdict
    }

    fn show_step(&self, guide: &Guide<'_>, run: &mut Run, step: Step<'_>) -> Result<Vec<Stage>, WalkthroughError> {
        self.step(run, step)?;
        guide.allow(run.states.len())?;
        let state = |&id: &StateId| HeldState {
            name: Some(id.to_string()),
            meaning: self.automaton.state_text(id, guide.names),
            is_accepting: self.automaton.state(id).accepting,
        };
        Ok(vec![Stage::new("states", Content::States(run.states.iter().map(state).collect()))])
    }

    fn automaton_text(&self, guide: &Guide<'_>) -> Option<String> {
        let size = self.automaton.states().len() + self.automaton.edges().len();
        guide.readable(size as u64, || self.automaton.display(guide.names).to_string())
    }

    fn save(&self, run: &Run, to: &mut Writer) {
        to.size(run.states.len());
        run.states.iter().for_each(|state| to.size(state.index()));
    }

    fn restore(&self, from: &mut Reader<'_>) -> Result<Run, RestoreError> {
        let state = |from: &mut Reader<'_>| from.index(self.automaton.states().len()).map(StateId::new);
        let states = (0..from.count()?).map(|_| state(from)).collect::<Result<Vec<StateId>, _>>()?;
        Ok(Run { verdict: self.verdict_of(&states), states, scratch: Scratch::default() })
    }

    fn propositions(&self) -> Option<Vec<Proposition>> {
        Some(self.propositions.clone())
    }

    fn summary(&self) -> Option<String> {
        Some(format!("a non-deterministic automaton of {} states", self.automaton.states().len()))
    }
}

fn is_enabled(edge: &Edge, letter: &[bool]) -> bool {
    edge.literals.iter().all(|literal| literal.holds(|proposition| letter[proposition.index()]))
}
