//! Breadth-first traversal online, one state at a time: the three formulas of Finkbeiner and
//! Sipma's section 6 and one with a bound, simplification off. Once its caches are warm its memory
//! stays as it is, which is verified over 10^8 states.

use crate::reverse::paper;
use crate::{Row, measured, peak_kib};
use traceward_engine::engine::EngineConfig;
use traceward_engine::engine::breadth_first::BreadthFirst;
use traceward_engine::engine::follow::{Follow, Step};
use traceward_engine::select::{Prepared, Simplification};
use traceward_logic::bitmap::Bitmap;
use traceward_logic::letter::{self, Letters};
use traceward_logic::lower::{Claim, Goal};
use traceward_logic::trace::Trace;
use traceward_logic::verdict::Verdict;

const STATES: usize = 10_000_000;
/// The number of times that the states are gone through, for 10^8 in all.
const ROUNDS: usize = 10;
/// How much the program may grow meanwhile, in KiB: nothing that depends on the number of states
/// fits in here.
const GROWTH: u64 = 1024;

pub fn online() -> Vec<Row> {
    ["G F z", "G F a", "G(b -> (!a U (a U (!a U a))))", "G(b -> F[0,1000] a)"].into_iter().map(one).collect()
}

fn one(formula: &str) -> Row {
    let lowered = traceward_testkit::lowered(formula, Goal::Check, None, None).expect("a formula");
    let Claim::Formula(root) = lowered.properties[0].claim else { panic!("a formula") };
    let prepared = Prepared::new(&lowered.formulas, &[root], Simplification::Off);
    let engine = BreadthFirst::new(&prepared.formulas, &prepared.alphabet, prepared.normal[0], EngineConfig::default());
    let engine = engine.expect("no bounds in time");
    let states = paper(STATES);
    // z comes with the last state only, like the a that is there anyway.
    let column = |name: &str| if name == "b" { states.b.clone() } else { last_only(name, &states.a) };
    let columns = lowered.variables.names().iter().map(|name| column(name)).collect();
    let letters = letter::letters(&prepared.formulas, &prepared.alphabet, &Trace::of_bools(STATES, columns));
    memory_stays_flat(&engine, &letters);
    measured(format!("{formula} online"), STATES as u64, "states", &Verdict::Holding, || {
        verdict_after(&engine, &letters, 1)
    })
}

fn last_only(name: &str, a: &Bitmap) -> Bitmap {
    if name == "a" {
        return a.clone();
    }
    let mut only = Bitmap::filled(a.len(), false);
    only.set(a.len() - 1, true);
    only
}

fn verdict_after(engine: &BreadthFirst, letters: &Letters, rounds: usize) -> Verdict {
    let mut run = engine.start().expect("few slices");
    let mut verdict = Verdict::Pending;
    for _ in 0..rounds {
        for position in 0..letters.len {
            let holds = |proposition| letters.bitmap(proposition).get(position);
            let step = Step { letter: &holds, position: position as u64, time: None };
            verdict = engine.step(&mut run, step).expect("few slices");
        }
    }
    verdict
}

fn memory_stays_flat(engine: &BreadthFirst, letters: &Letters) {
    verdict_after(engine, letters, 1);
    let before = peak_kib("self");
    verdict_after(engine, letters, ROUNDS);
    let growth = peak_kib("self") - before;
    assert!(growth <= GROWTH, "memory grew by {growth} KiB over {} states", ROUNDS * STATES);
}
