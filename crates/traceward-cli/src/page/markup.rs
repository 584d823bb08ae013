//! Elements of a page. Texts get in escaped, and in no other way.

use std::fmt::{self, Write};
use traceward::message::Shown;

/// The largest number of characters of one text: what is longer is no text that anybody reads.
const LONGEST: usize = 2000;

/// An element with what is inside it.
pub struct Element {
    name: &'static str,
    attributes: String,
    inside: String,
}

impl Element {
    /// An element with nothing inside.
    pub fn new(name: &'static str) -> Self {
        Self { name, attributes: String::new(), inside: String::new() }
    }

    /// The element with an attribute.
    #[must_use]
    pub fn attribute(mut self, name: &'static str, value: impl fmt::Display) -> Self {
        // Writing to a string does not fail.
        let _ = write!(self.attributes, " {name}=\"{}\"", Escaped(&value.to_string()));
        self
    }

    /// The element with a path of lines, which may be long. It is made of numbers and letters.
    #[must_use]
    pub fn path(mut self, path: &str) -> Self {
        let _ = write!(self.attributes, " d=\"{path}\"");
        self
    }

    /// The element with classes.
    #[must_use]
    pub fn class(self, classes: impl fmt::Display) -> Self {
        self.attribute("class", classes)
    }

    /// The element with a text behind what it has.
    #[must_use]
    pub fn text(mut self, text: impl fmt::Display) -> Self {
        let _ = write!(self.inside, "{}", Escaped(&text.to_string()));
        self
    }

    /// The element with lines of text, each on a line of its own.
    #[must_use]
    pub fn lines(mut self, text: &str) -> Self {
        for (index, line) in text.lines().enumerate() {
            self.inside.push_str(if index == 0 { "" } else { "\n" });
            self = self.text(line);
        }
        self
    }

    /// The element with another one behind what it has.
    #[must_use]
    pub fn with(mut self, element: Self) -> Self {
        element.write(&mut self.inside);
        self
    }

    /// The element with others behind what it has.
    #[must_use]
    pub fn all(self, elements: impl IntoIterator<Item = Self>) -> Self {
        elements.into_iter().fold(self, Self::with)
    }

    /// The element with one of the page's own parts inside, as it stands. What came from outside
    /// never gets in here.
    #[must_use]
    pub fn verbatim(mut self, own: &str) -> Self {
        self.inside.push_str(own);
        self
    }

    /// Writes the element.
    pub fn write(&self, out: &mut String) {
        let Self { name, attributes, inside } = self;
        let _ = write!(out, "<{name}{attributes}>");
        // This one alone has no end.
        if *name != "meta" {
            let _ = write!(out, "{inside}</{name}>");
        }
    }
}

/// A name or value that may run from right to left, kept apart from the text around it.
pub fn isolated(text: impl fmt::Display) -> Element {
    Element::new("bdi").text(text)
}

/// A text as a page shows it: nothing in it is a tag, and nothing in it cannot be seen.
struct Escaped<'a>(&'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for letter in shown(self.0, LONGEST).chars() {
            match letter {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                other => f.write_char(other)?,
            }
        }
        Ok(())
    }
}

/// A text with nothing in it that cannot be seen, cut where it is too long.
pub fn shown(text: &str, longest: usize) -> String {
    let mut letters = text.chars();
    let head: String = letters.by_ref().take(longest).collect();
    let cut = if letters.next().is_some() { "…" } else { "" };
    format!("{}{cut}", Shown(&head))
}

/// Data as JSON that can stand inside a script element: nothing in it ends the element.
pub fn data(value: &impl serde::Serialize) -> String {
    // Types of this program have names for members and no values that JSON lacks.
    let json = serde_json::to_string(value).expect("data that JSON has");
    json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_becomes_a_tag() {
        let hostile = "</script><img src=x onerror='a'>\"&\u{202e}\u{2028}\0";
        let mut page = String::new();
        Element::new("p").attribute("title", hostile).text(hostile).write(&mut page);
        let text = r"&lt;/script&gt;&lt;img src=x onerror=&#39;a&#39;&gt;&quot;&amp;\u{202e}\u{2028}\u{0}";
        assert_eq!(page, format!("<p title=\"{text}\">{text}</p>"));
    }

    #[test]
    fn data_does_not_end_its_element() {
        assert_eq!(data(&"</script><!--&"), r#""\u003c/script\u003e\u003c!--\u0026""#);
    }

    #[test]
    fn long_texts_are_cut() {
        assert_eq!(shown("abcd", 4), "abcd");
        assert_eq!(shown("äbcde\n", 4), "äbcd…");
    }
}
