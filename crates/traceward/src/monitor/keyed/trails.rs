//! What is kept of the trace of each key: as little as can be, since there may be a million.
//!
//! The engines are the program's. A trace has a strand for each property and for each trigger, and
//! a strand is a number where the engine is a table. All strands stand in one list, so that a trace
//! needs no memory of its own but its key, and whatever its engines cannot do without.

use super::super::measure::Pursued;
use super::super::program::{CompiledFormula, Program};
use super::super::{Abandoned, CompiledClaim, Missed, missed};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::sync::Arc;
use traceward_engine::limit::GaveUp;
use traceward_engine::select::{RunNumber, Running};
use traceward_logic::expr::Memory;
use traceward_logic::verdict::Verdict;
use traceward_trace::Carried;

/// A trace that is being followed, by its place in [`Trails`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct TrailId(u32);

/// A trace of a key, apart from its strands.
#[derive(Clone, Debug)]
pub(super) struct Trail {
    pub(super) key: Arc<str>,
    /// The number among the traces of its key, counted from 1.
    pub(super) number: u32,
    /// The number among all traces, in the order of their first states.
    pub(super) serial: u64,
    pub(super) states: u64,
    /// The moment of the last state, or that which any key had reached by then.
    pub(super) last: i64,
    /// The time that the clock has to pass before it may bring a verdict, if anybody waits for it.
    pub(super) due: Option<i64>,
    pub(super) carried: Carried,
    /// The values of earlier states, if expressions ask for some.
    pub(super) memory: Option<Box<Memory>>,
}

impl Trail {
    /// The key, and behind it the number if it is not the first.
    pub(super) fn label(&self) -> Arc<str> {
        match self.number {
            1 => self.key.clone(),
            number => crate::report::numbered_key(&self.key, number),
        }
    }
}

/// The run of a property, or of a trigger.
#[derive(Clone, Debug)]
pub(super) enum Strand {
    /// A run that is a number.
    Numbered(RunNumber),
    Running(Box<Follows>),
    Assert(Box<Asserts>),
    /// Nothing more is to be found out.
    Decided(Verdict),
    Abandoned(Box<Abandoned>),
}

/// The run of an engine whose runs are no numbers.
#[derive(Clone, Debug)]
pub(super) struct Follows(pub(super) Box<dyn Running>);

/// The run of an assert, and what is certain after the last state.
#[derive(Clone, Debug)]
pub(super) struct Asserts {
    pub(super) pursued: Pursued,
    pub(super) verdict: Verdict,
}

impl Strand {
    /// A run that has seen no state.
    pub(super) fn start(claim: &CompiledClaim) -> Self {
        match claim {
            CompiledClaim::Formula(compiled) => Self::of_formula(compiled),
            CompiledClaim::Assert(compiled) => {
                Self::Assert(Box::new(Asserts { pursued: compiled.start(), verdict: Verdict::Pending }))
            }
        }
    }

    /// The run of a formula that has seen no state.
    pub(super) fn of_formula(compiled: &CompiledFormula) -> Self {
        match compiled.engine.numbered() {
            Some(numbered) => Self::Numbered(numbered.start()),
            None => match compiled.engine.start() {
                Ok(run) => Self::Running(Box::new(Follows(run))),
                Err(gave_up) => Self::Abandoned(Box::new(Abandoned::Limit(gave_up))),
            },
        }
    }

    /// Whether there is nothing more to find out.
    pub(super) fn is_over(&self) -> bool {
        matches!(self, Self::Decided(_) | Self::Abandoned(_))
    }

    /// The verdict after the states so far; none if it was given up.
    pub(super) fn verdict(&self, formula: Option<&CompiledFormula>) -> Option<Verdict> {
        Some(match self {
            Self::Numbered(run) => formula?.engine.numbered()?.verdict(*run),
            Self::Running(run) => run.0.verdict(),
            Self::Assert(run) => run.verdict,
            Self::Decided(verdict) => *verdict,
            Self::Abandoned(_) => return None,
        })
    }

    /// Takes the next state, if it is the run of a formula that goes on.
    #[inline]
    pub(super) fn step(
        &mut self,
        compiled: &CompiledFormula,
        letter: &[u64],
        position: u64,
        time: Option<i64>,
    ) -> Result<Option<Verdict>, GaveUp> {
        match self {
            Self::Numbered(run) => {
                let Some(numbered) = compiled.engine.numbered() else { return Ok(None) };
                *run = compiled.step_numbered(numbered, *run, letter, position, time);
                Ok(Some(numbered.verdict(*run)))
            }
            Self::Running(run) => compiled.step(&mut *run.0, letter, position, time).map(Some),
            Self::Assert(_) | Self::Decided(_) | Self::Abandoned(_) => Ok(None),
        }
    }

    /// The earliest time that may bring a verdict once the clock has passed it.
    pub(super) fn deadline(&self) -> Option<i64> {
        match self {
            Self::Running(run) => run.0.deadline(),
            _ => None,
        }
    }

    /// What has to come about before a time, and does not.
    pub(super) fn missed(&self, time: i64, names: &[Arc<str>]) -> Vec<Missed> {
        match self {
            Self::Running(run) => missed(&*run.0, time, names),
            _ => Vec::new(),
        }
    }

    /// Learns the time; returns the verdict if the clock makes a difference to it.
    pub(super) fn advance(&mut self, time: i64) -> Result<Option<Verdict>, GaveUp> {
        match self {
            Self::Running(run) => run.0.advance(time).map(Some),
            _ => Ok(None),
        }
    }

    /// Why nothing is known; of an assert also that its value is too close to tell.
    pub(super) fn doubt(&self) -> Option<&str> {
        match self {
            Self::Assert(run) => run.pursued.doubt.as_deref(),
            _ => None,
        }
    }
}

/// All that is kept of a trace, when it has ended or goes on elsewhere.
pub(super) struct Whole {
    pub(super) trail: Trail,
    pub(super) strands: Vec<Strand>,
    pub(super) pursued: Vec<Pursued>,
}

/// The traces that are being followed.
#[derive(Clone, Debug, Default)]
pub(super) struct Trails {
    places: FxHashMap<Arc<str>, TrailId>,
    trails: Vec<Option<Trail>>,
    /// The strands of all traces: those of properties, and then those of triggers.
    strands: Vec<Strand>,
    /// The runs of queries of all traces.
    pursued: Vec<Option<Pursued>>,
    free: Vec<TrailId>,
    past: PastKeys,
}

impl Trails {
    /// The number of traces.
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// The trace of a key, if there is one.
    #[inline]
    pub(super) fn find(&self, key: &str) -> Option<TrailId> {
        self.places.get(key).copied()
    }

    /// The trace at a place, if there is one.
    pub(super) fn get(&self, id: TrailId) -> Option<&Trail> {
        self.trails[id.0 as usize].as_ref()
    }

    /// What the traces of a key that have ended carry on; nothing if it has none.
    pub(super) fn carried(&self, key: &str) -> Carried {
        self.past.keys.get(key).map(|past| past.carried.clone()).unwrap_or_default()
    }

    /// The traces, in no order.
    pub(super) fn live(&self) -> impl Iterator<Item = (TrailId, &Trail)> {
        self.places.values().filter_map(|id| Some((*id, self.get(*id)?)))
    }

    /// The traces in the order of their first states.
    pub(super) fn in_order(&self) -> Vec<TrailId> {
        let mut ids: Vec<TrailId> = self.places.values().copied().collect();
        ids.sort_unstable_by_key(|id| self.get(*id).map(|trail| trail.serial));
        ids
    }

    /// Forgets the keys whose traces have ended.
    pub(super) fn forget_past(&mut self) {
        self.past = PastKeys::default();
    }

    /// A trace with its strands.
    #[inline]
    pub(super) fn at(&mut self, program: &Program, id: TrailId) -> Option<(&mut Trail, &mut [Strand])> {
        let (place, many) = (id.0 as usize, program.strands());
        Some((self.trails[place].as_mut()?, &mut self.strands[place * many..(place + 1) * many]))
    }

    /// The strands of a trace.
    pub(super) fn strands(&self, program: &Program, id: TrailId) -> &[Strand] {
        let (place, many) = (id.0 as usize, program.strands());
        &self.strands[place * many..(place + 1) * many]
    }

    /// A trace with the runs of its queries.
    pub(super) fn measured(&mut self, program: &Program, id: TrailId) -> Option<(&Trail, &mut [Option<Pursued>])> {
        let (place, many) = (id.0 as usize, program.queries.len());
        Some((self.trails[place].as_ref()?, &mut self.pursued[place * many..(place + 1) * many]))
    }

    /// The runs of queries of a trace.
    pub(super) fn pursued(&self, program: &Program, id: TrailId) -> impl Iterator<Item = &Pursued> {
        let (place, many) = (id.0 as usize, program.queries.len());
        self.pursued[place * many..(place + 1) * many].iter().flatten()
    }

    /// The keys whose traces have ended.
    pub(super) fn past(&self) -> &PastKeys {
        &self.past
    }

    /// The same, for whoever knows of more.
    pub(super) fn past_mut(&mut self) -> &mut PastKeys {
        &mut self.past
    }

    /// Adds a trace that has begun before, with its strands and the runs of its queries.
    pub(super) fn add(&mut self, program: &Program, whole: Whole) -> TrailId {
        let Whole { trail, strands, pursued } = whole;
        let id = TrailId(self.trails.len() as u32);
        self.make_room(program);
        self.places.insert(trail.key.clone(), id);
        self.trails.push(Some(trail));
        self.strands.extend(strands);
        self.pursued.extend(pursued.into_iter().map(Some));
        id
    }

    /// Begins a trace of a key that has none.
    pub(super) fn begin(&mut self, program: &Program, key: &str, serial: u64) -> TrailId {
        let (key, number, carried) = self.past.revive(key);
        let memory = (!program.memory.is_empty()).then(|| Box::new(program.memory.clone()));
        let trail = Trail { key: key.clone(), number, serial, states: 0, last: 0, due: None, carried, memory };
        let strands = program.properties.iter().map(|property| Strand::start(&property.claim));
        let strands = strands.chain(program.triggers.iter().map(|one| Strand::of_formula(&one.compiled)));
        let pursued = program.queries.iter().map(|query| Some(query.start()));
        let id = match self.free.pop() {
            Some(id) => {
                let (place, many) = (id.0 as usize, program.strands());
                self.trails[place] = Some(trail);
                self.strands[place * many..].iter_mut().zip(strands).for_each(|(old, new)| *old = new);
                let place = place * program.queries.len();
                self.pursued[place..].iter_mut().zip(pursued).for_each(|(old, new)| *old = new);
                id
            }
            None => {
                self.make_room(program);
                self.trails.push(Some(trail));
                self.strands.extend(strands);
                self.pursued.extend(pursued);
                TrailId(self.trails.len() as u32 - 1)
            }
        };
        self.places.insert(key, id);
        id
    }

    /// Makes room for a quarter more. Twice as much would often stay empty, and there may be very
    /// many traces.
    fn make_room(&mut self, program: &Program) {
        if self.trails.len() < self.trails.capacity() {
            return;
        }
        let more = (self.trails.len() / 4).max(16);
        self.trails.reserve_exact(more);
        self.strands.reserve_exact(more * program.strands());
        self.pursued.reserve_exact(more * program.queries.len());
    }

    /// Ends a trace; returns all that was kept of it.
    pub(super) fn end(&mut self, program: &Program, id: TrailId, most_past: usize) -> Option<Whole> {
        let trail = self.trails[id.0 as usize].take()?;
        let (place, many) = (id.0 as usize, program.strands());
        let over = || Strand::Decided(Verdict::Pending);
        let strands = self.strands[place * many..(place + 1) * many].iter_mut();
        let strands = strands.map(|strand| std::mem::replace(strand, over())).collect();
        let many = program.queries.len();
        let pursued = self.pursued[place * many..(place + 1) * many].iter_mut().filter_map(Option::take).collect();
        self.places.remove(&trail.key);
        self.free.push(id);
        self.past.keep(&trail, most_past);
        Some(Whole { trail, strands, pursued })
    }
}

/// The keys whose traces have ended: how many there were, and when. Only the last ones are
/// remembered, since new keys may come for ever.
#[derive(Clone, Debug, Default)]
pub(super) struct PastKeys {
    keys: FxHashMap<Arc<str>, PastKey>,
    /// The keys in the order of their ends, each with the serial of the trace that ended.
    order: VecDeque<(u64, Arc<str>)>,
}

/// What is remembered of a key.
#[derive(Clone, Debug)]
pub(super) struct PastKey {
    /// The number of its last trace.
    pub(super) number: u32,
    /// The serial of that trace.
    pub(super) serial: u64,
    pub(super) carried: Carried,
}

impl PastKeys {
    /// The ends of traces, the earliest first: the serial of the trace, the key, and what is known
    /// of that, if this is still its last end.
    pub(super) fn ends(&self) -> impl ExactSizeIterator<Item = (u64, &Arc<str>, Option<&PastKey>)> {
        self.order.iter().map(|(serial, key)| (*serial, key, self.keys.get(key).filter(|past| past.serial == *serial)))
    }

    /// Whether something is known of a key.
    pub(super) fn knows(&self, key: &str) -> bool {
        self.keys.contains_key(key)
    }

    /// Adds an end behind those that are known.
    pub(super) fn add(&mut self, serial: u64, key: Arc<str>, past: Option<PastKey>) {
        if let Some(past) = past {
            self.keys.insert(key.clone(), past);
        }
        self.order.push_back((serial, key));
    }

    /// The text of a key, the number of its next trace, and what that goes on from.
    fn revive(&mut self, key: &str) -> (Arc<str>, u32, Carried) {
        match self.keys.remove_entry(key) {
            Some((key, past)) => (key, past.number + 1, past.carried),
            None => (key.into(), 1, Carried::default()),
        }
    }

    /// Remembers the key of a trace that has ended, among so many at the most.
    fn keep(&mut self, trail: &Trail, most: usize) {
        if most == 0 {
            return;
        }
        let past = PastKey { number: trail.number, serial: trail.serial, carried: trail.carried.beyond_end() };
        self.keys.insert(trail.key.clone(), past);
        self.order.push_back((trail.serial, trail.key.clone()));
        while self.order.len() > most
            && let Some((serial, key)) = self.order.pop_front()
        {
            if self.keys.get(&key).is_some_and(|past| past.serial == serial) {
                self.keys.remove(&key);
            }
        }
    }
}
