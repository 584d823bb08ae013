//! The paper's queries on traces of its programs: columns in memory, letters, all four at once.
//!
//! Numbers on the command line are lengths of traces, in place of the usual ones: `abp 100000000`.

use crate::{Row, measured};
use std::hint::black_box;
use traceward_experiment::figure8::{Asked, Workload};
use traceward_logic::trace::{ColumnData, Trace};

/// The lengths of traces, unless others are asked for.
const LENGTHS: [usize; 3] = [100_000, 1_000_000, 10_000_000];
/// The longest trace that is also evaluated state by state, as the paper does it.
const LONGEST_STATE_BY_STATE: usize = 1_000_000;
const SEED: u64 = 7;

/// The queries of section 3.2.
pub fn alternating_bit_protocol() -> Vec<Row> {
    rows(Workload::Abp)
}

/// The queries of section 3.1.
pub fn mutual_exclusion() -> Vec<Row> {
    rows(Workload::MuxSem)
}

fn rows(workload: Workload) -> Vec<Row> {
    let asked = Asked::new(workload);
    let mut lengths: Vec<usize> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    if lengths.is_empty() {
        lengths = LENGTHS.to_vec();
    }
    lengths.sort_unstable();
    let mut rows: Vec<Row> = Vec::new();
    for states in lengths {
        let trace = asked.trace(states, SEED);
        // The other way to the values, state by state, says what they are.
        let expected = asked.state_by_state(&trace);
        let mut row =
            measured(format!("{states} states"), states as u64, "states", &expected, || asked.in_blocks(&trace)).ours();
        if let Some(before) = rows.iter().rev().find(|row| row.name.ends_with("states")) {
            let exponent = (row.time.as_secs_f64() / before.time.as_secs_f64()).ln()
                / (row.items as f64 / before.items as f64).ln();
            row.name = format!("exponent {exponent:.3}, {states} states");
        }
        rows.push(row);
        if states <= LONGEST_STATE_BY_STATE {
            let name = "the same, state by state on the paper's automaton";
            rows.push(measured(name, states as u64, "states", &expected, || asked.state_by_state(&trace)));
        }
        rows.push(scan(&trace));
    }
    rows
}

/// The time it takes to look at every value of the columns once.
fn scan(trace: &Trace) -> Row {
    let sum = |data: &ColumnData| match black_box(data) {
        ColumnData::Bool(bits) => bits.count_ones() as i64,
        ColumnData::Int(numbers) => numbers.iter().sum(),
        ColumnData::Text(texts) => texts.codes.iter().map(|&code| i64::from(code)).sum(),
        ColumnData::Float(_) | ColumnData::Mixed(_) => 0,
    };
    let all = || trace.columns.iter().map(|column| sum(&column.data)).sum::<i64>();
    let expected = all();
    measured("reading the columns, for comparison", trace.len as u64, "states", &expected, all)
}
