//! `--by` and `--end-when`: traces of keys, from a pipe and from a file.

use crate::common::Folder;
use crate::monitor::session;
use serde_json::Value;

const ROWS: &[u8] = b"client,event,x\nann,ask,1\nbob,ask,1\nann,answer,2\nann,bye,2\nbob,ask,5\nann,ask,3\n";

const SPEC: &[u8] = b"trace { event event  by client }\n\
    property answered \"no question is forgotten\" = G(\"ask\" -> F \"answer\")\n\
    property small = G(x < 4)\n\
    property greeted = G(\"hello\" -> F \"answer\")\n";

#[test]
fn verdicts_by_key() {
    let json: &[u8] = b"{\"k\":1,\"a\":true}\n{\"k\":\"\\u001b[1m\",\"a\":false}\n{\"a\":true}\n{\"k\":1,\"a\":3}\n";
    insta::assert_snapshot!(session(
        "keys-changes",
        &[("p.tw", SPEC), ("rows.csv", ROWS)],
        &[
            (&["monitor", "p.tw"], ROWS),
            (&["monitor", "p.tw", "--end-when", "\"bye\""], ROWS),
            (&["monitor", "p.tw", "--end-when", "\"bye\"", "--format", "text"], ROWS),
            (&["check", "p.tw", "--end-when", "\"bye\"", "rows.csv"], b""),
            (&["monitor", "-e", "G a", "--by", "k", "--only-final"], json),
            (&["monitor", "-e", "G a", "--by", "kk"], json),
            (&["monitor", "-e", "G a", "--by", "k", "--max-keys", "1", "--format", "text"], json),
            (&["monitor", "p.tw", "--stop-on-violation", "--format", "text"], ROWS),
        ]
    ));
}

#[test]
fn values_by_key() {
    let queries: &[&str] = &["-e", "max(x)", "-e", "count(x > 1)", "--by", "client"];
    insta::assert_snapshot!(session(
        "keys-values",
        &[("rows.csv", ROWS)],
        &[
            (&[&["monitor", "--end-when", "event == \"bye\""], queries].concat(), ROWS),
            (&[&["monitor", "--end-when", "event == \"bye\"", "--format", "text"], queries].concat(), ROWS),
            (&[&["query", "--end-when", "event == \"bye\"", "rows.csv"], queries].concat(), b""),
        ]
    ));
}

/// A marker that ends no trace is told of; one of several words that may come is nobody's mistake.
#[test]
fn a_marker_that_never_comes() {
    let folder = Folder::new("keys-marker");
    folder.write("rows.csv", ROWS);
    let asked = |command: &'static str, marker: &'static str| {
        let trace = if command == "check" { "rows.csv" } else { "--only-final" };
        let arguments = [command, "-e", "G x > 0", "--by", "client", "--end-when", marker, trace];
        folder.run(&arguments, ROWS).stderr
    };
    assert!(asked("check", "event == \"by\"").contains("`event` is never \"by\""));
    assert!(asked("check", "event == \"anwser\"").contains("did you mean \"answer\"?"));
    assert!(asked("check", "event in {\"quit\"}").contains("`event` is never \"quit\""));
    assert!(asked("monitor", "event == \"by\"").contains("`event` is never \"by\""));
    for command in ["check", "monitor"] {
        assert_eq!(asked(command, "event == \"bye\""), "");
        assert_eq!(asked(command, "event == \"bye\" | event == \"finished\""), "");
    }
}

#[test]
fn silence_ends_traces() {
    let rows: &[u8] = b"t,k,a,b\n0,x,1,0\n30,y,1,0\n50,y,0,1\n61,y,0,0\n62,x,0,0\n";
    let asked: &[&str] = &["monitor", "-e", "G(a -> F b)", "--by", "k", "--time", "t:s", "--idle"];
    insta::assert_snapshot!(session(
        "keys-silence",
        &[],
        &[
            (&[asked, &["1min"]].concat(), rows),
            (&[asked, &["62s", "--only-final"]].concat(), rows),
            (&[asked, &["soon"]].concat(), rows),
            (&["monitor", "-e", "G a", "--idle", "1s"], b"a\n1\n"),
            (&["monitor", "-e", "G a", "--max-keys", "5"], b"a\n1\n"),
            (&["monitor", "-e", "G a", "--end-when", "a"], b"a\n1\n"),
            (&["monitor", "-e", "G a", "--by", "k", "--coverage"], b"k,a\n1,1\n"),
            (&["monitor", "-e", "G a", "--by", "k", "--every", "10"], b"k,a\n1,1\n"),
        ]
    ));
}

/// The counts over keys of each property.
fn counts(document: &Value) -> Vec<[u64; 3]> {
    let properties = document["properties"].as_array().expect("properties");
    let count = |one: &Value| ["checked", "violated", "vacuous"].map(|name| one["keys"][name].as_u64().expect(name));
    properties.iter().map(count).collect()
}

#[test]
fn a_pipe_counts_what_a_file_counts() {
    let folder = Folder::new("keys-counts");
    let rows: String = (0..4000_u32)
        .map(|row| {
            let (key, hash) = (row.wrapping_mul(2_654_435_761) >> 25, row.wrapping_mul(40_503) >> 7);
            format!("{{\"k\":{key},\"a\":{},\"b\":{},\"x\":{}}}\n", hash % 3 == 0, hash % 4 == 1, hash % 10)
        })
        .collect();
    folder.write("rows.jsonl", rows.as_bytes());
    let formulas = ["-e", "G(a -> F b)", "-e", "G(a -> F[0,4] b)", "-e", "G !(past(x) > x + 8)", "-e", "G(x > 9 -> a)"];
    for end_when in [&[][..], &["--end-when", "x == 7"]] {
        let keys = [&formulas[..], &["--by", "k"], end_when].concat();
        let told = folder.run(&[&["monitor", "--only-final"], &keys[..]].concat(), rows.as_bytes());
        let checked = folder.run(&[&["check", "--format", "json", "rows.jsonl"], &keys[..]].concat(), b"");
        let stream: Value = serde_json::from_str(told.stdout.lines().last().unwrap()).unwrap();
        let file = checked.json();
        assert_eq!(counts(&stream), counts(&file), "{end_when:?}");
        assert_eq!(told.status, checked.status);
    }
}

/// Runs its arguments and tells the most memory that they took, in KiB, on standard error. To look
/// at a process while it runs would miss what it took last. What a child takes counts from its
/// parent on, which therefore has to be small.
const MEASURED: &str = "\
import resource, subprocess, sys
subprocess.run(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
";

/// The most memory that the program took, in KiB, and what it printed.
fn peak(folder: &Folder, arguments: &[&str]) -> (u64, Vec<u8>) {
    let program = folder.command(arguments);
    let mut measured = std::process::Command::new("python3");
    measured.args(["-c", MEASURED]).arg(program.get_program()).args(program.get_args());
    for (name, value) in program.get_envs() {
        match value {
            Some(value) => measured.env(name, value),
            None => measured.env_remove(name),
        };
    }
    let output = measured.current_dir(program.get_current_dir().expect("a folder")).output().expect("python3");
    let told = String::from_utf8_lossy(&output.stderr);
    let peak = told.lines().next_back().and_then(|line| line.parse().ok());
    (peak.unwrap_or_else(|| panic!("{told}")), output.stdout)
}

/// Rows that do not fit go to a file: memory grows with the keys, and not with their states.
#[test]
fn states_of_keys_may_take_more_than_memory() {
    const KEYS: usize = 2000;
    let folder = Folder::new("spilled-keys");
    let rows = |count: usize| {
        let row = |nth: usize| format!("{nth},k{},{},{}\n", nth * 7919 % KEYS, nth.is_multiple_of(5), nth * 31 % 1000);
        let rows: String = (0..count).map(row).collect();
        format!("t,k,on,x\n{rows}")
    };
    folder.write("few.csv", rows(100_000)).write("many.csv", rows(1_500_000));
    let ask = |file: &str, memory: &str| {
        let question = [
            "query",
            "-e",
            "max(x)",
            "-e",
            "max(latency(on -> !on))",
            "--time",
            "t:ms",
            "--by",
            "k",
            "--format",
            "json",
        ];
        peak(&folder, &[&question[..], &["--key-memory", memory, file]].concat())
    };
    let (few, _) = ask("few.csv", "2");
    let (many, answer) = ask("many.csv", "2");
    let (all, expected) = ask("many.csv", "1024");
    assert_eq!(answer, expected, "the answer does not depend on where states are");
    // 1.4 million states more, of 24 bytes each at the least, would be 33 MB.
    assert!(many < few + 16_000, "{many} KiB for many states, {few} KiB for few");
    assert!(all > many + 16_000, "{all} KiB in memory, {many} KiB otherwise: nothing went to the file");
}

/// The same without keys: a bit for each comparison and state is kept, and no values.
#[test]
fn states_of_one_trace_may_take_more_than_memory() {
    let folder = Folder::new("spilled-states");
    let rows = |count: usize| {
        let row = |nth: usize| format!("{nth},{},{}\n", nth.is_multiple_of(5), nth * 31 % 1000);
        let rows: String = (0..count).map(row).collect();
        format!("t,on,x\n{rows}")
    };
    folder.write("few.csv", rows(400_000)).write("many.csv", rows(2_500_000));
    let ask = |file: &str, memory: &str| {
        let question = ["check", "-e", "G(on -> F[1,5] on)", "-e", "G(past(x, 2) != 62 | x < 124)", "--time", "t:ms"];
        peak(&folder, &[&question[..], &["--format", "json", "--trace-memory", memory, file]].concat())
    };
    let (few, _) = ask("few.csv", "2");
    let (many, answer) = ask("many.csv", "2");
    let (all, expected) = ask("many.csv", "1024");
    assert_eq!(answer, expected, "the answer does not depend on where states are");
    // 2.1 million states more, of 16 bytes each, would be 33 MB; their bits are 260 kB a row. What
    // threads have read ahead, and in larger pieces of a larger file, differs from run to run by
    // some megabytes.
    assert!(many < few + 18_000, "{many} KiB for many states, {few} KiB for few");
    assert!(all > many + 20_000, "{all} KiB in memory, {many} KiB otherwise: nothing went to the file");
}

/// A Parquet table of so many rows, in one row group.
fn table(count: usize) -> Vec<u8> {
    use arrow_array::{ArrayRef, BooleanArray, Int64Array, RecordBatch};
    use std::sync::Arc;
    let numbers = |number: fn(i64) -> i64| Arc::new(Int64Array::from_iter_values((0..count as i64).map(number)));
    let on: BooleanArray = (0..count).map(|nth| Some(nth.is_multiple_of(5))).collect();
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("t", numbers(|nth| nth)),
        ("k", numbers(|nth| nth * 7919 % 2000)),
        ("on", Arc::new(on)),
        ("x", numbers(|nth| nth * 31 % 1000)),
    ];
    let batch = RecordBatch::try_from_iter(columns).expect("a batch");
    let properties = parquet::file::properties::WriterProperties::builder().set_max_row_group_row_count(Some(count));
    let mut bytes = Vec::new();
    let writer = parquet::arrow::ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties.build()));
    let mut writer = writer.expect("a writer");
    writer.write(&batch).expect("rows are written");
    writer.close().expect("a table is written");
    bytes
}

/// The same of tables, with keys and without.
#[test]
fn rows_of_tables_may_take_more_than_memory() {
    let folder = Folder::new("spilled-tables");
    folder.write("few.parquet", table(200_000)).write("many.parquet", table(2_500_000));
    let without = ["check", "-e", "G(on -> F[1,5] on)", "-e", "G(past(x, 2) != 62 | x < 124)"];
    let by_key = ["query", "-e", "max(x)", "-e", "max(latency(on -> !on))", "--by", "k"];
    for question in [&without[..], &by_key] {
        let ask = |file: &str, memory: &str| {
            let how = ["--time", "t:ms", "--format", "json", "--trace-memory", memory, file];
            peak(&folder, &[question, &how].concat())
        };
        let (few, _) = ask("few.parquet", "2");
        let (many, answer) = ask("many.parquet", "2");
        let (all, expected) = ask("many.parquet", "1024");
        assert_eq!(answer, expected, "the answer does not depend on where states are");
        // 2.3 million states more, of 16 bytes each at the least, would be 37 MB.
        assert!(many < few + 16_000, "{many} KiB for many states, {few} KiB for few");
        assert!(all > many + 16_000, "{all} KiB in memory, {many} KiB otherwise: nothing went to the file");
    }
}

/// What is left out since it came too late keeps verdicts from being an answer, by key as without.
#[test]
fn records_of_keys_that_come_too_late() {
    let folder = Folder::new("keys-late");
    let trace = b"t,k,x\n0,A,1\n100,A,1\n1,A,0\n200,A,1\n";
    folder.write("late.csv", trace);
    let asked = ["-e", "G x", "--time", "t:ms", "--lateness", "1ms", "--by", "k"];
    for more in [&[][..], &["-q"], &["--late", "drop"]] {
        let told = folder.run(&[&["monitor", "--only-final"], &asked[..], more].concat(), trace);
        let checked = folder.run(&[&["check", "late.csv"], &asked[..], more].concat(), b"");
        let end: Value = serde_json::from_str(told.stdout.lines().last().unwrap()).unwrap();
        assert_eq!(end["late"], 1, "{more:?}");
        assert_eq!(told.status, if more.contains(&"drop") { 0 } else { 2 }, "{more:?}");
        assert_eq!(told.status, checked.status, "{more:?}");
        assert!(told.stderr.contains("left out: line 4") || more.contains(&"drop"), "{}", told.stderr);
    }
}

/// What holds of every key holds for good where the input has ended without one.
#[test]
fn a_monitor_of_no_key_says_what_check_says() {
    let folder = Folder::new("keys-none");
    let asked = ["-e", "F x", "-e", "G x", "--by", "k", "--allow-empty"];
    let check = folder.run(&[&["check", "-", "--format", "json"], &asked[..]].concat(), b"k,x\n");
    let monitor = folder.run(&[&["monitor"], &asked[..]].concat(), b"k,x\n");
    assert_eq!((check.status, monitor.status), (0, 0), "{}", monitor.stderr);
    let verdicts = |document: Value| {
        let properties = document["properties"].as_array().expect("properties").iter();
        properties.map(|property| property["verdict"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(verdicts(monitor.json()), ["satisfied", "satisfied"]);
    assert_eq!(verdicts(check.json()), ["satisfied", "satisfied"]);
}
