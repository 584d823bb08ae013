//! Slices, or configurations with clocks, for a reader.

use super::BreadthFirst;
use crate::automaton::metric::Kind;
use crate::engine::configuration::{Entry, entry_text};
use crate::engine::walkthrough::{Content, Guide, HeldSet, Stage, WalkthroughError};

impl BreadthFirst {
    /// The sets that there can be with a state, whatever the state is. All nodes have the clocks
    /// that they are asked with.
    pub(super) fn candidates_stage(&self, guide: &Guide<'_>, sets: &[Vec<Entry>]) -> Result<Stage, WalkthroughError> {
        let text = |entry: &Entry| entry_text(&self.automaton, *entry);
        Ok(Stage::new("candidates", self.sets(guide, sets, text)?))
    }

    /// The sets that the state satisfies, without those that another makes needless. A leaf that is
    /// satisfied has no use for its clock any more, and the engine has dropped that.
    pub(super) fn kept_stage(&self, guide: &Guide<'_>, kept: &[Vec<Entry>]) -> Result<Stage, WalkthroughError> {
        let text = |entry: &Entry| match self.automaton.node(entry.node).kind {
            Kind::Leaf(_) => entry.node.to_string(),
            Kind::Timer { .. } => entry_text(&self.automaton, *entry),
        };
        Ok(Stage::new("kept", self.sets(guide, kept, text)?))
    }

    fn sets(
        &self,
        guide: &Guide<'_>,
        sets: &[Vec<Entry>],
        text: impl Fn(&Entry) -> String,
    ) -> Result<Content, WalkthroughError> {
        guide.allow(sets.iter().map(|set| set.len().max(1)).sum())?;
        let one = |set: &Vec<Entry>| HeldSet {
            members: set.iter().map(&text).collect(),
            is_accepting: set.iter().all(|entry| self.automaton.node(entry.node).accepting),
        };
        Ok(Content::Sets(sets.iter().map(one).collect()))
    }
}
