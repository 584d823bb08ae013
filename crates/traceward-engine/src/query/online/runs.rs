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

    pub fn extend(&mut self, runs: &[Run]) {
        runs.iter().for_each(|run| self.push(run.count, &run.held));
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
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
        // Where nobody is ahead and both are certain at once, nothing has to be kept.
        if let ([one], [other]) = (left, right)
            && one.count == other.count
            && self.left.is_empty()
            && self.right.is_empty()
        {
            visit(one.count, &one.held, &other.held);
            return;
        }
        self.left.extend(left);
        self.right.extend(right);
        while let (Some(one), Some(other)) = (self.left.front(), self.right.front()) {
            let count = one.count.min(other.count);
            visit(count, &one.held, &other.held);
            self.left.take(count);
            self.right.take(count);
        }
    }

    /// The number of runs that wait.
    pub fn len(&self) -> usize {
        self.left.len() + self.right.len()
    }
}
