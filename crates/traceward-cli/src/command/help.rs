//! `traceward help`

use crate::arguments::{Arguments, HelpArguments};
use crate::failure::{Failure, Outcome};
use crate::json;
use clap::CommandFactory;
use std::io::Write;

const OPERATORS: &str = include_str!("operators.txt");

pub fn run(arguments: &HelpArguments, out: &mut impl Write) -> Result<Outcome, Failure> {
    let mut program = Arguments::command();
    program.build();
    match arguments.topic.as_deref() {
        None => write!(out, "{}", program.render_long_help().ansi())?,
        Some("operators") => write!(out, "{OPERATORS}")?,
        Some("json-schema") => json::write(out, &traceward_wire::schemas())?,
        Some(topic) => match program.find_subcommand_mut(topic) {
            Some(command) => write!(out, "{}", command.render_long_help().ansi())?,
            None => {
                let failure = Failure::new(format!("there is no help on `{topic}`"));
                return Err(failure.help("there are `operators` and `json-schema`, and every command"));
            }
        },
    }
    Ok(Outcome::Holds)
}
