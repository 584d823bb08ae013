//! Speed, measured: each benchmark states its expected answer, verifies it, and only then is timed. What bounds it from
//! below (memory, a parser that does nothing with what it reads) is timed beside it in the same run.
//!
//! `cargo run --release -p traceward-bench` runs all; names on the command line select some.

mod breadth_first;
mod observer;
mod reading;
mod reverse;

use std::hint::black_box;
use std::io::Write;
use std::time::{Duration, Instant};

/// One line of the results.
pub struct Row {
    /// What ran.
    name: String,
    /// How many items it went through.
    items: u64,
    /// What an item is.
    unit: &'static str,
    /// The fastest of the runs.
    time: Duration,
}

/// A benchmark: a name, and what makes its rows. The first row is ours, the others are for comparison.
struct Benchmark {
    name: &'static str,
    run: fn() -> Vec<Row>,
}

const BENCHMARKS: &[Benchmark] = &[
    Benchmark { name: "reverse", run: reverse::figure_10_third_formula },
    Benchmark { name: "reverse-past", run: reverse::past_and_future },
    Benchmark { name: "reverse-bounded", run: reverse::bounded },
    Benchmark { name: "breadth-first", run: breadth_first::online },
    Benchmark { name: "observer", run: observer::steps_of_a_table },
    Benchmark { name: "observer-large", run: observer::steps_of_a_large_automaton },
    Benchmark { name: "construction", run: observer::construction },
    Benchmark { name: "construction-bounded", run: observer::bounded_construction },
    Benchmark { name: "csv", run: reading::csv_of_booleans },
    Benchmark { name: "csv-words", run: reading::csv_of_words },
    Benchmark { name: "jsonl", run: reading::json_lines },
];

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let mut out = std::io::stdout();
    let _ =
        writeln!(out, "| benchmark | what | per second | time | against ours |\n| --- | --- | ---: | ---: | ---: |");
    for benchmark in BENCHMARKS.iter().filter(|one| wanted.is_empty() || wanted.iter().any(|name| name == one.name)) {
        let rows = (benchmark.run)();
        let ours = rows[0].time.as_secs_f64() / rows[0].items as f64;
        for row in rows {
            let each = row.time.as_secs_f64() / row.items as f64;
            let rate = 1e-6 / each;
            let _ = writeln!(
                out,
                "| {} | {} | {rate:.1} million {} | {:.1} ms | {:.2} × |",
                benchmark.name,
                row.name.replace('|', "\\|"),
                row.unit,
                row.time.as_secs_f64() * 1e3,
                each / ours
            );
        }
    }
}

/// Times something whose answer is known: verified first, then the fastest of five runs.
pub fn measured<T: PartialEq + std::fmt::Debug>(
    name: impl Into<String>,
    items: u64,
    unit: &'static str,
    expected: &T,
    mut run: impl FnMut() -> T,
) -> Row {
    let name = name.into();
    assert_eq!(run(), *expected, "{name} gives the expected answer");
    let time = (0..5)
        .map(|_| {
            let start = Instant::now();
            black_box(run());
            start.elapsed()
        })
        .min()
        .unwrap_or_default();
    Row { name, items, unit, time }
}

/// A small generator of random bits (splitmix64): the same on every machine.
pub struct Random(pub u64);

impl Random {
    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below a limit.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.bits() % limit
    }
}
