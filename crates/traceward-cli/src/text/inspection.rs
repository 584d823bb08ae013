//! What a trace holds.

use super::units::{column_name, counted, elapsed, moment, shortened, shortened_to};
use super::{BOLD, DIM};
use crate::input;
use std::io::{self, Write};
use std::path::Path;
use traceward::Value;
use traceward::input::{ColumnInspection, ColumnKind, Distinct, Inspection, TimeGuess};
use traceward::message::{Shown, is_hidden};

/// Writes what a trace holds.
pub fn inspection(out: &mut impl Write, path: &Path, inspection: &Inspection) -> io::Result<()> {
    let separator = match inspection.separator {
        Some(b'\t') => " separated by tabs".to_owned(),
        Some(other) => format!(" separated by `{}`", Shown(char::from(other).encode_utf8(&mut [0; 4]))),
        None => String::new(),
    };
    write!(out, "{BOLD}{}{BOLD:#}: {}{separator}, ", input::name(path), inspection.format)?;
    writeln!(out, "{}, {}", counted(inspection.rows as usize, "state"), counted(inspection.columns.len(), "column"))?;
    if let Some((first, last)) = inspection.time_span {
        writeln!(out, "time from {} to {}: {}", moment(first), moment(last), elapsed(last.abs_diff(first)))?;
    }
    if let Some(keys) = inspection.keys {
        writeln!(out, "{}", counted(keys, "key"))?;
    }
    let rows: Vec<[String; 6]> = inspection.columns.iter().map(|one| column_row(one, inspection.rows)).collect();
    let head = ["column", "type", "missing", "distinct", "range or examples", ""].map(str::to_owned);
    write_table(out, &head, &rows)?;
    for note in &inspection.notes {
        writeln!(out, "{DIM}{}{DIM:#}", input::note("", note))?;
    }
    if rows.iter().flatten().any(|cell| cell.ends_with('…')) {
        writeln!(out, "{DIM}note: what ends in … was cut; --format json has all of it{DIM:#}")?;
    }
    write_first_property(out, path, inspection)
}

pub(super) fn column_row(column: &ColumnInspection, rows: u64) -> [String; 6] {
    let distinct = match column.distinct {
        Distinct::Exactly(count) => count.to_string(),
        Distinct::MoreThan(count) => format!(">{count}"),
    };
    let examples = || {
        let texts: Vec<String> = column.examples.iter().take(4).map(|text| shortened_to(text, 24)).collect();
        texts.join(", ")
    };
    let range = match (&column.range, column.dates) {
        (_, Some((first, last))) => format!("{} … {}", moment(first), moment(last)),
        (Some((least, most)), None) => format!("{least} … {most}"),
        (None, None) => examples(),
    };
    let name = &column.name;
    let remark = match (&column.time, column.looks_like_key) {
        (Some(TimeGuess::Dates(_)), _) => format!("time? --time '{name}'"),
        (Some(TimeGuess::Numbers(Some(unit))), _) => format!("time? --time '{name}:{unit}'"),
        (Some(TimeGuess::Numbers(None)), _) => format!("time? --time '{name}:UNIT'"),
        (None, true) => format!("key? --by '{name}'"),
        (None, false) => String::new(),
    };
    let missing = if column.missing == 0 { "-".into() } else { format!("{} of {rows}", column.missing) };
    [shortened(name), column.kind.to_string(), missing, distinct, shortened_to(&range, 60), shortened_to(&remark, 60)]
}

pub(super) fn write_table(out: &mut impl Write, head: &[String; 6], rows: &[[String; 6]]) -> io::Result<()> {
    let width = |index: usize| rows.iter().chain([head]).map(|row| row[index].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..6).map(width).collect();
    let line = |row: &[String; 6]| {
        let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        cells.join("  ").trim_end().to_owned()
    };
    writeln!(out, "\n  {DIM}{}{DIM:#}", line(head))?;
    for row in rows {
        writeln!(out, "  {}", line(row))?;
    }
    writeln!(out)
}

/// A property about this very trace, to begin with.
pub(super) fn write_first_property(out: &mut impl Write, path: &Path, inspection: &Inspection) -> io::Result<()> {
    let formula = about_booleans(inspection).or_else(|| about_events(inspection)).or_else(|| about_numbers(inspection));
    match formula {
        // What cannot be shown as it is cannot be typed either.
        Some(arguments) if !arguments.contains(is_hidden) => {
            writeln!(out, "to begin with: traceward check {arguments} {}", input::name(path))
        }
        Some(_) => Ok(()),
        None => Ok(()),
    }
}

pub(super) fn about_booleans(inspection: &Inspection) -> Option<String> {
    let complete = inspection.columns.iter().filter(|column| column.missing == 0);
    let booleans = complete.filter(|column| column.kind == ColumnKind::Bool || is_bit(column));
    match booleans.map(|column| column_name(&column.name)).collect::<Vec<_>>().as_slice() {
        [first, second, ..] => Some(format!("-e 'G({first} -> F {second})'")),
        [only] => Some(format!("-e 'F {only}'")),
        [] => None,
    }
}

/// A column with a few different texts is likely to name events.
pub(super) fn about_events(inspection: &Inspection) -> Option<String> {
    let event = inspection.columns.iter().find(|column| {
        let few = matches!(column.distinct, Distinct::Exactly(2..=100));
        few && column.kind == ColumnKind::Text && column.time.is_none() && !column.looks_like_key
    })?;
    let [first, second, ..] = event.examples.as_slice() else { return None };
    let by = inspection.columns.iter().find(|column| column.looks_like_key && column.name != event.name);
    let by = by.map(|column| format!(" --by '{}'", column.name)).unwrap_or_default();
    Some(format!("-e 'G({first:?} -> F {second:?})' --event '{}'{by}", event.name))
}

pub(super) fn about_numbers(inspection: &Inspection) -> Option<String> {
    inspection.columns.iter().find_map(|column| {
        let (least, _) = column.range.as_ref()?;
        let asked = column.time.is_none() && column.missing == 0;
        asked.then(|| format!("-e 'G({} >= {least})'", column_name(&column.name)))
    })
}

pub(super) fn is_bit(column: &ColumnInspection) -> bool {
    let zero_and_one = (Value::Int(0), Value::Int(1));
    column.range.as_ref().is_some_and(|range| *range == zero_and_one)
}
