//! Small numbers of Parquet: repeated ones as runs, others with a few bits each.
//!
//! Levels and numbers of dictionaries are written so. A mistake is told by none.

/// The numbers that are unpacked at once.
pub(crate) const UNPACKED: usize = 1024;

/// Runs of numbers of so many bits each.
pub(crate) struct Runs<'a> {
    bytes: &'a [u8],
    width: usize,
}

/// Numbers that follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Run<'a> {
    /// The same again and again.
    Repeated { number: u32, count: usize },
    /// Bits one behind the other, the lowest of each byte first.
    Packed { bytes: &'a [u8], count: usize },
}

impl<'a> Runs<'a> {
    pub(crate) fn new(bytes: &'a [u8], width: u8) -> Option<Self> {
        (width <= 32).then_some(Self { bytes, width: usize::from(width) })
    }

    /// Calls `take` with runs that have so many numbers together. None if there are fewer, or if
    /// somebody does not take one.
    pub(crate) fn each(mut self, mut count: usize, mut take: impl FnMut(Run<'a>) -> Option<()>) -> Option<()> {
        while count > 0 {
            let run = self.next()?.up_to(count);
            take(run)?;
            count -= run.count();
        }
        Some(())
    }

    fn next(&mut self) -> Option<Run<'a>> {
        let header = self.varint()?;
        // A run of nothing is none.
        let count = usize::try_from(header >> 1).ok().filter(|&count| count > 0)?;
        if header & 1 == 0 {
            let mut number = [0; 4];
            let bytes = self.take(self.width.div_ceil(8))?;
            number[..bytes.len()].copy_from_slice(bytes);
            return Some(Run::Repeated { number: u32::from_le_bytes(number), count });
        }
        // Without any bits there would be no end of numbers.
        let bytes = self.take(count.checked_mul(self.width)?).filter(|_| self.width > 0)?;
        Some(Run::Packed { bytes, count: count.checked_mul(8)? })
    }

    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(count)?;
        self.bytes = rest;
        Some(taken)
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0_u64;
        for shift in (0..35).step_by(7) {
            let byte = self.take(1)?[0];
            value |= u64::from(byte & 0x7F) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }
}

impl Run<'_> {
    fn count(&self) -> usize {
        match self {
            Self::Repeated { count, .. } | Self::Packed { count, .. } => *count,
        }
    }

    fn up_to(self, most: usize) -> Self {
        match self {
            Self::Repeated { number, count } => Self::Repeated { number, count: count.min(most) },
            Self::Packed { bytes, count } => Self::Packed { bytes, count: count.min(most) },
        }
    }
}

/// Calls `take` with numbers of so many bits each, some at a time.
pub(crate) fn unpack(bytes: &[u8], width: u8, count: usize, mut take: impl FnMut(&[u32]) -> Option<()>) -> Option<()> {
    let mut numbers = [0; UNPACKED];
    let group = usize::from(width);
    for start in (0..count).step_by(UNPACKED) {
        let here = UNPACKED.min(count - start);
        let bytes = bytes.get(start / 8 * group..)?;
        for (nth, numbers) in numbers[..here.next_multiple_of(8)].as_chunks_mut().0.iter_mut().enumerate() {
            unpack_eight(bytes.get(nth * group..(nth + 1) * group)?, group, numbers);
        }
        take(&numbers[..here])?;
    }
    Some(())
}

/// Unpacks eight numbers, which have as many bytes together as each has bits.
#[inline]
fn unpack_eight(bytes: &[u8], width: usize, numbers: &mut [u32; 8]) {
    let mut padded = [0; 40];
    padded[..bytes.len()].copy_from_slice(bytes);
    let mask = (1_u64 << width) - 1;
    for (nth, number) in numbers.iter_mut().enumerate() {
        let (byte, bit) = (nth * width / 8, nth * width % 8);
        let word = padded[byte..].first_chunk().map_or(0, |word| u64::from_le_bytes(*word));
        *number = (word >> bit & mask) as u32;
    }
}

/// Whether so many levels are all the highest one, which is 1: so all values are there.
pub(crate) fn are_all_there(levels: &[u8], count: usize) -> bool {
    let is_there = |run: Run<'_>| match run {
        Run::Repeated { number, .. } => (number == 1).then_some(()),
        Run::Packed { bytes, count } => {
            let whole = bytes[..count / 8].iter().all(|&byte| byte == 0xFF);
            let rest = (1_u8 << (count % 8)) - 1;
            (whole && (rest == 0 || bytes[count / 8] & rest == rest)).then_some(())
        }
    };
    Runs::new(levels, 1).and_then(|runs| runs.each(count, is_there)).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_width_are_unpacked() {
        let bytes: Vec<u8> = (0..32 * 300_u32).map(|place| (place * 37 % 251) as u8).collect();
        for width in 1..=32_u8 {
            let bit = |at: usize| u64::from(bytes[at / 8] >> (at % 8) & 1);
            let number = |nth: usize| {
                (0..usize::from(width)).map(|place| bit(nth * usize::from(width) + place) << place).sum::<u64>()
            };
            for count in [1, 7, 8, 9, UNPACKED, UNPACKED + 1, 2 * UNPACKED] {
                let mut found = Vec::new();
                let unpacked = unpack(&bytes, width, count, |numbers| {
                    found.extend(numbers.iter().map(|&number| u64::from(number)));
                    Some(())
                });
                assert!(unpacked.is_some() && found.into_iter().eq((0..count).map(number)), "{count} of {width} bits");
            }
            assert_eq!(unpack(&bytes[..usize::from(width)], width, 9, |_| Some(())), None);
        }
    }

    #[test]
    fn a_level_that_is_not_the_highest_is_found() {
        // Ten levels that are 1, then sixteen with bits of their own.
        let levels = |first: u8, second: u8| [10 << 1, 1, 2 << 1 | 1, first, second];
        assert!(are_all_there(&levels(0xFF, 0xFF), 26));
        assert!(are_all_there(&levels(0xFF, 0b0000_0011), 20) && !are_all_there(&levels(0xFF, 0b0000_0011), 21));
        assert!(!are_all_there(&levels(0xFE, 0xFF), 26) && are_all_there(&levels(0xFE, 0xFF), 10));
        assert!(!are_all_there(&levels(0xFF, 0b0000_0001), 20) && !are_all_there(&levels(0xFF, 0xFF), 27));
        assert!(!are_all_there(&[10 << 1, 0], 10) && !are_all_there(&[0, 1, 10 << 1, 1], 10));
    }
}
