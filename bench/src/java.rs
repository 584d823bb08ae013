//! Programs in Java with the agent: nanoseconds for a write to a watched field, beside those that
//! field watches cost by themselves.

use crate::{Row, Whose};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const WRITES: u64 = 10_000_000;
/// Calls are stopped at, which takes longer.
const CALLS: u64 = 1_000_000;
const RUNS: usize = 5;

/// A way to run the program, and what the agent has to tell of it.
struct Case {
    name: &'static str,
    /// The loop of the program.
    kind: &'static str,
    /// The spec and options; none without an agent.
    agent: Option<(&'static str, &'static str)>,
    told: &'static str,
    items: u64,
    whose: Whose,
}

const STATIC: &str = "G Writes.shared < 2000";
const CHANGING: &str = "G(Writes.shared == 3 -> F Writes.shared == 600)";
const OWN: &str = "G Writes.own < 2000";
const CALL: &str = "G(\"call Writes.call\" -> F \"return Writes.call\")";

const CASES: [Case; 9] = [
    bare("static field, watched and counted only", "static", STATIC),
    judged("static field, `G x < 2000`", "static", STATIC),
    judged("static field, `G(x == 3 -> F x == 600)`", "static", CHANGING),
    plain("static field, no agent", "static", WRITES),
    bare("instance field, watched and counted only", "own", OWN),
    judged("instance field, `G x < 2000`", "own", OWN),
    plain("instance field, no agent", "own", WRITES),
    Case {
        name: "calls and returns of a method, both states",
        kind: "call",
        agent: Some((CALL, "")),
        told: "after 2000001 states",
        items: CALLS,
        whose: Whose::Ours,
    },
    plain("calls of a method, no agent", "call", CALLS),
];

const fn bare(name: &'static str, kind: &'static str, spec: &'static str) -> Case {
    let agent = Some((spec, ",bare"));
    Case { name, kind, agent, told: "traceward: 10000000 writes", items: WRITES, whose: Whose::Ours }
}

const fn judged(name: &'static str, kind: &'static str, spec: &'static str) -> Case {
    let told = "after 10000001 states";
    Case { name, kind, agent: Some((spec, ",exit=verdict")), told, items: WRITES, whose: Whose::Compared }
}

const fn plain(name: &'static str, kind: &'static str, items: u64) -> Case {
    Case { name, kind, agent: None, told: "", items, whose: Whose::Compared }
}

/// The cases in turns, so that what else the machine does falls on all of them; of each the fastest
/// run counts, in time of the processor.
pub fn writes() -> Vec<Row> {
    let folder = std::env::current_exe().expect("a path").with_file_name("java-bench");
    compile(&folder);
    let mut best = [f64::INFINITY; CASES.len()];
    for _ in 0..RUNS {
        for (best, case) in best.iter_mut().zip(&CASES) {
            *best = best.min(nanoseconds(case, &folder));
        }
    }
    CASES.iter().zip(best).map(|(case, each)| row(case, each)).collect()
}

fn row(case: &Case, each: f64) -> Row {
    let time = Duration::from_secs_f64(each * 1e-9 * case.items as f64);
    Row::new(format!("{}: {each:.1} ns", case.name), case.items, "times", time, case.whose)
}

fn compile(folder: &Path) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("java/Writes.java");
    let compiled = Command::new("javac").arg("-d").arg(folder).arg(source).status();
    assert!(compiled.expect("javac starts: there is a JDK").success(), "the program compiles");
}

fn agent() -> PathBuf {
    let agent = std::env::current_exe().expect("a path").with_file_name("libtraceward_jvmti.so");
    assert!(agent.exists(), "{} is not there: `cargo build --release -p traceward-jvmti`", agent.display());
    agent
}

/// What the program says of itself, after the agent has told what it has to.
fn nanoseconds(case: &Case, folder: &Path) -> f64 {
    let mut java = Command::new("java");
    if let Some((spec, options)) = case.agent {
        std::fs::write(folder.join("spec.tw"), spec).expect("a spec");
        java.arg(format!("-agentpath:{}=spec.tw{options}", agent().display()));
    }
    java.current_dir(folder).args(["Writes", case.kind, &case.items.to_string()]);
    let output = java.output().expect("java starts");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && told.contains(case.told), "{}: {told}", case.name);
    String::from_utf8_lossy(&output.stdout).trim().parse().expect("a number")
}
