//! Waiting times and unused parts against answers found by hand.

use traceward_engine::automaton::alternating::Alternating;
use traceward_engine::run_statistics::{Coverage, over_trees, unused, waiting};
use traceward_engine::select::{Prepared, Simplification};
use traceward_logic::bitmap::Bitmap;
use traceward_logic::letter;
use traceward_logic::lower::Claim;
use traceward_logic::semantics;
use traceward_testkit::corpus;

/// For each eventuality: its text, how often it was asked for, least, most and all steps.
fn waits(formula: &str, bits: &[(&str, &str)]) -> Vec<(String, u64, u64, u64, u64)> {
    let (lowered, claim, trace) = corpus::prepare(formula, &columns(bits), None, bits[0].1.len());
    let Claim::Formula(root) = claim else { panic!("{formula} is a formula") };
    let Prepared { formulas, normal, .. } = Prepared::new(&lowered.formulas, &[root], Simplification::Off);
    let rows = semantics::truths(&formulas, &normal, &trace).expect("booleans do not fail");
    let truth = |part| rows[&part].iter().copied().collect::<Bitmap>();
    let names = lowered.variables.names();
    waiting(&formulas, normal[0], &truth)
        .into_iter()
        .map(|one| (formulas.display(one.formula, &names).to_string(), one.asked, one.least, one.most, one.total))
        .collect()
}

fn columns(bits: &[(&str, &str)]) -> std::collections::BTreeMap<String, String> {
    bits.iter().map(|(name, bits)| ((*name).to_owned(), (*bits).to_owned())).collect()
}

#[test]
fn a_response_waits_from_each_request_to_the_next_grant() {
    // Requests at 0, 1 and 4; grants at 3 and 4.
    let found = waits("G(r -> F g)", &[("r", "110010"), ("g", "000110")]);
    assert_eq!(found, [("F g".to_owned(), 3, 0, 3, 3 + 2)]);
}

#[test]
fn an_eventuality_that_nothing_asks_for_does_not_wait() {
    assert_eq!(waits("G(r -> F g)", &[("r", "0000"), ("g", "0001")]), []);
    // Of two alternatives that hold the left one is followed.
    assert_eq!(waits("a | F g", &[("a", "100"), ("g", "001")]), []);
    assert_eq!(waits("a | F g", &[("a", "010"), ("g", "001")]).len(), 1);
}

#[test]
fn nested_eventualities_wait_one_after_the_other() {
    // a comes at 1; from there on b comes at 4.
    let found = waits("F(a & F b)", &[("a", "01000"), ("b", "00001")]);
    assert_eq!(found, [("F b".to_owned(), 1, 3, 3, 3), ("F (a & F b)".to_owned(), 1, 1, 1, 1)]);
    // An until asks for its left side before its right side comes.
    let found = waits("(F c) U b", &[("c", "00100"), ("b", "00010")]);
    assert_eq!(found, [("F c".to_owned(), 3, 0, 2, 3), ("F c U b".to_owned(), 1, 3, 3, 3)]);
}

#[test]
fn weak_operators_and_the_past_wait_for_nothing() {
    assert_eq!(waits("a W b", &[("a", "1110"), ("b", "0001")]), []);
    assert_eq!(waits("G(b -> O a)", &[("a", "1000"), ("b", "0101")]), []);
    let found = waits("a M b", &[("a", "0010"), ("b", "1110")]);
    assert_eq!(found, [("a M b".to_owned(), 1, 2, 2, 2)]);
    // A violated formula has no run to follow.
    assert_eq!(waits("F a", &[("a", "000")]), []);
}

/// The parts that never mattered, each with what never happened.
fn unused_parts(formula: &str, bits: &[(&str, &str)]) -> Vec<(String, Option<String>)> {
    let (lowered, claim, trace) = corpus::prepare(formula, &columns(bits), None, bits[0].1.len());
    let Claim::Formula(root) = claim else { panic!("{formula} is a formula") };
    let Prepared { formulas, normal, alphabet, .. } = Prepared::new(&lowered.formulas, &[root], Simplification::Off);
    let automaton = Alternating::new(&formulas, &normal);
    let letters = letter::letters(&formulas, &alphabet, &trace);
    let covered = over_trees(&Coverage, &formulas, &automaton, &alphabet, &letters).expect("it holds");
    let names = lowered.variables.names();
    let holds = |atom| letters.bitmap(alphabet.proposition(atom).expect("an atom")).clone();
    unused(&formulas, normal[0], &automaton, &covered, &holds)
        .into_iter()
        .map(|one| {
            let never = one.never_held.map(|atom| formulas.atom(atom).display(&names).to_string());
            (formulas.display(one.formula, &names).to_string(), never)
        })
        .collect()
}

#[test]
fn a_response_without_a_request_holds_vacuously() {
    let vacuous = [("F g".to_owned(), Some("r".to_owned()))];
    assert_eq!(unused_parts("G(r -> F g)", &[("r", "000"), ("g", "000")]), vacuous);
    assert_eq!(unused_parts("G(r -> F g)", &[("r", "000"), ("g", "001")]), vacuous);
    assert_eq!(unused_parts("G(r -> F g)", &[("r", "100"), ("g", "010")]), []);
}

#[test]
fn an_alternative_that_was_not_needed_is_named() {
    assert_eq!(unused_parts("a | F b", &[("a", "100"), ("b", "000")]), [("F b".to_owned(), None)]);
    // Either would have done: neither is named.
    assert_eq!(unused_parts("a | b", &[("a", "1"), ("b", "1")]), []);
    assert_eq!(unused_parts("a & F b", &[("a", "100"), ("b", "001")]), []);
    // A looping weak until that ends at once never needs its left side.
    assert_eq!(unused_parts("a W b", &[("a", "0"), ("b", "1")]), [("a".to_owned(), None)]);
}
