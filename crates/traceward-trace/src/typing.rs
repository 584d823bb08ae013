//! What a cell means: a cell and what is expected of its variable give a value, nothing, or an
//! error.
//!
//! This is the only place that decides it, for files and for streams: columns and rows are filled
//! with what comes out of it. A variable whose uses leave its type open has the type of the first
//! value of its class.

use crate::cell::Cell;
use crate::column::container;
use crate::error::{TraceErrorKind, lossy};
use crate::number::{self, NotNumber, Number};
use crate::options::{MissingPolicy, ReadOptions, ReadVariable, Records};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::Arc;
use traceward_logic::lower::{ClassId, Expected};
use traceward_logic::value::ValueType;

/// What a cell says of its variable.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Datum<'a> {
    /// Nothing: in a record of changes the value is as before.
    Silent,
    /// That there is no value.
    Missing,
    /// A boolean.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A float that is no NaN.
    Float(f64),
    /// A string.
    Text(Cow<'a, str>),
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
    null: Vec<String>,
    /// The classes that the record at hand has decided.
    decided_now: Vec<(ClassId, ValueType)>,
}

#[derive(Clone, Debug)]
struct TypedVariable {
    name: Arc<str>,
    read_as: ReadAs,
    expected: Expected,
    /// Whether values are converted, because the type was declared.
    converts: bool,
}

impl Typing {
    pub(crate) fn new(options: &ReadOptions) -> Self {
        let variable = |variable: &ReadVariable| TypedVariable {
            name: variable.name.clone(),
            read_as: ReadAs::new(variable.expected),
            expected: variable.expected,
            converts: variable.is_declared,
        };
        Self {
            variables: options.variables.iter().map(variable).collect(),
            null: options.null.clone(),
            decided_now: Vec::new(),
        }
    }

    /// The type of each variable, as far as it is known.
    pub(crate) fn types(&self) -> Vec<Option<ValueType>> {
        self.variables.iter().map(|variable| variable.read_as.value_type()).collect()
    }

    /// A new record begins.
    #[inline]
    pub(crate) fn begin(&mut self) {
        self.decided_now.clear();
    }

    /// The record at hand is no state after all: what it has decided is open again.
    pub(crate) fn roll_back(&mut self) {
        for (class, _) in std::mem::take(&mut self.decided_now) {
            let members = self.variables.iter_mut().filter(|variable| class_of(variable.expected) == Some(class));
            members.for_each(|variable| variable.read_as = ReadAs::new(variable.expected));
        }
    }

    /// What a cell says of a variable.
    #[inline]
    pub(crate) fn read<'a>(&mut self, variable: usize, cell: Cell<'a>) -> Result<Datum<'a>, TraceErrorKind> {
        self.datum(variable, cell).map_err(|kind| self.unlike_first(variable, kind))
    }

    /// Where the first value decided the type, that is what a value does not fit.
    #[cold]
    fn unlike_first(&self, variable: usize, kind: TraceErrorKind) -> TraceErrorKind {
        let TypedVariable { expected, read_as, .. } = &self.variables[variable];
        let text = match &kind {
            TraceErrorKind::NotBool(text) | TraceErrorKind::NotNumber(text) | TraceErrorKind::NotText(text) => text,
            _ => return kind,
        };
        match (class_of(*expected), read_as.value_type()) {
            (Some(_), Some(first)) => TraceErrorKind::UnlikeFirst { text: text.clone(), first },
            _ => kind,
        }
    }

    #[inline]
    fn datum<'a>(&mut self, variable: usize, cell: Cell<'a>) -> Result<Datum<'a>, TraceErrorKind> {
        match cell {
            Cell::Absent => Ok(Datum::Silent),
            Cell::Field(text) if self.stands_for_missing(text) => Ok(Datum::Missing),
            Cell::Field(text) => self.field(variable, text),
            other => self.marked(variable, other),
        }
    }

    /// What a CSV field says.
    #[inline]
    fn field<'a>(&mut self, variable: usize, text: &'a [u8]) -> Result<Datum<'a>, TraceErrorKind> {
        match self.variables[variable].read_as {
            ReadAs::Bool => number::parse_bool(text).map(Datum::Bool).ok_or_else(|| not_bool(text)),
            ReadAs::Number => read_number(text),
            ReadAs::Bit => read_bit(text),
            ReadAs::Text => read_text(text),
            ReadAs::Presence => Ok(if number::is_nan(text) { Datum::Missing } else { Datum::Bool(true) }),
            // A NaN is missing from the start: it says nothing about the type.
            ReadAs::Undecided { .. } if number::is_nan(text) => Ok(Datum::Missing),
            ReadAs::Undecided { class, ordered } => {
                self.decide(ClassId(class), ordered, looks_like(text), text)?;
                self.field(variable, text)
            }
        }
    }

    /// What a cell says that knows something of its type.
    fn marked<'a>(&mut self, variable: usize, cell: Cell<'a>) -> Result<Datum<'a>, TraceErrorKind> {
        match cell {
            Cell::Absent => return Ok(Datum::Silent),
            Cell::Null => return Ok(Datum::Missing),
            Cell::QuotedEmpty => return Ok(self.quoted_empty(variable)),
            Cell::Container(source) => return Err(container(&self.variables[variable].name, source)),
            Cell::Float(float) if float.is_nan() => return Ok(Datum::Missing),
            _ => {}
        }
        if !self.null.is_empty() && cell.text().is_some_and(|text| self.stands_for_missing(&text)) {
            return Ok(Datum::Missing);
        }
        let ty = type_of(cell);
        let read_as = match self.variables[variable].read_as {
            ReadAs::Undecided { class, ordered } => {
                self.decide(ClassId(class), ordered, ty, &cell.text().unwrap_or_default())?;
                self.variables[variable].read_as
            }
            known => known,
        };
        if self.variables[variable].converts {
            return converted(cell, read_as);
        }
        fitted(cell, read_as)
    }

    fn quoted_empty(&self, variable: usize) -> Datum<'static> {
        match self.variables[variable].read_as {
            _ if self.stands_for_missing(b"") => Datum::Missing,
            ReadAs::Text => Datum::Text(Cow::Borrowed("")),
            _ => Datum::Silent,
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
        let members = self.variables.iter_mut().filter(|variable| class_of(variable.expected) == Some(class));
        members.for_each(|variable| variable.read_as = ReadAs::of(ty));
        self.decided_now.push((class, ty));
        Ok(())
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
        for (variable, saved) in self.variables.iter_mut().zip(saved) {
            if let (Some(_), Some(saved)) = (class_of(variable.expected), saved) {
                variable.read_as = ReadAs::of(saved.value_type());
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
fn fitted<'a>(cell: Cell<'a>, read_as: ReadAs) -> Result<Datum<'a>, TraceErrorKind> {
    let text = || lossy(&cell.text().unwrap_or_default());
    match (read_as, type_of(cell)) {
        (ReadAs::Presence | ReadAs::Undecided { .. }, _) => Ok(Datum::Bool(true)),
        (ReadAs::Bool, ValueType::Boolean) => Ok(Datum::Bool(is_true(cell))),
        (ReadAs::Bool, ValueType::Number) => match numeric(cell)? {
            Datum::Int(bit @ (0 | 1)) => Ok(Datum::Bool(bit == 1)),
            _ => Err(TraceErrorKind::NotBool(text())),
        },
        (ReadAs::Bool, ValueType::String) => Err(TraceErrorKind::NotBool(text())),
        (ReadAs::Number, ValueType::Number) => numeric(cell),
        (ReadAs::Number, ValueType::Boolean | ValueType::String) => Err(TraceErrorKind::NotNumber(text())),
        (ReadAs::Bit, ValueType::Number) => match numeric(cell)? {
            Datum::Int(bit @ (0 | 1)) => Ok(Datum::Int(bit)),
            Datum::Float(float) if float == 0.0 || float == 1.0 => Ok(Datum::Int(float as i64)),
            _ => Err(TraceErrorKind::NotBool(text())),
        },
        (ReadAs::Bit, ValueType::Boolean | ValueType::String) => Err(TraceErrorKind::NotNumber(text())),
        (ReadAs::Text, ValueType::String) => textual(cell),
        (ReadAs::Text, ValueType::Boolean | ValueType::Number) => Err(TraceErrorKind::NotText(text())),
    }
}

/// A value of a variable whose type was declared: its text is read like a CSV field.
fn converted<'a>(cell: Cell<'a>, read_as: ReadAs) -> Result<Datum<'a>, TraceErrorKind> {
    if read_as == ReadAs::Text {
        return textual(cell);
    }
    if type_of(cell) != ValueType::String {
        return fitted(cell, read_as);
    }
    let text = cell.text().unwrap_or_default();
    let text = text.trim_ascii();
    let datum = match read_as {
        _ if text.is_empty() => Datum::Missing,
        ReadAs::Bool => number::parse_bool(text).map(Datum::Bool).ok_or_else(|| not_bool(text))?,
        ReadAs::Number => read_number(text)?,
        ReadAs::Bit => read_bit(text)?,
        ReadAs::Text | ReadAs::Presence | ReadAs::Undecided { .. } => Datum::Bool(true),
    };
    Ok(owned(datum))
}

/// A datum that borrows nothing. Numbers and booleans never do.
fn owned<'a>(datum: Datum<'_>) -> Datum<'a> {
    match datum {
        Datum::Silent => Datum::Silent,
        Datum::Missing => Datum::Missing,
        Datum::Bool(bit) => Datum::Bool(bit),
        Datum::Int(int) => Datum::Int(int),
        Datum::Float(float) => Datum::Float(float),
        Datum::Text(text) => Datum::Text(Cow::Owned(text.into_owned())),
    }
}

fn is_true(cell: Cell<'_>) -> bool {
    matches!(cell, Cell::Bool(true) | Cell::Literal(b"true"))
}

fn numeric<'a>(cell: Cell<'a>) -> Result<Datum<'a>, TraceErrorKind> {
    match cell {
        Cell::Int(int) | Cell::Time(int) => Ok(Datum::Int(int)),
        Cell::Float(float) => Ok(Datum::Float(float)),
        Cell::Literal(text) => read_number(text),
        _ => Ok(Datum::Missing),
    }
}

fn textual<'a>(cell: Cell<'a>) -> Result<Datum<'a>, TraceErrorKind> {
    match cell {
        Cell::Str(text) => Ok(Datum::Text(Cow::Borrowed(text))),
        Cell::Text(text) | Cell::Literal(text) => read_text(text),
        other => match other.text() {
            None => Ok(Datum::Missing),
            Some(text) => match String::from_utf8(text.into_owned()) {
                Ok(text) => Ok(Datum::Text(Cow::Owned(text))),
                Err(_) => Err(TraceErrorKind::InvalidUtf8),
            },
        },
    }
}

#[inline]
fn read_number<'a>(text: &[u8]) -> Result<Datum<'a>, TraceErrorKind> {
    match number::parse(text) {
        Ok(Number::Int(int)) => Ok(Datum::Int(int)),
        Ok(Number::Float(float)) => Ok(Datum::Float(float)),
        Ok(Number::Nan) => Ok(Datum::Missing),
        Err(NotNumber::Text) => Err(TraceErrorKind::NotNumber(lossy(text))),
        Err(NotNumber::TooBig) => Err(TraceErrorKind::NumberTooBig(lossy(text))),
    }
}

fn read_bit<'a>(text: &[u8]) -> Result<Datum<'a>, TraceErrorKind> {
    match read_number(text)? {
        bit @ (Datum::Missing | Datum::Int(0 | 1)) => Ok(bit),
        Datum::Float(float) if float == 0.0 || float == 1.0 => Ok(Datum::Int(float as i64)),
        _ => Err(not_bool(text)),
    }
}

#[inline]
fn read_text(text: &[u8]) -> Result<Datum<'_>, TraceErrorKind> {
    match std::str::from_utf8(text) {
        Ok(text) => Ok(Datum::Text(Cow::Borrowed(text))),
        Err(_) => Err(TraceErrorKind::InvalidUtf8),
    }
}

#[cold]
fn not_bool(text: &[u8]) -> TraceErrorKind {
    TraceErrorKind::NotBool(lossy(text))
}

/// What becomes of values that a record leaves out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Gaps {
    missing: MissingPolicy,
    records: Records,
}

impl Gaps {
    pub(crate) fn new(options: &ReadOptions) -> Self {
        Self { missing: options.missing, records: options.records }
    }

    /// Whether the value of the state before is carried on where a record says this.
    #[inline]
    pub(crate) fn carry(self, datum: &Datum<'_>) -> bool {
        self.missing == MissingPolicy::Hold || (self.records == Records::Changes && *datum == Datum::Silent)
    }

    /// Whether a variable that has no value in a state is an error.
    #[inline]
    pub(crate) fn refuse(self, may_be_missing: bool) -> bool {
        self.missing == MissingPolicy::Error && !may_be_missing
    }
}
