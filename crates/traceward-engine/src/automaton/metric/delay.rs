//! Delays that overlap: what makes deterministic automata large.

use super::future_parts;
use traceward_logic::formula::{Direction, FormulaId, Formulas, Node};

/// The longest delay that begins anew at every position of a window: 20 for `G(p -> F[20,60] q)`,
/// in which any of the last 20 positions may have asked for a q. A deterministic automaton has to
/// remember which of them did, in up to 2^20 states. Each `X` is a step of a delay.
pub fn overlapping_delay(formulas: &Formulas, root: FormulaId) -> u64 {
    // By the index of the formula: the longest delay in it, and the longest that overlaps.
    let mut delays = vec![0_u64; formulas.len()];
    let mut overlaps = vec![0_u64; formulas.len()];
    for part in future_parts(formulas, root) {
        let node = formulas.node(part);
        if node.direction() == Some(Direction::Past) {
            continue;
        }
        let most = |of: &[u64]| node.children().map(|child| of[child.index()]).max().unwrap_or(0);
        let (below, overlap) = (most(&delays), most(&overlaps));
        let own = match (node, node.interval()) {
            (Node::Next(..), _) => 1,
            (_, Some(interval)) => interval.from,
            _ => 0,
        };
        let repeats = node.interval().is_some_and(|interval| interval.to != Some(interval.from));
        delays[part.index()] = below.saturating_add(own);
        overlaps[part.index()] = if repeats { overlap.max(below) } else { overlap };
    }
    overlaps[root.index()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use traceward_logic::lower::{Claim, Goal};

    #[test]
    fn delays_overlap_where_they_begin_anew() {
        for (formula, expected) in [
            ("G(p -> F[20,60] q)", 20),
            ("F[20,60] q", 0),
            ("G(p -> F[0,60] q)", 0),
            ("G(p -> X X X q)", 3),
            ("X X X q", 0),
            ("F[0,9](p & X G[4,4] (q U[2,3] r))", 7),
            ("G[4,4] F[5,5] q", 0),
            ("(F[3,3] p) U q", 3),
            ("G O[5,9] p", 0),
        ] {
            let lowered = traceward_testkit::lowered(formula, Goal::Check, None, None).expect("a formula");
            let Claim::Formula(root) = lowered.properties[0].claim else { panic!("a formula") };
            assert_eq!(overlapping_delay(&lowered.formulas, root), expected, "{formula}");
        }
    }
}
