//! Records on their way from bytes to whoever takes them.

use crate::cell::Cell;
use crate::error::{TraceError, TraceErrorKind};
use crate::note::Note;
use crate::options::{Implied, ReadOptions};
use crate::plain_rows::PlainRows;
use memchr::{memchr2, memchr2_iter};

/// The longest record held in memory. A stray quote would otherwise swallow an input without end.
pub(crate) const LONGEST_RECORD: usize = 64 << 20;

/// Takes the records a format finds.
pub trait RecordSink {
    /// Takes the names of a header; returns for each cell that records are to have its field, none
    /// where there is no such field.
    fn header(&mut self, names: &[String]) -> Result<Vec<Option<usize>>, TraceError>;

    /// Takes what the input says itself about how its records are read. It comes before any record,
    /// whose cells are then as [`ReadOptions::with`] has it.
    fn implied(&mut self, _implied: &Implied) -> Result<(), ReadStop> {
        Ok(())
    }

    /// Takes a record that begins on a line.
    fn record(&mut self, line: u64, cells: &[Cell<'_>]) -> Result<(), ReadStop>;

    /// Whether rows are to come many at a time where they can ([`Self::rows`]).
    fn takes_rows(&self) -> bool {
        false
    }

    /// Takes rows that lie on lines from `first` on. Whoever cannot take one of them may have taken
    /// those before it, and asks no more.
    fn rows(&mut self, _first: u64, _rows: &PlainRows<'_>) -> Result<(), ReadStop> {
        unreachable!("only who takes rows is given them")
    }

    /// Learns that no later record has a timestamp below a time in nanoseconds.
    fn clock(&mut self, _time: i64) -> Result<(), ReadStop> {
        Ok(())
    }

    /// Takes what is wrong with a line that holds no record. Unless that stops the reading, it goes
    /// on behind the line.
    fn bad_line(&mut self, error: TraceError) -> Result<(), ReadStop> {
        Err(error.into())
    }
}

/// Why reading stops before its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ReadStop {
    /// The input cannot be read further.
    Failed(TraceError),
    /// The sink wants no more, and knows why.
    Asked,
}

impl From<TraceError> for ReadStop {
    fn from(error: TraceError) -> Self {
        Self::Failed(error)
    }
}

impl From<TraceErrorKind> for ReadStop {
    fn from(kind: TraceErrorKind) -> Self {
        Self::Failed(kind.into())
    }
}

/// Whether the bytes at hand are the last ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum End {
    More,
    Last,
}

/// Takes whole records from the front of the bytes at hand: what a format of records has to do.
pub(crate) trait RecordReader: Send + 'static {
    /// A reader that has seen nothing.
    fn open(options: &ReadOptions) -> Self
    where
        Self: Sized;

    /// Hands whole records to a sink; returns how many bytes they had, all of them at
    /// [`End::Last`].
    fn consume<S: RecordSink + ?Sized>(&mut self, bytes: &[u8], end: End, sink: &mut S) -> Result<usize, ReadStop>
    where
        Self: Sized;

    /// Whether bytes that hold no line end are to be looked at all the same, because they may be
    /// what an input is filled up with.
    fn may_be_padding(_bytes: &[u8]) -> bool
    where
        Self: Sized,
    {
        false
    }

    /// The line of the next record.
    fn line(&self) -> u64;

    /// A line was dropped unseen.
    fn pass_line(&mut self);

    /// The names that have been seen: the header, or the members so far.
    fn names(&self) -> Vec<String>;

    /// Whether those names are all there will be.
    fn has_header(&self) -> bool;

    /// What is worth telling about the input.
    fn notes(&self) -> Vec<Note>;

    /// Whether the input has said that its trace has ended.
    fn has_ended(&self) -> bool {
        false
    }

    /// A reader of a piece that begins with a record, with lines counted from 1; none if what has
    /// been read so far does not tell how, or if the format can be read from the front only.
    fn of_piece(&self) -> Option<Self>
    where
        Self: Sized,
    {
        None
    }

    /// A piece has been read by another reader, which is where this one goes on.
    fn join(&mut self, _piece: Self)
    where
        Self: Sized,
    {
    }
}

/// A line end among bytes: LF, CR, or both in this order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct LineEnd {
    /// The number of bytes before it.
    pub(crate) start: usize,
    /// The number of bytes up to and with it.
    pub(crate) stop: usize,
}

impl LineEnd {
    /// The first line end. A CR that is the last byte at hand is one: if the LF that belongs to it
    /// comes later, the [`Pump`] drops it.
    #[inline]
    pub(crate) fn find(bytes: &[u8]) -> Option<Self> {
        memchr2(b'\n', b'\r', bytes).map(|start| Self::at(bytes, start))
    }

    /// The line end that begins with the CR or LF at a position.
    #[inline]
    pub(crate) fn at(bytes: &[u8], start: usize) -> Self {
        let both = bytes[start] == b'\r' && bytes.get(start + 1) == Some(&b'\n');
        Self { start, stop: start + 1 + usize::from(both) }
    }
}

/// The number of line ends in a text of several lines.
pub(crate) fn count_line_ends(bytes: &[u8]) -> u64 {
    let starts = memchr2_iter(b'\n', b'\r', bytes);
    starts.filter(|&at| bytes[at] == b'\n' || bytes.get(at + 1) != Some(&b'\n')).count() as u64
}

/// Calls `take` for each whole line, without its line end; returns how many bytes they had.
pub(crate) fn each_line<'b>(
    bytes: &'b [u8],
    end: End,
    mut take: impl FnMut(&'b [u8]) -> Result<(), ReadStop>,
) -> Result<usize, ReadStop> {
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let line = match LineEnd::find(rest) {
            Some(line) => line,
            None if end == End::Last => LineEnd { start: rest.len(), stop: rest.len() },
            None => break,
        };
        take(&rest[..line.start])?;
        at += line.stop;
    }
    Ok(at)
}

/// Bytes in pieces, handed to a reader in whole records; what is no whole record waits.
pub(crate) struct Pump<R> {
    pub(crate) reader: R,
    /// Bytes that are no whole record yet.
    pending: Vec<u8>,
    /// Whether what comes up to the next line end belongs to a record that was given up.
    discarding: bool,
    /// Whether the last byte was a CR: an LF that comes next may belong to it.
    after_return: bool,
}

impl<R: RecordReader> Pump<R> {
    pub(crate) fn new(reader: R) -> Self {
        Self { reader, pending: Vec::new(), discarding: false, after_return: false }
    }

    /// Whether the next byte is the first of a record.
    pub(crate) fn is_between_records(&self) -> bool {
        self.pending.is_empty() && !self.discarding && !self.after_return
    }

    /// Goes on behind a piece that another reader has read, all but what is no whole record.
    pub(crate) fn join<S: RecordSink + ?Sized>(
        &mut self,
        reader: R,
        piece: &[u8],
        consumed: usize,
        sink: &mut S,
    ) -> Result<(), ReadStop> {
        self.reader.join(reader);
        self.after_return = piece.last() == Some(&b'\r');
        self.pending.extend_from_slice(&piece[consumed..]);
        self.limit(sink)
    }

    /// Takes the next bytes.
    pub(crate) fn push<S: RecordSink + ?Sized>(&mut self, bytes: &[u8], sink: &mut S) -> Result<(), ReadStop> {
        let bytes = self.complete_line_end(bytes);
        let mut bytes = if self.discarding { self.discard(bytes) } else { bytes };
        if !self.pending.is_empty() {
            // No record ends without a line end: what is pending need not be looked at again
            // before one comes.
            let Some(end) = LineEnd::find(bytes) else {
                self.pending.extend_from_slice(bytes);
                if R::may_be_padding(bytes) {
                    return self.consume_pending(End::More, sink);
                }
                return self.limit(sink);
            };
            let (line, rest) = bytes.split_at(end.stop);
            self.pending.extend_from_slice(line);
            self.consume_pending(End::More, sink)?;
            bytes = if self.discarding { self.discard(rest) } else { rest };
        }
        if self.pending.is_empty() {
            let consumed = self.reader.consume(bytes, End::More, sink)?;
            self.pending.extend_from_slice(&bytes[consumed..]);
            return self.limit(sink);
        }
        self.pending.extend_from_slice(bytes);
        self.consume_pending(End::More, sink)
    }

    /// No more bytes will come: what is pending is the last record.
    pub(crate) fn finish<S: RecordSink + ?Sized>(&mut self, sink: &mut S) -> Result<(), ReadStop> {
        self.consume_pending(End::Last, sink)
    }

    fn consume_pending<S: RecordSink + ?Sized>(&mut self, end: End, sink: &mut S) -> Result<(), ReadStop> {
        let consumed = self.reader.consume(&self.pending, end, sink)?;
        self.pending.drain(..consumed);
        if end == End::Last { Ok(()) } else { self.limit(sink) }
    }

    /// Gives up records that are too long: the first line of each is a bad one.
    fn limit<S: RecordSink + ?Sized>(&mut self, sink: &mut S) -> Result<(), ReadStop> {
        while self.pending.len() > LONGEST_RECORD {
            let error = TraceError::new(TraceErrorKind::RecordTooLong { limit: LONGEST_RECORD });
            sink.bad_line(error.on_line(self.reader.line()))?;
            self.reader.pass_line();
            match LineEnd::find(&self.pending) {
                Some(end) => {
                    self.pending.drain(..end.stop);
                    let consumed = self.reader.consume(&self.pending, End::More, sink)?;
                    self.pending.drain(..consumed);
                }
                None => {
                    self.pending.clear();
                    self.discarding = true;
                }
            }
        }
        Ok(())
    }

    /// What is behind the record that was given up.
    fn discard<'b>(&mut self, bytes: &'b [u8]) -> &'b [u8] {
        match LineEnd::find(bytes) {
            Some(end) => {
                self.discarding = false;
                &bytes[end.stop..]
            }
            None => &[],
        }
    }

    /// The bytes without the LF whose CR has ended a record. Where something is pending the CR
    /// stood in a quoted field, and so does the LF.
    fn complete_line_end<'b>(&mut self, bytes: &'b [u8]) -> &'b [u8] {
        let Some(last) = bytes.last() else { return bytes };
        let after_return = std::mem::replace(&mut self.after_return, *last == b'\r');
        match bytes {
            [b'\n', rest @ ..] if after_return && self.pending.is_empty() && !self.discarding => rest,
            _ => bytes,
        }
    }
}
