//! The engines, one algorithm a file.

pub mod reverse;
