//! The shape of a record: what stands between its values.
//!
//! A program writes its records one like the other: only the values differ. So what stood between
//! the values of one record is looked for in the next, a few words at a time, and the scanner is
//! asked only where it is not there. All but the values was found to be JSON when the shape was
//! learnt, and a value has to be one that is JSON beyond doubt; so nothing is taken that the
//! scanner would refuse.

use super::scan;
use crate::number;
use crate::plain_rows::FieldKind;
use crate::swar;

/// The most values of a record that has a shape, and the longest one.
const MOST_VALUES: usize = 256;
const LONGEST: usize = 16 << 10;

/// What stands between the values of a record, and what kind of values they are.
pub(super) struct Shape {
    values: Vec<(Gap, FieldKind)>,
    /// What stands behind the last value, with the line end.
    end: Gap,
    /// For each cell of a record its place among those of [`Self::find`], if it has one.
    pub(super) fields: Vec<Option<usize>>,
    pub(super) kinds: Vec<FieldKind>,
}

/// Bytes that stand between values. Most are few, and compared in two words.
struct Gap {
    bytes: Box<[u8]>,
    /// The first sixteen of them, and where there are fewer, which bits those are.
    words: [u64; 2],
    masks: [u64; 2],
}

impl Shape {
    /// The shape of a line that is an object, with its line end. `wanted` tells which cells of a
    /// record, of so many, a member is wanted for, and none if there is more to the member. None if
    /// there is a value in it that is not plainly one.
    pub(super) fn learn(line: &[u8], slots: usize, mut wanted: impl FnMut(&[u8]) -> Option<Vec<u32>>) -> Option<Self> {
        if line.len() > LONGEST {
            return None;
        }
        let (mut values, mut fields) = (Vec::new(), vec![None; slots]);
        let (mut at, mut gap) = (blanks(line, 0), 0);
        while matches!(line.get(at)?, b'{' | b',') {
            let name = blanks(line, at + 1);
            let name_end = text_end(line, name + 1)?;
            at = blanks(line, blanks(line, name_end + 1) + 1);
            let kind = if line.get(at)? == &b'"' { FieldKind::Text } else { FieldKind::Literal };
            let start = at + usize::from(kind == FieldKind::Text);
            for slot in wanted(&line[name + 1..name_end])? {
                fields[slot as usize] = Some(2 * values.len());
            }
            values.push((Gap::new(&line[gap..start]), kind));
            gap = value_end(line, start, kind)?;
            at = blanks(line, gap + usize::from(kind == FieldKind::Text));
        }
        let is_plain = (1..=MOST_VALUES).contains(&values.len()) && line.ends_with(b"\n");
        let kinds = values.iter().map(|(_, kind)| *kind).collect();
        is_plain.then(|| Self { values, end: Gap::new(&line[gap..]), fields, kinds })
    }

    /// The number of places of a record.
    pub(super) fn width(&self) -> usize {
        2 * self.values.len()
    }

    /// Finds the values of a record of this shape that begins at a position: adds for each the
    /// place before it and the one behind it. Returns where the next record begins; none if this is
    /// no such record, and then some places may have been added.
    #[inline]
    pub(super) fn find(&self, bytes: &[u8], mut at: usize, places: &mut Vec<u32>) -> Option<usize> {
        for (gap, kind) in &self.values {
            let start = gap.end(bytes, at)?;
            at = value_end(bytes, start, *kind)?;
            places.extend([(start as u32).wrapping_sub(1), at as u32]);
        }
        self.end.end(bytes, at)
    }
}

impl Gap {
    fn new(bytes: &[u8]) -> Self {
        let (mut words, mut masks) = ([[0; 8]; 2], [[0; 8]; 2]);
        let places = words.as_flattened_mut().iter_mut().zip(masks.as_flattened_mut());
        for ((word, mask), byte) in places.zip(bytes) {
            (*word, *mask) = (*byte, 0xFF);
        }
        Self { bytes: bytes.into(), words: words.map(u64::from_le_bytes), masks: masks.map(u64::from_le_bytes) }
    }

    /// Where the gap ends that begins at a position; none if there is none.
    #[inline(always)]
    fn end(&self, bytes: &[u8], at: usize) -> Option<usize> {
        let end = at + self.bytes.len();
        let differs = |nth: usize| Some((swar::load(bytes, at + 8 * nth)? ^ self.words[nth]) & self.masks[nth] != 0);
        let is_there = match self.bytes.len() {
            0..=8 if bytes.len() >= at + 8 => !differs(0)?,
            9..=16 if bytes.len() >= at + 16 => !differs(0)? && !differs(1)?,
            _ => bytes.get(at..end)? == &*self.bytes,
        };
        is_there.then_some(end)
    }
}

/// Where a value ends, without its quotes, if it is one beyond doubt.
#[inline(always)]
fn value_end(bytes: &[u8], start: usize, kind: FieldKind) -> Option<usize> {
    match kind {
        FieldKind::Text => text_end(bytes, start),
        FieldKind::Literal | FieldKind::Field => literal_end(bytes, start),
    }
}

/// Where a string ends of which every byte is a letter of ASCII, without an escape.
#[inline(always)]
fn text_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start;
    while let Some(word) = swar::load(bytes, at) {
        let special = swar::equal(word, b'"').or(swar::equal(word, b'\\')).or(swar::control_or_not_ascii(word));
        match special.first() {
            Some(offset) => return (bytes[at + offset] == b'"').then_some(at + offset),
            None => at += 8,
        }
    }
    let special = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..0x20 | 0x80..);
    let offset = bytes.get(at..)?.iter().position(special)?;
    (bytes[at + offset] == b'"').then_some(at + offset)
}

/// Where a number or a word ends.
#[inline(always)]
fn literal_end(bytes: &[u8], start: usize) -> Option<usize> {
    let rest = bytes.get(start..)?;
    match rest.first()? {
        // Which of them is what no branch predictor can know.
        first @ (b't' | b'f') => {
            let length = 5 - usize::from(*first == b't');
            number::is_bool(rest.get(..length)?, length == 4).then_some(start + length)
        }
        b'n' => rest.starts_with(b"null").then_some(start + 4),
        _ => scan::number_end(bytes, start, scan::Trust::Nothing).ok(),
    }
}

fn blanks(bytes: &[u8], start: usize) -> usize {
    let count = bytes.get(start..).unwrap_or_default().iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    start + count
}
