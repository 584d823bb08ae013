//! Alternating automata for other eyes, with clocks or without. A [`Sketch`] is what every picture
//! of one shows: [`dot`] writes it for Graphviz and [`svg`] draws it.

mod disjuncts;
mod dot;
mod layout;
mod svg;

use disjuncts::MultipliedOut;
pub use disjuncts::{ClockChange, Disjuncts, Edge, TooManyDisjuncts};
pub use dot::dot;
use std::sync::Arc;
pub use svg::svg;
use traceward_engine::automaton::alternating::{Alternating, ConditionId, Look, NodeId};
use traceward_engine::automaton::metric::{self, Clock, ClockId, Metric};
use traceward_logic::formula::{FormulaId, Formulas, Unit};

/// The kinds of automata that a [`Sketch`] shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SketchKind {
    /// An alternating automaton.
    Alternating,
    /// A metric alternating automaton: some arrows say what becomes of a clock.
    Metric,
}

/// A sketch of the automaton of one formula: every condition in disjunctive form, and all texts.
///
/// Conditions are multiplied out but not absorbed: `n1 ∨ (n1 ∧ n2)` is drawn with both its bundles,
/// because without the second the reader of a picture would look in vain for what leads to `n2`.
#[derive(Clone, Debug)]
pub struct Sketch {
    /// The kind of automaton.
    pub kind: SketchKind,
    /// The formula.
    pub formula: String,
    /// The clocks, each with the value that it is set to, and what it counts.
    pub clocks: Vec<(ClockId, Clock, Unit)>,
    /// The arrows with which a run begins.
    pub start: Disjuncts,
    /// The nodes, in order.
    pub nodes: Vec<SketchNode>,
}

/// A node of a [`Sketch`].
#[derive(Clone, Debug)]
pub struct SketchNode {
    /// The id of the node.
    pub id: NodeId,
    /// The text of what the node asks of the current state, or of its clock.
    pub label: String,
    /// The clock of the node, if it is a timer.
    pub clock: Option<ClockId>,
    /// The formula that the node was made for.
    pub formula: String,
    /// Whether a path may end in the node.
    pub accepting: bool,
    /// The position at which the successors are.
    pub look: Look,
    /// The arrows to the successors.
    pub next: Disjuncts,
}

impl Sketch {
    /// The sketch of the alternating automaton of a formula; `names` are those of the variables. No
    /// condition may have more than `limit` disjuncts.
    ///
    /// # Panics
    /// If the automaton was not made of this formula.
    pub fn of_alternating(
        automaton: &Alternating,
        root: FormulaId,
        formulas: &Formulas,
        names: &[Arc<str>],
        limit: usize,
    ) -> Result<Self, TooManyDisjuncts> {
        let start = automaton.of_formula(root).expect("the automaton of this formula");
        let wanted: Vec<ConditionId> =
            automaton.nodes().iter().map(|node| node.next).chain(std::iter::once(start)).collect();
        let multiplied = MultipliedOut::of_alternating(automaton, &wanted, limit)?;
        let nodes = automaton.node_ids().map(|id| {
            let node = automaton.node(id);
            SketchNode {
                id,
                label: automaton.label_text(id, formulas, names),
                clock: None,
                formula: formulas.display(node.formula, names).to_string(),
                accepting: node.accepting,
                look: node.look,
                next: multiplied.disjuncts(node.next),
            }
        });
        Ok(Self {
            kind: SketchKind::Alternating,
            formula: formulas.display(root, names).to_string(),
            clocks: Vec::new(),
            start: multiplied.disjuncts(start),
            nodes: nodes.collect(),
        })
    }

    /// The sketch of the metric automaton of a formula, in the same way.
    pub fn of_metric(
        automaton: &Metric,
        root: FormulaId,
        formulas: &Formulas,
        names: &[Arc<str>],
        limit: usize,
    ) -> Result<Self, TooManyDisjuncts> {
        let multiplied = MultipliedOut::of_metric(automaton, limit)?;
        let nodes = automaton.node_ids().map(|id| {
            let node = automaton.node(id);
            let (clock, look, next) = match node.kind {
                metric::Kind::Leaf(_) => (None, Look::Here, vec![Vec::new()]),
                metric::Kind::Timer { clock, next, .. } => (Some(clock), Look::Forward, multiplied.disjuncts(next)),
            };
            let formula = formulas.display(node.formula, names).to_string();
            let label = automaton.label_text(id, formulas, names);
            SketchNode { id, label, clock, formula, accepting: node.accepting, look, next }
        });
        Ok(Self {
            kind: SketchKind::Metric,
            formula: formulas.display(root, names).to_string(),
            clocks: automaton.clock_ids().map(|id| (id, automaton.clock(id), automaton.unit(id))).collect(),
            start: multiplied.disjuncts(automaton.root()),
            nodes: nodes.collect(),
        })
    }

    /// The number of arrows in a picture: one for each node of each disjunct of each condition, the
    /// start's among them. A conjunction of three nodes is three arrows, and a self-loop in two
    /// disjuncts is two.
    pub fn edges(&self) -> usize {
        self.disjuncts().map(Vec::len).sum()
    }

    /// The number of accepting nodes.
    pub fn accepting(&self) -> usize {
        self.nodes.iter().filter(|node| node.accepting).count()
    }

    /// Whether some node looks back.
    fn looks_back(&self) -> bool {
        self.nodes.iter().any(|node| node.look == Look::Back)
    }

    /// Whether some arrows belong together.
    fn has_conjunctions(&self) -> bool {
        self.disjuncts().any(|disjunct| disjunct.len() > 1)
    }

    /// Whether some arrow sets a clock or counts it down.
    fn has_captions(&self) -> bool {
        self.disjuncts().flatten().any(|edge| edge.clock.is_some())
    }

    /// Whether some arrow has a change of a clock by the steps between two states, or by the time.
    fn counts(&self, unit: Unit) -> bool {
        let is_such = |change: ClockChange| match change {
            ClockChange::Set(..) | ClockChange::CountDown(_) => unit == Unit::Steps,
            ClockChange::SetTime(..) | ClockChange::Elapse(_) => unit == Unit::Time,
        };
        self.disjuncts().flatten().filter_map(|edge| edge.clock).any(is_such)
    }

    fn disjuncts(&self) -> impl Iterator<Item = &Vec<Edge>> {
        self.nodes.iter().map(|node| &node.next).chain(std::iter::once(&self.start)).flatten()
    }
}

#[cfg(test)]
mod tests;
