//! The race with peers checks itself on tiny inputs; no peer is needed for that.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The environment that `bench/race/run` makes has numpy, which the right answers are computed with.
/// Without it the checks that need numpy are left out.
fn python() -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("a folder");
    let own = target.join("race/python/bin/python");
    if own.exists() { own } else { PathBuf::from("python3") }
}

#[test]
fn the_race_passes_its_checks() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("race");
    let mut python = Command::new(python());
    python.arg("test_race.py").current_dir(folder).env("PYTHONDONTWRITEBYTECODE", "1");
    let output = python.output().expect("python3 is needed for this test: install it");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
