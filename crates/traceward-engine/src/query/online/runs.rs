//! Runs: so many positions at which a part has the same.

mod save;

pub(super) use save::{read_runs, save_runs};

use super::Held;
use std::collections::VecDeque;

/// So many positions, one after the other, at which a part has the same.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Run {
    pub count: u64,
    pub held: Held,
}

/// Runs that have not been taken yet.
#[derive(Clone, Debug, Default)]
pub(super) struct Queue(VecDeque<Run>);

impl Queue {
    /// Adds a run at the end, joined with the last one if that has the same.
    pub fn push(&mut self, count: u64, held: &Held) {
        match self.0.back_mut() {
            Some(last) if last.held == *held => last.count += count,
            _ => self.0.push_back(Run { count, held: held.clone() }),
        }
    }

    pub fn front(&self) -> Option<&Run> {
        self.0.front()
    }

    /// Takes so many positions from the first run, which has at least as many.
    pub fn take(&mut self, count: u64) {
        if let Some(front) = self.0.front_mut() {
            front.count -= count;
            if front.count == 0 {
                self.0.pop_front();
            }
        }
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }
}

/// Adds a run to what is passed on, joined with the last one if that has the same.
pub(super) fn pass(out: &mut Vec<Run>, count: u64, held: Held) {
    if count == 0 {
        return;
    }
    match out.last_mut() {
        Some(last) if last.held == held => last.count += count,
        _ => out.push(Run { count, held }),
    }
}

/// An operand: the runs that wait, and behind them those that it has just passed on. Only what is
/// not taken of the latter has to be kept.
struct Side<'a> {
    waiting: &'a mut Queue,
    fresh: &'a [Run],
    /// The number of positions of the first fresh run that have been taken.
    taken: u64,
}

impl<'a> Side<'a> {
    fn new(waiting: &'a mut Queue, fresh: &'a [Run]) -> Self {
        Self { waiting, fresh, taken: 0 }
    }

    fn front(&self) -> Option<(u64, &Held)> {
        match self.waiting.front() {
            Some(run) => Some((run.count, &run.held)),
            None => self.fresh.first().map(|run| (run.count - self.taken, &run.held)),
        }
    }

    /// Takes so many positions from the first run, which has at least as many.
    fn take(&mut self, count: u64) {
        if self.waiting.front().is_some() {
            self.waiting.take(count);
            return;
        }
        self.taken += count;
        if self.fresh.first().is_some_and(|run| run.count == self.taken) {
            (self.fresh, self.taken) = (&self.fresh[1..], 0);
        }
    }

    /// Keeps what is left for later.
    fn keep(self) {
        let mut taken = self.taken;
        for run in self.fresh {
            self.waiting.push(run.count - std::mem::take(&mut taken), &run.held);
        }
    }
}

/// Two operands, of which one may be ahead of the other.
#[derive(Clone, Debug, Default)]
pub(super) struct Paired {
    left: Queue,
    right: Queue,
}

impl Paired {
    /// Takes what both operands have passed on, and calls `visit` for stretches of positions at
    /// which both are known.
    pub fn advance(&mut self, left: &[Run], right: &[Run], mut visit: impl FnMut(u64, &Held, &Held)) {
        let (mut left, mut right) = (Side::new(&mut self.left, left), Side::new(&mut self.right, right));
        while let (Some((one, of_one)), Some((other, of_other))) = (left.front(), right.front()) {
            let count = one.min(other);
            visit(count, of_one, of_other);
            left.take(count);
            right.take(count);
        }
        left.keep();
        right.keep();
    }

    /// The number of runs that wait.
    pub fn len(&self) -> usize {
        self.left.len() + self.right.len()
    }
}
