//! How tests instrument programs, compile and run them, and read what they told.

// Each test file has its own copy of this module and needs a part of it.
#![allow(dead_code)]

use serde_json::{Map, Value};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use traceward::Spec;
use traceward_instrument::{Instrumented, Order, Problem, SourceFile, States, instrument, quoted_includes};

/// A program of the corpus with its spec.
pub struct Case {
    pub name: &'static str,
    pub spec: String,
    pub files: Vec<SourceFile>,
    pub headers: Vec<SourceFile>,
}

/// How a case is instrumented.
#[derive(Clone, Copy, Default)]
pub struct How {
    pub states: Option<States>,
    pub events: bool,
    pub threads: bool,
}

pub const EVERY_WRITE: How = How { states: Some(States::EveryWrite), events: false, threads: false };
pub const CHANGES: How = How { states: Some(States::Changes), events: false, threads: false };

/// Compilers, with what their code is to be like.
pub const COMPILERS: [(&str, &[&str]); 6] = [
    ("gcc", &["-O0"]),
    ("gcc", &["-O2"]),
    ("clang", &["-O0"]),
    ("clang", &["-O2"]),
    ("gcc", &["-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]),
    ("clang", &["-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]),
];

pub fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus")
}

pub fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A folder of its own for a test.
pub fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("instrument-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    folder
}

impl Case {
    /// A case of one file.
    pub fn single(name: &'static str) -> Self {
        let text = read(&corpus().join(format!("{name}.c")));
        let file = SourceFile { name: format!("{name}.c"), text };
        Self { name, spec: read(&corpus().join(format!("{name}.tw"))), files: vec![file], headers: Vec::new() }
    }

    /// A case of several files in a folder of its own.
    pub fn several(name: &'static str, files: &[&str], headers: &[&str]) -> Self {
        let folder = corpus().join(name);
        let file = |name: &&str| SourceFile { name: (*name).to_owned(), text: read(&folder.join(name)) };
        let spec = read(&folder.join(format!("{name}.tw")));
        let case =
            Self { name, spec, files: files.iter().map(file).collect(), headers: headers.iter().map(file).collect() };
        let included = case.files.iter().flat_map(|file| quoted_includes(&file.text));
        assert!(included.into_iter().all(|one| headers.contains(&one)), "all own headers are handed over");
        case
    }

    /// A program given as text.
    pub fn text(name: &'static str, spec: &str, text: &str) -> Self {
        let file = SourceFile { name: format!("{name}.c"), text: text.to_owned() };
        Self { name, spec: spec.to_owned(), files: vec![file], headers: Vec::new() }
    }

    pub fn instrumented(&self, how: How) -> Instrumented {
        self.tried(how).unwrap_or_else(|problems| panic!("{}: {problems:#?}", self.name))
    }

    pub fn tried(&self, how: How) -> Result<Instrumented, Vec<Problem>> {
        let spec: Spec = self.spec.parse().unwrap_or_else(|error| panic!("{}: {error}", self.name));
        let order = Order {
            spec: &spec,
            spec_text: &self.spec,
            files: &self.files,
            headers: &self.headers,
            states: how.states,
            events: how.events,
            threads: how.threads,
        };
        instrument(&order)
    }

    /// Writes the original files into a folder.
    pub fn write(&self, folder: &Path) -> Vec<PathBuf> {
        let all = self.files.iter().chain(&self.headers);
        all.for_each(|file| write(&folder.join(&file.name), &file.text));
        self.files.iter().map(|file| folder.join(&file.name)).collect()
    }
}

pub fn write(path: &Path, text: &str) {
    fs::write(path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

/// Writes instrumented files into a folder. Those to compile come back.
pub fn write_instrumented(made: &Instrumented, folder: &Path) -> Vec<PathBuf> {
    fs::create_dir_all(folder).expect("a folder for the files");
    let all = made.files.iter().chain(&made.headers);
    all.for_each(|file| write(&folder.join(&file.name), &file.text));
    let sources = made.files.iter().filter(|file| file.name.ends_with(".c"));
    sources.map(|file| folder.join(&file.name)).collect()
}

/// Compiles without a single warning.
pub fn compile(compiler: &str, options: &[&str], files: &[PathBuf], program: &Path) {
    let headers = program.parent().expect("a folder");
    let output = Command::new(compiler)
        .args(["-std=c99", "-Wall", "-Wextra", "-Werror"])
        .args(options)
        .arg("-iquote")
        .arg(headers)
        .args(files)
        .arg("-o")
        .arg(program)
        .arg("-lpthread")
        .output()
        .unwrap_or_else(|error| panic!("{compiler} is needed by this test and cannot be run: {error}"));
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && told.is_empty(), "{compiler} {options:?}:\n{told}");
}

/// Runs a program, with its events going to a place.
pub fn run(program: &Path, out: &str) -> Output {
    let output = Command::new(program).env("TRACEWARD_OUT", out).output();
    output.unwrap_or_else(|error| panic!("{}: {error}", program.display()))
}

/// Runs a program whose events go to a file. What it printed, its status, and the events come back.
pub fn run_to_file(program: &Path) -> (String, Option<i32>, String) {
    let path = program.with_extension("events");
    let output = run(program, &format!("file:{}", path.display()));
    let printed = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (printed, output.status.code(), read(&path))
}

/// An event: its word and its members.
pub type Event = (String, Map<String, Value>);

/// The events in a text; the spare room behind them is left out.
pub fn events(text: &str) -> Vec<Event> {
    let event = |line: &str| {
        let (word, members) = line.split_once(" {").map_or((line, "}"), |(word, members)| (word, members));
        let members: Value =
            serde_json::from_str(&format!("{{{members}")).unwrap_or_else(|error| panic!("{line}: {error}"));
        (word.to_owned(), members.as_object().cloned().unwrap_or_default())
    };
    text.trim_end_matches('\0').lines().map(event).collect()
}

/// The events as lines, without what differs from run to run.
pub fn told(text: &str) -> String {
    let line = |(word, mut members): Event| {
        members.shift_remove("@time");
        members.shift_remove("pid");
        members.shift_remove("spec");
        if members.is_empty() { word } else { format!("{word} {}", Value::Object(members)) }
    };
    events(text).into_iter().map(line).collect::<Vec<_>>().join("\n")
}
