//! The face of engines that look at a trace that has ended, as a whole.

use super::reverse::Scratch;
use super::walkthrough::{Guide, Walkthrough, WalkthroughError};
use super::{Decision, EngineConfig};
use crate::limit::GaveUp;
use crate::prepared::Prepared;
use std::fmt::Debug;
use std::num::NonZero;
use traceward_logic::bitmap::Bitmap;
use traceward_logic::letter::{Batch, Letters};

/// An engine that tells where formulas hold.
pub trait Offline: Debug + Send + Sync {
    /// Compiles the formulas of these indices.
    fn compile(prepared: &Prepared, indices: &[usize], config: EngineConfig) -> Self
    where
        Self: Sized;

    /// The positions at which each formula holds.
    fn truth<'c>(&self, cache: &'c mut Cache, letters: &Letters) -> Result<Vec<&'c Bitmap>, GaveUp>;

    /// The same for traces that stand one behind the other, each judged by itself; none from an
    /// engine that takes traces only one by one.
    fn truth_of_batch<'c>(&self, _cache: &'c mut Cache, _batch: &Batch) -> Option<Vec<&'c Bitmap>> {
        None
    }

    /// Whether each formula holds at position 0 of a trace with a state.
    fn decide(&self, letters: &Letters) -> Result<Vec<Decision>, GaveUp> {
        let mut cache = Cache::default();
        let rows = self.truth(&mut cache, letters)?;
        Ok(rows.into_iter().map(|row| Decision { holds: row.get(0), decided_at: None }).collect())
    }

    /// The steps of the first formula over the letters of a guide, from an engine that holds
    /// something on its way.
    fn walkthrough(&self, _guide: &Guide<'_>) -> Result<Walkthrough, WalkthroughError> {
        Err(WalkthroughError::NothingHeld)
    }
}

/// Scratch of an engine, for use with one after another, and the threads that it may take. Rows are
/// kept from one question to the next: clearing fresh memory takes longer than filling it.
#[derive(Clone, Debug)]
pub struct Cache {
    pub(super) scratches: Vec<Scratch>,
    pub(super) rows: Vec<Bitmap>,
    threads: NonZero<usize>,
}

impl Default for Cache {
    /// For an engine that stays on the thread of its caller.
    fn default() -> Self {
        Self::for_threads(NonZero::<usize>::MIN)
    }
}

impl Cache {
    /// For an engine that may work on so many threads at a time, that of its caller included. What
    /// it answers does not depend on it.
    pub fn for_threads(threads: NonZero<usize>) -> Self {
        Self { scratches: Vec::new(), rows: Vec::new(), threads }
    }

    pub(super) fn threads(&self) -> NonZero<usize> {
        self.threads
    }

    /// Keeps rows for the next question, and lends them to the caller.
    pub(super) fn keep(&mut self, rows: Vec<Bitmap>) -> Vec<&Bitmap> {
        self.rows = rows;
        self.rows.iter().collect()
    }
}
