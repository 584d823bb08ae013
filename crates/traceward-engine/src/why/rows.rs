//! Where parts of a formula are certainly true, and where certainly false.

use super::Parts;
use super::form::UntilForm;
use std::ops::RangeInclusive;
use traceward_logic::bitmap::Bitmap;
use traceward_logic::formula::{Direction, Interval, Node, Strength, Unit};
use traceward_logic::trace::Times;

/// Whether the trace has ended, or goes on in ways that nobody knows yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// The trace has ended.
    Ended,
    /// The trace goes on.
    Open,
}

/// The positions of a trace and what lies behind them.
#[derive(Clone, Debug)]
pub(super) struct Positions {
    pub(super) len: usize,
    pub(super) time: Option<Times>,
    pub(super) ending: Ending,
}

/// The positions of a window from the nearest on, and whether a trace that goes on may have more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Window {
    /// The positions in ascending order; none if there are none.
    pub(super) positions: Option<RangeInclusive<usize>>,
    /// The nearest position from where it opens on, inside of it or behind; none if there is none.
    pub(super) nearest: Option<usize>,
    /// Whether states to come may lie in it.
    pub(super) is_open: bool,
    /// Whether the trace ends, or begins, before the window does.
    pub(super) is_cut: bool,
}

impl Positions {
    /// The distance between two positions in a unit.
    pub(super) fn distance(&self, unit: Unit, i: usize, j: usize) -> u64 {
        match (unit, &self.time) {
            (Unit::Steps, _) => i.abs_diff(j) as u64,
            (Unit::Time, Some(time)) => time[i].abs_diff(time[j]),
            (Unit::Time, None) => 0,
        }
    }

    /// The position next to another one, if the trace has it.
    pub(super) fn neighbour(&self, direction: Direction, position: usize) -> Option<usize> {
        match direction {
            Direction::Future => Some(position + 1).filter(|&next| next < self.len),
            Direction::Past => position.checked_sub(1),
        }
    }

    /// The window of an operator at a position. Timestamps never decrease, so a window has no gaps.
    pub(super) fn window(&self, direction: Direction, interval: Interval, position: usize) -> Window {
        if interval.is_all() {
            return self.all_from(direction, position);
        }
        let reaches = |i: usize, distance: u64| self.distance(interval.unit, i, position) >= distance;
        let beyond = |i: usize| interval.to.is_some_and(|to| self.distance(interval.unit, i, position) > to);
        // Both ends are found by halving: what is near comes before what is far.
        let (first, end, nearest, is_cut) = match direction {
            Direction::Future => {
                let len = self.len - position;
                let first = position + partition(len, |nth| !reaches(position + nth, interval.from));
                let end = position + partition(len, |nth| !beyond(position + nth));
                (first, end, (first < self.len).then_some(first), !self.is_past_the_window(interval, position))
            }
            Direction::Past => {
                let len = position + 1;
                let near = partition(len, |nth| !reaches(position - nth, interval.from));
                let far = partition(len, |nth| !beyond(position - nth));
                (len - far.max(near), len - near, position.checked_sub(near), !beyond(0))
            }
        };
        let is_open = self.ending == Ending::Open && direction == Direction::Future && is_cut;
        Window { positions: (first < end).then(|| first..=end - 1), nearest, is_open, is_cut }
    }

    /// The window that has no bounds.
    fn all_from(&self, direction: Direction, position: usize) -> Window {
        let positions = match direction {
            Direction::Future => position..=self.len - 1,
            Direction::Past => 0..=position,
        };
        let is_open = self.ending == Ending::Open && direction == Direction::Future;
        Window { positions: Some(positions), nearest: Some(position), is_open, is_cut: true }
    }

    /// Whether no state behind the last one can lie in a window of the future.
    fn is_past_the_window(&self, interval: Interval, position: usize) -> bool {
        interval.to.is_some_and(|to| match interval.unit {
            Unit::Steps => position as u64 + to < self.len as u64,
            // A state to come may have the time of the last one.
            Unit::Time => self.distance(Unit::Time, self.len - 1, position) > to,
        })
    }
}

/// The number of leading numbers below `len` that satisfy a condition which never begins anew.
fn partition(len: usize, condition: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, len);
    while low < high {
        let middle = low + (high - low) / 2;
        if condition(middle) { low = middle + 1 } else { high = middle }
    }
    low
}

/// For each part of a formula where it is certainly true, and where certainly false.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    pub(super) positions: Positions,
    yes: Vec<Bitmap>,
    no: Vec<Bitmap>,
}

impl Rows {
    /// Rows of a trace that has ended, of which everything is known.
    pub(super) fn known(positions: Positions, yes: Vec<Bitmap>) -> Self {
        let no = yes.iter().map(|row| row.clone().complement()).collect();
        Self { positions, yes, no }
    }

    /// Rows of parts, made of what is known of atoms: for each part that is an atom where it is
    /// known to hold, and where it is known not to.
    pub(super) fn certain(parts: &Parts, positions: Positions, atoms: impl Fn(usize) -> (Bitmap, Bitmap)) -> Self {
        let mut rows = Self { positions, yes: Vec::new(), no: Vec::new() };
        for part in 0..parts.len() {
            let (yes, no) = match parts.node(part) {
                Node::Atom(_) => atoms(part),
                node => rows.of_operator(parts, node),
            };
            rows.yes.push(yes);
            rows.no.push(no);
        }
        rows
    }

    /// The value of a part at a position, if it is certain.
    pub(super) fn value(&self, part: usize, position: usize) -> Option<bool> {
        match (self.yes[part].get(position), self.no[part].get(position)) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        }
    }

    /// The nearest position from `from` on, in a direction, at which a part certainly has a value.
    pub(super) fn nearest(&self, part: usize, value: bool, direction: Direction, from: usize) -> Option<usize> {
        let row = self.where_value(part, value);
        match direction {
            Direction::Future => row.first_one_from(from),
            Direction::Past => row.last_one_up_to(from),
        }
    }

    /// The positions at which a part certainly has a value.
    pub(super) fn where_value(&self, part: usize, value: bool) -> &Bitmap {
        let rows = if value { &self.yes } else { &self.no };
        &rows[part]
    }

    fn of_operator(&self, parts: &Parts, node: Node) -> (Bitmap, Bitmap) {
        match UntilForm::of(node) {
            Some(form) => self.of_until(parts, form),
            None => self.collect(0..self.positions.len, |position| self.of_node_at(parts, node, position)),
        }
    }

    /// The rows of a part, whose value is asked at each position in a given order.
    fn collect(
        &self,
        order: impl Iterator<Item = usize>,
        mut value: impl FnMut(usize) -> Option<bool>,
    ) -> (Bitmap, Bitmap) {
        let len = self.positions.len;
        let (mut yes, mut no) = (Bitmap::filled(len, false), Bitmap::filled(len, false));
        for position in order {
            match value(position) {
                Some(true) => yes.set(position, true),
                Some(false) => no.set(position, true),
                None => {}
            }
        }
        (yes, no)
    }

    fn of_node_at(&self, parts: &Parts, node: Node, position: usize) -> Option<bool> {
        let at = |f, position| self.value(parts.index(f), position);
        match node {
            Node::Constant(bit) => Some(bit),
            Node::Not(f) => at(f, position).map(|bit| !bit),
            Node::And(f, g) => and(at(f, position), at(g, position)),
            Node::Or(f, g) => or(at(f, position), at(g, position)),
            Node::Next(direction, strength, f) => match self.positions.neighbour(direction, position) {
                Some(next) => at(f, next),
                None if direction == Direction::Future && self.positions.ending == Ending::Open => None,
                None => Some(strength.holds()),
            },
            Node::Atom(_) | Node::Eventually(..) | Node::Always(..) | Node::Binary(..) => {
                unreachable!("atoms are known beforehand, and windows are another case")
            }
        }
    }

    /// The rows of an until. Windows move in one direction as positions do, so each position is
    /// taken into account once.
    fn of_until(&self, parts: &Parts, form: UntilForm) -> (Bitmap, Bitmap) {
        let len = self.positions.len;
        // A position counted against the direction in which the operator looks.
        let rank = |position: usize| match form.direction {
            Direction::Future => position,
            Direction::Past => len - 1 - position,
        };
        let side = |f, position| self.value(parts.index(f), position).map(|bit| bit ^ form.is_negated);
        let (mut taken, mut nearest) = (len, Nearest::default());
        let value = |position: usize| {
            let window = self.positions.window(form.direction, form.interval, position);
            let far = window.positions.map(|positions| {
                let (near, far) = (rank(*positions.start()), rank(*positions.end()));
                let (near, far) = (near.min(far), near.max(far));
                while taken > near {
                    taken -= 1;
                    let kept = form.kept.map_or(Some(true), |f| side(f, rank(taken)));
                    nearest.take(taken, kept, side(form.goal, rank(taken)));
                }
                far
            });
            let value = match far {
                Some(far) => nearest.until(far, form.strength, window.is_open),
                None if window.is_open => None,
                None => Some(form.strength.holds()),
            };
            value.map(|bit| bit ^ form.is_negated)
        };
        match form.direction {
            Direction::Future => self.collect((0..len).rev(), value),
            Direction::Past => self.collect(0..len, value),
        }
    }
}

/// The nearest positions of a window at which something is so, counted from its near end; none at
/// all are farther than any.
struct Nearest {
    goal_holds: usize,
    goal_may_hold: usize,
    kept_may_fail: usize,
    kept_fails: usize,
}

impl Default for Nearest {
    fn default() -> Self {
        let never = usize::MAX;
        Self { goal_holds: never, goal_may_hold: never, kept_may_fail: never, kept_fails: never }
    }
}

impl Nearest {
    /// Takes a position into account that is nearer than all before.
    fn take(&mut self, position: usize, kept: Option<bool>, goal: Option<bool>) {
        let update = |nearest: &mut usize, is_so: bool| {
            if is_so {
                *nearest = position;
            }
        };
        update(&mut self.goal_holds, goal == Some(true));
        update(&mut self.goal_may_hold, goal != Some(false));
        update(&mut self.kept_may_fail, kept != Some(true));
        update(&mut self.kept_fails, kept == Some(false));
    }

    /// The value of an until whose window ends at `far`, if it is certain.
    fn until(&self, far: usize, strength: Strength, is_open: bool) -> Option<bool> {
        let is_met = self.goal_holds <= far && self.kept_may_fail >= self.goal_holds;
        let lasts = strength == Strength::Weak && !is_open && self.kept_may_fail > far;
        let is_broken = self.kept_fails <= far && self.goal_may_hold > self.kept_fails;
        let never_comes = strength == Strength::Strong && !is_open && self.goal_may_hold > far;
        match (is_met || lasts, is_broken || never_comes) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        }
    }
}

fn and(one: Option<bool>, other: Option<bool>) -> Option<bool> {
    match (one, other) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

fn or(one: Option<bool>, other: Option<bool>) -> Option<bool> {
    and(one.map(|bit| !bit), other.map(|bit| !bit)).map(|bit| !bit)
}
