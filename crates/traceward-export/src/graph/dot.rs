//! Graphs for Graphviz.

use super::Graph;
use crate::graphviz::quoted;
use std::fmt::{self, Write};

/// The graph in Graphviz' language.
pub fn dot(graph: &Graph) -> String {
    let mut text = String::new();
    write_dot(graph, &mut text).expect("writing to a string cannot fail");
    text
}

fn write_dot(graph: &Graph, out: &mut String) -> fmt::Result {
    writeln!(out, "digraph automaton {{")?;
    writeln!(out, "  rankdir=LR;")?;
    writeln!(out, "  label={};", quoted(&graph.formula))?;
    writeln!(out, "  labelloc=t;")?;
    writeln!(out, "  fontname=\"sans-serif\";")?;
    writeln!(out, "  node [fontname=\"sans-serif\", shape=ellipse];")?;
    writeln!(out, "  edge [fontname=\"sans-serif\"];")?;
    writeln!(out, "  start [shape=point, width=0.12];")?;
    for (index, node) in graph.nodes.iter().enumerate() {
        let label = if node.label.is_empty() { node.name.clone() } else { format!("{}\n{}", node.name, node.label) };
        let rings = if node.accepting { 2 } else { 1 };
        let fill = node.mark.map(|mark| format!(", style=filled, fillcolor=\"{}\"", mark.colour())).unwrap_or_default();
        let (label, tooltip) = (quoted(&label), quoted(&node.tooltip));
        writeln!(out, "  n{index} [label={label}, peripheries={rings}{fill}, tooltip={tooltip}];")?;
    }
    writeln!(out, "  start -> n{};", graph.start)?;
    for edge in &graph.edges {
        writeln!(out, "  n{} -> n{} [label={}];", edge.from, edge.to, quoted(&edge.label))?;
    }
    writeln!(out, "}}")
}
