//! What instrumented programs tell is what gdb sees: the originals are stepped through, instruction
//! by instruction, with watchpoints.

#![allow(clippy::disallowed_methods, reason = "tests write files and run compilers and gdb")]

mod support;

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use support::{Case, EVERY_WRITE, compile, events, read, run_to_file, scratch, write_instrumented};

/// A change of a variable: its name, its value, and the line of the write.
#[derive(Clone, Debug, PartialEq)]
struct Change {
    name: String,
    value: Value,
    line: u64,
}

/// The changes that gdb sees, the first values at the front.
fn seen_by_gdb(program: &Path, watched: &[&str]) -> Vec<Change> {
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
    assert!(output.status.success(), "gdb: {told}");
    let change = |line: &str| {
        let change: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"));
        let name = change["name"].as_str().expect("a name").to_owned();
        Change { name, value: change["value"].clone(), line: change["line"].as_u64().expect("a line") }
    };
    let changes: Vec<Change> = read(&seen).lines().map(change).collect();
    assert!(changes.len() >= watched.len(), "gdb saw nothing: {told}");
    changes
}

/// A value as gdb says it: what no integer holds is told as a float.
fn as_integer(value: &Value) -> Value {
    match value.as_f64() {
        Some(number) if value.is_f64() && number >= 9.3e18 => Value::from(number as u64),
        _ => value.clone(),
    }
}

/// The changes that each state tells. States in which nothing has another value are left out: gdb
/// does not see them.
fn told(text: &str, names: &BTreeMap<&str, &str>) -> Vec<Vec<Change>> {
    let mut image: BTreeMap<String, Value> = BTreeMap::new();
    let mut states = Vec::new();
    for (word, members) in events(text) {
        if word != "init" && word != "next" {
            continue;
        }
        let at = members.get("@at").and_then(Value::as_str).unwrap_or(":0");
        let line = at.rsplit(':').next().and_then(|line| line.parse().ok()).expect("a line");
        let mut state = Vec::new();
        for (name, value) in &members {
            let Some(expression) = names.get(name.as_str()) else { continue };
            if image.insert(name.clone(), value.clone()).as_ref() != Some(value) {
                state.push(Change { name: (*expression).to_owned(), value: as_integer(value), line });
            }
        }
        if !state.is_empty() {
            states.push(state);
        }
    }
    states
}

/// Compares what a program tells with what gdb sees. `names` are those of the spec, and how gdb
/// says them.
fn compare(case: &Case, names: &[(&'static str, &'static str)]) {
    let folder = scratch(&format!("{}-reference", case.name));
    let original = folder.join("original");
    compile("gcc", &["-O0", "-g", "-w", "-fcf-protection=none"], &case.write(&folder), &original);
    let watched: Vec<&str> = names.iter().map(|(_, expression)| *expression).collect();
    let seen = seen_by_gdb(&original, &watched);
    let files = write_instrumented(&case.instrumented(EVERY_WRITE), &folder.join("told"));
    let program = folder.join("program");
    compile("gcc", &["-O2"], &files, &program);
    let (_, _, text) = run_to_file(&program);
    let mut rest = seen.as_slice();
    for state in told(&text, &names.iter().copied().collect()) {
        let (now, later) = rest.split_at(state.len().min(rest.len()));
        rest = later;
        let sorted = |changes: &[Change]| {
            let mut changes = changes.to_vec();
            changes.sort_by(|a, b| a.name.cmp(&b.name));
            changes
        };
        assert_eq!(sorted(&state), sorted(now), "{}: what the program tells, and what gdb sees", case.name);
    }
    assert!(rest.is_empty(), "{}: gdb sees more: {rest:?}", case.name);
}

/// The names of the spec are those of gdb.
fn plain(names: &[&'static str]) -> Vec<(&'static str, &'static str)> {
    names.iter().map(|name| (*name, *name)).collect()
}

#[test]
fn every_form_of_write() {
    compare(&Case::single("forms"), &plain(&["x", "y", "d", "flag", "big", "c"]));
}

#[test]
fn parts_of_objects() {
    let names = ["s.f", "s.in.k", "s.in.list[2]", "s.g", "s.nameless", "a[3]", "grid[1][2]", "u.i", "hue"];
    compare(&Case::single("objects"), &plain(&names));
}

#[test]
fn pointers() {
    compare(&Case::single("pointers"), &plain(&["v", "list[2]", "at.x", "at.y", "ratio"]));
}

#[test]
fn static_variables_of_functions() {
    let names = [("calls", "counted::calls"), ("wraps", "counted::wraps"), ("locals.c:x", "'locals.c'::x")];
    compare(&Case::single("locals"), &names);
}

#[test]
fn several_files() {
    let names = [
        ("level", "level"),
        ("other.c:hidden", "'other.c'::hidden"),
        ("main.c:hidden", "'main.c'::hidden"),
        ("machine.phase", "machine.phase"),
        ("machine.stops", "machine.stops"),
    ];
    compare(&Case::several("several", &["main.c", "other.c"], &["shared.h"]), &names);
}
