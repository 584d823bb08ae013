use super::*;
use crate::select::{Prepared, Simplification};
use traceward_logic::lower::{Claim, Goal};
use traceward_testkit::lowered;

/// The formula of a text in normal form.
fn normal(text: &str) -> (Formulas, FormulaId) {
    let lowered = lowered(text, Goal::Check, None, None).expect("a formula");
    let Claim::Formula(root) = lowered.properties[0].claim else { panic!("{text} is a formula") };
    let Prepared { formulas, normal, .. } = Prepared::new(&lowered.formulas, &[root], Simplification::Off);
    (formulas, normal[0])
}

fn check_sublogic(expected: Option<Sublogic>, texts: &[&str]) {
    for text in texts {
        let (formulas, root) = normal(text);
        assert_eq!(sublogic(&formulas, root), expected, "{text}");
    }
}

#[test]
fn without_bounds_it_is_ltl() {
    check_sublogic(
        Some(Sublogic::Ltl),
        &["p", "p & !q | true", "X X p", "G F p", "p U (q R !X q)", "G(p -> WX (q W p))", "!(p U G q)", "p M q"],
    );
    check_sublogic(Some(Sublogic::Ltl), &["F[0,inf] p", "p U[0,inf] q"]);
}

#[test]
fn with_finite_bounds_alone_it_is_finitely_bounded() {
    check_sublogic(
        Some(Sublogic::Fbtl),
        &["F[0,3] p", "G[2,5] p", "p U[1,1] (q R[0,7] p)", "!(p W[0,2] q) & r", "F[0,0] p | G[0,1] F[3,4] q"],
    );
    // A step is no operator without an end.
    check_sublogic(Some(Sublogic::Fbtl), &["X F[0,3] p", "F[0,3] X p", "WX p | G[0,2] q"]);
}

#[test]
fn with_bounds_only_inside_it_is_slightly_restricted() {
    check_sublogic(
        Some(Sublogic::Sbtl),
        &[
            "G(p -> F[0,4] q)",
            "F[0,3] p & G q",
            "G F (p U[1,2] q)",
            "(F[0,1] p) U (G[2,3] q)",
            "(F[0,1] p) W q",
            "!G(p -> F[0,4] q)",
            "G X F[0,3] p",
            "X G p & F[0,2] q",
        ],
    );
}

#[test]
fn with_an_operator_without_end_inside_a_bound_it_is_all_of_the_logic() {
    check_sublogic(
        Some(Sublogic::Btl),
        &["F[0,19] (p -> G q)", "F(a & ((F[0,1] p) U[0,3] G q))", "F[0,2] X G p", "G[0,1] p U[0,3] (q U p)"],
    );
    // A delay before an operator without an end is a bound around it.
    check_sublogic(Some(Sublogic::Btl), &["F[2,inf] p", "G(p -> G[1,inf] q)", "p R[3,inf] q"]);
}

#[test]
fn past_operators_are_propositions() {
    check_sublogic(Some(Sublogic::Ltl), &["O[0,3] p", "G(p -> O[2,5] H q)", "p S[0,2] F[0,1] q"]);
    check_sublogic(Some(Sublogic::Fbtl), &["F[0,3] H p", "G[0,2] (p S q)"]);
    check_sublogic(Some(Sublogic::Sbtl), &["G(O p -> F[0,3] H q)"]);
}

#[test]
fn bounds_in_time_are_none_of_it() {
    check_sublogic(None, &["F[0,5ms] p", "G(p -> F[0,5ms] q)", "F[0,3] p & G[1s,2s] q"]);
}

/// X, Y and C.
fn measures(text: &str) -> (usize, usize, u64) {
    let (formulas, root) = normal(text);
    let automaton = Metric::new(&formulas, root).expect("bounds in steps");
    (automaton.size(), automaton.finitely_bounded_size(), automaton.largest_constant())
}

#[test]
fn sizes_counted_by_hand() {
    assert_eq!(measures("p"), (1, 0, 0));
    assert_eq!(measures("G F p"), (5, 0, 0));
    // n0 ∧ (n1 ∨ (n2 ∨ n3)): the sub-automaton of the eventually is n2 ∨ n3.
    assert_eq!(measures("G(a -> F[0,4] b)"), (7, 3, 4));
    // All of it but the conjunction.
    assert_eq!(measures("F[0,4] a & G[0,2] b"), (3 + 5 + 1, 8, 4));
    // n0 ∨ (n1 ∧ ((n5 ∧ (n3 ∨ n4)) ∨ n2)): what is bounded is all that comes after the conjunction.
    assert_eq!(measures("F(a & ((F[0,1] p) U[0,3] q))"), (11, 7, 3));
    // Figure 4.1: without its bound, the until is outside.
    assert_eq!(measures("F(a & ((F[0,1] p) U q))"), (11, 3, 1));
    // A bound with something endless inside does not run out, but what is inside that may.
    assert_eq!(measures("F[0,3] G F[0,2] p"), (7, 3, 3));
    assert_eq!(measures("F[2,inf] p").1, 0);
    // A step is over after a step.
    assert_eq!(measures("G(p -> X q)"), (6, 2, 1));
    assert_eq!(measures("X G p").1, 0);
}

#[test]
fn what_is_shared_is_counted_once() {
    // The leaf p is in both, and outside of both.
    let (whole, bounded, _) = measures("p & F[0,1] p & F[0,2] p");
    assert_eq!((whole, bounded), (3 + 2 + 2, 5));
    let shared = "(p U[0,9] (q & r U[0,9] p))";
    let text = (1..6).map(|bound| format!("F[0,{bound}] {shared}")).collect::<Vec<_>>().join(" & ");
    let (whole, bounded, _) = measures(&text);
    assert_eq!(whole - bounded, 4, "the conjunctions between them");
}

#[test]
fn bounds_in_time_are_clocks_with_units() {
    let text = |formula: &str| {
        let (formulas, root) = normal(formula);
        let names: Vec<_> = ["a".into(), "b".into()].to_vec();
        Metric::new(&formulas, root).expect("bounds that can be counted").display(&formulas, &names).to_string()
    };
    // One clock does for delay and window: more than two seconds to go are the delay.
    let late = "start (n0 ∨ (n1 ∧ n3 ∧ (n2 ∨ n4)))[t1 := 3s]
n0 ⟨t1 > 2s, n0 ∨ (n1 ∧ n3 ∧ (n2 ∨ n4)), rej⟩
n1 ⟨t1 ≤ 2s, ε, acc⟩
n2 ⟨t1 ≥ 0, n3 ∧ (n2 ∨ n4), rej⟩
n3 ⟨t1 ≥ 0, ε, acc⟩
n4 ⟨a, acc⟩
";
    assert_eq!(text("F[1s,3s] a"), late);
    // A state behind the window asks nothing more of a weak operator.
    let weak = "start (n1 ∨ (n0 ∧ n2))[t1 := 1500us]
n0 ⟨t1 ≥ 0, n1 ∨ (n0 ∧ n2), acc⟩
n1 ⟨t1 < 0, ε, acc⟩
n2 ⟨a, acc⟩
";
    assert_eq!(text("G[0,1.5ms] a"), weak);
    let endless = "start (n0 ∨ (n1 ∧ (n2 ∨ n3)[t2 := ∞]))[t1 := 2s]\nn0 ⟨t1 > 0, ";
    assert!(text("F[2s,] a").starts_with(endless), "{}", text("F[2s,] a"));
    let (formulas, root) = normal("F[0,9223372036854775807ns] a");
    assert!(Metric::new(&formulas, root).is_err());
}
