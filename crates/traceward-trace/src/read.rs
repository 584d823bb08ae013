//! The front door: an input becomes a trace.

use crate::csv::CsvReader;
use crate::error::{TraceError, TraceErrorKind};
use crate::json::JsonReader;
use crate::keys::Keys;
use crate::lines::Lines;
use crate::note::Note;
use crate::options::{Format, ReadOptions};
use crate::source::Source;
use crate::states::States;
use std::io::Read;
use traceward_logic::trace::Column;

/// A trace that was read.
#[derive(Clone, Debug)]
pub struct ReadTrace {
    /// The number of states.
    pub states: usize,
    /// One column for each wanted variable, in order; none where the input does not have the variable.
    pub columns: Vec<Option<Column>>,
    /// The names the input has, in order of appearance. Of JSON lines with ever new names only the first ones.
    pub names: Vec<String>,
    /// The timestamp of each state in nanoseconds since 1970, where a time column was asked for.
    pub time: Option<Vec<i64>>,
    /// The keys, where a key column was asked for.
    pub keys: Option<Keys>,
    /// Where each state came from.
    pub lines: Lines,
    /// The format of the input.
    pub format: Format,
    /// What is worth telling beside.
    pub notes: Vec<Note>,
}

/// Reads a trace. Gzip and zstd are recognised by their first bytes, the format too where no option names it.
pub fn read(input: impl Read, options: &ReadOptions) -> Result<ReadTrace, TraceError> {
    let mut source = Source::open(input)?;
    match detect_format(source.bytes(), options)? {
        Format::Csv => read_csv(&mut source, options),
        Format::JsonLines => read_json(&mut source, options),
    }
}

/// The format by option, or by the first byte that is not blank.
pub(crate) fn detect_format(bytes: &[u8], options: &ReadOptions) -> Result<Format, TraceError> {
    if let Some(separator @ (b'"' | b'\n' | b'\r' | 0x80..)) = options.separator {
        return Err(TraceErrorKind::BadSeparator(char::from(separator)).into());
    }
    Ok(options.format.unwrap_or_else(|| match bytes.trim_ascii_start().first() {
        Some(b'{') => Format::JsonLines,
        _ => Format::Csv,
    }))
}

fn read_csv(source: &mut Source<impl Read>, options: &ReadOptions) -> Result<ReadTrace, TraceError> {
    let mut reader = CsvReader::new(States::new(options), options.separator);
    source.drive(&mut reader)?;
    let (names, notes) = (reader.names(), reader.notes());
    reader.sink.finish(names, Format::Csv, notes)
}

fn read_json(source: &mut Source<impl Read>, options: &ReadOptions) -> Result<ReadTrace, TraceError> {
    let mut reader = JsonReader::new(States::new(options));
    if let Err(error) = source.drive(&mut reader) {
        return Err(reader.sink.explain(error, reader.names()));
    }
    let (names, notes) = (reader.names().to_vec(), reader.notes());
    reader.sink.finish(names, Format::JsonLines, notes)
}
