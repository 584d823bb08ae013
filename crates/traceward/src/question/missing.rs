//! Missing values that may have decided a violation.

use super::evidence::{atoms_of, variables_of};
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
    let is_missing = |id: &VariableId| question.input.value(*id, whole).is_missing();
    let missing = variables_of(&question.bound.lowered.formulas, formula).into_iter().filter(is_missing);
    let missing: Vec<Expr> = missing.map(Expr::Variable).collect();
    bearing(part, formula, position, &missing)
}

/// The values of earlier states that are missing at a position where a formula fails, and that bear
/// on it likewise: in the first state there is none before it.
pub(super) fn deciding_earlier(part: &Part<'_>, formula: FormulaId, position: usize) -> Vec<Arc<str>> {
    let mut missing: Vec<Expr> = Vec::new();
    part.at(position, |state| {
        for atom in atoms_of(&part.question.bound.lowered.formulas, formula) {
            atom.for_each_past(&mut |past| {
                if past.value(&state).is_ok_and(|value| value.is_missing()) && !missing.contains(past) {
                    missing.push(past.clone());
                }
            });
        }
    });
    bearing(part, formula, position, &missing)
}

/// Those of some missing things that bear on a formula, each by its text.
fn bearing(part: &Part<'_>, formula: FormulaId, position: usize, missing: &[Expr]) -> Vec<Arc<str>> {
    let question = part.question;
    let bears = |one: &&Expr| {
        let with = |assumed| {
            part.at(position, |state| {
                let known = Known { state: &state, missing, assumed: (one, assumed) };
                known.truth(&question.bound.lowered.formulas, formula)
            })
        };
        with(true) != with(false)
    };
    let text = |one: &Expr| match one {
        Expr::Variable(id) => question.bound.names[id.index()].clone(),
        other => other.display(&question.bound.names).to_string().into(),
    };
    missing.iter().filter(bears).map(text).collect()
}

/// The things that are known in a state with missing values.
struct Known<'a> {
    state: &'a StateAt<'a>,
    /// The variables, or the values of earlier states, that are missing in it.
    missing: &'a [Expr],
    /// One of them, and the truth of whatever is asked of it.
    assumed: (&'a Expr, bool),
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
            _ if self.missing.iter().any(|one| speaks_of(expr, one)) => None,
            _ => expr.holds(self.state).ok(),
        }
    }
}

fn speaks_of(expr: &Expr, missing: &Expr) -> bool {
    let mut found = false;
    match missing {
        Expr::Variable(variable) => expr.for_each_variable(&mut |one| found |= one == *variable),
        past => expr.for_each_past(&mut |one| found |= one == past),
    }
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
