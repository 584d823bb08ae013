//! How long eventualities had to wait, which the paper names as a use of traversal in the order of
//! the trace.
//!
//! One run is followed: of two alternatives the left one where it holds, and every eventuality is
//! met as early as it can be. Then each position at which an eventuality is asked for has one
//! answer: how many steps later it was met. Positions are followed for all parts of the formula at
//! once, from the whole to its parts, so the time is linear.

use traceward_logic::bitmap::Bitmap;
use traceward_logic::formula::{BinaryOp, Direction, Expansion, FormulaId, Formulas, Node, Strength};

/// The waiting times of one eventuality, in steps.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Waiting {
    /// The eventuality: a formula with `F`, `U` or `M` on the outside.
    pub formula: FormulaId,
    /// The number of times that the eventuality was asked for.
    pub asked: u64,
    /// The least number of steps.
    pub least: u64,
    /// The greatest number of steps.
    pub most: u64,
    /// The sum of all waiting times.
    pub total: u64,
}

impl Waiting {
    /// The average number of steps.
    pub fn average(&self) -> f64 {
        self.total as f64 / self.asked as f64
    }

    fn add(&mut self, steps: u64) {
        self.asked += 1;
        self.least = self.least.min(steps);
        self.most = self.most.max(steps);
        self.total += steps;
    }
}

/// The waiting times of the eventualities of a formula in negation normal form, on a trace that
/// satisfies it. `truth` tells where each part of the formula holds. The formula must have no
/// bounds.
///
/// # Panics
/// If the truth of a part is missing.
pub fn waiting(formulas: &Formulas, root: FormulaId, truth: &dyn Fn(FormulaId) -> Bitmap) -> Vec<Waiting> {
    let parts = formulas.parts(&[root]);
    let root_truth = truth(root);
    let len = root_truth.len();
    let mut asked: Vec<Option<Bitmap>> = vec![None; formulas.len()];
    let mut at_zero = Bitmap::filled(len, false);
    if len > 0 && root_truth.get(0) {
        at_zero.set(0, true);
    }
    asked[root.index()] = Some(at_zero);
    let mut waitings = Vec::new();
    for &part in parts.iter().rev() {
        let Some(positions) = asked[part.index()].take() else { continue };
        let mut demand = Demand { len, asked: &mut asked, truth };
        waitings.extend(demand.follow(formulas, part, &positions));
    }
    waitings.sort_by_key(|waiting| waiting.formula);
    waitings
}

struct Demand<'a> {
    len: usize,
    asked: &'a mut [Option<Bitmap>],
    truth: &'a dyn Fn(FormulaId) -> Bitmap,
}

impl Demand<'_> {
    fn ask(&mut self, formula: FormulaId, position: usize) {
        let len = self.len;
        self.asked[formula.index()].get_or_insert_with(|| Bitmap::filled(len, false)).set(position, true);
    }

    /// Asks of the parts of a formula what it asks of them at these positions, where it holds.
    fn follow(&mut self, formulas: &Formulas, part: FormulaId, positions: &Bitmap) -> Option<Waiting> {
        match formulas.node(part) {
            Node::Constant(_) | Node::Atom(_) | Node::Not(_) => None,
            Node::And(f, g) => {
                positions.ones().for_each(|position| {
                    self.ask(f, position);
                    self.ask(g, position);
                });
                None
            }
            Node::Or(f, g) => {
                let left = (self.truth)(f);
                positions.ones().for_each(|position| self.ask(if left.get(position) { f } else { g }, position));
                None
            }
            Node::Next(direction, _, f) => {
                for position in positions.ones() {
                    let neighbour = match direction {
                        Direction::Future => Some(position + 1).filter(|&next| next < self.len),
                        Direction::Past => position.checked_sub(1),
                    };
                    neighbour.into_iter().for_each(|neighbour| self.ask(f, neighbour));
                }
                None
            }
            Node::Always(direction, _, f) => {
                self.ask_throughout(direction, f, positions);
                None
            }
            Node::Eventually(direction, _, f) => {
                let found = (self.truth)(f);
                self.until(part, direction, positions, None, f, &found)
            }
            Node::Binary(op, direction, _, f, g) => self.binary(part, op, direction, positions, f, g),
        }
    }

    fn binary(
        &mut self,
        part: FormulaId,
        op: BinaryOp,
        direction: Direction,
        positions: &Bitmap,
        f: FormulaId,
        g: FormulaId,
    ) -> Option<Waiting> {
        let waiting = match op.expansion() {
            Expansion::Until => {
                let found = (self.truth)(g);
                self.until(part, direction, positions, Some(f), g, &found)
            }
            // g is asked for up to and including where f comes, and so is f there.
            Expansion::Release => {
                let found = (self.truth)(f).and(&(self.truth)(g));
                self.until(part, direction, positions, None, f, &found);
                self.until(part, direction, positions, Some(g), g, &found)
            }
        };
        // Of a weak operator nothing has to come, so nothing is waited for.
        waiting.filter(|_| op.strength() == Strength::Strong)
    }

    /// Asks for `target` at the nearest position where it is found, and for `meanwhile` before that
    /// (or to the end, where it is found nowhere). Towards the past nobody waits.
    fn until(
        &mut self,
        part: FormulaId,
        direction: Direction,
        positions: &Bitmap,
        meanwhile: Option<FormulaId>,
        target: FormulaId,
        found: &Bitmap,
    ) -> Option<Waiting> {
        let mut waiting = Waiting { formula: part, asked: 0, least: u64::MAX, most: 0, total: 0 };
        let place = |position: usize| match direction {
            Direction::Future => position,
            Direction::Past => self.len - 1 - position,
        };
        let mut places: Vec<usize> = positions.ones().map(place).collect();
        places.sort_unstable();
        let (mut nearest, mut filled) = (0, 0);
        for from in places {
            nearest = (nearest.max(from)..self.len)
                .find(|&other| found.get(self.turned(direction, other)))
                .unwrap_or(self.len);
            if let Some(meanwhile) = meanwhile {
                (filled.max(from)..nearest).for_each(|other| self.ask(meanwhile, self.turned(direction, other)));
                filled = filled.max(nearest);
            }
            if nearest < self.len {
                self.ask(target, self.turned(direction, nearest));
                waiting.add((nearest - from) as u64);
            }
        }
        (direction == Direction::Future && waiting.asked > 0).then_some(waiting)
    }

    fn turned(&self, direction: Direction, place: usize) -> usize {
        match direction {
            Direction::Future => place,
            Direction::Past => self.len - 1 - place,
        }
    }

    fn ask_throughout(&mut self, direction: Direction, f: FormulaId, positions: &Bitmap) {
        let (first, last) = (positions.ones().next(), positions.ones().last());
        let range = match (direction, first, last) {
            (Direction::Future, Some(first), _) => first..self.len,
            (Direction::Past, _, Some(last)) => 0..last + 1,
            _ => return,
        };
        range.for_each(|position| self.ask(f, position));
    }
}
