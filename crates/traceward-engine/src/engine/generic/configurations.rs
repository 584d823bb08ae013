//! Configurations ⟨C, D⟩: timers that go on as a set, and finitely bounded parts that go on as
//! graphs (section 4.2 of the thesis).

use super::super::configuration::{Compaction, Configuration, Entry};
use super::super::graph::{ConfigurationId, Dependence};
use crate::automaton::alternating::{ConditionId, NodeId};
use crate::automaton::metric::{Clock, Condition, Kind, Metric};
use crate::limit::{Budget, Limit};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use traceward_logic::formula::Unit;

/// One way to go on from a configuration.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Candidate {
    /// Leaves that the state has to satisfy.
    labels: Vec<NodeId>,
    /// C: the timers that go on as a set.
    timers: Configuration,
    /// D: what goes on as a graph.
    graphs: Vec<ConditionId>,
}

impl Candidate {
    fn nothing() -> Self {
        Self { labels: Vec::new(), timers: Configuration::default(), graphs: Vec::new() }
    }

    fn and(&self, other: &Self, automaton: &Metric, compaction: Compaction) -> Self {
        Self {
            labels: union(&self.labels, &other.labels),
            timers: self.timers.and(&other.timers, automaton, compaction),
            graphs: union(&self.graphs, &other.graphs),
        }
    }

    /// Pays for the making of the candidate.
    fn pay(&self, budget: &mut Budget) -> Result<(), Limit> {
        let entries = self.labels.len() + self.timers.entries().len() + self.graphs.len();
        budget.charge(size_of::<Self>() + entries * size_of::<Entry>());
        budget.spend(WORK_PER_UNION + entries as u64)
    }

    /// Whether the candidate asks of later states no more than another one does.
    fn is_no_harder(&self, other: &Self, automaton: &Metric) -> bool {
        self.timers.follows_from(&other.timers, automaton) && is_subset(&self.graphs, &other.graphs)
    }
}

/// The work of making a candidate beside that for each of its entries: it is allocated, and sorted
/// among others.
const WORK_PER_UNION: u64 = 16;

fn union<T: Copy + Ord>(one: &[T], other: &[T]) -> Vec<T> {
    let mut both: Vec<T> = one.iter().chain(other).copied().collect();
    both.sort_unstable();
    both.dedup();
    both
}

fn is_subset<T: Ord>(small: &[T], large: &[T]) -> bool {
    small.iter().all(|one| large.binary_search(one).is_ok())
}

/// A candidate, ready to be tried on a state.
#[derive(Clone, Debug)]
pub(super) struct Way {
    pub(super) labels: Box<[NodeId]>,
    /// The configuration of the timers that go on; none if no timer does.
    pub(super) timers: Option<ConfigurationId>,
    pub(super) graphs: Box<[ConditionId]>,
    /// Other ways that are no harder: if the state allows one of them, this way is not needed.
    pub(super) no_harder: Box<[u32]>,
}

/// The parts of an automaton that go on as graphs.
#[derive(Clone, Debug)]
pub(super) struct Annotation {
    goes_as_graph: Vec<bool>,
}

impl Annotation {
    /// Definition 4.3, corrected: it keeps the clocks and annotates below timers. The thesis hands
    /// over metric sub-automata with finite sums of constants; here connectives between such, and
    /// leaves, go along, so that `G((a -> F[0,5] b) & …)` is not multiplied out. A leaf alone stays
    /// in its configuration.
    pub(super) fn new(automaton: &Metric, dependence: &Dependence) -> Self {
        let endless = automaton.endless();
        let goes_as_graph = |id: ConditionId| {
            let is_node = matches!(automaton.condition(id), Condition::Node(_) | Condition::Empty);
            !endless[id.index()] && dependence.is_closed(id) && !is_node
        };
        Self { goes_as_graph: automaton.condition_ids().map(goes_as_graph).collect() }
    }

    pub(super) fn goes_as_graph(&self, condition: ConditionId) -> bool {
        self.goes_as_graph[condition.index()]
    }
}

/// The ways that lead on from a configuration.
pub(super) struct CandidateExpansion<'a> {
    pub(super) automaton: &'a Metric,
    /// The nanoseconds that have passed since the state before.
    pub(super) passed: u64,
    pub(super) annotation: &'a Annotation,
    /// The entries that ⊎ drops inside a configuration.
    pub(super) entries: Compaction,
    /// The ways that are dropped because another one is no harder.
    pub(super) ways: Compaction,
    pub(super) limit: usize,
}

impl CandidateExpansion<'_> {
    /// The crossproduct of what the timers of a configuration ask of the next state.
    fn successors(&self, configuration: &Configuration, budget: &mut Budget) -> Result<Vec<Candidate>, Limit> {
        let mut product = vec![Candidate::nothing()];
        for Entry { node, clock } in configuration.timers(self.automaton) {
            let Kind::Timer { next, .. } = self.automaton.node(node).kind else { continue };
            let asked = self.initial(next, self.automaton.later(node, clock, self.passed), budget)?;
            product = self.product(&product, &asked, budget)?;
        }
        Ok(product)
    }

    /// The time that has passed, if a timer of a configuration counts it.
    fn passed_for(&self, configuration: &Configuration) -> Option<u64> {
        let mut timers = configuration.timers(self.automaton);
        timers.any(|timer| self.automaton.unit_of(timer.node) == Unit::Time).then_some(self.passed)
    }

    /// init(𝒜, c), timers that cannot be satisfied left out: definition 4.6, corrected.
    pub(super) fn initial(
        &self,
        root: ConditionId,
        clock: Clock,
        budget: &mut Budget,
    ) -> Result<Vec<Candidate>, Limit> {
        let mut of_part: FxHashMap<ConditionId, Vec<Candidate>> = FxHashMap::default();
        for (part, clock) in self.parts(root, clock) {
            let candidates = match self.automaton.condition(part) {
                _ if self.annotation.goes_as_graph(part) => {
                    vec![Candidate { graphs: vec![part], ..Candidate::nothing() }]
                }
                Condition::Empty => vec![Candidate::nothing()],
                Condition::Node(node) => self.of_node(node, clock),
                Condition::And(left, right) => self.product(&of_part[&left], &of_part[&right], budget)?,
                Condition::Or(left, right) => self.either(&of_part[&left], &of_part[&right], budget)?,
                Condition::Metric(_, inner) => self.either(&of_part[&inner], &[], budget)?,
            };
            of_part.insert(part, candidates);
        }
        Ok(of_part.remove(&root).expect("the whole is the last part"))
    }

    /// The conditions that a condition is made of down to graphs, each with its clock, parts first.
    fn parts(&self, root: ConditionId, clock: Clock) -> Vec<(ConditionId, Clock)> {
        let mut clocks: FxHashMap<ConditionId, Clock> = FxHashMap::default();
        let mut open = vec![(root, clock)];
        while let Some((id, clock)) = open.pop() {
            if clocks.insert(id, clock).is_some() || self.annotation.goes_as_graph(id) {
                continue;
            }
            match self.automaton.condition(id) {
                Condition::Empty | Condition::Node(_) => {}
                Condition::And(left, right) | Condition::Or(left, right) => {
                    open.extend([(left, clock), (right, clock)]);
                }
                Condition::Metric(set, inner) => open.push((inner, self.automaton.clock(set))),
            }
        }
        let mut parts: Vec<(ConditionId, Clock)> = clocks.into_iter().collect();
        parts.sort_unstable();
        parts
    }

    fn of_node(&self, node: NodeId, clock: Clock) -> Vec<Candidate> {
        match self.automaton.node(node).kind {
            Kind::Leaf(_) => vec![Candidate { labels: vec![node], ..Candidate::nothing() }],
            Kind::Timer { test, .. } if !test.holds(clock) => Vec::new(),
            Kind::Timer { .. } if !self.automaton.goes_on(node) => vec![Candidate::nothing()],
            Kind::Timer { .. } => {
                let timers = Configuration::of(Entry { node, clock });
                vec![Candidate { timers, ..Candidate::nothing() }]
            }
        }
    }

    fn either(&self, left: &[Candidate], right: &[Candidate], budget: &mut Budget) -> Result<Vec<Candidate>, Limit> {
        let mut all = Vec::new();
        for one in left.iter().chain(right) {
            one.pay(budget)?;
            all.push(one.clone());
        }
        self.distinct(all)
    }

    fn product(&self, left: &[Candidate], right: &[Candidate], budget: &mut Budget) -> Result<Vec<Candidate>, Limit> {
        let mut all = Vec::new();
        for one in left {
            for other in right {
                let both = one.and(other, self.automaton, self.entries);
                both.pay(budget)?;
                all.push(both);
            }
            // Many of them may be the same: no more than a few times the limit are held at once.
            if all.len() > self.limit.saturating_mul(4) {
                all = self.distinct(all)?;
            }
        }
        self.distinct(all)
    }

    fn distinct(&self, mut candidates: Vec<Candidate>) -> Result<Vec<Candidate>, Limit> {
        candidates.sort_unstable();
        candidates.dedup();
        if candidates.len() > self.limit { Err(Limit::Configurations(self.limit)) } else { Ok(candidates) }
    }
}

/// The configurations that were met, and the ways that lead on from them.
#[derive(Clone, Debug, Default)]
pub(super) struct Configurations {
    list: Vec<Known>,
    ids: FxHashMap<Configuration, ConfigurationId>,
    /// The bytes that configurations and ways take beside their places in the list.
    held: usize,
}

#[derive(Clone, Debug)]
struct Known {
    configuration: Configuration,
    /// The ways on, and the time that had passed when they were found, if that matters.
    ways: Option<(Option<u64>, Arc<[Way]>)>,
}

/// The number of ways up to which they are compared with each other: comparing takes their square.
const COMPARED: usize = 128;

impl Configurations {
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    pub(super) fn get(&self, id: ConfigurationId) -> &Configuration {
        &self.list[id.index()].configuration
    }

    pub(super) fn bytes(&self) -> usize {
        self.list.capacity() * size_of::<Known>() + self.held
    }

    pub(super) fn intern(&mut self, configuration: Configuration) -> ConfigurationId {
        if let Some(&id) = self.ids.get(&configuration) {
            return id;
        }
        let id = ConfigurationId(self.list.len() as u32);
        self.held += 2 * size_of_val(configuration.entries());
        self.list.push(Known { configuration: configuration.clone(), ways: None });
        self.ids.insert(configuration, id);
        id
    }

    pub(super) fn ways(
        &mut self,
        id: ConfigurationId,
        expansion: &CandidateExpansion<'_>,
        budget: &mut Budget,
    ) -> Result<Arc<[Way]>, Limit> {
        let passed = expansion.passed_for(self.get(id));
        if let Some((of, ways)) = &self.list[id.index()].ways
            && *of == passed
        {
            return Ok(ways.clone());
        }
        let held = budget.held();
        let candidates = expansion.successors(self.get(id), budget)?;
        budget.release_to(held);
        let ways = self.compile(candidates, expansion, budget)?;
        let known = self.list[id.index()].ways.replace((passed, ways.clone()));
        self.held += size_of_val::<[Way]>(&ways);
        self.held -= known.map_or(0, |(_, old)| size_of_val::<[Way]>(&old));
        Ok(ways)
    }

    /// Makes candidates ready to be tried on a state.
    pub(super) fn compile(
        &mut self,
        candidates: Vec<Candidate>,
        expansion: &CandidateExpansion<'_>,
        budget: &mut Budget,
    ) -> Result<Arc<[Way]>, Limit> {
        candidates.iter().try_for_each(|candidate| candidate.pay(budget))?;
        let is_compared = expansion.ways == Compaction::On && candidates.len() <= COMPARED;
        let candidates = if is_compared { without_harder(candidates, expansion.automaton) } else { candidates };
        let no_harder = |index: usize, candidate: &Candidate| {
            let easier = |&(other, one): &(usize, &Candidate)| {
                other != index
                    && one.is_no_harder(candidate, expansion.automaton)
                    && (other < index || !candidate.is_no_harder(one, expansion.automaton))
            };
            candidates.iter().enumerate().filter(easier).map(|(other, _)| other as u32).collect()
        };
        let ways = candidates.iter().enumerate().map(|(index, candidate)| Way {
            labels: candidate.labels.as_slice().into(),
            timers: (!candidate.timers.is_empty()).then(|| self.intern(candidate.timers.clone())),
            graphs: candidate.graphs.as_slice().into(),
            no_harder: if is_compared { no_harder(index, candidate) } else { Box::default() },
        });
        Ok(ways.collect())
    }

    /// Forgets all but some configurations, which get new numbers: by the old number.
    pub(super) fn forget_but(&mut self, kept: &[ConfigurationId]) -> FxHashMap<ConfigurationId, ConfigurationId> {
        let old = std::mem::take(self);
        kept.iter().map(|&id| (id, self.intern(old.get(id).clone()))).collect()
    }
}

/// Drops candidates that ask no less of the state, and no less of later ones, than another does.
fn without_harder(candidates: Vec<Candidate>, automaton: &Metric) -> Vec<Candidate> {
    let is_harder = |index: usize| {
        let candidate = &candidates[index];
        candidates.iter().enumerate().any(|(other, one)| {
            let no_harder = |easy: &Candidate, hard: &Candidate| {
                is_subset(&easy.labels, &hard.labels) && easy.is_no_harder(hard, automaton)
            };
            other != index && no_harder(one, candidate) && (other < index || !no_harder(candidate, one))
        })
    };
    let harder: Vec<bool> = (0..candidates.len()).map(is_harder).collect();
    candidates.into_iter().zip(harder).filter(|(_, is_harder)| !is_harder).map(|(candidate, _)| candidate).collect()
}
