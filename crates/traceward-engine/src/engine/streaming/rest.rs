//! Stretches of states in which nothing happens to parts.
//!
//! As long as nobody asks, no operand settles anything and no window opens or closes, a state
//! changes nothing but the number of states: parts tell the neutral value of it, which settles
//! nothing above, and would do so at the end. So parts need not take it; those that follow tell of
//! it, since what is told is told up to a position.

use super::plan::{Goal, Kind};
use super::scan::Scan;
use super::{Operand, Part, PartRun, Run, Streaming};
use crate::past::PastId;

/// How long windows stay as they are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rest {
    /// The last position, and the last time, at which none opens or closes.
    pub position: u64,
    pub time: i64,
}

impl Rest {
    pub const FOREVER: Self = Self { position: u64::MAX, time: i64::MAX };

    /// As long as both.
    pub fn and(self, other: Self) -> Self {
        Self { position: self.position.min(other.position), time: self.time.min(other.time) }
    }
}

/// Parts are followed all the same from time to time, so that timestamps do not pile up.
const STATES_BETWEEN_RESTS: u64 = 64;

/// Whether parts can rest: they would miss what they are told of states alone. A right operand that
/// is a constant may settle each state by itself.
pub(super) fn can_rest(goal: &Goal<PastId>, parts: &[Part]) -> bool {
    let is_now = |operand: Operand<PastId>| matches!(operand, Operand::Now(_));
    let is_late = |operand: Operand<PastId>| matches!(operand, Operand::Late(_));
    let can_rest = |scan: &Scan<PastId>| scan.is_prompt() || (is_late(scan.right) && !is_now(scan.left));
    let can_rest = |part: &Part| matches!(&part.kind, Kind::Scan(scan) if can_rest(scan));
    matches!(goal, Goal::Nothing { .. }) && parts.iter().all(can_rest)
}

impl Streaming {
    /// Whether nothing happens to parts in a state.
    #[inline]
    pub(super) fn rests(&self, run: &Run, position: u64, time: i64) -> bool {
        run.rest.is_some_and(|rest| position <= rest.position && time <= rest.time)
            && !position.is_multiple_of(STATES_BETWEEN_RESTS)
            && !self.parts.iter().zip(&run.parts).any(|(part, part_run)| self.happens(run, part, part_run))
    }

    /// Whether a part is asked, or what waits in it is settled.
    #[inline]
    fn happens(&self, run: &Run, part: &Part, part_run: &PartRun) -> bool {
        let (Kind::Scan(scan), PartRun::Scan(waiting)) = (&part.kind, part_run) else { return true };
        let is_asked = part.ask.source.is_none_or(|source| run.asked[source.index()]);
        let is_asked = is_asked && !waiting.covers() && run.past.holds(part.ask.guard);
        is_asked || (scan.is_prompt() && waiting.is_settled(scan, &run.past))
    }

    /// Lets parts rest behind a state, for as long as windows stay as they are. Who is asked until
    /// then is known.
    pub(super) fn let_rest(&self, run: &mut Run, time: i64) {
        let mut rest = Rest::FOREVER;
        for (part, part_run) in self.parts.iter().zip(&run.parts) {
            let (Kind::Scan(scan), PartRun::Scan(waiting)) = (&part.kind, part_run) else { return };
            rest = rest.and(waiting.rest(scan, time));
            if let Some(source) = part.source {
                run.asked[source.index()] = waiting.goes_on_asking(scan, time);
            }
        }
        run.rest = Some(rest);
    }
}
