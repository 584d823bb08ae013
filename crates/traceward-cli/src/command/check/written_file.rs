//! Files that are written beside the answer: none of them replaces what is read, or another one.

use crate::failure::Failure;
use crate::input;
use std::fs::{File, Metadata};
use std::path::{Path, PathBuf};

/// A file that the command line names to be written.
#[derive(Clone, Copy)]
pub struct NamedFile<'a> {
    /// The option that names the file.
    pub option: &'static str,
    /// The path as it was given.
    pub path: &'a Path,
    /// A name such as the file could have.
    pub example: &'static str,
}

impl NamedFile<'_> {
    /// Refuses `-`, which is no file where the answer goes to standard output.
    pub fn refuse_standard_output(&self) -> Result<(), Failure> {
        let Self { option, path, example } = self;
        if path.as_os_str() != "-" {
            return Ok(());
        }
        let failure = Failure::new(format!("{option} needs a file: standard output has the answer itself"));
        Err(failure.help(format!("name a file, such as {option} {example}")))
    }
}

/// Refuses files that would be lost: one that is read, or one that is written twice.
pub fn refuse_losses(files: &[NamedFile<'_>], inputs: &[PathBuf]) -> Result<(), Failure> {
    for (index, file) in files.iter().enumerate() {
        file.refuse_standard_output()?;
        refuse_inputs(file.option, file.path, inputs)?;
        if let Some(other) = files[..index].iter().find(|other| is_same_place(file.path, other.path)) {
            return Err(Failure::new(format!("{} and {} name the same file", other.option, file.option)));
        }
    }
    Ok(())
}

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
    /// A file for the only one of some traces.
    pub fn new(purpose: Purpose, path: &'a Path, traces: &[PathBuf]) -> Result<Self, Failure> {
        let Purpose { option, content } = purpose;
        if traces.len() > 1 {
            let message = format!("{option} is for one trace: the {content} of the next would replace it");
            return Err(Failure::new(message));
        }
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

/// Whether what is written to two paths ends up in one file. A device takes both.
fn is_same_place(one: &Path, other: &Path) -> bool {
    match (std::fs::metadata(one), std::fs::metadata(other)) {
        (Ok(one), Ok(other)) => one.is_file() && is_same(&one, &other),
        (Err(_), Err(_)) => place(one) == place(other),
        _ => false,
    }
}

/// The place of a file that is not there yet, whatever links lead to its folder.
fn place(path: &Path) -> PathBuf {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match (folder.canonicalize(), path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}

fn is_same(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

fn standard_input() -> std::io::Result<Metadata> {
    use std::os::fd::AsFd;
    File::from(std::io::stdin().as_fd().try_clone_to_owned()?).metadata()
}
