//! Automata made of formulas.

pub mod alternating;
pub mod export;
