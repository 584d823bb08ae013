//! The engines, one algorithm a file.

pub mod breadth_first;
pub mod configuration;
pub mod depth_first;
pub mod forward_backward;
pub mod forward_backward_dag;
pub mod generic;
mod graph;
pub mod observer;
mod reading;
pub mod reverse;
pub mod tableau;

use std::fmt;
use traceward_logic::letter::{Letters, Proposition};
use traceward_logic::verdict::Verdict;

/// An engine cannot take a formula.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unsupported {
    /// The engine.
    pub engine: &'static str,
    /// What it cannot take.
    pub what: &'static str,
    /// An engine that can.
    pub instead: &'static str,
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the engine {} cannot take {}; {} can", self.engine, self.what, self.instead)
    }
}

/// An engine ran into a limit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GaveUp {
    /// The engine.
    pub engine: &'static str,
    /// The limit.
    pub reason: String,
    /// What to do.
    pub way_out: String,
}

impl fmt::Display for GaveUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the engine {} gave up: {}; {}", self.engine, self.reason, self.way_out)
    }
}

/// An engine could not be made for a formula.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BuildError {
    /// It does not know an operator.
    Unsupported(Unsupported),
    /// What it is made of would be too large.
    GaveUp(GaveUp),
}

impl From<Unsupported> for BuildError {
    fn from(unsupported: Unsupported) -> Self {
        Self::Unsupported(unsupported)
    }
}

impl From<GaveUp> for BuildError {
    fn from(gave_up: GaveUp) -> Self {
        Self::GaveUp(gave_up)
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsupported(unsupported) => unsupported.fmt(f),
            Self::GaveUp(gave_up) => gave_up.fmt(f),
        }
    }
}

/// The verdict at the end of a trace, and where it was seen to be final.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Decision {
    /// Whether the formula holds.
    pub holds: bool,
    /// The position at which that was certain; none if only the end decided.
    pub decided_at: Option<usize>,
}

/// What a run of an engine has cost at its most; none for what the engine does not have.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct EngineStatistics {
    /// Sets of nodes with their clocks, at one position.
    pub peak_configurations: Option<usize>,
    /// Nodes of the graph of what is not decided yet.
    pub peak_nodes: Option<usize>,
    /// Timers in it that wait for the next state.
    pub peak_leaves: Option<usize>,
    /// What all that took.
    pub peak_bytes: usize,
}

impl EngineStatistics {
    /// The larger of each.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        Self {
            peak_configurations: self.peak_configurations.max(other.peak_configurations),
            peak_nodes: self.peak_nodes.max(other.peak_nodes),
            peak_leaves: self.peak_leaves.max(other.peak_leaves),
            peak_bytes: self.peak_bytes.max(other.peak_bytes),
        }
    }
}

/// Feeds letters to an engine until its verdict is final, or to the end of a trace with a state.
pub(crate) fn check_online<R>(
    mut run: R,
    letters: &Letters,
    step: impl Fn(&mut R, &dyn Fn(Proposition) -> bool) -> Result<Verdict, GaveUp>,
) -> Result<(Decision, R), GaveUp> {
    let mut last = Verdict::Pending;
    for position in 0..letters.len {
        last = step(&mut run, &|proposition| letters.bitmap(proposition).get(position))?;
        if last.is_final() {
            return Ok((Decision { holds: last == Verdict::Satisfied, decided_at: Some(position) }, run));
        }
    }
    Ok((Decision { holds: last == Verdict::Holding, decided_at: None }, run))
}
