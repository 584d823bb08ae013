//! The values of queries: all of them in one evaluation of a part.

use super::Bound;
use super::part::Part;
use crate::error::Error;
use std::cell::OnceCell;
use traceward_engine::query::{Answers, Outcome, Precision, Queries, QueryError, Sampled, Samples};
use traceward_engine::select::EngineName;
use traceward_logic::formula::Formulas;
use traceward_logic::lower::{Claim, Lowered};
use traceward_logic::query::Query;
use traceward_logic::semantics::{self, EvaluationError};
use traceward_logic::value::Value;

/// A query by its place among all whose values are asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct QueryIndex(usize);

/// All queries of a spec, those of its asserts too, ready to be evaluated together.
pub(super) struct Measured {
    queries: Queries,
    /// For each property, the places of the two sides of its assert.
    sides: Vec<Option<[QueryIndex; 2]>>,
    /// The place of the first query that is none of an assert.
    first: usize,
}

impl Measured {
    pub(super) fn new(lowered: &Lowered, precision: Precision) -> Self {
        let mut sides = Vec::new();
        let mut next = 0;
        for property in &lowered.properties {
            sides.push(match property.claim {
                Claim::Formula(_) => None,
                Claim::Assert(_) => {
                    next += 2;
                    Some([QueryIndex(next - 2), QueryIndex(next - 1)])
                }
            });
        }
        let queries = all(lowered).into_iter().enumerate();
        let queries = queries.map(|(index, query)| (query, index >= next && query.is_experiment()));
        let queries = Queries::sampling(&lowered.formulas, queries).with_precision(precision);
        Self { queries, sides, first: next }
    }

    /// The two sides of a property that is an assert.
    pub(super) fn sides(&self, property: usize) -> [QueryIndex; 2] {
        self.sides[property].expect("an assert has two sides")
    }

    /// A query of the spec, by its place among those.
    pub(super) fn query(&self, index: usize) -> QueryIndex {
        QueryIndex(self.first + index)
    }
}

/// Whether a spec has a query, be it a side of an assert.
pub(super) fn asks_for_values(lowered: &Lowered) -> bool {
    !all(lowered).is_empty()
}

/// The sides of asserts, and then the queries.
fn all(lowered: &Lowered) -> Vec<&Query> {
    let sides = lowered.properties.iter().filter_map(|property| match &property.claim {
        Claim::Assert(comparison) => Some([&comparison.left, &comparison.right]),
        Claim::Formula(_) => None,
    });
    sides.flatten().chain(lowered.queries.iter().map(|query| &query.query)).collect()
}

/// The values on a part, found when the first of them is asked for.
#[derive(Default)]
pub(super) struct Values(OnceCell<Answers>);

impl Values {
    /// The value of a query.
    pub(super) fn of(&self, part: &Part<'_>, index: QueryIndex) -> Result<Option<Value>, Error> {
        self.answers(part)?.values[index.0].clone().map_err(|error| in_whole(part, error))
    }

    /// The error of a query's value; none if it is exact.
    pub(super) fn error(&self, part: &Part<'_>, index: QueryIndex) -> Result<Option<QueryError>, Error> {
        Ok(self.answers(part)?.errors[index.0])
    }

    /// The values of an experiment at all positions.
    pub(super) fn samples(&self, part: &Part<'_>, index: QueryIndex) -> Result<Option<&Sampled>, Error> {
        Ok(self.answers(part)?.samples[index.0].as_ref())
    }

    fn answers(&self, part: &Part<'_>) -> Result<&Answers, Error> {
        if let Some(answers) = self.0.get() {
            return Ok(answers);
        }
        let answers = answers(part)?;
        Ok(self.0.get_or_init(|| answers))
    }
}

fn answers(part: &Part<'_>) -> Result<Answers, Error> {
    let (Bound { lowered, measured, .. }, options) = (part.question.bound, part.question.options);
    if part.len() == 0 || options.config.engine == EngineName::Naive {
        let queries = all(lowered);
        let samples = |(index, query): (usize, &&Query)| {
            (index >= measured.first && query.is_experiment()).then(|| samples_by_definition(part, query))
        };
        let samples = queries.iter().enumerate().map(samples).collect();
        let errors = vec![None; queries.len()];
        let values = queries.into_iter().map(|query| by_definition(part, query)).collect();
        return Ok(Answers { values, samples, errors });
    }
    let (limits, threads) = (&options.config.limits, options.read.pieces.threads);
    Ok(measured.queries.answers(part.trace(), &|formula| part.row(formula), limits, threads)?)
}

fn samples_by_definition(part: &Part<'_>, query: &Query) -> Sampled {
    let holds = |formula, position| part.holds(formula, position);
    Samples::of_outcomes(semantics::values_where(query, part.trace(), &holds))
}

fn by_definition(part: &Part<'_>, query: &Query) -> Outcome {
    semantics::value_where(query, part.trace(), &|formula, position| part.holds(formula, position))
}

/// The value of a query that is part of another.
pub(super) fn value_of_part(part: &Part<'_>, formulas: &Formulas, query: &Query) -> Result<Option<Value>, Error> {
    let outcome = if part.len() == 0 || part.question.options.config.engine == EngineName::Naive {
        by_definition(part, query)
    } else {
        let queries = Queries::new(formulas, [query]);
        let limits = &part.question.options.config.limits;
        queries.values(part.trace(), &|formula| part.row(formula), limits)?.swap_remove(0)
    };
    outcome.map_err(|error| in_whole(part, error))
}

/// The values of a query at all positions of a part.
pub(super) fn samples_of_part(part: &Part<'_>, formulas: &Formulas, query: &Query) -> Result<Sampled, Error> {
    if part.len() == 0 || part.question.options.config.engine == EngineName::Naive {
        return Ok(samples_by_definition(part, query));
    }
    let queries = Queries::sampling(formulas, [(query, true)]);
    let options = part.question.options;
    let (limits, threads) = (&options.config.limits, options.read.pieces.threads);
    let mut answers = queries.answers(part.trace(), &|formula| part.row(formula), limits, threads)?;
    Ok(answers.samples.swap_remove(0).unwrap_or_else(|| samples_by_definition(part, query)))
}

/// The error of a part as one of the whole trace.
pub(super) fn in_whole(part: &Part<'_>, error: EvaluationError) -> Error {
    let position = part.in_whole(error.position);
    part.question.evaluation_error(&EvaluationError { position, ..error })
}
