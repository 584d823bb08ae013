//! Claims of a Parquet page about itself, looked at before they are believed.
//!
//! The library reserves as much memory as the header of a page asks for, and a header is a few
//! bytes. So each header is skimmed first: how much it asks for must be what its bytes can hold.
//! Headers are structures of Thrift's compact protocol, of which no more is known here than how to
//! get past them.

use std::io::{self, Read};

/// The longest header; the longest text in it.
const LONGEST: u64 = 16 << 20;

/// The deepest nesting of a header.
const DEEPEST: usize = 16;

/// What can be held by a byte of compressed data, at the most, by any codec.
const DENSEST: u64 = 1 << 15;

/// The size of a page that may always be asked for.
const ALWAYS: u64 = 16 << 20;

/// What a page claims: numbers as they stand in its header.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct PageClaims {
    pub(crate) kind: i64,
    pub(crate) uncompressed: i64,
    pub(crate) compressed: i64,
    /// The length of the header.
    pub(crate) header: u64,
    /// What is said of the page if it is one of a dictionary.
    pub(crate) dictionary: Option<ValueClaims>,
    /// What is said of it if it has values.
    pub(crate) data: Option<ValueClaims>,
    /// What is said of it if it has values, in the second version of such pages.
    pub(crate) data2: Option<ValueClaims>,
}

/// What a page claims of its values, as far as it says anything.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct ValueClaims {
    pub(crate) count: Option<i64>,
    pub(crate) encoding: Option<i64>,
    /// How levels are encoded: those that tell which values are there, and those that tell of
    /// lists. In the first version only.
    pub(crate) level_encodings: [Option<i64>; 2],
    /// The lengths of those levels, in the second version.
    pub(crate) level_lengths: [Option<i64>; 2],
    pub(crate) nulls: Option<i64>,
    pub(crate) rows: Option<i64>,
    pub(crate) is_compressed: Option<bool>,
}

impl PageClaims {
    /// Reads the claims of the page whose header comes first.
    pub(crate) fn read(bytes: impl Read) -> io::Result<Self> {
        let mut skimmer = Skimmer { bytes: bytes.take(LONGEST), claims: Self::default() };
        skimmer.structure(&mut Vec::new())?;
        Ok(Self { header: LONGEST - skimmer.bytes.limit(), ..skimmer.claims })
    }

    /// Whether the bytes of the page can hold what it claims.
    pub(crate) fn are_plausible(self) -> bool {
        let (Ok(uncompressed), Ok(compressed)) = (u64::try_from(self.uncompressed), u64::try_from(self.compressed))
        else {
            return false;
        };
        let is_held = uncompressed <= ALWAYS.max(compressed.saturating_mul(DENSEST));
        // A value of a dictionary has a byte at the least.
        let fits = |dictionary: ValueClaims| {
            dictionary.count.is_none_or(|count| u64::try_from(count).is_ok_and(|count| count <= uncompressed))
        };
        is_held && self.dictionary.is_none_or(fits)
    }
}

struct Skimmer<R> {
    bytes: io::Take<R>,
    claims: PageClaims,
}

impl<R: Read> Skimmer<R> {
    fn byte(&mut self) -> io::Result<u8> {
        let mut byte = [0];
        self.bytes.read_exact(&mut byte)?;
        Ok(byte[0])
    }

    fn varint(&mut self) -> io::Result<u64> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7F) << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(invalid())
    }

    fn integer(&mut self) -> io::Result<i64> {
        let value = self.varint()?;
        Ok((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    fn skip(&mut self, count: u64) -> io::Result<()> {
        let skipped = io::copy(&mut self.bytes.by_ref().take(count), &mut io::sink())?;
        if skipped == count { Ok(()) } else { Err(invalid()) }
    }

    /// A structure at a path of fields: of each its number and type, and a zero behind the last.
    fn structure(&mut self, path: &mut Vec<i64>) -> io::Result<()> {
        if path.len() > DEEPEST {
            return Err(invalid());
        }
        let mut field = 0_i64;
        loop {
            let head = self.byte()?;
            if head == 0 {
                return Ok(());
            }
            field = match head >> 4 {
                0 => self.integer()?,
                delta => field.checked_add(i64::from(delta)).ok_or_else(invalid)?,
            };
            path.push(field);
            self.value(head & 0xF, path)?;
            path.pop();
        }
    }

    fn value(&mut self, ty: u8, path: &mut Vec<i64>) -> io::Result<()> {
        match ty {
            1 | 2 => {
                if *path == [8, 7] {
                    self.claims.data2.get_or_insert_default().is_compressed = Some(ty == 1);
                }
                Ok(())
            }
            3 => self.skip(1),
            4..=6 => {
                let value = self.integer()?;
                self.note(path, value);
                Ok(())
            }
            7 => self.skip(8),
            8 => {
                let len = self.varint()?;
                self.skip(len)
            }
            9 | 10 => self.list(path),
            12 => self.structure(path),
            // Headers have no maps.
            _ => Err(invalid()),
        }
    }

    fn list(&mut self, path: &mut Vec<i64>) -> io::Result<()> {
        let head = self.byte()?;
        let count = match head >> 4 {
            15 => self.varint()?,
            count => u64::from(count),
        };
        for _ in 0..count {
            path.push(0);
            match head & 0xF {
                1 | 2 => self.skip(1)?,
                ty => self.value(ty, path)?,
            }
            path.pop();
        }
        Ok(())
    }

    fn note(&mut self, path: &[i64], value: i64) {
        let claims = &mut self.claims;
        match path {
            [1] => claims.kind = value,
            [2] => claims.uncompressed = value,
            [3] => claims.compressed = value,
            [5, field] => claims.data.get_or_insert_default().note(*field, value),
            [7, field] => claims.dictionary.get_or_insert_default().note(*field, value),
            [8, field] => claims.data2.get_or_insert_default().note_second(*field, value),
            _ => {}
        }
    }
}

impl ValueClaims {
    fn note(&mut self, field: i64, value: i64) {
        match field {
            1 => self.count = Some(value),
            2 => self.encoding = Some(value),
            3 => self.level_encodings[0] = Some(value),
            4 => self.level_encodings[1] = Some(value),
            _ => {}
        }
    }

    fn note_second(&mut self, field: i64, value: i64) {
        match field {
            1 => self.count = Some(value),
            2 => self.nulls = Some(value),
            3 => self.rows = Some(value),
            4 => self.encoding = Some(value),
            5 => self.level_lengths[0] = Some(value),
            6 => self.level_lengths[1] = Some(value),
            _ => {}
        }
    }
}

fn invalid() -> io::Error {
    io::Error::other("a page has a header that cannot be read")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_are_found_among_other_fields() {
        // A page of a dictionary: type 2, 64 bytes of 32, a checksum, 3 values.
        let header = [0x15, 4, 0x15, 0x80, 1, 0x15, 64, 0x15, 9, 0x3C, 0x15, 6, 0x15, 0, 0x11, 0, 0, 1, 2, 3];
        let claims = PageClaims::read(&header[..]).unwrap();
        let dictionary = Some(ValueClaims { count: Some(3), encoding: Some(0), ..ValueClaims::default() });
        let expected =
            PageClaims { kind: 2, uncompressed: 64, compressed: 32, header: 17, dictionary, ..PageClaims::default() };
        assert_eq!(claims, expected);
        assert!(claims.are_plausible());
        assert!(PageClaims::read(&header[..8]).is_err());
    }

    #[test]
    fn what_cannot_be_held_is_refused() {
        let claims = |uncompressed, compressed| PageClaims { uncompressed, compressed, ..PageClaims::default() };
        assert!(claims(1 << 30, 1 << 15).are_plausible());
        assert!(!claims(1 << 30, 100).are_plausible());
        assert!(!claims(-1, 100).are_plausible() && !claims(1, -100).are_plausible());
        let values = |count| Some(ValueClaims { count: Some(count), ..ValueClaims::default() });
        let dictionary = |count| PageClaims { dictionary: values(count), ..claims(100, 100) };
        assert!(dictionary(100).are_plausible() && !dictionary(101).are_plausible());
    }

    #[test]
    fn headers_that_never_end_are_given_up() {
        assert!(PageClaims::read(io::repeat(0x1C)).is_err());
        assert!(PageClaims::read(io::repeat(0x15)).is_err());
        assert!(PageClaims::read(io::repeat(0xFF)).is_err());
    }
}
