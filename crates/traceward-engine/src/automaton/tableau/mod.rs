//! The tableau automaton of a formula: Giannakopoulou and Havelund, *Automata-Based Verification of
//! Temporal Properties on Running Programs*, sections 4 and 5.
//!
//! It is an ordinary non-deterministic automaton on finite words. A state is what is owed from the
//! next position on (the paper's NEXT). An edge is labelled with the literals that the letter has
//! to satisfy. Two nodes of the tableau are one state if they owe the same, though different
//! literals lead there (section 4.2), so labels are on edges.
//!
//! Where this departs from the paper's text:
//!
//! * INIT is no member of STATES. Section 4.1 puts it there with all fields empty, and a node that
//!   owes nothing any more would then be merged into it.
//! * `φ V ψ` is `!(!φ U !ψ)`, not `!(φ U !ψ)` as section 3.1 prints; the X in its expansion is
//!   weak, or no `[]` could ever hold.
//! * There are `X` and `WX`, so what is owed says whether it is owed strongly.
//! * Bounds in steps are unfolded into shorter bounds while the automaton is made. Of two that
//!   follow from each other only the harder one is owed.
//! * Past operators: a state also *claims* of some formulas whether they held at the position just
//!   read, and its successors look the past up there. Claims are guessed and verified like
//!   everything else in a tableau, hence future operators may stand inside past ones. Only claims
//!   that what is owed can still ask for are kept.
//! * Whether INIT accepts is decided by the caller; see [`Initial`].

mod claims;
mod display;
mod expand;
mod unfold;

use crate::limit::{BuildError, Feature, GaveUp, Instead, Limit, Limits, Unsupported};
use std::collections::BTreeSet;
use std::fmt;
use traceward_logic::formula::{Direction, FormulaId, Formulas, Strength, Unit};
use traceward_logic::letter::{Alphabet, Proposition};

/// A state of an [`Automaton`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct StateId(u32);

impl StateId {
    /// INIT, where every run begins.
    pub const INIT: Self = Self(0);

    pub(crate) fn new(index: usize) -> Self {
        Self(index as u32)
    }

    /// The id as an index into tables with one entry per state.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for StateId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("S{}", self.0))
    }
}

/// A proposition or its negation. Propositions come first in order, as the paper writes `b_AND_na`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Literal {
    /// Whether the proposition has to be false.
    pub negated: bool,
    /// The proposition.
    pub proposition: Proposition,
}

impl Literal {
    /// Whether a letter satisfies the literal.
    pub fn holds(self, letter: impl FnOnce(Proposition) -> bool) -> bool {
        letter(self.proposition) != self.negated
    }
}

/// A formula that is owed at the next position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Obligation {
    /// The formula.
    pub formula: FormulaId,
    /// Whether there has to be a next position.
    pub strength: Strength,
}

/// A claim of a state about the position just read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct StateClaim {
    /// The formula.
    pub formula: FormulaId,
    /// Whether the formula held.
    pub holds: bool,
}

/// A state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State {
    /// The obligations, which are the paper's NEXT. Empty in INIT, which owes the formula itself.
    pub next: Vec<Obligation>,
    /// The claims about the position just read, as far as past operators still ask for them.
    pub claims: Vec<StateClaim>,
    /// Whether a run may end here.
    pub accepting: bool,
    /// Whether every continuation is accepted. Such a state has no edges: nothing needs to be
    /// looked at any more.
    pub satisfied: bool,
}

/// A transition, open to letters that satisfy all its literals.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Edge {
    /// The state that the edge leaves.
    pub from: StateId,
    /// The literals that the letter has to satisfy. If there are none, every letter will do.
    pub literals: Vec<Literal>,
    /// The state that the edge leads to.
    pub to: StateId,
}

/// The rule by which INIT accepts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Initial {
    /// INIT accepts if the empty trace satisfies the formula, which is judged on the formula as it
    /// was lowered.
    BySemantics(bool),
    /// INIT accepts as in section 5: if the formula has no until in it, or if an accepting state is
    /// reached whatever the first state is.
    AsInPaper,
    /// INIT never accepts, as in section 4.
    Rejecting,
}

/// The tableau automaton of a formula.
#[derive(Clone, Debug)]
pub struct Automaton {
    /// The arena, with the formulas that the construction made.
    formulas: Formulas,
    alphabet: Alphabet,
    root: FormulaId,
    initial: Initial,
    states: Vec<State>,
    /// The edges, in order of the states that they leave.
    edges: Vec<Edge>,
    /// For each state its first edge; one more for the end.
    first_edges: Vec<usize>,
}

impl Automaton {
    /// The automaton of a formula in negation normal form with split atoms.
    ///
    /// # Panics
    /// If the formula is not in negation normal form, or the alphabet is not its own.
    pub fn new(
        formulas: &Formulas,
        alphabet: &Alphabet,
        root: FormulaId,
        initial: Initial,
        limits: Limits,
    ) -> Result<Self, BuildError> {
        refuse_time(formulas, root)?;
        let (formulas, states, edges) = expand::expand(formulas, alphabet, root, limits)?;
        let mut automaton = Self {
            formulas,
            alphabet: alphabet.clone(),
            root,
            initial,
            states,
            edges: edges.into_iter().collect(),
            first_edges: Vec::new(),
        };
        automaton.decide_initial();
        automaton.cut_true_loops();
        automaton.renumber();
        Ok(automaton)
    }

    /// The states, INIT first, then in the order in which they are met, the weakest label first.
    pub fn states(&self) -> &[State] {
        &self.states
    }

    /// A state.
    pub fn state(&self, id: StateId) -> &State {
        &self.states[id.index()]
    }

    /// The ids of the states, in order.
    pub fn state_ids(&self) -> impl Iterator<Item = StateId> + use<> {
        (0..self.states.len()).map(StateId::new)
    }

    /// All edges, in order of where they begin, then of where they lead.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The edges that begin in a state.
    pub fn edges_from(&self, id: StateId) -> &[Edge] {
        &self.edges[self.first_edges[id.index()]..self.first_edges[id.index() + 1]]
    }

    /// The arena that the formulas of its states are in.
    pub fn formulas(&self) -> &Formulas {
        &self.formulas
    }

    /// The propositions that letters are made of.
    pub fn alphabet(&self) -> &Alphabet {
        &self.alphabet
    }

    /// The formula.
    pub fn root(&self) -> FormulaId {
        self.root
    }

    /// The rule by which INIT accepts.
    pub fn initial(&self) -> Initial {
        self.initial
    }

    /// The propositions that matter, in order: an observer need not hear of others (section 6.2).
    pub fn propositions(&self) -> Vec<Proposition> {
        let literals = self.edges.iter().flat_map(|edge| &edge.literals);
        literals.map(|literal| literal.proposition).collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// Decides whether INIT accepts: section 5, INITIAL STATE.
    fn decide_initial(&mut self) {
        let accepting = match self.initial {
            Initial::BySemantics(holds_on_empty) => holds_on_empty,
            Initial::Rejecting => false,
            Initial::AsInPaper => !has_until(&self.formulas, self.root) || self.accepts_after_any_letter(),
        };
        self.states[StateId::INIT.index()].accepting = accepting;
    }

    fn accepts_after_any_letter(&self) -> bool {
        let of_init = self.edges.iter().filter(|edge| edge.from == StateId::INIT);
        of_init.filter(|edge| edge.literals.is_empty()).any(|edge| self.state(edge.to).accepting)
    }

    /// Drops the edges of states that every continuation satisfies: section 5, TRUE LOOP.
    fn cut_true_loops(&mut self) {
        for edge in &self.edges {
            if edge.from == edge.to && edge.literals.is_empty() && self.states[edge.from.index()].accepting {
                self.states[edge.from.index()].satisfied = true;
            }
        }
        self.edges.retain(|edge| !self.states[edge.from.index()].satisfied);
    }

    /// Numbers the states as they are met from INIT, the weakest label first, and drops those that
    /// are not met.
    fn renumber(&mut self) {
        self.edges.sort_by(|one, other| by_label(one).cmp(&by_label(other)));
        self.index_edges();
        let mut numbers: Vec<Option<StateId>> = vec![None; self.states.len()];
        let mut met = vec![StateId::INIT];
        numbers[0] = Some(StateId::INIT);
        let mut place = 0;
        while let Some(&state) = met.get(place) {
            for edge in self.edges_from(state) {
                if numbers[edge.to.index()].is_none() {
                    numbers[edge.to.index()] = Some(StateId::new(met.len()));
                    met.push(edge.to);
                }
            }
            place += 1;
        }
        let number = |old: StateId| numbers[old.index()];
        let edges = std::mem::take(&mut self.edges).into_iter();
        let renumbered = edges.filter_map(|edge| {
            let (from, to) = (number(edge.from)?, number(edge.to)?);
            Some(Edge { from, to, ..edge })
        });
        self.edges = renumbered.collect();
        self.edges
            .sort_by(|one, other| (one.from, one.to, by_label(one)).cmp(&(other.from, other.to, by_label(other))));
        self.states = met.iter().map(|old| self.states[old.index()].clone()).collect();
        self.index_edges();
    }

    fn index_edges(&mut self) {
        let starts = (0..=self.states.len()).map(|state| self.edges.partition_point(|edge| edge.from.index() < state));
        self.first_edges = starts.collect();
    }
}

/// The order in which edges of one state are looked at: few literals before many.
fn by_label(edge: &Edge) -> (StateId, usize, &[Literal], StateId) {
    (edge.from, edge.literals.len(), &edge.literals, edge.to)
}

/// Whether a formula has an until in it, or another operator that asks for a later position.
fn has_until(formulas: &Formulas, root: FormulaId) -> bool {
    let is_until = |part: FormulaId| {
        let node = formulas.node(part);
        node.direction() == Some(Direction::Future) && node.strength() == Some(Strength::Strong)
    };
    formulas.parts(&[root]).into_iter().any(is_until)
}

fn refuse_time(formulas: &Formulas, root: FormulaId) -> Result<(), BuildError> {
    let is_timed = |part: FormulaId| formulas.node(part).interval().is_some_and(|interval| interval.unit == Unit::Time);
    if formulas.parts(&[root]).into_iter().any(is_timed) {
        return Err(Unsupported { engine: "tableau", what: Feature::BoundsInTime, instead: "reverse" }.into());
    }
    Ok(())
}

fn gave_up(limit: Limit) -> BuildError {
    GaveUp { engine: "tableau", limit, instead: &[Instead::REVERSE] }.into()
}
