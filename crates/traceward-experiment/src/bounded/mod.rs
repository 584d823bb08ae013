//! What the algorithms on metric automata cost, and how that grows, next to what the thesis on
//! bounded temporal logic proves.

mod contender;
mod family;
mod picture;

use contender::ContenderLimits;
use family::{FamilyFormula, Workload};
use std::time::Duration;
use traceward_engine::automaton::alternating::Alternating;
use traceward_engine::automaton::metric::{Magnitude, Measures, Metric, Statement, Sublogic, sublogic};
use traceward_engine::engine::offline::Cache;
use traceward_engine::engine::reverse::Reverse;

pub use contender::{Contender, Measured, Theorem};
pub use picture::draw;
pub use traceward_engine::automaton::metric::HIDDEN_CONSTANT;

/// Who takes longer than this for a trace is not asked about what is larger.
const PATIENCE: Duration = Duration::from_millis(500);

/// What becomes larger.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Growth {
    /// The trace.
    Trace,
    /// The constant of the bound.
    Constant,
    /// The number of operators, one inside the other.
    Nesting,
    /// The number of operators, one beside the other.
    Width,
}

impl Growth {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Trace, Self::Constant, Self::Nesting, Self::Width];

    /// In a word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Trace => "trace",
            Self::Constant => "constant",
            Self::Nesting => "nesting",
            Self::Width => "width",
        }
    }

    /// What is counted, on the axis.
    pub fn variable(self) -> &'static str {
        match self {
            Self::Trace => "states",
            Self::Constant => "constant c",
            Self::Nesting => "nested operators k",
            Self::Width => "conjuncts k",
        }
    }

    /// The formulas.
    pub fn formula(self) -> &'static str {
        match self {
            Self::Trace => "G(p -> F(q & F r))",
            Self::Constant => "G(p -> F[0,c] q)",
            Self::Nesting => "F[0,5](p & F[0,5](p & … F[0,5] q))",
            Self::Width => "G(F[0,8] q1 | F r1) & … & G(F[0,8] qk | F rk)",
        }
    }

    /// The traces, in words.
    pub fn trace(self) -> &'static str {
        match self {
            Self::Trace => "p and q at every state, r at none",
            Self::Constant => "p at every state, q at every c-th",
            Self::Nesting => "p at every state, q at none",
            Self::Width => "each q at every 8th state, in turn, no r",
        }
    }

    /// What there is to see.
    pub fn lesson(self) -> &'static str {
        match self {
            Self::Trace => {
                "The tree grows with the third power of the trace, as three operators are nested; the graph\n\
                 linearly; breadth-first and generic not at all. Generic as printed grows too, and beyond\n\
                 its theorem: disjunctions stay inside disjunctions, which the proof takes for one."
            }
            Self::Constant => {
                "As printed, graph and generic keep a leaf for every request that waits; with subsumption one\n\
                 stands for all. Written out as q | X(q | X(…)) the bound is as large as the automaton, and\n\
                 each request waits in a node of its own, which nothing subsumes."
            }
            Self::Nesting => "The tree is exponential in the operators, the graph polynomial.",
            Self::Width => {
                "Every conjunct doubles the sets of promises that may be open: configurations, the type B\n\
                 leaves of generic, are exponential in the part without a bound; the graph is polynomial."
            }
        }
    }

    fn contenders(self) -> &'static [Contender] {
        match self {
            Self::Constant => &Contender::ALL,
            Self::Trace | Self::Nesting | Self::Width => &Contender::METRIC,
        }
    }

    /// How large it gets if no trace may have more than this many states.
    fn sizes(self, longest: usize) -> Vec<usize> {
        let doubled = |first: usize, last: usize| {
            std::iter::successors(Some(first), |size| size.checked_mul(2))
                .take_while(move |size| *size <= last)
                .collect()
        };
        match self {
            Self::Trace => doubled(8, longest.max(8)),
            Self::Constant => doubled(2, (longest / 2).max(2)),
            Self::Nesting | Self::Width => (1..=(longest / 6).clamp(1, 10)).collect(),
        }
    }
}

/// What an engine needed at one size, and what it may need.
#[derive(Clone, Debug, PartialEq)]
pub struct ContenderCost {
    /// Who was asked.
    pub contender: Contender,
    /// What was seen; none if it refused, or gave up.
    pub measured: Option<Measured>,
    /// What the thesis states of it, and allows, [`HIDDEN_CONSTANT`] included; none if it states
    /// nothing.
    pub bound: Option<Statement>,
}

impl ContenderCost {
    /// What the theorem is about: nodes of tree and graph, or configurations.
    pub fn size(&self) -> Option<usize> {
        let statistics = self.measured.as_ref()?.statistics?;
        match self.contender.counts_configurations() {
            true => statistics.peak_configurations,
            false => statistics.peak_nodes,
        }
    }

    /// Whether more was needed than the theorem allows.
    pub fn exceeds_bound(&self) -> bool {
        let exceeds = |(size, bound): (usize, Statement)| Magnitude::new(size.max(1) as f64) > bound.allows;
        self.size().zip(self.bound).is_some_and(exceeds)
    }

    fn is_bearable(&self) -> bool {
        self.measured.as_ref().is_some_and(|measured| measured.time <= PATIENCE)
    }
}

/// One size.
#[derive(Clone, Debug, PartialEq)]
pub struct SizePoint {
    /// The size.
    pub at: usize,
    /// The length of the trace.
    pub states: usize,
    /// The sublogic of the formula.
    pub sublogic: Sublogic,
    /// What the theorems' bounds depend on.
    pub measures: Measures,
    /// The nodes of the alternating automaton of the formula without bounds, where that is compared
    /// with.
    pub expanded_nodes: Option<usize>,
    /// Every contender of the series, in its order.
    pub costs: Vec<ContenderCost>,
}

/// How costs grow with one thing.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// With what.
    pub growth: Growth,
    /// Who is compared.
    pub contenders: &'static [Contender],
    /// Size by size.
    pub points: Vec<SizePoint>,
}

/// What the generic algorithm needs for a formula of a sublogic.
#[derive(Clone, Debug, PartialEq)]
pub struct SublogicCost {
    /// The sublogic.
    pub sublogic: Sublogic,
    /// The formula.
    pub formula: &'static str,
    /// The length of the trace.
    pub states: usize,
    /// What the theorems' bounds depend on.
    pub measures: Measures,
    /// What was seen.
    pub measured: Measured,
    /// Theorem 4.7, [`HIDDEN_CONSTANT`] included.
    pub space: Magnitude,
    /// Theorem 4.8, in steps of the algorithm.
    pub time: Magnitude,
}

/// All that was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Bounded {
    /// How costs grow.
    pub series: Vec<Series>,
    /// What they are for each sublogic.
    pub sublogics: Vec<SublogicCost>,
}

/// Measures the algorithms on metric automata, on traces of at most so many states. One that gives
/// up, or takes long, is not asked about what is larger still.
///
/// # Panics
/// If an engine gives a wrong answer, or needs more than its theorem allows,
/// [`Contender::GenericAsPrinted`] excepted.
pub fn measure(longest: usize) -> Bounded {
    let limits = ContenderLimits::default();
    let series = Growth::ALL.map(|growth| series(growth, longest, limits)).to_vec();
    let states = longest.max(8);
    let sublogics = family::SUBLOGICS.map(|formula| sublogic_cost(formula, states, limits)).to_vec();
    Bounded { series, sublogics }
}

fn series(growth: Growth, longest: usize, limits: ContenderLimits) -> Series {
    let contenders = growth.contenders();
    let mut gave_up = Vec::new();
    let mut points = Vec::new();
    for at in growth.sizes(longest) {
        let subject = family::subject(growth, at, longest);
        let point = point(at, &subject, contenders, &gave_up, limits);
        gave_up = point.costs.iter().filter(|cost| !cost.is_bearable()).map(|cost| cost.contender).collect();
        points.push(point);
    }
    Series { growth, contenders, points }
}

fn point(
    at: usize,
    subject: &Workload,
    contenders: &[Contender],
    gave_up: &[Contender],
    limits: ContenderLimits,
) -> SizePoint {
    let Workload { bounded, expanded, states, .. } = subject;
    let (sublogic, measures) = class(bounded);
    let expanded_nodes = expanded.as_ref().map(alternating_nodes);
    let expected = verdict(bounded, subject);
    let cost = |&contender: &Contender| {
        let case = if contender.is_expanded() { expanded.as_ref() } else { Some(bounded) };
        let asked = case.filter(|_| !gave_up.contains(&contender));
        let measured = asked.and_then(|case| contender::measure(contender, case, subject, limits));
        if let Some(measured) = &measured {
            assert_eq!(measured.holds, expected, "{} is wrong about {}", contender.name(), bounded.text);
        }
        let statement = contender.theorem().map(|theorem| theorem.statement(sublogic, measures, *states));
        let with_constant =
            |bound: Statement| Statement { allows: bound.allows * Magnitude::new(HIDDEN_CONSTANT), ..bound };
        let cost = ContenderCost { contender, measured, bound: statement.map(with_constant) };
        assert_within_bounds(&cost, bounded, sublogic, measures);
        cost
    };
    let costs = contenders.iter().map(cost).collect();
    SizePoint { at, states: *states, sublogic, measures, expanded_nodes, costs }
}

fn assert_within_bounds(cost: &ContenderCost, case: &FamilyFormula, sublogic: Sublogic, measures: Measures) {
    // As printed a disjunction below a disjunction stays there, so the graph of the generic
    // algorithm grows with the trace as long as nothing is decided. The proof of lemma 4.4 takes it
    // for one disjunction over the leaves, which subsumption makes of it.
    if cost.contender != Contender::GenericAsPrinted {
        assert!(!cost.exceeds_bound(), "{} exceeds its bound for {}", cost.contender.name(), case.text);
    }
    if let (Some(Theorem::GenericSpace), Some(measured)) = (cost.contender.theorem(), &cost.measured) {
        assert_leaves_within_bounds(measured, case, sublogic, measures);
    }
}

/// The two kinds of leaves that theorem 4.6 is built on. For BTL configurations have clocks, so
/// there are more of them.
fn assert_leaves_within_bounds(measured: &Measured, case: &FamilyFormula, sublogic: Sublogic, measures: Measures) {
    let Some(statistics) = measured.statistics else { return };
    let (type_a, type_b) = (statistics.peak_leaves.unwrap_or(0), statistics.peak_configurations.unwrap_or(0));
    assert!(type_a as f64 <= measures.type_a().number(), "{type_a} type A leaves for {}", case.text);
    if sublogic != Sublogic::Btl {
        assert!(type_b as f64 <= measures.type_b().number(), "{type_b} type B leaves for {}", case.text);
    }
}

fn sublogic_cost(formula: &'static str, states: usize, limits: ContenderLimits) -> SublogicCost {
    let subject = family::sublogic_subject(formula, states);
    let case = &subject.bounded;
    let (sublogic, measures) = class(case);
    let measured =
        contender::measure(Contender::Generic, case, &subject, limits).expect("a formula that is no trouble");
    assert_eq!(measured.holds, verdict(case, &subject), "{formula}");
    assert_leaves_within_bounds(&measured, case, sublogic, measures);
    let space = sublogic.space_of(measures) * Magnitude::new(HIDDEN_CONSTANT);
    let nodes = measured.statistics.and_then(|statistics| statistics.peak_nodes).unwrap_or(0);
    assert!(Magnitude::new(nodes.max(1) as f64) <= space, "{nodes} nodes for {formula}");
    let time = sublogic.time_of(measures, states);
    SublogicCost { sublogic, formula, states, measures, measured, space, time }
}

fn class(case: &FamilyFormula) -> (Sublogic, Measures) {
    let prepared = case.prepared();
    let automaton = Metric::new(&prepared.formulas, prepared.normal[0]).expect("no bound counts time");
    (sublogic(&prepared.formulas, prepared.normal[0]).expect("no bound counts time"), automaton.measures())
}

fn alternating_nodes(case: &FamilyFormula) -> usize {
    let prepared = case.prepared();
    Alternating::new(&prepared.formulas, &prepared.normal).nodes().len()
}

/// What reverse traversal says, which is none of those that are compared.
fn verdict(case: &FamilyFormula, subject: &Workload) -> bool {
    let prepared = case.prepared();
    let letters = subject.letters(case, &prepared);
    let engine = Reverse::new(&prepared.formulas, &prepared.alphabet, &prepared.normal);
    engine.rows(&mut Cache::default(), &letters)[0].get(0)
}

#[cfg(test)]
mod tests;
