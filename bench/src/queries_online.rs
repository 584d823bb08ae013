//! Queries on a trace that goes on: nanoseconds for an event, and what is kept.
//!
//! Events are made as they are needed and kept nowhere; making them, and doing nothing with them,
//! is timed beside. A number on the command line is another number of events: `queries-online
//! 100000000`.

use crate::{Random, Row, measured, peak_kib};
use std::hint::black_box;
use traceward::{Known, Monitor, Spec, State};
use traceward_engine::limit::Limits;
use traceward_engine::query::Precision;
use traceward_engine::query::online::Online;
use traceward_logic::expr::{Environment, Expr};
use traceward_logic::lower::{Goal, Schema, Type};
use traceward_logic::trace::VariableId;
use traceward_logic::value::{ArithmeticError, Value};
use traceward_testkit::lowered;

const EVENTS: u64 = 10_000_000;
/// As many nanoseconds are the unit of the timestamps.
const MILLISECOND: i64 = 1_000_000;
/// As far as a quantile may be from the exact one, of which it is a part.
const CLOSENESS: f64 = 0.01;

/// One in four events is a request, one in four a grant.
#[derive(Clone, Copy)]
struct Happening {
    request: bool,
    grant: bool,
    x: i64,
    position: i64,
    time: i64,
}

fn happenings(events: u64) -> impl Iterator<Item = Happening> {
    let mut random = Random(5);
    let mut time = 0;
    (0..events as i64).map(move |position| {
        let draw = random.bits();
        time += (draw >> 4 & 15) as i64 * MILLISECOND;
        Happening { request: draw & 3 == 0, grant: draw >> 2 & 3 == 0, x: (draw >> 48) as i64, position, time }
    })
}

/// What the queries give.
struct Expected {
    requests: f64,
    mean: f64,
    longest: f64,
    quantile: f64,
}

impl Expected {
    fn new(events: u64) -> Self {
        let (mut requests, mut sum, mut waiting) = (0_u64, 0_i64, Vec::new());
        // By milliseconds, how many requests waited so long.
        let mut waits: Vec<u64> = Vec::new();
        for now in happenings(events) {
            sum += now.x;
            requests += u64::from(now.request);
            waiting.extend(now.request.then_some(now.time));
            if now.grant {
                for since in waiting.drain(..) {
                    let wait = ((now.time - since) / MILLISECOND) as usize;
                    waits.resize(waits.len().max(wait + 1), 0);
                    waits[wait] += 1;
                }
            }
        }
        let rank = (waits.iter().sum::<u64>() * 99).div_ceil(100);
        let mut seen = 0;
        let quantile = waits.iter().position(|count| {
            seen += count;
            seen >= rank
        });
        let nanoseconds = |wait: usize| (wait as i64 * MILLISECOND) as f64;
        Self {
            requests: requests as f64,
            mean: sum as f64 / events as f64,
            longest: nanoseconds(waits.len().saturating_sub(1)),
            quantile: nanoseconds(quantile.unwrap_or_default()),
        }
    }
}

/// A query with what it gives, and how close that has to be.
struct Case {
    query: &'static str,
    expected: fn(&Expected) -> f64,
    closeness: f64,
}

const CASES: [Case; 4] = [
    Case { query: "quantile(0.99, latency(request -> grant))", expected: |it| it.quantile, closeness: CLOSENESS },
    Case { query: "max(latency(request -> grant))", expected: |it| it.longest, closeness: 0.0 },
    Case { query: "count(request)", expected: |it| it.requests, closeness: 0.0 },
    Case { query: "avg(x)", expected: |it| it.mean, closeness: 1e-12 },
];

impl Case {
    fn verify(&self, value: Option<&Value>, expected: &Expected) {
        let (value, expected) = (value.and_then(Value::as_f64), (self.expected)(expected));
        let is_close = value.is_some_and(|value| (value - expected).abs() <= self.closeness * expected.abs());
        assert!(is_close, "{} is {value:?}, not {expected}", self.query);
    }
}

/// Each query by the engine alone, and as a monitor's.
pub fn followed() -> Vec<Row> {
    let events = std::env::args().find_map(|argument| argument.parse().ok()).unwrap_or(EVENTS);
    let expected = Expected::new(events);
    let mut rows: Vec<Row> = CASES.iter().map(|case| by_engine(case, events, &expected)).collect();
    rows.push(measured("making the events alone", events, "events", &(), || {
        happenings(events).for_each(|now| {
            black_box(now);
        });
    }));
    // What a monitor does around the engine does not depend on how many events there are.
    if events > EVENTS {
        return rows;
    }
    rows.extend(CASES.iter().map(|case| by_monitor(case, events, &expected)));
    rows.push(measured("making the monitor's states alone", events, "events", &(), || {
        happenings(events).for_each(|now| {
            black_box(state(now));
        });
    }));
    rows
}

/// A state as the engine sees it: the fields of the query's variables.
struct Now<'a> {
    now: Happening,
    fields: &'a [Field],
}

#[derive(Clone, Copy)]
enum Field {
    Request,
    Grant,
    X,
}

impl Environment for Now<'_> {
    fn variable(&self, variable: VariableId) -> Value {
        match self.fields[variable.index()] {
            Field::Request => Value::Bool(self.now.request),
            Field::Grant => Value::Bool(self.now.grant),
            Field::X => Value::Int(self.now.x),
        }
    }

    fn position(&self) -> i64 {
        self.now.position
    }

    fn time(&self) -> Value {
        Value::Int(self.now.time)
    }

    fn argument(&self, _: u8) -> Value {
        Value::Missing
    }

    fn earlier(&self, _: &Expr, _: u32) -> Result<Value, ArithmeticError> {
        Ok(Value::Missing)
    }
}

fn by_engine(case: &Case, events: u64, expected: &Expected) -> Row {
    let types = [("request", Type::Bool), ("grant", Type::Bool), ("x", Type::Number)];
    let schema = Schema {
        types: types.iter().map(|(name, ty)| ((*name).into(), Some(ty.clone()))).collect(),
        names: types.iter().map(|(name, _)| (*name).to_owned()).collect(),
        has_time: true,
        names_known: true,
    };
    let lowered = lowered(case.query, Goal::Query, None, Some(&schema)).expect("a query");
    let field = |name: &str| match name {
        "request" => Field::Request,
        "grant" => Field::Grant,
        _ => Field::X,
    };
    let fields: Vec<Field> = lowered.variables.list().iter().map(|variable| field(&variable.name)).collect();
    let online =
        Online::new(&lowered.formulas, [&lowered.queries[0].query], Precision::STREAM).expect("it can be followed");
    let limits = Limits { memory: usize::MAX, ..Limits::default() };
    let mut kept = 0;
    forget_peak();
    let row = measured(format!("`{}`", case.query), events, "events", &(), || {
        let mut run = online.start();
        for now in happenings(events) {
            online.step(&mut run, &Now { now, fields: &fields }, &limits).expect("no limit");
        }
        kept = Online::bytes(&run);
        case.verify(online.value_at_end(&run, 0).expect("no error").as_ref(), expected);
    });
    told(row, &format!(", {} kept", size(kept as u64)))
}

fn by_monitor(case: &Case, events: u64, expected: &Expected) -> Row {
    let spec: Spec = format!("trace {{ time t:ns }} query q = {}", case.query).parse().expect("a spec");
    let monitor = Monitor::new(&spec).expect("it can be followed");
    forget_peak();
    let row = measured(format!("`{}`, `Monitor::step`", case.query), events, "events", &(), || {
        let mut monitor = monitor.clone();
        for now in happenings(events) {
            monitor.step(&state(now)).expect("a state");
        }
        let query = monitor.queries_at_end().next().expect("a query");
        match query.known {
            Known::Value { value, .. } => case.verify(value.as_ref(), expected),
            other => panic!("{other:?}"),
        }
    });
    told(row.ours(), "")
}

fn state(now: Happening) -> State {
    State::new().with("request", now.request).with("grant", now.grant).with("x", now.x).at(now.time)
}

/// The row with how long an event takes, and what memory it took.
fn told(row: Row, kept: &str) -> Row {
    let nanoseconds = row.seconds_each() * 1e9;
    let peak = size(peak_kib("self") * 1024);
    let name = format!("{}: {nanoseconds:.1} ns an event{kept}, peak memory {peak}", row.name);
    Row { name, ..row }
}

fn size(bytes: u64) -> String {
    match bytes {
        0..10_000 => format!("{bytes} B"),
        10_000..10_000_000 => format!("{} KiB", bytes >> 10),
        _ => format!("{} MiB", bytes >> 20),
    }
}

/// Lets Linux begin anew with the most memory that this process has had.
fn forget_peak() {
    std::fs::write("/proc/self/clear_refs", "5").expect("Linux");
}
