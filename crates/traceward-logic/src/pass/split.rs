//! Taking boolean expressions apart at their connectives.

use crate::expr::{Earlier, Expr};
use crate::formula::{Direction, FormulaId, Formulas, Node, Strength};
use crate::value::Value;

/// The furthest look back that becomes operators. Each step is an operator that automata have to
/// remember something for.
const MOST_STEPS: u64 = 8;

/// Formulas in which every atom is a variable or comparison: connectives inside atoms become
/// connectives of formulas.
///
/// An atom is a maximal boolean expression, because it is evaluated as one: `x != 0 & 10 / x > 2`
/// does not divide by zero. That has been seen to before engines run; to them smaller atoms are
/// better, since more of them are equal. For the same reason an atom that speaks of one earlier
/// state becomes an atom of its own state under `Y`: `past(x) > 5` is `Y (x > 5)`. Whether it can
/// be evaluated has been seen to as well, so it does not matter that `Y (1 / x > 2)` would fail
/// elsewhere.
pub fn split_atoms(formulas: &mut Formulas, roots: &[FormulaId]) -> Vec<FormulaId> {
    super::rebuild(formulas, roots, |formulas, part, done| match formulas.node(part) {
        Node::Atom(atom) => {
            let expr = formulas.atom(atom).clone();
            split(formulas, expr)
        }
        node => formulas.intern(node.map(done)),
    })
}

fn split(formulas: &mut Formulas, expr: Expr) -> FormulaId {
    match expr {
        Expr::Literal(Value::Bool(bit)) => formulas.constant(bit),
        Expr::Not(a) => {
            let f = split(formulas, *a);
            formulas.intern(Node::Not(f))
        }
        Expr::And(parts) => chain(formulas, parts, Node::And),
        Expr::Or(parts) => chain(formulas, parts, Node::Or),
        Expr::Implies(a, b) => join(formulas, *a, *b, Formulas::implies),
        Expr::Iff(a, b) => join(formulas, *a, *b, Formulas::iff),
        Expr::Xor(a, b) => join(formulas, *a, *b, Formulas::xor),
        comparison => match comparison.as_earlier().filter(|_| comparison.reach() <= MOST_STEPS) {
            Some(earlier) => previous(formulas, earlier),
            None => formulas.intern_atom(comparison),
        },
    }
}

/// An expression of an earlier state, under an operator for each state between.
fn previous(formulas: &mut Formulas, earlier: Earlier) -> FormulaId {
    let there = split(formulas, earlier.expr);
    (0..earlier.steps).fold(there, |f, _| formulas.intern(Node::Next(Direction::Past, Strength::Strong, f)))
}

fn chain(formulas: &mut Formulas, parts: Vec<Expr>, node: fn(FormulaId, FormulaId) -> Node) -> FormulaId {
    let parts: Vec<FormulaId> = parts.into_iter().map(|part| split(formulas, part)).collect();
    parts
        .into_iter()
        .reduce(|whole, part| formulas.intern(node(whole, part)))
        .unwrap_or_else(|| formulas.constant(true))
}

fn join(
    formulas: &mut Formulas,
    a: Expr,
    b: Expr,
    connective: fn(&mut Formulas, FormulaId, FormulaId) -> FormulaId,
) -> FormulaId {
    let (f, g) = (split(formulas, a), split(formulas, b));
    connective(formulas, f, g)
}
