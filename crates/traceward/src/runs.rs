//! What the runs of a property tell beyond its verdict: which parts mattered, how long
//! eventualities waited.

use crate::report::Place;
use std::sync::Arc;
use traceward_engine::automaton::alternating::{Alternating, is_bounded};
use traceward_engine::engine::EngineConfig;
use traceward_engine::engine::breadth_first::OverSlices;
use traceward_engine::run_statistics::{Coverage, RejectingVisits, over_trees};
use traceward_engine::select::{Prepared, Simplification};
pub use traceward_engine::why::Fate;
use traceward_logic::formula::{FormulaId, Formulas};
use traceward_logic::letter::{self, Letters};
use traceward_logic::trace::Trace;

/// The largest number of waits that a report shows.
const MOST_SHOWN: usize = 5;

/// The questions about runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RunQuestions {
    /// Whether to report which parts of a property never mattered.
    pub coverage: bool,
    /// Whether to report how long eventualities had to wait.
    pub waiting: bool,
}

impl RunQuestions {
    /// Whether anything is asked about runs.
    pub fn are_asked(self) -> bool {
        self.coverage || self.waiting
    }
}

/// The coverage of a property: which parts of it mattered.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CoverageReport {
    /// The parts of the property that were written, with how often they were asked; over all keys,
    /// if the trace was split.
    pub parts: Vec<CoveredPart>,
    /// The largest parts that never mattered.
    pub unused: Vec<UnusedPart>,
    /// What all accepting runs of the property's automaton have in common. None where bounds leave
    /// it without such runs, where the trace was split, and where it goes on.
    pub runs: Option<RunCoverage>,
}

/// A part of a property, and how often it was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoveredPart {
    /// The part, in the words of the spec.
    pub part: String,
    /// The number of positions at which it was asked.
    pub asked: usize,
    /// The number of these positions at which it was as the property needs it.
    pub met: usize,
    /// Whether a temporal operator is in it.
    pub is_temporal: bool,
}

/// A part of a property that never mattered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnusedPart {
    /// The part, in the words of the spec.
    pub part: String,
    /// The proposition that never held, if that is why the part never mattered.
    pub never_happened: Option<String>,
}

/// What all accepting runs of a property's automaton have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunCoverage {
    /// The number of nodes of the property's alternating automaton.
    pub nodes: usize,
    /// The number of nodes that every accepting run visits; none if there is no accepting run.
    pub covered: Option<usize>,
    /// The least number of visits to rejecting nodes, a run being a tree.
    pub rejecting_visits_tree: Option<u64>,
    /// The least number of visits to rejecting nodes, a run being a sequence of slices; none where
    /// breadth-first traversal cannot take the property.
    pub rejecting_visits_slices: Option<u64>,
}

/// The waiting times of an eventuality.
#[derive(Clone, Debug, PartialEq)]
pub struct WaitingReport {
    /// The eventuality, in the words of the spec.
    pub part: String,
    /// The number of times that it was asked for.
    pub asked: u64,
    /// The number of times that it came in time.
    pub met: u64,
    /// The number of times that it came when its window was over.
    pub late: u64,
    /// The number of times that it came, but what had to hold until then did not.
    pub broken: u64,
    /// The number of times that it never came.
    pub never: u64,
    /// The number of times that it may still come, since the trace goes on.
    pub open: u64,
    /// The waiting times in steps, of all that came; none if nothing did.
    pub steps: Option<Distribution>,
    /// The waiting times in nanoseconds, if the trace has timestamps.
    pub time: Option<Distribution>,
    /// The worst: those that never came, and the longest.
    pub worst: Vec<WorstWait>,
}

/// How waiting times are distributed.
#[derive(Clone, Debug, PartialEq)]
pub struct Distribution {
    /// The least.
    pub least: u64,
    /// The least that half of them do not exceed.
    pub median: u64,
    /// The least that 90 of 100 do not exceed.
    pub p90: u64,
    /// The least that 99 of 100 do not exceed.
    pub p99: u64,
    /// The most.
    pub most: u64,
    /// The average.
    pub average: f64,
}

impl Distribution {
    /// The distribution of some values; none if there are none.
    fn of(mut values: Vec<u64>) -> Option<Self> {
        values.sort_unstable();
        let (&least, &most) = (values.first()?, values.last()?);
        let sum: u128 = values.iter().map(|value| u128::from(*value)).sum();
        // The least value with at least so many of a hundred up to it.
        let part = |percent: usize| values[(values.len() * percent).div_ceil(100).max(1) - 1];
        let average = sum as f64 / values.len() as f64;
        Some(Self { least, median: part(50), p90: part(90), p99: part(99), most, average })
    }
}

/// A wait that was long, or has no end.
#[derive(Clone, Debug, PartialEq)]
pub struct WorstWait {
    /// The key, if the trace was split.
    pub key: Option<Arc<str>>,
    /// The state at which the eventuality was asked.
    pub since: Place,
    /// The state at which it came; none if it never did.
    pub came: Option<Place>,
    /// What became of it.
    pub fate: Fate,
}

impl WorstWait {
    fn steps(&self) -> Option<u64> {
        self.came.as_ref().map(|came| came.position.abs_diff(self.since.position) as u64)
    }

    fn time(&self) -> Option<u64> {
        let came = self.came.as_ref()?;
        Some(came.time?.abs_diff(self.since.time?))
    }

    /// What never came is worst, then what took longest; of equals the first.
    fn badness(&self) -> (bool, u64, u64) {
        let never = matches!(self.fate, Fate::Never | Fate::Open);
        (never, self.time().unwrap_or(0), self.steps().unwrap_or(0))
    }
}

/// The waits of an eventuality, collected part by part.
#[derive(Clone, Debug, Default)]
pub(crate) struct WaitingTally {
    part: String,
    counts: [u64; 5],
    steps: Vec<u64>,
    time: Vec<u64>,
    worst: Vec<WorstWait>,
}

impl WaitingTally {
    pub(crate) fn new(part: String) -> Self {
        Self { part, ..Self::default() }
    }

    pub(crate) fn add(&mut self, wait: WorstWait) {
        self.counts[wait.fate as usize] += 1;
        self.steps.extend(wait.steps());
        self.time.extend(wait.time());
        let place = self.worst.partition_point(|other| other.badness() >= wait.badness());
        if place < MOST_SHOWN {
            self.worst.insert(place, wait);
            self.worst.truncate(MOST_SHOWN);
        }
    }

    pub(crate) fn finish(self) -> WaitingReport {
        let Self { part, counts, steps, time, worst } = self;
        let [met, late, broken, never, open] = counts;
        WaitingReport {
            part,
            asked: counts.iter().sum(),
            met,
            late,
            broken,
            never,
            open,
            steps: Distribution::of(steps),
            time: Distribution::of(time),
            worst,
        }
    }
}

/// What all accepting runs of a property's automaton have in common; none if the property has
/// bounds.
pub(crate) fn run_coverage(formulas: &Formulas, formula: FormulaId, trace: &Trace) -> Option<RunCoverage> {
    // The automaton is that of the property as it was written: not simplified.
    let prepared = Prepared::new(formulas, &[formula], Simplification::Off);
    let parts = prepared.formulas.parts(&prepared.normal);
    if parts.into_iter().any(|part| is_bounded(prepared.formulas.node(part))) {
        return None;
    }
    let Prepared { formulas, alphabet, normal, .. } = &prepared;
    let automaton = Alternating::new(formulas, normal);
    let letters = letter::letters(formulas, alphabet, trace);
    let covered = over_trees(&Coverage, formulas, &automaton, alphabet, &letters);
    Some(RunCoverage {
        nodes: automaton.nodes().len(),
        covered: covered.map(|covered| covered.indices().len()),
        rejecting_visits_tree: over_trees(&RejectingVisits, formulas, &automaton, alphabet, &letters),
        rejecting_visits_slices: rejecting_visits_by_slices(&prepared, &letters),
    })
}

/// The visits over slices; none if there are too many slices to count them.
fn rejecting_visits_by_slices(prepared: &Prepared, letters: &Letters) -> Option<u64> {
    let Prepared { formulas, alphabet, normal, .. } = prepared;
    let slices = OverSlices::new(formulas, alphabet, normal[0], EngineConfig::default()).ok()?;
    slices.statistics(&RejectingVisits, letters).ok()?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_hundred_are_the_least_values_with_so_many_up_to_them() {
        let one_to = |last: u64| Distribution::of((1..=last).rev().collect()).expect("values");
        let Distribution { least, median, p90, p99, most, average } = one_to(200);
        assert_eq!((least, median, p90, p99, most, average), (1, 100, 180, 198, 200, 100.5));
        let Distribution { median, p90, p99, .. } = one_to(3);
        assert_eq!((median, p90, p99), (2, 3, 3));
        assert_eq!(Distribution::of(Vec::new()), None);
    }
}
