//! A picture of a diagram: nodes are round and joined by what has a function on it. An arc joins
//! the arrows of a conjunction, and arrows to the next position have another colour.

use super::{Diagram, DiagramKind, DiagramPart};
use crate::frame::{Frame, escaped, write_outline};
use crate::graph::PictureTooLarge;
use crate::graph::layout::{Arrangement, GraphArrow, LINE, Plan, PlannedArrow, arrange};
use crate::graph::svg::{write_arrow, write_entry};
use crate::layers::{Item, Outline, RoundedBox};
use std::fmt::{self, Write};

const STYLE: &str = "    .node rect { fill: #ffffff; stroke: #1b1f24; stroke-width: 1.3 }
    .terminal rect { fill: #eef3fa }
    .junction rect { fill: #f6f8fa; stroke: #8c959f; stroke-width: 1 }
    .junction .name { font-size: 11px; fill: #57606a; font-weight: normal }
    .arrow path, .entry { fill: none; stroke: #3d4752; stroke-width: 1.2 }
    .later path { fill: none; stroke: #7a3e9d; stroke-width: 1.4 }
    .arc { fill: none; stroke: #3d4752; stroke-width: 1.8; stroke-linecap: round }
    .arrow:hover path, .later:hover path { stroke-width: 2.6 }
";

/// The width of a letter of a junction, and what is around its text.
const LETTER: f64 = 6.8;
const AROUND: f64 = 18.0;
/// The distance of a conjunction's arc from the junction.
const ARC: f64 = 9.0;

/// The diagram as a picture.
pub fn svg(diagram: &Diagram) -> Result<String, PictureTooLarge> {
    let arrangement = arrange(plan(diagram))?;
    let mut text = String::new();
    write_picture(diagram, &arrangement, &mut text).expect("writing to a string cannot fail");
    Ok(text)
}

pub(super) fn plan(diagram: &Diagram) -> Plan {
    let items = diagram.parts.iter().zip(depths(diagram)).map(|(part, depth)| item(part, 2 * depth));
    let arrows = diagram.arrows().map(|(from, to)| PlannedArrow { from, to, lines: Vec::new() });
    Plan { nodes: items.collect(), arrows: arrows.collect() }
}

/// The length of the longest path from the whole to each part. Only the transient nodes of loops
/// lead to a later part, so that wholes are met before their parts from the last one down.
fn depths(diagram: &Diagram) -> Vec<usize> {
    let mut depths = vec![0; diagram.parts.len()];
    for (from, part) in diagram.parts.iter().enumerate().rev() {
        for &to in part.targets().iter().filter(|&&to| to < from) {
            depths[to] = depths[to].max(depths[from] + 1);
        }
    }
    depths
}

fn item(part: &DiagramPart, layer: usize) -> Item {
    if part.node().is_some() {
        return Item::node(layer, &part.label);
    }
    let Item { lines, .. } = Item::node(layer, &part.junction());
    let longest = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0).max(part.name.len());
    let height = (lines.len() + 1) as f64 * LINE + 8.0;
    Item { outline: Outline::Square, ..Item::new(layer, longest as f64 * LETTER + AROUND, height, lines) }
}

fn write_picture(diagram: &Diagram, layout: &Arrangement, out: &mut String) -> fmt::Result {
    let frame = Frame {
        formula: &diagram.query,
        legend: legend(diagram),
        size: [layout.width, layout.height],
        style: STYLE,
        heads: &[("head", "#3d4752"), ("later-head", "#7a3e9d")],
    };
    frame.write(out, |out| {
        for (arrow, (from, to)) in layout.arrows.iter().zip(diagram.arrows()) {
            let [from, to] = [from, to].map(|part| &diagram.parts[part]);
            let paint = if from.is_transient() { ["later", "later-head"] } else { ["arrow", "head"] };
            write_arrow(out, arrow, &format!("{} → {}", shown_name(from), shown_name(to)), paint)?;
        }
        write_arcs(out, diagram, layout)?;
        write_entry(out, &layout.nodes[diagram.root].0)?;
        let mut parts = diagram.parts.iter().zip(&layout.nodes);
        parts.try_for_each(|(part, (shape, lines))| write_part(out, part, shape, lines))
    })
}

fn shown_name(part: &DiagramPart) -> String {
    part.node().unwrap_or_else(|| part.name.clone())
}

/// The legend: what the signs of this picture mean.
fn legend(diagram: &Diagram) -> String {
    let has = |kind: fn(&DiagramKind) -> bool| diagram.parts.iter().any(|part| kind(&part.kind));
    let signs = [
        (has(|kind| matches!(kind, DiagramKind::And(_))), "∧ with an arc: both have to succeed"),
        (has(|kind| matches!(kind, DiagramKind::Or(_))), "∨: one is enough"),
        (has(|kind| matches!(kind, DiagramKind::Transient { .. })), "violet: at the next position"),
    ];
    let present: Vec<&str> = signs.into_iter().filter(|(present, _)| *present).map(|(_, sign)| sign).collect();
    present.join("  ·  ")
}

/// Writes the arcs across the arrows of conjunctions.
fn write_arcs(out: &mut String, diagram: &Diagram, layout: &Arrangement) -> fmt::Result {
    for (index, part) in diagram.parts.iter().enumerate() {
        if matches!(part.kind, DiagramKind::And(_)) {
            let leaving = diagram.arrows().zip(&layout.arrows).filter(|((from, _), _)| *from == index);
            let arrows: Vec<&GraphArrow> = leaving.map(|(_, arrow)| arrow).collect();
            write_arc(out, &arrows)?;
        }
    }
    Ok(())
}

fn write_arc(out: &mut String, arrows: &[&GraphArrow]) -> fmt::Result {
    let ends = arrows.iter().map(|arrow| arrow.from);
    let (top, bottom) =
        ends.clone().fold((f64::INFINITY, f64::NEG_INFINITY), |(top, bottom), end| (top.min(end.y), bottom.max(end.y)));
    let x = ends.map(|end| end.x).fold(f64::NEG_INFINITY, f64::max) + ARC;
    let (top, bottom) = (top - 4.0, bottom + 4.0);
    let middle = (top + bottom) / 2.0;
    writeln!(out, "    <path class=\"arc\" d=\"M{x:.1} {top:.1} Q{:.1} {middle:.1} {x:.1} {bottom:.1}\"/>", x + 7.0)
}

fn write_part(out: &mut String, part: &DiagramPart, shape: &RoundedBox, lines: &[String]) -> fmt::Result {
    let class = match part.kind {
        DiagramKind::Terminal { .. } => "node terminal",
        DiagramKind::Transient { .. } => "node",
        DiagramKind::And(_) | DiagramKind::Or(_) | DiagramKind::Apply(_) => "junction",
    };
    let (name, x) = (shown_name(part), shape.centre.x);
    writeln!(out, "    <g class=\"{class}\"><title>{}: {}</title>", part.name, escaped(&part.junction()))?;
    write!(out, "      ")?;
    write_outline(out, shape, 0.0, "")?;
    let mut y = shape.centre.y + 4.5 - LINE / 2.0 * lines.len() as f64;
    writeln!(out, "\n      <text class=\"name\" x=\"{x:.1}\" y=\"{y:.1}\">{name}</text>")?;
    for line in lines {
        y += LINE;
        writeln!(out, "      <text x=\"{x:.1}\" y=\"{y:.1}\">{}</text>", escaped(line))?;
    }
    writeln!(out, "    </g>")
}
