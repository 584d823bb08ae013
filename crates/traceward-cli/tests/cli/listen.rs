//! `traceward monitor --listen`: programs connect over real sockets.

use crate::common::{Folder, signal};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::process::{Child, ChildStderr, ChildStdout, Command, Stdio};
use std::time::Duration;

/// A test that fails leaves nobody listening.
impl Drop for Observer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An observer that runs.
pub struct Observer {
    child: Child,
    output: BufReader<ChildStdout>,
    errors: BufReader<ChildStderr>,
    /// The address, as it says itself.
    pub address: String,
    pub folder: Folder,
}

impl Observer {
    /// An observer on a port that is free.
    pub fn start(test: &str, arguments: &[&str]) -> Self {
        Self::start_in(Folder::new(test), &[&["--listen", "tcp://127.0.0.1:0"], arguments].concat())
    }

    fn start_in(folder: Folder, arguments: &[&str]) -> Self {
        let mut command = folder.command(&[&["monitor"], arguments].concat());
        let command = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut errors = BufReader::new(child.stderr.take().expect("a pipe"));
        let mut said = String::new();
        while !said.contains("listening on ") {
            let length = said.len();
            errors.read_line(&mut said).expect("a line");
            assert!(said.len() > length, "it does not listen: {said}");
        }
        let address = said.trim_end().rsplit("listening on ").next().unwrap_or_default().to_owned();
        Self { child, output, errors, address, folder }
    }

    fn connect(&self) -> Client {
        let address = self.address.strip_prefix("tcp://").expect("a port");
        let stream = TcpStream::connect(address).expect("a connection");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout");
        Client(BufReader::new(stream))
    }

    /// A client that says this.
    fn client(&self, said: &str) -> Client {
        let mut client = self.connect();
        client.say(said);
        client
    }

    /// The next line on standard output.
    pub fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("a line");
        line
    }

    /// Sends a signal; returns standard output, standard error and the status.
    pub fn end_by(mut self, name: &str) -> (String, String, Option<i32>) {
        signal(&self.child, name);
        self.rest()
    }

    /// What else it prints until it ends by itself.
    fn rest(&mut self) -> (String, String, Option<i32>) {
        let (mut out, mut errors) = (String::new(), String::new());
        self.output.read_to_string(&mut out).expect("UTF-8");
        self.errors.read_to_string(&mut errors).expect("UTF-8");
        (out, errors, self.child.wait().expect("an end").code())
    }
}

/// A client over the network.
struct Client(BufReader<TcpStream>);

impl Client {
    fn say(&mut self, text: &str) {
        self.0.get_ref().write_all(text.as_bytes()).expect("somebody listens");
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.0.read_line(&mut line).expect("an answer");
        line
    }

    fn rest(&mut self) -> String {
        let mut rest = String::new();
        self.0.read_to_string(&mut rest).expect("the end");
        rest
    }
}

const MUX: &str = "traceward 1 {\"name\":\"mux\",\"answer\":\"verdicts\"}\ninit {\"x\":1}\n\
                   next {\"x\":2,\"@at\":\"mux.c:17\",\"@in\":\"enter\"}\nend\n";
const FINE: &str = "traceward 1 {\"name\":\"fine\",\"answer\":\"each\"}\ninit {\"x\":1}\n";

#[test]
fn each_client_has_a_trace_of_its_own() {
    let observer = Observer::start("listen-traces", &["-e", "G(x < 2)"]);
    let first = observer.client(MUX).rest();
    let second = observer.client(MUX).rest();
    let mut third = observer.client(FINE);
    let told = [third.line(), third.line()].concat();
    let (out, errors, status) = observer.end_by("TERM");
    let told = told + &third.rest();
    insta::assert_snapshot!(format!(
        "{first}--- the second\n{second}--- the third\n{told}--- standard output\n{out}\
         --- standard error\n{errors}--- exit status {status:?}\n"
    ));
}

#[test]
fn people_are_told_whose_trace_it_is() {
    let mut observer = Observer::start("listen-text", &["-e", "G(x < 2)", "-e", "max(x)", "--format", "text"]);
    observer.client(MUX).rest();
    let mut fine = observer.client(FINE);
    assert_eq!([fine.line(), fine.line()], ["needs [\"x\"]\n", "ok\n"]);
    assert!(observer.line().starts_with("mux:        1  violated   p1  line 3, at mux.c:17 in enter: x = 2"));
    let mut block = String::new();
    (0..3).for_each(|_| block += &observer.line());
    assert!(block.starts_with("mux: end: 2 states\n✗ violated  p1"), "{block}");
    signal(&observer.child, "USR1");
    assert_eq!(observer.line(), "fine:        0  q1 = 1\n");
    let (out, errors, status) = observer.end_by("INT");
    assert!(out.starts_with("fine: end: 1 state\n✓ satisfied  p1"), "{out}");
    assert_eq!((errors.as_str(), status), ("", Some(1)));
}

#[test]
fn a_client_that_is_killed_ends_its_trace() {
    let mut observer = Observer::start("listen-killed", &["-e", "F x == 9", "--only-final"]);
    let port = observer.address.rsplit(':').next().expect("a port").to_owned();
    let script = format!(
        "exec 3<>/dev/tcp/127.0.0.1/{port}; printf 'traceward 1 {{\"name\":\"shell\"}}\\ninit {{\"x\":1}}\\nnext {{\"x\"' >&3; \
         echo ready; exec sleep 60"
    );
    let mut shell = Command::new("bash")
        .args(["-c", &script])
        .stdout(Stdio::piped())
        .spawn()
        .expect("bash, by which a client is written");
    let mut ready = String::new();
    BufReader::new(shell.stdout.take().expect("a pipe")).read_line(&mut ready).expect("a line");
    std::thread::sleep(Duration::from_millis(100));
    signal(&shell, "KILL");
    shell.wait().expect("an end");
    let end = observer.line();
    assert!(end.contains("\"client\": \"shell\", \"gone\": true, \"states\": 1"), "{end}");
    assert!(end.contains("{\"name\": \"p1\", \"verdict\": \"violated\"}"), "{end}");
    // It comes again under another name, and nothing is left of its first life.
    let mut again = observer.client("traceward 1 {\"name\":\"shell\",\"answer\":\"each\"}\ninit {\"x\":9}\nend\n");
    assert!(again.rest().contains("\"client\": \"shell#2\", \"states\": 1"));
    let (_, errors, status) = observer.end_by("TERM");
    let warning = "warning: shell: the program did not end its trace: its last line is cut off, and left out\n";
    assert_eq!((errors.as_str(), status), (warning, Some(1)));
}

#[test]
fn the_first_violation_stops_the_observer_if_asked() {
    let mut observer = Observer::start("listen-stop", &["-e", "G(x < 2)", "--stop-on-violation", "--only-final"]);
    let mut fine = observer.client(FINE);
    assert_eq!([fine.line(), fine.line()], ["needs [\"x\"]\n", "ok\n"]);
    let mut mux = observer.client(&MUX.replace("verdicts", "each").replace("end\n", ""));
    let told = mux.rest();
    assert!(told.starts_with("needs [\"x\"]\nok\nstop p1\ndone\nend {"), "{told}");
    assert!(fine.rest().starts_with("done\nend {"));
    let (out, errors, status) = observer.rest();
    let ends: Vec<&str> = out.lines().filter(|line| line.contains("\"end\": true")).collect();
    assert_eq!((ends.len(), errors.as_str(), status), (2, "", Some(1)), "{out}");
    assert!(ends.iter().all(|end| end.contains("\"complete\": false, \"stopped\": \"violated\"")), "{out}");
}

#[test]
fn a_trace_ends_when_it_is_decided_if_asked() {
    let observer = Observer::start("listen-decided", &["-e", "F x == 2", "--stop-when-decided", "--only-final"]);
    let told = observer.client(&MUX.replace("end\n", "")).rest();
    assert!(told.contains("\"stopped\": \"decided\""), "{told}");
    let told = observer.client(&MUX.replace("end\n", "")).rest();
    assert!(told.contains("\"client\": \"mux#2\""), "{told}");
    let (_, errors, status) = observer.end_by("TERM");
    assert_eq!((errors.as_str(), status), ("", Some(0)));
}

#[test]
fn the_exit_status_is_that_of_the_worst_trace() {
    let ended = |test: &str, arguments: &[&str], said: &[&str]| {
        let observer = Observer::start(test, &[&["-e", "G(x < 2)"], arguments].concat());
        said.iter().for_each(|said| drop(observer.client(said).rest()));
        let (_, errors, status) = observer.end_by("TERM");
        (errors, status)
    };
    let fine = FINE.to_owned() + "end\n";
    assert_eq!(ended("listen-0", &[], &[&fine, &fine]), (String::new(), Some(0)));
    assert_eq!(ended("listen-1", &[], &[&fine, MUX, &fine]), (String::new(), Some(1)));
    let (errors, status) = ended("listen-bad", &[], &[&fine.replace("end", "next {\nend")]);
    assert_eq!((status, errors.lines().count()), (Some(2), 2), "{errors}");
    let skip = ["--on-bad-input", "skip", "--quiet"];
    assert_eq!(ended("listen-skip", &skip, &[&fine.replace("end", "next {\nend")]), (String::new(), Some(0)));
    let stop = ["--on-bad-input", "stop"];
    let (errors, status) = ended("listen-stopped", &stop, &[&fine.replace("end", "next {\nnext {\"x\":5}\nend")]);
    assert!(errors.starts_with("error: fine:3: no valid JSON"), "{errors}");
    assert_eq!(status, Some(2));
    let (errors, status) = ended("listen-empty", &[], &["traceward 1\nend\n"]);
    assert!(errors.starts_with("error: client: the trace is empty"), "{errors}");
    assert_eq!(status, Some(2));
    let (errors, status) = ended("listen-version", &[], &[&fine, "traceward 2\n"]);
    assert_eq!(status, Some(2), "{errors}");
    let (errors, status) = ended("listen-knock", &[], &[&fine, "GET / HTTP/1.1\r\n\r\n"]);
    assert!(errors.starts_with("warning: a client was turned away: "), "{errors}");
    assert_eq!(status, Some(0));
    let (errors, status) = ended("listen-nobody", &[], &[]);
    assert!(errors.starts_with("error: no client came"), "{errors}");
    assert_eq!(status, Some(2));
    assert_eq!(ended("listen-allowed", &["--allow-empty"], &[]), (String::new(), Some(0)));
}

#[test]
fn a_socket_in_the_file_system_is_gone_with_its_observer() {
    let folder = Folder::new("listen-unix");
    // Such paths are short; the program runs in this folder.
    std::os::unix::net::UnixListener::bind(folder.path("stale.sock")).map(drop).expect("a stale socket");
    let arguments = ["-e", "G(x < 2)", "--listen", "unix:stale.sock"];
    let mut observer = Observer::start_in(folder, &arguments);
    let taken = observer.folder.run(&[&["monitor"], &arguments[..]].concat(), b"");
    assert!(taken.stderr.contains("unix:stale.sock: somebody listens there already"), "{}", taken.stderr);
    assert_eq!(taken.status, 2);
    let path = observer.folder.path("stale.sock");
    let mut client = UnixStream::connect(&path).expect("a connection");
    client.write_all(MUX.as_bytes()).expect("somebody listens");
    let mut told = String::new();
    client.read_to_string(&mut told).expect("the end");
    assert!(told.contains("\nend {"), "{told}");
    signal(&observer.child, "INT");
    assert_eq!(observer.rest().2, Some(1));
    assert!(observer.folder.path(".").exists() && !path.exists(), "the folder is there, and the socket is not");
}

#[test]
fn what_cannot_be_listened_to_is_told_at_once() {
    let folder = Folder::new("listen-wrong");
    folder.write("plain", "text").write("short", "secret\n");
    let ask = |rest: &[&str]| {
        let output = folder.run(&[&["monitor", "-e", "G x", "--listen"], rest].concat(), b"");
        assert_eq!((output.status, output.stdout.as_str()), (2, ""), "{}", output.stderr);
        output.stderr
    };
    insta::assert_snapshot!(
        [
            ask(&["localhost:5"]),
            ask(&["tcp://0.0.0.0:0"]),
            ask(&["tcp://0.0.0.0:0", "--token-file", "none"]),
            ask(&["tcp://0.0.0.0:0", "--token-file", "short", "--quiet"]),
            ask(&["unix:plain"]),
            ask(&["unix:nowhere/x"]),
            ask(&["tcp://127.0.0.1:0", "--input", "csv"]),
            ask(&["tcp://127.0.0.1:0", "--by", "key"]),
        ]
        .join("\n")
    );
}

#[test]
fn other_computers_say_the_token() {
    let folder = Folder::new("listen-token");
    folder.write("token", "correct-horse-battery\n");
    std::fs::set_permissions(folder.path("token"), std::os::unix::fs::PermissionsExt::from_mode(0o600))
        .expect("a mode");
    let listen = ["--listen", "tcp://0.0.0.0:0", "--token-file", "token", "-e", "G(x < 2)"];
    let observer = Observer::start_in(folder, &listen);
    let refused = "error the first line has to be `token` and the observer's token\n";
    assert_eq!(observer.client(MUX).rest(), refused);
    assert_eq!(observer.client("token correct-horse-batterx\n").rest(), refused);
    assert!(observer.client(&format!("token correct-horse-battery\n{FINE}end\n")).rest().contains("\nend {"));
    let (_, errors, status) = observer.end_by("TERM");
    assert_eq!((errors.lines().count(), status), (2, Some(0)), "{errors}");
    assert!(!errors.contains("correct"), "{errors}");
}

#[test]
fn fifty_clients_come_and_go_and_others_are_turned_away() {
    let observer = Observer::start("listen-fifty", &["-e", "G(x < 2)", "--only-final", "--clients", "50"]);
    let mut clients: Vec<Client> = (0..50).map(|_| observer.client(FINE)).collect();
    for client in &mut clients {
        assert_eq!([client.line(), client.line()], ["needs [\"x\"]\n", "ok\n"]);
    }
    assert_eq!(observer.client(FINE).rest(), "error there are 50 clients, and no more are taken\n");
    for (number, client) in clients.iter_mut().enumerate() {
        client.say(if number % 2 == 0 { "next {\"x\":1}\nend\n" } else { "next {\"x\":2}\n" });
    }
    for (number, client) in clients.iter_mut().enumerate() {
        assert_eq!(client.line(), if number % 2 == 0 { "ok\n" } else { "stop p1\n" });
    }
    let (out, errors, status) = observer.end_by("TERM");
    let ends = |verdict: &str| out.lines().filter(|line| line.contains("\"end\"") && line.contains(verdict)).count();
    assert_eq!((ends("satisfied"), ends("violated")), (25, 25), "{out}");
    assert_eq!(status, Some(2), "one client has lost its trace: {errors}");
}

#[test]
fn a_long_step_of_one_client_keeps_nobody_from_ending() {
    let slow = "F matches(s, \"a[ab]{300}c\")";
    let observer = Observer::start("listen-slow", &["-e", "G(x < 2)", "-e", slow]);
    let mut busy = observer.client("traceward 1 {\"name\":\"busy\"}\ninit {\"x\":1,\"s\":\"x\"}\n");
    busy.line();
    busy.say(&format!("next {{\"s\":\"{}\"}}\n", crate::common::long_line(4 << 20 >> 1)));
    let mut fine = observer.client(FINE);
    assert_eq!([fine.line(), fine.line()], ["needs [\"x\",\"s\"]\n", "ok\n"]);
    let begun = std::time::Instant::now();
    let (out, _, status) = observer.end_by("TERM");
    assert!(begun.elapsed() < Duration::from_secs(5), "it does not end");
    assert!(out.contains("\"client\": \"fine\", \"states\": 1"), "{out}");
    assert!(out.contains("\"client\": \"busy\", \"complete\": false, \"states\": 1"), "{out}");
    assert_eq!(status, Some(2), "`s` was never seen by one of them");
}
