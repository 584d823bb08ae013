//! Tableau automata for other tools and as pictures.

mod exports;

use std::sync::Arc;
use traceward_engine::automaton::tableau::{Automaton, Initial};
use traceward_engine::limit::Limits;
use traceward_engine::select::{Prepared, Simplification};
use traceward_logic::lower::{Claim, Goal};
use traceward_logic::semantics;
use traceward_testkit::lowered;

/// The automaton of a formula as it is written, with the names of its variables.
struct Example {
    automaton: Automaton,
    names: Vec<Arc<str>>,
}

impl Example {
    fn with(text: &str, initial: impl Fn(bool) -> Initial) -> Self {
        let lowered = lowered(text, Goal::Check, None, None).expect("a formula");
        let Claim::Formula(root) = lowered.properties[0].claim else { panic!("{text} is a formula") };
        let empty = semantics::holds_on_empty(&lowered.formulas, root);
        let Prepared { formulas, alphabet, normal, .. } =
            Prepared::new(&lowered.formulas, &[root], Simplification::Off);
        let automaton = Automaton::new(&formulas, &alphabet, normal[0], initial(empty), Limits::default())
            .unwrap_or_else(|error| panic!("{text}: {error}"));
        Self { automaton, names: lowered.variables.names() }
    }

    fn new(text: &str) -> Self {
        Self::with(text, Initial::BySemantics)
    }
}
