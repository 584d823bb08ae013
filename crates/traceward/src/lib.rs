//! Checks, monitors and measures what running systems actually did.
//!
//! A [`Spec`] says what must hold and what is measured; [`check`] answers for a trace that has
//! ended, a [`Monitor`] while one goes on.
//!
//! ```
//! use traceward::{Spec, Verdict, check};
//!
//! let spec: Spec = "G(request -> F grant)".parse()?;
//! let trace = "request,grant\ntrue,false\nfalse,true\ntrue,false\n";
//! let report = check(&spec, trace.as_bytes())?;
//!
//! assert_eq!(report.properties[0].verdict, Verdict::Violated);
//! let violations = report.properties[0].evidence.violations.as_ref().unwrap();
//! assert_eq!(violations.first[0].position, 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What is at the top is what most callers need. Beside it, [`report`] has the parts of an answer,
//! [`engine`] how it is found, [`input`] how traces are read and inspected, [`hygiene`] what can be
//! said without a trace, [`message`] how mistakes are worded, and [`plan`] what is done with a
//! formula.

mod check;
mod demand;
mod doubt;
mod error;
mod experiment;
pub mod hygiene;
mod monitor;
pub mod plan;
mod question;
mod render;
pub mod report;
mod runs;
mod spec;
mod summary;
mod warning;
mod words;

pub use check::{CheckOptions, Checker, Extent, Truth, check, check_read, check_with};
pub use error::{Error, Request};
pub use monitor::{
    Abandoned, Change, EndedTrace, Ending, Event, Feed, Followed, KeyEnd, KeyOptions, KeyViolation, KeyedEvent,
    KeyedFeed, KeyedMonitor, KeyedProperty, KeyedQuery, KeyedStep, Known, MeasuredQuery, Missed, Monitor, PassedTime,
    PropertyId, RestoreError, State, StepError,
};
pub use report::{Evidence, PropertyReport, Report};
pub use runs::RunQuestions;
pub use spec::{Dialect, Goal, Settings, Source, Spec, SpecError};
pub use traceward_engine::select::{Config, EngineName};
pub use traceward_logic::trace::VariableId;
pub use traceward_logic::value::{Value, ValueType};
pub use traceward_logic::verdict::Verdict;
pub use traceward_trace::ReadOptions;

/// The means by which answers are found: engines, their limits, and the errors when these are
/// reached.
pub mod engine {
    pub use traceward_engine::engine::{EngineStatistics, Exactness, Memory, Subsumption};
    pub use traceward_engine::limit::{BuildError, Feature, GaveUp, Instead, Interrupt, Limit, Limits, Unsupported};
    pub use traceward_engine::query::online::Unfollowable;
    pub use traceward_engine::query::{Precision, Tolerance, ToleranceKind};
    pub use traceward_engine::select::{Config, EngineName, Simplification};
}

/// The reading of traces, and what they hold.
pub mod input {
    pub use crate::monitor::Unseen;
    pub use traceward_trace::{
        Answer, CannotRestore, Certainty, Claim, ColumnInspection, ColumnKind, Counted, Distinct, EventsMistake,
        Format, HeaderLine, Hello, Inspection, Key, LineUnit, MissingPolicy, Note, Pieces, ReadFailure, ReadOptions,
        ReadTrace, RecordOrder, Records, Scratch, ScratchFile, SourcePlace, Spill, Suggestion, TimeColumn, TimeGuess,
        TimeUnit, TraceError, TraceErrorKind, WayOut, inspect,
    };
}

/// The wording of mistakes, names and durations for people.
pub mod message {
    pub use crate::render::{Paint, Style, render};
    pub use crate::spec::{SpecPlace, TextPlace};
    pub use traceward_logic::diagnostic::{Diagnostic, Help, Remedy, did_you_mean};
    pub use traceward_logic::print::{Name, TIME_UNITS, duration, lined_up};
    pub use traceward_logic::shown::{Shown, is_hidden};
}
