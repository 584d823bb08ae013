//! JSON lines: one object a line, nested members by dotted names.
//!
//! A scanner of our own takes what is wanted from a line and merely checks the rest; it gives up on
//! anything unusual. `serde_json` then decides whether the line is JSON at all, and words the
//! error. So the scanner may refuse what it likes, but must never accept what `serde_json` refuses;
//! the tests compare the two on generated and mutated lines. What nobody asks for may be nested
//! without end, and its numbers of any size. Lines that are like the one before are known by their
//! [`Shape`], and taken many at a time by whoever takes rows.

mod paths;
mod scan;
mod shape;

use crate::cell::Cell;
use crate::error::{TraceError, TraceErrorKind};
use crate::format::{FormatEntry, Road, live_records, read_records};
use crate::inspect::inspect_json;
use crate::note::Note;
use crate::opening::{Guess, Opening};
use crate::options::{ReadOptions, Records};
use crate::plain_rows::PlainRows;
use crate::record::{End, LineEnd, ReadStop, RecordReader, RecordSink, each_line};
use paths::Paths;
use rustc_hash::FxHashSet;
use scan::{Scanner, Trust};
use serde::de::IgnoredAny;
use serde_json::Value;
use shape::Shape;

/// Lines whose names are all collected; later ones are only looked at again if they have a member
/// not seen before.
const LINES_NAMED: u64 = 1000;

/// Names collected at most: inputs that use data as names have no end of them.
const MOST_NAMES: usize = 10_000;

/// The longest name that is collected: what is longer was not written by anybody.
const LONGEST_NAME: usize = 1 << 10;

/// Elements of an array that get a name.
pub(crate) const ELEMENTS_NAMED: usize = 16;

/// The bytes of records that are taken at once, about.
const ROWS_BYTES: usize = 32 << 10;

/// The longest of them.
const LONGEST_ROW: usize = 1 << 20;

/// How much worse it makes a guess to be wrong than it makes it better to be right, and how bad
/// guesses may be before none are made.
const WRONG_GUESS: u32 = 8;
const BAD_GUESSES: u32 = 64;

/// The format, as the table of formats knows it.
pub(crate) static FORMAT: FormatEntry<Road> = FormatEntry {
    name: "jsonl",
    begins,
    handling: Road {
        endings: &["jsonl", "ndjson", "json"],
        read: read_records::<JsonReader>,
        live: live_records::<JsonReader>,
        inspect: inspect_json,
    },
};

/// Whether the first line is JSON, or the second: programs greet before they begin to log, and
/// those are the words of nobody's header. An array is no JSON line, but the error should be about
/// JSON.
fn begins(opening: Opening<'_>) -> Guess {
    match opening.with_line(|line| matches!(line.trim_ascii_start().first(), Some(b'{' | b'['))) {
        Guess::No => match opening.lines().nth(1) {
            Some(Some(line)) => opens_object(line).into(),
            Some(None) => Guess::Later,
            None => Guess::No,
        },
        first => first,
    }
}

/// Whether a line begins as an object with members does.
fn opens_object(line: &[u8]) -> bool {
    line.trim_ascii_start().strip_prefix(b"{").is_some_and(|members| members.trim_ascii_start().starts_with(b"\""))
}

/// Takes what is wanted from objects.
pub(crate) struct ObjectReader {
    paths: Paths,
    records: Records,
    names: Names,
    objects: u64,
}

impl ObjectReader {
    /// A reader of what the options ask for.
    pub(crate) fn open(options: &ReadOptions) -> Self {
        let paths = Paths::new(options.names());
        Self { paths, records: options.records, names: Names::default(), objects: 0 }
    }

    /// The number of cells that an object fills.
    pub(crate) fn slots(&self) -> usize {
        self.paths.slots()
    }

    /// The number of objects so far.
    pub(crate) fn objects(&self) -> u64 {
        self.objects
    }

    /// The names of members so far.
    pub(crate) fn names(&self) -> Vec<String> {
        self.names.ordered.clone()
    }

    /// A reader of a piece of the same input, which collects only names that are new.
    fn of_piece(&self) -> Option<Self> {
        let (paths, names) = (self.paths.clone(), self.names.of_piece());
        (self.objects >= LINES_NAMED).then_some(Self { paths, names, objects: LINES_NAMED, ..*self })
    }

    /// A piece has been read.
    fn join(&mut self, piece: Self) {
        piece.names.ordered.iter().for_each(|name| self.names.add(name));
        self.objects += piece.objects - LINES_NAMED;
    }

    /// The shape of an object that has been read, with its line end; none if it is not plain.
    fn shape(&mut self, line: &[u8]) -> Option<Shape> {
        let (slots, paths) = (self.slots(), &mut self.paths);
        let leaves_members = self.records != Records::States;
        let wanted = |name: &[u8]| match paths.find(Paths::ROOT, name).map(|edge| paths.target(edge)) {
            // A value in the place of an object says that its members are no more.
            Some(target) if leaves_members && target.node.is_some() => None,
            Some(target) => Some(target.slots.clone()),
            None => Some(Vec::new()),
        };
        Shape::learn(line, slots, wanted)
    }

    /// Fills the cells from an object; the error has no line.
    #[inline]
    pub(crate) fn read<'b>(&mut self, object: &'b [u8], cells: &mut [Cell<'b>]) -> Result<(), TraceError> {
        if Scanner::new(object, Trust::Nothing, &mut self.paths, cells).scan().is_err() {
            self.read_unusual(object, cells)?;
        }
        if self.paths.take_novelty() || self.objects < LINES_NAMED {
            self.names.collect(object);
        }
        self.objects += 1;
        Ok(())
    }

    fn read_unusual<'b>(&mut self, object: &'b [u8], cells: &mut [Cell<'b>]) -> Result<(), TraceError> {
        check_syntax(object)?;
        self.paths.take_repeated();
        if Scanner::new(object, Trust::Checked, &mut self.paths, cells).scan().is_err() {
            return match self.paths.take_repeated() {
                Some(name) => Err(TraceError::new(TraceErrorKind::DuplicateMember).in_column(&name)),
                // Something wanted is nested too deep.
                None => Ok(check_object(object).map(drop)?),
            };
        }
        if cells.iter().all(|cell| is_whole(*cell)) { Ok(()) } else { Ok(check_object(object).map(drop)?) }
    }
}

/// Reads JSON lines into a sink.
pub(crate) struct JsonReader {
    objects: ObjectReader,
    /// The line of the next record.
    line: u64,
    blank_lines: u64,
    guessing: Guessing,
}

/// The guess that a record has the shape of the one before.
#[derive(Default)]
struct Guessing {
    shape: Option<Shape>,
    /// The places of values; kept to be used again.
    places: Vec<u32>,
    /// How bad guesses have been.
    badness: u32,
}

impl Guessing {
    /// Finds records of the shape at the beginning of some bytes; returns how many, and the number
    /// of their bytes.
    fn find(&mut self, bytes: &[u8]) -> (usize, usize) {
        self.places.clear();
        let Some(shape) = &self.shape else { return (0, 0) };
        let (mut count, mut at) = (0, 0);
        while at < ROWS_BYTES
            && let Some(end) = shape.find(bytes, at, &mut self.places)
            && end - at <= LONGEST_ROW
        {
            (count, at) = (count + 1, end);
        }
        self.places.truncate(count * shape.width());
        self.places.push(0);
        self.badness = self.badness.saturating_sub(count as u32);
        (count, at)
    }
}

impl JsonReader {
    /// Takes records of the shape of the one before, as many as begin the bytes; returns the number
    /// of their bytes.
    fn similar<S: RecordSink + ?Sized>(&mut self, bytes: &[u8], sink: &mut S) -> Result<usize, ReadStop> {
        let (count, length) = self.guessing.find(bytes);
        if let Some(shape) = self.guessing.shape.as_ref().filter(|_| count > 0) {
            let what = (&shape.fields[..], &shape.kinds[..]);
            sink.rows(self.line, &PlainRows::with_kinds(bytes, &self.guessing.places, shape.width(), what))?;
            self.line += count as u64;
            self.objects.objects += count as u64;
        }
        Ok(length)
    }

    /// Takes records for a sink that takes many at a time; returns the number of their bytes.
    fn consume_rows<S: RecordSink + ?Sized>(
        &mut self,
        bytes: &[u8],
        end: End,
        sink: &mut S,
    ) -> Result<usize, ReadStop> {
        let mut cells = vec![Cell::Absent; self.objects.slots()];
        let mut at = 0;
        while at < bytes.len() {
            let is_guessed = self.guessing.badness < BAD_GUESSES;
            if is_guessed {
                let length = self.similar(&bytes[at..], sink)?;
                at += length;
                if length >= ROWS_BYTES {
                    continue;
                }
            }
            let rest = &bytes[at..];
            let line = match LineEnd::find(rest) {
                Some(line) => line,
                None if end == End::Last => LineEnd { start: rest.len(), stop: rest.len() },
                None => break,
            };
            self.record(&rest[..line.start], &mut cells, sink)?;
            self.line += 1;
            if is_guessed && self.objects.objects >= LINES_NAMED {
                self.guessing.shape = self.objects.shape(&rest[..line.stop]);
                self.guessing.badness += WRONG_GUESS;
            }
            self.guessing.badness = self.guessing.badness.saturating_sub(1);
            at += line.stop;
        }
        Ok(at)
    }

    fn record<'b, S: RecordSink + ?Sized>(
        &mut self,
        line: &'b [u8],
        cells: &mut [Cell<'b>],
        sink: &mut S,
    ) -> Result<(), ReadStop> {
        match self.objects.read(line, cells) {
            Ok(()) => sink.record(self.line, cells),
            Err(_) if line.trim_ascii().is_empty() => {
                self.blank_lines += 1;
                Ok(())
            }
            Err(error) => sink.bad_line(error.on_line(self.line)),
        }
    }
}

impl RecordReader for JsonReader {
    fn open(options: &ReadOptions) -> Self {
        Self { objects: ObjectReader::open(options), line: 1, blank_lines: 0, guessing: Guessing::default() }
    }

    fn consume<S: RecordSink + ?Sized>(&mut self, bytes: &[u8], end: End, sink: &mut S) -> Result<usize, ReadStop> {
        if sink.takes_rows() {
            return self.consume_rows(bytes, end, sink);
        }
        let mut cells = vec![Cell::Absent; self.objects.slots()];
        each_line(bytes, end, |line| {
            self.record(line, &mut cells, sink)?;
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
        self.objects.names()
    }

    fn has_header(&self) -> bool {
        false
    }

    fn of_piece(&self) -> Option<Self> {
        Some(Self { objects: self.objects.of_piece()?, line: 1, blank_lines: 0, guessing: Guessing::default() })
    }

    fn join(&mut self, piece: Self) {
        self.objects.join(piece.objects);
        self.line += piece.line - 1;
        self.blank_lines += piece.blank_lines;
    }

    fn notes(&self) -> Vec<Note> {
        match (self.objects.objects(), self.blank_lines) {
            (0, _) => vec![Note::EmptyInput],
            (_, 0) => Vec::new(),
            (_, blank) => vec![Note::BlankLines(blank)],
        }
    }
}

/// Different names in order of appearance.
struct Names {
    ordered: Vec<String>,
    known: FxHashSet<String>,
    most: usize,
}

impl Default for Names {
    fn default() -> Self {
        Self { ordered: Vec::new(), known: FxHashSet::default(), most: MOST_NAMES }
    }
}

impl Names {
    /// Names of a piece. As many of them as there can be may be known before it.
    fn of_piece(&self) -> Self {
        Self { most: if self.is_full() { 0 } else { 2 * MOST_NAMES }, ..Self::default() }
    }

    fn is_full(&self) -> bool {
        self.ordered.len() >= self.most
    }

    fn collect(&mut self, line: &[u8]) {
        if self.is_full() {
            return;
        }
        let value = serde_json::from_slice(line).unwrap_or_default();
        flatten(&value, &mut |name, _| self.add(name));
    }

    fn add(&mut self, name: &str) {
        let is_kept = !self.is_full() && name.len() <= LONGEST_NAME;
        if is_kept && !self.known.contains(name) {
            self.known.insert(name.to_owned());
            self.ordered.push(name.to_owned());
        }
    }
}

/// Visits every value in an object or array by its dotted name.
pub(crate) fn flatten(value: &Value, visit: &mut impl FnMut(&str, &Value)) {
    flatten_below(value, &mut String::new(), visit);
}

/// Recursion is as deep as the value, which serde_json limits to 128.
fn flatten_below(value: &Value, path: &mut String, visit: &mut impl FnMut(&str, &Value)) {
    let mut member = |name: &str, value: &Value| {
        let length = path.len();
        if length > 0 {
            path.push('.');
        }
        path.push_str(name);
        flatten_below(value, path, visit);
        path.truncate(length);
    };
    match value {
        Value::Object(members) => members.iter().for_each(|(name, value)| member(name, value)),
        Value::Array(elements) => elements
            .iter()
            .take(ELEMENTS_NAMED)
            .enumerate()
            .for_each(|(index, value)| member(&index.to_string(), value)),
        scalar => visit(path, scalar),
    }
}

/// Whether there is an array in a value with elements that [`flatten`] does not visit.
pub(crate) fn has_long_array(value: &Value) -> bool {
    match value {
        Value::Object(members) => members.values().any(has_long_array),
        Value::Array(elements) => elements.len() > ELEMENTS_NAMED || elements.iter().any(has_long_array),
        _ => false,
    }
}

/// Whether a string is text: it may be written with half of a pair of escapes.
fn is_whole(cell: Cell<'_>) -> bool {
    !matches!(cell, Cell::Escaped(source) if serde_json::from_slice::<String>(source).is_err())
}

/// Whether a line is a JSON object, whatever it holds, and if not, what is wrong with it.
fn check_syntax(line: &[u8]) -> Result<(), TraceErrorKind> {
    if is_object(line) && mistake(line).is_none() { Ok(()) } else { check_object(line).map(drop) }
}

/// The object that a line is; what is wrong if it is none, or if something in it is more than can
/// be held.
pub(crate) fn check_object(line: &[u8]) -> Result<Value, TraceErrorKind> {
    let value = serde_json::from_slice(line).map_err(|error| refusal(line, Mistake::of(line, &error)))?;
    let found = match value {
        Value::Object(_) => return Ok(value),
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
    };
    Err(TraceErrorKind::NotAnObject { character: blanks(line) + 1, found })
}

/// What `serde_json` says of a line, and at which character.
struct Mistake {
    character: usize,
    detail: String,
}

impl Mistake {
    fn of(line: &[u8], error: &serde_json::Error) -> Self {
        let before = &line[..error.column().saturating_sub(1).min(line.len())];
        let whole = error.to_string();
        // serde_json puts its own line and column behind the message; ours go in front of it.
        let detail = whole.rsplit_once(" at line ").map_or(whole.as_str(), |(detail, _)| detail);
        Self { character: String::from_utf8_lossy(before).chars().count() + 1, detail: detail.to_owned() }
    }
}

/// What makes a line no JSON. Values are not made, so that nothing can be too much.
fn mistake(line: &[u8]) -> Option<Mistake> {
    match std::str::from_utf8(line) {
        Ok(text) => Some(Mistake::of(line, &serde_json::from_str::<IgnoredAny>(text).err()?)),
        Err(error) => {
            let before = String::from_utf8_lossy(&line[..error.valid_up_to()]).chars().count();
            Some(Mistake { character: before + 1, detail: "invalid unicode code point".to_owned() })
        }
    }
}

/// Why no value was made of a line: it is no JSON, or something in it is more than can be held, and
/// then the mistake comes later if there is one.
fn refusal(line: &[u8], refused: Mistake) -> TraceErrorKind {
    let malformed = |Mistake { character, detail }| TraceErrorKind::MalformedJson { character, detail };
    match mistake(line) {
        None if !is_object(line) => {
            let found = match line[blanks(line)..].first() {
                Some(b'[') => "an array",
                Some(b'"') => "a string",
                _ => "a number",
            };
            TraceErrorKind::NotAnObject { character: blanks(line) + 1, found }
        }
        None => TraceErrorKind::UnheldJson { character: refused.character, detail: refused.detail },
        Some(later) if later.character > refused.character => malformed(later),
        Some(_) => malformed(refused),
    }
}

fn is_object(line: &[u8]) -> bool {
    line.get(blanks(line)) == Some(&b'{')
}

fn blanks(line: &[u8]) -> usize {
    line.len() - line.trim_ascii_start().len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::unescape;
    use crate::format::Format;
    use crate::options::ReadOptions;
    use crate::testing::expected::*;
    use crate::testing::{fail, read_text, show, want};
    use proptest::prelude::*;

    #[test]
    fn members_are_found_by_dotted_names() {
        let input = r#"{"event":{"state":{"term":3,"vote":"0"},"conf":[[7,8],[]]},"x":1}"#;
        let options = want(&[("event.state.term", NUMBER), ("event.conf.0.1", NUMBER), ("x", NUMBER), ("y", BOOL)]);
        assert_eq!(show(input, &options), "int 3\nint 8\nint 1\nunknown");
        let names = read_text(input, &options).unwrap().names;
        assert_eq!(names, ["event.state.term", "event.state.vote", "event.conf.0.0", "event.conf.0.1", "x"]);
    }

    #[test]
    fn a_greeting_before_the_first_object_is_a_bad_line_and_no_header() {
        let options = want(&[("a", NUMBER)]);
        let greeted = "\nListening on port 80, waiting\n \n { \"a\": 1, \"b\": 2 }\n{\"a\": 2}\n";
        assert_eq!(fail(greeted, &options), "2:-: no valid JSON at character 1: expected value");
        // Whoever names a column so has rows behind it that are none.
        for csv in ["a\n1\n", "a\n{1}\n{\"b\": 1}\n", "a", "a\n"] {
            assert_eq!(begins(Opening::new(csv.as_bytes(), End::Last)), Guess::No, "{csv}");
        }
        for (bytes, guess) in [("hi", Guess::Later), ("hi\n", Guess::Later), ("hi\n\n{", Guess::Later)] {
            assert_eq!(begins(Opening::new(bytes.as_bytes(), End::More)), guess, "{bytes}");
        }
    }

    #[test]
    fn a_name_with_a_dot_is_a_path() {
        for line in [r#"{"a.b":1}"#, r#"{"a":{"b":1}}"#, r#"{"a.b":1,"a":{"c":2}}"#, r#"{"a":2,"a.b":1}"#] {
            assert_eq!(show(line, &want(&[("a.b", NUMBER)])), "int 1", "{line}");
        }
        let places = r#"{"a.b":{"c":1},"a":{"x":2}}
{"a":{"x":2},"a.b":{"c":1}}
{"a":{"b":{"c":1}},"a.b":{"x":7}}
{"a":{"b.c":1}}
{"a":{"x":2}}"#;
        assert_eq!(show(places, &want(&[("a.b.c", NUMBER)])), "int 1 1 1 1 -");
        assert_eq!(show(r#"{"a.b":{"c.d":1}}"#, &want(&[("a.b.c.d", NUMBER)])), "int 1");
        // Where two members are called alike, nobody can tell which of them is meant.
        for line in [
            r#"{"a.b":1,"a":{"b":2}}"#,
            r#"{"a":{"b":1},"a.b":1}"#,
            r#"{"a.b":null,"a":{"b":null}}"#,
            r#"{"a":{"b":1},"x":{"\ud83d\ude00":2},"a.b":1}"#,
        ] {
            let message = "1:a.b: the record has `a.b` more than once";
            assert_eq!(fail(line, &want(&[("x", BOOL), ("a.b", NUMBER)])), message, "{line}");
            assert_eq!(show(line, &want(&[("y", BOOL)])), "unknown", "{line}");
        }
    }

    #[test]
    fn a_wanted_member_comes_once() {
        let twice = |name| format!("2:{name}: the record has `{name}` more than once");
        for (line, name) in [
            (r#"{"a":1,"a":2}"#, "a"),
            (r#"{"a":1,"\u0061":1}"#, "a"),
            (r#"{"b":{"c":1},"x":0,"b":{"d":2}}"#, "b"),
            (r#"{"b":{"d":2},"b":{"c":1}}"#, "b"),
            (r#"{"b":{"c":1},"b":5}"#, "b"),
            (r#"{"b":{"c":1,"c":null}}"#, "b.c"),
        ] {
            let input = format!("{{\"a\":1}}\n{line}\n");
            assert_eq!(fail(input, &want(&[("a", NUMBER), ("b.c", NUMBER)])), twice(name), "{line}");
        }
        let unwanted = r#"{"x":1,"x":2,"a":3,"b":{"y":1,"y":{"z":1,"z":2},"c":4}}"#;
        assert_eq!(show(unwanted, &want(&[("a", NUMBER), ("b.c", NUMBER)])), "int 3\nint 4");
        let broken = r#"{"a":1,"a":}"#;
        assert_eq!(fail(broken, &want(&[("a", NUMBER)])), "1:-: no valid JSON at character 12: expected value");
    }

    #[test]
    fn members_of_what_is_no_object_any_more_are_gone() {
        let changes = r#"{"x":{"y":1,"z":{"u":2}},"v":3}
{"v":4}
{"x":{"y":5}}
{"x":null}
{"v":6}
{"x":{"z":{"u":7}}}
{"x":{"y":8,"z":5}}
{"x":"none","x.y":9}
"#;
        let paths = want(&[("x.y", NUMBER), ("x.z.u", NUMBER), ("v", NUMBER)]);
        for records in [Records::Changes, Records::Events] {
            let options = ReadOptions { records, ..paths.clone() };
            let expected = "int 1 1 5 - - - 8 9\nint 2 2 2 - - 7 - -\nint 3 4 4 4 6 6 6 6";
            assert_eq!(show(changes, &options), expected, "{records:?}");
            // So they are where lines are told by their shape.
            let long = format!("{}{changes}", "{\"x\":null,\"v\":0}\n".repeat(2_000));
            let shown = show(long, &options);
            let before = " -".repeat(2_000);
            assert!(shown.starts_with(&format!("int{before} 1 1 5 - - - 8 9\n")), "{}", &shown[4_000..]);
            let back = format!("{changes}{}", "{\"x\":5}\n{\"x.y\":3}\n".repeat(2_000));
            assert!(show(back, &options).starts_with(&format!("int 1 1 5 - - - 8 9{}\n", " - 3".repeat(2_000))));
        }
        // A number has no members: that is a name which nobody knows.
        let options = ReadOptions { records: Records::Changes, ..want(&[("v.y", NUMBER)]) };
        assert_eq!(show("{\"v\":1}\n{\"v\":null}\n", &options), "unknown");
        let hold = ReadOptions { missing: crate::options::MissingPolicy::Hold, ..want(&[("x.y", NUMBER)]) };
        assert_eq!(show(changes, &hold), "int 1 1 5 5 5 5 8 9");
    }

    #[test]
    fn blank_lines_and_line_ends_do_not_matter() {
        let trace = read_text("\u{feff}\n {\"a\" : 1 }\r\n\r\n\t{\"a\":2}", &want(&[("a", NUMBER)])).unwrap();
        assert_eq!((trace.states, trace.format), (2, Format::JSON_LINES));
        assert_eq!(trace.notes, [Note::BlankLines(2)]);
        assert_eq!((trace.lines.line(0), trace.lines.line(1)), (2, 4));
        let forced = ReadOptions { format: Some(Format::JSON_LINES), ..ReadOptions::default() };
        assert_eq!(read_text("", &forced).unwrap().notes, [Note::EmptyInput]);
    }

    #[test]
    fn what_is_no_object_is_refused_with_its_place() {
        let options = ReadOptions { format: Some(Format::JSON_LINES), ..want(&[("a", NUMBER)]) };
        assert_eq!(fail("{\"a\":1}\n [1]\n", &options), "2:-: expected a JSON object at character 2, found an array");
        assert_eq!(fail("{\"a\":1}\n5\n", &options), "2:-: expected a JSON object at character 1, found a number");
        assert_eq!(fail("{\"a\":1}\n{\"\u{e9}\":x}\n", &options), "2:-: no valid JSON at character 6: expected value");
        assert_eq!(fail("{\"a\":1\n}\n", &options), "1:-: no valid JSON at character 6: EOF while parsing an object");
        assert_eq!(fail("{\"a\":1} {\"a\":2}\n", &options), "1:-: no valid JSON at character 9: trailing characters");
        assert!(fail(b"{\"b\":\"\xff\"}\n", &options).starts_with("1:-: no valid JSON at character"));
    }

    #[test]
    fn what_nobody_asks_for_may_be_more_than_can_be_held() {
        let options = ReadOptions { format: Some(Format::JSON_LINES), ..want(&[("a", NUMBER)]) };
        let nested = |depth: usize| format!("{{\"z\":[{}\"]\"{}]}}", "{\"b\":[".repeat(depth), "]}".repeat(depth));
        let unheld = [nested(50), nested(100), nested(100_000), "9".repeat(400), "1e999".into(), r#""\ud800""#.into()];
        for value in &unheld {
            let shown = &value[..value.len().min(20)];
            assert_eq!(show(format!("{{\"b\":{value},\"a\":1}}"), &options), "int 1", "{shown}");
            // Whether it is JSON is looked at all the same.
            let message = fail(format!("{{\"b\":{value},\"\u{e9}\":x}}"), &options);
            let character = value.len() + 11;
            assert_eq!(message, format!("1:-: no valid JSON at character {character}: expected value"), "{shown}");
            let message = fail(format!(" [{value}]"), &options);
            assert_eq!(message, "1:-: expected a JSON object at character 2, found an array", "{shown}");
            let broken = [b"{\"b\":", value.as_bytes(), b",\"c\":\"\xff\"}"].concat();
            assert!(fail(broken, &options).contains("no valid JSON at character"), "{shown}");
        }
        assert!(fail("1e999", &options).ends_with("found a number"));
        assert!(fail(r#""\ud800""#, &options).ends_with("found a string"));
    }

    #[test]
    fn what_is_asked_for_and_cannot_be_held_says_so() {
        let nested = |depth: usize| format!("{}1{}", "{\"a\":".repeat(depth), "}".repeat(depth));
        let path = |depth: usize| vec!["a"; depth].join(".");
        assert_eq!(show(nested(127), &want(&[(&path(127), NUMBER)])), "int 1");
        assert_eq!(
            fail(nested(128), &want(&[(&path(128), NUMBER)])),
            "1:-: this JSON cannot be held at character 636: recursion limit exceeded"
        );
        let one = |kind, value: &str| fail(format!("{{\"a\":{value}}}"), &want(&[("a", kind)]));
        assert_eq!(one(NUMBER, "1e400"), "1:a: `a` is 1e400, which does not fit 64 bits");
        assert_eq!(
            one(TEXT, r#""x\ud800""#),
            "1:-: this JSON cannot be held at character 14: unexpected end of hex escape"
        );
        let deep = format!("{}1{}", "[".repeat(200), "]".repeat(200));
        assert_eq!(one(NUMBER, &deep), "1:a: `a` is an array, not a single value");
    }

    #[test]
    fn names_appear_even_late_and_never_without_end() {
        let mut input = "{\"a\":1}\n".repeat(3000) + "{\"a\":1,\"late\":{\"b\":2}}\n";
        assert_eq!(read_text(&input, &want(&[("a", NUMBER)])).unwrap().names, ["a", "late.b"]);
        (0..12_000).for_each(|number| input += &format!("{{\"n{number}\":1}}\n"));
        assert_eq!(read(&input).names.len(), MOST_NAMES);
        let last = want(&[("n11999", NUMBER)]);
        assert!(crate::read(input.as_bytes(), &last).unwrap().columns[0].is_some());
    }

    fn read(input: &str) -> crate::ReadTrace {
        crate::read(input.as_bytes(), &want(&[("a", NUMBER)])).unwrap()
    }

    #[test]
    fn escapes_are_decoded_in_names_and_values() {
        let options = want(&[("a\"b", NUMBER), ("t", TEXT)]);
        assert_eq!(
            show(r#"{"a\"b":1,"t":"x\\\"\/\n\ud83d\ude00","u":"\u0041"}"#, &options),
            "int 1\ntext \"x\\\\\\\"/\\n😀\""
        );
        assert_eq!(show(r#"{"\u0061\u0022b":1}"#, &want(&[("a\"b", NUMBER)])), "int 1");
    }

    #[test]
    fn a_name_learnt_with_escapes_is_not_taken_for_its_source() {
        let options = want(&[("a\"b", NUMBER), ("a\\", NUMBER)]);
        assert!(fail("{\"a\\\"b\":1}\n{\"a\"b\":1}\n", &options).starts_with("2:-: no valid JSON"));
        assert_eq!(show(r#"{"a\\":1}"#, &options), "unknown\nint 1");
        assert!(fail("{\"a\\\\\":1}\n{\"a\\\":1}\n", &options).starts_with("2:-: no valid JSON"));
    }

    /// What serde_json finds by a dotted name of at most two parts.
    fn find_slowly<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
        let within = || {
            let (first, rest) = name.split_once('.')?;
            match value.get(first)? {
                Value::Array(elements) => elements.get(rest.parse::<usize>().ok()?),
                object => object.get(rest),
            }
        };
        value.get(name).or_else(within)
    }

    /// Whether a name of two parts is that of a member and that of a member of another one.
    fn is_told_twice(value: &Value, name: &str) -> bool {
        let Some((first, rest)) = name.split_once('.') else { return false };
        let within = match value.get(first) {
            Some(Value::Array(elements)) => rest.parse::<usize>().ok().and_then(|index| elements.get(index)),
            Some(object) => object.get(rest),
            None => None,
        };
        value.get(name).is_some() && within.is_some()
    }

    /// Whether a cell is what serde_json found.
    fn agrees(cell: Cell<'_>, value: Option<&Value>) -> bool {
        match (cell, value) {
            (Cell::Absent | Cell::Gone, None) | (Cell::Null, Some(Value::Null)) => true,
            (Cell::Literal(text), Some(Value::Bool(bit))) => text == bit.to_string().as_bytes(),
            (Cell::Literal(text), Some(number @ Value::Number(_))) => {
                serde_json::from_slice::<Value>(text).ok().as_ref() == Some(number)
            }
            (Cell::Text(text), Some(Value::String(string))) => text == string.as_bytes(),
            (Cell::Escaped(source), Some(Value::String(string))) => unescape(source) == *string,
            (Cell::Container(source), Some(container)) => {
                container_value(source).as_ref() == Some(container) && !container.is_string()
            }
            _ => false,
        }
    }

    fn container_value(source: &[u8]) -> Option<Value> {
        serde_json::from_slice(source).ok().filter(|value: &Value| value.is_object() || value.is_array())
    }

    /// The number of members in an object and all that is in it, of which none has a name twice.
    fn members(value: &Value) -> usize {
        match value {
            Value::Object(inner) => inner.len() + inner.values().map(members).sum::<usize>(),
            Value::Array(elements) => elements.iter().map(members).sum(),
            _ => 0,
        }
    }

    /// The number of members that are written down.
    fn colons(line: &[u8]) -> usize {
        let (mut quoted, mut escaped, mut count) = (false, false, 0);
        for byte in line {
            count += usize::from(!quoted && *byte == b':');
            quoted ^= *byte == b'"' && !escaped;
            escaped = quoted && *byte == b'\\' && !escaped;
        }
        count
    }

    const NAMES: [&str; 6] = ["a", "b", "a.b", "a.0", "b.a", "\u{e9}"];

    /// Scans a line both ways and compares with serde_json.
    fn check_line(line: &[u8], paths: &mut Paths) -> Result<(), TestCaseError> {
        let expected: Option<Value> = serde_json::from_slice(line).ok().filter(Value::is_object);
        for trust in [Trust::Nothing, Trust::Checked] {
            if trust == Trust::Checked && expected.is_none() {
                continue;
            }
            let mut cells = [Cell::Absent; NAMES.len()];
            let scanned = Scanner::new(line, trust, paths, &mut cells).scan();
            let shown = String::from_utf8_lossy(line);
            prop_assert!(scanned.is_err() || expected.is_some(), "accepts what serde_json refuses: {shown}");
            if trust == Trust::Checked && scanned.is_err() {
                let has_twice = expected.as_ref().is_some_and(|value| {
                    colons(line) > members(value) || NAMES.iter().any(|name| is_told_twice(value, name))
                });
                prop_assert!(has_twice, "refuses what serde_json accepts: {shown}");
                prop_assert!(paths.take_repeated().is_some(), "gives no reason: {shown}");
            }
            if let (Ok(()), Some(value)) = (scanned, &expected) {
                for (name, cell) in NAMES.iter().zip(cells) {
                    let found = find_slowly(value, name);
                    prop_assert!(agrees(cell, found), "{name} of {shown}: {cell:?}, but serde_json: {found:?}");
                }
            }
        }
        Ok(())
    }

    fn any_value() -> impl Strategy<Value = String> {
        let number = prop_oneof![
            "-?(0|[1-9][0-9]{0,20})",
            "-?[0-9]{1,3}\\.[0-9]{0,3}",
            "-?[0-9]{1,2}[eE][+-]?[0-9]{1,3}",
            "[0-9]{30,40}(\\.[0-9]{1,3})?"
        ];
        let string = prop_oneof![
            "\"[a-z.\u{e9} ]{0,6}\"",
            "\"([a-z]|\\\\[\"\\\\/bfnrtux]|\\\\u[0-9a-fA-F]{4}|\\\\ud83d\\\\ude00|\\\\ud800){0,4}\"",
            "\"[\\x00-\\x20]\""
        ];
        let scalar = prop_oneof![number, string, "true|false|null|tru|nul"];
        scalar.prop_recursive(3, 12, 4, |value| {
            prop_oneof![
                any_object(value.clone()),
                prop::collection::vec(value, 0..3).prop_map(|elements| format!("[{}]", elements.join(" , ")))
            ]
        })
    }

    fn any_object(value: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
        let name = prop_oneof![
            4 => prop::sample::select(vec!["a", "b", "a.b", "0", "c", "\u{e9}"]).prop_map(str::to_owned),
            1 => prop::sample::select(vec!["\\u0061", "a\\\"", "x\\q", ""]).prop_map(str::to_owned),
        ];
        prop::collection::vec((name, value, " ?"), 0..5).prop_map(|members| {
            let members: Vec<String> = members
                .into_iter()
                .map(|(name, value, blank)| format!("{blank}\"{name}\"{blank}:{blank}{value}"))
                .collect();
            format!("{{{}}}", members.join(","))
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]

        #[test]
        fn scanning_agrees_with_serde_json(lines in prop::collection::vec(any_object(any_value()), 1..4)) {
            // One set of paths for several lines: what was learnt from one must not mislead on the
            // next.
            let mut paths = Paths::new(NAMES.map(str::to_owned).to_vec());
            for line in &lines {
                check_line(line.as_bytes(), &mut paths)?;
            }
        }

        #[test]
        fn scanning_agrees_with_serde_json_on_mutated_lines(
            line in any_object(any_value()),
            mutations in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..4_u8), 1..3),
        ) {
            let mut line = line.into_bytes();
            for (index, byte, how) in mutations {
                if line.is_empty() { break }
                let at = index.index(line.len());
                match how {
                    0 => line[at] = byte,
                    1 => line.truncate(at),
                    2 => { line.remove(at); }
                    _ => line.insert(at, b"{}[]\",:\\0-.e "[byte as usize % 13]),
                }
            }
            check_line(&line, &mut Paths::new(NAMES.map(str::to_owned).to_vec()))?;
        }
    }
}
