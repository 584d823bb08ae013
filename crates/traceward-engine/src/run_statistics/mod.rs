//! Statistics over runs: Finkbeiner and Sipma, section 4.
//!
//! Instead of whether an automaton has an accepting run, a traversal computes a value over all
//! accepting runs: where branches of a run come together values *meet*, where runs are alternatives
//! they are *joined*, and every visit of a node *updates* the value. Depth-first and reverse
//! traversal count a run as a tree ([`over_trees`], and the depth-first engine); breadth-first
//! traversal counts it as a sequence of slices, in which a node that is reached on two paths at one
//! position counts once.

mod reverse;

pub use reverse::over_trees;

use crate::automaton::alternating::{Alternating, NodeId};
use traceward_logic::bitmap::Bitmap;

/// Values of runs. The bottom of the lattice, no accepting run, is `None` wherever a value is
/// optional.
///
/// `meet` and `update` must distribute over `join`, or traversals that meet and join in different
/// orders disagree.
pub trait Lattice {
    /// The value of a run, or of all runs.
    type Value: Clone + PartialEq + std::fmt::Debug;

    /// The value of a run that visits no node.
    fn top(&self) -> Self::Value;

    /// The value of a run with two branches.
    fn meet(&self, left: &Self::Value, right: &Self::Value) -> Self::Value;

    /// The value of two alternative runs.
    fn join(&self, left: &Self::Value, right: &Self::Value) -> Self::Value;

    /// The value after one more visit of a node.
    fn update(&self, value: Self::Value, automaton: &Alternating, node: NodeId) -> Self::Value;

    /// Whether a run is never better for visiting more: `join(s, meet(s, t))` and
    /// `join(s, update(s, n))` are `s`. Only then may breadth-first traversal drop a slice for a
    /// smaller one. False unless a lattice says otherwise.
    fn fewer_visits_are_better(&self) -> bool {
        false
    }
}

/// `meet` with a bottom.
pub(crate) fn meet<L: Lattice>(lattice: &L, left: Option<&L::Value>, right: Option<&L::Value>) -> Option<L::Value> {
    Some(lattice.meet(left?, right?))
}

/// `join` with a bottom.
pub(crate) fn join<L: Lattice>(lattice: &L, left: Option<L::Value>, right: Option<L::Value>) -> Option<L::Value> {
    match (left, right) {
        (Some(left), Some(right)) => Some(lattice.join(&left, &right)),
        (one, other) => one.or(other),
    }
}

/// The least number of visits to rejecting nodes over all accepting runs: how long eventualities
/// were left open.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RejectingVisits;

impl Lattice for RejectingVisits {
    type Value = u64;

    fn top(&self) -> u64 {
        0
    }

    fn meet(&self, left: &u64, right: &u64) -> u64 {
        left.saturating_add(*right)
    }

    fn join(&self, left: &u64, right: &u64) -> u64 {
        *left.min(right)
    }

    fn update(&self, value: u64, automaton: &Alternating, node: NodeId) -> u64 {
        if automaton.node(node).accepting { value } else { value.saturating_add(1) }
    }

    fn fewer_visits_are_better(&self) -> bool {
        true
    }
}

/// The nodes that every accepting run visits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Coverage;

impl Lattice for Coverage {
    type Value = Covered;

    fn top(&self) -> Covered {
        Covered::default()
    }

    fn meet(&self, left: &Covered, right: &Covered) -> Covered {
        let longer = left.0.len().max(right.0.len());
        Covered((0..longer).map(|node| left.has(node) || right.has(node)).collect())
    }

    fn join(&self, left: &Covered, right: &Covered) -> Covered {
        let shorter = left.0.len().min(right.0.len());
        let mut both: Vec<bool> = (0..shorter).map(|node| left.has(node) && right.has(node)).collect();
        both.truncate(both.iter().rposition(|bit| *bit).map_or(0, |last| last + 1));
        Covered(both.into_iter().collect())
    }

    fn update(&self, mut value: Covered, _: &Alternating, node: NodeId) -> Covered {
        if value.0.len() <= node.index() {
            value.0.push_many(false, node.index() + 1 - value.0.len());
        }
        value.0.set(node.index(), true);
        value
    }

    fn fewer_visits_are_better(&self) -> bool {
        true
    }
}

/// A set of nodes. Its bits end with a set one, so that equal sets are equal values.
#[derive(Clone, PartialEq, Eq, Debug, Default, Hash)]
pub struct Covered(Bitmap);

impl Covered {
    fn has(&self, node: usize) -> bool {
        node < self.0.len() && self.0.get(node)
    }

    /// Whether a node is in the set.
    pub fn contains(&self, node: NodeId) -> bool {
        self.has(node.index())
    }

    /// The indices of its nodes, in order.
    pub fn indices(&self) -> Vec<usize> {
        self.0.ones().collect()
    }
}
