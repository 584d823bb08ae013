//! The settings of engines: what they drop, what they remember, and how much they may take.

use super::configuration;
use crate::limit::Limits;

/// The settings of engines. Each engine looks at those that concern it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct EngineConfig {
    /// The parts of an engine's state that are dropped because another part asks for the same.
    pub subsumption: Subsumption,
    /// The successors that breadth-first traversal remembers from one step to the next.
    pub memory: Memory,
    /// The behaviour of an observer that would take too long to find out what is certain.
    pub exactness: Exactness,
    /// The work and the memory that an engine may take.
    pub limits: Limits,
}

/// The parts of an engine's state that are dropped because another part asks for the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Subsumption {
    /// Entries of a configuration, configurations that ask of later states all that another one
    /// asks of them, and leaves of a graph that another one implies.
    #[default]
    On,
    /// As in the thesis: the redundant entries that its union ⊎ drops, in the configurations of
    /// breadth-first traversal and of the generic algorithm, and nothing else.
    Within,
    /// Nothing is dropped, as in the first paper.
    Off,
}

impl Subsumption {
    /// The entries that the union ⊎ drops inside a configuration.
    pub(super) fn of_entries(self) -> configuration::Compaction {
        match self {
            Self::On | Self::Within => configuration::Compaction::On,
            Self::Off => configuration::Compaction::Off,
        }
    }

    /// The parts that are dropped in graphs: leaves, and ways that lead on from a configuration.
    pub(super) fn in_graphs(self) -> configuration::Compaction {
        match self {
            Self::On => configuration::Compaction::On,
            Self::Within | Self::Off => configuration::Compaction::Off,
        }
    }

    /// The same setting, but with all configurations kept.
    pub(super) fn with_all_configurations(self) -> Self {
        match self {
            Self::On | Self::Within => Self::Within,
            Self::Off => Self::Off,
        }
    }
}

/// The successors that breadth-first traversal remembers from one step to the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Memory {
    /// The successors of whole sets of slices: a step that was made before is a look-up.
    #[default]
    Sets,
    /// The successors of single slices, as in the paper.
    Slices,
    /// Nothing: every successor is made anew.
    Nothing,
}

/// The behaviour of an observer that would take too long to find out what is certain.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Exactness {
    /// It gives up: a verdict is final at the first position after which it is certain.
    #[default]
    Always,
    /// It goes on: a verdict may be final later than it could be.
    WherePossible,
}
