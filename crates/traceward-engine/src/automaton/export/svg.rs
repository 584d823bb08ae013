//! A picture that needs no other program: an arc joins the arrows of a conjunction, accepting nodes have an asterisk
//! and two rings, and arrows to the previous position are dashed.

use super::layers::{Shape, shortened};
use super::layout::{Arc, Arrow, DrawnBundle, Layout, layout};
use super::{Diagram, DiagramNode};
use std::fmt::{self, Write};

const HEADING: f64 = 34.0;
const FOOTER: f64 = 22.0;
/// Room that a letter of the heading takes.
const LETTER: f64 = 8.0;
const NARROWEST: f64 = 260.0;
const WIDEST_HEADING: f64 = 900.0;

const STYLE: &str = "    text { font-family: sans-serif; font-size: 12px; fill: #1b1f24; text-anchor: middle }
    .heading { font-size: 14px; text-anchor: start }
    .legend { font-size: 11px; fill: #57606a; text-anchor: start }
    .name { font-weight: bold; font-size: 13px }
    .node rect { fill: #ffffff; stroke: #1b1f24; stroke-width: 1.3 }
    .leaf rect { fill: #eef3fa }
    .node .ring { fill: none; stroke-width: 1 }
    .bundle path { fill: none; stroke: #3d4752; stroke-width: 1.2 }
    .bundle.back path { stroke: #a8480b; stroke-dasharray: 5 3 }
    .bundle .arc, .bundle.back .arc { stroke-width: 1.8; stroke-linecap: round; stroke-dasharray: none }
    .bundle:hover path { stroke-width: 2.6 }
";

/// The diagram as a picture.
pub fn svg(diagram: &Diagram) -> String {
    let mut text = String::new();
    write_picture(diagram, &layout(diagram), &mut text).expect("writing to a string cannot fail");
    text
}

fn write_picture(diagram: &Diagram, layout: &Layout, out: &mut String) -> fmt::Result {
    let legend = legend(diagram);
    let heading_width = (diagram.formula.chars().count() as f64 * LETTER + 40.0).clamp(NARROWEST, WIDEST_HEADING);
    let width = layout.width.max(legend.chars().count() as f64 * 5.6 + 40.0).max(heading_width);
    let height = layout.height + HEADING + FOOTER;
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
         width=\"{width:.0}\" height=\"{height:.0}\">"
    )?;
    writeln!(out, "  <title>{}</title>", escaped(&diagram.formula))?;
    writeln!(out, "  <style>\n{STYLE}  </style>")?;
    writeln!(out, "  <defs>")?;
    write_arrow_head(out, "head", "#3d4752")?;
    write_arrow_head(out, "back-head", "#a8480b")?;
    writeln!(out, "  </defs>")?;
    writeln!(out, "  <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>")?;
    let heading = shortened(&diagram.formula, ((width - 40.0) / LETTER) as usize);
    writeln!(out, "  <text class=\"heading\" x=\"20\" y=\"26\">{}</text>", escaped(&heading))?;
    writeln!(out, "  <g transform=\"translate({:.1} {HEADING})\">", (width - layout.width) / 2.0)?;
    layout.bundles.iter().try_for_each(|bundle| write_bundle(out, bundle))?;
    write_start(out, &layout.start)?;
    for (node, (shape, lines)) in diagram.nodes.iter().zip(&layout.nodes) {
        write_node(out, node, shape, lines)?;
    }
    writeln!(out, "  </g>")?;
    writeln!(out, "  <text class=\"legend\" x=\"20\" y=\"{:.1}\">{legend}</text>", height - 12.0)?;
    writeln!(out, "</svg>")
}

/// What the signs of this picture mean.
fn legend(diagram: &Diagram) -> String {
    let signs = [
        (diagram.accepting() > 0, "* a path may end here"),
        (diagram.has_conjunctions(), "arc: all its arrows together"),
        (diagram.looks_back(), "dashed: to the previous position"),
    ];
    let present: Vec<&str> = signs.into_iter().filter(|(present, _)| *present).map(|(_, sign)| sign).collect();
    present.join("  ·  ")
}

pub(super) fn write_arrow_head(out: &mut String, id: &str, colour: &str) -> fmt::Result {
    writeln!(
        out,
        "    <marker id=\"{id}\" viewBox=\"0 0 10 10\" refX=\"9.5\" refY=\"5\" markerWidth=\"9\" markerHeight=\"9\" \
         markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path d=\"M0 1 L10 5 L0 9 z\" fill=\"{colour}\"/></marker>"
    )
}

fn write_bundle(out: &mut String, bundle: &DrawnBundle) -> fmt::Result {
    let (class, head) = if bundle.back { ("bundle back", "back-head") } else { ("bundle", "head") };
    writeln!(out, "    <g class=\"{class}\"><title>{}</title>", bundle.title)?;
    bundle.arrows.iter().try_for_each(|arrow| write_arrow(out, arrow, head))?;
    bundle.arc.iter().try_for_each(|arc| write_arc(out, arc))?;
    writeln!(out, "    </g>")
}

fn write_arrow(out: &mut String, arrow: &Arrow, head: &str) -> fmt::Result {
    write!(out, "      <path marker-end=\"url(#{head})\" d=\"M{:.1} {:.1}", arrow.from.x, arrow.from.y)?;
    if arrow.fan.x > arrow.from.x {
        write!(out, " L{:.1} {:.1}", arrow.fan.x, arrow.fan.y)?;
    }
    for [one, two, end] in &arrow.curves {
        write!(out, " C{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}", one.x, one.y, two.x, two.y, end.x, end.y)?;
    }
    writeln!(out, "\"/>")
}

fn write_arc(out: &mut String, arc: &Arc) -> fmt::Result {
    let Arc { from, to, radius } = arc;
    writeln!(
        out,
        "      <path class=\"arc\" d=\"M{:.1} {:.1} A{radius} {radius} 0 0 1 {:.1} {:.1}\"/>",
        from.x, from.y, to.x, to.y
    )
}

fn write_start(out: &mut String, shape: &Shape) -> fmt::Result {
    write!(out, "    <g><title>start</title>")?;
    write_outline(out, shape, 0.0, " fill=\"#1b1f24\"")?;
    writeln!(out, "</g>")
}

fn write_node(out: &mut String, node: &DiagramNode, shape: &Shape, lines: &[String]) -> fmt::Result {
    let is_leaf = node.next.iter().all(Vec::is_empty);
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

pub(super) fn write_outline(out: &mut String, shape: &Shape, inset: f64, attributes: &str) -> fmt::Result {
    let (width, height) = (shape.width - 2.0 * inset, shape.height - 2.0 * inset);
    let (x, y) = (shape.centre.x - width / 2.0, shape.centre.y - height / 2.0);
    let corner = shape.corner() - inset;
    write!(
        out,
        "<rect{attributes} x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"{corner:.1}\"/>"
    )
}

/// Text for XML 1.0, which has no control characters, not even escaped.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\t' | '\n' | '\r' => escaped.push(' '),
            letter if letter.is_control() || matches!(letter, '\u{FFFE}' | '\u{FFFF}') => escaped.push('\u{FFFD}'),
            letter => escaped.push(letter),
        }
    }
    escaped
}
