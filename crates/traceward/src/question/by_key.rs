//! Verdicts and values summed over keys.

use super::everywhere::Experiments;
use super::judgement::Judgement;
use super::part::Part;
use super::points::Drawn;
use super::response::ResponseTally;
use super::{Answers, Question, comparison, evidence};
use crate::demand::DemandTally;
use crate::error::Error;
use crate::report::{Evidence, KeyVerdict, KeysReport, PropertyReport, QueryReport, QueryValue};
use crate::summary::Summary;
use crate::warning::WarningKind;
use std::cell::OnceCell;
use std::sync::Arc;
use traceward_engine::engine::EngineStatistics;
use traceward_engine::query::Tolerance;
use traceward_engine::select::EngineName;
use traceward_logic::diagnostic::Span;
use traceward_logic::lower::{Claim, Property};
use traceward_logic::value::Value;
use traceward_logic::verdict::Verdict;
use traceward_trace::KeyGroup;

/// Collects verdicts and values key by key.
pub(crate) struct KeyTally {
    properties: Vec<PropertyTally>,
    queries: Vec<Vec<(Arc<str>, Option<Value>)>>,
    unanswered: Vec<Option<usize>>,
    /// The worst error of each query's values.
    tolerances: Vec<Option<Tolerance>>,
    experiments: Experiments,
    drawn: Drawn,
    /// What each property asked of its parts, if that was asked for.
    demands: Vec<Option<DemandTally>>,
}

/// What is known of a property over the keys so far.
#[derive(Clone, Default)]
struct PropertyTally {
    keys: KeysReport,
    engine: Option<EngineName>,
    /// The most that any key has cost.
    statistics: Option<EngineStatistics>,
    /// The values that an assert compared for each key.
    compared: Vec<(Arc<str>, Option<Value>)>,
    /// The first trigger that was not met for a key.
    unmet: Option<Span>,
    /// The reason why the property could not be followed for a key.
    not_followed: Option<WarningKind>,
    responses: ResponseTally,
}

impl KeyTally {
    pub(super) fn new(question: &Question<'_>) -> Self {
        let lowered = &question.bound.lowered;
        let is_asked = question.options.runs.are_asked();
        let demand = |property: &Property| match property.claim {
            Claim::Formula(formula) => is_asked.then(|| evidence::demand_tally(question, formula)),
            Claim::Assert(_) => None,
        };
        let property = |index| {
            let responses = ResponseTally::new(question, index);
            PropertyTally { responses, ..PropertyTally::default() }
        };
        Self {
            properties: (0..lowered.properties.len()).map(property).collect(),
            queries: vec![Vec::new(); lowered.queries.len()],
            unanswered: vec![None; lowered.queries.len()],
            tolerances: vec![None; lowered.queries.len()],
            experiments: Experiments::new(question),
            drawn: Drawn::new(question),
            demands: lowered.properties.iter().map(demand).collect(),
        }
    }

    pub(super) fn add(
        &mut self,
        group: KeyGroup<'_>,
        part: &Part<'_>,
        judgements: Vec<Judgement>,
        values: Vec<Option<Value>>,
    ) -> Result<(), Error> {
        let most = part.question.options.max_violations;
        // Of most keys nothing but a verdict is told, and then nobody needs its text.
        let text = OnceCell::new();
        let label = || text.get_or_init(|| super::label(group).text());
        for (index, (tally, judgement)) in self.properties.iter_mut().zip(judgements).enumerate() {
            tally.keys.checked += 1;
            tally.keys.verdicts.push(judgement.verdict);
            tally.responses.add(part, index, Some(group.key));
            if let Some(unmet) = evidence::unmet_trigger(part, index, &judgement) {
                tally.keys.vacuous += 1;
                tally.unmet.get_or_insert(unmet);
            }
            if tally.not_followed.is_none() {
                tally.not_followed.clone_from(&judgement.not_followed);
            }
            tally.statistics = more(tally.statistics, judgement.statistics);
            tally.engine = tally.engine.or(judgement.engine);
            let compared = judgement.compared.as_ref().map(|compared| (label().clone(), compared.value.clone()));
            tally.compared.extend(compared);
            if judgement.verdict == Verdict::Violated {
                tally.keys.violated += 1;
                // Which keys of an assert are worst is known only when all are.
                if judgement.compared.is_some() || tally.keys.first_violations.len() < most {
                    let evidence = evidence::of_part(part, index, &judgement);
                    let (key, number, verdict) = (group.key.text(), group.number, judgement.verdict);
                    tally.keys.first_violations.push(KeyVerdict { key, number, verdict, evidence });
                }
            }
        }
        self.demands.iter_mut().flatten().for_each(|demand| evidence::add_demand(demand, part, Some(label())));
        let key = (!self.queries.is_empty()).then(label);
        self.experiments.add(part, key)?;
        self.drawn.add(part)?;
        for (index, value) in values.into_iter().enumerate() {
            let tolerance = part.error(part.question.bound.measured.query(index))?.map(|error| error.tolerance);
            let worst = self.tolerances[index].into_iter().chain(tolerance).reduce(Tolerance::or_worse);
            self.tolerances[index] = worst;
            self.queries[index].push((label().clone(), value));
            if let Some(more) = part.unanswered(&part.question.bound.lowered.queries[index]) {
                *self.unanswered[index].get_or_insert(0) += more;
            }
        }
        Ok(())
    }

    /// The answers; any question of the same spec knows the words.
    pub(super) fn finish(self, question: &Question<'_>) -> Answers {
        let open = self.properties.iter().enumerate();
        let warnings = open.filter_map(|(index, tally)| question.not_followed(index, tally.not_followed.clone()));
        let warnings = warnings.collect();
        let mut demands = self.demands;
        let most = question.options.max_violations;
        let property = |(index, mut tally): (usize, PropertyTally)| {
            keep_worst(&mut tally.keys.first_violations, most);
            if let Claim::Assert(comparison) = &question.bound.lowered.properties[index].claim {
                let measure = comparison.left.measure();
                tally.keys.compared = Some(Summary::of(&tally.compared, measure, most));
            }
            let judgement = Judgement {
                verdict: over_keys(&tally.keys.verdicts),
                engine: tally.engine,
                statistics: tally.statistics,
                ..Judgement::by_rows(true)
            };
            let mut evidence = Evidence::default();
            if let Some(demand) = demands[index].take() {
                (evidence.coverage, evidence.waiting) = demand.finish(question.words());
            }
            let report = question.property_report(index, judgement, evidence);
            let all_vacuous = tally.keys.vacuous == tally.keys.checked;
            let vacuous = tally.unmet.filter(|_| all_vacuous).map(|span| question.spec.text(span));
            PropertyReport { keys: Some(tally.keys), vacuous, responses: tally.responses.finish(), ..report }
        };
        let values = self.queries.into_iter().zip(self.unanswered);
        let queries = values.zip(self.experiments.finish().into_iter().zip(self.drawn.finish())).enumerate();
        let query = |(index, ((values, unanswered), (everywhere, points))): (usize, ((Vec<_>, _), _))| {
            let measure = question.bound.lowered.queries[index].query.measure();
            let summary = Box::new(Summary::of(&values, measure, most));
            let report = question.query_report(index, QueryValue::ByKey { values, summary }, unanswered);
            QueryReport { everywhere, points, tolerance: self.tolerances[index], ..report }
        };
        (self.properties.into_iter().enumerate().map(property).collect(), queries.map(query).collect(), warnings)
    }
}

/// Puts the keys of an assert whose values are farthest from their bound first, keys without such
/// a value last, and keeps as many as are asked for. Keys of formulas stay in their order.
fn keep_worst(keys: &mut Vec<KeyVerdict>, most: usize) {
    let distance = |key: &KeyVerdict| key.evidence.compared.as_ref().and_then(comparison::distance).unwrap_or(-1.0);
    keys.sort_by(|one, other| distance(other).total_cmp(&distance(one)));
    keys.truncate(most);
}

/// The larger of each.
fn more(one: Option<EngineStatistics>, other: Option<EngineStatistics>) -> Option<EngineStatistics> {
    one.into_iter().chain(other).reduce(EngineStatistics::max)
}

/// The worst of verdicts: what is violated for one key is violated, what is owed for one is owed.
fn over_keys(verdicts: &[Verdict]) -> Verdict {
    let worst = [Verdict::Violated, Verdict::Pending, Verdict::Holding];
    worst.into_iter().find(|verdict| verdicts.contains(verdict)).unwrap_or(Verdict::Satisfied)
}
