//! Columns, built value by value.

use crate::cell::Cell;
use crate::dictionary::Dictionary;
use crate::error::TraceErrorKind;
use crate::table::SliceValues;
use crate::typing::{CellSink, Gap, Gaps};
use serde_json::Value as Json;
use traceward_logic::bitmap::Bitmap;
use traceward_logic::lower::Expected;
use traceward_logic::trace::{Column, ColumnData, Number, TextData};
use traceward_logic::value::ValueType;

/// How many members of an object an error names.
const MEMBERS_NAMED: usize = 3;

/// A column in the making.
#[derive(Debug)]
pub(crate) struct ColumnBuilder {
    values: Values,
    present: Option<Bitmap>,
    len: usize,
    /// Whether the input has this variable.
    mentioned: bool,
    /// Whether the input cannot have this variable.
    disregarded: bool,
    may_be_missing: bool,
    gaps: Gaps,
}

#[derive(Debug)]
enum Values {
    /// No value has told the type yet.
    Nothing,
    Bool(Bitmap),
    Int(Vec<i64>),
    Float(Vec<f64>),
    Mixed(Vec<Number>),
    Text(Texts),
}

#[derive(Debug, Default)]
struct Texts {
    codes: Vec<u32>,
    dictionary: Dictionary,
}

impl ColumnBuilder {
    pub(crate) fn new(expected: Expected, may_be_missing: bool, gaps: Gaps) -> Self {
        let values = match expected {
            Expected::Type(ValueType::Boolean) | Expected::Presence => Values::Bool(Bitmap::new()),
            Expected::Type(ValueType::String) => Values::Text(Texts::default()),
            // The first number tells whether there are integers or floats.
            Expected::Type(ValueType::Number) | Expected::Bit | Expected::Open(_) | Expected::OpenOrdered(_) => {
                Values::Nothing
            }
        };
        let (mentioned, disregarded) = (false, false);
        Self { values, present: None, len: 0, mentioned, disregarded, may_be_missing, gaps }
    }

    /// A column without states, with room for some, for a piece of the same input.
    pub(crate) fn of_piece(&self, states: usize) -> Self {
        let &Self { disregarded, may_be_missing, gaps, .. } = self;
        let (values, present) = (self.values.empty(if disregarded { 0 } else { states }), None);
        Self { values, present, len: 0, mentioned: false, disregarded, may_be_missing, gaps }
    }

    /// Takes the room of a column whose values nobody needs any more.
    pub(crate) fn reuse(&mut self, other: Self) {
        if self.len == 0 && !self.disregarded && self.values.is_alike(&other.values) {
            self.values = other.values.emptied();
        }
    }

    /// The input has this variable, even if no state gives it a value.
    pub(crate) fn mention(&mut self) {
        self.mentioned = true;
    }

    /// The input cannot have this variable: nothing about it is missing, it is unknown.
    pub(crate) fn disregard(&mut self) {
        self.disregarded = true;
    }

    /// Takes the value of the next state; `previous` is the state whose value may be carried on.
    #[inline]
    pub(crate) fn next(&mut self, previous: Option<u32>) -> NextValue<'_> {
        NextValue { column: self, previous }
    }

    /// Takes the values of the next states, all of them there. False, and none is taken, if the
    /// column so far is of another type.
    pub(crate) fn extend(&mut self, values: SliceValues<'_>) -> bool {
        if self.disregarded {
            return false;
        }
        let Some(count) = self.values.extend(values, self.len) else { return false };
        self.mentioned = true;
        self.count_many(count);
        true
    }

    /// Takes the booleans of all states, as they are.
    pub(crate) fn adopt_bools(&mut self, bits: Bitmap) {
        let count = bits.len();
        self.adopt(Values::Bool(bits), count);
    }

    /// Takes the integers of all states, as they are.
    pub(crate) fn adopt_ints(&mut self, ints: Vec<i64>) {
        let count = ints.len();
        self.adopt(Values::Int(ints), count);
    }

    /// Takes the floats of all states, as they are.
    pub(crate) fn adopt_floats(&mut self, floats: Vec<f64>) {
        let count = floats.len();
        self.adopt(Values::Float(floats), count);
    }

    fn adopt(&mut self, values: Values, count: usize) {
        if self.len == 0 && !self.disregarded {
            self.values = values;
            self.count_many(count);
        }
    }

    /// Takes the booleans of the next states, as many as there are; returns their number. None is
    /// taken if the column so far is of another type.
    #[inline(always)]
    pub(crate) fn extend_bools(&mut self, bools: impl Iterator<Item = bool>) -> usize {
        let Values::Bool(bits) = &mut self.values else { return 0 };
        if self.disregarded {
            return 0;
        }
        let before = bits.len();
        bits.extend(bools);
        let count = bits.len() - before;
        self.count_many(count);
        count
    }

    /// Takes the integers of the next states, as many as there are; returns their number. None is
    /// taken if the column so far is of another type.
    #[inline(always)]
    pub(crate) fn extend_ints(&mut self, numbers: impl Iterator<Item = i64>) -> usize {
        let Values::Int(ints) = &mut self.values else { return 0 };
        if self.disregarded {
            return 0;
        }
        let before = ints.len();
        ints.extend(numbers);
        let count = ints.len() - before;
        self.count_many(count);
        count
    }

    /// Takes the texts of the next states, as many as there are and are plain; returns their
    /// number. None is taken if the column so far is of another type.
    #[inline(always)]
    pub(crate) fn extend_texts<'t>(&mut self, texts: impl Iterator<Item = &'t [u8]>) -> usize {
        let Values::Text(Texts { codes, dictionary }) = &mut self.values else { return 0 };
        if self.disregarded {
            return 0;
        }
        let before = codes.len();
        codes.extend(texts.map_while(|text| dictionary.intern_plain(text)));
        let count = codes.len() - before;
        self.count_many(count);
        count
    }

    /// Makes room for the values of so many states.
    pub(crate) fn reserve(&mut self, count: usize) {
        match &mut self.values {
            Values::Nothing | Values::Bool(_) => {}
            Values::Int(ints) => ints.reserve(count),
            Values::Float(floats) => floats.reserve(count),
            Values::Mixed(numbers) => numbers.reserve(count),
            Values::Text(texts) => texts.codes.reserve(count),
        }
    }

    /// Makes room for the values of so many states of an input that begins with a piece, as far as
    /// there is memory: nobody knows whether they will come.
    pub(crate) fn expect(&mut self, first: &Self, states: usize) {
        if self.len == 0 && !self.disregarded {
            self.values.expect(&first.values, states);
        }
    }

    /// Values were taken.
    fn count_many(&mut self, count: usize) {
        self.mentioned |= count > 0;
        if let Some(present) = &mut self.present {
            present.push_many(true, count);
        }
        self.len += count;
    }

    /// A value was taken.
    #[inline(always)]
    fn count(&mut self) {
        self.mentioned = true;
        if let Some(present) = &mut self.present {
            present.push(true);
        }
        self.len += 1;
    }

    /// The finished column; none if the input does not have the variable.
    pub(crate) fn finish(self) -> Option<Column> {
        if !self.mentioned {
            return None;
        }
        let data = match self.values {
            Values::Nothing => return Some(Column::all_missing(self.len)),
            Values::Bool(bits) => ColumnData::Bool(bits),
            Values::Int(ints) => ColumnData::Int(ints),
            Values::Float(floats) => ColumnData::Float(floats),
            Values::Mixed(numbers) => ColumnData::Mixed(numbers),
            Values::Text(texts) => ColumnData::Text(texts.into_data()),
        };
        Some(Column { data, present: self.present })
    }

    /// Whether the gap of a record is filled with the value of the state before.
    pub(crate) fn carries(&self, gap: Gap) -> bool {
        !self.disregarded && self.gaps.carry(gap)
    }

    /// Whether the input has this variable.
    pub(crate) fn is_mentioned(&self) -> bool {
        self.mentioned
    }

    /// The memory that the states take, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let present = if self.present.is_some() { self.len / 8 } else { 0 };
        present
            + match &self.values {
                Values::Nothing => 0,
                Values::Bool(_) => self.len / 8,
                Values::Int(_) | Values::Float(_) => self.len * size_of::<i64>(),
                Values::Mixed(_) => self.len * size_of::<Number>(),
                Values::Text(_) => self.len * size_of::<u32>(),
            }
    }

    /// The value at a position, as a cell that says the same.
    pub(crate) fn cell(&self, position: usize) -> Cell<'_> {
        if self.disregarded || !self.mentioned {
            return Cell::Absent;
        }
        if !self.is_present(position) {
            return Cell::Null;
        }
        match &self.values {
            Values::Nothing => Cell::Null,
            Values::Bool(bits) => Cell::Bool(bits.get(position)),
            Values::Int(ints) => Cell::Int(ints[position]),
            Values::Float(floats) => Cell::Float(floats[position]),
            Values::Mixed(numbers) => match numbers[position] {
                Number::Int(int) => Cell::Int(int),
                Number::Float(float) => Cell::Float(float),
            },
            Values::Text(texts) => Cell::Str(&texts.dictionary.texts()[texts.codes[position] as usize]),
        }
    }

    /// Whether there is a value at a position.
    pub(crate) fn has(&self, position: u32) -> bool {
        self.is_present(position as usize)
    }

    /// Hands over the states so far, and goes on behind the last ones, which stay as well. None if
    /// the input has not told of the variable so far.
    pub(crate) fn hand_over(&mut self, staying: usize) -> Option<Column> {
        let mut rest = self.of_piece(staying);
        rest.mentioned = self.mentioned;
        for position in self.len.saturating_sub(staying)..self.len {
            rest.push_from(self, position);
        }
        std::mem::replace(self, rest).finish()
    }

    /// Takes the value of a state of another column of the same type.
    fn push_from(&mut self, other: &Self, position: usize) {
        let present = other.is_present(position);
        match &other.values {
            _ if !present => self.values.push_filler(),
            Values::Nothing => {}
            Values::Bool(bits) => return self.next(None).bool(bits.get(position)),
            Values::Int(ints) => return self.next(None).int(ints[position]),
            Values::Float(floats) => return self.next(None).float(floats[position]),
            Values::Mixed(numbers) => match (numbers[position], &mut self.values) {
                (number, Values::Mixed(numbers)) => numbers.push(number),
                _ => unreachable!("a column that goes on has the type it had"),
            },
            Values::Text(texts) => {
                return self.next(None).text(&texts.dictionary.texts()[texts.codes[position] as usize]);
            }
        }
        self.push_presence(present);
    }

    /// Takes that there is no value in a piece whose states before are not known.
    pub(crate) fn leave_out(&mut self, gap: Gap) -> Result<(), TraceErrorKind> {
        self.push_gap(gap, None)
    }

    /// Adds the states of a piece of the input, which were read as the same type.
    /// What stays in the piece is of no use but for its room.
    pub(crate) fn append(&mut self, piece: &mut Self) {
        self.mentioned |= piece.mentioned;
        if self.disregarded {
            return;
        }
        match (&mut self.present, &piece.present) {
            (None, None) => {}
            (present, Some(of_piece)) => present.get_or_insert_with(|| Bitmap::filled(self.len, true)).append(of_piece),
            (Some(present), None) => present.push_many(true, piece.len),
        }
        self.values.append(self.len, &mut piece.values, piece.len);
        self.len += piece.len;
    }

    /// Carries the value of an earlier state on to one that has none.
    pub(crate) fn carry_on(&mut self, previous: usize, position: usize) {
        if self.disregarded || !self.is_present(previous) {
            return;
        }
        self.values.copy(previous, position);
        if let Some(present) = &mut self.present {
            present.set(position, true);
        }
    }

    /// Drops the states from this one on: a record has turned out to be none.
    pub(crate) fn truncate(&mut self, len: usize) {
        if self.disregarded || self.len <= len {
            return;
        }
        self.values.truncate(len);
        if let Some(present) = &mut self.present {
            *present = present.iter().take(len).collect();
        }
        self.len = len;
    }

    #[inline(never)]
    fn push_gap(&mut self, gap: Gap, previous: Option<u32>) -> Result<(), TraceErrorKind> {
        self.mentioned |= gap == Gap::Missing;
        if self.disregarded {
            return Ok(());
        }
        let carried = previous.filter(|_| self.gaps.carry(gap)).map(|previous| previous as usize);
        match carried.filter(|&previous| self.is_present(previous)) {
            Some(previous) => {
                self.values.push_copy(previous);
                self.push_presence(true);
            }
            None if self.gaps.refuse(self.may_be_missing) => return Err(TraceErrorKind::Missing),
            None => {
                self.values.push_filler();
                self.push_presence(false);
            }
        }
        Ok(())
    }

    fn is_present(&self, position: usize) -> bool {
        self.present.as_ref().is_none_or(|present| present.get(position))
    }

    fn push_presence(&mut self, present: bool) {
        if !present && self.present.is_none() {
            self.present = Some(Bitmap::filled(self.len, true));
        }
        if let Some(bits) = &mut self.present {
            bits.push(present);
        }
        self.len += 1;
    }
}

/// The value of the next state on its way into a column.
pub(crate) struct NextValue<'c> {
    column: &'c mut ColumnBuilder,
    previous: Option<u32>,
}

impl CellSink for NextValue<'_> {
    #[inline(always)]
    fn bool(&mut self, bit: bool) {
        let column = &mut *self.column;
        match &mut column.values {
            Values::Bool(bits) => bits.push(bit),
            other => other.become_bool(bit, column.len),
        }
        column.count();
    }

    #[inline(always)]
    fn int(&mut self, int: i64) {
        let column = &mut *self.column;
        match &mut column.values {
            Values::Int(ints) => ints.push(int),
            other => other.push_other_number(Number::Int(int), column.len),
        }
        column.count();
    }

    #[inline(always)]
    fn float(&mut self, float: f64) {
        let column = &mut *self.column;
        match &mut column.values {
            Values::Float(floats) => floats.push(float),
            other => other.push_other_number(Number::Float(float), column.len),
        }
        column.count();
    }

    #[inline(always)]
    fn text(&mut self, text: &str) {
        let column = &mut *self.column;
        match &mut column.values {
            Values::Text(texts) => texts.push(text),
            other => other.become_text(text, column.len),
        }
        column.count();
    }

    #[inline(always)]
    fn gap(&mut self, gap: Gap) -> Result<(), TraceErrorKind> {
        self.column.push_gap(gap, self.previous)
    }
}

impl Values {
    /// The first value tells the type; where there was none before it, any filler stands.
    #[cold]
    fn become_bool(&mut self, bit: bool, len: usize) {
        let mut bits = Bitmap::filled(len, false);
        bits.push(bit);
        *self = Self::Bool(bits);
    }

    #[cold]
    fn become_text(&mut self, text: &str, len: usize) {
        let mut texts = Texts { codes: vec![0; len], ..Texts::default() };
        texts.push(text);
        *self = Self::Text(texts);
    }

    /// A number that is the first, or the first float among integers or the reverse, or one of a
    /// mixture.
    #[inline(never)]
    fn push_other_number(&mut self, number: Number, len: usize) {
        match (&mut *self, number) {
            (Self::Mixed(numbers), number) => numbers.push(number),
            (Self::Int(ints), number) => {
                let numbers = ints.iter().copied().map(Number::Int).chain([number]);
                *self = Self::Mixed(numbers.collect());
            }
            (Self::Float(floats), number) => {
                let numbers = floats.iter().copied().map(Number::Float).chain([number]);
                *self = Self::Mixed(numbers.collect());
            }
            (_, Number::Int(int)) => {
                let mut ints = vec![0; len];
                ints.push(int);
                *self = Self::Int(ints);
            }
            (_, Number::Float(float)) => {
                let mut floats = vec![0.0; len];
                floats.push(float);
                *self = Self::Float(floats);
            }
        }
    }

    /// Adds the values of a piece behind so many of this column.
    fn append(&mut self, len: usize, piece: &mut Self, piece_len: usize) {
        match (&mut *self, piece) {
            (own, more) if len == 0 && own.is_alike(more) && !own.has_room(piece_len) => std::mem::swap(own, more),
            (Self::Bool(bits), Self::Bool(more)) => bits.append(more),
            (Self::Int(ints), Self::Int(more)) => ints.extend_from_slice(more),
            (Self::Float(floats), Self::Float(more)) => floats.extend_from_slice(more),
            (Self::Text(texts), Self::Text(more)) => texts.append(more),
            (_, Self::Nothing) => self.push_fillers(piece_len),
            (Self::Nothing, more) => {
                *self = more.empty(0);
                self.push_fillers(len);
                self.append(len, more, piece_len);
            }
            (_, more) => {
                let mut numbers = std::mem::replace(self, Self::Nothing).into_numbers();
                numbers.extend(std::mem::replace(more, Self::Nothing).into_numbers());
                *self = Self::Mixed(numbers);
            }
        }
    }

    /// The room of the values, without them.
    fn emptied(self) -> Self {
        fn without<T>(mut values: Vec<T>) -> Vec<T> {
            values.clear();
            values
        }
        match self {
            Self::Nothing | Self::Bool(_) => self.empty(0),
            Self::Int(ints) => Self::Int(without(ints)),
            Self::Float(floats) => Self::Float(without(floats)),
            Self::Mixed(numbers) => Self::Mixed(without(numbers)),
            Self::Text(texts) => Self::Text(Texts { codes: without(texts.codes), ..Texts::default() }),
        }
    }

    fn is_alike(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }

    /// Whether so many values of several bytes can be added without moving those that are here.
    fn has_room(&self, count: usize) -> bool {
        match self {
            Self::Nothing | Self::Bool(_) | Self::Mixed(_) => false,
            Self::Int(ints) => ints.capacity() - ints.len() >= count,
            Self::Float(floats) => floats.capacity() - floats.len() >= count,
            Self::Text(texts) => texts.codes.capacity() - texts.codes.len() >= count,
        }
    }

    /// Makes room, in a column without values, for so many like those of another.
    fn expect(&mut self, other: &Self, count: usize) {
        if let Self::Nothing = self {
            *self = other.empty(0);
        }
        let _ = match self {
            Self::Nothing | Self::Bool(_) | Self::Mixed(_) => Ok(()),
            Self::Int(ints) => ints.try_reserve_exact(count),
            Self::Float(floats) => floats.try_reserve_exact(count),
            Self::Text(texts) => texts.codes.try_reserve_exact(count),
        };
    }

    /// Adds values that are all there behind so many of this column; none if they are of another
    /// type. Returns their number.
    fn extend(&mut self, values: SliceValues<'_>, len: usize) -> Option<usize> {
        if let Self::Nothing = self {
            *self = Self::fillers_for(values, len)?;
        }
        match (self, values) {
            (Self::Bool(bits), SliceValues::Bools(more)) => {
                bits.append(&Bitmap::from_words(more.words().collect(), more.len()));
                Some(more.len())
            }
            (Self::Int(ints), SliceValues::Ints(more) | SliceValues::Moments(more)) => {
                ints.extend_from_slice(more);
                Some(more.len())
            }
            (Self::Float(floats), SliceValues::Floats(more)) => {
                floats.extend_from_slice(more);
                Some(more.len())
            }
            (Self::Text(own), SliceValues::Texts { codes, texts }) => {
                own.extend(codes, texts);
                Some(codes.len())
            }
            _ => None,
        }
    }

    /// Fillers of the type of some values.
    fn fillers_for(values: SliceValues<'_>, len: usize) -> Option<Self> {
        match values {
            SliceValues::Bools(_) => Some(Self::Bool(Bitmap::filled(len, false))),
            SliceValues::Ints(_) | SliceValues::Moments(_) => Some(Self::Int(vec![0; len])),
            SliceValues::Floats(_) => Some(Self::Float(vec![0.0; len])),
            SliceValues::Texts { .. } => Some(Self::Text(Texts { codes: vec![0; len], ..Texts::default() })),
            SliceValues::Nothing | SliceValues::Cells(_) => None,
        }
    }

    /// No values, of the same type, with room for some.
    fn empty(&self, room: usize) -> Self {
        match self {
            Self::Nothing => Self::Nothing,
            Self::Bool(_) => Self::Bool(Bitmap::with_capacity(room)),
            Self::Int(_) => Self::Int(Vec::with_capacity(room)),
            Self::Float(_) => Self::Float(Vec::with_capacity(room)),
            Self::Mixed(_) => Self::Mixed(Vec::with_capacity(room)),
            Self::Text(_) => Self::Text(Texts { codes: Vec::with_capacity(room), ..Texts::default() }),
        }
    }

    /// The values as a mixture of integers and floats.
    fn into_numbers(self) -> Vec<Number> {
        match self {
            Self::Int(ints) => ints.into_iter().map(Number::Int).collect(),
            Self::Float(floats) => floats.into_iter().map(Number::Float).collect(),
            Self::Mixed(numbers) => numbers,
            Self::Nothing | Self::Bool(_) | Self::Text(_) => unreachable!("types are settled before pieces are read"),
        }
    }

    fn push_fillers(&mut self, count: usize) {
        match self {
            Self::Nothing => {}
            Self::Bool(bits) => bits.push_many(false, count),
            Self::Int(ints) => ints.resize(ints.len() + count, 0),
            Self::Float(floats) => floats.resize(floats.len() + count, 0.0),
            Self::Mixed(numbers) => numbers.resize(numbers.len() + count, Number::Int(0)),
            Self::Text(texts) => texts.codes.resize(texts.codes.len() + count, 0),
        }
    }

    /// Sets the value at a position to that of an earlier one.
    fn copy(&mut self, from: usize, to: usize) {
        match self {
            Self::Nothing => {}
            Self::Bool(bits) => bits.set(to, bits.get(from)),
            Self::Int(ints) => ints[to] = ints[from],
            Self::Float(floats) => floats[to] = floats[from],
            Self::Mixed(numbers) => numbers[to] = numbers[from],
            Self::Text(texts) => texts.codes[to] = texts.codes[from],
        }
    }

    fn push_copy(&mut self, position: usize) {
        match self {
            Self::Nothing => {}
            Self::Bool(bits) => bits.push(bits.get(position)),
            Self::Int(ints) => ints.push(ints[position]),
            Self::Float(floats) => floats.push(floats[position]),
            Self::Mixed(numbers) => numbers.push(numbers[position]),
            Self::Text(texts) => texts.codes.push(texts.codes[position]),
        }
    }

    fn push_filler(&mut self) {
        match self {
            Self::Nothing => {}
            Self::Bool(bits) => bits.push(false),
            Self::Int(ints) => ints.push(0),
            Self::Float(floats) => floats.push(0.0),
            Self::Mixed(numbers) => numbers.push(Number::Int(0)),
            Self::Text(texts) => texts.codes.push(0),
        }
    }

    fn truncate(&mut self, len: usize) {
        match self {
            Self::Nothing => {}
            Self::Bool(bits) => *bits = bits.iter().take(len).collect(),
            Self::Int(ints) => ints.truncate(len),
            Self::Float(floats) => floats.truncate(len),
            Self::Mixed(numbers) => numbers.truncate(len),
            Self::Text(texts) => texts.codes.truncate(len),
        }
    }
}

impl Texts {
    #[inline]
    fn push(&mut self, text: &str) {
        let code = self.dictionary.intern(text);
        self.codes.push(code);
    }

    /// Adds texts by their places among others. Only those that occur are looked for.
    fn extend(&mut self, codes: &[u32], texts: &[&str]) {
        const UNKNOWN: u32 = u32::MAX;
        let mut own = vec![UNKNOWN; texts.len()];
        for &code in codes {
            let known = &mut own[code as usize];
            if *known == UNKNOWN {
                *known = self.dictionary.intern(texts[code as usize]);
            }
            self.codes.push(*known);
        }
    }

    fn append(&mut self, piece: &Self) {
        let codes: Vec<u32> = piece.dictionary.texts().iter().map(|text| self.dictionary.intern(text)).collect();
        // Where a value is missing there may be no text at all.
        self.codes.extend(piece.codes.iter().map(|&code| codes.get(code as usize).copied().unwrap_or(0)));
    }

    fn into_data(self) -> TextData {
        TextData { codes: self.codes, dictionary: self.dictionary.into_texts().into() }
    }
}

/// A JSON object or array where a value is wanted.
pub(crate) fn container(name: &str, source: &[u8]) -> TraceErrorKind {
    let found = if source.first() == Some(&b'[') { "an array" } else { "an object" };
    let value = serde_json::from_slice(source).unwrap_or(Json::Array(Vec::new()));
    let mut members = Vec::new();
    crate::json::flatten(&value, &mut |path, _| {
        if members.len() < MEMBERS_NAMED {
            members.push(format!("{name}.{path}"));
        }
    });
    TraceErrorKind::Container { found, members }
}

#[cfg(test)]
mod tests {
    use crate::options::{MissingPolicy, ReadOptions, Records};
    use crate::testing::expected::{BOOL, NUMBER, OPEN, TEXT};
    use crate::testing::{fail, read_text, show, want};
    use traceward_logic::lower::Expected;

    /// One column `x` of these CSV fields.
    fn csv(expected: Expected, fields: &[&str]) -> (String, ReadOptions) {
        let rows: String = fields.iter().map(|field| format!("{field},\n")).collect();
        (format!("x,rest\n{rows}"), want(&[("x", expected)]))
    }

    fn csv_shows(expected: Expected, fields: &[&str]) -> String {
        let (input, options) = csv(expected, fields);
        show(input, &options)
    }

    fn csv_fails(expected: Expected, fields: &[&str]) -> String {
        let (input, options) = csv(expected, fields);
        fail(input, &options)
    }

    /// One member `x` with these JSON values; an empty one is absent.
    fn json(values: &[&str]) -> String {
        let line = |value: &&str| if value.is_empty() { "{}\n".to_owned() } else { format!("{{\"x\":{value}}}\n") };
        values.iter().map(line).collect()
    }

    fn json_shows(expected: Expected, values: &[&str]) -> String {
        show(json(values), &want(&[("x", expected)]))
    }

    /// A variable `x` whose type is declared.
    fn declared(expected: Expected) -> ReadOptions {
        let mut options = want(&[("x", expected)]);
        options.variables[0].is_declared = true;
        options
    }

    #[test]
    fn booleans_have_many_spellings() {
        let words = ["true", "True", "TRUE", "T", "t", "1", "false", "False", "FALSE", "F", "f", "0"];
        let expected = format!("bool{}{}", " true".repeat(6), " false".repeat(6));
        assert_eq!(csv_shows(BOOL, &words), expected);
        let quoted = words.map(|word| format!("\"{word}\""));
        assert_eq!(show(json(&quoted.each_ref().map(String::as_str)), &declared(BOOL)), expected);
        assert_eq!(json_shows(BOOL, &["true", "1", "false", "0"]), "bool true true false false");
        assert_eq!(csv_fails(BOOL, &["1", "yes"]), "3:x: `x` is used as a boolean, but here it is `yes`");
        assert_eq!(
            fail(json(&["true", "2"]), &want(&[("x", BOOL)])),
            "2:x: `x` is used as a boolean, but here it is `2`"
        );
    }

    #[test]
    fn numbers_are_integers_until_a_fraction_comes() {
        assert_eq!(csv_shows(NUMBER, &["1", "-2", "+3"]), "int 1 -2 3");
        assert_eq!(csv_shows(NUMBER, &["1", "", "2.5", "1e3"]), "mixed 1 - 2.5 1000.0");
        assert_eq!(csv_shows(NUMBER, &["nan", "5", "NaN"]), "int - 5 -");
        assert_eq!(csv_shows(NUMBER, &["inf", "-Infinity"]), "float inf -inf");
        assert_eq!(csv_shows(NUMBER, &["", "2.5", "0.5"]), "float - 2.5 0.5");
        assert_eq!(json_shows(NUMBER, &["1", "null", ""]), "int 1 - -");
        let converted = show(json(&["1", "\"2\"", "\" 3 \"", "\"\"", "null", ""]), &declared(NUMBER));
        assert_eq!(converted, "int 1 2 3 - - -");
        assert_eq!(json_shows(NUMBER, &["1.50", "2E1"]), "float 1.5 20.0");
    }

    #[test]
    fn numbers_that_would_be_wrong_are_refused() {
        assert_eq!(
            csv_fails(NUMBER, &["9223372036854775808"]),
            "2:x: `x` is 9223372036854775808, which does not fit 64 bits"
        );
        assert_eq!(csv_fails(NUMBER, &["1", "n/a"]), "3:x: `x` is used as a number, but here it is `n/a`");
        assert_eq!(csv_shows(NUMBER, &["9007199254740993", "0.5"]), "mixed 9007199254740993 0.5");
        assert_eq!(csv_shows(NUMBER, &["0.5", "9007199254740993"]), "mixed 0.5 9007199254740993");
        assert_eq!(csv_shows(NUMBER, &["9007199254740993", "2"]), "int 9007199254740993 2");
        assert_eq!(
            fail(json(&["99999999999999999999"]), &want(&[("x", NUMBER)])),
            "1:x: `x` is 99999999999999999999, which does not fit 64 bits"
        );
    }

    #[test]
    fn texts_know_whether_they_are_numbers() {
        assert_eq!(csv_shows(TEXT, &["1", "2.5", "", "1"]), "text \"1\" \"2.5\" - \"1\"");
        assert_eq!(csv_shows(TEXT, &["1", "x"]), "text \"1\" \"x\"");
        assert_eq!(csv_shows(TEXT, &["007"]), "text \"007\"");
        assert_eq!(csv_shows(TEXT, &["", ""]), "text - -");
        let converted = |values: &[&str]| show(json(values), &declared(TEXT));
        assert_eq!(converted(&["1", "2.50"]), "text \"1\" \"2.50\"");
        assert_eq!(converted(&["true", "1e3", r#""a\n\u00e9""#]), "text \"true\" \"1e3\" \"a\\né\"");
        assert_eq!(
            fail(json(&["\"2\"", "1"]), &want(&[("x", TEXT)])),
            "2:x: `x` is used as a string, but here it is `1`"
        );
        assert_eq!(
            fail(json(&["2", "\"1\""]), &want(&[("x", NUMBER)])),
            "2:x: `x` is used as a number, but here it is the string `1`"
        );
    }

    #[test]
    fn the_first_value_tells_the_type_where_uses_do_not() {
        assert_eq!(csv_shows(OPEN, &["true", "F", ""]), "bool true false -");
        assert_eq!(csv_shows(OPEN, &["0", "1", "-5"]), "int 0 1 -5");
        assert_eq!(csv_shows(OPEN, &["nan", "0", "1.5", "nan"]), "mixed - 0 1.5 -");
        assert_eq!(csv_shows(OPEN, &["007", "8"]), "text \"007\" \"8\"");
        assert_eq!(csv_shows(OPEN, &["8", "007"]), "int 8 7");
        assert_eq!(csv_shows(OPEN, &["T", "8"]), "text \"T\" \"8\"");
        assert_eq!(csv_shows(OPEN, &["true", "1"]), "bool true true");
        assert_eq!(csv_fails(OPEN, &["1", "true"]), "3:x: the first value made `x` a number, but here it is `true`");
        assert_eq!(csv_fails(OPEN, &["", "true", "x"]), "4:x: the first value made `x` a boolean, but here it is `x`");
        assert_eq!(csv_shows(OPEN, &["", ""]), "bool - -");
        assert_eq!(json_shows(OPEN, &["true", "null", "false"]), "bool true - false");
        assert_eq!(json_shows(OPEN, &["1", "2.5"]), "mixed 1 2.5");
        let unlike = fail(json(&["\"1\"", "2"]), &want(&[("x", OPEN)]));
        assert_eq!(unlike, "2:x: the first value made `x` a string, but here it is `2`");
        assert_eq!(json_shows(OPEN, &["\"true\""]), "text \"true\"");
    }

    #[test]
    fn a_quoted_empty_field_is_a_string_only_among_strings() {
        assert_eq!(csv_shows(TEXT, &["\"\"", "", "a"]), "text \"\" - \"a\"");
        assert_eq!(csv_shows(NUMBER, &["\"\"", "5"]), "int - 5");
        assert_eq!(csv_shows(BOOL, &["\"\"", "1"]), "bool - true");
        assert_eq!(csv_shows(OPEN, &["\"\"", "a", "\"\""]), "text - \"a\" \"\"");
        assert_eq!(csv_shows(OPEN, &["\"\"", "5", "\"\""]), "int - 5 -");
        let (input, options) = csv(OPEN, &["\"\"", "5", "\"\""]);
        let held = ReadOptions { missing: MissingPolicy::Hold, ..options.clone() };
        assert_eq!(show(&input, &held), "int - 5 5");
        let strict = ReadOptions { missing: MissingPolicy::Error, ..options };
        assert_eq!(fail(&input, &strict), "2:x: `x` has no value");
        assert_eq!(json_shows(TEXT, &["\"\"", "null"]), "text \"\" -");
    }

    #[test]
    fn texts_may_stand_for_missing_values() {
        let null = |options: ReadOptions| ReadOptions { null: vec!["NA".to_owned(), "-".to_owned()], ..options };
        for expected in [NUMBER, OPEN] {
            let (input, options) = csv(expected, &["1", "NA", "\"-\"", "2"]);
            assert_eq!(show(input, &null(options)), "int 1 - - 2");
        }
        assert_eq!(show(json(&["1", "\"NA\"", "2"]), &null(want(&[("x", NUMBER)]))), "int 1 - 2");
        assert_eq!(show(json(&["\"a\"", "\"NA\""]), &null(want(&[("x", TEXT)]))), "text \"a\" -");
    }

    #[test]
    fn a_missing_value_may_be_an_error() {
        let strict = |options: ReadOptions| ReadOptions { missing: MissingPolicy::Error, ..options };
        let (input, options) = csv(NUMBER, &["1", ""]);
        assert_eq!(fail(input, &strict(options)), "3:x: `x` has no value");
        for missing in ["", "null"] {
            assert_eq!(fail(json(&["1", missing]), &strict(want(&[("x", NUMBER)]))), "2:x: `x` has no value");
        }
        for missing in ["\"\"", "\"nan\""] {
            assert_eq!(fail(json(&["1", missing]), &strict(declared(NUMBER))), "2:x: `x` has no value");
        }
        // Unknown is not missing: the caller knows better what to say.
        assert_eq!(show("a,b\n1,2\n", &strict(want(&[("x", NUMBER)]))), "unknown");
    }

    #[test]
    fn a_missing_value_may_be_held() {
        let held = |options: ReadOptions| ReadOptions { missing: MissingPolicy::Hold, ..options };
        let (input, options) = csv(NUMBER, &["", "1", "nan", "", "2"]);
        assert_eq!(show(input, &held(options)), "int - 1 1 1 2");
        assert_eq!(
            show(json(&["true", "null", "", "false"]), &held(want(&[("x", BOOL)]))),
            "bool true true true false"
        );
        let keyed = ReadOptions { key: Some("k".to_owned()), ..held(want(&[("x", TEXT)])) };
        assert_eq!(show("k,x\na,1\nb,\na,\nb,2\nb,\n", &keyed), "text \"1\" - \"1\" \"2\" \"2\"");
    }

    #[test]
    fn changes_carry_on_what_they_do_not_mention() {
        let changes = |options: ReadOptions| ReadOptions { records: Records::Changes, ..options };
        let values = ["", "1", "", "null", "", "2"];
        assert_eq!(show(json(&values), &changes(want(&[("x", NUMBER)]))), "int - 1 1 - - 2");
        let (input, options) = csv(TEXT, &["a", "", "\"\"", ""]);
        assert_eq!(show(input, &changes(options)), "text \"a\" \"a\" \"\" \"\"");
        let keyed = ReadOptions { key: Some("k".to_owned()), ..changes(want(&[("x", BOOL)])) };
        assert_eq!(
            show("{\"k\":1,\"x\":true}\n{\"k\":2}\n{\"k\":1}\n{\"k\":2,\"x\":false}\n{\"k\":2}\n", &keyed),
            "bool true - true false false"
        );
    }

    #[test]
    fn a_container_is_no_value() {
        let input = r#"{"event":{"name":"x","state":{"term":1,"vote":2,"log":3}}}"#;
        let error = read_text(input, &want(&[("event.state", NUMBER)])).unwrap_err();
        assert_eq!(
            error.to_string(),
            "`event.state` is an object, not a single value; \
             name one of its members: `event.state.term`, `event.state.vote` or `event.state.log`"
        );
        assert_eq!((error.line(), error.column()), (Some(1), Some("event.state")));
        let key = ReadOptions { key: Some("event".to_owned()), ..ReadOptions::default() };
        assert_eq!(fail(input, &key), "1:event: `event` is an object, not a single value");
    }

    #[test]
    fn a_variable_nobody_has_is_unknown() {
        assert_eq!(json_shows(NUMBER, &["", ""]), "unknown");
        assert_eq!(json_shows(TEXT, &["null", ""]), "text - -");
        assert_eq!(csv_shows(BOOL, &["", ""]), "bool - -");
    }
}
