//! Operators of the past over what is known late: `O (p & F[0,3] q)`.

use super::bits::{BitRun, Bits, tell};
use super::{Feed, Operand, Tick};
use crate::past::{Past, PastId, PastRun};
use crate::saved::{Reader, RestoreError, Writer};
use std::collections::VecDeque;
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
    /// The timestamps of the positions whose operands are not known, if they are needed.
    times: VecDeque<i64>,
    /// What was told in the last step.
    pub told: Vec<BitRun>,
}

impl LaggingRun {
    pub fn new(lagging: &Lagging<PastId>) -> Self {
        let queues = vec![Bits::default(); lagging.operands.len()];
        Self { past: lagging.past.start(), queues, times: VecDeque::new(), told: Vec::new() }
    }

    /// Goes as far as the operands are known.
    pub fn advance(&mut self, lagging: &Lagging<PastId>, states: u64, tick: Tick, feed: &Feed<'_>) {
        self.told.clear();
        if let (Unit::Time, Tick::State { time, .. }) = (lagging.unit, tick) {
            self.times.push_back(time);
        }
        for (queue, operand) in self.queues.iter_mut().zip(&lagging.operands) {
            feed.fill(queue, *operand, states);
        }
        while let Some(until) = self.known_until() {
            while self.past.position() < until {
                self.step(lagging);
            }
            self.queues.iter_mut().for_each(|queue| queue.take_to(until));
        }
    }

    fn known_until(&self) -> Option<u64> {
        self.queues.iter().map(|queue| queue.front().map(|run| run.until)).min()?
    }

    fn step(&mut self, lagging: &Lagging<PastId>) {
        let Self { past, queues, times, told } = self;
        let holds = |operand: Proposition| queues[operand.index()].front().is_some_and(|run| run.bit);
        lagging.past.step(past, &holds, times.pop_front());
        tell(told, past.position(), past.holds(lagging.root));
    }

    /// Whether all states so far have been told.
    pub fn is_idle(&self, states: u64) -> bool {
        self.past.position() == states
    }

    pub fn len(&self) -> usize {
        self.queues.iter().map(Bits::len).sum::<usize>() + self.times.len()
    }

    pub fn save(&self, to: &mut Writer) {
        self.past.save(to);
        self.queues.iter().for_each(|queue| queue.save(to));
        to.size(self.times.len());
        self.times.iter().for_each(|time| to.number(time.cast_unsigned()));
    }

    pub fn restore(lagging: &Lagging<PastId>, from: &mut Reader<'_>, states: u64) -> Result<Self, RestoreError> {
        let past = lagging.past.restore(from)?;
        let queues = lagging.operands.iter().map(|_| Bits::restore(from, states)).collect::<Result<_, _>>()?;
        let times: VecDeque<i64> =
            (0..from.count()?).map(|_| Ok(from.number()?.cast_signed())).collect::<Result<_, RestoreError>>()?;
        let lag = if lagging.unit == Unit::Time { states.checked_sub(past.position()) } else { Some(0) };
        if past.position() > states || lag != Some(times.len() as u64) {
            return Err(RestoreError::Damaged);
        }
        Ok(Self { past, queues, times, told: Vec::new() })
    }
}
