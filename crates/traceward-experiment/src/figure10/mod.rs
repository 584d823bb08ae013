//! Figure 10 of Finkbeiner and Sipma, *Checking Finite Traces using Alternating Automata*: how long
//! traversals take as traces grow.

mod picture;

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};
use traceward_engine::engine::depth_first::DepthFirst;
use traceward_engine::engine::offline::{Cache, Offline};
use traceward_engine::engine::reverse::Reverse;
use traceward_engine::engine::{EngineConfig, Memory, Subsumption};
use traceward_engine::limit::{GaveUp, Limits};
use traceward_engine::select::{Config, EngineName, Online, Prepared, Simplification};
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

/// A traversal, as it is set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Traversal {
    /// Figure 4.
    DepthFirst,
    /// Figure 5 as it is printed: all successors of all slices, whatever the state, and then those
    /// that the state satisfies. Successors are remembered, as in the paper's experiments.
    AsInPaper,
    /// The same, with nothing remembered.
    WithoutCache,
    /// The state is looked at first, so that no slice is made that it does not satisfy.
    StateFirst,
    /// The same, and slices that contain another are dropped.
    Subsumption,
    /// The same, and whole sets of slices are remembered: what
    /// [`traceward_engine::select::EngineName::BreadthFirst`] does.
    BreadthFirst,
    /// Figure 6, 64 positions at a time.
    Reverse,
}

impl Traversal {
    /// All of them, in the order of the tables.
    pub const ALL: [Self; 7] = [
        Self::DepthFirst,
        Self::AsInPaper,
        Self::WithoutCache,
        Self::StateFirst,
        Self::Subsumption,
        Self::BreadthFirst,
        Self::Reverse,
    ];

    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Self::DepthFirst => "depth-first",
            Self::AsInPaper => "breadth-first as in the paper",
            Self::WithoutCache => "  without its cache",
            Self::StateFirst => "  state first",
            Self::Subsumption => "  state first, subsumption",
            Self::BreadthFirst => "breadth-first",
            Self::Reverse => "reverse",
        }
    }

    /// The settings of the traversals that go breadth-first.
    fn slices(self) -> Option<(EngineName, Subsumption, Memory)> {
        match self {
            Self::AsInPaper => Some((EngineName::PrintedBreadthFirst, Subsumption::Off, Memory::Slices)),
            Self::WithoutCache => Some((EngineName::PrintedBreadthFirst, Subsumption::Off, Memory::Nothing)),
            Self::StateFirst => Some((EngineName::BreadthFirst, Subsumption::Off, Memory::Slices)),
            Self::Subsumption => Some((EngineName::BreadthFirst, Subsumption::On, Memory::Slices)),
            Self::BreadthFirst => Some((EngineName::BreadthFirst, Subsumption::On, Memory::Sets)),
            Self::DepthFirst | Self::Reverse => None,
        }
    }
}

/// How long a traversal took on one trace.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// The formula.
    pub formula: &'static str,
    /// The traversal.
    pub traversal: Traversal,
    /// The length of the trace.
    pub states: usize,
    /// The time; none if the traversal gave up, or would have taken too long.
    pub time: Option<Duration>,
}

/// Runs the experiment of figure 10 on traces of these lengths. Formulas are not simplified: the
/// third one is equivalent to `G(b -> F a)`. Every trace satisfies its formula, and every traversal
/// has to say so. A traversal that would take longer than `patience` on a trace, going by the
/// shorter ones, is not asked.
///
/// # Panics
/// If an engine gives a wrong answer.
pub fn measure(lengths: &[usize], patience: Duration) -> Vec<Measurement> {
    let mut measurements = Vec::new();
    for formula in FORMULAS {
        let (prepared, names) = prepare(formula);
        let mut forecasts = [Some(Duration::ZERO); Traversal::ALL.len()];
        let mut before = [None; Traversal::ALL.len()];
        for &states in lengths {
            let letters = letters(&prepared, &names, formula, states);
            for (index, traversal) in Traversal::ALL.into_iter().enumerate() {
                let bearable = forecasts[index].is_some_and(|forecast| forecast <= patience);
                let time = if bearable { time(traversal, &prepared, &letters) } else { None };
                forecasts[index] = time.map(|time| forecast(before[index], time));
                before[index] = time;
                measurements.push(Measurement { formula, traversal, states, time });
            }
        }
    }
    measurements
}

/// The measurements of one traversal on one formula, shortest trace first.
pub fn of<'a>(
    measurements: &'a [Measurement],
    formula: &str,
    traversal: Traversal,
) -> impl Iterator<Item = &'a Measurement> {
    measurements.iter().filter(move |one| one.formula == formula && one.traversal == traversal)
}

/// How long the next trace would take if time went on growing as it did.
fn forecast(before: Option<Duration>, time: Duration) -> Duration {
    let growth = before.map_or(10.0, |before| time.as_secs_f64() / before.as_secs_f64().max(1e-9));
    time.mul_f64(growth.clamp(1.0, 1e6))
}

fn prepare(formula: &str) -> (Arc<Prepared>, Vec<Arc<str>>) {
    let spec = parse::spec(SourceId::default(), formula).expect("a formula");
    let lowered = lower::lower(&[(spec, Goal::Check)], &Declarations::default(), None).expect("a formula");
    let Claim::Formula(root) = lowered.properties[0].claim else { unreachable!("a formula") };
    let prepared = Prepared::shared(&lowered.formulas, &[root], Simplification::Off);
    (prepared, lowered.variables.names())
}

/// States in the paper's proportions: 10 % a, 40 % b, 25 % c and 25 % nothing, and at the end the
/// state that fulfils the formula.
fn letters(prepared: &Prepared, names: &[Arc<str>], formula: &str, states: usize) -> Letters {
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

fn time(traversal: Traversal, prepared: &Arc<Prepared>, letters: &Letters) -> Option<Duration> {
    let Prepared { formulas, alphabet, normal, .. } = &**prepared;
    if let Some(engine) = breadth_first(traversal, prepared) {
        return timed(|| engine.verdict_at_end(letters).map(|end| end.decision().holds));
    }
    if traversal == Traversal::DepthFirst {
        let limits = Limits { work: 20_000_000_000, ..Limits::default() };
        let engine = DepthFirst::new(formulas, alphabet, normal, EngineConfig { limits, ..EngineConfig::default() });
        return timed(|| engine.decide(letters).map(|decisions| decisions[0].holds));
    }
    let engine = Reverse::new(formulas, alphabet, normal);
    let mut cache = Cache::default();
    timed(|| Ok(engine.rows(&mut cache, letters)[0].get(0)))
}

/// The engine of a traversal that goes breadth-first.
fn breadth_first(traversal: Traversal, prepared: &Arc<Prepared>) -> Option<Online> {
    let (engine, subsumption, memory) = traversal.slices()?;
    let config = Config { engine, subsumption, memory, simplification: Simplification::Off, ..Config::default() };
    Some(Online::new(prepared, 0, &config).expect("no bounds"))
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
    fn every_traversal_answers_short_traces_of_figure_10() {
        let measurements = measure(&[1, 2, 65, 300], Duration::from_secs(60));
        assert_eq!(measurements.len(), 3 * 4 * 7);
        assert!(measurements.iter().all(|one| one.time.is_some()), "{measurements:?}");
    }

    /// "The large number of sets to maintain at each position" of the third formula: as printed
    /// many times as many as of the others, and twice as many as with the state looked at first.
    #[test]
    fn the_third_formula_has_many_sets_as_printed() {
        let sets = |formula| {
            let (prepared, names) = prepare(formula);
            let letters = letters(&prepared, &names, formula, 300);
            [Traversal::AsInPaper, Traversal::StateFirst].map(|traversal| {
                let engine = breadth_first(traversal, &prepared).expect("it goes breadth-first");
                let end = engine.verdict_at_end(&letters).expect("few slices");
                end.statistics.and_then(|statistics| statistics.peak_configurations).expect("it counts them")
            })
        };
        // {G, z}, {G, F} and {G, F, z}: where z holds, looking at the state first leaves all of
        // them.
        assert_eq!(sets(FORMULAS[0]), [3, 3]);
        assert_eq!(sets(FORMULAS[1]), [3, 3]);
        let [printed, state_first] = sets(FORMULAS[2]);
        assert!(
            printed > 6 * 3 && printed > 2 * state_first,
            "{printed} sets as printed, {state_first} with the state first"
        );
    }
}
