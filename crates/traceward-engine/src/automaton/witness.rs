//! Shortest traces that satisfy a formula: they show by example that it can hold at all.
//!
//! States of the deterministic automaton are met breadth-first, so that the first accepting one is
//! as near as can be. Nothing needs to be minimised for that, and nothing beyond it is unfolded.

use super::deterministic::Room;
use super::diagram::{Overflow, Ref};
use super::progression::{Progression, Space, StateRef};
use crate::limit::{BuildError, GaveUp, Limit};
use rustc_hash::FxHashSet;
use traceward_logic::formula::{FormulaId, Formulas};
use traceward_logic::letter::{Alphabet, Letter};

/// The limits of a search by default: enough for what people write, and reached in a few seconds.
pub const SEARCH_LIMITS: Room = Room { states: 200_000, memory: 256 << 20, work: 50_000_000, interrupt: None };

/// A state that was met, with the state and the letter that led to it.
struct Met {
    state: StateRef,
    from: Option<usize>,
    letter: Letter,
}

/// The letters of a shortest trace, of one state at least, that satisfies a formula with split
/// atoms; none if there is no such trace. Propositions that do not matter do not hold.
pub fn shortest_trace(
    formulas: &Formulas,
    alphabet: &Alphabet,
    root: FormulaId,
    limits: Room,
) -> Result<Option<Vec<Letter>>, BuildError> {
    let progression = Progression::new(formulas, alphabet, root, false, None)?;
    Search { progression, limits, met: Vec::new(), seen: FxHashSet::default() }.run().map_err(BuildError::GaveUp)
}

struct Search {
    progression: Progression,
    limits: Room,
    met: Vec<Met>,
    seen: FxHashSet<StateRef>,
}

impl Search {
    fn run(mut self) -> Result<Option<Vec<Letter>>, GaveUp> {
        let memory = self.limits.memory;
        let overflow = |overflow: Overflow| gave_up(overflow.limit(memory));
        let diagrams = self.limits.of_diagrams(Progression::BYTES_PER_NODE);
        let mut space = self.progression.space(diagrams).map_err(overflow)?;
        let initial = self.progression.initial(&mut space).map_err(overflow)?;
        self.met.push(Met { state: initial, from: None, letter: Letter::default() });
        let mut next = 0;
        while next < self.met.len() {
            let successors = self.progression.successors(&mut space, self.met[next].state).map_err(overflow)?;
            if let Some(last) = self.meet(&mut space, next, successors).map_err(overflow)? {
                return Ok(Some(self.letters_to(last)));
            }
            if self.met.len() > self.limits.states {
                return Err(gave_up(Limit::States(self.limits.states)));
            }
            next += 1;
        }
        Ok(None)
    }

    /// Meets the successors of a state; the number of one that accepts, if there is one.
    fn meet(&mut self, space: &mut Space, from: usize, successors: Ref) -> Result<Option<usize>, Overflow> {
        let width = self.progression.rules.propositions as usize;
        let nothing = Letter((0..width).map(|_| false).collect());
        let mut below: FxHashSet<Ref> = FxHashSet::default();
        let mut open = vec![(successors, nothing)];
        while let Some((diagram, letter)) = open.pop() {
            space.spend(1 + width / 64)?;
            if !below.insert(diagram) {
                continue;
            }
            match self.progression.look(space, diagram) {
                Ok((proposition, low, high)) => {
                    let mut holding = letter.clone();
                    holding.0.set(proposition as usize, true);
                    open.extend([(high, holding), (low, letter)]);
                }
                Err(state) => {
                    let accepts = self.progression.is_accepting(space, state);
                    // A state from which the formula can never hold leads nowhere.
                    let is_dead = self.progression.constant(space, state) == Some(false);
                    if accepts || (!is_dead && self.seen.insert(state)) {
                        self.met.push(Met { state, from: Some(from), letter });
                    }
                    if accepts {
                        return Ok(Some(self.met.len() - 1));
                    }
                }
            }
        }
        Ok(None)
    }

    fn letters_to(&self, last: usize) -> Vec<Letter> {
        let steps = std::iter::successors(Some(last), |at| self.met[*at].from);
        let mut letters: Vec<Letter> = steps.map(|at| self.met[at].letter.clone()).collect();
        letters.pop();
        letters.reverse();
        letters
    }
}

/// There is nobody else to ask: a shortest trace can only be found in the automaton.
fn gave_up(limit: Limit) -> GaveUp {
    GaveUp { engine: "observer", limit, instead: &[] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::select::{Prepared, Simplification};
    use traceward_logic::letter::Proposition;
    use traceward_logic::semantics;
    use traceward_logic::trace::Trace;
    use traceward_testkit::enumerate::{self, Shape};

    /// Every formula against all traces up to a length: there is a shortest one, or none that
    /// short.
    #[test]
    fn no_satisfying_trace_is_shorter() {
        let mut arena = Formulas::new();
        let shape = Shape { atoms: 1, ..Shape::unbounded(3) };
        let formulas = enumerate::formulas(&mut arena, &shape);
        let mut shortest: Vec<Option<usize>> = vec![None; formulas.len()];
        for trace in enumerate::traces(1, 5) {
            let rows = semantics::truths(&arena, &formulas, &trace).unwrap();
            for (formula, shortest) in formulas.iter().zip(&mut shortest) {
                if rows[formula][0] && shortest.is_none_or(|len| trace.len < len) {
                    *shortest = Some(trace.len);
                }
            }
        }
        for (&formula, shortest) in formulas.iter().zip(shortest) {
            let prepared = Prepared::new(&arena, &[formula], Simplification::Off);
            let Prepared { formulas, alphabet, simplified, .. } = &prepared;
            let found = shortest_trace(formulas, alphabet, simplified[0], SEARCH_LIMITS).unwrap();
            assert_eq!(found.as_ref().map(Vec::len), shortest, "{}", arena.display(formula, &["a".into()]));
            if let Some(letters) = found {
                let bits = letters.iter().map(|letter| !letter.0.is_empty() && letter.holds(Proposition(0)));
                let trace = Trace::of_bools(letters.len(), vec![bits.collect()]);
                assert!(semantics::satisfied(&arena, formula, &trace).unwrap());
            }
        }
    }
}
