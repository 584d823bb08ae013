//! The operators with a bound in time of a formula in negation normal form, taken out of it.
//!
//! Each becomes a *literal*: where the formula needs the operator it *claims* it, by a proposition
//! of its own, and what the operator asks of its operands is told by *helps*, which hold only where
//! the operands do. The formula that is left is untimed, and everything about time is a matter of
//! positions at which there are claims and helps.
//!
//! Nothing is lost by this: where only atoms are negated, claiming more or helping less never makes
//! a formula true.

use rustc_hash::FxHashMap;
use traceward_logic::expr::Expr;
use traceward_logic::formula::{BinaryOp, Direction, FormulaId, Formulas, Interval, Node, Strength, Unit};
use traceward_logic::pass;
use traceward_logic::trace::VariableId;

/// An operator with a bound in time, as the search sees it.
#[derive(Clone, Debug)]
pub(super) struct Literal {
    pub(super) direction: Direction,
    /// Whether the operator asks for something in its window, or for something throughout.
    pub(super) strength: Strength,
    pub(super) window: Window,
    /// Where the operator is claimed.
    pub(super) claim: Help,
    /// The operand that has to come, or to stay.
    pub(super) help: Help,
    /// What settles a window that opens later, beside `help`: in the future the whole operator
    /// without its bound, asked at the first position of the window; in the past the operand that
    /// `S` owes, or that releases from `T`.
    pub(super) other: Help,
}

impl Literal {
    /// `H` as `G`: to claim that g has held in a window is that whoever denies g denies all claims
    /// in the window behind.
    fn turned(self) -> Self {
        Self { direction: Direction::Future, claim: self.help.denied(), help: self.claim.denied(), ..self }
    }
}

/// An operator with a bound in time, as it stood in the formula.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Operator {
    direction: Direction,
    strength: Strength,
    window: Window,
    /// The operands f and g; `F g` is `true U g`, and `G g` is `false R g`.
    operands: [FormulaId; 2],
}

impl Operator {
    /// Whether the operator is `F`, `G`, or one of their mirror images.
    fn is_unary(self, formulas: &Formulas) -> bool {
        formulas.node(self.operands[0]) == Node::Constant(self.strength == Strength::Strong)
    }
}

/// The window of an operator, in nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Window {
    /// Up to a distance.
    Near(i64),
    /// From a distance on, for operators of one operand.
    Far(i64),
    /// From a distance on, up to another one if there is one.
    Between(i64, Option<i64>),
}

impl Window {
    fn longest(self) -> i64 {
        self.numbers().max().unwrap_or(0)
    }

    /// The distances at which the window begins and, if it does, ends.
    pub(super) fn ends(self) -> (i64, Option<i64>) {
        match self {
            Self::Near(to) => (0, Some(to)),
            Self::Far(from) => (from, None),
            Self::Between(from, to) => (from, to),
        }
    }

    fn is_within(self, other: Self) -> bool {
        let ((from, to), (others_from, others_to)) = (self.ends(), other.ends());
        others_from <= from && others_to.is_none_or(|others| to.is_some_and(|to| to <= others))
    }

    /// The numbers that distances are compared with.
    pub(super) fn numbers(self) -> impl Iterator<Item = i64> {
        let (one, other) = match self {
            Self::Near(number) | Self::Far(number) => (number, None),
            Self::Between(from, to) => (from, to),
        };
        std::iter::once(one).chain(other)
    }
}

/// Where an operand is known to hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Help {
    /// Everywhere, or nowhere.
    Constant(bool),
    /// Where an atom holds, or where it does not.
    Atom(FormulaId, bool),
}

impl Help {
    fn denied(self) -> Self {
        match self {
            Self::Constant(bit) => Self::Constant(!bit),
            Self::Atom(atom, holds) => Self::Atom(atom, !holds),
        }
    }
}

/// The number of nanoseconds up to which bounds are computed with: more than two years.
const LONGEST: u64 = 1 << 56;

/// A formula without bounds in time, and the literals that were taken out of it.
pub(super) struct Untimed {
    pub(super) root: FormulaId,
    pub(super) literals: Vec<Literal>,
}

impl Untimed {
    /// Takes the bounds in time out of a formula in negation normal form; none if a bound is too
    /// long.
    pub(super) fn of(formulas: &mut Formulas, root: FormulaId) -> Option<Self> {
        let parts = formulas.parts(&[root]);
        let is_short = |interval: Interval| {
            interval.unit == Unit::Steps || interval.from <= LONGEST && interval.to.is_none_or(|to| to <= LONGEST)
        };
        if !parts.iter().filter_map(|part| formulas.node(*part).interval()).all(is_short) {
            return None;
        }
        let mut taking = Taking {
            fresh: fresh(formulas),
            helps: FxHashMap::default(),
            laws: Vec::new(),
            literals: Vec::new(),
            operators: Vec::new(),
            formulas,
        };
        let mut taken: FxHashMap<FormulaId, FormulaId> = FxHashMap::default();
        for part in parts {
            let node = taking.formulas.node(part).map(|below| taken[&below]);
            let without = taking.without_time(node);
            taken.insert(part, without);
        }
        taking.exclude();
        let Taking { laws, literals, formulas, .. } = taking;
        let mut all = formulas.constant(true);
        for law in laws {
            all = formulas.and(all, law);
        }
        let always = formulas.intern(Node::Always(Direction::Future, Interval::ALL, all));
        Some(Self { root: formulas.and(taken[&root], always), literals })
    }

    /// The longest distance that anything is compared with.
    pub(super) fn longest(&self) -> i64 {
        self.literals.iter().map(|literal| literal.window.longest()).max().unwrap_or(0)
    }
}

/// The number of a variable that no atom speaks of.
fn fresh(formulas: &Formulas) -> u32 {
    let mut fresh = 0;
    for atom in formulas.atoms() {
        atom.for_each_variable(&mut |variable| fresh = fresh.max(variable.0 + 1));
    }
    fresh
}

struct Taking<'a> {
    formulas: &'a mut Formulas,
    /// The number of a variable that is not in use.
    fresh: u32,
    helps: FxHashMap<FormulaId, Help>,
    /// What holds at every position.
    laws: Vec<FormulaId>,
    literals: Vec<Literal>,
    /// The operators, each with the atom that stands for it now.
    operators: Vec<(Operator, FormulaId)>,
}

impl Taking<'_> {
    fn without_time(&mut self, node: Node) -> FormulaId {
        match node.interval() {
            Some(Interval { unit: Unit::Time, from, to }) => match to {
                None if from == 0 => self.formulas.intern(with_interval(node, Interval::ALL)),
                Some(to) if from == 0 => self.near(node, to as i64),
                _ => self.later(node, from as i64, to.map(|to| to as i64)),
            },
            _ => self.formulas.intern(node),
        }
    }

    /// An operator whose window opens at once. What a binary one asks beside its window's end is
    /// what it asks without a bound: the first g within the bound is the first g.
    fn near(&mut self, node: Node, to: i64) -> FormulaId {
        let window = Window::Near(to);
        let unbounded = self.formulas.intern(with_interval(node, Interval::ALL));
        match node {
            Node::Binary(op, direction, _, f, g) => match op {
                BinaryOp::Until => {
                    let within = self.unary(direction, Strength::Strong, window, g);
                    self.formulas.and(unbounded, within)
                }
                BinaryOp::StrongRelease => {
                    let both = self.formulas.and(f, g);
                    let within = self.unary(direction, Strength::Strong, window, both);
                    self.formulas.and(unbounded, within)
                }
                BinaryOp::Release => {
                    let throughout = self.unary(direction, Strength::Weak, window, g);
                    self.formulas.or(unbounded, throughout)
                }
                BinaryOp::WeakUntil => {
                    let until = Node::Binary(BinaryOp::Until, direction, Interval::ALL, f, g);
                    let until = self.near(until, to);
                    let throughout = self.unary(direction, Strength::Weak, window, f);
                    self.formulas.or(until, throughout)
                }
            },
            other => self.of_one_operand(other, window),
        }
    }

    /// An operator whose window opens later.
    fn later(&mut self, node: Node, from: i64, to: Option<i64>) -> FormulaId {
        let window = Window::Between(from, to);
        match node {
            Node::Binary(op, direction, _, f, g) => match op {
                BinaryOp::Until => self.binary(direction, Strength::Strong, window, [f, g]),
                BinaryOp::StrongRelease => {
                    let both = self.formulas.and(f, g);
                    self.binary(direction, Strength::Strong, window, [g, both])
                }
                BinaryOp::Release => self.binary(direction, Strength::Weak, window, [f, g]),
                BinaryOp::WeakUntil => {
                    let until = self.binary(direction, Strength::Strong, window, [f, g]);
                    let throughout = Node::Always(direction, Interval::ALL, f);
                    let throughout = self.later(throughout, from, to);
                    self.formulas.or(until, throughout)
                }
            },
            other => self.of_one_operand(other, if to.is_none() { Window::Far(from) } else { window }),
        }
    }

    fn of_one_operand(&mut self, node: Node, window: Window) -> FormulaId {
        match node {
            Node::Eventually(direction, _, f) => self.unary(direction, Strength::Strong, window, f),
            Node::Always(direction, _, f) => self.unary(direction, Strength::Weak, window, f),
            other => self.formulas.intern(other),
        }
    }

    fn unary(&mut self, direction: Direction, strength: Strength, window: Window, f: FormulaId) -> FormulaId {
        // `F g` is `true U g`, and `G g` is `false R g`.
        let first = self.formulas.constant(strength == Strength::Strong);
        self.literal(Operator { direction, strength, window, operands: [first, f] }, first)
    }

    fn binary(
        &mut self,
        direction: Direction,
        strength: Strength,
        window: Window,
        [f, g]: [FormulaId; 2],
    ) -> FormulaId {
        let op = if strength == Strength::Strong { BinaryOp::Until } else { BinaryOp::Release };
        let other = match direction {
            Direction::Future => self.formulas.intern(Node::Binary(op, direction, Interval::ALL, f, g)),
            Direction::Past => f,
        };
        self.literal(Operator { direction, strength, window, operands: [f, g] }, other)
    }

    /// Adds that an operator and its negation are never claimed together. The search would find
    /// that out as well, unless it has to forget some claims.
    fn exclude(&mut self) {
        let operators = self.operators.clone();
        let of = |strength| operators.iter().filter(move |(operator, _)| operator.strength == strength);
        for (strong, claim) in of(Strength::Strong) {
            let opposite = strong.operands.map(|operand| self.formulas.not(operand));
            let opposite = pass::negation_normal_form(self.formulas, &opposite);
            let is_unary = strong.is_unary(self.formulas);
            let is_denial = |(weak, _): &&(Operator, FormulaId)| {
                let covers = strong.window == weak.window || is_unary && strong.window.is_within(weak.window);
                covers && weak.direction == strong.direction && weak.operands[..] == opposite[..]
            };
            for (_, denial) in of(Strength::Weak).filter(is_denial) {
                let both = self.formulas.and(*claim, *denial);
                let law = self.formulas.not(both);
                self.laws.push(law);
            }
        }
    }

    /// The atom that claims an operator, beside whose operand `other` settles its window.
    fn literal(&mut self, operator: Operator, other: FormulaId) -> FormulaId {
        if let Some((_, known)) = self.operators.iter().find(|(known, _)| *known == operator) {
            return *known;
        }
        let atom = self.fresh_atom();
        self.operators.push((operator, atom));
        let Operator { direction, strength, window, operands: [_, g] } = operator;
        let (claim, help, other) = (Help::Atom(atom, true), self.help(g), self.help(other));
        let literal = Literal { direction, strength, window, claim, help, other };
        let looks_back = direction == Direction::Past && strength == Strength::Weak;
        self.literals.push(if looks_back && operator.is_unary(self.formulas) { literal.turned() } else { literal });
        atom
    }

    /// What tells where an operand holds: the operand itself if it is an atom, and otherwise a new
    /// atom that implies it.
    fn help(&mut self, operand: FormulaId) -> Help {
        let atom = |formulas: &Formulas, f| matches!(formulas.node(f), Node::Atom(_));
        match self.formulas.node(operand) {
            Node::Constant(bit) => return Help::Constant(bit),
            Node::Atom(_) => return self.itself(operand, true),
            Node::Not(f) if atom(self.formulas, f) => return self.itself(f, false),
            _ => {}
        }
        if let Some(&known) = self.helps.get(&operand) {
            return known;
        }
        let helps = self.fresh_atom();
        let law = self.formulas.implies(helps, operand);
        self.laws.push(law);
        let help = Help::Atom(helps, true);
        self.helps.insert(operand, help);
        help
    }

    /// An atom that is an operand, turned round or not. A law that always holds makes it a part of
    /// the formula that is left, so that letters speak of it.
    fn itself(&mut self, atom: FormulaId, holds: bool) -> Help {
        let law = self.formulas.implies(atom, atom);
        self.laws.push(law);
        Help::Atom(atom, holds)
    }

    fn fresh_atom(&mut self) -> FormulaId {
        self.fresh += 1;
        self.formulas.intern_atom(Expr::Variable(VariableId(self.fresh - 1)))
    }
}

fn with_interval(node: Node, interval: Interval) -> Node {
    match node {
        Node::Eventually(direction, _, f) => Node::Eventually(direction, interval, f),
        Node::Always(direction, _, f) => Node::Always(direction, interval, f),
        Node::Binary(op, direction, _, f, g) => Node::Binary(op, direction, interval, f, g),
        other => other,
    }
}
