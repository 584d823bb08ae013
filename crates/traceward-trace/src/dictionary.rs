//! Texts kept once, each with a number.

use hashbrown::HashTable;
use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;

/// Different texts, each kept once, numbered in order of first appearance.
///
/// A table of a million keys does not fit a cache, and every look into memory is a wait. So short
/// texts stand in the table itself, and need not be looked for elsewhere to be compared.
#[derive(Debug, Default)]
pub(crate) struct Dictionary {
    texts: Vec<Arc<str>>,
    entries: HashTable<Entry>,
    last: u32,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    digest: Digest,
    code: u32,
}

impl Dictionary {
    /// The number of a text. There are never more texts than states, which are counted in 32 bits.
    #[inline]
    pub(crate) fn intern(&mut self, text: &str) -> u32 {
        // Logs often repeat the previous value, and comparing is cheaper than hashing.
        if self.texts.get(self.last as usize).is_some_and(|last| **last == *text) {
            return self.last;
        }
        let digest = Digest::of(text.as_bytes());
        let texts = &self.texts;
        let is_it =
            |entry: &Entry| entry.digest == digest && (digest.is_whole() || *texts[entry.code as usize] == *text);
        self.last = match self.entries.find(digest.hash(), is_it) {
            Some(entry) => entry.code,
            None => self.insert(text, digest),
        };
        self.last
    }

    pub(crate) fn into_texts(self) -> Vec<Arc<str>> {
        self.texts
    }

    fn insert(&mut self, text: &str, digest: Digest) -> u32 {
        let code = self.texts.len() as u32;
        self.texts.push(text.into());
        self.entries.insert_unique(digest.hash(), Entry { digest, code }, |entry| entry.digest.hash());
        code
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
            ..8 => Self([text.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)), length]),
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

    /// Whether no other text has the same.
    #[inline]
    fn is_whole(self) -> bool {
        self.0[1] >> LENGTH_SHIFT <= LONGEST_WHOLE as u64
    }

    #[inline]
    fn hash(self) -> u64 {
        let Self([one, other]) = self;
        let product = u128::from(one ^ 0x9E37_79B9_7F4A_7C15) * u128::from(other ^ 0xD6E8_FEB8_6659_FD93);
        (product as u64) ^ ((product >> 64) as u64)
    }
}

#[inline]
fn eight(bytes: &[u8]) -> u64 {
    bytes.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn texts_of_all_lengths_are_told_apart() {
        // Zero bytes, common beginnings and ends, and lengths around those of words.
        let mut texts = vec![String::new()];
        for length in 1..40 {
            for place in 0..length {
                for byte in ['\0', 'a', '\u{7f}'] {
                    let mut text = vec!['a'; length];
                    text[place] = byte;
                    texts.push(text.into_iter().collect());
                }
            }
        }
        let mut dictionary = Dictionary::default();
        let mut known: HashMap<&str, u32> = HashMap::new();
        for text in texts.iter().chain(&texts) {
            let next = known.len() as u32;
            let expected = *known.entry(text).or_insert(next);
            assert_eq!(dictionary.intern(text), expected, "{text:?}");
        }
        let texts = dictionary.into_texts();
        assert_eq!(texts.len(), known.len());
        assert!(known.iter().all(|(text, code)| *texts[*code as usize] == **text));
    }

    #[test]
    fn only_short_texts_are_their_digests() {
        assert!(Digest::of(b"").is_whole() && Digest::of(&[0xFF; 15]).is_whole());
        assert!(!Digest::of(&[b'a'; 16]).is_whole());
    }
}
