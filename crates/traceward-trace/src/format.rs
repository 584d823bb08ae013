//! The table of formats.
//!
//! A format is one entry: how it is recognised, how a file of it is read, how a stream of it is
//! followed, and what an inspection says. A format of records fills its entry with
//! [`read_records`] and [`live_records`]; one that has to seek, or holds several traces, brings its
//! own functions. Formats that are recognised and not read have entries too, with a way out in
//! place of a way in (`unread`).

use crate::ahead;
use crate::csv;
use crate::error::{TraceError, TraceErrorKind};
use crate::events;
use crate::inspect::Inspection;
use crate::json;
use crate::lateness::OrderBuffer;
use crate::note::Note;
use crate::opening::{Guess, Opening};
use crate::options::{ReadOptions, RecordOrder, UnknownWord};
use crate::read::{ReadFailure, ReadInput};
use crate::record::{End, Pump, ReadStop, RecordReader, RecordSink};
use crate::sort::Sorter;
use crate::source::Source;
use crate::states::States;
use crate::table;
use crate::unread::UNREAD;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::path::Path;
use std::str::FromStr;

/// What the table knows of a format, and how it is handled: read, or refused with a way out.
pub(crate) struct FormatEntry<Handling> {
    /// The name in options and messages.
    pub(crate) name: &'static str,
    /// Whether an input that begins so is of this format.
    pub(crate) begins: fn(Opening<'_>) -> Guess,
    /// How it is handled.
    pub(crate) handling: Handling,
}

/// How a format is read.
pub(crate) struct Road {
    /// The endings of names of its files.
    pub(crate) endings: &'static [&'static str],
    /// Reads all traces of an input. It gets the input whole: a format that has to seek takes it
    /// into memory first.
    pub(crate) read: for<'o> fn(Source<'_>, &'o ReadOptions) -> Result<Vec<ReadInput<'o>>, ReadFailure>,
    /// Follows an input as it arrives.
    pub(crate) live: fn(&ReadOptions) -> Box<dyn LiveReader>,
    /// Tells what an input holds.
    pub(crate) inspect: fn(&mut Source<'_>, &ReadOptions) -> Result<Inspection, TraceError>,
}

/// The form of an input.
#[derive(Clone, Copy)]
pub struct Format(&'static FormatEntry<Road>);

impl Format {
    /// Fields separated by a character, after a header with their names.
    pub const CSV: Self = Self(&csv::FORMAT);
    /// One JSON object a line.
    pub const JSON_LINES: Self = Self(&json::FORMAT);

    /// What a program tells of its states: a hello, then `init`, `next` and `end`.
    pub const EVENTS: Self = Self(&events::FORMAT);

    /// A Parquet table.
    pub const PARQUET: Self = Self(&table::PARQUET);
    /// An Arrow table: a file, or a stream.
    pub const ARROW: Self = Self(&table::ARROW);

    /// All formats; the last is taken for what none of the others claims.
    pub const ALL: [Self; 5] = [Self::PARQUET, Self::ARROW, Self::EVENTS, Self::JSON_LINES, Self::CSV];

    /// The formats of tables. They are known by their first bytes, and not read by this crate.
    const TABLES: [Self; 2] = [Self::PARQUET, Self::ARROW];

    /// The name in options.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// The format a file name's ending tells, also with `.gz` or `.zst` after it.
    pub fn from_path(path: impl AsRef<Path>) -> Option<Self> {
        let name = path.as_ref().file_name()?.to_str()?.to_ascii_lowercase();
        let name = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(&name);
        let ending = name.rsplit_once('.')?.1;
        Self::ALL.into_iter().find(|format| format.0.handling.endings.contains(&ending))
    }

    /// The format of an input, by the options and its first bytes; none if they do not tell yet.
    ///
    /// What an option names is believed. What the input's name tells is believed too, unless the
    /// bytes are known to be something that is not read.
    pub(crate) fn of(options: &ReadOptions, opening: Opening<'_>) -> Result<Option<Self>, TraceError> {
        if options.format.is_some() {
            return Ok(options.format);
        }
        for table in Self::TABLES {
            match (table.0.begins)(opening) {
                Guess::No => {}
                Guess::Yes => return Ok(Some(table)),
                Guess::Later => return Ok(None),
            }
        }
        for entry in &UNREAD {
            match (entry.begins)(opening) {
                Guess::No => {}
                Guess::Yes => return Err(TraceErrorKind::NotRead { what: entry.name, way_out: entry.handling }.into()),
                Guess::Later => return Ok(None),
            }
        }
        Ok(options.likely_format.or_else(|| Self::of_text(opening)))
    }

    /// The format of a text; the last of the table takes whatever the others do not.
    fn of_text(opening: Opening<'_>) -> Option<Self> {
        let claimed = Self::ALL.into_iter().find(|format| (format.0.begins)(opening) != Guess::No)?;
        ((claimed.0.begins)(opening) == Guess::Yes).then_some(claimed)
    }

    /// The table that an input is, by the options and its first bytes: who has one has to read it
    /// by other means, and hand it over as [`TableStates`](crate::TableStates).
    pub fn of_table(options: &ReadOptions, first: &[u8]) -> Option<Self> {
        let opening = Opening::new(first, End::Last);
        let is_table = |format: &Self| Self::TABLES.contains(format);
        Self::of(options, opening).ok().flatten().filter(is_table)
    }

    /// The way in which the format is read.
    pub(crate) fn road(self) -> &'static Road {
        &self.0.handling
    }
}

impl PartialEq for Format {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Format {}

impl Hash for Format {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name().hash(state);
    }
}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Format").field(&self.name()).finish()
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, UnknownWord> {
        let found = Self::ALL.into_iter().find(|format| format.name() == text);
        found.ok_or_else(|| UnknownWord::new(text, "format", "csv, jsonl, events, parquet or arrow"))
    }
}

/// Reads a file of records into one trace.
pub(crate) fn read_records<'o, R: RecordReader>(
    mut source: Source<'_>,
    options: &'o ReadOptions,
) -> Result<Vec<ReadInput<'o>>, ReadFailure> {
    let mut pump = Pump::new(R::open(options));
    let mut late = Vec::new();
    let (states, driven) = match options.order {
        RecordOrder::AsTheyCome => {
            let mut states = States::new(options);
            let driven = ahead::drive(&mut source, &mut pump, &mut states);
            (states, driven)
        }
        RecordOrder::Within { .. } => read_in_order(&mut source, &mut pump, options, &mut late),
        RecordOrder::ByTime => {
            let mut sorter = Sorter::new(options)?;
            match source.drive(&mut pump, &mut sorter) {
                Ok(()) => sorter.replay(),
                Err(error) => (sorter.states, Err(error)),
            }
        }
    };
    let (names, notes) = (pump.reader.names(), [pump.reader.notes(), late].concat());
    let states = match states.into_parts(&names, &notes, driven.as_ref().err()) {
        Ok(parts) => return Ok(vec![ReadInput::ByKey(Box::new(parts))]),
        Err(states) => *states,
    };
    let states = match states.into_segments(&names, &notes, driven.as_ref().err()) {
        Ok(segments) => return Ok(vec![ReadInput::InSegments(Box::new(segments?))]),
        Err(states) => *states,
    };
    match driven {
        Ok(()) => Ok(vec![ReadInput::Whole(Box::new(states.finish(names, notes).map_err(ReadFailure::from)?))]),
        Err(error) => {
            let error = states.explain(error, &names);
            let before = states.finish(names, notes).ok().map(Box::new);
            Err(ReadFailure { error, before })
        }
    }
}

/// Reads records that are late by no more than so much; tells of those that were later.
fn read_in_order<'o, R: RecordReader>(
    source: &mut Source<'_>,
    pump: &mut Pump<R>,
    options: &'o ReadOptions,
    late: &mut Vec<Note>,
) -> (States<'o>, Result<(), TraceError>) {
    let mut states = States::new(options);
    let Some(mut buffer) = OrderBuffer::new(options) else { unreachable!("a lateness is asked for") };
    let driven = match source.drive(pump, &mut buffer.before(&mut states)) {
        Ok(()) => match buffer.flush(&mut states) {
            Err(ReadStop::Failed(error)) => Err(error),
            Ok(()) | Err(ReadStop::Asked) => Ok(()),
        },
        Err(error) => Err(error),
    };
    *late = buffer.notes();
    (states, driven)
}

/// Follows records as they arrive.
pub(crate) fn live_records<R: RecordReader>(options: &ReadOptions) -> Box<dyn LiveReader> {
    Box::new(Pump::new(R::open(options)))
}

/// A reader of an input that arrives in pieces, of whatever format.
pub(crate) trait LiveReader: Send {
    /// Takes the next bytes.
    fn push(&mut self, bytes: &[u8], sink: &mut dyn RecordSink) -> Result<(), ReadStop>;
    /// No more bytes will come.
    fn finish(&mut self, sink: &mut dyn RecordSink) -> Result<(), ReadStop>;
    /// The names that have been seen.
    fn names(&self) -> Vec<String>;
    /// Whether those names are all there will be.
    fn has_header(&self) -> bool;
    /// What is worth telling about the input so far.
    fn notes(&self) -> Vec<Note>;
    /// Whether the input has said that its trace has ended.
    fn has_ended(&self) -> bool;
}

impl<R: RecordReader> LiveReader for Pump<R> {
    fn push(&mut self, bytes: &[u8], sink: &mut dyn RecordSink) -> Result<(), ReadStop> {
        Self::push(self, bytes, sink)
    }

    fn finish(&mut self, sink: &mut dyn RecordSink) -> Result<(), ReadStop> {
        Self::finish(self, sink)
    }

    fn names(&self) -> Vec<String> {
        self.reader.names()
    }

    fn has_header(&self) -> bool {
        self.reader.has_header()
    }

    fn notes(&self) -> Vec<Note> {
        self.reader.notes()
    }

    fn has_ended(&self) -> bool {
        self.reader.has_ended()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_tells_the_format() {
        for name in ["x.csv", "dir.json/X.CSV", "x.csv.gz", "x.tsv.zst", "a b.tsv"] {
            assert_eq!(Format::from_path(name), Some(Format::CSV), "{name}");
        }
        for name in ["x.jsonl", "x.ndjson.gz", "x.json"] {
            assert_eq!(Format::from_path(name), Some(Format::JSON_LINES), "{name}");
        }
        for name in ["x.events", "x.events.zst"] {
            assert_eq!(Format::from_path(name), Some(Format::EVENTS), "{name}");
        }
        for name in ["x", "x.gz", "-", "x.vcd", ""] {
            assert_eq!(Format::from_path(name), None, "{name}");
        }
    }

    #[test]
    fn every_format_has_a_name_of_its_own() {
        for format in Format::ALL {
            assert_eq!(format.to_string().parse(), Ok(format));
        }
        let error = "cvs".parse::<Format>().unwrap_err();
        assert_eq!(error.to_string(), "`cvs` is no format: use csv, jsonl, events, parquet or arrow");
    }
}
