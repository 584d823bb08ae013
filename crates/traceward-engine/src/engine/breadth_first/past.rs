//! Backward-looking nodes: known at every position, from the position before.

use crate::automaton::alternating::{Alternating, Condition, ConditionId, Look, NodeId};

/// The past nodes of an automaton, and what it takes to know them.
#[derive(Clone, Debug)]
pub(super) struct Past {
    /// All past nodes.
    nodes: Vec<NodeId>,
    /// Their conditions and what those are made of, parts first.
    conditions: Vec<ConditionId>,
    condition_count: usize,
    node_count: usize,
}

/// The truth of past nodes at a position.
#[derive(Clone, Debug)]
pub(super) struct PastValues {
    nodes: Vec<bool>,
    /// The truth of conditions; none before the first state.
    conditions: Option<Vec<bool>>,
}

impl PastValues {
    pub(super) fn holds(&self, node: NodeId) -> bool {
        self.nodes[node.index()]
    }
}

impl Past {
    pub(super) fn new(automaton: &Alternating) -> Self {
        let nodes: Vec<NodeId> = automaton.node_ids().filter(|node| automaton.node(*node).look == Look::Back).collect();
        let wanted: Vec<ConditionId> = nodes.iter().map(|node| automaton.node(*node).next).collect();
        Self {
            conditions: automaton.parts(&wanted),
            nodes,
            condition_count: automaton.condition_ids().count(),
            node_count: automaton.nodes().len(),
        }
    }

    /// The past nodes, in the order in which letters have them.
    pub(super) fn settled(&self) -> &[NodeId] {
        &self.nodes
    }

    /// Where in that order a node stands.
    pub(super) fn place(&self, node: NodeId) -> Option<usize> {
        self.nodes.iter().position(|one| *one == node)
    }

    pub(super) fn before_the_first(&self) -> PastValues {
        PastValues { nodes: vec![false; self.node_count], conditions: None }
    }

    /// Moves to the next state; `satisfied` tells whether it satisfies a leaf.
    pub(super) fn step(&self, automaton: &Alternating, values: &mut PastValues, satisfied: &dyn Fn(NodeId) -> bool) {
        if self.nodes.is_empty() {
            return;
        }
        for &id in &self.nodes {
            let node = automaton.node(id);
            values.nodes[id.index()] = match &values.conditions {
                Some(before) => before[node.next.index()],
                None => node.accepting,
            };
        }
        let mut now = vec![false; self.condition_count];
        for &id in &self.conditions {
            now[id.index()] = match automaton.condition(id) {
                Condition::Empty => true,
                Condition::Node(node) if automaton.node(node).look == Look::Back => values.nodes[node.index()],
                Condition::Node(node) => satisfied(node),
                Condition::And(left, right) => now[left.index()] && now[right.index()],
                Condition::Or(left, right) => now[left.index()] || now[right.index()],
            };
        }
        values.conditions = Some(now);
    }
}
