//! Statistics over slices: section 4.3, corrected.
//!
//! Every slice carries the value of the runs that lead to it. A successor slice meets that value with one visit of each of its
//! nodes, however many paths lead there; slices with equal nodes are joined. (The paper feeds the value into every node's
//! successors, which counts it once a node, and annotates the empty automaton with ⊥, which would lose every run that ends.)
//! Past nodes are settled at once and are in no slice, so they are not counted.

use super::slices::SliceId;
use super::{BreadthFirst, Cache, GaveUp, Subsumption};
use crate::run_statistics::{Lattice, join};
use std::collections::BTreeMap;
use traceward_logic::letter::Letters;

impl BreadthFirst {
    /// The value over all accepting runs on a trace with a state, a run being a sequence of slices; none if there is no
    /// such run.
    pub fn statistics<L: Lattice>(
        &self,
        lattice: &L,
        cache: &mut Cache,
        letters: &Letters,
    ) -> Result<Option<L::Value>, GaveUp> {
        let mut run = self.start(cache);
        let mut slices: BTreeMap<SliceId, L::Value> = BTreeMap::new();
        for position in 0..letters.len {
            let letter = self.letter(cache, &mut run, &|proposition| letters.bitmap(proposition).get(position));
            let mut next: BTreeMap<SliceId, L::Value> = BTreeMap::new();
            if position == 0 {
                for slice in self.initial(cache, self.automaton.roots()[0], letter)? {
                    self.arrive(lattice, cache, &mut next, slice, &lattice.top());
                }
            } else {
                for (slice, value) in &slices {
                    for successor in self.slice_successors(cache, *slice, letter)? {
                        self.arrive(lattice, cache, &mut next, successor, value);
                    }
                }
            }
            next.retain(|slice, _| self.is_satisfied(cache, *slice, letter));
            if self.config.subsumption == Subsumption::On && lattice.fewer_visits_are_better() {
                keep_least(lattice, cache, &mut next);
            }
            if next.len() > self.config.slice_limit {
                return Err(self.too_many());
            }
            slices = next;
        }
        let accepting = slices.into_iter().filter(|(slice, _)| self.is_accepting(cache, *slice));
        Ok(accepting.fold(None, |all, (_, value)| join(lattice, all, Some(value))))
    }

    /// A run with a value comes to a slice.
    fn arrive<L: Lattice>(
        &self,
        lattice: &L,
        cache: &Cache,
        slices: &mut BTreeMap<SliceId, L::Value>,
        slice: SliceId,
        value: &L::Value,
    ) {
        let visit = |value: L::Value, node| {
            let visited = lattice.update(lattice.top(), &self.automaton, node);
            lattice.meet(&value, &visited)
        };
        let value = cache.slices.nodes(slice).fold(value.clone(), visit);
        let joined = match slices.get(&slice) {
            Some(other) => lattice.join(other, &value),
            None => value,
        };
        slices.insert(slice, joined);
    }
}

/// Drops a slice that contains another whose value is no worse: whatever it leads to, the smaller one leads to better.
fn keep_least<L: Lattice>(lattice: &L, cache: &Cache, slices: &mut BTreeMap<SliceId, L::Value>) {
    let all: Vec<(SliceId, L::Value)> = slices.iter().map(|(slice, value)| (*slice, value.clone())).collect();
    slices.retain(|large, value| {
        !all.iter().any(|(small, other)| {
            small != large && cache.slices.is_part(*small, *large) && lattice.join(other, value) == *other
        })
    });
}
