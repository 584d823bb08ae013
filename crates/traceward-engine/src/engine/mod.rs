//! The engines, one algorithm a module, behind one of two faces: [`follow`] and [`offline`].

pub mod breadth_first;
mod config;
pub mod configuration;
pub mod depth_first;
pub mod follow;
pub mod forward_backward;
pub mod forward_backward_dag;
pub mod generic;
mod graph;
mod labels;
pub mod naive;
pub mod observer;
pub mod offline;
pub mod reverse;
pub mod tableau;

pub use config::{Config, Exactness, Memory, Subsumption};

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
