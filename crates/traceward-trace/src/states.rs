//! Records become states: keys, timestamps, missing values.

use crate::block::{Block, BlockRoom};
use crate::cell::Cell;
use crate::column::{ColumnBuilder, container};
use crate::error::{TraceError, TraceErrorKind, lossy};
use crate::format::Format;
use crate::keys::{KeysBuilder, OutOfOrder};
use crate::lines::Lines;
use crate::note::Note;
use crate::options::{Pieces, ReadOptions, ReadVariable, Spill, unknown_column};
use crate::read::{Positions, ReadTrace};
use crate::record::{ReadStop, RecordSink};
use crate::segment::{Outline, Segment, SegmentFile, Segments};
use crate::sources::Sources;
use crate::spill::{KeyParts, Spilled};
use crate::split::Splitter;
use crate::time::TimeBuilder;
use crate::typing::{Gaps, Typing};
use std::borrow::Cow;
use traceward_logic::value::Value;

/// The states of a trace in the making.
pub(crate) struct States<'o> {
    options: &'o ReadOptions,
    typing: Typing,
    columns: Vec<ColumnBuilder>,
    time: Option<TimeBuilder>,
    keys: Option<KeysBuilder>,
    /// Finds the ends of traces among the states of a key, if something marks them.
    splitter: Option<Splitter>,
    lines: Lines,
    sources: Sources,
    /// The number of states that are here.
    len: u32,
    /// The number of states that are likely to come, until the first of them do.
    expected: usize,
    /// The rooms of blocks whose states are here, for others.
    rooms: Vec<BlockRoom>,
    /// The number of states before them, which are in segments.
    before: u32,
    /// The number of those here that are in segments, too.
    overlap: u32,
    limit: u32,
    without_key: u64,
    time_seen: bool,
    /// Whether time may decrease, since nothing but its span is asked.
    unordered: bool,
    /// The latest of so many timestamps.
    latest: (usize, i64),
    /// The records of keys that did not fit into memory, once there are any: then all are there.
    spilled: Option<Box<Spilled>>,
    /// The states before those that are here, where the trace is not split.
    segments: Option<Box<SegmentFile>>,
}

impl<'o> States<'o> {
    pub(crate) fn new(options: &'o ReadOptions) -> Self {
        let splitter = Splitter::new(options);
        let gaps =
            |variable: &ReadVariable| if splitter.is_some() { Gaps::FILLED } else { Gaps::of(variable, options) };
        let column =
            |variable: &ReadVariable| ColumnBuilder::new(variable.expected, variable.may_be_missing, gaps(variable));
        Self {
            options,
            typing: Typing::new(options),
            columns: options.variables.iter().map(column).collect(),
            time: TimeBuilder::new(options),
            keys: options.key.as_ref().map(|_| KeysBuilder::default()),
            splitter,
            lines: Lines::default(),
            sources: Sources::default(),
            len: 0,
            expected: 0,
            rooms: Vec::new(),
            before: 0,
            overlap: 0,
            limit: u32::MAX,
            without_key: 0,
            time_seen: false,
            unordered: false,
            latest: (0, i64::MIN),
            spilled: None,
            segments: None,
        }
    }

    /// States of some keys of a trace whose types are known.
    pub(crate) fn of_keys(options: &'o ReadOptions, typing: Typing) -> Self {
        Self { typing, ..Self::new(options) }
    }

    /// States that need not be in order of time.
    pub(crate) fn unordered(options: &'o ReadOptions) -> Self {
        Self { unordered: true, ..Self::new(options) }
    }

    /// Makes room if the states take more memory than is allowed. Where they depend on more than
    /// those before them they stay in memory.
    pub(crate) fn relieve(&mut self) -> Result<(), TraceError> {
        let depends = self.splitter.is_some()
            || self.options.source_slots().is_some()
            || self.time.as_ref().is_some_and(|time| time.reader().is_none());
        match &self.options.spill {
            _ if depends || self.spilled.is_some() => {}
            Some(spill) if self.keys.is_some() && self.bytes() > spill.memory => self.spill_keys(spill)?,
            Some(spill) if self.keys.is_none() && self.bytes() > self.room(spill) => self.end_segment(spill)?,
            _ => {}
        }
        Ok(())
    }

    /// The memory that the states of a trace without keys may take.
    fn room(&self, spill: &Spill) -> usize {
        if self.segments.is_none() { spill.memory } else { SegmentFile::room(spill) }
    }

    /// Ends a segment with the states that are here. The last ones stay as well: what is carried
    /// on, and what expressions look at.
    fn end_segment(&mut self, spill: &Spill) -> Result<(), TraceError> {
        if self.len == self.overlap {
            return Ok(());
        }
        let file = match self.segments.take() {
            Some(file) => file,
            None => Box::new(SegmentFile::new(spill)?),
        };
        let (bytes, reach) = (self.bytes(), self.options.reach.max(1));
        let staying = reach.min(self.len as usize);
        let states = Segment {
            first: (self.before + self.overlap) as usize,
            before: self.overlap as usize,
            states: self.len as usize,
            columns: self.columns.iter_mut().map(|column| column.hand_over(staying)).collect(),
            time: self.time.as_mut().map(|time| time.hand_over(staying)),
        };
        self.overlap = staying as u32;
        self.before += self.len - self.overlap;
        self.len = self.overlap;
        self.segments.insert(file).add(&states, bytes, reach, spill)
    }

    /// The trace segment by segment, if it did not fit into memory; `stopped` is what ended the
    /// reading, if it was not the end of the input.
    pub(crate) fn into_segments(
        mut self,
        names: &[String],
        notes: &[Note],
        stopped: Option<&TraceError>,
    ) -> Result<Result<Segments, TraceError>, Box<Self>> {
        if self.segments.is_none() {
            return Err(Box::new(self));
        }
        let stopped = stopped.map(|error| self.explain(error.clone(), names));
        if let Err(error) = self.end_last_segment() {
            return Ok(Err(stopped.unwrap_or(error)));
        }
        let Some(file) = self.segments.take() else { return Err(Box::new(self)) };
        let outline = Outline {
            states: (self.before + self.len) as usize,
            mentioned: self.columns.iter().map(ColumnBuilder::is_mentioned).collect(),
            types: self.typing.types(),
            has_time: self.time.is_some(),
            lines: self.lines,
            names: names.to_vec(),
            notes: notes.to_vec(),
        };
        Ok(Ok(Segments::new(*file, outline, stopped)))
    }

    fn end_last_segment(&mut self) -> Result<(), TraceError> {
        if let Some(time) = &mut self.time {
            time.settle(None, &self.lines)?;
        }
        match &self.options.spill {
            Some(spill) => self.end_segment(spill),
            None => Ok(()),
        }
    }

    /// Takes the states of keys out of memory: from then on records go to a file.
    fn spill_keys(&mut self, spill: &Spill) -> Result<(), TraceError> {
        let Some(keys) = self.keys.take() else { return Ok(()) };
        let (codes, dictionary) = keys.into_codes();
        let mut spilled = Spilled::new(spill, dictionary, self.columns.len())?;
        let mentioned = self.columns.iter().enumerate().filter(|(_, column)| column.is_mentioned());
        spilled.mention(mentioned.map(|(index, _)| index));
        let slots = self.options.names().len();
        for (position, code) in codes.into_iter().enumerate() {
            let mut cells: Vec<Cell<'_>> = self.columns.iter().map(|column| column.cell(position)).collect();
            cells.resize(slots, Cell::Absent);
            if let Some(time) = &self.time {
                cells[self.options.time_slots().start] = Cell::Time(time.times()[position]);
            }
            spilled.put(code, self.lines.line(position), &cells, self.options)?;
        }
        spilled.pass_without_key(self.without_key);
        self.columns = self.columns.iter().map(|column| column.of_piece(0)).collect();
        self.lines = Lines::default();
        if let Some(time) = &mut self.time {
            time.truncate(0);
        }
        self.spilled = Some(Box::new(spilled));
        Ok(())
    }

    /// The memory that states take, in bytes.
    fn bytes(&self) -> usize {
        let columns: usize = self.columns.iter().map(ColumnBuilder::bytes).sum();
        let times = self.time.as_ref().map_or(0, |time| size_of_val(time.times()));
        columns + times + self.keys.as_ref().map_or(0, KeysBuilder::bytes)
    }

    /// The keys one after the other, if their records did not fit into memory; `stopped` is what
    /// ended the reading, if it was not the end of the input.
    pub(crate) fn into_parts(
        mut self,
        names: &[String],
        notes: &[Note],
        stopped: Option<&TraceError>,
    ) -> Result<KeyParts<'o>, Box<Self>> {
        let Some(spilled) = self.spilled.take() else { return Err(Box::new(self)) };
        let mut notes = notes.to_vec();
        let stopped = stopped.cloned().or_else(|| {
            let told = key_note(self.options, u64::from(spilled.states()), spilled.without_key(), names);
            told.map(|note| notes.extend(note)).err()
        });
        Ok(KeyParts::new(*spilled, (self.options, self.typing), (names.to_vec(), notes), stopped))
    }

    /// The finished trace.
    pub(crate) fn finish(self, names: Vec<String>, mut notes: Vec<Note>) -> Result<ReadTrace, TraceError> {
        self.check_key(&names, &mut notes)?;
        // What comes now takes memory, too.
        drop(self.rooms);
        let keys = self.keys.map(|keys| keys.finish(self.options.pieces.threads));
        let time = self.time.map(|time| time.finish(keys.as_ref(), &self.lines)).transpose()?;
        Ok(ReadTrace {
            states: self.len as usize,
            columns: self.columns.into_iter().map(ColumnBuilder::finish).collect(),
            types: self.typing.types(),
            names,
            time,
            keys,
            lines: self.lines,
            sources: self.sources,
            positions: Positions::All,
            format: Format::CSV,
            notes,
        })
    }

    /// What there is to say about time and keys, whether or not the records are in order.
    pub(crate) fn summarise(self, names: &[String], mut notes: Vec<Note>) -> Result<StatesSummary, TraceError> {
        self.check_key(names, &mut notes)?;
        let times = self.time.map(TimeBuilder::finish_unordered).transpose()?.unwrap_or_default();
        let time_span = times.iter().min().copied().zip(times.iter().max().copied());
        let keys = self.keys.map(|keys| keys.finish(self.options.pieces.threads).len());
        Ok(StatesSummary { time_span, keys, notes })
    }

    fn check_key(&self, names: &[String], notes: &mut Vec<Note>) -> Result<(), TraceError> {
        notes.extend(key_note(self.options, u64::from(self.len), self.without_key, names)?);
        Ok(())
    }

    /// A timestamp that is missing from the start is more likely a wrong name: says so instead.
    pub(crate) fn explain(&self, error: TraceError, names: &[String]) -> TraceError {
        match (&self.options.time, error.kind()) {
            (Some(_), TraceErrorKind::MissingTime) if !self.time_seen => {
                self.options.unknown_time(names).unwrap_or(error)
            }
            _ => error,
        }
    }

    /// The pieces in which the input is read.
    pub(crate) fn pieces(&self) -> Pieces {
        self.options.pieces
    }

    /// The number of rows whose states may be in memory, each of its values a number.
    pub(crate) fn most_rows(&self) -> usize {
        let values = self.columns.len() + usize::from(self.time.is_some()) + usize::from(self.keys.is_some());
        let memory = self.options.spill.as_ref().map_or(usize::MAX, |spill| spill.memory);
        memory / (values.max(1) * size_of::<i64>())
    }

    /// The options of a trace that is not split.
    pub(crate) fn without_keys(&self) -> Option<&'o ReadOptions> {
        self.keys.is_none().then_some(self.options)
    }

    /// Whether the type of every variable is known.
    pub(crate) fn has_types(&self) -> bool {
        self.typing.is_decided()
    }

    /// The number of states.
    pub(crate) fn len(&self) -> usize {
        self.len as usize
    }

    /// Makes room for so many states, once it is known what the first of them are. Columns that
    /// grow would be copied again and again.
    pub(crate) fn expect(&mut self, states: usize) {
        self.expected = states;
    }

    fn make_room(&mut self, first: &Block<'_>) {
        let states = std::mem::take(&mut self.expected);
        if states <= first.len as usize || self.len > 0 {
            return;
        }
        self.columns.iter_mut().zip(&first.columns).for_each(|(column, piece)| column.expect(piece, states));
        if let Some(time) = &mut self.time {
            time.expect(states);
        }
        if let Some(keys) = &mut self.keys {
            keys.expect(states);
        }
    }

    /// A block for a piece that comes behind the states so far, with room for some states; none if
    /// they would depend on those so far.
    pub(crate) fn block(&mut self, states: usize) -> Option<Block<'o>> {
        if self.splitter.is_some() || self.options.source_slots().is_some() || self.spilled.is_some() {
            return None;
        }
        let time = match &self.time {
            None => None,
            Some(time) => Some(time.reader()?.clone()),
        };
        let columns = self.columns.iter().map(|column| column.of_piece(states)).collect();
        let mut block = Block::new(self.options, self.typing.clone(), time, columns, states);
        if let Some(room) = self.rooms.pop() {
            block.reuse(room);
        }
        Some(block)
    }

    /// Adds the states of a block, whose piece begins on a line. False, and nothing is added, if
    /// they do not follow those so far.
    pub(crate) fn append(&mut self, mut block: Block<'_>, line: u64) -> bool {
        let fits = (self.before + self.len).checked_add(block.len).is_some_and(|len| len <= self.limit);
        let is_spilled = self.spilled.is_some();
        if is_spilled || !fits || block.was_read_otherwise(&self.typing) || self.comes_after(&block) {
            return false;
        }
        self.make_room(&block);
        let Ok(previous) = self.append_keys(&block) else { return false };
        for (column, piece) in self.columns.iter_mut().zip(&mut block.columns) {
            column.append(piece);
        }
        for &(row, column) in &block.carried {
            let before = match &self.keys {
                None => (self.len + row).checked_sub(1),
                Some(_) => previous[row as usize],
            };
            if let Some(before) = before {
                self.columns[column as usize].carry_on(before as usize, (self.len + row) as usize);
            }
        }
        if let Some(time) = &mut self.time {
            self.time_seen |= !block.times.is_empty();
            time.append(&mut block.times);
        }
        self.lines.append(&block.lines, line);
        self.without_key += block.without_key;
        self.len += block.len;
        self.rooms.push(block.into_room());
        true
    }

    /// Whether a trace that is not split would go back in time.
    fn comes_after(&self, block: &Block<'_>) -> bool {
        let last = self.time.as_ref().and_then(|time| time.times().last());
        let ends = last.zip(block.times.first());
        self.keys.is_none() && !self.unordered && ends.is_some_and(|(last, first)| first < last)
    }

    /// Whether no state of a block is earlier than any before it, in its key or elsewhere: most
    /// logs are in order.
    fn comes_later(&mut self, block: &Block<'_>) -> bool {
        let times = self.time.as_ref().map(TimeBuilder::times).filter(|_| !self.unordered);
        let Some(times) = times else { return true };
        let (count, latest) = self.latest;
        let latest = times[count.min(times.len())..].iter().fold(latest, |latest, &time| latest.max(time));
        let is_later = block.times.first().is_none_or(|&first| latest <= first) && block.times.is_sorted();
        self.latest = (times.len(), latest);
        is_later
    }

    /// Adds the keys of a block; returns the state before each of its states, if some value is
    /// carried on. Nothing is added if a key would go back in time.
    fn append_keys(&mut self, block: &Block<'_>) -> Result<Vec<Option<u32>>, OutOfOrder> {
        let mut previous = Vec::new();
        if self.keys.is_none() {
            return Ok(previous);
        }
        let is_later = block.carried.is_empty() && self.comes_later(block);
        let Some(keys) = &mut self.keys else { return Ok(previous) };
        if is_later {
            keys.append_in_order(&block.keys);
            return Ok(previous);
        }
        let times = self.time.as_ref().map(TimeBuilder::times).filter(|_| !self.unordered);
        let time_of = |position: u32| match position.checked_sub(self.len) {
            Some(row) => block.times[row as usize],
            None => times.map_or(i64::MIN, |times| times[position as usize]),
        };
        let is_carried = !block.carried.is_empty();
        let mut position = self.len;
        keys.append(&block.keys, |before| {
            let is_late = times.is_some() && before.is_some_and(|before| time_of(position) < time_of(before));
            if is_carried {
                previous.push(before);
            }
            position += 1;
            if is_late { Err(OutOfOrder) } else { Ok(()) }
        })?;
        Ok(previous)
    }

    /// Whether a record has no key, so that it becomes no state.
    pub(crate) fn lacks_key(&self, cells: &[Cell<'_>]) -> bool {
        has_no_key(cells, self.options)
    }

    /// The state before this record in its key; none if the record has no key.
    #[inline(always)]
    fn previous(&mut self, cells: &[Cell<'_>]) -> Result<Option<Previous>, TraceErrorKind> {
        if self.before + self.len == self.limit {
            return Err(TraceErrorKind::TooManyStates { limit: self.limit });
        }
        match &mut self.keys {
            None => Ok(Some(Previous(self.len.checked_sub(1)))),
            Some(keys) => match key_text(cells[self.options.key_slot()], self.options)? {
                Some(key) => Ok(Some(Previous(keys.push(&key, self.len)))),
                None => Ok(None),
            },
        }
    }

    #[inline(always)]
    fn push(&mut self, line: u64, cells: &[Cell<'_>], previous: Option<u32>) -> Result<(), TraceError> {
        // Before anything can fail: what an earlier record has decided stays.
        self.typing.begin();
        if let Some(time) = &mut self.time {
            let anchor = time.anchor(previous);
            time.push(&cells[self.options.time_slots()], line, anchor)?;
            self.time_seen = true;
            if !self.unordered {
                let key = self.options.key.as_ref().and(cells.get(self.options.key_slot()));
                check_order(time, previous, key, line, &self.lines)?;
            }
        }
        for (index, (column, &cell)) in self.columns.iter_mut().zip(cells).enumerate() {
            if let Err(kind) = self.typing.read(index, cell, &mut column.next(previous)) {
                return Err(at(kind, line, Some(&self.options.variables[index].name)));
            }
        }
        self.lines.push(line);
        if let Some(slots) = self.options.source_slots() {
            self.sources.push(self.len, &cells[slots]);
        }
        self.len += 1;
        Ok(())
    }

    /// Takes a record of a key that may have several traces. What is carried on stays within one,
    /// so the state is made first, and columns get it whole.
    fn split(&mut self, line: u64, cells: &[Cell<'_>]) -> Result<(), ReadStop> {
        if self.len == self.limit {
            return Err(at(TraceErrorKind::TooManyStates { limit: self.limit }, line, None).into());
        }
        let Some(splitter) = &mut self.splitter else { return Ok(()) };
        let Some(key) = key_text(cells[self.options.key_slot()], self.options)
            .map_err(|kind| at(kind, line, self.options.key.as_deref()))?
        else {
            self.without_key += 1;
            return Ok(());
        };
        let belongs = splitter.take(&key, line, cells)?;
        let (values, seen, time) = splitter.state();
        let values: Vec<(Value, bool)> = values.iter().cloned().zip(seen.iter().copied()).collect();
        let mut whole: Vec<Cell<'_>> = values.iter().map(|(value, seen)| whole_cell(value, *seen)).collect();
        let others = cells.iter().skip(whole.len());
        whole.extend(others);
        if let Some(time) = time {
            whole[self.options.time_slots().start] = Cell::Time(time);
        }
        if let Some(keys) = &mut self.keys {
            keys.push_to(&key, self.len, belongs);
        }
        self.push(line, &whole, None).map_err(|error| {
            self.undo();
            error.into()
        })
    }

    /// A record could not be taken: what it has left is undone, so that the states before it make
    /// a trace.
    fn undo(&mut self) {
        let len = self.len as usize;
        self.typing.roll_back();
        self.columns.iter_mut().for_each(|column| column.truncate(len));
        if let Some(time) = &mut self.time {
            time.truncate(len);
        }
        if let Some(keys) = &mut self.keys {
            keys.truncate(self.len);
        }
    }
}

/// Checks that time has not decreased since the state before.
#[inline]
fn check_order(
    time: &TimeBuilder,
    previous: Option<u32>,
    key: Option<&Cell<'_>>,
    line: u64,
    lines: &Lines,
) -> Result<(), TraceError> {
    let checked = time.check_latest(previous, None, line, lines);
    if checked.is_ok() {
        return Ok(());
    }
    let key = key.and_then(|key| key.text()).map(|key| lossy(&key));
    time.check_latest(previous, key.as_deref(), line, lines)
}

/// What an inspection tells about time and keys.
pub(crate) struct StatesSummary {
    pub(crate) time_span: Option<(i64, i64)>,
    pub(crate) keys: Option<usize>,
    pub(crate) notes: Vec<Note>,
}

/// The state before another in its key; none if that is the first.
struct Previous(Option<u32>);

impl RecordSink for States<'_> {
    fn header(&mut self, names: &[String]) -> Result<Vec<Option<usize>>, TraceError> {
        let fields = match &mut self.splitter {
            Some(splitter) => splitter.header(names)?,
            None => self.options.fields(names)?,
        };
        for (column, field) in self.columns.iter_mut().zip(&fields) {
            match field {
                Some(_) => column.mention(),
                None => column.disregard(),
            }
        }
        Ok(fields)
    }

    #[inline(always)]
    fn record(&mut self, line: u64, cells: &[Cell<'_>]) -> Result<(), ReadStop> {
        if self.splitter.is_some() {
            return self.split(line, cells);
        }
        if let Some(spilled) = &mut self.spilled {
            let time = self.time.as_ref().and_then(TimeBuilder::reader);
            return spilled.record(line, cells, self.options, &mut self.typing, time);
        }
        let previous = match self.previous(cells) {
            Ok(Some(Previous(previous))) => previous,
            Ok(None) => {
                self.without_key += 1;
                return Ok(());
            }
            Err(kind) => return Err(at(kind, line, self.options.key.as_deref()).into()),
        };
        self.push(line, cells, previous).map_err(|error| {
            self.undo();
            error.into()
        })
    }
}

/// The cell, or nothing where its text stands for a missing value.
pub(crate) fn known<'a>(cell: Cell<'a>, null: &[String]) -> Cell<'a> {
    let stands_for_missing = |text: &[u8]| null.iter().any(|null| null.as_bytes() == text);
    if !null.is_empty() && cell.text().is_some_and(|text| stands_for_missing(&text)) { Cell::Null } else { cell }
}

/// Whether a record lacks the key that options ask for.
pub(crate) fn has_no_key(cells: &[Cell<'_>], options: &ReadOptions) -> bool {
    options.key.is_some() && matches!(key_text(cells[options.key_slot()], options), Ok(None))
}

/// A value of a whole state as a cell. What no record has spoken of stays unknown.
fn whole_cell(value: &Value, seen: bool) -> Cell<'_> {
    match value {
        Value::Bool(bit) => Cell::Bool(*bit),
        Value::Int(int) => Cell::Int(*int),
        Value::Float(float) => Cell::Float(*float),
        Value::Str(text) => Cell::Str(text),
        // Variables hold no pairs and no lists.
        Value::Missing | Value::Pair(_) | Value::List(_) if seen => Cell::Null,
        Value::Missing | Value::Pair(_) | Value::List(_) => Cell::Absent,
    }
}

/// What is to be said of records without a key: that nobody has such a column, if there was no
/// state at all.
pub(crate) fn key_note(
    options: &ReadOptions,
    states: u64,
    without_key: u64,
    names: &[String],
) -> Result<Option<Note>, TraceError> {
    let Some(key) = options.key.as_ref().filter(|_| without_key > 0) else { return Ok(None) };
    if states == 0 && !names.contains(key) {
        return Err(unknown_column("key", key, names));
    }
    Ok(Some(Note::WithoutKey { records: without_key, key: key.clone() }))
}

/// The text of a key; none where the record has no key.
pub(crate) fn key_text<'a>(cell: Cell<'a>, options: &ReadOptions) -> Result<Option<Cow<'a, str>>, TraceErrorKind> {
    if let Cell::Container(source) = cell {
        return Err(container(options.key.as_deref().unwrap_or_default(), source));
    }
    match known(cell, &options.null).text() {
        Some(Cow::Borrowed(text)) if !text.is_empty() => match std::str::from_utf8(text) {
            Ok(text) => Ok(Some(Cow::Borrowed(text))),
            Err(_) => Err(TraceErrorKind::InvalidUtf8),
        },
        Some(Cow::Owned(text)) if !text.is_empty() => match String::from_utf8(text) {
            Ok(text) => Ok(Some(Cow::Owned(text))),
            Err(_) => Err(TraceErrorKind::InvalidUtf8),
        },
        _ => Ok(None),
    }
}

/// What is wrong, on its line and in its column.
pub(crate) fn at(kind: TraceErrorKind, line: u64, column: Option<&str>) -> TraceError {
    let error = TraceError::new(kind).on_line(line);
    match column {
        Some(column) => error.in_column(column),
        None => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_states_than_positions_can_count_are_refused() {
        let options = ReadOptions::default();
        let mut states = States::new(&options);
        states.limit = 2;
        assert!(states.record(2, &[]).is_ok());
        assert!(states.record(3, &[]).is_ok());
        let Err(ReadStop::Failed(error)) = states.record(4, &[]) else { panic!("an error") };
        assert_eq!(error.kind(), &TraceErrorKind::TooManyStates { limit: 2 });
        assert_eq!(error.line(), Some(4));
    }
}
