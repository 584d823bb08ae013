//! What was measured.

use super::units::{counted, measured_or_none, number_text};
use super::{BOLD, DIM};
use std::io::{self, Write};
use std::sync::Arc;
use traceward::Value;
use traceward::message::Shown;
use traceward::report::{Measure, QueryReport, QueryValue};

pub(super) fn write_query(out: &mut impl Write, query: &QueryReport) -> io::Result<()> {
    let measure = &query.measure;
    let (name, text) = (Shown(&query.name), Shown(&query.query));
    match &query.value {
        QueryValue::Whole(value) => {
            let value = measured_or_none(measure, value.as_ref());
            writeln!(out, "{BOLD}{name} = {value}{BOLD:#}  {DIM}{text}{DIM:#}")?;
        }
        QueryValue::ByKey(values) => {
            writeln!(out, "{BOLD}{name}{BOLD:#}  {DIM}{text}{DIM:#}")?;
            write_values_by_key(out, values, measure)?;
        }
    }
    if let Some(description) = &query.description {
        writeln!(out, "    {}", Shown(description))?;
    }
    match query.unanswered {
        Some(0) | None => Ok(()),
        Some(count) => writeln!(out, "    {} never answered", counted(count, "request")),
    }
}

pub(super) fn write_values_by_key(
    out: &mut impl Write,
    values: &[(Arc<str>, Option<Value>)],
    measure: &Measure,
) -> io::Result<()> {
    const SHOWN: usize = 10;
    let width = values.iter().take(SHOWN).map(|(key, _)| Shown(key).text().chars().count()).max().unwrap_or(0);
    for (key, value) in values.iter().take(SHOWN) {
        writeln!(out, "    {:<width$}  {}", Shown(key), measured_or_none(measure, value.as_ref()))?;
    }
    if values.len() > SHOWN {
        writeln!(out, "    {DIM}… and {} more (--format json){DIM:#}", values.len() - SHOWN)?;
    }
    let numbers: Vec<f64> = values.iter().filter_map(|(_, value)| value.as_ref().and_then(Value::as_f64)).collect();
    if !numbers.is_empty() {
        let least = numbers.iter().copied().fold(f64::INFINITY, f64::min);
        let most = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let average = numbers.iter().sum::<f64>() / numbers.len() as f64;
        let [least, average, most] = [least, average, most].map(|number| number_text(measure, number));
        writeln!(
            out,
            "    over {}: min {least}, avg {average}, max {most}; {}",
            counted(values.len(), "key"),
            without_value(values.iter().filter(|(_, value)| value.is_none()).count()),
        )?;
    }
    Ok(())
}

pub(super) fn without_value(count: usize) -> String {
    match count {
        0 => "each has a value".to_owned(),
        1 => "1 has no value".to_owned(),
        count => format!("{count} have no value"),
    }
}
