//! The program `traceward`: arguments, then one short file a command.
//!
//! It is a library so that it can run inside of another process: [`run`] is the whole program, and
//! [`binding`] has its options and its words for those who ask one question at a time.

mod arguments;
pub mod binding;
mod command;
mod failure;
mod input;
mod json;
mod live;
pub mod memory;
mod output;
mod page;
mod picture;
mod progress;
mod text;

use arguments::{Arguments, Command};
use clap::Parser;
use failure::{Failure, Outcome};
use output::Content;
use std::ffi::OsString;
use std::io::Write;
use traceward::message::Shown;

/// Runs the program with these arguments, of which the first is its name, and returns its exit
/// status.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    failure::hush_caught_panics();
    let words: Vec<OsString> = arguments.into_iter().collect();
    let arguments = match Arguments::try_parse_from(&words) {
        Ok(arguments) => arguments,
        // Help and version are answers; anything else is a question that cannot be understood.
        Err(error) => return exit(unparsed(&error, &words)),
    };
    match arguments.command {
        // Its status may be that of the program it ran.
        Command::Run(arguments) => command::run::run(&arguments).unwrap_or_else(|failure| exit(Err(failure))),
        command => exit(answer(command)),
    }
}

/// Says what became of a run.
fn exit(result: Result<Outcome, Failure>) -> u8 {
    match result {
        Ok(outcome) => outcome.exit_status(),
        Err(failure) => {
            failure.report();
            Outcome::Unanswered.exit_status()
        }
    }
}

/// Help and version, or what is wrong with a command line.
fn unparsed(error: &clap::Error, words: &[OsString]) -> Result<Outcome, Failure> {
    if error.use_stderr() {
        return Err(misunderstood(error, words));
    }
    let mut out = output::standard(Content::Coloured);
    write!(out, "{}", error.render().ansi())?;
    out.flush()?;
    Ok(Outcome::Holds)
}

/// What is wrong with a command line. The message repeats arguments as they are and has colours of
/// its own, so it is had anew, of arguments that have nothing hidden in them.
fn misunderstood(error: &clap::Error, words: &[OsString]) -> Failure {
    let arguments = words.iter().map(|argument| Shown(&argument.to_string_lossy()).to_string());
    let message = match Arguments::try_parse_from(arguments) {
        Err(error) => error.render().ansi().to_string(),
        Ok(_) => Shown(&error.to_string()).to_string(),
    };
    Failure::Message(message.trim_end().to_owned())
}

/// The answer of a command, on standard output.
fn answer(command: Command) -> Result<Outcome, Failure> {
    let mut out = output::standard(command.content());
    let outcome = run_command(command, &mut out)?;
    out.flush()?;
    Ok(outcome)
}

fn run_command(command: Command, out: &mut impl Write) -> Result<Outcome, Failure> {
    match command {
        Command::Check(arguments) => command::check::run(&arguments, out),
        Command::Query(arguments) => command::query::run(&arguments, out),
        Command::Monitor(arguments) => command::monitor::run(arguments),
        Command::Inspect(arguments) => command::inspect::run(&arguments, out),
        // It is taken apart before.
        Command::Run(_) => Ok(Outcome::Holds),
        Command::Instrument(arguments) => command::instrument::run(&arguments, out),
        Command::Simulate(arguments) => command::simulate::run(&arguments),
        Command::Bench(arguments) => command::bench::run(&arguments, out),
        Command::ExplainPlan(arguments) => command::explain_plan::run(&arguments, out),
        Command::Automaton(arguments) => command::automaton::run(&arguments, out),
        Command::Lint(arguments) => command::lint::run(&arguments, out),
        Command::Compare(arguments) => command::compare::run(&arguments, out),
        Command::Help(arguments) => command::help::run(&arguments, out),
        Command::Completions(arguments) => command::completions::run(&arguments, out),
        Command::Man(arguments) => command::man::run(&arguments, out),
    }
}
