//! Records of a trace that is split by key, kept outside of memory until their key's turn comes.
//!
//! Whoever judges keys one after the other needs the states of a few of them at a time. So where
//! the states of all would take too much memory, records go to a file as they come, those of keys
//! that came together side by side, and become states when some keys are asked for. What has to be
//! known of all keys before that is found out on the way: the types that first values decide, and
//! which variables the input has.

use crate::cell::Cell;
use crate::dictionary::Dictionary;
use crate::error::{TraceError, TraceErrorKind};
use crate::format::Format;
use crate::keys::Key;
use crate::lines::LineUnit;
use crate::note::Note;
use crate::options::{ReadOptions, Spill};
use crate::read::{Positions, ReadFailure, ReadTrace};
use crate::record::{ReadStop, RecordSink};
use crate::states::{States, at, key_text};
use crate::time::{Anchor, TimeReader};
use crate::typing::{CellSink, Gap, Typing};
use std::collections::VecDeque;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;

/// A file that nobody else sees, and that is gone when it is dropped.
pub trait ScratchFile: Read + Write + Seek + Send {}

impl<F: Read + Write + Seek + Send> ScratchFile for F {}

/// The keys with a section of their own: where there are few keys, each has many records.
const ALONE: u32 = 256;

/// The keys of every other section.
const TOGETHER: u32 = 4096;

/// The parts into which a section is split whose records do not fit into memory.
const PARTS: usize = 64;

/// The bytes of a section that are gathered in memory before they go to the file.
const GATHERED: usize = 32 << 10;

/// Records by key, most of them in a file.
pub(crate) struct Spilled {
    file: Appended,
    memory: usize,
    dictionary: Dictionary<Key>,
    sections: VecDeque<Section>,
    states: u32,
    without_key: u64,
    /// Which variables a record has told something of, so that the input has them.
    mentioned: Vec<bool>,
    /// Scratch: the record that is written.
    record: Vec<u8>,
}

/// The records of some keys.
struct Section {
    keys: Range<u32>,
    gathered: Vec<u8>,
    /// Where in the file its records are.
    stretches: Vec<Range<u64>>,
    bytes: u64,
}

impl Section {
    fn new(keys: Range<u32>) -> Self {
        Self { keys, gathered: Vec::new(), stretches: Vec::new(), bytes: 0 }
    }

    /// Adds a record, and writes what is gathered once it is enough.
    fn add(&mut self, file: &mut Appended, record: &[u8]) -> io::Result<()> {
        self.gathered.extend_from_slice(record);
        self.bytes += record.len() as u64;
        if self.gathered.len() >= GATHERED {
            self.stretches.push(file.append(&self.gathered)?);
            self.gathered.clear();
        }
        Ok(())
    }

    /// Calls `take` with all records, some at a time.
    fn each_stretch(
        &self,
        file: &mut Appended,
        mut take: impl FnMut(&mut Appended, &[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut bytes = Vec::new();
        for stretch in &self.stretches {
            file.read(stretch, &mut bytes)?;
            take(file, &bytes)?;
        }
        take(file, &self.gathered)
    }

    /// The same records in sections of fewer keys.
    fn split(self, file: &mut Appended, options: &ReadOptions) -> io::Result<Vec<Self>> {
        let count = self.keys.len().div_ceil(PARTS) as u32;
        let starts = self.keys.clone().step_by(count as usize);
        let mut parts: Vec<Self> =
            starts.map(|start| Self::new(start..start.saturating_add(count).min(self.keys.end))).collect();
        self.each_stretch(file, |file, bytes| {
            let mut reader = Reader { bytes };
            let mut cells = Vec::new();
            while let before = reader.bytes
                && let Some(record) = reader.record(&mut cells, options)
            {
                let part = &mut parts[((record.code - self.keys.start) / count) as usize];
                part.add(file, &before[..before.len() - reader.bytes.len()])?;
            }
            Ok(())
        })?;
        Ok(parts)
    }
}

/// A file that grows at its end.
pub(crate) struct Appended {
    file: Box<dyn ScratchFile>,
    end: u64,
}

impl Appended {
    pub(crate) fn new(spill: &Spill) -> Result<Self, TraceError> {
        let file = spill.scratch.create().map_err(|error| failed(&error))?;
        Ok(Self { file, end: 0 })
    }

    pub(crate) fn append(&mut self, bytes: &[u8]) -> io::Result<Range<u64>> {
        self.file.seek(SeekFrom::Start(self.end))?;
        self.file.write_all(bytes)?;
        let start = self.end;
        self.end += bytes.len() as u64;
        Ok(start..self.end)
    }

    pub(crate) fn read(&mut self, stretch: &Range<u64>, bytes: &mut Vec<u8>) -> io::Result<()> {
        bytes.resize((stretch.end - stretch.start) as usize, 0);
        self.file.seek(SeekFrom::Start(stretch.start))?;
        self.file.read_exact(bytes)
    }
}

impl Spilled {
    /// Nothing yet, for keys in order of their first appearance so far.
    pub(crate) fn new(spill: &Spill, keys: Dictionary<Key>, variables: usize) -> Result<Self, TraceError> {
        Ok(Self {
            file: Appended::new(spill)?,
            memory: spill.memory,
            dictionary: keys,
            sections: VecDeque::new(),
            record: Vec::new(),
            states: 0,
            without_key: 0,
            mentioned: vec![false; variables],
        })
    }

    /// Takes a record that comes with the input.
    pub(crate) fn record(
        &mut self,
        line: u64,
        cells: &[Cell<'_>],
        options: &ReadOptions,
        typing: &mut Typing,
        time: Option<&TimeReader>,
    ) -> Result<(), ReadStop> {
        let key =
            key_text(cells[options.key_slot()], options).map_err(|kind| at(kind, line, options.key.as_deref()))?;
        let Some(key) = key else {
            self.without_key += 1;
            return Ok(());
        };
        if let Some(time) = time {
            refuse_what_others_tell(time, &cells[options.time_slots()], line)?;
        }
        typing.begin();
        for (index, &cell) in cells.iter().enumerate().take(self.mentioned.len()) {
            let mut look = Look { is_mentioned: false };
            // Only what decides a type for all keys is looked at here; the rest, and its mistakes,
            // when the record becomes a state.
            if (typing.is_open(index) || !self.mentioned[index]) && typing.read(index, cell, &mut look).is_err() {
                typing.roll_back();
                break;
            }
            self.mentioned[index] |= look.is_mentioned;
        }
        let code = self.dictionary.intern(&key);
        Ok(self.put(code, line, cells, options)?)
    }

    /// Adds a record of a key.
    pub(crate) fn put(
        &mut self,
        code: u32,
        line: u64,
        cells: &[Cell<'_>],
        options: &ReadOptions,
    ) -> Result<(), TraceError> {
        let position = self.states;
        if position == u32::MAX {
            return Err(at(TraceErrorKind::TooManyStates { limit: u32::MAX }, line, None));
        }
        while self.sections.back().is_none_or(|last| last.keys.end <= code) {
            let start = self.sections.back().map_or(0, |last| last.keys.end);
            let count = if start < ALONE { 1 } else { TOGETHER };
            self.sections.push_back(Section::new(start..start.saturating_add(count)));
        }
        self.record.clear();
        write_record(&mut self.record, Record { code, position, line }, cells, options.key_slot());
        self.states += 1;
        self.sections[section_of(code)].add(&mut self.file, &self.record).map_err(|error| failed(&error))
    }

    /// The number of records that had a key.
    pub(crate) fn states(&self) -> u32 {
        self.states
    }

    /// The number of records that had none.
    pub(crate) fn without_key(&self) -> u64 {
        self.without_key
    }

    /// Counts records that had none before.
    pub(crate) fn pass_without_key(&mut self, records: u64) {
        self.without_key += records;
    }

    /// Notes that the input has some variables.
    pub(crate) fn mention(&mut self, variables: impl IntoIterator<Item = usize>) {
        variables.into_iter().for_each(|variable| self.mentioned[variable] = true);
    }

    /// Whether the input has a variable.
    pub(crate) fn is_mentioned(&self, variable: usize) -> bool {
        self.mentioned[variable]
    }

    /// Takes the next sections whose records fit the memory together. One key at the least is
    /// taken, be it as large as it may.
    fn next_sections(&mut self, options: &ReadOptions) -> io::Result<Vec<Section>> {
        // A record takes about as much again in columns, and as much when it is judged.
        let room = self.memory as u64 / 3;
        let mut taken = Vec::new();
        let mut bytes = 0;
        while let Some(first) = self.sections.pop_front() {
            if bytes + first.bytes <= room || (taken.is_empty() && first.keys.len() == 1) {
                bytes += first.bytes;
                taken.push(first);
            } else if taken.is_empty() {
                let parts = first.split(&mut self.file, options)?;
                parts.into_iter().rev().for_each(|part| self.sections.push_front(part));
            } else {
                self.sections.push_front(first);
                break;
            }
        }
        Ok(taken)
    }

    /// Hands the records of the next keys to states, in the order in which they came.
    fn replay(
        &mut self,
        options: &ReadOptions,
        states: &mut States<'_>,
        positions: &mut Vec<u32>,
    ) -> Result<(), TraceError> {
        let sections = self.next_sections(options).map_err(|error| failed(&error))?;
        let mut bytes = Vec::new();
        for section in &sections {
            let all = section.each_stretch(&mut self.file, |_, stretch| {
                bytes.extend_from_slice(stretch);
                Ok(())
            });
            all.map_err(|error| failed(&error))?;
        }
        let several = sections.len() > 1;
        drop(sections);
        let mut reader = Reader { bytes: &bytes };
        let mut starts = Vec::new();
        let mut cells = Vec::new();
        while let start = bytes.len() - reader.bytes.len()
            && let Some(record) = reader.record(&mut cells, options)
        {
            starts.push((record.position, start));
        }
        if several {
            // Sections are one behind the other, and records have to be as they came.
            starts.sort_unstable();
        }
        let keys = self.dictionary.texts();
        for (_, start) in starts {
            let Some(record) = (Reader { bytes: &bytes[start..] }).record(&mut cells, options) else { break };
            cells[options.key_slot()] = keys[record.code as usize].cell();
            match states.record(record.line, &cells) {
                Ok(()) => positions.push(record.position),
                Err(ReadStop::Failed(error)) => return Err(error),
                Err(ReadStop::Asked) => break,
            }
        }
        Ok(())
    }
}

/// Refuses a timestamp that only other records tell: those of other keys are elsewhere.
fn refuse_what_others_tell(time: &TimeReader, cells: &[Cell<'_>], line: u64) -> Result<(), TraceError> {
    if time.read_alone(cells).is_some() || time.clone().read(cells, line, Anchor::Near(0)).is_err() {
        // A mistake is told when the record becomes a state.
        return Ok(());
    }
    Err(at(TraceErrorKind::ToldByOthers, line, Some(&time.label())))
}

/// The section of a key.
fn section_of(code: u32) -> usize {
    let (alone, others) = (code.min(ALONE), code.saturating_sub(ALONE));
    (alone + others / TOGETHER) as usize
}

pub(crate) fn failed(error: &io::Error) -> TraceError {
    TraceErrorKind::Scratch(error.to_string()).into()
}

/// Notes whether an input has a variable.
struct Look {
    is_mentioned: bool,
}

impl CellSink for Look {
    fn bool(&mut self, _: bool) {
        self.is_mentioned = true;
    }

    fn int(&mut self, _: i64) {
        self.is_mentioned = true;
    }

    fn float(&mut self, _: f64) {
        self.is_mentioned = true;
    }

    fn text(&mut self, _: &str) {
        self.is_mentioned = true;
    }

    fn gap(&mut self, gap: Gap) -> Result<(), TraceErrorKind> {
        self.is_mentioned |= gap == Gap::Missing;
        Ok(())
    }
}

/// A trace that is split by key, some keys at a time.
pub struct KeyParts<'o> {
    spilled: Spilled,
    options: &'o ReadOptions,
    typing: Typing,
    names: Vec<String>,
    notes: Vec<Note>,
    /// What ended the reading, if it was not the end of the input.
    stopped: Option<TraceError>,
    format: Format,
    unit: LineUnit,
}

impl<'o> KeyParts<'o> {
    /// The keys of records that were spilled, with what the reader knows beside.
    pub(crate) fn new(
        spilled: Spilled,
        (options, typing): (&'o ReadOptions, Typing),
        (names, notes): (Vec<String>, Vec<Note>),
        stopped: Option<TraceError>,
    ) -> Self {
        Self { spilled, options, typing, names, notes, stopped, format: Format::CSV, unit: LineUnit::Line }
    }

    pub(crate) fn set_format(&mut self, format: Format) {
        self.format = format;
    }

    /// The same of a table, whose lines are rows.
    pub(crate) fn of_rows(self, format: Format) -> Self {
        let stopped = self.stopped.map(TraceError::of_rows);
        Self { stopped, format, unit: LineUnit::Row, ..self }
    }

    /// What is worth telling beside.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// The number of states of all keys.
    pub fn states(&self) -> usize {
        self.spilled.states() as usize
    }

    /// What ended the reading, if it was not the end of the input.
    pub fn stopped(&self) -> Option<&TraceError> {
        self.stopped.as_ref()
    }

    /// The next keys, in order of their first appearance; none after the last.
    pub fn next_part(&mut self) -> Option<Result<ReadTrace, ReadFailure>> {
        if self.spilled.sections.is_empty() {
            return None;
        }
        let mut states = States::of_keys(self.options, self.typing.clone());
        let mut positions = Vec::new();
        let replayed = self.spilled.replay(self.options, &mut states, &mut positions);
        let error = replayed.err().map(|error| self.placed(states.explain(error, &self.names)));
        let part = states.finish(self.names.clone(), Vec::new()).map(|part| self.completed(part, positions));
        Some(match (error, part) {
            (Some(error), part) => Err(ReadFailure { error, before: part.ok().map(Box::new) }),
            (None, part) => part.map_err(|error| self.placed(error).into()),
        })
    }

    /// An error whose line is what lines of the input are.
    fn placed(&self, error: TraceError) -> TraceError {
        match self.unit {
            LineUnit::Line => error,
            LineUnit::Row => error.of_rows(),
        }
    }

    /// A part with what is known of the whole: a variable that none of its records has is missing
    /// if others have it.
    fn completed(&self, part: ReadTrace, positions: Vec<u32>) -> ReadTrace {
        let states = part.states;
        let column = |(index, column): (usize, Option<_>)| {
            let is_there = self.spilled.is_mentioned(index);
            column.or_else(|| is_there.then(|| traceward_logic::trace::Column::all_missing(states)))
        };
        let columns = part.columns.into_iter().enumerate().map(column).collect();
        let lines = match self.unit {
            LineUnit::Line => part.lines,
            LineUnit::Row => part.lines.of_rows(),
        };
        ReadTrace { columns, lines, positions: Positions::Listed(positions), format: self.format, ..part }
    }
}

/// What is kept of a record beside its cells.
#[derive(Clone, Copy)]
struct Record {
    code: u32,
    position: u32,
    line: u64,
}

/// The kinds of cells, as they are written.
mod tag {
    pub(super) const ABSENT: u8 = 0;
    pub(super) const NULL: u8 = 1;
    pub(super) const QUOTED_EMPTY: u8 = 2;
    pub(super) const FALSE: u8 = 3;
    pub(super) const TRUE: u8 = 4;
    pub(super) const INT: u8 = 5;
    pub(super) const FLOAT: u8 = 6;
    pub(super) const TIME: u8 = 7;
    pub(super) const FIELD: u8 = 8;
    pub(super) const LITERAL: u8 = 9;
    pub(super) const TEXT: u8 = 10;
    pub(super) const ESCAPED: u8 = 11;
    pub(super) const CONTAINER: u8 = 12;
    pub(super) const GONE: u8 = 13;
}

/// Writes a record; its key is told by its number.
fn write_record(bytes: &mut Vec<u8>, record: Record, cells: &[Cell<'_>], key_slot: usize) {
    bytes.extend_from_slice(&record.code.to_le_bytes());
    bytes.extend_from_slice(&record.position.to_le_bytes());
    bytes.extend_from_slice(&record.line.to_le_bytes());
    for cell in &cells[..key_slot] {
        write_cell(bytes, *cell);
    }
}

fn write_cell(bytes: &mut Vec<u8>, cell: Cell<'_>) {
    let mut text = |kind: u8, text: &[u8]| {
        bytes.push(kind);
        bytes.extend_from_slice(&(text.len() as u32).to_le_bytes());
        bytes.extend_from_slice(text);
    };
    match cell {
        Cell::Field(one) => text(tag::FIELD, one),
        Cell::Literal(one) => text(tag::LITERAL, one),
        Cell::Text(one) => text(tag::TEXT, one),
        Cell::Str(one) => text(tag::TEXT, one.as_bytes()),
        Cell::Escaped(one) => text(tag::ESCAPED, one),
        Cell::Container(one) => text(tag::CONTAINER, one),
        Cell::Absent => bytes.push(tag::ABSENT),
        Cell::Null => bytes.push(tag::NULL),
        Cell::Gone => bytes.push(tag::GONE),
        Cell::QuotedEmpty => bytes.push(tag::QUOTED_EMPTY),
        Cell::Bool(bit) => bytes.push(if bit { tag::TRUE } else { tag::FALSE }),
        Cell::Int(int) => word(bytes, tag::INT, int.to_le_bytes()),
        Cell::Float(float) => word(bytes, tag::FLOAT, float.to_le_bytes()),
        Cell::Time(time) => word(bytes, tag::TIME, time.to_le_bytes()),
    }
}

fn word(bytes: &mut Vec<u8>, kind: u8, word: [u8; 8]) {
    bytes.push(kind);
    bytes.extend_from_slice(&word);
}

/// Reads what was written.
struct Reader<'b> {
    bytes: &'b [u8],
}

impl<'b> Reader<'b> {
    /// The next record, with room for the key behind its cells.
    fn record(&mut self, cells: &mut Vec<Cell<'b>>, options: &ReadOptions) -> Option<Record> {
        cells.clear();
        let (code, position) = (u32::from_le_bytes(self.take()?), u32::from_le_bytes(self.take()?));
        let line = u64::from_le_bytes(self.take()?);
        for _ in 0..options.key_slot() {
            cells.push(self.cell()?);
        }
        cells.push(Cell::Absent);
        Some(Record { code, position, line })
    }

    fn cell(&mut self) -> Option<Cell<'b>> {
        let [kind] = self.take()?;
        Some(match kind {
            tag::ABSENT => Cell::Absent,
            tag::NULL => Cell::Null,
            tag::GONE => Cell::Gone,
            tag::QUOTED_EMPTY => Cell::QuotedEmpty,
            tag::FALSE => Cell::Bool(false),
            tag::TRUE => Cell::Bool(true),
            tag::INT => Cell::Int(i64::from_le_bytes(self.take()?)),
            tag::FLOAT => Cell::Float(f64::from_le_bytes(self.take()?)),
            tag::TIME => Cell::Time(i64::from_le_bytes(self.take()?)),
            tag::FIELD => Cell::Field(self.text()?),
            tag::LITERAL => Cell::Literal(self.text()?),
            tag::TEXT => Cell::Text(self.text()?),
            tag::ESCAPED => Cell::Escaped(self.text()?),
            _ => Cell::Container(self.text()?),
        })
    }

    fn text(&mut self) -> Option<&'b [u8]> {
        let length = u32::from_le_bytes(self.take()?) as usize;
        let (text, rest) = self.bytes.split_at_checked(length)?;
        self.bytes = rest;
        Some(text)
    }

    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.bytes.split_first_chunk()?;
        self.bytes = rest;
        Some(*taken)
    }
}
