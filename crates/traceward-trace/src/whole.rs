//! Whole columns of a table, with a place for each row that is filled from any side.
//!
//! Blocks ([`Block`]) are filled side by side, too, but are copied when they join the states before
//! them, by one thread. Where it is known how many rows there are and that each has a value, those
//! who decode a table write values where they stay. Whatever is not as plain as that is refused:
//! then the table is read block by block, and nothing is left of what was tried.

use crate::block::Block;
use crate::options::ReadOptions;
use crate::table::{Bits, TableBlock, packed};
use std::sync::atomic::{AtomicU64, Ordering};
use traceward_logic::bitmap::Bitmap;
use traceward_logic::value::ValueType;

/// What the values of a column are, all of which are there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WholeKind {
    /// Booleans.
    Bools,
    /// Integers.
    Ints,
    /// Floats.
    Floats,
    /// Moments in nanoseconds since 1970.
    Moments,
}

/// The columns of a table, with a place for each row.
pub struct WholeTable<'o> {
    block: Block<'o>,
    rows: u32,
    columns: Vec<Places>,
}

/// The places of a column.
enum Places {
    /// The table does not have it.
    Nothing,
    /// Parts that are filled by several threads have words in common.
    Bits(Vec<AtomicU64>),
    Ints(Vec<i64>),
    Floats(Vec<f64>),
    /// The timestamps, as numbers of so many nanoseconds; where parts of them begin.
    Times {
        times: Vec<i64>,
        unit: i64,
        starts: Vec<usize>,
    },
}

impl<'o> WholeTable<'o> {
    /// Places for so many rows with values of these kinds, one for each name of the options. None
    /// if values of such a kind are not taken as they are.
    pub(crate) fn new(
        block: Block<'o>,
        options: &ReadOptions,
        kinds: &[Option<WholeKind>],
        rows: usize,
    ) -> Option<Self> {
        if kinds.len() != options.time_slots().end {
            return None;
        }
        let columns = kinds.iter().enumerate().map(|(field, &kind)| {
            let Some(kind) = kind else { return Some(Places::Nothing) };
            match options.time_slots().contains(&field) {
                true => Places::of_times(block.time_unit(kind)?, rows),
                false => Places::of_values(block.plain_type(field)?, kind, rows),
            }
        });
        Some(Self { columns: columns.collect::<Option<_>>()?, rows: rows.try_into().ok()?, block })
    }

    /// The columns, whose places are to be filled.
    pub fn columns(&mut self) -> Vec<WholeColumn<'_>> {
        let rows = self.rows as usize;
        self.columns.iter_mut().map(|places| WholeColumn { rest: places.rest(rows) }).collect()
    }

    /// The table as a block, once all places are filled. None if time decreases.
    pub fn finish(self) -> Option<TableBlock<'o>> {
        let Self { mut block, rows, columns } = self;
        for (field, places) in columns.into_iter().enumerate() {
            match places {
                Places::Nothing => {}
                Places::Bits(words) => {
                    let words = words.into_iter().map(AtomicU64::into_inner).collect();
                    block.columns[field].adopt_bools(Bitmap::from_words(words, rows as usize));
                }
                Places::Ints(ints) => block.columns[field].adopt_ints(ints),
                Places::Floats(floats) => block.columns[field].adopt_floats(floats),
                Places::Times { times, starts, .. } => {
                    let is_ordered = |&start: &usize| start == 0 || times[start - 1] <= times[start];
                    if !starts.iter().all(is_ordered) {
                        return None;
                    }
                    block.times = times;
                }
            }
        }
        block.lines.push_many(1, rows);
        block.len = rows;
        Some(TableBlock::of_rows(block, u64::from(rows)))
    }
}

impl Places {
    fn of_values(ty: ValueType, kind: WholeKind, rows: usize) -> Option<Self> {
        match (ty, kind) {
            (ValueType::Boolean, WholeKind::Bools | WholeKind::Ints) => {
                Some(Self::Bits((0..rows.div_ceil(Bitmap::WORD)).map(|_| AtomicU64::new(0)).collect()))
            }
            (ValueType::Number, WholeKind::Ints | WholeKind::Moments) => Some(Self::Ints(vec![0; rows])),
            (ValueType::Number, WholeKind::Floats) => Some(Self::Floats(vec![0.0; rows])),
            _ => None,
        }
    }

    fn of_times(unit: i64, rows: usize) -> Option<Self> {
        Some(Self::Times { times: vec![0; rows], unit, starts: Vec::new() })
    }

    fn rest(&mut self, rows: usize) -> Rest<'_> {
        match self {
            Self::Nothing => Rest::Nothing,
            Self::Bits(words) => Rest::Bits { words, next: 0, rows },
            Self::Ints(ints) => Rest::Ints(ints),
            Self::Floats(floats) => Rest::Floats(floats),
            Self::Times { times, unit, starts } => Rest::Times { times, unit: *unit, starts, next: 0 },
        }
    }
}

/// A column of a table, of which the places of the first rows have been given away.
pub struct WholeColumn<'a> {
    rest: Rest<'a>,
}

enum Rest<'a> {
    Nothing,
    Bits { words: &'a [AtomicU64], next: usize, rows: usize },
    Ints(&'a mut [i64]),
    Floats(&'a mut [f64]),
    Times { times: &'a mut [i64], unit: i64, starts: &'a mut Vec<usize>, next: usize },
}

impl<'a> WholeColumn<'a> {
    /// The places of the next rows, so many; none if there are fewer.
    pub fn part(&mut self, rows: usize) -> Option<ColumnPart<'a>> {
        let places = match &mut self.rest {
            Rest::Nothing => return None,
            Rest::Bits { words, next, rows: all } => {
                let end = next.checked_add(rows).filter(|end| end <= all)?;
                PartPlaces::Bits { words, next: std::mem::replace(next, end), end }
            }
            Rest::Ints(ints) => PartPlaces::Ints(ints.split_off_mut(..rows)?),
            Rest::Floats(floats) => PartPlaces::Floats(floats.split_off_mut(..rows)?),
            Rest::Times { times, unit, starts, next } => {
                let times = times.split_off_mut(..rows)?;
                if rows > 0 {
                    starts.push(*next);
                }
                *next += rows;
                PartPlaces::Times { times, unit: *unit, last: i64::MIN }
            }
        };
        Some(ColumnPart { places })
    }
}

/// The places of a column in rows that follow each other. Each of the functions that fill them
/// takes the next values, and returns whether it does: values that are not plain, or are too many,
/// are refused.
pub struct ColumnPart<'a> {
    places: PartPlaces<'a>,
}

enum PartPlaces<'a> {
    Bits { words: &'a [AtomicU64], next: usize, end: usize },
    Ints(&'a mut [i64]),
    Floats(&'a mut [f64]),
    Times { times: &'a mut [i64], unit: i64, last: i64 },
}

impl ColumnPart<'_> {
    /// The number of rows whose values have not come yet.
    pub fn left(&self) -> usize {
        match &self.places {
            PartPlaces::Bits { next, end, .. } => end - next,
            PartPlaces::Ints(ints) => ints.len(),
            PartPlaces::Floats(floats) => floats.len(),
            PartPlaces::Times { times, .. } => times.len(),
        }
    }

    /// Whether values become bits, so that integers that are 0 or 1 may come as such.
    pub fn takes_bits(&self) -> bool {
        matches!(self.places, PartPlaces::Bits { .. })
    }

    /// Takes booleans.
    #[must_use]
    pub fn bools(&mut self, bits: Bits<'_>) -> bool {
        let PartPlaces::Bits { words, next, end } = &mut self.places else { return false };
        if bits.len() > *end - *next {
            return false;
        }
        for (index, word) in bits.words().enumerate() {
            set_bits(words, *next + index * Bitmap::WORD, word);
        }
        *next += bits.len();
        true
    }

    /// Takes the same boolean for so many rows.
    #[must_use]
    pub fn bool_again(&mut self, bit: bool, count: usize) -> bool {
        let PartPlaces::Bits { words, next, end } = &mut self.places else { return false };
        if count > *end - *next {
            return false;
        }
        if bit {
            for start in (0..count).step_by(Bitmap::WORD) {
                let beyond = Bitmap::WORD - (count - start).min(Bitmap::WORD);
                set_bits(words, *next + start, u64::MAX << beyond);
            }
        }
        *next += count;
        true
    }

    /// Takes integers, or moments.
    #[must_use]
    pub fn ints(&mut self, values: &[i64]) -> bool {
        match &mut self.places {
            PartPlaces::Bits { .. } => {
                let bits = packed(values);
                bits.as_ref().and_then(|bits| Bits::new(bits, 0, values.len())).is_some_and(|bits| self.bools(bits))
            }
            PartPlaces::Ints(ints) => copy(ints, values),
            PartPlaces::Floats(_) => false,
            PartPlaces::Times { times, unit, last } => {
                let limit = (i64::MAX / *unit).unsigned_abs();
                let fits = values.iter().all(|count| count.unsigned_abs() <= limit);
                let is_ordered = values.first().is_none_or(|first| *last <= *first) && values.is_sorted();
                let Some(places) = times.split_off_mut(..values.len()).filter(|_| fits && is_ordered) else {
                    return false;
                };
                places.iter_mut().zip(values).for_each(|(place, count)| *place = count * *unit);
                *last = values.last().copied().unwrap_or(*last);
                true
            }
        }
    }

    /// Takes floats.
    #[must_use]
    pub fn floats(&mut self, values: &[f64]) -> bool {
        match &mut self.places {
            // A NaN is a missing value.
            PartPlaces::Floats(floats) => !values.iter().any(|float| float.is_nan()) && copy(floats, values),
            _ => false,
        }
    }
}

/// Sets the bits of a word, the first the highest, from a position on.
fn set_bits(words: &[AtomicU64], position: usize, word: u64) {
    let (index, shift) = (position / Bitmap::WORD, position % Bitmap::WORD);
    words[index].fetch_or(word >> shift, Ordering::Relaxed);
    // What is shifted out is no more than the bits that are there.
    if shift > 0 && word << (Bitmap::WORD - shift) != 0 {
        words[index + 1].fetch_or(word << (Bitmap::WORD - shift), Ordering::Relaxed);
    }
}

fn copy<T: Copy>(places: &mut &mut [T], values: &[T]) -> bool {
    let Some(places) = places.split_off_mut(..values.len()) else { return false };
    places.copy_from_slice(values);
    true
}
