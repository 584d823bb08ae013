//! Observers and their deterministic automata against the definition: verdicts, that early verdicts
//! are exact, and that automata are minimal.
#![allow(clippy::disallowed_methods, reason = "the test tells how much it has compared")]

use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use traceward_engine::automaton::deterministic::{Deterministic, Room};
use traceward_engine::engine::follow::{Follow, Step};
use traceward_engine::engine::observer::Observer;
use traceward_engine::engine::{EngineConfig, Exactness};
use traceward_engine::limit::Limits;
use traceward_engine::select::{Prepared, Simplification};
use traceward_logic::bitmap::Bitmap;
use traceward_logic::expr::Expr;
use traceward_logic::formula::{FormulaId, Formulas, Interval};
use traceward_logic::letter::{self, Letters, Proposition};
use traceward_logic::lower::Claim;
use traceward_logic::semantics;
use traceward_logic::trace::Trace;
use traceward_logic::verdict::Verdict;
use traceward_testkit::agreement::report;
use traceward_testkit::corpus;
use traceward_testkit::enumerate::{self, Shape};
use traceward_testkit::generate::{self, Windows};

/// Never the whole automaton beforehand.
fn lazily() -> EngineConfig {
    EngineConfig { limits: Limits { table_states: 0, ..Limits::default() }, ..EngineConfig::default() }
}

struct Observed {
    prepared: Prepared,
    on_empty: bool,
    observers: Vec<Observer>,
}

impl Observed {
    fn new(formulas: &Formulas, formula: FormulaId, configs: &[EngineConfig]) -> Self {
        let prepared = Prepared::new(formulas, &[formula], Simplification::Off);
        let on_empty = semantics::holds_on_empty(formulas, formula);
        let observer = |config: &EngineConfig| Observer::compile(&prepared, 0, *config).expect("no bounds in time");
        let observers = configs.iter().map(observer).collect();
        Self { prepared, on_empty, observers }
    }

    fn letters(&self, trace: &Trace) -> Letters {
        letter::letters(&self.prepared.formulas, &self.prepared.alphabet, trace)
    }

    fn automaton(&self) -> Deterministic {
        let Prepared { formulas, alphabet, simplified, .. } = &self.prepared;
        Deterministic::new(formulas, alphabet, simplified[0], self.on_empty, Room::default()).expect("small enough")
    }
}

/// The verdict at the end of some letters, and the position at which it became final, step by step.
fn stepped(observer: &Observer, letters: &Letters) -> (Verdict, Option<usize>) {
    let mut run = observer.start().expect("within limits");
    let mut decided_at = None;
    for position in 0..letters.len {
        let letter = |one| letters.bitmap(one).get(position);
        let verdict = observer.step(&mut run, Step::new(&letter, position)).expect("within limits");
        if verdict.is_final() && decided_at.is_none() {
            decided_at = Some(position);
        }
        if position == 1 {
            run = run.clone();
        }
    }
    (observer.verdict(&run), decided_at)
}

/// Whether each formula holds on each word of letters up to a length, the empty one too. A word is
/// a number, its letters the digits, the first one on top: continuations of a word follow each
/// other.
struct Words {
    letters: usize,
    /// By formula, by length, by number.
    truth: Vec<Vec<Vec<bool>>>,
}

impl Words {
    fn new(arena: &Formulas, formulas: &[FormulaId], atoms: u32, longest: usize) -> Self {
        let on_empty = |formula: &FormulaId| vec![vec![semantics::holds_on_empty(arena, *formula)]];
        let mut truth: Vec<Vec<Vec<bool>>> = formulas.iter().map(on_empty).collect();
        let letters = 1_usize << atoms;
        for len in 1..=longest {
            truth.iter_mut().for_each(|truth| truth.push(Vec::new()));
            for number in 0..letters.pow(len as u32) {
                let column = |atom: u32| -> Bitmap {
                    let letter = |position: usize| number / letters.pow((len - 1 - position) as u32) % letters;
                    (0..len).map(|position| letter(position) >> atom & 1 == 1).collect()
                };
                let trace = Trace::of_bools(len, (0..atoms).map(column).collect());
                let rows = semantics::truths(arena, formulas, &trace).expect("booleans do not fail");
                for (formula, truth) in formulas.iter().zip(&mut truth) {
                    truth[len].push(rows[formula][0]);
                }
            }
        }
        Self { letters, truth }
    }

    /// The outcomes of all continuations of a word, shortest first: what is left of the formula
    /// after it.
    fn residual(&self, formula: usize, len: usize, number: usize, horizon: usize) -> Vec<bool> {
        let outcomes = (0..=horizon).flat_map(|more| {
            let width = self.letters.pow(more as u32);
            &self.truth[formula][len + more][number * width..(number + 1) * width]
        });
        outcomes.copied().collect()
    }

    /// The letters of a word, first one first.
    fn word(&self, len: usize, number: usize) -> Vec<usize> {
        (0..len).rev().map(|place| number / self.letters.pow(place as u32) % self.letters).collect()
    }
}

/// Where a word leads, with a letter's bits in the order of the atoms.
fn after(automaton: &Deterministic, prepared: &Prepared, word: &[usize]) -> Verdict {
    let atom = |proposition: Proposition| match prepared.formulas.atom(prepared.alphabet.atoms()[proposition.index()].1)
    {
        Expr::Variable(variable) => variable.index(),
        other => panic!("{other:?}"),
    };
    let step = |state, letter: &usize| automaton.next(state, |proposition| letter >> atom(proposition) & 1 == 1);
    automaton.verdict(word.iter().fold(automaton.initial(), step))
}

/// What can be said of a word by looking at all its continuations.
fn by_brute_force(residual: &[bool]) -> Verdict {
    match (residual[0], residual.iter().all(|holds| *holds == residual[0])) {
        (true, true) => Verdict::Satisfied,
        (false, true) => Verdict::Violated,
        (true, false) => Verdict::Holding,
        (false, false) => Verdict::Pending,
    }
}

/// Early verdicts and numbers of states against all continuations of all short words. What two
/// words have in common is told by continuations no longer than the automaton has states, so the
/// horizon is long enough for small ones.
fn is_exact_and_minimal(shape: &Shape, prefix: usize, horizon: usize) -> u64 {
    let mut arena = Formulas::new();
    let formulas = enumerate::formulas(&mut arena, shape);
    let words = Words::new(&arena, &formulas, shape.atoms, prefix + horizon);
    let mut compared = 0;
    for (index, &formula) in formulas.iter().enumerate() {
        let name = arena.display(formula, &["a".into(), "b".into()]).to_string();
        let observed = Observed::new(&arena, formula, &[]);
        let automaton = observed.automaton();
        assert!(automaton.states().len() <= horizon + 1, "{name} has {} states", automaton.states().len());
        let mut residuals = BTreeSet::new();
        for len in 0..=prefix {
            for number in 0..words.letters.pow(len as u32) {
                let (residual, word) = (words.residual(index, len, number, horizon), words.word(len, number));
                let verdict = after(&automaton, &observed.prepared, &word);
                assert_eq!(verdict, by_brute_force(&residual), "{name} after {word:?}");
                residuals.insert(residual);
                compared += 1;
            }
        }
        assert_eq!(automaton.states().len(), residuals.len(), "{name}");
    }
    compared
}

#[test]
fn early_verdicts_are_exact_and_automata_minimal() {
    let one_atom = Shape { atoms: 1, ..Shape::unbounded(2) };
    let words = is_exact_and_minimal(&one_atom, 5, 5)
        + is_exact_and_minimal(&one_atom.with_intervals([Interval::steps(1, Some(2))]), 6, 6)
        + is_exact_and_minimal(&Shape::unbounded(1), 3, 3);
    report("observer", "words with all their continuations", words);
}

/// The variables a and b in no state.
fn no_trace() -> BTreeMap<String, String> {
    ["a", "b"].map(|name| (name.to_owned(), String::new())).into()
}

#[test]
fn repeated_letters_are_skipped_only_where_nothing_counts_steps() {
    for (text, invariant) in [
        ("G(a -> F b)", true),
        ("a U b", true),
        ("G(a -> O b)", true),
        ("a S b", true),
        ("X a", false),
        ("G(a -> Y b)", false),
        ("F[0,3] a", false),
        ("F(a & O[0,2] b)", false),
    ] {
        let (lowered, claim, _) = corpus::prepare(text, &no_trace(), None, 0);
        let Claim::Formula(formula) = claim else { panic!("{text} is a formula") };
        let observed = Observed::new(&lowered.formulas, formula, &[EngineConfig::default()]);
        assert_eq!(observed.observers[0].is_stutter_invariant(), invariant, "{text}");
    }
}

#[test]
fn a_long_trace_is_decided_at_the_very_state() {
    let (lowered, claim, _) = corpus::prepare("G(a -> F[0,100] b)", &no_trace(), None, 0);
    let Claim::Formula(formula) = claim else { panic!() };
    for config in [EngineConfig::default(), lazily()] {
        let observed = Observed::new(&lowered.formulas, formula, &[config]);
        for asked in [0, 63, 64, 1000] {
            let mut a = Bitmap::filled(5000, false);
            a.set(asked, true);
            let letters = observed.letters(&Trace::of_bools(5000, vec![a, Bitmap::filled(5000, false)]));
            let decision = observed.observers[0].verdict_at_end(&letters).expect("within limits").decision();
            assert_eq!((decision.holds, decision.decided_at), (false, Some(asked + 100)));
        }
    }
}

/// Two routes to the smallest deterministic automaton that share nothing but the formula:
/// progression, and the subset construction of the tableau automaton with Hopcroft's minimisation.
mod routes {
    use super::*;
    use traceward_engine::automaton::subset::{self, Table, determinise};
    use traceward_engine::automaton::tableau::{Automaton, Initial};

    /// The table of an automaton, numbered in the one way there is; its tests, made of the table
    /// again, say the same.
    fn table(automaton: &Deterministic) -> Table {
        let table = automaton.table().expect("few propositions");
        let again = Deterministic::of_table(&table);
        assert_eq!(again.table().as_ref(), Some(&table));
        assert_eq!(again.relevant(), automaton.relevant());
        table
    }

    /// The smallest table by the other route, if that is possible within its limits.
    fn by_tableau(observed: &Observed) -> Option<Table> {
        table_within(observed, Limits { automaton_states: 500, automaton_steps: 200_000, ..Limits::default() })
    }

    fn table_within(observed: &Observed, limits: Limits) -> Option<Table> {
        let Prepared { formulas, alphabet, normal, .. } = &observed.prepared;
        let automaton = Automaton::new(formulas, alphabet, normal[0], Initial::BySemantics(observed.on_empty), limits);
        let limits =
            subset::SubsetLimits { state_limit: 2000, work_limit: 5_000_000, ..subset::SubsetLimits::default() };
        Some(determinise(&automaton.ok()?, limits).ok()?.minimal())
    }

    #[test]
    fn lead_to_isomorphic_automata_for_all_small_formulas() {
        let bounded = Shape { atoms: 1, ..Shape::unbounded(2) }.with_intervals([
            Interval::steps(0, Some(1)),
            Interval::steps(1, Some(2)),
            Interval::steps(2, None),
        ]);
        let deep = Shape { atoms: 1, ..Shape::unbounded(3) };
        let mut compared = 0;
        for shape in [Shape::unbounded(2), bounded, deep] {
            let mut arena = Formulas::new();
            for formula in enumerate::formulas(&mut arena, &shape) {
                let observed = Observed::new(&arena, formula, &[]);
                let name = arena.display(formula, &["a".into(), "b".into()]).to_string();
                assert_eq!(table(&observed.automaton()), by_tableau(&observed).expect("within limits"), "{name}");
                compared += 1;
            }
        }
        let _ = writeln!(std::io::stderr(), "progression and tableau lead to the same {compared} minimal automata");
        assert!(compared > 10_000, "only {compared}");
    }

    /// Whose states are told apart one by one.
    #[test]
    fn lead_to_isomorphic_automata_for_long_bounds() {
        let mut by_both = 0;
        for (text, states) in [
            ("F[0,60] a", Some(63)),
            ("G(a -> F[0,60] b)", Some(62)),
            ("F[30,60] a", Some(63)),
            ("G[0,40] a & F[20,50] b", None),
            ("(a U[0,40] b) | F[45,50] a", None),
            ("X X X X X X X X X X X X X X X X X X X X a", Some(23)),
            // Whether there was a b is remembered to no purpose: states have to be merged all
            // along.
            ("X X X X X X X X X X X X X X X X X X X X (a & O b | a & !O b)", Some(23)),
            ("F[0,60] (a & O b | a & H !b)", Some(63)),
            ("G(a -> F[0,60] (b & O a | b & H !a))", Some(62)),
        ] {
            let (lowered, claim, _) = corpus::prepare(text, &no_trace(), None, 0);
            let Claim::Formula(formula) = claim else { panic!("{text} is a formula") };
            let observed = Observed::new(&lowered.formulas, formula, &[]);
            let automaton = observed.automaton();
            // The subset construction keeps all deadlines, and has its limits.
            if let Some(expected) = table_within(&observed, Limits::default()) {
                assert_eq!(table(&automaton), expected, "{text}");
                by_both += 1;
            }
            assert_eq!(table(&automaton).minimal(), table(&automaton), "{text} by Hopcroft's algorithm");
            // Those that can be counted by hand.
            assert!(states.is_none_or(|states| automaton.states().len() == states), "{text}");
        }
        assert!(by_both >= 4, "only {by_both}");
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

        #[test]
        fn lead_to_isomorphic_automata_for_random_formulas(recipe in generate::formula(3, Windows::Steps)) {
            let mut formulas = Formulas::new();
            let formula = recipe.build(&mut formulas);
            let observed = Observed::new(&formulas, formula, &[]);
            let Prepared { formulas, alphabet, simplified, .. } = &observed.prepared;
            let limits = Room { states: 5000, memory: 1 << 24, ..Room::default() };
            let made = Deterministic::new(formulas, alphabet, simplified[0], observed.on_empty, limits);
            if let (Ok(automaton), Some(expected)) = (made, by_tableau(&observed)) {
                prop_assert_eq!(table(&automaton), expected);
            }
        }
    }
}

/// Full blocks of letters take several at a step, so the trace has to be long; the definition is
/// asked through reverse traversal, which agrees with it.
#[test]
fn long_traces_are_read_as_they_are_step_by_step() {
    use traceward_engine::select::{Cache, Evaluator};
    let mut seed = 3_u64;
    let mut bits = |every: u32, len: usize| -> Bitmap {
        let mut bit = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33).is_multiple_of(u64::from(every))
        };
        (0..len).map(|_| bit()).collect()
    };
    // Rare events, so that the verdict is not settled at once; lengths around whole blocks.
    let lengths = [(64, 2), (64, 2), (64, 3), (64, 2), (65, 40), (127, 3), (128, 2), (128, 3), (128, 40), (1000, 500)];
    let traces = lengths.map(|(len, every)| Trace::of_bools(len, vec![bits(every, len), bits(every, len)]));
    let mut arena = Formulas::new();
    let mut undecided = 0;
    for formula in enumerate::formulas(&mut arena, &Shape::unbounded(2)) {
        let observed = Observed::new(&arena, formula, &[EngineConfig::default()]);
        let config = traceward_engine::select::Config::default();
        let evaluator = Evaluator::new(&Prepared::shared(&arena, &[formula], config.simplification), &config);
        for trace in &traces {
            let expected = evaluator
                .truth(&mut Cache::default(), &evaluator.prepared().letters(trace))
                .expect("it never gives up")[0]
                .get(0);
            let letters = observed.letters(trace);
            let end = observed.observers[0].verdict_at_end(&letters).expect("within limits");
            let name = arena.display(formula, &["a".into(), "b".into()]).to_string();
            assert_eq!(stepped(&observed.observers[0], &letters), (end.verdict, end.decided_at), "{name}");
            assert_eq!(end.decision().holds, expected, "{name} on {} states", trace.len);
            undecided += u32::from(end.decided_at.is_none_or(|position| position >= 64));
        }
    }
    assert!(undecided > 250, "only {undecided} were open for more than a block");
}

/// A conjunction of so many that the successors of one state do not fit any memory: read letter by
/// letter, it is still right.
#[test]
fn what_is_too_large_is_read_letter_by_letter() {
    let count = 60;
    let names: BTreeMap<String, String> = (0..count).map(|one| (format!("v{one}"), String::new())).collect();
    let text = (0..count).map(|one| format!("G(v{one} -> F v{})", (one + 1) % count)).collect::<Vec<_>>().join(" & ");
    let (lowered, claim, _) = corpus::prepare(&text, &names, None, 0);
    let Claim::Formula(formula) = claim else { panic!("{text} is a formula") };
    let small = EngineConfig {
        exactness: Exactness::WherePossible,
        limits: Limits { memory: 4 << 20, ..Limits::default() },
        ..EngineConfig::default()
    };
    let observed = Observed::new(&lowered.formulas, formula, &[small]);
    let config = EngineConfig { limits: Limits { memory: 4 << 20, ..Limits::default() }, ..EngineConfig::default() };
    let strict = Observed::new(&lowered.formulas, formula, &[config]);
    // One wave of them passes through, and a second is cut off in the middle.
    for (len, satisfied) in [(1, false), (count, false), (count + 1, true), (count + 30, false), (2 * count + 2, true)]
    {
        let bit = |one: usize, position: usize| position < count && position == one || position == count && one == 0;
        let row = |one: usize| -> Bitmap {
            (0..len).map(|position| bit(one, position) || (position > count && position - count == one)).collect()
        };
        // At the end of each wave everything holds, so that nothing is left to be owed.
        let all = |position: usize| position == count || position == 2 * count + 1;
        let row = |one: usize| -> Bitmap { row(one).iter().enumerate().map(|(at, bit)| bit || all(at)).collect() };
        let trace = Trace::of_bools(len, (0..count).map(row).collect());
        assert_eq!(semantics::satisfied(&lowered.formulas, formula, &trace).unwrap(), satisfied, "{len}");
        let letters = observed.letters(&trace);
        assert_eq!(
            observed.observers[0].verdict_at_end(&letters).expect("it goes on").decision().holds,
            satisfied,
            "{len}"
        );
        assert_eq!(
            stepped(&observed.observers[0], &letters).0,
            if satisfied { Verdict::Holding } else { Verdict::Pending }
        );
        assert!(strict.observers[0].verdict_at_end(&letters).is_err(), "exactly, it does not fit");
    }
}

/// Comparisons of one variable are no independent propositions: what is certain is so for the
/// values there can be.
mod values {
    use super::*;
    use traceward_engine::select::{Config, EngineName, Online};
    use traceward_logic::lower::Goal;
    use traceward_logic::trace::{Column, ColumnData};

    /// One for each region between the constants of the formulas, and none at all.
    const VALUES: [Option<i64>; 6] = [Some(-1), Some(0), Some(1), Some(2), Some(3), None];

    fn trace(values: &[Option<i64>]) -> Trace {
        let data = ColumnData::Int(values.iter().map(|value| value.unwrap_or(0)).collect());
        let present = Some(values.iter().map(Option::is_some).collect());
        Trace { len: values.len(), columns: vec![Column { data, present }], time: None }
    }

    /// All words of values up to a length, shortest first.
    fn words(longest: usize) -> Vec<Vec<Option<i64>>> {
        let mut words = vec![Vec::new()];
        let mut last = words.clone();
        for _ in 0..longest {
            let longer =
                |word: &Vec<Option<i64>>| VALUES.map(|value| word.iter().copied().chain([value]).collect::<Vec<_>>());
            last = last.iter().flat_map(longer).collect();
            words.extend(last.iter().cloned());
        }
        words
    }

    #[test]
    fn that_cannot_be_make_no_verdict_late() {
        for text in [
            "F(x > 1 & x < 0)",
            "G(x > 1 | x <= 1)",
            "(x == 2) U (x > 1 & x < 3)",
            "x < 2 U x >= 2",
            "F(x == 1 & X (x == 1 & x == 2))",
            "G(x > 0 -> F x in {1, 2} & x < 1)",
            "X(x > 2) & WX(x <= 2)",
            "G !(x > 1) | F x > 1",
            "F(x > 0 & Y x < 2)",
            "G(defined(x) -> x != 1 | x == 1)",
            // One implies the other, whichever comes first.
            "(x > 1) U (x == 2)",
            "(x == 2) R (x > 1)",
            "F(x > 1 & X x == 2)",
            "F(x == 2 & X x > 1)",
            "G(x > 1 -> x == 2)",
            "F(x == 2 & !(x > 1))",
            "X(x > 1 | x != 2) | X x > 2",
        ] {
            let lowered = traceward_testkit::lowered(text, Goal::Check, None, None).expect("a formula");
            let Claim::Formula(root) = lowered.properties[0].claim else { panic!("{text} is a formula") };
            for full_states in [0, 1024] {
                let limits = Limits { table_states: full_states, ..Limits::default() };
                let config = Config { engine: EngineName::Observer, limits, ..Config::default() };
                let online =
                    Online::new(&Prepared::shared(&lowered.formulas, &[root], config.simplification), 0, &config)
                        .expect("no bounds in time");
                assert!(online.is_exact(), "{text}");
                for word in words(2) {
                    let outcomes: Vec<bool> = words(2)
                        .iter()
                        .map(|more| [word.clone(), more.clone()].concat())
                        .map(|all| match all.len() {
                            0 => semantics::holds_on_empty(&lowered.formulas, root),
                            _ => semantics::satisfied(&lowered.formulas, root, &trace(&all)).unwrap(),
                        })
                        .collect();
                    let verdict = online
                        .verdict_at_end(&online.prepared().letters(&trace(&word)))
                        .expect("within limits")
                        .verdict;
                    assert_eq!(verdict, by_brute_force(&outcomes), "{text} after {word:?}");
                }
            }
        }
    }

    #[test]
    fn of_which_not_all_is_known_are_not_said_to_be() {
        for (text, exact) in [
            ("F x > y", true),
            ("F(x > y & y > x)", false),
            ("F x * x < 0", false),
            ("F x > x", false),
            ("F(x > 1 & y < 2)", true),
            ("F matches(s, \"a\")", false),
            ("F s == \"a\"", true),
        ] {
            let lowered = traceward_testkit::lowered(text, Goal::Check, None, None).expect("a formula");
            let Claim::Formula(root) = lowered.properties[0].claim else { panic!("{text} is a formula") };
            let config = Config { engine: EngineName::Observer, ..Config::default() };
            let online = Online::new(&Prepared::shared(&lowered.formulas, &[root], config.simplification), 0, &config)
                .expect("no bounds in time");
            assert_eq!(online.is_exact(), exact, "{text}");
        }
    }
}
