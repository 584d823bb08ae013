//! The search for a shortest trace, configuration by configuration.

use super::burden::Burden;
use super::literal::{Help, Literal, Untimed};
use super::memory::{Branch, Mark, Memory, Required, Rules, Told};
use super::moments;
use super::zone::{Grain, Zone};
use super::{Answer, Judge, TimedTrace, Unknown};
use crate::automaton::deterministic::Room;
use crate::automaton::diagram::{Overflow, Ref};
use crate::automaton::progression::{Progression, Space, StateRef};
use crate::limit::{BuildError, GaveUp, Limit};
use rustc_hash::{FxHashMap, FxHashSet};
use traceward_logic::formula::{FormulaId, Formulas, Node};
use traceward_logic::letter::{Alphabet, Letter, Proposition};

/// The number of traces that the definition may deny before the search ends.
const MOST_DENIED: usize = 40;

/// The number of propositions that literals may speak of.
const MOST_TRACKED: usize = 64;

/// A configuration that was met.
struct Met {
    state: StateRef,
    memories: Vec<Memory>,
    zone: Zone,
    /// The positions of the trace that the zone speaks of.
    positions: Vec<usize>,
    from: Option<usize>,
    letter: Letter,
    /// What its last step asked of timestamps, in positions of the trace.
    required: Vec<Required>,
}

/// A proposition that literals speak of.
struct Tracked {
    proposition: Proposition,
    /// The value that suits all literals best, if they agree.
    best: Option<bool>,
}

/// Values of the tracked propositions, as far as they are known.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
struct Values {
    known: u64,
    holds: u64,
}

/// What a letter leads to.
struct Successor {
    state: StateRef,
    values: Values,
    letter: Letter,
}

/// Where a literal is told something by a letter.
struct Source {
    claim: Bit,
    help: Bit,
    other: Bit,
}

/// A bit of a letter, turned round or not, or a constant.
#[derive(Clone, Copy)]
enum Bit {
    Constant(bool),
    Proposition(Proposition, bool),
}

impl Bit {
    fn of(help: Help, place: impl Fn(FormulaId) -> Option<Proposition>) -> Self {
        match help {
            Help::Constant(bit) => Self::Constant(bit),
            // Nothing asks for an operator that no letter speaks of, so it is not claimed.
            Help::Atom(atom, holds) => {
                place(atom).map_or(Self::Constant(!holds), |place| Self::Proposition(place, holds))
            }
        }
    }

    fn is_told(self, letter: &Letter) -> bool {
        match self {
            Self::Constant(bit) => bit,
            Self::Proposition(proposition, holds) => letter.holds(proposition) == holds,
        }
    }
}

pub(super) struct Search<'a> {
    progression: Progression,
    alphabet: Alphabet,
    literals: &'a [Literal],
    sources: Vec<Source>,
    tracked: Vec<Tracked>,
    rules: Rules,
    longest: i64,
    limits: Room,
    bytes: usize,
    met: Vec<Met>,
    seen: FxHashMap<StateRef, Vec<Burden>>,
    judge: &'a Judge<'a>,
    denied: usize,
}

/// What a search came to.
pub(super) struct Outcome {
    pub(super) answer: Answer,
    /// The number of traces that the definition denied. Without any, a trace that was found is a
    /// shortest one.
    pub(super) denied: usize,
}

impl<'a> Search<'a> {
    /// Looks for a trace, with so many claims of a literal kept in mind.
    pub(super) fn run(
        arena: &Formulas,
        untimed: &'a Untimed,
        judge: &'a Judge<'a>,
        limits: Room,
        most_entries: usize,
    ) -> Result<Outcome, BuildError> {
        let alphabet = Alphabet::of(arena, &[untimed.root]);
        let place = |atom: FormulaId| match arena.node(atom) {
            Node::Atom(atom) => alphabet.proposition(atom),
            _ => None,
        };
        let source = |literal: &Literal| Source {
            claim: Bit::of(literal.claim, place),
            help: Bit::of(literal.help, place),
            other: Bit::of(literal.other, place),
        };
        let sources: Vec<Source> = untimed.literals.iter().map(source).collect();
        let tracked = tracked(&sources);
        if tracked.len() > MOST_TRACKED || sources.len() > Burden::MOST_LITERALS {
            return Ok(Outcome { answer: Answer::Unknown(Unknown::ManyBounds), denied: 0 });
        }
        // Windows may end just beside a rounder number.
        let longest = untimed.longest() + 1;
        let search = Self {
            progression: Progression::new(arena, &alphabet, untimed.root, false, None)?,
            rules: Rules { grain: Grain::for_bounds(longest), most_entries },
            alphabet,
            literals: &untimed.literals,
            sources,
            tracked,
            longest,
            limits,
            bytes: 0,
            met: Vec::new(),
            seen: FxHashMap::default(),
            judge,
            denied: 0,
        };
        search.all().map_err(BuildError::GaveUp)
    }

    fn all(mut self) -> Result<Outcome, GaveUp> {
        let memory = self.limits.memory;
        let overflow = |overflow: Overflow| gave_up(overflow.limit(memory));
        let diagrams = self.limits.of_diagrams(Progression::BYTES_PER_NODE);
        let mut space = self.progression.space(diagrams).map_err(overflow)?;
        let state = self.progression.initial(&mut space).map_err(overflow)?;
        self.begin(state);
        let mut next = 0;
        while next < self.met.len() && self.denied <= MOST_DENIED {
            let successors = self.progression.successors(&mut space, self.met[next].state).map_err(overflow)?;
            for successor in self.letters(&mut space, successors).map_err(overflow)? {
                if let Some(found) = self.follow(&mut space, next, successor).map_err(overflow)? {
                    return Ok(Outcome { answer: Answer::Found(found), denied: self.denied });
                }
            }
            self.stay_within_limits().map_err(gave_up)?;
            next += 1;
        }
        let answer = if self.denied == 0 { Answer::Nowhere } else { Answer::Unknown(Unknown::ManyWindows) };
        Ok(Outcome { answer, denied: self.denied })
    }

    fn begin(&mut self, state: StateRef) {
        self.met.push(Met {
            state,
            memories: vec![Memory::default(); self.literals.len()],
            zone: Zone::first(),
            positions: Vec::new(),
            from: None,
            letter: Letter::default(),
            required: Vec::new(),
        });
    }

    fn stay_within_limits(&self) -> Result<(), Limit> {
        if self.met.len() > self.limits.states {
            return Err(Limit::States(self.limits.states));
        }
        if self.bytes > self.limits.memory { Err(Limit::Memory(self.limits.memory)) } else { Ok(()) }
    }

    /// The letters that lead on from a state. Of those that lead to the same state, one that suits
    /// all literals at least as well as another one is enough.
    fn letters(&self, space: &mut Space, successors: Ref) -> Result<Vec<Successor>, Overflow> {
        let width = self.progression.rules.propositions as usize;
        let nothing = Letter((0..width).map(|_| false).collect());
        let mut below: FxHashSet<(Ref, Values)> = FxHashSet::default();
        let mut found: FxHashMap<StateRef, Vec<Successor>> = FxHashMap::default();
        let mut order = Vec::new();
        let mut open = vec![(successors, Values::default(), nothing)];
        while let Some((diagram, values, letter)) = open.pop() {
            space.spend(1 + width / 64)?;
            if !below.insert((diagram, values)) {
                continue;
            }
            match self.progression.look(space, diagram) {
                Ok((proposition, low, high)) => {
                    let [without, with] = self.tested(proposition, values, letter);
                    open.extend([(high, with.0, with.1), (low, without.0, without.1)]);
                }
                Err(state) if self.is_lost(space, state) => {}
                Err(state) => {
                    let known = found.entry(state).or_default();
                    if known.is_empty() {
                        order.push(state);
                    }
                    for (values, letter) in self.completed(values, letter) {
                        space.spend(1 + known.len())?;
                        self.add(known, Successor { state, values, letter });
                    }
                }
            }
        }
        Ok(order.into_iter().flat_map(|state| found.remove(&state).unwrap_or_default()).collect())
    }

    fn is_lost(&self, space: &Space, state: StateRef) -> bool {
        self.progression.constant(space, state) == Some(false) && !self.progression.is_accepting(space, state)
    }

    /// Values and a letter in which a proposition does not hold, and in which it does.
    fn tested(&self, proposition: u32, values: Values, letter: Letter) -> [(Values, Letter); 2] {
        let place = self.tracked.iter().position(|tracked| tracked.proposition.0 == proposition);
        let with = |holds| {
            let mut values = values;
            if let Some(place) = place {
                values.known |= 1 << place;
                values.holds |= u64::from(holds) << place;
            }
            let mut letter = letter.clone();
            letter.0.set(proposition as usize, holds);
            (values, letter)
        };
        [with(false), with(true)]
    }

    /// The letter with values for the propositions that nothing was said about: the best ones, or
    /// all where literals want different ones.
    fn completed(&self, values: Values, letter: Letter) -> Vec<(Values, Letter)> {
        let mut all = vec![(values, letter)];
        for (place, tracked) in self.tracked.iter().enumerate() {
            if values.known & (1 << place) == 0 {
                let wanted: &[bool] = tracked.best.as_ref().map_or(&[false, true], std::slice::from_ref);
                let with = |(values, letter): (Values, Letter)| {
                    let with_bit = move |&holds: &bool| {
                        let [without, with] = self.tested(tracked.proposition.0, values, letter.clone());
                        if holds { with } else { without }
                    };
                    wanted.iter().map(with_bit).collect::<Vec<_>>()
                };
                all = all.into_iter().flat_map(with).collect();
            }
        }
        all
    }

    /// Adds a successor to others of the same state, unless one of them is as good.
    fn add(&self, known: &mut Vec<Successor>, successor: Successor) {
        if known.iter().any(|one| self.is_as_good(one.values, successor.values)) {
            return;
        }
        known.retain(|one| !self.is_as_good(successor.values, one.values));
        known.push(successor);
    }

    fn is_as_good(&self, one: Values, other: Values) -> bool {
        self.tracked.iter().enumerate().all(|(place, tracked)| {
            let [one, other] = [one, other].map(|values| values.holds & (1 << place) != 0);
            one == other || tracked.best == Some(one)
        })
    }

    /// Meets the configurations that a letter leads to; a trace that ends with it, if one does.
    fn follow(&mut self, space: &mut Space, from: usize, successor: Successor) -> Result<Option<TimedTrace>, Overflow> {
        let Successor { state, letter, .. } = successor;
        let accepts = self.progression.is_accepting(space, state);
        let is_dead = self.progression.constant(space, state) == Some(false);
        for branch in self.branches(from, &letter) {
            space.spend(branch.memories.len() + branch.zone.bytes() / 8)?;
            let can_end = self.literals.iter().zip(&branch.memories).all(|(one, memory)| Rules::can_end(one, memory));
            let met = self.met_by(from, state, &letter, branch);
            if accepts && can_end {
                if let Some(found) = self.trace(&met) {
                    return Ok(Some(found));
                }
                self.denied += 1;
            }
            if !is_dead && self.is_new(space, &met)? {
                self.bytes += size_of::<Met>() + 2 * met.zone.bytes();
                self.met.push(met);
            }
        }
        Ok(None)
    }

    /// The ways in which the next position can lie, with all literals right there.
    fn branches(&self, from: usize, letter: &Letter) -> Vec<Branch> {
        let Met { zone, memories, from: earlier, .. } = &self.met[from];
        let zone = if earlier.is_none() { zone.clone() } else { zone.advanced() };
        let mut branches = vec![Branch { zone, memories: Vec::new(), required: Vec::new() }];
        for ((literal, source), memory) in self.literals.iter().zip(&self.sources).zip(memories) {
            let told = Told {
                claimed: source.claim.is_told(letter),
                help: source.help.is_told(letter),
                other: source.other.is_told(letter),
            };
            let step = |branch| self.rules.step(literal, memory.clone(), told, branch);
            let with = |(mut branch, memory): (Branch, Memory)| {
                branch.memories.push(memory);
                branch
            };
            branches = branches.into_iter().flat_map(step).map(with).collect();
        }
        branches
    }

    /// The configuration of a branch: positions that nothing asks about any more are forgotten.
    fn met_by(&self, from: usize, state: StateRef, letter: &Letter, branch: Branch) -> Met {
        let Branch { zone, mut memories, required } = branch;
        let position = self.len(from);
        let mut positions = self.met[from].positions.clone();
        positions.push(position);
        let mut kept: Vec<usize> = vec![zone.now()];
        kept.extend(memories.iter_mut().flat_map(Memory::marks).map(|mark| usize::from(*mark)));
        kept.sort_unstable();
        kept.dedup();
        for mark in memories.iter_mut().flat_map(Memory::marks) {
            let place = kept.binary_search(&usize::from(*mark)).expect("a mark that is kept");
            *mark = place as Mark;
        }
        let mut narrowed = zone.of(&kept);
        narrowed.widen(self.longest);
        let in_trace = |one: Required| Required { later: positions[one.later], earlier: positions[one.earlier], ..one };
        Met {
            state,
            memories,
            zone: narrowed,
            required: required.into_iter().map(in_trace).collect(),
            positions: kept.iter().map(|&place| positions[place]).collect(),
            from: Some(from),
            letter: letter.clone(),
        }
    }

    /// The number of positions that were read to get somewhere.
    fn len(&self, at: usize) -> usize {
        std::iter::successors(self.met[at].from, |&at| self.met[at].from).count()
    }

    fn is_new(&mut self, space: &mut Space, met: &Met) -> Result<bool, Overflow> {
        let seen = self.seen.entry(met.state).or_default();
        let burden = Burden::of(self.literals, &met.memories, &met.zone);
        let mut work = 0;
        let is_new = !seen.iter().any(|one| one.is_lighter(&burden, &mut work));
        if is_new {
            seen.retain(|one| !burden.is_lighter(one, &mut work));
            seen.push(burden);
        }
        space.spend(work)?;
        Ok(is_new)
    }

    /// A trace that leads to a configuration, if the definition agrees.
    fn trace(&self, last: &Met) -> Option<TimedTrace> {
        let mut way: Vec<&Met> = vec![last];
        while let Some(from) = way[way.len() - 1].from {
            way.push(&self.met[from]);
        }
        way.pop();
        way.reverse();
        let letters: Vec<Letter> = way.iter().map(|met| self.letter_of_trace(&met.letter)).collect();
        let required: Vec<Required> = way.iter().flat_map(|met| met.required.iter().copied()).collect();
        let numbers = self.literals.iter().flat_map(|literal| literal.window.numbers());
        let mut traces = moments::choices(letters.len(), &required, numbers)
            .map(|time| TimedTrace { letters: letters.clone(), time });
        traces.find(|trace| self.judge.admits(trace))
    }

    /// The letter without the propositions that were added to it.
    fn letter_of_trace(&self, letter: &Letter) -> Letter {
        let wanted = self.judge.alphabet;
        let holds = |index: usize| {
            let atom = wanted.atom(Proposition(index as u32));
            atom.and_then(|atom| self.alphabet.proposition(atom)).is_some_and(|place| letter.holds(place))
        };
        Letter((0..wanted.letter_len()).map(holds).collect())
    }
}

/// The propositions that literals speak of. Claims are best where they are not made.
fn tracked(sources: &[Source]) -> Vec<Tracked> {
    let mut tracked: Vec<Tracked> = Vec::new();
    let mut track =
        |proposition: Proposition, best: bool| match tracked.iter_mut().find(|one| one.proposition == proposition) {
            Some(known) => known.best = known.best.filter(|other| *other == best),
            None => tracked.push(Tracked { proposition, best: Some(best) }),
        };
    for source in sources {
        for (bit, is_wanted) in [(source.claim, false), (source.help, true), (source.other, true)] {
            if let Bit::Proposition(proposition, holds) = bit {
                track(proposition, holds == is_wanted);
            }
        }
    }
    tracked
}

/// There is nobody else to ask.
fn gave_up(limit: Limit) -> GaveUp {
    GaveUp { engine: "observer", limit, instead: &[] }
}
