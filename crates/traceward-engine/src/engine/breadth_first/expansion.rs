//! What is asked of a position: `init` and `Successor`, definitions 3.13 and 3.14 of the thesis.
//!
//! Configurations that a letter cannot satisfy are left out as soon as one of their nodes is seen
//! to fail, and with [`Subsumption::On`] those that ask for more than another as soon as both are
//! there. Nothing is lost by not looking at the whole crossproduct: ⊎ keeps a node that fails, and
//! what asks for more goes on to do so.

use super::{BreadthFirst, Subsumption};
use crate::automaton::alternating::{ConditionId, NodeId};
use crate::automaton::metric::{Clock, Condition, Kind, Metric};
use crate::engine::configuration::{Configuration, Entry};
use crate::limit::{Budget, Limit};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use traceward_logic::formula::Unit;

/// An automaton cut where clocks are set: what is in one scope is asked with one clock.
#[derive(Clone, Debug)]
pub(super) struct Scopes(FxHashMap<ConditionId, Scope>);

#[derive(Clone, Debug)]
struct Scope {
    /// Parts before wholes; the last is all of it.
    pieces: Box<[Piece]>,
    /// The metric sub-automata in it.
    metric: Box<[ConditionId]>,
}

#[derive(Clone, Copy, Debug)]
enum Piece {
    Empty,
    Node(NodeId),
    /// A metric sub-automaton: a scope of its own.
    Metric(ConditionId),
    /// Of two pieces, by their place.
    And(usize, usize),
    Or(usize, usize),
}

impl Scopes {
    pub(super) fn new(automaton: &Metric) -> Self {
        let behind = automaton.nodes().iter().filter_map(|node| match node.kind {
            Kind::Timer { next, .. } => Some(next),
            Kind::Leaf(_) => None,
        });
        let inside = automaton.condition_ids().filter_map(|id| match automaton.condition(id) {
            Condition::Metric(_, inner) => Some(inner),
            _ => None,
        });
        let all = [automaton.root()].into_iter().chain(behind).chain(inside);
        Self(all.map(|root| (root, Scope::new(automaton, root))).collect())
    }
}

impl Scope {
    fn new(automaton: &Metric, root: ConditionId) -> Self {
        let mut parts = vec![root];
        let mut seen = 0;
        // Each once, however often it is asked.
        let mut met = FxHashSet::from_iter([root]);
        while let Some(&part) = parts.get(seen) {
            seen += 1;
            if let Condition::And(left, right) | Condition::Or(left, right) = automaton.condition(part) {
                parts.extend([left, right].into_iter().filter(|part| met.insert(*part)));
            }
        }
        parts.sort_unstable();
        let place = |part| parts.binary_search(&part).expect("a part");
        let piece = |&part: &ConditionId| match automaton.condition(part) {
            Condition::Empty => Piece::Empty,
            Condition::Node(node) => Piece::Node(node),
            Condition::Metric(..) => Piece::Metric(part),
            Condition::And(left, right) => Piece::And(place(left), place(right)),
            Condition::Or(left, right) => Piece::Or(place(left), place(right)),
        };
        let is_metric = |part: &ConditionId| matches!(automaton.condition(*part), Condition::Metric(..));
        Self { pieces: parts.iter().map(piece).collect(), metric: parts.iter().copied().filter(is_metric).collect() }
    }
}

/// The nodes that are admitted to configurations.
pub(super) enum Admission<'a> {
    /// All of them, with the clocks they are asked with: the state is not known.
    All,
    /// The nodes that a letter satisfies, which is one bit a leaf. Formulas about the past are
    /// settled by it, and other leaves have no use for their clock any more.
    SatisfiedBy(&'a [u64]),
}

/// Some configurations, in order.
type Alternatives = Rc<[Configuration]>;

/// One step to the next position.
pub(super) struct SliceExpansion<'a> {
    engine: &'a BreadthFirst,
    admission: Admission<'a>,
    /// The nanoseconds that have passed since the state before.
    passed: u64,
    subsumption: Subsumption,
    /// The work and the bytes that the step may take.
    budget: &'a mut Budget,
    /// What metric sub-automata ask: nothing else sets their clocks.
    known: FxHashMap<ConditionId, Alternatives>,
    /// No configuration.
    none: Alternatives,
    /// One that asks for nothing.
    nothing: Alternatives,
}

impl<'a> SliceExpansion<'a> {
    pub(super) fn new(
        engine: &'a BreadthFirst,
        admission: Admission<'a>,
        passed: u64,
        subsumption: Subsumption,
        budget: &'a mut Budget,
    ) -> Self {
        Self {
            engine,
            admission,
            passed,
            subsumption,
            budget,
            known: FxHashMap::default(),
            none: Rc::new([]),
            nothing: Rc::new([Configuration::default()]),
        }
    }

    /// init(𝒜, ∞) of the whole automaton.
    pub(super) fn initial(&mut self) -> Result<Vec<Configuration>, Limit> {
        let all = self.init(self.engine.automaton.root(), Clock::INFINITE)?;
        Ok(all.to_vec())
    }

    /// Successor(C): the crossproduct of what its timers ask of the next position.
    pub(super) fn successors(&mut self, configuration: &Configuration) -> Result<Vec<Configuration>, Limit> {
        let held = self.budget.held();
        let product = self.product_of_timers(configuration);
        self.budget.release_to(held);
        product
    }

    fn product_of_timers(&mut self, configuration: &Configuration) -> Result<Vec<Configuration>, Limit> {
        let automaton = &self.engine.automaton;
        // What is asked without an alternative, which is most of it where there are many clocks.
        let mut certain: Vec<Entry> = Vec::new();
        let mut alternatives = Vec::new();
        for timer in configuration.timers(automaton) {
            let Kind::Timer { next, .. } = automaton.node(timer.node).kind else { continue };
            let asked = self.init(next, automaton.later(timer.node, timer.clock, self.passed))?;
            match &*asked {
                [only] => certain.extend(only.entries()),
                _ => alternatives.push(asked),
            }
        }
        let mut product = vec![Configuration::collect(certain, automaton, self.subsumption.of_entries())];
        for asked in alternatives {
            product = self.crossproduct(&product, &asked)?;
        }
        Ok(product)
    }

    /// init(𝒜, c)
    fn init(&mut self, condition: ConditionId, clock: Clock) -> Result<Alternatives, Limit> {
        self.settle_inside(condition)?;
        self.evaluate(condition, clock)
    }

    /// The budget of the step.
    pub(super) fn budget(&mut self) -> &mut Budget {
        self.budget
    }

    /// Finds out what the metric sub-automata of a scope ask. With a stack of its own, for formulas
    /// of any depth.
    fn settle_inside(&mut self, scope: ConditionId) -> Result<(), Limit> {
        let mut open = self.unknown_inside(scope);
        while let Some(&metric) = open.last() {
            let Condition::Metric(clock, inner) = self.engine.automaton.condition(metric) else {
                unreachable!("only metric sub-automata are inside")
            };
            let before = self.unknown_inside(inner);
            if !before.is_empty() {
                open.extend(before);
                continue;
            }
            open.pop();
            if !self.known.contains_key(&metric) {
                let asked = self.evaluate(inner, self.engine.automaton.clock(clock))?;
                self.known.insert(metric, asked);
            }
        }
        Ok(())
    }

    fn unknown_inside(&self, scope: ConditionId) -> Vec<ConditionId> {
        let inside = self.engine.scopes.0[&scope].metric.iter().copied();
        inside.filter(|metric| !self.known.contains_key(metric)).collect()
    }

    /// init of a scope whose metric sub-automata are known.
    fn evaluate(&mut self, scope: ConditionId, clock: Clock) -> Result<Alternatives, Limit> {
        let mut values: Vec<Alternatives> = Vec::new();
        let engine = self.engine;
        for piece in &engine.scopes.0[&scope].pieces {
            self.budget.spend(1)?;
            values.push(match *piece {
                Piece::Empty => self.nothing.clone(),
                Piece::Node(node) => self.init_node(Entry { node, clock }),
                Piece::Metric(metric) => self.known[&metric].clone(),
                Piece::And(left, right) => self.both(&values[left], &values[right])?,
                Piece::Or(left, right) => self.either(&values[left], &values[right])?,
            });
        }
        Ok(values.pop().expect("a scope is not empty"))
    }

    fn init_node(&self, entry: Entry) -> Alternatives {
        let Admission::SatisfiedBy(letter) = self.admission else { return Rc::new([Configuration::of(entry)]) };
        let node = entry.node;
        let automaton = &self.engine.automaton;
        match automaton.node(node).test() {
            // What was asked of a time says nothing about a later state, and times are many.
            Some(test)
                if test.holds(entry.clock) && !automaton.goes_on(node) && automaton.unit_of(node) == Unit::Time =>
            {
                self.nothing.clone()
            }
            Some(test) if test.holds(entry.clock) => Rc::new([Configuration::of(entry)]),
            None if self.engine.satisfies(letter, node) => match self.engine.is_past(node) {
                true => self.nothing.clone(),
                false => Rc::new([Configuration::of(Entry { node, clock: Clock::ZERO })]),
            },
            Some(_) | None => self.none.clone(),
        }
    }

    fn both(&mut self, left: &Alternatives, right: &Alternatives) -> Result<Alternatives, Limit> {
        match (&**left, &**right) {
            ([], _) | (_, []) => Ok(self.none.clone()),
            ([one], _) if one.is_empty() => Ok(right.clone()),
            (_, [one]) if one.is_empty() => Ok(left.clone()),
            _ => Ok(self.crossproduct(left, right)?.into()),
        }
    }

    fn either(&mut self, left: &Alternatives, right: &Alternatives) -> Result<Alternatives, Limit> {
        match (&**left, &**right) {
            ([], _) => Ok(right.clone()),
            (_, []) => Ok(left.clone()),
            _ => {
                left.iter().chain(&**right).try_for_each(|one| self.pay(one))?;
                Ok(self.distinct([&**left, &**right].concat())?.into())
            }
        }
    }

    /// S ⊗ S′
    fn crossproduct(&mut self, left: &[Configuration], right: &[Configuration]) -> Result<Vec<Configuration>, Limit> {
        let automaton = &self.engine.automaton;
        let mut all = Vec::new();
        for one in left {
            for other in right {
                let united = one.and(other, automaton, self.subsumption.of_entries());
                self.pay(&united)?;
                all.push(united);
            }
            // Many of them may be the same: no more than a few times the limit are held at once.
            if all.len() > self.engine.config.limits.slices.saturating_mul(4) {
                all = self.distinct(all)?;
            }
        }
        self.distinct(all)
    }

    /// Pays for the making of a configuration.
    fn pay(&mut self, made: &Configuration) -> Result<(), Limit> {
        self.budget.charge(size_of::<Configuration>() + size_of_val(made.entries()));
        self.budget.spend(WORK_PER_UNION + made.entries().len() as u64)
    }

    fn distinct(&mut self, mut configurations: Vec<Configuration>) -> Result<Vec<Configuration>, Limit> {
        configurations.sort_unstable();
        configurations.dedup();
        if self.subsumption == Subsumption::On && configurations.len() > 1 {
            let asked = if configurations.len() > FEW { Horizon::Later } else { Horizon::Ever };
            let all: Vec<&Configuration> = configurations.iter().collect();
            let mut stays = self.engine.least(&all, asked, self.budget)?.into_iter();
            configurations.retain(|_| stays.next() == Some(true));
        }
        self.engine.refuse_many(configurations.len())?;
        Ok(configurations)
    }
}

/// The work of making a configuration beside that for each of its entries: it is allocated, and
/// sorted among others.
const WORK_PER_UNION: u64 = 16;

/// The states that matter when two configurations are compared: whether one asks of them all that
/// the other asks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Horizon {
    /// This state and all later ones.
    Ever,
    /// Later states alone. They are all that matters for the verdict.
    Later,
}

/// The number of configurations above which one is dropped that asks no less of later states. Among
/// fewer it stays, for it may still turn out to be the smaller one: together with another that has
/// all of its timers.
const FEW: usize = 8;

impl BreadthFirst {
    /// For each of these, whether it stays: not if it asks for all that another one asks. Among
    /// compact configurations the other never has more timers.
    pub(super) fn least(
        &self,
        configurations: &[&Configuration],
        asked: Horizon,
        budget: &mut Budget,
    ) -> Result<Vec<bool>, Limit> {
        let timers: Vec<(usize, u64)> = configurations.iter().map(|one| self.timers_of(one)).collect();
        let mut order: Vec<usize> = (0..configurations.len()).collect();
        // Of those that ask for the same the smallest stays; which one that is depends on what is
        // in them, and on nothing else.
        order.sort_unstable_by_key(|&index| {
            (timers[index].0, configurations[index].entries().len(), configurations[index])
        });
        let follows = |one: &Configuration, other: &Configuration| match asked {
            Horizon::Ever => one.follows_from(other, &self.automaton),
            Horizon::Later => one.follows_later_from(other, &self.automaton),
        };
        let mut stays = vec![false; configurations.len()];
        let mut least: Vec<usize> = Vec::new();
        for one in order {
            budget.spend(1 + least.len() as u64)?;
            stays[one] = !least.iter().any(|&other| {
                timers[other].1 & !timers[one].1 == 0 && follows(configurations[other], configurations[one])
            });
            if stays[one] {
                least.push(one);
            }
        }
        Ok(stays)
    }

    /// The number of timers of a configuration, and a word with a bit for each, several timers to a
    /// bit. The word tells quickly that a configuration has a timer that another has not.
    fn timers_of(&self, configuration: &Configuration) -> (usize, u64) {
        let timers = configuration.timers(&self.automaton);
        timers.fold((0, 0), |(count, nodes), entry| (count + 1, nodes | 1 << (entry.node.index() % 64)))
    }

    pub(super) fn refuse_many(&self, count: usize) -> Result<(), Limit> {
        let most = self.config.limits.slices;
        if count > most { Err(Limit::Slices(most)) } else { Ok(()) }
    }
}
