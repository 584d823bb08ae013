//! Sketches of metric automata tell everything that a run of the automaton needs.

use std::collections::BTreeMap;
use std::sync::Arc;
use traceward_engine::automaton::alternating::NodeId;
use traceward_engine::automaton::metric::{Clock, ClockId, Metric};
use traceward_engine::select::{Prepared, Simplification};
use traceward_export::sketch::{ClockChange, Disjuncts, Edge, Sketch};
use traceward_logic::bitmap::Bitmap;
use traceward_logic::formula::{Direction, FormulaId, Formulas, Interval};
use traceward_logic::semantics;
use traceward_logic::trace::Trace;
use traceward_testkit::agreement::{of_rows, report};
use traceward_testkit::enumerate::Shape;

/// A formula as it is written, and its automaton.
struct Example {
    formulas: Formulas,
    root: FormulaId,
    automaton: Metric,
}

impl Example {
    fn new(formulas: &Formulas, root: FormulaId) -> Self {
        let Prepared { formulas, normal, .. } = Prepared::new(formulas, &[root], Simplification::Off);
        let automaton = Metric::new(&formulas, normal[0]).expect("bounds in steps");
        Self { formulas, root: normal[0], automaton }
    }
}

/// Whether there is an accepting run: definition 2.5 as it is printed, and 2.6 at the ends of its
/// branches.
struct Runs<'a> {
    automaton: &'a Metric,
    /// Where each leaf is satisfied.
    satisfied: BTreeMap<usize, Vec<bool>>,
    len: usize,
}

impl<'a> Runs<'a> {
    fn new(example: &'a Example, trace: &Trace) -> Self {
        let Example { formulas, automaton, .. } = example;
        let leaves: Vec<(NodeId, FormulaId)> = automaton
            .node_ids()
            .filter(|&id| automaton.node(id).test().is_none())
            .map(|id| (id, automaton.node(id).formula))
            .collect();
        let roots: Vec<FormulaId> = leaves.iter().map(|(_, formula)| *formula).collect();
        let rows = semantics::truths(formulas, &roots, trace).expect("booleans do not fail");
        let satisfied = leaves.into_iter().map(|(id, formula)| (id.index(), rows[&formula].clone())).collect();
        Self { automaton, satisfied, len: trace.len }
    }

    /// The same along the arrows of a sketch: what they say of clocks is all that is known of them.
    /// `clock` is that of the timer that they leave.
    fn follows(&self, sketch: &Sketch, arrows: &Disjuncts, clock: Option<(ClockId, Clock)>, position: usize) -> bool {
        let follow = |edge: &Edge| {
            let arriving = edge.clock.map(|change| match (change, clock) {
                (ClockChange::Set(own, start), _) => (own, start),
                (ClockChange::CountDown(own), Some((left, value))) if own == left => (own, value.later()),
                (change, clock) => panic!("{change} leaves {clock:?}"),
            });
            self.node_follows(sketch, edge.to, arriving, position)
        };
        arrows.iter().any(|disjunct| disjunct.iter().all(follow))
    }

    fn node_follows(&self, sketch: &Sketch, id: NodeId, clock: Option<(ClockId, Clock)>, position: usize) -> bool {
        let (node, test) = (&sketch.nodes[id.index()], self.automaton.node(id).test());
        let Some(test) = test else { return self.satisfied[&id.index()][position] };
        let branch_ends = position + 1 == self.len || node.next.iter().all(Vec::is_empty);
        let goes_on = || self.follows(sketch, &node.next, clock, position + 1);
        test.holds(clock.expect("arrows to timers have clocks").1)
            && if branch_ends { node.accepting } else { goes_on() }
    }
}

fn future(atoms: u32, operators: usize) -> Shape {
    Shape { atoms, directions: vec![Direction::Future], ..Shape::unbounded(operators) }
}

#[test]
fn sketches_say_all_that_a_run_needs_to_know() {
    let picture = |formulas: &Formulas, root: FormulaId| {
        let example = Example::new(formulas, root);
        let names: Vec<Arc<str>> = ["a", "b"].map(Arc::from).to_vec();
        let sketch = Sketch::of_metric(&example.automaton, example.root, &example.formulas, &names, 1000);
        (sketch.expect("few disjuncts"), example)
    };
    let truth = |(sketch, example): &(Sketch, Example), trace: &Trace| {
        let runs = Runs::new(example, trace);
        (0..trace.len).map(|position| runs.follows(sketch, &sketch.start, None, position)).collect::<Bitmap>()
    };
    let some = [Interval::steps(0, Some(2)), Interval::steps(1, Some(2)), Interval::steps(1, None)];
    let pairs = of_rows("arrows", &future(1, 2).with_intervals(some), 5, picture, truth);
    report("what arrows say", "pairs of two operators and a trace", pairs);
    assert!(pairs >= 50_000, "only {pairs}");
}
