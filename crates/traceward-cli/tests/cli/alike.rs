//! `check` and `monitor` tell the same of one input: status, verdict, and the line that is wrong.

use crate::common::{Folder, Output};
use serde_json::Value;

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

/// The last line of a monitor, and the report of `check` on the same bytes.
fn end_and_report(folder: &Folder, trace: &str, asked: &[&str]) -> (Value, Value, [i32; 2]) {
    folder.write("trace.csv", trace);
    let told = folder.run(&[&["monitor", "--only-final"], asked].concat(), trace.as_bytes());
    let checked = folder.run(&[&["check", "--format", "json", "trace.csv"], asked].concat(), b"");
    let end = serde_json::from_str(told.stdout.lines().last().expect("an end line")).expect("JSON");
    (end, checked.json(), [told.status, checked.status])
}

/// A misspelt string passes nowhere in silence, and both say which one may have been meant.
#[test]
fn strings_that_never_come_are_told_by_both() {
    let folder = Folder::new("alike-strings");
    let trace = "level,n\nINFO,1\nERROR,2\n";
    let wrong = [
        "count(level == \"EROR\") == 0",
        "G level != \"EROR\"",
        "G !(level == \"EROR\")",
        "G(level == \"EROR\" -> n > 5)",
        "(max(latency(level == \"INFO\" -> level == \"EROR\")) ?? 0) <= 3",
    ];
    for (formula, by) in wrong.iter().flat_map(|formula| [(formula, &[][..]), (formula, &["--by", "n"])]) {
        let (end, report, statuses) = end_and_report(&folder, trace, &[&["-e", formula], by].concat());
        assert_eq!(statuses, [0, 0], "{formula}");
        let of = |document: &Value| {
            let warnings = document["warnings"].as_array().cloned().unwrap_or_default();
            let told = warnings.into_iter().filter(|warning| warning["kind"] == "string-never-occurs");
            told.collect::<Vec<Value>>()
        };
        assert_eq!(of(&end), of(&report), "{formula}");
        assert_eq!(of(&end)[0]["near"], "ERROR", "{formula}");
    }
    let (end, _, _) = end_and_report(&folder, trace, &["-e", "G level != \"ERROR\"", "-e", "F level == \"INFO\""]);
    assert_eq!(end.get("warnings"), None);
}

#[test]
fn missing_values_and_notes_are_counted_by_both() {
    let folder = Folder::new("alike-missing");
    let trace = "k,x,y\na,1,2\nb,,\n,1,1\na,,\n";
    for by in [&[][..], &["--by", "k"]] {
        let asked = [&["-e", "G x > 0", "-e", "G(defined(y) | x > 7)"], by].concat();
        let (end, report, _) = end_and_report(&folder, trace, &asked);
        assert_eq!(end["missing"], report["trace"]["missing"], "{by:?}");
        assert_eq!(end["missing"]["x"], 2, "{by:?}");
        assert_eq!(end["missing"].get("y"), None, "`defined` asks for no value");
        assert_eq!(end.get("notes"), report["trace"].get("notes"), "{by:?}");
    }
}

/// What cannot be computed yet may be once there is more: it is no verdict for good.
#[test]
fn asserts_that_cannot_be_computed_yet() {
    let folder = Folder::new("alike-not-yet");
    let shares = [
        ("p,q\nfalse,true\ntrue,false\n", "count(q) / count(p) <= 2"),
        ("p,q\nfalse,true\ntrue,false\n", "5 / last(pos) > 1"),
        ("p,x\ntrue,9223372036854775807\ntrue,1\ntrue,-5\n", "sum(x) > 3"),
    ];
    for (trace, formula) in shares {
        for by in [&[][..], &["--by", "p", "--type", "p:string"]] {
            if by.is_empty() || trace.contains('x') {
                let asked = [&["-e", formula, "--stop-when-decided"], by].concat();
                folder.write("trace.csv", trace);
                let told = folder.run(&[&["monitor"], &asked[..]].concat(), trace.as_bytes());
                assert_eq!((told.status, told.stderr.as_str()), (0, ""), "{formula} {}", told.stdout);
                assert!(!told.stdout.contains("unknown"), "{formula} {}", told.stdout);
            }
        }
    }
    // At the end it is known that there is no more.
    let told = folder.run(&["monitor", "-e", "count(q) / count(p) <= 2"], b"p,q\nfalse,true\n");
    assert_eq!(told.status, 2);
    assert!(told.stdout.contains("\"verdict\": \"unknown\", \"reason\": \"division by zero"), "{}", told.stdout);
}

/// Of asserts nothing is told of runs, and of the properties beside them what is theirs.
#[test]
fn asserts_beside_what_is_told_of_runs() {
    let folder = Folder::new("alike-runs");
    let asked = ["-e", "count(p) <= 5", "-e", "G(p -> F q)", "-e", "max(x) < 9", "-e", "G(q -> X p)", "--waiting"];
    let (end, report, statuses) = end_and_report(&folder, "p,q,x\n1,0,1\n0,0,2\n0,1,3\n1,1,4\n", &asked);
    assert_eq!(statuses[0], statuses[1]);
    for index in 0..4 {
        assert_eq!(end["properties"][index].get("waiting"), report["properties"][index].get("waiting"), "{index}");
    }
    assert_eq!(end["properties"][1]["waiting"][0]["part"], "F q");
}

#[test]
fn values_of_booleans_are_those_of_both() {
    let folder = Folder::new("alike-booleans");
    let trace = "b,p\nfalse,true\ntrue,true\nfalse,false\n";
    folder.write("trace.csv", trace);
    let queries = ["distinct(b)", "first(b)", "last(b)", "mode(b)", "histogram(b)", "distinct(past(b))", "count(b)"];
    let asked: Vec<&str> = queries.iter().flat_map(|query| ["-e", query]).collect();
    let declared = [&asked[..], &["--type", "b:boolean"]].concat();
    for asked in [&asked, &declared] {
        let report = folder.run(&[&["query", "--format", "json", "trace.csv"], &asked[..]].concat(), b"").json();
        let values: Vec<&Value> = report["queries"].as_array().unwrap().iter().map(|query| &query["value"]).collect();
        let expected = serde_json::json!([2, false, false, false, [[false, 2], [true, 1]], 2, 1]);
        assert_eq!(serde_json::json!(values), expected);
        let told = folder.run(&[&["monitor"], &asked[..]].concat(), trace.as_bytes());
        let end: Value = serde_json::from_str(told.stdout.lines().last().unwrap()).unwrap();
        let values: Vec<&Value> = end["queries"].as_array().unwrap().iter().map(|query| &query["value"]).collect();
        assert_eq!(serde_json::json!(values), expected);
    }
}

/// A column of 0 and 1 of which nothing says that it is boolean: 0 is a value where a formula would
/// fail.
#[test]
fn numbers_where_a_boolean_would_be_a_formula() {
    let folder = Folder::new("alike-bits");
    folder.write("bits.csv", "request,grant\n1,0\n0,0\n").write("numbers.csv", "request,grant\n1,0\n0,7\n");
    let asked = "count(request & F grant) == count(request)";
    let warned = folder.run(&["check", "-e", asked, "bits.csv"], b"");
    assert!(warned.stderr.contains("`grant` has only 0 and 1"), "{}", warned.stderr);
    let declared = folder.run(&["check", "-e", asked, "--type", "grant:boolean", "bits.csv"], b"");
    assert_eq!((declared.status, declared.stderr.as_str()), (1, ""));
    assert_eq!(folder.run(&["check", "-e", asked, "numbers.csv"], b"").stderr, "");
    assert_eq!(folder.run(&["query", "-e", "count(F request > 0)", "bits.csv"], b"").stderr, "");
}

/// A verdict on an assert is final in a prefix where it is for whoever follows the trace.
#[test]
fn asserts_are_as_final_in_a_prefix_as_online() {
    let folder = Folder::new("alike-prefix");
    let trace = "t,p,q,x\n0,1,0,5\n1000,0,1,1\n2000,0,0,2\n";
    folder.write("trace.csv", trace);
    let asked = [
        "max(latency(p -> q)) <= 2",
        "max(latency(p -> q)) >= 1",
        "min(latency(p -> q)) >= 2",
        "count(latency(p -> q)) == 0",
        "first(latency(p -> q)) == 0",
        "max(x) <= 4",
        "max(x) <= 7",
        "max(F (q : x)) <= 0",
        "max(count(p) while p) <= 0",
        "last(x) == 2",
    ];
    for formula in asked {
        let told = folder.run(&["monitor", "--every-step", "-e", formula, "--time", "t:ms"], trace.as_bytes());
        let last = told.stdout.lines().rfind(|line| line.contains("\"final\"")).expect("a verdict");
        let last: Value = serde_json::from_str(last).unwrap();
        let asked = ["check", "--prefix", "--format", "json", "-e", formula, "--time", "t:ms", "trace.csv"];
        assert_eq!(folder.run(&asked, b"").json()["properties"][0]["verdict"], last["verdict"], "{formula}");
    }
}

#[test]
fn queries_of_a_trace_without_a_state() {
    let folder = Folder::new("alike-nothing");
    folder.write("empty.jsonl", "");
    for query in ["x ?? 8", "![5] p", "max(x) ?? 8", "count(p) while p", "count(p)", "max(x)"] {
        let asked = ["--allow-empty", "--type", "x:number", "--type", "p:boolean", "--format", "json", "-e", query];
        let value = folder.run(&[&["query", "empty.jsonl"], &asked[..]].concat(), b"").json();
        let told = folder.run(&[&["monitor"], &asked[..]].concat(), b"");
        let end: Value = serde_json::from_str(told.stdout.lines().last().unwrap()).unwrap();
        assert_eq!(end["queries"][0]["value"], value["queries"][0]["value"], "{query}");
    }
    // A picture of nothing.
    let drawn = folder.run(&["query", "-e", "x", "--time", "t:ns", "--svg", "o.svg", "empty.jsonl"], b"");
    assert_eq!(drawn.status, 2);
    assert!(drawn.stderr.contains("the trace is empty"), "{}", drawn.stderr);
}
