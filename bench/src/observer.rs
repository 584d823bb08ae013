//! Observers: steps of a table and of an automaton unfolded on the way, and the making of
//! deterministic automata beside `mona`.

use crate::{Random, Row, Whose, measured};
use std::io::Read;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use traceward_engine::automaton::deterministic::{Deterministic, Room};
use traceward_engine::automaton::subset::{self, Table};
use traceward_engine::automaton::tableau::{self, Initial};
use traceward_engine::engine::EngineConfig;
use traceward_engine::engine::follow::Follow;
use traceward_engine::engine::observer::Observer;
use traceward_engine::engine::offline::Cache;
use traceward_engine::engine::tableau::Tableau;
use traceward_engine::limit::Limits;
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

    fn observer(&self, config: EngineConfig) -> Observer {
        Observer::compile(&self.prepared, 0, config).expect("no bounds in time")
    }

    fn automaton(&self) -> Deterministic {
        let Prepared { formulas, alphabet, simplified, .. } = &self.prepared;
        Deterministic::new(formulas, alphabet, simplified[0], self.on_empty, Room::default()).expect("it fits")
    }

    /// The smallest table, made in another way.
    fn table(&self) -> Table {
        let Prepared { formulas, alphabet, normal, .. } = &self.prepared;
        let initial = Initial::BySemantics(self.on_empty);
        let tableau = tableau::Automaton::new(formulas, alphabet, normal[0], initial, Limits::default());
        let tableau = tableau.expect("a tableau that fits");
        subset::determinise(&tableau, subset::SubsetLimits::default()).expect("a table that fits").minimal()
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
    rows.map(|(text, len, every)| stepped(&text, len, every, EngineConfig::default())).collect()
}

/// The paper's headline on the paper's own automata: the tableau, of which the set of states that a
/// run can be in is followed, and the table that the subset construction and Hopcroft's algorithm
/// make of it.
pub fn steps_of_a_tableau() -> Vec<Row> {
    let (text, len) = ("F G p", 100_000_000);
    let formula = Formula::parse(text);
    let letters = formula.letters(len, 2);
    let expected = letters.bitmap(Proposition(0)).get(len - 1);
    let engine = Tableau::compile(&formula.prepared, 0, EngineConfig::default()).expect("no bounds in time");
    let table = formula.table();
    let letter = |position: usize| usize::from(letters.bitmap(Proposition(0)).get(position));
    vec![
        measured(format!("{text}, table via the tableau"), len as u64, "states", &expected, || {
            table.accepts((0..len).map(letter))
        }),
        measured(format!("{text}, sets of states of the tableau"), len as u64, "states", &expected, || {
            engine.verdict_at_end(&letters).expect("within limits").decision().holds
        }),
    ]
}

/// Tables that do not fit the first-level cache, and automata that are unfolded on the way.
pub fn steps_of_a_large_automaton() -> Vec<Row> {
    let lazily = EngineConfig { limits: Limits { table_states: 0, ..Limits::default() }, ..EngineConfig::default() };
    vec![
        stepped(&responses(6), 20_000_000, 2, EngineConfig::default()),
        stepped(&responses(8), 20_000_000, 2, EngineConfig::default()),
        stepped("G(p -> F[0,1000] q)", 20_000_000, 8, lazily),
        stepped("G(p -> F[0,10000] q)", 20_000_000, 16, lazily),
        stepped(&responses(3), 20_000_000, 2, lazily),
    ]
}

/// Whether the formula holds is told by reverse traversal; that no letter is skipped, by their
/// being random.
fn stepped(text: &str, len: usize, every: u64, config: EngineConfig) -> Row {
    use traceward_engine::engine::reverse::Reverse;
    let formula = Formula::parse(text);
    let letters = formula.letters(len, every);
    let Prepared { formulas, alphabet, normal, .. } = &formula.prepared;
    let reverse = Reverse::new(formulas, alphabet, normal);
    let expected = reverse.rows(&mut Cache::default(), &letters)[0].get(0);
    let observer = formula.observer(config);
    let how = if observer.automaton().is_some() { "table" } else { "unfolded" };
    let shown = if text.len() > 60 {
        format!("{} properties G(ai -> F bi)", formula.propositions() / 2)
    } else {
        text.to_owned()
    };
    measured(format!("{shown}, {how}"), len as u64, "states", &expected, || {
        let decision = observer.verdict_at_end(&letters).expect("within limits").decision();
        assert!(decision.decided_at.is_none_or(|position| position + 1 >= len * 9 / 10), "{text} reads all letters");
        decision.holds
    })
}

/// How many states the automaton of each formula has is known; `mona` makes its own of the standard
/// translation.
pub fn construction() -> Vec<Row> {
    let mut rows = Vec::new();
    let mut ltlf2dfa_goes_on = true;
    for count in 1..=8 {
        let formula = Formula::parse(&responses(count));
        let name = format!("{count} properties G(ai -> F bi)");
        // Which of them wait for their answer.
        let ours = measured(format!("{name}, {} states", 1 << count), 1, "automata", &(1 << count), || {
            formula.automaton().states().len()
        });
        rows.push(ours.ours());
        rows.extend(mona(&name, &formula));
        if ltlf2dfa_goes_on {
            let row = ltlf2dfa(&name, count);
            ltlf2dfa_goes_on = row.as_ref().is_some_and(|row| row.whose != Whose::CameToNothing);
            rows.extend(row);
        }
    }
    rows.extend(random_construction());
    rows
}

/// How many states each automaton has is told by the other way to it, through a tableau and sets of
/// its states.
fn random_construction() -> Vec<Row> {
    let random: Vec<Formula> = (0..50).map(|seed| random_formula(20, seed)).collect();
    let expected: Vec<usize> = random.iter().map(|one| one.table().states()).collect();
    let mut sorted = expected.clone();
    sorted.sort_unstable();
    let (total, typical) = (sorted.iter().sum::<usize>(), sorted[sorted.len() / 2]);
    assert!(typical > 5, "typical automata have only {typical} states");
    let name = format!("50 random formulas of 20 operators, {total} states in all, median {typical}");
    let ours = measured(name, 50, "automata", &expected, || {
        random.iter().map(|one| one.automaton().states().len()).collect::<Vec<_>>()
    });
    let mut rows = vec![ours.ours()];
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
        for (index, (_, atom)) in formula.prepared.alphabet.atoms().iter().enumerate() {
            let expr = formula.prepared.formulas.atom(*atom).display(&["p".into(), "q".into()]).to_string();
            let mut bits = Bitmap::filled(1000, false);
            bits.set(if expr == "p" { 100 } else { 105 }, true);
            letters.bitmaps[index] = bits;
        }
        let lazily =
            EngineConfig { limits: Limits { table_states: 0, ..Limits::default() }, ..EngineConfig::default() };
        let made = measured(format!("{text}, made and asked of 1,000 states"), 1, "times", &true, || {
            formula.observer(lazily).verdict_at_end(&letters).expect("within limits").decision().holds
        });
        rows.push(made.ours());
        if bound <= 1000 {
            let all = measured(format!("{text}, all {} states", bound + 2), 1, "automata", &(bound + 2), || {
                formula.automaton().states().len()
            });
            rows.push(all.ours());
        }
        rows.extend(mona(&text, &formula));
    }
    rows
}

/// A formula with that many operators over four propositions, future operators only: the
/// translation has no past.
fn random_formula(operators: usize, seed: u64) -> Formula {
    let mut random = Random(seed * 77 + 5);
    let mut formulas = Formulas::new();
    let root = random_tree(operators, &mut random, &mut formulas);
    Formula::new(&formulas, root)
}

/// `F` and `G` are rare: near the root they leave automata of a few states.
fn random_tree(operators: usize, random: &mut Random, formulas: &mut Formulas) -> FormulaId {
    let (future, all) = (Direction::Future, Interval::ALL);
    let Some(below) = operators.checked_sub(1) else {
        let variable = traceward_logic::trace::VariableId(random.below(4) as u32);
        return formulas.intern_atom(traceward_logic::expr::Expr::Variable(variable));
    };
    let kind = random.below(18);
    let node = if kind < 6 {
        let f = random_tree(below, random, formulas);
        match kind {
            0 => Node::Not(f),
            1 => Node::Eventually(future, all, f),
            2 => Node::Always(future, all, f),
            _ => Node::Next(future, Strength::Strong, f),
        }
    } else {
        let left = random.below(operators as u64) as usize;
        let f = random_tree(left, random, formulas);
        let g = random_tree(below - left, random, formulas);
        match kind {
            6..=9 => Node::And(f, g),
            10..=13 => Node::Or(f, g),
            _ => Node::Binary(BinaryOp::Until, future, all, f, g),
        }
    };
    formulas.intern(node)
}

// ---- peers ----

/// The time for which a peer is waited for.
const PATIENCE: Duration = Duration::from_secs(10);

fn row_of_peer(name: String, items: u64, time: Duration) -> Row {
    Row { name, items, unit: "automata", time, whose: Whose::Compared }
}

fn failed(name: String, time: Duration) -> Row {
    Row { name, items: 1, unit: "automata", time, whose: Whose::CameToNothing }
}

/// The peer's row, where it is installed.
fn mona(name: &str, formula: &Formula) -> Option<Row> {
    mona_on_all(name, std::slice::from_ref(formula))
}

fn mona_on_all(name: &str, formulas: &[Formula]) -> Option<Row> {
    let programs: Vec<String> = formulas.iter().map(program).collect();
    let name = format!("mona, the whole process: {name}");
    let mut fastest: Option<Duration> = None;
    for _ in 0..3 {
        let start = Instant::now();
        for program in &programs {
            match run_mona(program) {
                Ran::Well(_) => {}
                Ran::NotInstalled => return None,
                // Once is enough.
                Ran::OutOf(what) => return Some(failed(format!("{name}: {what}"), start.elapsed())),
            }
        }
        fastest = fastest.into_iter().chain([start.elapsed()]).min();
    }
    fastest.map(|time| row_of_peer(name, formulas.len() as u64, time))
}

fn run_mona(program: &str) -> Ran {
    let path = std::env::temp_dir().join(format!("traceward-bench-{}.mona", std::process::id()));
    std::fs::write(&path, program).expect("a place for temporary files");
    let ran = wait_for(Command::new("mona").arg("-q").arg("-n").arg(&path));
    let _ = std::fs::remove_file(&path);
    ran
}

/// The row of `ltlf2dfa`, where it is installed. Beginning with Python and the package takes most
/// of the time of small ones.
fn ltlf2dfa(name: &str, count: usize) -> Option<Row> {
    if !matches!(wait_for(python().arg("import ltlf2dfa")), Ran::Well(_)) {
        return None;
    }
    let script = format!(
        "import re\nfrom ltlf2dfa.parser.ltlf import LTLfParser\ndfa = LTLfParser()({:?}).to_dfa()\n\
         print(len(set(re.findall(r'^ (\\d+) ->', dfa, re.M))))",
        responses(count)
    );
    let mut fastest: Option<Duration> = None;
    for _ in 0..3 {
        let start = Instant::now();
        match wait_for(python().arg(&script)) {
            Ran::Well(states) => assert_eq!(states.trim(), (1 << count).to_string(), "ltlf2dfa: {name}"),
            Ran::NotInstalled => return None,
            Ran::OutOf(what) => {
                let name = format!("ltlf2dfa, the whole process: {name}: {what}; no more are tried");
                return Some(failed(name, start.elapsed()));
            }
        }
        fastest = fastest.into_iter().chain([start.elapsed()]).min();
    }
    fastest.map(|time| row_of_peer(format!("ltlf2dfa, the whole process: {name}"), 1, time))
}

fn python() -> Command {
    let mut command = Command::new("python3");
    command.arg("-c");
    command
}

enum Ran {
    /// With what it printed.
    Well(String),
    OutOf(String),
    NotInstalled,
}

/// Runs a program that prints little, as long as there is patience.
fn wait_for(command: &mut Command) -> Ran {
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let Ok(mut child) = child else { return Ran::NotInstalled };
    let start = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => {
                let mut printed = String::new();
                let _ = child.stdout.take().expect("a pipe").read_to_string(&mut printed);
                return Ran::Well(printed);
            }
            Ok(Some(status)) => return Ran::OutOf(format!("it failed ({status})")),
            Err(error) => return Ran::OutOf(format!("it failed ({error})")),
            Ok(None) if start.elapsed() > PATIENCE => {
                let _ = child.kill();
                let _ = child.wait();
                return Ran::OutOf(format!("stopped after {} s", PATIENCE.as_secs()));
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
