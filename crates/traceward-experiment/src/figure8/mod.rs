//! Figure 8 of Finkbeiner, Sankaranarayanan and Sipma, *Collecting Statistics over Runtime
//! Executions*: how long queries take as traces grow, backwards and forwards.

mod picture;
mod workload;

use std::hint::black_box;
use std::time::{Duration, Instant};
use traceward_engine::limit::Limits;
use traceward_engine::query::Outcome;
use traceward_logic::trace::Trace;

pub use picture::draw;
pub use workload::{Asked, Workload};

/// The seed of all runs.
const SEED: u64 = 7;

/// The length of the trace on which every way is compared with the definition before it is timed.
const VERIFIED: usize = 60;

/// The work after which forward evaluation gives up.
const FORWARD_WORK: u64 = 50_000_000;

/// A way to the values of queries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// From the last position to the first, a block of positions at a time: what
    /// [`traceward_engine::query::Queries::values`] does.
    Blocks,
    /// From the last position to the first, state by state, as section 4.3 has it.
    StateByState,
    /// From the first position on, by the recursion of definition 3.
    Forward,
}

impl Way {
    /// All of them, in the order of the tables.
    pub const ALL: [Self; 3] = [Self::Blocks, Self::StateByState, Self::Forward];

    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Blocks => "backward in blocks",
            Self::StateByState => "backward state by state",
            Self::Forward => "forward",
        }
    }

    /// The values of all queries of a workload; none if the way was given up.
    fn values(self, asked: &Asked, trace: &Trace) -> Option<Vec<Outcome>> {
        match self {
            Self::Blocks => Some(asked.in_blocks(trace)),
            Self::StateByState => Some(asked.state_by_state(trace)),
            Self::Forward => asked.forward(trace, &Limits { work: FORWARD_WORK, ..Limits::default() }),
        }
    }
}

/// How long a way took on one trace, for all queries of a workload.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// The workload.
    pub workload: Workload,
    /// The way.
    pub way: Way,
    /// The length of the trace.
    pub states: usize,
    /// The time; none if the way was given up.
    pub time: Option<Duration>,
}

impl Measurement {
    /// The number of states a second.
    pub fn rate(&self) -> Option<f64> {
        Some(self.states as f64 / self.time?.as_secs_f64().max(1e-9))
    }
}

/// Runs the experiment on traces of these lengths. Letters are made of columns in memory each time.
///
/// # Panics
/// If a way gives another answer than the definition, or on a long trace than another way.
pub fn measure(lengths: &[usize]) -> Vec<Measurement> {
    let mut measurements = Vec::new();
    for workload in Workload::ALL {
        let asked = Asked::new(workload);
        verify(&asked);
        let mut gave_up = [false; Way::ALL.len()];
        for &states in lengths {
            let trace = asked.trace(states, SEED);
            let expected = asked.in_blocks(&trace);
            for (way, gave_up) in Way::ALL.into_iter().zip(&mut gave_up) {
                let time = if *gave_up { None } else { timed(&expected, || way.values(&asked, &trace)) };
                *gave_up = time.is_none();
                measurements.push(Measurement { workload, way, states, time });
            }
        }
    }
    measurements
}

/// The measurements of one way on one workload, shortest trace first.
pub fn of(measurements: &[Measurement], workload: Workload, way: Way) -> impl Iterator<Item = &Measurement> {
    measurements.iter().filter(move |one| one.workload == workload && one.way == way)
}

/// The exponent with which time grows: the slope of its logarithm over that of the length, through
/// the three longest traces that were measured. On short ones, beginning takes most of the time.
pub fn exponent<'a>(measurements: impl Iterator<Item = &'a Measurement>) -> Option<f64> {
    let point = |one: &Measurement| Some(((one.states as f64).ln(), one.time?.as_secs_f64().max(1e-9).ln()));
    let points: Vec<(f64, f64)> = measurements.filter_map(point).collect();
    let last = &points[points.len().saturating_sub(3)..];
    let mean = |of: fn(&(f64, f64)) -> f64| last.iter().map(of).sum::<f64>() / last.len() as f64;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let spread: f64 = last.iter().map(|point| (point.0 - x).powi(2)).sum();
    let joint: f64 = last.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    (spread > 0.0).then(|| joint / spread)
}

fn verify(asked: &Asked) {
    for states in [1, 2, VERIFIED] {
        let trace = asked.trace(states, SEED);
        let defined = asked.defined(&trace);
        for way in Way::ALL {
            assert_eq!(way.values(asked, &trace).as_ref(), Some(&defined), "{} on {states} states", way.name());
        }
    }
}

/// The fastest of three runs, or of one that is slow enough to be trusted.
fn timed(expected: &[Outcome], mut run: impl FnMut() -> Option<Vec<Outcome>>) -> Option<Duration> {
    let mut best: Option<Duration> = None;
    for _ in 0..3 {
        let start = Instant::now();
        let values = black_box(run())?;
        let time = start.elapsed();
        assert_eq!(values, expected, "all ways have the same values");
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
    fn every_way_answers_short_traces() {
        let measurements = measure(&[1, 100, 1000]);
        assert_eq!(measurements.len(), 3 * 3 * 3);
        let backward = measurements.iter().filter(|one| one.way != Way::Forward);
        assert!(backward.clone().all(|one| one.time.is_some()), "{measurements:?}");
        // A thousand states to the third power are too much.
        let nested: Vec<_> = of(&measurements, Workload::Nested, Way::Forward).map(|one| one.time.is_some()).collect();
        assert_eq!(nested, [true, true, false]);
    }

    #[test]
    fn forward_evaluation_gives_up_on_long_traces() {
        let asked = Asked::new(Workload::Abp);
        assert_eq!(asked.queries(), 4);
        assert!(Way::Forward.values(&asked, &asked.trace(3000, SEED)).is_none());
    }

    #[test]
    fn exponents_are_slopes() {
        let measurement = |states: usize, micros: u64| Measurement {
            workload: Workload::Abp,
            way: Way::Blocks,
            states,
            time: Some(Duration::from_micros(micros)),
        };
        // The first one does not count.
        let quadratic = [measurement(1, 77), measurement(10, 1), measurement(100, 100), measurement(1000, 10_000)];
        let slope = exponent(quadratic.iter()).expect("three points");
        assert!((slope - 2.0).abs() < 1e-9, "{slope}");
        assert_eq!(exponent(quadratic[..1].iter()), None);
        assert_eq!(exponent([].iter()), None);
    }
}
