//! Keys that are evaluated ahead, by a second thread, are answered for as if there were one.

use std::fmt::Write;
use std::num::NonZero;
use traceward::input::{Pieces, TimeColumn, TimeUnit};
use traceward::{CheckOptions, ReadOptions, Settings, Source, Spec, check_with};

/// So many states that several batches are made of them.
const STATES: usize = 420_000;

/// Formulas that are judged many keys at a time, with and without time, and what else is made of
/// their parts.
const TOGETHER: &str = "
    property answered = G(request -> F grant)
    property soon = G(request -> F[0,3] grant)
    property in_time = G(request -> F[0,700ms] grant)
    assert few = count(request) <= 200000
    query waits = max(latency(request -> grant))
    query largest = max(x)
";

/// A formula that speaks of earlier states, so that keys are judged one by one.
const ALONE: &str = "property grows = G !(past(x) > x)";

fn chance(row: usize) -> u64 {
    (row as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 23
}

/// Most states are of one key; the others have a few each. `zero` is a row whose `x` is 0, `back`
/// one that goes back in time.
fn csv(zero: Option<usize>, back: Option<usize>) -> String {
    let mut text = "t,k,request,grant,x\n".to_owned();
    for row in 0..STATES {
        let chance = chance(row);
        let key = if row % 5 < 2 { 0 } else { 1 + chance % 4000 };
        let time = if back == Some(row) { 0 } else { row };
        let x = if zero == Some(row) { 0 } else { 1 + chance % 50 };
        let _ = writeln!(text, "{time},{key},{},{},{x}", chance >> 5 & 1, u8::from(chance >> 6 & 3 == 0));
    }
    text
}

fn told(spec: &str, input: &str, threads: usize) -> String {
    let settings = Settings {
        by: Some("k".to_owned()),
        time: Some(TimeColumn::new("t", Some(TimeUnit::Ms))),
        ..Settings::default()
    };
    let source = Source::new("spec", spec, traceward::Goal::Check);
    let spec = Spec::parse_with(vec![source], settings).unwrap_or_else(|error| panic!("{error:?}"));
    let pieces = Pieces { threads: NonZero::new(threads).expect("threads"), ..Pieces::default() };
    let options = CheckOptions::default().read(ReadOptions { pieces, ..ReadOptions::default() });
    format!("{:?}", check_with(&spec, input.as_bytes(), &options))
}

fn agree(spec: &str, input: &str) -> String {
    let alone = told(spec, input, 1);
    for threads in [2, 3] {
        assert!(told(spec, input, threads) == alone, "{threads} threads tell something else of `{spec}`");
    }
    alone
}

#[test]
fn keys_are_answered_for_alike() {
    let told = agree(TOGETHER, &csv(None, None));
    assert!(told.contains("states: 420000"), "{}", &told[..300]);
    assert!(told.contains("Violated") && told.contains("Satisfied"));
    agree(ALONE, &csv(None, None));
}

#[test]
fn the_same_mistake_is_told() {
    let failing = format!("{TOGETHER}\nproperty fails = G(1000 / x > 0)");
    for row in [1, 200_001, STATES - 1] {
        assert!(agree(&failing, &csv(Some(row), None)).starts_with("Err"));
        assert!(agree(TOGETHER, &csv(None, Some(row.max(20)))).starts_with("Err"));
    }
}
