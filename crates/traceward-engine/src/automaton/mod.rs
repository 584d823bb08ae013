//! Automata made of formulas.

pub mod alternating;
pub mod deterministic;
pub(crate) mod diagram;
pub mod export;
pub(crate) mod progression;
