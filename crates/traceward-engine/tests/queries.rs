//! Algebraic alternating automata against the definition: block by block, state by state, forwards.

use proptest::prelude::*;
use proptest::sample::select;
use rustc_hash::FxHashMap;
use std::num::NonZero;
use traceward_engine::automaton::algebraic::{Algebraic, Plain};
use traceward_engine::limit::{Limit, Limits};
use traceward_engine::query::online::{Online, OnlineRun, RunningValue, Trend};
use traceward_engine::query::{ForwardError, Outcome, Precision, Queries, Sketch, state_by_state};
use traceward_engine::saved::RestoreError;
use traceward_logic::bitmap::Bitmap;
use traceward_logic::expr::StateAt;
use traceward_logic::formula::FormulaId;
use traceward_logic::lower::{Goal, Lowered};
use traceward_logic::query::Query;
use traceward_logic::semantics;
use traceward_logic::trace::{Column, ColumnData, Trace};
use traceward_logic::value::Value;
use traceward_testkit::generate::expr::{self, COLUMNS};
use traceward_testkit::generate::query::{self, Errors};
use traceward_testkit::lowered;

fn asked(text: &str) -> Lowered {
    lowered(text, Goal::Query, None, Some(&expr::schema())).unwrap_or_else(|errors| panic!("{text}: {errors:?}"))
}

/// The columns that a query speaks of.
fn narrowed(trace: &Trace, lowered: &Lowered) -> Trace {
    let column = |name: &str| {
        let index = COLUMNS.iter().position(|one| *one == name).expect("a column");
        trace.columns[index].clone()
    };
    let columns = lowered.variables.list().iter().map(|variable| column(&variable.name)).collect();
    Trace { columns, ..trace.clone() }
}

/// How closely values are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Closeness {
    /// Integers exactly, floats nearly.
    Nearly,
    /// Only whether there is one: 1e300 and -1e300 cancel out, and what is left is rounding.
    Kind,
}

fn alike(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Float(one), Value::Float(other)) => {
            one == other || (one - other).abs() <= 1e-9 * (1.0 + one.abs().max(other.abs()))
        }
        (Value::Pair(one), Value::Pair(other)) => alike(&one.0, &other.0) && alike(&one.1, &other.1),
        (Value::List(one), Value::List(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| alike(one, other))
        }
        (one, other) => one == other,
    }
}

fn same(one: &Outcome, other: &Outcome, closeness: Closeness) -> bool {
    match (one, other) {
        (Ok(None), Ok(None)) => true,
        (Ok(Some(one)), Ok(Some(other))) => closeness == Closeness::Kind || alike(one, other),
        (Err(one), Err(other)) => (one.position, one.reason) == (other.position, other.reason),
        // An infinite sum may be missing, if it came about in another order.
        _ => closeness == Closeness::Kind,
    }
}

/// The trace with small numbers in place of all others: sums of them are exact in any order.
fn tamed(mut trace: Trace) -> Trace {
    for column in &mut trace.columns {
        match &mut column.data {
            ColumnData::Int(numbers) => numbers.iter_mut().for_each(|number| *number %= 50),
            ColumnData::Float(numbers) => {
                let small = |number: &f64| if number.is_nan() { *number } else { (number % 50.0 * 2.0).round() / 2.0 };
                numbers.iter_mut().for_each(|number| *number = small(number));
            }
            _ => {}
        }
    }
    trace
}

/// How closely the values of a query are compared on a tame trace. Of quotients that are rounded,
/// sums differ by their order, and what counts or compares them tells.
fn closeness(text: &str) -> Closeness {
    let tells = ["corr", "stddev", "distinct", "mode", "<=", "histogram"].iter().any(|word| text.contains(word));
    if text.contains("10 / i") && tells { Closeness::Kind } else { Closeness::Nearly }
}

/// Whether a query may compute with floats.
fn has_floats(text: &str) -> bool {
    ["x", "`a b`", "0.5", "/", "avg", "stddev", "corr", "histogram"].iter().any(|word| text.contains(word))
}

/// Compares all ways of evaluation with the definition. Formulas that cannot be evaluated are not
/// the subject here. Tells whether there was a value.
fn compare(text: &str, trace: &Trace, closeness: Closeness) -> Option<Outcome> {
    let lowered = asked(text);
    let trace = narrowed(trace, &lowered);
    if trace.len == 0 {
        return None;
    }
    let query = &lowered.queries[0].query;
    let truths = semantics::truths(&lowered.formulas, &roots_of(query), &trace).ok()?;
    let defined = semantics::value(&lowered.formulas, query, &trace);
    let rows: FxHashMap<FormulaId, Bitmap> =
        truths.iter().map(|(formula, row)| (*formula, row.iter().copied().collect())).collect();

    let queries = Queries::new(&lowered.formulas, [query]);
    let by_blocks = queries.values(&trace, &|formula| &rows[&formula], &Limits::default()).expect("no limit");
    assert!(same(&by_blocks[0], &defined, closeness), "blocks: {text}\n{:?}\n{defined:?}", by_blocks[0]);

    let holds = |formula: FormulaId, position: usize| rows[&formula].get(position);
    // By definition, what is collected from every position on takes a long time on long traces.
    if trace.len < 200 {
        compare_samples(text, &lowered, &trace, &rows, closeness);
    }
    for plain in [Plain::Asserted, Plain::Unfolded] {
        let automaton = Algebraic::new(&lowered.formulas, [query], plain);
        let by_states = &state_by_state(&automaton, &trace, &holds)[0];
        assert!(same(by_states, &defined, closeness), "{plain:?}: {text}\n{by_states:?}\n{defined:?}");
        let limits = Limits { work: 20_000, ..Limits::default() };
        let forward = match Queries::forward(&automaton, &trace, &holds, &limits) {
            Ok(value) => Ok(value),
            Err(ForwardError::Evaluation(error)) => Err(error),
            Err(ForwardError::Limit(limit)) => {
                assert!(matches!(limit, Limit::Work(20_000) | Limit::Position(_)), "{limit:?}");
                continue;
            }
        };
        assert!(same(&forward, &defined, closeness), "forward, {plain:?}: {text}\n{forward:?}\n{defined:?}");
    }
    Some(defined)
}

/// Follows a trace, and compares what is said at every cut with the definition on what has been
/// seen. Tells whether the query can be followed.
fn follow(text: &str, trace: &Trace) -> bool {
    let lowered = asked(text);
    let trace = narrowed(trace, &lowered);
    let query = &lowered.queries[0].query;
    let Ok(online) = Online::new(&lowered.formulas, [query], Precision::Exact) else { return false };
    let on_prefix = |len: usize| {
        let positions: Vec<u32> = (0..len as u32).collect();
        semantics::value(&lowered.formulas, query, &trace.gather(&positions))
    };
    if semantics::truths(&lowered.formulas, &roots_of(query), &trace).is_err() {
        return false;
    }
    let mut run = online.start();
    for position in 0..trace.len {
        online.step(&mut run, &StateAt { trace: &trace, position }, &Limits::default()).expect("no limit");
        let known = online.value(&run, 0);
        if known.settled.is_none() && position % 7 == 0 {
            let whole = on_prefix(trace.len);
            assert!(same(&known.value, &whole, closeness(text)), "final at {position}: {text}\n{known:?}\n{whole:?}");
        }
        if position < 12 || position + 2 > trace.len {
            let at_end = online.value_at_end(&run, 0);
            let mut ended = run.clone();
            online.end(&mut ended);
            let (value, defined) = (online.value(&ended, 0), on_prefix(position + 1));
            assert_eq!(value.settled, None, "{text} has ended");
            assert!(same(&at_end, &defined, closeness(text)), "at the end {position}: {text}\n{at_end:?}\n{defined:?}");
            assert!(same(&value.value, &defined, closeness(text)), "cut at {position}: {text}\n{value:?}\n{defined:?}");
        }
    }
    true
}

/// What is told of a query: its value, how far it is settled, its error, its value if the trace
/// ended, and how it can change.
fn told(online: &Online, run: &OnlineRun) -> (RunningValue, Outcome, Trend) {
    (online.value(run, 0), online.value_at_end(run, 0), online.trend(run, 0))
}

/// Saves a run at every cut of a trace. Those that were restored are followed to the end, beside
/// the one that was never saved. Tells whether the query can be followed.
fn goes_on(text: &str, trace: &Trace, precision: Precision) -> bool {
    let lowered = asked(text);
    let trace = narrowed(trace, &lowered);
    let Ok(online) = Online::new(&lowered.formulas, [&lowered.queries[0].query], precision) else { return false };
    let mut run = online.start();
    let mut restored: Vec<OnlineRun> = Vec::new();
    for position in 0..=trace.len {
        let saved = online.save(&run);
        let again = online.restore(&saved).unwrap_or_else(|error| panic!("{text} at {position}: {error}"));
        assert_eq!(online.save(&again), saved, "{text} saved twice at {position}");
        restored.push(again);
        let expected = told(&online, &run);
        for (cut, other) in restored.iter().enumerate() {
            assert_eq!(told(&online, other), expected, "{text} saved at {cut}, at {position}");
        }
        if position < trace.len {
            let state = StateAt { trace: &trace, position };
            for one in restored.iter_mut().chain([&mut run]) {
                online.step(one, &state, &Limits::default()).expect("no limit");
            }
        }
    }
    // So are those whose trace has ended.
    online.end(&mut run);
    let ended = online.restore(&online.save(&run)).expect("its own bytes");
    assert_eq!(online.value(&ended, 0), online.value(&run, 0), "{text} has ended");
    true
}

fn roots_of(query: &Query) -> Vec<FormulaId> {
    let mut roots = Vec::new();
    query.for_each_formula(&mut |formula| roots.push(formula));
    roots
}

/// Compares what a query is at every position with the definition there.
fn compare_samples(
    text: &str,
    lowered: &Lowered,
    trace: &Trace,
    rows: &FxHashMap<FormulaId, Bitmap>,
    closeness: Closeness,
) {
    let query = &lowered.queries[0].query;
    let holds = |formula: FormulaId, position: usize| rows[&formula].get(position);
    let defined = semantics::values_where(query, trace, &holds);
    // Beside the query whose samples are asked for there is one of which only the value is.
    let queries = Queries::sampling(&lowered.formulas, [(query, true), (query, false)]);
    let answers = queries
        .answers(trace, &|formula| &rows[&formula], &Limits::default(), NonZero::<usize>::MIN)
        .expect("no limit");
    assert!(same(&answers.values[0], &defined[0], closeness), "{text}\n{:?}\n{:?}", answers.values[0], defined[0]);
    let samples = match answers.samples[0].as_ref().expect("asked for") {
        Ok(samples) => samples,
        Err(error) => {
            let first = defined.iter().find_map(|outcome| outcome.as_ref().err());
            assert!(closeness == Closeness::Kind || first.is_some_and(|first| first.reason == error.reason), "{text}");
            return;
        }
    };
    let mut found: Vec<Outcome> = vec![Ok(None); trace.len];
    for (place, &position) in samples.positions().iter().enumerate() {
        found[position] = Ok(Some(samples.value(place, trace)));
    }
    for (position, (one, other)) in found.iter().zip(&defined).enumerate() {
        assert!(same(one, other, closeness), "{text} at {position}\n{one:?}\n{other:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn automata_agree_with_the_definition(text in query::query(Errors::Some), trace in expr::trace()) {
        compare(&text, &tamed(trace), closeness(&text));
    }

    #[test]
    fn automata_agree_on_large_numbers(text in query::query(Errors::Some), trace in expr::trace()) {
        let closeness = if has_floats(&text) { Closeness::Kind } else { Closeness::Nearly };
        compare(&text, &trace, closeness);
    }

    #[test]
    fn automata_agree_where_nothing_fails(text in query::query(Errors::None), trace in expr::trace()) {
        compare(&text, &tamed(trace), closeness(&text));
    }
    #[test]
    fn queries_are_followed_as_they_are_defined(text in query::query(Errors::Some), trace in expr::trace()) {
        follow(&text, &tamed(trace));
    }

    #[test]
    fn spans_are_followed_as_they_are_defined(
        collected in select(vec!["max(#)", "sum(#)", "count(#)", "quantile(0.3, #)", "first(#)", "avg(#) - max(#)"]),
        span in select(SPANS.to_vec()),
        trace in expr::trace(),
    ) {
        let text = collected.replace('#', span);
        prop_assert!(follow(&text, &tamed(trace)), "{} can be followed", text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_restored_run_of_a_query_goes_on_as_if_nothing_had_been(
        text in query::query(Errors::Some),
        trace in expr::trace(),
    ) {
        goes_on(&text, &trace, Precision::Exact);
    }

    #[test]
    fn so_does_one_that_has_a_sketch(text in query::query(Errors::Some), trace in expr::trace()) {
        goes_on(&text, &trace, Precision::Sketched { beyond: 5, accuracy: 0.01 });
    }
}

/// What one state has, joined with what the next of another kind has: either may be an error.
const SPANS: [&str; 6] = [
    "latency(b -> event.c)",
    "latency(b -> O event.c & !b)",
    "(b : i) &[-] F (event.c : `U`)",
    "(b : 7 % i) &[+] F (event.c : i)",
    "(b : i) &[(a, b) => b - 2 * a] F (event.c : 7 % `U`)",
    "i &[max] F (event.c : 7 % i)",
];

/// Queries of every form: all aggregates, nested, with `while`, `X`, `U`, latencies and folds.
const FORMS: [&str; 34] = [
    "count(b)",
    "count(b & X !b)",
    "sum(i)",
    "sum(b : x)",
    "min(i - `U`)",
    "max(b : `U`)",
    "avg(event.c : i)",
    "first(b & event.c : pos)",
    "last(b & event.c : pos)",
    "stddev(i)",
    "mode(s)",
    "distinct(s)",
    "distinct(b : i)",
    "quantile(0.3, i)",
    "median(x)",
    "histogram(5, i)",
    "histogram(t)",
    "corr(i, x)",
    "fold(0, (acc, v) => (acc * 7 + v) % 1000003, `U`)",
    "fold(0, (acc, v) => (acc * 7 + v) % 1000003, `U`) forward",
    "fold(1, (acc, v) => (acc * 3 + v) % 1009, b : i) forward while pos < 1500",
    "max(count(b & X !b) while event.c)",
    "avg(b &[second] X (count(i > 1) while event.c))",
    "max(sum(i) while x <= 20.0)",
    "count(event.c : i) while pos < 1024",
    "max(median(i) while event.c)",
    "sum(distinct(s) while b)",
    "(i > -51 : i) U (i > 47 & pos > 900 : pos)",
    "max(F[v => v - 1] (i > 47 & b : pos))",
    "sum((b : i) U[v => v * 2] (event.c & !b : `U`))",
    "X[v => v + 1] X X sum(i)",
    "max(latency(b & i > 40 -> event.c & i < -40))",
    "count(G(b -> F event.c) : i) / count(b S event.c)",
    "(max(i) |[+] min(x)) ?? 0",
];

/// Lengths around the borders of blocks.
const LENGTHS: [usize; 8] = [1, 63, 512, 1023, 1024, 1025, 2048, 3000];

/// A trace of the columns of [`COLUMNS`], the same on every machine, with values missing.
fn long_trace(len: usize) -> Trace {
    let mut seed = 0x5EED_u64;
    let mut below = |limit: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % limit
    };
    let mut column = |name: &str| {
        let texts: Vec<Value> = ["", "a", "ab", "10"].map(Value::str).to_vec();
        let mut value = || match name {
            "b" | "event.c" => Value::Bool(below(10) < 6),
            "i" | "U" => Value::Int(below(100) as i64 - 50),
            "s" | "t" => texts[below(4) as usize].clone(),
            // Halves, whose sums are exact in any order; some are missing.
            _ if below(8) == 0 => Value::Missing,
            _ => Value::Float(below(100) as f64 / 2.0),
        };
        let values: Vec<Value> = (0..len).map(|_| value()).collect();
        Column::of_values(&values)
    };
    let columns = COLUMNS.iter().map(|name| column(name)).collect();
    Trace { len, columns, time: Some((0..len as i64).map(|position| position * 3 / 2).collect()) }
}

/// A window in time begins at a position, even if others before it have the same timestamp.
#[test]
fn windows_do_not_look_back_at_the_same_moment() {
    let asked =
        ["F[0,1ns] b", "G[0,1ns] b", "F[0,0ns](b & X b)", "F[0,2ns] G[0,1ns] b", "F[1ns,2ns] b", "G[1ns,inf] b"];
    for len in [1, 2, 5, 12, 40] {
        let time = (0..len as i64).map(|position| position / 3).collect();
        let trace = Trace { time: Some(time), ..long_trace(len) };
        for formula in asked {
            assert!(follow(&format!("count({formula})"), &trace), "{formula} can be followed");
        }
    }
}

#[test]
fn blocks_meet_at_their_borders() {
    for len in LENGTHS {
        let trace = long_trace(len);
        let has_none = |text: &&&str| {
            let outcome =
                compare(text, &trace, Closeness::Nearly).unwrap_or_else(|| panic!("{text}: no formula fails"));
            !matches!(outcome, Ok(Some(_)))
        };
        let without: Vec<_> = FORMS.iter().filter(has_none).collect();
        assert!(len < 1000 || without.is_empty(), "{len} states: no value of {without:?}");
    }
}

/// Collections of what each state says by itself, as several threads may take them: beside those of
/// [`FORMS`] those that have no value, errors, and what is first where there is more than one.
const BY_STATES: [&str; 18] = [
    "sum(x)",
    "avg(x)",
    "avg(i)",
    "stddev(x)",
    "min(x)",
    "max(b : x)",
    "min(`a b`)",
    "max(`a b`)",
    "quantile(0.99, x)",
    "histogram(7, x)",
    "mode(pos % 3)",
    "mode(s)",
    "mode(b : x)",
    "distinct(x)",
    "histogram(s)",
    "max(i > 1000 : i)",
    "sum(1 / (i + 50))",
    "max(i) - min(`U`) + (count(i > 1000) ?? 3)",
];

/// A long trace of typed columns in which order tells: sums of x lose whatever is small, `a b` is
/// 0.0 or -0.0, and texts occur equally often.
fn ordered_trace(len: usize) -> Trace {
    let mut trace = long_trace(len);
    for (name, column) in COLUMNS.iter().zip(&mut trace.columns) {
        let values: Vec<Value> = (0..len).map(|position| column.value(position)).collect();
        let number = |value: &Value| match *value {
            Value::Int(number) => number as f64,
            Value::Float(number) => number,
            _ => 0.0,
        };
        match *name {
            "i" | "U" => column.data = ColumnData::Int(values.iter().map(|value| number(value) as i64).collect()),
            "x" => {
                // Each number has its opposite, so that nothing is left but what was rounded.
                let sizes = [1.0 / 3.0, 1e17, -1e17, 1e34, -1e34, 1e51, -1e51];
                let size = |position: usize| sizes[position * position % 11 % sizes.len()];
                let mut numbers: Vec<f64> =
                    values.iter().zip(0..).map(|(value, position)| number(value) * size(position)).collect();
                (0..len / 2).for_each(|position| numbers[len - 1 - position] = -numbers[position]);
                *column = Column { data: ColumnData::Float(numbers), present: None };
            }
            "a b" => {
                let zero = |value| if number(value) < 25.0 { 0.0 } else { -0.0 };
                column.data = ColumnData::Float(values.iter().map(zero).collect());
            }
            "s" => {
                let texts = ["one", "two", "three"].map(Value::str);
                let texts: Vec<Value> = texts.iter().cycle().take(len).cloned().collect();
                *column = Column::of_values(&texts);
            }
            _ => {}
        }
    }
    trace
}

#[test]
fn values_do_not_depend_on_threads() {
    for len in [131_073, 140_000, 200_064] {
        let trace = ordered_trace(len);
        for text in FORMS.iter().chain(&BY_STATES) {
            let lowered = asked(text);
            let trace = narrowed(&trace, &lowered);
            let query = &lowered.queries[0].query;
            let rows: FxHashMap<FormulaId, Bitmap> = roots_of(query)
                .into_iter()
                .zip(1..)
                .map(|(formula, step)| (formula, (0..len).map(|position| position % (step + 2) > 0).collect()))
                .collect();
            for precision in [Precision::Exact, Precision::Sketched { beyond: 1000, accuracy: 0.01 }] {
                let queries = Queries::new(&lowered.formulas, [query]).with_precision(precision);
                let answer = |threads| {
                    let threads = NonZero::new(threads).expect("threads");
                    let limits = Limits::default();
                    let answers = queries.answers(&trace, &|formula| &rows[&formula], &limits, threads);
                    answers.map(|answers| format!("{:?} {:?}", answers.values, answers.errors))
                };
                let alone = answer(1);
                for threads in [2, 3, 8] {
                    assert_eq!(answer(threads), alone, "{text} on {len} states by {threads} threads");
                }
            }
        }
    }
}

#[test]
fn every_form_that_can_be_followed_can_be_saved() {
    let trace = long_trace(60);
    for precision in [Precision::Exact, Precision::Sketched { beyond: 20, accuracy: 0.01 }] {
        let followed = FORMS.iter().filter(|text| goes_on(text, &trace, precision)).count();
        assert!(followed > 28, "{followed} of {} can be followed", FORMS.len());
    }
}

fn online_of(text: &str, precision: Precision) -> Option<Online> {
    let lowered = asked(text);
    Online::new(&lowered.formulas, [&lowered.queries[0].query], precision).ok()
}

/// The bytes of a run over some states, with its queries; none if they cannot be followed.
fn small_run(text: &str, precision: Precision) -> Option<(Online, Vec<u8>)> {
    let trace = narrowed(&long_trace(12), &asked(text));
    let online = online_of(text, precision)?;
    let mut run = online.start();
    for position in 0..trace.len {
        online.step(&mut run, &StateAt { trace: &trace, position }, &Limits::default()).expect("no limit");
    }
    let saved = online.save(&run);
    Some((online, saved))
}

/// Small runs of queries of every form, some with a sketch.
fn small_runs() -> impl Iterator<Item = (&'static str, Online, Vec<u8>)> {
    let run = |text| small_run(text, Precision::Sketched { beyond: 4, accuracy: 0.01 });
    FORMS.into_iter().filter_map(move |text| run(text).map(|(online, saved)| (text, online, saved)))
}

#[test]
fn damaged_runs_of_queries_are_refused() {
    for (text, online, saved) in small_runs() {
        for cut in 0..saved.len() {
            assert!(online.restore(&saved[..cut]).is_err(), "{text} cut at {cut}");
            for bit in 0..8 {
                let mut changed = saved.clone();
                changed[cut] ^= 1 << bit;
                assert!(online.restore(&changed).is_err(), "{text} changed at bit {bit} of byte {cut}");
            }
        }
    }
}

/// FNV-1a, as it stands behind every saved run.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3))
}

#[test]
fn forged_runs_of_queries_are_refused_or_go_on_without_a_panic() {
    let trace = long_trace(20);
    for (text, online, saved) in small_runs() {
        let trace = narrowed(&trace, &asked(text));
        let body = saved.len() - 8;
        for place in 0..body {
            for forged in [0, 1, 2, 0x7F, 0x80, 0xFF] {
                let mut changed = saved[..body].to_vec();
                changed[place] = forged;
                changed.extend(checksum(&changed).to_le_bytes());
                let Ok(mut run) = online.restore(&changed) else { continue };
                for position in 0..trace.len {
                    let limit = online.step(&mut run, &StateAt { trace: &trace, position }, &Limits::default());
                    assert_eq!(limit, Ok(()), "{text}");
                }
                let _ = (told(&online, &run), online.restore(&online.save(&run)));
            }
        }
    }
}

#[test]
fn runs_of_other_queries_are_refused() {
    let (_, saved) = small_run("sum(b : i)", Precision::Exact).expect("a sum");
    let is_other = |text, precision| online_of(text, precision).expect("a sum").restore(&saved).err();
    assert_eq!(is_other("sum(b : i)", Precision::Exact), None);
    for text in ["sum(!b : i)", "avg(b : i)", "sum(b : i + 1)", "sum(O b : i)", "sum(b : i) while b"] {
        assert_eq!(is_other(text, Precision::Exact), Some(RestoreError::OtherFormula), "{text}");
    }
    assert_eq!(is_other("sum(b : i)", Precision::STREAM), Some(RestoreError::OtherFormula));
}

/// Data that is hard for a sketch, by name.
fn adversarial() -> Vec<(&'static str, Vec<f64>)> {
    let count = 50_000;
    let mut state = 1_u64;
    let mut random = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let uniform: Vec<f64> = (0..count).map(|_| random()).collect();
    vec![
        ("sorted", (0..count).map(f64::from).collect()),
        ("sorted backwards", (0..count).rev().map(f64::from).collect()),
        ("constant", vec![7.0; count as usize]),
        ("heavy tails", uniform.iter().map(|u| (1.0 - u).powf(-3.0)).collect()),
        ("both signs", uniform.iter().map(|u| (u - 0.5) * 1e6).collect()),
        ("tiny and huge", uniform.iter().map(|u| 10_f64.powf(u * 500.0 - 250.0)).collect()),
        ("two values", uniform.iter().map(|u| if *u < 0.9 { 1.0 } else { 1e9 }).collect()),
        ("zeros", uniform.iter().map(|u| if *u < 0.5 { 0.0 } else { *u }).collect()),
    ]
}

#[test]
fn sketches_keep_within_their_error() {
    for accuracy in [0.001, 0.01, 0.05] {
        for (name, numbers) in adversarial() {
            let mut sketch = Sketch::new(accuracy);
            numbers.iter().for_each(|&number| sketch.add(number));
            let mut sorted = numbers.clone();
            sorted.sort_by(f64::total_cmp);
            for part in [0.0, 0.001, 0.1, 0.5, 0.9, 0.99, 0.999, 1.0] {
                let exact = sorted[semantics::rank(part, sorted.len()) - 1];
                let told = sketch.quantile(part).and_then(|value| value.as_f64()).expect("a value");
                // The last digits are those of logarithms.
                let allowed = accuracy * exact.abs() * (1.0 + 1e-6);
                assert!((told - exact).abs() <= allowed, "{name}, {part} at {accuracy}: {told} for {exact}");
            }
        }
    }
}

#[test]
fn a_stream_is_exact_up_to_a_size_and_sketched_beyond() {
    let lowered = asked("quantile(0.9, i)");
    let online =
        |precision| Online::new(&lowered.formulas, [&lowered.queries[0].query], precision).expect("a quantile");
    let sketched = online(Precision::Sketched { beyond: 1000, accuracy: 0.01 });
    let exact = online(Precision::Exact);
    let (mut one, mut other) = (sketched.start(), exact.start());
    for position in 0..3000_usize {
        let number = ((position * 7919) % 3000 + 1) as i64;
        let trace = Trace { len: 1, columns: vec![Column::of_ints(vec![number])], time: None };
        let state = StateAt { trace: &trace, position: 0 };
        sketched.step(&mut one, &state, &Limits::default()).expect("no limit");
        exact.step(&mut other, &state, &Limits::default()).expect("no limit");
        let (told, known) = (sketched.value(&one, 0), exact.value(&other, 0));
        let relative = told.tolerance.map(|tolerance| tolerance.relative);
        assert_eq!(relative, (position >= 1000).then_some(0.01), "{position}");
        let [told, known] = [told, known].map(|one| one.value.ok().flatten().and_then(|value| value.as_f64()).unwrap());
        let allowed = if position < 1000 { 0.0 } else { 0.0101 * known };
        assert!((told - known).abs() <= allowed, "{position}: {told} for {known}");
    }
    assert!(Online::bytes(&one) < Online::bytes(&other) / 2, "what is sketched is not kept");
}

/// Experiments of all types, with values that cross the borders of blocks.
const EXPERIMENTS: [&str; 9] = [
    "latency(i == 3 -> b)",
    "i",
    "event.c & i == 7 : x",
    "X x",
    "F (i == 13 & b : s)",
    "b : s",
    "(b : i) ?? 5",
    "(b : i) |[+] (event.c : `U`)",
    "X max(i)",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn samples_agree_across_blocks(trace in expr::trace(), len in 1020_usize..2100) {
        prop_assume!(trace.len > 0);
        let again: Vec<u32> = (0..len).map(|position| (position * position % trace.len) as u32).collect();
        let time = Some((0..len as i64).map(|position| position * 3).collect());
        let trace = Trace { time, ..tamed(trace).gather(&again) };
        for text in EXPERIMENTS {
            let lowered = asked(text);
            let trace = narrowed(&trace, &lowered);
            let mut roots = Vec::new();
            lowered.queries[0].query.for_each_formula(&mut |formula| roots.push(formula));
            let truths = semantics::truths(&lowered.formulas, &roots, &trace).expect("no error");
            let rows = truths.iter().map(|(formula, row)| (*formula, row.iter().copied().collect())).collect();
            compare_samples(text, &lowered, &trace, &rows, Closeness::Nearly);
        }
    }
}
