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
const PART: usize = 8;

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
    let most = WAITING * pieces.threads.get();
    let read = match pieces.threads.get() {
        1 => conduct(source, pump, states, most, &Job::run),
        threads => {
            let (jobs, queue) = mpsc::channel::<Job<'o, R>>();
            let queue = Mutex::new(queue);
            thread::scope(|scope| {
                (0..threads).for_each(|_| drop(scope.spawn(|| work(&queue))));
                // The queue outlives all jobs; without jobs threads end.
                conduct(source, pump, states, most, &move |job| drop(jobs.send(job)))
            })
        }
    };
    match read {
        Err(ReadStop::Failed(error)) => Err(error),
        Ok(()) | Err(ReadStop::Asked) => Ok(()),
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
fn conduct<'o, R: RecordReader>(
    source: &mut Source<'_>,
    pump: &mut Pump<R>,
    states: &mut States<'o>,
    most: usize,
    begin: &dyn Fn(Job<'o, R>),
) -> Result<(), ReadStop> {
    let mut sizes = Sizes { largest: states.pieces().size, taken: 0 };
    let mut waiting: VecDeque<Waiting<'o, R>> = VecDeque::new();
    let mut spare = Vec::new();
    let mut failed = None;
    loop {
        while waiting.len() < most && failed.is_none() {
            match source.piece(sizes.next(), spare.pop()) {
                Ok(Some(piece)) => waiting.push_back(send(piece, pump, states, begin)),
                Ok(None) => break,
                // What was read before is put together first, and may have a mistake itself.
                Err(error) => failed = Some(error),
            }
            if matches!(waiting.back(), Some(Waiting::Unread(_))) {
                break;
            }
        }
        let piece = match waiting.pop_front() {
            Some(Waiting::Unread(piece)) => pump.push(piece.bytes(), states).map(|()| piece)?,
            Some(Waiting::Ahead(coming)) => take(coming, pump, states)?,
            None => break,
        };
        spare.push(piece);
        states.relieve()?;
    }
    match failed {
        Some(error) => Err(error.into()),
        None => pump.finish(states),
    }
}

/// The sizes of pieces, one after the other.
struct Sizes {
    largest: usize,
    /// The bytes of all pieces so far.
    taken: usize,
}

impl Sizes {
    fn next(&mut self) -> usize {
        let size = if self.taken == 0 { FIRST } else { SMALL.max(self.taken / PART) };
        let size = size.min(self.largest);
        self.taken = self.taken.saturating_add(size);
        size
    }
}

/// Has a piece read by somebody, if what is known so far is enough to do so.
fn send<'o, R: RecordReader>(
    piece: Piece,
    pump: &Pump<R>,
    states: &States<'o>,
    begin: &dyn Fn(Job<'o, R>),
) -> Waiting<'o, R> {
    match (pump.reader.of_piece(), states.block()) {
        (Some(reader), Some(block)) => {
            let (done, coming) = mpsc::channel();
            begin(Job { piece, reader, block, done });
            Waiting::Ahead(coming)
        }
        _ => Waiting::Unread(piece),
    }
}

/// Adds a piece that was read ahead; returns it, as its memory is used again.
fn take<R: RecordReader>(
    coming: Receiver<Done<'_, R>>,
    pump: &mut Pump<R>,
    states: &mut States<'_>,
) -> Result<Piece, ReadStop> {
    let done = coming.recv().expect("a thread that reads does not end before its piece");
    let line = pump.reader.line();
    let is_added = pump.is_between_records() && done.block.is_some_and(|block| states.append(block, line));
    if is_added {
        pump.join(done.reader, done.piece.bytes(), done.consumed, states)?;
    } else {
        pump.push(done.piece.bytes(), states)?;
    }
    Ok(done.piece)
}
