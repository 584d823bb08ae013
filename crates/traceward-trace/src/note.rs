//! What a reader tells beside the trace.

use std::fmt;
use traceward_logic::diagnostic::Remedy;
use traceward_logic::print::duration;
use traceward_logic::shown::Shown;

/// The number of columns that a note names.
const NAMED: usize = 10;

/// Something about the input that is no error but worth telling.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Note {
    /// The input has no byte, or nothing but blank lines.
    EmptyInput,
    /// The CSV input has a header and no row.
    HeaderOnly,
    /// The table has no row.
    NoRows,
    /// A name in the header looks like a value, so that the first line may be no header.
    OddHeader {
        /// The name.
        name: String,
    },
    /// Blank lines were skipped.
    BlankLines(u64),
    /// A program did not say that its trace ends: it may have been cut off.
    NoEnd {
        /// Whether its last line has only half been written, and is left out.
        is_cut: bool,
    },
    /// Names were left out because there are so many, with their values.
    ManyNames {
        /// The number of names that were kept.
        kept: usize,
    },
    /// Arrays are so long that only their first elements were looked at.
    LongArrays {
        /// The number of elements that were looked at.
        elements: usize,
    },
    /// Columns of a table were left out, since their types are no values here.
    NoValues {
        /// The names of the columns.
        columns: Vec<String>,
    },
    /// Records without a value in the key column were skipped.
    WithoutKey {
        /// The number of records that were skipped.
        records: u64,
        /// The key column.
        key: String,
    },
    /// Records came too late to be put in order, and were left out.
    Late {
        /// The number of records that were left out.
        records: u64,
        /// The lines of the first ones.
        lines: Vec<u64>,
        /// The lateness that was allowed, in nanoseconds.
        lateness: u64,
    },
    /// No record had the field of the heartbeat.
    NoHeartbeat {
        /// The field.
        field: String,
    },
    /// Records that were held back, to be put in order, never became states.
    HeldBack {
        /// The number of records.
        records: u64,
    },
}

impl Note {
    /// The setting that would help, where there is one.
    pub fn remedy(&self) -> Option<Remedy> {
        matches!(self, Self::OddHeader { .. }).then_some(Remedy::NoHeader)
    }

    /// Whether the trace may not be what it was meant to be.
    pub fn is_warning(&self) -> bool {
        matches!(
            self,
            Self::OddHeader { .. }
                | Self::NoEnd { .. }
                | Self::Late { .. }
                | Self::HeldBack { .. }
                | Self::NoHeartbeat { .. }
        )
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::EmptyInput => f.write_str("the input is empty: a trace of 0 states"),
            Self::HeaderOnly => f.write_str("the input has a header and no rows: a trace of 0 states"),
            Self::NoRows => f.write_str("the table has no rows: a trace of 0 states"),
            Self::OddHeader { name } => {
                write!(f, "the header looks like a record: it has a column named `{}`", Shown(name))
            }
            Self::BlankLines(1) => f.write_str("1 blank line was skipped"),
            Self::BlankLines(count) => write!(f, "{count} blank lines were skipped"),
            Self::NoEnd { is_cut: false } => f.write_str("the program did not end its trace: there is no `end`"),
            Self::NoEnd { is_cut: true } => {
                f.write_str("the program did not end its trace: its last line is cut off, and left out")
            }
            Self::ManyNames { kept } => {
                write!(f, "there are more than {kept} names: those that came later are left out")
            }
            Self::LongArrays { elements } => {
                write!(f, "some arrays are long: only their first {elements} elements were looked at")
            }
            Self::NoValues { columns } => {
                let named: Vec<String> = columns.iter().take(NAMED).map(|name| format!("`{}`", Shown(name))).collect();
                let more = columns.len() - named.len();
                let more = if more > 0 { format!(" and {more} more columns") } else { String::new() };
                write!(f, "left out, since their types are no values here: {}{more}", named.join(", "))
            }
            Self::Late { records, lines, lateness } => {
                let (what, allowed) = (if *records == 1 { "record is" } else { "records are" }, duration(*lateness));
                write!(f, "{records} {what} more than {allowed} late and left out: {}", lines_text(*records, lines))
            }
            Self::NoHeartbeat { field } => {
                write!(f, "no record had the heartbeat's field `{}`: only states told how late it is", Shown(field))
            }
            Self::HeldBack { records: 1 } => f.write_str("1 record was held back and not judged"),
            Self::HeldBack { records } => write!(f, "{records} records were held back and not judged"),
            Self::WithoutKey { records: 1, key } => write!(f, "1 record has no `{}` and was skipped", Shown(key)),
            Self::WithoutKey { records, key } => {
                write!(f, "{records} records have no `{}` and were skipped", Shown(key))
            }
        }
    }
}

/// The lines of the first of some records: `lines 3, 7, …`.
fn lines_text(records: u64, lines: &[u64]) -> String {
    let named: Vec<String> = lines.iter().map(u64::to_string).collect();
    let (noun, more) =
        (if records == 1 { "line" } else { "lines" }, if records > lines.len() as u64 { ", …" } else { "" });
    format!("{noun} {}{more}", named.join(", "))
}
