//! Answers against the definition on all short traces.

use super::{Answer, Judge, TimedTrace, Unknown, has_time, read_from_the_end, shortest_trace};
use crate::automaton::deterministic::Room;
use crate::automaton::witness::SEARCH_LIMITS;
use crate::select::{Prepared, Simplification};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use traceward_logic::formula::{BinaryOp, Direction, FormulaId, Formulas, Interval, Strength, Unit};
use traceward_logic::semantics;
use traceward_logic::trace::Trace;
use traceward_testkit::enumerate::{self, Shape};
use traceward_testkit::generate::{self, Recipe, Windows};

/// The answer for a formula, none if the search took too long. A trace is asked about once more.
fn answered(arena: &Formulas, formula: FormulaId) -> Option<Answer> {
    answered_within(arena, formula, SEARCH_LIMITS)
}

fn answered_within(arena: &Formulas, formula: FormulaId, limits: Room) -> Option<Answer> {
    let prepared = Prepared::new(arena, &[formula], Simplification::Off);
    let Prepared { formulas, alphabet, split, .. } = &prepared;
    let answer = shortest_trace(formulas, alphabet, split[0], limits).ok()?;
    if let Answer::Found(found) = &answer {
        assert!(Judge::new(formulas, alphabet, split[0]).admits(found));
        assert!(found.time.is_sorted() && found.time.first() == Some(&0));
    }
    Some(answer)
}

/// The length of the shortest of some traces, sorted by length, that satisfies each formula.
fn shortest(arena: &Formulas, formulas: &[FormulaId], traces: &[Trace]) -> Vec<Option<usize>> {
    let mut shortest = vec![None; formulas.len()];
    for trace in traces {
        let rows = semantics::truths(arena, formulas, trace).unwrap();
        for (formula, shortest) in formulas.iter().zip(&mut shortest) {
            if rows[formula][0] && shortest.is_none_or(|len| trace.len < len) {
                *shortest = Some(trace.len);
            }
        }
    }
    shortest
}

fn time(from: u64, to: Option<u64>) -> Interval {
    Interval { unit: Unit::Time, from, to }
}

/// Holds an answer against the shortest trace among all up to a length; whether it is an answer.
fn is_right(answer: &Answer, shortest: Option<usize>, longest: usize, text: &str) -> bool {
    match answer {
        Answer::Nowhere => assert_eq!(shortest, None, "{text}"),
        Answer::Found(TimedTrace { letters, .. }) => match shortest {
            Some(len) => assert!(letters.len() <= len, "{text}: {} states, and {len} are enough", letters.len()),
            None => assert!(letters.len() > longest || !is_small(answer), "{text}: {answer:?} was not met"),
        },
        Answer::Unknown(_) => return false,
    }
    true
}

/// Whether all gaps of a trace are among those that are tried below.
fn is_small(answer: &Answer) -> bool {
    matches!(answer, Answer::Found(trace) if trace.time.windows(2).all(|pair| pair[1] - pair[0] <= 3))
}

/// Every small formula of one variable with bounds of a few nanoseconds, nested ones among them,
/// against all short traces.
#[test]
fn small_formulas_are_decided_as_short_traces_say() {
    let windows = [time(0, Some(1)), time(1, Some(1)), time(1, Some(2)), time(2, None)];
    let shape = Shape { atoms: 1, ..Shape::unbounded(2) }.with_intervals(windows).with_gaps([0, 1, 2, 3]);
    let mut arena = Formulas::new();
    let formulas = enumerate::formulas(&mut arena, &shape);
    let shortest = shortest(&arena, &formulas, &enumerate::traces_of(&shape, 4));
    let mut decided = 0;
    for (&formula, shortest) in formulas.iter().zip(shortest) {
        let text = arena.display(formula, &["a".into()]).to_string();
        decided += usize::from(is_right(&answered(&arena, formula).unwrap(), shortest, 4, &text));
    }
    assert_eq!(decided, formulas.len());
}

/// An operator with a bound in time over formulas without, in one of these windows.
fn bounded(windows: Vec<Interval>) -> impl Strategy<Value = Recipe> {
    let directions = prop_oneof![2 => Just(Direction::Future), 1 => Just(Direction::Past)];
    let operand = || {
        prop_oneof![3 => (0_u32..2).prop_map(Recipe::Atom), 1 => generate::formula(2, Windows::Unbounded)]
            .prop_map(Box::new)
    };
    (0_u8..6, directions, prop::sample::select(windows), operand(), operand()).prop_map(
        |(op, direction, window, f, g)| match op {
            0 => Recipe::Eventually(direction, window, f),
            1 => Recipe::Always(direction, window, f),
            op => Recipe::Binary(BinaryOp::ALL[usize::from(op) - 2], direction, window, f, g),
        },
    )
}

/// A formula with others for its atoms from the third on.
fn put_in(outer: Recipe, inner: &[Recipe]) -> Recipe {
    let put = |f: Box<Recipe>| Box::new(put_in(*f, inner));
    match outer {
        Recipe::Atom(atom) if atom >= 2 => inner[atom as usize - 2].clone(),
        Recipe::Atom(_) | Recipe::Constant(_) => outer,
        Recipe::Not(f) => Recipe::Not(put(f)),
        Recipe::And(f, g) => Recipe::And(put(f), put(g)),
        Recipe::Or(f, g) => Recipe::Or(put(f), put(g)),
        Recipe::Next(direction, strength, f) => Recipe::Next(direction, strength, put(f)),
        Recipe::Eventually(direction, interval, f) => Recipe::Eventually(direction, interval, put(f)),
        Recipe::Always(direction, interval, f) => Recipe::Always(direction, interval, put(f)),
        Recipe::Binary(op, direction, interval, f, g) => Recipe::Binary(op, direction, interval, put(f), put(g)),
    }
}

/// The numbers of random formulas that have a trace, that have none, and of which nobody knows;
/// each with three operators with a bound in time among these windows, none inside another.
fn decided(cases: usize, windows: &[Interval], gaps: &[i64]) -> [usize; 3] {
    let shape = Shape::unbounded(1).with_gaps(gaps.iter().copied());
    let traces = enumerate::traces_of(&shape, 3);
    let mut runner = TestRunner::deterministic();
    let bounded = prop::collection::vec(bounded(windows.to_vec()), 3);
    let strategy = (generate::formula(5, Windows::Unbounded), bounded);
    let mut counts = [0; 3];
    for _ in 0..cases {
        let (outer, inner) = strategy.new_tree(&mut runner).unwrap().current();
        let mut arena = Formulas::new();
        let formula = put_in(outer, &inner).build(&mut arena);
        let not = arena.not(formula);
        for formula in [formula, not] {
            let text = arena.display(formula, &["a".into(), "b".into()]).to_string();
            let answer = answered(&arena, formula);
            agrees(&answer, shortest(&arena, &[formula], &traces)[0], &text);
            counts[place(&answer)] += 1;
        }
    }
    counts
}

/// Holds an answer against the shortest of some traces.
fn agrees(answer: &Option<Answer>, shortest: Option<usize>, text: &str) {
    match (answer, shortest) {
        (Some(Answer::Nowhere), shortest) => assert_eq!(shortest, None, "{text}"),
        (Some(Answer::Found(found)), Some(len)) => assert!(found.letters.len() <= len, "{text}: {found:?}"),
        _ => {}
    }
}

/// The place of an answer among counts.
fn place(answer: &Option<Answer>) -> usize {
    match answer {
        Some(Answer::Found(_)) => 0,
        Some(Answer::Nowhere) => 1,
        Some(Answer::Unknown(_)) | None => 2,
    }
}

/// A window in milliseconds.
fn millis(from: u64, to: Option<u64>) -> Interval {
    time(from * 1_000_000, to.map(|to| to * 1_000_000))
}

/// Windows of every kind, which lead into each other.
fn windows_of_every_kind() -> Vec<Interval> {
    vec![
        millis(0, Some(1_000)),
        millis(1_000, Some(1_000)),
        millis(1_000, Some(2_000)),
        millis(2_000, Some(2_000)),
        millis(2_000, Some(3_000)),
        millis(30, Some(7_000)),
        millis(999, Some(1_001)),
        millis(1_000, None),
        time(1, Some(1_000_000_000)),
    ]
}

/// One of three propositions, or its negation.
fn literals() -> impl Strategy<Value = Recipe> {
    (0_u32..3, any::<bool>()).prop_map(|(atom, holds)| literal(atom, holds))
}

/// Obligations that bind again and again: what is owed is a bounded operator in one of these
/// directions.
fn obligations(directions: &[Direction]) -> impl Strategy<Value = Recipe> {
    let window = prop::sample::select(windows_of_every_kind());
    let direction = prop::sample::select(directions.to_vec());
    (literals(), 0_u8..6, direction, window, literals(), literals()).prop_map(obligation)
}

fn all_of(recipes: impl IntoIterator<Item = Recipe>) -> Recipe {
    let both = |all: Recipe, one| Recipe::And(Box::new(all), Box::new(one));
    recipes.into_iter().reduce(both).unwrap_or(Recipe::Constant(true))
}

fn at_some_time(recipe: Recipe) -> Recipe {
    Recipe::Eventually(Direction::Future, Interval::ALL, Box::new(recipe))
}

/// The numbers of random specs that have a trace, that have none, and of which nobody knows: three
/// obligations and a proposition that holds at some time.
fn obligations_decided(cases: usize, directions: &[Direction]) -> [usize; 3] {
    let strategy = (prop::collection::vec(obligations(directions), 3), literals());
    let shape = Shape { atoms: 3, ..Shape::unbounded(1) }.with_gaps([500_000_000, 1_000_000_000]);
    let traces = enumerate::traces_of(&shape, 3);
    let names = ["a".into(), "b".into(), "c".into()];
    let mut runner = TestRunner::deterministic();
    let mut counts = [0; 3];
    for case in 0..cases {
        let (obligations, happens) = strategy.new_tree(&mut runner).unwrap().current();
        let mut arena = Formulas::new();
        let formula = all_of(obligations.into_iter().chain([at_some_time(happens)])).build(&mut arena);
        let text = arena.display(formula, &names).to_string();
        let answer = answered(&arena, formula);
        if case % 5 == 0 {
            agrees(&answer, shortest(&arena, &[formula], &traces)[0], &text);
        }
        counts[place(&answer)] += 1;
    }
    counts
}

/// `G(trigger -> owed)`.
fn obligation((trigger, op, direction, window, f, g): (Recipe, u8, Direction, Interval, Recipe, Recipe)) -> Recipe {
    let [f, g] = [f, g].map(Box::new);
    let owed = match op {
        0 | 1 => Recipe::Eventually(direction, window, g),
        2 | 3 => Recipe::Always(direction, window, g),
        4 => Recipe::Binary(BinaryOp::Until, direction, window, f, g),
        _ => Recipe::Binary(BinaryOp::Release, direction, window, f, g),
    };
    let implied = Recipe::Or(Box::new(Recipe::Not(Box::new(trigger))), Box::new(owed));
    Recipe::Always(Direction::Future, Interval::ALL, Box::new(implied))
}

/// What holds on a trace has one: of many random obligations those that a random trace satisfies,
/// and a part of the trace itself.
#[test]
fn what_holds_on_a_trace_is_possible() {
    let directions = [Direction::Future, Direction::Past];
    let gap = prop::sample::select(vec![0_i64, 1, 400_000_000, 500_000_000, 600_000_000, 1_000_000_000]);
    let state = (prop::array::uniform3(any::<bool>()), gap);
    let kept = (0..3_usize, 1..4_usize);
    let obligations = [&directions[..1], &directions[1..], &directions[..]].map(|some| {
        let obligations = prop::collection::vec(obligations(some), 12);
        (prop::collection::vec(state.clone(), 3..9), obligations, kept.clone())
    });
    let mut runner = TestRunner::deterministic();
    let mut decided = [0; 2];
    for case in 0..1_500 {
        let (states, obligations, (from, len)) = obligations[case % 3].new_tree(&mut runner).unwrap().current();
        let column = |atom: usize| states.iter().map(|(bits, _)| bits[atom]).collect();
        let time: Vec<i64> = states
            .iter()
            .scan(0, |now, (_, gap)| {
                *now += gap;
                Some(*now)
            })
            .collect();
        let trace = Trace { time: Some(time.into()), ..Trace::of_bools(states.len(), (0..3).map(column).collect()) };
        let holds = |recipe: &Recipe| {
            let mut arena = Formulas::new();
            let formula = recipe.clone().build(&mut arena);
            semantics::satisfied(&arena, formula, &trace) == Ok(true)
        };
        let satisfied = obligations.into_iter().filter(holds).take(4);
        let part = states.iter().skip(from).take(len).rev().fold(None, |rest: Option<Recipe>, (bits, _)| {
            let now = all_of((0..3).map(|atom| literal(atom, bits[atom as usize])));
            let next = rest.map(|rest| Recipe::Next(Direction::Future, Strength::Strong, Box::new(rest)));
            Some(all_of([Some(now), next].into_iter().flatten()))
        });
        let all = all_of(satisfied.chain(part.map(at_some_time)));
        assert!(holds(&all));
        let mut arena = Formulas::new();
        let formula = all.build(&mut arena);
        let text = arena.display(formula, &["a".into(), "b".into(), "c".into()]).to_string();
        match answered(&arena, formula) {
            Some(Answer::Found(found)) => assert!(found.letters.len() <= trace.len, "{text}: {found:?}, and {trace:?}"),
            Some(Answer::Nowhere) => panic!("{text}: {trace:?}"),
            Some(Answer::Unknown(_)) | None => decided[0] += 1,
        }
        decided[1] += 1;
    }
    assert!(decided[0] * 100 <= decided[1], "{decided:?}");
}

/// All bounds in one direction: any number of claims can be open at once, and nothing is forgotten.
#[test]
fn obligations_in_one_direction_are_decided() {
    for direction in [Direction::Future, Direction::Past] {
        let [found, nowhere, unknown] = obligations_decided(1_000, &[direction]);
        assert!(found > 500 && nowhere > 100, "{found} {nowhere}");
        assert_eq!(unknown, 0, "{direction:?}");
    }
}

/// What is asked at the end of a trace read backwards is what was asked at its beginning.
#[test]
fn traces_read_backwards_satisfy_formulas_read_from_the_end() {
    let shape = Shape { atoms: 1, ..Shape::unbounded(2) };
    let mut arena = Formulas::new();
    let formulas = enumerate::formulas(&mut arena, &shape);
    let from_the_end: Vec<FormulaId> = formulas.iter().map(|&f| read_from_the_end(&mut arena, f)).collect();
    for trace in enumerate::traces_of(&shape, 4).iter().filter(|trace| trace.len > 0) {
        let backwards: Vec<u32> = (0..trace.len as u32).rev().collect();
        let rows = semantics::truths(&arena, &formulas, trace).unwrap();
        let turned = semantics::truths(&arena, &from_the_end, &trace.gather(&backwards)).unwrap();
        for (formula, end) in formulas.iter().zip(&from_the_end) {
            let text = arena.display(*formula, &["a".into()]).to_string();
            assert_eq!(rows[formula][0], turned[end][0], "{text} on {:?}", trace.columns);
        }
    }
}

/// Bounds in both directions together are not decidable in general.
#[test]
fn obligations_in_both_directions_are_decided_mostly() {
    let [found, nowhere, unknown] = obligations_decided(1_000, &[Direction::Future, Direction::Past]);
    assert!(found > 500 && nowhere > 100 && unknown <= 1, "{found} {nowhere} {unknown}");
}

/// More positions than are kept in mind, each held at its moment by a bound in the future, and an
/// operator of the past that asks about them: there is one trace with these letters and moments, so
/// the formula is possible if it holds there.
#[test]
fn more_positions_than_are_kept_answer_as_they_should() {
    let tenths = |from: u64, to: u64| millis(100 * from, Some(100 * to));
    let states = prop::collection::vec(any::<[bool; 2]>(), 2..11);
    let strategy = (states, 1_u64..11, 0_u64..4, any::<bool>());
    let mut runner = TestRunner::deterministic();
    let mut counts = [0; 2];
    for _ in 0..150 {
        let (mut states, from, length, has_left) = strategy.new_tree(&mut runner).unwrap().current();
        let len = states.len();
        states.push([false, true]);
        let (x, last, kept) = (literal(0, true), literal(1, true), literal(2, true));
        let window = tenths(from, from + length);
        let asked = match has_left {
            true => Recipe::Binary(BinaryOp::Until, Direction::Past, window, Box::new(kept), Box::new(x)),
            false => Recipe::Eventually(Direction::Past, window, Box::new(x)),
        };
        let nothing_next = Recipe::Next(Direction::Future, Strength::Weak, Box::new(Recipe::Constant(false)));
        let mut formula = all_of([asked, nothing_next]);
        for (at, &[is_x, is_kept]) in states.iter().enumerate().rev() {
            let letter = [literal(0, is_x), literal(1, at == len), literal(2, is_kept)];
            let away = (len - at) as u64;
            let held = Recipe::Eventually(Direction::Future, tenths(away, away), Box::new(last.clone()));
            let next = Recipe::Next(Direction::Future, Strength::Strong, Box::new(formula.clone()));
            let rest = if at == len { vec![formula] } else { vec![held, next] };
            formula = all_of(letter.into_iter().chain(rest));
        }
        let mut arena = Formulas::new();
        let formula = formula.build(&mut arena);
        let column = |bit: &dyn Fn(usize) -> bool| (0..=len).map(bit).collect();
        let columns = vec![column(&|at| states[at][0]), column(&|at| at == len), column(&|at| states[at][1])];
        let time: Vec<i64> = (0..=len as i64).map(|at| 100_000_000 * at).collect();
        let trace = Trace { time: Some(time.into()), ..Trace::of_bools(len + 1, columns) };
        let is_possible = semantics::satisfied(&arena, formula, &trace).unwrap();
        let answer = answered(&arena, formula);
        let text = arena.display(formula, &["x".into(), "last".into(), "kept".into()]).to_string();
        assert_eq!(matches!(answer, Some(Answer::Found(_))), is_possible, "{text}: {answer:?}");
        counts[usize::from(is_possible)] += 1;
    }
    assert!(counts.iter().all(|&count| count > 40), "{counts:?}");
}

/// A search with bounds in both directions may have no end. Limits cannot be blamed for that, and
/// advice to make bounds shorter would not help.
#[test]
fn without_an_end_nobody_knows() {
    let answer = |directions: [Direction; 2]| {
        let owed = |direction, trigger| {
            let [trigger, f, g] = [literal(trigger, true), literal(0, true), literal(1, true)];
            obligation((trigger, 0, direction, millis(1_000, Some(1_000)), f, g))
        };
        let mut arena = Formulas::new();
        let obligations = [owed(directions[0], 0), owed(directions[1], 2), at_some_time(literal(2, true))];
        let formula = all_of(obligations).build(&mut arena);
        answered_within(&arena, formula, Room { work: 10, ..SEARCH_LIMITS })
    };
    assert_eq!(answer([Direction::Future, Direction::Past]), Some(Answer::Unknown(Unknown::ManyWindows)));
    assert_eq!(answer([Direction::Future, Direction::Future]), None);
}

/// A proposition, or its negation.
fn literal(atom: u32, holds: bool) -> Recipe {
    let atom = Recipe::Atom(atom);
    if holds { atom } else { Recipe::Not(Box::new(atom)) }
}

/// Windows that open at once, later, at one moment only, and that never close.
#[test]
fn formulas_with_three_bounds_are_decided() {
    let windows = [
        millis(0, Some(1_000)),
        millis(0, Some(2_000)),
        millis(0, Some(5_000)),
        millis(1_000, None),
        millis(1_000, Some(2_000)),
        millis(1_000, Some(1_000)),
    ];
    let [found, nowhere, unknown] = decided(500, &windows, &[0, 500_000_000, 1_000_000_000, 1_000_000_001]);
    assert!(found > 600 && nowhere > 100, "{found} {nowhere}");
    assert_eq!(unknown, 0);
}

/// Windows that have little to do with each other.
#[test]
fn formulas_with_odd_bounds_are_decided() {
    let windows = [
        millis(0, Some(250)),
        millis(0, Some(7_000)),
        millis(30, Some(90)),
        millis(400, Some(3_600_000)),
        millis(999, Some(1_001)),
        // Half-open ones.
        time(250_000_001, Some(7_000_000_000)),
        time(0, Some(29_999_999)),
    ];
    let [found, nowhere, unknown] = decided(300, &windows, &[0, 90_000_000, 250_000_001, 1_000_000_000]);
    assert!(found > 300 && nowhere > 50, "{found} {nowhere}");
    assert_eq!(unknown, 0);
}

/// Bounds in steps and in time inside each other, in any number: most are decided, and none is
/// decided wrongly.
#[test]
fn nested_bounds_are_never_decided_wrongly() {
    let shape = Shape::unbounded(1).with_gaps([0, 1, 40, 100]);
    let traces = enumerate::traces_of(&shape, 3);
    let mut runner = TestRunner::deterministic();
    let strategy = generate::formula(2, Windows::StepsAndTime);
    let limits = Room { work: 2_000_000, ..SEARCH_LIMITS };
    let (mut timed, mut decided) = (0, 0);
    for _ in 0..500 {
        let mut arena = Formulas::new();
        let formula = strategy.new_tree(&mut runner).unwrap().current().build(&mut arena);
        if !has_time(&arena, formula) {
            continue;
        }
        timed += 1;
        let text = arena.display(formula, &["a".into(), "b".into()]).to_string();
        let shortest = shortest(&arena, &[formula], &traces)[0];
        match answered_within(&arena, formula, limits) {
            Some(Answer::Nowhere) => assert_eq!(shortest, None, "{text}"),
            Some(Answer::Found(found)) => {
                assert!(shortest.is_none_or(|len| found.letters.len() <= len), "{text}: {found:?}");
            }
            Some(Answer::Unknown(_)) | None => continue,
        }
        decided += 1;
    }
    assert!(timed > 100 && decided * 10 >= timed * 8, "{decided} of {timed}");
}
