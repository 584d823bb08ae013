//! A question of the race with its data in memory: the time from when all states are there to the
//! report. It is asked by `bench/race`, which knows the right answer.

use std::fs::File;
use std::num::NonZero;
use std::time::{Duration, Instant};
use traceward::input::{Pieces, TimeColumn, TimeUnit};
use traceward::report::QueryValue;
use traceward::{CheckOptions, Goal, ReadOptions, Report, Settings, Source, Spec, Value, Verdict, check_read};

/// The word by which it is asked for, before the arguments of [`run`].
pub const IN_MEMORY: &str = "in-memory";

/// Asks expressions of a file, whose column `t` has timestamps in milliseconds if the words begin
/// with `timed`; returns a document with the answer and the seconds of the fastest of three runs.
/// `check` and `query` are the words before the expressions.
pub fn run(words: &[String]) -> String {
    let (time, words) = match words {
        [first, rest @ ..] if first == "timed" => (Some(TimeColumn::new("t", Some(TimeUnit::Ms))), rest),
        words => (None, words),
    };
    let [file, command, expressions @ ..] = words else { panic!("a file, check or query, and expressions") };
    let goal = if command == "query" { Goal::Query } else { Goal::Check };
    let sources = expressions.iter().map(|text| Source::new("race", text.clone(), goal)).collect();
    let spec = Spec::parse_with(sources, Settings { time, ..Settings::default() }).expect("a spec");
    let (answer, _) = asked(&spec, file);
    let seconds = (0..3).map(|_| asked(&spec, file)).map(|(again, time)| {
        assert_eq!(again, answer, "the same answer each time");
        time.as_secs_f64()
    });
    let seconds = seconds.reduce(f64::min).unwrap_or_default();
    serde_json::json!({ "answer": answer, "in_memory": seconds }).to_string()
}

fn asked(spec: &Spec, file: &str) -> (serde_json::Value, Duration) {
    let threads = std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
    let read = ReadOptions { pieces: Pieces { threads, ..Pieces::default() }, ..ReadOptions::default() };
    let mut begin = Instant::now();
    let report = check_read(
        spec,
        |options| {
            let trace = traceward_trace::read_or_before(File::open(file).expect("a file"), options);
            begin = Instant::now();
            trace.map(traceward_trace::ReadInput::from)
        },
        &CheckOptions::default().read(read),
    );
    let report = report.expect("an answer");
    let time = begin.elapsed();
    (answer(&report), time)
}

/// Whether the first property holds, or the values of queries.
fn answer(report: &Report) -> serde_json::Value {
    match report.properties.first() {
        Some(property) => (property.verdict == Verdict::Satisfied).into(),
        None => report.queries.iter().map(|query| value(&query.value)).collect(),
    }
}

fn value(value: &QueryValue) -> serde_json::Value {
    match value {
        QueryValue::Whole(Some(Value::Int(int))) => (*int).into(),
        QueryValue::Whole(Some(Value::Float(float))) => (*float).into(),
        _ => serde_json::Value::Null,
    }
}
