//! Comparisons and findings against all short traces, and examples against the definition.

use proptest::prelude::*;
use traceward::hygiene::{Comparison, Example, Oddity, Relation, compare, lint};
use traceward::{Goal, Source, Spec, Value, Verdict, check};
use traceward_logic::formula::{Formulas, Interval};
use traceward_logic::semantics;
use traceward_testkit::enumerate::{self, Shape};
use traceward_testkit::generate::{self, Windows};

fn spec(texts: &[&str]) -> Spec {
    let sources = texts.iter().map(|text| Source::new("-e", *text, Goal::Check)).collect();
    Spec::parse(sources).unwrap_or_else(|error| panic!("{texts:?}: {error}"))
}

fn compared(one: &str, other: &str) -> Comparison {
    compare(&spec(&[one, other])).unwrap_or_else(|error| panic!("{one} and {other}: {error}"))
}

/// What `check` says of an example, as JSON lines.
fn verdicts(spec: &Spec, example: &Example) -> Vec<Verdict> {
    let value = |value: &Value| match value {
        Value::Missing => "null".to_owned(),
        Value::Str(text) => format!("{text:?}"),
        other => other.to_string(),
    };
    let mut lines = String::new();
    for state in &example.states {
        let fields: Vec<String> = state.iter().map(|(name, one)| format!("{name:?}: {}", value(one))).collect();
        lines.push_str(&format!("{{{}}}\n", fields.join(", ")));
    }
    let report = check(spec, lines.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
    report.properties.into_iter().map(|property| property.verdict).collect()
}

/// That an example shows what it says.
fn shows(spec: &Spec, example: &Example) {
    let verdicts = verdicts(spec, example);
    for (name, verdict) in spec.property_names().iter().zip(verdicts) {
        if example.satisfies.contains(name) {
            assert_eq!(verdict, Verdict::Satisfied, "{example:?}");
        }
        if example.violates.contains(name) {
            assert_eq!(verdict, Verdict::Violated, "{example:?}");
        }
    }
}

#[test]
fn comparisons_are_right() {
    use Relation::{Equal, Neither, Stronger, Weaker};
    for (one, other, relation) in [
        ("!(a U b)", "!a R !b", Equal),
        ("G(a -> F b)", "G F b", Weaker),
        ("G a", "F a", Stronger),
        ("F a", "F b", Neither),
        ("F[1,2] F[1,2] a", "F[2,4] a", Equal),
        ("a S b", "b | (a & Y(a S b))", Equal),
        ("G(a -> O b)", "!a W b", Equal),
        ("X a", "WX a", Stronger),
        ("F true", "true", Equal),
        // Values: what cannot be is no difference.
        ("G x > 5", "G x >= 5", Stronger),
        ("F(x > 5 & x < 3)", "false", Equal),
        ("F x > y", "F y < x", Equal),
        ("F(x > y & y > z & z > x)", "false", Equal),
        ("F mode == \"a\"", "F mode in {\"a\", \"b\"}", Stronger),
        ("F(mode == \"a\" & mode == \"b\")", "false", Equal),
        // A missing value satisfies neither.
        ("G(x > 1 | x <= 1)", "G defined(x)", Equal),
        ("G !(x > 1)", "G x <= 1", Weaker),
        // A number between two whole ones.
        ("G x > 3", "G x >= 4", Weaker),
    ] {
        let found = compared(one, other);
        assert_eq!(found.relation, relation, "{one} and {other}");
        let spec = spec(&[one, other]);
        let has_no_trace = found.relation == Equal && other == "false";
        assert_eq!(found.examples.is_empty(), has_no_trace, "{one} and {other}");
        found.examples.iter().filter(|_| !one.contains("defined")).for_each(|example| shows(&spec, example));
    }
}

#[test]
fn what_cannot_be_known_is_said() {
    let error = compare(&spec(&["F x * x < 0", "false"])).unwrap_err().to_string();
    assert!(error.contains("x * x"), "{error}");
    let error = compare(&spec(&["X pos == 0", "false"])).unwrap_err().to_string();
    assert!(error.contains("pos"), "{error}");
    // Arithmetic of which a try is enough.
    assert_eq!(compared("F x + y > 3", "true").relation, Relation::Stronger);
    let error = compare(&spec(&["F[0,3ms] a", "a"])).unwrap_err().to_string();
    assert!(error.contains("bounds in time"), "{error}");
    let error = compare(&spec(&["a"])).unwrap_err().to_string();
    assert!(error.contains("there is only one"), "{error}");
}

/// Columns of 0 and 1 may stand as booleans, and variables that are compared share one type.
#[test]
fn what_a_variable_can_be_follows_from_all_its_uses() {
    for (text, can_hold) in [
        ("F(a & a == 1)", true),
        ("F(a & a == 0)", false),
        ("F(!a & a == 5)", false),
        ("F(a & a == b)", true),
        ("F(a & a == b & !b)", false),
        ("F(a & a == b & b > 0)", true),
        ("F(a == b & a == \"x\" & b != \"x\")", false),
    ] {
        let found = lint(&spec(&[text])).unwrap().findings;
        assert_eq!(found.iter().all(|finding| finding.oddity != Oddity::Unsatisfiable), can_hold, "{text}");
    }
}

/// Integers and floats beyond what floats tell apart.
#[test]
fn large_and_small_numbers_are_told_apart() {
    for (text, can_hold) in [
        ("F(x > 1700000000000000000)", true),
        ("F(x > 9007199254740992 & x < 9007199254740993)", false),
        ("F(x > 9007199254740992 & x < 9007199254740994)", true),
        ("F(x > 1.7976931348623157e308)", true),
        ("F(x < 0 & x > -1e-320)", true),
        ("F(x < 0 & x >= -0.0)", false),
        // The last integer, and the float behind it.
        ("F(x > 9223372036854775807 & x < 9223372036854775808.0)", false),
        ("F(x > 9223372036854775807 & x <= 9223372036854775808.0)", true),
        ("F(x < -9223372036854775808)", true),
    ] {
        let found = lint(&spec(&[text])).unwrap().findings;
        assert_eq!(found.is_empty(), can_hold, "{text}");
    }
}

/// All comparisons of one variable belong together, and still the question about two properties is
/// as small as these.
#[test]
fn many_properties_of_one_number_are_compared_two_by_two() {
    let texts: Vec<String> = (0..40).map(|bound| format!("G(x > {bound} -> F p)")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let findings = lint(&spec(&texts)).unwrap().findings;
    assert_eq!(findings.len(), 40 * 39 / 2);
    assert!(findings.iter().all(|finding| finding.oddity == Oddity::ImpliedBy));
}

#[test]
fn findings_are_right() {
    let spec = spec(&["F a & G !a", "a | !a", "G p", "F p", "p & WX G p", "x > 3 & x < 2", "G(q -> F r)"]);
    let lint = lint(&spec).unwrap();
    let found: Vec<(&str, Oddity, Option<&str>)> = lint
        .findings
        .iter()
        .map(|finding| (finding.property.as_str(), finding.oddity, finding.other.as_deref()))
        .collect();
    let expected = [
        ("p1", Oddity::Unsatisfiable, None),
        ("p2", Oddity::Valid, None),
        ("p6", Oddity::Unsatisfiable, None),
        ("p4", Oddity::ImpliedBy, Some("p3")),
        ("p5", Oddity::EquivalentTo, Some("p3")),
        ("p4", Oddity::ImpliedBy, Some("p5")),
    ];
    assert_eq!(found, expected);
    assert_eq!(lint.undecided, Vec::<String>::new());
}

/// All pairs of small formulas, with the relation that all traces up to a length show.
#[test]
fn comparisons_agree_with_all_short_traces() {
    let mut arena = Formulas::new();
    let shape = Shape { atoms: 1, ..Shape::unbounded(1) }.with_intervals([Interval::steps(1, Some(2))]);
    let formulas = enumerate::formulas(&mut arena, &shape);
    let names = ["a".into()];
    let texts: Vec<String> = formulas.iter().map(|formula| arena.display(*formula, &names).to_string()).collect();
    let rows: Vec<Vec<bool>> = enumerate::traces(1, 6)
        .map(|trace| {
            let truths = semantics::truths(&arena, &formulas, &trace).unwrap();
            formulas.iter().map(|formula| truths[formula][0]).collect()
        })
        .collect();
    for (i, one) in texts.iter().enumerate() {
        for (j, other) in texts.iter().enumerate().filter(|(_, other)| !other.contains(" M") && !one.contains(" M")) {
            let only = |a: usize, b: usize| rows.iter().any(|row| row[a] && !row[b]);
            let expected = match (only(i, j), only(j, i)) {
                (false, false) => Relation::Equal,
                (false, true) => Relation::Stronger,
                (true, false) => Relation::Weaker,
                (true, true) => Relation::Neither,
            };
            assert_eq!(compared(one, other).relation, expected, "{one} and {other}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    /// Examples show what they say, and simplification is no difference.
    #[test]
    fn examples_of_random_formulas_show_what_they_say(
        one in generate::formula(2, Windows::Steps),
        other in generate::formula(2, Windows::Steps),
    ) {
        let names = ["a".into(), "b".into()];
        let texts = [one, other].map(|recipe| {
            let mut formulas = Formulas::new();
            let root = recipe.build(&mut formulas);
            formulas.display(root, &names).to_string()
        });
        prop_assume!(texts.iter().all(|text| !text.contains(" MP") && !text.contains(" M[")));
        let spec = spec(&[&texts[0], &texts[1]]);
        // Some are too large.
        if let Ok(comparison) = compare(&spec) {
            comparison.examples.iter().for_each(|example| shows(&spec, example));
        }
    }
}

#[test]
fn strings_between_others_are_thought_of() {
    assert_eq!(compared("s < \"a\"", "s <= \"a\"").relation, Relation::Stronger);
    assert_eq!(compared("F(s > \"a\" & s < \"b\")", "false").relation, Relation::Weaker);
    let error = compare(&spec(&["max(x)", "G p"])).unwrap_err().to_string();
    assert!(error.contains("max(x)"), "{error}");
}

#[test]
fn values_of_several_states_are_compared_by_trying_traces() {
    use Relation::{Equal, Neither, Stronger};
    for (one, other, relation) in [
        ("G !(past(x) > x)", "G (past(x) <= x | pos == 0)", None),
        ("F past(p)", "F Y p", Some(Equal)),
        ("G (rose(p) -> q)", "G (p & !(Y p) -> q)", Some(Equal)),
        ("F (past(x, 2) > 5)", "F (past(x, 2) > 3)", Some(Stronger)),
        ("past(x) > x", "X (past(x) > x)", None),
        ("X (past(x) > x)", "X X (past(x) > x)", Some(Neither)),
        ("X (past(x) > x & x == 3)", "X (past(x) > 2)", None),
        ("G !(past(x) > x) & F x > 5", "F x > 3", Some(Stronger)),
        ("G (p & past(x) < x)", "G p", Some(Stronger)),
        ("F changed(s) & F s == \"b\"", "F past(x) < x", Some(Neither)),
    ] {
        let spec = spec(&[one, other]);
        match (compare(&spec), relation) {
            (Ok(comparison), Some(relation)) => {
                assert_eq!(comparison.relation, relation, "{one} and {other}");
                comparison.examples.iter().for_each(|example| shows(&spec, example));
            }
            (Err(error), None) => assert!(error.to_string().contains("which values are possible"), "{error}"),
            (found, _) => panic!("{one} and {other}: {found:?}"),
        }
    }
}

#[test]
fn a_property_that_compares_with_earlier_values_is_not_taken_for_impossible() {
    for text in ["G !(past(x) > x)", "G (x > 5 -> delta(x) == 1)", "F changed(s)", "G !(past(n, 2) == n)"] {
        let found = lint(&spec(&[text, "G (y > 5)", "F (y < 3)"])).expect("properties");
        assert_eq!((found.findings.len(), found.undecided.len()), (0, 0), "{text}: {found:?}");
    }
    let certain = lint(&spec(&["G (past(x) > x)", "F (x > 5 & x < 3)"])).expect("properties");
    let odd: Vec<_> = certain.findings.iter().map(|finding| (finding.property.as_str(), finding.oddity)).collect();
    assert_eq!(odd, [("p2", Oddity::Unsatisfiable)]);
    assert_eq!(certain.undecided.len(), 1, "{certain:?}");
}
