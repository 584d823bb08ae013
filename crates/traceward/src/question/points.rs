//! What is drawn of a query: its values over time, or those that it summarises.

use super::Question;
use super::measured;
use super::part::Part;
use crate::error::Error;
use crate::report::{Clock, Points, Summarised};
use traceward_engine::query::SampleValues;
use traceward_logic::lower::NamedQuery;
use traceward_logic::query::Query;

/// Collects what is drawn of each query, part by part.
pub(super) struct Drawn {
    /// One a query; none for those of which there is nothing to draw, and for all if nothing is to
    /// be drawn.
    points: Vec<Option<Points>>,
}

impl Drawn {
    pub(super) fn new(question: &Question<'_>) -> Self {
        let input = &question.input;
        let last = input.len.checked_sub(1);
        let span = || {
            let last = last?;
            if input.has_time() { input.time(0).zip(input.time(last)) } else { Some((0, last as i64)) }
        };
        let clock = if input.has_time() { Clock::Time } else { Clock::Position };
        let is_split = question.input.keys.is_some();
        // Over keys, what an experiment has at all positions is drawn, and of others their values.
        let is_drawn = |summarised| question.options.points && (!is_split || summarised == Summarised::Not);
        let points = |query: &NamedQuery| {
            let (drawn, summarised) = drawn_of(&query.query).filter(|(_, summarised)| is_drawn(*summarised))?;
            let measure = drawn.measure();
            Some(Points { clock, span: span()?, at: Vec::new(), values: Vec::new(), measure, summarised })
        };
        Self { points: question.bound.lowered.queries.iter().map(points).collect() }
    }

    /// Takes the values of a part. Where they cannot be told, there is nothing to draw.
    pub(super) fn add(&mut self, part: &Part<'_>) -> Result<(), Error> {
        let lowered = &part.question.bound.lowered;
        for (entry, query) in self.points.iter_mut().zip(&lowered.queries) {
            let (Some(points), Some((drawn, _))) = (entry.as_mut(), drawn_of(&query.query)) else { continue };
            let Ok(samples) = measured::samples_of_part(part, &lowered.formulas, drawn)? else {
                *entry = None;
                continue;
            };
            let number = |place: usize| match samples.values() {
                SampleValues::Int(numbers) => Some(numbers[place] as f64),
                SampleValues::Float(numbers) => Some(numbers[place]),
                SampleValues::Any(values) => values[place].as_f64(),
                // Whatever is counted is a point, be it a number or not.
                _ => None,
            };
            let counts = matches!(points.summarised, Summarised::Count);
            for (place, &position) in samples.positions().iter().enumerate() {
                let number = if counts { Some(1.0) } else { number(place).filter(|number| number.is_finite()) };
                if let Some(number) = number {
                    points.at.push(part.time(position).unwrap_or(part.in_whole(position) as i64));
                    points.values.push(number);
                }
            }
        }
        Ok(())
    }

    /// What is drawn of each query, in the order of time.
    pub(super) fn finish(self) -> Vec<Option<Points>> {
        self.points.into_iter().map(|points| points.map(in_order)).collect()
    }
}

/// The query whose values are drawn, and what the query makes of them.
fn drawn_of(query: &Query) -> Option<(&Query, Summarised)> {
    use traceward_logic::ast::Aggregate;
    if query.is_experiment() {
        return Some((query, Summarised::Not));
    }
    let Query::Aggregate { aggregate, queries, condition: None } = query else { return None };
    let summarised = match aggregate {
        Aggregate::Count => Summarised::Count,
        Aggregate::Sum => Summarised::Sum,
        Aggregate::Avg => Summarised::Mean,
        Aggregate::Min => Summarised::Min,
        Aggregate::Max => Summarised::Max,
        Aggregate::Quantile(_) | Aggregate::Median => Summarised::Quantile,
        _ => return None,
    };
    queries.first().map(|query| (query, summarised))
}

/// Points of several keys, one after the other in time.
fn in_order(mut points: Points) -> Points {
    if points.at.is_sorted() {
        return points;
    }
    let mut all: Vec<(i64, f64)> = points.at.iter().copied().zip(points.values.iter().copied()).collect();
    all.sort_by_key(|(at, _)| *at);
    (points.at, points.values) = all.into_iter().unzip();
    points
}
