//! Standard input as it arrives, until it ends or somebody interrupts.
//!
//! A thread waits for bytes and another for signals, so that a quiet pipe keeps nobody from ending;
//! what they have to say goes through one channel, in order. Both may still be waiting when the
//! program ends.

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::io::{self, Read};
use std::sync::mpsc::{Receiver, Sender, SyncSender, TryRecvError, channel, sync_channel};
use std::thread;

/// The size of a piece: as much as a pipe holds.
const PIECE: usize = 64 << 10;

/// The number of pieces that may wait to be looked at. They are few, so that a signal is not long
/// in coming, and memory stays small.
const WAITING: usize = 4;

/// The number of pieces after which output is due even if more are waiting: where input never
/// pauses, verdicts come out all the same.
const MOST_UNTOLD: usize = 16;

/// An event on standard input.
pub enum News {
    /// Bytes.
    Bytes(Piece),
    /// No more bytes will come.
    End,
    /// A signal: nobody wants more bytes.
    Interrupted,
    /// Standard input cannot be read.
    Failed(io::Error),
}

/// Bytes that have arrived.
pub struct Piece {
    memory: Box<[u8]>,
    len: usize,
}

impl Piece {
    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.memory[..self.len]
    }
}

/// Standard input.
pub struct Live {
    news: Receiver<News>,
    /// Memory on its way back.
    used: Sender<Box<[u8]>>,
    untold: usize,
}

impl Live {
    /// Begins to read standard input.
    pub fn standard_input() -> io::Result<Self> {
        let (sender, news) = sync_channel(WAITING);
        let (used, spare) = channel();
        let mut signals = Signals::new([SIGINT, SIGTERM])?;
        let told = sender.clone();
        thread::Builder::new().spawn(move || {
            if signals.forever().next().is_some() {
                // Nobody listens any more if the monitor has ended by itself.
                let _ = told.send(News::Interrupted);
            }
        })?;
        thread::Builder::new().spawn(move || read_all(&mut io::stdin().lock(), &sender, &spare))?;
        Ok(Self { news, used, untold: 0 })
    }

    /// The next event. `tell` is called before it is waited for, and now and then if there is no
    /// need to wait, so that what was found out is told in time.
    pub fn next(&mut self, tell: impl FnOnce() -> io::Result<()>) -> io::Result<News> {
        let news = match self.news.try_recv() {
            Ok(news) if self.untold < MOST_UNTOLD => {
                self.untold += 1;
                return Ok(news);
            }
            news => news,
        };
        self.untold = 0;
        tell()?;
        Ok(match news {
            Ok(news) => news,
            Err(TryRecvError::Empty) => self.news.recv().unwrap_or(News::End),
            Err(TryRecvError::Disconnected) => News::End,
        })
    }

    /// Gives memory back, to be filled again.
    pub fn give_back(&self, piece: Piece) {
        // Nobody needs it if the input has ended.
        let _ = self.used.send(piece.memory);
    }
}

fn read_all(input: &mut impl Read, sender: &SyncSender<News>, spare: &Receiver<Box<[u8]>>) {
    let mut memory = fresh();
    loop {
        let news = match input.read(&mut memory) {
            Ok(0) => News::End,
            Ok(len) => {
                let next = spare.try_recv().unwrap_or_else(|_| fresh());
                News::Bytes(Piece { memory: std::mem::replace(&mut memory, next), len })
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => News::Failed(error),
        };
        let is_last = !matches!(news, News::Bytes(_));
        if sender.send(news).is_err() || is_last {
            return;
        }
    }
}

fn fresh() -> Box<[u8]> {
    vec![0; PIECE].into()
}
