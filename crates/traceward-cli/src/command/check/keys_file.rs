//! `--keys-to`: a table with a row for each key.

use super::written_file::{Purpose, WrittenFile};
use crate::failure::Failure;
use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use traceward::report::{QueryReport, QueryValue};
use traceward::{Report, Value};

/// The file that the verdicts and values for each key are written to.
pub struct KeysFile<'a> {
    file: WrittenFile<'a>,
}

impl<'a> KeysFile<'a> {
    /// A file for the only one of some traces.
    pub fn new(path: &'a Path, traces: &[PathBuf]) -> Result<Self, Failure> {
        let purpose = Purpose { option: "--keys-to", content: "table" };
        Ok(Self { file: WrittenFile::new(purpose, path, traces)? })
    }

    /// Writes a row for each key: its verdict on each property, and the value of each query, empty
    /// where there is none.
    pub fn write(&self, report: &Report) -> Result<(), Failure> {
        let Some(keys) = &report.trace.keys else {
            return Err(Failure::new("--keys-to needs a trace that is split by key: --by COLUMN"));
        };
        let mut table = String::from("key,states");
        let properties = report.properties.iter().map(|property| &property.name);
        for name in properties.chain(report.queries.iter().map(|query| &query.name)) {
            table.push(',');
            table.push_str(&field(name));
        }
        table.push('\n');
        let values: Vec<HashMap<&str, &Value>> = report.queries.iter().map(values_by_key).collect();
        for (index, (key, states)) in keys.iter().enumerate() {
            let key = key.text();
            table.push_str(&format!("{},{states}", field(&key)));
            for property in &report.properties {
                let verdict = property.keys.as_ref().map_or(property.verdict, |keys| keys.verdicts[index]);
                table.push_str(&format!(",{verdict}"));
            }
            for values in &values {
                table.push(',');
                table.push_str(&values.get(&*key).map(|value| cell(value)).unwrap_or_default());
            }
            table.push('\n');
        }
        self.file.write(&table)
    }
}

/// The value of a query for each key that has one.
fn values_by_key(query: &QueryReport) -> HashMap<&str, &Value> {
    match &query.value {
        QueryValue::Whole(_) => HashMap::new(),
        QueryValue::ByKey { values, .. } => {
            values.iter().filter_map(|(key, value)| Some((&**key, value.as_ref()?))).collect()
        }
    }
}

/// A value as a field of CSV: a text is the text itself.
fn cell(value: &Value) -> String {
    match value {
        Value::Str(text) => field(text),
        other => field(&other.to_string()),
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
