//! As text, for LTSA, in the Hanoi format, for Graphviz and as a picture.

use super::Example;
use std::collections::BTreeMap;
use traceward_engine::automaton::deterministic::{Deterministic, LabelsTooLong};
use traceward_export::graph::{dot, svg};
use traceward_export::listing::{LeftOut, Listing};
use traceward_export::{fsp, hoa};
use traceward_testkit::vectors;

const RESPONSE: &str = "G(a -> F b)";

fn shown(formulas: &[&str], export: impl Fn(&Example) -> String) -> String {
    let each = formulas.iter().map(|formula| format!("# {formula}\n{}", export(&Example::new(formula))));
    each.collect::<Vec<_>>().join("\n")
}

#[test]
fn automata_as_text() {
    let all = [RESPONSE, "F[1,2] a", "G(x > 5 -> Y !(x > 5))", "a U b", "true", "X true", "a | !a", "a xor b xor c"];
    insta::assert_snapshot!(shown(&all, |example| example.labelled.text()));
}

#[test]
fn processes_as_text() {
    let all = [RESPONSE, "a U b", "G(x < 3 -> !(x > 3) U Done)", "a xor b", "when & F na & X a"];
    insta::assert_snapshot!(shown(&all, |example| fsp::of_deterministic(&example.labelled).unwrap()));
}

#[test]
fn automata_in_the_hanoi_format() {
    let all = [RESPONSE, "name == \"a \\\"b\\\"\" U `odd name`", "true", "a | !a"];
    insta::assert_snapshot!(shown(&all, |example| hoa::hoa(&example.labelled).unwrap()));
}

#[test]
fn a_graph_for_graphviz() {
    insta::assert_snapshot!(dot(&Example::new("a U b").graph()));
}

#[test]
fn a_picture_shows_every_state_and_label() {
    for formula in [RESPONSE, "a U b", "G(a -> F[0,4] b)", "F(a & X(b & X c))", "true"] {
        let graph = Example::new(formula).graph();
        let picture = svg(&graph).expect("few states");
        for node in &graph.nodes {
            assert!(picture.contains(&format!(">{}</text>", node.name)), "{formula}: {}", node.name);
        }
        for line in graph.edges.iter().flat_map(|edge| edge.label.lines()) {
            assert!(picture.contains(&format!(">{}</text>", line.replace('&', "&amp;"))), "{formula}: {line}");
        }
        assert_eq!(picture.matches("marker-end").count(), graph.edges.len() + 1);
    }
}

#[test]
fn labels_without_end_are_refused() {
    let parity: Vec<String> = (0..40).map(|number| format!("a{number}")).collect();
    let example = Example::new(&parity.join(" xor "));
    assert!(matches!(hoa::hoa(&example.labelled), Err(LabelsTooLong { .. })));
    assert_eq!(example.automaton().states().len(), 3);
    // States and arrows can be told without labels: a first letter leads to true or to false.
    let reason = "the labels of this automaton take more than 4000000 steps to write";
    let expected = format!(
        "3 states; left out: {reason}\n\
         start S0\n\
         S0   rej, pending: violated if the trace ends here\n\
         \x20    → S1\n\
         \x20    → S2\n\
         S1   rej, violated for good\n\
         \x20    → S1\n\
         S2   acc, satisfied for good\n\
         \x20    → S2\n"
    );
    assert_eq!(example.labelled.text(), expected);
    let listing = Listing::of_deterministic(&example.labelled);
    assert_eq!((listing.states.len(), listing.edges.len()), (3, 4));
    assert!(matches!(listing.left_out, Some(LeftOut::Labels(_))));
}

#[test]
fn what_is_written_is_read_back_as_the_same_automaton() {
    let mut formulas: Vec<String> = vectors::formulas().into_iter().map(|vector| vector.formula).collect();
    formulas.sort();
    formulas.dedup();
    for formula in formulas {
        let example = Example::new(&formula);
        let written = hoa::hoa(&example.labelled).unwrap();
        Hanoi::read(&written).check(example.automaton(), &formula);
    }
}

/// What a reader of the format makes of a text: only what we write, but that strictly.
struct Hanoi {
    headers: BTreeMap<String, Vec<String>>,
    states: Vec<HanoiState>,
}

/// Literals: propositions, and whether they hold.
type Product = Vec<(usize, bool)>;

struct HanoiState {
    accepting: bool,
    /// Labels, and where they lead.
    edges: Vec<(Vec<Product>, usize)>,
}

impl Hanoi {
    fn read(text: &str) -> Self {
        let text = without_comments(text);
        let (head, body) = text.split_once("--BODY--").expect("a body");
        let (body, rest) = body.split_once("--END--").expect("an end");
        assert!(rest.trim().is_empty());
        let mut headers: Vec<(String, Vec<String>)> = Vec::new();
        for token in tokens(head) {
            match token.strip_suffix(':') {
                Some(name) if !token.starts_with('"') => headers.push((name.to_owned(), Vec::new())),
                _ => headers.last_mut().expect("a header first").1.push(token),
            }
        }
        assert_eq!(headers[0], ("HOA".into(), vec!["v1".into()]));
        let count = headers.len();
        let headers: BTreeMap<String, Vec<String>> = headers.into_iter().collect();
        assert_eq!(headers.len(), count, "no header twice");
        let mut states: Vec<HanoiState> = Vec::new();
        for line in body.lines().filter(|line| !line.is_empty()) {
            match line.strip_prefix("State: ") {
                Some(state) => {
                    let tokens = tokens(state);
                    assert_eq!(tokens[0].parse(), Ok(states.len()));
                    assert!(tokens[1].starts_with('"'));
                    assert!(tokens.len() == 2 || tokens[2..] == ["{0}"]);
                    states.push(HanoiState { accepting: tokens.len() == 3, edges: Vec::new() });
                }
                None => {
                    let (label, to) = line.strip_prefix('[').and_then(|line| line.split_once("] ")).expect("a label");
                    let edge = (label.split(" | ").map(product).collect(), to.parse().expect("a state"));
                    states.last_mut().expect("a state first").edges.push(edge);
                }
            }
        }
        Self { headers, states }
    }

    fn check(&self, automaton: &Deterministic, formula: &str) {
        let number = |name: &str| self.headers[name][0].parse::<usize>().expect("a number");
        assert_eq!((number("States"), number("Start")), (automaton.states().len(), 0), "{formula}");
        assert_eq!((number("AP"), self.headers["AP"].len() - 1), (automaton.propositions(), automaton.propositions()));
        assert_eq!(self.headers["Acceptance"].join(" "), "1 Inf(0)");
        assert_eq!(self.headers["acc-name"], ["Buchi"]);
        for (id, state) in automaton.state_ids().zip(&self.states) {
            assert_eq!(state.accepting, automaton.state(id).accepting, "{formula}");
            for letter in 0..1_usize << automaton.propositions() {
                let holds = |index: usize| letter >> index & 1 == 1;
                let open = |products: &[Product]| {
                    products.iter().any(|product| product.iter().all(|&(index, bit)| holds(index) == bit))
                };
                let next: Vec<usize> = state.edges.iter().filter(|edge| open(&edge.0)).map(|edge| edge.1).collect();
                assert_eq!(next, [automaton.next(id, |one| holds(one.index())).index()], "{formula}");
            }
        }
    }
}

fn without_comments(text: &str) -> String {
    let (before, rest) = text.split_once("/*").expect("a note");
    let (_, after) = rest.split_once("*/").expect("the end of the note");
    format!("{before}{after}")
}

/// Words, with strings whole.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens = vec![String::new()];
    let (mut in_string, mut escaped) = (false, false);
    for letter in text.chars() {
        if letter.is_whitespace() && !in_string {
            tokens.push(String::new());
            continue;
        }
        if letter == '"' && !escaped {
            in_string = !in_string;
        }
        escaped = letter == '\\' && !escaped;
        tokens.last_mut().expect("one").push(letter);
    }
    tokens.retain(|token| !token.is_empty());
    tokens
}

fn product(text: &str) -> Product {
    let literal = |text: &str| match text.strip_prefix('!') {
        Some(index) => (index.parse().expect("a proposition"), false),
        None => (text.parse().expect("a proposition"), true),
    };
    if text == "t" { Vec::new() } else { text.split('&').map(literal).collect() }
}
