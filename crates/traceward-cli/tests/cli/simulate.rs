//! Programs that are run, and what is asked of their traces.

use crate::common::{Folder, run_in, transcript};
use crate::transcripts::session;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::Stdio;

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

/// A trace as columns of texts, read by nothing but the splitting of lines.
struct Table(BTreeMap<String, Vec<String>>);

impl Table {
    fn new(csv: &str) -> Self {
        let mut lines = csv.lines();
        let names: Vec<&str> = lines.next().expect("a header").split(',').collect();
        let mut columns: Vec<Vec<String>> = vec![Vec::new(); names.len()];
        for line in lines {
            line.split(',').zip(&mut columns).for_each(|(cell, column)| column.push(cell.to_owned()));
        }
        Self(names.into_iter().map(str::to_owned).zip(columns).collect())
    }

    fn texts(&self, name: &str) -> &[String] {
        &self.0[name]
    }

    fn bits(&self, name: &str) -> Vec<bool> {
        self.texts(name).iter().map(|cell| cell == "true").collect()
    }

    fn integers(&self, name: &str) -> Vec<i64> {
        self.texts(name).iter().map(|cell| cell.parse().expect("an integer")).collect()
    }

    /// The positions after which a process is no longer at a label.
    fn left(&self, label: &str) -> Vec<usize> {
        let bits = self.bits(&format!("at_{label}"));
        (1..bits.len()).filter(|position| bits[position - 1] && !bits[*position]).map(|position| position - 1).collect()
    }

    /// The positions at which a process comes to a label.
    fn entered(&self, label: &str) -> Vec<usize> {
        let bits = self.bits(&format!("at_{label}"));
        (1..bits.len()).filter(|position| !bits[position - 1] && bits[*position]).collect()
    }
}

/// Runs an example, and asks its spec of the trace: the trace, and the values of the queries.
fn measured(name: &str, steps: &str, seed: &str, status: i32) -> (Table, BTreeMap<String, serde_json::Value>) {
    let (program, spec) = (format!("{name}.spl"), format!("{name}.tw"));
    let run = run_in(&examples(), &["simulate", &program, "--steps", steps, "--seed", seed], b"");
    assert_eq!((run.status, run.stderr.as_str()), (0, ""), "{name}");
    let answer = run_in(&examples(), &["check", &spec, "-", "--format", "json"], run.stdout.as_bytes());
    assert_eq!(answer.status, status, "{name}: {}{}", answer.stdout, answer.stderr);
    let document = answer.json();
    let queries = document["queries"].as_array().expect("queries").iter();
    let values = queries.map(|query| (query["name"].as_str().expect("a name").to_owned(), query["value"].clone()));
    (Table::new(&run.stdout), values.collect())
}

fn close(value: &serde_json::Value, expected: f64) {
    let value = value.as_f64().expect("a number");
    assert!((value - expected).abs() <= 1e-9 * expected.abs(), "{value}, and not {expected}");
}

/// Section 3.1 of the paper, counted by plain loops.
#[test]
fn mutual_exclusion_by_semaphores() {
    let (trace, values) = measured("mux-sem", "20000", "11", 0);
    assert_eq!(trace.texts("r").len(), 20_001);
    let most = trace.integers("r").into_iter().max();
    assert_eq!(values["semaphore_values"].as_i64(), most);
    let (first, second) = (trace.bits("at_l3"), trace.bits("at_m3"));
    let together = (0..first.len()).map(|at| usize::from(first[at]) + usize::from(second[at])).max();
    assert_eq!(values["in_critical"].as_u64(), together.map(|most| most as u64));
    close(&values["bias"], trace.left("l3").len() as f64 / trace.left("m3").len() as f64);

    let waiting = trace.bits("at_l2");
    let (mut most, mut overtaken) = (0, 0);
    for at in 1..waiting.len() {
        // An entry belongs to the state before it.
        overtaken = match waiting[at - 1] {
            true => overtaken + u64::from(!second[at - 1] && second[at]),
            false => 0,
        };
        most = most.max(overtaken);
    }
    assert!(most > 1);
    assert_eq!(values["overtaking"].as_u64(), Some(most));
}

/// Section 3.2 of the paper, counted by plain loops.
#[test]
fn the_alternating_bit_protocol() {
    let (trace, values) = measured("abp", "20000", "12", 0);
    let (sent, received, done) = (trace.left("l1"), trace.left("m1"), trace.left("l6"));
    assert_eq!(values["throughput"].as_u64(), Some(done.len() as u64));
    assert_eq!(values["sent_and_received"], serde_json::json!([sent.len(), received.len()]));
    assert!(sent.len() > received.len() && received.len() > done.len() && done.len() > 500);

    // Transmissions by the item that they are of: from one visit of l6 to the next.
    let next_item = trace.entered("l6");
    let mut transmissions = vec![0_u64; next_item.len() + 1];
    sent.iter().for_each(|at| transmissions[next_item.partition_point(|next| next <= at)] += 1);
    let most = transmissions.iter().copied().max();
    assert!(most > Some(2));
    assert_eq!(values["most_transmissions"].as_u64(), most);
    close(&values["average_transmissions"], average(&trace, &transmissions));
}

/// The average number of transmissions of the items that the sender has turned to. The run may end
/// where it has just finished an item, and is about to turn to the next.
fn average(trace: &Table, transmissions: &[u64]) -> f64 {
    let is_at_end = trace.bits("at_l6").last() == Some(&true);
    let items = transmissions.len() - usize::from(is_at_end);
    transmissions.iter().sum::<u64>() as f64 / items as f64
}

#[test]
fn allocations_against_releases() {
    let (trace, values) = measured("heap", "2000", "3", 1);
    let count = |labels: &[&str]| labels.iter().map(|label| trace.left(label).len() as i64).sum::<i64>();
    let (allocated, released) = (count(&["a1", "b1"]), count(&["a3", "b5", "b6"]));
    assert_eq!(values["allocations"].as_i64(), Some(allocated));
    assert_eq!(values["given_back"].as_i64(), Some(released));
    assert_eq!(values["left_over"].as_i64(), Some(allocated - released));
    assert_eq!(trace.integers("blocks").last(), Some(&(allocated - released)));
}

#[test]
fn durations_of_calls() {
    let (trace, values) = measured("calls", "5000", "5", 0);
    for (client, label) in [(1, "c3"), (2, "d4")] {
        let (called, returned) = (trace.entered(label), trace.left(label));
        let mut took: Vec<usize> = called.iter().zip(&returned).map(|(call, at)| at + 1 - call).collect();
        took.sort_unstable();
        assert!(took.len() > 100);
        close(&values[&format!("mean_{client}")], took.iter().sum::<usize>() as f64 / took.len() as f64);
        assert_eq!(values[&format!("longest_{client}")].as_u64(), took.last().map(|longest| *longest as u64));
    }
    assert_eq!(values["calls_1"].as_u64(), Some(trace.entered("c3").len() as u64));
}

#[test]
fn how_close_two_runs_are() {
    let (trace, values) = measured("closeness", "2000", "4", 0);
    let (ideal, tested) = (trace.integers("Ideal.done"), trace.integers("Tested.done"));
    let distances: Vec<u64> = ideal.iter().zip(&tested).map(|(one, other)| one.abs_diff(*other)).collect();
    let states = distances.len() as f64;
    assert_eq!(values["farthest"].as_u64(), distances.iter().copied().max());
    close(&values["average_distance"], distances.iter().sum::<u64>() as f64 / states);
    close(&values["level"], distances.iter().filter(|distance| **distance == 0).count() as f64 / states);
    close(&values["at_the_end"], tested[tested.len() - 1] as f64 / ideal[ideal.len() - 1] as f64);
}

#[test]
fn both_forms_are_read_alike() {
    for name in ["mux-sem", "abp"] {
        let (program, spec) = (format!("{name}.spl"), format!("{name}.tw"));
        let answer = |form: &str| {
            let run = run_in(&examples(), &["simulate", &program, "--format", form, "--seed", "2"], b"");
            run_in(&examples(), &["check", &spec, "-", "--format", "json"], run.stdout.as_bytes()).json()["queries"]
                .clone()
        };
        assert_eq!(answer("csv"), answer("jsonl"));
    }
}

#[test]
fn traces_as_users_see_them() {
    let commands: &[&[&str]] = &[
        &["simulate", "mux-sem.spl", "--steps", "4"],
        &["simulate", "mux-sem.spl", "--steps", "4", "--seed", "2"],
        &["simulate", "abp.spl", "--steps", "0"],
        &["simulate", "abp.spl", "--steps", "1", "--format", "jsonl"],
    ];
    let seen = commands.iter().map(|arguments| transcript(arguments, &run_in(&examples(), arguments, b"")));
    insta::assert_snapshot!(seen.collect::<Vec<_>>().join("\n"));
}

#[test]
fn ends_and_mistakes() {
    let folder = Folder::new("simulate-mistakes");
    let deadlock =
        "local r : integer where r = 1\nP :: [ l0: request r\n       l1: request r ]\n|| Q :: [ m0: skip ]\n";
    folder
        .write("deadlock.spl", deadlock)
        .write("ends.spl", "local x : integer\nP :: [ l0: x := 1 ]\n")
        .write("fault.spl", "local x : integer where x = 2\nP :: [ l0: loop forever do [\n  l1: x := x - 1\n  l2: await 6 / x > 0 ] ]\n")
        .write("typo.spl", "local turn : integer\nP :: [ l0: loop forever do [\n  l1: tunr := 1\n  l2: turn := true ] ]\n")
        .write("hidden.spl", "local x\u{1b}[31m : integer\nP :: [ l0: skip ]\n")
        .write("direction.spl", "P :: [ l0: x := 1 // \u{202e}\u{9b}31m\n]\n")
        .write("empty.spl", "")
        .write("bytes.spl", b"P :: [ l0: \xff ]")
        .write("long.spl", " ".repeat((1 << 20) + 1));
    let commands: &[&[&str]] = &[
        &["simulate", "deadlock.spl"],
        &["simulate", "deadlock.spl", "--quiet", "--steps", "9"],
        &["simulate", "ends.spl"],
        &["simulate", "fault.spl"],
        &["simulate", "typo.spl"],
        &["simulate", "hidden.spl"],
        &["simulate", "direction.spl"],
        &["simulate", "empty.spl"],
        &["simulate", "bytes.spl"],
        &["simulate", "long.spl"],
        &["simulate", "missing.spl"],
        &["simulate", "."],
        &["simulate"],
        &["simulate", "ends.spl", "--steps", "-1"],
        &["simulate", "ends.spl", "--steps", "many"],
        &["simulate", "ends.spl", "--seed", "x"],
        &["simulate", "ends.spl", "--format", "xml"],
        &["simulate", "ends.spl", "-o", "ends.spl"],
        &["simulate", "ends.spl", "-o", "nowhere/trace.csv"],
        &["simulate", "ends.spl", "-o", "trace.csv", "--quiet"],
        &["inspect", "trace.csv"],
    ];
    let seen = commands.iter().map(|arguments| transcript(arguments, &folder.run(arguments, b"")));
    let seen = seen.collect::<Vec<_>>().join("\n");
    assert!(!seen.contains(|letter: char| letter.is_control() && letter != '\n'), "{seen:?}");
    insta::assert_snapshot!(seen);
}

#[test]
fn a_program_from_standard_input() {
    let folder = Folder::new("simulate-stdin");
    let output = folder.run(&["simulate", "-", "--steps", "1"], b"local b : boolean P :: [ l0: b := !b ]");
    assert_eq!(output.stdout, "b,P.at,at_l0\nfalse,l0,true\ntrue,end,false\n");
    assert_eq!((output.status, output.stderr.as_str()), (0, ""));
}

#[test]
fn the_program_of_the_help_is_one() {
    let text = Folder::new("simulate-help").run(&["help", "programs"], b"").stdout;
    let program = text.split_once("\n\n").expect("a program").1.split_once("\n\n").expect("its end").0;
    let folder = Folder::new("simulate-help-program");
    folder.write("program.spl", program);
    let examples = text.split_once("Examples\n").expect("examples").1;
    for line in examples.lines().filter_map(|line| line.strip_prefix("  traceward ")) {
        let arguments: Vec<&str> = line.split_whitespace().collect();
        let output = folder.run(&arguments, b"");
        assert_eq!((output.status, output.stderr.as_str()), (0, ""), "{line}");
    }
    assert!(text.lines().count() <= 40 && text.lines().all(|line| line.chars().count() <= 120));
}

/// A reader who has seen enough ends a run that would take minutes.
#[test]
fn a_closed_pipe_ends_it_quietly() {
    let folder = Folder::new("simulate-pipe");
    std::fs::copy(examples().join("abp.spl"), folder.path("abp.spl")).expect("a copy");
    let mut child = folder
        .command(&["simulate", "abp.spl", "--steps", "1000000000000"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
    assert!(line.starts_with("dchan.length,"));
    let output = child.wait_with_output().expect("it ends");
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), b"".as_slice()));
}

#[test]
fn a_full_disk_is_an_error() {
    if Path::new("/dev/full").exists() {
        let seen =
            session("simulate-full", &[("p.spl", b"P :: [ l0: skip ]")], &[&["simulate", "p.spl", "-o", "/dev/full"]]);
        assert!(
            seen.contains("error: the output could not be written: ") && seen.ends_with("--- exit status 2\n"),
            "{seen}"
        );
    }
}
