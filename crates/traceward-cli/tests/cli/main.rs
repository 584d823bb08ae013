//! The program as a user meets it.

mod alike;
mod common;
mod fields;
mod limits;
mod monitor;
mod observers;
mod transcripts;
mod vectors;
