//! Keys evaluated together: their parts stand one behind the other, and are gone through once.
//!
//! A key has a few states mostly, and to begin an evaluation for them costs more than to go through
//! them. How many keys are taken together does not change any answer.

use crate::error::Error;
use std::num::NonZero;
use std::ops::Range;
use std::sync::mpsc;
use std::thread;
use traceward_engine::limit::GaveUp;
use traceward_engine::select::{Cache, Evaluator};
use traceward_logic::bitmap::Bitmap;
use traceward_logic::formula::{FormulaId, Formulas, Unit};
use traceward_logic::letter::{Batch, Letters};
use traceward_trace::Keys;

/// The states that are evaluated together: few enough that their rows stay in a cache.
const STATES: usize = 1 << 17;

/// The batches that wait for whoever judges their parts.
const AHEAD: usize = 2;

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
enum Taken {
    All,
    /// None was: there is no way to take so many together.
    TooMany,
}

/// Calls `take` with the places of keys that are evaluated together. Where they are too many it is
/// called with fewer, at last with each alone, which it has to take.
fn each_batch<E>(keys: &Keys, mut take: impl FnMut(Range<usize>) -> Result<Taken, E>) -> Result<(), E> {
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

/// The parts of some keys with where the formulas hold in them.
pub(super) struct Ready {
    /// The places of the keys.
    pub(super) traces: Range<usize>,
    pub(super) letters: Letters,
    pub(super) rows: Vec<Bitmap>,
}

/// What it takes to evaluate the parts of keys. Threads share it.
#[derive(Clone, Copy)]
pub(super) struct Batches<'a> {
    pub(super) keys: &'a Keys,
    /// The letters of the whole trace.
    pub(super) whole: &'a Letters,
    pub(super) evaluator: &'a Evaluator,
    pub(super) looks_at_time: LooksAtTime,
}

impl Batches<'_> {
    /// Calls `take` with all keys, as many at a time as are evaluated together. With more than one
    /// thread some are evaluated ahead.
    pub(super) fn each(
        self,
        threads: NonZero<usize>,
        mut take: impl FnMut(Ready) -> Result<(), Error>,
    ) -> Result<(), Error> {
        if threads.get() == 1 || self.keys.start(self.keys.len()) <= STATES {
            return self.evaluate_all(threads, |ready| take(ready?));
        }
        let (done, coming) = mpsc::sync_channel(AHEAD);
        #[expect(clippy::disallowed_methods, reason = "whoever calls has decided about threads, by `Pieces`")]
        thread::scope(|scope| {
            // Whoever asked may have found a mistake, and be gone.
            let send = move |ready| done.send(ready).map_err(|_| Gone);
            scope.spawn(move || self.evaluate_all(threads, send));
            coming.into_iter().try_for_each(|ready: Result<Ready, GaveUp>| take(ready?))
        })
    }

    /// Calls `take` with all keys, until it fails.
    fn evaluate_all<E>(
        self,
        threads: NonZero<usize>,
        mut take: impl FnMut(Result<Ready, GaveUp>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut cache = Cache::for_threads(threads);
        each_batch(self.keys, |traces| match self.evaluate(traces, &mut cache).transpose() {
            Some(ready) => take(ready).map(|()| Taken::All),
            None => Ok(Taken::TooMany),
        })
    }

    /// Evaluates the parts of some keys together; none if there is no way to take so many.
    fn evaluate(self, traces: Range<usize>, cache: &mut Cache) -> Result<Option<Ready>, GaveUp> {
        let owned = |rows: Vec<&Bitmap>| rows.into_iter().cloned().collect();
        if traces.len() == 1 {
            let letters = self.whole.gather(self.keys.positions(traces.clone()));
            let rows = owned(self.evaluator.truth(cache, &letters)?);
            return Ok(Some(Ready { traces, letters, rows }));
        }
        let Some(batch) = self.joined(traces.clone()) else { return Ok(None) };
        let rows = self.evaluator.truth_of_batch(cache, &batch).map(owned);
        Ok(rows.map(|rows| Ready { traces, letters: batch.letters, rows }))
    }

    /// The letters of some keys, one behind the other; none if there is no room in time for so
    /// many.
    fn joined(self, traces: Range<usize>) -> Option<Batch> {
        let positions = self.keys.positions(traces.clone());
        let lengths: Vec<usize> = traces.map(|trace| self.keys.group(trace).positions.len()).collect();
        let letters = match self.looks_at_time {
            LooksAtTime::Yes => self.whole.gather(positions),
            LooksAtTime::No => Letters {
                len: positions.len(),
                bitmaps: self.whole.bitmaps.iter().map(|bitmap| bitmap.gather(positions)).collect(),
                time: None,
            },
        };
        Batch::new(letters, &lengths)
    }
}

/// Nobody waits for what is evaluated.
struct Gone;
