//! Several texts are one spec, in whatever order they are given.

use crate::monitor::session;

const TRACE: &[u8] = b"t,k,a,b\n0,x,1,0\n1,x,0,1\n";

#[test]
fn what_texts_declare_of_a_trace_agrees() {
    let files: &[(&str, &[u8])] = &[
        ("t.csv", TRACE),
        ("s.tw", b"trace { time t:s }\nproperty quick = G(a -> F[0,500ms] b)\n"),
        ("ms.tw", b"trace { time t:ms }\nproperty other = F b\n"),
        ("keys.tw", b"trace { by k  changes  missing hold  event k  a: boolean }\nproperty one = F \"x\"\n"),
        ("none.tw", b"trace { by b  states  missing error  event b  a: number }\nproperty two = F \"x\"\n"),
        ("as-well.tw", b"trace { a: boolean  by k  changes  missing hold  event k }\nproperty three = F \"x\"\n"),
    ];
    insta::assert_snapshot!(session(
        "sources-declared",
        files,
        &[
            (&["check", "s.tw", "ms.tw", "t.csv"], b""),
            (&["check", "ms.tw", "s.tw", "t.csv"], b""),
            (&["check", "ms.tw", "-e", "trace { time t + k }", "t.csv"], b""),
            // An option stands above both.
            (&["check", "ms.tw", "s.tw", "--time", "t:s", "t.csv"], b""),
            (&["monitor", "keys.tw", "none.tw"], b""),
            (&["check", "keys.tw", "as-well.tw", "t.csv"], b""),
        ]
    ));
}

#[test]
fn a_spec_asks_something() {
    let files: &[(&str, &[u8])] = &[
        ("t.csv", TRACE),
        ("let.tw", b"# Nobody asks.\nlet mutex = G !(a & b)\n"),
        ("trace.tw", b"\n  trace { time t:s }\n"),
        ("query.tw", b"query often = count(a)\n"),
    ];
    insta::assert_snapshot!(session(
        "sources-asked",
        files,
        &[
            (&["check", "let.tw", "t.csv"], b""),
            (&["query", "let.tw", "t.csv"], b""),
            (&["monitor", "let.tw"], TRACE),
            (&["check", "trace.tw", "t.csv"], b""),
            (&["check", "-e", "dialect mtl", "t.csv"], b""),
            (&["check", "trace.tw", "-e", "let `a b` = a", "t.csv"], b""),
            (&["lint", "let.tw"], b""),
            // What is named in one text may be asked for in another.
            (&["check", "trace.tw", "let.tw", "-e", "mutex", "t.csv"], b""),
            (&["check", "query.tw", "t.csv"], b""),
            (&["monitor", "query.tw"], TRACE),
        ]
    ));
}
