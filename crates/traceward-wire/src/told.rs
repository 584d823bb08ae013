//! Answers with what keeps them from being whole, for documents by which others judge the run.

use crate::{Answer, Property, Verdict};

/// An answer, and the reasons why something in it is none all the same.
#[derive(Clone, PartialEq, Debug)]
pub struct Told {
    /// The answer.
    pub answer: Answer,
    /// The reasons; a failure is one by itself.
    pub shortcomings: Vec<Shortcoming>,
}

/// A reason why a report does not answer what was asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shortcoming {
    /// The name of the property or query that has no answer; none if it is about all.
    pub about: Option<String>,
    /// The reason, in one sentence.
    pub reason: String,
}

impl Shortcoming {
    /// Whether the verdict on a property is open because of it.
    pub(crate) fn leaves_open(&self, property: &Property) -> bool {
        self.about.as_ref() == Some(&property.name) && property.verdict == Verdict::Pending
    }

    /// The reason, with what it is about.
    pub(crate) fn text(&self) -> String {
        self.about.as_ref().map_or_else(|| self.reason.clone(), |name| format!("{name}: {}", self.reason))
    }
}

impl From<Answer> for Told {
    fn from(answer: Answer) -> Self {
        Self { answer, shortcomings: Vec::new() }
    }
}
