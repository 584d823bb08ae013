//! Programs with every construct that can write: instrumented, they do what they did, and tell the
//! same with every compiler.

#![allow(clippy::disallowed_methods, reason = "tests write files and run compilers")]

mod support;

use support::{CHANGES, COMPILERS, Case, EVERY_WRITE, How, compile, run_to_file, scratch, told, write_instrumented};

/// Runs a case with every compiler. What it told comes back.
fn check(case: &Case, label: &str, how: How) -> String {
    check_by(&COMPILERS, case, label, how)
}

fn check_by(compilers: &[(&str, &[&str])], case: &Case, label: &str, how: How) -> String {
    let folder = scratch(&format!("{}-{label}", case.name));
    let original = folder.join("original");
    compile("gcc", &["-w"], &case.write(&folder), &original);
    let expected = std::process::Command::new(&original).output().expect("the original runs");
    let files = write_instrumented(&case.instrumented(how), &folder.join("told"));
    let mut first: Option<String> = None;
    for (index, (compiler, options)) in compilers.iter().enumerate() {
        let program = folder.join(format!("program{index}"));
        compile(compiler, options, &files, &program);
        let (printed, status, events) = run_to_file(&program);
        assert_eq!(printed, String::from_utf8_lossy(&expected.stdout), "{compiler} {options:?}");
        assert_eq!(status, expected.status.code(), "{compiler} {options:?}");
        let events = told(&events);
        match &first {
            Some(first) => assert_eq!(&events, first, "{compiler} {options:?}"),
            None => first = Some(events),
        }
    }
    first.expect("there is a compiler")
}

/// The warnings of a case and what it told, every write being a state and only changes being one.
fn account(case: &Case) -> String {
    let warnings: Vec<String> = case.instrumented(EVERY_WRITE).warnings.iter().map(ToString::to_string).collect();
    let every = check(case, "every", EVERY_WRITE);
    let changes = check(case, "changes", CHANGES);
    format!("warnings:\n{}\n\nevery write:\n{every}\n\nchanges:\n{changes}\n", warnings.join("\n"))
}

#[test]
fn every_form_of_write() {
    insta::assert_snapshot!(account(&Case::single("forms")));
}

#[test]
fn parts_of_objects() {
    insta::assert_snapshot!(account(&Case::single("objects")));
}

#[test]
fn scopes_and_activations() {
    insta::assert_snapshot!(account(&Case::single("locals")));
}

#[test]
fn pointers() {
    insta::assert_snapshot!(account(&Case::single("pointers")));
}

#[test]
fn texts() {
    insta::assert_snapshot!(account(&Case::single("texts")));
}

#[test]
fn macros() {
    insta::assert_snapshot!(account(&Case::single("macros")));
}

#[test]
fn several_files() {
    insta::assert_snapshot!(account(&Case::several("several", &["main.c", "other.c"], &["shared.h"])));
}

#[test]
fn calls_and_returns() {
    let mut case = Case::single("locals");
    case.spec =
        "property p = G(x >= 0) property q = G(event == \"call early\" -> F event == \"return early\")".to_owned();
    case.spec = case.spec.replace("(x >=", "(`locals.c:x` >=");
    insta::assert_snapshot!(check(&case, "events", How { events: true, ..How::default() }));
}

/// What these tell is compared with what gdb sees, in `reference.rs`.
#[test]
fn every_compiler_tells_the_same() {
    for name in ["activations", "shapes", "machine", "wrapped", "heads"] {
        check(&Case::single(name), "every", EVERY_WRITE);
    }
}

#[test]
fn with_a_lock_the_same_is_told() {
    for name in ["forms", "objects", "pointers", "activations"] {
        let case = Case::single(name);
        let with_lock = check(&case, "threads", How { threads: true, ..EVERY_WRITE });
        assert_eq!(with_lock, check_by(&COMPILERS[..1], &case, "no-threads", EVERY_WRITE));
    }
}

#[test]
fn without_a_place_for_events_nothing_is_told() {
    let case = Case::single("forms");
    let folder = scratch("nowhere");
    let files = write_instrumented(&case.instrumented(EVERY_WRITE), &folder.join("told"));
    let program = folder.join("program");
    compile("gcc", &["-O2"], &files, &program);
    let output = std::process::Command::new(&program).current_dir(&folder).output().expect("it runs");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "12 10 65 0.214286 0 18446744073709551615 z\n");
    assert!(output.stderr.is_empty() && output.status.success());
    let left: Vec<_> = std::fs::read_dir(&folder).expect("the folder").collect();
    assert_eq!(left.len(), 2, "the folder `told` and the program");
}

/// All that was put in stands on the lines where it belongs.
#[test]
fn lines_stay_where_they_were() {
    let case = Case::single("forms");
    let made = case.instrumented(EVERY_WRITE);
    let (_, body) = made.files[0].text.split_once("#line 1 \"forms.c\"\n").expect("the line directive");
    for (original, line) in case.files[0].text.lines().zip(body.lines()) {
        let mut rest = line.chars();
        let is_there = original.chars().all(|letter| rest.any(|one| one == letter));
        assert!(is_there, "{original} became {line}");
    }
}

/// Whatever is left of a file, it is looked at, and what cannot be read is told.
#[test]
fn broken_files_are_told_and_never_panic() {
    let mut warned = 0;
    for name in ["forms", "objects", "locals", "activations", "pointers", "texts", "macros", "heads", "ends"] {
        let text = Case::single(name).files[0].text.clone();
        for cut in (0..text.len()).step_by(23).filter(|&cut| text.is_char_boundary(cut)) {
            let ends_early = text[..cut].to_owned();
            let begins_late = text[cut..].to_owned();
            let has_hole = format!("int x, y; {} ({} é ", &text[..cut / 2], &text[cut..]);
            for broken in [ends_early, begins_late, has_hole] {
                let case = Case::text("broken", "G(x > 0 | y > 0)", &broken);
                let made = case.tried(EVERY_WRITE);
                let cannot = |made: traceward_instrument::Instrumented| {
                    made.warnings.iter().any(|warning| warning.message.contains("cannot be read as C"))
                };
                warned += u32::from(made.is_ok_and(cannot));
            }
        }
    }
    assert!(warned > 100, "{warned} files were told to be broken");
}
