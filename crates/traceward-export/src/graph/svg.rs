//! A picture of a graph that needs no other program: two rings for accepting states, an arrow into
//! the initial one, and colours for states that settle the formula.

use super::layout::{ArrowLabel, ENTRY, GraphArrow, GraphLayout, LINE, layout};
use super::{Graph, GraphNode, Mark, PictureTooLarge};
use crate::frame::{Frame, escaped, write_outline};
use crate::layers::RoundedBox;
use std::fmt::{self, Write};

const STYLE: &str = "    .state rect { fill: #ffffff; stroke: #1b1f24; stroke-width: 1.3 }
    .satisfied rect { fill: #d8f0dc }
    .violated rect { fill: #f8dcd8 }
    .state .ring { fill: none; stroke-width: 1 }
    .arrow path, .entry { fill: none; stroke: #3d4752; stroke-width: 1.2 }
    .arrow rect { fill: #ffffff }
    .arrow text { fill: #0b4a8f }
    .arrow:hover path { stroke-width: 2.6 }
";

/// The graph as a picture.
pub fn svg(graph: &Graph) -> Result<String, PictureTooLarge> {
    let layout = layout(graph)?;
    let mut text = String::new();
    write_picture(graph, &layout, &mut text).expect("writing to a string cannot fail");
    Ok(text)
}

fn write_picture(graph: &Graph, layout: &GraphLayout, out: &mut String) -> fmt::Result {
    let frame = Frame {
        formula: &graph.formula,
        legend: legend(graph, layout),
        size: [layout.arrangement.width, layout.arrangement.height],
        style: STYLE,
        heads: &[("head", "#3d4752")],
    };
    let layout = &layout.arrangement;
    frame.write(out, |out| {
        for (arrow, edge) in layout.arrows.iter().zip(&graph.edges) {
            let ends = [edge.from, edge.to].map(|node| graph.nodes[node].name.as_str());
            let title = format!("{} → {}: {}", ends[0], ends[1], edge.label.replace('\n', " or "));
            write_arrow(out, arrow, &title, ["arrow", "head"])?;
        }
        if let Some((shape, _)) = layout.nodes.get(graph.start) {
            write_entry(out, shape)?;
        }
        for (node, (shape, lines)) in graph.nodes.iter().zip(&layout.nodes) {
            write_state(out, node, shape, lines)?;
        }
        // Labels are drawn above everything, so that no arrow crosses one.
        layout.arrows.iter().filter_map(|arrow| arrow.label.as_ref()).try_for_each(|label| write_label(out, label))
    })
}

/// The legend: what the signs of this picture mean.
fn legend(graph: &Graph, layout: &GraphLayout) -> String {
    let event = graph.event.as_ref().map(|event| format!("\"…\": what {event} is"));
    let signs = [
        (graph.nodes.iter().any(|node| node.accepting), "two rings: a trace may end here"),
        (graph.has_mark(Mark::Satisfied), "green: satisfied for good"),
        (graph.has_mark(Mark::Violated), "red: violated for good"),
        (graph.has_impossible, "not drawn: a variable with two values at once"),
        (layout.has_numbers, "⟨1⟩, ⟨2⟩: labels that differ where they are cut, see their tooltips"),
    ];
    let present = signs.into_iter().filter(|(present, _)| *present).map(|(_, sign)| sign.to_owned());
    present.chain(event).collect::<Vec<String>>().join("  ·  ")
}

/// Writes an arrow of a class, with a head of that name.
pub(crate) fn write_arrow(out: &mut String, arrow: &GraphArrow, title: &str, [class, head]: [&str; 2]) -> fmt::Result {
    write!(out, "    <g class=\"{class}\"><title>{}</title>", escaped(title))?;
    write!(out, "<path marker-end=\"url(#{head})\" d=\"M{:.1} {:.1}", arrow.from.x, arrow.from.y)?;
    for [one, two, end] in &arrow.curves {
        write!(out, " C{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}", one.x, one.y, two.x, two.y, end.x, end.y)?;
    }
    writeln!(out, "\"/></g>")
}

fn write_label(out: &mut String, label: &ArrowLabel) -> fmt::Result {
    let RoundedBox { centre, width, height, .. } = label.shape;
    let (left, top) = (centre.x - width / 2.0, centre.y - height / 2.0);
    writeln!(out, "    <g class=\"arrow\">")?;
    writeln!(out, "      <rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"/>")?;
    for (index, line) in label.lines.iter().enumerate() {
        let y = top + (index as f64 + 0.78) * LINE;
        writeln!(out, "      <text x=\"{:.1}\" y=\"{y:.1}\">{}</text>", centre.x, escaped(line))?;
    }
    writeln!(out, "    </g>")
}

/// Writes the arrow into the node where everything begins.
pub(crate) fn write_entry(out: &mut String, start: &RoundedBox) -> fmt::Result {
    let (x, y) = (start.centre.x - start.width / 2.0, start.centre.y);
    writeln!(out, "    <path class=\"entry\" marker-end=\"url(#head)\" d=\"M{:.1} {y:.1} L{x:.1} {y:.1}\"/>", x - ENTRY)
}

fn write_state(out: &mut String, node: &GraphNode, shape: &RoundedBox, lines: &[String]) -> fmt::Result {
    let class = match node.mark {
        None => "state",
        Some(Mark::Satisfied) => "state satisfied",
        Some(Mark::Violated) => "state violated",
    };
    let (name, tooltip) = (escaped(&node.name), escaped(&node.tooltip));
    writeln!(out, "    <g class=\"{class}\"><title>{name}: {tooltip}</title>")?;
    write!(out, "      ")?;
    write_outline(out, shape, 0.0, "")?;
    if node.accepting {
        write_outline(out, shape, 3.5, " class=\"ring\"")?;
    }
    let lines: Vec<&String> = lines.iter().filter(|line| !line.is_empty()).collect();
    let x = shape.centre.x;
    let mut y = shape.centre.y + 4.5 - 7.5 * lines.len() as f64;
    writeln!(out, "\n      <text class=\"name\" x=\"{x:.1}\" y=\"{y:.1}\">{name}</text>")?;
    for line in lines {
        y += 15.0;
        writeln!(out, "      <text x=\"{x:.1}\" y=\"{y:.1}\">{}</text>", escaped(line))?;
    }
    writeln!(out, "    </g>")
}
