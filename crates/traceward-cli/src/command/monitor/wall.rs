//! The clock on the wall, for monitors that are told by it how late it is.

use crate::arguments::{ClockSource, MonitorArguments};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The longest time that passes before somebody looks at the clock again.
const LONGEST_WAIT: Duration = Duration::from_millis(500);

/// The shortest time: a deadline has to be passed, and timers are not exact.
const SHORTEST_WAIT: Duration = Duration::from_millis(1);

/// The clock, if that is what tells how late it is.
#[derive(Clone, Copy)]
pub struct Wall;

impl Wall {
    /// The clock that the arguments ask for.
    pub fn of(arguments: &MonitorArguments) -> Option<Self> {
        (arguments.clock == ClockSource::Wall).then_some(Self)
    }

    /// The nanoseconds since 1970.
    pub fn now(self) -> i64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
    }

    /// How long to wait for a record before it is looked whether a deadline was missed. Records may
    /// be late by so much.
    pub fn patience(self, deadline: Option<i64>, lateness: u64) -> Duration {
        let Some(deadline) = deadline else { return LONGEST_WAIT };
        let left = deadline.saturating_add_unsigned(lateness).saturating_sub(self.now());
        Duration::from_nanos(left.max(0).unsigned_abs()).clamp(SHORTEST_WAIT, LONGEST_WAIT)
    }
}
