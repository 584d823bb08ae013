//! Engines that show what they hold.

use super::table::Build;
use super::{Config, EngineName};
use crate::engine::walkthrough::{Guide, Visits, Walkthrough, WalkthroughError};
use crate::prepared::Prepared;
use std::sync::Arc;
use traceward_logic::letter::Letters;

/// The trace that an engine is walked over, and how much of it is shown.
#[derive(Clone, Copy, Debug)]
pub struct Walk<'a> {
    /// The letters of the trace, which has a state.
    pub letters: &'a Letters,
    /// The names of the variables.
    pub names: &'a [Arc<str>],
    /// The number of nodes that may be shown after a state.
    pub most_nodes: usize,
    /// Whether breadth-first traversal counts visits, too.
    pub visits: Visits,
}

impl Walk<'_> {
    /// The steps of an engine that judges the formula of an index. The configuration names the
    /// engine: there is no choice left.
    pub fn walkthrough(
        &self,
        prepared: &Prepared,
        index: usize,
        config: &Config,
    ) -> Result<Walkthrough, WalkthroughError> {
        // Names of nodes are those of the formula by itself.
        let alone = &prepared.only(&[index]);
        let Self { letters, names, most_nodes, visits } = *self;
        let guide = Guide { prepared: alone, letters, names, most_nodes, visits };
        match config.engine.build() {
            None => Err(WalkthroughError::NothingHeld),
            Some(Build::Rows(build) | Build::Verdicts(build)) => {
                build(alone, &[0], config.of_engines()).walkthrough(&guide)
            }
            Some(Build::Follows(build)) => build(alone, 0, config.of_engines())?.walkthrough(&guide),
        }
    }
}

impl EngineName {
    /// Whether the engine has something to show of its way over a trace.
    pub fn holds_something(self) -> bool {
        !matches!(self, Self::Auto | Self::Naive)
    }
}
