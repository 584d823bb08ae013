//! A trace of which only some keys are in memory at a time.
//!
//! Each part of it is asked by a question of its own, and one tally takes what comes out. So the
//! answers are those of a trace that is in memory as a whole.

use super::by_key::KeyTally;
use super::mistake::Occurring;
use super::why::Explaining;
use super::{Question, mistake, steps};
use crate::error::Error;
use crate::report::{Report, TraceReport};
use std::sync::Arc;
use traceward_trace::Note;

/// What is known of a trace so far, some keys after the others.
#[derive(Default)]
pub(crate) struct PartsTally {
    keys: Option<KeyTally>,
    trace: Option<TraceReport>,
    occurring: Occurring,
    explaining: Option<Explaining>,
}

impl PartsTally {
    /// Asks the next keys.
    pub(crate) fn add(&mut self, question: &Question<'_>) -> Result<(), Error> {
        let letters = question.letters_of_whole(&mut self.occurring)?;
        let Some(keys) = &question.input.keys else { unreachable!("a trace in parts is split by key") };
        let mut tally = self.keys.take().unwrap_or_else(|| KeyTally::new(question));
        self.explaining.iter().for_each(|before| question.explaining.go_on(before));
        question.add_keys(keys, letters.as_ref(), &mut tally)?;
        self.explaining = Some(question.explaining.clone());
        self.keys = Some(tally);
        self.trace = Some(match self.trace.take() {
            None => question.trace_report()?,
            Some(before) => joined(before, question.trace_report()?),
        });
        Ok(())
    }

    /// The answer; the last question knows the words. None if there was no key.
    pub(crate) fn finish(self, question: &Question<'_>, notes: &[Note]) -> Option<Report> {
        let (properties, queries, mut warnings) = self.keys?.finish(question);
        warnings.extend(mistake::look(question, &self.occurring, &properties));
        warnings.extend(steps::look(question.spec, &question.bound.lowered));
        warnings.extend(question.spec.notes());
        let mut trace = TraceReport { notes: notes.to_vec(), ..self.trace? };
        // Parts miss different variables first.
        trace.missing.sort_by_key(|(name, _)| question.bound.names.iter().position(|known| known == name));
        Some(Report { trace, properties, queries, warnings })
    }
}

/// The report on both of two parts.
fn joined(before: TraceReport, other: TraceReport) -> TraceReport {
    let TraceReport { states, keys, span, missing, notes, table, line_unit } = other;
    let spans = before.span.into_iter().chain(span);
    let mut known = before.missing;
    for (name, count) in missing {
        add_missing(&mut known, name, count);
    }
    TraceReport {
        states: before.states + states,
        keys: before.keys.map(|before| before.into_iter().chain(keys.into_iter().flatten()).collect()),
        span: spans.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1))),
        missing: known,
        notes,
        table,
        line_unit,
    }
}

fn add_missing(known: &mut Vec<(Arc<str>, usize)>, name: Arc<str>, count: usize) {
    match known.iter_mut().find(|(known, _)| *known == name) {
        Some((_, sum)) => *sum += count,
        None => known.push((name, count)),
    }
}
