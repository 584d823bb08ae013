//! Rows of plain fields, which are known by the places around them: those of CSV without quotes,
//! and the values of JSON lines that are one like the other.
//!
//! Who fills columns takes them column by column: what a field is read as is then asked once, and
//! not once a row.

use crate::cell::Cell;
use crate::record::{ReadStop, RecordSink};

/// Some rows, each on a line of its own.
pub struct PlainRows<'b> {
    bytes: &'b [u8],
    /// The places around fields, as many in each row, and one more: a field lies between two of
    /// them.
    places: &'b [u32],
    /// The number of places of a row.
    width: usize,
    /// For each cell of a record the first of the two places around its field, if it has one.
    fields: &'b [Option<usize>],
    /// The kind of the field behind every other place; of CSV all fields are of one.
    kinds: &'b [FieldKind],
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
    places: &'b [u32],
    width: usize,
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
        Self { bytes, places, width, fields, kinds }
    }

    /// The number of rows.
    pub(crate) fn count(&self) -> usize {
        (self.places.len() - 1) / self.width
    }

    /// The column of a cell; none where rows have no such field.
    pub(crate) fn column(&self, slot: usize) -> Option<PlainColumn<'b>> {
        let field = self.fields[slot]?;
        let kind = self.kinds.get(field / 2).copied().unwrap_or(FieldKind::Field);
        Some(PlainColumn { bytes: self.bytes, places: self.places, width: self.width, field, kind })
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
        let before = row * self.width + self.field;
        // The place before the first byte is −1, which this makes 0.
        let (start, end) = (self.places[before].wrapping_add(1) as usize, self.places[before + 1] as usize);
        let ends_line = self.field + 1 == self.width;
        let is_return = ends_line && end > start && self.bytes[end - 1] == b'\r';
        Bounds { start, stop: end - usize::from(is_return) }
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
