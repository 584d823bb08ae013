//! Streaming: every part of a formula answers as soon as it is certain.
//!
//! A formula is cut into parts that look ahead, each of which tells the truth position by position,
//! in order, as soon as it knows (`scan`, `join`, `lagging`, and at the top `watch`). What
//! speaks of the past and the present alone is known in the state itself ([`Past`]). A part is
//! asked only where it matters, and keeps who asked and was not answered (`plan`). So memory is
//! what is owed, whatever the bounds: a bound in steps is a position and one in time a timestamp,
//! and both are only compared.
//!
//! It takes every formula. Verdicts are sound and not always the earliest: `F p & G !p` is found
//! out only when p comes, and a part that is not settled at some position keeps back what it knows
//! of later ones. Observers ([`super::observer`]) are exact where they are small enough; they take
//! no bounds in time.

mod bits;
mod ending;
mod join;
mod lagging;
mod later;
mod plan;
mod rest;
mod save;
mod scan;
#[cfg(test)]
mod tests;
mod times;
mod waiting;
mod watch;

use super::follow::{Follow, Owed, Prefix, Step};
use super::walkthrough::{Content, Guide, HeldState, Stage, WalkthroughError};
use super::{EngineConfig, EngineStatistics};
use crate::limit::{BuildError, GaveUp, Instead, Limit, Unsupported};
use crate::past::{Over, Past, PastId, PastRun};
use crate::prepared::Prepared;
use crate::saved::{Reader, RestoreError, Writer};
use bits::{BitRun, Bits};
use ending::{Ending, Followed};
use join::{Join, JoinRun};
use lagging::{Lagging, LaggingRun};
use plan::{Ask, Demand, Draft, Goal, Kind};
use rest::Rest;
use scan::{Keep, Scan, ScanRun};
use std::sync::Arc;
use times::Times;
use traceward_logic::formula::{Expansion, FormulaId, Formulas};
use traceward_logic::letter::{Alphabet, Letters, Proposition};
use traceward_logic::verdict::Verdict;
use watch::{Watch, WatchRun};

const NAME: &str = "streaming";

/// A formula ready to be followed part by part.
#[derive(Clone, Debug)]
pub struct Streaming {
    formulas: Formulas,
    alphabet: Alphabet,
    root: FormulaId,
    config: EngineConfig,
    past: Past,
    parts: Vec<Part>,
    /// The number of operators on which it depends whether their operands are asked.
    sources: usize,
    covers: Vec<Cover>,
    /// Whether a part looks at timestamps after their states.
    needs_times: bool,
    /// What has to be shown, without the watches.
    goal: Goal<PastId>,
    /// The operators at the top whose operands are known in the state itself.
    watches: Vec<Watch<PastId>>,
    /// For each failure, watch and sink of the goal where it is asked; empty if that goes on
    /// forever.
    endings: Vec<PastId>,
    only_watches: bool,
    can_rest: bool,
    holds_on_empty: bool,
}

/// The proposition that tells where the formula is asked, if that is not position 0.
const ASKED: Proposition = Proposition(u32::MAX);

/// Where a formula is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum AskedAt {
    Start,
    /// Where [`ASKED`] holds.
    Given,
}

/// A part at the top and its operand, such that of those who ask one after the other while the
/// operand is not asked, the first is enough: up to there the operand settles nothing, so that the
/// others are answered with the first or later, and the first window to close is its.
#[derive(Clone, Copy, Debug)]
struct Cover {
    part: LateId,
    operand: LateId,
}

/// A part that looks ahead.
#[derive(Clone, Debug)]
struct Part {
    formula: FormulaId,
    ask: Ask<PastId>,
    kind: Kind<PastId>,
    /// The source that it is to its operands.
    source: Option<SourceId>,
}

/// A part by its place, operands before operators.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct LateId(u32);

impl LateId {
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// An operator on which it depends whether its operands are asked.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct SourceId(u32);

impl SourceId {
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// The operand of a part.
#[derive(Clone, Copy, Debug)]
enum Operand<N> {
    Constant(bool),
    /// Something that is known in the state itself.
    Now(N),
    Late(LateId),
}

impl<N> Operand<N> {
    fn is_constant(&self) -> bool {
        matches!(self, Self::Constant(_))
    }

    fn map<M>(self, to: impl FnOnce(N) -> M) -> Operand<M> {
        match self {
            Self::Constant(bit) => Operand::Constant(bit),
            Self::Now(one) => Operand::Now(to(one)),
            Self::Late(part) => Operand::Late(part),
        }
    }
}

/// What has happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Tick {
    /// The next state.
    State { position: u64, time: i64 },
    /// No later state has a timestamp below this.
    Clock(i64),
    /// The trace has ended.
    End,
}

/// A run: what all parts have come to.
#[derive(Clone, Debug)]
pub struct Run {
    past: PastRun,
    watches: Vec<WatchRun>,
    parts: Vec<PartRun>,
    /// For each source whether its operands are asked in this state.
    asked: Vec<bool>,
    /// For each ending whether it has come.
    ended: Vec<bool>,
    /// The timestamps that parts still need.
    times: Times,
    states: u64,
    clock: i64,
    decided: Option<bool>,
    /// Whether the formula would hold if the trace ended here, if somebody has found out.
    holds_at_end: Option<bool>,
    /// Whether parts would hold if the trace ended here, if somebody has found out.
    parts_hold_at_end: Option<bool>,
    /// What it takes to find that out.
    ending: Ending,
    /// How long parts can rest, if they can.
    rest: Option<Rest>,
    peak: usize,
    /// The position at which it is looked at what is kept.
    next_look: u64,
}

#[derive(Clone, Debug)]
enum PartRun {
    Scan(ScanRun),
    Join(JoinRun),
    Lagging(LaggingRun),
}

impl PartRun {
    fn new(kind: &Kind<PastId>) -> Self {
        match kind {
            Kind::Scan(_) => Self::Scan(ScanRun::default()),
            Kind::Join(join) => Self::Join(JoinRun::new(join)),
            Kind::Lagging(lagging) => Self::Lagging(LaggingRun::new(lagging)),
        }
    }

    /// What was told in the last step.
    fn told(&self) -> &[BitRun] {
        match self {
            Self::Scan(run) => &run.told,
            Self::Join(run) => &run.told,
            Self::Lagging(run) => &run.told,
        }
    }

    /// Whether nothing that was asked is left unanswered.
    fn is_idle(&self, states: u64) -> bool {
        match self {
            Self::Scan(run) => run.is_idle(),
            Self::Join(run) => run.is_idle(states),
            Self::Lagging(run) => run.is_idle(states),
        }
    }

    /// The first position that is not told.
    fn told_until(&self) -> u64 {
        match self {
            Self::Scan(run) => run.told_until(),
            Self::Join(run) => run.told_until(),
            Self::Lagging(run) => run.told_until(),
        }
    }

    /// The number of entries that are kept.
    fn len(&self) -> usize {
        match self {
            Self::Scan(run) => run.len(),
            Self::Join(run) => run.len(),
            Self::Lagging(run) => run.len(),
        }
    }

    /// The first position whose timestamp it still needs, if it needs any.
    fn needs_time_from(&self, kind: &Kind<PastId>) -> Option<u64> {
        match (self, kind) {
            (Self::Scan(run), Kind::Scan(scan)) => run.needs_time_from(scan),
            (Self::Lagging(run), Kind::Lagging(lagging)) => run.needs_time_from(lagging),
            _ => None,
        }
    }

    /// Becomes like the run of the same part.
    fn copy_from(&mut self, other: &Self) {
        match (self, other) {
            (Self::Scan(run), Self::Scan(other)) => run.copy_from(other),
            (run, other) => *run = other.clone(),
        }
    }

    #[inline]
    fn advance(&mut self, kind: &Kind<PastId>, states: u64, tick: Tick, feed: &Feed<'_>) {
        match (self, kind) {
            (Self::Scan(run), Kind::Scan(scan)) => run.advance(scan, tick, feed),
            (Self::Join(run), Kind::Join(join)) => run.advance(join, states, feed),
            (Self::Lagging(run), Kind::Lagging(lagging)) => run.advance(lagging, states, feed),
            _ => unreachable!("a run has the kind of its part"),
        }
    }
}

impl Run {
    /// Lets parts know of states that they have not taken, and that they cannot rest as before.
    fn pass_over(&mut self) {
        self.rest = None;
        for part in &mut self.parts {
            if let PartRun::Scan(run) = part {
                run.pass_over(self.states);
            }
        }
    }

    /// What the end of the run depends on.
    fn followed(&self) -> Followed<'_> {
        Followed { past: &self.past, times: &self.times, parts: &self.parts, states: self.states }
    }
}

/// What parts get from others: what is known now, and what late operands have told.
struct Feed<'a> {
    past: &'a PastRun,
    times: &'a Times,
    below: &'a [PartRun],
}

impl Feed<'_> {
    /// The value of an operand that is known now.
    fn now(&self, operand: Operand<PastId>) -> bool {
        match operand {
            Operand::Constant(bit) => bit,
            Operand::Now(id) => self.past.holds(id),
            Operand::Late(_) => unreachable!("it is known late"),
        }
    }

    /// Adds what has become known of an operand; there are so many states.
    #[inline]
    fn fill(&self, bits: &mut Bits, operand: Operand<PastId>, states: u64) {
        match operand {
            Operand::Late(part) => self.below[part.index()].told().iter().for_each(|run| bits.push(run.until, run.bit)),
            now => bits.push(states, self.now(now)),
        }
    }
}

/// The bytes that an entry takes.
const ENTRY_BYTES: usize = 24;

/// The number of states after which it is looked at what is kept; before, it is in every state.
const STATES_BETWEEN_LOOKS: u64 = 64;

impl Streaming {
    /// Prepares a formula in negation normal form with split atoms.
    pub fn new(
        formulas: &Formulas,
        alphabet: &Alphabet,
        root: FormulaId,
        holds_on_empty: bool,
        config: EngineConfig,
    ) -> Result<Self, Unsupported> {
        let asked = Self::asked(formulas, alphabet, root, AskedAt::Start, Demand::WhereItMatters, config)?;
        Ok(Self { holds_on_empty, ..asked })
    }

    /// The same for a formula that is asked somewhere.
    fn asked(
        formulas: &Formulas,
        alphabet: &Alphabet,
        root: FormulaId,
        at: AskedAt,
        demand: Demand,
        config: EngineConfig,
    ) -> Result<Self, Unsupported> {
        let Draft { mut formulas, parts, sources, goal } = plan::plan(formulas, root, demand);
        let first = plan::first_position(&mut formulas);
        let given = (at == AskedAt::Given).then_some((first, ASKED));
        let past = Past::with_given(NAME, &formulas, alphabet, &known_now(&parts, &goal), given)?;
        let id = |formula: FormulaId| past.id(formula);
        let ask = |ask: Ask<FormulaId>| Ask { source: ask.source, guard: id(ask.guard) };
        let place = |index: usize| LateId(index as u32);
        let source = |index: usize| {
            let source = sources.iter().position(|part| *part == place(index));
            source.map(|source| SourceId(source as u32))
        };
        let compiled = parts.into_iter().enumerate().map(|(index, part)| Part {
            formula: part.formula,
            ask: ask(part.ask),
            kind: part.kind.map(id),
            source: source(index),
        });
        let parts: Vec<Part> = compiled.collect();
        let mut goal = goal.map(id);
        let endings = endings(&past, &parts, &goal);
        let (alphabet, sources) = (alphabet.clone(), sources.len());
        let holds_on_empty = false;
        let needs_times = parts.iter().any(|part| PartRun::new(&part.kind).needs_time_from(&part.kind).is_some());
        let only_watches = only_watches(&goal, &endings);
        let watches = goal.take_watches().into_iter().map(|watch| watch.ready(&past)).collect();
        let can_rest = rest::can_rest(&goal, &parts);
        let covers = covers(&parts);
        let known = Self {
            formulas,
            alphabet,
            root,
            config,
            past,
            parts,
            sources,
            covers,
            needs_times,
            goal,
            watches,
            endings,
            only_watches,
            can_rest,
            holds_on_empty,
        };
        Ok(known)
    }

    /// The number of parts that look ahead.
    pub fn parts(&self) -> usize {
        self.parts.len() + self.watches.len()
    }

    /// Lets all parts take what has happened, operands before operators.
    #[inline]
    fn tick(&self, (past, times): (&PastRun, &Times), parts: &mut [PartRun], states: u64, tick: Tick) {
        for (index, part) in self.parts.iter().enumerate() {
            let (below, rest) = parts.split_at_mut(index);
            rest[0].advance(&part.kind, states, tick, &Feed { past, times, below });
        }
    }

    /// Takes a state where watches are all there is and the verdict is not final: it is theirs.
    #[inline]
    fn step_in_watches(&self, run: &mut Run, step: Step<'_>) -> Result<Verdict, GaveUp> {
        self.past.step(&mut run.past, step.letter, step.time);
        let (position, time) = (run.states, step.time.unwrap_or_default());
        run.states = position + 1;
        run.clock = run.clock.max(time);
        let (mut has_failed, mut owes) = (false, false);
        for (watch, watching) in self.watches.iter().zip(&mut run.watches) {
            let taken = watching.take_state(watch, &run.past, position, time);
            has_failed |= taken.has_failed;
            owes |= taken.waits & !watch.closing;
        }
        run.holds_at_end = Some(!owes);
        if has_failed {
            run.decided = Some(false);
            return Ok(Verdict::Violated);
        }
        if position >= run.next_look {
            self.look(run, position)?;
        }
        Ok(if owes { Verdict::Pending } else { Verdict::Holding })
    }

    /// Takes a state, and finds out what would hold at the end.
    #[inline(never)]
    fn step_in_parts(&self, run: &mut Run, step: Step<'_>) -> Result<Verdict, GaveUp> {
        if let Some(verdict) = self.take(run, step)? {
            return Ok(verdict);
        }
        if !self.parts.is_empty() {
            let would_hold = match run.parts_hold_at_end {
                Some(would_hold) => would_hold,
                None => self.owes_nothing(run) || self.take_ending(run, step.time.unwrap_or_default()),
            };
            run.parts_hold_at_end = Some(would_hold);
            run.holds_at_end = run.holds_at_end.or(Some(would_hold));
        }
        Ok(if run.holds_at_end == Some(true) { Verdict::Holding } else { Verdict::Pending })
    }

    /// Lets the end of a run take the state that the run has taken.
    fn take_ending(&self, run: &mut Run, time: i64) -> bool {
        let Run { past, times, parts, states, ending, .. } = run;
        ending.take(self, Followed { past, times, parts, states: *states }, time)
    }

    /// Lets all parts take a state, unless nothing happens to them in it.
    fn take_in_parts(&self, run: &mut Run, position: u64, time: i64) {
        if self.needs_times {
            run.times.push(time);
        }
        if self.rests(run, position, time) {
            run.ending.pass_over(run.states);
            return;
        }
        self.ask(run, position, time);
        let tick = Tick::State { position, time };
        self.tick((&run.past, &run.times), &mut run.parts, run.states, tick);
        if self.needs_times {
            self.forget_times(run);
        }
        run.parts_hold_at_end = None;
        if self.can_rest {
            self.let_rest(run, time);
        }
    }

    /// Forgets the timestamps that no part needs any more.
    fn forget_times(&self, run: &mut Run) {
        let parts = self.parts.iter().zip(&run.parts);
        let needed = parts.filter_map(|(part, run)| run.needs_time_from(&part.kind)).min();
        run.times.forget_before(needed.unwrap_or(run.states));
    }

    /// Asks all parts in the state that was read, operators before operands.
    #[inline]
    fn ask(&self, run: &mut Run, position: u64, time: i64) {
        for (part, part_run) in self.parts.iter().zip(&mut run.parts).rev() {
            let (PartRun::Scan(part_run), Kind::Scan(scan)) = (part_run, &part.kind) else { continue };
            let is_asked = part.ask.source.is_none_or(|source| run.asked[source.index()]);
            let is_asked = is_asked && run.past.holds(part.ask.guard);
            let below = part_run.ask(scan, is_asked, position, time);
            if let Some(source) = part.source {
                run.asked[source.index()] = below;
            }
        }
        for cover in &self.covers {
            let is_asked = |run: &PartRun| matches!(run, PartRun::Scan(run) if run.is_asked());
            let is_operand_asked = is_asked(&run.parts[cover.operand.index()]);
            if let PartRun::Scan(part_run) = &mut run.parts[cover.part.index()] {
                part_run.note_cover(is_operand_asked);
            }
        }
    }

    /// The verdict that what has happened makes final.
    #[inline]
    fn decided(&self, run: &mut Run, tick: Tick) -> Option<bool> {
        let is_state = matches!(tick, Tick::State { .. });
        let (failures, sinks) = match &self.goal {
            Goal::First(part) => {
                run.holds_at_end = run.holds_at_end.filter(|_| !is_state);
                return first(run.parts[part.index()].told());
            }
            Goal::Nothing { failures, sinks, .. } => (failures, sinks),
        };
        let mut has_failed = is_state && failures.iter().any(|failure| run.past.holds(*failure));
        let mut owes = false;
        for (watch, watching) in self.watches.iter().zip(&mut run.watches) {
            has_failed |= watching.take(watch, &run.past, tick);
            owes |= !watch.closing && !watching.is_idle();
        }
        // What is owed at the top fails if the trace ends, whatever the rest does. What would hold
        // at the end depends on the states alone.
        if is_state {
            run.holds_at_end = if owes { Some(false) } else { sinks.is_empty().then_some(true) };
        }
        if has_failed || sinks.iter().any(|sink| told_false(&run.parts[sink.index()])) {
            return Some(false);
        }
        (!self.endings.is_empty() && self.has_ended(run, failures.len(), sinks)).then_some(true)
    }

    /// Whether nothing can fail any more: nobody asks again, and nobody waits.
    fn has_ended(&self, run: &mut Run, failures: usize, sinks: &[LateId]) -> bool {
        let are_idle = run.watches.iter().map(WatchRun::is_idle);
        let are_idle = are_idle.chain(sinks.iter().map(|sink| run.parts[sink.index()].is_idle(run.states)));
        let mut are_idle = std::iter::repeat_n(true, failures).chain(are_idle);
        self.endings.iter().zip(&mut run.ended).all(|(ending, ended)| {
            *ended = *ended || self.past.is_over(&run.past, *ending, run.clock);
            *ended && are_idle.next() == Some(true)
        })
    }

    /// Whether no part has anything left to tell that matters.
    fn owes_nothing(&self, run: &Run) -> bool {
        match &self.goal {
            Goal::First(_) => false,
            Goal::Nothing { sinks, .. } => sinks.iter().all(|sink| run.parts[sink.index()].is_idle(run.states)),
        }
    }

    /// Whether the formula would hold if the trace ended here, as far as nobody knows.
    fn holds_at_end(&self, run: &Run) -> bool {
        let fails = |(watch, run): (&Watch<PastId>, &WatchRun)| !watch.closing && !run.is_idle();
        let watches_fail = self.watches.iter().zip(&run.watches).any(fails);
        !watches_fail && (self.owes_nothing(run) || Ending::of(self, run.followed()))
    }

    /// Looks at what is kept, in the state of a position.
    #[inline(never)]
    fn look(&self, run: &mut Run, position: u64) -> Result<(), GaveUp> {
        let is_early = position < STATES_BETWEEN_LOOKS;
        run.next_look = if is_early { position + 1 } else { (position + 1).next_multiple_of(STATES_BETWEEN_LOOKS) };
        let watches = self.watches.iter().zip(&mut run.watches);
        watches.for_each(|(watch, watching)| watching.tidy(watch, run.clock));
        let watching: usize = run.watches.iter().map(WatchRun::len).sum();
        let entries = watching + run.times.len() + run.parts.iter().map(PartRun::len).sum::<usize>();
        run.peak = run.peak.max(entries);
        let most = self.config.limits.memory;
        if entries * ENTRY_BYTES <= most {
            return Ok(());
        }
        Err(GaveUp { engine: NAME, limit: Limit::Memory(most), instead: &[Instead::REVERSE_AT_END] })
    }
}

/// Whether all that there is are watches, which may fail at any time.
fn only_watches(goal: &Goal<PastId>, endings: &[PastId]) -> bool {
    let are_all = matches!(goal, Goal::Nothing { failures, sinks, .. } if failures.is_empty() && sinks.is_empty());
    are_all && endings.is_empty()
}

/// The parts of which the first who asks is enough while their operand is not asked.
fn covers(parts: &[Part]) -> Vec<Cover> {
    let is_silent = |id: LateId| matches!(&parts[id.index()].kind, Kind::Scan(scan) if !scan.neutral);
    let cover = |(index, part): (usize, &Part)| match &part.kind {
        Kind::Scan(Scan {
            keep: Keep::Decisive, rule: Expansion::Until, closing: false, window, left, right, ..
        }) if window.from == 0 && !matches!(left, Operand::Late(_)) => {
            let Operand::Late(operand) = *right else { return None };
            is_silent(operand).then_some(Cover { part: LateId(index as u32), operand })
        }
        _ => None,
    };
    parts.iter().enumerate().filter_map(cover).collect()
}

/// The formulas that have to be known in the state itself.
fn known_now(parts: &[plan::DraftPart], goal: &Goal<FormulaId>) -> Vec<FormulaId> {
    let mut formulas: Vec<FormulaId> = parts.iter().map(|part| part.ask.guard).collect();
    let operands: Vec<Operand<FormulaId>> = parts.iter().flat_map(|part| part.kind.operands()).collect();
    if let Goal::Nothing { failures, watches, .. } = goal {
        formulas.extend(failures);
        formulas.extend(watches.iter().flat_map(|watch| [watch.guard, watch.left, watch.right]));
    }
    formulas.extend(operands.into_iter().filter_map(|operand| match operand {
        Operand::Now(formula) => Some(formula),
        Operand::Constant(_) | Operand::Late(_) => None,
    }));
    formulas
}

/// For each failure, watch and sink where it is asked, if it is possible that it is not asked
/// again.
fn endings(past: &Past, parts: &[Part], goal: &Goal<PastId>) -> Vec<PastId> {
    let Goal::Nothing { failures, watches, sinks } = goal else { return Vec::new() };
    let watched = watches.iter().map(|watch| watch.guard);
    let asked = watched.chain(sinks.iter().map(|sink| parts[sink.index()].ask.guard));
    let endings: Vec<PastId> = failures.iter().copied().chain(asked).collect();
    if endings.iter().all(|ending| past.can_be_over(*ending)) { endings } else { Vec::new() }
}

/// The value at position 0, if it was told.
fn first(told: &[BitRun]) -> Option<bool> {
    told.iter().find(|run| run.until > 0).map(|run| run.bit)
}

/// Whether a sink has told that something fails.
fn told_false(sink: &PartRun) -> bool {
    sink.told().iter().any(|run| !run.bit && run.until > 0)
}

impl<N: Copy> Kind<N> {
    fn operands(&self) -> Vec<Operand<N>> {
        match self {
            Self::Scan(scan) => vec![scan.left, scan.right],
            Self::Join(Join { operands, .. }) | Self::Lagging(Lagging { operands, .. }) => operands.clone(),
        }
    }

    fn map<M>(self, to: impl Fn(N) -> M) -> Kind<M> {
        let all = |operands: Vec<Operand<N>>| operands.into_iter().map(|operand| operand.map(&to)).collect();
        match self {
            Self::Scan(Scan { window, rule, closing, neutral, keep, left, right }) => {
                let (left, right) = (left.map(&to), right.map(&to));
                Kind::Scan(Scan { window, rule, closing, neutral, keep, left, right })
            }
            Self::Join(Join { decisive, operands }) => Kind::Join(Join { decisive, operands: all(operands) }),
            Self::Lagging(Lagging { past, root, unit, operands }) => {
                Kind::Lagging(Lagging { past, root, unit, operands: all(operands) })
            }
        }
    }
}

impl<N: Copy> Goal<N> {
    /// The watches, which it does not have any more.
    fn take_watches(&mut self) -> Vec<Watch<N>> {
        match self {
            Self::First(_) => Vec::new(),
            Self::Nothing { watches, .. } => std::mem::take(watches),
        }
    }

    fn map<M>(self, to: impl Fn(N) -> M) -> Goal<M> {
        match self {
            Self::First(part) => Goal::First(part),
            Self::Nothing { failures, watches, sinks } => {
                let watches = watches.into_iter().map(|watch| watch.map(&to)).collect();
                Goal::Nothing { failures: failures.into_iter().map(to).collect(), watches, sinks }
            }
        }
    }
}

impl Follow for Streaming {
    type Run = Run;
    const NAME: &'static str = NAME;

    fn compile(prepared: &Prepared, index: usize, config: EngineConfig) -> Result<Self, BuildError> {
        let Prepared { formulas, alphabet, normal, .. } = prepared;
        Ok(Self::new(formulas, alphabet, normal[index], prepared.holds_on_empty(index), config)?)
    }

    fn start(&self) -> Result<Run, GaveUp> {
        Ok(Run {
            past: self.past.start(),
            watches: self.watches.iter().map(|_| WatchRun::default()).collect(),
            parts: self.parts.iter().map(|part| PartRun::new(&part.kind)).collect(),
            asked: vec![false; self.sources],
            ended: vec![false; self.endings.len()],
            times: Times::default(),
            states: 0,
            clock: i64::MIN,
            decided: None,
            holds_at_end: None,
            parts_hold_at_end: None,
            ending: Ending::default(),
            rest: None,
            peak: 0,
            next_look: 0,
        })
    }

    fn step(&self, run: &mut Run, step: Step<'_>) -> Result<Verdict, GaveUp> {
        match self.only_watches && run.decided.is_none() {
            true => self.step_in_watches(run, step),
            false => self.step_in_parts(run, step),
        }
    }

    #[inline]
    fn take(&self, run: &mut Run, step: Step<'_>) -> Result<Option<Verdict>, GaveUp> {
        if run.decided.is_none() {
            let (position, time) = (run.states, step.time.unwrap_or_default());
            self.past.step(&mut run.past, step.letter, step.time);
            run.states += 1;
            run.clock = run.clock.max(time);
            let tick = Tick::State { position, time };
            if !self.parts.is_empty() {
                self.take_in_parts(run, position, time);
            }
            run.decided = self.decided(run, tick);
            if position >= run.next_look {
                self.look(run, position)?;
            }
        }
        Ok(run.decided.map(Verdict::at_end))
    }

    fn advance(&self, run: &mut Run, time: i64) -> Result<Verdict, GaveUp> {
        if run.decided.is_none() && run.states > 0 {
            run.clock = run.clock.max(time);
            let tick = Tick::Clock(run.clock);
            run.pass_over();
            self.tick((&run.past, &run.times), &mut run.parts, run.states, tick);
            let Run { past, times, parts, states, ending, .. } = run;
            ending.take_clock(self, Followed { past, times, parts, states: *states });
            run.decided = self.decided(run, tick);
        }
        Ok(self.verdict(run))
    }

    fn verdict(&self, run: &Run) -> Verdict {
        let holds = || match run.holds_at_end {
            _ if run.states == 0 => self.holds_on_empty,
            Some(holds) => holds,
            None => self.holds_at_end(run),
        };
        match run.decided {
            Some(holds) => Verdict::at_end(holds),
            None if holds() => Verdict::Holding,
            None => Verdict::Pending,
        }
    }

    fn verdict_at_end(&self, letters: &Letters) -> Result<Prefix, GaveUp> {
        let mut run = self.start()?;
        let mut decided_at = None;
        for position in 0..letters.len {
            let time = letters.time.as_ref().map(|time| time[position]);
            let letter = |proposition| letters.bitmap(proposition).get(position);
            if self.take(&mut run, Step { letter: &letter, position: position as u64, time })?.is_some() {
                decided_at = Some(position);
                break;
            }
        }
        Ok(Prefix { verdict: self.verdict(&run), decided_at, statistics: self.statistics(&run) })
    }

    fn show_step(&self, guide: &Guide<'_>, run: &mut Run, step: Step<'_>) -> Result<Vec<Stage>, WalkthroughError> {
        self.step(run, step)?;
        let waiting = self.waiting(run, guide.names);
        guide.allow(waiting.len())?;
        Ok(vec![Stage::new("waiting", Content::States(waiting))])
    }

    fn automaton_text(&self, _guide: &Guide<'_>) -> Option<String> {
        None
    }

    fn save(&self, run: &Run, to: &mut Writer) {
        save::save(self, run, to);
    }

    fn restore(&self, from: &mut Reader<'_>) -> Result<Run, RestoreError> {
        save::restore(self, from)
    }

    fn statistics(&self, run: &Run) -> Option<EngineStatistics> {
        let bytes = run.peak * ENTRY_BYTES + size_of::<PartRun>() * run.parts.len();
        Some(EngineStatistics { peak_waiting: Some(run.peak), peak_bytes: bytes, ..EngineStatistics::default() })
    }

    fn owed(&self, letters: &Letters, position: usize, names: &[Arc<str>]) -> Result<Vec<Owed>, GaveUp> {
        let Self { formulas, alphabet, root, config, .. } = self;
        let asked = Self::asked(formulas, alphabet, *root, AskedAt::Given, Demand::WhereItMatters, *config);
        let Ok(asked) = asked else { return Ok(Vec::new()) };
        let mut run = asked.start()?;
        for at in 0..letters.len {
            let time = letters.time.as_ref().map(|time| time[at]);
            let letter = |one| if one == ASKED { at == position } else { letters.bitmap(one).get(at) };
            asked.take(&mut run, Step { letter: &letter, position: at as u64, time })?;
        }
        let mut owed = asked.owed_by(&run, names);
        owed.retain(|one| one.since >= position as u64);
        Ok(owed)
    }

    /// What has to come about, by those that wait at the top: all of it where nothing else is asked
    /// for, and otherwise one of several.
    fn owed_by(&self, run: &Run, names: &[Arc<str>]) -> Vec<Owed> {
        let Goal::Nothing { sinks, .. } = &self.goal else { return Vec::new() };
        let formula = |formula: FormulaId| self.formulas.display(formula, names).to_string();
        let of_watch = |(watch, watching): (&Watch<PastId>, &WatchRun)| {
            let (since, due) = watching.due(watch, run.states)?;
            Some(Owed { formula: formula(watch.formula), since, due, is_necessary: true })
        };
        let mut owed: Vec<Owed> = self.watches.iter().zip(&run.watches).filter_map(of_watch).collect();
        let mut open: Vec<(LateId, bool)> = sinks.iter().map(|sink| (*sink, true)).collect();
        while let Some((id, is_necessary)) = open.pop() {
            let part = &self.parts[id.index()];
            match (&part.kind, &run.parts[id.index()]) {
                (Kind::Scan(scan), PartRun::Scan(waiting)) => {
                    let due = waiting.due(scan, run.states);
                    let of = |(since, due)| Owed { formula: formula(part.formula), since, due, is_necessary };
                    owed.extend(due.map(of));
                }
                (Kind::Join(join), _) => open.extend(join.operands.iter().filter_map(|operand| match operand {
                    Operand::Late(id) => Some((*id, is_necessary && !join.decisive)),
                    Operand::Constant(_) | Operand::Now(_) => None,
                })),
                _ => {}
            }
        }
        owed
    }

    /// Of what has no end in time nothing is settled by the clock. What is not at the top may be
    /// settled earlier than the whole, and nobody would see it. A window whose end the clock has
    /// passed and that waits all the same waits for a state, as in `F[0,1s] X p`.
    fn deadline(&self, run: &Run) -> Option<i64> {
        let parts = self.parts.iter().zip(&run.parts);
        let deadlines = parts.filter_map(|(part, run)| match (&part.kind, run) {
            (Kind::Scan(scan), PartRun::Scan(run)) => run.deadline(scan),
            _ => None,
        });
        let watches = self.watches.iter().zip(&run.watches);
        let deadlines = deadlines.chain(watches.filter_map(|(watch, watching)| watching.deadline(watch, run.states)));
        let deadlines = deadlines.chain(self.last_asked(run));
        deadlines.filter(|deadline| *deadline >= run.clock).min().filter(|_| run.decided.is_none())
    }

    fn summary(&self) -> Option<String> {
        Some(match self.parts() {
            0 => "nothing that looks ahead".into(),
            1 => "one part that looks ahead".into(),
            parts => format!("{parts} parts that look ahead"),
        })
    }
}

impl Streaming {
    /// The last time at which anything may still be asked, where the clock can tell that.
    fn last_asked(&self, run: &Run) -> Option<i64> {
        let open = self.endings.iter().zip(&run.ended).filter(|(_, ended)| !**ended);
        let over: Option<Vec<Over>> = open.map(|(ending, _)| self.past.over_after(&run.past, *ending)).collect();
        match over?.into_iter().max()? {
            Over::After(time) => Some(time),
            Over::Already => None,
        }
    }

    /// The parts that wait, in words.
    fn waiting(&self, run: &Run, names: &[Arc<str>]) -> Vec<HeldState> {
        let held = |formula: FormulaId, (first, last): (u64, u64), is_accepting| {
            let formula = self.formulas.display(formula, names);
            let meaning = match first == last {
                true => format!("{formula} of position {first}"),
                false => format!("{formula} of positions {first} to {last}"),
            };
            HeldState { name: None, meaning, is_accepting }
        };
        let (watches, states) = (self.watches.iter().zip(&run.watches), run.states);
        let watches =
            watches.filter_map(|(watch, run)| Some(held(watch.formula, run.waiting(watch, states)?, watch.closing)));
        let parts = self.parts.iter().zip(&run.parts).filter_map(|(part, run)| match (run, &part.kind) {
            (PartRun::Scan(run), Kind::Scan(scan)) => Some(held(part.formula, run.waiting()?, scan.closing)),
            _ => None,
        });
        watches.chain(parts).collect()
    }
}
