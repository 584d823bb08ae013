//! Formulas whose parts are all asked everywhere, as those are that have very many places.

use super::plan::Demand;
use super::{AskedAt, Goal, Streaming};
use crate::engine::EngineConfig;
use crate::engine::follow::{Follow, Step};
use crate::prepared::{Prepared, Simplification};
use proptest::prelude::*;
use traceward_logic::formula::{Direction, Formulas, Interval, Node};
use traceward_logic::semantics;
use traceward_logic::trace::Trace;
use traceward_logic::verdict::Verdict;
use traceward_testkit::generate::{self, Windows};

/// Compares the verdict after every state with the definition, and whether what is final stays so.
fn agrees(formulas: &Formulas, root: traceward_logic::formula::FormulaId, trace: &Trace) {
    let Prepared { formulas: arena, alphabet, normal, .. } = &Prepared::new(formulas, &[root], Simplification::Off);
    let config = EngineConfig::default();
    let engine = Streaming::asked(arena, alphabet, normal[0], AskedAt::Start, Demand::Everywhere, config);
    let engine = engine.expect("it takes every formula");
    let letters = traceward_logic::letter::letters(arena, alphabet, trace);
    let mut run = engine.start().expect("no limit is reached");
    let whole = semantics::satisfied(formulas, root, trace).expect("booleans do not fail");
    for position in 0..trace.len {
        let letter = |proposition| letters.bitmap(proposition).get(position);
        let time = trace.time.as_ref().map(|time| time[position]);
        let verdict = engine.step(&mut run, Step { letter: &letter, position: position as u64, time });
        let verdict = verdict.expect("no limit is reached");
        let positions: Vec<u32> = (0..=position as u32).collect();
        let holds = semantics::satisfied(formulas, root, &trace.gather(&positions)).expect("booleans do not fail");
        assert_eq!(matches!(verdict, Verdict::Satisfied | Verdict::Holding), holds, "at {position}");
        assert!(!verdict.is_final() || holds == whole, "{verdict} at {position}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn parts_that_are_asked_everywhere_agree_with_the_definition(
        recipe in generate::formula(3, Windows::StepsAndTime),
        trace in generate::short_trace(3),
    ) {
        let mut formulas = Formulas::new();
        let root = recipe.build(&mut formulas);
        agrees(&formulas, root, &trace);
    }
}

/// The places of a formula may double with each operator around it; its parts must not.
#[test]
fn formulas_in_very_many_places_are_one_part_each() {
    use traceward_logic::expr::Expr;
    use traceward_logic::trace::VariableId;
    let mut formulas = Formulas::new();
    let atoms: Vec<_> = (0..40).map(|atom| formulas.intern_atom(Expr::Variable(VariableId(atom)))).collect();
    let mut root = atoms[0];
    for atom in &atoms {
        let ahead = formulas.intern(Node::Eventually(Direction::Future, Interval::steps(1, Some(2)), root));
        root = formulas.xor(*atom, ahead);
    }
    let prepared = Prepared::new(&formulas, &[root], Simplification::Off);
    let engine = Streaming::compile(&prepared, 0, EngineConfig::default()).expect("it takes every formula");
    assert!(matches!(engine.goal, Goal::First(_)));
    assert!(engine.parts() < 400, "{}", engine.parts());
}
