//! The rules that say what each part of a formula asks of a state, and leaves to the next. They are
//! compiled once and shared by all runs.
//!
//! The formula is written with few operators first: `F G W R M` become until, `WX` next, and the
//! past ones alike, with negations where they fall.

use crate::limit::{Feature, Unsupported};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use traceward_logic::formula::{
    BinaryOp, Direction, Expansion, FormulaId, Formulas, Interval, Node as Operator, Strength, Unit,
};
use traceward_logic::letter::{Alphabet, Proposition};

/// A part of the formula.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct PartId(u32);

impl PartId {
    pub(super) fn new(index: usize) -> Self {
        Self(index as u32)
    }

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A part's value at the position before, which a state keeps.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct MemoryId(u32);

impl MemoryId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A part, in terms of smaller parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rule {
    Constant(bool),
    Proposition(Proposition),
    Not(PartId),
    And(PartId, PartId),
    Or(PartId, PartId),
    /// `X f`
    Next(PartId),
    /// `f U[from, from + reach] g`; `body` is `f U g`.
    Until {
        body: PartId,
        left: PartId,
        right: PartId,
        from: u32,
        reach: Reach,
    },
    /// The value of a part at the position before; false at the first.
    Before(MemoryId),
    /// `right | (left & before)`
    Since {
        left: PartId,
        right: PartId,
        before: Option<MemoryId>,
    },
}

/// The number of steps that are left.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Reach(u32);

impl Reach {
    /// Steps without an end.
    pub(crate) const ENDLESS: Self = Self(u32::MAX);

    /// The number of steps that a place in a chain stands for.
    pub(crate) fn of_place(place: u32) -> Self {
        Self(place)
    }

    /// More reach is easier to satisfy: a chain of variables.
    pub(crate) fn place(self) -> u32 {
        self.0
    }

    /// One step less; none if there is none left.
    pub(crate) fn shorter(self) -> Option<Self> {
        if self == Self::ENDLESS { Some(self) } else { self.0.checked_sub(1).map(Self) }
    }

    /// The number of steps, unless it is endless.
    pub(crate) fn steps(self) -> Option<u32> {
        (self != Self::ENDLESS).then_some(self.0)
    }
}

/// The parts of a formula with their rules.
#[derive(Clone, Debug)]
pub(crate) struct Rules {
    /// The formula, written with few operators.
    pub(crate) formulas: Formulas,
    /// For each part, the formula it stands for.
    pub(crate) formula_of: Vec<FormulaId>,
    /// For each part its rule; parts before wholes.
    pub(crate) rules: Vec<Rule>,
    pub(crate) root: PartId,
    /// What every letter satisfies.
    pub(crate) possible: Option<PartId>,
    /// What is remembered from one state to the next.
    pub(crate) remembered: Vec<PartId>,
    /// For each part, what memory it and all that may become of it depend on.
    pub(crate) depends: Vec<MemorySet>,
    /// Which parts may be owed at the next position.
    pub(crate) owed: Vec<bool>,
    pub(crate) propositions: u32,
}

/// A set of memories.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(crate) struct MemorySet(Vec<u64>);

impl MemorySet {
    fn of(count: usize) -> Self {
        Self(vec![0; count.div_ceil(64)])
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    pub(crate) fn has(&self, memory: MemoryId) -> bool {
        self.0[memory.index() / 64] >> (memory.index() % 64) & 1 == 1
    }

    fn insert(&mut self, memory: MemoryId) {
        self.0[memory.index() / 64] |= 1 << (memory.index() % 64);
    }

    /// Takes another's members; whether that made a difference.
    pub(crate) fn unite(&mut self, other: &Self) -> bool {
        let mut grew = false;
        for (word, more) in self.0.iter_mut().zip(&other.0) {
            grew |= more & !*word != 0;
            *word |= more;
        }
        grew
    }
}

/// Past bounds are unrolled: each step of one is a memory of its own.
const MOST_MEMORIES: usize = 10_000;

const ENGINE: &str = "observer";

fn unsupported(what: Feature) -> Unsupported {
    Unsupported { engine: ENGINE, what, instead: "reverse" }
}

impl Rules {
    /// Compiles a formula with split atoms.
    pub(crate) fn new(
        formulas: &Formulas,
        alphabet: &Alphabet,
        root: FormulaId,
        possible: Option<FormulaId>,
    ) -> Result<Self, Unsupported> {
        let mut core = Core::default();
        let root = core.rewrite(formulas, root)?;
        let possible = possible.map(|possible| core.rewrite(formulas, possible)).transpose()?;
        let propositions = alphabet_of_core(formulas, alphabet, &core);
        core.number(&propositions, root, possible, alphabet.letter_len() as u32)
    }

    /// The text that says that a part holds, or that it does not, in the operators that a person
    /// would use.
    pub(crate) fn text(&self, part: PartId, holds: bool, names: &[Arc<str>]) -> String {
        let mut readable = Formulas::new();
        let mut done: FxHashMap<FormulaId, FormulaId> = FxHashMap::default();
        let root = self.formula_of[part.index()];
        for part in self.formulas.parts(&[root]) {
            let written = match self.formulas.node(part) {
                Operator::Atom(atom) => readable.intern_atom(self.formulas.atom(atom).clone()),
                Operator::Not(f) => negated(&mut readable, done[&f]),
                Operator::Binary(BinaryOp::Until, direction, interval, f, g) => {
                    let node = match self.formulas.node(f) {
                        Operator::Constant(true) => Operator::Eventually(direction, interval, done[&g]),
                        _ => Operator::Binary(BinaryOp::Until, direction, interval, done[&f], done[&g]),
                    };
                    readable.intern(node)
                }
                node => readable.intern(node.map(|below| done[&below])),
            };
            done.insert(part, written);
        }
        let root = if holds { done[&root] } else { negated(&mut readable, done[&root]) };
        readable.display(root, names).to_string()
    }

    pub(crate) fn rule(&self, part: PartId) -> Rule {
        self.rules[part.index()]
    }

    /// The ids of the parts, smaller parts before those that are made of them.
    pub(crate) fn parts(&self) -> impl Iterator<Item = PartId> + use<> {
        (0..self.rules.len() as u32).map(PartId)
    }

    /// The memory of a number.
    pub(crate) fn memory(&self, number: usize) -> MemoryId {
        MemoryId(number as u32)
    }

    /// The empty set of memories.
    pub(crate) fn no_memory(&self) -> MemorySet {
        MemorySet::of(self.remembered.len())
    }

    /// Whether a repeated letter never makes a difference: nothing counts steps.
    pub(crate) fn is_stutter_invariant(&self) -> bool {
        self.rules.iter().all(|rule| match rule {
            Rule::Next(_) | Rule::Before(_) => false,
            Rule::Until { from, reach, .. } => *from == 0 && *reach == Reach::ENDLESS,
            // The only memory of an unbounded since is itself.
            Rule::Since { before, .. } => before.is_some_and(|memory| {
                matches!(self.rule(self.remembered[memory.index()]), Rule::Since { before: Some(same), .. } if same == memory)
            }),
            _ => true,
        })
    }
}

/// `!f`, with the dual of a temporal operator where that takes a negation away.
fn negated(formulas: &mut Formulas, f: FormulaId) -> FormulaId {
    match formulas.node(f) {
        Operator::Eventually(direction, interval, g) => {
            let not_g = formulas.not(g);
            formulas.intern(Operator::Always(direction, interval, not_g))
        }
        Operator::Next(direction, Strength::Strong, g) => {
            let not_g = formulas.not(g);
            formulas.intern(Operator::Next(direction, Strength::Weak, not_g))
        }
        _ => formulas.not(f),
    }
}

/// The atoms of the new arena are those of the old one, interned anew.
fn alphabet_of_core(formulas: &Formulas, alphabet: &Alphabet, core: &Core) -> FxHashMap<FormulaId, Proposition> {
    let mut propositions = FxHashMap::default();
    for &(proposition, atom) in alphabet.atoms() {
        let old = formulas.atom(atom);
        let new = core.atoms.get(old);
        propositions.extend(new.map(|&id| (id, proposition)));
    }
    propositions
}

/// A formula written with negation, conjunction, disjunction, strong next and until, and their
/// past.
#[derive(Default)]
struct Core {
    formulas: Formulas,
    atoms: FxHashMap<traceward_logic::expr::Expr, FormulaId>,
    /// For each until the one without a bound.
    unbounded: FxHashMap<FormulaId, FormulaId>,
}

impl Core {
    fn rewrite(&mut self, formulas: &Formulas, root: FormulaId) -> Result<FormulaId, Unsupported> {
        let mut done: FxHashMap<FormulaId, FormulaId> = FxHashMap::default();
        for part in formulas.parts(&[root]) {
            let written = match formulas.node(part) {
                Operator::Constant(bit) => self.formulas.constant(bit),
                Operator::Atom(atom) => {
                    let expr = formulas.atom(atom);
                    let id = self.formulas.intern_atom(expr.clone());
                    self.atoms.insert(expr.clone(), id);
                    id
                }
                Operator::Not(f) => self.formulas.not(done[&f]),
                Operator::And(f, g) => self.formulas.and(done[&f], done[&g]),
                Operator::Or(f, g) => self.formulas.or(done[&f], done[&g]),
                Operator::Next(direction, strength, f) => self.next(direction, strength, done[&f]),
                Operator::Eventually(direction, interval, f) => {
                    let yes = self.formulas.constant(true);
                    self.until(direction, interval, yes, done[&f])?
                }
                Operator::Always(direction, interval, f) => {
                    let (yes, not_f) = (self.formulas.constant(true), self.formulas.not(done[&f]));
                    let fails = self.until(direction, interval, yes, not_f)?;
                    self.formulas.not(fails)
                }
                Operator::Binary(op, direction, interval, f, g) => {
                    self.binary(op, direction, interval, done[&f], done[&g])?
                }
            };
            done.insert(part, written);
        }
        Ok(done[&root])
    }

    fn next(&mut self, direction: Direction, strength: Strength, f: FormulaId) -> FormulaId {
        match strength {
            Strength::Strong => self.formulas.intern(Operator::Next(direction, Strength::Strong, f)),
            Strength::Weak => {
                let not_f = self.formulas.not(f);
                let strong = self.formulas.intern(Operator::Next(direction, Strength::Strong, not_f));
                self.formulas.not(strong)
            }
        }
    }

    fn binary(
        &mut self,
        op: BinaryOp,
        direction: Direction,
        interval: Interval,
        f: FormulaId,
        g: FormulaId,
    ) -> Result<FormulaId, Unsupported> {
        match (op.strength(), op.expansion()) {
            (Strength::Strong, Expansion::Until) => self.until(direction, interval, f, g),
            (Strength::Strong, Expansion::Release) => {
                let both = self.formulas.and(f, g);
                self.until(direction, interval, g, both)
            }
            // Its dual is strong.
            (Strength::Weak, _) => {
                let (not_f, not_g) = (self.formulas.not(f), self.formulas.not(g));
                let fails = self.binary(op.dual(), direction, interval, not_f, not_g)?;
                Ok(self.formulas.not(fails))
            }
        }
    }

    fn until(
        &mut self,
        direction: Direction,
        interval: Interval,
        f: FormulaId,
        g: FormulaId,
    ) -> Result<FormulaId, Unsupported> {
        if interval.unit == Unit::Time {
            return Err(unsupported(Feature::BoundsInTime));
        }
        let fits = |end: u64| end < u64::from(u32::MAX);
        if !fits(interval.from) || interval.to.is_some_and(|to| !fits(to)) {
            return Err(unsupported(Feature::VastBounds));
        }
        let operator = |interval| Operator::Binary(BinaryOp::Until, direction, interval, f, g);
        match direction {
            Direction::Past => self.unroll(interval, &operator),
            Direction::Future => {
                let endless = self.formulas.intern(operator(Interval::ALL));
                let id = self.formulas.intern(operator(interval));
                self.unbounded.insert(id, endless);
                // An unbounded until is its own body.
                self.unbounded.insert(endless, endless);
                Ok(id)
            }
        }
    }

    /// Interns the values that a past operator with a bound had one step ago, two steps ago, and so
    /// on.
    fn unroll(
        &mut self,
        interval: Interval,
        operator: &dyn Fn(Interval) -> Operator,
    ) -> Result<FormulaId, Unsupported> {
        let longest = interval.to.unwrap_or(interval.from);
        if longest > MOST_MEMORIES as u64 {
            return Err(unsupported(Feature::LongPastBounds));
        }
        let mut earlier = Vec::new();
        let mut one = Some(interval);
        while let Some(interval) = one {
            earlier.push(interval);
            one = one_step_ago(interval).filter(|earlier| *earlier != interval);
        }
        earlier
            .into_iter()
            .rev()
            .map(|interval| self.formulas.intern(operator(interval)))
            .last()
            .ok_or_else(|| unsupported(Feature::EmptyInterval))
    }

    fn number(
        self,
        propositions: &FxHashMap<FormulaId, Proposition>,
        root: FormulaId,
        possible: Option<FormulaId>,
        count: u32,
    ) -> Result<Rules, Unsupported> {
        let parts = self.all_parts(root, possible);
        let ids: FxHashMap<FormulaId, PartId> =
            parts.iter().enumerate().map(|(index, part)| (*part, PartId(index as u32))).collect();
        let mut remembered: Vec<PartId> = Vec::new();
        let mut memory_ids: FxHashMap<PartId, MemoryId> = FxHashMap::default();
        let mut remember = |formula: FormulaId| {
            let part = ids[&formula];
            *memory_ids.entry(part).or_insert_with(|| {
                remembered.push(part);
                MemoryId(remembered.len() as u32 - 1)
            })
        };
        let mut rules = Vec::with_capacity(parts.len());
        for &part in &parts {
            rules.push(match self.formulas.node(part) {
                Operator::Constant(bit) => Rule::Constant(bit),
                Operator::Atom(_) => Rule::Proposition(propositions[&part]),
                Operator::Not(f) => Rule::Not(ids[&f]),
                Operator::And(f, g) => Rule::And(ids[&f], ids[&g]),
                Operator::Or(f, g) => Rule::Or(ids[&f], ids[&g]),
                Operator::Next(Direction::Future, _, f) => Rule::Next(ids[&f]),
                Operator::Next(Direction::Past, _, f) => Rule::Before(remember(f)),
                Operator::Binary(_, Direction::Future, interval, f, g) => Rule::Until {
                    body: ids[&self.unbounded[&part]],
                    left: ids[&f],
                    right: ids[&g],
                    from: interval.from as u32,
                    reach: interval.to.map_or(Reach::ENDLESS, |to| Reach((to - interval.from) as u32)),
                },
                Operator::Binary(_, Direction::Past, interval, f, g) => {
                    let before = self.remembered_by(part).map(&mut remember);
                    match before {
                        Some(before) if interval.from > 0 => Rule::Before(before),
                        before => Rule::Since { left: ids[&f], right: ids[&g], before },
                    }
                }
                Operator::Eventually(..) | Operator::Always(..) => unreachable!("rewritten to until"),
            });
        }
        if remembered.len() > MOST_MEMORIES {
            return Err(unsupported(Feature::MuchPast));
        }
        let depends = dependencies(&rules, &remembered);
        let owed = owed(&rules, ids[&root]);
        Ok(Rules {
            root: ids[&root],
            possible: possible.map(|possible| ids[&possible]),
            formula_of: parts,
            formulas: self.formulas,
            rules,
            remembered,
            depends,
            owed,
            propositions: count,
        })
    }

    /// The parts of the formula and those that its operators unfold to.
    fn all_parts(&self, root: FormulaId, possible: Option<FormulaId>) -> Vec<FormulaId> {
        let mut roots: Vec<FormulaId> = possible.into_iter().chain([root]).collect();
        let mut count = 0;
        loop {
            let parts = self.formulas.parts(&roots);
            if parts.len() == count {
                return parts;
            }
            count = parts.len();
            for part in parts {
                roots.extend(self.unbounded.get(&part));
                let mut earlier = self.remembered_by(part).filter(|earlier| *earlier != part);
                while let Some(one) = earlier {
                    roots.push(one);
                    earlier = self.remembered_by(one).filter(|earlier| *earlier != one);
                }
            }
            roots.sort_unstable();
            roots.dedup();
        }
    }

    /// The formula whose value at the position before a past operator needs.
    fn remembered_by(&self, part: FormulaId) -> Option<FormulaId> {
        match self.formulas.node(part) {
            Operator::Next(Direction::Past, _, f) => Some(f),
            Operator::Binary(op, Direction::Past, interval, f, g) => {
                // The formula was interned when the bound was unrolled.
                self.formulas.find(Operator::Binary(op, Direction::Past, one_step_ago(interval)?, f, g))
            }
            _ => None,
        }
    }
}

/// The window of a past operator as it was at the position before; none if nothing of it is left.
fn one_step_ago(interval: Interval) -> Option<Interval> {
    match (interval.from, interval.to) {
        (0, Some(0)) => None,
        (0, to) => Some(Interval { to: to.map(|to| to - 1), ..interval }),
        (from, to) => Some(Interval { from: from - 1, to: to.map(|to| to - 1), ..interval }),
    }
}

/// For each part, the memories it needs now or later.
fn dependencies(rules: &[Rule], remembered: &[PartId]) -> Vec<MemorySet> {
    let mut depends: Vec<MemorySet> = vec![MemorySet::of(remembered.len()); rules.len()];
    if remembered.is_empty() {
        return depends;
    }
    loop {
        let mut grew = false;
        for (index, rule) in rules.iter().enumerate() {
            let mut set = depends[index].clone();
            let mut take = |part: PartId| set.unite(&depends[part.index()]);
            match *rule {
                Rule::Constant(_) | Rule::Proposition(_) => {}
                Rule::Not(f) | Rule::Next(f) => _ = take(f),
                Rule::And(f, g) | Rule::Or(f, g) | Rule::Until { left: f, right: g, .. } => {
                    take(f);
                    take(g);
                }
                Rule::Before(memory) => {
                    take(remembered[memory.index()]);
                    set.insert(memory);
                }
                Rule::Since { left, right, before } => {
                    take(left);
                    take(right);
                    if let Some(memory) = before {
                        set.unite(&depends[remembered[memory.index()].index()]);
                        set.insert(memory);
                    }
                }
            }
            grew |= depends[index].unite(&set);
        }
        if !grew {
            return depends;
        }
    }
}

/// The parts that may be owed. These are the parts that stand under a next, their own parts down to
/// temporal operators, and the root, which is owed at the first position.
fn owed(rules: &[Rule], root: PartId) -> Vec<bool> {
    let mut owed = vec![false; rules.len()];
    owed[root.index()] = true;
    for rule in rules {
        if let Rule::Next(f) = rule {
            owed[f.index()] = true;
        }
    }
    for index in (0..rules.len()).rev() {
        if owed[index] {
            match rules[index] {
                Rule::Not(f) => owed[f.index()] = true,
                Rule::And(f, g) | Rule::Or(f, g) => {
                    owed[f.index()] = true;
                    owed[g.index()] = true;
                }
                _ => {}
            }
        }
    }
    owed
}
