//! Progression leads from a formula straight to a deterministic automaton: a state is what is still
//! owed, and its successor is what is owed after one more letter.
//!
//! Obligations are variables of decision diagrams: "`f U g` holds at the next position", "there is
//! a next position". A state is a diagram over them. A letter replaces each obligation by what it
//! comes to at the position that is read, so that the successors of a state are one diagram with
//! the propositions tested first: below them are the successor states, and nothing needs to be done
//! for them to be shared. A step tests each proposition at most once.
//!
//! "There is a next position" (`Exists`) stands on top of what is owed there: where it is false the
//! trace ends, and the rest is a constant, which tells whether the state accepts.
//!
//! The past is memory. A state holds, beside what the formula owes, the value that each remembered
//! part had at the position before. That value is itself a diagram of obligations, a constant
//! unless there are future operators inside past ones. All of this is one diagram: *selectors*,
//! variables that nobody reads, tell which value is meant, so that a state is still a single id.
//!
//! Bounds are unfolded as they are met: an obligation knows how many steps it has left. The chains
//! of [`Diagrams`] see to it that of two deadlines for the same thing only one is kept.

mod keep;
mod rules;
mod search;

use super::diagram::{DiagramLimits, Diagrams, Level, Node, Overflow, Ref};
use crate::limit::Unsupported;
pub(crate) use rules::{MemorySet, PartId, Reach, Rule, Rules};
use rustc_hash::{FxHashMap, FxHashSet};
use search::KnownProspects;
pub(crate) use search::{Prospects, Unsettled};
use traceward_logic::formula::{FormulaId, Formulas};
use traceward_logic::letter::Alphabet;

/// A formula whose automaton can be unfolded.
#[derive(Clone, Debug)]
pub(crate) struct Progression {
    pub(crate) rules: Rules,
    /// Whether the trace without a state satisfies the formula.
    on_empty: bool,
    /// The number of selectors that tell the values of a state apart.
    selectors: u32,
}

/// An obligation at the next position, or at a later one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct DelayedPart {
    part: PartId,
    delay: u32,
}

/// The meaning of the variables of a chain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ChainMeaning {
    /// There are that many positions and one more. The farther ones imply the nearer ones.
    Exists,
    /// A part holds that many positions behind the next; an until has as many steps left as its
    /// place in the chain says.
    Owed(DelayedPart),
}

/// The states of a deterministic automaton that have been met, and their successors.
#[derive(Clone, Debug)]
pub(crate) struct Space {
    diagrams: Diagrams,
    /// Meanings of the chains behind the propositions and selectors.
    meanings: Vec<ChainMeaning>,
    chains: FxHashMap<DelayedPart, u32>,
    /// For each diagram that is a state: its successors, if they are known.
    successors: Vec<Option<Ref>>,
    /// For each diagram that is a state: what is known of what can become of it.
    search: KnownProspects,
    /// For each part that depends on no memory, the diagram that it comes to at the position that
    /// is read.
    now: Vec<Option<Ref>>,
    /// For each part that may be owed, its diagram of obligations.
    ahead: Vec<Option<Ref>>,
}

/// A state: the diagram of all it owes and remembers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct StateRef(Ref);

impl StateRef {
    pub(crate) fn index(self) -> usize {
        self.0.index()
    }
}

/// An obligation that a state rests on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct OwedPart {
    /// The part.
    pub(crate) part: PartId,
    /// The number of positions behind the next one at which the part is due, or begins to be.
    pub(crate) delay: u32,
    /// The number of steps that the part has from then on.
    pub(crate) reach: Reach,
}

/// An obligation that has to come about, or to stay away.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct OwedEvent {
    /// The part.
    pub(crate) owed: OwedPart,
    /// Whether the obligation has to come about.
    pub(crate) holds: bool,
    /// Whether the formula holds in no other way.
    pub(crate) is_necessary: bool,
}

impl Progression {
    /// Compiles a formula with split atoms. `on_empty` tells whether the trace without a state
    /// satisfies it. `possible` is a formula that every letter of a trace satisfies. Other letters
    /// lead wherever these lead, so that from a state only those states can be reached that a trace
    /// can reach.
    pub(crate) fn new(
        formulas: &Formulas,
        alphabet: &Alphabet,
        root: FormulaId,
        on_empty: bool,
        possible: Option<FormulaId>,
    ) -> Result<Self, Unsupported> {
        let rules = Rules::new(formulas, alphabet, root, possible)?;
        let values = rules.remembered.len() + 1;
        Ok(Self { rules, on_empty, selectors: values.next_power_of_two().trailing_zeros() })
    }

    /// An automaton of which nothing has been unfolded yet.
    pub(crate) fn space(&self, limits: DiagramLimits) -> Result<Space, Overflow> {
        let mut space = Space {
            diagrams: Diagrams::new(limits),
            meanings: vec![ChainMeaning::Exists],
            chains: FxHashMap::default(),
            successors: Vec::new(),
            search: KnownProspects::default(),
            now: Vec::new(),
            ahead: Vec::new(),
        };
        self.prepare(&mut space)?;
        Ok(space)
    }

    /// The bytes that a diagram takes at the most, with everything that is known of it as a state.
    pub(crate) const BYTES_PER_NODE: usize =
        Diagrams::BYTES_PER_NODE + 2 * (size_of::<Option<Ref>>() + KnownProspects::BYTES_PER_STATE);

    /// Computes the obligation that each part is when it is owed: it is the same for all states.
    fn prepare(&self, space: &mut Space) -> Result<(), Overflow> {
        space.ahead = vec![None; self.rules.rules.len()];
        for part in self.rules.parts() {
            if self.rules.owed[part.index()] {
                space.ahead[part.index()] = Some(self.owe(space, part)?);
            }
        }
        Ok(())
    }

    /// Computes the diagram that each part comes to when a letter is read. For parts that ask for
    /// no memory it is the same in all states. Reading one letter at a time does not need it.
    fn prepare_for_all_letters(&self, space: &mut Space) -> Result<(), Overflow> {
        let mut now = vec![None; self.rules.rules.len()];
        for part in self.rules.parts() {
            if self.rules.depends[part.index()].is_empty() {
                let context = LetterContext { now: &now, memory: &[], letter: None };
                now[part.index()] = Some(self.come_due(space, part, context, &mut Substitution::default())?);
            }
        }
        space.now = now;
        Ok(())
    }

    /// The state before the first letter.
    pub(crate) fn initial(&self, space: &mut Space) -> Result<StateRef, Overflow> {
        let owed = space.ahead(self.rules.root);
        let exists = self.exists(space, 0)?;
        let owes = space.diagrams.ite(exists, owed, Ref::constant(self.on_empty))?;
        self.with_memory(space, owes, &vec![Ref::FALSE; self.rules.remembered.len()])
    }

    /// A state before the first letter that owes the formula at a later position.
    pub(crate) fn initial_at(&self, space: &mut Space, position: u32) -> Result<StateRef, Overflow> {
        if position == 0 {
            return self.initial(space);
        }
        let (owed, due) = match self.rules.rule(self.rules.root) {
            Rule::Until { body, from, reach, .. } => {
                let due = position.saturating_add(from);
                (OwedPart { part: body, delay: due, reach }, due)
            }
            _ => (OwedPart { part: self.rules.root, delay: position, reach: Reach::of_place(0) }, position),
        };
        let owed = self.variable(space, owed)?;
        let exists = self.exists(space, due)?;
        let owes = space.diagrams.and(exists, owed)?;
        self.with_memory(space, owes, &vec![Ref::FALSE; self.rules.remembered.len()])
    }

    /// The successors of a state: a diagram that tests propositions and has states below them.
    pub(crate) fn successors(&self, space: &mut Space, state: StateRef) -> Result<Ref, Overflow> {
        if let Some(Some(known)) = space.successors.get(state.index()) {
            return Ok(*known);
        }
        if space.now.is_empty() {
            self.prepare_for_all_letters(space)?;
        }
        let mut made = self.unfold(space, state, None)?;
        if let Some(possible) = self.rules.possible {
            let possible = space.now[possible.index()].expect("it asks for no memory");
            made = self.constrained(space, made, possible, &mut FxHashMap::default())?;
        }
        if space.successors.len() <= state.index() {
            space.successors.resize(space.diagrams.len(), None);
        }
        space.successors[state.index()] = Some(made);
        Ok(made)
    }

    /// The state after one letter. It is for formulas whose successors of all letters would be too
    /// many.
    pub(crate) fn successor(
        &self,
        space: &mut Space,
        state: StateRef,
        holds: &dyn Fn(u32) -> bool,
    ) -> Result<StateRef, Overflow> {
        self.unfold(space, state, Some(holds)).map(StateRef)
    }

    /// The successors where the letter satisfies `possible`: the generalised cofactor of Coudert
    /// and Madre.
    fn constrained(
        &self,
        space: &mut Space,
        successors: Ref,
        possible: Ref,
        done: &mut FxHashMap<(Ref, Ref), Ref>,
    ) -> Result<Ref, Overflow> {
        if possible.is_constant() || self.look(space, successors).is_err() {
            return Ok(successors);
        }
        if let Some(&known) = done.get(&(successors, possible)) {
            return Ok(known);
        }
        let level = space.diagrams.level(successors).min(space.diagrams.level(possible));
        let [low, high] = [space.diagrams.low(successors, level), space.diagrams.high(successors, level)];
        let [low_possible, high_possible] = [space.diagrams.low(possible, level), space.diagrams.high(possible, level)];
        let made = if low_possible == Ref::FALSE {
            self.constrained(space, high, high_possible, done)?
        } else if high_possible == Ref::FALSE {
            self.constrained(space, low, low_possible, done)?
        } else {
            let low = self.constrained(space, low, low_possible, done)?;
            let high = self.constrained(space, high, high_possible, done)?;
            space.diagrams.test(level, low, high)?
        };
        done.insert((successors, possible), made);
        Ok(made)
    }

    fn unfold(
        &self,
        space: &mut Space,
        state: StateRef,
        letter: Option<&dyn Fn(u32) -> bool>,
    ) -> Result<Ref, Overflow> {
        let memory: Vec<Ref> = (0..self.rules.remembered.len()).map(|at| self.value(space, state, at + 1)).collect();
        let mut replaced = Substitution::default();
        let mut now = if letter.is_some() { vec![None; self.rules.rules.len()] } else { space.now.clone() };
        for part in self.rules.parts() {
            if now[part.index()].is_none() {
                let context = LetterContext { now: &now, memory: &memory, letter };
                now[part.index()] = Some(self.come_due(space, part, context, &mut replaced)?);
            }
        }
        let owes = self.value(space, state, 0);
        let owes = self.replace(space, owes, &now, &mut replaced)?;
        if memory.is_empty() {
            return Ok(owes);
        }
        let remembers: Vec<Ref> =
            self.rules.remembered.iter().map(|part| now[part.index()].expect("all parts are known")).collect();
        let StateRef(successors) = self.with_memory(space, owes, &remembers)?;
        self.forget_the_irrelevant(space, successors, &mut FxHashMap::default())
    }

    /// Whether a state accepts: whether the formula holds if the trace ends here.
    pub(crate) fn is_accepting(&self, space: &Space, state: StateRef) -> bool {
        let mut owes = self.value(space, state, 0);
        while !owes.is_constant() {
            let node = space.diagrams.node(owes);
            debug_assert!(space.meanings[(node.level.chain - self.first_chain()) as usize] == ChainMeaning::Exists);
            owes = node.low;
        }
        owes == Ref::TRUE
    }

    /// The final verdict of a state: whether the formula holds, if no continuation makes a
    /// difference.
    pub(crate) fn constant(&self, space: &Space, state: StateRef) -> Option<bool> {
        let owes = self.value(space, state, 0);
        owes.is_constant().then_some(owes == Ref::TRUE)
    }

    /// The state that a letter leads to in a diagram of successors; `holds` tells which
    /// propositions hold.
    #[inline]
    pub(crate) fn choose(&self, space: &Space, successors: Ref, holds: impl Fn(u32) -> bool) -> StateRef {
        let mut diagram = successors;
        loop {
            let node = space.diagrams.node(diagram);
            if node.level.chain >= self.rules.propositions {
                return StateRef(diagram);
            }
            diagram = if holds(node.level.chain) { node.high } else { node.low };
        }
    }

    /// The test at the top of a diagram of successors: the proposition and the two diagrams below
    /// it. If the diagram is a state, that state.
    pub(crate) fn look(&self, space: &Space, successors: Ref) -> Result<(u32, Ref, Ref), StateRef> {
        let node = space.diagrams.node(successors);
        if node.level.chain >= self.rules.propositions {
            Err(StateRef(successors))
        } else {
            Ok((node.level.chain, node.low, node.high))
        }
    }

    /// The states below a diagram of successors, each once, those of the lowest letters first.
    pub(crate) fn states_below(&self, space: &mut Space, successors: Ref) -> Result<Vec<StateRef>, Overflow> {
        let mut seen = FxHashSet::default();
        let mut open = vec![successors];
        let mut states = Vec::new();
        while let Some(diagram) = open.pop() {
            space.spend(1)?;
            if seen.insert(diagram) {
                match self.look(space, diagram) {
                    Ok((_, low, high)) => open.extend([high, low]),
                    Err(state) => states.push(state),
                }
            }
        }
        Ok(states)
    }

    /// The obligations that a state rests on: those that have to come about, and those that must
    /// fail at some position. Obligations that must fail for good are left out, because nothing is
    /// owed as long as they do.
    pub(crate) fn owed(&self, space: &mut Space, state: StateRef) -> Result<Vec<OwedEvent>, Overflow> {
        let owes = self.value(space, state, 0);
        let mut wanted = Vec::new();
        for level in space.support(owes) {
            let meaning = space.meanings[(level.chain - self.first_chain()) as usize];
            let ChainMeaning::Owed(DelayedPart { part, delay }) = meaning else { continue };
            let holds = space.is_wanted(owes, level)?;
            if holds || !matches!(self.rules.rule(part), Rule::Until { .. }) {
                let variable = space.diagrams.variable(level)?;
                let without = match holds {
                    true => space.diagrams.ite(variable, Ref::FALSE, owes)?,
                    false => space.diagrams.and(variable, owes)?,
                };
                let owed = OwedPart { part, delay, reach: Reach::of_place(level.place) };
                wanted.push(OwedEvent { owed, holds, is_necessary: without == Ref::FALSE });
            }
        }
        Ok(wanted)
    }

    // ---- variables ----

    fn first_chain(&self) -> u32 {
        self.rules.propositions + self.selectors
    }

    /// The variable that says that there is a next position, and `delay` positions behind it.
    fn exists(&self, space: &mut Space, delay: u32) -> Result<Ref, Overflow> {
        space.diagrams.variable(Level { chain: self.first_chain(), place: u32::MAX - delay })
    }

    /// An obligation, provided that the position exists at which it is due.
    fn variable(&self, space: &mut Space, owed: OwedPart) -> Result<Ref, Overflow> {
        let obligation = DelayedPart { part: owed.part, delay: owed.delay };
        let next = self.first_chain() + space.meanings.len() as u32;
        let chain = *space.chains.entry(obligation).or_insert_with(|| {
            space.meanings.push(ChainMeaning::Owed(obligation));
            next
        });
        space.diagrams.variable(Level { chain, place: owed.reach.place() })
    }

    /// A part at the next position, provided that there is one: boolean connectives are taken
    /// apart.
    fn owe(&self, space: &mut Space, part: PartId) -> Result<Ref, Overflow> {
        match self.rules.rule(part) {
            Rule::Constant(bit) => Ok(Ref::constant(bit)),
            Rule::Not(f) => {
                let f = space.ahead(f);
                space.diagrams.not(f)
            }
            Rule::And(f, g) => {
                let (f, g) = (space.ahead(f), space.ahead(g));
                space.diagrams.and(f, g)
            }
            Rule::Or(f, g) => {
                let (f, g) = (space.ahead(f), space.ahead(g));
                space.diagrams.or(f, g)
            }
            Rule::Until { body, from: 0, reach, .. } => self.variable(space, OwedPart { part: body, delay: 0, reach }),
            Rule::Until { body, from, reach, .. } => {
                let owed = self.variable(space, OwedPart { part: body, delay: from, reach })?;
                let exists = self.exists(space, from)?;
                space.diagrams.and(exists, owed)
            }
            Rule::Proposition(_) | Rule::Next(_) | Rule::Before(_) | Rule::Since { .. } => {
                self.variable(space, OwedPart { part, delay: 0, reach: Reach::of_place(0) })
            }
        }
    }

    // ---- reading a letter ----

    /// The diagram that a part comes to at the position that is read, over propositions and
    /// obligations.
    fn come_due(
        &self,
        space: &mut Space,
        part: PartId,
        LetterContext { now, memory, letter }: LetterContext<'_>,
        replaced: &mut Substitution,
    ) -> Result<Ref, Overflow> {
        let known = |part: PartId| now[part.index()].expect("parts come before wholes");
        match self.rules.rule(part) {
            Rule::Constant(bit) => Ok(Ref::constant(bit)),
            Rule::Proposition(proposition) => match letter {
                Some(holds) => Ok(Ref::constant(holds(proposition.0))),
                None => space.diagrams.variable(Level::alone(proposition.0)),
            },
            Rule::Not(f) => space.diagrams.not(known(f)),
            Rule::And(f, g) => space.diagrams.and(known(f), known(g)),
            Rule::Or(f, g) => space.diagrams.or(known(f), known(g)),
            Rule::Next(f) => {
                let (exists, ahead) = (self.exists(space, 0)?, space.ahead(f));
                space.diagrams.and(exists, ahead)
            }
            Rule::Until { body, left, right, from: 0, reach } => {
                self.until_now(space, body, known(left), known(right), reach)
            }
            Rule::Until { body, from, reach, .. } => {
                let owed = self.variable(space, OwedPart { part: body, delay: from - 1, reach })?;
                let exists = self.exists(space, from - 1)?;
                space.diagrams.and(exists, owed)
            }
            Rule::Before(before) => self.replace(space, memory[before.index()], now, replaced),
            Rule::Since { left, right, before } => {
                let before = match before {
                    Some(before) => self.replace(space, memory[before.index()], now, replaced)?,
                    None => Ref::FALSE,
                };
                let goes_on = space.diagrams.and(known(left), before)?;
                space.diagrams.or(known(right), goes_on)
            }
        }
    }

    /// `right | (left & X (left U right))`, if there is a step left for the latter.
    fn until_now(&self, space: &mut Space, body: PartId, left: Ref, right: Ref, reach: Reach) -> Result<Ref, Overflow> {
        let Some(reach) = reach.shorter() else { return Ok(right) };
        let owed = self.variable(space, OwedPart { part: body, delay: 0, reach })?;
        let exists = self.exists(space, 0)?;
        let later = space.diagrams.and(exists, owed)?;
        let goes_on = space.diagrams.and(left, later)?;
        space.diagrams.or(right, goes_on)
    }

    /// The diagram that a diagram of obligations comes to at the position that is read.
    fn replace(
        &self,
        space: &mut Space,
        diagram: Ref,
        now: &[Option<Ref>],
        replaced: &mut Substitution,
    ) -> Result<Ref, Overflow> {
        if diagram.is_constant() {
            return Ok(diagram);
        }
        if let Some(&known) = replaced.get(&diagram) {
            return Ok(known);
        }
        // Diagrams are no deeper than `Diagrams` allows, so this recursion is not either.
        space.diagrams.spend(1)?;
        let Node { level, low, high } = space.diagrams.node(diagram);
        let condition = self.comes_to(space, level, now)?;
        let low = self.replace(space, low, now, replaced)?;
        let high = self.replace(space, high, now, replaced)?;
        let made = space.diagrams.ite(condition, high, low)?;
        replaced.insert(diagram, made);
        Ok(made)
    }

    /// The diagram that one obligation comes to at the position that is read.
    fn comes_to(&self, space: &mut Space, level: Level, now: &[Option<Ref>]) -> Result<Ref, Overflow> {
        let known = |part: PartId| now[part.index()].expect("what is owed is smaller than what owed it");
        match space.meanings[(level.chain - self.first_chain()) as usize] {
            ChainMeaning::Exists => match (u32::MAX - level.place).checked_sub(1) {
                None => Ok(Ref::TRUE),
                Some(nearer) => self.exists(space, nearer),
            },
            ChainMeaning::Owed(DelayedPart { part, delay: 0 }) => match self.rules.rule(part) {
                Rule::Until { body, left, right, .. } => {
                    self.until_now(space, body, known(left), known(right), Reach::of_place(level.place))
                }
                _ => Ok(known(part)),
            },
            ChainMeaning::Owed(DelayedPart { part, delay }) => {
                self.variable(space, OwedPart { part, delay: delay - 1, reach: Reach::of_place(level.place) })
            }
        }
    }

    // ---- memory ----

    /// One of the values of a state: number 0 is what it owes, the others are what it remembers.
    fn value(&self, space: &Space, StateRef(state): StateRef, number: usize) -> Ref {
        let mut diagram = state;
        for selector in 0..self.selectors {
            let level = Level::alone(self.rules.propositions + selector);
            let bit = number >> (self.selectors - 1 - selector) & 1 == 1;
            diagram = if bit { space.diagrams.high(diagram, level) } else { space.diagrams.low(diagram, level) };
        }
        diagram
    }

    fn with_memory(&self, space: &mut Space, owes: Ref, memory: &[Ref]) -> Result<StateRef, Overflow> {
        let mut values: Vec<Ref> = std::iter::once(owes).chain(memory.iter().copied()).collect();
        values.resize(1 << self.selectors, Ref::FALSE);
        for selector in (0..self.selectors).rev() {
            let variable = space.diagrams.variable(Level::alone(self.rules.propositions + selector))?;
            for pair in 0..values.len() / 2 {
                values[pair] = space.diagrams.ite(variable, values[2 * pair + 1], values[2 * pair])?;
            }
            values.truncate(values.len() / 2);
        }
        Ok(StateRef(values[0]))
    }

    /// Forgets, in all states below a diagram of successors, the memories that no obligation will
    /// ask for.
    fn forget_the_irrelevant(
        &self,
        space: &mut Space,
        successors: Ref,
        done: &mut FxHashMap<Ref, Ref>,
    ) -> Result<Ref, Overflow> {
        if let Some(&known) = done.get(&successors) {
            return Ok(known);
        }
        let made = match self.look(space, successors) {
            Ok((proposition, low, high)) => {
                let low = self.forget_the_irrelevant(space, low, done)?;
                let high = self.forget_the_irrelevant(space, high, done)?;
                let condition = space.diagrams.variable(Level::alone(proposition))?;
                space.diagrams.ite(condition, high, low)?
            }
            Err(state) => {
                let owes = self.value(space, state, 0);
                let needed = self.needed(space, owes)?;
                let memory: Vec<Ref> =
                    (0..self.rules.remembered.len())
                        .map(|at| {
                            if needed.has(self.rules.memory(at)) {
                                self.value(space, state, at + 1)
                            } else {
                                Ref::FALSE
                            }
                        })
                        .collect();
                self.with_memory(space, owes, &memory)?.0
            }
        };
        done.insert(successors, made);
        Ok(made)
    }

    /// The memories that obligations will ask for. Obligations inside a memory ask only for
    /// memories that it depends on.
    fn needed(&self, space: &mut Space, owes: Ref) -> Result<MemorySet, Overflow> {
        let mut needed = self.rules.no_memory();
        let support = space.support(owes);
        space.spend(support.len() + self.rules.remembered.len())?;
        for level in support {
            if let ChainMeaning::Owed(DelayedPart { part, .. }) =
                space.meanings[(level.chain - self.first_chain()) as usize]
            {
                needed.unite(&self.rules.depends[part.index()]);
            }
        }
        Ok(needed)
    }

    // ---- memory of the other kind ----

    /// A space with nothing in it but one state, and the id of that state there.
    pub(crate) fn only(
        &self,
        space: &Space,
        state: StateRef,
        limits: DiagramLimits,
    ) -> Result<(Space, StateRef), Overflow> {
        let mut fresh = self.space(limits.clone())?;
        self.empty(&mut fresh, limits);
        // Chains keep their order, or the diagram would have to be turned inside out.
        for (_, obligation) in self.chains_of(space, state) {
            self.push_chain(&mut fresh, obligation);
        }
        let mut copies = FxHashMap::default();
        let copy = self.copy(space, state.0, &mut fresh, &mut copies)?;
        self.prepare(&mut fresh)?;
        Ok((fresh, StateRef(copy)))
    }

    fn copy(
        &self,
        space: &Space,
        diagram: Ref,
        fresh: &mut Space,
        copies: &mut FxHashMap<Ref, Ref>,
    ) -> Result<Ref, Overflow> {
        if diagram.is_constant() {
            return Ok(diagram);
        }
        if let Some(&copy) = copies.get(&diagram) {
            return Ok(copy);
        }
        let Node { mut level, low, high } = space.diagrams.node(diagram);
        let low = self.copy(space, low, fresh, copies)?;
        let high = self.copy(space, high, fresh, copies)?;
        if level.chain > self.first_chain()
            && let ChainMeaning::Owed(obligation) = space.meanings[(level.chain - self.first_chain()) as usize]
        {
            level.chain = fresh.chains[&obligation];
        }
        let copy = fresh.diagrams.test(level, low, high)?;
        copies.insert(diagram, copy);
        Ok(copy)
    }
}

/// The things that are known while a letter is read.
#[derive(Clone, Copy)]
struct LetterContext<'a> {
    /// The diagrams that smaller parts come to.
    now: &'a [Option<Ref>],
    memory: &'a [Ref],
    /// The propositions that hold; none if all letters are read at once.
    letter: Option<&'a dyn Fn(u32) -> bool>,
}

/// The diagrams that have replaced obligations, for one letter.
type Substitution = FxHashMap<Ref, Ref>;

impl Space {
    /// Begins with the next state of a trace: a share of the work is allowed anew.
    pub(crate) fn renew(&mut self) {
        self.diagrams.renew();
    }

    /// Pays for work on states.
    pub(crate) fn spend(&mut self, work: usize) -> Result<(), Overflow> {
        self.diagrams.spend(work)
    }

    fn ahead(&self, part: PartId) -> Ref {
        self.ahead[part.index()].expect("a part that may be owed")
    }

    /// The variables that a diagram tests, in order.
    fn support(&self, diagram: Ref) -> Vec<Level> {
        let mut seen = FxHashSet::default();
        let mut open = vec![diagram];
        let mut levels = Vec::new();
        while let Some(one) = open.pop() {
            if !one.is_constant() && seen.insert(one) {
                let node = self.diagrams.node(one);
                levels.push(node.level);
                open.extend([node.low, node.high]);
            }
        }
        levels.sort_unstable();
        levels.dedup();
        levels
    }

    /// Whether a diagram is monotone in a variable: whatever makes it true where the variable is
    /// false does so where the variable is true.
    fn is_wanted(&mut self, diagram: Ref, level: Level) -> Result<bool, Overflow> {
        let mut open = vec![diagram];
        let mut seen = FxHashSet::default();
        while let Some(one) = open.pop() {
            let node = self.diagrams.node(one);
            if node.level > level || !seen.insert(one) {
                continue;
            }
            if node.level == level {
                let lost = self.diagrams.ite(node.low, node.high, Ref::TRUE)?;
                if lost != Ref::TRUE {
                    return Ok(false);
                }
            } else {
                open.extend([node.low, node.high]);
            }
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests;
