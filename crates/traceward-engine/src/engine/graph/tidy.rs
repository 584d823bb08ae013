//! Subsumption in a graph: what says the same twice is said once.

use super::edges::EdgeId;
use super::{Graph, Junction, Leaf, VertexId, VertexKind};
use crate::limit::Limit;

/// Knows which leaves imply which.
pub(in crate::engine) trait Implies {
    /// What a leaf can be compared with: leaves of one group only. None if with nothing.
    fn group(&self, leaf: Leaf) -> Option<u32>;

    /// Whether what satisfies one satisfies the other, both being of one group.
    fn implies(&self, one: Leaf, other: Leaf) -> bool;
}

impl Graph {
    /// Dissolves conjunctions in conjunctions and disjunctions in disjunctions, and drops leaves
    /// that add nothing to another, wherever something has changed.
    pub(super) fn tidy(&mut self, implies: &dyn Implies) -> Result<(), Limit> {
        while let Some(id) = self.touched.pop() {
            self.vertices[id.index()].is_touched = false;
            if self.junction(id).is_none() {
                continue;
            }
            match self.parent_of_its_kind(id) {
                Some(parent) => self.dissolve(id, parent),
                None => self.drop_implied(id, implies)?,
            }
        }
        Ok(())
    }

    /// The only parent of a branching point, if it has the same junction.
    fn parent_of_its_kind(&self, id: VertexId) -> Option<VertexId> {
        let ends = &self.vertices[id.index()].ends;
        if ends.parents != 1 {
            return None;
        }
        let parent = self.edges.parent(ends.first_parent()?);
        (self.junction(parent) == self.junction(id)).then_some(parent)
    }

    /// Hands the children of a branching point to its only parent.
    fn dissolve(&mut self, id: VertexId, parent: VertexId) {
        while let Some(edge) = self.vertices[id.index()].ends.first_child() {
            if self.has_child(parent, self.edges.child(edge)) {
                self.unlink(edge);
            } else {
                self.edges.set_parent(&mut self.vertices, edge, parent);
            }
        }
        let edge = self.vertices[id.index()].ends.first_parent().expect("one parent");
        self.unlink(edge);
        self.touch(parent);
        self.alone.push(parent);
        self.settle();
    }

    fn drop_implied(&mut self, id: VertexId, implies: &dyn Implies) -> Result<(), Limit> {
        let junction = self.junction(id).expect("a branching point");
        let mut compared = std::mem::take(&mut self.compared);
        for edge in self.edges.children(&self.vertices[id.index()].ends) {
            if let VertexKind::Leaf(leaf) = self.vertices[self.edges.child(edge).index()].kind
                && let Some(group) = implies.group(leaf)
            {
                self.budget.spend(1 + 2 * compared.kept.len() as u64)?;
                compared.add(junction, implies, group, leaf, edge);
            }
        }
        if !compared.dropped.is_empty() {
            compared.dropped.drain(..).for_each(|edge| self.unlink(edge));
            self.alone.push(id);
            self.settle();
        }
        compared.kept.clear();
        self.compared = compared;
        Ok(())
    }
}

/// The leaves below a branching point that can be compared.
#[derive(Clone, Debug, Default)]
pub(super) struct ComparedLeaves {
    kept: Vec<(u32, Leaf, EdgeId)>,
    dropped: Vec<EdgeId>,
}

impl ComparedLeaves {
    fn add(&mut self, junction: Junction, implies: &dyn Implies, group: u32, leaf: Leaf, edge: EdgeId) {
        // A conjunction needs what implies the rest, a disjunction what the rest implies.
        let is_redundant = |one: Leaf, beside: Leaf| match junction {
            Junction::And => implies.implies(beside, one),
            Junction::Or => implies.implies(one, beside),
        };
        if self.kept.iter().any(|&(of, other, _)| of == group && is_redundant(leaf, other)) {
            self.dropped.push(edge);
            return;
        }
        let dropped = &mut self.dropped;
        self.kept.retain(|&(of, other, place)| {
            let goes = of == group && is_redundant(other, leaf);
            if goes {
                dropped.push(place);
            }
            !goes
        });
        self.kept.push((group, leaf, edge));
    }
}
