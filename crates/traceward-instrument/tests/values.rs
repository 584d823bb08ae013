//! A predicate in C holds where the language says that it holds: what programs tell of predicates
//! is compared with what the checker says of the same states.

#![allow(clippy::disallowed_methods, reason = "tests write files and run compilers")]

mod support;

use serde_json::Value;
use std::collections::BTreeMap;
use support::{Case, EVERY_WRITE, compile, corpus, events, read, run_to_file, scratch, write_instrumented};
use traceward::{CheckOptions, Spec, Truth, check_with};

/// Predicates that C can say, of every kind of number.
const IN_C: [&str; 40] = [
    "i > 5",
    "i == -1",
    "i != 7",
    "i <= -7",
    "u >= 2147483648",
    "u > i",
    "i < u",
    "i == s",
    "s < b",
    "w > 9007199254740992.0",
    "w == 9007199254740992.0",
    "w < z",
    "z > w",
    "z == w",
    "z >= 9223372036854775807",
    "z > 1.5",
    "z == 18446744073709551616.0",
    "d > z",
    "d <= i",
    "i >= d",
    "w != d",
    "d == 0.1",
    "f == 0.1",
    "f < d",
    "d > -1e300",
    "t",
    "!t",
    "t -> i > 0",
    "t <-> o",
    "t xor o",
    "t & i > 5 | o & u < 3",
    "i in {1, 5, 100}",
    "!(i in {-1, 2.5})",
    "i + u > 4294967295",
    "i - s != 0 & i * 2 > i",
    "i % 3 == -1",
    "-i > s + b",
    "e == SECOND",
    "p != 0",
    "defined(d) & !defined(local)",
];

/// Predicates that are left to the monitor.
const BY_MONITOR: [&str; 8] = [
    "i / 2 > 2.5",
    "w + 1 > 0",
    "d + 0.5 > 1",
    "abs(i) > 5",
    "min(i, 3) == 3",
    "i % s == 0",
    "local > 0 & i % u > 1",
    "-w > 0",
];

/// The program with a property for each predicate.
fn values(predicates: &[&str]) -> Case {
    let properties = predicates.iter().enumerate().map(|(index, one)| format!("property p{index} = F({one})\n"));
    Case::text("values", &properties.collect::<String>(), &read(&corpus().join("values.c")))
}

#[test]
fn predicates_in_c_mean_what_the_language_means() {
    let case = values(&IN_C);
    let made = case.instrumented(EVERY_WRITE);
    let folder = scratch("values");
    let files = write_instrumented(&made, &folder.join("told"));
    for (compiler, options) in [("gcc", ["-O2"]), ("clang", ["-O0"])] {
        let program = folder.join(compiler);
        compile(compiler, &options, &files, &program);
        let (_, status, text) = run_to_file(&program);
        assert_eq!(status, Some(0));
        let truths = told_truths(&text, made.predicates.len());
        assert!(truths[0].len() > 200, "there are many states");
        for (predicate, told) in made.predicates.iter().zip(&truths) {
            assert_eq!(told, &checked(predicate, &text), "{compiler}: {predicate}");
        }
    }
}

/// The truth of each predicate at each state, as the program tells it.
fn told_truths(text: &str, count: usize) -> Vec<Vec<bool>> {
    let mut now: BTreeMap<usize, bool> = BTreeMap::new();
    let mut truths = vec![Vec::new(); count];
    for (word, members) in events(text) {
        if word != "init" && word != "next" {
            continue;
        }
        for (name, value) in &members {
            if let Some(number) = name.strip_prefix('#').and_then(|number| number.parse().ok()) {
                now.insert(number, value == &Value::Bool(true));
            }
        }
        for (index, truth) in truths.iter_mut().enumerate() {
            truth.push(*now.get(&(index + 2)).expect("each predicate is told at the start"));
        }
    }
    truths
}

/// The truth of a predicate at each state, as the checker says.
fn checked(predicate: &str, text: &str) -> Vec<bool> {
    let spec: Spec = format!("property p = {predicate}").parse().unwrap_or_else(|error| panic!("{predicate}: {error}"));
    let mut options = CheckOptions::default();
    options.truth = Truth::AtEveryPosition;
    let report = check_with(&spec, text.as_bytes(), &options).unwrap_or_else(|error| panic!("{predicate}: {error}"));
    let truth = report.properties[0].truth.as_ref().expect("truth at every position");
    truth.iter().collect()
}

#[test]
fn what_c_cannot_say_is_left_to_the_monitor() {
    for predicate in BY_MONITOR {
        let case = values(&[predicate]);
        let made = case.instrumented(EVERY_WRITE);
        let text = &made.files[0].text;
        assert!(text.contains("(the monitor evaluates it)"), "{predicate}: {text}");
    }
    for predicate in IN_C {
        let case = values(&[predicate]);
        let made = case.instrumented(EVERY_WRITE);
        assert!(!made.files[0].text.contains("(the monitor evaluates it)"), "{predicate}");
    }
}
