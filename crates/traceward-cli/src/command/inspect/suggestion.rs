//! Suggested properties as commands that run as they are printed.

use crate::arguments::{TraceArguments, time_argument};
use std::path::Path;
use traceward::input::{Claim, Counted, Suggestion};
use traceward::message::Name;
use traceward_wire::SuggestedCommand;

/// The command for each suggestion; none for a path that is no text, or would be taken for a spec.
pub fn commands(suggestions: &[Suggestion], path: &Path, trace: &TraceArguments) -> Vec<SuggestedCommand> {
    let is_spec = path.extension().is_some_and(|ending| ending == "tw");
    let Some(path) = path.to_str().filter(|_| !is_spec) else { return Vec::new() };
    let document = |one: &Suggestion| SuggestedCommand::new(command(one, path, trace), claim(one), one);
    suggestions.iter().map(document).collect()
}

fn command(suggestion: &Suggestion, path: &str, trace: &TraceArguments) -> Vec<String> {
    let Suggestion { claim, key, time, counted: _, asked: _, holds: _, looked_at: _ } = suggestion;
    let mut words: Vec<String> = ["traceward", "check", "-e"].map(str::to_owned).into();
    words.push(formula(claim));
    if let Claim::Follows { column, .. } = claim {
        words.extend(option("--event", column));
    }
    words.extend(key.iter().flat_map(|key| option("--by", key)));
    let time = time.as_ref().and_then(time_argument);
    words.extend(time.iter().flat_map(|time| option("--time", time)));
    words.extend(reading(trace));
    words.push(if path.starts_with('-') && path != "-" { format!("./{path}") } else { path.to_owned() });
    words
}

/// The options by which the trace was read, so that it is read so again.
fn reading(trace: &TraceArguments) -> Vec<String> {
    let separator = trace.separator.map(|separator| match separator {
        b'\t' => "tab".to_owned(),
        other => char::from(other).to_string(),
    });
    let mut words: Vec<String> = Vec::new();
    words.extend(trace.input.iter().flat_map(|format| option("--input", format.name())));
    words.extend(separator.iter().flat_map(|separator| option("--separator", separator)));
    words.extend(trace.no_header.then(|| "--no-header".to_owned()));
    words.extend(trace.null.iter().flat_map(|null| option("--null", null)));
    words
}

/// An option and its value; in one word where the value could be taken for an option itself.
fn option(name: &str, value: &str) -> Vec<String> {
    if value.starts_with('-') { vec![format!("{name}={value}")] } else { vec![name.to_owned(), value.to_owned()] }
}

fn formula(claim: &Claim) -> String {
    match claim {
        Claim::Follows { first, then, .. } => format!("G({} -> F {})", string(first), string(then)),
        Claim::Answered { first, then } => format!("G({} -> F {})", Name(first), Name(then)),
        Claim::Ends { column } => format!("G({0} -> F !{0})", Name(column)),
        Claim::NeverDecreases { column } => format!("G !(past({0}) > {0})", Name(column)),
        Claim::AtLeast { column, least } => format!("G({} >= {least})", Name(column)),
    }
}

/// A text as a string of a formula.
fn string(text: &str) -> String {
    let escape = |letter: char| match letter {
        '"' | '\\' => format!("\\{letter}"),
        letter if letter.is_control() => letter.escape_unicode().to_string(),
        letter => letter.to_string(),
    };
    format!("\"{}\"", text.chars().map(escape).collect::<String>())
}

/// What a suggestion says, and how far it holds: `in 99.4 % of 1050 keys, "a" is followed by "b"`.
fn claim(suggestion: &Suggestion) -> String {
    let says = match &suggestion.claim {
        Claim::Follows { first, then, .. } => format!("{} is followed by {}", string(first), string(then)),
        Claim::Answered { first, then } => format!("{} is followed by {}, or comes with it", Name(first), Name(then)),
        Claim::Ends { column } => format!("{} is over again later", Name(column)),
        Claim::NeverDecreases { column } => format!("{} never decreases", Name(column)),
        Claim::AtLeast { column, least } => format!("{} is at least {least}", Name(column)),
    };
    let first = suggestion.looked_at.map(|count| format!(" among the first {count} states")).unwrap_or_default();
    format!("{}{first}, {says}", extent(suggestion))
}

fn extent(suggestion: &Suggestion) -> String {
    let (holds, asked) = (suggestion.holds, suggestion.asked);
    let counted = match suggestion.counted {
        Counted::Keys => "keys",
        Counted::States => "cases",
    };
    match suggestion.claim {
        Claim::NeverDecreases { .. } | Claim::AtLeast { .. } => format!("in all {asked} states"),
        _ if holds == asked => format!("in all {asked} {counted}"),
        // Never rounded up to all of them.
        _ => format!("in {} % of {asked} {counted}", (holds * 1000 / asked.max(1)) as f64 / 10.0),
    }
}
