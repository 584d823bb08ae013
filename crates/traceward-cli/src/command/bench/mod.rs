//! `traceward bench`

mod bounded;
mod figure10;
mod figure8;

use super::check::written_file::NamedFile;
use crate::arguments::{BenchArguments, Experiment};
use crate::failure::{Failure, Outcome};
use crate::input;
use std::io::Write;
use std::path::Path;

pub fn run(arguments: &BenchArguments, out: &mut impl Write) -> Result<Outcome, Failure> {
    if let Some(path) = arguments.svg.as_deref() {
        NamedFile { option: "--svg", path, example: "figure.svg" }.refuse_standard_output()?;
    }
    match arguments.experiment {
        Experiment::Figure10 => figure10::run(arguments, out),
        Experiment::Figure8 => figure8::run(arguments, out),
        Experiment::Bounded => bounded::run(arguments, out),
    }
}

fn write_file(file: &Path, text: &str) -> Result<(), Failure> {
    std::fs::write(file, text)
        .map_err(|error| Failure::new(format!("{}: {}", input::name(file), input::reason(&error))))
}
