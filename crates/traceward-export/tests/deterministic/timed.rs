//! Monitors of properties with bounds in time, as C and Rust programs: they are compiled, run and
//! held against the definition at every cut of a trace, and against the engine that follows time.
#![allow(clippy::disallowed_methods, reason = "the test compiles and runs the monitors")]

use super::monitors::{C_FLAGS, Dice, Folder, sign};
use traceward_engine::engine::EngineConfig;
use traceward_engine::engine::follow::{Follow, Step};
use traceward_engine::engine::streaming::Streaming;
use traceward_engine::select::{Prepared, Simplification};
use traceward_export::monitor::timed::{TimedMonitor, Unbounded, c, rust};
use traceward_logic::formula::FormulaId;
use traceward_logic::letter::{self, Letters};
use traceward_logic::lower::{Claim, Goal, Lowered};
use traceward_logic::semantics;
use traceward_logic::trace::Trace;
use traceward_logic::verdict::Verdict;
use traceward_testkit::lowered;

/// Formulas of every shape that is taken.
const TAKEN: [&str; 46] = [
    "G(a -> F[0,5ns] b)",
    "G(a -> F[0,0ns] b)",
    "G(a -> (c U[0,5ns] b))",
    "G(a -> (c W[0,5ns] b))",
    "G(a -> (c R[0,5ns] b))",
    "G(a -> !(c W[0,5ns] b))",
    "G(a -> G[0,4ns] b)",
    "G(a -> !(F[0,4ns] b))",
    "G(a -> F[0,3ns] b & G[0,2ns] c)",
    "G(a -> F[0,3ns] b) & G(b -> F[0,7ns] c)",
    "G((a -> F[0,3ns] b) & !c)",
    "G G(a | F[0,5ns] b)",
    "G(a & Y b -> F[0,5ns] (c & O a))",
    "!G(a -> F[0,5ns] b)",
    "F(a & G[0,3ns] !b)",
    "F(a & F[0,3ns] b)",
    "F(a & (b U[0,3ns] c))",
    "F(a & (b R[0,3ns] c) | c & F[0,2ns] b)",
    "F[0,9ns] a",
    "G[0,9ns] a",
    "a U[0,9ns] b",
    "a R[0,9ns] b",
    "a W[0,9ns] b",
    "!(a W[0,9ns] b)",
    "F[0,9ns] a | G[0,5ns] b",
    "F[0,9ns] a & G[0,5ns] b & c",
    "a -> F[0,9ns] b",
    "F[0,9ns] a | G(b -> F[0,2ns] c)",
    "(F[0,9ns] a & G b) | (F c & !(b U[0,3ns] a))",
    "G(a -> O[0,5ns] b)",
    "G(a -> H[0,5ns] b)",
    "G(a -> (c S[0,5ns] b))",
    "G(a -> (c B[0,5ns] b))",
    "G(a -> (c T[0,5ns] b))",
    "G(a -> O[4ns,inf] b)",
    "G(a -> H[4ns,inf] b)",
    "F(a & O[0,5ns] (b & Y a))",
    "G(O[0,3ns] a -> F[0,3ns] b)",
    "G(a -> F b) & G(b -> O[0,2ns] c)",
    "G(a -> (b U c)) & F[0,30ns] a",
    "F a & G(b -> G[0,2ns] b)",
    "G(false S a | F[0,5ns] b)",
    "G(H a | O b -> F[0,4ns] c) & (Z a | Y b | F[0,4ns] c)",
    "G(a B b | c T a | F[0,5ns] !b)",
    "G(a -> (Z b U[0,5ns] true)) & F[0,9ns] c",
    "(Z b U[0,5ns] true) & F[0,9ns] c",
];

/// A formula on traces with timestamps.
struct Case {
    lowered: Lowered,
    root: FormulaId,
    prepared: Prepared,
    monitor: TimedMonitor,
    traces: Vec<Trace>,
}

/// A refusal or a monitor.
fn made(text: &str) -> (Lowered, FormulaId, Prepared, Result<TimedMonitor, Unbounded>) {
    let lowered = lowered(text, Goal::Check, None, None).unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
    let Claim::Formula(root) = lowered.properties[0].claim else { panic!("a formula") };
    let on_empty = semantics::holds_on_empty(&lowered.formulas, root);
    let prepared = Prepared::new(&lowered.formulas, &[root], Simplification::Off);
    let mut formulas = prepared.formulas.clone();
    let names = lowered.variables.names();
    let monitor = TimedMonitor::new(&mut formulas, &prepared.alphabet, prepared.simplified[0], on_empty, text, &names);
    (lowered, root, prepared, monitor.map_err(|refused| refused.reason))
}

impl Case {
    fn new(text: &str, dice: &mut Dice) -> Self {
        let (lowered, root, prepared, monitor) = made(text);
        let variables = lowered.variables.names().len();
        let traces = (0..60).map(|_| trace(variables, dice)).collect();
        let monitor = monitor.unwrap_or_else(|reason| panic!("{text}: {reason}"));
        Self { lowered, root, prepared, monitor, traces }
    }

    fn letters(&self, trace: &Trace) -> Letters {
        letter::letters(&self.prepared.formulas, &self.prepared.alphabet, trace)
    }

    fn inputs(&self) -> usize {
        self.prepared.alphabet.letter_len()
    }

    /// The letters of a trace with their timestamps, as the programs read them.
    fn rows(&self, trace: &Trace) -> Vec<(i64, Vec<bool>)> {
        let letters = self.letters(trace);
        let row = |position: usize| letters.bitmaps.iter().map(|bits| bits.get(position)).collect();
        let time = trace.time.as_ref().expect("timestamps");
        (0..trace.len).map(|position| (time[position], row(position))).collect()
    }

    /// Holds what a monitor said against the definition and the engine: before any state, and for
    /// each state when the clock has reached it, after it, and once more a moment later. An earlier
    /// time is told in between, and says nothing new.
    fn judge(&self, trace: &Trace, said: &str, text: &str) {
        let said: Vec<char> = said.chars().collect();
        assert_eq!(said.len(), 2 + 3 * trace.len, "{text}");
        let engine = Streaming::compile(&self.prepared, 0, EngineConfig::default()).expect("every formula");
        let mut run = engine.start().expect("within limits");
        let letters = self.letters(trace);
        let time = trace.time.as_ref().expect("timestamps");
        let mut last = None;
        for cut in 0..=trace.len {
            let positions: Vec<u32> = (0..cut as u32).collect();
            let holds = semantics::satisfied(&self.lowered.formulas, self.root, &trace.gather(&positions)).unwrap();
            let here = if cut == 0 { &said[..1] } else { &said[3 * cut - 2..][..3] };
            for (nth, &verdict) in here.iter().enumerate() {
                // The clock has reached the next state before it is taken.
                let states = if cut > 0 && nth == 0 { cut - 1 } else { cut };
                let holds = if states == cut { holds } else { self.holds_at(trace, states) };
                assert_eq!(matches!(verdict, 'S' | 'H'), holds, "{text}: {said:?} at {cut}, {trace:?}");
                assert!(last.is_none_or(|last| last == verdict), "{text}: {said:?} at {cut}, {trace:?}");
                last = matches!(verdict, 'S' | 'V').then_some(verdict);
            }
            if cut == 0 {
                continue;
            }
            let holds = |one| letters.bitmap(one).get(cut - 1);
            let moment = time[cut - 1];
            let step = Step { letter: &holds, position: cut as u64 - 1, time: Some(moment) };
            let followed = [
                engine.advance(&mut run, moment).expect("within limits"),
                engine.step(&mut run, step).expect("within limits"),
                engine.advance(&mut run, self.later(time, cut)).expect("within limits"),
            ];
            for (verdict, said) in followed.into_iter().zip(here) {
                let is_final = matches!(verdict, Verdict::Satisfied | Verdict::Violated);
                assert!(!is_final || sign(verdict).starts_with(*said), "{text}: {said} and {verdict:?}, {trace:?}");
            }
        }
        let holds = self.holds_at(trace, trace.len);
        assert_eq!(said[said.len() - 1], if holds { 'S' } else { 'V' }, "{text}");
    }

    fn holds_at(&self, trace: &Trace, states: usize) -> bool {
        let positions: Vec<u32> = (0..states as u32).collect();
        semantics::satisfied(&self.lowered.formulas, self.root, &trace.gather(&positions)).unwrap()
    }

    /// The time that the clock is told to have reached after a state: a moment before the next.
    fn later(&self, time: &[i64], cut: usize) -> i64 {
        later(time, cut)
    }
}

fn later(time: &[i64], cut: usize) -> i64 {
    time.get(cut).map_or(time[cut - 1] + 3, |&next| (next - 1).max(time[cut - 1]))
}

/// A trace with ties and gaps, and propositions that are rare or frequent.
fn trace(variables: usize, dice: &mut Dice) -> Trace {
    let len = 1 + dice.roll(9) as usize;
    let column = |dice: &mut Dice| {
        let sides = 2 + dice.roll(4);
        let is_rare = dice.roll(2) == 0;
        (0..len).map(|_| (dice.roll(sides) == 0) == is_rare).collect()
    };
    let columns = (0..variables).map(|_| column(dice)).collect();
    let mut now = dice.roll(5) as i64 - 2;
    let clock = (0..len).map(|_| {
        now += [0, 0, 1, 2, 3, 5, 6, 11][dice.roll(8) as usize];
        now
    });
    let time = Some(clock.collect());
    Trace { time, ..Trace::of_bools(len, columns) }
}

fn cases() -> Vec<Case> {
    let mut dice = Dice(11);
    TAKEN.iter().map(|text| Case::new(text, &mut dice)).collect()
}

fn compare(cases: &[Case], output: &str) {
    let mut lines = output.lines();
    let mut violated = 0;
    for (case, text) in cases.iter().zip(TAKEN) {
        for trace in &case.traces {
            let said = lines.next().expect("a line for each trace");
            violated += usize::from(said.ends_with('V'));
            case.judge(trace, said, text);
        }
    }
    assert_eq!(lines.next(), None);
    assert!(violated > 500, "{violated}");
}

#[test]
fn monitors_in_c_follow_time_as_the_definition_says() {
    let cases = cases();
    let (mut program, mut main) = (String::from("#include <stdio.h>\n"), String::new());
    for (number, case) in cases.iter().enumerate() {
        let name = format!("m{number}");
        program.push_str(&c::monitor(&case.monitor, &name));
        for trace in &case.traces {
            main.push_str(&format!("    {{ struct {name} m; {name}_init(&m); putchar(\"SVHP\"[{name}_now(&m)]);\n"));
            let time = trace.time.as_ref().expect("timestamps");
            for (position, (moment, row)) in case.rows(trace).into_iter().enumerate() {
                let bits: Vec<String> = row.iter().map(|bit| u8::from(*bit).to_string()).collect();
                let (earlier, later) = (moment - 1, later(time, position + 1));
                main.push_str(&format!(
                    "    {{ struct {name}_letter l = {{ {} }}; putchar(\"SVHP\"[{name}_advance(&m, {moment})]); \
                     putchar(\"SVHP\"[{name}_step(&m, l, {moment})]); \
                     {name}_advance(&m, {earlier}); putchar(\"SVHP\"[{name}_advance(&m, {later})]); }}\n",
                    bits.join(", ")
                ));
            }
            main.push_str(&format!("    putchar(\"SVHP\"[{name}_end(&m)]); putchar('\\n'); }}\n"));
        }
    }
    program.push_str(&format!("int main(void) {{\n{main}    return 0;\n}}\n"));
    let folder = Folder::new("timed-c");
    std::fs::write(folder.0.join("program.c"), program).expect("a writable file");
    let quick: Vec<&str> = C_FLAGS.iter().copied().filter(|flag| *flag != "-O2").collect();
    folder.run("cc", &[&quick[..], &["program.c", "-o", "program"]].concat());
    compare(&cases, &folder.run(&folder.0.join("program").display().to_string(), &[]));
}

#[test]
fn monitors_in_rust_follow_time_as_the_definition_says() {
    let cases = cases();
    let (mut program, mut main) = (String::new(), String::new());
    for (number, case) in cases.iter().enumerate() {
        let name = format!("m{number}");
        let monitor = rust::monitor(&case.monitor);
        let fields = monitor.lines().filter_map(|line| line.trim().strip_prefix("pub ")?.strip_suffix(": bool,"));
        let fields: Vec<String> =
            fields.enumerate().map(|(place, field)| format!("{field}: bits >> {place} & 1 == 1")).collect();
        assert_eq!(fields.len(), case.inputs());
        program.push_str(&format!("pub mod {name} {{\n{monitor}}}\n"));
        program.push_str(&format!(
            "fn run_{name}(rows: &[(i64, u32, i64)]) {{\n    let mut m = {name}::Monitor::default();\n    sign(m.now() as u8);\n\
             for &(time, bits, later) in rows {{ sign(m.advance(time) as u8);\n\
             sign(m.step({name}::Letter {{ {} }}, time) as u8); m.advance(time - 1); \
             sign(m.advance(later) as u8); }}\n\
             sign(m.end() as u8);\n    println!();\n}}\n",
            fields.join(", ")
        ));
        for trace in &case.traces {
            let time = trace.time.as_ref().expect("timestamps");
            let row = |(position, (moment, row)): (usize, (i64, Vec<bool>))| {
                let bits = row.iter().enumerate().fold(0_u32, |bits, (place, bit)| bits | u32::from(*bit) << place);
                format!("({moment}, {bits}, {})", later(time, position + 1))
            };
            let rows: Vec<String> = case.rows(trace).into_iter().enumerate().map(row).collect();
            main.push_str(&format!("    run_{name}(&[{}]);\n", rows.join(", ")));
        }
    }
    let sign = "fn sign(verdict: u8) { print!(\"{}\", b\"SVHP\"[verdict as usize] as char) }\n";
    program.push_str(&format!("{sign}fn main() {{\n{main}}}\n"));
    let folder = Folder::new("timed-rust");
    std::fs::write(folder.0.join("program.rs"), program).expect("a writable file");
    folder.run("rustc", &["--edition", "2024", "-D", "warnings", "program.rs", "-o", "program"]);
    compare(&cases, &folder.run(&folder.0.join("program").display().to_string(), &[]));
}

#[test]
fn what_takes_any_number_of_deadlines_is_refused() {
    use Unbounded::{CountsSteps, LooksAhead, OpensLater};
    for (text, reason) in [
        ("G(a -> F[1ns,5ns] b)", OpensLater),
        ("G(a -> F[1ns,inf] b)", OpensLater),
        ("F[1ns,5ns] a", OpensLater),
        ("G(a -> O[1ns,5ns] b)", OpensLater),
        ("G(a -> (c S[4ns,inf] b))", OpensLater),
        ("G(a -> F[0,5ns] (b & F[0,5ns] c))", LooksAhead),
        ("G(a -> F[0,5ns] b | F[0,3ns] c)", LooksAhead),
        ("G(a -> X F[0,5ns] b)", LooksAhead),
        ("F[0,5ns] G a", LooksAhead),
        ("G(a -> F[0,5] b) & F[0,1ns] c", CountsSteps),
        ("G(a -> O[0,5] b) & F[0,1ns] c", CountsSteps),
    ] {
        assert_eq!(made(text).3.err(), Some(reason), "{text}");
    }
}

/// As they are, on their own, with nothing but the core library, and without a library function.
#[test]
fn monitors_that_follow_time_allocate_nothing() {
    let folder = Folder::new("timed-symbols");
    let (_, _, _, monitor) = made("G(a -> F[0,250ms] b) & G(b -> O[0,2s] (a S c))");
    let monitor = monitor.expect("a monitor");
    std::fs::write(folder.0.join("watch.c"), c::monitor(&monitor, "watch")).expect("a writable file");
    folder.run("cc", &[&C_FLAGS[..], &["-c", "watch.c", "-o", "watch.o"]].concat());
    let symbols = folder.run("nm", &["watch.o"]);
    assert!(symbols.contains(" T watch_advance") && !symbols.contains(" U "), "{symbols}");
    let text = rust::monitor(&monitor);
    let head: Vec<&str> = text.lines().take_while(|line| line.starts_with("//!")).collect();
    let (head, body) = text.split_at(head.join("\n").len());
    std::fs::write(folder.0.join("watch.rs"), format!("{head}\n#![no_std]\n{body}")).expect("a writable file");
    let strict = ["-D", "warnings", "-D", "missing_docs", "-D", "unsafe_code", "--crate-type", "lib", "-O"];
    folder.run("rustc", &[&["--edition", "2024"], &strict[..], &["watch.rs"]].concat());
}

#[test]
fn monitors_that_follow_time_as_text() {
    let (_, _, _, monitor) = made("G(request -> F[0,250ms] x > 5) & G(x > 5 -> O[0,2s] request)");
    let monitor = monitor.expect("a monitor");
    let texts = [c::monitor(&monitor, "answered"), rust::monitor(&monitor)];
    insta::assert_snapshot!(texts.join("\n=======\n\n"));
}
