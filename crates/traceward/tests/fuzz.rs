//! Broken inputs of every kind: whatever is written or read, there is an answer or an error that
//! says where, in bounded time, and a file and a stream agree.
//!
//! Every run is determined by its seed. `TRACEWARD_FUZZ_SEED` and `TRACEWARD_FUZZ_ROUNDS` ask for
//! other and for longer runs; a failure prints the seed, the round and the input.
#![allow(clippy::disallowed_methods, reason = "the test tells how long answers take, and is told its seed")]
#![allow(clippy::disallowed_macros, clippy::print_stdout, reason = "the seed and the input of a failure are printed")]

mod outcome;

use outcome::{AtBadLine, Fed, Outcome, checked, ends_alike, fed, outcome};
use std::panic::AssertUnwindSafe;
use std::time::{Duration, Instant};
use traceward::input::{Format, MissingPolicy, Records, inspect};
use traceward::{CheckOptions, Goal, Monitor, ReadOptions, Source, Spec};
use traceward_logic::diagnostic::SourceId;
use traceward_logic::parse;
use traceward_testkit::mutate::{Mutator, Numbers};
use traceward_trace::TraceErrorKind;

/// The longest that one input may take, on a machine that has other work too.
const LONGEST: Duration = Duration::from_secs(10);

const SPECS: &[&str] = &[
    "G(request -> F[0,3] grant)",
    "trace { event activity  time timestamp  by case_id }\nlet busy = at_l3 | at_m3\nproperty mutex \"no two\" = G !(busy & `x y`)",
    "query q = max(count(!a & X a) while b) ?? 0; assert s = max(r) <= 1; property few = count(p) <= 2 * count(q)",
    "dialect opra\nproperty p = [] {x > 0 && y == \"é\\n\"} -> <> !b U c",
    "(r : time) &[(a, b) => b - a] F (g : time)",
    "a U[v => v * 2.5e3] b |[min] ![-1] c // comment\n",
    "x in {1, -2, \"three\"} <-> matches(s, \"^a\\d\") xor len(s) % 2 = 1",
    "F(2,5] a & O[1.5h,∞) b ∧ ¬c → latency(r -> g) # comment",
    "trace { changes missing hold x: number } property p = G(abs(x) >= min(x, 2) -> x S[1,4] y) & Z p B q",
    "quantile(0.9, x) &[pair] histogram(5, x : y)",
    "count(\"ERROR\") == 0",
    "fold(0, (acc, v) => acc * 2 + v, a : x) forward while b",
    "let t = fold(\"\", (acc, v) => max(acc, v), s)\nquery q = histogram(s)\nassert p = fold(1, (n, v) => n / v, x) <= 3",
];

const SPEC_WORDS: &[&str] = &[
    "G",
    "F",
    "X",
    "U",
    "W",
    "R",
    "M",
    "S",
    "T",
    "B",
    "O",
    "H",
    "Y",
    "Z",
    "WX",
    "[0,5]",
    "[2ms,inf)",
    "(1,1)",
    "->",
    "<->",
    "&",
    "|",
    "!",
    "xor",
    "&[+]",
    "![0]",
    "=>",
    "??",
    ":",
    "while",
    "count(",
    "max(",
    "let a = ",
    "property ",
    "assert ",
    "query ",
    "trace {",
    "dialect opra",
    "x",
    "`",
    "==",
    "<=",
    "in {",
    "pos",
    "time",
    "defined(",
    "matches(x, \"",
    "+",
    "%",
    "/",
];

const TRACES: &[&str] = &[
    "x,y,s,t,a.b\n1,true,on,0,1\n2.5,false,\"off, then\",5,2\n,1,\"a \"\"b\"\"\",5,\n-3,0,,9,4\n",
    "x;y;s;t\r\n1;1;a;1\r\n2;0;b;2\r\n",
    "x\ty\ts\tt\n1\t1\ta\t1\n9007199254740993\t0\tb\t2\n",
    "{\"x\":1,\"y\":true,\"s\":\"on\",\"t\":0,\"a\":{\"b\":1}}\n{\"x\":2.5,\"y\":0,\"s\":\"\\u00e9\",\"t\":5}\n{\"y\":1,\"t\":7}\n",
    "{\"x\":null,\"s\":[1,2],\"t\":1}\r\n\r\n{\"x\":-0.0,\"a\":{\"b\":3,\"c\":{}},\"t\":1}\n{\"x\":1e3,\"x\":2,\"t\":4}",
    "x,y\n1,1\n\n2,0\n",
    "x\n1\n2\n3\n4\n5\n6\n7\n8\n9\n",
    "\"x\",\"y\"\n\"1\",\"1\"\n\"two\nlines\",0\n",
    "",
];

const TRACE_WORDS: &[&str] = &[
    "x",
    "y",
    "s",
    "t",
    "a.b",
    "1",
    "0",
    "true",
    "N/A",
    "\"x\":",
    "{\"x\":1}",
    "{\"y\":0}\n",
    "1,1,a,1\n",
    "1;1\n",
    ",,,",
    "\"a\"",
];

/// What is asked of broken traces. Each can be followed.
const QUESTIONS: &[&str] = &[
    "G(x > 0 -> F y)",
    "F s == \"on\" | G !y",
    "G(x == s -> X x >= 2)",
    "property p = G(defined(x) -> y) property q = x + 1 > 2 S y",
    "trace { time t:ms } property p = G(y -> F x > 1)",
    "trace { changes } property p = G(x >= 1 | y)",
    "trace { missing hold } property p = F[0,3] x > 2",
    "trace { missing error } property p = G x < 100",
    "trace { x: string } property p = F x == \"1\"",
    "trace { event s } property p = G(\"on\" -> WX \"off\")",
    "G(`a.b` != 3)",
    "G 10 / x > 1",
];

/// How a run is asked for.
struct Run {
    seed: u64,
    rounds: u64,
}

impl Run {
    fn of(rounds: u64) -> Self {
        let asked = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
        let seed = asked("TRACEWARD_FUZZ_SEED").unwrap_or(1);
        let run = Self { seed, rounds: asked("TRACEWARD_FUZZ_ROUNDS").unwrap_or(rounds) };
        println!("seed {}, {} rounds", run.seed, run.rounds);
        run
    }

    /// Makes an input each round, and hands it on. Rounds do not depend on each other.
    fn each(&self, mutator: &Mutator, mut take: impl FnMut(&[u8], &mut Numbers)) {
        for round in 0..self.rounds {
            let mut numbers = Numbers::of_seed(self.seed.wrapping_mul(1 << 32).wrapping_add(round));
            let input = mutator.input(&mut numbers);
            let begun = Instant::now();
            let took =
                std::panic::catch_unwind(AssertUnwindSafe(|| take(&input, &mut numbers))).map(|()| begun.elapsed());
            let told = || format!("seed {}, round {round}, of {:?}", self.seed, String::from_utf8_lossy(&input));
            match took {
                Ok(took) => assert!(took < LONGEST, "{took:?} are too long: {}", told()),
                Err(panicked) => {
                    println!("{}", told());
                    std::panic::resume_unwind(panicked);
                }
            }
        }
    }
}

// ---- specs ----

/// A text is refused with a place in it, or what it says can be printed and read again.
fn spec_is_read(text: &str) {
    let parsed = parse::spec(SourceId(0), text);
    match &parsed {
        Ok(spec) => {
            for statement in &spec.statements {
                let printed = statement.body.to_string();
                match parse::expression(&printed) {
                    // Brackets that make a text clear may make it too deep.
                    Err(errors) if errors[0].message.contains("nested more than") => {}
                    again => assert_eq!(again.as_ref(), Ok(&statement.body), "printed as {printed}"),
                }
            }
        }
        Err(errors) => assert!(!errors.is_empty(), "refused without a reason"),
    }
    for goal in [Goal::Check, Goal::Query] {
        let read = Spec::parse(vec![Source::new("spec", text, goal)]);
        assert!(read.is_err() || parsed.is_ok(), "a spec of a text that is none");
        match read {
            Ok(spec) => spec_is_asked(&spec),
            Err(error) => refused_at_a_place(&error.to_string(), error.diagnostics(), text),
        }
    }
}

fn refused_at_a_place(message: &str, diagnostics: &[traceward_logic::diagnostic::Diagnostic], text: &str) {
    assert!(message.contains("spec:"), "no place is named: {message}");
    for diagnostic in diagnostics {
        let (start, end) = (diagnostic.span.start as usize, diagnostic.span.end as usize);
        assert!(start <= end && end <= text.len(), "{start} to {end} of {} bytes", text.len());
        assert!(text.is_char_boundary(start) && text.is_char_boundary(end), "{start} to {end} cut a character");
    }
}

/// A spec that was read has an answer on a trace, or an error.
fn spec_is_asked(spec: &Spec) {
    let trace = "a,b,x,y,p,q,r,g,s\n1,0,1,1,0,1,1,0,a\n0,1,2,0,1,1,0,1,b\n1,1,0,1,1,0,0,0,c\n";
    match checked(spec, trace, &CheckOptions::default()) {
        Ok(report) => assert_eq!(report.properties.len(), spec.property_names().len()),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

#[test]
fn specs_that_are_broken() {
    let mutator = Mutator::new(SPECS, SPEC_WORDS);
    Run::of(2000).each(&mutator, |input, _| spec_is_read(&String::from_utf8_lossy(input)));
}

// ---- traces ----

fn options(numbers: &mut Numbers) -> ReadOptions {
    ReadOptions {
        format: *numbers.one_of(&[None, None, None, Some(Format::CSV), Some(Format::JSON_LINES)]),
        separator: *numbers.one_of(&[None, None, None, Some(b','), Some(b';'), Some(b'\t')]),
        null: numbers.one_of(&[Vec::new(), vec!["N/A".to_owned()], vec!["0".to_owned(), String::new()]]).clone(),
        missing: *numbers.one_of(&[
            MissingPolicy::False,
            MissingPolicy::False,
            MissingPolicy::Hold,
            MissingPolicy::Error,
        ]),
        records: *numbers.one_of(&[Records::States, Records::States, Records::Changes]),
        ..ReadOptions::default()
    }
}

fn cuts(length: usize, numbers: &mut Numbers) -> Vec<usize> {
    let mut cuts: Vec<usize> = (0..numbers.below(6)).map(|_| numbers.below(length)).collect();
    cuts.sort_unstable();
    cuts
}

/// An error of a trace names a line of it, unless it is about all of it.
fn names_a_line(outcome: &Outcome, input: &[u8]) {
    let lines = 1 + input.iter().filter(|byte| matches!(byte, b'\n' | b'\r')).count() as u64;
    match outcome {
        Outcome::Wrong { line: Some(line), .. } | Outcome::Failed { line, .. } => {
            assert!((1..=lines).contains(line), "line {line} of {lines}: {outcome:?}");
        }
        Outcome::Wrong { line: None, kind, .. } => {
            let about_all = matches!(
                kind,
                TraceErrorKind::UnknownColumn { .. } | TraceErrorKind::DuplicateName | TraceErrorKind::NotRead { .. }
            );
            assert!(about_all, "no line is named: {outcome:?}");
        }
        Outcome::Verdicts(..) | Outcome::Unknown | Outcome::Declined => {}
    }
}

/// A trace as a file, and as a stream in pieces.
fn trace_is_read(input: &[u8], numbers: &mut Numbers) {
    let spec: Spec = numbers.one_of(QUESTIONS).parse().expect("a question");
    let read = options(numbers);
    let (some, other) = (cuts(input.len(), numbers), cuts(input.len(), numbers));
    let whole = outcome(&checked(&spec, input, &CheckOptions::default().read(read.clone())));
    names_a_line(&whole, input);
    let feed = |cuts: &[usize], at| fed(Monitor::new(&spec).expect("it can be followed"), input, &read, cuts, at);
    let once = feed(&some, AtBadLine::Stop);
    assert_eq!(once, feed(&other, AtBadLine::Stop), "cut at {some:?} and at {other:?}");
    assert!(ends_alike(&whole, &once), "the file: {whole:?}\nthe stream: {once:?}");
    let skipping = feed(&some, AtBadLine::Skip);
    assert_eq!(skipping, feed(&other, AtBadLine::Skip), "skipping, cut at {some:?} and at {other:?}");
    skips_at_most_what_there_is(&skipping, input);
    let _looked_at = inspect(input, &read);
}

fn skips_at_most_what_there_is(skipping: &Fed, input: &[u8]) {
    let lines = 1 + input.iter().filter(|byte| matches!(byte, b'\n' | b'\r')).count() as u64;
    assert!(skipping.skipped.iter().all(|line| (1..=lines).contains(line)), "{:?} of {lines}", skipping.skipped);
}

#[test]
fn traces_that_are_broken() {
    let mutator = Mutator::new(TRACES, TRACE_WORDS);
    Run::of(1200).each(&mutator, trace_is_read);
}
