//! Answers for programs: the documents of `traceward-wire`, as the command line prints them.

use crate::failure::Failure;
use crate::output::{Notation, guarded};
use serde::Serialize;
use std::io::{self, Write};
use std::path::Path;
use traceward::{Report, Verdict};
use traceward_wire::{Answer, FailureDocument, ReportDocument, TracesDocument, VerdictEvent};

/// Prints a document.
pub fn write(out: &mut impl Write, document: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, document)?;
    writeln!(out)
}

/// The answer about one trace.
pub fn answer(path: &Path, result: Result<&Report, &Failure>) -> Answer {
    let name = path.display().to_string();
    match result {
        Ok(report) => Answer::Report(Box::new(ReportDocument::new(&name, report))),
        Err(failure) => Answer::Failure(FailureDocument::new(Some(&name), failure.text())),
    }
}

/// Prints the answers about all traces: that about the only one, or a list.
pub fn write_answers(out: &mut impl Write, mut answers: Vec<Answer>) -> io::Result<()> {
    match answers.pop() {
        None => Ok(()),
        Some(only) if answers.is_empty() => write(out, &only),
        Some(last) => {
            answers.push(last);
            write(out, &TracesDocument::new(answers))
        }
    }
}

/// The document about a question that could not be asked of any trace.
pub fn unasked(failure: &Failure) -> FailureDocument {
    FailureDocument::new(None, failure.text())
}

/// A document on one line, with nothing in it that a terminal would obey.
pub fn line(document: &impl Serialize) -> String {
    guarded(&traceward_wire::line(document), Notation::Json).into_owned()
}

/// Writes a text as JSON has it, with nothing in it that a terminal would obey.
pub fn write_text(out: &mut impl Write, text: &str) -> io::Result<()> {
    let is_plain = text.bytes().all(|byte| matches!(byte, b' '..=b'~') && byte != b'"' && byte != b'\\');
    if is_plain {
        return write!(out, "\"{text}\"");
    }
    out.write_all(guarded(&serde_json::to_string(text)?, Notation::Json).as_bytes())
}

/// The line of a monitor about a property: the text before the position, and the text behind it.
pub fn monitor_line(name: &str, verdict: Verdict, client: Option<&str>) -> (String, String) {
    // The position comes first and is 0 here, so the first 0 is where it stands.
    let client = client.map(str::to_owned);
    let line = line(&VerdictEvent { client, ..VerdictEvent::new(0, name, verdict) });
    let (head, tail) = line.split_once('0').unwrap_or((&line, ""));
    (head.to_owned(), format!("{tail}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_goes_between_head_and_tail() {
        let (head, tail) = monitor_line("p0", Verdict::Violated, Some("c0"));
        let expected = "{\"position\": 70, \"client\": \"c0\", \"property\": \"p0\", \"verdict\": \"violated\", \"final\": true}\n";
        assert_eq!(format!("{head}70{tail}"), expected);
    }
}
