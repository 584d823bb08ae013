//! Configurations, sets of them, and their successors, each kept once.

use super::expansion::{Admission, Horizon, SliceExpansion};
use super::{BreadthFirst, GaveUp, LabelTruth, Memory, Progress, Run, SliceCache, Subsumption, gave_up};
use crate::automaton::alternating::NodeId;
use crate::automaton::metric::{Clock, ClockTest};
use crate::engine::configuration::{Compaction, Configuration, Entry};
use crate::limit::{Budget, Limit};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use traceward_logic::formula::Unit;
use traceward_logic::verdict::Verdict;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct SliceId(u32);

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct SetId(u32);

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct LetterId(u32);

/// The set before the first state.
const START: SetId = SetId(0);
const UNKNOWN: SetId = SetId(u32::MAX);

/// The average size of a set in bytes, with all that is remembered of it, above which the cache has
/// to do with fewer sets.
const BYTES_PER_SET: usize = 8 << 10;

/// Letters below this are found in a list.
const SMALL_LETTERS: u64 = 256;

/// The slices, sets and letters that have been met, up to a limit.
#[derive(Clone, Debug, Default)]
pub(super) struct Slices {
    configurations: Vec<Arc<Configuration>>,
    configuration_ids: FxHashMap<Arc<Configuration>, SliceId>,
    sets: Vec<Set>,
    set_ids: FxHashMap<Arc<[SliceId]>, SetId>,
    /// A bit for each leaf: whether it is satisfied.
    letters: Vec<Arc<[u64]>>,
    letter_ids: FxHashMap<Arc<[u64]>, LetterId>,
    /// The ids of letters of one small word, which most are.
    small_letters: Vec<Option<LetterId>>,
    scratch: Vec<u64>,
    /// The number of times that everything has been forgotten. Ids are good as long as it stays the
    /// same.
    epoch: u64,
    /// The configurations behind one that a letter satisfies.
    successors: FxHashMap<(SliceId, LetterId), Arc<[SliceId]>>,
    bytes: Bytes,
}

/// The bytes that are held, apart for sets and for letters, which are forgotten at different times.
#[derive(Clone, Copy, Debug, Default)]
struct Bytes {
    sets: usize,
    /// Letters and what is remembered by letter.
    letters: usize,
}

/// A set of configurations that are all satisfied by the state they were made for.
#[derive(Clone, Debug)]
struct Set {
    configurations: Arc<[SliceId]>,
    verdict: Verdict,
    /// The configurations themselves, for runs to keep.
    kept: Arc<[Arc<Configuration>]>,
    /// By letter, the set after it.
    next: Vec<SetId>,
}

impl Slices {
    pub(super) fn start(&mut self) -> SetId {
        if self.sets.is_empty() {
            self.sets.push(Set {
                configurations: Arc::new([]),
                verdict: Verdict::Pending,
                kept: Arc::new([]),
                next: Vec::new(),
            });
        }
        START
    }

    pub(super) fn epoch(&self) -> u64 {
        self.epoch
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes.sets + self.bytes.letters
    }

    pub(super) fn kept(&self, set: SetId) -> &Arc<[Arc<Configuration>]> {
        &self.sets[set.0 as usize].kept
    }

    pub(super) fn verdict(&self, set: SetId) -> Verdict {
        self.sets[set.0 as usize].verdict
    }

    pub(super) fn configuration(&self, id: SliceId) -> &Arc<Configuration> {
        &self.configurations[id.0 as usize]
    }

    /// The letter that was written into the scratch. Letters do not outlive a step, so those before
    /// may be forgotten.
    fn intern_letter(&mut self, limit: usize) -> LetterId {
        if let Some(id) = self.small_letter() {
            return id;
        }
        if let Some(&id) = self.letter_ids.get(self.scratch.as_slice()) {
            return id;
        }
        if self.letters.len() >= limit {
            self.forget_letters();
        }
        let id = LetterId(self.letters.len() as u32);
        let words: Arc<[u64]> = self.scratch.as_slice().into();
        self.bytes.letters += LETTER_BYTES + size_of_val(&*words);
        self.letters.push(words.clone());
        self.letter_ids.insert(words, id);
        if let [word @ ..SMALL_LETTERS] = *self.scratch {
            self.small_letters.resize(SMALL_LETTERS as usize, None);
            self.small_letters[word as usize] = Some(id);
        }
        id
    }

    fn small_letter(&self) -> Option<LetterId> {
        let [word] = *self.scratch else { return None };
        *self.small_letters.get(usize::try_from(word).ok()?)?
    }

    fn intern_configuration(&mut self, configuration: Configuration) -> SliceId {
        if let Some(&id) = self.configuration_ids.get(&configuration) {
            return id;
        }
        self.push_configuration(Arc::new(configuration))
    }

    fn intern_shared(&mut self, configuration: &Arc<Configuration>) -> SliceId {
        match self.configuration_ids.get(configuration) {
            Some(&id) => id,
            None => self.push_configuration(configuration.clone()),
        }
    }

    fn push_configuration(&mut self, configuration: Arc<Configuration>) -> SliceId {
        let id = SliceId(self.configurations.len() as u32);
        self.bytes.sets += CONFIGURATION_BYTES + size_of_val(configuration.entries());
        self.configurations.push(configuration.clone());
        self.configuration_ids.insert(configuration, id);
        id
    }

    /// The ids of these, in order, each once.
    fn intern_all(&mut self, configurations: Vec<Configuration>) -> Arc<[SliceId]> {
        let one = |configuration| self.intern_configuration(configuration);
        let mut ids: Vec<SliceId> = configurations.into_iter().map(one).collect();
        distinct(&mut ids);
        ids.into()
    }

    fn known(&self, set: SetId, letter: LetterId) -> Option<SetId> {
        let next = &self.sets[set.0 as usize].next;
        next.get(letter.0 as usize).copied().filter(|&next| next != UNKNOWN)
    }

    fn remember(&mut self, set: SetId, letter: LetterId, successor: SetId) {
        let next = &mut self.sets[set.0 as usize].next;
        if next.len() <= letter.0 as usize {
            self.bytes.letters += (letter.0 as usize + 1 - next.len()) * size_of::<SetId>();
            next.resize(letter.0 as usize + 1, UNKNOWN);
        }
        next[letter.0 as usize] = successor;
    }

    fn remember_successors(&mut self, key: (SliceId, LetterId), successors: Arc<[SliceId]>) {
        self.bytes.letters += SUCCESSORS_BYTES + size_of_val(&*successors);
        self.successors.insert(key, successors);
    }

    fn forget_letters(&mut self) {
        self.letters.clear();
        self.letter_ids.clear();
        self.small_letters.clear();
        self.successors.clear();
        self.sets.iter_mut().for_each(|set| set.next.clear());
        self.bytes.letters = 0;
    }

    fn is_full(&self, limit: usize) -> bool {
        self.sets.len() > limit || self.bytes() > limit.saturating_mul(BYTES_PER_SET)
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
        // They keep their order.
        let ids: Vec<SliceId> = kept.kept.iter().map(|one| self.intern_shared(one)).collect();
        (self.push_set(ids.into(), kept.verdict), letter)
    }

    fn push_set(&mut self, configurations: Arc<[SliceId]>, verdict: Verdict) -> SetId {
        let id = SetId(self.sets.len() as u32);
        let kept: Arc<[Arc<Configuration>]> =
            configurations.iter().map(|&configuration| self.configuration(configuration).clone()).collect();
        self.bytes.sets += SET_BYTES + size_of_val(&*configurations) + size_of_val(&*kept);
        self.sets.push(Set { configurations: configurations.clone(), verdict, kept, next: Vec::new() });
        self.set_ids.insert(configurations, id);
        id
    }
}

/// The bytes that letters, configurations, sets and lists of successors take beside their contents:
/// their entries in lists and tables, and the heads of their allocations.
const LETTER_BYTES: usize = 16 + 24 + 32;
const CONFIGURATION_BYTES: usize = 8 + 16 + 64;
const SET_BYTES: usize = size_of::<Set>() + 24 + 64;
const SUCCESSORS_BYTES: usize = 32 + 32;

impl BreadthFirst {
    /// The letter of the state that was read. Where clocks count time, that which has passed is
    /// part of it, in a word of its own behind the leaves: on it depends what comes after, too.
    pub(super) fn letter(&self, cache: &mut SliceCache, truth: &LabelTruth, passed: u64) -> LetterId {
        let word =
            |leaves: &[NodeId]| leaves.iter().rev().fold(0, |word, leaf| word << 1 | u64::from(truth.satisfies(*leaf)));
        let words = &mut cache.slices.scratch;
        words.clear();
        words.extend(self.leaves.chunks(64).map(word));
        if self.automaton.is_timed() {
            words.push(passed);
        }
        cache.slices.intern_letter(self.config.limits.remembered)
    }

    /// The set of configurations after a letter.
    pub(super) fn successor(&self, cache: &mut SliceCache, set: SetId, letter: LetterId) -> Result<SetId, Limit> {
        if self.config.memory == Memory::Sets
            && let Some(known) = cache.slices.known(set, letter)
        {
            return Ok(known);
        }
        let (mut set, mut letter) = (set, letter);
        cache.budget.renew(cache.slices.bytes());
        if cache.slices.is_full(self.config.limits.remembered) {
            (set, letter) = cache.slices.forget_but(set, letter);
        }
        let found = self.satisfied(cache, set, letter)?;
        let successor = self.intern_set(cache, found.into());
        if self.config.memory == Memory::Sets {
            cache.slices.remember(set, letter, successor);
        }
        Ok(successor)
    }

    /// The configurations behind those of a set that a letter satisfies, as far as they are kept.
    fn satisfied(&self, cache: &mut SliceCache, set: SetId, letter: LetterId) -> Result<Vec<SliceId>, Limit> {
        let mut found = match set {
            START => self.initial(cache, letter)?.to_vec(),
            _ => self.all_successors(cache, set, letter)?,
        };
        if self.config.subsumption == Subsumption::On && found.len() > 1 {
            let all: Vec<&Configuration> = found.iter().map(|id| &**cache.slices.configuration(*id)).collect();
            let mut stays = self.least(&all, Horizon::Later, &mut cache.budget)?.into_iter();
            found.retain(|_| stays.next() == Some(true));
        }
        self.refuse_many(found.len())?;
        Ok(found)
    }

    fn all_successors(&self, cache: &mut SliceCache, set: SetId, letter: LetterId) -> Result<Vec<SliceId>, Limit> {
        let SliceCache { slices, budget } = cache;
        let words = slices.letters[letter.0 as usize].clone();
        let mut expansion = self.expansion(&words, budget);
        let configurations = slices.sets[set.0 as usize].configurations.clone();
        let mut found: Vec<SliceId> = Vec::new();
        for &configuration in &*configurations {
            found.extend(self.known_successors(slices, &mut expansion, configuration, letter)?.iter());
            if found.len() > self.config.limits.slices.saturating_mul(4) {
                self.refuse_many(distinct(&mut found))?;
            }
        }
        distinct(&mut found);
        Ok(found)
    }

    fn expansion<'a>(&'a self, letter: &'a [u64], budget: &'a mut Budget) -> SliceExpansion<'a> {
        let passed = if self.automaton.is_timed() { letter.last().copied().unwrap_or(0) } else { 0 };
        SliceExpansion::new(self, Admission::SatisfiedBy(letter), passed, self.config.subsumption, budget)
    }

    fn known_successors(
        &self,
        slices: &mut Slices,
        expansion: &mut SliceExpansion<'_>,
        configuration: SliceId,
        letter: LetterId,
    ) -> Result<Arc<[SliceId]>, Limit> {
        if let Some(known) = slices.successors.get(&(configuration, letter)) {
            return Ok(known.clone());
        }
        let found = expansion.successors(slices.configuration(configuration))?;
        let before = slices.bytes();
        let successors = slices.intern_all(found);
        if self.config.memory != Memory::Nothing {
            slices.remember_successors((configuration, letter), successors.clone());
        }
        expansion.budget().take(slices.bytes() - before)?;
        Ok(successors)
    }

    /// The first configurations of all runs that a letter satisfies.
    pub(super) fn initial(&self, cache: &mut SliceCache, letter: LetterId) -> Result<Arc<[SliceId]>, Limit> {
        let words = cache.slices.letters[letter.0 as usize].clone();
        let found = self.expansion(&words, &mut cache.budget).initial()?;
        Ok(cache.slices.intern_all(found))
    }

    /// The configurations behind one that a letter satisfies.
    pub(super) fn successors(
        &self,
        cache: &mut SliceCache,
        configuration: SliceId,
        letter: LetterId,
    ) -> Result<Arc<[SliceId]>, Limit> {
        let SliceCache { slices, budget } = cache;
        let words = slices.letters[letter.0 as usize].clone();
        self.known_successors(slices, &mut self.expansion(&words, budget), configuration, letter)
    }

    fn intern_set(&self, cache: &mut SliceCache, configurations: Arc<[SliceId]>) -> SetId {
        if let Some(&id) = cache.slices.set_ids.get(&configurations) {
            return id;
        }
        let verdict = self.verdict_of(cache, &configurations);
        cache.slices.push_set(configurations, verdict)
    }

    fn verdict_of(&self, cache: &SliceCache, configurations: &[SliceId]) -> Verdict {
        self.verdict_on(|is_so| configurations.iter().any(|id| is_so(cache.slices.configuration(*id))))
    }

    /// The verdict on the runs that have come to some configurations, all of them satisfied.
    /// `any` tells whether there is one of a kind.
    pub(super) fn verdict_on(&self, any: impl Fn(&dyn Fn(&Configuration) -> bool) -> bool) -> Verdict {
        if !any(&|_| true) {
            Verdict::Violated
        } else if any(&|one| one.timers(&self.automaton).next().is_none()) {
            // Leaves and clocks that have run out owe nothing to later states.
            Verdict::Satisfied
        } else if any(&|one| one.is_final(&self.automaton)) {
            Verdict::Holding
        } else {
            Verdict::Pending
        }
    }

    /// The set that a run has come to. If the cache has forgotten it, it is told again.
    pub(super) fn set_of(&self, cache: &mut SliceCache, run: &Progress) -> SetId {
        if run.epoch == cache.slices.epoch {
            return run.set;
        }
        let start = cache.slices.start();
        if run.position == 0 {
            return start;
        }
        let mut ids: Vec<SliceId> = run.kept.iter().map(|one| cache.slices.intern_shared(one)).collect();
        ids.sort_unstable();
        self.intern_set(cache, ids.into())
    }

    /// The set that a run has come to once no later state has a timestamp below a time. A window
    /// that has closed by then is as it is at the end of the trace: whoever waits in it for
    /// something waits in vain, and whoever asks for something to stay asks no more.
    pub(super) fn set_at(&self, cache: &mut SliceCache, run: &Progress, time: i64) -> SetId {
        let passed = run.time.map_or(0, |last| time.saturating_sub(last).max(0).unsigned_abs());
        let is_closed = |entry: &Entry| self.is_window_in_time(entry) && entry.clock.after(passed) < Clock::ZERO;
        let behind = |one: &Arc<Configuration>| {
            let mut closed = one.entries().iter().filter(|entry| is_closed(entry));
            let is_possible = closed.all(|entry| self.automaton.node(entry.node).accepting);
            let open = one.entries().iter().filter(|entry| !is_closed(entry)).copied();
            is_possible.then(|| Configuration::collect(open, &self.automaton, Compaction::Off))
        };
        let left = run.kept.iter().filter_map(behind).collect();
        let ids = cache.slices.intern_all(left);
        self.intern_set(cache, ids)
    }

    /// The first time at which a window closes in which a run waits.
    pub(super) fn deadline_of(&self, run: &Progress) -> Option<i64> {
        let entries = run.kept.iter().flat_map(|one| one.entries());
        let left =
            entries.filter(|entry| self.is_window_in_time(entry)).filter_map(|entry| entry.clock.left()).min()?;
        run.time?.checked_add_unsigned(left)
    }

    /// Whether an entry is a window in time. A delay is none: whether its clock is that of a window
    /// does not show.
    fn is_window_in_time(&self, entry: &Entry) -> bool {
        let has_window = self.automaton.node(entry.node).test() == Some(ClockTest::Open);
        has_window && self.automaton.unit_of(entry.node) == Unit::Time
    }

    /// The configurations that a run has come to, by what is in them: for looking at.
    pub fn slices_of(&self, run: &Run) -> Vec<Vec<Entry>> {
        by_entries(run.progress.kept.iter().map(|one| &**one))
    }

    /// The configurations that a run can come to with the next state, satisfied or not: for looking
    /// at. They do not depend on the state, but for its time: here none has passed.
    pub fn candidates_of(&self, run: &Run) -> Result<Vec<Vec<Entry>>, GaveUp> {
        self.candidates_after(run, 0)
    }

    /// The same, after so many nanoseconds.
    pub(super) fn candidates_after(&self, run: &Run, passed: u64) -> Result<Vec<Vec<Entry>>, GaveUp> {
        let subsumption = self.config.subsumption.with_all_configurations();
        let mut budget = Budget::new(&self.config.limits);
        let mut expansion = SliceExpansion::new(self, Admission::All, passed, subsumption, &mut budget);
        let mut found = Vec::new();
        if run.progress.position == 0 {
            found = expansion.initial().map_err(gave_up)?;
        }
        for one in &*run.progress.kept {
            found.extend(expansion.successors(one).map_err(gave_up)?);
        }
        found.sort_unstable();
        found.dedup();
        self.refuse_many(found.len()).map_err(gave_up)?;
        Ok(by_entries(&found))
    }
}

/// Puts ids in order, each once, and tells how many they are.
fn distinct(ids: &mut Vec<SliceId>) -> usize {
    ids.sort_unstable();
    ids.dedup();
    ids.len()
}

pub(super) fn by_entries<'a>(configurations: impl IntoIterator<Item = &'a Configuration>) -> Vec<Vec<Entry>> {
    let mut all: Vec<Vec<Entry>> = configurations.into_iter().map(|one| one.entries().to_vec()).collect();
    all.sort();
    all
}

#[cfg(test)]
mod tests {
    use super::super::EngineConfig;
    use super::*;
    use crate::engine::follow::{Follow, Step};
    use crate::limit::Limits;
    use crate::select::{Prepared, Simplification};
    use traceward_logic::letter::Proposition;
    use traceward_logic::lower::{Claim, Goal};

    fn engine(formula: &str, config: EngineConfig) -> BreadthFirst {
        let lowered = traceward_testkit::lowered(formula, Goal::Check, None, None).expect("a formula");
        let Claim::Formula(root) = lowered.properties[0].claim else { panic!("a formula") };
        let Prepared { formulas, alphabet, normal, .. } =
            Prepared::new(&lowered.formulas, &[root], Simplification::Off);
        BreadthFirst::new(&formulas, &alphabet, normal[0], config).expect("no bounds in time")
    }

    /// One set of configurations, but a new letter with nearly every state.
    #[test]
    fn letters_are_forgotten_too() {
        let atoms: Vec<String> = (0..20).map(|atom| format!("a{atom} | Y a{atom}")).collect();
        let formula = format!("G({})", atoms.join(" | "));
        let config =
            EngineConfig { limits: Limits { remembered: 100, ..Limits::default() }, ..EngineConfig::default() };
        let engine = engine(&formula, config);
        let mut run = engine.start().expect("few slices");
        for step in 1..1000_u32 {
            let state = step.wrapping_mul(0x9E37_79B9) | 1;
            let letter = |atom: Proposition| state >> atom.0 & 1 == 1;
            let verdict = engine.step(&mut run, Step::new(&letter, step as usize)).expect("few slices");
            assert_eq!(verdict, Verdict::Holding);
            let slices = &run.cache.slices;
            assert!(slices.letters.len() <= 100 && slices.successors.len() <= 10_000);
        }
    }
}
