//! Standard output, as long as somebody reads it.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, BufWriter, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use traceward::message::is_hidden;

/// The number of bytes that are written at once, unless somebody is waiting for them.
const PIECE: usize = 64 << 10;

/// The content of the output, by which it is decided what is done with colours and with characters
/// that a terminal would obey.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Content {
    /// Text with colours in it, which are taken out where they do not suit.
    Coloured,
    /// Text without colours.
    Plain,
    /// JSON, which has no colours.
    Json,
    /// Lines that were escaped when they were worded, and are too many to be searched again.
    Escaped,
}

/// Standard output in large pieces.
pub type Output = BufWriter<UntilClosed<Box<dyn Write + Send>>>;

/// Standard output.
pub fn standard(content: Content) -> Output {
    let out: Box<dyn Write + Send> = match content {
        Content::Coloured => Box::new(Guard::new(anstream::stdout(), Notation::Coloured)),
        Content::Plain => Box::new(Guard::new(io::stdout(), Notation::Plain)),
        Content::Json => Box::new(Guard::new(io::stdout(), Notation::Json)),
        Content::Escaped => Box::new(io::stdout()),
    };
    BufWriter::with_capacity(PIECE, UntilClosed::new(out))
}

/// Standard output that several threads write to: each call writes as a whole.
#[derive(Clone)]
pub struct SharedOutput(Arc<Mutex<Output>>);

impl SharedOutput {
    /// Shares an output.
    pub fn new(out: Output) -> Self {
        Self(Arc::new(Mutex::new(out)))
    }

    fn lock(&self) -> MutexGuard<'_, Output> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Write for SharedOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.lock().write(bytes)
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.lock().write_all(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.lock().flush()
    }
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

/// The notation in which a character is written that is not to be seen as it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Notation {
    /// `\u{9b}`, as in messages. Line ends, tabs and our own colours stay.
    Coloured,
    /// The same, but there are no colours that could stay.
    Plain,
    /// `\u009b`, as strings of JSON have it. It is only in strings that such characters can stand:
    /// what is between them is line ends and blanks.
    Json,
}

/// A text with nothing in it that a terminal would obey, but for line ends, tabs and colours.
///
/// Whoever words a text that came from outside escapes it there, so that it stays on its line and
/// cannot choose a colour. This is the last line of defence, which nothing gets past.
pub fn guarded(text: &str, notation: Notation) -> Cow<'_, str> {
    if !text.bytes().any(is_suspicious) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let length = match letter {
            '\u{1b}' if notation == Notation::Coloured => colour_length(rest),
            '\n' | '\t' => Some(1),
            letter if is_hidden(letter) => None,
            letter => Some(letter.len_utf8()),
        };
        let length = match length {
            Some(length) => {
                safe.push_str(&rest[..length]);
                length
            }
            None => {
                escape(letter, notation, &mut safe);
                letter.len_utf8()
            }
        };
        rest = &rest[length..];
    }
    Cow::Owned(safe)
}

/// Whether a byte may begin a character that is not to be seen as it is.
fn is_suspicious(byte: u8) -> bool {
    !matches!(byte, b'\n' | b'\t' | b' '..=b'~')
}

/// The length of the escape sequence for a colour that a text begins with.
fn colour_length(text: &str) -> Option<usize> {
    let numbers = text.strip_prefix("\u{1b}[")?;
    let end = numbers.find(|letter: char| !letter.is_ascii_digit() && letter != ';')?;
    numbers[end..].starts_with('m').then_some(end + 3)
}

fn escape(letter: char, notation: Notation, safe: &mut String) {
    // Writing to a string does not fail.
    let _ = match notation {
        Notation::Coloured | Notation::Plain => write!(safe, "{}", letter.escape_default()),
        Notation::Json => letter.encode_utf16(&mut [0; 2]).iter().try_for_each(|unit| write!(safe, "\\u{unit:04x}")),
    };
}

/// Passes on text of which nothing is left that a terminal would obey.
struct Guard<W> {
    out: W,
    notation: Notation,
    /// The beginning of a character or of an escape sequence whose end has not been written yet.
    begun: Vec<u8>,
}

impl<W: Write> Guard<W> {
    fn new(out: W, notation: Notation) -> Self {
        Self { out, notation, begun: Vec::new() }
    }

    /// Writes whole characters.
    fn pass(&mut self, bytes: &[u8]) -> io::Result<()> {
        let text = String::from_utf8_lossy(bytes);
        self.out.write_all(guarded(&text, self.notation).as_bytes())
    }
}

/// The number of bytes that can be judged without those behind them.
fn whole(bytes: &[u8]) -> usize {
    let recent = bytes.len().saturating_sub(LONGEST_SEQUENCE);
    let escape = bytes[recent..].iter().rposition(|&byte| byte == 0x1b).map(|at| recent + at);
    if let Some(escape) = escape
        && bytes[escape + 1..].iter().all(|byte| matches!(byte, b'[' | b';' | b'0'..=b'9'))
    {
        return escape;
    }
    bytes.len() - unfinished(bytes)
}

/// The longest escape sequence for a colour.
const LONGEST_SEQUENCE: usize = 32;

/// The number of bytes at the end that begin a character and do not end it.
fn unfinished(bytes: &[u8]) -> usize {
    let lead = bytes.iter().rev().take(3).position(|&byte| byte >= 0xc0);
    let Some(back) = lead else { return 0 };
    let length = match bytes[bytes.len() - 1 - back] {
        0xc0..=0xdf => 2,
        0xe0..=0xef => 3,
        _ => 4,
    };
    if back + 1 < length { back + 1 } else { 0 }
}

impl<W: Write> Write for Guard<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.begun.is_empty() {
            let end = whole(bytes);
            self.pass(&bytes[..end])?;
            self.begun.extend_from_slice(&bytes[end..]);
        } else {
            self.begun.extend_from_slice(bytes);
            let end = whole(&self.begun);
            let rest = self.begun.split_off(end);
            let written = std::mem::replace(&mut self.begun, rest);
            self.pass(&written)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTILE: &str = "a\u{1b}]0;x\u{7}b\u{9b}31mc\u{202e}d\u{7f}\r\n\te\u{e0041}✓";

    #[test]
    fn nothing_that_a_terminal_obeys_is_left() {
        let text = r"a\u{1b}]0;x\u{7}b\u{9b}31mc\u{202e}d\u{7f}\r".to_owned() + "\n\t" + r"e\u{e0041}✓";
        assert_eq!(guarded(HOSTILE, Notation::Coloured), text);
        let json = r"a\u001b]0;x\u0007b\u009b31mc\u202ed\u007f\u000d".to_owned() + "\n\t" + r"e\udb40\udc41✓";
        assert_eq!(guarded(HOSTILE, Notation::Json), json);
        let coloured = "\u{1b}[1;31mred\u{1b}[0m";
        assert_eq!(guarded(coloured, Notation::Coloured), coloured);
        assert_eq!(guarded(coloured, Notation::Plain), r"\u{1b}[1;31mred\u{1b}[0m");
        assert_eq!(guarded("\u{1b}[2J", Notation::Coloured), r"\u{1b}[2J");
    }

    #[test]
    fn it_does_not_matter_how_the_bytes_come() {
        let text = format!("{HOSTILE}\u{1b}[1;31mred\u{1b}[0m🙂é{HOSTILE}.");
        let expected = guarded(&text, Notation::Coloured).into_owned();
        for size in 1..12 {
            let mut guard = Guard::new(Vec::new(), Notation::Coloured);
            text.as_bytes().chunks(size).for_each(|bytes| guard.write_all(bytes).unwrap());
            assert_eq!(String::from_utf8_lossy(&guard.out), expected, "{size} at a time");
        }
    }
}
