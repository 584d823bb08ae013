//! Breadth-first traversal: Finkbeiner and Sipma, sections 3.2 and 5.4.
//!
//! A run is a sequence of *slices*, sets of nodes that a run visits at one position. The engine keeps all slices that some
//! run over the states so far can have, and steps from one state to the next; the trace is walked once, and may still be growing.
//! No slice left: no continuation can satisfy the formula. An empty slice: nothing is owed, every continuation does.
//!
//! Past nodes are settled at once: at a position a past node is either true, and asks for nothing, or the slice that needs it is
//! gone. (The paper keeps a satisfied past node in its slice, which would owe its successor at the *next* position.) So the truth
//! of past nodes is part of the letter. A future operator inside a past one is refused.
//!
//! A slice that contains another can be dropped: what the smaller one leads to satisfies less. Without that
//! ([`Subsumption::Off`], as in the paper) their number may explode. Successors are remembered, for slices and for whole sets
//! of slices, in a cache of bounded size.

mod past;
mod slices;
mod statistics;

pub use super::Decision;
use super::{GaveUp, Unsupported};
use crate::automaton::alternating::{Alternating, Label, Look, NodeId};
use past::{Past, PastValues};
use slices::{LetterId, SetId, Slice, Slices};
use std::sync::Arc;
use traceward_logic::formula::{Direction, FormulaId, Formulas};
use traceward_logic::letter::{Alphabet, Letters};
use traceward_logic::verdict::Verdict;

/// Whether slices that contain another are dropped.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Subsumption {
    /// They are dropped.
    #[default]
    On,
    /// They are kept, as in the paper.
    Off,
}

/// What is remembered from one step to the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Memory {
    /// The successors of whole sets of slices: a step that was made before is a look-up.
    #[default]
    Sets,
    /// The successors of single slices, as in the paper.
    Slices,
}

/// How slices are kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Config {
    /// Whether slices that contain another are dropped.
    pub subsumption: Subsumption,
    /// What is remembered.
    pub memory: Memory,
    /// How many slices there may be at one position before giving up.
    pub slice_limit: usize,
    /// How many different sets of slices, and how many different letters, are remembered.
    pub cache_limit: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self { subsumption: Subsumption::On, memory: Memory::Sets, slice_limit: 100_000, cache_limit: 10_000 }
    }
}

/// A formula ready to be evaluated by breadth-first traversal.
#[derive(Clone, Debug)]
pub struct BreadthFirst {
    automaton: Alternating,
    alphabet: Alphabet,
    past: Past,
    config: Config,
}

/// Scratch: slices, sets of them, and their successors. Belongs to one [`BreadthFirst`]; its runs may share it.
#[derive(Clone, Debug, Default)]
pub struct Cache {
    slices: Slices,
}

/// A traversal that has got somewhere.
#[derive(Clone, Debug)]
pub struct Run {
    /// Where the cache has the slices, in its epoch.
    set: SetId,
    epoch: u64,
    slices: Arc<[Slice]>,
    verdict: Verdict,
    past: PastValues,
    position: usize,
}

impl BreadthFirst {
    /// Prepares a formula in negation normal form with split atoms.
    pub fn new(formulas: &Formulas, alphabet: &Alphabet, root: FormulaId, config: Config) -> Result<Self, Unsupported> {
        super::refuse_bounds("breadth-first", formulas, &[root])?;
        refuse_future_in_past(formulas, root)?;
        let automaton = Alternating::new(formulas, &[root]);
        let past = Past::new(&automaton);
        Ok(Self { automaton, alphabet: alphabet.clone(), past, config })
    }

    /// The automaton that is traversed.
    pub fn automaton(&self) -> &Alternating {
        &self.automaton
    }

    /// A traversal that has seen no state.
    pub fn start(&self, cache: &mut Cache) -> Run {
        let set = cache.slices.start();
        Run {
            set,
            epoch: cache.slices.epoch(),
            slices: cache.slices.slices(set).clone(),
            verdict: cache.slices.verdict(set),
            past: self.past.before_the_first(),
            position: 0,
        }
    }

    /// Takes the next state; `holds` tells which propositions do.
    pub fn step(
        &self,
        cache: &mut Cache,
        run: &mut Run,
        holds: &dyn Fn(traceward_logic::letter::Proposition) -> bool,
    ) -> Result<Verdict, GaveUp> {
        let letter = self.letter(cache, run, holds);
        let set = self.set_of(cache, run);
        run.set = self.successor(cache, set, letter)?;
        run.epoch = cache.slices.epoch();
        run.slices.clone_from(cache.slices.slices(run.set));
        run.verdict = cache.slices.verdict(run.set);
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

    /// The state's propositions and past nodes, as a letter.
    fn letter(
        &self,
        cache: &mut Cache,
        run: &mut Run,
        holds: &dyn Fn(traceward_logic::letter::Proposition) -> bool,
    ) -> LetterId {
        let satisfied = |node: NodeId| self.label_holds(node, holds);
        self.past.step(&self.automaton, &mut run.past, &satisfied);
        let words = cache.slices.letter_scratch(self.alphabet.atoms().len() + self.past.settled().len());
        for proposition in 0..self.alphabet.atoms().len() {
            let bit = holds(traceward_logic::letter::Proposition(proposition as u32));
            words[proposition / 64] |= u64::from(bit) << (proposition % 64);
        }
        for (index, node) in self.past.settled().iter().enumerate() {
            let place = self.alphabet.atoms().len() + index;
            words[place / 64] |= u64::from(run.past.holds(*node)) << (place % 64);
        }
        cache.slices.intern_letter(self.config.cache_limit)
    }

    fn label_holds(&self, node: NodeId, holds: &dyn Fn(traceward_logic::letter::Proposition) -> bool) -> bool {
        let proposition = |atom| self.alphabet.proposition(atom).expect("an atom of the alphabet");
        match self.automaton.node(node).label {
            Label::Constant(bit) => bit,
            Label::Atom(atom) => holds(proposition(atom)),
            Label::NotAtom(atom) => !holds(proposition(atom)),
            Label::Bounded(_) => unreachable!("bounds are refused"),
        }
    }

    /// Whether a node is satisfied under a letter: a leaf by its label, a past node by its truth, others by any state.
    fn satisfied_under(&self, cache: &Cache, letter: LetterId, node: NodeId) -> bool {
        match self.automaton.node(node).look {
            Look::Here => self.label_holds(node, &|proposition| cache.slices.letter_bit(letter, proposition.index())),
            Look::Forward => true,
            Look::Back => {
                let place = self.past.place(node).map(|place| self.alphabet.atoms().len() + place);
                place.is_some_and(|place| cache.slices.letter_bit(letter, place))
            }
        }
    }

    fn too_many(&self) -> GaveUp {
        GaveUp {
            engine: "breadth-first",
            reason: format!("there are more than {} slices at one position", self.config.slice_limit),
            way_out: "reverse answers the same in linear time; --slice-limit raises the limit".into(),
        }
    }
}

/// The restriction of section 5.4: the direction of time is turned at most once.
fn refuse_future_in_past(formulas: &Formulas, root: FormulaId) -> Result<(), Unsupported> {
    let mut looks_ahead = vec![false; formulas.len()];
    for part in formulas.parts(&[root]) {
        let node = formulas.node(part);
        let below = node.children().any(|child| looks_ahead[child.index()]);
        if below && node.direction() == Some(Direction::Past) {
            let what = "a future operator inside a past one";
            return Err(Unsupported { engine: "breadth-first", what, instead: "reverse" });
        }
        looks_ahead[part.index()] = below || node.direction() == Some(Direction::Future);
    }
    Ok(())
}
