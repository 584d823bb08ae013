//! Values of earlier states, and the words that compare a value with the one before.

use super::{Checked, Lowering, Type, Typed};
use crate::ast::{Ast, AstKind, Function, UnaryOperator};
use crate::diagnostic::{Diagnostic, Span};
use crate::expr::Expr;
use crate::lower::state::Standing;
use crate::parse::MOST_STEPS_BACK;
use crate::value::{ArithmeticOp, CompareOp, Value};

impl Lowering<'_> {
    /// `past(e, n)`: e as it was n states earlier.
    #[inline(never)]
    pub(super) fn past(&mut self, operand: &Ast, steps: u32, span: Span) -> Checked<Typed> {
        let (expr, ty) = self.observed("past", operand)?;
        Ok(Typed::State(self.back(expr, steps, span)?, ty))
    }

    /// An expression so many states earlier; `past(past(e))` is `past(e, 2)`.
    pub(super) fn back(&mut self, expr: Expr, steps: u32, span: Span) -> Checked<Expr> {
        let (expr, steps) = match expr {
            Expr::Past(inner, inner_steps) => (inner, steps.saturating_add(inner_steps)),
            expr => (Box::new(expr), steps),
        };
        if steps <= MOST_STEPS_BACK {
            return Ok(Expr::Past(expr, steps));
        }
        self.error(
            Diagnostic::error(span, format!("`past` looks back from 1 to {MOST_STEPS_BACK} states"))
                .label(format!("looks back {steps} states")),
        )
    }

    /// `delta(e)`, `changed(e)`, `stable(e)`, `rose(p)` and `fell(p)`, by what they stand for.
    #[inline(never)]
    pub(super) fn change(&mut self, function: Function, operand: &Ast, span: Span) -> Checked<Typed> {
        let before = self.expanded;
        let (now, ty) = self.observed(function.name(), operand)?;
        // The operand is written twice, so such words inside each other double.
        let copied = self.expanded - before;
        self.expanded = self.expanded.saturating_add(copied);
        self.copy(copied, span)?;
        let now = match function {
            Function::Rose | Function::Fell => self.boolean(now, &ty, Standing::Formula, operand.span)?,
            _ => now,
        };
        let earlier = Box::new(self.back(now.clone(), 1, span)?);
        let compared = |op| Expr::Compare(op, Box::new(now.clone()), earlier.clone());
        let (expr, ty) = match function {
            Function::Delta => {
                self.number(&ty, operand.span)?;
                (Expr::Arithmetic(ArithmeticOp::Subtract, Box::new(now), earlier), Type::Number)
            }
            Function::Changed => (compared(CompareOp::NotEqual), Type::Bool),
            Function::Stable => (compared(CompareOp::Equal), Type::Bool),
            Function::Rose => (Expr::And(vec![now, Expr::Not(earlier)]), Type::Bool),
            _ => (Expr::And(vec![Expr::Not(Box::new(now)), *earlier]), Type::Bool),
        };
        Ok(Typed::State(expr, ty))
    }

    /// What is looked at in two states. A string alone is an event, as where a formula stands.
    fn observed(&mut self, word: &str, operand: &Ast) -> Checked<(Expr, Type)> {
        if self.parameters.is_some() {
            return self.error(
                Diagnostic::error(operand.span, format!("a function sees no states, so there is no `{word}` in it"))
                    .label("in a function of a query")
                    .help(format!("write `{word}` where the value comes from")),
            );
        }
        match self.lower(operand)? {
            Typed::State(Expr::Literal(Value::Str(text)), _) if self.event.is_some() => {
                Ok((self.event(text, operand.span)?, Type::Bool))
            }
            Typed::State(expr, ty) => Ok((expr, ty)),
            Typed::Plain(_) => self.error(
                Diagnostic::error(operand.span, format!("`{word}` takes what can be said of one state"))
                    .label("a temporal formula")
                    .help("`Y f` says that the formula f held in the state before"),
            ),
            Typed::Query(..) => self.error(
                Diagnostic::error(operand.span, format!("`{word}` takes what can be said of one state"))
                    .label("a query"),
            ),
        }
    }

    /// Notes a comparison behind `X` and its like that could be meant otherwise: `X term >= term`
    /// is `X (term >= term)`, which compares two values of one state.
    pub(super) fn warn_of_comparison_behind(&mut self, op: UnaryOperator, operand: &Ast) {
        use UnaryOperator::{Next, Previous, WeakNext, WeakPrevious};
        let AstKind::Compare(comparison, left, right) = &operand.kind else { return };
        let in_brackets = operand.span.start < left.span.start;
        let one_step = matches!(op, Next | WeakNext | Previous | WeakPrevious);
        if in_brackets || !one_step || !speaks_of_states(left) || !speaks_of_states(right) {
            return;
        }
        let (operator, comparison) = (op.symbol(), comparison.symbol());
        let help = match op {
            // At the last state there is no next one to compare.
            Next | WeakNext => format!("`WX ({left} {comparison} past({right}))`"),
            _ => format!("`past({left}) {comparison} {right}`"),
        };
        let warning = Diagnostic::warning(
            operand.span,
            format!("`{operator} {operand}` is read as `{operator} ({operand})`: both sides are values of one state"),
        )
        .label("one comparison, in one state")
        .help(format!("`past(e)` is the value of e in the state before: {help}"));
        self.diagnostics.push(warning);
    }
}

/// Whether an expression can have another value in another state.
fn speaks_of_states(ast: &Ast) -> bool {
    match &ast.kind {
        AstKind::Name(_) | AstKind::Position | AstKind::Time => true,
        AstKind::Negate(a) | AstKind::Past(a, _) => speaks_of_states(a),
        AstKind::Arithmetic(_, a, b) => speaks_of_states(a) || speaks_of_states(b),
        AstKind::Call(_, arguments) => arguments.iter().any(speaks_of_states),
        _ => false,
    }
}
