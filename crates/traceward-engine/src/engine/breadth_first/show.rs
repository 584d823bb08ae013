//! Slices, or configurations with clocks, for a reader.

use super::{AnnotatedSlice, BreadthFirst, NAME, OverSlices};
use crate::automaton::alternating::is_bounded;
use crate::automaton::metric::Kind;
use crate::engine::configuration::{Entry, entry_text};
use crate::engine::walkthrough::{Content, Guide, HeldSet, Stage, Walkthrough, WalkthroughError, WalkthroughStep};
use crate::limit::{BuildError, Feature, Unsupported};
use crate::prepared::Prepared;
use crate::run_statistics::RejectingVisits;

impl BreadthFirst {
    /// The sets that there can be with a state, whatever the state is. All nodes have the clocks
    /// that they are asked with.
    pub(super) fn candidates_stage(&self, guide: &Guide<'_>, sets: &[Vec<Entry>]) -> Result<Stage, WalkthroughError> {
        let text = |entry: &Entry| entry_text(&self.automaton, *entry);
        Ok(Stage::new("candidates", Content::Sets(self.sets(guide, sets, text)?)))
    }

    /// The sets that the state satisfies, without those that another makes needless. A leaf that is
    /// satisfied has no use for its clock any more, and the engine has dropped that.
    pub(super) fn kept_stage(&self, guide: &Guide<'_>, kept: &[Vec<Entry>]) -> Result<Stage, WalkthroughError> {
        let text = |entry: &Entry| match self.automaton.node(entry.node).kind {
            Kind::Leaf(_) => entry.node.to_string(),
            Kind::Timer { .. } => entry_text(&self.automaton, *entry),
        };
        Ok(Stage::new("kept", Content::Sets(self.sets(guide, kept, text)?)))
    }

    fn sets(
        &self,
        guide: &Guide<'_>,
        sets: &[Vec<Entry>],
        text: impl Fn(&Entry) -> String,
    ) -> Result<Vec<HeldSet>, WalkthroughError> {
        guide.allow(sets.iter().map(|set| set.len().max(1)).sum())?;
        let one = |set: &Vec<Entry>| HeldSet {
            members: set.iter().map(&text).collect(),
            is_accepting: set.iter().all(|entry| self.automaton.node(entry.node).accepting),
            visits: None,
        };
        Ok(sets.iter().map(one).collect())
    }

    /// The steps with slices that know how often runs have visited rejecting nodes: section 4.3 of
    /// the first paper. Visits are counted to the end of the trace, also where the verdict is final
    /// before.
    pub(super) fn with_visits(
        &self,
        guide: &Guide<'_>,
        mut told: Walkthrough,
    ) -> Result<Walkthrough, WalkthroughError> {
        let Prepared { formulas, alphabet, normal, .. } = guide.prepared;
        if formulas.parts(normal).into_iter().any(|part| is_bounded(formulas.node(part))) {
            let bounds = Unsupported { engine: NAME, what: Feature::Bounds, instead: "reverse" };
            return Err(BuildError::from(bounds).into());
        }
        let over_slices = OverSlices::new(formulas, alphabet, normal[0], self.config).map_err(BuildError::from)?;
        let annotated = over_slices.annotated(&RejectingVisits, guide.letters)?;
        let last = told.steps.last().map(|step| step.conclusion);
        for (position, slices) in annotated.iter().enumerate() {
            let stage = self.visits_stage(guide, slices).map_err(|error| error.after(position))?;
            match (told.steps.get_mut(position), last) {
                (Some(step), _) => step.stages.push(stage),
                (None, Some(conclusion)) => {
                    let state = Some(guide.state(position));
                    told.steps.push(WalkthroughStep { state, stages: vec![stage], conclusion });
                }
                (None, None) => {}
            }
        }
        Ok(told)
    }

    fn visits_stage(&self, guide: &Guide<'_>, slices: &[AnnotatedSlice<u64>]) -> Result<Stage, WalkthroughError> {
        let sets: Vec<Vec<Entry>> = slices.iter().map(|slice| slice.entries.clone()).collect();
        let sets = self.sets(guide, &sets, |entry| entry.node.to_string())?.into_iter();
        let counted = sets.zip(slices).map(|(set, slice)| HeldSet { visits: Some(slice.value), ..set });
        Ok(Stage::new("visits", Content::Sets(counted.collect())))
    }
}
