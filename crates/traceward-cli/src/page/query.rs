//! What a page says of a query: a number, or how numbers are distributed.

use super::bars::{self, Bar};
use super::markup::{Element, isolated, shown};
use super::property::facts_list;
use super::{Drawing, experiment, warning};
use crate::text;
use std::collections::BTreeMap;
use std::sync::Arc;
use traceward::Value;
use traceward::report::{Measure, QueryReport, QueryValue, Subject};

/// The number of buckets of a distribution.
const BUCKETS: usize = 12;

/// The largest number of bars that are drawn of a list.
const MOST_BARS: usize = 60;

/// The number of keys that are named: those with the largest values.
const NAMED_KEYS: usize = 10;

type ByKey = [(Arc<str>, Option<Value>)];

/// The card of a query.
pub fn card(drawing: &Drawing<'_>, index: usize, report: &QueryReport) -> Element {
    let QueryReport { name, description, query, value, everywhere, unanswered, measure, tolerance, points: _ } = report;
    let heading = Element::new("h3").with(isolated(name));
    let card = Element::new("article").class("card").attribute("id", drawing.id("query", index)).with(heading);
    let card = card.all(description.iter().map(|text| Element::new("p").text(text)));
    let card = card.with(Element::new("pre").with(Element::new("code").lines(query)));
    let subject = Subject::Query(name.clone());
    let warnings = drawing.report.warnings.iter().filter(|one| one.about.as_ref() == Some(&subject));
    let drawn = match everywhere {
        Some(everywhere) => experiment::drawn(report, everywhere),
        None => drawn(value, measure),
    };
    let card = card.all(warnings.map(warning)).all(drawn);
    let about = tolerance.map(|tolerance| format!("approximate, {}", text::within(tolerance)));
    let card = card.all(about.map(|about| Element::new("p").class("note").text(about)));
    let never = unanswered.filter(|count| *count > 0).map(|count| text::counted(count, "request"));
    card.all(never.map(|requests| Element::new("p").class("note").text(format!("{requests} never answered"))))
}

fn drawn(value: &QueryValue, measure: &Measure) -> Vec<Element> {
    match value {
        QueryValue::Whole(None) => vec![Element::new("p").class("number").text("no value")],
        QueryValue::Whole(Some(value)) => vec![match (text::buckets(value), text::counted_values(value)) {
            (Some(buckets), _) => buckets_table(&buckets, edges(measure)),
            (None, Some(counts)) => counts_table(&counts),
            (None, None) => Element::new("p").class("number").text(text::measured_or_none(measure, Some(value))),
        }],
        QueryValue::ByKey { values, summary: _ } => by_key(values, measure),
    }
}

// ---- histograms ----

/// A bucket: its least and greatest number, and how many there are.
type Bucket = (f64, f64, u64);

fn counts_table(counts: &[(&Value, u64)]) -> Element {
    let most = counts.iter().map(|(_, count)| *count).max().unwrap_or(0).max(1);
    let bar = |(value, count): &(&Value, u64)| Bar {
        label: shown(&value.to_string(), 80),
        size: *count as f64 / most as f64,
        text: count.to_string(),
    };
    with_rest(bars::table("How often each value occurs", counts.iter().take(MOST_BARS).map(bar)), counts.len())
}

/// A table of bars, with how many there are beside those that are drawn.
fn with_rest(table: Element, bars: usize) -> Element {
    let left = bars.saturating_sub(MOST_BARS);
    let rest = (left > 0).then(|| Element::new("p").class("soft").text(format!("… and {left} more")));
    Element::new("div").with(table).all(rest)
}

/// What the edges of buckets are.
fn edges(measure: &Measure) -> &Measure {
    match measure {
        Measure::Buckets(edges) => edges,
        other => other,
    }
}

fn buckets_table(buckets: &[Bucket], measure: &Measure) -> Element {
    let most = buckets.iter().map(|(_, _, count)| *count).max().unwrap_or(0).max(1);
    let bar = |(low, high, count): &Bucket| Bar {
        label: match low == high {
            true => text::number_text(measure, *low),
            false => format!("{} to {}", text::number_text(measure, *low), text::number_text(measure, *high)),
        },
        size: *count as f64 / most as f64,
        text: count.to_string(),
    };
    let table = bars::table("How many values lie between which", buckets.iter().take(MOST_BARS).map(bar));
    with_rest(table, buckets.len())
}

/// How numbers are distributed between the least and the greatest.
fn distribution(numbers: &[f64]) -> Vec<Bucket> {
    let least = numbers.iter().copied().fold(f64::INFINITY, f64::min);
    let most = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if let Some(buckets) = whole_buckets(numbers, least, most) {
        return buckets;
    }
    let width = (most - least) / BUCKETS as f64;
    // Without a width there is one number, or the width is beyond all numbers.
    if !(width > 0.0 && width.is_finite()) {
        return vec![(least, most, numbers.len() as u64)];
    }
    let edge = |nth: usize| if nth == BUCKETS { most } else { least + width * nth as f64 };
    let mut buckets: Vec<Bucket> = (0..BUCKETS).map(|nth| (edge(nth), edge(nth + 1), 0)).collect();
    for number in numbers {
        buckets[(((number - least) / width) as usize).min(BUCKETS - 1)].2 += 1;
    }
    buckets
}

/// Buckets of whole numbers, if all numbers are whole and not too large to be counted by.
fn whole_buckets(numbers: &[f64], least: f64, most: f64) -> Option<Vec<Bucket>> {
    const LARGEST: f64 = 1e9;
    if numbers.iter().any(|number| number.fract() != 0.0 || number.abs() > LARGEST) {
        return None;
    }
    let width = ((most - least + 1.0) / BUCKETS as f64).ceil();
    let count = ((most - least + 1.0) / width).ceil() as usize;
    let last = |nth: usize| (least + width * (nth + 1) as f64 - 1.0).min(most);
    let mut buckets: Vec<Bucket> = (0..count).map(|nth| (least + width * nth as f64, last(nth), 0)).collect();
    numbers.iter().for_each(|number| buckets[((number - least) / width) as usize].2 += 1);
    Some(buckets)
}

// ---- by key ----

fn by_key(values: &ByKey, measure: &Measure) -> Vec<Element> {
    let numbers: Vec<f64> =
        values.iter().filter_map(|(_, value)| value.as_ref()?.as_f64()).filter(|number| number.is_finite()).collect();
    if numbers.is_empty() {
        return vec![frequencies(values, measure)];
    }
    let without = values.iter().filter(|(_, value)| value.is_none()).count();
    let average = numbers.iter().sum::<f64>() / numbers.len() as f64;
    let buckets = distribution(&numbers);
    let (least, most) = (buckets[0].0, buckets[buckets.len() - 1].1);
    let facts = [
        ("least", text::number_text(measure, least)),
        ("average", text::number_text(measure, average)),
        ("greatest", text::number_text(measure, most)),
        ("keys", values.len().to_string()),
        ("without a value", without.to_string()),
    ];
    let heading = |text: &str| Element::new("h4").text(text);
    vec![
        facts_list(facts.into_iter()),
        heading("How many keys have which value"),
        buckets_table(&buckets, measure),
        heading("Keys with the largest values"),
        largest(values, measure),
    ]
}

fn largest(values: &ByKey, measure: &Measure) -> Element {
    let number = |value: &Option<Value>| value.as_ref().and_then(Value::as_f64).filter(|number| number.is_finite());
    let mut keys: Vec<(f64, usize)> =
        values.iter().enumerate().filter_map(|(index, (_, value))| Some((number(value)?, index))).collect();
    keys.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
    let most = keys.first().map_or(1.0, |(number, _)| number.abs()).max(f64::MIN_POSITIVE);
    let bar = |(number, index): &(f64, usize)| Bar {
        label: shown(&values[*index].0, 80),
        size: number.abs() / most,
        text: text::number_text(measure, *number),
    };
    bars::table("Keys with the largest values", keys.iter().take(NAMED_KEYS).map(bar))
}

/// How many keys have each value, where values are no numbers; the most frequent first.
fn frequencies(values: &ByKey, measure: &Measure) -> Element {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for (_, value) in values {
        *counts.entry(shown(&text::measured_or_none(measure, value.as_ref()), 80)).or_default() += 1;
    }
    let mut counts: Vec<(String, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let bar = |(label, count): (String, usize)| Bar {
        label,
        size: count as f64 / values.len().max(1) as f64,
        text: text::counted(count, "key"),
    };
    bars::table("How many keys have which value", counts.into_iter().take(NAMED_KEYS).map(bar))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_distribution_counts_every_number_once() {
        let numbers: Vec<f64> = (0..=24).map(|nth| f64::from(nth) / 10.0).collect();
        let buckets = distribution(&numbers);
        assert_eq!((buckets.len(), buckets[0].0, buckets[11].1), (BUCKETS, 0.0, 2.4));
        assert_eq!(buckets.iter().map(|bucket| bucket.2).sum::<u64>(), 25);
        let whole: Vec<f64> = (0..=24).map(f64::from).collect();
        let buckets = distribution(&whole);
        assert_eq!((buckets.len(), buckets[0], buckets[8]), (9, (0.0, 2.0, 3), (24.0, 24.0, 1)));
        assert_eq!(distribution(&[4.0, 4.0]), [(4.0, 4.0, 2)]);
        assert_eq!(distribution(&[-1e308, 1e308]), [(-1e308, 1e308, 2)]);
    }
}
