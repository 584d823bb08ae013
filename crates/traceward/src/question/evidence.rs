//! What speaks for a verdict: a step of its own, after verdicts.

use super::judgement::Judgement;
use super::part::Part;
use super::why::Explained;
use super::{Bound, Question, missing, outermost_always, timeline, why};
use crate::check::Extent;
use crate::demand::{DemandTally, Seen};
use crate::report::{Evidence, OwedReport, Violation, Violations};
use crate::runs::run_coverage;
use std::sync::Arc;
use traceward_engine::select::{Config, Due, EngineName, Online, Owed};
use traceward_engine::why::Explainer;
use traceward_logic::diagnostic::Span;
use traceward_logic::expr::Expr;
use traceward_logic::formula::{FormulaId, Formulas, Node};
use traceward_logic::lower::{Claim, Trigger};
use traceward_logic::trace::VariableId;
use traceward_logic::value::Value;
use traceward_logic::verdict::Verdict;

/// The evidence for a property's verdict on the whole trace.
pub(super) fn of_whole(part: &Part<'_>, property: usize, judgement: &Judgement) -> Evidence {
    let mut evidence = of_part(part, property, judgement);
    if let Claim::Formula(formula) = part.question.bound.lowered.properties[property].claim
        && part.question.options.runs.are_asked()
    {
        look_at_runs(part, formula, &mut evidence);
    }
    evidence
}

/// The evidence for a property's verdict on a part.
pub(super) fn of_part(part: &Part<'_>, property: usize, judgement: &Judgement) -> Evidence {
    let options = part.question.options;
    match (&part.question.bound.lowered.properties[property].claim, options.extent) {
        (Claim::Assert(..), _) => Evidence { compared: judgement.compared.clone(), ..Evidence::default() },
        (Claim::Formula(formula), Extent::Whole) => {
            let violations = violations(part, property, *formula);
            let is_no_always = judgement.verdict == Verdict::Violated && violations.is_none() && part.len() > 0;
            Evidence {
                judged_at: is_no_always.then(|| failing_states(part, property, *formula, *formula, vec![0]).remove(0)),
                violations,
                ..Evidence::default()
            }
        }
        // Where the body of an always fails at the end of what was read is no violation yet, but
        // tells since when something is owed.
        (Claim::Formula(formula), Extent::Prefix) => {
            let violated_at = judgement.decided_at.filter(|_| judgement.verdict == Verdict::Violated);
            let judged_at = violated_at.filter(|&position| position < part.len());
            let owed = if judgement.verdict == Verdict::Pending { owed(part, *formula) } else { Vec::new() };
            Evidence {
                judged_at: judged_at.map(|position| judged(part, property, *formula, position)),
                owed_since: timeline::of_owed(part, property, *formula, &owed),
                owed,
                ..Evidence::default()
            }
        }
    }
}

/// The state that settled a formula for good, whatever comes.
fn judged(part: &Part<'_>, property: usize, formula: FormulaId, position: usize) -> Violation {
    let explained = Explained::new(part, property, formula);
    let why = explained.as_ref().and_then(|explained| explained.why(0));
    let timeline = explained.as_ref().and_then(|explained| explained.timeline(position, why.as_ref()));
    Violation { why, timeline, ..violation(part, formula, position) }
}

/// The outermost trigger of a satisfied property that is nowhere met, which makes it vacuous.
pub(super) fn unmet_trigger(part: &Part<'_>, property: usize, judgement: &Judgement) -> Option<Span> {
    let triggers = &part.question.bound.lowered.properties[property].triggers;
    let is_unmet = |trigger: &&Trigger| !part.holds_somewhere(trigger.formula);
    let unmet = triggers.iter().find(is_unmet).filter(|_| part.len() > 0);
    unmet.filter(|_| judgement.verdict == Verdict::Satisfied).map(|trigger| trigger.span)
}

/// Where the body of an outermost always fails.
fn violations(part: &Part<'_>, property: usize, formula: FormulaId) -> Option<Violations> {
    let (interval, body) = outermost_always(&part.question.bound.lowered.formulas, formula)?;
    let row = part.row(body);
    let mut failing = row.clone().complement();
    if !interval.is_all() {
        let window = part.window_of_start(interval);
        (0..window.start).chain(window.end..row.len()).for_each(|position| failing.set(position, false));
    }
    let first = failing.ones().take(part.question.options.max_violations).collect();
    let first = failing_states(part, property, formula, body, first);
    Some(Violations { count: failing.count_ones(), first })
}

/// States in which a part of a formula fails, with why it does and with the missing values that
/// may have decided it.
fn failing_states(
    part: &Part<'_>,
    property: usize,
    formula: FormulaId,
    body: FormulaId,
    positions: Vec<usize>,
) -> Vec<Violation> {
    let explained = if positions.is_empty() { None } else { Explained::new(part, property, body) };
    let failing_state = |(nth, position)| {
        let explained_one = explained.as_ref().filter(|_| nth < why::MOST_EXPLAINED);
        let why = explained_one.and_then(|explained| explained.why(position));
        let timeline = explained.as_ref().and_then(|explained| explained.timeline(position, why.as_ref()));
        let missing = missing::deciding(part, body, position);
        let missing_earlier = missing::deciding_earlier(part, body, position);
        Violation { missing, missing_earlier, why, timeline, ..violation(part, formula, position) }
    };
    positions.into_iter().enumerate().map(failing_state).collect()
}

/// A state, with the values of the variables that a formula speaks of.
fn violation(part: &Part<'_>, formula: FormulaId, position: usize) -> Violation {
    let question = part.question;
    let whole = part.in_whole(position);
    let values = variables_of(&question.bound.lowered.formulas, formula);
    let values =
        values.into_iter().map(|id| (question.bound.names[id.index()].clone(), question.input.value(id, whole)));
    Violation {
        position,
        line: part.line(position),
        source: part.source(position),
        time: part.time(position),
        first_time: part.time(0),
        values: values.chain(earlier_values(part, formula, position)).collect(),
        missing: Vec::new(),
        missing_earlier: Vec::new(),
        why: None,
        timeline: None,
    }
}

/// The values of earlier states that a formula speaks of, each by its text.
fn earlier_values(part: &Part<'_>, formula: FormulaId, position: usize) -> Vec<(Arc<str>, Value)> {
    let Bound { lowered, names, .. } = part.question.bound;
    let mut pasts: Vec<&Expr> = Vec::new();
    for atom in atoms_of(&lowered.formulas, formula) {
        atom.for_each_past(&mut |past| pasts.push(past));
    }
    let mut values: Vec<(Arc<str>, Value)> = Vec::new();
    for past in pasts {
        let text: Arc<str> = past.display(names).to_string().into();
        let value = part.at(position, |state| past.value(&state));
        if let (Ok(value), false) = (value, values.iter().any(|(known, _)| *known == text)) {
            values.push((text, value));
        }
    }
    values
}

/// The maximal boolean expressions of a formula.
pub(super) fn atoms_of(formulas: &Formulas, formula: FormulaId) -> impl Iterator<Item = &Expr> {
    formulas.parts(&[formula]).into_iter().filter_map(|part| match formulas.node(part) {
        Node::Atom(atom) => Some(formulas.atom(atom)),
        _ => None,
    })
}

/// The variables that a formula speaks of, in order.
pub(crate) fn variables_of(formulas: &Formulas, formula: FormulaId) -> Vec<VariableId> {
    let mut variables = Vec::new();
    for atom in atoms_of(formulas, formula) {
        atom.for_each_variable(&mut |variable| variables.push(variable));
    }
    variables.sort_unstable();
    variables.dedup();
    variables
}

/// The positions at which something may owe.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Owing {
    /// The first one.
    AtStart,
    /// Every one: it is the body of an always.
    Everywhere,
}

/// The formulas whose failing tells what a property owes: its conjuncts, and of an always its body.
pub(super) fn owing(formulas: &Formulas, formula: FormulaId) -> Vec<(FormulaId, Owing)> {
    let (mut open, mut owing) = (vec![formula], Vec::new());
    while let Some(one) = open.pop() {
        match formulas.node(one) {
            Node::And(f, g) => open.extend([g, f]),
            _ => owing.push(match outermost_always(formulas, one) {
                Some((interval, body)) if interval.is_all() => (body, Owing::Everywhere),
                _ => (one, Owing::AtStart),
            }),
        }
    }
    owing
}

/// What is owed at the end of a part, at the first positions at which something would fail.
fn owed(part: &Part<'_>, formula: FormulaId) -> Vec<OwedReport> {
    let question = part.question;
    let mut owed = Vec::new();
    if part.len() == 0 {
        return owed;
    }
    // What is owed is a help, and no part of the verdict. Observers know it best, and whoever
    // follows a formula part by part knows what each part waits for.
    let of = |engine, asked: FormulaId| {
        let config = Config { engine, ..question.options.config };
        Online::new(&question.bound.prepared, question.bound.indices[&asked], &config)
    };
    for (asked, owing) in owing(&question.bound.lowered.formulas, formula) {
        let engine = of(EngineName::Observer, asked).or_else(|_| of(EngineName::Streaming, asked));
        let Ok(engine) = engine else { continue };
        let within = if owing == Owing::Everywhere { part.len() } else { 1 };
        let failing = (0..within).filter(|&position| !part.row(asked).get(position));
        for position in failing.take(question.options.max_violations) {
            let Ok(found) = engine.owed(part.letters(), position, &question.bound.names) else { continue };
            owed.extend(found.into_iter().map(|one| owed_report(part, one)));
        }
    }
    owed
}

fn owed_report(part: &Part<'_>, owed: Owed) -> OwedReport {
    let len = part.len() as u64;
    let last = part.len().checked_sub(1).and_then(|last| part.time(last));
    let (mut from, mut until, mut from_time, mut until_time) = (None, None, None, None);
    match owed.due {
        Due::Steps { delay, reach } => {
            from = (delay > 0).then_some(len + delay);
            until = reach.map(|reach| len.saturating_add(delay).saturating_add(reach));
        }
        Due::Time { from: opens, until: closes } => {
            from_time = Some(opens).filter(|opens| last.is_some_and(|last| *opens > last));
            until_time = closes;
        }
    }
    let since = owed.since as usize;
    let (obligation, line) = (owed.formula, part.line(since));
    OwedReport { obligation, since, line, from, until, from_time, until_time, is_necessary: owed.is_necessary }
}

/// What runs tell beyond the verdict.
fn look_at_runs(part: &Part<'_>, formula: FormulaId, evidence: &mut Evidence) {
    let question = part.question;
    let mut tally = demand_tally(question, formula);
    add_demand(&mut tally, part, None);
    (evidence.coverage, evidence.waiting) = tally.finish(question.words());
    let is_whole = part.len() > 0 && question.options.extent == Extent::Whole;
    if let Some(coverage) = evidence.coverage.as_mut().filter(|_| is_whole) {
        coverage.runs = run_coverage(&question.bound.lowered.formulas, formula, part.trace());
    }
}

/// A tally of what a property asks of its parts.
pub(super) fn demand_tally(question: &Question<'_>, formula: FormulaId) -> DemandTally {
    DemandTally::new(Arc::new(Explainer::new(&question.bound.lowered.formulas, formula)), question.options.runs)
}

/// Takes a part of the trace into account; with the key, if it is a key's.
pub(super) fn add_demand(tally: &mut DemandTally, part: &Part<'_>, key: Option<&Arc<str>>) {
    let explainer = tally.explainer();
    if let Some(look) = why::look(part, &explainer) {
        let seen = Seen { look, key, place: &|position| part.place(position) };
        tally.add(&seen, part.question.words());
    }
}
