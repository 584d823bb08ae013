//! The program `traceward monitor` behind a real pipe: JSON lines of four mixed fields go in,
//! verdicts come out and are read. That its memory stays as it is, is verified first.

use crate::{Random, Row, measured, peak_kib};
use memchr::memchr_iter;
use std::fs::File;
use std::io::{BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const LINES: u64 = 5_000_000;
/// Lines behind which memory has to be what it will be.
const WARM_LINES: u64 = 1_000_000;
/// The memory by which the program may grow over all other lines, in KiB.
const GROWTH: u64 = 1024;

/// The argument with which this program only counts the lines of standard input.
pub const COUNT_LINES: &str = "count-lines";

const WORDS: [&str; 4] = ["idle", "busy", "waiting", "done"];

/// A property "whenever this, then that at once or later", and which states are this and that.
struct Response {
    formula: &'static str,
    asks: fn(&State) -> bool,
    answers: fn(&State) -> bool,
}

struct State {
    a: bool,
    b: bool,
    n: u64,
    s: &'static str,
}

const RESPONSES: [Response; 3] = [
    Response { formula: "G(a -> F b)", asks: |state| state.a, answers: |state| state.b },
    Response {
        formula: "G(n > 900 -> F s == \"done\")",
        asks: |state| state.n > 900,
        answers: |state| state.s == "done",
    },
    Response {
        formula: "G(s == \"busy\" -> F s == \"idle\")",
        asks: |state| state.s == "busy",
        answers: |state| state.s == "idle",
    },
];

/// An answer within a time that always suffices.
const IN_TIME: Response = Response { formula: "G(a -> F[0,5s] b)", ..RESPONSES[0] };

/// Whether lines have a timestamp.
#[derive(Clone, Copy, Debug)]
enum Stamps {
    None,
    /// One each millisecond, in the field `t`.
    Milliseconds,
}

/// What a program printed.
#[derive(PartialEq, Eq, Debug)]
struct Printed {
    lines: usize,
    last: String,
}

pub fn json_lines_through_a_pipe() -> Vec<Row> {
    let input = Input::new(Stamps::None);
    let one = monitored(&RESPONSES[..1], &input).ours();
    let three = monitored(&RESPONSES, &input);
    let timed = monitored(&[IN_TIME], &Input::new(Stamps::Milliseconds));
    let expected = Printed { lines: 1, last: LINES.to_string() };
    let counted = measured("the same pipe, lines only counted", LINES, "lines", &expected, || {
        let this = std::env::current_exe().expect("a path");
        printed_by(Command::new(this).arg(COUNT_LINES), &input.path)
    });
    vec![one, three, timed, counted]
}

/// Counts the lines of standard input.
pub fn count_lines() -> usize {
    let mut input = std::io::stdin().lock();
    let mut bytes = vec![0; 64 << 10];
    let mut lines = 0;
    loop {
        match input.read(&mut bytes).expect("a pipe") {
            0 => return lines,
            len => lines += memchr_iter(b'\n', &bytes[..len]).count(),
        }
    }
}

fn monitored(responses: &[Response], input: &Input) -> Row {
    let expected = expected(responses);
    let peak = memory_stays_flat(responses, input);
    let what = match responses {
        [only] => only.formula.to_owned(),
        several => format!("{} properties", several.len()),
    };
    let name = format!("{what}: {} verdicts printed, peak memory {:.1} MiB", expected.lines - 1, peak as f64 / 1024.0);
    measured(name, LINES, "lines", &expected, || printed_by(&mut monitor(responses, input.stamps), &input.path))
}

/// The program, which is built beside this one.
fn monitor(responses: &[Response], stamps: Stamps) -> Command {
    let program = std::env::current_exe().expect("a path").with_file_name("traceward");
    assert!(program.exists(), "{} is not there: build it with `cargo build --release`", program.display());
    let mut command = Command::new(program);
    command.args(["monitor", "--format", "json"]);
    match stamps {
        Stamps::None => {}
        Stamps::Milliseconds => drop(command.args(["--time", "t:ms"])),
    }
    responses.iter().for_each(|one| {
        command.args(["-e", one.formula]);
    });
    command
}

fn started(command: &mut Command) -> Child {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the program starts")
}

fn printed_by(command: &mut Command, input: &Path) -> Printed {
    let mut child = started(command);
    let mut pipe = child.stdin.take().expect("a pipe");
    let mut file = File::open(input).expect("the input");
    let feeder = std::thread::spawn(move || std::io::copy(&mut file, &mut pipe).expect("the program reads all"));
    let printed = read_all(&mut child);
    feeder.join().expect("all was read");
    child.wait().expect("the program ends");
    printed
}

/// Counts the lines a program prints, and keeps the last.
fn read_all(child: &mut Child) -> Printed {
    let mut out = child.stdout.take().expect("a pipe");
    let mut bytes = vec![0; 64 << 10];
    let (mut lines, mut tail) = (0, Vec::new());
    loop {
        let len = out.read(&mut bytes).expect("a pipe");
        if len == 0 {
            break;
        }
        lines += memchr_iter(b'\n', &bytes[..len]).count();
        tail.extend_from_slice(&bytes[..len]);
        // No line is longer than this.
        tail.drain(..tail.len().saturating_sub(1024));
    }
    let last = String::from_utf8_lossy(&tail).lines().last().unwrap_or_default().to_owned();
    Printed { lines, last }
}

/// The most memory the program has had, in KiB, having read all lines: not much more than having
/// read some.
fn memory_stays_flat(responses: &[Response], input: &Input) -> u64 {
    let mut child = started(&mut monitor(responses, input.stamps));
    let process = child.id().to_string();
    let mut pipe = child.stdin.take().expect("a pipe");
    let (mut file, warm_bytes) = (File::open(&input.path).expect("the input"), input.warm_bytes);
    let feeder = std::thread::spawn(move || {
        std::io::copy(&mut (&mut file).take(warm_bytes), &mut pipe).expect("the program reads all");
        wait_until_idle(&process);
        let warm = peak_kib(&process);
        std::io::copy(&mut file, &mut pipe).expect("the program reads all");
        wait_until_idle(&process);
        (warm, peak_kib(&process))
    });
    read_all(&mut child);
    let (warm, all) = feeder.join().expect("all was read");
    child.wait().expect("the program ends");
    assert!(all <= warm + GROWTH, "memory grew from {warm} to {all} KiB over {} lines", LINES - WARM_LINES);
    all
}

/// Waits until a process has done with all that it was given: its processor time stands still.
fn wait_until_idle(process: &str) {
    let spent = || {
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).expect("Linux");
        let fields: Vec<String> = stat.rsplit(')').next().unwrap_or_default().split(' ').map(str::to_owned).collect();
        // User and system time, the 14th and 15th field of all.
        (fields[12].clone(), fields[13].clone())
    };
    let start = Instant::now();
    let mut before = spent();
    while start.elapsed() < Duration::from_secs(10) {
        std::thread::sleep(Duration::from_millis(100));
        let now = spent();
        if now == before {
            return;
        }
        before = now;
    }
    panic!("the program never waits for more");
}

fn states() -> impl Iterator<Item = State> {
    let mut random = Random(3);
    (0..LINES).map(move |_| {
        let draw = random.bits();
        State { a: draw & 3 == 0, b: draw >> 2 & 3 == 0, n: (draw >> 4) % 1000, s: WORDS[(draw >> 62) as usize] }
    })
}

/// A line whenever it becomes or ceases to be true that something is asked and not answered, one
/// after the first state, and one at the end.
fn expected(responses: &[Response]) -> Printed {
    let mut waiting: Vec<Option<bool>> = vec![None; responses.len()];
    let mut lines = 1;
    for state in states() {
        for (response, waiting) in responses.iter().zip(&mut waiting) {
            let now = !(response.answers)(&state) && ((response.asks)(&state) || *waiting == Some(true));
            lines += usize::from(*waiting != Some(now));
            *waiting = Some(now);
        }
    }
    let verdict = |(index, waiting): (usize, &Option<bool>)| {
        let verdict = if *waiting == Some(true) { "violated" } else { "satisfied" };
        format!("{{\"name\": \"p{}\", \"verdict\": \"{verdict}\"}}", index + 1)
    };
    let properties: Vec<String> = waiting.iter().enumerate().map(verdict).collect();
    let properties = properties.join(", ");
    let last = format!(
        "{{\"end\": true, \"states\": {LINES}, \"skipped\": 0, \"properties\": [{properties}], \"version\": 1}}"
    );
    Printed { lines, last }
}

/// The lines in a file, which is gone with this.
struct Input {
    path: PathBuf,
    /// The length of the first lines.
    warm_bytes: u64,
    stamps: Stamps,
}

impl Input {
    fn new(stamps: Stamps) -> Self {
        let path = std::env::temp_dir().join(format!("traceward-bench-{stamps:?}-{}.jsonl", std::process::id()));
        let mut file = BufWriter::new(File::create(&path).expect("a place for temporary files"));
        let mut warm_bytes = 0;
        for (line, State { a, b, n, s }) in states().enumerate() {
            if line as u64 == WARM_LINES {
                warm_bytes = file.stream_position().expect("a file");
            }
            match stamps {
                Stamps::None => write!(file, "{{"),
                Stamps::Milliseconds => write!(file, "{{\"t\":{line},"),
            }
            .expect("room for the input");
            writeln!(file, "\"a\":{a},\"b\":{b},\"n\":{n},\"s\":\"{s}\"}}").expect("room for the input");
        }
        file.flush().expect("room for the input");
        Self { path, warm_bytes, stamps }
    }
}

impl Drop for Input {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}
