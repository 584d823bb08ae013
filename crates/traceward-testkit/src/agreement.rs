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
use std::sync::atomic::{AtomicUsize, Ordering};
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
    /// Engines that were made for some formulas.
    type Engines;

    /// The name of the engine with its settings.
    fn name(&self) -> String;

    /// Makes engines for some formulas, all of one arena, and tells which of them it refuses, by
    /// their indices.
    fn compile(&self, formulas: &Formulas, roots: &[FormulaId]) -> (Self::Engines, Vec<(usize, Refusal)>);

    /// The answers for a trace with a state, one for each formula that was not refused, with the
    /// formula's index; none where the engine gave up.
    fn answers(&self, engines: &Self::Engines, trace: &Trace) -> Vec<(usize, Option<Answer>)>;
}

/// A function that tells where a formula holds.
pub struct Rows<C, A> {
    /// The name of the algorithm.
    pub name: &'static str,
    /// Makes of a formula what the algorithm needs.
    pub compile: C,
    /// The positions at which the formula holds.
    pub truth: A,
}

impl<E, C: Fn(&Formulas, FormulaId) -> E, A: Fn(&E, &Trace) -> Bitmap> Subject for Rows<C, A> {
    type Engines = Vec<E>;

    fn name(&self) -> String {
        self.name.to_owned()
    }

    fn compile(&self, formulas: &Formulas, roots: &[FormulaId]) -> (Vec<E>, Vec<(usize, Refusal)>) {
        (roots.iter().map(|&root| (self.compile)(formulas, root)).collect(), Vec::new())
    }

    fn answers(&self, engines: &Vec<E>, trace: &Trace) -> Vec<(usize, Option<Answer>)> {
        let answer = |engine| Some(Answer::of_rows((self.truth)(engine, trace)));
        engines.iter().map(answer).enumerate().collect()
    }
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
    /// The position at which the verdict on the whole trace became final, as the engine has it that
    /// looks at all of it; only of engines that follow a trace.
    pub decided_at: Option<usize>,
}

impl Answer {
    /// The answer of an engine that only tells where a formula holds.
    pub fn of_rows(truth: Bitmap) -> Self {
        let holds = truth.get(0);
        Self { truth: Some(truth), holds, verdicts: Vec::new(), decided_at: None }
    }
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
        let Self { refused, gave_up, .. } = self;
        report(
            engine,
            &format!("pairs of a formula and a trace; it refused {refused} formulas, and gave up on {gave_up}"),
            self.pairs,
        );
    }
}

/// Says how much of something was compared, past the capture of the test runner.
pub fn report(engine: &str, what: &str, count: u64) {
    let _ = writeln!(std::io::stderr(), "{engine} agrees with the definition on {count} {what}");
}

/// The number of pairs on which a function that tells where formulas hold agrees with the
/// definition.
///
/// # Panics
/// As [`exhaustively`] does.
pub fn of_rows<E: Send + Sync>(
    name: &'static str,
    shape: &Shape,
    longest: usize,
    compile: impl Fn(&Formulas, FormulaId) -> E + Sync,
    truth: impl Fn(&E, &Trace) -> Bitmap + Sync,
) -> u64 {
    exhaustively(&[Rows { name, compile, truth }], shape, |_| longest)[0].pairs
}

/// All formulas of a shape on all traces up to a length, which may be another for each engine. The
/// cuts of these are among them. The definition is asked once for all engines, and as many traces
/// are looked at at once as there are cores.
///
/// # Panics
/// At the first pair on which engine and definition differ, and at a refusal that is not declared.
pub fn exhaustively<S: Subject + Sync>(subjects: &[S], shape: &Shape, longest: impl Fn(&S) -> usize) -> Vec<Tally>
where
    S::Engines: Send + Sync,
{
    let mut arena = Formulas::new();
    let formulas = enumerate::formulas(&mut arena, shape);
    let made = in_parallel(subjects.len(), |index| compile(&subjects[index], &arena, &formulas));
    let mut tallies: Vec<Tally> = made.iter().map(|(_, refused)| *refused).collect();
    let lengths: Vec<usize> = subjects.iter().map(&longest).collect();
    let traces = enumerate::traces_of(shape, lengths.iter().copied().max().unwrap_or(0));
    let compared = in_parallel(traces.len(), |index| {
        let trace = &traces[index];
        let rows = semantics::truths(&arena, &formulas, trace).expect("booleans do not fail");
        let rows: Vec<Bitmap> = formulas.iter().map(|formula| rows[formula].iter().copied().collect()).collect();
        let of_subject = |((subject, (engines, _)), &longest): ((&S, &(S::Engines, Tally)), &usize)| {
            let mut tally = Tally::default();
            let answers = if trace.len <= longest { subject.answers(engines, trace) } else { Vec::new() };
            for (index, answer) in answers {
                let formula = || text(&arena, formulas[index]);
                tally += compare(subject, answer, trace, &rows[index], &[], &formula);
            }
            tally
        };
        subjects.iter().zip(&made).zip(&lengths).map(of_subject).collect::<Vec<Tally>>()
    });
    for of_trace in compared {
        tallies.iter_mut().zip(of_trace).for_each(|(sum, one)| *sum += one);
    }
    tallies
}

/// What `work` makes of each index, as many at once as there are cores.
///
/// # Panics
/// If `work` does.
pub fn in_parallel<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let worker = || {
        let mut made = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= count {
                return made;
            }
            made.push((index, work(index)));
        }
    };
    let mut all: Vec<(usize, T)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("no worker panics")).collect()
    });
    all.sort_by_key(|(index, _)| *index);
    all.into_iter().map(|(_, made)| made).collect()
}

/// Compares one formula on some traces; on short ones at every cut.
///
/// # Panics
/// As [`exhaustively`] does.
pub fn on<S: Subject>(subject: &S, formulas: &Formulas, formula: FormulaId, traces: &[Trace]) -> Tally {
    let (engines, mut tally) = compile(subject, formulas, &[formula]);
    for trace in traces {
        let right: Bitmap =
            semantics::truth(formulas, formula, trace).expect("booleans do not fail").into_iter().collect();
        let cuts = if trace.len <= LONGEST_CUT { at_cuts(formulas, formula, trace) } else { Vec::new() };
        for (_, answer) in subject.answers(&engines, trace) {
            tally += compare(subject, answer, trace, &right, &cuts, &|| text(formulas, formula));
        }
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
        let (engines, refused) = compile(subject, &lowered.formulas, &[formula]);
        tally += refused;
        for (_, answer) in subject.answers(&engines, &trace) {
            tally += compare(subject, answer, &trace, &Bitmap::from_text(&truth), &[], &|| text.clone());
        }
    }
    tally
}

/// Engines for some formulas, and how many they refuse.
fn compile<S: Subject>(subject: &S, formulas: &Formulas, roots: &[FormulaId]) -> (S::Engines, Tally) {
    let (engines, refusals) = subject.compile(formulas, roots);
    let mut tally = Tally::default();
    for (index, refusal) in refusals {
        match refusal {
            Refusal::Declared => tally.refused += 1,
            Refusal::TooLarge => tally.too_large += 1,
            Refusal::Undeclared(reason) => panic!("{} on {}: {reason}", subject.name(), text(formulas, roots[index])),
        }
    }
    (engines, tally)
}

/// Compares one answer. `cuts` tells, if it is known, whether the formula holds on what there is up
/// to each state.
fn compare<S: Subject>(
    subject: &S,
    answer: Option<Answer>,
    trace: &Trace,
    right: &Bitmap,
    cuts: &[bool],
    formula: &dyn Fn() -> String,
) -> Tally {
    let Some(answer) = answer else { return Tally { gave_up: 1, ..Tally::default() } };
    let place = || format!("{}: {} on {:?} at {:?}", subject.name(), formula(), trace.columns, trace.time);
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
    let first_final = answer.verdicts.iter().position(|verdict| verdict.is_final());
    assert_eq!(answer.decided_at, first_final, "{}", place());
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
