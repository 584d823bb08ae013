//! The program as a user meets it.

mod alike;
mod browser;
mod common;
mod edges;
mod fields;
mod limits;
mod monitor;
mod observers;
mod page;
mod signals;
mod transcripts;
mod vectors;
