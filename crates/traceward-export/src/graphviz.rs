//! Strings of Graphviz' language, which all graphs for Graphviz are written with.

/// A string of Graphviz' language; a newline begins a line of the label.
pub(crate) fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            // Graphviz reads the entities of HTML in every string.
            '&' => quoted.push_str("&amp;"),
            letter => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}
