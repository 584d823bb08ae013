//! What others read of Traceward's answers: versioned documents, as types that serialise.
//!
//! The facade's types are made for those who call it and may change with it; the documents here are
//! what scripts, servers and bindings rely on. Each is made from the facade's type in one place,
//! which takes that type apart field by field, so that nothing is left out unnoticed.
//!
//! ```
//! use traceward::{Spec, check};
//! use traceward_wire::ReportDocument;
//!
//! let spec: Spec = "F grant".parse()?;
//! let report = check(&spec, "grant\n0\n1\n".as_bytes())?;
//! let document = serde_json::to_value(ReportDocument::new("t.csv", &report))?;
//! assert_eq!(document["properties"][0]["verdict"], "satisfied");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod account;
mod evidence;
mod experiment;
mod hygiene;
mod inspection;
mod junit;
mod monitor;
mod report;
mod sarif;
mod schema;
mod spaced;
mod told;
mod value;
mod walkthrough;

pub use evidence::{Evidence, Literal, Outcome, Place, Reason, SourcePlace};
pub use experiment::{Figures, PositionsSummary, QuerySummary, Sample};
pub use hygiene::{ComparisonDocument, Example, Finding, LintDocument, NamedFormula};
pub use inspection::{Column, InspectionDocument, SuggestedCommand};
pub use junit::junit;
pub use monitor::{
    EndKeyVerdict, EndKeys, EndOfTrace, EndValue, EndVerdict, Extent, KnownValue, RunningQuery, ValueEvent,
    VerdictEvent, trace_number,
};
pub use report::{
    Answer, Coverage, CoveredPart, Distribution, FailureDocument, Fate, Frequencies, KeyValue, KeyVerdict, Keys,
    NeededBound, Numbers, Owed, Property, Query, RejectingVisits, ReportDocument, Response, Statistics, Summary, Trace,
    TracePath, TracesDocument, UnusedPart, ValueCount, ViolatingState, Violations, Waiting, WorstWait,
};
pub use sarif::{sarif, sarif_of_lint};
pub use schema::schemas;
pub use spaced::line;
pub use told::{Shortcoming, Told};
pub use value::{ErrorKind, Members, Value, Verdict};
pub use walkthrough::{HeldGraph, HeldSet, HeldState, HeldVertex, Stage, Step};

/// The version of the documents. It changes when a member is renamed, removed or means something
/// else; members may be added without.
pub const VERSION: u32 = 1;
