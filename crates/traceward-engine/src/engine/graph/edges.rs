//! The edges of a graph: each is in two lists, one at each end.

use super::{Vertex, VertexId};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct EdgeId(u32);

impl EdgeId {
    const NONE: Self = Self(u32::MAX);

    fn index(self) -> usize {
        self.0 as usize
    }

    fn some(self) -> Option<Self> {
        (self != Self::NONE).then_some(self)
    }
}

/// The lists of a vertex.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ends {
    first_parent: EdgeId,
    first_child: EdgeId,
    /// The number of parents.
    pub(super) parents: u32,
    /// The number of children.
    pub(super) children: u32,
}

impl Default for Ends {
    fn default() -> Self {
        Self { first_parent: EdgeId::NONE, first_child: EdgeId::NONE, parents: 0, children: 0 }
    }
}

impl Ends {
    pub(super) fn first_parent(&self) -> Option<EdgeId> {
        self.first_parent.some()
    }

    pub(super) fn first_child(&self) -> Option<EdgeId> {
        self.first_child.some()
    }
}

/// A place in a list that is linked both ways.
#[derive(Clone, Copy, Debug)]
struct Link {
    before: EdgeId,
    after: EdgeId,
}

const LOOSE: Link = Link { before: EdgeId::NONE, after: EdgeId::NONE };

#[derive(Clone, Copy, Debug)]
struct Edge {
    parent: VertexId,
    child: VertexId,
    /// Among the children of the parent.
    sibling: Link,
    /// Among the parents of the child.
    fellow: Link,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Edges {
    edges: Vec<Edge>,
    free: Vec<EdgeId>,
}

impl Edges {
    pub(super) fn parent(&self, edge: EdgeId) -> VertexId {
        self.edges[edge.index()].parent
    }

    pub(super) fn child(&self, edge: EdgeId) -> VertexId {
        self.edges[edge.index()].child
    }

    pub(super) fn next_child(&self, edge: EdgeId) -> Option<EdgeId> {
        self.edges[edge.index()].sibling.after.some()
    }

    pub(super) fn parents(&self, ends: &Ends) -> impl Iterator<Item = EdgeId> + '_ {
        std::iter::successors(ends.first_parent(), |edge| self.edges[edge.index()].fellow.after.some())
    }

    pub(super) fn children(&self, ends: &Ends) -> impl Iterator<Item = EdgeId> + '_ {
        std::iter::successors(ends.first_child(), |edge| self.next_child(*edge))
    }

    pub(super) fn bytes(&self) -> usize {
        self.edges.capacity() * size_of::<Edge>() + self.free.capacity() * size_of::<EdgeId>()
    }

    /// The bytes that one more edge takes at the most while the arena grows.
    pub(super) fn growth(&self) -> usize {
        if self.free.is_empty() { 2 * size_of::<Edge>() } else { 0 }
    }

    pub(super) fn clear(&mut self) {
        self.edges.clear();
        self.free.clear();
    }

    pub(super) fn link(&mut self, vertices: &mut [Vertex], parent: VertexId, child: VertexId) {
        let edge = Edge { parent, child, sibling: LOOSE, fellow: LOOSE };
        let id = match self.free.pop() {
            Some(id) => {
                self.edges[id.index()] = edge;
                id
            }
            None => {
                self.edges.push(edge);
                EdgeId(self.edges.len() as u32 - 1)
            }
        };
        self.join_siblings(vertices, id);
        self.join_fellows(vertices, id);
    }

    pub(super) fn unlink(&mut self, vertices: &mut [Vertex], id: EdgeId) {
        self.leave_siblings(vertices, id);
        self.leave_fellows(vertices, id);
        self.free.push(id);
    }

    /// Lets an edge lead to another child.
    pub(super) fn set_child(&mut self, vertices: &mut [Vertex], id: EdgeId, child: VertexId) {
        self.leave_fellows(vertices, id);
        self.edges[id.index()].child = child;
        self.join_fellows(vertices, id);
    }

    /// Lets an edge come from another parent.
    pub(super) fn set_parent(&mut self, vertices: &mut [Vertex], id: EdgeId, parent: VertexId) {
        self.leave_siblings(vertices, id);
        self.edges[id.index()].parent = parent;
        self.join_siblings(vertices, id);
    }

    fn join_siblings(&mut self, vertices: &mut [Vertex], id: EdgeId) {
        let ends = &mut vertices[self.edges[id.index()].parent.index()].ends;
        let after = std::mem::replace(&mut ends.first_child, id);
        ends.children += 1;
        self.edges[id.index()].sibling = Link { before: EdgeId::NONE, after };
        if let Some(after) = after.some() {
            self.edges[after.index()].sibling.before = id;
        }
    }

    fn join_fellows(&mut self, vertices: &mut [Vertex], id: EdgeId) {
        let ends = &mut vertices[self.edges[id.index()].child.index()].ends;
        let after = std::mem::replace(&mut ends.first_parent, id);
        ends.parents += 1;
        self.edges[id.index()].fellow = Link { before: EdgeId::NONE, after };
        if let Some(after) = after.some() {
            self.edges[after.index()].fellow.before = id;
        }
    }

    fn leave_siblings(&mut self, vertices: &mut [Vertex], id: EdgeId) {
        let Edge { parent, sibling: Link { before, after }, .. } = self.edges[id.index()];
        let ends = &mut vertices[parent.index()].ends;
        ends.children -= 1;
        match before.some() {
            Some(before) => self.edges[before.index()].sibling.after = after,
            None => ends.first_child = after,
        }
        if let Some(after) = after.some() {
            self.edges[after.index()].sibling.before = before;
        }
    }

    fn leave_fellows(&mut self, vertices: &mut [Vertex], id: EdgeId) {
        let Edge { child, fellow: Link { before, after }, .. } = self.edges[id.index()];
        let ends = &mut vertices[child.index()].ends;
        ends.parents -= 1;
        match before.some() {
            Some(before) => self.edges[before.index()].fellow.after = after,
            None => ends.first_parent = after,
        }
        if let Some(after) = after.some() {
            self.edges[after.index()].fellow.before = before;
        }
    }
}
