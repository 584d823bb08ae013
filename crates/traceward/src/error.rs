//! Why a question could not be answered.

use crate::render::Style;
use crate::spec::{SpecError, SpecPlace};
use std::fmt;
use traceward_engine::limit::{BuildError, GaveUp, Unsupported};
use traceward_trace::TraceError;

/// Why a question could not be answered.
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
        /// What is wrong with the value.
        error: TraceError,
        /// The spec, and where it uses the variable.
        used: SpecPlace,
    },
    /// An expression cannot be evaluated at some state.
    Evaluation {
        /// What went wrong.
        message: String,
        /// The source line of the state.
        line: u64,
    },
    /// The engine that was asked for reached a limit.
    GaveUp(GaveUp),
    /// The engine that was asked for cannot take a formula.
    Unsupported(Unsupported),
    /// No verdict on a property can be had while its trace goes on.
    CannotFollow {
        /// The property's name.
        property: String,
        /// Why the engine could not be made.
        error: BuildError,
    },
    /// What was asked for cannot be had together.
    Request(String),
}

impl Error {
    /// The error as text; `trace` is what to call the trace.
    pub fn render(&self, trace: &str, style: Style<'_>) -> String {
        match self {
            Self::Spec(error) => error.render(style),
            Self::Mismatch(error) => format!("{}\n  = note: asked of {trace}", error.render(style)),
            Self::Trace(error) => {
                let help = error.help().iter().map(|help| format!("\n  help: {}", style.help(help))).collect::<String>();
                format!("error: {}{help}", placed(trace, error))
            }
            Self::Unfit { error, used } => used.render(&placed(trace, error), error.help(), style),
            Self::Evaluation { message, line } => format!("error: {trace}:{line}: {message}"),
            Self::GaveUp(gave_up) => format!("error: {gave_up}"),
            Self::Unsupported(unsupported) => format!("error: {unsupported}"),
            Self::CannotFollow { property, error } => format!("error: {}", cannot_follow(property, error)),
            Self::Request(message) => format!("error: {message}"),
        }
    }
}

fn cannot_follow(property: &str, error: &BuildError) -> String {
    let reason = match error {
        BuildError::Unsupported(Unsupported { engine, what, instead: "observer" }) => {
            return format!("`{property}` cannot be followed: the engine {engine} does not take {what}; observer can");
        }
        BuildError::Unsupported(Unsupported { engine, what, .. }) => {
            format!("the engine {engine} does not take {what}")
        }
        BuildError::GaveUp(gave_up) => gave_up.to_string(),
    };
    format!("`{property}` cannot be followed: {reason}; `traceward check` answers when the trace has ended")
}

/// The message of an error with file and line before it.
fn placed(trace: &str, error: &TraceError) -> String {
    match error.line() {
        Some(line) => format!("{trace}:{line}: {}", error.message()),
        None => format!("{trace}: {}", error.message()),
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

impl From<GaveUp> for Error {
    fn from(gave_up: GaveUp) -> Self {
        Self::GaveUp(gave_up)
    }
}

impl From<BuildError> for Error {
    fn from(error: BuildError) -> Self {
        match error {
            BuildError::Unsupported(unsupported) => Self::Unsupported(unsupported),
            BuildError::GaveUp(gave_up) => Self::GaveUp(gave_up),
        }
    }
}
