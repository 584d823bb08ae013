//! Timelines: the states around what matters, and what holds in each of them.
//!
//! A timeline has a bounded number of states and rows, whatever the length of the trace and the
//! size of the formula: it is made to be looked at.

use super::part::Part;
use super::why::Explained;
use crate::report::{Literal, Outcome, OwedReport, Place, Reason, RowKind, Timeline, TimelineRow, Why};
use std::collections::BTreeSet;
use traceward_logic::formula::{FormulaId, Node};

/// The largest number of states of a timeline.
const MOST_STATES: usize = 64;

/// The number of states on either side of one that matters.
const AROUND: usize = 3;

/// The largest number of rows of each kind.
const MOST_ROWS: usize = 12;

/// A timeline for each position since which something is owed.
pub(super) fn of_owed(part: &Part<'_>, property: usize, formula: FormulaId, owed: &[OwedReport]) -> Vec<Timeline> {
    if owed.is_empty() || part.question.explaining.timelines_left.get() == 0 {
        return Vec::new();
    }
    let Some(explained) = Explained::new(part, property, formula) else { return Vec::new() };
    let since: BTreeSet<usize> = owed.iter().map(|one| one.since).collect();
    since.into_iter().map_while(|since| explained.timeline_of(since, &[since, part.len() - 1])).collect()
}

impl Explained<'_> {
    /// The timeline of a position at which the formula fails.
    pub(super) fn timeline(&self, position: usize, why: Option<&Why>) -> Option<Timeline> {
        if self.part.question.explaining.timelines_left.get() == 0 {
            return None;
        }
        let points: Vec<usize> = [position].into_iter().chain(why.into_iter().flat_map(points)).collect();
        self.timeline_of(position, &points)
    }

    /// The states around some points, the most important first. None if there were enough of them.
    fn timeline_of(&self, about: usize, points: &[usize]) -> Option<Timeline> {
        let left = &self.part.question.explaining.timelines_left;
        left.set(left.get().checked_sub(1)?);
        let root = *self.explainer.parts().last()?;
        let positions = around(points, self.part.len());
        let states = positions.iter().map(|&position| self.place(position, Some(root))).collect();
        Some(Timeline { about, len: self.part.len(), states, rows: self.rows(&positions) })
    }

    fn rows(&self, positions: &[usize]) -> Vec<TimelineRow> {
        if !self.look.knows_values() {
            return Vec::new();
        }
        let [formulas, mut propositions] =
            [RowKind::Formula, RowKind::Proposition].map(|kind| self.rows_of(kind, positions));
        // In the order in which the outermost formula names them; others behind those.
        let whole = formulas.first().map(|row| row.text.clone()).unwrap_or_default();
        propositions.sort_by_key(|row| whole.find(&row.text).unwrap_or(usize::MAX));
        formulas.into_iter().chain(propositions).collect()
    }

    /// The rows of one kind, from the outermost part on. Parts that are written alike are one row.
    fn rows_of(&self, kind: RowKind, positions: &[usize]) -> Vec<TimelineRow> {
        let mut rows: Vec<TimelineRow> = Vec::new();
        for &part in self.explainer.parts().iter().rev().filter(|&&part| self.kind(part) == Some(kind)) {
            let text = self.words(part);
            if rows.len() < MOST_ROWS && rows.iter().all(|row| row.text != text) {
                let truth = positions.iter().map(|&position| self.look.value(part, position)).collect();
                rows.push(TimelineRow { text, kind, truth });
            }
        }
        rows
    }

    /// The kind of a part; none if nobody wrote it, or if it has the same value everywhere.
    fn kind(&self, part: FormulaId) -> Option<RowKind> {
        match self.explainer.formulas().node(part) {
            Node::Atom(_) => Some(RowKind::Proposition),
            Node::Constant(_) => None,
            _ => self.written(part).map(|_| RowKind::Formula),
        }
    }
}

/// The positions that a reason speaks of, the outermost operator first.
fn points(why: &Why) -> impl Iterator<Item = usize> {
    let of_literal = |literal: &Literal| [literal.first.position, literal.last.position];
    let literals = why.literals.iter().flatten().flat_map(of_literal);
    why.reasons.iter().flat_map(points_of).chain(literals)
}

fn points_of(Reason { since, outcome, .. }: &Reason) -> Vec<usize> {
    let places: Vec<&Place> = match outcome {
        Outcome::NoState => Vec::new(),
        Outcome::Settled { at, .. } => vec![at],
        Outcome::Throughout { window, outside, .. } => {
            window.iter().flat_map(|(first, last)| [first, last]).chain(outside).collect()
        }
        Outcome::Broken { at, came, .. } => [at].into_iter().chain(came).collect(),
    };
    [since].into_iter().chain(places).map(|place| place.position).collect()
}

/// The positions of some points and those next to them, as many as a timeline may have. What is
/// near comes before what is far, and gaps that leave room are closed.
fn around(points: &[usize], len: usize) -> Vec<usize> {
    let mut positions = BTreeSet::new();
    for distance in 0..=AROUND {
        for point in points {
            let near = [point.checked_sub(distance), point.checked_add(distance)];
            for position in near.into_iter().flatten().filter(|&position| position < len) {
                if positions.len() < MOST_STATES {
                    positions.insert(position);
                }
            }
        }
    }
    close_gaps(&mut positions);
    positions.into_iter().collect()
}

/// Closes gaps, the smallest first, as long as there is room for all of one.
fn close_gaps(positions: &mut BTreeSet<usize>) {
    let pairs = positions.iter().zip(positions.iter().skip(1));
    let mut gaps: Vec<(usize, usize)> = pairs.map(|(&one, &next)| (one, next)).collect();
    gaps.sort_by_key(|(one, next)| next - one);
    for (one, next) in gaps {
        if positions.len() + (next - one - 1) > MOST_STATES {
            return;
        }
        positions.extend(one + 1..next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timeline_has_what_is_near_to_the_points() {
        assert_eq!(around(&[1], 3), [0, 1, 2]);
        assert_eq!(around(&[10], 1000), [7, 8, 9, 10, 11, 12, 13]);
        // The gap between both is closed, since there is room.
        assert_eq!(around(&[0, 20], 21), (0..21).collect::<Vec<_>>());
        // This one is too wide.
        assert_eq!(around(&[0, 500], 501), [0, 1, 2, 3, 497, 498, 499, 500]);
    }

    #[test]
    fn a_timeline_is_bounded_whatever_matters() {
        let everything: Vec<usize> = (0..100_000).collect();
        assert_eq!(around(&everything, 100_000), (0..MOST_STATES).collect::<Vec<_>>());
        let sparse: Vec<usize> = (0..1000).map(|nth| nth * 1000).collect();
        assert_eq!(around(&sparse, 1_000_000).len(), MOST_STATES);
    }
}
