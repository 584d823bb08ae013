//! What a formula comes to: parts that look ahead, and when each of them is asked.
//!
//! Whatever speaks of the past and the present alone is known in the state itself (*now*); all else
//! is known *late*. Two things keep what has to be remembered small.
//!
//! *A part is asked only where it matters.* In `G(p -> F[0,9] q)` nobody asks for `F[0,9] q` where
//! p does not hold. Where nobody asks, a part tells the *neutral* value, which is that of its
//! surroundings: then a disjunction below an always is nothing but its late part, asked where the
//! rest fails, and so is a conjunction below an eventually.
//!
//! *At the top nothing matters but the first failure.* A conjunction there is that of its parts,
//! and an always with a bound asks its operand wherever the past operator of the same bound holds
//! of what it was asked itself. Nobody wants to know which position it was, so that of all who wait
//! for the same one is enough ([`Watch`], [`Keep::Decisive`]).

use super::join::Join;
use super::lagging::{Lagging, OPERANDS};
use super::scan::{Keep, Scan};
use super::watch::{Ready, Watch};
use super::{LateId, Operand, SourceId};
use crate::past::Past;
use rustc_hash::FxHashMap;
use traceward_logic::formula::{BinaryOp, Direction, Expansion, FormulaId, Formulas, Interval, Node, Strength, Unit};

/// A formula as parts; what is known now stands there as a formula.
#[derive(Debug)]
pub(super) struct Draft {
    /// The formulas, with those that tell when parts are asked.
    pub formulas: Formulas,
    /// The parts, operands before operators.
    pub parts: Vec<DraftPart>,
    /// The part of each source.
    pub sources: Vec<LateId>,
    pub goal: Goal<FormulaId>,
}

/// A part that looks ahead.
#[derive(Debug)]
pub(super) struct DraftPart {
    /// The formula that it tells the truth of.
    pub formula: FormulaId,
    pub ask: Ask<FormulaId>,
    pub kind: Kind<FormulaId>,
}

/// The operators.
#[derive(Clone, Debug)]
pub(super) enum Kind<N> {
    Scan(Scan<N>),
    Join(Join<N>),
    Lagging(Lagging<N>),
}

/// When a part is asked: where a formula holds, and, below an operator, as long as somebody waits
/// there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Ask<N> {
    pub source: Option<SourceId>,
    pub guard: N,
}

/// What the parts have to show.
#[derive(Clone, Debug)]
pub(super) enum Goal<N> {
    /// That none of some formulas ever holds, no operator at the top fails, and none of some parts
    /// ever tells false.
    Nothing { failures: Vec<N>, watches: Vec<Watch<N>>, sinks: Vec<LateId> },
    /// That a part is true at position 0.
    First(LateId),
}

/// The parts that there may be, for each formula, before all of them are asked everywhere.
const PARTS_PER_FORMULA: usize = 4;

/// Where parts are asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Demand {
    /// Only where it matters, which may be a different place each time that a formula occurs.
    WhereItMatters,
    /// Everywhere, so that each formula is one part.
    Everywhere,
}

/// Too many parts were made.
struct TooMany;

type Key = (FormulaId, Ask<FormulaId>, bool, Keep);

struct Planner {
    formulas: Formulas,
    looks_ahead: FxHashMap<FormulaId, bool>,
    demand: Demand,
    most: usize,
    parts: Vec<DraftPart>,
    places: FxHashMap<Key, LateId>,
    sources: Vec<LateId>,
    failures: Vec<FormulaId>,
    watches: Vec<Watch<FormulaId>>,
    sinks: Vec<LateId>,
}

/// The parts of a formula in negation normal form. Where too many would be asked where it matters,
/// all are asked everywhere.
pub(super) fn plan(formulas: &Formulas, root: FormulaId, demand: Demand) -> Draft {
    let mut planner = Planner::new(formulas, root, demand);
    if demand == Demand::Everywhere || planner.plan_root(root).is_err() {
        planner = Planner::new(formulas, root, Demand::Everywhere);
        let planned = planner.plan_first(root);
        assert!(planned.is_ok(), "a formula has as many parts as it has operators");
    }
    let Planner { formulas, parts, sources, failures, watches, sinks, demand, .. } = planner;
    let goal = match (demand, &sinks[..]) {
        (Demand::Everywhere, [first]) => Goal::First(*first),
        _ => Goal::Nothing { failures, watches, sinks },
    };
    Draft { formulas, parts, sources, goal }
}

/// The formula that holds at position 0 only. It is written as no formula in normal form is, so
/// that it can be told from what a formula itself says of the beginning.
pub(super) fn first_position(formulas: &mut Formulas) -> FormulaId {
    let always = formulas.constant(true);
    let never = formulas.intern(Node::Not(always));
    formulas.intern(Node::Next(Direction::Past, Strength::Weak, never))
}

/// The operands of conjunctions or disjunctions inside each other.
fn flattened(formulas: &Formulas, root: FormulaId, parts: impl Fn(Node) -> Option<[FormulaId; 2]>) -> Vec<FormulaId> {
    let (mut open, mut all) = (vec![root], Vec::new());
    while let Some(formula) = open.pop() {
        match parts(formulas.node(formula)) {
            Some([f, g]) => open.extend([g, f]),
            None => all.push(formula),
        }
    }
    all
}

fn conjuncts(node: Node) -> Option<[FormulaId; 2]> {
    if let Node::And(f, g) = node { Some([f, g]) } else { None }
}

fn disjuncts(node: Node) -> Option<[FormulaId; 2]> {
    if let Node::Or(f, g) = node { Some([f, g]) } else { None }
}

impl Planner {
    fn new(formulas: &Formulas, root: FormulaId, demand: Demand) -> Self {
        let parts = formulas.parts(&[root]);
        let mut looks_ahead = FxHashMap::default();
        for &part in &parts {
            let node = formulas.node(part);
            let is_ahead = node.direction() == Some(Direction::Future);
            let ahead = is_ahead || node.children().any(|child| looks_ahead[&child]);
            looks_ahead.insert(part, ahead);
        }
        let most = match demand {
            Demand::WhereItMatters => PARTS_PER_FORMULA * (parts.len() + 16),
            Demand::Everywhere => usize::MAX,
        };
        Self {
            formulas: formulas.clone(),
            looks_ahead,
            demand,
            most,
            parts: Vec::new(),
            places: FxHashMap::default(),
            sources: Vec::new(),
            failures: Vec::new(),
            watches: Vec::new(),
            sinks: Vec::new(),
        }
    }

    fn is_late(&self, formula: FormulaId) -> bool {
        self.looks_ahead.get(&formula).copied().unwrap_or(false)
    }

    fn plan_root(&mut self, root: FormulaId) -> Result<(), TooMany> {
        let first = self.first_position();
        self.plan_top(root, first)
    }

    fn plan_first(&mut self, root: FormulaId) -> Result<(), TooMany> {
        if !self.is_late(root) {
            return self.plan_root(root);
        }
        let ask = self.everywhere();
        if let Operand::Late(part) = self.operand(root, ask, false)? {
            self.sinks.push(part);
        }
        Ok(())
    }

    fn first_position(&mut self) -> FormulaId {
        first_position(&mut self.formulas)
    }

    fn everywhere(&mut self) -> Ask<FormulaId> {
        Ask { source: None, guard: self.formulas.constant(true) }
    }

    /// Plans what must hold wherever it is asked. All that matters is whether it fails anywhere.
    fn plan_top(&mut self, root: FormulaId, asked: FormulaId) -> Result<(), TooMany> {
        let mut open = vec![(root, asked)];
        while let Some((formula, asked)) = open.pop() {
            self.allow(self.sinks.len() + self.watches.len() + self.failures.len() + open.len())?;
            if !self.is_late(formula) {
                let fails = self.negated(formula);
                let failure = self.formulas.and(asked, fails);
                self.failures.push(failure);
                continue;
            }
            match self.formulas.node(formula) {
                Node::And(f, g) => open.extend([(g, asked), (f, asked)]),
                Node::Or(..) => match self.alternatives(formula, asked) {
                    (asked, late) if late.len() == 1 => open.push((late[0], asked)),
                    (asked, late) => self.plan_choice(formula, &late, asked)?,
                },
                Node::Next(Direction::Future, Strength::Weak, f) => {
                    let before = self.formulas.intern(Node::Next(Direction::Past, Strength::Strong, asked));
                    open.push((f, before));
                }
                Node::Always(Direction::Future, interval, f) => open.push((f, self.once(interval, asked))),
                _ => self.plan_sink(formula, asked)?,
            }
        }
        Ok(())
    }

    /// Where an operator of this window looks at, if it is asked where a formula holds.
    fn once(&mut self, interval: Interval, asked: FormulaId) -> FormulaId {
        let first = self.first_position();
        match self.formulas.node(asked) {
            _ if asked == first && interval.from == 0 && interval.to.is_none() => self.formulas.constant(true),
            Node::Eventually(Direction::Past, Interval::ALL, _) if interval.is_all() => asked,
            Node::Constant(true) if interval.from == 0 => asked,
            _ => self.formulas.intern(Node::Eventually(Direction::Past, interval, asked)),
        }
    }

    fn plan_sink(&mut self, formula: FormulaId, guard: FormulaId) -> Result<(), TooMany> {
        let node = self.formulas.node(formula);
        if node.direction() == Some(Direction::Future) && !node.children().any(|child| self.is_late(child)) {
            let watch = self.watch(formula, guard);
            self.watches.push(watch);
            return Ok(());
        }
        let ask = Ask { source: None, guard };
        let sink = match node.direction() {
            Some(Direction::Future) => self.scan(formula, ask, true, Keep::Decisive)?,
            _ => match self.operand(formula, ask, true)? {
                Operand::Late(part) => part,
                Operand::Now(_) | Operand::Constant(_) => unreachable!("what is late is a part"),
            },
        };
        self.sinks.push(sink);
        Ok(())
    }

    /// An operator at the top whose operands are known now.
    fn watch(&mut self, formula: FormulaId, guard: FormulaId) -> Watch<FormulaId> {
        let Shape { window, rule, closing, left, right } = self.shape(formula);
        let left = left.unwrap_or_else(|| self.formulas.constant(idle(rule).0));
        Watch { formula, guard, window, rule, closing, left, right, ready: Ready::default() }
    }

    fn known_now(&self, formula: FormulaId) -> Operand<FormulaId> {
        match self.formulas.node(formula) {
            Node::Constant(bit) => Operand::Constant(bit),
            _ => Operand::Now(formula),
        }
    }

    fn plan_choice(&mut self, formula: FormulaId, late: &[FormulaId], guard: FormulaId) -> Result<(), TooMany> {
        let ask = Ask { source: None, guard };
        let operands = late.iter().map(|&part| self.operand(part, ask, true)).collect::<Result<_, _>>()?;
        let sink = self.join(formula, ask, Join { decisive: true, operands })?;
        self.sinks.push(sink);
        Ok(())
    }

    /// The late operands of a disjunction, and where they are asked: where the others fail.
    fn alternatives(&mut self, formula: FormulaId, asked: FormulaId) -> (FormulaId, Vec<FormulaId>) {
        let (now, late) = self.parted(formula, disjuncts);
        (now.into_iter().fold(asked, |asked, one| self.and_not(asked, one)), late)
    }

    /// The operands that are known now, and those that are known late.
    fn parted(
        &self,
        formula: FormulaId,
        parts: impl Fn(Node) -> Option<[FormulaId; 2]>,
    ) -> (Vec<FormulaId>, Vec<FormulaId>) {
        flattened(&self.formulas, formula, parts).into_iter().partition(|&part| !self.is_late(part))
    }

    fn negated(&mut self, formula: FormulaId) -> FormulaId {
        self.formulas.not(formula)
    }

    fn and_not(&mut self, asked: FormulaId, formula: FormulaId) -> FormulaId {
        let fails = self.negated(formula);
        self.formulas.and(asked, fails)
    }

    /// A formula as an operand, asked like this. Where it is not asked it tells the neutral value.
    fn operand(
        &mut self,
        formula: FormulaId,
        ask: Ask<FormulaId>,
        neutral: bool,
    ) -> Result<Operand<FormulaId>, TooMany> {
        if !self.is_late(formula) {
            return Ok(self.known_now(formula));
        }
        match self.formulas.node(formula) {
            Node::And(..) => self.choice(formula, ask, neutral, false),
            Node::Or(..) => self.choice(formula, ask, neutral, true),
            node if node.direction() == Some(Direction::Past) => self.lagging(formula, ask, neutral),
            _ => Ok(Operand::Late(self.scan(formula, ask, neutral, Keep::All)?)),
        }
    }

    /// A conjunction or disjunction with a late operand. `decisive` is the value that settles it.
    fn choice(
        &mut self,
        formula: FormulaId,
        ask: Ask<FormulaId>,
        neutral: bool,
        decisive: bool,
    ) -> Result<Operand<FormulaId>, TooMany> {
        let key = (formula, ask, neutral, Keep::All);
        if let Some(&part) = self.places.get(&key) {
            return Ok(Operand::Late(part));
        }
        let (now, late) = self.parted(formula, if decisive { disjuncts } else { conjuncts });
        let below = now.iter().fold(ask, |ask, &one| self.where_open(ask, one, decisive));
        if let ([only], true) = (&late[..], neutral == decisive && self.demand == Demand::WhereItMatters) {
            // Where the others settle it, and where it is not asked, the neutral value is right.
            return self.operand(*only, below, neutral);
        }
        let mut operands = Vec::new();
        if neutral != decisive || self.demand == Demand::Everywhere {
            // What is settled by the others has to be told, but only where it is asked.
            operands.extend(now.iter().map(|&one| Operand::Now(self.where_asked(ask, one, neutral))));
        }
        for &part in &late {
            operands.push(self.operand(part, below, neutral)?);
        }
        let part = self.join(formula, ask, Join { decisive, operands })?;
        self.places.insert(key, part);
        Ok(Operand::Late(part))
    }

    /// Where an operand that is known now leaves a conjunction or disjunction open.
    fn where_open(&mut self, ask: Ask<FormulaId>, operand: FormulaId, decisive: bool) -> Ask<FormulaId> {
        if self.demand == Demand::Everywhere {
            return ask;
        }
        let is_open = if decisive { self.negated(operand) } else { operand };
        Ask { guard: self.formulas.and(ask.guard, is_open), ..ask }
    }

    /// An operand that is known now, with the neutral value where it is not asked.
    fn where_asked(&mut self, ask: Ask<FormulaId>, operand: FormulaId, neutral: bool) -> FormulaId {
        if neutral {
            let unasked = self.negated(ask.guard);
            self.formulas.or(unasked, operand)
        } else {
            self.formulas.and(ask.guard, operand)
        }
    }

    fn join(&mut self, formula: FormulaId, ask: Ask<FormulaId>, join: Join<FormulaId>) -> Result<LateId, TooMany> {
        self.part(DraftPart { formula, ask, kind: Kind::Join(join) })
    }

    /// An operator of the past over something late. It looks at all positions before the one where
    /// it is asked, and tells the truth wherever it is known.
    fn lagging(
        &mut self,
        formula: FormulaId,
        ask: Ask<FormulaId>,
        neutral: bool,
    ) -> Result<Operand<FormulaId>, TooMany> {
        let everywhere = self.everywhere();
        let place = (formula, everywhere, false, Keep::All);
        let part = match self.places.get(&place) {
            Some(&part) => part,
            None => {
                let node = self.formulas.node(formula);
                let (past, root) = Past::operator(node, &OPERANDS);
                let unit = node.interval().map_or(Unit::Steps, |interval| interval.unit);
                let operands =
                    node.children().map(|child| self.operand(child, everywhere, false)).collect::<Result<_, _>>()?;
                let kind = Kind::Lagging(Lagging { past, root, unit, operands });
                let part = self.part(DraftPart { formula, ask: everywhere, kind })?;
                self.places.insert(place, part);
                part
            }
        };
        if ask.guard == everywhere.guard || self.demand == Demand::Everywhere {
            return Ok(Operand::Late(part));
        }
        let (decisive, guard) = match neutral {
            true => (true, self.negated(ask.guard)),
            false => (false, ask.guard),
        };
        let operands = vec![Operand::Now(guard), Operand::Late(part)];
        Ok(Operand::Late(self.join(formula, ask, Join { decisive, operands })?))
    }

    /// An operator that looks ahead.
    fn scan(&mut self, formula: FormulaId, ask: Ask<FormulaId>, neutral: bool, keep: Keep) -> Result<LateId, TooMany> {
        let key = (formula, ask, neutral, keep);
        if let Some(&part) = self.places.get(&key) {
            return Ok(part);
        }
        let Shape { window, rule, closing, left, right } = self.shape(formula);
        let below = match self.demand {
            Demand::WhereItMatters => {
                let source = SourceId(self.sources.len() as u32);
                self.sources.push(LateId(u32::MAX));
                Ask { source: Some(source), ..self.everywhere() }
            }
            Demand::Everywhere => self.everywhere(),
        };
        let (idle_left, idle_right) = idle(rule);
        let of_left = if self.is_late(right) { below } else { self.where_open(below, right, rule == Expansion::Until) };
        let left = match left {
            Some(left) => self.operand(left, of_left, idle_left)?,
            None => Operand::Constant(idle_left),
        };
        let right = self.operand(right, below, idle_right)?;
        let kind = Kind::Scan(Scan { window, rule, closing, neutral, keep, left, right });
        let part = self.part(DraftPart { formula, ask, kind })?;
        if let Some(source) = below.source {
            self.sources[source.index()] = part;
        }
        self.places.insert(key, part);
        Ok(part)
    }

    /// An operator as its window, and what settles it there.
    fn shape(&self, formula: FormulaId) -> Shape {
        let node = self.formulas.node(formula);
        let closing = node.strength().is_some_and(Strength::holds);
        let window = node.interval().unwrap_or(Interval::steps(1, Some(1)));
        let (rule, left, right) = match node {
            Node::Next(_, Strength::Strong, f) | Node::Eventually(_, _, f) => (Expansion::Until, None, f),
            Node::Next(_, Strength::Weak, f) | Node::Always(_, _, f) => (Expansion::Release, None, f),
            Node::Binary(op, _, _, f, g) => (BinaryOp::expansion(op), Some(f), g),
            _ => unreachable!("only temporal operators look ahead"),
        };
        Shape { window, rule, closing, left, right }
    }

    fn part(&mut self, part: DraftPart) -> Result<LateId, TooMany> {
        self.allow(self.parts.len())?;
        self.parts.push(part);
        Ok(LateId(self.parts.len() as u32 - 1))
    }

    fn allow(&self, count: usize) -> Result<(), TooMany> {
        if count < self.most { Ok(()) } else { Err(TooMany) }
    }
}

/// The values of both operands that settle nothing: those are neutral.
fn idle(rule: Expansion) -> (bool, bool) {
    match rule {
        Expansion::Until => (true, false),
        Expansion::Release => (false, true),
    }
}

/// A temporal operator: its window, and what settles it there.
struct Shape {
    window: Interval,
    rule: Expansion,
    closing: bool,
    left: Option<FormulaId>,
    right: FormulaId,
}
