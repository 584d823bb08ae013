//! Rows of plain fields, which are known by the places around them: those of CSV without quotes,
//! and the values of JSON lines that are one like the other.
//!
//! Who fills columns takes them column by column: what a field is read as is then asked once, and
//! not once a row.

use crate::cell::Cell;
use crate::record::{ReadStop, RecordSink};
use std::ops::Range;

/// Some rows, each on a line of its own.
pub struct PlainRows<'b> {
    bytes: &'b [u8],
    places: Places<'b>,
    count: usize,
    /// For each cell of a record the first of the two places around its field, if it has one.
    fields: &'b [Option<usize>],
    /// The kind of the field behind every other place; of CSV all fields are of one.
    kinds: &'b [FieldKind],
}

/// The places around fields: a field lies between two of them.
#[derive(Clone, Copy)]
enum Places<'b> {
    /// As many in each row, its width, and one more.
    OfEach { places: &'b [u32], width: usize },
    /// Those of the first row: each row lies so many bytes behind the one before it.
    OfFirst { places: &'b [u32], length: usize },
}

/// What is known of a field by the way it is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FieldKind {
    /// A field of CSV.
    Field,
    /// A number or a word of JSON.
    Literal,
    /// A string of JSON, without escapes.
    Text,
}

/// Where a field begins, and where it ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Bounds {
    pub(crate) start: usize,
    pub(crate) stop: usize,
}

/// A field of all rows.
#[derive(Clone, Copy)]
pub(crate) struct PlainColumn<'b> {
    pub(crate) bytes: &'b [u8],
    places: Places<'b>,
    field: usize,
    pub(crate) kind: FieldKind,
}

impl<'b> PlainRows<'b> {
    /// Rows of CSV by the places of their delimiters, which begin with the one before the first
    /// row. Each has as many fields as the header.
    pub(crate) fn new(bytes: &'b [u8], places: &'b [u32], width: usize, fields: &'b [Option<usize>]) -> Self {
        Self::with_kinds(bytes, places, width, (fields, &[]))
    }

    /// Rows by the places before and behind every field, and one more place at the end.
    pub(crate) fn with_kinds(
        bytes: &'b [u8],
        places: &'b [u32],
        width: usize,
        (fields, kinds): (&'b [Option<usize>], &'b [FieldKind]),
    ) -> Self {
        debug_assert_eq!(places.len() % width, 1 % width, "whole rows, and a place more");
        Self { bytes, places: Places::OfEach { places, width }, count: (places.len() - 1) / width, fields, kinds }
    }

    /// Rows of CSV by the places of the first one's delimiters and its length: so many with their
    /// delimiters at the same places.
    pub(crate) fn alike(
        bytes: &'b [u8],
        (places, length): (&'b [u32], usize),
        count: usize,
        fields: &'b [Option<usize>],
    ) -> Self {
        Self { bytes, places: Places::OfFirst { places, length }, count, fields, kinds: &[] }
    }

    /// The number of rows.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// The column of a cell; none where rows have no such field.
    pub(crate) fn column(&self, slot: usize) -> Option<PlainColumn<'b>> {
        let field = self.fields[slot]?;
        let kind = self.kinds.get(field / 2).copied().unwrap_or(FieldKind::Field);
        Some(PlainColumn { bytes: self.bytes, places: self.places, field, kind })
    }

    /// Hands each row to a sink; they lie on lines from `first` on.
    pub(crate) fn each(&self, first: u64, sink: &mut impl RecordSink) -> Result<(), ReadStop> {
        let mut cells = vec![Cell::Absent; self.fields.len()];
        for row in 0..self.count() {
            for (slot, cell) in cells.iter_mut().enumerate() {
                *cell = self.column(slot).map_or(Cell::Absent, |column| column.cell(row));
            }
            sink.record(first + row as u64, &cells)?;
        }
        Ok(())
    }
}

impl<'b> PlainColumn<'b> {
    /// Where the field of a row lies.
    #[inline(always)]
    pub(crate) fn bounds(&self, row: usize) -> Bounds {
        // The place before the first byte is −1, which this makes 0.
        let between = |before: u32, behind: u32| (before.wrapping_add(1) as usize, behind as usize);
        let ((start, end), ends_line) = match self.places {
            Places::OfEach { places, width } => {
                let before = row * width + self.field;
                (between(places[before], places[before + 1]), self.field + 1 == width)
            }
            Places::OfFirst { places, length } => {
                let (start, end) = between(places[self.field], places[self.field + 1]);
                ((start + row * length, end + row * length), self.field + 2 == places.len())
            }
        };
        let is_return = ends_line && end > start && self.bytes[end - 1] == b'\r';
        Bounds { start, stop: end - usize::from(is_return) }
    }

    /// The bytes of a column that is one byte wide in rows that are alike.
    #[inline(always)]
    pub(crate) fn single_bytes(&self, rows: Range<usize>) -> Option<impl Iterator<Item = u8> + use<'b>> {
        let Places::OfFirst { length, .. } = self.places else { return None };
        let Bounds { start, stop } = self.bounds(rows.start);
        let bytes = self.bytes[start..].iter().step_by(length).take(rows.len());
        (stop == start + 1).then(|| bytes.copied())
    }

    /// What a row says.
    #[inline]
    pub(crate) fn cell(&self, row: usize) -> Cell<'b> {
        let Bounds { start, stop } = self.bounds(row);
        let text = &self.bytes[start..stop];
        match self.kind {
            FieldKind::Field => plain_cell(text),
            FieldKind::Text => Cell::Text(text),
            FieldKind::Literal if text == b"null" => Cell::Null,
            FieldKind::Literal => Cell::Literal(text),
        }
    }
}

/// A field without quotes.
#[inline]
pub(crate) fn plain_cell(field: &[u8]) -> Cell<'_> {
    let field = match field {
        [b' ', ..] | [.., b' '] => trim_spaces(field),
        _ => field,
    };
    if field.is_empty() { Cell::Absent } else { Cell::Field(field) }
}

#[cold]
fn trim_spaces(mut field: &[u8]) -> &[u8] {
    while let [b' ', rest @ ..] | [rest @ .., b' '] = field {
        field = rest;
    }
    field
}
