//! Where an observer is listening.

use std::fmt;
use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::str::FromStr;

/// An address: `tcp://127.0.0.1:7007` or `unix:/run/observer.sock`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Address {
    /// A port of a host.
    Tcp {
        /// The name or number of the host.
        host: String,
        /// The port; 0 for one that the system chooses.
        port: u16,
    },
    /// A socket in the file system.
    Unix(PathBuf),
}

impl Address {
    /// The numbers of a host and port; none for a socket in the file system.
    pub(crate) fn resolve(&self) -> io::Result<Vec<SocketAddr>> {
        match self {
            Self::Tcp { host, port } => Ok((host.as_str(), *port).to_socket_addrs()?.collect()),
            Self::Unix(_) => Ok(Vec::new()),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp { host, port } if host.contains(':') => write!(f, "tcp://[{host}]:{port}"),
            Self::Tcp { host, port } => write!(f, "tcp://{host}:{port}"),
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

/// A text that is no address.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadAddress;

impl fmt::Display for BadAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an address is tcp://HOST:PORT or unix:PATH, for example tcp://127.0.0.1:7007")
    }
}

impl std::error::Error for BadAddress {}

impl FromStr for Address {
    type Err = BadAddress;

    fn from_str(text: &str) -> Result<Self, BadAddress> {
        if let Some(path) = text.strip_prefix("unix:").filter(|path| !path.is_empty()) {
            return Ok(Self::Unix(path.into()));
        }
        let (host, port) = text.strip_prefix("tcp://").and_then(|rest| rest.rsplit_once(':')).ok_or(BadAddress)?;
        let bracketed = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
        let is_bare_number = bracketed.is_none() && host.contains(':');
        match (bracketed.unwrap_or(host), port.parse()) {
            ("", _) | (_, Err(_)) => Err(BadAddress),
            _ if is_bare_number => Err(BadAddress),
            (host, Ok(port)) => Ok(Self::Tcp { host: host.to_owned(), port }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_read_back_as_written() {
        for text in ["tcp://127.0.0.1:0", "tcp://localhost:65535", "tcp://[::1]:7", "unix:a b.sock", "unix:/x:1"] {
            assert_eq!(text.parse::<Address>().unwrap().to_string(), text);
        }
        for text in
            ["", "7007", "127.0.0.1:7", "tcp://:7", "tcp://h", "tcp://h:70000", "tcp://::1:7", "unix:", "udp://h:1"]
        {
            assert_eq!(text.parse::<Address>(), Err(BadAddress), "{text}");
        }
    }
}
