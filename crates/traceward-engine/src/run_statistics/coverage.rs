//! Coverage in terms of the formula: which parts of it never mattered.

use super::Covered;
use crate::automaton::alternating::Alternating;
use traceward_logic::bitmap::Bitmap;
use traceward_logic::formula::{AtomId, FormulaId, Formulas, Node};

/// A part of a formula that no accepting run had to visit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unused {
    /// The part.
    pub formula: FormulaId,
    /// The atom that never held, if that is why the part was not visited: in `request -> F grant`
    /// without a request, the atom `request`.
    pub never_held: Option<AtomId>,
}

/// The largest parts of a formula in negation normal form of which no node is covered. `holds`
/// tells where an atom does.
pub fn unused(
    formulas: &Formulas,
    root: FormulaId,
    automaton: &Alternating,
    covered: &Covered,
    holds: &dyn Fn(AtomId) -> Bitmap,
) -> Vec<Unused> {
    let visited = visited_parts(formulas, root, automaton, covered);
    let mut found = Vec::new();
    let mut seen = vec![false; formulas.len()];
    let mut open = vec![root];
    while let Some(part) = open.pop() {
        if std::mem::replace(&mut seen[part.index()], true) {
            continue;
        }
        let children: Vec<FormulaId> = match formulas.node(part) {
            // The atom below a negation has no node of its own.
            Node::Not(_) => Vec::new(),
            node => node.children().collect(),
        };
        for &child in &children {
            let beside = children.iter().copied().find(|other| *other != child);
            match formulas.node(part) {
                _ if visited[child.index()] || is_connective(formulas, child) => open.push(child),
                // Of two alternatives that would both have done, neither is at fault.
                Node::Or(..) => {
                    let never_held = beside.and_then(|other| never_held(formulas, other, holds));
                    let other_did = beside.is_some_and(|other| visited[other.index()]);
                    if never_held.is_some() || other_did {
                        found.push(Unused { formula: child, never_held });
                    }
                }
                _ => found.push(Unused { formula: child, never_held: None }),
            }
        }
    }
    found.sort_by_key(|unused| unused.formula);
    found.dedup();
    found
}

/// Connectives have no nodes: whether they mattered is for their parts to say.
fn is_connective(formulas: &Formulas, part: FormulaId) -> bool {
    matches!(formulas.node(part), Node::And(..) | Node::Or(..))
}

/// The atom of a negated literal among some alternatives, if it holds nowhere.
fn never_held(formulas: &Formulas, alternatives: FormulaId, holds: &dyn Fn(AtomId) -> Bitmap) -> Option<AtomId> {
    let mut open = vec![alternatives];
    while let Some(part) = open.pop() {
        match formulas.node(part) {
            Node::Or(f, g) => open.extend([g, f]),
            Node::Not(inner) => {
                if let Node::Atom(atom) = formulas.node(inner)
                    && holds(atom).count_ones() == 0
                {
                    return Some(atom);
                }
            }
            _ => {}
        }
    }
    None
}

/// For each part, whether one of its nodes is covered.
fn visited_parts(formulas: &Formulas, root: FormulaId, automaton: &Alternating, covered: &Covered) -> Vec<bool> {
    let mut own = vec![false; formulas.len()];
    for id in automaton.node_ids() {
        own[automaton.node(id).formula.index()] |= covered.contains(id);
    }
    for part in formulas.parts(&[root]) {
        let below = formulas.node(part).children().any(|child| own[child.index()]);
        own[part.index()] |= below;
    }
    own
}
