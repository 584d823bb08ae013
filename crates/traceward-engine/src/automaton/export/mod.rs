//! Automata for other eyes. [`Diagram`] is what every picture of an alternating automaton shows, [`dot`] writes it for
//! Graphviz and [`svg`] draws it; as text, see [`Alternating::display`]. Ordinary automata are a [`graph::Graph`]; [`fsp`] and [`hoa`]
//! write them for other tools, [`listing::Listing`] is what programs read. [`monitor`] makes programs of deterministic ones, whose texts are in [`labelled::Labelled`].

pub mod dot;
mod frame;
pub mod fsp;
pub mod graph;
pub mod hoa;
mod identifier;
pub mod labelled;
mod layers;
mod layout;
pub mod listing;
pub mod monitor;
pub mod svg;

use crate::automaton::alternating::{Alternating, Condition, ConditionId, Look, NodeId};
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;
use traceward_logic::formula::{FormulaId, Formulas};

/// A condition in disjunctive form: one of these sets of nodes has to be run, all of its nodes together. ε is the one
/// set that is empty.
pub type Disjuncts = Vec<Vec<NodeId>>;

/// The alternating automaton of one formula, with every condition in disjunctive form, and with its texts.
///
/// Conditions are multiplied out but not absorbed: `n1 ∨ (n1 ∧ n2)` is drawn with both its bundles, because without
/// the second the reader of a picture would look in vain for what leads to `n2`.
#[derive(Clone, Debug)]
pub struct Diagram {
    /// The formula.
    pub formula: String,
    /// Where a run begins.
    pub start: Disjuncts,
    /// The nodes, in order.
    pub nodes: Vec<DiagramNode>,
}

/// A node of a [`Diagram`].
#[derive(Clone, Debug)]
pub struct DiagramNode {
    /// Its id.
    pub id: NodeId,
    /// What it asks of the current state.
    pub label: String,
    /// The formula it was made for.
    pub formula: String,
    /// Whether a path may end in it.
    pub accepting: bool,
    /// At which position its successors are.
    pub look: Look,
    /// Its successors.
    pub next: Disjuncts,
}

/// A condition has more disjuncts than may be drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooManyDisjuncts {
    /// How many there may be.
    pub limit: usize,
}

impl fmt::Display for TooManyDisjuncts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a condition of this automaton has more than {} disjuncts", self.limit)
    }
}

impl Diagram {
    /// The diagram of the automaton of a formula; `names` are those of the variables. No condition may have more than
    /// `limit` disjuncts.
    ///
    /// # Panics
    /// If the automaton was not made of this formula.
    pub fn new(
        automaton: &Alternating,
        root: FormulaId,
        formulas: &Formulas,
        names: &[Arc<str>],
        limit: usize,
    ) -> Result<Self, TooManyDisjuncts> {
        let start = automaton.of_formula(root).expect("the automaton of this formula");
        let wanted: Vec<ConditionId> =
            automaton.nodes().iter().map(|node| node.next).chain(std::iter::once(start)).collect();
        let multiplied = MultipliedOut::new(automaton, &wanted, limit)?;
        let nodes = automaton.node_ids().map(|id| {
            let node = automaton.node(id);
            DiagramNode {
                id,
                label: automaton.label_text(id, formulas, names),
                formula: formulas.display(node.formula, names).to_string(),
                accepting: node.accepting,
                look: node.look,
                next: multiplied.disjuncts(node.next),
            }
        });
        Ok(Self {
            formula: formulas.display(root, names).to_string(),
            start: multiplied.disjuncts(start),
            nodes: nodes.collect(),
        })
    }

    /// How many arrows a picture has: one for each node of each disjunct of each condition, the start's among them. A
    /// conjunction of three nodes is three arrows, and a self-loop in two disjuncts is two.
    pub fn edges(&self) -> usize {
        let conditions = self.nodes.iter().map(|node| &node.next).chain(std::iter::once(&self.start));
        conditions.flatten().map(Vec::len).sum()
    }

    /// How many nodes accept.
    pub fn accepting(&self) -> usize {
        self.nodes.iter().filter(|node| node.accepting).count()
    }

    /// Whether some node looks back.
    fn looks_back(&self) -> bool {
        self.nodes.iter().any(|node| node.look == Look::Back)
    }

    /// Whether some arrows belong together.
    fn has_conjunctions(&self) -> bool {
        let conditions = self.nodes.iter().map(|node| &node.next).chain(std::iter::once(&self.start));
        conditions.flatten().any(|disjunct| disjunct.len() > 1)
    }
}

/// How many nodes the conditions of an automaton name when they are written out, which [`Alternating::display`] does:
/// conditions share their parts, and `f M g` has g twice, so that it may be exponential in the formula.
pub fn written_out(automaton: &Alternating) -> u64 {
    let mut sizes: Vec<u64> = Vec::new();
    for id in automaton.condition_ids() {
        sizes.push(match automaton.condition(id) {
            Condition::Empty | Condition::Node(_) => 1,
            Condition::And(left, right) | Condition::Or(left, right) => {
                sizes[left.index()].saturating_add(sizes[right.index()])
            }
        });
    }
    let written = automaton.nodes().iter().map(|node| node.next).chain(automaton.roots().iter().copied());
    written.fold(0, |sum, id| sum.saturating_add(sizes[id.index()]))
}

/// How many node ids all disjuncts may hold together: a formula of a million conjuncts is refused before it fills the
/// memory.
const MOST_ENTRIES: usize = 1 << 23;

/// The disjunctive form of conditions, by the index of the condition.
struct MultipliedOut(Vec<Option<Rc<Disjuncts>>>);

impl MultipliedOut {
    /// Parts before wholes, so that nothing recurses into conditions of any depth.
    fn new(automaton: &Alternating, wanted: &[ConditionId], limit: usize) -> Result<Self, TooManyDisjuncts> {
        let parts = automaton.parts(wanted);
        let mut table = Self(vec![None; parts.last().map_or(0, |last| last.index() + 1)]);
        let mut entries = 0;
        for part in parts {
            let disjuncts = match automaton.condition(part) {
                Condition::Empty => vec![Vec::new()],
                Condition::Node(node) => vec![vec![node]],
                Condition::Or(left, right) => either(table.of(left), table.of(right)),
                Condition::And(left, right) => both(table.of(left), table.of(right), limit),
            };
            entries += disjuncts.iter().map(Vec::len).sum::<usize>();
            if disjuncts.len() > limit || entries > MOST_ENTRIES {
                return Err(TooManyDisjuncts { limit });
            }
            table.0[part.index()] = Some(Rc::new(disjuncts));
        }
        Ok(table)
    }

    fn of(&self, condition: ConditionId) -> &[Vec<NodeId>] {
        self.0[condition.index()].as_ref().expect("parts come before wholes")
    }

    fn disjuncts(&self, condition: ConditionId) -> Disjuncts {
        self.of(condition).to_vec()
    }
}

fn either(left: &[Vec<NodeId>], right: &[Vec<NodeId>]) -> Disjuncts {
    let mut all = left.to_vec();
    all.extend(right.iter().filter(|disjunct| !left.contains(disjunct)).cloned());
    all
}

/// Stops when there are more than the limit.
fn both(left: &[Vec<NodeId>], right: &[Vec<NodeId>], limit: usize) -> Disjuncts {
    let mut all = Disjuncts::new();
    for (one, other) in left.iter().flat_map(|one| right.iter().map(move |other| (one, other))) {
        let mut nodes: Vec<NodeId> = one.iter().chain(other).copied().collect();
        nodes.sort_unstable();
        nodes.dedup();
        if !all.contains(&nodes) {
            all.push(nodes);
        }
        if all.len() > limit {
            break;
        }
    }
    all
}

#[cfg(test)]
mod tests;
