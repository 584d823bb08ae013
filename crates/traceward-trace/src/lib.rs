//! Where states come from: readers of trace formats.
//!
//! [`read`] turns bytes into the typed columns a spec asked for; [`inspect`] tells what an input holds before there is
//! a spec. Both take any [`std::io::Read`], compressed or not, and read it in pieces: memory grows with the columns
//! that are wanted, not with the input. Nothing here opens a file or knows any logic.
//!
//! [`StateStream`] takes bytes as they arrive and hands on every state at once, in memory that does not grow.
//!
//! The road through the crate: `source` (decompression, chunks) → `csv` or `json` (records of raw `cell`s) → `states`
//! (missing values, keys, timestamps) → `column` (typed columns).

mod cell;
mod column;
mod csv;
mod date;
mod error;
mod inspect;
mod json;
mod keys;
mod lines;
mod note;
mod number;
mod options;
mod read;
mod source;
mod states;
mod stream;
mod swar;
#[cfg(test)]
mod testing;
mod time;

pub use error::{TraceError, TraceErrorKind};
pub use inspect::{ColumnInspection, ColumnKind, Distinct, Inspection, TimeGuess, inspect};
pub use keys::{KeyGroup, Keys};
pub use lines::Lines;
pub use note::Note;
pub use options::{Format, MissingPolicy, ReadOptions, Records, TimeColumn, TimeUnit, UnknownWord, Wanted};
pub use read::{ReadTrace, read};
pub use stream::{Arrival, Awaited, Reading, StateStream, StreamOptions};
