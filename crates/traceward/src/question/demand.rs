//! Which parts of a property mattered and how long eventualities waited, collected part by part.

use super::Question;
use super::part::Part;
use super::why::Explained;
use crate::runs::{CoverageReport, CoveredPart, UnusedPart, WaitingReport, WaitingTally, WorstWait};
use std::sync::Arc;
use traceward_engine::why::{Alternatives, Asked, Explainer, Waits};
use traceward_logic::formula::{FormulaId, Node};

/// What a property asked of its parts so far.
pub(super) struct DemandTally {
    explainer: Explainer,
    /// For each part of the property how often it was asked, where of two alternatives that hold
    /// the left one is.
    parts: Vec<Asked>,
    /// The same where both are: what is not asked even then never mattered.
    mattered: Vec<Asked>,
    /// The waits of each eventuality, by whether it had to hold.
    waits: Vec<(FormulaId, bool, WaitingTally)>,
}

impl DemandTally {
    pub(super) fn new(question: &Question<'_>, formula: FormulaId) -> Self {
        let explainer = Explainer::new(&question.lowered.formulas, formula);
        Self { explainer, parts: Vec::new(), mattered: Vec::new(), waits: Vec::new() }
    }

    /// Takes a part of the trace into account; with the key, if it is a key's.
    pub(super) fn add(&mut self, part: &Part<'_>, key: Option<&Arc<str>>) {
        let Some(explained) = Explained::by(part, &self.explainer) else { return };
        let questions = part.question.options.runs;
        if questions.coverage
            && let Some(demand) = explained.look.demand(Alternatives::Both)
        {
            add_parts(&mut self.mattered, demand.parts);
        }
        if let Some(demand) = explained.look.demand(Alternatives::Left) {
            add_parts(&mut self.parts, demand.parts);
            for waits in demand.waits {
                add_waits(&mut self.waits, &explained, key, waits);
            }
        }
    }

    /// Which parts mattered.
    pub(super) fn coverage(&self, question: &Question<'_>) -> CoverageReport {
        let words = |formula| super::why::words(question, &self.explainer, formula);
        let is_written = |asked: &&Asked| self.explainer.origin(asked.formula).is_some();
        let part = |&Asked { formula, asked, met, .. }: &Asked| {
            let is_temporal = self.explainer.formulas().is_temporal(formula);
            CoveredPart { part: words(formula), asked, met, is_temporal }
        };
        let unused =
            |asked: &Asked| UnusedPart { part: words(asked.formula), never_happened: asked.never_held.map(words) };
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

    /// How long eventualities waited.
    pub(super) fn waiting(self) -> Vec<WaitingReport> {
        self.waits.into_iter().map(|(_, _, tally)| tally.finish()).collect()
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

fn add_waits(
    all: &mut Vec<(FormulaId, bool, WaitingTally)>,
    explained: &Explained<'_>,
    key: Option<&Arc<str>>,
    waits: Waits,
) {
    let Waits { formula, is_wanted, waits } = waits;
    let place = all.iter().position(|(known, wanted, _)| (*known, *wanted) == (formula, is_wanted));
    let place = place.unwrap_or_else(|| {
        let words = explained.words(formula);
        let part = if is_wanted { words } else { format!("!({words})") };
        all.push((formula, is_wanted, WaitingTally::new(part)));
        all.len() - 1
    });
    for wait in waits {
        let [since, came] = [Some(wait.since), wait.came].map(|at| at.map(|at| explained.place(at, None)));
        let Some(since) = since else { continue };
        all[place].2.add(WorstWait { key: key.cloned(), since, came, fate: wait.fate });
    }
}
