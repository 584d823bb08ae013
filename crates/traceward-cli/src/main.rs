//! The program `traceward`; the library of the same crate is all of it.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(traceward_cli::run(std::env::args_os()))
}
