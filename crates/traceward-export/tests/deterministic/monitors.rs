//! Monitors as C and Rust programs: they are compiled, run and held against the observer, and
//! allocate nothing.
#![allow(clippy::disallowed_methods, reason = "the test compiles and runs the monitors")]

use super::Example;
use std::path::{Path, PathBuf};
use std::process::Command;
use traceward_engine::engine::EngineConfig;
use traceward_engine::engine::follow::{Follow, Step};
use traceward_engine::engine::observer::Observer;
use traceward_export::monitor::{c, rust};
use traceward_logic::letter::{self, Proposition};
use traceward_logic::verdict::Verdict;
use traceward_testkit::{corpus, vectors};

pub const C_FLAGS: [&str; 6] = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O2"];

/// A formula with letters to run it on, and what it has to say: before any, after each of them, and
/// at the end.
struct Case {
    formula: String,
    example: Example,
    /// For each letter, the truth of the propositions that make a difference.
    letters: Vec<Vec<bool>>,
    expected: String,
}

impl Case {
    fn new(formula: &str, example: Example, letters: Vec<Vec<bool>>) -> Self {
        let prepared = &example.prepared;
        let observer = Observer::of_any_letters(prepared, 0, EngineConfig::default()).expect("no bounds in time");
        let relevant = example.automaton().relevant();
        let mut run = observer.start().expect("within limits");
        let mut expected = String::from(sign(example.automaton().verdict(example.automaton().initial())));
        let mut holds_at_end = example.on_empty;
        for row in &letters {
            let holds = |one: Proposition| relevant.binary_search(&one).is_ok_and(|place| row[place]);
            let verdict = observer.step(&mut run, Step::new(&holds, 0)).expect("within limits");
            expected.push_str(sign(verdict));
            holds_at_end = matches!(verdict, Verdict::Satisfied | Verdict::Holding);
        }
        expected.push_str(sign(Verdict::at_end(holds_at_end)));
        Self { formula: formula.to_owned(), example, letters, expected }
    }

    fn text_of_letters(&self) -> String {
        let row = |row: &Vec<bool>| row.iter().map(|&bit| if bit { '1' } else { '0' }).chain([';']).collect::<String>();
        self.letters.iter().map(row).collect()
    }

    fn inputs(&self) -> usize {
        self.example.automaton().relevant().len()
    }
}

pub fn sign(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Satisfied => "S",
        Verdict::Violated => "V",
        Verdict::Holding => "H",
        Verdict::Pending => "P",
    }
}

/// Compiling takes its time: of the vectors, one in so many.
const ONE_IN: usize = 3;

/// Formulas with traces whose verdicts are known.
fn known() -> Vec<Case> {
    let vectors = vectors::formulas()
        .into_iter()
        .step_by(ONE_IN)
        .map(|vector| (vector.formula, vector.trace, None, vector.truth));
    let corpus = corpus::cases().into_iter().map(|case| (case.formula, case.trace, case.time, case.truth));
    let cases = vectors.chain(corpus).filter(|(_, _, time, _)| time.is_none()).map(|(formula, bits, time, truth)| {
        let (lowered, _, trace) = corpus::prepare(&formula, &bits, time, truth.len());
        let example = Example::of(&formula, &lowered);
        let prepared = &example.prepared;
        let letters = letter::letters(&prepared.formulas, &prepared.alphabet, &trace);
        let relevant = example.automaton().relevant();
        let row = |position| relevant.iter().map(|&one| letters.bitmap(one).get(position)).collect();
        let case = Case::new(&formula, example, (0..trace.len).map(row).collect());
        let verdict = if truth.starts_with('1') { 'S' } else { 'V' };
        assert!(truth.is_empty() || case.expected.ends_with(verdict), "{formula}");
        case
    });
    cases.collect()
}

/// Formulas that a table would be too large for, and names that other languages do not take, on
/// letters from a dice.
fn unusual() -> Vec<Case> {
    let many =
        |count: usize, operator: &str| (0..count).map(|number| format!("a{number}")).collect::<Vec<_>>().join(operator);
    let responses: Vec<String> = (0..6).map(|number| format!("G(a{number} -> F b{number})")).collect();
    let formulas = [
        format!("G({})", many(70, " | ")),
        format!("G(({}) -> X ({}))", many(9, " xor "), many(14, " & ")),
        responses.join(" & "),
        "G(a -> F[0,300] b)".into(),
        "F[0,3000] a".into(),
        "G(`class` -> F (`Class` | `while` & linux & self))".into(),
        "F(x > 5 & x < 5 & X (x >= 5 | name == \"*/ \\\\\"))".into(),
        "G(tempHigh -> O (`temp high` | temp_high | `größe` | `ärger`))".into(),
        "F name == \"\u{202E}\\\\\"".into(),
        "F name == \"/* // ??/\"".into(),
        "X X true".into(),
        "true".into(),
        "F true".into(),
    ];
    let mut dice = Dice(7);
    let cases = formulas.iter().map(|formula| {
        let example = Example::new(formula);
        let inputs = example.automaton().relevant().len();
        // Some letters are rare, so that not everything is decided at once.
        let row = |position: usize, dice: &mut Dice| {
            (0..inputs).map(|_| dice.roll(1 + position as u64 % 7) == 0).collect::<Vec<bool>>()
        };
        let letters = (0..400).map(|position| row(position, &mut dice)).collect();
        Case::new(formula, example, letters)
    });
    cases.collect()
}

pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

#[test]
fn monitors_in_c_say_what_the_observer_says() {
    let cases: Vec<Case> = known().into_iter().chain(unusual()).collect();
    assert!(cases.len() > 300);
    let halves: Vec<&[Case]> = cases.chunks(cases.len().div_ceil(2)).collect();
    std::thread::scope(|scope| {
        for (number, half) in halves.iter().enumerate() {
            scope.spawn(move || {
                let folder = Folder::new(&format!("monitors-c-{number}"));
                let program = folder.0.join("program");
                std::fs::write(folder.0.join("program.c"), c_program(half)).expect("a writable file");
                folder.run("cc", &[&C_FLAGS[..], &["program.c", "-o", "program"]].concat());
                compare(half, &folder.run(&program.display().to_string(), &[]));
            });
        }
    });
}

#[test]
fn monitors_in_rust_say_what_the_observer_says() {
    let cases: Vec<Case> = known().into_iter().chain(unusual()).collect();
    let halves: Vec<&[Case]> = cases.chunks(cases.len().div_ceil(2)).collect();
    std::thread::scope(|scope| {
        for (number, half) in halves.iter().enumerate() {
            scope.spawn(move || {
                let folder = Folder::new(&format!("monitors-rust-{number}"));
                let program = folder.0.join("program");
                std::fs::write(folder.0.join("program.rs"), rust_program(half)).expect("a writable file");
                folder.run("rustc", &["--edition", "2024", "-D", "warnings", "program.rs", "-o", "program"]);
                compare(half, &folder.run(&program.display().to_string(), &[]));
            });
        }
    });
}

fn compare(cases: &[Case], output: &str) {
    let lines: Vec<&str> = output.lines().collect();
    assert_eq!(lines.len(), cases.len());
    for (case, line) in cases.iter().zip(lines) {
        assert_eq!(line, case.expected, "{}", case.formula);
    }
}

fn c_program(cases: &[Case]) -> String {
    let mut program = String::new();
    let mut main = String::new();
    for (number, case) in cases.iter().enumerate() {
        let name = format!("m{number}");
        program.push_str(&c::monitor(&case.example.labelled, &name));
        let inputs = case.inputs();
        let bits: Vec<String> = (0..inputs).map(|place| format!("t[{place}] == '1'")).collect();
        let (letter, argument) = match inputs {
            0 => (String::new(), ""),
            _ => (format!("struct {name}_letter letter = {{ {} }};", bits.join(", ")), ", letter"),
        };
        program.push_str(&format!(
            "static void run_{name}(const char *t) {{\n    struct {name} m;\n    {name}_init(&m);\n    putchar(\"SVHP\"[{name}_now(&m)]);\n\
             for (; *t; t += {}) {{ {letter} putchar(\"SVHP\"[{name}_step(&m{argument})]); }}\n\
             putchar(\"SVHP\"[{name}_end(&m)]);\n    putchar('\\n');\n}}\n",
            inputs + 1
        ));
        main.push_str(&format!("    run_{name}(t_{name});\n"));
        // A string literal may have to be short.
        let bytes: Vec<String> = case.text_of_letters().bytes().map(|byte| byte.to_string()).collect();
        let bytes = [&bytes[..], &["0".to_owned()]].concat().join(",");
        program.push_str(&format!("static const char t_{name}[] = {{{bytes}}};\n"));
    }
    format!("#include <stdio.h>\n{program}int main(void) {{\n{main}    return 0;\n}}\n")
}

fn rust_program(cases: &[Case]) -> String {
    let mut program = String::new();
    let mut main = String::new();
    for (number, case) in cases.iter().enumerate() {
        let name = format!("m{number}");
        let monitor = rust::monitor(&case.example.labelled);
        let fields = monitor.lines().filter_map(|line| line.trim().strip_prefix("pub ")?.strip_suffix(": bool,"));
        let fields: Vec<String> =
            fields.enumerate().map(|(place, field)| format!("{field}: t[{place}] == b'1'")).collect();
        assert_eq!(fields.len(), case.inputs(), "{}", case.formula);
        let letter =
            if fields.is_empty() { String::new() } else { format!("{name}::Letter {{ {} }}", fields.join(", ")) };
        program.push_str(&format!("pub mod {name} {{\n{monitor}}}\n"));
        main.push_str(&format!(
            "    {{ let mut m = {name}::Monitor::default();\n    print!(\"{{}}\", sign(m.now() as u8));\n\
             for t in \"{}\".as_bytes().chunks({}) {{ print!(\"{{}}\", sign(m.step({letter}) as u8)); _ = t; }}\n\
             println!(\"{{}}\", sign(m.end() as u8)); }}\n",
            case.text_of_letters(),
            case.inputs() + 1
        ));
    }
    let sign = "fn sign(verdict: u8) -> char { b\"SVHP\"[verdict as usize] as char }\n";
    format!("{program}{sign}fn main() {{\n{main}}}\n")
}

/// Names under which memory is asked for.
const ALLOCATION: [&str; 10] =
    ["malloc", "calloc", "realloc", "free", "alloca", "_Znwm", "_Znam", "alloc::", "__rust_alloc", "__rg_alloc"];

/// A small one with a table and a larger one with nodes.
const LINKED: [&str; 2] =
    ["G(a -> F b)", "G(a0 | b0 & a1 | b1 & a2 | b2 & a3 | b3 & a4 | b4 & a5 | b5 -> F[0,20] (a6 & a7 & !a8))"];

#[test]
fn monitors_in_c_allocate_nothing() {
    let folder = Folder::new("monitors-c-symbols");
    for (number, formula) in LINKED.iter().enumerate() {
        let text = c::monitor(&Example::new(formula).labelled, "watch");
        assert_eq!(text.contains("watch_nodes"), number == 1);
        std::fs::write(folder.0.join("watch.c"), text).expect("a writable file");
        folder.run("cc", &[&C_FLAGS[..], &["-c", "watch.c", "-o", "watch.o"]].concat());
        let symbols = folder.run("nm", &["watch.o"]);
        assert!(symbols.contains(" T watch_step"), "{symbols}");
        // Not even a library function.
        assert!(!symbols.contains(" U "), "{symbols}");
    }
}

/// The declarations can be included where the monitor is used, and the file compiled once
/// elsewhere.
#[test]
fn a_monitor_in_c_is_its_own_header() {
    let folder = Folder::new("monitors-c-header");
    let text = c::monitor(&Example::new("G(request -> F grant)").labelled, "answered");
    std::fs::write(folder.0.join("answered.c"), text).expect("a writable file");
    let main = "#define ANSWERED_DECLARATIONS\n#include \"answered.c\"\n#include <stdio.h>\n\
        int main(void) {\n    struct answered monitor;\n    answered_init(&monitor);\n\
        struct answered_letter letter = { .request = true, .grant = false };\n\
        printf(\"%d\", answered_step(&monitor, letter) == ANSWERED_PENDING);\n\
        printf(\"%d\\n\", answered_end(&monitor) == ANSWERED_VIOLATED);\n    return 0;\n}\n";
    std::fs::write(folder.0.join("main.c"), main).expect("a writable file");
    folder.run("cc", &[&C_FLAGS[..], &["main.c", "answered.c", "-o", "program"]].concat());
    assert_eq!(folder.run(&folder.0.join("program").display().to_string(), &[]), "11\n");
}

#[test]
fn monitors_in_rust_allocate_nothing() {
    let folder = Folder::new("monitors-rust-symbols");
    for (number, formula) in LINKED.iter().enumerate() {
        let text = rust::monitor(&Example::new(formula).labelled);
        assert_eq!(text.contains("NODES"), number == 1);
        // As it is, as a crate of its own.
        std::fs::write(folder.0.join("watch.rs"), &text).expect("a writable file");
        let strict = [
            "-D",
            "warnings",
            "-D",
            "missing_docs",
            "-D",
            "unsafe_code",
            "--crate-type",
            "lib",
            "-O",
            "-C",
            "embed-bitcode=no",
        ];
        folder.run("rustc", &[&["--edition", "2024"], &strict[..], &["watch.rs"]].concat());
        folder.run("rustc", &[&["--edition", "2021"], &strict[..], &["watch.rs"]].concat());
        // And where there is nothing but the core library. Functions that nobody uses would not be
        // in the object.
        let head: Vec<&str> = text.lines().take_while(|line| line.starts_with("//!")).collect();
        let (head, body) = text.split_at(head.join("\n").len());
        let used = "/// Used.\npub static STEP: fn(&mut Monitor, Letter) -> Verdict = Monitor::step;\n\
                    /// Used.\npub static END: fn(&Monitor) -> Verdict = Monitor::end;\n";
        std::fs::write(folder.0.join("bare.rs"), format!("{head}\n#![no_std]\n{body}{used}")).expect("a writable file");
        folder.run("rustc", &[&["--edition", "2024"], &strict[..], &["bare.rs"]].concat());
        let symbols = folder.run("nm", &["-C", "libbare.rlib"]);
        assert!(symbols.contains("Monitor>::step") || symbols.contains("Monitor::step"), "{symbols}");
        for name in ALLOCATION {
            assert!(!symbols.contains(name), "{name} in {symbols}");
        }
    }
}

#[test]
fn monitors_as_text() {
    let table = Example::new("G(request -> F[0,2] x > 5)");
    let nodes = Example::new("a0 & a1 & a2 & a3 & a4 & a5 & a6 & a7 & a8 & a9 & a10 & a11 & a12");
    let texts = [
        c::monitor(&table.labelled, "answered"),
        rust::monitor(&table.labelled),
        c::monitor(&nodes.labelled, "while"),
        rust::monitor(&nodes.labelled),
        c::monitor(&Example::new("X true | a & !a").labelled, "two states!"),
    ];
    insta::assert_snapshot!(texts.join("\n=======\n\n"));
}

/// A folder of its own for each test, gone with it.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(test: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("a folder for the test");
        Self(path)
    }

    /// What a program prints; that there is none is a failure.
    pub fn run(&self, program: &str, arguments: &[&str]) -> String {
        let output = Command::new(program).args(arguments).current_dir(&self.0).output();
        let output = output.unwrap_or_else(|error| panic!("this test needs {program}: {error}"));
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{program}: {}", stderr.chars().take(4000).collect::<String>());
        String::from_utf8(output.stdout).expect("UTF-8")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn values_of_earlier_states_are_the_callers() {
    let line = "So are the values of earlier states, past(...)";
    // `past(p)` is remembered by the automaton, `past(x) < x` is not.
    for (formula, told) in [("G(p -> past(x) < x)", true), ("G(q -> past(p))", false), ("G(q -> x < 5)", false)] {
        let example = Example::new(formula);
        assert_eq!(c::monitor(&example.labelled, "watch").contains(line), told, "{formula}");
        assert_eq!(rust::monitor(&example.labelled).contains(line), told, "{formula}");
    }
}
