//! One pass, block by block: the operations of a block, and what is carried from it to the next.

use super::chain::{EndMask, shift_future, shift_past};
use super::delay::{Delay, Step};
use super::run::{Cut, Filled};
use super::schedule::{Extent, Operation, Pass, Register};
use super::wide::{self, Words};
use super::within::{self, Reach};
use std::ops::Range;
use traceward_logic::bitmap::Bitmap;
use traceward_logic::formula::Direction;

/// A pass over some rows. A walk into the future starts at the last block, one into the past at the
/// first; within a block words are in trace order. A walk itself never changes: threads share it.
pub(super) struct Walk<'a> {
    pass: &'a Pass,
    filled: Filled<'a>,
    rows: &'a [Bitmap],
    block: usize,
    word_count: usize,
    /// Whether blocks are asked for before they are read and written.
    is_expected: bool,
    words: Words,
}

/// What is carried from a block to the next, which is all that later blocks know of earlier ones:
/// walks that carry the same go on alike.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(in crate::engine) struct Carried {
    /// For each operation, what it remembers. Most remember the value beyond the block: 0 or 1.
    values: Vec<u64>,
    /// For each operation, the words that it will look at again.
    rings: Vec<Vec<u64>>,
}

/// What a thread needs for a walk.
#[derive(Clone, Debug, Default)]
pub(in crate::engine) struct Scratch {
    registers: Vec<u64>,
    pub(super) carried: Carried,
}

impl<'a> Walk<'a> {
    pub(super) fn new(pass: &'a Pass, filled: Filled<'a>, rows: &'a [Bitmap], cut: Cut) -> Self {
        let word_count = filled.letters.len.div_ceil(Bitmap::WORD);
        let is_expected = word_count >= cut.least_expected;
        Self { pass, filled, rows, block: cut.block, word_count, is_expected, words: Words::fastest() }
    }

    pub(super) fn direction(&self) -> Direction {
        self.pass.direction
    }

    pub(super) fn block_count(&self) -> usize {
        self.word_count.div_ceil(self.block)
    }

    /// The words of some blocks.
    pub(super) fn words_of(&self, blocks: Range<usize>) -> Range<usize> {
        blocks.start * self.block..(blocks.end * self.block).min(self.word_count)
    }

    /// Makes room for the registers.
    pub(super) fn prepare(&self, scratch: &mut Scratch) {
        let len = self.pass.operations.len() * self.block;
        if scratch.registers.len() < len {
            scratch.registers.resize(len, 0);
        }
    }

    /// Carries what stands for positions that the trace does not have.
    pub(super) fn begin(&self, carried: &mut Carried) {
        let operations = &self.pass.operations;
        let time = self.filled.letters.time.as_deref();
        carried.values.clear();
        carried.values.extend(operations.iter().map(|operation| match *operation {
            Operation::Shift { end, .. } | Operation::Chain { end, .. } => u64::from(end),
            Operation::Within { unit, limit, .. } => {
                Reach::new(unit, self.filled.limit(unit, limit), time).nothing_seen(self.pass.direction)
            }
            _ => 0,
        }));
        carried.rings.resize_with(operations.len(), Vec::new);
        for (ring, operation) in carried.rings.iter_mut().zip(operations) {
            ring.resize(self.ring_len(*operation), 0);
        }
    }

    /// The words of all rings.
    pub(super) fn ring_words(&self) -> usize {
        self.pass.operations.iter().map(|operation| self.ring_len(*operation)).sum()
    }

    /// The number of words, and of operations on words.
    pub(super) fn words(&self) -> usize {
        self.word_count
    }

    pub(super) fn work(&self) -> usize {
        self.word_count.saturating_mul(self.pass.operations.len())
    }

    fn ring_len(&self, operation: Operation) -> usize {
        match operation {
            Operation::Delay { steps, end, .. } => self.delay(steps, end).ring_len(self.block),
            _ => 0,
        }
    }

    fn delay(&self, steps: u64, end: bool) -> Delay {
        Delay { steps, end, direction: self.pass.direction, word_count: self.word_count }
    }

    /// Goes through the words of a block, and writes what they come to.
    pub(super) fn step<'o>(
        &self,
        words: &Range<usize>,
        scratch: &mut Scratch,
        outputs: impl Iterator<Item = &'o mut [u64]>,
    ) {
        for (index, operation) in self.pass.operations.iter().enumerate() {
            self.operate(index, *operation, scratch, words);
        }
        for (output, (register, _)) in outputs.zip(&self.pass.outputs) {
            output.copy_from_slice(self.register(*register, &scratch.registers, words));
        }
    }

    /// Whether blocks are asked for before they are read and written.
    pub(super) fn is_expected(&self) -> bool {
        self.is_expected
    }

    /// Asks for what a block reads.
    pub(super) fn expect(&self, words: &Range<usize>) {
        for operation in &self.pass.operations {
            match *operation {
                Operation::Proposition(proposition) | Operation::NotProposition(proposition) => {
                    wide::expect(&self.filled.letters.bitmap(proposition).words()[words.clone()]);
                }
                Operation::Row(row) => wide::expect(&self.rows[row.0 as usize].words()[words.clone()]),
                _ => {}
            }
        }
    }

    /// The words of a register, which are taken from where they are if they are there already.
    fn register<'r>(&'r self, register: Register, registers: &'r [u64], words: &Range<usize>) -> &'r [u64] {
        match self.pass.operations[register.0 as usize] {
            Operation::Proposition(proposition) => &self.filled.letters.bitmap(proposition).words()[words.clone()],
            Operation::Border => &self.filled.borders(self.pass.direction)[words.clone()],
            Operation::Row(row) => &self.rows[row.0 as usize].words()[words.clone()],
            _ => &registers[register.0 as usize * self.block..][..words.len()],
        }
    }

    fn operate(&self, index: usize, operation: Operation, scratch: &mut Scratch, words: &Range<usize>) {
        let past_end = self.past_end(words.end);
        let borders = self.filled.borders(self.pass.direction);
        let (before, rest) = scratch.registers.split_at_mut(index * self.block);
        let into = &mut rest[..words.len()];
        let carry = &mut scratch.carried.values[index];
        let operand = |register: Register| self.register(register, before, words);
        match operation {
            Operation::Constant(bit) => into.fill(if bit { u64::MAX } else { 0 }),
            Operation::Proposition(_) | Operation::Border | Operation::Row(_) => {}
            Operation::NotProposition(proposition) => {
                self.words.not(into, &self.filled.letters.bitmap(proposition).words()[words.clone()]);
            }
            Operation::NotBorder => self.words.not(into, &borders[words.clone()]),
            Operation::And(left, right) => self.words.and(into, operand(left), operand(right)),
            Operation::Or(left, right) => self.words.or(into, operand(left), operand(right)),
            Operation::Shift { of, end } => match self.pass.direction {
                Direction::Future => shift_future(into, operand(of), carry, EndMask::new(past_end, end)),
                Direction::Past => shift_past(into, operand(of), carry),
            },
            Operation::Chain { low, high, end } => match self.pass.direction {
                Direction::Future => {
                    let past_end = EndMask::new(past_end, end);
                    self.words.chain_future(into, operand(low), operand(high), carry, past_end);
                }
                Direction::Past => self.words.chain_past(into, operand(low), operand(high), carry),
            },
            Operation::Delay { of, steps, end } => {
                let step = Step { into, of: operand(of), start: words.start, past_end };
                self.delay(steps, end).step(&mut scratch.carried.rings[index], step);
            }
            Operation::Within { of, unit, limit, extent } => {
                // Every position is no position of the complement.
                let turned = if extent == Extent::Every { u64::MAX } else { 0 };
                into.iter_mut().zip(operand(of)).for_each(|(into, word)| *into = word ^ turned);
                into.iter_mut().last().into_iter().for_each(|last| *last &= !past_end);
                let limit = self.filled.limit(unit, limit);
                let reach = Reach::new(unit, limit, self.filled.letters.time.as_deref());
                let (start, direction) = (words.start * Bitmap::WORD, self.pass.direction);
                within::Block { words: into, start, direction }.spread(reach, carry);
                into.iter_mut().for_each(|word| *word ^= turned);
            }
        }
    }

    /// The bits of the last word of a block that lie past the end of the trace.
    fn past_end(&self, block_end: usize) -> u64 {
        let used = self.filled.letters.len % Bitmap::WORD;
        if block_end == self.word_count && used != 0 { u64::MAX >> used } else { 0 }
    }
}
