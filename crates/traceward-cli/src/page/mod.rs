//! The answer as a page to look at: one file that needs nothing else.
//!
//! What is said is the program's own wording (`text`), in elements that escape it. What is drawn,
//! timelines and the table of keys, stands in the page as data, and a script draws as much of it as
//! is seen. A page grows with what is shown of a trace and with its keys, never with its states.
//!
//! The style and the script are texts of the program. The page's policy names their digests, so a
//! browser runs these and nothing else, and fetches nothing.

mod bars;
mod digest;
mod experiment;
mod keys;
pub mod markup;
mod property;
mod query;
mod timeline;

use crate::failure::Failure;
use crate::{input, text};
use keys::KeysData;
use markup::{Element, data, isolated};
use serde::Serialize;
use std::path::Path;
use timeline::TimelineData;
use traceward::Report;
use traceward::report::Warning;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// The largest number of timelines for a trace: a page is looked at by people.
pub const MOST_TIMELINES: usize = 100;

/// A page in the making.
#[derive(Default)]
pub struct Page {
    parts: Vec<Element>,
    tally: Tally,
}

/// The counts that the head of a page tells.
#[derive(Default)]
struct Tally {
    traces: Vec<String>,
    /// The verdict on each property, on each trace; by its words.
    verdicts: Vec<String>,
    /// The number of traces without an answer.
    failed: usize,
}

/// What the script draws of a trace.
#[derive(Default, Serialize)]
struct Data {
    timelines: Vec<TimelineData>,
    keys: Option<KeysData>,
}

/// A trace on the page: its number, its report, and what is drawn of it.
struct Drawing<'a> {
    number: usize,
    report: &'a Report,
    data: Data,
}

impl Drawing<'_> {
    /// The name of the block that has the trace's data.
    fn block(&self) -> String {
        format!("data-{}", self.number)
    }

    /// The id of a property or query.
    fn id(&self, kind: &str, index: usize) -> String {
        format!("trace-{}-{kind}-{}", self.number, index + 1)
    }
}

impl Page {
    /// Adds a part about a trace.
    pub fn add(&mut self, path: &Path, result: Result<&Report, &Failure>) {
        let number = self.parts.len() + 1;
        self.tally.traces.push(input::name(path));
        let part = Element::new("section").attribute("aria-labelledby", format!("trace-{number}"));
        let heading = Element::new("h2").attribute("id", format!("trace-{number}")).with(isolated(input::name(path)));
        let part = part.with(heading);
        self.parts.push(match result {
            Ok(report) => {
                self.tally.verdicts.extend(report.properties.iter().map(property::verdict_text));
                self.tally.failed += usize::from(report.is_unanswered());
                answered(part, number, report)
            }
            Err(failure) => {
                self.tally.failed += 1;
                part.with(failed(failure))
            }
        });
    }

    /// The page as text.
    pub fn finish(self) -> String {
        let Self { parts, tally } = self;
        let extent = Element::new("p").class("soft").text(tally.extent());
        let extent = (tally.traces.len() > 1).then_some(extent);
        let header = Element::new("header").with(Element::new("h1").text(tally.headline())).all(extent);
        let script = "Timelines and the table of keys are drawn by a script, which this browser does not run.";
        let body = Element::new("body")
            .with(Element::new("a").class("skip").attribute("href", "#answers").text("Skip to the answers"))
            .with(header)
            .with(Element::new("noscript").with(Element::new("p").class("note").text(script)))
            .with(Element::new("main").attribute("id", "answers").all(parts))
            .with(Element::new("footer").text(format!("Traceward {}", env!("CARGO_PKG_VERSION"))))
            .with(Element::new("script").verbatim(SCRIPT));
        let mut page = String::from("<!doctype html>\n");
        Element::new("html").attribute("lang", "en").with(tally.head()).with(body).write(&mut page);
        page.push('\n');
        page
    }
}

impl Tally {
    /// The most important thing, in a line.
    fn headline(&self) -> String {
        let failed = match (self.failed, self.traces.len()) {
            (0, _) => None,
            (_, 1) => Some("The question could not be answered".to_owned()),
            (some, all) => Some(format!("{some} of {all} traces could not be answered for")),
        };
        let verdicts = match &self.verdicts[..] {
            [] => None,
            [only] => Some(format!("The property is {only}")),
            several => Some(counted_verdicts(several)),
        };
        let said: Vec<String> = failed.into_iter().chain(verdicts).collect();
        if said.is_empty() { "What was measured".to_owned() } else { said.join("; ") }
    }

    fn extent(&self) -> String {
        match &self.traces[..] {
            [one] => one.clone(),
            several => text::counted(several.len(), "trace"),
        }
    }

    fn head(&self) -> Element {
        let (style, script) = (digest::source(STYLE), digest::source(SCRIPT));
        let policy =
            format!("default-src 'none'; style-src {style}; script-src {script}; base-uri 'none'; form-action 'none'");
        let meta = |name: &'static str, value: &'static str, content: &str| {
            Element::new("meta").attribute(name, value).attribute("content", content)
        };
        Element::new("head")
            .with(Element::new("meta").attribute("charset", "utf-8"))
            .with(Element::new("meta").attribute("http-equiv", "Content-Security-Policy").attribute("content", policy))
            .with(meta("name", "viewport", "width=device-width, initial-scale=1"))
            .with(meta("name", "color-scheme", "light dark"))
            .with(meta("name", "referrer", "no-referrer"))
            .with(Element::new("title").text(format!("{} – {} – Traceward", self.headline(), self.extent())))
            .with(Element::new("style").verbatim(STYLE))
    }
}

/// How many verdicts are which: always how many are violated, and the others where there are any.
fn counted_verdicts(verdicts: &[String]) -> String {
    let count = |word: &str| verdicts.iter().filter(|one| *one == word).count();
    let others = ["pending", "holding", "satisfied, vacuously"].into_iter().filter(|word| count(word) > 0);
    let others: String = others.map(|word| format!(", {} {word}", count(word))).collect();
    format!("{} of {} properties violated{others}", count("violated"), verdicts.len())
}

/// The part about a trace that could not be answered for.
fn failed(failure: &Failure) -> Element {
    let heading = Element::new("h3").with(property::badge("failed", "✗", "no answer"));
    Element::new("div").class("card").with(heading).with(Element::new("pre").lines(&failure.text()))
}

/// The part about a trace with an answer.
fn answered(part: Element, number: usize, report: &Report) -> Element {
    let mut drawing = Drawing { number, report, data: Data::default() };
    let part = part.with(Element::new("p").class("soft").text(text::extent(report)));
    let asides = report.trace.notes.iter().filter(|note| !text::is_about_the_answer(note)).map(ToString::to_string);
    let notes = text::notes(report).into_iter().chain(asides);
    let part = part.all(notes.map(|note| Element::new("p").class("note").text(note)));
    let general = report.warnings.iter().filter(|warning| warning.about.is_none());
    let part = part.all(general.map(warning)).all(summary(&drawing));
    let properties: Vec<Element> =
        report.properties.iter().enumerate().map(|(index, one)| property::card(&mut drawing, index, one)).collect();
    let queries = report.queries.iter().enumerate().map(|(index, one)| query::card(&drawing, index, one));
    let part = part.all(properties).all(queries).all(table(report));
    drawing.data.keys = KeysData::of(&drawing);
    let keys = drawing.data.keys.as_ref().map(|found| keys::card(&drawing, found));
    let block = Element::new("script").attribute("type", "application/json").attribute("id", drawing.block());
    part.all(keys).with(block.verbatim(&data(&drawing.data)))
}

/// The verdicts of several properties at a glance.
fn summary(drawing: &Drawing<'_>) -> Option<Element> {
    let properties = &drawing.report.properties;
    let row = |(index, one): (usize, &traceward::PropertyReport)| {
        let link = Element::new("a").attribute("href", format!("#{}", drawing.id("property", index)));
        Element::new("tr")
            .with(Element::new("td").with(property::verdict(one)))
            .with(Element::new("th").attribute("scope", "row").with(link.with(isolated(&one.name))))
            .with(Element::new("td").with(Element::new("code").with(isolated(one.formula.replace('\n', " ")))))
    };
    let heads = ["verdict", "property", "formula"].map(|head| Element::new("th").attribute("scope", "col").text(head));
    let table = Element::new("table")
        .class("list")
        .with(Element::new("caption").class("hidden").text("The verdicts of all properties"))
        .with(Element::new("thead").with(Element::new("tr").all(heads)))
        .with(Element::new("tbody").all(properties.iter().enumerate().map(row)));
    (properties.len() > 1).then(|| Element::new("div").class("card").with(table))
}

/// A probable mistake.
fn warning(warning: &Warning) -> Element {
    let severity = if text::is_a_note(&warning.kind) { "Note" } else { "Warning" };
    Element::new("p").class("note").with(Element::new("strong").text(severity)).text(format!(": {}", warning.kind))
}

/// The table of an automaton, if it was asked for.
fn table(report: &Report) -> Option<Element> {
    let table = report.trace.table.as_ref()?;
    let heading = Element::new("h3").text("Values of all nodes");
    Some(Element::new("div").class("card").with(heading).with(Element::new("pre").lines(table)))
}
