//! Whatever the formula, an engine that cannot answer gives up inside a step: after a bounded
//! amount of work, and within the memory that it is allowed.

use peak_alloc::PeakAlloc;
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};
use traceward_engine::engine::Subsumption;
use traceward_engine::limit::{BuildError, GaveUp, Interrupt, Limit, Limits};
use traceward_engine::select::{Config, EngineName, Judge, OfFormula, Prepared, Simplification};
use traceward_logic::bitmap::Bitmap;
use traceward_logic::letter::Letters;
use traceward_logic::lower::Claim;
use traceward_testkit::corpus;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Held by whoever measures memory: there is one peak for all threads.
static TURN: Mutex<()> = Mutex::new(());

/// The bytes that an engine is allowed here.
const ALLOWED: usize = 64 << 20;

/// The limits of engines here.
fn limits() -> Limits {
    Limits { work: 2_000_000, automaton_steps: 200_000, search: 10_000, memory: ALLOWED, ..Limits::default() }
}

fn prepared(text: &str) -> Prepared {
    let names: BTreeMap<String, String> = (0..64).map(|one| (format!("a{one}"), String::new())).collect();
    let (lowered, claim, _) = corpus::prepare(text, &names, None, 0);
    let Claim::Formula(formula) = claim else { panic!("{text} is a formula") };
    Prepared::new(&lowered.formulas, &[formula], Simplification::Off)
}

/// Letters that look random, the same every time.
fn letters(prepared: &Prepared, len: usize) -> Letters {
    let mut seed = 5_u64;
    let mut word = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        seed ^ (seed >> 29)
    };
    let mut bitmap = || Bitmap::from_words((0..len.div_ceil(64)).map(|_| word() & word()).collect(), len);
    let propositions = prepared.alphabet.atoms().len();
    Letters { len, bitmaps: (0..propositions).map(|_| bitmap()).collect(), time: None }
}

fn joined(count: usize, by: &str, one: impl Fn(usize) -> String) -> String {
    (0..count).map(one).collect::<Vec<_>>().join(by)
}

/// The answer of an engine, and the bytes that it took at the most.
fn asked(text: &str, config: &Config, states: usize) -> (Result<bool, BuildError>, usize) {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let prepared = prepared(text);
    let letters = letters(&prepared, states);
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let answer = match Judge::new(&prepared, &[0], config) {
        Err(OfFormula { error, .. }) => Err(error),
        Ok(judge) => match judge.expect("an engine that judges").decide(&letters) {
            Ok(rulings) => Ok(rulings[0].decision.holds),
            Err(OfFormula { error, .. }) => Err(error.into()),
        },
    };
    (answer, MEMORY.peak_usage() - before)
}

/// Formulas of which some engine has to make more than there is room for.
fn hostile() -> Vec<String> {
    let next = |steps: usize| format!("{}a0", "X ".repeat(steps + 1));
    vec![
        joined(26, " xor ", next),
        joined(8, " <-> ", |one| format!("F[0,9] a{one}")),
        joined(17, " xor ", |one| format!("G F a{one}")),
        joined(17, " & ", |one| format!("(F a{one} | G a{})", one + 17)),
        joined(12, " | ", |one| format!("(a{one} U (a{} R a{}))", one + 12, one + 24)),
        "G(a0 -> F[0,100](a1 & F a2))".to_owned(),
        "G F[0,1000] G[0,1000] F a0".to_owned(),
        "F[0,1000000](a0 & F[3,1000000](a1 & F[5,1000000] a2))".to_owned(),
        joined(9, " xor ", |one| format!("((a{one} M a{}) U[{one},40] (a{} R[0,9] a{}))", one + 1, one + 9, one + 18)),
        format!("G({})", joined(10, " xor ", |one| format!("F[{one},20](a{one} & X a{})", one + 1))),
        format!("G({})", joined(24, " xor ", |one| format!("(a{one} S[{one},{}] O a{})", one + 9, one + 1))),
        joined(2000, " & ", |one| format!("(F a{} | G F[0,{one}] a{})", one % 64, (one + 1) % 64)),
    ]
}

#[test]
fn every_engine_ends_within_its_budget() {
    let (mut answered, mut gave_up) = (0, 0);
    for engine in EngineName::ALL.iter().copied().filter(|engine| engine.follows() && *engine != EngineName::Auto) {
        for subsumption in [Subsumption::On, Subsumption::Within, Subsumption::Off] {
            let config = Config { engine, subsumption, limits: limits(), ..Config::default() };
            for text in hostile() {
                let (answer, peak) = asked(&text, &config, 20);
                // Beside what is counted there are the automaton, and what allocators round up.
                assert!(peak <= ALLOWED + ALLOWED / 4, "{engine}: {text} took {peak} bytes");
                match answer {
                    Ok(_) => answered += 1,
                    Err(_) => gave_up += 1,
                }
            }
        }
    }
    assert!(answered >= 20 && gave_up >= 20, "{answered} answered, {gave_up} gave up");
}

fn limit_of(text: &str, config: &Config, states: usize) -> Limit {
    match asked(text, config, states).0 {
        Err(BuildError::GaveUp(GaveUp { limit, .. })) => limit,
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn a_tree_stops_growing_inside_a_step() {
    let config = Config { engine: EngineName::ForwardBackward, limits: limits(), ..Config::default() };
    let text = &hostile()[0];
    assert!(matches!(limit_of(text, &config, 2), Limit::Memory(_) | Limit::Work(_)));
    // The tree of the first state has 2^26 leaves.
    let few = Limits { nodes: 1000, ..limits() };
    let (_, peak) = asked(text, &Config { limits: few, ..config }, 2);
    assert!(peak < 1 << 20, "{peak}");
}

#[test]
fn slices_are_not_compared_for_ever() {
    let config = Config { engine: EngineName::BreadthFirst, limits: limits(), ..Config::default() };
    assert!(matches!(limit_of(&hostile()[1], &config, 20), Limit::Memory(_) | Limit::Work(_)));
}

#[test]
fn ways_are_not_multiplied_for_ever() {
    let config =
        Config { engine: EngineName::Generic, subsumption: Subsumption::Off, limits: limits(), ..Config::default() };
    let limit = limit_of("G(a0 -> F[0,100](a1 & F a2))", &config, 300);
    assert!(matches!(limit, Limit::Memory(_) | Limit::Work(_)), "{limit:?}");
}

#[test]
fn an_interrupt_ends_a_step() {
    static FLAG: AtomicBool = AtomicBool::new(true);
    let limits = Limits { interrupt: Some(Interrupt::new(&FLAG)), ..limits() };
    let hostile = hostile();
    for (engine, text) in [
        (EngineName::ForwardBackward, &hostile[0]),
        (EngineName::BreadthFirst, &hostile[1]),
        (EngineName::Generic, &hostile[3]),
        (EngineName::Observer, &hostile[2]),
        (EngineName::Tableau, &hostile[2]),
        (EngineName::DepthFirst, &hostile[0]),
    ] {
        let config = Config { engine, limits, ..Config::default() };
        assert_eq!(limit_of(text, &config, 60), Limit::Interrupted, "{engine}");
    }
}
