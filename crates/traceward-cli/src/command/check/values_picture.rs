//! `--svg`: the values of queries as a picture.

use super::written_file::{Purpose, WrittenFile};
use crate::failure::Failure;
use crate::picture::svg;
use std::path::{Path, PathBuf};
use traceward::Report;

/// The file that the values of queries are drawn into.
pub struct ValuesPicture<'a> {
    file: WrittenFile<'a>,
    /// The name of the trace.
    trace: String,
}

impl<'a> ValuesPicture<'a> {
    /// A file for the only one of some traces.
    pub fn new(path: &'a Path, traces: &[PathBuf]) -> Result<Self, Failure> {
        let purpose = Purpose { option: "--svg", content: "picture" };
        let trace = traces.first().map(|trace| crate::input::name(trace).to_string()).unwrap_or_default();
        Ok(Self { file: WrittenFile::new(purpose, path, traces)?, trace })
    }

    /// Draws all queries.
    pub fn write(&self, report: &Report) -> Result<(), Failure> {
        self.file.write(&svg(&self.trace, report)?)
    }
}
