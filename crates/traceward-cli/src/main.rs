//! The program `traceward`; the library of the same crate is all of it but its allocator, which
//! only a program may choose.

mod memory;

use memory::LargePages;
use std::process::ExitCode;

#[global_allocator]
static MEMORY: LargePages = LargePages;

fn main() -> ExitCode {
    ExitCode::from(traceward_cli::run(std::env::args_os()))
}
