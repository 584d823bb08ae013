//! What would hold if the trace ended here, kept up to date state by state.
//!
//! If the trace ended, every part would tell what it has not told yet: whoever waits is answered as
//! where a window closes, and the parts above go on from there. The parts that have gone on in this
//! way are kept. To them a new state is one more position at which all operands are known, so that
//! it costs no more than a state does, however much is waited for. Only where something is answered
//! in another way than it would have been at the end, all is made anew from the parts as they are:
//! whoever is answered does not wait any more, so that there is seldom much to go through.

use super::bits::Bits;
use super::plan::{Goal, Kind};
use super::times::Times;
use super::{Operand, PartRun, Streaming, Tick, told_false};
use crate::past::{PastId, PastRun};

/// The run whose end is looked at.
#[derive(Clone, Copy)]
pub(super) struct Followed<'a> {
    pub past: &'a PastRun,
    pub times: &'a Times,
    pub parts: &'a [PartRun],
    pub states: u64,
}

/// The end of a run.
#[derive(Clone, Debug, Default)]
pub(super) struct Ending {
    /// The parts as they would be, but for the answers to those who wait in them.
    parts: Vec<PartRun>,
    /// For each part what it would tell that it has not told.
    untold: Vec<Bits>,
    /// For each part what it has told or would tell of the last state, while one is taken.
    last: Vec<bool>,
    /// Whether a sink would fail by what its operands would tell.
    has_failed: bool,
    /// The number of states that this is about, if it is about any.
    states: Option<u64>,
}

impl Ending {
    /// Takes the state that a run has just taken. Returns whether the formula would hold.
    pub fn take(&mut self, engine: &Streaming, run: Followed<'_>, time: i64) -> bool {
        let is_next = self.states.is_some_and(|states| states + 1 == run.states);
        if !(is_next && self.confirm(engine, run) && self.go_on(engine, run, time)) {
            self.make(engine, run);
        }
        self.states = Some(run.states);
        self.holds(engine)
    }

    /// Takes what a run has come to without a new state.
    pub fn take_clock(&mut self, engine: &Streaming, run: Followed<'_>) {
        if self.states != Some(run.states) || !self.confirm(engine, run) {
            self.states = None;
        }
    }

    /// Takes a state that parts do not take. Windows may open and close at the end all the same:
    /// whoever waits in one is answered as where it closes, before and after.
    pub fn pass_over(&mut self, states: u64) {
        if self.states.is_some_and(|before| before + 1 == states) {
            self.states = Some(states);
        }
    }

    /// Ends a copy of a run, and returns whether the formula would hold.
    pub fn of(engine: &Streaming, run: Followed<'_>) -> bool {
        let mut ending = Self::default();
        ending.make(engine, run);
        ending.holds(engine)
    }

    fn make(&mut self, engine: &Streaming, run: Followed<'_>) {
        if self.parts.len() == run.parts.len() {
            self.parts.iter_mut().zip(run.parts).for_each(|(copy, part)| copy.copy_from(part));
        } else {
            self.parts = run.parts.to_vec();
            self.untold = vec![Bits::default(); run.parts.len()];
            self.last = vec![false; run.parts.len()];
        }
        engine.tick((run.past, run.times), &mut self.parts, run.states, Tick::End);
        for (index, part) in self.parts.iter().enumerate() {
            self.untold[index].become_told(run.parts[index].told_until(), part.told());
        }
        self.has_failed = false;
        self.note_failures(engine);
    }

    /// Compares what parts have told with what they would have told, and returns whether it is the
    /// same: then it is for those above, too, since they have gone on from the same.
    fn confirm(&mut self, engine: &Streaming, run: Followed<'_>) -> bool {
        let mut parts = engine.parts.iter().zip(run.parts).zip(&mut self.untold);
        parts.all(|((part, run), untold)| match &part.kind {
            Kind::Scan(scan) if scan.is_prompt() => untold.confirm(run.told()),
            _ => {
                untold.take_told(run.told());
                true
            }
        })
    }

    /// Takes one more state. Returns whether nothing changes by it that was said of others.
    fn go_on(&mut self, engine: &Streaming, run: Followed<'_>, time: i64) -> bool {
        for index in 0..engine.parts.len() {
            let Some(last) = self.go_on_in_part(index, engine, run, time) else { return false };
            self.last[index] = last;
            if let Kind::Scan(scan) = &engine.parts[index].kind {
                // Of states that were passed over this is told.
                self.untold[index].push(run.states - 1, scan.neutral);
            }
            self.untold[index].push(run.states, last);
        }
        self.note_failures(engine);
        true
    }

    /// What a part would tell of a new state; none if that changes what was said of others.
    #[inline]
    fn go_on_in_part(&mut self, index: usize, engine: &Streaming, run: Followed<'_>, time: i64) -> Option<bool> {
        let Self { parts, last, .. } = self;
        let value = |operand: Operand<PastId>| match operand {
            Operand::Constant(bit) => bit,
            Operand::Now(id) => run.past.holds(id),
            Operand::Late(part) => last[part.index()],
        };
        match (&engine.parts[index].kind, &mut parts[index], &run.parts[index]) {
            (Kind::Scan(scan), PartRun::Scan(_), PartRun::Scan(real)) if scan.is_prompt() => Some(real.last(scan)),
            (Kind::Scan(scan), PartRun::Scan(ending), PartRun::Scan(real)) => {
                ending.go_on(scan, real, time, scan.settles(value(scan.left), value(scan.right)))
            }
            (Kind::Join(join), ..) => {
                let is_settled = join.operands.iter().any(|operand| value(*operand) == join.decisive);
                Some(is_settled == join.decisive)
            }
            (Kind::Lagging(lagging), PartRun::Lagging(ending), _) => Some(ending.go_on(lagging, value, time)),
            _ => unreachable!("a run has the kind of its part"),
        }
    }

    /// Takes note of the sinks that would fail by what their operands would tell.
    fn note_failures(&mut self, engine: &Streaming) {
        let Goal::Nothing { sinks, .. } = &engine.goal else { return };
        self.has_failed |= sinks.iter().any(|sink| match &engine.parts[sink.index()].kind {
            Kind::Scan(_) => told_false(&self.parts[sink.index()]),
            Kind::Join(_) | Kind::Lagging(_) => false,
        });
    }

    /// Whether the formula would hold.
    fn holds(&self, engine: &Streaming) -> bool {
        let sinks = match &engine.goal {
            Goal::First(part) => return self.untold[part.index()].front().is_some_and(|first| first.bit),
            Goal::Nothing { sinks, .. } => sinks,
        };
        let would_hold = |index: usize| match (&engine.parts[index].kind, &self.parts[index]) {
            (Kind::Scan(scan), PartRun::Scan(ending)) => scan.closing || ending.is_idle(),
            _ => !self.untold[index].has_false(),
        };
        !self.has_failed && sinks.iter().all(|sink| would_hold(sink.index()))
    }
}
