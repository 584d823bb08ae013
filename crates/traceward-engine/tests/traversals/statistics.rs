//! Statistics against an enumeration of all accepting runs.

use crate::brute::{self, Settled};
use crate::example::{Example, Subject, View};
use crate::lattices::{AcceptingVisits, Profiles, Statistic};
use proptest::prelude::*;
use traceward_engine::automaton::alternating::NodeId;
use traceward_engine::run_statistics::{Coverage, RejectingVisits};
use traceward_logic::formula::Formulas;
use traceward_logic::semantics;
use traceward_testkit::agreement::report;
use traceward_testkit::enumerate::{self, Shape};
use traceward_testkit::generate::{self, Windows};

fn expected<S: Statistic>(view: View<'_>, runs: &[Vec<NodeId>]) -> Option<S::Plain> {
    (!runs.is_empty()).then(|| S::of_runs(view.automaton, runs))
}

fn agrees<S: Statistic>(statistic: &S, view: View<'_>, trees: &[Vec<NodeId>], sequences: &[Vec<NodeId>]) {
    assert_eq!(view.over_trees(statistic).map(S::plain), expected::<S>(view, trees), "trees");
    if let Some(found) = view.over_slices(statistic) {
        assert_eq!(found.map(S::plain), expected::<S>(view, sequences), "slices");
    }
}

/// Compares all statistics; says whether the runs were few enough to be enumerated.
fn all_agree(view: View<'_>, satisfied: bool) -> bool {
    let Some(trees) = brute::accepting_trees(view) else { return false };
    assert_eq!(!trees.is_empty(), satisfied, "definition 5");
    let mut sequences = Vec::new();
    if view.subject.breadth_first.is_some() {
        let Some(finer) = brute::accepting_sequences(view, Settled::Nodes) else { return false };
        let Some(found) = brute::accepting_sequences(view, Settled::Formulas) else { return false };
        assert_eq!(!found.is_empty(), satisfied, "section 3.2");
        // A literal in a formula about the past may be in a slice or not: it rejects nothing.
        assert_eq!(expected::<RejectingVisits>(view, &finer), expected::<RejectingVisits>(view, &found));
        sequences = found;
    }
    agrees(&RejectingVisits, view, &trees, &sequences);
    agrees(&Coverage, view, &trees, &sequences);
    agrees(&AcceptingVisits, view, &trees, &sequences);
    agrees(&Profiles, view, &trees, &sequences);
    true
}

fn exhaustively(shape: &Shape, longest: usize) -> u64 {
    let mut arena = Formulas::new();
    let formulas = enumerate::formulas(&mut arena, shape);
    let subjects: Vec<Subject> = formulas.iter().map(|formula| Subject::new(&arena, *formula)).collect();
    let mut pairs = 0;
    for trace in enumerate::traces(shape.atoms, longest) {
        let rows = semantics::truths(&arena, &formulas, &trace).expect("booleans do not fail");
        for (formula, subject) in formulas.iter().zip(&subjects) {
            let letters = subject.letters(&trace);
            assert!(all_agree(subject.view(&letters), rows[formula][0]), "few runs");
            pairs += 1;
        }
    }
    pairs
}

#[test]
fn statistics_agree_with_all_runs_of_small_formulas_on_short_traces() {
    let pairs = exhaustively(&Shape::unbounded(1), 4)
        + exhaustively(&Shape::unbounded(2), 2)
        + exhaustively(&Shape { atoms: 1, ..Shape::unbounded(2) }, 5);
    report("statistics", "pairs of a formula and a trace", pairs);
    assert!(pairs >= 80_000, "only {pairs}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn statistics_agree_with_all_runs_of_random_formulas(
        recipe in generate::formula(3, Windows::Unbounded),
        trace in generate::short_trace(3),
    ) {
        let mut formulas = Formulas::new();
        let formula = recipe.build(&mut formulas);
        let subject = Subject::new(&formulas, formula);
        let letters = subject.letters(&trace);
        let satisfied = semantics::satisfied(&formulas, formula, &trace).unwrap();
        all_agree(subject.view(&letters), satisfied);
    }
}

/// Each of the first three positions waits for p: 3 + 2 + 1 visits in a tree, one a slice.
#[test]
fn a_node_reached_on_two_paths_counts_twice_in_a_tree_and_once_in_a_slice() {
    let example = Example::new("G F p", &[("p", "0001")]);
    assert_eq!(example.view().over_trees(&RejectingVisits), Some(6));
    assert_eq!(example.view().over_slices(&RejectingVisits), Some(Some(3)));
}

#[test]
fn a_violated_formula_has_no_value() {
    for (formula, bits) in [("G F p", "0010"), ("p", "01"), ("X p", "1"), ("O X p", "0"), ("false", "1"), ("Y p", "1")]
    {
        let example = Example::new(formula, &[("p", bits)]);
        assert!(!example.satisfied);
        assert_eq!(example.view().over_trees(&RejectingVisits), None, "{formula}");
        assert_eq!(example.view().over_trees(&Coverage), None, "{formula}");
        assert_eq!(example.view().over_slices(&RejectingVisits).flatten(), None, "{formula}");
    }
}

/// A tree visits past nodes and what they look at; a slice has them settled.
#[test]
fn past_nodes_count_in_a_tree_and_not_in_a_slice() {
    let example = Example::new("X X O p", &[("p", "100")]);
    // Two nexts, two steps back.
    assert_eq!(example.view().over_trees(&RejectingVisits), Some(4));
    assert_eq!(example.view().over_slices(&RejectingVisits), Some(Some(2)));
    assert_eq!(example.view().over_trees(&AcceptingVisits), Some(1));
    assert_eq!(example.view().over_slices(&AcceptingVisits), Some(Some(0)));
}

/// {p} and {p, X p} are both worth 1 at first, but only the second goes on to visit p again.
#[test]
fn a_smaller_slice_is_no_substitute_where_visits_are_worth_something() {
    let example = Example::new("p | (p & X p)", &[("p", "11")]);
    assert_eq!(example.view().over_slices(&AcceptingVisits), Some(Some(2)));
    assert_eq!(example.view().over_slices(&RejectingVisits), Some(Some(0)));
}
