//! Why a formula fails at a position, in the words of the spec and of the input.

use super::part::Part;
use super::{Bound, Question, evidence};
use crate::check::Extent;
use crate::report::{Literal, Outcome, Place, Reason, Why};
use std::cell::Cell;
use std::ops::RangeInclusive;
use std::sync::Arc;
use traceward_engine::why::{self, Ending, Explainer, Explanation, Look};
use traceward_logic::diagnostic::Span;
use traceward_logic::expr::Expr;
use traceward_logic::formula::{Direction, FormulaId};
use traceward_logic::trace::VariableId;
use traceward_logic::value::Value;

/// The largest number of properties that are explained, and of violations of each: nobody reads
/// more, and each takes time.
pub(super) const MOST_EXPLAINED: usize = 1000;

/// What was explained for a trace: there is a largest number of properties, whoever has made their
/// explainers, and of timelines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Explaining {
    is_explained: Box<[Cell<bool>]>,
    /// The number of properties that may still be explained.
    left: Cell<usize>,
    /// The number of timelines that may still be made.
    pub(super) timelines_left: Cell<usize>,
}

impl Explaining {
    pub(super) fn new(properties: usize, timelines: usize) -> Self {
        Self {
            is_explained: (0..properties).map(|_| Cell::new(false)).collect(),
            left: Cell::new(MOST_EXPLAINED),
            timelines_left: Cell::new(timelines),
        }
    }

    /// Goes on where another question has ended, which was asked of states before these.
    pub(super) fn go_on(&self, before: &Self) {
        let pairs = self.is_explained.iter().zip(&before.is_explained);
        pairs.for_each(|(own, before)| own.set(before.get()));
        self.left.set(before.left.get());
        self.timelines_left.set(before.timelines_left.get());
    }

    /// Counts a property once; whether it may be explained.
    fn admits(&self, property: usize) -> bool {
        let is_explained = &self.is_explained[property];
        if !is_explained.get() && self.left.get() > 0 {
            self.left.set(self.left.get() - 1);
            is_explained.set(true);
        }
        is_explained.get()
    }
}

/// The explainer of a formula of a property, which is always the same one; none if too many
/// properties have been explained.
fn explainer<'a>(question: &Question<'a>, property: usize, formula: FormulaId) -> Option<&'a Explainer> {
    let Bound { explainers, lowered, .. } = question.bound;
    let made = || explainers[property].get_or_init(|| Explainer::new(&lowered.formulas, formula));
    question.explaining.admits(property).then(made)
}

/// The formula of an explainer on a part of a trace; none if that has no states.
pub(super) fn look<'e>(part: &Part<'_>, explainer: &'e Explainer) -> Option<Look<'e>> {
    let question = part.question;
    let ending = match question.options.extent {
        Extent::Whole => Ending::Ended,
        Extent::Prefix => Ending::Open,
    };
    let is_there = part.len() > 0;
    is_there.then(|| {
        explainer.look_by(&|expr| part.expression_row(expr), (&question.bound.prepared, part.letters()), ending)
    })
}

/// A formula of a property on a part of a trace, ready to be explained.
pub(super) struct Explained<'a> {
    pub(super) part: &'a Part<'a>,
    pub(super) explainer: &'a Explainer,
    pub(super) look: Look<'a>,
}

impl<'a> Explained<'a> {
    /// None if there is nothing to look at, or too much has been looked at already.
    pub(super) fn new(part: &'a Part<'a>, property: usize, formula: FormulaId) -> Option<Self> {
        Self::by(part, explainer(part.question, property, formula)?)
    }

    /// The formula of an explainer on a part; none if that has no states.
    fn by(part: &'a Part<'a>, explainer: &'a Explainer) -> Option<Self> {
        let look = look(part, explainer)?;
        Some(Self { part, explainer, look })
    }

    /// The reason why the formula fails at a position.
    pub(super) fn why(&self, position: usize) -> Option<Why> {
        let Explanation { literals, reasons } = self.look.why(position)?;
        let states = match &literals {
            Some(literals) => merged(literals.iter().map(|literal| self.states(literal)).collect()),
            None => vec![0..=self.part.len() - 1],
        };
        let reasons = reasons.into_iter().map(|reason| self.reason(reason)).collect();
        let literals = literals.map(|all| all.into_iter().map(|one| self.literal(&one)).collect());
        Some(Why { reasons, literals, states })
    }

    fn reason(&self, reason: why::Reason) -> Reason {
        let why::Reason { formula, position, holds, outcome } = reason;
        let node = self.explainer.formulas().node(formula);
        Reason {
            formula: self.words(formula),
            direction: node.direction().unwrap_or(Direction::Future),
            is_bounded: node.interval().is_some_and(|interval| interval.to.is_some()),
            since: self.place(position, None),
            holds,
            outcome: self.outcome(outcome),
        }
    }

    fn outcome(&self, outcome: why::Outcome) -> Outcome {
        let bare = |position| self.place(position, None);
        match outcome {
            why::Outcome::NoState(_) => Outcome::NoState,
            why::Outcome::Settled { operand, at } => {
                Outcome::Settled { operand: self.words(operand), at: self.place(at, Some(operand)) }
            }
            why::Outcome::Throughout { operand, window, is_cut, outside } => Outcome::Throughout {
                operand: self.words(operand),
                window: window.map(|window| (bare(*window.start()), bare(*window.end()))),
                is_cut,
                outside: outside.map(bare),
            },
            why::Outcome::Broken { kept, at, goal, came } => Outcome::Broken {
                kept: self.words(kept),
                at: self.place(at, Some(kept)),
                goal: self.words(goal),
                came: came.map(bare),
            },
        }
    }

    fn literal(&self, literal: &why::Literal) -> Literal {
        let why::Literal { formula, holds, positions } = literal;
        Literal {
            proposition: self.words(*formula),
            holds: *holds,
            first: self.place(*positions.start(), Some(*formula)),
            last: self.place(*positions.end(), None),
        }
    }

    /// The states that a literal speaks of: its own, and the earlier ones that it looks at.
    fn states(&self, literal: &why::Literal) -> RangeInclusive<usize> {
        let reach = self.explainer.expr(literal.formula).map_or(0, Expr::reach);
        let reach = usize::try_from(reach).unwrap_or(usize::MAX);
        literal.positions.start().saturating_sub(reach)..=*literal.positions.end()
    }

    /// A state, with the values that a formula speaks of.
    pub(super) fn place(&self, position: usize, formula: Option<FormulaId>) -> Place {
        let part = self.part;
        let values = formula.map(|formula| self.values(formula, position)).unwrap_or_default();
        Place { values, ..part.place(position) }
    }

    fn values(&self, formula: FormulaId, position: usize) -> Vec<(Arc<str>, Value)> {
        let question = self.part.question;
        let formulas = self.explainer.formulas();
        let variables = evidence::variables_of(formulas, formula).into_iter();
        self.part.at(position, |state| {
            let value =
                |id: VariableId| (question.bound.names[id.index()].clone(), state.trace.value(id, state.position));
            variables.map(value).collect()
        })
    }

    /// The place of a formula in the spec, if it stands there.
    pub(super) fn written(&self, formula: FormulaId) -> Option<Span> {
        let origin = self.explainer.origin(formula)?;
        self.part.question.bound.lowered.words.get(&origin).copied()
    }

    /// A formula as the spec has it, or as a spec would.
    pub(super) fn words(&self, formula: FormulaId) -> String {
        self.part.question.words().of(self.explainer, formula)
    }
}

/// Runs of positions in order, joined where they touch.
fn merged(mut runs: Vec<RangeInclusive<usize>>) -> Vec<RangeInclusive<usize>> {
    runs.sort_unstable_by_key(|run| *run.start());
    let mut merged: Vec<RangeInclusive<usize>> = Vec::new();
    for run in runs {
        match merged.last_mut() {
            Some(last) if *run.start() <= last.end() + 1 => *last = *last.start()..=*run.end().max(last.end()),
            _ => merged.push(run),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_that_touch_are_one() {
        assert_eq!(merged(vec![7..=8, 0..=2, 3..=3, 2..=2, 10..=11, 8..=8]), [0..=3, 7..=8, 10..=11]);
    }
}
