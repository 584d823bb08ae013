//! Eight bytes at a time, in one ordinary register.
//!
//! Fields and strings are mostly shorter than eight bytes, where a call into `memchr` costs more
//! than it saves, and a loop over bytes is mispredicted whenever their length changes.

const LOW: u64 = u64::MAX / 255;
const HIGH: u64 = LOW << 7;

/// The bytes of a word that fulfil some condition: the lowest set bit is in the first of them;
/// higher bits may lie.
#[derive(Clone, Copy)]
pub(crate) struct FoundBytes(u64);

impl FoundBytes {
    /// The first byte found.
    #[inline]
    pub(crate) fn first(self) -> Option<usize> {
        (self.0 != 0).then_some(self.0.trailing_zeros() as usize / 8)
    }

    /// The bytes that either search found.
    #[inline]
    pub(crate) fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// Eight bytes from a position on, if there are as many.
#[inline]
pub(crate) fn load(bytes: &[u8], at: usize) -> Option<u64> {
    let (word, _) = bytes.get(at..)?.split_first_chunk()?;
    Some(u64::from_le_bytes(*word))
}

/// Finds bytes that equal one.
#[inline]
pub(crate) fn equal(word: u64, byte: u8) -> FoundBytes {
    let difference = word ^ (LOW * u64::from(byte));
    FoundBytes(difference.wrapping_sub(LOW) & !difference & HIGH)
}

/// Finds bytes below 0x20 and above 0x7F.
#[inline]
pub(crate) fn control_or_not_ascii(word: u64) -> FoundBytes {
    FoundBytes((word.wrapping_sub(LOW * 0x20) | word) & HIGH)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_first_byte_is_exact(bytes in any::<[u8; 8]>(), sought in any::<u8>(), at in 0..8_usize) {
            let mut planted = bytes;
            planted[at] = sought;
            for bytes in [bytes, planted] {
                let word = load(&bytes, 0).unwrap();
                prop_assert_eq!(equal(word, sought).first(), bytes.iter().position(|&byte| byte == sought));
                let special = bytes.iter().position(|&byte| !(0x20..0x80).contains(&byte));
                prop_assert_eq!(control_or_not_ascii(word).first(), special);
            }
        }
    }
}
