//! What a cell means: a cell and what is expected of its variable give a value, nothing, or an
//! error.
//!
//! This is the only place that decides it, for files and for streams: columns and rows are filled
//! with what comes out of it. A variable whose uses leave its type open has the type of the first
//! value of its class.

use crate::cell::Cell;
use crate::column::container;
use crate::error::{TraceErrorKind, lossy};
use crate::number::{self, NotNumber};
use crate::options::{MOMENTARY_FIELDS, MissingPolicy, ReadOptions, ReadVariable, Records};
use crate::table::SliceValues;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use traceward_logic::lower::{ClassId, Expected};
use traceward_logic::trace::Number;
use traceward_logic::value::{Value, ValueType};

/// Takes what a cell says of its variable: columns and rows are filled by it.
pub(crate) trait CellSink {
    /// Takes a boolean.
    fn bool(&mut self, bit: bool);
    /// Takes an integer.
    fn int(&mut self, int: i64);
    /// Takes a float that is no NaN.
    fn float(&mut self, float: f64);
    /// Takes a string.
    fn text(&mut self, text: &str);
    /// Takes that there is no value; refuses it where that is an error.
    fn gap(&mut self, gap: Gap) -> Result<(), TraceErrorKind>;
}

/// How a record leaves out a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Gap {
    /// It says nothing: in a record of changes the value is as before.
    Silent,
    /// It says that there is no value.
    Missing,
    /// It says that there is no object of which the variable could be a member.
    Gone,
}

/// What the values of a variable are read as.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
enum ReadAs {
    Bool,
    Number,
    Bit,
    Text,
    /// Whether there is a value, whatever it is.
    Presence,
    /// What the first value of a class will tell.
    Undecided {
        class: u32,
        ordered: bool,
    },
}

/// The types of the variables of an input, as far as they are known.
#[derive(Clone, Debug)]
pub(crate) struct Typing {
    variables: Vec<TypedVariable>,
    /// For each variable what its values are read as.
    read_as: Vec<ReadAs>,
    null: Vec<String>,
    /// The classes that the record at hand has decided.
    decided_now: Vec<ClassId>,
}

#[derive(Clone, Debug)]
struct TypedVariable {
    name: Arc<str>,
    expected: Expected,
    /// Whether values are converted, because the type was declared.
    converts: bool,
    /// Whether an open type has to turn out to be that of booleans.
    is_supposed_formula: bool,
}

impl Typing {
    pub(crate) fn new(options: &ReadOptions) -> Self {
        let variable = |variable: &ReadVariable| TypedVariable {
            name: variable.name.clone(),
            expected: variable.expected,
            converts: variable.is_declared,
            is_supposed_formula: variable.is_supposed_formula,
        };
        Self {
            variables: options.variables.iter().map(variable).collect(),
            read_as: options.variables.iter().map(|variable| ReadAs::new(variable.expected)).collect(),
            null: options.null.clone(),
            decided_now: Vec::new(),
        }
    }

    /// The type of each variable, as far as it is known.
    pub(crate) fn types(&self) -> Vec<Option<ValueType>> {
        self.read_as.iter().map(|read_as| read_as.value_type()).collect()
    }

    /// A new record begins.
    #[inline]
    pub(crate) fn begin(&mut self) {
        self.decided_now.clear();
    }

    /// Whether the type of a variable is still to be decided by its first value.
    #[inline]
    pub(crate) fn is_open(&self, variable: usize) -> bool {
        matches!(self.read_as[variable], ReadAs::Undecided { .. })
    }

    /// Whether values of all variables are read as the same.
    pub(crate) fn reads_like(&self, other: &Self) -> bool {
        self.read_as == other.read_as
    }

    /// The record at hand is no state after all: what it has decided is open again.
    pub(crate) fn roll_back(&mut self) {
        for class in std::mem::take(&mut self.decided_now) {
            self.set_class(class, ReadAs::new);
        }
    }

    /// Hands what a cell says of a variable to a sink. This is what reading a file mostly does:
    /// left to itself, the compiler calls every step of it, which takes a third longer.
    #[inline(always)]
    pub(crate) fn read(
        &mut self,
        variable: usize,
        cell: Cell<'_>,
        sink: &mut impl CellSink,
    ) -> Result<(), TraceErrorKind> {
        let read = match cell {
            Cell::Absent => sink.gap(Gap::Silent),
            Cell::Field(text) if self.stands_for_missing(text) => sink.gap(Gap::Missing),
            Cell::Field(text) => self.field(variable, text, sink),
            other => self.marked(variable, other, sink),
        };
        match read {
            Ok(()) => Ok(()),
            Err(kind) => Err(self.unlike_first(variable, kind)),
        }
    }

    /// Whether all values of a part of a column are what is expected of the variable, as they are.
    pub(crate) fn takes_whole(&self, variable: usize, values: SliceValues<'_>) -> bool {
        let is_expected = match (values, self.read_as[variable]) {
            (SliceValues::Bools(_), ReadAs::Bool) => true,
            (SliceValues::Ints(_) | SliceValues::Moments(_), ReadAs::Number) => true,
            (SliceValues::Floats(floats), ReadAs::Number) => !floats.iter().any(|float| float.is_nan()),
            (SliceValues::Texts { .. }, ReadAs::Text) => true,
            _ => false,
        };
        is_expected && self.null.is_empty()
    }

    /// The type as which a variable's fields are read, where every text is to be taken by its word.
    pub(crate) fn plain_type(&self, variable: usize) -> Option<ValueType> {
        match self.read_as[variable] {
            _ if !self.null.is_empty() => None,
            ReadAs::Bool => Some(ValueType::Boolean),
            ReadAs::Number => Some(ValueType::Number),
            ReadAs::Text => Some(ValueType::String),
            ReadAs::Bit | ReadAs::Presence | ReadAs::Undecided { .. } => None,
        }
    }

    /// Whether the type of every variable is known.
    pub(crate) fn is_decided(&self) -> bool {
        !self.read_as.iter().any(|read_as| matches!(read_as, ReadAs::Undecided { .. }))
    }

    /// Sets a value to what a program mostly says of a variable: a number or a boolean, where one
    /// is expected. False where there is more to it. Neither the cell nor the value is moved: what
    /// was just written in pieces takes longer to be read whole than all else.
    #[inline(always)]
    pub(crate) fn set_plain(&self, variable: usize, cell: &Cell<'_>, value: &mut Value) -> bool {
        match (cell, self.read_as[variable]) {
            _ if !self.null.is_empty() => return false,
            (Cell::Int(int), ReadAs::Number) => value.set_int(*int),
            (Cell::Bool(bit), ReadAs::Bool) => value.set_bool(*bit),
            (Cell::Float(float), ReadAs::Number) if !float.is_nan() => value.set_float(*float),
            _ => return false,
        }
        true
    }

    /// Where the first value decided the type, that is what a value does not fit.
    #[cold]
    fn unlike_first(&self, variable: usize, kind: TraceErrorKind) -> TraceErrorKind {
        let text = match &kind {
            TraceErrorKind::NotBool(text) | TraceErrorKind::NotNumber(text) | TraceErrorKind::NotText(text) => text,
            _ => return kind,
        };
        match (class_of(self.variables[variable].expected), self.read_as[variable].value_type()) {
            (Some(_), Some(first)) => TraceErrorKind::UnlikeFirst { text: text.clone(), first },
            _ => kind,
        }
    }

    /// A CSV field.
    #[inline(always)]
    fn field(&mut self, variable: usize, text: &[u8], sink: &mut impl CellSink) -> Result<(), TraceErrorKind> {
        match self.read_as[variable] {
            ReadAs::Bool => read_bool(text, sink),
            ReadAs::Number => read_number(text, sink),
            ReadAs::Text => read_text(text, sink),
            other => self.odd_field(variable, other, text, sink),
        }
    }

    /// A CSV field of a variable that is not simply of one type.
    #[inline(never)]
    fn odd_field(
        &mut self,
        variable: usize,
        read_as: ReadAs,
        text: &[u8],
        sink: &mut impl CellSink,
    ) -> Result<(), TraceErrorKind> {
        match read_as {
            // A NaN is missing from the start: it says nothing about the type.
            ReadAs::Presence | ReadAs::Undecided { .. } if number::is_nan(text) => sink.gap(Gap::Missing),
            ReadAs::Presence => {
                sink.bool(true);
                Ok(())
            }
            ReadAs::Bit => read_bit(text, sink),
            ReadAs::Undecided { class, ordered } => {
                self.decide(ClassId(class), ordered, looks_like(text), text)?;
                self.decided_field(variable, text, sink)
            }
            ReadAs::Bool | ReadAs::Number | ReadAs::Text => self.decided_field(variable, text, sink),
        }
    }

    /// The field that has decided its type.
    #[inline(never)]
    fn decided_field(&mut self, variable: usize, text: &[u8], sink: &mut impl CellSink) -> Result<(), TraceErrorKind> {
        match self.read_as[variable] {
            ReadAs::Bool => read_bool(text, sink),
            ReadAs::Text => read_text(text, sink),
            _ => read_number(text, sink),
        }
    }

    /// A cell that knows something of its type.
    #[inline(always)]
    fn marked(&mut self, variable: usize, cell: Cell<'_>, sink: &mut impl CellSink) -> Result<(), TraceErrorKind> {
        // JSON as it mostly comes.
        match (cell, self.read_as[variable]) {
            (Cell::Literal(text), ReadAs::Bool) if self.null.is_empty() && number::is_bool(text, text.len() == 4) => {
                sink.bool(text.len() == 4);
                Ok(())
            }
            (Cell::Literal(text), ReadAs::Number)
                if self.null.is_empty() && !matches!(text.first(), Some(b't' | b'f')) =>
            {
                read_number(text, sink)
            }
            (Cell::Text(text), ReadAs::Text) if self.null.is_empty() => read_text(text, sink),
            (cell, read_as) => self.odd_marked(variable, read_as, cell, sink),
        }
    }

    #[inline(never)]
    fn odd_marked(
        &mut self,
        variable: usize,
        read_as: ReadAs,
        cell: Cell<'_>,
        sink: &mut impl CellSink,
    ) -> Result<(), TraceErrorKind> {
        match cell {
            Cell::Absent => return sink.gap(Gap::Silent),
            Cell::Null => return sink.gap(Gap::Missing),
            Cell::Gone => return sink.gap(Gap::Gone),
            Cell::QuotedEmpty => return self.quoted_empty(read_as, sink),
            Cell::Container(source) => return Err(container(&self.variables[variable].name, source)),
            Cell::Float(float) if float.is_nan() => return sink.gap(Gap::Missing),
            _ => {}
        }
        if !self.null.is_empty() && cell.text().is_some_and(|text| self.stands_for_missing(&text)) {
            return sink.gap(Gap::Missing);
        }
        let read_as = match read_as {
            ReadAs::Undecided { class, ordered } => {
                self.decide(ClassId(class), ordered, type_of(cell), &cell.text().unwrap_or_default())?;
                self.read_as[variable]
            }
            known => known,
        };
        if self.variables[variable].converts { converted(cell, read_as, sink) } else { fitted(cell, read_as, sink) }
    }

    fn quoted_empty(&self, read_as: ReadAs, sink: &mut impl CellSink) -> Result<(), TraceErrorKind> {
        match read_as {
            _ if self.stands_for_missing(b"") => sink.gap(Gap::Missing),
            ReadAs::Text => {
                sink.text("");
                Ok(())
            }
            _ => sink.gap(Gap::Silent),
        }
    }

    #[inline]
    fn stands_for_missing(&self, text: &[u8]) -> bool {
        !self.null.is_empty() && self.null.iter().any(|null| null.as_bytes() == text)
    }

    /// The first value of a class decides its type.
    fn decide(&mut self, class: ClassId, ordered: bool, ty: ValueType, text: &[u8]) -> Result<(), TraceErrorKind> {
        if ordered && ty == ValueType::Boolean {
            return Err(TraceErrorKind::NoOrder(lossy(text)));
        }
        let is_supposed = |one: &TypedVariable| one.is_supposed_formula && class_of(one.expected) == Some(class);
        if ty != ValueType::Boolean && self.variables.iter().any(is_supposed) {
            return Err(TraceErrorKind::NotSupposed { text: lossy(text), ty });
        }
        self.set_class(class, |_| ReadAs::of(ty));
        self.decided_now.push(class);
        Ok(())
    }

    /// Sets what the variables of a class are read as.
    fn set_class(&mut self, class: ClassId, read_as: impl Fn(Expected) -> ReadAs) {
        for (variable, read) in self.variables.iter().zip(&mut self.read_as) {
            if class_of(variable.expected) == Some(class) {
                *read = read_as(variable.expected);
            }
        }
    }

    /// What has been decided so far, to be put back by [`Self::restore`].
    pub(crate) fn save(&self) -> Vec<Option<SavedType>> {
        self.types().into_iter().map(|ty| ty.map(SavedType::of)).collect()
    }

    /// Puts back what had been decided. False if it was saved of other variables.
    pub(crate) fn restore(&mut self, saved: &[Option<SavedType>]) -> bool {
        if saved.len() != self.variables.len() {
            return false;
        }
        for ((variable, read_as), saved) in self.variables.iter().zip(&mut self.read_as).zip(saved) {
            if let (Some(_), Some(saved)) = (class_of(variable.expected), saved) {
                *read_as = ReadAs::of(saved.value_type());
            }
        }
        true
    }
}

/// The type of a variable as it is saved.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum SavedType {
    Boolean,
    Number,
    String,
}

impl SavedType {
    fn of(ty: ValueType) -> Self {
        match ty {
            ValueType::Boolean => Self::Boolean,
            ValueType::Number => Self::Number,
            ValueType::String => Self::String,
        }
    }

    fn value_type(self) -> ValueType {
        match self {
            Self::Boolean => ValueType::Boolean,
            Self::Number => ValueType::Number,
            Self::String => ValueType::String,
        }
    }
}

impl ReadAs {
    fn new(expected: Expected) -> Self {
        match expected {
            Expected::Type(ty) => Self::of(ty),
            Expected::Bit => Self::Bit,
            Expected::Open(ClassId(class)) => Self::Undecided { class, ordered: false },
            Expected::OpenOrdered(ClassId(class)) => Self::Undecided { class, ordered: true },
            Expected::Presence => Self::Presence,
        }
    }

    fn value_type(self) -> Option<ValueType> {
        match self {
            Self::Bool => Some(ValueType::Boolean),
            Self::Number | Self::Bit => Some(ValueType::Number),
            Self::Text => Some(ValueType::String),
            Self::Presence | Self::Undecided { .. } => None,
        }
    }

    fn of(ty: ValueType) -> Self {
        match ty {
            ValueType::Boolean => Self::Bool,
            ValueType::Number => Self::Number,
            ValueType::String => Self::Text,
        }
    }
}

fn class_of(expected: Expected) -> Option<ClassId> {
    match expected {
        Expected::Open(class) | Expected::OpenOrdered(class) => Some(class),
        Expected::Type(_) | Expected::Bit | Expected::Presence => None,
    }
}

/// What a field looks like by itself. `007` is a name and not seven, and a letter alone is no
/// boolean: grades are letters too.
fn looks_like(text: &[u8]) -> ValueType {
    if number::parse_bool_word(text).is_some_and(|_| text.len() > 1) {
        ValueType::Boolean
    } else if number::has_leading_zeros(text) || number::parse(text).is_err() {
        ValueType::String
    } else {
        ValueType::Number
    }
}

/// The type of a cell that knows it.
fn type_of(cell: Cell<'_>) -> ValueType {
    match cell {
        Cell::Bool(_) | Cell::Literal(b"true" | b"false") => ValueType::Boolean,
        Cell::Literal(_) | Cell::Int(_) | Cell::Float(_) | Cell::Time(_) => ValueType::Number,
        _ => ValueType::String,
    }
}

/// A value that has to be of the type that is expected; 0 and 1 may be booleans.
fn fitted(cell: Cell<'_>, read_as: ReadAs, sink: &mut impl CellSink) -> Result<(), TraceErrorKind> {
    let text = || lossy(&cell.text().unwrap_or_default());
    match (read_as, type_of(cell)) {
        (ReadAs::Presence | ReadAs::Undecided { .. }, _) => sink.bool(true),
        (ReadAs::Bool, ValueType::Boolean) => sink.bool(is_true(cell)),
        (ReadAs::Bool, ValueType::Number) => match numeric(cell)? {
            Some(Number::Int(bit @ (0 | 1))) => sink.bool(bit == 1),
            _ => return Err(TraceErrorKind::NotBool(text())),
        },
        (ReadAs::Bool, ValueType::String) => return Err(TraceErrorKind::NotBool(text())),
        (ReadAs::Number, ValueType::Number) => return give_number(numeric(cell)?, sink),
        (ReadAs::Bit, ValueType::Number) => return give_bit(numeric(cell)?, sink, &text),
        (ReadAs::Number | ReadAs::Bit, ValueType::Boolean | ValueType::String) => {
            return Err(TraceErrorKind::NotNumber(text()));
        }
        (ReadAs::Text, ValueType::String) => return textual(cell, sink),
        (ReadAs::Text, ValueType::Boolean | ValueType::Number) => return Err(TraceErrorKind::NotText(text())),
    }
    Ok(())
}

/// A value of a variable whose type was declared: its text is read like a CSV field.
fn converted(cell: Cell<'_>, read_as: ReadAs, sink: &mut impl CellSink) -> Result<(), TraceErrorKind> {
    if read_as == ReadAs::Text {
        return textual(cell, sink);
    }
    if type_of(cell) != ValueType::String {
        return fitted(cell, read_as, sink);
    }
    let text = cell.text().unwrap_or_default();
    let text = text.trim_ascii();
    match read_as {
        _ if text.is_empty() => sink.gap(Gap::Missing),
        ReadAs::Bool => read_bool(text, sink),
        ReadAs::Number => read_number(text, sink),
        ReadAs::Bit => read_bit(text, sink),
        ReadAs::Text | ReadAs::Presence | ReadAs::Undecided { .. } => {
            sink.bool(true);
            Ok(())
        }
    }
}

fn is_true(cell: Cell<'_>) -> bool {
    matches!(cell, Cell::Bool(true) | Cell::Literal(b"true"))
}

/// The number in a cell that is one; none if it is a NaN.
fn numeric(cell: Cell<'_>) -> Result<Option<Number>, TraceErrorKind> {
    match cell {
        Cell::Int(int) | Cell::Time(int) => Ok(Some(Number::Int(int))),
        Cell::Float(float) => Ok(Some(Number::Float(float))),
        Cell::Literal(text) => parse_number(text),
        _ => Ok(None),
    }
}

fn textual(cell: Cell<'_>, sink: &mut impl CellSink) -> Result<(), TraceErrorKind> {
    match cell.text() {
        None => sink.gap(Gap::Missing),
        Some(text) => read_text(&text, sink),
    }
}

#[inline(always)]
fn read_bool(text: &[u8], sink: &mut impl CellSink) -> Result<(), TraceErrorKind> {
    match number::parse_bool(text) {
        Some(bit) => {
            sink.bool(bit);
            Ok(())
        }
        None => Err(not_bool(text)),
    }
}

#[inline(always)]
fn read_number(text: &[u8], sink: &mut impl CellSink) -> Result<(), TraceErrorKind> {
    give_number(parse_number(text)?, sink)
}

#[inline]
fn give_number(number: Option<Number>, sink: &mut impl CellSink) -> Result<(), TraceErrorKind> {
    match number {
        Some(Number::Int(int)) => sink.int(int),
        Some(Number::Float(float)) => sink.float(float),
        None => return sink.gap(Gap::Missing),
    }
    Ok(())
}

fn read_bit(text: &[u8], sink: &mut impl CellSink) -> Result<(), TraceErrorKind> {
    give_bit(parse_number(text)?, sink, &|| lossy(text))
}

/// A number that also stands as a formula.
fn give_bit(number: Option<Number>, sink: &mut impl CellSink, text: &dyn Fn() -> String) -> Result<(), TraceErrorKind> {
    match number {
        None => return sink.gap(Gap::Missing),
        Some(Number::Int(bit @ (0 | 1))) => sink.int(bit),
        Some(Number::Float(float)) if float == 0.0 || float == 1.0 => sink.int(float as i64),
        Some(_) => return Err(TraceErrorKind::NotBool(text())),
    }
    Ok(())
}

/// The number that a text is; none if it is a NaN.
#[inline]
fn parse_number(text: &[u8]) -> Result<Option<Number>, TraceErrorKind> {
    match number::parse(text) {
        Ok(number::ParsedNumber::Int(int)) => Ok(Some(Number::Int(int))),
        Ok(number::ParsedNumber::Float(float)) => Ok(Some(Number::Float(float))),
        Ok(number::ParsedNumber::Nan) => Ok(None),
        Err(reason) => Err(not_number(text, reason)),
    }
}

#[inline(always)]
fn read_text(text: &[u8], sink: &mut impl CellSink) -> Result<(), TraceErrorKind> {
    match std::str::from_utf8(text) {
        Ok(text) => {
            sink.text(text);
            Ok(())
        }
        Err(_) => Err(TraceErrorKind::InvalidUtf8),
    }
}

#[cold]
fn not_bool(text: &[u8]) -> TraceErrorKind {
    TraceErrorKind::NotBool(lossy(text))
}

#[cold]
fn not_number(text: &[u8], reason: NotNumber) -> TraceErrorKind {
    match reason {
        NotNumber::Text => TraceErrorKind::NotNumber(lossy(text)),
        NotNumber::TooBig => TraceErrorKind::NumberTooBig(lossy(text)),
    }
}

/// What becomes of values that a record leaves out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Gaps {
    missing: MissingPolicy,
    records: Records,
}

impl Gaps {
    /// The gaps of states from which nothing has been left out that could be filled in.
    pub(crate) const FILLED: Self = Self { missing: MissingPolicy::False, records: Records::States };

    /// The gaps of a variable. One that belongs to its state alone is never carried on.
    pub(crate) fn of(variable: &ReadVariable, options: &ReadOptions) -> Self {
        let &ReadOptions { missing, records, .. } = options;
        let is_momentary = records == Records::Events && MOMENTARY_FIELDS.contains(&&*variable.name);
        match missing {
            MissingPolicy::Hold if is_momentary => Self { missing: MissingPolicy::False, records: Records::States },
            _ if is_momentary => Self { missing, records: Records::States },
            _ => Self { missing, records },
        }
    }

    /// Whether the value of the state before is carried on where a record says this.
    #[inline]
    pub(crate) fn carry(self, gap: Gap) -> bool {
        self.missing == MissingPolicy::Hold || (self.records != Records::States && gap == Gap::Silent)
    }

    /// Whether a variable that has no value in a state is an error.
    #[inline]
    pub(crate) fn refuse(self, may_be_missing: bool) -> bool {
        self.missing == MissingPolicy::Error && !may_be_missing
    }
}
