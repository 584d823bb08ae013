//! A temporal operator that looks ahead, asked at some positions.
//!
//! It goes through the positions in order, as far as its operands are known. At each one the
//! operands settle all that was asked and whose window is open, in the same way, or they leave it
//! open. What is still open when its window closes is settled by the operator's strength. So
//! answers come in the order in which they were asked for, and all there is to keep is who waits.

use super::bits::{BitRun, Bits, tell};
use super::rest::Rest;
use super::times::Times;
use super::{Feed, Operand, Tick};
use crate::engine::follow::Due;
use crate::past::{PastId, PastRun};
use crate::saved::{Reader, RestoreError, Writer};
use std::collections::VecDeque;
use traceward_logic::formula::{Expansion, Interval, Unit};

/// The operator.
#[derive(Clone, Debug)]
pub(super) struct Scan<N> {
    pub window: Interval,
    /// The way in which the operands settle what is asked.
    pub rule: Expansion,
    /// The answer where the window closes before the operands have settled anything.
    pub closing: bool,
    /// The answer at positions where nobody asks.
    pub neutral: bool,
    pub keep: Keep,
    pub left: Operand<N>,
    pub right: Operand<N>,
}

/// How many of those who wait are kept.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Keep {
    /// Whoever asked.
    All,
    /// Of those whose window is open the one that decides, because nothing is asked but whether any
    /// answer is another than the neutral one: the first to close if that would be such an answer,
    /// and the last if it would not.
    Decisive,
}

/// Positions at which was asked: one after the other where steps are counted, and of one timestamp
/// where time is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Asked {
    from: u64,
    until: u64,
    time: i64,
}

/// A position with its timestamp.
#[derive(Clone, Copy, Debug)]
struct Moment {
    position: u64,
    time: i64,
}

/// What an operator has come to.
#[derive(Clone, Debug, Default)]
pub(super) struct ScanRun {
    /// Those who wait for their window to open.
    soon: VecDeque<Asked>,
    /// Those whose window is open.
    open: VecDeque<Asked>,
    /// The positions before this one have been gone through.
    scanned: u64,
    /// The number of states so far.
    states: u64,
    /// Whether it was asked in the last of them.
    is_asked: bool,
    /// Whether the last who asked stands for whoever asks next, see [`Cover`](super::Cover).
    covers: bool,
    left: Bits,
    right: Bits,
    /// What was told in the last step.
    pub told: Vec<BitRun>,
}

impl Scan<PastId> {
    /// Whether operands are known in the state itself, so that nothing has to be kept of them.
    pub fn is_prompt(&self) -> bool {
        !matches!(self.left, Operand::Late(_)) && !matches!(self.right, Operand::Late(_))
    }

    fn in_time(&self) -> bool {
        self.window.unit == Unit::Time
    }

    /// The answer that operands with these values give to those whose window is open.
    pub fn settles(&self, left: bool, right: bool) -> Option<bool> {
        match self.rule {
            Expansion::Until if right => Some(true),
            Expansion::Until => (!left).then_some(false),
            Expansion::Release if !right => Some(false),
            Expansion::Release => left.then_some(true),
        }
    }

    /// Whether a window that begins at some position is open at another one.
    fn has_opened(&self, asked: &Asked, at: Moment) -> bool {
        asked.from <= at.position
            && match self.window.unit {
                Unit::Steps => asked.from.saturating_add(self.window.from) <= at.position,
                Unit::Time => asked.time.checked_add_unsigned(self.window.from).is_some_and(|opens| opens <= at.time),
            }
    }

    /// The last moment before the first window opens of those asked.
    fn opens_after(&self, asked: &Asked) -> Rest {
        let from = self.window.from;
        match self.window.unit {
            Unit::Steps => Rest { position: asked.from.saturating_add(from).saturating_sub(1), ..Rest::FOREVER },
            Unit::Time => {
                let opens = asked.time.checked_add_unsigned(from);
                Rest { time: opens.map_or(i64::MAX, |opens| opens.saturating_sub(1)), ..Rest::FOREVER }
            }
        }
    }

    /// The last moment before the first window closes of those asked: in steps it does with its
    /// last position, and in time with whatever comes behind it.
    fn closes_after(&self, asked: &Asked) -> Rest {
        match (self.window.unit, self.window.to) {
            (_, None) => Rest::FOREVER,
            (Unit::Steps, Some(to)) => {
                Rest { position: asked.from.saturating_add(to).saturating_sub(1), ..Rest::FOREVER }
            }
            (Unit::Time, Some(to)) => Rest { time: asked.time.saturating_add_unsigned(to), ..Rest::FOREVER },
        }
    }

    /// The number of positions from the first of those asked whose windows are closed.
    fn closed(&self, asked: &Asked, at: Moment) -> u64 {
        let Some(to) = self.window.to else { return 0 };
        match self.window.unit {
            Unit::Steps => at.position.saturating_sub(to).clamp(asked.from, asked.until) - asked.from,
            Unit::Time if asked.time.saturating_add_unsigned(to) < at.time => asked.until - asked.from,
            Unit::Time => 0,
        }
    }
}

impl ScanRun {
    /// Whether nobody waits.
    pub fn is_idle(&self) -> bool {
        self.open.is_empty() && self.soon.is_empty()
    }

    /// The number of entries that are kept, which take about as many bytes each.
    pub fn len(&self) -> usize {
        self.soon.len() + self.open.len() + self.left.len() + self.right.len()
    }

    /// The first position at which was asked and not answered, with its timestamp.
    fn waits_since(&self) -> Option<(u64, i64)> {
        self.open.front().or(self.soon.front()).map(|asked| (asked.from, asked.time))
    }

    /// The first and the last position at which was asked and not answered.
    pub fn waiting(&self) -> Option<(u64, u64)> {
        let last = self.soon.back().or(self.open.back())?;
        Some((self.waits_since()?.0, last.until - 1))
    }

    /// Since when the first waits and when it has to be answered, if what it waits for has to come.
    pub fn due(&self, scan: &Scan<PastId>, states: u64) -> Option<(u64, Due)> {
        let (position, time) = self.waits_since().filter(|_| !scan.closing)?;
        let Interval { from, to, .. } = scan.window;
        let due = match scan.window.unit {
            Unit::Steps => {
                let opens = position.saturating_add(from).max(states);
                let reach = to.map(|to| position.saturating_add(to).saturating_sub(opens));
                Due::Steps { delay: opens - states, reach }
            }
            Unit::Time => Due::Time {
                from: time.saturating_add_unsigned(from),
                until: to.map(|to| time.saturating_add_unsigned(to)),
            },
        };
        Some((position, due))
    }

    /// The end of the first window that somebody waits in, if it is one in time.
    pub fn deadline(&self, scan: &Scan<PastId>) -> Option<i64> {
        let (_, time) = self.waits_since().filter(|_| scan.in_time())?;
        Some(time.saturating_add_unsigned(scan.window.to?))
    }

    /// Takes note of a new state, and that it was asked there. Returns whether operands are asked.
    pub fn ask(&mut self, scan: &Scan<PastId>, is_asked: bool, position: u64, time: i64) -> bool {
        (self.states, self.is_asked) = (position + 1, is_asked);
        if is_asked && !self.covers() {
            let asked = Asked { from: position, until: position + 1, time };
            push(&mut self.soon, scan, asked);
        }
        self.asks(scan, Moment { position, time })
    }

    /// Whether somebody who waits stands for whoever asks next.
    #[inline]
    pub fn covers(&self) -> bool {
        self.covers && !self.is_idle()
    }

    /// Takes note whether the last who asked stands for whoever asks next: the operand is asked in
    /// this state, or it is not.
    #[inline]
    pub fn note_cover(&mut self, is_operand_asked: bool) {
        self.covers = !is_operand_asked && (self.is_asked || self.covers());
    }

    /// Whether it was asked in the last state.
    pub fn is_asked(&self) -> bool {
        self.is_asked
    }

    /// Goes as far as the operands are known.
    pub fn advance(&mut self, scan: &Scan<PastId>, tick: Tick, feed: &Feed<'_>) {
        self.told.clear();
        if self.is_idle() {
            self.skip(scan);
        } else if scan.is_prompt() {
            self.advance_promptly(scan, tick, feed);
        } else {
            self.advance_late(scan, tick, feed);
        }
        if scan.keep == Keep::All {
            self.tell(self.told_until(), scan.neutral);
            if tick == Tick::End {
                self.tell_waiting(scan);
            }
        }
    }

    /// The first position that is not told. If only failures are, it is none in particular.
    pub fn told_until(&self) -> u64 {
        self.open.front().or(self.soon.front()).map_or(self.states, |asked| asked.from)
    }

    /// Tells all positions by what those who wait would be told if the trace ended. They go on
    /// waiting, since it has not.
    fn tell_waiting(&mut self, scan: &Scan<PastId>) {
        for asked in self.open.iter().chain(&self.soon) {
            tell(&mut self.told, asked.from, scan.neutral);
            tell(&mut self.told, asked.until, scan.closing);
        }
        self.tell(self.states, scan.neutral);
    }

    /// Whether it was asked in the last state and is not answered.
    fn waits_at_last(&self) -> bool {
        let last = self.soon.back().or(self.open.back());
        last.is_some_and(|asked| asked.until == self.states)
    }

    /// What was told of the last state, or would be if the trace ended there.
    pub fn last(&self, scan: &Scan<PastId>) -> bool {
        match self.told.last() {
            _ if self.waits_at_last() => scan.closing,
            Some(told) if told.until == self.states => told.bit,
            _ => scan.neutral,
        }
    }

    /// Whether the operands settle something that is open in a state, if they are known in it.
    #[inline]
    pub fn is_settled(&self, scan: &Scan<PastId>, past: &PastRun) -> bool {
        let now = |operand| match operand {
            Operand::Constant(bit) => bit,
            Operand::Now(id) => past.holds(id),
            Operand::Late(_) => false,
        };
        !self.open.is_empty() && scan.settles(now(scan.left), now(scan.right)).is_some()
    }

    /// Whether operands are asked in a state.
    #[inline]
    fn asks(&self, scan: &Scan<PastId>, at: Moment) -> bool {
        !self.open.is_empty() || self.soon.front().is_some_and(|first| scan.has_opened(first, at))
    }

    /// Whether operands are asked if nothing happens in the next state.
    pub fn goes_on_asking(&self, scan: &Scan<PastId>, time: i64) -> bool {
        self.asks(scan, Moment { position: self.states - 1, time })
    }

    /// How long no window opens or closes, the last state having a time. Where operands are not
    /// known up to that state, windows do so when they are; before, one that opens is an operand
    /// that begins to be asked.
    pub fn rest(&self, scan: &Scan<PastId>, time: i64) -> Rest {
        let is_behind = self.scanned < self.states;
        if is_behind && self.goes_on_asking(scan, time) {
            return Rest::FOREVER;
        }
        let opens = self.soon.front().map_or(Rest::FOREVER, |first| scan.opens_after(first));
        match self.open.front() {
            Some(first) if !is_behind => opens.and(scan.closes_after(first)),
            _ => opens,
        }
    }

    /// Takes note of states that were passed over.
    pub fn pass_over(&mut self, states: u64) {
        self.states = states;
    }

    /// Goes on behind the end of the trace as it was: the operands are taken to settle a new state.
    /// Returns what would be told of that state; none if it changes what would be told of others.
    pub fn go_on(&mut self, scan: &Scan<PastId>, real: &Self, time: i64, answer: Option<bool>) -> Option<bool> {
        let at = Moment { position: real.states - 1, time };
        self.told.clear();
        self.ask(scan, real.is_asked, at.position, time);
        self.scanned = self.states;
        self.pass(scan, at);
        let Some(answer) = answer else { return Some(if self.waits_at_last() { scan.closing } else { scan.neutral }) };
        let changes = |first: &Asked| first.from < at.position && answer != scan.closing;
        if scan.keep == Keep::All && self.open.front().is_some_and(changes) {
            return None;
        }
        self.settle(scan, answer);
        Some(match real.is_asked {
            true if self.waits_at_last() => scan.closing,
            true => answer,
            false => scan.neutral,
        })
    }

    /// Where nobody waits, nothing matters that operands say of any state so far.
    fn skip(&mut self, scan: &Scan<PastId>) {
        self.scanned = self.states;
        if !scan.is_prompt() {
            self.left.take_to(self.states);
            self.right.take_to(self.states);
        }
    }

    /// Takes a state whose operands are known: there is nothing between it and the one before.
    #[inline]
    fn advance_promptly(&mut self, scan: &Scan<PastId>, tick: Tick, feed: &Feed<'_>) {
        match tick {
            Tick::State { position, time } => {
                self.pass(scan, Moment { position, time });
                if let Some(answer) = scan.settles(feed.now(scan.left), feed.now(scan.right)) {
                    self.settle(scan, answer);
                } else if !scan.in_time() {
                    // Steps are known to be over, while a timestamp may come again.
                    self.close(scan, Moment { position: position + 1, time });
                }
                self.scanned = position + 1;
            }
            Tick::Clock(time) => self.pass(scan, Moment { position: self.states, time }),
            Tick::End => {}
        }
    }

    fn advance_late(&mut self, scan: &Scan<PastId>, tick: Tick, feed: &Feed<'_>) {
        for (bits, operand) in [(&mut self.left, scan.left), (&mut self.right, scan.right)] {
            if !operand.is_constant() {
                feed.fill(bits, operand, self.states);
            }
        }
        while let (Some(left), Some(right)) = (self.left.known(scan.left), self.right.known(scan.right)) {
            let until = left.until.min(right.until);
            self.run(scan, until, scan.settles(left.bit, right.bit), feed.times);
            self.left.take_to(until);
            self.right.take_to(until);
        }
        self.pass_what_is_next(scan, tick, feed.times);
    }

    /// Lets windows open and close by what is known of the next position.
    fn pass_what_is_next(&mut self, scan: &Scan<PastId>, tick: Tick, times: &Times) {
        let time = match (times.at(self.scanned), tick) {
            (Some(next), _) => next,
            (None, Tick::State { time, .. } | Tick::Clock(time)) => time,
            (None, Tick::End) => i64::MIN,
        };
        self.pass(scan, Moment { position: self.scanned, time });
    }

    /// Goes through positions at which the operands settle the same.
    fn run(&mut self, scan: &Scan<PastId>, until: u64, answer: Option<bool>, times: &Times) {
        if !self.is_idle() && scan.in_time() {
            self.run_in_time(scan, until, answer, times);
        } else if !self.is_idle() {
            self.pass_unsettled(scan, until, answer);
        }
        self.scanned = until;
    }

    /// In steps, a stretch is gone through at once: what opens in it is settled there, if anything
    /// is, since a window has a position at which it is open.
    fn pass_unsettled(&mut self, scan: &Scan<PastId>, until: u64, answer: Option<bool>) {
        let last = Moment { position: until - 1, time: 0 };
        self.open_up_to(scan, last);
        match answer {
            Some(answer) => self.settle(scan, answer),
            None => self.close(scan, Moment { position: until, time: 0 }),
        }
    }

    /// In time, states may be so far apart that a window opens and closes between them.
    fn run_in_time(&mut self, scan: &Scan<PastId>, until: u64, answer: Option<bool>, times: &Times) {
        let moment = |position| Moment { position, time: times.at(position).unwrap_or_default() };
        let Some(answer) = answer else {
            self.pass(scan, moment(until - 1));
            return;
        };
        for position in self.scanned..until {
            self.pass(scan, moment(position));
            self.settle(scan, answer);
        }
    }

    /// The first position whose timestamp is still needed, if any is.
    pub fn needs_time_from(&self, scan: &Scan<PastId>) -> Option<u64> {
        (scan.in_time() && !scan.is_prompt()).then_some(self.scanned)
    }

    /// Becomes like another run, in the memory that it has.
    pub fn copy_from(&mut self, other: &Self) {
        let Self { soon, open, scanned, states, is_asked: _, covers: _, left, right, told: _ } = other;
        self.soon.clone_from(soon);
        self.open.clone_from(open);
        self.left.copy_from(left);
        self.right.copy_from(right);
        (self.scanned, self.states, self.covers) = (*scanned, *states, false);
    }

    /// Lets windows open and close that do so before a moment, at which the next position is.
    #[inline]
    fn pass(&mut self, scan: &Scan<PastId>, at: Moment) {
        self.open_up_to(scan, at);
        self.close(scan, at);
    }

    #[inline]
    fn open_up_to(&mut self, scan: &Scan<PastId>, at: Moment) {
        while let Some(first) = self.soon.front_mut().filter(|first| scan.has_opened(first, at)) {
            let last = match scan.window.unit {
                Unit::Steps => first.until.min((at.position - scan.window.from).saturating_add(1)),
                Unit::Time => first.until.min(at.position.saturating_add(1)),
            };
            let opened = Asked { until: last, ..*first };
            first.from = last;
            if first.from == first.until {
                self.soon.pop_front();
            }
            self.wait(scan, opened);
        }
    }

    /// Adds positions to those whose window is open.
    fn wait(&mut self, scan: &Scan<PastId>, opened: Asked) {
        match scan.keep {
            Keep::All => push(&mut self.open, scan, opened),
            Keep::Decisive if scan.closing == scan.neutral => {
                let last = Asked { from: opened.until - 1, ..opened };
                self.open.clear();
                self.open.push_back(last);
            }
            Keep::Decisive if self.open.is_empty() => {
                self.open.push_back(Asked { until: opened.from + 1, ..opened });
            }
            Keep::Decisive => {}
        }
    }

    #[inline]
    fn close(&mut self, scan: &Scan<PastId>, at: Moment) {
        while let Some(first) = self.open.front().copied() {
            let closed = scan.closed(&first, at);
            if closed == 0 {
                return;
            }
            let until = first.from + closed;
            self.answer(scan, Asked { until, ..first }, scan.closing);
            match until == first.until {
                true => drop(self.open.pop_front()),
                false => self.open[0].from = until,
            }
        }
    }

    /// Gives an answer to all whose window is open.
    #[inline]
    fn settle(&mut self, scan: &Scan<PastId>, answer: bool) {
        while let Some(first) = self.open.pop_front() {
            self.answer(scan, first, answer);
        }
    }

    fn answer(&mut self, scan: &Scan<PastId>, asked: Asked, answer: bool) {
        if scan.keep == Keep::All || answer != scan.neutral {
            self.tell(asked.from, scan.neutral);
            self.tell(asked.until, answer);
        }
    }

    /// Tells the positions up to one.
    fn tell(&mut self, until: u64, bit: bool) {
        tell(&mut self.told, until, bit);
    }

    pub fn save(&self, states: u64, to: &mut Writer) {
        to.number(self.scanned);
        to.number(states);
        for asked in [&self.soon, &self.open] {
            to.size(asked.len());
            for asked in asked {
                to.number(asked.from);
                to.number(asked.until);
                to.number(asked.time.cast_unsigned());
            }
        }
        self.left.save(to);
        self.right.save(to);
    }

    pub fn restore(from: &mut Reader<'_>, states: u64) -> Result<Self, RestoreError> {
        let mut run = Self { scanned: from.number()?, states: from.number()?, ..Self::default() };
        run.soon = read_asked(from, states)?;
        run.open = read_asked(from, states)?;
        run.left = Bits::restore(from, states)?;
        run.right = Bits::restore(from, states)?;
        let in_order = |soon: &Asked, open: &Asked| open.until <= soon.from;
        let is_right = run.states == states
            && run.scanned <= states
            && run.soon.front().zip(run.open.back()).is_none_or(|(soon, open)| in_order(soon, open));
        if is_right { Ok(run) } else { Err(RestoreError::Damaged) }
    }
}

fn read_asked(from: &mut Reader<'_>, states: u64) -> Result<VecDeque<Asked>, RestoreError> {
    let mut before = 0;
    let mut all = VecDeque::new();
    for _ in 0..from.count()? {
        let asked = Asked { from: from.number()?, until: from.number()?, time: from.number()?.cast_signed() };
        if asked.from < before || asked.from >= asked.until || asked.until > states {
            return Err(RestoreError::Damaged);
        }
        before = asked.until;
        all.push_back(asked);
    }
    Ok(all)
}

/// Adds positions behind others, joined with the last ones where nothing tells them apart.
fn push(waiting: &mut VecDeque<Asked>, scan: &Scan<PastId>, asked: Asked) {
    match waiting.back_mut() {
        Some(last) if last.until == asked.from && (!scan.in_time() || last.time == asked.time) => {
            last.until = asked.until;
        }
        _ => waiting.push_back(asked),
    }
}
