//! Rows, filled as a schedule says.

use super::super::offline::Cache;
use super::chain::{EndMask, shift_future, shift_past};
use super::delay::{Delay, Step};
use super::schedule::{Extent, Operation, Pass, Register, Schedule, Stage, WindowStage};
use super::wide::Words;
use super::window;
use super::within::{Block, Reach};
use traceward_logic::bitmap::Bitmap;
use traceward_logic::formula::{Direction, Unit};
use traceward_logic::letter::{Batch, Letters};

/// Words of a register: small enough that all registers of a usual formula stay in the first-level
/// cache, large enough that deciding what to do is a small part of doing it.
const BLOCK: usize = 256;

/// Fills the rows of one trace.
pub(super) fn run<'c>(schedule: &Schedule, cache: &'c mut Cache, letters: &Letters) -> Vec<&'c Bitmap> {
    fill(schedule, cache, Filled { letters, batch: None })
}

/// Fills the rows of traces that stand one behind the other, by a schedule that knows of borders.
pub(super) fn run_batch<'c>(schedule: &Schedule, cache: &'c mut Cache, batch: &Batch) -> Vec<&'c Bitmap> {
    fill(schedule, cache, Filled { letters: &batch.letters, batch: Some(batch) })
}

/// What rows are filled for.
#[derive(Clone, Copy)]
struct Filled<'a> {
    letters: &'a Letters,
    batch: Option<&'a Batch>,
}

impl<'a> Filled<'a> {
    /// A bound in time that says the same: no two states of a trace are farther apart than the
    /// longest is long, and the next trace begins farther away.
    fn limit(self, unit: Unit, limit: u64) -> u64 {
        match (self.batch, unit) {
            (Some(batch), Unit::Time) => limit.min(batch.longest),
            _ => limit,
        }
    }

    /// Where traces end, in a direction. One trace alone has no border that is asked about.
    fn borders(self, direction: Direction) -> &'a [u64] {
        match (self.batch, direction) {
            (Some(batch), Direction::Future) => batch.last.words(),
            (Some(batch), Direction::Past) => batch.first.words(),
            (None, _) => &[],
        }
    }

    fn window(self, window: &WindowStage, rows: &[Bitmap], words: Vec<u64>) -> Bitmap {
        let (time, len) = (self.letters.time.as_deref(), self.letters.len);
        let Some(batch) = self.batch else { return window::fill(window, rows, time, len, words) };
        if window.opens > batch.longest {
            return window::fill(window, rows, None, len, words);
        }
        let closes = window.closes.unwrap_or(u64::MAX).min(batch.longest);
        window::fill(&WindowStage { closes: Some(closes), ..*window }, rows, time, len, words)
    }
}

fn fill<'c>(schedule: &Schedule, cache: &'c mut Cache, filled: Filled<'_>) -> Vec<&'c Bitmap> {
    let letters = filled.letters;
    let mut rows = std::mem::take(&mut cache.rows);
    rows.resize_with(rows.len().max(schedule.row_count as usize), Bitmap::new);
    for stage in &schedule.stages {
        match stage {
            Stage::Pass(pass) => {
                let taken = pass.outputs.iter().map(|(_, row)| std::mem::take(&mut rows[row.0 as usize]).into_words());
                let taken = taken.collect();
                let written = Walk::new(pass, cache, filled, &rows).run(taken);
                for (&(_, row), words) in pass.outputs.iter().zip(written) {
                    rows[row.0 as usize] = Bitmap::from_words(words, letters.len);
                }
            }
            Stage::Window(window) => {
                let words = std::mem::take(&mut rows[window.output.0 as usize]).into_words();
                rows[window.output.0 as usize] = filled.window(window, &rows, words);
            }
        }
    }
    cache.rows = rows;
    schedule.roots.iter().map(|root| &cache.rows[root.0 as usize]).collect()
}

/// One walk over all words, block by block. A walk into the future starts at the last word, one
/// into the past at the first; within a block words are in trace order.
struct Walk<'a> {
    pass: &'a Pass,
    filled: Filled<'a>,
    rows: &'a [Bitmap],
    registers: &'a mut [u64],
    /// For each operation, what it remembers of the words seen so far. Most remember the value
    /// beyond them: 0 or 1.
    carries: &'a mut [u64],
    /// For each operation, the words that it will look at again.
    rings: &'a mut [Vec<u64>],
    word_count: usize,
    words: Words,
}

impl<'a> Walk<'a> {
    fn new(pass: &'a Pass, cache: &'a mut Cache, filled: Filled<'a>, rows: &'a [Bitmap]) -> Self {
        let letters = filled.letters;
        let count = pass.operations.len();
        if cache.registers.len() < count * BLOCK {
            cache.registers.resize(count * BLOCK, 0);
        }
        cache.carries.clear();
        let time = letters.time.as_deref();
        cache.carries.extend(pass.operations.iter().map(|operation| match *operation {
            Operation::Shift { end, .. } | Operation::Chain { end, .. } => u64::from(end),
            Operation::Within { unit, limit, .. } => {
                Reach::new(unit, filled.limit(unit, limit), time).nothing_seen(pass.direction)
            }
            _ => 0,
        }));
        cache.rings.resize_with(cache.rings.len().max(count), Vec::new);
        Self {
            pass,
            filled,
            rows,
            registers: &mut cache.registers[..count * BLOCK],
            carries: &mut cache.carries,
            rings: &mut cache.rings,
            word_count: letters.len.div_ceil(Bitmap::WORD),
            words: Words::fastest(),
        }
    }

    /// Fills the outputs; what they held before is overwritten.
    fn run(mut self, mut outputs: Vec<Vec<u64>>) -> Vec<Vec<u64>> {
        outputs.iter_mut().for_each(|output| output.resize(self.word_count, 0));
        let blocks = self.word_count.div_ceil(BLOCK);
        for nth in 0..blocks {
            let block = if self.pass.direction == Direction::Future { blocks - 1 - nth } else { nth };
            let start = block * BLOCK;
            let end = (start + BLOCK).min(self.word_count);
            for (index, operation) in self.pass.operations.iter().enumerate() {
                self.operate(index, *operation, start, end - start);
            }
            for (output, (register, _)) in outputs.iter_mut().zip(&self.pass.outputs) {
                output[start..end].copy_from_slice(self.register(*register, start, end - start));
            }
        }
        outputs
    }

    /// The words of a register, which are taken from where they are if they are there already.
    fn register(&self, register: Register, start: usize, count: usize) -> &[u64] {
        match self.pass.operations[register.0 as usize] {
            Operation::Proposition(proposition) => {
                &self.filled.letters.bitmap(proposition).words()[start..start + count]
            }
            Operation::Border => &self.filled.borders(self.pass.direction)[start..start + count],
            Operation::Row(row) => &self.rows[row.0 as usize].words()[start..start + count],
            _ => &self.registers[register.0 as usize * BLOCK..][..count],
        }
    }

    fn operate(&mut self, index: usize, operation: Operation, start: usize, count: usize) {
        let past_end = self.past_end(start + count);
        let borders = self.filled.borders(self.pass.direction);
        let (before, rest) = self.registers.split_at_mut(index * BLOCK);
        let into = &mut rest[..count];
        let (words, letters, rows, operations) = (self.words, self.filled.letters, self.rows, &self.pass.operations);
        // What is there already is taken from where it is.
        let operand = |register: Register| match operations[register.0 as usize] {
            Operation::Proposition(proposition) => &letters.bitmap(proposition).words()[start..start + count],
            Operation::Border => &borders[start..start + count],
            Operation::Row(row) => &rows[row.0 as usize].words()[start..start + count],
            _ => &before[register.0 as usize * BLOCK..][..count],
        };
        match operation {
            Operation::Constant(bit) => into.fill(if bit { u64::MAX } else { 0 }),
            Operation::Proposition(_) | Operation::Border | Operation::Row(_) => {}
            Operation::NotProposition(proposition) => {
                words.not(into, &letters.bitmap(proposition).words()[start..start + count]);
            }
            Operation::NotBorder => words.not(into, &borders[start..start + count]),
            Operation::And(left, right) => words.and(into, operand(left), operand(right)),
            Operation::Or(left, right) => words.or(into, operand(left), operand(right)),
            Operation::Shift { of, end } => {
                let carry = &mut self.carries[index];
                match self.pass.direction {
                    Direction::Future => shift_future(into, operand(of), carry, EndMask::new(past_end, end)),
                    Direction::Past => shift_past(into, operand(of), carry),
                }
            }
            Operation::Chain { low, high, end } => {
                let carry = &mut self.carries[index];
                match self.pass.direction {
                    Direction::Future => {
                        words.chain_future(into, operand(low), operand(high), carry, EndMask::new(past_end, end));
                    }
                    Direction::Past => words.chain_past(into, operand(low), operand(high), carry),
                }
            }
            Operation::Delay { of, steps, end } => {
                let delay = Delay { steps, end, direction: self.pass.direction, word_count: self.word_count };
                let ring = &mut self.rings[index];
                ring.resize(delay.ring_len(BLOCK), 0);
                delay.step(ring, Step { into, of: operand(of), start, past_end });
            }
            Operation::Within { of, unit, limit, extent } => {
                // Every position is no position of the complement.
                let turned = if extent == Extent::Every { u64::MAX } else { 0 };
                into.iter_mut().zip(operand(of)).for_each(|(into, word)| *into = word ^ turned);
                into.iter_mut().last().into_iter().for_each(|last| *last &= !past_end);
                let limit = self.filled.limit(unit, limit);
                let reach = Reach::new(unit, limit, self.filled.letters.time.as_deref());
                let mut block = Block { words: into, start: start * Bitmap::WORD, direction: self.pass.direction };
                block.spread(reach, &mut self.carries[index]);
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
