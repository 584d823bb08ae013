//! What can be wrong with an input.

use std::fmt;

/// Texts of the input longer than this are cut in messages.
const SHOWN: usize = 60;

/// Why an input could not be read, and where.
///
/// Its display is one line without file name and line number: the caller, who knows the file, puts `path:line: ` in
/// front.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TraceError(Box<Inner>);

#[derive(Clone, PartialEq, Eq, Debug)]
struct Inner {
    line: Option<u64>,
    column: Option<String>,
    kind: TraceErrorKind,
}

/// What is wrong with an input.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum TraceErrorKind {
    /// The input could not be read.
    Io(String),
    /// Compressed data is damaged.
    Compression {
        /// `gzip` or `zstd`.
        method: &'static str,
        /// What the decompressor says.
        detail: String,
    },
    /// The input is UTF-16.
    Utf16,
    /// A name or value is not UTF-8.
    InvalidUtf8,
    /// The separator is one that CSV itself needs.
    BadSeparator(char),
    /// The header has a name twice, and it is needed.
    DuplicateName,
    /// The time or key column does not exist.
    UnknownColumn {
        /// What the column is for: `time` or `key`.
        role: &'static str,
        /// Names that may have been meant.
        nearest: Vec<String>,
    },
    /// A CSV row has more or fewer fields than the header.
    RaggedRow {
        /// The fields of the header.
        expected: usize,
        /// The fields of the row.
        found: usize,
    },
    /// A quoted CSV field never ends.
    UnterminatedQuote,
    /// Text follows the closing quote of a CSV field.
    TextAfterQuote,
    /// One record is longer than the reader will hold.
    RecordTooLong {
        /// The limit in bytes.
        limit: usize,
    },
    /// A line is no JSON.
    MalformedJson {
        /// The character in the line, 1-based.
        character: usize,
        /// What the parser says.
        detail: String,
    },
    /// A line is JSON but no object.
    NotAnObject {
        /// The character in the line, 1-based.
        character: usize,
        /// What it is instead.
        found: &'static str,
    },
    /// A JSON object or array stands where a value is wanted.
    Container {
        /// `an object` or `an array`.
        found: &'static str,
        /// Full names of some of its members.
        members: Vec<String>,
    },
    /// A value is no boolean.
    NotBool(String),
    /// A value is no number.
    NotNumber(String),
    /// A value is no string.
    NotText(String),
    /// A number does not fit 64 bits.
    NumberTooBig(String),
    /// An integer would be rounded, because the column has fractions as well.
    InexactInteger(i64),
    /// A value is missing, and that is an error here.
    Missing,
    /// A state has no timestamp.
    MissingTime,
    /// Timestamps are plain numbers, and their unit is not known.
    PlainNumberTime(String),
    /// A timestamp is no number, though a unit was given.
    TimeNotNumber(String),
    /// A timestamp is in no layout we know.
    UnreadableTime(String),
    /// A timestamp names no year.
    TimeWithoutYear(String),
    /// A timestamp is too far from 1970 for 64-bit nanoseconds.
    TimeOutOfRange(String),
    /// Day and month cannot be told apart anywhere in the column.
    AmbiguousDate(String),
    /// The day comes first in some dates, the month in others.
    ContradictoryDates {
        /// The date that contradicts.
        text: String,
        /// The line of the date that it contradicts.
        other_line: u64,
    },
    /// Time goes backwards.
    TimeDecreases {
        /// The timestamp.
        now: String,
        /// The one before it.
        before: String,
        /// The line of the one before it.
        before_line: u64,
        /// The key within which it goes backwards.
        key: Option<String>,
    },
    /// There are more states than positions can count.
    TooManyStates {
        /// The most there can be.
        limit: u32,
    },
}

impl TraceError {
    pub(crate) fn new(kind: TraceErrorKind) -> Self {
        Self(Box::new(Inner { line: None, column: None, kind }))
    }

    pub(crate) fn on_line(mut self, line: u64) -> Self {
        self.0.line = Some(line);
        self
    }

    pub(crate) fn in_column(mut self, column: &str) -> Self {
        self.0.column = Some(column.to_owned());
        self
    }

    /// The line of the input, 1-based, where there is one to name.
    pub fn line(&self) -> Option<u64> {
        self.0.line
    }

    /// The name of the column or variable, where there is one to name.
    pub fn column(&self) -> Option<&str> {
        self.0.column.as_deref()
    }

    /// What is wrong, for programs.
    pub fn kind(&self) -> &TraceErrorKind {
        &self.0.kind
    }

    /// What is wrong, for people.
    pub fn message(&self) -> String {
        use TraceErrorKind as Kind;
        let name = self.column().unwrap_or("?");
        match self.kind() {
            Kind::Io(detail) => format!("cannot be read: {detail}"),
            Kind::Compression { method, detail } => format!("the {method} data is damaged or cut short: {detail}"),
            Kind::Utf16 => "the input is UTF-16 text".to_owned(),
            Kind::InvalidUtf8 => match self.column() {
                Some(name) => format!("a value of `{name}` is not UTF-8 text"),
                None => "a name in the header is not UTF-8 text".to_owned(),
            },
            Kind::BadSeparator(separator) => format!("{separator:?} cannot separate fields"),
            Kind::DuplicateName => format!("the header names `{name}` more than once"),
            Kind::UnknownColumn { role, .. } => format!("there is no `{name}`, which was named as the {role} column"),
            Kind::RaggedRow { expected, found } => {
                format!("the row has {}, the header has {expected}", counted(*found, "field"))
            }
            Kind::UnterminatedQuote => "a quoted field that opens here never ends".to_owned(),
            Kind::TextAfterQuote => "text follows the closing quote of a field".to_owned(),
            Kind::RecordTooLong { limit } => format!("a record is longer than {} MiB", limit >> 20),
            Kind::MalformedJson { character, detail } => format!("no valid JSON at character {character}: {detail}"),
            Kind::NotAnObject { character, found } => {
                format!("expected a JSON object at character {character}, found {found}")
            }
            Kind::Container { found, .. } => format!("`{name}` is {found}, not a single value"),
            Kind::NotBool(text) => format!("`{name}` is used as a boolean, but here it is `{}`", shown(text)),
            Kind::NotNumber(text) => format!("`{name}` is used as a number, but here it is `{}`", shown(text)),
            Kind::NotText(text) => format!("`{name}` is compared with a string, but here it is {}", shown(text)),
            Kind::NumberTooBig(text) => format!("`{name}` is {}, which does not fit 64 bits", shown(text)),
            Kind::InexactInteger(int) => {
                format!("`{name}` has fractions, and its integer {int} beyond 2^53 would lose digits among them")
            }
            Kind::Missing => format!("`{name}` has no value"),
            Kind::MissingTime => format!("the state has no timestamp: `{name}` is missing"),
            Kind::PlainNumberTime(text) => format!("column `{name}` holds plain numbers such as {}", shown(text)),
            Kind::TimeNotNumber(text) => {
                format!("`{name}` was given a unit, but its timestamp `{}` is no plain number", shown(text))
            }
            Kind::UnreadableTime(text) => format!("`{name}` is no date we can read: `{}`", shown(text)),
            Kind::TimeWithoutYear(text) => format!("`{name}` names no year: `{}`", shown(text)),
            Kind::TimeOutOfRange(text) => {
                format!("`{name}` is beyond what 64-bit nanoseconds hold (1677 to 2262): `{}`", shown(text))
            }
            Kind::AmbiguousDate(text) => {
                format!("`{name}` is ambiguous: in `{}` and every other date either part may be the day", shown(text))
            }
            Kind::ContradictoryDates { text, other_line } => format!(
                "`{name}` contradicts itself: `{}` and line {other_line} have day and month in different order",
                shown(text)
            ),
            Kind::TimeDecreases { now, before, before_line, key } => {
                let within = key.as_ref().map(|key| format!(" within key `{}`", shown(key))).unwrap_or_default();
                format!("time goes backwards{within}: `{name}` is {now}, but {before} on line {before_line} before it")
            }
            Kind::TooManyStates { limit } => format!("the trace has more than {limit} states"),
        }
    }

    /// The way out, where there is one to name.
    pub fn hint(&self) -> Option<String> {
        use TraceErrorKind as Kind;
        let name = self.column().unwrap_or("?");
        let hint = match self.kind() {
            Kind::Io(_) => return None,
            Kind::Compression { .. } => "fetch or compress the file again".to_owned(),
            Kind::Utf16 | Kind::InvalidUtf8 => "convert the file to UTF-8, for example with iconv".to_owned(),
            Kind::BadSeparator(_) => "use another character, such as , or ;".to_owned(),
            Kind::DuplicateName => "rename one of these columns".to_owned(),
            Kind::UnknownColumn { nearest, .. } if nearest.is_empty() => {
                "`traceward inspect` lists the names there are".to_owned()
            }
            Kind::UnknownColumn { nearest, .. } => format!("did you mean {}?", quoted_list(nearest)),
            Kind::RaggedRow { .. } => {
                "mend the row, quote fields that contain the separator, or name the separator".to_owned()
            }
            Kind::UnterminatedQuote => "close it with \", and double a quote inside a quoted field".to_owned(),
            Kind::TextAfterQuote => "double a quote that belongs to the text".to_owned(),
            Kind::RecordTooLong { .. } => "check that the file has line ends and that its quotes close".to_owned(),
            Kind::MalformedJson { .. } | Kind::NotAnObject { .. } => {
                "each line has to be one JSON object; `jq -c .` or `jq -c '.[]'` makes such lines".to_owned()
            }
            Kind::Container { members, .. } if members.is_empty() => "name one of its members".to_owned(),
            Kind::Container { members, .. } => format!("name one of its members: {}", quoted_list(members)),
            Kind::NotBool(text) if text.parse::<f64>().is_ok() => {
                format!("a boolean is true/false, T/F or 1/0; compare the number with something: `{name} > 0`")
            }
            Kind::NotBool(text) => format!(
                "a boolean is true/false, T/F or 1/0; compare it with something, or, if `{0}` stands for a missing \
                 value, say --null '{0}'",
                shown(text)
            ),
            Kind::NotNumber(text) if matches!(text.as_str(), "true" | "false") => {
                "a boolean is no number; `count(p)` counts where it is true".to_owned()
            }
            Kind::NotNumber(text) if text.replacen(',', ".", 1).parse::<f64>().is_ok() => {
                "numbers are written with a decimal point, not a comma".to_owned()
            }
            Kind::NotNumber(text) => format!(
                "compare it with a string in quotes, or, if that stands for a missing value, say --null '{}'",
                shown(text)
            ),
            Kind::NotText(_) => "write strings in quotes, or compare it with something else".to_owned(),
            Kind::NumberTooBig(_) => "compare it with a string to have it read as text".to_owned(),
            Kind::InexactInteger(_) => "write all values without fractions, or scale them down".to_owned(),
            Kind::Missing => "fill it in, or say --missing false or --missing hold".to_owned(),
            Kind::MissingTime => "every state needs one: remove the record or fill it in".to_owned(),
            Kind::PlainNumberTime(_) => format!("say their unit, e.g. --time {name}:ms"),
            Kind::TimeNotNumber(_) => format!("for dates, leave the unit out: --time {name}"),
            Kind::UnreadableTime(_) => {
                format!("write it like 2014-10-22T11:15:41Z, or as plain numbers with --time {name}:UNIT")
            }
            Kind::TimeWithoutYear(_) => "write dates with their year, like 2014-10-22 11:15:41".to_owned(),
            Kind::TimeOutOfRange(_) => "check the value and its unit".to_owned(),
            Kind::AmbiguousDate(_) | Kind::ContradictoryDates { .. } => {
                "write dates like 2014-10-22, or with dots for day first, like 22.10.2014".to_owned()
            }
            Kind::TimeDecreases { key: None, .. } => {
                "sort the records by time, or, if they belong to different runs, split them with --by".to_owned()
            }
            Kind::TimeDecreases { .. } => "sort the records by time".to_owned(),
            Kind::TooManyStates { .. } => "split the input".to_owned(),
        };
        Some(hint)
    }
}

impl From<TraceErrorKind> for TraceError {
    fn from(kind: TraceErrorKind) -> Self {
        Self::new(kind)
    }
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message())?;
        match self.hint() {
            Some(hint) => write!(f, "; {hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for TraceError {}

/// A text of the input as an error keeps it.
pub(crate) fn lossy(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}

/// A text of the input as a message shows it: on one line, and not too long.
fn shown(text: &str) -> String {
    let mut shown: String = text.chars().take(SHOWN).flat_map(char::escape_debug).collect();
    // escape_debug is for Rust literals; quotes need no escape here.
    shown = shown.replace("\\\"", "\"").replace("\\'", "'");
    if text.chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    shown
}

/// `a`, `b` or `c`
fn quoted_list(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        None => String::new(),
        Some((only, [])) => only.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
    }
}

fn counted(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_one_line_with_a_way_out() {
        let error = TraceError::new(TraceErrorKind::NotNumber("n/a\n\"x\"".to_owned())).on_line(3).in_column("temp");
        assert_eq!(
            error.to_string(),
            "`temp` is used as a number, but here it is `n/a\\n\"x\"`; compare it with a string in quotes, or, if that stands for a missing value, say --null 'n/a\\n\"x\"'"
        );
        assert_eq!((error.line(), error.column()), (Some(3), Some("temp")));
    }

    #[test]
    fn long_texts_are_cut() {
        assert_eq!(shown(&"x".repeat(100)).chars().count(), SHOWN + 1);
    }
}
