//! Automata made of formulas.

pub mod algebraic;
pub mod alternating;
pub mod deterministic;
pub(crate) mod diagram;
pub mod hopcroft;
pub mod metric;
pub(crate) mod progression;
pub mod subset;
pub mod tableau;
pub mod timed;
pub mod witness;
