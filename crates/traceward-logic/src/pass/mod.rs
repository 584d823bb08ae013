//! Rewriting formulas: one pass a file, each a free function over the arena.

mod mirror;
mod negation;
mod pattern;
mod simplify;
mod split;

pub use mirror::mirrored;
pub use negation::negation_normal_form;
pub use simplify::{LAWS, Law, Simplifier};
pub use split::split_atoms;

use crate::formula::{FormulaId, Formulas};

/// Rebuilds formulas from their parts upwards: `rebuild` gets each part and the rebuilt forms of
/// those below it.
fn rebuild(
    formulas: &mut Formulas,
    roots: &[FormulaId],
    mut rebuild: impl FnMut(&mut Formulas, FormulaId, &dyn Fn(FormulaId) -> FormulaId) -> FormulaId,
) -> Vec<FormulaId> {
    let parts = formulas.parts(roots);
    let mut rebuilt: Vec<Option<FormulaId>> = vec![None; formulas.len()];
    for part in parts {
        let done = |below: FormulaId| rebuilt[below.index()].unwrap_or(below);
        let result = rebuild(formulas, part, &done);
        rebuilt[part.index()] = Some(result);
    }
    roots.iter().map(|root| rebuilt[root.index()].unwrap_or(*root)).collect()
}
