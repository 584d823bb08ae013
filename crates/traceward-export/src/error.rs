//! Reasons why there is no automaton, or no such form of it.

use crate::monitor::timed::Unbounded;
use crate::sketch::TooManyDisjuncts;
use std::fmt;
use traceward_engine::automaton::deterministic::LabelsTooLong;
use traceward_engine::limit::{BuildError, Feature, Limit};

/// The reason why there is no automaton of a property, or no such form of it. Its text says what is
/// wrong; what to do about it depends on who asks, so that is left to them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExportError {
    /// The spec has no property.
    NoProperty,
    /// The spec has several properties, and none was chosen.
    SeveralProperties {
        /// The names of the properties.
        names: Vec<String>,
    },
    /// The spec has no property of the name asked for.
    UnknownProperty {
        /// The name asked for.
        wanted: String,
        /// The names that there are.
        names: Vec<String>,
    },
    /// What was asked for is a query: it measures a trace, and the automaton is one of formulas.
    Query {
        /// The text of the query.
        text: String,
    },
    /// A part has a bound, which alternating automata cannot count.
    Bound {
        /// The text of the part.
        part: String,
    },
    /// A part has a bound in time, and the automaton counts steps.
    BoundInTime {
        /// The text of the part.
        part: String,
    },
    /// A part takes any number of deadlines, and a monitor in another language keeps a fixed
    /// number.
    Deadlines {
        /// The text of the part.
        part: String,
        /// The reason why one deadline is not enough for the part.
        reason: Unbounded,
    },
    /// The construction does not take something that the formula has in it.
    Unsupported {
        /// The thing that is not taken.
        what: Feature,
    },
    /// The construction met a limit.
    TooLarge {
        /// The limit.
        limit: Limit,
    },
    /// The labels are too long to be written.
    LabelsTooLong(LabelsTooLong),
    /// A condition has more disjuncts than may be drawn.
    TooManyDisjuncts(TooManyDisjuncts),
}

impl fmt::Display for ExportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoProperty => f.write_str("there is no property to make an automaton of"),
            Self::SeveralProperties { names } => {
                write!(f, "there are {} properties, and an automaton is made of one", names.len())
            }
            Self::UnknownProperty { wanted, .. } => write!(f, "there is no property `{wanted}`"),
            Self::Query { text } => write!(f, "`{text}` measures a trace, and such an automaton is of a formula"),
            Self::Bound { part } => write!(f, "`{part}` has a bound, and an alternating automaton cannot count"),
            Self::BoundInTime { part } => write!(f, "`{part}` has a bound in time, and this automaton counts steps"),
            Self::Deadlines { part, reason } => {
                write!(f, "`{part}` {reason}, and a monitor in C or Rust keeps a fixed number of deadlines")
            }
            Self::Unsupported { what } => write!(f, "there is no such automaton with {what}"),
            Self::TooLarge { limit: limit @ (Limit::Work(_) | Limit::Memory(_)) } => {
                write!(f, "the automaton is too large: {limit}")
            }
            Self::TooLarge { limit } => limit.fmt(f),
            Self::LabelsTooLong(error) => error.fmt(f),
            Self::TooManyDisjuncts(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ExportError {}

impl From<LabelsTooLong> for ExportError {
    fn from(error: LabelsTooLong) -> Self {
        Self::LabelsTooLong(error)
    }
}

impl From<TooManyDisjuncts> for ExportError {
    fn from(error: TooManyDisjuncts) -> Self {
        Self::TooManyDisjuncts(error)
    }
}

/// An automaton is asked for, not an answer: an engine that could answer instead is of no help
/// here.
impl From<BuildError> for ExportError {
    fn from(error: BuildError) -> Self {
        match error {
            BuildError::Unsupported(unsupported) => Self::Unsupported { what: unsupported.what },
            BuildError::GaveUp(gave_up) => Self::TooLarge { limit: gave_up.limit },
        }
    }
}
