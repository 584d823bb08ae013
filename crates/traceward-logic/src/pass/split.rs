//! Taking boolean expressions apart at their connectives.

use crate::expr::Expr;
use crate::formula::{FormulaId, Formulas, Node};
use crate::value::Value;

/// Formulas in which every atom is a variable or comparison: connectives inside atoms become
/// connectives of formulas.
///
/// An atom is a maximal boolean expression, because it is evaluated as one: `x != 0 & 10 / x > 2`
/// does not divide by zero. That has been seen to before engines run; to them smaller atoms are
/// better, since more of them are equal.
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
        comparison => formulas.intern_atom(comparison),
    }
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
