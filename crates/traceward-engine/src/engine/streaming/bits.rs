//! Truth values of positions, one after the other, as runs of equal ones.

use super::Operand;
use crate::saved::{Reader, RestoreError, Writer};
use std::collections::VecDeque;

/// A stretch of positions with the same truth value, up to a position that is not part of it. It
/// begins where the one before it ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct BitRun {
    pub until: u64,
    pub bit: bool,
}

/// Adds positions to what is told, if there are any, joined with the last run if that has the same
/// value.
#[inline]
pub(super) fn tell(told: &mut Vec<BitRun>, until: u64, bit: bool) {
    match told.last_mut() {
        Some(last) if last.until >= until => {}
        Some(last) if last.bit == bit => last.until = until,
        _ => told.push(BitRun { until, bit }),
    }
}

/// The truth values that an operand has told and nobody has taken yet.
#[derive(Clone, Debug, Default)]
pub(super) struct Bits {
    runs: VecDeque<BitRun>,
    /// The first position that counts.
    from: u64,
}

impl Bits {
    /// The position up to which values are known.
    fn until(&self) -> u64 {
        self.runs.back().map_or(self.from, |last| last.until)
    }

    /// Adds the positions up to one. Those that were taken beforehand are left out.
    pub fn push(&mut self, until: u64, bit: bool) {
        if until <= self.until() {
            return;
        }
        match self.runs.back_mut() {
            Some(last) if last.bit == bit => last.until = until,
            _ => self.runs.push_back(BitRun { until, bit }),
        }
    }

    /// The first run that was not taken yet.
    pub fn front(&self) -> Option<BitRun> {
        self.runs.front().copied()
    }

    /// The first run of an operand that was not taken yet. Constants are known everywhere, so that
    /// they are not kept.
    #[inline]
    pub fn known<N>(&self, operand: Operand<N>) -> Option<BitRun> {
        match operand {
            Operand::Constant(bit) => Some(BitRun { until: u64::MAX, bit }),
            Operand::Now(_) | Operand::Late(_) => self.front(),
        }
    }

    /// Takes all positions before one, known or not.
    pub fn take_to(&mut self, position: u64) {
        self.from = position;
        while self.runs.front().is_some_and(|run| run.until <= position) {
            self.runs.pop_front();
        }
    }

    /// Becomes what was told from a position on, in the memory that there is.
    pub fn become_told(&mut self, from: u64, told: &[BitRun]) {
        self.runs.clear();
        self.from = from;
        told.iter().for_each(|run| self.push(run.until, run.bit));
    }

    /// Takes what was told, whatever it is.
    pub fn take_told(&mut self, told: &[BitRun]) {
        if let Some(last) = told.last() {
            self.take_to(last.until.max(self.from));
        }
    }

    /// Takes what was told, and returns whether that is what it is here, as far as it is known.
    pub fn confirm(&mut self, told: &[BitRun]) -> bool {
        for run in told {
            while let Some(first) = self.runs.front().filter(|_| self.from < run.until) {
                if first.bit != run.bit {
                    return false;
                }
                self.take_to(first.until.min(run.until));
            }
            self.from = self.from.max(run.until);
        }
        true
    }

    /// Whether any position is false.
    pub fn has_false(&self) -> bool {
        self.runs.len() > 1 || self.runs.front().is_some_and(|run| !run.bit)
    }

    /// Becomes like another, in the memory that there is.
    pub fn copy_from(&mut self, other: &Self) {
        self.runs.clone_from(&other.runs);
        self.from = other.from;
    }

    /// The number of runs.
    pub fn len(&self) -> usize {
        self.runs.len()
    }

    pub fn save(&self, to: &mut Writer) {
        to.number(self.from);
        to.size(self.runs.len());
        for run in &self.runs {
            to.number(run.until);
            to.bit(run.bit);
        }
    }

    /// Reads values of positions up to one at the most.
    pub fn restore(from: &mut Reader<'_>, most: u64) -> Result<Self, RestoreError> {
        let mut bits = Self { runs: VecDeque::new(), from: from.number()? };
        for _ in 0..from.count()? {
            let (until, bit) = (from.number()?, from.bit()?);
            if until <= bits.until() || until > most {
                return Err(RestoreError::Damaged);
            }
            bits.push(until, bit);
        }
        if bits.from > most { Err(RestoreError::Damaged) } else { Ok(bits) }
    }
}
