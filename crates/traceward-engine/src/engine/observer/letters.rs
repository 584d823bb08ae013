//! Letters as observers read them: the bits of the propositions that matter, eight to a byte.
//!
//! In a file, each proposition has a bitmap over positions. Eight bitmaps at a time are turned, 64
//! positions at a time, into bytes with a bit for each proposition.

use crate::saved::{Reader, RestoreError, Writer};
use traceward_logic::bitmap::Bitmap;
use traceward_logic::letter::{Letters, Proposition};

/// One letter: bit `i % 8` of byte `i / 8` is the i-th proposition that matters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum LetterBits {
    /// Up to 64 of them, in a word whose lowest byte is the first.
    Word(u64),
    /// More than 64 of them, in bytes.
    Bytes(Box<[u8]>),
}

impl LetterBits {
    #[inline]
    pub(super) fn new(propositions: &[Proposition], holds: &dyn Fn(Proposition) -> bool) -> Self {
        let bits = |some: &[Proposition]| {
            some.iter().enumerate().fold(0_u64, |bits, (bit, one)| bits | (u64::from(holds(*one)) << bit))
        };
        if propositions.len() <= 64 {
            Self::Word(bits(propositions))
        } else {
            Self::Bytes(propositions.chunks(8).map(|eight| bits(eight) as u8).collect())
        }
    }

    #[inline]
    pub(super) fn byte(&self, index: usize) -> u8 {
        match self {
            Self::Word(word) => (word >> (8 * index)) as u8,
            Self::Bytes(bytes) => bytes[index],
        }
    }
}

impl LetterBits {
    /// Writes a letter of so many propositions.
    pub(super) fn save(&self, propositions: usize, to: &mut Writer) {
        (0..propositions.div_ceil(8)).for_each(|index| to.tag(self.byte(index)));
    }

    pub(super) fn restore(propositions: usize, from: &mut Reader<'_>) -> Result<Self, RestoreError> {
        let bytes = (0..propositions.div_ceil(8)).map(|_| from.tag()).collect::<Result<Box<[u8]>, _>>()?;
        if propositions > 64 {
            return Ok(Self::Bytes(bytes));
        }
        Ok(Self::Word(bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte))))
    }
}

/// 64 letters, or what is left of the trace.
pub(super) struct LetterBlock<'a> {
    /// The position of the first letter.
    pub(super) start: usize,
    /// The number of letters.
    pub(super) len: usize,
    /// For each eight propositions, a byte for each letter.
    pub(super) bytes: &'a [[u8; 64]],
    /// The letters that differ from the one before, a bit for each with the first one's on top; all
    /// letters if that does not matter.
    pub(super) changes: u64,
}

/// The letters of a trace, block by block.
pub(super) struct Blocks<'a> {
    bitmaps: Vec<&'a Bitmap>,
    len: usize,
    /// Whether only letters that differ from the one before are of interest.
    only_changes: bool,
    next: usize,
    bytes: Vec<[u8; 64]>,
}

impl<'a> Blocks<'a> {
    pub(super) fn new(letters: &'a Letters, propositions: &[Proposition], only_changes: bool) -> Self {
        let bitmaps: Vec<&Bitmap> = propositions.iter().map(|one| letters.bitmap(*one)).collect();
        let bytes = vec![[0; 64]; bitmaps.len().div_ceil(8)];
        Self { bitmaps, len: letters.len, only_changes, next: 0, bytes }
    }

    /// The next block, in which there is a letter of interest.
    #[inline]
    pub(super) fn next(&mut self) -> Option<LetterBlock<'_>> {
        let mut changes = 0;
        while changes == 0 {
            if self.next * 64 >= self.len {
                return None;
            }
            changes = if self.only_changes { self.changes(self.next) } else { u64::MAX };
            self.next += 1;
        }
        let index = self.next - 1;
        for (eight, bytes) in self.bitmaps.chunks(8).zip(&mut self.bytes) {
            transpose(eight, index, bytes);
        }
        let start = index * 64;
        Some(LetterBlock { start, len: (self.len - start).min(64), bytes: &self.bytes, changes })
    }

    /// The letters of a block that differ from the one before. The very first letter does.
    fn changes(&self, index: usize) -> u64 {
        let first = u64::from(index == 0) << 63;
        self.bitmaps.iter().fold(first, |changes, bitmap| {
            let word = bitmap.words()[index];
            let before = if index == 0 { word >> 63 } else { bitmap.words()[index - 1] & 1 };
            changes | (word ^ ((word >> 1) | (before << 63)))
        })
    }
}

/// Turns up to eight words, whose top bit is the first position, into a byte for each position.
#[inline]
fn transpose(bitmaps: &[&Bitmap], index: usize, bytes: &mut [u8; 64]) {
    let mut words = [0_u64; 8];
    for (word, bitmap) in words.iter_mut().zip(bitmaps) {
        *word = bitmap.words()[index];
    }
    for lane in 0..8 {
        let mut square = 0_u64;
        for (row, word) in words.iter().enumerate() {
            square |= (word >> (56 - 8 * lane) & 0xFF) << (8 * row);
        }
        // Bit r of each byte belongs to position 7 - r of the lane.
        let turned = transpose_square(square).to_be_bytes();
        bytes[8 * lane..8 * lane + 8].copy_from_slice(&turned);
    }
}

/// The transpose of eight bytes as a matrix of bits.
#[inline]
fn transpose_square(mut square: u64) -> u64 {
    let mut swap = |shift: u32, mask: u64| {
        let moved = (square ^ (square >> shift)) & mask;
        square ^= moved ^ (moved << shift);
    };
    swap(7, 0x00AA_00AA_00AA_00AA);
    swap(14, 0x0000_CCCC_0000_CCCC);
    swap(28, 0x0000_0000_F0F0_F0F0);
    square
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_hold_the_bits_of_the_bitmaps() {
        let len = 200;
        let bit = |proposition: usize, position: usize| (position * 7 + proposition * proposition * 13) % 11 < 4;
        let bitmaps: Vec<Bitmap> = (0..11).map(|one| (0..len).map(|position| bit(one, position)).collect()).collect();
        let letters = Letters { len, bitmaps, time: None };
        let propositions: Vec<Proposition> = (0..11).filter(|one| *one != 5).map(Proposition).collect();
        let mut blocks = Blocks::new(&letters, &propositions, false);
        let mut seen = 0;
        while let Some(block) = blocks.next() {
            for offset in 0..block.len {
                let row = LetterBits::new(&propositions, &|one| bit(one.index(), block.start + offset));
                for (index, bytes) in block.bytes.iter().enumerate() {
                    assert_eq!(bytes[offset], row.byte(index));
                }
                seen += 1;
            }
        }
        assert_eq!(seen, len);
    }

    #[test]
    fn rows_have_a_bit_for_each_proposition_however_many() {
        for count in [0, 1, 8, 9, 63, 64, 65, 130] {
            let propositions: Vec<Proposition> = (0..count).map(|index| Proposition(index * 2)).collect();
            for one in 0..count {
                let row = LetterBits::new(&propositions, &|proposition| proposition.0 == one * 2);
                for byte in 0..count.div_ceil(8) {
                    let expected = if byte == one / 8 { 1 << (one % 8) } else { 0 };
                    assert_eq!(row.byte(byte as usize), expected, "{one} of {count}");
                }
            }
        }
    }

    #[test]
    fn blocks_without_a_change_are_left_out() {
        let mut bitmap = Bitmap::filled(640, false);
        bitmap.set(300, true);
        bitmap.set(448, true);
        bitmap.set(449, true);
        let letters = Letters { len: 640, bitmaps: vec![bitmap], time: None };
        let mut blocks = Blocks::new(&letters, &[Proposition(0)], true);
        let mut changed = Vec::new();
        while let Some(block) = blocks.next() {
            changed.extend((0..block.len).filter(|bit| block.changes << bit >> 63 == 1).map(|bit| block.start + bit));
        }
        assert_eq!(changed, [0, 300, 301, 448, 450]);
    }
}
