//! Those who wait for windows that open later in time.
//!
//! They are kept in the order in which they asked, whether their window is open or not. Whoever is
//! answered is one of the first: the operands answer all whose window is open, and windows close in
//! order. So it is only noted from which moment on they still wait, and those before are forgotten
//! one in each state, without a branch that the trace decides. All of them at once are forgotten
//! only where the first would matter and might be one who does not wait any more.

use crate::saved::{Reader, RestoreError, Writer};
use std::hint::{black_box, select_unpredictable};

/// Somebody who waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Waiter {
    pub position: u64,
    /// The position if steps are counted, and otherwise the timestamp.
    pub moment: i64,
}

impl Waiter {
    /// Nobody, whose window never closes.
    pub const NOBODY: Self = Self { position: u64::MAX, moment: i64::MAX };

    #[inline]
    pub fn is_nobody(self) -> bool {
        self.position == u64::MAX
    }

    pub fn somebody(self) -> Option<Self> {
        (!self.is_nobody()).then_some(self)
    }

    /// Somebody who asked at a position, where steps are counted.
    #[inline]
    pub fn at_step(position: u64) -> Self {
        Self { position, moment: position.cast_signed() }
    }

    /// Another one where something is the case, without a branch.
    #[inline]
    pub fn replaced(self, is_replaced: bool, other: Self) -> Self {
        Self {
            position: select_unpredictable(is_replaced, other.position, self.position),
            moment: select_unpredictable(is_replaced, other.moment, self.moment),
        }
    }

    pub fn save(self, to: &mut Writer) {
        to.number(self.position);
        to.number(self.moment.cast_unsigned());
    }

    pub fn restore(from: &mut Reader<'_>, states: u64) -> Result<Self, RestoreError> {
        let (position, moment) = (from.number()?, from.number()?.cast_signed());
        if position < states { Ok(Self { position, moment }) } else { Err(RestoreError::Damaged) }
    }
}

/// What a state says to an operator: whether it is asked there, and of those whose window is open.
#[derive(Clone, Copy)]
pub(super) struct Reading {
    pub asks: bool,
    pub settles: Settles,
}

/// What operands say of those whose window is open.
#[derive(Clone, Copy)]
pub(super) struct Settles {
    /// Whether they are answered.
    pub is_settled: bool,
    /// The answer, if they are.
    pub answer: bool,
}

/// A moment that is never reached.
const NEVER: i64 = i64::MAX;

/// Those who wait: the first of each timestamp.
#[derive(Clone, Debug)]
pub(super) struct Waiting {
    /// A ring of as many as a power of two, or none. Whoever asks is written behind the last, and
    /// counted if nobody else is of the same timestamp.
    ring: Box<[Waiter]>,
    /// The number of those who have left, and of those who have come.
    left: u64,
    come: u64,
    /// When the first of them asked, or never.
    first: i64,
    /// When it was asked for the last time, and where.
    last: Waiter,
    /// Whoever asked before this moment does not wait any more.
    since: i64,
}

impl Default for Waiting {
    fn default() -> Self {
        Self { ring: Box::default(), left: 0, come: 0, first: NEVER, last: Waiter::NOBODY, since: i64::MIN }
    }
}

/// The moments that a state has come to: whose windows have opened, those who asked before one, and
/// whose have closed, those who asked before the other.
#[derive(Clone, Copy)]
pub(super) struct Reached {
    pub opened: i64,
    pub closed: i64,
}

impl Waiting {
    /// Whether nobody is kept.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.left == self.come
    }

    /// Whether nobody waits.
    #[inline]
    pub fn is_idle(&self) -> bool {
        self.is_empty() | (self.last.moment < self.since)
    }

    /// The number of those who are kept.
    pub fn len(&self) -> usize {
        (self.come - self.left) as usize
    }

    /// Whether there is no room for one more.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.len() == self.ring.len()
    }

    /// The place in the ring of somebody by the number of those who came before.
    #[inline]
    fn place(&self, number: u64) -> usize {
        number as usize & self.ring.len().wrapping_sub(1)
    }

    /// All who are kept, in order.
    fn kept(&self) -> impl Iterator<Item = Waiter> {
        (self.left..self.come).map(|number| self.ring[self.place(number)])
    }

    /// All who wait, in order.
    pub fn iter(&self) -> impl Iterator<Item = Waiter> {
        self.kept().filter(|waiter| waiter.moment >= self.since)
    }

    /// The last who asked, if that one waits.
    pub fn last(&self) -> Option<Waiter> {
        (!self.is_idle()).then_some(self.last)
    }

    /// Takes a state, in which it may be asked and settled. Windows should close, or should not
    /// have. Returns whether something has failed.
    #[inline]
    pub fn take(&mut self, now: Waiter, reading: Reading, reached: Reached, should_close: bool) -> bool {
        let Reading { asks, settles } = reading;
        if self.ring.is_empty() {
            if asks {
                self.grow();
                self.push(asks, now);
            }
            return false;
        }
        let has_closed = self.close(should_close, reached.closed);
        self.forget_one();
        if !self.is_full() {
            self.push(asks, now);
        } else if asks {
            self.make_room(should_close, reached.opened);
            self.push(asks, now);
        }
        let has_failed = self.settle(settles, reached.opened);
        has_closed | has_failed
    }

    /// Adds somebody if it is asked, unless there is one of the same timestamp. There has to be
    /// room.
    #[inline]
    fn push(&mut self, asks: bool, now: Waiter) {
        let is_empty = self.is_empty();
        let comes = asks & (is_empty | (self.last.moment != now.moment));
        let place = self.place(self.come);
        self.ring[place] = now;
        self.first = select_unpredictable(comes & is_empty, now.moment, self.first);
        self.last = self.last.replaced(asks, now);
        self.come += u64::from(comes);
    }

    /// Lets windows close of those who asked before a moment. Returns whether that is a failure,
    /// unless they should.
    #[inline]
    pub fn close(&mut self, should_close: bool, closed: i64) -> bool {
        if should_close {
            self.since = self.since.max(closed);
            return false;
        }
        self.first < closed && self.is_any_before(closed)
    }

    /// Lets the operands answer those who asked before a moment. Returns whether that is a failure.
    #[inline]
    fn settle(&mut self, Settles { is_settled, answer }: Settles, opened: i64) -> bool {
        // Where nobody waits any more it is not looked whether the first does.
        let may_fail = is_settled & !answer & (self.last.moment >= self.since) & (self.first < opened);
        // One branch that is hardly ever taken, and not one for each condition: those are as the
        // trace has it.
        let has_failed = black_box(may_fail) && self.is_any_before(opened);
        self.since = select_unpredictable(is_settled, self.since.max(opened), self.since);
        has_failed
    }

    /// Forgets the first if that one does not wait any more. There has to be a ring.
    #[inline]
    fn forget_one(&mut self) {
        let next = self.ring[self.place(self.left + 1)].moment;
        let next = select_unpredictable(self.left + 1 == self.come, NEVER, next);
        let is_over = self.first < self.since;
        self.first = select_unpredictable(is_over, next, self.first);
        self.left += u64::from(is_over);
    }

    /// Whether somebody waits who asked before a moment; whoever does is answered.
    #[cold]
    fn is_any_before(&mut self, moment: i64) -> bool {
        self.forget();
        let is_any = self.first < moment;
        self.since = self.since.max(moment);
        is_any
    }

    /// Forgets all who do not wait any more.
    fn forget(&mut self) {
        while self.first < self.since {
            self.forget_one();
        }
    }

    /// Forgets who does not wait any more, and of those whose window has opened all but one: the
    /// last if windows should close, and otherwise the first. They asked before a moment.
    pub fn tidy(&mut self, should_close: bool, opened: i64) {
        self.forget();
        let opened = self.kept().take_while(|waiter| waiter.moment < opened).count() as u64;
        let first = self.place(self.left);
        self.left += opened.saturating_sub(1);
        let kept = self.place(self.left);
        match should_close {
            _ if opened < 2 => {}
            true => self.first = self.ring[kept].moment,
            false => self.ring[kept] = self.ring[first],
        }
    }

    /// Room is made by forgetting whoever does not count; only if that is not much there is more.
    #[cold]
    fn make_room(&mut self, should_close: bool, opened: i64) {
        self.tidy(should_close, opened);
        if 2 * self.len() >= self.ring.len() {
            self.grow();
        }
    }

    #[cold]
    fn grow(&mut self) {
        let room = (2 * self.ring.len()).max(4);
        self.ring = self.kept().chain(std::iter::repeat(Waiter::NOBODY)).take(room).collect();
        (self.left, self.come) = (0, self.come - self.left);
    }

    pub fn save(&self, to: &mut Writer) {
        to.number(self.last().map_or(0, |last| last.position));
        to.size(self.iter().count());
        self.iter().for_each(|waiter| waiter.save(to));
    }

    pub fn restore(from: &mut Reader<'_>, states: u64) -> Result<Self, RestoreError> {
        let last = from.number()?;
        let mut waiting = Self::default();
        for _ in 0..from.count()? {
            let waiter = Waiter::restore(from, states)?;
            let before = waiting.last;
            let is_behind = before.position < waiter.position && before.moment < waiter.moment;
            if !(waiting.is_empty() || is_behind) || waiter.position > last || last >= states {
                return Err(RestoreError::Damaged);
            }
            if waiting.is_full() {
                waiting.grow();
            }
            waiting.push(true, waiter);
        }
        if !waiting.is_empty() {
            waiting.last.position = last;
        }
        Ok(waiting)
    }
}
