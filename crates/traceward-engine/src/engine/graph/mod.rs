//! Configuration graphs: what a formula still owes, as leaves joined by conjunctions and disjunctions (definitions 3.7 and 4.4 of the
//! thesis on bounded temporal logic).
//!
//! Vertices and edges live in arenas with lists of free places, and each edge is in the list of its parent's children and in the list of
//! its child's parents, so that it can be taken out in one step. Clocks are kept as the position at which they run out: a
//! leaf that goes on waiting stays as it is.
//!
//! What the thesis materialises and evaluates in a second phase is evaluated here while it is unfolded, so only what is not
//! known yet is ever made ([`unfold`]). Eval-Back is [`Graph::replace`]: a value goes up, what it decides is removed at once, and
//! a branching point with one child left is replaced by that child. (As printed, the child of a removed branching point does
//! not learn of its new parents.)
//!
//! With [`Subsumption::On`], which goes beyond the thesis, a conjunction inside a conjunction is dissolved in it, and of two leaves of
//! which one implies the other one is dropped: `G(p -> F[0,n] q)` waits for the most urgent q alone.

mod edges;
mod tidy;
mod unfold;

use super::GaveUp;
use super::configuration::Subsumption;
use crate::automaton::alternating::NodeId;
use crate::automaton::metric::Clock;
use edges::{EdgeId, Edges, Ends};
pub(super) use tidy::Implies;
pub(super) use unfold::{Dependence, Unfolding};

/// A vertex of a graph.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct VertexId(u32);

impl VertexId {
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// A configuration as an engine numbers them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct ConfigurationId(pub(super) u32);

impl ConfigurationId {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The position at which a clock runs out.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Deadline(u64);

impl Deadline {
    pub(super) const NEVER: Self = Self(u64::MAX);

    /// That of a clock which is set at a position.
    pub(super) fn of(clock: Clock, position: u64) -> Self {
        clock.steps().map_or(Self::NEVER, |steps| Self(position.saturating_add(steps)))
    }

    /// The clock at a position.
    pub(super) fn clock_at(self, position: u64) -> Clock {
        if self == Self::NEVER { Clock::INFINITE } else { Clock::new(self.0.saturating_sub(position)) }
    }
}

/// What waits for the next state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Leaf {
    /// Type A: a timer.
    Timer(NodeId, Deadline),
    /// Type B: a set of timers.
    Configuration(ConfigurationId),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Connective {
    And,
    Or,
}

impl Connective {
    /// The value that decides it.
    fn decisive(self) -> bool {
        self == Self::Or
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Free,
    Leaf(Leaf),
    Branch(Connective),
}

#[derive(Clone, Copy, Debug)]
struct Vertex {
    kind: Kind,
    ends: Ends,
    /// Its value is known, and on its way up.
    is_decided: bool,
    /// What eval-final says of it, as found at that look.
    end: (u64, bool),
}

/// What is known of a part of the graph: its value, or where it is to be found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Value {
    Known(bool),
    Open(VertexId),
}

/// A configuration graph.
#[derive(Clone, Debug)]
pub(super) struct Graph {
    vertices: Vec<Vertex>,
    free: Vec<VertexId>,
    edges: Edges,
    root: Value,
    /// Those that wait, in the order in which they were made.
    leaves: Vec<VertexId>,
    /// Vertices that may have lost their last parent, or never got one.
    suspects: Vec<VertexId>,
    /// Branching points whose children or parents have changed.
    touched: Vec<VertexId>,
    /// Vertices whose value is known and has to go up.
    decided: Vec<(VertexId, bool)>,
    /// Branching points that may have one child left.
    alone: Vec<VertexId>,
    /// How often it was asked what holds at the end.
    end_looks: u64,
    live: usize,
    peaks: Peaks,
    subsumption: Subsumption,
}

/// The most there ever was.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Peaks {
    pub(super) vertices: usize,
    pub(super) timers: usize,
    pub(super) configurations: usize,
}

impl Graph {
    pub(super) fn new(subsumption: Subsumption) -> Self {
        Self {
            vertices: Vec::new(),
            free: Vec::new(),
            edges: Edges::default(),
            root: Value::Known(false),
            leaves: Vec::new(),
            suspects: Vec::new(),
            touched: Vec::new(),
            decided: Vec::new(),
            alone: Vec::new(),
            end_looks: 0,
            live: 0,
            peaks: Peaks::default(),
            subsumption,
        }
    }

    pub(super) fn root(&self) -> Value {
        self.root
    }

    pub(super) fn set_root(&mut self, root: Value) {
        self.root = root;
    }

    /// How many vertices there are.
    pub(super) fn len(&self) -> usize {
        self.live
    }

    pub(super) fn peaks(&self) -> Peaks {
        self.peaks
    }

    /// What the arenas take.
    pub(super) fn bytes(&self) -> usize {
        self.vertices.capacity() * size_of::<Vertex>()
            + (self.free.capacity() + self.leaves.capacity()) * size_of::<VertexId>()
            + self.edges.bytes()
    }

    /// Those that wait for the next state.
    pub(super) fn leaves(&self) -> &[VertexId] {
        &self.leaves
    }

    /// Hands out those that wait; what is made from now on waits for the state after.
    pub(super) fn take_leaves(&mut self) -> Vec<VertexId> {
        std::mem::take(&mut self.leaves)
    }

    /// What a vertex waits for, if it does and somebody needs it.
    pub(super) fn leaf(&self, id: VertexId) -> Option<Leaf> {
        match self.vertices[id.index()].kind {
            Kind::Leaf(leaf) if self.is_needed(id) => Some(leaf),
            _ => None,
        }
    }

    pub(super) fn refuse_many(&self, engine: &'static str, limit: usize) -> Result<(), GaveUp> {
        if self.live <= limit {
            return Ok(());
        }
        Err(GaveUp {
            engine,
            reason: format!("the graph of what is not decided yet has more than {limit} nodes"),
            way_out: "reverse answers the same in linear time; --node-limit raises the limit".into(),
        })
    }

    fn is_needed(&self, id: VertexId) -> bool {
        self.vertices[id.index()].ends.parents > 0 || self.root == Value::Open(id)
    }

    fn connective(&self, id: VertexId) -> Option<Connective> {
        match self.vertices[id.index()].kind {
            Kind::Branch(connective) => Some(connective),
            Kind::Free | Kind::Leaf(_) => None,
        }
    }

    fn add(&mut self, kind: Kind) -> VertexId {
        let vertex = Vertex { kind, ends: Ends::default(), is_decided: false, end: (0, false) };
        let id = match self.free.pop() {
            Some(id) => {
                self.vertices[id.index()] = vertex;
                id
            }
            None => {
                self.vertices.push(vertex);
                VertexId(self.vertices.len() as u32 - 1)
            }
        };
        self.live += 1;
        self.suspects.push(id);
        id
    }

    /// A new leaf.
    pub(super) fn add_leaf(&mut self, leaf: Leaf) -> VertexId {
        let id = self.add(Kind::Leaf(leaf));
        self.leaves.push(id);
        id
    }

    /// The conjunction or disjunction of some values: as much of it as is not known.
    pub(super) fn join(&mut self, connective: Connective, values: &[Value]) -> Value {
        let decisive = connective.decisive();
        if values.contains(&Value::Known(decisive)) {
            return Value::Known(decisive);
        }
        let mut open = values.iter().enumerate().filter_map(|(index, value)| match *value {
            Value::Open(id) if !values[..index].contains(value) => Some(id),
            _ => None,
        });
        let Some(first) = open.next() else { return Value::Known(!decisive) };
        let Some(second) = open.next() else { return Value::Open(first) };
        let rest: Vec<VertexId> = open.collect();
        let id = self.add(Kind::Branch(connective));
        for child in [first, second].into_iter().chain(rest) {
            self.link(id, child);
        }
        self.touched.push(id);
        Value::Open(id)
    }

    fn link(&mut self, parent: VertexId, child: VertexId) {
        self.edges.link(&mut self.vertices, parent, child);
    }

    fn unlink(&mut self, edge: EdgeId) {
        let child = self.edges.child(edge);
        self.edges.unlink(&mut self.vertices, edge);
        match self.vertices[child.index()].ends.parents {
            0 => self.suspects.push(child),
            1 => self.touched.push(child),
            _ => {}
        }
    }

    /// Puts a value in the place of a leaf, and tells all who waited for it.
    pub(super) fn replace(&mut self, leaf: VertexId, by: Value) {
        match by {
            Value::Known(value) => self.decide(leaf, value),
            Value::Open(other) => self.move_parents(leaf, other),
        }
        self.settle();
        if self.vertices[leaf.index()].kind != Kind::Free {
            self.release(leaf);
        }
    }

    /// Eval-Back, with lists of its own instead of recursion.
    fn settle(&mut self) {
        loop {
            if let Some((id, value)) = self.decided.pop() {
                self.send_up(id, value);
            } else if let Some(id) = self.alone.pop() {
                self.collapse(id);
            } else {
                return;
            }
        }
    }

    /// Tells the parents of a vertex its value, and removes it.
    fn send_up(&mut self, id: VertexId, value: bool) {
        while let Some(edge) = self.vertices[id.index()].ends.first_parent() {
            let parent = self.edges.parent(edge);
            self.unlink(edge);
            self.lose_child(parent, value);
        }
        if self.root == Value::Open(id) {
            self.root = Value::Known(value);
        }
        self.release(id);
    }

    /// A child of a branching point has this value and is gone.
    fn lose_child(&mut self, id: VertexId, value: bool) {
        let vertex = &self.vertices[id.index()];
        let Kind::Branch(connective) = vertex.kind else { unreachable!("only branching points have children") };
        match vertex.ends.children {
            _ if value == connective.decisive() => self.decide(id, value),
            // `and` over nothing is 1, `or` over nothing is -1.
            0 => self.decide(id, value),
            1 => self.alone.push(id),
            _ => {}
        }
    }

    fn decide(&mut self, id: VertexId, value: bool) {
        let vertex = &mut self.vertices[id.index()];
        if !vertex.is_decided {
            vertex.is_decided = true;
            self.decided.push((id, value));
        }
    }

    /// Puts its only child in the place of a branching point, if it has but one.
    fn collapse(&mut self, id: VertexId) {
        let vertex = &self.vertices[id.index()];
        let is_alone = matches!(vertex.kind, Kind::Branch(_)) && vertex.ends.children == 1 && !vertex.is_decided;
        if let Some(edge) = vertex.ends.first_child().filter(|_| is_alone) {
            let child = self.edges.child(edge);
            self.move_parents(id, child);
            self.release(id);
        }
    }

    /// Hands the parents of a vertex to another.
    fn move_parents(&mut self, from: VertexId, to: VertexId) {
        if self.root == Value::Open(from) {
            self.root = Value::Open(to);
        }
        while let Some(edge) = self.vertices[from.index()].ends.first_parent() {
            let parent = self.edges.parent(edge);
            if self.has_child(parent, to) {
                self.unlink(edge);
                self.alone.push(parent);
            } else {
                self.edges.set_child(&mut self.vertices, edge, to);
                self.touched.push(parent);
            }
        }
        self.touched.push(to);
    }

    /// Whether one vertex is a child of another. A long list of children is not looked through: to have a child twice does
    /// no harm.
    fn has_child(&self, parent: VertexId, child: VertexId) -> bool {
        const FEW: u32 = 16;
        let (above, below) = (&self.vertices[child.index()].ends, &self.vertices[parent.index()].ends);
        if above.parents <= FEW {
            self.edges.parents(above).any(|edge| self.edges.parent(edge) == parent)
        } else if below.children <= FEW {
            self.edges.children(below).any(|edge| self.edges.child(edge) == child)
        } else {
            false
        }
    }

    /// Frees a vertex; its children may follow.
    fn release(&mut self, id: VertexId) {
        while let Some(edge) = self.vertices[id.index()].ends.first_child() {
            self.unlink(edge);
        }
        self.vertices[id.index()].kind = Kind::Free;
        self.free.push(id);
        self.live -= 1;
    }

    /// At the end of a step: removes what nobody needs, and counts.
    pub(super) fn end_step(&mut self, implies: &dyn Implies) {
        if let Value::Known(_) = self.root {
            self.clear();
            return;
        }
        self.sweep();
        if self.subsumption == Subsumption::On {
            self.tidy(implies);
            self.sweep();
        } else {
            self.touched.clear();
        }
        let vertices = &self.vertices;
        self.leaves.retain(|leaf| matches!(vertices[leaf.index()].kind, Kind::Leaf(_)));
        let is_timer = |leaf: &&VertexId| matches!(vertices[leaf.index()].kind, Kind::Leaf(Leaf::Timer(..)));
        let timers = self.leaves.iter().filter(is_timer).count();
        self.peaks.vertices = self.peaks.vertices.max(self.live);
        self.peaks.timers = self.peaks.timers.max(timers);
        self.peaks.configurations = self.peaks.configurations.max(self.leaves.len() - timers);
    }

    /// Removes what has no parent.
    fn sweep(&mut self) {
        while let Some(id) = self.suspects.pop() {
            if self.vertices[id.index()].kind != Kind::Free && !self.is_needed(id) {
                self.release(id);
            }
        }
    }

    fn clear(&mut self) {
        self.vertices.clear();
        self.free.clear();
        self.edges.clear();
        self.leaves.clear();
        self.suspects.clear();
        self.touched.clear();
        self.alone.clear();
        self.live = 0;
    }

    /// What eval-final says of the root, where `is_accepting` tells it of the leaves. With a list of what is still to be
    /// looked at; each vertex is looked at once.
    pub(super) fn holds_at_end(&mut self, is_accepting: &dyn Fn(Leaf) -> bool) -> bool {
        let root = match self.root {
            Value::Known(value) => return value,
            Value::Open(root) => root,
        };
        self.end_looks += 1;
        let mut open = vec![(root, self.vertices[root.index()].ends.first_child())];
        while let Some((id, edge)) = open.pop() {
            match self.look_at_end(id, edge, is_accepting) {
                Look::Found(value) => self.vertices[id.index()].end = (self.end_looks, value),
                Look::First(child, edge) => {
                    open.extend([(id, Some(edge)), (child, self.vertices[child.index()].ends.first_child())]);
                }
            }
        }
        self.vertices[root.index()].end.1
    }

    /// What eval-final says of a vertex, from this child on.
    fn look_at_end(&self, id: VertexId, edge: Option<EdgeId>, is_accepting: &dyn Fn(Leaf) -> bool) -> Look {
        let connective = match self.vertices[id.index()].kind {
            Kind::Leaf(leaf) => return Look::Found(is_accepting(leaf)),
            Kind::Branch(connective) => connective,
            Kind::Free => unreachable!("nothing leads to a free place"),
        };
        let mut edge = edge;
        while let Some(here) = edge {
            let child = self.edges.child(here);
            let value = match self.vertices[child.index()] {
                Vertex { kind: Kind::Leaf(leaf), .. } => is_accepting(leaf),
                Vertex { end: (look, value), .. } if look == self.end_looks => value,
                _ => return Look::First(child, here),
            };
            if value == connective.decisive() {
                return Look::Found(value);
            }
            edge = self.edges.next_child(here);
        }
        Look::Found(!connective.decisive())
    }

    /// Gives other numbers to the configurations that wait.
    pub(super) fn renumber(&mut self, mut to: impl FnMut(ConfigurationId) -> ConfigurationId) {
        for leaf in &self.leaves {
            if let Kind::Leaf(Leaf::Configuration(id)) = &mut self.vertices[leaf.index()].kind {
                *id = to(*id);
            }
        }
    }
}

/// What one look at a vertex tells.
enum Look {
    Found(bool),
    /// A child has to be looked at first, and then from its edge on.
    First(VertexId, EdgeId),
}
