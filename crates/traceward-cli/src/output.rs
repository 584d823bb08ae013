//! Standard output, as long as somebody reads it.

use std::io::{self, BufWriter, Write};

/// The number of bytes that are written at once, unless somebody is waiting for them.
const PIECE: usize = 64 << 10;

/// The choice whether the output may have colours in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Styling {
    /// The output may have colours: they are taken out where they do not suit.
    Styled,
    /// The output never has colours, and is so long that it is not searched for them.
    Plain,
}

/// Standard output.
pub fn standard(styling: Styling) -> BufWriter<UntilClosed<Box<dyn Write>>> {
    let out: Box<dyn Write> = match styling {
        Styling::Styled => Box::new(anstream::stdout().lock()),
        Styling::Plain => Box::new(io::stdout().lock()),
    };
    BufWriter::with_capacity(PIECE, UntilClosed::new(out))
}

/// Passes on what is written until the reader closes the pipe, and drops the rest: a reader that
/// has seen enough is no error, and the exit status still tells the verdict.
pub struct UntilClosed<W> {
    out: W,
    closed: bool,
}

impl<W: Write> UntilClosed<W> {
    pub fn new(out: W) -> Self {
        Self { out, closed: false }
    }

    fn note<T>(&mut self, result: io::Result<T>, dropped: T) -> io::Result<T> {
        match result {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(dropped)
            }
            result => result,
        }
    }
}

impl<W: Write> Write for UntilClosed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.closed {
            return Ok(bytes.len());
        }
        let result = self.out.write(bytes);
        self.note(result, bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.closed {
            return Ok(());
        }
        let result = self.out.flush();
        self.note(result, ())
    }
}
