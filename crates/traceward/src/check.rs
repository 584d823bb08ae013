//! Asking a spec of a trace.

use crate::error::Error;
use crate::question::Question;
use crate::report::Report;
use crate::runs::RunQuestions;
use crate::spec::Spec;
use std::io::Read;
use traceward_engine::select::{Config, EngineName};
use traceward_logic::lower::{Lowered, Schema};
use traceward_trace::{ReadFailure, ReadOptions, ReadTrace, TraceError, TraceErrorKind, read_or_before};

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

impl CheckOptions {
    /// With a certain engine.
    #[must_use]
    pub fn engine(mut self, engine: EngineName) -> Self {
        self.config.engine = engine;
        self
    }

    /// With a certain engine and certain limits.
    #[must_use]
    pub fn config(self, config: Config) -> Self {
        Self { config, ..self }
    }

    /// With truth at every position.
    #[must_use]
    pub fn truth(self, truth: Truth) -> Self {
        Self { truth, ..self }
    }

    /// The trace is the beginning of a longer one.
    #[must_use]
    pub fn prefix(self) -> Self {
        Self { extent: Extent::Prefix, ..self }
    }

    /// With questions about runs.
    #[must_use]
    pub fn runs(self, runs: RunQuestions) -> Self {
        Self { runs, ..self }
    }

    /// With what answering has cost the engine.
    #[must_use]
    pub fn engine_statistics(self) -> Self {
        Self { engine_statistics: true, ..self }
    }

    /// With so many violations one by one.
    #[must_use]
    pub fn max_violations(self, max_violations: usize) -> Self {
        Self { max_violations, ..self }
    }

    /// Reading the trace in a certain way.
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
