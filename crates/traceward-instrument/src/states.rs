//! What counts as a state.
//!
//! A state is a write after which a predicate differs. Where the spec would see the difference, be
//! it that it counts steps or values, looks one state ahead or back, or measures time, every write
//! to a watched variable is one.

use crate::predicate::{for_each_query, roots};
use traceward::Spec;
use traceward_logic::expr::Expr;
use traceward_logic::formula::Node;

/// What counts as a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum States {
    /// Every write to a watched variable.
    EveryWrite,
    /// A write after which a predicate differs.
    Changes,
}

impl States {
    /// What a spec needs.
    pub fn needed_by(spec: &Spec) -> Self {
        let mut measures = false;
        for_each_query(spec, &mut |_| measures = true);
        if measures || !ignores_repetition(spec) { Self::EveryWrite } else { Self::Changes }
    }
}

/// Whether a state like the one before makes no difference to any formula.
fn ignores_repetition(spec: &Spec) -> bool {
    let formulas = &spec.lowered().formulas;
    let node_ignores = |node: Node| match node {
        Node::Next(..) => false,
        Node::Atom(atom) => !looks_elsewhere(formulas.atom(atom)),
        other => other.interval().is_none_or(|interval| interval.is_all()),
    };
    formulas.parts(&roots(spec)).into_iter().all(|id| node_ignores(formulas.node(id)))
}

/// Whether an expression speaks of earlier states, of positions or of time.
fn looks_elsewhere(expr: &Expr) -> bool {
    matches!(expr, Expr::Past(..) | Expr::Position | Expr::Time) || expr.parts().into_iter().any(looks_elsewhere)
}
