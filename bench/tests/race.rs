//! The race with peers checks itself on tiny inputs; no peer is needed for that.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs a command to its end.
fn run(command: &mut Command) {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?} cannot be run: {error}"));
    let told = [output.stdout, output.stderr].concat();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&told));
}

/// An environment of Python with numpy, by which the right answers are computed.
fn python() -> PathBuf {
    let environment = Path::new(env!("CARGO_TARGET_TMPDIR")).join("race");
    let python = environment.join("bin/python");
    if !environment.join("ready").exists() {
        run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&environment));
        run(Command::new(&python).args(["-m", "pip", "install", "--quiet", "numpy"]));
        std::fs::write(environment.join("ready"), "").expect("a writable folder");
    }
    python
}

#[test]
fn the_race_passes_its_checks() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("race");
    run(Command::new(python()).arg("test_race.py").current_dir(folder).env("PYTHONDONTWRITEBYTECODE", "1"));
}
