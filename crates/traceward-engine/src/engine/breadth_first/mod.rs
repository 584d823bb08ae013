//! Breadth-first traversal: Finkbeiner and Sipma, *Checking Finite Traces using Alternating
//! Automata*, sections 3.2 and 5.4, and the thesis on bounded temporal logic, section 3.4, which
//! does the same on metric automata.
//!
//! A run is a sequence of *slices*, sets of nodes that a run visits at one position; with a clock
//! for each node the thesis calls them *configurations*. Of a formula without bounds all clocks
//! stay as they are, so one algorithm does for both. The engine keeps all configurations that some
//! run over the states so far can have, and steps from one state to the next; the trace is walked
//! once, and may still be growing. No configuration left: no continuation can satisfy the formula.
//! One in which no timer leads anywhere: nothing is owed, every continuation does.
//!
//! Formulas about the past are settled at once: at a position such a formula is either true, and
//! asks for nothing, or the configuration that needs it is gone. (The first paper keeps a satisfied
//! past node in its slice, which would owe its successor at the *next* position.) So their truth is
//! part of the letter. A future operator inside a past one is refused.
//!
//! A configuration that asks of later states all that another one asks of them can be dropped: the
//! other leads to an accepting one whenever it does ([`Subsumption`]). Without that their number
//! may explode. Successors are remembered, for configurations and for whole sets of them, in a
//! cache of bounded size.
//!
//! The thesis misprints: `init(ε)` is `{∅}`, not `∅`; `init(N, c)` is a set of configurations,
//! `{{⟨N,c⟩}}`; the traversal starts with `init(𝒜, ∞)`; a node is state-satisfied (definition 3.15)
//! if it evaluates to anything but -1; the procedure returns whether S′ is *not* empty, having read
//! the last state and not the one before it. And of two clocks on a delay timer neither subsumes
//! the other, whatever claim 3.2 says.

mod expansion;
mod printed;
mod show;
mod slices;
mod statistics;

use super::configuration::Configuration;
use super::follow::{Follow, Step, walk};
use super::labels::{self, LabelTruth, Labels};
use super::walkthrough::{Guide, Stage, Visits, Walkthrough, WalkthroughError};
use super::{EngineConfig, EngineStatistics, Memory, Subsumption};
use crate::automaton::alternating::NodeId;
use crate::automaton::metric::{Kind, Label, Metric};
use crate::limit::{Budget, BuildError, GaveUp, Instead, Limit, Limits, Unsupported};
use crate::prepared::Prepared;
use crate::saved::{Reader, RestoreError, Writer};
use expansion::Scopes;
pub use printed::{PrintedBreadthFirst, PrintedRun};
use slices::{SetId, Slices};
pub use statistics::{AnnotatedSlice, OverSlices};
use std::sync::Arc;
use traceward_logic::formula::{FormulaId, Formulas};
use traceward_logic::letter::Alphabet;
use traceward_logic::verdict::Verdict;

const NAME: &str = "breadth-first";

/// A formula ready to be evaluated by breadth-first traversal.
#[derive(Clone, Debug)]
pub struct BreadthFirst {
    automaton: Metric,
    scopes: Scopes,
    labels: Labels,
    /// The leaves that a state is asked for, in order.
    leaves: Box<[NodeId]>,
    config: EngineConfig,
}

/// Scratch: configurations, sets of them, and their successors.
#[derive(Clone, Debug)]
pub(super) struct SliceCache {
    slices: Slices,
    /// The work and the bytes that a step may take.
    budget: Budget,
}

impl SliceCache {
    fn new(limits: &Limits) -> Self {
        Self { slices: Slices::default(), budget: Budget::new(limits) }
    }
}

/// A run of a traversal. A clone goes on by itself, and begins with nothing remembered.
#[derive(Debug)]
pub struct Run {
    progress: Progress,
    cache: SliceCache,
}

impl Clone for Run {
    fn clone(&self) -> Self {
        let cache = SliceCache { slices: Slices::default(), budget: self.cache.budget.clone() };
        Self { progress: Progress { epoch: NO_EPOCH, ..self.progress.clone() }, cache }
    }
}

/// The progress of a traversal: what it has come to after the states so far.
#[derive(Clone, Debug)]
struct Progress {
    /// The number of the set of configurations in the cache, good for the cache's epoch.
    set: SetId,
    epoch: u64,
    /// The configurations themselves, for the case that the cache forgets them.
    kept: Arc<[Arc<Configuration>]>,
    verdict: Verdict,
    truth: LabelTruth,
    position: usize,
    /// The timestamp of the last state, where a clock counts time.
    time: Option<i64>,
    peak_configurations: usize,
}

/// The epoch that no cache has: none forgets everything that often.
const NO_EPOCH: u64 = u64::MAX;

impl Run {
    /// The largest number of configurations that the run has had at one position.
    pub fn peak_configurations(&self) -> usize {
        self.progress.peak_configurations
    }

    /// The approximate number of bytes that are remembered.
    pub fn bytes(&self) -> usize {
        self.cache.slices.bytes()
    }
}

impl Progress {
    fn arrive(&mut self, set: SetId, slices: &Slices) {
        if self.set == set && self.epoch == slices.epoch() {
            return;
        }
        self.set = set;
        self.epoch = slices.epoch();
        self.kept.clone_from(slices.kept(set));
        self.verdict = slices.verdict(set);
        self.peak_configurations = self.peak_configurations.max(self.kept.len());
    }
}

impl BreadthFirst {
    /// Prepares a formula in negation normal form with split atoms.
    pub fn new(
        formulas: &Formulas,
        alphabet: &Alphabet,
        root: FormulaId,
        config: EngineConfig,
    ) -> Result<Self, Unsupported> {
        let automaton = labels::automaton(NAME, formulas, root)?;
        Self::of_automaton(NAME, automaton, formulas, alphabet, config)
    }

    /// The same for an automaton that was made, and the engine of a name.
    fn of_automaton(
        engine: &'static str,
        automaton: Metric,
        formulas: &Formulas,
        alphabet: &Alphabet,
        config: EngineConfig,
    ) -> Result<Self, Unsupported> {
        let labels = Labels::new(engine, &automaton, formulas, alphabet)?;
        let is_leaf = |node: &NodeId| matches!(automaton.node(*node).kind, Kind::Leaf(_));
        let leaves = automaton.node_ids().filter(is_leaf).collect();
        Ok(Self { scopes: Scopes::new(&automaton), automaton, labels, leaves, config })
    }

    /// The automaton that is traversed.
    pub fn automaton(&self) -> &Metric {
        &self.automaton
    }

    fn satisfies(&self, letter: &[u64], leaf: NodeId) -> bool {
        self.leaves.binary_search(&leaf).is_ok_and(|place| letter[place / 64] >> (place % 64) & 1 == 1)
    }

    /// The nanoseconds between the last state and the next one, as far as clocks count them.
    fn passed(&self, progress: &Progress, step: Step<'_>) -> u64 {
        let passed = progress.time.zip(step.time).map_or(0, |(before, now)| now.abs_diff(before));
        passed.min(self.automaton.longest_time())
    }

    fn is_past(&self, node: NodeId) -> bool {
        matches!(self.automaton.node(node).kind, Kind::Leaf(Label::Past(_)))
    }
}

fn gave_up(limit: Limit) -> GaveUp {
    gave_up_as(NAME, limit)
}

/// The error of the engine of a name.
fn gave_up_as(engine: &'static str, limit: Limit) -> GaveUp {
    GaveUp { engine, limit, instead: &[Instead::REVERSE] }
}

impl Follow for BreadthFirst {
    type Run = Run;
    const NAME: &'static str = NAME;

    fn compile(prepared: &Prepared, index: usize, config: EngineConfig) -> Result<Self, BuildError> {
        Ok(Self::new(&prepared.formulas, &prepared.alphabet, prepared.normal[index], config)?)
    }

    fn start(&self) -> Result<Run, GaveUp> {
        let mut cache = SliceCache::new(&self.config.limits);
        let set = cache.slices.start();
        let progress = Progress {
            set,
            epoch: cache.slices.epoch(),
            kept: cache.slices.kept(set).clone(),
            verdict: cache.slices.verdict(set),
            truth: self.labels.start(),
            position: 0,
            time: None,
            peak_configurations: 0,
        };
        Ok(Run { progress, cache })
    }

    fn step(&self, Run { progress, cache }: &mut Run, step: Step<'_>) -> Result<Verdict, GaveUp> {
        self.labels.read(&mut progress.truth, step);
        let letter = self.letter(cache, &progress.truth, self.passed(progress, step));
        let set = self.set_of(cache, progress);
        let successor = self.successor(cache, set, letter).map_err(gave_up)?;
        progress.arrive(successor, &cache.slices);
        progress.position += 1;
        progress.time = step.time.filter(|_| self.automaton.is_timed());
        Ok(progress.verdict)
    }

    fn advance(&self, Run { progress, cache }: &mut Run, time: i64) -> Result<Verdict, GaveUp> {
        if !progress.verdict.is_final() && self.deadline_of(progress).is_some_and(|first| time > first) {
            let set = self.set_at(cache, progress, time);
            progress.arrive(set, &cache.slices);
        }
        Ok(progress.verdict)
    }

    fn deadline(&self, run: &Run) -> Option<i64> {
        self.deadline_of(&run.progress)
    }

    fn verdict(&self, run: &Run) -> Verdict {
        run.progress.verdict
    }

    fn show_step(&self, guide: &Guide<'_>, run: &mut Run, step: Step<'_>) -> Result<Vec<Stage>, WalkthroughError> {
        let candidates = self.candidates_after(run, self.passed(&run.progress, step))?;
        self.step(run, step)?;
        Ok(vec![self.candidates_stage(guide, &candidates)?, self.kept_stage(guide, &self.slices_of(run))?])
    }

    fn automaton_text(&self, guide: &Guide<'_>) -> Option<String> {
        guide.metric_text(&self.automaton)
    }

    fn walkthrough(&self, guide: &Guide<'_>) -> Result<Walkthrough, WalkthroughError> {
        let told = walk(self, guide)?;
        match guide.visits {
            Visits::NotCounted => Ok(told),
            Visits::Counted => self.with_visits(guide, told),
        }
    }

    fn save(&self, Run { progress, .. }: &Run, to: &mut Writer) {
        Labels::save(&progress.truth, to);
        to.size(progress.position);
        if self.automaton.is_timed() {
            to.optional(progress.time.map(|time| time.abs_diff(i64::MIN)));
        }
        to.size(progress.peak_configurations);
        to.size(progress.kept.len());
        progress.kept.iter().for_each(|one| one.save(to));
    }

    fn restore(&self, from: &mut Reader<'_>) -> Result<Run, RestoreError> {
        let cache = SliceCache::new(&self.config.limits);
        let mut run = Run { cache, ..self.start().map_err(|_| RestoreError::Damaged)? };
        let Run { progress, cache } = &mut run;
        progress.truth = self.labels.restore(from)?;
        progress.position = from.size()?;
        if self.automaton.is_timed() {
            progress.time = from.optional()?.map(|since| i64::MIN.wrapping_add_unsigned(since));
        }
        progress.peak_configurations = from.size()?;
        let kept = (0..from.count()?).map(|_| Configuration::restore(&self.automaton, from).map(Arc::new));
        progress.kept = kept.collect::<Result<_, _>>()?;
        progress.epoch = NO_EPOCH;
        let set = self.set_of(cache, progress);
        progress.verdict = cache.slices.verdict(set);
        Ok(run)
    }

    fn statistics(&self, run: &Run) -> Option<EngineStatistics> {
        Some(EngineStatistics {
            peak_configurations: Some(run.peak_configurations()),
            peak_nodes: None,
            peak_leaves: None,
            peak_waiting: None,
            peak_bytes: run.bytes(),
        })
    }

    fn summary(&self) -> Option<String> {
        Some(self.automaton.summary())
    }
}
