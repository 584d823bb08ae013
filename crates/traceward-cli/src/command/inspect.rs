//! `traceward inspect`

pub mod suggestion;

use crate::arguments::{InspectArguments, OutputFormat};
use crate::failure::{Failure, Outcome};
use crate::input::Opened;
use crate::progress::Progress;
use crate::{input, json, text};
use std::io::Write;
use std::path::Path;
use traceward::{Error, ReadOptions};
use traceward_wire::InspectionDocument;

pub fn run(arguments: &InspectArguments, out: &mut impl Write) -> Result<Outcome, Failure> {
    let path = &arguments.path;
    let options = options(path, arguments);
    let inspection = match input::open(path, &options, &Progress::new(arguments.output.quiet))? {
        Opened::Bytes(bytes) => traceward::input::inspect(bytes, &options),
        Opened::Table(table, format) => traceward_arrow::inspect_table(table, format, &options),
    };
    let inspection =
        inspection.map_err(|error| Failure::Message(Error::from(error).render(&input::name(path), input::style())))?;
    let suggestions = suggestion::commands(&inspection.suggestions, path, &arguments.trace);
    match arguments.output.format {
        OutputFormat::Text => text::inspection(out, path, &inspection, &suggestions)?,
        OutputFormat::Json => {
            json::write(out, &InspectionDocument::new(&path.display().to_string(), &inspection, suggestions))?;
        }
    }
    Ok(Outcome::Holds)
}

/// The options by which a trace is looked at.
pub fn options(path: &Path, arguments: &InspectArguments) -> ReadOptions {
    ReadOptions {
        time: arguments.trace.time.clone(),
        key: arguments.trace.by.clone(),
        ..input::read_options(path, &arguments.trace)
    }
}
