//! Files that are written beside the answer: none of them replaces what is read.

use crate::failure::Failure;
use crate::input;
use std::fs::{File, Metadata};
use std::path::{Path, PathBuf};

/// The reason why a file is written.
#[derive(Clone, Copy)]
pub struct Purpose {
    /// The option that names the file.
    pub option: &'static str,
    /// The word for what is in it.
    pub content: &'static str,
}

/// A file that is written for one trace.
pub struct WrittenFile<'a> {
    path: &'a Path,
}

impl<'a> WrittenFile<'a> {
    /// A file that is none of those that are read; `traces` are all traces of the command line, and
    /// `inputs` all its files.
    pub fn new(purpose: Purpose, path: &'a Path, traces: &[PathBuf], inputs: &[PathBuf]) -> Result<Self, Failure> {
        let Purpose { option, content } = purpose;
        if traces.len() > 1 {
            let message = format!("{option} is for one trace: the {content} of the next would replace it");
            return Err(Failure::new(message));
        }
        refuse_inputs(option, path, inputs)?;
        Ok(Self { path })
    }

    /// Writes the file.
    pub fn write(&self, text: &str) -> Result<(), Failure> {
        let named =
            |error: std::io::Error| Failure::new(format!("{}: {}", input::name(self.path), input::reason(&error)));
        std::fs::write(self.path, text).map_err(named)
    }
}

/// Refuses to write to a file that is read; `option` is what names it.
pub fn refuse_inputs(option: &str, path: &Path, inputs: &[PathBuf]) -> Result<(), Failure> {
    match inputs.iter().find(|input| is_same_file(path, input)) {
        Some(input) => Err(Failure::new(format!(
            "{option} {}: this would overwrite {}, which is read",
            input::name(path),
            input::name(input)
        ))),
        None => Ok(()),
    }
}

/// Whether two paths lead to the same file, whatever links are on the way. The input may be `-`.
fn is_same_file(file: &Path, input: &Path) -> bool {
    let Ok(file) = std::fs::metadata(file) else { return false };
    let input = if input.as_os_str() == "-" { standard_input() } else { std::fs::metadata(input) };
    input.is_ok_and(|input| file.is_file() && is_same(&file, &input))
}

fn is_same(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

fn standard_input() -> std::io::Result<Metadata> {
    use std::os::fd::AsFd;
    File::from(std::io::stdin().as_fd().try_clone_to_owned()?).metadata()
}
