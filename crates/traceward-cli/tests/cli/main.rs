//! The program as a user meets it.

mod common;
mod monitor;
mod transcripts;
mod vectors;
