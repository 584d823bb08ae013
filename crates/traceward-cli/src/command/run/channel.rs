//! What comes from the program: a file that grows, or a socket on which it waits for answers.

use crate::failure::Failure;
use crate::input;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use traceward_server::{Address, Connection, LONGEST_LINE, Listener};

/// The number of bytes that are read at once, and that are looked at where nothing new is expected.
const PIECE: usize = 256 << 10;
const GLANCE: usize = 4 << 10;

/// A file that is read as it grows. What is not yet written in it are NUL bytes.
pub struct Follow {
    path: PathBuf,
    file: Option<File>,
    /// Bytes that were read, the first of which belong to a line that has not ended.
    bytes: Vec<u8>,
    /// The number of bytes at the beginning that were handed over.
    taken: usize,
    hello: Option<String>,
    /// The number of bytes to read next.
    piece: usize,
}

impl Follow {
    pub fn new(path: &Path) -> Self {
        Self { path: path.to_owned(), file: None, bytes: Vec::new(), taken: 0, hello: None, piece: PIECE }
    }

    /// The first line, once there is one.
    pub fn first_line(&self) -> Option<&str> {
        self.hello.as_deref()
    }

    /// Whole lines that have come, if there are any.
    pub fn more(&mut self) -> Result<Option<&[u8]>, Failure> {
        let named = |error: io::Error| Failure::new(format!("{}: {}", input::name(&self.path), input::reason(&error)));
        if self.file.is_none() {
            self.file = match File::open(&self.path) {
                Ok(file) => Some(file),
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                Err(error) => return Err(named(error)),
            };
        }
        let Some(file) = &mut self.file else { return Ok(None) };
        self.bytes.drain(..self.taken);
        self.taken = 0;
        let begun = self.bytes.len();
        self.bytes.resize(begun + self.piece, 0);
        let count = file.read(&mut self.bytes[begun..]).map_err(named)?;
        self.bytes.truncate(begun + count);
        // A line is there once its end is: it is written last.
        let whole = self.bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        let is_padded = self.bytes[..whole].contains(&0);
        let whole = if is_padded { self.bytes.iter().position(|&byte| byte == 0).unwrap_or(whole) } else { whole };
        // A line that has begun may be longer than what was read.
        let has_begun = whole == 0 && self.bytes.first().is_some_and(|&byte| byte != 0);
        self.piece = match whole {
            0 if has_begun => PIECE.max(2 * self.piece.min(LONGEST_LINE)),
            0 => GLANCE,
            _ => PIECE,
        };
        // What lies behind is read again, when it may have been written.
        let unread = self.bytes.len() - whole;
        io::Seek::seek_relative(file, -(unread as i64)).map_err(named)?;
        self.bytes.truncate(whole);
        self.taken = whole;
        if self.hello.is_none() {
            let line = self.bytes.split(|&byte| byte == b'\n').next().filter(|line| !line.is_empty());
            self.hello = line.map(|line| String::from_utf8_lossy(line).into_owned());
        }
        Ok((whole > 0).then_some(&self.bytes[..whole]))
    }
}

/// The place where programs meet their monitor. A thread waits for them, and ends with us.
pub struct Rendezvous(Receiver<io::Result<Connection>>);

impl Rendezvous {
    pub fn at(path: &Path) -> Result<Self, Failure> {
        let listener = Listener::bind(&Address::Unix(path.to_owned()), false)
            .map_err(|error| Failure::new(format!("{}: {error}", input::name(path))))?;
        let (sender, arrived) = channel();
        thread::Builder::new().spawn(move || while sender.send(listener.accept()).is_ok() {})?;
        Ok(Self(arrived))
    }

    /// The next program that has come.
    pub fn next(&self) -> Result<Option<Channel>, Failure> {
        match self.0.try_recv() {
            Ok(Ok(Connection::Unix(stream))) => {
                stream.set_nonblocking(true)?;
                Ok(Some(Channel { stream, bytes: Vec::new(), hello: None, is_open: true }))
            }
            Ok(Err(error)) => Err(error.into()),
            Ok(Ok(Connection::Tcp(_))) | Err(_) => Ok(None),
        }
    }
}

/// A program that waits for answers.
pub struct Channel {
    stream: UnixStream,
    bytes: Vec<u8>,
    hello: Option<String>,
    is_open: bool,
}

impl Channel {
    /// The first line, once there is one.
    pub fn first_line(&self) -> Option<&str> {
        self.hello.as_deref()
    }

    /// The next line, with its end, if one has come.
    pub fn line(&mut self) -> Result<Option<Vec<u8>>, Failure> {
        let mut piece = [0; 4096];
        loop {
            if let Some(end) = self.bytes.iter().position(|&byte| byte == b'\n') {
                let line: Vec<u8> = self.bytes.drain(..=end).collect();
                self.hello.get_or_insert_with(|| String::from_utf8_lossy(&line).trim_end().to_owned());
                return Ok(Some(line));
            }
            if !self.is_open {
                return Ok(None);
            }
            match self.stream.read(&mut piece) {
                Ok(0) => self.is_open = false,
                Ok(count) => self.bytes.extend_from_slice(&piece[..count]),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(None),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // A program that was killed leaves its end of the socket as it is.
                Err(_) => self.is_open = false,
            }
        }
    }

    /// Sends an answer. A program that has gone needs none.
    pub fn send(&mut self, line: &str) {
        let _ = self.stream.write_all(format!("{line}\n").as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Seek;

    /// A file that grows while it is read, as a program writes it: NUL bytes become lines.
    #[test]
    fn lines_are_taken_once_they_have_ended() {
        let path = std::env::temp_dir().join(format!("traceward-follow-{}", std::process::id()));
        let mut follow = Follow::new(&path);
        assert!(follow.more().unwrap().is_none(), "there is no file yet");
        let mut file = File::create(&path).unwrap();
        file.write_all(&[0; 1 << 20]).unwrap();
        assert!(follow.more().unwrap().is_none(), "nothing has been written");
        file.rewind().unwrap();
        file.write_all(b"traceward 1\ninit {").unwrap();
        assert_eq!(follow.more().unwrap().unwrap(), b"traceward 1\n");
        assert!(follow.more().unwrap().is_none(), "half a line waits");
        let long = "x".repeat(500_000);
        file.write_all(long.as_bytes()).unwrap();
        assert!(follow.more().unwrap().is_none());
        file.write_all(b"}\nend\n").unwrap();
        let mut taken: Vec<u8> = Vec::new();
        for _ in 0..10 {
            taken.extend(follow.more().unwrap().unwrap_or_default());
        }
        assert_eq!(taken, format!("init {{{long}}}\nend\n").as_bytes());
        assert_eq!(follow.first_line(), Some("traceward 1"));
        std::fs::remove_file(&path).unwrap();
    }
}
