//! Temporal operators in one form: an until, or the negation of one.

use traceward_logic::formula::{BinaryOp, Direction, Expansion, FormulaId, Interval, Node, Strength};

/// An operator with a window as an until over its operands, or over their negations and negated
/// itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct UntilForm {
    pub(super) direction: Direction,
    pub(super) interval: Interval,
    /// The operand that has to hold until the goal comes; none if nothing has to.
    pub(super) kept: Option<FormulaId>,
    /// The operand that is waited for.
    pub(super) goal: FormulaId,
    /// The value where the window ends before the goal came.
    pub(super) strength: Strength,
    /// Whether operands and the whole are negated.
    pub(super) is_negated: bool,
}

impl UntilForm {
    /// The form of an operator, if it has a window.
    pub(super) fn of(node: Node) -> Option<Self> {
        let direction = node.direction()?;
        let interval = node.interval()?;
        let (kept, goal, strength, is_negated) = match node {
            Node::Eventually(_, _, f) => (None, f, Strength::Strong, false),
            Node::Always(_, _, f) => (None, f, Strength::Strong, true),
            Node::Binary(op, _, _, f, g) => of_binary(op, f, g),
            _ => return None,
        };
        Some(Self { direction, interval, kept, goal, strength, is_negated })
    }
}

/// `f R g` is `!(!f U !g)`, and `f M g` is `!(!f W !g)`.
fn of_binary(op: BinaryOp, f: FormulaId, g: FormulaId) -> (Option<FormulaId>, FormulaId, Strength, bool) {
    match op.expansion() {
        Expansion::Until => (Some(f), g, op.strength(), false),
        Expansion::Release => (Some(f), g, op.strength().dual(), true),
    }
}
