//! `check` and `monitor` tell the same of one input: status, verdict, and the line that is wrong.

use crate::common::{Folder, Output};

/// A line that does not fit what the first values are.
const MIXED: &str = "x,y\n10,9\na,b\n";

/// Standard input is read by both commands, each with its own options beside the common ones.
fn both(test: &str, input: &str, common: &[&str], monitor: &[&str]) -> [Output; 2] {
    let folder = Folder::new(test);
    let run = |command: &[&str], rest: &[&str]| folder.run(&[command, common, rest].concat(), input.as_bytes());
    [run(&["check"], &["-"]), run(&["monitor"], monitor)]
}

const STOP: &[&str] = &["--on-bad-input", "stop"];

#[test]
fn a_value_unlike_the_first_is_an_error_on_its_line() {
    for output in both("alike-unlike", MIXED, &["-e", "G(x < y)"], STOP) {
        assert_eq!(output.status, 2, "{}", output.stdout);
        assert!(output.stderr.contains("-:3: the first value made `x` a number"), "{}", output.stderr);
    }
}

#[test]
fn declared_types_make_the_same_values_strings() {
    let declared = ["-e", "G(x < y)", "--type", "x:string", "--type", "y:string"];
    for output in both("alike-declared", MIXED, &declared, STOP) {
        assert_eq!((output.status, output.stderr.as_str()), (0, ""), "{}", output.stdout);
        assert!(output.stdout.contains("satisfied"), "{}", output.stdout);
    }
    for output in both("alike-declared-violated", "x,y\n10,9\nb,a\n", &declared, STOP) {
        assert_eq!((output.status, output.stderr.as_str()), (1, ""), "{}", output.stdout);
        assert!(output.stdout.contains("violated"), "{}", output.stdout);
    }
}

#[test]
fn a_monitor_skips_the_line_and_says_so_at_its_end() {
    let [_, skipping] = both("alike-skipped", MIXED, &["-e", "G(x < y)"], &[]);
    assert_eq!(skipping.status, 2, "{}", skipping.stdout);
    assert!(skipping.stderr.contains("-:3:"), "{}", skipping.stderr);
    assert!(skipping.stderr.contains("1 bad line skipped"), "{}", skipping.stderr);
}

#[test]
fn many_bad_lines_are_told_ever_less_often() {
    let folder = Folder::new("alike-many-bad");
    let trace = "{\"x\":1}\n{\"x\":\"none\"}\n".repeat(500);
    for by_key in [&[][..], &["--by", "x"]] {
        let formula = ["monitor", "-e", "G x > 0"];
        let output = folder.run(&[&formula[..], by_key].concat(), trace.as_bytes());
        let told: Vec<&str> = output.stderr.lines().collect();
        let expected: Vec<String> =
            (1..=16).chain([32, 64, 128, 256]).map(|n| format!("warning: -:{}:", 2 * n)).collect();
        assert!(told.iter().zip(&expected).all(|(told, place)| told.starts_with(place)), "{}", output.stderr);
        assert!(told[15].ends_with("and of further ones only some are told"), "{}", told[15]);
        assert!(told[19].ends_with("256 lines are skipped by now"), "{}", told[19]);
        assert_eq!((told.len(), told[20], output.status), (21, "warning: 500 bad lines skipped", 2));
    }
}

/// Of JSON lines it is known only at the end that no record has the column.
#[test]
fn a_time_column_that_nobody_has_is_told_with_the_one_that_was_meant() {
    let folder = Folder::new("alike-time");
    let trace = "{\"stamp\":1,\"x\":1,\"k\":1}\n{\"stamp\":2,\"x\":1,\"k\":1}\n";
    for more in [&[][..], &["--by", "k"], &["--lateness", "1s"], &["--heartbeat", "beat"]] {
        let asked = [&["monitor", "-e", "G x > 0", "--time", "stmap:s"], more].concat();
        let output = folder.run(&asked, trace.as_bytes());
        let said = "error: -: there is no `stmap`, which was named as the time column\n  help: did you mean `stamp`?\n";
        assert!(output.stderr.contains(said) && output.status == 2, "{more:?}: {}", output.stderr);
        // A state with it shows that it exists.
        let output = folder.run(&asked, [trace, "{\"stmap\":1,\"x\":1,\"k\":1}\n"].concat().as_bytes());
        assert!(!output.stderr.contains("there is no") && output.status == 2, "{more:?}: {}", output.stderr);
    }
}

/// A monitor makes formulas before it knows a value, and `X x` is one only if x is a boolean.
#[test]
fn what_may_be_a_formula_or_a_value_is_declared_or_a_boolean() {
    let folder = Folder::new("alike-supposed");
    let asked = |command: &[&str], more: &[&str], input: &str| {
        let line = [command, &["-e", "count(X x)", "-e", "count(x U x)", "--format", "json"], more].concat();
        folder.run(&line, input.as_bytes())
    };
    let values = |output: &Output| {
        let found = output.stdout.split("\"value\": ").skip(1);
        found.map(|rest| rest.split([',', '}', '\n']).next().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    let (csv, json) = ("x\n1\n0\n0\n", "{\"x\":5}\n{\"x\":\"on\"}\n");
    for input in [csv, json, "x\nlow\nhigh\n"] {
        let output = asked(&["monitor"], &[], input);
        assert!(output.stderr.contains("its type has to be declared"), "{}", output.stderr);
        assert_eq!((output.status, output.stdout.contains("\"states\": 0")), (2, true), "{}", output.stdout);
    }
    for more in [&["--type", "x:number"][..], &["--type", "x:boolean"], &["--type", "x:string"]] {
        let [file, stream] = [asked(&["query", "-"], more, csv), asked(&["monitor"], more, csv)];
        assert_eq!(values(&file), values(&stream), "{more:?}: {}", stream.stderr);
        assert_eq!((file.status, stream.status, values(&file).len()), (0, 0, 2), "{more:?}");
    }
    let booleans = "{\"x\":true}\n{\"x\":false}\n{\"x\":true}\n";
    assert_eq!(values(&asked(&["monitor"], &[], booleans)), ["1", "2"]);
    assert_eq!(values(&asked(&["query", "-"], &[], booleans)), ["1", "2"]);
}

#[test]
fn a_column_that_nobody_has_is_unknown_and_not_missing() {
    for output in both("alike-unknown", "x\n1\n", &["-e", "F(z > 1)", "--missing", "error"], STOP) {
        assert_eq!(output.status, 2, "{}", output.stdout);
        assert!(output.stderr.contains("`z`") && !output.stderr.contains("no value"), "{}", output.stderr);
    }
}

#[test]
fn an_expression_that_fails_is_told_with_its_line() {
    for output in both("alike-failing", "x\n5\n0\n6\n", &["-e", "F(10 / x > 9)"], STOP) {
        assert_eq!(output.status, 2, "{}", output.stdout);
        assert!(output.stderr.contains("-:3: division by zero"), "{}", output.stderr);
    }
}

#[test]
fn time_that_goes_backwards_is_an_error_on_its_line() {
    for output in both("alike-time", "t,x\n2,1\n1,1\n", &["-e", "G(x > 0)", "--time", "t:s"], STOP) {
        assert_eq!(output.status, 2, "{}", output.stdout);
        assert!(output.stderr.contains("-:3: time goes backwards"), "{}", output.stderr);
    }
}
