//! Observers that programs connect to.
//!
//! A [`Session`] is one client's conversation with its observer: bytes in, lines for the client and
//! news for a [`Witness`] out. It knows no socket. A [`Listener`] and [`Clients`] serve any number
//! of them, each on a thread of its own, so that none waits for another.
//!
//! ```
//! use traceward::{Event, Feed, Monitor, Spec};
//! use traceward_server::{Ended, Flow, Rules, Session, Stop, Verdicts, Witness, feed};
//!
//! /// Knows nothing and wants nothing.
//! struct Nobody;
//!
//! impl Witness for Nobody {
//!     fn see(&mut self, _: &Monitor, _: Event<'_>, _: &mut Verdicts) -> Result<(), Stop> {
//!         Ok(())
//!     }
//!     fn end(&mut self, feed: &Feed, _: Ended<'_>) -> String {
//!         format!("{{\"states\": {}}}", feed.monitor().position())
//!     }
//! }
//!
//! let spec: Spec = "G !(a & b)".parse()?;
//! let monitor = Monitor::new(&spec)?;
//! let mut session = Session::new(feed(monitor)?, Rules::default().into(), Nobody);
//! let mut replies = Vec::new();
//! let hello = b"traceward 1 {\"answer\": \"each\"}\n";
//! session.push(hello, &mut replies);
//! let flow = session.push(b"init {\"a\": true, \"b\": true}\nend\n", &mut replies);
//! let expected = "needs [\"a\",\"b\"]\nstop p1\ndone\nend {\"states\": 1}\n";
//! assert_eq!((flow, replies.as_slice()), (Flow::Closed, expected.as_bytes()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod address;
mod clients;
mod listen;
mod names;
mod session;
mod token;

pub use address::{Address, BadAddress};
pub use clients::{Clients, Limits};
pub use listen::{CannotListen, Connection, Listener};
pub use names::Names;
pub use session::{Ended, Flow, LONGEST_LINE, Problem, Refusal, Rules, Session, Stop, Verdicts, Witness, feed};
pub use token::{BadToken, Token};
