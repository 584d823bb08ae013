//! The table of keys, which the script draws row by row.

use super::Drawing;
use super::markup::{Element, shown};
use super::property::key_id;
use crate::text;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use traceward::report::{Measure, QueryReport, QueryValue};
use traceward::{PropertyReport, Value, Verdict};

/// The largest number of keys of a page. Of more, those that are violated or pending come first.
const MOST_KEYS: usize = 200_000;

/// The largest number of columns of each kind.
const MOST_COLUMNS: usize = 20;

/// The largest number of characters of a key, and of a value.
const LONGEST_KEY: usize = 120;
const LONGEST_VALUE: usize = 60;

/// What is known of each key, column by column.
#[derive(Serialize)]
pub struct KeysData {
    names: Vec<String>,
    states: Vec<usize>,
    verdicts: Vec<Verdicts>,
    values: Vec<Values>,
    /// The ids of violations by the index of their key.
    links: BTreeMap<usize, String>,
    /// The number of keys that the trace has.
    #[serde(skip)]
    all: usize,
}

#[derive(Serialize)]
struct Verdicts {
    name: String,
    /// A letter for each key: the first one of its verdict.
    verdicts: String,
}

#[derive(Serialize)]
struct Values {
    name: String,
    /// The numbers by which keys are sorted.
    numbers: Vec<Option<f64>>,
    texts: Vec<String>,
}

impl KeysData {
    /// The keys of a trace; none if it was not split.
    pub fn of(drawing: &Drawing<'_>) -> Option<Self> {
        let report = drawing.report;
        let keys = report.trace.keys.as_ref()?;
        let shown_keys = chosen(keys.len(), &report.properties);
        let texts: Vec<Arc<str>> = shown_keys.iter().map(|&index| keys[index].0.text()).collect();
        let places: HashMap<&str, usize> = texts.iter().enumerate().map(|(place, text)| (&**text, place)).collect();
        Some(Self {
            names: texts.iter().map(|text| shown(text, LONGEST_KEY)).collect(),
            states: shown_keys.iter().map(|&index| keys[index].1).collect(),
            verdicts: report.properties.iter().take(MOST_COLUMNS).map(|one| Verdicts::of(one, &shown_keys)).collect(),
            values: report.queries.iter().take(MOST_COLUMNS).filter_map(|one| Values::of(one, &shown_keys)).collect(),
            links: links(drawing, &places),
            all: keys.len(),
        })
    }
}

impl Verdicts {
    fn of(property: &PropertyReport, keys: &[usize]) -> Self {
        let verdict = |index: usize| property.keys.as_ref().map_or(property.verdict, |found| found.verdicts[index]);
        Self {
            name: shown(&property.name, LONGEST_KEY),
            verdicts: keys.iter().map(|&key| letter(verdict(key))).collect(),
        }
    }
}

impl Values {
    fn of(query: &QueryReport, keys: &[usize]) -> Option<Self> {
        let QueryValue::ByKey { values, summary: _ } = &query.value else { return None };
        let measure = &query.measure;
        let values = || keys.iter().map(|&key| values[key].1.as_ref());
        Some(Self {
            name: shown(&query.name, LONGEST_KEY),
            numbers: values().map(|value| value.and_then(Value::as_f64)).collect(),
            texts: values().map(|value| shown(&cell(measure, value), LONGEST_VALUE)).collect(),
        })
    }
}

/// A value in a cell, where there is room for one unit.
fn cell(measure: &Measure, value: Option<&Value>) -> String {
    match (measure, value.and_then(Value::as_f64)) {
        (Measure::Duration | Measure::Moment, Some(number)) => text::number_text(measure, number),
        _ => text::measured_or_none(measure, value),
    }
}

fn letter(verdict: Verdict) -> char {
    match verdict {
        Verdict::Violated => 'v',
        Verdict::Pending => 'p',
        Verdict::Holding => 'h',
        Verdict::Satisfied => 's',
    }
}

/// The keys that a page has, in their order.
fn chosen(keys: usize, properties: &[PropertyReport]) -> Vec<usize> {
    if keys <= MOST_KEYS {
        return (0..keys).collect();
    }
    let matters = |index: usize| {
        let verdicts =
            properties.iter().filter_map(|property| property.keys.as_ref()).map(|found| found.verdicts[index]);
        verdicts.into_iter().any(|verdict| matches!(verdict, Verdict::Violated | Verdict::Pending))
    };
    let (first, others): (Vec<usize>, Vec<usize>) = (0..keys).partition(|&index| matters(index));
    let mut chosen: Vec<usize> = first.into_iter().chain(others).take(MOST_KEYS).collect();
    chosen.sort_unstable();
    chosen
}

/// For each key that is shown with its violations where these are.
fn links(drawing: &Drawing<'_>, places: &HashMap<&str, usize>) -> BTreeMap<usize, String> {
    let mut links = BTreeMap::new();
    for (property, report) in drawing.report.properties.iter().enumerate() {
        let first = report.keys.iter().flat_map(|keys| keys.first_violations.iter().enumerate());
        for (nth, one) in first.take(super::property::MOST_VIOLATIONS) {
            if let Some(&place) = places.get(&*one.label()) {
                links.entry(place).or_insert_with(|| key_id(&drawing.id("property", property), nth));
            }
        }
    }
    links
}

/// The place of the table.
pub fn card(drawing: &Drawing<'_>, keys: &KeysData) -> Element {
    let title = "Keys, with the verdict on each property";
    let left_out = keys.all - keys.names.len();
    let note = format!(
        "{} are not in this page: it has {MOST_KEYS}, and those that are violated or pending before others; \
         --keys-to FILE.csv writes all.",
        text::counted(left_out, "key")
    );
    Element::new("section")
        .class("card keys-of")
        .attribute("data-of", drawing.block())
        .attribute("data-title", title)
        .with(Element::new("h3").text("Keys"))
        .all((left_out > 0).then(|| Element::new("p").class("note").text(note)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_so_many_keys_and_no_more() {
        assert_eq!(chosen(3, &[]), [0, 1, 2]);
        assert_eq!(chosen(MOST_KEYS + 5, &[]).len(), MOST_KEYS);
    }
}
