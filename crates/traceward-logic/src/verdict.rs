//! What is said of a property.

use std::fmt;

/// The verdict on a property: whether a trace satisfies it. The last two verdicts are given only
/// while the trace goes on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Verdict {
    /// The property holds; while the trace goes on: no continuation can make it fail.
    Satisfied,
    /// The property does not hold; while the trace goes on: no continuation can make it hold.
    Violated,
    /// If the trace ended here, the property would hold.
    Holding,
    /// If the trace ended here, the property would not hold.
    Pending,
}

impl Verdict {
    /// The verdict at the end of a trace.
    pub fn at_end(holds: bool) -> Self {
        if holds { Self::Satisfied } else { Self::Violated }
    }

    /// Whether no continuation can change the verdict.
    pub fn is_final(self) -> bool {
        matches!(self, Self::Satisfied | Self::Violated)
    }

    /// The name of the verdict, in one word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Satisfied => "satisfied",
            Self::Violated => "violated",
            Self::Holding => "holding",
            Self::Pending => "pending",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
