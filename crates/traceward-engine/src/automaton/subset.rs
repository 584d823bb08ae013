//! Deterministic automata as tables, and the way to them by the subset construction: Giannakopoulou
//! and Havelund, section 5.
//!
//! Labels become letters: each says of every proposition whether it holds. A set of states of the
//! tableau automaton is one state of the table; the empty set is the sink that makes the table
//! complete.

use super::hopcroft;
use super::tableau::{Automaton, Edge, Initial, StateId};
use crate::limit::{Budget, GaveUp, Instead, Limit, Limits};
use rustc_hash::FxHashMap;

/// The limits on the size of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SubsetLimits {
    /// The number of propositions allowed; with n there are 2^n letters.
    pub proposition_limit: usize,
    /// The number of states allowed.
    pub state_limit: usize,
    /// The number of entries allowed, one for each state and letter.
    pub entry_limit: usize,
    /// The number of times that the construction may ask whether an edge is open to a letter.
    pub work_limit: u64,
}

impl Default for SubsetLimits {
    fn default() -> Self {
        Self { proposition_limit: 16, state_limit: 20_000, entry_limit: 1 << 22, work_limit: 500_000_000 }
    }
}

/// A complete deterministic automaton. States are numbered as a breadth-first search from the
/// initial one meets them, in order of the letters; those that are not met are left out. So two
/// tables are equal exactly if they are isomorphic.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Table {
    /// The number of letters. In a letter, bit i says whether proposition i holds.
    pub letters: usize,
    /// The initial state, which is 0.
    pub initial: u32,
    /// For each state whether it accepts.
    pub accepting: Vec<bool>,
    /// For each state and letter, the next state.
    pub next: Vec<u32>,
}

impl Table {
    /// The table of a complete automaton whose states are numbered in any way.
    pub fn new(letters: usize, initial: u32, accepting: &[bool], next: &[u32]) -> Self {
        let mut numbers: Vec<Option<u32>> = vec![None; accepting.len()];
        let mut met = vec![initial];
        numbers[initial as usize] = Some(0);
        let mut renumbered = Vec::new();
        let mut place = 0;
        while let Some(&state) = met.get(place) {
            for &target in &next[state as usize * letters..][..letters] {
                let number = *numbers[target as usize].get_or_insert_with(|| {
                    met.push(target);
                    met.len() as u32 - 1
                });
                renumbered.push(number);
            }
            place += 1;
        }
        let accepting = met.iter().map(|&state| accepting[state as usize]).collect();
        Self { letters, initial: 0, accepting, next: renumbered }
    }

    /// The number of states.
    pub fn states(&self) -> usize {
        self.accepting.len()
    }

    /// The state after a letter.
    pub fn next(&self, state: u32, letter: usize) -> u32 {
        self.next[state as usize * self.letters + letter]
    }

    /// Whether a word is accepted.
    pub fn accepts(&self, word: impl IntoIterator<Item = usize>) -> bool {
        let last = word.into_iter().fold(self.initial, |state, letter| self.next(state, letter));
        self.accepting[last as usize]
    }

    /// The smallest table that accepts the same words; there is just one.
    pub fn minimal(&self) -> Self {
        hopcroft::minimal(self)
    }
}

/// The table of a tableau automaton, not minimised.
pub fn determinise(automaton: &Automaton, config: SubsetLimits) -> Result<Table, GaveUp> {
    let propositions = automaton.alphabet().letter_len();
    if propositions > config.proposition_limit.min(31) {
        return Err(gave_up(Limit::Propositions(config.proposition_limit.min(31))));
    }
    let mut sets = Sets::new(automaton, 1 << propositions, config);
    sets.close()?;
    if automaton.initial() == Initial::AsInPaper {
        sets.relax_initial();
    }
    Ok(Table::new(sets.letters, 0, &sets.accepting, &sets.next))
}

/// An edge as bits: which propositions have to hold, and which must not.
#[derive(Clone, Copy, Debug)]
struct Mask {
    holding: usize,
    failing: usize,
    to: StateId,
}

impl Mask {
    fn new(edge: &Edge) -> Self {
        let bits = |negated: bool| {
            let literals = edge.literals.iter().filter(|literal| literal.negated == negated);
            literals.fold(0, |bits, literal| bits | 1 << literal.proposition.index())
        };
        Self { holding: bits(false), failing: bits(true), to: edge.to }
    }

    fn admits(self, letter: usize) -> bool {
        letter & self.holding == self.holding && letter & self.failing == 0
    }
}

struct Sets<'a> {
    automaton: &'a Automaton,
    config: SubsetLimits,
    letters: usize,
    budget: Budget,
    masks: Vec<Vec<Mask>>,
    /// The states of the automaton that each set is made of, in order.
    sets: Vec<Vec<StateId>>,
    ids: FxHashMap<Vec<StateId>, u32>,
    accepting: Vec<bool>,
    next: Vec<u32>,
}

impl<'a> Sets<'a> {
    fn new(automaton: &'a Automaton, letters: usize, config: SubsetLimits) -> Self {
        let masks_of = |id| automaton.edges_from(id).iter().map(Mask::new).collect();
        Self {
            automaton,
            config,
            letters,
            budget: Budget::new(&Limits { work: config.work_limit, ..Limits::default() }),
            masks: automaton.state_ids().map(masks_of).collect(),
            sets: Vec::new(),
            ids: FxHashMap::default(),
            accepting: Vec::new(),
            next: Vec::new(),
        }
    }

    fn close(&mut self) -> Result<(), GaveUp> {
        self.intern(vec![StateId::INIT])?;
        let mut place = 0;
        while place < self.sets.len() {
            self.add_row(place)?;
            place += 1;
        }
        Ok(())
    }

    /// Letters that differ only in propositions on no edge of the set lead to the same.
    fn add_row(&mut self, set: usize) -> Result<(), GaveUp> {
        let states = self.sets[set].clone();
        let masks = || states.iter().flat_map(|state| &self.masks[state.index()]);
        let relevant = masks().fold(0, |bits, mask| bits | mask.holding | mask.failing);
        let first = self.next.len();
        let masks: Vec<Mask> = masks().copied().collect();
        self.spend((masks.len() as u64) << relevant.count_ones())?;
        for letter in 0..self.letters {
            let target = match letter & relevant {
                _ if self.is_satisfied(&states) => set as u32,
                same if same < letter => self.next[first + same],
                _ => {
                    let reached = masks.iter().filter(|mask| mask.admits(letter)).map(|mask| mask.to).collect();
                    self.intern(reached)?
                }
            };
            self.next.push(target);
        }
        Ok(())
    }

    fn spend(&mut self, questions: u64) -> Result<(), GaveUp> {
        self.budget.spend(questions).map_err(|_| gave_up(Limit::Steps(self.config.work_limit)))
    }

    fn is_satisfied(&self, states: &[StateId]) -> bool {
        states.iter().any(|&state| self.automaton.state(state).satisfied)
    }

    fn intern(&mut self, mut states: Vec<StateId>) -> Result<u32, GaveUp> {
        states.sort_unstable();
        states.dedup();
        if let Some(&satisfied) = states.iter().find(|&&state| self.automaton.state(state).satisfied) {
            states = vec![satisfied];
        }
        if let Some(&id) = self.ids.get(&states) {
            return Ok(id);
        }
        let most = self.config.state_limit.min(self.config.entry_limit / self.letters);
        if self.sets.len() >= most {
            return Err(gave_up(Limit::States(most)));
        }
        let id = self.sets.len() as u32;
        self.accepting.push(states.iter().any(|&state| self.automaton.state(state).accepting));
        self.sets.push(states.clone());
        self.ids.insert(states, id);
        Ok(id)
    }

    /// Section 5, INITIAL STATE: "best applied after the determinization phase".
    fn relax_initial(&mut self) {
        let first = self.next[0];
        if self.next[..self.letters].iter().all(|&target| target == first) && self.accepting[first as usize] {
            self.accepting[0] = true;
        }
    }
}

fn gave_up(limit: Limit) -> GaveUp {
    GaveUp { engine: "subset", limit, instead: &[Instead { engine: "tableau", how: "needs no table" }] }
}
