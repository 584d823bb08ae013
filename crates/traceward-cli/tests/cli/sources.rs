//! Several texts are one spec, in whatever order they are given.

use crate::common::Folder;
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
fn a_name_is_given_once() {
    let files: &[(&str, &[u8])] = &[
        ("t.csv", TRACE),
        ("one.tw", b"let both = a & b\nproperty never = G !both\n"),
        ("two.tw", b"let both = a & b\nproperty never = F b\n"),
        ("three.tw", b"let both = a | b\nproperty either = F both\n"),
        ("four.tw", b"let both = a & b\nquery often = count(both)\n"),
    ];
    insta::assert_snapshot!(session(
        "sources-names",
        files,
        &[
            (&["check", "one.tw", "two.tw", "t.csv"], b""),
            (&["check", "one.tw", "three.tw", "t.csv"], b""),
            (&["check", "one.tw", "four.tw", "t.csv"], b""),
            (&["check", "one.tw", "-e", "query never = count(a)", "t.csv"], b""),
            (&["check", "-e", "F a", "-e", "property p1 = G a", "t.csv"], b""),
            (&["monitor", "-e", "query q1 = count(a)", "-e", "count(b)"], b""),
            (&["check", "-e", "property p2 = G a", "-e", "F a", "t.csv"], b""),
        ]
    ));
}

#[test]
fn definitions_that_dialects_read_otherwise_are_two() {
    let folder = Folder::new("sources-dialects");
    folder.write("t.csv", TRACE).write("a.tw", "let held = a U[1,2] b\nproperty one = held\n");
    folder.write("b.tw", "dialect mtl\nlet held = a U[1,2] b\nproperty two = held\n");
    let output = folder.run(&["check", "a.tw", "b.tw", "t.csv"], b"");
    assert!(output.status == 2 && output.stderr.contains("the name `held` is taken"), "{}", output.stderr);
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
