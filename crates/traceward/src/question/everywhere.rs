//! Experiments: queries of which people want to know the values at all positions.

use super::part::Part;
use super::{Bound, Question};
use crate::error::Error;
use crate::experiment::{ExperimentTally, Sample};
use crate::report::Everywhere;
use std::sync::Arc;
use traceward_logic::formula::FormulaId;
use traceward_logic::lower::NamedQuery;
use traceward_logic::query::Query;

/// Collects the samples of all experiments of a spec, part by part.
pub(super) struct Experiments {
    /// One a query; none for those that are no experiments.
    tallies: Vec<Option<Result<ExperimentTally, String>>>,
}

impl Experiments {
    pub(super) fn new(question: &Question<'_>) -> Self {
        let tally = |query: &NamedQuery| {
            query.query.is_experiment().then(|| Ok(ExperimentTally::new(answer_of(query).is_some())))
        };
        Self { tallies: question.bound.lowered.queries.iter().map(tally).collect() }
    }

    /// Takes the samples of a part, which may be a key's.
    pub(super) fn add(&mut self, part: &Part<'_>, key: Option<&Arc<str>>) -> Result<(), Error> {
        let Bound { lowered, measured, .. } = part.question.bound;
        for (index, entry) in self.tallies.iter_mut().enumerate() {
            let Some(Ok(tally)) = entry else { continue };
            match part.samples(measured.query(index))? {
                None => {}
                Some(Err(error)) => *entry = Some(Err(message(part.error_in_whole(error)))),
                Some(Ok(samples)) => {
                    let answer = answer_of(&lowered.queries[index]);
                    tally.add(samples, part.trace(), |position, value| {
                        let answered = answer.and_then(|answer| part.row(answer).first_one_from(position));
                        let answered = answered.map(|position| part.place(position));
                        Sample { key: key.cloned(), value, at: part.place(position), answered }
                    });
                }
            }
        }
        Ok(())
    }

    /// What the samples of each query come to.
    pub(super) fn finish(self) -> Vec<Option<Everywhere>> {
        let report = |tally: Result<ExperimentTally, String>| tally.map(|tally| Box::new(tally.finish()));
        self.tallies.into_iter().map(|entry| entry.map(report)).collect()
    }
}

/// What is wrong with a state, and where that stands.
fn message(error: Error) -> String {
    match error {
        Error::Evaluation { message, line } => format!("{message} (line {line})"),
        other => other.to_string(),
    }
}

/// The formula that holds where the requests of a latency are answered, if the query is a latency
/// and nothing else.
fn answer_of(query: &NamedQuery) -> Option<FormulaId> {
    let [(request, _)] = query.latencies[..] else { return None };
    let Query::And { left, right, .. } = &query.query else { return None };
    match (&**left, &**right) {
        (Query::Value { guard, .. }, Query::Until { right, .. }) if *guard == request => match **right {
            Query::Value { guard, .. } => Some(guard),
            _ => None,
        },
        _ => None,
    }
}
