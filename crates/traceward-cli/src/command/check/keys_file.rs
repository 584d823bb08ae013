//! `--keys-to`: a table with a row for each key.

use super::target::refuse_inputs;
use crate::failure::Failure;
use crate::input;
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use traceward::Report;

/// The file that the verdicts for each key are written to.
pub struct KeysFile<'a> {
    path: &'a Path,
}

impl<'a> KeysFile<'a> {
    /// A file that is none of those that are read; `traces` are all traces of the command line, and
    /// `inputs` all its files.
    pub fn new(path: &'a Path, traces: &[PathBuf], inputs: &[PathBuf]) -> Result<Self, Failure> {
        if traces.len() > 1 {
            return Err(Failure::new("--keys-to is for one trace: the table of the next would replace it"));
        }
        refuse_inputs("--keys-to", path, inputs)?;
        Ok(Self { path })
    }

    /// Writes a row for each key: its verdict on each property.
    pub fn write(&self, report: &Report) -> Result<(), Failure> {
        let Some(keys) = &report.trace.keys else {
            return Err(Failure::new("--keys-to needs a trace that is split by key: --by COLUMN"));
        };
        let mut table = String::from("key,states");
        for property in &report.properties {
            table.push(',');
            table.push_str(&field(&property.name));
        }
        table.push('\n');
        for (index, (key, states)) in keys.iter().enumerate() {
            table.push_str(&format!("{},{states}", field(key)));
            for property in &report.properties {
                let verdict = property.keys.as_ref().map_or(property.verdict, |keys| keys.verdicts[index]);
                table.push_str(&format!(",{verdict}"));
            }
            table.push('\n');
        }
        let named =
            |error: std::io::Error| Failure::new(format!("{}: {}", input::name(self.path), input::reason(&error)));
        std::fs::write(self.path, table).map_err(named)
    }
}

/// A field of CSV that no spreadsheet takes for a formula.
fn field(text: &str) -> String {
    let text = harmless(text);
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.into_owned() }
}

/// A text with an apostrophe before what a spreadsheet would run.
fn harmless(text: &str) -> Cow<'_, str> {
    let runs = text.starts_with(['=', '+', '-', '@', '\t', '\r']) && text.parse::<f64>().is_err();
    if runs { Cow::Owned(format!("'{text}")) } else { Cow::Borrowed(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_field_is_a_formula() {
        for (text, expected) in [
            ("a", "a"),
            ("-1.5", "-1.5"),
            ("+2e3", "+2e3"),
            ("=1+2", "'=1+2"),
            ("-x", "'-x"),
            ("@sum", "'@sum"),
            ("\tx", "'\tx"),
            ("\rx", "\"'\rx\""),
            ("=HYPERLINK(\"u\",1)", "\"'=HYPERLINK(\"\"u\"\",1)\""),
            ("a=b", "a=b"),
        ] {
            assert_eq!(field(text), expected);
        }
    }
}
