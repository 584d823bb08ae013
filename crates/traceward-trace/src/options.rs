//! What a caller asks of a reader.

use crate::error::{TraceError, TraceErrorKind};
use crate::format::Format;
use crate::spill::ScratchFile;
use std::fmt;
use std::num::NonZero;
use std::ops::Range;
use std::str::FromStr;
use std::sync::Arc;
use traceward_logic::diagnostic::nearest;
use traceward_logic::expr::Expr;
use traceward_logic::lower::Expected;

/// Everything that says how to read an input, be it a file or a stream; the default reads states
/// and decides the rest by looking at the input.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// The format; by default told from the first bytes.
    pub format: Option<Format>,
    /// The format that the input's name tells. The first bytes outweigh it if they are of a format
    /// that is recognised and not read.
    pub likely_format: Option<Format>,
    /// The separator of CSV fields; by default told from the header.
    pub separator: Option<u8>,
    /// The column of timestamps.
    pub time: Option<TimeColumn>,
    /// The field of records that are no states and tell how late it is; for streams.
    pub heartbeat: Option<String>,
    /// The column whose value splits the trace.
    pub key: Option<String>,
    /// The expression that holds in the last state of a key's trace, variables by their places: a
    /// later record of the key begins another trace. Without it a key has one trace.
    pub end_when: Option<Arc<Expr>>,
    /// Whether a record is a whole state.
    pub records: Records,
    /// What a missing value does.
    pub missing: MissingPolicy,
    /// Texts that stand for a missing value, beside the empty field.
    pub null: Vec<String>,
    /// Whether the first line of a CSV input names its columns.
    pub header: HeaderLine,
    /// The year of the first date that has none.
    pub year: Option<i16>,
    /// The order in which records become states.
    pub order: RecordOrder,
    /// The pieces in which a file is read. What is read does not depend on them.
    pub pieces: Pieces,
    /// Where states go that do not fit into memory; without it, all stay there.
    pub spill: Option<Spill>,
    /// The number of states before another one that its expressions look at. Where states go
    /// elsewhere, these are at hand with it.
    pub reach: usize,
    /// The variables to read.
    pub variables: Vec<ReadVariable>,
    /// The fingerprint of the spec that is asked. A program that was instrumented for another one
    /// may have left out states that this one needs.
    pub spec: Option<String>,
}

impl ReadOptions {
    /// The options with what an input says of itself. A time column that was named stays.
    #[must_use]
    pub fn with(&self, implied: &Implied) -> Self {
        let time = self.time.clone().or_else(|| implied.time.clone());
        Self { records: implied.records, time, ..self.clone() }
    }

    /// The names to look for in each record: the variables, then the columns of time, then the key
    /// column, then those of its source, then the heartbeat. The cells of a record are in the same
    /// order.
    pub(crate) fn names(&self) -> Vec<String> {
        let variables = self.variables.iter().map(|variable| variable.name.to_string());
        let time = self.time.iter().flat_map(TimeColumn::columns).cloned();
        let source = (self.records == Records::Events).then_some(SOURCE_FIELDS).into_iter().flatten();
        let key_and_source = self.key.clone().into_iter().chain(source.map(str::to_owned));
        variables.chain(time).chain(key_and_source).chain(self.heartbeat.clone()).collect()
    }

    /// Says that there is no column that timestamps are to come from, if these are all names.
    pub(crate) fn unknown_time(&self, names: &[String]) -> Option<TraceError> {
        let column = self.time.as_ref()?.columns().find(|column| !names.contains(column))?;
        Some(unknown_column("time", column, names))
    }

    /// The cells of a record that hold its timestamp.
    #[inline]
    pub(crate) fn time_slots(&self) -> Range<usize> {
        let first = self.variables.len();
        first..first + self.time.as_ref().map_or(0, |time| 1 + time.rest.len())
    }

    /// The cell of a record that holds its key, where there is a key column.
    #[inline]
    pub(crate) fn key_slot(&self) -> usize {
        self.time_slots().end
    }

    /// The cells of a record that tell its place in a program, where records are events.
    #[inline]
    pub(crate) fn source_slots(&self) -> Option<Range<usize>> {
        let first = self.key_slot() + usize::from(self.key.is_some());
        (self.records == Records::Events).then_some(first..first + SOURCE_FIELDS.len())
    }

    /// The cell of a record that tells whether it is a heartbeat, if there are any.
    pub(crate) fn heartbeat_slot(&self) -> Option<usize> {
        let before = self.source_slots().map_or(self.key_slot() + usize::from(self.key.is_some()), |slots| slots.end);
        self.heartbeat.as_ref().map(|_| before)
    }

    /// The field of each of those names in a header.
    pub(crate) fn fields(&self, header: &[String]) -> Result<Vec<Option<usize>>, TraceError> {
        let time = self.time.iter().flat_map(TimeColumn::columns).map(|name| ("time", name));
        let key = self.key.iter().map(|key| ("key", key));
        let heartbeat = self.heartbeat.iter().map(|name| ("heartbeat", name));
        if let Some((role, name)) = time.chain(key).chain(heartbeat).find(|(_, name)| !header.contains(name)) {
            return Err(unknown_column(role, name, header));
        }
        self.names().iter().map(|name| only_field(header, name)).collect()
    }
}

/// The field of this name; an error if there are several.
fn only_field(header: &[String], name: &str) -> Result<Option<usize>, TraceError> {
    let mut fields = (0..header.len()).filter(|&field| header[field] == name);
    let first = fields.next();
    match fields.next() {
        Some(_) => Err(TraceError::new(TraceErrorKind::DuplicateName).in_column(name)),
        None => Ok(first),
    }
}

/// A column that an option names and the input does not have.
pub(crate) fn unknown_column(role: &'static str, name: &str, names: &[String]) -> TraceError {
    let nearest = nearest(name, names.iter().map(String::as_str)).into_iter().map(str::to_owned).collect();
    TraceError::new(TraceErrorKind::UnknownColumn { role, nearest }).in_column(name)
}

/// The pieces in which a file is read, side by side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pieces {
    /// The number of threads that read them, and that may evaluate formulas on a long trace.
    pub threads: NonZero<usize>,
    /// The number of bytes of each, about.
    pub size: usize,
}

impl Default for Pieces {
    fn default() -> Self {
        Self { threads: NonZero::<usize>::MIN, size: 1 << 20 }
    }
}

/// Where the states of a trace go when they take more memory than this.
#[derive(Clone, Debug)]
pub struct Spill {
    /// The number of bytes that states may take.
    pub memory: usize,
    /// Makes the file.
    pub scratch: Arc<dyn Scratch>,
}

/// Makes files that nobody else sees, and that are gone when they are dropped. Readers open none
/// themselves.
pub trait Scratch: fmt::Debug + Send + Sync {
    /// A new file, empty.
    fn create(&self) -> std::io::Result<Box<dyn ScratchFile>>;
}

/// A variable to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadVariable {
    /// Its name: a CSV header field, or a JSON member by its dotted path.
    pub name: Arc<str>,
    /// What is expected of its values.
    pub expected: Expected,
    /// Whether its type is declared: then values of other types are converted.
    pub is_declared: bool,
    /// Whether the spec only asks if it is defined: then a missing value is no error under any
    /// policy.
    pub may_be_missing: bool,
    /// Whether it has to turn out a boolean if its first value decides: formulas were made of it
    /// already.
    pub is_supposed_formula: bool,
}

impl ReadVariable {
    /// A variable to read.
    pub fn new(name: &str, expected: Expected) -> Self {
        Self { name: name.into(), expected, is_declared: false, may_be_missing: false, is_supposed_formula: false }
    }
}

/// The column of timestamps, or the columns that make a timestamp together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeColumn {
    /// Its name.
    pub name: String,
    /// Further columns, such as the time of day beside the date. What they hold is read behind the
    /// first, with a blank between.
    pub rest: Vec<String>,
    /// The unit of plain numbers; none for dates.
    pub unit: Option<TimeUnit>,
}

impl TimeColumn {
    /// A column of its own.
    pub fn new(name: impl Into<String>, unit: Option<TimeUnit>) -> Self {
        Self { name: name.into(), rest: Vec::new(), unit }
    }

    /// The names of all columns that have a part in a timestamp.
    pub fn columns(&self) -> impl Iterator<Item = &String> {
        std::iter::once(&self.name).chain(&self.rest)
    }

    /// The columns as they are written: `Date+Time`.
    pub fn label(&self) -> String {
        let names: Vec<&str> = self.columns().map(String::as_str).collect();
        names.join("+")
    }
}

/// Whether the first line of a CSV input names its columns.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum HeaderLine {
    /// It does.
    #[default]
    Names,
    /// It is a record like the others. The columns are named `column1`, `column2`, …
    Missing,
}

/// The order in which records become states.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum RecordOrder {
    /// As they come. Time must not decrease.
    #[default]
    AsTheyCome,
    /// By their timestamps; records of the same moment as they come. All of them are kept in memory
    /// until the input has ended, so this is for files alone.
    ByTime,
    /// By their timestamps, of records that are late by no more than so much; what comes later is
    /// left out and counted. Records of the same moment stay as they come.
    Within {
        /// The lateness in nanoseconds.
        lateness: u64,
    },
}

/// What a missing value does.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum MissingPolicy {
    /// It stays missing, which makes a comparison false.
    #[default]
    False,
    /// It ends the reading with an error.
    Error,
    /// It takes the last value of its column, within the key where there is one.
    Hold,
}

/// What a record holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Records {
    /// A whole state.
    #[default]
    States,
    /// Only what changed since the previous state.
    Changes,
    /// What changed, as programs tell it. The fields `event`, `@at` and
    /// `@in` belong to their state alone; the last two tell where in the program it came about.
    Events,
}

/// The fields that tell where in a program a state came about: the place, and the function.
pub(crate) const SOURCE_FIELDS: [&str; 2] = ["@at", "@in"];

/// The fields of events that are not carried over to the next state.
pub(crate) const MOMENTARY_FIELDS: [&str; 3] = ["event", SOURCE_FIELDS[0], SOURCE_FIELDS[1]];

/// What an input says itself about how its records are read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Implied {
    /// What a record holds.
    pub records: Records,
    /// The column of timestamps, if it has one.
    pub time: Option<TimeColumn>,
}

/// The unit of a plain number that is a timestamp.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TimeUnit {
    /// Nanoseconds.
    Ns,
    /// Microseconds.
    Us,
    /// Milliseconds.
    Ms,
    /// Seconds.
    S,
    /// Minutes.
    Min,
    /// Hours.
    H,
    /// Days.
    D,
}

impl TimeUnit {
    /// How many nanoseconds one unit has.
    pub fn nanoseconds(self) -> i64 {
        match self {
            Self::Ns => 1,
            Self::Us => 1_000,
            Self::Ms => 1_000_000,
            Self::S => 1_000_000_000,
            Self::Min => 60_000_000_000,
            Self::H => 3_600_000_000_000,
            Self::D => 86_400_000_000_000,
        }
    }
}

impl fmt::Display for TimeUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ns => "ns",
            Self::Us => "us",
            Self::Ms => "ms",
            Self::S => "s",
            Self::Min => "min",
            Self::H => "h",
            Self::D => "d",
        })
    }
}

impl FromStr for TimeUnit {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, UnknownWord> {
        match text {
            "ns" => Ok(Self::Ns),
            "us" => Ok(Self::Us),
            "ms" => Ok(Self::Ms),
            "s" => Ok(Self::S),
            "min" => Ok(Self::Min),
            "h" => Ok(Self::H),
            "d" => Ok(Self::D),
            _ => Err(UnknownWord::new(text, "time unit", "ns, us, ms, s, min, h or d")),
        }
    }
}

/// A word that is none of those an option takes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownWord {
    found: String,
    what: &'static str,
    expected: &'static str,
}

impl UnknownWord {
    pub(crate) fn new(found: &str, what: &'static str, expected: &'static str) -> Self {
        Self { found: found.to_owned(), what, expected }
    }
}

impl fmt::Display for UnknownWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is no {}: use {}", self.found, self.what, self.expected)
    }
}

impl std::error::Error for UnknownWord {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_read_back_as_written() {
        for unit in [TimeUnit::Ns, TimeUnit::Us, TimeUnit::Ms, TimeUnit::S, TimeUnit::Min, TimeUnit::H, TimeUnit::D] {
            assert_eq!(unit.to_string().parse(), Ok(unit));
        }
        let error = "sec".parse::<TimeUnit>().unwrap_err();
        assert_eq!(error.to_string(), "`sec` is no time unit: use ns, us, ms, s, min, h or d");
    }
}
