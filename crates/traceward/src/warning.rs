//! What is probably a mistake, though there is an answer: a silent pass is taken for good news.

use std::fmt;
use std::sync::Arc;
use traceward_logic::value::Value;

/// A probable mistake in what was asked of a trace.
#[derive(Clone, Debug, PartialEq)]
pub struct Warning {
    /// The kind of mistake, with what it is about.
    pub kind: WarningKind,
    /// The name of the property or query that it is about; none if it is about all.
    pub about: Option<Subject>,
    /// Whether people should be told, and not only programs that look for it.
    pub is_urgent: bool,
}

/// The property or query that a warning is about, by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A property.
    Property(String),
    /// A query.
    Query(String),
}

impl Subject {
    /// The name of the property or query.
    pub fn name(&self) -> &str {
        match self {
            Self::Property(name) | Self::Query(name) => name,
        }
    }
}

/// A kind of probable mistake.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum WarningKind {
    /// A variable is compared with a string that it never has.
    StringNeverOccurs {
        /// The variable.
        variable: Arc<str>,
        /// The string.
        value: Arc<str>,
        /// A value that the variable does have, and that differs by a slip.
        near: Option<Arc<str>>,
    },
    /// A regular expression matches no value of the trace.
    PatternNeverMatches {
        /// The text of the test.
        test: String,
    },
    /// A comparison is true in no state.
    ComparisonNeverTrue {
        /// The text of the comparison.
        comparison: String,
    },
    /// A variable that has only 0 and 1 is a number in a query where a boolean would be a formula.
    NumberForFormula {
        /// The variable.
        variable: Arc<str>,
    },
    /// A bound counts steps though the trace has timestamps.
    StepsBesideTime {
        /// The bound, as text.
        bound: String,
    },
    /// A step is counted where records hold only what has changed.
    StepsAreChanges {
        /// The operator, as text.
        operator: String,
    },
    /// The spec alone is probably not what was meant.
    Spec {
        /// What is probably not meant.
        message: String,
    },
    /// What is certain of a trace that goes on could not be found out.
    NotFollowed {
        /// The reason.
        reason: String,
        /// Whether the property may have been violated for good, so that there is no answer.
        may_be_violated: bool,
    },
}

impl WarningKind {
    /// The name of the kind, as documents write it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::StringNeverOccurs { .. } => "string-never-occurs",
            Self::PatternNeverMatches { .. } => "pattern-never-matches",
            Self::ComparisonNeverTrue { .. } => "comparison-never-true",
            Self::NumberForFormula { .. } => "number-for-formula",
            Self::StepsBesideTime { .. } => "steps-beside-time",
            Self::StepsAreChanges { .. } => "steps-are-changes",
            Self::Spec { .. } => "spec",
            Self::NotFollowed { .. } => "not-followed",
        }
    }

    /// Whether there is no answer because of it.
    pub fn leaves_unanswered(&self) -> bool {
        matches!(self, Self::NotFollowed { may_be_violated: true, .. })
    }
}

impl fmt::Display for WarningKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::StringNeverOccurs { variable, value, near } => {
                write!(f, "`{variable}` is never {}", Value::Str(value.clone()))?;
                match near {
                    Some(near) => write!(f, "; did you mean {}?", Value::Str(near.clone())),
                    None => Ok(()),
                }
            }
            Self::PatternNeverMatches { test } => write!(f, "`{test}` matches no state"),
            Self::ComparisonNeverTrue { comparison } => write!(f, "`{comparison}` is true in no state"),
            Self::NumberForFormula { variable } => write!(
                f,
                "`{variable}` has only 0 and 1, and is a number here, so that 0 counts as well; \
                 `{variable} == 1` asks for ones, and if it is declared boolean it is a formula"
            ),
            Self::StepsBesideTime { bound } => write!(
                f,
                "the bound {bound} counts steps, and the trace has timestamps; a unit makes it a time, as in [0,1s]"
            ),
            Self::StepsAreChanges { operator } => {
                write!(f, "`{operator}` counts steps, and a step is a change here: records hold only what has changed")
            }
            Self::Spec { message } => f.write_str(message),
            Self::NotFollowed { reason, may_be_violated: true } => {
                write!(f, "whether it is violated for good cannot be told: {reason}")
            }
            Self::NotFollowed { reason, may_be_violated: false } => {
                write!(f, "whether it is satisfied for good cannot be told: {reason}")
            }
        }
    }
}

/// The first of some values that differs from a text by a slip: in case, in blanks, or by two
/// letters at the most.
pub(crate) fn near<'a>(text: &str, values: impl Iterator<Item = &'a Arc<str>>) -> Option<Arc<str>> {
    /// Short texts are near to too many.
    const SHORTEST: usize = 4;
    let plain = |text: &str| text.split_whitespace().collect::<String>().to_lowercase();
    let (len, wanted) = (text.chars().count(), plain(text));
    let mut best: Option<(usize, &Arc<str>)> = None;
    for value in values {
        let other = value.chars().count();
        if plain(value) == wanted {
            return Some(value.clone());
        }
        if len.min(other) >= SHORTEST && len.abs_diff(other) <= 2 {
            let distance = strsim::levenshtein(text, value);
            if distance <= 2 && best.is_none_or(|(least, _)| distance < least) {
                best = Some((distance, value));
            }
        }
    }
    best.map(|(_, value)| value.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_recognised() {
        let values: Vec<Arc<str>> = ["ER Sepsis Triage", "ok", "Leucocytes", "error"].map(Arc::from).to_vec();
        let near = |text| near(text, values.iter()).map(|value| value.to_string());
        assert_eq!(near("ER Sepsis Triag").as_deref(), Some("ER Sepsis Triage"));
        assert_eq!(near("er sepsis  triage").as_deref(), Some("ER Sepsis Triage"));
        assert_eq!(near("ERROR").as_deref(), Some("error"));
        assert_eq!(near("OK").as_deref(), Some("ok"));
        assert_eq!(near("no"), None);
        assert_eq!(near("Lactic Acid"), None);
    }
}
