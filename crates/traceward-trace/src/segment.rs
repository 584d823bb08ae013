//! States of a trace that is not split by key, kept outside of memory segment by segment.
//!
//! Whoever judges a trace needs a bit for each proposition and state, and the values themselves
//! only where something has to be told. So where columns take too much memory, the states so far go
//! to a file as they are, and the columns go on behind them. What a state looks at of earlier ones
//! comes with its segment, so that each can be evaluated by itself.

use crate::error::TraceError;
use crate::format::Format;
use crate::lines::Lines;
use crate::note::Note;
use crate::options::Spill;
use crate::read::{Positions, ReadTrace};
use crate::sources::Sources;
use crate::spill::{Appended, failed};
use std::io;
use std::ops::Range;
use std::sync::Arc;
use traceward_logic::bitmap::Bitmap;
use traceward_logic::trace::{Column, ColumnData, Number, TextData};
use traceward_logic::value::ValueType;

/// The bytes of a segment at the most: one that is asked for a value is read whole.
const LARGEST: usize = 64 << 20;

/// States of a trace that follow each other.
#[derive(Clone, PartialEq, Debug)]
pub struct Segment {
    /// The position of the first state that is its own.
    pub first: usize,
    /// The number of states before that one, which belong to earlier segments.
    pub before: usize,
    /// The number of states, those of earlier segments included.
    pub states: usize,
    /// One column for each variable; none where no record so far has told of it.
    pub columns: Vec<Option<Column>>,
    /// The timestamp of each state, if there are any.
    pub time: Option<Vec<i64>>,
}

/// The place of a segment.
struct Place {
    first: usize,
    before: usize,
    states: usize,
    stretch: Range<u64>,
}

/// The segments of a trace in a file.
pub(crate) struct SegmentFile {
    appended: Appended,
    places: Vec<Place>,
}

impl SegmentFile {
    pub(crate) fn new(spill: &Spill) -> Result<Self, TraceError> {
        Ok(Self { appended: Appended::new(spill)?, places: Vec::new() })
    }

    /// The memory that a segment may take. Making one and reading it again take about as much each.
    pub(crate) fn room(spill: &Spill) -> usize {
        (spill.memory / 3).min(LARGEST)
    }

    /// Adds states that take so many bytes, in segments that fit. Each comes with as many states
    /// before it as are looked at.
    pub(crate) fn add(
        &mut self,
        states: &Segment,
        bytes: usize,
        reach: usize,
        spill: &Spill,
    ) -> Result<(), TraceError> {
        let parts = (bytes / Self::room(spill).max(1)).max(1);
        let each = (states.states - states.before).div_ceil(parts).max(1);
        for start in (states.before..states.states).step_by(each) {
            let end = (start + each).min(states.states);
            self.add_one(&states.part(start.saturating_sub(reach), start, end))?;
        }
        Ok(())
    }

    fn add_one(&mut self, segment: &Segment) -> Result<(), TraceError> {
        let mut bytes = Vec::new();
        segment.columns.iter().for_each(|column| write_column(column.as_ref(), &mut bytes));
        let times = segment.time.iter().flatten();
        times.for_each(|time| bytes.extend_from_slice(&time.to_le_bytes()));
        let stretch = self.appended.append(&bytes).map_err(|error| failed(&error))?;
        let &Segment { first, before, states, .. } = segment;
        self.places.push(Place { first, before, states, stretch });
        Ok(())
    }
}

impl Segment {
    /// The states from `start` to `end`, and those before them from `from` on.
    fn part(&self, from: usize, start: usize, end: usize) -> Self {
        Self {
            first: self.first + start - self.before,
            before: start - from,
            states: end - from,
            columns: self.columns.iter().map(|column| column.as_ref().map(|column| column.slice(from..end))).collect(),
            time: self.time.as_ref().map(|time| time[from..end].to_vec()),
        }
    }
}

/// A trace that is not in memory as a whole: its segments, and what is known of all of them.
pub struct Segments {
    file: SegmentFile,
    outline: ReadTrace,
    /// What ended the reading, if it was not the end of the input.
    stopped: Option<TraceError>,
}

/// What is known of a trace in segments beside its states.
pub(crate) struct Outline {
    pub(crate) states: usize,
    /// Which variables the input has.
    pub(crate) mentioned: Vec<bool>,
    pub(crate) types: Vec<Option<ValueType>>,
    pub(crate) has_time: bool,
    pub(crate) lines: Lines,
    pub(crate) names: Vec<String>,
    pub(crate) notes: Vec<Note>,
}

impl Segments {
    pub(crate) fn new(file: SegmentFile, outline: Outline, stopped: Option<TraceError>) -> Self {
        let Outline { states, mentioned, types, has_time, lines, names, notes } = outline;
        let column = |is_mentioned: bool| is_mentioned.then(|| Column::all_missing(0));
        let outline = ReadTrace {
            states,
            columns: mentioned.into_iter().map(column).collect(),
            types,
            names,
            time: has_time.then(Vec::new),
            keys: None,
            lines,
            sources: Sources::default(),
            positions: Positions::All,
            format: Format::CSV,
            notes,
        };
        Self { file, outline, stopped }
    }

    pub(crate) fn set_format(&mut self, format: Format) {
        self.outline.format = format;
    }

    /// The same of a table, whose lines are rows.
    pub(crate) fn of_rows(self, format: Format) -> Self {
        let Self { file, outline, stopped } = self;
        let outline = ReadTrace { format, lines: outline.lines.of_rows(), ..outline };
        Self { file, outline, stopped: stopped.map(TraceError::of_rows) }
    }

    /// The trace without its states: columns and timestamps are there, and empty.
    pub fn outline(&self) -> &ReadTrace {
        &self.outline
    }

    /// What ended the reading, if it was not the end of the input.
    pub fn stopped(&self) -> Option<&TraceError> {
        self.stopped.as_ref()
    }

    /// The number of segments.
    pub fn len(&self) -> usize {
        self.file.places.len()
    }

    /// Whether there are no segments.
    pub fn is_empty(&self) -> bool {
        self.file.places.is_empty()
    }

    /// The segment that a position belongs to.
    pub fn of_position(&self, position: usize) -> usize {
        self.file.places.partition_point(|place| place.first <= position).saturating_sub(1)
    }

    /// Reads a segment from the file.
    pub fn read(&mut self, index: usize) -> Result<Segment, TraceError> {
        let Place { first, before, states, stretch } = &self.file.places[index];
        let (first, before, states) = (*first, *before, *states);
        let mut bytes = Vec::new();
        self.file.appended.read(stretch, &mut bytes).map_err(|error| failed(&error))?;
        let mut bytes = Bytes(&bytes);
        let mut column = |outline: &Option<Column>| {
            let column = bytes.column(states)?;
            // A variable that is told of later is missing here.
            Ok(column.or_else(|| outline.as_ref().map(|_| Column::all_missing(states))))
        };
        let columns: io::Result<_> = self.outline.columns.iter().map(&mut column).collect();
        let columns = columns.map_err(|error| failed(&error))?;
        let times = self.outline.time.as_ref().map(|_| bytes.list(states, i64::from_le_bytes));
        let time = times.transpose().map_err(|error| failed(&error))?;
        Ok(Segment { first, before, states, columns, time })
    }
}

/// The first byte of a column: what follows.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Kind {
    Absent,
    Bool,
    Int,
    Float,
    Mixed,
    Text,
}

impl Kind {
    const ALL: [Self; 6] = [Self::Absent, Self::Bool, Self::Int, Self::Float, Self::Mixed, Self::Text];
}

fn write_column(column: Option<&Column>, bytes: &mut Vec<u8>) {
    let Some(Column { data, present }) = column else { return bytes.push(Kind::Absent as u8) };
    let kind = match data {
        ColumnData::Bool(_) => Kind::Bool,
        ColumnData::Int(_) => Kind::Int,
        ColumnData::Float(_) => Kind::Float,
        ColumnData::Mixed(_) => Kind::Mixed,
        ColumnData::Text(_) => Kind::Text,
    };
    bytes.extend([kind as u8, u8::from(present.is_some())]);
    present.iter().for_each(|present| write_words(present, bytes));
    match data {
        ColumnData::Bool(bits) => write_words(bits, bytes),
        ColumnData::Int(ints) => ints.iter().for_each(|int| bytes.extend_from_slice(&int.to_le_bytes())),
        ColumnData::Float(floats) => floats.iter().for_each(|float| bytes.extend_from_slice(&float.to_le_bytes())),
        ColumnData::Mixed(numbers) => numbers.iter().for_each(|number| write_number(*number, bytes)),
        ColumnData::Text(text) => write_texts(text, bytes),
    }
}

fn write_words(bits: &Bitmap, bytes: &mut Vec<u8>) {
    bits.words().iter().for_each(|word| bytes.extend_from_slice(&word.to_le_bytes()));
}

fn write_number(number: Number, bytes: &mut Vec<u8>) {
    let (is_float, value) = match number {
        Number::Int(int) => (0, int.to_le_bytes()),
        Number::Float(float) => (1, float.to_le_bytes()),
    };
    bytes.push(is_float);
    bytes.extend_from_slice(&value);
}

/// Writes those of the texts that are there.
fn write_texts(text: &TextData, bytes: &mut Vec<u8>) {
    let mut numbers = vec![None; text.dictionary.len().max(1)];
    let mut used: Vec<&str> = Vec::new();
    let mut codes: Vec<u32> = Vec::with_capacity(text.codes.len());
    for &code in &text.codes {
        codes.push(*numbers[code as usize].get_or_insert_with(|| {
            used.extend(text.dictionary.get(code as usize).map(|text| &**text));
            used.len().saturating_sub(1) as u32
        }));
    }
    bytes.extend_from_slice(&(used.len() as u64).to_le_bytes());
    for text in used {
        bytes.extend_from_slice(&(text.len() as u64).to_le_bytes());
        bytes.extend_from_slice(text.as_bytes());
    }
    codes.iter().for_each(|code| bytes.extend_from_slice(&code.to_le_bytes()));
}

/// What is left of a segment that is read. The file is our own, and yet nothing in it is trusted:
/// a disk may give back something else.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, count: usize) -> io::Result<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or_else(damaged)?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        self.take(N)?.try_into().map_err(|_| damaged())
    }

    fn size(&mut self) -> io::Result<usize> {
        usize::try_from(u64::from_le_bytes(self.array()?)).map_err(|_| damaged())
    }

    /// Values of N bytes each.
    fn list<T, const N: usize>(&mut self, count: usize, value: impl Fn([u8; N]) -> T) -> io::Result<Vec<T>> {
        let bytes = self.take(count.checked_mul(N).ok_or_else(damaged)?)?;
        Ok(bytes.as_chunks().0.iter().map(|bytes| value(*bytes)).collect())
    }

    fn bits(&mut self, states: usize) -> io::Result<Bitmap> {
        Ok(Bitmap::from_words(self.list(states.div_ceil(Bitmap::WORD), u64::from_le_bytes)?, states))
    }

    fn column(&mut self, states: usize) -> io::Result<Option<Column>> {
        let [kind] = self.array()?;
        let kind = Kind::ALL.into_iter().find(|known| *known as u8 == kind).ok_or_else(damaged)?;
        if kind == Kind::Absent {
            return Ok(None);
        }
        let [has_gaps] = self.array()?;
        let present = if has_gaps == 0 { None } else { Some(self.bits(states)?) };
        let data = match kind {
            Kind::Absent | Kind::Bool => ColumnData::Bool(self.bits(states)?),
            Kind::Int => ColumnData::Int(self.list(states, i64::from_le_bytes)?),
            Kind::Float => ColumnData::Float(self.list(states, f64::from_le_bytes)?),
            Kind::Mixed => ColumnData::Mixed(self.list(states, number)?),
            Kind::Text => ColumnData::Text(self.texts(states)?),
        };
        Ok(Some(Column { data, present }))
    }

    fn texts(&mut self, states: usize) -> io::Result<TextData> {
        let count = self.size()?;
        let mut dictionary: Vec<Arc<str>> = Vec::new();
        for _ in 0..count {
            let len = self.size()?;
            dictionary.push(std::str::from_utf8(self.take(len)?).map_err(|_| damaged())?.into());
        }
        let codes = self.list(states, u32::from_le_bytes)?;
        // Where nothing is present, codes are 0 and there may be no text.
        let is_known = |code: &u32| (*code as usize) < dictionary.len() || *code == 0;
        if !codes.iter().all(is_known) {
            return Err(damaged());
        }
        Ok(TextData { codes, dictionary: dictionary.into() })
    }
}

fn number([is_float, value @ ..]: [u8; 9]) -> Number {
    if is_float == 0 { Number::Int(i64::from_le_bytes(value)) } else { Number::Float(f64::from_le_bytes(value)) }
}

fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "it does not hold what was written")
}
