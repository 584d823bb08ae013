//! The paper's table: the value of every node at every position.

use super::super::offline::Cache;
use super::super::walkthrough::{Conclusion, Content, Guide, ShownState, Stage, Walkthrough, WalkthroughStep};
use super::schedule::{Schedule, Traces};
use super::{Reverse, run};
use crate::automaton::alternating::{ConditionId, Label, Look, NodeId};
use crate::prepared::Prepared;
use std::sync::Arc;
use traceward_logic::bitmap::Bitmap;
use traceward_logic::formula::{AtomId, Formulas};
use traceward_logic::letter::{Alphabet, Letters};
use traceward_logic::print::lined_up;

/// The value of every node at every position.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceTable {
    /// For each node in order, its row.
    pub rows: Vec<Bitmap>,
    /// The atoms, and where each holds.
    letters: Vec<(AtomId, Bitmap)>,
}

impl Reverse {
    /// Fills the table of section 3.3. Meant for short traces: it keeps a row for every node.
    pub fn table(&self, formulas: &Formulas, alphabet: &Alphabet, letters: &Letters) -> TraceTable {
        let conditions: Vec<ConditionId> =
            self.automaton.nodes().iter().map(|node| node.next).chain(self.bounded()).collect();
        let schedule = Schedule::new(formulas, alphabet, &self.automaton, &conditions, Traces::One);
        let mut cache = Cache::default();
        let filled = run::run(&schedule, &mut cache, letters);
        let (next, bounded) = filled.split_at(self.automaton.nodes().len());
        let mut bounded = bounded.iter();
        let row = |(id, next): (NodeId, &&Bitmap)| {
            let node = self.automaton.node(id);
            match (node.look, node.label) {
                (Look::Here, Label::Bounded(_)) => bounded.next().map_or_else(Bitmap::new, |&row| row.clone()),
                (Look::Here, Label::Constant(bit)) => Bitmap::filled(letters.len, bit),
                (Look::Here, Label::Atom(atom)) => letter_row(alphabet, letters, atom),
                (Look::Here, Label::NotAtom(atom)) => letter_row(alphabet, letters, atom).complement(),
                (Look::Forward, _) => moved(next, 1, node.accepting),
                (Look::Back, _) => moved(next, -1, node.accepting),
            }
        };
        let rows = self.automaton.node_ids().zip(next).map(row).collect();
        let atoms = alphabet.atoms().iter().map(|&(_, atom)| (atom, letter_row(alphabet, letters, atom)));
        TraceTable { rows, letters: atoms.collect() }
    }

    /// The table told from the last state to the first, with the row of the first formula.
    pub(super) fn told_from_the_end(&self, guide: &Guide<'_>) -> Walkthrough {
        let Prepared { formulas, alphabet, .. } = guide.prepared;
        let table = self.table(formulas, alphabet, guide.letters);
        let mut cache = Cache::default();
        let truth = self.rows(&mut cache, guide.letters)[0];
        let step = |position: usize| {
            let nodes = self.automaton.node_ids().zip(&table.rows);
            let values = nodes.map(|(id, row)| (id.to_string(), row.get(position))).collect();
            WalkthroughStep {
                state: Some(guide.state(position)),
                stages: vec![Stage::new("values", Content::Values(values))],
                conclusion: Conclusion::Here(truth.get(position)),
            }
        };
        let text = || self.automaton.display(formulas, guide.names).to_string();
        let automaton = guide.readable(self.automaton.written_out(), text);
        Walkthrough { automaton, steps: (0..guide.letters.len).rev().map(step).collect() }
    }

    fn bounded(&self) -> impl Iterator<Item = ConditionId> + '_ {
        self.automaton.nodes().iter().filter_map(|node| match node.label {
            Label::Bounded(formula) => self.automaton.of_formula(formula),
            _ => None,
        })
    }

    /// The automaton and the table as text, the last position first, as the paper prints it.
    pub fn table_text(&self, table: &TraceTable, formulas: &Formulas, names: &[Arc<str>]) -> String {
        let len = table.rows.first().map_or(0, Bitmap::len);
        let states: Vec<String> = (0..len).map(|position| state_text(table, formulas, names, position)).collect();
        let width = lined_up(states.iter().map(|text| text.chars().count()));
        let mut text = format!("{}\n{:width$}", self.automaton.display(formulas, names), "");
        for id in self.automaton.node_ids() {
            text.push_str(&format!(" {:>5}", id.to_string()));
        }
        for (position, state) in states.iter().enumerate().rev() {
            text.push_str(&format!("\n{state:<width$}"));
            for row in &table.rows {
                text.push_str(&format!(" {:>5}", row.get(position)));
            }
        }
        text.push('\n');
        text
    }
}

/// `4: ⟨a, ¬b, ¬c⟩`
fn state_text(table: &TraceTable, formulas: &Formulas, names: &[Arc<str>], position: usize) -> String {
    let proposition =
        |(atom, row): &(AtomId, Bitmap)| (formulas.atom(*atom).display(names).to_string(), row.get(position));
    let mut propositions: Vec<(String, bool)> = table.letters.iter().map(proposition).collect();
    propositions.sort();
    ShownState { position, propositions }.to_string()
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
