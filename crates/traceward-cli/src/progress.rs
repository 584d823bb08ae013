//! How far the reading of a trace has come, shown on a terminal once it takes longer than a moment.

use crate::failure::{Outcome, tell};
use indicatif::{HumanBytes, HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};
use memchr::memchr_iter;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::io::{self, IsTerminal, Read};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The time after which somebody would like to know.
const PATIENCE: Duration = Duration::from_secs(1);

/// Shows on a terminal how far the reading has come, and says so when it is interrupted.
pub struct Progress(Option<Arc<Mutex<Reading>>>);

/// What is read, and how much of it has been.
struct Reading {
    name: String,
    bar: ProgressBar,
    total: Option<u64>,
    bytes: u64,
    /// The line ends; none where bytes are compressed.
    lines: Option<u64>,
    since: Instant,
    is_shown: bool,
}

impl Progress {
    /// Shows something only if standard error is a terminal, and the caller has not asked for
    /// quiet.
    pub fn new(quiet: bool) -> Self {
        if quiet || !io::stderr().is_terminal() {
            return Self(None);
        }
        let reading = Arc::new(Mutex::new(Reading::new(String::new(), None)));
        if let Ok(mut signals) = Signals::new([SIGINT, SIGTERM]) {
            let reading = reading.clone();
            thread::spawn(move || {
                if signals.forever().next().is_some() {
                    let reading = reading.lock().unwrap_or_else(PoisonError::into_inner);
                    reading.bar.finish_and_clear();
                    tell(&format!("interrupted: {}", reading.summary()));
                    std::process::exit(i32::from(Outcome::Unanswered.exit_status()));
                }
            });
        }
        Self(Some(reading))
    }

    /// The input, watched while it is read; `total` is its length, if that is known.
    pub fn watch(&self, name: &str, input: impl Read + 'static, total: Option<u64>) -> Box<dyn Read> {
        let Some(reading) = &self.0 else { return Box::new(input) };
        *reading.lock().unwrap_or_else(PoisonError::into_inner) = Reading::new(name.to_owned(), total);
        Box::new(Watched { input, reading: reading.clone() })
    }
}

impl Reading {
    fn new(name: String, total: Option<u64>) -> Self {
        let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::hidden());
        let (bytes, lines, since, is_shown) = (0, Some(0), Instant::now(), false);
        Self { name, bar, total, bytes, lines, since, is_shown }
    }

    fn add(&mut self, bytes: &[u8]) {
        let is_compressed =
            self.bytes == 0 && (bytes.starts_with(&[0x1F, 0x8B]) || bytes.starts_with(&[0x28, 0xB5, 0x2F, 0xFD]));
        self.lines =
            self.lines.filter(|_| !is_compressed).map(|lines| lines + memchr_iter(b'\n', bytes).count() as u64);
        self.bytes += bytes.len() as u64;
        if bytes.is_empty() {
            self.bar.finish_and_clear();
        } else if self.since.elapsed() >= PATIENCE {
            self.show();
        }
    }

    fn show(&mut self) {
        if !self.is_shown {
            self.is_shown = true;
            let template = match self.total {
                Some(_) => "{wide_bar} {bytes}/{total_bytes} {msg} {eta} left",
                None => "{spinner} {bytes} {msg}",
            };
            self.bar.set_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()));
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        let seconds = self.since.elapsed().as_secs_f64();
        let rate = self.lines.map(|lines| format!("{} lines/s", HumanCount((lines as f64 / seconds) as u64)));
        self.bar.set_message(rate.unwrap_or_default());
        self.bar.set_position(self.bytes);
    }

    /// How far it has come.
    fn summary(&self) -> String {
        let of = self.total.map(|total| format!(" of {}", HumanBytes(total))).unwrap_or_default();
        let lines = self.lines.map(|lines| format!(", {} lines,", HumanCount(lines))).unwrap_or_default();
        format!("{}{of}{lines} of {} had been read; nothing was answered", HumanBytes(self.bytes), self.name)
    }
}

/// An input that tells how much of it has been read.
struct Watched<R> {
    input: R,
    reading: Arc<Mutex<Reading>>,
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.input.read(buffer)?;
        self.reading.lock().unwrap_or_else(PoisonError::into_inner).add(&buffer[..count]);
        Ok(count)
    }
}

impl<R> Drop for Watched<R> {
    fn drop(&mut self) {
        self.reading.lock().unwrap_or_else(PoisonError::into_inner).bar.finish_and_clear();
    }
}
