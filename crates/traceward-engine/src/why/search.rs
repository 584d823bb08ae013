//! The search for the propositions that decide, from the formula down.

use super::form::UntilForm;
use super::rows::{Positions, Rows, Window};
use super::{Explanation, Literal, Outcome, Parts, Reason};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::ops::{Range, RangeInclusive};
use traceward_logic::bitmap::Bitmap;
use traceward_logic::formula::{Direction, FormulaId, Node, Strength};

/// The depth to which the cost of an alternative is looked at before it is chosen.
const LOOK_AHEAD: usize = 6;

/// The work that looking at a part at a position takes, where looking at one bit takes 1.
const VISIT: usize = 32;

/// The largest number of runs of positions that literals are told by.
const MOST_RUNS: usize = 10_000;

/// A part whose value at a position has to be explained.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Open {
    part: usize,
    position: usize,
    /// Whether the operators on the way are told: where many positions decide together, they are
    /// not, since each would have a story of its own.
    is_told: bool,
}

/// The positions at which propositions decide, as runs by their first positions.
type Runs = BTreeMap<usize, usize>;

/// A search, with what it has found so far.
pub(super) struct Search<'a> {
    parts: &'a Parts,
    rows: &'a Rows,
    open: Vec<Open>,
    seen: FxHashSet<(usize, usize)>,
    /// For each proposition the runs of positions at which it decides.
    found: BTreeMap<usize, Runs>,
    reasons: Vec<Reason>,
    /// The work that may still be done.
    work: usize,
}

impl<'a> Search<'a> {
    pub(super) fn new(parts: &'a Parts, rows: &'a Rows, work: usize) -> Self {
        let (open, seen, found, reasons) = Default::default();
        Self { parts, rows, open, seen, found, reasons, work }
    }

    /// Looks for what decides the formula's value at a position, until the work is done or used up.
    pub(super) fn explain(&mut self, position: usize) {
        self.open.push(Open { part: self.parts.root(), position, is_told: true });
        while let Some(open) = self.open.pop() {
            if self.work == 0 {
                return;
            }
            self.spend(VISIT);
            if self.seen.insert((open.part, open.position)) {
                self.take(open);
            }
        }
    }

    fn spend(&mut self, work: usize) {
        self.work = self.work.saturating_sub(work);
    }

    fn value(&self, part: usize, position: usize) -> bool {
        self.rows.value(part, position).expect("only what has a value is explained")
    }

    fn positions(&self) -> &'a Positions {
        &self.rows.positions
    }

    fn take(&mut self, open: Open) {
        let Open { part, position, .. } = open;
        match self.parts.node(part) {
            Node::Constant(_) => {}
            Node::Atom(_) => self.add_run(part, position..=position),
            Node::Not(f) => self.push(f, open),
            Node::And(f, g) => self.take_junction(open, [f, g], self.value(part, position)),
            Node::Or(f, g) => self.take_junction(open, [f, g], !self.value(part, position)),
            Node::Next(direction, _, f) => match self.positions().neighbour(direction, position) {
                Some(at) => {
                    self.tell(open, Outcome::Settled { operand: f, at });
                    self.push(f, Open { position: at, ..open });
                }
                None => self.tell(open, Outcome::NoState(direction)),
            },
            node => self.take_until(open, UntilForm::of(node).expect("all others have windows")),
        }
    }

    fn push(&mut self, f: FormulaId, as_of: Open) {
        self.open.push(Open { part: self.parts.index(f), ..as_of });
    }

    fn tell(&mut self, open: Open, outcome: Outcome) {
        if open.is_told {
            let holds = self.value(open.part, open.position);
            let formula = self.parts.id(open.part);
            self.reasons.push(Reason { formula, position: open.position, holds, outcome });
        }
    }

    // ---- connectives ----

    /// Both operands decide, or one that has the value of the whole is enough.
    fn take_junction(&mut self, open: Open, [f, g]: [FormulaId; 2], needs_both: bool) {
        if needs_both {
            // The last one pushed is looked at first.
            self.push(g, open);
            self.push(f, open);
            return;
        }
        let whole = self.value(open.part, open.position);
        let enough = [f, g].into_iter().filter(|&f| self.rows.value(self.parts.index(f), open.position) == Some(whole));
        let cheapest = enough.min_by_key(|&f| self.cost(self.parts.index(f), open.position, LOOK_AHEAD));
        if let Some(f) = cheapest {
            self.push(f, open);
        }
    }

    /// About how many propositions it takes to explain a part.
    fn cost(&self, part: usize, position: usize, depth: usize) -> usize {
        let whole = match self.rows.value(part, position) {
            Some(_) if self.seen.contains(&(part, position)) => return 0,
            Some(value) if depth > 0 => value,
            _ => return 1,
        };
        let cost = |f: FormulaId, position: usize| self.cost(self.parts.index(f), position, depth - 1);
        match self.parts.node(part) {
            Node::Constant(_) => 0,
            Node::Atom(_) => usize::from(!self.is_found(part, position)),
            Node::Not(f) => cost(f, position),
            Node::And(f, g) | Node::Or(f, g) => {
                let is_and = matches!(self.parts.node(part), Node::And(..));
                if is_and == whole {
                    return cost(f, position).saturating_add(cost(g, position));
                }
                let has = |f: &FormulaId| self.rows.value(self.parts.index(*f), position) == Some(whole);
                [f, g].into_iter().filter(has).map(|f| cost(f, position)).min().unwrap_or(0)
            }
            Node::Next(direction, _, f) => {
                self.positions().neighbour(direction, position).map_or(0, |next| cost(f, next))
            }
            node => {
                let form = UntilForm::of(node).expect("all others have windows");
                let window = self.positions().window(form.direction, form.interval, position);
                // One position where it comes, all of them where it does not.
                if whole ^ form.is_negated { 2 } else { window.positions.map_or(0, |positions| length(&positions)) }
            }
        }
    }

    // ---- operators with a window ----

    fn take_until(&mut self, open: Open, form: UntilForm) {
        let window = self.positions().window(form.direction, form.interval, open.position);
        let comes = self.value(open.part, open.position) ^ form.is_negated;
        let met = if comes { self.meeting(form, &window) } else { None };
        match met {
            Some(at) => {
                self.tell(open, Outcome::Settled { operand: form.goal, at });
                let before = window.positions.and_then(|positions| nearer(form.direction, &positions, at));
                if let (Some(kept), Some(before)) = (form.kept, before) {
                    self.throughout(kept, before, open);
                }
                self.push(form.goal, Open { position: at, ..open });
            }
            None if comes => self.lasts(open, form.kept.unwrap_or(form.goal), form, &window),
            None => self.take_failing(open, form, &window),
        }
    }

    /// An until that fails: something broke before the goal came, or the goal did not come.
    fn take_failing(&mut self, open: Open, form: UntilForm, window: &Window) {
        let broken = form.kept.and_then(|kept| Some((kept, self.breaking(kept, form, window)?)));
        let never = form.strength == Strength::Strong && !window.is_open;
        match broken {
            Some((kept, at)) if !(never && self.is_far_end(form, window, at)) => {
                let came = self.coming(form, at);
                self.tell(open, Outcome::Broken { kept, at, goal: form.goal, came });
                let positions = window.positions.clone().and_then(|positions| up_to(form.direction, &positions, at));
                if let Some(positions) = positions {
                    self.throughout(form.goal, positions, open);
                }
                self.push(kept, Open { position: at, ..open });
            }
            _ => self.lasts(open, form.goal, form, window),
        }
    }

    /// One operand has one value throughout the window, which settles the operator.
    fn lasts(&mut self, open: Open, operand: FormulaId, form: UntilForm, window: &Window) {
        let outside = self.outside(operand, form, window, open.position);
        let (positions, is_cut) = (window.positions.clone(), window.is_cut);
        self.tell(open, Outcome::Throughout { operand, window: positions.clone(), is_cut, outside });
        if let Some(positions) = positions {
            self.throughout(operand, positions, open);
        }
    }

    /// An operand has to be explained at each of these positions.
    fn throughout(&mut self, operand: FormulaId, positions: RangeInclusive<usize>, open: Open) {
        let part = self.parts.index(operand);
        if let Some(proposition) = self.proposition(part) {
            self.add_run(proposition, positions);
            return;
        }
        let is_told = open.is_told && positions.start() == positions.end();
        self.spend(length(&positions));
        if self.work > VISIT * length(&positions) {
            self.open.extend(positions.rev().map(|position| Open { part, position, is_told }));
        } else {
            self.work = 0;
        }
    }

    /// The proposition that a part is, or is the negation of.
    fn proposition(&self, part: usize) -> Option<usize> {
        match self.parts.node(part) {
            Node::Atom(_) => Some(part),
            Node::Not(f) => self.proposition(self.parts.index(f)),
            _ => None,
        }
    }

    /// The value of an operand of a form, which may be negated.
    fn side(&self, form: UntilForm, f: FormulaId, position: usize) -> Option<bool> {
        self.rows.value(self.parts.index(f), position).map(|bit| bit ^ form.is_negated)
    }

    /// The nearest position of a window at which the goal comes while the other operand held.
    fn meeting(&mut self, form: UntilForm, window: &Window) -> Option<usize> {
        let positions = window.positions.clone()?;
        let (near, far) = ends(form.direction, &positions);
        let at = self.coming(form, near).filter(|at| at.abs_diff(near) <= far.abs_diff(near))?;
        let before = nearer(form.direction, &positions, at);
        let holds = |kept| before.is_none_or(|mut before| before.all(|i| self.side(form, kept, i) == Some(true)));
        let lasted = form.kept.is_none_or(holds);
        self.spend(form.kept.map_or(0, |_| at.abs_diff(near)));
        lasted.then_some(at)
    }

    /// The nearest position of a window at which an operand fails before the goal may have come.
    fn breaking(&mut self, kept: FormulaId, form: UntilForm, window: &Window) -> Option<usize> {
        let positions = window.positions.clone()?;
        let (mut looked_at, mut found) = (0, None);
        for position in from_near(form.direction, &(*positions.start()..positions.end() + 1)) {
            looked_at += 1;
            if self.side(form, form.goal, position) != Some(false) {
                break;
            }
            if self.side(form, kept, position) == Some(false) {
                found = Some(position);
                break;
            }
        }
        self.spend(looked_at);
        found
    }

    fn is_far_end(&self, form: UntilForm, window: &Window, position: usize) -> bool {
        window.positions.as_ref().is_some_and(|positions| ends(form.direction, positions).1 == position)
    }

    /// The first position from one on, in the direction of an operator, at which the goal comes.
    fn coming(&mut self, form: UntilForm, from: usize) -> Option<usize> {
        self.nearest(self.parts.index(form.goal), !form.is_negated, form.direction, from)
    }

    /// The nearest position from one on, in a direction, at which a part has a value.
    fn nearest(&mut self, part: usize, value: bool, direction: Direction, from: usize) -> Option<usize> {
        let found = self.rows.nearest(part, value, direction, from);
        let last = if direction == Direction::Future { self.positions().len } else { 0 };
        // Positions are looked at by the word.
        self.spend(found.unwrap_or(last).abs_diff(from) / Bitmap::WORD);
        found
    }

    /// The position outside the window at which an operand has the other value than throughout it:
    /// the first one beyond, or else the one nearest to it before.
    fn outside(&mut self, operand: FormulaId, form: UntilForm, window: &Window, asked: usize) -> Option<usize> {
        let part = self.parts.index(operand);
        let inside = window.positions.clone()?;
        let other = !self.rows.value(part, *inside.start())?;
        let (beyond, between) = match form.direction {
            Direction::Future => (Some(inside.end() + 1), asked..*inside.start()),
            Direction::Past => (inside.start().checked_sub(1), inside.end() + 1..asked + 1),
        };
        let beyond = beyond.and_then(|from| self.nearest(part, other, form.direction, from));
        beyond.or_else(|| {
            let mut between = from_near(form.direction, &between).rev();
            between.find(|&position| self.rows.value(part, position) == Some(other))
        })
    }

    // ---- what was found ----

    fn is_found(&self, proposition: usize, position: usize) -> bool {
        let runs = self.found.get(&proposition);
        runs.and_then(|runs| runs.range(..=position).next_back()).is_some_and(|(_, &end)| position <= end)
    }

    /// Notes that a proposition decides at these positions too.
    fn add_run(&mut self, proposition: usize, positions: RangeInclusive<usize>) {
        let runs = self.found.entry(proposition).or_default();
        let (mut start, mut end) = positions.into_inner();
        if let Some((&before, &until)) = runs.range(..=start).next_back()
            && until + 1 >= start
        {
            (start, end) = (before, end.max(until));
        }
        while let Some((&next, &until)) = runs.range(start..).next()
            && next <= end + 1
        {
            runs.remove(&next);
            end = end.max(until);
        }
        runs.insert(start, end);
    }

    /// The work that is left.
    pub(super) fn work(&self) -> usize {
        self.work
    }

    /// The explanation: what was found, without what can be left out as far as the work for that
    /// goes. Returns how much of it is left.
    pub(super) fn finish(mut self, position: usize, mut pruning: usize) -> (Explanation, usize) {
        let is_complete = self.work > 0;
        if is_complete {
            pruning -= self.prune(position, pruning);
        }
        let literals = is_complete.then(|| self.literals()).flatten();
        (Explanation { literals, reasons: self.reasons }, pruning)
    }

    /// The literals in the order of their positions, cut where their values change; none if there
    /// are too many.
    fn literals(&self) -> Option<Vec<Literal>> {
        let mut literals: Vec<Literal> = Vec::new();
        for (&part, runs) in &self.found {
            for (&start, &end) in runs {
                let mut next = start;
                while next <= end {
                    let holds = self.value(part, next);
                    let change = self.rows.nearest(part, !holds, Direction::Future, next).unwrap_or(usize::MAX);
                    let positions = next..=end.min(change - 1);
                    next = positions.end() + 1;
                    literals.push(Literal { formula: self.parts.id(part), holds, positions });
                    if literals.len() > MOST_RUNS {
                        return None;
                    }
                }
            }
        }
        literals.sort_by_key(|literal| (*literal.positions.start(), literal.formula));
        Some(literals)
    }

    /// Leaves out propositions one by one as long as the rest still decides, if that is not too
    /// much work. Returns the work that was done.
    fn prune(&mut self, position: usize, work: usize) -> usize {
        let all = self.found.iter().flat_map(|(&part, runs)| {
            runs.iter().flat_map(move |(&start, &end)| (start..=end).map(move |position| (part, position)))
        });
        let one_try = self.parts.len().saturating_mul(self.positions().len).max(1);
        let most = work / one_try;
        let mut known: Vec<(usize, usize)> = all.take(most + 1).collect();
        // One proposition alone is needed, unless the formula says nothing at all.
        if known.len() > most || known.len() < 2 {
            return 0;
        }
        let done = one_try * known.len();
        // What comes late is left out first: people read a trace from its beginning.
        known.sort_by_key(|&(part, position)| (position, part));
        for index in (0..known.len()).rev() {
            let left_out = known.remove(index);
            if !self.decides(&known, position) {
                known.insert(index, left_out);
            }
        }
        self.found.clear();
        for (part, position) in known {
            self.add_run(part, position..=position);
        }
        done
    }

    /// Whether propositions at positions decide the formula's value at a position.
    fn decides(&self, known: &[(usize, usize)], position: usize) -> bool {
        let len = self.positions().len;
        let rows = Rows::certain(self.parts, self.positions().clone(), |part| {
            let mut rows = (Bitmap::filled(len, false), Bitmap::filled(len, false));
            for &(_, position) in known.iter().filter(|(known, _)| *known == part) {
                let row = if self.value(part, position) { &mut rows.0 } else { &mut rows.1 };
                row.set(position, true);
            }
            rows
        });
        rows.value(self.parts.root(), position).is_some()
    }
}

fn length(positions: &RangeInclusive<usize>) -> usize {
    positions.end() - positions.start() + 1
}

/// The nearest and the farthest position of a window.
fn ends(direction: Direction, positions: &RangeInclusive<usize>) -> (usize, usize) {
    match direction {
        Direction::Future => (*positions.start(), *positions.end()),
        Direction::Past => (*positions.end(), *positions.start()),
    }
}

/// The positions of a window, the nearest first.
fn from_near(direction: Direction, positions: &Range<usize>) -> impl DoubleEndedIterator<Item = usize> + use<> {
    let Range { start, end } = *positions;
    (start..end).map(move |position| match direction {
        Direction::Future => position,
        Direction::Past => start + end - 1 - position,
    })
}

/// The positions of a window from the nearest up to one of them.
fn up_to(direction: Direction, window: &RangeInclusive<usize>, at: usize) -> Option<RangeInclusive<usize>> {
    let positions = match direction {
        Direction::Future => *window.start()..=at,
        Direction::Past => at..=*window.end(),
    };
    (!positions.is_empty()).then_some(positions)
}

/// The positions of a window that are nearer than one of them.
fn nearer(direction: Direction, window: &RangeInclusive<usize>, at: usize) -> Option<RangeInclusive<usize>> {
    match direction {
        Direction::Future => at.checked_sub(1).and_then(|last| up_to(direction, window, last)),
        Direction::Past => up_to(direction, window, at + 1),
    }
}
