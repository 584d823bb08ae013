//! The program as a user meets it.

mod alike;
mod browser;
mod clients;
mod common;
mod edges;
mod events;
mod experiments;
mod fields;
mod inputs;
mod instrument;
mod keys;
mod limits;
mod listen;
mod monitor;
mod observers;
mod page;
mod progress;
mod real_time;
mod signals;
mod simulate;
mod steps;
mod tables;
mod tools;
mod transcripts;
mod vectors;
mod why;
