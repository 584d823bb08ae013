//! What a caller asks of a reader.

use std::fmt;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;
use traceward_logic::trace::Ask;

/// Everything that says how to read an input; the default reads states and decides the rest by looking at the input.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// The format; by default told from the first bytes.
    pub format: Option<Format>,
    /// The separator of CSV fields; by default told from the header.
    pub separator: Option<u8>,
    /// The column of timestamps.
    pub time: Option<TimeColumn>,
    /// The column whose value splits the trace.
    pub key: Option<String>,
    /// Whether a record is a whole state.
    pub records: Records,
    /// What a missing value does.
    pub missing: MissingPolicy,
    /// Texts that stand for a missing value, beside the empty field.
    pub null: Vec<String>,
    /// The variables to read.
    pub wanted: Vec<Wanted>,
}

/// A variable to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Its name: a CSV header field, or a JSON member by its dotted path.
    pub name: Arc<str>,
    /// What the spec asks of it.
    pub ask: Ask,
    /// Whether the spec only asks if it is defined: then a missing value is no error under any policy.
    pub may_be_missing: bool,
}

impl Wanted {
    /// A variable to read.
    pub fn new(name: &str, ask: Ask) -> Self {
        Self { name: name.into(), ask, may_be_missing: false }
    }
}

/// The column of timestamps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeColumn {
    /// Its name.
    pub name: String,
    /// The unit of plain numbers; none for dates.
    pub unit: Option<TimeUnit>,
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
}

/// The form of an input.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Format {
    /// Fields separated by a character, after a header with their names.
    Csv,
    /// One JSON object a line.
    JsonLines,
}

impl Format {
    /// The format a file name's ending tells, also with `.gz` or `.zst` after it.
    pub fn from_path(path: impl AsRef<Path>) -> Option<Self> {
        let name = path.as_ref().file_name()?.to_str()?.to_ascii_lowercase();
        let name = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(&name);
        match name.rsplit_once('.')?.1 {
            "csv" | "tsv" => Some(Self::Csv),
            "jsonl" | "ndjson" | "json" => Some(Self::JsonLines),
            _ => None,
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Csv => "csv",
            Self::JsonLines => "jsonl",
        })
    }
}

impl FromStr for Format {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, UnknownWord> {
        match text {
            "csv" => Ok(Self::Csv),
            "jsonl" => Ok(Self::JsonLines),
            _ => Err(UnknownWord { found: text.to_owned(), what: "format", expected: "csv or jsonl" }),
        }
    }
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
            _ => Err(UnknownWord { found: text.to_owned(), what: "time unit", expected: "ns, us, ms, s, min, h or d" }),
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
    fn the_ending_tells_the_format() {
        for name in ["x.csv", "dir.json/X.CSV", "x.csv.gz", "x.tsv.zst", "a b.tsv"] {
            assert_eq!(Format::from_path(name), Some(Format::Csv), "{name}");
        }
        for name in ["x.jsonl", "x.ndjson.gz", "x.json"] {
            assert_eq!(Format::from_path(name), Some(Format::JsonLines), "{name}");
        }
        for name in ["x", "x.gz", "-", "x.vcd", ""] {
            assert_eq!(Format::from_path(name), None, "{name}");
        }
    }

    #[test]
    fn words_read_back_as_written() {
        for format in [Format::Csv, Format::JsonLines] {
            assert_eq!(format.to_string().parse(), Ok(format));
        }
        for unit in [TimeUnit::Ns, TimeUnit::Us, TimeUnit::Ms, TimeUnit::S, TimeUnit::Min, TimeUnit::H, TimeUnit::D] {
            assert_eq!(unit.to_string().parse(), Ok(unit));
        }
        let error = "sec".parse::<TimeUnit>().unwrap_err();
        assert_eq!(error.to_string(), "`sec` is no time unit: use ns, us, ms, s, min, h or d");
    }
}
