//! Asking a spec of a trace.

use crate::error::Error;
use crate::prefix::Prefixes;
use crate::report::{
    KeyVerdict, KeysReport, PropertyReport, QueryReport, QueryValue, Report, TraceReport, Violation, Violations,
};
use crate::runs::{RunQuestions, Runs};
use crate::spec::Spec;
use rustc_hash::FxHashMap;
use std::io::Read;
use std::sync::Arc;
use traceward_engine::engine::EngineStatistics;
use traceward_engine::select::{self, Cache, Config, EngineName, Evaluator, Judge};
use traceward_logic::bitmap::Bitmap;
use traceward_logic::formula::{Direction, FormulaId, Formulas, Interval, Node, Unit};
use traceward_logic::lower::{Claim, Lowered, NamedQuery, Property, Schema};
use traceward_logic::query::Query;
use traceward_logic::semantics::{self, EvaluationError};
use traceward_logic::trace::{Column, Trace, VariableId};
use traceward_logic::value::Value;
use traceward_logic::verdict::Verdict;
use traceward_trace::{
    KeyGroup, Keys, Lines, Note, ReadFailure, ReadOptions, ReadTrace, TraceError, TraceErrorKind, read_or_before,
};

/// Whether truth at every position is reported.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Truth {
    /// Only verdicts.
    #[default]
    AtZero,
    /// At every position.
    AtEveryPosition,
    /// At every position, with the value of every node of the automaton.
    Table,
}

/// Whether a trace has come to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Extent {
    /// It has.
    #[default]
    Whole,
    /// It is the beginning of a longer one: verdicts are four-valued.
    Prefix,
}

/// How a spec is asked of a trace.
#[derive(Clone, Debug)]
pub struct CheckOptions {
    /// By which engine, and how.
    pub config: Config,
    /// How much is reported.
    pub truth: Truth,
    /// Whether the trace has come to its end.
    pub extent: Extent,
    /// What is asked about runs.
    pub runs: RunQuestions,
    /// Whether it is reported what answering has cost the engine.
    pub engine_statistics: bool,
    /// How many violations are reported one by one.
    pub max_violations: usize,
    /// How the trace is read; what the spec says of columns is filled in.
    pub read: ReadOptions,
}

impl Default for CheckOptions {
    fn default() -> Self {
        Self {
            config: Config::default(),
            truth: Truth::default(),
            extent: Extent::default(),
            runs: RunQuestions::default(),
            engine_statistics: false,
            max_violations: 5,
            read: ReadOptions::default(),
        }
    }
}

/// The longest trace that the definition itself is asked about: beyond it an answer takes minutes.
const LONGEST_NAIVE: usize = 200_000;

/// The longest trace whose table is worth printing.
const LONGEST_TABLE: usize = 1000;

/// Reads a trace and answers a spec's questions about it.
///
/// ```
/// use traceward::{Spec, Verdict, check};
///
/// let spec: Spec = "G(request -> F grant)".parse()?;
/// let report = check(&spec, "request,grant\n1,0\n0,1\n".as_bytes())?;
/// assert_eq!(report.properties[0].verdict, Verdict::Satisfied);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn check(spec: &Spec, input: impl Read) -> Result<Report, Error> {
    check_with(spec, input, &CheckOptions::default())
}

/// Reads a trace and answers a spec's questions about it, in a certain way.
pub fn check_with(spec: &Spec, input: impl Read, options: &CheckOptions) -> Result<Report, Error> {
    match read_or_before(input, &spec.read_options(&options.read)) {
        Ok(trace) => {
            let lowered = bind(spec, &trace)?;
            Question::new(spec, &lowered, trace, options)?.answer()
        }
        Err(ReadFailure { error, before }) => {
            // Of two mistakes the earlier one is told: what comes before the line may fail itself.
            if let Some(before) = before
                && let Ok(lowered) = spec.bind(&schema(spec, &before))
            {
                Question::new(spec, &lowered, *before, options)?.evaluate()?;
            }
            Err(unfit(spec, error))
        }
    }
}

/// The spec for a trace that was read.
fn bind(spec: &Spec, trace: &ReadTrace) -> Result<Lowered, Error> {
    let mut schema = schema(spec, trace);
    schema.names.clone_from(&trace.names);
    schema.names_known = !trace.names.is_empty();
    spec.bind(&schema).map_err(Error::Mismatch)
}

/// What is known of a trace that may not have been read to its end, so that names may yet come.
fn schema(spec: &Spec, trace: &ReadTrace) -> Schema {
    let mut schema = spec.schema(&trace.types);
    let absent = spec.variables().iter().zip(&trace.columns).filter(|(_, column)| column.is_none());
    for (variable, _) in absent {
        schema.types.remove(&variable.name);
    }
    schema
}

/// A value that does not fit is an error of the trace that the spec has a part in.
pub(crate) fn unfit(spec: &Spec, error: TraceError) -> Error {
    let asked = matches!(
        error.kind(),
        TraceErrorKind::NotBool(_)
            | TraceErrorKind::NotNumber(_)
            | TraceErrorKind::NotText(_)
            | TraceErrorKind::UnlikeFirst { .. }
            | TraceErrorKind::NoOrder(_)
            | TraceErrorKind::Container { .. }
    );
    match error.column().filter(|_| asked).and_then(|name| spec.place_of(name)) {
        Some(used) => Error::Unfit { error, used },
        None => Error::Trace(error),
    }
}

/// A spec that has met its trace.
struct Question<'a> {
    spec: &'a Spec,
    lowered: &'a Lowered,
    options: &'a CheckOptions,
    names: Vec<Arc<str>>,
    property_names: Vec<String>,
    trace: Trace,
    keys: Option<Keys>,
    lines: Lines,
    notes: Vec<Note>,
    evaluator: Evaluator,
    /// Gives the verdicts, where the engine asked for tells no more than those.
    judge: Option<Judge>,
    /// Gives the verdicts on a trace that goes on.
    prefixes: Prefixes,
    /// Where the answer for each formula stands among those of the evaluator.
    places: FxHashMap<FormulaId, usize>,
}

impl<'a> Question<'a> {
    fn new(spec: &'a Spec, lowered: &'a Lowered, input: ReadTrace, options: &'a CheckOptions) -> Result<Self, Error> {
        let states = input.states;
        let columns = input.columns.into_iter().map(|column| column.unwrap_or_else(|| Column::all_missing(states)));
        let trace = Trace { len: states, columns: columns.collect(), time: input.time.map(Into::into) };
        if options.runs != RunQuestions::default() && input.keys.is_some() {
            return Err(Error::Request("--coverage and --waiting are for a trace that is not split by key".into()));
        }
        if options.truth != Truth::AtZero && input.keys.is_some() {
            return Err(Error::Request(
                "truth at every position cannot be shown for a trace that is split by key".into(),
            ));
        }
        let roots = formulas_of(lowered);
        if options.config.engine == EngineName::Naive && trace.len > LONGEST_NAIVE {
            let message = format!(
                "the engine naive is quadratic in the trace, and this one has {} states; reverse answers the same",
                trace.len
            );
            return Err(Error::Request(message));
        }
        let evaluator = Evaluator::new(&lowered.formulas, &roots, options.config);
        let judge = match options.extent {
            Extent::Prefix => None,
            Extent::Whole => Judge::new(&lowered.formulas, &claimed(lowered), options.config)?,
        };
        let prefixes = match options.extent {
            Extent::Whole => Prefixes::default(),
            Extent::Prefix => Prefixes::new(lowered, options.config)?,
        };
        Ok(Self {
            spec,
            lowered,
            options,
            prefixes,
            names: lowered.variables.names(),
            property_names: spec.property_names(),
            trace,
            keys: input.keys,
            lines: input.lines,
            notes: input.notes,
            evaluator,
            judge,
            places: roots.into_iter().enumerate().map(|(place, root)| (root, place)).collect(),
        })
    }

    fn answer(self) -> Result<Report, Error> {
        let (properties, queries) = match &self.keys {
            None => self.whole()?,
            Some(keys) => self.by_key(&keys.groups)?,
        };
        Ok(Report { trace: self.trace_report()?, properties, queries })
    }

    /// Evaluates every expression at every position, without judging anything.
    fn evaluate(&self) -> Result<(), Error> {
        self.evaluator.letters(&self.trace).map_err(|error| self.evaluation_error(&error)).map(|_| ())
    }

    fn trace_report(&self) -> Result<TraceReport, Error> {
        let needed = self.lowered.variables.list().iter().zip(&self.trace.columns);
        let missing = needed
            .filter(|(variable, column)| variable.needed_at.is_some() && column.missing() > 0)
            .map(|(variable, column)| (variable.name.clone(), column.missing()));
        let time = self.trace.time.as_deref().unwrap_or_default();
        Ok(TraceReport {
            states: self.trace.len,
            keys: self
                .keys
                .as_ref()
                .map(|keys| keys.groups.iter().map(|group| (group.key.clone(), group.positions.len())).collect()),
            span: time.iter().min().copied().zip(time.iter().max().copied()),
            missing: missing.collect(),
            notes: self.notes.clone(),
            table: if self.options.truth == Truth::Table { Some(self.table()?) } else { None },
        })
    }

    fn table(&self) -> Result<String, Error> {
        if self.trace.len > LONGEST_TABLE {
            let message = format!(
                "the table is for short traces: this one has {} states, and the limit is {LONGEST_TABLE}",
                self.trace.len
            );
            return Err(Error::Request(message));
        }
        let tables = claimed(self.lowered)
            .into_iter()
            .map(|formula| self.table_of(formula))
            .collect::<Result<Vec<String>, Error>>()?;
        Ok(tables.join("\n"))
    }

    /// The table of one formula alone: its automaton is that of the paper, without what else is asked of the trace.
    fn table_of(&self, formula: FormulaId) -> Result<String, Error> {
        let evaluator = Evaluator::new(&self.lowered.formulas, &[formula], self.options.config);
        let Some(reverse) = evaluator.reverse() else {
            return Err(Error::Request("the table belongs to the reverse engine: --engine reverse".into()));
        };
        let prepared = evaluator.prepared();
        let letters = evaluator.letters(&self.trace).map_err(|error| self.evaluation_error(&error))?;
        let table = reverse.table(&prepared.formulas, &prepared.alphabet, &letters);
        Ok(reverse.table_text(&table, &prepared.formulas, &self.names))
    }

    fn evaluation_error(&self, error: &EvaluationError) -> Error {
        let what = match &error.expression {
            Some(expr) => format!(" in `{}`", expr.display(&self.names)),
            None => " in a sum".to_owned(),
        };
        let line = self.lines.line(error.position);
        Error::Evaluation { message: format!("{}{what} at position {}", error.reason, error.position), line }
    }

    fn property_report(&self, index: usize, verdict: Verdict) -> PropertyReport {
        let property = &self.lowered.properties[index];
        let engine = match property.claim {
            Claim::Formula(_) => self.judge.as_ref().map_or(self.evaluator.engine(), Judge::engine),
            Claim::Assert(..) => EngineName::Naive,
        };
        PropertyReport {
            name: self.property_names[index].clone(),
            description: property.description.clone(),
            formula: self.spec.text(property.body.span),
            verdict,
            engine,
            decided_at: None,
            decided_exact: false,
            engine_statistics: self.options.engine_statistics.then_some(None),
            owed: Vec::new(),
            truth: None,
            violations: None,
            judged_at: None,
            compared: None,
            coverage: None,
            waiting: None,
            keys: None,
        }
    }

    fn query_report(&self, index: usize, value: QueryValue, unanswered: Option<usize>) -> QueryReport {
        let query = &self.lowered.queries[index];
        let unnamed = self.lowered.queries[..=index].iter().filter(|query| query.name.is_none()).count();
        QueryReport {
            name: query.name.as_ref().map_or_else(|| format!("q{unnamed}"), ToString::to_string),
            description: query.description.clone(),
            query: self.spec.text(query.span),
            value,
            unanswered,
        }
    }

    // ---- one trace ----

    fn whole(&self) -> Result<(Vec<PropertyReport>, Vec<QueryReport>), Error> {
        let rows =
            self.evaluator.truth(&mut Cache::default(), &self.trace).map_err(|error| self.evaluation_error(&error))?;
        let rows: Vec<&Bitmap> = rows.iter().collect();
        let mut decisions = self.decisions(&self.trace)?.into_iter().enumerate();
        let mut truths = self.truths_by_judge()?.into_iter();
        let part = Part { question: self, trace: &self.trace, positions: None, rows: &rows };
        let mut properties = Vec::new();
        for (index, property) in self.lowered.properties.iter().enumerate() {
            let judged = part.judge(property).map_err(|error| self.evaluation_error(&error))?;
            let mut report = self.property_report(index, judged.verdict);
            if let Claim::Formula(_) = property.claim
                && let Some((formula, judged)) = decisions.next()
            {
                report.verdict = Verdict::at_end(judged.decision.holds);
                report.decided_at = judged.decision.decided_at;
                report.engine_statistics = self.options.engine_statistics.then_some(judged.statistics);
                report.decided_exact = self.judge.as_ref().is_some_and(|judge| judge.is_exact(formula));
            }
            report.violations = judged.violations;
            report.compared = judged.compared;
            if let (Claim::Formula(formula), Extent::Prefix) = (&property.claim, self.options.extent) {
                self.judge_prefix(*formula, &part, &mut report)?;
            } else if let Claim::Formula(formula) = property.claim {
                let unexplained = report.verdict == Verdict::Violated && report.violations.is_none();
                report.judged_at = (unexplained && self.trace.len > 0).then(|| part.violation(formula, 0));
                self.look_at_runs(formula, &mut report)?;
            }
            if self.options.truth != Truth::AtZero
                && let Claim::Formula(formula) = property.claim
            {
                report.truth = Some(truths.next().unwrap_or_else(|| part.row(formula).clone()));
            }
            properties.push(report);
        }
        let mut queries = Vec::new();
        for (index, query) in self.lowered.queries.iter().enumerate() {
            let value = part.value(&query.query).map_err(|error| self.evaluation_error(&error))?;
            queries.push(self.query_report(index, QueryValue::Whole(value), part.unanswered(query)));
        }
        Ok((properties, queries))
    }

    /// The verdict on a trace that goes on. Where its body fails at the end of what was read is no violation yet, but tells
    /// since when something is owed.
    fn judge_prefix(&self, formula: FormulaId, part: &Part<'_>, report: &mut PropertyReport) -> Result<(), Error> {
        report.violations = None;
        let judged = self.prefixes.verdict(formula, &self.trace, part.holds(formula, 0))?;
        (report.verdict, report.decided_at) = (judged.verdict, judged.decided_at);
        (report.engine, report.decided_exact) = (judged.engine, judged.is_exact);
        report.engine_statistics = self.options.engine_statistics.then_some(judged.statistics);
        if let (Verdict::Violated, Some(position)) = (report.verdict, report.decided_at) {
            report.judged_at = (position < self.trace.len).then(|| part.violation(formula, position));
        }
        if report.verdict == Verdict::Pending {
            let line = |position| self.lines.line(position);
            report.owed = self.prefixes.owed(formula, &self.trace, self.options.max_violations, &line, &self.names)?;
        }
        Ok(())
    }

    fn look_at_runs(&self, formula: FormulaId, report: &mut PropertyReport) -> Result<(), Error> {
        let RunQuestions { coverage, waiting } = self.options.runs;
        if self.trace.len == 0 || !(coverage || waiting) {
            return Ok(());
        }
        let runs = Runs::new(&self.lowered.formulas, formula, &self.trace, &self.names)?;
        if coverage {
            report.coverage = Some(runs.coverage()?);
        }
        if waiting {
            report.waiting = Some(runs.waiting());
        }
        Ok(())
    }

    /// What the judge says of each formula property; nothing if there is no judge, or no state to judge.
    fn decisions(&self, trace: &Trace) -> Result<Vec<select::Judged>, Error> {
        match &self.judge {
            Some(judge) if trace.len > 0 => judge.decide(trace).map_err(Error::GaveUp),
            _ => Ok(Vec::new()),
        }
    }

    /// Truth at every position from the judge itself, if it was asked for.
    fn truths_by_judge(&self) -> Result<Vec<Bitmap>, Error> {
        let Some(judge) = self.judge.as_ref().filter(|_| self.options.truth != Truth::AtZero) else {
            return Ok(Vec::new());
        };
        match judge.truth(&self.trace) {
            Ok(Some(truths)) => Ok(truths),
            Ok(None) => {
                let engine = judge.engine();
                let message = format!("the engine {engine} does not tell truth at every position; reverse does");
                Err(Error::Request(message))
            }
            Err(gave_up) => Err(gave_up.into()),
        }
    }

    // ---- a trace for each key ----

    fn by_key(&self, groups: &[KeyGroup]) -> Result<(Vec<PropertyReport>, Vec<QueryReport>), Error> {
        let mut tally = KeyTally::new(self, groups.len());
        let mut failed: Option<Error> = None;
        let parts = groups.iter().map(|group| group.positions.as_slice());
        let each = |number: usize, rows: &[&Bitmap]| {
            if failed.is_none() {
                failed = tally.add(&groups[number], rows).err();
            }
        };
        self.evaluator
            .truth_of_parts(&mut Cache::default(), &self.trace, parts, each)
            .map_err(|error| self.evaluation_error(&error))?;
        match failed {
            Some(error) => Err(error),
            None => Ok(tally.finish()),
        }
    }
}

/// Collects verdicts and values key by key.
struct KeyTally<'a> {
    question: &'a Question<'a>,
    properties: Vec<KeysReport>,
    /// For each property, the most that any key has cost.
    statistics: Vec<Option<EngineStatistics>>,
    queries: Vec<Vec<(Arc<str>, Option<Value>)>>,
    unanswered: Vec<Option<usize>>,
}

impl<'a> KeyTally<'a> {
    fn new(question: &'a Question<'a>, keys: usize) -> Self {
        let lowered = question.lowered;
        Self {
            question,
            properties: vec![KeysReport { checked: keys, ..KeysReport::default() }; lowered.properties.len()],
            statistics: vec![None; lowered.properties.len()],
            queries: vec![Vec::new(); lowered.queries.len()],
            unanswered: vec![None; lowered.queries.len()],
        }
    }

    fn add(&mut self, group: &KeyGroup, rows: &[&Bitmap]) -> Result<(), Error> {
        let lowered = self.question.lowered;
        let failed = |error: EvaluationError| self.question.evaluation_error(&error);
        let speaks_of_values = self.question.judge.is_some()
            || self.question.options.extent == Extent::Prefix
            || !lowered.queries.is_empty()
            || lowered.properties.iter().any(|property| matches!(property.claim, Claim::Assert(..)));
        let own;
        let trace = if speaks_of_values {
            own = self.question.trace.gather(&group.positions);
            &own
        } else {
            &self.question.trace
        };
        let mut decisions = self.question.decisions(trace)?.into_iter();
        let part = Part { question: self.question, trace, positions: Some(&group.positions), rows };
        let reports = self.properties.iter_mut().zip(&mut self.statistics);
        for ((report, statistics), property) in reports.zip(&lowered.properties) {
            let mut judged = part.judge(property).map_err(failed)?;
            if let Claim::Formula(_) = property.claim
                && let Some(one) = decisions.next()
            {
                judged.verdict = Verdict::at_end(one.decision.holds);
                *statistics = more(*statistics, one.statistics);
            }
            if let (Claim::Formula(formula), Extent::Prefix) = (&property.claim, self.question.options.extent) {
                let holds = part.holds(*formula, 0);
                let prefix = self.question.prefixes.verdict(*formula, trace, holds)?;
                judged.verdict = prefix.verdict;
                *statistics = more(*statistics, prefix.statistics);
            }
            report.verdicts.push(judged.verdict);
            if judged.verdict == Verdict::Violated {
                report.violated += 1;
                if report.first_violations.len() < self.question.options.max_violations {
                    let key = group.key.clone();
                    let (verdict, violations) = (judged.verdict, judged.violations);
                    report.first_violations.push(KeyVerdict { key, verdict, violations });
                }
            }
        }
        for (index, query) in lowered.queries.iter().enumerate() {
            self.queries[index].push((group.key.clone(), part.value(&query.query).map_err(failed)?));
            if let Some(more) = part.unanswered(query) {
                *self.unanswered[index].get_or_insert(0) += more;
            }
        }
        Ok(())
    }

    fn finish(self) -> (Vec<PropertyReport>, Vec<QueryReport>) {
        let question = self.question;
        let properties = self.properties.into_iter().zip(self.statistics).enumerate();
        let properties = properties.map(|(index, (keys, statistics))| {
            let mut report = question.property_report(index, over_keys(&keys.verdicts));
            report.keys = Some(keys);
            report.engine_statistics = question.options.engine_statistics.then_some(statistics);
            report
        });
        let queries = self.queries.into_iter().zip(self.unanswered).enumerate();
        let queries = queries
            .map(|(index, (values, unanswered))| question.query_report(index, QueryValue::ByKey(values), unanswered));
        (properties.collect(), queries.collect())
    }
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

/// The verdict on a property, and what speaks for it.
struct Judged {
    verdict: Verdict,
    violations: Option<Violations>,
    compared: Option<Option<Value>>,
}

/// A trace, or a key's part of one, with where the formulas hold.
struct Part<'a> {
    question: &'a Question<'a>,
    /// The states; for a key's part of a trace that no query is asked of, those of the whole trace.
    trace: &'a Trace,
    /// For a key's part, its positions in the whole trace.
    positions: Option<&'a [u32]>,
    rows: &'a [&'a Bitmap],
}

impl Part<'_> {
    fn row(&self, formula: FormulaId) -> &Bitmap {
        self.rows[self.question.places[&formula]]
    }

    fn len(&self) -> usize {
        self.positions.map_or(self.trace.len, <[u32]>::len)
    }

    fn in_whole(&self, position: usize) -> usize {
        self.positions.map_or(position, |positions| positions[position] as usize)
    }

    fn holds(&self, formula: FormulaId, position: usize) -> bool {
        let row = self.row(formula);
        if position < row.len() {
            row.get(position)
        } else {
            semantics::holds_on_empty(&self.question.lowered.formulas, formula)
        }
    }

    fn value(&self, query: &Query) -> Result<Option<Value>, EvaluationError> {
        semantics::value_where(query, self.trace, &|formula, position| self.holds(formula, position))
            .map_err(|error| EvaluationError { position: self.in_whole(error.position), ..error })
    }

    fn judge(&self, property: &Property) -> Result<Judged, EvaluationError> {
        Ok(match &property.claim {
            Claim::Formula(formula) => Judged {
                verdict: Verdict::at_end(self.holds(*formula, 0)),
                violations: self.violations(*formula),
                compared: None,
            },
            Claim::Assert(query, op, constant) => {
                let value = self.value(query)?;
                let holds = value.as_ref().is_some_and(|value| op.holds(value, constant));
                Judged { verdict: Verdict::at_end(holds), violations: None, compared: Some(value) }
            }
        })
    }

    /// Where the body of an outermost always fails.
    fn violations(&self, formula: FormulaId) -> Option<Violations> {
        let (interval, body) = outermost_always(&self.question.lowered.formulas, formula)?;
        let row = self.row(body);
        let mut failing = row.clone().complement();
        if !interval.is_all() {
            let window = self.window_of_zero(interval);
            (0..window.start).chain(window.end..row.len()).for_each(|position| failing.set(position, false));
        }
        let first = failing.ones().take(self.question.options.max_violations);
        let first = first.map(|position| self.violation(formula, position)).collect();
        Some(Violations { count: failing.count_ones(), first })
    }

    /// The positions in the window of position 0.
    fn window_of_zero(&self, interval: Interval) -> std::ops::Range<usize> {
        let whole_time = self.question.trace.time.as_deref();
        let distance = |position: usize| match (interval.unit, whole_time) {
            (Unit::Steps, _) => position as u64,
            (Unit::Time, Some(time)) => time[self.in_whole(position)].abs_diff(time[self.in_whole(0)]),
            (Unit::Time, None) => 0,
        };
        let from = (0..self.len()).find(|&position| distance(position) >= interval.from).unwrap_or(self.len());
        let end = match interval.to {
            None => self.len(),
            Some(to) => (from..self.len()).find(|&position| distance(position) > to).unwrap_or(self.len()),
        };
        from..end
    }

    fn violation(&self, formula: FormulaId, position: usize) -> Violation {
        let question = self.question;
        let whole = self.in_whole(position);
        let values = variables_of(&question.lowered.formulas, formula);
        Violation {
            position,
            line: question.lines.line(whole),
            time: question.trace.time.as_ref().map(|time| time[whole]),
            values: values
                .into_iter()
                .map(|id| (question.names[id.index()].clone(), question.trace.value(id, whole)))
                .collect(),
        }
    }

    fn unanswered(&self, query: &NamedQuery) -> Option<usize> {
        let unanswered = |(request, answered): &(FormulaId, FormulaId)| {
            self.row(*request).clone().and(&self.row(*answered).clone().complement()).count_ones()
        };
        (!query.latencies.is_empty()).then(|| query.latencies.iter().map(unanswered).sum())
    }
}

/// The formulas of properties.
pub(crate) fn claimed(lowered: &Lowered) -> Vec<FormulaId> {
    let claims = lowered.properties.iter().map(|property| &property.claim);
    claims
        .filter_map(|claim| match claim {
            Claim::Formula(formula) => Some(*formula),
            Claim::Assert(..) => None,
        })
        .collect()
}

/// Every formula whose truth is needed: those of properties and the bodies of their always, those of queries.
fn formulas_of(lowered: &Lowered) -> Vec<FormulaId> {
    let mut roots = Vec::new();
    for property in &lowered.properties {
        match &property.claim {
            Claim::Formula(formula) => {
                roots.push(*formula);
                roots.extend(outermost_always(&lowered.formulas, *formula).map(|(_, body)| body));
            }
            Claim::Assert(query, ..) => query.for_each_formula(&mut |formula| roots.push(formula)),
        }
    }
    for query in &lowered.queries {
        query.query.for_each_formula(&mut |formula| roots.push(formula));
        roots.extend(query.latencies.iter().flat_map(|(request, answered)| [*request, *answered]));
    }
    roots.sort_unstable();
    roots.dedup();
    roots
}

pub(crate) fn outermost_always(formulas: &Formulas, formula: FormulaId) -> Option<(Interval, FormulaId)> {
    match formulas.node(formula) {
        Node::Always(Direction::Future, interval, body) => Some((interval, body)),
        _ => None,
    }
}

/// The variables that a formula speaks of, in order.
pub(crate) fn variables_of(formulas: &Formulas, formula: FormulaId) -> Vec<VariableId> {
    let mut variables = Vec::new();
    for part in formulas.parts(&[formula]) {
        if let Node::Atom(atom) = formulas.node(part) {
            formulas.atom(atom).for_each_variable(&mut |variable| variables.push(variable));
        }
    }
    variables.sort_unstable();
    variables.dedup();
    variables
}
