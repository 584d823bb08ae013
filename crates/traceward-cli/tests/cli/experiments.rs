//! Queries that nobody summarised: latencies and expressions, in words, as documents and drawn.

use crate::common::Folder;
use crate::transcripts::session;

const REQUESTS: &[u8] = b"t,request,grant,x,s,k\n0,1,0,3,a,u\n10,0,0,1,b,u\n30,0,1,7,a,v\n40,1,0,2,a,u\n\
    50,1,0,9,c,v\n95,0,1,4,b,v\n100,1,0,4,b,u\n";

const LATENCY: &str = "latency(request -> grant)";

#[test]
fn latencies_and_expressions_everywhere() {
    insta::assert_snapshot!(session(
        "experiments",
        &[("t.csv", REQUESTS)],
        &[
            &["query", "-e", LATENCY, "--time", "t:ms", "t.csv"],
            &["query", "-e", LATENCY, "-e", "latency(x > 9 -> grant)", "-e", "latency(x == 4 -> x == 2)", "t.csv"],
            &["query", "-e", "x", "-e", "s", "-e", "grant : x", "-e", "F (x > 5 : x)", "-e", "10 / (x - 1)", "t.csv"],
            &["query", "-e", LATENCY, "-e", "x", "-e", "s", "--time", "t:ms", "--by", "k", "t.csv"],
            &["query", "-e", LATENCY, "--time", "t:ms", "t.csv", "--format", "json"],
            &["query", "-e", "s", "-e", "10 / (x - 1)", "t.csv", "--format", "json"],
            &["query", "-e", LATENCY, "--by", "k", "t.csv", "--format", "json"],
        ]
    ));
}

#[test]
fn histograms_are_bars() {
    insta::assert_snapshot!(session(
        "histograms",
        &[("t.csv", REQUESTS), ("odd.csv", "s\na\u{1b}[31m\nb\nb\n".as_bytes())],
        &[
            &["query", "-e", "histogram(4, x)", "-e", "histogram(s)", "t.csv"],
            &["query", "-e", "histogram(3, latency(request -> grant))", "--time", "t:ms", "t.csv"],
            &["query", "-e", "histogram(s)", "odd.csv"],
        ]
    ));
}

#[test]
fn plans_of_queries() {
    let spec = b"query waits = quantile(0.9, latency(request -> grant))\nassert few = count(request) / 2 <= 3\n";
    insta::assert_snapshot!(session(
        "plans-of-queries",
        &[("q.tw", spec)],
        &[
            &["explain-plan", "q.tw"],
            &["explain-plan", "-e", "(grant : x) &[+] X x"],
            &["explain-plan", "-e", "max(sum(x) while request)", "--engine", "naive"],
            &["explain-plan", "-e", "quantile(0.5, x) while request", "--format", "json"],
        ]
    ));
}

/// The same numbers by the definition, which knows nothing of blocks.
#[test]
fn the_definition_has_the_same_summary() {
    let folder = Folder::new("experiments-naive");
    folder.write("t.csv", REQUESTS);
    let asked = |engine: &str| {
        let asked = ["query", "-e", LATENCY, "-e", "x", "-e", "s", "-e", "grant : x", "--by", "k", "--time", "t:ms"];
        folder.run(&[&asked[..], &["t.csv", "--engine", engine]].concat(), b"").stdout
    };
    assert_eq!(asked("auto"), asked("naive"));
}

#[test]
fn pages_show_experiments_and_counted_values() {
    let folder = Folder::new("experiments-page");
    folder.write("t.csv", REQUESTS);
    let asked =
        ["query", "-e", LATENCY, "-e", "histogram(s)", "-e", "s", "--time", "t:ms", "t.csv", "--html", "p.html"];
    assert_eq!(folder.run(&asked, b"").status, 0);
    let page = std::fs::read_to_string(folder.path("p.html")).expect("a page");
    assert_eq!(page.matches("How often each value occurs").count(), 2);
    assert!(page.contains("<dt>p99</dt><dd>55 ms</dd>") && page.contains("position 3 to 5, line 5 to 7"));
    assert!(page.contains("1 request never answered"));
}

/// Draws some queries and returns the picture.
fn drawn(folder: &Folder, arguments: &[&str]) -> String {
    let output = folder.run(&[&["query", "--svg", "out.svg", "--quiet"], arguments].concat(), b"");
    assert_eq!(output.status, 0, "{}", output.stderr);
    std::fs::read_to_string(folder.path("out.svg")).expect("a picture")
}

#[test]
fn values_are_drawn() {
    let folder = Folder::new("drawn");
    folder.write("t.csv", REQUESTS);
    let picture = drawn(&folder, &["-e", LATENCY, "-e", "s", "--time", "t:ms", "t.csv"]);
    assert!(picture.starts_with("<svg xmlns") && picture.ends_with("</svg>\n"));
    assert_eq!(picture.matches("<circle").count(), 3, "a dot a request that was answered");
    assert!(picture.contains("4 requests: 3 answered, 1 never answered") && picture.contains("values over time"));
    let by_position = drawn(&folder, &["-e", LATENCY, "--by", "k", "t.csv"]);
    assert!(by_position.contains("values by position") && by_position.contains("over 2 keys"));
    let running = drawn(&folder, &["-e", "count(request)", "-e", "avg(x)", "-e", "histogram(x)", "t.csv"]);
    assert_eq!(running.matches("running value by position").count(), 2);
    let nothing = drawn(&folder, &["-e", "latency(x > 9 -> grant)", "-e", "stddev(x)", "t.csv"]);
    assert_eq!(nothing.matches("not drawn").count(), 2);
}

#[test]
fn a_picture_does_not_grow_with_its_trace() {
    let folder = Folder::new("drawn-large");
    let state =
        |nth: u64| format!("{},{},{}\n", nth * 3, nth.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 45, nth.is_multiple_of(7));
    let trace: String = (0..100_000).map(state).collect();
    folder.write("t.csv", format!("t,x,p\n{trace}"));
    let picture = drawn(&folder, &["-e", "x", "-e", "sum(p : x)", "--time", "t:ms", "t.csv"]);
    assert!(picture.len() < 400_000, "{}", picture.len());
    assert!(picture.contains("class=\"heat\"") && picture.contains("line p99"));
}

#[test]
fn pictures_that_are_refused() {
    let many: Vec<&str> = ["-e", "x"].repeat(9);
    let many = [&["query"], &many[..], &["t.csv", "--svg", "out.svg"]].concat();
    insta::assert_snapshot!(session(
        "drawn-refused",
        &[("t.csv", REQUESTS), ("u.csv", REQUESTS)],
        &[
            &many,
            &["query", "-e", "x", "t.csv", "u.csv", "--svg", "out.svg"],
            &["query", "-e", "x", "t.csv", "--svg", "t.csv"],
            &["check", "-e", "G request", "t.csv", "--svg", "out.svg"],
        ]
    ));
}
