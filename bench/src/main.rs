//! Speed, measured: each benchmark states its expected answer, verifies it, and only then is timed.
//! What bounds it from below (memory, a parser that does nothing with what it reads) is timed
//! beside it in the same run.
//!
//! `cargo run --release -p traceward-bench` runs all; names on the command line select some, and
//! numbers are lengths of traces for those that take any.

mod bounded;
mod breadth_first;
mod in_memory;
mod in_process;
mod instrument;
mod java;
mod monitor;
mod monitor_keys;
mod observer;
mod queries;
mod queries_csv;
mod queries_online;
mod reading;
mod reverse;
mod streaming;
mod tables;

use std::hint::black_box;
use std::io::Write;
use std::time::{Duration, Instant};

/// One line of the results.
pub struct Row {
    /// The name of what ran.
    name: String,
    /// The number of items that it went through.
    items: u64,
    /// The name of an item.
    unit: &'static str,
    /// The fastest of the runs.
    time: Duration,
    /// The role of the row in comparisons.
    whose: Whose,
}

/// The role of a row in comparisons.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Whose {
    /// The row is ours, and rows below it are compared with it.
    Ours,
    /// The row is compared with the row of ours above it: a peer's, or ours on something else.
    Compared,
    /// The row is of a peer that came to nothing in its time: how long it would have taken is not
    /// known.
    CameToNothing,
    /// The row is of a peer that is not installed, or failed: its name says which.
    NotMeasured,
}

impl Row {
    /// A row of what was timed elsewhere.
    pub fn new(name: String, items: u64, unit: &'static str, time: Duration, whose: Whose) -> Self {
        Self { name, items, unit, time, whose }
    }

    /// The row as one that rows below are compared with.
    #[must_use]
    pub fn ours(self) -> Self {
        Self { whose: Whose::Ours, ..self }
    }

    fn seconds_each(&self) -> f64 {
        self.time.as_secs_f64() / self.items as f64
    }

    /// The rate as text. The size of the unit depends on how large the rate is.
    fn rate(&self) -> String {
        let rate = 1.0 / self.seconds_each();
        match rate {
            _ if self.whose == Whose::CameToNothing => "none".to_owned(),
            _ if self.whose == Whose::NotMeasured => "not measured".to_owned(),
            1e5.. => format!("{:.1} million {}", rate * 1e-6, self.unit),
            100.0.. => format!("{rate:.0} {}", self.unit),
            _ => format!("{rate:.2} {}", self.unit),
        }
    }

    fn time(&self) -> String {
        match self.time.as_secs_f64() {
            _ if self.whose == Whose::NotMeasured => "not measured".to_owned(),
            seconds @ 1e-3.. => format!("{:.1} ms", seconds * 1e3),
            seconds => format!("{:.1} µs", seconds * 1e6),
        }
    }
}

/// A benchmark: a name, and what makes its rows. The first row is ours; the others are compared
/// with the latest of ours.
struct Benchmark {
    name: &'static str,
    run: fn() -> Vec<Row>,
}

const BENCHMARKS: &[Benchmark] = &[
    Benchmark { name: "reverse", run: reverse::figure_10_third_formula },
    Benchmark { name: "reverse-past", run: reverse::past_and_future },
    Benchmark { name: "reverse-limit", run: reverse::limit },
    Benchmark { name: "reverse-threads", run: reverse::threads },
    Benchmark { name: "reverse-bounded", run: reverse::bounded },
    Benchmark { name: "reverse-steps", run: reverse::bounds_in_steps },
    Benchmark { name: "reverse-time", run: reverse::bounds_in_time },
    Benchmark { name: "breadth-first", run: breadth_first::online },
    Benchmark { name: "generic", run: bounded::responses },
    Benchmark { name: "finite-bounds", run: bounded::finite_bounds },
    Benchmark { name: "streaming", run: streaming::responses },
    Benchmark { name: "streaming-delays", run: streaming::delays },
    Benchmark { name: "streaming-nested", run: streaming::nested },
    Benchmark { name: "mux-sem", run: queries::mutual_exclusion },
    Benchmark { name: "abp", run: queries::alternating_bit_protocol },
    Benchmark { name: "queries-csv", run: queries_csv::end_to_end },
    Benchmark { name: "queries-online", run: queries_online::followed },
    Benchmark { name: "observer", run: observer::steps_of_a_table },
    Benchmark { name: "observer-tableau", run: observer::steps_of_a_tableau },
    Benchmark { name: "observer-large", run: observer::steps_of_a_large_automaton },
    Benchmark { name: "construction", run: observer::construction },
    Benchmark { name: "construction-bounded", run: observer::bounded_construction },
    Benchmark { name: "in-process", run: in_process::steps },
    Benchmark { name: "instrument", run: instrument::writes_in_c },
    Benchmark { name: "java", run: java::writes },
    Benchmark { name: "monitor", run: monitor::json_lines_through_a_pipe },
    Benchmark { name: "monitor_keys", run: monitor_keys::keys_through_a_pipe },
    Benchmark { name: "csv", run: reading::csv_of_booleans },
    Benchmark { name: "csv-words", run: reading::csv_of_words },
    Benchmark { name: "jsonl", run: reading::json_lines },
];

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [first, rest @ ..] = &words[..]
        && first == in_memory::IN_MEMORY
    {
        let _ = writeln!(std::io::stdout(), "{}", in_memory::run(rest));
        return;
    }
    if let [first, rest @ ..] = &words[..]
        && first == tables::TABLES
    {
        tables::run(rest);
        return;
    }
    let is_name = |argument: &String| argument.parse::<usize>().is_err();
    let wanted: Vec<String> = words.into_iter().filter(is_name).collect();
    let mut out = std::io::stdout();
    if wanted == [monitor::COUNT_LINES] {
        let _ = writeln!(out, "{}", monitor::count_lines());
        return;
    }
    let _ =
        writeln!(out, "| benchmark | what | per second | time | against ours |\n| --- | --- | ---: | ---: | ---: |");
    for benchmark in BENCHMARKS.iter().filter(|one| wanted.is_empty() || wanted.iter().any(|name| name == one.name)) {
        let rows = (benchmark.run)();
        let mut ours = rows[0].seconds_each();
        for row in rows {
            if row.whose == Whose::Ours {
                ours = row.seconds_each();
            }
            let (name, rate, time) = (row.name.replace('|', "\\|"), row.rate(), row.time());
            let against = row.seconds_each() / ours;
            let against = match row.whose {
                Whose::CameToNothing => format!("> {against:.2} ×"),
                Whose::NotMeasured => "not measured".to_owned(),
                Whose::Ours | Whose::Compared => format!("{against:.2} ×"),
            };
            let _ = writeln!(out, "| {} | {name} | {rate} | {time} | {against} |", benchmark.name);
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
    Row { name, items, unit, time, whose: Whose::Compared }
}

/// The most memory a process has had, in KiB, as Linux tells it.
pub fn peak_kib(process: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).expect("Linux");
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).expect("a peak");
    line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).expect("a number")
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
