//! Where the libraries are, and how programs are run.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The directory with the libraries that were built along with this test.
pub fn libraries() -> PathBuf {
    let test = std::env::current_exe().expect("this test is a program");
    let deps = test.parent().expect("it stands in a directory");
    let found =
        [deps, deps.parent().expect("of the target")].into_iter().find(|dir| dir.join("libtraceward_c.a").exists());
    found.expect("libtraceward_c.a is built along with the tests").to_owned()
}

pub fn crate_dir() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

pub fn run(command: &mut Command) -> String {
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?} cannot be started: {error}; `./test` installs what is missing"));
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?}: {}\n{out}{err}", output.status);
    out.into_owned()
}
