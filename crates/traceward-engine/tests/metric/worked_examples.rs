//! The thesis' examples, as far as its text gives values. Its figures 3.2, 3.3 and 4.2 are lost:
//! numbers of nodes are derived by hand from what the text says of each step.

use super::{Example, leaf};
use traceward_engine::engine::Subsumption;
use traceward_engine::engine::configuration::Entry;
use traceward_engine::engine::follow::{Follow, Step};
use traceward_logic::verdict::Verdict;

/// Sections 3.2.4, 3.3.4 and 3.4.1; ♦[0,2] in the running text is a misprint for ♦[0,1].
const FORMULA: &str = "F(a & ((F[0,1] p) U[0,3] q))";
const TRACE: [&str; 3] = ["a", "p", "q"];

/// Section 3.2.4.
#[test]
fn the_tree_grows_and_is_reduced_as_in_3_2_4() {
    let example = Example::new(FORMULA);
    let engine = example.tree();
    let mut run = engine.start().unwrap();
    let mut step = |state: &str| {
        let verdict = engine.step(&mut run, Step::new(&example.state(state), 0)).unwrap();
        (verdict, run.leaves().iter().map(leaf).collect::<Vec<_>>(), run.nodes())
    };
    // Step 1: n0, n3 and n5 evaluate to 0; n1 to 1, n2 and n4 to -1. By hand: 14 nodes are made,
    // the three leaves that are evaluated go.
    assert_eq!(step(TRACE[0]), (Verdict::Pending, vec!["n0^∞".into(), "n5^3".into(), "n3^1".into()], 11));
    // Step 2: n4 under the clock 0 is satisfied, n3 there is not; n1 fails under the new n0. By
    // hand: down to n0 lead the clock t1, a disjunction, the timer and its disjunction; down to n5
    // a conjunction, the clock t3, two branching points, the timer and two more.
    assert_eq!(step(TRACE[1]), (Verdict::Pending, vec!["n0^∞".into(), "n5^2".into()], 13));
    // Step 3: n2 under the clock 1 (the text says 2) is satisfied, and that goes up to the root.
    assert_eq!(step(TRACE[2]), (Verdict::Satisfied, vec![], 0));
}

/// Section 3.3.4.
#[test]
fn the_graph_grows_and_is_reduced_as_in_3_3_4() {
    let example = Example::new(FORMULA);
    let engine = example.graph(Subsumption::Off);
    let mut run = engine.start().unwrap();
    let mut step = |state: &str| {
        let verdict = engine.step(&mut run, Step::new(&example.state(state), 0)).unwrap();
        (verdict, engine.leaves(&run).iter().map(leaf).collect::<Vec<_>>(), run.nodes())
    };
    // By hand: n0 ∨ (n5 ∧ n3), branching points with one child collapsed.
    assert_eq!(step(TRACE[0]), (Verdict::Pending, vec!["n0^∞".into(), "n3^1".into(), "n5^3".into()], 5));
    // By hand: n0 ∨ n5.
    assert_eq!(step(TRACE[1]), (Verdict::Pending, vec!["n0^∞".into(), "n5^2".into()], 3));
    assert_eq!(step(TRACE[2]), (Verdict::Satisfied, vec![], 0));
}

/// Section 4.2.5; the clock in its figure is printed as t3 := 2, and n3 as n1.
#[test]
fn generic_goes_on_as_in_4_2_5() {
    let example = Example::new("F(a & ((F[0,1] p) U q))");
    for subsumption in [Subsumption::Off, Subsumption::On] {
        let engine = example.generic(subsumption);
        let mut run = engine.start().unwrap();
        let mut step = |state: &str| {
            let verdict = engine.step(&mut run, Step::new(&example.state(state), 0)).unwrap();
            let set = |set: &&[Entry]| set.iter().map(|entry| leaf(&(entry.node, entry.clock))).collect::<Vec<_>>();
            let sets: Vec<_> = run.configurations().iter().map(set).collect();
            (verdict, engine.timers(&run).iter().map(leaf).collect::<Vec<_>>(), sets)
        };
        let (n0, n5) = (vec!["n0^∞".to_owned()], vec!["n5^∞".to_owned()]);
        // {n0}, and {n1, n5} with ♦[0,1]p as a graph; n1 is satisfied and not kept. {n1, n2} fails.
        assert_eq!(step("a"), (Verdict::Pending, vec!["n3^1".into()], vec![n0.clone(), n5.clone()]));
        // n3 under the clock 0 fails but n4 is satisfied; {n2}, {n1, n2} and {n1, n5} fail.
        assert_eq!(step("p"), (Verdict::Pending, vec![], vec![n0, n5]));
        // {n1, n2} and {n2} are satisfied and accept.
        assert_eq!(step("a q"), (Verdict::Satisfied, vec![], vec![]));
    }
}
