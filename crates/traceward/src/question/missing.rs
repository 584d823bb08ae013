//! Missing values that may have decided a violation.

use super::evidence::variables_of;
use super::part::Part;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use traceward_logic::expr::{Expr, StateAt};
use traceward_logic::formula::{FormulaId, Formulas, Node};
use traceward_logic::trace::VariableId;

/// The variables that are missing at a position where a formula fails, and whose values there bear
/// on it, given what is not missing. Nothing is assumed of what other states say.
pub(super) fn deciding(part: &Part<'_>, formula: FormulaId, position: usize) -> Vec<Arc<str>> {
    let question = part.question;
    let whole = part.in_whole(position);
    let is_missing = |id: &VariableId| question.input.trace.value(*id, whole).is_missing();
    let missing = variables_of(&question.lowered.formulas, formula).into_iter().filter(is_missing);
    let missing: Vec<VariableId> = missing.collect();
    let bears = |id: &&VariableId| {
        let state = StateAt { trace: part.trace(), position };
        let with = |assumed| {
            let known = Known { state: &state, missing: &missing, assumed: (**id, assumed) };
            known.truth(&question.lowered.formulas, formula)
        };
        with(true) != with(false)
    };
    missing.iter().filter(bears).map(|id| question.names[id.index()].clone()).collect()
}

/// The things that are known in a state with missing values.
struct Known<'a> {
    state: &'a StateAt<'a>,
    /// The variables that are missing in it.
    missing: &'a [VariableId],
    /// A missing variable, and the truth of whatever is asked of it.
    assumed: (VariableId, bool),
}

impl Known<'_> {
    /// The truth of a formula, as far as it follows. A loop over the parts, because a long
    /// conjunction is deep.
    fn truth(&self, formulas: &Formulas, formula: FormulaId) -> Option<bool> {
        let mut truths: FxHashMap<FormulaId, Option<bool>> = FxHashMap::default();
        for part in formulas.parts(&[formula]) {
            let truth = match formulas.node(part) {
                Node::Constant(bit) => Some(bit),
                Node::Atom(atom) => self.of_expr(formulas.atom(atom)),
                Node::Not(f) => truths[&f].map(|bit| !bit),
                Node::And(f, g) => all([truths[&f], truths[&g]]),
                Node::Or(f, g) => any([truths[&f], truths[&g]]),
                Node::Next(..) | Node::Eventually(..) | Node::Always(..) | Node::Binary(..) => None,
            };
            truths.insert(part, truth);
        }
        truths[&formula]
    }

    /// The truth of a boolean expression, as far as it follows.
    fn of_expr(&self, expr: &Expr) -> Option<bool> {
        let of = |expr: &Expr| self.of_expr(expr);
        match expr {
            Expr::Not(a) => of(a).map(|bit| !bit),
            Expr::And(parts) => all(parts.iter().map(of)),
            Expr::Or(parts) => any(parts.iter().map(of)),
            Expr::Implies(a, b) => any([of(a).map(|bit| !bit), of(b)]),
            Expr::Xor(a, b) => of(a).zip(of(b)).map(|(a, b)| a ^ b),
            Expr::Iff(a, b) => of(a).zip(of(b)).map(|(a, b)| a == b),
            // That a value is missing is what `defined` speaks of.
            Expr::Defined(_) => expr.holds(self.state).ok(),
            _ if speaks_of(expr, self.assumed.0) => Some(self.assumed.1),
            _ if self.missing.iter().any(|variable| speaks_of(expr, *variable)) => None,
            _ => expr.holds(self.state).ok(),
        }
    }
}

fn speaks_of(expr: &Expr, variable: VariableId) -> bool {
    let mut found = false;
    expr.for_each_variable(&mut |one| found |= one == variable);
    found
}

fn all(parts: impl IntoIterator<Item = Option<bool>>) -> Option<bool> {
    any(parts.into_iter().map(|part| part.map(|bit| !bit))).map(|bit| !bit)
}

fn any(parts: impl IntoIterator<Item = Option<bool>>) -> Option<bool> {
    let mut result = Some(false);
    for part in parts {
        match part {
            Some(true) => return Some(true),
            Some(false) => {}
            None => result = None,
        }
    }
    result
}
