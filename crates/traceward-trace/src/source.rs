//! Bytes of an input: decompressed, and in pieces that hold whole records.

use crate::error::{TraceError, TraceErrorKind};
use std::io::{self, BufReader, Chain, Cursor, Read};

/// How much is read at once. Small enough for the second-level cache, large enough to forget the cost of a call.
const CHUNK: usize = 256 << 10;

/// The longest record held in memory. A stray quote would otherwise swallow the whole input before it is noticed.
const LONGEST_RECORD: usize = 256 << 20;

/// Whether the bytes at hand are the last ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum End {
    More,
    Last,
}

/// Takes whole records from the front of the bytes at hand.
pub(crate) trait RecordReader {
    /// Returns how many bytes it took; all of them at [`End::Last`].
    fn consume(&mut self, bytes: &[u8], end: End) -> Result<usize, TraceError>;

    /// The line of the next record.
    fn line(&self) -> u64;
}

/// An input in pieces.
pub(crate) struct Source<R: Read> {
    input: Decoder<R>,
    buffer: Vec<u8>,
    /// The bytes of the buffer that are still to be consumed.
    start: usize,
    stop: usize,
    end: End,
}

impl<R: Read> Source<R> {
    /// Recognises compression and a byte-order mark, whatever the input's name.
    pub(crate) fn open(input: R) -> Result<Self, TraceError> {
        let mut source =
            Self { input: Decoder::detect(input)?, buffer: vec![0; CHUNK], start: 0, stop: 0, end: End::More };
        source.fill()?;
        source.skip_byte_order_mark()?;
        Ok(source)
    }

    /// The bytes at hand.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.buffer[self.start..self.stop]
    }

    /// Hands everything to a reader.
    pub(crate) fn drive(&mut self, reader: &mut impl RecordReader) -> Result<(), TraceError> {
        loop {
            self.start += reader.consume(self.bytes(), self.end)?;
            if self.end == End::Last {
                return Ok(());
            }
            if self.bytes().len() > LONGEST_RECORD {
                let error = TraceError::new(TraceErrorKind::RecordTooLong { limit: LONGEST_RECORD });
                return Err(error.on_line(reader.line()));
            }
            self.fill()?;
        }
    }

    /// Moves what is left to the front, and fills the room behind it.
    fn fill(&mut self) -> Result<(), TraceError> {
        self.buffer.copy_within(self.start..self.stop, 0);
        self.stop -= self.start;
        self.start = 0;
        if self.stop * 2 > self.buffer.len() {
            // Doubling keeps the cost of looking again at a long record linear.
            self.buffer.resize(self.buffer.len() * 2, 0);
        }
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

    fn skip_byte_order_mark(&mut self) -> Result<(), TraceError> {
        match self.bytes() {
            [0xEF, 0xBB, 0xBF, ..] => self.start += 3,
            [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => return Err(TraceErrorKind::Utf16.into()),
            _ => {}
        }
        Ok(())
    }
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
            [0x28, 0xB5, 0x2F, 0xFD] => zstd::Decoder::new(peeked(magic))
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
            Self::Zstd(_) => TraceErrorKind::Compression { method: "zstd", detail },
        })
    }
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
