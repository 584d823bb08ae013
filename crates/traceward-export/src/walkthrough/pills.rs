//! Sets, values and states as small boxes in rows.

use super::{Block, LETTER, NODE_HEIGHT};
use crate::frame::{escaped, write_outline};
use crate::layers::{Outline, Point, RoundedBox, shortened};
use std::fmt::{self, Write};
use traceward::report::{HeldSet, HeldState};

/// The width behind which a row is full.
const WIDEST_ROW: f64 = 900.0;
/// The number of letters in a box.
const LONGEST: usize = 120;
const GAP: f64 = 8.0;

/// A small box with a text in it.
pub(super) struct Pill {
    pub(super) text: String,
    pub(super) class: &'static str,
    pub(super) ring: Ring,
}

/// The rings round a box.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ring {
    One,
    /// The trace may end here.
    Two,
}

impl Ring {
    fn of(is_accepting: bool) -> Self {
        if is_accepting { Self::Two } else { Self::One }
    }
}

/// A set: its asterisk is drawn as a second ring.
pub(super) fn of_set(set: &HeldSet) -> Pill {
    let text = HeldSet { is_accepting: false, ..set.clone() }.to_string();
    Pill { text, class: "held", ring: Ring::of(set.is_accepting) }
}

pub(super) fn of_state(state: &HeldState) -> Pill {
    let text = HeldState { is_accepting: false, ..state.clone() }.to_string();
    Pill { text, class: "held", ring: Ring::of(state.is_accepting) }
}

pub(super) fn of_value((name, value): &(String, bool)) -> Pill {
    Pill { text: name.clone(), class: class_of(Some(*value)), ring: Ring::One }
}

/// The class of something with a value, by which it has its colour.
pub(super) fn class_of(value: Option<bool>) -> &'static str {
    match value {
        Some(true) => "held true",
        Some(false) => "held false",
        None => "held",
    }
}

/// The width of a box for a text.
pub(super) fn width(text: &str) -> f64 {
    (text.chars().count() as f64 * LETTER + 20.0).max(NODE_HEIGHT)
}

/// Boxes in rows, as many in a row as there is room for.
pub(super) fn flowing(pills: impl Iterator<Item = Pill>) -> Result<Block, fmt::Error> {
    rows(pills, WIDEST_ROW)
}

/// Boxes with one in a row.
pub(super) fn one_below_the_other(pills: impl Iterator<Item = Pill>) -> Result<Block, fmt::Error> {
    rows(pills, 0.0)
}

fn rows(pills: impl Iterator<Item = Pill>, widest: f64) -> Result<Block, fmt::Error> {
    let (mut svg, mut x, mut y, mut right) = (String::new(), 0.0, 0.0, 0.0_f64);
    for mut pill in pills {
        pill.text = shortened(&pill.text, LONGEST);
        let width = width(&pill.text);
        if x > 0.0 && x + width > widest {
            (x, y) = (0.0, y + NODE_HEIGHT + GAP);
        }
        let centre = Point { x: x + width / 2.0, y: y + NODE_HEIGHT / 2.0 };
        let shape = RoundedBox { centre, width, height: NODE_HEIGHT, outline: Outline::Square };
        write_pill(&mut svg, &pill, &shape)?;
        right = right.max(x + width);
        x += width + GAP;
    }
    if svg.is_empty() {
        svg = "    <text class=\"stage\" x=\"0\" y=\"16\">none</text>\n".to_owned();
    }
    Ok(Block { width: right, height: y + NODE_HEIGHT, svg })
}

/// Writes a box with its text.
pub(super) fn write_pill(out: &mut String, Pill { text, class, ring }: &Pill, shape: &RoundedBox) -> fmt::Result {
    write!(out, "    <g class=\"{class}\">")?;
    write_outline(out, shape, 0.0, "")?;
    if *ring == Ring::Two {
        write_outline(out, shape, 2.5, " class=\"ring\"")?;
    }
    writeln!(out, "<text x=\"{:.1}\" y=\"{:.1}\">{}</text></g>", shape.centre.x, shape.centre.y + 4.0, escaped(text))
}
