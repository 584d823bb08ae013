//! A key's part of a trace is a trace of its own.

use proptest::prelude::*;
use std::sync::Arc;
use traceward::{CheckOptions, EngineName, Error, Report, Request, Spec, Verdict, check, check_with};
use traceward_logic::formula::Formulas;
use traceward_logic::trace::{Trace, VariableId};
use traceward_testkit::generate::{self, Windows};

fn spec(settings: &str, formula: &str) -> Spec {
    let text = format!("{settings} property p = {formula}");
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn by_key(formula: &str, input: &str, engine: EngineName) -> Result<Report, Error> {
    check_with(&spec("trace { by k }", formula), input.as_bytes(), &CheckOptions::default().engine(engine))
}

/// The verdict for each key, by the definition and by reverse traversal.
fn verdicts(formula: &str, input: &str) -> Vec<Verdict> {
    let [naive, reverse] = [EngineName::Naive, EngineName::Reverse].map(|engine| {
        let report = by_key(formula, input, engine).unwrap_or_else(|error| panic!("{formula}: {error}"));
        report.properties[0].keys.as_ref().expect("it is split").verdicts.clone()
    });
    assert_eq!(naive, reverse, "{formula}");
    reverse
}

#[test]
fn positions_count_within_a_key() {
    use Verdict::{Satisfied, Violated};
    let input = "k,x\na,7\nb,0\na,7\nb,0\na,6\n";
    assert_eq!(verdicts("F pos == 2", input), [Satisfied, Violated]);
    assert_eq!(verdicts("F (x + abs(pos - 1) == 7)", input), [Satisfied, Violated]);
    assert_eq!(verdicts("x > 2 & X x > 2", input), [Satisfied, Violated]);
}

#[test]
fn the_definition_is_asked_of_as_many_keys_as_there_are() {
    let rows = |keys: usize| (0..200_010).map(|row| format!("{},1\n", row % keys)).collect::<String>();
    let report = by_key("G x", &format!("k,x\n{}", rows(50_000)), EngineName::Naive).expect("short keys");
    assert_eq!(report.properties[0].keys.as_ref().map(|keys| (keys.checked, keys.violated)), Some((50_000, 0)));
    let too_long = by_key("G x", &format!("k,x\n{}", rows(1)), EngineName::Naive);
    assert!(matches!(too_long, Err(Error::Request(Request::TooLongForNaive { states: 200_010 }))), "{too_long:?}");
}

#[test]
fn earlier_states_are_those_of_the_key() {
    use Verdict::{Satisfied, Violated};
    let input = "k,x,p\na,1,1\nb,9,0\na,2,0\nb,8,1\na,3,1\n";
    assert_eq!(verdicts("G !(past(x) > x)", input), [Satisfied, Violated]);
    assert_eq!(verdicts("F past(x, 2) == 1", input), [Satisfied, Violated]);
    assert_eq!(verdicts("X past(x) == 9", input), [Violated, Satisfied]);
    assert_eq!(verdicts("X X rose(p)", input), [Satisfied, Violated]);
    assert_eq!(verdicts("F past(pos) == 1", input), [Satisfied, Violated]);
}

#[test]
fn errors_name_positions_and_lines_of_the_whole() {
    for (formula, input, position) in [
        ("F 1 / x > 0", "k,x\na,1\nb,1\na,1\nb,1\na,0\n", 4),
        ("F pos / x > 0", "k,x\na,1\nb,1\na,1\nb,0\na,1\n", 3),
        ("F 1 / past(x) > 0", "k,x\na,1\nb,0\na,1\na,1\nb,1\na,0\n", 4),
    ] {
        match by_key(formula, input, EngineName::Auto) {
            Err(Error::Evaluation { message, line }) => {
                assert!(message.ends_with(&format!("at position {position}")), "{message}");
                assert_eq!(line, position + 2, "{formula}");
            }
            other => panic!("{formula} divides by zero, and not {other:?}"),
        }
    }
}

/// Positions of a trace as CSV, with a key for each remainder.
fn csv(trace: &Trace, names: &[Arc<str>], positions: impl Iterator<Item = usize>) -> String {
    let mut text = format!("{},k\n", names.join(","));
    for position in positions {
        let values = (0..names.len()).map(|slot| trace.value(VariableId(slot as u32), position).to_string());
        text += &format!("{},{}\n", values.collect::<Vec<_>>().join(","), position % 3);
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_part_of_a_trace_is_a_trace(
        recipe in generate::formula(2, Windows::Steps),
        trace in generate::trace(2),
    ) {
        let names: Vec<Arc<str>> = ["a", "b"].map(Arc::from).to_vec();
        let mut formulas = Formulas::new();
        let root = recipe.build(&mut formulas);
        let formula = formulas.display(root, &names).to_string();
        // The past of `M` has no text, and neither has `M` with a bound.
        prop_assume!(!formula.contains(" MP") && !formula.contains(" M[") && trace.len > 0);
        let split = verdicts(&formula, &csv(&trace, &names, 0..trace.len));
        let alone = |rest: usize| {
            let part = (0..trace.len).filter(move |position| position % 3 == rest);
            let report = check(&spec("", &formula), csv(&trace, &names, part).as_bytes());
            report.expect("booleans").properties[0].verdict
        };
        let expected: Vec<Verdict> = (0..trace.len.min(3)).map(alone).collect();
        prop_assert_eq!(split, expected, "{}", formula);
    }
}
