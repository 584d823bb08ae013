//! `traceward lint`

use crate::arguments::{LintArguments, LintFormat};
use crate::failure::{Failure, Outcome};
use crate::{input, json, text};
use std::io::Write;
use traceward::Goal;
use traceward_wire::{LintDocument, sarif_of_lint};

pub fn run(arguments: &LintArguments, out: &mut impl Write) -> Result<Outcome, Failure> {
    let spec = input::spec_alone(&arguments.asked, Goal::Check, "there is no property to look at")?;
    let lint = traceward::hygiene::lint(&spec).map_err(|error| Failure::of(&error, "-", input::style()))?;
    match arguments.format {
        LintFormat::Json => json::write(out, &LintDocument::from(&lint))?,
        LintFormat::Sarif => {
            let spec = arguments.asked.paths.first().map(|path| path.display().to_string());
            json::write(out, &sarif_of_lint(spec.as_deref(), &LintDocument::from(&lint)))?;
        }
        LintFormat::Text => text::lint(out, &lint)?,
    }
    out.flush()?;
    for reason in &lint.undecided {
        Failure::new(reason).report();
    }
    Ok(match (lint.undecided.is_empty(), lint.findings.is_empty()) {
        (false, _) => Outcome::Unanswered,
        (true, false) => Outcome::Violated,
        (true, true) => Outcome::Holds,
    })
}
