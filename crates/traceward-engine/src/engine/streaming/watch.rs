//! A temporal operator at the top whose operands are known in the state itself: the common case,
//! for which a deadline is all there is to keep.
//!
//! Nobody wants to know at which position it failed. So of those whose window is open one is
//! enough: the first to close if that is a failure, and otherwise the last. While there is one,
//! nobody looks at who else has opened.
//!
//! Whether somebody asks, and whether that is answered, is as the trace has it, and no processor
//! can foresee it. So what a state changes is chosen and not branched to.

use super::later::Positions;
use super::{Operand, Tick};
use crate::engine::follow::Due;
use crate::past::{PastId, PastRun};
use crate::saved::{Reader, RestoreError, Writer};
use std::hint::select_unpredictable;
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

impl Waiter {
    /// Nobody, whose window never closes.
    const NOBODY: Self = Self { position: u64::MAX, moment: i64::MAX };

    #[inline]
    fn is_nobody(self) -> bool {
        self.position == u64::MAX
    }

    fn somebody(self) -> Option<Self> {
        (!self.is_nobody()).then_some(self)
    }

    /// Another one where something is the case, without a branch.
    #[inline]
    fn replaced(self, is_replaced: bool, other: Self) -> Self {
        Self {
            position: select_unpredictable(is_replaced, other.position, self.position),
            moment: select_unpredictable(is_replaced, other.moment, self.moment),
        }
    }
}

/// Those whose window opens later where time is counted: the first of each timestamp.
#[derive(Clone, Debug)]
struct Later {
    /// A ring of as many as a power of two, or none. Whoever asks is written behind the last, and
    /// counted if nobody else is of the same timestamp.
    ring: Box<[Waiter]>,
    /// The number of those who have left, and of those who have come.
    left: u64,
    come: u64,
    /// The first of them, or nobody.
    first: Waiter,
    /// When it was asked for the last time, and where.
    last_moment: i64,
    last_position: u64,
}

/// What an operator has come to.
#[derive(Clone, Debug)]
pub(super) struct WatchRun {
    /// One whose window is open, or nobody.
    open: Waiter,
    /// In steps, those whose window is not open yet.
    later: Positions,
    /// In time, those whose window is not open yet. Where somebody waits in an open one, more may
    /// have opened.
    later_in_time: Later,
}

impl Default for WatchRun {
    fn default() -> Self {
        Self { open: Waiter::NOBODY, later: Positions::default(), later_in_time: Later::default() }
    }
}

impl Default for Later {
    fn default() -> Self {
        let (ring, nobody) = (Box::default(), Waiter::NOBODY);
        Self { ring, left: 0, come: 0, first: nobody, last_moment: i64::MIN, last_position: 0 }
    }
}

impl Later {
    #[inline]
    fn is_empty(&self) -> bool {
        self.left == self.come
    }

    fn len(&self) -> usize {
        (self.come - self.left) as usize
    }

    /// Whether there is no room for one more.
    #[inline]
    fn is_full(&self) -> bool {
        self.len() == self.ring.len()
    }

    /// The place in the ring of somebody by the number of those who came before.
    #[inline]
    fn place(&self, number: u64) -> usize {
        number as usize & self.ring.len().wrapping_sub(1)
    }

    /// All of them in order.
    fn iter(&self) -> impl Iterator<Item = Waiter> {
        (self.left..self.come).map(|number| self.ring[self.place(number)])
    }

    /// Adds somebody, unless there is one of the same timestamp. There has to be room.
    #[inline]
    fn push(&mut self, now: Waiter) {
        let comes = self.is_empty() | (self.last_moment != now.moment);
        let place = self.place(self.come);
        self.ring[place] = now;
        self.first = self.first.replaced(self.is_empty(), now);
        self.come += u64::from(comes);
        (self.last_moment, self.last_position) = (now.moment, now.position);
    }

    /// Takes the first away.
    fn pop(&mut self) -> Waiter {
        self.left += 1;
        let next = if self.is_empty() { Waiter::NOBODY } else { self.ring[self.place(self.left)] };
        std::mem::replace(&mut self.first, next)
    }

    fn grow(&mut self) {
        let room = (2 * self.ring.len()).max(4);
        self.ring = self.iter().chain(std::iter::repeat(Waiter::NOBODY)).take(room).collect();
        (self.left, self.come) = (0, self.come - self.left);
    }
}

impl<N> Watch<N> {
    pub fn map<M>(self, to: impl Fn(N) -> M) -> Watch<M> {
        let Self { formula, guard, window, rule, closing, left, right } = self;
        Watch { formula, guard: to(guard), window, rule, closing, left: left.map(&to), right: right.map(&to) }
    }
}

impl Watch<PastId> {
    /// Whether the operands settle what is open, and what they say of it.
    #[inline]
    fn settles(&self, past: &PastRun) -> (bool, bool) {
        let now = |operand| match operand {
            Operand::Constant(bit) => bit,
            Operand::Now(id) => past.holds(id),
            Operand::Late(_) => unreachable!("a watch has no late operand"),
        };
        let (left, right) = (now(self.left), now(self.right));
        let is_until = self.rule == Expansion::Until;
        ((right == is_until) | (left != is_until), right)
    }

    /// The last moment of a window.
    fn closes(&self, waiter: Waiter) -> i64 {
        waiter.moment.saturating_add_unsigned(self.window.to.unwrap_or(u64::MAX))
    }

    fn opens(&self, waiter: Waiter) -> i64 {
        waiter.moment.saturating_add_unsigned(self.window.from)
    }

    /// Of those who asked up to which moment windows have opened by another one.
    #[inline]
    fn opened(&self, moment: i64) -> i64 {
        moment.saturating_sub_unsigned(self.window.from)
    }

    /// Of those who asked before which moment windows have closed before another one.
    #[inline]
    fn closed(&self, moment: i64) -> i64 {
        moment.saturating_sub_unsigned(self.window.to.unwrap_or(u64::MAX))
    }

    /// In steps, the first position whose window does not open in the first so many states.
    fn taken(&self, states: u64) -> u64 {
        states.saturating_sub(self.window.from)
    }
}

/// Whether something was open and is settled, and whether it has failed.
struct Settled {
    is_any: bool,
    has_failed: bool,
}

impl WatchRun {
    /// Whether nobody waits.
    #[inline]
    pub fn is_idle(&self) -> bool {
        self.open.is_nobody() & self.later.is_empty() & self.later_in_time.is_empty()
    }

    /// The number of entries that are kept.
    pub fn len(&self) -> usize {
        self.later.len() + self.later_in_time.len() + usize::from(!self.open.is_nobody())
    }

    /// Takes what has happened, and returns whether something has failed by it.
    pub fn take(&mut self, watch: &Watch<PastId>, past: &PastRun, tick: Tick) -> bool {
        match tick {
            Tick::State { position, time } => self.take_state(watch, past, position, time),
            Tick::Clock(time) => watch.window.unit == Unit::Time && self.pass(watch, time),
            Tick::End => false,
        }
    }

    /// Takes a state, and returns whether something has failed by it.
    #[inline]
    pub fn take_state(&mut self, watch: &Watch<PastId>, past: &PastRun, position: u64, time: i64) -> bool {
        match (watch.window.unit, watch.window.from) {
            (Unit::Steps, 0) => self.take_step(watch, past, past.holds(watch.guard), position),
            (Unit::Steps, from) => {
                self.later.push(position, past.holds(watch.guard));
                let opens = position >= from && self.later.take(position - from);
                self.take_step(watch, past, opens, position)
            }
            (Unit::Time, 0) => {
                let has_failed = self.close(watch, watch.closed(time));
                self.wait(watch, past.holds(watch.guard), Waiter { position, moment: time });
                has_failed | self.settle(watch, past).has_failed
            }
            (Unit::Time, _) => self.take_time(watch, past, Waiter { position, moment: time }),
        }
    }

    /// Takes a state where steps are counted: there, one window can open in each.
    #[inline]
    fn take_step(&mut self, watch: &Watch<PastId>, past: &PastRun, opens: bool, position: u64) -> bool {
        self.wait(watch, opens, Waiter::at_step(position.wrapping_sub(watch.window.from)));
        let settled = self.settle(watch, past);
        // Steps are known to be over, while a timestamp may come again.
        settled.has_failed | self.close(watch, watch.closed(position.cast_signed() + 1))
    }

    /// Takes a state where time is counted and windows open later.
    #[inline]
    fn take_time(&mut self, watch: &Watch<PastId>, past: &PastRun, now: Waiter) -> bool {
        let has_failed = self.pass(watch, now.moment);
        if past.holds(watch.guard) {
            if self.later_in_time.is_full() {
                self.make_room(watch, now.moment);
            }
            self.later_in_time.push(now);
        }
        let settled = self.settle(watch, past);
        let opened = watch.opened(now.moment);
        if settled.is_any & self.has_opened(opened) {
            self.drop_opened(opened);
        }
        has_failed | settled.has_failed
    }

    /// Room is made by forgetting whoever does not count; only if that is not much there is more.
    fn make_room(&mut self, watch: &Watch<PastId>, moment: i64) {
        self.tidy(watch, moment);
        if 2 * self.later_in_time.len() >= self.later_in_time.ring.len() {
            self.later_in_time.grow();
        }
    }

    /// Adds somebody to those whose window is open, if there is somebody.
    #[inline]
    fn wait(&mut self, watch: &Watch<PastId>, is_somebody: bool, waiter: Waiter) {
        let counts = watch.closing | self.open.is_nobody();
        self.open = self.open.replaced(is_somebody & counts, waiter);
    }

    /// Lets windows open and close that do so before a moment, at which the next position is.
    /// Returns whether one has closed that should not have.
    #[inline]
    fn pass(&mut self, watch: &Watch<PastId>, moment: i64) -> bool {
        let (opened, closed) = (watch.opened(moment), watch.closed(moment));
        let has_failed = self.close(watch, closed);
        if self.open.is_nobody() & self.has_opened(opened) {
            self.open = self.later_in_time.pop();
            if watch.closing {
                self.open_last(opened);
            }
            return has_failed | self.close(watch, closed);
        }
        has_failed
    }

    /// Whether there is a window that has opened and that nobody has looked at. It has for those
    /// who asked up to a moment.
    #[inline]
    fn has_opened(&self, opened: i64) -> bool {
        (self.later_in_time.first.moment <= opened) & !self.later_in_time.is_empty()
    }

    /// Opens the last of all windows that have opened.
    fn open_last(&mut self, opened: i64) {
        while self.has_opened(opened) {
            self.open = self.later_in_time.pop();
        }
    }

    /// Forgets those whose windows have opened.
    fn drop_opened(&mut self, opened: i64) {
        while self.has_opened(opened) {
            self.later_in_time.pop();
        }
    }

    /// Forgets who has opened by a moment and does not count.
    pub fn tidy(&mut self, watch: &Watch<PastId>, moment: i64) {
        match watch.closing {
            _ if self.open.is_nobody() => {}
            true => self.open_last(watch.opened(moment)),
            false => self.drop_opened(watch.opened(moment)),
        }
    }

    /// Closes what is open if its window has closed, as it has for those who asked before a moment.
    /// Returns whether that is a failure.
    #[inline]
    fn close(&mut self, watch: &Watch<PastId>, closed: i64) -> bool {
        let is_closed = self.open.moment < closed;
        self.open = self.open.replaced(is_closed, Waiter::NOBODY);
        is_closed & !watch.closing
    }

    /// Lets the operands settle what is open.
    #[inline]
    fn settle(&mut self, watch: &Watch<PastId>, past: &PastRun) -> Settled {
        let (settles, answer) = watch.settles(past);
        let is_any = settles & !self.open.is_nobody();
        self.open = self.open.replaced(is_any, Waiter::NOBODY);
        Settled { is_any, has_failed: is_any & !answer }
    }

    /// The first that waits, after so many states.
    fn first(&self, watch: &Watch<PastId>, states: u64) -> Option<Waiter> {
        let in_steps = || self.later.ends(watch.taken(states)).map(|(first, _)| Waiter::at_step(first));
        let in_time = || self.later_in_time.iter().next();
        self.open.somebody().or_else(in_steps).or_else(in_time)
    }

    /// The first and the last position that wait, after so many states.
    pub fn waiting(&self, watch: &Watch<PastId>, states: u64) -> Option<(u64, u64)> {
        let first = self.first(watch, states)?.position;
        let in_steps = self.later.ends(watch.taken(states)).map(|(_, last)| last);
        let in_time = (!self.later_in_time.is_empty()).then_some(self.later_in_time.last_position);
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
        to.number(self.later_in_time.last_position);
        to.size(self.later_in_time.len());
        self.later_in_time.iter().for_each(|waiter| waiter.save(to));
    }

    pub fn restore(watch: &Watch<PastId>, from: &mut Reader<'_>, states: u64) -> Result<Self, RestoreError> {
        let open = if from.bit()? { Waiter::restore(from, states)? } else { Waiter::NOBODY };
        let later = Positions::restore(from, watch.taken(states), states)?;
        let later_in_time = Later::restore(from, states)?;
        Ok(Self { open, later, later_in_time })
    }
}

impl Later {
    fn restore(from: &mut Reader<'_>, states: u64) -> Result<Self, RestoreError> {
        let last_position = from.number()?;
        let mut later = Self::default();
        for _ in 0..from.count()? {
            let waiter = Waiter::restore(from, states)?;
            let is_behind = later.last_position < waiter.position && later.last_moment < waiter.moment;
            if !(later.is_empty() || is_behind) || waiter.position > last_position || last_position >= states {
                return Err(RestoreError::Damaged);
            }
            if later.is_full() {
                later.grow();
            }
            later.push(waiter);
        }
        Ok(Self { last_position, ..later })
    }
}

impl Waiter {
    /// Somebody who asked at a position, where steps are counted.
    #[inline]
    fn at_step(position: u64) -> Self {
        Self { position, moment: position.cast_signed() }
    }

    fn save(self, to: &mut Writer) {
        to.number(self.position);
        to.number(self.moment.cast_unsigned());
    }

    fn restore(from: &mut Reader<'_>, states: u64) -> Result<Self, RestoreError> {
        let (position, moment) = (from.number()?, from.number()?.cast_signed());
        if position < states { Ok(Self { position, moment }) } else { Err(RestoreError::Damaged) }
    }
}
