//! The timestamps of positions that some part has not gone through yet.

use crate::saved::{Reader, RestoreError, Writer};
use std::collections::VecDeque;

/// Timestamps of positions one after the other, up to the last state.
#[derive(Clone, Debug, Default)]
pub(super) struct Times {
    from: u64,
    times: VecDeque<i64>,
}

impl Times {
    /// Adds that of the next state.
    pub fn push(&mut self, time: i64) {
        self.times.push_back(time);
    }

    /// The timestamp of a position; none if there is no such state yet, or it was forgotten.
    pub fn at(&self, position: u64) -> Option<i64> {
        self.times.get(usize::try_from(position.checked_sub(self.from)?).ok()?).copied()
    }

    /// Forgets those of the positions before one.
    pub fn forget_before(&mut self, position: u64) {
        while self.from < position && self.times.pop_front().is_some() {
            self.from += 1;
        }
    }

    pub fn len(&self) -> usize {
        self.times.len()
    }

    pub fn save(&self, to: &mut Writer) {
        to.number(self.from);
        to.size(self.times.len());
        self.times.iter().for_each(|time| to.number(time.cast_unsigned()));
    }

    /// Reads the timestamps of a run of so many states; none at all if nobody needs them.
    pub fn restore(from: &mut Reader<'_>, states: u64) -> Result<Self, RestoreError> {
        let first = from.number()?;
        let times: VecDeque<i64> =
            (0..from.count()?).map(|_| Ok(from.number()?.cast_signed())).collect::<Result<_, RestoreError>>()?;
        match first.checked_add(times.len() as u64) {
            Some(end) if end == states || end == 0 => Ok(Self { from: first, times }),
            _ => Err(RestoreError::Damaged),
        }
    }
}
