//! That they are different algorithms: how many nodes, leaves and configurations each of them
//! keeps.

use super::Example;
use traceward_engine::automaton::metric::Metric;
use traceward_engine::engine::Subsumption;
use traceward_engine::engine::follow::{Follow, Step};
use traceward_engine::engine::generic;
use traceward_logic::verdict::Verdict;

fn binomial(n: u128, k: u128) -> u128 {
    (0..k).fold(1, |product, i| product * (n - i) / (i + 1))
}

/// The leaves of the tree of k nested ♦ after k states are the non-decreasing sequences of k of
/// them: C(2k-1, k), which doubles with every operator and more. The graph has one leaf for each
/// operator.
#[test]
fn the_tree_is_exponential_where_the_graph_is_linear() {
    for depth in 1..=9 {
        let example = Example::new(&format!("{}p", "F ".repeat(depth)));
        let (tree, graph) = (example.tree(), example.graph(Subsumption::Off));
        let (mut in_tree, mut in_graph) = (tree.start().unwrap(), graph.start().unwrap());
        for _ in 0..depth {
            assert_eq!(tree.step(&mut in_tree, Step::new(&|_| false, 0)).unwrap(), Verdict::Pending);
            assert_eq!(graph.step(&mut in_graph, Step::new(&|_| false, 0)).unwrap(), Verdict::Pending);
        }
        assert_eq!(in_tree.leaves().len() as u128, binomial(2 * depth as u128 - 1, depth as u128));
        assert_eq!(graph.leaves(&in_graph).len(), depth);
    }
}

/// `G(a | F b)`, never answered: every state adds a conjunction to the graph (theorem 3.3: linear
/// in the trace), and a path of its own to every leaf of the tree, which is quadratic.
#[test]
fn the_graph_grows_linearly_with_the_trace() {
    let example = Example::new("G(a | F b)");
    let (tree, graph) = (example.tree(), example.graph(Subsumption::Off));
    let sizes = |states: usize| {
        let (mut in_tree, mut in_graph) = (tree.start().unwrap(), graph.start().unwrap());
        for _ in 0..states {
            tree.step(&mut in_tree, Step::new(&|_| false, 0)).unwrap();
            graph.step(&mut in_graph, Step::new(&|_| false, 0)).unwrap();
        }
        assert_eq!(in_tree.leaves().len(), states + 1);
        assert_eq!(graph.leaves(&in_graph).len(), 2);
        (in_tree.nodes(), in_graph.nodes())
    };
    for states in [10, 20, 40] {
        let ((tree, graph), (more_tree, more_graph)) = (sizes(states), sizes(2 * states));
        assert_eq!(graph, states + 2, "a conjunction a state, and two leaves");
        assert_eq!(more_graph, 2 * states + 2);
        assert!(more_tree > 3 * tree, "{tree} and then {more_tree}");
    }
    // With subsumption the conjunctions are one.
    let subsuming = example.graph(Subsumption::On);
    let mut run = subsuming.start().unwrap();
    (0..100).for_each(|_| assert_eq!(subsuming.step(&mut run, Step::new(&|_| false, 0)).unwrap(), Verdict::Pending));
    assert_eq!(run.nodes(), 3);
}

/// Requests at every state, with an answer once in a while.
fn request_and_answer(position: usize) -> &'static str {
    if position % 37 == 36 { "p q" } else { "p" }
}

/// Theorem 3.3: at most |A|·(C + 2) leaves, of which `G(p -> F[0,c] q)` really has c.
#[test]
fn the_graph_as_printed_keeps_every_clock() {
    for bound in [10, 20, 36] {
        let example = Example::new(&format!("G(p -> F[0,{bound}] q)"));
        let leaves = |subsumption| {
            let engine = example.graph(subsumption);
            let mut run = engine.start().unwrap();
            for position in 0..200 {
                engine
                    .step(
                        &mut run,
                        Step::new(&example.state(if position % bound == bound - 1 { "p q" } else { "p" }), 0),
                    )
                    .unwrap();
            }
            run.statistics().peak_leaves.unwrap()
        };
        assert_eq!(leaves(Subsumption::Off), bound, "one for each request since the last answer, and that of G");
        assert_eq!(leaves(Subsumption::On), 2);
    }
}

/// Of two delays neither implies the other (the thesis claims it does): all their clocks stay.
#[test]
fn delays_are_not_subsumed() {
    let example = Example::new("G G[3,3] p");
    for subsumption in [Subsumption::Off, Subsumption::On] {
        let engine = example.graph(subsumption);
        let mut run = engine.start().unwrap();
        (0..10).for_each(|_| assert_eq!(engine.step(&mut run, Step::new(&|_| true, 0)).unwrap(), Verdict::Holding));
        let clocks: Vec<_> = engine.leaves(&run).iter().map(|(_, clock)| clock.to_string()).collect();
        assert_eq!(clocks, ["∞", "1", "2", "3"]);
        assert_eq!(engine.step(&mut run, Step::new(&|_| false, 0)).unwrap(), Verdict::Violated);
    }
    let three = Example::new("G G[2,2] p");
    let engine = three.generic(Subsumption::On);
    let mut run = engine.start().unwrap();
    let verdicts = [0; 3].map(|_| engine.step(&mut run, Step::new(&|_| false, 0)).unwrap());
    assert_eq!(verdicts, [Verdict::Holding, Verdict::Holding, Verdict::Violated]);
}

/// Lemma 3.4: a formula with finite bounds alone is decided after the sum of its bounds, and the
/// graph is gone.
#[test]
fn finite_bounds_are_decided_in_time_and_leave_nothing() {
    let example = Example::new("F[0,5](p & G[1,4] (q | F[0,3] r))");
    let mut peaks = Vec::new();
    for states in [20, 20_000] {
        let engine = example.graph(Subsumption::Off);
        let mut run = engine.start().unwrap();
        let mut decided = None;
        for position in 0..states {
            let verdict = engine.step(&mut run, Step::new(&example.state("p"), 0)).unwrap();
            if verdict.is_final() && decided.is_none() {
                decided = Some(position);
                assert_eq!((verdict, run.nodes()), (Verdict::Violated, 0));
            }
        }
        assert!(decided.unwrap() <= 5 + 4 + 3);
        peaks.push(run.statistics());
    }
    assert_eq!(peaks[0], peaks[1], "whatever comes after costs nothing");
}

/// What generic keeps at its most on random states.
fn generic_peaks(formula: &str, subsumption: Subsumption, states: usize) -> (usize, usize, Metric) {
    let example = Example::new(formula);
    let engine = example.generic(subsumption);
    let mut run: generic::Run = engine.start().unwrap();
    let mut random = 0x9E37_79B9_7F4A_7C15_u64;
    for _ in 0..states {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        // Answers are rare, so that clocks get to run.
        let holds = |p: traceward_logic::letter::Proposition| match example.names[p.index()].as_str() {
            "q" => random.is_multiple_of(23),
            "r" => random.is_multiple_of(7),
            _ => random >> (8 + p.index()) & 1 == 1,
        };
        engine.step(&mut run, Step::new(&holds, 0)).unwrap();
    }
    let statistics = run.statistics();
    (statistics.peak_configurations.unwrap(), statistics.peak_leaves.unwrap(), engine.automaton().clone())
}

/// Theorem 4.6: for SBTL the number of type B leaves is that of the LTL part, 2^(X - Y) at the
/// most, whatever the constants; type A leaves are Y·(C + 1) at the most. The first formula has
/// them on a random trace that violates nothing before its end.
#[test]
fn generic_keeps_type_b_leaves_at_the_ltl_bound_for_sbtl() {
    for formula in ["G(p -> (F[0,C] q | F r))", "F G(p -> F[0,C] q)", "G(p -> (s U (r & F[0,C] q)))"] {
        let of_bound = |bound: u64, subsumption| {
            let text = formula.replace('C', &bound.to_string());
            let (configurations, timers, automaton) = generic_peaks(&text, subsumption, 2000);
            let finite = automaton.finitely_bounded_size();
            let (outside, constants) = (automaton.size() - finite, automaton.largest_constant() as usize);
            assert!(configurations <= 1 << outside, "{configurations} type B leaves for {text}");
            assert!(timers <= finite * (constants + 1), "{timers} type A leaves for {text}");
            (configurations, timers)
        };
        for subsumption in [Subsumption::On, Subsumption::Off] {
            let (configurations, _) = of_bound(30, subsumption);
            assert!(configurations >= 1);
            for bound in [60, 120] {
                assert_eq!(of_bound(bound, subsumption).0, configurations, "{formula} with {bound}");
            }
        }
    }
}

/// The constants show in type A leaves instead, one for each clock, unless one stands for all.
#[test]
fn generic_keeps_clocks_in_type_a_leaves() {
    for bound in [30, 60] {
        let example = Example::new(&format!("G(p -> F[0,{bound}] q)"));
        let peak = |subsumption| {
            let engine = example.generic(subsumption);
            let mut run = engine.start().unwrap();
            for position in 0..500 {
                let verdict =
                    engine.step(&mut run, Step::new(&example.state(request_and_answer(position % 37)), 0)).unwrap();
                assert!(verdict != Verdict::Satisfied);
            }
            run.statistics()
        };
        let (plain, subsuming) = (peak(Subsumption::Off), peak(Subsumption::On));
        let expected = bound.min(36);
        assert_eq!((plain.peak_configurations, plain.peak_leaves), (Some(1), Some(expected)), "with {bound}");
        assert_eq!((subsuming.peak_configurations, subsuming.peak_leaves), (Some(1), Some(1)));
    }
}

/// Arenas are used again: what ten thousand states took is enough for a million.
#[test]
fn memory_is_that_of_what_is_alive() {
    let example = Example::new("G(p -> F[0,40] (q & F[2,5] p))");
    for subsumption in [Subsumption::On, Subsumption::Off] {
        let engine = example.generic(subsumption);
        let mut run = engine.start().unwrap();
        let mut bytes = Vec::new();
        for position in 0..200_000 {
            let verdict = engine.step(&mut run, Step::new(&example.state(request_and_answer(position)), 0)).unwrap();
            assert_ne!(verdict, Verdict::Violated);
            if position == 10_000 || position + 1 == 200_000 {
                bytes.push(run.statistics().peak_bytes);
            }
        }
        assert_eq!(bytes[0], bytes[1]);
    }
}

/// Neither long traces nor deep formulas overflow the stack.
#[test]
fn depth_is_no_matter() {
    let example = Example::new("F p");
    let engine = example.tree();
    let mut run = engine.start().unwrap();
    (0..200_000).for_each(|_| assert_eq!(engine.step(&mut run, Step::new(&|_| false, 0)).unwrap(), Verdict::Pending));
    assert_eq!(engine.step(&mut run, Step::new(&|_| true, 0)).unwrap(), Verdict::Satisfied);

    let graph = Example::new("G(a | F b)");
    let engine = graph.graph(Subsumption::Off);
    let mut run = engine.start().unwrap();
    (0..200_000).for_each(|_| assert_eq!(engine.step(&mut run, Step::new(&|_| false, 0)).unwrap(), Verdict::Pending));
    assert_eq!(engine.step(&mut run, Step::new(&graph.state("b"), 0)).unwrap(), Verdict::Holding);
    assert_eq!(run.nodes(), 1);

    let mut formulas = traceward_logic::formula::Formulas::new();
    let atom = traceward_logic::expr::Expr::Variable(traceward_logic::trace::VariableId(0));
    let mut formula = formulas.intern_atom(atom);
    for depth in 0..30_000 {
        use traceward_logic::formula::{Direction, Interval, Node, Strength};
        formula = formulas.intern(match depth % 3 {
            0 => Node::Next(Direction::Future, Strength::Strong, formula),
            1 => Node::Eventually(Direction::Future, Interval::steps(0, Some(2)), formula),
            _ => Node::Always(Direction::Future, Interval::steps(0, Some(1)), formula),
        });
    }
    let prepared =
        traceward_engine::select::Prepared::new(&formulas, &[formula], traceward_engine::select::Simplification::Off);
    let example = Example { prepared, names: vec!["a".into()] };
    let (tree, graph, generic) = (example.tree(), example.graph(Subsumption::On), example.generic(Subsumption::On));
    assert_eq!(tree.step(&mut tree.start().unwrap(), Step::new(&|_| true, 0)).unwrap(), Verdict::Pending);
    assert_eq!(graph.step(&mut graph.start().unwrap(), Step::new(&|_| true, 0)).unwrap(), Verdict::Pending);
    assert_eq!(generic.step(&mut generic.start().unwrap(), Step::new(&|_| true, 0)).unwrap(), Verdict::Pending);
}
