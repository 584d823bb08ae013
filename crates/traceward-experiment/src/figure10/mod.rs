//! Figure 10 of Finkbeiner and Sipma, *Checking Finite Traces using Alternating Automata*: how long
//! traversals take as traces grow.

mod picture;

use std::hint::black_box;
use std::time::{Duration, Instant};
use traceward_engine::engine::breadth_first::BreadthFirst;
use traceward_engine::engine::depth_first::DepthFirst;
use traceward_engine::engine::follow::Follow;
use traceward_engine::engine::offline::{Cache, Offline};
use traceward_engine::engine::reverse::Reverse;
use traceward_engine::engine::{EngineConfig, Memory, Subsumption};
use traceward_engine::limit::{GaveUp, Limits};
use traceward_engine::select::{Prepared, Simplification};
use traceward_logic::bitmap::Bitmap;
use traceward_logic::diagnostic::SourceId;
use traceward_logic::letter::{self, Letters};
use traceward_logic::lower::{self, Claim, Declarations, Goal};
use traceward_logic::parse;
use traceward_logic::trace::Trace;

pub use picture::draw;

/// The formulas of Finkbeiner and Sipma, *Checking Finite Traces using Alternating Automata*,
/// section 6.
pub const FORMULAS: [&str; 3] = ["G F z", "G F a", "G(b -> (!a U (a U (!a U a))))"];

/// The traversals that are compared. Breadth-first as in the paper keeps all slices and remembers
/// the successors of each; then slices that contain another are dropped; and at last whole sets of
/// slices are remembered, which is what [`traceward_engine::select::EngineName::BreadthFirst`]
/// does.
pub const ENGINES: [&str; 5] =
    ["depth-first", "breadth-first as in the paper", "breadth-first, subsumption", "breadth-first", "reverse"];

/// How long an engine took on one trace.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// The formula.
    pub formula: &'static str,
    /// The engine.
    pub engine: &'static str,
    /// The length of the trace.
    pub states: usize,
    /// The time; none if the engine gave up, or would have taken too long.
    pub time: Option<Duration>,
}

/// Runs the experiment of figure 10 on traces of these lengths. Formulas are not simplified: the
/// third one is equivalent to `G(b -> F a)`. Every trace satisfies its formula, and every engine
/// has to say so. An engine that would take longer than `patience` on a trace, going by the shorter
/// ones, is not asked.
///
/// # Panics
/// If an engine gives a wrong answer.
pub fn measure(lengths: &[usize], patience: Duration) -> Vec<Measurement> {
    let mut measurements = Vec::new();
    for formula in FORMULAS {
        let (prepared, names) = prepare(formula);
        let mut forecasts = [Some(Duration::ZERO); ENGINES.len()];
        let mut before = [None; ENGINES.len()];
        for &states in lengths {
            let letters = letters(&prepared, &names, formula, states);
            for (index, engine) in ENGINES.into_iter().enumerate() {
                let bearable = forecasts[index].is_some_and(|forecast| forecast <= patience);
                let time = if bearable { time(engine, &prepared, &letters) } else { None };
                forecasts[index] = time.map(|time| forecast(before[index], time));
                before[index] = time;
                measurements.push(Measurement { formula, engine, states, time });
            }
        }
    }
    measurements
}

/// The measurements of one engine on one formula, shortest trace first.
pub fn of<'a>(measurements: &'a [Measurement], formula: &str, engine: &str) -> impl Iterator<Item = &'a Measurement> {
    measurements.iter().filter(move |one| one.formula == formula && one.engine == engine)
}

/// How long the next trace would take if time went on growing as it did.
fn forecast(before: Option<Duration>, time: Duration) -> Duration {
    let growth = before.map_or(10.0, |before| time.as_secs_f64() / before.as_secs_f64().max(1e-9));
    time.mul_f64(growth.clamp(1.0, 1e6))
}

fn prepare(formula: &str) -> (Prepared, Vec<std::sync::Arc<str>>) {
    let spec = parse::spec(SourceId::default(), formula).expect("a formula");
    let lowered = lower::lower(&[(spec, Goal::Check)], &Declarations::default(), None).expect("a formula");
    let Claim::Formula(root) = lowered.properties[0].claim else { unreachable!("a formula") };
    let prepared = Prepared::new(&lowered.formulas, &[root], Simplification::Off);
    (prepared, lowered.variables.names())
}

/// States in the paper's proportions: 10 % a, 40 % b, 25 % c and 25 % nothing, and at the end the
/// state that fulfils the formula.
fn letters(prepared: &Prepared, names: &[std::sync::Arc<str>], formula: &str, states: usize) -> Letters {
    let mut seed = 0x5EED_u64;
    let mut columns: Vec<Bitmap> = vec![Bitmap::new(); names.len()];
    let last = if formula.contains('z') { "z" } else { "a" };
    for position in 0..states {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let now = match (seed >> 33) % 100 {
            _ if position + 1 == states => last,
            0..10 => "a",
            10..50 => "b",
            50..75 => "c",
            _ => "",
        };
        for (column, name) in columns.iter_mut().zip(names) {
            column.push(**name == *now);
        }
    }
    letter::letters(&prepared.formulas, &prepared.alphabet, &Trace::of_bools(states, columns))
}

fn time(engine: &str, prepared: &Prepared, letters: &Letters) -> Option<Duration> {
    let Prepared { formulas, alphabet, normal, .. } = prepared;
    let slices = |subsumption, memory| {
        let config = EngineConfig { subsumption, memory, ..EngineConfig::default() };
        BreadthFirst::new(formulas, alphabet, normal[0], config).expect("no bounds")
    };
    let breadth_first = |engine: &BreadthFirst| engine.verdict_at_end(letters).map(|end| end.decision().holds);
    match engine {
        "depth-first" => {
            let config = EngineConfig {
                limits: Limits { work: 20_000_000_000, ..Limits::default() },
                ..EngineConfig::default()
            };
            let engine = DepthFirst::new(formulas, alphabet, normal, config);
            timed(|| engine.decide(letters).map(|decisions| decisions[0].holds))
        }
        "breadth-first as in the paper" => {
            let engine = slices(Subsumption::Off, Memory::Slices);
            timed(|| breadth_first(&engine))
        }
        "breadth-first, subsumption" => {
            let engine = slices(Subsumption::On, Memory::Slices);
            timed(|| breadth_first(&engine))
        }
        "breadth-first" => {
            let engine = slices(Subsumption::On, Memory::Sets);
            timed(|| breadth_first(&engine))
        }
        _ => {
            let engine = Reverse::new(formulas, alphabet, normal);
            let mut cache = Cache::default();
            timed(|| Ok(engine.rows(&mut cache, letters)[0].get(0)))
        }
    }
}

/// The fastest of three runs, or of one that is slow enough to be trusted.
fn timed(mut run: impl FnMut() -> Result<bool, GaveUp>) -> Option<Duration> {
    let mut best: Option<Duration> = None;
    for _ in 0..3 {
        let start = Instant::now();
        let answer = black_box(run());
        let time = start.elapsed();
        match answer {
            Ok(holds) => assert!(holds, "every trace of the experiment satisfies its formula"),
            Err(_) => return None,
        }
        best = Some(best.map_or(time, |best| best.min(time)));
        if time > Duration::from_millis(200) {
            break;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_engine_answers_short_traces_of_figure_10() {
        let measurements = measure(&[1, 2, 65, 300], Duration::from_secs(60));
        assert_eq!(measurements.len(), 3 * 4 * 5);
        assert!(measurements.iter().all(|one| one.time.is_some()), "{measurements:?}");
    }
}
