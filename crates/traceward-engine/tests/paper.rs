//! The examples of Finkbeiner and Sipma, *Checking Finite Traces using Alternating Automata*.

use proptest::prelude::*;
use std::collections::BTreeMap;
use traceward_engine::automaton::alternating::{Alternating, Label, Look, NodeId, condition_text};
use traceward_engine::engine::offline::Cache;
use traceward_engine::engine::reverse::Reverse;
use traceward_engine::select::{Prepared, Simplification};
use traceward_logic::formula::Formulas;
use traceward_logic::letter;
use traceward_logic::lower::Claim;
use traceward_logic::semantics;
use traceward_logic::trace::Trace;
use traceward_testkit::corpus;
use traceward_testkit::generate::{self, Windows};

/// A formula compiled as it is written, and the trace it is asked of.
struct Example {
    prepared: Prepared,
    reverse: Reverse,
    names: Vec<std::sync::Arc<str>>,
    trace: Trace,
}

impl Example {
    fn new(formula: &str, columns: &[(&str, &str)]) -> Self {
        let bits: BTreeMap<String, String> =
            columns.iter().map(|(name, bits)| ((*name).to_owned(), (*bits).to_owned())).collect();
        let (lowered, claim, trace) = corpus::prepare(formula, &bits, None, columns[0].1.len());
        let Claim::Formula(root) = claim else { panic!("{formula} is a formula") };
        let prepared = Prepared::new(&lowered.formulas, &[root], Simplification::Off);
        let Prepared { formulas, alphabet, normal, .. } = &prepared;
        let reverse = Reverse::new(formulas, alphabet, normal);
        Self { names: lowered.variables.names(), prepared, reverse, trace }
    }

    fn automaton(&self) -> &Alternating {
        self.reverse.automaton()
    }

    fn start(&self) -> String {
        condition_text(self.automaton(), self.automaton().roots()[0])
    }

    /// Label, δ, flag and direction of each node.
    fn nodes(&self) -> Vec<(String, String, bool, Look)> {
        let automaton = self.automaton();
        let describe = |id: NodeId| {
            let node = automaton.node(id);
            let label = automaton.label_text(id, &self.prepared.formulas, &self.names);
            (label, condition_text(automaton, node.next), node.accepting, node.look)
        };
        automaton.node_ids().map(describe).collect()
    }

    fn letters(&self) -> letter::Letters {
        letter::letters(&self.prepared.formulas, &self.prepared.alphabet, &self.trace)
    }

    fn table(&self) -> Vec<String> {
        let Prepared { formulas, alphabet, .. } = &self.prepared;
        let table = self.reverse.table(formulas, alphabet, &self.letters());
        table.rows.iter().map(ToString::to_string).collect()
    }

    fn truth(&self) -> String {
        self.reverse.rows(&mut Cache::default(), &self.letters())[0].to_string()
    }
}

/// Section 2.3: ⟨a,b,¬c⟩, ⟨¬a,¬b,¬c⟩, ⟨a,¬b,¬c⟩, ⟨¬a,b,c⟩, ⟨a,¬b,¬c⟩.
fn section_2_3() -> Example {
    Example::new("G(!a -> !b U c)", &[("a", "10101"), ("b", "10010"), ("c", "00010")])
}

#[test]
fn figure_2_is_the_automaton_of_its_formula() {
    let example = section_2_3();
    let whole = "n0 ∧ (n1 ∨ n2 ∨ (n4 ∧ n3))".to_owned();
    let until = "n2 ∨ (n4 ∧ n3)".to_owned();
    let leaf = |label: &str| (label.to_owned(), "ε".to_owned(), true, Look::Here);
    assert_eq!(example.start(), whole);
    assert_eq!(
        example.nodes(),
        [
            ("true".to_owned(), whole, true, Look::Forward),
            leaf("a"),
            leaf("c"),
            leaf("!b"),
            ("true".to_owned(), until, false, Look::Forward),
        ]
    );
}

#[test]
fn section_3_3_fills_this_table() {
    let example = section_2_3();
    // Position 0 first; the paper prints n4 false there, though c comes at 3 and b is false until
    // then.
    assert_eq!(example.table(), ["11111", "10101", "00010", "01101", "11100"]);
    assert_eq!(example.truth(), "11111");
    let Prepared { formulas, alphabet, .. } = &example.prepared;
    let table = example.reverse.table(formulas, alphabet, &example.letters());
    let text = example.reverse.table_text(&table, formulas, &example.names);
    let lines: Vec<&str> = text.lines().skip_while(|line| !line.contains("n0    n1")).collect();
    assert_eq!(
        lines,
        [
            "                   n0    n1    n2    n3    n4",
            "4: ⟨a, ¬b, ¬c⟩   true  true false  true false",
            "3: ⟨¬a, b, c⟩    true false  true false false",
            "2: ⟨a, ¬b, ¬c⟩   true  true false  true  true",
            "1: ⟨¬a, ¬b, ¬c⟩  true false false  true  true",
            "0: ⟨a, b, ¬c⟩    true  true false false  true",
        ]
    );
}

#[test]
fn figure_7_is_the_automaton_of_its_formula() {
    // Section 5.2: ⟨¬p,¬r⟩, ⟨¬p,r⟩, ⟨p,¬r⟩, ⟨p,¬r⟩, ⟨p,r⟩.
    let example = Example::new("G(p -> O r)", &[("p", "00111"), ("r", "01001")]);
    let whole = "n0 ∧ (n1 ∨ n2 ∨ n3)".to_owned();
    let leaf = |label: &str| (label.to_owned(), "ε".to_owned(), true, Look::Here);
    assert_eq!(example.start(), whole);
    assert_eq!(
        example.nodes(),
        [
            ("true".to_owned(), whole, true, Look::Forward),
            leaf("!p"),
            ("true".to_owned(), "n2 ∨ n3".to_owned(), false, Look::Back),
            leaf("r"),
        ]
    );
    assert_eq!(example.table(), ["11111", "11000", "00111", "01001"]);
    assert_eq!(example.truth(), "11111");
}

/// Figure 6 starts its loop at the last position again, which would ask nodes there for what comes
/// next.
#[test]
fn the_last_position_is_decided_by_flags_alone() {
    let holds = |formula: &str, bits: &str| Example::new(formula, &[("a", bits)]).truth();
    assert_eq!(holds("X a", "011"), "110");
    assert_eq!(holds("WX a", "010"), "101");
    assert_eq!(holds("X a", "1"), "0");
    assert_eq!(holds("WX a", "0"), "1");
    assert_eq!(holds("X X a", "111"), "100");
    assert_eq!(holds("X true & a", "111"), "110");
    assert_eq!(Example::new("X a", &[("a", "011")]).table()[0], "110");
    assert_eq!(Example::new("Y a", &[("a", "110")]).table()[0], "011");
    assert_eq!(Example::new("Z a", &[("a", "001")]).table()[0], "100");
    // Around the end of a word.
    for len in [63, 64, 65, 128, 129] {
        assert_eq!(holds("X a", &"1".repeat(len)), "1".repeat(len - 1) + "0");
        assert_eq!(holds("WX !a", &"1".repeat(len)), "0".repeat(len - 1) + "1");
        assert_eq!(holds("G a", &"1".repeat(len)), "1".repeat(len));
        assert_eq!(holds("F !a", &"1".repeat(len)), "0".repeat(len));
    }
}

#[test]
fn duals_have_automata_of_their_own() {
    let nodes = |formula: &str| Example::new(formula, &[("a", "1"), ("b", "1")]).nodes();
    let node = |formula: &str| nodes(formula).remove(0);
    assert!(node("WX a & b").2 && !node("X a & b").2);
    for (formula, start, accepting) in [
        ("a R b", "n0 ∧ (n1 ∨ n2)", true),
        ("a M b", "(n1 ∧ n0) ∨ (n2 ∧ n0)", false),
        ("a W b", "n0 ∨ (n2 ∧ n1)", true),
        ("a T b", "n0 ∧ (n1 ∨ n2)", true),
        ("a B b", "n0 ∨ (n2 ∧ n1)", true),
    ] {
        let example = Example::new(formula, &[("a", "1"), ("b", "1")]);
        assert_eq!(example.start(), start, "{formula}");
        let (_, next, flag, look) = example.nodes().pop().unwrap();
        assert_eq!((next, flag), (start.to_owned(), accepting), "{formula}");
        assert_eq!(look == Look::Back, formula.contains(['T', 'B']), "{formula}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    /// Section 2.3: the automaton is linear in the formula.
    #[test]
    fn there_are_no_more_nodes_than_operators_and_literals(recipe in generate::formula(3, Windows::Steps)) {
        let mut formulas = Formulas::new();
        let root = recipe.build(&mut formulas);
        let prepared = Prepared::new(&formulas, &[root], Simplification::Off);
        let automaton = Alternating::new(&prepared.formulas, &prepared.normal);
        prop_assert!(automaton.nodes().len() as u64 <= formulas.size(root));
        let labels_are_leaves = automaton.nodes().iter().all(|node| (node.look == Look::Here) || node.label == Label::Constant(true));
        prop_assert!(labels_are_leaves);
    }

    /// Every row of the table is what the node says: δ one position on, or its flag where there is
    /// none.
    #[test]
    fn every_row_of_the_table_follows_its_node(
        recipe in generate::formula(3, Windows::StepsAndTime),
        trace in generate::trace(3),
    ) {
        let mut formulas = Formulas::new();
        let root = recipe.build(&mut formulas);
        let Prepared { formulas, alphabet, normal, .. } = Prepared::new(&formulas, &[root], Simplification::Off);
        let reverse = Reverse::new(&formulas, &alphabet, &normal);
        let letters = letter::letters(&formulas, &alphabet, &trace);
        let table = reverse.table(&formulas, &alphabet, &letters);
        let rows = semantics::truths(&formulas, &normal, &trace).unwrap();
        let automaton = reverse.automaton();
        for (id, row) in automaton.node_ids().zip(&table.rows) {
            let node = automaton.node(id);
            let now = |position: usize| rows[&node.formula][position];
            for position in 0..trace.len {
                let expected = match node.look {
                    Look::Here => now(position),
                    Look::Forward if position + 1 == trace.len => node.accepting,
                    Look::Back if position == 0 => node.accepting,
                    look => {
                        let other = if look == Look::Forward { position + 1 } else { position - 1 };
                        holds(automaton, &table.rows, node.next, other)
                    }
                };
                prop_assert_eq!(row.get(position), expected, "{} at {}", id, position);
            }
        }
    }
}

fn holds(
    automaton: &Alternating,
    rows: &[traceward_logic::bitmap::Bitmap],
    condition: traceward_engine::automaton::alternating::ConditionId,
    position: usize,
) -> bool {
    use traceward_engine::automaton::alternating::Condition;
    match automaton.condition(condition) {
        Condition::Empty => true,
        Condition::Node(node) => rows[node.index()].get(position),
        Condition::And(left, right) => {
            holds(automaton, rows, left, position) && holds(automaton, rows, right, position)
        }
        Condition::Or(left, right) => holds(automaton, rows, left, position) || holds(automaton, rows, right, position),
    }
}
