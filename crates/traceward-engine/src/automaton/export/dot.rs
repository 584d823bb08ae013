//! For Graphviz. A conjunction of arrows is a point that they leave from together.

use super::{Diagram, Disjuncts};
use crate::automaton::alternating::Look;
use std::fmt::{self, Write};

/// The diagram as a graph in Graphviz' language.
pub fn dot(diagram: &Diagram) -> String {
    let mut text = String::new();
    write_graph(diagram, &mut text).expect("writing to a string cannot fail");
    text
}

fn write_graph(diagram: &Diagram, out: &mut String) -> fmt::Result {
    writeln!(out, "digraph automaton {{")?;
    writeln!(out, "  rankdir=LR;")?;
    writeln!(out, "  label={};", quoted(&diagram.formula))?;
    writeln!(out, "  labelloc=t;")?;
    writeln!(out, "  fontname=\"sans-serif\";")?;
    writeln!(out, "  node [fontname=\"sans-serif\", shape=ellipse];")?;
    writeln!(out, "  start [shape=point, width=0.12];")?;
    for node in &diagram.nodes {
        let (star, rings) = if node.accepting { ("*", 2) } else { ("", 1) };
        let label = quoted(&format!("{}{star}\n{}", node.id, node.label));
        writeln!(out, "  {} [label={label}, peripheries={rings}, tooltip={}];", node.id, quoted(&node.formula))?;
    }
    write_arrows(out, "start", &diagram.start, "")?;
    for node in &diagram.nodes {
        let style = if node.look == Look::Back { "style=dashed" } else { "" };
        write_arrows(out, &node.id.to_string(), &node.next, style)?;
    }
    writeln!(out, "}}")
}

fn write_arrows(out: &mut String, source: &str, disjuncts: &Disjuncts, style: &str) -> fmt::Result {
    let suffix = if style.is_empty() { String::new() } else { format!(" [{style}]") };
    for (number, disjunct) in disjuncts.iter().enumerate() {
        if let [target] = disjunct[..] {
            writeln!(out, "  {source} -> {target}{suffix};")?;
        } else if !disjunct.is_empty() {
            let separator = if style.is_empty() { "" } else { ", " };
            let junction = format!("{source}_and{number}");
            writeln!(out, "  {junction} [shape=point, width=0.04];")?;
            writeln!(out, "  {source} -> {junction} [dir=none{separator}{style}];")?;
            for target in disjunct {
                writeln!(out, "  {junction} -> {target}{suffix};")?;
            }
        }
    }
    Ok(())
}

/// A string of Graphviz' language; a newline begins a line of the label.
pub(super) fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            // Graphviz reads the entities of HTML in every string.
            '&' => quoted.push_str("&amp;"),
            letter => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}
