//! Bounds as dialects read them. Here, and in BTL and MLTL, the left side of `U[a,b]` counts from
//! the opening of the window on; in MTL it counts from now on. What lies before the window is then
//! a part of its own, and engines know of no dialect.
//!
//! One rewriting does for all operators. `f W[a,b] g` of MTL is its until or `G[0,b] f`, and that
//! is `(G[0,a) f) & (f W[a,b] g)`, since `G[0,b] f` is `G[0,a) f` and `G[a,b] f`. A release is
//! the dual: f before the window releases, too.

use super::Lowering;
use crate::ast::{BinaryOperator, Bound, Dialect};
use crate::diagnostic::{Diagnostic, Span};
use crate::formula::{BinaryOp, Expansion, FormulaId, Interval, Node};

impl Lowering<'_> {
    /// A binary operator with a bound, as the dialect of the bound reads it.
    pub(super) fn in_dialect(
        &mut self,
        node: Node,
        (op, bound): (BinaryOperator, Option<&Bound>),
        span: Span,
    ) -> FormulaId {
        let within = self.formulas.intern(node);
        let Some(bound) = bound else { return within };
        let Some((expansion, before)) = self.before_the_window(node) else { return within };
        match bound.dialect {
            Some(Dialect::Mtl) => {
                // Where the two parts are told apart, each is still what was written.
                self.words.entry(within).or_insert(span);
                self.words.entry(before).or_insert(span);
                self.formulas.intern(match expansion {
                    Expansion::Until => Node::And(before, within),
                    Expansion::Release => Node::Or(before, within),
                })
            }
            Some(Dialect::Traceward | Dialect::Opra) => within,
            None => {
                self.note_window(op, bound);
                within
            }
        }
    }

    /// What MTL asks of the left side before the window opens; none where both readings agree.
    fn before_the_window(&mut self, node: Node) -> Option<(Expansion, FormulaId)> {
        let Node::Binary(op, direction, interval, f, g) = node else { return None };
        let before = Interval { from: 0, to: Some(interval.from.checked_sub(1)?), ..interval };
        if self.says_nothing_before(op, f, g) {
            return None;
        }
        let before = match op.expansion() {
            Expansion::Until => Node::Always(direction, before, f),
            Expansion::Release => Node::Eventually(direction, before, f),
        };
        Some((op.expansion(), self.formulas.intern(before)))
    }

    /// Whether an operator means the same wherever its left side begins to count: that side is a
    /// constant which keeps it going, or the right one settles it.
    fn says_nothing_before(&self, op: BinaryOp, f: FormulaId, g: FormulaId) -> bool {
        let (left, right) = (self.formulas.node(f), self.formulas.node(g));
        match op {
            BinaryOp::Until => left == Node::Constant(true) || right == Node::Constant(false),
            BinaryOp::WeakUntil => left == Node::Constant(true),
            BinaryOp::Release => left == Node::Constant(false) || right == Node::Constant(true),
            BinaryOp::StrongRelease => true,
        }
    }

    /// Says once what the left side of an operator with a lower bound means, where no dialect is
    /// declared.
    fn note_window(&mut self, op: BinaryOperator, bound: &Bound) {
        if std::mem::replace(&mut self.window_is_noted, true) {
            return;
        }
        let operator = format!("{}{}", op.symbol(), bound.interval);
        let counts = match op.is_past() {
            false => "from the opening of the window on, not from now on",
            true => "up to where the window ends, not up to now",
        };
        let note = Diagnostic::note(bound.span, format!("the left side of `{operator}` counts {counts}"))
            .label("the window")
            .help("`dialect mtl` reads bounds as MTL does; `dialect traceward` says that this is meant");
        self.diagnostics.push(note);
    }
}
