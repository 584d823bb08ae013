//! Summaries of more values than are kept: how many different ones, which is the most frequent,
//! and histograms.

use rustc_hash::{FxHashMap, FxHashSet};
use std::num::NonZero;
use traceward_engine::automaton::algebraic::Collector;
use traceward_engine::limit::Limits;
use traceward_engine::query::accumulator::{Accumulator, End};
use traceward_engine::query::online::{Online, OnlineRun, Trend};
use traceward_engine::query::{Precision, Queries, Tolerance, ToleranceKind};
use traceward_engine::saved::checksum;
use traceward_logic::ast::Aggregate;
use traceward_logic::bitmap::Bitmap;
use traceward_logic::expr::StateAt;
use traceward_logic::lower::{Goal, Lowered};
use traceward_logic::semantics;
use traceward_logic::trace::{Column, Trace};
use traceward_logic::value::Value;
use traceward_testkit::lowered;

const BEYOND: usize = 1000;
const ACCURACY: f64 = 0.01;
const SKETCHED: Precision = Precision::Sketched { beyond: BEYOND, accuracy: ACCURACY };

/// Numbers that look random, the same ones always.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 20
    }

    fn unit(&mut self) -> f64 {
        (self.next() % (1 << 40)) as f64 / (1_u64 << 40) as f64
    }
}

/// Data that is hard for a sketch, by name.
fn adversarial() -> Vec<(&'static str, Vec<Value>)> {
    let count = 30_000;
    let mut random = Random(7);
    let mut made =
        |one: &dyn Fn(i64, f64) -> Value| -> Vec<Value> { (0..count).map(|index| one(index, random.unit())).collect() };
    vec![
        ("sorted", made(&|index, _| Value::Int(index))),
        ("sorted backwards", made(&|index, _| Value::Int(-index))),
        ("constant", made(&|_, _| Value::Int(7))),
        ("heavy tails", made(&|_, unit| Value::Int((1.0 - unit).powf(-1.5) as i64))),
        ("all distinct floats", made(&|index, unit| Value::Float(index as f64 + unit))),
        (
            "integers as floats, too",
            made(&|index, _| match index % 2 {
                0 => Value::Int(index / 4),
                _ => Value::Float((index / 4) as f64),
            }),
        ),
        ("a few thousand", made(&|_, unit| Value::Int((unit * 5000.0) as i64))),
        ("multiples of a large power of two", made(&|index, _| Value::Int(index << 40))),
        ("both signs", made(&|_, unit| Value::Float((unit - 0.5) * 1e6))),
        ("one that hides", made(&|index, _| Value::Int(if index % 3 == 2 { -1 } else { index }))),
        ("strings", made(&|_, unit| Value::str(&format!("session-{}", (unit * 8000.0) as i64)))),
        (
            "strings, one of them often",
            made(&|index, unit| match index % 4 {
                0 => Value::str("usual"),
                _ => Value::str(&format!("rare-{unit}")),
            }),
        ),
    ]
}

fn collected(aggregate: Aggregate, precision: Precision, values: &[Value], end: End) -> Accumulator {
    let mut accumulator = Accumulator::with_precision(&Collector::Aggregate(aggregate), precision);
    values.iter().enumerate().for_each(|(position, value)| accumulator.add(value, end, position));
    accumulator
}

fn value(accumulator: &Accumulator) -> Value {
    accumulator.value(0).expect("no error").expect("a value")
}

fn number(accumulator: &Accumulator) -> f64 {
    value(accumulator).as_f64().expect("a number")
}

/// How often each value occurs.
fn counts(values: &[Value]) -> FxHashMap<Value, usize> {
    let mut counts = FxHashMap::default();
    values.iter().for_each(|value| *counts.entry(semantics::in_one_form(value)).or_insert(0) += 1);
    counts
}

#[test]
fn distinct_values_are_counted_exactly_up_to_a_size_and_estimated_beyond() {
    let mut estimated = 0;
    for (name, values) in adversarial() {
        let mut accumulator = Accumulator::with_precision(&Collector::Aggregate(Aggregate::Distinct), SKETCHED);
        let mut seen = FxHashSet::default();
        for (position, one) in values.iter().enumerate() {
            accumulator.add(one, End::Back, position);
            seen.insert(semantics::in_one_form(one));
            if position % 500 != 0 && seen.len() != BEYOND && seen.len() != BEYOND + 1 {
                continue;
            }
            let (told, exact) = (number(&accumulator), seen.len() as f64);
            if seen.len() <= BEYOND {
                assert_eq!((told, accumulator.tolerance()), (exact, None), "{name} at {position}");
            } else {
                estimated += 1;
                let expected = Tolerance { relative: ACCURACY, kind: ToleranceKind::Likely };
                assert_eq!(accumulator.tolerance(), Some(expected), "{name} at {position}");
                assert!((told - exact).abs() <= ACCURACY * exact, "{name} at {position}: {told} for {exact}");
            }
        }
    }
    assert!(estimated > 300, "{estimated} estimates");
}

/// The error that is stated is three standard errors, so that one in a hundred may be off by more.
#[test]
fn the_error_of_an_estimate_is_what_is_said_of_it() {
    let (accuracy, sets, size) = (0.05, 400, 20_000);
    let precision = Precision::Sketched { beyond: 10, accuracy };
    let mut random = Random(3);
    let errors: Vec<f64> = (0..sets)
        .map(|_| {
            let values: Vec<Value> = (0..size).map(|_| Value::Int(random.next() as i64)).collect();
            let accumulator = collected(Aggregate::Distinct, precision, &values, End::Back);
            number(&accumulator) / counts(&values).len() as f64 - 1.0
        })
        .collect();
    let within = errors.iter().filter(|error| error.abs() <= accuracy).count();
    assert!(within * 100 >= sets * 99, "{within} of {sets}");
    let standard = (errors.iter().map(|error| error * error).sum::<f64>() / sets as f64).sqrt();
    assert!(standard * 3.0 <= accuracy, "three standard errors are {}", standard * 3.0);
    assert!(standard > 0.0, "it is an estimate");
}

#[test]
fn a_small_accuracy_that_no_estimate_has_is_not_claimed() {
    let values: Vec<Value> = (0..10).map(Value::Int).collect();
    let precision = Precision::Sketched { beyond: 1, accuracy: 0.0001 };
    let tolerance = collected(Aggregate::Distinct, precision, &values, End::Back).tolerance().expect("an estimate");
    assert_eq!(tolerance, Tolerance { relative: 0.0022, kind: ToleranceKind::Likely });
}

#[test]
fn a_mode_is_proven_or_said_to_be_uncertain() {
    let (mut proven, mut uncertain) = (0, 0);
    for (name, values) in adversarial() {
        let exact = counts(&values);
        let most = *exact.values().max().expect("values");
        for end in [End::Back, End::Front] {
            let accumulator = collected(Aggregate::Mode, SKETCHED, &values, end);
            let mode = value(&accumulator);
            let times = exact[&semantics::in_one_form(&mode)];
            match accumulator.tolerance() {
                None => {
                    assert_eq!(times, most, "{name}");
                    proven += usize::from(exact.len() > BEYOND);
                }
                Some(Tolerance { relative, kind }) => {
                    assert_eq!(kind, ToleranceKind::Frequency, "{name}");
                    assert!(exact.len() > BEYOND, "{name} is small enough to be exact");
                    assert!(relative <= ACCURACY, "{name}: {relative}");
                    let off = (most - times) as f64 / values.len() as f64;
                    assert!(off <= relative, "{name}: off by {off}, and {relative} was said");
                    uncertain += 1;
                }
            }
            if exact.len() > BEYOND {
                let kept = collected(Aggregate::Mode, Precision::Exact, &values, end).bytes();
                assert!(accumulator.bytes() < kept, "{name}");
            }
        }
    }
    assert!(proven >= 4 && uncertain >= 6, "{proven} proven, {uncertain} uncertain");
}

/// Many short sequences of few values, where there is room for still fewer: what is said to be
/// proven is so, also of values that were forgotten and came back.
#[test]
fn a_mode_that_is_proven_is_the_mode() {
    let mut random = Random(11);
    let (mut proven, mut uncertain) = (0, 0);
    for _ in 0..30_000 {
        let (len, different) = (random.next() % 60 + 5, random.next() % 10 + 2);
        let mut one = || Value::Int((random.next() % different).min(random.next() % different) as i64);
        let values: Vec<Value> = (0..len).map(|_| one()).collect();
        let exact = counts(&values);
        let most = *exact.values().max().expect("values");
        let precision = Precision::Sketched { beyond: 0, accuracy: 0.5 };
        let accumulator = collected(Aggregate::Mode, precision, &values, End::Back);
        let off = most - exact[&value(&accumulator)];
        match accumulator.tolerance() {
            None => {
                assert_eq!(off, 0, "{values:?}");
                proven += usize::from(exact.len() > 4);
            }
            Some(Tolerance { relative, .. }) => {
                assert!(off as f64 <= relative * values.len() as f64, "{values:?}: off by {off}");
                uncertain += 1;
            }
        }
    }
    assert!(proven > 100 && uncertain > 100, "{proven} proven, {uncertain} uncertain");
}

/// The counts of a histogram, with the borders of its buckets.
fn buckets(histogram: &Value) -> Vec<(f64, f64, i64)> {
    let Value::List(buckets) = histogram else { panic!("{histogram} is no histogram") };
    let bucket = |bucket: &Value| match bucket {
        Value::List(parts) => match &parts[..] {
            [Value::Float(from), Value::Float(to), Value::Int(count)] => (*from, *to, *count),
            _ => panic!("{bucket} is no bucket"),
        },
        _ => panic!("{bucket} is no bucket"),
    };
    buckets.iter().map(bucket).collect()
}

#[test]
fn histograms_of_numbers_are_off_only_near_their_borders() {
    let mut sketched = 0;
    for (name, values) in adversarial() {
        let Some(numbers) = values.iter().map(Value::as_f64).collect::<Option<Vec<f64>>>() else { continue };
        for wanted in [None, Some(1), Some(7), Some(50)] {
            let aggregate = Aggregate::Histogram(wanted);
            let exact = buckets(&value(&collected(aggregate, Precision::Exact, &values, End::Back)));
            let accumulator = collected(aggregate, SKETCHED, &values, End::Back);
            let expected = Tolerance { relative: ACCURACY, kind: ToleranceKind::Borders };
            assert_eq!(accumulator.tolerance(), Some(expected), "{name}");
            let told = buckets(&value(&accumulator));
            assert_eq!(told, buckets(&value(&collected(aggregate, SKETCHED, &values, End::Front))), "{name}");
            assert_eq!(told.iter().map(|(.., count)| count).sum::<i64>(), values.len() as i64, "{name}");
            let (mut below, mut told_below) = (0, 0);
            for (index, (told, exact)) in told.iter().zip(&exact).enumerate() {
                assert_eq!((told.0, told.1), (exact.0, exact.1), "{name}: borders are exact");
                (below, told_below) = (below + exact.2, told_below + told.2);
                let border = exact.1;
                let near = |number: &&f64| (**number - border).abs() <= ACCURACY * number.abs() * (1.0 + 1e-6);
                let near = numbers.iter().filter(near).count() as i64;
                assert!((below - told_below).abs() <= near, "{name}, bucket {index}: {told_below} for {below}");
            }
            sketched += 1;
        }
    }
    assert!(sketched >= 36, "{sketched} histograms");
}

#[test]
fn histograms_of_strings_and_of_infinite_numbers_are_as_they_were() {
    for (name, values) in adversarial().into_iter().filter(|(name, _)| name.starts_with("strings")) {
        let aggregate = Aggregate::Histogram(None);
        let accumulator = collected(aggregate, SKETCHED, &values, End::Back);
        assert_eq!(accumulator.tolerance(), None, "{name}");
        assert_eq!(value(&accumulator), value(&collected(aggregate, Precision::Exact, &values, End::Back)), "{name}");
    }
    let mut values: Vec<Value> = (0..2000).map(Value::Int).collect();
    values.push(Value::Float(f64::INFINITY));
    let accumulator = collected(Aggregate::Histogram(None), SKETCHED, &values, End::Back);
    assert_eq!(accumulator.value(0), Ok(None));
}

#[test]
fn an_estimate_does_not_depend_on_the_order() {
    for (name, values) in adversarial() {
        let there = collected(Aggregate::Distinct, SKETCHED, &values, End::Back);
        let reversed: Vec<Value> = values.iter().rev().cloned().collect();
        let back = collected(Aggregate::Distinct, SKETCHED, &reversed, End::Front);
        assert_eq!(value(&there), value(&back), "{name}");
    }
}

/// An answer that another machine must give, too.
#[test]
fn estimates_are_the_same_everywhere() {
    let told = |(_, values): (&str, Vec<Value>)| value(&collected(Aggregate::Distinct, SKETCHED, &values, End::Back));
    let told: Vec<String> = adversarial().into_iter().map(told).map(|value| value.to_string()).collect();
    insta::assert_snapshot!(told.join(" "));
}

fn asked(text: &str) -> Lowered {
    lowered(text, Goal::Query, None, None).unwrap_or_else(|errors| panic!("{text}: {errors:?}"))
}

fn online(text: &str) -> Online {
    let lowered = asked(text);
    let precision = Precision::Sketched { beyond: 50, accuracy: 0.1 };
    Online::new(&lowered.formulas, [&lowered.queries[0].query], precision).expect("it can be followed")
}

fn column(values: &[i64]) -> Trace {
    Trace { len: values.len(), columns: vec![Column::of_ints(values.to_vec())], time: None }
}

fn step(online: &Online, run: &mut OnlineRun, trace: &Trace, position: usize) {
    online.step(run, &StateAt { trace, position }, &Limits::default()).expect("no limit");
}

const QUERIES: [&str; 4] = ["distinct(x + 0)", "mode(x + 0)", "histogram(4, x + 0)", "distinct(x + 0) while x > 0"];

/// Numbers of which one is frequent, and then one in every two.
fn numbers(count: i64) -> Vec<i64> {
    let mut random = Random(5);
    (0..count)
        .map(|index| if index > count / 2 && index % 2 == 0 { 3 } else { random.next() as i64 % 4000 + 1 })
        .collect()
}

#[test]
fn sketches_go_on_where_they_were_saved() {
    let trace = column(&numbers(2000));
    for text in QUERIES {
        let online = online(text);
        let mut run = online.start();
        let mut restored: Vec<OnlineRun> = Vec::new();
        for position in 0..trace.len {
            if position % 97 == 0 {
                let bytes = online.save(&run);
                let again = online.restore(&bytes).expect("its own bytes");
                assert!(online.save(&again) == bytes, "{text} at {position}");
                restored.push(again);
            }
            step(&online, &mut run, &trace, position);
            restored.iter_mut().for_each(|one| step(&online, one, &trace, position));
            if position % 50 == 0 {
                restored.iter().for_each(|one| assert_eq!(online.value(one, 0), online.value(&run, 0), "{text}"));
            }
        }
        restored.iter().for_each(|one| assert_eq!(online.value(one, 0), online.value(&run, 0), "{text}"));
        let is_proven = text.starts_with("mode");
        assert_eq!(online.value(&run, 0).tolerance.is_none(), is_proven, "{text}: a sketch was used");
    }
}

#[test]
fn forged_sketches_are_refused_or_go_on_without_a_panic() {
    let trace = column(&numbers(2000));
    for text in QUERIES {
        let online = online(text);
        for states in [60, 400, 1200] {
            let mut run = online.start();
            (0..states).for_each(|position| step(&online, &mut run, &trace, position));
            let saved = online.save(&run);
            let body = saved.len() - 8;
            for place in 0..body {
                // The head is looked at closely, of the many numbers behind it some.
                if place > 400 && place % 13 != 0 {
                    continue;
                }
                for forged in [0, 1, saved[place] ^ 0x10, 0x80, 0xFF] {
                    let mut changed = saved[..body].to_vec();
                    changed[place] = forged;
                    changed.extend(checksum(&changed).to_le_bytes());
                    let Ok(mut run) = online.restore(&changed) else { continue };
                    (0..20).for_each(|position| step(&online, &mut run, &trace, position));
                    let _ = (online.value(&run, 0), online.restore(&online.save(&run)));
                }
            }
        }
    }
}

#[test]
fn nothing_is_certain_because_of_an_estimate() {
    let online = online("distinct(x + 0)");
    let trace = column(&numbers(200));
    let mut run = online.start();
    for position in 0..trace.len {
        step(&online, &mut run, &trace, position);
        let is_estimate = online.value(&run, 0).tolerance.is_some();
        assert_eq!(online.trend(&run, 0), if is_estimate { Trend::Free } else { Trend::Rising }, "{position}");
    }
    assert!(online.value(&run, 0).tolerance.is_some());
}

/// Blocks of a file, and a stream: what does not depend on the order is the same.
#[test]
fn files_that_are_approximate_are_as_streams_are() {
    let trace = column(&numbers(5000));
    for text in ["distinct(x)", "histogram(4, x)", "mode(x)"] {
        let lowered = asked(text);
        let precision = Precision::Sketched { beyond: 0, accuracy: 0.1 };
        let query = &lowered.queries[0].query;
        let everywhere: Bitmap = (0..trace.len).map(|_| true).collect();
        let queries = Queries::new(&lowered.formulas, [query]).with_precision(precision);
        let answers =
            queries.answers(&trace, &|_| &everywhere, &Limits::default(), NonZero::<usize>::MIN).expect("no limit");
        let online = Online::new(&lowered.formulas, [query], precision).expect("it can be followed");
        let mut run = online.start();
        (0..trace.len).for_each(|position| step(&online, &mut run, &trace, position));
        let running = online.value(&run, 0);
        assert_eq!(answers.values[0], running.value, "{text}");
        assert_eq!(answers.errors[0].map(|error| error.tolerance), running.tolerance, "{text}");
        assert_eq!(running.tolerance.is_some(), text != "mode(x)", "{text}");
        let exact = Queries::new(&lowered.formulas, [query]).answers(
            &trace,
            &|_| &everywhere,
            &Limits::default(),
            NonZero::<usize>::MIN,
        );
        assert_eq!(exact.expect("no limit").errors, [None], "{text}: files are exact unless told");
    }
}
