//! Clients on real sockets of this machine.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use traceward::{Event, Feed, Monitor, Spec};
use traceward_server::{
    Address, CannotListen, Clients, Ended, Limits, Listener, Refusal, Rules, Session, Stop, Verdicts, Witness, feed,
};

/// Writes down how traces ended.
#[derive(Clone, Default)]
struct Log {
    name: String,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Log {
    fn note(&self, what: String) {
        self.seen.lock().expect("no panic").push(what);
    }

    /// Waits until something has been noted.
    fn wait_for(&self, what: &str) {
        let begun = Instant::now();
        while !self.seen.lock().expect("no panic").iter().any(|seen| seen.contains(what)) {
            assert!(begun.elapsed() < Duration::from_secs(20), "no {what}: {:?}", self.seen.lock());
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Witness for Log {
    fn begin(&mut self, name: &str, _: &Feed) {
        self.name = name.to_owned();
    }

    fn see(&mut self, monitor: &Monitor, event: Event<'_>, verdicts: &mut Verdicts) -> Result<(), Stop> {
        if let Event::State { .. } = event {
            verdicts.push(&format!("{{\"states\": {}, \"filler\": \"{}\"}}", monitor.position(), "x".repeat(1000)));
        }
        Ok(())
    }

    fn end(&mut self, feed: &Feed, ended: Ended<'_>) -> String {
        let how = match ended {
            Ended::Failed(problem) => problem.to_string(),
            other => format!("{other:?}").to_lowercase(),
        };
        self.note(format!("{} {how} after {}", self.name, feed.monitor().position()));
        "{}".to_owned()
    }

    fn refuse(&mut self, refusal: &Refusal) {
        self.note(format!("refused: {refusal}"));
    }
}

/// An observer of `G(x < 2)`.
struct Observer {
    port: u16,
    clients: Arc<Clients<Log>>,
    log: Log,
}

fn serve(listener: Listener, limits: Limits) -> (Arc<Clients<Log>>, Log) {
    let spec: Spec = "G(x < 2)".parse().expect("a spec");
    let monitor = Monitor::new(&spec).expect("it can be followed");
    let (clients, log, rules) = (Clients::new(limits), Log::default(), Arc::new(Rules::default()));
    let (serving, witness) = (clients.clone(), log.clone());
    std::thread::spawn(move || {
        let open = || feed(monitor.clone()).ok().map(|feed| Session::new(feed, rules.clone(), witness.clone()));
        serving.serve(&listener, open)
    });
    (clients, log)
}

impl Observer {
    fn new(limits: Limits) -> Self {
        let address: Address = "tcp://127.0.0.1:0".parse().expect("an address");
        let listener = Listener::bind(&address, false).expect("a port that is free");
        let Address::Tcp { port, .. } = *listener.address() else { panic!("a port") };
        let (clients, log) = serve(listener, limits);
        Self { port, clients, log }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).expect("a connection");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout");
        stream
    }

    /// A client that says hello and its first state, and reads the answers.
    fn client(&self, name: &str) -> BufReader<TcpStream> {
        let mut client = BufReader::new(self.connect());
        say(&client, &format!("traceward 1 {{\"name\":\"{name}\",\"answer\":\"each\"}}\ninit {{\"x\":1}}\n"));
        assert_eq!((line(&mut client), line(&mut client)), ("needs [\"x\"]\n".into(), "ok\n".into()));
        client
    }
}

fn say(client: &BufReader<TcpStream>, text: &str) {
    client.get_ref().write_all(text.as_bytes()).expect("somebody listens");
}

fn line(client: &mut BufReader<TcpStream>) -> String {
    let mut line = String::new();
    client.read_line(&mut line).expect("an answer");
    line
}

fn rest(client: &mut BufReader<TcpStream>) -> String {
    let mut rest = String::new();
    client.read_to_string(&mut rest).expect("the end");
    rest
}

#[test]
fn fifty_clients_at_once_have_a_trace_each() {
    let observer = Observer::new(Limits::default());
    let mut clients: Vec<_> = (0..50).map(|number| observer.client(&format!("c{number}"))).collect();
    for round in 0..20 {
        for (number, client) in clients.iter().enumerate() {
            let x = if number % 5 == 0 && round == 10 { 2 } else { 1 };
            say(client, &format!("next {{\"x\":{x}}}\n"));
        }
        for (number, client) in clients.iter_mut().enumerate() {
            let expected = if number % 5 == 0 && round == 10 { "stop p1\n" } else { "ok\n" };
            assert_eq!(line(client), expected, "client {number}, round {round}");
        }
    }
    for (number, client) in clients.iter_mut().enumerate() {
        say(client, "end\n");
        assert_eq!(rest(client), "done\nend {}\n");
        observer.log.wait_for(&format!("c{number} said after 21"));
    }
}

#[test]
fn there_are_no_more_clients_than_there_may_be() {
    let observer = Observer::new(Limits { clients: 2, ..Limits::default() });
    let (first, _second) = (observer.client("first"), observer.client("second"));
    let mut third = BufReader::new(observer.connect());
    say(&third, "traceward 1\n");
    assert_eq!(rest(&mut third), "error there are 2 clients, and no more are taken\n");
    drop(first);
    observer.log.wait_for("first gone after 1");
    // Its place is free a moment later.
    let begun = Instant::now();
    loop {
        let mut next = BufReader::new(observer.connect());
        say(&next, "traceward 1\n");
        let told = line(&mut next);
        if told.starts_with("needs") {
            break;
        }
        assert!(begun.elapsed() < Duration::from_secs(10), "{told}");
    }
}

#[test]
fn who_says_no_hello_is_sent_away() {
    let observer = Observer::new(Limits { hello: Duration::from_millis(200), ..Limits::default() });
    let mut silent = BufReader::new(observer.connect());
    let mut slow = BufReader::new(observer.connect());
    let begun = Instant::now();
    for byte in b"traceward" {
        // Each byte is in time, and the whole is not.
        let _ = slow.get_ref().write_all(&[*byte]);
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(rest(&mut silent), "error no hello came in time\n");
    assert_eq!(rest(&mut slow), "error no hello came in time\n");
    assert!(begun.elapsed() < Duration::from_secs(5));
    // Who has said hello may be silent for as long as he likes.
    let mut client = observer.client("patient");
    std::thread::sleep(Duration::from_millis(500));
    say(&client, "end\n");
    assert_eq!(rest(&mut client), "done\nend {}\n");
}

#[test]
fn who_does_not_read_is_dropped_and_keeps_nobody_waiting() {
    let observer = Observer::new(Limits { patience: Duration::from_millis(300), ..Limits::default() });
    let deaf = observer.connect();
    let mut other = observer.client("other");
    let writer = deaf.try_clone().expect("a second handle");
    std::thread::spawn(move || {
        let mut writer = writer;
        let _ = writer.write_all(b"traceward 1 {\"name\":\"deaf\",\"answer\":\"verdicts\"}\ninit {\"x\":1}\n");
        let many = "next {\"x\":1}\n".repeat(100_000);
        let _ = writer.write_all(many.as_bytes());
    });
    let begun = Instant::now();
    while !observer.log.seen.lock().expect("no panic").iter().any(|seen| seen.contains("deaf")) {
        let asked = Instant::now();
        say(&other, "next {\"x\":1}\n");
        assert_eq!(line(&mut other), "ok\n");
        assert!(asked.elapsed() < Duration::from_secs(2), "another client waits");
        assert!(begun.elapsed() < Duration::from_secs(30), "it is not dropped");
    }
    observer.log.wait_for("deaf the client does not read what it has asked for");
}

#[test]
fn all_are_told_that_the_observer_ends() {
    let observer = Observer::new(Limits::default());
    let mut clients: Vec<_> = (0..10).map(|number| observer.client(&format!("c{number}"))).collect();
    let mut greeting = BufReader::new(observer.connect());
    say(&greeting, "trace");
    std::thread::sleep(Duration::from_millis(100));
    assert!(observer.clients.close(Duration::from_secs(2)));
    for client in &mut clients {
        assert_eq!(rest(client), "done\nend {}\n");
    }
    assert_eq!(rest(&mut greeting), "error the observer ends\n");
    assert_eq!(observer.log.seen.lock().expect("no panic").len(), 11);
}

#[test]
fn an_answer_to_each_state_comes_quickly() {
    let observer = Observer::new(Limits::default());
    let mut client = observer.client("quick");
    let begun = Instant::now();
    for _ in 0..2_000 {
        say(&client, "next {\"x\":1}\n");
        assert_eq!(line(&mut client), "ok\n");
    }
    // Small packets that wait for each other would take 40 ms each.
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
}

/// A path of its own for a socket.
fn path(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join(name);
    let _ = std::fs::remove_file(&path);
    path
}

#[test]
fn a_socket_in_the_file_system_comes_and_goes() {
    // Paths of sockets are short, and this folder may not be.
    std::env::set_current_dir(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let path = path("observer.sock");
    let address = Address::Unix("observer.sock".into());
    let listener = Listener::bind(&address, false).expect("a socket");
    assert!(matches!(Listener::bind(&address, false), Err(CannotListen::Taken)));
    drop(listener);
    assert!(!path.exists(), "it is gone with its observer");

    drop(UnixListener::bind("observer.sock").expect("a socket"));
    assert!(path.exists(), "nobody has removed it");
    let listener = Listener::bind(&address, false).expect("a stale socket is replaced");
    let (_clients, log) = serve(listener, Limits::default());
    let mut client = UnixStream::connect("observer.sock").expect("a connection");
    client.write_all(b"traceward 1 {\"name\":\"file\"}\ninit {\"x\":1}\nend\n").expect("somebody listens");
    log.wait_for("file said after 1");

    std::fs::write("plain.txt", "text").expect("a file");
    assert!(matches!(Listener::bind(&Address::Unix("plain.txt".into()), false), Err(CannotListen::NoSocket)));
    assert_eq!(std::fs::read_to_string("plain.txt").expect("it is still there"), "text");
}

#[test]
fn other_computers_need_a_token() {
    for host in ["0.0.0.0", "[::]"] {
        let address: Address = format!("tcp://{host}:0").parse().expect("an address");
        assert!(matches!(Listener::bind(&address, false), Err(CannotListen::NeedsToken)), "{host}");
    }
    let address: Address = "tcp://0.0.0.0:0".parse().expect("an address");
    assert!(Listener::bind(&address, true).is_ok());
    let local: Address = "tcp://localhost:0".parse().expect("an address");
    let listener = Listener::bind(&local, false).expect("a name of this computer");
    let taken = listener.address().clone();
    assert!(matches!(Listener::bind(&taken, false), Err(CannotListen::Taken)));
}
