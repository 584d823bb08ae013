//! The generic algorithm: chapter 4 of the thesis on bounded temporal logic.
//!
//! Breadth-first where operators have no end, backwards where they have: the parts of the automaton
//! in which all clocks are finite are unfolded into a graph whose leaves are timers (type A), as in
//! [`super::forward_backward_dag`]; what is around them goes on as configurations, sets of timers
//! (type B), as in [`super::breadth_first`]. A type B leaf is replaced by the disjunction of the
//! ways that lead on from it, each the conjunction of a configuration and of the graphs that it
//! needs. Graphs are decided after as many steps as their bounds add up to, so the whole is bounded
//! by formula and constants, whatever the trace.
//!
//! As printed, a type B leaf starts at 0 and is 1 if all its nodes are -1; annotate loses the
//! clocks and does not look below timers; `init(ε)` is ∅; Generate-DAG puts a set into a set.
//! Satisfied leaves are left out of configurations here, and what is not known yet is all that is
//! ever made. With [`super::Subsumption::On`] a way is not followed where one that is no harder is
//! open.

mod configurations;

use super::configuration::{Configuration, Entry, entry_text};
use super::follow::{Follow, Step};
use super::forward_backward_dag::TimerImplication;
use super::graph::{
    ConfigurationId, Deadline, Dependence, GraphValue, Implies, Junction, Leaf, Moment, Scene, Unfolded, UnfoldedGraph,
    timer_text,
};
use super::labels::{self, LabelTruth, Labels};
use super::walkthrough::{Content, Guide, HeldGraph, HeldSet, Stage, WalkthroughError};
use super::{EngineConfig, EngineStatistics};
use crate::automaton::alternating::NodeId;
use crate::automaton::metric::{Clock, Metric};
use crate::limit::{BuildError, GaveUp, Instead, Limit, Unsupported};
use crate::prepared::Prepared;
use crate::saved::{Reader, RestoreError, Writer};
use configurations::{Annotation, CandidateExpansion, Configurations, Way};
use traceward_logic::formula::{FormulaId, Formulas};
use traceward_logic::letter::Alphabet;
use traceward_logic::verdict::Verdict;

const NAME: &str = "generic";

/// A formula ready to be followed by the generic algorithm.
#[derive(Clone, Debug)]
pub struct Generic {
    automaton: Metric,
    dependence: Dependence,
    annotation: Annotation,
    labels: Labels,
    config: EngineConfig,
}

/// A run: the graph that has been unfolded with the states so far.
#[derive(Clone, Debug)]
pub struct Run {
    unfolded: UnfoldedGraph,
    configurations: Configurations,
    /// Scratch: which ways a state allows, and the values that are joined.
    is_open: Vec<bool>,
    ways: Vec<GraphValue>,
    parts: Vec<GraphValue>,
}

impl Run {
    /// The number of nodes of the graph.
    pub fn nodes(&self) -> usize {
        self.unfolded.graph.len()
    }

    /// Type B: the sets of timers that wait, in order.
    pub fn configurations(&self) -> Vec<&[Entry]> {
        let configuration = |leaf| match leaf {
            Leaf::Configuration(id) => Some(self.configurations.get(id).entries()),
            Leaf::Timer(..) => None,
        };
        let mut all: Vec<_> = self.unfolded.leaves().filter_map(configuration).collect();
        all.sort_unstable();
        all
    }

    /// The highest cost of the run so far.
    pub fn statistics(&self) -> EngineStatistics {
        let peaks = self.unfolded.graph.peaks();
        EngineStatistics {
            peak_configurations: Some(peaks.configurations),
            peak_nodes: Some(peaks.vertices),
            peak_leaves: Some(peaks.timers),
            peak_waiting: None,
            peak_bytes: self.unfolded.graph.bytes() + self.configurations.bytes(),
        }
    }
}

impl Generic {
    /// Prepares a formula in negation normal form with split atoms.
    pub fn new(
        formulas: &Formulas,
        alphabet: &Alphabet,
        root: FormulaId,
        config: EngineConfig,
    ) -> Result<Self, Unsupported> {
        let automaton = labels::automaton(NAME, formulas, root)?;
        let labels = Labels::new(NAME, &automaton, formulas, alphabet)?;
        let dependence = Dependence::new(&automaton);
        let annotation = Annotation::new(&automaton, &dependence);
        Ok(Self { automaton, dependence, annotation, labels, config })
    }

    /// The automaton that is unfolded.
    pub fn automaton(&self) -> &Metric {
        &self.automaton
    }

    /// Type A: the timers that wait in a run, with their clocks at the last state, in order.
    pub fn timers(&self, run: &Run) -> Vec<(NodeId, Clock)> {
        run.unfolded.timers(&self.automaton)
    }

    fn is_accepting(&self, configurations: &Configurations, leaf: Leaf) -> bool {
        match leaf {
            Leaf::Timer(node, _) => self.automaton.node(node).accepting,
            Leaf::Configuration(id) => configurations.get(id).is_final(&self.automaton),
        }
    }

    /// Unfolds the graph with the state that was read; `watch` sees what takes the place of each
    /// leaf.
    fn unfold(&self, run: &mut Run, mut watch: impl FnMut(&Run, Unfolded)) -> Result<(), Limit> {
        let expansion = self.expansion(&run.unfolded);
        if run.unfolded.position == 0 {
            let budget = &mut run.unfolded.graph.budget;
            let initial = expansion.initial(self.automaton.root(), Clock::INFINITE, budget)?;
            let ways = run.configurations.compile(initial, &expansion, budget)?;
            let root = self.value_of_ways(run, &ways)?;
            watch(run, Unfolded { leaf: None, by: root });
            run.unfolded.graph.set_root(root);
            return Ok(());
        }
        self.forget(run);
        run.unfolded.graph.begin_step();
        run.unfolded.graph.budget.charge(run.configurations.bytes());
        while let Some((id, leaf)) = run.unfolded.graph.next_due(self.scene(&run.unfolded.truth, run.unfolded.now)) {
            let by = match leaf {
                Leaf::Timer(node, deadline) => self.value_of_timer(run, node, deadline)?,
                Leaf::Configuration(configuration) => {
                    let budget = &mut run.unfolded.graph.budget;
                    let ways = run.configurations.ways(configuration, &expansion, budget)?;
                    self.value_of_ways(run, &ways)?
                }
            };
            watch(run, Unfolded { leaf: Some(leaf), by });
            run.unfolded.graph.replace(id, leaf, by);
            run.unfolded.graph.spend(1)?;
        }
        Ok(())
    }

    /// Takes the next state; `watch` sees what takes the place of each leaf.
    fn step_watched(
        &self,
        run: &mut Run,
        step: Step<'_>,
        watch: impl FnMut(&Run, Unfolded),
    ) -> Result<Verdict, GaveUp> {
        if run.unfolded.verdict.is_final() {
            return Ok(run.unfolded.verdict);
        }
        self.labels.read(&mut run.unfolded.truth, step);
        run.unfolded.arrive(step.time);
        self.unfold(run, watch).map_err(gave_up)?;
        let Run { unfolded, configurations, .. } = run;
        let is_accepting = |leaf| self.is_accepting(configurations, leaf);
        unfolded.conclude(&self.implication(configurations), &is_accepting).map_err(gave_up)
    }

    /// The text of a leaf: a timer with the clock that it has at a moment, or a set of timers
    /// with their clocks, which do not run before they are unfolded.
    fn leaf_text(&self, configurations: &Configurations, leaf: Leaf, moment: Moment) -> String {
        let set = |id: ConfigurationId| {
            let entries = configurations.get(id).entries().iter();
            let members = entries.map(|entry| entry_text(&self.automaton, *entry)).collect();
            HeldSet { members, is_accepting: false, visits: None }.to_string()
        };
        match leaf {
            Leaf::Configuration(id) => set(id),
            Leaf::Timer(..) => timer_text(&self.automaton, leaf, moment).unwrap_or_default(),
        }
    }

    fn implication<'a>(&'a self, configurations: &'a Configurations) -> Leaves<'a> {
        Leaves { timers: TimerImplication { automaton: &self.automaton }, configurations }
    }

    /// The expansion of configurations with the state that has come.
    fn expansion(&self, run: &UnfoldedGraph) -> CandidateExpansion<'_> {
        CandidateExpansion {
            automaton: &self.automaton,
            passed: run.now.since(run.before).min(self.automaton.longest_time()),
            annotation: &self.annotation,
            entries: self.config.subsumption.of_entries(),
            ways: self.config.subsumption.in_graphs(),
            limit: self.config.limits.slices,
        }
    }

    /// Forgets configurations when there are too many to remember.
    fn forget(&self, run: &mut Run) {
        if run.configurations.len() <= self.config.limits.remembered {
            return;
        }
        let waiting = |leaf| match leaf {
            Leaf::Configuration(id) => Some(id),
            Leaf::Timer(..) => None,
        };
        let mut kept: Vec<ConfigurationId> = run.unfolded.leaves().filter_map(waiting).collect();
        kept.sort_unstable();
        let numbers = run.configurations.forget_but(&kept);
        run.unfolded.graph.renumber(|id| numbers[&id]);
    }

    fn scene<'a>(&'a self, truth: &'a LabelTruth, now: Moment) -> Scene<'a> {
        Scene { automaton: &self.automaton, dependence: &self.dependence, truth, now }
    }

    /// The value that takes the place of a timer, a leaf of type A.
    fn value_of_timer(&self, run: &mut Run, node: NodeId, deadline: Deadline) -> Result<GraphValue, Limit> {
        let UnfoldedGraph { graph, unfolding, truth, now, .. } = &mut run.unfolded;
        unfolding.timer(self.scene(truth, *now), graph, node, deadline)
    }

    /// The value that takes the place of a configuration, a leaf of type B: Generate-DAG of the
    /// ways that the state allows.
    fn value_of_ways(&self, run: &mut Run, ways: &[Way]) -> Result<GraphValue, Limit> {
        run.unfolded.graph.spend(ways.len())?;
        let is_open = |way: &Way| way.labels.iter().all(|label| run.unfolded.truth.satisfies(*label));
        run.is_open.clear();
        run.is_open.extend(ways.iter().map(is_open));
        run.ways.clear();
        for (index, way) in ways.iter().enumerate() {
            let is_needed = run.is_open[index] && !way.no_harder.iter().any(|other| run.is_open[*other as usize]);
            if is_needed {
                let value = self.value_of_way(run, way)?;
                run.ways.push(value);
            }
        }
        Ok(match run.ways[..] {
            [one] => one,
            _ => run.unfolded.graph.join(Junction::Or, &run.ways),
        })
    }

    fn value_of_way(&self, run: &mut Run, way: &Way) -> Result<GraphValue, Limit> {
        let Run { unfolded: UnfoldedGraph { graph, unfolding, truth, now, .. }, parts, .. } = run;
        parts.clear();
        for graph_of in &way.graphs {
            let value = unfolding.value(self.scene(truth, *now), graph, *graph_of, Deadline::NEVER)?;
            if value == GraphValue::Known(false) {
                return Ok(value);
            }
            parts.push(value);
        }
        parts.extend(way.timers.map(|id| GraphValue::Waits(Leaf::Configuration(id))));
        graph.spend(1 + parts.len())?;
        Ok(match parts[..] {
            [one] => one,
            [one, other] => graph.join_two(Junction::And, one, other),
            _ => graph.join(Junction::And, parts),
        })
    }
}

fn gave_up(limit: Limit) -> GaveUp {
    GaveUp { engine: NAME, limit, instead: &[Instead::REVERSE] }
}

impl Follow for Generic {
    type Run = Run;
    const NAME: &'static str = NAME;

    fn compile(prepared: &Prepared, index: usize, config: EngineConfig) -> Result<Self, BuildError> {
        Ok(Self::new(&prepared.formulas, &prepared.alphabet, prepared.normal[index], config)?)
    }

    fn start(&self) -> Result<Run, GaveUp> {
        Ok(Run {
            unfolded: UnfoldedGraph::start(&self.automaton, &self.labels, &self.config),
            configurations: Configurations::default(),
            is_open: Vec::new(),
            ways: Vec::new(),
            parts: Vec::new(),
        })
    }

    fn step(&self, run: &mut Run, step: Step<'_>) -> Result<Verdict, GaveUp> {
        self.step_watched(run, step, |_, _| ())
    }

    fn advance(&self, run: &mut Run, time: i64) -> Result<Verdict, GaveUp> {
        let Run { unfolded, configurations, .. } = run;
        let is_accepting = |leaf| self.is_accepting(configurations, leaf);
        unfolded.advance(&self.automaton, time, &self.implication(configurations), &is_accepting).map_err(gave_up)
    }

    fn deadline(&self, run: &Run) -> Option<i64> {
        run.unfolded.deadline(&self.automaton)
    }

    fn verdict(&self, run: &Run) -> Verdict {
        run.unfolded.verdict
    }

    fn show_step(&self, guide: &Guide<'_>, run: &mut Run, step: Step<'_>) -> Result<Vec<Stage>, WalkthroughError> {
        let mut forward = HeldGraph::default();
        self.step_watched(run, step, |Run { unfolded: graph, configurations, .. }, unfolded| {
            // More than anybody could read is told below.
            if forward.vertices.len() <= guide.most_nodes && graph.graph.len() <= guide.most_nodes {
                let text = |leaf, moment| self.leaf_text(configurations, leaf, moment);
                graph.show_unfolded(unfolded, &mut forward, &text);
            }
        })?;
        guide.allow(run.nodes())?;
        let text = |leaf, moment| self.leaf_text(&run.configurations, leaf, moment);
        let backward = Content::Graph(run.unfolded.shown(&text));
        Ok(vec![Stage::new("forward", Content::Graph(forward)), Stage::new("backward", backward)])
    }

    fn automaton_text(&self, guide: &Guide<'_>) -> Option<String> {
        guide.metric_text(&self.automaton)
    }

    fn save(&self, run: &Run, to: &mut Writer) {
        run.unfolded.save(&self.automaton, &|id| Some(run.configurations.get(id)), to);
    }

    fn restore(&self, from: &mut Reader<'_>) -> Result<Run, RestoreError> {
        let mut run = self.start().map_err(|_| RestoreError::Damaged)?;
        let Run { unfolded, configurations, .. } = &mut run;
        unfolded.restore(&self.automaton, &self.labels, &mut |one| Some(configurations.intern(one)), from)?;
        unfolded.graph.end_step(&self.implication(configurations)).map_err(|_| RestoreError::Damaged)?;
        Ok(run)
    }

    fn statistics(&self, run: &Run) -> Option<EngineStatistics> {
        Some(run.statistics())
    }

    fn summary(&self) -> Option<String> {
        Some(self.automaton.summary())
    }
}

/// The implications between leaves of both types.
struct Leaves<'a> {
    timers: TimerImplication<'a>,
    configurations: &'a Configurations,
}

impl Leaves<'_> {
    fn configuration(&self, leaf: Leaf) -> Option<&Configuration> {
        match leaf {
            Leaf::Configuration(id) => Some(self.configurations.get(id)),
            Leaf::Timer(..) => None,
        }
    }
}

impl Implies for Leaves<'_> {
    fn group(&self, leaf: Leaf) -> Option<u32> {
        match leaf {
            Leaf::Timer(..) => self.timers.group(leaf),
            // Nodes have smaller numbers.
            Leaf::Configuration(_) => Some(u32::MAX),
        }
    }

    fn implies(&self, one: Leaf, other: Leaf) -> bool {
        match (self.configuration(one), self.configuration(other)) {
            (Some(one), Some(other)) => other.follows_from(one, self.timers.automaton),
            _ => self.timers.implies(one, other),
        }
    }
}
