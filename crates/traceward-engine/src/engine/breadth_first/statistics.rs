//! Statistics over slices: section 4.3 of Finkbeiner and Sipma, corrected.
//!
//! Every slice carries the value of the runs that lead to it. A successor slice meets that value
//! with one visit of each of its nodes, however many paths lead there; slices with equal nodes are
//! joined. (The paper feeds the value into every node's successors, which counts it once a node,
//! and annotates the empty automaton with ⊥, which would lose every run that ends.) Formulas about
//! the past are settled at once, so nothing of them is in a slice or counted.
//!
//! Without bounds a node of the metric automaton is a node of the alternating one, which is what a
//! lattice knows.

use super::slices::SliceId;
use super::{BreadthFirst, EngineConfig, GaveUp, Limit, SliceCache, Subsumption, Unsupported, gave_up};
use crate::automaton::alternating::{Alternating, NodeId, is_bounded};
use crate::engine::configuration::Entry;
use crate::engine::follow::Step;
use crate::run_statistics::{Lattice, join};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use traceward_logic::formula::{FormulaId, Formulas};
use traceward_logic::letter::{Alphabet, Letters};

/// A formula without bounds, ready for statistics over its runs, a run being a sequence of slices.
#[derive(Clone, Debug)]
pub struct OverSlices {
    /// It keeps all slices: which of them may be dropped depends on their values.
    engine: BreadthFirst,
    subsumption: Subsumption,
    automaton: Alternating,
    /// For each node of the metric automaton, that of the alternating one.
    nodes: Box<[Option<NodeId>]>,
}

/// A slice with the value of the runs that lead to it: ⟨C, s⟩ of section 4.3.
#[derive(Clone, PartialEq, Debug)]
pub struct AnnotatedSlice<V> {
    /// The slice C.
    pub entries: Vec<Entry>,
    /// The value s.
    pub value: V,
}

impl OverSlices {
    /// Prepares a formula in negation normal form with split atoms.
    ///
    /// # Panics
    /// If the formula has bounds: there are no statistics of those.
    pub fn new(
        formulas: &Formulas,
        alphabet: &Alphabet,
        root: FormulaId,
        config: EngineConfig,
    ) -> Result<Self, Unsupported> {
        let has_bounds = formulas.parts(&[root]).into_iter().any(|part| is_bounded(formulas.node(part)));
        assert!(!has_bounds, "statistics are for formulas without bounds");
        let all_slices = EngineConfig { subsumption: config.subsumption.with_all_configurations(), ..config };
        let engine = BreadthFirst::new(formulas, alphabet, root, all_slices)?;
        let automaton = Alternating::new(formulas, &[root]);
        let of_formula: FxHashMap<FormulaId, NodeId> =
            automaton.node_ids().map(|node| (automaton.node(node).formula, node)).collect();
        let same = |node: NodeId| (!engine.is_past(node)).then(|| of_formula[&engine.automaton.node(node).formula]);
        let nodes = engine.automaton.node_ids().map(same).collect();
        Ok(Self { engine, subsumption: config.subsumption, automaton, nodes })
    }

    /// The value over all accepting runs on a trace with a state; none if there is no such run.
    pub fn statistics<L: Lattice>(&self, lattice: &L, letters: &Letters) -> Result<Option<L::Value>, GaveUp> {
        self.value(lattice, letters, |_, _| ()).map_err(gave_up)
    }

    /// The slices after each state, in order, each with the value of the runs that lead to it.
    pub fn annotated<L: Lattice>(
        &self,
        lattice: &L,
        letters: &Letters,
    ) -> Result<Vec<Vec<AnnotatedSlice<L::Value>>>, GaveUp> {
        let mut steps = Vec::new();
        self.value(lattice, letters, |cache, slices| {
            let entries = |slice: &SliceId| cache.slices.configuration(*slice).entries().to_vec();
            let mut step: Vec<AnnotatedSlice<L::Value>> = slices
                .iter()
                .map(|(slice, value)| AnnotatedSlice { entries: entries(slice), value: value.clone() })
                .collect();
            step.sort_by(|one, other| one.entries.cmp(&other.entries));
            steps.push(step);
        })
        .map_err(gave_up)?;
        Ok(steps)
    }

    /// The value over all accepting runs; `watch` sees the slices after each state.
    fn value<L: Lattice>(
        &self,
        lattice: &L,
        letters: &Letters,
        mut watch: impl FnMut(&SliceCache, &BTreeMap<SliceId, L::Value>),
    ) -> Result<Option<L::Value>, Limit> {
        let cache = &mut SliceCache::new(&self.engine.config.limits);
        let engine = &self.engine;
        let mut truth = engine.labels.start();
        let mut slices: BTreeMap<SliceId, L::Value> = BTreeMap::new();
        for position in 0..letters.len {
            let letter = |proposition| letters.bitmap(proposition).get(position);
            engine.labels.read(&mut truth, Step::new(&letter, position));
            let letter = engine.letter(cache, &truth, 0);
            cache.budget.renew(cache.slices.bytes());
            let mut next: BTreeMap<SliceId, L::Value> = BTreeMap::new();
            if position == 0 {
                for &slice in &*engine.initial(cache, letter)? {
                    self.arrive(lattice, cache, &mut next, slice, &lattice.top());
                }
            } else {
                for (slice, value) in &slices {
                    for &successor in &*engine.successors(cache, *slice, letter)? {
                        self.arrive(lattice, cache, &mut next, successor, value);
                    }
                }
            }
            if self.subsumption == Subsumption::On && lattice.fewer_visits_are_better() {
                cache.budget.spend((next.len() * next.len()) as u64)?;
                self.keep_least(lattice, cache, &mut next);
            }
            engine.refuse_many(next.len())?;
            watch(cache, &next);
            slices = next;
        }
        let is_final = |slice| cache.slices.configuration(slice).is_final(&engine.automaton);
        let accepting = slices.into_iter().filter(|(slice, _)| is_final(*slice));
        Ok(accepting.fold(None, |all, (_, value)| join(lattice, all, Some(value))))
    }

    /// A run with a value comes to a slice.
    fn arrive<L: Lattice>(
        &self,
        lattice: &L,
        cache: &SliceCache,
        slices: &mut BTreeMap<SliceId, L::Value>,
        slice: SliceId,
        value: &L::Value,
    ) {
        let visit = |value: L::Value, node| {
            let visited = lattice.update(lattice.top(), &self.automaton, node);
            lattice.meet(&value, &visited)
        };
        let entries = cache.slices.configuration(slice).entries();
        let value = entries.iter().filter_map(|entry| self.nodes[entry.node.index()]).fold(value.clone(), visit);
        let joined = match slices.get(&slice) {
            Some(other) => lattice.join(other, &value),
            None => value,
        };
        slices.insert(slice, joined);
    }

    /// Drops a slice that contains another whose value is no worse: whatever it leads to, the
    /// smaller one leads to better.
    fn keep_least<L: Lattice>(&self, lattice: &L, cache: &SliceCache, slices: &mut BTreeMap<SliceId, L::Value>) {
        let all: Vec<(SliceId, L::Value)> = slices.iter().map(|(slice, value)| (*slice, value.clone())).collect();
        let is_part = |small, large| {
            let [small, large] = [small, large].map(|slice| cache.slices.configuration(slice));
            small.follows_from(large, &self.engine.automaton)
        };
        slices.retain(|large, value| {
            !all.iter()
                .any(|(small, other)| small != large && is_part(*small, *large) && lattice.join(other, value) == *other)
        });
    }
}
