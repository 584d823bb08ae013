//! `check --steps`: what each engine holds after each state.

use crate::common::Folder;
use crate::transcripts::session;

/// Section 2.3 of Finkbeiner and Sipma.
const UNTIL: &[u8] = b"a,b,c\n1,1,0\n0,0,0\n1,0,0\n0,1,1\n1,0,0\n";
/// Section 3.2.4 of the thesis on bounded temporal logic.
const NESTED: &[u8] = b"a,p,q\n1,0,0\n0,1,0\n0,0,1\n";
const RESPONSE: &[u8] = b"a,b\n0,0\n1,0\n0,1\n0,0\n";

/// The first paper's traversals, without simplification and with all slices, as it has them.
#[test]
fn traversals_step_by_step() {
    let formula = "G(!a -> !b U c)";
    insta::assert_snapshot!(session(
        "traversals-by-step",
        &[("t.csv", UNTIL)],
        &[
            &["check", "-e", formula, "--steps", "--engine", "breadth-first", "--no-subsumption", "t.csv"],
            &["check", "-e", formula, "--steps", "--engine", "depth-first", "t.csv"],
            &["check", "-e", formula, "--steps", "t.csv"],
            &["check", "-e", "G a", "-e", "F c", "--steps", "--engine", "depth-first", "t.csv"],
            &["check", "-e", "F(b > a)", "--steps", "--engine", "breadth-first", "t.csv"],
        ]
    ));
}

#[test]
fn automata_step_by_step() {
    let formula = "G(a -> F b)";
    insta::assert_snapshot!(session(
        "automata-by-step",
        &[("t.csv", RESPONSE)],
        &[
            &["check", "-e", formula, "--steps", "--engine", "tableau", "t.csv"],
            &["check", "-e", formula, "--steps", "--engine", "observer", "t.csv"],
            &["check", "-e", "G(a -> F[1,2] b)", "--steps", "--prefix", "t.csv"],
        ]
    ));
}

#[test]
fn bounds_step_by_step() {
    let formula = "F(a & ((F[0,1] p) U[0,3] q))";
    insta::assert_snapshot!(session(
        "bounds-by-step",
        &[("t.csv", NESTED)],
        &[
            &["check", "-e", formula, "--steps", "--engine", "breadth-first", "t.csv"],
            &["check", "-e", formula, "--steps", "--engine", "forward-backward", "t.csv"],
            &["check", "-e", formula, "--steps", "--engine", "forward-backward-dag", "t.csv"],
            &["check", "-e", "F(a & ((F[0,1] p) U q))", "--steps", "--engine", "generic", "t.csv"],
        ]
    ));
}

#[test]
fn steps_for_programs() {
    insta::assert_snapshot!(session(
        "steps-for-programs",
        &[("t.csv", b"a\n1\n0\n")],
        &[
            &["check", "-e", "G a", "--steps", "--format", "json", "t.csv"],
            &["check", "-e", "G a", "--steps", "--engine", "depth-first", "--format", "json", "t.csv"],
            &["check", "-e", "G a", "--steps", "--engine", "breadth-first", "--format", "json", "t.csv"],
            &["check", "-e", "G a", "--steps", "--engine", "tableau", "--format", "json", "t.csv"],
        ]
    ));
}

/// Section 4.3 of the first paper: with coverage, slices know how often runs have visited rejecting
/// nodes.
#[test]
fn visits_step_by_step() {
    let arguments = ["check", "-e", "!a -> !b U c", "--steps", "--coverage", "--engine", "breadth-first"];
    let text: Vec<&str> = arguments.into_iter().chain(["--no-subsumption", "t.csv"]).collect();
    let bounded = ["check", "-e", "F[0,2] a", "--steps", "--coverage", "--engine", "breadth-first", "t.csv"];
    insta::assert_snapshot!(session("visits-by-step", &[("t.csv", b"a,b,c\n1,0,0\n1,0,1\n")], &[&text, &bounded]));
}

/// An assert has no steps, and the trace without a state has none either.
#[test]
fn steps_that_are_refused() {
    let longer = format!("a\n{}", "1\n".repeat(201));
    let long = format!("a\n{}", "0\n".repeat(60));
    insta::assert_snapshot!(session(
        "steps-refused",
        &[
            ("t.csv", RESPONSE),
            ("long.csv", long.as_bytes()),
            ("longer.csv", longer.as_bytes()),
            ("timed.csv", b"t,a\n0,0\n1,1\n"),
            ("none.csv", b"a,b\n"),
        ],
        &[
            &["check", "-e", "G a", "--steps", "--engine", "naive", "t.csv"],
            &["check", "-e", "G a", "--steps", "--by", "b", "t.csv"],
            &["check", "-e", "G a", "--steps", "longer.csv"],
            &["check", "-e", "F[0,9s] a", "--steps", "--engine", "generic", "--time", "t:s", "timed.csv"],
            &["check", "-e", "F[0,9s] a", "--steps", "--engine", "depth-first", "--time", "t:s", "timed.csv"],
            &["check", "-e", "G F a", "--steps", "--engine", "forward-backward", "long.csv"],
            &["check", "-e", "count(a) == 1", "--steps", "t.csv"],
            &["check", "-e", "G a", "--steps", "--allow-empty", "none.csv"],
            &["check", "-e", "G a", "--svg", "t.svg", "t.csv"],
            &["check", "-e", "G a", "-e", "F b", "--steps", "--svg", "t.svg", "t.csv"],
            &["check", "-e", "G a", "--steps", "--svg", "t.svg", "t.csv", "t.csv"],
            &["check", "-e", "G a", "--steps", "--svg", "t.csv", "t.csv"],
        ]
    ));
}

/// A picture has every node that the text has, and is well-formed where names are not.
#[test]
fn steps_are_drawn() {
    let folder = Folder::new("steps-drawn");
    folder.write("t.csv", NESTED).write("odd.csv", "x<&y\n1\n0\n");
    let formula = "F(a & ((F[0,1] p) U[0,3] q))";
    for engine in ["breadth-first", "depth-first", "reverse", "tableau", "observer", "forward-backward", "generic"] {
        let arguments = ["check", "-e", formula, "--steps", "--engine", engine, "--svg", "t.svg", "t.csv"];
        let output = folder.run(&arguments, b"");
        assert_eq!(output.status, 0, "{engine}: {}", output.stderr);
        let picture = folder.read("t.svg");
        assert!(picture.starts_with("<svg") && picture.ends_with("</svg>\n"), "{engine}");
        assert!(picture.contains(&format!("step by step, by {engine}</text>")), "{engine}");
        let pills = picture.matches("class=\"held").count();
        assert!(pills >= 3, "{engine} draws {pills}");
    }
    let arguments = ["check", "-e", "G `x<&y`", "--steps", "--svg", "odd.svg", "odd.csv"];
    assert_eq!(folder.run(&arguments, b"").status, 1);
    let picture = folder.read("odd.svg");
    assert!(picture.contains("x&lt;&amp;y") && !picture.contains("x<&y"));
}
