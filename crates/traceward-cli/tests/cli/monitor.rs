//! `traceward monitor`: transcripts, and pipes that stay open.

use crate::common::{Folder, Live, transcript};
use std::io::{BufRead, BufReader, Write};

/// Runs commands on an input each and returns what a user sees.
pub fn session(test: &str, files: &[(&str, &[u8])], commands: &[(&[&str], &[u8])]) -> String {
    let folder = Folder::new(test);
    for (name, bytes) in files {
        folder.write(name, bytes);
    }
    let seen = commands.iter().map(|(arguments, stdin)| transcript(arguments, &folder.run(arguments, stdin)));
    seen.collect::<Vec<_>>().join("\n")
}

const CSV: &[u8] = b"request,grant\ntrue,false\nfalse,false\nfalse,true\ntrue,false\n";
const JSON: &[u8] = b"{\"request\":true,\"grant\":false}\n{\"request\":false}\n{\"grant\":1}\n{\"request\":true}";

#[test]
fn verdicts_as_they_change() {
    let both: &[&str] = &["monitor", "-e", "G(request -> F grant)", "-e", "F grant"];
    insta::assert_snapshot!(session(
        "monitor-changes",
        &[(
            "requests.tw",
            b"property answered \"no request is forgotten\" = G(request -> F grant)\nproperty granted = F grant\n"
        )],
        &[
            (both, CSV),
            (both, JSON),
            (&["monitor", "-e", "G(request -> F grant)", "--every-step", "-"], CSV),
            (&["monitor", "requests.tw", "--format", "text"], CSV),
            (&["monitor", "requests.tw", "--format", "text", "--changes"], b"{\"request\":true,\"grant\":true}\n{}\n"),
            (&["monitor", "-e", "G(\"go\" -> F \"stop\")", "--event", "what"], b"what\ngo\nstop\n"),
            (&["monitor", "-e", "G(time < 2000000000)", "--time", "t:s"], b"t,x\n1,\n3,\n2,\n4,\n"),
            (&["monitor", "-e", "G a", "-e", "F a", "--allow-empty"], b""),
        ]
    ));
}

#[test]
fn values_of_earlier_states() {
    let terms: &[u8] = b"{\"term\":1}\n{\"term\":3}\nno state\n{\"term\":3}\n{\"term\":2}\n";
    insta::assert_snapshot!(session(
        "monitor-earlier",
        &[],
        &[
            (&["monitor", "-e", "G !(past(term) > term)", "--format", "text"], terms),
            (&["monitor", "-e", "F(past(term, 2) == 1 & stable(term))", "--on-bad-input", "skip"], terms),
            (&["monitor", "-e", "G(1 / delta(term) < 5)", "--on-bad-input", "skip"], terms),
            (&["monitor", "-e", "F past(term) == 3", "--changes", "--format", "text"], b"{\"term\":3}\n{}\n"),
            (&["monitor", "-e", "G(X term >= term)", "--format", "text"], b"{\"term\":3}\n{\"term\":2}\n"),
        ]
    ));
}

#[test]
fn bad_lines() {
    let input: &[u8] = b"{\"a\": true}\n{\"a\": maybe}\n{\"a\": \"perhaps\"}\n[1]\n\n{\"a\": true}\n";
    insta::assert_snapshot!(session(
        "monitor-bad-lines",
        &[],
        &[
            (&["monitor", "-e", "G a"], input),
            (&["monitor", "-e", "G a", "--quiet"], input),
            (&["monitor", "-e", "G a", "--on-bad-input", "stop"], input),
            (&["monitor", "-e", "G a", "--on-bad-input", "stop", "--format", "text"], b"a,b\n1,2\n0\n"),
            (&["monitor", "-e", "G a", "--format", "text"], b"a,b\n1,2\n0\n1,3\n"),
            (&["monitor", "-e", "G(x == \"on\")"], b"{\"x\":\"on\"}\n{\"x\":1}\n"),
            (&["monitor", "-e", "G(x == y)"], b"{\"x\":1,\"y\":1.0}\n{\"x\":1,\"y\":\"1\"}\n"),
            (&["monitor", "-e", "G a", "--missing", "error"], b"{\"a\":true}\n{\"b\":1}\n"),
            (&["monitor", "-e", "F(1 / x > 5)", "-e", "F(x > 3)"], b"x\n5\n0\n6\n"),
            (&["monitor", "-e", "G a"], b"a,a\n1,1\n"),
        ]
    ));
}

#[test]
fn variables_that_nobody_has_seen() {
    insta::assert_snapshot!(session(
        "monitor-unseen",
        &[],
        &[
            (&["monitor", "-e", "F(requst & grant)"], JSON),
            (&["monitor", "-e", "F late"], b"{\"x\":1}\n{\"late\":true}\n"),
            (&["monitor", "-e", "G !(x > 3)", "--quiet"], b"y\n1\n"),
            (&["monitor", "-e", "G !(x > 3)"], b"x,y\n,1\n"),
            (&["monitor", "-e", "G !defined(x)"], b"y\n1\n"),
        ]
    ));
}

#[test]
fn what_is_refused() {
    insta::assert_snapshot!(session(
        "monitor-refused",
        &[
            ("asserted.tw", b"property p = G a\nassert small = max(sum(x)) < 3\n"),
            ("keyed.tw", b"trace { by k }\nG a\n")
        ],
        &[
            (&["monitor"], b""),
            (&["monitor", "-e", "max(count(p))"], b""),
            (&["monitor", "-e", "fold(0, (a, v) => a + v, x)"], b""),
            (&["monitor", "-e", "count(p U[0,3] q)"], b""),
            (&["monitor", "-e", "count(O[0,3s] q)", "--time", "t:s"], b""),
            (&["monitor", "-e", "count(p)", "--every", "often"], b""),
            (&["monitor", "asserted.tw"], b""),
            (&["monitor", "keyed.tw"], b""),
            (&["monitor", "-e", "G a", "--by", "k"], b""),
            (&["monitor", "-e", "G a", "trace.csv"], b""),
            (&["monitor", "-e", "G a", "--engine", "reverse"], b""),
            (&["monitor", "-e", "G(a"], b""),
            (&["monitor", "-e", "G a", "--time", "t"], b"a\n1\n"),
        ]
    ));
}

#[test]
fn values_of_queries_as_they_become_known() {
    let trace: &[u8] = b"t,request,grant,x\n1,1,0,4\n2,0,0,7\n4,0,1,2\n5,1,0,9\n9,0,0,1\n";
    let spec = b"trace { time t:s }\nquery longest \"from a request to its grant\" = max(latency(request -> grant))\n\
                 query late = count(request & !F[0,1s] grant)\nquery load = avg(x)\nassert few = count(request) <= 1\n";
    let many = [b"request,x\n".as_slice(), &b"1,1\n0,1\n".repeat(100)].concat();
    insta::assert_snapshot!(session(
        "monitor-values",
        &[("measured.tw", spec)],
        &[
            (&["monitor", "measured.tw", "--every", "2"], trace),
            (&["monitor", "measured.tw", "--every", "2", "--format", "text"], trace),
            (&["monitor", "measured.tw", "--only-final"], trace),
            (&["monitor", "-e", "sum(10 / (x - 7))", "-e", "count(x > 1)", "--format", "text"], trace),
            (&["monitor", "-e", "sum(10 / (x - 7)) > 3"], trace),
            (&["monitor", "-e", "max(count(request) while x > 0)", "--memory-limit", "0"], &many),
            (&["monitor", "-e", "histogram(3, x)", "-e", "first(grant : x)", "--stop-when-decided"], trace),
            (&["monitor", "-e", "count(y > 1)"], trace),
        ]
    ));
}

#[test]
fn what_is_told_and_when_it_stops() {
    let both: &[&str] = &["monitor", "-e", "G(request -> F grant)", "-e", "F grant"];
    let with = |more: &[&'static str]| [both, more].concat();
    let violated: &[u8] = b"a,b\n1,0\n0,0\n1,1\n";
    insta::assert_snapshot!(session(
        "monitor-told",
        &[],
        &[
            (&with(&["--only-final"]), CSV),
            (&with(&["--format", "text"]), CSV),
            (&with(&["--format", "text", "--every-change"]), CSV),
            (&with(&["--format", "text", "--every-step"]), CSV),
            (&with(&["--only-final", "--every-step"]), CSV),
            (&["monitor", "-e", "F grant", "--stop-when-decided"], CSV),
            (&["monitor", "-e", "G a", "-e", "F b", "--stop-when-decided"], violated),
            (
                &["monitor", "-e", "G a", "-e", "F b", "-e", "G !c", "--stop-on-violation"],
                b"a,b,c\n1,0,0\n0,0,0\n1,1,1\n"
            ),
            (&["monitor", "-e", "G a", "-e", "F b", "--stop-on-violation", "--format", "text"], violated),
            (&["monitor", "-e", "F b", "--stop-when-decided", "--format", "text"], b"{\"b\": 1}\nno state\n"),
            // Before the end of the input comes the line that it ends with.
            (&["monitor", "-e", "F b", "--stop-when-decided"], b"{\"b\": 0}\n{\"b\": 1}"),
            (&["monitor", "-e", "F b", "--stop-when-decided"], b"{\"b\": 0}\n"),
            // What was never seen decides nothing in silence.
            (&["monitor", "-e", "F !(reqests > 3)", "--stop-when-decided"], b"{\"requests\": 9}\n{\"requests\": 9}\n"),
            (&["monitor", "-e", "true", "--stop-when-decided"], b"a\n"),
            (&["monitor", "-e", "true", "-e", "F a", "--stop-on-violation"], b"a\n0\n"),
        ]
    ));
}

#[test]
fn it_stops_by_itself_the_moment_it_is_decided() {
    let mut live = Live::start(&["-e", "F done", "--stop-when-decided"]);
    live.write("{\"done\": false}\n{\"done\": true}\n");
    // The input stays open, and nobody writes any more.
    let (told, status) = live.rest();
    assert!(told.contains("\"stopped\": \"decided\", \"states\": 2"), "{told}");
    assert_eq!(status, Some(0));
    for (formula, option, expected) in
        [("F(pos == 5)", "--stop-when-decided", 0), ("G(pos < 7)", "--stop-on-violation", 1)]
    {
        let endless = Live::start_by("yes '{\"a\": 1}' | \"$0\" \"$@\"", &["-e", formula, option]);
        let (told, status) = endless.rest();
        assert!(told.contains("\"complete\": false"), "{told}");
        assert_eq!(status, Some(expected), "{told}");
    }
}

#[test]
fn a_verdict_does_not_wait_for_the_next_line() {
    let mut live = Live::start(&["-e", "G(a -> F b)", "-e", "G !c"]);
    live.write("{\"a\": true, \"b\": false, \"c\": false}\n");
    assert_eq!(live.line(), "{\"position\": 0, \"property\": \"p1\", \"verdict\": \"pending\", \"final\": false}\n");
    assert_eq!(live.line(), "{\"position\": 0, \"property\": \"p2\", \"verdict\": \"holding\", \"final\": false}\n");
    // Nor for the rest of it.
    live.write("{\"b\": true}\n{\"b\": true, ");
    assert_eq!(live.line(), "{\"position\": 1, \"property\": \"p1\", \"verdict\": \"holding\", \"final\": false}\n");
    live.write("\"c\": true}\n");
    let last =
        r#"{"position": 2, "property": "p2", "verdict": "violated", "final": true, "line": 3, "values": {"c": true}}"#;
    assert_eq!(live.line(), format!("{last}\n"));
    live.input = None;
    assert_eq!(live.rest().1, Some(1));
}

#[test]
fn a_csv_header_may_take_its_time() {
    let mut live = Live::start(&["-e", "G a"]);
    live.write("a,");
    live.write("b\n1");
    live.write(",2\r\n");
    assert_eq!(live.line(), "{\"position\": 0, \"property\": \"p1\", \"verdict\": \"holding\", \"final\": false}\n");
    live.write("0,2");
    live.input = None;
    let (rest, status) = live.rest();
    let last =
        r#"{"position": 1, "property": "p1", "verdict": "violated", "final": true, "line": 3, "values": {"a": false}}"#;
    assert_eq!(rest.lines().next(), Some(last));
    assert_eq!(status, Some(1));
}

#[test]
fn a_signal_ends_the_input() {
    for signal in ["INT", "TERM", "HUP"] {
        for (last, verdict, status) in [("true", "satisfied", 0), ("false", "violated", 1)] {
            let mut live = Live::start(&["-e", "G(a -> F b)", "--quiet"]);
            live.write(&format!("{{\"a\": true, \"b\": {last}}}\n"));
            assert!(live.line().contains("\"position\": 0"));
            // A line that has only half arrived does not count.
            live.write("{\"a\": tr");
            live.signal(signal);
            let end = format!(
                "{{\"end\": true, \"states\": 1, \"skipped\": 0, \"properties\": [{{\"name\": \"p1\", \"verdict\": \"{verdict}\"}}], \"version\": 1}}\n"
            );
            assert_eq!(live.rest(), (end, Some(status)), "{signal}");
        }
    }
}

#[test]
fn a_signal_before_any_state() {
    let mut live = Live::start(&["-e", "G a", "--format", "text"]);
    live.write("{bad\n");
    let mut warning = String::new();
    let mut errors = BufReader::new(live.child.stderr.take().expect("a pipe"));
    errors.read_line(&mut warning).expect("a line");
    assert!(warning.starts_with("warning: -:1: no valid JSON"), "{warning}");
    live.signal("INT");
    let end = "stopped: 0 states, 1 bad line skipped\n✓ holding  p1  G a\n";
    assert_eq!(live.rest(), (end.to_owned(), Some(2)));
}

#[test]
fn nobody_need_read_what_it_prints() {
    let mut live = Live::start(&["-e", "G(a -> F b)", "--every-step", "--quiet"]);
    live.write("{\"a\": true, \"b\": false}\n");
    live.line();
    let Live { mut child, input, output } = live;
    drop(output);
    let mut input = input.expect("an open pipe");
    for _ in 0..10_000 {
        input.write_all(b"{\"a\": true, \"b\": false}\n").expect("it goes on reading");
    }
    drop(input);
    assert_eq!(child.wait().expect("an end").code(), Some(1));
}

/// Each kind of error in each report, and asserts that are too close to an approximate value.
#[test]
fn approximate_values_say_how_good_they_are() {
    let row = |index: u32| format!("{},{}\n", if index.is_multiple_of(3) { 7 } else { index }, index % 900);
    let csv = "x,y\n".to_owned() + &(0..6000).map(row).collect::<String>();
    let queries = ["-e", "distinct(x)", "-e", "mode(x)", "-e", "mode(y)", "-e", "histogram(2, x)", "-e", "median(x)"];
    let ask = |command: &[&'static str], more: &[&'static str]| [command, &queries, more].concat();
    let approximate = ["--approximate", "--accuracy", "0.05"];
    let of_file = ask(&["query", "t.csv"], &approximate);
    let as_json = [&of_file[..], &["--format", "json"]].concat();
    let of_stream = ask(&["monitor"], &approximate);
    let as_text = [&of_stream[..], &["--format", "text"]].concat();
    let asserts = ["-e", "distinct(x) <= 4001", "-e", "mode(y) == 0", "-e", "distinct(x) <= 3000"];
    let checked = [&["check", "t.csv"], &asserts[..2], &approximate].concat();
    let followed = [&["monitor", "--format", "text"], &asserts[..], &approximate].concat();
    insta::assert_snapshot!(session(
        "monitor-approximate",
        &[("t.csv", csv.as_bytes())],
        &[
            (&of_file, b""),
            (&as_json, b""),
            (&of_stream, csv.as_bytes()),
            (&as_text, csv.as_bytes()),
            (&checked, b""),
            (&followed, csv.as_bytes()),
        ],
    ));
}
