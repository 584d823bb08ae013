//! Slices, sets of slices, and their successors, each kept once.

use super::{BreadthFirst, Cache, GaveUp, Memory, Run, Subsumption};
use crate::automaton::alternating::{Condition, ConditionId, Look, NodeId};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use traceward_logic::letter::Proposition;
use traceward_logic::verdict::Verdict;

/// A set of nodes, as bits.
pub(super) type Slice = Box<[u64]>;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct SliceId(u32);

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct SetId(u32);

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct LetterId(u32);

/// The set before the first state.
const START: SetId = SetId(0);
const UNKNOWN: SetId = SetId(u32::MAX);

/// Everything that has been met, up to a limit.
#[derive(Clone, Debug, Default)]
pub(super) struct Slices {
    slices: Vec<Slice>,
    slice_ids: FxHashMap<Slice, SliceId>,
    sets: Vec<Set>,
    set_ids: FxHashMap<Box<[SliceId]>, SetId>,
    letters: Vec<Box<[u64]>>,
    letter_ids: FxHashMap<Box<[u64]>, LetterId>,
    scratch: Vec<u64>,
    /// How often everything has been forgotten: ids are good for as long as this stays.
    epoch: u64,
    /// Successors of a slice; they depend on the letter only through its past nodes.
    successors: FxHashMap<(SliceId, LetterId), Box<[SliceId]>>,
}

/// A set of slices that are all satisfied by the state they were made for.
#[derive(Clone, Debug)]
struct Set {
    slices: Box<[SliceId]>,
    verdict: Verdict,
    /// The slices themselves, for runs to keep.
    nodes: Arc<[Slice]>,
    /// By letter, the set after it.
    next: Vec<SetId>,
}

impl Slices {
    pub(super) fn start(&mut self) -> SetId {
        if self.sets.is_empty() {
            self.sets.push(Set {
                slices: Box::new([]),
                verdict: Verdict::Pending,
                nodes: Arc::new([]),
                next: Vec::new(),
            });
        }
        START
    }

    pub(super) fn epoch(&self) -> u64 {
        self.epoch
    }

    pub(super) fn slices(&self, set: SetId) -> &Arc<[Slice]> {
        &self.sets[set.0 as usize].nodes
    }

    pub(super) fn verdict(&self, set: SetId) -> Verdict {
        self.sets[set.0 as usize].verdict
    }

    /// Cleared words for so many bits, to be filled before [`Self::intern_letter`].
    pub(super) fn letter_scratch(&mut self, bits: usize) -> &mut [u64] {
        self.scratch.clear();
        self.scratch.resize(bits.div_ceil(64), 0);
        &mut self.scratch
    }

    /// The letter that was written into the scratch. Letters do not outlive a step, so those before may be forgotten.
    pub(super) fn intern_letter(&mut self, limit: usize) -> LetterId {
        if let Some(&id) = self.letter_ids.get(self.scratch.as_slice()) {
            return id;
        }
        if self.letters.len() >= limit {
            self.forget_letters();
        }
        let id = LetterId(self.letters.len() as u32);
        let words: Box<[u64]> = self.scratch.as_slice().into();
        self.letters.push(words.clone());
        self.letter_ids.insert(words, id);
        id
    }

    pub(super) fn letter_bit(&self, letter: LetterId, bit: usize) -> bool {
        self.letters[letter.0 as usize][bit / 64] >> (bit % 64) & 1 == 1
    }

    pub(super) fn nodes(&self, slice: SliceId) -> impl Iterator<Item = NodeId> + '_ {
        nodes_of(&self.slices[slice.0 as usize])
    }

    fn intern_slice(&mut self, slice: Slice) -> SliceId {
        if let Some(&id) = self.slice_ids.get(&slice) {
            return id;
        }
        let id = SliceId(self.slices.len() as u32);
        self.slices.push(slice.clone());
        self.slice_ids.insert(slice, id);
        id
    }

    fn known(&self, set: SetId, letter: LetterId) -> Option<SetId> {
        let next = &self.sets[set.0 as usize].next;
        next.get(letter.0 as usize).copied().filter(|&next| next != UNKNOWN)
    }

    fn remember(&mut self, set: SetId, letter: LetterId, successor: SetId) {
        let next = &mut self.sets[set.0 as usize].next;
        if next.len() <= letter.0 as usize {
            next.resize(letter.0 as usize + 1, UNKNOWN);
        }
        next[letter.0 as usize] = successor;
    }

    /// Whether one slice is a part of another.
    pub(super) fn is_part(&self, small: SliceId, large: SliceId) -> bool {
        let (small, large) = (&self.slices[small.0 as usize], &self.slices[large.0 as usize]);
        small.iter().zip(large).all(|(small, large)| small & !large == 0)
    }

    fn forget_letters(&mut self) {
        self.letters.clear();
        self.letter_ids.clear();
        self.successors.clear();
        self.sets.iter_mut().for_each(|set| set.next.clear());
    }

    /// Forgets everything but one set and one letter.
    fn forget_but(&mut self, set: SetId, letter: LetterId) -> (SetId, LetterId) {
        let kept = self.sets[set.0 as usize].clone();
        let words = self.letters[letter.0 as usize].clone();
        *self = Self { epoch: self.epoch + 1, ..Self::default() };
        self.start();
        self.scratch.extend_from_slice(&words);
        let letter = self.intern_letter(usize::MAX);
        if set == START {
            return (START, letter);
        }
        let ids: Vec<SliceId> = kept.nodes.iter().map(|slice| self.intern_slice(slice.clone())).collect();
        (self.push_set(ids.into(), kept.verdict), letter)
    }

    fn push_set(&mut self, slices: Box<[SliceId]>, verdict: Verdict) -> SetId {
        let id = SetId(self.sets.len() as u32);
        let nodes = slices.iter().map(|slice| self.slices[slice.0 as usize].clone()).collect();
        self.sets.push(Set { slices: slices.clone(), verdict, nodes, next: Vec::new() });
        self.set_ids.insert(slices, id);
        id
    }
}

fn nodes_of(slice: &[u64]) -> impl Iterator<Item = NodeId> + '_ {
    slice.iter().enumerate().flat_map(|(index, word)| {
        (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| NodeId::new(index * 64 + bit))
    })
}

impl BreadthFirst {
    /// The set of satisfied slices after a letter.
    pub(super) fn successor(&self, cache: &mut Cache, set: SetId, letter: LetterId) -> Result<SetId, GaveUp> {
        if self.config.memory == Memory::Sets
            && let Some(known) = cache.slices.known(set, letter)
        {
            return Ok(known);
        }
        let (mut set, mut letter) = (set, letter);
        if cache.slices.sets.len() > self.config.cache_limit {
            (set, letter) = cache.slices.forget_but(set, letter);
        }
        let mut found = self.satisfied_slices(cache, set, letter)?;
        if self.config.subsumption == Subsumption::On {
            keep_minimal(&cache.slices, &mut found);
        }
        let successor = self.intern_set(cache, found);
        cache.slices.remember(set, letter, successor);
        Ok(successor)
    }

    fn satisfied_slices(&self, cache: &mut Cache, set: SetId, letter: LetterId) -> Result<Vec<SliceId>, GaveUp> {
        let mut found = self.candidate_slices(cache, set, letter)?;
        found.retain(|slice| self.is_satisfied(cache, *slice, letter));
        self.refuse_many(found.len())?;
        Ok(found)
    }

    /// The slices that runs can come to, before their labels are looked at.
    fn candidate_slices(&self, cache: &mut Cache, set: SetId, letter: LetterId) -> Result<Vec<SliceId>, GaveUp> {
        let mut found: Vec<SliceId> = Vec::new();
        if set == START {
            found.extend(self.initial(cache, self.automaton.roots()[0], letter)?);
        } else {
            for index in 0..cache.slices.sets[set.0 as usize].slices.len() {
                let slice = cache.slices.sets[set.0 as usize].slices[index];
                found.extend(self.slice_successors(cache, slice, letter)?.iter());
                if found.len() > 4 * self.config.slice_limit {
                    found.sort_unstable();
                    found.dedup();
                    self.refuse_many(found.len())?;
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    fn refuse_many(&self, count: usize) -> Result<(), GaveUp> {
        if count > self.config.slice_limit { Err(self.too_many()) } else { Ok(()) }
    }

    pub(super) fn is_satisfied(&self, cache: &Cache, slice: SliceId, letter: LetterId) -> bool {
        cache.slices.nodes(slice).all(|node| self.satisfied_under(cache, letter, node))
    }

    pub(super) fn is_accepting(&self, cache: &Cache, slice: SliceId) -> bool {
        cache.slices.nodes(slice).all(|node| self.automaton.node(node).accepting)
    }

    fn intern_set(&self, cache: &mut Cache, slices: Vec<SliceId>) -> SetId {
        let slices: Box<[SliceId]> = slices.into();
        if let Some(&id) = cache.slices.set_ids.get(&slices) {
            return id;
        }
        let accepting = slices.iter().any(|slice| self.is_accepting(cache, *slice));
        // A slice of leaves alone owes nothing to later states either.
        let done = slices.iter().any(|slice| self.owes_nothing(cache, *slice));
        let verdict = match (slices.is_empty(), done, accepting) {
            (true, ..) => Verdict::Violated,
            (_, true, _) => Verdict::Satisfied,
            (_, _, true) => Verdict::Holding,
            _ => Verdict::Pending,
        };
        cache.slices.push_set(slices, verdict)
    }

    fn owes_nothing(&self, cache: &Cache, slice: SliceId) -> bool {
        cache.slices.nodes(slice).all(|node| self.automaton.node(node).look == Look::Here)
    }

    /// successors(C): the crossproduct of what its nodes ask of the next position.
    pub(super) fn slice_successors(
        &self,
        cache: &mut Cache,
        slice: SliceId,
        letter: LetterId,
    ) -> Result<Box<[SliceId]>, GaveUp> {
        // Without past nodes the letter makes no difference.
        let key = if self.past.settled().is_empty() { (slice, LetterId(0)) } else { (slice, letter) };
        if let Some(known) = cache.slices.successors.get(&key) {
            return Ok(known.clone());
        }
        let asked: Vec<ConditionId> = cache
            .slices
            .nodes(slice)
            .filter(|node| self.automaton.node(*node).look == Look::Forward)
            .map(|node| self.automaton.node(node).next)
            .collect();
        let mut product = vec![self.no_nodes()];
        for condition in asked {
            let initial = self.initial_slices(cache, condition, letter)?;
            product = self.crossproduct(&product, &initial)?;
        }
        let mut ids: Vec<SliceId> = product.into_iter().map(|slice| cache.slices.intern_slice(slice)).collect();
        ids.sort_unstable();
        ids.dedup();
        let successors: Box<[SliceId]> = ids.into();
        cache.slices.successors.insert(key, successors.clone());
        Ok(successors)
    }

    /// initial(𝒜): the first slices of the runs of an automaton, past nodes settled.
    pub(super) fn initial(
        &self,
        cache: &mut Cache,
        condition: ConditionId,
        letter: LetterId,
    ) -> Result<Vec<SliceId>, GaveUp> {
        let slices = self.initial_slices(cache, condition, letter)?;
        Ok(slices.into_iter().map(|slice| cache.slices.intern_slice(slice)).collect())
    }

    fn initial_slices(&self, cache: &Cache, root: ConditionId, letter: LetterId) -> Result<Vec<Slice>, GaveUp> {
        let mut of_part: FxHashMap<ConditionId, Vec<Slice>> = FxHashMap::default();
        for part in self.automaton.parts(&[root]) {
            let slices = match self.automaton.condition(part) {
                Condition::Empty => vec![self.no_nodes()],
                Condition::Node(node) => self.initial_of_node(cache, node, letter),
                Condition::And(left, right) => self.crossproduct(&of_part[&left], &of_part[&right])?,
                Condition::Or(left, right) => {
                    let mut both = of_part[&left].clone();
                    both.extend(of_part[&right].iter().cloned());
                    self.distinct(both)?
                }
            };
            of_part.insert(part, slices);
        }
        Ok(of_part.remove(&root).unwrap_or_default())
    }

    fn initial_of_node(&self, cache: &Cache, node: NodeId, letter: LetterId) -> Vec<Slice> {
        match self.automaton.node(node).look {
            Look::Back if self.satisfied_under(cache, letter, node) => vec![self.no_nodes()],
            Look::Back => Vec::new(),
            Look::Here | Look::Forward => {
                let mut slice = self.no_nodes();
                slice[node.index() / 64] |= 1 << (node.index() % 64);
                vec![slice]
            }
        }
    }

    fn no_nodes(&self) -> Slice {
        vec![0; self.automaton.nodes().len().div_ceil(64)].into()
    }

    fn crossproduct(&self, left: &[Slice], right: &[Slice]) -> Result<Vec<Slice>, GaveUp> {
        if left.len().saturating_mul(right.len()) > 64 * self.config.slice_limit {
            return Err(self.too_many());
        }
        let unite = |one: &Slice, other: &Slice| one.iter().zip(other).map(|(one, other)| one | other).collect();
        let all = left.iter().flat_map(|one| right.iter().map(move |other| unite(one, other)));
        self.distinct(all.collect())
    }

    fn distinct(&self, mut slices: Vec<Slice>) -> Result<Vec<Slice>, GaveUp> {
        slices.sort_unstable();
        slices.dedup();
        self.refuse_many(slices.len())?;
        Ok(slices)
    }

    /// The set that a run has come to. If the cache has forgotten it, for the sake of another run, it is told again.
    pub(super) fn set_of(&self, cache: &mut Cache, run: &Run) -> SetId {
        if run.epoch == cache.slices.epoch {
            return run.set;
        }
        let start = cache.slices.start();
        if run.position == 0 {
            return start;
        }
        let mut ids: Vec<SliceId> = run.slices.iter().map(|slice| cache.slices.intern_slice(slice.clone())).collect();
        ids.sort_unstable();
        self.intern_set(cache, ids)
    }

    /// The satisfied slices that a run has come to, by the nodes in them: for looking at.
    pub fn slices_of(&self, run: &Run) -> Vec<Vec<NodeId>> {
        by_nodes(run.slices.iter())
    }

    /// The slices that a run can come to with the next state, satisfied or not: for looking at.
    pub fn candidates_of(
        &self,
        cache: &mut Cache,
        run: &Run,
        holds: &dyn Fn(Proposition) -> bool,
    ) -> Result<Vec<Vec<NodeId>>, GaveUp> {
        let letter = self.letter(cache, &mut run.clone(), holds);
        let set = self.set_of(cache, run);
        let candidates = self.candidate_slices(cache, set, letter)?;
        Ok(by_nodes(candidates.iter().map(|slice| &cache.slices.slices[slice.0 as usize])))
    }
}

fn by_nodes<'a>(slices: impl IntoIterator<Item = &'a Slice>) -> Vec<Vec<NodeId>> {
    let mut slices: Vec<Vec<NodeId>> = slices.into_iter().map(|slice| nodes_of(slice).collect()).collect();
    slices.sort();
    slices
}

/// Drops every slice that contains another.
fn keep_minimal(slices: &Slices, found: &mut Vec<SliceId>) {
    let all = found.clone();
    found.retain(|large| !all.iter().any(|small| small != large && slices.is_part(*small, *large)));
}

#[cfg(test)]
mod tests {
    use super::super::Config;
    use super::*;
    use crate::select::{Prepared, Simplification};
    use traceward_logic::lower::{Claim, Goal};

    /// One set of slices, but a new letter with nearly every state.
    #[test]
    fn letters_are_forgotten_too() {
        let atoms: Vec<String> = (0..20).map(|atom| format!("a{atom}")).collect();
        let formula = format!("G Z({})", atoms.join(" | "));
        let lowered = traceward_testkit::lowered(&formula, Goal::Check, None, None).expect("a formula");
        let Claim::Formula(root) = lowered.properties[0].claim else { panic!("a formula") };
        let Prepared { formulas, alphabet, normal, .. } =
            Prepared::new(&lowered.formulas, &[root], Simplification::Off);
        let config = Config { cache_limit: 100, ..Config::default() };
        let engine = BreadthFirst::new(&formulas, &alphabet, normal[0], config).expect("no bounds");
        let cache = &mut Cache::default();
        let mut run = engine.start(cache);
        for step in 1..1000_u32 {
            let state = step.wrapping_mul(0x9E37_79B9) | 1;
            let verdict = engine.step(cache, &mut run, &|atom| state >> atom.0 & 1 == 1).expect("few slices");
            assert_eq!(verdict, Verdict::Holding);
            assert!(cache.slices.letters.len() <= 100 && cache.slices.successors.len() <= 10_000);
        }
    }
}
