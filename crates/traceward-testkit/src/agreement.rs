//! Engines against the definition, at every cut of a trace.
//!
//! An engine is a [`Subject`]; whoever has engines implements that once for all of them. What is
//! compared is the same for all: where a formula holds, from those that can tell; whether it holds
//! on the whole trace; and from those that follow a trace, the verdict after every state, which
//! must be right of what was read so far, and final only if it stays right.

use crate::enumerate::{self, Shape};
use crate::{corpus, vectors};
use std::io::Write;
use std::sync::Arc;
use traceward_logic::bitmap::Bitmap;
use traceward_logic::formula::{FormulaId, Formulas};
use traceward_logic::lower::Claim;
use traceward_logic::semantics;
use traceward_logic::trace::Trace;
use traceward_logic::verdict::Verdict;

/// Traces up to this length are compared at every cut; the definition takes the cube of it for
/// that.
const LONGEST_CUT: usize = 16;

/// An engine, with how it is set.
pub trait Subject {
    /// An engine that was made for a formula.
    type Compiled;

    /// The name of the engine with its settings.
    fn name(&self) -> String;

    /// Makes the engine for a formula.
    fn compile(&self, formulas: &Formulas, formula: FormulaId) -> Result<Self::Compiled, Refusal>;

    /// The answer for a trace with a state; none if the engine gave up.
    fn answer(&self, compiled: &Self::Compiled, trace: &Trace) -> Option<Answer>;
}

/// The reason why an engine does not take a formula.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// It is known that the engine does not take such formulas.
    Declared,
    /// The automaton of the engine would be too large.
    TooLarge,
    /// Nobody has said that it does not take such formulas.
    Undeclared(String),
}

/// The answer of an engine for a trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// The positions at which the formula holds, if the engine can tell.
    pub truth: Option<Bitmap>,
    /// Whether the trace satisfies the formula.
    pub holds: bool,
    /// The verdict after every state; none if the engine does not follow a trace.
    pub verdicts: Vec<Verdict>,
}

/// The numbers of what was compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// The number of pairs of a formula and a trace on which engine and definition agree.
    pub pairs: u64,
    /// The number of formulas that the engine does not take.
    pub refused: u64,
    /// The number of formulas for which the engine would be too large.
    pub too_large: u64,
    /// The number of pairs on which the engine gave up.
    pub gave_up: u64,
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.pairs += other.pairs;
        self.refused += other.refused;
        self.too_large += other.too_large;
        self.gave_up += other.gave_up;
    }
}

impl Tally {
    /// Says how many pairs were compared, past the capture of the test runner.
    pub fn report(&self, engine: &str) {
        let Self { pairs, refused, gave_up, .. } = self;
        let counts =
            format!("{pairs} pairs of a formula and a trace; it refused {refused} formulas, and gave up on {gave_up}");
        let _ = writeln!(std::io::stderr(), "{engine} agrees with the definition on {counts}");
    }
}

/// Compares all formulas of a shape on all traces up to a length. The cuts of these are among them.
///
/// # Panics
/// At the first pair on which engine and definition differ, and at a refusal that is not declared.
pub fn exhaustively<S: Subject>(subject: &S, shape: &Shape, longest: usize) -> Tally {
    let mut arena = Formulas::new();
    let formulas = enumerate::formulas(&mut arena, shape);
    let mut tally = Tally::default();
    let mut compiled = Vec::new();
    for &formula in &formulas {
        match compile(subject, &arena, formula) {
            Ok(engine) => compiled.push((formula, engine)),
            Err(refused) => tally += refused,
        }
    }
    for trace in enumerate::traces(shape.atoms, longest) {
        let rows = semantics::truths(&arena, &formulas, &trace).expect("booleans do not fail");
        for (formula, engine) in &compiled {
            let right = rows[formula].iter().copied().collect();
            tally += compare(subject, engine, &trace, &right, &[], &|| text(&arena, *formula));
        }
    }
    tally
}

/// Compares one formula on some traces; on short ones at every cut.
///
/// # Panics
/// As [`exhaustively`] does.
pub fn on<S: Subject>(subject: &S, formulas: &Formulas, formula: FormulaId, traces: &[Trace]) -> Tally {
    let engine = match compile(subject, formulas, formula) {
        Ok(engine) => engine,
        Err(refused) => return refused,
    };
    let mut tally = Tally::default();
    for trace in traces {
        let right: Bitmap =
            semantics::truth(formulas, formula, trace).expect("booleans do not fail").into_iter().collect();
        let cuts = if trace.len <= LONGEST_CUT { at_cuts(formulas, formula, trace) } else { Vec::new() };
        tally += compare(subject, &engine, trace, &right, &cuts, &|| text(formulas, formula));
    }
    tally
}

/// Compares all vectors and the whole corpus.
///
/// # Panics
/// As [`exhaustively`] does.
pub fn on_known_answers<S: Subject>(subject: &S) -> Tally {
    let known = vectors::formulas().into_iter().map(|vector| (vector.formula, vector.trace, None, vector.truth));
    let own = corpus::cases().into_iter().map(|case| (case.formula, case.trace, case.time, case.truth));
    let mut tally = Tally::default();
    for (text, bits, time, truth) in known.chain(own) {
        let (lowered, claim, trace) = corpus::prepare(&text, &bits, time, truth.len());
        let Claim::Formula(formula) = claim else { panic!("{text} is a formula") };
        match compile(subject, &lowered.formulas, formula) {
            Ok(engine) => {
                let right = Bitmap::from_text(&truth);
                tally += compare(subject, &engine, &trace, &right, &[], &|| text.clone());
            }
            Err(refused) => tally += refused,
        }
    }
    tally
}

fn compile<S: Subject>(subject: &S, formulas: &Formulas, formula: FormulaId) -> Result<S::Compiled, Tally> {
    subject.compile(formulas, formula).map_err(|refusal| match refusal {
        Refusal::Declared => Tally { refused: 1, ..Tally::default() },
        Refusal::TooLarge => Tally { too_large: 1, ..Tally::default() },
        Refusal::Undeclared(reason) => panic!("{} on {}: {reason}", subject.name(), text(formulas, formula)),
    })
}

/// Compares one answer. `cuts` tells, if it is known, whether the formula holds on what there is up
/// to each state.
fn compare<S: Subject>(
    subject: &S,
    engine: &S::Compiled,
    trace: &Trace,
    right: &Bitmap,
    cuts: &[bool],
    formula: &dyn Fn() -> String,
) -> Tally {
    let Some(answer) = subject.answer(engine, trace) else { return Tally { gave_up: 1, ..Tally::default() } };
    let place = || format!("{}: {} on {:?}", subject.name(), formula(), trace.columns);
    if let Some(truth) = &answer.truth {
        assert_eq!(truth, right, "{}", place());
    }
    assert_eq!(answer.holds, right.get(0), "{}", place());
    let mut last = Verdict::Pending;
    for (position, &verdict) in answer.verdicts.iter().enumerate() {
        assert!(!last.is_final() || verdict == last, "{last} became {verdict}: {}", place());
        let is_last = position + 1 == trace.len;
        let expected = if is_last { Some(right.get(0)) } else { cuts.get(position).copied() };
        assert!(
            expected.is_none_or(|expected| would_hold(verdict) == expected),
            "{verdict} at {position}: {}",
            place()
        );
        last = verdict;
    }
    Tally { pairs: 1, ..Tally::default() }
}

/// Whether a formula holds on what there is up to each state but the last.
fn at_cuts(formulas: &Formulas, formula: FormulaId, trace: &Trace) -> Vec<bool> {
    let up_to = |end: usize| {
        let positions: Vec<u32> = (0..=end as u32).collect();
        semantics::satisfied(formulas, formula, &trace.gather(&positions)).expect("booleans do not fail")
    };
    (0..trace.len.saturating_sub(1)).map(up_to).collect()
}

fn would_hold(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Satisfied | Verdict::Holding)
}

fn text(formulas: &Formulas, formula: FormulaId) -> String {
    let names: Vec<Arc<str>> = ["a", "b", "c", "d"].map(Arc::from).to_vec();
    formulas.display(formula, &names).to_string()
}
