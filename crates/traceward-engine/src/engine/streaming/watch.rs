//! A temporal operator at the top whose operands are known in the state itself: the common case,
//! for which a deadline is all there is to keep.
//!
//! Nobody wants to know at which position it failed. So of those whose window is open one is
//! enough: the first to close if that is a failure, and otherwise the last. While there is one,
//! nobody looks at who else has opened.
//!
//! Whether somebody asks, and whether that is answered, is as the trace has it, and no processor
//! can foresee it. So what a state changes is chosen and not branched to.

use super::Tick;
use super::later::Positions;
use super::waiting::{Reached, Reading, Settles, Waiter, Waiting};
use crate::engine::follow::Due;
use crate::past::{Past, PastId, PastRun};
use crate::saved::{Reader, RestoreError, Writer};
use traceward_logic::formula::{Expansion, FormulaId, Interval, Unit};

/// The operator, and where it is asked.
#[derive(Clone, Debug)]
pub(super) struct Watch<N> {
    pub formula: FormulaId,
    /// It is asked where this holds.
    pub guard: N,
    pub window: Interval,
    /// The way in which the operands settle what is asked.
    pub rule: Expansion,
    /// The answer where the window closes before the operands have settled anything.
    pub closing: bool,
    pub left: N,
    pub right: N,
    pub ready: Ready,
}

/// What an operator goes by in each state: where it is asked and what settles it, as bits of
/// [`PastRun::word`], and where windows close.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Ready {
    guard: u64,
    right: u64,
    settle_if_true: u64,
    settle_if_false: u64,
    reach: u64,
}

/// What a state has brought about.
#[derive(Clone, Copy)]
pub(super) struct Taken {
    pub has_failed: bool,
    /// Whether somebody waits after it.
    pub waits: bool,
}

/// What an operator has come to.
#[derive(Clone, Debug)]
pub(super) struct WatchRun {
    /// One whose window is open, or nobody. Where windows open later in time, it is among those.
    open: Waiter,
    /// In steps, those whose window is not open yet.
    later: Positions,
    /// Where windows open later in time, all who wait.
    in_time: Waiting,
}

impl Default for WatchRun {
    fn default() -> Self {
        Self { open: Waiter::NOBODY, later: Positions::default(), in_time: Waiting::default() }
    }
}

impl<N> Watch<N> {
    pub fn map<M>(self, to: impl Fn(N) -> M) -> Watch<M> {
        let Self { formula, guard, window, rule, closing, left, right, ready } = self;
        Watch { formula, guard: to(guard), window, rule, closing, left: to(left), right: to(right), ready }
    }
}

impl Watch<PastId> {
    /// What a state says.
    #[inline]
    fn reads(&self, past: &PastRun) -> Reading {
        let Ready { guard, right, settle_if_true, settle_if_false, .. } = self.ready;
        let word = past.word().unwrap_or_else(|| self.gathered(past));
        let is_settled = (word & settle_if_true) | (!word & settle_if_false) != 0;
        Reading { asks: word & guard != 0, settles: Settles { is_settled, answer: word & right != 0 } }
    }

    /// A word of what the operator asks for, where no word has room for all that can be.
    #[inline(never)]
    fn gathered(&self, past: &PastRun) -> u64 {
        let bits = [self.guard, self.left, self.right].map(|id| u64::from(past.holds(id)));
        bits[0] | (bits[1] << 1) | (bits[2] << 2)
    }

    /// The operator, ready to be asked by what `past` tells.
    pub fn ready(self, past: &Past) -> Self {
        let [guard, left, right] = match past.fits_in_word() {
            true => [self.guard, self.left, self.right].map(PastId::bit),
            false => [1, 2, 4],
        };
        let (settle_if_true, settle_if_false) = match self.rule {
            Expansion::Until => (right, left),
            Expansion::Release => (left, right),
        };
        let reach = self.window.to.unwrap_or(u64::MAX);
        Self { ready: Ready { guard, right, settle_if_true, settle_if_false, reach }, ..self }
    }

    /// The last moment of a window.
    fn closes(&self, waiter: Waiter) -> i64 {
        waiter.moment.saturating_add_unsigned(self.window.to.unwrap_or(u64::MAX))
    }

    fn opens(&self, waiter: Waiter) -> i64 {
        waiter.moment.saturating_add_unsigned(self.window.from)
    }

    /// Of those who asked before which moment windows that open later have opened by another one.
    /// Nobody asks before the earliest moment that there is.
    #[inline]
    fn opened(&self, moment: i64) -> i64 {
        moment.saturating_sub_unsigned(self.window.from.saturating_sub(1))
    }

    /// Of those who asked before which moment windows have closed before another one.
    #[inline]
    fn closed(&self, moment: i64) -> i64 {
        moment.saturating_sub_unsigned(self.ready.reach)
    }

    /// In steps, the first position whose window does not open in the first so many states.
    fn taken(&self, states: u64) -> u64 {
        states.saturating_sub(self.window.from)
    }
}

impl WatchRun {
    /// Whether nobody waits.
    #[inline]
    pub fn is_idle(&self) -> bool {
        self.open.is_nobody() & self.later.is_empty() & self.in_time.is_idle()
    }

    /// The number of entries that are kept.
    pub fn len(&self) -> usize {
        self.later.len() + self.in_time.len() + usize::from(!self.open.is_nobody())
    }

    /// Takes what has happened, and returns whether something has failed by it.
    pub fn take(&mut self, watch: &Watch<PastId>, past: &PastRun, tick: Tick) -> bool {
        match tick {
            Tick::State { position, time } => self.take_state(watch, past, position, time).has_failed,
            Tick::Clock(time) => watch.window.unit == Unit::Time && self.pass(watch, time),
            Tick::End => false,
        }
    }

    /// Takes a state.
    #[inline]
    pub fn take_state(&mut self, watch: &Watch<PastId>, past: &PastRun, position: u64, time: i64) -> Taken {
        match (watch.window.unit, watch.window.from) {
            (Unit::Steps, 0) => self.take_step(watch, past, position),
            (Unit::Steps, from) => self.take_step_later(watch, past, position, from),
            (Unit::Time, 0) => self.take_time(watch, past, Waiter { position, moment: time }),
            (Unit::Time, _) => self.take_time_later(watch, past, Waiter { position, moment: time }),
        }
    }

    /// Takes a state where steps are counted and windows open at once.
    #[inline(never)]
    fn take_step(&mut self, watch: &Watch<PastId>, past: &PastRun, position: u64) -> Taken {
        let Reading { asks, settles } = watch.reads(past);
        self.count_step(watch, asks, settles, position)
    }

    /// Takes a state where steps are counted and windows open later.
    #[inline(never)]
    fn take_step_later(&mut self, watch: &Watch<PastId>, past: &PastRun, position: u64, from: u64) -> Taken {
        let Reading { asks, settles } = watch.reads(past);
        self.later.push(position, asks);
        let opens = position >= from && self.later.take(position - from);
        let taken = self.count_step(watch, opens, settles, position.wrapping_sub(from));
        Taken { waits: taken.waits | !self.later.is_empty(), ..taken }
    }

    /// Takes a state where steps are counted: there, one window can open in each, that of whoever
    /// asked at a position.
    #[inline]
    fn count_step(&mut self, watch: &Watch<PastId>, opens: bool, settles: Settles, asked: u64) -> Taken {
        let mut open = self.open;
        open.wait(watch, opens, Waiter::at_step(asked));
        let has_failed = open.settle(settles);
        // Steps are known to be over, while a timestamp may come again.
        let next = asked.wrapping_add(watch.window.from).cast_signed() + 1;
        let has_closed = open.close(watch, watch.closed(next));
        self.open = open;
        Taken { has_failed: has_failed | has_closed, waits: !open.is_nobody() }
    }

    /// Takes a state where time is counted and windows open at once.
    #[inline(never)]
    fn take_time(&mut self, watch: &Watch<PastId>, past: &PastRun, now: Waiter) -> Taken {
        let Reading { asks, settles } = watch.reads(past);
        let mut open = self.open;
        let has_closed = open.close(watch, watch.closed(now.moment));
        open.wait(watch, asks, now);
        let has_failed = open.settle(settles);
        self.open = open;
        Taken { has_failed: has_failed | has_closed, waits: !open.is_nobody() }
    }

    /// Takes a state where time is counted and windows open later.
    #[inline(never)]
    fn take_time_later(&mut self, watch: &Watch<PastId>, past: &PastRun, now: Waiter) -> Taken {
        let reached = Reached { opened: watch.opened(now.moment), closed: watch.closed(now.moment) };
        let has_failed = self.in_time.take(now, watch.reads(past), reached, watch.closing);
        Taken { has_failed, waits: !self.in_time.is_idle() }
    }

    /// Lets windows close that do so before a moment, at which the next position is. Returns
    /// whether one has closed that should not have.
    fn pass(&mut self, watch: &Watch<PastId>, moment: i64) -> bool {
        let closed = watch.closed(moment);
        self.open.close(watch, closed) | self.in_time.close(watch.closing, closed)
    }

    /// Forgets who has opened by a moment and does not count.
    pub fn tidy(&mut self, watch: &Watch<PastId>, moment: i64) {
        if !self.in_time.is_empty() {
            self.in_time.tidy(watch.closing, watch.opened(moment));
        }
    }

    /// The first that waits, after so many states.
    fn first(&self, watch: &Watch<PastId>, states: u64) -> Option<Waiter> {
        let in_steps = || self.later.ends(watch.taken(states)).map(|(first, _)| Waiter::at_step(first));
        let in_time = || self.in_time.iter().next();
        self.open.somebody().or_else(in_steps).or_else(in_time)
    }

    /// The first and the last position that wait, after so many states.
    pub fn waiting(&self, watch: &Watch<PastId>, states: u64) -> Option<(u64, u64)> {
        let first = self.first(watch, states)?.position;
        let in_steps = self.later.ends(watch.taken(states)).map(|(_, last)| last);
        let in_time = self.in_time.last().map(|last| last.position);
        Some((first, in_steps.or(in_time).unwrap_or(first)))
    }

    /// Since when the first waits and when it has to be answered, if what it waits for has to come.
    pub fn due(&self, watch: &Watch<PastId>, states: u64) -> Option<(u64, Due)> {
        let first = self.first(watch, states).filter(|_| !watch.closing)?;
        let (opens, closes) = (watch.opens(first), watch.window.to.map(|_| watch.closes(first)));
        let due = match watch.window.unit {
            Unit::Time => Due::Time { from: opens, until: closes },
            Unit::Steps => {
                let opens = opens.max(states.cast_signed());
                let reach = closes.map(|closes| closes.saturating_sub(opens).max(0).cast_unsigned());
                Due::Steps { delay: opens.cast_unsigned() - states, reach }
            }
        };
        Some((first.position, due))
    }

    /// The end of the first window that somebody waits in, if it is one in time.
    pub fn deadline(&self, watch: &Watch<PastId>, states: u64) -> Option<i64> {
        watch.window.to.filter(|_| watch.window.unit == Unit::Time)?;
        self.first(watch, states).map(|first| watch.closes(first))
    }

    pub fn save(&self, watch: &Watch<PastId>, states: u64, to: &mut Writer) {
        to.bit(!self.open.is_nobody());
        self.open.somebody().iter().for_each(|waiter| waiter.save(to));
        self.later.save(watch.taken(states), to);
        self.in_time.save(to);
    }

    pub fn restore(watch: &Watch<PastId>, from: &mut Reader<'_>, states: u64) -> Result<Self, RestoreError> {
        let open = if from.bit()? { Waiter::restore(from, states)? } else { Waiter::NOBODY };
        let later = Positions::restore(from, watch.taken(states), states)?;
        let in_time = Waiting::restore(from, states)?;
        let is_among_those = watch.window.unit == Unit::Time && watch.window.from > 0;
        if is_among_those && !open.is_nobody() {
            return Err(RestoreError::Damaged);
        }
        Ok(Self { open, later, in_time })
    }
}

impl Waiter {
    /// Lets somebody wait whose window is open, if there is somebody.
    #[inline]
    fn wait(&mut self, watch: &Watch<PastId>, is_somebody: bool, waiter: Self) {
        let counts = watch.closing | self.is_nobody();
        *self = self.replaced(is_somebody & counts, waiter);
    }

    /// Lets the operands settle what is open. Returns whether that is a failure.
    #[inline]
    fn settle(&mut self, Settles { is_settled, answer }: Settles) -> bool {
        let is_any = is_settled & !self.is_nobody();
        *self = self.replaced(is_any, Self::NOBODY);
        is_any & !answer
    }

    /// Closes what is open if its window has closed, as it has for those who asked before a moment.
    /// Returns whether that is a failure.
    #[inline]
    fn close(&mut self, watch: &Watch<PastId>, closed: i64) -> bool {
        let is_closed = self.moment < closed;
        *self = self.replaced(is_closed, Self::NOBODY);
        is_closed & !watch.closing
    }
}
