//! The triggers of a property: the left sides of implications that it rests on. Where none of them
//! ever holds, the property is satisfied without having said anything. What has to follow them
//! within a window are its responses.

use super::Lowering;
use crate::ast::{Ast, AstKind, Connective, UnaryOperator};
use crate::diagnostic::Span;
use crate::formula::{Direction, FormulaId, Interval, Node, Strength};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The largest number of triggers that are looked for in a property.
const MOST_TRIGGERS: usize = 10_000;

/// The left side of an implication that is reached from the top of a property through always, `&`
/// and right sides of other implications.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Trigger {
    /// The formula that holds where the left side holds and the implication is asked.
    pub formula: FormulaId,
    /// The place of the left side in the text.
    pub span: Span,
}

/// An eventually whose window has an end, and that is reached from the top of a property as
/// triggers are: `F[0,5] q` in `G(p -> F[0,5] q)`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Response {
    /// The formula that holds where the response is asked for.
    pub asked: FormulaId,
    /// The formula that has to come about.
    pub goal: FormulaId,
    /// The window, which has a far end.
    pub interval: Interval,
    /// The place of the eventually in the text.
    pub span: Span,
}

/// What is reached from the top of a property through always, `&` and right sides of implications.
#[derive(Clone, Debug, Default)]
pub(super) struct Reached {
    /// The left sides of implications, the outermost first: those to the right of fewer others.
    pub(super) triggers: Vec<Trigger>,
    /// The eventualities with a bound.
    pub(super) responses: Vec<Response>,
}

/// The positions at which a part of a property is asked.
#[derive(Clone, Copy)]
enum Asked {
    AtStart,
    Everywhere,
    Where(FormulaId),
}

impl Lowering<'_> {
    /// The triggers and the responses of a property.
    pub(super) fn reached(&mut self, body: &Ast) -> Reached {
        // The text has been lowered before: what there is to say of it has been said.
        let (expanded, copied, diagnostics) = (self.expanded, self.copied, self.diagnostics.len());
        let unfolds_too_far = self.unfolds_too_far;
        let bodies = std::mem::take(&mut self.bodies);
        let (mut reached, mut level) = (Reached::default(), vec![(body, Asked::AtStart)]);
        while !level.is_empty() && reached.triggers.len() < MOST_TRIGGERS {
            level = self.look_at_level(level, &bodies, &mut reached);
        }
        self.bodies = bodies;
        (self.expanded, self.copied, self.unfolds_too_far) = (expanded, copied, unfolds_too_far);
        self.diagnostics.truncate(diagnostics);
        reached
    }

    /// Notes what is reached without passing another trigger, and returns the right sides behind
    /// triggers.
    fn look_at_level<'a>(
        &mut self,
        level: Vec<(&'a Ast, Asked)>,
        bodies: &'a FxHashMap<Arc<str>, Ast>,
        reached: &mut Reached,
    ) -> Vec<(&'a Ast, Asked)> {
        let mut behind = Vec::new();
        let mut open: Vec<(&Ast, Asked)> = level.into_iter().rev().collect();
        while let Some((part, asked)) = open.pop() {
            match &part.kind {
                AstKind::Connect(Connective::Implies, left, right) => {
                    let Ok(holds) = self.plain(left) else { continue };
                    let formula = self.asked_and(asked, holds);
                    reached.triggers.push(Trigger { formula, span: left.span });
                    behind.push((&**right, Asked::Where(formula)));
                }
                AstKind::Unary(UnaryOperator::Always, bound, None, operand) => {
                    let interval = bound.as_ref().map_or(Interval::ALL, |bound| bound.interval);
                    open.push((operand, self.asked_later(asked, interval)));
                }
                AstKind::Unary(UnaryOperator::Eventually, Some(bound), None, operand) => {
                    reached.responses.extend(self.response(asked, bound.interval, operand, part.span));
                }
                AstKind::And(parts) => open.extend(parts.iter().rev().map(|part| (part, asked))),
                AstKind::Name(name) => open.extend(bodies.get(name).map(|body| (body, asked))),
                _ => {}
            }
        }
        behind
    }

    /// A response, if its window ends and it is not just asked at the beginning.
    fn response(&mut self, asked: Asked, interval: Interval, operand: &Ast, span: Span) -> Option<Response> {
        interval.to?;
        let asked = match asked {
            Asked::AtStart => return None,
            Asked::Everywhere => self.formulas.constant(true),
            Asked::Where(asked) => asked,
        };
        let goal = self.plain(operand).ok()?;
        Some(Response { asked, goal, interval, span })
    }

    fn asked_and(&mut self, asked: Asked, holds: FormulaId) -> FormulaId {
        match asked {
            Asked::Everywhere => holds,
            Asked::AtStart => {
                let start = self.start();
                self.formulas.and(start, holds)
            }
            Asked::Where(asked) => self.formulas.and(asked, holds),
        }
    }

    /// The positions that an always reaches: those with one in the mirrored window behind them at
    /// which the always is asked.
    fn asked_later(&mut self, asked: Asked, interval: Interval) -> Asked {
        let from = match asked {
            Asked::AtStart | Asked::Everywhere if interval.is_all() => return Asked::Everywhere,
            Asked::AtStart => self.start(),
            Asked::Everywhere => self.formulas.constant(true),
            Asked::Where(asked) => asked,
        };
        Asked::Where(self.formulas.intern(Node::Eventually(Direction::Past, interval, from)))
    }

    /// A formula that holds at the first position alone.
    fn start(&mut self) -> FormulaId {
        let never = self.formulas.constant(false);
        self.formulas.intern(Node::Next(Direction::Past, Strength::Weak, never))
    }
}
