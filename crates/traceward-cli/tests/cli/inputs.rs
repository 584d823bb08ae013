//! Inputs as people have them: what is not read, and timestamps as logs write them.

use crate::common::{Folder, Output};
use crate::monitor::session;
use serde_json::Value;
use std::fmt::Write;
use std::process::Command;

#[test]
fn inputs_that_are_not_read_are_named() {
    let syslog = b"Nov 16 18:38:26 host sshd[12]: hello\n";
    insta::assert_snapshot!(session(
        "inputs-unread",
        &[
            ("wave.csv", b"$date today $end\n$timescale 1ns $end\n"),
            ("table.feather", b"FEA1\0\0\0\0"),
            ("doc.jsonl", b"{\n  \"a\": 1\n}\n"),
            ("all.json", b"[{\"a\": 1}, {\"a\": 0}]\n"),
            ("messages", syslog),
            ("program", b"\x7fELF\x02\x01\x01\0"),
            ("one.csv", b"temperature\n1\n2\n"),
        ],
        &[
            (&["check", "-e", "G a", "wave.csv"], b""),
            (&["inspect", "table.feather"], b""),
            (&["query", "-e", "count(a)", "doc.jsonl"], b""),
            (&["check", "-e", "G a", "all.json", "--format", "json"], b""),
            (&["inspect", "messages"], b""),
            (&["inspect", "messages", "--input", "csv"], b""),
            (&["inspect", "program"], b""),
            (&["check", "-e", "G a", "-"], syslog),
            (&["monitor", "-e", "G a"], syslog),
            (&["monitor", "-e", "G a"], b"\x1f\x8b\x08\0"),
            (&["check", "-e", "G temperature > 0", "one.csv"], b""),
        ]
    ));
}

#[test]
fn time_as_logs_have_it() {
    let two = b"Date,Time of day,x\n2026-11-16,18:38:26,1\n2026-11-16,18:38:28.5,0\n";
    let clock = b"t,x\n23:59:59,1\n00:00:01,0\n";
    let syslog = b"t,x\nDec 31 23:59:59,1\nJan  1 00:00:04,0\n";
    let mixed = b"t,x\n3,1\n1,1\n2,0\n";
    let bare = b"2026-11-16 18:38:26,up\n2026-11-16 18:38:27,down\n";
    let spec = b"trace { time Date + \"Time of day\" }\nproperty soon = F[0,2s] x == 0\n";
    insta::assert_snapshot!(session(
        "inputs-time",
        &[
            ("two.csv", two),
            ("two.tw", spec),
            ("unit.tw", b"trace { time Date + Time:ms }\nproperty soon = F[0,2s] x == 0\n"),
            ("step.tw", b"trace { time Date + \"Time of day\" }\nproperty step = F time - past(time) == 2500000000\n"),
            ("clock.csv", clock),
            ("syslog.csv", syslog),
            ("mixed.csv", mixed),
            ("bare.csv", bare),
        ],
        &[
            (&["check", "-e", "F[0,2s] x == 0", "--time", "Date+Time of day", "two.csv"], b""),
            (&["check", "two.tw", "two.csv"], b""),
            (&["monitor", "step.tw", "--format", "text"], two),
            (&["check", "unit.tw", "two.csv"], b""),
            (&["check", "-e", "F x == 0", "--time", "Date+Time:ms", "two.csv"], b""),
            (&["check", "-e", "F x == 0", "--time", "Date+Hour", "two.csv"], b""),
            (&["check", "-e", "F[0,2s] x == 0", "--time", "t", "clock.csv"], b""),
            (&["monitor", "-e", "F time - past(time) == 2000000000", "--time", "t", "--format", "text"], clock),
            (&["check", "-e", "F[0,5s] x == 0", "--time", "t", "syslog.csv"], b""),
            (&["check", "-e", "F[0,5s] x == 0", "--time", "t", "--year", "2026", "syslog.csv"], b""),
            (
                &[
                    "monitor",
                    "-e",
                    "F time - past(time) == 5000000000",
                    "--time",
                    "t",
                    "--year",
                    "2026",
                    "--format",
                    "text"
                ],
                syslog
            ),
            (&["check", "-e", "x U[0,1s] x == 0", "--time", "t:s", "mixed.csv"], b""),
            (&["check", "-e", "x == 1 U[0,1s] x == 0", "-e", "G x == 1", "--time", "t:s", "--sort", "mixed.csv"], b""),
            (&["check", "-e", "F x == 0", "--sort", "mixed.csv"], b""),
            (&["monitor", "-e", "F x == 0", "--time", "t:s", "--sort"], mixed),
            (&["monitor", "-e", "F x == 0", "--time", "t:s", "--format", "text"], mixed),
            (&["inspect", "bare.csv"], b""),
            (&["check", "-e", "F column2 == \"down\"", "--no-header", "--time", "column1", "bare.csv"], b""),
            (&["check", "-e", "F `up` == \"down\"", "bare.csv"], b""),
            (&["monitor", "-e", "F `up` == \"down\"", "--format", "text"], bare),
            (&["monitor", "-e", "F column2 == \"down\"", "--no-header", "--format", "text"], bare),
        ]
    ));
}

#[test]
fn a_zone_that_is_only_named_is_no_offset() {
    let named = b"t,x\n2024-03-31T01:59:59[Europe/Berlin],1\n2024-03-31T03:00:00[Europe/Berlin],0\n";
    let lines = b"{\"t\":\"2024-03-31T01:59:59[Europe/Berlin]\",\"x\":1}\n";
    let offsets = b"t,x\n2024-03-31T01:59:59+01:00[Europe/Berlin],1\n2024-03-31T03:00:00+02:00[Europe/Berlin],0\n";
    let soon = "G(x -> F[0,5s] !x)";
    insta::assert_snapshot!(session(
        "inputs-zones",
        &[("named.csv", named), ("lines.jsonl", lines), ("offsets.csv", offsets)],
        &[
            (&["check", "-e", soon, "--time", "t", "named.csv"], b""),
            (&["check", "-e", soon, "--time", "t", "lines.jsonl"], b""),
            (&["monitor", "-e", soon, "--time", "t"], named),
            (&["check", "-e", soon, "--time", "t", "offsets.csv"], b""),
        ]
    ));
}

#[test]
fn json_that_nobody_asks_for_is_not_looked_at() {
    let line = |value: &str| format!("{{\"x\":1,\"d\":{value}}}\n").into_bytes();
    let nested = |depth: usize| line(&format!("{}{}", "[".repeat(depth), "]".repeat(depth)));
    let (deep, deeper, large) = (nested(127), nested(70_000), line("1e400"));
    insta::assert_snapshot!(session(
        "inputs-unheld",
        &[("deep.jsonl", &deep), ("deeper.jsonl", &deeper), ("large.jsonl", &large)],
        &[
            (&["check", "-e", "x", "deep.jsonl"], b""),
            (&["check", "-e", "x", "-"], &deeper),
            (&["monitor", "-e", "x", "--format", "text"], &deeper),
            (&["check", "-e", "x", "large.jsonl"], b""),
            (&["check", "-e", "d > 5", "large.jsonl"], b""),
            (&["check", "-e", "d", "deeper.jsonl"], b""),
            (&["inspect", "deep.jsonl"], b""),
            (&["inspect", "large.jsonl"], b""),
        ]
    ));
}

#[test]
fn members_that_are_gone_and_members_told_twice() {
    let gone = b"{\"x\":{\"y\":true}}\n{\"x\":null}\n";
    let twice = b"{\"a\":{\"x\":0},\"a.x\":1,\"b\":1}\n{\"a.x\":1,\"a\":{\"x\":0},\"b\":1}\n";
    let events = b"traceward 1\ninit {\"x\":{\"y\":true}}\nnext {\"x\":5}\nend\n";
    let told_twice = b"traceward 1\ninit {\"a\":{\"x\":0},\"a.x\":1}\nend\n";
    insta::assert_snapshot!(session(
        "inputs-members",
        &[("gone.jsonl", gone), ("twice.jsonl", twice), ("gone.events", events), ("twice.events", told_twice)],
        &[
            (&["check", "--changes", "-e", "G x.y", "gone.jsonl"], b""),
            (&["monitor", "--changes", "-e", "G x.y", "--format", "text"], gone),
            (&["check", "-e", "G x.y", "gone.events"], b""),
            (&["check", "-e", "a.x", "twice.jsonl"], b""),
            (&["monitor", "-e", "a.x", "--format", "text"], twice),
            (&["check", "-e", "a.x", "twice.events"], b""),
            (&["check", "-e", "b", "twice.jsonl"], b""),
        ]
    ));
}

/// Runs a line as a shell does, in a folder where `traceward` is the program.
fn run_in_shell(folder: &Folder, line: &str) -> Output {
    let script = format!("traceward() {{ \"$PROGRAM\" \"$@\"; }}\n{line}");
    let mut command = Command::new("sh");
    command.args(["-c", &script]).current_dir(folder.path("")).env("PROGRAM", env!("CARGO_BIN_EXE_traceward"));
    let output = command.env("NO_COLOR", "1").output().expect("a shell");
    Output {
        status: output.status.code().expect("no signal"),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// What `inspect` suggests for a file: each suggestion runs, as a list of arguments and as it is
/// printed, and says what its share says. Returns how many there are.
fn suggestions_hold(file: &str, bytes: &[u8], options: &[&str]) -> usize {
    let folder = Folder::new(&format!("suggestions-{}", bytes.len()));
    folder.write(file, bytes);
    let path = if file.starts_with('-') { format!("./{file}") } else { file.to_owned() };
    let inspect = |format: &str| {
        let output = folder.run(&[&["inspect", &path, "--format", format], options].concat(), b"");
        assert_eq!(output.status, 0, "{file}: {}", output.stderr);
        output
    };
    let document = inspect("json").json();
    let suggestions = document["suggestions"].as_array().expect("a list").clone();
    for one in &suggestions {
        let words: Vec<&str> = one["command"].as_array().expect("words").iter().filter_map(Value::as_str).collect();
        let expected = i32::from(one["holds"] != one["asked"]);
        let output = folder.run(&words[1..], b"");
        assert_eq!(output.status, expected, "{words:?}: {}{}", output.stdout, output.stderr);
        assert_eq!(output.stderr, "", "{words:?}");
        if one["counted"] == "keys" {
            let checked = folder.run(&[&words[1..], &["--format", "json"]].concat(), b"").json();
            let keys = &checked["properties"][0]["keys"];
            let violated = one["asked"].as_u64().zip(one["holds"].as_u64()).map(|(asked, holds)| asked - holds);
            assert_eq!(keys["violated"].as_u64(), violated, "{words:?}");
        }
    }
    let text = inspect("text").stdout;
    let printed: Vec<&str> = text.lines().filter(|line| line.starts_with("  traceward ")).collect();
    assert_eq!(printed.len(), suggestions.len(), "{text}");
    for (line, one) in printed.iter().zip(&suggestions) {
        let output = run_in_shell(&folder, line);
        assert_eq!(output.status, i32::from(one["holds"] != one["asked"]), "{line}: {}", output.stderr);
    }
    suggestions.len()
}

/// A log of cases in which one event is mostly followed by another.
fn cases(separator: char, columns: [&str; 3], events: [&str; 3]) -> String {
    let mut log = columns.join(&separator.to_string()) + "\n";
    let field = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    for case in 0..25 {
        let then = if case % 10 == 3 { events[2] } else { events[1] };
        for (step, event) in [events[0], then].into_iter().enumerate() {
            let minute = 58 - 2 * case + step;
            let _ = writeln!(log, "c{case}{separator}2026-11-16 18:{minute:02}:00{separator}{}", field(event));
        }
    }
    log
}

#[test]
fn suggestions_run_as_printed() {
    let names = ["Case ID", "time:timestamp", "concept:name"];
    let odd = ["the case's \"id\"", "--when $HOME `ls` + é", "-activity 'x' \\+ $(ls)"];
    let events = ["ER Triage", "it's \"done\" \\n $x `y`", "-é\u{1F600}"];
    assert_eq!(suggestions_hold("sepsis.csv", cases(';', names, events).as_bytes(), &[]), 1);
    assert_eq!(
        suggestions_hold("-it's $HOME `ls` é.csv", cases('\t', odd.map(|name| name), events).as_bytes(), &[]),
        1
    );
    let bare = cases(',', names, events);
    let bare = bare.split_once('\n').expect("a header").1;
    assert_eq!(suggestions_hold("bare", bare.as_bytes(), &["--no-header", "--by", "column1", "--null=-x"]), 1);
    let json: String = (0..40).map(|at| format!("{{\"ev\": {{\"op\": \"{}\"}}, \"n\": 1}}\n", at % 2)).collect();
    assert_eq!(suggestions_hold("steps.jsonl", json.as_bytes(), &[]), 2);
    // Numbers among texts are no events.
    let mixed = "{\"op\": \"a\", \"n\": 2}\n{\"op\": \"b\", \"n\": 1}\n{\"op\": 1, \"n\": 3}\n".repeat(9);
    assert_eq!(suggestions_hold("mixed.jsonl", mixed.as_bytes(), &[]), 1);
    // Two of three requests are granted and each grant is followed by a request; then the reverse.
    assert_eq!(suggestions_hold("bits.csv", b"request now,grant\n1,0\n0,1\n1,0\n0,1\n1,0\n0,0\n", &[]), 2);
    assert_eq!(suggestions_hold("answered.csv", b"request now,grant\n1,0\n0,1\n1,0\n0,1\n1,0\n0,1\n", &[]), 2);
    assert_eq!(suggestions_hold("one.csv", b"up\ntrue\nfalse\ntrue\ntrue\ntrue\nfalse\nfalse\n", &[]), 1);
    assert_eq!(suggestions_hold("up.csv", b"a b,c\n1,x\n2,x\n2,x\n", &[]), 1);
    assert_eq!(suggestions_hold("down.csv", b"a`b,c\n3,-1.5\n2,-2e-3\n2,-7\n", &[]), 1);
    assert_eq!(suggestions_hold("twice.csv", b"a,a\nx,y\nz,y\nx,y\nz,y\n", &[]), 0);
}

#[test]
fn what_inspect_suggests() {
    let events = ["ER Triage", "ER Sepsis Triage", "Release"];
    let log = cases(',', ["Case ID", "time:timestamp", "concept:name"], events);
    insta::assert_snapshot!(session(
        "inputs-suggestions",
        &[
            ("sepsis.csv", log.as_bytes()),
            ("bits.csv", b"request,grant\n1,0\n0,1\n1,0\n0,1\n"),
            ("one.csv", b"up\ntrue\nfalse\ntrue\nfalse\n"),
            ("exported.csv", b"exported on,x\n2026-11-16,3\n2026-11-16,1\n"),
        ],
        &[
            (&["inspect", "sepsis.csv"], b""),
            (&["inspect", "sepsis.csv", "--format", "json"], b""),
            (&["inspect", "bits.csv"], b""),
            (&["inspect", "one.csv"], b""),
            (&["inspect", "exported.csv"], b""),
        ]
    ));
}

#[test]
fn nanoseconds_are_also_told_in_other_units() {
    let log = b"t,a,b,k\n0,1,0,x\n1.5,0,1,x\n2,1,0,y\n11,0,1,y\n";
    let latency = "latency(a -> b)";
    let query = |form: &str| form.replace("latency", latency);
    let queries = [
        "max(latency)",
        "avg(latency)",
        "quantile(0.5, latency)",
        "stddev(latency)",
        "histogram(2, latency)",
        "count(latency)",
        "first(latency) &[pair] count(a)",
        "max(time) - min(time)",
        "min(past(time) - time)",
        "max(latency) / min(latency)",
        "first(time)",
    ]
    .map(query);
    let mut all = vec!["query"];
    queries.iter().for_each(|query| all.extend(["-e", query.as_str()]));
    all.extend(["--time", "t:s", "log.csv"]);
    let longest = queries[0].as_str();
    insta::assert_snapshot!(session(
        "inputs-units",
        &[("log.csv", log)],
        &[
            (&all, b""),
            (&["query", "-e", longest, "--time", "t:s", "--by", "k", "log.csv"], b""),
            (&["query", "-e", longest, "log.csv"], b""),
            (&["query", "-e", longest, "--time", "t:s", "log.csv", "--format", "json"], b""),
            (&["check", "-e", "assert short = max(latency(a -> b)) <= 5000000000", "--time", "t:s", "log.csv"], b""),
        ]
    ));
}
