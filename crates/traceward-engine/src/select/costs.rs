//! The costs of every engine for a formula: the most that it can need, evaluated.
//!
//! Where the papers prove a bound it is theirs, with [`HIDDEN_CONSTANT`] for what O leaves open.
//! Where their proof rests on claim 3.2, which is wrong for operators that begin late, the clocks
//! that a configuration can have are counted instead.

use super::table::Build;
use super::{Config, EngineName};
use crate::automaton::alternating::{Alternating, is_bounded};
use crate::automaton::metric::{HIDDEN_CONSTANT, Magnitude, Metric, Statement, Sublogic, sublogic};
use crate::engine::follow::Follow;
use crate::engine::observer::Observer;
use crate::engine::streaming::Streaming;
use crate::limit::{BuildError, Feature};
use crate::prepared::Prepared;
use traceward_logic::formula::{Direction, FormulaId, Formulas, Node, Unit};

/// The costs of an engine for a formula.
#[derive(Clone, PartialEq, Debug)]
pub struct EngineCost {
    /// The engine.
    pub engine: EngineName,
    /// The most that it can need, or why it does not take the formula.
    pub most: Result<MostNeeded, Refused>,
}

/// The most that an engine can need for a trace.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct MostNeeded {
    /// The things that the engine keeps, which space counts.
    pub unit: SpaceUnit,
    /// The number of things that are kept at once.
    pub space: Statement,
    /// The number of steps for the whole trace.
    pub time: Statement,
}

/// The things that an engine keeps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SpaceUnit {
    /// A truth value of a part of the formula at a position.
    TruthValues,
    /// A condition that waits to be looked at.
    Conditions,
    /// A set of nodes with their clocks.
    Configurations,
    /// A state of an automaton.
    States,
    /// A node of a tree or a graph.
    Nodes,
    /// A value of a part of a query at a position.
    Values,
    /// A span of positions that waits for an answer, or is kept for others.
    Spans,
}

impl SpaceUnit {
    /// The word for several of them.
    pub fn name(self) -> &'static str {
        match self {
            Self::TruthValues => "truth values",
            Self::Conditions => "conditions",
            Self::Configurations => "configurations",
            Self::States => "states",
            Self::Nodes => "nodes",
            Self::Values => "values",
            Self::Spans => "spans of positions",
        }
    }
}

/// The reason why an engine does not take a formula.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refused {
    /// The formula has a feature that the engine cannot take, in this part of it, if it is in one.
    Feature(Feature, Option<FormulaId>),
    /// The engine gave up on it, in words.
    GaveUp(String),
}

/// The costs of all engines for the formula of an index and a trace of so many states.
pub fn engine_costs(prepared: &Prepared, index: usize, config: &Config, states: usize) -> Vec<EngineCost> {
    let subject = Subject::new(prepared, index, states);
    let engines = EngineName::ALL.iter().copied().filter(|engine| *engine != EngineName::Auto);
    engines.map(|engine| EngineCost { engine, most: subject.most(engine, config) }).collect()
}

/// A formula whose costs are asked for.
struct Subject<'a> {
    prepared: &'a Prepared,
    index: usize,
    states: usize,
    parts: Vec<FormulaId>,
    /// The metric automaton, unless a bound is too long for its clocks.
    metric: Option<Metric>,
    /// The sublogic, unless a bound counts time.
    sublogic: Option<Sublogic>,
}

impl<'a> Subject<'a> {
    fn new(prepared: &'a Prepared, index: usize, states: usize) -> Self {
        let (formulas, root) = (&prepared.formulas, prepared.normal[index]);
        let metric = Metric::new(formulas, root).ok();
        let sublogic = sublogic(formulas, root);
        Self { prepared, index, states: states.max(1), parts: formulas.parts(&[root]), metric, sublogic }
    }

    fn formulas(&self) -> &'a Formulas {
        &self.prepared.formulas
    }

    fn most(&self, engine: EngineName, config: &Config) -> Result<MostNeeded, Refused> {
        self.refuse(engine, config)?;
        Ok(match engine {
            EngineName::Auto | EngineName::Reverse => self.reverse(),
            EngineName::Naive => self.naive(),
            EngineName::DepthFirst => self.depth_first(),
            EngineName::Tableau => self.tableau(),
            EngineName::Observer => self.observer(config),
            EngineName::BreadthFirst | EngineName::PrintedBreadthFirst => self.breadth_first(),
            EngineName::ForwardBackward => self.tree(),
            EngineName::ForwardBackwardDag => self.graph(),
            EngineName::Generic => self.generic(),
            EngineName::Streaming => self.streaming(config),
        })
    }

    /// Tries to make the engine. A tableau may take long to be made, and refuses bounds in time
    /// alone.
    fn refuse(&self, engine: EngineName, config: &Config) -> Result<(), Refused> {
        if engine == EngineName::Tableau {
            let timed = self.part_with(Feature::BoundsInTime);
            return timed.map_or(Ok(()), |part| Err(Refused::Feature(Feature::BoundsInTime, Some(part))));
        }
        let Some(Build::Follows(build)) = engine.build() else { return Ok(()) };
        match build(self.prepared, self.index, config.of_engines()) {
            Ok(_) => Ok(()),
            Err(BuildError::Unsupported(refused)) => Err(Refused::Feature(refused.what, self.part_with(refused.what))),
            Err(BuildError::GaveUp(gave_up)) => Err(Refused::GaveUp(gave_up.limit.to_string())),
        }
    }

    /// The part of the formula that has a feature; of several the innermost.
    fn part_with(&self, feature: Feature) -> Option<FormulaId> {
        let formulas = self.formulas();
        let bound = |part: FormulaId| formulas.node(part).interval().map_or(0, |one| one.to.unwrap_or(one.from));
        let is_past = |part: &FormulaId| formulas.node(*part).direction() == Some(Direction::Past);
        let is_timed = |part: &FormulaId| formulas.node(*part).interval().is_some_and(|one| one.unit == Unit::Time);
        let has_future = |part: &FormulaId| {
            let inside = formulas.parts(&[*part]);
            inside.into_iter().any(|one| formulas.node(one).direction() == Some(Direction::Future))
        };
        let mut parts = self.parts.iter().copied();
        match feature {
            Feature::BoundsInTime => parts.find(is_timed),
            Feature::FutureInsidePast => parts.find(|part| is_past(part) && has_future(part)),
            Feature::LongPastBounds | Feature::MuchPast => parts.filter(is_past).max_by_key(|part| bound(*part)),
            Feature::VastBounds | Feature::VastTimes | Feature::EmptyInterval | Feature::Bounds => {
                parts.max_by_key(|part| bound(*part))
            }
            Feature::GrowingTrace => None,
        }
    }

    fn trace(&self) -> Magnitude {
        count(self.states as u64)
    }

    /// A row of bits for each part.
    fn reverse(&self) -> MostNeeded {
        let rows = count(self.parts.len() as u64);
        MostNeeded {
            unit: SpaceUnit::TruthValues,
            space: counted("k·|ρ|", rows * self.trace()),
            time: counted("k·|ρ|", rows * self.trace()),
        }
    }

    /// The definition looks from every position at every later one, for every part.
    fn naive(&self) -> MostNeeded {
        let time = counted("k·|ρ|²", count(self.parts.len() as u64) * self.trace() * self.trace());
        MostNeeded { time, ..self.reverse() }
    }

    /// Every condition may be looked at anew for every one at the position before, and for every
    /// position of a window.
    fn depth_first(&self) -> MostNeeded {
        let formulas = self.formulas();
        let is_past = |part: &FormulaId| formulas.node(*part).direction() == Some(Direction::Past);
        let automaton = Alternating::new(formulas, &[self.prepared.normal[self.index]]);
        let size = count((automaton.nodes().len() + automaton.condition_ids().count()) as u64);
        let is_windowed = self.parts.iter().any(|part| is_bounded(formulas.node(*part)));
        let width = if is_windowed { size * self.trace() } else { size };
        // Between past and future a run may turn as often as operators are nested.
        let turns = self.parts.len();
        let (formula, depth) = match (is_windowed, self.parts.iter().any(is_past)) {
            (false, false) => ("X^|ρ|", self.states),
            (true, false) => ("(X·|ρ|)^|ρ|", self.states),
            (false, true) => ("X^(k·|ρ|)", self.states * turns),
            (true, true) => ("(X·|ρ|)^(k·|ρ|)", self.states * turns),
        };
        MostNeeded {
            unit: SpaceUnit::Conditions,
            space: counted("X·k·|ρ|", size * count((self.parts.len() * self.states) as u64)),
            time: counted(formula, width.to_the(depth as f64)),
        }
    }

    /// A state of the tableau is a set of what is owed, strongly or not, and of what is claimed of
    /// the past; both of formulas, of what becomes of them step by step, and of their duals.
    fn tableau_states(&self) -> Magnitude {
        let of = |direction: Direction| {
            let parts = self.parts.iter().map(|part| self.formulas().node(*part));
            let variants = parts.filter(move |node| node.direction() == Some(direction)).map(variants);
            variants.fold(0_u64, u64::saturating_add)
        };
        let (owed, claimed) = (of(Direction::Future), of(Direction::Past));
        // Claims are made of future operators too, if those are inside of past ones.
        let claimable = if claimed == 0 { 0 } else { claimed.saturating_add(owed) };
        let sets = Magnitude::new(2.0).to_the(4.0 * owed as f64) * Magnitude::new(3.0).to_the(claimable as f64);
        sets + Magnitude::new(1.0)
    }

    fn tableau(&self) -> MostNeeded {
        let states = self.tableau_states();
        let letters = Magnitude::new(3.0).to_the(self.prepared.alphabet.atoms().len() as f64);
        MostNeeded {
            unit: SpaceUnit::States,
            space: counted("2^(4m)·3^p + 1", states),
            time: counted("|ρ|·N²·3^a", self.trace() * states * states * letters),
        }
    }

    /// The automaton itself if it is small, and otherwise as many states as there are sets of
    /// states of the tableau.
    fn observer(&self, config: &Config) -> MostNeeded {
        let observer = Observer::compile(self.prepared, self.index, config.of_engines()).ok();
        let made = observer.as_ref().and_then(Observer::automaton).map(|automaton| automaton.states().len());
        let space = match made {
            Some(states) => Statement { name: "made", formula: "N", allows: count(states as u64) },
            None => counted("2^(2^(4m)·3^p + 1)", Magnitude::new(2.0).to_the(self.tableau_states().number())),
        };
        let tests = count(self.prepared.alphabet.atoms().len().max(1) as u64);
        MostNeeded { unit: SpaceUnit::States, space, time: counted("|ρ|·a", self.trace() * tests) }
    }

    /// In the worst case every position waits, and what its operands have told is kept for it.
    fn streaming(&self, config: &Config) -> MostNeeded {
        let streaming = Streaming::compile(self.prepared, self.index, config.of_engines()).ok();
        let parts = count(streaming.map_or(1, |streaming| streaming.parts()) as u64);
        let rows = count(self.parts.len() as u64);
        MostNeeded {
            unit: SpaceUnit::Spans,
            space: counted("4·P·|ρ|", Magnitude::new(4.0) * parts * self.trace()),
            time: counted("4·(k + P)·|ρ|", Magnitude::new(4.0) * (rows + parts) * self.trace()),
        }
    }

    fn metric(&self) -> &Metric {
        self.metric.as_ref().expect("a bound that is too long is refused")
    }

    /// The nodes of the automaton with the clocks that they can have if these count time. Whatever
    /// the constants are, a clock is set at some state.
    fn nodes_in_time(&self) -> Magnitude {
        count(self.metric().size() as u64) * (self.trace() + Magnitude::new(1.0))
    }

    /// Any set of nodes with their clocks.
    fn sets_in_time(&self) -> Magnitude {
        Magnitude::new(2.0).to_the(self.nodes_in_time().number())
    }

    fn breadth_first(&self) -> MostNeeded {
        let metric = self.metric();
        let measures = metric.measures();
        let squared = |sets: Magnitude| counted("|ρ|·X·N²", self.trace() * count(measures.x as u64) * sets * sets);
        let (space, time) = match self.sublogic {
            None => (counted("2^(X·(|ρ|+1))", self.sets_in_time()), squared(self.sets_in_time())),
            Some(_) if metric.has_delays() => {
                (counted("Π of each node's sets of clocks", metric.clock_sets()), squared(metric.clock_sets()))
            }
            Some(sublogic) => (sublogic.breadth_first(measures), sublogic.breadth_first_time(measures, self.states)),
        };
        MostNeeded { unit: SpaceUnit::Configurations, space, time }
    }

    fn tree(&self) -> MostNeeded {
        let allows = self.metric().measures().tree(self.states) * Magnitude::new(HIDDEN_CONSTANT);
        let stated = Statement { name: "theorem 3.1", formula: "Σ X^i, i ≤ |ρ|", allows };
        MostNeeded { unit: SpaceUnit::Nodes, space: stated, time: stated }
    }

    fn graph(&self) -> MostNeeded {
        let stated = match self.sublogic {
            Some(sublogic) => twice(sublogic.graph(self.metric().measures(), self.states)),
            None => {
                let all = self.nodes_in_time() * count(self.metric().size() as u64) * self.trace();
                twice(counted("X²·(|ρ|+1)·|ρ|", all))
            }
        };
        MostNeeded { unit: SpaceUnit::Nodes, space: stated, time: stated }
    }

    /// Of the other sublogics, operators that begin late are in graphs, where every clock has a
    /// leaf anyway.
    fn generic(&self) -> MostNeeded {
        let metric = self.metric();
        let Some(sublogic) = self.sublogic else {
            let sets = self.sets_in_time();
            let time = twice(counted("|ρ|·N²", self.trace() * sets * sets));
            return MostNeeded { unit: SpaceUnit::Nodes, space: twice(counted("2^(X·(|ρ|+1))", sets)), time };
        };
        let measures = metric.measures();
        let (space, time) = if sublogic == Sublogic::Btl && metric.has_delays() {
            (measures.generic_with_delays(), measures.generic_time_with_delays(self.states))
        } else {
            let (space, time) = (sublogic.space_of(measures), sublogic.time_of(measures, self.states));
            (
                Statement { name: "theorem 4.7", formula: sublogic.space(), allows: space },
                Statement { name: "theorem 4.8", formula: sublogic.time(), allows: time },
            )
        };
        MostNeeded { unit: SpaceUnit::Nodes, space: twice(space), time: twice(time) }
    }
}

fn count(number: u64) -> Magnitude {
    Magnitude::new(number.max(1) as f64)
}

/// A bound that no paper states, and that follows from what the engine does.
fn counted(formula: &'static str, allows: Magnitude) -> Statement {
    Statement { name: "counted", formula, allows }
}

fn twice(statement: Statement) -> Statement {
    Statement { allows: statement.allows * Magnitude::new(HIDDEN_CONSTANT), ..statement }
}

/// The number of formulas that an operator becomes step by step, with what it asks of its operands
/// in the next step.
fn variants(node: Node) -> u64 {
    let own = node.interval().map_or(1, |interval| interval.to.unwrap_or(interval.from).saturating_add(1));
    own.saturating_add(node.children().count() as u64)
}
