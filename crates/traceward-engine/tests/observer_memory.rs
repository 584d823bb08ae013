//! An observer never takes more memory than it is allowed, whatever the formula.

use peak_alloc::PeakAlloc;
use std::collections::BTreeMap;
use traceward_engine::engine::EngineConfig;
use traceward_engine::engine::follow::Follow;
use traceward_engine::engine::observer::Observer;
use traceward_engine::limit::Limits;
use traceward_engine::select::{Prepared, Simplification};
use traceward_logic::bitmap::Bitmap;
use traceward_logic::letter::Letters;
use traceward_logic::lower::Claim;
use traceward_testkit::corpus;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Formulas whose automata are small, large, and far too large.
fn formulas() -> Vec<String> {
    let responses = |count| (0..count).map(|one| format!("G(a{one} -> F b{one})")).collect::<Vec<_>>().join(" & ");
    let mut formulas = vec![responses(2), responses(6), responses(10), responses(20)];
    formulas.extend(
        [
            "G(a0 -> F[0,3000] b0)",
            "G(a0 -> F[20,30] b0)",
            "F(a0 & F[40,40] b0)",
            "G(a0 -> O[0,200] b0)",
            "G(a0 -> O(b0 & F[0,9] a1))",
            "G(a0 -> F[10,20](b0 & F[10,20] a1)) & F[100,200](a1 U b1)",
            "(G F a0 -> F G b0) & (G F a1 -> F G b1) & (a2 U[5,9] b2)",
        ]
        .map(str::to_owned),
    );
    formulas
}

/// Letters that look random, the same every time.
fn letters(propositions: usize, len: usize) -> Letters {
    let mut seed = 5_u64;
    let mut word = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        seed ^ (seed >> 29)
    };
    let mut bitmap = || Bitmap::from_words((0..len.div_ceil(64)).map(|_| word() & word()).collect(), len);
    Letters { len, bitmaps: (0..propositions).map(|_| bitmap()).collect(), time: None }
}

#[test]
fn memory_stays_within_its_limit() {
    let names: BTreeMap<String, String> =
        (0..20).flat_map(|one| [format!("a{one}"), format!("b{one}")]).map(|name| (name, String::new())).collect();
    let (mut answered, mut gave_up) = (0, 0);
    for text in formulas() {
        let (lowered, claim, _) = corpus::prepare(&text, &names, None, 0);
        let Claim::Formula(formula) = claim else { panic!("{text} is a formula") };
        let prepared = Prepared::new(&lowered.formulas, &[formula], Simplification::Off);
        let letters = letters(prepared.alphabet.atoms().len(), 5000);
        for memory in [1 << 20, 4 << 20, 32 << 20] {
            for full_states in [0, 1024] {
                let limits = Limits { memory, table_states: full_states, ..Limits::default() };
                let config = EngineConfig { limits, ..EngineConfig::default() };
                let before = MEMORY.current_usage();
                MEMORY.reset_peak_usage();
                let observer = Observer::of_any_letters(&prepared, 0, config).expect("no time");
                match observer.verdict_at_end(&letters) {
                    Ok(_) => answered += 1,
                    Err(_) => gave_up += 1,
                }
                let peak = MEMORY.peak_usage() - before;
                assert!(peak <= memory, "{text} took {peak} bytes of {memory}");
            }
        }
    }
    assert!(answered >= 40, "{answered} answered, {gave_up} gave up");
}
