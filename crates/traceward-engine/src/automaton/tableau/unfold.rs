//! The unfolding of a temporal formula: what it says here, and what it leaves for the neighbouring
//! position.

use traceward_logic::formula::{Direction, FormulaId, Formulas, Interval, Node, Strength};

/// A temporal formula split into this position and the rest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct TableauUnfolding {
    pub direction: Direction,
    /// Whether the operands are looked at here: the window has opened.
    pub open: bool,
    /// The formula that is asked of the neighbour; none if the window ends here.
    pub rest: Option<FormulaId>,
    /// The value where there is no rest: the window or the trace has ended.
    pub strength: Strength,
}

/// The unfolding of a formula; none if it is not temporal. A bound leaves the same operator with a
/// shorter one.
pub(super) fn unfold(formulas: &mut Formulas, formula: FormulaId) -> Option<TableauUnfolding> {
    let node = formulas.node(formula);
    let direction = node.direction()?;
    let strength = node.strength()?;
    if let Node::Next(_, _, f) = node {
        return Some(TableauUnfolding { direction, open: false, rest: Some(f), strength });
    }
    let Interval { unit, from, to } = node.interval()?;
    let rest = match (from, to) {
        (0, None) => Some(formula),
        (0, Some(0)) => None,
        _ => {
            let shorter = Interval { unit, from: from.saturating_sub(1), to: to.map(|to| to.saturating_sub(1)) };
            Some(formulas.intern(with_interval(node, shorter)))
        }
    };
    Some(TableauUnfolding { direction, open: from == 0, rest, strength })
}

/// An operator with its window replaced.
pub(super) fn with_interval(node: Node, interval: Interval) -> Node {
    match node {
        Node::Eventually(direction, _, f) => Node::Eventually(direction, interval, f),
        Node::Always(direction, _, f) => Node::Always(direction, interval, f),
        Node::Binary(op, direction, _, f, g) => Node::Binary(op, direction, interval, f, g),
        other => other,
    }
}
