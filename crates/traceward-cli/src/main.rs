//! The program `traceward`; the library of the same crate is all of it. Only a program may choose
//! an allocator.

use std::process::ExitCode;
use traceward_cli::memory::LargePages;

#[global_allocator]
static MEMORY: LargePages = LargePages;

fn main() -> ExitCode {
    ExitCode::from(traceward_cli::run(std::env::args_os()))
}
