//! Diagrams for Graphviz.

use super::{Diagram, DiagramKind, DiagramPart};
use crate::graphviz::quoted;
use std::fmt::{self, Write};

/// The diagram in Graphviz' language.
pub fn dot(diagram: &Diagram) -> String {
    let mut text = String::new();
    write_dot(diagram, &mut text).expect("writing to a string cannot fail");
    text
}

fn write_dot(diagram: &Diagram, out: &mut String) -> fmt::Result {
    writeln!(out, "digraph automaton {{")?;
    writeln!(out, "  rankdir=LR;")?;
    writeln!(out, "  label={};", quoted(&diagram.query))?;
    writeln!(out, "  labelloc=t;")?;
    writeln!(out, "  fontname=\"sans-serif\";")?;
    writeln!(out, "  node [fontname=\"sans-serif\", shape=ellipse];")?;
    writeln!(out, "  start [shape=point, width=0.12];")?;
    diagram.parts.iter().try_for_each(|part| write_part(out, part))?;
    writeln!(out, "  start -> {};", diagram.parts[diagram.root].name)?;
    for (source, target) in diagram.arrows() {
        let [from, to] = [source, target].map(|part| &diagram.parts[part]);
        let paint = match from.is_transient() {
            false => "",
            // A loop leads back and must not push its head to the right.
            true if target > source => " [color=\"#7a3e9d\", constraint=false]",
            true => " [color=\"#7a3e9d\"]",
        };
        writeln!(out, "  {} -> {}{paint};", from.name, to.name)?;
    }
    writeln!(out, "}}")
}

fn write_part(out: &mut String, part: &DiagramPart) -> fmt::Result {
    let (name, tooltip) = (&part.name, quoted(&format!("{}: {}", part.name, part.junction())));
    let (title, style) = match part.kind {
        DiagramKind::Terminal { .. } => (part.node(), "style=filled, fillcolor=\"#eef3fa\""),
        DiagramKind::Transient { .. } => (part.node(), "style=solid"),
        DiagramKind::And(_) | DiagramKind::Or(_) | DiagramKind::Apply(_) => (None, "shape=box, style=rounded"),
    };
    let label = quoted(&format!("{}\n{}", title.as_ref().unwrap_or(name), part.junction()));
    writeln!(out, "  {name} [label={label}, {style}, tooltip={tooltip}];")
}
