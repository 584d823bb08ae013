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
