//! States made of records one by one: the types decided so far, what is carried on, the clock.

use crate::cell::Cell;
use crate::error::{TraceError, TraceErrorKind};
use crate::note::Note;
use crate::options::{MissingPolicy, ReadOptions, Records};
use crate::sources::{LastSource, SourcePlace};
use crate::states;
use crate::time::{Anchor, DayOrders, TimeReader};
use crate::typing::{CellSink, Gap, Gaps, SavedType, Typing};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use traceward_logic::value::{Value, ValueType};

/// Strings kept to be used again, and the longest of them: events and states of machines repeat,
/// other texts do not.
const MOST_STRINGS: usize = 1024;
const LONGEST_STRING: usize = 64;

/// The version of what [`Intake::save`] writes.
const VERSION: u8 = 4;

/// Makes states of records, one by one.
///
/// A record is *offered*, which makes the next state of it or says what is wrong with it, and then
/// *accepted*. One that is not accepted has not happened.
#[derive(Clone, Debug)]
pub struct Intake {
    options: Arc<ReadOptions>,
    typing: Typing,
    /// For each variable what becomes of values that a record leaves out.
    gaps: Vec<Gaps>,
    clock: Option<TimeReader>,
    /// What dates had told before the record on offer.
    orders: Option<DayOrders>,
    /// The variables that the header does not have: nothing about them is missing, they are
    /// unknown.
    unknown: Vec<bool>,
    /// The state that was accepted last.
    image: Vec<Value>,
    /// The timestamp of that state, and its line.
    time: Option<(i64, u64)>,
    /// The time before which no later state may be, if somebody has said so.
    passed: Option<i64>,
    /// The time of arrival, which is the timestamp of records that have none.
    arrival: Option<i64>,
    /// The variables that a state has spoken of.
    seen: Vec<bool>,
    /// Whether that is known of all of them.
    all_seen: bool,
    /// For each variable the number of states in which it had no value.
    missing: Vec<u64>,
    /// The state on offer.
    next: Vec<Value>,
    next_time: Option<(i64, u64)>,
    next_seen: Vec<bool>,
    /// Where in a program the state that was accepted last came about, and the state on offer.
    source: LastSource,
    next_source: LastSource,
    strings: Strings,
}

/// What a trace carries from its last state to the next one. An intake through which the records of
/// many traces pass has one for each of them.
#[derive(Clone, Debug, Default)]
pub struct Carried {
    /// The values of the last state, where a record may leave values out.
    image: Option<Box<[Value]>>,
    time: i64,
    /// The line of the last state; 0 where there is no timestamp.
    line: u64,
}

impl Carried {
    /// What is carried on where a trace ends and another one of the same key may begin: their
    /// states are in order of time.
    #[must_use]
    pub fn beyond_end(&self) -> Self {
        Self { image: None, time: self.time, line: self.line }
    }

    /// The timestamp of the last state and its line, if there was one.
    pub fn timestamp(&self) -> Option<(i64, u64)> {
        (self.line > 0).then_some((self.time, self.line))
    }

    /// What is carried, as bytes, for [`Intake::carried`].
    pub fn save(&self) -> Vec<u8> {
        let image = self.image.as_ref().map(|image| image.iter().map(SavedValue::of).collect());
        let saved = SavedCarried { image, time: self.time, line: self.line };
        postcard::to_allocvec(&saved).unwrap_or_default()
    }
}

impl Intake {
    /// An intake that has seen no record.
    pub fn new(options: ReadOptions) -> Self {
        let variables = options.variables.len();
        Self {
            typing: Typing::new(&options),
            gaps: options.variables.iter().map(|variable| Gaps::of(variable, &options)).collect(),
            clock: TimeReader::new(&options),
            orders: None,
            unknown: vec![false; variables],
            image: vec![Value::Missing; variables],
            time: None,
            passed: None,
            arrival: None,
            seen: vec![false; variables],
            all_seen: false,
            missing: vec![0; variables],
            next: vec![Value::Missing; variables],
            next_time: None,
            next_seen: vec![false; variables],
            source: LastSource::default(),
            next_source: LastSource::default(),
            strings: Strings::default(),
            options: Arc::new(options),
        }
    }

    /// How records are read.
    pub fn options(&self) -> &ReadOptions {
        &self.options
    }

    /// The field of each cell that records are to have, in a header of these names.
    pub fn header(&mut self, names: &[String]) -> Result<Vec<Option<usize>>, TraceError> {
        let fields = self.options.fields(names)?;
        self.unknown.iter_mut().zip(&fields).for_each(|(unknown, field)| *unknown = field.is_none());
        Ok(fields)
    }

    /// The key of a record; none if it has none.
    #[inline]
    pub fn key<'c>(&self, line: u64, cells: &[Cell<'c>]) -> Result<Option<Cow<'c, str>>, TraceError> {
        self.key_in(line, cells.get(self.options.key_slot()).copied().unwrap_or(Cell::Absent))
    }

    /// The key that a cell holds; none if it holds none.
    #[inline]
    pub fn key_in<'c>(&self, line: u64, cell: Cell<'c>) -> Result<Option<Cow<'c, str>>, TraceError> {
        states::key_text(cell, &self.options).map_err(|kind| states::at(kind, line, self.options.key.as_deref()))
    }

    /// What is to be said of records without a key, once there are no more: that nobody has such a
    /// column, if there was no state at all.
    pub fn key_note(&self, states: u64, without_key: u64, names: &[String]) -> Result<Option<Note>, TraceError> {
        states::key_note(&self.options, states, without_key, names)
    }

    /// What is to be said where every record was refused, once there are no more: that nobody has a
    /// column that timestamps are to come from. Without any name there was no record.
    pub fn unknown_time(&self, names: &[String]) -> Option<TraceError> {
        self.options.unknown_time(names).filter(|_| !names.is_empty())
    }

    /// Goes on with another trace, behind what it carries.
    #[inline]
    pub fn resume(&mut self, carried: &Carried) {
        self.time = carried.timestamp();
        if self.carries_values() {
            match &carried.image {
                Some(image) => self.image.clone_from_slice(image),
                None => self.image.fill(Value::Missing),
            }
        }
    }

    /// Keeps what the trace carries behind the state that was accepted last.
    #[inline]
    pub fn leave(&self, carried: &mut Carried) {
        (carried.time, carried.line) = self.time.unwrap_or_default();
        if self.carries_values() {
            match &mut carried.image {
                Some(image) => image.clone_from_slice(&self.image),
                None => carried.image = Some(self.image.as_slice().into()),
            }
        }
    }

    /// What a trace carries that was saved, for an intake of the same variables.
    pub fn carried(&self, bytes: &[u8]) -> Result<Carried, CannotRestore> {
        let saved: SavedCarried = postcard::from_bytes(bytes).map_err(|_| CannotRestore)?;
        let SavedCarried { image, time, line } = saved;
        if image.as_ref().is_some_and(|image| image.len() != self.image.len()) {
            return Err(CannotRestore);
        }
        Ok(Carried { image: image.map(|image| image.into_iter().map(SavedValue::value).collect()), time, line })
    }

    /// Whether some value may be carried from one state to the next.
    #[inline]
    fn carries_values(&self) -> bool {
        self.options.missing == MissingPolicy::Hold || self.options.records != Records::States
    }

    /// Whether the record on offer speaks of each variable.
    pub(crate) fn next_seen(&self) -> &[bool] {
        &self.next_seen
    }

    /// The type of each variable, as far as it is known.
    pub fn types(&self) -> Vec<Option<ValueType>> {
        self.typing.types()
    }

    /// For each variable, whether a state has spoken of it.
    pub fn seen(&self) -> &[bool] {
        &self.seen
    }

    /// For each variable, the number of states in which it had no value.
    pub fn missing(&self) -> &[u64] {
        &self.missing
    }

    /// States come from a table that has a column for a variable: it is no slip, whatever rows
    /// have there.
    pub fn name(&mut self, variable: usize) {
        if let Some(seen) = self.seen.get_mut(variable) {
            *seen = true;
        }
    }

    /// The values of the state on offer, or of the last one.
    #[inline]
    pub fn next(&self) -> &[Value] {
        &self.next
    }

    /// The timestamp of the state on offer.
    #[inline]
    pub fn next_time(&self) -> Option<i64> {
        self.next_time.map(|(time, _)| time)
    }

    /// The values of the state that was accepted last.
    #[inline]
    pub fn state(&self) -> &[Value] {
        &self.image
    }

    /// The timestamp of the state that was accepted last.
    pub fn time(&self) -> Option<i64> {
        self.time.map(|(time, _)| time)
    }

    /// Where in a program the state that was accepted last came about, if its record tells.
    pub fn source(&self) -> Option<SourcePlace> {
        self.source.place()
    }

    /// The clock has reached a time: a state before it is one too late.
    pub fn advance_to(&mut self, time: i64) {
        self.passed = self.passed.max(Some(time));
    }

    /// Sets the time at which the next records arrive: where no column is read for it, that is
    /// their timestamp.
    pub fn arrive(&mut self, time: i64) {
        self.arrival = self.arrival.max(Some(time)).max(self.passed);
    }

    /// The time that the clock has reached, if somebody has said so.
    pub fn passed(&self) -> Option<i64> {
        self.passed
    }

    /// Makes the next state of a record: a cell for each variable, then those of the time column
    /// if there is one.
    #[inline]
    pub fn offer(&mut self, line: u64, cells: &[Cell<'_>]) -> Result<(), TraceError> {
        self.offer_of(None, line, cells)
    }

    /// Makes the next state of a record, like [`Self::offer`], of a key if there is one.
    #[inline]
    pub fn offer_of(&mut self, key: Option<&str>, line: u64, cells: &[Cell<'_>]) -> Result<(), TraceError> {
        self.typing.begin();
        self.orders = self.clock.as_ref().map(TimeReader::orders);
        self.take(key, line, cells).inspect_err(|_| self.withdraw())
    }

    /// The state on offer has happened.
    #[inline]
    pub fn accept(&mut self) {
        std::mem::swap(&mut self.image, &mut self.next);
        std::mem::swap(&mut self.source, &mut self.next_source);
        self.time = self.next_time;
        for (count, value) in self.missing.iter_mut().zip(&self.image) {
            *count += u64::from(value.is_missing());
        }
        if !self.all_seen {
            self.seen.iter_mut().zip(&self.next_seen).for_each(|(seen, now)| *seen |= now);
            self.all_seen = self.seen.iter().all(|seen| *seen);
        }
        self.typing.begin();
    }

    /// The state on offer has not happened.
    pub fn withdraw(&mut self) {
        self.typing.roll_back();
        if let (Some(clock), Some(orders)) = (&mut self.clock, self.orders) {
            clock.restore_orders(orders);
        }
    }

    #[inline]
    fn take(&mut self, key: Option<&str>, line: u64, cells: &[Cell<'_>]) -> Result<(), TraceError> {
        if let Some(clock) = &mut self.clock {
            let anchor = self.time.map_or(Anchor::Nothing, |(before, _)| Anchor::After(before));
            let now = clock.read_now(&cells[self.options.time_slots()], line, anchor)?;
            if let Some(before) = self.time.filter(|&(before, _)| now < before) {
                return Err(clock.decreases((now, line), before, key));
            }
            if let Some(passed) = self.passed.filter(|passed| now < *passed) {
                return Err(clock.behind((now, line), passed));
            }
            self.next_time = Some((now, line));
        } else if let Some(now) = self.arrival {
            self.next_time = Some((now, line));
        }
        for (index, cell) in cells[..self.image.len()].iter().enumerate() {
            if self.typing.set_plain(index, cell, &mut self.next[index]) {
                self.next_seen[index] = true;
                continue;
            }
            let mut value = NextState {
                value: &mut self.next[index],
                seen: &mut self.next_seen[index],
                before: &self.image[index],
                strings: &mut self.strings,
                gaps: self.gaps[index],
                may_be_missing: self.options.variables[index].may_be_missing || self.unknown[index],
            };
            if let Err(kind) = self.typing.read(index, *cell, &mut value) {
                let name = &self.options.variables[index].name;
                return Err(TraceError::new(kind).on_line(line).in_column(name));
            }
        }
        // Who makes states without a format tells no place.
        if let Some(source) = self.options.source_slots().and_then(|slots| cells.get(slots)) {
            self.next_source.set(source);
        }
        Ok(())
    }

    /// What is carried from state to state, as bytes: types decided so far, the last state, the
    /// clock.
    pub fn save(&self) -> Vec<u8> {
        let saved = Saved {
            version: VERSION,
            types: self.typing.save(),
            orders: self.clock.as_ref().map(TimeReader::orders),
            has_clocks: self.clock.as_ref().is_some_and(TimeReader::has_clocks),
            unknown: self.unknown.clone(),
            image: self.image.iter().map(SavedValue::of).collect(),
            time: self.time,
            passed: self.passed,
            seen: self.seen.clone(),
            missing: self.missing.clone(),
        };
        postcard::to_allocvec(&saved).unwrap_or_default()
    }

    /// Goes on from what [`Self::save`] wrote for the same options.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), CannotRestore> {
        let saved: Saved = postcard::from_bytes(bytes).map_err(|_| CannotRestore)?;
        let variables = self.image.len();
        let fits = saved.version == VERSION
            && saved.image.len() == variables
            && saved.unknown.len() == variables
            && saved.seen.len() == variables
            && saved.missing.len() == variables
            && saved.orders.is_some() == self.clock.is_some();
        if !fits || !self.typing.restore(&saved.types) {
            return Err(CannotRestore);
        }
        if let (Some(clock), Some(orders)) = (&mut self.clock, saved.orders) {
            clock.restore_orders(orders);
            clock.restore_clocks(saved.has_clocks);
        }
        self.image = saved.image.into_iter().map(SavedValue::value).collect();
        (self.time, self.passed) = (saved.time, saved.passed);
        (self.seen, self.unknown, self.missing) = (saved.seen, saved.unknown, saved.missing);
        self.all_seen = false;
        Ok(())
    }
}

/// A value of the next state on its way into it.
struct NextState<'a> {
    value: &'a mut Value,
    /// Whether the record speaks of the variable.
    seen: &'a mut bool,
    before: &'a Value,
    strings: &'a mut Strings,
    gaps: Gaps,
    may_be_missing: bool,
}

impl NextState<'_> {
    #[inline]
    fn set(&mut self, value: Value) {
        *self.value = value;
        *self.seen = true;
    }
}

impl CellSink for NextState<'_> {
    #[inline]
    fn bool(&mut self, bit: bool) {
        self.set(Value::Bool(bit));
    }

    #[inline]
    fn int(&mut self, int: i64) {
        self.set(Value::Int(int));
    }

    #[inline]
    fn float(&mut self, float: f64) {
        self.set(Value::Float(float));
    }

    #[inline]
    fn text(&mut self, text: &str) {
        let value = self.strings.value(text);
        self.set(value);
    }

    fn gap(&mut self, gap: Gap) -> Result<(), TraceErrorKind> {
        let value = if self.gaps.carry(gap) { self.before.clone() } else { Value::Missing };
        if value.is_missing() && self.gaps.refuse(self.may_be_missing) {
            return Err(TraceErrorKind::Missing);
        }
        *self.value = value;
        *self.seen = gap == Gap::Missing;
        Ok(())
    }
}

/// Bytes that were not saved by an intake with the same options.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CannotRestore;

impl fmt::Display for CannotRestore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("what was saved does not belong to this version, these variables or these options")
    }
}

impl std::error::Error for CannotRestore {}

#[derive(Serialize, Deserialize)]
struct Saved {
    version: u8,
    types: Vec<Option<SavedType>>,
    orders: Option<DayOrders>,
    has_clocks: bool,
    unknown: Vec<bool>,
    image: Vec<SavedValue>,
    time: Option<(i64, u64)>,
    passed: Option<i64>,
    seen: Vec<bool>,
    missing: Vec<u64>,
}

#[derive(Serialize, Deserialize)]
struct SavedCarried {
    image: Option<Vec<SavedValue>>,
    time: i64,
    line: u64,
}

/// A value of a variable as it is saved. Floats are saved by their bits, so that infinities and
/// the sign of zero stay.
#[derive(Serialize, Deserialize)]
enum SavedValue {
    Missing,
    Bool(bool),
    Int(i64),
    Float(u64),
    Str(String),
}

impl SavedValue {
    fn of(value: &Value) -> Self {
        match value {
            Value::Bool(bit) => Self::Bool(*bit),
            Value::Int(int) => Self::Int(*int),
            Value::Float(float) => Self::Float(float.to_bits()),
            Value::Str(text) => Self::Str(text.to_string()),
            // Variables hold no pairs and no lists.
            Value::Missing | Value::Pair(_) | Value::List(_) => Self::Missing,
        }
    }

    fn value(self) -> Value {
        match self {
            Self::Missing => Value::Missing,
            Self::Bool(bit) => Value::Bool(bit),
            Self::Int(int) => Value::Int(int),
            Self::Float(bits) => Value::float(f64::from_bits(bits)),
            Self::Str(text) => Value::str(&text),
        }
    }
}

/// Strings that were met, to be used again.
#[derive(Clone, Debug, Default)]
struct Strings {
    known: FxHashMap<Box<str>, Arc<str>>,
}

impl Strings {
    fn value(&mut self, text: &str) -> Value {
        if let Some(known) = self.known.get(text) {
            return Value::Str(known.clone());
        }
        let kept: Arc<str> = text.into();
        if text.len() <= LONGEST_STRING {
            if self.known.len() >= MOST_STRINGS {
                self.known.clear();
            }
            self.known.insert(text.into(), kept.clone());
        }
        Value::Str(kept)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::{ReadVariable, TimeColumn};
    use traceward_logic::lower::{ClassId, Expected};

    fn open(names: &[&str]) -> ReadOptions {
        let variable = |name: &&str| ReadVariable::new(name, Expected::Open(ClassId(0)));
        ReadOptions { variables: names.iter().map(variable).collect(), ..ReadOptions::default() }
    }

    #[test]
    fn a_record_that_is_refused_decides_nothing() {
        let mut intake = Intake::new(open(&["x", "y"]));
        assert!(intake.offer(1, &[Cell::Field(b"1"), Cell::Field(b"a")]).is_err());
        intake.offer(2, &[Cell::Field(b"a"), Cell::Absent]).unwrap();
        intake.withdraw();
        assert_eq!(intake.types(), [None, None]);
        intake.offer(3, &[Cell::Absent, Cell::Field(b"a")]).unwrap();
        intake.accept();
        assert_eq!(intake.types(), [Some(ValueType::String); 2]);
        intake.offer(4, &[Cell::Field(b"10"), Cell::Absent]).unwrap();
        assert_eq!(intake.next(), [Value::str("10"), Value::Missing]);
        assert_eq!((intake.seen(), intake.state()), (&[false, true][..], &[Value::Missing, Value::str("a")][..]));
    }

    #[test]
    fn typed_cells_need_no_text() {
        let mut intake = Intake::new(open(&["x"]));
        intake.offer(1, &[Cell::Float(f64::NAN)]).unwrap();
        intake.accept();
        assert_eq!(intake.types(), [None]);
        intake.offer(2, &[Cell::Int(i64::MAX)]).unwrap();
        intake.accept();
        assert_eq!(intake.state(), [Value::Int(i64::MAX)]);
        assert!(intake.offer(3, &[Cell::Bool(true)]).is_err());
        assert!(intake.offer(3, &[Cell::Str("7")]).is_err());
        intake.offer(3, &[Cell::Time(5)]).unwrap();
        assert_eq!(intake.next(), [Value::Int(5)]);
    }

    #[test]
    fn an_intake_goes_on_where_it_was_saved() {
        let time = Some(TimeColumn::new("t", None));
        for (records, missing) in [(Records::Changes, MissingPolicy::False), (Records::States, MissingPolicy::Hold)] {
            let options = ReadOptions { records, missing, time: time.clone(), ..open(&["x", "y"]) };
            let mut saved = Intake::new(options.clone());
            saved.offer(2, &[Cell::Field(b"abc"), Cell::Absent, Cell::Field(b"13/01/2020")]).unwrap();
            saved.accept();
            let bytes = saved.save();
            let mut restored = Intake::new(options);
            restored.restore(&bytes).unwrap();
            for intake in [&mut saved, &mut restored] {
                // The type, the value carried on, the order of day and month, and the clock.
                intake.offer(3, &[Cell::Absent, Cell::Field(b"1"), Cell::Field(b"01/02/2020")]).unwrap();
                assert_eq!(intake.next(), [Value::str("abc"), Value::str("1")]);
                assert_eq!(intake.next_time(), Some(1_580_515_200_000_000_000));
                let earlier = intake.offer(3, &[Cell::Absent, Cell::Absent, Cell::Field(b"01/01/2020")]).unwrap_err();
                assert!(matches!(earlier.kind(), TraceErrorKind::TimeDecreases { before_line: 2, .. }));
            }
            assert_eq!(restored.save(), bytes);
        }
    }

    #[test]
    fn what_was_not_saved_here_is_refused() {
        let mut intake = Intake::new(open(&["x"]));
        let bytes = intake.save();
        let mut other = Intake::new(open(&["x", "y"]));
        assert_eq!(other.restore(&bytes), Err(CannotRestore));
        for length in 0..bytes.len() {
            assert_eq!(intake.restore(&bytes[..length]), Err(CannotRestore));
        }
        let newer = [&[VERSION + 1], &bytes[1..]].concat();
        assert_eq!(intake.restore(&newer), Err(CannotRestore));
    }

    #[test]
    fn memory_does_not_grow_with_strings() {
        let mut intake = Intake::new(open(&["x"]));
        for row in 0..5_000 {
            intake.offer(row, &[Cell::Str(&format!("text {row}"))]).unwrap();
            intake.accept();
        }
        assert!(intake.strings.known.len() <= MOST_STRINGS);
    }
}
