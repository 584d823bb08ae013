//! Windows of bounded operators, walked through from their near end.

use super::Next;
use crate::automaton::alternating::{Alternating, ConditionId, Label};
use traceward_logic::formula::{Direction, Expansion, FormulaId, Formulas, Interval, Node, Strength, Unit};
use traceward_logic::letter::Letters;

/// The search of a bounded operator through its window.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    direction: Direction,
    interval: Interval,
    /// The condition that is looked at first at each position: f of `F f` and `G f`, g of `f U g`.
    goal: ConditionId,
    /// The condition that is looked at if the goal does not decide: f of `f U g`.
    guard: Option<ConditionId>,
    /// The value of the goal that decides, and the value that the operator has then.
    goal_decides: (bool, bool),
    /// The same for the guard.
    guard_decides: (bool, bool),
    /// The value of the operator if nothing in the window has decided.
    at_end: bool,
}

/// A window that is being walked through.
#[derive(Clone, Copy, Debug)]
pub(super) struct WindowWalk {
    window: Window,
    at: u32,
    last: u32,
    looks_at: Role,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Role {
    Goal,
    Guard,
}

/// The searches of an automaton's bounded operators, by the index of the node.
pub(super) fn windows(formulas: &Formulas, automaton: &Alternating) -> Vec<Option<Window>> {
    let window = |label| match label {
        Label::Bounded(formula) => Some(Window::new(formulas, automaton, formula)),
        _ => None,
    };
    automaton.nodes().iter().map(|node| window(node.label)).collect()
}

impl Window {
    fn new(formulas: &Formulas, automaton: &Alternating, formula: FormulaId) -> Self {
        let node = formulas.node(formula);
        let of = |part: FormulaId| automaton.of_formula(part).expect("operands have automata");
        let (goal, guard) = match node {
            Node::Eventually(_, _, f) | Node::Always(_, _, f) => (of(f), None),
            Node::Binary(_, _, _, f, g) => (of(g), Some(of(f))),
            _ => unreachable!("only these have bounds"),
        };
        // `f U g`: g decides for, and without it f has to go on. `f R g`: g has to go on, and f
        // decides for.
        let until = ((true, true), (false, false));
        let release = ((false, false), (true, true));
        let (goal_decides, guard_decides) = match node {
            Node::Always(..) => release,
            Node::Binary(op, ..) if op.expansion() == Expansion::Release => release,
            _ => until,
        };
        let at_end = node.strength().is_some_and(Strength::holds);
        let direction = node.direction().expect("a temporal operator");
        let interval = node.interval().expect("a bound");
        Self { direction, interval, goal, guard, goal_decides, guard_decides, at_end }
    }

    /// The value of the operator if the window has no position.
    pub(super) fn of_nothing(&self) -> bool {
        self.at_end
    }

    /// The way through the window at a position, if there is one in it.
    pub(super) fn walk(self, letters: &Letters, position: usize) -> Option<WindowWalk> {
        let (first, last) = match self.interval.unit {
            Unit::Steps => self.in_steps(letters.len, position)?,
            Unit::Time => self.in_time(letters.time.as_deref()?, position)?,
        };
        Some(WindowWalk { window: self, at: first as u32, last: last as u32, looks_at: Role::Goal })
    }

    /// The near and the far end of the window.
    fn in_steps(&self, len: usize, position: usize) -> Option<(usize, usize)> {
        let from = usize::try_from(self.interval.from).ok()?;
        let to = self.interval.to.map_or(usize::MAX, |to| usize::try_from(to).unwrap_or(usize::MAX));
        match self.direction {
            Direction::Future => {
                let first = position.checked_add(from).filter(|first| *first < len)?;
                Some((first, position.saturating_add(to).min(len - 1)))
            }
            Direction::Past => Some((position.checked_sub(from)?, position.saturating_sub(to))),
        }
    }

    /// The same by timestamps, which do not decrease.
    fn in_time(&self, time: &[i64], position: usize) -> Option<(usize, usize)> {
        let is_near = |other: i64| other.abs_diff(time[position]) < self.interval.from;
        let is_within = |other: i64| self.interval.to.is_none_or(|to| other.abs_diff(time[position]) <= to);
        match self.direction {
            Direction::Future => {
                let first = position + time[position..].partition_point(|other| is_near(*other));
                let behind = position + time[position..].partition_point(|other| is_within(*other));
                (first < behind).then(|| (first, behind - 1))
            }
            Direction::Past => {
                let behind = time[..=position].partition_point(|other| !is_near(*other));
                let last = time[..=position].partition_point(|other| !is_within(*other));
                (last < behind).then(|| (behind - 1, last))
            }
        }
    }
}

impl WindowWalk {
    /// The condition and the position to be looked at next.
    pub(super) fn look(&self) -> Next {
        let part = match self.looks_at {
            Role::Goal => self.window.goal,
            Role::Guard => self.window.guard.expect("looked at only if there is one"),
        };
        Next::Look(part, self.at)
    }

    /// The value of the operator, if what was looked at decides it; otherwise the rest of the way.
    pub(super) fn after(mut self, value: bool) -> Result<bool, Self> {
        let (decisive, decided) = match self.looks_at {
            Role::Goal => self.window.goal_decides,
            Role::Guard => self.window.guard_decides,
        };
        if value == decisive {
            return Ok(decided);
        }
        if self.looks_at == Role::Goal && self.window.guard.is_some() {
            self.looks_at = Role::Guard;
            return Err(self);
        }
        if self.at == self.last {
            return Ok(self.window.at_end);
        }
        self.at = if self.at < self.last { self.at + 1 } else { self.at - 1 };
        self.looks_at = Role::Goal;
        Err(self)
    }
}
