//! The configuration tree: section 3.2 of the thesis on bounded temporal logic.
//!
//! With every state the tree of all runs grows at its leaves (*forward*): a timer that still waits
//! gets the automaton δ as its sub-tree. Then the leaves are evaluated and what they say goes up
//! (*backward*): to 1 (satisfied), -1 (not) or 0 (not known yet). When that reaches the root the
//! formula is decided. What is evaluated is removed at once.
//!
//! Nothing is shared, so the tree grows with the number of runs: with the length of the trace to
//! the power of the nesting of operators. It is here for what the thesis says of it;
//! [`super::forward_backward_dag`] gives the same verdicts at the same positions.
//!
//! As printed, definition 3.2 has a second disjunction for the conjunction and both take their left
//! part twice, Eval-Back looks at the left part twice, Eval-Tree empties its input, and the main
//! loop leaves out a state. While the trace goes on, every node also knows what eval-final would
//! say of it, were this state the last.

mod show;

use super::follow::{Follow, Step};
use super::labels::{self, LabelTruth, Labels};
use super::walkthrough::{Content, Guide, Stage, WalkthroughError};
use super::{EngineConfig, EngineStatistics};
use crate::automaton::alternating::{ConditionId, NodeId};
use crate::automaton::metric::{Clock, ClockId, ClockTest, Condition, Kind, Metric};
use crate::limit::{Budget, BuildError, GaveUp, Instead, Limit, Limits, Unsupported};
use crate::prepared::Prepared;
use crate::saved::{Reader, RestoreError, Writer};
use traceward_logic::formula::{FormulaId, Formulas};
use traceward_logic::letter::Alphabet;
use traceward_logic::verdict::Verdict;

const NAME: &str = "forward-backward";

/// A formula ready to be followed with its configuration tree.
#[derive(Clone, Debug)]
pub struct ForwardBackward {
    automaton: Metric,
    labels: Labels,
    limits: Limits,
}

/// A run: the tree that has grown with the states so far.
#[derive(Clone, Debug)]
pub struct Run {
    tree: Tree,
    /// St: the timers that wait.
    leaves: Vec<TreeId>,
    truth: LabelTruth,
    has_begun: bool,
    verdict: Verdict,
    peak_nodes: usize,
    peak_leaves: usize,
    budget: Budget,
}

impl Run {
    /// The number of nodes of the tree.
    pub fn nodes(&self) -> usize {
        self.tree.live
    }

    /// The timers that wait, with their clocks, from left to right.
    pub fn leaves(&self) -> Vec<(NodeId, Clock)> {
        let leaf = |id: &TreeId| match self.tree.node(*id).kind {
            TreeKind::Leaf(node, clock) => Some((node, clock)),
            _ => None,
        };
        self.leaves.iter().filter_map(leaf).collect()
    }

    /// The highest cost of the run so far.
    pub fn statistics(&self) -> EngineStatistics {
        EngineStatistics {
            peak_configurations: None,
            peak_nodes: Some(self.peak_nodes),
            peak_leaves: Some(self.peak_leaves),
            peak_waiting: None,
            peak_bytes: self.bytes(),
        }
    }

    fn bytes(&self) -> usize {
        self.tree.nodes.capacity() * size_of::<TreeNode>() + self.leaves.capacity() * size_of::<TreeId>()
    }
}

impl ForwardBackward {
    /// Prepares a formula in negation normal form with split atoms.
    pub fn new(
        formulas: &Formulas,
        alphabet: &Alphabet,
        root: FormulaId,
        config: EngineConfig,
    ) -> Result<Self, Unsupported> {
        let automaton = labels::automaton_of_steps(NAME, formulas, root, "forward-backward-dag")?;
        let labels = Labels::new(NAME, &automaton, formulas, alphabet)?;
        Ok(Self { automaton, labels, limits: config.limits })
    }

    /// The automaton that is unfolded.
    pub fn automaton(&self) -> &Metric {
        &self.automaton
    }

    /// The tree of the automaton before the first state, then Forward of the thesis.
    fn forward(&self, run: &mut Run) -> Result<(), Limit> {
        let mut grown = Vec::new();
        if run.has_begun {
            for leaf in std::mem::take(&mut run.leaves) {
                let TreeKind::Leaf(node, clock) = run.tree.node(leaf).kind else { continue };
                let Kind::Timer { next, .. } = self.automaton.node(node).kind else { continue };
                self.translate(run, next, Some((leaf, clock)), &mut grown)?;
            }
        } else {
            run.has_begun = true;
            self.translate(run, self.automaton.root(), None, &mut grown)?;
        }
        run.leaves = grown;
        Ok(())
    }

    /// Pays for a node that the tree is about to get.
    fn pay_for_node(&self, tree: &Tree, budget: &mut Budget) -> Result<(), Limit> {
        if tree.live >= self.limits.nodes {
            return Err(Limit::Nodes(self.limits.nodes));
        }
        if tree.free.is_empty() {
            budget.charge(Tree::BYTES_PER_NODE);
        }
        budget.spend(1)
    }

    /// translate(𝒜) and Get-Leaves in one: the tree of a condition below a timer with its clock, or
    /// the whole tree. Its leaves are added to those that have grown.
    fn translate(
        &self,
        Run { tree, truth, budget, .. }: &mut Run,
        condition: ConditionId,
        below: Option<(TreeId, Clock)>,
        grown: &mut Vec<TreeId>,
    ) -> Result<(), Limit> {
        let clock = below.map_or(Clock::INFINITE, |(_, clock)| clock.later());
        let below = below.map(|(timer, _)| timer);
        let mut open = vec![(condition, below, clock)];
        let mut made = Vec::new();
        while let Some((condition, parent, clock)) = open.pop() {
            let kind = match self.automaton.condition(condition) {
                Condition::Empty => continue,
                Condition::Node(node) => TreeKind::Leaf(node, clock),
                Condition::And(..) => TreeKind::And([None; 2]),
                Condition::Or(..) => TreeKind::Or([None; 2]),
                Condition::Metric(set, _) => TreeKind::Over(Cover::Clock(set), None),
            };
            self.pay_for_node(tree, budget)?;
            let id = tree.add(parent, kind);
            made.push(id);
            match self.automaton.condition(condition) {
                Condition::Empty => {}
                Condition::Node(_) => grown.push(id),
                // What is pushed last comes first: the left part.
                Condition::And(left, right) | Condition::Or(left, right) => {
                    open.extend([(right, Some(id), clock), (left, Some(id), clock)]);
                }
                Condition::Metric(set, inner) => open.push((inner, Some(id), self.automaton.clock(set))),
            }
        }
        // Children were made after their parents.
        for id in made.into_iter().rev() {
            tree.at_end[id.index()] = match tree.node(id).kind {
                TreeKind::Leaf(node, clock) => {
                    self.evaluate(truth, node, clock).unwrap_or(self.automaton.node(node).accepting)
                }
                _ => tree.end_of(id),
            };
        }
        if let Some(below) = below {
            tree.refresh_from(below);
        }
        Ok(())
    }

    /// Eval-Tree: evaluates every leaf and sends what it says up. The value of the root, if that is
    /// known now.
    fn evaluate_leaves(&self, run: &mut Run) -> Option<bool> {
        for index in 0..run.leaves.len() {
            let leaf = run.leaves[index];
            let TreeKind::Leaf(node, clock) = run.tree.node(leaf).kind else { continue };
            if let Some(value) = self.evaluate(&run.truth, node, clock)
                && let Some(value) = run.tree.evaluate_back(leaf, value)
            {
                return Some(value);
            }
        }
        let tree = &run.tree;
        run.leaves.retain(|leaf| matches!(tree.node(*leaf).kind, TreeKind::Leaf(..)));
        None
    }

    /// Definition 3.5: 1, -1, or none for 0.
    fn evaluate(&self, truth: &LabelTruth, node: NodeId, clock: Clock) -> Option<bool> {
        match self.automaton.node(node).kind {
            Kind::Leaf(_) => Some(truth.satisfies(node)),
            Kind::Timer { test: ClockTest::Positive, .. } if ClockTest::Positive.holds(clock) => None,
            Kind::Timer { test, .. } => Some(test.holds(clock)),
        }
    }

    /// Takes the next state; `grown` looks at the tree between the forward and the backward part.
    fn step_watched<E: From<GaveUp>>(
        &self,
        run: &mut Run,
        step: Step<'_>,
        grown: impl FnOnce(&Run) -> Result<(), E>,
    ) -> Result<Verdict, E> {
        if run.verdict.is_final() {
            return Ok(run.verdict);
        }
        self.labels.read(&mut run.truth, step);
        run.budget.renew(run.bytes());
        self.forward(run).map_err(gave_up)?;
        grown(run)?;
        run.budget.spend(run.leaves.len() as u64).map_err(gave_up)?;
        run.verdict = match self.evaluate_leaves(run) {
            Some(value) => {
                run.leaves.clear();
                if value { Verdict::Satisfied } else { Verdict::Violated }
            }
            None if run.tree.holds_at_end() => Verdict::Holding,
            None => Verdict::Pending,
        };
        run.peak_nodes = run.peak_nodes.max(run.tree.live);
        run.peak_leaves = run.peak_leaves.max(run.leaves.len());
        Ok(run.verdict)
    }
}

fn gave_up(limit: Limit) -> GaveUp {
    GaveUp { engine: NAME, limit, instead: &[Instead::GRAPH, Instead::REVERSE] }
}

impl Follow for ForwardBackward {
    type Run = Run;
    const NAME: &'static str = NAME;

    fn compile(prepared: &Prepared, index: usize, config: EngineConfig) -> Result<Self, BuildError> {
        Ok(Self::new(&prepared.formulas, &prepared.alphabet, prepared.normal[index], config)?)
    }

    fn start(&self) -> Result<Run, GaveUp> {
        Ok(Run {
            tree: Tree::default(),
            leaves: Vec::new(),
            truth: self.labels.start(),
            has_begun: false,
            verdict: Verdict::Pending,
            peak_nodes: 0,
            peak_leaves: 0,
            budget: Budget::new(&self.limits),
        })
    }

    fn step(&self, run: &mut Run, step: Step<'_>) -> Result<Verdict, GaveUp> {
        self.step_watched(run, step, |_| Ok(()))
    }

    fn verdict(&self, run: &Run) -> Verdict {
        run.verdict
    }

    fn show_step(&self, guide: &Guide<'_>, run: &mut Run, step: Step<'_>) -> Result<Vec<Stage>, WalkthroughError> {
        let mut stages = Vec::new();
        self.step_watched(run, step, |run| {
            guide.allow(run.tree.live)?;
            stages.push(Stage::new("forward", Content::Graph(self.evaluated(run))));
            Ok::<_, WalkthroughError>(())
        })?;
        stages.push(Stage::new("backward", Content::Graph(self.shown(run))));
        Ok(stages)
    }

    fn automaton_text(&self, guide: &Guide<'_>) -> Option<String> {
        guide.metric_text(&self.automaton)
    }

    fn save(&self, run: &Run, to: &mut Writer) {
        Labels::save(&run.truth, to);
        to.verdict(run.verdict);
        to.bit(run.has_begun);
        to.size(run.peak_nodes);
        to.size(run.peak_leaves);
        run.tree.save(to);
    }

    fn restore(&self, from: &mut Reader<'_>) -> Result<Run, RestoreError> {
        let truth = self.labels.restore(from)?;
        let (verdict, has_begun) = (from.verdict()?, from.bit()?);
        let (peak_nodes, peak_leaves) = (from.size()?, from.size()?);
        let (tree, leaves) = self.restored_tree(from)?;
        let budget = Budget::new(&self.limits);
        Ok(Run { tree, leaves, truth, has_begun, verdict, peak_nodes, peak_leaves, budget })
    }

    fn statistics(&self, run: &Run) -> Option<EngineStatistics> {
        Some(run.statistics())
    }

    fn summary(&self) -> Option<String> {
        Some(self.automaton.summary())
    }
}

impl ForwardBackward {
    /// A tree that was saved, and its leaves from left to right.
    fn restored_tree(&self, from: &mut Reader<'_>) -> Result<(Tree, Vec<TreeId>), RestoreError> {
        let (mut tree, mut leaves) = (Tree::default(), Vec::new());
        let mut open = if from.bit()? { vec![None] } else { Vec::new() };
        while let Some(parent) = open.pop() {
            let (kind, below) = self.restored_node(from)?;
            let id = tree.add(parent, kind);
            if let TreeKind::Leaf(..) = kind {
                leaves.push(id);
            }
            open.extend((0..below).map(|_| Some(id)));
        }
        // Nodes were made after their parents.
        for id in (0..tree.nodes.len()).rev().map(|index| TreeId(index as u32)) {
            tree.at_end[id.index()] = match tree.node(id).kind {
                TreeKind::Leaf(node, _) => self.automaton.node(node).accepting,
                _ => tree.end_of(id),
            };
        }
        Ok((tree, leaves))
    }

    /// A node that was saved, and how many are below it.
    fn restored_node(&self, from: &mut Reader<'_>) -> Result<(TreeKind, usize), RestoreError> {
        Ok(match from.tag()? {
            0 => {
                let node = NodeId::new(from.index(self.automaton.nodes().len())?);
                let clock = from.optional()?.map_or(Clock::INFINITE, Clock::new);
                (TreeKind::Leaf(node, clock), 0)
            }
            1 => (TreeKind::Over(Cover::Forgotten, None), 1),
            tag @ (2 | 3) => (TreeKind::And([None; 2]), usize::from(tag) - 1),
            tag @ (4 | 5) => (TreeKind::Or([None; 2]), usize::from(tag) - 3),
            _ => return Err(RestoreError::Damaged),
        })
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct TreeId(u32);

impl TreeId {
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// Nodes in an arena with a list of free places.
#[derive(Clone, Debug, Default)]
struct Tree {
    nodes: Vec<TreeNode>,
    /// The answer of eval-final for each node, were this state the last.
    at_end: Vec<bool>,
    free: Vec<TreeId>,
    live: usize,
    root: Option<TreeId>,
}

#[derive(Clone, Copy, Debug)]
struct TreeNode {
    parent: Option<TreeId>,
    kind: TreeKind,
}

#[derive(Clone, Copy, Debug)]
enum TreeKind {
    Free,
    /// A node of the automaton without a sub-tree.
    Leaf(NodeId, Clock),
    /// Something over its sub-tree.
    Over(Cover, Option<TreeId>),
    /// A branching point; a side that does not matter any more is gone.
    And([Option<TreeId>; 2]),
    Or([Option<TreeId>; 2]),
}

/// The thing that stands over a sub-tree. Only a reader asks.
#[derive(Clone, Copy, Debug)]
enum Cover {
    /// A timer.
    Timer(NodeId),
    /// A clock that was set for all that is below.
    Clock(ClockId),
    /// One of the two, in a tree that was saved: nothing depends on which it was.
    Forgotten,
}

impl Tree {
    /// The bytes that a node takes at the most while the arena grows, with its place in the lists
    /// of what was made and of what waits.
    const BYTES_PER_NODE: usize = 2 * (size_of::<TreeNode>() + size_of::<bool>() + 2 * size_of::<TreeId>());

    fn node(&self, id: TreeId) -> &TreeNode {
        &self.nodes[id.index()]
    }

    fn holds_at_end(&self) -> bool {
        self.root.is_some_and(|root| self.at_end[root.index()])
    }

    fn add(&mut self, parent: Option<TreeId>, kind: TreeKind) -> TreeId {
        let node = TreeNode { parent, kind };
        let id = match self.free.pop() {
            Some(id) => {
                self.nodes[id.index()] = node;
                id
            }
            None => {
                self.nodes.push(node);
                self.at_end.push(false);
                TreeId(self.nodes.len() as u32 - 1)
            }
        };
        self.live += 1;
        match parent {
            Some(parent) => self.hang(id, parent),
            None => self.root = Some(id),
        }
        id
    }

    /// Puts a node below its parent; a leaf becomes a timer over it.
    fn hang(&mut self, id: TreeId, parent: TreeId) {
        let kind = &mut self.nodes[parent.index()].kind;
        match kind {
            TreeKind::And(sides) | TreeKind::Or(sides) => {
                let side = sides.iter_mut().find(|side| side.is_none()).expect("a side that is not there yet");
                *side = Some(id);
            }
            TreeKind::Over(_, below) => *below = Some(id),
            TreeKind::Leaf(node, _) => *kind = TreeKind::Over(Cover::Timer(*node), Some(id)),
            TreeKind::Free => unreachable!("a free place has nothing below it"),
        }
    }

    /// The nodes below a node, from left to right.
    fn below(&self, id: TreeId) -> Vec<TreeId> {
        match self.node(id).kind {
            TreeKind::Free | TreeKind::Leaf(..) => Vec::new(),
            TreeKind::Over(_, below) => below.into_iter().collect(),
            TreeKind::And(sides) | TreeKind::Or(sides) => sides.into_iter().flatten().collect(),
        }
    }

    /// Writes all nodes, parents before what is below them, and left before right.
    fn save(&self, to: &mut Writer) {
        to.bit(self.root.is_some());
        let mut open: Vec<TreeId> = self.root.into_iter().collect();
        while let Some(id) = open.pop() {
            let below = self.below(id);
            match self.node(id).kind {
                TreeKind::Leaf(node, clock) => {
                    to.tag(0);
                    to.size(node.index());
                    to.optional(clock.left());
                }
                TreeKind::Free | TreeKind::Over(..) => to.tag(1),
                TreeKind::And(_) => to.tag(1 + below.len() as u8),
                TreeKind::Or(_) => to.tag(3 + below.len() as u8),
            }
            open.extend(below.into_iter().rev());
        }
    }

    /// The answer of eval-final for an inner node, from the answers for the nodes below. A side
    /// that is gone had an answer that does not matter.
    fn end_of(&self, id: TreeId) -> bool {
        let at_end = |side: &TreeId| self.at_end[side.index()];
        match &self.node(id).kind {
            TreeKind::Free | TreeKind::Leaf(..) => self.at_end[id.index()],
            TreeKind::Over(_, below) => below.as_ref().is_some_and(at_end),
            TreeKind::And(sides) => sides.iter().flatten().all(at_end),
            TreeKind::Or(sides) => sides.iter().flatten().any(at_end),
        }
    }

    /// Corrects what eval-final says, upwards as long as it changes.
    fn refresh_from(&mut self, id: TreeId) {
        let mut id = Some(id);
        while let Some(here) = id {
            let end = self.end_of(here);
            if self.at_end[here.index()] == end {
                return;
            }
            self.at_end[here.index()] = end;
            id = self.node(here).parent;
        }
    }

    /// Eval-Back: a node has this value. Goes up as far as that decides something, removes what is
    /// decided, and returns the value of the root if it came that far.
    fn evaluate_back(&mut self, evaluated: TreeId, value: bool) -> Option<bool> {
        let mut id = evaluated;
        while let Some(parent) = self.node(id).parent {
            // The value that decides a branching point, and whether another side is left otherwise.
            let (decides, sides) = match &mut self.nodes[parent.index()].kind {
                TreeKind::Over(..) => (value, [None; 2]),
                TreeKind::And(sides) => (false, *sides),
                TreeKind::Or(sides) => (true, *sides),
                TreeKind::Free | TreeKind::Leaf(..) => unreachable!("a parent has something below it"),
            };
            let others = sides.iter().flatten().any(|side| *side != id);
            if value != decides && others {
                self.forget_side(parent, id);
                self.remove(id);
                self.refresh_from(parent);
                return None;
            }
            id = parent;
        }
        self.remove(id);
        self.root = None;
        Some(value)
    }

    fn forget_side(&mut self, parent: TreeId, gone: TreeId) {
        if let TreeKind::And(sides) | TreeKind::Or(sides) = &mut self.nodes[parent.index()].kind {
            for side in sides.iter_mut().filter(|side| **side == Some(gone)) {
                *side = None;
            }
        }
    }

    /// Frees a node and all below it.
    fn remove(&mut self, id: TreeId) {
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            match std::mem::replace(&mut self.nodes[id.index()].kind, TreeKind::Free) {
                TreeKind::Free | TreeKind::Leaf(..) => {}
                TreeKind::Over(_, below) => open.extend(below),
                TreeKind::And(sides) | TreeKind::Or(sides) => open.extend(sides.into_iter().flatten()),
            }
            self.free.push(id);
            self.live -= 1;
        }
    }
}
