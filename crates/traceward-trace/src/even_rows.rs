//! Rows of CSV with their delimiters at the same places: signals of 0 and 1, numbers with as many
//! digits, dates as machines write them.
//!
//! That rows are like the one before them is found out 64 bytes at a time, without writing down
//! where their delimiters are: a row's places are those of the first one, and so many bytes more.

use crate::delimiters::{self, Marks};
use crate::plain_rows::PlainRows;
use memchr::{memchr, memchr_iter, memchr2};

/// The number of bytes that are looked at in one go, so that they are in the nearest cache when
/// columns are made of them.
const WINDOW: usize = 16 << 10;

/// The longest row that is looked at. Of longer ones a window does not have many.
const LONGEST: usize = 256;

/// The rows that are worth to be taken without the places of their delimiters.
const LEAST_ROWS: usize = 32;

/// Rows that are alike.
#[derive(Default)]
pub(crate) struct EvenRows {
    /// The places of a row's delimiters, behind the one before its first byte: there `u32::MAX`
    /// stands for −1.
    places: Vec<u32>,
    /// Where delimiters are in some rows, which end where 64 bytes do.
    pattern: Vec<Marks>,
    separator: u8,
}

impl EvenRows {
    /// The number of rows of so many fields that begin the bytes and are alike; none if there are
    /// few.
    pub(crate) fn find(&mut self, bytes: &[u8], separator: u8, width: usize) -> usize {
        let window = &bytes[..bytes.len().min(WINDOW)];
        let Some(row) = first_of_many(window) else { return 0 };
        let is_known = self.separator == separator && self.places.len() == width + 1 && self.length() == row.len();
        let mut count = if is_known { self.count(window) } else { 0 };
        if count == 0 && self.learn(row, separator, width) {
            count = self.count(window);
        }
        if count >= LEAST_ROWS { count } else { 0 }
    }

    /// The number of rows at the beginning that are like the pattern.
    fn count(&self, window: &[u8]) -> usize {
        delimiters::repeating(window, self.separator, &self.pattern) / self.length()
    }

    /// The bytes of a row.
    pub(crate) fn length(&self) -> usize {
        self.places.last().map_or(0, |&last| last as usize + 1)
    }

    /// So many rows that begin the bytes.
    pub(crate) fn rows<'b>(&'b self, bytes: &'b [u8], count: usize, fields: &'b [Option<usize>]) -> PlainRows<'b> {
        PlainRows::alike(bytes, (&self.places, self.length()), count, fields)
    }

    /// Takes a row for what the others are to be like; false if it is none like the header, or has
    /// quotes.
    fn learn(&mut self, row: &[u8], separator: u8, width: usize) -> bool {
        let ends = row.len() - 1 - usize::from(row.ends_with(b"\r\n"));
        let is_plain = memchr2(b'"', b'\r', &row[..ends]).is_none();
        // A row of one field may be blank.
        if !is_plain || width < 2 || memchr_iter(separator, row).count() + 1 != width {
            return false;
        }
        self.places.clear();
        self.places.push(u32::MAX);
        self.places.extend(memchr_iter(separator, row).map(|place| place as u32));
        self.places.push(row.len() as u32 - 1);
        self.separator = separator;
        self.pattern = delimiters::marks_of_repeated(row, separator);
        true
    }
}

/// The first row, if it is not too long and the next ones are as long as well.
fn first_of_many(window: &[u8]) -> Option<&[u8]> {
    let row = &window[..=memchr(b'\n', &window[..window.len().min(LONGEST)])?];
    let are_as_long = (2..=LEAST_ROWS).all(|count| window.get(count * row.len() - 1) == Some(&b'\n'));
    are_as_long.then_some(row)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The rows that are alike, by their bytes.
    fn rows_slowly(bytes: &[u8], width: usize) -> usize {
        let shape = |row: &[u8]| {
            let kind = |&byte: &u8| if b",\n\r\"".contains(&byte) { byte } else { b'x' };
            row.iter().map(kind).collect::<Vec<u8>>()
        };
        let window = &bytes[..bytes.len().min(WINDOW)];
        let rows: Vec<Vec<u8>> =
            window.split_inclusive(|&byte| byte == b'\n').filter(|row| row.ends_with(b"\n")).map(shape).collect();
        let Some(first) = rows.first() else { return 0 };
        let body = first.strip_suffix(b"\r\n").or(first.strip_suffix(b"\n")).unwrap();
        let is_plain = !body.contains(&b'"') && !body.contains(&b'\r') && first.len() <= LONGEST;
        let fields = body.iter().filter(|&&byte| byte == b',').count() + 1;
        let count = rows.iter().take_while(|row| *row == first).count();
        if is_plain && fields == width && width > 1 && count >= LEAST_ROWS { count } else { 0 }
    }

    fn agree(even: &mut EvenRows, bytes: &[u8], width: usize) {
        let count = even.find(bytes, b',', width);
        assert_eq!(count, rows_slowly(bytes, width), "{:?}", String::from_utf8_lossy(bytes));
        if count > 0 {
            let fields: Vec<Option<usize>> = (0..width).map(Some).collect();
            let rows = even.rows(bytes, count, &fields);
            let lines: Vec<&[u8]> = bytes.split(|&byte| byte == b'\n').collect();
            for (row, line) in lines[..count].iter().enumerate() {
                let line = line.strip_suffix(b"\r").unwrap_or(line);
                let found: Vec<&[u8]> = (0..width)
                    .map(|slot| {
                        let bounds = rows.column(slot).unwrap().bounds(row);
                        &bytes[bounds.start..bounds.stop]
                    })
                    .collect();
                assert!(found.into_iter().eq(line.split(|&byte| byte == b',')));
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn rows_that_are_alike_are_those_with_the_same_shape(
            shape in "[ab]{0,9}(,[01]{0,3}){0,4}\r?\n",
            count in 0..90_usize,
            odd in prop::option::of((any::<prop::sample::Index>(), prop_oneof![Just(b'"'), Just(b','), Just(b'\n'), Just(b'\r'), Just(b'q')])),
            width in 1..5_usize,
            behind in "[01,\n]{0,12}",
        ) {
            let mut even = EvenRows::default();
            // What is known of other rows makes no difference.
            even.find(&b"1,0\n".repeat(40), b',', 2);
            let fields = shape.bytes().filter(|&byte| byte == b',').count() + 1;
            let mut bytes = shape.repeat(count).into_bytes();
            if let (Some((place, byte)), false) = (odd, bytes.is_empty()) {
                let place = place.index(bytes.len());
                bytes[place] = byte;
            }
            bytes.extend(behind.bytes());
            for width in [fields, width, fields] {
                agree(&mut even, &bytes, width);
            }
        }
    }

    #[test]
    fn rows_as_long_as_the_longest_and_longer_ones() {
        for length in [2, 3, 63, 64, 65, LONGEST - 1, LONGEST, LONGEST + 1] {
            let row = [&b"1,"[..], &vec![b'x'; length - 3.min(length)], b"\n"].concat();
            agree(&mut EvenRows::default(), &row.repeat(2 * WINDOW / row.len()), 2);
        }
    }
}
