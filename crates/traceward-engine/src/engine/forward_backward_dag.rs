//! The configuration graph: section 3.3 of the thesis on bounded temporal logic.
//!
//! As in [`super::forward_backward`] the automaton is unfolded with every state and evaluated
//! backwards, but leaves of the same timer and clock are one, evaluated parts are removed at once,
//! and branching points with one child are replaced by it. The number of leaves is bounded by
//! formula and constants, so the graph grows at most linearly with the trace, and not at all with a
//! formula that has only finite bounds: that one is decided, and the graph gone, after as many
//! steps as its bounds add up to.
//!
//! The module `graph` has how, and the misprints.

use super::follow::{Follow, Step};
use super::graph::{Deadline, Dependence, Implies, Leaf, Moment, Scene, Unfolded, UnfoldedGraph, timer_text};
use super::labels::{self, LabelTruth, Labels};
use super::walkthrough::{Content, Guide, HeldGraph, Stage, WalkthroughError};
use super::{EngineConfig, EngineStatistics};
use crate::automaton::alternating::NodeId;
use crate::automaton::metric::{Clock, Kind, Metric, Stronger};
use crate::limit::{BuildError, GaveUp, Instead, Limit, Unsupported};
use crate::prepared::Prepared;
use crate::saved::{Reader, RestoreError, Writer};
use traceward_logic::formula::{FormulaId, Formulas};
use traceward_logic::letter::Alphabet;
use traceward_logic::verdict::Verdict;

const NAME: &str = "forward-backward-dag";

/// A formula ready to be followed with its configuration graph.
#[derive(Clone, Debug)]
pub struct ForwardBackwardDag {
    automaton: Metric,
    dependence: Dependence,
    labels: Labels,
    config: EngineConfig,
}

/// A graph that has been unfolded so far.
#[derive(Clone, Debug)]
pub struct Run(UnfoldedGraph);

impl Run {
    /// The number of nodes of the graph.
    pub fn nodes(&self) -> usize {
        self.0.graph.len()
    }

    /// The highest cost of the run so far.
    pub fn statistics(&self) -> EngineStatistics {
        let peaks = self.0.graph.peaks();
        EngineStatistics {
            peak_configurations: None,
            peak_nodes: Some(peaks.vertices),
            peak_leaves: Some(peaks.timers),
            peak_waiting: None,
            peak_bytes: self.0.graph.bytes(),
        }
    }
}

impl ForwardBackwardDag {
    /// Prepares a formula in negation normal form with split atoms.
    pub fn new(
        formulas: &Formulas,
        alphabet: &Alphabet,
        root: FormulaId,
        config: EngineConfig,
    ) -> Result<Self, Unsupported> {
        let automaton = labels::automaton(NAME, formulas, root)?;
        let labels = Labels::new(NAME, &automaton, formulas, alphabet)?;
        Ok(Self { dependence: Dependence::new(&automaton), automaton, labels, config })
    }

    /// The automaton that is unfolded.
    pub fn automaton(&self) -> &Metric {
        &self.automaton
    }

    /// The timers that wait in a run, with the clocks they have at the last state, in order.
    pub fn leaves(&self, run: &Run) -> Vec<(NodeId, Clock)> {
        run.0.timers(&self.automaton)
    }

    fn is_accepting(&self, leaf: Leaf) -> bool {
        matches!(leaf, Leaf::Timer(node, _) if self.automaton.node(node).accepting)
    }

    /// Unfolds the graph with the state that was read; `watch` sees what takes the place of each
    /// leaf.
    fn unfold(&self, run: &mut UnfoldedGraph, mut watch: impl FnMut(&UnfoldedGraph, Unfolded)) -> Result<(), Limit> {
        if run.position == 0 {
            let UnfoldedGraph { graph, unfolding, truth, now, .. } = run;
            let root = unfolding.value(self.scene(truth, *now), graph, self.automaton.root(), Deadline::NEVER)?;
            watch(run, Unfolded { leaf: None, by: root });
            run.graph.set_root(root);
            return Ok(());
        }
        run.graph.begin_step();
        while let Some((id, leaf)) = run.graph.next_due(self.scene(&run.truth, run.now)) {
            let Leaf::Timer(node, deadline) = leaf else { unreachable!("there are no configurations") };
            let UnfoldedGraph { graph, unfolding, truth, now, .. } = run;
            let by = unfolding.timer(self.scene(truth, *now), graph, node, deadline)?;
            watch(run, Unfolded { leaf: Some(leaf), by });
            run.graph.replace(id, leaf, by);
            run.graph.spend(1)?;
        }
        Ok(())
    }

    fn scene<'a>(&'a self, truth: &'a LabelTruth, now: Moment) -> Scene<'a> {
        Scene { automaton: &self.automaton, dependence: &self.dependence, truth, now }
    }

    /// Takes the next state; `watch` sees what takes the place of each leaf.
    fn step_watched(
        &self,
        run: &mut UnfoldedGraph,
        step: Step<'_>,
        watch: impl FnMut(&UnfoldedGraph, Unfolded),
    ) -> Result<Verdict, GaveUp> {
        if run.verdict.is_final() {
            return Ok(run.verdict);
        }
        self.labels.read(&mut run.truth, step);
        run.arrive(step.time);
        self.unfold(run, watch).map_err(gave_up)?;
        let implies = TimerImplication { automaton: &self.automaton };
        run.conclude(&implies, &|leaf| self.is_accepting(leaf)).map_err(gave_up)
    }

    /// The text of a leaf with the clock that it has at a moment.
    fn leaf_text(&self, leaf: Leaf, moment: Moment) -> String {
        timer_text(&self.automaton, leaf, moment).unwrap_or_default()
    }
}

fn gave_up(limit: Limit) -> GaveUp {
    GaveUp { engine: NAME, limit, instead: &[Instead::REVERSE] }
}

impl Follow for ForwardBackwardDag {
    type Run = Run;
    const NAME: &'static str = NAME;

    fn compile(prepared: &Prepared, index: usize, config: EngineConfig) -> Result<Self, BuildError> {
        Ok(Self::new(&prepared.formulas, &prepared.alphabet, prepared.normal[index], config)?)
    }

    fn start(&self) -> Result<Run, GaveUp> {
        Ok(Run(UnfoldedGraph::start(&self.automaton, &self.labels, &self.config)))
    }

    fn step(&self, Run(run): &mut Run, step: Step<'_>) -> Result<Verdict, GaveUp> {
        self.step_watched(run, step, |_, _| ())
    }

    fn advance(&self, Run(run): &mut Run, time: i64) -> Result<Verdict, GaveUp> {
        let implies = TimerImplication { automaton: &self.automaton };
        run.advance(&self.automaton, time, &implies, &|leaf| self.is_accepting(leaf)).map_err(gave_up)
    }

    fn deadline(&self, Run(run): &Run) -> Option<i64> {
        run.deadline(&self.automaton)
    }

    fn verdict(&self, run: &Run) -> Verdict {
        run.0.verdict
    }

    fn show_step(&self, guide: &Guide<'_>, Run(run): &mut Run, step: Step<'_>) -> Result<Vec<Stage>, WalkthroughError> {
        let text = |leaf, moment| self.leaf_text(leaf, moment);
        let mut forward = HeldGraph::default();
        self.step_watched(run, step, |run, unfolded| {
            // More than anybody could read is told below.
            if forward.vertices.len() <= guide.most_nodes && run.graph.len() <= guide.most_nodes {
                run.show_unfolded(unfolded, &mut forward, &text);
            }
        })?;
        guide.allow(run.graph.len())?;
        let backward = Content::Graph(run.shown(&text));
        Ok(vec![Stage::new("forward", Content::Graph(forward)), Stage::new("backward", backward)])
    }

    fn automaton_text(&self, guide: &Guide<'_>) -> Option<String> {
        guide.metric_text(&self.automaton)
    }

    fn save(&self, run: &Run, to: &mut Writer) {
        run.0.save(&self.automaton, &|_| None, to);
    }

    fn restore(&self, from: &mut Reader<'_>) -> Result<Run, RestoreError> {
        let mut run = self.start().map_err(|_| RestoreError::Damaged)?;
        run.0.restore(&self.automaton, &self.labels, &mut |_| None, from)?;
        run.0.graph.end_step(&TimerImplication { automaton: &self.automaton }).map_err(|_| RestoreError::Damaged)?;
        Ok(run)
    }

    fn statistics(&self, run: &Run) -> Option<EngineStatistics> {
        Some(run.statistics())
    }

    fn summary(&self) -> Option<String> {
        Some(self.automaton.summary())
    }
}

/// The implications between timers: only timers of one window imply each other, see claim 3.2.
pub(super) struct TimerImplication<'a> {
    pub(super) automaton: &'a Metric,
}

impl Implies for TimerImplication<'_> {
    fn group(&self, leaf: Leaf) -> Option<u32> {
        let Leaf::Timer(node, _) = leaf else { return None };
        let Kind::Timer { stronger, .. } = self.automaton.node(node).kind else { return None };
        (stronger != Stronger::Neither).then(|| node.index() as u32)
    }

    fn implies(&self, one: Leaf, other: Leaf) -> bool {
        let (Leaf::Timer(node, one), Leaf::Timer(_, other)) = (one, other) else { return false };
        let Kind::Timer { stronger, .. } = self.automaton.node(node).kind else { return false };
        // Deadlines compare as clocks do, and clocks of timers that wait are as these ask for.
        match stronger {
            Stronger::Smaller => one <= other,
            Stronger::Larger => one >= other,
            Stronger::Neither => one == other,
        }
    }
}
