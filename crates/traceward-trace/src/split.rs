//! The ends of traces among the states of a key, where an expression marks them.

use crate::cell::Cell;
use crate::error::TraceError;
use crate::intake::{Carried, Intake};
use crate::keys::Belongs;
use crate::options::ReadOptions;
use rustc_hash::FxHashMap;
use traceward_logic::expr::{Expr, Memory, RowState};
use traceward_logic::value::Value;

/// Finds out which records are the last of their trace, and what their states are: a value that a
/// record leaves out is carried on within a trace, and not beyond.
pub(crate) struct Splitter {
    intake: Intake,
    marker: Expr,
    /// A memory of what the marker asks of earlier states, before any.
    memory: Memory,
    keys: FxHashMap<Box<str>, SplitKey>,
}

/// What is known of the last trace of a key.
struct SplitKey {
    carried: Carried,
    memory: Memory,
    states: u64,
    has_ended: bool,
}

impl Splitter {
    /// A splitter, if options have a marker.
    pub(crate) fn new(options: &ReadOptions) -> Option<Self> {
        options.key.as_ref()?;
        let marker = (**options.end_when.as_ref()?).clone();
        let memory = Memory::of([&marker]);
        Some(Self { intake: Intake::new(options.clone()), marker, memory, keys: FxHashMap::default() })
    }

    /// The field of each cell in a header of these names.
    pub(crate) fn header(&mut self, names: &[String]) -> Result<Vec<Option<usize>>, TraceError> {
        self.intake.header(names)
    }

    /// Takes a record of a key, and tells which trace it belongs to.
    pub(crate) fn take(&mut self, key: &str, line: u64, cells: &[Cell<'_>]) -> Result<Belongs, TraceError> {
        let blank =
            || SplitKey { carried: Carried::default(), memory: self.memory.clone(), states: 0, has_ended: false };
        if !self.keys.contains_key(key) {
            self.keys.insert(key.into(), blank());
        }
        let Some(known) = self.keys.get_mut(key) else { return Ok(Belongs::ToLast) };
        let belongs = if known.has_ended { Belongs::ToNext } else { Belongs::ToLast };
        if known.has_ended {
            let carried = known.carried.beyond_end();
            *known = SplitKey { carried, memory: self.memory.clone(), states: 0, has_ended: false };
        }
        self.intake.resume(&known.carried);
        self.intake.offer_of(Some(key), line, cells)?;
        self.intake.accept();
        self.intake.leave(&mut known.carried);
        let (values, time) = (self.intake.state(), self.intake.time());
        let state = RowState { values, position: known.states, time, memory: &known.memory };
        // Whether an expression that cannot be evaluated is an error is for others to say.
        known.has_ended = self.marker.holds(&state).unwrap_or(false);
        known.memory.record(values, known.states, time);
        known.states += 1;
        Ok(belongs)
    }

    /// The state that was taken last: its values, whether its record spoke of each, and its
    /// timestamp.
    pub(crate) fn state(&self) -> (&[Value], &[bool], Option<i64>) {
        (self.intake.state(), self.intake.next_seen(), self.intake.time())
    }
}
