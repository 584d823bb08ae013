//! Reverse traversal: Finkbeiner and Sipma, section 3.3, 64 positions at a time.
//!
//! The paper fills a table with a row for each node of the alternating automaton, from the last
//! position to the first: the value of a node at a position is that of its condition δ one position
//! later, and at the last position its flag. (Its figure 6 starts the loop at the last position
//! again, which would overwrite the initialisation.)
//!
//! Here a row is a [`Bitmap`]. A node that occurs in its own δ, as those of `F G U W R M` do,
//! satisfies `v[j] = low[j] | (high[j] & v[j+1])`, where `low` and `high` are δ with the node
//! replaced by false and true. That is a carry chain: one addition computes it for 64 positions.
//! Past nodes are the same in the other direction. Where the directions mix, the table is filled in
//! stages, each of one direction, what others need first.
//!
//! Bounded operators are put together from parts that a pass goes through as well (`f U[0,b] g` is
//! `(f U g) & F[0,b] g`, `f W[0,b] g` is `(f W g) | G[0,b] (f | g)`, and a lower bound in steps is
//! a shift), each a few instructions for 64 positions, whatever the bound. Windows that open later
//! in time are stages of their own, over finished rows.
//!
//! Many short traces, those of keys, are filled as one: they stand one behind the other, and a row
//! of borders tells where each ends.
//!
//! A long trace is cut into sections, one for each thread that the [`Cache`] allows
//! (`sections.rs`).
//!
//! Time and space are linear in formula and trace. For verdicts while the trace still grows, see
//! the engines that run online; for a definition without bit tricks, see
//! [`traceward_logic::semantics`].

mod chain;
mod delay;
mod run;
mod schedule;
mod sections;
mod table;
#[cfg(test)]
mod tests;
mod walk;
mod wide;
mod window;
mod within;

pub use table::TraceTable;
pub(super) use walk::Scratch;

use super::EngineConfig;
use super::offline::{Cache, Offline};
use super::walkthrough::{Guide, Walkthrough, WalkthroughError};
use crate::automaton::alternating::Alternating;
use crate::limit::GaveUp;
use crate::prepared::Prepared;
use schedule::{Schedule, Traces};
use traceward_logic::bitmap::Bitmap;
use traceward_logic::formula::{FormulaId, Formulas};
use traceward_logic::letter::{Alphabet, Batch, Letters};

/// Formulas ready to be evaluated by reverse traversal.
#[derive(Clone, Debug)]
pub struct Reverse {
    automaton: Alternating,
    schedule: Schedule,
    /// The same for traces that stand one behind the other.
    end_to_end: Schedule,
}

impl Reverse {
    /// Prepares formulas in negation normal form with split atoms.
    pub fn new(formulas: &Formulas, alphabet: &Alphabet, roots: &[FormulaId]) -> Self {
        let automaton = Alternating::new(formulas, roots);
        let schedule = |traces| Schedule::new(formulas, alphabet, &automaton, automaton.roots(), traces);
        let (schedule, end_to_end) = (schedule(Traces::One), schedule(Traces::EndToEnd));
        Self { automaton, schedule, end_to_end }
    }

    /// The automaton whose table is filled.
    pub fn automaton(&self) -> &Alternating {
        &self.automaton
    }

    /// The positions at which each formula holds, one row for each. The engine never gives up.
    /// Bounds in time need timestamps; without them no time passes.
    pub fn rows<'c>(&self, cache: &'c mut Cache, letters: &Letters) -> Vec<&'c Bitmap> {
        run::run(&self.schedule, cache, letters)
    }

    /// The same for traces that stand one behind the other, each judged by itself.
    pub fn rows_of_batch<'c>(&self, cache: &'c mut Cache, batch: &Batch) -> Vec<&'c Bitmap> {
        run::run_batch(&self.end_to_end, cache, batch)
    }
}

impl Offline for Reverse {
    fn compile(prepared: &Prepared, indices: &[usize], _: EngineConfig) -> Self {
        let roots: Vec<FormulaId> = indices.iter().map(|&index| prepared.normal[index]).collect();
        Self::new(&prepared.formulas, &prepared.alphabet, &roots)
    }

    fn truth<'c>(&self, cache: &'c mut Cache, letters: &Letters) -> Result<Vec<&'c Bitmap>, GaveUp> {
        Ok(self.rows(cache, letters))
    }

    fn truth_of_batch<'c>(&self, cache: &'c mut Cache, batch: &Batch) -> Option<Vec<&'c Bitmap>> {
        Some(self.rows_of_batch(cache, batch))
    }

    fn walkthrough(&self, guide: &Guide<'_>) -> Result<Walkthrough, WalkthroughError> {
        guide.allow(self.automaton.nodes().len())?;
        Ok(self.told_from_the_end(guide))
    }
}
