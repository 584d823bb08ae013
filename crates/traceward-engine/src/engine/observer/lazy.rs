//! An automaton that is unfolded as far as a run gets, in memory of bounded size.
//!
//! When the memory is used up, everything is forgotten but the state that the run is in, and the
//! run goes on. Only if a single step does not fit does it give up.

use super::letters::{Blocks, LetterBits};
use super::{ENGINE, EngineConfig, Exactness};
use crate::automaton::diagram::{DiagramLimits, Overflow};
use crate::automaton::progression::{OwedEvent, Progression, Prospects, Space, StateRef, Unsettled};
use crate::limit::{Budget, GaveUp, Instead, Limit, Limits};
use crate::saved::{Reader, RestoreError, Writer};
use std::sync::Arc;
use traceward_logic::letter::Proposition;
use traceward_logic::verdict::Verdict;

#[derive(Debug)]
pub(super) struct Lazy {
    progression: Arc<Progression>,
    space: Space,
    /// The number of times that everything was forgotten. Numbers of states are good within one
    /// epoch.
    epoch: u64,
    reading: Reading,
    state: StateRef,
    verdict: Verdict,
    config: EngineConfig,
    /// Steps that were made, by state and letter; a newer one takes the place of an older one.
    /// There are few places at first, since very many runs may be short.
    steps: Vec<RememberedStep>,
    /// The number of steps that had to be made since there are so many places.
    made: usize,
    /// The states at which no search is tried, since others were in vain.
    rest: Rest,
}

/// The way in which letters are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reading {
    /// The successors of all letters are found together.
    AllAtOnce,
    /// The successors of all letters have turned out to be too many: each letter is read by itself.
    OneByOne,
}

/// A rest between searches for what is certain: after each one in vain it is twice as long.
#[derive(Clone, Copy, Debug, Default)]
struct Rest {
    left: u64,
    length: u64,
}

impl Rest {
    /// Whether there is no search at this state.
    fn goes_on(&mut self) -> bool {
        let goes_on = self.left > 0;
        self.left = self.left.saturating_sub(1);
        goes_on
    }

    /// Begins anew, after a search in vain.
    fn begin(&mut self) {
        self.length = self.length.saturating_mul(2).max(1);
        self.left = self.length;
    }
}

/// A clone begins with nothing but the state, so that it is cheap, whatever the run has seen.
impl Clone for Lazy {
    fn clone(&self) -> Self {
        let alone = self.progression.only(&self.space, self.state, diagram_limits(self.config, self.reading));
        // What holds a state and more, holds the state.
        let (space, state) = alone.unwrap_or_else(|_| (self.space.clone(), self.state));
        let steps = vec![RememberedStep::nothing(state); REMEMBERED_AT_FIRST];
        let (verdict, config, rest) = (self.verdict, self.config, self.rest);
        Self {
            progression: self.progression.clone(),
            space,
            epoch: 0,
            reading: self.reading,
            state,
            verdict,
            config,
            steps,
            made: 0,
            rest,
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct RememberedStep {
    from: u32,
    verdict: Verdict,
    letter: u64,
    to: StateRef,
}

impl RememberedStep {
    /// A step from nowhere.
    fn nothing(to: StateRef) -> Self {
        Self { from: NOWHERE, verdict: Verdict::Pending, letter: 0, to }
    }
}

/// The number of steps that are remembered, and that of the places at first.
const REMEMBERED: usize = 1 << 12;
const REMEMBERED_AT_FIRST: usize = 1 << 4;

/// The number that no state has.
const NOWHERE: u32 = u32::MAX;

impl Lazy {
    /// A run that has seen no state, of the formula as asked at a position.
    pub(super) fn start(progression: &Arc<Progression>, config: EngineConfig, position: usize) -> Result<Self, GaveUp> {
        let position = u32::try_from(position).ok().filter(|position| *position < u32::MAX).ok_or(GaveUp {
            engine: ENGINE,
            limit: Limit::Position(position),
            instead: &[Instead::REVERSE],
        })?;
        let failed = |overflow| gave_up(config, Unsettled::Overflow(overflow));
        let mut space = progression.space(diagram_limits(config, Reading::AllAtOnce)).map_err(failed)?;
        let state = progression.initial_at(&mut space, position).map_err(failed)?;
        let (steps, verdict) = (vec![RememberedStep::nothing(state); REMEMBERED_AT_FIRST], Verdict::Pending);
        let mut lazy = Self {
            progression: progression.clone(),
            space,
            epoch: 0,
            reading: Reading::AllAtOnce,
            state,
            verdict,
            config,
            steps,
            made: 0,
            rest: Rest::default(),
        };
        lazy.verdict = lazy.certain(state).map_err(|unsettled| gave_up(config, unsettled))?;
        Ok(lazy)
    }

    /// Writes the state, and what has been found out about how to read letters; the rest can be
    /// unfolded again.
    pub(super) fn save(&self, to: &mut Writer) {
        to.verdict(self.verdict);
        to.bit(self.reading == Reading::OneByOne);
        self.progression.save(&self.space, self.state, to);
    }

    pub(super) fn restore(
        progression: &Arc<Progression>,
        config: EngineConfig,
        from: &mut Reader<'_>,
    ) -> Result<Self, RestoreError> {
        let verdict = from.verdict()?;
        let reading = if from.bit()? { Reading::OneByOne } else { Reading::AllAtOnce };
        let (space, state) = progression.restore(diagram_limits(config, reading), from)?;
        let steps = vec![RememberedStep::nothing(state); REMEMBERED_AT_FIRST];
        let progression = progression.clone();
        let rest = Rest::default();
        Ok(Self { progression, space, epoch: 0, reading, state, verdict, config, steps, made: 0, rest })
    }

    pub(super) fn verdict(&self) -> Verdict {
        self.verdict
    }

    pub(super) fn step(&mut self, propositions: &[Proposition], row: &LetterBits) -> Result<Verdict, GaveUp> {
        self.read(propositions, &|index| row.byte(index))
    }

    /// Reads all letters, and returns the verdict and, if it is final, the position since which it
    /// is.
    pub(super) fn run(
        &mut self,
        propositions: &[Proposition],
        mut blocks: Blocks,
    ) -> Result<(Verdict, Option<usize>), GaveUp> {
        while let Some(block) = blocks.next() {
            let mut changes = block.changes;
            for offset in 0..block.len {
                if changes >> 63 == 1 {
                    let verdict = self.read(propositions, &|index| block.bytes[index][offset])?;
                    if verdict.is_final() {
                        return Ok((verdict, Some(block.start + offset)));
                    }
                }
                changes <<= 1;
            }
        }
        Ok((self.verdict, None))
    }

    /// The obligations that the state rests on.
    pub(super) fn owed(&mut self) -> Result<Vec<OwedEvent>, GaveUp> {
        let failed = |overflow| gave_up(self.config, Unsettled::Overflow(overflow));
        self.progression.owed(&mut self.space, self.state).map_err(failed)
    }

    fn read(&mut self, propositions: &[Proposition], byte: &dyn Fn(usize) -> u8) -> Result<Verdict, GaveUp> {
        if propositions.len() > 64 {
            return self.settle(propositions, byte);
        }
        let bytes = propositions.len().div_ceil(8);
        let letter = (0..bytes).fold(0, |letter, index| letter | (u64::from(byte(index)) << (8 * index)));
        let slot = self.slot(letter);
        let known = self.steps[slot];
        if known.from as usize == self.state.index() && known.letter == letter {
            self.state = known.to;
            self.verdict = known.verdict;
            return Ok(self.verdict);
        }
        let from = self.state;
        let epoch = self.epoch;
        self.settle(propositions, byte)?;
        // If everything was forgotten on the way, numbers mean other states now.
        if self.epoch == epoch {
            let from = from.index() as u32;
            self.made += 1;
            self.steps[slot] = RememberedStep { from, verdict: self.verdict, letter, to: self.state };
        }
        self.make_room();
        Ok(self.verdict)
    }

    /// Makes room for more steps where the places that there are have all been needed.
    fn make_room(&mut self) {
        if self.made > self.steps.len() && self.steps.len() < REMEMBERED {
            self.steps = vec![RememberedStep::nothing(self.state); 4 * self.steps.len()];
            self.made = 0;
        }
    }

    fn slot(&self, letter: u64) -> usize {
        let key = letter.wrapping_mul(0x9E37_79B9_7F4A_7C15)
            ^ (self.state.index() as u64).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        (key >> 40) as usize & (self.steps.len() - 1)
    }

    fn settle(&mut self, propositions: &[Proposition], byte: &dyn Fn(usize) -> u8) -> Result<Verdict, GaveUp> {
        self.space.renew();
        if self.reading == Reading::AllAtOnce {
            let result = self.with_room(|run| run.try_step(propositions, byte))?;
            let is_too_large = matches!(result, Err(unsettled @ Unsettled::Overflow(_)) if !unsettled.is_interrupt());
            if !is_too_large || self.config.exactness == Exactness::Always {
                return self.take(result);
            }
            self.reading = Reading::OneByOne;
            self.forget()?;
        }
        let result = self.with_room(|run| run.read_one(propositions, byte))?;
        self.take(result)
    }

    /// Tries a step, and once more with nothing else in memory if it does not fit.
    fn with_room(
        &mut self,
        step: impl Fn(&mut Self) -> Result<(StateRef, Verdict), Unsettled>,
    ) -> Result<Result<(StateRef, Verdict), Unsettled>, GaveUp> {
        match step(self) {
            Err(Unsettled::Overflow(Overflow::Nodes)) => {
                self.forget()?;
                Ok(step(self))
            }
            result => Ok(result),
        }
    }

    fn take(&mut self, result: Result<(StateRef, Verdict), Unsettled>) -> Result<Verdict, GaveUp> {
        (self.state, self.verdict) = result.map_err(|unsettled| gave_up(self.config, unsettled))?;
        Ok(self.verdict)
    }

    /// A step that looks at nothing but this letter, and finds out no more than whether anything is
    /// left to be owed.
    fn read_one(
        &mut self,
        propositions: &[Proposition],
        byte: &dyn Fn(usize) -> u8,
    ) -> Result<(StateRef, Verdict), Unsettled> {
        let holds = |proposition: u32| bit(propositions, byte, proposition);
        let state = self.progression.successor(&mut self.space, self.state, &holds)?;
        Ok((state, self.at_sight(state)))
    }

    /// The verdict in a state as far as it needs no search.
    fn at_sight(&self, state: StateRef) -> Verdict {
        match (self.progression.constant(&self.space, state), self.progression.is_accepting(&self.space, state)) {
            (Some(holds), _) => Verdict::at_end(holds),
            (None, true) => Verdict::Holding,
            (None, false) => Verdict::Pending,
        }
    }

    fn try_step(
        &mut self,
        propositions: &[Proposition],
        byte: &dyn Fn(usize) -> u8,
    ) -> Result<(StateRef, Verdict), Unsettled> {
        let successors = self.progression.successors(&mut self.space, self.state)?;
        let holds = |proposition: u32| bit(propositions, byte, proposition);
        let state = self.progression.choose(&self.space, successors, holds);
        let verdict = self.certain(state)?;
        Ok((state, verdict))
    }

    fn certain(&mut self, state: StateRef) -> Result<Verdict, Unsettled> {
        let may_go_on = self.config.exactness == Exactness::WherePossible;
        if may_go_on && self.rest.goes_on() {
            return Ok(self.at_sight(state));
        }
        let prospects = match self.progression.prospects(&mut self.space, state, self.config.limits.search) {
            Err(reason) if may_go_on && !reason.is_interrupt() => {
                self.rest.begin();
                return Ok(self.at_sight(state));
            }
            result => result?,
        };
        Ok(match prospects {
            Prospects { can_accept: false, .. } => Verdict::Violated,
            Prospects { can_reject: false, .. } => Verdict::Satisfied,
            Prospects { accepting: true, .. } => Verdict::Holding,
            Prospects { accepting: false, .. } => Verdict::Pending,
        })
    }

    /// Forgets everything but the state.
    fn forget(&mut self) -> Result<(), GaveUp> {
        let failed = |overflow| gave_up(self.config, Unsettled::Overflow(overflow));
        (self.space, self.state) = self
            .progression
            .only(&self.space, self.state, diagram_limits(self.config, self.reading))
            .map_err(failed)?;
        self.epoch += 1;
        for step in &mut self.steps {
            step.from = NOWHERE;
        }
        Ok(())
    }
}

/// Whether a proposition holds in a letter that has a bit for each of these.
fn bit(propositions: &[Proposition], byte: &dyn Fn(usize) -> u8, proposition: u32) -> bool {
    let place = propositions.binary_search(&Proposition(proposition)).expect("a proposition that matters");
    byte(place / 8) >> (place % 8) & 1 == 1
}

/// The limits on diagrams: as many as fit the memory, with what a search keeps of each.
///
/// Where all letters may be too many, and one by one can be read instead, that is to be found out
/// soon.
fn diagram_limits(config: EngineConfig, reading: Reading) -> DiagramLimits {
    const PER_SEARCHED: usize = 64;
    let memory = config.limits.memory.saturating_sub(REMEMBERED * size_of::<RememberedStep>());
    let nodes = memory / (Progression::BYTES_PER_NODE + PER_SEARCHED);
    let is_replaceable = config.exactness == Exactness::WherePossible && reading == Reading::AllAtOnce;
    let work = if is_replaceable { config.limits.work / 8 } else { config.limits.work };
    DiagramLimits { nodes, budget: Budget::new(&Limits { work, ..config.limits }) }
}

fn gave_up(config: EngineConfig, unsettled: Unsettled) -> GaveUp {
    let limit = match unsettled {
        Unsettled::Overflow(overflow) => overflow.limit(config.limits.memory),
        Unsettled::TooManyStates => Limit::Search(config.limits.search),
    };
    GaveUp { engine: ENGINE, limit, instead: &[Instead::REVERSE_AT_END] }
}
