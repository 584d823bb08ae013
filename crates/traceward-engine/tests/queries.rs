//! Algebraic alternating automata against the definition: block by block, state by state, forwards.

use proptest::prelude::*;
use proptest::sample::select;
use rustc_hash::FxHashMap;
use traceward_engine::automaton::algebraic::{Algebraic, Plain};
use traceward_engine::limit::{Limit, Limits};
use traceward_engine::query::online::Online;
use traceward_engine::query::{ForwardError, Outcome, Queries, state_by_state};
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
    let Ok(online) = Online::new(&lowered.formulas, [query]) else { return false };
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

fn roots_of(query: &Query) -> Vec<FormulaId> {
    let mut roots = Vec::new();
    query.for_each_formula(&mut |formula| roots.push(formula));
    roots
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
