//! The states of a piece of an input, made without what comes before it.
//!
//! A block is read side by side with others, and then joins the states before it
//! ([`States::append`](crate::states::States::append)). It takes only what means the same wherever
//! it stands. At anything else, be it a mistake or a time of day, whose day the state before tells,
//! it gives up, and its piece is read again behind the states before it: so there is one place that
//! knows what is to be said.

use crate::cell::Cell;
use crate::column::ColumnBuilder;
use crate::dictionary::Texts;
use crate::error::{TraceError, TraceErrorKind};
use crate::lines::Lines;
use crate::number;
use crate::options::ReadOptions;
use crate::plain_rows::{Bounds, FieldKind, PlainColumn, PlainRows};
use crate::record::{ReadStop, RecordSink};
use crate::states::key_text;
use crate::swar;
use crate::table::{Bits, Rows, Slice, SliceValues, packed};
use crate::time::TimeReader;
use crate::typing::{CellSink, Gap, Typing};
use crate::whole::WholeKind;
use std::ops::Range;
use traceward_logic::value::ValueType;

/// The number of fields that are looked at closer once one of them is not plain.
const LOOKED_AT_CLOSER: usize = 16;

/// The states of a piece.
pub(crate) struct Block<'o> {
    options: &'o ReadOptions,
    typing: Typing,
    time: Option<TimeReader>,
    pub(crate) columns: Vec<ColumnBuilder>,
    pub(crate) times: Vec<i64>,
    /// The key of each state, where the trace is split.
    pub(crate) keys: Texts,
    /// Which lines states came from, that of the piece counted as 1.
    pub(crate) lines: Lines,
    pub(crate) len: u32,
    /// The states that are likely to come.
    expected: usize,
    pub(crate) without_key: u64,
    /// The values that are those of the state before, where that is not in the block: the states
    /// in order, each with its column.
    pub(crate) carried: Vec<(u32, u32)>,
}

/// The memory of a block whose states are elsewhere.
pub(crate) struct BlockRoom {
    columns: Vec<ColumnBuilder>,
    times: Vec<i64>,
    keys: Texts,
}

impl<'o> Block<'o> {
    /// A block without states, with room for some, whose columns are given; types and timestamps
    /// are read as they are so far.
    pub(crate) fn new(
        options: &'o ReadOptions,
        typing: Typing,
        time: Option<TimeReader>,
        columns: Vec<ColumnBuilder>,
        states: usize,
    ) -> Self {
        let times = Vec::with_capacity(if time.is_some() { states } else { 0 });
        Self {
            options,
            typing,
            time,
            columns,
            times,
            keys: Texts::default(),
            lines: Lines::default(),
            len: 0,
            expected: 0,
            without_key: 0,
            carried: Vec::new(),
        }
    }

    /// Takes the room of a block whose states nobody needs any more. Memory that was used before
    /// need not be had from the system again, which takes longer than to fill it.
    pub(crate) fn reuse(&mut self, room: BlockRoom) {
        let BlockRoom { columns, mut times, mut keys } = room;
        self.columns.iter_mut().zip(columns).for_each(|(column, other)| column.reuse(other));
        times.clear();
        self.times = times;
        keys.clear();
        self.keys = keys;
    }

    /// The room of the block.
    pub(crate) fn into_room(self) -> BlockRoom {
        let Self { columns, times, keys, .. } = self;
        BlockRoom { columns, times, keys }
    }

    /// Whether types are not as they have turned out to be meanwhile, or the block has decided one.
    pub(crate) fn was_read_otherwise(&self, typing: &Typing) -> bool {
        !self.typing.reads_like(typing)
    }

    /// The type of a variable whose values are taken as they are.
    pub(crate) fn plain_type(&self, variable: usize) -> Option<ValueType> {
        self.typing.plain_type(variable)
    }

    /// The nanoseconds of a unit of timestamps of a kind, if they are taken as they are.
    pub(crate) fn time_unit(&self, kind: WholeKind) -> Option<i64> {
        let time =
            self.time.as_ref().filter(|_| self.options.time_slots().len() == 1 && self.options.null.is_empty())?;
        match kind {
            WholeKind::Moments => Some(1),
            WholeKind::Ints => time.plain_unit(),
            WholeKind::Bools | WholeKind::Floats => None,
        }
    }

    /// Makes room for so many states, once it is known what the first of them are.
    pub(crate) fn expect(&mut self, states: usize) {
        self.expected = states;
    }

    fn make_room(&mut self) {
        let rest = std::mem::take(&mut self.expected).saturating_sub(self.len as usize);
        self.columns.iter_mut().for_each(|column| column.reserve(rest));
        if self.time.is_some() {
            self.times.reserve(rest);
        }
        if self.options.key.is_some() {
            self.keys.reserve(rest);
        }
    }

    /// Takes rows of a table, column by column. They are numbered from `first` on.
    pub(crate) fn take(&mut self, first: u64, rows: &Rows<'_>) -> Result<(), ReadStop> {
        let count = u32::try_from(rows.count).ok().filter(|&count| self.len.checked_add(count).is_some());
        let Some(count) = count else { return Err(ReadStop::Asked) };
        if self.options.key.is_some() && !self.push_keys(rows) {
            return rows.each(first, self);
        }
        self.push_times(rows)?;
        self.typing.begin();
        let before = self.len;
        for index in 0..self.columns.len() {
            self.take_column(index, &rows.columns[index], before..before + count)?;
        }
        self.lines.push_many(first, count);
        self.len += count;
        if self.expected > 0 {
            self.make_room();
        }
        Ok(())
    }

    /// Takes the keys of all rows; false, and none is taken, if one of them has none.
    fn push_keys(&mut self, rows: &Rows<'_>) -> bool {
        let column = &rows.columns[self.options.key_slot()];
        match column {
            Slice { values: SliceValues::Ints(ints), present: None } if self.options.null.is_empty() => {
                ints.iter().for_each(|&int| self.keys.push_int(int));
                true
            }
            _ => self.push_all_keys((0..rows.count).map(|row| column.cell(row))),
        }
    }

    /// Takes the timestamps of all rows.
    fn push_times(&mut self, rows: &Rows<'_>) -> Result<(), ReadStop> {
        let slots = self.options.time_slots();
        let Some(time) = &self.time else { return Ok(()) };
        let columns = &rows.columns[slots.clone()];
        let before = self.times.len();
        if let [Slice { values, present: None }] = columns
            && self.options.null.is_empty()
            && time.read_all(*values, &mut self.times)
        {
            // Within a key the order is looked at when the key is known.
            let is_ordered = self.options.key.is_some() || self.times[before.saturating_sub(1)..].is_sorted();
            return if is_ordered { Ok(()) } else { Err(ReadStop::Asked) };
        }
        let mut cells = vec![Cell::Absent; slots.end];
        for row in 0..rows.count {
            cells[slots.clone()].iter_mut().zip(columns).for_each(|(cell, column)| *cell = column.cell(row));
            if !self.push_time(&cells) {
                return Err(ReadStop::Asked);
            }
        }
        Ok(())
    }

    /// Takes the values of a variable in some states.
    fn take_column(&mut self, index: usize, slice: &Slice<'_>, states: Range<u32>) -> Result<(), ReadStop> {
        let column = &mut self.columns[index];
        let bits = match slice.values {
            SliceValues::Ints(ints)
                if slice.present.is_none() && self.typing.plain_type(index) == Some(ValueType::Boolean) =>
            {
                packed(ints)
            }
            _ => None,
        };
        let bits = bits.as_ref().and_then(|bits| Bits::new(bits, 0, states.len()));
        let values = bits.map_or(slice.values, SliceValues::Bools);
        if slice.present.is_none() && self.typing.takes_whole(index, values) && column.extend(values) {
            return Ok(());
        }
        for (row, state) in states.enumerate() {
            let before = match (self.options.key.is_some(), state.checked_sub(1)) {
                (false, Some(before)) => Before::At(before),
                _ => Before::Elsewhere,
            };
            let mut value = BlockValue { column, before, row: (state, index as u32), carried: &mut self.carried };
            if self.typing.read(index, slice.cell(row), &mut value).is_err() {
                return Err(ReadStop::Asked);
            }
        }
        Ok(())
    }

    /// Takes the keys of all rows; false, and none is taken, if one of them has none.
    fn push_keys_of_rows(&mut self, rows: &PlainRows<'_>) -> bool {
        let Some(column) = rows.column(self.options.key_slot()) else { return false };
        self.push_all_keys((0..rows.count()).map(|row| column.cell(row)))
    }

    /// Takes a key from each cell; false, and none is taken, if one of them has none.
    #[inline]
    fn push_all_keys<'c>(&mut self, mut cells: impl Iterator<Item = Cell<'c>>) -> bool {
        let before = self.keys.len();
        let has_keys = cells.all(|cell| self.push_key(cell) == Ok(HasKey::Yes));
        if !has_keys {
            self.keys.truncate(before);
        }
        has_keys
    }

    /// Takes the key in a cell, if it has one.
    #[inline]
    fn push_key(&mut self, cell: Cell<'_>) -> Result<HasKey, TraceErrorKind> {
        if let Cell::Field(text) | Cell::Literal(text) | Cell::Text(text) = cell
            && self.options.null.is_empty()
            && self.keys.push_plain(text)
        {
            return Ok(HasKey::Yes);
        }
        let Some(key) = key_text(cell, self.options)? else { return Ok(HasKey::No) };
        self.keys.push(&key);
        Ok(HasKey::Yes)
    }

    /// Takes the timestamps of all rows.
    fn push_times_of_rows(&mut self, rows: &PlainRows<'_>) -> Result<(), ReadStop> {
        let Some(time) = &self.time else { return Ok(()) };
        let slots = self.options.time_slots();
        let mut row = 0;
        if let Some(unit) = time.plain_unit()
            && let Some(column) = rows.column(slots.start)
        {
            row = self.push_plain_times(column, rows.count(), unit)?;
        }
        let mut cells = vec![Cell::Absent; slots.end];
        for row in row..rows.count() {
            for slot in slots.clone() {
                cells[slot] = rows.column(slot).map_or(Cell::Absent, |column| column.cell(row));
            }
            if !self.push_time(&cells) {
                return Err(ReadStop::Asked);
            }
        }
        Ok(())
    }

    /// Takes timestamps that are plain numbers of units, up to the first that is not; returns how
    /// many there were.
    fn push_plain_times(&mut self, column: PlainColumn<'_>, count: usize, unit: i64) -> Result<usize, ReadStop> {
        // Within a key the order is looked at when the key is known.
        let is_ordered = self.options.key.is_none();
        let mut before = self.times.last().copied().unwrap_or(i64::MIN);
        self.times.reserve(count);
        for row in 0..count {
            let Bounds { start, stop } = column.bounds(row);
            let Some(number) = swar::digits(column.bytes, start, stop) else { return Ok(row) };
            let Some(now) = number.cast_signed().checked_mul(unit) else { return Ok(row) };
            if is_ordered && now < before {
                return Err(ReadStop::Asked);
            }
            before = now;
            self.times.push(now);
        }
        Ok(count)
    }

    /// Takes the values of a variable in all rows.
    fn take_fields(&mut self, index: usize, rows: &PlainRows<'_>) -> Result<(), ReadStop> {
        let column = rows.column(index);
        let count = rows.count();
        let mut row = 0;
        while row < count {
            if let Some(column) = column {
                row += self.take_plain_fields(index, column, row..count);
            }
            // What is not plain is looked at more closely, and so are its neighbours, which are
            // mostly like it.
            let closer = count.min(row + LOOKED_AT_CLOSER);
            for row in row..closer {
                let cell = column.map_or(Cell::Absent, |column| column.cell(row));
                self.take_cell(index, self.len + row as u32, cell)?;
            }
            row = closer;
        }
        Ok(())
    }

    /// Takes the values of some rows, up to the first that is more than a plain number, boolean or
    /// text where one is expected; returns how many there were.
    #[inline]
    fn take_plain_fields(&mut self, index: usize, column: PlainColumn<'_>, rows: Range<usize>) -> usize {
        let values = &mut self.columns[index];
        let bounds = rows.clone().map(|row| column.bounds(row));
        // Strings of JSON are no numbers, and numbers no strings.
        match (self.typing.plain_type(index), column.kind) {
            (Some(ValueType::Boolean), FieldKind::Field | FieldKind::Literal) => {
                if let Some(bytes) = column.single_bytes(rows) {
                    return values.extend_bools(bytes.map_while(number::digit_bool));
                }
                values.extend_bools(bounds.map_while(|bounds| number::plain_bool(column.bytes, bounds)))
            }
            (Some(ValueType::Number), FieldKind::Field | FieldKind::Literal) => {
                values.extend_ints(bounds.map_while(|bounds| number::plain_int(column.bytes, bounds)))
            }
            (Some(ValueType::String), FieldKind::Field | FieldKind::Text) => {
                values.extend_texts(rows.map_while(|row| match column.cell(row) {
                    Cell::Field(text) | Cell::Text(text) => Some(text),
                    _ => None,
                }))
            }
            _ => 0,
        }
    }

    /// Takes the value of a variable in a state of the block.
    #[inline(always)]
    fn take_cell(&mut self, index: usize, state: u32, cell: Cell<'_>) -> Result<(), ReadStop> {
        let before = match (self.options.key.is_some(), state.checked_sub(1)) {
            (false, Some(before)) => Before::At(before),
            _ => Before::Elsewhere,
        };
        let column = &mut self.columns[index];
        let mut value = BlockValue { column, before, row: (state, index as u32), carried: &mut self.carried };
        self.typing.read(index, cell, &mut value).map_err(|_| ReadStop::Asked)
    }

    /// Takes a timestamp; false if another state is needed to tell it, or comes after it.
    #[inline]
    fn push_time(&mut self, cells: &[Cell<'_>]) -> bool {
        let Some(time) = &mut self.time else { return true };
        let Some(now) = time.read_alone(&cells[self.options.time_slots()]) else { return false };
        // Within a key the order is looked at when the key is known.
        let is_late = self.options.key.is_none() && self.times.last().is_some_and(|&last| now < last);
        self.times.push(now);
        !is_late
    }
}

impl RecordSink for Block<'_> {
    fn header(&mut self, _: &[String]) -> Result<Vec<Option<usize>>, TraceError> {
        unreachable!("a piece behind the header has none")
    }

    #[inline(always)]
    fn record(&mut self, line: u64, cells: &[Cell<'_>]) -> Result<(), ReadStop> {
        if self.options.key.is_some() {
            match self.push_key(cells[self.options.key_slot()]) {
                Ok(HasKey::Yes) => {}
                Ok(HasKey::No) => {
                    self.without_key += 1;
                    return Ok(());
                }
                Err(_) => return Err(ReadStop::Asked),
            }
        }
        if !self.push_time(cells) {
            return Err(ReadStop::Asked);
        }
        self.typing.begin();
        for (index, (column, &cell)) in (0..).zip(self.columns.iter_mut().zip(cells)) {
            let before = match (self.options.key.is_some(), self.len.checked_sub(1)) {
                (false, Some(before)) => Before::At(before),
                _ => Before::Elsewhere,
            };
            let mut value = BlockValue { column, before, row: (self.len, index), carried: &mut self.carried };
            if self.typing.read(index as usize, cell, &mut value).is_err() {
                return Err(ReadStop::Asked);
            }
        }
        self.lines.push(line);
        self.len += 1;
        Ok(())
    }

    fn takes_rows(&self) -> bool {
        true
    }

    fn rows(&mut self, first: u64, rows: &PlainRows<'_>) -> Result<(), ReadStop> {
        let count = u32::try_from(rows.count()).ok().filter(|&count| self.len.checked_add(count).is_some());
        let Some(count) = count else { return Err(ReadStop::Asked) };
        if self.options.key.is_some() && !self.push_keys_of_rows(rows) {
            return rows.each(first, self);
        }
        self.push_times_of_rows(rows)?;
        self.typing.begin();
        for index in 0..self.columns.len() {
            self.take_fields(index, rows)?;
        }
        self.lines.push_many(first, count);
        self.len += count;
        Ok(())
    }

    fn bad_line(&mut self, _: TraceError) -> Result<(), ReadStop> {
        Err(ReadStop::Asked)
    }
}

/// Whether a record has a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum HasKey {
    Yes,
    No,
}

/// The state before another in its key.
#[derive(Clone, Copy)]
enum Before {
    /// It is in the block.
    At(u32),
    /// It may be before the block, or is not known yet.
    Elsewhere,
}

/// The value of the next state of a block, on its way into a column.
struct BlockValue<'c> {
    column: &'c mut ColumnBuilder,
    before: Before,
    /// The state, and the place of the column.
    row: (u32, u32),
    carried: &'c mut Vec<(u32, u32)>,
}

impl CellSink for BlockValue<'_> {
    #[inline(always)]
    fn bool(&mut self, bit: bool) {
        self.column.next(None).bool(bit);
    }

    #[inline(always)]
    fn int(&mut self, int: i64) {
        self.column.next(None).int(int);
    }

    #[inline(always)]
    fn float(&mut self, float: f64) {
        self.column.next(None).float(float);
    }

    #[inline(always)]
    fn text(&mut self, text: &str) {
        self.column.next(None).text(text);
    }

    #[inline(always)]
    fn gap(&mut self, gap: Gap) -> Result<(), TraceErrorKind> {
        match self.before {
            _ if !self.column.carries(gap) => self.column.leave_out(gap),
            // What a state before the block lacks may be in one before that.
            Before::At(before) if self.column.has(before) => self.column.next(Some(before)).gap(gap),
            _ => {
                self.carried.push(self.row);
                self.column.leave_out(gap)
            }
        }
    }
}
