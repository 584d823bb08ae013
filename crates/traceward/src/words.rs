//! Formulas in the words of the spec.

use crate::spec::Spec;
use std::sync::Arc;
use traceward_engine::why::Explainer;
use traceward_logic::expr::Expr;
use traceward_logic::formula::FormulaId;
use traceward_logic::lower::Lowered;
use traceward_logic::value::{CompareOp, Value};

/// Where the words of formulas are found.
#[derive(Clone, Copy)]
pub(crate) struct Words<'a> {
    pub(crate) spec: &'a Spec,
    pub(crate) lowered: &'a Lowered,
    pub(crate) names: &'a [Arc<str>],
}

impl Words<'_> {
    /// A formula of an explainer as the spec has it, or as a spec would.
    pub(crate) fn of(self, explainer: &Explainer, formula: FormulaId) -> String {
        let written = explainer.origin(formula).and_then(|origin| self.lowered.words.get(&origin));
        match (written, explainer.expr(formula)) {
            (Some(&span), _) => without_brackets(&self.spec.text(span)).to_owned(),
            (None, Some(expr)) => self.event(expr).unwrap_or_else(|| expr.display(self.names).to_string()),
            (None, None) => explainer.formulas().display(formula, self.names).to_string(),
        }
    }

    /// The event that a comparison is about, if it can be written as an event.
    fn event(self, expr: &Expr) -> Option<String> {
        let Expr::Compare(CompareOp::Equal, left, right) = expr else { return None };
        let (Expr::Variable(variable), Expr::Literal(text @ Value::Str(_))) = (&**left, &**right) else { return None };
        let event = self.spec.settings().event.as_deref()?;
        (&*self.names[variable.index()] == event).then(|| text.to_string())
    }
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
}
