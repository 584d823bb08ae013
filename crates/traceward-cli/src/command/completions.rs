//! `traceward completions`

use crate::arguments::{Arguments, CompletionsArguments};
use crate::failure::{Failure, Outcome};
use clap::CommandFactory;
use std::io::Write;

pub fn run(arguments: &CompletionsArguments, out: &mut impl Write) -> Result<Outcome, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "traceward", &mut script);
    out.write_all(&script)?;
    Ok(Outcome::Holds)
}
