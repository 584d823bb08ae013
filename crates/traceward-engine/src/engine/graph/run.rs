//! The part of a run that is the same for every engine with a graph: how far it was unfolded, and
//! what that came to.

use super::keep::Numbering;
use super::{ConfigurationId, Deadline, Graph, GraphUnfolding, GraphValue, Implies, Leaf, Moment};
use crate::automaton::alternating::NodeId;
use crate::automaton::metric::{Clock, ClockTest, Metric};
use crate::engine::EngineConfig;
use crate::engine::configuration::Configuration;
use crate::engine::labels::{LabelTruth, Labels};
use crate::limit::Limit;
use crate::saved::{Reader, RestoreError, Writer};
use traceward_logic::formula::Unit;
use traceward_logic::verdict::Verdict;

/// A graph that has been unfolded with the states of a trace so far.
#[derive(Clone, Debug)]
pub(in crate::engine) struct UnfoldedGraph {
    pub(in crate::engine) graph: Graph,
    pub(in crate::engine) unfolding: GraphUnfolding,
    pub(in crate::engine) truth: LabelTruth,
    /// The number of states that were taken.
    pub(in crate::engine) position: u64,
    /// The moment of the state that is being taken, and of the one before it.
    pub(in crate::engine) now: Moment,
    pub(in crate::engine) before: Moment,
    pub(in crate::engine) verdict: Verdict,
}

impl UnfoldedGraph {
    /// The graph before the first state.
    pub(in crate::engine) fn start(automaton: &Metric, labels: &Labels, config: &EngineConfig) -> Self {
        Self {
            graph: Graph::new(config.subsumption.in_graphs(), &config.limits),
            unfolding: GraphUnfolding::new(automaton),
            truth: labels.start(),
            position: 0,
            now: Moment::default(),
            before: Moment::default(),
            verdict: Verdict::Pending,
        }
    }

    /// A state comes.
    pub(in crate::engine) fn arrive(&mut self, time: Option<i64>) {
        self.before = self.now;
        self.now = Moment::new(self.position, time);
    }

    pub(in crate::engine) fn leaves(&self) -> impl Iterator<Item = Leaf> + '_ {
        self.graph.leaves().iter().filter_map(|id| self.graph.leaf(*id))
    }

    /// The timers that wait, with the clocks they have at the last state, in order.
    pub(in crate::engine) fn timers(&self, automaton: &Metric) -> Vec<(NodeId, Clock)> {
        let timer = |leaf| match leaf {
            Leaf::Timer(node, deadline) => Some((node, deadline.clock_at(automaton.unit_of(node), self.now))),
            Leaf::Configuration(_) => None,
        };
        let mut timers: Vec<_> = self.leaves().filter_map(timer).collect();
        timers.sort_unstable();
        timers
    }

    /// Ends the step of a state with which the graph was unfolded, and returns the verdict after
    /// it.
    pub(in crate::engine) fn conclude(
        &mut self,
        implies: &dyn Implies,
        is_accepting: &dyn Fn(Leaf) -> bool,
    ) -> Result<Verdict, Limit> {
        self.position += 1;
        self.settle(implies, is_accepting)
    }

    /// Learns that no later state has a timestamp below a time, and returns the verdict after that.
    /// What waited in a window that has closed is as it is at the end of the trace.
    pub(in crate::engine) fn advance(
        &mut self,
        automaton: &Metric,
        time: i64,
        implies: &dyn Implies,
        is_accepting: &dyn Fn(Leaf) -> bool,
    ) -> Result<Verdict, Limit> {
        if self.verdict.is_final() || self.deadline(automaton).is_none_or(|first| time <= first) {
            return Ok(self.verdict);
        }
        let clock = Moment::new(self.position, Some(time));
        self.graph.close(|leaf| {
            let is_closed = window_in_time(automaton, leaf)?.clock_at(Unit::Time, clock) < Clock::ZERO;
            is_closed.then(|| is_accepting(leaf))
        });
        self.settle(implies, is_accepting)
    }

    /// The first time at which a window closes in which a timer waits.
    pub(in crate::engine) fn deadline(&self, automaton: &Metric) -> Option<i64> {
        let windows = self.leaves().filter_map(|leaf| window_in_time(automaton, leaf));
        windows.min().and_then(Deadline::time)
    }

    fn settle(&mut self, implies: &dyn Implies, is_accepting: &dyn Fn(Leaf) -> bool) -> Result<Verdict, Limit> {
        self.graph.end_step(implies)?;
        self.verdict = match self.graph.root() {
            GraphValue::Known(true) => Verdict::Satisfied,
            GraphValue::Known(false) => Verdict::Violated,
            _ if self.graph.holds_at_end(is_accepting) => Verdict::Holding,
            _ => Verdict::Pending,
        };
        Ok(self.verdict)
    }

    /// Writes the graph and how far it is; `configuration` tells which has a number.
    pub(in crate::engine) fn save<'a>(
        &self,
        automaton: &Metric,
        configuration: &dyn Fn(ConfigurationId) -> Option<&'a Configuration>,
        to: &mut Writer,
    ) {
        Labels::save(&self.truth, to);
        to.number(self.position);
        if automaton.is_timed() {
            to.number(self.now.time);
        }
        to.verdict(self.verdict);
        self.graph.save(configuration, to);
    }

    /// Reads into a graph before the first state what was written of one over the same automaton.
    /// Its leaves are still to be compared, as at the end of a step.
    pub(in crate::engine) fn restore(
        &mut self,
        automaton: &Metric,
        labels: &Labels,
        number: &mut Numbering<'_>,
        from: &mut Reader<'_>,
    ) -> Result<(), RestoreError> {
        self.truth = labels.restore(from)?;
        self.position = from.number()?;
        let time = if automaton.is_timed() { from.number()? } else { 0 };
        self.now = Moment { position: self.position.saturating_sub(1), time };
        self.verdict = from.verdict()?;
        self.graph.restore(automaton, number, from)
    }
}

/// The end of the window in time that a timer waits in. A delay is none: whether its clock is that
/// of a window does not show.
fn window_in_time(automaton: &Metric, leaf: Leaf) -> Option<Deadline> {
    match leaf {
        Leaf::Timer(node, deadline) if automaton.node(node).test() == Some(ClockTest::Open) => Some(deadline),
        Leaf::Timer(..) | Leaf::Configuration(_) => None,
    }
}
