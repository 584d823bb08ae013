//! States against the definition: which traces they accept, and what can become of them.

use super::*;
use crate::select::{Prepared, Simplification};
use std::sync::Mutex;
use traceward_logic::bitmap::Bitmap;
use traceward_logic::formula::Interval;
use traceward_logic::semantics;
use traceward_logic::trace::Trace;
use traceward_testkit::agreement::of_rows;
use traceward_testkit::enumerate::{self, Shape};

fn progression(formulas: &Formulas, formula: FormulaId) -> Progression {
    let prepared = Prepared::new(formulas, &[formula], Simplification::Off);
    let on_empty = semantics::holds_on_empty(formulas, formula);
    Progression::new(&prepared.formulas, &prepared.alphabet, prepared.simplified[0], on_empty, None)
        .expect("no time bounds")
}

/// Which variable of the trace each proposition is.
fn variables(formulas: &Formulas, formula: FormulaId) -> Vec<usize> {
    let prepared = Prepared::new(formulas, &[formula], Simplification::Off);
    let of = |atom| match prepared.formulas.atom(atom) {
        traceward_logic::expr::Expr::Variable(variable) => variable.index(),
        other => panic!("{other:?}"),
    };
    prepared.alphabet.atoms().iter().map(|&(_, atom)| of(atom)).collect()
}

type Compiled = (Progression, Vec<usize>, Mutex<Space>);

fn compile(formulas: &Formulas, formula: FormulaId) -> Compiled {
    let progression = progression(formulas, formula);
    let space = progression.space(DiagramLimits::of_nodes(1_000_000)).unwrap();
    (progression, variables(formulas, formula), Mutex::new(space))
}

/// The verdict at position 0, as the definition's row has it; the rest of the row is the
/// definition's own.
fn accepts((progression, variables, space): &Compiled, trace: &Trace, from: u32) -> bool {
    let mut space = space.lock().expect("no other test panics");
    let mut state = progression.initial_at(&mut space, from).unwrap();
    for position in 0..trace.len {
        let successors = progression.successors(&mut space, state).unwrap();
        let holds = |proposition: u32| trace.columns[variables[proposition as usize]].value(position).is_true();
        state = progression.choose(&space, successors, holds);
    }
    progression.is_accepting(&space, state)
}

fn row(compiled: &Compiled, trace: &Trace) -> Bitmap {
    (0..trace.len as u32).map(|from| accepts(compiled, trace, from)).collect()
}

#[test]
fn states_accept_what_the_definition_accepts_at_every_position() {
    of_rows("progression", &Shape::unbounded(2), 3, compile, row);
    let intervals = [Interval::steps(0, Some(1)), Interval::steps(1, Some(2)), Interval::steps(2, None)];
    of_rows("progression", &Shape { atoms: 1, ..Shape::unbounded(2) }.with_intervals(intervals), 4, compile, row);
}

#[test]
fn a_state_that_is_copied_goes_on_alike() {
    let shape = Shape { atoms: 1, ..Shape::unbounded(2) }.with_intervals([Interval::steps(1, Some(2))]);
    let mut arena = Formulas::new();
    for formula in enumerate::formulas(&mut arena, &shape) {
        let compiled = compile(&arena, formula);
        for trace in enumerate::traces(1, 4) {
            let (progression, variables, space) = &compiled;
            let mut state = progression.initial(&mut space.lock().expect("no other test panics")).unwrap();
            let mut space = space.lock().expect("no other test panics").clone();
            for position in 0..trace.len {
                (space, state) = progression.only(&space, state, DiagramLimits::of_nodes(1000)).unwrap();
                let successors = progression.successors(&mut space, state).unwrap();
                let holds = |proposition: u32| trace.columns[variables[proposition as usize]].value(position).is_true();
                state = progression.choose(&space, successors, holds);
            }
            assert_eq!(progression.is_accepting(&space, state), accepts(&compiled, &trace, 0));
        }
    }
}

/// Reading one letter at a time comes to the same as reading all at once.
#[test]
fn a_letter_by_itself_leads_where_it_leads_among_all() {
    let by_itself = |(progression, variables, space): &Compiled, trace: &Trace| -> Bitmap {
        let mut space = space.lock().expect("no other test panics");
        let mut verdict_from = |from: u32| {
            let mut state = progression.initial_at(&mut space, from).unwrap();
            for position in 0..trace.len {
                let holds = |proposition: u32| trace.columns[variables[proposition as usize]].value(position).is_true();
                state = progression.successor(&mut space, state, &holds).unwrap();
            }
            progression.is_accepting(&space, state)
        };
        (0..trace.len as u32).map(&mut verdict_from).collect()
    };
    of_rows("progression", &Shape::unbounded(2), 2, compile, by_itself);
    let intervals = [Interval::steps(0, Some(1)), Interval::steps(1, Some(2))];
    of_rows("progression", &Shape { atoms: 1, ..Shape::unbounded(2) }.with_intervals(intervals), 4, compile, by_itself);
}
