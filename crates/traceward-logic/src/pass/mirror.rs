//! Past and future exchanged.

use super::rebuild;
use crate::formula::{Direction, FormulaId, Formulas, Node};

/// The formulas that hold at a position of a trace read backwards where these hold at the same
/// position of the trace read forwards.
pub fn mirrored(formulas: &mut Formulas, roots: &[FormulaId]) -> Vec<FormulaId> {
    rebuild(formulas, roots, |formulas, part, done| {
        let node = turned(formulas.node(part)).map(done);
        formulas.intern(node)
    })
}

fn turned(node: Node) -> Node {
    let turn = |direction| match direction {
        Direction::Future => Direction::Past,
        Direction::Past => Direction::Future,
    };
    match node {
        Node::Next(direction, strength, f) => Node::Next(turn(direction), strength, f),
        Node::Eventually(direction, interval, f) => Node::Eventually(turn(direction), interval, f),
        Node::Always(direction, interval, f) => Node::Always(turn(direction), interval, f),
        Node::Binary(op, direction, interval, f, g) => Node::Binary(op, turn(direction), interval, f, g),
        other => other,
    }
}
