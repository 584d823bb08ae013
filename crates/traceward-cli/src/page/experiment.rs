//! What a page says of an experiment: what its values at all positions come to.

use super::bars::{self, Bar};
use super::markup::{Element, shown};
use super::property::facts_list;
use crate::text;
use traceward::report::{
    Everywhere, ExperimentReport, Figures, Findings, Frequencies, QueryReport, QueryValue, Sample,
};

/// The values at all positions; and that at position 0, if there is one.
pub fn drawn(query: &QueryReport, everywhere: &Everywhere) -> Vec<Element> {
    let mut elements = match everywhere {
        Ok(report) => of_report(query, report),
        Err(message) => vec![Element::new("p").class("note").text(format!("no summary over all positions: {message}"))],
    };
    if let QueryValue::Whole(Some(value)) = &query.value {
        let value = text::measured_or_none(&query.measure, Some(value));
        elements.push(Element::new("p").class("soft").text(format!("{value} at position 0")));
    }
    elements
}

fn of_report(query: &QueryReport, report: &ExperimentReport) -> Vec<Element> {
    let counts = [("values", report.count.to_string()), ("positions", report.positions.to_string())];
    match &report.findings {
        Findings::Nothing => vec![Element::new("p").class("number").text("no value"), facts_list(counts.into_iter())],
        Findings::Numbers(figures) => {
            let facts = facts(query, figures).into_iter().chain(counts);
            let heading = Element::new("h4").text("The largest values");
            vec![facts_list(facts), heading, largest(query, &figures.largest)]
        }
        Findings::Others(Frequencies { distinct, most }) => {
            let facts = [("different values", distinct.to_string())].into_iter().chain(counts);
            let bar = |(value, count): &(traceward::Value, usize)| Bar {
                label: shown(&value.to_string(), 80),
                size: *count as f64 / report.count.max(1) as f64,
                text: count.to_string(),
            };
            vec![facts_list(facts), bars::table("How often each value occurs", most.iter().map(bar))]
        }
    }
}

fn facts(query: &QueryReport, figures: &Figures) -> [(&'static str, String); 6] {
    let Figures { min, median, p90, p99, max, mean, largest: _ } = figures;
    let told = [("min", min), ("p50", median), ("p90", p90), ("p99", p99), ("max", max), ("mean", mean)];
    told.map(|(name, value)| (name, text::measured_briefly(&query.measure, value)))
}

fn largest(query: &QueryReport, samples: &[Sample]) -> Element {
    let size = |sample: &Sample| sample.value.as_f64().filter(|number| number.is_finite()).unwrap_or(0.0).abs();
    let most = samples.iter().map(size).fold(f64::MIN_POSITIVE, f64::max);
    let bar = |sample: &Sample| Bar {
        label: text::sample_place(sample),
        size: size(sample) / most,
        text: text::measured_briefly(&query.measure, &sample.value),
    };
    bars::table("The largest values", samples.iter().map(bar))
}
