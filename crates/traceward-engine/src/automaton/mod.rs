//! Automata made of formulas.

pub mod alternating;
