//! Configuration graphs for a reader.
//!
//! The thesis shows a graph before it is evaluated, while it is, and when it is reduced. Here a
//! leaf is evaluated while it is unfolded, so there is no graph before that. What there is, leaf by
//! leaf, is what takes its place.

use super::{Graph, GraphValue, Junction, Leaf, Moment, UnfoldedGraph, VertexId, VertexKind};
use crate::automaton::metric::Metric;
use crate::engine::configuration::{Entry, entry_text};
use crate::engine::walkthrough::{HeldGraph, HeldId, HeldVertex};
use rustc_hash::FxHashMap;

/// A leaf that was unfolded with a state, and the value that is about to take its place.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct Unfolded {
    /// The leaf; none where the graph begins.
    pub(in crate::engine) leaf: Option<Leaf>,
    /// The value that takes its place.
    pub(in crate::engine) by: GraphValue,
}

/// The text of a leaf with the clock that it has at a moment.
pub(in crate::engine) type LeafText<'a> = &'a dyn Fn(Leaf, Moment) -> String;

/// The text of a timer with the clock that it has at a moment.
pub(in crate::engine) fn timer_text(automaton: &Metric, leaf: Leaf, moment: Moment) -> Option<String> {
    match leaf {
        Leaf::Timer(node, deadline) => {
            let clock = deadline.clock_at(automaton.unit_of(node), moment);
            Some(entry_text(automaton, Entry { node, clock }))
        }
        Leaf::Configuration(_) => None,
    }
}

impl UnfoldedGraph {
    /// The graph after the last state that was taken.
    pub(in crate::engine) fn shown(&self, text: LeafText<'_>) -> HeldGraph {
        let mut shown = HeldGraph::default();
        if let value @ (GraphValue::Waits(_) | GraphValue::Open(_)) = self.graph.root() {
            self.graph.copy(value, None, &mut shown, &|leaf| text(leaf, self.now));
        }
        shown
    }

    /// Adds a leaf that was unfolded with the state that is being taken, over what takes its place.
    pub(in crate::engine) fn show_unfolded(
        &self,
        Unfolded { leaf, by }: Unfolded,
        to: &mut HeldGraph,
        text: LeafText<'_>,
    ) {
        let label = leaf.map_or_else(|| "start".to_owned(), |leaf| text(leaf, self.before));
        let value = match by {
            GraphValue::Known(value) => Some(value),
            GraphValue::Waits(_) | GraphValue::Open(_) => None,
        };
        let top = to.add(None, HeldVertex { value, ..HeldVertex::new(label) });
        self.graph.copy(by, Some(top), to, &|leaf| text(leaf, self.now));
    }
}

impl Graph {
    /// Copies a value that is open, with all below it, under a vertex or to the top.
    fn copy(&self, value: GraphValue, under: Option<HeldId>, to: &mut HeldGraph, text: &dyn Fn(Leaf) -> String) {
        let root = match value {
            GraphValue::Known(_) => return,
            GraphValue::Waits(leaf) => {
                to.add(under, HeldVertex::new(text(leaf)));
                return;
            }
            GraphValue::Open(root) => root,
        };
        let mut copies: FxHashMap<VertexId, HeldId> = FxHashMap::default();
        let mut open = vec![(root, under)];
        while let Some((id, parent)) = open.pop() {
            match copies.get(&id) {
                Some(copy) => to.hang(parent, *copy),
                None => {
                    let copy = to.add(parent, HeldVertex::new(self.label(id, text)));
                    copies.insert(id, copy);
                    // Edges are put in front of those before: the last in the list was the first.
                    let ends = &self.vertices[id.index()].ends;
                    open.extend(self.edges.children(ends).map(|edge| (self.edges.child(edge), Some(copy))));
                }
            }
        }
    }

    fn label(&self, id: VertexId, text: &dyn Fn(Leaf) -> String) -> String {
        match self.vertices[id.index()].kind {
            VertexKind::Leaf(leaf) => text(leaf),
            VertexKind::Branch(Junction::And) => "∧".to_owned(),
            VertexKind::Branch(Junction::Or) => "∨".to_owned(),
            VertexKind::Free => unreachable!("nothing leads to a free place"),
        }
    }
}
