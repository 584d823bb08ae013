//! Instrumented programs that carry their monitor.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use support::{crate_dir, libraries, run};
use traceward::Spec;
use traceward_instrument::{Order, SourceFile, instrument};

/// Instruments a program and compiles it with its monitor.
fn compiled(name: &str, compiler: &str, flags: &[&str], spec: &str, program: &str, events: bool) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("in-process-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    let parsed: Spec = spec.parse().expect("a spec");
    let files = [SourceFile { name: "tank.c".to_owned(), text: program.to_owned() }];
    let order =
        Order { spec: &parsed, spec_text: spec, files: &files, headers: &[], states: None, events, threads: false };
    let made = instrument(&order).expect("it can be instrumented");
    made.files.iter().for_each(|file| fs::write(folder.join(&file.name), &file.text).expect("a file"));
    let binary = folder.join("tank");
    let mut command = Command::new(compiler);
    command.args(["-Wall", "-Wextra", "-Werror", "-std=c99", "-DTRACEWARD_IN_PROCESS"]).args(flags).arg("-I");
    command.arg(crate_dir().join("include")).arg(folder.join("tank.c")).arg(folder.join("traceward_watch.c"));
    command.arg("-o").arg(&binary).arg(libraries().join("libtraceward_c.a")).args(["-lpthread", "-ldl", "-lm"]);
    run(&mut command);
    binary
}

fn output(program: &Path, stop: Option<&str>) -> Output {
    Command::new(program).envs(stop.map(|stop| ("TRACEWARD_STOP", stop))).output().expect("it runs")
}

const TANK: &str = "\
#include <stdio.h>
static int level = 0;
static double heat = 0.5;
static void fill(int amount)
{
    level += amount;
    heat *= 2;
}
int main(void)
{
    for (int i = 0; i < 5; i++)
        fill(i);
    puts(\"filled\");
    return 7;
}
";
const SPEC: &str =
    "property low = G(level <= 8)\nproperty warm = F(heat > 3)\nproperty far = G(level == 99 -> F heat < 0)";
const TOLD: &str = "\
traceward: violated low at tank.c:6 in fill: level = 10, heat = 8
traceward: violated low
traceward: satisfied warm
traceward: satisfied, vacuously (`level == 99` never holds): far
";

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("UTF-8")
}

#[test]
fn a_program_carries_its_monitor() {
    for (name, compiler, flags) in [
        ("gcc", "gcc", &["-O2"][..]),
        ("clang", "clang", &["-O0"]),
        ("sanitized", "gcc", &["-O1", "-fsanitize=address,undefined"]),
    ] {
        let flags: Vec<&str> = flags.to_vec();
        let program = compiled(name, compiler, &flags, SPEC, TANK, false);
        let output = output(&program, None);
        assert_eq!((text(&output.stdout), text(&output.stderr)), ("filled\n", TOLD), "{name}");
        assert_eq!(output.status.code(), Some(7), "the program's own status");
    }
}

#[test]
fn it_stops_where_a_property_is_violated() {
    let program = compiled("stop", "gcc", &["-O2"], SPEC, TANK, false);
    let output = output(&program, Some("term"));
    assert_eq!((text(&output.stdout), output.status.code()), ("", None));
    assert!(text(&output.stderr).starts_with("traceward: violated low at tank.c:6 in fill"));
}

#[test]
fn calls_are_events_and_latencies_need_the_time() {
    let spec = "trace { event event }\nproperty called = G(\"call fill\" -> F \"return fill\")\nquery longest = max(latency(level > 5 -> level > 9)) > 0";
    let program = compiled("events", "gcc", &["-O2"], spec, TANK, true);
    assert_eq!(text(&output(&program, None).stderr), "traceward: satisfied called\ntraceward: longest = true\n");
}
