//! Texts kept once, each with a number.

use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;

/// Different texts, each kept once, numbered in order of first appearance.
#[derive(Debug, Default)]
pub(crate) struct Dictionary {
    texts: Vec<Arc<str>>,
    table: Table,
}

impl Dictionary {
    /// The number of a text. There are never more texts than states, which are counted in 32 bits.
    #[inline]
    pub(crate) fn intern(&mut self, text: &str) -> u32 {
        self.intern_digest(Digest::of(text.as_bytes()), text)
    }

    /// The number of a text as most are; none, and it is not kept, if it is not like that.
    #[inline]
    pub(crate) fn intern_plain(&mut self, text: &[u8]) -> Option<u32> {
        Digest::of_plain(text).map(|digest| self.intern_digest(digest, ""))
    }

    /// The number of a text whose digest is known. Of a text that is its digest nothing else is
    /// looked at.
    #[inline]
    fn intern_digest(&mut self, digest: Digest, text: &str) -> u32 {
        match self.table.find(digest, |code| self.is_text(code, digest, text)) {
            Some(code) => code,
            None => self.insert(digest, text),
        }
    }

    /// Whether the text of a number, which has the same digest, is this one.
    #[inline]
    fn is_text(&self, code: u32, digest: Digest, text: &str) -> bool {
        digest.is_whole() || *self.texts[code as usize] == *text
    }

    fn insert(&mut self, digest: Digest, text: &str) -> u32 {
        let code = self.texts.len() as u32;
        self.texts.push(match digest.whole() {
            Some(whole) => whole.as_str().into(),
            None => text.into(),
        });
        self.table.insert(digest, code);
        code
    }

    /// The texts, by their numbers.
    pub(crate) fn texts(&self) -> &[Arc<str>] {
        &self.texts
    }

    pub(crate) fn into_texts(self) -> Vec<Arc<str>> {
        self.texts
    }
}

/// Texts that get their numbers later, many at once.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    digests: Vec<Digest>,
    /// The texts that are longer than a digest, one behind the other, and where each ends.
    long: String,
    ends: Vec<usize>,
}

impl Texts {
    #[inline]
    pub(crate) fn push(&mut self, text: &str) {
        let digest = Digest::of(text.as_bytes());
        if !digest.is_whole() {
            self.long.push_str(text);
            self.ends.push(self.long.len());
        }
        self.digests.push(digest);
    }

    /// Adds a text as most are; false, and nothing is added, if it is not like that.
    #[inline]
    pub(crate) fn push_plain(&mut self, text: &[u8]) -> bool {
        let digest = Digest::of_plain(text);
        self.digests.extend(digest);
        digest.is_some()
    }

    /// Adds an integer as it is written.
    #[inline]
    pub(crate) fn push_int(&mut self, int: i64) {
        let mut digits = [0; 20];
        let mut start = digits.len();
        let mut rest = int.unsigned_abs();
        while rest >= 100 {
            start -= 2;
            digits[start..start + 2].copy_from_slice(&PAIRS[(rest % 100) as usize]);
            rest /= 100;
        }
        let pair = PAIRS[rest as usize];
        let count = if rest >= 10 { 2 } else { 1 };
        start -= count;
        digits[start..start + count].copy_from_slice(&pair[2 - count..]);
        if int < 0 {
            start -= 1;
            digits[start] = b'-';
        }
        match &digits[start..] {
            text if text.len() <= LONGEST_WHOLE => self.digests.push(Digest::of(text)),
            text => self.push(&String::from_utf8_lossy(text)),
        }
    }

    /// Makes room for so many texts.
    pub(crate) fn reserve(&mut self, count: usize) {
        self.digests.reserve(count);
    }

    /// The number of texts.
    pub(crate) fn len(&self) -> usize {
        self.digests.len()
    }

    /// Drops the texts from this one on.
    pub(crate) fn truncate(&mut self, len: usize) {
        let kept = self.digests[..len].iter().filter(|digest| !digest.is_whole()).count();
        self.digests.truncate(len);
        self.ends.truncate(kept);
        self.long.truncate(self.ends.last().copied().unwrap_or(0));
    }

    /// Calls `take` with the number of each text, in order.
    ///
    /// A table of a million keys does not fit a cache, and every look into it is a wait. So it is
    /// looked at for several texts first, which the processor waits for together.
    pub(crate) fn number(&self, dictionary: &mut Dictionary, mut take: impl FnMut(u32)) {
        const TOGETHER: usize = 32;
        let mut start = 0;
        let mut ends = self.ends.iter();
        for digests in self.digests.chunks(TOGETHER) {
            let near = digests.iter().fold(0, |near, digest| near ^ dictionary.table.look(*digest));
            std::hint::black_box(near);
            for &digest in digests {
                let mut text = "";
                if !digest.is_whole()
                    && let Some(&end) = ends.next()
                {
                    text = &self.long[start..end];
                    start = end;
                }
                take(dictionary.intern_digest(digest, text));
            }
        }
    }
}

/// The digits of all numbers of two.
const PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[0; 2]; 100];
    let mut number = 0;
    while number < 100 {
        pairs[number] = [b'0' + number as u8 / 10, b'0' + number as u8 % 10];
        number += 1;
    }
    pairs
};

/// A table from digests to numbers. Short texts stand in it whole, so that they need not be looked
/// for elsewhere to be compared. It is our own because no other lets several texts be looked for
/// together.
#[derive(Debug, Default)]
struct Table {
    /// A power of two of them, or none; at least one in four is free.
    slots: Vec<Slot>,
    count: usize,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    digest: Digest,
    code: u32,
}

/// The number of a slot that is free. There are never as many states.
const FREE: u32 = u32::MAX;

impl Table {
    /// The number of an entry with a digest that is the one.
    #[inline]
    fn find(&self, digest: Digest, is_it: impl Fn(u32) -> bool) -> Option<u32> {
        let mask = self.slots.len().checked_sub(1)?;
        let mut place = digest.hash() & mask;
        loop {
            let slot = self.slots[place];
            if slot.code == FREE {
                return None;
            }
            if slot.digest == digest && is_it(slot.code) {
                return Some(slot.code);
            }
            place = (place + 1) & mask;
        }
    }

    /// Looks at where a digest is likely to be.
    #[inline]
    fn look(&self, digest: Digest) -> u32 {
        match self.slots.len() {
            0 => 0,
            count => self.slots[digest.hash() & (count - 1)].code,
        }
    }

    fn insert(&mut self, digest: Digest, code: u32) {
        if (self.count + 1) * 4 > self.slots.len() * 3 {
            self.grow();
        }
        self.put(Slot { digest, code });
        self.count += 1;
    }

    fn put(&mut self, slot: Slot) {
        let mask = self.slots.len() - 1;
        let mut place = slot.digest.hash() & mask;
        while self.slots[place].code != FREE {
            place = (place + 1) & mask;
        }
        self.slots[place] = slot;
    }

    fn grow(&mut self) {
        let free = Slot { digest: Digest([0; 2]), code: FREE };
        let larger = vec![free; (self.slots.len() * 2).max(16)];
        let slots = std::mem::replace(&mut self.slots, larger);
        slots.into_iter().filter(|slot| slot.code != FREE).for_each(|slot| self.put(slot));
    }
}

/// A short text and its length, or the hash of a longer one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Digest([u64; 2]);

/// The longest text that is its digest.
const LONGEST_WHOLE: usize = 15;

/// The byte of a digest that has the length.
const LENGTH_SHIFT: u32 = 56;

impl Digest {
    #[inline]
    fn of(text: &[u8]) -> Self {
        let length = (text.len() as u64) << LENGTH_SHIFT;
        match text.len() {
            0 => Self([0, length]),
            count @ 1..4 => {
                // The first, the middle and the last byte, some of which may be the same.
                let at = |place: usize| u64::from(text[place]) << (8 * place);
                Self([at(0) | at(count / 2) | at(count - 1), length])
            }
            count @ 4..8 => {
                // The last four bytes have the same in common with the first four as their places.
                Self([four(text) | four(&text[count - 4..]) << (8 * (count - 4)), length])
            }
            8 => Self([eight(text), length]),
            count @ 9..=LONGEST_WHOLE => {
                // The last eight bytes without those that are among the first.
                let others = eight(&text[count - 8..]) >> (8 * (16 - count));
                Self([eight(text), others | length])
            }
            _ => {
                let mut hasher = rustc_hash::FxBuildHasher.build_hasher();
                hasher.write(text);
                Self([hasher.finish(), u64::MAX])
            }
        }
    }

    /// The digest of a text as most are: ASCII, and short enough to be its digest, but not empty.
    #[inline]
    fn of_plain(text: &[u8]) -> Option<Self> {
        const TOP: u64 = u64::from_ne_bytes([0x80; 8]);
        if !(1..=LONGEST_WHOLE).contains(&text.len()) {
            return None;
        }
        let digest = Self::of(text);
        let is_ascii = (digest.0[0] | digest.0[1]) & TOP == 0;
        is_ascii.then_some(digest)
    }

    /// Whether no other text has the same.
    #[inline]
    fn is_whole(self) -> bool {
        self.0[1] >> LENGTH_SHIFT <= LONGEST_WHOLE as u64
    }

    /// The text, if it is the digest.
    fn whole(self) -> Option<Whole> {
        self.is_whole().then(|| {
            let [first, second] = self.0.map(u64::to_le_bytes);
            let mut bytes = [0; 16];
            bytes[..8].copy_from_slice(&first);
            bytes[8..].copy_from_slice(&second);
            Whole { bytes, length: usize::from(second[7]) }
        })
    }

    #[inline]
    fn hash(self) -> usize {
        let Self([one, other]) = self;
        let product = u128::from(one ^ 0x9E37_79B9_7F4A_7C15) * u128::from(other ^ 0xD6E8_FEB8_6659_FD93);
        ((product as u64) ^ ((product >> 64) as u64)) as usize
    }
}

/// A text that was a digest.
struct Whole {
    bytes: [u8; 16],
    length: usize,
}

impl Whole {
    fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[..self.length]).expect("digests are made of texts")
    }
}

#[inline]
fn four(bytes: &[u8]) -> u64 {
    bytes.first_chunk().map_or(0, |bytes| u64::from(u32::from_le_bytes(*bytes)))
}

#[inline]
fn eight(bytes: &[u8]) -> u64 {
    bytes.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    /// Zero bytes, common beginnings and ends, and lengths around those of words.
    fn texts() -> Vec<String> {
        let mut texts = vec![String::new(), "é".repeat(4), "é".repeat(7)];
        for length in 1..40 {
            for place in 0..length {
                for byte in ['\0', 'a', '\u{7f}'] {
                    let mut text = vec!['a'; length];
                    text[place] = byte;
                    texts.push(text.into_iter().collect());
                }
            }
        }
        texts
    }

    #[test]
    fn texts_of_all_lengths_are_told_apart() {
        let texts = texts();
        let (mut one_by_one, mut many) = (Dictionary::default(), Dictionary::default());
        let mut known: HashMap<&str, u32> = HashMap::new();
        let mut later = Texts::default();
        let mut expected = Vec::new();
        for text in texts.iter().chain(&texts) {
            let next = known.len() as u32;
            expected.push(*known.entry(text).or_insert(next));
            assert_eq!(Some(one_by_one.intern(text)), expected.last().copied(), "{text:?}");
            later.push(text);
        }
        let mut found = Vec::new();
        later.number(&mut many, |code| found.push(code));
        assert_eq!(found, expected);
        assert_eq!(many.texts(), one_by_one.texts());
        let texts = many.into_texts();
        assert_eq!(texts.len(), known.len());
        assert!(known.iter().all(|(text, code)| *texts[*code as usize] == **text));
    }

    #[test]
    fn plain_texts_have_the_numbers_of_others() {
        let (mut plainly, mut otherwise) = (Texts::default(), Texts::default());
        let (mut dictionary, mut plain) = (Dictionary::default(), Dictionary::default());
        for text in texts() {
            let is_plain = plainly.push_plain(text.as_bytes());
            assert_eq!(is_plain, (1..=LONGEST_WHOLE).contains(&text.len()) && text.is_ascii(), "{text:?}");
            assert_eq!(plain.intern_plain(text.as_bytes()), is_plain.then(|| dictionary.intern(&text)), "{text:?}");
            if is_plain {
                otherwise.push(&text);
            }
        }
        assert!(!plainly.push_plain(b"\xff") && plain.intern_plain(b"\xc3\x28").is_none());
        assert_eq!(plainly.digests, otherwise.digests);
    }

    #[test]
    fn integers_are_texts_as_they_are_written() {
        let mut texts = Texts::default();
        let mut expected = Texts::default();
        let ints = (0..19).flat_map(|power| [10_i64.pow(power) - 1, 10_i64.pow(power), 7 * 10_i64.pow(power % 18)]);
        let ints: Vec<i64> = ints.flat_map(|int| [int, -int]).chain([i64::MIN, i64::MAX, 0, 5, 42, -42]).collect();
        for &int in &ints {
            texts.push_int(int);
            expected.push(&int.to_string());
        }
        assert_eq!((texts.digests, texts.long, texts.ends), (expected.digests, expected.long, expected.ends));
    }

    #[test]
    fn texts_that_were_dropped_are_gone() {
        let all = ["a", "a text that is longer", "b", "another one of many bytes", "c"];
        for len in 0..=all.len() {
            let (mut texts, mut expected) = (Texts::default(), Texts::default());
            all.iter().for_each(|text| texts.push(text));
            texts.truncate(len);
            all[..len].iter().for_each(|text| expected.push(text));
            assert_eq!((texts.digests, texts.long, texts.ends), (expected.digests, expected.long, expected.ends));
        }
    }

    #[test]
    fn only_short_texts_are_their_digests() {
        assert!(Digest::of(b"").is_whole() && Digest::of(&[0xFF; 15]).is_whole());
        assert!(!Digest::of(&[b'a'; 16]).is_whole());
    }
}
