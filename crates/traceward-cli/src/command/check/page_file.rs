//! `--html`: the file that the page is written to.

use crate::failure::Failure;
use crate::input;
use crate::page::Page;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A file that a page can be written to, as far as that is known beforehand.
pub struct PageFile {
    /// The path as it was given.
    named: PathBuf,
    way: Way,
}

/// The way in which a page gets into its file.
enum Way {
    /// It is written next to the file and then takes its place, so that nobody meets half a page.
    Replace {
        /// The file itself, behind all links.
        target: PathBuf,
    },
    /// It is written into what is there: a device or a pipe must not be replaced.
    Into,
}

impl PageFile {
    /// Finds out whether the file can be written, before there is an answer to write.
    pub fn new(path: &Path) -> Result<Self, Failure> {
        let way = Way::of(path).map_err(|error| failure(path, &error))?;
        Ok(Self { named: path.to_owned(), way })
    }

    /// Writes the page.
    pub fn write(self, page: Page) -> Result<(), Failure> {
        let bytes = page.finish().into_bytes();
        let written = match &self.way {
            Way::Into => fs::write(&self.named, &bytes),
            Way::Replace { target } => replace(target, &bytes),
        };
        written.map_err(|error| failure(&self.named, &error))
    }
}

impl Way {
    /// The way for a path, which is tried without changing anything.
    fn of(path: &Path) -> io::Result<Self> {
        match fs::metadata(path) {
            Ok(there) if there.is_dir() => Err(io::Error::other("is a folder, not a file")),
            Ok(there) if there.is_file() => {
                OpenOptions::new().append(true).open(path)?;
                Self::replace(fs::canonicalize(path)?)
            }
            Ok(_) => Ok(Self::Into),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Self::replace(path.to_owned()),
            Err(error) => Err(error),
        }
    }

    fn replace(target: PathBuf) -> io::Result<Self> {
        let beside = beside(&target);
        File::create(&beside)?;
        fs::remove_file(&beside)?;
        Ok(Self::Replace { target })
    }
}

/// A name next to a file, for what is to take its place.
fn beside(target: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(target.file_name().unwrap_or_default());
    name.push(format!(".{}", std::process::id()));
    target.with_file_name(name)
}

/// Puts bytes in the place of a file, all of them or none.
fn replace(target: &Path, bytes: &[u8]) -> io::Result<()> {
    let beside = beside(target);
    let written = File::create(&beside).and_then(|mut file| {
        file.write_all(bytes)?;
        if let Ok(there) = fs::metadata(target) {
            file.set_permissions(there.permissions())?;
        }
        file.sync_all()?;
        fs::rename(&beside, target)
    });
    if written.is_err() {
        // What is left of it is of no use; that it stays is no worse than what went wrong.
        let _ = fs::remove_file(&beside);
    }
    written
}

fn failure(path: &Path, error: &io::Error) -> Failure {
    Failure::new(format!("--html {}: {}", input::name(path), input::reason(error)))
}
