//! The paper's table: the value of every node at every position.

use super::plan::Plan;
use super::{Cache, Reverse, run};
use crate::automaton::alternating::{ConditionId, Label, Look, NodeId};
use std::sync::Arc;
use traceward_logic::bitmap::Bitmap;
use traceward_logic::formula::{AtomId, Formulas};
use traceward_logic::letter::{Alphabet, Letters};

/// The value of every node at every position.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceTable {
    /// For each node in order, its row.
    pub rows: Vec<Bitmap>,
}

impl Reverse {
    /// Fills the table of section 3.3. Meant for short traces: it keeps a row for every node.
    pub fn table(&self, formulas: &Formulas, alphabet: &Alphabet, letters: &Letters) -> TraceTable {
        let conditions: Vec<ConditionId> =
            self.automaton.nodes().iter().map(|node| node.next).chain(self.bounded()).collect();
        let plan = Plan::new(formulas, alphabet, &self.automaton, &conditions);
        let filled = run::run(&plan, &mut Cache::default(), letters);
        let (next, bounded) = filled.split_at(self.automaton.nodes().len());
        let mut bounded = bounded.iter();
        let row = |(id, next): (NodeId, &Bitmap)| {
            let node = self.automaton.node(id);
            match (node.look, node.label) {
                (Look::Here, Label::Bounded(_)) => bounded.next().cloned().unwrap_or_default(),
                (Look::Here, Label::Constant(bit)) => Bitmap::filled(letters.len, bit),
                (Look::Here, Label::Atom(atom)) => letter_row(alphabet, letters, atom),
                (Look::Here, Label::NotAtom(atom)) => letter_row(alphabet, letters, atom).complement(),
                (Look::Forward, _) => moved(next, 1, node.accepting),
                (Look::Back, _) => moved(next, -1, node.accepting),
            }
        };
        TraceTable { rows: self.automaton.node_ids().zip(next).map(row).collect() }
    }

    fn bounded(&self) -> impl Iterator<Item = ConditionId> + '_ {
        self.automaton.nodes().iter().filter_map(|node| match node.label {
            Label::Bounded(formula) => self.automaton.of_formula(formula),
            _ => None,
        })
    }

    /// The table as text, the last position first, as the paper prints it.
    pub fn table_text(&self, table: &TraceTable, formulas: &Formulas, names: &[Arc<str>]) -> String {
        let ids: Vec<NodeId> = self.automaton.node_ids().collect();
        let len = table.rows.first().map_or(0, Bitmap::len);
        let width = len.to_string().len().max(1);
        let mut text = self.automaton.display(formulas, names).to_string();
        text.push('\n');
        let heads: Vec<String> = ids.iter().map(|id| format!("{:>5}", id.to_string())).collect();
        text.push_str(&format!("{:width$}  {}\n", "", heads.join(" ")));
        for position in (0..len).rev() {
            let cells: Vec<&str> =
                table.rows.iter().map(|row| if row.get(position) { " true" } else { "false" }).collect();
            text.push_str(&format!("{position:>width$}  {}\n", cells.join(" ")));
        }
        text
    }
}

fn letter_row(alphabet: &Alphabet, letters: &Letters, atom: AtomId) -> Bitmap {
    alphabet.proposition(atom).map(|proposition| letters.bitmap(proposition).clone()).unwrap_or_default()
}

/// The row seen from one position before or behind; `end` where there is nothing to see.
fn moved(row: &Bitmap, by: isize, end: bool) -> Bitmap {
    (0..row.len())
        .map(|position| position.checked_add_signed(by).filter(|&other| other < row.len()))
        .map(|other| other.map_or(end, |other| row.get(other)))
        .collect()
}
