//! Which members of an object lead to something wanted.

use crate::swar;
use rustc_hash::FxHashMap;

/// Members remembered at one place that lead nowhere; beyond these they are looked up afresh each
/// time.
const MOST_EDGES: usize = 4096;

/// The longest name of those; all of them together take little memory, whoever chose them.
const LONGEST_EDGE: usize = 1 << 10;

/// A place in an object: what may still follow there.
pub(super) type PathNodeId = u32;

/// The objects on the way to what is wanted, learnt from the input: a node for each place that was
/// met, an edge for each member that was met there.
///
/// The name `a.b` may mean the member `a.b`, or the member `b` of `a`, so what a member leads to is
/// a matter of which wanted names begin with it. Lines repeat the members of the line before, so
/// the next edge is guessed first.
#[derive(Clone)]
pub(super) struct Paths {
    names: Vec<String>,
    nodes: Vec<PathNode>,
    novelty: bool,
    /// The number of the line that is scanned, counting those that are scanned again.
    scan: u64,
    /// The name of a member that the line has twice.
    repeated: Option<String>,
}

#[derive(Clone)]
struct PathNode {
    /// Wanted names that lead here, each with the length of what has been matched.
    pending: Vec<(u32, usize)>,
    edges: Vec<PathEdge>,
    by_name: FxHashMap<Box<[u8]>, u32>,
    guess: u32,
}

#[derive(Clone)]
struct PathEdge {
    /// The name as lines mostly have it: in quotes, and a colon right behind. None for a name that
    /// needs escapes.
    source: Option<MemberPrefix>,
    target: MemberTarget,
    /// The scan in which the member was last met.
    met_in: u64,
}

/// Bytes to be found at the beginning of others. Most are short, and compared in one word.
#[derive(Clone)]
struct MemberPrefix {
    bytes: Box<[u8]>,
    /// The first eight of them, and where there are fewer, which bits those are.
    head: u64,
    mask: u64,
}

/// The target of a member: where it leads.
#[derive(Clone, Debug, Default)]
pub(super) struct MemberTarget {
    /// The wanted names it completes.
    pub(super) slots: Vec<u32>,
    /// The place to look at within the member, if it is an object or array.
    pub(super) node: Option<PathNodeId>,
}

/// Whether a line had a member before.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Meeting {
    First,
    Again,
}

/// A member at a place.
#[derive(Clone, Copy)]
pub(super) struct PathEdgeId {
    node: PathNodeId,
    edge: u32,
}

impl Paths {
    pub(super) const ROOT: PathNodeId = 0;

    pub(super) fn new(names: Vec<String>) -> Self {
        let pending = (0..names.len() as u32).map(|slot| (slot, 0)).collect();
        Self { names, nodes: vec![PathNode::new(pending)], novelty: false, scan: 0, repeated: None }
    }

    pub(super) fn slots(&self) -> usize {
        self.names.len()
    }

    /// Whether a member was met for the first time since this was last asked.
    pub(super) fn take_novelty(&mut self) -> bool {
        std::mem::take(&mut self.novelty)
    }

    /// If the next member is the one that came next before: the bytes of its name and colon, and
    /// where it leads.
    #[inline]
    pub(super) fn guess(&mut self, node: PathNodeId, bytes: &[u8]) -> Option<(usize, Option<PathEdgeId>)> {
        let place = &mut self.nodes[node as usize];
        let edge = place.edges.get(place.guess as usize)?;
        let source = edge.source.as_ref().filter(|source| source.begins(bytes))?;
        let id = PathEdgeId { node, edge: place.guess };
        let found = (source.bytes.len(), edge.target.leads_somewhere().then_some(id));
        place.guess += 1;
        Some(found)
    }

    /// The member of this name; none if nothing wanted is there.
    pub(super) fn find(&mut self, node: PathNodeId, name: &[u8]) -> Option<PathEdgeId> {
        let edge = match self.nodes[node as usize].by_name.get(name) {
            Some(&edge) => edge,
            None => self.learn(node, name)?,
        };
        let place = &mut self.nodes[node as usize];
        place.guess = edge + 1;
        place.edges[edge as usize].target.leads_somewhere().then_some(PathEdgeId { node, edge })
    }

    /// The wanted names that lead to a place or beyond.
    pub(super) fn slots_below(&self, node: PathNodeId) -> impl Iterator<Item = usize> {
        self.nodes[node as usize].pending.iter().map(|&(slot, _)| slot as usize)
    }

    #[inline]
    pub(super) fn target(&self, id: PathEdgeId) -> &MemberTarget {
        &self.nodes[id.node as usize].edges[id.edge as usize].target
    }

    /// The next line begins.
    #[inline]
    pub(super) fn begin(&mut self) {
        self.scan += 1;
    }

    /// Notes that the line has a member that leads somewhere; returns whether it had it before.
    #[inline]
    pub(super) fn meet(&mut self, id: PathEdgeId) -> Meeting {
        let met_in = &mut self.nodes[id.node as usize].edges[id.edge as usize].met_in;
        if std::mem::replace(met_in, self.scan) == self.scan { self.repeat(id) } else { Meeting::First }
    }

    /// The name of the member that a line has twice, if that is what the scanner gave up on.
    pub(super) fn take_repeated(&mut self) -> Option<String> {
        self.repeated.take()
    }

    #[cold]
    fn repeat(&mut self, id: PathEdgeId) -> Meeting {
        let place = &self.nodes[id.node as usize];
        let around = place.pending.first().map_or("", |&(slot, matched)| &self.names[slot as usize][..matched]);
        let name = place.by_name.iter().find(|(_, edge)| **edge == id.edge).map(|(name, _)| &**name);
        self.repeated = Some(format!("{around}{}", String::from_utf8_lossy(name.unwrap_or_default())));
        Meeting::Again
    }

    /// Notes that the line tells a wanted name twice, by members of different places.
    #[cold]
    pub(super) fn repeat_name(&mut self, slot: u32) {
        self.repeated = Some(self.names[slot as usize].clone());
    }

    /// The next object begins: its first member is guessed to be the one that came first.
    #[inline]
    pub(super) fn enter(&mut self, node: PathNodeId) {
        self.nodes[node as usize].guess = 0;
    }

    /// Finds out where a member leads, and remembers it.
    #[cold]
    fn learn(&mut self, node: PathNodeId, name: &[u8]) -> Option<u32> {
        self.novelty = true;
        let mut slots = Vec::new();
        let mut pending = Vec::new();
        for &(slot, matched) in &self.nodes[node as usize].pending {
            let rest = &self.names[slot as usize].as_bytes()[matched..];
            match rest.strip_prefix(name) {
                Some([]) => slots.push(slot),
                Some([b'.', ..]) => pending.push((slot, matched + name.len() + 1)),
                _ => {}
            }
        }
        let child = (!pending.is_empty()).then(|| self.add_node(pending));
        let target = MemberTarget { slots, node: child };
        let place = &mut self.nodes[node as usize];
        if !target.leads_somewhere() && (place.edges.len() >= MOST_EDGES || name.len() > LONGEST_EDGE) {
            return None;
        }
        let edge = place.edges.len() as u32;
        place.by_name.insert(name.into(), edge);
        place.edges.push(PathEdge { source: source_of(name), target, met_in: 0 });
        Some(edge)
    }

    fn add_node(&mut self, pending: Vec<(u32, usize)>) -> PathNodeId {
        self.nodes.push(PathNode::new(pending));
        self.nodes.len() as PathNodeId - 1
    }
}

impl PathNode {
    fn new(pending: Vec<(u32, usize)>) -> Self {
        Self { pending, edges: Vec::new(), by_name: FxHashMap::default(), guess: 0 }
    }
}

impl MemberTarget {
    fn leads_somewhere(&self) -> bool {
        !self.slots.is_empty() || self.node.is_some()
    }
}

fn source_of(name: &[u8]) -> Option<MemberPrefix> {
    let needs_escapes = name.iter().any(|byte| matches!(byte, b'"' | b'\\' | 0..0x20));
    (!needs_escapes).then(|| MemberPrefix::new([b"\"", name, b"\":"].concat()))
}

impl MemberPrefix {
    fn new(bytes: Vec<u8>) -> Self {
        let (mut head, mut mask) = ([0; 8], [0; 8]);
        for ((head, mask), byte) in head.iter_mut().zip(&mut mask).zip(&bytes) {
            (*head, *mask) = (*byte, 0xFF);
        }
        Self { bytes: bytes.into(), head: u64::from_le_bytes(head), mask: u64::from_le_bytes(mask) }
    }

    #[inline]
    fn begins(&self, bytes: &[u8]) -> bool {
        match swar::load(bytes, 0) {
            Some(word) if (word ^ self.head) & self.mask != 0 => false,
            Some(_) => self.bytes.len() <= 8 || bytes[8..].starts_with(&self.bytes[8..]),
            None => bytes.starts_with(&self.bytes),
        }
    }
}
