//! Keys that do not fit into memory together are answered for as if they did.

use proptest::prelude::*;
use std::io::{self, Cursor};
use std::num::NonZero;
use std::sync::Arc;
use traceward::input::{MissingPolicy, Pieces, Records, Scratch, ScratchFile, Spill, TimeColumn, TimeUnit};
use traceward::{CheckOptions, ReadOptions, Report, Settings, Source, Spec, check_with};

/// Files in memory.
#[derive(Debug)]
struct InMemory;

impl Scratch for InMemory {
    fn create(&self) -> io::Result<Box<dyn ScratchFile>> {
        Ok(Box::new(Cursor::new(Vec::new())))
    }
}

/// A place that has no room.
#[derive(Debug)]
struct Nowhere;

impl Scratch for Nowhere {
    fn create(&self) -> io::Result<Box<dyn ScratchFile>> {
        Err(io::Error::other("no space left on device"))
    }
}

/// Properties and queries of all kinds: formulas, bounds, past states, asserts, experiments.
const SPEC: &str = "
    property answered = G(request -> F grant)
    property soon = G(request -> F[0,3] grant)
    property in_time = G(request -> F[0,4ms] grant)
    property grows = G !(past(x) > x)
    property named = G(s == \"warm\" -> X s != \"cold\")
    property slip = F s == \"hto\"
    property same = G(other == s | !defined(other))
    assert few = count(request) <= 4
    query waits = latency(request -> grant)
    query largest = max(x)
    query names = distinct(s)
    query mean = avg(request : x)
";

#[derive(Clone, Debug)]
struct Row {
    key: u8,
    request: Option<bool>,
    grant: Option<bool>,
    x: Option<i64>,
    s: Option<&'static str>,
    other: Option<&'static str>,
    step: i64,
}

fn row() -> impl Strategy<Value = Row> {
    let bit = || prop_oneof![4 => any::<bool>().prop_map(Some), 1 => Just(None)];
    let text = || prop::sample::select(&[Some("warm"), Some("cold"), Some("a text that is rather long"), None][..]);
    let x = prop_oneof![6 => (0_i64..9).prop_map(Some), 1 => Just(None), 1 => Just(Some(i64::MAX))];
    (0_u8..7, bit(), bit(), x, text(), text(), 0_i64..4).prop_map(|(key, request, grant, x, s, other, step)| Row {
        key,
        request,
        grant,
        x,
        s,
        other,
        step,
    })
}

fn text<T: ToString>(value: Option<T>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// `bad` is a row with a value that does not fit, `back` one that goes back in time.
fn csv(rows: &[Row], bad: Option<usize>, back: Option<usize>) -> String {
    let mut written = "t,k,request,grant,x,s,other\n".to_owned();
    let mut now = 100;
    for (nth, row) in rows.iter().enumerate() {
        now += row.step;
        let time = if back == Some(nth) { 0 } else { now };
        let x = if bad == Some(nth) { "much".to_owned() } else { text(row.x) };
        let key = if row.key == 6 { String::new() } else { format!("key{}", row.key) };
        let (request, grant, s, other) = (text(row.request), text(row.grant), text(row.s), text(row.other));
        written += &format!("{time},{key},{request},{grant},{x},{s},{other}\n");
    }
    written
}

fn spec(extra: &str, missing: MissingPolicy, records: Records) -> Spec {
    let settings = Settings {
        by: Some("k".to_owned()),
        time: Some(TimeColumn::new("t", Some(TimeUnit::Ms))),
        missing: Some(missing),
        records: Some(records),
        ..Settings::default()
    };
    let source = Source::new("spec", format!("{SPEC}{extra}"), traceward::Goal::Check);
    Spec::parse_with(vec![source], settings).unwrap_or_else(|error| panic!("{error:?}"))
}

fn answer(spec: &Spec, input: &str, spill: Option<Spill>, size: usize) -> Result<Report, traceward::Error> {
    let pieces = Pieces { threads: NonZero::new(2).expect("threads"), size };
    let read = ReadOptions { pieces, spill, ..ReadOptions::default() };
    check_with(spec, input.as_bytes(), &CheckOptions::default().read(read).timelines(3))
}

fn shown(answer: Result<Report, traceward::Error>) -> String {
    match answer {
        Ok(report) => format!("{report:#?}"),
        Err(error) => format!("{error:#?}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn keys_in_parts_are_answered_for_alike(
        rows in prop::collection::vec(row(), 2..70),
        (bad, back) in (prop::option::weighted(0.15, 0_usize..70), prop::option::weighted(0.15, 0_usize..70)),
        (missing, records) in prop_oneof![
            3 => Just((MissingPolicy::False, Records::States)),
            1 => Just((MissingPolicy::Hold, Records::States)),
            1 => Just((MissingPolicy::False, Records::Changes)),
            1 => Just((MissingPolicy::Error, Records::Changes)),
        ],
        overflow in prop::bool::weighted(0.2),
        (memory, size) in (prop_oneof![Just(0_usize), 1_usize..400, 400_usize..3000], 16_usize..400),
    ) {
        let spec = spec(if overflow { "property much = G x + 1 > 0" } else { "" }, missing, records);
        let input = csv(&rows, bad, back);
        let in_memory = shown(answer(&spec, &input, None, size));
        let spill = Spill { memory, scratch: Arc::new(InMemory) };
        prop_assert_eq!(shown(answer(&spec, &input, Some(spill), size)), in_memory);
    }
}

#[test]
fn a_place_that_fails_is_told() {
    let rows = vec![Row { key: 1, request: Some(true), grant: None, x: Some(1), s: None, other: None, step: 1 }; 50];
    let input = csv(&rows, None, None);
    let spec = spec("", MissingPolicy::False, Records::States);
    let spill = Spill { memory: 10, scratch: Arc::new(Nowhere) };
    let error = answer(&spec, &input, Some(spill), 100).unwrap_err();
    let told = "the file that takes what does not fit into memory fails: no space left on device";
    assert!(error.to_string().contains(told), "{error}");
}

/// Times of day are told by the states before, so they stay in memory.
#[test]
fn states_that_depend_on_others_stay_in_memory() {
    let rows: String = (0..200).map(|row| format!("{:02}:{:02}:00,k{},1\n", row / 60, row % 60, row % 3)).collect();
    let spec: Spec = "trace { time t by k } property p = G(a -> F[0,5min] a)".parse().unwrap();
    let input = format!("t,k,a\n{rows}");
    let spill = Spill { memory: 0, scratch: Arc::new(Nowhere) };
    let report = answer(&spec, &input, Some(spill), 50).unwrap();
    assert_eq!(report.trace.states, 200);
}

/// Of the mistakes of keys that are taken together the earliest in the input is told.
#[test]
fn the_earliest_mistake_is_told_whatever_its_key() {
    let many: String = (0..200).map(|row| format!("{row},many,1,1,{row},,\n")).collect();
    let few = "300,a,1,1,1,,\n301,b,1,1,1,,\n302,b,1,1,much,,\n303,a,1,1,more,,\n";
    let input = format!("t,k,request,grant,x,s,other\n{many}{few}");
    let spec = spec("", MissingPolicy::False, Records::States);
    let spill = Spill { memory: 2000, scratch: Arc::new(InMemory) };
    let told = shown(answer(&spec, &input, Some(spill), 100));
    assert_eq!(told, shown(answer(&spec, &input, None, 100)));
    assert!(told.contains("much"), "{told}");
}
