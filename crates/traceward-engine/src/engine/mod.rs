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
pub mod streaming;
pub mod tableau;
pub mod walkthrough;

pub use config::{EngineConfig, Exactness, Memory, Subsumption};

/// The verdict at the end of a trace, and where it was seen to be final.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Decision {
    /// Whether the formula holds.
    pub holds: bool,
    /// The position at which the verdict was certain; none if only the end of the trace decided.
    pub decided_at: Option<usize>,
}

/// The highest cost of a run of an engine; none for what the engine does not have.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct EngineStatistics {
    /// The number of sets of nodes with their clocks at one position.
    pub peak_configurations: Option<usize>,
    /// The number of nodes of the graph of what is not decided yet.
    pub peak_nodes: Option<usize>,
    /// The number of timers in the graph that wait for the next state.
    pub peak_leaves: Option<usize>,
    /// The number of spans of positions that waited for an answer, or were kept for others.
    pub peak_waiting: Option<usize>,
    /// The number of bytes that all of it took.
    pub peak_bytes: usize,
}

impl EngineStatistics {
    /// The larger of the two costs, kind by kind.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        Self {
            peak_configurations: self.peak_configurations.max(other.peak_configurations),
            peak_nodes: self.peak_nodes.max(other.peak_nodes),
            peak_leaves: self.peak_leaves.max(other.peak_leaves),
            peak_waiting: self.peak_waiting.max(other.peak_waiting),
            peak_bytes: self.peak_bytes.max(other.peak_bytes),
        }
    }
}
