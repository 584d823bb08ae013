//! Comments are narrow enough to be read beside the code, in every file of the workspace.

use std::fs;
use std::path::{Path, PathBuf};

/// The widest comment line, in characters, its indentation included.
const WIDEST: usize = 100;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The entries of a folder in order; none if there is no such folder.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}

/// The Rust files below a folder.
fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let below = |path: PathBuf| if path.is_dir() { rust_files(&path) } else { vec![path] };
    let files = entries(folder).into_iter().flat_map(below);
    files.filter(|path| path.extension().is_some_and(|extension| extension == "rs")).collect()
}

/// The folders with our code: sources, tests and examples of each crate, and the benchmarks.
fn folders() -> Vec<PathBuf> {
    let of_crate = |path: PathBuf| ["src", "tests", "examples"].map(|folder| path.join(folder));
    let crates = entries(&root().join("crates")).into_iter().flat_map(of_crate);
    crates.chain([root().join("bench/src")]).collect()
}

/// Whether a line is a comment, or documentation, that is too wide.
fn is_too_wide(line: &str) -> bool {
    line.trim_start().starts_with("//") && line.chars().count() > WIDEST
}

/// The comment lines of a file that are too wide, as `file:line`.
fn wide_comments(file: &Path) -> Vec<String> {
    let text = fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let name = file.strip_prefix(root()).unwrap_or(file).display();
    let lines = text.lines().zip(1..).filter(|(line, _)| is_too_wide(line));
    lines.map(|(_, number)| format!("{name}:{number}")).collect()
}

#[test]
fn no_comment_is_too_wide() {
    let files: Vec<PathBuf> = folders().iter().flat_map(|folder| rust_files(folder)).collect();
    assert!(files.len() > 100, "only {} files were found", files.len());
    let wide: Vec<String> = files.iter().flat_map(|file| wide_comments(file)).collect();
    assert!(wide.is_empty(), "comment lines wider than {WIDEST} columns:\n{}", wide.join("\n"));
}

#[test]
fn a_wide_comment_is_told_from_a_wide_line_of_code() {
    let text = "x".repeat(WIDEST - 4);
    assert!(!is_too_wide(&format!("/// {text}")));
    assert!(is_too_wide(&format!("    // {text}")));
    assert!(!is_too_wide(&format!("let wide = \"// {text}\";")));
}
