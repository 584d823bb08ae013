//! What is told to people: violations as they happen, verdicts at the end.

use crate::options::Options;
use std::fs::File;
use std::io::{self, Write};
use traceward::message::Shown;

/// Where things are told, and what they came to.
pub(crate) struct Report {
    file: Option<File>,
    /// Whether something keeps the question from being answered.
    has_problem: bool,
    has_violation: bool,
}

/// The exit statuses of the project's programs.
pub(crate) const VIOLATED: i32 = 1;
pub(crate) const UNANSWERED: i32 = 2;

impl Report {
    pub(crate) fn open(options: &Options) -> Result<Self, String> {
        let open = |path: &std::path::PathBuf| {
            File::create(path).map_err(|error| format!("report={}: {error}", path.display()))
        };
        Ok(Self { file: options.report.as_ref().map(open).transpose()?, has_problem: false, has_violation: false })
    }

    /// Tells something; lines after the first are indented.
    pub(crate) fn say(&mut self, text: &str) {
        let mut shown = String::from("traceward: ");
        for (index, line) in text.lines().enumerate() {
            let indent = if index == 0 { "" } else { "    " };
            shown += &format!("{indent}{}\n", Shown(line));
        }
        // There is nobody left to tell if this fails.
        let _ = match &mut self.file {
            Some(file) => file.write_all(shown.as_bytes()),
            None => io::stderr().write_all(shown.as_bytes()),
        };
    }

    /// Tells what keeps the question from being answered.
    pub(crate) fn problem(&mut self, text: &str) {
        self.has_problem = true;
        self.say(&format!("error: {text}"));
    }

    pub(crate) fn violated(&mut self) {
        self.has_violation = true;
    }

    pub(crate) fn has_problem(&self) -> bool {
        self.has_problem
    }

    /// The exit status by the verdicts; none if the program's own may stay.
    pub(crate) fn status(&self) -> Option<i32> {
        match (self.has_problem, self.has_violation) {
            (true, _) => Some(UNANSWERED),
            (false, true) => Some(VIOLATED),
            (false, false) => None,
        }
    }
}

/// Ends the program here and now: no hook of it runs, so nothing more is written.
pub(crate) fn exit_now(status: i32) -> ! {
    unsafe extern "C" {
        fn _exit(status: i32) -> !;
    }
    // SAFETY: it takes any number, and does not return.
    unsafe { _exit(status) }
}

/// `1 state`, `2 states`
pub(crate) fn counted(count: u64, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}
