//! A part of a trace: the whole of it, or a key's states.

use super::Question;
use super::measured::{self, QueryIndex, Values};
use crate::error::Error;
use crate::report::Place;
use std::cell::OnceCell;
use std::ops::Range;
use traceward_engine::query::{QueryError, Sampled};
use traceward_logic::bitmap::Bitmap;
use traceward_logic::expr::{Expr, StateAt};
use traceward_logic::formula::{FormulaId, Interval, Unit};
use traceward_logic::letter::{self, Letters};
use traceward_logic::lower::NamedQuery;
use traceward_logic::semantics::{self, EvaluationError};
use traceward_logic::trace::Trace;
use traceward_logic::value::Value;
use traceward_trace::SourcePlace;

/// States with their letters, and with where the formulas hold: those of one part, or of several,
/// one behind the other.
pub(super) struct Evaluated<'a> {
    pub(super) letters: &'a Letters,
    pub(super) rows: Vec<&'a Bitmap>,
}

/// A part of a trace with its letters, and with where the formulas hold in it.
pub(super) struct Part<'a> {
    pub(super) question: &'a Question<'a>,
    /// For a key's part, its positions in the whole trace.
    positions: Option<&'a [u32]>,
    evaluated: &'a Evaluated<'a>,
    /// The place of its states among those that were evaluated.
    range: Range<usize>,
    /// What is its own, where more than it was evaluated.
    own: Option<Own>,
    /// The states of a key's part, gathered once a query asks for their values.
    gathered: OnceCell<Trace>,
    values: Values,
}

/// What belongs to one of several parts that were evaluated together, found when it is asked for:
/// of most keys nothing but a verdict is.
#[derive(Default)]
struct Own {
    letters: OnceCell<Letters>,
    rows: OnceCell<Box<[OnceCell<Bitmap>]>>,
}

impl<'a> Part<'a> {
    pub(super) fn whole(question: &'a Question<'a>, evaluated: &'a Evaluated<'a>) -> Self {
        let range = 0..evaluated.letters.len;
        let (gathered, values) = (OnceCell::new(), Values::default());
        Self { question, positions: None, evaluated, range, own: None, gathered, values }
    }

    /// A key's part that was evaluated alone.
    pub(super) fn of_key(question: &'a Question<'a>, positions: &'a [u32], evaluated: &'a Evaluated<'a>) -> Self {
        Self { positions: Some(positions), ..Self::whole(question, evaluated) }
    }

    /// A key's part that was evaluated together with others; its states begin at a place.
    pub(super) fn among_others(
        question: &'a Question<'a>,
        positions: &'a [u32],
        evaluated: &'a Evaluated<'a>,
        start: usize,
    ) -> Self {
        let range = start..start + positions.len();
        Self { range, own: Some(Own::default()), ..Self::of_key(question, positions, evaluated) }
    }

    /// The number of states.
    pub(super) fn len(&self) -> usize {
        self.range.len()
    }

    /// The states.
    pub(super) fn trace(&self) -> &Trace {
        let whole = self.question.input.trace();
        match self.positions {
            None => whole,
            Some(positions) => self.gathered.get_or_init(|| whole.gather(positions)),
        }
    }

    /// Looks at a state.
    pub(super) fn at<T>(&self, position: usize, look: impl FnOnce(StateAt<'_>) -> T) -> T {
        match self.positions {
            None => self.question.input.at(position, look),
            Some(_) => look(StateAt { trace: self.trace(), position }),
        }
    }

    /// The positions at which an expression holds.
    pub(super) fn expression_row(&self, expr: &Expr) -> Bitmap {
        match self.positions {
            None => self.question.input.row(expr),
            Some(_) => letter::row(expr, self.trace()),
        }
    }

    /// The letters of its states.
    pub(super) fn letters(&self) -> &Letters {
        let Letters { bitmaps, .. } = self.evaluated.letters;
        let Some(own) = &self.own else { return self.evaluated.letters };
        own.letters.get_or_init(|| Letters {
            len: self.len(),
            bitmaps: bitmaps.iter().map(|bitmap| bitmap.slice(self.range.clone())).collect(),
            time: self.question.input.has_time().then(|| self.times().collect()),
        })
    }

    /// The timestamps of its states, if there are any.
    fn times(&self) -> impl Iterator<Item = i64> {
        (0..self.len()).map_while(|position| self.time(position))
    }

    /// Where a formula holds.
    pub(super) fn row(&self, formula: FormulaId) -> &Bitmap {
        let index = self.question.bound.indices[&formula];
        let rows = &self.evaluated.rows;
        let Some(own) = &self.own else { return rows[index] };
        let own = own.rows.get_or_init(|| rows.iter().map(|_| OnceCell::new()).collect());
        own[index].get_or_init(|| rows[index].slice(self.range.clone()))
    }

    /// Whether a formula holds at some position.
    pub(super) fn holds_somewhere(&self, formula: FormulaId) -> bool {
        let row = self.evaluated.rows[self.question.bound.indices[&formula]];
        row.first_one_from(self.range.start).is_some_and(|position| position < self.range.end)
    }

    /// Whether a formula holds at the part's first position; the trace without a state is judged as
    /// it was written.
    pub(super) fn holds_at_start(&self, formula: FormulaId) -> bool {
        self.holds(formula, 0)
    }

    pub(super) fn holds(&self, formula: FormulaId, position: usize) -> bool {
        if position < self.len() {
            self.evaluated.rows[self.question.bound.indices[&formula]].get(self.range.start + position)
        } else {
            semantics::holds_on_empty(&self.question.bound.lowered.formulas, formula)
        }
    }

    /// Whether a formula holds at every position.
    pub(super) fn holds_throughout(&self, formula: FormulaId) -> bool {
        (0..self.len()).all(|position| self.holds(formula, position))
    }

    /// A position of this part among those of the whole trace.
    pub(super) fn in_whole(&self, position: usize) -> usize {
        self.positions.map_or(position, |positions| positions[position] as usize)
    }

    /// The line of a state in the input.
    pub(super) fn line(&self, position: usize) -> u64 {
        self.question.input.lines.line(self.in_whole(position))
    }

    /// The timestamp of a state.
    pub(super) fn time(&self, position: usize) -> Option<i64> {
        match (self.positions, &self.evaluated.letters.time) {
            (None, Some(time)) => Some(time[position]),
            _ => self.question.input.time(self.in_whole(position)),
        }
    }

    /// The nanoseconds from one state to a later one; none without timestamps.
    pub(super) fn time_between(&self, position: usize, later: usize) -> Option<u64> {
        match &self.evaluated.letters.time {
            // Parts that were evaluated together have been moved in time, but not their states
            // against each other. Those of a key are near each other here, and not in the trace.
            Some(time) => Some(time[self.range.start + later].abs_diff(time[self.range.start + position])),
            None => self.time(later).zip(self.time(position)).map(|(later, earlier)| later.abs_diff(earlier)),
        }
    }

    /// A state, without values.
    pub(super) fn place(&self, position: usize) -> Place {
        let (line, source, time) = (self.line(position), self.source(position), self.time(position));
        Place { position, line, source, time, values: Vec::new() }
    }

    /// The place in a program at which a state came about.
    pub(super) fn source(&self, position: usize) -> Option<SourcePlace> {
        self.question.input.sources.place(self.in_whole(position)).cloned()
    }

    /// The value of a query.
    pub(super) fn value(&self, index: QueryIndex) -> Result<Option<Value>, Error> {
        self.values.of(self, index)
    }

    /// The error of a query's value; none if it is exact.
    pub(super) fn error(&self, index: QueryIndex) -> Result<Option<QueryError>, Error> {
        self.values.error(self, index)
    }

    /// The values of an experiment at all positions.
    pub(super) fn samples(&self, index: QueryIndex) -> Result<Option<&Sampled>, Error> {
        self.values.samples(self, index)
    }

    /// An error in this part as one of the whole trace.
    pub(super) fn error_in_whole(&self, error: &EvaluationError) -> Error {
        measured::in_whole(self, error.clone())
    }

    /// The number of requests of a query's latencies that were never answered.
    pub(super) fn unanswered(&self, query: &NamedQuery) -> Option<usize> {
        let unanswered = |(request, answered): &(FormulaId, FormulaId)| {
            self.row(*request).clone().and(&self.row(*answered).clone().complement()).count_ones()
        };
        (!query.latencies.is_empty()).then(|| query.latencies.iter().map(unanswered).sum())
    }

    /// The positions in the window of the first position.
    pub(super) fn window_of_start(&self, interval: Interval) -> Range<usize> {
        let distance = |position: usize| match (interval.unit, self.time(position).zip(self.time(0))) {
            (Unit::Steps, _) => position as u64,
            (Unit::Time, Some((time, first))) => time.abs_diff(first),
            (Unit::Time, None) => 0,
        };
        let from = (0..self.len()).find(|&position| distance(position) >= interval.from).unwrap_or(self.len());
        let end = match interval.to {
            None => self.len(),
            Some(to) => (from..self.len()).find(|&position| distance(position) > to).unwrap_or(self.len()),
        };
        from..end
    }
}
