//! Pieces of an input that are read ahead, side by side, and put together in order.
//!
//! An input is cut behind line ends. Each piece is read by a reader of its own into a [`Block`], as
//! if it began with a record. Whether it does is known once the pieces before it have been put
//! together: if not, because a quoted field reaches over the cut, or if the block has given up, the
//! piece is read again behind what comes before it. So what is read never depends on where an input
//! was cut, or on how many threads there are; `tests/pieces.rs` tries it.

use crate::block::Block;
use crate::error::TraceError;
use crate::record::{End, Pump, ReadStop, RecordReader};
use crate::source::{Piece, Source};
use crate::states::States;
use std::collections::VecDeque;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// The pieces that wait for each thread: one that is read, and one that is ready to be.
const WAITING: usize = 2;

/// The first piece: the header and some records, by which types are known. It is read alone.
const FIRST: usize = 16 << 10;

/// The next pieces, of an input that may be short: all threads are to have some of it.
const SMALL: usize = 64 << 10;

/// The part of an input so far that the next piece is large, at the least.
const PART: usize = 32;

/// The pieces of full size that are as much as an input may have without threads: to begin those
/// takes as long as to read it.
const ALONE: usize = 3;

/// The largest piece before there are threads: nobody else is to have some of it, and memory that
/// is used again is neither cleared by the system nor far away.
const NEAR: usize = 128 << 10;

/// A piece that somebody is to read.
struct Job<'o, R> {
    piece: Piece,
    reader: R,
    block: Block<'o>,
    done: Sender<Done<'o, R>>,
}

/// A piece that was read, with what came out.
struct Done<'o, R> {
    piece: Piece,
    reader: R,
    /// The states; none if the piece has to be read behind others.
    block: Option<Block<'o>>,
    /// The number of bytes that were whole records.
    consumed: usize,
}

impl<'o, R: RecordReader> Job<'o, R> {
    fn run(self) {
        let Self { piece, mut reader, mut block, done } = self;
        let read = reader.consume(piece.bytes(), End::More, &mut block);
        let consumed = *read.as_ref().unwrap_or(&0);
        let block = read.is_ok().then_some(block);
        // Whoever asked may have found a mistake before this piece, and be gone.
        let _ = done.send(Done { piece, reader, block, consumed });
    }
}

/// A piece whose turn has not come.
enum Waiting<'o, R> {
    Unread(Piece),
    Ahead(Receiver<Done<'o, R>>),
}

/// Reads a whole input into states.
#[expect(clippy::disallowed_methods, reason = "whoever calls has decided about threads, by `Pieces`")]
pub(crate) fn drive<'o, R: RecordReader>(
    source: &mut Source<'_>,
    pump: &mut Pump<R>,
    states: &mut States<'o>,
) -> Result<(), TraceError> {
    let pieces = states.pieces();
    if source.is_within(pieces.size.min(FIRST)) {
        return source.drive(pump, states);
    }
    let threads = pieces.threads.get();
    let (alone, largest) = match threads {
        1 => (usize::MAX, pieces.size),
        _ => (pieces.size.saturating_mul(ALONE), pieces.size.min(NEAR)),
    };
    let sizes = Sizes::new(largest);
    let mut conductor = Conductor { source, pump, states, sizes, spare: Vec::new(), joined: 0 };
    let read = match conductor.conduct(1, alone, &Job::run) {
        Ok(Left::More) => {
            conductor.sizes.largest = pieces.size;
            let (jobs, queue) = mpsc::channel::<Job<'o, R>>();
            let queue = Mutex::new(queue);
            thread::scope(|scope| {
                (0..threads).for_each(|_| drop(scope.spawn(|| work(&queue))));
                // The queue outlives all jobs; without jobs threads end.
                conductor.conduct(WAITING * threads, usize::MAX, &move |job| drop(jobs.send(job)))
            })
        }
        read => read,
    };
    match read {
        Err(ReadStop::Failed(error)) => Err(error),
        Ok(_) | Err(ReadStop::Asked) => Ok(()),
    }
}

/// Reads pieces as long as there may be any.
fn work<R: RecordReader>(queue: &Mutex<Receiver<Job<'_, R>>>) {
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
    while let Ok(job) = next() {
        job.run();
    }
}

/// Has pieces read, and puts them together.
struct Conductor<'c, 's, 'o, R> {
    source: &'c mut Source<'s>,
    pump: &'c mut Pump<R>,
    states: &'c mut States<'o>,
    sizes: Sizes,
    /// Pieces whose memory can be used again.
    spare: Vec<Piece>,
    /// The bytes of all pieces whose states have been added.
    joined: usize,
}

/// Whether there is more of an input.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Left {
    More,
    Nothing,
}

impl<'o, R: RecordReader> Conductor<'_, '_, 'o, R> {
    /// Has pieces read, so many at a time, until about so many bytes have been taken or all are.
    fn conduct(&mut self, most: usize, until: usize, begin: &dyn Fn(Job<'o, R>)) -> Result<Left, ReadStop> {
        let mut waiting: VecDeque<Waiting<'o, R>> = VecDeque::new();
        let mut failed = None;
        loop {
            while waiting.len() < most && failed.is_none() && self.sizes.taken < until {
                match self.source.piece(self.sizes.next(), self.spare.pop()) {
                    Ok(Some(piece)) => waiting.push_back(self.send(piece, begin)),
                    Ok(None) => break,
                    // What was read before is put together first, and may have a mistake itself.
                    Err(error) => failed = Some(error),
                }
                if matches!(waiting.back(), Some(Waiting::Unread(_))) {
                    break;
                }
            }
            let piece = match waiting.pop_front() {
                Some(Waiting::Unread(piece)) => self.pump.push(piece.bytes(), self.states).map(|()| piece)?,
                Some(Waiting::Ahead(coming)) => self.take(coming)?,
                None => break,
            };
            self.joined += piece.bytes().len();
            self.spare.push(piece);
            self.states.relieve()?;
        }
        match failed {
            Some(error) => Err(error.into()),
            None if self.sizes.taken >= until && !self.source.is_exhausted() => Ok(Left::More),
            None => self.pump.finish(self.states).map(|()| Left::Nothing),
        }
    }

    /// Has a piece read by somebody, if what is known so far is enough to do so.
    fn send(&mut self, piece: Piece, begin: &dyn Fn(Job<'o, R>)) -> Waiting<'o, R> {
        let expected = self.expected(piece.bytes().len());
        match (self.pump.reader.of_piece(), self.states.block(expected)) {
            (Some(reader), Some(block)) => {
                let (done, coming) = mpsc::channel();
                begin(Job { piece, reader, block, done });
                Waiting::Ahead(coming)
            }
            _ => Waiting::Unread(piece),
        }
    }

    /// The number of states that a piece of so many bytes may hold, by what came before it.
    fn expected(&self, bytes: usize) -> usize {
        let states = self.states.len().checked_div(self.joined / bytes.max(1)).unwrap_or(0);
        // Pieces are not all alike.
        (states + states / 8 + 64).min(bytes)
    }

    /// Adds a piece that was read ahead; returns it, as its memory is used again.
    fn take(&mut self, coming: Receiver<Done<'_, R>>) -> Result<Piece, ReadStop> {
        let done = coming.recv().expect("a thread that reads does not end before its piece");
        let line = self.pump.reader.line();
        let is_between = self.pump.is_between_records();
        let is_added = is_between && done.block.is_some_and(|block| self.states.append(block, line));
        if is_added {
            self.pump.join(done.reader, done.piece.bytes(), done.consumed, self.states)?;
        } else {
            self.pump.push(done.piece.bytes(), self.states)?;
        }
        Ok(done.piece)
    }
}

/// The sizes of pieces, one after the other.
struct Sizes {
    largest: usize,
    /// The bytes of all pieces so far.
    taken: usize,
}

impl Sizes {
    fn new(largest: usize) -> Self {
        Self { largest, taken: 0 }
    }

    fn next(&mut self) -> usize {
        let size = if self.taken == 0 { FIRST } else { SMALL.max(self.taken / PART) };
        let size = size.min(self.largest);
        self.taken = self.taken.saturating_add(size);
        size
    }
}
