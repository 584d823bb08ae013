//! What a user sees: command, standard output, standard error and exit status, together.

use crate::common::{Folder, run_in, transcript};
use std::io::Write;
use std::path::Path;

/// Runs commands on some files and returns what a user sees.
pub fn session(test: &str, files: &[(&str, &[u8])], commands: &[&[&str]]) -> String {
    let folder = Folder::new(test);
    for (name, bytes) in files {
        folder.write(name, bytes);
    }
    let seen = commands.iter().map(|arguments| transcript(arguments, &folder.run(arguments, b"")));
    seen.collect::<Vec<_>>().join("\n")
}

const REQUESTS: &[u8] = b"request,grant\ntrue,false\nfalse,false\nfalse,true\ntrue,false\n";

#[test]
fn the_example_of_the_contract() {
    insta::assert_snapshot!(session(
        "contract",
        &[("t.csv", REQUESTS)],
        &[
            &["check", "-e", "G(request -> F grant)", "-e", "F grant", "t.csv"],
            &["check", "-e", "G(request -> F grant)", "-e", "F grant", "t.csv", "--format", "json"],
            &["check", "-e", "G(request -> F grant)", "-e", "F grant", "t.csv", "--positions"],
            &["check", "-e", "F grant", "t.csv", "--quiet", "--engine", "naive"],
        ]
    ));
}

#[test]
fn the_examples_of_the_repository() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let commands: &[&[&str]] = &[
        &["check", "arbiter.tw", "arbiter.csv"],
        &["check", "clinic.tw", "clinic.csv"],
        &["inspect", "clinic.csv"],
        &["check", "critical_section.tw", "critical_section.csv", "--engine", "generic"],
        &[
            "check",
            "-e",
            "G(event.name == \"request\" -> F[0,1s] event.name == \"grant\")",
            "--time",
            "t:s",
            "requests.jsonl",
        ],
        &[
            "query",
            "-e",
            "max(latency(event.name == \"request\" -> event.name == \"grant\"))",
            "--time",
            "t:s",
            "requests.jsonl",
        ],
        &["inspect", "requests.jsonl", "--time", "t:s"],
    ];
    let seen = commands.iter().map(|arguments| transcript(arguments, &run_in(&folder, arguments, b"")));
    insta::assert_snapshot!(seen.collect::<Vec<_>>().join("\n"));
}

#[test]
fn a_table_as_the_paper_prints_it() {
    let trace = b"a,b,c\n1,1,0\n0,0,0\n1,0,0\n0,1,1\n1,0,0\n";
    insta::assert_snapshot!(session(
        "table",
        &[("t.csv", trace)],
        &[
            &["check", "-e", "G(!a -> !b U c)", "--no-simplify", "--trace-table", "t.csv"],
            &["check", "-e", "G(!a -> F[0,2] c)", "--trace-table", "t.csv"],
            &["check", "-e", "G a", "--trace-table", "--engine", "naive", "t.csv"],
        ]
    ));
}

#[test]
fn tables_of_queries() {
    let trace =
        b"p,q,y\ntrue,true,1\ntrue,false,5\ntrue,true,4\nfalse,true,0\ntrue,false,2\ntrue,true,3\ntrue,true,6\n";
    insta::assert_snapshot!(session(
        "query-table",
        &[("t.csv", trace)],
        &[
            &["query", "-e", "min(q : y) while p", "--trace-table", "t.csv"],
            &["query", "-e", "(p : y) U (!p : y)", "-e", "count(p & X !p)", "--trace-table", "t.csv"],
            &["check", "-e", "max(y) <= 5", "--trace-table", "t.csv"],
            &["query", "-e", "true : 6 / y", "--trace-table", "t.csv"],
        ]
    ));
}

#[test]
fn automata_of_queries() {
    let spec = b"let sends = at_l1 & X !at_l1\nproperty live = G F sends\nassert few = count(sends) <= 3\n\
                 query most = max(count(sends) while loc in {1, 2, 3, 4, 5, 7})\n";
    insta::assert_snapshot!(session(
        "algebraic",
        &[("spec.tw", spec)],
        &[
            &["automaton", "--kind", "algebraic", "-e", "(p : x) U[v => v + 1] (q : y)"],
            &["automaton", "--kind", "algebraic", "spec.tw", "--property", "most"],
            &["automaton", "--kind", "algebraic", "spec.tw", "--property", "most", "--to", "json"],
            &["automaton", "--kind", "algebraic", "spec.tw", "--property", "most", "--to", "dot"],
            &["automaton", "--kind", "algebraic", "spec.tw", "--property", "few"],
            &["automaton", "--kind", "algebraic", "spec.tw", "--property", "live"],
            &["automaton", "--kind", "algebraic", "spec.tw"],
            &["automaton", "--kind", "algebraic", "-e", "F[0,3s] p & O q", "--simplify"],
            &["automaton", "--kind", "algebraic", "-e", "F[0,3s] p & O q"],
            &["automaton", "-e", "sum(x)"],
        ]
    ));
}

/// Passes that say nothing, and mistakes that would go unnoticed.
#[test]
fn silent_passes_are_told() {
    let log = b"case,activity,n\n1,ER Registration,1\n1,ER Sepsis Triage,2\n2,ER Registration,3\n2,Leucocytes,4\n";
    let timed = b"t,p,q\n0,1,0\n10,0,0\n5000,0,0\n";
    let typed = "G(\"ER Sepsis Triag\" -> F \"Leucocytes\")";
    insta::assert_snapshot!(session(
        "silent",
        &[("log.csv", log), ("t.csv", timed)],
        &[
            &["check", "--event", "activity", "-e", typed, "-e", "G !\"ERROR\"", "log.csv"],
            &["check", "--event", "activity", "--by", "case", "-e", typed, "log.csv"],
            &["check", "--event", "activity", "--by", "case", "-e", "G(\"Leucocytes\" -> n > 3)", "log.csv"],
            &["check", "--event", "activity", "-e", typed, "-e", "G(n > 9 -> n > 10)", "log.csv", "--format", "json"],
            &["check", "-e", "G(matches(activity, \"^er \") -> n > 3)", "log.csv", "--quiet"],
            &["query", "-e", "count(activity == \"leucocytes\")", "log.csv"],
            &["check", "-e", "G p -> F q", "t.csv"],
            &["check", "-e", "(G p) -> F q", "t.csv", "--quiet"],
            &["check", "--time", "t:ms", "-e", "G(p -> F[0,1] q)", "t.csv"],
            &["check", "--changes", "-e", "G(p -> X !q)", "t.csv"],
            &["check", "--prefix", "--time", "t:ms", "-e", "G(p -> F[0,1s] q)", "t.csv"],
            &["check", "--prefix", "--time", "t:ms", "-e", "G(q -> F[0,1s] q)", "t.csv"],
        ]
    ));
}

#[test]
fn what_newcomers_try() {
    let log = b"at,level,x\n0,info,1\n1000,error,5\n5000,info,6\n";
    let days = b"Date,Time,x\n2026-01-01,09:00:00,1\n2026-01-02,10:00:00,2\n";
    let bare = b"Dec 31 23:59:59,up\nJan 1 00:00:01,down\n";
    insta::assert_snapshot!(session(
        "newcomers",
        &[("log.csv", log), ("days.csv", days), ("bare.csv", bare)],
        &[
            // Texts have quotes; whether there is a value is asked with `defined`.
            &["check", "-e", "G(level != error)", "log.csv"],
            &["check", "-e", "G(x != null)", "log.csv"],
            &["check", "-e", "G(levle == \"error\")", "log.csv"],
            &["check", "-e", "G(other == \"error\")", "log.csv"],
            // The first state has none before it.
            &["check", "-e", "G(delta(x) <= 1)", "log.csv"],
            &["check", "-e", "G(defined(past(x)) -> delta(x) <= 4)", "log.csv"],
            &["check", "-e", "G(x > 4 & stable(x))", "log.csv"],
            // What is said of an eventuality is said once.
            &["check", "-e", "G(x > 4 -> F level == \"info\")", "--coverage", "--waiting", "log.csv"],
            // What may be violated for good is not said to be open.
            &["check", "-e", "G(x < 2 -> F[0,1s] x == 6)", "--prefix", "--time", "at:ms", "log.csv"],
            &["check", "-e", "G(x < 6 -> F[0,1s] x == 6)", "--prefix", "--time", "at:ms", "--by", "level", "log.csv"],
            &["inspect", "days.csv"],
            &["inspect", "bare.csv", "--no-header"],
            &["check", "-e", "G column2 == \"up\"", "--time", "column1", "--year", "2026", "bare.csv"],
        ]
    ));
}

#[test]
fn values_of_earlier_states() {
    let terms = b"node,term,leader\na,1,0\nb,1,0\na,2,1\nb,2,0\nb,1,1\na,3,1\n";
    let numbers = b"x,past\n4,1\n0,2\n,3\n5,3\n";
    insta::assert_snapshot!(session(
        "earlier",
        &[("terms.csv", terms), ("x.csv", numbers)],
        &[
            &["check", "-e", "G !(past(term) > term)", "terms.csv"],
            &["check", "-e", "G !(past(term) > term)", "--by", "node", "terms.csv"],
            &["check", "-e", "G(rose(leader) -> delta(term) > 0)", "--by", "node", "terms.csv", "--format", "json"],
            &["query", "-e", "max(delta(term))", "-e", "count(changed(leader))", "--by", "node", "terms.csv"],
            &["check", "-e", "F[3,3](past(x, 3) == 4 & past < 5 & past(past) == 3)", "x.csv"],
            &["check", "-e", "G !(past(x) == 4)", "x.csv", "--positions"],
            &["check", "-e", "F past(term) > term", "--missing", "error", "terms.csv"],
            &["check", "-e", "F past(x) > x", "--missing", "error", "x.csv"],
            &["check", "-e", "G(10 / past(x) > 1)", "x.csv"],
            &["check", "-e", "G(X term >= term)", "terms.csv"],
            &["check", "-e", "G(X term >= term)", "terms.csv", "--quiet"],
            &["check", "-e", "G !(past(term) > term)", "--prefix", "terms.csv"],
            &["check", "-e", "F(past(term) == 7 & term == 8)", "--prefix", "terms.csv", "--format", "json"],
            &["check", "-e", "F(past(term) > term + 8)", "--prefix", "terms.csv", "--format", "json"],
            &["explain-plan", "-e", "G(past(x) > 5 -> !(past(x, 9) > x))"],
            &["lint", "-e", "G !(past(term) > term)", "-e", "G(past(p) | !past(p))"],
            &["compare", "-e", "G(rose(p) -> q)", "-e", "G(p -> q | Y p)"],
            &["compare", "-e", "G !(past(x) > x)", "-e", "G !(past(x, 2) > x)"],
            &["automaton", "-e", "G(past(p) -> past(x) < x)", "--kind", "deterministic", "--to", "text"],
        ]
    ));
}

/// What queries and asserts come to over all keys.
#[test]
fn statistics_over_keys() {
    let log =
        b"case,t,act,x,y\na,0,go,1,\nb,0,go,7,\na,90,stop,2,\nb,30,halt,5,\nc,40,go,,\nd,50,stop,9007199254740993,\n";
    let many: String = (1..=100).map(|key| format!("k{key},{}\n", key * key % 101)).collect();
    let many = format!("k,x\n{many}");
    insta::assert_snapshot!(session(
        "over-keys",
        &[("log.csv", log), ("many.csv", many.as_bytes())],
        &[
            &["query", "--by", "case", "--time", "t:s", "log.csv", "-e", "max(x)", "-e", "last(time) - first(time)"],
            &[
                "query",
                "--by",
                "case",
                "--time",
                "t:s",
                "log.csv",
                "-e",
                "max(latency(act == \"go\" -> act == \"stop\"))"
            ],
            &["query", "--by", "case", "log.csv", "-e", "last(act)", "-e", "max(x) > 5", "--format", "json"],
            &["query", "--by", "case", "log.csv", "-e", "last(act)", "-e", "max(x) > 5", "-e", "max(y) + 0"],
            &["query", "--by", "k", "many.csv", "-e", "max(x)"],
            &["query", "--by", "k", "many.csv", "-e", "max(x)", "--max-violations", "2"],
            &["check", "--by", "k", "many.csv", "-e", "max(x) <= 97", "-e", "G(x < 101)", "-e", "G(x > 99 -> x > 98)"],
            &["check", "--by", "case", "--time", "t:s", "log.csv", "-e", "last(time) - first(time) <= 60000000000"],
        ]
    ));
}

const TORN: &[u8] = b"k,p,q,x\na,1,0,3\nb,0,0,5\na,1,1,7\nb,1,0,9\n";

/// Reports for continuous integration.
#[test]
fn reports_for_other_tools() {
    let spec = b"property answered \"no <request> & such\" = G(p -> F q)\nproperty never = G(x > 99 -> q)\nassert low = max(x) < 9\n";
    insta::assert_snapshot!(session(
        "other-tools",
        &[("s.tw", spec), ("run 1.csv", TORN), ("t.csv", b"p,q,x\n0,1,2\n")],
        &[
            &["check", "s.tw", "run 1.csv", "t.csv", "missing.csv", "--format", "junit"],
            &["check", "s.tw", "run 1.csv", "--by", "k", "--format", "junit"],
            &["check", "-e", "G(p", "t.csv", "--format", "junit"],
            &["check", "-e", "G p", "t.csv", "--prefix", "--format", "junit"],
            &["check", "s.tw", "run 1.csv", "missing.csv", "--format", "sarif"],
            &["check", "s.tw", "run 1.csv", "--by", "k", "--format", "sarif", "--max-violations", "1"],
            &["query", "-e", "max(x)", "t.csv", "--format", "junit"],
            &["lint", "-e", "G p", "-e", "F !p", "--format", "sarif"],
        ]
    ));
}

/// The examples of the help are commands that can be answered.
#[test]
fn examples_of_the_help_work() {
    let folder = Folder::new("help-examples");
    folder.write("trace.csv", "t,request,grant,x,s\n1,1,0,3,ab\n2,0,1,4,cd\n3,1,1,5,ab\n");
    folder.write("spec.tw", "property answered = G(request -> F grant)\nassert small = max(x) <= 9\n");
    let mut run = 0;
    for topic in ["functions", "queries", "specs"] {
        let text = folder.run(&["help", topic], b"").stdout;
        assert!(text.lines().count() <= 40 && text.lines().all(|line| line.chars().count() <= 120), "{topic}");
        let examples = text.split_once("Examples\n").expect("examples").1;
        for line in examples.lines().filter_map(|line| line.strip_prefix("  traceward ")) {
            // Quotes go round arguments with blanks in them.
            let quoted = line.split('\'').enumerate();
            let arguments: Vec<&str> = quoted
                .flat_map(|(index, part)| match index % 2 {
                    0 => part.split_whitespace().collect(),
                    _ => vec![part],
                })
                .collect();
            let output = folder.run(&arguments, b"");
            assert_eq!(output.status, 0, "{line}: {}{}", output.stdout, output.stderr);
            run += 1;
        }
    }
    assert!(run >= 12, "{run}");
}

/// Every spec in the help can be read.
#[test]
fn the_spec_of_the_help_is_one() {
    let folder = Folder::new("help-spec");
    let text = folder.run(&["help", "specs"], b"").stdout;
    let spec = text.split_once("instead\n").expect("a spec").1.split_once("\n\n").expect("its end").0;
    folder.write("s.tw", spec);
    let lint = folder.run(&["lint", "s.tw"], b"");
    assert_eq!((lint.status, lint.stderr.as_str()), (0, ""), "{}", lint.stdout);
}

#[test]
fn plans() {
    insta::assert_snapshot!(session(
        "plans",
        &[],
        &[
            &["explain-plan", "-e", "G(!a -> !b U c)"],
            &["explain-plan", "-e", "G(b -> (!a U (a U (!a U a))))"],
            &["explain-plan", "-e", "G(x > 0 & y != 2 -> F[0,3] O done)"],
            &["explain-plan", "-e", "F[2,5] p | p U[0,3] X q"],
            &["explain-plan", "-e", "F[0,19] (p -> G q)"],
            &["explain-plan", "-e", "G(p -> O[0,3] q)"],
            &["explain-plan", "-e", "G(p -> F[0,5ms] q)"],
            &["explain-plan", "-e", "G(p -> F[20,60] q)"],
            &["explain-plan", "-e", "G(p -> F[0,3] q)", "--engine", "generic"],
            &["explain-plan", "-e", "G(p -> O F q) & F[0,3] r"],
            &["explain-plan", "-e", "G(p -> O[0,20000] q)", "--format", "json"],
            &["explain-plan", "-e", "count(p)"],
            &["explain-plan"],
        ]
    ));
}

#[test]
fn algorithms_on_metric_automata() {
    let trace: &[u8] = b"case,p,q\n1,1,0\n1,0,0\n2,0,1\n1,0,1\n2,1,1\n1,1,0\n2,1,0\n1,0,1\n";
    let formula = "G(p -> F[0,2] q)";
    insta::assert_snapshot!(session(
        "metric",
        &[("t.csv", trace), ("timed.csv", b"t,p,q\n1,1,0\n5,0,1\n")],
        &[
            &["check", "-e", formula, "t.csv", "--engine", "forward-backward", "--engine-statistics"],
            &["check", "-e", formula, "t.csv", "--engine", "forward-backward-dag", "--format", "json"],
            &["check", "-e", formula, "t.csv", "--engine", "breadth-first", "--engine-statistics"],
            &["check", "-e", formula, "t.csv", "--engine", "generic", "--engine-statistics", "--format", "json"],
            &["check", "-e", "F[0,3](p & X q)", "t.csv", "--engine", "generic", "--no-subsumption"],
            &["check", "-e", formula, "t.csv", "--engine-statistics"],
            &["check", "-e", formula, "t.csv", "--engine", "generic", "--by", "case", "--engine-statistics"],
            &["check", "-e", "G(p -> O[1,3] q)", "t.csv", "--engine", "forward-backward-dag"],
            &["check", "-e", formula, "t.csv", "--engine", "generic", "--prefix"],
            &["check", "-e", formula, "t.csv", "--engine", "forward-backward", "--node-limit", "5"],
            &["check", "-e", formula, "t.csv", "--engine", "generic", "--positions"],
            &["check", "-e", "G(p -> F[0,2ms] q)", "timed.csv", "--time", "t:ms", "--engine", "generic"],
            &["check", "-e", "G(q -> O (p & X q))", "t.csv", "--engine", "forward-backward-dag"],
        ]
    ));
}

#[test]
fn automata() {
    let figure_2 = "G(!a -> !b U c)";
    let figure_7 = "G(p -> O r)";
    insta::assert_snapshot!(session(
        "automata",
        &[],
        &[
            &["automaton", "-e", figure_2],
            &["automaton", "-e", figure_2, "--to", "dot"],
            &["automaton", "-e", figure_2, "--to", "json"],
            &["automaton", "-e", figure_7, "--kind", "alternating", "--to", "text"],
            &["automaton", "-e", figure_7, "--to", "dot"],
            &["automaton", "-e", figure_7, "--to", "json"],
            &["automaton", "-e", "F F a"],
            &["automaton", "-e", "F F a", "--simplify"],
            &["automaton", "-e", "X a", "--to", "svg"],
        ]
    ));
}

#[test]
fn automata_of_every_kind_in_every_form() {
    let response = "G(a -> F b)";
    let forms = ["text", "dot", "json", "svg", "fsp", "hoa", "c", "rust"];
    let mut commands = Vec::new();
    for kind in ["alternating", "metric", "algebraic", "tableau", "deterministic"] {
        commands.extend(forms.map(|form| ["automaton", "-e", response, "--kind", kind, "--to", form]));
    }
    let commands: Vec<&[&str]> = commands.iter().map(<[&str; 7]>::as_slice).collect();
    insta::assert_snapshot!(session("automata-kinds", &[], &commands));
}

#[test]
fn automata_with_choices() {
    let spec = b"let answered = request -> F[0,2] x > 5\nproperty prompt = G answered\nproperty live = G F request\n";
    let tableau = |formula: &'static str, more: &[&'static str]| {
        [&["automaton", "-e", formula, "--kind", "tableau"][..], more].concat()
    };
    let deterministic = |formula: &'static str, more: &[&'static str]| {
        [&["automaton", "-e", formula, "--kind", "deterministic"][..], more].concat()
    };
    let commands = [
        tableau("X X true", &[]),
        tableau("X X true", &["--initial", "semantics"]),
        tableau("!F a", &["--initial", "paper"]),
        tableau("F F a", &[]),
        tableau("F F a", &["--simplify"]),
        deterministic("F true", &[]),
        deterministic("F true", &["--simplify"]),
        deterministic("G(a -> O[1,2] b)", &[]),
        deterministic("a & (b | !b)", &["--to", "json"]),
        vec!["automaton", "spec.tw", "--property", "prompt", "--kind", "deterministic", "--to", "c"],
        vec!["automaton", "spec.tw", "--property", "live", "--kind", "deterministic", "--to", "hoa"],
        // Without a kind it is one that has the form.
        vec!["automaton", "spec.tw", "--property", "live", "--to", "hoa"],
        vec!["automaton", "spec.tw", "--property", "live", "--to", "fsp"],
        vec!["automaton", "spec.tw", "--property", "live", "--to", "rust", "--kind", "metric"],
    ];
    let commands: Vec<&[&str]> = commands.iter().map(Vec::as_slice).collect();
    insta::assert_snapshot!(session("automata-choices", &[("spec.tw", spec)], &commands));
}

#[test]
fn automata_with_clocks() {
    let metric = |formula: &'static str, more: &[&'static str]| {
        [&["automaton", "-e", formula, "--kind", "metric"][..], more].concat()
    };
    let figure_3_1 = "F(a & ((F[0,1] p) U[0,3] q))";
    let clauses: Vec<String> = (0..13).map(|i| format!("F[0,{i}] a{i}")).collect();
    let explosion = clauses.join(" & ");
    let commands = [
        metric("G(a -> F[0,4] b)", &["--to", "svg"]),
        metric(figure_3_1, &[]),
        metric(figure_3_1, &["--to", "dot"]),
        metric(figure_3_1, &["--to", "json"]),
        metric("G[2,5] p", &[]),
        metric("G[2,3000000] p", &["--to", "json"]),
        metric("p W[1,3] q", &[]),
        metric("p R[0,2] q", &[]),
        metric("F[3,inf] p", &[]),
        metric("G(p -> X q)", &[]),
        metric("G(done -> O[0,3] (start & Y !start))", &[]),
        metric("F[0,3] F[0,2] a", &[]),
        metric("F[0,0] F a", &["--simplify"]),
        metric("a & b", &["--to", "json"]),
        metric("G(a -> F[0,5ms] b)", &[]),
        metric("a W[1s,90s] b", &["--to", "json"]),
        metric("O[0,5ms] b", &["--to", "svg"]),
        metric("a", &["--initial", "paper"]),
        vec!["automaton", "-e", &explosion, "--kind", "metric", "--to", "json"],
    ];
    let commands: Vec<&[&str]> = commands.iter().map(Vec::as_slice).collect();
    insta::assert_snapshot!(session("automata-clocks", &[], &commands));
}

#[test]
fn automata_that_have_no_such_form() {
    let parity: Vec<String> = (0..40).map(|number| format!("a{number}")).collect();
    let (parity, clock) = (parity.join(" xor "), "G(a -> F[0,5ms] b)");
    let many: Vec<String> = (0..9).map(|number| format!("G(a{number} -> F[0,9] b{number})")).collect();
    let many = many.join(" & ");
    insta::assert_snapshot!(session(
        "automata-forms",
        &[],
        &[
            &["automaton", "-e", "a", "--kind", "deterministic", "--initial", "paper"],
            &["automaton", "-e", "a", "--initial", "semantics"],
            &["automaton", "-e", clock, "--kind", "tableau"],
            &["automaton", "-e", "G(a -> F[1ms,5ms] b)", "--kind", "deterministic", "--to", "c"],
            &["automaton", "-e", "G(a -> F[0,5ms] X b)", "--kind", "deterministic", "--to", "rust"],
            &["automaton", "-e", clock, "--kind", "deterministic"],
            &["automaton", "-e", clock],
            &["automaton", "-e", "max(x) < 3", "--kind", "deterministic"],
            &["automaton", "-e", &parity, "--kind", "deterministic", "--to", "hoa"],
            &["automaton", "-e", "F[0,400] a", "--kind", "deterministic", "--to", "svg"],
            &["automaton", "-e", "F[0,400] a", "--kind", "tableau", "--to", "svg"],
            &["automaton", "-e", "F[0,30000] a", "--kind", "deterministic"],
            &["automaton", "-e", &many, "--kind", "deterministic"],
            &["automaton", "-e", &many, "--kind", "tableau"],
        ]
    ));
}

#[test]
fn automata_of_spec_files() {
    let spec = b"property mutex = G !(a & b)\nproperty live = G F a\nassert small = max(x) < 3\n";
    let one = b"trace { event activity }\nproperty seen = F \"Triage\"\n";
    insta::assert_snapshot!(session(
        "automata-of-specs",
        &[("several.tw", spec), ("one.tw", one), ("measured.tw", b"query largest = max(x)\n")],
        &[
            &["automaton", "one.tw"],
            &["automaton", "several.tw"],
            &["automaton", "several.tw", "--property", "live"],
            &["automaton", "several.tw", "--property", "lively"],
            &["automaton", "several.tw", "--property", "small"],
            &["automaton", "measured.tw"],
        ]
    ));
}

#[test]
fn automata_that_are_refused() {
    let clauses: Vec<String> = (0..13).map(|i| format!("(a{i} | b{i})")).collect();
    let (tangle, explosion) = (clauses[..7].join(" & "), clauses.join(" & "));
    let chain = vec!["X"; 301].join(" ") + " a";
    // `f M g` is written with g twice.
    let doubling = (0..30).fold("a".to_owned(), |inner, _| format!("(b M {inner})"));
    insta::assert_snapshot!(session(
        "automata-refused",
        &[],
        &[
            &["automaton"],
            &["automaton", "-e", "G(a -> F[0,3] (b & O[1,2] c))"],
            &["automaton", "-e", "F[0,0] a"],
            &["automaton", "-e", "F[0,0] a", "--simplify"],
            &["automaton", "-e", &tangle, "--to", "dot"],
            &["automaton", "-e", &explosion, "--to", "json"],
            &["automaton", "-e", &chain, "--to", "svg"],
            &["automaton", "-e", &doubling],
            &["automaton", "-e", "a", "--to", "png"],
            &["automaton", "-e", "a", "--kind", "omega"],
            &["automaton", "-e", "a", "trace.csv"],
        ]
    ));
}

#[test]
fn traces_that_are_odd_but_right() {
    let plain: &[u8] = b"a,b\n1,0\n0,1\n";
    let files: &[(&str, &[u8])] = &[
        ("header-only.csv", b"a,b\n"),
        ("empty.csv", b""),
        ("empty.jsonl", b""),
        ("one.csv", b"a,b\n1,1\n"),
        ("crlf.csv", b"a,b\r\n1,0\r\n0,1\r\n"),
        ("bom.csv", b"\xEF\xBB\xBFa,b\n1,0\n0,1\n"),
        ("no-newline.csv", b"a,b\n1,0\n0,1"),
        ("blank-lines.csv", b"a,b\n1,0\n\n0,1\n\n"),
        ("semicolons.csv", b"a;b\n1;0\n0;1\n"),
        ("tabs.tsv", b"a\tb\n1\t0\n0\t1\n"),
        ("quoted.csv", b"\"a\",\"b\",\"note, long\"\n\"1\",\"0\",\"x\ny\"\n\"0\",\"1\",\"say \"\"hi\"\"\"\n"),
        ("missing.csv", b"a,b\n1,0\n,1\n"),
        ("words.csv", b"a,b\nT,False\nf,TRUE\n"),
        ("plain.csv", plain),
    ];
    let formula = "G(a -> X b)";
    let command = |(name, bytes): &(&'static str, &[u8])| {
        let allowed = if bytes.len() > 4 { &[][..] } else { &["--allow-empty"] };
        [&["check", "-e", formula, name], allowed].concat()
    };
    let commands: Vec<Vec<&str>> = files.iter().map(command).collect();
    let commands: Vec<&[&str]> = commands.iter().map(Vec::as_slice).collect();
    insta::assert_snapshot!(session("odd", files, &commands));
}

#[test]
fn traces_that_are_wrong() {
    let files: &[(&str, &[u8])] = &[
        ("short-row.csv", b"a,b\n1,0\n0\n"),
        ("long-row.csv", b"a,b\n1,0\n0,1,1\n"),
        ("late-text.csv", b"a,b\n1,0\n0,1\nmaybe,1\n"),
        ("open-quote.csv", b"a,b\n1,\"0\n0,1\n"),
        ("broken.jsonl", b"{\"a\": true, \"b\": false}\n{\"a\": true, \"b\" false}\n"),
        ("array.jsonl", b"[1, 2]\n"),
        ("nested.jsonl", b"{\"a\": {\"deep\": true}, \"b\": false}\n"),
        ("back-in-time.csv", b"t,a,b\n1,1,0\n5,0,1\n3,1,1\n"),
        ("dates.csv", b"t,a,b\n2024-01-01 10:00,1,0\nyesterday,0,1\n"),
        ("x.csv", b"x,a,b\n5,1,0\n0,0,1\n"),
        ("broken.csv.gz", b"\x1f\x8b\x08\x00not gzip at all"),
    ];
    let formula = "G(a -> X b)";
    insta::assert_snapshot!(session(
        "wrong",
        files,
        &[
            &["check", "-e", formula, "short-row.csv"],
            &["check", "-e", formula, "long-row.csv"],
            &["check", "-e", formula, "late-text.csv"],
            &["check", "-e", formula, "open-quote.csv"],
            &["check", "-e", formula, "broken.jsonl"],
            &["check", "-e", formula, "array.jsonl"],
            &["check", "-e", formula, "nested.jsonl"],
            &["check", "-e", formula, "back-in-time.csv", "--time", "t:s"],
            &["check", "-e", formula, "back-in-time.csv", "--time", "t"],
            &["check", "-e", formula, "dates.csv", "--time", "t"],
            &["check", "-e", formula, "back-in-time.csv", "--time", "tt:s"],
            &["check", "-e", formula, "x.csv", "--by", "key"],
            &["check", "-e", formula, "broken.csv.gz"],
            &["check", "-e", "G(10 / x > 1)", "x.csv"],
            &["check", "-e", "G(x != 0 & 10 / x > 1 | x == 0)", "x.csv"],
            &["check", "-e", "G(x * 9223372036854775807 > 1)", "x.csv"],
            &["check", "-e", formula, "no-such-file.csv"],
            &["check", "-e", formula, "."],
            &["check", "-e", "a", "x.csv", "broken.jsonl", "late-text.csv", "--format", "json"],
            &["check", "-e", "a", "late-text.csv", "--missing", "error", "--null", "maybe"],
            &["check", "-e", "a", "late-text.csv", "--null", "maybe"],
        ]
    ));
}

#[test]
fn commands_that_are_wrong() {
    let files: &[(&str, &[u8])] = &[("t.csv", REQUESTS), ("p.tw", b"property p = G request\n")];
    insta::assert_snapshot!(session(
        "usage",
        files,
        &[
            &["check", "t.csv"],
            &["check", "G request", "t.csv"],
            &["check", "p.tw"],
            &["check", "missing.tw", "t.csv"],
            &["check", "p.tw", "t.csv", "--engine", "fastest"],
            &["check", "p.tw", "t.csv", "--time", "t:sec"],
            &["check", "p.tw", "t.csv", "--missing", "ignore"],
            &["check", "p.tw", "t.csv", "--input", "xml"],
            &["check", "p.tw", "t.csv", "--keys-to", "k.csv"],
            &["check", "-e", "G request", "t.csv", "--by", "grant", "--positions"],
            &["check", "-e", "G \"x\"", "t.csv", "--event", "activity"],
            &["help", "operatros"],
            &["help", "operators"],
        ]
    ));
}

#[test]
fn several_traces_and_specs() {
    let files: &[(&str, &[u8])] = &[
        ("one.csv", REQUESTS),
        ("two.jsonl", b"{\"request\": true, \"grant\": true}\n"),
        (
            "lib.tw",
            b"// shared\nlet answered = request -> F grant\nproperty always_answered \"the promise\" = G answered\n",
        ),
        (
            "more.tw",
            b"property ever = F request; query requests = count(request) ?? 0\nassert one = count(request) <= 1",
        ),
    ];
    insta::assert_snapshot!(session(
        "several",
        files,
        &[
            &["check", "lib.tw", "more.tw", "-e", "answered", "one.csv", "two.jsonl"],
            &["check", "lib.tw", "one.csv", "two.jsonl", "--format", "json"],
            &["query", "-e", "count(request)", "-e", "request", "-e", "X grant", "-e", "histogram(2, pos)", "one.csv"],
        ]
    ));
}

#[test]
fn missing_values_and_changes() {
    let files: &[(&str, &[u8])] = &[
        ("gaps.csv", b"id,x\nu,1\nv,7\nu,\nv,\nu,2\n"),
        ("changes.jsonl", b"{\"a\": true, \"b\": false}\n{\"b\": true}\n{\"a\": null}\n{}\n"),
    ];
    insta::assert_snapshot!(session(
        "missing",
        files,
        &[
            &["check", "-e", "G(x > 0)", "gaps.csv"],
            &["check", "-e", "G(x > 0)", "gaps.csv", "--missing", "hold"],
            &["check", "-e", "G(x > 0)", "gaps.csv", "--missing", "hold", "--by", "id"],
            &["check", "-e", "G(x > 0)", "gaps.csv", "--missing", "error"],
            &["check", "-e", "G(defined(x) | !defined(z))", "gaps.csv"],
            &["check", "-e", "F !defined(x)", "gaps.csv", "--missing", "error"],
            &["check", "-e", "a", "-e", "b", "changes.jsonl", "--changes", "--positions"],
            &["check", "-e", "a", "-e", "b", "changes.jsonl", "--positions"],
        ]
    ));
}

#[test]
fn traversals_and_what_their_runs_tell() {
    let files: &[(&str, &[u8])] = &[
        ("quiet.csv", b"request,grant\n0,0\n0,0\n0,1\n"),
        ("busy.csv", b"request,grant\n1,0\n1,0\n0,0\n0,1\n1,1\n0,0\n"),
        ("late.csv", b"p\n0\n0\n0\n1\n"),
        ("timed.csv", b"t,p\n0,0\n1,0\n4,1\n"),
    ];
    let response = "G(request -> F grant)";
    insta::assert_snapshot!(session(
        "traversals",
        files,
        &[
            &["check", "-e", response, "-e", "F grant", "busy.csv", "--engine", "depth-first"],
            &["check", "-e", response, "-e", "F grant", "busy.csv", "--engine", "breadth-first"],
            &["check", "-e", response, "busy.csv", "--engine", "depth-first", "--positions"],
            &["check", "-e", response, "busy.csv", "--engine", "breadth-first", "--positions"],
            &["check", "-e", "G(request -> F[0,2] grant)", "busy.csv", "--engine", "breadth-first"],
            &["check", "-e", "G(request -> F[0,2] grant)", "busy.csv", "--engine", "depth-first"],
            &["check", "-e", "F[0,2s] p", "timed.csv", "--time", "t:s", "--engine", "breadth-first"],
            &["check", "-e", "G H F grant", "busy.csv", "--engine", "breadth-first"],
            &["check", "-e", "G F p", "late.csv", "--engine", "depth-first", "--work-limit", "10"],
            &[
                "check",
                "-e",
                "F p & G F p",
                "late.csv",
                "--engine",
                "breadth-first",
                "--slice-limit",
                "1",
                "--no-subsumption",
                "--no-simplify"
            ],
            &["check", "-e", response, "--coverage", "--waiting", "quiet.csv"],
            &["check", "-e", response, "--coverage", "--waiting", "busy.csv"],
            &["check", "-e", "G F p", "-e", "G p", "--coverage", "--waiting", "late.csv"],
            &["check", "-e", "G F p", "--coverage", "--waiting", "late.csv", "--format", "json"],
            &["check", "-e", "F[0,2] p", "--coverage", "late.csv"],
            &["explain-plan", "-e", "F p", "--engine", "breadth-first"],
        ]
    ));
}

/// Figure 3 of the paper on TaZ: one state if the initial state is relaxed, and two if not.
#[test]
fn deterministic_automata_via_the_tableau() {
    let figure_3 = ["automaton", "-e", "a U true", "--kind", "deterministic"];
    let response = ["automaton", "-e", "[](a -> <>b)", "--kind", "deterministic"];
    let with = |first: [&'static str; 5], more: &[&'static str]| [&first[..], more].concat();
    let commands = [
        with(figure_3, &["--via", "tableau", "--initial", "paper"]),
        with(figure_3, &["--via", "tableau", "--initial", "never"]),
        with(figure_3, &["--via", "tableau"]),
        with(figure_3, &["--via", "progression"]),
        with(response, &["--via", "tableau", "--to", "hoa"]),
        with(response, &["--via", "both"]),
        with(response, &["--via", "both", "--to", "json"]),
        with(response, &["--via", "both", "--to", "svg"]),
        with(response, &["--via", "both", "--initial", "paper"]),
        vec!["automaton", "-e", "a U true", "--kind", "tableau", "--initial", "never"],
        vec!["automaton", "-e", "a", "--kind", "tableau", "--via", "tableau"],
        with(["automaton", "-e", "F[0,3ms] a", "--kind", "deterministic"], &["--via", "tableau"]),
        with(["automaton", "-e", "F[0,300] a", "--kind", "deterministic"], &["--via", "both", "--state-limit", "100"]),
    ];
    let commands: Vec<&[&str]> = commands.iter().map(Vec::as_slice).collect();
    insta::assert_snapshot!(session("routes", &[], &commands));
}

/// Events have their bare names on arrows, and labels that are cut still differ.
#[test]
fn automata_of_events_are_drawn() {
    let triage = ["automaton", "-e", "G(\"ER Triage\" -> F \"Antibiotics\")", "--kind"];
    let with = |kind, more: &[&'static str]| [&triage[..], &[kind], more].concat();
    let long = "G(\"Release without any further treatment A\" -> F \"Release without any further treatment B\")";
    let commands = [
        with("deterministic", &["--event", "activity", "--to", "dot"]),
        with("tableau", &["--event", "activity", "--to", "dot"]),
        with("deterministic", &["--event", "activity", "--to", "text"]),
        vec!["automaton", "-e", long, "--event", "activity", "--kind", "deterministic", "--to", "svg"],
        vec!["automaton", "-e", "G(x == \"a\" -> WX x == \"b\")", "--kind", "deterministic", "--to", "dot"],
    ];
    let commands: Vec<&[&str]> = commands.iter().map(Vec::as_slice).collect();
    insta::assert_snapshot!(session("events-drawn", &[], &commands));
}

#[test]
fn figure_10_is_repeated() {
    let folder = Folder::new("figure10");
    let output = folder.run(&["bench", "figure10", "--longest", "100", "--svg", "f.svg", "--format", "json"], b"");
    assert_eq!(output.status, 0, "{}", output.stderr);
    let document = output.json();
    let measurements = document["measurements"].as_array().expect("a list");
    assert_eq!(measurements.len(), 3 * 7);
    assert!(measurements.iter().all(|one| one["milliseconds"].as_f64().is_some_and(|time| time > 0.0)));
    let picture = folder.read("f.svg");
    assert!(picture.starts_with("<svg") && picture.contains("breadth-first as in the paper"), "{picture}");
    assert!(folder.run(&["bench", "figure10", "--longest", "100"], b"").stdout.contains("depth-first"));
}

#[test]
fn figure_8_is_repeated() {
    let folder = Folder::new("figure8");
    let output = folder.run(&["bench", "figure8", "--longest", "1000", "--svg", "f.svg", "--format", "json"], b"");
    assert_eq!(output.status, 0, "{}", output.stderr);
    let document = output.json();
    assert_eq!(document["measurements"].as_array().map(Vec::len), Some(3 * 3 * 2));
    let picture = folder.read("f.svg");
    assert!(picture.starts_with("<svg") && picture.contains("backward in blocks"), "{picture}");
    let text = folder.run(&["bench", "figure8", "--longest", "1000"], b"").stdout;
    assert!(text.contains("MUX-SEM") && text.contains("gave up"), "{text}");
}

/// Hides what differs from run to run: times, and the bytes that memory comes in.
fn without_times(text: &str) -> String {
    let mut is_time = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        is_time = line == "nanoseconds per state" || is_time && !line.is_empty();
        let is_sublogic = words.len() == 12 && words.iter().all(|word| word.starts_with(|c: char| c.is_ascii_digit()));
        lines.push(match (is_time, is_sublogic) {
            (true, _) => {
                let is_number = |word: &&&str| word.starts_with(|c: char| c.is_ascii_digit());
                let hidden = words.iter().filter(is_number).count();
                let kept: Vec<&str> = words.iter().filter(|word| !is_number(word)).copied().collect();
                format!("{}{}", kept.join(" "), " T".repeat(hidden))
            }
            (_, true) => format!("{} B {} T T {}", words[..7].join(" "), words[8], words[11]),
            _ => line.to_owned(),
        });
    }
    lines.join("\n")
}

#[test]
fn what_bounds_cost_is_measured() {
    let folder = Folder::new("bounded");
    let arguments = ["bench", "bounded", "--longest", "18"];
    let mut output = folder.run(&arguments, b"");
    output.stdout = without_times(&output.stdout);
    insta::assert_snapshot!(transcript(&arguments, &output));

    let output = folder.run(&["bench", "bounded", "--longest", "8", "--svg", "b.svg", "--format", "json"], b"");
    assert_eq!(output.status, 0, "{}", output.stderr);
    let document = output.json();
    assert_eq!(document["series"].as_array().map(Vec::len), Some(4));
    let cost = &document["series"][0]["points"][0]["costs"][0];
    assert_eq!((&cost["contender"], &cost["theorem"]), (&"tree".into(), &"theorem 3.1".into()));
    assert!(cost["measured"]["nanoseconds_per_state"].as_f64().is_some_and(|time| time > 0.0));
    assert!(cost["bound_log10"].as_f64() > cost["size"].as_f64().map(f64::log10));
    assert_eq!(document["sublogics"].as_array().map(Vec::len), Some(4));
    let picture = folder.read("b.svg");
    assert!(picture.starts_with("<svg") && picture.contains("generic as printed"), "{picture}");
}

#[test]
fn what_one_property_asks_changes_no_other() {
    let files: &[(&str, &[u8])] =
        &[("t.csv", b"x,y,r\n9,10,0\n1,1.0,1\nNaN,3,0\n"), ("empty.tw", b"let v = v\nproperty p = F r\n")];
    insta::assert_snapshot!(session(
        "independent",
        files,
        &[
            &["check", "-e", "G(defined(x) -> x <= y)", "t.csv"],
            &["check", "-e", "G(defined(x) -> x <= y)", "-e", "F x == \"1\"", "t.csv"],
            &["check", "-e", "F r", "-e", "F r == x", "t.csv"],
            &["query", "-e", "count(r)", "-e", "sum(r)", "-e", "first(r)", "-e", "distinct(r)", "-e", "r", "t.csv"],
            &["query", "-e", "F (x + 1)", "-e", "max(X x)", "-e", "r & x + 1", "-e", "!(x + 1)", "t.csv"],
            &["check", "empty.tw", "t.csv"],
            &["check", "-e", "F r", "-", "-"],
            &["check", "-e", "G(", "t.csv", "--format", "json"],
        ]
    ));
}

#[test]
fn compressed_traces_and_standard_input_answer_alike() {
    let folder = Folder::new("compressed");
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(REQUESTS).expect("memory");
    let gzip = gzip.finish().expect("memory");
    let zstd = zstd::encode_all(REQUESTS, 3).expect("memory");
    folder.write("t.csv", REQUESTS).write("t.csv.gz", &gzip).write("t.csv.zst", &zstd);
    let json = b"{\"request\":true,\"grant\":false}\n{\"request\":false,\"grant\":false}\n{\"request\":false,\"grant\":true}\n{\"request\":true,\"grant\":false}\n";
    folder.write("t.jsonl", json);
    let ask = |path: &str, stdin: &[u8]| {
        let output =
            folder.run(&["check", "-e", "G(request -> F grant)", path, "--positions", "--format", "json"], stdin);
        assert_eq!(output.status, 1, "{path}: {}", output.stderr);
        let mut document = output.json();
        let violations = document["properties"][0]["violations"].take();
        // What is told of a state has its line, which is another without a header.
        document["properties"][0]["evidence"].take();
        assert_eq!(violations["first"], serde_json::json!([3]));
        document["properties"].take()
    };
    let expected = ask("t.csv", b"");
    for path in ["t.csv.gz", "t.csv.zst", "t.jsonl"] {
        assert_eq!(ask(path, b""), expected, "{path}");
    }
    for stdin in [REQUESTS, &gzip, &zstd, json] {
        assert_eq!(ask("-", stdin), expected);
    }
}

#[test]
fn completions_and_manual_pages_are_made() {
    let folder = Folder::new("made");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = folder.run(&["completions", shell], b"");
        assert!(output.status == 0 && output.stdout.contains("explain-plan"), "{shell}");
    }
    let page = folder.run(&["man"], b"").stdout;
    assert!(page.contains(".TH traceward") && page.contains("inspect"), "{page}");
    assert!(
        folder.run(&["man", "check"], b"").stdout.contains("--max-violations")
            || folder.run(&["man", "check"], b"").stdout.contains("max\\-violations")
    );
    assert!(folder.run(&["--version"], b"").stdout.starts_with("traceward 0."));
}

#[test]
fn the_definition_is_not_asked_about_long_traces() {
    let folder = Folder::new("long");
    let trace = format!("a\n{}", "1\n".repeat(200_001));
    folder.write("t.csv", trace);
    let naive = folder.run(&["check", "-e", "G a", "t.csv", "--engine", "naive"], b"");
    assert_eq!(naive.status, 2);
    assert!(naive.stderr.contains("200001 states; reverse answers the same"), "{}", naive.stderr);
    assert_eq!(folder.run(&["check", "-e", "G a", "t.csv"], b"").status, 0);
    // The trace is as long, but no key's is.
    let by_key: String = (0..200_001).map(|state| format!("{},1\n", state % 50_000)).collect();
    folder.write("keys.csv", format!("k,a\n{by_key}"));
    let naive = folder.run(&["check", "-e", "G a", "keys.csv", "--by", "k", "--engine", "naive"], b"");
    assert_eq!(naive.status, 0, "{}", naive.stderr);
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let folder = Folder::new("pipe");
    let long: String = std::iter::once("a\n".to_owned()).chain((0..50_000).map(|_| "1\n".to_owned())).collect();
    folder.write("t.csv", long);
    let program = env!("CARGO_BIN_EXE_traceward");
    let script = format!(
        "'{program}' check -e 'G a & F !a' t.csv --positions | head -c 10 > /dev/null; echo ${{PIPESTATUS[0]}}"
    );
    let output = std::process::Command::new("bash")
        .args(["-c", &script])
        .current_dir(Path::new(env!("CARGO_TARGET_TMPDIR")).join("pipe"))
        .output()
        .expect("bash");
    // The verdict is still told: a never fails, so the second part is violated.
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "1");
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn comparisons_of_queries() {
    let trace = b"k,event,p,x\na,ERROR,1,3\nb,ok,0,9\na,ok,1,5\nb,ERROR,0,\nb,ERROR,1,7\nc,ok,0,\n";
    let spec = b"trace { event event }\nlet few = count(p) <= 2\nproperty few_p \"few\" = few\nassert also = few\n\
        property half = count(p) <= count(\"ERROR\")\nproperty first = x + 1 <= 3\n";
    insta::assert_snapshot!(session(
        "comparisons",
        &[("t.csv", trace), ("s.tw", spec)],
        &[
            &["check", "-e", "count(\"ERROR\") == 0", "-e", "count(p) >= 3", "--event", "event", "t.csv"],
            &["check", "s.tw", "t.csv"],
            &["check", "-e", "max(x) <= 2 * avg(x)", "-e", "8 < max(x)", "-e", "max(x) < min(p : x)", "t.csv"],
            &["check", "-e", "max(x) <= 4", "t.csv", "--by", "k"],
            &["check", "-e", "max(x) <= 4", "t.csv", "--by", "k", "--max-violations", "1"],
            &["check", "-e", "max(x > 100 : x) <= 4", "-e", "count(p) < count(x > 3)", "t.csv", "--format", "json"],
            &["query", "-e", "count(p) == 3", "-e", "count(p) == 4", "-e", "max(x > 100 : x) == 1", "t.csv"],
            &["query", "-e", "max(x)", "t.csv", "--by", "k"],
        ]
    ));
}

#[test]
fn comparisons_of_queries_on_a_trace_that_goes_on() {
    let trace = b"p,q,x\n1,1,3\n0,1,9\n1,0,5\n1,0,5\n";
    insta::assert_snapshot!(session(
        "comparisons-prefix",
        &[("t.csv", trace)],
        &[
            // Three p have been seen: final are at most two, at least three, not three and not two.
            &["check", "--prefix", "t.csv", "-e", "count(p) <= 2", "-e", "count(p) <= 3", "-e", "count(p) < 3"],
            &["check", "--prefix", "t.csv", "-e", "count(p) >= 3", "-e", "count(p) > 3", "-e", "2 < count(p)"],
            &["check", "--prefix", "t.csv", "-e", "count(p) == 2", "-e", "count(p) == 3", "-e", "count(p) != 2"],
            // The greatest value only rises, the least only falls, and a sum may do both.
            &["check", "--prefix", "t.csv", "-e", "max(x) <= 8", "-e", "max(x) <= 9", "-e", "min(x) >= 4"],
            &["check", "--prefix", "t.csv", "-e", "min(x) <= 3", "-e", "sum(x) <= 3", "-e", "distinct(x) <= 2"],
            // What looks ahead may still change, and an interval that is over may not.
            &["check", "--prefix", "t.csv", "-e", "count(X p) <= 1", "-e", "count(p) while q == 1"],
            &["check", "--prefix", "t.csv", "-e", "(count(p) while q) == 1", "-e", "(sum(x) while q) == 3"],
            // No value yet is no final verdict.
            &["check", "--prefix", "t.csv", "-e", "max(x > 100 : x) <= 4", "-e", "count(p) <= count(q)"],
            &["check", "--prefix", "t.csv", "-e", "min(x) < max(x)", "-e", "first(x) == 3", "-e", "x + 1 == 3"],
        ]
    ));
}

#[test]
fn comparisons_of_queries_that_are_refused() {
    insta::assert_snapshot!(session(
        "comparisons-refused",
        &[("t.csv", b"p,x\n1,3\n")],
        &[
            &["check", "-e", "G(count(p) <= 3)", "t.csv"],
            &["check", "-e", "count(p) <= 3 & G p", "t.csv"],
            &["check", "-e", "let few = count(p) <= 3; property a = F few", "t.csv"],
            &["query", "-e", "max(count(p) <= 3)", "t.csv"],
            &["check", "-e", "count(p) == \"three\"", "t.csv"],
            &["check", "-e", "property a = count(p)", "t.csv"],
            &["check", "-e", "assert a = G p", "t.csv"],
            &["monitor", "-e", "max(count(p)) == 0"],
            &["lint", "-e", "G p", "-e", "count(p) == 0"],
            &["compare", "-e", "G !p", "-e", "count(p) == 0"],
        ]
    ));
}

#[test]
fn missing_values_that_decide() {
    let trace = b"k,activity,CRP,my age,ok\na,test,,,1\na,test,12,3,1\nb,rest,,3,0\nb,test,200,,1\n";
    insta::assert_snapshot!(session(
        "missing-deciding",
        &[("t.csv", trace)],
        &[
            &["check", "-e", "G(activity == \"test\" -> CRP < 100)", "t.csv"],
            &["check", "-e", "G(activity == \"test\" -> defined(CRP) & CRP < 100)", "t.csv"],
            &["check", "-e", "G(ok & `my age` > 1 & CRP > 0)", "t.csv"],
            &["check", "-e", "CRP > 0 | F CRP > 500", "t.csv"],
            &["check", "-e", "G(activity == \"test\" -> CRP < 100)", "t.csv", "--by", "k"],
        ]
    ));
}
