//! Long traces, small limits, formulas that are refused, and verdicts while a trace goes on.
#![allow(clippy::disallowed_methods, reason = "the test tells how long a limit takes to be reached")]

use crate::example::Example;
use traceward_engine::engine::breadth_first::{BreadthFirst, OverSlices};
use traceward_engine::engine::depth_first::DepthFirst;
use traceward_engine::engine::follow::{Follow, Step};
use traceward_engine::engine::offline::Offline;
use traceward_engine::engine::{EngineConfig, Subsumption};
use traceward_engine::limit::Limits;
use traceward_engine::limit::{GaveUp, Unsupported};
use traceward_engine::run_statistics::RejectingVisits;
use traceward_engine::select::{Prepared, Simplification};
use traceward_logic::bitmap::Bitmap;
use traceward_logic::letter::Letters;
use traceward_logic::lower::{Claim, Goal};
use traceward_logic::verdict::Verdict;

fn prepared(formula: &str) -> Prepared {
    let lowered = traceward_testkit::lowered(formula, Goal::Check, None, None).expect("a formula");
    let Claim::Formula(root) = lowered.properties[0].claim else { panic!("{formula} is a formula") };
    Prepared::new(&lowered.formulas, &[root], Simplification::Off)
}

fn depth_first(formula: &str, work_limit: u64) -> DepthFirst {
    let Prepared { formulas, alphabet, normal, .. } = prepared(formula);
    DepthFirst::new(
        &formulas,
        &alphabet,
        &normal,
        EngineConfig { limits: Limits { work: work_limit, ..Limits::default() }, ..EngineConfig::default() },
    )
}

fn breadth_first(formula: &str, config: EngineConfig) -> Result<BreadthFirst, Unsupported> {
    let Prepared { formulas, alphabet, normal, .. } = prepared(formula);
    BreadthFirst::new(&formulas, &alphabet, normal[0], config)
}

/// A trace of formulas with one atom.
fn one_column(bits: Bitmap) -> Letters {
    Letters { len: bits.len(), bitmaps: vec![bits], time: None }
}

/// All one but for one position.
fn all_but(len: usize, position: usize) -> Letters {
    let mut bits = Bitmap::filled(len, true);
    bits.set(position, false);
    one_column(bits)
}

const LONG: usize = 1_000_000;
const NO_LIMIT: u64 = u64::MAX;

fn check(engine: &DepthFirst, letters: &Letters) -> Result<bool, GaveUp> {
    engine.decide(letters).map(|decisions| decisions[0].holds)
}

#[test]
fn depth_first_gives_up_on_quadratic_work() {
    // z only at the end: every position looks for it along the whole trace.
    let mut bits = Bitmap::filled(3000, false);
    bits.set(2999, true);
    let letters = one_column(bits);
    let gave_up = check(&depth_first("G F z", 100_000), &letters).unwrap_err();
    assert_eq!(gave_up.engine, "depth-first");
    assert_eq!(
        gave_up.to_string(),
        "the engine depth-first gave up: it took 100000 steps without an answer; reverse answers the same in \
         linear time; the limit can be raised"
    );
    assert!(check(&depth_first("G F z", NO_LIMIT), &letters).unwrap());
    let statistics = depth_first("G F z", 100_000);
    assert!(statistics.statistics(&RejectingVisits, &letters).is_err());
}

#[test]
fn the_work_limit_is_the_work_that_may_be_done() {
    // A leaf is one condition.
    let letters = one_column(Bitmap::filled(1, true));
    assert!(check(&depth_first("a", 1), &letters).unwrap());
    assert!(check(&depth_first("a", 0), &letters).is_err());
    // The limit is one for each question, not for an engine.
    let engine = depth_first("G a", 10);
    for _ in 0..5 {
        engine.decide(&letters).unwrap();
    }
}

#[test]
fn depth_first_does_not_overflow_the_stack() {
    let all = one_column(Bitmap::filled(LONG, true));
    let none = one_column(Bitmap::filled(LONG, false));
    let but_last = all_but(LONG, LONG - 1);
    for (formula, letters, expected) in [
        ("G a", &all, true),
        ("G a", &but_last, false),
        ("F a", &all, true),
        ("F a", &none, false),
        ("F !a", &but_last, true),
        ("a U !a", &but_last, true),
        ("F(!a & H(a | Z a))", &but_last, true),
    ] {
        let engine = depth_first(formula, NO_LIMIT);
        assert_eq!(check(&engine, letters).unwrap(), expected, "{formula}");
    }
    let engine = depth_first("F !a", NO_LIMIT);
    let visits = engine.statistics(&RejectingVisits, &but_last).unwrap();
    assert_eq!(visits, Some(LONG as u64 - 1));
}

#[test]
fn depth_first_answers_ten_million_states() {
    let started = std::time::Instant::now();
    let all = one_column(Bitmap::filled(10 * LONG, true));
    assert!(check(&depth_first("G a", NO_LIMIT), &all).unwrap());
    let took = started.elapsed();
    assert!(took.as_secs() < 10, "{took:?}");
}

const EXPLODES: &str = "G(F a & F b & F c & F d & F e)";

#[test]
fn breadth_first_gives_up_where_slices_explode() {
    let columns = ["a", "b", "c", "d", "e"].map(|name| (name, "111111"));
    let example = Example::new(EXPLODES, &columns);
    let config = |subsumption, slice_limit| EngineConfig {
        subsumption,
        limits: Limits { slices: slice_limit, remembered: 100, ..Limits::default() },
        ..EngineConfig::default()
    };
    let engine = |subsumption, slice_limit| breadth_first(EXPLODES, config(subsumption, slice_limit)).unwrap();
    let gave_up = engine(Subsumption::Off, 20).verdict_at_end(&example.letters).unwrap_err();
    assert_eq!(gave_up.engine, "breadth-first");
    assert_eq!(
        gave_up.to_string(),
        "the engine breadth-first gave up: there are more than 20 slices at one position; reverse answers the same in \
         linear time; the limit can be raised"
    );
    let Prepared { formulas, alphabet, normal, .. } = &example.subject.prepared;
    let small = OverSlices::new(formulas, alphabet, normal[0], config(Subsumption::Off, 20)).unwrap();
    assert!(small.statistics(&RejectingVisits, &example.letters).is_err());
    assert!(engine(Subsumption::Off, 1000).verdict_at_end(&example.letters).unwrap().decision().holds);
    // A slice in which an eventuality is fulfilled makes those go that wait for it.
    assert!(engine(Subsumption::On, 20).verdict_at_end(&example.letters).unwrap().decision().holds);
}

#[test]
fn breadth_first_refuses_a_future_inside_a_past() {
    let config = EngineConfig::default();
    let message = "the engine breadth-first cannot take a future operator inside a past one; reverse can";
    for formula in ["O F a", "G(a -> Y X b)", "(X a) S b", "a S (b & WX a)", "H !(a U b)", "Y (a & Z F b)"] {
        assert_eq!(breadth_first(formula, config).unwrap_err().to_string(), message, "{formula}");
    }
    for formula in ["F O a", "G(a -> F(b & O a))", "a U (b S a)", "Y Z a", "X Y a"] {
        assert!(breadth_first(formula, config).is_ok(), "{formula}");
    }
}

#[test]
fn both_take_bounds() {
    let letters = one_column(Bitmap::filled(4, true));
    for (formula, expected) in [("F[0,3] a", true), ("G O[1,2] a", false), ("a U[2,] !a", false), ("G H[1,2] a", true)]
    {
        assert_eq!(check(&depth_first(formula, NO_LIMIT), &letters).unwrap(), expected, "{formula}");
        let engine = breadth_first(formula, EngineConfig::default()).unwrap();
        let found = engine.verdict_at_end(&letters).unwrap().decision();
        assert_eq!(found.holds, expected, "{formula}");
    }
}

#[test]
fn breadth_first_refuses_bounds_of_centuries() {
    let message = "the engine breadth-first cannot take bounds of more than 292 years; reverse can";
    for formula in ["F[0,3s] a", "G(a -> O[1ms,2ms] b)", "X(a U[2s,] b)", "F[0,3] G[106000d] a"] {
        assert!(breadth_first(formula, EngineConfig::default()).is_ok(), "{formula}");
    }
    for formula in ["F[0,9223372036854775807ns] a", "G(a -> X G[9223372036854775807ns,] b)"] {
        let refused = breadth_first(formula, EngineConfig::default()).unwrap_err();
        assert_eq!(refused.to_string(), message, "{formula}");
    }
}

#[test]
#[should_panic(expected = "statistics are for formulas without bounds")]
fn there_are_no_statistics_of_bounds() {
    let Prepared { formulas, alphabet, normal, .. } = prepared("G(a -> F[0,3] b)");
    let _ = OverSlices::new(&formulas, &alphabet, normal[0], EngineConfig::default());
}

#[test]
fn breadth_first_agrees_while_it_forgets() {
    agrees_while_it_forgets("G(a -> F b) & G(c -> O b | a)", 20_000);
    agrees_while_it_forgets("G F a", LONG);
}

/// Random states through a cache that forgets all the time, beside one that does not.
fn agrees_while_it_forgets(formula: &str, len: usize) {
    let limited = |cache_limit| {
        breadth_first(
            formula,
            EngineConfig { limits: Limits { remembered: cache_limit, ..Limits::default() }, ..EngineConfig::default() },
        )
        .unwrap()
    };
    let (small, large) = (limited(2), limited(10_000));
    let (mut forgetful, mut run) = (small.start().unwrap(), large.start().unwrap());
    let mut seen = [false; 2];
    let mut random = 12345_u64;
    for position in 0..len {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // c only once b has been seen, or the formula fails at once.
        let bits = random >> 40 & if position < 20 { 0b011 } else { 0b111 };
        let holds = |proposition: traceward_logic::letter::Proposition| bits >> proposition.0 & 1 == 1;
        let verdict = small.step(&mut forgetful, Step::new(&holds, position)).unwrap();
        assert_eq!(verdict, large.step(&mut run, Step::new(&holds, position)).unwrap(), "at {position}");
        if position % 1000 == 0 {
            assert_eq!(small.slices_of(&forgetful), large.slices_of(&run));
        }
        seen[usize::from(verdict == Verdict::Holding)] = true;
        assert!(matches!(verdict, Verdict::Holding | Verdict::Pending));
    }
    assert_eq!(seen, [true; 2], "both verdicts came up");
}

/// Runs of one engine that forget, state by state in turn; and clones, which have forgotten
/// everything.
#[test]
fn runs_of_one_engine_do_not_meet() {
    let columns = [("a", "0110100011010110"), ("b", "1000110010101101"), ("c", "0010011101001011")];
    let example = Example::new("G(a -> F b) & G F(c & X a)", &columns);
    let Prepared { formulas, alphabet, normal, .. } = &example.subject.prepared;
    let engine = |cache_limit| {
        let config =
            EngineConfig { limits: Limits { remembered: cache_limit, ..Limits::default() }, ..EngineConfig::default() };
        BreadthFirst::new(formulas, alphabet, normal[0], config).unwrap()
    };
    let (forgets, keeps) = (engine(2), engine(10_000));
    let mut runs: Vec<_> = (0..4).map(|_| (forgets.start().unwrap(), keeps.start().unwrap())).collect();
    for step in 0..200 {
        for (nth, (run, other)) in runs.iter_mut().enumerate() {
            let position = (step * (nth + 1) + nth) % example.letters.len;
            let holds = |proposition| example.letters.bitmap(proposition).get(position);
            let verdict = forgets.step(run, Step::new(&holds, step)).unwrap();
            assert_eq!(verdict, keeps.step(other, Step::new(&holds, step)).unwrap(), "run {nth} at {step}");
            assert_eq!(forgets.slices_of(run), keeps.slices_of(other), "run {nth} at {step}");
            if step % 7 == nth {
                *other = other.clone();
            }
        }
    }
}

/// The verdict after each state.
fn verdicts(formula: &str, bits: &str) -> String {
    let example = Example::new(formula, &[("a", bits)]);
    let engine = example.subject.breadth_first.as_ref().unwrap();
    let mut run = engine.start().unwrap();
    let letter = |verdict: Verdict| match verdict {
        Verdict::Satisfied => 'S',
        Verdict::Violated => 'V',
        Verdict::Holding => 'h',
        Verdict::Pending => 'p',
    };
    let step = |position| {
        let holds = |proposition| example.letters.bitmap(proposition).get(position);
        let verdict = engine.step(&mut run, Step::new(&holds, position)).unwrap();
        assert_eq!(engine.verdict(&run), verdict);
        letter(verdict)
    };
    let said: String = (0..example.letters.len).map(step).collect();
    let decision = engine.verdict_at_end(&example.letters).unwrap().decision();
    assert_eq!(decision.decided_at, said.find(['S', 'V']), "{formula}");
    assert_eq!(Verdict::at_end(decision.holds), Verdict::at_end(example.satisfied), "{formula}");
    said
}

#[test]
fn verdicts_come_as_soon_as_they_are_certain_and_stay() {
    assert_eq!(verdicts("F a", "0010100"), "ppSSSSS");
    assert_eq!(verdicts("G a", "1101011"), "hhVVVVV");
    assert_eq!(verdicts("G F a", "0110"), "phhp");
    assert_eq!(verdicts("X a", "0100"), "pSSS");
    assert_eq!(verdicts("WX a", "0000"), "hVVV");
    assert_eq!(verdicts("a", "1000"), "SSSS");
    assert_eq!(verdicts("Y a", "1111"), "VVVV");
    assert_eq!(verdicts("Z a", "0000"), "SSSS");
    assert_eq!(verdicts("F(a & Y a)", "10110"), "pppSS");
    assert_eq!(verdicts("G(a -> Y !a)", "01011"), "hhhhV");
}
