//! Standard input as it arrives, until it ends or somebody interrupts.
//!
//! A thread waits for bytes and another for signals, so that a quiet pipe keeps nobody from ending; what they have to say goes
//! through one channel, in order. Both may still be waiting when the program ends.

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::io::{self, Read};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

/// As much as a pipe holds.
const PIECE: usize = 64 << 10;

/// Pieces that wait to be looked at. Few, so that a signal is not long in coming, and memory stays small.
const WAITING: usize = 4;

/// What standard input has to say.
pub enum News {
    /// Bytes.
    Bytes(Vec<u8>),
    /// No more bytes will come.
    End,
    /// A signal: nobody wants more bytes.
    Interrupted,
    /// It cannot be read.
    Failed(io::Error),
}

/// Begins to read standard input.
pub fn standard_input() -> io::Result<Receiver<News>> {
    let (sender, receiver) = sync_channel(WAITING);
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    let told = sender.clone();
    thread::Builder::new().spawn(move || {
        if signals.forever().next().is_some() {
            // Nobody listens any more if the monitor has ended by itself.
            let _ = told.send(News::Interrupted);
        }
    })?;
    thread::Builder::new().spawn(move || read_all(&mut io::stdin().lock(), &sender))?;
    Ok(receiver)
}

fn read_all(input: &mut impl Read, sender: &SyncSender<News>) {
    loop {
        let mut bytes = vec![0; PIECE];
        let news = match input.read(&mut bytes) {
            Ok(0) => News::End,
            Ok(count) => {
                bytes.truncate(count);
                News::Bytes(bytes)
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
