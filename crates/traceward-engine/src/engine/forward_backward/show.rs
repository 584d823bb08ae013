//! Configuration trees for a reader.

use super::{Cover, ForwardBackward, Run, TreeId, TreeKind};
use crate::engine::configuration::{Entry, entry_text};
use crate::engine::walkthrough::{HeldGraph, HeldId, HeldVertex};

impl ForwardBackward {
    /// The tree that is left, with nothing evaluated in it.
    pub(super) fn shown(&self, run: &Run) -> HeldGraph {
        self.drawn(run, |_| None)
    }

    /// The tree as it has grown, with the values of those leaves whose value is known.
    pub(super) fn evaluated(&self, run: &Run) -> HeldGraph {
        self.drawn(run, |id| match run.tree.node(id).kind {
            TreeKind::Leaf(node, clock) => self.evaluate(&run.truth, node, clock),
            _ => None,
        })
    }

    fn drawn(&self, run: &Run, value: impl Fn(TreeId) -> Option<bool>) -> HeldGraph {
        let mut graph = HeldGraph::default();
        let mut open: Vec<(TreeId, Option<HeldId>)> = run.tree.root.map(|root| (root, None)).into_iter().collect();
        while let Some((id, parent)) = open.pop() {
            let vertex = HeldVertex { value: value(id), ..HeldVertex::new(self.label(run, id)) };
            let shown = graph.add(parent, vertex);
            // What is pushed last comes first: the left part.
            open.extend(run.tree.below(id).into_iter().rev().map(|child| (child, Some(shown))));
        }
        graph
    }

    fn label(&self, run: &Run, id: TreeId) -> String {
        match run.tree.node(id).kind {
            TreeKind::Leaf(node, clock) => entry_text(&self.automaton, Entry { node, clock }),
            TreeKind::Over(Cover::Timer(node), _) => node.to_string(),
            TreeKind::Over(Cover::Clock(clock), _) => format!("{clock} := {}", self.automaton.clock(clock)),
            TreeKind::Free | TreeKind::Over(Cover::Forgotten, _) => "…".to_owned(),
            TreeKind::And(_) => "∧".to_owned(),
            TreeKind::Or(_) => "∨".to_owned(),
        }
    }
}
