//! The answers of `lint` and `compare`.

use crate::{Members, VERSION, Value};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use traceward::hygiene::{Comparison, Lint};

/// What is odd in a spec.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LintDocument {
    /// The version of the documents.
    pub version: u32,
    /// The properties that were looked at.
    pub properties: Vec<String>,
    /// What is odd.
    pub findings: Vec<Finding>,
    /// What could not be found out, and why.
    pub undecided: Vec<String>,
    /// The number of queries and asserts, which were not looked at.
    pub passed_over: usize,
}

/// Something odd about a property.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// What: `unsatisfiable`, `valid`, `implied`, `equivalent` or `conflict`.
    pub finding: String,
    /// The property.
    pub property: String,
    /// The property it is compared with, the first of them if there are several.
    pub other: Option<String>,
    /// All properties it is compared with; of a conflict, those that it cannot hold together with.
    pub others: Vec<String>,
    /// A shortest trace that shows it.
    pub example: Option<Example>,
}

/// A shortest trace that tells something.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Example {
    /// Properties that it satisfies.
    pub satisfies: Vec<String>,
    /// Properties that it violates.
    pub violates: Vec<String>,
    /// Its states: the variables that matter, and their values.
    pub trace: Vec<Members<Value>>,
    /// The timestamps of its states in nanoseconds, if a property has bounds in time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<Vec<i64>>,
}

impl From<&traceward::hygiene::Example> for Example {
    fn from(example: &traceward::hygiene::Example) -> Self {
        let traceward::hygiene::Example { satisfies, violates, states, time } = example;
        Self {
            satisfies: satisfies.clone(),
            violates: violates.clone(),
            trace: states.iter().map(|state| Members::of_values(state)).collect(),
            time: time.clone(),
        }
    }
}

impl From<&Lint> for LintDocument {
    fn from(lint: &Lint) -> Self {
        let Lint { properties, findings, undecided, passed_over } = lint;
        let finding =
            |traceward::hygiene::Finding { oddity, property, others, example }: &traceward::hygiene::Finding| Finding {
                finding: oddity.name().to_owned(),
                property: property.clone(),
                other: others.first().cloned(),
                others: others.clone(),
                example: example.as_ref().map(Example::from),
            };
        Self {
            version: VERSION,
            properties: properties.clone(),
            findings: findings.iter().map(finding).collect(),
            undecided: undecided.clone(),
            passed_over: *passed_over,
        }
    }
}

/// How two properties relate.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ComparisonDocument {
    /// The version of the documents.
    pub version: u32,
    /// How the first relates to the second: `equal`, `stronger`, `weaker` or `neither`.
    pub relation: String,
    /// The two.
    pub properties: Vec<NamedFormula>,
    /// Shortest traces that tell them apart; of equal ones, one that satisfies both, if there is
    /// any.
    pub examples: Vec<Example>,
}

/// A property by its name.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct NamedFormula {
    /// Its name.
    pub name: String,
    /// Its text.
    pub formula: String,
}

impl From<&Comparison> for ComparisonDocument {
    fn from(comparison: &Comparison) -> Self {
        let Comparison { relation, names, formulas, examples } = comparison;
        let named = |(name, formula): (&String, &String)| NamedFormula { name: name.clone(), formula: formula.clone() };
        Self {
            version: VERSION,
            relation: relation.name().to_owned(),
            properties: names.iter().zip(formulas).map(named).collect(),
            examples: examples.iter().map(Example::from).collect(),
        }
    }
}
