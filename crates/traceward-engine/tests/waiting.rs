//! Waiting times and unused parts against answers found by hand.

use traceward_engine::select::{Prepared, Simplification};
use traceward_engine::why::{Alternatives, Demand, Ending, Explainer, Fate};
use traceward_logic::formula::{FormulaId, Formulas};
use traceward_logic::lower::Claim;
use traceward_testkit::corpus;

/// What a formula asks of its parts on a trace, with how to write a part.
fn demand<T>(
    formula: &str,
    bits: &[(&str, &str)],
    (alternatives, ending): (Alternatives, Ending),
    tell: impl Fn(Demand, &Formulas, &dyn Fn(FormulaId) -> String) -> T,
) -> T {
    let (lowered, claim, trace) = corpus::prepare(formula, &columns(bits), None, bits[0].1.len());
    let Claim::Formula(root) = claim else { panic!("{formula} is a formula") };
    let explainer = Explainer::new(&lowered.formulas, root);
    let prepared = Prepared::new(&lowered.formulas, &[root], Simplification::Off);
    let letters = prepared.letters(&trace);
    let found = explainer.look(&trace, (&prepared, &letters), ending).demand(alternatives).expect("few states");
    let names = lowered.variables.names();
    let formulas = explainer.formulas();
    tell(found, formulas, &|formula| formulas.display(formula, &names).to_string())
}

/// For each eventuality: its text, how often it was asked for, least, most and all steps.
fn waits(formula: &str, bits: &[(&str, &str)]) -> Vec<(String, u64, u64, u64, u64)> {
    demand(formula, bits, (Alternatives::Left, Ending::Ended), |found, _, text| {
        let of = |waits: traceward_engine::why::Waits| {
            let steps: Vec<u64> =
                waits.waits.iter().filter_map(|wait| Some((wait.came? - wait.since) as u64)).collect();
            let (least, most) = (steps.iter().min().copied(), steps.iter().max().copied());
            let (least, most) = (least.unwrap_or(0), most.unwrap_or(0));
            (text(waits.formula), waits.waits.len() as u64, least, most, steps.iter().sum())
        };
        found.waits.into_iter().map(of).collect()
    })
}

/// For each time the only eventuality was asked: the position, where it came, and its fate.
fn fates(formula: &str, bits: &[(&str, &str)], ending: Ending) -> Vec<(usize, Option<usize>, Fate)> {
    demand(formula, bits, (Alternatives::Left, ending), |found, _, _| {
        let waits = found.waits.into_iter().flat_map(|waits| waits.waits);
        waits.map(|wait| (wait.since, wait.came, wait.fate)).collect()
    })
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
    // What is violated was asked all the same.
    assert_eq!(waits("F a", &[("a", "000")]), [("F a".to_owned(), 1, 0, 0, 0)]);
}

#[test]
fn bounds_tell_what_came_late_from_what_never_came() {
    // Requests at 0, 2 and 5; grants at 1 and 7.
    let bits = [("r", "10100100"), ("g", "01000001")];
    let (met, late) = ((0, Some(1), Fate::Met), (2, Some(7), Fate::Late));
    assert_eq!(fates("G(r -> F[0,2] g)", &bits, Ending::Ended), [met, late, (5, Some(7), Fate::Met)]);
    assert_eq!(fates("G(r -> F[0,1] g)", &bits, Ending::Open), [met, late, (5, Some(7), Fate::Late)]);
    let cut = [("r", "101001"), ("g", "010000")];
    assert_eq!(fates("G(r -> F g)", &cut, Ending::Ended)[1..], [(2, None, Fate::Never), (5, None, Fate::Never)]);
    assert_eq!(fates("G(r -> F[0,2] g)", &cut, Ending::Open)[1..], [(2, None, Fate::Never), (5, None, Fate::Open)]);
    // The grant comes, but busy does not last until then.
    assert_eq!(fates("r -> (r U g)", &[("r", "100"), ("g", "001")], Ending::Ended), [(0, Some(2), Fate::Broken)]);
    // What comes before the window has not come.
    assert_eq!(fates("F[2,3] g", &[("g", "0101")], Ending::Ended), [(0, Some(3), Fate::Met)]);
    assert_eq!(fates("F[2,3] g", &[("g", "01000")], Ending::Ended), [(0, None, Fate::Never)]);
}

/// The parts that never mattered, each with what never happened.
fn unused_parts(formula: &str, bits: &[(&str, &str)]) -> Vec<(String, Option<String>)> {
    demand(formula, bits, (Alternatives::Both, Ending::Ended), |found, formulas, text| {
        let is_asked = |formula: FormulaId| found.parts.iter().any(|part| part.formula == formula && part.asked > 0);
        let stands_in_asked = |part: FormulaId| {
            let parts = found.parts.iter().filter(|above| formulas.node(above.formula).children().any(|f| f == part));
            parts.into_iter().any(|above| is_asked(above.formula))
        };
        let unused = found.parts.iter().filter(|part| part.asked == 0 && stands_in_asked(part.formula));
        unused.map(|part| (text(part.formula), part.never_held.map(text))).collect()
    })
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

/// What came before a window opened is no answer, whether or not a state lies in the window.
#[test]
fn what_comes_too_early_has_not_come() {
    let fates = |r, g| fates("G(r -> F[1,2] g)", &[("r", r), ("g", g)], Ending::Ended);
    assert_eq!(fates("001", "001"), [(2, None, Fate::Never)]);
    assert_eq!(fates("0100", "0100"), [(1, None, Fate::Never)]);
    assert_eq!(fates("010000", "010010"), [(1, Some(4), Fate::Late)]);
}
