//! Deterministic automata for other tools, and as programs of their own.

mod formats;
mod monitors;
mod timed;

use traceward_engine::automaton::deterministic::{Deterministic, Room};
use traceward_engine::select::{Prepared, Simplification};
use traceward_export::graph::Graph;
use traceward_export::labelled::Labelled;
use traceward_export::literals::LiteralTexts;
use traceward_logic::lower::{Claim, Goal, Lowered};
use traceward_logic::semantics;
use traceward_testkit::lowered;

/// The automaton of a formula as it is written, with its texts.
struct Example {
    labelled: Labelled,
    literals: LiteralTexts,
    prepared: Prepared,
    on_empty: bool,
}

impl Example {
    fn new(text: &str) -> Self {
        Self::of(text, &lowered(text, Goal::Check, None, None).unwrap_or_else(|errors| panic!("{text}: {errors:?}")))
    }

    fn of(text: &str, lowered: &Lowered) -> Self {
        let Claim::Formula(root) = lowered.properties[0].claim else { panic!("a formula") };
        let on_empty = semantics::holds_on_empty(&lowered.formulas, root);
        let prepared = Prepared::new(&lowered.formulas, &[root], Simplification::Off);
        let Prepared { formulas, alphabet, simplified, .. } = &prepared;
        let automaton = Deterministic::new(formulas, alphabet, simplified[0], on_empty, Room::default())
            .unwrap_or_else(|error| panic!("{error}"));
        let labelled = Labelled::new(automaton, text, formulas, alphabet, &lowered.variables.names());
        let literals = LiteralTexts::new(formulas, alphabet, &lowered.variables.names(), None);
        Self { labelled, literals, prepared, on_empty }
    }

    fn graph(&self) -> Graph {
        Graph::of_deterministic(&self.labelled, &self.literals).expect("short labels")
    }

    fn automaton(&self) -> &Deterministic {
        self.labelled.automaton()
    }
}
