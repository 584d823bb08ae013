//! Automata made of formulas.

pub mod alternating;
pub mod export;
pub mod hopcroft;
pub mod subset;
pub mod tableau;
