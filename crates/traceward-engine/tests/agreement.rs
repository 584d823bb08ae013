//! Every engine of the table against the definition: all small formulas on all short traces, random
//! larger ones, known answers. A new engine is compared without an edit here.

use proptest::prelude::*;
use std::sync::Arc;
use traceward_engine::engine::{Exactness, Memory, Subsumption};
use traceward_engine::limit::{BuildError, Feature, GaveUp, Limits};
use traceward_engine::select::{
    Cache, Config, EngineName, Evaluator, Judge, Online, Prepared, Ruling, Running, Simplification, Step,
};
use traceward_logic::bitmap::Bitmap;
use traceward_logic::formula::{BinaryOp, Direction, FormulaId, Formulas, Interval, Node, Unit};
use traceward_logic::letter::Letters;
use traceward_logic::lower::Claim;
use traceward_logic::semantics;
use traceward_logic::trace::Trace;
use traceward_logic::verdict::Verdict;
use traceward_testkit::agreement::{self, Answer, Refusal, Subject, Tally};
use traceward_testkit::corpus;
use traceward_testkit::enumerate::Shape;
use traceward_testkit::generate::{self, Windows};

/// An engine of the table, set in some way.
struct Row {
    name: String,
    config: Config,
}

/// Engines for some formulas, behind each of the faces that they have. Formulas are prepared
/// together, and letters are made once for all of them.
struct Engines {
    prepared: Arc<Prepared>,
    whole: Option<Whole>,
    following: Vec<(usize, Online)>,
}

/// An engine that looks at whole traces, for all formulas together.
enum Whole {
    Rows(Evaluator),
    Verdicts(Judge),
}

impl Subject for Row {
    type Engines = Engines;

    fn name(&self) -> String {
        self.name.clone()
    }

    fn compile(&self, formulas: &Formulas, roots: &[FormulaId]) -> (Engines, Vec<(usize, Refusal)>) {
        let prepared = Prepared::shared(formulas, roots, self.config.simplification);
        let (mut following, mut refused) = (Vec::new(), Vec::new());
        if !self.config.engine.follows() {
            let whole = Some(self.whole(&prepared));
            return (Engines { prepared, whole, following }, refused);
        }
        for index in 0..roots.len() {
            match Online::new(&prepared, index, &self.config) {
                Ok(engine) => following.push((index, engine)),
                Err(error) => refused.push((index, self.refusal(&error))),
            }
        }
        (Engines { prepared, whole: None, following }, refused)
    }

    fn answers(&self, engines: &Engines, trace: &Trace) -> Vec<(usize, Option<Answer>)> {
        let letters = engines.prepared.letters(trace);
        let whole = engines.whole.iter().flat_map(|whole| {
            let given_up = || engines.prepared.normal.iter().map(|_| None).collect();
            whole.answers(&letters).unwrap_or_else(|_| given_up()).into_iter().enumerate()
        });
        let following = engines.following.iter().map(|(index, engine)| (*index, followed(engine, &letters).ok()));
        whole.chain(following).collect()
    }
}

impl Row {
    fn whole(&self, prepared: &Arc<Prepared>) -> Whole {
        let all: Vec<usize> = (0..prepared.normal.len()).collect();
        let judge = Judge::new(prepared, &all, &self.config).expect("whole traces are never refused");
        judge.map_or_else(|| Whole::Rows(Evaluator::new(prepared, &self.config)), Whole::Verdicts)
    }

    /// What a refusal is by the table.
    fn refusal(&self, error: &BuildError) -> Refusal {
        match error {
            BuildError::GaveUp(_) => Refusal::TooLarge,
            BuildError::Unsupported(unsupported) if self.config.engine.refuses().contains(&unsupported.what) => {
                Refusal::Declared
            }
            BuildError::Unsupported(unsupported) => Refusal::Undeclared(unsupported.to_string()),
        }
    }
}

impl Whole {
    fn answers(&self, letters: &Letters) -> Result<Vec<Option<Answer>>, GaveUp> {
        match self {
            Self::Rows(evaluator) => {
                let mut cache = Cache::default();
                let rows = evaluator.truth(&mut cache, letters)?;
                Ok(rows.into_iter().map(|row| Some(Answer::of_rows(row.clone()))).collect())
            }
            Self::Verdicts(judge) => {
                let rows = judge.truth(letters).map_err(|refused| refused.error)?.expect("an engine that can tell");
                let rulings = judge.decide(letters).map_err(|refused| refused.error)?.into_iter();
                let answer = |(ruling, truth): (Ruling, Bitmap)| {
                    Some(Answer { holds: ruling.decision.holds, ..Answer::of_rows(truth) })
                };
                Ok(rulings.zip(rows).map(answer).collect())
            }
        }
    }
}

/// The answer of an engine that follows a trace: of all of it at once, and step by step.
fn followed(engine: &Online, letters: &Letters) -> Result<Answer, GaveUp> {
    let end = engine.verdict_at_end(letters)?;
    let verdicts = verdicts(engine, letters)?;
    Ok(Answer { truth: None, holds: end.decision().holds, verdicts, decided_at: end.decided_at })
}

fn verdicts(online: &Online, letters: &Letters) -> Result<Vec<Verdict>, GaveUp> {
    let mut run = online.start()?;
    (0..letters.len).map(|position| step(&mut *run, letters, position)).collect()
}

fn step(run: &mut dyn Running, letters: &Letters, position: usize) -> Result<Verdict, GaveUp> {
    let letter = |proposition| letters.bitmap(proposition).get(position);
    let time = letters.time.as_ref().map(|time| time[position]);
    run.step(Step { time, ..Step::new(&letter, position) })
}

/// Every engine as it is set by default, without simplification.
fn table() -> Vec<Row> {
    let named = EngineName::ALL.iter().copied().filter(|engine| *engine != EngineName::Auto);
    named.map(|engine| row(engine.name(), Config { engine, ..plain() })).collect()
}

fn row(name: &str, config: Config) -> Row {
    Row { name: name.to_owned(), config }
}

fn plain() -> Config {
    Config { simplification: Simplification::Off, ..Config::default() }
}

/// Engines set in other ways, which must make no difference.
fn variants() -> Vec<Row> {
    let of = |engine| Config { engine, ..plain() };
    let remembering = |remembered| Limits { remembered, ..Limits::default() };
    let lazily = Limits { table_states: 0, ..Limits::default() };
    let simplified = |engine| Config { simplification: Simplification::On, ..of(engine) };
    let slices = of(EngineName::BreadthFirst);
    let printed = of(EngineName::PrintedBreadthFirst);
    vec![
        row("reverse, simplified", simplified(EngineName::Reverse)),
        row("observer, unfolded on the way", Config { limits: lazily, ..of(EngineName::Observer) }),
        row("breadth-first, compact", Config { subsumption: Subsumption::Within, ..slices }),
        row("breadth-first, all slices", Config { subsumption: Subsumption::Off, memory: Memory::Slices, ..slices }),
        row("breadth-first, forgetful", Config { limits: remembering(1), ..slices }),
        row("breadth-first, nothing remembered", Config { memory: Memory::Nothing, ..slices }),
        row("printed, all entries", Config { subsumption: Subsumption::Off, ..printed }),
        row("printed, nothing remembered", Config { memory: Memory::Nothing, ..printed }),
        row("printed, forgetful", Config { limits: remembering(1), ..printed }),
        row("graph, all leaves", Config { subsumption: Subsumption::Off, ..of(EngineName::ForwardBackwardDag) }),
        row("generic as printed", Config { subsumption: Subsumption::Within, ..of(EngineName::Generic) }),
        row(
            "generic, all leaves, forgetful",
            Config { subsumption: Subsumption::Off, limits: remembering(1), ..of(EngineName::Generic) },
        ),
    ]
}

/// Observers that soon run out of memory, and have to start anew or to give exactness up.
fn narrow() -> Vec<Row> {
    let limits = Limits { table_states: 0, memory: 1 << 20, ..Limits::default() };
    let strict = Config { engine: EngineName::Observer, limits, ..plain() };
    let patient = Config { exactness: Exactness::WherePossible, ..strict };
    vec![row("observer, with little memory", strict), row("observer, patient", patient)]
}

/// With limits that random formulas may reach, so that none of them takes forever.
fn limited(mut row: Row) -> Row {
    let limits = &mut row.config.limits;
    (limits.work, limits.slices, limits.nodes) = (3_000_000, 2000, 100_000);
    (limits.automaton_states, limits.automaton_steps, limits.claims) = (1000, 200_000, 100);
    (limits.memory, limits.search, limits.table_states) =
        (limits.memory.min(8 << 20), 2000, limits.table_states.min(200));
    row
}

fn reported(rows: &[Row], tallies: &[Tally], at_least: u64) {
    for (row, tally) in rows.iter().zip(tallies) {
        tally.report(&row.name);
        assert!(tally.pairs >= at_least, "{}: {tally:?}", row.name);
        assert_eq!((tally.gave_up, tally.too_large), (0, 0), "{}", row.name);
    }
}

#[test]
fn all_engines_agree_on_all_small_formulas_and_short_traces() {
    let rows = table();
    // The definition is compared with itself: that is soon done.
    let longest = |row: &Row| match row.config.engine {
        EngineName::Naive => 3,
        EngineName::BreadthFirst | EngineName::Reverse | EngineName::DepthFirst => 5,
        _ => 4,
    };
    let tallies = agreement::exhaustively(&rows, &Shape::unbounded(2), longest);
    reported(&rows, &tallies, 200_000);
}

/// Bounds up to 3, of every kind.
fn intervals() -> [Interval; 6] {
    [
        Interval::steps(0, Some(1)),
        Interval::steps(0, Some(3)),
        Interval::steps(1, Some(2)),
        Interval::steps(2, Some(2)),
        Interval::steps(3, Some(3)),
        Interval::steps(1, None),
    ]
}

fn bounded(rows: &[Row], longest: impl Fn(&Row) -> usize) -> Vec<Tally> {
    let bounded = Shape::unbounded(2).with_intervals(intervals());
    let one_atom = Shape { atoms: 1, ..bounded.clone() };
    let two_atoms = Shape { directions: vec![Direction::Future], ..bounded };
    sum(agreement::exhaustively(rows, &one_atom, longest), agreement::exhaustively(rows, &two_atoms, |_| 2))
}

fn sum(mut one: Vec<Tally>, other: Vec<Tally>) -> Vec<Tally> {
    one.iter_mut().zip(other).for_each(|(sum, tally)| *sum += tally);
    one
}

#[test]
fn all_engines_agree_on_all_small_bounded_formulas() {
    let rows = table();
    let tallies = bounded(&rows, |row| match row.config.engine {
        EngineName::Naive => 3,
        // Its automata take the longest to make.
        EngineName::Tableau => 5,
        EngineName::ForwardBackward | EngineName::ForwardBackwardDag | EngineName::Generic => 7,
        _ => 6,
    });
    reported(&rows, &tallies, 500_000);
    assert!(tallies.iter().map(|tally| tally.pairs).sum::<u64>() >= 12_000_000);
}

/// Bounds in time, of every kind, against gaps that meet them exactly and jump over them.
fn intervals_in_time() -> [Interval; 5] {
    let time = |from, to| Interval { unit: Unit::Time, from, to };
    [time(0, Some(0)), time(0, Some(2)), time(1, Some(2)), time(2, Some(3)), time(1, None)]
}

#[test]
fn all_engines_agree_on_all_small_formulas_with_bounds_in_time() {
    let rows: Vec<Row> = table().into_iter().filter(takes_time).collect();
    let engines =
        [EngineName::Streaming, EngineName::BreadthFirst, EngineName::ForwardBackwardDag, EngineName::Generic];
    assert!(engines.iter().all(|engine| rows.iter().any(|row| row.config.engine == *engine)));
    let bounded = Shape::unbounded(2).with_intervals(intervals_in_time()).with_gaps([0, 1, 3]);
    let one_atom = Shape { atoms: 1, ..bounded.clone() };
    let two_atoms = Shape { operators: 1, ..bounded };
    let longest = |row: &Row| if row.config.engine == EngineName::Naive { 2 } else { 4 };
    let one_atom = agreement::exhaustively(&rows, &one_atom, longest);
    let tallies = sum(one_atom, agreement::exhaustively(&rows, &two_atoms, |_| 3));
    reported(&rows, &tallies, 100_000);
}

fn takes_time(row: &Row) -> bool {
    !row.config.engine.refuses().contains(&Feature::BoundsInTime)
}

#[test]
fn settings_make_no_difference_in_time() {
    let rows: Vec<Row> = variants().into_iter().filter(takes_time).collect();
    let bounded = Shape::unbounded(2).with_intervals(intervals_in_time()).with_gaps([0, 1, 3]);
    let future = Shape { atoms: 1, directions: vec![Direction::Future], ..bounded };
    reported(&rows, &agreement::exhaustively(&rows, &future, |_| 3), 50_000);
}

#[test]
fn settings_make_no_difference() {
    let rows = variants();
    let longest = |row: &Row| if row.config.engine.follows() { 3 } else { 4 };
    let tallies = sum(agreement::exhaustively(&rows, &Shape::unbounded(2), longest), bounded(&rows, |_| 3));
    reported(&rows, &tallies, 400_000);
}

#[test]
fn all_engines_agree_with_vectors_and_corpus() {
    // As printed, breadth-first traversal goes through millions of candidates for some of them.
    let is_printed = |row: &Row| row.config.engine == EngineName::PrintedBreadthFirst;
    let patient = |row| if is_printed(&row) { limited(row) } else { row };
    let rows: Vec<Row> = table().into_iter().chain(variants()).map(patient).collect();
    let tallies = agreement::in_parallel(rows.len(), |index| agreement::on_known_answers(&rows[index]));
    for (row, tally) in rows.iter().zip(&tallies) {
        let least = if row.config.engine.follows() { 700 } else { 1200 };
        let gave_up = if is_printed(row) { 20 } else { 0 };
        assert!(tally.pairs >= least && tally.gave_up <= gave_up, "{}: {tally:?}", row.name);
        assert!(tally.too_large <= 200, "{}: {tally:?}", row.name);
    }
}

/// Operators with a lower bound below others: where clocks of one delay do not compare.
fn under_always() -> impl Strategy<Value = Vec<(u8, u64, u64)>> {
    proptest::collection::vec((0_u8..6, 0_u64..6, 0_u64..6), 1..4)
}

fn nested(formulas: &mut Formulas, operators: &[(u8, u64, u64)]) -> FormulaId {
    use traceward_logic::expr::Expr;
    use traceward_logic::trace::VariableId;
    let [a, b] = [0, 1].map(|variable| formulas.intern_atom(Expr::Variable(VariableId(variable))));
    let mut formula = b;
    for &(operator, from, width) in operators {
        let interval = Interval::steps(from, Some(from + width));
        let binary = |op| Node::Binary(op, Direction::Future, interval, a, formula);
        let node = match operator {
            0 => Node::Eventually(Direction::Future, interval, formula),
            1 => Node::Always(Direction::Future, interval, formula),
            2 => binary(BinaryOp::Until),
            3 => binary(BinaryOp::WeakUntil),
            4 => binary(BinaryOp::Release),
            _ => Node::Or(a, formula),
        };
        formula = formulas.intern(node);
    }
    formulas.intern(Node::Always(Direction::Future, Interval::ALL, formula))
}

fn all_agree(formulas: &Formulas, formula: FormulaId, traces: &[Trace]) {
    for row in table().into_iter().chain(variants()).chain(narrow()).map(limited) {
        agreement::on(&row, formulas, formula, traces);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn all_engines_agree_on_random_formulas(
        recipe in prop_oneof![
            2 => generate::formula(3, Windows::Steps),
            1 => generate::formula(3, Windows::Unbounded),
            1 => generate::formula(3, Windows::StepsAndTime),
        ],
        traces in proptest::collection::vec(generate::short_trace(3), 6),
        long in generate::trace(3),
    ) {
        let mut formulas = Formulas::new();
        let formula = recipe.build(&mut formulas);
        all_agree(&formulas, formula, &traces);
        all_agree(&formulas, formula, &[long]);
    }

    /// `G` over lower bounds (the wrong claim 3.2), and windows that the end of the trace cuts.
    #[test]
    fn lower_bounds_under_always_agree(
        operators in under_always(),
        traces in proptest::collection::vec(generate::short_trace(2), 8),
        long in generate::trace(2),
    ) {
        let mut formulas = Formulas::new();
        let formula = nested(&mut formulas, &operators);
        all_agree(&formulas, formula, &traces);
        all_agree(&formulas, formula, &[long]);
        let dual = formulas.not(formula);
        all_agree(&formulas, dual, &traces);
    }
}

/// A run that is told the time between states. What becomes final by it must be right of all that
/// follows, and whatever is not final says what the states alone say.
fn clock_is_right(row: &Row, formulas: &Formulas, formula: FormulaId, trace: &Trace) {
    let prepared = Prepared::shared(formulas, &[formula], row.config.simplification);
    let Ok(online) = Online::new(&prepared, 0, &row.config) else { return };
    let letters = prepared.letters(trace);
    let (Ok(mut plain), Ok(mut told)) = (online.start(), online.start()) else { return };
    let times = letters.time.as_ref().expect("a trace with timestamps");
    let mut decided = None;
    for position in 0..letters.len {
        let (Ok(verdict), Ok(beside)) = (step(&mut *plain, &letters, position), step(&mut *told, &letters, position))
        else {
            return;
        };
        assert!(beside == verdict || beside.is_final(), "{beside} instead of {verdict} at {position}");
        decided = decided.or(beside.is_final().then_some(beside));
        let next = times.get(position + 1).copied().unwrap_or(times[position] + 1000);
        for time in [times[position], i64::midpoint(times[position], next), next] {
            let Ok(verdict) = told.advance(time) else { return };
            assert_eq!(verdict, told.verdict());
            decided = decided.or(verdict.is_final().then_some(verdict));
        }
    }
    let holds = semantics::satisfied(formulas, formula, trace).expect("booleans do not fail");
    if let Some(decided) = decided {
        assert_eq!(
            decided == Verdict::Satisfied,
            holds,
            "{}: {} on {trace:?}",
            row.name,
            formulas.display(formula, &[])
        );
    }
    assert_eq!(matches!(told.verdict(), Verdict::Satisfied | Verdict::Holding), holds, "{}", row.name);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn the_clock_brings_no_wrong_verdict(
        recipe in generate::formula(3, Windows::StepsAndTime),
        trace in prop_oneof![generate::short_trace(3), generate::trace(3)],
    ) {
        let mut formulas = Formulas::new();
        let formula = recipe.build(&mut formulas);
        for row in table().into_iter().filter(|row| row.config.engine.follows() && takes_time(row)).map(limited) {
            clock_is_right(&row, &formulas, formula, &trace);
        }
    }

    /// Whatever stands at the top, so that few formulas settle at once.
    #[test]
    fn streaming_agrees_on_random_formulas(
        recipe in generate::formula(3, Windows::StepsAndTime),
        traces in proptest::collection::vec(generate::short_trace(3), 4),
        long in generate::trace(3),
    ) {
        let mut formulas = Formulas::new();
        let formula = recipe.build(&mut formulas);
        let always = formulas.intern(Node::Always(Direction::Future, Interval::ALL, formula));
        for config in [plain(), Config { simplification: Simplification::On, ..plain() }] {
            let row = row("streaming", Config { engine: EngineName::Streaming, ..config });
            for formula in [formula, always] {
                agreement::on(&row, &formulas, formula, &traces);
                agreement::on(&row, &formulas, formula, std::slice::from_ref(&long));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    /// Those that need not follow a trace, with bounds in time and longer traces.
    #[test]
    fn engines_of_whole_traces_agree_on_random_formulas(
        recipe in generate::formula(3, Windows::StepsAndTime),
        trace in generate::trace(3),
    ) {
        let mut formulas = Formulas::new();
        let formula = recipe.build(&mut formulas);
        let whole = |row: &Row| !row.config.engine.follows() && row.config.engine != EngineName::Naive;
        for row in table().into_iter().chain(variants()).filter(whole).map(limited) {
            agreement::on(&row, &formulas, formula, std::slice::from_ref(&trace));
        }
    }
}

fn reverse(formulas: &Formulas, formula: FormulaId) -> Evaluator {
    let config = Config { engine: EngineName::Reverse, ..plain() };
    Evaluator::new(&Prepared::shared(formulas, &[formula], config.simplification), &config)
}

fn truth(evaluator: &Evaluator, trace: &Trace) -> Bitmap {
    let letters = evaluator.prepared().letters(trace);
    evaluator.truth(&mut Cache::default(), &letters).expect("reverse never gives up")[0].clone()
}

#[test]
fn long_traces_cross_blocks_of_words() {
    // Longer than one block of registers, with the deciding state at the very end.
    let len = 64 * 128 * 2 + 17;
    let mut formulas = Formulas::new();
    let text = std::collections::BTreeMap::from([("a".to_owned(), "0".repeat(len - 1) + "1")]);
    for (formula, expected) in [("F a", "1".repeat(len)), ("a W a", "0".repeat(len - 1) + "1")] {
        let (lowered, claim, trace) = corpus::prepare(formula, &text, None, len);
        let Claim::Formula(root) = claim else { panic!() };
        formulas.clone_from(&lowered.formulas);
        assert_eq!(truth(&reverse(&formulas, root), &trace).to_string(), expected);
    }
    let (lowered, claim, trace) = corpus::prepare("O !a & Z !a", &text, None, len);
    let Claim::Formula(root) = claim else { panic!() };
    let all = truth(&reverse(&lowered.formulas, root), &trace);
    assert_eq!(all.count_ones(), len);
}
