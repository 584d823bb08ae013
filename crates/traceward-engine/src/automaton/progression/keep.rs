//! States as bytes: the tests of their diagrams, those below first, and the obligations that these
//! speak of.

use super::{ChainMeaning, DelayedPart, PartId, Progression, Space, StateRef};
use crate::automaton::diagram::{DiagramLimits, Diagrams, Level, Node, Overflow, Ref};
use crate::saved::{Reader, RestoreError, Writer};
use rustc_hash::{FxHashMap, FxHashSet};

impl Progression {
    /// Writes a state.
    pub(crate) fn save(&self, space: &Space, state: StateRef, to: &mut Writer) {
        // Chains keep their order, so that the diagram keeps its shape.
        let chains = self.chains_of(space, state);
        to.size(chains.len());
        for &(_, DelayedPart { part, delay }) in &chains {
            to.size(part.index());
            to.number(u64::from(delay));
        }
        let places: FxHashMap<u32, u32> = (1..).zip(&chains).map(|(place, (chain, _))| (*chain, place)).collect();
        let tests = space.tests_below(state.0);
        let numbers: FxHashMap<Ref, usize> = tests.iter().enumerate().map(|(at, test)| (*test, at + 2)).collect();
        let number = |one: Ref| numbers.get(&one).copied().unwrap_or(usize::from(one == Ref::TRUE));
        to.size(tests.len());
        for test in tests {
            let Node { level, low, high } = space.diagrams.node(test);
            let moved = places.get(&level.chain).map_or(level.chain, |place| self.first_chain() + place);
            to.number(u64::from(moved));
            to.number(u64::from(level.place));
            to.size(number(low));
            to.size(number(high));
        }
        to.size(number(state.0));
    }

    /// Reads a state into a space with nothing else in it.
    pub(crate) fn restore(
        &self,
        limits: DiagramLimits,
        from: &mut Reader<'_>,
    ) -> Result<(Space, StateRef), RestoreError> {
        let too_large = |_: Overflow| RestoreError::Damaged;
        let mut space = self.space(limits.clone()).map_err(too_large)?;
        self.empty(&mut space, limits);
        for _ in 0..from.count()? {
            let part = PartId::new(from.index(self.rules.rules.len())?);
            let obligation = DelayedPart { part, delay: from.small()? };
            self.push_chain(&mut space, obligation);
        }
        let mut made = vec![Ref::FALSE, Ref::TRUE];
        for _ in 0..from.count()? {
            let level = Level { chain: from.small()?, place: from.small()? };
            let (low, high) = (made[from.index(made.len())?], made[from.index(made.len())?]);
            if level.chain as usize >= self.first_chain() as usize + space.meanings.len() {
                return Err(RestoreError::Damaged);
            }
            made.push(space.diagrams.checked_test(level, low, high).ok_or(RestoreError::Damaged)?.map_err(too_large)?);
        }
        let state = made[from.index(made.len())?];
        self.prepare(&mut space).map_err(too_large)?;
        Ok((space, StateRef(state)))
    }

    /// The chains of obligations that a state speaks of, in order.
    pub(super) fn chains_of(&self, space: &Space, state: StateRef) -> Vec<(u32, DelayedPart)> {
        let mut chains: Vec<u32> = space.support(state.0).into_iter().map(|level| level.chain).collect();
        chains.sort_unstable();
        chains.dedup();
        let owed = |chain: u32| match space.meanings[chain.checked_sub(self.first_chain())? as usize] {
            ChainMeaning::Owed(obligation) => Some((chain, obligation)),
            ChainMeaning::Exists => None,
        };
        chains.into_iter().filter_map(owed).collect()
    }

    /// Takes everything out of a space.
    pub(super) fn empty(&self, space: &mut Space, limits: DiagramLimits) {
        space.meanings = vec![ChainMeaning::Exists];
        space.chains.clear();
        space.diagrams = Diagrams::new(limits);
    }

    /// Puts a chain behind the others.
    pub(super) fn push_chain(&self, space: &mut Space, obligation: DelayedPart) {
        space.chains.insert(obligation, self.first_chain() + space.meanings.len() as u32);
        space.meanings.push(ChainMeaning::Owed(obligation));
    }
}

impl Space {
    /// The tests that a diagram is made of, those below first.
    fn tests_below(&self, diagram: Ref) -> Vec<Ref> {
        let mut met = FxHashSet::default();
        let mut open = vec![diagram];
        while let Some(one) = open.pop() {
            if !one.is_constant() && met.insert(one) {
                let Node { low, high, .. } = self.diagrams.node(one);
                open.extend([low, high]);
            }
        }
        // A diagram is made after those below it.
        let mut tests: Vec<Ref> = met.into_iter().collect();
        tests.sort_unstable();
        tests
    }
}
