//! What takes too much is given up soon, with a way out, and what is too long to be read is cut.

use crate::common::Folder;

/// `X a xor X X a xor …`
fn shifted(count: usize) -> String {
    (1..=count).map(|steps| format!("{}a", "X ".repeat(steps))).collect::<Vec<_>>().join(" xor ")
}

/// `G F a0 xor G F a1 xor …`
fn recurring(count: usize) -> String {
    (0..count).map(|one| format!("G F a{one}")).collect::<Vec<_>>().join(" xor ")
}

#[test]
fn a_tree_is_given_up_before_it_fills_the_memory() {
    let folder = Folder::new("limit-tree");
    folder.write("t.csv", "a\n1\n0\n");
    let formula = shifted(26);
    let arguments =
        ["check", "-e", "F a", "-e", &formula, "t.csv", "--engine", "forward-backward", "--memory-limit", "16"];
    let output = folder.run(&arguments, b"");
    assert_eq!(output.status, 2);
    assert_eq!(
        output.stderr,
        "error: `p2`: the engine forward-backward gave up: it takes more than the 16 MiB allowed; \
         forward-backward-dag answers the same in less memory; reverse answers the same in linear time; \
         --memory-limit raises the limit\n"
    );
    // The way out works: at position 0 exactly one of the 26 is about a state, and a does not hold
    // there.
    let output = folder.run(&["check", "-e", "F a", "-e", &formula, "t.csv", "--engine", "reverse"], b"");
    assert_eq!((output.status, output.stderr.as_str()), (1, ""));
}

#[test]
fn a_monitor_gives_up_one_property_and_follows_the_others() {
    let folder = Folder::new("limit-monitor");
    let formula = shifted(26);
    let input = b"{\"a\": true}\n{\"a\": true}\n{\"a\": false}\n";
    let engine = ["--engine", "forward-backward", "--memory-limit", "16"];
    let arguments = [&["monitor", "-e", &formula, "-e", "G a"][..], &engine].concat();
    let output = folder.run(&arguments, input);
    let reason = "the engine forward-backward gave up: it takes more than the 16 MiB allowed; \
                  forward-backward-dag answers the same in less memory; --memory-limit raises the limit; \
                  `traceward check` answers when the trace has ended";
    let lines: Vec<&str> = output.stdout.lines().collect();
    assert_eq!(
        lines[..3],
        [
            r#"{"position": 0, "property": "p1", "verdict": "unknown", "final": true}"#,
            r#"{"position": 0, "property": "p2", "verdict": "holding", "final": false}"#,
            r#"{"position": 2, "property": "p2", "verdict": "violated", "final": true, "line": 3, "values": {"a": false}}"#,
        ]
    );
    let end: serde_json::Value = serde_json::from_str(lines[3]).expect("a document");
    assert_eq!((end["states"].as_u64(), end.get("complete")), (Some(3), None));
    assert_eq!(end["properties"][0], serde_json::json!({ "name": "p1", "verdict": "unknown", "reason": reason }));
    assert_eq!(end["properties"][1], serde_json::json!({ "name": "p2", "verdict": "violated" }));
    assert_eq!(output.stderr, format!("error: `p1`: {reason}\n"));
    assert_eq!(output.status, 2);
    let text = folder.run(&[&arguments[..], &["--format", "text"]].concat(), input);
    assert_eq!(text.status, 2);
    assert!(text.stdout.contains(&format!("    {reason}\n")), "{}", text.stdout);
    assert!(text.stdout.contains("? unknown  p1"), "{}", text.stdout);
    assert!(text.stdout.starts_with("       0  unknown    p1\n"), "{}", text.stdout);
}

#[test]
fn a_plan_is_cut_where_nobody_reads_on() {
    let folder = Folder::new("limit-plan");
    let output = folder.run(&["explain-plan", "-e", &recurring(24)], b"");
    assert_eq!(output.status, 0, "{}", output.stderr);
    assert!(output.stdout.len() < 2_000_000, "{} bytes", output.stdout.len());
    assert!(output.stdout.contains("… (cut: there are "), "{}", &output.stdout[..2000]);
    assert!(output.stdout.contains("reverse: takes every operator"), "it goes on to the engine");
}

#[test]
fn an_automaton_too_large_to_be_written_tells_its_size() {
    let folder = Folder::new("limit-automaton");
    let recurring = recurring(24);
    let text = folder.run(&["automaton", "-e", &recurring], b"");
    assert_eq!(text.status, 0, "{}", text.stderr);
    // For each of the 24, `G F a` and `F G !a`, and their two inner operators.
    let nodes = text.stdout.split(' ').next().expect("a number").parse::<usize>().expect("a number");
    assert!(text.stdout.ends_with("left out: its conditions name nodes more than a million times\n"));
    for kind in ["alternating", "metric"] {
        let json = folder.run(&["automaton", "-e", &recurring, "--kind", kind, "--to", "json"], b"");
        assert_eq!(json.status, 0, "{}", json.stderr);
        let document = json.json();
        assert_eq!(document["kind"], kind);
        assert_eq!(document["left_out"], "a condition of this automaton has more than 4096 disjuncts");
        assert!(document["states"].as_u64() >= Some(nodes as u64), "{document}");
    }
    let parity = (0..40).map(|one| format!("a{one}")).collect::<Vec<_>>().join(" xor ");
    let json = folder.run(&["automaton", "-e", &parity, "--kind", "deterministic", "--to", "json"], b"");
    let document = json.json();
    assert_eq!((document["states"].as_u64(), document["edges"].as_u64()), (Some(3), Some(4)));
    assert_eq!(document["left_out"], "the labels of this automaton take more than 4000000 steps to write");
    assert_eq!(document["transitions"][0], serde_json::json!({ "from": "S0", "to": "S1" }));
}

#[test]
fn limits_on_automata_can_be_set() {
    let folder = Folder::new("limit-options");
    let run = |limit: &[&str]| {
        let arguments = ["automaton", "-e", "F[0,30] a", "--kind", "deterministic", "--to", "json"];
        folder.run(&[&arguments[..], limit].concat(), b"")
    };
    let few = run(&["--state-limit", "10"]);
    assert_eq!(few.status, 2);
    assert_eq!(
        few.stderr,
        "error: the automaton has more than 10 states\n  \
         help: shorter bounds and fewer propositions make it smaller; --state-limit raises the limit\n"
    );
    // The steps that are left, 31 of them, and the two verdicts.
    assert_eq!(run(&["--state-limit", "40"]).json()["states"], 33);
    let idle = run(&["--work-limit", "10"]);
    assert_eq!(idle.status, 2);
    assert!(idle.stderr.starts_with("error: the automaton is too large: it took 10 steps without an answer\n"));
    assert!(idle.stderr.ends_with("--work-limit raises the limit\n"), "{}", idle.stderr);
    let small = run(&["--memory-limit", "0"]);
    assert!(small.stderr.contains("it takes more than the 0 MiB allowed"), "{}", small.stderr);
}
