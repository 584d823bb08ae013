//! Reverse traversal with bitmaps in memory, simplification off, truth at every position counted.

use crate::{Random, Row, measured};
use std::hint::black_box;
use traceward_engine::select::{Cache, Config, EngineName, Evaluator, Prepared, Simplification};
use traceward_logic::bitmap::Bitmap;
use traceward_logic::letter::Letters;
use traceward_logic::lower::{Claim, Goal};
use traceward_logic::trace::Trace;

const STATES: usize = 100_000_000;

/// States in the proportions of Finkbeiner and Sipma's section 6: 10 % a, 40 % b, 25 % c, 25 %
/// nothing; a at the end.
pub struct Paper {
    pub a: Bitmap,
    pub b: Bitmap,
}

pub fn paper(states: usize) -> Paper {
    let mut random = Random(1);
    let (mut a, mut b) = (Bitmap::new(), Bitmap::new());
    for _ in 0..states - 1 {
        let draw = random.below(100);
        a.push(draw < 10);
        b.push((10..50).contains(&draw));
    }
    a.push(true);
    b.push(false);
    Paper { a, b }
}

/// A formula over a and b, ready to be evaluated, and the letters it is evaluated on.
fn prepare(formula: &str, paper: &Paper) -> (Evaluator, Letters) {
    let lowered = traceward_testkit::lowered(formula, Goal::Check, None, None).expect("a formula");
    let Claim::Formula(root) = lowered.properties[0].claim else { panic!("a formula") };
    let config = Config { engine: EngineName::Reverse, simplification: Simplification::Off, ..Config::default() };
    let evaluator = Evaluator::new(&Prepared::shared(&lowered.formulas, &[root], config.simplification), &config);
    let names = lowered.variables.names();
    let columns = names.iter().map(|name| if **name == *"a" { paper.a.clone() } else { paper.b.clone() });
    let trace = Trace::of_bools(paper.a.len(), columns.collect());
    let letters = evaluator.prepared().letters(&trace);
    (evaluator, letters)
}

fn ours(name: &str, evaluator: &Evaluator, letters: &Letters, expected: usize) -> Row {
    let mut cache = Cache::default();
    measured(name, letters.len as u64, "states", &expected, || {
        evaluator.truth(&mut cache, letters).expect("reverse never gives up")[0].count_ones()
    })
}

/// The time it takes to look at every bit of the letters once.
fn scan(letters: &Letters) -> Row {
    let count = || letters.bitmaps.iter().map(|bitmap| black_box(bitmap).count_ones()).sum::<usize>();
    let expected = count();
    measured("reading the bitmaps, for comparison", letters.len as u64, "states", &expected, count)
}

pub fn figure_10_third_formula() -> Vec<Row> {
    let formula = "G(b -> (!a U (a U (!a U a))))";
    let paper = paper(STATES);
    // Equivalent to G(b -> F a); the trace ends with a, so it holds everywhere.
    let expected = STATES;
    let (evaluator, letters) = prepare(formula, &paper);
    vec![ours(formula, &evaluator, &letters, expected), scan(&letters)]
}

pub fn past_and_future() -> Vec<Row> {
    let formula = "b -> (!b S a) | F (a & O b)";
    let paper = paper(STATES);
    let (evaluator, letters) = prepare(formula, &paper);
    let expected = past_and_future_by_hand(&paper);
    vec![ours(formula, &evaluator, &letters, expected), scan(&letters)]
}

/// `b -> (!b S a) | F (a & O b)`, one position at a time.
fn past_and_future_by_hand(paper: &Paper) -> usize {
    let len = paper.a.len();
    let first_b = (0..len).find(|&position| paper.b.get(position)).unwrap_or(len);
    let last_a = (0..len).rev().find(|&position| paper.a.get(position)).unwrap_or(0);
    let mut count = 0;
    let mut since = false;
    for position in 0..len {
        let (a, b) = (paper.a.get(position), paper.b.get(position));
        since = a || (!b && since);
        let later = position <= last_a && last_a >= first_b;
        count += usize::from(!b || since || later);
    }
    count
}

pub fn bounded() -> Vec<Row> {
    let states = STATES / 10;
    let paper = paper(states);
    [10_usize, 100, 10_000]
        .into_iter()
        .map(|bound| {
            let formula = format!("b -> F[0,{bound}] a");
            let expected = bounded_by_hand(&paper, bound);
            let (evaluator, letters) = prepare(&formula, &paper);
            ours(&formula, &evaluator, &letters, expected)
        })
        .collect()
}

fn bounded_by_hand(paper: &Paper, bound: usize) -> usize {
    let mut next_a = usize::MAX;
    let mut count = 0;
    for position in (0..paper.a.len()).rev() {
        if paper.a.get(position) {
            next_a = position;
        }
        let in_time = next_a != usize::MAX && next_a - position <= bound;
        count += usize::from(!paper.b.get(position) || in_time);
    }
    count
}
