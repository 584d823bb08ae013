//! A C program that uses every function, compiled by the compilers of the system and run under
//! sanitizers and valgrind. What is missing on the machine is a failure with a reason.

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;
use support::{crate_dir, libraries, run};

/// Compiles the program, and returns where it is.
fn compiled(name: &str, compiler: &str, flags: &[&str], link: &[&str]) -> PathBuf {
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let strict = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-g"];
    let mut command = Command::new(compiler);
    command.args(strict).args(flags).arg("-I").arg(crate_dir().join("include"));
    command.arg(crate_dir().join("tests/program.c")).arg("-o").arg(&program);
    command
        .arg("-x")
        .arg("none")
        .args(link.iter().map(|flag| flag.replace("LIBRARIES", &libraries().display().to_string())));
    run(command.args(["-lpthread", "-ldl", "-lm"]));
    program
}

const STATIC: &[&str] = &["LIBRARIES/libtraceward_c.a"];
const SHARED: &[&str] = &["-LLIBRARIES", "-Wl,-rpath,LIBRARIES", "-ltraceward_c"];
const EXPECTED: &str = "all as expected\n";

#[test]
fn a_c_program_uses_every_function() {
    for (name, compiler, flags) in [
        ("gcc-c99", "gcc", &["-std=c99", "-O0"][..]),
        ("gcc-c17", "gcc", &["-std=c17", "-O2"]),
        ("clang-c99", "clang", &["-std=c99", "-O2"]),
        ("gxx", "g++", &["-x", "c++", "-std=c++11"]),
    ] {
        assert_eq!(run(&mut Command::new(compiled(name, compiler, flags, STATIC))), EXPECTED, "{name}");
    }
    assert_eq!(run(&mut Command::new(compiled("shared", "gcc", &["-std=c99"], SHARED))), EXPECTED);
}

#[test]
fn sanitizers_find_nothing() {
    let flags = ["-std=c99", "-fsanitize=address,undefined", "-fno-sanitize-recover"];
    assert_eq!(run(&mut Command::new(compiled("sanitized", "gcc", &flags, STATIC))), EXPECTED);
}

#[test]
fn valgrind_finds_nothing() {
    let program = compiled("plain", "gcc", &["-std=c99"], STATIC);
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--quiet", "--error-exitcode=9", "--leak-check=full", "--errors-for-leak-kinds=definite"]);
    assert_eq!(run(valgrind.arg(program)), EXPECTED);
}

#[test]
fn the_header_declares_what_the_library_has() {
    let header = std::fs::read_to_string(crate_dir().join("include/traceward.h")).expect("the header");
    let source = std::fs::read_to_string(crate_dir().join("src/lib.rs")).expect("the source");
    let names = |text: &str, behind: char| {
        let words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_' && letter != behind);
        let mut names: Vec<String> = words
            .filter_map(|word| word.strip_suffix(behind).or_else(|| Some(word.split_once(behind)?.0)))
            .filter(|name| name.starts_with("traceward_"))
            .map(str::to_owned)
            .collect();
        names.sort();
        names.dedup();
        names
    };
    let code = strip_comments(&header);
    assert_eq!(names(&code, '('), names(&source, '('));
}

fn strip_comments(text: &str) -> String {
    let mut pieces = text.split("/*");
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |code, piece| code + piece.split_once("*/").map_or("", |(_, rest)| rest))
}
