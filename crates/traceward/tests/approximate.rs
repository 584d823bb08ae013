//! Approximate values in reports and monitors, and asserts that are too close to them.

use traceward::engine::{Precision, Tolerance, ToleranceKind};
use traceward::report::QueryValue;
use traceward::{
    CheckOptions, Config, Error, Goal, Known, Monitor, Report, Request, Source, Spec, State, Value, Verdict, check_with,
};

fn spec(text: &str) -> Spec {
    Spec::parse(vec![Source::new("spec", text, Goal::Query)]).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn config(beyond: usize) -> Config {
    Config { precision: Some(Precision::Sketched { beyond, accuracy: 0.05 }), ..Config::default() }
}

/// States with different numbers, every third of them 7, for two keys.
fn csv(states: i64) -> String {
    let row = |index: i64| format!("{},{},k{}\n", if index % 3 == 0 { 7 } else { index }, index % 900, index % 2);
    "x,y,key\n".to_owned() + &(0..states).map(row).collect::<String>()
}

fn checked(spec: &Spec, config: Config) -> Result<Report, Error> {
    check_with(spec, csv(6000).as_bytes(), &CheckOptions::default().config(config))
}

fn monitored(spec: &Spec, config: Config, states: i64) -> Monitor {
    let mut monitor = Monitor::with_config(spec, config).expect("what can be followed");
    for index in 0..states {
        let x = if index % 3 == 0 { 7 } else { index };
        monitor.step(&State::new().with("x", x).with("y", index % 900)).expect("a state");
    }
    monitor
}

fn whole(value: &QueryValue) -> Option<&Value> {
    match value {
        QueryValue::Whole(value) => value.as_ref(),
        QueryValue::ByKey { .. } => panic!("one trace has one value"),
    }
}

#[test]
fn reports_say_how_good_each_value_is() {
    let spec = spec("query d = distinct(x) query m = mode(x) query u = mode(y) query h = histogram(3, x)");
    let report = checked(&spec, config(0)).expect("a report");
    let monitor = monitored(&spec, config(0), 6000);
    let expected = [Some(ToleranceKind::Likely), None, Some(ToleranceKind::Frequency), Some(ToleranceKind::Borders)];
    for ((query, running), expected) in report.queries.iter().zip(monitor.queries_at_end()).zip(expected) {
        assert_eq!(query.tolerance.map(|tolerance| tolerance.kind), expected, "{}", query.name);
        let Known::Value { value, tolerance, .. } = running.known else { panic!("{running:?}") };
        assert_eq!(tolerance.map(|tolerance| tolerance.kind), expected, "{}", query.name);
        if query.name != "u" {
            assert_eq!(whole(&query.value), value.as_ref(), "{}", query.name);
        }
    }
    assert_eq!(whole(&report.queries[1].value), Some(&Value::Int(7)));
    let exact = checked(&spec, Config::default()).expect("a report");
    assert!(exact.queries.iter().all(|query| query.tolerance.is_none()), "files are exact unless told");
}

#[test]
fn by_key_the_worst_error_is_told() {
    let by_key = spec("trace { by key } query d = distinct(x)");
    let report = checked(&by_key, config(0)).expect("a report");
    let expected = Tolerance { relative: 0.05, kind: ToleranceKind::Likely };
    assert_eq!(report.queries[0].tolerance, Some(expected));
    let QueryValue::ByKey { values, .. } = &report.queries[0].value else { panic!("values by key") };
    for (key, value) in values {
        let told = value.as_ref().and_then(Value::as_f64).expect("a number");
        assert!((told / 2001.0 - 1.0).abs() < 0.05, "{key}: {told}");
    }
    // No key has so many different numbers.
    let report = checked(&by_key, config(3000)).expect("a report");
    assert_eq!(report.queries[0].tolerance, None);
}

/// There are 4001 different numbers.
#[test]
fn an_assert_within_the_error_is_not_decided() {
    for (assert, expected) in [
        ("distinct(x) <= 4001", None),
        ("distinct(x) > 3900", None),
        ("distinct(x) <= 3000", Some(Verdict::Violated)),
        ("distinct(x) >= 3000", Some(Verdict::Satisfied)),
        ("distinct(x) * 2 > 10", None),
        ("mode(x) == 7", Some(Verdict::Satisfied)),
        ("mode(y) == 0", None),
        ("mode(y) < 1000000", None),
    ] {
        let spec = spec(&format!("assert a = {assert}"));
        match (checked(&spec, config(10)), expected) {
            (Ok(report), Some(expected)) => assert_eq!(report.properties[0].verdict, expected, "{assert}"),
            (Err(Error::Request(Request::TooClose { .. })), None) => {}
            (Ok(report), None) => panic!("{assert}: {}", report.properties[0].verdict),
            (Err(error), _) => panic!("{assert}: {error}"),
        }
        let monitor = monitored(&spec, config(10), 6000);
        let id = monitor.property_ids().next().expect("an assert");
        assert_eq!(monitor.doubt(id).is_none(), expected.is_some(), "{assert}: {:?}", monitor.doubt(id));
        assert!(!monitor.property(id).is_final(), "{assert}: nothing is certain because of an estimate");
        if let Some(expected) = expected {
            assert_eq!(monitor.end(), [expected], "{assert}");
        }
    }
}

/// As long as it is exact, a count that is too high stays too high.
#[test]
fn an_exact_count_decides_early() {
    let spec = spec("assert few = distinct(x) <= 20");
    let monitor = monitored(&spec, config(1000), 200);
    assert_eq!(monitor.verdicts(), [Verdict::Violated]);
    let monitor = monitored(&spec, config(10), 200);
    assert_eq!((monitor.verdicts(), monitor.end()), (vec![Verdict::Pending], vec![Verdict::Violated]));
}
