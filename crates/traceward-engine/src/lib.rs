//! How it is answered: automata, and the engines that run on them.
//!
//! Every engine has the same face: a `Config`, a compiled object that is immutable and can be shared, a `Cache` that
//! holds all scratch, and methods that answer for some letters. Only [`select`] knows all of them.

pub mod automaton;
pub mod engine;
pub mod limit;
pub mod past;
pub mod possible;
pub mod run_statistics;
pub mod select;
