//! Sketches for Graphviz. A conjunction of arrows is a point from which they leave together.

use super::{Disjuncts, Edge, Sketch, SketchKind, SketchNode};
use crate::graphviz::quoted;
use std::fmt::{self, Write};
use traceward_engine::automaton::alternating::Look;

/// The sketch as a graph in Graphviz' language.
pub fn dot(sketch: &Sketch) -> String {
    let mut text = String::new();
    write_graph(sketch, &mut text).expect("writing to a string cannot fail");
    text
}

fn write_graph(sketch: &Sketch, out: &mut String) -> fmt::Result {
    writeln!(out, "digraph automaton {{")?;
    writeln!(out, "  rankdir=LR;")?;
    writeln!(out, "  label={};", quoted(&sketch.formula))?;
    writeln!(out, "  labelloc=t;")?;
    writeln!(out, "  fontname=\"sans-serif\";")?;
    writeln!(out, "  node [fontname=\"sans-serif\", shape=ellipse];")?;
    if sketch.has_captions() {
        writeln!(out, "  edge [fontname=\"sans-serif\", fontsize=11];")?;
    }
    writeln!(out, "  start [shape=point, width=0.12];")?;
    sketch.nodes.iter().try_for_each(|node| write_node(out, node, sketch.kind))?;
    write_arrows(out, "start", &sketch.start, None)?;
    for node in &sketch.nodes {
        let style = (node.look == Look::Back).then_some("style=dashed");
        write_arrows(out, &node.id.to_string(), &node.next, style)?;
    }
    writeln!(out, "}}")
}

fn write_node(out: &mut String, node: &SketchNode, kind: SketchKind) -> fmt::Result {
    let (star, rings) = if node.accepting { ("*", 2) } else { ("", 1) };
    let label = quoted(&format!("{}{star}\n{}", node.id, node.label));
    let outline = match (kind, node.accepting) {
        (SketchKind::Alternating, _) => "",
        (SketchKind::Metric, true) => ", shape=box, style=rounded",
        (SketchKind::Metric, false) => ", shape=circle",
    };
    let tooltip = quoted(&node.formula);
    writeln!(out, "  {} [label={label}, peripheries={rings}{outline}, tooltip={tooltip}];", node.id)
}

fn write_arrows(out: &mut String, source: &str, disjuncts: &Disjuncts, style: Option<&str>) -> fmt::Result {
    let arrow = |edge: &Edge| {
        let caption = edge.caption().map(|text| format!("label={}", quoted(&text)));
        attributes(style.map(str::to_owned).into_iter().chain(caption))
    };
    for (number, disjunct) in disjuncts.iter().enumerate() {
        if let [edge] = &disjunct[..] {
            writeln!(out, "  {source} -> {}{};", edge.to, arrow(edge))?;
        } else if !disjunct.is_empty() {
            let junction = format!("{source}_and{number}");
            let stem = attributes(["dir=none"].into_iter().chain(style).map(str::to_owned));
            writeln!(out, "  {junction} [shape=point, width=0.04];")?;
            writeln!(out, "  {source} -> {junction}{stem};")?;
            for edge in disjunct {
                writeln!(out, "  {junction} -> {}{};", edge.to, arrow(edge))?;
            }
        }
    }
    Ok(())
}

/// Attributes in brackets, if there are any.
fn attributes(attributes: impl Iterator<Item = String>) -> String {
    let all: Vec<String> = attributes.collect();
    if all.is_empty() { String::new() } else { format!(" [{}]", all.join(", ")) }
}
