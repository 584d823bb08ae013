//! Formulas of many operands are evaluated without overflowing the stack.

use traceward_engine::automaton::alternating::{Alternating, condition_text};
use traceward_engine::select::{Cache, Config, EngineName, Evaluator, Prepared, Simplification};
use traceward_logic::bitmap::Bitmap;
use traceward_logic::lower::{Claim, Goal};
use traceward_logic::trace::Trace;
use traceward_testkit::lowered;

const WIDE: usize = 20_000;

/// Evaluates a formula over as many variables as it has, all with the same bits but the last.
fn truth(text: &str, bits: &str, last: &str, simplification: Simplification) -> String {
    let lowered = lowered(text, Goal::Check, None, None).expect("a formula");
    let Claim::Formula(root) = lowered.properties[0].claim else { panic!("a formula") };
    let mut columns = vec![Bitmap::from_text(bits); WIDE];
    columns[WIDE - 1] = Bitmap::from_text(last);
    let trace = Trace::of_bools(bits.len(), columns);
    let config = Config { engine: EngineName::Reverse, simplification, ..Config::default() };
    let prepared = Prepared::shared(&lowered.formulas, &[root], simplification);
    let evaluator = Evaluator::new(&prepared, &config);
    let automaton = Alternating::new(&prepared.formulas, &prepared.normal);
    assert!(!condition_text(&automaton, automaton.roots()[0]).is_empty());
    let names = lowered.variables.names();
    assert!(automaton.display(&prepared.formulas, &names).to_string().contains("n0"));
    evaluator.truth(&mut Cache::default(), &prepared.letters(&trace)).expect("it never gives up")[0].to_string()
}

fn wide(separator: &str, operator: &str) -> String {
    (0..WIDE).map(|nth| format!("{operator}v{nth}")).collect::<Vec<_>>().join(separator)
}

#[test]
fn a_wide_conjunction_is_evaluated() {
    for simplification in [Simplification::On, Simplification::Off] {
        assert_eq!(truth(&wide(" & ", ""), "0111", "1110", simplification), "0110");
        assert_eq!(truth(&wide(" & ", "X "), "0111", "1110", simplification), "1100");
    }
}

#[test]
fn a_wide_disjunction_of_temporal_operands_is_evaluated() {
    for simplification in [Simplification::On, Simplification::Off] {
        assert_eq!(truth(&wide(" | ", "F "), "1000", "0010", simplification), "1110");
        assert_eq!(truth(&wide(" | ", "H "), "0111", "1100", simplification), "1100");
    }
}
