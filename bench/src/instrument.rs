//! A loop in C that writes a watched variable: bare, instrumented with no predicate that differs,
//! and with every write sent to a file and to a socket. That all writes have come is verified
//! first.

use crate::{Row, Whose};
use std::fs;
use std::io::Read;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use traceward::Spec;
use traceward_instrument::{Order, SourceFile, States, instrument};

/// The program times its own loop, so that starting it does not count. It counts the processor's
/// time, the kernel's for it included: what others do meanwhile, the reader among them, does not.
const LOOP: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int x;

int main(int argc, char **argv)
{
    long writes = argc > 1 ? atol(argv[1]) : 1, i;
    struct timespec start, end;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
    for (i = 1; i <= writes; i++) {
        x = (int)i;
        __asm__ volatile("" ::: "memory");
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    printf("%lld\n", (end.tv_sec - start.tv_sec) * 1000000000ll + (end.tv_nsec - start.tv_nsec));
    return 0;
}
"#;

const SPEC: &str = "G x >= 0";
const WRITES: u64 = 50_000_000;
/// Writes that are all sent.
const SENT: u64 = 3_000_000;
const RUNS: usize = 5;

pub fn writes_in_c() -> Vec<Row> {
    let folder = std::env::temp_dir().join(format!("traceward-bench-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let bare = bare(&folder);
    let changes = instrumented(&folder, "changes", States::Changes);
    let every = instrumented(&folder, "every", States::EveryWrite);
    let inside = with_monitor(&folder);
    let file = folder.join("loop.events");
    let memory = Path::new("/dev/shm").join(format!("traceward-bench-{}.events", std::process::id()));
    let rows = vec![
        row("bare", WRITES, || timed(&bare, WRITES, None)).ours(),
        row("no predicate differs, nobody listens", WRITES, || timed(&changes, WRITES, None)),
        row("no predicate differs, to a file", WRITES, || to_file(&changes, WRITES, &file, 3)),
        row("each write a step of the monitor inside", SENT, || timed(&inside, SENT, None)),
        row("each write to a file", SENT, || to_file(&every, SENT, &file, SENT + 3)),
        row("each write to a file in memory", SENT, || to_file(&every, SENT, &memory, SENT + 3)),
        row("each write to a socket", SENT, || to_socket(&every, &folder.join("socket"))),
    ];
    let _ = fs::remove_file(&memory);
    fs::remove_dir_all(&folder).expect("the folder goes");
    rows
}

fn row(name: &str, items: u64, run: impl FnMut() -> Duration) -> Row {
    let times = std::iter::repeat_with(run).take(RUNS);
    Row::new(name.to_owned(), items, "writes/s", times.min().unwrap_or_default(), Whose::Compared)
}

fn compile(files: &[PathBuf], program: &Path) {
    let status = Command::new("cc").args(["-O2", "-std=gnu99"]).args(files).arg("-o").arg(program).status();
    assert!(status.expect("a C compiler").success(), "the loop is compiled");
}

fn bare(folder: &Path) -> PathBuf {
    let (source, program) = (folder.join("loop.c"), folder.join("bare"));
    fs::write(&source, LOOP).expect("the source is written");
    compile(&[source], &program);
    program
}

fn instrumented(folder: &Path, name: &str, states: States) -> PathBuf {
    let told = written(folder, name, states);
    let program = folder.join(name);
    compile(&[told.join("loop.c"), told.join("traceward_watch.c")], &program);
    program
}

/// The program with its monitor inside.
fn with_monitor(folder: &Path) -> PathBuf {
    let told = written(folder, "inside", States::EveryWrite);
    let program = folder.join("inside");
    let deps = std::env::current_exe().expect("a program").with_file_name("deps");
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/traceward-capi/include");
    let mut command = Command::new("cc");
    command.args(["-O2", "-std=gnu99", "-DTRACEWARD_IN_PROCESS", "-I"]).arg(include);
    command.arg(told.join("loop.c")).arg(told.join("traceward_watch.c")).arg("-o").arg(&program);
    command.arg(deps.join("libtraceward_c.a")).args(["-lpthread", "-ldl", "-lm"]);
    assert!(command.status().expect("a C compiler").success(), "the loop is compiled with its monitor");
    program
}

/// The loop, instrumented, in a folder of its own.
fn written(folder: &Path, name: &str, states: States) -> PathBuf {
    let spec: Spec = SPEC.parse().expect("a spec");
    let files = [SourceFile { name: "loop.c".to_owned(), text: LOOP.to_owned() }];
    let order = Order {
        spec: &spec,
        spec_text: SPEC,
        files: &files,
        headers: &[],
        states: Some(states),
        events: false,
        threads: false,
    };
    let made = instrument(&order).expect("the loop can be instrumented");
    let told = folder.join(format!("{name}-told"));
    fs::create_dir_all(&told).expect("a folder");
    made.files.iter().for_each(|file| fs::write(told.join(&file.name), &file.text).expect("a file is written"));
    told
}

/// The time that the program says its loop took.
fn timed(program: &Path, writes: u64, out: Option<String>) -> Duration {
    let mut command = Command::new(program);
    command.arg(writes.to_string()).envs(out.map(|out| ("TRACEWARD_OUT", out)));
    let output = command.output().expect("the program runs");
    assert!(output.status.success());
    let text = String::from_utf8_lossy(&output.stdout);
    Duration::from_nanos(text.trim().parse().expect("a number"))
}

fn to_file(program: &Path, writes: u64, path: &Path, lines: u64) -> Duration {
    // An old file would have to be emptied first.
    let _ = fs::remove_file(path);
    let time = timed(program, writes, Some(format!("file:{}", path.display())));
    let told = fs::read(path).expect("the events");
    assert_eq!(memchr::memchr_iter(b'\n', &told).count() as u64, lines, "all events have come");
    time
}

fn to_socket(program: &Path, path: &Path) -> Duration {
    let _ = fs::remove_file(path);
    let listener = UnixListener::bind(path).expect("a socket");
    let reader = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a connection");
        let (mut piece, mut lines) = (vec![0; 256 << 10], 0);
        loop {
            match stream.read(&mut piece).expect("bytes") {
                0 => return lines,
                count => lines += memchr::memchr_iter(b'\n', &piece[..count]).count() as u64,
            }
        }
    });
    let time = timed(program, SENT, Some(format!("unix:{}", path.display())));
    assert_eq!(reader.join().expect("the reader ends"), SENT + 3, "all events have come");
    time
}
