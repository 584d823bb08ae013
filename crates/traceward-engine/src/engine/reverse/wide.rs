//! Words of a row, eight at a time, where the processor can: AVX-512 with GFNI.
//!
//! A chain is an addition of 64 bits in each of eight lanes. Which lanes carry out by themselves,
//! and which only pass a carry on, are two masks of eight bits; adding those tells where carries
//! come in. So what waits for the eight words before is one addition, as it is for one word in
//! [`super::chain`]. Towards the past no addition carries, so that bits are reversed before and
//! after it.
//!
//! This module has the only unsafe code of the engine: it calls functions that are compiled for
//! such processors alone, loads and stores eight words through pointers, and asks for words ahead.
//! Without the first two the formula of figure 10 takes five times as long (`traceward-bench
//! reverse`). The last is for bitmaps that fit into no cache (`traceward-bench reverse-limit`).
#![allow(unsafe_code)]

use super::chain::{self, EndMask};

/// Asks for words that are read or written soon, if the processor can be asked.
pub(super) fn expect(words: &[u64]) {
    #[cfg(target_arch = "x86_64")]
    for line in words.chunks(8) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: every such processor has the instruction, and it reads nothing that is seen.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = words;
}

/// The instructions that words are worked on with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Words(Instructions);

/// Words are only ever wide on a processor that has the instructions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Instructions {
    Plain,
    #[cfg(target_arch = "x86_64")]
    Wide,
}

impl Words {
    /// One word at a time, on every processor.
    pub(super) const PLAIN: Self = Self(Instructions::Plain);

    /// The fastest way that this processor has.
    pub(super) fn fastest() -> Self {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("gfni")
        {
            return Self(Instructions::Wide);
        }
        Self::PLAIN
    }

    pub(super) fn and(self, into: &mut [u64], left: &[u64], right: &[u64]) {
        match self.0 {
            Instructions::Plain => each(into, left, right, |left, right| left & right),
            // SAFETY: words are wide only where the processor has these instructions.
            #[cfg(target_arch = "x86_64")]
            Instructions::Wide => unsafe { avx512::and(into, left, right) },
        }
    }

    pub(super) fn or(self, into: &mut [u64], left: &[u64], right: &[u64]) {
        match self.0 {
            Instructions::Plain => each(into, left, right, |left, right| left | right),
            // SAFETY: words are wide only where the processor has these instructions.
            #[cfg(target_arch = "x86_64")]
            Instructions::Wide => unsafe { avx512::or(into, left, right) },
        }
    }

    pub(super) fn not(self, into: &mut [u64], of: &[u64]) {
        match self.0 {
            Instructions::Plain => each(into, of, of, |of, _| !of),
            // SAFETY: words are wide only where the processor has these instructions.
            #[cfg(target_arch = "x86_64")]
            Instructions::Wide => unsafe { avx512::not(into, of) },
        }
    }

    /// See [`chain::chain_future`].
    pub(super) fn chain_future(self, into: &mut [u64], low: &[u64], high: &[u64], carry: &mut u64, past_end: EndMask) {
        match self.0 {
            Instructions::Plain => chain::chain_future(into, low, high, carry, past_end),
            #[cfg(target_arch = "x86_64")]
            Instructions::Wide => {
                // What lies past the end is in the last word.
                let masked = if past_end.is_nothing() { into.len() } else { into.len().saturating_sub(1) };
                let (into, last) = into.split_at_mut(masked);
                chain::chain_future(last, &low[masked..], &high[masked..], carry, past_end);
                // SAFETY: words are wide only where the processor has these instructions.
                unsafe { avx512::chain_future(into, &low[..masked], &high[..masked], carry) };
            }
        }
    }

    /// See [`chain::chain_past`].
    pub(super) fn chain_past(self, into: &mut [u64], low: &[u64], high: &[u64], carry: &mut u64) {
        match self.0 {
            Instructions::Plain => chain::chain_past(into, low, high, carry),
            // SAFETY: words are wide only where the processor has these instructions.
            #[cfg(target_arch = "x86_64")]
            Instructions::Wide => unsafe { avx512::chain_past(into, low, high, carry) },
        }
    }
}

#[inline(always)]
fn each(into: &mut [u64], left: &[u64], right: &[u64], of: impl Fn(u64, u64) -> u64) {
    into.iter_mut().zip(left.iter().zip(right)).for_each(|(into, (left, right))| *into = of(*left, *right));
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use super::{EndMask, chain, each};
    use std::arch::x86_64::{
        __m512i, _mm512_add_epi64, _mm512_cmpeq_epi64_mask, _mm512_cmplt_epu64_mask, _mm512_gf2p8affine_epi64_epi8,
        _mm512_loadu_si512, _mm512_mask_sub_epi64, _mm512_or_si512, _mm512_set1_epi64, _mm512_set4_epi64,
        _mm512_shuffle_epi8, _mm512_storeu_si512, _mm512_ternarylogic_epi64,
    };

    const LANES: usize = 8;

    /// Masks of eight bits, the other way round.
    const REVERSED: [u8; 256] = {
        let mut reversed = [0; 256];
        let mut mask = 0;
        while mask < 256 {
            reversed[mask] = (mask as u8).reverse_bits();
            mask += 1;
        }
        reversed
    };

    #[target_feature(enable = "avx512f,avx512bw,gfni")]
    pub(super) fn and(into: &mut [u64], left: &[u64], right: &[u64]) {
        each(into, left, right, |left, right| left & right);
    }

    #[target_feature(enable = "avx512f,avx512bw,gfni")]
    pub(super) fn or(into: &mut [u64], left: &[u64], right: &[u64]) {
        each(into, left, right, |left, right| left | right);
    }

    #[target_feature(enable = "avx512f,avx512bw,gfni")]
    pub(super) fn not(into: &mut [u64], of: &[u64]) {
        each(into, of, of, |of, _| !of);
    }

    #[target_feature(enable = "avx512f,avx512bw,gfni")]
    pub(super) fn chain_future(into: &mut [u64], low: &[u64], high: &[u64], carry: &mut u64) {
        let (into_rest, into) = into.as_rchunks_mut::<LANES>();
        let (low_rest, low) = low.as_rchunks::<LANES>();
        let (high_rest, high) = high.as_rchunks::<LANES>();
        let mut passed = *carry as u32;
        for index in (0..into.len()).rev() {
            let reversed = |mask: u8| u32::from(REVERSED[mask as usize]);
            let link = Link::new(load(&low[index]), load(&high[index]));
            // The first lane is the last that a carry comes to.
            let incoming = incoming(reversed(link.makes), reversed(link.passes), &mut passed);
            store(&mut into[index], link.value(REVERSED[incoming as usize]));
        }
        *carry = u64::from(passed);
        chain::chain_future(into_rest, low_rest, high_rest, carry, EndMask::new(0, false));
    }

    #[target_feature(enable = "avx512f,avx512bw,gfni")]
    pub(super) fn chain_past(into: &mut [u64], low: &[u64], high: &[u64], carry: &mut u64) {
        let (into, into_rest) = into.as_chunks_mut::<LANES>();
        let (low, low_rest) = low.as_chunks::<LANES>();
        let (high, high_rest) = high.as_chunks::<LANES>();
        let mut passed = *carry as u32;
        for (into, (low, high)) in into.iter_mut().zip(low.iter().zip(high)) {
            let link = Link::new(turned(load(low)), turned(load(high)));
            let incoming = incoming(u32::from(link.makes), u32::from(link.passes), &mut passed);
            store(into, turned(link.value(incoming)));
        }
        *carry = u64::from(passed);
        chain::chain_past(into_rest, low_rest, high_rest, carry);
    }

    /// Eight words of a chain, each by itself.
    struct Link {
        low: __m512i,
        high: __m512i,
        /// The sum of both.
        partial: __m512i,
        /// The lanes that make a carry, and those that only pass one on.
        makes: u8,
        passes: u8,
    }

    impl Link {
        #[inline]
        #[target_feature(enable = "avx512f,avx512bw,gfni")]
        fn new(low: __m512i, high: __m512i) -> Self {
            let high = _mm512_or_si512(high, low);
            let partial = _mm512_add_epi64(high, low);
            let makes = _mm512_cmplt_epu64_mask(partial, high);
            let passes = _mm512_cmpeq_epi64_mask(partial, _mm512_set1_epi64(-1));
            Self { low, high, partial, makes, passes }
        }

        /// The values where carries come into some lanes.
        #[inline]
        #[target_feature(enable = "avx512f,avx512bw,gfni")]
        fn value(self, incoming: u8) -> __m512i {
            let sum = _mm512_mask_sub_epi64(self.partial, incoming, self.partial, _mm512_set1_epi64(-1));
            // low | (high & !sum)
            _mm512_ternarylogic_epi64::<0b1111_0100>(self.low, self.high, sum)
        }
    }

    /// The lanes that a carry comes into, where bits go from lane to lane upwards.
    #[inline(always)]
    fn incoming(makes: u32, passes: u32, carry: &mut u32) -> u8 {
        let sum = makes + (makes | passes) + *carry;
        *carry = sum >> LANES;
        (sum ^ passes) as u8
    }

    /// Words with their bits the other way round.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,gfni")]
    fn turned(words: __m512i) -> __m512i {
        let matrix = _mm512_set1_epi64(0x8040_2010_0804_0201_u64.cast_signed());
        let bytes_of_both = (0x0001_0203_0405_0607, 0x0809_0a0b_0c0d_0e0f);
        let bytes = _mm512_set4_epi64(bytes_of_both.1, bytes_of_both.0, bytes_of_both.1, bytes_of_both.0);
        _mm512_shuffle_epi8(_mm512_gf2p8affine_epi64_epi8::<0>(words, matrix), bytes)
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,gfni")]
    fn load(words: &[u64; LANES]) -> __m512i {
        // SAFETY: all of the eight words are read, wherever they are.
        unsafe { _mm512_loadu_si512(words.as_ptr().cast()) }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,gfni")]
    fn store(words: &mut [u64; LANES], values: __m512i) {
        // SAFETY: all of the eight words are written, wherever they are.
        unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), values) }
    }
}

#[cfg(test)]
mod tests {
    use super::{EndMask, Words};
    use proptest::prelude::*;

    /// Words that are full, empty and at random: carries go far, and end.
    fn words() -> impl Strategy<Value = Vec<u64>> {
        let word = prop_oneof![3 => Just(u64::MAX), 2 => Just(0), 1 => Just(1), 1 => Just(1 << 63), 2 => any::<u64>()];
        proptest::collection::vec(word, 300)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

        /// All ways to work on words do the same, whatever the number of words and what comes in.
        #[test]
        fn words_are_the_same_one_at_a_time_and_eight(
            low in words(),
            high in words(),
            len in 0_usize..300,
            incoming in 0_u64..2,
            past_end in prop_oneof![Just(0), (1_u32..64).prop_map(|used| u64::MAX >> used)],
            end in any::<bool>(),
        ) {
            let (low, high) = (&low[..len], &high[..len]);
            let of = |words: Words| {
                let mut rows = vec![vec![0; len]; 5];
                let mut carries = [incoming; 2];
                words.and(&mut rows[0], low, high);
                words.or(&mut rows[1], low, high);
                words.not(&mut rows[2], low);
                words.chain_future(&mut rows[3], low, high, &mut carries[0], EndMask::new(past_end, end));
                words.chain_past(&mut rows[4], low, high, &mut carries[1]);
                (rows, carries)
            };
            prop_assert_eq!(of(Words::fastest()), of(Words::PLAIN));
        }

        /// One word at a time is what is said of a chain, bit by bit.
        #[test]
        fn chains_are_what_is_said_of_them(low in words(), high in words(), len in 0_usize..12, incoming in 0_u64..2) {
            let (low, high) = (&low[..len], &high[..len]);
            let bit = |words: &[u64], position: usize| (words[position / 64] >> (63 - position % 64)) & 1;
            let value = |position, next| bit(low, position) | (bit(high, position) & next);
            let (mut future, mut past) = (vec![0; len], vec![0; len]);
            Words::fastest().chain_future(&mut future, low, high, &mut incoming.clone(), EndMask::new(0, false));
            Words::fastest().chain_past(&mut past, low, high, &mut incoming.clone());
            let (mut ahead, mut behind) = (incoming, incoming);
            for position in 0..64 * len {
                behind = value(position, behind);
                prop_assert_eq!(bit(&past, position), behind);
                let position = 64 * len - 1 - position;
                ahead = value(position, ahead);
                prop_assert_eq!(bit(&future, position), ahead);
            }
        }
    }
}
