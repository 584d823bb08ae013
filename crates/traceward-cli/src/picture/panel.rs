//! A panel: a frame with two axes.

use super::scale::{Axis, Tick};
use crate::page::markup::Element;
use traceward::report::Measure;

/// The width of a picture.
pub const WIDTH: f64 = 880.0;

/// The left edge of what is drawn; labels stand before it.
pub const LEFT: f64 = 100.0;

/// The width of what is drawn.
pub const INNER: f64 = 750.0;

/// The room above what is drawn, for a title.
const TOP: f64 = 26.0;

/// The room below, for labels.
const BOTTOM: f64 = 34.0;

/// A part of a picture.
pub struct Panel {
    /// What is drawn.
    pub drawn: Element,
    /// Its height.
    pub height: f64,
}

impl Panel {
    /// A panel that says why there is nothing to see.
    pub fn note(text: &str) -> Self {
        let text = crate::page::markup::shown(text, 130);
        let text = Element::new("text").class("soft").attribute("x", 20).attribute("y", 20).text(text);
        Self { drawn: Element::new("g").with(text), height: 36.0 }
    }

    /// A panel with a title, so high inside, and what is in it.
    pub fn new(title: &str, inner: f64, elements: impl IntoIterator<Item = Element>) -> Self {
        let title = Element::new("text").class("soft").attribute("x", LEFT).attribute("y", 16).text(title);
        let inside = Element::new("g").attribute("transform", format_args!("translate({LEFT} {TOP})")).all(elements);
        Self { drawn: Element::new("g").with(title).with(inside), height: TOP + inner + BOTTOM }
    }
}

/// Lines across a panel with their labels at the left.
pub fn across(axis: &Axis, measure: &Measure, wanted: usize, inner: f64) -> Vec<Element> {
    let line = |Tick { place, label }: Tick| {
        let y = tenth(inner * (1.0 - place));
        let line = line("grid", (0.0, y), (INNER, y));
        let text = Element::new("text").class("soft end").attribute("x", -8).attribute("y", y + 4.0).text(label);
        Element::new("g").with(line).with(text)
    };
    axis.ticks(measure, wanted).into_iter().map(line).collect()
}

/// Marks with their labels below a panel.
pub fn below(axis: &Axis, measure: &Measure, wanted: usize, inner: f64) -> Vec<Element> {
    let mark = |Tick { place, label }: Tick| {
        let x = tenth(INNER * place);
        let mark = line("axis", (x, inner), (x, inner + 5.0));
        let text = Element::new("text").class("soft middle").attribute("x", x).attribute("y", inner + 18.0).text(label);
        Element::new("g").with(mark).with(text)
    };
    let base = line("axis", (0.0, inner), (INNER, inner));
    [base].into_iter().chain(axis.ticks(measure, wanted).into_iter().map(mark)).collect()
}

/// A straight line.
pub fn line(class: &str, from: (f64, f64), to: (f64, f64)) -> Element {
    Element::new("line")
        .class(class)
        .attribute("x1", from.0)
        .attribute("y1", from.1)
        .attribute("x2", to.0)
        .attribute("y2", to.1)
}

/// A rectangle with a text that a pointer brings up.
pub fn rectangle(class: &str, corner: (f64, f64), size: (f64, f64), said: &str) -> Element {
    Element::new("rect")
        .class(class)
        .attribute("x", tenth(corner.0))
        .attribute("y", tenth(corner.1))
        .attribute("width", tenth(size.0))
        .attribute("height", tenth(size.1))
        .with(Element::new("title").text(said))
}

/// A number with one digit behind the point: more are not seen.
pub fn tenth(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}
