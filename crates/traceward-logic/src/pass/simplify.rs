//! Simplification by laws: the table below is what is applied, and what is tested.

use super::pattern::{Bindings, Pattern};
use crate::formula::{Direction, FormulaId, Formulas, Node};
use std::sync::LazyLock;

/// An equivalence that holds at every position of every trace with a state, whatever formulas f, g
/// and h are.
///
/// Used from left to right, which makes a formula smaller, or at least leaves it with fewer
/// temporal operators: that is why simplification ends. Each law stands for its mirror image in
/// time as well.
#[derive(Clone, Copy, Debug)]
pub struct Law {
    /// The formula that is looked for.
    pub left: &'static str,
    /// The formula that takes its place.
    pub right: &'static str,
}

const fn law(left: &'static str, right: &'static str) -> Law {
    Law { left, right }
}

/// Every law that simplification knows. `&` and `|` are matched in both orders.
pub const LAWS: &[Law] = &[
    // constants and repetition
    law("!true", "false"),
    law("!false", "true"),
    law("!!f", "f"),
    law("f & true", "f"),
    law("f & false", "false"),
    law("f & f", "f"),
    law("f & !f", "false"),
    law("f | true", "true"),
    law("f | false", "f"),
    law("f | f", "f"),
    law("f | !f", "true"),
    law("f & (f | g)", "f"),
    law("f | (f & g)", "f"),
    law("f & (!f | g)", "f & g"),
    law("f | (!f & g)", "f | g"),
    // operators over constants; X true and WX false say where the trace ends, and stay
    law("X false", "false"),
    law("WX true", "true"),
    law("F true", "true"),
    law("F false", "false"),
    law("G true", "true"),
    law("G false", "false"),
    law("true U f", "F f"),
    law("false U f", "f"),
    law("f U true", "true"),
    law("f U false", "false"),
    law("true W f", "true"),
    law("false W f", "f"),
    law("f W true", "true"),
    law("f W false", "G f"),
    law("true R f", "f"),
    law("false R f", "G f"),
    law("f R true", "true"),
    law("f R false", "false"),
    law("true M f", "f"),
    law("false M f", "false"),
    law("f M true", "F f"),
    law("f M false", "false"),
    // an operator applied to itself
    law("F F f", "F f"),
    law("G G f", "G f"),
    law("F G F f", "G F f"),
    law("G F G f", "F G f"),
    law("f U f", "f"),
    law("f W f", "f"),
    law("f R f", "f"),
    law("f M f", "f"),
    law("f U (f U g)", "f U g"),
    law("(f U g) U g", "f U g"),
    law("f R (f R g)", "f R g"),
    law("!f U f", "F f"),
    law("!f W f", "true"),
    law("!f R f", "G f"),
    // one operator inside another
    law("F (f U g)", "F g"),
    law("f U F g", "F g"),
    law("G (f R g)", "G g"),
    law("f R G g", "G g"),
    law("G (f W g)", "G (f | g)"),
    law("F (f M g)", "F (f & g)"),
    // negations on both sides of an operator
    law("!X !f", "WX f"),
    law("!WX !f", "X f"),
    law("!F !f", "G f"),
    law("!G !f", "F f"),
    law("!(!f U !g)", "f R g"),
    law("!(!f R !g)", "f U g"),
    law("!(!f W !g)", "f M g"),
    law("!(!f M !g)", "f W g"),
    // neighbours
    law("f & G f", "G f"),
    law("f | G f", "f"),
    law("f & F f", "f"),
    law("f | F f", "F f"),
    law("F f & G f", "G f"),
    law("F f | G f", "F f"),
    law("X f & X g", "X (f & g)"),
    law("X f | X g", "X (f | g)"),
    law("WX f & WX g", "WX (f & g)"),
    law("WX f | WX g", "WX (f | g)"),
    law("G f & G g", "G (f & g)"),
    law("F f | F g", "F (f | g)"),
    law("g & (f U g)", "g"),
    law("g | (f U g)", "f U g"),
    law("g & (f R g)", "f R g"),
    law("g | (f R g)", "g"),
    // windows of this position alone
    law("F[0,0] f", "f"),
    law("G[0,0] f", "f"),
    law("f U[0,0] g", "g"),
    law("f R[0,0] g", "g"),
    law("f W[0,0] g", "f | g"),
];

/// The laws, ready to be applied.
#[derive(Clone, Debug)]
pub struct Simplifier {
    rules: &'static [Rule],
}

/// The laws, each read once.
static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| LAWS.iter().map(Rule::new).collect());

/// A law that has been read.
#[derive(Debug)]
struct Rule {
    top: Top,
    left: Pattern,
    right: Pattern,
}

impl Rule {
    fn new(law: &Law) -> Self {
        let [left, right] = [law.left, law.right].map(Pattern::read);
        Self { top: Top::of_pattern(&left), left, right }
    }
}

/// The kind of operator at the top of a formula: most laws need not be tried on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Top {
    None,
    Not,
    And,
    Or,
    Next,
    Eventually,
    Always,
    Binary,
}

impl Top {
    fn of(node: Node) -> Self {
        match node {
            Node::Constant(_) | Node::Atom(_) => Self::None,
            Node::Not(_) => Self::Not,
            Node::And(..) => Self::And,
            Node::Or(..) => Self::Or,
            Node::Next(..) => Self::Next,
            Node::Eventually(..) => Self::Eventually,
            Node::Always(..) => Self::Always,
            Node::Binary(..) => Self::Binary,
        }
    }

    fn of_pattern(pattern: &Pattern) -> Self {
        match pattern {
            Pattern::Constant(_) | Pattern::Any(_) => Self::None,
            Pattern::Not(_) => Self::Not,
            Pattern::And(_) => Self::And,
            Pattern::Or(_) => Self::Or,
            Pattern::Next(..) => Self::Next,
            Pattern::Eventually(..) => Self::Eventually,
            Pattern::Always(..) => Self::Always,
            Pattern::Binary(..) => Self::Binary,
        }
    }
}

impl Default for Simplifier {
    fn default() -> Self {
        Self::new()
    }
}

impl Simplifier {
    /// The laws of the table.
    pub fn new() -> Self {
        Self { rules: &RULES }
    }

    /// Simpler formulas that are equivalent on every trace with a state. Their atoms must have been
    /// split.
    pub fn simplify(&self, formulas: &mut Formulas, roots: &[FormulaId]) -> Vec<FormulaId> {
        super::rebuild(formulas, roots, |formulas, part, done| {
            let node = formulas.node(part).map(done);
            self.normalised(formulas, node)
        })
    }

    /// The formula of this node, whose operands are simplified already.
    fn normalised(&self, formulas: &mut Formulas, node: Node) -> FormulaId {
        let formula = formulas.intern(node);
        let top = Top::of(node);
        for rule in self.rules.iter().filter(|rule| rule.top == top) {
            for direction in [Direction::Past, Direction::Future] {
                let mut bindings = Bindings::default();
                if rule.left.matches(direction, formulas, formula, &mut bindings) {
                    return rule.right.build(direction, &bindings, &mut |node| self.normalised(formulas, node));
                }
            }
        }
        formula
    }
}
