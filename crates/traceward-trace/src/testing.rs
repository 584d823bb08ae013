//! How tests of this crate ask and look.

use crate::error::TraceError;
use crate::options::{Pieces, ReadOptions, ReadVariable, TimeColumn, TimeUnit};
use crate::read::{ReadTrace, read};
use std::io::{self, Read};
use std::num::NonZero;
use traceward_logic::lower::Expected;
use traceward_logic::trace::{Column, ColumnData};
use traceward_logic::value::Value;

/// Options that want these variables.
pub(crate) fn want(names: &[(&str, Expected)]) -> ReadOptions {
    let variables = names.iter().map(|&(name, expected)| ReadVariable::new(name, expected));
    ReadOptions { variables: variables.collect(), ..Default::default() }
}

/// What tests expect of variables, by short names.
pub(crate) mod expected {
    use traceward_logic::lower::{ClassId, Expected};
    use traceward_logic::value::ValueType;

    pub(crate) const BOOL: Expected = Expected::Type(ValueType::Boolean);
    pub(crate) const NUMBER: Expected = Expected::Type(ValueType::Number);
    pub(crate) const TEXT: Expected = Expected::Type(ValueType::String);
    pub(crate) const OPEN: Expected = Expected::Open(ClassId(0));
}

/// A time column.
pub(crate) fn time(name: &str, unit: Option<TimeUnit>) -> Option<TimeColumn> {
    Some(TimeColumn::new(name, unit))
}

/// Reads at once, byte by byte, and in pieces side by side; all have to agree.
pub(crate) fn read_text(input: impl AsRef<[u8]>, options: &ReadOptions) -> Result<ReadTrace, TraceError> {
    let input = input.as_ref();
    let at_once = read(input, options);
    let in_pieces = read(Trickle(input), options);
    assert_eq!(format!("{at_once:?}"), format!("{in_pieces:?}"));
    for (threads, size) in [(1, 1), (2, 1), (1, 9), (2, 20)] {
        let pieces = Pieces { threads: NonZero::new(threads).expect("a thread"), size };
        let side_by_side = read(input, &ReadOptions { pieces, ..options.clone() });
        assert_eq!(told(&side_by_side), told(&at_once), "{threads} threads, pieces of {size}");
    }
    at_once
}

/// All that is known of a trace, but for what stands where values are missing.
fn told(read: &Result<ReadTrace, TraceError>) -> String {
    let trace = match read {
        Ok(trace) => trace,
        Err(error) => return format!("{error:?}"),
    };
    let ReadTrace { states, columns, types, names, time, keys, lines, sources, positions, format, notes } = trace;
    let columns: Vec<String> = columns.iter().map(|column| show_column(column.as_ref())).collect();
    let beside =
        format!("{types:?} {names:?} {time:?} {keys:?} {lines:?} {sources:?} {positions:?} {format:?} {notes:?}");
    format!("{states} {columns:?} {beside}")
}

/// The wanted columns, one line each.
pub(crate) fn show(input: impl AsRef<[u8]>, options: &ReadOptions) -> String {
    match read_text(input, options) {
        Ok(trace) => trace.columns.iter().map(|column| show_column(column.as_ref())).collect::<Vec<_>>().join("\n"),
        Err(error) => panic!("line {:?}: {error}", error.line()),
    }
}

/// `int 1 2 -`, where `-` is a missing value.
pub(crate) fn show_column(column: Option<&Column>) -> String {
    let Some(column) = column else { return "unknown".to_owned() };
    let kind = match &column.data {
        ColumnData::Bool(_) => "bool",
        ColumnData::Int(_) => "int",
        ColumnData::Float(_) => "float",
        ColumnData::Mixed(_) => "mixed",
        ColumnData::Text(_) => "text",
    };
    let values = (0..column.len()).map(|position| match column.value(position) {
        Value::Missing => " -".to_owned(),
        value => format!(" {value}"),
    });
    kind.to_owned() + &values.collect::<String>()
}

/// The one error an input has: its line, column, and display.
pub(crate) fn fail(input: impl AsRef<[u8]>, options: &ReadOptions) -> String {
    let error = read_text(input, options).expect_err("an error");
    let line = error.line().map_or("-".to_owned(), |line| line.to_string());
    format!("{line}:{}: {}", error.column().unwrap_or("-"), error.message())
}

/// Gives one byte at a time, as a slow pipe does.
struct Trickle<'a>(&'a [u8]);

impl Read for Trickle<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = buffer.len().min(1);
        self.0.read(&mut buffer[..count])
    }
}
