//! Documents on one line, with a blank behind each colon and comma.

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::Formatter;
use std::io::{self, Write};

/// A document on one line, as the command line's contract shows it.
pub fn line(document: &impl Serialize) -> String {
    let mut bytes = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut bytes, Spaced);
    // Documents have texts for keys and are written to memory: nothing can fail.
    let _ = document.serialize(&mut serializer);
    String::from_utf8(bytes).unwrap_or_default()
}

struct Spaced;

impl Formatter for Spaced {
    fn begin_array_value<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_stand_behind_colons_and_commas_and_not_in_texts() {
        let document = serde_json::json!({ "a": [1, 2], "b": { "c": "d,e:f", "g": [] } });
        assert_eq!(line(&document), r#"{"a": [1, 2], "b": {"c": "d,e:f", "g": []}}"#);
    }
}
