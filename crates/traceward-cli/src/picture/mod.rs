//! Values of queries as pictures: how they are distributed, and how they went over time.
//!
//! The pictures are written by hand, as the pages are: they have a style for dark screens, and a
//! size that does not grow with the trace.

mod bars;
mod over_time;
mod panel;
mod scale;

use crate::failure::Failure;
use crate::page::markup::Element;
use crate::text;
use panel::{Panel, WIDTH};
use traceward::report::{Findings, Points, QueryReport, QueryValue, Summarised};
use traceward::{Report, Value};

/// The most queries that are drawn below each other.
const MOST_QUERIES: usize = 8;

/// The number of letters of a heading.
const LONGEST_HEADING: usize = 100;

const STYLE: &str = include_str!("style.css");

/// One picture of all queries of a report.
pub fn svg(trace: &str, report: &Report) -> Result<String, Failure> {
    let queries = &report.queries;
    if queries.is_empty() {
        return Err(Failure::new("there is no query to draw").help("give one: -e QUERY"));
    }
    if queries.len() > MOST_QUERIES {
        let message = format!("--svg draws at most {MOST_QUERIES} queries, and these are {}", queries.len());
        return Err(Failure::new(message).help("name those that matter by -e QUERY"));
    }
    let mut height = 0.0;
    let mut drawn = Vec::new();
    for query in queries {
        let (section, its_height) = section(trace, query);
        drawn.push(section.attribute("transform", format_args!("translate(0 {height})")));
        height += its_height;
    }
    let background = Element::new("rect").class("paper").attribute("width", "100%").attribute("height", "100%");
    let picture = Element::new("svg")
        .attribute("xmlns", "http://www.w3.org/2000/svg")
        .attribute("viewBox", format_args!("0 0 {WIDTH} {height}"))
        .attribute("width", WIDTH)
        .attribute("height", height)
        .with(Element::new("style").verbatim(STYLE))
        .with(background)
        .all(drawn);
    let mut text = String::new();
    picture.write(&mut text);
    text.push('\n');
    Ok(text)
}

/// The panels of one query below its heading, and how high they are.
fn section(trace: &str, query: &QueryReport) -> (Element, f64) {
    let heading = crate::page::markup::shown(&format!("{}: {}", query.name, query.query), LONGEST_HEADING);
    let mut group = Element::new("g")
        .with(Element::new("text").class("heading").attribute("x", 20).attribute("y", 28).text(heading))
        .with(Element::new("text").class("soft").attribute("x", 20).attribute("y", 46).text(subtitle(trace, query)));
    let mut height = 56.0;
    for panel in panels(query) {
        group = group.with(panel.drawn.attribute("transform", format_args!("translate(0 {height})")));
        height += panel.height;
    }
    (group, height + 10.0)
}

fn subtitle(trace: &str, query: &QueryReport) -> String {
    let keys = match &query.value {
        QueryValue::ByKey { values, .. } => format!(", over {}", text::counted(values.len(), "key")),
        QueryValue::Whole(_) => String::new(),
    };
    let found = match (&query.everywhere, &query.value) {
        (Some(Ok(report)), _) => text::experiment_heading(query, report),
        (None, QueryValue::Whole(value)) if !value.as_ref().is_some_and(text::is_histogram) => {
            text::measured_or_none(&query.measure, value.as_ref())
        }
        _ => String::new(),
    };
    let found = if found.is_empty() { found } else { format!(": {found}") };
    let keys = if query.everywhere.is_some() { String::new() } else { keys };
    format!("{trace}{keys}{found}")
}

/// What there is to see of a query, or why there is nothing.
fn panels(query: &QueryReport) -> Vec<Panel> {
    match (&query.everywhere, &query.value) {
        (Some(Err(message)), _) => vec![Panel::note(&format!("not drawn: {message}"))],
        (Some(Ok(report)), _) => match (&report.findings, &query.points) {
            (Findings::Others(found), _) => {
                let counts: Vec<(&Value, u64)> =
                    found.most.iter().map(|(value, count)| (value, *count as u64)).collect();
                vec![bars::of_values(&counts)]
            }
            (_, Some(points)) => of_points(points, None),
            (_, None) => vec![Panel::note("not drawn: there are no numbers")],
        },
        (None, QueryValue::ByKey { values, .. }) => {
            of_keys(query, values.iter().filter_map(|(_, value)| value.as_ref()))
        }
        (None, QueryValue::Whole(Some(value))) => of_value(query, value),
        (None, QueryValue::Whole(None)) => vec![Panel::note("not drawn: there is no value")],
    }
}

/// The value of a query that is no experiment.
fn of_value(query: &QueryReport, value: &Value) -> Vec<Panel> {
    if let Some(buckets) = text::buckets(value) {
        return vec![bars::of_buckets(&buckets, &query.measure)];
    }
    if let Some(counts) = text::counted_values(value) {
        return vec![bars::of_values(&counts)];
    }
    match &query.points {
        Some(points) if points.summarised == Summarised::Quantile => of_points(points, value.as_f64()),
        Some(points) if !points.values.is_empty() => vec![over_time::running(points, &query.measure)],
        _ => vec![Panel::note("not drawn: this is one value, which has no course over time that is known")],
    }
}

/// How numbers are distributed, and how they went over time; with a line for one that was asked.
fn of_points(points: &Points, asked: Option<f64>) -> Vec<Panel> {
    if points.values.is_empty() {
        return vec![Panel::note("not drawn: there is no number at any position")];
    }
    let mut sorted = points.values.clone();
    sorted.sort_unstable_by(f64::total_cmp);
    let axis = scale::Axis::of(&sorted, &points.measure);
    vec![bars::of_numbers(&sorted, &axis, &points.measure, "values", asked), over_time::course(points, &axis)]
}

/// How the values of keys are distributed.
fn of_keys<'a>(query: &QueryReport, values: impl Iterator<Item = &'a Value>) -> Vec<Panel> {
    let mut sorted: Vec<f64> = values.filter_map(Value::as_f64).filter(|number| number.is_finite()).collect();
    if sorted.is_empty() {
        return vec![Panel::note("not drawn: no key has a number")];
    }
    sorted.sort_unstable_by(f64::total_cmp);
    let axis = scale::Axis::of(&sorted, &query.measure);
    vec![bars::of_numbers(&sorted, &axis, &query.measure, "keys", None)]
}
