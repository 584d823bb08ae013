//! A value as a format hands it over, before anybody knows its type.

use std::borrow::Cow;

/// One variable in one record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Cell<'a> {
    /// The record says nothing: an empty CSV field, a JSON member that is not there.
    Absent,
    /// The record says that there is no value: JSON `null`.
    Null,
    /// A quoted CSV field with nothing in it: the empty string in a column of strings, nothing elsewhere.
    QuotedEmpty,
    /// Text that may be of any type: a CSV field, or a JSON number or boolean.
    Plain(&'a [u8]),
    /// A JSON string, which says that it is one.
    Text(&'a [u8]),
    /// A JSON string with escapes, quotes included. Decoded only where somebody wants it.
    Escaped(&'a [u8]),
    /// A JSON object or array, which has no value itself.
    Container(&'a [u8]),
}

impl<'a> Cell<'a> {
    /// The text of a value, whatever its type.
    pub(crate) fn text(self) -> Option<Cow<'a, [u8]>> {
        match self {
            Self::Plain(text) | Self::Text(text) => Some(Cow::Borrowed(text)),
            Self::Escaped(source) => Some(Cow::Owned(unescape(source).into_bytes())),
            Self::Absent | Self::Null | Self::QuotedEmpty | Self::Container(_) => None,
        }
    }
}

/// Decodes a JSON string, quotes included.
///
/// The scanner only hands over strings whose escapes it has checked, so the fallback is never needed; it keeps a
/// mistake there from becoming a panic here.
pub(crate) fn unescape(source: &[u8]) -> String {
    serde_json::from_slice(source).unwrap_or_else(|_| String::from_utf8_lossy(source).into_owned())
}
