//! The paper's algorithms as printed, one misprint at a time, and where each goes wrong: so that
//! nobody puts them back.
//!
//! Each algorithm is written down plainly with switches for its misprints. With all of them off it
//! agrees with the definition on all small formulas; with one of them on there is a formula and a
//! trace on which it does not.

use crate::brute::{self, Settled, Slice, Tree};
use crate::example::{Example, Subject, View};
use std::collections::{BTreeMap, BTreeSet};
use traceward_engine::automaton::alternating::{Condition, ConditionId, Look, NodeId};
use traceward_engine::run_statistics::RejectingVisits;
use traceward_logic::formula::{Direction, Formulas};
use traceward_logic::semantics;
use traceward_testkit::enumerate::{self, Shape};

/// Compares an algorithm without misprints with the definition; `takes` says which formulas it is
/// for.
fn is_right_on_small_formulas(shape: &Shape, takes: impl Fn(&Subject) -> bool, algorithm: impl Fn(View<'_>) -> bool) {
    let mut arena = Formulas::new();
    let formulas = enumerate::formulas(&mut arena, shape);
    let subjects = formulas.iter().map(|formula| (*formula, Subject::new(&arena, *formula)));
    let subjects: Vec<_> = subjects.filter(|(_, subject)| takes(subject)).collect();
    for trace in enumerate::traces(shape.atoms, 3) {
        let rows = semantics::truths(&arena, &formulas, &trace).expect("booleans do not fail");
        for (formula, subject) in &subjects {
            let letters = subject.letters(&trace);
            assert_eq!(algorithm(subject.view(&letters)), rows[formula][0], "{:?}", arena.node(*formula));
        }
    }
}

fn one_atom() -> Shape {
    Shape { atoms: 1, ..Shape::unbounded(2) }
}

fn future() -> Shape {
    Shape { directions: vec![Direction::Future], ..one_atom() }
}

fn eval(view: View<'_>, automaton: ConditionId, result: &[bool], or: fn(bool, bool) -> bool) -> bool {
    match view.automaton.condition(automaton) {
        Condition::Empty => true,
        Condition::Node(node) => result[node.index()],
        Condition::And(left, right) => eval(view, left, result, or) && eval(view, right, result, or),
        Condition::Or(left, right) => or(eval(view, left, result, or), eval(view, right, result, or)),
    }
}

fn either(left: bool, right: bool) -> bool {
    left || right
}

mod figure_6 {
    use super::*;

    /// REVERSE; `first` is the position at which the loop of line 8 starts, counted from the end.
    fn reverse(view: View<'_>, first: usize) -> bool {
        let len = view.letters.len;
        let at_end = |node: NodeId| view.automaton.node(node).accepting && view.satisfies(node, len - 1);
        let mut result: Vec<bool> = view.automaton.node_ids().map(at_end).collect();
        for position in (0..(len + 1).saturating_sub(first)).rev() {
            let one = |node: NodeId| {
                view.satisfies(node, position) && eval(view, view.automaton.node(node).next, &result, either)
            };
            result = view.automaton.node_ids().map(one).collect();
        }
        eval(view, view.root(), &result, either)
    }

    /// As printed, the loop starts at the last position again: nodes there are asked for what comes
    /// next, with the last position for its own successor.
    #[test]
    fn line_8_starts_before_the_last_position() {
        is_right_on_small_formulas(&future(), |_| true, |view| reverse(view, 2));
        for (formula, bits, as_printed) in [("X a", "1", true), ("WX a", "0", false), ("X X a", "01", true)] {
            let example = Example::new(formula, &[("a", bits)]);
            assert_eq!(reverse(example.view(), 1), as_printed, "{formula}");
            assert_eq!(reverse(example.view(), 2), !as_printed, "{formula}");
            assert_eq!(example.satisfied, !as_printed, "{formula}");
        }
    }

    /// Section 5 speaks of one reverse pass for past nodes too. One pass from the end takes the
    /// value of every node from the position behind it, and so `O r` for `F r`.
    #[test]
    fn one_reverse_pass_is_not_enough_for_the_past() {
        for (formula, p, r, as_printed) in [("G(p -> O r)", "10", "01", true), ("G(p -> O r)", "01", "10", false)] {
            let example = Example::new(formula, &[("p", p), ("r", r)]);
            assert_eq!(reverse(example.view(), 2), as_printed, "{formula} with p {p}");
            assert_eq!(example.satisfied, !as_printed, "{formula} with p {p}");
        }
    }
}

mod definition_6 {
    use super::*;

    /// Whether there is an accepting run by definition 6 as printed. The trace is s0…sn there, and
    /// a past node ends its path at n-1: `n` is a parameter, as it may be meant as the length
    /// (s0…s(n-1), as everywhere else) or as the last position. A future node has its child at j+1
    /// always; behind the trace no label is satisfied, so there is no run.
    fn is_accepted(view: View<'_>, automaton: ConditionId, position: usize, n: usize) -> bool {
        match view.automaton.condition(automaton) {
            Condition::Empty => true,
            Condition::And(left, right) => {
                is_accepted(view, left, position, n) && is_accepted(view, right, position, n)
            }
            Condition::Or(left, right) => is_accepted(view, left, position, n) || is_accepted(view, right, position, n),
            Condition::Node(id) => {
                let node = view.automaton.node(id);
                if position >= view.letters.len || !view.satisfies(id, position) {
                    return false;
                }
                match node.look {
                    Look::Here => node.accepting,
                    Look::Forward => is_accepted(view, node.next, position + 1, n),
                    Look::Back if position == 0 || position + 1 == n => node.accepting,
                    Look::Back if position + 1 < n => is_accepted(view, node.next, position - 1, n),
                    Look::Back => false,
                }
            }
        }
    }

    /// Case (c): a past node does not look back from the last position, or from the last but one.
    #[test]
    fn a_past_node_ends_its_path_only_at_the_first_position() {
        for (formula, bits, n, as_printed) in [
            ("X Y a", "10", 2, false),
            ("X Z a", "00", 2, true),
            ("X X O a", "100", 3, false),
            ("X Y a", "100", 2, false),
            ("X Z a", "000", 2, true),
            // At n itself there is no case at all.
            ("X X Y a", "010", 2, false),
        ] {
            let example = Example::new(formula, &[("a", bits)]);
            assert_eq!(is_accepted(example.view(), example.view().root(), 0, n), as_printed, "{formula}");
            assert_eq!(example.satisfied, !as_printed, "{formula}");
            let found = brute::accepting_trees(example.view()).unwrap();
            assert_eq!(!found.is_empty(), example.satisfied, "{formula}");
        }
    }

    /// Printed without an end: a future node asks for a run behind the last position.
    #[test]
    fn a_future_node_ends_its_path_at_the_last_position() {
        for (formula, bits) in [("G a", "1"), ("G a", "111"), ("a W !a", "111"), ("WX a", "1")] {
            let example = Example::new(formula, &[("a", bits)]);
            assert!(example.satisfied);
            for n in [bits.len() - 1, bits.len()] {
                assert!(!is_accepted(example.view(), example.view().root(), 0, n), "{formula}");
            }
        }
        let example = Example::new("WX a", &[("a", "1")]);
        assert!(matches!(brute::trees(example.view(), example.view().root(), 0).unwrap()[..], [Tree::Node(..)]));
    }
}

mod figures_5_and_9 {
    use super::*;

    /// The misprints of figures 5 and 9 and of section 5.4.
    #[derive(Clone, Copy, Default)]
    struct Printed {
        /// Figure 5, line 14: `S' ∪ C` collects the nodes of accepting slices.
        nodes_are_collected: bool,
        /// Section 5.4: `eval` of `∨` is `∧`.
        or_is_and: bool,
        /// Figure 9, line 21: `S' ← S ∪ successors`.
        old_slices_stay: bool,
        /// Figure 9, line 29: `S' ← S ∪ C`.
        old_slices_are_returned: bool,
        /// Section 5.4: a satisfied past node is in the slice.
        past_nodes_stay: bool,
    }

    const RIGHT: Printed = Printed {
        nodes_are_collected: false,
        or_is_and: false,
        old_slices_stay: false,
        old_slices_are_returned: false,
        past_nodes_stay: false,
    };

    struct Traversal<'a> {
        view: View<'a>,
        printed: Printed,
        past: Vec<bool>,
    }

    impl Traversal<'_> {
        /// 𝒩B(𝒜) is all nodes that past nodes lead to; values of others are computed too, and never
        /// asked for.
        fn step_past(&mut self, position: usize) {
            let or = if self.printed.or_is_and { |left, right| left && right } else { either };
            let view = self.view;
            let one = |id: NodeId| {
                let node = view.automaton.node(id);
                let before = if position == 0 { node.accepting } else { eval(view, node.next, &self.past, or) };
                view.satisfies(id, position) && before
            };
            self.past = view.automaton.node_ids().map(one).collect();
        }

        fn initial(&self, automaton: ConditionId) -> BTreeSet<Slice> {
            match self.view.automaton.condition(automaton) {
                Condition::Empty => BTreeSet::from([Slice::new()]),
                Condition::Node(node) if self.view.automaton.node(node).look == Look::Back => {
                    match (self.past[node.index()], self.printed.past_nodes_stay) {
                        (false, _) => BTreeSet::new(),
                        (true, true) => BTreeSet::from([Slice::from([node])]),
                        (true, false) => BTreeSet::from([Slice::new()]),
                    }
                }
                Condition::Node(node) => BTreeSet::from([Slice::from([node])]),
                Condition::And(left, right) => brute::product(&self.initial(left), &self.initial(right)),
                Condition::Or(left, right) => &self.initial(left) | &self.initial(right),
            }
        }

        fn successors(&self, slice: &Slice) -> BTreeSet<Slice> {
            let next = slice.iter().map(|node| self.initial(self.view.automaton.node(*node).next));
            next.fold(BTreeSet::from([Slice::new()]), |all, one| brute::product(&all, &one))
        }

        fn run(mut self) -> bool {
            let view = self.view;
            self.step_past(0);
            let mut slices = self.initial(view.root());
            for position in 0..view.letters.len - 1 {
                self.step_past(position + 1);
                let mut next = BTreeSet::new();
                for slice in slices.iter().filter(|slice| brute::is_satisfied(view, slice, position)) {
                    if self.printed.old_slices_stay {
                        next.clone_from(&slices);
                    }
                    next.extend(self.successors(slice));
                }
                slices = next;
            }
            let is_accepting = |slice: &Slice| {
                let accepting = slice.iter().all(|node| view.automaton.node(*node).accepting);
                accepting && brute::is_satisfied(view, slice, view.letters.len - 1)
            };
            let accepting: Vec<&Slice> = slices.iter().filter(|slice| is_accepting(slice)).collect();
            if self.printed.nodes_are_collected {
                accepting.iter().any(|slice| !slice.is_empty())
            } else if self.printed.old_slices_are_returned {
                !accepting.is_empty() && !slices.is_empty()
            } else {
                !accepting.is_empty()
            }
        }
    }

    fn breadth_first(view: View<'_>, printed: Printed) -> bool {
        Traversal { view, printed, past: Vec::new() }.run()
    }

    fn goes_wrong(printed: Printed, formula: &str, columns: &[(&str, &str)]) {
        let example = Example::new(formula, columns);
        assert_eq!(breadth_first(example.view(), RIGHT), example.satisfied, "{formula}");
        assert_eq!(breadth_first(example.view(), printed), !example.satisfied, "{formula}");
    }

    fn is_taken(subject: &Subject) -> bool {
        subject.breadth_first.is_some()
    }

    #[test]
    fn without_misprints_it_is_right() {
        is_right_on_small_formulas(&one_atom(), is_taken, |view| breadth_first(view, RIGHT));
    }

    /// As printed, the union with an empty slice adds nothing: runs that have ended are lost.
    #[test]
    fn an_empty_slice_accepts() {
        let printed = Printed { nodes_are_collected: true, ..RIGHT };
        goes_wrong(printed, "a", &[("a", "11")]);
        goes_wrong(printed, "F a", &[("a", "010")]);
        goes_wrong(printed, "a | X b", &[("a", "100"), ("b", "000")]);
    }

    /// As printed, `O r` needs r at every position so far.
    #[test]
    fn a_disjunction_in_the_past_is_one() {
        let printed = Printed { or_is_and: true, ..RIGHT };
        goes_wrong(printed, "G(p -> O r)", &[("p", "01"), ("r", "10")]);
        goes_wrong(printed, "X O a", &[("a", "10")]);
    }

    /// As printed, slices of earlier positions are candidates again (and successors of all but one
    /// slice are lost).
    #[test]
    fn old_slices_do_not_stay() {
        let printed = Printed { old_slices_stay: true, ..RIGHT };
        goes_wrong(printed, "WX a", &[("a", "00")]);
        goes_wrong(printed, "WX WX a", &[("a", "000")]);
        goes_wrong(printed, "a & WX !a", &[("a", "11")]);
    }

    /// The same on line 29 does no harm: it is reached only when some slice accepts, and then S is
    /// not empty. (Nor is an empty slice lost there, as S contains it.)
    #[test]
    fn line_29_of_figure_9_is_harmless() {
        let printed = Printed { old_slices_are_returned: true, ..RIGHT };
        is_right_on_small_formulas(&one_atom(), is_taken, |view| breadth_first(view, printed));
    }

    /// As printed, a past node that is true owes its δ at the *next* position, and its flag counts
    /// at the end.
    #[test]
    fn a_satisfied_past_node_is_settled() {
        let printed = Printed { past_nodes_stay: true, ..RIGHT };
        // Its flag: rejecting at the last position.
        goes_wrong(printed, "X Y a", &[("a", "10")]);
        goes_wrong(printed, "G(p -> O r)", &[("p", "01"), ("r", "10")]);
        // Its successor: a is asked for at position 2.
        goes_wrong(printed, "X Y a", &[("a", "100")]);
        // Also where the flag is no obstacle.
        goes_wrong(printed, "X Z a", &[("a", "100")]);
    }
}

mod section_4_3 {
    use super::*;

    /// Slices with rejecting visits; none is ⊥. Slices with equal nodes are joined in all variants.
    type Annotated = BTreeMap<Slice, Option<u64>>;

    fn put(into: &mut Annotated, slice: Slice, value: Option<u64>) {
        let joined = match (into.get(&slice).copied().flatten(), value) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
        into.insert(slice, joined);
    }

    fn product(left: &Annotated, right: &Annotated) -> Annotated {
        let mut all = Annotated::new();
        for (one, s) in left {
            for (other, t) in right {
                put(&mut all, one | other, s.zip(*t).map(|(s, t)| s + t));
            }
        }
        all
    }

    /// κ(𝒜, s); `initial(𝒜)` is κ(𝒜, ⊤) but for ε.
    fn kappa(view: View<'_>, automaton: ConditionId, s: Option<u64>) -> Annotated {
        match view.automaton.condition(automaton) {
            Condition::Empty => Annotated::from([(Slice::new(), s)]),
            Condition::Node(node) => {
                let visit = u64::from(!view.automaton.node(node).accepting);
                Annotated::from([(Slice::from([node]), s.map(|s| s + visit))])
            }
            Condition::And(left, right) => product(&kappa(view, left, s), &kappa(view, right, s)),
            Condition::Or(left, right) => {
                let mut all = kappa(view, left, s);
                kappa(view, right, s).into_iter().for_each(|(slice, value)| put(&mut all, slice, value));
                all
            }
        }
    }

    const TOP: Option<u64> = Some(0);

    fn initial(view: View<'_>, automaton: ConditionId, of_empty: Option<u64>) -> Annotated {
        let of = if view.automaton.condition(automaton) == Condition::Empty { of_empty } else { TOP };
        kappa(view, automaton, of)
    }

    /// successors(⟨C, s⟩) as printed: s goes into κ of every node of C, so that it is met with
    /// itself.
    fn successors_as_printed(view: View<'_>, slice: &Slice, s: Option<u64>) -> Annotated {
        let of_nodes = slice.iter().map(|node| kappa(view, view.automaton.node(*node).next, s));
        of_nodes.fold(Annotated::from([(Slice::new(), TOP)]), |all, one| product(&all, &one))
    }

    /// As meant: a successor meets s with one visit of each of its nodes.
    fn successors(view: View<'_>, slice: &Slice, s: Option<u64>, position: usize) -> Annotated {
        let visits = |slice: &Slice| slice.iter().filter(|node| !view.automaton.node(**node).accepting).count() as u64;
        let plain = brute::successors(view, Settled::Nodes, slice, position).unwrap();
        plain.into_iter().map(|slice| (slice.clone(), s.map(|s| s + visits(&slice)))).collect()
    }

    fn value(view: View<'_>, first: Annotated, next: impl Fn(&Slice, Option<u64>, usize) -> Annotated) -> Option<u64> {
        let mut slices = first;
        for position in 1..view.letters.len {
            let mut after = Annotated::new();
            for (slice, s) in slices.iter().filter(|(slice, _)| brute::is_satisfied(view, slice, position - 1)) {
                next(slice, *s, position).into_iter().for_each(|(slice, value)| put(&mut after, slice, value));
            }
            slices = after;
        }
        slices.retain(|slice, _| brute::is_satisfied(view, slice, view.letters.len - 1));
        slices.retain(|slice, _| slice.iter().all(|node| view.automaton.node(*node).accepting));
        slices.into_values().flatten().min()
    }

    fn meant_and_printed(formula: &str, columns: &[(&str, &str)]) -> (Option<u64>, Option<u64>) {
        let example = Example::new(formula, columns);
        let view = example.view();
        let first = || initial(view, view.root(), TOP);
        let meant = value(view, first(), |slice, s, position| successors(view, slice, s, position));
        assert_eq!(view.over_slices(&RejectingVisits), Some(meant), "{formula}");
        (meant, value(view, first(), |slice, s, _| successors_as_printed(view, slice, s)))
    }

    /// As printed the value so far is counted once for every node of the slice. The paper's own
    /// example does not do so: its ({n2}, 1) and ({n3,n4}, 2) would be 2 and 4.
    #[test]
    fn the_value_so_far_is_met_once() {
        let one_run = [("a", "00"), ("b", "00"), ("c", "01")];
        assert_eq!(meant_and_printed("!a -> !b U c", &one_run), (Some(1), Some(2)));
        assert_eq!(meant_and_printed("G F p", &[("p", "0001")]), (Some(3), Some(51)));
    }

    #[test]
    fn the_papers_example_follows_from_what_is_meant() {
        let example = Example::new("!a -> !b U c", &[("a", "11"), ("b", "00"), ("c", "01")]);
        let view = example.view();
        let until: Slice =
            view.automaton.node_ids().filter(|node| ["!b", "true"].contains(&&*example.label(*node))).collect();
        let values = |annotated: Annotated| {
            let by_size: BTreeMap<usize, Option<u64>> =
                annotated.into_iter().map(|(slice, value)| (slice.len(), value)).collect();
            [by_size[&1], by_size[&2]]
        };
        // {n2} and {n3,n4}, after ({n3,n4}, 1).
        assert_eq!(values(successors(view, &until, Some(1), 1)), [Some(1), Some(2)]);
        assert_eq!(values(successors_as_printed(view, &until, Some(1))), [Some(2), Some(4)]);
    }

    /// As printed the crossproduct over the nodes of an empty slice is ⊤, whatever came before.
    #[test]
    fn an_empty_slice_keeps_its_value() {
        assert_eq!(meant_and_printed("X a", &[("a", "0100")]), (Some(1), Some(0)));
    }

    /// As printed the empty automaton, which every trace satisfies, has no accepting run.
    #[test]
    fn the_empty_automaton_has_a_run() {
        let example = Example::new("a", &[("a", "11")]);
        let view = example.view();
        let Condition::Node(leaf) = view.automaton.condition(view.root()) else { panic!("a leaf") };
        let empty = view.automaton.node(leaf).next;
        assert!(matches!(brute::trees(view, empty, 0).unwrap()[..], [Tree::Empty]));
        let of = |first| value(view, first, |slice, s, position| successors(view, slice, s, position));
        assert_eq!(of(initial(view, empty, TOP)), Some(0));
        assert_eq!(of(initial(view, empty, None)), None);
    }
}
