//! Monitors that were saved go on as if nothing had been, and bytes that are none are refused.

use proptest::prelude::*;
use proptest::sample::select;
use std::fmt::Write;
use std::sync::Arc;
use traceward::engine::Precision;
use traceward::{
    Config, Error, Feed, Goal, Monitor, RestoreError, RunQuestions, Source, Spec, SpecError, State, Verdict,
};
use traceward_engine::saved::checksum;
use traceward_logic::formula::Formulas;
use traceward_logic::trace::{Trace, VariableId};
use traceward_testkit::generate::expr::{self, COLUMNS};
use traceward_testkit::generate::query::{self, Errors};
use traceward_testkit::generate::{self, Windows};

/// What the propositions `a`, `b` and `c` of random formulas stand for.
const PROPOSITIONS: &str = "let a = past(i) < i\nlet p = b\nlet q = s == \"a\" | x > past(x, 2)\n";

const TYPES: &str =
    "b: boolean  `event.c`: boolean  i: number  `U`: number  x: number  `a b`: number  s: string  t: string";

/// Asserts of all kinds.
const ASSERTS: [&str; 10] = [
    "count(i > 1) <= 3",
    "sum(abs(i)) < 100",
    "median(x) < 2",
    "distinct(s) <= 3",
    "max(i - past(i)) <= min(x)",
    "(count(i > 0) while !(x > 1)) >= 1",
    "quantile(0.9, x) > 0.5",
    "last(i) == 2",
    "max(count(i > 0) while x < 2) <= 4",
    "avg(10 / i) < 5",
];

fn parsed(text: &str) -> Result<Spec, SpecError> {
    Spec::parse(vec![Source::new("spec", text, Goal::Check)])
}

fn spec(text: &str) -> Spec {
    parsed(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// The state of a position. What is missing is not spoken of.
fn state(trace: &Trace, position: usize) -> State {
    let mut state = State::new();
    for (slot, name) in COLUMNS.iter().enumerate() {
        let value = trace.value(VariableId(slot as u32), position);
        if !value.is_missing() {
            state = state.with(*name, value);
        }
    }
    trace.time.as_ref().map_or(state.clone(), |time| state.at(time[position]))
}

/// Everything that a monitor tells.
fn told(monitor: &Monitor) -> String {
    let mut told = format!("{} {:?} {:?}\n", monitor.position(), monitor.verdicts(), monitor.end());
    for id in monitor.property_ids() {
        let line = (monitor.property(id), monitor.doubt(id), monitor.vacuous(id));
        writeln!(told, "{line:?}").expect("a text");
    }
    monitor.queries().chain(monitor.queries_at_end()).for_each(|query| writeln!(told, "{query:?}").expect("a text"));
    let unseen: Vec<&str> = monitor.unseen().collect();
    told + &format!("{:?} {unseen:?}", monitor.warnings())
}

fn restored(spec: &Spec, config: Config, bytes: &[u8]) -> Monitor {
    Monitor::restore(spec, config, bytes).unwrap_or_else(|error| panic!("its own bytes: {error}"))
}

/// Saves a monitor at cuts of a trace; those that were restored are followed to the end beside the
/// one that was never saved.
fn goes_on(spec: &Spec, config: Config, trace: &Trace) -> Result<(), TestCaseError> {
    let mut monitor = Monitor::with_config(spec, config).expect("no bounds in time");
    let between = if trace.len > 20 { 23 } else { 1 };
    let mut others: Vec<(usize, Monitor)> = Vec::new();
    for position in 0..trace.len {
        if position % between == 0 {
            let bytes = monitor.save().expect("nothing is recorded");
            others.push((position, restored(spec, config, &bytes)));
        }
        let state = state(trace, position);
        let stepped = monitor.step(&state).map(<[_]>::to_vec);
        for (cut, other) in &mut others {
            prop_assert_eq!(&other.step(&state).map(<[_]>::to_vec), &stepped, "saved at {}, at {}", cut, position);
            if position % between == 0 {
                prop_assert_eq!(told(other), told(&monitor), "saved at {}, at {}", cut, position);
            }
        }
    }
    let bytes = monitor.save().expect("nothing is recorded");
    prop_assert_eq!(told(&restored(spec, config, &bytes)), told(&monitor));
    Ok(())
}

fn config(beyond: Option<usize>) -> Config {
    let precision = beyond.map(|beyond| Precision::Sketched { beyond, accuracy: 0.01 });
    Config { precision, ..Config::default() }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn a_restored_monitor_tells_the_same(
        settings in select(vec!["", "changes", "missing hold", "changes missing hold"]),
        // Deeper ones are the engines' own tests: each restored observer looks for what is certain
        // anew, which takes minutes for some.
        recipe in generate::formula(2, Windows::Steps),
        queries in proptest::collection::vec(query::query(Errors::Some), 1..3),
        assert in select(ASSERTS.to_vec()),
        beyond in select(vec![None, Some(4)]),
        trace in expr::trace(),
    ) {
        let names: Vec<Arc<str>> = ["a", "p", "q"].map(Arc::from).to_vec();
        let mut formulas = Formulas::new();
        let root = recipe.build(&mut formulas);
        let formula = formulas.display(root, &names).to_string();
        // The past of `M` has no text, and neither has `M` with a bound.
        prop_assume!(!formula.contains(" MP") && !formula.contains(" M["));
        let head = format!("trace {{ time now:ns {TYPES} {settings} }}\n{PROPOSITIONS}");
        let mut text = head + &format!("property random = {formula}\nassert compared = {assert}\n");
        text += "property timed = G(time - past(time) <= 3)\nproperty asked = G(i > 100 -> F p)\n";
        // A query that needs the whole trace is left out.
        for (index, query) in queries.iter().enumerate() {
            let more = format!("{text}query q{index} = {query}\n");
            if parsed(&more).is_ok_and(|spec| Monitor::new(&spec).is_ok()) {
                text = more;
            }
        }
        let spec = spec(&text);
        goes_on(&spec, config(beyond), &trace)?;
    }
}

/// A formula does not look at a state that is to it like the one before. Which one that was is
/// saved.
#[test]
fn what_repeats_is_told_from_what_changes() {
    let spec = spec("property g = G p property f = F !p property u = p U q property w = G(q -> F p)");
    for states in 0..64_u32 {
        let state =
            |nth: u32| State::new().with("p", states >> (2 * nth) & 1 == 1).with("q", states >> (2 * nth) & 2 == 2);
        let mut monitor = Monitor::new(&spec).expect("a monitor");
        let mut others: Vec<Monitor> = Vec::new();
        for nth in 0..3 {
            others.push(restored(&spec, Config::default(), &monitor.save().expect("bytes")));
            monitor.step(&state(nth)).expect("a state");
            for other in &mut others {
                other.step(&state(nth)).expect("a state");
                assert_eq!(told(other), told(&monitor), "{states} at {nth}");
            }
        }
    }
}

/// A monitor with a run of every kind, some of them decided.
const SPEC: &str = "trace { changes time now:ns }
    property waits = G(a -> F b)
    property early = G !c
    property timed = G(time - past(time) <= 1000)
    property earlier = G(x >= past(x))
    assert few = count(a) <= 3
    assert fails = sum(10 / x) < 100
    query half = median(x)
    query most = mode(s)
    query longest = max(count(a) while !b)";

fn followed(spec: &Spec) -> Monitor {
    let mut monitor = Monitor::with_config(spec, config(Some(3))).expect("what can be followed");
    for position in 0..8_i64 {
        let text = ["in", "out", "in"][position as usize % 3];
        let state = State::new().with("a", position % 3 == 0).with("b", position == 4).with("c", position == 5);
        let state = state.with("x", 5 - position).with("s", text).at(position * 1000);
        monitor.step(&state).expect("a state");
    }
    monitor
}

fn refused(spec: &Spec, config: Config, bytes: &[u8]) -> RestoreError {
    match Monitor::restore(spec, config, bytes) {
        Ok(_) => panic!("these bytes are no monitor"),
        Err(Error::Restore(error)) => error,
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn abandoned_and_decided_properties_come_back() {
    let spec = spec(SPEC);
    let monitor = followed(&spec);
    let told_of_it = told(&monitor);
    for part in ["division by zero", "Violated", "Pending", "decided_by: Some"] {
        assert!(told_of_it.contains(part), "{part} in {told_of_it}");
    }
    assert_eq!(told(&restored(&spec, config(Some(3)), &monitor.save().expect("bytes"))), told_of_it);
}

#[test]
fn bytes_that_are_no_monitor_of_the_spec_are_refused() {
    let spec_of = spec;
    let spec = spec_of(SPEC);
    let bytes = followed(&spec).save().expect("bytes");
    let other = spec_of(&SPEC.replace("<= 3", "<= 4"));
    assert_eq!(refused(&other, config(Some(3)), &bytes), RestoreError::OtherSpec);
    let renamed = spec_of(&SPEC.replace("property early", "property soon"));
    assert_eq!(refused(&renamed, config(Some(3)), &bytes), RestoreError::OtherSpec);
    let of_states = spec_of(&SPEC.replace("changes", ""));
    assert_eq!(refused(&of_states, config(Some(3)), &bytes), RestoreError::OtherSpec);
    assert_eq!(refused(&spec, config(None), &bytes), RestoreError::OtherConfig);
    assert_eq!(refused(&spec, config(Some(3)), b"a,b\n1,2\n"), RestoreError::NotAMonitor);
    let mut later = bytes.clone();
    later[4] = 99;
    assert_eq!(refused(&spec, config(Some(3)), &later), RestoreError::Version(99));
    // Comments say nothing, and higher limits are no other settings.
    let commented = spec_of(&SPEC.replace("changes", "changes // as they come\n"));
    let mut patient = config(Some(3));
    patient.limits.work *= 2;
    assert_eq!(restored(&commented, patient, &bytes).position(), 8);
}

#[test]
fn a_monitor_that_records_is_not_saved() {
    let spec = spec("G(a -> F b)");
    let questions = RunQuestions { coverage: true, ..RunQuestions::default() };
    let monitor = Monitor::with_questions(&spec, Config::default(), questions).expect("a monitor");
    let error = monitor.save().expect_err("it would be the whole trace");
    assert!(error.to_string().contains("records states"), "{error}");
}

/// Puts the right checksum behind bytes that were changed, so that reading goes on behind it.
fn signed(mut bytes: Vec<u8>) -> Vec<u8> {
    let body = bytes.len() - 8;
    let sum = checksum(&bytes[..body]);
    bytes[body..].copy_from_slice(&sum.to_le_bytes());
    bytes
}

#[test]
fn damaged_bytes_are_refused() {
    let spec = spec(SPEC);
    let bytes = followed(&spec).save().expect("bytes");
    for cut in 0..bytes.len() {
        assert!(Monitor::restore(&spec, config(Some(3)), &bytes[..cut]).is_err(), "cut at {cut}");
    }
    for place in (0..bytes.len()).step_by(7) {
        let mut changed = bytes.clone();
        changed[place] ^= 1 << (place % 8);
        assert!(Monitor::restore(&spec, config(Some(3)), &changed).is_err(), "changed at {place}");
    }
}

/// Where the saved runs stand in the bytes of a monitor: each from its mark on.
fn runs(bytes: &[u8]) -> Vec<usize> {
    (1..bytes.len() - 4).filter(|place| bytes[*place..].starts_with(b"TWRN")).collect()
}

/// The same with right checksums, those of the runs inside too.
fn signed_throughout(mut bytes: Vec<u8>) -> Vec<u8> {
    for from in runs(&bytes) {
        // The length stands before a run.
        let length = u64::from_le_bytes(bytes[from - 8..from].try_into().expect("eight bytes")) as usize;
        if let Some(run) = from.checked_add(length).and_then(|to| bytes.get(from..to)).filter(|run| run.len() > 8) {
            let run = signed(run.to_vec());
            bytes[from..from + length].copy_from_slice(&run);
        }
    }
    signed(bytes)
}

/// Goes on with whatever was restored: it may be wrong, but nothing breaks.
fn nothing_breaks(spec: &Spec, bytes: &[u8]) -> bool {
    let Ok(mut monitor) = Monitor::restore(spec, config(Some(3)), bytes) else { return false };
    for step in 0..6 {
        let state = State::new().with("a", step % 2 == 0).with("b", step == 2).with("x", step - 2).with("s", "in");
        // A clock that somebody has set far ahead refuses these states.
        let _ = monitor.step(&state.at(1_000_000 + step));
        assert!(!told(&monitor).is_empty());
    }
    true
}

#[test]
fn forged_bytes_break_nothing() {
    let spec = spec(SPEC);
    let bytes = followed(&spec).save().expect("bytes");
    assert!(runs(&bytes).len() > 6);
    assert_eq!(signed_throughout(bytes.clone()), bytes, "the checksums are found");
    let (mut taken, mut refused) = (0, 0);
    for place in 0..bytes.len() - 8 {
        let other = [bytes[place] ^ 0x80, bytes[place].wrapping_add(1), 0, 0xFF][place % 4];
        for changed_to in [bytes[place] ^ 1, other] {
            let mut changed = bytes.clone();
            changed[place] = changed_to;
            let is_taken = nothing_breaks(&spec, &signed_throughout(changed));
            *(if is_taken { &mut taken } else { &mut refused }) += 1;
        }
    }
    assert!(taken > 100 && refused > 100, "{taken} taken, {refused} refused");
}

/// Null texts and types are those of the feed, also behind what was restored.
#[test]
fn a_feed_goes_on_with_a_restored_monitor() {
    let spec = spec("trace { changes } property p = G(defined(x) & x < 3)");
    let mut watch = |_: &Monitor, _: traceward::Event<'_>| Ok::<(), Error>(());
    let mut feed = Feed::new(Monitor::new(&spec).expect("a monitor")).expect("a feed");
    feed.push(b"x,y\n1,2\n,3\n", &mut watch).expect("states");
    let bytes = feed.monitor().save().expect("bytes");
    let options = traceward::ReadOptions { null: vec!["none".to_owned()], ..traceward::ReadOptions::default() };
    let mut feed = Feed::with_options(restored(&spec, Config::default(), &bytes), &options).expect("a feed");
    feed.push(b"x,y\n,3\n2,1\n", &mut watch).expect("states");
    assert_eq!((feed.monitor().position(), feed.monitor().verdicts()), (4, vec![Verdict::Holding]));
    feed.push(b"none,3\n", &mut watch).expect("states");
    assert_eq!(feed.monitor().verdicts(), [Verdict::Violated]);
}
