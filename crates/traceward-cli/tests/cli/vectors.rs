//! Cases with known answers through the program.

use crate::common::Folder;
use std::collections::BTreeMap;
use traceward_testkit::corpus;
use traceward_testkit::vectors::{self, Corner};

fn csv(trace: &BTreeMap<String, String>, len: usize) -> String {
    let mut text = trace.keys().cloned().collect::<Vec<_>>().join(",");
    text.push('\n');
    for position in 0..len {
        let fields: Vec<&str> = trace.values().map(|bits| &bits[position..=position]).collect();
        text.push_str(&fields.join(","));
        text.push('\n');
    }
    text
}

fn json_lines(trace: &BTreeMap<String, String>, len: usize) -> String {
    let line = |position: usize| {
        let member = |(name, bits): (&String, &String)| format!("\"{name}\": {}", &bits[position..=position] == "1");
        format!("{{{}}}\n", trace.iter().map(member).collect::<Vec<_>>().join(", "))
    };
    (0..len).map(line).collect()
}

fn truth_of(folder: &Folder, arguments: &[&str], stdin: &str) -> String {
    let mut all = vec!["check", "--positions", "--format", "json", "--quiet", "-"];
    all.extend(arguments);
    let output = folder.run(&all, stdin.as_bytes());
    assert!(output.status < 2, "{arguments:?}: {}", output.stderr);
    let document = output.json();
    let property = &document["properties"][0];
    let truth = property["truth"].as_str().unwrap_or_else(|| panic!("{arguments:?}: {document}")).to_owned();
    // The verdict is the truth at position 0, and so is the exit status.
    let holds = truth.starts_with('1');
    assert_eq!(property["verdict"], if holds { "satisfied" } else { "violated" }, "{arguments:?}");
    assert_eq!(output.status, i32::from(!holds), "{arguments:?}");
    truth
}

#[test]
fn formulas_from_csv_by_reverse_and_from_json_lines_by_naive() {
    let folder = Folder::new("vectors-formulas");
    let mut count = 0;
    for vector in vectors::formulas() {
        let len = vector.truth.len();
        let formula = vector.formula.as_str();
        let reverse = truth_of(&folder, &["-e", formula, "--engine", "reverse"], &csv(&vector.trace, len));
        assert_eq!(reverse, vector.truth, "{formula}");
        let naive = truth_of(&folder, &["-e", formula, "--engine", "naive"], &json_lines(&vector.trace, len));
        assert_eq!(naive, vector.truth, "{formula}");
        count += 1;
    }
    assert_eq!(count, 1200);
}

#[test]
fn the_corpus() {
    let folder = Folder::new("vectors-corpus");
    for case in corpus::cases() {
        let mut text = csv(&case.trace, case.truth.len());
        let mut arguments = vec!["-e", case.formula.as_str()];
        if let Some(time) = &case.time {
            let stamps = std::iter::once("t".to_owned()).chain(time.iter().map(ToString::to_string));
            text = stamps.zip(text.lines()).map(|(stamp, line)| format!("{stamp},{line}\n")).collect();
            arguments.extend(["--time", "t:ns"]);
        }
        assert_eq!(truth_of(&folder, &arguments, &text), case.truth, "{}", case.name);
    }
}

#[test]
fn corners() {
    let folder = Folder::new("vectors-corners");
    let mut count = 0;
    for corner in vectors::corners() {
        match corner {
            Corner::Same { text, as_ } => {
                let trace = "a,b,c,x,y\n1,0,1,1,3\n0,1,1,7,0\n1,1,0,3,3\n0,0,0,1,1\n";
                let [one, other] = [text, as_].map(|text| truth_of(&folder, &["-e", &text], trace));
                assert_eq!(one, other);
            }
            Corner::Error { text, variables, why } => {
                let trace = b"a,b,c,x,y\ntrue,false,true,2,3\nfalse,true,true,5,7\n";
                let typed = |(name, ty): (&String, &String)| {
                    let ty = if ty == "int" { "number" } else { "boolean" };
                    format!("--type={name}:{ty}")
                };
                let types: Vec<String> = variables.iter().map(typed).collect();
                let arguments: Vec<&str> =
                    ["check", "-e", &text, "-"].into_iter().chain(types.iter().map(String::as_str)).collect();
                let output = folder.run(&arguments, trace);
                assert_eq!(output.status, 2, "{text:?}: {why}\n{}", output.stdout);
                assert!(output.stderr.starts_with("error"), "{text:?}: {}", output.stderr);
            }
            Corner::Empty { formula, satisfied } => {
                let output = folder.run(&["check", "-e", &formula, "-", "--allow-empty", "--format", "json"], b"a,b\n");
                assert_eq!(output.status, i32::from(!satisfied), "{formula}: {}", output.stderr);
                assert_eq!(output.json()["trace"]["empty"], true);
            }
            Corner::Csv { csv, formula, truth } => {
                for engine in ["reverse", "naive"] {
                    assert_eq!(truth_of(&folder, &["-e", &formula, "--engine", engine], &csv), truth, "{formula}");
                }
            }
            Corner::Time { csv, time, unit, formula, truth } => {
                let time = format!("{time}:{unit}");
                for engine in ["reverse", "naive"] {
                    let arguments = ["-e", &formula, "--time", &time, "--engine", engine];
                    assert_eq!(truth_of(&folder, &arguments, &csv), truth, "{formula}");
                }
            }
            Corner::By { csv, key, formula, satisfied } => by_key(&folder, &csv, &key, &formula, &satisfied),
            Corner::Query { csv, query, value } => {
                let output = folder.run(&["query", "-e", &query, "-", "--format", "json"], csv.as_bytes());
                assert_eq!(output.status, 0, "{query}: {}", output.stderr);
                let found = output.json()["queries"][0]["value"].clone();
                assert!(is_like(&found, &value), "{query}: {found}, not {value}");
            }
            Corner::QueryError { csv, query } => {
                let output = folder.run(&["query", "-e", &query, "-"], csv.as_bytes());
                assert_eq!(output.status, 2, "{query}: {}", output.stdout);
            }
        }
        count += 1;
    }
    assert_eq!(count, 183);
}

fn by_key(folder: &Folder, csv: &str, key: &str, formula: &str, satisfied: &BTreeMap<String, bool>) {
    let arguments = ["check", "-e", formula, "--by", key, "--keys-to", "keys.csv", "-", "--format", "json"];
    let output = folder.run(&arguments, csv.as_bytes());
    let all = satisfied.values().all(|bit| *bit);
    assert_eq!(output.status, i32::from(!all), "{formula}: {}", output.stderr);
    let keys = &output.json()["properties"][0]["keys"];
    assert_eq!(keys["checked"], satisfied.len());
    assert_eq!(keys["violated"], satisfied.values().filter(|bit| !**bit).count());
    let written = folder.read("keys.csv");
    let mut rows = written.lines();
    assert_eq!(rows.next(), Some("key,states,p1"));
    let found: BTreeMap<String, bool> = rows
        .map(|row| {
            let fields: Vec<&str> = row.split(',').collect();
            (fields[0].to_owned(), fields[2] == "satisfied")
        })
        .collect();
    assert_eq!(found, *satisfied, "{formula}");
}

fn is_like(found: &serde_json::Value, expected: &serde_json::Value) -> bool {
    match (found, expected) {
        (serde_json::Value::Array(found), serde_json::Value::Array(expected)) => {
            found.len() == expected.len()
                && found.iter().zip(expected).all(|(found, expected)| is_like(found, expected))
        }
        _ => match (found.as_f64(), expected.as_f64()) {
            (Some(found), Some(expected)) => (found - expected).abs() < 1e-9,
            _ => found == expected,
        },
    }
}
