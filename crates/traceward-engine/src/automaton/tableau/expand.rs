//! Expanding the nodes of the tableau: section 4.1, with the states of section 4.2.

use super::claims::{ClaimId, Claims, Pair};
use super::unfold::{self, TableauUnfolding, unfold};
use super::{Edge, Literal, Obligation, State, StateClaim, StateId, gave_up};
use crate::limit::{Budget, BuildError, Limit, Limits};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use traceward_logic::formula::{
    AtomId, Direction, Expansion, FormulaId, Formulas, Interval, Node as Operator, Strength,
};
use traceward_logic::letter::Alphabet;

/// A graph node on the way to becoming a state. Its INCOMING is the one state that is being
/// expanded.
#[derive(Clone, Debug, Default)]
struct Node {
    /// NEW: a stack of the formulas that are still to be looked at.
    new: Vec<FormulaId>,
    /// The formulas that have been looked at, so that none is looked at twice.
    done: FxHashSet<FormulaId>,
    /// OLD: only its literals (section 4.2).
    old: BTreeSet<Literal>,
    /// NEXT: the obligations. A formula that is owed strongly is not owed weakly as well.
    next: BTreeMap<FormulaId, Strength>,
    /// The questions that NEXT may lead to, as far as they have been looked at.
    questions: Questions,
}

/// The questions that some obligations may lead to.
#[derive(Clone, Debug, Default)]
struct Questions {
    /// The number of obligations that there were: NEXT only ever grows.
    owed: usize,
    all: Rc<[ClaimId]>,
    /// The number of questions that are known to be answered.
    answered: usize,
}

impl Node {
    fn owing(new: impl DoubleEndedIterator<Item = FormulaId>) -> Self {
        Self { new: new.rev().collect(), ..Self::default() }
    }

    /// Goes one way of making a formula true; false if that contradicts what the node is already to
    /// make true.
    fn take(&mut self, way: Alternative) -> bool {
        self.new.extend(way.new.into_iter().rev().flatten());
        if let Some(Obligation { formula, strength }) = way.owed {
            let owed = self.next.entry(formula).or_insert(strength);
            *owed = (*owed).min(strength);
        }
        way.literal.is_none_or(|literal| {
            self.old.insert(literal);
            !self.old.contains(&Literal { negated: !literal.negated, ..literal })
        })
    }

    /// Whether a way asks for nothing that the node does not make true anyway.
    fn goes(&self, way: &Alternative) -> bool {
        way.owed.is_none() && way.literal.is_none() && way.new.iter().flatten().all(|part| self.done.contains(part))
    }

    /// The cost of copying the node.
    fn size(&self) -> u64 {
        (self.new.len() + self.done.len() + self.old.len() + self.next.len()) as u64
    }
}

/// One way of making a formula true: a column of the paper's table 1.
#[derive(Clone, Copy, Debug, Default)]
struct Alternative {
    new: [Option<FormulaId>; 2],
    owed: Option<Obligation>,
    literal: Option<Literal>,
}

impl Alternative {
    fn to(new: &[FormulaId]) -> Self {
        Self { new: [new.first().copied(), new.get(1).copied()], ..Self::default() }
    }

    fn of(literal: Option<Literal>) -> Self {
        Self { literal: Some(literal.expect("an atom of the alphabet")), ..Self::default() }
    }
}

/// The rest of a temporal formula.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Rest {
    /// The rest is known to hold or not: the window has ended, or it lies in the past.
    Known(bool),
    /// The rest can be owed.
    Owed(Obligation),
}

/// The key of a state: nodes with equal keys are one state.
type Key = (Vec<Obligation>, Vec<(ClaimId, bool)>);

struct Builder<'a> {
    formulas: Formulas,
    alphabet: &'a Alphabet,
    claims: Claims,
    limits: Limits,
    budget: Budget,
    states: Vec<Key>,
    ids: FxHashMap<Key, StateId>,
    edges: BTreeSet<Edge>,
}

/// The states and edges of the automaton of a formula, with the arena its formulas are in.
pub(super) fn expand(
    formulas: &Formulas,
    alphabet: &Alphabet,
    root: FormulaId,
    limits: Limits,
) -> Result<(Formulas, Vec<State>, BTreeSet<Edge>), BuildError> {
    let mut formulas = formulas.clone();
    let claims = Claims::new(&mut formulas, root, limits)?;
    let builder = Builder {
        formulas,
        alphabet,
        claims,
        limits,
        budget: Budget::new(&Limits { work: limits.automaton_steps, ..limits }),
        // INIT stays apart: it is in no table, so that nothing is merged into it.
        states: vec![Key::default()],
        ids: FxHashMap::default(),
        edges: BTreeSet::new(),
    };
    builder.build(root)
}

impl Builder<'_> {
    fn build(mut self, root: FormulaId) -> Result<(Formulas, Vec<State>, BTreeSet<Edge>), BuildError> {
        self.expand_node(StateId::INIT, Node::owing([root].into_iter()), &Before::Nothing)?;
        let mut index = 1;
        while index < self.states.len() {
            let (next, claimed) = self.states[index].clone();
            let before = Before::claimed(self.claims.len(), &claimed);
            let successor = Node::owing(next.iter().map(|owed| owed.formula));
            self.expand_node(StateId::new(index), successor, &before)?;
            index += 1;
        }
        let states = self.states.iter().map(|key| self.state(key)).collect();
        Ok((self.formulas, states, self.edges))
    }

    fn state(&self, (next, claimed): &Key) -> State {
        let claim = |&(id, holds): &(ClaimId, bool)| StateClaim { formula: self.claims.pair(id).positive, holds };
        State {
            next: next.clone(),
            claims: claimed.iter().map(claim).collect(),
            accepting: next.iter().all(|owed| owed.strength == Strength::Weak),
            satisfied: false,
        }
    }

    /// Expands a node until nothing is NEW in it, and the nodes it is split into.
    fn expand_node(&mut self, incoming: StateId, node: Node, before: &Before) -> Result<(), BuildError> {
        let mut open = vec![node];
        while let Some(mut node) = open.pop() {
            self.spend(1)?;
            let ways = match node.new.pop() {
                Some(formula) if !node.done.insert(formula) => [Some(Alternative::default()), None],
                Some(formula) => self.open_ways(&node, formula, before),
                None => match self.unanswered(&mut node) {
                    Some(claim) => self.answers(&node, claim, before),
                    None => {
                        self.finish(incoming, node)?;
                        continue;
                    }
                },
            };
            match ways {
                [None, None] => {}
                [Some(way), None] | [None, Some(way)] => open.extend(node.take(way).then_some(node)),
                [Some(first), Some(second)] => {
                    self.spend(node.size())?;
                    let mut other = node.clone();
                    open.extend(other.take(second).then_some(other));
                    open.extend(node.take(first).then_some(node));
                }
            }
        }
        Ok(())
    }

    /// The ways of making a formula true that do not contradict the node at once. A past operator
    /// needs no second one if a first goes by itself: with a bound it is asked for as often as the
    /// bound is long, and would split the node each time.
    fn open_ways(&mut self, node: &Node, formula: FormulaId, before: &Before) -> [Option<Alternative>; 2] {
        let ways = self.ways(formula, before).map(|way| way.filter(|way| !self.contradicts(node, way)));
        let is_past = self.formulas.node(formula).direction() == Some(Direction::Past);
        match ways.iter().flatten().find(|way| node.goes(way)) {
            Some(&way) if is_past => [Some(way), None],
            _ => ways,
        }
    }

    /// Whether a literal that a way asks for is contradicted by OLD.
    fn contradicts(&self, node: &Node, way: &Alternative) -> bool {
        let opposite = |part: FormulaId| match self.formulas.node(part) {
            Operator::Atom(atom) => self.literal(atom, true),
            Operator::Not(f) => match self.formulas.node(f) {
                Operator::Atom(atom) => self.literal(atom, false),
                _ => None,
            },
            _ => None,
        };
        way.new.iter().flatten().any(|&part| opposite(part).is_some_and(|literal| node.old.contains(&literal)))
    }

    /// Both answers to a question, or the one that is left.
    fn answers(&mut self, node: &Node, claim: ClaimId, before: &Before) -> [Option<Alternative>; 2] {
        let Pair { positive, negative } = self.claims.pair(claim);
        [positive, negative].map(|answer| {
            let is_open = self.open_ways(node, answer, before).iter().any(Option::is_some);
            is_open.then(|| Alternative::to(&[answer]))
        })
    }

    fn spend(&mut self, steps: u64) -> Result<(), BuildError> {
        self.budget.spend(steps).map_err(|limit| match limit {
            Limit::Work(steps) => gave_up(Limit::Steps(steps)),
            other => gave_up(other),
        })
    }

    /// A question that what the node owes may lead to, and that the node does not answer yet.
    fn unanswered(&self, node: &mut Node) -> Option<ClaimId> {
        if self.claims.is_empty() {
            return None;
        }
        if node.questions.owed != node.next.len() {
            let all = self.claims.needed(&self.formulas, node.next.keys().copied()).into_iter().collect();
            node.questions = Questions { owed: node.next.len(), all, answered: 0 };
        }
        let questions = &mut node.questions;
        while let Some(&claim) = questions.all.get(questions.answered) {
            let pair = self.claims.pair(claim);
            if !node.done.contains(&pair.positive) && !node.done.contains(&pair.negative) {
                return Some(claim);
            }
            questions.answered += 1;
        }
        None
    }

    /// Makes the node a state, or finds the one that is equal (section 4.2), and keeps how it was
    /// reached.
    fn finish(&mut self, incoming: StateId, node: Node) -> Result<(), BuildError> {
        let answer = |claim| (claim, node.done.contains(&self.claims.pair(claim).positive));
        let claimed = node.questions.all.iter().copied().map(answer).collect();
        let next = self.without_implied(&node.next);
        let to = self.intern((next, claimed))?;
        let literals: Vec<Literal> = node.old.into_iter().collect();
        self.budget.charge(2 * size_of::<Edge>() + 2 * size_of_val(&literals[..]));
        self.edges.insert(Edge { from: incoming, literals, to });
        Ok(())
    }

    /// What is owed, less what follows from something else that is owed: of two bounds that open
    /// together, only the harder one is kept. Without that, `G(a -> F[0,n] b)` has 2^n states
    /// instead of n.
    fn without_implied(&self, next: &BTreeMap<FormulaId, Strength>) -> Vec<Obligation> {
        let mut hardest: FxHashMap<(Operator, Strength), Option<u64>> = FxHashMap::default();
        let families =
            || next.iter().map(|(&formula, &strength)| (formula, strength, family(self.formulas.node(formula))));
        for (_, strength, (family, to)) in families() {
            let is_strong = family.strength() == Some(Strength::Strong);
            let kept = hardest.entry((family, strength)).or_insert(to);
            let is_harder = if is_strong { by_end(to) < by_end(*kept) } else { by_end(to) > by_end(*kept) };
            if is_harder {
                *kept = to;
            }
        }
        let is_kept = |strength, (family, to)| hardest[&(family, strength)] == to;
        let kept = families().filter(|&(_, strength, family)| is_kept(strength, family));
        kept.map(|(formula, strength, _)| Obligation { formula, strength }).collect()
    }

    fn intern(&mut self, key: Key) -> Result<StateId, BuildError> {
        if let Some(&id) = self.ids.get(&key) {
            return Ok(id);
        }
        if self.states.len() >= self.limits.automaton_states {
            return Err(gave_up(Limit::States(self.limits.automaton_states)));
        }
        self.spend((key.0.len() + key.1.len()) as u64)?;
        self.budget.charge(2 * (size_of_val(&key.0[..]) + size_of_val(&key.1[..]) + size_of::<Key>()));
        let id = StateId::new(self.states.len());
        self.states.push(key.clone());
        self.ids.insert(key, id);
        Ok(id)
    }

    /// Table 1, and what is not in it because it does not split a node. `[]f` is `false V f`, whose
    /// second way is contradictory at once; `f W g` is expanded as until is, only weakly; `f M g`
    /// as `g U (f & g)`.
    fn ways(&mut self, formula: FormulaId, before: &Before) -> [Option<Alternative>; 2] {
        let node = self.formulas.node(formula);
        let Some(unfolding) = unfold(&mut self.formulas, formula) else { return self.ways_here(node) };
        let rest = self.rest(unfolding, before);
        let going_on = |new: &[FormulaId]| match rest {
            Rest::Known(holds) => holds.then(|| Alternative::to(new)),
            Rest::Owed(owed) => Some(Alternative { owed: Some(owed), ..Alternative::to(new) }),
        };
        let here = |new: &[FormulaId]| Some(Alternative::to(new));
        let is_true = rest == Rest::Known(true);
        match node {
            _ if !unfolding.open => [going_on(&[]), None],
            Operator::Eventually(..) if is_true => [here(&[]), None],
            Operator::Eventually(_, _, f) => [going_on(&[]), here(&[f])],
            Operator::Always(_, _, f) => [going_on(&[f]), None],
            Operator::Binary(op, _, _, f, g) => match op.expansion() {
                Expansion::Until => [going_on(&[f]), here(&[g])],
                Expansion::Release if is_true => [here(&[g]), None],
                Expansion::Release => [going_on(&[g]), here(&[f, g])],
            },
            _ => unreachable!("only temporal operators unfold"),
        }
    }

    fn ways_here(&self, node: Operator) -> [Option<Alternative>; 2] {
        match node {
            Operator::Constant(bit) => [bit.then(Alternative::default), None],
            Operator::Atom(atom) => [Some(Alternative::of(self.literal(atom, false))), None],
            Operator::Not(f) => match self.formulas.node(f) {
                Operator::Atom(atom) => [Some(Alternative::of(self.literal(atom, true))), None],
                _ => panic!("not in negation normal form"),
            },
            Operator::And(f, g) => [Some(Alternative::to(&[f, g])), None],
            Operator::Or(f, g) => [Some(Alternative::to(&[f])), Some(Alternative::to(&[g]))],
            _ => unreachable!("temporal operators unfold"),
        }
    }

    fn literal(&self, atom: AtomId, negated: bool) -> Option<Literal> {
        self.alphabet.proposition(atom).map(|proposition| Literal { negated, proposition })
    }

    fn rest(&self, unfolding: TableauUnfolding, before: &Before) -> Rest {
        let TableauUnfolding { direction, rest, strength, .. } = unfolding;
        let at_end = Rest::Known(strength == Strength::Weak);
        match (rest, direction, before) {
            (None, _, _) | (Some(_), Direction::Past, Before::Nothing) => at_end,
            (Some(formula), Direction::Future, _) => Rest::Owed(Obligation { formula, strength }),
            (Some(formula), Direction::Past, Before::Claimed(answers)) => {
                let (claim, meaning) = self.claims.question(formula).expect("every question was found");
                let answer = answers[claim.index()].expect("what may be asked is kept");
                Rest::Known(answer == meaning)
            }
        }
    }
}

/// A future operator without the end of its window, and that end. Of two formulas of one family one
/// implies the other: the shorter window what has to come about, the longer one what must go on.
fn family(node: Operator) -> (Operator, Option<u64>) {
    match node.interval() {
        Some(interval) if node.direction() == Some(Direction::Future) => {
            (unfold::with_interval(node, Interval { to: None, ..interval }), interval.to)
        }
        _ => (node, None),
    }
}

/// Ends of windows in order; no end is the last.
fn by_end(to: Option<u64>) -> u64 {
    to.unwrap_or(u64::MAX)
}

/// The position before the one that a node is about.
enum Before {
    /// There is no position before.
    Nothing,
    /// The claims of the state before, by the question.
    Claimed(Vec<Option<bool>>),
}

impl Before {
    fn claimed(questions: usize, claimed: &[(ClaimId, bool)]) -> Self {
        let mut answers = vec![None; questions];
        claimed.iter().for_each(|&(claim, holds)| answers[claim.index()] = Some(holds));
        Self::Claimed(answers)
    }
}
