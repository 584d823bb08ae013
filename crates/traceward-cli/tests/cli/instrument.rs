//! C programs that are made to tell, and run under their monitor.

use crate::common::{Folder, signal, transcript};
use crate::monitor::session;
use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;

const COUNTER: &[u8] = br#"#include <stdio.h>

int count = 0;
static int limit = 3;

static int step(int by)
{
    int count_before = count < limit ? count : limit;
    count += by;
    return count_before;
}

int main(void)
{
    int i;
    for (i = 0; i < 5; i++)
        step(1);
    printf("%d\n", count);
    return 7;
}
"#;

/// What differs from run to run.
fn filtered(text: String, check: impl Fn(&str)) {
    insta::with_settings!({filters => vec![
        (r"[0-9.]+ ?(ns|us|ms|s|min) after the first state", "[time] after the first state"),
        (r"(in \w+|line \d+), [0-9.]+ ?(ns|us|ms|s|min|h|d)([:)])", "$1, [time]$3"),
        (r"states, [0-9.]+ ?(ns|us|ms|s)", "states, [time]"),
        (r#""time_ns": \d+"#, r#""time_ns": [time]"#),
        (r"process \d+", "process [number]"),
    ]}, { check(&text) });
}

#[test]
fn a_program_is_instrumented_compiled_and_checked_from_its_own_file() {
    let folder = Folder::new("instrument-steps");
    folder.write("counter.c", COUNTER).write("counter.tw", "property few = G count <= 3\n");
    let mut told = String::new();
    let make: &[&str] = &["instrument", "counter.tw", "counter.c", "-o", "told"];
    told += &transcript(make, &folder.run(make, b""));
    let compiled = std::process::Command::new("cc")
        .args(["-Wall", "-Wextra", "-Werror", "told/counter.c", "told/traceward_watch.c", "-o", "counter"])
        .current_dir(folder.path(""))
        .status();
    assert!(compiled.expect("a C compiler is needed by this test").success());
    let status = std::process::Command::new("./counter")
        .env("TRACEWARD_OUT", "file:counter.events")
        .current_dir(folder.path(""))
        .stdout(Stdio::null())
        .status();
    assert_eq!(status.expect("the program runs").code(), Some(7));
    let check: &[&str] = &["check", "told/counter.c", "counter.events"];
    told += &transcript(check, &folder.run(check, b""));
    // What the program did not tell, since nobody asked, cannot be asked afterwards.
    for command in ["check", "monitor"] {
        let other: &[&str] = &[command, "-e", "F count == 1", "counter.events"];
        let input = std::fs::read(folder.path("counter.events")).expect("the events");
        let asked = if command == "check" { other } else { &other[..3] };
        told += &transcript(asked, &folder.run(asked, &input));
    }
    let events = folder.read("counter.events");
    let monitor: &[&str] = &["monitor", "told/counter.c", "--format", "text"];
    told += &transcript(monitor, &folder.run(monitor, events.as_bytes()));
    filtered(told, |told| insta::assert_snapshot!(told));
}

#[test]
fn what_is_wrong_with_names_and_files_is_told() {
    let shadow: &[u8] = b"int x; double y; char *z; struct { int member; } s; int a[4];\nint f(int x) { { int x = 1; (void)x; } return x; }\n";
    let make = |spec: &'static str| vec!["instrument", "-e", spec, "shadow.c", "-o", "told"];
    let commands: Vec<Vec<&str>> = vec![
        make("G x > 0"),
        make("G `shadow.c:f:x` > 0"),
        make("G `shadow.c:g:x` > 0"),
        make("G yy > 0"),
        make("G y"),
        make("G y == \"text\""),
        make("G z > \"a\" & z + 1 > 2"),
        make("G s > 0"),
        make("G s.membre > 0"),
        make("G a > 0"),
        make("G `p->f` > 0"),
        make("G `a[i]` > 0"),
        make("G event == \"call f\""),
        make("G true"),
        vec!["instrument", "-e", "G y > 0", "shadow.c", "shadow.c", "-o", "told"],
        vec!["instrument", "-e", "G y > 0", "gone.c", "-o", "told"],
        vec!["instrument", "-e", "G y > 0", "-o", "told"],
        vec!["instrument", "-e", "G y > 0", "shadow.c", "-o", "."],
        vec!["instrument", "-e", "G y > 0", "shadow.c", "-o", "told"],
        vec!["instrument", "-e", "G y > 0", "told/shadow.c", "-o", "twice"],
        vec!["check", "shadow.c", "-"],
    ];
    let commands: Vec<(&[&str], &[u8])> = commands.iter().map(|one| (one.as_slice(), &b""[..])).collect();
    insta::assert_snapshot!(session("instrument-mistakes", &[("shadow.c", shadow)], &commands));
}

#[test]
fn what_cannot_be_seen_is_told() {
    let blind: &[u8] = br#"#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include "own.h"
#define BUMP(v) (v)++
volatile int v;
int x;
extern int elsewhere;
unsigned long long wide;
foreign_t strange;
long double precise;
int *kept;
static jmp_buf place;
static void handler(int n) { (void)n; x = 1; }
static void *work(void *unused) { x++; return unused; }
int main(void)
{
    pthread_t thread;
    int local = 0;
    kept = &x;
    BUMP(x);
    __asm__ volatile("" : "+m"(x));
    if (setjmp(place))
        return local;
    signal(SIGUSR1, handler);
    pthread_create(&thread, 0, work, 0);
    longjmp(place, 1);
}
int broken(void) { x = ; }
"#;
    let spec = "G(v + x + elsewhere + wide + strange + precise + local > 0)";
    let files: &[(&str, &[u8])] = &[("blind.c", blind), ("own.h", b"extern int elsewhere;\n")];
    let commands: &[(&[&str], &[u8])] = &[
        (&["instrument", "-e", spec, "blind.c", "-o", "told"], b""),
        (&["instrument", "-e", "G x > 0", "blind.c", "-o", "told", "--threads", "--quiet"], b""),
    ];
    insta::assert_snapshot!(session("instrument-blind", files, commands));
}

/// A function of a header writes: a copy of the header tells of it, as long as the spec asks.
#[test]
fn functions_in_headers_tell_too() {
    let folder = Folder::new("instrument-headers");
    let header = "#pragma once\nextern int count, other;\nstatic inline void add(int by)\n{\n    count += by;\n}\n";
    let main = "#include \"parts/count.h\"\nint count, other;\nint main(void)\n{\n    add(2);\n    add(2);\n    \
                other = 1;\n    return 0;\n}\n";
    std::fs::create_dir_all(folder.path("parts")).expect("a folder for the header");
    folder.write("parts/count.h", header).write("main.c", main);
    let run = folder.run(&["run", "-e", "G count <= 3", "main.c"], b"");
    assert!(run.stderr.contains("at parts/count.h:5 in add: count = 4"), "{}", run.stderr);
    assert_eq!(run.status, 1);
    let copy = folder.path("told/parts/count.h");
    for (spec, is_copied) in [("G count <= 3", true), ("G other <= 3", false), ("G count <= 5", true)] {
        let made = folder.run(&["instrument", "-e", spec, "main.c", "-o", "told"], b"");
        assert_eq!(made.status, 0, "{}", made.stderr);
        assert_eq!(copy.exists(), is_copied, "{spec}");
    }
    // From another folder its path leads out of that of the copies.
    std::fs::create_dir_all(folder.path("src")).expect("a folder for the program");
    folder.write("src/main.c", main.replace("parts/", "../parts/"));
    let run = folder.run(&["run", "-e", "G count <= 3", "src/main.c"], b"");
    let warning = "src/../parts/count.h:1:1: what functions of this header write is not seen";
    assert!(run.stderr.contains(warning), "{}", run.stderr);
}

#[test]
fn a_program_runs_under_its_monitor() {
    let folder = Folder::new("run-counter");
    folder.write("counter.c", COUNTER).write("few.tw", "property few = G count <= 3\n");
    folder.write("many.tw", "property many = G count <= 30\nquery most = max(count)\n");
    let mut told = String::new();
    let commands: &[&[&str]] = &[
        &["run", "many.tw", "counter.c"],
        &["run", "few.tw", "counter.c"],
        &["run", "few.tw", "counter.c", "--format", "json"],
        &["run", "many.tw", "counter.c", "--quiet"],
        &["run", "few.tw", "--stop-on-violation", "counter.c"],
        &["run", "many.tw", "--stop-on-violation", "counter.c"],
        &["run", "-e", "G X count > 0", "counter.c", "--only-changes"],
        &["run", "few.tw", "--", "true"],
        &["run", "few.tw", "--", "./gone"],
        &["run", "few.tw"],
        &["run", "many.tw", "counter.c", "--trace", "few.tw"],
        &["run", "many.tw", "counter.c", "--quiet", "--trace", "kept.events"],
        &["check", "few.tw", "kept.events"],
    ];
    for arguments in commands {
        told += &transcript(arguments, &folder.run(arguments, b""));
    }
    filtered(told, |told| insta::assert_snapshot!(told));
}

/// Instruments and compiles a program in a folder.
fn build(folder: &Folder, spec: &str, name: &str) {
    let source = format!("{name}.c");
    let made = folder.run(&["instrument", "-q", "-e", spec, &source, "-o", "told"], b"");
    assert_eq!(made.status, 0, "{}", made.stderr);
    let source = format!("told/{name}.c");
    let compiled = std::process::Command::new("cc")
        .args(["-D_GNU_SOURCE", &source, "told/traceward_watch.c", "-o", name])
        .current_dir(folder.path(""))
        .status();
    assert!(compiled.expect("a C compiler is needed by this test").success());
}

#[test]
fn a_program_made_for_another_spec_is_noticed() {
    let folder = Folder::new("run-other-spec");
    folder.write("counter.c", COUNTER);
    build(&folder, "G count < 100", "counter");
    let mut told = String::new();
    for arguments in [
        &["run", "-e", "G count < 100", "--", "./counter"],
        &["run", "-e", "G count < 3", "--", "./counter"],
        &["run", "-e", "G limit < 9", "--", "./counter"],
    ] {
        told += &transcript(arguments, &folder.run(arguments, b""));
    }
    filtered(told, |told| insta::assert_snapshot!(told));
}

const LOUD: &[u8] = br#"#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int x;

int main(int argc, char **argv)
{
    char line[64];
    if (argc > 1 && strcmp(argv[1], "echo") == 0) {
        while (fgets(line, sizeof line, stdin)) {
            x++;
            printf("%d %s", x, line);
        }
        fprintf(stderr, "%s\n", argv[2]);
        return 5;
    }
    if (argc > 1 && strcmp(argv[1], "abort") == 0) {
        x = 1;
        abort();
    }
    if (argc > 1 && strcmp(argv[1], "fork") == 0) {
        if (fork() == 0) {
            x = -1;
            exit(0);
        }
        wait(NULL);
        x = 1;
        return 0;
    }
    x = 2;
    printf("ready\n");
    fflush(stdout);
    pause();
    return 0;
}
"#;

#[test]
fn what_a_program_reads_and_prints_passes_through() {
    let folder = Folder::new("run-through");
    folder.write("loud.c", LOUD);
    build(&folder, "G x >= 0", "loud");
    let echo = folder.run(&["run", "-e", "G x >= 0", "-q", "--", "./loud", "echo", "--said"], b"one\ntwo\n");
    assert_eq!((echo.status, echo.stdout.as_str(), echo.stderr.as_str()), (5, "1 one\n2 two\n", "--said\n"));
    build(&folder, "G x < 2", "loud");
    let violated = folder.run(&["run", "-e", "G x < 2", "-q", "--", "./loud", "echo", ""], b"one\ntwo\n");
    assert_eq!((violated.status, violated.stdout.as_str()), (1, "1 one\n2 two\n"));
}

#[test]
fn signals_pass_through() {
    let folder = Folder::new("run-signals");
    folder.write("loud.c", LOUD);
    build(&folder, "G x >= 0", "loud");
    let aborted = folder.command(&["run", "-e", "G x >= 0", "--", "./loud", "abort"]).stderr(Stdio::null()).status();
    assert_eq!(aborted.expect("an end").signal(), Some(6));
    build(&folder, "G x < 1", "loud");
    let violated = folder.command(&["run", "-e", "G x < 1", "--", "./loud", "abort"]).stderr(Stdio::null()).status();
    assert_eq!(violated.expect("an end").code(), Some(1), "a violation outranks how the program ended");
    build(&folder, "G x >= 0", "loud");
    let mut child = folder
        .command(&["run", "-e", "G x >= 0", "--", "./loud"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
    assert_eq!(line, "ready\n");
    signal(&child, "TERM");
    assert_eq!(child.wait().expect("an end").signal(), Some(15));
}

#[test]
fn forked_processes_are_judged_too() {
    let folder = Folder::new("run-fork");
    folder.write("loud.c", LOUD);
    build(&folder, "G x >= 0", "loud");
    let arguments: &[&str] = &["run", "-e", "G x >= 0", "--", "./loud", "fork"];
    let told = transcript(arguments, &folder.run(arguments, b""));
    filtered(told, |told| insta::assert_snapshot!(told));
}

fn example(name: &str) -> Vec<u8> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The line of an example that has a text, counted from 1.
fn line_of(text: &[u8], part: &str) -> usize {
    let text = String::from_utf8_lossy(text).into_owned();
    1 + text.lines().position(|line| line.contains(part)).expect("the line")
}

#[test]
fn mutual_exclusion_holds_and_broken_it_is_caught_at_its_line() {
    let folder = Folder::new("run-mux");
    let source = example("mux-sem.c");
    folder.write("mux-sem.c", &source).write("mux-sem-c.tw", example("mux-sem-c.tw"));
    let arguments = ["run", "mux-sem-c.tw", "--threads", "mux-sem.c"];
    let output = folder.command(&arguments).output().expect("an end");
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{told}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "done\n");
    assert!(told.contains("end: 601 states") && told.contains("✓ satisfied  mutex"), "{told}");
    assert!(told.contains("bias = 1.0"), "{told}");

    for stop in [&[][..], &["--stop-on-violation"]] {
        let arguments = [&arguments[..], stop].concat();
        let output = folder.command(&arguments).env("CFLAGS", "-DBROKEN").output().expect("an end");
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{told}");
        let places = ["l = 3;", "m = 3;"].map(|write| format!("at mux-sem.c:{} in ", line_of(&source, write)));
        let violation = told.lines().find(|line| line.starts_with("violated  mutex")).expect("a violation");
        assert!(places.iter().any(|place| violation.contains(place)), "{violation}");
        assert!(violation.ends_with(": l = 3, m = 3"), "{violation}");
        assert_eq!(output.stdout.is_empty(), !stop.is_empty(), "a program that was stopped prints no more");
    }
}

#[test]
fn the_alternating_bit_protocol_delivers_everything() {
    let folder = Folder::new("run-abp");
    folder.write("abp.c", example("abp.c")).write("abp-c.tw", example("abp-c.tw"));
    let output = folder.command(&["run", "abp-c.tw", "--threads", "abp.c"]).output().expect("an end");
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{told}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "40 items, 0 wrong\n");
    assert!(told.contains("✓ satisfied  in_step") && told.contains("throughput = 40"), "{told}");
}
