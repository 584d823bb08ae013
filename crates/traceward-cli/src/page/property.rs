//! What a page says of a property.

use super::markup::{Element, isolated};
use super::timeline::TimelineData;
use super::{Drawing, bars, warning};
use crate::text;
use traceward::report::{
    Cost, CoverageReport, KeyVerdict, KeysReport, OwedReport, Subject, Timeline, Violation, Violations, WaitingReport,
};
use traceward::{Evidence, PropertyReport, Verdict};

/// The largest number of violations that a page has of a property.
pub const MOST_VIOLATIONS: usize = 200;

/// A verdict with its sign.
pub fn badge(class: &str, sign: &str, word: &str) -> Element {
    let sign = Element::new("span").attribute("aria-hidden", "true").text(sign);
    Element::new("span").class(format!("verdict {class}")).with(sign).text(format!(" {word}"))
}

/// The verdict on a property in words.
pub fn verdict_text(property: &PropertyReport) -> String {
    let vacuously = if property.vacuous.is_some() { ", vacuously" } else { "" };
    format!("{}{vacuously}", property.verdict)
}

/// The verdict on a property.
pub fn verdict(property: &PropertyReport) -> Element {
    let text = verdict_text(property);
    match property.vacuous {
        Some(_) => badge("vacuous", "⚠", &text),
        None => badge(&property.verdict.to_string(), text::sign(property.verdict), &text),
    }
}

/// The card of a property.
pub fn card(drawing: &mut Drawing<'_>, index: usize, property: &PropertyReport) -> Element {
    // Taken apart field by field, so that none is left out unnoticed. Steps have a picture of their
    // own.
    #[rustfmt::skip]
    let PropertyReport {
        name, description, formula, verdict: _, engine, decided_at, decided_exact, cost, truth, vacuous, evidence,
        responses, keys, walkthrough: _,
    } = property;
    let id = drawing.id("property", index);
    let heading = Element::new("h3").with(verdict(property)).with(isolated(name));
    let card = Element::new("article").class("card").attribute("id", &id).with(heading);
    let card = card.all(description.iter().map(|text| Element::new("p").text(text)));
    let card = card.with(Element::new("pre").with(Element::new("code").lines(formula)));
    let decided = decided_at.map(|position| match decided_exact {
        true => format!("at position {position}, the first at which it was certain"),
        false => format!("at position {position}"),
    });
    let facts = [
        Some(("engine", engine.to_string())),
        decided.map(|text| ("decided", text)),
        truth.as_ref().map(|truth| ("holds", format!("at {} of {} positions", truth.count_ones(), truth.len()))),
        cost_text(engine.name(), *cost).map(|text| ("cost", text)),
    ];
    let card = card.with(facts_list(facts.into_iter().flatten()));
    let card = card.all(vacuous.as_ref().map(|trigger| vacuity(trigger)));
    let subject = Subject::Property(name.clone());
    let warnings = drawing.report.warnings.iter().filter(|one| one.about.as_ref() == Some(&subject));
    let card = card.all(warnings.map(warning));
    let card = card.all(evidence_of(drawing, evidence));
    let card = card.all(text::response_lines(responses).iter().map(|line| sentence(line)));
    card.all(keys.iter().flat_map(|found| of_keys(drawing, &id, found)))
}

/// What is said of a property that asked nothing of the trace.
fn vacuity(trigger: &str) -> Element {
    let text = format!("`{trigger}` never holds, so the property asked nothing of this trace.");
    Element::new("p").class("note").text(text)
}

fn cost_text(engine: &str, cost: Cost) -> Option<String> {
    match cost {
        Cost::NotAsked => None,
        Cost::Unknown => Some(text::statistics_text(engine, None)),
        Cost::Known(statistics) => Some(text::statistics_text(engine, Some(statistics))),
    }
}

pub fn facts_list<'a>(facts: impl Iterator<Item = (&'a str, String)>) -> Element {
    let fact = |(name, text): (&str, String)| {
        Element::new("div").with(Element::new("dt").text(name)).with(Element::new("dd").text(text))
    };
    Element::new("dl").class("facts").all(facts.map(fact))
}

// ---- evidence ----

fn evidence_of(drawing: &mut Drawing<'_>, evidence: &Evidence) -> Vec<Element> {
    let Evidence { violations, judged_at, owed, owed_since, compared, coverage, waiting } = evidence;
    let mut parts: Vec<Element> = compared.iter().map(|found| sentence(&text::compared_text(found))).collect();
    if let Some(found) = violations.as_ref().filter(|found| found.count > 0) {
        parts.extend(of_violations(drawing, found));
    }
    if let Some(one) = judged_at {
        parts.push(Element::new("h4").text("Judged at"));
        parts.push(state(drawing, one, Fold::Open));
        parts.extend(text::missing_text([one]).map(|text| sentence(&text)));
    }
    if !owed.is_empty() {
        parts.push(Element::new("h4").text("What is owed"));
        parts.extend(owed_list(owed));
        let drawn = owed_since.iter().enumerate();
        parts.extend(drawn.map(|(nth, timeline)| owed_state(drawing, timeline, owed, Fold::of(nth))));
    }
    parts.extend(coverage.iter().flat_map(of_coverage));
    parts.extend(waiting.as_ref().filter(|found| !found.is_empty()).map(|found| of_waiting(found)));
    parts
}

fn sentence(text: &str) -> Element {
    Element::new("p").text(text)
}

fn of_violations(drawing: &mut Drawing<'_>, found: &Violations) -> Vec<Element> {
    let heading = format!("Fails at {} of {}", found.count, text::counted(drawing.report.trace.states, "position"));
    let mut parts = vec![Element::new("h4").text(heading)];
    let shown = &found.first[..found.first.len().min(MOST_VIOLATIONS)];
    parts.extend(open_all(shown.len()));
    parts.extend(shown.iter().enumerate().map(|(nth, one)| state(drawing, one, Fold::of(nth))));
    parts.extend(more(found.count - shown.len(), "violation", "--max-violations"));
    parts.extend(text::missing_text(shown).map(|text| sentence(&text)));
    parts
}

/// Whether something is unfolded when the page is opened.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fold {
    Open,
    Closed,
}

impl Fold {
    /// The first of several is open.
    fn of(nth: usize) -> Self {
        if nth == 0 { Self::Open } else { Self::Closed }
    }

    fn details(self) -> Element {
        let details = Element::new("details");
        if self == Self::Open { details.attribute("open", "") } else { details }
    }
}

fn open_all(count: usize) -> Option<Element> {
    let button = Element::new("button").attribute("type", "button").class("plain open-all").attribute("hidden", "");
    (count > 1).then(|| button.text("Open or close all"))
}

fn more(count: usize, what: &str, option: &str) -> Option<Element> {
    let text = format!("… and {} ({option})", text::counted(count, &format!("more {what}")));
    (count > 0).then(|| Element::new("p").class("soft").text(text))
}

/// A state that speaks for a verdict, with what was owed there.
fn state(drawing: &mut Drawing<'_>, violation: &Violation, fold: Fold) -> Element {
    let summary = Element::new("summary").with(isolated(text::violation_text(violation)));
    let inside = Element::new("div").class("inside").all(reasons(drawing, violation));
    fold.details().with(summary).with(inside)
}

/// The reasons for a violation in words, and drawn.
fn reasons(drawing: &mut Drawing<'_>, violation: &Violation) -> Vec<Element> {
    let lines = violation.why.iter().flat_map(|why| text::why_lines(why, violation.line));
    let items: Vec<Element> = lines.map(|line| Element::new("li").with(isolated(line))).collect();
    let list = (!items.is_empty()).then(|| Element::new("ul").class("why").all(items));
    let timeline = |timeline: &Timeline| TimelineData::of_violation(timeline, violation.why.as_ref());
    let figure = violation.timeline.as_ref().map(|found| figure(drawing, timeline(found)));
    list.into_iter().chain(figure).collect()
}

/// The place of a timeline, which the script draws.
fn figure(drawing: &mut Drawing<'_>, timeline: TimelineData) -> Element {
    drawing.data.timelines.push(timeline);
    Element::new("figure")
        .class("timeline")
        .attribute("data-of", drawing.block())
        .attribute("data-timeline", drawing.data.timelines.len() - 1)
        .attribute("data-title", "The states around, one a column, and what holds in each of them")
}

fn owed_list(owed: &[OwedReport]) -> Vec<Element> {
    let shown = &owed[..owed.len().min(MOST_VIOLATIONS)];
    let items = shown.iter().map(|one| Element::new("li").with(isolated(text::owed_text(one))));
    let rest = more(owed.len() - shown.len(), "obligation", "--format json");
    [Element::new("ul").class("why").all(items)].into_iter().chain(rest).collect()
}

/// What is owed since a state, drawn.
fn owed_state(drawing: &mut Drawing<'_>, timeline: &Timeline, owed: &[OwedReport], fold: Fold) -> Element {
    let lanes: Vec<&OwedReport> = owed.iter().filter(|one| one.since == timeline.about).collect();
    let summary = Element::new("summary").text(format!("owed since position {}", timeline.about));
    let figure = figure(drawing, TimelineData::of_owed(timeline, &lanes));
    fold.details().with(summary).with(Element::new("div").class("inside").with(figure))
}

fn of_coverage(found: &CoverageReport) -> Vec<Element> {
    let lines: Vec<Element> =
        text::coverage_lines(found).into_iter().map(|line| Element::new("li").text(line)).collect();
    match lines.is_empty() {
        true => Vec::new(),
        false => vec![Element::new("h4").text("Coverage"), Element::new("ul").class("why").all(lines)],
    }
}

fn of_waiting(found: &[WaitingReport]) -> Element {
    let one = |one: &WaitingReport| {
        let lines = text::waiting_lines(one).into_iter().chain(text::worst_lines(one));
        Element::new("ul").class("why").all(lines.map(|line| Element::new("li").text(line)))
    };
    Element::new("div").with(Element::new("h4").text("Waiting")).all(found.iter().map(one))
}

// ---- keys ----

fn of_keys(drawing: &mut Drawing<'_>, id: &str, keys: &KeysReport) -> Vec<Element> {
    let KeysReport { checked, violated, vacuous, verdicts, first_violations, compared: _ } = keys;
    let count = |verdict| verdicts.iter().filter(|one| **one == verdict).count();
    let counts = [
        ("violated", "violated", count(Verdict::Violated)),
        ("pending", "pending", count(Verdict::Pending)),
        ("vacuous", "vacuously satisfied", *vacuous),
        ("holding", "holding", count(Verdict::Holding)),
        ("satisfied", "satisfied", count(Verdict::Satisfied).saturating_sub(*vacuous)),
    ];
    let said = counts.iter().filter(|(_, _, count)| *count > 0).map(|(_, word, count)| format!("{count} {word}"));
    let said = format!("{}: {}", text::counted(*checked, "key"), said.collect::<Vec<_>>().join(", "));
    let mut parts = vec![bars::share(&counts, &said), Element::new("p").text(&said)];
    if *violated > 0 {
        let shown = &first_violations[..first_violations.len().min(MOST_VIOLATIONS)];
        parts.push(Element::new("h4").text(format!("Violated for {violated} of {}", text::counted(*checked, "key"))));
        parts.extend(open_all(shown.len()));
        parts.extend(shown.iter().enumerate().map(|(nth, one)| of_key(drawing, id, nth, one)));
        parts.extend(more(violated - shown.len(), "key", "--max-violations; the table below has all"));
    }
    parts
}

/// The violations for a key.
fn of_key(drawing: &mut Drawing<'_>, id: &str, nth: usize, one: &KeyVerdict) -> Element {
    let KeyVerdict { key: _, number: _, verdict: _, evidence } = one;
    let Evidence { violations, judged_at, compared, owed: _, owed_since: _, coverage: _, waiting: _ } = evidence;
    let states: Vec<&Violation> = violations.iter().flat_map(|found| &found.first).chain(judged_at).collect();
    let first = states.first().map(|violation| text::violation_text(violation));
    let said = first.or_else(|| compared.as_ref().map(text::compared_text)).unwrap_or_default();
    let key = Element::new("strong").with(isolated(one.label().to_string()));
    let summary = Element::new("summary").with(key).text(": ").with(isolated(said));
    let mut inside = Element::new("div").class("inside");
    for (nth, violation) in states.iter().enumerate() {
        let heading = Element::new("h5").with(isolated(text::violation_text(violation)));
        inside = inside.all((nth > 0).then_some(heading)).all(reasons(drawing, violation));
    }
    let count = violations.as_ref().map_or(0, |found| found.count);
    let inside = inside.all(more(count.saturating_sub(states.len()), "violation", "--max-violations"));
    let inside = inside.all(text::missing_text(states).map(|text| sentence(&text)));
    Fold::of(nth).details().attribute("id", key_id(id, nth)).with(summary).with(inside)
}

/// The id of a key's violations.
pub fn key_id(property: &str, nth: usize) -> String {
    format!("{property}-key-{}", nth + 1)
}
