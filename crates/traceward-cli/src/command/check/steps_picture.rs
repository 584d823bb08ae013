//! `--svg`: the steps of a property as a picture.

use super::written_file::{Purpose, WrittenFile};
use crate::failure::Failure;
use std::path::{Path, PathBuf};
use traceward::Report;
use traceward_export::walkthrough::svg;

/// The file that the steps of a property are drawn into.
pub struct StepsPicture<'a> {
    file: WrittenFile<'a>,
}

impl<'a> StepsPicture<'a> {
    /// A file for the only one of some traces.
    pub fn new(path: &'a Path, traces: &[PathBuf]) -> Result<Self, Failure> {
        let purpose = Purpose { option: "--svg", content: "picture" };
        Ok(Self { file: WrittenFile::new(purpose, path, traces)? })
    }

    /// Draws the steps of the only property that has some.
    pub fn write(&self, report: &Report) -> Result<(), Failure> {
        let told = report.properties.iter().filter_map(|property| Some((property, property.walkthrough.as_ref()?)));
        let told: Vec<_> = told.collect();
        let [(property, walkthrough)] = told[..] else {
            let message = format!("--svg is for the steps of one property, and {} have some", told.len());
            return Err(Failure::new(message).help("give that property alone: -e FORMULA"));
        };
        let picture = svg(&property.formula, property.engine.name(), walkthrough);
        let picture = picture.map_err(|error| Failure::new(error).help("without --svg they are printed"))?;
        self.file.write(&picture)
    }
}
