//! States as they arrive: bytes are pushed, complete records come out at once, and memory stays as it is.
//!
//! The formats are split by the same readers as files are, so a live stream reads like the file it would have become. Two
//! things differ, because later lines are not known: a value of which the spec asks nothing has the type that it looks
//! like itself, and a bad line is handed on in its place among the states, for the caller to judge.

use crate::cell::Cell;
use crate::column::container;
use crate::csv::CsvReader;
use crate::error::{TraceError, TraceErrorKind, lossy};
use crate::json::JsonReader;
use crate::number::{self, NotNumber, Number};
use crate::options::{Format, TimeColumn};
use crate::read::{check_separator, guess_format};
use crate::source::{End, RecordReader};
use crate::states::{RecordSink, known, only_field, unknown_column};
use crate::time::LiveTime;
use memchr::memchr;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use traceward_logic::value::Value;

/// The longest record that is waited for. A stray quote would otherwise swallow a stream that never ends.
const LONGEST_RECORD: usize = 16 << 20;

/// Strings kept to be used again, and the longest of them: events and states of machines repeat, other texts do not.
const MOST_STRINGS: usize = 1024;
const LONGEST_STRING: usize = 64;

/// How a stream is read.
#[derive(Clone, Debug, Default)]
pub struct StreamOptions {
    /// The format; by default told from the first byte.
    pub format: Option<Format>,
    /// The separator of CSV fields; by default told from the header.
    pub separator: Option<u8>,
    /// The column of timestamps.
    pub time: Option<TimeColumn>,
    /// Texts that stand for a missing value, beside the empty field.
    pub null: Vec<String>,
    /// The variables to read.
    pub variables: Vec<Awaited>,
}

/// A variable that a stream is read for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Awaited {
    /// Its name: a CSV header field, or a JSON member by its dotted path.
    pub name: Arc<str>,
    /// What its values are read as.
    pub reading: Reading,
}

/// What a value is read as; one that does not fit makes its line a bad one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Reading {
    /// A boolean.
    Bool,
    /// A number.
    Number,
    /// A number that also stands as a boolean: 0 or 1.
    Bit,
    /// A string, whatever it looks like.
    Text,
    /// A string, which JSON has to write as one.
    Quoted,
    /// What it looks like.
    #[default]
    Anything,
}

/// What arrived on a line.
#[derive(PartialEq, Debug)]
pub enum Arrival<'a> {
    /// A record.
    Record {
        /// The line it begins on, 1-based.
        line: u64,
        /// Its timestamp in nanoseconds since 1970, where a time column was asked for.
        time: Option<i64>,
        /// For each variable its value, [`Value::Missing`] if the record says that it has none, or nothing if the
        /// record does not speak of it. They may be taken away.
        values: &'a mut [Option<Value>],
    },
    /// A line that cannot be read.
    BadLine(&'a TraceError),
}

/// Reads states as they arrive.
pub struct StateStream {
    options: StreamOptions,
    reader: Option<Reader>,
    /// Bytes that are no whole record yet.
    pending: Vec<u8>,
    /// Whether the first bytes have been looked at.
    begun: bool,
    /// Whether what comes up to the next line end belongs to a record that was given up.
    discarding: bool,
}

enum Reader {
    Csv(CsvReader<Rows>),
    Json(JsonReader<Rows>),
}

impl StateStream {
    /// A stream of which nothing has arrived.
    pub fn new(options: StreamOptions) -> Result<Self, TraceError> {
        check_separator(options.separator)?;
        Ok(Self { options, reader: None, pending: Vec::new(), begun: false, discarding: false })
    }

    /// Takes bytes that have arrived. The complete records among them [come next](Self::next_arrival) until the next
    /// call; there may be some even if this fails, which ends the stream.
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), TraceError> {
        self.clear();
        let bytes = if self.discarding { self.discard(bytes) } else { bytes };
        let line_end = memchr(b'\n', bytes);
        if let (Some(length), true) = (line_end, self.reader.is_some()) {
            let (line, rest) = bytes.split_at(length + 1);
            self.pending.extend_from_slice(line);
            self.consume(End::More)?;
            return self.consume_in_place(rest);
        }
        self.pending.extend_from_slice(bytes);
        // No record ends without a line end: what is pending need not be looked at again before one comes.
        if self.reader.is_some() && self.pending.len() <= LONGEST_RECORD {
            return Ok(());
        }
        self.consume(End::More)
    }

    /// Reads whole records where they are, if nothing is pending before them; only the rest is kept.
    fn consume_in_place(&mut self, bytes: &[u8]) -> Result<(), TraceError> {
        let consumed = match &mut self.reader {
            Some(reader) if self.pending.is_empty() && !self.discarding => reader.consume(bytes, End::More)?,
            _ => 0,
        };
        let bytes = if self.discarding { self.discard(bytes) } else { &bytes[consumed..] };
        self.pending.extend_from_slice(bytes);
        if consumed == 0 || self.pending.len() > LONGEST_RECORD { self.consume(End::More) } else { Ok(()) }
    }

    /// The stream has ended: what is pending is the last record.
    pub fn finish(&mut self) -> Result<(), TraceError> {
        self.clear();
        self.consume(End::Last)
    }

    /// The next of what came of the bytes that were pushed last.
    pub fn next_arrival(&mut self) -> Option<Arrival<'_>> {
        match self.reader.as_mut()? {
            Reader::Csv(reader) => reader.sink.next(),
            Reader::Json(reader) => reader.sink.next(),
        }
    }

    /// The names that have been seen: the header, or the members so far. Of JSON lines with ever new names only the
    /// first ones.
    pub fn names(&self) -> Vec<String> {
        match &self.reader {
            None => Vec::new(),
            Some(Reader::Csv(reader)) => reader.names(),
            Some(Reader::Json(reader)) => reader.names().to_vec(),
        }
    }

    /// The format, once it is known.
    pub fn format(&self) -> Option<Format> {
        self.reader.as_ref().map(|reader| match reader {
            Reader::Csv(_) => Format::Csv,
            Reader::Json(_) => Format::JsonLines,
        })
    }

    #[cfg(test)]
    fn rows(&self) -> Option<&Rows> {
        self.reader.as_ref().map(|reader| match reader {
            Reader::Csv(reader) => &reader.sink,
            Reader::Json(reader) => &reader.sink,
        })
    }

    fn clear(&mut self) {
        match &mut self.reader {
            None => {}
            Some(Reader::Csv(reader)) => reader.sink.clear(),
            Some(Reader::Json(reader)) => reader.sink.clear(),
        }
    }

    fn consume(&mut self, end: End) -> Result<(), TraceError> {
        if self.reader.is_none() && !self.begin(end)? {
            return Ok(());
        }
        let Some(reader) = &mut self.reader else { return Ok(()) };
        loop {
            let consumed = reader.consume(&self.pending, end)?;
            self.pending.drain(..consumed);
            if self.pending.len() <= LONGEST_RECORD || end == End::Last {
                return Ok(());
            }
            reader.give_up_record()?;
            match memchr(b'\n', &self.pending) {
                Some(length) => {
                    self.pending.drain(..=length);
                }
                None => {
                    self.pending.clear();
                    self.discarding = true;
                    return Ok(());
                }
            }
        }
    }

    /// Looks at the first bytes, if enough of them are there to tell the format; says whether.
    fn begin(&mut self, end: End) -> Result<bool, TraceError> {
        const BYTE_ORDER_MARK: &[u8] = &[0xEF, 0xBB, 0xBF];
        if !self.begun {
            let undecided = BYTE_ORDER_MARK.starts_with(&self.pending) && self.pending != BYTE_ORDER_MARK
                || matches!(self.pending[..], [0xFF | 0xFE]);
            if end == End::More && undecided {
                return Ok(false);
            }
            if self.pending.starts_with(BYTE_ORDER_MARK) {
                self.pending.drain(..BYTE_ORDER_MARK.len());
            }
            if let [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] = self.pending[..] {
                return Err(TraceErrorKind::Utf16.into());
            }
            self.begun = true;
        }
        if self.options.format.is_none() && end == End::More && self.pending.trim_ascii().is_empty() {
            return Ok(false);
        }
        let format = self.options.format.unwrap_or_else(|| guess_format(&self.pending));
        self.reader = Some(Reader::new(format, &self.options));
        Ok(true)
    }

    /// What is behind the record that was given up.
    fn discard<'b>(&mut self, bytes: &'b [u8]) -> &'b [u8] {
        match memchr(b'\n', bytes) {
            Some(length) => {
                self.discarding = false;
                &bytes[length + 1..]
            }
            None => &[],
        }
    }
}

impl Reader {
    fn new(format: Format, options: &StreamOptions) -> Self {
        let rows = Rows::new(format, options);
        let names = rows.names();
        match format {
            Format::Csv => Self::Csv(CsvReader::new(rows, options.separator)),
            Format::JsonLines => Self::Json(JsonReader::new(rows, names)),
        }
    }

    fn consume(&mut self, bytes: &[u8], end: End) -> Result<usize, TraceError> {
        match self {
            Self::Csv(reader) => reader.consume(bytes, end),
            Self::Json(reader) => reader.consume(bytes, end),
        }
    }

    /// The record at hand is too long: its first line is a bad one.
    fn give_up_record(&mut self) -> Result<(), TraceError> {
        let error = TraceError::new(TraceErrorKind::RecordTooLong { limit: LONGEST_RECORD });
        match self {
            Self::Csv(reader) => {
                reader.sink.bad_line(error.on_line(reader.line()))?;
                reader.pass_line();
            }
            Self::Json(reader) => {
                reader.sink.bad_line(error.on_line(reader.line()))?;
                reader.pass_line();
            }
        }
        Ok(())
    }
}

/// What came of the bytes that were pushed last.
struct Rows {
    format: Format,
    variables: Vec<Awaited>,
    null: Vec<String>,
    time: Option<LiveTime>,
    time_name: Option<String>,
    lines: Vec<Line>,
    /// As many as there are variables for each record.
    values: Vec<Option<Value>>,
    /// How many of the lines, and of the values, have been handed on.
    lines_told: usize,
    values_told: usize,
    strings: Strings,
}

enum Line {
    Record { line: u64, time: Option<i64> },
    Bad(TraceError),
}

impl Rows {
    fn new(format: Format, options: &StreamOptions) -> Self {
        Self {
            format,
            variables: options.variables.clone(),
            null: options.null.clone(),
            time: options.time.clone().map(LiveTime::new),
            time_name: options.time.as_ref().map(|time| time.name.clone()),
            lines: Vec::new(),
            values: Vec::new(),
            lines_told: 0,
            values_told: 0,
            strings: Strings::default(),
        }
    }

    /// The names to look for in each record; its cells are in the same order.
    fn names(&self) -> Vec<String> {
        let variables = self.variables.iter().map(|variable| variable.name.to_string());
        variables.chain(self.time_name.clone()).collect()
    }

    fn clear(&mut self) {
        self.lines.clear();
        self.values.clear();
        (self.lines_told, self.values_told) = (0, 0);
    }

    #[inline]
    fn next(&mut self) -> Option<Arrival<'_>> {
        let line = self.lines.get(self.lines_told)?;
        self.lines_told += 1;
        Some(match line {
            Line::Record { line, time } => {
                let values = &mut self.values[self.values_told..][..self.variables.len()];
                self.values_told += values.len();
                Arrival::Record { line: *line, time: *time, values }
            }
            Line::Bad(error) => Arrival::BadLine(error),
        })
    }

    #[inline]
    fn take(&mut self, line: u64, cells: &[Cell<'_>]) -> Result<Option<i64>, TraceError> {
        let time = match &mut self.time {
            Some(time) => Some(time.read(known(cells[self.variables.len()], &self.null), line)?),
            None => None,
        };
        for (variable, &cell) in self.variables.iter().zip(cells) {
            let cell = if self.null.is_empty() { cell } else { known(cell, &self.null) };
            match value(cell, variable, self.format, &mut self.strings) {
                Ok(value) => self.values.push(value),
                Err(kind) => return Err(TraceError::new(kind).on_line(line).in_column(&variable.name)),
            }
        }
        Ok(time)
    }
}

impl RecordSink for Rows {
    fn header(&mut self, names: &[String]) -> Result<Vec<Option<usize>>, TraceError> {
        if let Some(time) = self.time_name.as_ref().filter(|time| !names.contains(time)) {
            return Err(unknown_column("time", time, names));
        }
        self.names().iter().map(|name| only_field(names, name)).collect()
    }

    #[inline]
    fn record(&mut self, line: u64, cells: &[Cell<'_>]) -> Result<(), TraceError> {
        let before = self.values.len();
        match self.take(line, cells) {
            Ok(time) => self.lines.push(Line::Record { line, time }),
            Err(error) => {
                self.values.truncate(before);
                self.lines.push(Line::Bad(error));
            }
        }
        Ok(())
    }

    fn bad_line(&mut self, error: TraceError) -> Result<(), TraceError> {
        self.lines.push(Line::Bad(error));
        Ok(())
    }
}

/// What a record says of a variable.
#[inline]
fn value(
    cell: Cell<'_>,
    variable: &Awaited,
    format: Format,
    strings: &mut Strings,
) -> Result<Option<Value>, TraceErrorKind> {
    match cell {
        Cell::Absent => Ok(None),
        Cell::Null => Ok(Some(Value::Missing)),
        Cell::Plain(text) => plain(text, variable.reading, format, strings).map(Some),
        Cell::Text(text) => marked(text, variable.reading, format, strings).map(Some),
        Cell::Escaped(_) => marked(&cell.text().unwrap_or_default(), variable.reading, format, strings).map(Some),
        Cell::QuotedEmpty => match variable.reading {
            Reading::Text | Reading::Quoted => strings.value(b"").map(Some),
            Reading::Bool | Reading::Number | Reading::Bit | Reading::Anything => Ok(None),
        },
        Cell::Container(source) => Err(container(&variable.name, source)),
    }
}

/// A value that does not say that it is a string.
#[inline]
fn plain(text: &[u8], reading: Reading, format: Format, strings: &mut Strings) -> Result<Value, TraceErrorKind> {
    match reading {
        Reading::Bool => number::parse_bool(text).map(Value::Bool).ok_or_else(|| TraceErrorKind::NotBool(lossy(text))),
        Reading::Number => number(text),
        Reading::Bit => match number(text)? {
            bit @ (Value::Missing | Value::Int(0 | 1)) => Ok(bit),
            Value::Float(bit) if bit == 0.0 || bit == 1.0 => Ok(Value::Int(bit as i64)),
            _ => Err(TraceErrorKind::NotBool(lossy(text))),
        },
        Reading::Text => strings.value(text),
        Reading::Quoted | Reading::Anything if number::is_nan(text) => Ok(Value::Missing),
        Reading::Quoted if format == Format::JsonLines => Err(TraceErrorKind::NotText(lossy(text))),
        Reading::Quoted => strings.value(text),
        Reading::Anything => looks_like(text, strings),
    }
}

/// A value that says that it is a string; where another type is wanted it is read like any other text.
fn marked(text: &[u8], reading: Reading, format: Format, strings: &mut Strings) -> Result<Value, TraceErrorKind> {
    match reading {
        Reading::Bool | Reading::Number | Reading::Bit if text.is_empty() => Ok(Value::Missing),
        Reading::Bool | Reading::Number | Reading::Bit => plain(text.trim_ascii(), reading, format, strings),
        Reading::Text | Reading::Quoted | Reading::Anything => strings.value(text),
    }
}

#[inline]
fn number(text: &[u8]) -> Result<Value, TraceErrorKind> {
    match number::parse(text) {
        Ok(Number::Int(int)) => Ok(Value::Int(int)),
        Ok(Number::Float(float)) => Ok(Value::float(float)),
        Ok(Number::Nan) => Ok(Value::Missing),
        Err(NotNumber::Text) => Err(TraceErrorKind::NotNumber(lossy(text))),
        Err(NotNumber::TooBig) => Err(TraceErrorKind::NumberTooBig(lossy(text))),
    }
}

/// A value by itself. As in files, `007` is a name and not seven, and a letter alone is no boolean.
fn looks_like(text: &[u8], strings: &mut Strings) -> Result<Value, TraceErrorKind> {
    match number::parse_bool_word(text).filter(|_| text.len() > 1) {
        Some(bit) => Ok(Value::Bool(bit)),
        None if number::has_leading_zeros(text) => strings.value(text),
        None => match number::parse(text) {
            Ok(Number::Int(int)) => Ok(Value::Int(int)),
            Ok(Number::Float(float)) => Ok(Value::float(float)),
            Ok(Number::Nan) => Ok(Value::Missing),
            Err(_) => strings.value(text),
        },
    }
}

/// Strings that were met, to be used again.
#[derive(Default)]
struct Strings {
    known: FxHashMap<Box<[u8]>, Arc<str>>,
}

impl Strings {
    fn value(&mut self, text: &[u8]) -> Result<Value, TraceErrorKind> {
        if let Some(known) = self.known.get(text) {
            return Ok(Value::Str(known.clone()));
        }
        let kept: Arc<str> = std::str::from_utf8(text).map_err(|_| TraceErrorKind::InvalidUtf8)?.into();
        if text.len() <= LONGEST_STRING {
            if self.known.len() >= MOST_STRINGS {
                self.known.clear();
            }
            self.known.insert(text.into(), kept.clone());
        }
        Ok(Value::Str(kept))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::TimeUnit;
    use crate::testing;

    fn await_all(names: &[(&str, Reading)]) -> StreamOptions {
        let variables = names.iter().map(|&(name, reading)| Awaited { name: name.into(), reading });
        StreamOptions { variables: variables.collect(), ..StreamOptions::default() }
    }

    /// One line an arrival: its line, its time, and its values, `_` where the record is silent.
    fn show(stream: &mut StateStream, seen: &mut String) {
        while let Some(arrival) = stream.next_arrival() {
            match arrival {
                Arrival::Record { line, time, values } => {
                    let time = time.map(|time| format!(" @{time}")).unwrap_or_default();
                    let values = values.iter().map(|value| value.as_ref().map_or("_".to_owned(), Value::to_string));
                    seen.push_str(&format!("{line}{time}: {}\n", values.collect::<Vec<_>>().join(" ")));
                }
                Arrival::BadLine(error) => {
                    seen.push_str(&format!("{}: bad: {}\n", error.line().unwrap_or(0), error.message()));
                }
            }
        }
    }

    fn push_all(pieces: &[&[u8]], options: &StreamOptions) -> String {
        let mut stream = StateStream::new(options.clone()).unwrap();
        let mut seen = String::new();
        let mut fatal = None;
        for piece in pieces {
            fatal = fatal.or(stream.push(piece).err());
            show(&mut stream, &mut seen);
            if fatal.is_some() {
                break;
            }
        }
        if fatal.is_none() {
            fatal = stream.finish().err();
            show(&mut stream, &mut seen);
        }
        fatal.map_or(seen.clone(), |error| seen + &format!("fatal: {}\n", error.message()))
    }

    /// What arrives, however the bytes are cut.
    fn arrivals(input: impl AsRef<[u8]>, options: &StreamOptions) -> String {
        let input = input.as_ref();
        let at_once = push_all(&[input], options);
        for cut in 0..=input.len() {
            let (before, after) = input.split_at(cut);
            assert_eq!(push_all(&[before, after], options), at_once, "cut at {cut}");
        }
        assert_eq!(push_all(&input.chunks(1).collect::<Vec<_>>(), options), at_once, "byte by byte");
        at_once
    }

    const MIXED: [(&str, Reading); 3] = [("a", Reading::Bool), ("n", Reading::Number), ("s", Reading::Quoted)];

    #[test]
    fn csv_is_split_alike_wherever_it_is_cut() {
        let input =
            "\u{feff}\r\n a ; n;s;x\r\n1;2;\"it;s \"\"so\"\"\r\nyes\";\r\n\r\ntrue;;q;\n;1.5;\"\";z\nF;-3;w w;last";
        assert_eq!(
            arrivals(input, &await_all(&MIXED)),
            "3: true 2 \"it;s \\\"so\\\"\\r\\nyes\"\n6: true _ \"q\"\n7: _ 1.5 \"\"\n8: false -3 \"w w\"\n"
        );
    }

    #[test]
    fn json_is_split_alike_wherever_it_is_cut() {
        let input =
            "\n{\"a\":true,\"n\":1e3,\"s\":\"\\u00e4\\n\"}\r\n\r\n{\"s\":\"\u{e4}\",\"a\":null}\n{\"n\":{\"m\":1}}\n{}";
        assert_eq!(
            arrivals(input, &await_all(&MIXED)),
            "2: true 1000.0 \"ä\\n\"\n4: none _ \"ä\"\n5: bad: `n` is an object, not a single value\n6: _ _ _\n"
        );
    }

    #[test]
    fn bad_lines_are_handed_on_in_their_place() {
        let csv = "a,n,s\n1,1,x\nmaybe,1,x\n1,1\n1,1,\"x\"y\n1,1,\"x\",\n1,one,x\n1,2,\"never closed\n0,3,z\n";
        assert_eq!(
            arrivals(csv, &await_all(&MIXED)),
            "2: true 1 \"x\"\n\
             3: bad: `a` is used as a boolean, but here it is `maybe`\n\
             4: bad: the row has 2 fields, the header has 3\n\
             5: bad: text follows the closing quote of a field\n\
             6: bad: the row has 4 fields, the header has 3\n\
             7: bad: `n` is used as a number, but here it is `one`\n\
             8: bad: a quoted field that opens here never ends\n\
             9: false 3 \"z\"\n"
        );
        let json = "{\"a\":1}\n{\"a\":\n[1]\n{\"s\":5}\n{\"a\":0}\n";
        assert_eq!(
            arrivals(json, &await_all(&MIXED)),
            "1: true _ _\n\
             2: bad: no valid JSON at character 5: EOF while parsing a value\n\
             3: bad: expected a JSON object at character 1, found an array\n\
             4: bad: `s` is compared with a string, but here it is 5\n\
             5: false _ _\n"
        );
    }

    #[test]
    fn values_are_read_as_they_are_asked_for() {
        let all = |reading| await_all(&[("x", reading)]);
        let of = |reading, fields: &[&str]| {
            let rows: String = fields.iter().map(|field| format!("{field},\n")).collect();
            let seen = arrivals(format!("x,y\n{rows}"), &all(reading));
            seen.lines().map(|line| line.split_once(": ").unwrap().1.to_owned()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(
            of(Reading::Anything, &["1", "1.5", "true", "T", "007", "nan", "", "a b"]),
            "1 1.5 true \"T\" \"007\" none _ \"a b\""
        );
        assert_eq!(of(Reading::Text, &["1", "nan", "true"]), "\"1\" \"nan\" \"true\"");
        assert_eq!(of(Reading::Quoted, &["1", "nan", "true"]), "\"1\" none \"true\"");
        assert_eq!(of(Reading::Bit, &["1", "0.0", "nan"]), "1 0 none");
        assert!(of(Reading::Bit, &["2"]).starts_with("bad: `x` is used as a boolean"));
        let json = r#"{"x":"1"}"#;
        assert_eq!(arrivals(json, &all(Reading::Number)), "1: 1\n");
        assert_eq!(arrivals(json, &all(Reading::Anything)), "1: \"1\"\n");
        assert_eq!(arrivals(r#"{"x":" true "}"#, &all(Reading::Bool)), "1: true\n");
        assert_eq!(arrivals(r#"{"x":5}"#, &all(Reading::Text)), "1: \"5\"\n");
        let null = StreamOptions { null: vec!["-".to_owned()], ..all(Reading::Number) };
        assert_eq!(arrivals("x,y\n-,\n,\n", &null), "2: none\n3: _\n");
    }

    #[test]
    fn timestamps_come_with_their_states() {
        let timed = |unit| StreamOptions { time: testing::time("t", unit), ..await_all(&[("x", Reading::Number)]) };
        assert_eq!(
            arrivals("t,x\n1.5,1\n,2\nsoon,3\n", &timed(Some(TimeUnit::Ms))),
            "2 @1500000: 1\n3: bad: the state has no timestamp: `t` is missing\n\
             4: bad: `t` was given a unit, but its timestamp `soon` is no plain number\n"
        );
        let days = "t,x\n01/02/1970,1\n13/01/1970,2\n01/02/1970,3\n";
        let seen = arrivals(days, &timed(None));
        assert!(seen.starts_with("2: bad: `t` is ambiguous"), "{seen}");
        assert!(seen.ends_with("3 @1036800000000000: 2\n4 @2678400000000000: 3\n"), "{seen}");
        let error = "fatal: there is no `t`, which was named as the time column\n";
        assert_eq!(arrivals("u,x\n1,1\n", &timed(None)), error);
    }

    #[test]
    fn nothing_arrives_of_nothing() {
        let mut stream = StateStream::new(await_all(&MIXED)).unwrap();
        assert_eq!(stream.next_arrival(), None);
        stream.push(b"").unwrap();
        stream.finish().unwrap();
        assert_eq!(stream.next_arrival(), None);
        assert_eq!(arrivals("\n\n", &await_all(&MIXED)), "");
        assert_eq!(arrivals("a,n,s\n", &await_all(&MIXED)), "");
        assert_eq!(arrivals(b"\xff\xfea\0", &await_all(&MIXED)), "fatal: the input is UTF-16 text\n");
    }

    #[test]
    fn a_record_without_an_end_is_given_up() {
        let options = await_all(&[("x", Reading::Number)]);
        let endless = vec![b'y'; LONGEST_RECORD];
        let pieces: [&[u8]; 4] = [b"{\"x\":1}\n{\"s\":\"", &endless, b"yy", b"\"}\n{\"x\":2}\n"];
        let given_up = "2: bad: a record is longer than 16 MiB\n";
        assert_eq!(push_all(&pieces, &options), format!("1: 1\n{given_up}3: 2\n"));
        let pieces: [&[u8]; 4] = [b"x\n1\n\"2\n3\n", &endless, b"\n4\n", b"5\n"];
        let seen = push_all(&pieces, &options);
        let expected = "2: 1\n3: bad: a record is longer than 16 MiB\n4: 3\n";
        assert!(seen.starts_with(expected) && seen.ends_with("6: 4\n7: 5\n"), "{}", seen.replace('y', ""));
    }

    #[test]
    fn memory_does_not_grow_with_strings() {
        let mut stream = StateStream::new(await_all(&[("s", Reading::Text)])).unwrap();
        for row in 0..5_000 {
            stream.push(format!("{{\"s\":\"{row}\",\"other {row}\":1}}\n").as_bytes()).unwrap();
        }
        assert!(stream.rows().unwrap().strings.known.len() <= MOST_STRINGS);
        assert!(stream.pending.capacity() < 1 << 10 && stream.rows().unwrap().lines.len() == 1);
    }
}
