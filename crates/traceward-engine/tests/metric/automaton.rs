//! Chapter 2 of the thesis: its figures, the size of the automata, and runs by definition 2.5
//! against the semantics.

use std::collections::BTreeMap;
use std::sync::Arc;
use traceward_engine::automaton::alternating::{ConditionId, NodeId};
use traceward_engine::automaton::metric::{Clock, ClockId, ClockTest, Condition, Kind, Metric, Node};
use traceward_engine::select::{Prepared, Simplification};
use traceward_logic::bitmap::Bitmap;
use traceward_logic::formula::{Direction, FormulaId, Formulas, Interval};
use traceward_logic::lower::{Claim, Goal};
use traceward_logic::semantics;
use traceward_logic::trace::Trace;
use traceward_testkit::agreement::{of_rows, report};
use traceward_testkit::enumerate::Shape;
use traceward_testkit::{corpus, lowered};

/// A formula as it is written, and its automaton.
struct Example {
    formulas: Formulas,
    automaton: Metric,
}

impl Example {
    fn new(formulas: &Formulas, root: FormulaId) -> Self {
        let Prepared { formulas, normal, .. } = Prepared::new(formulas, &[root], Simplification::Off);
        let automaton = Metric::new(&formulas, normal[0]).expect("bounds in steps");
        Self { formulas, automaton }
    }
}

/// The automaton of a text, and the names in it.
fn parsed(text: &str) -> (Example, Vec<Arc<str>>) {
    let lowered = lowered(text, Goal::Check, None, None).expect("a formula");
    let Claim::Formula(root) = lowered.properties[0].claim else { panic!("{text} is a formula") };
    (Example::new(&lowered.formulas, root), lowered.variables.names())
}

/// The start, and what the nodes of the automaton of a text are: label, δ if it is a timer, and
/// flag.
fn described(text: &str) -> (String, Vec<(String, String, bool)>) {
    let (Example { formulas, automaton }, names) = parsed(text);
    let describe = |id: NodeId| {
        let next = match automaton.node(id).kind {
            Kind::Leaf(_) => String::new(),
            Kind::Timer { next, .. } => automaton.condition_text(next),
        };
        (automaton.label_text(id, &formulas, &names), next, automaton.node(id).accepting)
    };
    (automaton.condition_text(automaton.root()), automaton.node_ids().map(describe).collect())
}

fn node(label: &str, next: &str, accepting: bool) -> (String, String, bool) {
    (label.to_owned(), next.to_owned(), accepting)
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
        let Example { formulas, automaton } = example;
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

    /// Of the trace from a position on, in an automaton, with a clock. The definition knows of one
    /// clock at a time; we also look whose it is, because a timer names the one that it asks.
    fn accepts(&self, automaton: ConditionId, clock: Option<(ClockId, Clock)>, position: usize) -> bool {
        match self.automaton.condition(automaton) {
            Condition::Empty => true,
            Condition::Node(id) => self.node_accepts(id, clock, position),
            Condition::And(left, right) => self.accepts(left, clock, position) && self.accepts(right, clock, position),
            Condition::Or(left, right) => self.accepts(left, clock, position) || self.accepts(right, clock, position),
            Condition::Metric(own, inner) => self.accepts(inner, Some((own, self.automaton.clock(own))), position),
        }
    }

    fn node_accepts(&self, id: NodeId, clock: Option<(ClockId, Clock)>, position: usize) -> bool {
        let Node { kind, accepting, .. } = self.automaton.node(id);
        match kind {
            Kind::Leaf(_) => self.satisfied[&id.index()][position] && accepting,
            Kind::Timer { test, clock: own, next, .. } => {
                let (set, value) = clock.expect("a timer is in a metric sub-automaton");
                assert_eq!(set, own, "a timer asks the clock that was set last");
                let branch_ends = position + 1 == self.len || self.automaton.condition(next) == Condition::Empty;
                let goes_on = || self.accepts(next, Some((own, value.later())), position + 1);
                test.holds(value) && if branch_ends { accepting } else { goes_on() }
            }
        }
    }

    fn truth(&self) -> Bitmap {
        (0..self.len).map(|position| self.accepts(self.automaton.root(), None, position)).collect()
    }
}

fn runs_accept(text: &str, columns: &[(&str, &str)]) -> bool {
    let bits: BTreeMap<String, String> =
        columns.iter().map(|(name, bits)| ((*name).to_owned(), (*bits).to_owned())).collect();
    let (lowered, claim, trace) = corpus::prepare(text, &bits, None, columns[0].1.len());
    let Claim::Formula(root) = claim else { panic!("{text} is a formula") };
    Runs::new(&Example::new(&lowered.formulas, root), &trace).truth().get(0)
}

#[test]
fn figure_2_1_is_the_automaton_of_its_language() {
    let (start, nodes) = described("G(a -> F[0,4] b)");
    let always = "n0 ∧ (n1 ∨ (n2 ∨ n3)[t2 := 4])";
    assert_eq!(start, format!("({always})[t1 := ∞]"));
    // The figure labels n0 with `true`: its clock never runs out.
    let expected =
        [node("t1 > 0", always, true), node("!a", "", true), node("t2 > 0", "n2 ∨ n3", false), node("b", "", true)];
    assert_eq!(nodes, expected);
}

#[test]
fn figure_3_1_has_these_six_nodes() {
    let (start, nodes) = described("F(a & ((F[0,1] p) U[0,3] q))");
    // The thesis calls the clock of the until t2, and that of the inner eventually t3.
    let until = "(n5 ∧ (n3 ∨ n4)[t2 := 1]) ∨ n2";
    let whole = format!("n0 ∨ (n1 ∧ ({until})[t3 := 3])");
    assert_eq!(start, format!("({whole})[t1 := ∞]"));
    let expected = [
        node("t1 > 0", &whole, false),
        node("a", "", true),
        node("q", "", true),
        node("t2 > 0", "n3 ∨ n4", false),
        node("p", "", true),
        node("t3 > 0", until, false),
    ];
    assert_eq!(nodes, expected);
}

#[test]
fn figure_4_1_differs_in_a_clock() {
    let (start, nodes) = described("F(a & ((F[0,1] p) U q))");
    assert_eq!(start, "(n0 ∨ (n1 ∧ ((n5 ∧ (n3 ∨ n4)[t2 := 1]) ∨ n2)[t3 := ∞]))[t1 := ∞]");
    let labels: Vec<&str> = nodes.iter().map(|(label, ..)| label.as_str()).collect();
    assert_eq!(labels, ["t1 > 0", "a", "q", "t2 > 0", "p", "t3 > 0"]);
}

/// A1, with the delay that the bound says: the thesis prints x1 - 1.
#[test]
fn figure_2_3_eventually() {
    let (timer, p) = (node("t1 > 0", "n0 ∨ n1", false), node("p", "", true));
    assert_eq!(described("F[0,3] p"), ("(n0 ∨ n1)[t1 := 3]".into(), vec![timer.clone(), p.clone()]));
    assert_eq!(described("F p"), ("(n0 ∨ n1)[t1 := ∞]".into(), vec![timer, p.clone()]));
    for (text, clock) in [("F[2,5] p", "3"), ("F[2,inf] p", "∞"), ("F[2,2] p", "0")] {
        let whole = format!("n0 ∨ (n1 ∧ (n2 ∨ n3)[t2 := {clock}])");
        let nodes =
            vec![node("t1 > 0", &whole, false), node("t1 = 0", "ε", true), node("t2 > 0", "n2 ∨ n3", false), p.clone()];
        assert_eq!(described(text), (format!("({whole})[t1 := 2]"), nodes), "{text}");
    }
}

/// A2. A window that cannot close needs nobody who asks whether it has.
#[test]
fn figure_2_3_always() {
    let (zero, p) = (node("t1 = 0", "ε", true), node("p", "", true));
    let window = "(n0 ∨ n1) ∧ n2";
    let nodes = vec![node("t1 > 0", window, true), zero.clone(), p.clone()];
    assert_eq!(described("G[0,3] p"), (format!("({window})[t1 := 3]"), nodes));
    let nodes = vec![node("t1 > 0", "n0 ∧ n1", true), p.clone()];
    assert_eq!(described("G p"), ("(n0 ∧ n1)[t1 := ∞]".into(), nodes));

    let window = "(n2 ∨ n3) ∧ n4";
    let whole = format!("n0 ∨ (n1 ∧ ({window})[t2 := 3])");
    let timers = [node("t2 > 0", window, true), node("t2 = 0", "ε", true)];
    let nodes = [vec![node("t1 > 0", &whole, true), zero.clone()], timers.to_vec(), vec![p.clone()]].concat();
    assert_eq!(described("G[2,5] p"), (format!("({whole})[t1 := 2]"), nodes));
    let whole = "n0 ∨ (n1 ∧ (n2 ∧ n3)[t2 := ∞])";
    let nodes = vec![node("t1 > 0", whole, true), zero, node("t2 > 0", "n2 ∧ n3", true), p];
    assert_eq!(described("G[2,inf] p"), (format!("({whole})[t1 := 2]"), nodes));
}

/// A3.
#[test]
fn figure_2_3_until() {
    let leaves = vec![node("q", "", true), node("p", "", true)];
    let window = "(n2 ∧ n1) ∨ n0";
    for (text, clock) in [("p U[0,3] q", "3"), ("p U q", "∞")] {
        let nodes = [leaves.clone(), vec![node("t1 > 0", window, false)]].concat();
        assert_eq!(described(text), (format!("({window})[t1 := {clock}]"), nodes), "{text}");
    }
    let window = "(n4 ∧ n1) ∨ n0";
    for (text, clock) in [("p U[2,5] q", "3"), ("p U[2,inf] q", "∞")] {
        let whole = format!("n2 ∨ (n3 ∧ ({window})[t2 := {clock}])");
        let timers = [node("t1 > 0", &whole, false), node("t1 = 0", "ε", true), node("t2 > 0", window, false)].to_vec();
        let nodes = [leaves.clone(), timers].concat();
        assert_eq!(described(text), (format!("({whole})[t1 := 2]"), nodes), "{text}");
    }
}

/// The thesis leaves these out. The dual of `W` is `M`, which nobody can write with a bound.
#[test]
fn duals_and_next_have_automata_of_their_own() {
    for (text, start, timers_accept) in [
        ("p W[0,3] q", "(n0 ∨ (n1 ∧ (n2 ∨ n3)))[t1 := 3]", true),
        ("p W q", "(n0 ∨ (n1 ∧ n2))[t1 := ∞]", true),
        ("p R[0,3] q", "(n0 ∧ (n1 ∨ n2 ∨ n3))[t1 := 3]", true),
        ("p R q", "(n0 ∧ (n1 ∨ n2))[t1 := ∞]", true),
        ("!(!p W[0,3] !q)", "((n1 ∧ n0) ∨ (n2 ∧ n0))[t1 := 3]", false),
        ("X p & q", "n0[t1 := 1] ∧ n2", false),
        ("WX p & q", "n0[t1 := 1] ∧ n2", true),
    ] {
        let (found, nodes) = described(text);
        assert_eq!(found, start, "{text}");
        let running = nodes.iter().filter(|(label, ..)| label == "t1 > 0");
        assert!(running.clone().count() == 1 && running.clone().all(|node| node.2 == timers_accept), "{text}");
    }
}

fn sizes(text: &str) -> [usize; 4] {
    let (Example { automaton, .. }, _) = parsed(text);
    [automaton.nodes().len(), automaton.condition_ids().count(), automaton.clocks().len(), automaton.size()]
}

/// Proposition 2.1.
#[test]
fn bounds_do_not_change_the_size() {
    for text in [
        "F[0,3] p",
        "G[0,3] p",
        "p U[0,3] q",
        "p W[0,3] q",
        "p R[0,3] q",
        "!(p W[0,3] q)",
        "F[2,3] p",
        "G[2,3] p",
        "p U[2,3] q",
        "p W[2,3] q",
        "p R[2,3] q",
        "!(p W[2,3] q)",
        "F(a & ((F[0,2] p) U[0,3] q))",
        "G[2,3] (a -> O[2,3] b)",
    ] {
        let large = text.replace("3]", "3000000]");
        assert_eq!(sizes(text), sizes(&large), "{text}");
        let late = large.replace("[2,", "[2000000,");
        assert_eq!(sizes(text), sizes(&late), "{text}");
    }
}

/// Proposition 2.1: each operator adds as much as the one before.
#[test]
fn nested_operators_add_up() {
    for (outer, inner) in [
        ("F[2,3] (", " & f)"),
        ("G[2,3] (", " | f)"),
        ("(", " U[2,3] f)"),
        ("(", " W[2,3] f)"),
        ("(", " R[2,3] f)"),
        ("!(!", " W[2,3] !f)"),
        ("X (", " & f)"),
    ] {
        let nested = |depth: usize| {
            let wrap = |whole: String, number: usize| whole.replace('f', &format!("{outer}a{number}{inner}"));
            sizes(&(0..depth).fold("f".to_owned(), wrap).replace('f', "b"))
        };
        let growth = |depth: usize| {
            let (more, less) = (nested(depth + 1), nested(depth));
            [0, 1, 2, 3].map(|one| more[one] - less[one])
        };
        // The first operator alone makes ε.
        let steady = growth(1);
        assert!(steady[0] <= 6, "{outer}{inner} {steady:?}");
        for depth in 2..40 {
            assert_eq!(growth(depth), steady, "{outer}{inner} {depth}");
        }
    }
}

#[test]
fn example_2_2_has_a_run_of_the_first_sequence_only() {
    let (one, other) = ([("a", "010011"), ("b", "100001")], [("a", "110010"), ("b", "100000")]);
    assert!(runs_accept("G(a -> F[0,4] b)", &one));
    assert!(!runs_accept("G(a -> F[0,4] b)", &other));
    // With j > i, as example 2.1 prints it, there would be no run of the first: it ends with a.
    assert!(!runs_accept("G(a -> F[1,4] b)", &one));
}

#[test]
fn delays_last_as_long_as_the_bound_says() {
    for steps in 0..4 {
        for place in 0..5 {
            let bits: String = (0..5).map(|position| if position == place { '1' } else { '0' }).collect();
            let holds = |text: String| runs_accept(&text, &[("p", &bits)]);
            assert_eq!(holds(format!("F[{steps},{steps}] p")), place == steps, "{bits}");
            assert_eq!(holds(format!("G[{steps},{steps}] !p")), place != steps, "{bits}");
        }
    }
}

/// Windows up to a bound, with and without an end, all of them but `[0,∞]`.
fn windows(largest: u64) -> Vec<Interval> {
    let ends = |from: u64| (from..=largest).map(Some).chain([None]).map(move |to| Interval::steps(from, to));
    (0..=largest).flat_map(ends).filter(|window| !window.is_all()).collect()
}

fn future(atoms: u32, operators: usize) -> Shape {
    Shape { atoms, directions: vec![Direction::Future], ..Shape::unbounded(operators) }
}

fn truth(example: &Example, trace: &Trace) -> Bitmap {
    Runs::new(example, trace).truth()
}

#[test]
fn runs_of_one_operator_agree_with_the_definition() {
    let pairs = of_rows("definition 2.5", &future(2, 1).with_intervals(windows(3)), 5, Example::new, truth);
    report("definition 2.5", "pairs of an operator with a bound up to 3 and a trace", pairs);
    assert!(pairs >= 300_000, "only {pairs}");
}

#[test]
fn runs_of_nested_operators_agree_with_the_definition() {
    let some = [Interval::steps(0, Some(1)), Interval::steps(1, Some(3)), Interval::steps(2, None)];
    let pairs = of_rows("definition 2.5", &future(2, 2).with_intervals(some), 3, Example::new, truth)
        + of_rows("definition 2.5", &future(1, 2).with_intervals(windows(3)), 5, Example::new, truth);
    report("definition 2.5", "pairs of two operators and a trace", pairs);
    assert!(pairs >= 1_000_000, "only {pairs}");
}

/// What is past is a leaf, whatever is inside it.
#[test]
fn runs_with_past_leaves_agree_with_the_definition() {
    let (shape, window) = (Shape { atoms: 1, ..Shape::unbounded(2) }, Interval::steps(1, Some(2)));
    let pairs = of_rows("definition 2.5", &shape.with_intervals([window]), 6, Example::new, truth);
    report("definition 2.5", "pairs with past operators", pairs);
    assert!(pairs >= 100_000, "only {pairs}");
}

#[test]
fn clocks_that_run_out_and_clocks_that_do_not() {
    assert!(ClockTest::Zero.holds(Clock::ZERO) && !ClockTest::Positive.holds(Clock::ZERO));
    assert!(ClockTest::Positive.holds(Clock::INFINITE) && !ClockTest::Zero.holds(Clock::INFINITE.later()));
    assert_eq!(Clock::new(2).later().later(), Clock::ZERO);
}
