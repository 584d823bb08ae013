//! The papers' experiments, repeated, and what their theorems say, measured.

mod bounded;
mod figure10;

pub use bounded::{
    Bounded, Contender, Cost, Growth, HIDDEN_CONSTANT, Measured, Point, Series, SublogicCost, Theorem, bounded,
};
pub use figure10::{FIGURE_10_ENGINES, FIGURE_10_FORMULAS, Measurement, figure_10};
