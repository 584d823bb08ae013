//! Algebraic alternating automata for other eyes. A [`Diagram`] is what every picture of one shows:
//! [`dot`] writes it for Graphviz and [`svg`] draws it.
//!
//! Conditions of alternating automata are multiplied out for their sketches. Here every conjunction
//! and disjunction has a function, so each stays a junction of its own, and the picture is as large
//! as the automaton.

mod dot;
mod svg;

pub use dot::dot;
use std::sync::Arc;
pub use svg::svg;
use traceward_engine::automaton::algebraic::{Algebraic, Part, PartId};
use traceward_logic::formula::Formulas;

/// An algebraic alternating automaton with its texts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagram {
    /// The query.
    pub query: String,
    /// The index of the part that is the whole.
    pub root: usize,
    /// The parts, operands before what is made of them.
    pub parts: Vec<DiagramPart>,
}

/// A part of a [`Diagram`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DiagramPart {
    /// The name of the part: `A0`.
    pub name: String,
    /// The text of the function, or of what a terminal node says of the current state.
    pub label: String,
    /// What the part is.
    pub kind: DiagramKind,
}

/// What a part of a [`Diagram`] is. Operands and automata are indices of parts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DiagramKind {
    /// A terminal node.
    Terminal {
        /// The number of the node.
        node: usize,
    },
    /// A transient node.
    Transient {
        /// The number of the node.
        node: usize,
        /// The automaton that it is worth one position later.
        next: usize,
    },
    /// A conjunction.
    And([usize; 2]),
    /// A disjunction.
    Or([usize; 2]),
    /// A function of an automaton.
    Apply(usize),
}

impl DiagramPart {
    /// The name of the node, if the part is one: `n0`.
    pub fn node(&self) -> Option<String> {
        match self.kind {
            DiagramKind::Terminal { node } | DiagramKind::Transient { node, .. } => Some(format!("n{node}")),
            DiagramKind::And(_) | DiagramKind::Or(_) | DiagramKind::Apply(_) => None,
        }
    }

    /// The parts that arrows lead to.
    pub fn targets(&self) -> &[usize] {
        match &self.kind {
            DiagramKind::Terminal { .. } => &[],
            DiagramKind::Transient { next, .. } => std::slice::from_ref(next),
            DiagramKind::And(operands) | DiagramKind::Or(operands) => operands,
            DiagramKind::Apply(operand) => std::slice::from_ref(operand),
        }
    }

    /// The sign and the function of what joins automata.
    fn junction(&self) -> String {
        match self.kind {
            DiagramKind::And(_) => format!("∧ {}", self.label),
            DiagramKind::Or(_) => format!("∨ {}", self.label),
            _ => self.label.clone(),
        }
    }

    fn is_transient(&self) -> bool {
        matches!(self.kind, DiagramKind::Transient { .. })
    }
}

impl Diagram {
    /// The diagram of the automaton of one query; `names` are those of the variables.
    ///
    /// # Panics
    /// If the automaton is of no query.
    pub fn new(query: String, automaton: &Algebraic, formulas: &Formulas, names: &[Arc<str>]) -> Self {
        let mut nodes = 0;
        let mut node = || {
            nodes += 1;
            nodes - 1
        };
        let part = |id: PartId| {
            let kind = match automaton.part(id) {
                Part::Terminal { .. } => DiagramKind::Terminal { node: node() },
                Part::Transient { next, .. } => DiagramKind::Transient { node: node(), next: next.index() },
                Part::And { left, right, .. } => DiagramKind::And([left.index(), right.index()]),
                Part::Or { left, right, .. } => DiagramKind::Or([left.index(), right.index()]),
                // A window is a function of an automaton, if not of its value here alone.
                Part::Apply { part, .. } | Part::Window { of: part, .. } => DiagramKind::Apply(part.index()),
            };
            DiagramPart { name: id.to_string(), label: automaton.label(id, formulas, names), kind }
        };
        let parts = automaton.part_ids().map(part).collect();
        Self { query, root: automaton.roots()[0].index(), parts }
    }

    /// The number of terminal and transient nodes.
    pub fn nodes(&self) -> usize {
        self.parts.iter().filter(|part| part.node().is_some()).count()
    }

    /// The number of arrows, the one to the whole among them.
    pub fn edges(&self) -> usize {
        1 + self.parts.iter().map(|part| part.targets().len()).sum::<usize>()
    }

    /// All arrows from part to part.
    fn arrows(&self) -> impl Iterator<Item = (usize, usize)> {
        let parts = self.parts.iter().enumerate();
        parts.flat_map(|(from, part)| part.targets().iter().map(move |&to| (from, to)))
    }
}

#[cfg(test)]
mod tests;
