//! What has to be kept in mind of each literal, and what a position does to it.
//!
//! For most windows one position is enough: of claims of `F[0,b]` that wait the oldest, of claims
//! of `G[0,b]` that still bind the newest. A window that opens later may have any number of claims
//! before it, and all of them are kept: configurations with more of them than need be are not
//! followed (`burden`).
//!
//! A past operator keeps what later claims may ask about, and more of that is no burden. So only a
//! few such positions are kept. Where there are more, the newest become a stretch, in which every
//! moment is taken for one of them. The literal asks for less than it should then, so that what has
//! no trace has none, and what has one is looked at again.

use super::literal::{Help, Literal, Window};
use super::zone::{Bound, Grain, Zone};
use traceward_logic::formula::{Direction, Strength};

/// A position that is kept in mind: its number in the zone.
pub(super) type Mark = u16;

/// What is kept in mind of a literal.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Memory {
    /// Claims, or positions that later claims ask about, oldest first.
    pub(super) entries: Vec<Entry>,
    /// The one claim that matters of those whose window is open.
    pub(super) open: Option<Entry>,
}

/// A position, and the first one behind it that turns what it says round.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Entry {
    pub(super) at: Mark,
    pub(super) then: Option<Mark>,
    /// Where a stretch begins that ends here, and in which every moment is taken for a position
    /// like this one.
    pub(super) since: Option<Mark>,
}

impl Entry {
    /// The entry of one position.
    pub(super) fn new(at: Mark) -> Self {
        Self { at, then: None, since: None }
    }

    /// The stretch from an entry to a later one. What turned the earlier one is forgotten, so it
    /// answers no less than both.
    fn joined(self, later: Self) -> Self {
        Self { since: Some(self.since.unwrap_or(self.at)), ..later }
    }
}

impl Memory {
    /// Every mark, to be looked at or renumbered.
    pub(super) fn marks(&mut self) -> impl Iterator<Item = &mut Mark> {
        let of_entries =
            self.entries.iter_mut().flat_map(|entry| [Some(&mut entry.at), entry.then.as_mut(), entry.since.as_mut()]);
        of_entries.flatten().chain(self.open.as_mut().map(|open| &mut open.at))
    }

    /// Makes a stretch of the newest entries, so that there are no more than so many.
    fn join_beyond(&mut self, most: usize) {
        let newest = self.entries.split_off(most.min(self.entries.len()));
        if let Some(last) = self.entries.last_mut() {
            *last = newest.into_iter().fold(*last, Entry::joined);
        }
    }

    fn only(&self) -> Option<Mark> {
        self.entries.first().map(|entry| entry.at)
    }

    fn set(&mut self, mark: Option<Mark>) {
        self.entries = mark.map(Entry::new).into_iter().collect();
    }
}

/// What a letter says about a literal.
#[derive(Clone, Copy, Debug)]
pub(super) struct Told {
    pub(super) claimed: bool,
    pub(super) help: bool,
    pub(super) other: bool,
}

/// A bound on the timestamp of a position minus that of another one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Required {
    pub(super) later: usize,
    pub(super) earlier: usize,
    pub(super) bound: Bound,
}

/// One way in which the timestamp of a position can lie.
#[derive(Clone, Debug)]
pub(super) struct Branch {
    pub(super) zone: Zone,
    pub(super) memories: Vec<Memory>,
    /// What was asked of timestamps, in numbers of the zone.
    pub(super) required: Vec<Required>,
}

impl Branch {
    fn with(mut self, x: usize, y: usize, bound: Bound) -> Option<Self> {
        self.required.push(Required { later: x, earlier: y, bound });
        self.zone.require(x, y, bound).then_some(self)
    }
}

/// The rules by which memories change.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    pub(super) grain: Grain,
    /// The number of entries that are kept of a past operator.
    pub(super) most_entries: usize,
}

/// Ways on from a branch, each with the memory of the literal at hand.
type Ways = Vec<(Branch, Memory)>;

impl Rules {
    /// Whether a trace may end with a literal in a memory.
    pub(super) fn can_end(literal: &Literal, memory: &Memory) -> bool {
        let owes = literal.direction == Direction::Future && literal.strength == Strength::Strong;
        !owes || memory.entries.is_empty() && memory.open.is_none()
    }

    /// The ways in which a literal can be right at a position.
    pub(super) fn step(&self, literal: &Literal, memory: Memory, told: Told, branch: Branch) -> Ways {
        use Direction::{Future, Past};
        use Strength::{Strong, Weak};
        match (literal.window, literal.direction, literal.strength) {
            (Window::Near(to), Future, Strong) => self.soon(to, memory, told, branch),
            (Window::Near(to), Future, Weak) => self.for_a_while(to, memory, told, branch),
            (Window::Near(to), Past, Strong) => self.lately(to, memory, told, branch),
            (Window::Far(from), Future, Strong) => self.some_day(from, memory, told, branch),
            (Window::Far(from), Future, Weak) => self.ever_after(from, memory, told, branch),
            (Window::Far(from), Past, Strong) => self.long_ago(from, memory, told, branch),
            (Window::Between(from, to), Future, Strong) => self.until(from, to, memory, told, branch),
            (Window::Between(from, to), Future, Weak) => self.release(from, to, literal, memory, told, branch),
            (Window::Between(from, to), Past, Strong) => self.since(from, to, memory, told, branch),
            (window, Past, Weak) => self.trigger(window, memory, told, branch),
        }
    }

    // Distances of a mark from the position that is read.

    fn at_most(&self, branch: Branch, mark: Mark, number: i64) -> Option<Branch> {
        let now = branch.zone.now();
        branch.with(now, mark.into(), self.grain.at_most(number))
    }

    fn less_than(&self, branch: Branch, mark: Mark, number: i64) -> Option<Branch> {
        self.at_most(branch, mark, number - 1)
    }

    fn at_least(&self, branch: Branch, mark: Mark, number: i64) -> Option<Branch> {
        let now = branch.zone.now();
        branch.with(mark.into(), now, self.grain.at_least(number))
    }

    fn more_than(&self, branch: Branch, mark: Mark, number: i64) -> Option<Branch> {
        self.at_least(branch, mark, number + 1)
    }

    /// Whether a mark is so far away at least, whatever the timestamps are.
    fn is_behind(&self, branch: &Branch, mark: Mark, number: i64) -> bool {
        branch.zone.entails(mark.into(), branch.zone.now(), self.grain.at_least(number))
    }

    /// Whether a mark is farther away than a number, whatever the timestamps are.
    fn is_past(&self, branch: &Branch, mark: Mark, number: i64) -> bool {
        self.is_behind(branch, mark, number + 1)
    }

    /// `F[0,b] g`: the oldest claim waits.
    fn soon(&self, to: i64, mut memory: Memory, told: Told, mut branch: Branch) -> Ways {
        if let Some(oldest) = memory.only() {
            let Some(in_time) = self.at_most(branch, oldest, to) else { return Vec::new() };
            branch = in_time;
        }
        if told.help {
            memory.set(None);
        } else if told.claimed && memory.entries.is_empty() {
            memory.set(Some(now(&branch)));
        }
        vec![(branch, memory)]
    }

    /// `G[0,b] g`: the newest claim binds.
    fn for_a_while(&self, to: i64, mut memory: Memory, told: Told, mut branch: Branch) -> Ways {
        if let Some(newest) = memory.only() {
            if !told.help {
                let Some(over) = self.more_than(branch, newest, to) else { return Vec::new() };
                branch = over;
            }
            if self.is_past(&branch, newest, to) {
                memory.set(None);
            }
        }
        if told.claimed {
            memory.set(Some(now(&branch)));
        }
        if told.claimed && !told.help { Vec::new() } else { vec![(branch, memory)] }
    }

    /// `O[0,b] g`: the newest g counts.
    fn lately(&self, to: i64, mut memory: Memory, told: Told, branch: Branch) -> Ways {
        if told.help {
            memory.set(Some(now(&branch)));
        }
        let found = match (told.claimed, memory.only()) {
            (false, _) => Some(branch),
            (true, None) => None,
            (true, Some(newest)) => self.at_most(branch, newest, to),
        };
        found.into_iter().map(|branch| self.forgetting(branch, memory.clone(), to)).collect()
    }

    /// Forgets entries that are farther away than any claim asks.
    fn forgetting(&self, branch: Branch, mut memory: Memory, to: i64) -> (Branch, Memory) {
        memory.entries.retain(|entry| !self.is_past(&branch, entry.at, to));
        (branch, memory)
    }

    /// `F[a,∞) g`: the newest claim waits, and implies the others.
    fn some_day(&self, from: i64, memory: Memory, told: Told, branch: Branch) -> Ways {
        let ways: Ways = match memory.only() {
            Some(newest) if told.help => {
                let met = self.at_least(branch.clone(), newest, from).map(|branch| (branch, Memory::default()));
                let waits = self.less_than(branch, newest, from).map(|branch| (branch, memory));
                met.into_iter().chain(waits).collect()
            }
            _ => vec![(branch, memory)],
        };
        let claim = |(branch, mut memory): (Branch, Memory)| {
            if told.claimed {
                memory.set(Some(now(&branch)));
            }
            (branch, memory)
        };
        ways.into_iter().map(claim).collect()
    }

    /// `G[a,∞) g`: the oldest claim binds first.
    fn ever_after(&self, from: i64, mut memory: Memory, told: Told, mut branch: Branch) -> Ways {
        if let Some(oldest) = memory.only().filter(|_| !told.help) {
            let Some(before) = self.less_than(branch, oldest, from) else { return Vec::new() };
            branch = before;
        }
        if told.claimed && memory.entries.is_empty() {
            memory.set(Some(now(&branch)));
        }
        vec![(branch, memory)]
    }

    /// `O[a,∞) g`: the oldest g counts.
    fn long_ago(&self, from: i64, mut memory: Memory, told: Told, branch: Branch) -> Ways {
        let found = match (told.claimed, memory.only()) {
            (false, _) => Some(branch),
            (true, None) => None,
            (true, Some(oldest)) => self.at_least(branch, oldest, from),
        };
        let Some(branch) = found else { return Vec::new() };
        if told.help && memory.entries.is_empty() {
            memory.set(Some(now(&branch)));
        }
        vec![(branch, memory)]
    }

    /// `f U[a,b] g`: at the first position of the window `f U g` is asked, and the first g from
    /// there on has to come before the window closes; of those that wait for it the oldest.
    fn until(&self, from: i64, to: Option<i64>, memory: Memory, told: Told, mut branch: Branch) -> Ways {
        if let (Some(open), Some(to)) = (memory.open, to) {
            let Some(in_time) = self.at_most(branch, open.at, to) else { return Vec::new() };
            branch = in_time;
        }
        let mut ways = Vec::new();
        for entering in 0..=memory.entries.len() {
            if entering > 0 && !told.other {
                break;
            }
            let Some(way) = self.opened(branch.clone(), &memory.entries, from, to, 0..entering) else { continue };
            let mut after = memory.clone();
            let entered: Vec<Entry> = after.entries.drain(..entering).collect();
            if told.help {
                after.open = None;
            } else if to.is_some() {
                after.open = after.open.or(entered.first().copied());
            }
            ways.push((way, after));
        }
        ways.into_iter().flat_map(|(branch, memory)| self.claiming(branch, memory, told)).collect()
    }

    /// The branch in which the windows of just these entries are open: those before have closed,
    /// and those behind have not opened.
    fn opened(
        &self,
        mut branch: Branch,
        entries: &[Entry],
        from: i64,
        to: Option<i64>,
        open: std::ops::Range<usize>,
    ) -> Option<Branch> {
        if let Some(closed) = open.start.checked_sub(1) {
            branch = self.more_than(branch, entries[closed].at, to?)?;
        }
        if let (false, Some(to)) = (open.is_empty(), to) {
            branch = self.at_most(branch, entries[open.start].at, to)?;
        }
        if !open.is_empty() {
            branch = self.at_least(branch, entries[open.end - 1].at, from)?;
        }
        match entries.get(open.end) {
            Some(entry) => self.less_than(branch, entry.at, from),
            None => Some(branch),
        }
    }

    /// Keeps a position in mind if a letter claims something there.
    fn claiming(&self, branch: Branch, memory: Memory, told: Told) -> Ways {
        if told.claimed { self.keeping(branch, memory) } else { vec![(branch, memory)] }
    }

    /// Keeps a position in mind. One with the same timestamp stands for it.
    fn keeping(&self, branch: Branch, memory: Memory) -> Ways {
        let Some(&last) = memory.entries.last().filter(|last| last.then.is_none()) else {
            return vec![pushed(branch, memory)];
        };
        let same = self.at_most(branch.clone(), last.at, 0).map(|branch| (branch, memory.clone()));
        let later = self.more_than(branch, last.at, 0).map(|branch| pushed(branch, memory));
        same.into_iter().chain(later).collect()
    }

    /// `f R[a,b] g`: at the first position of the window `f R g` is asked, or else g until the
    /// window closes; of the claims that bind so the newest.
    fn release(
        &self,
        from: i64,
        to: Option<i64>,
        literal: &Literal,
        mut memory: Memory,
        told: Told,
        mut branch: Branch,
    ) -> Ways {
        if let (Some(open), Some(to)) = (memory.open, to) {
            if !told.help {
                let Some(over) = self.more_than(branch, open.at, to) else { return Vec::new() };
                branch = over;
            }
            if self.is_past(&branch, open.at, to) {
                memory.open = None;
            }
        }
        let mut ways = Vec::new();
        let count = memory.entries.len();
        for closed in 0..=if to.is_some() { count } else { 0 } {
            for end in closed..=count {
                let is_released = told.other || closed == end;
                if !is_released && (to.is_none() || !told.help) {
                    break;
                }
                let Some(way) = self.opened(branch.clone(), &memory.entries, from, to, closed..end) else { continue };
                let mut after = memory.clone();
                if !is_released {
                    after.open = Some(memory.entries[end - 1]);
                }
                after.entries.drain(..end);
                ways.push((way, after));
            }
        }
        let is_plain = literal.other == Help::Constant(false);
        let claim = |(branch, memory)| match to.filter(|_| is_plain && told.claimed) {
            Some(to) => self.thinned(branch, memory, to - from),
            None => self.claiming(branch, memory, told),
        };
        ways.into_iter().flat_map(claim).collect()
    }

    /// Keeps one more position in mind, and forgets the one before it where the windows of the one
    /// before that and of this one leave no gap. None of them is turned.
    fn thinned(&self, branch: Branch, memory: Memory, length: i64) -> Ways {
        let &[.., before, last] = &memory.entries[..] else { return self.keeping(branch, memory) };
        if before.then.is_some() || last.then.is_some() {
            return self.keeping(branch, memory);
        }
        let mut near = memory.clone();
        near.entries.pop();
        near.entries.push(Entry::new(now(&branch)));
        let near = self.at_most(branch.clone(), before.at, length).map(|branch| (branch, near));
        let far = self.more_than(branch, before.at, length).map(|branch| self.keeping(branch, memory));
        near.into_iter().chain(far.into_iter().flatten()).collect()
    }

    /// `f S[a,b] g`: some g in the window with no position without f behind it in the window, so
    /// that of each g the first such position behind it is kept.
    fn since(&self, from: i64, to: Option<i64>, mut memory: Memory, told: Told, branch: Branch) -> Ways {
        if !told.other {
            turn(&mut memory, now(&branch));
        }
        let found: Vec<Branch> = if told.claimed {
            let suits = |entry: &Entry| {
                let far = self.at_least(branch.clone(), entry.since.unwrap_or(entry.at), from)?;
                let near = match to {
                    Some(to) => self.at_most(far, entry.at, to)?,
                    None => far,
                };
                match entry.then {
                    Some(then) => self.less_than(near, then, from),
                    None => Some(near),
                }
            };
            memory.entries.iter().filter_map(suits).collect()
        } else {
            vec![branch]
        };
        let mut ways = Vec::new();
        for branch in found {
            let mut memory = memory.clone();
            self.settled(from, to, &branch, &mut memory);
            if told.help {
                ways.extend(self.recording(from, to, Strength::Strong, branch, memory));
            } else {
                ways.push((branch, memory));
            }
        }
        ways
    }

    /// `f T[a,b] g`: behind each position of the window without g there is an f in the window.
    fn trigger(&self, window: Window, mut memory: Memory, told: Told, branch: Branch) -> Ways {
        let (from, to) = window.ends();
        if told.other {
            turn(&mut memory, now(&branch));
        }
        let mut found = vec![branch];
        for entry in memory.entries.iter().filter(|_| told.claimed) {
            let ways = |branch: Branch| {
                let before = self.less_than(branch.clone(), entry.at, from);
                let over = to.and_then(|to| self.more_than(branch.clone(), entry.at, to));
                let released = entry.then.and_then(|then| self.at_least(branch, then, from));
                [before, over, released].into_iter().flatten()
            };
            found = found.into_iter().flat_map(ways).collect();
        }
        let mut ways = Vec::new();
        for branch in found {
            let mut memory = memory.clone();
            self.settled(from, to, &branch, &mut memory);
            if told.help {
                ways.push((branch, memory));
            } else {
                ways.extend(self.recording(from, to, Strength::Weak, branch, memory));
            }
        }
        ways
    }

    /// Keeps a position in mind that later claims ask about. Where there are too many, the newest
    /// become a stretch if claims ask for one of them, and are forgotten if claims are denied by
    /// them.
    fn recording(&self, from: i64, to: Option<i64>, strength: Strength, branch: Branch, memory: Memory) -> Ways {
        let ways = match (to, memory.entries.last()) {
            (Some(to), _) => self.thinned(branch, memory, to - from),
            // Whatever is asked of this position is asked of the last one as well.
            (None, Some(Entry { then: None, .. })) => vec![(branch, memory)],
            (None, _) => vec![pushed(branch, memory)],
        };
        let limit = |(branch, mut memory): (Branch, Memory)| {
            match strength {
                Strength::Strong => memory.join_beyond(self.most_entries),
                Strength::Weak => memory.entries.truncate(self.most_entries),
            }
            (branch, memory)
        };
        ways.into_iter().map(limit).collect()
    }

    /// Forgets entries that no later claim asks about: those that are too far away, and those that
    /// were turned so long ago that they stay so.
    fn settled(&self, from: i64, to: Option<i64>, branch: &Branch, memory: &mut Memory) {
        let is_over = |entry: &Entry| to.is_some_and(|to| self.is_past(branch, entry.at, to));
        let is_turned = |entry: &Entry| entry.then.is_some_and(|then| self.is_behind(branch, then, from));
        memory.entries.retain(|entry| !is_over(entry) && !is_turned(entry));
    }
}

/// Keeps the position that is read in mind.
fn pushed(branch: Branch, mut memory: Memory) -> (Branch, Memory) {
    memory.entries.push(Entry::new(now(&branch)));
    (branch, memory)
}

/// The mark of the position that is read.
fn now(branch: &Branch) -> Mark {
    branch.zone.now() as Mark
}

/// Turns the entries round that are not turned yet.
fn turn(memory: &mut Memory, now: Mark) {
    for entry in &mut memory.entries {
        entry.then.get_or_insert(now);
    }
}
