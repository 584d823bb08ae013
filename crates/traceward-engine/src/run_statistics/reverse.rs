//! Statistics by reverse traversal: section 4.2, a run being a tree.
//!
//! Nodes are taken in stages of one direction, what others need first; within a stage the values at
//! one position follow from those at its neighbour. Only values that another stage asks for are
//! kept for every position.

use super::{Lattice, join, meet};
use crate::automaton::alternating::{Alternating, Condition, ConditionId, Label, Look, NodeId};
use traceward_logic::formula::{Direction, Formulas};
use traceward_logic::letter::{Alphabet, Letters};

/// The value over all accepting runs of the automaton's first formula on a trace with a state; none
/// if there is no such run. The formula must have no bounds.
pub fn over_trees<L: Lattice>(
    lattice: &L,
    formulas: &Formulas,
    automaton: &Alternating,
    alphabet: &Alphabet,
    letters: &Letters,
) -> Option<L::Value> {
    let stage_of = stages(formulas, automaton);
    let mut traversal = Traversal {
        lattice,
        automaton,
        alphabet,
        letters,
        kept: kept(automaton, &stage_of),
        rows: vec![Vec::new(); automaton.nodes().len()],
        at_zero: vec![None; automaton.nodes().len()],
        stage_of,
    };
    let last = traversal.stage_of.iter().copied().max().unwrap_or(STATE);
    (STATE + 1..=last).for_each(|stage| traversal.sweep(stage));
    traversal.answer(automaton.roots()[0])
}

/// Leaves belong to every stage.
const STATE: u32 = 0;

/// For each node, its stage: odd numbers look back, even ones forward.
fn stages(formulas: &Formulas, automaton: &Alternating) -> Vec<u32> {
    let roots: Vec<_> = automaton.nodes().iter().map(|node| node.formula).collect();
    let mut of_formula = vec![STATE; formulas.len()];
    for part in formulas.parts(&roots) {
        let node = formulas.node(part);
        let below = node.children().map(|child| of_formula[child.index()]).max().unwrap_or(STATE);
        of_formula[part.index()] = match node.direction() {
            None => below,
            Some(Direction::Past) => below + (below + 1) % 2,
            Some(Direction::Future) => (below + below % 2).max(2),
        };
    }
    let stage = |look: Look, formula: usize| if look == Look::Here { STATE } else { of_formula[formula] };
    automaton.nodes().iter().map(|node| stage(node.look, node.formula.index())).collect()
}

/// For each node, whether a node of another stage asks for it.
fn kept(automaton: &Alternating, stage_of: &[u32]) -> Vec<bool> {
    let mut kept = vec![false; automaton.nodes().len()];
    for (index, node) in automaton.nodes().iter().enumerate() {
        for condition in automaton.parts(&[node.next]) {
            if let Condition::Node(other) = automaton.condition(condition) {
                kept[other.index()] |= stage_of[other.index()] != stage_of[index];
            }
        }
    }
    kept
}

struct Traversal<'a, L: Lattice> {
    lattice: &'a L,
    automaton: &'a Alternating,
    alphabet: &'a Alphabet,
    letters: &'a Letters,
    stage_of: Vec<u32>,
    kept: Vec<bool>,
    /// The values of kept nodes at every position.
    rows: Vec<Vec<Option<L::Value>>>,
    /// The values of all nodes at position 0.
    at_zero: Vec<Option<L::Value>>,
}

impl<L: Lattice> Traversal<'_, L> {
    fn sweep(&mut self, stage: u32) {
        let len = self.letters.len;
        let nodes: Vec<NodeId> =
            self.automaton.node_ids().filter(|node| self.stage_of[node.index()] == stage).collect();
        let wanted: Vec<ConditionId> = nodes.iter().map(|node| self.automaton.node(*node).next).collect();
        let conditions = self.automaton.parts(&wanted);
        for node in nodes.iter().filter(|node| self.kept[node.index()]) {
            self.rows[node.index()] = vec![None; len];
        }
        let mut neighbour: Option<Vec<Option<L::Value>>> = None;
        for nth in 0..len {
            let position = if stage % 2 == 1 { nth } else { len - 1 - nth };
            let mut values: Vec<Option<L::Value>> = vec![None; self.automaton.nodes().len()];
            for &id in &nodes {
                values[id.index()] = self.visit(id, neighbour.as_deref());
            }
            for id in &nodes {
                if self.kept[id.index()] {
                    self.rows[id.index()][position].clone_from(&values[id.index()]);
                }
                if position == 0 {
                    self.at_zero[id.index()].clone_from(&values[id.index()]);
                }
            }
            neighbour = Some(self.conditions_at(&conditions, position, &|node| match self.stage_of[node.index()] {
                own if own == stage => values[node.index()].clone(),
                _ => self.rows[node.index()].get(position).cloned().flatten(),
            }));
        }
    }

    /// The value of a node, from the values of conditions at its neighbour; a path that ends here
    /// needs an accepting node.
    fn visit(&self, id: NodeId, neighbour: Option<&[Option<L::Value>]>) -> Option<L::Value> {
        let node = self.automaton.node(id);
        let below = match neighbour {
            Some(conditions) => conditions[node.next.index()].clone(),
            None => node.accepting.then(|| self.lattice.top()),
        };
        below.map(|value| self.lattice.update(value, self.automaton, id))
    }

    /// The values of conditions at a position, by id; those that were not asked for are none.
    fn conditions_at(
        &self,
        conditions: &[ConditionId],
        position: usize,
        of_node: &dyn Fn(NodeId) -> Option<L::Value>,
    ) -> Vec<Option<L::Value>> {
        let mut values: Vec<Option<L::Value>> = vec![None; self.automaton.condition_ids().count()];
        for &id in conditions {
            values[id.index()] = match self.automaton.condition(id) {
                Condition::Empty => Some(self.lattice.top()),
                Condition::Node(node) if self.automaton.node(node).look == Look::Here => self.leaf(node, position),
                Condition::Node(node) => of_node(node),
                Condition::And(left, right) => {
                    meet(self.lattice, values[left.index()].as_ref(), values[right.index()].as_ref())
                }
                Condition::Or(left, right) => {
                    join(self.lattice, values[left.index()].clone(), values[right.index()].clone())
                }
            };
        }
        values
    }

    fn leaf(&self, id: NodeId, position: usize) -> Option<L::Value> {
        let holds = |atom| {
            let proposition = self.alphabet.proposition(atom).expect("an atom of the alphabet");
            self.letters.bitmap(proposition).get(position)
        };
        let satisfied = match self.automaton.node(id).label {
            Label::Constant(bit) => bit,
            Label::Atom(atom) => holds(atom),
            Label::NotAtom(atom) => !holds(atom),
            Label::Bounded(_) => panic!("statistics are for formulas without bounds"),
        };
        satisfied.then(|| self.lattice.update(self.lattice.top(), self.automaton, id))
    }

    fn answer(&self, root: ConditionId) -> Option<L::Value> {
        let conditions = self.automaton.parts(&[root]);
        let mut values = self.conditions_at(&conditions, 0, &|node| self.at_zero[node.index()].clone());
        values[root.index()].take()
    }
}
