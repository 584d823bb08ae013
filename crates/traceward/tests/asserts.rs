//! Comparisons of queries, on traces that have ended and on traces that go on.

use std::collections::BTreeMap;
use traceward::report::{Compared, Counterpart, Measure};
use traceward::{CheckOptions, Monitor, Report, Spec, State, Value, Verdict, check_with};

const COMPARISONS: &[&str] = &[
    "count(p) <= 1",
    "count(p) >= 1",
    "count(p) == 1",
    "count(p) != 1",
    "1 > count(p)",
    "count(X p) < 1",
    "count(O p) < 2",
    "max(x) <= 1",
    "max(x) > 1",
    "max(x) == 1",
    "min(x) >= 2",
    "min(x) < 2",
    "min(x) != 2",
    "max(p : x) < 2",
    "distinct(x) == 1",
    "distinct(x) < 2",
    "sum(x) <= 2",
    "avg(x) <= 1",
    "last(x) == 2",
    "first(x) == 2",
    "median(x) < 2",
    "min(x) < max(x)",
    "min(x) == max(x)",
    "max(x) <= min(x)",
    "count(p) <= count(!p)",
    "count(p) <= 2 * count(x == 1)",
    "(count(x == 1) while p) >= 1",
    "(max(x) while p) <= 1",
    "(sum(x) while p) == 2",
    "(count(p) while F p) < 2",
    "(max(x) ?? 0) <= 1",
    "(F (p : x)) < 2",
    "((X x) ?? 5) == 5",
    "(X (p : x)) <= 1",
    "(X x) <= 1",
    "count((p : x) &[+] (x == 1 : 1)) < 1",
    "max(count(p) while p) <= 1",
    "count(p) * 2 <= 2",
    "fold(0, (acc, v) => acc + v, x) <= 2",
    "fold(0, (acc, v) => v, p : x) forward == 1",
    "(fold(0, (n, v) => n + 1, x) while p) >= 1",
    "3 <= 2",
];

/// The states: p is false or true, x is missing, 1 or 2.
const STATES: [&str; 6] = ["0,", "0,1", "0,2", "1,", "1,1", "1,2"];

/// All traces of one to so many states, as the numbers of their states.
fn traces(most: usize) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    let mut from = 0;
    for _ in 0..most {
        let to = all.len();
        for before in from..to {
            let longer = (0..STATES.len()).map(|state| [&all[before][..], &[state]].concat());
            all.extend(longer.collect::<Vec<_>>());
        }
        from = to;
    }
    all.split_off(1)
}

fn csv(trace: &[usize]) -> String {
    let rows: String = trace.iter().map(|&state| format!("{}\n", STATES[state])).collect();
    format!("p,x\n{rows}")
}

fn report(spec: &Spec, input: &str, options: &CheckOptions) -> Report {
    check_with(spec, input.as_bytes(), options).unwrap_or_else(|error| panic!("{error} on {input}"))
}

/// For each comparison the verdict on a trace that has ended, and the one on it if it goes on.
fn judged(spec: &Spec, trace: &[usize]) -> Vec<[Verdict; 2]> {
    let input = csv(trace);
    let [ended, goes_on] = [CheckOptions::default(), CheckOptions::default().prefix()]
        .map(|options| report(spec, &input, &options).properties.into_iter().map(|property| property.verdict));
    ended.zip(goes_on).map(|(ended, goes_on)| [ended, goes_on]).collect()
}

/// A final verdict stays, and any other is what it would be if the trace ended here.
#[test]
fn verdicts_on_prefixes_are_never_wrong() {
    let traces = traces(3);
    let asserts = COMPARISONS.iter().enumerate().map(|(nth, text)| format!("assert a{nth} = {text};"));
    let spec: Spec = format!("trace {{ x: number }} {}", asserts.collect::<String>()).parse().expect("asserts");
    let judged: BTreeMap<&[usize], Vec<[Verdict; 2]>> =
        traces.iter().map(|trace| (&trace[..], judged(&spec, trace))).collect();
    let mut finals = 0;
    for (trace, ended) in &judged {
        for before in (1..=trace.len()).map(|length| &trace[..length]) {
            for ((text, [ended, _]), [here, now]) in COMPARISONS.iter().zip(ended).zip(&judged[before]) {
                let said = if now.is_final() { ended } else { here };
                let holds = matches!(now, Verdict::Satisfied | Verdict::Holding);
                assert_eq!(*said, Verdict::at_end(holds), "{text} is {now} on {before:?}, then {trace:?}");
                finals += usize::from(now.is_final());
            }
        }
    }
    assert!(finals > 5000, "only {finals} final verdicts");
}

/// The verdict on each comparison after each state, as a monitor says it, and at the end; none for
/// those that cannot be followed.
fn monitored(spec: &Spec, trace: &[usize]) -> Vec<Vec<Verdict>> {
    let mut monitor = Monitor::new(spec).expect("comparisons that can be followed");
    let mut verdicts = Vec::new();
    for &state in trace {
        let (p, x) = STATES[state].split_once(',').expect("two values");
        let state = State::new().with("p", p == "1");
        let state = if x.is_empty() { state } else { state.with("x", x.parse::<i64>().expect("a number")) };
        monitor.step(&state).expect("a state");
        verdicts.push(monitor.verdicts());
    }
    verdicts.push(monitor.end());
    verdicts
}

/// A monitor is never wrong, and at the end it says what `check` says.
#[test]
fn verdicts_of_monitors_are_never_wrong() {
    let can_be_followed = |text: &&&str| {
        let spec: Spec = format!("trace {{ x: number }} assert a = {text}").parse().expect(text);
        Monitor::new(&spec).is_ok()
    };
    let followed: Vec<&str> = COMPARISONS.iter().filter(can_be_followed).copied().collect();
    assert!(followed.len() + 3 >= COMPARISONS.len(), "only {followed:?}");
    let asserts = followed.iter().enumerate().map(|(nth, text)| format!("assert a{nth} = {text};"));
    let spec: Spec = format!("trace {{ x: number }} {}", asserts.collect::<String>()).parse().expect("asserts");
    let traces = traces(3);
    let ended: BTreeMap<&[usize], Vec<Verdict>> = traces
        .iter()
        .map(|trace| (&trace[..], judged(&spec, trace).into_iter().map(|[ended, _]| ended).collect()))
        .collect();
    let mut finals = 0;
    for trace in &traces {
        let said = monitored(&spec, trace);
        assert_eq!(said.last(), Some(&ended[&trace[..]]), "at the end of {trace:?}");
        for (length, verdicts) in (1..=trace.len()).zip(&said) {
            for (nth, verdict) in verdicts.iter().enumerate() {
                let holds = matches!(verdict, Verdict::Satisfied | Verdict::Holding);
                let judged = if verdict.is_final() { &ended[&trace[..]] } else { &ended[&trace[..length]] };
                assert_eq!(
                    judged[nth],
                    Verdict::at_end(holds),
                    "{} is {verdict} at {length} of {trace:?}",
                    followed[nth]
                );
                finals += usize::from(verdict.is_final());
            }
        }
    }
    assert!(finals > 5000, "only {finals} final verdicts");
}

#[test]
fn a_sum_is_monotone_only_where_its_terms_are_known_not_to_be_negative() {
    let verdicts = |text: &str| {
        let spec: Spec = format!("trace {{ x: number }} assert a = {text}").parse().expect(text);
        let mut monitor = Monitor::new(&spec).expect("a monitor");
        monitor.step(&State::new().with("x", 3)).expect("a state");
        monitor.verdicts()
    };
    assert_eq!(verdicts("sum(x) <= 2"), [Verdict::Pending]);
    assert_eq!(verdicts("sum(abs(x)) <= 2"), [Verdict::Violated]);
    assert_eq!(verdicts("sum(x > 0 : 5) <= 2"), [Verdict::Violated]);
    assert_eq!(verdicts("count(x > 1) <= 0"), [Verdict::Violated]);
}

/// The empty trace has nothing to count, and a constant is one all the same.
#[test]
fn the_empty_trace() {
    for (text, verdict) in [
        ("count(p) == 0", Verdict::Satisfied),
        ("2 * count(p) < 1", Verdict::Satisfied),
        ("count(p) <= count(x > 1)", Verdict::Satisfied),
        ("max(x) <= 5", Verdict::Violated),
    ] {
        let spec: Spec = format!("property a = {text}").parse().expect(text);
        assert_eq!(report(&spec, "p,x\n", &CheckOptions::default()).properties[0].verdict, verdict, "{text}");
    }
}

#[test]
fn the_values_that_were_compared() {
    let compared = |text: &str| {
        let spec: Spec = text.parse().expect(text);
        report(&spec, "p,x\n1,3\n0,5\n", &CheckOptions::default()).properties[0].evidence.compared.clone()
    };
    let with = |value, with| Some(Compared { value, with, measure: Measure::Plain });
    let five = Some(Value::Int(5));
    assert_eq!(compared("max(x) <= 4"), with(five.clone(), Counterpart::Constant(Value::Int(4))));
    assert_eq!(compared("4 >= max(x)"), with(five.clone(), Counterpart::Constant(Value::Int(4))));
    assert_eq!(compared("max(x) <= max(x > 9 : x)"), with(five, Counterpart::Query(None)));
    assert_eq!(compared("x + 1 <= 3"), None, "a formula, judged at position 0");
}
