//! The engines of Traceward: automata, and the algorithms that run on them.
//!
//! Every engine has one of two faces: [`engine::follow::Follow`] for those that follow a trace as
//! it grows, and [`engine::offline::Offline`] for those that look at it as a whole. Only [`select`]
//! knows all of them.

pub mod automaton;
pub mod engine;
pub mod limit;
pub mod past;
pub mod possible;
pub mod prepared;
pub mod query;
pub mod run_statistics;
pub mod saved;
pub mod select;
pub mod why;
