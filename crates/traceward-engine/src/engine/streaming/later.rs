//! Positions that are looked at again a fixed number of steps later.
//!
//! They are kept as words of bits, of which those without any are left out and those that repeat
//! are counted. So little is kept where it is asked seldom, and where it is asked all the time; and
//! in between a position is a bit, which is set and looked at without a branch.

use crate::saved::{Reader, RestoreError, Writer};
use std::collections::VecDeque;

const WORD: u64 = u64::BITS as u64;

/// An index that no word has.
const NO_WORD: u64 = u64::MAX;

/// Words one after the other with the same bits, of which the lowest is the first position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Stretch {
    /// The index of the first word.
    first: u64,
    count: u64,
    bits: u64,
}

impl Stretch {
    fn first_position(self) -> u64 {
        self.first * WORD + u64::from(self.bits.trailing_zeros())
    }

    fn last_position(self) -> u64 {
        (self.first + self.count) * WORD - 1 - u64::from(self.bits.leading_zeros())
    }
}

/// A word.
#[derive(Clone, Copy, Debug)]
struct Word {
    index: u64,
    bits: u64,
}

impl Word {
    #[inline]
    fn holds(self, position: u64) -> bool {
        (self.bits >> (position % WORD)) & 1 == 1
    }

    /// The word without the positions before one.
    fn since(self, position: u64) -> Option<Stretch> {
        let before = position.saturating_sub(self.index.saturating_mul(WORD));
        let bits = if before < WORD { self.bits & (u64::MAX << before) } else { 0 };
        (bits != 0).then_some(Stretch { first: self.index, count: 1, bits })
    }
}

/// The positions, which go in and come out in order.
#[derive(Clone, Debug)]
pub(super) struct Positions {
    /// The words between the two that are at work.
    words: VecDeque<Stretch>,
    /// The word that positions go into.
    filling: Word,
    /// The word that positions come out of, unless it is still being filled.
    draining: Word,
    /// The number of positions that have gone in and not come out.
    count: u64,
}

impl Default for Positions {
    fn default() -> Self {
        let (filling, draining) = (Word { index: 0, bits: 0 }, Word { index: NO_WORD, bits: 0 });
        Self { words: VecDeque::new(), filling, draining, count: 0 }
    }
}

impl Positions {
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The number of entries that are kept.
    pub fn len(&self) -> usize {
        self.words.len() + usize::from(!self.is_empty())
    }

    /// Takes note of the next position, which may be one of them.
    #[inline]
    pub fn push(&mut self, position: u64, is_one: bool) {
        if position / WORD != self.filling.index {
            self.fill_next(position / WORD);
        }
        self.filling.bits |= u64::from(is_one) << (position % WORD);
        self.count += u64::from(is_one);
    }

    fn fill_next(&mut self, index: u64) {
        let Word { index: first, bits } = std::mem::replace(&mut self.filling, Word { index, bits: 0 });
        match self.words.back_mut() {
            _ if bits == 0 => {}
            Some(last) if last.bits == bits && last.first + last.count == first => last.count += 1,
            _ => self.words.push_back(Stretch { first, count: 1, bits }),
        }
    }

    /// Whether the next position that was not taken is one of them.
    #[inline]
    pub fn take(&mut self, position: u64) -> bool {
        let index = position / WORD;
        let is_one = if index == self.filling.index {
            self.filling.holds(position)
        } else {
            if index != self.draining.index {
                self.drain_next(index);
            }
            self.draining.holds(position)
        };
        self.count -= u64::from(is_one);
        is_one
    }

    fn drain_next(&mut self, index: u64) {
        self.draining = Word { index, bits: 0 };
        let Some(first) = self.words.front_mut().filter(|first| first.first == index) else { return };
        self.draining.bits = first.bits;
        (first.first, first.count) = (first.first + 1, first.count - 1);
        if first.count == 0 {
            self.words.pop_front();
        }
    }

    /// All that there are, those before `since` having been taken.
    fn stretches(&self, since: u64) -> impl Iterator<Item = Stretch> {
        let draining = self.draining.since(since).filter(|_| self.draining.index != NO_WORD);
        draining.into_iter().chain(self.words.iter().copied()).chain(self.filling.since(since))
    }

    /// The first and the last one, those before `since` having been taken.
    pub fn ends(&self, since: u64) -> Option<(u64, u64)> {
        let first = self.stretches(since).next()?.first_position();
        Some((first, self.stretches(since).last()?.last_position()))
    }

    pub fn save(&self, since: u64, to: &mut Writer) {
        to.size(self.stretches(since).count());
        for Stretch { first, count, bits } in self.stretches(since) {
            [first, count, bits].into_iter().for_each(|number| to.number(number));
        }
    }

    /// Reads positions from `since` on, after so many states.
    pub fn restore(from: &mut Reader<'_>, since: u64, states: u64) -> Result<Self, RestoreError> {
        let mut positions = Self::default();
        positions.filling.index = states.saturating_sub(1) / WORD;
        let mut before = 0;
        for _ in 0..from.count()? {
            let stretch = Stretch { first: from.number()?, count: from.number()?, bits: from.number()? };
            let ends_in_time = stretch.first.checked_add(stretch.count).is_some_and(|end| end <= states.div_ceil(WORD));
            let is_right = ends_in_time && stretch.first >= before && stretch.count > 0 && stretch.bits != 0;
            if !is_right || stretch.first_position() < since || stretch.last_position() >= states {
                return Err(RestoreError::Damaged);
            }
            before = stretch.first + stretch.count;
            positions.add(stretch);
        }
        Ok(positions)
    }

    fn add(&mut self, stretch: Stretch) {
        self.count += stretch.count * u64::from(stretch.bits.count_ones());
        let is_last = stretch.first + stretch.count > self.filling.index;
        let rest = stretch.count - u64::from(is_last);
        if is_last {
            self.filling.bits = stretch.bits;
        }
        if rest > 0 {
            self.words.push_back(Stretch { count: rest, ..stretch });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Positions;
    use proptest::prelude::*;

    /// Words that are full, empty, alike and different, with gaps between those that are alike.
    fn words() -> impl Strategy<Value = Vec<u64>> {
        proptest::collection::vec(prop_oneof![Just(0), Just(u64::MAX), Just(5), any::<u64>()], 1..12)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

        #[test]
        fn positions_come_out_as_they_went_in(words in words(), delay in 1_u64..500) {
            let is_one = |position: u64| (words[(position / 64) as usize] >> (position % 64)) & 1 == 1;
            let mut positions = Positions::default();
            for position in 0..64 * words.len() as u64 {
                positions.push(position, is_one(position));
                if let Some(taken) = position.checked_sub(delay) {
                    prop_assert_eq!(positions.take(taken), is_one(taken), "{} of {}", taken, position);
                }
                let since = (position + 1).saturating_sub(delay);
                let mut left = (since..=position).filter(|position| is_one(*position));
                let first = left.next();
                prop_assert_eq!(positions.ends(since), first.map(|first| (first, left.next_back().unwrap_or(first))));
                prop_assert_eq!(positions.is_empty(), first.is_none());
            }
        }
    }

    #[test]
    fn words_that_repeat_are_counted() {
        let mut positions = Positions::default();
        (0..64 * 1000).for_each(|position| positions.push(position, position % 2 == 0));
        assert_eq!(positions.len(), 2);
    }
}
