//! Who judges formulas, and what comes out.

use super::part::Part;
use super::{Bound, claimed};
use crate::check::{CheckOptions, Extent};
use crate::error::{Error, Request};
use crate::report::Compared;
use crate::warning::WarningKind;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use traceward_engine::engine::EngineStatistics;
use traceward_engine::limit::{BuildError, GaveUp, Unsupported};
use traceward_engine::select::{Config, EngineName, Judge, OfFormula, Online, Prefix, Prepared};
use traceward_logic::bitmap::Bitmap;
use traceward_logic::formula::FormulaId;
use traceward_logic::lower::Lowered;
use traceward_logic::verdict::Verdict;

/// The verdict on a property, and how it was found.
#[derive(Clone, Debug)]
pub(super) struct Judgement {
    pub(super) verdict: Verdict,
    /// The engine, if it is another than the one that fills rows.
    pub(super) engine: Option<EngineName>,
    pub(super) decided_at: Option<usize>,
    pub(super) is_exact: bool,
    pub(super) statistics: Option<EngineStatistics>,
    /// What an assert compared; none for formulas.
    pub(super) compared: Option<Compared>,
    /// The reason why it is not known what is certain, where the trace goes on.
    pub(super) not_followed: Option<WarningKind>,
}

impl Judgement {
    pub(super) fn new(verdict: Verdict) -> Self {
        Self {
            verdict,
            engine: None,
            decided_at: None,
            is_exact: false,
            statistics: None,
            compared: None,
            not_followed: None,
        }
    }

    /// On a trace that has ended, by where the formula holds.
    pub(super) fn by_rows(holds: bool) -> Self {
        Self::new(Verdict::at_end(holds))
    }
}

/// Who gives the verdicts on formulas.
pub(super) enum Judges {
    /// The rows: a formula's verdict is its truth at the first position.
    Rows,
    /// An engine that tells verdicts and no rows.
    Judge(Judge),
    /// For each formula an engine that follows a trace, since this one goes on, or the reason why
    /// no such engine takes the formula.
    Online { engines: Vec<(FormulaId, Result<Online, Unsupported>)>, config: Config },
}

impl Judges {
    /// Makes them; `name` is the name of a property by its place among those that are formulas.
    pub(super) fn new(
        lowered: &Lowered,
        prepared: &Arc<Prepared>,
        indices: &FxHashMap<FormulaId, usize>,
        options: &CheckOptions,
        name: &dyn Fn(usize) -> String,
    ) -> Result<Self, Error> {
        let config = options.config;
        match options.extent {
            Extent::Whole => {
                let claimed: Vec<usize> = claimed(lowered).map(|formula| indices[&formula]).collect();
                let judge = Judge::new(prepared, &claimed, &config)
                    .map_err(|refused| Error::from(refused.error).of_property(|| name(refused.formula)))?;
                Ok(judge.map_or(Self::Rows, Self::Judge))
            }
            Extent::Prefix => {
                let engine = |(place, formula)| {
                    let follower = follower(prepared, indices[&formula], &config);
                    Ok((formula, follower.map_err(|error| error.of_property(|| name(place)))?))
                };
                let engines = claimed(lowered).enumerate().map(engine).collect::<Result<_, Error>>()?;
                Ok(Self::Online { engines, config })
            }
        }
    }

    /// The judgement on each formula that is claimed; none where the rows tell.
    pub(super) fn decide(&self, part: &Part<'_>) -> Result<Vec<Judgement>, Error> {
        match self {
            Self::Rows => Ok(Vec::new()),
            Self::Judge(_) if part.len() == 0 => Ok(self.of_nothing(part)),
            Self::Judge(judge) => {
                let judged = judge.decide(part.letters()).map_err(|error| given_up(part, error))?;
                let judged = judged.into_iter().enumerate();
                Ok(judged
                    .map(|(index, one)| Judgement {
                        engine: Some(judge.engine()),
                        decided_at: one.decision.decided_at,
                        is_exact: judge.is_exact(index),
                        statistics: one.statistics,
                        ..Judgement::by_rows(one.decision.holds)
                    })
                    .collect())
            }
            Self::Online { engines, config } => {
                let one = |(place, (formula, engine)): (usize, &(FormulaId, Result<Online, Unsupported>))| {
                    on_prefix(part, *formula, engine.as_ref(), config)
                        .map_err(|error| error.of_property(|| part.question.formula_name(place)))
                };
                engines.iter().enumerate().map(one).collect()
            }
        }
    }

    /// Where each formula holds, from an engine that gives verdicts; none where the rows tell.
    pub(super) fn truth(&self, part: &Part<'_>) -> Result<Option<Vec<Bitmap>>, Error> {
        let Self::Judge(judge) = self else { return Ok(None) };
        match judge.truth(part.letters()).map_err(|error| given_up(part, error))? {
            Some(truths) => Ok(Some(truths)),
            None => Err(Request::NoTruth { engine: judge.engine() }.into()),
        }
    }

    /// A trace without a state is judged as it was written, whoever is asked.
    fn of_nothing(&self, part: &Part<'_>) -> Vec<Judgement> {
        let Self::Judge(judge) = self else { return Vec::new() };
        let Bound { lowered, .. } = part.question.bound;
        let of =
            |formula| Judgement { engine: Some(judge.engine()), ..Judgement::by_rows(part.holds_at_start(formula)) };
        claimed(lowered).map(of).collect()
    }
}

/// The error of an engine that gave up on one of the formulas that are claimed.
fn given_up(part: &Part<'_>, OfFormula { formula, error }: OfFormula<GaveUp>) -> Error {
    Error::from(error).of_property(|| part.question.formula_name(formula))
}

/// An engine that follows a formula, or the reason why only the end of the trace can tell.
fn follower(prepared: &Arc<Prepared>, index: usize, config: &Config) -> Result<Result<Online, Unsupported>, Error> {
    match Online::new(prepared, index, config) {
        Ok(engine) => Ok(Ok(engine)),
        Err(BuildError::Unsupported(unsupported)) if config.engine == EngineName::Auto => Ok(Err(unsupported)),
        Err(error) => Err(error.into()),
    }
}

/// What is certain at the end of a trace that goes on. Where no engine can follow it, all that can
/// be said is whether the formula would hold if the trace ended here.
fn on_prefix(
    part: &Part<'_>,
    formula: FormulaId,
    engine: Result<&Online, &Unsupported>,
    config: &Config,
) -> Result<Judgement, Error> {
    let holds = part.holds_at_start(formula);
    let unknown = |reason: String| Judgement {
        engine: Some(EngineName::Reverse),
        // What would hold if the trace ended here is not violated for good.
        not_followed: Some(WarningKind::NotFollowed { reason, may_be_violated: !holds }),
        ..Judgement::new(open(holds))
    };
    let engine = match engine {
        Ok(engine) => engine,
        Err(unsupported) => return Ok(unknown(format!("no engine follows {} yet", unsupported.what))),
    };
    match engine.verdict_at_end(part.letters()) {
        Ok(Prefix { verdict, decided_at, statistics }) => Ok(Judgement {
            // The trace without a state is judged as it was written.
            verdict: if part.len() == 0 && decided_at.is_none() { open(holds) } else { verdict },
            engine: Some(engine.engine()),
            decided_at,
            is_exact: engine.is_exact(),
            statistics,
            compared: None,
            not_followed: None,
        }),
        Err(gave_up) if config.engine == EngineName::Auto => Ok(unknown(gave_up.to_string())),
        Err(gave_up) => Err(gave_up.into()),
    }
}

/// The verdict that is not final on a formula that would hold, or not, if the trace ended here.
fn open(holds: bool) -> Verdict {
    if holds { Verdict::Holding } else { Verdict::Pending }
}
