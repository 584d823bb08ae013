//! Breadth-first traversal: Finkbeiner and Sipma, *Checking Finite Traces using Alternating Automata*, sections 3.2 and 5.4,
//! and the thesis on bounded temporal logic, section 3.4, which does the same on metric automata.
//!
//! A run is a sequence of *slices*, sets of nodes that a run visits at one position; with a clock for each node the thesis
//! calls them *configurations*. Of a formula without bounds all clocks stay as they are, so one algorithm does for both.
//! The engine keeps all configurations that some run over the states so far can have, and steps from one state to the
//! next; the trace is walked once, and may still be growing. No configuration left: no continuation can satisfy the
//! formula. One in which no timer leads anywhere: nothing is owed, every continuation does.
//!
//! Formulas about the past are settled at once: at a position such a formula is either true, and asks for nothing, or the
//! configuration that needs it is gone. (The first paper keeps a satisfied past node in its slice, which would owe its
//! successor at the *next* position.) So their truth is part of the letter. A future operator inside a past one is refused.
//!
//! A configuration that asks of later states all that another one asks of them can be dropped: the other leads to an
//! accepting one whenever it does ([`Subsumption`]). Without that their number may explode. Successors are remembered, for configurations and for whole
//! sets of them, in a cache of bounded size.
//!
//! The thesis misprints: `init(ε)` is `{∅}`, not `∅`; `init(N, c)` is a set of configurations, `{{⟨N,c⟩}}`; the traversal
//! starts with `init(𝒜, ∞)`; a node is state-satisfied (definition 3.15) if it evaluates to anything but -1; the procedure
//! returns whether S′ is *not* empty, having read the last state and not the one before it. And of two clocks on a delay
//! timer neither subsumes the other, whatever claim 3.2 says.

mod expansion;
mod slices;
mod statistics;

use super::configuration::Configuration;
use super::reading::{self, Reader, Reading};
use super::{Config, Decision, Memory, Subsumption};
use crate::automaton::alternating::NodeId;
use crate::automaton::metric::{Kind, Label, Metric};
use crate::limit::{GaveUp, Instead, Limit, Unsupported};
use expansion::Scopes;
use slices::{SetId, Slices};
pub use statistics::OverSlices;
use std::sync::Arc;
use traceward_logic::formula::{FormulaId, Formulas};
use traceward_logic::letter::{Alphabet, Letters, Proposition};
use traceward_logic::verdict::Verdict;

const NAME: &str = "breadth-first";

/// A formula ready to be evaluated by breadth-first traversal.
#[derive(Clone, Debug)]
pub struct BreadthFirst {
    automaton: Metric,
    scopes: Scopes,
    reader: Reader,
    /// What a state is asked, in order.
    leaves: Box<[NodeId]>,
    config: Config,
}

/// Scratch: configurations, sets of them, and their successors. Belongs to one [`BreadthFirst`]; its runs may share it.
#[derive(Clone, Debug, Default)]
pub struct Cache {
    slices: Slices,
}

impl Cache {
    /// About how many bytes it holds.
    pub fn bytes(&self) -> usize {
        self.slices.bytes()
    }
}

/// A traversal that has got somewhere.
#[derive(Clone, Debug)]
pub struct Run {
    /// Where the cache has the configurations, in its epoch.
    set: SetId,
    epoch: u64,
    /// The configurations, should the cache forget them.
    kept: Arc<[Arc<Configuration>]>,
    verdict: Verdict,
    reading: Reading,
    position: usize,
    peak_configurations: usize,
}

impl Run {
    /// The most configurations that it has had at one position.
    pub fn peak_configurations(&self) -> usize {
        self.peak_configurations
    }

    fn arrive(&mut self, set: SetId, slices: &Slices) {
        if self.set == set && self.epoch == slices.epoch() {
            return;
        }
        self.set = set;
        self.epoch = slices.epoch();
        self.kept.clone_from(slices.kept(set));
        self.verdict = slices.verdict(set);
        self.peak_configurations = self.peak_configurations.max(self.kept.len());
    }
}

impl BreadthFirst {
    /// Prepares a formula in negation normal form with split atoms.
    pub fn new(formulas: &Formulas, alphabet: &Alphabet, root: FormulaId, config: Config) -> Result<Self, Unsupported> {
        let automaton = reading::automaton(NAME, formulas, root)?;
        let reader = Reader::new(NAME, &automaton, formulas, alphabet)?;
        let is_leaf = |node: &NodeId| matches!(automaton.node(*node).kind, Kind::Leaf(_));
        let leaves = automaton.node_ids().filter(is_leaf).collect();
        Ok(Self { scopes: Scopes::new(&automaton), automaton, reader, leaves, config })
    }

    /// The automaton that is traversed.
    pub fn automaton(&self) -> &Metric {
        &self.automaton
    }

    /// A traversal that has seen no state.
    pub fn start(&self, cache: &mut Cache) -> Run {
        let set = cache.slices.start();
        Run {
            set,
            epoch: cache.slices.epoch(),
            kept: cache.slices.kept(set).clone(),
            verdict: cache.slices.verdict(set),
            reading: self.reader.start(),
            position: 0,
            peak_configurations: 0,
        }
    }

    /// Takes the next state; `holds` tells which propositions do.
    pub fn step(
        &self,
        cache: &mut Cache,
        run: &mut Run,
        holds: &dyn Fn(Proposition) -> bool,
    ) -> Result<Verdict, GaveUp> {
        self.reader.read(&mut run.reading, holds);
        let letter = self.letter(cache, &run.reading);
        let set = self.set_of(cache, run);
        let successor = self.successor(cache, set, letter)?;
        run.arrive(successor, &cache.slices);
        run.position += 1;
        Ok(run.verdict)
    }

    /// The verdict if the trace went on behind what a run has seen.
    pub fn verdict(&self, run: &Run) -> Verdict {
        run.verdict
    }

    /// Whether the formula holds on a trace with a state.
    pub fn check(&self, cache: &mut Cache, letters: &Letters) -> Result<Decision, GaveUp> {
        let mut run = self.start(cache);
        for position in 0..letters.len {
            let verdict = self.step(cache, &mut run, &|proposition| letters.bitmap(proposition).get(position))?;
            if verdict.is_final() {
                return Ok(Decision { holds: verdict == Verdict::Satisfied, decided_at: Some(position) });
            }
        }
        let holds = self.verdict(&run) == Verdict::Holding;
        Ok(Decision { holds, decided_at: None })
    }

    fn satisfies(&self, letter: &[u64], leaf: NodeId) -> bool {
        self.leaves.binary_search(&leaf).is_ok_and(|place| letter[place / 64] >> (place % 64) & 1 == 1)
    }

    fn is_past(&self, node: NodeId) -> bool {
        matches!(self.automaton.node(node).kind, Kind::Leaf(Label::Past(_)))
    }

    fn too_many(&self) -> GaveUp {
        GaveUp { engine: NAME, limit: Limit::Slices(self.config.limits.slices), instead: &[Instead::REVERSE] }
    }
}
