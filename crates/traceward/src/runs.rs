//! What the runs of a property tell beyond its verdict: which parts mattered, how long
//! eventualities waited.

use crate::error::{Error, Request};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use traceward_engine::automaton::alternating::{Alternating, is_bounded};
use traceward_engine::engine::EngineConfig;
use traceward_engine::engine::breadth_first::OverSlices;
use traceward_engine::engine::reverse::Reverse;
use traceward_engine::run_statistics::{Coverage, RejectingVisits, over_trees, unused, waiting};
use traceward_engine::select::{Cache, Prepared, Simplification};
use traceward_logic::bitmap::Bitmap;
use traceward_logic::formula::{FormulaId, Formulas};
use traceward_logic::letter::{self, Letters};
use traceward_logic::trace::Trace;

/// The questions about runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RunQuestions {
    /// Whether to report which parts of a property never mattered.
    pub coverage: bool,
    /// Whether to report how long eventualities had to wait.
    pub waiting: bool,
}

/// The coverage of a property: which parts of it mattered. A violated property has no accepting
/// run, and nothing is covered.
#[derive(Clone, Debug, PartialEq)]
pub struct CoverageReport {
    /// The number of nodes of the property's alternating automaton.
    pub nodes: usize,
    /// The number of nodes that every accepting run visits; none if there is no accepting run.
    pub covered: Option<usize>,
    /// The largest parts that never mattered.
    pub unused: Vec<UnusedPart>,
    /// The least number of visits to rejecting nodes, a run being a tree.
    pub rejecting_visits_tree: Option<u64>,
    /// The least number of visits to rejecting nodes, a run being a sequence of slices; none where
    /// breadth-first traversal cannot take the property.
    pub rejecting_visits_slices: Option<u64>,
}

/// A part of a property that never mattered.
#[derive(Clone, Debug, PartialEq)]
pub struct UnusedPart {
    /// The part.
    pub part: String,
    /// The event that never happened, if that is why the part never mattered.
    pub never_happened: Option<String>,
}

/// The waiting times of an eventuality, in steps.
#[derive(Clone, Debug, PartialEq)]
pub struct WaitingReport {
    /// The eventuality.
    pub part: String,
    /// The number of times that the eventuality was asked for.
    pub asked: u64,
    /// The least waiting time.
    pub least: u64,
    /// The greatest waiting time.
    pub most: u64,
    /// The average waiting time.
    pub average: f64,
}

/// A property without bounds, as its automaton sees it: not simplified.
pub(crate) struct Runs<'a> {
    prepared: Prepared,
    automaton: Alternating,
    letters: Letters,
    names: &'a [Arc<str>],
}

impl<'a> Runs<'a> {
    pub(crate) fn new(
        formulas: &Formulas,
        formula: FormulaId,
        trace: &Trace,
        names: &'a [Arc<str>],
    ) -> Result<Self, Error> {
        let prepared = Prepared::new(formulas, &[formula], Simplification::Off);
        let parts = prepared.formulas.parts(&prepared.normal);
        if parts.into_iter().any(|part| is_bounded(prepared.formulas.node(part))) {
            return Err(Request::RunsWithBounds.into());
        }
        let automaton = Alternating::new(&prepared.formulas, &prepared.normal);
        let letters = letter::letters(&prepared.formulas, &prepared.alphabet, trace);
        Ok(Self { prepared, automaton, letters, names })
    }

    fn text(&self, formula: FormulaId) -> String {
        self.prepared.formulas.display(formula, self.names).to_string()
    }

    pub(crate) fn coverage(&self) -> CoverageReport {
        let Prepared { formulas, alphabet, normal, .. } = &self.prepared;
        let holds = |atom| {
            let proposition = alphabet.proposition(atom);
            proposition.map_or_else(Bitmap::new, |proposition| self.letters.bitmap(proposition).clone())
        };
        let covered = over_trees(&Coverage, formulas, &self.automaton, alphabet, &self.letters);
        let parts = match &covered {
            Some(covered) => unused(formulas, normal[0], &self.automaton, covered, &holds),
            None => Vec::new(),
        };
        let part = |one: traceward_engine::run_statistics::Unused| UnusedPart {
            part: self.text(one.formula),
            never_happened: one.never_held.map(|atom| formulas.atom(atom).display(self.names).to_string()),
        };
        CoverageReport {
            nodes: self.automaton.nodes().len(),
            covered: covered.map(|covered| covered.indices().len()),
            unused: parts.into_iter().map(part).collect(),
            rejecting_visits_tree: over_trees(&RejectingVisits, formulas, &self.automaton, alphabet, &self.letters),
            rejecting_visits_slices: self.rejecting_visits_by_slices(),
        }
    }

    /// The visits over slices; none if there are too many slices to count them.
    fn rejecting_visits_by_slices(&self) -> Option<u64> {
        let Prepared { formulas, alphabet, normal, .. } = &self.prepared;
        let slices = OverSlices::new(formulas, alphabet, normal[0], EngineConfig::default()).ok()?;
        slices.statistics(&RejectingVisits, &self.letters).ok()?
    }

    pub(crate) fn waiting(&self) -> Vec<WaitingReport> {
        let Prepared { formulas, alphabet, normal, .. } = &self.prepared;
        let parts = formulas.parts(normal);
        let engine = Reverse::new(formulas, alphabet, &parts);
        let mut cache = Cache::default();
        let rows = engine.rows(&mut cache, &self.letters);
        let rows: FxHashMap<FormulaId, &Bitmap> = parts.into_iter().zip(rows).collect();
        let found = waiting(formulas, normal[0], &|part| rows[&part].clone());
        let report = |one: traceward_engine::run_statistics::Waiting| WaitingReport {
            part: self.text(one.formula),
            asked: one.asked,
            least: one.least,
            most: one.most,
            average: one.average(),
        };
        found.into_iter().map(report).collect()
    }
}
