//! A pass on several threads: its blocks are cut into sections that are walked over side by side.
//!
//! What a section's rows are depends on those before it, in the direction of the pass, only by what
//! is carried into it. The first section carries what the trace says, and all others a guess. Then,
//! in order, a section into which something else is carried is walked over again, but only until
//! the same is carried as in the first run: from there on its rows are right. So rows are those of
//! one thread whatever was guessed. Most carries die within a block, so that mostly a block is
//! repeated; at the worst it is the section, and then the pass takes as long as on one thread.
//!
//! What does not die soon mostly does not come about late either: the carry of a `G` or `F` that is
//! decided by the last states stays as it is for the whole trace. So the guess is what is carried a
//! few blocks into the first section. To compute each block for all that may come in would need no
//! guess, but is twice the work for one carry, and more for several.
//!
//! What was carried is kept after 1, 2, 4, 8… blocks, since delay lines can be long: that is
//! little, and no more than twice the blocks are repeated that have to be.

use super::walk::{Carried, Scratch, Walk};
use super::wide;
use std::ops::Range;
use std::thread;
use traceward_logic::formula::Direction;

/// The blocks of the first section after which it is guessed, at the most and as a part of it: the
/// others wait for them.
const LEAD: usize = 16;
const LEAD_PART: usize = 16;

/// Fills the outputs of a pass, in so many sections at the most; what they held is overwritten.
/// Tells how many blocks were walked over again.
pub(super) fn run(walk: &Walk<'_>, outputs: &mut [Vec<u64>], scratches: &mut Vec<Scratch>, most: usize) -> usize {
    let count = most.min(walk.block_count()).max(1);
    scratches.resize_with(scratches.len().max(count), Scratch::default);
    scratches.iter_mut().take(count).for_each(|scratch| walk.prepare(scratch));
    let mut sections = cut(walk, outputs, &mut scratches[..count]);
    let Some((first, others)) = sections.split_first_mut() else { return 0 };
    walk.begin(&mut first.scratch.carried);
    let lead = if others.is_empty() { first.blocks.len() } else { LEAD.min(first.blocks.len() / LEAD_PART) };
    first.walk_on(walk, 0..lead);
    if others.is_empty() {
        return 0;
    }
    others.iter_mut().for_each(|section| section.scratch.carried.clone_from(&first.scratch.carried));
    // Whoever made the cache has said how many threads there are to be.
    #[expect(clippy::disallowed_methods)]
    thread::scope(|scope| {
        others.iter_mut().for_each(|section| drop(scope.spawn(|| section.walk_on_trial(walk))));
        first.walk_on(walk, lead..first.blocks.len());
    });
    let correct = |index: usize| {
        let (before, behind) = sections.split_at_mut(index);
        behind[0].correct(walk, &before[index - 1].scratch.carried)
    };
    (1..count).map(correct).sum()
}

/// Blocks one behind the other.
struct Section<'s> {
    direction: Direction,
    blocks: Range<usize>,
    /// The words of these blocks in each output.
    outputs: Vec<&'s mut [u64]>,
    scratch: &'s mut Scratch,
    /// What a run on trial carried, before it began and after 1, 2, 4, 8… blocks.
    kept: Vec<Carried>,
}

/// The sections in the order of the walk, as many as there are scratches.
fn cut<'s>(walk: &Walk<'_>, outputs: &'s mut [Vec<u64>], scratches: &'s mut [Scratch]) -> Vec<Section<'s>> {
    let (count, blocks) = (scratches.len(), walk.block_count());
    let mut left: Vec<&'s mut [u64]> = outputs.iter_mut().map(Vec::as_mut_slice).collect();
    let mut section = |(index, scratch)| {
        let blocks = blocks * index / count..blocks * (index + 1) / count;
        let len = walk.words_of(blocks.clone()).len();
        let outputs = left.iter_mut().map(|left| left.split_off_mut(..len).unwrap_or_default()).collect();
        Section { direction: walk.direction(), blocks, outputs, scratch, kept: Vec::new() }
    };
    let mut sections: Vec<Section<'s>> = scratches.iter_mut().enumerate().map(&mut section).collect();
    if walk.direction() == Direction::Future {
        sections.reverse();
    }
    sections
}

/// Whether it is kept what was carried after so many blocks.
fn is_kept(blocks: usize) -> bool {
    blocks == 0 || blocks.is_power_of_two()
}

impl Section<'_> {
    /// Goes through some blocks, counted in the order of the walk.
    fn walk_on(&mut self, walk: &Walk<'_>, blocks: Range<usize>) {
        blocks.for_each(|nth| self.step(walk, nth));
    }

    /// Goes through all blocks with what was guessed.
    fn walk_on_trial(&mut self, walk: &Walk<'_>) {
        self.kept.clear();
        for nth in 0..self.blocks.len() {
            if is_kept(nth) {
                self.kept.push(self.scratch.carried.clone());
            }
            self.step(walk, nth);
        }
    }

    /// Goes through blocks again until the same is carried as on trial. Tells how many.
    fn correct(&mut self, walk: &Walk<'_>, carried: &Carried) -> usize {
        let at_the_end = std::mem::replace(&mut self.scratch.carried, carried.clone());
        let mut kept = std::mem::take(&mut self.kept).into_iter();
        for nth in 0..self.blocks.len() {
            if is_kept(nth) && kept.next().as_ref() == Some(&self.scratch.carried) {
                self.scratch.carried = at_the_end;
                return nth;
            }
            self.step(walk, nth);
        }
        self.blocks.len()
    }

    fn step(&mut self, walk: &Walk<'_>, nth: usize) {
        if walk.is_expected() && nth + 1 < self.blocks.len() {
            let next = walk.words_of(self.block(nth + 1));
            walk.expect(&next);
            let part = self.part(walk, &next);
            self.outputs.iter().for_each(|output| wide::expect(&output[part.clone()]));
        }
        let words = walk.words_of(self.block(nth));
        let part = self.part(walk, &words);
        let outputs = self.outputs.iter_mut().map(|output| &mut output[part.clone()]);
        walk.step(&words, self.scratch, outputs);
    }

    /// A block, counted in the order of the walk.
    fn block(&self, nth: usize) -> Range<usize> {
        let block = match self.direction {
            Direction::Future => self.blocks.end - 1 - nth,
            Direction::Past => self.blocks.start + nth,
        };
        block..block + 1
    }

    /// Where words of the trace are in the outputs.
    fn part(&self, walk: &Walk<'_>, words: &Range<usize>) -> Range<usize> {
        let first = walk.words_of(self.blocks.clone()).start;
        words.start - first..words.end - first
    }
}
