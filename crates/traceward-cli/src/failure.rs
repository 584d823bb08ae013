//! How a run ends.

use std::io::Write;

/// What the exit status tells.
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
    /// 0, 1 or 2.
    pub fn exit_status(self) -> u8 {
        self as u8
    }
}

/// Why a command could not do its work.
#[derive(Debug)]
pub enum Failure {
    /// Told to the user as it stands; it begins with `error:`.
    Message(String),
    /// The output could not be written.
    Output(std::io::Error),
}

impl Failure {
    /// A message to the user.
    pub fn new(message: impl std::fmt::Display) -> Self {
        Self::Message(format!("error: {message}"))
    }

    /// What went wrong, without `error:` before it and without colours.
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

/// Writes a line to standard error.
pub fn tell(message: &str) {
    let _ = writeln!(anstream::stderr(), "{message}");
}
