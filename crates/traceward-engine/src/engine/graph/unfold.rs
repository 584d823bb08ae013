//! From conditions of an automaton to the graph, one state further.

use super::{Deadline, Graph, GraphValue, Junction, Leaf, Moment};
use crate::automaton::alternating::{ConditionId, NodeId};
use crate::automaton::metric::{Clock, ClockId, Condition, Kind, Metric, Stronger};
use crate::engine::labels::LabelTruth;
use crate::limit::Limit;

/// What has been unfolded of an automaton at a position. A condition that does not depend on the
/// clock around it means the same wherever it is met, and is unfolded once.
#[derive(Clone, Debug)]
pub(in crate::engine) struct GraphUnfolding {
    /// By the index of a condition that depends on no clock: the position after which this was
    /// found, and what.
    found: Vec<(u64, GraphValue)>,
    tasks: Vec<Task>,
    values: Vec<GraphValue>,
}

#[derive(Clone, Copy, Debug)]
enum Task {
    /// Find the value of a condition whose clock runs out then.
    Find(ConditionId, Deadline),
    /// With the value of one side known, look at the other.
    Second(Junction, ConditionId, Deadline),
    /// Join both sides.
    Join(Junction),
    /// Keep the value.
    Keep(ConditionId),
}

/// No position.
const NEVER: u64 = u64::MAX;

/// The dependence of each condition of an automaton on the clock around it.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Dependence(Vec<bool>);

impl Dependence {
    /// The conditions that depend on the clock around them: those with a timer outside of metric
    /// sub-automata.
    pub(in crate::engine) fn new(automaton: &Metric) -> Self {
        let mut depends = Vec::new();
        for id in automaton.condition_ids() {
            depends.push(match automaton.condition(id) {
                Condition::Empty | Condition::Metric(..) => false,
                Condition::Node(node) => automaton.node(node).test().is_some(),
                Condition::And(left, right) | Condition::Or(left, right) => {
                    depends[left.index()] || depends[right.index()]
                }
            });
        }
        Self(depends)
    }

    pub(in crate::engine) fn is_closed(&self, condition: ConditionId) -> bool {
        !self.0[condition.index()]
    }
}

/// The automaton that is unfolded, and the state that it is unfolded with.
#[derive(Clone, Copy)]
pub(in crate::engine) struct Scene<'a> {
    pub(in crate::engine) automaton: &'a Metric,
    pub(in crate::engine) dependence: &'a Dependence,
    pub(in crate::engine) truth: &'a LabelTruth,
    pub(in crate::engine) now: Moment,
}

impl Scene<'_> {
    /// Whether a leaf is a delay that is not over, and looks at nothing before it is.
    pub(in crate::engine) fn rests(self, leaf: Leaf) -> bool {
        let Leaf::Timer(node, deadline) = leaf else { return false };
        match self.automaton.node(node).kind {
            Kind::Timer { test, clock, stronger: Stronger::Neither, .. } => test.holds(self.clock(clock, deadline)),
            _ => false,
        }
    }

    fn clock(self, clock: ClockId, deadline: Deadline) -> Clock {
        deadline.clock_at(self.automaton.unit(clock), self.now)
    }

    /// The value of a node whose clock runs out then.
    fn node(self, node: NodeId, deadline: Deadline) -> GraphValue {
        let Kind::Timer { test, clock, .. } = self.automaton.node(node).kind else {
            return GraphValue::Known(self.truth.satisfies(node));
        };
        match test.holds(self.clock(clock, deadline)) {
            true if self.automaton.goes_on(node) => GraphValue::Waits(Leaf::Timer(node, deadline)),
            value => GraphValue::Known(value),
        }
    }
}

impl GraphUnfolding {
    pub(in crate::engine) fn new(automaton: &Metric) -> Self {
        Self {
            found: vec![(NEVER, GraphValue::Known(false)); automaton.condition_ids().count()],
            tasks: Vec::new(),
            values: Vec::new(),
        }
    }

    /// The value of a timer that waited for the state at the position: the value of its δ.
    pub(in crate::engine) fn timer(
        &mut self,
        scene: Scene<'_>,
        graph: &mut Graph,
        node: NodeId,
        deadline: Deadline,
    ) -> Result<GraphValue, Limit> {
        let Kind::Timer { next, .. } = scene.automaton.node(node).kind else { unreachable!("only timers wait") };
        self.value(scene, graph, next, deadline)
    }

    /// The value of a condition at the position, given the state there: translate, evaluated on the
    /// way.
    pub(in crate::engine) fn value(
        &mut self,
        scene: Scene<'_>,
        graph: &mut Graph,
        condition: ConditionId,
        deadline: Deadline,
    ) -> Result<GraphValue, Limit> {
        self.tasks.push(Task::Find(condition, deadline));
        while let Some(task) = self.tasks.pop() {
            graph.spend(1)?;
            match task {
                Task::Find(condition, deadline) => {
                    self.find(scene, graph, condition, deadline);
                }
                Task::Second(junction, second, deadline) => {
                    let first = *self.values.last().expect("the value of the first side");
                    if first != GraphValue::Known(junction.decisive()) {
                        self.tasks.extend([Task::Join(junction), Task::Find(second, deadline)]);
                    }
                }
                Task::Join(junction) => {
                    let second = self.values.pop().expect("the value of the second side");
                    let first = self.values.pop().expect("the value of the first side");
                    self.values.push(graph.join_two(junction, first, second));
                }
                Task::Keep(condition) => {
                    let value = *self.values.last().expect("a value");
                    self.found[condition.index()] = (scene.now.position, value);
                }
            }
        }
        Ok(self.values.pop().expect("a value"))
    }

    fn find(&mut self, scene: Scene<'_>, graph: &mut Graph, condition: ConditionId, deadline: Deadline) {
        let whole = scene.automaton.condition(condition);
        if let Condition::Node(node) = whole {
            let value = scene.node(node, deadline);
            self.values.push(value);
            return;
        }
        if scene.dependence.is_closed(condition) {
            let (position, value) = self.found[condition.index()];
            if position == scene.now.position {
                self.values.push(value);
                return;
            }
            self.tasks.push(Task::Keep(condition));
        }
        match whole {
            Condition::Empty => self.values.push(GraphValue::Known(true)),
            Condition::Node(_) => unreachable!("done above"),
            Condition::And(left, right) => {
                self.sides(scene, graph, Junction::And, [left, right], deadline);
            }
            Condition::Or(left, right) => {
                self.sides(scene, graph, Junction::Or, [left, right], deadline);
            }
            Condition::Metric(clock, inner) => {
                let deadline = Deadline::of(scene.automaton.clock(clock), scene.automaton.unit(clock), scene.now);
                self.tasks.push(Task::Find(inner, deadline));
            }
        }
    }

    /// Looks at single nodes at once: most conditions are decided by them.
    fn sides(
        &mut self,
        scene: Scene<'_>,
        graph: &mut Graph,
        junction: Junction,
        [left, right]: [ConditionId; 2],
        deadline: Deadline,
    ) {
        let decisive = GraphValue::Known(junction.decisive());
        let value = |side| match scene.automaton.condition(side) {
            Condition::Node(node) => Some(scene.node(node, deadline)),
            _ => None,
        };
        let (known, other) = match (value(left), value(right)) {
            (Some(left), Some(right)) => {
                let both = graph.join_two(junction, left, right);
                self.values.push(both);
                return;
            }
            (Some(known), None) => (known, right),
            (None, Some(known)) => (known, left),
            (None, None) => {
                self.tasks.extend([Task::Second(junction, right, deadline), Task::Find(left, deadline)]);
                return;
            }
        };
        self.values.push(known);
        if known != decisive {
            self.tasks.extend([Task::Join(junction), Task::Find(other, deadline)]);
        }
    }
}
