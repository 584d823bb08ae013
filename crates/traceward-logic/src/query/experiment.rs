//! Queries that measure something at many positions, and are not yet summarised.

use super::Query;

impl Query {
    /// Whether the query is an experiment: it reads values of states, as a latency or an expression
    /// does, and no collection has summarised them. People who ask for one on the outside want to
    /// know of its values at all positions.
    ///
    /// Collections inside `X`, `F` and `U` are no summaries of the experiment, and they have a
    /// value at every position in any case; others would be evaluated everywhere only for this.
    pub fn is_experiment(&self) -> bool {
        self.reads_states() && !self.is_summarised()
    }

    /// Whether a value of a state is read outside of collections.
    fn reads_states(&self) -> bool {
        match self {
            Self::Value { .. } => true,
            Self::And { left, right, .. } | Self::Or { left, right, .. } | Self::Until { left, right, .. } => {
                left.reads_states() || right.reads_states()
            }
            Self::Not { query, .. } | Self::Next { query, .. } | Self::Default { query, .. } => query.reads_states(),
            Self::Constant(_) | Self::Holds(_) | Self::Aggregate { .. } | Self::Fold { .. } | Self::Compare(_) => false,
        }
    }

    /// Whether there is a collection that is asked only where the query is.
    fn is_summarised(&self) -> bool {
        match self {
            Self::Aggregate { .. } | Self::Fold { .. } | Self::Compare(_) => true,
            Self::And { left, right, .. } | Self::Or { left, right, .. } => {
                left.is_summarised() || right.is_summarised()
            }
            Self::Not { query, .. } | Self::Default { query, .. } => query.is_summarised(),
            Self::Constant(_) | Self::Value { .. } | Self::Holds(_) | Self::Next { .. } | Self::Until { .. } => false,
        }
    }
}
