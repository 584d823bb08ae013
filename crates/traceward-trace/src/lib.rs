//! Where states come from: readers of trace formats.
//!
//! [`read`] turns bytes into the typed columns a spec asked for; [`inspect`] tells what an input
//! holds before there is a spec. Both take any [`std::io::Read`], compressed or not, and read it in
//! pieces: memory grows with the columns that are wanted, not with the input. Nothing here opens a
//! file or knows any logic.
//!
//! A [`RecordStream`] takes bytes as they arrive and hands on every record at once, in memory that
//! does not grow; an [`Intake`] makes states of records.
//!
//! The road through the crate: `source` (decompression, chunks) → `record` (whole records) → a
//! `format` of the table, `csv`, `json` or `events` (raw `cell`s) → `typing` (what a cell means) →
//! `states` and `column` for files, `intake` for streams (missing values, keys, timestamps).

mod ahead;
mod block;
mod cell;
mod column;
mod csv;
mod date;
mod delimiters;
mod dictionary;
mod error;
mod even_rows;
mod events;
mod format;
mod heartbeat;
mod inspect;
mod intake;
mod json;
mod keys;
mod lateness;
mod lines;
mod note;
mod number;
mod opening;
mod options;
mod plain_rows;
mod plain_time;
mod read;
mod record;
mod segment;
mod sort;
mod source;
mod sources;
mod spill;
mod split;
mod states;
mod stream;
mod swar;
mod table;
#[cfg(test)]
mod testing;
mod time;
mod typing;
mod unread;
mod whole;

pub use cell::Cell;
pub use error::{TraceError, TraceErrorKind};
pub use events::{Answer, EventsMistake, Hello, event_time};
pub use format::Format;
pub use inspect::{Claim, ColumnInspection, ColumnKind, Counted, Distinct, Inspection, Suggestion, TimeGuess, inspect};
pub use intake::{CannotRestore, Carried, Intake};
pub use keys::{Key, KeyGroup, Keys};
pub use lines::{LineUnit, Lines};
pub use note::Note;
pub use options::{
    HeaderLine, Implied, MissingPolicy, Pieces, ReadOptions, ReadVariable, RecordOrder, Records, Scratch, Spill,
    TimeColumn, TimeUnit, UnknownWord,
};
pub use read::{Positions, ReadFailure, ReadInput, ReadTrace, read, read_all, read_input, read_or_before};
pub use record::{ReadStop, RecordSink};
pub use segment::{Segment, Segments};
pub use sources::{SourcePlace, Sources};
pub use spill::{KeyParts, ScratchFile};
pub use stream::RecordStream;
pub use table::{Bits, Rows, Slice, SliceValues, TableBlock, TableInspection, TableStates};
pub use unread::{Certainty, WayOut};
pub use whole::{ColumnPart, WholeColumn, WholeKind, WholeTable};
