//! Numbers as bars.

use super::markup::{Element, isolated};

/// A bar with what it stands for.
pub struct Bar {
    /// What it is a bar of.
    pub label: String,
    /// How long it is, from 0 to 1.
    pub size: f64,
    /// Its number, as text.
    pub text: String,
}

/// Bars below each other.
pub fn table(caption: &str, bars: impl IntoIterator<Item = Bar>) -> Element {
    let row = |Bar { label, size, text }: Bar| {
        let drawn = Element::new("rect").attribute("width", permille(size)).attribute("height", 10);
        Element::new("tr")
            .with(Element::new("th").attribute("scope", "row").with(isolated(&label).attribute("title", &label)))
            .with(Element::new("td").with(picture("").with(drawn)))
            .with(Element::new("td").text(text))
    };
    let caption = Element::new("caption").class("hidden").text(caption);
    Element::new("table").class("bars").with(caption).with(Element::new("tbody").all(bars.into_iter().map(row)))
}

/// How many keys have each verdict, as parts of one bar: the class of each, its word and its count.
pub fn share(counts: &[(&'static str, &str, usize)], said: &str) -> Element {
    let all: usize = counts.iter().map(|(_, _, count)| count).sum();
    let mut from = 0;
    let parts = counts.iter().filter(|(_, _, count)| *count > 0).map(|(class, word, count)| {
        let part = |count: usize| permille(count as f64 / all.max(1) as f64);
        let drawn = Element::new("rect").class(class).attribute("x", part(from)).attribute("height", 10);
        from += count;
        let title = Element::new("title").text(format!("{count} {word}"));
        drawn.attribute("width", part(*count)).with(title)
    });
    picture("share").attribute("role", "img").attribute("aria-label", said).all(parts)
}

/// A drawing of any width, a thousand units wide.
fn picture(class: &'static str) -> Element {
    let picture = Element::new("svg").attribute("viewBox", "0 0 1000 10").attribute("preserveAspectRatio", "none");
    if class.is_empty() { picture.attribute("aria-hidden", "true") } else { picture.class(class) }
}

fn permille(part: f64) -> f64 {
    (part.clamp(0.0, 1.0) * 1e4).round() / 10.0
}
