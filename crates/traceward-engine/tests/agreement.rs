//! Every engine against the definition: all small formulas on all short traces, random larger ones, known answers.

use proptest::prelude::*;
use traceward_engine::select::{Cache, Config, EngineName, Evaluator, Simplification};
use traceward_logic::bitmap::Bitmap;
use traceward_logic::formula::{FormulaId, Formulas, Interval};
use traceward_logic::lower::Claim;
use traceward_logic::semantics;
use traceward_logic::trace::Trace;
use traceward_testkit::compare::{exhaustively, report};
use traceward_testkit::enumerate::Shape;
use traceward_testkit::generate::{self, Windows};
use traceward_testkit::{corpus, vectors};

const REVERSE: Config = Config { engine: EngineName::Reverse, simplification: Simplification::Off };
const SIMPLIFIED: Config = Config { engine: EngineName::Reverse, simplification: Simplification::On };

fn compiled(config: Config) -> impl Fn(&Formulas, FormulaId) -> Evaluator {
    move |formulas, formula| Evaluator::new(formulas, &[formula], config)
}

fn truth(evaluator: &Evaluator, trace: &Trace) -> Bitmap {
    evaluator.truth(&mut Cache::default(), trace).expect("booleans do not fail").remove(0)
}

#[test]
fn reverse_agrees_on_all_small_formulas_and_short_traces() {
    let pairs = exhaustively(&Shape::unbounded(2), 5, compiled(REVERSE), truth);
    report("reverse", "pairs of a formula and a trace", pairs);
    assert!(pairs >= 1_000_000, "only {pairs}");
}

#[test]
fn reverse_agrees_on_all_small_bounded_formulas() {
    let intervals = [Interval::steps(0, Some(1)), Interval::steps(1, Some(2)), Interval::steps(2, None)];
    let shape = Shape::unbounded(2).with_intervals(intervals);
    let pairs = exhaustively(&shape, 2, compiled(REVERSE), truth) + {
        let fewer = Shape { atoms: 1, ..shape };
        exhaustively(&fewer, 6, compiled(REVERSE), truth)
    };
    report("reverse", "pairs of a bounded formula and a trace", pairs);
    assert!(pairs >= 1_000_000, "only {pairs}");
}

#[test]
fn simplified_formulas_agree_on_all_small_formulas_and_short_traces() {
    let pairs = exhaustively(&Shape::unbounded(2), 4, compiled(SIMPLIFIED), truth);
    report("reverse after simplification", "pairs of a formula and a trace", pairs);
    assert!(pairs >= 900_000, "only {pairs}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn reverse_agrees_on_random_formulas_and_traces(
        recipe in generate::formula(3, Windows::StepsAndTime),
        trace in generate::trace(3),
    ) {
        let mut formulas = Formulas::new();
        let formula = recipe.build(&mut formulas);
        let expected: Bitmap = semantics::truth(&formulas, formula, &trace).unwrap().into_iter().collect();
        for config in [REVERSE, SIMPLIFIED] {
            let evaluator = Evaluator::new(&formulas, &[formula], config);
            prop_assert_eq!(truth(&evaluator, &trace), expected.clone());
        }
    }

    #[test]
    fn a_part_of_a_trace_is_a_trace(
        recipe in generate::formula(2, Windows::Steps),
        trace in generate::trace(2),
    ) {
        let mut formulas = Formulas::new();
        let formula = recipe.build(&mut formulas);
        let evaluator = Evaluator::new(&formulas, &[formula], REVERSE);
        let parts: Vec<Vec<u32>> =
            (0..3).map(|rest| (0..trace.len as u32).filter(|position| position % 3 == rest).collect()).collect();
        let nonempty = || parts.iter().filter(|part| !part.is_empty()).map(Vec::as_slice);
        let mut answers = Vec::new();
        let mut collect = |_, truth: &[&Bitmap]| answers.push(truth[0].clone());
        evaluator.truth_of_parts(&mut Cache::default(), &trace, nonempty(), &mut collect).unwrap();
        for (answer, part) in answers.iter().zip(nonempty()) {
            prop_assert_eq!(answer, &truth(&evaluator, &trace.gather(part)));
        }
    }
}

#[test]
fn long_traces_cross_blocks_of_words() {
    // Longer than one block of registers, with the deciding state at the very end.
    let len = 64 * 128 * 2 + 17;
    let mut formulas = Formulas::new();
    let text = std::collections::BTreeMap::from([("a".to_owned(), "0".repeat(len - 1) + "1")]);
    for (formula, expected) in [("F a", "1".repeat(len)), ("a W a", "0".repeat(len - 1) + "1")] {
        let (lowered, claim, trace) = corpus::prepare(formula, &text, None, len);
        let Claim::Formula(root) = claim else { panic!() };
        formulas.clone_from(&lowered.formulas);
        assert_eq!(truth(&Evaluator::new(&formulas, &[root], REVERSE), &trace).to_string(), expected);
    }
    let (lowered, claim, trace) = corpus::prepare("O !a & Z !a", &text, None, len);
    let Claim::Formula(root) = claim else { panic!() };
    let all = truth(&Evaluator::new(&lowered.formulas, &[root], REVERSE), &trace);
    assert_eq!(all.count_ones(), len);
}

#[test]
fn reverse_agrees_with_vectors_and_corpus() {
    let known = vectors::formulas().into_iter().map(|vector| (vector.formula, vector.trace, None, vector.truth));
    let own = corpus::cases().into_iter().map(|case| (case.formula, case.trace, case.time, case.truth));
    for (text, bits, time, expected) in known.chain(own) {
        let (lowered, claim, trace) = corpus::prepare(&text, &bits, time, expected.len());
        let Claim::Formula(formula) = claim else { panic!("{text} is a formula") };
        for config in [REVERSE, SIMPLIFIED] {
            let evaluator = Evaluator::new(&lowered.formulas, &[formula], config);
            assert_eq!(truth(&evaluator, &trace).to_string(), expected, "{text}");
        }
    }
}
