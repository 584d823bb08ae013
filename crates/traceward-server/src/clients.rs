//! Clients, each on a thread of its own.
//!
//! A thread reads what its client says, lets the session take it, and writes the replies. So who is
//! slow, silent or does not read keeps nobody waiting but itself. A session is behind a lock, so
//! that somebody else can end it, or ask what is known.

use crate::listen::{Connection, Listener};
use crate::session::{Flow, Refusal, Session, Witness};
use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

/// The bytes that are read at once.
const PIECE: usize = 64 << 10;

/// The time that a client that was told of its end has to read that.
const FAREWELL: Duration = Duration::from_millis(100);

/// The time after which a lock is tried again.
const A_MOMENT: Duration = Duration::from_millis(2);

/// The most who are told at a time that there is no place for them.
const MOST_LEAVING: usize = 16;

/// The limits of clients.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The most clients at a time.
    pub clients: usize,
    /// The time in which a client has to say hello.
    pub hello: Duration,
    /// The time in which a client has to read something of what it is told, once the system keeps
    /// no more for it.
    pub patience: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { clients: 100, hello: Duration::from_secs(10), patience: Duration::from_secs(2) }
    }
}

/// The clients of an observer.
pub struct Clients<W> {
    limits: Limits,
    present: Mutex<Present<W>>,
}

struct Present<W> {
    /// The number of the next client.
    next: u64,
    clients: BTreeMap<u64, Arc<Client<W>>>,
    /// The number of those who are being told that there is no place for them.
    leaving: usize,
    /// Whether no more clients are taken.
    is_closed: bool,
}

struct Client<W> {
    connection: Connection,
    session: Mutex<Session<W>>,
}

impl<W> Client<W> {
    fn session(&self) -> MutexGuard<'_, Session<W>> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<W: Witness + Send + 'static> Clients<W> {
    /// An observer without clients.
    pub fn new(limits: Limits) -> Arc<Self> {
        let present = Present { next: 0, clients: BTreeMap::new(), leaving: 0, is_closed: false };
        Arc::new(Self { limits, present: Mutex::new(present) })
    }

    fn present(&self) -> MutexGuard<'_, Present<W>> {
        self.present.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes clients as they come, until the socket fails. `open` makes the session of each; where
    /// it makes none, the client is not listened to.
    pub fn serve(self: &Arc<Self>, listener: &Listener, mut open: impl FnMut() -> Option<Session<W>>) -> io::Error {
        loop {
            match listener.accept() {
                Ok(connection) => match open() {
                    Some(session) => self.take(connection, session),
                    None => connection.hang_up(),
                },
                // A client that has gone meanwhile, or too many open files: the next may be taken.
                Err(error) if is_passing(&error) => thread::sleep(FAREWELL),
                Err(error) => return error,
            }
        }
    }

    /// Talks to a client on a thread of its own, unless there are too many.
    fn take(self: &Arc<Self>, connection: Connection, mut session: Session<W>) {
        let mut present = self.present();
        if present.is_closed || present.clients.len() >= self.limits.clients {
            drop(present);
            let mut replies = Vec::new();
            session.turn_away(&Refusal::Full { limit: self.limits.clients }, &mut replies);
            return self.send_away(connection, replies);
        }
        let number = present.next;
        present.next += 1;
        let client = Arc::new(Client { connection, session: Mutex::new(session) });
        present.clients.insert(number, client.clone());
        drop(present);
        let clients = self.clone();
        let talk = move || {
            client.talk(clients.limits);
            clients.present().clients.remove(&number);
        };
        if thread::Builder::new().name("client".to_owned()).spawn(talk).is_err()
            && let Some(client) = self.present().clients.remove(&number)
        {
            let mut replies = Vec::new();
            client.session().turn_away(&Refusal::Full { limit: self.limits.clients }, &mut replies);
            // Nobody is there to wait until that is read.
            let _ = client.connection.write(&replies, A_MOMENT);
            client.connection.hang_up();
        }
    }

    /// Tells somebody that there is no place for him, without keeping others waiting. If many come
    /// at once, some are not told.
    fn send_away(self: &Arc<Self>, connection: Connection, replies: Vec<u8>) {
        if self.present().leaving >= MOST_LEAVING {
            return connection.hang_up();
        }
        self.present().leaving += 1;
        let clients = self.clone();
        let leave = move || {
            bid_farewell(&connection, &replies);
            clients.present().leaving -= 1;
        };
        if thread::Builder::new().name("leaving".to_owned()).spawn(leave).is_err() {
            self.present().leaving -= 1;
        }
    }

    /// Ends all sessions, and takes no more clients. Returns whether that was done in time; who is
    /// busy in a long step is not waited for.
    pub fn close(&self, patience: Duration) -> bool {
        let clients = {
            let mut present = self.present();
            present.is_closed = true;
            present.clients.values().cloned().collect::<Vec<_>>()
        };
        let close = |client: &Arc<Client<W>>, deadline| {
            client.with_session(deadline, |session| {
                let mut replies = Vec::new();
                session.close(&mut replies);
                // A client that does not read is not waited for.
                let _ = client.connection.write(&replies, A_MOMENT);
                client.connection.say_no_more();
            })
        };
        let (halfway, now) = (Instant::now() + patience / 2, Instant::now());
        let (_, busy): (Vec<_>, Vec<_>) = clients.into_iter().partition(|client| close(client, halfway));
        // Who waits for a client to read stops waiting.
        busy.iter().for_each(|client| client.connection.hang_up());
        let left_behind = busy.iter().filter(|client| !close(client, now + patience)).count();
        thread::sleep(FAREWELL.min(patience / 4));
        left_behind == 0
    }

    /// Looks at all sessions that are not busy until then.
    pub fn visit(&self, patience: Duration, mut look: impl FnMut(&mut Session<W>)) {
        let deadline = Instant::now() + patience;
        let clients: Vec<_> = self.present().clients.values().cloned().collect();
        for client in clients {
            client.with_session(deadline, &mut look);
        }
    }
}

impl<W: Witness> Client<W> {
    /// Reads what the client says, until one of both has enough.
    fn talk(&self, limits: Limits) {
        let mut buffer = vec![0; PIECE];
        let mut replies = Vec::new();
        let deadline = Instant::now() + limits.hello;
        let mut is_greeting = true;
        loop {
            let patience = is_greeting.then(|| deadline.saturating_duration_since(Instant::now()));
            let read = match patience {
                Some(Duration::ZERO) => Err(io::ErrorKind::TimedOut.into()),
                patience => self.connection.read(&mut buffer, patience),
            };
            let mut session = self.session();
            let flow = match read {
                Ok(0) => session.gone(&mut replies),
                Ok(count) => session.push(&buffer[..count], &mut replies),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) if is_timeout(&error) => {
                    session.late(&mut replies);
                    Flow::Closed
                }
                Err(_) => session.gone(&mut replies),
            };
            is_greeting = session.is_greeting();
            if flow == Flow::Closed {
                drop(session);
                return bid_farewell(&self.connection, &replies);
            }
            // Who has gone is noticed when there is nothing more to read.
            if self.connection.write(&replies, limits.patience).is_err_and(|error| is_timeout(&error)) {
                session.deaf();
                return self.connection.hang_up();
            }
            replies.clear();
        }
    }

    /// Does something with the session as soon as it is not busy; returns whether that was in time.
    fn with_session(&self, deadline: Instant, act: impl FnOnce(&mut Session<W>)) -> bool {
        loop {
            match self.session.try_lock() {
                Ok(mut session) => {
                    act(&mut session);
                    return true;
                }
                Err(TryLockError::Poisoned(poisoned)) => {
                    act(&mut poisoned.into_inner());
                    return true;
                }
                Err(TryLockError::WouldBlock) if Instant::now() >= deadline => return false,
                Err(TryLockError::WouldBlock) => thread::sleep(A_MOMENT),
            }
        }
    }
}

/// Tells a client the last it will be told. What it has said meanwhile is dropped: bytes that
/// nobody reads would make the system throw away what the client has not read yet.
fn bid_farewell(connection: &Connection, replies: &[u8]) {
    if connection.write(replies, FAREWELL).is_ok() {
        connection.say_no_more();
        let deadline = Instant::now() + FAREWELL;
        let mut dropped = vec![0; PIECE];
        loop {
            let patience = deadline.saturating_duration_since(Instant::now());
            let is_over = patience.is_zero();
            if is_over || !matches!(connection.read(&mut dropped, Some(patience)), Ok(1..)) {
                break;
            }
        }
    }
    connection.hang_up();
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock)
}

/// Whether an error of a listening socket is about one client only, or about a shortage that
/// passes.
fn is_passing(error: &io::Error) -> bool {
    const TOO_MANY_FILES: [i32; 2] = [23, 24];
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::Interrupted
            | io::ErrorKind::OutOfMemory
    ) || error.raw_os_error().is_some_and(|number| TOO_MANY_FILES.contains(&number))
}
