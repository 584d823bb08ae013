//! Every engine against the definition: all small formulas on all short traces, random larger ones, known answers.

use proptest::prelude::*;
use traceward_engine::engine::{breadth_first, depth_first};
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

fn reverse() -> Config {
    Config { engine: EngineName::Reverse, simplification: Simplification::Off, ..Config::default() }
}

fn simplified() -> Config {
    Config { simplification: Simplification::On, ..reverse() }
}

fn compiled(config: Config) -> impl Fn(&Formulas, FormulaId) -> Evaluator {
    move |formulas, formula| Evaluator::new(formulas, &[formula], config)
}

fn truth(evaluator: &Evaluator, trace: &Trace) -> Bitmap {
    evaluator.truth(&mut Cache::default(), trace).expect("booleans do not fail").remove(0)
}

#[test]
fn reverse_agrees_on_all_small_formulas_and_short_traces() {
    let pairs = exhaustively(&Shape::unbounded(2), 5, compiled(reverse()), truth);
    report("reverse", "pairs of a formula and a trace", pairs);
    assert!(pairs >= 1_000_000, "only {pairs}");
}

#[test]
fn reverse_agrees_on_all_small_bounded_formulas() {
    let intervals = [Interval::steps(0, Some(1)), Interval::steps(1, Some(2)), Interval::steps(2, None)];
    let shape = Shape::unbounded(2).with_intervals(intervals);
    let pairs = exhaustively(&shape, 2, compiled(reverse()), truth) + {
        let fewer = Shape { atoms: 1, ..shape };
        exhaustively(&fewer, 6, compiled(reverse()), truth)
    };
    report("reverse", "pairs of a bounded formula and a trace", pairs);
    assert!(pairs >= 1_000_000, "only {pairs}");
}

#[test]
fn simplified_formulas_agree_on_all_small_formulas_and_short_traces() {
    let pairs = exhaustively(&Shape::unbounded(2), 4, compiled(simplified()), truth);
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
        for config in [reverse(), simplified()] {
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
        let evaluator = Evaluator::new(&formulas, &[formula], reverse());
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
        assert_eq!(truth(&Evaluator::new(&formulas, &[root], reverse()), &trace).to_string(), expected);
    }
    let (lowered, claim, trace) = corpus::prepare("O !a & Z !a", &text, None, len);
    let Claim::Formula(root) = claim else { panic!() };
    let all = truth(&Evaluator::new(&lowered.formulas, &[root], reverse()), &trace);
    assert_eq!(all.count_ones(), len);
}

#[test]
fn reverse_agrees_with_vectors_and_corpus() {
    let known = vectors::formulas().into_iter().map(|vector| (vector.formula, vector.trace, None, vector.truth));
    let own = corpus::cases().into_iter().map(|case| (case.formula, case.trace, case.time, case.truth));
    for (text, bits, time, expected) in known.chain(own) {
        let (lowered, claim, trace) = corpus::prepare(&text, &bits, time, expected.len());
        let Claim::Formula(formula) = claim else { panic!("{text} is a formula") };
        for config in [reverse(), simplified()] {
            let evaluator = Evaluator::new(&lowered.formulas, &[formula], config);
            assert_eq!(truth(&evaluator, &trace).to_string(), expected, "{text}");
        }
    }
}

mod traversals {
    use super::*;
    use traceward_engine::engine::breadth_first::BreadthFirst;
    use traceward_engine::engine::depth_first::DepthFirst;
    use traceward_engine::engine::{Config, Memory, Subsumption};
    use traceward_engine::limit::Limits;
    use traceward_engine::select::Prepared;
    use traceward_logic::letter::{self, Letters};
    use traceward_logic::verdict::Verdict;

    fn prepared(formulas: &Formulas, formula: FormulaId) -> Prepared {
        Prepared::new(formulas, &[formula], Simplification::Off)
    }

    fn letters(prepared: &Prepared, trace: &Trace) -> Letters {
        letter::letters(&prepared.formulas, &prepared.alphabet, trace)
    }

    fn depth_first(prepared: &Prepared) -> DepthFirst {
        let config = Config::default();
        DepthFirst::new(&prepared.formulas, &prepared.alphabet, &prepared.normal, config)
    }

    #[test]
    fn depth_first_agrees_on_all_small_formulas_and_short_traces() {
        let compile = |formulas: &Formulas, formula| {
            let prepared = prepared(formulas, formula);
            let engine = depth_first(&prepared);
            (prepared, engine)
        };
        let pairs = exhaustively(&Shape::unbounded(2), 5, compile, |(prepared, engine), trace| {
            let letters = letters(prepared, trace);
            let cache = &mut depth_first::Cache::default();
            let truth = engine.truth(cache, &letters).expect("little work").remove(0);
            assert_eq!(engine.check(cache, &letters).expect("little work"), [truth.get(0)]);
            truth
        });
        report("depth-first", "pairs of a formula and a trace", pairs);
        assert!(pairs >= 1_000_000, "only {pairs}");
    }

    #[test]
    fn depth_first_agrees_on_all_small_bounded_formulas() {
        let intervals = [Interval::steps(0, Some(1)), Interval::steps(1, Some(3)), Interval::steps(2, None)];
        let compile = |formulas: &Formulas, formula| {
            let prepared = prepared(formulas, formula);
            let engine = depth_first(&prepared);
            (prepared, engine)
        };
        let shape = Shape { atoms: 1, ..Shape::unbounded(2).with_intervals(intervals) };
        let pairs = exhaustively(&shape, 6, compile, |(prepared, engine), trace| {
            let truth = engine.truth(&mut depth_first::Cache::default(), &letters(prepared, trace));
            truth.expect("little work").remove(0)
        });
        report("depth-first", "pairs of a bounded formula and a trace", pairs);
        assert!(pairs >= 400_000, "only {pairs}");
    }

    /// Its verdict at position 0, and that what it says on the way is never taken back.
    fn breadth_first_verdict(engine: &BreadthFirst, cache: &mut breadth_first::Cache, letters: &Letters) -> bool {
        let mut run = engine.start(cache);
        let mut last = Verdict::Pending;
        for position in 0..letters.len {
            let verdict = engine.step(cache, &mut run, &|p| letters.bitmap(p).get(position)).expect("few slices");
            let was_final = matches!(last, Verdict::Satisfied | Verdict::Violated);
            assert!(!was_final || verdict == last, "{last} became {verdict}");
            last = verdict;
        }
        let holds = matches!(last, Verdict::Satisfied | Verdict::Holding);
        assert_eq!(engine.check(cache, letters).expect("few slices").holds, holds);
        holds
    }

    fn breadth_first_agrees(subsumption: Subsumption, longest: usize) -> u64 {
        let compile = |formulas: &Formulas, formula| {
            let prepared = prepared(formulas, formula);
            let config = Config { subsumption, ..Config::default() };
            let engine = BreadthFirst::new(&prepared.formulas, &prepared.alphabet, prepared.normal[0], config);
            let cache = std::cell::RefCell::new(breadth_first::Cache::default());
            let reverse = Evaluator::new(formulas, &[formula], reverse());
            (prepared, engine, cache, reverse)
        };
        let refused = std::cell::Cell::new(0);
        let pairs =
            exhaustively(&Shape::unbounded(2), longest, compile, |(prepared, engine, cache, reverse), trace| {
                let letters = letters(prepared, trace);
                let truth = truth(reverse, trace);
                match engine {
                    Ok(engine) => {
                        let holds = breadth_first_verdict(engine, &mut cache.borrow_mut(), &letters);
                        assert_eq!(holds, truth.get(0), "{:?}", trace.columns);
                    }
                    Err(_) => refused.set(refused.get() + 1),
                }
                truth
            });
        pairs - refused.get()
    }

    #[test]
    fn breadth_first_agrees_on_all_small_formulas_and_short_traces() {
        let pairs = breadth_first_agrees(Subsumption::On, 5);
        report("breadth-first", "pairs of a formula and a trace", pairs);
        assert!(pairs >= 1_000_000, "only {pairs}");
        breadth_first_agrees(Subsumption::Off, 3);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

        #[test]
        fn traversals_agree_on_random_formulas_and_traces(
            recipe in prop_oneof![
                generate::formula(3, Windows::Unbounded),
                generate::formula(3, Windows::StepsAndTime),
            ],
            trace in generate::short_trace(3),
        ) {
            let mut formulas = Formulas::new();
            let formula = recipe.build(&mut formulas);
            let expected = semantics::satisfied(&formulas, formula, &trace).unwrap();
            let prepared = prepared(&formulas, formula);
            let letters = letters(&prepared, &trace);
            let config = Config { limits: Limits { work: 3_000_000, ..Limits::default() }, ..Config::default() };
            let engine = DepthFirst::new(&prepared.formulas, &prepared.alphabet, &prepared.normal, config);
            if let Ok(found) = engine.check(&mut depth_first::Cache::default(), &letters) {
                prop_assert_eq!(found, [expected]);
            }
            for (subsumption, cache_limit, memory) in [
                (Subsumption::On, 10_000, Memory::Sets),
                (Subsumption::Off, 10_000, Memory::Slices),
                (Subsumption::On, 2, Memory::Sets),
            ] {
                let config = Config { subsumption, memory, limits: Limits { remembered: cache_limit, slices: 2000, ..Limits::default() }, ..Config::default() };
                let root = prepared.normal[0];
                let Ok(engine) = BreadthFirst::new(&prepared.formulas, &prepared.alphabet, root, config) else { continue };
                let cache = &mut breadth_first::Cache::default();
                if let Ok(decision) = engine.check(cache, &letters) {
                    prop_assert_eq!(decision.holds, expected);
                }
            }
        }
    }

    #[test]
    fn traversals_agree_with_vectors_and_corpus() {
        let known = vectors::formulas().into_iter().map(|vector| (vector.formula, vector.trace, vector.truth));
        let known = known.map(|(text, bits, truth)| (text, bits, None, truth));
        let own = corpus::cases().into_iter().map(|case| (case.formula, case.trace, case.time, case.truth));
        let (mut deep, mut broad) = (0, 0);
        for (text, bits, time, expected) in known.chain(own) {
            let (lowered, claim, trace) = corpus::prepare(&text, &bits, time, expected.len());
            let Claim::Formula(formula) = claim else { panic!("{text} is a formula") };
            let prepared = prepared(&lowered.formulas, formula);
            let letters = letters(&prepared, &trace);
            let Prepared { formulas, alphabet, normal, .. } = &prepared;
            let engine = DepthFirst::new(formulas, alphabet, normal, Config::default());
            let truth = engine.truth(&mut depth_first::Cache::default(), &letters).expect("little work");
            assert_eq!(truth[0].to_string(), expected, "{text}");
            deep += 1;
            // It refuses the future inside the past.
            let config = Config::default();
            if let Ok(engine) = BreadthFirst::new(formulas, alphabet, normal[0], config) {
                let holds = engine.check(&mut breadth_first::Cache::default(), &letters).expect("few slices").holds;
                assert_eq!(holds, expected.starts_with('1'), "{text}");
                broad += 1;
            }
        }
        assert!(deep > 1000 && broad > 300, "only {deep} and {broad}");
    }
}
