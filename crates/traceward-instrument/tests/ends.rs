//! However a program ends, what it wrote is neither lost nor doubled, and it behaves as it did.

#![allow(clippy::disallowed_methods, reason = "tests write files and run compilers")]

mod support;

use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixListener;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use support::{Case, EVERY_WRITE, Event, How, compile, events, read, scratch, write_instrumented};

/// The writes before the program ends.
const WRITES: i64 = 1000;

const SIGNAL_ABORT: i32 = 6;
const SIGNAL_KILL: i32 = 9;
const SIGNAL_SEGV: i32 = 11;
const SIGNAL_TERM: i32 = 15;

/// The program that ends in the way that its argument says.
fn ends(folder: &Path) -> PathBuf {
    let case = Case::single("ends");
    let files = write_instrumented(&case.instrumented(EVERY_WRITE), &folder.join("told"));
    let program = folder.join("ends");
    compile("gcc", &["-O2", "-D_GNU_SOURCE"], &files, &program);
    program
}

/// The values of x that a trace tells, and whether it has an end.
fn values(text: &str) -> (Vec<i64>, bool) {
    let events = events(text);
    let value = |members: &serde_json::Map<String, Value>| members.get("x").and_then(Value::as_i64);
    let is_ended = events.last().is_some_and(|(word, _)| word == "end");
    assert_eq!(events.iter().filter(|(word, _)| word == "traceward 1").count(), 1, "one hello");
    assert_eq!(events.iter().filter(|(word, _)| word == "init").count(), 1, "one first state");
    (events.iter().filter_map(|(_, members)| value(members)).collect(), is_ended)
}

/// All values from 0, and some more.
fn all(more: &[i64]) -> Vec<i64> {
    (0..=WRITES).chain(more.iter().copied()).collect()
}

fn run_to(program: &Path, how: &str, out: &str) -> ExitStatus {
    let status = Command::new(program).arg(how).env("TRACEWARD_OUT", out).stderr(Stdio::null()).status();
    status.unwrap_or_else(|error| panic!("{}: {error}", program.display()))
}

/// The traces of other processes beside a trace.
fn beside(path: &Path) -> Vec<PathBuf> {
    let prefix = format!("{}.", path.file_name().expect("a name").to_string_lossy());
    let entries = fs::read_dir(path.parent().expect("a folder")).expect("the folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths.filter(|path| path.file_name().expect("a name").to_string_lossy().starts_with(&prefix)).collect()
}

#[test]
fn nothing_is_lost_in_a_file() {
    let folder = scratch("ends-file");
    let program = ends(&folder);
    for (how, code, signal, is_ended) in [
        ("return", Some(0), None, true),
        ("exit", Some(4), None, true),
        ("_exit", Some(7), None, true),
        ("segv", None, Some(SIGNAL_SEGV), false),
        ("abort", None, Some(SIGNAL_ABORT), false),
        ("kill", None, Some(SIGNAL_KILL), false),
        ("term", None, Some(SIGNAL_TERM), false),
        ("overflow", None, Some(SIGNAL_SEGV), false),
        ("exec", Some(0), None, false),
    ] {
        let path = folder.join(format!("{how}.events"));
        let status = run_to(&program, how, &format!("file:{}", path.display()));
        assert_eq!((status.code(), status.signal()), (code, signal), "{how}");
        assert_eq!(values(&read(&path)), (all(&[]), is_ended), "{how}");
        assert!(beside(&path).is_empty(), "{how}");
        let spare = read(&path).ends_with('\0');
        assert_eq!(spare, !is_ended, "{how}: a file that was ended has no spare room");
    }
}

#[test]
fn nothing_is_lost_in_a_pipe() {
    let folder = scratch("ends-pipe");
    let program = ends(&folder);
    for (how, code, signal, is_ended) in [
        ("return", Some(0), None, true),
        ("exit", Some(4), None, true),
        ("_exit", Some(7), None, true),
        ("segv", None, Some(SIGNAL_SEGV), false),
        ("abort", None, Some(SIGNAL_ABORT), false),
        ("term", None, Some(SIGNAL_TERM), false),
        ("overflow", None, Some(SIGNAL_SEGV), false),
        ("exec", Some(0), None, false),
    ] {
        let mut child = Command::new(&program)
            .arg(how)
            .env("TRACEWARD_OUT", "fd:1")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program runs");
        let mut text = String::new();
        child.stdout.take().expect("a pipe").read_to_string(&mut text).expect("text");
        let status = child.wait().expect("a status");
        assert_eq!((status.code(), status.signal()), (code, signal), "{how}");
        assert_eq!(values(&text), (all(&[]), is_ended), "{how}");
    }
}

#[test]
fn a_forked_process_has_a_trace_of_its_own() {
    let folder = scratch("ends-fork");
    let program = ends(&folder);
    let path = folder.join("fork.events");
    let status = run_to(&program, "fork", &format!("file:{}", path.display()));
    assert_eq!(status.code(), Some(0));
    assert_eq!(values(&read(&path)), (all(&[2000, 2001]), true));
    let children = beside(&path);
    assert_eq!(children.len(), 1);
    assert_eq!(values(&read(&children[0])), (vec![-1, -2], true));

    let path = folder.join("quiet.events");
    run_to(&program, "fork-quiet", &format!("file:{}", path.display()));
    assert_eq!(values(&read(&path)), (all(&[2001]), true));
    assert!(beside(&path).is_empty(), "a child that writes nothing tells nothing");
}

#[test]
fn only_the_parent_writes_to_a_pipe() {
    let folder = scratch("ends-fork-pipe");
    let program = ends(&folder);
    let output = Command::new(&program).arg("fork").env("TRACEWARD_OUT", "fd:1").output().expect("it runs");
    assert_eq!(values(&String::from_utf8_lossy(&output.stdout)), (all(&[2000, 2001]), true));
}

#[test]
fn a_program_that_starts_itself_again_keeps_its_first_trace() {
    let folder = scratch("ends-self");
    let program = ends(&folder);
    let path = folder.join("self.events");
    run_to(&program, "self", &format!("file:{}", path.display()));
    assert_eq!(values(&read(&path)), (all(&[]), false));
    let others = beside(&path);
    assert_eq!(others.len(), 1);
    assert_eq!(values(&read(&others[0])), (all(&[]), true));
    // A later run takes the file anew.
    run_to(&program, "return", &format!("file:{}", path.display()));
    assert_eq!(values(&read(&path)), (all(&[]), true));
}

#[test]
fn a_reader_that_has_gone_does_not_kill_the_program() {
    let folder = scratch("ends-gone");
    let program = ends(&folder);
    for (policy, code, signal) in [("go-on", Some(0), None), ("stop", None, Some(SIGNAL_TERM))] {
        let mut child = Command::new(&program)
            .args(["return", "patient"])
            .env("TRACEWARD_OUT", "fd:1")
            .env("TRACEWARD_GONE", policy)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program runs");
        drop(child.stdout.take());
        let mut told = String::new();
        child.stderr.take().expect("a pipe").read_to_string(&mut told).expect("text");
        let status = child.wait().expect("a status");
        assert_eq!((status.code(), status.signal()), (code, signal), "{policy}: {told}");
        assert!(told.starts_with("traceward: the observer has gone"), "{told}");
    }
}

#[test]
fn a_place_that_is_not_there_is_told_and_nothing_else_happens() {
    let folder = scratch("ends-nowhere");
    let program = ends(&folder);
    for out in ["unix:/nowhere/at/all", "file:/nowhere/at/all", "tcp:127.0.0.1:1", "smoke:signals"] {
        let output = Command::new(&program).arg("exit").env("TRACEWARD_OUT", out).output().expect("it runs");
        assert_eq!(output.status.code(), Some(4), "{out}");
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(told.starts_with("traceward: ") && told.lines().count() == 1, "{out}: {told}");
    }
}

#[test]
fn on_a_socket_the_program_waits_for_answers_and_stops_where_it_is_told() {
    let folder = scratch("ends-socket");
    let program = ends(&folder);
    let path = folder.join("monitor");
    let listener = UnixListener::bind(&path).expect("a socket");
    let child = Command::new(&program)
        .arg("return")
        .env("TRACEWARD_OUT", format!("unix:{}", path.display()))
        .env("TRACEWARD_ANSWER", "each")
        .spawn();
    let mut child = child.expect("the program runs");
    let (stream, _) = listener.accept().expect("a connection");
    let mut answers = stream.try_clone().expect("another handle");
    let mut lines = BufReader::new(stream).lines().map(|line| line.expect("a line"));
    let hello = lines.next().expect("a hello");
    assert!(hello.starts_with("traceward 1 {\"name\":\"ends\"") && hello.contains("\"answer\":\"each\""), "{hello}");
    writeln!(answers, "needs [\"x\"]").expect("an answer");
    for expected in 0..=17 {
        let line = lines.next().expect("a state");
        assert!(line.contains(&format!("\"x\":{expected}")), "{line}");
        let answer = if expected == 17 { "stop positive" } else { "ok" };
        writeln!(answers, "{answer}").expect("an answer");
    }
    assert_eq!(child.wait().expect("a status").signal(), Some(SIGNAL_TERM));
    assert_eq!(lines.next(), None, "nothing is told after the write at which it stopped");
}

#[test]
fn with_a_lock_all_writes_of_all_threads_are_told_in_their_order() {
    let case = Case::single("threads");
    let folder = scratch("ends-threads");
    let made = case.instrumented(How { threads: true, ..EVERY_WRITE });
    let files = write_instrumented(&made, &folder.join("told"));
    for (index, options) in [&["-O2"][..], &["-O1", "-g", "-fsanitize=thread"]].into_iter().enumerate() {
        let program = folder.join(format!("threads{index}"));
        compile("gcc", options, &files, &program);
        let path = program.with_extension("events");
        let status = run_to(&program, "", &format!("file:{}", path.display()));
        assert_eq!(status.code(), Some(0), "{options:?}");
        let text = read(&path);
        let (told, is_ended) = values(&text);
        assert_eq!(told, (0..=4000).collect::<Vec<_>>(), "{options:?}");
        assert!(is_ended);
        // Without a lock, who is told of a write may read what another thread has written since.
        let expected: Vec<i64> = (1..=4).flat_map(|number| (0..500).map(move |i| number * 1000 + i)).collect();
        for name in ["y", "z"] {
            let value = |(_, members): Event| members.get(name).and_then(Value::as_i64);
            let mut told: Vec<i64> = events(&text).into_iter().filter_map(value).skip(1).collect();
            told.sort_unstable();
            assert_eq!(told, expected, "{options:?}: {name}");
        }
    }
}

#[test]
fn valgrind_has_nothing_to_say() {
    let folder = scratch("ends-valgrind");
    let program = ends(&folder);
    for out in [format!("file:{}", folder.join("v.events").display()), "fd:1".to_owned()] {
        let output = Command::new("valgrind")
            .args(["-q", "--error-exitcode=99", "--leak-check=full", "--show-leak-kinds=definite"])
            .arg(&program)
            .arg("exit")
            .env("TRACEWARD_OUT", &out)
            .output()
            .unwrap_or_else(|error| panic!("valgrind is needed by this test and cannot be run: {error}"));
        assert_eq!(output.status.code(), Some(4), "{out}: {}", String::from_utf8_lossy(&output.stderr));
    }
}
