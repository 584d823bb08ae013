//! How a run ends.

use crate::arguments::option_of;
use crate::output::{Notation, guarded};
use std::fmt;
use std::io::Write;
use std::panic;
use std::sync::Once;
use traceward::engine::{BuildError, GaveUp, Unsupported};
use traceward::message::{Shown, Style};
use traceward::{Abandoned, EngineName, Error, Request};

/// The outcome of a run, which the exit status tells.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Outcome {
    /// Everything asked holds.
    Holds,
    /// A property is violated.
    Violated,
    /// A question could not be answered; outranks the others.
    Unanswered,
}

impl Outcome {
    /// The exit status: 0, 1 or 2.
    pub fn exit_status(self) -> u8 {
        self as u8
    }
}

/// Prints nothing of panics that are caught: what is wrong with a damaged table is told by its
/// error. Whoever asks for backtraces sees them all the same.
pub fn hush_caught_panics() {
    static HOOK: Once = Once::new();
    if std::env::var_os("RUST_BACKTRACE").is_some() {
        return;
    }
    HOOK.call_once(|| {
        let print = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !traceward_arrow::is_guarded() {
                print(panic);
            }
        }));
    });
}

/// The reason why a command could not do its work.
#[derive(Debug)]
pub enum Failure {
    /// A message, told to the user as it stands; it begins with `error:`.
    Message(String),
    /// The output could not be written.
    Output(std::io::Error),
}

impl Failure {
    /// A message to the user, on one line. Whatever is in it is shown and not obeyed.
    pub fn new(message: impl fmt::Display) -> Self {
        Self::Message(format!("error: {}", Shown(&message.to_string())))
    }

    /// The failure with a way out, on a line of its own.
    #[must_use]
    pub fn help(self, help: impl fmt::Display) -> Self {
        match self {
            Self::Message(message) => Self::Message(format!("{message}\n  help: {}", Shown(&help.to_string()))),
            other => other,
        }
    }

    /// The reason why a question could not be answered: as the library tells it, but with the
    /// options that help. `trace` is the name of the trace.
    pub fn of(error: &Error, trace: &str, style: Style<'_>) -> Self {
        match error {
            Error::GaveUp { property, gave_up } => Self::new(of_property(property.as_deref(), &with_option(gave_up))),
            Error::CannotFollow { property, error } => Self::new(cannot_follow(property, error)),
            Error::CannotMeasure { .. } => Self::Message(error.render(trace, style)).help(MEASURE_AT_END),
            Error::Request(request) => asked(request),
            other => Self::Message(other.render(trace, style)),
        }
    }

    /// The message, without `error:` before it and without colours.
    pub fn text(&self) -> String {
        match self {
            Self::Message(message) => {
                let plain = anstream::adapter::strip_str(message).to_string();
                plain.strip_prefix("error: ").unwrap_or(&plain).to_owned()
            }
            Self::Output(error) => error.to_string(),
        }
    }

    /// Tells the user.
    pub fn report(&self) {
        match self {
            Self::Message(message) => tell(message),
            Self::Output(error) => tell(&format!("error: the output could not be written: {error}")),
        }
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::Output(error)
    }
}

/// The message of an engine that gives up, with the option that raises its limit.
fn with_option(gave_up: &GaveUp) -> String {
    let account = gave_up.account();
    option_of(gave_up.limit).map_or(account.clone(), |option| format!("{account}; {option} raises the limit"))
}

/// The reason why a property is not followed any more, with what to do about it. Of the engines
/// that could answer instead only those that follow a trace are of use.
pub fn given_up(abandoned: &Abandoned) -> String {
    let gave_up = match abandoned {
        Abandoned::Limit(gave_up) => gave_up,
        Abandoned::Evaluation(message) => return Shown(message).to_string(),
    };
    let follows = |name: &str| name.parse().is_ok_and(EngineName::follows);
    let mut reason = format!("the engine {} gave up: {}", gave_up.engine, gave_up.limit);
    gave_up
        .instead
        .iter()
        .filter(|instead| follows(instead.engine))
        .for_each(|instead| reason += &format!("; {instead}"));
    option_of(gave_up.limit).iter().for_each(|option| reason += &format!("; {option} raises the limit"));
    format!("{reason}; {AT_END}")
}

/// A message about a property, if it is known which.
fn of_property(name: Option<&str>, message: &str) -> String {
    name.map_or(message.to_owned(), |name| format!("`{name}`: {message}"))
}

/// The way out for a property that cannot be followed.
const AT_END: &str = "`traceward check` answers when the trace has ended";

/// The message about a question that cannot be answered, with the option or command that asks for
/// something else.
/// What to do with a query that cannot be followed.
const MEASURE_AT_END: &str = "`traceward query` and `traceward check` answer when the trace has ended";

fn asked(request: &Request) -> Failure {
    let help = match request {
        Request::TableOfOtherEngine => {
            return Failure::new("the table belongs to the reverse engine: --engine reverse");
        }
        Request::StepsByKey => return Failure::new("--steps is for a trace that is not split by key"),
        Request::StepsTooLong { .. } => "give it the beginning: head -n 50 trace.csv | traceward check … --steps -",
        Request::StepsTooLarge { .. } => "the beginning of the trace has less to show, and so may another engine",
        Request::TooClose { .. } => "without --approximate the value is exact; a smaller --accuracy comes closer",
        Request::EndWithoutKey => "--by COLUMN says which column holds the key",
        Request::TooManyKeys { .. } => "--max-keys raises the limit; --end-when and --idle end traces of keys",
        Request::NotTwoProperties { .. } => "traceward compare -e FORMULA -e FORMULA",
        other => return Failure::new(other),
    };
    Failure::new(request).help(help)
}

/// The reason why a property cannot be followed, and what to do instead.
fn cannot_follow(property: &str, error: &BuildError) -> String {
    let (reason, way_out) = match error {
        BuildError::Unsupported(Unsupported { engine, what, instead }) => {
            (format!("the engine {engine} does not take {what}"), format!("--engine {instead} can"))
        }
        BuildError::GaveUp(gave_up) => (with_option(gave_up), AT_END.to_owned()),
    };
    format!("`{property}` cannot be followed: {reason}; {way_out}")
}

/// Writes a line to standard error.
pub fn tell(message: &str) {
    let _ = writeln!(anstream::stderr(), "{}", guarded(message, Notation::Coloured));
}
