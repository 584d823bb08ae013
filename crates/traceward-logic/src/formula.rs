//! What engines see: a small core, each formula stored once in an arena the caller owns.
//!
//! Children are always interned before their parents, so a loop over ids in order meets every part
//! before the whole: passes need neither recursion nor a visited set.

use crate::expr::Expr;
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt;
use std::sync::Arc;

/// A formula in an arena [`Formulas`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FormulaId(u32);

impl FormulaId {
    /// The id as an index into tables with one entry per formula of the arena.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A boolean expression over one state: an index into [`Formulas::atoms`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct AtomId(u32);

impl AtomId {
    /// The id as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The direction in which a temporal operator looks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Direction {
    /// Towards the end of the trace.
    Future,
    /// Towards its beginning.
    Past,
}

/// The value of a temporal operator where the trace ends before its operand could be met.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Strength {
    /// The operator is false there.
    Strong,
    /// The operator is true there.
    Weak,
}

/// The binary temporal operators of one direction; the past ones are named in brackets.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum BinaryOp {
    /// `f U g` (`S`): g comes, and f holds until then.
    Until,
    /// `f W g` (`B`): `f U g`, or f throughout.
    WeakUntil,
    /// `f R g` (`T`): g holds up to and including the first f, or throughout.
    Release,
    /// `f M g` (no past text): `g U (f & g)`.
    StrongRelease,
}

impl Strength {
    /// Whether an operator of this strength holds where the trace ends before it is settled.
    pub fn holds(self) -> bool {
        self == Self::Weak
    }

    /// The other strength.
    pub fn dual(self) -> Self {
        match self {
            Self::Strong => Self::Weak,
            Self::Weak => Self::Strong,
        }
    }
}

/// The form in which an unbounded binary operator is put together from this position and the
/// neighbouring one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Expansion {
    /// `g | (f & later)`: g settles it, and f keeps it going.
    Until,
    /// `g & (f | later)`: g keeps it going, and f settles it.
    Release,
}

impl BinaryOp {
    /// All binary operators.
    pub const ALL: [Self; 4] = [Self::Until, Self::WeakUntil, Self::Release, Self::StrongRelease];

    /// The strength of the operator: its value where the trace, or its window, ends before it is
    /// settled. That is behind the end in the future, and before the beginning in the past.
    pub fn strength(self) -> Strength {
        match self {
            Self::Until | Self::StrongRelease => Strength::Strong,
            Self::WeakUntil | Self::Release => Strength::Weak,
        }
    }

    /// The form in which the operator is put together. `later` is the operator itself at the
    /// neighbouring position, or its strength if there is none.
    pub fn expansion(self) -> Expansion {
        match self {
            Self::Until | Self::WeakUntil => Expansion::Until,
            Self::Release | Self::StrongRelease => Expansion::Release,
        }
    }

    /// The operator d with `!(f op g) = !f d !g`: expansion and strength are both turned round.
    pub fn dual(self) -> Self {
        match self {
            Self::Until => Self::Release,
            Self::Release => Self::Until,
            Self::WeakUntil => Self::StrongRelease,
            Self::StrongRelease => Self::WeakUntil,
        }
    }
}

/// The unit in which the ends of an interval count.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Unit {
    /// Positions.
    Steps,
    /// Nanoseconds.
    Time,
}

/// The window of a temporal operator, closed at both ends.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Interval {
    /// The unit in which the ends count.
    pub unit: Unit,
    /// The near end.
    pub from: u64,
    /// The far end; none if there is none.
    pub to: Option<u64>,
}

impl Interval {
    /// All of the future or past, this position included.
    pub const ALL: Self = Self { unit: Unit::Steps, from: 0, to: None };

    /// A window in steps.
    pub fn steps(from: u64, to: Option<u64>) -> Self {
        Self { unit: Unit::Steps, from, to }
    }

    /// Whether the interval leaves the operator unbounded.
    pub fn is_all(self) -> bool {
        self == Self::ALL
    }
}

/// The outermost operator of a formula.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Node {
    /// `true`, `false`
    Constant(bool),
    /// A boolean expression over one state.
    Atom(AtomId),
    /// `!f`
    Not(FormulaId),
    /// `f & g`
    And(FormulaId, FormulaId),
    /// `f | g`
    Or(FormulaId, FormulaId),
    /// `X` (strong) and `WX` (weak); `Y` and `Z` in the past.
    Next(Direction, Strength, FormulaId),
    /// `F`; `O` in the past.
    Eventually(Direction, Interval, FormulaId),
    /// `G`; `H` in the past.
    Always(Direction, Interval, FormulaId),
    /// `U W R M`; `S B T` in the past.
    Binary(BinaryOp, Direction, Interval, FormulaId, FormulaId),
}

impl Node {
    /// The formulas directly below.
    pub fn children(self) -> impl Iterator<Item = FormulaId> {
        let (first, second) = match self {
            Self::Constant(_) | Self::Atom(_) => (None, None),
            Self::Not(f) | Self::Next(_, _, f) | Self::Eventually(_, _, f) | Self::Always(_, _, f) => (Some(f), None),
            Self::And(f, g) | Self::Or(f, g) | Self::Binary(_, _, _, f, g) => (Some(f), Some(g)),
        };
        first.into_iter().chain(second)
    }

    /// The same operator over other formulas.
    pub fn map(self, mut to: impl FnMut(FormulaId) -> FormulaId) -> Self {
        match self {
            Self::Constant(_) | Self::Atom(_) => self,
            Self::Not(f) => Self::Not(to(f)),
            Self::And(f, g) => Self::And(to(f), to(g)),
            Self::Or(f, g) => Self::Or(to(f), to(g)),
            Self::Next(direction, strength, f) => Self::Next(direction, strength, to(f)),
            Self::Eventually(direction, interval, f) => Self::Eventually(direction, interval, to(f)),
            Self::Always(direction, interval, f) => Self::Always(direction, interval, to(f)),
            Self::Binary(op, direction, interval, f, g) => Self::Binary(op, direction, interval, to(f), to(g)),
        }
    }

    /// The direction in which the operator looks, if it is a temporal one.
    pub fn direction(self) -> Option<Direction> {
        match self {
            Self::Constant(_) | Self::Atom(_) | Self::Not(_) | Self::And(..) | Self::Or(..) => None,
            Self::Next(direction, ..) | Self::Eventually(direction, ..) | Self::Always(direction, ..) => {
                Some(direction)
            }
            Self::Binary(_, direction, ..) => Some(direction),
        }
    }

    /// The strength of the operator: its value where the trace, or its window, ends before it is
    /// settled. None if it is not temporal.
    pub fn strength(self) -> Option<Strength> {
        match self {
            Self::Constant(_) | Self::Atom(_) | Self::Not(_) | Self::And(..) | Self::Or(..) => None,
            Self::Next(_, strength, _) => Some(strength),
            Self::Eventually(..) => Some(Strength::Strong),
            Self::Always(..) => Some(Strength::Weak),
            Self::Binary(op, ..) => Some(op.strength()),
        }
    }

    /// The operator d with `!op(f, g) = d(!f, !g)`; what is no operator over formulas is its own.
    #[must_use]
    pub fn dual(self) -> Self {
        match self {
            Self::And(f, g) => Self::Or(f, g),
            Self::Or(f, g) => Self::And(f, g),
            Self::Next(direction, strength, f) => Self::Next(direction, strength.dual(), f),
            Self::Eventually(direction, interval, f) => Self::Always(direction, interval, f),
            Self::Always(direction, interval, f) => Self::Eventually(direction, interval, f),
            Self::Binary(op, direction, interval, f, g) => Self::Binary(op.dual(), direction, interval, f, g),
            Self::Constant(_) | Self::Atom(_) | Self::Not(_) => self,
        }
    }

    /// The operator's window, if it has one.
    pub fn interval(self) -> Option<Interval> {
        match self {
            Self::Eventually(_, interval, _) | Self::Always(_, interval, _) | Self::Binary(_, _, interval, ..) => {
                Some(interval)
            }
            _ => None,
        }
    }
}

/// An arena of formulas: structurally equal ones have equal ids.
#[derive(Clone, Debug, Default)]
pub struct Formulas {
    nodes: Vec<Node>,
    /// For each formula, whether a temporal operator is in it.
    temporal: Vec<bool>,
    ids: FxHashMap<Node, FormulaId>,
    atoms: Vec<Expr>,
    atom_ids: FxHashMap<Expr, AtomId>,
}

impl Formulas {
    /// An empty arena.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of formulas. All ids are below it.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether the arena has no formulas.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The outermost operator of a formula.
    pub fn node(&self, id: FormulaId) -> Node {
        self.nodes[id.index()]
    }

    /// Whether a temporal operator is in a formula.
    pub fn is_temporal(&self, id: FormulaId) -> bool {
        self.temporal[id.index()]
    }

    /// The boolean expressions that formulas of this arena are made of.
    pub fn atoms(&self) -> &[Expr] {
        &self.atoms
    }

    /// The expression of an atom.
    pub fn atom(&self, id: AtomId) -> &Expr {
        &self.atoms[id.index()]
    }

    /// The formula as it is, with no law applied.
    ///
    /// # Panics
    /// If the arena holds 2^32 formulas, which memory does not allow.
    pub fn intern(&mut self, node: Node) -> FormulaId {
        if let Some(&id) = self.ids.get(&node) {
            return id;
        }
        debug_assert!(node.children().all(|child| child.index() < self.nodes.len()));
        let id = FormulaId(u32::try_from(self.nodes.len()).expect("fewer than 2^32 formulas"));
        let below = node.children().any(|child| self.temporal[child.index()]);
        self.temporal.push(below || node.direction().is_some());
        self.nodes.push(node);
        self.ids.insert(node, id);
        id
    }

    /// The formula with this outermost operator, if the arena has it.
    pub fn find(&self, node: Node) -> Option<FormulaId> {
        self.ids.get(&node).copied()
    }

    /// The formula that says a boolean expression holds now.
    ///
    /// # Panics
    /// If the arena holds 2^32 atoms, which memory does not allow.
    pub fn intern_atom(&mut self, expr: Expr) -> FormulaId {
        let atom = match self.atom_ids.get(&expr) {
            Some(&atom) => atom,
            None => {
                let atom = AtomId(u32::try_from(self.atoms.len()).expect("fewer than 2^32 atoms"));
                self.atoms.push(expr.clone());
                self.atom_ids.insert(expr, atom);
                atom
            }
        };
        self.intern(Node::Atom(atom))
    }

    /// The atom of an expression, if the arena has it.
    pub fn find_atom(&self, expr: &Expr) -> Option<AtomId> {
        self.atom_ids.get(expr).copied()
    }

    /// `true` or `false`.
    pub fn constant(&mut self, bit: bool) -> FormulaId {
        self.intern(Node::Constant(bit))
    }

    /// `!f`, without a double negation or a negated constant.
    pub fn not(&mut self, f: FormulaId) -> FormulaId {
        match self.node(f) {
            Node::Constant(bit) => self.constant(!bit),
            Node::Not(inner) => inner,
            _ => self.intern(Node::Not(f)),
        }
    }

    /// `f & g`, without constants and repetition.
    pub fn and(&mut self, f: FormulaId, g: FormulaId) -> FormulaId {
        match (self.node(f), self.node(g)) {
            (Node::Constant(true), _) => g,
            (_, Node::Constant(true)) => f,
            (Node::Constant(false), _) => f,
            (_, Node::Constant(false)) => g,
            _ if f == g => f,
            _ => self.intern(Node::And(f, g)),
        }
    }

    /// `f | g`, without constants and repetition.
    pub fn or(&mut self, f: FormulaId, g: FormulaId) -> FormulaId {
        match (self.node(f), self.node(g)) {
            (Node::Constant(false), _) => g,
            (_, Node::Constant(false)) => f,
            (Node::Constant(true), _) => f,
            (_, Node::Constant(true)) => g,
            _ if f == g => f,
            _ => self.intern(Node::Or(f, g)),
        }
    }

    /// `f -> g`, written with the operators of the core.
    pub fn implies(&mut self, f: FormulaId, g: FormulaId) -> FormulaId {
        let not_f = self.intern(Node::Not(f));
        self.intern(Node::Or(not_f, g))
    }

    /// `f <-> g`, written with the operators of the core.
    pub fn iff(&mut self, f: FormulaId, g: FormulaId) -> FormulaId {
        let (not_f, not_g) = (self.intern(Node::Not(f)), self.intern(Node::Not(g)));
        self.either_both([f, g], [not_f, not_g])
    }

    /// `f xor g`, written with the operators of the core.
    pub fn xor(&mut self, f: FormulaId, g: FormulaId) -> FormulaId {
        let (not_f, not_g) = (self.intern(Node::Not(f)), self.intern(Node::Not(g)));
        self.either_both([f, not_g], [not_f, g])
    }

    fn either_both(&mut self, [a, b]: [FormulaId; 2], [c, d]: [FormulaId; 2]) -> FormulaId {
        let one = self.intern(Node::And(a, b));
        let other = self.intern(Node::And(c, d));
        self.intern(Node::Or(one, other))
    }

    /// The formulas that these are made of, each once, parts before wholes. What else is in the
    /// arena is not looked at: a spec of many properties asks for each one's parts.
    pub fn parts(&self, roots: &[FormulaId]) -> Vec<FormulaId> {
        let mut needed: FxHashSet<FormulaId> = roots.iter().copied().collect();
        let mut open: Vec<FormulaId> = needed.iter().copied().collect();
        while let Some(part) = open.pop() {
            open.extend(self.nodes[part.index()].children().filter(|child| needed.insert(*child)));
        }
        let mut parts: Vec<FormulaId> = needed.into_iter().collect();
        // The arena has parts before wholes.
        parts.sort_unstable();
        parts
    }

    /// An arena of these formulas and their parts alone, and the formulas in it.
    pub fn extract(&self, roots: &[FormulaId]) -> (Self, Vec<FormulaId>) {
        self.with_atoms(roots, |atom| self.atom(atom).clone())
    }

    /// An arena of these formulas with other expressions as atoms, and the formulas in it.
    pub fn with_atoms(&self, roots: &[FormulaId], expr: impl Fn(AtomId) -> Expr) -> (Self, Vec<FormulaId>) {
        let mut arena = Self::new();
        let mut copies: FxHashMap<FormulaId, FormulaId> = FxHashMap::default();
        for part in self.parts(roots) {
            let copy = match self.node(part) {
                Node::Atom(atom) => arena.intern_atom(expr(atom)),
                node => arena.intern(node.map(|below| copies[&below])),
            };
            copies.insert(part, copy);
        }
        (arena, roots.iter().map(|root| copies[root]).collect())
    }

    /// The number of operators and atoms of a formula as a tree, up to a limit of `u64`.
    pub fn size(&self, root: FormulaId) -> u64 {
        let mut sizes = vec![0_u64; self.nodes.len()];
        for id in self.parts(&[root]) {
            let below: u64 = self.node(id).children().fold(0, |sum, child| sum.saturating_add(sizes[child.index()]));
            sizes[id.index()] = below.saturating_add(1);
        }
        sizes[root.index()]
    }

    /// The formula as text; `names` are those of the variables. Formulas share their parts, so that
    /// a text may be exponentially longer than the formula: behind ten thousand atoms
    /// it is cut, and says so.
    pub fn display<'a>(&'a self, root: FormulaId, names: &'a [Arc<str>]) -> impl fmt::Display + 'a {
        Display { formulas: self, names, root }
    }
}

/// The strength with which the surroundings of a printed formula bind.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Loose,
    Or,
    And,
    Temporal,
    Prefix,
}

struct Display<'a> {
    formulas: &'a Formulas,
    names: &'a [Arc<str>],
    root: FormulaId,
}

/// A piece of text, or a formula, that is still to be written.
enum Piece {
    Text(&'static str),
    Operator(&'static str, Interval),
    Formula(FormulaId, Binding),
}

impl Display<'_> {
    fn binding(&self, formula: FormulaId) -> Binding {
        match self.formulas.node(formula) {
            Node::Or(..) => Binding::Or,
            Node::And(..) => Binding::And,
            Node::Binary(..) => Binding::Temporal,
            Node::Atom(atom) if !self.formulas.atom(atom).is_operand() => Binding::Loose,
            _ => Binding::Prefix,
        }
    }

    /// The pieces of a formula, first one first.
    fn pieces(&self, formula: FormulaId) -> Vec<Piece> {
        use Direction::{Future, Past};
        let part = |f| Piece::Formula(f, Binding::Prefix);
        match self.formulas.node(formula) {
            Node::Constant(true) => vec![Piece::Text("true")],
            Node::Constant(false) => vec![Piece::Text("false")],
            Node::Atom(_) => Vec::new(),
            Node::Not(f) => vec![Piece::Text("!"), part(f)],
            Node::And(f, g) => self.chain(f, " & ", g, Binding::And),
            Node::Or(f, g) => self.chain(f, " | ", g, Binding::Or),
            Node::Next(direction, strength, f) => {
                let symbol = match (direction, strength) {
                    (Future, Strength::Strong) => "X ",
                    (Future, Strength::Weak) => "WX ",
                    (Past, Strength::Strong) => "Y ",
                    (Past, Strength::Weak) => "Z ",
                };
                vec![Piece::Text(symbol), part(f)]
            }
            Node::Eventually(direction, interval, f) => {
                vec![Piece::Operator(if direction == Future { "F" } else { "O" }, interval), part(f)]
            }
            Node::Always(direction, interval, f) => {
                vec![Piece::Operator(if direction == Future { "G" } else { "H" }, interval), part(f)]
            }
            Node::Binary(op, direction, interval, f, g) => {
                let operator = Piece::Operator(symbol(op, direction), interval);
                // A temporal operator inside another is always bracketed.
                vec![part(f), Piece::Text(" "), operator, part(g)]
            }
        }
    }

    /// `f & g`. A chain to the left needs no brackets, unless it ends in a state formula that g
    /// would be read together with; one to the right does.
    fn chain(&self, f: FormulaId, symbol: &'static str, g: FormulaId, own: Binding) -> Vec<Piece> {
        let is_state = |id: FormulaId| !self.formulas.is_temporal(id);
        let ends_in_state = match (self.formulas.node(f), own) {
            (Node::And(_, last), Binding::And) | (Node::Or(_, last), Binding::Or) => is_state(last) && !is_state(f),
            _ => false,
        };
        let left = if ends_in_state && is_state(g) { Binding::Temporal } else { own };
        vec![Piece::Formula(f, left), Piece::Text(symbol), Piece::Formula(g, own.tighter())]
    }
}

impl Binding {
    fn tighter(self) -> Self {
        match self {
            Self::Loose => Self::Or,
            Self::Or => Self::And,
            Self::And => Self::Temporal,
            Self::Temporal | Self::Prefix => Self::Prefix,
        }
    }
}

/// The number of atoms of a formula that are written: nobody reads more.
const MOST_WRITTEN: u64 = 10_000;

impl Display<'_> {
    fn is_leaf(&self, formula: FormulaId) -> bool {
        self.formulas.node(formula).children().next().is_none()
    }
}

/// With a stack of its own, for formulas of any depth.
impl fmt::Display for Display<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut open = vec![Piece::Formula(self.root, Binding::Loose)];
        let mut written = 0;
        while let Some(piece) = open.pop() {
            match piece {
                Piece::Formula(formula, _) if written == MOST_WRITTEN && self.is_leaf(formula) => {
                    let size = self.formulas.size(self.root);
                    return write!(f, "… (cut: there are {size} operators and atoms)");
                }
                Piece::Text(text) => f.write_str(text)?,
                Piece::Operator(symbol, interval) => write!(f, "{symbol}{} ", Bracket(interval))?,
                Piece::Formula(formula, parent) => {
                    written += u64::from(self.is_leaf(formula));
                    let bracket = self.binding(formula) < parent;
                    f.write_str(if bracket { "(" } else { "" })?;
                    open.extend(bracket.then_some(Piece::Text(")")));
                    match self.formulas.node(formula) {
                        Node::Atom(atom) => write!(f, "{}", self.formulas.atom(atom).display(self.names))?,
                        _ => open.extend(self.pieces(formula).into_iter().rev()),
                    }
                }
            }
        }
        Ok(())
    }
}

/// `U`, `S` and so on; the past of `M`, which the language has no text for, is `MP`.
fn symbol(op: BinaryOp, direction: Direction) -> &'static str {
    match (op, direction) {
        (BinaryOp::Until, Direction::Future) => "U",
        (BinaryOp::WeakUntil, Direction::Future) => "W",
        (BinaryOp::Release, Direction::Future) => "R",
        (BinaryOp::StrongRelease, Direction::Future) => "M",
        (BinaryOp::Until, Direction::Past) => "S",
        (BinaryOp::WeakUntil, Direction::Past) => "B",
        (BinaryOp::Release, Direction::Past) => "T",
        (BinaryOp::StrongRelease, Direction::Past) => "MP",
    }
}

struct Bracket(Interval);

impl fmt::Display for Bracket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_all() { Ok(()) } else { write!(f, "{}", self.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duals_turn_expansion_and_strength_round() {
        for op in BinaryOp::ALL {
            assert_eq!(op.dual().dual(), op);
            assert_eq!(op.dual().strength(), op.strength().dual());
            assert_ne!(op.dual().expansion(), op.expansion());
        }
    }
}
