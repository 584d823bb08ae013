//! Statistics, each as a lattice for the engines and as a definition over runs that are given one
//! by one.

use std::collections::{BTreeMap, BTreeSet};
use traceward_engine::automaton::alternating::{Alternating, NodeId};
use traceward_engine::run_statistics::{Coverage, Lattice, RejectingVisits};

/// What a lattice is supposed to compute from what each accepting run visits; `Plain` is a value to
/// compare by.
pub trait Statistic: Lattice {
    type Plain: PartialEq + std::fmt::Debug;
    fn plain(value: Self::Value) -> Self::Plain;
    fn of_runs(automaton: &Alternating, runs: &[Vec<NodeId>]) -> Self::Plain;
}

impl Statistic for RejectingVisits {
    type Plain = u64;

    fn plain(value: u64) -> u64 {
        value
    }

    fn of_runs(automaton: &Alternating, runs: &[Vec<NodeId>]) -> u64 {
        let of_run = |run: &Vec<NodeId>| run.iter().filter(|node| !automaton.node(**node).accepting).count() as u64;
        runs.iter().map(of_run).min().expect("a run")
    }
}

impl Statistic for Coverage {
    type Plain = BTreeSet<usize>;

    fn plain(value: Self::Value) -> Self::Plain {
        value.indices().into_iter().collect()
    }

    fn of_runs(automaton: &Alternating, runs: &[Vec<NodeId>]) -> Self::Plain {
        let everywhere = |node: &NodeId| runs.iter().all(|run| run.contains(node));
        automaton.node_ids().filter(everywhere).map(NodeId::index).collect()
    }
}

/// The most visits to accepting nodes. `+` distributes over `max`, so `meet` and `update` do over
/// `join`; but the more a run visits the better, so that a slice is no substitute for one that
/// contains it.
#[derive(Debug)]
pub struct AcceptingVisits;

impl Lattice for AcceptingVisits {
    type Value = u64;

    fn top(&self) -> u64 {
        0
    }

    fn meet(&self, left: &u64, right: &u64) -> u64 {
        left + right
    }

    fn join(&self, left: &u64, right: &u64) -> u64 {
        *left.max(right)
    }

    fn update(&self, value: u64, automaton: &Alternating, node: NodeId) -> u64 {
        value + u64::from(automaton.node(node).accepting)
    }
}

impl Statistic for AcceptingVisits {
    type Plain = u64;

    fn plain(value: u64) -> u64 {
        value
    }

    fn of_runs(automaton: &Alternating, runs: &[Vec<NodeId>]) -> u64 {
        let of_run = |run: &Vec<NodeId>| run.iter().filter(|node| automaton.node(**node).accepting).count() as u64;
        runs.iter().map(of_run).max().expect("a run")
    }
}

/// How often each node was visited.
type Profile = BTreeMap<NodeId, u32>;

/// For every run, how often it visits each node. `meet` adds every profile of one side to every one
/// of the other and `join` unites, so `meet` and `update` distribute over `join` element by
/// element. Every other statistic follows from this one: it is the free one.
#[derive(Debug)]
pub struct Profiles;

fn visit(mut profile: Profile, node: NodeId, times: u32) -> Profile {
    *profile.entry(node).or_default() += times;
    profile
}

impl Lattice for Profiles {
    type Value = BTreeSet<Profile>;

    fn top(&self) -> Self::Value {
        BTreeSet::from([Profile::new()])
    }

    fn meet(&self, left: &Self::Value, right: &Self::Value) -> Self::Value {
        let sum = |one: &Profile, other: &Profile| {
            other.iter().fold(one.clone(), |sum, (node, times)| visit(sum, *node, *times))
        };
        left.iter().flat_map(|one| right.iter().map(move |other| sum(one, other))).collect()
    }

    fn join(&self, left: &Self::Value, right: &Self::Value) -> Self::Value {
        left | right
    }

    fn update(&self, value: Self::Value, _: &Alternating, node: NodeId) -> Self::Value {
        value.into_iter().map(|profile| visit(profile, node, 1)).collect()
    }
}

impl Statistic for Profiles {
    type Plain = BTreeSet<Profile>;

    fn plain(value: Self::Value) -> Self::Plain {
        value
    }

    fn of_runs(_: &Alternating, runs: &[Vec<NodeId>]) -> Self::Plain {
        let of_run = |run: &Vec<NodeId>| run.iter().fold(Profile::new(), |profile, node| visit(profile, *node, 1));
        runs.iter().map(of_run).collect()
    }
}
