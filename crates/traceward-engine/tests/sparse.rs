//! Streaming on traces that are long against its words and rings, and in which little happens for
//! long: whatever is kept for later, passed over or gone on with is compared with reverse traversal
//! after every state.

use proptest::prelude::*;
use std::sync::Arc;
use traceward_engine::select::{Cache, Config, EngineName, Evaluator, Online, Prepared, Running, Simplification, Step};
use traceward_logic::bitmap::Bitmap;
use traceward_logic::formula::{BinaryOp, Direction, Formulas, Interval, Strength};
use traceward_logic::letter::Letters;
use traceward_logic::lower::{Claim, Goal, Schema};
use traceward_logic::trace::{Times, Trace};
use traceward_logic::verdict::Verdict;
use traceward_testkit::generate::Recipe;

const LEN: usize = 330;

/// Formulas whose windows are A to B; the unit stands behind both.
const FORMULAS: [&str; 12] = [
    "G(p -> F[A,B] q)",
    "G(p -> (r U[A,B] q))",
    "G(p -> (r W[A,B] q))",
    "G(p -> (q R[A,B] r))",
    "G(p -> F[A,B] (q & G[A,B] r))",
    "G(p -> F[0U,B] (q & F[A,B] (r & F[0U,B] p)))",
    "G(p -> (G[A,B] r | F[0U,B] (q & G[A,B] r)))",
    "G(p -> ((F[0U,A] q) U[A,B] (r & F[A,B] q)))",
    "G(p -> F[A,B] O[0U,A] (q & F[A,B] r))",
    "(F[A,B] (q & G[A,B] r)) & G(p -> F[A,inf] q)",
    "G[A,B] (p -> F[A,B] (q & G[0U,A] r))",
    "G(q -> X (p | F[A,B] G[0U,B] r)) | F[A,B] F[A,B] p",
];

/// Windows that begin and end around the words of 64 positions.
fn window() -> impl Strategy<Value = (u64, u64)> {
    let from = prop_oneof![Just(0), 1_u64..4, 62_u64..67, 126_u64..131];
    (from, prop_oneof![0_u64..4, 30_u64..70, 120_u64..140]).prop_map(|(from, width)| (from, from + width))
}

/// A proposition that holds at one in so many states, or fails there.
fn column() -> impl Strategy<Value = Bitmap> {
    let rarity = prop_oneof![Just(2_u32), Just(10), Just(80), Just(1000)];
    (rarity, any::<bool>()).prop_flat_map(|(rarity, value)| {
        proptest::collection::vec(0..rarity, LEN)
            .prop_map(move |draws| draws.into_iter().map(|draw| (draw == 0) == value).collect())
    })
}

/// Timestamps that stand still, go on and jump.
fn times() -> impl Strategy<Value = Times> {
    let gap = prop_oneof![4 => Just(0_i64), 4 => Just(1), 1 => 2_i64..80];
    proptest::collection::vec(gap, LEN).prop_map(|gaps| {
        let mut now = -100;
        gaps.into_iter()
            .map(|gap| {
                now += gap;
                now
            })
            .collect()
    })
}

fn truth(reverse: &Evaluator, letters: &Letters, len: usize) -> bool {
    let positions: Vec<u32> = (0..len as u32).collect();
    let mut cache = Cache::default();
    reverse.truth(&mut cache, &letters.gather(&positions)).expect("reverse never gives up")[0].get(0)
}

fn step(run: &mut dyn Running, letters: &Letters, position: usize) -> Verdict {
    let letter = |proposition| letters.bitmap(proposition).get(position);
    let time = letters.time.as_ref().map(|time| time[position]);
    run.step(Step { time, ..Step::new(&letter, position) }).expect("no limit is reached")
}

/// What a run says after every state, also if it was saved at a cut, told the time, or not asked
/// for its verdict before.
fn agrees(formula: &str, trace: &Trace, cut: usize) {
    let schema = Schema { has_time: true, ..Schema::default() };
    let lowered = traceward_testkit::lowered(formula, Goal::Check, None, Some(&schema)).expect("a formula");
    let Claim::Formula(root) = lowered.properties[0].claim else { panic!("{formula} is a formula") };
    let of = |engine| Config { engine, simplification: Simplification::Off, ..Config::default() };
    let prepared = Prepared::shared(&lowered.formulas, &[root], Simplification::Off);
    let reverse = Evaluator::new(&prepared, &of(EngineName::Reverse));
    let streaming = Online::new(&prepared, 0, &of(EngineName::Streaming)).expect("it takes every formula");
    let column = |name: &Arc<str>| ["p", "q", "r"].iter().position(|one| **one == **name).expect("a variable");
    let columns = lowered.variables.names().iter().map(|name| trace.columns[column(name)].clone()).collect();
    let letters = prepared.letters(&Trace { columns, ..trace.clone() });
    let mut run = streaming.start().expect("a run");
    let mut others: Vec<Box<dyn Running>> = Vec::new();
    let mut silent = streaming.start().expect("a run");
    let whole = truth(&reverse, &letters, LEN);
    for position in 0..LEN {
        if position == cut {
            others.push(streaming.restore(&run.save()).expect("its own bytes"));
            others.push(silent.copy());
        }
        let verdict = step(&mut *run, &letters, position);
        let expected = truth(&reverse, &letters, position + 1);
        let holds = matches!(verdict, Verdict::Satisfied | Verdict::Holding);
        assert_eq!(holds, expected, "{formula}: {verdict} at {position}");
        assert!(!verdict.is_final() || holds == whole, "{formula}: {verdict} at {position}");
        for other in &mut others {
            assert_eq!(step(&mut **other, &letters, position), verdict, "{formula} cut at {cut}, at {position}");
        }
        let letter = |proposition| letters.bitmap(proposition).get(position);
        let time = letters.time.as_ref().map(|time| time[position]);
        silent.take(Step { time, ..Step::new(&letter, position) }).expect("no limit is reached");
        assert_eq!(silent.verdict(), verdict, "{formula} not asked, at {position}");
        if verdict.is_final() {
            return;
        }
        if let (Some(told), Some(time)) = (others.last_mut(), time) {
            assert_eq!(told.advance(time).expect("no limit is reached"), verdict, "{formula} told the time");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8000, ..ProptestConfig::default() })]

    #[test]
    fn what_is_kept_for_later_is_as_if_it_were_known(
        formula in proptest::sample::select(&FORMULAS[..]),
        (from, to) in window(),
        unit in proptest::sample::select(&["", "ns"][..]),
        columns in proptest::collection::vec(column(), 3),
        time in times(),
        cut in 1..LEN,
    ) {
        let text = |bound: u64| format!("{bound}{unit}");
        let formula = formula.replace("0U", &text(0)).replace('A', &text(from)).replace('B', &text(to));
        let trace = Trace { time: Some(time), ..Trace::of_bools(LEN, columns) };
        agrees(&formula, &trace, cut);
    }
}

/// Parts that have rested are told the time all the same.
#[test]
fn the_clock_is_heard_by_parts_that_rest() {
    let schema = Schema { has_time: true, ..Schema::default() };
    let formula = "G(p -> F[0,10ns] (q & G[0,5ns] r))";
    let lowered = traceward_testkit::lowered(formula, Goal::Check, None, Some(&schema)).expect("a formula");
    let Claim::Formula(root) = lowered.properties[0].claim else { panic!("a formula") };
    let prepared = Prepared::shared(&lowered.formulas, &[root], Simplification::Off);
    let config = Config { engine: EngineName::Streaming, ..Config::default() };
    let mut run = Online::new(&prepared, 0, &config).expect("it takes every formula").start().expect("a run");
    let columns = ["1000", "0000", "1111"].map(|bits| bits.chars().map(|bit| bit == '1').collect()).into();
    let letters = prepared.letters(&Trace { time: Some([0, 1, 2, 3].into()), ..Trace::of_bools(4, columns) });
    for position in 0..4 {
        assert_eq!(step(&mut *run, &letters, position), Verdict::Pending);
    }
    assert_eq!(run.advance(10), Ok(Verdict::Pending));
    assert_eq!(run.advance(11), Ok(Verdict::Violated));
}

/// A constant settles each state by itself, so nobody may rest beside it.
#[test]
fn constants_are_looked_at_in_every_state() {
    let mut formulas = Formulas::new();
    let late = Recipe::Next(Direction::Future, Strength::Strong, Box::new(Recipe::Atom(0)));
    let never = Box::new(Recipe::Constant(false));
    let owed = Recipe::Binary(BinaryOp::Release, Direction::Future, Interval::steps(1, None), Box::new(late), never);
    let root = owed.build(&mut formulas);
    let config = Config { engine: EngineName::Streaming, simplification: Simplification::Off, ..Config::default() };
    let prepared = Prepared::shared(&formulas, &[root], config.simplification);
    let online = Online::new(&prepared, 0, &config).expect("it takes every formula");
    let mut run = online.start().expect("no limit is reached");
    let verdicts = [0, 1].map(|position| run.step(Step::new(&|_| false, position)).expect("no limit is reached"));
    assert_eq!(verdicts, [Verdict::Holding, Verdict::Violated]);
}
