//! Queries on a CSV file, end to end: the program `traceward query` beside `traceward check` of a
//! formula over the same columns, and peers that compute the same from the same file.
//!
//! Ours and peers of one thread run on one core. A number on the command line is another number of
//! rows: `queries-csv 1000000`.

use crate::{Random, Row, Whose};
use serde_json::Value;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

const ROWS: u64 = 5_000_000;
/// Runs of ours, the query and the check in turns: what else the machine does is the same to both.
const RUNS: usize = 8;
const RUNS_OF_PEERS: &str = "5";
const USERS: u64 = 50;
/// Numbers in the column `x` are below this.
const X: usize = 100_000;
/// Numbers in the column `y` are thousandths below this.
const Y: usize = 1_000_000;
/// The core to which what has one thread is bound.
const CORE: &str = "1";
const PEER_SCRIPT: &str = include_str!("../peers/queries.py");

/// A query, and what it is compared with.
struct Case {
    query: &'static str,
    /// A formula over the same columns, which is satisfied.
    formula: &'static str,
    /// Arguments for both.
    arguments: &'static [&'static str],
    /// What the file's numbers are multiplied with to be those of the query.
    unit: f64,
    expected: fn(&Expected) -> f64,
}

const BY_POSITION: Case =
    Case { query: "", formula: "G(request -> F grant)", arguments: &[], unit: 1.0, expected: |_| 0.0 };
const OF_X: Case = Case { formula: "G(x >= 0)", ..BY_POSITION };
const OF_Y: Case = Case { formula: "G(y >= 0)", ..BY_POSITION };

const CASES: [Case; 8] = [
    Case { query: "avg(x)", expected: |it| it.mean_of_x, ..OF_X },
    Case { query: "max(x)", expected: |it| it.max_of_x, ..OF_X },
    Case { query: "quantile(0.99, x)", expected: |it| it.quantile_of_x, ..OF_X },
    Case { query: "avg(y)", expected: |it| it.mean_of_y, ..OF_Y },
    Case { query: "quantile(0.99, y)", expected: |it| it.quantile_of_y, ..OF_Y },
    Case { query: "count(request)", formula: "G F request", expected: |it| it.requests, ..BY_POSITION },
    Case { query: "max(latency(request -> grant))", expected: |it| it.longest, ..BY_POSITION },
    Case {
        query: "quantile(0.99, latency(request -> grant))",
        arguments: &["--time", "t:ms"],
        unit: 1e6,
        expected: |it| it.quantile_of_latency,
        ..BY_POSITION
    },
];

/// The time of each query, of `check` over the same columns, and of peers.
pub fn end_to_end() -> Vec<Row> {
    let rows = std::env::args().find_map(|argument| argument.parse().ok()).unwrap_or(ROWS);
    let input = Input::new(rows);
    CASES.iter().flat_map(|case| of_case(case, &input)).collect()
}

fn of_case(case: &Case, input: &Input) -> Vec<Row> {
    let row = |name: String, time: Duration| Row::new(name, input.rows, "rows", time, Whose::Compared);
    let (query, check) = ours(case, input);
    let times_check = query.as_secs_f64() / check.as_secs_f64();
    let name = format!("`{}`: {times_check:.2} × `check`", case.query);
    let mut rows = vec![row(name, query).ours(), row(format!("`check` of `{}`", case.formula), check)];
    for (peer, threads) in [("duckdb", "1"), ("polars", "1"), ("duckdb", "2"), ("polars", "2")] {
        let plural = if threads == "1" { "" } else { "s" };
        let name = |version: &str| format!("{peer}{version}, {threads} thread{plural}, the same");
        rows.push(match peers(peer, threads, case, input) {
            Ok((version, time)) => row(name(&format!(" {version}")), time),
            Err(why) => {
                let name = format!("{}: {why}", name(""));
                Row::new(name, input.rows, "rows", Duration::ZERO, Whose::NotMeasured)
            }
        });
    }
    rows
}

/// The fastest runs of the query and of the check, which run in turns.
fn ours(case: &Case, input: &Input) -> (Duration, Duration) {
    let run = |subcommand: &str, expression: &str| {
        let mut command = on_one_core(&program());
        command.args([subcommand, "--format", "json", "-e", expression]).args(case.arguments).arg(&input.path);
        let start = Instant::now();
        let output = command.output().expect("the program starts");
        let time = start.elapsed();
        let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
        (time, report)
    };
    let (mut query, mut check) = (Duration::MAX, Duration::MAX);
    for _ in 0..RUNS {
        let (time, report) = run("query", case.query);
        let answer = report["queries"][0]["value"].as_f64().expect("a value");
        verify("ours", case, answer / case.unit, input);
        query = query.min(time);
        let (time, report) = run("check", case.formula);
        assert_eq!(report["properties"][0]["verdict"], "satisfied", "{} is satisfied", case.formula);
        check = check.min(time);
    }
    (query, check)
}

/// The version of a peer and its fastest run, or why there is none.
fn peers(peer: &str, threads: &str, case: &Case, input: &Input) -> Result<(String, Duration), String> {
    let python = program().ancestors().nth(2).map(|target| target.join("peers/bin/python")).unwrap_or_default();
    if !python.exists() {
        return Err("not installed".to_owned());
    }
    let mut command = if threads == "1" { on_one_core(&python) } else { Command::new(&python) };
    command.args(["-c", PEER_SCRIPT, peer, threads]).arg(&input.path).args([case.query, RUNS_OF_PEERS]);
    let output = command.output().map_err(|error| error.to_string())?;
    let told: Value = serde_json::from_slice(&output.stdout).map_err(|_| {
        let said = String::from_utf8_lossy(&output.stderr);
        format!("{}, {}", output.status, said.lines().last().unwrap_or_default())
    })?;
    verify(peer, case, told["answer"].as_f64().expect("an answer"), input);
    let version = told["version"].as_str().unwrap_or_default().to_owned();
    Ok((version, Duration::from_secs_f64(told["seconds"].as_f64().expect("a time"))))
}

/// Whether an answer is the expected one. Means are rounded at their last places, each in its way.
fn verify(who: &str, case: &Case, answer: f64, input: &Input) {
    let expected = (case.expected)(&input.expected);
    let is_close = (answer - expected).abs() <= 1e-10 * expected.abs();
    assert!(is_close, "{who}: {} is {answer}, not {expected}", case.query);
}

fn on_one_core(program: &Path) -> Command {
    let mut command = Command::new("taskset");
    command.args(["--cpu-list", CORE]).arg(program);
    command
}

/// The program, which is built beside this one.
fn program() -> PathBuf {
    let program = std::env::current_exe().expect("a path").with_file_name("traceward");
    assert!(program.exists(), "{} is not there: build it with `cargo build --release`", program.display());
    program
}

/// What the queries give, computed while the file is written. Times are in milliseconds.
#[derive(Default)]
struct Expected {
    mean_of_x: f64,
    max_of_x: f64,
    quantile_of_x: f64,
    mean_of_y: f64,
    quantile_of_y: f64,
    requests: f64,
    longest: f64,
    quantile_of_latency: f64,
}

/// How often each number occurs.
#[derive(Default)]
struct Counts(Vec<u64>);

impl Counts {
    fn add(&mut self, number: usize) {
        if self.0.len() <= number {
            self.0.resize(number + 1, 0);
        }
        self.0[number] += 1;
    }

    fn count(&self) -> u64 {
        self.0.iter().sum()
    }

    fn mean(&self) -> f64 {
        let sum: u64 = self.0.iter().zip(0..).map(|(count, number): (_, u64)| count * number).sum();
        sum as f64 / self.count() as f64
    }

    /// The least number that 99 of 100 do not exceed.
    fn quantile(&self) -> f64 {
        let rank = (self.count() * 99).div_ceil(100);
        let mut seen = 0;
        let reaches = |count: &u64| {
            seen += count;
            seen >= rank
        };
        self.0.iter().position(reaches).unwrap_or_default() as f64
    }
}

/// The rows in a file, which is gone with this.
struct Input {
    path: PathBuf,
    rows: u64,
    expected: Expected,
}

impl Input {
    fn new(rows: u64) -> Self {
        let path = std::env::temp_dir().join(format!("traceward-bench-{}.csv", std::process::id()));
        let expected = write(&path, rows);
        Self { path, rows, expected }
    }
}

impl Drop for Input {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Writes the rows, and tells what the queries give. The last row is request and grant, so that
/// every request is granted.
fn write(path: &Path, rows: u64) -> Expected {
    let mut file = BufWriter::new(File::create(path).expect("a place for temporary files"));
    writeln!(file, "t,request,grant,x,y,user").expect("room for the input");
    let mut random = Random(11);
    let (mut xs, mut ys, mut latencies) = (Counts::default(), Counts::default(), Counts::default());
    let mut waiting: Vec<(u64, u64)> = Vec::new();
    let (mut time, mut longest) = (0, 0);
    for row in 0..rows {
        let (draw, numbers) = (random.bits(), random.bits());
        let is_last = row + 1 == rows;
        let (request, grant) = (draw & 7 == 0 || is_last, draw >> 3 & 7 == 0 || is_last);
        let (x, y) = (numbers as u32 as usize % X, (numbers >> 32) as usize % Y);
        let user = (draw >> 40) % USERS;
        time += draw >> 6 & 15;
        writeln!(file, "{time},{},{},{x},{}.{:03},user{user}", u8::from(request), u8::from(grant), y / 1000, y % 1000)
            .expect("room for the input");
        xs.add(x);
        ys.add(y);
        waiting.extend(request.then_some((row, time)));
        if grant {
            for (since, began) in waiting.drain(..) {
                longest = longest.max(row - since);
                latencies.add((time - began) as usize);
            }
        }
    }
    file.flush().expect("room for the input");
    Expected {
        mean_of_x: xs.mean(),
        max_of_x: (xs.0.len() - 1) as f64,
        quantile_of_x: xs.quantile(),
        mean_of_y: ys.mean() / 1000.0,
        quantile_of_y: ys.quantile() / 1000.0,
        requests: latencies.count() as f64,
        longest: longest as f64,
        quantile_of_latency: latencies.quantile(),
    }
}
