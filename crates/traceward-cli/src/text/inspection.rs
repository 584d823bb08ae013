//! What a trace holds.

use super::units::{counted, elapsed, moment, shortened, shortened_to};
use super::{BOLD, DIM};
use crate::arguments::{escape_plus, shell_word};
use crate::input;
use std::io::{self, Write};
use std::path::Path;
use traceward::input::{ColumnInspection, Distinct, Inspection, TimeGuess};
use traceward::message::{Shown, is_hidden};
use traceward_wire::SuggestedCommand;

/// Writes what a trace holds.
pub fn inspection(
    out: &mut impl Write,
    path: &Path,
    inspection: &Inspection,
    suggestions: &[SuggestedCommand],
) -> io::Result<()> {
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
    let mut rows: Vec<[String; 6]> = inspection.columns.iter().map(|one| column_row(one, inspection.rows)).collect();
    if let Some((date, clock)) = date_and_clock(&inspection.columns) {
        let name = |column: usize| escape_plus(&inspection.columns[column].name);
        let both = format!("time? --time {}", shell_word(&format!("{}+{}", name(date), name(clock))));
        [date, clock].into_iter().for_each(|column| rows[column][5] = shortened_to(&both, 60));
    }
    let head = ["column", "type", "missing", "distinct", "range or examples", ""].map(str::to_owned);
    write_table(out, &head, &rows)?;
    for note in &inspection.notes {
        writeln!(out, "{DIM}{}{DIM:#}", input::note("", note))?;
    }
    if rows.iter().flatten().any(|cell| cell.ends_with('…')) {
        writeln!(out, "{DIM}note: what ends in … was cut; --format json has all of it{DIM:#}")?;
    }
    write_suggestions(out, suggestions)
}

/// The only column of days, and the only one of times of day: together they are one timestamp.
fn date_and_clock(columns: &[ColumnInspection]) -> Option<(usize, usize)> {
    const DAY: i64 = 86_400_000_000_000;
    let is_clock = |one: &ColumnInspection| matches!(one.time, Some(TimeGuess::Dates("HH:MM:SS")));
    let is_day = |one: &ColumnInspection| one.dates.is_some_and(|(first, last)| first % DAY == 0 && last % DAY == 0);
    let only = |fits: &dyn Fn(&ColumnInspection) -> bool| {
        let mut found = (0..columns.len()).filter(|&column| fits(&columns[column]));
        found.next().filter(|_| found.next().is_none())
    };
    let is_date = |one: &ColumnInspection| matches!(one.time, Some(TimeGuess::Dates(_))) && !is_clock(one);
    // Beside a column that has both, a time of day is something else.
    only(&is_date).filter(|&date| is_day(&columns[date])).zip(only(&is_clock))
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
    let time = |unit: &str| format!("time? --time {}", shell_word(&format!("{}{unit}", escape_plus(name))));
    let remark = match (&column.time, column.looks_like_key) {
        (Some(TimeGuess::Dates(layout)), _) if layout.ends_with("without a year") => time("") + " --year YEAR",
        (Some(TimeGuess::Dates(_)), _) => time(""),
        (Some(TimeGuess::Numbers(Some(unit))), _) => time(&format!(":{unit}")),
        (Some(TimeGuess::Numbers(None)), _) => time(":UNIT"),
        (None, true) => format!("key? --by {}", shell_word(name)),
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

/// Properties about this very trace, to begin with.
fn write_suggestions(out: &mut impl Write, suggestions: &[SuggestedCommand]) -> io::Result<()> {
    // What cannot be shown as it is cannot be typed either.
    let shown = |one: &&SuggestedCommand| !one.command.iter().any(|word| word.contains(is_hidden));
    for (index, one) in suggestions.iter().filter(shown).enumerate() {
        let head = if index == 0 { "to begin with:\n" } else { "" };
        let words: Vec<String> = one.command.iter().map(|word| shell_word(word)).collect();
        writeln!(out, "{head}  {DIM}# {}{DIM:#}\n  {}", Shown(&one.claim), words.join(" "))?;
    }
    Ok(())
}
