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
