//! Who is compared, and how one of them is measured.

use super::family::{FamilyFormula, Workload};
use std::hint::black_box;
use std::time::{Duration, Instant};
use traceward_engine::automaton::metric::{Measures, Statement, Sublogic};
use traceward_engine::engine::{EngineStatistics, Subsumption};
use traceward_engine::limit::{self, GaveUp};
use traceward_engine::select::{Config, EngineName, Online, Prepared, Simplification, Step};
use traceward_logic::letter::Letters;
use traceward_logic::verdict::Verdict;

/// An algorithm, and what it is given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Contender {
    /// The configuration tree.
    Tree,
    /// The configuration graph with a leaf for every clock.
    GraphAsPrinted,
    /// The configuration graph in which one clock stands for those that it implies.
    Graph,
    /// Optimized breadth-first as printed: all successors of compact configurations, whatever the
    /// state, and no configuration dropped because of another.
    BreadthFirstAsPrinted,
    /// The least configurations that the state satisfies.
    BreadthFirst,
    /// The generic algorithm with a leaf for every clock. Its configurations are compact, as those
    /// of breadth-first traversal are: both have the union ⊎.
    GenericAsPrinted,
    /// The generic algorithm in which one leaf stands for those that it implies.
    Generic,
    /// The configuration graph of the formula without bounds.
    ExpandedGraph,
    /// All slices of the formula without bounds.
    ExpandedAsPrinted,
    /// The least slices of the formula without bounds.
    Expanded,
}

/// What says how large something gets at the most. For a sublogic there may be a corollary or a
/// lemma that says more than the theorem.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Theorem {
    /// 3.1, the tree.
    TreeSpace,
    /// 3.3, the graph; corollary 3.1 for LTL and lemma 3.4 for FBTL.
    GraphSpace,
    /// 3.7, breadth-first; corollary 3.2 for LTL.
    BreadthFirstSpace,
    /// 4.7, generic.
    GenericSpace,
}

impl Theorem {
    /// What it states for a formula of a sublogic on a trace of so many states.
    pub fn statement(self, sublogic: Sublogic, measures: Measures, states: usize) -> Statement {
        match self {
            Self::TreeSpace => {
                Statement { name: "theorem 3.1", formula: "Σ X^i, i ≤ |ρ|", allows: measures.tree(states) }
            }
            Self::GraphSpace => sublogic.graph(measures, states),
            Self::BreadthFirstSpace => sublogic.breadth_first(measures),
            Self::GenericSpace => {
                Statement { name: "theorem 4.7", formula: sublogic.space(), allows: sublogic.space_of(measures) }
            }
        }
    }
}

impl Contender {
    /// The algorithms on metric automata.
    pub const METRIC: [Self; 7] = [
        Self::Tree,
        Self::GraphAsPrinted,
        Self::Graph,
        Self::BreadthFirstAsPrinted,
        Self::BreadthFirst,
        Self::GenericAsPrinted,
        Self::Generic,
    ];

    /// Those, and what there is without metric automata.
    pub const ALL: [Self; 10] = [
        Self::Tree,
        Self::GraphAsPrinted,
        Self::Graph,
        Self::BreadthFirstAsPrinted,
        Self::BreadthFirst,
        Self::GenericAsPrinted,
        Self::Generic,
        Self::ExpandedGraph,
        Self::ExpandedAsPrinted,
        Self::Expanded,
    ];

    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tree => "tree",
            Self::GraphAsPrinted => "graph as printed",
            Self::Graph => "graph",
            Self::BreadthFirstAsPrinted => "breadth-first as printed",
            Self::BreadthFirst => "breadth-first",
            Self::GenericAsPrinted => "generic as printed",
            Self::Generic => "generic",
            Self::ExpandedGraph => "expanded, graph",
            Self::ExpandedAsPrinted => "expanded, all slices",
            Self::Expanded => "expanded, least slices",
        }
    }

    /// What bounds it, for those on metric automata.
    pub fn theorem(self) -> Option<Theorem> {
        match self {
            Self::Tree => Some(Theorem::TreeSpace),
            Self::GraphAsPrinted | Self::Graph => Some(Theorem::GraphSpace),
            Self::BreadthFirstAsPrinted | Self::BreadthFirst => Some(Theorem::BreadthFirstSpace),
            Self::GenericAsPrinted | Self::Generic => Some(Theorem::GenericSpace),
            Self::ExpandedGraph | Self::ExpandedAsPrinted | Self::Expanded => None,
        }
    }

    /// Whether it is given the formula without bounds.
    pub fn is_expanded(self) -> bool {
        matches!(self, Self::ExpandedGraph | Self::ExpandedAsPrinted | Self::Expanded)
    }

    /// Whether its size is that of a set of configurations, and not that of a tree or graph.
    pub fn counts_configurations(self) -> bool {
        matches!(self.engine(), EngineName::BreadthFirst | EngineName::PrintedBreadthFirst)
    }

    fn engine(self) -> EngineName {
        match self {
            Self::Tree => EngineName::ForwardBackward,
            Self::GraphAsPrinted | Self::Graph | Self::ExpandedGraph => EngineName::ForwardBackwardDag,
            Self::BreadthFirstAsPrinted => EngineName::PrintedBreadthFirst,
            Self::BreadthFirst | Self::ExpandedAsPrinted | Self::Expanded => EngineName::BreadthFirst,
            Self::GenericAsPrinted | Self::Generic => EngineName::Generic,
        }
    }

    fn subsumption(self) -> Subsumption {
        match self {
            Self::Tree
            | Self::GraphAsPrinted
            | Self::BreadthFirstAsPrinted
            | Self::GenericAsPrinted
            | Self::ExpandedAsPrinted => Subsumption::Within,
            Self::Graph | Self::BreadthFirst | Self::Generic | Self::ExpandedGraph | Self::Expanded => Subsumption::On,
        }
    }

    fn config(self, ContenderLimits { nodes, slices, ways }: ContenderLimits) -> Config {
        let (engine, subsumption) = (self.engine(), self.subsumption());
        let slices = if engine == EngineName::Generic { ways } else { slices };
        let limits = limit::Limits { nodes, slices, ..limit::Limits::default() };
        Config { engine, simplification: Simplification::Off, subsumption, limits, ..Config::default() }
    }
}

/// When an engine gives up.
#[derive(Clone, Copy, Debug)]
pub struct ContenderLimits {
    nodes: usize,
    slices: usize,
    /// From one configuration of the generic algorithm.
    ways: usize,
}

/// Enough for a growth to show, and reached within a second or so.
impl Default for ContenderLimits {
    fn default() -> Self {
        Self { nodes: 1_000_000, slices: 100_000, ways: 10_000 }
    }
}

/// What was seen of an engine.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// Its verdict.
    pub holds: bool,
    /// How many states it read until that was final.
    pub read: usize,
    /// What it needed at its most, if it can tell.
    pub statistics: Option<EngineStatistics>,
    /// How long it took for all of them.
    pub time: Duration,
}

impl Measured {
    /// How long a state took.
    pub fn nanoseconds_per_state(&self) -> f64 {
        self.time.as_secs_f64() * 1e9 / self.read.max(1) as f64
    }
}

/// The fastest of three runs, or of one that is slow enough to be trusted; none if the engine
/// refuses the formula, or gives up.
pub fn measure(
    contender: Contender,
    case: &FamilyFormula,
    subject: &Workload,
    limits: ContenderLimits,
) -> Option<Measured> {
    let config = contender.config(limits);
    let prepared = Prepared::shared(&case.formulas, &[case.root], config.simplification);
    let online = Online::new(&prepared, 0, &config).ok()?;
    let letters = subject.letters(case, online.prepared());
    let mut best: Option<Measured> = None;
    for _ in 0..3 {
        let measured = run(&online, &letters).ok()?;
        let time = measured.time;
        if best.as_ref().is_none_or(|best| time < best.time) {
            best = Some(measured);
        }
        if time > Duration::from_millis(50) {
            break;
        }
    }
    best
}

fn run(online: &Online, letters: &Letters) -> Result<Measured, GaveUp> {
    let start = Instant::now();
    let mut run = online.start()?;
    let mut read = 0;
    let mut verdict = run.verdict();
    while read < letters.len && !verdict.is_final() {
        let letter = |proposition| letters.bitmap(proposition).get(read);
        verdict = run.step(Step { letter: &letter, position: read as u64, time: None })?;
        read += 1;
    }
    let time = start.elapsed();
    black_box(&run);
    let holds = matches!(verdict, Verdict::Satisfied | Verdict::Holding);
    Ok(Measured { holds, read, statistics: run.statistics(), time })
}
