//! Properties of Rust programs, monitored by what they log with `tracing`.
//!
//! A [`Layer`] makes a state of every event, and of every span as it opens and closes; a
//! [`Watch`] is its other end, and knows the verdicts.
//!
//! ```
//! use traceward::Verdict;
//! use tracing_subscriber::prelude::*;
//!
//! let (layer, watch) = traceward_tracing::watch(r#"G("received" -> F "answered")"#)?;
//! let subscriber = tracing_subscriber::registry().with(layer);
//! tracing::subscriber::with_default(subscriber, || {
//!     tracing::info!(id = 1, "received");
//!     tracing::info!(id = 1, "answered");
//!     tracing::info!(id = 2, "received");
//! });
//! let outcome = watch.end();
//! assert_eq!(outcome.properties[0].verdict, Some(Verdict::Violated));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What a state holds
//!
//! - the fields of the event, and those of the spans around it, an inner one over an outer one;
//! - `event`: the message, so that a string alone in a formula is an event; `open NAME` and `close
//!   NAME` as a span opens and closes; the event's name if it has no message;
//! - `level`, `target` and `span`, the name of the innermost span.
//!
//! A field that is absent is missing, unless the spec says `trace { changes }`. Which events are
//! states is up to the filter of the layer, as with any other layer.
//!
//! # One trace, or one for each span
//!
//! What is logged side by side is one trace. Where many requests are served at a time, each span of
//! a name can be a trace of its own, from its opening to its close: [`Builder::each_span`].
//!
//! # Without macros
//!
//! A program that does not log can tell its states to the watch itself: [`Watch::step`].

mod fields;
mod layer;
mod watch;

pub use layer::Layer;
pub use watch::{Builder, Noticed, Outcome, PropertyOutcome, Watch};

use traceward::Error;

/// A layer that makes one trace of all that passes it, and its watch. Violations are told to
/// standard error as they happen.
pub fn watch(spec: &str) -> Result<(Layer, Watch), Error> {
    Builder::new(spec)?.build()
}
