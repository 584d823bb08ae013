//! All runs, one by one: definitions 3, 4 and 6 and section 3.2 written down, with the corrections
//! that past nodes end their path at the first position and future nodes at the last, and that the
//! past is settled in a slice.

use crate::example::View;
use std::collections::BTreeSet;
use traceward_engine::automaton::alternating::{Condition, ConditionId, Look, NodeId};

/// Definition 2.
#[derive(Clone, Debug)]
pub enum Tree {
    Empty,
    Both(Box<Tree>, Box<Tree>),
    Node(NodeId, Box<Tree>),
}

impl Tree {
    /// Definition 4: every path through the tree ends in an accepting node.
    fn is_accepting(&self, view: View<'_>) -> bool {
        match self {
            Self::Empty => true,
            Self::Both(left, right) => left.is_accepting(view) && right.is_accepting(view),
            Self::Node(node, below) if matches!(**below, Self::Empty) => view.automaton.node(*node).accepting,
            Self::Node(_, below) => below.is_accepting(view),
        }
    }

    /// The nodes it visits, as often as it does.
    fn visits(&self, into: &mut Vec<NodeId>) {
        match self {
            Self::Empty => {}
            Self::Both(left, right) => {
                left.visits(into);
                right.visits(into);
            }
            Self::Node(node, below) => {
                into.push(*node);
                below.visits(into);
            }
        }
    }
}

/// There are more than this many: too many to look at.
pub const MANY: usize = 2000;

/// Definition 6: all runs in an automaton at a position, accepting or not; none if they are too
/// many.
pub fn trees(view: View<'_>, automaton: ConditionId, position: usize) -> Option<Vec<Tree>> {
    let found = match view.automaton.condition(automaton) {
        Condition::Empty => vec![Tree::Empty],
        Condition::Node(node) => trees_of_node(view, node, position)?,
        Condition::And(left, right) => {
            let (left, right) = (trees(view, left, position)?, trees(view, right, position)?);
            if left.len() * right.len() > MANY {
                return None;
            }
            let with = |one: &Tree| {
                let one = one.clone();
                right.iter().map(move |other| Tree::Both(Box::new(one.clone()), Box::new(other.clone())))
            };
            left.iter().flat_map(with).collect()
        }
        Condition::Or(left, right) => {
            let mut either = trees(view, left, position)?;
            either.extend(trees(view, right, position)?);
            either
        }
    };
    (found.len() <= MANY).then_some(found)
}

fn trees_of_node(view: View<'_>, node: NodeId, position: usize) -> Option<Vec<Tree>> {
    if !view.satisfies(node, position) {
        return Some(Vec::new());
    }
    let next = view.automaton.node(node).next;
    let below = match view.automaton.node(node).look {
        Look::Here => vec![Tree::Empty],
        Look::Forward if position == view.letters.len - 1 => vec![Tree::Empty],
        Look::Back if position == 0 => vec![Tree::Empty],
        Look::Forward => trees(view, next, position + 1)?,
        Look::Back => trees(view, next, position - 1)?,
    };
    Some(below.into_iter().map(|below| Tree::Node(node, Box::new(below))).collect())
}

/// What each accepting tree visits.
pub fn accepting_trees(view: View<'_>) -> Option<Vec<Vec<NodeId>>> {
    let visits = |tree: &Tree| {
        let mut visits = Vec::new();
        tree.visits(&mut visits);
        visits
    };
    let all = trees(view, view.root(), 0)?;
    Some(all.iter().filter(|tree| tree.is_accepting(view)).map(visits).collect())
}

pub type Slice = BTreeSet<NodeId>;

/// What is settled at once: it asks for nothing, or there is no slice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Settled {
    /// Nodes that look back: what a formula about the past asks of the current state is in the
    /// slice, as in section 5.4.
    Nodes,
    /// All of a formula about the past, as the engine has it.
    Formulas,
}

impl Settled {
    fn is(self, view: View<'_>, automaton: ConditionId) -> bool {
        let looks_back = |node: &NodeId| view.automaton.node(*node).look == Look::Back;
        match self {
            Self::Nodes => matches!(view.automaton.condition(automaton), Condition::Node(node) if looks_back(&node)),
            Self::Formulas => view
                .automaton
                .node_ids()
                .filter(looks_back)
                .any(|node| view.automaton.of_formula(view.automaton.node(node).formula) == Some(automaton)),
        }
    }
}

/// initial(𝒜) at a position.
pub fn initial(view: View<'_>, settled: Settled, automaton: ConditionId, position: usize) -> Option<BTreeSet<Slice>> {
    if settled.is(view, automaton) {
        let true_here = trees(view, automaton, position)?.iter().any(|tree| tree.is_accepting(view));
        return Some(if true_here { BTreeSet::from([Slice::new()]) } else { BTreeSet::new() });
    }
    let part = |part| initial(view, settled, part, position);
    Some(match view.automaton.condition(automaton) {
        Condition::Empty => BTreeSet::from([Slice::new()]),
        Condition::Node(node) => BTreeSet::from([Slice::from([node])]),
        Condition::And(left, right) => product(&part(left)?, &part(right)?),
        Condition::Or(left, right) => &part(left)? | &part(right)?,
    })
}

pub fn product(left: &BTreeSet<Slice>, right: &BTreeSet<Slice>) -> BTreeSet<Slice> {
    left.iter().flat_map(|one| right.iter().map(move |other| one | other)).collect()
}

/// successors(C), where C is at the position before.
pub fn successors(view: View<'_>, settled: Settled, slice: &Slice, position: usize) -> Option<BTreeSet<Slice>> {
    let mut all = BTreeSet::from([Slice::new()]);
    for node in slice {
        all = product(&all, &initial(view, settled, view.automaton.node(*node).next, position)?);
    }
    Some(all)
}

pub fn is_satisfied(view: View<'_>, slice: &Slice, position: usize) -> bool {
    slice.iter().all(|node| view.satisfies(*node, position))
}

/// All sequences of satisfied slices C0, C1, … up to a position; none if they are too many.
pub fn sequences(view: View<'_>, settled: Settled, last: usize) -> Option<Vec<Vec<Slice>>> {
    let first = initial(view, settled, view.root(), 0)?;
    let mut all: Vec<Vec<Slice>> = first.into_iter().map(|slice| vec![slice]).collect();
    all.retain(|run| is_satisfied(view, &run[0], 0));
    for position in 1..=last {
        let mut longer = Vec::new();
        for run in &all {
            for next in successors(view, settled, run.last().expect("a slice"), position)? {
                if is_satisfied(view, &next, position) {
                    longer.push(run.iter().cloned().chain([next]).collect());
                }
            }
        }
        if longer.len() > MANY {
            return None;
        }
        all = longer;
    }
    Some(all)
}

/// What each accepting sequence of slices visits: a node once a slice.
pub fn accepting_sequences(view: View<'_>, settled: Settled) -> Option<Vec<Vec<NodeId>>> {
    let mut all = sequences(view, settled, view.letters.len - 1)?;
    all.retain(|run| run.last().expect("a slice").iter().all(|node| view.automaton.node(*node).accepting));
    Some(all.into_iter().map(|run| run.into_iter().flatten().collect()).collect())
}
