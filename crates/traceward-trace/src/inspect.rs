//! What an input holds, for somebody who has not written a property yet.

mod suggest;

use crate::cell::Cell;
use crate::csv::CsvReader;
use crate::date;
use crate::error::TraceError;
use crate::format::Format;
use crate::json::{ELEMENTS_NAMED, check_object, flatten, has_long_array};
use crate::note::Note;
use crate::number::{self, ColumnShape, Common, ParsedNumber};
use crate::options::{ReadOptions, Records, TimeColumn, TimeUnit};
use crate::read::check_separator;
use crate::record::{End, Pump, ReadStop, RecordReader, RecordSink, each_line};
use crate::source::Source;
use crate::states::States;
use rustc_hash::FxHashMap;
use serde_json::Value as Json;
use std::fmt;
use std::io::Read;
pub use suggest::{Claim, Counted, Suggestion};
use suggest::{Codes, MOST_CELLS, Seen};
use traceward_logic::value::Value;

/// Different values counted exactly.
const MOST_DISTINCT: usize = 1000;

/// Different values of a column whose name sounds like a key: as many keys can be told apart.
const MOST_KEYS: usize = 200_000;

/// The number of example values kept of a column.
const EXAMPLES: usize = 5;

/// The number of columns kept of JSON lines: inputs that use data as names have no end of them.
const MOST_COLUMNS: usize = 10_000;

/// The contents of an input.
#[derive(Clone, Debug)]
pub struct Inspection {
    /// The format.
    pub format: Format,
    /// The separator of CSV fields.
    pub separator: Option<u8>,
    /// The number of records.
    pub rows: u64,
    /// The columns, in order of appearance.
    pub columns: Vec<ColumnInspection>,
    /// The first and last moment in nanoseconds since 1970, where a time column was named.
    pub time_span: Option<(i64, i64)>,
    /// The number of keys, where a key column was named.
    pub keys: Option<usize>,
    /// Properties that make sense, the best first.
    pub suggestions: Vec<Suggestion>,
    /// Notes about the input.
    pub notes: Vec<Note>,
}

/// The contents of one column.
#[derive(Clone, Debug)]
pub struct ColumnInspection {
    /// The name of the column.
    pub name: String,
    /// The type of its values.
    pub kind: ColumnKind,
    /// The number of records with a value.
    pub present: u64,
    /// The number of records without a value.
    pub missing: u64,
    /// The least and greatest value of a column of numbers.
    pub range: Option<(Value, Value)>,
    /// The first and last moment in nanoseconds since 1970 of a column of dates.
    pub dates: Option<(i64, i64)>,
    /// The number of different values.
    pub distinct: Distinct,
    /// Some different values, in order of appearance.
    pub examples: Vec<String>,
    /// The kind of timestamps that the column looks like, if it looks like the time column.
    pub time: Option<TimeGuess>,
    /// Whether the column looks like one to split the trace by.
    pub looks_like_key: bool,
}

/// The type of a column's values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ColumnKind {
    /// No value at all.
    Empty,
    /// Booleans.
    Bool,
    /// Integers.
    Int,
    /// Numbers with fractions.
    Float,
    /// Strings.
    Text,
}

impl fmt::Display for ColumnKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "empty",
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Float => "float",
            Self::Text => "text",
        })
    }
}

/// The number of different values of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Distinct {
    /// The values were all counted.
    Exactly(usize),
    /// There are more values than were counted.
    MoreThan(usize),
}

impl fmt::Display for Distinct {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exactly(count) => write!(f, "{count}"),
            Self::MoreThan(count) => write!(f, "more than {count}"),
        }
    }
}

/// The kind of timestamps that a column looks like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TimeGuess {
    /// Dates, in this layout.
    Dates(&'static str),
    /// Plain numbers, perhaps of this unit.
    Numbers(Option<TimeUnit>),
}

/// Tells what an input holds. Of the options those about format, time, key and missing values
/// count.
pub fn inspect(input: impl Read, options: &ReadOptions) -> Result<Inspection, TraceError> {
    check_separator(options.separator)?;
    let mut source = Source::open(input)?;
    let options = &ReadOptions { variables: Vec::new(), ..options.clone() };
    let format = source.format(options)?;
    let inspection = (format.road().inspect)(&mut source, options)?;
    Ok(Inspection { format, ..inspection })
}

/// Inspects CSV.
pub(crate) fn inspect_csv(source: &mut Source<'_>, options: &ReadOptions) -> Result<Inspection, TraceError> {
    let mut pump = Pump::new(CsvReader::open(options));
    let mut profiles = Profiles::new(options);
    source.drive(&mut pump, &mut profiles)?;
    let (names, notes) = (pump.reader.names(), pump.reader.notes());
    let inspection = profiles.finish(&names, notes)?;
    Ok(Inspection { separator: pump.reader.separator(), ..inspection })
}

/// Inspects JSON lines.
pub(crate) fn inspect_json(source: &mut Source<'_>, options: &ReadOptions) -> Result<Inspection, TraceError> {
    inspect_objects(source, options, WholeLines { line: 1, blank_lines: 0, objects: 0 })
}

/// Inspects an input of objects, which the reader hands on as they are.
pub(crate) fn inspect_objects<R: RecordReader>(
    source: &mut Source<'_>,
    options: &ReadOptions,
    reader: R,
) -> Result<Inspection, TraceError> {
    let mut pump = Pump::new(reader);
    let mut profiler = JsonProfiler::new(options);
    let driven = source.drive(&mut pump, &mut profiler);
    let names = profiler.names();
    driven.map_err(|error| profiler.profiles.states.explain(error, &names))?;
    let mut notes = pump.reader.notes();
    notes.extend(profiler.cut.many_names.then_some(Note::ManyNames { kept: MOST_COLUMNS }));
    notes.extend(profiler.cut.long_arrays.then_some(Note::LongArrays { elements: ELEMENTS_NAMED }));
    profiler.profiles.finish(&names, notes)
}

/// The columns of an input while it is read.
pub(crate) struct Profiles<'o> {
    options: &'o ReadOptions,
    columns: Vec<Profile>,
    /// Looks after time and key, just as in a reading.
    states: States<'o>,
    rows: u64,
    /// The number of records whose cells are kept, and of cells that may still be kept.
    kept: usize,
    cells_left: usize,
}

impl<'o> Profiles<'o> {
    pub(crate) fn new(options: &'o ReadOptions) -> Self {
        let states = States::unordered(options);
        Self { options, columns: Vec::new(), states, rows: 0, kept: 0, cells_left: MOST_CELLS }
    }

    /// The number of the next record, if its cells are to be kept.
    fn next_kept(&mut self) -> Option<usize> {
        let cost = self.columns.len();
        if self.kept as u64 != self.rows || self.cells_left < cost {
            return None;
        }
        self.cells_left -= cost;
        self.kept += 1;
        Some(self.kept - 1)
    }

    pub(crate) fn finish(self, names: &[String], notes: Vec<Note>) -> Result<Inspection, TraceError> {
        let summary = self.states.summarise(names, notes)?;
        let rows = self.rows;
        let suggestions = Seen::new(&self.columns, rows, self.kept, self.options).suggest();
        Ok(Inspection {
            format: Format::CSV,
            separator: None,
            rows,
            columns: self.columns.into_iter().map(|column| known_time(column.finish(rows), self.options)).collect(),
            time_span: summary.time_span,
            keys: summary.keys,
            suggestions,
            notes: summary.notes,
        })
    }
}

/// A column, of which nobody has to guess that it is the time column if the input says so itself.
fn known_time(column: ColumnInspection, options: &ReadOptions) -> ColumnInspection {
    let is_known = |time: &TimeColumn| options.records == Records::Events && time.name == column.name;
    if options.time.as_ref().is_some_and(is_known) { ColumnInspection { time: None, ..column } } else { column }
}

/// In a CSV input the header's columns come first, then time and key once more.
impl RecordSink for Profiles<'_> {
    fn header(&mut self, names: &[String]) -> Result<Vec<Option<usize>>, TraceError> {
        self.columns = names.iter().map(|name| Profile::new(name)).collect();
        let mut fields: Vec<_> = (0..names.len()).map(Some).collect();
        fields.extend(self.states.header(names)?);
        Ok(fields)
    }

    fn record(&mut self, line: u64, cells: &[Cell<'_>]) -> Result<(), ReadStop> {
        let (columns, time_and_key) = cells.split_at(self.columns.len());
        let kept = self.next_kept();
        for (column, &cell) in self.columns.iter_mut().zip(columns) {
            column.observe(cell, self.options, kept);
        }
        self.rows += 1;
        self.states.record(line, time_and_key)
    }
}

/// Hands on whole lines as they are. Every member is wanted here, so there is nothing to gain from
/// the projecting scanner.
struct WholeLines {
    line: u64,
    blank_lines: u64,
    objects: u64,
}

impl RecordReader for WholeLines {
    fn open(_: &ReadOptions) -> Self {
        Self { line: 1, blank_lines: 0, objects: 0 }
    }

    fn consume<S: RecordSink + ?Sized>(&mut self, bytes: &[u8], end: End, sink: &mut S) -> Result<usize, ReadStop> {
        each_line(bytes, end, |line| {
            if line.trim_ascii().is_empty() {
                self.blank_lines += 1;
            } else {
                sink.record(self.line, &[Cell::Container(line)])?;
                self.objects += 1;
            }
            self.line += 1;
            Ok(())
        })
    }

    fn line(&self) -> u64 {
        self.line
    }

    fn pass_line(&mut self) {
        self.line += 1;
    }

    fn names(&self) -> Vec<String> {
        Vec::new()
    }

    fn has_header(&self) -> bool {
        false
    }

    fn notes(&self) -> Vec<Note> {
        match (self.objects, self.blank_lines) {
            (0, _) => vec![Note::EmptyInput],
            (_, 0) => Vec::new(),
            (_, blank) => vec![Note::BlankLines(blank)],
        }
    }
}

/// Profiles the members of JSON lines.
struct JsonProfiler<'o> {
    profiles: Profiles<'o>,
    by_name: FxHashMap<String, usize>,
    slots: Vec<String>,
    cut: Cut,
}

/// What was not looked at.
#[derive(Clone, Copy, Default)]
struct Cut {
    /// Whether there were more names than are kept.
    many_names: bool,
    /// Whether there were arrays with more elements than are looked at.
    long_arrays: bool,
}

impl RecordSink for JsonProfiler<'_> {
    fn header(&mut self, _: &[String]) -> Result<Vec<Option<usize>>, TraceError> {
        Ok(Vec::new())
    }

    fn record(&mut self, line: u64, cells: &[Cell<'_>]) -> Result<(), ReadStop> {
        let &[Cell::Container(source)] = cells else { return Ok(()) };
        let value = check_object(source).map_err(|kind| TraceError::new(kind).on_line(line))?;
        self.cut.long_arrays |= has_long_array(&value);
        let slots = std::mem::take(&mut self.slots);
        let mut found: Vec<Option<Scalar>> = vec![None; slots.len()];
        let kept = self.profiles.next_kept();
        flatten(&value, &mut |name, value| {
            let scalar = Scalar::of(value);
            let options = self.profiles.options;
            if let Some(column) = self.column(name) {
                column.observe(scalar.as_ref().map_or(Cell::Null, Scalar::cell), options, kept);
            }
            for (slot, _) in slots.iter().enumerate().filter(|(_, slot)| *slot == name) {
                found[slot].clone_from(&scalar);
            }
        });
        self.slots = slots;
        self.profiles.rows += 1;
        let cells: Vec<Cell<'_>> =
            found.iter().map(|scalar| scalar.as_ref().map_or(Cell::Absent, Scalar::cell)).collect();
        self.profiles.states.record(line, &cells)
    }
}

impl<'o> JsonProfiler<'o> {
    fn new(options: &'o ReadOptions) -> Self {
        Self {
            profiles: Profiles::new(options),
            by_name: FxHashMap::default(),
            slots: options.names(),
            cut: Cut::default(),
        }
    }

    fn names(&self) -> Vec<String> {
        self.profiles.columns.iter().map(|column| column.name.clone()).collect()
    }

    fn column(&mut self, name: &str) -> Option<&mut Profile> {
        let columns = &mut self.profiles.columns;
        let index = match self.by_name.get(name) {
            Some(&index) => index,
            None if columns.len() == MOST_COLUMNS => {
                self.cut.many_names = true;
                return None;
            }
            None => {
                self.by_name.insert(name.to_owned(), columns.len());
                columns.push(Profile::new(name));
                columns.len() - 1
            }
        };
        columns.get_mut(index)
    }
}

/// A scalar of JSON, as text.
#[derive(Clone)]
enum Scalar {
    Literal(String),
    Text(String),
}

impl Scalar {
    fn of(value: &Json) -> Option<Self> {
        match value {
            Json::Null | Json::Array(_) | Json::Object(_) => None,
            Json::String(text) => Some(Self::Text(text.clone())),
            other => Some(Self::Literal(other.to_string())),
        }
    }

    fn cell(&self) -> Cell<'_> {
        match self {
            Self::Literal(text) => Cell::Literal(text.as_bytes()),
            Self::Text(text) => Cell::Text(text.as_bytes()),
        }
    }
}

/// One column in the making.
struct Profile {
    name: String,
    sounds_like_key: bool,
    present: u64,
    shape: ColumnShape,
    least: Option<Value>,
    greatest: Option<Value>,
    /// The different values, each with a number.
    distinct: FxHashMap<Box<[u8]>, u32>,
    /// The boolean that each of them is, in the order of these numbers.
    bits: Vec<Option<bool>>,
    /// The values of the records that are kept.
    codes: Codes,
    /// Whether each value has a number.
    is_kept: bool,
    /// Whether all values are texts, even where a format tells them from numbers.
    is_always_string: bool,
    /// Whether no value is a text that a format tells from a number.
    is_never_string: bool,
    is_utf8: bool,
    examples: Vec<String>,
    /// Whether no number was less than the one before it.
    ascending: bool,
    last: Option<Value>,
    dates: Dates,
}

/// Whether all values of a column are dates.
struct Dates {
    refuted: bool,
    layout: Option<date::DateLayout>,
    span: Option<(i64, i64)>,
    /// Whether no date was before the one before it.
    ascending: bool,
    /// Whether a date did not tell its day or year by itself.
    is_unclear: bool,
    last: i64,
    /// The moments of the records that are kept.
    moments: Vec<i64>,
}

impl Default for Dates {
    fn default() -> Self {
        Self {
            refuted: false,
            layout: None,
            span: None,
            ascending: true,
            is_unclear: false,
            last: i64::MIN,
            moments: Vec::new(),
        }
    }
}

impl Profile {
    fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            sounds_like_key: sounds_like_key(name),
            present: 0,
            shape: ColumnShape::default(),
            least: None,
            greatest: None,
            distinct: FxHashMap::default(),
            bits: Vec::new(),
            codes: Codes::default(),
            is_kept: true,
            is_always_string: true,
            is_never_string: true,
            is_utf8: true,
            examples: Vec::new(),
            ascending: true,
            last: None,
            dates: Dates::default(),
        }
    }

    /// Looks at a cell; `kept` is the number of its record, if the record is kept.
    fn observe(&mut self, cell: Cell<'_>, options: &ReadOptions, kept: Option<usize>) {
        let Some(text) = cell.text() else { return };
        let is_null = options.null.iter().any(|null| null.as_bytes() == &*text);
        if is_null || matches!(number::parse(&text), Ok(ParsedNumber::Nan)) {
            return;
        }
        self.present += 1;
        match cell {
            Cell::Field(_) | Cell::Literal(_) | Cell::Bool(_) | Cell::Int(_) => self.shape.observe(&text),
            Cell::Float(_) => self.shape.observe_float(),
            _ => self.shape.observe_text(),
        }
        self.is_always_string &= !matches!(cell, Cell::Literal(_) | Cell::Bool(_) | Cell::Int(_) | Cell::Float(_));
        self.is_never_string &= !matches!(cell, Cell::Text(_) | Cell::Str(_));
        self.observe_number(&text);
        self.dates.observe(&text, kept);
        let code = self.observe_distinct(&text);
        if let (Some(kept), Some(code)) = (kept, code) {
            self.codes.keep(kept, code);
        }
    }

    fn observe_number(&mut self, text: &[u8]) {
        let value = match number::parse(text) {
            Ok(ParsedNumber::Int(int)) => Value::Int(int),
            Ok(ParsedNumber::Float(float)) => Value::Float(float),
            Ok(ParsedNumber::Nan) | Err(_) => return,
        };
        let less = |left: &Value, right: &Value| left.compare(right).is_some_and(|order| order.is_lt());
        self.ascending &= self.last.as_ref().is_none_or(|last| !less(&value, last));
        if self.least.as_ref().is_none_or(|least| less(&value, least)) {
            self.least = Some(value.clone());
        }
        if self.greatest.as_ref().is_none_or(|greatest| less(greatest, &value)) {
            self.greatest = Some(value.clone());
        }
        self.last = Some(value);
    }

    /// The number of a value, if there are not too many. One value more is kept than are counted
    /// exactly, to know that there are more.
    fn observe_distinct(&mut self, text: &[u8]) -> Option<u32> {
        if !self.is_kept {
            return None;
        }
        if let Some(&code) = self.distinct.get(text) {
            return Some(code);
        }
        if self.distinct.len() > if self.sounds_like_key { MOST_KEYS } else { MOST_DISTINCT } {
            self.is_kept = false;
            self.codes = Codes::default();
            return None;
        }
        let code = self.distinct.len() as u32;
        self.distinct.insert(text.into(), code);
        self.bits.push(number::parse_bool(text));
        self.is_utf8 &= std::str::from_utf8(text).is_ok();
        if self.examples.len() < EXAMPLES {
            self.examples.push(String::from_utf8_lossy(text).into_owned());
        }
        Some(code)
    }

    fn kind(&self) -> ColumnKind {
        match self.shape.common() {
            Common::Nothing => ColumnKind::Empty,
            Common::Bool => ColumnKind::Bool,
            Common::Int => ColumnKind::Int,
            Common::Float => ColumnKind::Float,
            Common::Text => ColumnKind::Text,
        }
    }

    fn finish(self, rows: u64) -> ColumnInspection {
        let kind = self.kind();
        ColumnInspection {
            kind,
            present: self.present,
            missing: rows - self.present.min(rows),
            range: self.range(kind),
            dates: self.dates.span.filter(|_| self.dates.holds()),
            distinct: self.count_distinct(),
            time: self.guess_time(kind, rows),
            looks_like_key: self.looks_like_key(kind, rows),
            examples: self.examples,
            name: self.name,
        }
    }

    fn range(&self, kind: ColumnKind) -> Option<(Value, Value)> {
        let (least, greatest) = (self.least.clone()?, self.greatest.clone()?);
        match kind {
            ColumnKind::Int => Some((least, greatest)),
            ColumnKind::Float => Some((Value::float(least.as_f64()?), Value::float(greatest.as_f64()?))),
            ColumnKind::Empty | ColumnKind::Bool | ColumnKind::Text => None,
        }
    }

    fn count_distinct(&self) -> Distinct {
        match self.distinct.len() {
            count @ 0..=MOST_DISTINCT => Distinct::Exactly(count),
            _ => Distinct::MoreThan(MOST_DISTINCT),
        }
    }

    fn guess_time(&self, kind: ColumnKind, rows: u64) -> Option<TimeGuess> {
        // A date that is always the same, such as that of the export, is no clock.
        if self.dates.holds() && self.distinct.len() > 1 {
            return self.dates.layout.map(|layout| TimeGuess::Dates(layout.description()));
        }
        let is_number = matches!(kind, ColumnKind::Int | ColumnKind::Float);
        let is_clock = is_number && self.ascending && self.present == rows && self.distinct.len() > 1;
        (is_clock && sounds_like_time(&self.name))
            .then(|| TimeGuess::Numbers(self.greatest.as_ref().and_then(Value::as_f64).and_then(unit_since_1970)))
    }

    /// Values that come again, in a column whose name sounds like it.
    fn looks_like_key(&self, kind: ColumnKind, rows: u64) -> bool {
        let repeats = match self.count_distinct() {
            Distinct::Exactly(count) => count > 1 && 2 * count as u64 <= self.present,
            Distinct::MoreThan(count) => 2 * (count as u64) < self.present,
        };
        let mostly_there = self.present * 10 >= rows * 9;
        matches!(kind, ColumnKind::Int | ColumnKind::Text) && repeats && mostly_there && self.sounds_like_key
    }
}

impl Dates {
    fn observe(&mut self, text: &[u8], kept: Option<usize>) {
        use date::Moment;
        if self.refuted {
            return;
        }
        match date::parse(text) {
            // A number is none of the dates that people write, though `20141022` could be one.
            Ok((layout, moment)) if number::parse(text).is_err() => {
                self.layout.get_or_insert(layout);
                self.is_unclear |= !matches!(moment, Moment::Exact(_) | Moment::Clock(_));
                let time = match moment {
                    Moment::Exact(time)
                    | Moment::DayFirst(time)
                    | Moment::MonthFirst(time)
                    | Moment::Either { day_first: time, .. } => time,
                    Moment::Clock(clock) => return self.follow(clock, kept),
                    Moment::NoYear(_) => return,
                };
                self.follow(time, kept);
                let (least, greatest) = self.span.unwrap_or((time, time));
                self.span = Some((least.min(time), greatest.max(time)));
            }
            _ => {
                self.refuted = true;
                self.moments = Vec::new();
            }
        }
    }

    /// Looks whether moments are in order.
    fn follow(&mut self, moment: i64, kept: Option<usize>) {
        self.ascending &= self.last <= moment;
        self.last = moment;
        self.moments.extend(kept.map(|_| moment));
    }

    fn holds(&self) -> bool {
        !self.refuted && self.layout.is_some()
    }
}

/// The words of a name: `nav_state_timestamp`, `caseId` and `Case ID` have three, two and two.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_lower = false;
    for letter in name.chars() {
        let begins = after_lower && letter.is_uppercase();
        if begins || !letter.is_alphanumeric() {
            words.push(String::new());
        }
        if letter.is_alphanumeric() {
            words.last_mut().into_iter().for_each(|word| word.extend(letter.to_lowercase()));
        }
        after_lower = letter.is_lowercase();
    }
    words
}

fn sounds_like_time(name: &str) -> bool {
    let time = ["t", "ts", "time", "timestamp", "date", "datetime", "clock", "when"];
    words(name).iter().any(|word| time.contains(&word.as_str()))
}

fn sounds_like_key(name: &str) -> bool {
    let key = ["id", "nid", "case", "key", "session", "node", "thread", "process", "pid", "tid", "user", "caseid"];
    words(name).iter().any(|word| key.contains(&word.as_str()))
}

/// The unit in which a number since 1970 lies between 2001 and 2286.
fn unit_since_1970(number: f64) -> Option<TimeUnit> {
    match number {
        1e9..1e10 => Some(TimeUnit::S),
        1e12..1e13 => Some(TimeUnit::Ms),
        1e15..1e16 => Some(TimeUnit::Us),
        1e18..1e19 => Some(TimeUnit::Ns),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::time;

    fn summary(input: &str, options: &ReadOptions) -> String {
        let inspection = inspect(input.as_bytes(), options).unwrap();
        let line = |column: &ColumnInspection| {
            let range = column.range.as_ref().map(|(least, greatest)| format!(" {least}..{greatest}"));
            let time = column.time.map(|guess| format!(" {guess:?}"));
            format!(
                "{}: {} {}+{} of {}{}{}{}",
                column.name,
                column.kind,
                column.present,
                column.missing,
                column.distinct,
                range.unwrap_or_default(),
                time.unwrap_or_default(),
                if column.looks_like_key { " key" } else { "" }
            )
        };
        inspection.columns.iter().map(line).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn columns_of_csv_are_described() {
        let input = "Case ID;when;ts;n;f;ok;e;e\n\
                     A;2014/10/22 11:15:41;1712329729;1;0.5;true;;\n\
                     A;2014/10/22 11:15:42;1712329730;-3;nan;false;;\n\
                     B;2014/10/23 11:15:42;1712329731;;2;T;;\n\
                     B;2014/10/24 11:15:42;1712329731;7;1;;;\n";
        assert_eq!(
            summary(input, &ReadOptions::default()),
            "Case ID: text 4+0 of 2 key\n\
             when: text 4+0 of 4 Dates(\"yyyy-mm-dd HH:MM:SS\")\n\
             ts: int 4+0 of 3 1712329729..1712329731 Numbers(Some(S))\n\
             n: int 3+1 of 3 -3..7\n\
             f: float 3+1 of 3 0.5..2.0\n\
             ok: bool 3+1 of 3\n\
             e: empty 0+4 of 0\n\
             e: empty 0+4 of 0"
        );
        let options =
            ReadOptions { time: time("when", None), key: Some("Case ID".to_owned()), ..ReadOptions::default() };
        let inspection = inspect(input.as_bytes(), &options).unwrap();
        assert_eq!((inspection.rows, inspection.keys, inspection.separator), (4, Some(2), Some(b';')));
        assert_eq!(inspection.time_span, Some((1_413_976_541_000_000_000, 1_414_149_342_000_000_000)));
        assert_eq!(inspection.columns[1].dates, inspection.time_span);
        assert_eq!(inspection.columns[3].examples, ["1", "-3", "7"]);
    }

    #[test]
    fn members_of_json_are_described() {
        let input = r#"{"ts":1.5,"event":{"nid":"1","term":0}}
{"ts":2.5,"event":{"nid":"1","term":null,"ok":true}}

{"ts":3.5,"event":{"nid":"2","x":[]}}
{"ts":3.5,"event":{"nid":"2"}}"#;
        let options = ReadOptions {
            time: time("ts", Some(TimeUnit::S)),
            key: Some("event.nid".to_owned()),
            ..Default::default()
        };
        assert_eq!(
            summary(input, &options),
            "ts: float 4+0 of 3 1.5..3.5 Numbers(None)\n\
             event.nid: text 4+0 of 2 key\n\
             event.term: int 1+3 of 1 0..0\n\
             event.ok: bool 1+3 of 1"
        );
        let inspection = inspect(input.as_bytes(), &options).unwrap();
        assert_eq!(inspection.time_span, Some((1_500_000_000, 3_500_000_000)));
        assert_eq!((inspection.rows, inspection.keys), (4, Some(2)));
        assert_eq!(inspection.notes, [Note::BlankLines(1)]);
    }

    #[test]
    fn records_need_not_be_in_order_to_be_described() {
        let options = ReadOptions { time: time("t", Some(TimeUnit::Ns)), ..ReadOptions::default() };
        assert_eq!(inspect(&b"t\n5\n2\n9\n3\n"[..], &options).unwrap().time_span, Some((2, 9)));
    }

    #[test]
    fn different_values_are_counted_up_to_a_limit() {
        let input = |rows: usize| "x\n".to_owned() + &(0..rows).map(|row| format!("{row}\n")).collect::<String>();
        let distinct = |rows| inspect(input(rows).as_bytes(), &ReadOptions::default()).unwrap().columns[0].distinct;
        assert_eq!(distinct(MOST_DISTINCT), Distinct::Exactly(1000));
        assert_eq!(distinct(MOST_DISTINCT + 1).to_string(), "more than 1000");
    }

    #[test]
    fn mistakes_and_empty_inputs_are_told() {
        let options = ReadOptions { time: time("tz", None), ..ReadOptions::default() };
        for input in ["ts,x\n1,2\n", "{\"ts\":1}"] {
            let error = inspect(input.as_bytes(), &options).unwrap_err();
            assert_eq!(error.help()[0].to_string(), "did you mean `ts`?");
        }
        let error = inspect(&b"{\"ts\":1}\n{"[..], &ReadOptions::default()).unwrap_err();
        assert_eq!(error.line(), Some(2));
        assert_eq!(inspect(&b""[..], &ReadOptions::default()).unwrap().notes, [Note::EmptyInput]);
    }
}
