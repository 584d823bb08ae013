//! Why a formula fails at a position, in the words of the spec and of the input.

use super::part::Part;
use super::{Question, evidence};
use crate::check::Extent;
use crate::report::{Literal, Outcome, Place, Reason, Why};
use std::cell::{Cell, OnceCell};
use std::ops::RangeInclusive;
use std::sync::Arc;
use traceward_engine::why::{self, Ending, Explainer, Explanation, Look};
use traceward_logic::diagnostic::Span;
use traceward_logic::expr::{Expr, StateAt};
use traceward_logic::formula::{Direction, FormulaId};
use traceward_logic::trace::VariableId;
use traceward_logic::value::{CompareOp, Value};

/// The largest number of properties that are explained: nobody reads more, and each takes time.
const MOST_EXPLAINED: usize = 1000;

/// The explainers of properties, each made when it is first needed.
pub(super) struct Explainers {
    by_property: Vec<OnceCell<Explainer>>,
    /// The number of those that may still be made.
    left: Cell<usize>,
}

impl Explainers {
    pub(super) fn new(properties: usize) -> Self {
        Self { by_property: (0..properties).map(|_| OnceCell::new()).collect(), left: Cell::new(MOST_EXPLAINED) }
    }

    /// The explainer of a formula of a property, which is always the same one.
    fn of(&self, question: &Question<'_>, property: usize, formula: FormulaId) -> Option<&Explainer> {
        let cell = &self.by_property[property];
        if cell.get().is_none() {
            self.left.set(self.left.get().checked_sub(1)?);
        }
        Some(cell.get_or_init(|| Explainer::new(&question.lowered.formulas, formula)))
    }
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
        let question = part.question;
        if part.len() == 0 {
            return None;
        }
        let explainer = question.explainers.of(question, property, formula)?;
        let ending = match question.options.extent {
            Extent::Whole => Ending::Ended,
            Extent::Prefix => Ending::Open,
        };
        let look = explainer.look(part.trace(), (&question.prepared, part.letters), ending);
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
        Place { position, line: part.line(position), time: part.time(position), values }
    }

    fn values(&self, formula: FormulaId, position: usize) -> Vec<(Arc<str>, Value)> {
        let question = self.part.question;
        let formulas = self.explainer.formulas();
        let state = StateAt { trace: self.part.trace(), position };
        let variables = evidence::variables_of(formulas, formula).into_iter();
        let value = |id: VariableId| (question.names[id.index()].clone(), state.trace.value(id, position));
        variables.map(value).collect()
    }

    /// The place of a formula in the spec, if it stands there.
    pub(super) fn written(&self, formula: FormulaId) -> Option<Span> {
        let origin = self.explainer.origin(formula)?;
        self.part.question.lowered.words.get(&origin).copied()
    }

    /// A formula as the spec has it, or as a spec would.
    pub(super) fn words(&self, formula: FormulaId) -> String {
        let Question { spec, names, .. } = self.part.question;
        match (self.written(formula), self.explainer.expr(formula)) {
            (Some(span), _) => without_brackets(&spec.text(span)).to_owned(),
            (None, Some(expr)) => event(expr, self.part.question).unwrap_or_else(|| expr.display(names).to_string()),
            (None, None) => self.explainer.formulas().display(formula, names).to_string(),
        }
    }
}

/// The event that a comparison is about, if it was written as an event.
fn event(expr: &Expr, question: &Question<'_>) -> Option<String> {
    let Expr::Compare(CompareOp::Equal, left, right) = expr else { return None };
    let (Expr::Variable(variable), Expr::Literal(text @ Value::Str(_))) = (&**left, &**right) else { return None };
    let event = question.spec.settings().event.as_deref()?;
    (&*question.names[variable.index()] == event).then(|| text.to_string())
}

/// A text without the brackets around all of it.
fn without_brackets(text: &str) -> &str {
    let Some(inner) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) else { return text };
    let (mut depth, mut quote) = (0_i64, None);
    for (index, c) in inner.char_indices() {
        match (quote, c) {
            // What is quoted has no brackets; an escaped quote does not end it.
            (Some(_), _) if inner[..index].ends_with('\\') => {}
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '`') => quote = Some(c),
            (None, '(') => depth += 1,
            (None, ')') => depth -= 1,
            (None, _) => {}
        }
        if depth < 0 {
            return text;
        }
    }
    without_brackets(inner.trim())
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
    fn brackets_around_all_are_left_out() {
        let same = ["a", "(a) & (b)", "(\"(\") | (b)", "(`)` & b) | (c)", "(", ""];
        same.into_iter().for_each(|text| assert_eq!(without_brackets(text), text));
        let without =
            [("(a)", "a"), ("((a & b))", "a & b"), ("( \")\" & x )", "\")\" & x"), ("((a) & (b))", "(a) & (b)")];
        without.into_iter().for_each(|(text, inner)| assert_eq!(without_brackets(text), inner));
    }

    #[test]
    fn runs_that_touch_are_one() {
        assert_eq!(merged(vec![7..=8, 0..=2, 3..=3, 2..=2, 10..=11, 8..=8]), [0..=3, 7..=8, 10..=11]);
    }
}
