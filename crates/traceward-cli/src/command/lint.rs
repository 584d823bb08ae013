//! `traceward lint`

use crate::arguments::{HygieneArguments, OutputFormat};
use crate::failure::{Failure, Outcome, tell};
use crate::{input, json, text};
use std::io::Write;
use traceward::{Goal, Settings, Spec};

pub fn run(arguments: &HygieneArguments, out: &mut impl Write) -> Result<Outcome, Failure> {
    let spec = spec(arguments, "lint")?;
    let lint = traceward::lint(&spec).map_err(|error| Failure::Message(error.to_string()))?;
    match arguments.output.format {
        OutputFormat::Json => writeln!(out, "{:#}", json::lint(&lint))?,
        OutputFormat::Text => text::lint(out, &lint)?,
    }
    out.flush()?;
    for reason in &lint.undecided {
        tell(&format!("error: {reason}"));
    }
    Ok(match (lint.undecided.is_empty(), lint.findings.is_empty()) {
        (false, _) => Outcome::Unanswered,
        (true, false) => Outcome::Violated,
        (true, true) => Outcome::Holds,
    })
}

/// The spec of a command that needs no trace.
pub fn spec(arguments: &HygieneArguments, command: &str) -> Result<Spec, Failure> {
    if arguments.spec.expressions.is_empty() && arguments.paths.is_empty() {
        let help = format!("traceward {command} SPEC, or -e FORMULA for each property");
        return Err(Failure::new(format!("there is no property to look at\n  help: {help}")));
    }
    let settings = Settings { event: arguments.event.clone(), ..Settings::default() };
    let (spec, traces) = input::spec_and_traces(&arguments.spec, &arguments.paths, settings, Goal::Check)?;
    match traces.first() {
        Some(path) => Err(Failure::new(format!("{}: {command} needs no trace", path.display()))),
        None => Ok(spec),
    }
}
