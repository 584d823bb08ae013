//! Tables that pyarrow, Polars, DuckDB and fastparquet have written are answered like the CSV they
//! came from.
//!
//! They are written by Python, in an environment beside what cargo builds. Where that cannot be
//! made, this test fails: nothing else would tell that others' tables are still read.

#![allow(clippy::disallowed_methods, reason = "tests write files and run programs that write tables")]

use std::fs::{self, File};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use traceward::input::{Format, Pieces, TimeColumn};
use traceward::{CheckOptions, Error, Goal, ReadOptions, Report, Settings, Source, Spec, check_with};
use traceward_arrow::{Table, check_table};

/// The number of tables that are written: 11 by Polars, 12 by pyarrow, 6 by DuckDB, 4 by
/// fastparquet.
const WRITTEN: usize = 33;

const SPEC: &str = "
    property answered = G(request -> F[0,200ms] grant)
    property small = G(n < 100)
    property settled = G(s == \"down\" -> X s != \"up\")
    property quarters = G(f * 4 == n - n + f * 4)
    query slowest = max(latency(request -> grant))
    query sum = sum(n)
    query mean = avg(f)
    query kinds = distinct(s)
";

fn run(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?} cannot be run: {error}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?} failed, and without it others' tables are not tried: {errors}");
    output
}

/// Python with the programs that write tables.
fn python() -> PathBuf {
    let environment = Path::new(env!("CARGO_TARGET_TMPDIR")).join("producers");
    let (python, ready) = (environment.join("bin/python"), environment.join("ready"));
    let requirements = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/producers/requirements.txt");
    let wanted = fs::read_to_string(&requirements).expect("the list of programs");
    if fs::read_to_string(&ready).is_ok_and(|made| made == wanted) {
        return python;
    }
    run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&environment));
    run(Command::new(&python).args(["-m", "pip", "install", "--quiet", "--requirement"]).arg(&requirements));
    fs::write(ready, wanted).expect("a note that it is made");
    python
}

fn told(answer: &Result<Report, Error>, header: u64) -> String {
    let report = answer.as_ref().unwrap_or_else(|error| panic!("{error}"));
    let mut text = format!("{} states\n", report.trace.states);
    for property in &report.properties {
        let violations = property.evidence.violations.iter().flat_map(|violations| &violations.first);
        let rows: Vec<u64> = violations.map(|violation| violation.line - header).collect();
        let by_key = property.keys.as_ref().map(|keys| &keys.verdicts);
        text += &format!("{}: {:?} {rows:?} {by_key:?}\n", property.name, property.verdict);
    }
    for query in &report.queries {
        text += &format!("{}: {:?}\n", query.name, query.value);
    }
    text
}

#[test]
fn tables_of_others_are_answered_like_their_csv() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tables-of-others");
    fs::create_dir_all(&folder).expect("a folder");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/producers/write.py");
    run(Command::new(python()).arg(script).arg(&folder));
    let mut tables: Vec<PathBuf> =
        fs::read_dir(&folder).expect("tables").map(|one| one.expect("a file").path()).collect();
    tables.retain(|path| path.extension().is_some_and(|ending| ending != "csv"));
    tables.sort();
    assert_eq!(tables.len(), WRITTEN, "{tables:?}");
    let pieces = Pieces { threads: NonZero::new(2).expect("threads"), ..Pieces::default() };
    let options = CheckOptions::default().read(ReadOptions { pieces, ..ReadOptions::default() });
    for by in [None, Some("k".to_owned())] {
        let settings = Settings { time: Some(TimeColumn::new("t", None)), by, ..Settings::default() };
        let spec = Spec::parse_with(vec![Source::new("spec", SPEC, Goal::Check)], settings).expect("the spec is good");
        let csv = File::open(folder.join("table.csv")).expect("the CSV");
        let expected = told(&check_with(&spec, csv, &options), 1);
        for path in &tables {
            let format = Format::from_path(path).expect("its ending");
            let open = || File::open(path).expect("a table");
            let len = open().metadata().expect("its length").len();
            // By one thread at a time, and side by side.
            for table in [Table::new(open()).expect("its length"), Table::shared(open(), len)] {
                assert_eq!(told(&check_table(&spec, table, format, &options), 0), expected, "{}", path.display());
            }
        }
    }
}
