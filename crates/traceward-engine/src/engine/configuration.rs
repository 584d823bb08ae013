//! Configurations: what is asked of one position, as nodes of a metric automaton with their clocks
//! (definition 3.12 of the thesis).
//!
//! A configuration is *compact* (definition 3.18): of two clocks on one window timer only the one
//! that asks for more is in it, and a leaf, which asks nothing of its clock, is in it once. Delay
//! timers stay with all their clocks; that one of them is redundant (claim 3.2) is wrong.

use crate::automaton::alternating::NodeId;
use crate::automaton::metric::{Clock, Kind, Metric, Stronger};
use crate::saved::{Reader, RestoreError, Writer};

/// A node and its clock: Nᶜ.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Entry {
    /// The node N.
    pub node: NodeId,
    /// The clock c.
    pub clock: Clock,
}

/// The choice whether configurations, and graphs of them, are kept compact.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Compaction {
    /// An entry is dropped if another entry asks for the same.
    #[default]
    On,
    /// All entries are kept.
    Off,
}

/// A set of nodes with their clocks, in order.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Configuration(Box<[Entry]>);

impl Configuration {
    /// The configuration of one node.
    pub fn of(entry: Entry) -> Self {
        Self(Box::new([entry]))
    }

    /// The entries, in order.
    pub fn entries(&self) -> &[Entry] {
        &self.0
    }

    /// Writes the entries.
    pub(super) fn save(&self, to: &mut Writer) {
        to.size(self.0.len());
        for entry in &self.0 {
            to.size(entry.node.index());
            to.optional(entry.clock.left());
        }
    }

    /// Reads a configuration of an automaton.
    pub(super) fn restore(automaton: &Metric, from: &mut Reader<'_>) -> Result<Self, RestoreError> {
        let entries = (0..from.count()?).map(|_| {
            let node = NodeId::new(from.index(automaton.nodes().len())?);
            let clock = from.optional()?.map_or(Clock::INFINITE, Clock::new);
            Ok(Entry { node, clock })
        });
        let entries = entries.collect::<Result<Vec<Entry>, RestoreError>>()?;
        Ok(Self::collect(entries, automaton, Compaction::Off))
    }

    /// Whether the configuration asks for nothing.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The union C ⊎ C′ of two configurations, which asks for all that either of them asks.
    pub fn and(&self, other: &Self, automaton: &Metric, compaction: Compaction) -> Self {
        if self.is_empty() || other.is_empty() {
            return if self.is_empty() { other.clone() } else { self.clone() };
        }
        Self::collect(self.0.iter().chain(&other.0).copied(), automaton, compaction)
    }

    /// The configuration of these nodes.
    pub fn collect(entries: impl IntoIterator<Item = Entry>, automaton: &Metric, compaction: Compaction) -> Self {
        let mut entries: Vec<Entry> = entries.into_iter().collect();
        entries.sort_unstable();
        entries.dedup();
        if compaction == Compaction::On {
            entries.dedup_by(|later, kept| {
                if later.node != kept.node {
                    return false;
                }
                if entry_implies(automaton, *later, *kept) {
                    *kept = *later;
                    return true;
                }
                entry_implies(automaton, *kept, *later)
            });
        }
        Self(entries.into())
    }

    /// Whether a state satisfies all entries, where `is_true` tells which leaves it satisfies: they
    /// evaluate "to anything but -1" (definition 3.15).
    pub fn is_satisfied(&self, automaton: &Metric, is_true: impl Fn(NodeId) -> bool) -> bool {
        self.0.iter().all(|entry| match automaton.node(entry.node).test() {
            Some(test) => test.holds(entry.clock),
            None => is_true(entry.node),
        })
    }

    /// Whether a path may end in every node of the configuration (definition 3.16).
    pub fn is_final(&self, automaton: &Metric) -> bool {
        self.0.iter().all(|entry| automaton.node(entry.node).accepting)
    }

    /// The timers of the configuration that have successors.
    pub fn timers<'a>(&'a self, automaton: &'a Metric) -> impl Iterator<Item = Entry> + 'a {
        self.0.iter().copied().filter(|entry| automaton.goes_on(entry.node))
    }

    /// Whether another configuration asks for all that this one asks: whatever satisfies the other
    /// satisfies this one.
    pub fn follows_from(&self, other: &Self, automaton: &Metric) -> bool {
        other.implies_all(self.0.iter().copied(), automaton)
    }

    /// Whether another configuration asks of later states all that this one asks of them. Leaves,
    /// and timers whose clock has run out, ask nothing of later states.
    pub fn follows_later_from(&self, other: &Self, automaton: &Metric) -> bool {
        other.implies_all(self.timers(automaton), automaton)
    }

    /// Whether the configuration asks for all of these entries, which are in order.
    fn implies_all(&self, mut asked: impl Iterator<Item = Entry>, automaton: &Metric) -> bool {
        let mut ahead = &*self.0;
        asked.all(|asked| {
            let behind = ahead.iter().take_while(|entry| entry.node < asked.node).count();
            ahead = &ahead[behind..];
            let mut of_node = ahead.iter().take_while(|entry| entry.node == asked.node);
            of_node.any(|entry| entry_implies(automaton, *entry, asked))
        })
    }
}

/// Whether whatever satisfies one entry satisfies the other. Both are of one node.
pub fn entry_implies(automaton: &Metric, one: Entry, other: Entry) -> bool {
    let can_hold = |clock: Clock| automaton.node(one.node).test().is_none_or(|test| test.holds(clock));
    match stronger(automaton, one.node) {
        // Where the clock is not as asked for, that is what nothing satisfies.
        Stronger::Neither if !automaton.goes_on(one.node) => !can_hold(one.clock) || can_hold(other.clock),
        Stronger::Smaller => one.clock <= other.clock,
        Stronger::Larger if !can_hold(one.clock) || !can_hold(other.clock) => !can_hold(one.clock),
        Stronger::Larger => one.clock >= other.clock,
        Stronger::Neither => one.clock == other.clock,
    }
}

/// The clock, of two on one node, that asks for more. A leaf does not look at its clock, so the
/// smaller clock is as good as the other.
fn stronger(automaton: &Metric, node: NodeId) -> Stronger {
    match automaton.node(node).kind {
        Kind::Leaf(_) => Stronger::Smaller,
        Kind::Timer { stronger, .. } => stronger,
    }
}

/// A node with its clock for a reader, as the thesis writes it: `n5^3`. Without bounds all clocks
/// stand still, and there are none to be read.
pub(super) fn entry_text(automaton: &Metric, Entry { node, clock }: Entry) -> String {
    let counts = automaton.clocks().iter().any(|clock| clock.left().is_some());
    if counts { format!("{node}^{}", clock.text(automaton.unit_of(node))) } else { node.to_string() }
}
