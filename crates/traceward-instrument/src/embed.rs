//! The spec inside the files that are made for it, as a comment.
//!
//! A monitor can be started from such a file alone. The comment has the text as it was, but for a
//! backslash between a star and a slash, so that it neither ends nor begins a comment.

use crate::predicate::{FIRST, Predicate};
use std::fmt::Write;

/// What the comment begins with.
const OPENING: &str = "/* traceward spec\n";
/// What stands between the text of the spec and its predicates.
const CLOSING: &str = "\ntraceward predicates\n";

/// The comment for a spec.
pub(crate) fn comment(spec: &str, predicates: &[Predicate]) -> String {
    let mut list = String::from("0 false\n1 true\n");
    for (index, predicate) in predicates.iter().enumerate() {
        let by_monitor = if predicate.c.is_some() { "" } else { " (the monitor evaluates it)" };
        // Writing to a string does not fail.
        let _ = writeln!(list, "{} {{{}}}{by_monitor}", index + FIRST, predicate.text);
    }
    format!("{OPENING}{}{CLOSING}{}*/\n", shifted(spec, Shift::In), shifted(&list, Shift::In))
}

/// The text of the spec in a C file, if there is one.
pub fn embedded(file: &str) -> Option<String> {
    let (_, rest) = file.split_once(OPENING)?;
    let (comment, _) = rest.split_once("*/")?;
    let (spec, _) = comment.rsplit_once(CLOSING)?;
    Some(shifted(spec, Shift::Out))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Shift {
    In,
    Out,
}

/// The text with a backslash more, or one less, wherever a star and a slash have nothing but
/// backslashes between them.
fn shifted(text: &str, shift: Shift) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['*', '/']) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let first = from.chars().next().unwrap_or_default();
        let other = if first == '*' { '/' } else { '*' };
        let behind = &from[1..];
        let slashes = behind.len() - behind.trim_start_matches('\\').len();
        out.push(first);
        rest = &behind[slashes..];
        let count = match shift {
            _ if !rest.starts_with(other) => slashes,
            Shift::In => slashes + 1,
            Shift::Out => slashes.saturating_sub(1),
        };
        out.extend(std::iter::repeat_n('\\', count));
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_comes_back_and_no_comment_ends_early() {
        for text in
            ["G x > 0", "a */ b", "/* a */", r#"matches(s, "/*\*/*")"#, r"*\/ *\\/ /\*", "*/*/*", "\\", "é */ ∧"]
        {
            let comment = comment(text, &[]);
            assert_eq!(comment.matches("*/").count(), 1, "{comment}");
            assert_eq!(comment.matches("/*").count(), 1, "{comment}");
            assert_eq!(embedded(&format!("int x;\n{comment}int y; /* more */")).as_deref(), Some(text));
        }
        assert_eq!(embedded("int x; /* no spec */"), None);
    }
}
