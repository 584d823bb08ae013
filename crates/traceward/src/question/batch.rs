//! Keys evaluated together: their parts stand one behind the other, and are gone through once.
//!
//! A key has a few states mostly, and to begin an evaluation for them costs more than to go through
//! them. How many keys are taken together does not change any answer.

use crate::error::Error;
use std::ops::Range;
use traceward_logic::formula::{FormulaId, Formulas, Unit};
use traceward_logic::letter::{Batch, Letters};
use traceward_trace::Keys;

/// The states that are evaluated together: few enough that their rows stay in a cache.
const STATES: usize = 1 << 17;

/// Whether formulas look at timestamps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LooksAtTime {
    No,
    Yes,
}

impl LooksAtTime {
    pub(super) fn of(formulas: &Formulas, roots: &[FormulaId]) -> Self {
        let is_timed = |id| formulas.node(id).interval().is_some_and(|interval| interval.unit == Unit::Time);
        if formulas.parts(roots).into_iter().any(is_timed) { Self::Yes } else { Self::No }
    }
}

/// Whether all keys of a batch were taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Taken {
    All,
    /// None was: there is no way to take so many together.
    TooMany,
}

/// Calls `take` with the places of keys that are evaluated together. Where they are too many it is
/// called with fewer, at last with each alone, which it has to take.
pub(super) fn each_batch(keys: &Keys, mut take: impl FnMut(Range<usize>) -> Result<Taken, Error>) -> Result<(), Error> {
    let mut start = 0;
    let mut most = usize::MAX;
    while start < keys.len() {
        let last = keys.len().min(start.saturating_add(most));
        let is_full = |end: &usize| keys.start(*end) - keys.start(start) >= STATES;
        let end = (start + 1..last).find(is_full).unwrap_or(last);
        match take(start..end)? {
            Taken::All => start = end,
            // What is too much once is likely too much again.
            Taken::TooMany => most = ((end - start) / 2).max(1),
        }
    }
    Ok(())
}

/// The letters of some keys, one behind the other; none if there is no room in time for so many.
pub(super) fn joined(keys: &Keys, traces: Range<usize>, whole: &Letters, looks_at_time: LooksAtTime) -> Option<Batch> {
    let positions = keys.positions(traces.clone());
    let lengths: Vec<usize> = traces.map(|trace| keys.group(trace).positions.len()).collect();
    let letters = match looks_at_time {
        LooksAtTime::Yes => whole.gather(positions),
        LooksAtTime::No => Letters {
            len: positions.len(),
            bitmaps: whole.bitmaps.iter().map(|bitmap| bitmap.gather(positions)).collect(),
            time: None,
        },
    };
    Batch::new(letters, &lengths)
}
