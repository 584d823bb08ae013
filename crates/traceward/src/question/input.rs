//! A trace as a question meets it: in memory, or segment by segment where it does not fit.

use crate::error::Error;
use std::cell::{OnceCell, RefCell};
use std::ops::Range;
use std::rc::Rc;
use traceward_logic::bitmap::Bitmap;
use traceward_logic::expr::{Expr, StateAt};
use traceward_logic::letter;
use traceward_logic::trace::{Column, Trace, VariableId};
use traceward_logic::value::Value;
use traceward_trace::{Keys, Lines, Note, Positions, ReadTrace, Segment, Segments, Sources, TraceError};

/// A trace with what else the reader knows of it.
pub(crate) struct Input {
    states: States,
    pub(super) len: usize,
    pub(super) keys: Option<Keys>,
    pub(super) lines: Lines,
    pub(super) sources: Sources,
    pub(super) positions: Positions,
    pub(super) notes: Vec<Note>,
}

enum States {
    InMemory(Trace),
    Elsewhere(Box<Elsewhere>),
}

/// States that are not in memory together.
pub(super) struct Elsewhere {
    segments: RefCell<Segments>,
    /// The segment that was asked for last.
    latest: RefCell<Option<Rc<Stretch>>>,
    /// The first mistake at reading again what was read before, when nobody could be told.
    failed: OnceCell<TraceError>,
    /// The sums over all segments, once they were gone through.
    pub(super) counted: OnceCell<Counted>,
    has_time: bool,
    variables: usize,
}

/// States that are in memory, and that follow each other.
pub(super) struct Stretch {
    index: usize,
    /// The position of the first of them in the whole trace.
    pub(super) start: usize,
    /// Those that belong to no stretch before; others only tell what was before these.
    pub(super) own: Range<usize>,
    pub(super) trace: Trace,
}

/// What a report has of columns and timestamps.
#[derive(Clone, Default)]
pub(super) struct Counted {
    /// For each variable, the number of states that have no value.
    pub(super) missing: Vec<usize>,
    /// The first and the last timestamp.
    pub(super) span: Option<(i64, i64)>,
}

impl Input {
    pub(crate) fn new(mut read: ReadTrace) -> Self {
        let columns = std::mem::take(&mut read.columns);
        let trace =
            Trace { len: read.states, columns: filled(columns, read.states), time: read.time.take().map(Into::into) };
        Self::with(read, States::InMemory(trace))
    }

    /// A trace of which only some states are in memory at a time.
    pub(crate) fn in_segments(segments: Segments) -> Self {
        let read = segments.outline().clone();
        let elsewhere = Elsewhere {
            has_time: read.time.is_some(),
            variables: read.columns.len(),
            segments: RefCell::new(segments),
            latest: RefCell::default(),
            failed: OnceCell::new(),
            counted: OnceCell::new(),
        };
        Self::with(read, States::Elsewhere(Box::new(elsewhere)))
    }

    fn with(read: ReadTrace, states: States) -> Self {
        let ReadTrace { states: len, keys, lines, sources, positions, notes, .. } = read;
        Self { states, len, keys, lines, sources, positions, notes }
    }

    /// The states, if they are not in memory together.
    pub(super) fn elsewhere(&self) -> Option<&Elsewhere> {
        match &self.states {
            States::InMemory(_) => None,
            States::Elsewhere(elsewhere) => Some(elsewhere),
        }
    }

    /// The states in memory. Whoever needs them all together has had them read there
    /// (`check::takes_segments`).
    pub(super) fn trace(&self) -> &Trace {
        match &self.states {
            States::InMemory(trace) => trace,
            States::Elsewhere(_) => unreachable!("what needs all states together has them in memory"),
        }
    }

    pub(super) fn has_time(&self) -> bool {
        match &self.states {
            States::InMemory(trace) => trace.time.is_some(),
            States::Elsewhere(elsewhere) => elsewhere.has_time,
        }
    }

    /// The timestamp of a state.
    pub(super) fn time(&self, position: usize) -> Option<i64> {
        self.at(position, |state| state.trace.time.as_ref().map(|time| time[state.position]))
    }

    /// The value of a variable in a state.
    pub(super) fn value(&self, variable: VariableId, position: usize) -> Value {
        self.at(position, |state| state.trace.value(variable, state.position))
    }

    /// Looks at a state.
    pub(super) fn at<T>(&self, position: usize, look: impl FnOnce(StateAt<'_>) -> T) -> T {
        match &self.states {
            States::InMemory(trace) => look(StateAt { trace, position }),
            States::Elsewhere(elsewhere) => {
                let stretch = elsewhere.around(position);
                look(StateAt { trace: &stretch.trace, position: position - stretch.start })
            }
        }
    }

    /// The positions at which an expression holds.
    pub(super) fn row(&self, expr: &Expr) -> Bitmap {
        match &self.states {
            States::InMemory(trace) => letter::row(expr, trace),
            States::Elsewhere(elsewhere) => elsewhere.row(expr),
        }
    }

    /// The sums that a report has.
    pub(super) fn counted(&self) -> Counted {
        let mut counted = Counted::default();
        match &self.states {
            States::InMemory(trace) => {
                counted.add(trace, 0..trace.len);
                if let (Some(_), Some(time)) = (&self.keys, &trace.time) {
                    counted.span = time.iter().min().copied().zip(time.iter().max().copied());
                }
            }
            States::Elsewhere(elsewhere) => return elsewhere.counted.get().cloned().unwrap_or_default(),
        }
        counted
    }

    /// A mistake that could not be told when it happened.
    pub(super) fn check(&self) -> Result<(), Error> {
        let failed = self.elsewhere().and_then(|elsewhere| elsewhere.failed.get());
        failed.map_or(Ok(()), |error| Err(Error::Trace(error.clone())))
    }
}

impl Elsewhere {
    /// The number of stretches.
    pub(super) fn len(&self) -> usize {
        self.segments.borrow().len()
    }

    /// Reads a stretch, unless it is the latest one.
    pub(super) fn stretch(&self, index: usize) -> Result<Rc<Stretch>, Error> {
        let known = self.latest.borrow().clone().filter(|latest| latest.index == index);
        if let Some(latest) = known {
            return Ok(latest);
        }
        // Two of them at a time would take twice the memory.
        self.latest.take();
        let segment = self.segments.borrow_mut().read(index).map_err(Error::Trace)?;
        let stretch = Rc::new(Stretch::new(index, segment));
        self.latest.replace(Some(stretch.clone()));
        Ok(stretch)
    }

    /// The stretch that a position belongs to. Where it cannot be read again everything is missing
    /// in it, and that is told before anything else is ([`Input::check`]).
    fn around(&self, position: usize) -> Rc<Stretch> {
        let index = self.segments.borrow().of_position(position);
        self.stretch(index).unwrap_or_else(|error| {
            self.note(error);
            let columns = vec![Column::all_missing(1); self.variables];
            let time = self.has_time.then(|| [0].into());
            Rc::new(Stretch { index, start: position, own: 0..1, trace: Trace { len: 1, columns, time } })
        })
    }

    fn note(&self, error: Error) {
        if let Error::Trace(error) = error {
            self.failed.get_or_init(|| error);
        }
    }

    fn row(&self, expr: &Expr) -> Bitmap {
        let mut row = Bitmap::new();
        for index in 0..self.len() {
            match self.stretch(index) {
                Ok(stretch) => row.append(&letter::row(expr, &stretch.trace).slice(stretch.own.clone())),
                Err(error) => self.note(error),
            }
        }
        let states = self.segments.borrow().outline().states;
        row.push_many(false, states - row.len());
        row
    }
}

impl Stretch {
    fn new(index: usize, segment: Segment) -> Self {
        let Segment { first, before, states, columns, time } = segment;
        let trace = Trace { len: states, columns: filled(columns, states), time: time.map(Into::into) };
        Self { index, start: first - before, own: before..states, trace }
    }
}

impl Counted {
    /// Counts some states of a trace.
    pub(super) fn add(&mut self, trace: &Trace, states: Range<usize>) {
        self.missing.resize(trace.columns.len(), 0);
        for (count, column) in self.missing.iter_mut().zip(&trace.columns) {
            let present = column.present.as_ref().map(|present| present.slice(states.clone()).count_ones());
            *count += present.map_or(0, |present| states.len() - present);
        }
        // Time never decreases, unless that of each key is meant.
        let times = trace.time.as_ref().map(|time| &time[states]).unwrap_or_default();
        let span = times.first().copied().zip(times.last().copied());
        let spans = self.span.into_iter().chain(span);
        self.span = spans.reduce(|one, other| (one.0, other.1));
    }
}

/// Columns of so many states; those of variables that the input does not have are missing.
fn filled(columns: Vec<Option<Column>>, states: usize) -> Vec<Column> {
    columns.into_iter().map(|column| column.unwrap_or_else(|| Column::all_missing(states))).collect()
}
