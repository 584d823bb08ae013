//! Answers for people.

use crate::command::monitor::{self, Ending};
use crate::failure::given_up;
use crate::input;
use anstyle::{AnsiColor, Style};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use traceward::engine::EngineStatistics;
use traceward::hygiene::{Comparison, Example, Lint, Oddity, Relation};
use traceward::input::{ColumnInspection, ColumnKind, Distinct, Inspection, Note, TimeGuess};
use traceward::message::{Shown, TIME_UNITS, duration, is_hidden};
use traceward::report::{
    Compared, Cost, Counterpart, CoverageReport, KeyVerdict, KeysReport, OwedReport, QueryReport, QueryValue,
    Violation, Violations, WaitingReport, Warning, WarningKind,
};
use traceward::{Evidence, Feed, Goal, PropertyReport, Report, Value, Verdict};

const GOOD: Style = AnsiColor::Green.on_default().bold();
const BAD: Style = AnsiColor::Red.on_default().bold();
const OPEN: Style = AnsiColor::Yellow.on_default().bold();
const DIM: Style = Style::new().dimmed();
const BOLD: Style = Style::new().bold();

/// Writes what was found out about one trace.
pub fn report(out: &mut impl Write, path: &Path, report: &Report, goal: Goal) -> io::Result<()> {
    writeln!(out, "{BOLD}{}{BOLD:#}: {}", input::name(path), extent(report))?;
    for property in &report.properties {
        write_property(out, property, report)?;
    }
    for query in &report.queries {
        write_query(out, query, report)?;
    }
    if let Some(table) = &report.trace.table {
        writeln!(out)?;
        table.trim_end().lines().try_for_each(|line| writeln!(out, "{}", Shown(line)))?;
    }
    for note in notes(report) {
        writeln!(out, "{DIM}note: {note}{DIM:#}")?;
    }
    if goal == Goal::Check && report.properties.len() > 1 {
        let violated = report.properties.iter().filter(|property| property.verdict == Verdict::Violated).count();
        writeln!(out, "{violated} of {} properties violated", report.properties.len())?;
    }
    Ok(())
}

/// A probable mistake in what was asked of a trace.
pub fn warning(path: &Path, warning: &Warning) -> String {
    let Warning { kind, about, is_urgent: _ } = warning;
    let about = about.as_ref().map(|about| format!("{}: ", about.name())).unwrap_or_default();
    let severity = match kind {
        kind if kind.leaves_unanswered() => "error",
        WarningKind::StepsBesideTime { .. } | WarningKind::StepsAreChanges { .. } => "note",
        _ => "warning",
    };
    let help = match kind {
        WarningKind::NotFollowed { .. } => "\n  help: without --prefix it is judged as if the trace ended here",
        _ => "",
    };
    format!("{severity}: {}: {}{help}", input::name(path), Shown(&format!("{about}{kind}")))
}

fn extent(report: &Report) -> String {
    let trace = &report.trace;
    let mut text = counted(trace.states, "state");
    if let Some(keys) = &trace.keys {
        text.push_str(&format!(" in {}", counted(keys.len(), "key")));
    }
    if let Some((first, last)) = trace.span {
        text.push_str(&format!(", {}", elapsed(last.abs_diff(first))));
    }
    text
}

/// Whether a note belongs to the answer; the others are asides about the input, and no part of the
/// results.
pub fn is_about_the_answer(note: &Note) -> bool {
    matches!(note, Note::EmptyInput | Note::HeaderOnly)
}

fn notes(report: &Report) -> Vec<String> {
    let trace = &report.trace;
    let mut notes: Vec<String> =
        trace.notes.iter().filter(|note| is_about_the_answer(note)).map(ToString::to_string).collect();
    if trace.states == 0 && notes.is_empty() {
        notes.push("the trace is empty".into());
    }
    for (name, count) in &trace.missing {
        let of = counted(trace.states, "state");
        let name = Shown(name);
        notes.push(format!("`{name}` is missing in {count} of {of}; what is asked of it is false there"));
    }
    notes
}

fn signs(verdict: Verdict) -> (&'static str, Style) {
    match verdict {
        Verdict::Satisfied | Verdict::Holding => ("✓", GOOD),
        Verdict::Violated => ("✗", BAD),
        Verdict::Pending => ("…", OPEN),
    }
}

fn write_property(out: &mut impl Write, property: &PropertyReport, report: &Report) -> io::Result<()> {
    // Taken apart field by field, so that none is left out unnoticed. Which engine answered, and
    // whether an earlier one could have, is asked by programs only.
    #[rustfmt::skip]
    let PropertyReport {
        name, description, formula, verdict, engine, decided_at, decided_exact: _, cost, truth, vacuous, evidence, keys,
    } = property;
    let (mark, style) = if vacuous.is_some() { ("✓", OPEN) } else { signs(*verdict) };
    let (name, formula) = (Shown(name), Shown(formula));
    let vacuously = vacuous.as_deref().map(vacuously).unwrap_or_default();
    writeln!(out, "{style}{mark} {verdict}{vacuously}{style:#}  {name}  {DIM}{formula}{DIM:#}")?;
    if let Some(description) = description {
        writeln!(out, "    {}", Shown(description))?;
    }
    write_evidence(out, evidence, *decided_at, report.trace.states)?;
    match cost {
        Cost::NotAsked => {}
        Cost::Unknown => writeln!(out, "    {}", statistics_text(engine.name(), None))?,
        Cost::Known(statistics) => writeln!(out, "    {}", statistics_text(engine.name(), Some(*statistics)))?,
    }
    if let Some(keys) = keys {
        write_keys(out, keys)?;
    }
    if let Some(truth) = truth {
        writeln!(out, "    holds at {} of {}: {truth}", truth.count_ones(), counted(truth.len(), "position"))?;
    }
    Ok(())
}

/// What is said of a property that is satisfied because a trigger never happened.
fn vacuously(trigger: &str) -> String {
    format!(", vacuously: `{}` never holds", Shown(trigger))
}

fn write_evidence(
    out: &mut impl Write,
    evidence: &Evidence,
    decided_at: Option<usize>,
    states: usize,
) -> io::Result<()> {
    let Evidence { violations, judged_at, owed, compared, coverage, waiting } = evidence;
    if let Some(compared) = compared {
        writeln!(out, "    {}", compared_text(compared))?;
    }
    if let Some(found) = violations {
        write_violations(out, found, states, "    ")?;
    }
    if let Some(first) = judged_at {
        writeln!(out, "    judged at {}", violation_text(first))?;
        write_missing(out, [first])?;
    }
    if let Some(position) = decided_at {
        writeln!(out, "    decided at position {position}")?;
    }
    for one in owed {
        writeln!(out, "    {}", owed_text(one))?;
    }
    if let Some(found) = coverage {
        write_coverage(out, found)?;
    }
    waiting.iter().flatten().try_for_each(|one| write_waiting(out, one))
}

/// The values that an assert compared.
fn compared_text(Compared { value, with }: &Compared) -> String {
    let side = |value: &Option<Value>| value.as_ref().map_or_else(|| "no value".to_owned(), ToString::to_string);
    match (value, with) {
        (Some(value), Counterpart::Constant(_)) => format!("its value is {value}"),
        (None, Counterpart::Constant(_)) => "it has no value".to_owned(),
        (value, Counterpart::Query(other)) => format!("{} on the left, {} on the right", side(value), side(other)),
    }
}

/// The highest cost of an engine.
fn statistics_text(engine: &str, statistics: Option<EngineStatistics>) -> String {
    let Some(statistics) = statistics else {
        return format!(
            "{engine} keeps neither configurations nor a graph; \
             breadth-first, forward-backward, forward-backward-dag and generic do"
        );
    };
    let EngineStatistics { peak_configurations, peak_nodes, peak_leaves, peak_bytes } = statistics;
    let part = |count: Option<usize>, what| count.map(|count| counted(count, what));
    let parts = [
        part(peak_configurations, "configuration"),
        part(peak_nodes, "node"),
        part(peak_leaves, "waiting timer"),
        Some(counted(peak_bytes, "byte")),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    format!("{engine} had at most {}", parts.join(", "))
}

/// The least width of a position in the lines of a monitor.
pub const POSITION_WIDTH: usize = 8;

/// The line of a monitor about a property after a state: the text before the position, and the text
/// behind it.
pub fn monitor_line(name: &str, verdict: Verdict) -> (String, String) {
    let style = match verdict {
        Verdict::Satisfied => GOOD,
        Verdict::Violated => BAD,
        Verdict::Holding | Verdict::Pending => DIM,
    };
    (String::new(), format!("  {style}{verdict:<9}{style:#}  {}\n", Shown(name)))
}

/// The line of a monitor about a property that is given up after a state.
pub fn unknown_line(position: u64, name: &str) -> String {
    format!("{position:>POSITION_WIDTH$}  {OPEN}{UNKNOWN:<9}{OPEN:#}  {name}\n")
}

/// The word for a verdict that could not be found out.
const UNKNOWN: &str = "unknown";

/// Writes what a monitor says at the end.
pub fn monitor_end(out: &mut impl Write, feed: &Feed, ending: Ending, cost: monitor::Cost) -> io::Result<()> {
    let monitor = feed.monitor();
    let what = if ending == Ending::Complete { "end" } else { "stopped" };
    writeln!(out, "{BOLD}{what}{BOLD:#}: {}", seen(monitor.position(), feed.skipped()))?;
    for (id, verdict) in monitor.property_ids().zip(ending.verdicts(monitor)) {
        let property = monitor.property(id);
        let (mark, style) = property.gave_up.map_or(signs(verdict), |_| ("?", OPEN));
        let known = property.gave_up.map_or(verdict.name(), |_| UNKNOWN);
        let (name, formula) = (Shown(property.name), Shown(property.formula));
        let vacuous = monitor.vacuous(id).filter(|_| verdict == Verdict::Satisfied);
        let vacuously = vacuous.map(vacuously).unwrap_or_default();
        write!(out, "{style}{mark} {known}{vacuously}{style:#}  {name}  {DIM}{formula}{DIM:#}")?;
        match property.decided_at {
            Some(position) => writeln!(out, "  final since position {position}")?,
            None => writeln!(out)?,
        }
        if let Some(gave_up) = property.gave_up {
            writeln!(out, "    {}", given_up(gave_up))?;
        }
        if let Some(description) = property.description {
            writeln!(out, "    {}", Shown(description))?;
        }
        if cost == monitor::Cost::Told {
            let (engine, statistics) = (monitor.engine(id).name(), monitor.engine_statistics(id));
            writeln!(out, "    {}", statistics_text(engine, statistics))?;
        }
    }
    Ok(())
}

/// Writes what a monitor knew when it was stopped in the middle of a step.
pub fn monitor_stopped(
    out: &mut impl Write,
    states: u64,
    bad_lines: u64,
    verdicts: &[(&str, Option<Verdict>)],
) -> io::Result<()> {
    writeln!(out, "{BOLD}stopped{BOLD:#}: {}", seen(states, bad_lines))?;
    for (name, verdict) in verdicts {
        let (mark, style) = verdict.map_or(("?", OPEN), signs);
        let known = verdict.map_or(UNKNOWN, Verdict::name);
        writeln!(out, "{style}{mark} {known}{style:#}  {}", Shown(name))?;
    }
    Ok(())
}

/// The number of states and bad lines that a monitor has seen.
fn seen(states: u64, bad_lines: u64) -> String {
    let states = counted(states as usize, "state");
    match bad_lines {
        0 => states,
        count => format!("{states}, {} skipped", counted(count as usize, "bad line")),
    }
}

fn owed_text(owed: &OwedReport) -> String {
    let verb = if owed.is_necessary { "owes" } else { "could be satisfied by" };
    let when = match (owed.from, owed.until) {
        (Some(from), Some(until)) if from == until => format!(", at position {until}"),
        (Some(from), Some(until)) => format!(", between positions {from} and {until}"),
        (Some(from), None) => format!(", from position {from} on"),
        (None, Some(until)) => format!(", by position {until} at the latest"),
        (None, None) => String::new(),
    };
    format!("{verb} `{}` since position {} (line {}){when}", Shown(&owed.obligation), owed.since, owed.line)
}

fn write_violations(out: &mut impl Write, found: &Violations, states: usize, indent: &str) -> io::Result<()> {
    if found.count == 0 {
        return Ok(());
    }
    writeln!(out, "{indent}fails at {} of {}:", found.count, counted(states, "position"))?;
    for violation in &found.first {
        writeln!(out, "{indent}  {}", violation_text(violation))?;
    }
    if found.count > found.first.len() {
        let more = found.count - found.first.len();
        writeln!(out, "{indent}  {DIM}… and {more} more (--max-violations){DIM:#}")?;
    }
    write_missing(out, &found.first)
}

/// Writes the way out where missing values may have decided violations.
fn write_missing<'a>(out: &mut impl Write, found: impl IntoIterator<Item = &'a Violation>) -> io::Result<()> {
    let mut names: Vec<&Arc<str>> = found.into_iter().flat_map(|violation| &violation.missing).collect();
    names.sort_unstable();
    names.dedup();
    if names.is_empty() {
        return Ok(());
    }
    let defined: Vec<String> = names.iter().map(|name| format!("defined({})", column_name(name))).collect();
    let them = if names.len() == 1 { "it" } else { "them" };
    writeln!(out, "    to leave out states without {them}: {} -> …", defined.join(" & "))
}

fn write_coverage(out: &mut impl Write, found: &CoverageReport) -> io::Result<()> {
    let Some(covered) = found.covered else { return Ok(()) };
    let mut reasons: Vec<Option<&String>> = found.unused.iter().map(|one| one.never_happened.as_ref()).collect();
    reasons.sort();
    reasons.dedup();
    for reason in reasons {
        let parts = found.unused.iter().filter(|one| one.never_happened.as_ref() == reason);
        let parts: Vec<String> = parts.map(|one| format!("`{}`", Shown(&one.part))).collect();
        let parts = parts.join(" and ");
        match reason {
            Some(never) => {
                let never = Shown(never);
                writeln!(out, "    `{never}` never happened: the property held vacuously, {parts} never mattered")?;
            }
            None => writeln!(out, "    {parts} never mattered: the property holds without")?,
        }
    }
    let visits = found.rejecting_visits_tree.unwrap_or(0);
    let slices = found.rejecting_visits_slices.map(|count| format!(" ({count} by slices)")).unwrap_or_default();
    writeln!(
        out,
        "    {DIM}every run visits {covered} of {}, and rejecting ones {} at the least{slices}{DIM:#}",
        counted(found.nodes, "node"),
        counted(visits as usize, "time"),
    )
}

fn write_waiting(out: &mut impl Write, one: &WaitingReport) -> io::Result<()> {
    let average = (one.average * 1e3).round() / 1e3;
    writeln!(
        out,
        "    `{}` waited {} to {} steps, {average} on average, {} asked",
        Shown(&one.part),
        one.least,
        one.most,
        counted(one.asked as usize, "time"),
    )
}

fn violation_text(violation: &Violation) -> String {
    let values: Vec<String> =
        violation.values.iter().map(|(name, value)| format!("{} = {}", Shown(name), value_text(Some(value)))).collect();
    let time = violation.time.map(|time| format!(", {}", moment(time))).unwrap_or_default();
    let separator = if values.is_empty() { "" } else { ": " };
    let values = values.join(", ");
    let missing: Vec<String> = violation.missing.iter().map(|name| column_name(name)).collect();
    let missing = match &missing[..] {
        [] => String::new(),
        [one] => format!("; {one} is missing"),
        [others @ .., last] => format!("; {} and {last} are missing", others.join(", ")),
    };
    format!("position {} (line {}{time}){separator}{values}{missing}", violation.position, violation.line)
}

fn write_keys<'a>(out: &mut impl Write, keys: &'a KeysReport) -> io::Result<()> {
    if keys.violated == 0 {
        let count = |verdict| keys.verdicts.iter().filter(|one| **one == verdict).count();
        let split = [Verdict::Pending, Verdict::Holding, Verdict::Satisfied].map(|verdict| (verdict, count(verdict)));
        let split: Vec<String> = split
            .iter()
            .filter(|(_, count)| *count > 0 && *count < keys.checked)
            .map(|(verdict, count)| format!("{verdict} for {count}"))
            .collect();
        let vacuously = match keys.vacuous {
            0 => String::new(),
            count => format!(", {count} of them vacuously"),
        };
        return match &split[..] {
            [] => writeln!(out, "    for each of {}{vacuously}", counted(keys.checked, "key")),
            split => writeln!(out, "    {} of {}{vacuously}", split.join(", "), counted(keys.checked, "key")),
        };
    }
    writeln!(out, "    for {} of {}:", keys.violated, counted(keys.checked, "key"))?;
    for one in &keys.first_violations {
        let first = one.evidence.violations.as_ref().and_then(|found| found.first.first());
        let first = first.map(|violation| format!(": first at {}", violation_text(violation)));
        let why = first.or_else(|| one.evidence.compared.as_ref().map(|found| format!(": {}", compared_text(found))));
        writeln!(out, "      {}{}", Shown(&one.key), why.unwrap_or_default())?;
    }
    let first = |one: &'a KeyVerdict| one.evidence.violations.iter().flat_map(|found| found.first.first());
    write_missing(out, keys.first_violations.iter().flat_map(first))?;
    if keys.violated > keys.first_violations.len() {
        let more = keys.violated - keys.first_violations.len();
        writeln!(out, "      {DIM}… and {more} more (--max-violations, --keys-to FILE.csv){DIM:#}")?;
    }
    Ok(())
}

fn write_query(out: &mut impl Write, query: &QueryReport, report: &Report) -> io::Result<()> {
    let measure = Measure::of(query, report);
    let (name, text) = (Shown(&query.name), Shown(&query.query));
    match &query.value {
        QueryValue::Whole(value) => {
            let value = measure.text(value.as_ref());
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

fn write_values_by_key(out: &mut impl Write, values: &[(Arc<str>, Option<Value>)], measure: Measure) -> io::Result<()> {
    const SHOWN: usize = 10;
    let width = values.iter().take(SHOWN).map(|(key, _)| Shown(key).text().chars().count()).max().unwrap_or(0);
    for (key, value) in values.iter().take(SHOWN) {
        writeln!(out, "    {:<width$}  {}", Shown(key), measure.text(value.as_ref()))?;
    }
    if values.len() > SHOWN {
        writeln!(out, "    {DIM}… and {} more (--format json){DIM:#}", values.len() - SHOWN)?;
    }
    let numbers: Vec<f64> = values.iter().filter_map(|(_, value)| value.as_ref().and_then(Value::as_f64)).collect();
    if !numbers.is_empty() {
        let least = numbers.iter().copied().fold(f64::INFINITY, f64::min);
        let most = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let average = numbers.iter().sum::<f64>() / numbers.len() as f64;
        let [least, average, most] = [least, average, most].map(|number| measure.number(number));
        writeln!(
            out,
            "    over {}: min {least}, avg {average}, max {most}; {}",
            counted(values.len(), "key"),
            without_value(values.iter().filter(|(_, value)| value.is_none()).count()),
        )?;
    }
    Ok(())
}

fn without_value(count: usize) -> String {
    match count {
        0 => "each has a value".to_owned(),
        1 => "1 has no value".to_owned(),
        count => format!("{count} have no value"),
    }
}

/// What the numbers of a query are.
#[derive(Clone, Copy)]
enum Measure {
    Plain,
    /// Nanoseconds between two states.
    Latency,
}

impl Measure {
    fn of(query: &QueryReport, report: &Report) -> Self {
        let timed = query.unanswered.is_some() && report.trace.span.is_some();
        if timed { Self::Latency } else { Self::Plain }
    }

    fn text(self, value: Option<&Value>) -> String {
        match (self, value) {
            (Self::Latency, Some(Value::Int(nanoseconds))) => {
                format!("{nanoseconds} ({})", elapsed(nanoseconds.unsigned_abs()))
            }
            _ => value_text(value),
        }
    }

    fn number(self, number: f64) -> String {
        match self {
            Self::Latency => elapsed(number as u64),
            // Whole numbers without a fraction, others with as many digits as tell them apart.
            Self::Plain => ((number * 1e6).round() / 1e6).to_string(),
        }
    }
}

fn value_text(value: Option<&Value>) -> String {
    value.map_or_else(|| "none".into(), |value| Shown(&value.to_string()).to_string())
}

pub fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// A stretch of time, in the unit a person would use.
fn elapsed(nanoseconds: u64) -> String {
    match TIME_UNITS.into_iter().find(|(size, _)| nanoseconds >= 2 * size) {
        Some((size, unit)) => {
            let rounded = (nanoseconds as f64 / size as f64 * 1e3).round() / 1e3;
            format!("{rounded} {unit}")
        }
        None => duration(nanoseconds),
    }
}

/// A timestamp: a date if it could be one, else the time since its clock began.
fn moment(nanoseconds: i64) -> String {
    const YEAR_2000: i64 = 946_684_800_000_000_000;
    match jiff::Timestamp::from_nanosecond(i128::from(nanoseconds)) {
        Ok(timestamp) if nanoseconds >= YEAR_2000 => timestamp.to_string(),
        _ => format!("{}{}", if nanoseconds < 0 { "-" } else { "" }, duration(nanoseconds.unsigned_abs())),
    }
}

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
        writeln!(out, "{DIM}note: {note}{DIM:#}")?;
    }
    if rows.iter().flatten().any(|cell| cell.ends_with('…')) {
        writeln!(out, "{DIM}note: what ends in … was cut; --format json has all of it{DIM:#}")?;
    }
    write_first_property(out, path, inspection)
}

fn column_row(column: &ColumnInspection, rows: u64) -> [String; 6] {
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

fn shortened(text: &str) -> String {
    shortened_to(text, 40)
}

fn shortened_to(text: &str, longest: usize) -> String {
    let text = Shown(text).text();
    if text.chars().count() <= longest {
        return text.into_owned();
    }
    text.chars().take(longest - 1).chain(['…']).collect()
}

fn write_table(out: &mut impl Write, head: &[String; 6], rows: &[[String; 6]]) -> io::Result<()> {
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
fn write_first_property(out: &mut impl Write, path: &Path, inspection: &Inspection) -> io::Result<()> {
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

fn about_booleans(inspection: &Inspection) -> Option<String> {
    let complete = inspection.columns.iter().filter(|column| column.missing == 0);
    let booleans = complete.filter(|column| column.kind == ColumnKind::Bool || is_bit(column));
    match booleans.map(|column| column_name(&column.name)).collect::<Vec<_>>().as_slice() {
        [first, second, ..] => Some(format!("-e 'G({first} -> F {second})'")),
        [only] => Some(format!("-e 'F {only}'")),
        [] => None,
    }
}

/// A column with a few different texts is likely to name events.
fn about_events(inspection: &Inspection) -> Option<String> {
    let event = inspection.columns.iter().find(|column| {
        let few = matches!(column.distinct, Distinct::Exactly(2..=100));
        few && column.kind == ColumnKind::Text && column.time.is_none() && !column.looks_like_key
    })?;
    let [first, second, ..] = event.examples.as_slice() else { return None };
    let by = inspection.columns.iter().find(|column| column.looks_like_key && column.name != event.name);
    let by = by.map(|column| format!(" --by '{}'", column.name)).unwrap_or_default();
    Some(format!("-e 'G({first:?} -> F {second:?})' --event '{}'{by}", event.name))
}

fn about_numbers(inspection: &Inspection) -> Option<String> {
    inspection.columns.iter().find_map(|column| {
        let (least, _) = column.range.as_ref()?;
        let asked = column.time.is_none() && column.missing == 0;
        asked.then(|| format!("-e 'G({} >= {least})'", column_name(&column.name)))
    })
}

/// A name as a formula writes it.
fn column_name(name: &str) -> String {
    traceward::message::Name(name).to_string()
}

fn is_bit(column: &ColumnInspection) -> bool {
    let zero_and_one = (Value::Int(0), Value::Int(1));
    column.range.as_ref().is_some_and(|range| *range == zero_and_one)
}

/// Writes what is odd in a spec.
pub fn lint(out: &mut impl Write, lint: &Lint) -> io::Result<()> {
    for finding in &lint.findings {
        let other = Shown(finding.other.as_deref().unwrap_or_default());
        let what = match finding.oddity {
            Oddity::Unsatisfiable => "can never hold".to_owned(),
            Oddity::Valid => "can never fail".to_owned(),
            Oddity::ImpliedBy => format!("holds wherever {other} does, and adds nothing to it"),
            Oddity::EquivalentTo => format!("means the same as {other}"),
        };
        writeln!(out, "{BAD}✗ {}{BAD:#}  {what}", Shown(&finding.property))?;
        if let Some(example) = &finding.example {
            write_example(out, example)?;
        }
    }
    let looked_at = match lint.properties.len() {
        1 => "1 property".to_owned(),
        count => format!("{count} properties"),
    };
    let odd = lint.findings.len();
    match odd {
        0 if !lint.undecided.is_empty() => Ok(()),
        0 => writeln!(out, "{GOOD}✓{GOOD:#} nothing odd about {looked_at}"),
        _ => writeln!(out, "{} about {looked_at}", counted(odd, "finding")),
    }
}

/// Writes how two properties relate.
pub fn comparison(out: &mut impl Write, comparison: &Comparison) -> io::Result<()> {
    let [first, second] = comparison.formulas.each_ref().map(|formula| Shown(formula));
    let says = match comparison.relation {
        Relation::Equal => "equal: the same traces satisfy both",
        Relation::Stronger => "stronger: the first implies the second, and not the other way round",
        Relation::Weaker => "weaker: the second implies the first, and not the other way round",
        Relation::Neither => "neither implies the other",
    };
    let [first_name, second_name] = comparison.names.each_ref().map(|name| Shown(name));
    writeln!(out, "{first_name}  {DIM}{first}{DIM:#}\n{second_name}  {DIM}{second}{DIM:#}")?;
    writeln!(out, "{BOLD}{says}{BOLD:#}")?;
    comparison.examples.iter().try_for_each(|example| write_example(out, example))
}

fn write_example(out: &mut impl Write, example: &Example) -> io::Result<()> {
    let names = |names: &[String]| Shown(&names.join(" and ")).to_string();
    let what = match (&example.satisfies[..], &example.violates[..]) {
        (satisfied, []) => format!("satisfies {}", names(satisfied)),
        ([], violated) => format!("violates {}", names(violated)),
        (satisfied, violated) => format!("satisfies {} and violates {}", names(satisfied), names(violated)),
    };
    writeln!(out, "    a shortest trace that {what}:")?;
    let mut position = 0;
    for run in example.states.chunk_by(|one, next| one == next) {
        let state = &run[0];
        let values: Vec<String> =
            state.iter().map(|(name, value)| format!("{} = {}", Shown(name), shown(value))).collect();
        let values = if values.is_empty() { "any state".to_owned() } else { values.join(", ") };
        match run.len() {
            1 => writeln!(out, "      {position}: {values}")?,
            len => writeln!(out, "      {position} to {}: {values}", position + len - 1)?,
        }
        position += run.len();
    }
    Ok(())
}

fn shown(value: &Value) -> String {
    if value.is_missing() { "missing".to_owned() } else { value_text(Some(value)) }
}
