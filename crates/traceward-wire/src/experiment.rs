//! What the values of an experiment at all positions come to.

use crate::Value;
use crate::evidence::Place;
use crate::report::{Frequencies, Summary};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use traceward::report::{self, ExperimentReport, Findings};

/// What the values of a query come to: those of an experiment over all positions, and those of
/// other queries over keys.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum QuerySummary {
    /// Over all positions.
    Positions(Box<PositionsSummary>),
    /// Over all keys.
    Keys(Box<Summary>),
}

/// What the values of an experiment at all positions come to, of all keys if the trace was split.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PositionsSummary {
    /// The number of positions.
    pub positions: usize,
    /// The number of positions at which the query has a value.
    pub count: usize,
    /// The number of keys, if the trace was split.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keys: Option<usize>,
    /// The number of requests that were never answered, if the query has a latency.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unanswered: Option<usize>,
    /// The unit of the numbers: `ns` of timestamps and of stretches of time, otherwise none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// The figures about the values, if all are numbers.
    #[serde(flatten)]
    pub figures: Option<Figures>,
    /// The counts of the values, if some are no numbers.
    #[serde(flatten)]
    pub frequencies: Option<Frequencies>,
}

/// The figures about numbers; quantiles are values that occur.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Figures {
    /// The least.
    pub min: Value,
    /// The least value with at least half of the values at or below it.
    pub p50: Value,
    /// The same, by its other name.
    pub median: Value,
    /// The same with nine tenths of the values.
    pub p90: Value,
    /// The same with 99 of a hundred.
    pub p99: Value,
    /// The largest.
    pub max: Value,
    /// The mean; null where infinite values of both signs leave none.
    pub mean: Value,
    /// The mean, by the name that queries have for it.
    pub avg: Value,
    /// The largest values and where they are, the largest first.
    pub largest: Vec<Sample>,
}

/// A value of an experiment at a position.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Sample {
    /// The key, if the trace was split.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The value.
    pub value: Value,
    /// The state.
    #[serde(flatten)]
    pub at: Place,
    /// The state that answered, if the experiment is a latency.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered: Option<Place>,
}

impl PositionsSummary {
    /// The summary of a report on an experiment.
    pub(crate) fn new(
        report: &ExperimentReport,
        keys: Option<usize>,
        unanswered: Option<usize>,
        unit: Option<String>,
    ) -> Self {
        let ExperimentReport { is_latency: _, positions, count, findings } = report;
        let (figures, frequencies) = match findings {
            Findings::Nothing => (None, None),
            Findings::Numbers(figures) => (Some(Figures::from(&**figures)), None),
            Findings::Others(frequencies) => (None, Some(Frequencies::from(frequencies))),
        };
        Self { positions: *positions, count: *count, keys, unanswered, unit, figures, frequencies }
    }
}

impl From<&report::Figures> for Figures {
    fn from(figures: &report::Figures) -> Self {
        let report::Figures { min, median, p90, p99, max, mean, largest } = figures;
        let [min, median, p90, p99, max, mean] = [min, median, p90, p99, max, mean].map(Value::from);
        let largest = largest.iter().map(Sample::from).collect();
        Self { min, p50: median.clone(), median, p90, p99, max, avg: mean.clone(), mean, largest }
    }
}

impl From<&report::Sample> for Sample {
    fn from(sample: &report::Sample) -> Self {
        let report::Sample { key, value, at, answered } = sample;
        Self {
            key: key.as_ref().map(ToString::to_string),
            value: value.into(),
            at: at.into(),
            answered: answered.as_ref().map(Place::from),
        }
    }
}
