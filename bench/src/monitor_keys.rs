//! The program `traceward monitor --by` behind a real pipe: JSON lines of very many keys go in, and
//! the counts over keys come out. What each key takes in memory is told by the peak.

use crate::{Random, Row, measured, peak_kib};
use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The lines, and the keys that live at a time.
const LINES: u64 = 5_000_000;
const KEYS: u64 = 100_000;

/// The keys whose memory is measured, each with this many lines.
const MANY_KEYS: u64 = 1_000_000;
const LINES_OF_EACH: u64 = 2;

const FORMULA: &str = "G(request -> F grant)";

/// What came of the keys: how many there were, and how many are left without an answer.
#[derive(PartialEq, Eq, Debug)]
struct Counts {
    checked: u64,
    violated: u64,
    vacuous: u64,
}

/// A line: a key, and what is said of it.
struct Line {
    key: u64,
    request: bool,
    grant: bool,
}

pub fn keys_through_a_pipe() -> Vec<Row> {
    let (some, all) = (Input::new("lively", lively()), Input::new("many", many()));
    let expected = counts(KEYS, lively());
    let name = format!("{FORMULA} by key, {KEYS} live keys, final verdicts printed");
    let spoken = measured(name, LINES, "lines", &expected, || followed(&some.path).0);
    let expected = counts(MANY_KEYS, many());
    let (_, peak) = followed(&all.path);
    let (_, few) = followed(&Input::new("few", many().take(1000)).path);
    let bytes = (peak - few) * 1024 / MANY_KEYS;
    let name = format!("{FORMULA} by key, {MANY_KEYS} live keys, {bytes} bytes each");
    let kept = measured(name, MANY_KEYS * LINES_OF_EACH, "lines", &expected, || followed(&all.path).0);
    vec![spoken.ours(), kept.ours()]
}

/// Lines of keys that come and come again, in no order.
fn lively() -> impl Iterator<Item = Line> {
    let mut random = Random(5);
    // All keys have come before one comes again.
    (0..LINES).map(move |line| {
        let draw = random.bits();
        let key = if line < KEYS { line } else { (draw >> 8) % KEYS };
        Line { key, request: draw & 7 == 0, grant: draw >> 3 & 7 == 0 }
    })
}

/// Lines of keys that come twice.
fn many() -> impl Iterator<Item = Line> {
    let mut random = Random(7);
    (0..MANY_KEYS * LINES_OF_EACH).map(move |line| {
        let draw = random.bits();
        Line { key: line % MANY_KEYS, request: draw & 3 == 0, grant: draw >> 2 & 3 == 0 }
    })
}

/// What the counts over keys have to be.
fn counts(keys: u64, lines: impl Iterator<Item = Line>) -> Counts {
    let (mut asked, mut waiting) = (vec![false; keys as usize], vec![false; keys as usize]);
    for Line { key, request, grant } in lines {
        let key = key as usize;
        asked[key] |= request;
        waiting[key] = !grant && (request || waiting[key]);
    }
    let count = |bits: &[bool]| bits.iter().filter(|bit| **bit).count() as u64;
    Counts { checked: keys, violated: count(&waiting), vacuous: keys - count(&asked) }
}

/// What the program says at the end, and its highest memory in KiB.
fn followed(input: &Path) -> (Counts, u64) {
    let program = std::env::current_exe().expect("a path").with_file_name("traceward");
    assert!(program.exists(), "{} is not there: build it with `cargo build --release`", program.display());
    let mut child = Command::new(program)
        .args(["monitor", "-e", FORMULA, "--by", "key", "--only-final"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let (mut pipe, process) = (child.stdin.take().expect("a pipe"), child.id().to_string());
    let mut file = File::open(input).expect("the input");
    let feeder = std::thread::spawn(move || {
        std::io::copy(&mut file, &mut pipe).expect("the program reads all");
        // What is in the pipe is little: the peak is that of nearly all lines.
        peak_kib(&process)
    });
    let mut printed = String::new();
    child.stdout.take().expect("a pipe").read_to_string(&mut printed).expect("text");
    let peak = feeder.join().expect("all was read");
    child.wait().expect("the program ends");
    let last = printed.lines().last().unwrap_or_default();
    let number = |name: &str| {
        let behind = last.split(&format!("\"{name}\": ")).nth(1).unwrap_or_default();
        behind.split(|c: char| !c.is_ascii_digit()).next().and_then(|digits| digits.parse().ok()).expect("a number")
    };
    (Counts { checked: number("checked"), violated: number("violated"), vacuous: number("vacuous") }, peak)
}

/// Lines in a file, which is gone with this.
struct Input {
    path: PathBuf,
}

impl Input {
    fn new(name: &str, lines: impl Iterator<Item = Line>) -> Self {
        let path = std::env::temp_dir().join(format!("traceward-bench-{name}-{}.jsonl", std::process::id()));
        let mut file = BufWriter::new(File::create(&path).expect("a place for temporary files"));
        for Line { key, request, grant } in lines {
            writeln!(file, "{{\"key\":\"k{key}\",\"request\":{request},\"grant\":{grant}}}").expect("room");
        }
        file.flush().expect("room for the input");
        Self { path }
    }
}

impl Drop for Input {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}
