//! The triggers of a property: the left sides of implications that it rests on. Where none of them
//! ever holds, the property is satisfied without having said anything.

use super::{Checked, Lowering};
use crate::ast::{Ast, AstKind, Connective, UnaryOperator};
use crate::diagnostic::Span;
use crate::formula::{Direction, FormulaId, Interval, Node, Strength};

/// The largest number of triggers that are looked for in a property.
const MOST_TRIGGERS: usize = 100;

/// The left side of an implication that is reached from the top of a property through always, `&`
/// and right sides of other implications.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Trigger {
    /// The formula that holds where the left side holds and the implication is asked.
    pub formula: FormulaId,
    /// The place of the left side in the text.
    pub span: Span,
}

/// The positions at which a part of a property is asked.
#[derive(Clone, Copy)]
enum Asked {
    AtStart,
    Everywhere,
    Where(FormulaId),
}

impl Lowering<'_> {
    /// The triggers of a property, the outermost first.
    pub(super) fn triggers(&mut self, body: &Ast) -> Vec<Trigger> {
        // The text has been lowered before: what there is to say of it has been said.
        let (expanded, copied, diagnostics) = (self.expanded, self.copied, self.diagnostics.len());
        let mut triggers = Vec::new();
        let mut open = vec![(body.clone(), Asked::AtStart)];
        while let Some((part, asked)) = open.pop() {
            if triggers.len() >= MOST_TRIGGERS || self.below(&part, asked, &mut open, &mut triggers).is_err() {
                break;
            }
        }
        (self.expanded, self.copied) = (expanded, copied);
        self.diagnostics.truncate(diagnostics);
        triggers
    }

    /// Notes the trigger of a part, and the parts that are asked below it.
    fn below(
        &mut self,
        part: &Ast,
        asked: Asked,
        open: &mut Vec<(Ast, Asked)>,
        triggers: &mut Vec<Trigger>,
    ) -> Checked<()> {
        match &part.kind {
            AstKind::Connect(Connective::Implies, left, right) => {
                let holds = self.plain(left)?;
                let formula = self.asked_and(asked, holds);
                triggers.push(Trigger { formula, span: left.span });
                open.push(((**right).clone(), Asked::Where(formula)));
            }
            AstKind::Unary(UnaryOperator::Always, bound, None, operand) => {
                let interval = bound.as_ref().map_or(Interval::ALL, |bound| bound.interval);
                let asked = self.asked_later(asked, interval);
                open.push(((**operand).clone(), asked));
            }
            AstKind::And(parts) => open.extend(parts.iter().rev().map(|part| (part.clone(), asked))),
            AstKind::Name(name) => {
                let body = self.bodies.get(name).cloned();
                open.extend(body.map(|body| ((*body).clone(), asked)));
            }
            _ => {}
        }
        Ok(())
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
