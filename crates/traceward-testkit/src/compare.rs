//! An engine against the definition.

use crate::enumerate::{self, Shape};
use std::io::Write;
use std::sync::Arc;
use traceward_logic::bitmap::Bitmap;
use traceward_logic::formula::{FormulaId, Formulas};
use traceward_logic::semantics;
use traceward_logic::trace::Trace;

/// Compares an engine with the definition on all formulas of a shape and all traces up to a length,
/// at every position. `compile` makes of a formula something that tells where it holds. Returns the
/// number of pairs compared.
///
/// # Panics
/// At the first pair on which they differ.
pub fn exhaustively<E>(
    shape: &Shape,
    longest: usize,
    compile: impl Fn(&Formulas, FormulaId) -> E,
    mut evaluate: impl FnMut(&E, &Trace) -> Bitmap,
) -> u64 {
    let mut arena = Formulas::new();
    let formulas = enumerate::formulas(&mut arena, shape);
    let engines: Vec<E> = formulas.iter().map(|&formula| compile(&arena, formula)).collect();
    let names: Vec<Arc<str>> = ["a", "b", "c", "d"].map(Arc::from).to_vec();
    let mut pairs = 0;
    for trace in enumerate::traces(shape.atoms, longest) {
        let rows = semantics::truths(&arena, &formulas, &trace).expect("booleans do not fail");
        for (formula, engine) in formulas.iter().zip(&engines) {
            let expected: Bitmap = rows[formula].iter().copied().collect();
            let found = evaluate(engine, &trace);
            assert_eq!(found, expected, "{} on {:?}", arena.display(*formula, &names), trace.columns);
            pairs += 1;
        }
    }
    pairs
}

/// Says how many pairs were compared, past the capture of the test runner.
pub fn report(engine: &str, what: &str, pairs: u64) {
    let _ = writeln!(std::io::stderr(), "{engine} agrees with the definition on {pairs} {what}");
}
