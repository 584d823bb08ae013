//! Clients in other languages: the shell of docs/protocol.md, and Python.

use crate::listen::Observer;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn page() -> String {
    std::fs::read_to_string(root().join("docs/protocol.md")).expect("the page about the protocol")
}

/// The one block of a language on a page.
fn block<'a>(page: &'a str, language: &str) -> &'a str {
    let begin = format!("```{language}\n");
    let text = page.split(&begin).nth(1).unwrap_or_else(|| panic!("no block of {language}"));
    text.split("```").next().expect("the end of the block")
}

#[test]
fn ten_lines_of_shell_are_a_client() {
    let page = page();
    let script = block(&page, "bash");
    assert!(script.lines().count() <= 11, "{script}");
    let observer = Observer::start("clients-shell", &["-e", "G(x < 2)"]);
    let port = observer.address.rsplit(':').next().expect("a port");
    let script = script.replace("/7007", &format!("/{port}"));
    let output = Command::new("bash").args(["-c", &script]).output().expect("bash is needed for this test");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(said, "x = 2: stop p1\n", "{}", String::from_utf8_lossy(&output.stderr));
    assert!(page.contains(&format!("It prints `{}`", said.trim_end())));
    // It does not wait for the end, so the observer may still be at it.
    std::thread::sleep(std::time::Duration::from_millis(200));
    let (out, errors, status) = observer.end_by("TERM");
    assert_eq!((errors.as_str(), status), ("", Some(1)));
    for line in out.lines() {
        assert!(page.contains(&format!("    {line}\n")), "the page does not show: {line}");
    }
}

#[test]
fn the_python_client_passes_its_tests() {
    let mut python = Command::new("python3");
    python.args(["-W", "error::ResourceWarning", "-m", "unittest", "-v"]).current_dir(root().join("clients/python"));
    python.env("TRACEWARD", env!("CARGO_BIN_EXE_traceward")).env("PYTHONDONTWRITEBYTECODE", "1");
    let output = python.output().expect("python3 is needed for this test: install it");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let ran = said.lines().find_map(|line| line.strip_prefix("Ran ")).expect("a number of tests");
    let number: usize = ran.split(' ').next().and_then(|number| number.parse().ok()).expect("a number");
    assert!(number >= 15 && !said.contains("skipped"), "{said}");
}
