//! Random inputs as text: one table of cells, written as CSV and as JSON lines.
//!
//! Most tables are good, and the others have few mistakes: where everything is wrong nothing is
//! compared. Mistakes are of every sort: values of another type, missing ones, numbers that look
//! like texts and the reverse, broken lines, time that goes backwards.

use super::question::{Kinds, Question, question};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use std::fmt;

/// What the values of a column are, by and large.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Booleans.
    Bool,
    /// Numbers.
    Number,
    /// Texts.
    Text,
    /// Nothing: the input does not have the column.
    Nowhere,
}

/// What the time column holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Clock {
    /// Something that nobody looks at.
    None,
    /// Plain numbers of milliseconds.
    Millis,
    /// Dates as people write them.
    Dates,
    /// Times of day, shortly before midnight and after it.
    OfDay,
    /// Dates without a year, shortly before new year and after it.
    NoYear,
}

/// A value in a table.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Cell {
    /// An empty field, a member that is not there.
    Absent,
    /// The text that stands for a missing value, or JSON's `null`.
    Null,
    Bool(bool),
    /// A number as it is written, in JSON too.
    Number(String),
    Text(String),
    /// An object or array; in CSV its text.
    Container(&'static str),
}

/// A line that is no record, in front of a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Blot {
    Blank,
    /// One of several sorts of broken lines.
    Broken(usize),
}

/// How a table is written.
#[derive(Clone, Copy, Debug)]
struct Dress {
    separator: char,
    line_end: &'static str,
    mark: &'static str,
    quotes: Quotes,
    members: Members,
    /// Whether the last line has its line end.
    last_line: LastLine,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Quotes {
    WhereNeeded,
    Everywhere,
}

/// How members with dotted names are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Members {
    Nested,
    Flat,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum LastLine {
    Ended,
    Open,
}

/// A table of cells, in the order of [`COLUMNS`].
#[derive(Clone, Debug)]
struct Table {
    rows: Vec<Vec<Cell>>,
    steps: Vec<Step>,
    blots: Vec<(usize, Blot)>,
    /// A column that is left out.
    without: Option<usize>,
}

/// The column that is the same in every row.
pub const KEY: &str = "k";

/// The text that stands for a missing value.
pub const NULL: &str = "NA";

/// The columns of every table. Nobody asks for `rest`.
const COLUMNS: [&str; 9] = ["b", "c", "n", "event.m", "s", "a b", "t", KEY, "rest"];
const TIME: usize = 6;

/// Lines that are no record.
const BROKEN_CSV: [&str; 5] = ["1", "1,1,1,1,1,1,1,1,1,1,1", "\"a\"b", "\"never closed", "\"a\" \"b\",\"\""];
const BROKEN_JSON: [&str; 5] = ["{\"n\":", "[1]", "{\"n\":1} {\"n\":2}", "{\"n\":007}", "{\"n\":1,}"];

/// Texts that no format takes for anything else: leading zeros make no number, and a letter alone
/// is no boolean.
const PLAIN_TEXTS: [&str; 20] = [
    "a",
    "b",
    "ab",
    "é",
    "007",
    "日本",
    "a, b",
    "x;y|z\tw",
    "say \"a\"",
    " b ",
    "two\nlines",
    "T",
    "f",
    "N/A",
    "null",
    "\r",
    "1_000",
    "0x10",
    "\"",
    "99999999999999999999",
];
/// How many of them come more often than others.
const FREQUENT_TEXTS: usize = 5;
/// Texts that look like something else.
const ODD_TEXTS: [&str; 16] =
    ["404", "1e3", "-0", "5", "+5", ".5", "0", "1", "true", "007", "FALSE", "nan", "inf", "", "9007199254740993", "T"];
/// Numbers that fit, as JSON writes them too.
const NUMBERS: [&str; 17] = [
    "0",
    "1",
    "2",
    "3",
    "5",
    "7",
    "-1",
    "10",
    "2.5",
    "1e1",
    "-0",
    "1.0",
    "9007199254740993",
    "9223372036854775807",
    "-9223372036854775808",
    "1e308",
    "0.1",
];
const TOO_BIG: &str = "99999999999999999999";

/// One input in one format.
#[derive(Clone, PartialEq, Eq)]
pub struct Written {
    /// The text.
    pub text: String,
    /// Whether every line is a record of its own, so that a line can be blanked.
    pub lines: Lines,
}

/// How records lie in lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lines {
    /// Each record is one line.
    OneEach,
    /// A record may go on in the next line.
    Joined,
}

/// A question and an input in both formats.
#[derive(Clone)]
pub struct Case {
    /// The question.
    pub question: Question,
    /// The input as CSV.
    pub csv: Written,
    /// The input as JSON lines.
    pub json: Written,
    /// Texts for missing values.
    pub null: Vec<String>,
    /// Whether the formats have to give the same verdicts.
    pub formats: Formats,
    /// Where the bytes are cut that arrive in pieces.
    pub cuts: Vec<usize>,
}

/// Whether two formats can say the same of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Formats {
    /// Every cell means the same in both.
    Alike,
    /// A cell means something else, as a text that CSV takes for a number.
    Apart,
}

impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { question, csv, json, null, formats, cuts } = self;
        let (kinds, clock) = (question.kinds, question.clock);
        writeln!(f, "null {null:?}, formats {formats:?}, kinds {kinds:?}, clock {clock:?}, cuts {cuts:?}")?;
        writeln!(f, "---- spec\n{}", question.text)?;
        writeln!(f, "---- CSV\n{}", shown(&csv.text))?;
        writeln!(f, "---- JSON lines\n{}", shown(&json.text))
    }
}

/// A text with what cannot be seen written out.
fn shown(text: &str) -> String {
    text.replace('\r', "\\r").replace('\t', "\\t").replace('\u{feff}', "\\u{feff}")
}

/// Questions with inputs.
pub fn case() -> impl Strategy<Value = Case> {
    let null = prop_oneof![Just(Vec::new()), Just(vec![NULL.to_owned()])];
    let cuts = vec(0_usize..400, 0..6);
    (question(), null, table(), dress(), cuts).prop_map(|(question, null, table, dress, mut cuts)| {
        cuts.sort_unstable();
        let table = table.with_time(question.clock);
        let formats = table.formats(question.kinds, &null);
        Case { question, csv: table.csv(dress), json: table.json(dress), null, formats, cuts }
    })
}

fn dress() -> impl Strategy<Value = Dress> {
    let separator = prop_oneof![4 => Just(','), 1 => select(vec![';', '\t', '|'])];
    let line_end = prop_oneof![3 => Just("\n"), 1 => Just("\r\n")];
    let mark = prop_oneof![4 => Just(""), 1 => Just("\u{feff}")];
    let quotes = prop_oneof![3 => Just(Quotes::WhereNeeded), 1 => Just(Quotes::Everywhere)];
    let members = select(vec![Members::Nested, Members::Flat]);
    let last_line = select(vec![LastLine::Ended, LastLine::Open]);
    (separator, line_end, mark, quotes, members, last_line).prop_map(
        |(separator, line_end, mark, quotes, members, last_line)| Dress {
            separator,
            line_end,
            mark,
            quotes,
            members,
            last_line,
        },
    )
}

/// How many mistakes there are: none in most tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Care {
    /// Every value is there, and of its column's kind.
    Good,
    /// Some values are missing.
    Gaps,
    /// Some values are of another kind.
    Slips,
}

fn table() -> impl Strategy<Value = Table> {
    prop_oneof![4 => table_of(Care::Good), 4 => table_of(Care::Gaps), 3 => table_of(Care::Slips)]
}

fn table_of(care: Care) -> impl Strategy<Value = Table> {
    let rows = prop_oneof![12 => vec(row(care), 1..9), 1 => Just(Vec::new())];
    let steps = vec(step(care), 9);
    (rows, steps, blots(care), without()).prop_map(|(rows, steps, blots, without)| Table {
        rows,
        steps,
        blots,
        without,
    })
}

fn without() -> impl Strategy<Value = Option<usize>> {
    proptest::option::weighted(0.08, 0..TIME)
}

fn blots(care: Care) -> BoxedStrategy<Vec<(usize, Blot)>> {
    let blank = (0_usize..9, Just(Blot::Blank));
    let blank = prop_oneof![3 => Just(Vec::new()), 1 => vec(blank, 1..3)];
    match care {
        Care::Good | Care::Gaps => blank.boxed(),
        Care::Slips => {
            let broken = (0_usize..9, (0..BROKEN_CSV.len()).prop_map(Blot::Broken)).prop_map(|blot| vec![blot]);
            prop_oneof![2 => blank, 1 => broken].boxed()
        }
    }
}

fn row(care: Care) -> impl Strategy<Value = Vec<Cell>> {
    let one = |kind| cell(kind, care);
    let bools = (one(Kind::Bool), one(Kind::Bool));
    let numbers = (one(Kind::Number), one(Kind::Number));
    let texts = (one(Kind::Text), one(Kind::Text));
    (bools, numbers, texts, odd_cell()).prop_map(|((b, c), (n, m), (s, u), rest)| {
        vec![b, c, n, m, s, u, Cell::Absent, Cell::Text("only".to_owned()), rest]
    })
}

fn cell(kind: Kind, care: Care) -> BoxedStrategy<Cell> {
    let gap = prop_oneof![3 => Just(Cell::Absent), 1 => Just(Cell::Null)];
    match care {
        Care::Good => good_cell(kind),
        Care::Gaps => prop_oneof![6 => good_cell(kind), 1 => gap].boxed(),
        Care::Slips if kind == Kind::Text => prop_oneof![20 => good_cell(kind), 2 => gap, 4 => odd_cell()].boxed(),
        Care::Slips => prop_oneof![30 => good_cell(kind), 3 => gap, 1 => odd_cell()].boxed(),
    }
}

fn good_cell(kind: Kind) -> BoxedStrategy<Cell> {
    let text = |texts: &[&str]| select(texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>());
    match kind {
        Kind::Bool => prop_oneof![4 => any::<bool>().prop_map(Cell::Bool), 1 => bit()].boxed(),
        Kind::Number => {
            let small = (-2_i32..12).prop_map(|int| int.to_string());
            prop_oneof![12 => small, 3 => text(&NUMBERS)].prop_map(Cell::Number).boxed()
        }
        Kind::Text => {
            let plain = text(&PLAIN_TEXTS[..FREQUENT_TEXTS]);
            prop_oneof![6 => plain, 3 => text(&PLAIN_TEXTS)].prop_map(Cell::Text).boxed()
        }
        Kind::Nowhere => Just(Cell::Absent).boxed(),
    }
}

fn bit() -> impl Strategy<Value = Cell> {
    select(vec!["0", "1"]).prop_map(|bit| Cell::Number(bit.to_owned()))
}

/// Any value, whatever the column.
fn odd_cell() -> impl Strategy<Value = Cell> {
    let text = select(ODD_TEXTS.to_vec()).prop_map(|text| Cell::Text(text.to_owned()));
    let container = select(vec!["{\"deep\":1}", "[1,2]", "{}"]).prop_map(Cell::Container);
    prop_oneof![
        4 => text,
        2 => good_cell(Kind::Bool),
        2 => good_cell(Kind::Number),
        2 => good_cell(Kind::Text),
        1 => Just(Cell::Number(TOO_BIG.to_owned())),
        1 => container,
    ]
}

/// How far the clock goes on, what is wrong with the timestamp, and how it is written.
type Step = (i64, Slip, usize);

/// Timestamps that grow; where there are mistakes, now and then one that does not.
fn step(care: Care) -> impl Strategy<Value = Step> {
    let slip = match care {
        Care::Good | Care::Gaps => Just(Slip::None).boxed(),
        Care::Slips => {
            prop_oneof![30 => Just(Slip::None), 1 => Just(Slip::Back), 1 => Just(Slip::Gone), 1 => Just(Slip::Odd)]
                .boxed()
        }
    };
    (0_i64..4, slip, prop_oneof![9 => Just(0_usize), 1 => 0_usize..LAYOUTS])
}

/// What is wrong with a timestamp.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Slip {
    None,
    Back,
    Gone,
    Odd,
}

fn time_cell(clock: Clock, slip: Slip, now: i64, layout: usize) -> Cell {
    match slip {
        Slip::Gone => Cell::Absent,
        Slip::Odd => Cell::Text("soon".to_owned()),
        Slip::Back => stamp(clock, now - 5, layout),
        Slip::None => stamp(clock, now, layout),
    }
}

fn stamp(clock: Clock, now: i64, layout: usize) -> Cell {
    match clock {
        Clock::None => Cell::Number(layout.to_string()),
        Clock::Millis if layout == 1 => Cell::Number(format!("{now}.5")),
        Clock::Millis => Cell::Number(now.to_string()),
        Clock::Dates => Cell::Text(date(now, layout)),
        Clock::OfDay => Cell::Text(before_midnight(now).1),
        Clock::NoYear => {
            let (day, clock) = before_midnight(now);
            Cell::Text(format!("{day} {clock}"))
        }
    }
}

/// A moment around midnight, which is 20 seconds after the beginning.
fn before_midnight(second: i64) -> (&'static str, String) {
    match second - 20 {
        before @ ..0 => ("Dec 31", format!("23:59:{:02}", 60 + before)),
        after => ("Jan  1", format!("00:{:02}:{:02}", after / 60, after % 60)),
    }
}

/// How many ways there are to write a date.
const LAYOUTS: usize = 5;

/// A date of which every reader knows which part is the day.
fn date(second: i64, layout: usize) -> String {
    match layout {
        0 => format!("2014-10-22T11:15:{second:02}Z"),
        1 => format!("2014-10-22 11:15:{second:02}"),
        2 => format!("22.10.2014 11:15:{second:02}"),
        3 => format!("10/22/2014 11:15:{second:02}"),
        _ => format!("22/10/2014 11:15:{second:02}"),
    }
}

impl Table {
    /// With timestamps of this sort in its time column.
    fn with_time(mut self, clock: Clock) -> Self {
        let mut now = 10;
        for (row, &(step, slip, layout)) in self.rows.iter_mut().zip(&self.steps) {
            now += step;
            row[TIME] = time_cell(clock, slip, now, layout);
        }
        self
    }

    /// The columns that are written.
    fn columns(&self) -> impl Iterator<Item = usize> + '_ {
        (0..COLUMNS.len()).filter(|column| Some(*column) != self.without)
    }

    /// Whether both formats have to answer alike. A column that is left out is missing in every
    /// JSON line, and unknown to CSV.
    fn formats(&self, kinds: Kinds, null: &[String]) -> Formats {
        let alike = |row: &Vec<Cell>| {
            let mut cells = Kinds::COLUMNS.iter().zip(row).take(TIME);
            cells.all(|((_, kind), cell)| cell.is_alike(*kind, null))
        };
        let broken = self.blots.iter().any(|(_, blot)| *blot != Blot::Blank);
        let whole = !broken && self.without.is_none();
        if whole && kinds == Kinds::Apart && self.rows.iter().all(alike) { Formats::Alike } else { Formats::Apart }
    }

    fn csv(&self, dress: Dress) -> Written {
        let separator = dress.separator.to_string();
        let join = |fields: Vec<String>| fields.join(&separator);
        let header = join(self.columns().map(|column| quoted(COLUMNS[column], dress)).collect());
        let row = |row: &Vec<Cell>| join(self.columns().map(|column| row[column].field(dress)).collect());
        let mut lines = self.with_blots(row, &BROKEN_CSV);
        lines.insert(0, header);
        let joined = self.blots.iter().any(|(_, blot)| matches!(blot, Blot::Broken(2..)));
        let joined = joined || self.rows.iter().flatten().any(Cell::has_line_end);
        let records = if joined { Lines::Joined } else { Lines::OneEach };
        Written { text: dress.text(&lines), lines: records }
    }

    fn json(&self, dress: Dress) -> Written {
        let row = |row: &Vec<Cell>| {
            let members = self.columns().filter_map(|column| row[column].member(COLUMNS[column], dress));
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        };
        Written { text: dress.text(&self.with_blots(row, &BROKEN_JSON)), lines: Lines::OneEach }
    }

    /// The rows as lines, with the lines that are none in front of them.
    fn with_blots(&self, write: impl Fn(&Vec<Cell>) -> String, broken: &[&str]) -> Vec<String> {
        let mut lines = Vec::new();
        for (place, row) in self.rows.iter().enumerate() {
            for (_, blot) in self.blots.iter().filter(|(at, _)| *at == place) {
                lines.push(match blot {
                    Blot::Blank => String::new(),
                    Blot::Broken(sort) => broken[*sort].to_owned(),
                });
            }
            lines.push(write(row));
        }
        lines
    }
}

impl Cell {
    /// Whether it means the same in CSV and JSON lines to a variable that is used by its kind.
    fn is_alike(&self, kind: Kind, null: &[String]) -> bool {
        match (self, kind) {
            (Self::Absent, _) => true,
            (Self::Null, _) => !null.is_empty(),
            (Self::Bool(_), kind) => kind != Kind::Text,
            (Self::Number(text), Kind::Bool) => matches!(text.as_str(), "0" | "1"),
            (Self::Number(text), Kind::Number) => text != TOO_BIG,
            (Self::Text(text), Kind::Text) => PLAIN_TEXTS.contains(&text.as_str()),
            _ => false,
        }
    }

    fn has_line_end(&self) -> bool {
        matches!(self, Self::Text(text) if text.contains(['\n', '\r']))
    }

    /// As a CSV field.
    fn field(&self, dress: Dress) -> String {
        match self {
            Self::Absent => String::new(),
            Self::Null => NULL.to_owned(),
            Self::Bool(bit) => bit.to_string(),
            Self::Number(text) => text.clone(),
            Self::Text(text) => quoted(text, dress),
            Self::Container(text) => quoted(text, dress),
        }
    }

    /// As a JSON member; none if it is absent.
    fn member(&self, name: &str, dress: Dress) -> Option<String> {
        let value = match self {
            Self::Absent => return None,
            Self::Null => "null".to_owned(),
            Self::Bool(bit) => bit.to_string(),
            Self::Number(text) => text.clone(),
            Self::Text(text) => json_string(text),
            Self::Container(text) => (*text).to_owned(),
        };
        Some(match (name.split_once('.'), dress.members) {
            (Some((outer, inner)), Members::Nested) => {
                format!("{}:{{{}:{value}}}", json_string(outer), json_string(inner))
            }
            _ => format!("{}:{value}", json_string(name)),
        })
    }
}

impl Dress {
    /// Lines as a text.
    fn text(self, lines: &[String]) -> String {
        let mut text = self.mark.to_owned() + &lines.join(self.line_end);
        if self.last_line == LastLine::Ended && !lines.is_empty() {
            text += self.line_end;
        }
        text
    }
}

/// A text as a CSV field, quoted where it would be another text otherwise.
fn quoted(text: &str, dress: Dress) -> String {
    let special = |letter: char| letter == dress.separator || matches!(letter, '"' | '\n' | '\r');
    let needed = text.is_empty() || text.contains(special) || text.trim() != text;
    if needed || dress.quotes == Quotes::Everywhere {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

fn json_string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
