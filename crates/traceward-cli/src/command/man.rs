//! `traceward man`

use crate::arguments::{Arguments, ManArguments};
use crate::failure::{Failure, Outcome};
use clap::CommandFactory;
use std::io::Write;

pub fn run(arguments: &ManArguments, out: &mut impl Write) -> Result<Outcome, Failure> {
    let mut program = Arguments::command();
    program.build();
    let command = match arguments.command.as_deref() {
        None => program,
        Some(name) => match program.find_subcommand(name) {
            Some(command) => command.clone().name(format!("traceward-{name}")),
            None => return Err(Failure::new(format!("there is no command `{name}`"))),
        },
    };
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page)?;
    out.write_all(&page)?;
    Ok(Outcome::Holds)
}
