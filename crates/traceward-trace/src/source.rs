//! Bytes of an input: decompressed, and in pieces that hold whole records.

use crate::error::{TraceError, TraceErrorKind};
use crate::format::Format;
use crate::opening::Opening;
use crate::options::ReadOptions;
use crate::record::{End, Pump, ReadStop, RecordReader, RecordSink};
use memchr::memrchr;
use std::io::{self, BufReader, Chain, Cursor, Read};

/// How much is read at once. Small enough for the second-level cache, large enough to forget the
/// cost of a call.
const CHUNK: usize = 256 << 10;

/// The largest window that zstd takes unless told otherwise. It is all in memory.
const LARGEST_WINDOW: usize = 128 << 20;

/// An input in pieces.
pub(crate) struct Source<'a> {
    input: Decoder<Box<dyn Read + 'a>>,
    buffer: Vec<u8>,
    /// The bytes of the buffer that are still to be consumed.
    start: usize,
    stop: usize,
    end: End,
    /// The bytes behind the last line end of the last piece.
    rest: Vec<u8>,
}

/// Bytes of an input. Where there are line ends, it ends with one, unless it is the last.
#[derive(Default)]
pub(crate) struct Piece {
    /// The bytes, and behind them what was there before: memory that is used again need not be
    /// cleared.
    memory: Vec<u8>,
    len: usize,
}

impl Piece {
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.memory[..self.len]
    }

    fn push(&mut self, bytes: &[u8]) {
        self.memory[self.len..self.len + bytes.len()].copy_from_slice(bytes);
        self.len += bytes.len();
    }
}

impl<'a> Source<'a> {
    /// Recognises compression and a byte-order mark, whatever the input's name.
    pub(crate) fn open(input: impl Read + 'a) -> Result<Self, TraceError> {
        let input: Box<dyn Read + 'a> = Box::new(input);
        let mut source = Self {
            input: Decoder::detect(input)?,
            buffer: vec![0; CHUNK],
            start: 0,
            stop: 0,
            end: End::More,
            rest: Vec::new(),
        };
        source.fill()?;
        source.start = byte_order_mark(&source.buffer[..source.stop])?;
        Ok(source)
    }

    /// The format. All bytes that could tell it are at hand.
    pub(crate) fn format(&self, options: &ReadOptions) -> Result<Format, TraceError> {
        let opening = Opening::new(self.at_hand(), End::Last);
        Format::of(options, opening).map(|format| format.unwrap_or(Format::CSV))
    }

    /// The first bytes, as long as nothing has been taken.
    pub(crate) fn at_hand(&self) -> &[u8] {
        &self.buffer[self.start..self.stop]
    }

    /// Whether no more than so many bytes are left.
    pub(crate) fn is_within(&self, size: usize) -> bool {
        self.end == End::Last && self.at_hand().len() <= size
    }

    /// Whether it is known that all pieces have been taken. An input that has just been read to its
    /// last byte may not know yet.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.is_within(0) && self.rest.is_empty()
    }

    /// The next bytes, about so many; none at the end. They are cut behind a LF, since a CR may
    /// have one behind it. The memory of a piece that is done with is used again.
    pub(crate) fn piece(&mut self, size: usize, spare: Option<Piece>) -> Result<Option<Piece>, TraceError> {
        let mut piece = Piece { len: 0, ..spare.unwrap_or_default() };
        let rest = std::mem::take(&mut self.rest);
        let size = size.max(rest.len() + 1);
        if piece.memory.len() < size {
            piece.memory.resize(size, 0);
        }
        piece.push(&rest);
        let taken = self.at_hand().len().min(size - rest.len());
        piece.push(&self.buffer[self.start..self.start + taken]);
        self.start += taken;
        while self.end == End::More && piece.len < size {
            piece.len += self.read(&mut piece.memory[piece.len..size])?;
        }
        let is_last = self.end == End::Last && self.at_hand().is_empty();
        if let Some(end) = memrchr(b'\n', piece.bytes()).filter(|_| !is_last) {
            self.rest = piece.bytes()[end + 1..].to_vec();
            piece.len = end + 1;
        }
        Ok(Some(piece).filter(|piece| piece.len > 0))
    }

    /// Hands everything to a reader.
    pub(crate) fn drive<R: RecordReader, S: RecordSink>(
        &mut self,
        pump: &mut Pump<R>,
        sink: &mut S,
    ) -> Result<(), TraceError> {
        let stopped = loop {
            if let Err(stop) = pump.push(&self.buffer[self.start..self.stop], sink) {
                break stop;
            }
            self.start = self.stop;
            if self.end == End::Last {
                match pump.finish(sink) {
                    Ok(()) => return Ok(()),
                    Err(stop) => break stop,
                }
            }
            self.fill()?;
        };
        match stopped {
            ReadStop::Failed(error) => Err(error),
            ReadStop::Asked => Ok(()),
        }
    }

    /// Fills the buffer anew; what was in it has been taken.
    fn fill(&mut self) -> Result<(), TraceError> {
        (self.start, self.stop) = (0, 0);
        let mut buffer = std::mem::take(&mut self.buffer);
        let mut filled = Ok(());
        while self.stop < buffer.len() && self.end == End::More && filled.is_ok() {
            filled = self.read(&mut buffer[self.stop..]).map(|count| self.stop += count);
        }
        self.buffer = buffer;
        filled
    }

    /// Reads some bytes; none at the end, of which it takes note.
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, TraceError> {
        loop {
            match self.input.read(buffer) {
                Ok(count) => {
                    self.end = if count == 0 { End::Last } else { End::More };
                    return Ok(count);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.input.explain(&error)),
            }
        }
    }
}

/// The length of the byte-order mark that an input begins with; UTF-16 is refused.
pub(crate) fn byte_order_mark(bytes: &[u8]) -> Result<usize, TraceError> {
    match bytes {
        [0xEF, 0xBB, 0xBF, ..] => Ok(3),
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => Err(TraceErrorKind::Utf16.into()),
        _ => Ok(0),
    }
}

/// Whether so few bytes do not tell yet if there is a byte-order mark.
pub(crate) fn may_become_mark(bytes: &[u8]) -> bool {
    const MARK: &[u8] = &[0xEF, 0xBB, 0xBF];
    (MARK.starts_with(bytes) && bytes != MARK) || matches!(bytes, [0xFF | 0xFE])
}

/// An input whose first bytes have been looked at.
type Peeked<R> = Chain<Cursor<Vec<u8>>, R>;

enum Decoder<R: Read> {
    Plain(Peeked<R>),
    Gzip(Box<flate2::read::MultiGzDecoder<Peeked<R>>>),
    Zstd(Box<zstd::Decoder<'static, BufReader<Peeked<R>>>>),
}

impl<R: Read> Decoder<R> {
    fn detect(mut input: R) -> Result<Self, TraceError> {
        let mut magic = Vec::with_capacity(4);
        input.by_ref().take(4).read_to_end(&mut magic).map_err(|error| TraceErrorKind::Io(error.to_string()))?;
        let peeked = |magic| Cursor::new(magic).chain(input);
        match magic.as_slice() {
            [0x1F, 0x8B, ..] => Ok(Self::Gzip(Box::new(flate2::read::MultiGzDecoder::new(peeked(magic))))),
            // A part of the mark that compressed data begins with, and nothing more.
            [0x1F] => Err(cut_short("gzip")),
            [0x28, 0xB5] | [0x28, 0xB5, 0x2F] => Err(cut_short("zstd")),
            [0x28, 0xB5, 0x2F, 0xFD] | [0x50..=0x5F, 0x2A, 0x4D, 0x18] => zstd::Decoder::new(peeked(magic))
                .map(|decoder| Self::Zstd(Box::new(decoder)))
                .map_err(|error| TraceErrorKind::Compression { method: "zstd", detail: error.to_string() }.into()),
            _ => Ok(Self::Plain(peeked(magic))),
        }
    }

    fn explain(&self, error: &io::Error) -> TraceError {
        let detail = error.to_string();
        TraceError::new(match self {
            Self::Plain(_) => TraceErrorKind::Io(detail),
            Self::Gzip(_) => TraceErrorKind::Compression { method: "gzip", detail },
            Self::Zstd(_) if detail.contains("too much memory") => {
                TraceErrorKind::WindowTooLarge { limit: LARGEST_WINDOW }
            }
            Self::Zstd(_) => TraceErrorKind::Compression { method: "zstd", detail },
        })
    }
}

fn cut_short(method: &'static str) -> TraceError {
    TraceErrorKind::Compression { method, detail: "there is nothing behind its first bytes".to_owned() }.into()
}

impl<R: Read> Read for Decoder<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(input) => input.read(buffer),
            Self::Gzip(input) => input.read(buffer),
            Self::Zstd(input) => input.read(buffer),
        }
    }
}
