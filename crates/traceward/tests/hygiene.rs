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
    for (position, state) in example.states.iter().enumerate() {
        let mut fields: Vec<String> = state.iter().map(|(name, one)| format!("{name:?}: {}", value(one))).collect();
        fields.extend(example.time.as_ref().map(|time| format!("\"t\": {}", time[position])));
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
    let error = compare(&spec(&["G(a -> F[0,1000d] b)", "G(a -> F[0,2000d] b)"])).unwrap_err().to_string();
    assert!(error.contains("more than two years"), "{error}");
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
/// Of properties that follow from each other all but the strongest are found, each once, in
/// whatever order they stand.
#[test]
fn each_of_many_properties_that_are_alike_is_found_once() {
    let mut texts: Vec<String> = (0..40).map(|nth| format!("G(x > {} -> F p)", nth * 7 % 40)).collect();
    texts.push("G !(x > 20) | G(x > 20 -> F p)".into());
    for turned in [false, true] {
        if turned {
            texts.reverse();
        }
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let text_of = |name: &str| texts[name[1..].parse::<usize>().unwrap() - 1];
        let findings = lint(&spec(&texts)).unwrap().findings;
        let mut found: Vec<&str> = findings.iter().map(|finding| text_of(&finding.property)).collect();
        for finding in &findings {
            let pair = [text_of(&finding.property), text_of(&finding.others[0])];
            let expected = if finding.oddity == Oddity::EquivalentTo { Relation::Equal } else { Relation::Weaker };
            assert_eq!(compare(&spec(&pair)).unwrap().relation, expected, "{pair:?}");
        }
        found.sort_unstable();
        found.dedup();
        assert_eq!((findings.len(), found.len()), (40, 40));
        assert!(!found.contains(&"G(x > 0 -> F p)"));
    }
}

#[test]
fn findings_are_right() {
    let spec = spec(&["F a & G !a", "a | !a", "G p", "F p", "p & WX G p", "x > 3 & x < 2", "G(q -> F r)"]);
    let lint = lint(&spec).unwrap();
    let found: Vec<(&str, Oddity, Option<&str>)> = lint
        .findings
        .iter()
        .map(|finding| (finding.property.as_str(), finding.oddity, finding.others.first().map(String::as_str)))
        .collect();
    let expected = [
        ("p1", Oddity::Unsatisfiable, None),
        ("p2", Oddity::Valid, None),
        ("p6", Oddity::Unsatisfiable, None),
        ("p4", Oddity::ImpliedBy, Some("p3")),
        ("p5", Oddity::EquivalentTo, Some("p3")),
    ];
    assert_eq!(found, expected);
    assert_eq!(lint.undecided, Vec::<String>::new());
}

/// The sets of properties that cannot hold together, by their names.
fn conflicts(texts: &[&str]) -> Vec<Vec<String>> {
    let lint = lint(&spec(texts)).unwrap();
    assert_eq!(lint.undecided, Vec::<String>::new(), "{texts:?}");
    let found = lint.findings.into_iter().filter(|finding| finding.oddity == Oddity::ConflictsWith);
    found.map(|finding| [vec![finding.property], finding.others].concat()).collect()
}

#[test]
fn properties_that_cannot_hold_together_are_found() {
    assert_eq!(conflicts(&["G p", "F q", "F !p"]), [["p1", "p3"]]);
    // Two by two they can.
    assert_eq!(conflicts(&["G(a -> F b)", "G !b", "F c", "F a"]), [["p1", "p2", "p4"]]);
    assert_eq!(conflicts(&["F x > 5", "G x < y", "G y < 3", "G z"]), [["p1", "p2", "p3"]]);
    // Sets without a member in common.
    assert_eq!(conflicts(&["G a", "F b", "F !a", "G !b"]), [["p1", "p3"], ["p2", "p4"]]);
    // The length of a trace is something that they share.
    assert_eq!(conflicts(&["X a", "WX false", "F b"]), [["p1", "p2"]]);
    assert!(conflicts(&["G a", "F b", "G(a -> X b | !X true)"]).is_empty());
    let many: Vec<String> = (0..30).map(|number| format!("G(p{number} -> F q{number})")).collect();
    let mut many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert!(conflicts(&many).is_empty());
    let eventual: Vec<String> = (0..30).map(|number| format!("F a{number}")).collect();
    assert!(conflicts(&eventual.iter().map(String::as_str).collect::<Vec<_>>()).is_empty());
    many.extend(["F p7", "G !q7"]);
    assert_eq!(conflicts(&many), [["p8", "p31", "p32"]]);
}

#[test]
fn queries_and_asserts_are_passed_over() {
    let lint = lint(&spec(&["G p", "max(x)", "max(x) <= 3", "F p"])).unwrap();
    assert_eq!((lint.passed_over, lint.properties), (2, vec!["p1".to_owned(), "p3".to_owned()]));
    assert_eq!(lint.findings.len(), 1);
    for alone in ["max(x)", "max(x) <= 3"] {
        let error = traceward::hygiene::lint(&spec(&[alone])).unwrap_err();
        assert!(error.to_string().contains("max(x)"), "{error}");
    }
}

/// Random sets of small formulas: a conflict has no short trace, and without any of its members it
/// has one; where all hold on a short trace, none is found.
#[test]
fn conflicts_agree_with_all_short_traces() {
    let mut arena = Formulas::new();
    let shape = Shape { atoms: 2, ..Shape::unbounded(1) }.with_intervals([Interval::steps(1, Some(2))]);
    let formulas = enumerate::formulas(&mut arena, &shape);
    let names = ["a".into(), "b".into()];
    let formulas: Vec<_> =
        formulas.into_iter().filter(|formula| !arena.display(*formula, &names).to_string().contains(" M")).collect();
    let formulas: Vec<_> = formulas.into_iter().flat_map(|formula| [formula, arena.not(formula)]).collect();
    let texts: Vec<String> = formulas.iter().map(|formula| arena.display(*formula, &names).to_string()).collect();
    let rows: Vec<Vec<bool>> = enumerate::traces(2, 4)
        .map(|trace| {
            let truths = semantics::truths(&arena, &formulas, &trace).unwrap();
            formulas.iter().map(|formula| truths[formula][0]).collect()
        })
        .collect();
    let hold = |set: &[usize]| rows.iter().any(|row| set.iter().all(|&one| row[one]));
    let mut random = 7_usize;
    let (mut sizes, mut unknown) = ([0; 7], 0);
    for _ in 0..300 {
        let mut one = || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) % texts.len()
        };
        let chosen: Vec<usize> = (0..6).map(|_| one()).collect();
        let asked: Vec<&str> = chosen.iter().map(|&one| texts[one].as_str()).collect();
        let found = conflicts(&asked);
        let alone: Vec<usize> = chosen.iter().copied().filter(|&one| hold(&[one])).collect();
        // A trace that all hold on may be longer than those that are looked at here.
        assert!(found.is_empty() || !hold(&alone), "{asked:?}");
        for set in found {
            let member = |name: &String| chosen[name[1..].parse::<usize>().unwrap() - 1];
            let set: Vec<usize> = set.iter().map(member).collect();
            assert!(!hold(&set), "{asked:?}");
            for left_out in 0..set.len() {
                let kept = set.iter().enumerate().filter(|(at, _)| *at != left_out);
                let rest: Vec<usize> = kept.map(|(_, one)| *one).collect();
                let texts: Vec<&str> = rest.iter().map(|&one| texts[one].as_str()).collect();
                assert!(hold(&rest) || conflicts(&texts).is_empty(), "{asked:?} without {left_out}");
                unknown += usize::from(!hold(&rest));
            }
            sizes[set.len()] += 1;
        }
    }
    assert!(unknown < 10 && sizes[2] > 20 && sizes[3] > 5, "{sizes:?}, {unknown}");
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
        let found = lint(&spec(&[text, "G (y > 5)", "F (z < 3)"])).expect("properties");
        assert_eq!((found.findings.len(), found.undecided.len()), (0, 0), "{text}: {found:?}");
    }
    let certain = lint(&spec(&["G (past(x) > x)", "F (x > 5 & x < 3)"])).expect("properties");
    let odd: Vec<_> = certain.findings.iter().map(|finding| (finding.property.as_str(), finding.oddity)).collect();
    assert_eq!(odd, [("p2", Oddity::Unsatisfiable)]);
    assert_eq!(certain.undecided.len(), 1, "{certain:?}");
}

/// A spec of properties over traces with timestamps.
fn timed_spec(formulas: &[&str]) -> Spec {
    let properties: Vec<String> =
        formulas.iter().enumerate().map(|(index, formula)| format!("property p{} = {formula}", index + 1)).collect();
    let text = format!("trace {{ time t:ns a: bool b: bool c: bool }}\n{}", properties.join("\n"));
    let source = Source::new("spec", text, Goal::Check);
    Spec::parse(vec![source]).unwrap_or_else(|error| panic!("{formulas:?}: {error}"))
}

/// Bounds in time, over all traces with timestamps; what is shown has timestamps, and shows it.
#[test]
fn comparisons_in_time_are_right() {
    use Relation::{Equal, Neither, Stronger, Weaker};
    for (one, other, relation, lengths) in [
        ("G(a -> F[0,1s] b)", "G(a -> F[0,2s] b)", Stronger, &[2][..]),
        ("G(a -> F[0,2s] b)", "G(a -> F[0,1s] b)", Weaker, &[2]),
        ("F[0,1s] a & G[0,2s] !a", "false", Equal, &[]),
        ("F[1s,1s] a", "G[1s,1s] a", Neither, &[3, 1]),
        ("F[0,1s] a", "F[0,1000ms] a", Equal, &[1]),
        ("F[0,1s] a | F(1s,3s] a", "F[0,3s] a", Equal, &[1]),
        ("F[0,inf] a", "F[0s,inf] a", Equal, &[1]),
        ("!F[1s,2s] a", "G[1s,2s] !a", Equal, &[1]),
        ("a U[0,1s] b", "(a U b) & F[0,1s] b", Equal, &[1]),
        ("G(a -> O[0,1s] b)", "G(a -> O[0,2s] b)", Stronger, &[2]),
        ("G(a -> O[1s,2s] b)", "G(a -> O b)", Stronger, &[1]),
        ("G(a -> F[1s,2s] b)", "G(a -> F[0,2s] b)", Stronger, &[1]),
        ("G(a -> G[0,1s] b)", "G(a -> G[0,3s] b)", Weaker, &[2]),
        ("G(a -> F[0,1s] b) & G(b -> F[0,1s] c)", "G(a -> F[0,2s] c)", Stronger, &[1]),
        ("G(a -> F[1s,2s] b)", "G(a -> F[1s,3s] b)", Stronger, &[2]),
        // Nothing need happen within a window.
        ("G[1s,2s] a", "F[1s,2s] a", Neither, &[1, 3]),
        ("X F[0,1s] a", "F[0,1s] X a", Neither, &[3, 3]),
        // Nested: two windows one behind the other are a longer one only where there are positions.
        ("F[0,1s] F[0,1s] a", "F[0,2s] a", Stronger, &[2]),
        ("G[0,1s] G[0,1s] a", "G[0,2s] a", Weaker, &[2]),
    ] {
        let spec = timed_spec(&[one, other]);
        let found = compare(&spec).unwrap_or_else(|error| panic!("{one} and {other}: {error}"));
        assert_eq!(found.relation, relation, "{one} and {other}: {:?}", found.examples);
        let found_lengths: Vec<usize> = found.examples.iter().map(|example| example.states.len()).collect();
        assert_eq!(found_lengths, lengths, "{one} and {other}: {:?}", found.examples);
        for example in &found.examples {
            assert!(example.time.as_ref().is_some_and(|time| time.len() == example.states.len()), "{example:?}");
            shows(&spec, example);
        }
    }
}

/// Of windows that open later any number may be open at once.
#[test]
fn chains_of_later_windows_are_followed() {
    let chain = "G(a -> F[1s,1s] b) & G(b -> F[1s,1s] c)";
    let found = compare(&timed_spec(&[chain, "G(a -> F[2s,2s] c)"])).unwrap();
    assert_eq!(found.relation, Relation::Stronger);
    let never = "G(a -> F[1s,1s] b) & G(b -> F[2s,2s] c) & G(a -> G[3s,3s] !c) & F a";
    for (formula, oddity) in [
        (never, Some(Oddity::Unsatisfiable)),
        ("G(a -> F[1s,1s] b) & G(b -> F[2s,2s] c) & G(a -> G[2s,2s] !c) & F a", None),
        ("G(a -> F[1s,1s] b) & G(b -> G[1s,1s] c) & F(a & F[2s,2s] !c)", Some(Oddity::Unsatisfiable)),
        // Windows of one moment and wider ones.
        ("G(a -> F[1s,1s] b) & G(b -> F[1s,2s] c) & G(a -> G[2s,3s] !c) & F a", Some(Oddity::Unsatisfiable)),
        ("G(a -> F[1s,1s] b) & G(b -> F[1s,2s] c) & G(a -> G[2s,3s) !c) & F a", None),
        ("G(a -> O[1s,1s] b) & G(b -> O[1s,2s] c) & G(a -> H[2s,3s] !c) & F a", Some(Oddity::Unsatisfiable)),
        ("G(a -> F[1s,1s] b) & G(c -> H[1s,2s] !b) & G(a -> F[2s,3s] c) & F a", Some(Oddity::Unsatisfiable)),
    ] {
        let lint = lint(&timed_spec(&[formula])).unwrap();
        assert_eq!(lint.undecided, [""; 0], "{formula}");
        assert_eq!(lint.findings.first().map(|finding| finding.oddity), oddity, "{formula}");
    }
}

/// The timestamps of an example are the plainest ones there are.
#[test]
fn examples_in_time_are_plain() {
    const SECOND: i64 = 1_000_000_000;
    let found = compare(&timed_spec(&["G(a -> F[0,1s] b)", "G(a -> F[0,2s] b)"])).unwrap();
    assert_eq!(found.examples[0].time.as_deref(), Some(&[0, 2 * SECOND][..]));
    let found = compare(&timed_spec(&["F[0,1s) a", "F[0,1s] a"])).unwrap();
    assert_eq!(found.examples[0].time.as_deref(), Some(&[0, SECOND][..]));
}

#[test]
fn findings_in_time_are_right() {
    let spec = timed_spec(&[
        "F[0,1s] a & G[0,2s] !a",
        "F[0,1s] a -> F[0,2s] a",
        "G(a -> F[0,1s] b)",
        "G(a -> F[0,2s] b)",
        "F[3s,3s] c",
        "G[2s,4s] !c",
        "F c",
    ]);
    let lint = lint(&spec).unwrap();
    let found: Vec<(&str, Oddity, Vec<&str>)> = lint
        .findings
        .iter()
        .map(|one| (one.property.as_str(), one.oddity, one.others.iter().map(String::as_str).collect()))
        .collect();
    assert_eq!(lint.undecided, [""; 0]);
    assert_eq!(
        found,
        [
            ("p1", Oddity::Unsatisfiable, vec![]),
            ("p2", Oddity::Valid, vec![]),
            ("p4", Oddity::ImpliedBy, vec!["p3"]),
            ("p7", Oddity::ImpliedBy, vec!["p5"]),
            ("p5", Oddity::ConflictsWith, vec!["p6"]),
        ]
    );
    lint.findings.iter().filter_map(|finding| finding.example.as_ref()).for_each(|example| shows(&spec, example));
}

/// Properties that share no variable still share the clock, and still need not conflict.
#[test]
fn properties_with_nothing_but_the_clock_in_common() {
    let conflicts = |formulas: &[&str]| {
        let lint = lint(&timed_spec(formulas)).unwrap();
        assert_eq!(lint.undecided, [""; 0]);
        lint.findings.iter().filter(|finding| finding.oddity == Oddity::ConflictsWith).count()
    };
    // The second position is a second later for one, and two for the other.
    assert_eq!(conflicts(&["X (a & WX false) & F[1s,1s] a", "X (b & WX false) & !b & F[2s,2s] b"]), 1);
    assert_eq!(conflicts(&["X (a & WX false) & F[1s,1s] a", "X (b & WX false) & !b & F[1s,2s] b"]), 0);
}

/// Values of earlier states and bounds in time together are tried out.
#[test]
fn values_of_earlier_states_are_tried_in_time() {
    let spec = timed_spec(&["F[1s,2s] (past(a) & !a)", "false"]);
    let found = compare(&spec).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(found.relation, Relation::Weaker);
    shows(&spec, &found.examples[0]);
}
