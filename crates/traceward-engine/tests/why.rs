//! Explanations: the propositions that are named decide, whatever else holds, and none of them can
//! be left out.

use proptest::prelude::*;
use std::collections::BTreeSet;
use traceward_engine::prepared::{Prepared, Simplification};
use traceward_engine::why::{Ending, Explainer, Explanation};
use traceward_logic::bitmap::Bitmap;
use traceward_logic::expr::Expr;
use traceward_logic::formula::{FormulaId, Formulas, Interval};
use traceward_logic::semantics;
use traceward_logic::trace::{ColumnData, Trace};
use traceward_testkit::enumerate::{self, Shape};
use traceward_testkit::generate::{self, Windows};

/// The number of variables of the traces here.
const VARIABLES: u32 = 2;

/// The explanation of a formula's value at the first position of a trace.
fn explanation(
    formulas: &Formulas,
    formula: FormulaId,
    trace: &Trace,
    ending: Ending,
) -> (Explainer, Option<Explanation>) {
    let explainer = Explainer::new(formulas, formula);
    let prepared = Prepared::new(formulas, &[formula], Simplification::On);
    let letters = prepared.letters(trace);
    let why = explainer.look(trace, (&prepared, &letters), ending).why(0);
    (explainer, why)
}

/// The variables and positions that an explanation names.
fn named(explainer: &Explainer, why: &Explanation, trace: &Trace) -> BTreeSet<(usize, usize)> {
    let mut named = BTreeSet::new();
    for literal in why.literals.as_ref().expect("few enough to be named") {
        let Some(Expr::Variable(variable)) = explainer.expr(literal.formula) else { panic!("a variable") };
        for position in literal.positions.clone() {
            assert_eq!(literal.holds, bit(trace, variable.index(), position), "the value that is named is the trace's");
            named.insert((variable.index(), position));
        }
    }
    named
}

fn bit(trace: &Trace, variable: usize, position: usize) -> bool {
    match &trace.columns[variable].data {
        ColumnData::Bool(bits) => bits.get(position),
        other => panic!("{other:?}"),
    }
}

/// All traces that have the named values of a trace.
fn alike(trace: &Trace, named: &BTreeSet<(usize, usize)>) -> impl Iterator<Item = Trace> {
    let cells = (0..VARIABLES as usize).flat_map(|variable| (0..trace.len).map(move |position| (variable, position)));
    let free: Vec<_> = cells.filter(|cell| !named.contains(cell)).collect();
    let columns: Vec<Bitmap> = (0..VARIABLES as usize)
        .map(|variable| (0..trace.len).map(|position| bit(trace, variable, position)).collect())
        .collect();
    let (len, time) = (trace.len, trace.time.clone());
    (0_u32..1 << free.len()).map(move |choice| {
        let mut columns = columns.clone();
        for (nth, &(variable, position)) in free.iter().enumerate() {
            columns[variable].set(position, choice >> nth & 1 == 1);
        }
        Trace { time: time.clone(), ..Trace::of_bools(len, columns) }
    })
}

/// Whether the named values alone decide a formula.
fn decides(formulas: &Formulas, formula: FormulaId, trace: &Trace, named: &BTreeSet<(usize, usize)>) -> bool {
    let value = semantics::satisfied(formulas, formula, trace).unwrap();
    alike(trace, named).all(|other| semantics::satisfied(formulas, formula, &other).unwrap() == value)
}

fn check_ended(formulas: &Formulas, formula: FormulaId, trace: &Trace) -> (usize, usize) {
    let (explainer, why) = explanation(formulas, formula, trace, Ending::Ended);
    let why = why.expect("on a trace that has ended everything has a reason");
    let named = named(&explainer, &why, trace);
    let text = || format!("{} on {trace:?}: {why:?}", formulas.display(formula, &["a".into(), "b".into()]));
    assert!(decides(formulas, formula, trace, &named), "{}", text());
    let superfluous = named.iter().filter(|&&one| {
        let fewer: BTreeSet<_> = named.iter().copied().filter(|&other| other != one).collect();
        decides(formulas, formula, trace, &fewer)
    });
    (superfluous.count(), named.len())
}

#[test]
fn named_values_alone_decide_all_small_formulas_on_short_traces() {
    let mut formulas = Formulas::new();
    let shape = Shape::unbounded(2).with_intervals([Interval::steps(1, Some(2))]);
    let traces: Vec<Trace> = enumerate::traces(VARIABLES, 3).collect();
    let (mut superfluous, mut named) = (0, 0);
    for (nth, formula) in enumerate::formulas(&mut formulas, &shape).into_iter().enumerate() {
        let trace = &traces[nth * 31 % traces.len()];
        let (one, all) = check_ended(&formulas, formula, trace);
        (superfluous, named) = (superfluous + one, named + all);
    }
    // What is left are formulas such as `a | !a`, whose parts do not tell that they are valid.
    assert!(superfluous * 50 < named, "{superfluous} of {named} values could be left out");
}

/// A trace with the named values of another one, and with random ones elsewhere and behind it.
fn random_alike(trace: &Trace, named: &BTreeSet<(usize, usize)>, seed: u64, more: usize) -> Trace {
    let mut state = seed | 1;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut column = |variable: usize| -> Bitmap {
        let is_named = |position: usize| position < trace.len && named.contains(&(variable, position));
        let value =
            |position| if is_named(position) { bit(trace, variable, position) } else { random() >> 40 & 1 == 1 };
        (0..trace.len + more).map(value).collect()
    };
    let columns = (0..VARIABLES as usize).map(&mut column).collect();
    let last = trace.time.as_ref().and_then(|time| time.last().copied()).unwrap_or(0);
    let later = (0..more).map(|_| (random() % 3) as i64).scan(last, |time, step| {
        *time += step;
        Some(*time)
    });
    let time = trace.time.as_ref().map(|time| time.iter().copied().chain(later).collect());
    Trace { time, ..Trace::of_bools(trace.len + more, columns) }
}

/// Whether a formula keeps its value on random traces with the named values.
fn stays(formulas: &Formulas, formula: FormulaId, value: bool, others: impl Iterator<Item = Trace>) -> bool {
    others.into_iter().all(|other| semantics::satisfied(formulas, formula, &other).unwrap() == value)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn named_values_decide_random_formulas_on_longer_traces(
        recipe in generate::formula(VARIABLES, Windows::StepsAndTime),
        trace in prop_oneof![generate::short_trace(VARIABLES), generate::trace(VARIABLES)],
        seed in any::<u64>(),
    ) {
        let mut formulas = Formulas::new();
        let formula = recipe.build(&mut formulas);
        let (explainer, why) = explanation(&formulas, formula, &trace, Ending::Ended);
        let named = named(&explainer, &why.expect("a reason"), &trace);
        let value = semantics::satisfied(&formulas, formula, &trace).unwrap();
        let others = (0..8).map(|nth| random_alike(&trace, &named, seed.wrapping_add(nth * 7919), 0));
        prop_assert!(stays(&formulas, formula, value, others), "{recipe:?} {named:?}");
    }

    #[test]
    fn named_values_decide_however_a_trace_goes_on(
        recipe in generate::formula(VARIABLES, Windows::StepsAndTime),
        trace in prop_oneof![generate::short_trace(VARIABLES), generate::trace(VARIABLES)],
        seed in any::<u64>(),
    ) {
        let mut formulas = Formulas::new();
        let formula = recipe.build(&mut formulas);
        let (explainer, why) = explanation(&formulas, formula, &trace, Ending::Open);
        let value = semantics::satisfied(&formulas, formula, &trace).unwrap();
        if let Some(why) = why {
            let named = named(&explainer, &why, &trace);
            let others = (0..12).map(|nth| random_alike(&trace, &named, seed.wrapping_add(nth * 104_729), nth as usize));
            prop_assert!(stays(&formulas, formula, value, others), "{recipe:?} {named:?}");
        }
    }

    #[test]
    fn a_cut_off_trace_has_a_reason_where_its_end_does_not_matter(
        recipe in generate::formula(VARIABLES, Windows::StepsAndTime),
        trace in generate::short_trace(VARIABLES),
    ) {
        let mut formulas = Formulas::new();
        let formula = recipe.build(&mut formulas);
        let looks_ahead = formulas.parts(&[formula]).into_iter().any(|part| {
            formulas.node(part).direction() == Some(traceward_logic::formula::Direction::Future)
        });
        let (_, why) = explanation(&formulas, formula, &trace, Ending::Open);
        prop_assert!(looks_ahead || why.is_some());
    }
}
