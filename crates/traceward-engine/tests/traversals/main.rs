//! The traversals of Finkbeiner and Sipma, *Checking Finite Traces using Alternating Automata*:
//! their statistics against an enumeration of all runs, the paper's examples, its misprints, and
//! what happens at limits.

mod brute;
mod example;
mod lattices;
mod limits;
mod misprints;
mod statistics;
mod worked_examples;
