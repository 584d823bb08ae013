//! A temporal operator at the top whose operands are known in the state itself: the common case,
//! for which a deadline is all there is to keep.
//!
//! Nobody wants to know at which position it failed. So of those whose window is open one is
//! enough: the first to close if that is a failure, and otherwise the last.

use super::{Operand, Tick};
use crate::engine::follow::Due;
use crate::past::{PastId, PastRun};
use crate::saved::{Reader, RestoreError, Writer};
use std::collections::VecDeque;
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
    pub left: Operand<N>,
    pub right: Operand<N>,
}

/// Somebody who waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Waiter {
    position: u64,
    /// The position if steps are counted, and otherwise the timestamp.
    moment: i64,
}

/// Positions at which was asked, one after the other if steps are counted, and whose window is not
/// open yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Later {
    first: Waiter,
    until: u64,
}

/// What an operator has come to.
#[derive(Clone, Debug, Default)]
pub(super) struct WatchRun {
    open: Option<Waiter>,
    later: VecDeque<Later>,
}

impl<N> Watch<N> {
    pub fn map<M>(self, to: impl Fn(N) -> M) -> Watch<M> {
        let Self { formula, guard, window, rule, closing, left, right } = self;
        Watch { formula, guard: to(guard), window, rule, closing, left: left.map(&to), right: right.map(&to) }
    }
}

impl Watch<PastId> {
    /// The answer that the operands give to those whose window is open.
    #[inline]
    fn settles(&self, past: &PastRun) -> Option<bool> {
        let now = |operand| match operand {
            Operand::Constant(bit) => bit,
            Operand::Now(id) => past.holds(id),
            Operand::Late(_) => unreachable!("a watch has no late operand"),
        };
        match (self.rule, now(self.right)) {
            (Expansion::Until, true) => Some(true),
            (Expansion::Until, false) => (!now(self.left)).then_some(false),
            (Expansion::Release, false) => Some(false),
            (Expansion::Release, true) => now(self.left).then_some(true),
        }
    }

    fn closes(&self, waiter: Waiter) -> Option<i64> {
        Some(waiter.moment.saturating_add_unsigned(self.window.to?))
    }

    fn opens(&self, waiter: Waiter) -> i64 {
        waiter.moment.saturating_add_unsigned(self.window.from)
    }
}

impl WatchRun {
    /// Whether nobody waits.
    pub fn is_idle(&self) -> bool {
        self.open.is_none() && self.later.is_empty()
    }

    /// The number of entries that are kept.
    pub fn len(&self) -> usize {
        self.later.len() + usize::from(self.open.is_some())
    }

    /// Takes what has happened, and returns whether something has failed by it.
    #[inline]
    pub fn take(&mut self, watch: &Watch<PastId>, past: &PastRun, tick: Tick) -> bool {
        match (tick, watch.window.unit) {
            (Tick::State { position, .. }, Unit::Steps) => {
                let now = Waiter { position, moment: position as i64 };
                self.state(watch, past, now);
                // Steps are known to be over, while a timestamp may come again.
                self.settled(watch, past) || self.close(watch, now.moment.saturating_add(1))
            }
            (Tick::State { position, time }, Unit::Time) => {
                self.open_up_to(watch, time);
                let has_failed = self.close(watch, time);
                self.state(watch, past, Waiter { position, moment: time });
                self.settled(watch, past) || has_failed
            }
            (Tick::Clock(time), Unit::Time) => {
                self.open_up_to(watch, time);
                self.close(watch, time)
            }
            (Tick::Clock(_), Unit::Steps) | (Tick::End, _) => false,
        }
    }

    /// Takes note of who asks in a state, and opens the windows that are open there.
    #[inline]
    fn state(&mut self, watch: &Watch<PastId>, past: &PastRun, now: Waiter) {
        if past.holds(watch.guard) {
            match watch.window.from {
                0 => self.wait(watch, now),
                _ => self.wait_later(watch, now),
            }
        }
        if !self.later.is_empty() {
            self.open_up_to(watch, now.moment);
        }
    }

    fn wait_later(&mut self, watch: &Watch<PastId>, now: Waiter) {
        let joins = |last: &Later| last.until == now.position && watch.window.unit == Unit::Steps;
        match self.later.back_mut() {
            Some(last) if joins(last) || last.first.moment == now.moment => last.until = now.position + 1,
            _ => self.later.push_back(Later { first: now, until: now.position + 1 }),
        }
    }

    #[inline]
    fn wait(&mut self, watch: &Watch<PastId>, waiter: Waiter) {
        if watch.closing || self.open.is_none() {
            self.open = Some(waiter);
        }
    }

    /// Opens the windows that are open at a moment.
    #[inline]
    fn open_up_to(&mut self, watch: &Watch<PastId>, moment: i64) {
        while let Some(later) = self.later.front_mut().filter(|later| watch.opens(later.first) <= moment) {
            let opened = later.first;
            match watch.window.unit {
                Unit::Steps if opened.position + 1 < later.until => {
                    later.first = Waiter { position: opened.position + 1, moment: opened.moment + 1 };
                }
                _ => drop(self.later.pop_front()),
            }
            self.wait(watch, opened);
        }
    }

    /// Closes what is open if its window ends before a moment, and returns whether that is a
    /// failure.
    #[inline]
    fn close(&mut self, watch: &Watch<PastId>, moment: i64) -> bool {
        let is_closed = |waiter: Waiter| watch.closes(waiter).is_some_and(|closes| closes < moment);
        if !self.open.is_some_and(is_closed) {
            return false;
        }
        self.open = None;
        !watch.closing
    }

    /// Lets the operands settle what is open, and returns whether it has failed.
    #[inline]
    fn settled(&mut self, watch: &Watch<PastId>, past: &PastRun) -> bool {
        if self.open.is_none() {
            return false;
        }
        let answer = watch.settles(past);
        if answer.is_some() {
            self.open = None;
        }
        answer == Some(false)
    }

    fn first(&self) -> Option<Waiter> {
        self.open.or(self.later.front().map(|later| later.first))
    }

    /// The first and the last position that wait.
    pub fn waiting(&self) -> Option<(u64, u64)> {
        let first = self.first()?.position;
        Some((first, self.later.back().map_or(first, |last| last.until - 1)))
    }

    /// Since when the first waits and when it has to be answered, if what it waits for has to come.
    pub fn due(&self, watch: &Watch<PastId>, states: u64) -> Option<(u64, Due)> {
        let first = self.first().filter(|_| !watch.closing)?;
        let (opens, closes) = (watch.opens(first), watch.closes(first));
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
    pub fn deadline(&self, watch: &Watch<PastId>) -> Option<i64> {
        self.first().filter(|_| watch.window.unit == Unit::Time).and_then(|first| watch.closes(first))
    }

    pub fn save(&self, to: &mut Writer) {
        to.bit(self.open.is_some());
        self.open.iter().for_each(|waiter| waiter.save(to));
        to.size(self.later.len());
        for later in &self.later {
            later.first.save(to);
            to.number(later.until);
        }
    }

    pub fn restore(from: &mut Reader<'_>, states: u64) -> Result<Self, RestoreError> {
        let open = if from.bit()? { Some(Waiter::restore(from, states)?) } else { None };
        let (mut later, mut before) = (VecDeque::new(), 0);
        for _ in 0..from.count()? {
            let one = Later { first: Waiter::restore(from, states)?, until: from.number()? };
            if one.first.position < before || one.until <= one.first.position || one.until > states {
                return Err(RestoreError::Damaged);
            }
            before = one.until;
            later.push_back(one);
        }
        Ok(Self { open, later })
    }
}

impl Waiter {
    fn save(self, to: &mut Writer) {
        to.number(self.position);
        to.number(self.moment.cast_unsigned());
    }

    fn restore(from: &mut Reader<'_>, states: u64) -> Result<Self, RestoreError> {
        let (position, moment) = (from.number()?, from.number()?.cast_signed());
        if position < states { Ok(Self { position, moment }) } else { Err(RestoreError::Damaged) }
    }
}
