//! What a terminal shows while a trace is read.

use crate::common::Folder;
use std::process::Command;

/// A terminal sees how far the reading has come; whoever interrupts it is told, and the line that
/// showed it is gone.
#[test]
fn an_interrupted_reading_says_how_far_it_got() {
    let folder = Folder::new("progress");
    let program = folder.command(&["check", "-e", "G a", "-"]);
    let script = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/progress.py");
    let output = Command::new("python3")
        .arg(script)
        .arg(program.get_program())
        .args(program.get_args())
        .env("NO_COLOR", "1")
        .env("TERM", "xterm")
        .env("COLUMNS", "100")
        .output()
        .unwrap_or_else(|error| panic!("python3 is needed by this test and cannot be run: {error}"));
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let (status, shown) = printed.split_once('\n').unwrap_or_else(|| panic!("{output:?}"));
    assert_eq!(status, "2", "{shown}");
    assert!(shown.contains("lines/s"), "how fast it goes: {shown:?}");
    let end = shown.rsplit_once("interrupted: ").unwrap_or_else(|| panic!("how far it got: {shown:?}"));
    // The last thing before it clears the line.
    assert!(end.0.ends_with('\r') || end.0.ends_with("\u{1b}[2K") || end.0.ends_with('\n'), "{:?}", end.0);
    assert!(end.1.contains(" lines, of standard input had been read; nothing was answered"), "{:?}", end.1);
}
