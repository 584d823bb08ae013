//! Patterns: formulas over f, g and h, which stand for any formulas.
//!
//! They are read by a few lines of their own and not as a spec is: to read the laws by all of the
//! language took half of a run of the program on a short trace. Tests hold both ways against each
//! other.

use crate::formula::{BinaryOp, Direction, FormulaId, Formulas, Interval, Node, Strength};

/// A formula over f, g and h. Its operators are those of the future; matched in the other
/// direction, they stand for those of the past.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Pattern {
    Constant(bool),
    /// f, g or h, by its number.
    Any(usize),
    Not(Box<Self>),
    And(Box<[Self; 2]>),
    Or(Box<[Self; 2]>),
    Next(Strength, Box<Self>),
    Eventually(Interval, Box<Self>),
    Always(Interval, Box<Self>),
    Binary(BinaryOp, Interval, Box<[Self; 2]>),
}

/// What f, g and h stand for, as far as it is known.
pub(super) type Bindings = [Option<FormulaId>; 3];

impl Pattern {
    /// Reads a pattern. Between two formulas there is one operator, unless there are parentheses.
    ///
    /// # Panics
    /// If the text is no pattern: laws are part of the program.
    pub(super) fn read(text: &str) -> Self {
        let mut reader = Reader { rest: text };
        let pattern = reader.formula();
        assert!(reader.rest.is_empty(), "`{text}` is more than a pattern");
        pattern
    }

    /// Whether a formula is of this form, in a direction; what f, g and h stand for is noted.
    pub(super) fn matches(
        &self,
        direction: Direction,
        formulas: &Formulas,
        formula: FormulaId,
        bindings: &mut Bindings,
    ) -> bool {
        let both = |[p, q]: [&Self; 2], [f, g]: [FormulaId; 2], bindings: &mut Bindings| {
            let before = *bindings;
            let matched = p.matches(direction, formulas, f, bindings) && q.matches(direction, formulas, g, bindings);
            if !matched {
                *bindings = before;
            }
            matched
        };
        match (self, formulas.node(formula)) {
            (Self::Any(place), _) => *bindings[*place].get_or_insert(formula) == formula,
            (Self::Constant(left), Node::Constant(right)) => *left == right,
            (Self::Not(p), Node::Not(f)) => p.matches(direction, formulas, f, bindings),
            (Self::And(below), Node::And(f, g)) | (Self::Or(below), Node::Or(f, g)) => {
                let [p, q] = &**below;
                both([p, q], [f, g], bindings) || both([p, q], [g, f], bindings)
            }
            (Self::Next(s, p), Node::Next(d, t, f)) => {
                d == direction && *s == t && p.matches(direction, formulas, f, bindings)
            }
            (Self::Eventually(i, p), Node::Eventually(d, k, f)) | (Self::Always(i, p), Node::Always(d, k, f)) => {
                d == direction && *i == k && p.matches(direction, formulas, f, bindings)
            }
            (Self::Binary(o, i, below), Node::Binary(u, d, k, f, g)) => {
                let [p, q] = &**below;
                *o == u && d == direction && *i == k && both([p, q], [f, g], bindings)
            }
            _ => false,
        }
    }

    /// The formula of this form, in a direction, made part by part.
    pub(super) fn build(
        &self,
        direction: Direction,
        bindings: &Bindings,
        make: &mut impl FnMut(Node) -> FormulaId,
    ) -> FormulaId {
        let mut below = |pattern: &Self| pattern.build(direction, bindings, make);
        let node = match self {
            Self::Any(place) => {
                return bindings[*place].unwrap_or_else(|| unreachable!("what a law is made of, it has found"));
            }
            Self::Constant(value) => Node::Constant(*value),
            Self::Not(f) => Node::Not(below(f)),
            Self::And(both) => Node::And(below(&both[0]), below(&both[1])),
            Self::Or(both) => Node::Or(below(&both[0]), below(&both[1])),
            Self::Next(strength, f) => Node::Next(direction, *strength, below(f)),
            Self::Eventually(interval, f) => Node::Eventually(direction, *interval, below(f)),
            Self::Always(interval, f) => Node::Always(direction, *interval, below(f)),
            Self::Binary(op, interval, both) => {
                Node::Binary(*op, direction, *interval, below(&both[0]), below(&both[1]))
            }
        };
        make(node)
    }
}

/// Reads a pattern from left to right.
struct Reader<'t> {
    rest: &'t str,
}

impl Reader<'_> {
    /// Takes a word, if it is next.
    fn takes(&mut self, word: &str) -> bool {
        let rest = self.rest.strip_prefix(word);
        self.rest = rest.unwrap_or(self.rest).trim_ascii_start();
        rest.is_some()
    }

    /// The window behind an operator.
    fn window(&mut self) -> Interval {
        if self.takes("[0,0]") { Interval::steps(0, Some(0)) } else { Interval::ALL }
    }

    fn formula(&mut self) -> Pattern {
        let left = self.operand();
        if self.takes("&") {
            return Pattern::And(Box::new([left, self.operand()]));
        }
        if self.takes("|") {
            return Pattern::Or(Box::new([left, self.operand()]));
        }
        let op = ["U", "W", "R", "M"].into_iter().position(|word| self.takes(word));
        match op {
            Some(op) => Pattern::Binary(BinaryOp::ALL[op], self.window(), Box::new([left, self.operand()])),
            None => left,
        }
    }

    fn operand(&mut self) -> Pattern {
        if let Some(value) = [true, false].into_iter().find(|value| self.takes(if *value { "true" } else { "false" })) {
            return Pattern::Constant(value);
        }
        if let Some(place) = ["f", "g", "h"].into_iter().position(|name| self.takes(name)) {
            return Pattern::Any(place);
        }
        if self.takes("(") {
            let inner = self.formula();
            assert!(self.takes(")"), "a parenthesis is open before `{}`", self.rest);
            return inner;
        }
        self.unary()
    }

    fn unary(&mut self) -> Pattern {
        let operand = |reader: &mut Self| Box::new(reader.operand());
        match () {
            () if self.takes("!") => Pattern::Not(operand(self)),
            () if self.takes("X") => Pattern::Next(Strength::Strong, operand(self)),
            () if self.takes("WX") => Pattern::Next(Strength::Weak, operand(self)),
            () if self.takes("F") => Pattern::Eventually(self.window(), operand(self)),
            () if self.takes("G") => Pattern::Always(self.window(), operand(self)),
            () => unreachable!("no formula begins with `{}`", self.rest),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::SourceId;
    use crate::expr::Expr;
    use crate::lower::{self, Claim, Declarations, Goal};
    use crate::parse;
    use crate::pass::{LAWS, mirrored, split_atoms};

    /// A pattern read as a formula of the language.
    fn by_the_language(text: &str) -> (Formulas, FormulaId, Vec<String>) {
        let spec = parse::spec(SourceId::default(), text).unwrap();
        let lowered = lower::lower(&[(spec, Goal::Check)], &Declarations::default(), None).unwrap();
        let Claim::Formula(root) = lowered.properties[0].claim else { panic!("`{text}` is no formula") };
        let mut formulas = lowered.formulas.clone();
        let root = split_atoms(&mut formulas, &[root])[0];
        let names = lowered.variables.names().iter().map(ToString::to_string).collect();
        (formulas, root, names)
    }

    fn pattern_of(formulas: &Formulas, names: &[String], formula: FormulaId) -> Pattern {
        let below = |f| pattern_of(formulas, names, f);
        match formulas.node(formula) {
            Node::Constant(value) => Pattern::Constant(value),
            Node::Atom(atom) => {
                let Expr::Variable(id) = formulas.atom(atom) else { panic!("laws speak of formulas only") };
                Pattern::Any(["f", "g", "h"].iter().position(|name| *name == names[id.index()]).unwrap())
            }
            Node::Not(f) => Pattern::Not(Box::new(below(f))),
            Node::And(f, g) => Pattern::And(Box::new([below(f), below(g)])),
            Node::Or(f, g) => Pattern::Or(Box::new([below(f), below(g)])),
            Node::Next(Direction::Future, strength, f) => Pattern::Next(strength, Box::new(below(f))),
            Node::Eventually(Direction::Future, interval, f) => Pattern::Eventually(interval, Box::new(below(f))),
            Node::Always(Direction::Future, interval, f) => Pattern::Always(interval, Box::new(below(f))),
            Node::Binary(op, Direction::Future, interval, f, g) => {
                Pattern::Binary(op, interval, Box::new([below(f), below(g)]))
            }
            node => panic!("laws are written of the future: {node:?}"),
        }
    }

    #[test]
    fn patterns_mean_what_they_mean_in_the_language() {
        for text in LAWS.iter().flat_map(|law| [law.left, law.right]) {
            let (formulas, root, names) = by_the_language(text);
            assert_eq!(Pattern::read(text), pattern_of(&formulas, &names, root), "{text}");
        }
    }

    #[test]
    fn patterns_match_themselves_and_are_built_in_both_directions() {
        for text in LAWS.iter().flat_map(|law| [law.left, law.right]) {
            let (mut formulas, root, _) = by_the_language(text);
            let mirror = mirrored(&mut formulas, &[root])[0];
            let pattern = Pattern::read(text);
            for (direction, formula) in [(Direction::Future, root), (Direction::Past, mirror)] {
                let mut bindings = Bindings::default();
                assert!(pattern.matches(direction, &formulas, formula, &mut bindings), "{text}");
                let built = pattern.build(direction, &bindings, &mut |node| formulas.intern(node));
                assert_eq!(built, formula, "{text}");
            }
        }
    }
}
