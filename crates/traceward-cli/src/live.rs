//! Standard input as it arrives, until it ends or somebody interrupts.
//!
//! A thread waits for bytes and another for signals, so that a quiet pipe keeps nobody from ending.
//! Both may still be waiting when the program ends.
//!
//! A signal asks for the end: [`Interrupt`] is looked at after every state. Whoever is busy in one
//! long step, or waits for a reader that does not read, cannot look. So the thread that waits for
//! signals grants a moment, and then ends the program itself. A second signal kills at once.

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR1};
use signal_hook::flag;
use signal_hook::iterator::Signals;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, TryRecvError, channel, sync_channel};
use std::thread;
use std::time::Duration;

/// The size of a piece: as much as a pipe holds.
const PIECE: usize = 64 << 10;

/// The number of pieces that may wait to be looked at. They are few, so that a signal is not long
/// in coming, and memory stays small.
const WAITING: usize = 4;

/// The number of pieces after which output is due even if more are waiting: where input never
/// pauses, verdicts come out all the same.
const MOST_UNTOLD: usize = 16;

/// The time that the program has to end by itself after a signal.
pub const GRACE: Duration = Duration::from_millis(300);

/// An event on standard input.
pub enum News {
    /// Bytes.
    Bytes(Piece),
    /// A signal asks what is known so far.
    Asked,
    /// So much time has passed without any of these.
    Waited,
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

/// Whether a signal has asked for the end.
#[derive(Clone, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Whether it has.
    pub fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Takes signals from now on. `ask` is called if one asks what is known, as long as it returns
    /// true, `end` if one asks for the end, and a moment later `last_resort`, which ends the
    /// program if nobody else does.
    pub fn listen(
        &self,
        mut ask: impl FnMut() -> bool + Send + 'static,
        end: impl FnOnce() + Send + 'static,
        last_resort: impl FnOnce() + Send + 'static,
    ) -> io::Result<()> {
        let taken = taken_signals();
        for &signal in &taken {
            // In this order: the first signal finds the flag down and sets it, the next kills.
            flag::register_conditional_default(signal, self.0.clone())?;
            flag::register(signal, self.0.clone())?;
        }
        let mut questions = Signals::new([SIGUSR1])?;
        thread::Builder::new().spawn(move || {
            questions.forever().take_while(|_| ask()).for_each(drop);
        })?;
        let mut signals = Signals::new(taken)?;
        thread::Builder::new().spawn(move || {
            if signals.forever().next().is_some() {
                end();
                thread::sleep(GRACE);
                last_resort();
            }
        })?;
        Ok(())
    }
}

/// The signals that ask for the end. Who has hang-ups ignored, as `nohup` does, keeps it so.
fn taken_signals() -> Vec<i32> {
    let hang_up = (!is_ignored(SIGHUP)).then_some(SIGHUP);
    [SIGINT, SIGTERM].into_iter().chain(hang_up).collect()
}

/// Whether a signal was ignored when the program began, as far as the system tells.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

/// Standard input.
pub struct Live {
    news: Receiver<News>,
    /// Memory on its way back.
    used: Sender<Box<[u8]>>,
    untold: usize,
}

impl Live {
    /// Begins to read standard input, and to take signals. `last_resort` ends the program if it has
    /// not ended a moment after one.
    pub fn standard_input(interrupt: &Interrupt, last_resort: impl FnOnce() + Send + 'static) -> io::Result<Self> {
        let (sender, news) = sync_channel(WAITING);
        let (used, spare) = channel();
        let (asked, ended) = (sender.clone(), sender.clone());
        // Whoever has gone is asked nothing; where there is no room, nobody is waiting for news.
        let ask = move || asked.send(News::Asked).is_ok();
        let end = move || drop(ended.try_send(News::Interrupted));
        interrupt.listen(ask, end, last_resort)?;
        thread::Builder::new().spawn(move || read_all(&mut io::stdin().lock(), &sender, &spare))?;
        Ok(Self { news, used, untold: 0 })
    }

    /// The next event, which is that time has passed if none comes within the patience. `tell` is
    /// called before it is waited for, and now and then if there is no need to wait, so that what
    /// was found out is told in time.
    pub fn next(&mut self, patience: Option<Duration>, tell: impl FnOnce() -> io::Result<()>) -> io::Result<News> {
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
            Err(TryRecvError::Empty) => self.wait(patience),
            Err(TryRecvError::Disconnected) => News::End,
        })
    }

    fn wait(&self, patience: Option<Duration>) -> News {
        match patience.map(|patience| self.news.recv_timeout(patience)) {
            None => self.news.recv().unwrap_or(News::End),
            Some(Ok(news)) => news,
            Some(Err(RecvTimeoutError::Timeout)) => News::Waited,
            Some(Err(RecvTimeoutError::Disconnected)) => News::End,
        }
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
