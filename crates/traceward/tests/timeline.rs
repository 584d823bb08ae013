//! Timelines say of each part what the part says when it is asked alone.

use proptest::collection::vec;
use proptest::prelude::*;
use traceward::report::{RowKind, Timeline};
use traceward::{CheckOptions, Evidence, Spec, Truth, Verdict, check_with};

/// Properties with operators of every direction, and with bounds in steps and in time.
const PROPERTIES: [&str; 12] = [
    "G(a -> F b)",
    "G(a -> X (b | c))",
    "G(a -> F[0,2] (b & !c))",
    "G(a -> F[1ms,3ms] b)",
    "G((a U b) -> (c R !a))",
    "G(b -> O a)",
    "G(c -> (a S b) | Y (c & a))",
    "F(a & WX (b & c))",
    "a U[1,3] (b & c)",
    "G[1,4](a | b -> H[0,2] !c)",
    "G(n > 2 & a -> past(n) >= 1)",
    "(G a) | (F G b) | c",
];

fn trace(rows: &[(bool, bool, bool, u8)]) -> String {
    let mut text = String::from("t,a,b,c,n\n");
    for (index, (a, b, c, n)) in rows.iter().enumerate() {
        text += &format!("{},{a},{b},{c},{n}\n", index / 2);
    }
    text
}

fn spec(text: &str) -> Spec {
    format!("trace {{ time t:ms }}\nproperty p = {text}\n").parse().expect("a spec")
}

fn timelines(evidence: &Evidence) -> Vec<&Timeline> {
    let violations = evidence.violations.iter().flat_map(|found| &found.first).chain(&evidence.judged_at);
    violations.filter_map(|violation| violation.timeline.as_ref()).chain(&evidence.owed_since).collect()
}

/// The truth of a part at every position, by the definition.
fn truth_of(part: &str, trace: &str) -> Vec<bool> {
    let options = CheckOptions::default().truth(Truth::AtEveryPosition).engine(traceward::EngineName::Naive);
    let report = check_with(&spec(part), trace.as_bytes(), &options).expect("an answer");
    let truth = report.properties[0].truth.clone().expect("truth at every position");
    (0..truth.len()).map(|position| truth.get(position)).collect()
}

/// Each row as it is, or as it will be whatever comes.
fn agrees(timeline: &Timeline, trace: &str, is_ended: bool) {
    assert!(!timeline.rows.is_empty());
    for row in &timeline.rows {
        let truth = truth_of(&row.text, trace);
        for (state, known) in timeline.states.iter().zip(&row.truth) {
            match known {
                Some(known) => assert_eq!(*known, truth[state.position], "{} at {}", row.text, state.position),
                None => assert!(!is_ended, "{} at {}", row.text, state.position),
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn rows_are_what_the_definition_says(
        rows in vec((any::<bool>(), any::<bool>(), any::<bool>(), 0..5_u8), 1..12),
    ) {
        let trace = trace(&rows);
        for property in PROPERTIES {
            for (options, is_ended) in [(CheckOptions::default(), true), (CheckOptions::default().prefix(), false)] {
                let report = check_with(&spec(property), trace.as_bytes(), &options.timelines(10)).expect("an answer");
                let evidence = &report.properties[0].evidence;
                timelines(evidence).into_iter().for_each(|timeline| agrees(timeline, &trace, is_ended));
                if is_ended && report.properties[0].verdict == Verdict::Violated {
                    prop_assert!(!timelines(evidence).is_empty(), "{} has no timeline", property);
                }
            }
        }
    }
}

#[test]
fn a_timeline_is_made_of_the_words_of_the_spec() {
    let options = CheckOptions::default().timelines(1);
    let trace = "a,b\n1,0\n0,0\n0,1\n1,0\n1,0\n";
    let spec: Spec = "G(a -> F[0,1] b)".parse().expect("a spec");
    let report = check_with(&spec, trace.as_bytes(), &options).expect("an answer");
    let found = report.properties[0].evidence.violations.as_ref().expect("an always");
    assert_eq!(found.first.iter().map(|one| one.position).collect::<Vec<_>>(), [0, 3, 4]);
    assert_eq!(found.first[1].timeline, None, "only one was asked for");
    let timeline = found.first[0].timeline.as_ref().expect("a timeline");
    assert_eq!((timeline.about, timeline.len, timeline.states.len()), (0, 5, 5));
    let rows: Vec<(&str, RowKind)> = timeline.rows.iter().map(|row| (&*row.text, row.kind)).collect();
    let expected = [
        ("a -> F[0,1] b", RowKind::Formula),
        ("F[0,1] b", RowKind::Formula),
        ("a", RowKind::Proposition),
        ("b", RowKind::Proposition),
    ];
    assert_eq!(rows, expected);
    assert_eq!(timeline.rows[1].truth, [false, true, true, false, false].map(Some));
}

#[test]
fn no_timeline_is_made_unless_it_is_asked_for() {
    let spec: Spec = "G a".parse().expect("a spec");
    let report = check_with(&spec, "a\n0\n".as_bytes(), &CheckOptions::default()).expect("an answer");
    assert_eq!(timelines(&report.properties[0].evidence), Vec::<&Timeline>::new());
}
