//! Conjunctions and disjunctions of what is known at different times.

use super::bits::{BitRun, Bits, tell};
use super::{Feed, Operand};
use crate::past::PastId;
use crate::saved::{Reader, RestoreError, Writer};

/// A conjunction or disjunction.
#[derive(Clone, Debug)]
pub(super) struct Join<N> {
    /// The value of an operand that settles the whole: true for a disjunction.
    pub decisive: bool,
    pub operands: Vec<Operand<N>>,
}

/// What a conjunction or disjunction has come to.
#[derive(Clone, Debug, Default)]
pub(super) struct JoinRun {
    queues: Vec<Bits>,
    until: u64,
    /// What was told in the last step.
    pub told: Vec<BitRun>,
}

impl JoinRun {
    pub fn new(join: &Join<PastId>) -> Self {
        Self { queues: vec![Bits::default(); join.operands.len()], ..Self::default() }
    }

    /// Goes as far as the operands are known, or one of them settles it.
    pub fn advance(&mut self, join: &Join<PastId>, states: u64, feed: &Feed<'_>) {
        self.told.clear();
        for (queue, operand) in self.queues.iter_mut().zip(&join.operands) {
            feed.fill(queue, *operand, states);
        }
        while let Some(run) = self.next(join.decisive) {
            self.until = run.until;
            tell(&mut self.told, run.until, run.bit);
            self.queues.iter_mut().for_each(|queue| queue.take_to(run.until));
        }
    }

    /// The next positions at which the whole is known.
    fn next(&self, decisive: bool) -> Option<BitRun> {
        let fronts = || self.queues.iter().map(Bits::front);
        let settled = fronts().flatten().filter(|run| run.bit == decisive).map(|run| run.until).max();
        if let Some(until) = settled {
            return Some(BitRun { until, bit: decisive });
        }
        let until = fronts().map(|front| front.map(|run| run.until)).min()??;
        Some(BitRun { until, bit: !decisive })
    }

    /// The first position that is not told.
    pub fn told_until(&self) -> u64 {
        self.until
    }

    /// Whether all states so far have been told.
    pub fn is_idle(&self, states: u64) -> bool {
        self.until == states
    }

    pub fn len(&self) -> usize {
        self.queues.iter().map(Bits::len).sum()
    }

    pub fn save(&self, to: &mut Writer) {
        to.number(self.until);
        self.queues.iter().for_each(|queue| queue.save(to));
    }

    pub fn restore(join: &Join<PastId>, from: &mut Reader<'_>, states: u64) -> Result<Self, RestoreError> {
        let until = from.number()?;
        let queues = join.operands.iter().map(|_| Bits::restore(from, states)).collect::<Result<_, _>>()?;
        if until > states { Err(RestoreError::Damaged) } else { Ok(Self { queues, until, told: Vec::new() }) }
    }
}
