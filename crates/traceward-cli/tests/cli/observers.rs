//! What observers tell: exact early verdicts, what is owed, what properties say without a trace.

use crate::transcripts::session;

const SO_FAR: &[u8] = b"request,grant,alarm\n1,0,0\n0,1,0\n0,0,0\n1,0,0\n1,0,1\n0,0,0\n";

#[test]
fn early_verdicts_are_exact() {
    insta::assert_snapshot!(session(
        "exact",
        &[("t.csv", SO_FAR)],
        &[
            &[
                "check",
                "-e",
                "G(request -> F grant)",
                "-e",
                "F grant",
                "t.csv",
                "--engine",
                "observer",
                "--format",
                "json"
            ],
            // Nothing can satisfy both from position 4 on.
            &["check", "-e", "G !alarm | (F alarm & G !alarm)", "t.csv", "--engine", "observer"],
            &["check", "-e", "G(request -> F[0,1] grant)", "t.csv", "--engine", "observer"],
            &["check", "-e", "G(request -> F[0,1] grant)", "t.csv", "--engine", "tableau"],
            &["check", "-e", "G(request -> F grant)", "t.csv", "--engine", "observer", "--positions"],
            &["check", "-e", "F[0,1s] grant", "t.csv", "--engine", "observer"],
            &[
                "check",
                "-e",
                "F(request & F[5000,5000] grant)",
                "t.csv",
                "--engine",
                "observer",
                "--search-limit",
                "100"
            ],
            &["explain-plan", "-e", "G(request -> F grant)", "--engine", "observer"],
        ]
    ));
}

#[test]
fn a_trace_that_goes_on() {
    insta::assert_snapshot!(session(
        "prefix",
        &[("t.csv", SO_FAR), ("keys.csv", b"k,p,q\n1,1,0\n2,1,0\n1,0,1\n2,0,0\n"), ("empty.csv", b"p,q\n")],
        &[
            &[
                "check",
                "--prefix",
                "t.csv",
                "-e",
                "G(request -> F grant)",
                "-e",
                "G(request -> F[0,5] grant)",
                "-e",
                "F grant",
                "-e",
                "G !alarm",
                "-e",
                "G(grant -> O request)",
                "-e",
                "G !(alarm & grant)",
                "-e",
                "F(grant & F[6,7] alarm)",
            ],
            &["check", "--prefix", "t.csv", "-e", "G(request -> F[0,5] grant)", "--format", "json"],
            &["check", "--prefix", "keys.csv", "--by", "k", "-e", "G(p -> F q)"],
            &["check", "--prefix", "empty.csv", "-e", "F p", "-e", "G q", "-e", "true", "--allow-empty"],
            &["check", "--prefix", "t.csv", "-e", "G !alarm", "--engine", "breadth-first"],
            &["check", "--prefix", "t.csv", "-e", "G !alarm", "--engine", "reverse"],
        ]
    ));
}

#[test]
fn properties_without_a_trace() {
    let spec: &[u8] = b"property mutex = G !(a & b)\nproperty weaker = G(a -> !b | c)\nproperty never = F(x > 3 & x < 2)\nassert m = max(x) < 3\n";
    let torn: &[u8] = b"property asked = G(a -> F b)\nproperty never = G !b\nproperty some = F a\nquery q = max(x)\nassert m = max(x) < 3\n";
    insta::assert_snapshot!(session(
        "hygiene",
        &[("p.tw", spec), ("torn.tw", torn)],
        &[
            &["lint", "p.tw"],
            &["lint", "p.tw", "--format", "json"],
            &["lint", "torn.tw"],
            &["lint", "torn.tw", "--format", "json"],
            &["lint", "-e", "G(a -> F b)", "-e", "max(x)"],
            &["lint", "-e", "G a", "-e", "F !a"],
            &["lint", "-e", "G(a -> F b)"],
            &["lint", "-e", "x * x < 0"],
            &["lint"],
            &["compare", "-e", "G(p -> F q)", "-e", "G F q"],
            &["compare", "-e", "!(a U b)", "-e", "!a R !b", "--format", "json"],
            &["compare", "-e", "F a", "-e", "F b"],
            &["compare", "-e", "F a"],
            &["compare", "-e", "\"Triage\"", "-e", "F \"Triage\"", "--event", "Activity"],
            &["compare", "-e", "F[0,1s] a", "-e", "F a"],
            &["compare", "-e", "G(a -> F[0,1s] b)", "-e", "G(a -> F[0,2s] b)", "--format", "json"],
            &["compare", "-e", "F[1s,1s] a", "-e", "G[1s,1s] a"],
            &["lint", "-e", "F[0,1s] a & G[0,2s] !a", "-e", "F[1500ms,3s] a", "-e", "G[1s,1h] !a"],
            &["compare", "-e", "F[0,1000d] a", "-e", "F a"],
        ]
    ));
}
