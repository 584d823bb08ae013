//! One bit per position.
//!
//! Position `j` lives in word `j / 64` at bit `63 - j % 64`, so that position `j + 1` is the bit
//! *below* position `j`. A future operator computes position `j` from `j + 1`; with this layout
//! that dependency runs from low bits to high bits, which is the direction in which an addition
//! carries. See `traceward-engine`'s reverse traversal.

use std::fmt;
use std::ops::Range;

/// A sequence of bits, one per position. Bits past the end are zero.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct Bitmap {
    words: Vec<u64>,
    len: usize,
}

impl Bitmap {
    /// Positions in one word.
    pub const WORD: usize = 64;

    /// No positions yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// No positions yet, with room for some.
    pub fn with_capacity(positions: usize) -> Self {
        Self { words: Vec::with_capacity(positions.div_ceil(Self::WORD)), len: 0 }
    }

    /// `len` positions, all alike.
    pub fn filled(len: usize, bit: bool) -> Self {
        let fill = if bit { u64::MAX } else { 0 };
        Self::from_words(vec![fill; len.div_ceil(Self::WORD)], len)
    }

    /// Takes words in the layout described above; bits past `len` are cleared.
    ///
    /// # Panics
    /// If there are not exactly as many words as `len` needs.
    pub fn from_words(words: Vec<u64>, len: usize) -> Self {
        assert_eq!(words.len(), len.div_ceil(Self::WORD), "words for {len} positions");
        let mut bitmap = Self { words, len };
        bitmap.clear_past_the_end();
        bitmap
    }

    /// Reads a text such as `"0110"`, position 0 first. For tests and examples.
    ///
    /// # Panics
    /// If the text has any other character.
    pub fn from_text(text: &str) -> Self {
        text.chars()
            .map(|c| match c {
                '0' => false,
                '1' => true,
                other => panic!("a bitmap is written with 0 and 1, not {other:?}"),
            })
            .collect()
    }

    /// The number of positions.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no positions.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The words, in the layout described above.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// The words, given away: for use of their memory.
    pub fn into_words(self) -> Vec<u64> {
        self.words
    }

    /// The bit at a position.
    ///
    /// # Panics
    /// If there is no such position.
    #[inline]
    pub fn get(&self, position: usize) -> bool {
        assert!(position < self.len, "position {position} of {}", self.len);
        self.words[position / Self::WORD] & Self::mask(position) != 0
    }

    /// Sets the bit at a position.
    ///
    /// # Panics
    /// If there is no such position.
    #[inline]
    pub fn set(&mut self, position: usize, bit: bool) {
        assert!(position < self.len, "position {position} of {}", self.len);
        let word = &mut self.words[position / Self::WORD];
        if bit {
            *word |= Self::mask(position);
        } else {
            *word &= !Self::mask(position);
        }
    }

    /// Adds a position at the end.
    #[inline]
    pub fn push(&mut self, bit: bool) {
        if self.len.is_multiple_of(Self::WORD) {
            self.words.push(0);
        }
        if let Some(last) = self.words.last_mut() {
            *last |= u64::from(bit) << (Self::WORD - 1 - self.len % Self::WORD);
        }
        self.len += 1;
    }

    /// Adds `count` equal positions at the end.
    pub fn push_many(&mut self, bit: bool, count: usize) {
        let used = self.len % Self::WORD;
        if let Some(last) = self.words.last_mut().filter(|_| bit && used > 0) {
            *last |= u64::MAX >> used;
        }
        self.len += count;
        self.words.resize(self.len.div_ceil(Self::WORD), if bit { u64::MAX } else { 0 });
        self.clear_past_the_end();
    }

    /// Adds the positions of another bitmap at the end.
    pub fn append(&mut self, other: &Self) {
        let used = self.len % Self::WORD;
        if used == 0 {
            self.words.extend_from_slice(&other.words);
        } else {
            for word in &other.words {
                if let Some(last) = self.words.last_mut() {
                    *last |= word >> used;
                }
                self.words.push(word << (Self::WORD - used));
            }
        }
        self.len += other.len;
        self.words.truncate(self.len.div_ceil(Self::WORD));
    }

    /// The number of bits that are set.
    pub fn count_ones(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The positions whose bit is set, in order.
    pub fn ones(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(index, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                (rest != 0).then(|| {
                    let offset = rest.leading_zeros() as usize;
                    rest &= !(1 << (Self::WORD - 1 - offset));
                    index * Self::WORD + offset
                })
            })
        })
    }

    /// The first position from `from` on whose bit is set.
    pub fn first_one_from(&self, from: usize) -> Option<usize> {
        let (index, offset) = (from / Self::WORD, from % Self::WORD);
        let first = self.words.get(index)? & (u64::MAX >> offset);
        let rest = self.words[index + 1..].iter().copied();
        let (skipped, word) = std::iter::once(first).chain(rest).enumerate().find(|(_, word)| *word != 0)?;
        Some((index + skipped) * Self::WORD + word.leading_zeros() as usize)
    }

    /// The last position up to `to` whose bit is set.
    pub fn last_one_up_to(&self, to: usize) -> Option<usize> {
        let to = to.min(self.len.checked_sub(1)?);
        let (index, offset) = (to / Self::WORD, to % Self::WORD);
        let last = self.words[index] & (u64::MAX << (Self::WORD - 1 - offset));
        let rest = self.words[..index].iter().rev().copied();
        let (skipped, word) = std::iter::once(last).chain(rest).enumerate().find(|(_, word)| *word != 0)?;
        Some((index - skipped) * Self::WORD + Self::WORD - 1 - word.trailing_zeros() as usize)
    }

    /// The bits, in order.
    pub fn iter(&self) -> impl Iterator<Item = bool> + '_ {
        (0..self.len).map(|position| self.get(position))
    }

    /// The complement.
    pub fn complement(mut self) -> Self {
        for word in &mut self.words {
            *word = !*word;
        }
        self.clear_past_the_end();
        self
    }

    /// The intersection with another bitmap of the same length.
    ///
    /// # Panics
    /// If the lengths differ.
    pub fn and(mut self, other: &Self) -> Self {
        assert_eq!(self.len, other.len);
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word &= other;
        }
        self
    }

    /// The bits at these positions, in this order.
    pub fn gather(&self, positions: &[u32]) -> Self {
        let word = |positions: &[u32]| {
            let bits = positions.iter().fold(0, |bits, &position| bits << 1 | u64::from(self.get(position as usize)));
            bits << (Self::WORD - positions.len())
        };
        Self::from_words(positions.chunks(Self::WORD).map(word).collect(), positions.len())
    }

    /// The bits of some positions that follow each other.
    ///
    /// # Panics
    /// If there are no such positions.
    pub fn slice(&self, positions: Range<usize>) -> Self {
        assert!(positions.end <= self.len, "positions {positions:?} of {}", self.len);
        let (whole, part) = (positions.start / Self::WORD, positions.start % Self::WORD);
        let word = |index: usize| self.words.get(whole + index).copied().unwrap_or(0);
        let sliced = |index: usize| match part {
            0 => word(index),
            part => (word(index) << part) | (word(index + 1) >> (Self::WORD - part)),
        };
        let count = positions.len().div_ceil(Self::WORD);
        Self::from_words((0..count).map(sliced).collect(), positions.len())
    }

    /// The bits this many positions later; those that fall behind the end are lost, and the first
    /// ones are zero.
    pub fn delayed(&self, steps: usize) -> Self {
        let (whole, part) = (steps / Self::WORD, steps % Self::WORD);
        let word = |index: Option<usize>| index.map_or(0, |index| self.words[index]);
        let delayed = |index: usize| {
            let upper = word(index.checked_sub(whole)) >> part;
            let lower = if part == 0 { 0 } else { word(index.checked_sub(whole + 1)) << (Self::WORD - part) };
            upper | lower
        };
        Self::from_words((0..self.words.len()).map(delayed).collect(), self.len)
    }

    fn mask(position: usize) -> u64 {
        1 << (Self::WORD - 1 - position % Self::WORD)
    }

    fn clear_past_the_end(&mut self) {
        let used = self.len % Self::WORD;
        if used != 0
            && let Some(last) = self.words.last_mut()
        {
            *last &= u64::MAX << (Self::WORD - used);
        }
    }
}

impl FromIterator<bool> for Bitmap {
    fn from_iter<I: IntoIterator<Item = bool>>(bits: I) -> Self {
        let mut bitmap = Self::new();
        bitmap.extend(bits);
        bitmap
    }
}

/// The word that is filled is kept apart from those that are.
impl Extend<bool> for Bitmap {
    #[inline]
    fn extend<I: IntoIterator<Item = bool>>(&mut self, bits: I) {
        let mut used = self.len % Self::WORD;
        let mut word = if used == 0 { 0 } else { self.words.pop().unwrap_or_default() };
        word >>= (Self::WORD - used) % Self::WORD;
        for bit in bits {
            word = (word << 1) | u64::from(bit);
            used += 1;
            if used == Self::WORD {
                self.words.push(word);
                (word, used) = (0, 0);
            }
        }
        if used > 0 {
            self.words.push(word << (Self::WORD - used));
        }
        self.len = self.words.len() * Self::WORD - (Self::WORD - used) % Self::WORD;
    }
}

/// `0110…`, position 0 first.
impl fmt::Display for Bitmap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text: String = self.iter().map(|bit| if bit { '1' } else { '0' }).collect();
        f.write_str(&text)
    }
}

impl fmt::Debug for Bitmap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bitmap({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn position_zero_is_the_highest_bit() {
        let bitmap = Bitmap::from_text("100");
        assert_eq!(bitmap.words(), [1 << 63]);
        assert_eq!(bitmap.to_string(), "100");
    }

    #[test]
    fn complement_leaves_nothing_past_the_end() {
        for len in [0, 1, 63, 64, 65, 128] {
            let bitmap = Bitmap::filled(len, false).complement();
            assert_eq!(bitmap.count_ones(), len);
            assert_eq!(bitmap, Bitmap::filled(len, true));
        }
    }

    #[test]
    fn ones_lists_set_positions_in_order() {
        let mut bitmap = Bitmap::filled(130, false);
        for position in [0, 63, 64, 129] {
            bitmap.set(position, true);
        }
        assert_eq!(bitmap.ones().collect::<Vec<_>>(), [0, 63, 64, 129]);
        assert_eq!(bitmap.gather(&[129, 1, 0]).to_string(), "101");
        for from in 0..200 {
            assert_eq!(bitmap.first_one_from(from), bitmap.ones().find(|&position| position >= from), "{from}");
            assert_eq!(bitmap.last_one_up_to(from), bitmap.ones().filter(|&one| one <= from).last(), "{from}");
        }
    }

    #[test]
    fn slices_have_the_bits_of_their_positions() {
        let bits: Vec<bool> = (0..200).map(|position| position % 3 == 0 || position % 7 == 2).collect();
        let bitmap: Bitmap = bits.iter().copied().collect();
        for start in [0, 1, 63, 64, 65, 127, 128, 200] {
            for end in (start..=200).filter(|end| end % 13 == 0 || end % 64 < 2 || *end == 200) {
                assert_eq!(bitmap.slice(start..end), bits[start..end].iter().copied().collect(), "{start}..{end}");
            }
        }
    }

    #[test]
    fn delayed_bits_are_those_of_earlier_positions() {
        let bits: Vec<bool> = (0..200).map(|position| position % 3 == 0 || position % 7 == 2).collect();
        for len in [0, 1, 63, 64, 65, 130, 200] {
            let bitmap: Bitmap = bits[..len].iter().copied().collect();
            for steps in [0, 1, 5, 63, 64, 65, 128, 199, 1000] {
                let at = |position: usize| position.checked_sub(steps).is_some_and(|earlier| bits[earlier]);
                assert_eq!(bitmap.delayed(steps), (0..len).map(at).collect(), "{len} {steps}");
            }
        }
    }

    #[test]
    fn added_bits_are_those_pushed_one_by_one() {
        for len in [0, 1, 63, 64, 65, 128, 130] {
            for more in [0, 1, 5, 63, 64, 65, 127, 128, 200] {
                let at = |position: usize| position.is_multiple_of(3) || position % 5 == 1;
                let pushed = |bits: &mut dyn Iterator<Item = bool>| {
                    let mut bitmap = Bitmap::new();
                    bits.for_each(|bit| bitmap.push(bit));
                    bitmap
                };
                let mut extended = pushed(&mut (0..len).map(at));
                extended.extend((len..len + more).map(at));
                assert_eq!(extended, pushed(&mut (0..len + more).map(at)), "{len} {more}");
                for bit in [false, true] {
                    let mut many = pushed(&mut (0..len).map(at));
                    many.push_many(bit, more);
                    assert_eq!(
                        many,
                        pushed(&mut (0..len + more).map(|position| if position < len { at(position) } else { bit }))
                    );
                }
            }
        }
    }

    #[test]
    fn appended_bits_come_behind() {
        for len in [0, 1, 63, 64, 65, 128, 130] {
            for more in [0, 1, 5, 63, 64, 65, 127, 128, 200] {
                let bits: Vec<bool> = (0..len + more).map(|at| at % 3 == 0 || at % 5 == 1).collect();
                let mut bitmap: Bitmap = bits[..len].iter().copied().collect();
                bitmap.append(&bits[len..].iter().copied().collect());
                assert_eq!(bitmap, bits.iter().copied().collect(), "{len} and {more}");
            }
        }
    }

    #[test]
    fn push_many_is_repeated_push() {
        let mut at_once = Bitmap::from_text("101");
        at_once.push_many(false, 70);
        at_once.push_many(true, 3);
        let one_by_one: Bitmap = [true, false, true].into_iter().chain([false; 70]).chain([true; 3]).collect();
        assert_eq!(at_once, one_by_one);
    }
}
