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

/// A bit for each byte that equals one, the first byte the lowest.
#[inline]
pub(crate) fn bits_equal(word: u64, byte: u8) -> u8 {
    let difference = word ^ (LOW * u64::from(byte));
    // Unlike in `equal` no byte may lie: none carries into the next.
    let equal = !(((difference & !HIGH) + !HIGH) | difference) & HIGH;
    // Each byte's bit goes to its place in the highest byte.
    ((equal >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
}

/// The number that 1 to 16 digits are, which lie between two positions; none if there are more or
/// others. Looks at eight bytes from where they begin, so there have to be as many.
#[inline(always)]
pub(crate) fn digits(bytes: &[u8], start: usize, stop: usize) -> Option<u64> {
    let length = stop.wrapping_sub(start);
    match length {
        1..=8 => up_to_eight(load(bytes, start)?, length),
        9..=16 => {
            let (high, low) = (up_to_eight(load(bytes, start)?, length - 8)?, up_to_eight(load(bytes, stop - 8)?, 8)?);
            Some(high * 100_000_000 + low)
        }
        _ => None,
    }
}

/// The number that the first digits of a word are, 1 to 8 of them.
#[inline(always)]
pub(crate) fn up_to_eight(word: u64, length: usize) -> Option<u64> {
    const ZEROS: u64 = LOW * b'0' as u64;
    const EXCESS: u64 = LOW * (0x80 - 10);
    // What is behind the digits falls off, and zeros come before them.
    let shift = 64 - 8 * length as u32;
    let digits = (word ^ ZEROS) << shift;
    let is_number = (((digits & !HIGH) + EXCESS) | digits) & HIGH == 0;
    is_number.then(|| of_digits(digits))
}

/// The number of eight digits, the first the lowest byte and the highest in worth: pairs, then
/// fours, then all.
#[inline(always)]
fn of_digits(digits: u64) -> u64 {
    const EVEN: u64 = 0x0000_00FF_0000_00FF;
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8);
    let high = (pairs & EVEN).wrapping_mul(100 + (1_000_000 << 32));
    let low = ((pairs >> 16) & EVEN).wrapping_mul(1 + (10_000 << 32));
    high.wrapping_add(low) >> 32
}

/// Where the digits end that begin at a position.
#[inline(always)]
pub(crate) fn digits_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    while let Some(word) = load(bytes, at) {
        let digits = word ^ (LOW * u64::from(b'0'));
        let others = FoundBytes((((digits & !HIGH) + LOW * (0x80 - 10)) | digits) & HIGH);
        match others.first() {
            Some(offset) => return at + offset,
            None => at += 8,
        }
    }
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().take_while(|byte| byte.is_ascii_digit()).count()
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
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn every_bit_of_equal_bytes_is_exact(bytes in prop::array::uniform8(prop_oneof![any::<u8>(), 0_u8..3]), sought in 0_u8..4) {
            let expected = (0..8).filter(|&at| bytes[at] == sought).fold(0, |bits, at| bits | (1 << at));
            prop_assert_eq!(bits_equal(u64::from_le_bytes(bytes), sought), expected);
        }

        #[test]
        fn digits_are_what_the_standard_library_reads(
            text in prop_oneof![3 => "[0-9]{1,18}", 1 => "[0-9]{0,9}[-+./:a ][0-9]{0,9}", 1 => "[0-9\\x00\u{ff}]{1,16}"],
            behind in "[0-9,\n]{8}",
        ) {
            let bytes = [b"7", text.as_bytes(), behind.as_bytes()].concat();
            let expected = text.parse().ok().filter(|_| text.len() <= 16 && !text.starts_with('+'));
            prop_assert_eq!(digits(&bytes, 1, 1 + text.len()), expected, "{:?}", text);
            for cut in 1..bytes.len() {
                let count = bytes[1..cut].iter().take_while(|byte| byte.is_ascii_digit()).count();
                prop_assert_eq!(digits_end(&bytes[..cut], 1), 1 + count);
            }
        }

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
