//! Configuration graphs: what a formula still owes, as leaves joined by conjunctions and
//! disjunctions (definitions 3.7 and 4.4 of the thesis on bounded temporal logic).
//!
//! Vertices and edges live in arenas with lists of free places, and each edge is in the list of its
//! parent's children and in the list of its child's parents, so that it can be taken out in one
//! step. Clocks are kept as the position or the time at which they run out: a leaf that goes on
//! waiting stays as it is.
//!
//! What the thesis materialises and evaluates in a second phase is evaluated here while it is
//! unfolded, so only what is not known yet is ever made ([`unfold`]), and a leaf that is to be
//! replaced by itself is left where it is. Eval-Back is [`Graph::replace`]: a value goes up, what
//! it decides is removed at once, and a branching point with one child left is replaced by that
//! child. (As printed, the child of a removed branching point does not learn of its new parents.)
//!
//! With [`Compaction::On`], which goes beyond the thesis, a conjunction inside a conjunction is
//! dissolved in it, and of two leaves of which one implies the other one is dropped:
//! `G(p -> F[0,n] q)` waits for the most urgent q alone.

mod edges;
mod keep;
mod run;
mod show;
mod tidy;
mod unfold;

use super::configuration::Compaction;
use crate::automaton::alternating::NodeId;
use crate::automaton::metric::Clock;
use crate::limit::{Budget, Limit, Limits};
use edges::{EdgeId, Edges, Ends};
pub(super) use run::UnfoldedGraph;
use rustc_hash::FxHashSet;
pub(super) use show::{Unfolded, timer_text};
use tidy::ComparedLeaves;
pub(super) use tidy::Implies;
use traceward_logic::formula::Unit;
pub(super) use unfold::{Dependence, GraphUnfolding, Scene};

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

/// A state as clocks see it: its position, and its timestamp counted from the earliest that there
/// can be.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Moment {
    pub(super) position: u64,
    time: u64,
}

impl Moment {
    /// The moment of a state. Where no clock counts time there may be no timestamp.
    pub(super) fn new(position: u64, time: Option<i64>) -> Self {
        Self { position, time: time.map_or(0, |time| time.abs_diff(i64::MIN)) }
    }

    fn in_unit(self, unit: Unit) -> u64 {
        match unit {
            Unit::Steps => self.position,
            Unit::Time => self.time,
        }
    }

    /// The nanoseconds since an earlier moment.
    pub(super) fn since(self, earlier: Self) -> u64 {
        self.time.saturating_sub(earlier.time)
    }
}

/// The moment at which a clock runs out, as a position or a time. It may lie behind all moments
/// that states can have: what is left until then tells whether a window has opened.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Deadline(u128);

impl Deadline {
    /// That of a clock that never runs out.
    pub(super) const NEVER: Self = Self(u128::MAX);

    /// The deadline of a clock that is set at a moment.
    pub(super) fn of(clock: Clock, unit: Unit, now: Moment) -> Self {
        clock.left().map_or(Self::NEVER, |left| Self(u128::from(now.in_unit(unit)) + u128::from(left)))
    }

    /// The deadline as a timestamp; none if there is none so late.
    fn time(self) -> Option<i64> {
        u64::try_from(self.0).ok().map(|time| i64::MIN.wrapping_add_unsigned(time))
    }

    /// The clock at a moment.
    pub(super) fn clock_at(self, unit: Unit, now: Moment) -> Clock {
        if self == Self::NEVER { Clock::INFINITE } else { Clock::between(now.in_unit(unit), self.0) }
    }
}

/// A leaf: something that waits for the next state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Leaf {
    /// Type A: a timer.
    Timer(NodeId, Deadline),
    /// Type B: a set of timers.
    Configuration(ConfigurationId),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Junction {
    And,
    Or,
}

impl Junction {
    /// The value of one side that decides the junction.
    fn decisive(self) -> bool {
        self == Self::Or
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum VertexKind {
    Free,
    Leaf(Leaf),
    Branch(Junction),
}

#[derive(Clone, Copy, Debug)]
struct Vertex {
    kind: VertexKind,
    ends: Ends,
    /// Whether the value of the vertex is known, and on its way up.
    is_decided: bool,
    /// Whether the vertex is in the list of those that have changed.
    is_touched: bool,
    /// The answer of eval-final for the vertex, and the number of the look at which it was found.
    end: (u64, bool),
}

/// The value of a part of the graph, as far as it is known.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum GraphValue {
    /// The value is known.
    Known(bool),
    /// The value is a leaf, which is not made before a branching point needs it.
    Waits(Leaf),
    /// The value is open, and this vertex stands for it.
    Open(VertexId),
}

/// A configuration graph.
#[derive(Clone, Debug)]
pub(super) struct Graph {
    vertices: Vec<Vertex>,
    free: Vec<VertexId>,
    edges: Edges,
    root: GraphValue,
    /// The leaves that wait for the next state.
    leaves: Vec<VertexId>,
    /// The leaves that waited for this state.
    due: Vec<VertexId>,
    /// The number of the step, from 1.
    step: u64,
    /// By the index of the node: the latest timer that waits for the next state, and since which
    /// step that is known.
    latest: Vec<(u64, Deadline, VertexId)>,
    /// By the index of the configuration: the leaf that waits for the next state, and since which
    /// step that is known.
    sets: Vec<(u64, VertexId)>,
    /// Vertices that may have lost their last parent, or never got one.
    suspects: Vec<VertexId>,
    /// Branching points whose children or parents have changed.
    touched: Vec<VertexId>,
    /// Vertices whose value is known and has to go up.
    decided: Vec<(VertexId, bool)>,
    /// Branching points that may have one child left.
    alone: Vec<VertexId>,
    /// Scratch for leaves that are compared.
    compared: ComparedLeaves,
    /// Scratch for what is still to be looked at.
    open: Vec<(VertexId, Option<EdgeId>)>,
    /// The number of times that it was asked what holds at the end.
    end_looks: u64,
    live: usize,
    peaks: Peaks,
    compaction: Compaction,
    /// The number of vertices that there may be.
    most_vertices: usize,
    /// The work and the bytes that the graph and those who unfold it may take.
    pub(super) budget: Budget,
}

/// The largest sizes that the graph has had.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Peaks {
    pub(super) vertices: usize,
    pub(super) timers: usize,
    pub(super) configurations: usize,
}

impl Graph {
    pub(super) fn new(compaction: Compaction, limits: &Limits) -> Self {
        Self {
            vertices: Vec::new(),
            free: Vec::new(),
            edges: Edges::default(),
            root: GraphValue::Known(false),
            leaves: Vec::new(),
            due: Vec::new(),
            step: 1,
            latest: Vec::new(),
            sets: Vec::new(),
            compared: ComparedLeaves::default(),
            open: Vec::new(),
            suspects: Vec::new(),
            touched: Vec::new(),
            decided: Vec::new(),
            alone: Vec::new(),
            end_looks: 0,
            live: 0,
            peaks: Peaks::default(),
            compaction,
            most_vertices: limits.nodes,
            budget: Budget::new(limits),
        }
    }

    pub(super) fn root(&self) -> GraphValue {
        self.root
    }

    pub(super) fn set_root(&mut self, root: GraphValue) {
        self.root = match root {
            GraphValue::Waits(leaf) => GraphValue::Open(self.leaf_of(leaf)),
            known_or_open => known_or_open,
        };
    }

    /// The number of vertices.
    pub(super) fn len(&self) -> usize {
        self.live
    }

    pub(super) fn peaks(&self) -> Peaks {
        self.peaks
    }

    /// The number of bytes that the arenas take.
    pub(super) fn bytes(&self) -> usize {
        self.vertices.capacity() * size_of::<Vertex>()
            + (self.free.capacity() + self.leaves.capacity()) * size_of::<VertexId>()
            + self.edges.bytes()
    }

    /// The leaves that wait for the next state.
    pub(super) fn leaves(&self) -> &[VertexId] {
        &self.leaves
    }

    /// Begins a step: the leaves that waited are due, and leaves made from now on wait for the
    /// state after.
    pub(super) fn begin_step(&mut self) {
        self.budget.renew(self.bytes());
        self.step += 1;
        self.due.clear();
        std::mem::swap(&mut self.due, &mut self.leaves);
    }

    /// A leaf that is due and whose value depends on the state.
    pub(super) fn next_due(&mut self, scene: Scene<'_>) -> Option<(VertexId, Leaf)> {
        loop {
            let id = self.due.pop()?;
            match self.leaf(id) {
                Some(leaf) if scene.rests(leaf) => self.leaves.push(id),
                Some(leaf) => return Some((id, leaf)),
                None => {}
            }
        }
    }

    /// The leaf of a vertex, if the vertex is a leaf that some parent needs.
    pub(super) fn leaf(&self, id: VertexId) -> Option<Leaf> {
        match self.vertices[id.index()].kind {
            VertexKind::Leaf(leaf) if self.is_needed(id) => Some(leaf),
            _ => None,
        }
    }

    /// Pays for some work on the graph.
    pub(super) fn spend(&mut self, work: usize) -> Result<(), Limit> {
        if self.live > self.most_vertices {
            return Err(Limit::Nodes(self.most_vertices));
        }
        self.budget.spend(work as u64)
    }

    fn is_needed(&self, id: VertexId) -> bool {
        self.vertices[id.index()].ends.parents > 0 || self.root == GraphValue::Open(id)
    }

    fn junction(&self, id: VertexId) -> Option<Junction> {
        match self.vertices[id.index()].kind {
            VertexKind::Branch(junction) => Some(junction),
            VertexKind::Free | VertexKind::Leaf(_) => None,
        }
    }

    fn add(&mut self, kind: VertexKind) -> VertexId {
        let vertex = Vertex { kind, ends: Ends::default(), is_decided: false, is_touched: false, end: (0, false) };
        let id = match self.free.pop() {
            Some(id) => {
                self.vertices[id.index()] = vertex;
                id
            }
            None => {
                self.budget.charge(2 * size_of::<Vertex>());
                self.vertices.push(vertex);
                VertexId(self.vertices.len() as u32 - 1)
            }
        };
        self.live += 1;
        self.suspects.push(id);
        id
    }

    /// The vertex of a leaf that waits for the next state: isomorphic leaves are one.
    fn leaf_of(&mut self, leaf: Leaf) -> VertexId {
        if let Some(known) = self.known_leaf(leaf) {
            return known;
        }
        let id = self.add(VertexKind::Leaf(leaf));
        self.leaves.push(id);
        self.remember(leaf, id);
        id
    }

    /// The leaf of this kind that was made, or kept, in this step. Timers of one node whose clocks
    /// run out at different times come from one leaf each, so only the latest, which starts at this
    /// state, or at one before it at the same time, can be met again.
    fn known_leaf(&self, leaf: Leaf) -> Option<VertexId> {
        match leaf {
            Leaf::Timer(node, deadline) => {
                let &(step, latest, id) = self.latest.get(node.index())?;
                (step == self.step && latest == deadline).then_some(id)
            }
            Leaf::Configuration(configuration) => {
                let &(step, id) = self.sets.get(configuration.index())?;
                (step == self.step).then_some(id)
            }
        }
    }

    fn remember(&mut self, leaf: Leaf, id: VertexId) {
        const NOTHING: VertexId = VertexId(u32::MAX);
        match leaf {
            Leaf::Timer(node, deadline) => {
                if self.latest.len() <= node.index() {
                    self.latest.resize(node.index() + 1, (0, Deadline(0), NOTHING));
                }
                let latest = &mut self.latest[node.index()];
                if latest.0 != self.step || latest.1 <= deadline {
                    *latest = (self.step, deadline, id);
                }
            }
            Leaf::Configuration(configuration) => {
                if self.sets.len() <= configuration.index() {
                    self.sets.resize(configuration.index() + 1, (0, NOTHING));
                }
                self.sets[configuration.index()] = (self.step, id);
            }
        }
    }

    /// The conjunction or disjunction of two values: as much of it as is not known.
    pub(super) fn join_two(&mut self, junction: Junction, one: GraphValue, other: GraphValue) -> GraphValue {
        match (one, other) {
            (GraphValue::Known(value), open) | (open, GraphValue::Known(value)) => {
                if value == junction.decisive() {
                    GraphValue::Known(value)
                } else {
                    open
                }
            }
            _ if one == other => one,
            _ => self.branch(junction, [one, other]),
        }
    }

    /// The conjunction or disjunction of some values: as much of it as is not known.
    pub(super) fn join(&mut self, junction: Junction, values: &[GraphValue]) -> GraphValue {
        let decisive = junction.decisive();
        if values.contains(&GraphValue::Known(decisive)) {
            return GraphValue::Known(decisive);
        }
        let mut met = FxHashSet::default();
        let is_open = |value: &&GraphValue| !matches!(value, GraphValue::Known(_));
        let mut open = values.iter().filter(is_open).copied().filter(|value| met.insert(*value));
        let Some(first) = open.next() else { return GraphValue::Known(!decisive) };
        let Some(second) = open.next() else { return first };
        self.branch(junction, [first, second].into_iter().chain(open))
    }

    /// A branching point over values that are not known.
    fn branch(&mut self, junction: Junction, values: impl IntoIterator<Item = GraphValue>) -> GraphValue {
        let id = self.add(VertexKind::Branch(junction));
        for value in values {
            let child = match value {
                GraphValue::Known(_) => unreachable!("what is known needs no branching point"),
                GraphValue::Waits(leaf) => self.leaf_of(leaf),
                GraphValue::Open(child) => child,
            };
            self.link(id, child);
        }
        self.touch(id);
        GraphValue::Open(id)
    }

    /// Puts a vertex into the list of those that have changed.
    fn touch(&mut self, id: VertexId) {
        if !std::mem::replace(&mut self.vertices[id.index()].is_touched, true) {
            self.touched.push(id);
        }
    }

    fn link(&mut self, parent: VertexId, child: VertexId) {
        self.budget.charge(self.edges.growth());
        self.edges.link(&mut self.vertices, parent, child);
    }

    fn unlink(&mut self, edge: EdgeId) {
        let child = self.edges.child(edge);
        self.edges.unlink(&mut self.vertices, edge);
        match self.vertices[child.index()].ends.parents {
            0 => self.suspects.push(child),
            1 => self.touch(child),
            _ => {}
        }
    }

    /// Puts a value in the place of a leaf that is due, and tells all who waited for it.
    pub(super) fn replace(&mut self, id: VertexId, leaf: Leaf, by: GraphValue) {
        match by {
            GraphValue::Known(value) => self.decide(id, value),
            GraphValue::Waits(same) if same == leaf && self.outnumbers(id, leaf) => {
                self.keep(id, leaf);
                return;
            }
            GraphValue::Waits(other) => {
                let other = self.leaf_of(other);
                self.move_parents(id, other);
            }
            GraphValue::Open(other) => self.move_parents(id, other),
        }
        self.settle();
        if self.vertices[id.index()].kind != VertexKind::Free {
            self.release(id);
        }
    }

    /// Decides leaves that wait and need no further state, where `value` knows theirs.
    fn close(&mut self, value: impl Fn(Leaf) -> Option<bool>) {
        for id in self.leaves.clone() {
            if let Some(leaf) = self.leaf(id)
                && let Some(value) = value(leaf)
            {
                self.replace(id, leaf, GraphValue::Known(value));
            }
        }
    }

    /// Whether a leaf has more parents than the isomorphic one that was made in this step, if there
    /// is one.
    fn outnumbers(&self, id: VertexId, leaf: Leaf) -> bool {
        let parents = |id: VertexId| self.vertices[id.index()].ends.parents;
        self.known_leaf(leaf).is_none_or(|other| parents(id) > parents(other))
    }

    /// Lets a leaf wait for the next state as well. An isomorphic one hands its parents over, so
    /// that the longer list stays where it is.
    fn keep(&mut self, id: VertexId, leaf: Leaf) {
        if let Some(other) = self.known_leaf(leaf) {
            self.move_parents(other, id);
            self.suspects.push(other);
            self.settle();
        }
        self.leaves.push(id);
        self.remember(leaf, id);
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
        if self.root == GraphValue::Open(id) {
            self.root = GraphValue::Known(value);
        }
        self.release(id);
    }

    /// A child of a branching point has this value and is gone.
    fn lose_child(&mut self, id: VertexId, value: bool) {
        let vertex = &self.vertices[id.index()];
        let VertexKind::Branch(junction) = vertex.kind else { unreachable!("only branching points have children") };
        match vertex.ends.children {
            _ if value == junction.decisive() => self.decide(id, value),
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
        let is_alone = matches!(vertex.kind, VertexKind::Branch(_)) && vertex.ends.children == 1 && !vertex.is_decided;
        if let Some(edge) = vertex.ends.first_child().filter(|_| is_alone) {
            let child = self.edges.child(edge);
            self.move_parents(id, child);
            self.release(id);
        }
    }

    /// Hands the parents of a vertex to another.
    fn move_parents(&mut self, from: VertexId, to: VertexId) {
        if self.root == GraphValue::Open(from) {
            self.root = GraphValue::Open(to);
        }
        while let Some(edge) = self.vertices[from.index()].ends.first_parent() {
            let parent = self.edges.parent(edge);
            if self.has_child(parent, to) {
                self.unlink(edge);
                self.alone.push(parent);
            } else {
                self.edges.set_child(&mut self.vertices, edge, to);
                self.touch(parent);
            }
        }
        self.touch(to);
    }

    /// Whether one vertex is a child of another. A long list of children is not looked through: to
    /// have a child twice does no harm.
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
        self.vertices[id.index()].kind = VertexKind::Free;
        self.free.push(id);
        self.live -= 1;
    }

    /// Ends a step: removes the vertices that nobody needs, and counts the others.
    pub(super) fn end_step(&mut self, implies: &dyn Implies) -> Result<(), Limit> {
        if self.suspects.is_empty() && self.touched.is_empty() {
            return Ok(());
        }
        if let GraphValue::Known(_) = self.root {
            self.clear();
            return Ok(());
        }
        self.sweep();
        if self.compaction == Compaction::On {
            self.tidy(implies)?;
            self.sweep();
        } else {
            self.touched.drain(..).for_each(|id| self.vertices[id.index()].is_touched = false);
        }
        let vertices = &self.vertices;
        self.leaves.retain(|leaf| matches!(vertices[leaf.index()].kind, VertexKind::Leaf(_)));
        let is_timer = |leaf: &&VertexId| matches!(vertices[leaf.index()].kind, VertexKind::Leaf(Leaf::Timer(..)));
        let timers = self.leaves.iter().filter(is_timer).count();
        self.peaks.vertices = self.peaks.vertices.max(self.live);
        self.peaks.timers = self.peaks.timers.max(timers);
        self.peaks.configurations = self.peaks.configurations.max(self.leaves.len() - timers);
        Ok(())
    }

    /// Removes the vertices that have no parent.
    fn sweep(&mut self) {
        while let Some(id) = self.suspects.pop() {
            if self.vertices[id.index()].kind != VertexKind::Free && !self.is_needed(id) {
                self.release(id);
            }
        }
    }

    fn clear(&mut self) {
        self.vertices.clear();
        self.free.clear();
        self.edges.clear();
        self.leaves.clear();
        self.due.clear();
        self.suspects.clear();
        self.touched.clear();
        self.alone.clear();
        self.live = 0;
    }

    /// The answer of eval-final for the root, where `is_accepting` gives it for the leaves. A list
    /// holds the vertices that are still to be looked at; each vertex is looked at once.
    pub(super) fn holds_at_end(&mut self, is_accepting: &dyn Fn(Leaf) -> bool) -> bool {
        let root = match self.root {
            GraphValue::Known(value) => return value,
            GraphValue::Waits(leaf) => return is_accepting(leaf),
            GraphValue::Open(root) => root,
        };
        self.end_looks += 1;
        let mut open = std::mem::take(&mut self.open);
        open.push((root, None));
        while let Some((id, edge)) = open.pop() {
            match self.look_at_end(id, edge, is_accepting) {
                Glance::Found(value) => self.vertices[id.index()].end = (self.end_looks, value),
                Glance::First(child, edge) => {
                    open.extend([(id, Some(edge)), (child, None)]);
                }
            }
        }
        self.open = open;
        self.vertices[root.index()].end.1
    }

    /// The answer of eval-final for a vertex, from this child on. At first all children are looked
    /// at, since one that is known may decide.
    fn look_at_end(&self, id: VertexId, edge: Option<EdgeId>, is_accepting: &dyn Fn(Leaf) -> bool) -> Glance {
        let Vertex { kind, ends, .. } = &self.vertices[id.index()];
        let decisive = match kind {
            VertexKind::Leaf(leaf) => return Glance::Found(is_accepting(*leaf)),
            VertexKind::Branch(junction) => junction.decisive(),
            VertexKind::Free => unreachable!("nothing leads to a free place"),
        };
        let known = |edge: EdgeId| match self.vertices[self.edges.child(edge).index()] {
            Vertex { kind: VertexKind::Leaf(leaf), .. } => Some(is_accepting(leaf)),
            Vertex { end: (look, value), .. } => (look == self.end_looks).then_some(value),
        };
        if edge.is_none() && self.edges.children(ends).any(|edge| known(edge) == Some(decisive)) {
            return Glance::Found(decisive);
        }
        let mut edge = edge.or(ends.first_child());
        while let Some(here) = edge {
            match known(here) {
                None => return Glance::First(self.edges.child(here), here),
                Some(value) if value == decisive => return Glance::Found(value),
                Some(_) => edge = self.edges.next_child(here),
            }
        }
        Glance::Found(!decisive)
    }

    /// Gives other numbers to the configurations that wait.
    pub(super) fn renumber(&mut self, mut to: impl FnMut(ConfigurationId) -> ConfigurationId) {
        self.sets.clear();
        for leaf in &self.leaves {
            if let VertexKind::Leaf(Leaf::Configuration(id)) = &mut self.vertices[leaf.index()].kind {
                *id = to(*id);
            }
        }
    }
}

/// The result of one look at a vertex.
enum Glance {
    Found(bool),
    /// A child has to be looked at first, and then from its edge on.
    First(VertexId, EdgeId),
}
