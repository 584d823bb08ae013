//! The program as a user meets it.

mod common;
mod transcripts;
mod vectors;
