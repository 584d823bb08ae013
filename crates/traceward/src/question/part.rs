//! A part of a trace: the whole of it, or a key's states.

use super::Question;
use super::measured::{self, QueryIndex, Values};
use crate::error::Error;
use crate::report::Place;
use std::cell::OnceCell;
use traceward_engine::query::Sampled;
use traceward_logic::bitmap::Bitmap;
use traceward_logic::formula::{FormulaId, Interval, Unit};
use traceward_logic::letter::Letters;
use traceward_logic::lower::NamedQuery;
use traceward_logic::semantics::{self, EvaluationError};
use traceward_logic::trace::Trace;
use traceward_logic::value::Value;
use traceward_trace::SourcePlace;

/// A part of a trace with its letters, and with where the formulas hold in it.
pub(super) struct Part<'a> {
    pub(super) question: &'a Question<'a>,
    /// For a key's part, its positions in the whole trace.
    positions: Option<&'a [u32]>,
    pub(super) letters: &'a Letters,
    rows: Vec<&'a Bitmap>,
    /// The states of a key's part, gathered once a query asks for their values.
    gathered: OnceCell<Trace>,
    values: Values,
}

impl<'a> Part<'a> {
    pub(super) fn whole(question: &'a Question<'a>, letters: &'a Letters, rows: Vec<&'a Bitmap>) -> Self {
        Self { question, positions: None, letters, rows, gathered: OnceCell::new(), values: Values::default() }
    }

    pub(super) fn of_key(
        question: &'a Question<'a>,
        positions: &'a [u32],
        letters: &'a Letters,
        rows: Vec<&'a Bitmap>,
    ) -> Self {
        Self {
            question,
            positions: Some(positions),
            letters,
            rows,
            gathered: OnceCell::new(),
            values: Values::default(),
        }
    }

    /// The number of states.
    pub(super) fn len(&self) -> usize {
        self.letters.len
    }

    /// The states.
    pub(super) fn trace(&self) -> &Trace {
        let whole = &self.question.input.trace;
        match self.positions {
            None => whole,
            Some(positions) => self.gathered.get_or_init(|| whole.gather(positions)),
        }
    }

    /// Where a formula holds.
    pub(super) fn row(&self, formula: FormulaId) -> &'a Bitmap {
        self.rows[self.question.indices[&formula]]
    }

    /// Whether a formula holds at the part's first position; the trace without a state is judged as
    /// it was written.
    pub(super) fn holds_at_start(&self, formula: FormulaId) -> bool {
        self.holds(formula, 0)
    }

    pub(super) fn holds(&self, formula: FormulaId, position: usize) -> bool {
        let row = self.row(formula);
        if position < row.len() {
            row.get(position)
        } else {
            semantics::holds_on_empty(&self.question.lowered.formulas, formula)
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
        self.letters.time.as_ref().map(|time| time[position])
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
    pub(super) fn window_of_start(&self, interval: Interval) -> std::ops::Range<usize> {
        let distance = |position: usize| match (interval.unit, self.letters.time.as_deref()) {
            (Unit::Steps, _) => position as u64,
            (Unit::Time, Some(time)) => time[position].abs_diff(time[0]),
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
