//! Checks, monitors and measures what running systems actually did.
//!
//! A [`Spec`] says what must hold and what is measured; [`check`] answers for a trace that has ended, a [`Monitor`] while one
//! goes on.
//!
//! ```
//! use traceward::{Spec, Verdict, check};
//!
//! let spec: Spec = "G(request -> F grant)".parse()?;
//! let trace = "request,grant\ntrue,false\nfalse,true\ntrue,false\n";
//! let report = check(&spec, trace.as_bytes())?;
//!
//! assert_eq!(report.properties[0].verdict, Verdict::Violated);
//! let violations = report.properties[0].violations.as_ref().unwrap();
//! assert_eq!(violations.first[0].position, 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod check;
mod error;
mod hygiene;
mod monitor;
mod plan;
mod question;
mod render;
mod report;
mod runs;
mod spec;

pub use check::{CheckOptions, Extent, Truth, check, check_with};
pub use error::{Error, Request};
pub use hygiene::{Comparison, Example, Finding, Lint, Oddity, Relation, compare, lint};
pub use monitor::{Event, Feed, Followed, Monitor, PropertyId, State, StepError, Unseen};
pub use plan::{Plan, explain_plan};
pub use render::{Paint, Style};
pub use report::{
    Compared, Cost, Evidence, KeyVerdict, KeysReport, OwedReport, PropertyReport, QueryReport, QueryValue, Report,
    TraceReport, Violation, Violations,
};
pub use runs::{CoverageReport, RunQuestions, UnusedPart, WaitingReport};
pub use spec::{Settings, Source, Spec, SpecError, SpecPlace};

pub use traceward_engine::engine::{EngineStatistics, Exactness, Memory, Subsumption};
pub use traceward_engine::limit::{BuildError, Feature, GaveUp, Instead, Limit, Limits, Unsupported};
pub use traceward_engine::select::{Config, EngineName, Simplification};
pub use traceward_logic::diagnostic::{Help, Remedy};
pub use traceward_logic::lower::Goal;
pub use traceward_logic::print::{Name, TIME_UNITS, duration};
pub use traceward_logic::value::{Value, ValueType};
pub use traceward_logic::verdict::Verdict;
pub use traceward_trace::{
    ColumnInspection, ColumnKind, Distinct, Format, Inspection, MissingPolicy, Note, ReadOptions, Records, TimeColumn,
    TimeGuess, TimeUnit, TraceError, inspect,
};
