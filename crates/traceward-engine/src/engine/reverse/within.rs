//! Whether a row is set somewhere within a distance, the position itself included: `F[0,b]` and
//! `O[0,b]`, block by block.
//!
//! Up to 63 steps, bits are spread by doubling shifts. Farther, a word has only two questions:
//! which of its positions have a set one ahead of them in the word itself, and which still see the
//! nearest one behind it. In time both are settled by the timestamps at the ends of the word,
//! unless the bound ends within it. Behind a block, what no later position sees is forgotten: walks
//! that have met different things then carry the same.

use std::ops::Range;
use traceward_logic::bitmap::Bitmap;
use traceward_logic::formula::{Direction, Unit};

const WORD: u64 = Bitmap::WORD as u64;

/// A position that no trace has.
const NOWHERE: u64 = u64::MAX;

/// A block of words and its place in the trace.
pub(super) struct Block<'a> {
    pub(super) words: &'a mut [u64],
    /// The position of the first bit.
    pub(super) start: usize,
    pub(super) direction: Direction,
}

/// How far a position sees.
#[derive(Clone, Copy)]
pub(super) enum Reach<'a> {
    /// Fewer steps than a word has positions.
    Near(u32),
    Far(u64),
    /// Nanoseconds, by these timestamps.
    Time(u64, &'a [i64]),
}

impl<'a> Reach<'a> {
    pub(super) fn new(unit: Unit, limit: u64, time: Option<&'a [i64]>) -> Self {
        match (unit, time) {
            (Unit::Steps, _) if limit < WORD => Self::Near(limit as u32),
            (Unit::Steps, _) => Self::Far(limit),
            (Unit::Time, Some(time)) => Self::Time(limit, time),
            // Without timestamps no time passes.
            (Unit::Time, None) => Self::Far(u64::MAX),
        }
    }

    /// The memory of a walk that has seen nothing yet.
    pub(super) fn nothing_seen(self, direction: Direction) -> u64 {
        match (self, direction) {
            (Self::Near(_), _) | (Self::Far(_), Direction::Past) => 0,
            (Self::Far(_), Direction::Future) | (Self::Time(..), _) => NOWHERE,
        }
    }
}

impl Block<'_> {
    /// Spreads set bits to the positions that see them. `seen` is what the walk remembers.
    pub(super) fn spread(&mut self, reach: Reach<'_>, seen: &mut u64) {
        match (reach, self.direction) {
            (Reach::Near(steps), Direction::Future) => spread_near_future(self.words, steps, seen),
            (Reach::Near(steps), Direction::Past) => spread_near_past(self.words, steps, seen),
            (Reach::Far(steps), Direction::Future) => self.spread_far_future(steps, seen),
            (Reach::Far(steps), Direction::Past) => self.spread_far_past(steps, seen),
            (Reach::Time(limit, time), Direction::Future) => self.spread_in_time::<Future>(limit, time, seen),
            (Reach::Time(limit, time), Direction::Past) => self.spread_in_time::<Past>(limit, time, seen),
        }
    }

    /// Remembers the first position that sees the nearest set one.
    fn spread_far_future(&mut self, steps: u64, first_to_see: &mut u64) {
        let mut first = *first_to_see;
        for index in (0..self.words.len()).rev() {
            let start = (self.start + index * Bitmap::WORD) as u64;
            let word = self.words[index];
            let skipped = first.saturating_sub(start);
            let behind = if skipped < WORD { u64::MAX >> skipped } else { 0 };
            self.words[index] = behind | Future::ahead(word);
            let nearest = start + u64::from(word.leading_zeros());
            first = if word == 0 { first } else { nearest.saturating_sub(steps) };
        }
        *first_to_see = if first < self.start as u64 { first } else { NOWHERE };
    }

    /// Remembers the position behind the last one that sees the nearest set one.
    fn spread_far_past(&mut self, steps: u64, behind_last: &mut u64) {
        let mut end = *behind_last;
        let mut start = self.start as u64;
        for word in &mut *self.words {
            let count = end.saturating_sub(start).min(WORD);
            let seen = Past::ahead(*word) | !u64::MAX.checked_shr(count as u32).unwrap_or(0);
            let nearest = start + (WORD - 1).saturating_sub(u64::from(word.trailing_zeros()));
            end = if *word == 0 { end } else { nearest.saturating_add(steps).saturating_add(1) };
            *word = seen;
            start += WORD;
        }
        *behind_last = if end > start { end } else { 0 };
    }

    /// Remembers the nearest set position.
    fn spread_in_time<L: Look>(&mut self, limit: u64, time: &[i64], nearest: &mut u64) {
        for nth in 0..self.words.len() {
            let index = L::nth(nth, self.words.len());
            let start = self.start + index * Bitmap::WORD;
            let times = &time[start..time.len().min(start + Bitmap::WORD)];
            let word = self.words[index];
            let behind = if *nearest == NOWHERE { 0 } else { L::seeing(time[*nearest as usize], times, limit) };
            self.words[index] = behind | ahead_in_time::<L>(word, times, limit);
            if word != 0 {
                *nearest = start as u64 + u64::from(L::nearest(word));
            }
        }
        let next = L::behind(self.start..self.start + self.words.len() * Bitmap::WORD);
        let is_far = |next: &i64| *nearest != NOWHERE && time[*nearest as usize].abs_diff(*next) > limit;
        if next.and_then(|next| time.get(next)).is_some_and(is_far) {
            *nearest = NOWHERE;
        }
    }
}

/// Shifts that together move a bit by everything from 0 to `steps`.
fn doubling(steps: u32) -> impl Iterator<Item = u32> {
    let mut covered = 0;
    std::iter::from_fn(move || {
        let shift = (covered + 1).min(steps - covered);
        covered += shift;
        (shift > 0).then_some(shift)
    })
}

/// Remembers the word behind the block.
fn spread_near_future(words: &mut [u64], steps: u32, behind: &mut u64) {
    let Some((&first, last)) = words.first().zip(words.len().checked_sub(1)) else { return };
    let mut next = std::mem::replace(behind, first);
    for shift in doubling(steps) {
        for index in 0..last {
            words[index] |= (words[index] << shift) | (words[index + 1] >> (u64::BITS - shift));
        }
        words[last] |= (words[last] << shift) | (next >> (u64::BITS - shift));
        next |= next << shift;
    }
}

/// Remembers the word before the block.
fn spread_near_past(words: &mut [u64], steps: u32, before: &mut u64) {
    let Some(&last) = words.last() else { return };
    let mut previous = std::mem::replace(before, last);
    for shift in doubling(steps) {
        for index in (1..words.len()).rev() {
            words[index] |= (words[index] >> shift) | (words[index - 1] << (u64::BITS - shift));
        }
        words[0] |= (words[0] >> shift) | (previous << (u64::BITS - shift));
        previous |= previous >> shift;
    }
}

/// The positions of a word from which a set one lies ahead in it, in time.
fn ahead_in_time<L: Look>(word: u64, times: &[i64], limit: u64) -> u64 {
    let span = times[0].abs_diff(times[times.len() - 1]);
    match word {
        0 => 0,
        _ if span <= limit => L::ahead(word),
        _ => L::ahead(word) & one_by_one::<L>(word, times, limit),
    }
}

/// The same for bounds that end within the word. Right only where a set position lies ahead.
fn one_by_one<L: Look>(word: u64, times: &[i64], limit: u64) -> u64 {
    let mut nearest = times[0];
    let mut seeing = 0;
    for nth in 0..times.len() {
        let offset = L::nth(nth, times.len());
        let (bit, time) = (Bitmap::WORD - 1 - offset, times[offset]);
        nearest = chosen((word >> bit) & 1, time, nearest);
        seeing |= u64::from(nearest.abs_diff(time) <= limit) << bit;
    }
    seeing
}

/// One of two times by a bit, without a branch: bits of rows cannot be predicted.
#[inline]
fn chosen(bit: u64, if_set: i64, if_not: i64) -> i64 {
    if_not ^ ((if_set ^ if_not) & 0_i64.wrapping_sub(bit as i64))
}

/// A direction, as a word sees it.
trait Look {
    /// The nth of some indices, in the order in which a walk meets them.
    fn nth(nth: usize, count: usize) -> usize;

    /// The position that a walk meets first behind some others.
    fn behind(positions: Range<usize>) -> Option<usize>;

    /// The positions of a word from which a set one lies ahead in it.
    fn ahead(word: u64) -> u64;

    /// The offset of the set position that those who look into the word see first.
    fn nearest(word: u64) -> u32;

    /// The positions with these timestamps that see what lies behind them at a time.
    fn seeing(behind: i64, times: &[i64], limit: u64) -> u64;
}

struct Future;

impl Look for Future {
    #[inline]
    fn nth(nth: usize, count: usize) -> usize {
        count - 1 - nth
    }

    fn behind(positions: Range<usize>) -> Option<usize> {
        positions.start.checked_sub(1)
    }

    #[inline]
    fn ahead(word: u64) -> u64 {
        word | word.wrapping_neg()
    }

    #[inline]
    fn nearest(word: u64) -> u32 {
        word.leading_zeros()
    }

    #[inline]
    fn seeing(behind: i64, times: &[i64], limit: u64) -> u64 {
        let far = |time: &i64| behind.abs_diff(*time) > limit;
        match times {
            [first, ..] if !far(first) => u64::MAX,
            [.., last] if far(last) => 0,
            _ => u64::MAX.checked_shr(times.partition_point(far) as u32).unwrap_or(0),
        }
    }
}

struct Past;

impl Look for Past {
    #[inline]
    fn nth(nth: usize, _: usize) -> usize {
        nth
    }

    fn behind(positions: Range<usize>) -> Option<usize> {
        Some(positions.end)
    }

    #[inline]
    fn ahead(word: u64) -> u64 {
        u64::MAX.checked_shr(word.leading_zeros()).unwrap_or(0)
    }

    #[inline]
    fn nearest(word: u64) -> u32 {
        u64::BITS - 1 - word.trailing_zeros()
    }

    #[inline]
    fn seeing(behind: i64, times: &[i64], limit: u64) -> u64 {
        let near = |time: &i64| behind.abs_diff(*time) <= limit;
        match times {
            [.., last] if near(last) => u64::MAX,
            [first, ..] if !near(first) => 0,
            _ => !u64::MAX.checked_shr(times.partition_point(near) as u32).unwrap_or(0),
        }
    }
}
