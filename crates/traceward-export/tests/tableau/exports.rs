//! The automaton as text, for LTSA, for Graphviz and as a picture.

use super::Example;
use traceward_engine::automaton::tableau::Initial;
use traceward_export::fsp;
use traceward_export::graph::{Graph, GraphEdge, GraphNode, Mark, PictureTooLarge, dot, svg};
use traceward_export::literals::LiteralTexts;

const RESPONSE: &str = "[](a -> <>b)";

impl Example {
    fn fsp(&self) -> String {
        fsp::of_tableau(&self.automaton, &self.names)
    }

    fn graph(&self) -> Graph {
        let literals = LiteralTexts::new(self.automaton.formulas(), self.automaton.alphabet(), &self.names, None);
        Graph::of_tableau(&self.automaton, &self.names, &literals)
    }
}

/// Section 6.1, letter by letter but for spaces. The paper's S2 and S7 are S1 and S2 here: TaZ's
/// states are named after the nodes they were made of.
#[test]
fn the_process_is_the_one_that_the_paper_prints() {
    let paper = "RES = S0,
S0=(true->S2 |b->S7 |na -> S7),
S2=(true->S2|na->S2 |b->S7 |b_AND_na->S7),
S7 @ =(true -> S2|b -> S7 |na -> S7).";
    let renamed = paper.replace("S2", "S1").replace("S7", "S2");
    let without_spaces = |text: &str| text.split_whitespace().collect::<String>();
    let ours = Example::with(RESPONSE, |_| Initial::AsInPaper).fsp();
    assert_eq!(without_spaces(&ours), without_spaces(&renamed));
}

#[test]
fn processes_as_text() {
    let all =
        [RESPONSE, "<>(a || b)", "[](x < 3 -> !(x > 3) U Done)", "false", "a & X !a", "na & !a & N", "when & range"];
    let text: Vec<String> =
        all.iter().map(|formula| format!("// {formula}\n{}", Example::new(formula).fsp())).collect();
    insta::assert_snapshot!(text.join("\n"));
}

#[test]
fn a_graph_for_graphviz() {
    insta::assert_snapshot!(dot(&Example::new("G(a -> X b) & F c").graph()));
}

#[test]
fn a_picture_shows_every_state_and_label() {
    for formula in [RESPONSE, "G(a -> O b)", "F(a & X(b & X c))", "G(a -> F[0,4] b)"] {
        let graph = Example::new(formula).graph();
        let picture = svg(&graph).expect("few states");
        for node in &graph.nodes {
            assert!(picture.contains(&format!(">{}</text>", node.name)), "{formula}: {}", node.name);
        }
        for line in graph.edges.iter().flat_map(|edge| edge.label.lines()) {
            assert!(picture.contains(&format!(">{}</text>", line.replace('&', "&amp;"))), "{formula}: {line}");
        }
        assert_eq!(picture.matches("marker-end").count(), graph.edges.len() + 1);
        assert!(!picture.contains("NaN") && !picture.contains("inf"));
    }
}

/// A graph that came from elsewhere: with both marks, labels of many lines and states that are not
/// met.
#[test]
fn other_graphs_are_drawn_too() {
    let node = |name: &str, mark| GraphNode {
        name: name.into(),
        label: format!("owes {name}"),
        tooltip: "<&>".into(),
        accepting: mark == Some(Mark::Satisfied),
        mark,
    };
    let many: Vec<String> = (0..20).map(|i| format!("a{i} & !b{i}")).collect();
    let edge = |from, to, label: &str| GraphEdge { from, to, label: label.into() };
    let graph = Graph {
        formula: "a < b & \"c\"".into(),
        nodes: vec![
            node("q0", None),
            node("q1", Some(Mark::Satisfied)),
            node("q2", Some(Mark::Violated)),
            node("q3", None),
        ],
        start: 0,
        edges: vec![
            edge(0, 0, "else"),
            edge(0, 1, &many.join("\n")),
            edge(1, 1, "true"),
            edge(0, 2, "c"),
            edge(2, 0, "d"),
        ],
        event: Some("<event>".into()),
        has_impossible: false,
    };
    let picture = svg(&graph).expect("few states");
    assert!(picture.contains("satisfied for good") && picture.contains("violated for good"));
    assert!(picture.contains("… 13 more") && picture.contains("&lt;&amp;&gt;"));
    assert!(dot(&graph).contains("fillcolor=\"#f8dcd8\""));
    let nodes = vec![node("q", None); 6000];
    assert_eq!(svg(&Graph { nodes, ..graph }), Err(PictureTooLarge { states: 6000, edges: 5 }));
}
