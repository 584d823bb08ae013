//! What speaks for a violation.

use crate::{Members, Value};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::RangeInclusive;
use traceward::report;

/// Why a property fails at a position.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// The position: of an always one at which its body fails, otherwise 0.
    pub position: usize,
    /// The line of that state in the input, or its row in a table.
    pub line: u64,
    /// What was owed and what happened, the outermost operator first.
    pub reasons: Vec<Reason>,
    /// The propositions that decide, each at a run of positions: whatever holds elsewhere, the
    /// property fails. Null if they are too many to be named.
    pub literals: Option<Vec<Literal>>,
    /// The first and last position of each run of states that decide: whatever other states say,
    /// the property fails.
    pub states: Vec<(usize, usize)>,
}

impl Evidence {
    /// The evidence at the states that speak for a verdict; none if there is none.
    pub(crate) fn of(found: &traceward::Evidence) -> Option<Vec<Self>> {
        let first = found.violations.iter().flat_map(|found| &found.first);
        let evidence: Vec<Self> = first.chain(&found.judged_at).filter_map(Self::new).collect();
        (!evidence.is_empty()).then_some(evidence)
    }

    fn new(violation: &report::Violation) -> Option<Self> {
        let report::Why { reasons, literals, states } = violation.why.as_ref()?;
        let run = |run: &RangeInclusive<usize>| (*run.start(), *run.end());
        Some(Self {
            position: violation.position,
            line: violation.line,
            reasons: reasons.iter().map(Reason::from).collect(),
            literals: literals.as_ref().map(|literals| literals.iter().map(Literal::from).collect()),
            states: states.iter().map(run).collect(),
        })
    }
}

/// A temporal operator that was asked at a position, and what became of it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Reason {
    /// The formula whose outermost operator it is, in the words of the spec.
    pub formula: String,
    /// Whether it looks at the past.
    pub past: bool,
    /// The state at which it was asked.
    pub since: Place,
    /// Whether it holds there.
    pub holds: bool,
    /// What became of it.
    #[serde(flatten)]
    pub outcome: Outcome,
}

impl From<&report::Reason> for Reason {
    fn from(reason: &report::Reason) -> Self {
        let report::Reason { formula, direction, is_bounded: _, since, holds, outcome } = reason;
        Self {
            formula: formula.clone(),
            past: *direction == report::Direction::Past,
            since: Place::from(since),
            holds: *holds,
            outcome: Outcome::from(outcome),
        }
    }
}

/// What became of a temporal operator.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum Outcome {
    /// There is no next, or no earlier, state.
    NoState,
    /// Its operand settled it at a state: it has the operator's value there.
    Settled {
        /// The operand.
        operand: String,
        /// The state.
        at: Place,
    },
    /// Its operand had the operator's value throughout the window.
    Throughout {
        /// The operand.
        operand: String,
        /// The first and last position of the window; null if it has no states.
        window: Option<(usize, usize)>,
        /// Whether the trace ended, or began, before the window did.
        cut: bool,
        /// The state outside the window at which the operand has the other value: the first one
        /// beyond, or else the nearest one before it.
        outside: Option<Place>,
    },
    /// One operand changed before the other one did.
    Broken {
        /// The operand that should have lasted.
        kept: String,
        /// The state at which it did not.
        at: Place,
        /// The operand that was waited for.
        goal: String,
        /// The state at which that came, if it ever did.
        came: Option<Place>,
    },
}

impl From<&report::Outcome> for Outcome {
    fn from(outcome: &report::Outcome) -> Self {
        match outcome {
            report::Outcome::NoState => Self::NoState,
            report::Outcome::Settled { operand, at } => Self::Settled { operand: operand.clone(), at: at.into() },
            report::Outcome::Throughout { operand, window, is_cut, outside } => Self::Throughout {
                operand: operand.clone(),
                window: window.as_ref().map(|(first, last)| (first.position, last.position)),
                cut: *is_cut,
                outside: outside.as_ref().map(Place::from),
            },
            report::Outcome::Broken { kept, at, goal, came } => Self::Broken {
                kept: kept.clone(),
                at: at.into(),
                goal: goal.clone(),
                came: came.as_ref().map(Place::from),
            },
        }
    }
}

/// A state that evidence points at.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Place {
    /// Its position in the trace, or in the key's part of it.
    pub position: usize,
    /// Its line in the input, or its row in a table.
    pub line: u64,
    /// The place in a program at which the state came about, if the input tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<SourcePlace>,
    /// Its timestamp in nanoseconds, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_ns: Option<i64>,
    /// The values that matter there.
    #[serde(default, skip_serializing_if = "Members::is_empty")]
    pub values: Members<Value>,
}

impl From<&report::Place> for Place {
    fn from(place: &report::Place) -> Self {
        let report::Place { position, line, source, time, values } = place;
        let source = source.as_ref().map(SourcePlace::from);
        Self { position: *position, line: *line, source, time_ns: *time, values: Members::of_values(values) }
    }
}

/// A place in a program.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SourcePlace {
    /// The place in a source, such as `mux.c:17`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// The function.
    #[serde(default, rename = "in", skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
}

impl From<&traceward::input::SourcePlace> for SourcePlace {
    fn from(place: &traceward::input::SourcePlace) -> Self {
        let traceward::input::SourcePlace { at, function } = place;
        Self { at: at.as_deref().map(str::to_owned), function: function.as_deref().map(str::to_owned) }
    }
}

impl fmt::Display for SourcePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = |text: &Option<String>| text.as_deref().map(Into::into);
        traceward::input::SourcePlace { at: part(&self.at), function: part(&self.function) }.fmt(f)
    }
}

/// A proposition that has one value at each of a run of positions.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Literal {
    /// The proposition, in the words of the spec.
    pub proposition: String,
    /// Its value there.
    pub holds: bool,
    /// The first and last position of the run.
    pub positions: (usize, usize),
    /// The lines of these states in the input.
    pub lines: (u64, u64),
}

impl From<&report::Literal> for Literal {
    fn from(literal: &report::Literal) -> Self {
        let report::Literal { proposition, holds, first, last } = literal;
        let (positions, lines) = ((first.position, last.position), (first.line, last.line));
        Self { proposition: proposition.clone(), holds: *holds, positions, lines }
    }
}
