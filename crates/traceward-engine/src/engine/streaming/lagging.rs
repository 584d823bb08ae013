//! Operators of the past over what is known late: `O (p & F[0,3] q)`.

use super::bits::{BitRun, Bits, tell};
use super::times::Times;
use super::{Feed, Operand};
use crate::past::{Past, PastId, PastRun};
use crate::saved::{Reader, RestoreError, Writer};
use traceward_logic::formula::Unit;
use traceward_logic::letter::Proposition;

/// The propositions by which the operator knows its operands.
pub(super) const OPERANDS: [Proposition; 2] = [Proposition(0), Proposition(1)];

/// The operator, which is asked at every position.
#[derive(Clone, Debug)]
pub(super) struct Lagging<N> {
    /// The operator by itself.
    pub past: Past,
    pub root: PastId,
    pub unit: Unit,
    pub operands: Vec<Operand<N>>,
}

/// What the operator has come to: it is as far as its operands are known.
#[derive(Clone, Debug)]
pub(super) struct LaggingRun {
    past: PastRun,
    queues: Vec<Bits>,
    /// What was told in the last step.
    pub told: Vec<BitRun>,
}

impl LaggingRun {
    pub fn new(lagging: &Lagging<PastId>) -> Self {
        let queues = vec![Bits::default(); lagging.operands.len()];
        Self { past: lagging.past.start(), queues, told: Vec::new() }
    }

    /// Goes as far as the operands are known.
    pub fn advance(&mut self, lagging: &Lagging<PastId>, states: u64, feed: &Feed<'_>) {
        self.told.clear();
        for (queue, operand) in self.queues.iter_mut().zip(&lagging.operands) {
            feed.fill(queue, *operand, states);
        }
        while let Some(until) = self.known_until() {
            while self.past.position() < until {
                self.step(lagging, feed.times);
            }
            self.queues.iter_mut().for_each(|queue| queue.take_to(until));
        }
    }

    /// Takes a state whose operands are known, and returns whether the operator holds there.
    pub fn go_on(&mut self, lagging: &Lagging<PastId>, value: impl Fn(Operand<PastId>) -> bool, time: i64) -> bool {
        let holds = |operand: Proposition| value(lagging.operands[operand.index()]);
        lagging.past.step(&mut self.past, &holds, Some(time));
        self.past.holds(lagging.root)
    }

    /// The first position that is not told.
    pub fn told_until(&self) -> u64 {
        self.past.position()
    }

    fn known_until(&self) -> Option<u64> {
        self.queues.iter().map(|queue| queue.front().map(|run| run.until)).min()?
    }

    fn step(&mut self, lagging: &Lagging<PastId>, times: &Times) {
        let Self { past, queues, told } = self;
        let holds = |operand: Proposition| queues[operand.index()].front().is_some_and(|run| run.bit);
        lagging.past.step(past, &holds, times.at(past.position()));
        tell(told, past.position(), past.holds(lagging.root));
    }

    /// Whether all states so far have been told.
    pub fn is_idle(&self, states: u64) -> bool {
        self.past.position() == states
    }

    pub fn len(&self) -> usize {
        self.queues.iter().map(Bits::len).sum()
    }

    pub fn save(&self, to: &mut Writer) {
        self.past.save(to);
        self.queues.iter().for_each(|queue| queue.save(to));
    }

    pub fn restore(lagging: &Lagging<PastId>, from: &mut Reader<'_>, states: u64) -> Result<Self, RestoreError> {
        let past = lagging.past.restore(from)?;
        let queues = lagging.operands.iter().map(|_| Bits::restore(from, states)).collect::<Result<_, _>>()?;
        if past.position() > states { Err(RestoreError::Damaged) } else { Ok(Self { past, queues, told: Vec::new() }) }
    }

    /// The first position whose timestamp is still needed, if any is.
    pub fn needs_time_from(&self, lagging: &Lagging<PastId>) -> Option<u64> {
        (lagging.unit == Unit::Time).then(|| self.past.position())
    }
}
