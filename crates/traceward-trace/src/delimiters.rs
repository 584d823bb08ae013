//! Separators and line ends of CSV, found 64 bytes at a time.
//!
//! A search from field to field has a branch whose way nobody can guess for each of them. Here
//! bytes become bits first, 64 at a time, and what is set among the bits is then written out one
//! behind the other. Processors that compare 32 or 64 bytes at once do so ([`wide`]); the others
//! compare eight, and tests hold them against each other.

use crate::swar;

/// The number of bytes that are looked at in one go: what is found of them stays in the nearest
/// cache until it is used.
const WINDOW: usize = 8 << 10;

/// The bits of 64 bytes that are of a kind, the first byte the lowest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Marks {
    separators: u64,
    line_feeds: u64,
    returns: u64,
    quotes: u64,
}

/// The marks of some bytes again and again, as often as they end where 64 bytes do.
pub(crate) fn marks_of_repeated(bytes: &[u8], separator: u8) -> Vec<Marks> {
    let times = 64 >> bytes.len().trailing_zeros().min(6);
    bytes.repeat(times).as_chunks().0.iter().map(|chunk| swar_marks(chunk, separator)).collect()
}

/// The number of bytes at the beginning of some that are delimiters and quotes where a pattern has
/// them, which begins anew behind its last marks.
pub(crate) fn repeating(bytes: &[u8], separator: u8, pattern: &[Marks]) -> usize {
    #[cfg(target_arch = "x86_64")]
    if let Some(count) = wide::repeating(bytes, separator, pattern) {
        return count;
    }
    repeating_by(bytes, pattern, |chunk| swar_marks(chunk, separator))
}

// Into the few callers, so that each has the instructions of its processor.
#[inline(always)]
fn repeating_by(bytes: &[u8], pattern: &[Marks], marks: impl Fn(&[u8; 64]) -> Marks) -> usize {
    let (chunks, rest) = bytes.as_chunks::<64>();
    let mut same = 0;
    for group in chunks.chunks(pattern.len()) {
        for (chunk, expected) in group.iter().zip(pattern) {
            let odd = marks(chunk).differing(expected);
            if odd != 0 {
                return same + odd.trailing_zeros() as usize;
            }
            same += 64;
        }
    }
    let mut chunk = [0; 64];
    chunk[..rest.len()].copy_from_slice(rest);
    let odd = marks(&chunk).differing(&pattern[chunks.len() % pattern.len()]);
    same + rest.len().min(odd.trailing_zeros() as usize)
}

/// The separators and line ends at the beginning of some bytes.
#[derive(Default)]
pub(crate) struct Delimiters {
    all: Places,
    line_ends: Places,
}

/// The room for places that are written though there are fewer.
const TOO_MUCH: usize = 16;

/// Places in order.
#[derive(Default)]
struct Places {
    /// The places, and behind them what is too much.
    places: Vec<u32>,
    count: usize,
}

impl Delimiters {
    /// Finds separators and LFs up to the first quote, and up to the first CR without a LF behind
    /// it: what comes then needs a closer look. Looks at no more than some bytes.
    pub(crate) fn find(&mut self, bytes: &[u8], separator: u8) {
        self.begin();
        let window = &bytes[..bytes.len().min(WINDOW)];
        match () {
            #[cfg(target_arch = "x86_64")]
            () if wide::find(self, window, bytes, separator) => {}
            () => self.find_by(window, bytes, |chunk| swar_marks(chunk, separator), Places::write),
        }
    }

    fn begin(&mut self) {
        self.all.begin();
        self.line_ends.begin();
    }

    /// The places that were found, behind the one before the first byte: there `u32::MAX` stands
    /// for −1.
    pub(crate) fn places(&self) -> &[u32] {
        &self.all.places[..self.all.count]
    }

    /// Those of them that are LFs.
    pub(crate) fn line_ends(&self) -> &[u32] {
        &self.line_ends.places[1..self.line_ends.count]
    }

    // Into the few callers, so that each has the instructions of its processor.
    #[inline(always)]
    fn find_by(
        &mut self,
        window: &[u8],
        bytes: &[u8],
        marks: impl Fn(&[u8; 64]) -> Marks,
        write: impl Fn(&mut Places, u64, u32),
    ) {
        let (chunks, rest) = window.as_chunks::<64>();
        let mut base = 0;
        for chunk in chunks {
            if !self.add(marks(chunk), base, bytes, &write) {
                return;
            }
            base += 64;
        }
        if !rest.is_empty() {
            let mut chunk = [0; 64];
            chunk[..rest.len()].copy_from_slice(rest);
            self.add(marks(&chunk).first(rest.len()), base, bytes, &write);
        }
    }

    /// Adds the places of 64 bytes; false if what comes behind them is not for us.
    #[inline(always)]
    fn add(&mut self, marks: Marks, base: usize, bytes: &[u8], write: &impl Fn(&mut Places, u64, u32)) -> bool {
        let odd = marks.quotes | marks.lone_returns(bytes.get(base + 64) == Some(&b'\n'));
        let plain = if odd == 0 { u64::MAX } else { (1 << odd.trailing_zeros()) - 1 };
        write(&mut self.all, (marks.separators | marks.line_feeds) & plain, base as u32);
        write(&mut self.line_ends, marks.line_feeds & plain, base as u32);
        odd == 0
    }
}

impl Places {
    /// No place but the one before the first byte.
    fn begin(&mut self) {
        if self.places.is_empty() {
            self.places = vec![u32::MAX; 1 + WINDOW + TOO_MUCH];
        }
        self.count = 1;
    }

    /// The next places to be written, counted from those that are there.
    #[inline(always)]
    fn next<const AT_ONCE: usize>(&mut self, from: usize) -> &mut [u32; AT_ONCE] {
        let next = self.places[self.count + from..].first_chunk_mut();
        next.unwrap_or_else(|| unreachable!("there is room for all bytes of a window, and more"))
    }

    /// Writes the places of bits. How many there are is what no branch predictor can know, so
    /// several are written at once, and what is too much is written over.
    #[inline(always)]
    fn write(&mut self, mut bits: u64, base: u32) {
        let count = bits.count_ones() as usize;
        for from in (0..count).step_by(8) {
            for place in self.next::<8>(from) {
                *place = base.wrapping_add(bits.trailing_zeros());
                bits &= bits.wrapping_sub(1);
            }
        }
        self.count += count;
    }
}

impl Marks {
    /// The bytes that are marked in another way.
    #[inline(always)]
    fn differing(&self, other: &Self) -> u64 {
        (self.separators ^ other.separators)
            | (self.line_feeds ^ other.line_feeds)
            | (self.returns ^ other.returns)
            | (self.quotes ^ other.quotes)
    }

    /// The marks of the first bytes alone, fewer than 64.
    fn first(self, count: usize) -> Self {
        let first = (1 << count) - 1;
        Self {
            separators: self.separators & first,
            line_feeds: self.line_feeds & first,
            returns: self.returns & first,
            quotes: self.quotes & first,
        }
    }

    /// The CRs without a LF behind them.
    #[inline(always)]
    fn lone_returns(self, is_line_feed_next: bool) -> u64 {
        self.returns & !((self.line_feeds >> 1) | (u64::from(is_line_feed_next) << 63))
    }
}

/// The marks of 64 bytes on any processor.
#[inline(always)]
fn swar_marks(chunk: &[u8; 64], separator: u8) -> Marks {
    let (words, _) = chunk.as_chunks::<8>();
    let of = |byte: u8| {
        let bits = |word: &[u8; 8]| u64::from(swar::bits_equal(u64::from_le_bytes(*word), byte));
        words.iter().rev().fold(0, |marks, word| (marks << 8) | bits(word))
    };
    Marks { separators: of(separator), line_feeds: of(b'\n'), returns: of(b'\r'), quotes: of(b'"') }
}

/// Processors that compare many bytes at once, and write many places: with 64 bytes at once four
/// times as fast as with eight, with 32 twice as fast (`bench/results/2026-11-18-reading.md`).
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "calls of functions for processors that are known to have their instructions")]
mod wide {
    use super::{Delimiters, Marks, Places, repeating_by};
    use std::arch::x86_64::{
        __m256i, __m512i, _mm256_cmpeq_epi8, _mm256_movemask_epi8, _mm256_set_epi64x, _mm256_set1_epi8,
        _mm512_add_epi32, _mm512_castsi512_si128, _mm512_cmpeq_epi8_mask, _mm512_cvtepu8_epi32,
        _mm512_extracti32x4_epi32, _mm512_maskz_compress_epi8, _mm512_set_epi64, _mm512_set1_epi8, _mm512_set1_epi32,
    };
    use std::mem::transmute;

    /// Processors that compare 64 bytes at once.
    fn has_512() -> bool {
        is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("popcnt")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vbmi2")
    }

    /// Processors that compare 32 bytes at once.
    fn has_256() -> bool {
        is_x86_feature_detected!("bmi1") && is_x86_feature_detected!("popcnt") && is_x86_feature_detected!("avx2")
    }

    /// Finds delimiters, if the processor is one of those; false if it is not.
    pub(super) fn find(delimiters: &mut Delimiters, window: &[u8], bytes: &[u8], separator: u8) -> bool {
        if has_512() {
            // SAFETY: the processor has the instructions that the function is compiled for.
            unsafe { find_512(delimiters, window, bytes, separator) };
            return true;
        }
        if has_256() {
            // SAFETY: as above.
            unsafe { find_256(delimiters, window, bytes, separator) };
            return true;
        }
        false
    }

    /// As the function of that name, if the processor is one of those.
    pub(super) fn repeating(bytes: &[u8], separator: u8, pattern: &[Marks]) -> Option<usize> {
        if has_512() {
            // SAFETY: the processor has the instructions that the function is compiled for.
            return Some(unsafe { repeating_512(bytes, separator, pattern) });
        }
        if has_256() {
            // SAFETY: as above.
            return Some(unsafe { repeating_256(bytes, separator, pattern) });
        }
        None
    }

    #[target_feature(enable = "avx512bw,bmi1")]
    fn repeating_512(bytes: &[u8], separator: u8, pattern: &[Marks]) -> usize {
        repeating_by(bytes, pattern, |chunk| marks_512(chunk, separator))
    }

    #[target_feature(enable = "avx2,bmi1")]
    fn repeating_256(bytes: &[u8], separator: u8, pattern: &[Marks]) -> usize {
        repeating_by(bytes, pattern, |chunk| marks_256(chunk, separator))
    }

    #[target_feature(enable = "avx512bw,avx512vbmi2,bmi1,popcnt")]
    fn find_512(delimiters: &mut Delimiters, window: &[u8], bytes: &[u8], separator: u8) {
        let marks = |chunk: &[u8; 64]| marks_512(chunk, separator);
        delimiters.find_by(window, bytes, marks, |places, bits, base| write_512(places, bits, base));
    }

    #[target_feature(enable = "avx2,bmi1,popcnt")]
    fn find_256(delimiters: &mut Delimiters, window: &[u8], bytes: &[u8], separator: u8) {
        delimiters.find_by(window, bytes, |chunk| marks_256(chunk, separator), Places::write);
    }

    /// As [`Places::write`], sixteen at once: the numbers of bits that are set move to the front.
    #[inline]
    #[target_feature(enable = "avx512bw,avx512vbmi2,popcnt")]
    fn write_512(places: &mut Places, bits: u64, base: u32) {
        let numbers: [u8; 64] = std::array::from_fn(|number| number as u8);
        let set = _mm512_maskz_compress_epi8(bits, load_512(&numbers));
        let count = bits.count_ones() as usize;
        for from in (0..count).step_by(16) {
            let sixteen = match from {
                0 => _mm512_castsi512_si128(set),
                16 => _mm512_extracti32x4_epi32::<1>(set),
                32 => _mm512_extracti32x4_epi32::<2>(set),
                _ => _mm512_extracti32x4_epi32::<3>(set),
            };
            let sixteen = _mm512_add_epi32(_mm512_cvtepu8_epi32(sixteen), _mm512_set1_epi32(base.cast_signed()));
            // SAFETY: both are 64 bytes, of which any are numbers.
            *places.next(from) = unsafe { transmute::<__m512i, [u32; 16]>(sixteen) };
        }
        places.count += count;
    }

    #[inline]
    #[target_feature(enable = "avx512bw")]
    pub(super) fn marks_512(chunk: &[u8; 64], separator: u8) -> Marks {
        let of = |byte: u8| _mm512_cmpeq_epi8_mask(load_512(chunk), _mm512_set1_epi8(byte.cast_signed()));
        Marks { separators: of(separator), line_feeds: of(b'\n'), returns: of(b'\r'), quotes: of(b'"') }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn marks_256(chunk: &[u8; 64], separator: u8) -> Marks {
        let (halves, _) = chunk.as_chunks::<32>();
        let of = |byte: u8| {
            let half = |half: &[u8; 32]| {
                let equal = _mm256_cmpeq_epi8(load_256(half), _mm256_set1_epi8(byte.cast_signed()));
                u64::from(_mm256_movemask_epi8(equal).cast_unsigned())
            };
            half(&halves[0]) | (half(&halves[1]) << 32)
        };
        Marks { separators: of(separator), line_feeds: of(b'\n'), returns: of(b'\r'), quotes: of(b'"') }
    }

    /// The compiler makes one load of it.
    #[inline]
    #[target_feature(enable = "avx512bw")]
    fn load_512(chunk: &[u8; 64]) -> __m512i {
        let word = |at: usize| i64::from_le_bytes(chunk.as_chunks().0[at]);
        _mm512_set_epi64(word(7), word(6), word(5), word(4), word(3), word(2), word(1), word(0))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn load_256(half: &[u8; 32]) -> __m256i {
        let word = |at: usize| i64::from_le_bytes(half.as_chunks().0[at]);
        _mm256_set_epi64x(word(3), word(2), word(1), word(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The definition: byte by byte.
    fn marks_slowly(chunk: &[u8; 64], separator: u8) -> Marks {
        let of = |byte: u8| (0..64).filter(|&at| chunk[at] == byte).fold(0, |bits, at| bits | (1 << at));
        Marks { separators: of(separator), line_feeds: of(b'\n'), returns: of(b'\r'), quotes: of(b'"') }
    }

    fn places_slowly(bytes: &[u8], separator: u8) -> Vec<u32> {
        let mut places = vec![u32::MAX];
        for (at, &byte) in bytes.iter().enumerate().take(WINDOW) {
            match byte {
                b'"' => break,
                b'\r' if bytes.get(at + 1) != Some(&b'\n') => break,
                byte if byte == separator || byte == b'\n' => places.push(at as u32),
                _ => {}
            }
        }
        places
    }

    fn agree(bytes: &[u8], separator: u8) {
        let expected = places_slowly(bytes, separator);
        let line_ends: Vec<u32> = expected[1..].iter().copied().filter(|&at| bytes[at as usize] == b'\n').collect();
        let mut delimiters = Delimiters::default();
        delimiters.find(b",\n,\n,\n", b',');
        delimiters.find(bytes, separator);
        assert_eq!((delimiters.places(), delimiters.line_ends()), (&expected[..], &line_ends[..]));
        delimiters.begin();
        let window = &bytes[..bytes.len().min(WINDOW)];
        delimiters.find_by(window, bytes, |chunk| swar_marks(chunk, separator), Places::write);
        assert_eq!((delimiters.places(), delimiters.line_ends()), (&expected[..], &line_ends[..]));
    }

    /// Bytes of which many are special, and pairs of them that carry within a word.
    fn bytes() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop_oneof![
            8 => prop::collection::vec(b'a'..b'g', 0..20),
            4 => Just(b",".to_vec()),
            4 => Just(b"\n".to_vec()),
            2 => Just(b"\r\n".to_vec()),
            2 => Just(b"-,".to_vec()),
            1 => prop::collection::vec(any::<u8>(), 0..3),
        ];
        let odd = prop_oneof![6 => Just(&b""[..]), 1 => Just(&b"\""[..]), 1 => Just(&b"\r"[..])];
        (prop::collection::vec(piece, 0..60), odd, prop::collection::vec(b'a'..b'g', 0..3))
            .prop_map(|(pieces, odd, rest)| [&pieces.concat()[..], odd, &rest].concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn delimiters_are_those_found_byte_by_byte(bytes in bytes(), separator in prop_oneof![Just(b','), Just(b';'), Just(0)]) {
            agree(&bytes, separator);
        }

        #[test]
        fn every_processor_finds_the_same(chunk in prop::collection::vec(prop_oneof![any::<u8>(), b'\n'..b'-'], 64), separator in any::<u8>()) {
            let chunk: [u8; 64] = chunk.try_into().unwrap();
            let expected = marks_slowly(&chunk, separator);
            prop_assert_eq!(swar_marks(&chunk, separator), expected);
            #[cfg(target_arch = "x86_64")]
            #[allow(unsafe_code, reason = "as where they are called")]
            {
                if is_x86_feature_detected!("avx2") {
                    // SAFETY: the processor has the instructions.
                    prop_assert_eq!(unsafe { wide::marks_256(&chunk, separator) }, expected);
                }
                if is_x86_feature_detected!("avx512bw") {
                    // SAFETY: the processor has the instructions.
                    prop_assert_eq!(unsafe { wide::marks_512(&chunk, separator) }, expected);
                }
            }
        }
    }

    /// The definition: byte by byte, until one is a delimiter or a quote where the pattern has
    /// none, or the other way round.
    fn repeating_slowly(bytes: &[u8], separator: u8, row: &[u8]) -> usize {
        let kind = |byte: u8| match byte {
            b'\n' | b'\r' | b'"' => byte,
            byte if byte == separator => byte,
            _ => b'x',
        };
        let same = |(byte, expected): &(&u8, &u8)| kind(**byte) == kind(**expected);
        bytes.iter().zip(row.iter().cycle()).take_while(same).count()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn what_repeats_ends_with_the_first_byte_that_differs(
            row in "[ab0,;]{1,40}\r?\n",
            count in 0..30_usize,
            rest in 0..40_usize,
            odd in prop::option::of((any::<prop::sample::Index>(), prop_oneof![Just(b'"'), Just(b','), Just(b'\n'), Just(b'\r'), Just(b'q')])),
        ) {
            let row = row.as_bytes();
            let mut bytes = [&row.repeat(count)[..], &row[..rest.min(row.len())]].concat();
            if let (Some((place, byte)), false) = (odd, bytes.is_empty()) {
                let place = place.index(bytes.len());
                bytes[place] = byte;
            }
            let pattern = marks_of_repeated(row, b',');
            let expected = repeating_slowly(&bytes, b',', row);
            prop_assert_eq!(repeating(&bytes, b',', &pattern), expected);
            prop_assert_eq!(repeating_by(&bytes, &pattern, |chunk| swar_marks(chunk, b',')), expected);
        }
    }

    #[test]
    fn no_more_is_looked_at_than_a_window_and_all_of_it_may_be_delimiters() {
        for byte in [b',', b'\n'] {
            let bytes = vec![byte; WINDOW + 100];
            agree(&bytes, b',');
        }
        for at in [WINDOW - 1, WINDOW, 63, 64, 127] {
            for (odd, next) in [(b'"', b'x'), (b'\r', b'x'), (b'\r', b'\n')] {
                let mut bytes = b"abc,".repeat(WINDOW / 4 + 20);
                (bytes[at], bytes[at + 1]) = (odd, next);
                agree(&bytes, b',');
            }
        }
        agree(b"", b',');
        agree(b"a,\r", b',');
    }
}
