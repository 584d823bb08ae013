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
pub(crate) struct Piece(Vec<u8>);

impl Piece {
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
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

    /// The next bytes, about so many; none at the end. It is cut behind a LF, since a CR may have
    /// one behind it.
    pub(crate) fn piece(&mut self, size: usize) -> Result<Option<Piece>, TraceError> {
        let mut bytes = std::mem::take(&mut self.rest);
        bytes.reserve(size);
        loop {
            let at_hand = &self.buffer[self.start..self.stop];
            let taken = at_hand.len().min(size.saturating_sub(bytes.len()).max(1));
            bytes.extend_from_slice(&at_hand[..taken]);
            self.start += taken;
            let is_last = self.end == End::Last && self.start == self.stop;
            if is_last {
                return Ok(Some(Piece(bytes)).filter(|piece| !piece.0.is_empty()));
            }
            if bytes.len() >= size {
                if let Some(end) = memrchr(b'\n', &bytes) {
                    self.rest = bytes.split_off(end + 1);
                }
                return Ok(Some(Piece(bytes)));
            }
            if self.start == self.stop {
                self.fill()?;
            }
        }
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
        while self.stop < self.buffer.len() {
            match self.input.read(&mut self.buffer[self.stop..]) {
                Ok(0) => {
                    self.end = End::Last;
                    break;
                }
                Ok(count) => self.stop += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.input.explain(&error)),
            }
        }
        Ok(())
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
