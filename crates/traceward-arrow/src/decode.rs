//! Decoding, and what goes wrong in it.

use arrow_array::RecordBatch;
use std::cell::Cell;
use std::fmt::Display;
use std::ops::ControlFlow;
use std::panic::{self, AssertUnwindSafe};
use traceward_trace::{TraceError, TraceErrorKind};

/// The number of rows that are handed on at once: their columns fit a cache.
pub(crate) const ROWS: usize = 1 << 14;

/// Takes batches, and says whether it wants more.
pub(crate) type Take<'a> = &'a mut dyn FnMut(&RecordBatch) -> ControlFlow<()>;

/// Makes batches of the pieces of a table, each by itself.
pub(crate) trait Decoder: Sync {
    /// A part of a table that is decoded at once.
    type Piece: Send + Sync;

    /// The number of rows that a piece says it has, if it does: nobody need believe it.
    fn rows(&self, _piece: &Self::Piece) -> usize {
        0
    }

    /// Hands on the batches of a piece.
    fn decode(&self, piece: &Self::Piece, take: Take<'_>) -> Result<(), TraceError>;

    /// Adds the next piece to one, if both are decoded at once with less work.
    fn join(&self, _piece: &mut Self::Piece, _next: &Self::Piece) -> bool {
        false
    }

    /// Hands them on behind all pieces before, to tell what is wrong with it if something is.
    fn decode_again(&self, piece: &Self::Piece, take: Take<'_>) -> Result<(), TraceError> {
        self.decode(piece, take)
    }
}

/// The error of a table that cannot be decoded.
pub(crate) fn damaged(format: &'static str, detail: impl Display) -> TraceError {
    let detail = detail.to_string();
    TraceErrorKind::DamagedTable { format, detail }.into()
}

thread_local! {
    /// Whether a decoder is at work here whose panics are caught.
    static IS_GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Whether a panic of this thread would be caught, and told as what is wrong with a table. A
/// program that has a say in what is printed of panics need print nothing of this one.
pub fn is_guarded() -> bool {
    IS_GUARDED.get()
}

/// Calls a decoder.
///
/// The libraries that decode tables index, slice and subtract in places where only a file that is
/// not damaged keeps them from panicking. No input may panic, and what they leave behind is dropped
/// with the error; so this is the one place where a panic is caught.
pub(crate) fn guarded<T>(
    format: &'static str,
    decode: impl FnOnce() -> Result<T, TraceError>,
) -> Result<T, TraceError> {
    let before = IS_GUARDED.replace(true);
    let decoded = panic::catch_unwind(AssertUnwindSafe(decode));
    IS_GUARDED.set(before);
    decoded.unwrap_or_else(|payload| {
        let text = payload.downcast_ref::<&str>().copied();
        let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        Err(damaged(format, text.unwrap_or("its decoder gave up")))
    })
}

/// Hands on a batch in parts of no more than [`ROWS`].
pub(crate) fn in_parts(batch: &RecordBatch, take: Take<'_>) -> ControlFlow<()> {
    let mut start = 0;
    while start < batch.num_rows() {
        let count = ROWS.min(batch.num_rows() - start);
        take(&batch.slice(start, count))?;
        start += count;
    }
    ControlFlow::Continue(())
}
