//! The paper's evaluation tables: what every part has at every position (its figure 4).

use super::Holds;
use super::Outcome;
use super::backward::Backward;
use crate::automaton::algebraic::{Algebraic, Part, PartId, Unary};
use std::fmt::Write as _;
use std::sync::Arc;
use traceward_logic::formula::{FormulaId, Formulas};
use traceward_logic::print::lined_up;
use traceward_logic::trace::Trace;

/// What every part has at every position. Collections are shown as their summaries so far.
#[derive(Debug)]
pub struct Table {
    /// For each position, from the first on, the value of each part.
    pub rows: Vec<Vec<Outcome>>,
}

impl Table {
    /// Fills the table of an automaton. Meant for short traces.
    pub fn new(automaton: &Algebraic, trace: &Trace, holds: &dyn Fn(FormulaId, usize) -> bool) -> Self {
        let holds: Holds<'_> = holds;
        let mut backward = Backward::new(automaton, trace, holds);
        let mut rows: Vec<Vec<Outcome>> = Vec::new();
        for position in (0..trace.len).rev() {
            backward.visit(position);
            let shown = |id: PartId| match automaton.part(id) {
                // The collection of a loop has grown meanwhile: its node has it as it was.
                Part::Transient { next, function: Unary::Identity } => {
                    rows.last().map_or(Ok(None), |later| later[next.index()].clone())
                }
                _ => backward.shown(id, position),
            };
            let row = automaton.part_ids().map(shown).collect();
            rows.push(row);
        }
        rows.reverse();
        Self { rows }
    }

    /// The automaton and the table as text, the last position first.
    pub fn text(&self, automaton: &Algebraic, formulas: &Formulas, names: &[Arc<str>]) -> String {
        let cell = |outcome: &Outcome| match outcome {
            Ok(Some(value)) => value.to_string(),
            Ok(None) => "⊥".to_owned(),
            Err(error) => error.reason.to_string(),
        };
        let cells: Vec<Vec<String>> = self.rows.iter().map(|row| row.iter().map(cell).collect()).collect();
        let heads: Vec<String> = automaton.part_ids().map(|id| id.to_string()).collect();
        let width = |column: usize| {
            let widths = cells.iter().map(|row| row[column].chars().count());
            lined_up(widths.chain([heads[column].chars().count()]))
        };
        let widths: Vec<usize> = (0..heads.len()).map(width).collect();
        let places = self.rows.len().saturating_sub(1).to_string().len();
        let mut text = format!("{}\n{:places$} ", automaton.display(formulas, names), "");
        let line = |text: &mut String, cells: &[String]| {
            for (cell, &width) in cells.iter().zip(&widths) {
                let _ = write!(text, "  {cell:>width$}");
            }
            text.push('\n');
        };
        line(&mut text, &heads);
        for (position, row) in cells.iter().enumerate().rev() {
            let _ = write!(text, "{position:>places$}:");
            line(&mut text, row);
        }
        text
    }
}
