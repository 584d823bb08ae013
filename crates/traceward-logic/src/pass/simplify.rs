//! Simplification by laws: the table below is what is applied, and what is tested.

use super::split_atoms;
use crate::formula::{AtomId, FormulaId, Formulas, Node};
use crate::lower::{self, Claim, Declarations, Goal};
use crate::parse;
use crate::{diagnostic::SourceId, expr::Expr};
use rustc_hash::FxHashMap;
use std::sync::{LazyLock, OnceLock};

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
    laws: &'static [UnreadLaw],
}

/// The laws, each read once, and not before a formula has its operator: to read them all takes many
/// times as long as to check a short trace.
static UNREAD: LazyLock<Vec<UnreadLaw>> = LazyLock::new(|| LAWS.iter().map(UnreadLaw::new).collect());

/// A law that is read when it may apply.
#[derive(Debug)]
struct UnreadLaw {
    law: &'static Law,
    top: Top,
    /// The law and its mirror image, once it was read.
    rules: OnceLock<[Rule; 2]>,
}

impl UnreadLaw {
    fn new(law: &'static Law) -> Self {
        Self { law, top: Top::of_text(law.left), rules: OnceLock::new() }
    }

    fn rules(&self) -> &[Rule; 2] {
        self.rules.get_or_init(|| {
            let rule = Rule::new(self.law);
            [rule.mirrored(), rule]
        })
    }
}

/// The kind of operator at the top of a formula.
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

    /// That of the text of a law, which has no more than one operator between two formulas outside
    /// of parentheses.
    fn of_text(text: &str) -> Self {
        let mut depth = 0;
        for word in text.split(' ') {
            match word.split('[').next() {
                Some("&") if depth == 0 => return Self::And,
                Some("|") if depth == 0 => return Self::Or,
                Some("U" | "W" | "R" | "M") if depth == 0 => return Self::Binary,
                _ => {}
            }
            depth += word.matches('(').count();
            depth -= word.matches(')').count();
        }
        match text.split([' ', '[', '!']).next() {
            Some("") => Self::Not,
            Some("X" | "WX") => Self::Next,
            Some("F") => Self::Eventually,
            Some("G") => Self::Always,
            _ => Self::None,
        }
    }
}

/// A law over an arena of its own, in which the atoms stand for formulas.
#[derive(Clone, Debug)]
struct Rule {
    patterns: Formulas,
    left: FormulaId,
    right: FormulaId,
}

impl Default for Simplifier {
    fn default() -> Self {
        Self::new()
    }
}

impl Simplifier {
    /// The laws of the table.
    pub fn new() -> Self {
        Self { laws: &UNREAD }
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
        let top = Top::of(formulas.node(formula));
        for rule in self.laws.iter().filter(|law| law.top == top).flat_map(UnreadLaw::rules) {
            let mut bindings = FxHashMap::default();
            if rule.matches(rule.left, formulas, formula, &mut bindings) {
                return self.build(rule, rule.right, formulas, &bindings);
            }
        }
        formula
    }

    fn build(&self, rule: &Rule, pattern: FormulaId, formulas: &mut Formulas, bindings: &Bindings) -> FormulaId {
        match rule.patterns.node(pattern) {
            Node::Atom(variable) => bindings[&variable],
            node => {
                let node = node.map(|below| self.build(rule, below, formulas, bindings));
                self.normalised(formulas, node)
            }
        }
    }
}

type Bindings = FxHashMap<AtomId, FormulaId>;

impl Rule {
    fn new(law: &Law) -> Self {
        let mut patterns = Formulas::new();
        let [left, right] = [law.left, law.right].map(|text| read_pattern(text, &mut patterns));
        Self { patterns, left, right }
    }

    /// The same law with past and future exchanged.
    fn mirrored(&self) -> Self {
        let mut patterns = self.patterns.clone();
        let roots = super::mirrored(&mut patterns, &[self.left, self.right]);
        Self { patterns, left: roots[0], right: roots[1] }
    }

    fn matches(&self, pattern: FormulaId, formulas: &Formulas, formula: FormulaId, bindings: &mut Bindings) -> bool {
        let mut both = |[p, q]: [FormulaId; 2], [f, g]: [FormulaId; 2]| {
            let before = bindings.clone();
            let matched = self.matches(p, formulas, f, bindings) && self.matches(q, formulas, g, bindings);
            if !matched {
                *bindings = before;
            }
            matched
        };
        match (self.patterns.node(pattern), formulas.node(formula)) {
            (Node::Atom(variable), _) => *bindings.entry(variable).or_insert(formula) == formula,
            (Node::Constant(left), Node::Constant(right)) => left == right,
            (Node::Not(p), Node::Not(f)) => self.matches(p, formulas, f, bindings),
            (Node::And(p, q), Node::And(f, g)) | (Node::Or(p, q), Node::Or(f, g)) => {
                both([p, q], [f, g]) || both([p, q], [g, f])
            }
            (Node::Next(d, s, p), Node::Next(e, t, f)) => d == e && s == t && self.matches(p, formulas, f, bindings),
            (Node::Eventually(d, i, p), Node::Eventually(e, k, f)) | (Node::Always(d, i, p), Node::Always(e, k, f)) => {
                d == e && i == k && self.matches(p, formulas, f, bindings)
            }
            (Node::Binary(o, d, i, p, q), Node::Binary(u, e, k, f, g)) => {
                o == u && d == e && i == k && both([p, q], [f, g])
            }
            _ => false,
        }
    }
}

/// Reads one side of a law into the arena; f, g and h become the first three atoms whichever come
/// first in the text.
fn read_pattern(text: &str, patterns: &mut Formulas) -> FormulaId {
    let spec = parse::spec(SourceId::default(), text).expect("laws are well-formed");
    let lowered = lower::lower(&[(spec, Goal::Check)], &Declarations::default(), None).expect("laws are formulas");
    let Claim::Formula(root) = lowered.properties[0].claim else { unreachable!("laws are formulas") };
    let mut own = lowered.formulas.clone();
    let root = split_atoms(&mut own, &[root])[0];
    let names = lowered.variables.names();
    let mut copied: FxHashMap<FormulaId, FormulaId> = FxHashMap::default();
    for part in own.parts(&[root]) {
        let copy = match own.node(part) {
            Node::Atom(atom) => match own.atom(atom) {
                Expr::Variable(id) => {
                    let place = ["f", "g", "h"].iter().position(|name| **name == *names[id.index()]);
                    let place = place.expect("laws speak of f, g and h") as u32;
                    patterns.intern_atom(Expr::Variable(crate::trace::VariableId(place)))
                }
                _ => unreachable!("laws speak of formulas only"),
            },
            node => patterns.intern(node.map(|below| copied[&below])),
        };
        copied.insert(part, copy);
    }
    copied[&root]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_a_law_tells_its_operator() {
        for law in UNREAD.iter() {
            for rule in law.rules() {
                assert_eq!(law.top, Top::of(rule.patterns.node(rule.left)), "{}", law.law.left);
            }
            assert_ne!(law.top, Top::None, "{}", law.law.left);
        }
    }
}
