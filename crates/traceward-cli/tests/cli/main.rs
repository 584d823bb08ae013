//! The program as a user meets it.

mod alike;
mod common;
mod edges;
mod fields;
mod limits;
mod monitor;
mod observers;
mod signals;
mod tools;
mod transcripts;
mod vectors;
