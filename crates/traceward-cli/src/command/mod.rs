//! One short file a command.

pub mod automaton;
pub mod bench;
pub mod check;
pub mod compare;
pub mod completions;
pub mod explain_plan;
pub mod help;
pub mod inspect;
pub mod instrument;
pub mod lint;
pub mod man;
pub mod monitor;
pub mod query;
pub mod run;
pub mod simulate;
