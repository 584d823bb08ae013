//! What has come of the traces of keys, summed up.

use super::super::program::Program;
use super::super::{Abandoned, Known, Place};
use super::trails::Trail;
use crate::summary::Summary;
use std::sync::Arc;
use traceward_engine::query::Tolerance;
use traceward_logic::query::Measure;
use traceward_logic::value::Value;
use traceward_logic::verdict::Verdict;

/// A key for which a property is violated.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyViolation {
    /// The key.
    pub key: Arc<str>,
    /// The number of the trace among those of its key, counted from 1.
    pub number: u32,
    /// The state that made it so, with the values of the property's variables; none if that was the
    /// end of the trace.
    pub decided_by: Option<Place>,
    /// The number among all traces.
    pub(super) serial: u64,
}

/// What is known of a property over the keys.
#[derive(Clone, PartialEq, Debug)]
pub struct KeyedProperty<'a> {
    /// The name of the property.
    pub name: &'a str,
    /// The text of the property in the spec.
    pub formula: &'a str,
    /// The description in the spec.
    pub description: Option<&'a str>,
    /// The worst verdict of any trace.
    pub verdict: Verdict,
    /// The number of traces.
    pub checked: u64,
    /// The number of traces for which it is violated.
    pub violated: u64,
    /// The number of traces that have ended and satisfy it only because a trigger never happened.
    pub vacuous: u64,
    /// The trigger that never happened, if that is so for all traces.
    pub vacuous_trigger: Option<&'a str>,
    /// The number of traces for which it could not be followed.
    pub unknown: u64,
    /// The reason why it could not be for one of them.
    pub gave_up: Option<&'a Abandoned>,
    /// The first traces for which it is violated, in the order of their first states.
    pub first_violations: &'a [KeyViolation],
}

/// What is known of a query over the keys whose traces have ended.
#[derive(Clone, Debug)]
pub struct KeyedQuery<'a> {
    /// The name of the query.
    pub name: &'a str,
    /// The text of the query in the spec.
    pub query: &'a str,
    /// The description in the spec.
    pub description: Option<&'a str>,
    /// What the numbers in its values are.
    pub measure: &'a Measure,
    /// The values summed up.
    pub summary: Summary,
    /// How far the numbers that values are made of may be off; none if they are exact.
    pub tolerance: Option<Tolerance>,
    /// The key for which there is no value, and why, if there is one.
    pub lost: Option<(&'a str, &'a Abandoned)>,
}

/// Counts the verdicts on a property.
#[derive(Clone, Debug, Default)]
pub(super) struct PropertyTally {
    pub(super) violated: u64,
    pub(super) vacuous: u64,
    pub(super) unknown: u64,
    pub(super) gave_up: Option<Abandoned>,
    /// The first violations by their serials.
    pub(super) first: Vec<KeyViolation>,
    /// The first trace that left a trigger unmet, and the trigger.
    pub(super) unmet: Option<(u64, usize)>,
}

impl PropertyTally {
    /// Counts a trace for which the property is violated.
    pub(super) fn violate(&mut self, trail: &Trail, decided_by: Option<&Place>, most: usize) {
        self.violated += 1;
        let place = self.first.partition_point(|one| one.serial < trail.serial);
        if place < most {
            let (key, number, serial) = (trail.key.clone(), trail.number, trail.serial);
            self.first.insert(place, KeyViolation { key, number, decided_by: decided_by.cloned(), serial });
            self.first.truncate(most);
        }
    }

    /// Counts a trace for which nothing more will be known.
    pub(super) fn give_up(&mut self, reason: &Abandoned) {
        self.unknown += 1;
        if self.gave_up.is_none() {
            self.gave_up = Some(reason.clone());
        }
    }

    /// Counts a trace that satisfies the property, and a trigger that it left unmet.
    pub(super) fn leave_unmet(&mut self, serial: u64, trigger: usize) {
        self.vacuous += 1;
        if self.unmet.is_none_or(|(first, _)| serial < first) {
            self.unmet = Some((serial, trigger));
        }
    }
}

/// Collects the values of a query.
#[derive(Clone, Debug, Default)]
pub(super) struct QueryTally {
    /// The value of each trace that has ended, by its serial.
    pub(super) values: Vec<(u64, Arc<str>, Option<Value>)>,
    pub(super) tolerance: Option<Tolerance>,
    pub(super) lost: Option<(Arc<str>, Abandoned)>,
}

impl QueryTally {
    pub(super) fn add(&mut self, trail: &Trail, known: &Known) {
        let lost = |reason: Abandoned| (trail.label(), reason);
        match known {
            Known::Value { value, tolerance, .. } => {
                self.tolerance = self.tolerance.into_iter().chain(*tolerance).reduce(Tolerance::or_worse);
                self.values.push((trail.serial, trail.label(), value.clone()));
            }
            Known::Failed(message) => {
                self.lost.get_or_insert_with(|| lost(Abandoned::Evaluation(message.clone())));
            }
            Known::GaveUp(gave_up) => {
                self.lost.get_or_insert_with(|| lost(Abandoned::Limit(gave_up.clone())));
            }
        }
    }

    /// What is known of the query of a place.
    pub(super) fn told<'a>(&'a self, program: &'a Program, index: usize, worst: usize) -> KeyedQuery<'a> {
        let query = &program.queries[index];
        let mut values: Vec<&(u64, Arc<str>, Option<Value>)> = self.values.iter().collect();
        values.sort_unstable_by_key(|(serial, ..)| *serial);
        let values: Vec<_> = values.into_iter().map(|(_, key, value)| (key.clone(), value.clone())).collect();
        KeyedQuery {
            name: &query.name,
            query: &query.text,
            description: query.description.as_deref(),
            measure: &query.measure,
            summary: Summary::of(&values, query.measure.clone(), worst),
            tolerance: self.tolerance,
            lost: self.lost.as_ref().map(|(key, reason)| (&**key, reason)),
        }
    }
}

/// The worst of verdicts: what is violated for one key is violated, what is owed for one is owed.
pub(super) fn worse(one: Verdict, other: Verdict) -> Verdict {
    let rank = |verdict| match verdict {
        Verdict::Violated => 3,
        Verdict::Pending => 2,
        Verdict::Holding => 1,
        Verdict::Satisfied => 0,
    };
    if rank(other) > rank(one) { other } else { one }
}
