//! `traceward help`

use crate::arguments::{Arguments, HelpArguments};
use crate::failure::{Failure, Outcome};
use crate::json;
use clap::CommandFactory;
use std::io::Write;

/// Texts that explain the language, by their topics.
const TOPICS: [(&str, &str); 5] = [
    ("operators", include_str!("operators.txt")),
    ("functions", include_str!("functions.txt")),
    ("queries", include_str!("queries.txt")),
    ("specs", include_str!("specs.txt")),
    ("programs", include_str!("programs.txt")),
];

pub fn run(arguments: &HelpArguments, out: &mut impl Write) -> Result<Outcome, Failure> {
    let mut program = Arguments::command();
    program.build();
    let text = |topic: &str| TOPICS.iter().find(|(name, _)| *name == topic).map(|(_, text)| *text);
    match arguments.topic.as_deref() {
        None => write!(out, "{}", program.render_long_help().ansi())?,
        Some("json-schema") => json::write(out, &traceward_wire::schemas())?,
        Some(topic) if text(topic).is_some() => write!(out, "{}", text(topic).unwrap_or_default())?,
        Some(topic) => match program.find_subcommand_mut(topic) {
            Some(command) => write!(out, "{}", command.render_long_help().ansi())?,
            None => {
                let failure = Failure::new(format!("there is no help on `{topic}`"));
                return Err(failure.help(
                    "there are `operators`, `functions`, `queries`, `specs`, `programs` and `json-schema`, and every command",
                ));
            }
        },
    }
    Ok(Outcome::Holds)
}
