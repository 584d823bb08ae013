//! The tightest bound that is said to have held does hold, and one less does not.

use proptest::prelude::*;
use traceward::report::{ResponseReport, Unit};
use traceward::{CheckOptions, PropertyReport, Spec, Verdict, check, check_with};

/// A state: a request, an answer, the nanoseconds since the state before, and a key.
type Row = (bool, bool, u8, bool);

fn csv(rows: &[Row]) -> String {
    let mut time = 0;
    let mut text = "a,b,t,k\n".to_owned();
    for (a, b, gap, key) in rows {
        time += u64::from(*gap);
        text += &format!("{a},{b},{time},{}\n", u8::from(*key));
    }
    text
}

fn asked(settings: &str, formula: &str, rows: &[Row]) -> PropertyReport {
    let text = format!("trace {{ time t:ns {settings} }} property p = {formula}");
    let spec: Spec = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
    let report = check(&spec, csv(rows).as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}"));
    report.properties.into_iter().next().expect("one property")
}

/// What every request needs, by looking at all states behind it; none if there is no answer.
fn needed(rows: &[Row], from: u64, unit: Unit) -> Vec<Option<u64>> {
    let mut needed = Vec::new();
    for (position, _) in rows.iter().enumerate().filter(|(_, (a, ..))| *a) {
        let time = |to: usize| rows[position + 1..=to].iter().map(|(_, _, gap, _)| u64::from(*gap)).sum();
        let distance = |to: usize| if unit == Unit::Steps { (to - position) as u64 } else { time(to) };
        let answers = (position..rows.len()).filter(|&to| rows[to].1);
        needed.push(answers.map(distance).filter(|distance| *distance >= from).min());
    }
    needed
}

/// The rows of a key, each with the time since the one before of the same key.
fn of_key(rows: &[Row], wanted: bool) -> Vec<Row> {
    let (mut since, mut found) = (0_u8, Vec::new());
    for (a, b, gap, key) in rows {
        since += gap;
        if *key == wanted {
            found.push((*a, *b, std::mem::take(&mut since), *key));
        }
    }
    found
}

fn matches(report: &ResponseReport, needed: &[Option<u64>], to: u64) {
    let came: Vec<u64> = needed.iter().copied().flatten().collect();
    assert_eq!(report.in_time, came.iter().filter(|bound| **bound <= to).count());
    assert_eq!(report.late, came.iter().filter(|bound| **bound > to).count());
    assert_eq!(report.never, needed.len() - came.len());
    assert_eq!(report.largest.as_ref().map(|largest| largest.bound), came.iter().max().copied());
}

fn bound(from: u64, to: u64, unit: Unit) -> String {
    let unit = if unit == Unit::Steps { "" } else { "ns" };
    format!("[{from}{unit},{to}{unit}]")
}

fn rows() -> impl Strategy<Value = Vec<Row>> {
    proptest::collection::vec((prop::bool::weighted(0.4), prop::bool::weighted(0.4), 0_u8..4, any::<bool>()), 1..12)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_tightest_bound_holds_and_none_below(
        rows in rows(), from in 0_u64..4, width in 0_u64..4, in_time in any::<bool>(), by in any::<bool>(),
        shape in prop::sample::select(vec!["G(a -> F# b)", "G((a -> F# b) & (b | !b))", "G(a -> (a -> F# b))"]),
    ) {
        let unit = if in_time { Unit::Time } else { Unit::Steps };
        let settings = if by { "by k" } else { "" };
        let formula = |to| shape.replace('#', &bound(from, to, unit));
        let report = asked(settings, &formula(from + width), &rows);
        let [response] = &report.responses[..] else { panic!("one response") };
        let needed = match by {
            false => needed(&rows, from, unit),
            true => [false, true].iter().flat_map(|key| needed(&of_key(&rows, *key), from, unit)).collect(),
        };
        matches(response, &needed, from + width);
        prop_assert_eq!(report.verdict == Verdict::Satisfied, response.late + response.never == 0);
        match response.tightest() {
            None => prop_assert!(needed.is_empty() || response.never > 0),
            Some(tightest) => {
                prop_assert_eq!(asked(settings, &formula(tightest.bound), &rows).verdict, Verdict::Satisfied);
                if tightest.bound > from {
                    let tighter = asked(settings, &formula(tightest.bound - 1), &rows);
                    prop_assert_eq!(tighter.verdict, Verdict::Violated);
                    let place = (tightest.at.line, tightest.key.clone());
                    let violated = tighter.evidence.violations.iter().flat_map(|found| &found.first);
                    let violated: Vec<_> = match &tighter.keys {
                        None => violated.map(|one| (one.line, None)).collect(),
                        Some(keys) => keys.first_violations.iter().flat_map(|key| {
                            let found = key.evidence.violations.iter().flat_map(|found| &found.first);
                            found.map(|one| (one.line, Some(key.key.clone())))
                        }).collect(),
                    };
                    prop_assert!(violated.contains(&place), "{:?} among {:?}", place, violated);
                }
            }
        }
    }
}

/// The property's parts that ask for something within a window, each by its text.
fn responses(settings: &str, formula: &str) -> Vec<String> {
    let report = asked(settings, formula, &[(true, false, 0, false), (false, true, 1, false)]);
    report.responses.into_iter().map(|one| one.response).collect()
}

#[test]
fn responses_are_found_where_they_are_asked_again_and_again() {
    assert_eq!(responses("", "G(a -> F[0,5] b) & G(b -> F[1,2] a)"), ["F[0,5] b", "F[1,2] a"]);
    assert_eq!(responses("", "G F[0,5] b"), ["F[0,5] b"]);
    assert_eq!(responses("", "G[2,9](a -> b & F[0ns,5ns] (a | b))"), ["F[0ns,5ns] (a | b)"]);
    for other in ["F[0,5] b", "G(a -> F b)", "G(a -> F[2,inf] b)", "F(a -> F[0,5] b)", "G(a | F[0,5] b)", "G a"] {
        assert!(responses("", other).is_empty(), "{other}");
    }
}

#[test]
fn nothing_is_said_of_a_trace_that_goes_on() {
    let spec: Spec = "G(a -> F[0,1] b)".parse().expect("a formula");
    let report = check_with(&spec, b"a,b\n1,0\n".as_slice(), &CheckOptions::default().prefix()).expect("booleans");
    assert!(report.properties[0].responses.is_empty());
}

#[test]
fn the_first_of_the_worst_is_named() {
    let rows = [(true, false, 0, false), (true, true, 3, true), (true, false, 1, true), (false, true, 3, false)];
    let report = asked("", "G(a -> F[0ns,2ns] b)", &rows);
    let response = &report.responses[0];
    assert_eq!((response.in_time, response.late, response.never), (1, 2, 0));
    let tightest = response.tightest().expect("all came");
    assert_eq!((tightest.bound, tightest.at.position, tightest.at.line, tightest.at.time), (3, 0, 2, Some(0)));
    let report = asked("by k", "G(a -> F[0ns,2ns] b)", &rows);
    let response = &report.responses[0];
    assert_eq!((response.in_time, response.late, response.never), (1, 1, 1));
    let largest = response.largest.as_ref().expect("two came");
    assert_eq!((largest.bound, largest.at.line, largest.key.as_deref()), (7, 2, Some("0")));
    assert_eq!(response.tightest(), None);
}
