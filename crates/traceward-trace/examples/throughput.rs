//! How fast traces are read: generates inputs in memory, checks the answer, then times the reading.
//!
//! `cargo run --release -p traceward-trace --example throughput [MILLION_ROWS]`
#![allow(clippy::disallowed_methods, clippy::disallowed_macros, reason = "a program that measures and prints")]
#![allow(clippy::print_stdout, reason = "a program for people")]

use std::fmt::Write;
use std::hint::black_box;
use std::time::Instant;
use traceward_logic::lower::Expected;
use traceward_logic::value::ValueType;
use traceward_trace::{ReadOptions, ReadTrace, ReadVariable, TimeColumn, read};

/// An input, and what has to come out of it.
struct Case {
    name: &'static str,
    options: ReadOptions,
    header: &'static str,
    row: fn(&mut String, usize),
    /// How often the first column is true or not zero, given the number of rows.
    expected: fn(usize) -> usize,
}

fn main() {
    let millions = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(2);
    let rows = millions * 1_000_000;
    for case in cases() {
        run(&case, rows);
    }
}

fn cases() -> Vec<Case> {
    let bools = || {
        wanted(&[
            ("a", ValueType::Boolean),
            ("b", ValueType::Boolean),
            ("c", ValueType::Boolean),
            ("d", ValueType::Boolean),
        ])
    };
    let date = TimeColumn::new("t", None);
    vec![
        Case {
            name: "csv, four columns of 1 and 0",
            options: bools(),
            header: "a,b,c,d\n",
            row: |text, row| {
                let bit = |shift: usize| hash(row) >> shift & 1;
                _ = writeln!(text, "{},{},{},{}", bit(0), bit(1), bit(2), bit(3));
            },
            expected: |rows| (0..rows).filter(|&row| hash(row) & 1 == 1).count(),
        },
        Case {
            name: "csv, four columns of true and false",
            options: bools(),
            header: "a,b,c,d\n",
            row: |text, row| {
                let bit = |shift: usize| hash(row) >> shift & 1 == 1;
                _ = writeln!(text, "{},{},{},{}", bit(0), bit(1), bit(2), bit(3));
            },
            expected: |rows| (0..rows).filter(|&row| hash(row) & 1 == 1).count(),
        },
        Case {
            name: "csv, one integer of ten columns",
            options: wanted(&[("a", ValueType::Number)]),
            header: "i,j,k,l,a,m,n,o,p,q\n",
            row: |text, row| {
                _ = writeln!(text, "{0},some,more,text,{0},that,nobody,looks,at,1.5", row % 1000);
            },
            expected: |rows| (0..rows).filter(|row| row % 1000 != 0).count(),
        },
        Case {
            name: "csv, quoted text",
            options: wanted(&[("a", ValueType::Boolean), ("b", ValueType::String)]),
            header: "a,b\n",
            row: |text, row| _ = writeln!(text, "\"{}\",\"name {}\"", hash(row) & 1, row % 50),
            expected: |rows| (0..rows).filter(|&row| hash(row) & 1 == 1).count(),
        },
        Case {
            name: "csv, dates",
            options: ReadOptions { time: Some(date), ..wanted(&[("a", ValueType::Boolean)]) },
            header: "t,a\n",
            row: |text, row| {
                let (hour, minute, second) = (row / 3_600_000 % 24, row / 60_000 % 60, row / 1000 % 60);
                _ = writeln!(text, "2014-10-22T{hour:02}:{minute:02}:{second:02}.{:03}Z,{}", row % 1000, hash(row) & 1);
            },
            expected: |rows| (0..rows).filter(|&row| hash(row) & 1 == 1).count(),
        },
        Case {
            name: "json lines, four members",
            options: wanted(&[
                ("request", ValueType::Boolean),
                ("grant", ValueType::Boolean),
                ("x", ValueType::Number),
                ("name", ValueType::String),
            ]),
            header: "",
            row: |text, row| {
                let (request, grant) = (hash(row) & 1 == 1, hash(row) & 2 == 2);
                let (x, name) = (row % 100, row % 7);
                _ = writeln!(text, r#"{{"request":{request},"grant":{grant},"x":{x},"name":"abc{name}"}}"#);
            },
            expected: |rows| (0..rows).filter(|&row| hash(row) & 1 == 1).count(),
        },
        Case {
            name: "json lines, two of many nested members",
            options: wanted(&[("event.state.leader", ValueType::Boolean), ("event.name", ValueType::String)]),
            header: "",
            row: |text, row| {
                _ = writeln!(
                    text,
                    r#"{{"level":"debug","ts":17123.{row},"msg":"trace","event":{{"name":"Init","nid":"1","state":{{"term":{row},"leader":{}}},"conf":[["1","2"],[]]}}}}"#,
                    hash(row) & 1 == 1
                );
            },
            expected: |rows| (0..rows).filter(|&row| hash(row) & 1 == 1).count(),
        },
    ]
}

fn run(case: &Case, rows: usize) {
    let mut text = case.header.to_owned();
    (0..rows).for_each(|row| (case.row)(&mut text, row));
    verify(case, rows, &text);
    let seconds = (0..3).map(|_| time(case, &text)).fold(f64::INFINITY, f64::min);
    let (rate, bytes) = (rows as f64 / seconds / 1e6, text.len() as f64 / seconds / 1e6);
    println!("{:<42} {rate:>7.1} million rows/s {bytes:>7.0} MB/s", case.name);
}

fn verify(case: &Case, rows: usize, text: &str) {
    let trace = read(text.as_bytes(), &case.options).expect(case.name);
    assert_eq!(trace.states, rows, "{}", case.name);
    assert_eq!(count_first(&trace), (case.expected)(rows), "{}", case.name);
}

fn count_first(trace: &ReadTrace) -> usize {
    use traceward_logic::trace::ColumnData;
    match trace.columns[0].as_ref().map(|column| &column.data) {
        Some(ColumnData::Bool(bits)) => bits.count_ones(),
        Some(ColumnData::Int(ints)) => ints.iter().filter(|&&int| int != 0).count(),
        other => panic!("unexpected column {other:?}"),
    }
}

fn time(case: &Case, text: &str) -> f64 {
    let start = Instant::now();
    black_box(read(black_box(text.as_bytes()), &case.options)).expect(case.name);
    start.elapsed().as_secs_f64()
}

fn wanted(names: &[(&str, ValueType)]) -> ReadOptions {
    let variables = names.iter().map(|&(name, ty)| ReadVariable::new(name, Expected::Type(ty)));
    ReadOptions { variables: variables.collect(), ..Default::default() }
}

/// Bits without a pattern that a branch predictor could learn.
fn hash(row: usize) -> usize {
    let mixed = (row as u64 ^ 0x5DEE_CE66).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    ((mixed ^ mixed >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 40) as usize
}
