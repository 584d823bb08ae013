//! Asking a spec of a trace.

use crate::error::{Error, Request};
use crate::question::{Bound, Input, PartsTally, Question};
use crate::report::Report;
use crate::runs::RunQuestions;
use crate::spec::Spec;
use std::cell::OnceCell;
use std::fmt;
use std::io::Read;
use std::sync::{Arc, Mutex, PoisonError};
use traceward_engine::select::{Config, EngineName};
use traceward_logic::expr::Expr;
use traceward_logic::lower::{Claim, Property, Schema};
use traceward_trace::{
    KeyParts, ReadFailure, ReadInput, ReadOptions, ReadTrace, Segments, TraceError, TraceErrorKind, read_input,
};

/// The truth that is reported beside the verdicts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Truth {
    /// Only verdicts are reported.
    #[default]
    AtZero,
    /// The truth of each property at every position is reported.
    AtEveryPosition,
    /// The truth at every position is reported, with the value of every node of the automaton.
    Table,
}

/// The extent of a trace: whether it has come to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Extent {
    /// The trace has ended.
    #[default]
    Whole,
    /// The trace is the beginning of a longer one: verdicts are four-valued.
    Prefix,
}

/// The options by which a spec is asked of a trace.
///
/// ```
/// use traceward::{CheckOptions, EngineName, Spec, Verdict, check_with};
///
/// let spec: Spec = "F grant".parse()?;
/// let options = CheckOptions::default().engine(EngineName::Observer).prefix();
/// let report = check_with(&spec, "grant\n0\n".as_bytes(), &options)?;
/// assert_eq!(report.properties[0].verdict, Verdict::Pending);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CheckOptions {
    /// The engine that answers, and its settings.
    pub config: Config,
    /// The truth that is reported beside the verdicts.
    pub truth: Truth,
    /// The extent of the trace: whether it has come to its end.
    pub extent: Extent,
    /// The questions about runs.
    pub runs: RunQuestions,
    /// Whether the cost of answering is reported.
    pub engine_statistics: bool,
    /// Whether it is reported what engines held after each state.
    pub steps: bool,
    /// The number of violations that are reported one by one.
    pub max_violations: usize,
    /// The largest number of timelines that are made: the states around violations, and around
    /// what is owed.
    pub timelines: usize,
    /// Whether the points are reported by which queries can be drawn.
    pub points: bool,
    /// The options by which the trace is read. What the spec says of columns is filled in.
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
            steps: false,
            max_violations: 5,
            timelines: 0,
            points: false,
            read: ReadOptions::default(),
        }
    }
}

impl CheckOptions {
    /// The options with a certain engine.
    #[must_use]
    pub fn engine(mut self, engine: EngineName) -> Self {
        self.config.engine = engine;
        self
    }

    /// The options with a certain engine and certain limits.
    #[must_use]
    pub fn config(self, config: Config) -> Self {
        Self { config, ..self }
    }

    /// The options with truth at every position.
    #[must_use]
    pub fn truth(self, truth: Truth) -> Self {
        Self { truth, ..self }
    }

    /// The options for a trace that is the beginning of a longer one.
    #[must_use]
    pub fn prefix(self) -> Self {
        Self { extent: Extent::Prefix, ..self }
    }

    /// The options with questions about runs.
    #[must_use]
    pub fn runs(self, runs: RunQuestions) -> Self {
        Self { runs, ..self }
    }

    /// The options with a report of what answering has cost.
    #[must_use]
    pub fn engine_statistics(self) -> Self {
        Self { engine_statistics: true, ..self }
    }

    /// The options with a report of what engines held after each state of a short trace.
    ///
    /// ```
    /// use traceward::{CheckOptions, EngineName, Spec, check_with};
    ///
    /// let spec: Spec = "G(request -> F grant)".parse()?;
    /// let options = CheckOptions::default().engine(EngineName::ForwardBackwardDag).steps();
    /// let report = check_with(&spec, "request,grant\n1,0\n0,1\n".as_bytes(), &options)?;
    /// let told = report.properties[0].walkthrough.as_ref().unwrap();
    /// assert_eq!(told.steps[0].stages[1].content.to_string(), "∧\n├─ n0\n└─ n2");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn steps(self) -> Self {
        Self { steps: true, ..self }
    }

    /// The options with a number of violations to be reported one by one.
    #[must_use]
    pub fn max_violations(self, max_violations: usize) -> Self {
        Self { max_violations, ..self }
    }

    /// The options with timelines, as many as `timelines` at the most.
    #[must_use]
    pub fn timelines(self, timelines: usize) -> Self {
        Self { timelines, ..self }
    }

    /// The options with the points by which queries can be drawn.
    #[must_use]
    pub fn points(self) -> Self {
        Self { points: true, ..self }
    }

    /// The options with a certain way of reading the trace.
    #[must_use]
    pub fn read(self, read: ReadOptions) -> Self {
        Self { read, ..self }
    }
}

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
    let read = filled(spec, options)?;
    Asked { spec, options, ready: &Mutex::default() }.answer(read_input(input, &read))
}

/// Answers a spec's questions about a trace that somebody else reads, by the options that the
/// spec's needs have been filled into. The crate `traceward-arrow` reads tables for it.
pub fn check_read(
    spec: &Spec,
    read: impl for<'o> FnOnce(&'o ReadOptions) -> Result<ReadInput<'o>, ReadFailure>,
    options: &CheckOptions,
) -> Result<Report, Error> {
    let filled = filled(spec, options)?;
    Asked { spec, options, ready: &Mutex::default() }.answer(read(&filled))
}

/// A spec with the options by which it is asked of many traces.
///
/// It answers as [`check_with`] does, and keeps what it has made ready for the last trace: one
/// whose columns have the same names and types takes no time for formulas and engines. That counts
/// where traces are short.
///
/// ```
/// use traceward::{CheckOptions, Checker};
///
/// let checker = Checker::new("G(request -> F grant)".parse()?, CheckOptions::default())?;
/// assert!(!checker.check("request,grant\n1,0\n0,1\n".as_bytes())?.is_violated());
/// assert!(checker.check("request,grant\n1,0\n".as_bytes())?.is_violated());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Checker {
    spec: Spec,
    options: CheckOptions,
    read: ReadOptions,
    ready: Mutex<Option<Arc<Bound>>>,
}

impl Checker {
    /// A spec that is asked by certain options.
    pub fn new(spec: Spec, options: CheckOptions) -> Result<Self, Error> {
        let read = filled(&spec, &options)?;
        Ok(Self { spec, options, read, ready: Mutex::default() })
    }

    /// The options by which it is asked.
    pub fn options(&self) -> &CheckOptions {
        &self.options
    }

    /// Reads a trace and answers the spec's questions about it.
    pub fn check(&self, input: impl Read) -> Result<Report, Error> {
        self.asked().answer(read_input(input, &self.read))
    }

    /// Answers the spec's questions about a trace that somebody else reads, as [`check_read`] does.
    pub fn check_read(
        &self,
        read: impl for<'o> FnOnce(&'o ReadOptions) -> Result<ReadInput<'o>, ReadFailure>,
    ) -> Result<Report, Error> {
        self.asked().answer(read(&self.read))
    }

    fn asked(&self) -> Asked<'_> {
        Asked { spec: &self.spec, options: &self.options, ready: &self.ready }
    }
}

impl fmt::Debug for Checker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Checker").field("spec", &self.spec).field("options", &self.options).finish_non_exhaustive()
    }
}

/// The options by which a trace is read for a spec.
fn filled(spec: &Spec, options: &CheckOptions) -> Result<ReadOptions, Error> {
    if spec.lowered().end_when.is_some() && spec.settings().by.is_none() {
        return Err(Request::EndWithoutKey.into());
    }
    let read = spec.read_options(&options.read);
    // What is drawn needs all states at once.
    let stays = options.points || (read.key.is_none() && !takes_segments(spec, options));
    let spill = if stays { None } else { read.spill.clone() };
    Ok(ReadOptions { spill, reach: reach(spec), ..read })
}

/// Whether a spec can be asked of a trace whose states are not in memory together. Values are
/// looked at where something is told of a state, and not otherwise: so there are no queries, nobody
/// asks what engines held, and no expression counts states.
fn takes_segments(spec: &Spec, options: &CheckOptions) -> bool {
    let lowered = spec.lowered();
    let is_formula = |property: &Property| matches!(property.claim, Claim::Formula(_));
    lowered.queries.is_empty()
        && lowered.properties.iter().all(is_formula)
        && options.truth != Truth::Table
        && !options.steps
        && !options.runs.coverage
        && options.config.engine != EngineName::Naive
        && !lowered.formulas.atoms().iter().any(Expr::counts_states)
}

/// The number of states before another one that expressions of a spec look at.
fn reach(spec: &Spec) -> usize {
    let reach = spec.lowered().formulas.atoms().iter().map(Expr::reach).max().unwrap_or(0);
    usize::try_from(reach).unwrap_or(usize::MAX)
}

/// A spec that is asked, with what was made ready for the trace before.
#[derive(Clone, Copy)]
struct Asked<'a> {
    spec: &'a Spec,
    options: &'a CheckOptions,
    ready: &'a Mutex<Option<Arc<Bound>>>,
}

impl<'a> Asked<'a> {
    /// Answers the spec's questions about what was read.
    fn answer(self, read: Result<ReadInput<'_>, ReadFailure>) -> Result<Report, Error> {
        match read {
            Ok(ReadInput::Whole(trace)) => {
                let bound = self.bind(&trace)?;
                self.question(&bound, Input::new(*trace))?.answer()
            }
            Ok(ReadInput::ByKey(parts)) => self.answer_parts(*parts),
            Ok(ReadInput::InSegments(segments)) => self.answer_segments(*segments),
            Err(ReadFailure { error, before }) => {
                // Of two mistakes the earlier one is told: what comes before the line may fail
                // itself.
                if let Some(before) = before
                    && let Some(bound) = self.bind_beginning(&before)?
                {
                    self.question(&bound, Input::new(*before))?.evaluate()?;
                }
                Err(unfit(self.spec, error))
            }
        }
    }

    /// Asks a trace whose states are not in memory together. Of two mistakes the earlier one is
    /// told.
    fn answer_segments(self, segments: Segments) -> Result<Report, Error> {
        let Some(error) = segments.stopped().cloned() else {
            let bound = self.bind(segments.outline())?;
            return self.question(&bound, Input::in_segments(segments))?.answer();
        };
        if let Some(bound) = self.bind_beginning(segments.outline())? {
            self.question(&bound, Input::in_segments(segments))?.evaluate()?;
        }
        Err(unfit(self.spec, error))
    }

    /// Asks keys that are not in memory together, some after the others. Of several mistakes the
    /// earliest in the input is told.
    fn answer_parts(self, mut parts: KeyParts<'_>) -> Result<Report, Error> {
        let mut earliest = parts.stopped().map(|error| unfit(self.spec, error.clone()));
        let bound = OnceCell::new();
        let mut tally = PartsTally::default();
        let mut last = None;
        while let Some(part) = parts.next_part() {
            let part = match part {
                Ok(part) => part,
                Err(ReadFailure { error, before }) => {
                    earliest = Some(earlier(earliest, unfit(self.spec, error)));
                    let Some(before) = before else { continue };
                    *before
                }
            };
            // All parts have the same types and names.
            let bound: &Arc<Bound> = match bound.get() {
                Some(bound) => bound,
                None => {
                    let made = self.bind(&part)?;
                    bound.get_or_init(|| made)
                }
            };
            let question = self.question(bound, Input::new(part))?;
            let asked = if earliest.is_some() { question.evaluate() } else { tally.add(&question) };
            match asked {
                Err(error) if line_of(&error).is_some() => earliest = Some(earlier(earliest, error)),
                Err(error) => return Err(error),
                Ok(()) => last = Some(question),
            }
        }
        match (earliest, last.and_then(|question| tally.finish(&question, parts.notes()))) {
            (Some(error), _) => Err(error),
            (None, Some(report)) => Ok(report),
            (None, None) => unreachable!("only a trace with states does not fit into memory"),
        }
    }

    fn question(self, bound: &'a Bound, input: Input) -> Result<Question<'a>, Error> {
        Question::new(self.spec, bound, input, self.options)
    }

    /// The spec, ready for a trace that was read: as it was for the one before, if that was alike.
    fn bind(self, trace: &ReadTrace) -> Result<Arc<Bound>, Error> {
        let mut schema = schema(self.spec, trace);
        schema.names.clone_from(&trace.names);
        schema.names_known = !trace.names.is_empty();
        let lock = || self.ready.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(ready) = lock().as_ref().filter(|ready| ready.fits(&schema)) {
            return Ok(ready.clone());
        }
        let lowered = self.spec.bind(&schema).map_err(Error::Mismatch)?;
        let made = Arc::new(Bound::new(self.spec, schema, lowered, self.options)?);
        *lock() = Some(made.clone());
        Ok(made)
    }

    /// The spec, ready for a trace that was not read to its end, so that names may yet come; none
    /// if it does not fit.
    fn bind_beginning(self, trace: &ReadTrace) -> Result<Option<Bound>, Error> {
        let schema = schema(self.spec, trace);
        let Ok(lowered) = self.spec.bind(&schema) else { return Ok(None) };
        Bound::new(self.spec, schema, lowered, self.options).map(Some)
    }
}

/// The earlier of two mistakes.
fn earlier(known: Option<Error>, error: Error) -> Error {
    match known {
        Some(known) if line_of(&known) <= line_of(&error) => known,
        _ => error,
    }
}

/// The line of a mistake, if it has one.
fn line_of(error: &Error) -> Option<u64> {
    match error {
        Error::Trace(error) | Error::Unfit { error, .. } => error.line(),
        Error::Evaluation { line, .. } => Some(*line),
        _ => None,
    }
}

/// What is known of a trace that may not have been read to its end, so that names may yet come.
fn schema(spec: &Spec, trace: &ReadTrace) -> Schema {
    // An input may have timestamps that nobody had to name.
    let mut schema = Schema { has_time: trace.time.is_some(), ..spec.schema(&trace.types) };
    let absent = spec.variables().iter().zip(&trace.columns).filter(|(_, column)| column.is_none());
    for (variable, _) in absent {
        schema.types.remove(&variable.name);
    }
    schema
}

/// The error for a value that does not fit: it is in the trace, and the spec has a part in it.
pub(crate) fn unfit(spec: &Spec, error: TraceError) -> Error {
    let asked = matches!(
        error.kind(),
        TraceErrorKind::NotBool(_)
            | TraceErrorKind::NotNumber(_)
            | TraceErrorKind::NotText(_)
            | TraceErrorKind::UnlikeFirst { .. }
            | TraceErrorKind::NoOrder(_)
            | TraceErrorKind::NotSupposed { .. }
            | TraceErrorKind::Container { .. }
    );
    match error.column().filter(|_| asked).and_then(|name| spec.place_of(name)) {
        Some(used) => Error::Unfit { error, used },
        None => Error::Trace(error),
    }
}
