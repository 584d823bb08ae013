//! A metric automaton as text.

use super::{ClockTest, Condition, Kind, Label, Metric};
use crate::automaton::alternating::{ConditionId, NodeId};
use std::fmt;
use std::sync::Arc;
use traceward_logic::formula::Formulas;

impl Metric {
    /// The automaton as text, a node a line; `names` are those of the variables.
    pub fn display<'a>(&'a self, formulas: &'a Formulas, names: &'a [Arc<str>]) -> impl fmt::Display + 'a {
        Display { automaton: self, formulas, names }
    }

    /// The text of what a node asks of the current state or of its clock.
    pub fn label_text(&self, id: NodeId, formulas: &Formulas, names: &[Arc<str>]) -> String {
        let node = self.node(id);
        match node.kind {
            Kind::Leaf(Label::Constant(bit)) => bit.to_string(),
            Kind::Leaf(Label::Atom(atom)) => formulas.atom(atom).display(names).to_string(),
            Kind::Leaf(Label::NotAtom(_) | Label::Past(_)) => formulas.display(node.formula, names).to_string(),
            Kind::Timer { test, clock, .. } => match test {
                ClockTest::Positive => format!("{clock} > 0"),
                ClockTest::Zero => format!("{clock} = 0"),
                ClockTest::Above(least) => format!("{clock} > {}", self.clock_text(clock, least)),
                ClockTest::UpTo(most) => format!("{clock} ≤ {}", self.clock_text(clock, most)),
                ClockTest::Open => format!("{clock} ≥ 0"),
                ClockTest::Closed => format!("{clock} < 0"),
            },
        }
    }

    /// A condition as text, such as `(n0 ∨ n1)[t1 := 4]`. With a stack of its own, for conditions
    /// of any depth.
    pub fn condition_text(&self, condition: ConditionId) -> String {
        enum Piece {
            Text(String),
            Condition(ConditionId),
        }
        let text = |text: &str| Piece::Text(text.to_owned());
        let mut written = String::new();
        let mut open = vec![Piece::Condition(condition)];
        while let Some(piece) = open.pop() {
            let whole = match piece {
                Piece::Text(symbol) => {
                    written.push_str(&symbol);
                    continue;
                }
                Piece::Condition(id) => self.condition(id),
            };
            let bracketed = |id: ConditionId| match (self.condition(id), whole) {
                (Condition::Or(..), Condition::And(..))
                | (Condition::And(..), Condition::Or(..))
                | (Condition::And(..) | Condition::Or(..), Condition::Metric(..)) => {
                    [text("("), Piece::Condition(id), text(")")]
                }
                _ => [text(""), Piece::Condition(id), text("")],
            };
            let pieces: Vec<Piece> = match whole {
                Condition::Empty => vec![text("ε")],
                Condition::Node(id) => vec![Piece::Text(id.to_string())],
                Condition::And(left, right) => {
                    bracketed(left).into_iter().chain([text(" ∧ ")]).chain(bracketed(right)).collect()
                }
                Condition::Or(left, right) => {
                    bracketed(left).into_iter().chain([text(" ∨ ")]).chain(bracketed(right)).collect()
                }
                Condition::Metric(clock, inner) => {
                    let set = Piece::Text(format!("[{clock} := {}]", self.clock_text(clock, self.clock(clock))));
                    bracketed(inner).into_iter().chain([set]).collect()
                }
            };
            open.extend(pieces.into_iter().rev());
        }
        written
    }

    /// The number of nodes that the conditions name when they are written out. Conditions share
    /// their parts, and `f M g` has g twice.
    pub fn written_out(&self) -> u64 {
        let mut sizes: Vec<u64> = Vec::new();
        for id in self.condition_ids() {
            sizes.push(match self.condition(id) {
                Condition::Empty | Condition::Node(_) => 1,
                Condition::And(left, right) | Condition::Or(left, right) => {
                    sizes[left.index()].saturating_add(sizes[right.index()])
                }
                Condition::Metric(_, inner) => sizes[inner.index()],
            });
        }
        let next = self.nodes().iter().filter_map(|node| match node.kind {
            Kind::Timer { next, .. } => Some(next),
            Kind::Leaf(_) => None,
        });
        next.chain([self.root()]).fold(0, |sum, id| sum.saturating_add(sizes[id.index()]))
    }
}

struct Display<'a> {
    automaton: &'a Metric,
    formulas: &'a Formulas,
    names: &'a [Arc<str>],
}

impl fmt::Display for Display<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let automaton = self.automaton;
        writeln!(f, "start {}", automaton.condition_text(automaton.root()))?;
        for id in automaton.node_ids() {
            let node = automaton.node(id);
            let label = automaton.label_text(id, self.formulas, self.names);
            let end = if node.accepting { "acc" } else { "rej" };
            match node.kind {
                Kind::Leaf(_) => writeln!(f, "{id:<4} ⟨{label}, {end}⟩")?,
                Kind::Timer { next, .. } => {
                    writeln!(f, "{id:<4} ⟨{label}, {}, {end}⟩", automaton.condition_text(next))?;
                }
            }
        }
        Ok(())
    }
}
