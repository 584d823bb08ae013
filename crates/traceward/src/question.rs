//! A spec that has met its trace.
//!
//! The road: the spec's formulas are prepared once, letters are made once, a *part* is the whole
//! trace or a key's, and one function judges a part. Evidence comes after verdicts (`evidence`).

mod batch;
mod bound;
mod by_key;
mod comparison;
mod everywhere;
mod evidence;
mod input;
mod judgement;
mod measured;
mod missing;
mod mistake;
mod part;
mod parts;
mod points;
mod response;
pub(crate) mod steps;
mod table;
mod timeline;
mod walkthrough;
mod why;

use crate::check::{CheckOptions, Extent, Truth};
use crate::error::{Error, Request};
use crate::report::{Cost, Evidence, PropertyReport, QueryReport, QueryValue, Report, TraceReport};
use crate::spec::Spec;
use crate::warning::{Subject, Warning, WarningKind};
use crate::words::Words;
use batch::{Batches, LooksAtTime, Ready};
pub(crate) use bound::Bound;
use by_key::KeyTally;
use everywhere::Experiments;
pub(crate) use evidence::variables_of;
pub(crate) use input::Input;
use input::{Counted, Elsewhere};
use judgement::Judgement;
use mistake::Occurring;
pub(crate) use mistake::{MOST_COMPARED, compared_strings, never_true};
use part::{Evaluated, Part};
pub(crate) use parts::PartsTally;
use points::Drawn;
use response::ResponseTally;
use traceward_engine::select::{Cache, EngineName};
use traceward_logic::bitmap::Bitmap;
use traceward_logic::formula::{Direction, FormulaId, Formulas, Interval, Node};
use traceward_logic::letter::{self, Letters};
use traceward_logic::lower::{Claim, Lowered};
use traceward_logic::semantics::EvaluationError;
use traceward_logic::trace::Trace;
use traceward_logic::value::Value;
use traceward_trace::{Key, KeyGroup, Keys};
use why::Explaining;

/// The longest trace that the definition itself is asked about: beyond it an answer takes minutes.
const LONGEST_NAIVE: usize = 200_000;

/// The longest trace whose queries the definition is asked about: collections inside collections
/// are quadratic.
const LONGEST_NAIVE_QUERY: usize = 20_000;

/// A spec that has met its trace.
pub(crate) struct Question<'a> {
    spec: &'a Spec,
    /// The spec, ready for the schema of the trace.
    bound: &'a Bound,
    options: &'a CheckOptions,
    input: Input,
    /// Counts what is explained.
    explaining: Explaining,
}

/// The reports on properties and queries, and warnings about them.
type Answers = (Vec<PropertyReport>, Vec<QueryReport>, Vec<Warning>);

impl<'a> Question<'a> {
    pub(crate) fn new(
        spec: &'a Spec,
        bound: &'a Bound,
        input: Input,
        options: &'a CheckOptions,
    ) -> Result<Self, Error> {
        refuse_what_cannot_be_had(&bound.lowered, &input, options)?;
        let explaining = Explaining::new(bound.lowered.properties.len(), options.timelines);
        Ok(Self { spec, bound, options, input, explaining })
    }

    /// Evaluates every expression at every position, without judging anything.
    pub(crate) fn evaluate(&self) -> Result<(), Error> {
        match (&self.input.keys, self.letters_of_whole(&mut Occurring::default())?) {
            (Some(keys), None) => self.each_part(keys, None, |_, _| Ok(())),
            _ => Ok(()),
        }
    }

    pub(crate) fn answer(self) -> Result<Report, Error> {
        let mut occurring = Occurring::default();
        let whole = self.letters_of_whole(&mut occurring)?;
        let (properties, queries, mut warnings) = match (&self.input.keys, &whole) {
            (Some(keys), letters) => self.by_key(keys, letters.as_ref())?,
            (None, Some(letters)) => self.whole(letters)?,
            (None, None) => unreachable!("a trace that is not split has letters of its own"),
        };
        self.input.check()?;
        warnings.extend(mistake::look(&self, &occurring, &properties));
        warnings.extend(steps::look(self.spec, &self.bound.lowered));
        warnings.extend(self.spec.notes());
        Ok(Report { trace: self.trace_report()?, properties, queries, warnings })
    }

    /// Where the words of formulas are found.
    fn words(&self) -> Words<'_> {
        Words { spec: self.spec, lowered: &self.bound.lowered, names: &self.bound.names }
    }

    /// The name of a property by its place among those that are formulas.
    fn formula_name(&self, place: usize) -> String {
        formula_name(self.spec, &self.bound.lowered, place)
    }

    // ---- parts ----

    /// The whole trace as the one part.
    fn whole(&self, letters: &Letters) -> Result<Answers, Error> {
        let mut cache = Cache::for_threads(self.options.read.pieces.threads);
        let evaluated = Evaluated { letters, rows: self.bound.evaluator.truth(&mut cache, letters)? };
        let part = Part::whole(self, &evaluated);
        let (judgements, values) = self.judge(&part)?;
        let truths = self.truths(&part)?;
        let (mut properties, mut warnings) = (Vec::new(), Vec::new());
        for (index, (judgement, truth)) in judgements.into_iter().zip(truths).enumerate() {
            let evidence = evidence::of_whole(&part, index, &judgement);
            let vacuous = evidence::unmet_trigger(&part, index, &judgement).map(|span| self.spec.text(span));
            warnings.extend(self.not_followed(index, judgement.not_followed.clone()));
            let report = self.property_report(index, judgement, evidence);
            let walkthrough = walkthrough::of_property(&part, index, report.engine)?;
            let mut responses = ResponseTally::new(self, index);
            responses.add(&part, index, None);
            properties.push(PropertyReport { truth, vacuous, walkthrough, responses: responses.finish(), ..report });
        }
        let mut experiments = Experiments::new(self);
        experiments.add(&part, None)?;
        let mut drawn = Drawn::new(self);
        drawn.add(&part)?;
        let value = |(index, ((value, everywhere), points))| {
            let unanswered = part.unanswered(&self.bound.lowered.queries[index]);
            let report = self.query_report(index, QueryValue::Whole(value), unanswered);
            let tolerance = part.error(self.bound.measured.query(index))?.map(|error| error.tolerance);
            Ok(QueryReport { everywhere, points, tolerance, ..report })
        };
        let queries = values.into_iter().zip(experiments.finish()).zip(drawn.finish()).enumerate().map(value);
        Ok((properties, queries.collect::<Result<_, Error>>()?, warnings))
    }

    /// The warning that a property could not be followed.
    fn not_followed(&self, index: usize, kind: Option<WarningKind>) -> Option<Warning> {
        let about = Some(Subject::Property(self.bound.property_names[index].clone()));
        kind.map(|kind| Warning { kind, about, is_urgent: true })
    }

    /// A part for each key.
    fn by_key(&self, keys: &Keys, whole: Option<&Letters>) -> Result<Answers, Error> {
        let mut tally = KeyTally::new(self);
        self.add_keys(keys, whole, &mut tally)?;
        Ok(tally.finish(self))
    }

    /// Judges the part of each key.
    fn add_keys(&self, keys: &Keys, whole: Option<&Letters>, tally: &mut KeyTally) -> Result<(), Error> {
        self.each_part(keys, whole, |group, part| {
            let (judgements, values) = self.judge(part)?;
            tally.add(group, part, judgements, values)
        })
    }

    /// Calls `take` for each key's part, with the letters of the whole trace where parts have the
    /// same.
    fn each_part(
        &self,
        keys: &Keys,
        whole: Option<&Letters>,
        mut take: impl FnMut(KeyGroup<'_>, &Part<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        if let Some(whole) = whole {
            let (evaluator, looks_at_time) = (&self.bound.evaluator, self.bound.looks_at_time);
            let batches = Batches { keys, whole, evaluator, looks_at_time };
            return batches.each(self.options.read.pieces.threads, |ready| self.each_of_batch(keys, &ready, &mut take));
        }
        let mut cache = Cache::for_threads(self.options.read.pieces.threads);
        for group in keys.groups() {
            let letters = self.letters_of_part(group.positions).map_err(|_| self.earliest_error(keys))?;
            self.alone(group, &letters, &mut cache, &mut take)?;
        }
        Ok(())
    }

    /// Calls `take` for each of the parts that were evaluated together.
    fn each_of_batch(
        &self,
        keys: &Keys,
        ready: &Ready,
        take: &mut impl FnMut(KeyGroup<'_>, &Part<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let Ready { traces, letters, rows } = ready;
        let evaluated = Evaluated { letters, rows: rows.iter().collect() };
        if traces.len() == 1 {
            let group = keys.group(traces.start);
            return take(group, &Part::of_key(self, group.positions, &evaluated));
        }
        let first = keys.start(traces.start);
        for trace in traces.clone() {
            let group = keys.group(trace);
            take(group, &Part::among_others(self, group.positions, &evaluated, keys.start(trace) - first))?;
        }
        Ok(())
    }

    /// Evaluates a key's part alone, and calls `take` for it.
    fn alone(
        &self,
        group: KeyGroup<'_>,
        letters: &Letters,
        cache: &mut Cache,
        take: &mut impl FnMut(KeyGroup<'_>, &Part<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let evaluated = Evaluated { letters, rows: self.bound.evaluator.truth(cache, letters)? };
        take(group, &Part::of_key(self, group.positions, &evaluated))
    }

    /// One function judges a part: the verdict on each property, and the value of each query.
    fn judge(&self, part: &Part<'_>) -> Result<(Vec<Judgement>, Vec<Option<Value>>), Error> {
        let mut of_formulas = self.bound.judges.decide(part)?.into_iter();
        let mut judgements = Vec::new();
        for (index, property) in self.bound.lowered.properties.iter().enumerate() {
            judgements.push(match &property.claim {
                Claim::Formula(formula) => {
                    of_formulas.next().unwrap_or_else(|| Judgement::by_rows(part.holds_at_start(*formula)))
                }
                Claim::Assert(compared) => comparison::judge(part, compared, self.bound.measured.sides(index))?,
            });
        }
        let values = (0..self.bound.lowered.queries.len()).map(|index| part.value(self.bound.measured.query(index)));
        Ok((judgements, values.collect::<Result<_, _>>()?))
    }

    /// For each property where it holds, if that was asked for.
    fn truths(&self, part: &Part<'_>) -> Result<Vec<Option<Bitmap>>, Error> {
        if self.options.truth == Truth::AtZero {
            return Ok(vec![None; self.bound.lowered.properties.len()]);
        }
        let mut by_judge = self.bound.judges.truth(part)?.map(Vec::into_iter);
        let truth = |claim: &Claim| match (claim, &mut by_judge) {
            (Claim::Assert(..), _) => None,
            (Claim::Formula(_), Some(truths)) => truths.next(),
            (Claim::Formula(formula), None) => Some(part.row(*formula).clone()),
        };
        Ok(self.bound.lowered.properties.iter().map(|property| &property.claim).map(truth).collect())
    }

    // ---- letters ----

    /// The letters of the whole trace; none if those of a key's part are others. What an expression
    /// says of a state is the same in a part and in the whole, unless it speaks of `pos` or of
    /// earlier states.
    fn letters_of_whole(&self, occurring: &mut Occurring) -> Result<Option<Letters>, Error> {
        if let Some(elsewhere) = self.input.elsewhere() {
            return self.letters_of_stretches(elsewhere, occurring).map(Some);
        }
        let trace = self.input.trace();
        occurring.add_values(self, trace);
        if self.input.keys.is_some() && self.bound.prepared.speaks_of_states_before() {
            occurring.add_held(None, trace.len);
            return Ok(None);
        }
        let letters = self.checked_letters(trace).map_err(|error| self.evaluation_error(&error))?;
        occurring.add_held(Some(&letters), trace.len);
        Ok(Some(letters))
    }

    /// The letters of a trace that is not in memory as a whole. They are: a bit for each
    /// proposition and state, and timestamps where formulas look at them.
    fn letters_of_stretches(&self, elsewhere: &Elsewhere, occurring: &mut Occurring) -> Result<Letters, Error> {
        let len = self.input.len;
        let keeps_time = self.input.has_time() && self.bound.looks_at_time == LooksAtTime::Yes;
        // There may be no room for a second copy, as there is while a vector grows.
        let mut time: Option<Vec<i64>> = keeps_time.then(|| Vec::with_capacity(len));
        let mut bitmaps = vec![Bitmap::new(); self.bound.prepared.alphabet.letter_len()];
        let mut counted = Counted::default();
        for index in 0..elsewhere.len() {
            let stretch = elsewhere.stretch(index)?;
            let (trace, own) = (&stretch.trace, stretch.own.clone());
            let checked =
                letter::check_expressions_from(&self.bound.lowered.formulas, &self.bound.asked, trace, own.start);
            checked.map_err(|error| {
                let position = stretch.start + error.position;
                self.evaluation_error(&EvaluationError { position, ..error })
            })?;
            let letters = self.bound.prepared.letters(trace);
            for (whole, bits) in bitmaps.iter_mut().zip(&letters.bitmaps) {
                whole.append(&bits.slice(own.clone()));
            }
            if let (Some(whole), Some(times)) = (&mut time, &trace.time) {
                whole.extend_from_slice(&times[own.clone()]);
            }
            counted.add(trace, own);
            occurring.add_values(self, trace);
        }
        // Whoever asked before has found the same.
        let _ = elsewhere.counted.set(counted);
        let letters = Letters { len, bitmaps, time: time.map(Into::into) };
        occurring.add_held(Some(&letters), len);
        Ok(letters)
    }

    /// The letters of states, once every expression that was asked has been evaluated as a whole.
    /// Triggers are parts of those, and not asked wherever they stand.
    fn checked_letters(&self, trace: &Trace) -> Result<Letters, EvaluationError> {
        letter::check_expressions(&self.bound.lowered.formulas, &self.bound.asked, trace)?;
        Ok(self.bound.prepared.letters(trace))
    }

    /// The letters of a part whose expressions speak of its states before. The position of an error
    /// is one of the whole trace.
    fn letters_of_part(&self, positions: &[u32]) -> Result<Letters, EvaluationError> {
        let part = self.input.trace().gather(positions);
        let in_whole = |error: EvaluationError| {
            let position = positions[error.position] as usize;
            EvaluationError { position, ..error }
        };
        self.checked_letters(&part).map_err(in_whole)
    }

    /// Of the errors in all parts the first one in the trace, in whichever part it is.
    fn earliest_error(&self, keys: &Keys) -> Error {
        let errors = keys.groups().filter_map(|group| self.letters_of_part(group.positions).err());
        let earliest = errors.min_by_key(|error| error.position).expect("a part that cannot be evaluated");
        self.evaluation_error(&earliest)
    }

    /// An expression that cannot be evaluated; its position is one of the whole trace.
    fn evaluation_error(&self, error: &EvaluationError) -> Error {
        let what = match &error.expression {
            Some(expr) => format!(" in `{}`", expr.display(&self.bound.names)),
            None => " in a sum".to_owned(),
        };
        let line = self.input.lines.line(error.position);
        let position = self.input.positions.of(error.position);
        Error::Evaluation { message: format!("{}{what} at position {position}", error.reason), line }
    }

    // ---- reports ----

    fn trace_report(&self) -> Result<TraceReport, Error> {
        let Input { len, keys, notes, .. } = &self.input;
        let Counted { missing, span } = self.input.counted();
        let needed = self.bound.lowered.variables.list().iter().zip(missing);
        let missing = needed
            .filter(|(variable, missing)| variable.needed_at.is_some() && *missing > 0)
            .map(|(variable, missing)| (variable.name.clone(), missing));
        let sizes = |keys: &Keys| keys.groups().map(|group| (label(group), group.positions.len())).collect();
        Ok(TraceReport {
            states: *len,
            line_unit: self.input.lines.unit(),
            keys: keys.as_ref().map(sizes),
            span,
            missing: missing.collect(),
            notes: notes.clone(),
            table: if self.options.truth == Truth::Table { Some(table::tables(self)?) } else { None },
        })
    }

    fn property_report(&self, index: usize, judgement: Judgement, evidence: Evidence) -> PropertyReport {
        let property = &self.bound.lowered.properties[index];
        PropertyReport {
            name: self.bound.property_names[index].clone(),
            description: property.description.clone(),
            formula: self.spec.text(property.body.span),
            verdict: judgement.verdict,
            engine: judgement.engine.unwrap_or(match property.claim {
                Claim::Formula(_) => self.bound.evaluator.engine(),
                Claim::Assert(..) => EngineName::Naive,
            }),
            decided_at: judgement.decided_at,
            decided_exact: judgement.is_exact,
            cost: Cost::asked(self.options.engine_statistics, judgement.statistics),
            truth: None,
            vacuous: None,
            evidence,
            responses: Vec::new(),
            keys: None,
            walkthrough: None,
        }
    }

    fn query_report(&self, index: usize, value: QueryValue, unanswered: Option<usize>) -> QueryReport {
        let query = &self.bound.lowered.queries[index];
        QueryReport {
            name: self.bound.query_names[index].clone(),
            description: query.description.clone(),
            query: self.spec.text(query.span),
            value,
            everywhere: None,
            unanswered,
            measure: query.query.measure(),
            tolerance: None,
            points: None,
        }
    }
}

fn refuse_what_cannot_be_had(lowered: &Lowered, input: &Input, options: &CheckOptions) -> Result<(), Error> {
    let is_split = input.keys.is_some();
    if is_split && options.truth != Truth::AtZero {
        return Err(Request::TruthByKey.into());
    }
    walkthrough::refuse(input, options)?;
    let states = longest_part(input);
    let longest = if measured::asks_for_values(lowered) { LONGEST_NAIVE_QUERY } else { LONGEST_NAIVE };
    if options.config.engine == EngineName::Naive && states > longest {
        return Err(Request::TooLongForNaive { states }.into());
    }
    Ok(())
}

/// The number of states of the longest trace that is judged: the whole, or that of a key.
fn longest_part(input: &Input) -> usize {
    let of_keys = |keys: &Keys| keys.groups().map(|group| group.positions.len()).max().unwrap_or(0);
    input.keys.as_ref().map_or(input.len, of_keys)
}

/// The name of a key's trace: the key, and behind it the number if it is not the first.
fn label(group: KeyGroup<'_>) -> Key {
    match group.number {
        1 => group.key.clone(),
        number => Key::from(&*crate::report::numbered_key(&group.key.text(), number)),
    }
}

/// The name of a property by its place among those that are formulas.
fn formula_name(spec: &Spec, lowered: &Lowered, place: usize) -> String {
    let is_formula = |index: &usize| matches!(lowered.properties[*index].claim, Claim::Formula(_));
    let index = (0..lowered.properties.len()).filter(is_formula).nth(place);
    index.map(|index| spec.property_names().swap_remove(index)).unwrap_or_default()
}

/// The formulas of properties, in the spec's order.
fn claimed(lowered: &Lowered) -> impl Iterator<Item = FormulaId> {
    lowered.properties.iter().filter_map(|property| match property.claim {
        Claim::Formula(formula) => Some(formula),
        Claim::Assert(..) => None,
    })
}

/// Every formula whose truth is needed: those of properties with what evidence looks at, and those
/// of queries.
fn roots(lowered: &Lowered, extent: Extent) -> Vec<FormulaId> {
    let formulas = &lowered.formulas;
    let mut roots = Vec::new();
    for property in &lowered.properties {
        match &property.claim {
            Claim::Formula(formula) => {
                roots.push(*formula);
                roots.extend(outermost_always(formulas, *formula).map(|(_, body)| body));
                if extent == Extent::Prefix {
                    roots.extend(evidence::owing(formulas, *formula).into_iter().map(|(owing, _)| owing));
                }
            }
            Claim::Assert(comparison) => comparison.for_each_formula(&mut |formula| roots.push(formula)),
        }
    }
    for query in &lowered.queries {
        query.query.for_each_formula(&mut |formula| roots.push(formula));
        roots.extend(query.latencies.iter().flat_map(|(request, answered)| [*request, *answered]));
    }
    roots.extend(lowered.end_when);
    roots.sort_unstable();
    roots.dedup();
    roots
}

/// The window and the body of a formula that is an always.
fn outermost_always(formulas: &Formulas, formula: FormulaId) -> Option<(Interval, FormulaId)> {
    match formulas.node(formula) {
        Node::Always(Direction::Future, interval, body) => Some((interval, body)),
        _ => None,
    }
}
