//! What can be wrong with an input.

use crate::events::EventsMistake;
use crate::lines::LineUnit;
use crate::unread::WayOut;
use std::fmt;
use traceward_logic::diagnostic::{Help, Remedy};
use traceward_logic::shown::Shown;
use traceward_logic::value::ValueType;

/// Texts of the input longer than this are cut in messages.
const SHOWN: usize = 60;

/// Why an input could not be read, and where.
///
/// Its display is one line without file name and line number: the caller, who knows the file, puts
/// `path:line: ` in front.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TraceError(Box<Inner>);

#[derive(Clone, PartialEq, Eq, Debug)]
struct Inner {
    line: Option<u64>,
    unit: LineUnit,
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
    /// The input is of a format that is recognised and not read.
    NotRead {
        /// The name of the format, with its article.
        what: &'static str,
        /// What to do about it.
        way_out: WayOut,
    },
    /// The input is a table, which cannot be read as a stream of bytes.
    TableInBytes {
        /// The name of the format, with its article.
        what: &'static str,
    },
    /// The input is a table, which cannot be followed.
    TableFollowed {
        /// The name of the format, with its article.
        what: &'static str,
    },
    /// A table is damaged.
    DamagedTable {
        /// The name of the format.
        format: &'static str,
        /// What its decoder says.
        detail: String,
    },
    /// A column of a table has a type whose values are none of ours.
    UnknownType {
        /// The type, as its format names it.
        ty: String,
    },
    /// The input is UTF-16.
    Utf16,
    /// A name or value is not UTF-8.
    InvalidUtf8,
    /// The separator is one that CSV itself needs.
    BadSeparator(char),
    /// Data is compressed with a window that takes more memory than a reader is given.
    WindowTooLarge {
        /// The limit in bytes.
        limit: usize,
    },
    /// The header has a name twice, and it is needed.
    DuplicateName,
    /// A JSON object has a member twice, and it is needed.
    DuplicateMember,
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
    /// A line is JSON, and something that is wanted of it is more than can be held.
    UnheldJson {
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
    /// A value is not of the type that the first value decided.
    UnlikeFirst {
        /// The value.
        text: String,
        /// The type that the first value decided.
        first: ValueType,
    },
    /// A boolean stands where values are compared by order.
    NoOrder(String),
    /// The first value is no boolean, and formulas were made of the variable before it came.
    NotSupposed {
        /// The value.
        text: String,
        /// Its type.
        ty: ValueType,
    },
    /// A line is none of those by which a program tells its states.
    Events(EventsMistake),
    /// The input holds several traces, and one was asked for.
    SeveralTraces {
        /// How many.
        count: usize,
    },
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
    /// A timestamp names a time zone, and not its offset.
    NamedZone(String),
    /// A timestamp names no year.
    TimeWithoutYear(String),
    /// A timestamp names a day that its year does not have.
    NoSuchDay(String),
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
    /// A state comes after the clock has passed its time.
    BehindClock {
        /// The timestamp.
        now: String,
        /// The time that the clock has reached.
        clock: String,
    },
    /// Records go to a file, since they take too much memory, and the file fails.
    Scratch(String),
    /// A timestamp is told by the record before, and records before are in a file.
    ToldByOthers,
    /// Records are to be sorted by time, and no column holds it.
    SortWithoutTime,
    /// Records of a stream are to be sorted.
    SortedStream,
    /// There are more states than positions can count.
    TooManyStates {
        /// The most there can be.
        limit: u32,
    },
}

impl TraceError {
    pub(crate) fn new(kind: TraceErrorKind) -> Self {
        Self(Box::new(Inner { line: None, unit: LineUnit::Line, column: None, kind }))
    }

    /// The same error on a line, or in a row of a table.
    #[must_use]
    pub fn on_line(mut self, line: u64) -> Self {
        self.0.line = Some(line);
        self
    }

    /// The same error in a column.
    #[must_use]
    pub fn in_column(mut self, column: &str) -> Self {
        self.0.column = Some(column.to_owned());
        self
    }

    /// The same error in a table, whose lines are rows.
    #[must_use]
    pub fn of_rows(mut self) -> Self {
        self.0.unit = LineUnit::Row;
        self
    }

    /// What its line is.
    pub fn unit(&self) -> LineUnit {
        self.0.unit
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
        let (name, unit) = (Shown(self.column().unwrap_or("?")), self.unit());
        match self.kind() {
            Kind::Io(detail) => format!("cannot be read: {detail}"),
            Kind::Compression { method, detail } => format!("the {method} data is damaged or cut short: {detail}"),
            Kind::WindowTooLarge { limit } => {
                format!("the zstd data has a window that is larger than {} MiB", limit >> 20)
            }
            Kind::NotRead { what, .. } => format!("this looks like {what}, which is not read"),
            Kind::TableInBytes { what } => format!("this is {what}, which is not read as a stream of bytes"),
            Kind::TableFollowed { what } => format!("this is {what}, which cannot be followed: it is read as a whole"),
            Kind::DamagedTable { format, detail } => {
                format!("the {format} table is damaged or cut short: {}", shown(detail))
            }
            Kind::UnknownType { ty } => format!("`{name}` has the type {}, which is no value here", shown(ty)),
            Kind::Utf16 => "the input is UTF-16 text".to_owned(),
            Kind::InvalidUtf8 => match self.column() {
                Some(name) => format!("a value of `{name}` is not UTF-8 text"),
                None => "a name in the header is not UTF-8 text".to_owned(),
            },
            Kind::BadSeparator(separator) => format!("{separator:?} cannot separate fields"),
            Kind::DuplicateName => format!("the header names `{name}` more than once"),
            Kind::DuplicateMember => format!("the record has `{name}` more than once"),
            Kind::UnknownColumn { role, .. } => format!("there is no `{name}`, which was named as the {role} column"),
            Kind::RaggedRow { expected, found } => {
                format!("the row has {}, the header has {expected}", counted(*found, "field"))
            }
            Kind::UnterminatedQuote => "a quoted field that opens here never ends".to_owned(),
            Kind::TextAfterQuote => "text follows the closing quote of a field".to_owned(),
            Kind::RecordTooLong { limit } => format!("a record is longer than {} MiB", limit >> 20),
            Kind::MalformedJson { character, detail } => format!("no valid JSON at character {character}: {detail}"),
            Kind::UnheldJson { character, detail } => {
                format!("this JSON cannot be held at character {character}: {detail}")
            }
            Kind::NotAnObject { character, found } => {
                format!("expected a JSON object at character {character}, found {found}")
            }
            Kind::Container { found, .. } => format!("`{name}` is {found}, not a single value"),
            Kind::NotBool(text) => format!("`{name}` is used as a boolean, but here it is `{}`", shown(text)),
            Kind::NotNumber(text) => format!("`{name}` is used as a number, but here it is {}", named(text)),
            Kind::NotText(text) => format!("`{name}` is used as a string, but here it is `{}`", shown(text)),
            Kind::NumberTooBig(text) => format!("`{name}` is {}, which does not fit 64 bits", shown(text)),
            Kind::UnlikeFirst { text, first } => {
                let text = if *first == ValueType::Number { named(text) } else { format!("`{}`", shown(text)) };
                format!("the first value made `{name}` a {first}, but here it is {text}")
            }
            Kind::NoOrder(text) => {
                format!("`{name}` is compared by order, but here it is {}, and booleans have none", shown(text))
            }
            Kind::NotSupposed { text, .. } => {
                format!(
                    "`{name}` was taken for a boolean, and here it is `{}`: its type has to be declared",
                    shown(text)
                )
            }
            Kind::Events(mistake) => mistake.message(),
            Kind::SeveralTraces { count } => format!("the input holds {count} traces, and one is asked for"),
            Kind::Missing => format!("`{name}` has no value"),
            Kind::MissingTime => format!("the state has no timestamp: `{name}` is missing"),
            Kind::PlainNumberTime(text) => format!("column `{name}` holds plain numbers such as {}", shown(text)),
            Kind::TimeNotNumber(text) => {
                format!("`{name}` was given a unit, but its timestamp `{}` is no plain number", shown(text))
            }
            Kind::UnreadableTime(text) => format!("`{name}` is no date we can read: `{}`", shown(text)),
            Kind::NamedZone(text) => format!("`{name}` names a time zone without its offset: `{}`", shown(text)),
            Kind::TimeWithoutYear(text) => format!("`{name}` names no year: `{}`", shown(text)),
            Kind::NoSuchDay(text) => format!("`{name}` is a day that its year does not have: `{}`", shown(text)),
            Kind::TimeOutOfRange(text) => {
                format!("`{name}` is beyond what 64-bit nanoseconds hold (1677 to 2262): `{}`", shown(text))
            }
            Kind::AmbiguousDate(text) => {
                format!("`{name}` is ambiguous: in `{}` and every other date either part may be the day", shown(text))
            }
            Kind::ContradictoryDates { text, other_line } => format!(
                "`{name}` contradicts itself: `{}` and {unit} {other_line} have day and month in different order",
                shown(text)
            ),
            Kind::TimeDecreases { now, before, before_line, key } => {
                let within = key.as_ref().map(|key| format!(" within key `{}`", shown(key))).unwrap_or_default();
                format!(
                    "time goes backwards{within}: `{name}` is {now}, but {before} on {unit} {before_line} before it"
                )
            }
            Kind::BehindClock { now, clock } => {
                format!("too late: `{name}` is {now}, but the clock has reached {clock}, and verdicts rely on that")
            }
            Kind::Scratch(detail) => format!("the file that takes what does not fit into memory fails: {detail}"),
            Kind::ToldByOthers => format!(
                "`{name}` is a time of day, or a date of which others tell the year or the day; \
                 the states before it are in a file, since they take too much memory"
            ),
            Kind::SortWithoutTime => "records cannot be sorted by time without timestamps".to_owned(),
            Kind::SortedStream => {
                "a stream cannot be sorted: a verdict is due before all of its records have come".to_owned()
            }
            Kind::TooManyStates { limit } => format!("the trace has more than {limit} states"),
        }
    }

    /// The ways out, where there are any to name.
    pub fn help(&self) -> Vec<Help> {
        use TraceErrorKind as Kind;
        let text = |text: &str| vec![Help::from(text)];
        match self.kind() {
            Kind::Io(_) | Kind::SeveralTraces { .. } => Vec::new(),
            Kind::Compression { .. } => text("fetch or compress the file again"),
            Kind::WindowTooLarge { .. } => {
                text("decompress it first, with `zstd -d --long=31`, or compress it again with `zstd --long=27`")
            }
            Kind::TableInBytes { .. } => {
                text("decompress it if it is compressed; in programs, the crate traceward-arrow reads tables")
            }
            Kind::TableFollowed { .. } => text("check it when it is whole, or send its rows as JSON lines"),
            Kind::DamagedTable { .. } => text("fetch or write the file again"),
            Kind::UnknownType { .. } => text("convert it where the table is written: to numbers, strings or members"),
            Kind::Utf16 | Kind::InvalidUtf8 => text("convert the file to UTF-8, for example with iconv"),
            Kind::NotRead { way_out, .. } => way_out.help(),
            Kind::Events(mistake) => text(mistake.help()),
            Kind::BadSeparator(_) => text("use another character, such as , or ;"),
            Kind::DuplicateName => text("rename one of these columns"),
            Kind::DuplicateMember => text("keep one of the two"),
            Kind::UnknownColumn { nearest, .. } if nearest.is_empty() => {
                // That is how columns are called that have no name.
                let number = self.column().and_then(|name| name.strip_prefix("column"));
                let is_number = number.is_some_and(|number| number.parse::<u32>().is_ok());
                is_number.then_some(Remedy::NoHeader).into_iter().chain([Remedy::Inspect]).map(Help::from).collect()
            }
            Kind::UnknownColumn { nearest, .. } => text(&format!("did you mean {}?", quoted_list(nearest))),
            Kind::RaggedRow { .. } => {
                text("mend the row, quote fields that contain the separator, or name the separator")
            }
            Kind::UnterminatedQuote => text("close it with \", and double a quote inside a quoted field"),
            Kind::TextAfterQuote => text("double a quote that belongs to the text"),
            Kind::RecordTooLong { .. } => text("check that the file has line ends and that its quotes close"),
            Kind::MalformedJson { .. } | Kind::NotAnObject { .. } => {
                text("each line has to be one JSON object; `jq -c .` or `jq -c '.[]'` makes such lines")
            }
            Kind::UnheldJson { .. } => text("write it less deep, numbers within 64 bits, and texts as Unicode"),
            Kind::Container { members, .. } if members.is_empty() => text("name one of its members"),
            Kind::Container { members, .. } => text(&format!("name one of its members: {}", quoted_list(members))),
            Kind::NotBool(_)
            | Kind::NotNumber(_)
            | Kind::NotText(_)
            | Kind::NumberTooBig(_)
            | Kind::UnlikeFirst { .. }
            | Kind::NoOrder(_)
            | Kind::NotSupposed { .. } => self.help_with_type(),
            Kind::Missing => vec!["fill it in".into(), Remedy::TolerateMissing.into()],
            _ => self.help_with_time(),
        }
    }

    /// The ways out for a value that does not fit its type.
    fn help_with_type(&self) -> Vec<Help> {
        use TraceErrorKind as Kind;
        let name = self.column().unwrap_or("?").to_owned();
        let declare = |ty| Help::Remedy(Remedy::DeclareType { variable: name.clone(), ty });
        let null = |text: &str| Help::Remedy(Remedy::NullText(shown(text)));
        match self.kind() {
            Kind::NotBool(text) if text.parse::<f64>().is_ok() => {
                vec![format!("a boolean is true/false, T/F or 1/0; compare the number: `{name} > 0`").into()]
            }
            Kind::NotBool(text) => {
                let words =
                    "a boolean is true/false, T/F or 1/0; compare it with something: `defined(…)`, `… == \"…\"`";
                vec![words.into(), null(text)]
            }
            Kind::NotNumber(text) if matches!(text.as_str(), "true" | "false") => {
                vec!["a boolean is no number; `count(p)` counts where it is true".into()]
            }
            Kind::NotNumber(text) if text.replacen(',', ".", 1).parse::<f64>().is_ok() && text.contains(',') => {
                vec!["numbers are written with a decimal point, not a comma".into()]
            }
            Kind::NotNumber(text) if text.parse::<f64>().is_ok() => vec![declare(ValueType::Number)],
            Kind::NotNumber(text) => vec![null(text)],
            Kind::UnlikeFirst { text, .. } => vec![null(text), declare(ValueType::String)],
            Kind::NotSupposed { text, .. } if matches!(text.as_str(), "0" | "1") => {
                vec![declare(ValueType::Number), declare(ValueType::Boolean)]
            }
            Kind::NotSupposed { ty, .. } => vec![declare(*ty)],
            Kind::NotText(_) => vec![declare(ValueType::String)],
            Kind::NumberTooBig(_) => {
                vec![declare(ValueType::String), format!("and compare it with strings: `{name} == \"…\"`").into()]
            }
            _ => vec!["compare it with `==` or `!=`".into()],
        }
    }

    /// The ways out for a timestamp that cannot be read.
    fn help_with_time(&self) -> Vec<Help> {
        use TraceErrorKind as Kind;
        let column = || self.column().unwrap_or("?").to_owned();
        match self.kind() {
            Kind::MissingTime => vec!["every state needs one: remove the record or fill it in".into()],
            Kind::PlainNumberTime(_) => vec![Remedy::TimeInUnit(column()).into()],
            Kind::TimeNotNumber(_) => vec![Remedy::TimeInDates(column()).into()],
            // Several words are no plain number.
            Kind::UnreadableTime(text) if text.contains(' ') => vec!["write dates like 2014-10-22T11:15:41Z".into()],
            Kind::UnreadableTime(_) => {
                vec!["write dates like 2014-10-22T11:15:41Z".into(), Remedy::TimeInUnit(column()).into()]
            }
            Kind::NamedZone(_) => vec!["write the offset, like 2014-10-22T13:15:41+02:00".into()],
            Kind::TimeWithoutYear(_) => vec![Remedy::GiveYear.into()],
            Kind::NoSuchDay(_) => vec!["check the year that was given".into()],
            Kind::TimeOutOfRange(_) => vec!["check the value and its unit".into()],
            Kind::AmbiguousDate(_) | Kind::ContradictoryDates { .. } => {
                vec!["write dates like 2014-10-22, or with dots for day first, like 22.10.2014".into()]
            }
            Kind::TimeDecreases { key: None, .. } => vec![Remedy::SortByTime.into(), Remedy::SplitByKey.into()],
            Kind::TimeDecreases { .. } => vec![Remedy::SortByTime.into()],
            Kind::Scratch(_) | Kind::ToldByOthers => vec![Remedy::MoreMemory.into()],
            Kind::SortWithoutTime => vec![Remedy::NameTimeColumn.into()],
            Kind::SortedStream => vec!["sort it first, or ask when it has ended".into()],
            _ => vec!["split the input".into()],
        }
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
        self.help().iter().try_for_each(|help| write!(f, "; {help}"))
    }
}

impl std::error::Error for TraceError {}

/// A text of the input as an error keeps it.
pub(crate) fn lossy(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}

/// A text of the input as a message shows it: on one line, and not too long.
pub(crate) fn shown(text: &str) -> String {
    let end = text.char_indices().nth(SHOWN).map_or(text.len(), |(end, _)| end);
    let mut shown = Shown(&text[..end]).to_string();
    if text.chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    shown
}

/// A value that is no number: one that looks like it is a string that says so itself.
fn named(text: &str) -> String {
    let quoted = if text.parse::<f64>().is_ok() { "the string " } else { "" };
    format!("{quoted}`{}`", shown(text))
}

/// `a`, `b` or `c`
fn quoted_list(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{}`", Shown(name))).collect();
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
            "`temp` is used as a number, but here it is `n/a\\n\"x\"`; \
             say that `n/a\\n\"x\"` stands for a missing value"
        );
        assert_eq!((error.line(), error.column()), (Some(3), Some("temp")));
    }

    #[test]
    fn long_texts_are_cut() {
        assert_eq!(shown(&"x".repeat(100)).chars().count(), SHOWN + 1);
    }
}
