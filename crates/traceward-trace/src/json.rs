//! JSON lines: one object a line, nested members by dotted names.
//!
//! A scanner of our own takes what is wanted from a line and merely checks the rest; it gives up on anything unusual.
//! `serde_json` then decides whether the line is JSON at all, and words the error. So the scanner may refuse what it
//! likes, but must never accept what `serde_json` refuses; the tests compare the two on generated and mutated lines.

mod paths;
mod scan;

use crate::cell::Cell;
use crate::error::{TraceError, TraceErrorKind};
use crate::note::Note;
use crate::source::{End, RecordReader};
use crate::states::{RecordSink, States};
use memchr::memchr;
use paths::Paths;
use rustc_hash::FxHashSet;
use scan::{Scanner, Trust};
use serde_json::Value;

/// Lines whose names are all collected; later ones are only looked at again if they have a member not seen before.
const LINES_NAMED: u64 = 1000;

/// Names collected at most: inputs that use data as names have no end of them.
const MOST_NAMES: usize = 10_000;

/// Elements of an array that get a name.
const ELEMENTS_NAMED: usize = 16;

/// Reads JSON lines into states.
pub(crate) struct JsonReader<'o> {
    pub(crate) sink: States<'o>,
    paths: Paths,
    /// Scratch of the scanner.
    depths: Vec<u32>,
    names: Names,
    /// The line of the next record.
    line: u64,
    blank_lines: u64,
    records: u64,
}

impl<'o> JsonReader<'o> {
    pub(crate) fn new(sink: States<'o>) -> Self {
        let paths = Paths::new(sink.names());
        let depths = vec![0; paths.slots()];
        Self { sink, paths, depths, names: Names::default(), line: 1, blank_lines: 0, records: 0 }
    }

    /// The names seen so far.
    pub(crate) fn names(&self) -> &[String] {
        &self.names.ordered
    }

    /// What is worth telling about the input.
    pub(crate) fn notes(&self) -> Vec<Note> {
        match (self.records, self.blank_lines) {
            (0, _) => vec![Note::EmptyInput],
            (_, 0) => Vec::new(),
            (_, blank) => vec![Note::BlankLines(blank)],
        }
    }

    fn record<'b>(&mut self, line: &'b [u8], cells: &mut [Cell<'b>]) -> Result<(), TraceError> {
        if Scanner::new(line, Trust::Nothing, &mut self.paths, cells, &mut self.depths).scan().is_err() {
            if line.trim_ascii().is_empty() {
                self.blank_lines += 1;
                return Ok(());
            }
            check_object(line).map_err(|kind| TraceError::new(kind).on_line(self.line))?;
            // Cannot fail on what serde_json accepted; were it to, the members not reached would be absent.
            let _ = Scanner::new(line, Trust::Checked, &mut self.paths, cells, &mut self.depths).scan();
        }
        if self.paths.take_novelty() || self.records < LINES_NAMED {
            self.names.collect(line);
        }
        self.records += 1;
        self.sink.record(self.line, cells)
    }
}

impl RecordReader for JsonReader<'_> {
    fn consume(&mut self, bytes: &[u8], end: End) -> Result<usize, TraceError> {
        let mut cells = vec![Cell::Absent; self.paths.slots()];
        let mut at = 0;
        while at < bytes.len() {
            let rest = &bytes[at..];
            let length = match memchr(b'\n', rest) {
                Some(length) => length,
                None if end == End::Last => rest.len(),
                None => break,
            };
            self.record(&rest[..length], &mut cells)?;
            self.line += 1;
            at += (length + 1).min(rest.len());
        }
        Ok(at)
    }

    fn line(&self) -> u64 {
        self.line
    }
}

/// Different names in order of appearance.
#[derive(Default)]
struct Names {
    ordered: Vec<String>,
    known: FxHashSet<String>,
}

impl Names {
    fn collect(&mut self, line: &[u8]) {
        if self.ordered.len() >= MOST_NAMES {
            return;
        }
        let value = serde_json::from_slice(line).unwrap_or_default();
        flatten(&value, &mut |name, _| {
            if !self.known.contains(name) && self.ordered.len() < MOST_NAMES {
                self.known.insert(name.to_owned());
                self.ordered.push(name.to_owned());
            }
        });
    }
}

/// Visits every value in an object or array by its dotted name.
pub(crate) fn flatten(value: &Value, visit: &mut impl FnMut(&str, &Value)) {
    flatten_below(value, &mut String::new(), visit);
}

/// Recursion is as deep as the value, which serde_json limits to 128.
fn flatten_below(value: &Value, path: &mut String, visit: &mut impl FnMut(&str, &Value)) {
    let mut member = |name: &str, value: &Value| {
        let length = path.len();
        if length > 0 {
            path.push('.');
        }
        path.push_str(name);
        flatten_below(value, path, visit);
        path.truncate(length);
    };
    match value {
        Value::Object(members) => members.iter().for_each(|(name, value)| member(name, value)),
        Value::Array(elements) => elements
            .iter()
            .take(ELEMENTS_NAMED)
            .enumerate()
            .for_each(|(index, value)| member(&index.to_string(), value)),
        scalar => visit(path, scalar),
    }
}

/// Whether a line is a JSON object, and if not, what is wrong with it.
pub(crate) fn check_object(line: &[u8]) -> Result<Value, TraceErrorKind> {
    let value = serde_json::from_slice(line).map_err(|error| malformed(line, &error))?;
    let found = match value {
        Value::Object(_) => return Ok(value),
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
    };
    let blank = line.len() - line.trim_ascii_start().len();
    Err(TraceErrorKind::NotAnObject { character: blank + 1, found })
}

fn malformed(line: &[u8], error: &serde_json::Error) -> TraceErrorKind {
    let before = &line[..error.column().saturating_sub(1).min(line.len())];
    let whole = error.to_string();
    // serde_json puts its own line and column behind the message; ours go in front of it.
    let detail = whole.rsplit_once(" at line ").map_or(whole.as_str(), |(detail, _)| detail);
    TraceErrorKind::MalformedJson {
        character: String::from_utf8_lossy(before).chars().count() + 1,
        detail: detail.to_owned(),
    }
}
