//! The search for what can become of a state: whether an accepting state can still be reached, and
//! whether a rejecting one can. It makes early verdicts exact.
//!
//! Usually the answer is a step or two away, so states are looked at breadth-first to begin with.
//! Then they are looked at depth-first: an obligation that is due after many steps is met by going
//! ahead, not by looking at all ways to get there. Only if there is no such state does the search
//! look at everything that can be reached.

use super::{Overflow, Progression, Space, StateRef};
use crate::limit::Limit;
use rustc_hash::FxHashSet;
use std::collections::VecDeque;

/// The answers that are known for states.
#[derive(Clone, Debug, Default)]
pub(crate) struct KnownProspects {
    flags: Vec<u8>,
}

/// The prospects of a state: whether it accepts, and what can become of it if the trace goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Prospects {
    /// Whether the formula holds if the trace ends here.
    pub(crate) accepting: bool,
    /// Whether the formula can hold at an end of the trace, here or later.
    pub(crate) can_accept: bool,
    /// Whether the formula can fail at an end of the trace, here or later.
    pub(crate) can_reject: bool,
}

/// The reason why the prospects of a state are not known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unsettled {
    /// A state could not be made.
    Overflow(Overflow),
    /// Too many states would have to be looked at.
    TooManyStates,
}

impl Unsettled {
    /// Whether somebody else has ended the work.
    pub(crate) fn is_interrupt(self) -> bool {
        self == Self::Overflow(Overflow::Spent(Limit::Interrupted))
    }
}

impl From<Overflow> for Unsettled {
    fn from(overflow: Overflow) -> Self {
        Self::Overflow(overflow)
    }
}

/// The number of states that are looked at breadth-first.
const BROAD: usize = 8;

impl KnownProspects {
    pub(super) const BYTES_PER_STATE: usize = size_of::<u8>();

    /// The bit that says that states of this kind can, or cannot, be reached.
    fn flag(accepting: bool, reachable: bool) -> u8 {
        1 << (2 * u8::from(accepting) + u8::from(reachable))
    }

    fn known(&self, state: StateRef, accepting: bool) -> Option<bool> {
        let flags = self.flags.get(state.index()).copied().unwrap_or(0);
        [true, false].into_iter().find(|reachable| flags & Self::flag(accepting, *reachable) != 0)
    }

    fn note(&mut self, state: StateRef, accepting: bool, reachable: bool) {
        if self.flags.len() <= state.index() {
            self.flags.resize(state.index() + 1, 0);
        }
        self.flags[state.index()] |= Self::flag(accepting, reachable);
    }
}

/// A state that was met in a search, and the state from which it was met.
struct Met {
    state: StateRef,
    from: Option<usize>,
}

impl Progression {
    /// The prospects of a state, found by looking at no more states than allowed.
    pub(crate) fn prospects(
        &self,
        space: &mut Space,
        state: StateRef,
        most_states: usize,
    ) -> Result<Prospects, Unsettled> {
        Ok(Prospects {
            accepting: self.is_accepting(space, state),
            can_accept: self.can_reach(space, state, true, most_states)?,
            can_reject: self.can_reach(space, state, false, most_states)?,
        })
    }

    /// Whether a state that accepts, or one that does not, can be reached.
    fn can_reach(
        &self,
        space: &mut Space,
        start: StateRef,
        accepting: bool,
        most_states: usize,
    ) -> Result<bool, Unsettled> {
        if let Some(known) = self.at_once(space, start, accepting) {
            space.search.note(start, accepting, known);
            return Ok(known);
        }
        let mut met = vec![Met { state: start, from: None }];
        let mut seen = FxHashSet::from_iter([start]);
        let mut open = VecDeque::from([0]);
        let mut looked_at = 0;
        while let Some(index) = if looked_at < BROAD { open.pop_front() } else { open.pop_back() } {
            looked_at += 1;
            let successors = self.successors(space, met[index].state)?;
            for state in self.states_below(space, successors)?.into_iter().rev() {
                match self.at_once(space, state, accepting) {
                    Some(true) => {
                        space.search.note(state, accepting, true);
                        note_path(space, &met, index, accepting);
                        return Ok(true);
                    }
                    Some(false) => {}
                    None if seen.insert(state) => {
                        open.push_back(met.len());
                        met.push(Met { state, from: Some(index) });
                    }
                    None => {}
                }
            }
            if met.len() > most_states {
                return Err(Unsettled::TooManyStates);
            }
        }
        for one in met {
            space.search.note(one.state, accepting, false);
        }
        Ok(false)
    }

    /// The answer for a state, where it needs no look at other states.
    fn at_once(&self, space: &Space, state: StateRef, accepting: bool) -> Option<bool> {
        space.search.known(state, accepting).or_else(|| match self.constant(space, state) {
            Some(holds) => Some(holds == accepting),
            None => (self.is_accepting(space, state) == accepting).then_some(true),
        })
    }
}

/// Marks the states that led to a state: they reach whatever it reaches.
fn note_path(space: &mut Space, met: &[Met], last: usize, accepting: bool) {
    let mut at = Some(last);
    while let Some(index) = at {
        space.search.note(met[index].state, accepting, true);
        at = met[index].from;
    }
}
