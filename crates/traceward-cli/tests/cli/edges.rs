//! What must not go wrong at the edges of the program: odd inputs, odd outputs, hostile texts.

use crate::common::{Folder, Output};
use crate::monitor::session;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::process::Stdio;
use std::time::{Duration, Instant};

#[test]
fn an_empty_trace_is_no_answer() {
    let formula = "G a";
    insta::assert_snapshot!(session(
        "edges-empty",
        &[
            ("empty.csv", b""),
            ("header.csv", b"a,k\n"),
            ("one.csv", b"a,k\n1,\n"),
            ("empty.csv.gz", b""),
            ("empty.jsonl.zst", b""),
        ],
        &[
            (&["check", "-e", formula, "empty.csv"], b""),
            (&["check", "-e", formula, "empty.csv", "--allow-empty"], b""),
            (&["check", "-e", formula, "-e", "F a", "header.csv", "one.csv"], b""),
            (&["check", "-e", formula, "header.csv", "--format", "json"], b""),
            (&["check", "-e", formula, "one.csv", "--by", "k"], b""),
            (&["check", "-e", formula, "one.csv", "--by", "k", "--allow-empty"], b""),
            (&["check", "-e", formula, "header.csv", "--prefix"], b""),
            (&["query", "-e", "count(a)", "header.csv"], b""),
            (&["query", "-e", "count(a)", "header.csv", "--allow-empty"], b""),
            (&["monitor", "-e", formula], b"a\n"),
            (&["monitor", "-e", formula, "--allow-empty"], b"a\n"),
            (&["monitor", "-e", formula, "--format", "text"], b""),
            (&["inspect", "header.csv"], b""),
            (&["check", "-e", formula, "empty.csv.gz"], b""),
            (&["check", "-e", formula, "empty.jsonl.zst", "--allow-empty"], b""),
        ]
    ));
}

/// Numbers below zero, and a hyphen alone, are what many logs write for what is missing.
#[test]
fn what_stands_for_a_missing_value_may_begin_with_a_hyphen() {
    let folder = Folder::new("edges-null");
    folder.write("t.csv", b"a\n3\n-999\n-\n--\n");
    let nulls = ["--null", "-999", "--null", "-", "--null", "--"];
    let output =
        folder.run(&[&["query", "-e", "count(defined(a))", "-e", "min(a)"], &nulls[..], &["t.csv"]].concat(), b"");
    assert_eq!(output.status, 0, "{}", output.stderr);
    assert!(output.stdout.contains("q1 = 1") && output.stdout.contains("q2 = 3"), "{}", output.stdout);
}

/// Keys and values may be longer than anything can be padded to.
#[test]
fn texts_without_end_are_not_lined_up() {
    let folder = Folder::new("edges-lined-up");
    let long = "k".repeat(70_000);
    let states: String = (0..3).map(|state| format!("{long}{state},{long}\n")).collect();
    folder.write("t.csv", format!("k,s\n{states}short,x\n").as_bytes());
    let output = folder.run(&["query", "-e", "count(defined(s))", "--by", "k", "t.csv"], b"");
    assert_eq!(output.status, 0, "{}", output.stderr);
    assert!(output.stdout.contains("    short  1\n"), "{} bytes", output.stdout.len());
    let output = folder.run(&["query", "-e", "first(s)", "--trace-table", "t.csv"], b"");
    assert_eq!(output.status, 0, "{}", output.stderr);
    folder.write("n.csv", format!("{long}\n1\n").as_bytes());
    let output = folder.run(&["check", "-e", &format!("G {long}"), "--trace-table", "n.csv"], b"");
    assert_eq!(output.status, 0, "{}", output.stderr);
}

#[test]
fn a_text_without_end_is_told_by_its_beginning() {
    let folder = Folder::new("edges-long-text");
    let long = format!("a,b\n1,\"{}\"\n2,y\n", "x\n".repeat(100_000));
    folder.write("t.csv", long.as_bytes());
    let output = folder.run(&["check", "-e", "G b == \"y\"", "t.csv"], b"");
    assert_eq!(output.status, 1, "{}", output.stderr);
    assert!(output.stdout.contains("b = \"x\\nx\\n") && output.stdout.contains("\"…"), "{}", output.stdout);
    assert!(output.stdout.len() < 1000, "{} bytes", output.stdout.len());
    // Programs have all of it.
    let answer = folder.run(&["check", "-e", "G b == \"y\"", "t.csv", "--format", "json"], b"").json();
    let told = &answer["properties"][0]["violations"]["states"][0]["values"]["b"];
    assert_eq!(told.as_str().map(str::len), Some(200_000), "{answer}");
}

#[test]
fn lines_may_end_in_carriage_returns() {
    let folder = Folder::new("edges-cr");
    let csv = b"a,b\r1,0\r0,1\r";
    let json = b"{\"a\": 1, \"b\": 0}\r{\"a\": 0, \"b\": 1}\r";
    folder.write("t.csv", csv).write("t.jsonl", json);
    for file in ["t.csv", "t.jsonl"] {
        let output = folder.run(&["check", "-e", "F b", "-e", "G a", file, "--format", "json"], b"");
        assert_eq!((output.status, &output.json()["trace"]["states"]), (1, &2.into()), "{file}");
    }
    for input in [&csv[..], json] {
        let output = folder.run(&["monitor", "-e", "F b"], input);
        assert_eq!(output.status, 0, "{}{}", output.stdout, output.stderr);
        assert!(output.stdout.contains("\"states\": 2"), "{}", output.stdout);
    }
}

#[test]
fn records_and_windows_that_are_refused() {
    let mut encoder = zstd::Encoder::new(Vec::new(), 1).expect("zstd");
    encoder.window_log(28).expect("a large window");
    encoder.write_all(b"a\n1\n").expect("memory");
    encoder.flush().expect("memory");
    let window = encoder.finish().expect("memory");
    insta::assert_snapshot!(session(
        "edges-refused",
        &[
            ("twice.jsonl", b"{\"a\": 1}\n{\"a\": 1, \"b\": 2, \"a\": 0}\n"),
            ("window.csv.zst", &window),
            ("short.csv.gz", b"\x1f"),
        ],
        &[
            (&["check", "-e", "G a", "twice.jsonl"], b""),
            (&["check", "-e", "G b == 2", "twice.jsonl"], b""),
            (&["monitor", "-e", "G a"], b"{\"a\": 1}\n{\"a\": 1, \"a\": 0}\n{\"a\": 1}\n"),
            (&["check", "-e", "G a", "window.csv.zst"], b""),
            (&["check", "-e", "G a", "short.csv.gz"], b""),
        ]
    ));
}

#[test]
fn the_table_of_keys_overwrites_no_input() {
    let folder = Folder::new("edges-keys");
    let csv = "k,a\nx,1\n=cmd,0\n-1,1\n";
    folder.write("t.csv", csv).write("p.tw", "property p = G a\n").write("other.csv", csv);
    std::fs::hard_link(folder.path("t.csv"), folder.path("hard.csv")).expect("a link");
    std::os::unix::fs::symlink("t.csv", folder.path("soft.csv")).expect("a link");
    for target in ["t.csv", "./t.csv", "hard.csv", "soft.csv", "p.tw"] {
        let output = folder.run(&["check", "p.tw", "t.csv", "--by", "k", "--keys-to", target], b"");
        assert_eq!(output.status, 2, "{target}");
        assert!(output.stderr.contains("would overwrite"), "{target}: {}", output.stderr);
    }
    let input = std::fs::File::open(folder.path("t.csv")).expect("a file");
    let mut redirected = folder.command(&["check", "p.tw", "-", "--by", "k", "--keys-to", "t.csv"]);
    let output = redirected.stdin(input).output().expect("the program runs");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(folder.read("t.csv"), csv);
    let two = folder.run(&["check", "p.tw", "t.csv", "other.csv", "--by", "k", "--keys-to", "keys.csv"], b"");
    assert_eq!(two.status, 2, "{}", two.stdout);
    let output = folder.run(&["check", "p.tw", "t.csv", "--by", "k", "--keys-to", "keys.csv"], b"");
    assert_eq!(output.status, 1, "{}", output.stderr);
    assert_eq!(folder.read("keys.csv"), "key,states,p\nx,1,satisfied\n'=cmd,1,violated\n-1,1,satisfied\n");
}

#[test]
fn no_file_is_written_twice() {
    let folder = Folder::new("edges-twice");
    folder.write("t.csv", "k,a\nx,1\n").write("there", "").write("p.spl", "");
    std::fs::hard_link(folder.path("there"), folder.path("hard")).expect("a link");
    let options = ["--html", "--keys-to", "--svg"];
    for (one, other) in [(0, 1), (0, 2), (1, 2)].map(|(one, other)| (options[one], options[other])) {
        for (file, same) in [("new", "new"), ("new", "./new"), ("there", "hard")] {
            let command = ["query", "-e", "count(a)", "t.csv", "--by", "k", other, same, one, file];
            let output = folder.run(&command, b"");
            assert_eq!((output.status, output.stdout.as_str()), (2, ""), "{command:?}");
            let expected = format!("error: {one} and {other} name the same file\n");
            assert_eq!(output.stderr, expected, "{command:?}");
        }
    }
    let command = ["query", "-e", "count(a)", "t.csv", "--by", "k", "--svg", "new.svg", "--html", "new.html"];
    assert_eq!(folder.run(&command, b"").status, 0);
}

#[test]
fn a_hyphen_names_no_file_to_write() {
    let folder = Folder::new("edges-hyphen");
    folder
        .write("t.csv", "k,a\nx,1\n")
        .write("p.spl", "P1 :: [ l0: skip ]\n")
        .write("p.c", "int a; int main(void) { return 0; }\n");
    for command in [
        &["query", "-e", "count(a)", "t.csv", "--svg", "-"][..],
        &["check", "-e", "F a", "t.csv", "--steps", "--svg", "-"],
        &["check", "-e", "F a", "t.csv", "--by", "k", "--keys-to", "-"],
        &["check", "-e", "F a", "t.csv", "--html", "-"],
        &["bench", "figure10", "--longest", "10", "--svg", "-"],
        &["simulate", "p.spl", "--output", "-"],
        &["instrument", "-e", "F a", "p.c", "--output", "-"],
        &["run", "-e", "F a", "--trace", "-", "--", "true"],
    ] {
        let output = folder.run(command, b"");
        assert_eq!(output.status, 2, "{command:?}");
        assert!(output.stderr.contains(" needs a f") && output.stderr.contains("help: "), "{}", output.stderr);
        assert!(!folder.path("-").exists(), "{command:?}");
    }
}

#[test]
fn keys_have_their_values_in_a_table() {
    let folder = Folder::new("edges-values");
    folder.write("t.csv", "k,x,s\na,1,u\nb,,\"=v, w\"\na,4,u\nb,,z\n");
    let queries = ["-e", "max(x)", "-e", "last(s)", "-e", "avg(x) / 2", "-e", "first(s) &[pair] count(x > 1)"];
    let output = folder.run(&[&["query", "t.csv", "--by", "k", "--keys-to", "v.csv"], &queries[..]].concat(), b"");
    assert_eq!((output.status, output.stderr.as_str()), (0, ""));
    let expected = "key,states,q1,q2,q3,q4\na,2,4,u,1.25,\"(\"\"u\"\", 1)\"\nb,2,,z,,\"(\"\"=v, w\"\", 0)\"\n";
    assert_eq!(folder.read("v.csv"), expected);
}

#[test]
fn output_that_cannot_be_written_is_an_error() {
    let folder = Folder::new("edges-full");
    folder.write("t.csv", "a,b\n1,0\n0,1\n");
    for arguments in [
        &["--help"][..],
        &["--version"],
        &["check", "--help"],
        &["help", "operators"],
        &["help", "json-schema"],
        &["help"],
        &["man"],
        &["completions", "bash"],
        &["check", "-e", "F b", "t.csv"],
        &["check", "-e", "F b", "t.csv", "--format", "json"],
        &["query", "-e", "count(a)", "t.csv"],
        &["inspect", "t.csv"],
        &["lint", "-e", "F a"],
        &["compare", "-e", "F a", "-e", "F a"],
        &["explain-plan", "-e", "F a"],
        &["automaton", "-e", "F a"],
        &["monitor", "-e", "F b", "--quiet"],
        &["monitor", "-e", "F b", "--quiet", "--format", "text"],
    ] {
        let full = std::fs::File::create("/dev/full").expect("a full device");
        let input = std::fs::File::open(folder.path("t.csv")).expect("a file");
        let output = folder.command(arguments).stdin(input).stdout(full).output().expect("the program runs");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {errors}");
        assert!(errors.contains("could not be written"), "{arguments:?}: {errors}");
    }
}

#[test]
fn a_file_that_shrinks_is_not_a_shorter_trace() {
    let folder = Folder::new("edges-shrinking");
    // The long line takes a while, and the rest is more than is read ahead.
    let long = crate::common::long_line(4 << 20);
    folder.write("t.csv", format!("s\n{long}\n{}", "b\n".repeat(8 << 20)));
    let mut child = folder
        .command(&["check", "-e", "G s != \"c\"", "t.csv"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let file = std::fs::File::options().write(true).open(folder.path("t.csv")).expect("a file");
    std::thread::sleep(Duration::from_millis(20));
    file.set_len(5 << 20).expect("a shorter file");
    let (mut out, mut errors) = (String::new(), String::new());
    child.stdout.take().expect("a pipe").read_to_string(&mut out).expect("UTF-8");
    child.stderr.take().expect("a pipe").read_to_string(&mut errors).expect("UTF-8");
    let status = child.wait().expect("an end").code();
    // Whoever has read all of it before it was cut is right, too.
    let all_was_read = out.contains(&format!("{} states", (8 << 20) + 1)) && status == Some(0);
    let was_noticed = errors.contains("has become shorter while it was read") && status == Some(2);
    assert!(all_was_read || was_noticed, "{status:?}: {out}{errors}");
}

#[test]
fn large_specs_take_no_longer_than_their_size() {
    let folder = Folder::new("edges-large");
    folder.write("t.csv", "a,b\n1,0\n0,1\n");
    let chain: String = (1..20_000).map(|index| format!("let v{index} = v{} | b\n", index - 1)).collect();
    folder.write("chain.tw", format!("let v0 = a\n{chain}property p = F v19999\n"));
    let many: String = (0..200_000).map(|index| format!("property p{index} = G(busy -> F b)\n")).collect();
    folder.write("many.tw", format!("let busy = a | b\n{many}"));
    let begun = Instant::now();
    let output = folder.run(&["check", "chain.tw", "t.csv"], b"");
    assert_eq!(output.status, 2);
    assert_eq!(output.stderr.matches("error:").count(), 1, "{}", &output.stderr[..output.stderr.len().min(2000)]);
    let output = folder.run(&["check", "many.tw", "t.csv"], b"");
    assert_eq!(output.status, 0, "{}", output.stderr);
    assert!(output.stdout.ends_with("0 of 200000 properties violated\n"));
    // With anything quadratic in it, it would be minutes.
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
}

#[test]
fn a_spec_has_a_size() {
    let folder = Folder::new("edges-spec-size");
    let file = std::fs::File::create(folder.path("large.tw")).expect("a file");
    file.set_len((64 << 20) + 1).expect("a sparse file");
    folder.write("t.csv", "a\n1\n");
    let output = folder.run(&["check", "large.tw", "t.csv"], b"");
    assert_eq!((output.status, output.stdout.as_str()), (2, ""));
    assert_eq!(output.stderr, "error: large.tw: a spec of more than 64 MiB is not read\n");
}

#[test]
fn inspect_says_what_it_cut() {
    let folder = Folder::new("edges-inspect");
    let long = "x".repeat(100);
    folder.write("long.csv", format!("name,{long}\n{long},1\n"));
    let output = folder.run(&["inspect", "long.csv"], b"");
    assert!(output.stdout.contains("note: what ends in … was cut; --format json has all of it"), "{}", output.stdout);
    let members: Vec<String> = (0..10_001).map(|index| format!("\"m{index}\": 1")).collect();
    let elements = vec!["1"; 17].join(", ");
    folder.write("wide.jsonl", format!("{{\"array\": [{elements}], {}}}\n", members.join(", ")));
    let output = folder.run(&["inspect", "wide.jsonl"], b"");
    for note in [
        "note: there are more than 10000 names: those that came later are left out",
        "note: some arrays are long: only their first 16 elements were looked at",
    ] {
        assert!(output.stdout.contains(note), "{note}");
    }
}

/// Names and texts that would write to a terminal's title, colour it, turn text around, or begin a
/// line of their own.
const HOSTILE: &str = "x\u{1b}]0;owned\u{7}\u{1b}[31m\u{9b}2J\u{202e}\u{2066}\u{200f}\u{61c}\u{200b}\u{7f}\u{8}";

/// What must never be printed as it is.
fn is_obeyed(letter: char) -> bool {
    let layout = matches!(letter, '\n' | '\t');
    letter.is_control() && !layout
        || matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200b}'..='\u{200f}' | '\u{61c}')
}

fn assert_harmless(what: &str, output: &Output) {
    for text in [&output.stdout, &output.stderr] {
        let found = text.chars().find(|letter| is_obeyed(*letter));
        assert_eq!(found, None, "{what}: {}", text.escape_debug());
        assert!(!text.lines().any(|line| line.starts_with("forged")), "{what}: {text}");
        // Where a colour was taken out without a word, its neighbours stand side by side.
        assert!(!text.contains("\\u{7}\\u{9b}") && !text.contains("\\u0007\\u009b"), "{what}: {text}");
    }
}

#[test]
fn no_text_controls_the_terminal() {
    let folder = Folder::new("edges-hostile");
    let line = format!("{HOSTILE}\nforged");
    let quoted = |text: &str| format!("\"{text}\"");
    let csv = format!("k,a,{},e\n{},1,1,{}\n{},0,x,y\n", quoted(&line), quoted(&line), quoted(&line), HOSTILE);
    let escaped = serde_json::to_string(&line).expect("a string");
    let json = format!("{{\"k\": {escaped}, \"a\": 1, {escaped}: 1, \"e\": {escaped}}}\n{{\"a\": {escaped}}}\n");
    let bad = format!("{{\"k\": {escaped}, \"a\": {escaped}}}\n{{\"a\": {HOSTILE}}}\n{{\"a\": 1}}\n");
    let file = format!("{HOSTILE}.csv");
    folder.write("t.csv", &csv).write("t.jsonl", &json).write("bad.jsonl", &bad);
    std::fs::write(folder.path("").join(std::ffi::OsStr::from_bytes(file.as_bytes())), &csv).expect("a file");
    let property = format!("property `{HOSTILE}` \"{HOSTILE}\" = G(a -> F `{HOSTILE}2` > 1)\n");
    folder.write("p.tw", &property).write("wrong.tw", format!("property `{HOSTILE}` = G(a -> F {HOSTILE} \n"));
    folder.write(
        "q.tw",
        format!(
            "property `{HOSTILE}` \"{HOSTILE}\" = G(e != \"{HOSTILE}\")\nquery `q{HOSTILE}` \"{HOSTILE}\" = first(e)\n"
        ),
    );
    folder.write("two.tw", format!("property `{HOSTILE}` = G a\nproperty q = G `{HOSTILE}`\n"));
    let formula = format!("G(e != \"{HOSTILE}\")");
    let name = format!("F `{HOSTILE}` == 1");
    let other = format!("G `{HOSTILE}` == 1");
    let event = format!("F {}", quoted(HOSTILE));
    let mut commands: Vec<Vec<&str>> = vec![
        vec!["check", "p.tw", "t.csv"],
        vec!["check", "wrong.tw", "t.csv"],
        vec!["check", "q.tw", "t.csv", "--by", "k"],
        vec!["check", "q.tw", "t.csv", "--prefix"],
        vec!["check", "-e", &formula, "t.csv", "--coverage", "--waiting", "--trace-table"],
        vec!["check", "q.tw", "t.jsonl", "--by", "k"],
        vec!["check", "-e", &formula, &file],
        vec!["check", "-e", &formula, &line],
        vec!["check", "-e", &name, "t.csv"],
        vec!["check", "-e", "G a", "bad.jsonl"],
        vec!["check", "-e", "F a > 1", "t.jsonl"],
        vec!["check", "-e", &event, "t.csv", "--event", HOSTILE],
        vec!["check", "-e", "F a", "t.csv", "--time", HOSTILE],
        vec!["check", "-e", "F a", "t.csv", "--by", &line],
        vec!["check", "-e", "F a", "t.csv", "--type", &line],
        vec!["check", "-e", "F a", "t.csv", &line],
        vec!["check", "-e", "F a", "t.csv", "--engine", &line],
        vec!["query", "q.tw", "t.csv", "--by", "k"],
        vec!["query", "-e", "mode(e)", "-e", "histogram(e)", "t.csv"],
        vec!["inspect", "t.csv"],
        vec!["inspect", "t.jsonl"],
        vec!["inspect", &file],
        vec!["inspect", "t.csv", "--by", "k"],
        vec!["lint", "-e", &name, "-e", &name],
        vec!["lint", "p.tw"],
        vec!["compare", "-e", &name, "-e", &other],
        vec!["explain-plan", "-e", &name],
        vec!["explain-plan", "p.tw"],
        vec!["help", &line],
        vec!["man", &line],
        vec!["automaton", "two.tw"],
        vec!["automaton", "two.tw", "--property", &line],
        vec!["check", "-e", "F a", "t.csv", "--keys-to", "t.csv", "--by", &line],
        vec![&line],
    ];
    for kind in ["alternating", "metric", "tableau", "deterministic"] {
        for to in ["text", "dot", "svg", "json", "hoa", "fsp", "c", "rust"] {
            commands.push(vec!["automaton", "-e", &name, "--kind", kind, "--to", to]);
        }
    }
    for command in commands {
        assert_harmless(&format!("{command:?}"), &folder.run(&command, b""));
        let takes_format = matches!(command[0], "check" | "query" | "inspect" | "lint" | "compare" | "explain-plan");
        if takes_format {
            let output = folder.run(&[&command[..], &["--format", "json"]].concat(), b"");
            assert_harmless(&format!("{command:?} as JSON"), &output);
            if !output.stdout.is_empty() {
                output.json();
            }
        }
    }
    for input in [csv.as_bytes(), json.as_bytes(), bad.as_bytes()] {
        for spec in ["p.tw", "q.tw"] {
            for format in ["text", "json"] {
                let spec = if spec == "q.tw" { vec!["-e", &formula, "-e", &name] } else { vec![spec] };
                let command = [&["monitor", "--format", format][..], &spec].concat();
                assert_harmless(&format!("{command:?}"), &folder.run(&command, input));
            }
        }
    }
}

#[test]
fn json_texts_read_back_as_they_were() {
    let folder = Folder::new("edges-hostile-json");
    let escaped = serde_json::to_string(HOSTILE).expect("a string");
    folder.write("t.jsonl", format!("{{\"e\": {escaped}}}\n"));
    let output = folder.run(&["query", "-e", "first(e)", "t.jsonl", "--format", "json"], b"");
    assert_eq!(output.json()["queries"][0]["value"], HOSTILE);
}

#[test]
fn a_text_chooses_no_colour() {
    let folder = Folder::new("edges-colours");
    folder.write("p.tw", "property `a\u{1b}[31mb` = G a\n").write("t.csv", "a\n1\n");
    let output = folder
        .command(&["check", "p.tw", "t.csv"])
        .env_remove("NO_COLOR")
        .env("CLICOLOR_FORCE", "1")
        .output()
        .expect("the program runs");
    let shown = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(shown.contains("\u{1b}[32m"), "it has colours: {}", shown.escape_debug());
    assert!(shown.contains("a\\u{1b}[31mb"), "{}", shown.escape_debug());
}
