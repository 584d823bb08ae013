//! Files that are written beside the answer.

use crate::failure::Failure;
use crate::input;
use std::fs::{File, Metadata};
use std::path::{Path, PathBuf};

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
