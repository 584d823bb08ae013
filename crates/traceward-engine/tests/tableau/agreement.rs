//! Observer and table against the definition: all small formulas on all short traces, random larger
//! ones, known answers.

use proptest::prelude::*;
use traceward_engine::automaton::subset::{self, Table, determinise};
use traceward_engine::engine::Config;
use traceward_engine::engine::follow::{Follow, Step};
use traceward_engine::engine::tableau::Tableau;
use traceward_engine::limit::BuildError;
use traceward_engine::limit::Limits;
use traceward_engine::select::{Prepared, Simplification};
use traceward_logic::formula::{Direction, FormulaId, Formulas, Interval};
use traceward_logic::letter::{self, Letters};
use traceward_logic::lower::Claim;
use traceward_logic::semantics;
use traceward_logic::trace::Trace;
use traceward_logic::verdict::Verdict;
use traceward_testkit::compare::report;
use traceward_testkit::enumerate::{self, Shape};
use traceward_testkit::generate::{self, Windows};
use traceward_testkit::{corpus, vectors};

/// A formula on both ways.
struct Compiled {
    prepared: Prepared,
    holds_on_empty: bool,
    observer: Tableau,
    table: Option<Table>,
}

impl Compiled {
    fn new(formulas: &Formulas, formula: FormulaId, limits: Limits) -> Result<Self, BuildError> {
        let holds_on_empty = semantics::holds_on_empty(formulas, formula);
        let prepared = Prepared::new(formulas, &[formula], Simplification::Off);
        let observer = Tableau::compile(&prepared, 0, Config { limits, ..Config::default() })?;
        let sizes = subset::SubsetLimits { entry_limit: 1 << 16, ..subset::SubsetLimits::default() };
        let table = determinise(observer.automaton(), sizes).ok().map(|table| table.minimal());
        Ok(Self { prepared, holds_on_empty, observer, table })
    }

    fn letters(&self, trace: &Trace) -> Letters {
        letter::letters(&self.prepared.formulas, &self.prepared.alphabet, trace)
    }

    /// Whether a trace satisfies the formula. Checks on the way that both ways say the same, that
    /// nothing final is ever taken back, and that the verdicts on the way are those of the trace if
    /// it ended there, as the table has it.
    fn verdict(&self, letters: &Letters) -> bool {
        let mut run = self.observer.start().expect("a run");
        let mut state = self.table.as_ref().map(|table| table.initial);
        for position in 0..letters.len {
            let last = self.observer.verdict(&run);
            let verdict = self.observer.step(&mut run, Step::new(&|p| letters.bitmap(p).get(position), position));
            let verdict = verdict.expect("it never gives up");
            let was_final = matches!(last, Verdict::Satisfied | Verdict::Violated);
            assert!(!was_final || verdict == last, "{last} became {verdict}");
            let holds = matches!(verdict, Verdict::Satisfied | Verdict::Holding);
            if let (Some(table), Some(state)) = (&self.table, &mut state) {
                *state = table.next(*state, row(letters, position));
                assert_eq!(table.accepting[*state as usize], holds);
            }
        }
        let holds = matches!(self.observer.verdict(&run), Verdict::Satisfied | Verdict::Holding);
        assert_eq!(self.observer.verdict_at_end(letters).expect("it never gives up").decision().holds, holds);
        holds
    }

    /// On the trace of no states.
    fn check_empty(&self) {
        let letters = Letters { len: 0, ..Letters::default() };
        assert_eq!(
            self.observer.verdict_at_end(&letters).expect("it never gives up").decision().holds,
            self.holds_on_empty
        );
        assert!(self.table.as_ref().is_none_or(|table| table.accepting[0] == self.holds_on_empty));
    }
}

fn row(letters: &Letters, position: usize) -> usize {
    letters.bitmaps.iter().enumerate().fold(0, |row, (bit, bitmap)| row | usize::from(bitmap.get(position)) << bit)
}

/// Compares all formulas of a shape on all traces up to a length, the empty one included. Returns
/// the number of pairs.
fn exhaustively(shape: &Shape, longest: usize) -> u64 {
    let mut arena = Formulas::new();
    let formulas = enumerate::formulas(&mut arena, shape);
    let names = ["a", "b"].map(std::sync::Arc::from);
    let compiled: Vec<Compiled> = formulas
        .iter()
        .map(|&formula| Compiled::new(&arena, formula, Limits::default()).expect("a small automaton"))
        .collect();
    compiled.iter().for_each(|one| assert!(one.table.is_some()));
    compiled.iter().for_each(Compiled::check_empty);
    let mut pairs = compiled.len() as u64;
    for trace in enumerate::traces(shape.atoms, longest) {
        let rows = semantics::truths(&arena, &formulas, &trace).expect("booleans do not fail");
        for (formula, one) in formulas.iter().zip(&compiled) {
            let found = one.verdict(&one.letters(&trace));
            assert_eq!(found, rows[formula][0], "{} on {:?}", arena.display(*formula, &names), trace.columns);
            pairs += 1;
        }
    }
    pairs
}

#[test]
fn all_small_formulas_agree_on_short_traces() {
    let pairs = exhaustively(&Shape::unbounded(2), 4);
    report("tableau, and the table made of it,", "pairs of a formula and a trace", pairs);
    assert!(pairs >= 900_000, "only {pairs}");
}

#[test]
fn all_small_bounded_formulas_agree_on_short_traces() {
    let intervals = [Interval::steps(0, Some(1)), Interval::steps(1, Some(2)), Interval::steps(2, None)];
    let bounded = Shape::unbounded(2).with_intervals(intervals);
    let one_atom = Shape { atoms: 1, ..bounded.clone() };
    let pairs = exhaustively(&bounded, 1) + exhaustively(&one_atom, 5);
    report("tableau, and the table made of it,", "pairs of a bounded formula and a trace", pairs);
    assert!(pairs >= 400_000, "only {pairs}");
}

/// One operator more, over one atom: deep enough for an until in a since in an until.
#[test]
fn all_formulas_of_three_operators_agree() {
    let shape = Shape { atoms: 1, directions: vec![Direction::Future, Direction::Past], ..Shape::unbounded(3) };
    let pairs = exhaustively(&shape, 3);
    report("tableau, and the table made of it,", "pairs of a deeper formula and a trace", pairs);
    assert!(pairs >= 100_000, "only {pairs}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn random_formulas_agree(
        recipe in generate::formula(3, Windows::Steps),
        traces in proptest::collection::vec(generate::short_trace(3), 8),
    ) {
        let mut formulas = Formulas::new();
        let formula = recipe.build(&mut formulas);
        let config = Limits { automaton_states: 1000, automaton_steps: 200_000, claims: 100, ..Limits::default() };
        let Ok(compiled) = Compiled::new(&formulas, formula, config) else { return Ok(()) };
        compiled.check_empty();
        for trace in &traces {
            let found = compiled.verdict(&compiled.letters(trace));
            prop_assert_eq!(found, semantics::satisfied(&formulas, formula, trace).unwrap());
        }
    }

    #[test]
    fn random_unbounded_formulas_agree(
        recipe in generate::formula(3, Windows::Unbounded),
        traces in proptest::collection::vec(generate::short_trace(3), 8),
    ) {
        let mut formulas = Formulas::new();
        let formula = recipe.build(&mut formulas);
        let config = Limits { automaton_states: 2000, automaton_steps: 400_000, claims: 100, ..Limits::default() };
        let Ok(compiled) = Compiled::new(&formulas, formula, config) else { return Ok(()) };
        for trace in &traces {
            let found = compiled.verdict(&compiled.letters(trace));
            prop_assert_eq!(found, semantics::satisfied(&formulas, formula, trace).unwrap());
        }
    }
}

#[test]
fn vectors_and_corpus_agree() {
    let known = vectors::formulas().into_iter().map(|vector| (vector.formula, vector.trace, vector.truth));
    let own = corpus::cases().into_iter().map(|case| (case.formula, case.trace, case.truth));
    let (mut taken, mut refused) = (0, 0);
    for (text, bits, expected) in known.chain(own) {
        let (lowered, claim, trace) = corpus::prepare(&text, &bits, None, expected.len());
        let Claim::Formula(formula) = claim else { panic!("{text} is a formula") };
        let Ok(compiled) = Compiled::new(&lowered.formulas, formula, Limits::default()) else {
            refused += 1;
            continue;
        };
        let holds = compiled.verdict(&compiled.letters(&trace));
        assert_eq!(holds, expected.starts_with('1'), "{text}");
        taken += 1;
    }
    assert!(taken > 800, "only {taken}, and {refused} refused");
}
