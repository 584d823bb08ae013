//! The definition itself: quadratic in the trace, for small traces and for comparison.

use super::EngineConfig;
use super::offline::{Cache, Offline};
use crate::limit::GaveUp;
use crate::prepared::Prepared;
use traceward_logic::bitmap::Bitmap;
use traceward_logic::expr::Expr;
use traceward_logic::formula::{FormulaId, Formulas};
use traceward_logic::letter::Letters;
use traceward_logic::semantics;
use traceward_logic::trace::{Column, Trace, VariableId};

/// Formulas to be evaluated by their definition. Their atoms are variables: the propositions of a
/// letter.
#[derive(Clone, Debug)]
pub struct Naive {
    formulas: Formulas,
    roots: Vec<FormulaId>,
}

impl Offline for Naive {
    fn compile(prepared: &Prepared, indices: &[usize], _: EngineConfig) -> Self {
        let roots: Vec<FormulaId> = indices.iter().map(|&index| prepared.simplified[index]).collect();
        let variable = |atom| {
            let proposition = prepared.alphabet.proposition(atom).expect("an atom of the alphabet");
            Expr::Variable(VariableId(proposition.0))
        };
        let (formulas, roots) = prepared.formulas.with_atoms(&roots, variable);
        Self { formulas, roots }
    }

    fn truth<'c>(&self, cache: &'c mut Cache, letters: &Letters) -> Result<Vec<&'c Bitmap>, GaveUp> {
        let columns = letters.bitmaps.iter().map(|bitmap| Column::of_bools(bitmap.clone())).collect();
        let trace = Trace { len: letters.len, columns, time: letters.time.clone() };
        let rows = semantics::truths(&self.formulas, &self.roots, &trace).expect("a variable can be evaluated");
        Ok(cache.keep(self.roots.iter().map(|root| rows[root].iter().copied().collect()).collect()))
    }
}
