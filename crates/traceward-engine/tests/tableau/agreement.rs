//! The table that the subset construction makes of a tableau automaton, against the definition.
//! (The automaton itself is an engine, and is compared with all others.)

use proptest::prelude::*;
use traceward_engine::automaton::subset::{self, Table, determinise};
use traceward_engine::engine::EngineConfig;
use traceward_engine::engine::follow::Follow;
use traceward_engine::engine::tableau::Tableau;
use traceward_engine::limit::Limits;
use traceward_engine::select::{Prepared, Simplification};
use traceward_logic::formula::{Direction, FormulaId, Formulas, Interval};
use traceward_logic::letter::Letters;
use traceward_logic::semantics;
use traceward_logic::trace::Trace;
use traceward_logic::verdict::Verdict;
use traceward_testkit::agreement::{self, Answer, Refusal, Subject};
use traceward_testkit::enumerate::{self, Shape};
use traceward_testkit::generate::{self, Windows};

/// Tables of tableau automata within some limits.
struct Tables(Limits);

/// A formula and its table, which is the smallest.
struct Compiled {
    prepared: Prepared,
    table: Table,
}

impl Compiled {
    fn new(formulas: &Formulas, formula: FormulaId, limits: Limits) -> Option<Self> {
        let prepared = Prepared::new(formulas, &[formula], Simplification::Off);
        let tableau = Tableau::compile(&prepared, 0, EngineConfig { limits, ..EngineConfig::default() }).ok()?;
        let sizes = subset::SubsetLimits { entry_limit: 1 << 16, ..subset::SubsetLimits::default() };
        let table = determinise(tableau.automaton(), sizes).ok()?.minimal();
        Some(Self { prepared, table })
    }

    fn answer(&self, trace: &Trace) -> Answer {
        let letters = self.prepared.letters(trace);
        let mut state = self.table.initial;
        let step = |position| {
            state = self.table.next(state, row(&letters, position));
            if self.table.accepting[state as usize] { Verdict::Holding } else { Verdict::Pending }
        };
        let verdicts: Vec<Verdict> = (0..letters.len).map(step).collect();
        let holds = verdicts.last() == Some(&Verdict::Holding);
        Answer { truth: None, holds, verdicts, decided_at: None }
    }
}

impl Subject for Tables {
    type Engines = Vec<(usize, Compiled)>;

    fn name(&self) -> String {
        "the table made of a tableau".into()
    }

    fn compile(&self, formulas: &Formulas, roots: &[FormulaId]) -> (Self::Engines, Vec<(usize, Refusal)>) {
        let (mut tables, mut refused) = (Vec::new(), Vec::new());
        for (index, &root) in roots.iter().enumerate() {
            match Compiled::new(formulas, root, self.0) {
                Some(table) => tables.push((index, table)),
                None => refused.push((index, Refusal::TooLarge)),
            }
        }
        (tables, refused)
    }

    fn answers(&self, tables: &Self::Engines, trace: &Trace) -> Vec<(usize, Option<Answer>)> {
        tables.iter().map(|(index, table)| (*index, Some(table.answer(trace)))).collect()
    }
}

fn row(letters: &Letters, position: usize) -> usize {
    letters.bitmaps.iter().enumerate().fold(0, |row, (bit, bitmap)| row | usize::from(bitmap.get(position)) << bit)
}

/// Compares all formulas of a shape on all traces up to a length. Returns the number of pairs.
fn exhaustively(shape: &Shape, longest: usize) -> u64 {
    let tally = agreement::exhaustively(&[Tables(Limits::default())], shape, |_| longest)[0];
    assert_eq!((tally.too_large, tally.gave_up), (0, 0));
    tally.pairs
}

#[test]
fn all_small_formulas_agree_on_short_traces() {
    let pairs = exhaustively(&Shape::unbounded(2), 4);
    agreement::report("the table made of a tableau", "pairs of a formula and a trace", pairs);
    assert!(pairs >= 900_000, "only {pairs}");
}

#[test]
fn all_small_bounded_formulas_agree_on_short_traces() {
    let intervals = [Interval::steps(0, Some(1)), Interval::steps(1, Some(2)), Interval::steps(2, None)];
    let bounded = Shape::unbounded(2).with_intervals(intervals);
    let one_atom = Shape { atoms: 1, ..bounded.clone() };
    let pairs = exhaustively(&bounded, 1) + exhaustively(&one_atom, 5);
    agreement::report("the table made of a tableau", "pairs of a bounded formula and a trace", pairs);
    assert!(pairs >= 400_000, "only {pairs}");
}

#[test]
fn the_empty_trace_is_judged_by_the_initial_state() {
    let mut arena = Formulas::new();
    for formula in enumerate::formulas(&mut arena, &Shape::unbounded(2)) {
        let holds = semantics::holds_on_empty(&arena, formula);
        let prepared = Prepared::new(&arena, &[formula], Simplification::Off);
        let tableau = Tableau::compile(&prepared, 0, EngineConfig::default()).expect("a small automaton");
        let end = tableau.verdict_at_end(&Letters::default()).expect("it never gives up");
        assert_eq!(end.decision().holds, holds);
        let table = determinise(tableau.automaton(), subset::SubsetLimits::default()).expect("a small table");
        assert_eq!(table.minimal().accepting[0], holds);
    }
}

/// One operator more, over one atom: deep enough for an until in a since in an until.
#[test]
fn all_formulas_of_three_operators_agree() {
    let shape = Shape { atoms: 1, directions: vec![Direction::Future, Direction::Past], ..Shape::unbounded(3) };
    let pairs = exhaustively(&shape, 3);
    agreement::report("the table made of a tableau", "pairs of a deeper formula and a trace", pairs);
    assert!(pairs >= 100_000, "only {pairs}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn random_formulas_agree(
        recipe in prop_oneof![generate::formula(3, Windows::Steps), generate::formula(3, Windows::Unbounded)],
        traces in proptest::collection::vec(generate::short_trace(3), 8),
    ) {
        let mut formulas = Formulas::new();
        let formula = recipe.build(&mut formulas);
        let limits = Limits { automaton_states: 1000, automaton_steps: 200_000, claims: 100, ..Limits::default() };
        agreement::on(&Tables(limits), &formulas, formula, &traces);
    }
}

#[test]
fn vectors_and_corpus_agree() {
    let tally = agreement::on_known_answers(&Tables(Limits::default()));
    assert!(tally.pairs > 700, "{tally:?}");
}
