//! Negation normal form.

use crate::formula::{FormulaId, Formulas, Node};

/// Equivalent formulas in which only atoms are negated.
///
/// Holds on every trace, the empty one included, as every operator has its exact dual.
pub fn negation_normal_form(formulas: &mut Formulas, roots: &[FormulaId]) -> Vec<FormulaId> {
    let parts = formulas.parts(roots);
    let mut forms: Vec<Option<Forms>> = vec![None; formulas.len()];
    for part in parts {
        let below = |f: FormulaId| forms[f.index()].unwrap_or(Forms { positive: f, negative: f });
        let form = both_forms(formulas, part, below);
        forms[part.index()] = Some(form);
    }
    roots.iter().map(|root| forms[root.index()].map_or(*root, |forms| forms.positive)).collect()
}

/// The normal forms of a formula and of its negation.
#[derive(Clone, Copy)]
struct Forms {
    positive: FormulaId,
    negative: FormulaId,
}

fn both_forms(formulas: &mut Formulas, part: FormulaId, below: impl Fn(FormulaId) -> Forms) -> Forms {
    let node = formulas.node(part);
    match node {
        Node::Constant(bit) => Forms { positive: part, negative: formulas.constant(!bit) },
        Node::Atom(_) => Forms { positive: part, negative: formulas.intern(Node::Not(part)) },
        Node::Not(f) => {
            let Forms { positive, negative } = below(f);
            Forms { positive: negative, negative: positive }
        }
        node => Forms {
            positive: formulas.intern(node.map(|f| below(f).positive)),
            negative: formulas.intern(node.dual().map(|f| below(f).negative)),
        },
    }
}
