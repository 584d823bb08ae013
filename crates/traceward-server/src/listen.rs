//! Sockets: where clients come in.

use crate::address::Address;
use std::fmt;
use std::fs;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A socket that clients connect to. A socket in the file system is gone with it.
#[derive(Debug)]
pub struct Listener {
    socket: Socket,
    address: Address,
}

#[derive(Debug)]
enum Socket {
    Tcp(TcpListener),
    Unix(UnixListener, SocketFile),
}

/// The file of a socket.
#[derive(Debug)]
struct SocketFile {
    path: PathBuf,
    /// The device and number by which the file is known to be ours.
    identity: Option<(u64, u64)>,
}

/// The reason why nobody can listen at an address.
#[derive(Debug)]
pub enum CannotListen {
    /// Somebody else listens there.
    Taken,
    /// There is a file that is no socket.
    NoSocket,
    /// Other computers could connect, and there is no token by which to know them.
    NeedsToken,
    /// The system says no.
    Io(io::Error),
}

impl fmt::Display for CannotListen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Taken => f.write_str("somebody listens there already"),
            Self::NoSocket => f.write_str("there is a file that is no socket"),
            Self::NeedsToken => f.write_str("other computers could connect, so clients need a token"),
            Self::Io(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for CannotListen {}

impl From<io::Error> for CannotListen {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::AddrInUse => Self::Taken,
            _ => Self::Io(error),
        }
    }
}

impl Listener {
    /// Listens at an address. Only where a token is asked for may other computers connect.
    pub fn bind(address: &Address, has_token: bool) -> Result<Self, CannotListen> {
        match address {
            Address::Tcp { host, .. } => {
                let numbers = address.resolve()?;
                if !has_token && !numbers.iter().all(|number| number.ip().is_loopback()) {
                    return Err(CannotListen::NeedsToken);
                }
                let socket = TcpListener::bind(numbers.as_slice())?;
                let port = socket.local_addr()?.port();
                Ok(Self { socket: Socket::Tcp(socket), address: Address::Tcp { host: host.clone(), port } })
            }
            Address::Unix(path) => {
                let (socket, file) = bind_file(path)?;
                Ok(Self { socket: Socket::Unix(socket, file), address: address.clone() })
            }
        }
    }

    /// The address, with the port that was chosen.
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// Waits for a client.
    pub fn accept(&self) -> io::Result<Connection> {
        match &self.socket {
            Socket::Tcp(socket) => {
                let (stream, _) = socket.accept()?;
                // Whoever waits for an answer to each state waits for small packets.
                stream.set_nodelay(true)?;
                Ok(Connection::Tcp(stream))
            }
            Socket::Unix(socket, _) => Ok(Connection::Unix(socket.accept()?.0)),
        }
    }

    /// Takes the socket out of the file system, so that nobody connects any more.
    pub fn withdraw(&self) {
        if let Socket::Unix(_, file) = &self.socket {
            file.remove();
        }
    }
}

/// Listens at a file. One that a dead observer has left is replaced.
fn bind_file(path: &Path) -> Result<(UnixListener, SocketFile), CannotListen> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error.into()),
        Ok(metadata) if !metadata.file_type().is_socket() => return Err(CannotListen::NoSocket),
        Ok(_) => match UnixStream::connect(path) {
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => fs::remove_file(path)?,
            _ => return Err(CannotListen::Taken),
        },
    }
    let socket = UnixListener::bind(path)?;
    // Who may connect is whoever may write to it: its owner.
    fs::set_permissions(path, fs::Permissions::from_mode(0o600))?;
    Ok((socket, SocketFile { path: path.to_owned(), identity: identity(path) }))
}

fn identity(path: &Path) -> Option<(u64, u64)> {
    fs::symlink_metadata(path).ok().map(|metadata| (metadata.dev(), metadata.ino()))
}

impl SocketFile {
    /// Removes the file, unless somebody has put another in its place.
    fn remove(&self) {
        if self.identity.is_some() && identity(&self.path) == self.identity {
            // Who cannot remove it leaves a stale file, which the next observer replaces.
            let _ = fs::remove_file(&self.path);
        }
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        self.remove();
    }
}

/// A client's end of the line.
#[derive(Debug)]
pub enum Connection {
    /// Over the network.
    Tcp(TcpStream),
    /// Over a file.
    Unix(UnixStream),
}

impl Connection {
    /// Reads bytes; waits at most for `patience`, or without end.
    pub(crate) fn read(&self, buffer: &mut [u8], patience: Option<Duration>) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => {
                stream.set_read_timeout(patience)?;
                (&*stream).read(buffer)
            }
            Self::Unix(stream) => {
                stream.set_read_timeout(patience)?;
                (&*stream).read(buffer)
            }
        }
    }

    /// Writes bytes; each time that nothing can be written, waits at most for `patience`.
    pub(crate) fn write(&self, bytes: &[u8], patience: Duration) -> io::Result<()> {
        match self {
            _ if bytes.is_empty() => Ok(()),
            Self::Tcp(stream) => {
                stream.set_write_timeout(Some(patience))?;
                (&*stream).write_all(bytes)
            }
            Self::Unix(stream) => {
                stream.set_write_timeout(Some(patience))?;
                (&*stream).write_all(bytes)
            }
        }
    }

    /// Ends the connection; what was written is still sent.
    pub(crate) fn hang_up(&self) {
        // Who has hung up already is gone.
        let _ = match self {
            Self::Tcp(stream) => stream.shutdown(Shutdown::Both),
            Self::Unix(stream) => stream.shutdown(Shutdown::Both),
        };
    }

    /// Says that nothing more will be written.
    pub(crate) fn say_no_more(&self) {
        let _ = match self {
            Self::Tcp(stream) => stream.shutdown(Shutdown::Write),
            Self::Unix(stream) => stream.shutdown(Shutdown::Write),
        };
    }
}
