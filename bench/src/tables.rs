//! Formulas on record batches in memory: what the library takes for what the Python package is
//! asked. It is asked by `bench/python/ratio.py`, which knows the right answer and takes turns.

use arrow_array::{RecordBatch, RecordBatchIterator};
use arrow_ipc::reader::FileReader;
use std::fs::File;
use std::io::{BufRead, Write};
use std::num::NonZero;
use std::time::Instant;
use traceward::input::Pieces;
use traceward::{CheckOptions, Goal, ReadOptions, Settings, Source, Spec, Verdict};

/// The word by which it is asked for, before the arguments of [`run`].
pub const TABLES: &str = "tables";

/// Asks formulas of a file in Arrow's format, which is read into memory first. For each line that
/// comes in it asks once, and answers with a document: the verdicts, and the seconds on the clock.
pub fn run(words: &[String]) {
    let [file, formulas @ ..] = words else { panic!("a file, and formulas") };
    let sources = formulas.iter().map(|text| Source::new("bench", text.clone(), Goal::Check)).collect();
    let spec = Spec::parse_with(sources, Settings::default()).expect("a spec");
    let reader = FileReader::try_new(File::open(file).expect("a file"), None).expect("a table");
    let batches: Vec<RecordBatch> = reader.collect::<Result<_, _>>().expect("record batches");
    let (mut out, input) = (std::io::stdout(), std::io::stdin());
    for _ in input.lock().lines() {
        let begin = Instant::now();
        let holds = asked(&spec, &batches);
        let seconds = begin.elapsed().as_secs_f64();
        let answer = serde_json::json!({ "holds": holds, "seconds": seconds });
        writeln!(out, "{answer}").and_then(|()| out.flush()).expect("somebody who listens");
    }
}

fn asked(spec: &Spec, batches: &[RecordBatch]) -> Vec<bool> {
    let threads = std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
    let read = ReadOptions { pieces: Pieces { threads, ..Pieces::default() }, ..ReadOptions::default() };
    let table = RecordBatchIterator::new(batches.iter().cloned().map(Ok), batches[0].schema());
    let report = traceward_arrow::check(spec, table, &CheckOptions::default().read(read)).expect("an answer");
    report.properties.iter().map(|property| property.verdict == Verdict::Satisfied).collect()
}
