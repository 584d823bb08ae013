//! Breadth-first traversal as the papers print it: figure 5 of Finkbeiner and Sipma, and with
//! clocks the procedure of the thesis' section 3.4.
//!
//! A step makes all successors of all slices, whatever the next state is, and then keeps those that
//! the state satisfies: so what has to be gone through are candidates, of which there may be many
//! more than slices. [`BreadthFirst`] looks at the state first, and never makes the others. No
//! slice is dropped because of another one. The union ⊎ drops redundant entries of a configuration,
//! which is what the thesis calls optimized, unless [`Subsumption::Off`] asks for the union of the
//! first paper.
//!
//! The successors of a slice are remembered, as in the first paper's experiments, unless
//! [`Memory::Nothing`] asks for the figure alone.

use super::expansion::{Admission, SliceExpansion};
use super::slices::by_entries;
use super::{BreadthFirst, EngineConfig, EngineStatistics, Memory, Subsumption, gave_up_as};
use crate::engine::configuration::Configuration;
use crate::engine::follow::{Follow, Step};
use crate::engine::labels::{self, LabelTruth, Labels};
use crate::engine::walkthrough::{Guide, Stage, WalkthroughError};
use crate::limit::{Budget, BuildError, GaveUp, Limit};
use crate::prepared::Prepared;
use crate::saved::{Reader, RestoreError, Writer};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use traceward_logic::verdict::Verdict;

const NAME: &str = "breadth-first-printed";

/// A formula ready to be evaluated by breadth-first traversal as the papers print it.
#[derive(Clone, Debug)]
pub struct PrintedBreadthFirst {
    /// The automaton with all that the making of successors needs.
    shared: BreadthFirst,
}

/// Slices that share what is in them with what is remembered.
type SharedSlices = Arc<[Arc<Configuration>]>;

/// A run of the traversal as printed.
#[derive(Clone, Debug)]
pub struct PrintedRun {
    /// The slices that the states so far satisfy.
    slices: SharedSlices,
    verdict: Verdict,
    truth: LabelTruth,
    position: usize,
    /// The largest number of candidates at one position: the size of S in the figure.
    peak_candidates: usize,
    /// By slice, its successors.
    known: FxHashMap<Arc<Configuration>, SharedSlices>,
    /// The bytes of all that is remembered.
    bytes: usize,
    peak_bytes: usize,
    budget: Budget,
}

/// The bytes that remembering a slice takes beside its entries, and beside those of its successors:
/// its place in the table, and the heads of its allocations.
const KNOWN_BYTES: usize = 96;
const SLICE_BYTES: usize = 48;

impl PrintedRun {
    fn forget(&mut self) {
        self.known.clear();
        self.bytes = 0;
    }

    fn remember(&mut self, slice: &Arc<Configuration>, successors: &SharedSlices) {
        self.bytes += KNOWN_BYTES + bytes_of(successors);
        self.known.insert(slice.clone(), successors.clone());
    }
}

fn bytes_of(slices: &[Arc<Configuration>]) -> usize {
    slices.iter().map(|slice| SLICE_BYTES + size_of_val(slice.entries())).sum()
}

impl PrintedBreadthFirst {
    /// The setting of ⊎; whole configurations are never dropped.
    fn subsumption(&self) -> Subsumption {
        self.shared.config.subsumption.with_all_configurations()
    }

    /// The set S of the figure before a state is read: every slice that some run can have.
    fn candidates(&self, run: &mut PrintedRun) -> Result<Vec<Arc<Configuration>>, Limit> {
        if run.known.len() >= self.shared.config.limits.remembered {
            run.forget();
        }
        run.budget.renew(run.bytes);
        if run.position == 0 {
            let mut expansion =
                SliceExpansion::new(&self.shared, Admission::All, 0, self.subsumption(), &mut run.budget);
            return Ok(expansion.initial()?.into_iter().map(Arc::new).collect());
        }
        let mut candidates: Vec<Arc<Configuration>> = Vec::new();
        for slice in &*run.slices.clone() {
            let successors = self.successors(run, slice)?;
            run.budget.spend(1 + successors.len() as u64)?;
            candidates.extend(successors.iter().cloned());
            // Many of them may be the same: no more than a few times the limit are held at once.
            if candidates.len() > self.shared.config.limits.slices.saturating_mul(4) {
                self.distinct(&mut candidates)?;
            }
        }
        self.distinct(&mut candidates)?;
        Ok(candidates)
    }

    fn distinct(&self, candidates: &mut Vec<Arc<Configuration>>) -> Result<(), Limit> {
        candidates.sort_unstable();
        candidates.dedup();
        self.shared.refuse_many(candidates.len())
    }

    /// The successors of a slice, which do not depend on the state.
    fn successors(&self, run: &mut PrintedRun, slice: &Arc<Configuration>) -> Result<SharedSlices, Limit> {
        if let Some(known) = run.known.get(slice) {
            return Ok(known.clone());
        }
        let mut expansion = SliceExpansion::new(&self.shared, Admission::All, 0, self.subsumption(), &mut run.budget);
        let successors: SharedSlices = expansion.successors(slice)?.into_iter().map(Arc::new).collect();
        run.budget.take(bytes_of(&successors))?;
        if self.shared.config.memory != Memory::Nothing {
            run.remember(slice, &successors);
        }
        Ok(successors)
    }
}

impl Follow for PrintedBreadthFirst {
    type Run = PrintedRun;
    const NAME: &'static str = NAME;

    fn compile(prepared: &Prepared, index: usize, config: EngineConfig) -> Result<Self, BuildError> {
        let Prepared { formulas, alphabet, normal, .. } = prepared;
        let automaton = labels::automaton_of_steps(NAME, formulas, normal[index], "breadth-first")?;
        let shared = BreadthFirst::of_automaton(NAME, automaton, formulas, alphabet, config)?;
        Ok(Self { shared })
    }

    fn start(&self) -> Result<PrintedRun, GaveUp> {
        Ok(PrintedRun {
            slices: Arc::new([]),
            verdict: Verdict::Pending,
            truth: self.shared.labels.start(),
            position: 0,
            peak_candidates: 0,
            known: FxHashMap::default(),
            bytes: 0,
            peak_bytes: 0,
            budget: Budget::new(&self.shared.config.limits),
        })
    }

    fn step(&self, run: &mut PrintedRun, step: Step<'_>) -> Result<Verdict, GaveUp> {
        self.shared.labels.read(&mut run.truth, step);
        let mut slices = self.candidates(run).map_err(|limit| gave_up_as(NAME, limit))?;
        run.peak_candidates = run.peak_candidates.max(slices.len());
        run.peak_bytes = run.peak_bytes.max(run.bytes + bytes_of(&slices));
        slices.retain(|slice| slice.is_satisfied(&self.shared.automaton, |leaf| run.truth.satisfies(leaf)));
        run.verdict = self.shared.verdict_on(|is_so| slices.iter().any(|slice| is_so(slice)));
        run.slices = slices.into();
        run.position += 1;
        Ok(run.verdict)
    }

    fn verdict(&self, run: &PrintedRun) -> Verdict {
        run.verdict
    }

    fn show_step(
        &self,
        guide: &Guide<'_>,
        run: &mut PrintedRun,
        step: Step<'_>,
    ) -> Result<Vec<Stage>, WalkthroughError> {
        let candidates = self.candidates(run).map_err(|limit| gave_up_as(NAME, limit))?;
        self.step(run, step)?;
        let entries = |slices: &[Arc<Configuration>]| by_entries(slices.iter().map(|one| &**one));
        let candidates = self.shared.candidates_stage(guide, &entries(&candidates))?;
        Ok(vec![candidates, self.shared.kept_stage(guide, &entries(&run.slices))?])
    }

    fn automaton_text(&self, guide: &Guide<'_>) -> Option<String> {
        self.shared.automaton_text(guide)
    }

    fn save(&self, run: &PrintedRun, to: &mut Writer) {
        Labels::save(&run.truth, to);
        to.size(run.position);
        to.size(run.peak_candidates);
        to.size(run.slices.len());
        run.slices.iter().for_each(|one| one.save(to));
    }

    fn restore(&self, from: &mut Reader<'_>) -> Result<PrintedRun, RestoreError> {
        let mut run = self.start().map_err(|_| RestoreError::Damaged)?;
        run.truth = self.shared.labels.restore(from)?;
        run.position = from.size()?;
        run.peak_candidates = from.size()?;
        let slices = (0..from.count()?).map(|_| Configuration::restore(&self.shared.automaton, from).map(Arc::new));
        run.slices = slices.collect::<Result<_, _>>()?;
        if run.position > 0 {
            run.verdict = self.shared.verdict_on(|is_so| run.slices.iter().any(|slice| is_so(slice)));
        }
        Ok(run)
    }

    fn statistics(&self, run: &PrintedRun) -> Option<EngineStatistics> {
        Some(EngineStatistics {
            peak_configurations: Some(run.peak_candidates),
            peak_nodes: None,
            peak_leaves: None,
            peak_waiting: None,
            peak_bytes: run.peak_bytes,
        })
    }

    fn summary(&self) -> Option<String> {
        Some(self.shared.automaton.summary())
    }
}
