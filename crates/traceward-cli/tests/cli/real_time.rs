//! Bounds as MTL reads them, bounds that would have held, and records that are late.

use crate::common::{Folder, Live, transcript};
use crate::transcripts::session;

#[test]
fn bounds_as_mtl_reads_them() {
    let trace = b"a,b\n1,0\n0,0\n1,0\n1,1\n";
    let spec = b"dialect mtl\nproperty kept = G(a -> (a U[2,3] b))\n";
    insta::assert_snapshot!(session(
        "dialect-mtl",
        &[("t.csv", trace), ("s.tw", spec)],
        &[
            &["check", "-e", "a U[2,3] b", "t.csv"],
            &["check", "-e", "a U[2,3] b", "t.csv", "--dialect", "traceward"],
            &["check", "-e", "a U[2,3] b", "t.csv", "--dialect", "mtl"],
            &["check", "-e", "F[2,3] b", "-e", "true U[2,3] b", "t.csv"],
            &["check", "s.tw", "t.csv"],
            &["check", "s.tw", "t.csv", "--dialect", "opra"],
            &["check", "-e", "a", "t.csv", "--dialect", "ltl"],
            &["compare", "-e", "a U[2,3] b", "-e", "a & X a & (a U[2,3] b)", "--dialect", "mtl"],
            &["lint", "-e", "(a U[1,3] b) & !a", "--dialect", "mtl"],
            &["explain-plan", "-e", "a S[1s,inf] b", "--dialect", "mtl"],
            &["automaton", "-e", "a U[1,2] b", "--dialect", "mtl", "--kind", "deterministic"],
        ]
    ));
}

#[test]
fn bounds_that_would_have_held() {
    let trace = b"t,k,e\n1,a,ask\n2,b,ask\n5,a,tell\n9,b,tell\n9,b,ask\n11,a,ask\n12,a,tell\n12,b,tell\n13,b,ask\n";
    let by_time: [&str; 6] = ["check", "t.csv", "--event", "e", "--time", "t:s"];
    let asked = |more: &[&'static str]| by_time.iter().copied().chain(more.iter().copied()).collect::<Vec<_>>();
    let commands = [
        asked(&["-e", "G(\"ask\" -> F[0,4s] \"tell\")"]),
        asked(&["-e", "G(\"ask\" -> F[0,4s] \"tell\")", "--by", "k"]),
        asked(&["-e", "G(\"tell\" -> O \"ask\")", "-e", "G(e == \"ask\" & time < 13 * 1000000000 -> F[1,3] \"tell\")"]),
        asked(&["-e", "G((\"ask\" -> F[0,9s] \"tell\") & (\"tell\" -> F[0,2] \"ask\"))", "--max-violations", "0"]),
        asked(&["-e", "G(\"none\" -> F[0,4s] \"tell\")", "-q"]),
        asked(&["-e", "G(\"ask\" -> F[0,4s] \"tell\")", "--by", "k", "--format", "json", "--max-violations", "0"]),
    ];
    let commands: Vec<&[&str]> = commands.iter().map(Vec::as_slice).collect();
    insta::assert_snapshot!(session("responses", &[("t.csv", trace)], &commands));
}

const LATE: &[u8] = b"{\"t\":1,\"x\":1}\n{\"t\":4,\"x\":4}\n{\"t\":3,\"x\":3}\n{\"t\":9,\"x\":9}\n{\"t\":2,\"x\":2}\n\
    {\"t\":8,\"x\":8}\n{\"t\":7,\"x\":7}\n";

#[test]
fn records_that_are_late() {
    let folder = Folder::new("lateness");
    folder.write("t.jsonl", LATE);
    let formula = "G !(past(x) > x)";
    let common: [&str; 4] = ["-e", formula, "--time", "t:s"];
    let mut seen = Vec::new();
    for more in [&[][..], &["--lateness", "2s"], &["--lateness", "2s", "--late", "drop"], &["--lateness", "7s", "-q"]] {
        let check: Vec<&str> = ["check", "t.jsonl"].into_iter().chain(common).chain(more.iter().copied()).collect();
        seen.push(transcript(&check, &folder.run(&check, b"")));
        let monitor: Vec<&str> =
            ["monitor", "--every-step"].into_iter().chain(common).chain(more.iter().copied()).collect();
        seen.push(transcript(&monitor, &folder.run(&monitor, LATE)));
    }
    for refused in [
        &["check", "t.jsonl", "-e", formula, "--lateness", "2s"][..],
        &["check", "t.jsonl", "-e", formula, "--time", "t:s", "--lateness", "2 weeks"],
        &["check", "t.jsonl", "-e", formula, "--time", "t:s", "--late", "drop"],
        &["check", "t.jsonl", "-e", formula, "--time", "t:s", "--lateness", "2s", "--sort"],
    ] {
        seen.push(transcript(refused, &folder.run(refused, b"")));
    }
    insta::assert_snapshot!(seen.join("\n"));
}

/// What the clock brings is told when it brings it, be it by heartbeats or by other keys.
#[test]
fn time_that_passes_without_an_event() {
    let folder = Folder::new("clock");
    let beats: &[u8] =
        b"{\"t\":0,\"a\":true,\"b\":false}\n{\"t\":900,\"hb\":1}\n{\"hb\":1500}\n{\"t\":1600,\"a\":false,\"b\":true}\n\
        {\"t\":1550,\"hb\":true}\n{\"t\":1590,\"a\":false,\"b\":true}\n";
    let keys: &[u8] = b"k,t,a,b\nx,0,1,0\ny,0,1,0\ny,500,0,1\ny,3000,0,1\nx,2500,0,1\n";
    let formula = "G(a -> F[0,1s] b)";
    let asked = |more: &[&'static str]| {
        ["monitor", "-e", formula, "--time", "t:ms"].into_iter().chain(more.iter().copied()).collect::<Vec<_>>()
    };
    let mut seen = Vec::new();
    for (arguments, input) in [
        (asked(&["--heartbeat", "hb"]), beats),
        (asked(&["--heartbeat", "hb", "--format", "text"]), beats),
        (asked(&["--heartbeat", "hb", "--lateness", "1s"]), beats),
        (asked(&["--heartbeat", "pulse"]), beats),
        (asked(&["--by", "k", "--lateness", "1s"]), keys),
        (asked(&["--by", "k", "--lateness", "1s", "--format", "text"]), keys),
        (asked(&["--by", "k"]), keys),
        (asked(&["--by", "k", "--heartbeat", "pulse"]), keys),
    ] {
        seen.push(transcript(&arguments, &folder.run(&arguments, input)));
    }
    for arguments in [
        &["monitor", "-e", formula, "--clock", "wall", "--lateness", "1s"][..],
        &["monitor", "-e", formula, "--clock", "wall", "--heartbeat", "hb"],
        &["monitor", "-e", formula, "--clock", "moon"],
        &["monitor", "-e", formula, "--clock", "wall", "--listen", "tcp://127.0.0.1:0"],
    ] {
        seen.push(transcript(arguments, &folder.run(arguments, b"")));
    }
    insta::assert_snapshot!(seen.join("\n"));
}

/// A heartbeat may be there before the first state. It has no position, and what is settled before
/// any state is decided by the first one.
#[test]
fn the_clock_moves_before_there_is_a_state() {
    let folder = Folder::new("early-clock");
    let input = b"{\"t\":0,\"hb\":1}\n{\"t\":1,\"hb\":1}\n{\"t\":2,\"a\":true,\"b\":false}\n{\"t\":9,\"hb\":1}\n";
    let asked = ["monitor", "-e", "a | !a", "-e", "F[0,1s] b", "-e", "a", "--time", "t:s", "--heartbeat", "hb"];
    let output = folder.run(&asked, input);
    let lines = output.stdout.lines().filter(|line| line.starts_with("{\"position\""));
    let position = |line: &str| line.split(',').next().unwrap_or_default().to_owned();
    assert!(lines.clone().all(|line| position(line) == "{\"position\": 0"), "{}", output.stdout);
    let told: Vec<&str> = lines.filter_map(|line| line.split("\"property\": ").nth(1)).map(|line| &line[..4]).collect();
    assert_eq!(told, ["\"p1\"", "\"p2\"", "\"p3\"", "\"p2\""], "{}", output.stdout);
}

/// What the clock settles is told at the same heartbeat by every engine that has clocks. The first
/// one tells the time 0 by itself.
#[test]
fn every_engine_with_clocks_hears_the_clock() {
    let folder = Folder::new("clock-engines");
    let input =
        b"{\"hb\":0}\n{\"t\":0,\"a\":true,\"b\":false}\n{\"t\":3,\"a\":false,\"b\":false}\n{\"hb\":10}\n{\"hb\":11}\n\
        {\"t\":20,\"a\":true,\"b\":true}\n{\"hb\":40}\n";
    for formula in
        ["G(a -> F[0,10ns] b)", "F[0,10ns] b", "G[0,10ns] !b", "G[0,10ns] !b | F[0,30ns] (a & !a)", "!b U[0,10ns] b"]
    {
        let run = |engine: &'static str| {
            let asked = ["monitor", "-e", formula, "--time", "t:ns", "--heartbeat", "hb", "--engine", engine];
            let output = folder.run(&asked, input);
            assert_eq!((output.stderr.as_str(), output.status == 2), ("", false), "{formula} by {engine}");
            // Which obligation was missed is known to streaming alone.
            let whole =
                |line: &str| line.split(", \"missed\"").next().unwrap_or_default().trim_end_matches('}').to_owned();
            output.stdout.lines().map(whole).collect::<Vec<_>>()
        };
        let streaming = run("streaming");
        assert!(streaming.iter().any(|line| line.ends_with("\"time\": 11")), "{formula}: {streaming:?}");
        for engine in ["generic", "forward-backward-dag", "breadth-first"] {
            assert_eq!(run(engine), streaming, "{formula} by {engine}");
        }
    }
}

/// Another engine that is named in place of one must take the formula while the trace goes on.
#[test]
fn the_engine_that_is_named_instead_follows_the_trace() {
    let folder = Folder::new("instead");
    let input = b"{\"t\":0,\"a\":true,\"b\":false}\n";
    let mut refused = 0;
    for formula in ["G(a -> F[0,1s] b)", "G(a -> O(b & F a))", "G(a -> O[0,20000] b)"] {
        let run = |engine: &str| folder.run(&["monitor", "-e", formula, "--time", "t:s", "--engine", engine], input);
        for engine in ["naive", "reverse", "tableau", "observer", "generic", "breadth-first", "forward-backward"] {
            let stderr = run(engine).stderr;
            let Some((_, instead)) = stderr.split_once("--engine ") else { continue };
            let instead = instead.split_whitespace().next().unwrap_or_default();
            let output = run(instead);
            assert!(!output.stderr.contains("cannot be followed"), "{engine}: {}", output.stderr);
            refused += 1;
        }
    }
    assert_eq!(refused, 13, "those that cannot follow");
}

/// Timestamps that nobody has named are missed by the spec, and not in the header of a CSV stream.
#[test]
fn timestamps_that_are_missing_are_told_alike_in_every_format() {
    let folder = Folder::new("no-timestamps");
    for keys in [&[][..], &["--by", "k"]] {
        let arguments = [&["monitor", "-e", "G(a -> F[0,1s] b)"], keys].concat();
        let inputs: [&[u8]; 4] = [b"k,a,b\nx,1,0\n", b"k,a,b\n", b"{\"k\": \"x\", \"a\": true, \"b\": false}\n", b""];
        let told = inputs.map(|input| transcript(&arguments, &folder.run(&arguments, input)));
        assert!(told[0].contains("needs timestamps") && told[0].contains("--clock wall"), "{}", told[0]);
        assert!(told.iter().all(|one| *one == told[0]), "{told:?}");
    }
}

/// The clock on the wall passes a deadline while nothing comes: the line is there before the next
/// record.
#[test]
fn the_wall_tells_the_time() {
    let mut live = Live::start(&["-e", "G(a -> F[0,50ms] b)", "--clock", "wall", "--only-final"]);
    live.write("{\"a\": true, \"b\": false}\n");
    let line = live.line();
    assert!(line.contains("\"verdict\": \"violated\"") && line.contains("\"obligation\": \"F[0,50ms] b\""), "{line}");
    live.input = None;
    assert_eq!(live.rest().1, Some(1));
}

/// Timestamps may lie so far apart, and so near the ends of 64 bits, that a window opens behind the
/// last one or before the first.
#[test]
fn windows_that_reach_beyond_all_timestamps() {
    let folder = Folder::new("ends-of-time");
    folder.write(
        "t.jsonl",
        b"{\"t\":-9223372036854775808,\"a\":true}\n{\"t\":-4,\"a\":false}\n{\"t\":9223372036854775807,\"a\":true}\n",
    );
    let far = "9000000000000000000ns";
    let formulas = [
        (format!("F(a & O[{far},inf] a)"), 0),
        (format!("G[1ns,inf] H[{far},inf] !a"), 1),
        (format!("F(!a & O[{far},inf] a)"), 0),
        ("F(!a & O[9223372036854775805ns,inf] a)".to_owned(), 1),
        ("G(!a -> F[9223372036854775805ns,inf] a)".to_owned(), 0),
        (format!("F(a & !X true & F[{far},inf] a)"), 1),
        (format!("F(!a & F(X true & F[{far},inf] (a & F[{far},inf] true)))"), 1),
        (format!("G(!a -> G[{far},inf] !a)"), 1),
        ("G(a & !Y true -> F[9223372036854775807ns,inf] !a)".to_owned(), 1),
    ];
    // Of a window that opens later, the end may lie behind all timestamps of today.
    folder.write(
        "today.jsonl",
        b"{\"t\":1763433609000000000,\"a\":false}\n{\"t\":1763433609000000010,\"a\":false}\n\
          {\"t\":1763433609000000011,\"a\":true}\n",
    );
    let today = [
        ("G[10ns,100000d] a".to_owned(), 1),
        ("F[10ns,100000d] a".to_owned(), 0),
        ("G[11ns,100000d] a".to_owned(), 0),
        ("F[12ns,100000d] true".to_owned(), 1),
        ("a R[10ns,100000d] !a".to_owned(), 1),
        ("!a U[10ns,100000d] a".to_owned(), 0),
    ];
    let traces = [("t.jsonl", &formulas[..]), ("today.jsonl", &today)];
    let may_refuse = ["breadth-first", "forward-backward", "forward-backward-dag", "generic"];
    for engine in ["naive", "reverse", "depth-first", "streaming"].into_iter().chain(may_refuse) {
        for (trace, (formula, status)) in traces.iter().flat_map(|(trace, all)| all.iter().map(move |one| (trace, one)))
        {
            let arguments = ["check", "-e", formula, trace, "--time", "t:ns", "--engine", engine];
            let ran = folder.run(&arguments, b"");
            let is_refused = may_refuse.contains(&engine) && ran.status == 2;
            assert!(is_refused || ran.status == *status, "{}", transcript(&arguments, &ran));
        }
    }
    for engine in ["generic", "forward-backward-dag", "breadth-first"] {
        let ran = folder.run(&["check", "-e", &today[0].0, "today.jsonl", "--time", "t:ns", "--engine", engine], b"");
        assert_eq!(ran.status, 1, "{engine} takes bounds in time: {}", ran.stderr);
    }
}

/// A rounded time would be in both windows, or in none.
#[test]
fn examples_tell_times_to_the_nanosecond() {
    let folder = Folder::new("exact-examples");
    let ran = folder.run(&["compare", "-e", "F[0,12345677us] a", "-e", "F[0,12345678us] a"], b"");
    assert!(ran.stdout.contains("1: at 12345678us: a = true"), "{}", ran.stdout);
}
