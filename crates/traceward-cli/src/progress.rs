//! How far the reading of a trace has come, shown on a terminal once it takes longer than a moment.

use crate::failure::{Outcome, tell};
use indicatif::{HumanBytes, HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle, TermLike};
use memchr::memchr_iter;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::io::{self, IsTerminal, Read, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use traceward::engine::Interrupt;
use traceward_arrow::{ReadAt, Table, TableProgress};

/// The time after which somebody would like to know.
const PATIENCE: Duration = Duration::from_secs(1);

/// Shows on a terminal how far the reading has come, and says so when it is interrupted.
pub struct Progress {
    reading: Option<Arc<Mutex<Reading>>>,
    /// The flag by which somebody else ends the reading.
    interrupt: Option<Interrupt>,
}

/// What is read, and how much of it has been.
struct Reading {
    name: String,
    bar: ProgressBar,
    total: Option<u64>,
    bytes: u64,
    /// The line ends; none where bytes are compressed.
    lines: Option<u64>,
    /// The rows, if it is a table.
    rows: Option<TableProgress>,
    since: Instant,
    is_shown: bool,
}

impl Progress {
    /// Shows something only if standard error is a terminal, and the caller has not asked for
    /// quiet.
    pub fn new(quiet: bool) -> Self {
        if quiet || !io::stderr().is_terminal() {
            return Self { reading: None, interrupt: None };
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
        Self { reading: Some(reading), interrupt: None }
    }

    /// Leaves signals to somebody else, who raises an interrupt.
    pub fn interrupted_by(interrupt: Option<Interrupt>, shown: bool) -> Self {
        let reading = shown.then(|| Arc::new(Mutex::new(Reading::new(String::new(), None))));
        Self { reading, interrupt }
    }

    /// The input, whose reading fails once it is to end.
    pub fn interruptible<R>(&self, input: R) -> Interruptible<R> {
        Interruptible { input, interrupt: self.interrupt }
    }

    /// The input, watched while it is read; `total` is its length, if that is known.
    pub fn watch(&self, name: &str, input: impl Read + 'static, total: Option<u64>) -> Box<dyn Read> {
        let input = self.interruptible(input);
        let Some(reading) = &self.reading else { return Box::new(input) };
        *reading.lock().unwrap_or_else(PoisonError::into_inner) = Reading::new(name.to_owned(), total);
        Box::new(Watched { input, reading: reading.clone() })
    }

    /// The table, watched while it is read.
    pub fn watch_table(&self, name: &str, table: Table) -> Table {
        let Some(reading) = &self.reading else { return table };
        *reading.lock().unwrap_or_else(PoisonError::into_inner) = Reading::new(name.to_owned(), None);
        let watched = Watched { input: (), reading: reading.clone() };
        table.watched(move |rows| watched.reading.lock().unwrap_or_else(PoisonError::into_inner).advance(rows))
    }

    /// The count of the rows that somebody else reads.
    pub fn count_rows(&self, name: &str) -> RowCount {
        let Some(reading) = &self.reading else { return RowCount(None) };
        *reading.lock().unwrap_or_else(PoisonError::into_inner) = Reading::new(name.to_owned(), None);
        RowCount(Some((Watched { input: (), reading: reading.clone() }, TableProgress::default())))
    }
}

impl Reading {
    fn new(name: String, total: Option<u64>) -> Self {
        let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::hidden());
        let (bytes, lines, since, is_shown) = (0, Some(0), Instant::now(), false);
        Self { name, bar, total, bytes, lines, rows: None, since, is_shown }
    }

    /// A table has been read as far as that.
    fn advance(&mut self, rows: TableProgress) {
        self.rows = Some(rows);
        self.total = rows.of_rows;
        if self.since.elapsed() >= PATIENCE {
            self.show();
        }
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
            let template = match (self.total, self.rows) {
                (Some(_), None) => "{wide_bar} {bytes}/{total_bytes} {msg} {eta} left",
                (None, None) => "{spinner} {bytes} {msg}",
                (Some(_), Some(_)) => "{wide_bar} {human_pos}/{human_len} rows {msg} {eta} left",
                (None, Some(_)) => "{spinner} {human_pos} rows {msg}",
            };
            if let Some(total) = self.total {
                self.bar.set_length(total);
            }
            self.bar.set_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()));
            self.bar.set_draw_target(target());
        }
        let seconds = self.since.elapsed().as_secs_f64();
        let rate = |count: u64| HumanCount((count as f64 / seconds) as u64);
        let message = match (self.rows, self.lines) {
            (Some(read), _) => format!("{} {} rows/s", HumanBytes(read.bytes), rate(read.rows)),
            (None, Some(lines)) => format!("{} lines/s", rate(lines)),
            (None, None) => String::new(),
        };
        self.bar.set_message(message);
        self.bar.set_position(self.rows.map_or(self.bytes, |read| read.rows));
    }

    /// How far it has come.
    fn summary(&self) -> String {
        if let Some(read) = self.rows {
            let of = read.of_rows.map(|rows| format!(" of {}", HumanCount(rows))).unwrap_or_default();
            let (rows, bytes) = (HumanCount(read.rows), HumanBytes(read.bytes));
            return format!("{rows}{of} rows, {bytes}, of {} had been read; nothing was answered", self.name);
        }
        let of = self.total.map(|total| format!(" of {}", HumanBytes(total))).unwrap_or_default();
        let lines = self.lines.map(|lines| format!(", {} lines,", HumanCount(lines))).unwrap_or_default();
        format!("{}{of}{lines} of {} had been read; nothing was answered", HumanBytes(self.bytes), self.name)
    }
}

/// Standard error, where what is shown is drawn. One that is no terminal is asked for by whoever
/// knows that lines can be rewritten there: in a notebook.
fn target() -> ProgressDrawTarget {
    if io::stderr().is_terminal() {
        return ProgressDrawTarget::stderr();
    }
    ProgressDrawTarget::term_like_with_hz(Box::new(RewrittenLine), 4)
}

/// A line on standard error that is written again and again, by nothing but carriage returns.
#[derive(Debug)]
struct RewrittenLine;

/// The number of characters that fit into a cell of a notebook.
const WIDTH: u16 = 80;

impl RewrittenLine {
    fn write(text: &str) -> io::Result<()> {
        io::stderr().lock().write_all(text.as_bytes())
    }
}

impl TermLike for RewrittenLine {
    fn width(&self) -> u16 {
        WIDTH
    }

    // There is but one line.
    fn move_cursor_up(&self, _lines: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_down(&self, _lines: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_right(&self, _columns: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_left(&self, _columns: usize) -> io::Result<()> {
        Ok(())
    }

    fn write_line(&self, text: &str) -> io::Result<()> {
        Self::write(text)
    }

    fn write_str(&self, text: &str) -> io::Result<()> {
        Self::write(text)
    }

    fn clear_line(&self) -> io::Result<()> {
        Self::write(&format!("\r{}\r", " ".repeat(usize::from(WIDTH))))
    }

    fn flush(&self) -> io::Result<()> {
        io::stderr().flush()
    }
}

/// An input that cannot be read any more once an interrupt is raised.
pub struct Interruptible<R> {
    input: R,
    interrupt: Option<Interrupt>,
}

impl<R> Interruptible<R> {
    fn check(&self) -> io::Result<()> {
        match self.interrupt {
            Some(interrupt) if interrupt.is_raised() => Err(io::Error::other("the reading was interrupted")),
            _ => Ok(()),
        }
    }
}

impl<R: Read> Read for Interruptible<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.check()?;
        self.input.read(buffer)
    }
}

impl<R: ReadAt> ReadAt for Interruptible<R> {
    fn read_at(&self, start: u64, to: &mut [u8]) -> io::Result<()> {
        self.check()?;
        self.input.read_at(start, to)
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

/// The rows that somebody else has read, shown while there are more.
pub struct RowCount(Option<(Watched<()>, TableProgress)>);

impl RowCount {
    /// Some rows have been read.
    pub fn add(&mut self, rows: usize, bytes: usize) {
        if let Some((watched, read)) = &mut self.0 {
            read.rows += rows as u64;
            read.bytes += bytes as u64;
            watched.reading.lock().unwrap_or_else(PoisonError::into_inner).advance(*read);
        }
    }
}

impl<R> Drop for Watched<R> {
    fn drop(&mut self) {
        self.reading.lock().unwrap_or_else(PoisonError::into_inner).bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_told_how_far_a_table_was_read() {
        let mut reading = Reading::new("t.parquet".to_owned(), None);
        let mut read = TableProgress::default();
        (read.rows, read.of_rows, read.bytes) = (1_000_000, Some(2_500_000), 3 << 20);
        reading.advance(read);
        let said = "1,000,000 of 2,500,000 rows, 3.00 MiB, of t.parquet had been read; nothing was answered";
        assert_eq!(reading.summary(), said);
        read.of_rows = None;
        reading.advance(read);
        assert_eq!(reading.summary(), said.replace(" of 2,500,000", ""));
    }

    #[test]
    fn it_is_told_how_far_a_text_was_read() {
        let mut reading = Reading::new("t.csv".to_owned(), Some(2048));
        reading.add(b"a\n1\n");
        assert_eq!(reading.summary(), "4 B of 2.00 KiB, 2 lines, of t.csv had been read; nothing was answered");
    }

    #[test]
    fn what_is_shown_of_a_table_are_its_rows() {
        let mut reading = Reading::new("t.parquet".to_owned(), None);
        let mut read = TableProgress::default();
        (read.rows, read.of_rows) = (10, Some(40));
        reading.advance(read);
        reading.show();
        reading.bar.set_draw_target(ProgressDrawTarget::hidden());
        assert_eq!((reading.bar.position(), reading.bar.length()), (10, Some(40)));
        assert!(reading.bar.message().ends_with("rows/s"));
    }
}
