//! Judging a trace that goes on: what is certain, and what is still owed.

use crate::check::{claimed, outermost_always};
use crate::error::Error;
use crate::report::OwedReport;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use traceward_engine::engine::EngineStatistics;
use traceward_engine::limit::BuildError;
use traceward_engine::select::{Cache, Config, EngineName, Evaluator, Online, Prefix, Prepared};
use traceward_logic::bitmap::Bitmap;
use traceward_logic::formula::{FormulaId, Formulas, Node};
use traceward_logic::lower::Lowered;
use traceward_logic::trace::Trace;
use traceward_logic::verdict::Verdict;

/// The formulas of a spec with engines that follow a trace.
#[derive(Default)]
pub(crate) struct Prefixes {
    formulas: Formulas,
    config: Config,
    /// None for a formula that no such engine takes.
    engines: FxHashMap<FormulaId, Option<Online>>,
}

/// What is certain at the end of a trace that goes on.
pub(crate) struct PrefixVerdict {
    pub(crate) verdict: Verdict,
    pub(crate) decided_at: Option<usize>,
    pub(crate) engine: EngineName,
    pub(crate) is_exact: bool,
    pub(crate) statistics: Option<EngineStatistics>,
}

impl Prefixes {
    pub(crate) fn new(lowered: &Lowered, config: Config) -> Result<Self, Error> {
        let mut engines = FxHashMap::default();
        for formula in claimed(lowered) {
            engines.insert(formula, engine(&lowered.formulas, formula, config)?);
        }
        Ok(Self { formulas: lowered.formulas.clone(), config, engines })
    }

    /// What is certain; `holds` tells whether the formula would hold if the trace ended here, which is all that can be said where no engine
    /// can follow it.
    pub(crate) fn verdict(&self, formula: FormulaId, trace: &Trace, holds: bool) -> Result<PrefixVerdict, Error> {
        let verdict = if holds { Verdict::Holding } else { Verdict::Pending };
        let engine = EngineName::Reverse;
        let unknown = PrefixVerdict { verdict, decided_at: None, engine, is_exact: false, statistics: None };
        let Some(engine) = &self.engines[&formula] else { return Ok(unknown) };
        match engine.verdict_at_end(&engine.prepared().letters(trace)) {
            Ok(Prefix { verdict, decided_at, statistics }) => {
                // The trace without a state is judged as it was written.
                let verdict = if trace.len == 0 && decided_at.is_none() { unknown.verdict } else { verdict };
                let (engine, is_exact) = (engine.engine(), engine.is_exact());
                Ok(PrefixVerdict { verdict, decided_at, engine, is_exact, statistics })
            }
            Err(_) if self.config.engine == EngineName::Auto => Ok(unknown),
            Err(gave_up) => Err(gave_up.into()),
        }
    }

    /// What is owed at the end of a trace, at no more than so many positions: by each conjunct that would fail, and by the body of an
    /// always at each position at which it would.
    pub(crate) fn owed(
        &self,
        formula: FormulaId,
        trace: &Trace,
        most: usize,
        line: &dyn Fn(usize) -> u64,
        names: &[Arc<str>],
    ) -> Result<Vec<OwedReport>, Error> {
        let mut owed = Vec::new();
        if trace.len == 0 {
            return Ok(owed);
        }
        for conjunct in conjuncts(&self.formulas, formula) {
            let (asked, positions) = self.failing(conjunct, trace);
            // What is owed is a help, and no part of the verdict. Only observers know it.
            let config = Config { engine: EngineName::Observer, ..self.config };
            let prepared = Prepared::shared(&self.formulas, &[asked], config.simplification);
            let Ok(engine) = Online::new(&prepared, 0, &config) else { continue };
            let letters = prepared.letters(trace);
            for position in positions.into_iter().take(most) {
                let Ok(found) = engine.owed(&letters, position, names) else { continue };
                owed.extend(found.into_iter().map(|one| OwedReport {
                    obligation: one.formula,
                    since: position,
                    line: line(position),
                    from: (one.delay > 0).then_some(trace.len as u64 + one.delay),
                    until: one.reach.map(|reach| trace.len as u64 + one.delay + reach),
                    is_necessary: one.is_necessary,
                }));
            }
        }
        Ok(owed)
    }

    /// What would fail if the trace ended here, and where: a formula at the first position, or the body of an always.
    fn failing(&self, formula: FormulaId, trace: &Trace) -> (FormulaId, Vec<usize>) {
        let (asked, within) = match outermost_always(&self.formulas, formula) {
            Some((interval, body)) if interval.is_all() => (body, trace.len),
            _ => (formula, 1),
        };
        let config = Config { engine: EngineName::Reverse, ..self.config };
        let prepared = Prepared::shared(&self.formulas, &[asked], config.simplification);
        let Ok(letters) = prepared.checked_letters(trace) else { return (asked, Vec::new()) };
        let mut cache = Cache::default();
        let rows = Evaluator::new(&prepared, &config).truth(&mut cache, &letters);
        let failing =
            |row: &Bitmap| row.iter().take(within).enumerate().filter(|(_, holds)| !holds).map(|(at, _)| at).collect();
        (asked, rows.ok().and_then(|rows| rows.first().map(|row| failing(row))).unwrap_or_default())
    }
}

/// The formulas that together are a formula.
fn conjuncts(formulas: &Formulas, formula: FormulaId) -> Vec<FormulaId> {
    let (mut open, mut conjuncts) = (vec![formula], Vec::new());
    while let Some(one) = open.pop() {
        match formulas.node(one) {
            Node::And(f, g) => open.extend([g, f]),
            _ => conjuncts.push(one),
        }
    }
    conjuncts
}

/// An engine that follows a formula; none if only the end of the trace can tell.
fn engine(formulas: &Formulas, formula: FormulaId, config: Config) -> Result<Option<Online>, Error> {
    match Online::new(&Prepared::shared(formulas, &[formula], config.simplification), 0, &config) {
        Ok(engine) => Ok(Some(engine)),
        Err(BuildError::Unsupported(_)) if config.engine == EngineName::Auto => Ok(None),
        Err(error) => Err(error.into()),
    }
}
