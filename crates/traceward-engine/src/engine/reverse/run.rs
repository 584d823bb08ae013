//! Rows, filled as a schedule says.

use super::super::offline::Cache;
use super::schedule::{Operation, Pass, Register, RowId, Schedule, Stage, WindowKind};
use super::window;
use traceward_logic::bitmap::Bitmap;
use traceward_logic::formula::{BinaryOp, Direction, Expansion, Interval, Strength};
use traceward_logic::letter::Letters;

/// Words of a register: small enough that all registers of a usual formula stay in the first-level
/// cache, large enough that deciding what to do is a small part of doing it.
const BLOCK: usize = 128;

pub(super) fn run<'c>(schedule: &Schedule, cache: &'c mut Cache, letters: &Letters) -> Vec<&'c Bitmap> {
    let mut rows = std::mem::take(&mut cache.rows);
    rows.resize_with(rows.len().max(schedule.row_count as usize), Bitmap::new);
    for stage in &schedule.stages {
        match stage {
            Stage::Pass(pass) => {
                let taken = pass.outputs.iter().map(|(_, row)| std::mem::take(&mut rows[row.0 as usize]).into_words());
                let taken = taken.collect();
                let filled = Walk::new(pass, cache, letters, &rows).run(taken);
                for (&(_, row), words) in pass.outputs.iter().zip(filled) {
                    rows[row.0 as usize] = Bitmap::from_words(words, letters.len);
                }
            }
            Stage::Window(window) => {
                let row = |id: RowId| &rows[id.0 as usize];
                let view = window::View::new(letters.len, window.direction, letters.time.as_deref());
                let filled = match window.kind {
                    WindowKind::Eventually(f) => window::eventually(&view, window.interval, row(f)),
                    WindowKind::Always(f) => window::always(&view, window.interval, row(f)),
                    WindowKind::Binary(op, f, g) => binary(&view, window.interval, op, row(f), row(g)),
                };
                rows[window.output.0 as usize] = filled;
            }
        }
    }
    cache.rows = rows;
    schedule.roots.iter().map(|root| &cache.rows[root.0 as usize]).collect()
}

fn binary(view: &window::View<'_>, interval: Interval, op: BinaryOp, f: &Bitmap, g: &Bitmap) -> Bitmap {
    match op.expansion() {
        Expansion::Until => window::until(view, interval, op.strength(), f, g),
        Expansion::Release if op.strength() == Strength::Strong => {
            window::until(view, interval, Strength::Strong, g, &f.clone().and(g))
        }
        Expansion::Release => {
            let (not_f, not_g) = (f.clone().complement(), g.clone().complement());
            window::until(view, interval, op.strength().dual(), &not_f, &not_g).complement()
        }
    }
}

/// One walk over all words, block by block. A walk into the future starts at the last word, one
/// into the past at the first; within a block words are in trace order.
struct Walk<'a> {
    pass: &'a Pass,
    letters: &'a Letters,
    rows: &'a [Bitmap],
    registers: &'a mut [u64],
    /// For each operation, the value beyond the words seen so far: 0 or 1.
    carries: &'a mut [u64],
    word_count: usize,
}

impl<'a> Walk<'a> {
    fn new(pass: &'a Pass, cache: &'a mut Cache, letters: &'a Letters, rows: &'a [Bitmap]) -> Self {
        let count = pass.operations.len();
        if cache.registers.len() < count * BLOCK {
            cache.registers.resize(count * BLOCK, 0);
        }
        cache.carries.clear();
        cache.carries.extend(pass.operations.iter().map(|operation| match operation {
            Operation::Shift { end, .. } | Operation::Chain { end, .. } => u64::from(*end),
            _ => 0,
        }));
        Self {
            pass,
            letters,
            rows,
            registers: &mut cache.registers[..count * BLOCK],
            carries: &mut cache.carries,
            word_count: letters.len.div_ceil(Bitmap::WORD),
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
                output[start..end].copy_from_slice(self.register(*register, end - start));
            }
        }
        outputs
    }

    fn register(&self, register: Register, count: usize) -> &[u64] {
        let start = register.0 as usize * BLOCK;
        &self.registers[start..start + count]
    }

    fn operate(&mut self, index: usize, operation: Operation, start: usize, count: usize) {
        let past_end = self.past_end(start + count);
        let (before, rest) = self.registers.split_at_mut(index * BLOCK);
        let into = &mut rest[..count];
        let operand = |register: Register| {
            let start = register.0 as usize * BLOCK;
            &before[start..start + count]
        };
        match operation {
            Operation::Constant(bit) => into.fill(if bit { u64::MAX } else { 0 }),
            Operation::Proposition(proposition) => {
                into.copy_from_slice(&self.letters.bitmap(proposition).words()[start..start + count]);
            }
            Operation::NotProposition(proposition) => {
                let words = &self.letters.bitmap(proposition).words()[start..start + count];
                into.iter_mut().zip(words).for_each(|(into, word)| *into = !word);
            }
            Operation::Row(row) => {
                into.copy_from_slice(&self.rows[row.0 as usize].words()[start..start + count]);
            }
            Operation::And(left, right) => {
                let both = operand(left).iter().zip(operand(right));
                into.iter_mut().zip(both).for_each(|(into, (left, right))| *into = left & right);
            }
            Operation::Or(left, right) => {
                let both = operand(left).iter().zip(operand(right));
                into.iter_mut().zip(both).for_each(|(into, (left, right))| *into = left | right);
            }
            Operation::Shift { of, end } => {
                let carry = &mut self.carries[index];
                match self.pass.direction {
                    Direction::Future => shift_future(into, operand(of), carry, end_mask(past_end, end)),
                    Direction::Past => shift_past(into, operand(of), carry),
                }
            }
            Operation::Chain { low, high, end } => {
                let carry = &mut self.carries[index];
                match self.pass.direction {
                    Direction::Future => {
                        chain_future(into, operand(low), operand(high), carry, end_mask(past_end, end));
                    }
                    Direction::Past => chain_past(into, operand(low), operand(high), carry),
                }
            }
        }
    }

    /// The bits of the last word of a block that lie past the end of the trace.
    fn past_end(&self, block_end: usize) -> u64 {
        let used = self.letters.len % Bitmap::WORD;
        if block_end == self.word_count && used != 0 { u64::MAX >> used } else { 0 }
    }
}

/// The bits of a word past the end of the trace: those to clear, and those to set.
#[derive(Clone, Copy)]
struct EndMask {
    clear: u64,
    set: u64,
}

fn end_mask(past_end: u64, end: bool) -> EndMask {
    EndMask { clear: past_end, set: if end { past_end } else { 0 } }
}

impl EndMask {
    fn apply(self, word: u64) -> u64 {
        (word & !self.clear) | self.set
    }
}

/// The value at the next position: the bit below, or the top bit of the next word.
fn shift_future(into: &mut [u64], of: &[u64], carry: &mut u64, past_end: EndMask) {
    let Some(last) = into.len().checked_sub(1) else { return };
    into[last] = shift_word(past_end.apply(of[last]), carry);
    let (into, of) = (&mut into[..last], &of[..last]);
    for index in (0..last).rev() {
        into[index] = shift_word(of[index], carry);
    }
}

#[inline]
fn shift_word(word: u64, carry: &mut u64) -> u64 {
    let shifted = (word << 1) | *carry;
    *carry = word >> 63;
    shifted
}

fn shift_past(into: &mut [u64], of: &[u64], carry: &mut u64) {
    for (into, word) in into.iter_mut().zip(of) {
        *into = (word >> 1) | (*carry << 63);
        *carry = word & 1;
    }
}

/// `v[j] = low[j] | (high[j] & v[j+1])`, `low` a part of `high`.
///
/// Adding `high` and `low` with position j+1 below position j makes a carry where `low` is set and
/// passes one on where `high` is: the carry out of a position is its value, and the carry into it
/// that of its successor.
fn chain_future(into: &mut [u64], low: &[u64], high: &[u64], carry: &mut u64, past_end: EndMask) {
    let Some(last) = into.len().checked_sub(1) else { return };
    into[last] = link(past_end.apply(low[last]), past_end.apply(high[last]), carry);
    // By index: a zip of three slices walked backwards costs several times the work itself.
    let (into, low, high) = (&mut into[..last], &low[..last], &high[..last]);
    let mut passed = *carry;
    for index in (0..last).rev() {
        into[index] = link(low[index], high[index], &mut passed);
    }
    *carry = passed;
}

/// The same towards the past: with the bits of each word turned round, position j-1 is below
/// position j.
fn chain_past(into: &mut [u64], low: &[u64], high: &[u64], carry: &mut u64) {
    for ((into, low), high) in into.iter_mut().zip(low).zip(high) {
        *into = link(low.reverse_bits(), high.reverse_bits(), carry).reverse_bits();
    }
}

#[inline]
fn link(low: u64, high: u64, carry: &mut u64) -> u64 {
    let (partial, first) = high.overflowing_add(low);
    let (sum, second) = partial.overflowing_add(*carry);
    *carry = u64::from(first | second);
    let into_each = high ^ low ^ sum;
    low | (high & into_each)
}
