//! The papers' experiments, repeated, and what their theorems say, measured and drawn.
//!
//! [`figure10`] compares the traversals of Finkbeiner and Sipma; [`figure8`] the ways to evaluate
//! queries of Finkbeiner, Sankaranarayanan and Sipma; [`bounded`] measures what the algorithms of
//! the thesis on bounded temporal logic need, beside what its theorems allow.

pub mod bounded;
pub mod figure10;
pub mod figure8;
