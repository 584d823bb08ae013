//! The pages of a row group of Parquet, looked at before they are decoded.

use crate::input::{Behind, Input};
use crate::runs::{Run, Runs, unpack};
use crate::skim::PageClaims;
use crate::stored::OLD_MOMENT_BYTES;
use bytes::Bytes;
use parquet::arrow::arrow_reader::RowGroups;
use parquet::basic::{Encoding, Type};
use parquet::column::page::{Page, PageIterator, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};
use parquet::file::reader::{ChunkReader, Length};
use parquet::file::serialized_reader::SerializedPageReader;
use std::io::{self, Read};
use std::sync::Arc;

/// A row group of a table.
pub(crate) struct RowGroup {
    pub(crate) input: Arc<Pages>,
    pub(crate) metadata: Arc<ParquetMetaData>,
    pub(crate) index: usize,
}

impl RowGroups for RowGroup {
    fn num_rows(&self) -> usize {
        self.metadata.row_group(self.index).num_rows() as usize
    }

    fn column_chunks(&self, column: usize) -> Result<Box<dyn PageIterator>> {
        let chunk = self.metadata.row_group(self.index).column(column);
        let stored = chunk.column_descr();
        let reader = SerializedPageReader::new(self.input.clone(), chunk, self.num_rows(), None)?;
        let (repeats, highest) = (stored.max_rep_level() > 0, stored.max_def_level());
        let levels = usize::from(repeats) + usize::from(highest > 0);
        let width = width(stored.physical_type(), stored.type_length());
        let checked: Box<dyn PageReader> = Box::new(CheckedPages { reader, repeats, levels, highest, width });
        Ok(Box::new(OneChunk(Some(Ok(checked)))))
    }

    fn row_groups(&self) -> Box<dyn Iterator<Item = &RowGroupMetaData> + '_> {
        Box::new(std::iter::once(self.metadata.row_group(self.index)))
    }

    fn metadata(&self) -> &ParquetMetaData {
        &self.metadata
    }
}

/// The one column chunk of a row group.
struct OneChunk(Option<Result<Box<dyn PageReader>>>);

impl Iterator for OneChunk {
    type Item = Result<Box<dyn PageReader>>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.take()
    }
}

impl PageIterator for OneChunk {}

/// The bytes of pages.
pub(crate) struct Pages(pub(crate) Input);

impl Length for Pages {
    fn len(&self) -> u64 {
        self.0.len()
    }
}

impl ChunkReader for Pages {
    type T = Header;

    fn get_read(&self, start: u64) -> Result<Header> {
        Ok(Header { input: self.0.clone(), start, behind: None })
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        self.0.get_bytes(start, length)
    }
}

/// The bytes behind a place. Whoever reads any of them reads the header of a page; but whoever has
/// read that before, to look what comes next, asks for those behind it and reads none.
pub(crate) struct Header {
    input: Input,
    start: u64,
    /// The bytes, once the header has been looked at.
    behind: Option<Behind>,
}

impl Read for Header {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let behind = match &mut self.behind {
            Some(behind) => behind,
            None => {
                if !PageClaims::read(self.input.behind(self.start))?.are_plausible() {
                    let start = self.start;
                    return Err(io::Error::other(format!("the page at byte {start} claims more than it can hold")));
                }
                self.behind.insert(self.input.behind(self.start))
            }
        };
        behind.read(to)
    }
}

/// Pages whose number of values is the one of their header.
struct CheckedPages {
    reader: SerializedPageReader<Pages>,
    /// Whether a row may have several values, or none.
    repeats: bool,
    /// The number of lists of levels before the values.
    levels: usize,
    /// The level of a value that is there.
    highest: i16,
    /// The bytes of a value, where the library wants no other bytes in a page than those.
    width: Option<usize>,
}

/// The bytes of a value of a type, if it has a width that the library insists on. Moments in 96
/// bits are decoded as bytes, too.
fn width(stored: Type, length: i32) -> Option<usize> {
    let width = match stored {
        Type::INT96 => OLD_MOMENT_BYTES,
        Type::FIXED_LEN_BYTE_ARRAY => length,
        _ => return None,
    };
    usize::try_from(width).ok()
}

impl CheckedPages {
    /// The page without what comes behind its values. Some programs write a few bytes more, which
    /// all readers leave alone where values are numbers.
    fn without_padding(&self, mut page: Page) -> Page {
        if let (Some(width), Encoding::PLAIN) = (self.width, page.encoding())
            && let Some(end) = self.end_of_values(&page, width)
            && let Page::DataPage { buf, .. } | Page::DataPageV2 { buf, .. } = &mut page
        {
            buf.truncate(end);
        }
        page
    }

    /// Where the values of a page end, if that can be told.
    fn end_of_values(&self, page: &Page, width: usize) -> Option<usize> {
        let count = page.num_values() as usize;
        let (levels, start) = match page {
            Page::DictionaryPage { .. } => return None,
            Page::DataPage { buf, def_level_encoding, .. } => {
                let before = behind_levels(buf, self.levels.checked_sub(usize::from(self.highest > 0))?)?;
                let start = behind_levels(buf, self.levels)?;
                let is_known = self.highest == 0 || *def_level_encoding == Encoding::RLE;
                let levels = if self.highest > 0 { buf.get(before.checked_add(4)?..start)? } else { &[] };
                is_known.then_some((levels, start))?
            }
            Page::DataPageV2 { buf, rep_levels_byte_len, def_levels_byte_len, .. } => {
                let before = *rep_levels_byte_len as usize;
                let start = before.checked_add(*def_levels_byte_len as usize)?;
                (buf.get(before..start)?, start)
            }
        };
        let values = if self.highest > 0 { count_of(levels, count, self.highest)? } else { count };
        start.checked_add(values.checked_mul(width)?)
    }

    /// Texts that are encoded by differences say themselves how many there are, and the decoder
    /// reserves memory for as many.
    fn check(&self, page: &Page) -> Result<()> {
        let start = match page {
            Page::DictionaryPage { .. } => return Ok(()),
            Page::DataPage { buf, .. } => behind_levels(buf, self.levels),
            Page::DataPageV2 { rep_levels_byte_len, def_levels_byte_len, .. } => {
                rep_levels_byte_len.checked_add(*def_levels_byte_len).map(|len| len as usize)
            }
        };
        let mut values = start.and_then(|start| page.buffer().get(start..)).map(Deltas);
        let most = u64::from(page.num_values());
        let is_fine = match page.encoding() {
            Encoding::DELTA_LENGTH_BYTE_ARRAY => values.as_mut().and_then(|values| values.count()),
            Encoding::DELTA_BYTE_ARRAY => values.as_mut().and_then(|values| {
                // The lengths of what texts share, then those of what they do not.
                let shared = values.pass(most)?;
                values.count().map(|rest| rest.max(shared))
            }),
            _ => return Ok(()),
        };
        match is_fine {
            Some(count) if count <= most => Ok(()),
            _ => Err(ParquetError::General("a page has another number of texts than it says".to_owned())),
        }
    }
}

/// How many of so many levels are the highest one.
fn count_of(levels: &[u8], count: usize, highest: i16) -> Option<usize> {
    let highest = u32::try_from(highest).ok()?;
    let width = (u32::BITS - highest.leading_zeros()) as u8;
    let mut found = 0;
    Runs::new(levels, width)?.each(count, |run| {
        match run {
            Run::Repeated { number, count } => found += if number == highest { count } else { 0 },
            Run::Packed { bytes, count } => unpack(bytes, width, count, |levels| {
                found += levels.iter().filter(|&&level| level == highest).count();
                Some(())
            })?,
        }
        Some(())
    })?;
    Some(found)
}

/// Where values begin in a page whose levels come first, each with its length.
fn behind_levels(buffer: &[u8], levels: usize) -> Option<usize> {
    (0..levels).try_fold(0_usize, |at, _| {
        let len = buffer.get(at..)?.first_chunk::<4>()?;
        at.checked_add(4)?.checked_add(u32::from_le_bytes(*len) as usize)
    })
}

/// Numbers that are encoded by their differences.
struct Deltas<'a>(&'a [u8]);

impl Deltas<'_> {
    /// The number of numbers.
    fn count(&mut self) -> Option<u64> {
        self.varint()?;
        self.varint()?;
        self.varint()
    }

    /// Goes behind them; returns how many there are, if that is no more than so many.
    fn pass(&mut self, most: u64) -> Option<u64> {
        let (block, parts) = (self.varint()?, self.varint()?);
        let count = self.varint().filter(|&count| count <= most)?;
        self.varint()?;
        let in_part = block.checked_div(parts).filter(|&size| size > 0 && size % 8 == 0)?;
        let mut left = count.saturating_sub(1);
        while left > 0 {
            self.varint()?;
            let widths = self.take(usize::try_from(parts).ok()?)?.to_vec();
            for width in widths {
                // What lies behind the last number may be left out.
                if left == 0 {
                    break;
                }
                self.take(usize::try_from((in_part / 8).checked_mul(u64::from(width))?).ok()?)?;
                left = left.saturating_sub(in_part);
            }
        }
        Some(count)
    }

    fn take(&mut self, count: usize) -> Option<&[u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.take(1)?[0];
            value |= u64::from(byte & 0x7F) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }
}

impl PageReader for CheckedPages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let page = self.reader.get_next_page()?;
        page.iter().try_for_each(|page| self.check(page))?;
        Ok(page.map(|page| self.without_padding(page)))
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        let page = self.reader.peek_next_page()?;
        // Where each value is one of a row, a page cannot have other rows than those: rows that are
        // passed over are counted like those that are decoded.
        let counted = |page: PageMetadata| PageMetadata { num_rows: page.num_levels, ..page };
        Ok(if self.repeats { page } else { page.map(counted) })
    }

    fn supports_deferred_dictionary(&self) -> bool {
        self.reader.supports_deferred_dictionary()
    }

    fn take_deferred_dictionary(&mut self) -> Result<Option<Page>> {
        self.reader.take_deferred_dictionary()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.reader.skip_next_page()
    }

    fn at_record_boundary(&mut self) -> Result<bool> {
        self.reader.at_record_boundary()
    }
}

impl Iterator for CheckedPages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_of_values_that_are_there_are_counted() {
        // Ten levels that are 1, then sixteen with bits of their own.
        let levels = [10 << 1, 1, 2 << 1 | 1, 0b1010_1010, 0b0000_0001];
        assert_eq!(count_of(&levels, 26, 1), Some(15));
        assert_eq!(count_of(&levels, 12, 1), Some(11));
        assert_eq!(count_of(&levels, 27, 1), None);
        // Four that are 2, then eight of two bits each: 0, 1, 2, 3 twice.
        let levels = [4 << 1, 2, 1 << 1 | 1, 0b1110_0100, 0b1110_0100];
        assert_eq!((count_of(&levels, 12, 2), count_of(&levels, 12, 3)), (Some(6), Some(2)));
    }

    #[test]
    fn levels_that_are_cut_short_count_nothing() {
        assert_eq!((count_of(&[], 1, 1), count_of(&[3], 8, 1), count_of(&[0xFF; 9], 8, 1)), (None, None, None));
    }
}
