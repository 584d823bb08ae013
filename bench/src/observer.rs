//! Observers: steps of a table and of an automaton unfolded on the way, and the making of deterministic automata beside `mona`.

use crate::{Random, Row, measured};
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use traceward_engine::automaton::deterministic::{Deterministic, Limits};
use traceward_engine::engine::observer::{Config, Observer};
use traceward_engine::select::{Prepared, Simplification};
use traceward_logic::bitmap::Bitmap;
use traceward_logic::formula::{BinaryOp, Direction, FormulaId, Formulas, Interval, Node, Strength};
use traceward_logic::letter::{Letters, Proposition};
use traceward_logic::lower::{Claim, Goal};
use traceward_logic::semantics;

struct Formula {
    prepared: Prepared,
    on_empty: bool,
}

impl Formula {
    fn parse(text: &str) -> Self {
        let lowered = traceward_testkit::lowered(text, Goal::Check, None, None).expect("a formula");
        let Claim::Formula(root) = lowered.properties[0].claim else { panic!("a formula") };
        Self::new(&lowered.formulas, root)
    }

    fn new(formulas: &Formulas, root: FormulaId) -> Self {
        let prepared = Prepared::new(formulas, &[root], Simplification::Off);
        Self { on_empty: semantics::holds_on_empty(formulas, root), prepared }
    }

    fn observer(&self, config: Config) -> Observer {
        let Prepared { formulas, alphabet, simplified, .. } = &self.prepared;
        Observer::new(formulas, alphabet, simplified[0], self.on_empty, config).expect("no bounds in time")
    }

    fn automaton(&self) -> Deterministic {
        let Prepared { formulas, alphabet, simplified, .. } = &self.prepared;
        Deterministic::new(formulas, alphabet, simplified[0], self.on_empty, Limits::default()).expect("it fits")
    }

    fn propositions(&self) -> usize {
        self.prepared.alphabet.atoms().len()
    }

    /// Random letters; each proposition holds in one state of `every`.
    fn letters(&self, len: usize, every: u64) -> Letters {
        let mut random = Random(1);
        let word = |random: &mut Random| (0..every.trailing_zeros()).fold(u64::MAX, |word, _| word & random.bits());
        let words = len.div_ceil(64);
        let bitmaps = (0..self.propositions())
            .map(|_| Bitmap::from_words((0..words).map(|_| word(&mut random)).collect(), len))
            .collect();
        Letters { len, bitmaps, time: None }
    }
}

/// `G(a1 -> F b1) & G(a2 -> F b2) & …`
fn responses(count: usize) -> String {
    let one = |index| format!("G(a{index} -> F b{index})");
    (1..=count).map(one).collect::<Vec<_>>().join(" & ")
}

/// The paper's headline (section 6.2), and others whose table fits the first-level cache.
pub fn steps_of_a_table() -> Vec<Row> {
    let rows =
        [("F G p", 100_000_000, 2), ("G(a -> F b)", 20_000_000, 2), ("G(b -> (!a U (a U (!a U a))))", 20_000_000, 2)];
    let more = [(responses(2), 20_000_000, 2), ("G(a -> X(b | X(b | X b)) | F c)".to_owned(), 20_000_000, 1)];
    let rows = rows.map(|(text, len, every)| (text.to_owned(), len, every)).into_iter().chain(more);
    rows.map(|(text, len, every)| stepped(&text, len, every, Config::default())).collect()
}

/// Tables that do not fit the first-level cache, and automata that are unfolded on the way.
pub fn steps_of_a_large_automaton() -> Vec<Row> {
    let lazily = Config { full_states: 0, ..Config::default() };
    vec![
        stepped(&responses(6), 20_000_000, 2, Config::default()),
        stepped(&responses(8), 20_000_000, 2, Config::default()),
        stepped("G(p -> F[0,1000] q)", 20_000_000, 8, lazily),
        stepped("G(p -> F[0,10000] q)", 20_000_000, 16, lazily),
        stepped(&responses(3), 20_000_000, 2, lazily),
    ]
}

/// Whether the formula holds is told by reverse traversal; that no letter is skipped, by their being random.
fn stepped(text: &str, len: usize, every: u64, config: Config) -> Row {
    use traceward_engine::engine::reverse::{self, Reverse};
    let formula = Formula::parse(text);
    let letters = formula.letters(len, every);
    let Prepared { formulas, alphabet, normal, .. } = &formula.prepared;
    let reverse = Reverse::new(formulas, alphabet, normal, reverse::Config::default());
    let expected = reverse.truth(&mut reverse::Cache::default(), &letters)[0].get(0);
    let observer = formula.observer(config);
    let how = if observer.automaton().is_some() { "table" } else { "unfolded" };
    let shown = if text.len() > 60 {
        format!("{} properties G(ai -> F bi)", formula.propositions() / 2)
    } else {
        text.to_owned()
    };
    measured(format!("{shown}, {how}"), len as u64, "states", &expected, || {
        let decision = observer.check(&letters).expect("within limits");
        assert!(decision.decided_at.is_none_or(|position| position + 1 >= len * 9 / 10), "{text} reads all letters");
        decision.holds
    })
}

/// How many states the automaton of each formula has is known; `mona` makes its own of the standard translation.
pub fn construction() -> Vec<Row> {
    let mut rows = Vec::new();
    for count in 1..=8 {
        let formula = Formula::parse(&responses(count));
        let name = format!("{count} properties G(ai -> F bi)");
        // Which of them wait for their answer.
        rows.push(measured(format!("{name}, {} states", 1 << count), 1, "automata", &(1 << count), || {
            formula.automaton().states().len()
        }));
        rows.extend(mona(&name, &formula));
    }
    let random: Vec<Formula> = (0..50).map(|seed| random_formula(20, seed)).collect();
    rows.push(measured("50 random formulas of 20 operators", 1, "times", &(), || {
        random.iter().for_each(|one| assert!(!one.automaton().states().is_empty()));
    }));
    rows.extend(mona_on_all("50 random formulas of 20 operators", &random));
    rows
}

/// What a trace touches of an automaton with a long bound; `mona` has to make all of it.
pub fn bounded_construction() -> Vec<Row> {
    let mut rows = Vec::new();
    for bound in [10, 100, 1000, 10_000] {
        let text = format!("G(p -> F[0,{bound}] q)");
        let formula = Formula::parse(&text);
        // Two requests, each answered at once: three states of the automaton are met.
        let mut letters = formula.letters(1000, 1);
        for (index, atom) in formula.prepared.alphabet.atoms().iter().enumerate() {
            let expr = formula.prepared.formulas.atom(*atom).display(&["p".into(), "q".into()]).to_string();
            let mut bits = Bitmap::filled(1000, false);
            bits.set(if expr == "p" { 100 } else { 105 }, true);
            letters.bitmaps[index] = bits;
        }
        let lazily = Config { full_states: 0, ..Config::default() };
        rows.push(measured(format!("{text}, made and asked of 1,000 states"), 1, "times", &true, || {
            formula.observer(lazily).check(&letters).expect("within limits").holds
        }));
        if bound <= 1000 {
            rows.push(measured(format!("{text}, all {} states", bound + 2), 1, "automata", &(bound + 2), || {
                formula.automaton().states().len()
            }));
        }
        rows.extend(mona(&text, &formula));
    }
    rows
}

/// A formula with that many operators over four propositions, future operators only: the translation has no past.
fn random_formula(operators: usize, seed: u64) -> Formula {
    let mut random = Random(seed * 77 + 5);
    let mut formulas = Formulas::new();
    let mut made: Vec<FormulaId> = (0..4)
        .map(|atom| {
            formulas.intern_atom(traceward_logic::expr::Expr::Variable(traceward_logic::trace::VariableId(atom)))
        })
        .collect();
    for _ in 0..operators {
        let pick = |random: &mut Random| made[made.len() - 1 - random.below(4.min(made.len() as u64)) as usize];
        let (f, g) = (pick(&mut random), pick(&mut random));
        let (future, all) = (Direction::Future, Interval::ALL);
        let node = match random.below(7) {
            0 => Node::Not(f),
            1 => Node::And(f, g),
            2 => Node::Or(f, g),
            3 => Node::Next(future, Strength::Strong, f),
            4 => Node::Eventually(future, all, f),
            5 => Node::Always(future, all, f),
            _ => Node::Binary(BinaryOp::Until, future, all, f, g),
        };
        made.push(formulas.intern(node));
    }
    let root = *made.last().expect("an operator");
    Formula::new(&formulas, root)
}

// ---- mona ----

/// How long `mona` is waited for.
const PATIENCE: Duration = Duration::from_secs(60);

/// The peer's row, where it is installed.
fn mona(name: &str, formula: &Formula) -> Option<Row> {
    mona_on_all(name, std::slice::from_ref(formula))
}

fn mona_on_all(name: &str, formulas: &[Formula]) -> Option<Row> {
    let programs: Vec<String> = formulas.iter().map(program).collect();
    let mut fastest: Option<Duration> = None;
    for _ in 0..3 {
        let start = Instant::now();
        for program in &programs {
            match run_mona(program) {
                Ran::Well => {}
                Ran::OutOf(what) => {
                    return Some(Row {
                        name: format!("mona: {name}: {what}"),
                        items: 1,
                        unit: "failures",
                        time: start.elapsed(),
                    });
                }
                Ran::NotInstalled => return None,
            }
        }
        fastest = fastest.into_iter().chain([start.elapsed()]).min();
    }
    fastest.map(|time| Row { name: format!("mona: {name}"), items: 1, unit: "automata", time })
}

enum Ran {
    Well,
    OutOf(&'static str),
    NotInstalled,
}

fn run_mona(program: &str) -> Ran {
    let path = std::env::temp_dir().join(format!("traceward-bench-{}.mona", std::process::id()));
    if std::fs::File::create(&path).and_then(|mut file| file.write_all(program.as_bytes())).is_err() {
        return Ran::NotInstalled;
    }
    let child = Command::new("mona").arg("-q").arg("-n").arg(&path).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let Ok(mut child) = child else { return Ran::NotInstalled };
    let start = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ran::Well,
            Ok(Some(_)) | Err(_) => return Ran::OutOf("it failed for want of memory"),
            Ok(None) if start.elapsed() > PATIENCE => {
                let _ = child.kill();
                let _ = child.wait();
                return Ran::OutOf("stopped after a minute");
            }
            Ok(None) => std::thread::sleep(Duration::from_micros(200)),
        }
    }
}

/// The standard translation to monadic logic on finite words.
fn program(formula: &Formula) -> String {
    let variables: Vec<String> = (0..formula.propositions()).map(|index| format!("P{index}")).collect();
    let mut names = 0;
    let body = translated(formula, formula.prepared.simplified[0], "0", &mut names);
    format!("m2l-str;\nvar2 {};\n{body};\n", variables.join(", "))
}

fn translated(formula: &Formula, part: FormulaId, at: &str, names: &mut usize) -> String {
    let Prepared { formulas, alphabet, .. } = &formula.prepared;
    let mut fresh = || {
        *names += 1;
        format!("x{names}")
    };
    let within = |interval: Interval, y: &str| match interval.to {
        None => format!("{at} <= {y} & {y} <= max($)"),
        Some(to) => format!("{at} <= {y} & {y} <= max($) & {y} <= {at} + {to}"),
    };
    match formulas.node(part) {
        Node::Constant(bit) => bit.to_string(),
        Node::Atom(atom) => {
            let Proposition(index) = alphabet.proposition(atom).expect("an atom of the formula");
            format!("({at} in P{index})")
        }
        Node::Not(f) => format!("~{}", translated(formula, f, at, names)),
        Node::And(f, g) => format!("({} & {})", translated(formula, f, at, names), translated(formula, g, at, names)),
        Node::Or(f, g) => format!("({} | {})", translated(formula, f, at, names), translated(formula, g, at, names)),
        Node::Next(Direction::Future, Strength::Strong, f) => {
            let y = fresh();
            let f = translated(formula, f, &y, names);
            format!("(ex1 {y}: {at} < max($) & {y} = {at} + 1 & {f})")
        }
        Node::Eventually(Direction::Future, interval, f) => {
            let y = fresh();
            let f = translated(formula, f, &y, names);
            format!("(ex1 {y}: {} & {f})", within(interval, &y))
        }
        Node::Always(Direction::Future, interval, f) => {
            let y = fresh();
            let f = translated(formula, f, &y, names);
            format!("(all1 {y}: ({}) => {f})", within(interval, &y))
        }
        Node::Binary(BinaryOp::Until, Direction::Future, interval, f, g) => {
            let (y, z) = (fresh(), fresh());
            let (f, g) = (translated(formula, f, &z, names), translated(formula, g, &y, names));
            format!("(ex1 {y}: {} & {g} & (all1 {z}: ({at} <= {z} & {z} < {y}) => {f}))", within(interval, &y))
        }
        other => panic!("{other:?} has no translation"),
    }
}
