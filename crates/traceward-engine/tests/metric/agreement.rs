//! The engines on metric automata against the definition: all small formulas on all short traces, random larger ones, known
//! answers.

use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;
use traceward_engine::engine::forward_backward::{self, ForwardBackward};
use traceward_engine::engine::forward_backward_dag::{self, ForwardBackwardDag};
use traceward_engine::engine::generic::{self, Generic};
use traceward_engine::engine::{Config, Subsumption};
use traceward_engine::limit::Limits;
use traceward_engine::limit::{GaveUp, Unsupported};
use traceward_engine::select::{Prepared, Simplification};
use traceward_logic::formula::{BinaryOp, Direction, FormulaId, Formulas, Interval, Node};
use traceward_logic::letter::{self, Letters, Proposition};
use traceward_logic::lower::Claim;
use traceward_logic::semantics;
use traceward_logic::trace::Trace;
use traceward_logic::verdict::Verdict;
use traceward_testkit::compare::report;
use traceward_testkit::enumerate::{self, Shape};
use traceward_testkit::generate::{self, Windows};
use traceward_testkit::{corpus, vectors};

/// An engine as the tests see it.
trait Engine: Sized {
    type Run;
    const NAME: &'static str;
    fn new(prepared: &Prepared) -> Result<Self, Unsupported>;
    fn start(&self) -> Self::Run;
    fn step(&self, run: &mut Self::Run, holds: &dyn Fn(Proposition) -> bool) -> Result<Verdict, GaveUp>;
}

impl Engine for ForwardBackward {
    type Run = forward_backward::Run;
    const NAME: &'static str = "forward-backward";

    fn new(prepared: &Prepared) -> Result<Self, Unsupported> {
        let config = Config { limits: Limits { nodes: 100_000, ..Limits::default() }, ..Config::default() };
        Self::new(&prepared.formulas, &prepared.alphabet, prepared.normal[0], config)
    }

    fn start(&self) -> Self::Run {
        self.start()
    }

    fn step(&self, run: &mut Self::Run, holds: &dyn Fn(Proposition) -> bool) -> Result<Verdict, GaveUp> {
        self.step(run, holds)
    }
}

/// The graph as in the thesis and with subsumption: both have to say the same.
struct Dag {
    plain: ForwardBackwardDag,
    subsuming: ForwardBackwardDag,
}

impl Engine for Dag {
    type Run = (forward_backward_dag::Run, forward_backward_dag::Run);
    const NAME: &'static str = "forward-backward-dag, with and without subsumption,";

    fn new(prepared: &Prepared) -> Result<Self, Unsupported> {
        let one = |subsumption| {
            let config =
                Config { subsumption, limits: Limits { nodes: 100_000, ..Limits::default() }, ..Config::default() };
            ForwardBackwardDag::new(&prepared.formulas, &prepared.alphabet, prepared.normal[0], config)
        };
        Ok(Self { plain: one(Subsumption::Off)?, subsuming: one(Subsumption::On)? })
    }

    fn start(&self) -> Self::Run {
        (self.plain.start(), self.subsuming.start())
    }

    fn step(&self, run: &mut Self::Run, holds: &dyn Fn(Proposition) -> bool) -> Result<Verdict, GaveUp> {
        let verdict = self.plain.step(&mut run.0, holds)?;
        let other = self.subsuming.step(&mut run.1, holds)?;
        assert_eq!(truth_if_it_ended(verdict), truth_if_it_ended(other));
        Ok(verdict)
    }
}

struct Both {
    plain: Generic,
    subsuming: Generic,
}

impl Engine for Both {
    type Run = (generic::Run, generic::Run);
    const NAME: &'static str = "generic, with and without subsumption,";

    fn new(prepared: &Prepared) -> Result<Self, Unsupported> {
        let one = |subsumption, cache_limit| {
            let config = Config {
                subsumption,
                limits: Limits { remembered: cache_limit, nodes: 100_000, slices: 2000, ..Limits::default() },
                ..Config::default()
            };
            Generic::new(&prepared.formulas, &prepared.alphabet, prepared.normal[0], config)
        };
        // One of them forgets at nearly every step.
        Ok(Self { plain: one(Subsumption::Off, 1)?, subsuming: one(Subsumption::On, 1000)? })
    }

    fn start(&self) -> Self::Run {
        (self.plain.start(), self.subsuming.start())
    }

    fn step(&self, run: &mut Self::Run, holds: &dyn Fn(Proposition) -> bool) -> Result<Verdict, GaveUp> {
        let verdict = self.plain.step(&mut run.0, holds)?;
        let other = self.subsuming.step(&mut run.1, holds)?;
        assert_eq!(truth_if_it_ended(verdict), truth_if_it_ended(other));
        Ok(verdict)
    }
}

fn truth_if_it_ended(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Satisfied | Verdict::Holding)
}

struct Compiled<E> {
    prepared: Prepared,
    engine: E,
}

impl<E: Engine> Compiled<E> {
    fn new(formulas: &Formulas, formula: FormulaId) -> Result<Self, Unsupported> {
        let prepared = Prepared::new(formulas, &[formula], Simplification::Off);
        let engine = E::new(&prepared)?;
        Ok(Self { prepared, engine })
    }

    fn letters(&self, trace: &Trace) -> Letters {
        letter::letters(&self.prepared.formulas, &self.prepared.alphabet, trace)
    }

    /// Whether a trace satisfies the formula, by the verdict after its last state. What was final is not taken back.
    fn verdict(&self, trace: &Trace) -> Result<bool, GaveUp> {
        let letters = self.letters(trace);
        let mut run = self.engine.start();
        let mut last = Verdict::Pending;
        for position in 0..letters.len {
            let verdict = self.engine.step(&mut run, &|p| letters.bitmap(p).get(position))?;
            assert!(!last.is_final() || verdict == last, "{last} became {verdict}");
            last = verdict;
        }
        Ok(truth_if_it_ended(last))
    }
}

/// Compares all formulas of a shape that the engine takes on all traces up to a length. Every prefix of a trace is a trace
/// too, so this is about verdicts on the way as well. Returns the number of pairs.
fn exhaustively<E: Engine>(shape: &Shape, longest: usize) -> u64 {
    let mut arena = Formulas::new();
    let formulas = enumerate::formulas(&mut arena, shape);
    let names = ["a", "b"].map(Arc::from);
    let compiled: Vec<(FormulaId, Compiled<E>)> =
        formulas.iter().filter_map(|&formula| Some((formula, Compiled::new(&arena, formula).ok()?))).collect();
    let mut pairs = 0;
    for trace in enumerate::traces(shape.atoms, longest) {
        let rows = semantics::truths(&arena, &formulas, &trace).expect("booleans do not fail");
        for (formula, one) in &compiled {
            let found = one.verdict(&trace).expect("a small graph");
            assert_eq!(found, rows[formula][0], "{} on {:?}", arena.display(*formula, &names), trace.columns);
            pairs += 1;
        }
    }
    pairs
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

fn agrees_on_small_formulas<E: Engine>() {
    let bounded = Shape::unbounded(2).with_intervals(intervals());
    let one_atom = Shape { atoms: 1, ..bounded.clone() };
    let future = Shape { directions: vec![Direction::Future], ..Shape::unbounded(2) };
    let two_atoms = Shape { directions: vec![Direction::Future], ..bounded };
    let pairs = exhaustively::<E>(&one_atom, 6) + exhaustively::<E>(&two_atoms, 2) + exhaustively::<E>(&future, 4);
    report(E::NAME, "pairs of a formula, bounded or not, and a trace", pairs);
    assert!(pairs >= 1_000_000, "only {pairs}");
}

#[test]
fn trees_agree_on_small_formulas() {
    agrees_on_small_formulas::<ForwardBackward>();
}

#[test]
fn graphs_agree_on_small_formulas() {
    agrees_on_small_formulas::<Dag>();
}

#[test]
fn generic_agrees_on_small_formulas() {
    agrees_on_small_formulas::<Both>();
}

fn agrees<E: Engine>(formulas: &Formulas, formula: FormulaId, traces: &[Trace]) {
    let Ok(compiled) = Compiled::<E>::new(formulas, formula) else { return };
    for trace in traces {
        if let Ok(found) = compiled.verdict(trace) {
            assert_eq!(found, semantics::satisfied(formulas, formula, trace).unwrap(), "{}", E::NAME);
        }
    }
}

fn all_agree(formulas: &Formulas, formula: FormulaId, traces: &[Trace]) {
    agrees::<ForwardBackward>(formulas, formula, traces);
    agrees::<Dag>(formulas, formula, traces);
    agrees::<Both>(formulas, formula, traces);
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

proptest! {
    #![proptest_config(ProptestConfig { cases: 800, ..ProptestConfig::default() })]

    #[test]
    fn random_formulas_agree(
        recipe in generate::formula(3, Windows::Steps),
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
        traces in proptest::collection::vec(generate::short_trace(2), 12),
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

/// Whether the engine takes the formula; its verdict is right if it does.
fn takes<E: Engine>(formulas: &Formulas, formula: FormulaId, trace: &Trace, expected: bool) -> bool {
    let Ok(compiled) = Compiled::<E>::new(formulas, formula) else { return false };
    assert_eq!(compiled.verdict(trace).expect("a small graph"), expected, "{}", E::NAME);
    true
}

#[test]
fn vectors_and_corpus_agree() {
    let known = vectors::formulas().into_iter();
    let known = known.map(|vector| (vector.family, vector.formula, vector.trace, None, vector.truth));
    let own = corpus::cases().into_iter();
    let own = own.map(|case| ("corpus".to_owned(), case.formula, case.trace, case.time, case.truth));
    let mut taken: BTreeMap<String, u32> = BTreeMap::new();
    for (family, text, bits, time, truth) in known.chain(own) {
        let (lowered, claim, trace) = corpus::prepare(&text, &bits, time, truth.len());
        let Claim::Formula(formula) = claim else { panic!("{text} is a formula") };
        let expected = truth.starts_with('1');
        let taken_by = [
            takes::<ForwardBackward>(&lowered.formulas, formula, &trace, expected),
            takes::<Dag>(&lowered.formulas, formula, &trace, expected),
            takes::<Both>(&lowered.formulas, formula, &trace, expected),
        ];
        assert!(taken_by == [true; 3] || taken_by == [false; 3], "{text}");
        *taken.entry(family).or_default() += u32::from(taken_by[0]);
    }
    // All 300 of each, but for futures inside the past.
    let of = |family: &str| taken[family];
    assert_eq!((of("bounded"), of("future")), (300, 300));
    assert!(of("past") > 200 && of("mixed") > 100, "only {} and {}", of("past"), of("mixed"));
}
