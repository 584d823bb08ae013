//! A value as a format hands it over, before anybody knows what it is read as.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// One variable in one record.
///
/// Formats of text hand over text; formats that know the types of their values, and clients that
/// have values at hand, hand over those, so that nothing is printed only to be parsed again.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub enum Cell<'a> {
    /// The record says nothing: an empty CSV field, a JSON member that is not there.
    Absent,
    /// The record says that there is no value: JSON `null`.
    Null,
    /// The record says nothing of a member, and that what it was a member of is no object: a JSON
    /// `null` or a single value in its place. So the member has no value any more.
    Gone,
    /// A quoted CSV field with nothing in it: the empty string of a string variable, nothing
    /// elsewhere.
    QuotedEmpty,
    /// A text that may be of any type: a CSV field.
    Field(&'a [u8]),
    /// A JSON number or boolean as it is written.
    Literal(&'a [u8]),
    /// A JSON string without escapes.
    Text(&'a [u8]),
    /// A JSON string with escapes, quotes included. Decoded only where somebody wants it.
    Escaped(&'a [u8]),
    /// A JSON object or array, which has no value itself.
    Container(&'a [u8]),
    /// A boolean.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A float; a NaN is a missing value.
    Float(f64),
    /// A string.
    Str(&'a str),
    /// A moment in nanoseconds since 1970.
    Time(i64),
}

impl<'a> Cell<'a> {
    /// The text of a value, whatever its type.
    pub(crate) fn text(self) -> Option<Cow<'a, [u8]>> {
        match self {
            Self::Field(text) | Self::Literal(text) | Self::Text(text) => Some(Cow::Borrowed(text)),
            Self::Str(text) => Some(Cow::Borrowed(text.as_bytes())),
            Self::Escaped(source) => Some(Cow::Owned(unescape(source).into_bytes())),
            Self::Bool(bit) => Some(Cow::Borrowed(if bit { b"true" } else { b"false" })),
            Self::Int(int) => Some(Cow::Owned(int.to_string().into_bytes())),
            Self::Time(time) => Some(Cow::Owned(moment(time).into_bytes())),
            Self::Float(float) => Some(Cow::Owned(float.to_string().into_bytes())),
            Self::Absent | Self::Null | Self::Gone | Self::QuotedEmpty | Self::Container(_) => None,
        }
    }
}

/// A moment as people write it.
fn moment(time: i64) -> String {
    let moment = jiff::Timestamp::from_nanosecond(i128::from(time));
    moment.map_or_else(|_| time.to_string(), |moment| moment.to_string())
}

/// A cell that outlives its record. Its text lies among bytes that are kept beside it.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) enum KeptCell {
    Absent,
    Null,
    QuotedEmpty,
    Bool(bool),
    Int(i64),
    Float(f64),
    Time(i64),
    /// A cell with a text: what kind of cell, and where the text begins and ends.
    Text(TextCell, usize, usize),
    Gone,
}

/// The kinds of cells that have a text.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) enum TextCell {
    Field,
    Literal,
    Text,
    Escaped,
    Container,
}

impl KeptCell {
    /// Keeps a cell, and its text behind the bytes that are kept already.
    pub(crate) fn new(cell: Cell<'_>, bytes: &mut Vec<u8>) -> Self {
        let (kind, text) = match cell {
            Cell::Field(text) => (TextCell::Field, text),
            Cell::Literal(text) => (TextCell::Literal, text),
            Cell::Text(text) => (TextCell::Text, text),
            Cell::Str(text) => (TextCell::Text, text.as_bytes()),
            Cell::Escaped(text) => (TextCell::Escaped, text),
            Cell::Container(text) => (TextCell::Container, text),
            Cell::Absent => return Self::Absent,
            Cell::Null => return Self::Null,
            Cell::Gone => return Self::Gone,
            Cell::QuotedEmpty => return Self::QuotedEmpty,
            Cell::Bool(bit) => return Self::Bool(bit),
            Cell::Int(int) => return Self::Int(int),
            Cell::Float(float) => return Self::Float(float),
            Cell::Time(time) => return Self::Time(time),
        };
        let start = bytes.len();
        bytes.extend_from_slice(text);
        Self::Text(kind, start, bytes.len())
    }

    /// The cell, with its text among these bytes.
    pub(crate) fn cell(self, bytes: &[u8]) -> Cell<'_> {
        match self {
            Self::Absent => Cell::Absent,
            Self::Null => Cell::Null,
            Self::Gone => Cell::Gone,
            Self::QuotedEmpty => Cell::QuotedEmpty,
            Self::Bool(bit) => Cell::Bool(bit),
            Self::Int(int) => Cell::Int(int),
            Self::Float(float) => Cell::Float(float),
            Self::Time(time) => Cell::Time(time),
            Self::Text(kind, start, stop) => kind.cell(&bytes[start..stop]),
        }
    }

    /// Whether the text is among so many bytes.
    pub(crate) fn is_within(self, len: usize) -> bool {
        !matches!(self, Self::Text(_, start, stop) if start > stop || stop > len)
    }
}

impl TextCell {
    fn cell(self, text: &[u8]) -> Cell<'_> {
        match self {
            Self::Field => Cell::Field(text),
            Self::Literal => Cell::Literal(text),
            Self::Text => Cell::Text(text),
            Self::Escaped => Cell::Escaped(text),
            Self::Container => Cell::Container(text),
        }
    }
}

/// Decodes a JSON string, quotes included.
///
/// The scanner only hands over strings whose escapes it has checked, so the fallback is never
/// needed; it keeps a mistake there from becoming a panic here.
pub(crate) fn unescape(source: &[u8]) -> String {
    serde_json::from_slice(source).unwrap_or_else(|_| String::from_utf8_lossy(source).into_owned())
}
