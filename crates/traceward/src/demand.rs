//! Which parts of a property mattered and how long eventualities waited, collected part by part.

use crate::report::Place;
use crate::runs::{CoverageReport, CoveredPart, RunQuestions, UnusedPart, WaitingReport, WaitingTally, WorstWait};
use crate::words::Words;
use std::sync::Arc;
use traceward_engine::why::{Alternatives, Asked, Explainer, Look, Waits};
use traceward_logic::formula::{FormulaId, Node};

/// What a property asked of its parts so far.
pub(crate) struct DemandTally {
    explainer: Arc<Explainer>,
    questions: RunQuestions,
    /// For each part of the property how often it was asked, where of two alternatives that hold
    /// the left one is.
    parts: Vec<Asked>,
    /// The same where both are: what is not asked even then never mattered.
    mattered: Vec<Asked>,
    /// The waits of each eventuality, by whether it had to hold.
    waits: Vec<(FormulaId, bool, WaitingTally)>,
}

/// A part of a trace whose states can be pointed at.
pub(crate) struct Seen<'a> {
    pub(crate) look: Look<'a>,
    /// The key, if it is a key's part.
    pub(crate) key: Option<&'a Arc<str>>,
    /// The state at a position.
    pub(crate) place: &'a dyn Fn(usize) -> Place,
}

impl DemandTally {
    pub(crate) fn new(explainer: Arc<Explainer>, questions: RunQuestions) -> Self {
        Self { explainer, questions, parts: Vec::new(), mattered: Vec::new(), waits: Vec::new() }
    }

    /// The explainer of the property.
    pub(crate) fn explainer(&self) -> Arc<Explainer> {
        self.explainer.clone()
    }

    /// Takes a part of a trace into account.
    pub(crate) fn add(&mut self, seen: &Seen<'_>, words: Words<'_>) {
        if self.questions.coverage
            && let Some(demand) = seen.look.demand(Alternatives::Both)
        {
            add_parts(&mut self.mattered, demand.parts);
        }
        if let Some(demand) = seen.look.demand(Alternatives::Left) {
            add_parts(&mut self.parts, demand.parts);
            for waits in demand.waits {
                self.add_waits(seen, words, waits);
            }
        }
    }

    fn add_waits(&mut self, seen: &Seen<'_>, words: Words<'_>, waits: Waits) {
        let Waits { formula, is_wanted, waits } = waits;
        let known = self.waits.iter().position(|(known, wanted, _)| (*known, *wanted) == (formula, is_wanted));
        let known = known.unwrap_or_else(|| {
            let text = words.of(&self.explainer, formula);
            let part = if is_wanted { text } else { format!("!({text})") };
            self.waits.push((formula, is_wanted, WaitingTally::new(part)));
            self.waits.len() - 1
        });
        for wait in waits {
            let (since, came) = ((seen.place)(wait.since), wait.came.map(seen.place));
            self.waits[known].2.add(WorstWait { key: seen.key.cloned(), since, came, fate: wait.fate });
        }
    }

    /// Which parts mattered, and how long eventualities waited; each if it was asked.
    pub(crate) fn finish(self, words: Words<'_>) -> (Option<CoverageReport>, Option<Vec<WaitingReport>>) {
        let RunQuestions { coverage, waiting } = self.questions;
        let coverage = coverage.then(|| self.coverage(words));
        let waits = self.waits.into_iter();
        (coverage, waiting.then(|| waits.map(|(_, _, tally)| tally.finish()).collect()))
    }

    fn coverage(&self, words: Words<'_>) -> CoverageReport {
        let text = |formula| words.of(&self.explainer, formula);
        let is_written = |asked: &&Asked| self.explainer.origin(asked.formula).is_some();
        let part = |&Asked { formula, asked, met, .. }: &Asked| {
            let is_temporal = self.explainer.formulas().is_temporal(formula);
            CoveredPart { part: text(formula), asked, met, is_temporal }
        };
        let unused =
            |asked: &Asked| UnusedPart { part: text(asked.formula), never_happened: asked.never_held.map(text) };
        CoverageReport {
            parts: self.parts.iter().rev().filter(is_written).map(part).collect(),
            unused: self.mattered.iter().filter(|asked| self.is_largest_unused(asked)).map(unused).collect(),
            runs: None,
        }
    }

    /// Whether a part was never asked, and stands in one that was.
    fn is_largest_unused(&self, part: &Asked) -> bool {
        let formulas = self.explainer.formulas();
        let is_above = |above: &&Asked| formulas.node(above.formula).children().any(|child| child == part.formula);
        let mut above = self.mattered.iter().filter(is_above);
        let is_constant = matches!(formulas.node(part.formula), Node::Constant(_));
        part.asked == 0 && !is_constant && above.any(|above| above.asked > 0)
    }
}

fn add_parts(all: &mut Vec<Asked>, more: Vec<Asked>) {
    if all.is_empty() {
        *all = more;
        return;
    }
    for (one, other) in all.iter_mut().zip(more) {
        one.asked += other.asked;
        one.met += other.met;
        // Something never happened if it did so for no key.
        one.never_held = one.never_held.and(other.never_held);
    }
}
