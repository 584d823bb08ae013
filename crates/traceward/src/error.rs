//! The reason why a question could not be answered.

use crate::monitor::RestoreError;
use crate::render::Style;
use crate::spec::{SpecError, SpecPlace};
use std::fmt;
use traceward_engine::limit::{BuildError, GaveUp, Unsupported};
use traceward_engine::query::online::Unfollowable;
use traceward_engine::select::EngineName;
use traceward_logic::shown::Shown;
use traceward_trace::{LineUnit, TraceError};

/// The reason why a question could not be answered.
#[derive(Debug)]
pub enum Error {
    /// The spec is wrong.
    Spec(SpecError),
    /// The spec does not fit the trace.
    Mismatch(SpecError),
    /// The trace cannot be read.
    Trace(TraceError),
    /// A value of the trace is not what the spec's use of it asks.
    Unfit {
        /// The error of the value.
        error: TraceError,
        /// The spec, and where it uses the variable.
        used: SpecPlace,
    },
    /// An expression cannot be evaluated at some state.
    Evaluation {
        /// The message.
        message: String,
        /// The source line of the state.
        line: u64,
    },
    /// The engine that was asked for reached a limit.
    GaveUp {
        /// The property's name, if it is known.
        property: Option<String>,
        /// The limit, and what else could be done.
        gave_up: GaveUp,
    },
    /// The engine that was asked for cannot take a formula.
    Unsupported(Unsupported),
    /// No verdict on a property can be had while its trace goes on.
    CannotFollow {
        /// The property's name.
        property: String,
        /// The reason why the engine could not be made.
        error: BuildError,
    },
    /// The values of a query cannot be had while its trace goes on.
    CannotMeasure {
        /// The name of the query, or of the assert.
        query: String,
        /// The reason.
        error: Unfollowable,
    },
    /// Bytes are no monitor of the spec.
    Restore(RestoreError),
    /// The question is one that cannot be answered.
    Request(Request),
}

impl Error {
    /// The same error, said of a property if an engine gave up on it.
    pub(crate) fn of_property(self, name: impl FnOnce() -> String) -> Self {
        match self {
            Self::GaveUp { property: None, gave_up } => Self::GaveUp { property: Some(name()), gave_up },
            other => other,
        }
    }

    /// The error as text; `trace` is what to call the trace.
    pub fn render(&self, trace: &str, style: Style<'_>) -> String {
        match self {
            Self::Spec(error) => error.render(style),
            Self::Mismatch(error) => format!("{}\n  = note: asked of {trace}", error.render(style)),
            Self::Trace(error) => {
                let help =
                    error.help().iter().map(|help| format!("\n  help: {}", style.help(help))).collect::<String>();
                format!("error: {}{help}", placed(trace, error))
            }
            Self::Unfit { error, used } => used.render(&placed(trace, error), error.help(), style),
            Self::Evaluation { message, line } => format!("error: {trace}:{line}: {}", Shown(message)),
            Self::GaveUp { property: Some(property), gave_up } => format!("error: `{}`: {gave_up}", Shown(property)),
            Self::GaveUp { property: None, gave_up } => format!("error: {gave_up}"),
            Self::Unsupported(unsupported) => format!("error: {unsupported}"),
            Self::CannotFollow { property, error } => format!("error: {}", cannot_follow(property, error)),
            Self::CannotMeasure { query, error } => format!("error: `{}`: {error}", Shown(query)),
            Self::Restore(error) => format!("error: {error}"),
            Self::Request(request) => format!("error: {request}"),
        }
    }
}

/// A question that cannot be answered so, whatever the trace.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Request {
    /// Truth at every position of a trace that is split by key.
    TruthByKey,
    /// Truth at every position from an engine that does not tell it.
    NoTruth {
        /// The engine.
        engine: EngineName,
    },
    /// The table of an engine that has none.
    TableOfOtherEngine,
    /// The table of a long trace.
    TableTooLong {
        /// The number of its states.
        states: usize,
        /// The most there can be.
        limit: usize,
    },
    /// The steps of a trace that is split by key.
    StepsByKey,
    /// The steps of an engine that holds nothing from one state to the next.
    NoSteps {
        /// The engine.
        engine: EngineName,
    },
    /// The steps of a long trace.
    StepsTooLong {
        /// The number of its states.
        states: usize,
        /// The most there can be.
        limit: usize,
    },
    /// Steps in which an engine holds more than anybody could read.
    StepsTooLarge {
        /// The name of the property.
        property: String,
        /// The position of the state after which it is so; none if it is about the whole trace.
        position: Option<usize>,
        /// The number of nodes that may be held after a state.
        limit: usize,
    },
    /// A comparison of approximate values that are too close.
    TooClose {
        /// The values, in words.
        doubt: String,
    },
    /// The definition itself on a long trace.
    TooLongForNaive {
        /// The number of its states.
        states: usize,
    },
    /// The bytes of a monitor that records the states it has seen.
    SaveRecorded,
    /// A monitor of one trace for a spec that splits it by key.
    MonitorByKey,
    /// A monitor of keys for a spec that does not say what the key is.
    NoKey,
    /// An end marker for traces that are not split by key.
    EndWithoutKey,
    /// Coverage or waiting times of a trace that goes on and is split by key.
    RunsByKey,
    /// More keys at a time than may be followed.
    TooManyKeys {
        /// The number of keys that may be followed.
        limit: usize,
    },
    /// A comparison of other than two properties.
    NotTwoProperties {
        /// The number of properties.
        properties: usize,
    },
    /// A question about properties without a trace, and a query measures one.
    Measures {
        /// The query's text.
        query: String,
    },
    /// A question about properties, and there is none.
    NoProperty,
    /// Something that cannot be found out about properties, in words.
    Undecided(String),
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TruthByKey => f.write_str("truth at every position cannot be shown for a trace that is split by key"),
            Self::NoTruth { engine } => {
                write!(f, "the engine {engine} does not tell truth at every position; reverse does")
            }
            Self::TableOfOtherEngine => f.write_str("the table belongs to the engine reverse"),
            Self::TableTooLong { states, limit } => {
                write!(f, "the table is for short traces: this one has {states} states, and the limit is {limit}")
            }
            Self::StepsByKey => f.write_str("steps are shown of a trace that is not split by key"),
            Self::NoSteps { engine } => {
                let others = EngineName::ALL.iter().filter(|other| other.holds_something());
                let others: Vec<&str> = others.map(|other| other.name()).collect();
                write!(f, "the engine {engine} has no steps to show; there are those of {}", others.join(", "))
            }
            Self::StepsTooLong { states, limit } => {
                write!(f, "steps are shown of short traces: this one has {states} states, and the limit is {limit}")
            }
            Self::StepsTooLarge { property, position, limit } => {
                let property = Shown(property);
                let when = position.map(|position| format!(" after position {position}")).unwrap_or_default();
                write!(
                    f,
                    "nobody could read the steps of `{property}`: there are more than {limit} nodes to show{when}"
                )
            }
            Self::TooClose { doubt } => write!(f, "a comparison is not decided: {doubt}"),
            Self::TooLongForNaive { states } => write!(
                f,
                "the engine naive is quadratic in the trace, and this one has {states} states; reverse answers the same"
            ),
            Self::MonitorByKey => f.write_str(
                "this monitor follows one trace, and the spec splits it by key; a keyed monitor follows each",
            ),
            Self::NoKey => f.write_str("traces are followed by key, and nothing says which column holds it"),
            Self::EndWithoutKey => f.write_str("a marker ends the traces of keys, and the trace is not split by key"),
            Self::RunsByKey => f.write_str(
                "coverage and waiting times are not told of traces that are followed by key; \
                 they are of a trace that has ended",
            ),
            Self::TooManyKeys { limit } => {
                write!(f, "there are more than {limit} keys at a time, which is the most that may be followed")
            }
            Self::SaveRecorded => f.write_str(
                "a monitor that records states for coverage and waiting cannot be saved, \
                 because that would be the whole trace; one that is asked for verdicts and values alone can",
            ),
            Self::NotTwoProperties { properties: 1 } => {
                f.write_str("two properties are compared, and there is only one")
            }
            Self::NotTwoProperties { properties } => {
                write!(f, "two properties are compared, and there are {properties}")
            }
            Self::Measures { query } => {
                write!(f, "`{}` measures a trace, and only formulas can be looked at without one", Shown(query))
            }
            Self::NoProperty => f.write_str("there is no property to look at"),
            Self::Undecided(reason) => write!(f, "{}", Shown(reason)),
        }
    }
}

fn cannot_follow(property: &str, error: &BuildError) -> String {
    let property = Shown(property);
    let reason = match error {
        BuildError::Unsupported(Unsupported { engine, what, instead }) => {
            return format!("`{property}` cannot be followed: the engine {engine} does not take {what}; {instead} can");
        }
        BuildError::GaveUp(gave_up) => gave_up.to_string(),
    };
    format!("`{property}` cannot be followed: {reason}; its answer is known when the trace has ended")
}

/// The message of an error with file and line before it.
fn placed(trace: &str, error: &TraceError) -> String {
    match (error.line(), error.unit()) {
        (Some(line), LineUnit::Line) => format!("{trace}:{line}: {}", error.message()),
        (Some(row), LineUnit::Row) => format!("{trace}: row {row}: {}", error.message()),
        (None, _) => format!("{trace}: {}", error.message()),
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render("the trace", Style::default()))
    }
}

impl std::error::Error for Error {}

impl From<SpecError> for Error {
    fn from(error: SpecError) -> Self {
        Self::Spec(error)
    }
}

impl From<TraceError> for Error {
    fn from(error: TraceError) -> Self {
        Self::Trace(error)
    }
}

impl From<RestoreError> for Error {
    fn from(error: RestoreError) -> Self {
        Self::Restore(error)
    }
}

impl From<Request> for Error {
    fn from(request: Request) -> Self {
        Self::Request(request)
    }
}

impl From<GaveUp> for Error {
    fn from(gave_up: GaveUp) -> Self {
        Self::GaveUp { property: None, gave_up }
    }
}

impl From<BuildError> for Error {
    fn from(error: BuildError) -> Self {
        match error {
            BuildError::Unsupported(unsupported) => Self::Unsupported(unsupported),
            BuildError::GaveUp(gave_up) => gave_up.into(),
        }
    }
}
