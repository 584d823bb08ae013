//! What is said about a spec, and where: independent of how it is shown.

use crate::value::ValueType;
use std::fmt;
use std::ops::Range;

/// One text that specs are read from: a file or the text of a `-e`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct SourceId(pub u32);

/// A place in a source, as a range of bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Span {
    /// The text that the place is in.
    pub source: SourceId,
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

impl Span {
    /// A place in a source. Sources are limited to 4 GiB by the parser.
    pub fn new(source: SourceId, range: Range<usize>) -> Self {
        Self { source, start: range.start as u32, end: range.end as u32 }
    }

    /// The place from the beginning of this one to the end of another.
    pub fn to(self, other: Self) -> Self {
        Self { end: other.end.max(self.start), ..self }
    }

    /// The place as a range of bytes.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// The severity of a diagnostic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Severity {
    /// The question cannot be answered.
    Error,
    /// The question can be answered, but probably says something else than was meant.
    Warning,
    /// The question can be answered, and there is something to know about it.
    Note,
}

/// A message about a place in a spec.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// The severity of a diagnostic.
    pub severity: Severity,
    /// The message: what is wrong, in one line.
    pub message: String,
    /// The place that the message is about.
    pub span: Span,
    /// The text to write under the place; may be empty.
    pub label: String,
    /// Other places that have to do with the message, and the text to write under each.
    pub also: Vec<(Span, String)>,
    /// The ways out, where there are any.
    pub help: Vec<Help>,
}

/// A way out of what is wrong with a spec.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Help {
    /// Another text to write.
    Text(String),
    /// A setting to make.
    Remedy(Remedy),
}

impl From<String> for Help {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for Help {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<Remedy> for Help {
    fn from(remedy: Remedy) -> Self {
        Self::Remedy(remedy)
    }
}

impl fmt::Display for Help {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Remedy(remedy) => remedy.fmt(f),
        }
    }
}

/// A setting that would help. It displays as a line of a spec where there is one; a program that
/// has options for it words it by their names instead.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Remedy {
    /// A text stands for a missing value.
    NullText(String),
    /// A variable has a type.
    DeclareType {
        /// The variable.
        variable: String,
        /// The type of the variable.
        ty: ValueType,
    },
    /// A missing value is no error.
    TolerateMissing,
    /// A column holds the timestamps.
    NameTimeColumn,
    /// The timestamps in this column are plain numbers of some unit.
    TimeInUnit(String),
    /// The timestamps in this column are dates.
    TimeInDates(String),
    /// A column splits the trace by its value.
    SplitByKey,
    /// More memory for states is allowed.
    MoreMemory,
    /// A column is the one that strings alone are compared with.
    NameEventColumn,
    /// Inspecting the input tells what there is.
    Inspect,
    /// This command of another program makes an input that is read, and writes it to its output.
    ConvertWith(String),
    /// The records are sorted by their timestamps.
    SortByTime,
    /// The year of the first date is given.
    GiveYear,
    /// The first line of the input is no header.
    NoHeader,
    /// The input is CSV, though it looks like something else.
    TakeForCsv,
}

impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NullText(text) => write!(f, "say that `{text}` stands for a missing value"),
            Self::DeclareType { variable, ty } => write!(f, "declare its type: `trace {{ {variable}: {ty} }}`"),
            Self::TolerateMissing => f.write_str("say `trace { missing false }` or `trace { missing hold }`"),
            Self::NameTimeColumn => f.write_str(
                "say which column holds them: `trace { time COLUMN }` for dates, `trace { time COLUMN:ms }` for plain numbers",
            ),
            Self::TimeInUnit(column) => write!(f, "say their unit, e.g. `trace {{ time {column}:ms }}`"),
            Self::TimeInDates(column) => write!(f, "for dates, leave the unit out: `trace {{ time {column} }}`"),
            Self::MoreMemory => f.write_str("allow more memory for states"),
            Self::SplitByKey => f.write_str("split them by key: `trace { by COLUMN }`"),
            Self::Inspect => f.write_str("inspecting the input lists its names"),
            Self::ConvertWith(command) => write!(f, "read the output of `{command}` instead"),
            Self::SortByTime => f.write_str("sort the records by time"),
            Self::GiveYear => f.write_str("say the year of the first date, or write dates with their year"),
            Self::NoHeader => f.write_str("if the first line is a record, say that there is no header"),
            Self::TakeForCsv => f.write_str("if it is CSV all the same, say that it is"),
            Self::NameEventColumn => f.write_str("name the column that strings stand for: `trace { event COLUMN }`"),
        }
    }
}

impl Diagnostic {
    /// An error at a place.
    pub fn error(span: Span, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            message: message.into(),
            span,
            label: String::new(),
            also: Vec::new(),
            help: Vec::new(),
        }
    }

    /// A warning at a place.
    pub fn warning(span: Span, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(span, message) }
    }

    /// A note at a place.
    pub fn note(span: Span, message: impl Into<String>) -> Self {
        Self { severity: Severity::Note, ..Self::error(span, message) }
    }

    /// Says something under the place itself.
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Says something under another place that has to do with it.
    pub fn also(mut self, span: Span, label: impl Into<String>) -> Self {
        self.also.push((span, label.into()));
        self
    }

    /// Adds a way out.
    pub fn help(mut self, help: impl Into<Help>) -> Self {
        self.help.push(help.into());
        self
    }

    /// Adds a way out, if there is one.
    pub fn maybe_help(mut self, help: Option<impl Into<Help>>) -> Self {
        self.help.extend(help.map(Into::into));
        self
    }
}

/// The names most like the one given, best first; none that is too far off to be what was meant.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let lower = name.to_lowercase();
    // Of names with one letter every other is one slip away.
    let allowed = if name.chars().count() < 2 { 0 } else { (name.chars().count() / 3).max(1) };
    let mut scored: Vec<(usize, &str)> = candidates
        .into_iter()
        .filter_map(|candidate| {
            let other = candidate.to_lowercase();
            let distance = strsim::damerau_levenshtein(&lower, &other);
            let is_path_to_it = other.strip_suffix(&lower).is_some_and(|path| path.ends_with(['.', ' ']));
            let near = distance <= allowed || is_path_to_it || (lower.len() >= 3 && other.starts_with(&lower));
            near.then_some((distance, candidate))
        })
        .collect();
    scored.sort();
    scored.dedup();
    scored.into_iter().take(3).map(|(_, candidate)| candidate).collect()
}

/// ``did you mean `grant`?`` for the nearest names, if any is near.
pub fn did_you_mean<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let near = nearest(name, candidates);
    let quoted: Vec<String> = near.iter().map(|name| format!("`{name}`")).collect();
    (!quoted.is_empty()).then(|| format!("did you mean {}?", quoted.join(" or ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_names_tolerate_slips_but_not_strangers() {
        let names = ["grant", "request", "event.state.term", "Activity"];
        assert_eq!(nearest("grnat", names), ["grant"]);
        assert_eq!(nearest("term", names), ["event.state.term"]);
        assert_eq!(nearest("state.term", names), ["event.state.term"]);
        assert_eq!(nearest("activity", names), ["Activity"]);
        assert!(nearest("voltage", names).is_empty());
        assert_eq!(did_you_mean("requst", names).as_deref(), Some("did you mean `request`?"));
    }
}
