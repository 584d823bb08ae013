//! Notations of other languages: each is an error that suggests what was meant, and the suggestion
//! can be read.

use traceward_logic::diagnostic::{Help, SourceId};
use traceward_logic::parse;

/// What is typed, and what is suggested.
const TYPED: &[(&str, &str)] = &[
    ("G(ER Sepsis Triage -> F q)", "G(\"ER Sepsis Triage\" -> F q)"),
    ("G(Case ID == 3)", "G(`Case ID` == 3)"),
    ("F level =~ \"err\"", "F matches(level, \"err\")"),
    ("mean(x) > 1", "avg(x) > 1"),
    ("percentile(0.9, x)", "quantile(0.9, x)"),
    ("percentile_cont(0.9, x)", "quantile(0.9, x)"),
    ("p99(x) > 1", "quantile(0.99,x) > 1"),
    ("P05(x)", "quantile(0.05,x)"),
    ("F contains(level, \"err\")", "F matches(level, \"err\")"),
    ("length(level) > 2", "len(level) > 2"),
    ("g(p)", "G(p)"),
    ("g(p -> f(q))", "G(p -> F(q))"),
    ("ALWAYS p", "always p"),
    ("Always (p -> Eventually q)", "always (p -> eventually q)"),
    ("p AND NOT q", "p and not q"),
    ("F[0:3] p", "F[0,3] p"),
    ("F[0:3s] p", "F[0,3s] p"),
    ("F[0..3] p", "F[0,3] p"),
    ("F[<=3] p", "F[0,3] p"),
    ("p U[0:5] q", "p U[0,5] q"),
    ("G(p |-> q)", "G(p -> q)"),
    ("G(p |=> q)", "G(p -> X q)"),
    ("p ##1 q", "p & X q"),
    ("p ##3 q", "p & F[3,3] q"),
    ("G(p |-> ##1 q)", "G(p -> X q)"),
    ("G(p |-> ##2 q)", "G(p -> F[2,2] q)"),
    ("G(p ==> q)", "G(p -> q)"),
    ("G(p --> q)", "G(p -> q)"),
    ("F<=3 p", "F[0,3] p"),
    ("G(p -> F<=3s q)", "G(p -> F[0,3s] q)"),
    ("globally p", "always p"),
    ("Globally (p -> finally q)", "always (p -> eventually q)"),
    ("AG (p -> AF q)", "G (p -> F q)"),
    ("A[] p", "G p"),
    ("percentile(99, x)", "quantile(0.99, x)"),
    ("percentile(5, x) > 1", "quantile(0.05, x) > 1"),
    ("X[!] p", "X p"),
    ("X[2] p", "F[2,2] p"),
    ("x === 3", "x == 3"),
    ("x !== 3", "x != 3"),
    ("x <> 3", "x != 3"),
    ("F x := 3", "F x == 3"),
    ("F level == “error”", "F level == \"error\""),
    ("F level == ‘error’", "F level == \"error\""),
    ("F level == 'error'", "F level == \"error\""),
    ("G(x – 1 > 2)", "G(x - 1 > 2)"),
    ("level in (\"a\", \"b\")", "level in {\"a\", \"b\"}"),
    ("level in [\"a\", \"b\"]", "level in {\"a\", \"b\"}"),
    ("property a = G p\nproperty b = F[0:3] q\n", "property b = F[0,3] q"),
];

#[test]
fn what_was_meant_is_suggested_and_can_be_read() {
    for (typed, meant) in TYPED {
        let errors = parse::spec(SourceId(0), typed).expect_err(typed);
        let suggested = Help::from(format!("did you mean `{meant}`?"));
        assert_eq!(errors.iter().map(|error| &error.help[..]).collect::<Vec<_>>(), [[suggested]], "{typed}");
        assert!(!errors[0].span.range().is_empty(), "{typed}");
        assert!(parse::spec(SourceId(0), meant).is_ok(), "{meant}");
    }
}

#[test]
fn what_is_read_as_it_is_needs_no_suggestion() {
    let texts =
        ["<> p", "[] p", "p and not q or q", "p => q", "x ≤ 3", "¬p ∧ q ∨ p → q", "p U[0,5] q", "x = 3", "b = ~c"];
    for text in texts {
        assert!(parse::spec(SourceId(0), text).is_ok(), "{text}");
    }
    // Comments stay comments.
    for text in ["p # why", "p ## why", "### heading\np", "#\np", "p //1", "p #1"] {
        assert!(parse::spec(SourceId(0), text).is_ok(), "{text}");
    }
}

#[test]
fn nonsense_is_not_taken_for_anything() {
    for text in ["E F p", "p q", "rate(x) > 1", "G(", "x between 1 and 3", ")", "F[0:", "##"] {
        if let Err(errors) = parse::spec(SourceId(0), text) {
            let helps = errors.iter().flat_map(|error| &error.help).map(|help| format!("{help:?}"));
            assert!(helps.into_iter().all(|help| !help.contains("did you mean `")), "{text}");
        }
    }
}
