//! The paper's examples with its own intermediate values, as far as its misprints leave them. Nodes
//! have the names of its figures. Automata and the table of section 3.3 are in `paper.rs`.

use crate::brute::{self, Settled};
use crate::example::{Example, breadth_first};
use std::collections::{BTreeMap, BTreeSet};
use traceward_engine::automaton::alternating::NodeId;
use traceward_engine::engine::Subsumption;
use traceward_engine::engine::configuration::Entry;
use traceward_engine::engine::follow::{Follow, Step};
use traceward_engine::run_statistics::{Coverage, RejectingVisits};
use traceward_logic::verdict::Verdict;

/// A set of slices as text: `01 034` for {n0,n1}, {n0,n3,n4}; `-` is the empty slice.
fn text<'a>(slices: impl IntoIterator<Item = &'a Vec<String>>) -> String {
    let one = |slice: &Vec<String>| if slice.is_empty() { "-".to_owned() } else { slice.concat() };
    slices.into_iter().map(one).collect::<Vec<_>>().join(" ")
}

/// Candidates, satisfied slices and verdict at each position, with the figure's number of each
/// node.
fn steps(
    example: &Example,
    subsumption: Subsumption,
    name: impl Fn(NodeId) -> String,
) -> Vec<(String, String, Verdict)> {
    let engine = breadth_first(&example.subject.prepared, subsumption).expect("no future inside the past");
    let mut run = engine.start().expect("few slices");
    let named = |slices: Vec<Vec<Entry>>| {
        let of_slice = |slice: &Vec<Entry>| {
            let mut names: Vec<String> = slice.iter().map(|entry| name(entry.node)).collect();
            names.sort();
            names
        };
        text(&slices.iter().map(of_slice).collect::<BTreeSet<_>>())
    };
    let mut steps = Vec::new();
    for position in 0..example.letters.len {
        let holds = |proposition| example.letters.bitmap(proposition).get(position);
        let candidates = named(engine.candidates_of(&run).expect("few slices"));
        let verdict = engine.step(&mut run, Step::new(&holds, position)).expect("few slices");
        steps.push((candidates, named(engine.slices_of(&run)), verdict));
    }
    steps
}

fn by_index(node: NodeId) -> String {
    node.index().to_string()
}

/// Section 3.2, on the automaton of figure 2: n0 always, n1 a, n2 c, n3 ¬b, n4 until.
#[test]
fn section_3_2_goes_through_these_slices() {
    let example = Example::new("G(!a -> !b U c)", &[("a", "10101"), ("b", "10010"), ("c", "00010")]);
    let initial = "01 02 034";
    let product = "012 0134 02 0234 034";
    let expected = [
        (initial, "01", Verdict::Holding),
        (initial, "034", Verdict::Pending),
        (product, "0134 034", Verdict::Pending),
        // "Again we get the same set of successors".
        (product, "02", Verdict::Holding),
        // {n0,n3,n4} is satisfied as well, but n4 rejects: only {n0,n1} is both.
        (initial, "01 034", Verdict::Holding),
    ];
    let found = steps(&example, Subsumption::Off, by_index);
    for (position, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert_eq!((found.0.as_str(), found.1.as_str(), found.2), expected, "at {position}");
    }
    // {n0,n1,n3,n4} contains {n0,n3,n4}.
    assert_eq!(steps(&example, Subsumption::On, by_index)[2].1, "034");
}

/// "The two runs observed".
#[test]
fn section_3_2_has_two_runs() {
    let example = Example::new("G(!a -> !b U c)", &[("a", "10101"), ("b", "10010"), ("c", "00010")]);
    let mut runs = brute::sequences(example.view(), Settled::Nodes, 4).unwrap();
    runs.retain(|run| run[4].iter().all(|node| example.subject.automaton.node(*node).accepting));
    let named = |run: &Vec<brute::Slice>| {
        let slices: Vec<Vec<String>> =
            run.iter().map(|slice| slice.iter().map(|node| by_index(*node)).collect()).collect();
        text(&slices)
    };
    let runs: Vec<String> = runs.iter().map(named).collect();
    assert_eq!(runs, ["01 034 0134 02 01", "01 034 034 02 01"]);
}

/// Figure 2's name of a node of `!a -> !b U c`, which has no always node.
fn figure_2(example: &Example, node: NodeId) -> String {
    let name = match example.label(node).as_str() {
        "a" => "1",
        "c" => "2",
        "!b" => "3",
        "true" => "4",
        other => panic!("{other}"),
    };
    name.to_owned()
}

fn until(formula: &str, a: &str, b: &str, c: &str) -> Example {
    Example::new(formula, &[("a", a), ("b", b), ("c", c)])
}

fn covered(example: &Example, indices: &[usize]) -> String {
    let nodes = example.subject.automaton.node_ids().filter(|node| indices.contains(&node.index()));
    nodes.map(|node| figure_2(example, node)).collect::<BTreeSet<_>>().into_iter().collect()
}

#[test]
fn section_4_1_counts_and_covers() {
    // ⟨a,¬b,¬c⟩, ⟨a,¬b,c⟩: one run visits n1 alone, the other n3 and n4 and then n2.
    let two_runs = until("!a -> !b U c", "11", "00", "01");
    // ⟨¬a,¬b,¬c⟩, ⟨¬a,¬b,c⟩ allows only the second.
    let one_run = until("!a -> !b U c", "00", "00", "01");
    for (example, runs, visits, nodes) in [(two_runs, &["1", "234"][..], 0, ""), (one_run, &["234"][..], 1, "234")] {
        let view = example.view();
        let visited = brute::accepting_trees(view).unwrap();
        let visited = visited.iter().map(|run| run.iter().map(|node| node.index()).collect::<Vec<_>>());
        let visited: BTreeSet<String> = visited.map(|run| covered(&example, &run)).collect();
        assert_eq!(visited.iter().collect::<Vec<_>>(), runs);
        assert_eq!(view.over_trees(&RejectingVisits), Some(visits));
        assert_eq!(view.over_slices(&RejectingVisits), Some(Some(visits)));
        assert_eq!(covered(&example, &view.over_trees(&Coverage).unwrap().indices()), nodes);
        assert_eq!(covered(&example, &view.over_slices(&Coverage).unwrap().unwrap().indices()), nodes);
    }
}

/// Each STAT is that of a formula whose automaton is the one in the brackets: n4 alone, ⟨true, 𝒜(¬b
/// U c), rej⟩, is that of `X(!b U c)`; position 1 is the trace without its first state.
#[test]
fn section_4_2_has_these_intermediate_values() {
    let stat = |formula: &str, position: usize| {
        let columns = [("a", "11"), ("b", "00"), ("c", "01")].map(|(name, bits)| (name, &bits[position..]));
        Example::new(formula, &columns).view().over_trees(&RejectingVisits)
    };
    let (n1, n2, n3, n4) = ("a", "c", "!b", "X(!b U c)");
    assert_eq!([n1, n2, n3].map(|node| stat(node, 0)), [Some(0), None, Some(0)]);
    assert_eq!([n2, n3, n4].map(|node| stat(node, 1)), [Some(0), Some(0), None]);
    assert_eq!(stat("!b U c", 1), Some(0));
    assert_eq!(stat(n4, 0), Some(1));
    // The paper writes position 1 here, and means 0.
    assert_eq!(stat("!a -> !b U c", 0), Some(0));
}

/// The annotated slices of section 4.3: what the runs up to a position are worth, by their last
/// slice. The numbers are the paper's own; its definition of `successors` does not give them, see
/// `misprints.rs`.
#[test]
fn section_4_3_annotates_these_slices() {
    let example = until("!a -> !b U c", "11", "00", "01");
    let view = example.view();
    let visits = |slice: &brute::Slice| slice.iter().filter(|node| !view.automaton.node(**node).accepting).count();
    let worth = |run: &[brute::Slice]| run.iter().map(visits).sum::<usize>();
    let name = |slice: &brute::Slice| covered(&example, &slice.iter().map(|node| node.index()).collect::<Vec<_>>());
    let annotated = |runs: Vec<Vec<brute::Slice>>| {
        let mut annotated: BTreeMap<String, usize> = BTreeMap::new();
        for run in runs {
            let value = annotated.entry(name(run.last().unwrap())).or_insert(usize::MAX);
            *value = (*value).min(worth(&run));
        }
        annotated.into_iter().map(|(slice, value)| format!("{{{slice}}}:{value}")).collect::<Vec<_>>()
    };
    let initial = brute::initial(view, Settled::Nodes, view.root(), 0).unwrap();
    assert_eq!(annotated(initial.into_iter().map(|slice| vec![slice]).collect()), ["{1}:0", "{2}:0", "{34}:1"]);
    assert_eq!(annotated(brute::sequences(view, Settled::Nodes, 0).unwrap()), ["{1}:0", "{34}:1"]);
    // Of the successors, {n3,n4} is satisfied too; it goes because n4 rejects.
    assert_eq!(annotated(brute::sequences(view, Settled::Nodes, 1).unwrap()), ["{}:0", "{2}:1", "{34}:2"]);
    assert_eq!(view.over_slices(&RejectingVisits), Some(Some(0)));
    let names = |node| figure_2(&example, node);
    let found = steps(&example, Subsumption::Off, names);
    assert_eq!(found.iter().map(|step| step.0.as_str()).collect::<Vec<_>>(), ["1 2 34", "- 2 34"]);
    assert_eq!(found.iter().map(|step| step.1.as_str()).collect::<Vec<_>>(), ["1 34", "- 2 34"]);
}

/// Section 5.4 on figure 7: n0 always, n1 ¬p, n2 once, n3 r. The slices are derived by hand: the
/// paper leaves n2 in them, strikes {n0,n3} at the first position before r is looked at, and
/// overlooks that ¬p holds at the second.
#[test]
fn section_5_4_goes_through_these_slices() {
    let example = Example::new("G(p -> O r)", &[("p", "00111"), ("r", "01001")]);
    // From the third position on n2 is true and asks for nothing.
    for (position, expected) in ["01", "01 03", "0", "0", "0 03"].into_iter().enumerate() {
        let runs = brute::sequences(example.view(), Settled::Nodes, position).unwrap();
        let last = |run: &Vec<brute::Slice>| run[position].iter().map(|node| by_index(*node)).collect();
        assert_eq!(text(&runs.iter().map(last).collect::<BTreeSet<_>>()), expected, "at {position}");
    }
    assert!(example.satisfied);
}

/// The same by the engine, for which `O r` as a whole is a leaf, n2, that is settled: there is no
/// n3.
#[test]
fn section_5_4_with_formulas_about_the_past_settled() {
    let example = Example::new("G(p -> O r)", &[("p", "00111"), ("r", "01001")]);
    let found = steps(&example, Subsumption::Off, by_index);
    for (position, (found, expected)) in found.iter().zip(["01", "0 01", "0", "0", "0"]).enumerate() {
        assert_eq!((found.0.as_str(), found.1.as_str()), ("01 02", expected), "at {position}");
        assert_eq!(found.2, Verdict::Holding);
    }
}

/// Figure 8 is lost; this is what a run on the trace of section 5.2 visits, derived by hand: n0 at
/// every position, ¬p at the first two, and from each p one n2 for every step back to the r at
/// position 1. The last p has its r at once.
#[test]
fn figure_8_has_a_run_with_the_fewest_steps_back() {
    let example = Example::new("G(p -> O r)", &[("p", "00111"), ("r", "01001")]);
    // One step from position 2, two from position 3, none from position 4.
    assert_eq!(example.view().over_trees(&RejectingVisits), Some(3));
    assert_eq!(example.view().over_slices(&RejectingVisits), Some(Some(0)));
    assert_eq!(example.view().over_trees(&Coverage).unwrap().indices(), [0, 1, 2, 3]);
    assert_eq!(example.view().over_slices(&Coverage).unwrap().unwrap().indices(), [0, 1]);
}
