//! Pages that show commands: each is run, in a copy of the examples, and prints what the page says.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A command of a page, with what it prints.
struct Shown {
    line: usize,
    command: String,
    printed: Vec<String>,
}

/// The commands of a page: in blocks of indented lines, those that begin with `$`.
fn commands(page: &str) -> Vec<Shown> {
    let mut commands: Vec<Shown> = Vec::new();
    let mut is_in_block = false;
    for (index, line) in page.lines().enumerate() {
        let Some(code) = line.strip_prefix("    ") else {
            is_in_block = false;
            continue;
        };
        if let Some(command) = code.strip_prefix("$ ") {
            is_in_block = true;
            commands.push(Shown { line: index + 1, command: command.to_owned(), printed: Vec::new() });
        } else if let (true, Some(last)) = (is_in_block, commands.last_mut()) {
            last.printed.push(code.to_owned());
        }
    }
    commands
}

/// A line without what differs from run to run: timestamps and durations.
fn steady(line: &str) -> String {
    let mut steady = String::new();
    let mut words: Vec<&str> = line.split_inclusive(' ').collect();
    // How long after the first state is another each time, in whichever unit.
    if let Some(after) = words.windows(3).position(|words| words == ["after ", "the ", "first "]).filter(|at| *at > 1) {
        words.drain(after - 2..after);
    }
    for word in words {
        let number: String = word.chars().take_while(|letter| letter.is_ascii_digit() || *letter == '.').collect();
        let rest = &word[number.len()..];
        let is_moment = rest.starts_with("ns") && !number.is_empty();
        let is_duration = line.contains(".events: ") && number.contains('.');
        steady += if is_moment || is_duration { "…" } else { &number };
        steady += rest;
    }
    steady.trim_end().to_owned()
}

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// A copy of the examples, without what they were compiled to.
fn workshop(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).expect("a directory for tests");
    for entry in std::fs::read_dir(root().join("examples")).expect("the examples") {
        let path = entry.expect("an entry").path();
        if path.is_file() {
            std::fs::copy(&path, directory.join(path.file_name().expect("a name"))).expect("a copy");
        }
    }
    directory
}

#[test]
fn the_page_about_programs_prints_what_it_says() {
    let page = std::fs::read_to_string(root().join("docs/instrument.md")).expect("the page");
    let directory = workshop("instrument-page");
    let program = Path::new(env!("CARGO_BIN_EXE_traceward")).parent().expect("a directory");
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap_or_default());
    let commands = commands(&page);
    assert!(commands.len() >= 10, "the page shows commands");
    let mut status = 0;
    for Shown { line, command, printed } in commands {
        let mut bash = Command::new("bash");
        if command.starts_with("cargo ") {
            bash.current_dir(root());
        } else {
            bash.current_dir(&directory);
        }
        let script = format!("(exit {status}); {command}");
        let run = |bash: &mut Command| bash.arg("-c").arg(&script).env("PATH", &path).env("CC", "cc").output();
        let output = run(&mut bash).unwrap_or_else(|error| panic!("bash is missing: {error}"));
        status = output.status.code().unwrap_or(-1);
        // What goes to people and what goes on stand side by side on a terminal; here one follows
        // the other.
        let mut told: Vec<String> = Vec::new();
        for stream in [&output.stderr, &output.stdout] {
            told.extend(String::from_utf8_lossy(stream).lines().map(steady));
        }
        let mut expected: Vec<String> = printed.iter().map(|line| steady(line)).collect();
        told.sort();
        expected.sort();
        assert_eq!(told, expected, "docs/instrument.md:{line}: {command}");
    }
}
