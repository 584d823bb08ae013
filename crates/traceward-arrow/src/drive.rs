//! Pieces of a table that are decoded side by side, and put together in order.
//!
//! Each piece fills a block by itself. Where its states turn out to depend on those before them, or
//! where something is wrong with it, it is decoded again behind them: so there is one place that
//! knows what is to be said, and what is read does not depend on the number of threads.

use crate::column::Layout;
use crate::decode::Decoder;
use crate::input::Watch;
use std::collections::VecDeque;
use std::iter::Peekable;
use std::num::NonZero;
use std::ops::ControlFlow;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use traceward_trace::{TableBlock, TableStates, TraceError};

/// The pieces that wait beside those that are decoded. Each piece that waits takes memory, and
/// those who decode are mostly faster than whoever puts pieces together.
const WAITING: usize = 1;

/// The most rows that room is made for before they are there.
const MOST_EXPECTED: usize = 1 << 20;

/// Reads all pieces of a table into states.
pub(crate) fn drive<'o, D: Decoder>(
    pieces: impl Iterator<Item = Result<D::Piece, TraceError>>,
    decoder: &D,
    layout: &Layout,
    states: &mut TableStates<'o>,
    (threads, watch): (NonZero<usize>, &Watch),
) -> Result<(), TraceError> {
    let conductor = Conductor { decoder, layout, watch };
    if threads.get() == 1 {
        return conductor.conduct(pieces, states, 1, None);
    }
    let (jobs, queue) = mpsc::channel::<Job<'o, D::Piece>>();
    let queue = Mutex::new(queue);
    // The caller has said how many threads there are to be.
    #[expect(clippy::disallowed_methods)]
    thread::scope(|scope| {
        (0..threads.get()).for_each(|_| drop(scope.spawn(|| conductor.work(&queue))));
        // The queue outlives all jobs; without jobs threads end.
        conductor.conduct(pieces, states, WAITING + threads.get(), Some(jobs))
    })
}

/// A piece that somebody is to decode.
struct Job<'o, P> {
    piece: Arc<P>,
    block: TableBlock<'o>,
    done: Sender<Option<TableBlock<'o>>>,
}

/// A piece whose turn has not come, with the block that somebody fills with it.
struct Waiting<'o, P> {
    piece: Arc<P>,
    coming: Option<Receiver<Option<TableBlock<'o>>>>,
}

struct Conductor<'d, D> {
    decoder: &'d D,
    layout: &'d Layout,
    watch: &'d Watch,
}

impl<D: Decoder> Conductor<'_, D> {
    /// Decodes pieces as long as there may be any.
    fn work<'o>(&self, queue: &Mutex<Receiver<Job<'o, D::Piece>>>) {
        let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        while let Ok(Job { piece, block, done }) = next() {
            // Whoever asked may have found a mistake before this piece, and be gone.
            let _ = done.send(self.fill(&piece, block));
        }
    }

    /// The block with the rows of a piece; none if it has to be read behind others.
    fn fill<'o>(&self, piece: &D::Piece, mut block: TableBlock<'o>) -> Option<TableBlock<'o>> {
        let mut is_filled = true;
        block.expect(self.decoder.rows(piece).min(MOST_EXPECTED));
        let decoded = self.decoder.decode(piece, &mut |batch| {
            is_filled = self.layout.with_rows(batch, |rows| block.push(rows));
            if is_filled { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        (is_filled && decoded.is_ok()).then_some(block)
    }

    /// Has pieces decoded, and puts them together.
    fn conduct<'o>(
        &self,
        pieces: impl Iterator<Item = Result<D::Piece, TraceError>>,
        states: &mut TableStates<'o>,
        most: usize,
        jobs: Option<Sender<Job<'o, D::Piece>>>,
    ) -> Result<(), TraceError> {
        let mut pieces = pieces.fuse().peekable();
        let mut waiting: VecDeque<Waiting<'o, D::Piece>> = VecDeque::new();
        let mut failed = None;
        loop {
            while waiting.len() < most && failed.is_none() {
                match pieces.next() {
                    Some(Ok(piece)) => waiting.push_back(send(piece, states, jobs.as_ref())),
                    // What was read before is put together first, and may have a mistake itself.
                    Some(Err(error)) => failed = Some(error),
                    None => break,
                }
                // What is not known before a piece may be known behind it.
                if waiting.back().is_some_and(|last| last.coming.is_none()) {
                    break;
                }
            }
            let Some(mut first) = waiting.pop_front() else { break };
            if first.coming.is_none() && states.block().is_none() {
                self.join(&mut first.piece, &mut pieces);
            }
            let block = first.coming.and_then(|coming| coming.recv().ok().flatten());
            if !block.is_some_and(|block| states.append(block)) {
                self.push(&first.piece, states)?;
            }
            states.relieve()?;
            self.watch.tell(states.rows());
        }
        failed.map_or(Ok(()), |error| Err(error.on_line(states.rows() + 1)))
    }

    /// Adds the pieces behind one that has to be read behind others: those that have something in
    /// common would decode it again and again.
    fn join(
        &self,
        piece: &mut Arc<D::Piece>,
        pieces: &mut Peekable<impl Iterator<Item = Result<D::Piece, TraceError>>>,
    ) {
        while let (Some(piece), Some(Ok(next))) = (Arc::get_mut(piece), pieces.peek())
            && self.decoder.join(piece, next)
        {
            pieces.next();
        }
    }

    /// Takes a piece behind the states so far.
    fn push(&self, piece: &D::Piece, states: &mut TableStates<'_>) -> Result<(), TraceError> {
        let mut pushed = Ok(());
        let decoded = self.decoder.decode_again(piece, &mut |batch| {
            pushed = self.layout.with_rows(batch, |rows| states.push(rows)).and_then(|()| states.relieve());
            self.watch.tell(states.rows());
            if pushed.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        pushed?;
        decoded.map_err(|error| error.on_line(states.rows() + 1))
    }
}

/// Has a piece decoded by somebody, if what is known so far is enough to do so.
fn send<'o, P>(piece: P, states: &mut TableStates<'o>, jobs: Option<&Sender<Job<'o, P>>>) -> Waiting<'o, P> {
    let piece = Arc::new(piece);
    let block = if states.is_settled() && jobs.is_some() { states.block() } else { None };
    let coming = jobs.zip(block).map(|(jobs, block)| {
        let (done, coming) = mpsc::channel();
        // Threads end only when there are no more jobs.
        let _ = jobs.send(Job { piece: piece.clone(), block, done });
        coming
    });
    Waiting { piece, coming }
}
