//! The bytes of a table, wherever they are.

use bytes::Bytes;
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{ChunkReader, Length};
use std::fmt;
#[cfg(unix)]
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// How much a reader of the bytes behind a place takes at once.
const BUFFER: usize = 8 << 10;

/// A table: a file, or bytes in memory.
#[derive(Clone)]
pub struct Table {
    input: Input,
    watch: Watch,
}

/// How far the reading of a table has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct TableProgress {
    /// The rows that were read.
    pub rows: u64,
    /// The rows that there are, if the table says so before it is read.
    pub of_rows: Option<u64>,
    /// The bytes that were read: those of the columns that are asked for.
    pub bytes: u64,
}

/// Whoever is told how far the reading has come.
#[derive(Clone, Default)]
pub(crate) struct Watch {
    tell: Option<Arc<dyn Fn(TableProgress) + Send + Sync>>,
    /// The bytes that the input has given.
    bytes: Arc<AtomicU64>,
    of_rows: Option<u64>,
}

impl Watch {
    /// Tells that so many rows have been read.
    pub(crate) fn tell(&self, rows: u64) {
        if let Some(tell) = &self.tell {
            tell(TableProgress { rows, of_rows: self.of_rows, bytes: self.bytes.load(Ordering::Relaxed) });
        }
    }

    /// The same for a table of which the number of rows is known.
    pub(crate) fn of_rows(self, rows: u64) -> Self {
        Self { of_rows: Some(rows), ..self }
    }
}

impl Table {
    /// The table in whatever can be read from any place. It must not change while it is read.
    pub fn new(mut file: impl Read + Seek + Send + 'static) -> io::Result<Self> {
        let len = file.seek(SeekFrom::End(0))?;
        Ok(Self::of(Arc::new(Mutex::new(file)), len))
    }

    /// The table in something that threads read side by side, of so many bytes.
    pub fn shared(file: impl ReadAt + 'static, len: u64) -> Self {
        Self::of(Arc::new(file), len)
    }

    fn of(file: Arc<dyn ReadAt>, len: u64) -> Self {
        let watch = Watch::default();
        Self { input: Input::File { file, len, read: watch.bytes.clone() }, watch }
    }

    /// The table in bytes.
    pub fn from_bytes(bytes: impl Into<Vec<u8>>) -> Self {
        Self { input: Input::Memory(bytes.into().into()), watch: Watch::default() }
    }

    /// The table whose reading is told to somebody, again and again while it goes on.
    #[must_use]
    pub fn watched(self, tell: impl Fn(TableProgress) + Send + Sync + 'static) -> Self {
        let Self { input, watch } = self;
        Self { input, watch: Watch { tell: Some(Arc::new(tell)), ..watch } }
    }

    pub(crate) fn into_input(self) -> (Input, Watch) {
        (self.input, self.watch)
    }
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table").field("len", &self.input.len()).finish()
    }
}

/// Bytes that threads read from any place.
#[derive(Clone)]
pub(crate) enum Input {
    Memory(Bytes),
    File { file: Arc<dyn ReadAt>, len: u64, read: Arc<AtomicU64> },
}

/// Something that several threads can read from any place.
pub trait ReadAt: Send + Sync {
    /// Fills all bytes with those from a place on.
    fn read_at(&self, start: u64, to: &mut [u8]) -> io::Result<()>;
}

/// Whatever has one position is read by one thread at a time: another would read where it has just
/// gone. The library's own way to share a file has that mistake, since duplicates of a handle have
/// one position as well.
impl<R: Read + Seek + Send> ReadAt for Mutex<R> {
    fn read_at(&self, start: u64, to: &mut [u8]) -> io::Result<()> {
        let mut file = self.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(start))?;
        file.read_exact(to)
    }
}

#[cfg(unix)]
impl ReadAt for File {
    fn read_at(&self, start: u64, to: &mut [u8]) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(self, to, start)
    }
}

impl Input {
    /// The bytes at a place. Nothing is reserved for bytes that are not there.
    pub(crate) fn bytes(&self, start: u64, len: u64) -> io::Result<Bytes> {
        let end = start.checked_add(len).filter(|&end| end <= self.len());
        let end = end.ok_or_else(|| {
            io::Error::other(format!("{len} bytes from byte {start} on are beyond its {} bytes", self.len()))
        })?;
        match self {
            Self::Memory(bytes) => Ok(bytes.slice(start as usize..end as usize)),
            Self::File { file, read, .. } => {
                read.fetch_add(len, Ordering::Relaxed);
                let mut bytes = vec![0; len as usize];
                file.read_at(start, &mut bytes)?;
                Ok(bytes.into())
            }
        }
    }

    /// The bytes at a place; if they have to be read, into a room that is used again.
    pub(crate) fn bytes_in<'a>(&'a self, start: u64, len: usize, room: &'a mut Vec<u8>) -> io::Result<&'a [u8]> {
        let end = start.checked_add(len as u64).filter(|&end| end <= self.len());
        let end = end.ok_or(io::ErrorKind::UnexpectedEof)?;
        match self {
            Self::Memory(bytes) => Ok(&bytes[start as usize..end as usize]),
            Self::File { file, read, .. } => {
                read.fetch_add(len as u64, Ordering::Relaxed);
                if room.len() < len {
                    room.resize(len, 0);
                }
                file.read_at(start, &mut room[..len])?;
                Ok(&room[..len])
            }
        }
    }

    /// The bytes behind a place.
    pub(crate) fn behind(&self, start: u64) -> Behind {
        Behind { input: self.clone(), next: start, buffer: Bytes::new() }
    }

    /// The last bytes, at the most so many.
    pub(crate) fn last(&self, len: u64) -> io::Result<Bytes> {
        let len = len.min(self.len());
        self.bytes(self.len() - len, len)
    }
}

impl Length for Input {
    fn len(&self) -> u64 {
        match self {
            Self::Memory(bytes) => bytes.len() as u64,
            Self::File { len, .. } => *len,
        }
    }
}

impl ChunkReader for Input {
    type T = Behind;

    fn get_read(&self, start: u64) -> Result<Behind> {
        Ok(self.behind(start))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        self.bytes(start, length as u64).map_err(|error| ParquetError::EOF(error.to_string()))
    }
}

/// The bytes behind a place.
pub(crate) struct Behind {
    input: Input,
    next: u64,
    buffer: Bytes,
}

impl Read for Behind {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        if self.buffer.is_empty() {
            let len = self.input.len().saturating_sub(self.next).min(BUFFER as u64);
            self.buffer = self.input.bytes(self.next, len)?;
            self.next += len;
        }
        let count = to.len().min(self.buffer.len());
        to[..count].copy_from_slice(&self.buffer.split_to(count));
        Ok(count)
    }
}
