//! A row as it is a number of steps on: what lower bounds in steps are made of.
//!
//! The words that a walk has met are kept in a ring, only as many as the delay needs, so that they
//! are still in a cache when they are met again.

use super::chain::EndMask;
use traceward_logic::bitmap::Bitmap;
use traceward_logic::formula::Direction;

/// The number of steps, and what stands for positions that the trace does not have.
#[derive(Clone, Copy)]
pub(super) struct Delay {
    pub(super) steps: u64,
    pub(super) end: bool,
    pub(super) direction: Direction,
    pub(super) word_count: usize,
}

/// The words of the block that is walked over: `start` is the index of the first.
pub(super) struct Step<'a> {
    pub(super) into: &'a mut [u64],
    pub(super) of: &'a [u64],
    pub(super) start: usize,
    pub(super) past_end: u64,
}

impl Delay {
    /// The steps as words and positions; none if no position sees another.
    fn parts(self) -> Option<(usize, u32)> {
        let words = usize::try_from(self.steps / Bitmap::WORD as u64).ok()?;
        (words < self.word_count).then_some((words, (self.steps % Bitmap::WORD as u64) as u32))
    }

    /// The words of a ring for blocks of a length.
    pub(super) fn ring_len(self, block: usize) -> usize {
        let kept = self.parts().map_or(0, |(words, _)| (words + 1 + block).min(self.word_count));
        kept.max(block).next_power_of_two()
    }

    /// Takes a block into the ring, whose length is a power of two, and gives the delayed one.
    pub(super) fn step(self, ring: &mut [u64], step: Step<'_>) {
        let fill = if self.end { u64::MAX } else { 0 };
        let Some((words, bits)) = self.parts() else { return step.into.fill(fill) };
        let mask = ring.len() - 1;
        let slot = step.start & mask;
        ring[slot..slot + step.of.len()].copy_from_slice(step.of);
        let ring = &mut ring[..=mask];
        if let Some(last) = (step.start + step.of.len()).checked_sub(1)
            && self.direction == Direction::Future
        {
            ring[last & mask] = EndMask::new(step.past_end, self.end).apply(ring[last & mask]);
        }
        let word = |index: usize| if index < self.word_count { ring[index & mask] } else { fill };
        for (index, into) in (step.start..).zip(step.into) {
            *into = match self.direction {
                Direction::Future => {
                    (word(index + words) << bits) | (word(index + words + 1) >> 1 >> (u64::BITS - 1 - bits))
                }
                // Indices below zero wrap to ones that the trace does not have.
                Direction::Past => {
                    let near = index.wrapping_sub(words);
                    (word(near) >> bits) | (word(near.wrapping_sub(1)) << 1 << (u64::BITS - 1 - bits))
                }
            };
        }
    }
}
