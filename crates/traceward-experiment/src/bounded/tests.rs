//! That the experiment shows what it is meant to show.

use super::*;

fn small(growth: Growth) -> Series {
    series(growth, 24, ContenderLimits::default())
}

/// What is measured of a contender, size by size.
fn sizes<T>(series: &Series, contender: Contender, what: impl Fn(&ContenderCost) -> Option<T>) -> Vec<T> {
    let place = series.contenders.iter().position(|one| *one == contender).expect("one of the contenders");
    series.points.iter().filter_map(|point| what(&point.costs[place])).collect()
}

fn configurations(cost: &ContenderCost) -> Option<usize> {
    cost.measured.as_ref()?.statistics?.peak_configurations
}

fn leaves(cost: &ContenderCost) -> Option<usize> {
    cost.measured.as_ref()?.statistics?.peak_leaves
}

fn is_constant(sizes: &[usize]) -> bool {
    sizes.len() > 1 && sizes.windows(2).all(|pair| pair[0] == pair[1])
}

#[test]
fn with_the_trace_the_tree_outgrows_the_graph() {
    let series = small(Growth::Trace);
    assert_eq!(series.points.iter().map(|point| point.at).collect::<Vec<_>>(), [8, 16]);
    let tree = sizes(&series, Contender::Tree, ContenderCost::size);
    let graph = sizes(&series, Contender::GraphAsPrinted, ContenderCost::size);
    assert!(tree[1] > 4 * tree[0], "{tree:?}");
    assert!(graph[1] < 2 * graph[0], "{graph:?}");
    assert!(is_constant(&sizes(&series, Contender::Generic, ContenderCost::size)));
}

#[test]
fn with_the_constant_only_what_is_printed_grows() {
    let series = small(Growth::Constant);
    assert_eq!(series.points.iter().map(|point| point.at).collect::<Vec<_>>(), [2, 4, 8]);
    assert_eq!(sizes(&series, Contender::GraphAsPrinted, leaves), [2, 4, 8]);
    assert_eq!(sizes(&series, Contender::GenericAsPrinted, leaves), [1, 3, 7]);
    assert_eq!(sizes(&series, Contender::Graph, leaves), [2, 2, 2]);
    assert_eq!(sizes(&series, Contender::Generic, leaves), [1, 1, 1]);
    for contender in [Contender::GenericAsPrinted, Contender::Generic] {
        assert!(is_constant(&sizes(&series, contender, configurations)));
    }
}

#[test]
fn a_bound_written_out_is_as_large_as_the_automaton() {
    let series = small(Growth::Constant);
    let metric: Vec<usize> = series.points.iter().map(|point| point.measures.x).collect();
    assert!(is_constant(&metric), "{metric:?}");
    let expanded: Vec<usize> = series.points.iter().filter_map(|point| point.expanded_nodes).collect();
    assert_eq!(expanded, [5, 7, 11]);
    assert_eq!(sizes(&series, Contender::ExpandedGraph, leaves), [2, 4, 8], "which nothing subsumes");
}

#[test]
fn with_the_nesting_the_tree_is_exponential() {
    let series = small(Growth::Nesting);
    let tree = sizes(&series, Contender::Tree, ContenderCost::size);
    assert!(tree.len() == 4 && tree.windows(2).all(|pair| pair[1] > 4 * pair[0]), "{tree:?}");
    let graph = sizes(&series, Contender::GraphAsPrinted, ContenderCost::size);
    assert!(graph[3] < 8 * graph[1], "at most cubic: {graph:?}");
}

#[test]
fn with_the_width_configurations_double() {
    let series = small(Growth::Width);
    assert_eq!(sizes(&series, Contender::Generic, configurations), [2, 4, 8, 16]);
    let graph = sizes(&series, Contender::Graph, ContenderCost::size);
    assert!(graph[3] < 4 * graph[0], "{graph:?}");
}

/// The bound of theorem 4.7 does not depend on the trace, and what is kept as printed does: always
/// three configurations, and ever more disjunctions over disjunctions over them.
#[test]
fn generic_as_printed_outgrows_its_theorem() {
    let subject = family::subject(Growth::Trace, 2048, 2048);
    let contenders = [Contender::GenericAsPrinted, Contender::Generic];
    let point = point(2048, &subject, &contenders, &[], ContenderLimits::default());
    assert_eq!(point.costs.iter().map(ContenderCost::exceeds_bound).collect::<Vec<_>>(), [true, false]);
    let statistics = point.costs[0].measured.as_ref().and_then(|measured| measured.statistics).expect("statistics");
    assert_eq!((statistics.peak_configurations, statistics.peak_leaves), (Some(3), Some(0)));
}

#[test]
fn each_sublogic_has_its_formula() {
    let costs = family::SUBLOGICS.map(|formula| sublogic_cost(formula, 128, ContenderLimits::default()));
    assert_eq!(costs.each_ref().map(|cost| cost.sublogic.name()), ["LTL", "FBTL", "SBTL", "BTL"]);
    for cost in costs {
        let is_decided = cost.measured.read < cost.states;
        assert_eq!(is_decided, cost.sublogic == Sublogic::Fbtl, "only finite bounds are decided in time");
    }
}
