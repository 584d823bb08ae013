//! What a formula asks of its parts, position by position: which of them mattered, and how long
//! eventualities had to wait.
//!
//! Every operator asks of its operands what it needs there: an always asks at each position of its
//! window, an eventuality at the nearest position where it is met. Of two alternatives the one that
//! holds is asked. Positions are followed for all parts at once, from the whole to its parts, so
//! the time is linear in the trace.

use super::form::UntilForm;
use super::rows::{Rows, Window};
use super::{Look, Parts};
use std::ops::RangeInclusive;
use traceward_logic::bitmap::Bitmap;
use traceward_logic::formula::{Direction, FormulaId, Node, Strength};

/// Which of two alternatives that both hold is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Alternatives {
    /// The left one: one run is followed.
    Left,
    /// Both, since neither can be said not to matter. If one says that something does not happen
    /// which never does, it is asked alone: the other one would never have been needed.
    Both,
}

/// What a formula asked of its parts.
#[derive(Clone, Debug, Default)]
pub struct Demand {
    /// For each part how often it was asked, operands before operators.
    pub parts: Vec<Asked>,
    /// The waiting times of each eventuality that was asked.
    pub waits: Vec<Waits>,
}

/// How often a part was asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Asked {
    /// The part.
    pub formula: FormulaId,
    /// The number of positions at which it was asked to hold, or not to hold.
    pub asked: usize,
    /// The number of these positions at which it did as it was asked.
    pub met: usize,
    /// The proposition that never held, if the part was never asked because of that.
    pub never_held: Option<FormulaId>,
}

/// The waiting times of an eventuality.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Waits {
    /// The formula: one that has to come about, or else one that has to end.
    pub formula: FormulaId,
    /// Whether it has to hold.
    pub is_wanted: bool,
    /// One for each position at which it was asked, in order.
    pub waits: Vec<Wait>,
}

/// An eventuality that was asked at a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wait {
    /// The position.
    pub since: usize,
    /// The position at which it came, in its window or behind it; none if it never did.
    pub came: Option<usize>,
    /// What became of it.
    pub fate: Fate,
}

/// What became of an eventuality.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Fate {
    /// It came in time.
    Met,
    /// It came when its window was over.
    Late,
    /// It came, but what had to hold until then did not.
    Broken,
    /// It did not come, and cannot any more.
    Never,
    /// The trace goes on, and it may still come.
    Open,
}

impl Look<'_> {
    /// What the formula, asked at the first position, asks of its parts; none if there is too much
    /// to look at.
    pub fn demand(&self, alternatives: Alternatives) -> Option<Demand> {
        Some(Following::new(&self.explainer.parts, self.rows.as_ref()?, alternatives).run())
    }
}

/// The positions at which parts are asked to hold, and those at which they are asked not to.
struct Following<'a> {
    parts: &'a Parts,
    rows: &'a Rows,
    alternatives: Alternatives,
    /// For each part the positions at which it is asked, by whether it shall hold.
    asked: Vec<[Option<Bitmap>; 2]>,
    never_held: Vec<Option<FormulaId>>,
    waits: Vec<Waits>,
}

impl<'a> Following<'a> {
    fn new(parts: &'a Parts, rows: &'a Rows, alternatives: Alternatives) -> Self {
        let count = parts.len();
        let asked = (0..count).map(|_| [None, None]).collect();
        Self { parts, rows, alternatives, asked, never_held: vec![None; count], waits: Vec::new() }
    }

    fn len(&self) -> usize {
        self.rows.positions.len
    }

    fn run(mut self) -> Demand {
        let root = self.parts.root();
        self.ask(self.parts.id(root), true, 0);
        let mut parts = Vec::new();
        for part in (0..=root).rev() {
            let (mut count, mut met) = (0, 0);
            for wanted in [true, false] {
                if let Some(positions) = self.asked[part][usize::from(wanted)].take() {
                    self.follow(part, wanted, &positions);
                    count += positions.count_ones();
                    met += positions.and(self.rows.where_value(part, wanted)).count_ones();
                }
            }
            let never_held = self.never_held[part].filter(|_| count == 0);
            parts.push(Asked { formula: self.parts.id(part), asked: count, met, never_held });
        }
        parts.reverse();
        self.waits.sort_by_key(|waits| waits.formula);
        Demand { parts, waits: self.waits }
    }

    fn ask(&mut self, f: FormulaId, wanted: bool, position: usize) {
        let len = self.len();
        let row = &mut self.asked[self.parts.index(f)][usize::from(wanted)];
        row.get_or_insert_with(|| Bitmap::filled(len, false)).set(position, true);
    }

    fn has(&self, f: FormulaId, value: bool, position: usize) -> bool {
        self.rows.value(self.parts.index(f), position) == Some(value)
    }

    /// Asks of the operands of a part what it asks of them at these positions.
    fn follow(&mut self, part: usize, wanted: bool, positions: &Bitmap) {
        match self.parts.node(part) {
            Node::Constant(_) | Node::Atom(_) => {}
            Node::Not(f) => positions.ones().for_each(|position| self.ask(f, !wanted, position)),
            Node::And(f, g) => self.follow_junction([f, g], wanted, wanted, positions),
            Node::Or(f, g) => self.follow_junction([f, g], wanted, !wanted, positions),
            Node::Next(direction, _, f) => {
                for position in positions.ones() {
                    let next = self.rows.positions.neighbour(direction, position);
                    next.into_iter().for_each(|next| self.ask(f, wanted, next));
                }
            }
            node => {
                let form = UntilForm::of(node).expect("all others have windows");
                match wanted ^ form.is_negated {
                    true => self.follow_coming(part, form, wanted, positions),
                    false => self.follow_staying_away(part, form, wanted, positions),
                }
            }
        }
    }

    fn follow_junction(&mut self, [f, g]: [FormulaId; 2], wanted: bool, needs_both: bool, positions: &Bitmap) {
        if needs_both {
            for position in positions.ones() {
                self.ask(f, wanted, position);
                self.ask(g, wanted, position);
            }
            return;
        }
        let idle = [self.says_what_never_happens(f, wanted), self.says_what_never_happens(g, wanted)];
        for position in positions.ones() {
            let holds = [self.has(f, wanted, position), self.has(g, wanted, position)];
            let both = self.alternatives == Alternatives::Both;
            let asked = match holds {
                [true, true] if both && idle[0].is_some() => [true, false],
                [true, true] if both && idle[1].is_some() => [false, true],
                // Where neither holds both are owed.
                [true, true] if !both => [true, false],
                [false, false] | [true, true] => [true, true],
                one => one,
            };
            for (f, _) in [f, g].into_iter().zip(asked).filter(|(_, asked)| *asked) {
                self.ask(f, wanted, position);
            }
        }
        let [of_g, of_f] = idle;
        self.never_held[self.parts.index(f)] = of_f.or(self.never_held[self.parts.index(f)]);
        self.never_held[self.parts.index(g)] = of_g.or(self.never_held[self.parts.index(g)]);
    }

    /// The proposition that a part says does not hold, if it never does.
    fn says_what_never_happens(&self, f: FormulaId, wanted: bool) -> Option<FormulaId> {
        match self.parts.node(self.parts.index(f)) {
            Node::Not(inner) => self.says_what_never_happens(inner, !wanted),
            Node::Or(left, right) if wanted => {
                self.says_what_never_happens(left, wanted).or_else(|| self.says_what_never_happens(right, wanted))
            }
            Node::And(left, right) if !wanted => {
                self.says_what_never_happens(left, wanted).or_else(|| self.says_what_never_happens(right, wanted))
            }
            Node::Atom(_) if !wanted => {
                (self.rows.where_value(self.parts.index(f), true).count_ones() == 0).then_some(f)
            }
            _ => None,
        }
    }

    // ---- operators with a window ----

    /// The goal has to come, and what is kept has to hold until then.
    fn follow_coming(&mut self, part: usize, form: UntilForm, wanted: bool, positions: &Bitmap) {
        let mut waits = Vec::new();
        let (mut kept_up_to, order) = (None, in_order(form.direction, positions));
        for since in order {
            let window = self.window(form, since);
            let came = self.coming(form, &window);
            let inside = came.filter(|at| window.positions.as_ref().is_some_and(|window| window.contains(at)));
            match (inside, self.has(self.parts.id(part), wanted, since)) {
                (Some(at), true) => self.ask(form.goal, !form.is_negated, at),
                // It was not met, so it was asked for all the while.
                _ => window.positions.iter().for_each(|window| {
                    let near = near_end(form.direction, window);
                    self.ask(form.goal, !form.is_negated, near);
                }),
            }
            self.keep(form, &window, inside, &mut kept_up_to);
            // A weak operator waits for nothing.
            if form.strength == Strength::Strong {
                waits.push(self.wait(part, wanted, since, came, inside));
            }
        }
        self.note_waits(part, form, wanted, waits);
    }

    /// What became of an eventuality that came at a position, and perhaps inside its window.
    fn wait(&self, part: usize, wanted: bool, since: usize, came: Option<usize>, inside: Option<usize>) -> Wait {
        let fate = match self.rows.value(part, since) {
            None => Fate::Open,
            Some(value) if value == wanted => Fate::Met,
            Some(_) if inside.is_some() => Fate::Broken,
            Some(_) if came.is_some() => Fate::Late,
            Some(_) => Fate::Never,
        };
        Wait { since, came, fate }
    }

    /// Notes waits of an operator; towards the past nobody waits.
    fn note_waits(&mut self, part: usize, form: UntilForm, is_wanted: bool, mut waits: Vec<Wait>) {
        if !waits.is_empty() && form.direction == Direction::Future {
            waits.sort_unstable_by_key(|wait| wait.since);
            self.waits.push(Waits { formula: self.parts.id(part), is_wanted, waits });
        }
    }

    /// The goal has to stay away, unless what is kept has failed before.
    fn follow_staying_away(&mut self, part: usize, form: UntilForm, wanted: bool, positions: &Bitmap) {
        let mut waits = Vec::new();
        let (mut goal_up_to, order) = (None, in_order(form.direction, positions));
        for since in order {
            let window = self.window(form, since);
            let failing = form.kept.and_then(|kept| Some((kept, self.failing(form, kept, &window)?)));
            let is_inside = |at: &usize| window.positions.as_ref().is_some_and(|inside| inside.contains(at));
            let broken = failing.filter(|(_, at)| is_inside(at));
            // A weak operator lasts unless something comes that ends it.
            if form.strength == Strength::Weak {
                let [came, inside] = [failing, broken].map(|failing| failing.map(|(_, at)| at));
                waits.push(self.wait(part, wanted, since, came, inside));
            }
            let Some(inside) = window.positions.clone() else { continue };
            let until = match broken {
                Some((kept, at)) => {
                    self.ask(kept, form.is_negated, at);
                    cut(form.direction, &inside, at)
                }
                None => inside,
            };
            for position in not_yet(form.direction, &until, &mut goal_up_to) {
                self.ask(form.goal, form.is_negated, position);
            }
        }
        self.note_waits(part, form, wanted, waits);
    }

    /// Asks for what is kept at the positions of a window before the goal came.
    fn keep(&mut self, form: UntilForm, window: &Window, came: Option<usize>, up_to: &mut Option<usize>) {
        let (Some(kept), Some(inside)) = (form.kept, window.positions.clone()) else { return };
        let before = match came {
            Some(at) if at == near_end(form.direction, &inside) => return,
            Some(at) => cut(form.direction, &inside, if form.direction == Direction::Future { at - 1 } else { at + 1 }),
            None => inside,
        };
        for position in not_yet(form.direction, &before, up_to) {
            self.ask(kept, !form.is_negated, position);
        }
    }

    fn window(&self, form: UntilForm, since: usize) -> Window {
        self.rows.positions.window(form.direction, form.interval, since)
    }

    /// The nearest position from the window on at which the goal comes, whether in time or not.
    fn coming(&self, form: UntilForm, window: &Window) -> Option<usize> {
        self.rows.nearest(self.parts.index(form.goal), !form.is_negated, form.direction, window.nearest?)
    }

    /// The nearest position from the window on at which what is kept fails.
    fn failing(&self, form: UntilForm, kept: FormulaId, window: &Window) -> Option<usize> {
        self.rows.nearest(self.parts.index(kept), form.is_negated, form.direction, window.nearest?)
    }
}

/// Positions in the order in which windows move away from the end that they look at.
fn in_order(direction: Direction, positions: &Bitmap) -> Vec<usize> {
    let mut order: Vec<usize> = positions.ones().collect();
    if direction == Direction::Past {
        order.reverse();
    }
    order
}

fn near_end(direction: Direction, window: &RangeInclusive<usize>) -> usize {
    match direction {
        Direction::Future => *window.start(),
        Direction::Past => *window.end(),
    }
}

/// A window up to a position of it.
fn cut(direction: Direction, window: &RangeInclusive<usize>, at: usize) -> RangeInclusive<usize> {
    match direction {
        Direction::Future => *window.start()..=at,
        Direction::Past => at..=*window.end(),
    }
}

/// The positions of a run that were not in one before; runs move in one direction.
fn not_yet(direction: Direction, run: &RangeInclusive<usize>, up_to: &mut Option<usize>) -> std::ops::Range<usize> {
    let (start, end) = (*run.start(), run.end() + 1);
    match direction {
        Direction::Future => {
            let from = start.max(up_to.unwrap_or(0));
            *up_to = Some(up_to.unwrap_or(0).max(end));
            from..end
        }
        Direction::Past => {
            let to = end.min(up_to.unwrap_or(usize::MAX));
            *up_to = Some(up_to.unwrap_or(usize::MAX).min(start));
            start..to
        }
    }
}
