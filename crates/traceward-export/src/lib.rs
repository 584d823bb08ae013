//! Traceward's automata for other eyes: as text, as pictures, for other tools, and as programs.
//!
//! [`alternating_automaton`], [`metric_automaton`], [`tableau_automaton`] and
//! [`deterministic_automaton`] make the automaton of a property of a spec, and
//! [`algebraic_automaton`] that of a query; each has a method for every form that it comes in.
//! Alternating automata are drawn from a [`sketch::Sketch`], algebraic ones from a
//! [`diagram::Diagram`], ordinary ones from a [`graph::Graph`]; a [`listing::Listing`] is what
//! programs read. [`fsp`] and [`hoa`] write ordinary automata for other tools, and [`monitor`]
//! makes programs of deterministic ones; [`timed_monitor`] makes programs of properties with bounds
//! in time. [`walkthrough`] draws what an engine held after each state of a trace.

pub mod diagram;
mod error;
mod frame;
pub mod fsp;
pub mod graph;
mod graphviz;
pub mod hoa;
mod identifier;
pub mod json;
pub mod labelled;
mod layers;
pub mod listing;
pub mod literals;
pub mod monitor;
mod property;
pub mod sketch;
pub mod walkthrough;

pub use error::ExportError;
pub use property::{
    AlgebraicAutomaton, AlternatingAutomaton, AutomatonSize, DeterministicAutomaton, InitialState, MetricAutomaton,
    PropertyMonitor, Route, RouteComparison, TableauAutomaton, algebraic_automaton, alternating_automaton,
    compare_routes, deterministic_automaton, metric_automaton, tableau_automaton, timed_monitor,
};
