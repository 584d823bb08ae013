//! A picture that needs no other program: an arc joins the arrows of a conjunction, accepting nodes
//! have an asterisk and two rings, and arrows to the previous position are dashed. Of metric
//! automata, accepting nodes are rounded squares and the others circles, as in the thesis.

use super::layout::{Arc, Caption, DrawnBundle, SketchArrow, SketchLayout, layout};
use super::{Sketch, SketchKind, SketchNode};
use crate::frame::{Frame, escaped, write_outline};
use crate::layers::RoundedBox;
use std::fmt::{self, Write};
use traceward_logic::formula::Unit;

const STYLE: &str = "    .node rect { fill: #ffffff; stroke: #1b1f24; stroke-width: 1.3 }
    .leaf rect { fill: #eef3fa }
    .node .ring { fill: none; stroke-width: 1 }
    .bundle path { fill: none; stroke: #3d4752; stroke-width: 1.2 }
    .bundle.back path { stroke: #a8480b; stroke-dasharray: 5 3 }
    .bundle .arc, .bundle.back .arc { stroke-width: 1.8; stroke-linecap: round; stroke-dasharray: none }
    .bundle:hover path { stroke-width: 2.6 }
";

const CAPTION_STYLE: &str = "    .caption rect { fill: #ffffff }
    .caption text { font-size: 11px; fill: #7a3e9d }
";

/// The sketch as a picture.
pub fn svg(sketch: &Sketch) -> String {
    let mut text = String::new();
    write_picture(sketch, &layout(sketch), &mut text).expect("writing to a string cannot fail");
    text
}

fn write_picture(sketch: &Sketch, layout: &SketchLayout, out: &mut String) -> fmt::Result {
    let style = if sketch.has_captions() { [STYLE, CAPTION_STYLE].concat() } else { STYLE.to_owned() };
    let frame = Frame {
        formula: &sketch.formula,
        legend: legend(sketch),
        size: [layout.width, layout.height],
        style: &style,
        heads: &[("head", "#3d4752"), ("back-head", "#a8480b")],
    };
    frame.write(out, |out| {
        layout.bundles.iter().try_for_each(|bundle| write_bundle(out, bundle))?;
        let captions =
            layout.bundles.iter().flat_map(|bundle| &bundle.arrows).filter_map(|arrow| arrow.caption.as_ref());
        captions.into_iter().try_for_each(|caption| write_caption(out, caption))?;
        write_start(out, &layout.start)?;
        let mut nodes = sketch.nodes.iter().zip(&layout.nodes);
        nodes.try_for_each(|(node, (shape, lines))| write_node(out, node, shape, lines))
    })
}

/// The legend: what the signs of this picture mean.
fn legend(sketch: &Sketch) -> String {
    let accepting = match sketch.kind {
        SketchKind::Alternating => "* a path may end here",
        SketchKind::Metric => "* in a square: a path may end here",
    };
    let signs = [
        (sketch.accepting() > 0, accepting),
        (sketch.has_conjunctions(), "arc: all its arrows together"),
        (sketch.looks_back(), "dashed: to the previous position"),
        (sketch.counts(Unit::Steps), "t := 4 sets a clock, t-- counts it down"),
        (sketch.counts(Unit::Time), "t := 4s sets a clock, t -= Δ takes off the time between two states"),
    ];
    let present: Vec<&str> = signs.into_iter().filter(|(present, _)| *present).map(|(_, sign)| sign).collect();
    present.join("  ·  ")
}

fn write_bundle(out: &mut String, bundle: &DrawnBundle) -> fmt::Result {
    let (class, head) = if bundle.back { ("bundle back", "back-head") } else { ("bundle", "head") };
    writeln!(out, "    <g class=\"{class}\"><title>{}</title>", bundle.title)?;
    bundle.arrows.iter().try_for_each(|arrow| write_arrow(out, arrow, head))?;
    bundle.arc.iter().try_for_each(|arc| write_arc(out, arc))?;
    writeln!(out, "    </g>")
}

fn write_arrow(out: &mut String, arrow: &SketchArrow, head: &str) -> fmt::Result {
    write!(out, "      <path marker-end=\"url(#{head})\" d=\"M{:.1} {:.1}", arrow.from.x, arrow.from.y)?;
    if arrow.fan.x > arrow.from.x {
        write!(out, " L{:.1} {:.1}", arrow.fan.x, arrow.fan.y)?;
    }
    for [one, two, end] in &arrow.curves {
        write!(out, " C{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}", one.x, one.y, two.x, two.y, end.x, end.y)?;
    }
    writeln!(out, "\"/>")
}

/// Writes the text on an arrow, which interrupts the arrow.
fn write_caption(out: &mut String, caption: &Caption) -> fmt::Result {
    let RoundedBox { centre, width, height, .. } = caption.shape;
    let (x, y) = (centre.x - width / 2.0, centre.y - height / 2.0);
    write!(out, "    <g class=\"caption\">")?;
    write!(out, "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"/>")?;
    writeln!(out, "<text x=\"{:.1}\" y=\"{:.1}\">{}</text></g>", centre.x, centre.y + 4.0, escaped(&caption.text))
}

fn write_arc(out: &mut String, arc: &Arc) -> fmt::Result {
    let Arc { from, to, radius } = arc;
    writeln!(
        out,
        "      <path class=\"arc\" d=\"M{:.1} {:.1} A{radius} {radius} 0 0 1 {:.1} {:.1}\"/>",
        from.x, from.y, to.x, to.y
    )
}

fn write_start(out: &mut String, shape: &RoundedBox) -> fmt::Result {
    write!(out, "    <g><title>start</title>")?;
    write_outline(out, shape, 0.0, " fill=\"#1b1f24\"")?;
    writeln!(out, "</g>")
}

fn write_node(out: &mut String, node: &SketchNode, shape: &RoundedBox, lines: &[String]) -> fmt::Result {
    let is_leaf = node.clock.is_none() && node.next.iter().all(Vec::is_empty);
    let class = if is_leaf { "node leaf" } else { "node" };
    writeln!(out, "    <g class=\"{class}\"><title>{}: {}</title>", node.id, escaped(&node.formula))?;
    write!(out, "      ")?;
    write_outline(out, shape, 0.0, "")?;
    if node.accepting {
        write_outline(out, shape, 3.5, " class=\"ring\"")?;
    }
    let (x, star) = (shape.centre.x, if node.accepting { "*" } else { "" });
    let mut y = shape.centre.y - 4.0 - 7.5 * (lines.len() as f64 - 1.0);
    writeln!(out, "\n      <text class=\"name\" x=\"{x:.1}\" y=\"{y:.1}\">{}{star}</text>", node.id)?;
    for line in lines {
        y += 15.0;
        writeln!(out, "      <text x=\"{x:.1}\" y=\"{y:.1}\">{}</text>", escaped(line))?;
    }
    writeln!(out, "    </g>")
}
