//! The frame of every picture: a heading with the formula, a legend, arrow heads and the common
//! style.

use crate::layers::{RoundedBox, shortened};
use std::fmt::{self, Write};

const HEADING: f64 = 34.0;
const FOOTER: f64 = 22.0;
/// The width of a letter of the heading.
const LETTER: f64 = 8.0;
const NARROWEST: f64 = 260.0;
const WIDEST_HEADING: f64 = 900.0;

const STYLE: &str = "    text { font-family: sans-serif; font-size: 12px; fill: #1b1f24; text-anchor: middle }
    .heading { font-size: 14px; text-anchor: start }
    .legend { font-size: 11px; fill: #57606a; text-anchor: start }
    .name { font-weight: bold; font-size: 13px }
";

/// The frame of a picture.
pub(crate) struct Frame<'a> {
    /// The heading.
    pub(crate) formula: &'a str,
    /// The legend: what the signs mean.
    pub(crate) legend: String,
    /// Width and height of what is drawn.
    pub(crate) size: [f64; 2],
    /// Style rules beside the common ones.
    pub(crate) style: &'a str,
    /// Names and colours of arrow heads.
    pub(crate) heads: &'a [(&'a str, &'a str)],
}

impl Frame<'_> {
    /// Writes a picture; `content` draws what is inside.
    pub(crate) fn write(&self, out: &mut String, content: impl FnOnce(&mut String) -> fmt::Result) -> fmt::Result {
        let legend_width = self.legend.chars().count() as f64 * 5.6 + 40.0;
        let width = self.size[0].max(legend_width).max(heading_width(self.formula));
        let height = self.size[1] + HEADING + FOOTER;
        writeln!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
             width=\"{width:.0}\" height=\"{height:.0}\">"
        )?;
        writeln!(out, "  <title>{}</title>", escaped(self.formula))?;
        writeln!(out, "  <style>\n{STYLE}{}  </style>", self.style)?;
        writeln!(out, "  <defs>")?;
        self.heads.iter().try_for_each(|(id, colour)| write_arrow_head(out, id, colour))?;
        writeln!(out, "  </defs>")?;
        writeln!(out, "  <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>")?;
        let heading = shortened(self.formula, ((width - 40.0) / LETTER) as usize);
        writeln!(out, "  <text class=\"heading\" x=\"20\" y=\"26\">{}</text>", escaped(&heading))?;
        writeln!(out, "  <g transform=\"translate({:.1} {HEADING})\">", (width - self.size[0]) / 2.0)?;
        content(out)?;
        writeln!(out, "  </g>")?;
        writeln!(out, "  <text class=\"legend\" x=\"20\" y=\"{:.1}\">{}</text>", height - 12.0, escaped(&self.legend))?;
        writeln!(out, "</svg>")
    }
}

/// The width that a picture needs for its heading, which is shortened if that is too much.
pub(crate) fn heading_width(heading: &str) -> f64 {
    (heading.chars().count() as f64 * LETTER + 40.0).clamp(NARROWEST, WIDEST_HEADING)
}

/// Text for XML 1.0, which has no control characters, not even escaped.
pub(crate) fn escaped(text: &str) -> String {
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

fn write_arrow_head(out: &mut String, id: &str, colour: &str) -> fmt::Result {
    writeln!(
        out,
        "    <marker id=\"{id}\" viewBox=\"0 0 10 10\" refX=\"9.5\" refY=\"5\" markerWidth=\"9\" markerHeight=\"9\" \
         markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path d=\"M0 1 L10 5 L0 9 z\" fill=\"{colour}\"/></marker>"
    )
}

/// Writes the outline of a node, smaller by `inset` on each side; `attributes` begin with a blank.
pub(crate) fn write_outline(out: &mut String, shape: &RoundedBox, inset: f64, attributes: &str) -> fmt::Result {
    let (width, height) = (shape.width - 2.0 * inset, shape.height - 2.0 * inset);
    let (x, y) = (shape.centre.x - width / 2.0, shape.centre.y - height / 2.0);
    let corner = shape.corner() - inset;
    write!(
        out,
        "<rect{attributes} x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"{corner:.1}\"/>"
    )
}
