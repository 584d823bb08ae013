//! An agent for Java: `java -agentpath:…/libtraceward_jvmti.so=SPEC_FILE Main`.
//!
//! The agent watches the fields that a spec speaks of and judges what the program does, without
//! touching its code. It is loaded by the virtual machine, which calls [`Agent_OnLoad`] and then
//! the callbacks in `agent`.
#![allow(unsafe_code, reason = "the interface of the virtual machine is one of pointers")]

mod agent;
mod channel;
mod follower;
mod found;
pub mod interface;
mod machine;
mod options;
mod report;
mod tally;
mod trace;
mod value;
mod wanted;
mod watcher;

pub use agent::Agent_OnLoad;
