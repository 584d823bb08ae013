//! The examples of Giannakopoulou and Havelund.

use super::Example;
use traceward_engine::automaton::subset::{self, Table, determinise};
use traceward_engine::automaton::tableau::{Initial, StateId};

const RESPONSE: &str = "[](a -> <>b)";

impl Example {
    /// Where an edge begins, its label, and where it leads.
    fn edges(&self) -> Vec<(String, String, String)> {
        let edges = self.automaton.edges().iter();
        edges.map(|e| (e.from.to_string(), self.automaton.label_text(e, &self.names), e.to.to_string())).collect()
    }

    fn accepting(&self) -> Vec<bool> {
        self.automaton.states().iter().map(|state| state.accepting).collect()
    }

    fn table(&self) -> Table {
        determinise(&self.automaton, subset::SubsetLimits::default()).expect("a small table")
    }
}

fn owned<const N: usize>(edges: [(&str, &str, &str); N]) -> Vec<(String, String, String)> {
    edges.map(|(from, label, to)| (from.to_owned(), label.to_owned(), to.to_owned())).to_vec()
}

/// Section 6.1. The paper's S2 and S7 are S1 and S2 here.
#[test]
fn the_fourth_figure_has_these_edges() {
    let example = Example::new(RESPONSE);
    let expected = owned([
        ("S0", "true", "S1"),
        ("S0", "b", "S2"),
        ("S0", "!a", "S2"),
        ("S1", "true", "S1"),
        ("S1", "!a", "S1"),
        ("S1", "b", "S2"),
        ("S1", "b & !a", "S2"),
        ("S2", "true", "S1"),
        ("S2", "b", "S2"),
        ("S2", "!a", "S2"),
    ]);
    assert_eq!(example.edges(), expected);
    assert_eq!(example.accepting(), [true, false, true]);
    assert_eq!(Example::with(RESPONSE, |_| Initial::AsInPaper).accepting(), [false, false, true]);
}

/// Figure 5: all is well, or a `b` is missing. In the paper the initial state rejects the empty
/// trace, and is a third one.
#[test]
fn the_fifth_figure_is_the_smallest_deterministic_one() {
    // The first proposition is b. Letters: neither, b, a, both.
    let minimal = Example::new(RESPONSE).table().minimal();
    let expected = Table { letters: 4, initial: 0, accepting: vec![true, false], next: vec![0, 0, 1, 0, 1, 0, 1, 0] };
    assert_eq!(minimal, expected);
    let as_in_paper = Example::with(RESPONSE, |_| Initial::AsInPaper).table().minimal();
    let next = vec![1, 1, 2, 1, 1, 1, 2, 1, 2, 1, 2, 1];
    let expected = Table { letters: 4, initial: 0, accepting: vec![false, true, false], next };
    assert_eq!(as_in_paper, expected);
}

/// Figure 2: the automaton of the algorithm, and the deterministic one.
#[test]
fn the_second_figure_is_made_deterministic() {
    let example = Example::new("<>(a || b)");
    let expected = owned([
        ("S0", "true", "S1"),
        ("S0", "a", "S2"),
        ("S0", "b", "S2"),
        ("S1", "true", "S1"),
        ("S1", "a", "S2"),
        ("S1", "b", "S2"),
    ]);
    assert_eq!(example.edges(), expected);
    assert_eq!(example.accepting(), [false, false, true]);
    assert!(example.automaton.states()[2].satisfied && example.automaton.states()[2].next.is_empty());
    let minimal = example.table().minimal();
    let expected = Table { letters: 4, initial: 0, accepting: vec![false, true], next: vec![0, 1, 1, 1, 1, 1, 1, 1] };
    assert_eq!(minimal, expected);
}

/// Figure 3: the initial state of `a U true` rejects until it is relaxed.
#[test]
fn the_third_figure_relaxes_the_initial_state() {
    let never = Example::with("a U true", |_| Initial::Rejecting);
    let relaxed = Example::with("a U true", |_| Initial::AsInPaper);
    let expected = owned([("S0", "true", "S1"), ("S0", "a", "S2"), ("S2", "true", "S1"), ("S2", "a", "S2")]);
    assert_eq!(never.edges(), expected);
    assert_eq!(relaxed.edges(), expected);
    assert_eq!(never.accepting(), [false, true, false]);
    assert_eq!(relaxed.accepting(), [true, true, false]);
    let one = Table { letters: 2, initial: 0, accepting: vec![true], next: vec![0, 0] };
    assert_eq!(relaxed.table().minimal(), one);
    let two = Table { letters: 2, initial: 0, accepting: vec![false, true], next: vec![1, 1, 1, 1] };
    assert_eq!(never.table().minimal(), two);
    // By the definition the empty trace satisfies no until.
    assert_eq!(Example::new("a U true").table().minimal(), two);
}

/// Section 5: purely safety properties are satisfied by empty traces. The second relaxation sees
/// more in a table, where `a` and `!a` together are `true`.
#[test]
fn both_relaxations_apply() {
    assert!(Example::with("[] a", |_| Initial::AsInPaper).accepting()[0]);
    assert!(!Example::with("<> a", |_| Initial::AsInPaper).accepting()[0]);
    let split = Example::with("<>(a || !a)", |_| Initial::AsInPaper);
    assert!(!split.accepting()[0]);
    assert!(split.table().accepting[0]);
}

/// Figure 1: nodes that differ only in OLD are one state, and each edge keeps its own literals.
#[test]
fn the_first_figure_collapses_nodes_with_different_literals() {
    let example = Example::new("X (p | !p)");
    let expected = owned([("S0", "true", "S1"), ("S1", "p", "S2"), ("S1", "!p", "S2")]);
    assert_eq!(example.edges(), expected);
    let into = example.automaton.edges_from(StateId::INIT)[0].to;
    assert_eq!(example.automaton.edges_from(into).len(), 2);
}

/// Section 4.1 puts INIT into STATES with NEXT empty: what owes nothing any more must not be merged
/// into it.
#[test]
fn the_initial_state_is_kept_apart() {
    let example = Example::new("a");
    assert_eq!(example.edges(), owned([("S0", "a", "S1")]));
    assert_eq!(example.accepting(), [false, true]);
}
