//! Texts that came from outside, as people may safely see them.
//!
//! A log, a spec or a file name may hold characters that a terminal obeys instead of showing, or
//! that change the order in which others are read. Whoever shows such a text to people wraps it in
//! [`Shown`]; nothing else decides which characters are escaped.

use std::borrow::Cow;
use std::fmt::{self, Write};

/// A text as people see it: on one line, and nothing in it that cannot be seen.
///
/// ```
/// use traceward_logic::shown::Shown;
///
/// assert_eq!(Shown("a\nb\u{1b}[31m").to_string(), r"a\nb\u{1b}[31m");
/// assert_eq!(Shown("Größe ✓ 東").to_string(), "Größe ✓ 東");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shown<'a>(pub &'a str);

impl<'a> Shown<'a> {
    /// The text, escaped where it has to be.
    pub fn text(self) -> Cow<'a, str> {
        if self.0.contains(is_hidden) { Cow::Owned(escaped(self.0)) } else { Cow::Borrowed(self.0) }
    }
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text())
    }
}

/// Whether a character is obeyed by a terminal, or changes how others are read, and is not seen
/// itself: control characters, marks of direction, and what has no width.
pub fn is_hidden(letter: char) -> bool {
    letter.is_control()
        || matches!(
            letter,
            '\u{ad}'
                | '\u{34f}'
                | '\u{61c}'
                | '\u{115f}'
                | '\u{1160}'
                | '\u{17b4}'
                | '\u{17b5}'
                | '\u{180b}'..='\u{180f}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{3164}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{fff0}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

fn escaped(text: &str) -> String {
    let mut shown = String::with_capacity(text.len() + 8);
    for letter in text.chars() {
        if is_hidden(letter) {
            // Writing to a string does not fail.
            let _ = write!(shown, "{}", letter.escape_default());
        } else {
            shown.push(letter);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_obeys_is_escaped() {
        let hostile = "\0\t\r\n\u{7f}\u{9b}31m\u{202e}\u{2066}\u{200e}\u{61c}\u{200b}\u{feff}\u{e0041}";
        let shown = r"\u{0}\t\r\n\u{7f}\u{9b}31m\u{202e}\u{2066}\u{200e}\u{61c}\u{200b}\u{feff}\u{e0041}";
        assert_eq!(Shown(hostile).to_string(), shown);
        assert!(!shown.contains(is_hidden));
    }

    #[test]
    fn what_can_be_seen_stays() {
        let visible = "plain 'quoted' \"text\" \\ Ä é 東京 🙂 עברית ○ ∧";
        assert_eq!(Shown(visible).to_string(), visible);
        assert_eq!(format!("{:<4}|{:>5}|", Shown("ä"), Shown("\n")), "ä   |   \\n|");
    }
}
