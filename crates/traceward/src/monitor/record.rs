//! What is kept of the states, where something is to be told of all of them at the end.

use super::program::Program;
use crate::demand::{DemandTally, Seen};
use crate::report::{CoverageReport, Place, WaitingReport};
use crate::runs::RunQuestions;
use crate::words::Words;
use std::sync::Arc;
use traceward_engine::why::{Ending, Explainer};
use traceward_logic::bitmap::Bitmap;
use traceward_logic::expr::{Expr, RowState};
use traceward_logic::letter::{Atom, Letters};
use traceward_logic::lower::{Claim, Lowered};
use traceward_trace::Lines;

/// The largest number of bits that are kept: one for each proposition and state.
const MOST_BITS: usize = 1 << 32;

/// The properties of which something is to be told at the end. Of asserts nothing is told.
#[derive(Debug)]
pub(super) struct Recorded {
    questions: RunQuestions,
    lowered: Lowered,
    properties: Vec<Option<RecordedProperty>>,
}

#[derive(Debug)]
struct RecordedProperty {
    explainer: Arc<Explainer>,
    atoms: Vec<Atom>,
}

impl Recorded {
    pub(super) fn new(lowered: &Lowered, questions: RunQuestions) -> Self {
        let property = |claim: &Claim| match claim {
            Claim::Formula(formula) => Some(RecordedProperty::new(lowered, *formula)),
            Claim::Assert(_) => None,
        };
        let properties = lowered.properties.iter().map(|one| property(&one.claim)).collect();
        Self { questions, lowered: lowered.clone(), properties }
    }

    /// The expressions that are evaluated in every state.
    pub(super) fn exprs(&self) -> impl Iterator<Item = &Expr> {
        self.properties.iter().flatten().flat_map(|property| property.explainer.propositions())
    }
}

impl RecordedProperty {
    fn new(lowered: &Lowered, formula: traceward_logic::formula::FormulaId) -> Self {
        let explainer = Explainer::new(&lowered.formulas, formula);
        let atoms = explainer.propositions().map(Atom::of).collect();
        Self { explainer: Arc::new(explainer), atoms }
    }
}

/// The states so far, as far as they are kept.
#[derive(Clone, Debug, Default)]
pub(super) struct Recording {
    /// For each property the rows of its propositions.
    rows: Vec<Vec<Bitmap>>,
    len: usize,
    time: Vec<i64>,
    lines: Lines,
}

impl Recording {
    pub(super) fn new(recorded: &Recorded) -> Self {
        let rows = |property: &Option<RecordedProperty>| {
            vec![Bitmap::new(); property.as_ref().map_or(0, |property| property.atoms.len())]
        };
        Self { rows: recorded.properties.iter().map(rows).collect(), ..Self::default() }
    }

    /// Keeps what propositions say of a state, unless too much is kept already.
    pub(super) fn take(&mut self, recorded: &Recorded, line: u64, state: &RowState<'_>) {
        if self.is_full() {
            return;
        }
        let properties = recorded.properties.iter().zip(&mut self.rows);
        for (property, rows) in properties.filter_map(|(property, rows)| Some((property.as_ref()?, rows))) {
            property.atoms.iter().zip(rows).for_each(|(atom, row)| row.push(atom.holds(state)));
        }
        self.lines.push(line);
        self.time.extend(state.time);
        self.len += 1;
    }

    fn is_full(&self) -> bool {
        let propositions: usize = self.rows.iter().map(Vec::len).sum();
        self.len.saturating_mul(propositions) >= MOST_BITS || self.len >= u32::MAX as usize
    }

    /// The number of states that are kept.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// What the states tell of a property.
    pub(super) fn told(
        &self,
        program: &Program,
        recorded: &Recorded,
        property: usize,
        ending: Ending,
    ) -> (Option<CoverageReport>, Option<Vec<WaitingReport>>) {
        let Some(RecordedProperty { explainer, .. }) = &recorded.properties[property] else { return (None, None) };
        let words = Words { spec: &program.spec, lowered: &recorded.lowered, names: &program.names };
        let mut tally = DemandTally::new(explainer.clone(), recorded.questions);
        if self.len > 0 {
            let look = explainer.look_at(&self.letters(property), ending);
            tally.add(&Seen { look, key: None, place: &|position| self.place(position) }, words);
        }
        tally.finish(words)
    }

    fn letters(&self, property: usize) -> Letters {
        let time = (self.time.len() == self.len).then(|| self.time.as_slice().into());
        Letters { len: self.len, bitmaps: self.rows[property].clone(), time }
    }

    fn place(&self, position: usize) -> Place {
        let (line, time) = (self.lines.line(position), self.time.get(position).copied());
        Place { position, line, source: None, time, values: Vec::new() }
    }
}
