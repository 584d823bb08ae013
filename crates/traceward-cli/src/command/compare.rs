//! `traceward compare`

use crate::arguments::{HygieneArguments, OutputFormat};
use crate::failure::{Failure, Outcome};
use crate::{input, json, text};
use std::io::Write;
use traceward::Goal;
use traceward::hygiene::Relation;
use traceward_wire::ComparisonDocument;

pub fn run(arguments: &HygieneArguments, out: &mut impl Write) -> Result<Outcome, Failure> {
    let spec = input::spec_alone(&arguments.asked, Goal::Check, "there is nothing to compare")?;
    let comparison = traceward::hygiene::compare(&spec).map_err(|error| Failure::of(&error, "-", input::style()))?;
    match arguments.output.format {
        OutputFormat::Json => json::write(out, &ComparisonDocument::from(&comparison))?,
        OutputFormat::Text => text::comparison(out, &comparison)?,
    }
    Ok(if comparison.relation == Relation::Equal { Outcome::Holds } else { Outcome::Violated })
}
