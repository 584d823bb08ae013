//! The program `traceward`: arguments, then one short file a command.

mod arguments;
mod command;
mod failure;
mod input;
mod json;
mod live;
mod output;
mod text;

use arguments::{Arguments, Command};
use clap::Parser;
use failure::{Failure, Outcome};
use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        // Help and version are answers; anything else is a question that cannot be understood.
        Err(error) => {
            let code = if error.use_stderr() { 2 } else { 0 };
            let _ = error.print();
            return ExitCode::from(code);
        }
    };
    let mut out = output::standard(arguments.command.styling());
    let result = run(arguments.command, &mut out).and_then(|outcome| {
        out.flush()?;
        Ok(outcome)
    });
    match result {
        Ok(outcome) => ExitCode::from(outcome.exit_status()),
        Err(failure) => {
            failure.report();
            ExitCode::from(Outcome::Unanswered.exit_status())
        }
    }
}

fn run(command: Command, out: &mut impl Write) -> Result<Outcome, Failure> {
    match command {
        Command::Check(arguments) => command::check::run(&arguments, out),
        Command::Query(arguments) => command::query::run(&arguments, out),
        Command::Monitor(arguments) => command::monitor::run(&arguments, out),
        Command::Inspect(arguments) => command::inspect::run(&arguments, out),
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
