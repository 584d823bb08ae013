//! What instrumented programs tell is what gdb sees: the originals are stepped through, instruction
//! by instruction, and every change of every watched variable is compared, with its value and its
//! line. `reference.py` says what counts as a value of a local variable.
//!
//! Threads that run at the same time are not compared: which of them writes first is another matter
//! in each run, and gdb, which runs one of them at a time, sees an order of its own making. Of them
//! `ends.rs` knows what must be told in any order. Threads that take turns have one order, and are
//! here.

#![allow(clippy::disallowed_methods, reason = "tests write files and run compilers and gdb")]

mod support;

use serde_json::{Map, Value};
use std::path::Path;
use std::process::Command;
use support::{Case, EVERY_WRITE, How, compile, events, read, run_to_file, scratch, write_instrumented};

/// Code that does one thing after the other: no call of the library is replaced by what it would
/// do, and no two variables share a place on the stack.
const PLAIN: [&str; 7] =
    ["-O0", "-g", "-w", "-fcf-protection=none", "-fno-builtin", "-fno-stack-protector", "-fstack-reuse=none"];

/// What changed at once, and the line of it.
#[derive(Clone, Debug, Default, PartialEq)]
struct Change {
    line: u64,
    values: Map<String, Value>,
}

/// What gdb sees, the first values at the front.
fn seen_by_gdb(program: &Path, watched: &[String]) -> Vec<Change> {
    let seen = program.with_extension("seen");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference.py");
    let output = Command::new("gdb")
        .args(["-batch", "-nx", "-x"])
        .arg(script)
        .arg(program)
        .env("WATCHED", watched.join("\n"))
        .env("SEEN", &seen)
        .env("FOLDER", program.parent().expect("a folder"))
        .env("DEBUGINFOD_URLS", "")
        .output()
        .unwrap_or_else(|error| panic!("gdb is needed by this test and cannot be run: {error}"));
    let told = String::from_utf8_lossy(&output.stderr);
    let lines = std::fs::read_to_string(&seen).unwrap_or_default();
    // A script that fails need not be a failure of gdb's.
    let lines = lines.strip_suffix("\"end\"\n").unwrap_or_else(|| panic!("gdb did not come to the end: {told}"));
    let change = |line: &str| {
        let mut change: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"));
        let values = change["changes"].as_object_mut().expect("changes");
        Change { values: std::mem::take(values), line: change["line"].as_u64().expect("a line") }
    };
    lines.lines().map(change).collect()
}

/// A value as gdb says it: what no integer holds is told as a float.
fn as_integer(value: &Value) -> Value {
    match value.as_f64() {
        Some(number) if value.is_f64() && (9.2e18..1.9e19).contains(&number) => Value::from(number as u64),
        _ => value.clone(),
    }
}

/// The variables of a trace's states, which are those of the spec.
fn variables(text: &str) -> Vec<String> {
    let first = events(text).into_iter().find(|(word, _)| word == "init").expect("a first state");
    first.1.into_iter().map(|(name, _)| name).filter(|name| !name.starts_with(['#', '@'])).collect()
}

/// The changes that each state tells. States in which nothing has another value are left out: gdb
/// does not see them.
fn told(text: &str) -> Vec<Change> {
    let mut image: Map<String, Value> = Map::new();
    let mut states = Vec::new();
    for (word, members) in events(text) {
        if word != "init" && word != "next" {
            continue;
        }
        let at = members.get("@at").and_then(Value::as_str).unwrap_or(":0");
        let line = at.rsplit(':').next().and_then(|line| line.parse().ok()).expect("a line");
        let mut state = Change { line, ..Change::default() };
        for (name, value) in members.into_iter().filter(|(name, _)| !name.starts_with(['#', '@'])) {
            let value = as_integer(&value);
            if image.insert(name.clone(), value.clone()).as_ref() != Some(&value) {
                state.values.insert(name, value);
            }
        }
        if !state.values.is_empty() {
            states.push(state);
        }
    }
    states
}

/// What comes of a case: what the instrumented program tells, and what gdb sees of the original.
fn both(case: &Case, how: How) -> (Vec<Change>, Vec<Change>) {
    let folder = scratch(&format!("{}-reference", case.name));
    let original = folder.join("original");
    compile("gcc", &PLAIN, &case.write(&folder), &original);
    let files = write_instrumented(&case.instrumented(how), &folder.join("told"));
    let program = folder.join("program");
    compile("gcc", &["-O2"], &files, &program);
    let (_, _, text) = run_to_file(&program);
    (told(&text), seen_by_gdb(&original, &variables(&text)))
}

/// Compares what a program tells with what gdb sees. A state may be several steps of gdb's, as when
/// a struct is copied member by member, but never a part of one.
fn same(case: &Case, told: &[Change], seen: &[Change]) {
    let mut rest = seen.iter();
    for state in told {
        let mut now = Change { line: state.line, ..Change::default() };
        while !is_whole(&now, state) {
            let Some(step) = rest.next() else { break };
            assert_eq!(state.line, step.line, "{}: the lines of {state:?} and {step:?}", case.name);
            now.values.extend(step.values.clone());
        }
        assert_eq!(state, &now, "{}: what the program tells, and what gdb sees", case.name);
    }
    let rest: Vec<&Change> = rest.collect();
    assert!(rest.is_empty(), "{}: gdb sees more: {rest:?}", case.name);
}

/// Whether the steps of gdb's so far are all of a state. Where an initial value does not name all
/// parts, the compiler clears them before it writes those that are named.
fn is_whole(now: &Change, state: &Change) -> bool {
    let is_cleared = |(name, value): (&String, &Value)| {
        name.contains(['.', '[']) && value == 0 && state.values.get(name).is_some_and(|last| last != 0)
    };
    now.values.len() >= state.values.len() && !now.values.iter().any(is_cleared)
}

fn compare(case: &Case) {
    let (told, seen) = both(case, EVERY_WRITE);
    same(case, &told, &seen);
}

#[test]
fn every_form_of_write() {
    compare(&Case::single("forms"));
}

#[test]
fn parts_of_objects() {
    compare(&Case::single("objects"));
}

#[test]
fn memory_of_many_shapes() {
    compare(&Case::single("shapes"));
}

#[test]
fn libraries_that_are_handed_pointers() {
    compare(&Case::single("wrapped"));
}

#[test]
fn macros_that_are_heads_of_statements() {
    compare(&Case::single("heads"));
}

#[test]
fn a_state_machine() {
    compare(&Case::single("machine"));
}

#[test]
fn pointers() {
    compare(&Case::single("pointers"));
}

#[test]
fn scopes_and_activations() {
    compare(&Case::single("locals"));
}

#[test]
fn locals_of_every_kind_of_call_and_block() {
    compare(&Case::single("activations"));
}

#[test]
fn texts() {
    compare(&Case::single("texts"));
}

#[test]
fn several_files() {
    compare(&Case::several("several", &["main.c", "other.c"], &["shared.h"]));
}

/// What a macro writes is looked at once all of it has run. So of several values that a variable
/// gets there the last one counts.
#[test]
fn macros() {
    let case = Case::single("macros");
    let (told, seen) = both(&case, EVERY_WRITE);
    let mut last: Vec<Change> = Vec::new();
    for step in seen {
        match last.last_mut() {
            Some(before) if before.line == step.line => before.values.extend(step.values),
            _ => last.push(step),
        }
    }
    same(&case, &told, &last);
}

#[test]
fn threads_that_take_turns() {
    let case = Case::single("turns");
    let (told, seen) = both(&case, How { threads: true, ..EVERY_WRITE });
    same(&case, &told, &seen);
}

/// A pointer's value is another in each run, so it is not among them.
#[test]
fn values_at_the_edges_of_their_types() {
    let names = ["i", "u", "w", "z", "s", "b", "d", "f", "t", "o", "e", "local"];
    let spec = names.map(|name| format!("property p_{name} = F(defined({name}))\n"));
    compare(&Case::text("values", &spec.concat(), &read(&support::corpus().join("values.c"))));
}
