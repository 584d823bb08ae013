//! What a program tells of its states, in files, pipes and sockets alike: a hello, `init` with the
//! first state, `next` with what has changed, and `end`.
//!
//! ```text
//! traceward 1 {"name": "mux", "time": "ns"}
//! init {"x": 1, "y": 0, "@time": 100}
//! next {"x": 2, "@time": 250, "@at": "mux.c:17", "@in": "enter"}
//! end
//! ```
//!
//! That records hold changes, and where their timestamps are, is said by the input itself
//! ([`Implied`]), so nobody has to name it. Objects are read as JSON lines are. A program that was
//! cut off leaves half a line, or a file that is filled up with NUL bytes: both are no mistakes.

mod hello;
mod mistake;

pub use hello::{Answer, Hello, event_time};
pub use mistake::EventsMistake;

use crate::cell::Cell;
use crate::error::{TraceError, TraceErrorKind};
use crate::format::{FormatEntry, Road, live_records, read_records};
use crate::inspect::{Inspection, inspect_objects};
use crate::json::{ObjectReader, check_object};
use crate::note::Note;
use crate::opening::Opening;
use crate::options::{Implied, MOMENTARY_FIELDS, ReadOptions, Records, TimeColumn};
use crate::read::{ReadFailure, ReadInput};
use crate::record::{End, LineEnd, ReadStop, RecordReader, RecordSink, each_line};
use crate::source::Source;
use hello::TIME_FIELD;
use memchr::{memchr, memrchr2};
use serde::de::IgnoredAny;
use serde_json::{Map, Value};
use std::borrow::Cow;

/// The format, as the table of formats knows it.
pub(crate) static FORMAT: FormatEntry<Road> = FormatEntry {
    name: "events",
    begins: |opening: Opening<'_>| opening.with_line(Hello::begins),
    handling: Road { endings: &["events"], read, live: live_records::<EventsReader>, inspect },
};

/// Reads a file. Its hello is looked at beforehand, because it tells how the rest is read.
fn read<'o>(source: Source<'_>, options: &'o ReadOptions) -> Result<Vec<ReadInput<'o>>, ReadFailure> {
    let options = ReadOptions { spill: None, ..options.with(&implied_at(&source)) };
    let read = read_records::<EventsReader>(source, &options)?;
    Ok(read.into_iter().filter_map(ReadInput::into_whole).map(|trace| ReadInput::Whole(Box::new(trace))).collect())
}

fn inspect(source: &mut Source<'_>, options: &ReadOptions) -> Result<Inspection, TraceError> {
    let options = options.with(&implied_at(source));
    inspect_objects(source, &options, WholeStates::open(&options))
}

/// What the hello at the beginning of a file implies. One that is wrong implies nothing, and is
/// refused when it is read.
fn implied_at(source: &Source<'_>) -> Implied {
    let bytes = source.at_hand();
    let line = LineEnd::find(bytes).map_or(bytes, |end| &bytes[..end.start]);
    Hello::parse(line).map_or(Implied { records: Records::Events, time: None }, |hello| hello.implied())
}

/// What a line says.
enum Told<'b> {
    /// The line is blank.
    Nothing,
    /// The trace begins.
    Hello(Hello),
    /// A state: the object with what changed, and the number of characters before it.
    State(&'b [u8], usize),
    /// The trace ends.
    End,
}

/// Bytes, cut into lines.
struct Split<'b> {
    /// Whole lines.
    lines: &'b [u8],
    /// The last line of the input, if it has no line end.
    last: Option<Cow<'b, [u8]>>,
    /// Whether something else than NUL bytes comes behind NUL bytes.
    is_broken: bool,
    /// The number of bytes that need not be looked at again.
    consumed: usize,
}

/// The word of a line and what stands behind it, with the number of bytes before that.
fn parts(line: &[u8]) -> (usize, &[u8], &[u8]) {
    let blanks = line.len() - line.trim_ascii_start().len();
    let text = line.trim_ascii();
    let word = text.iter().position(u8::is_ascii_whitespace).unwrap_or(text.len());
    (blanks + word, &text[..word], &text[word..])
}

/// How far a trace has come, line by line.
struct Script {
    stage: Stage,
    /// The line at hand, counted from 1.
    line: u64,
    blank_lines: u64,
    states: u64,
    /// What stood before the NUL bytes that fill up the rest of the input, once there are any.
    padded: Option<Vec<u8>>,
    /// Whether the last line has only half been written.
    is_cut: bool,
    /// The fingerprint of the spec that is asked, if one is.
    spec: Option<String>,
    /// The column of timestamps that was named, if one was.
    time: Option<TimeColumn>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// The hello has to come.
    Hello,
    /// The first state has to come.
    Init,
    /// The first state was on this line.
    Running(u64),
    /// The end was on this line.
    Ended(u64),
}

impl Script {
    fn new(options: &ReadOptions) -> Self {
        let (spec, time) = (options.spec.clone(), options.time.clone());
        Self { stage: Stage::Hello, line: 1, blank_lines: 0, states: 0, padded: None, is_cut: false, spec, time }
    }

    /// What a line says, given what came before it.
    #[inline]
    fn read<'b>(&mut self, line: &'b [u8]) -> Result<Told<'b>, EventsMistake> {
        match (self.stage, line) {
            (Stage::Running(_), [b'n', b'e', b'x', b't', b' ', object @ ..]) => Ok(self.state(object, 5)),
            _ => self.read_other(line),
        }
    }

    fn read_other<'b>(&mut self, line: &'b [u8]) -> Result<Told<'b>, EventsMistake> {
        if self.stage == Stage::Hello {
            let hello = Hello::parse(line)?;
            if hello.leaves_out_states(self.spec.as_deref()) {
                return Err(EventsMistake::OtherSpec);
            }
            if let Some(asked) = self.time.as_ref().filter(|asked| hello.contradicts(asked)) {
                return Err(EventsMistake::OtherTime { asked: asked.unit });
            }
            self.stage = Stage::Init;
            return Ok(Told::Hello(hello));
        }
        let (before, word, object) = parts(line);
        match (self.stage, word) {
            (_, b"") => {
                self.blank_lines += 1;
                Ok(Told::Nothing)
            }
            (_, b"traceward") => Err(EventsMistake::SecondHello),
            (Stage::Ended(end), _) => Err(EventsMistake::AfterEnd { end }),
            (Stage::Init | Stage::Hello, b"init") => {
                self.stage = Stage::Running(self.line);
                Ok(self.state(object, before))
            }
            (Stage::Running(first), b"init") => Err(EventsMistake::SecondInit { first }),
            (Stage::Init | Stage::Hello, b"next") => Err(EventsMistake::NextBeforeInit),
            (Stage::Running(_), b"next") => Ok(self.state(object, before)),
            (_, b"end") if object.is_empty() => {
                self.stage = Stage::Ended(self.line);
                Ok(Told::End)
            }
            (_, b"end") => Err(EventsMistake::TextBehindEnd),
            (_, word) => Err(EventsMistake::unknown(word)),
        }
    }

    /// A state; without an object nothing has changed.
    fn state<'b>(&mut self, object: &'b [u8], before: usize) -> Told<'b> {
        self.states += 1;
        if object.trim_ascii().is_empty() { Told::State(b"{}", before) } else { Told::State(object, before) }
    }

    /// Cuts bytes into whole lines and what comes behind the last of them. From the first NUL byte
    /// on there is no text.
    fn split<'b>(&mut self, bytes: &'b [u8], end: End) -> Split<'b> {
        let text = if self.padded.is_some() { 0 } else { memchr(0, bytes).unwrap_or(bytes.len()) };
        let (text, padding) = bytes.split_at(text);
        let (lines, text) = text.split_at(memrchr2(b'\n', b'\r', text).map_or(0, |last| last + 1));
        let is_broken = padding.iter().any(|byte| *byte != 0);
        if !padding.is_empty() && self.padded.is_none() {
            self.padded = Some(text.to_vec());
        }
        let last = match end {
            End::More => None,
            End::Last => Some(self.padded.take().map_or(Cow::Borrowed(text), Cow::Owned)),
        };
        let is_consumed = end == End::Last || self.padded.is_some();
        Split { lines, last, is_broken, consumed: if is_consumed { bytes.len() } else { lines.len() } }
    }

    /// Whether the last line, which has no line end, has only half been written; notes that.
    fn note_cut(&mut self, last: &[u8]) -> bool {
        let (_, word, object) = parts(last);
        let begins = |whole: &&[u8]| whole.starts_with(word) && (word.len() < whole.len() || *whole != b"end");
        let is_half = match (self.stage, word) {
            (Stage::Hello | Stage::Ended(_), _) | (_, b"") => false,
            (_, _) if object.is_empty() => [&b"init"[..], b"next", b"end"].iter().any(begins),
            (_, b"init" | b"next") => serde_json::from_slice::<IgnoredAny>(object).is_err_and(|error| error.is_eof()),
            _ => false,
        };
        self.is_cut |= is_half;
        is_half
    }

    fn mistake(&self, mistake: EventsMistake) -> TraceError {
        TraceError::new(TraceErrorKind::Events(mistake)).on_line(self.line)
    }

    fn notes(&self) -> Vec<Note> {
        let mut notes = Vec::new();
        notes.extend((self.states == 0).then_some(Note::EmptyInput));
        notes.extend((self.blank_lines > 0).then_some(Note::BlankLines(self.blank_lines)));
        let has_ended = matches!(self.stage, Stage::Ended(_) | Stage::Hello);
        notes.extend((!has_ended).then_some(Note::NoEnd { is_cut: self.is_cut }));
        notes
    }
}

/// An error of an object, which stands behind a word.
fn bad_object(error: TraceError, before: usize) -> TraceError {
    let (character, detail) = match error.kind() {
        TraceErrorKind::MalformedJson { character, detail } => (*character, detail.clone()),
        TraceErrorKind::NotAnObject { character, found } => (*character, format!("expected an object, found {found}")),
        TraceErrorKind::UnheldJson { character, detail } => {
            return TraceErrorKind::UnheldJson { character: before + character, detail: detail.clone() }.into();
        }
        _ => return error,
    };
    TraceError::new(TraceErrorKind::Events(EventsMistake::BadObject { character: before + character, detail }))
}

/// Reads events into a sink.
pub(crate) struct EventsReader {
    options: ReadOptions,
    objects: ObjectReader,
    script: Script,
}

impl EventsReader {
    fn line<'b, S: RecordSink + ?Sized>(
        &mut self,
        line: &'b [u8],
        cells: &mut Vec<Cell<'b>>,
        sink: &mut S,
    ) -> Result<(), ReadStop> {
        match self.script.read(line) {
            Ok(Told::State(object, before)) => match self.objects.read(object, cells) {
                Ok(()) => sink.record(self.script.line, cells),
                Err(error) => sink.bad_line(bad_object(error, before).on_line(self.script.line)),
            },
            Ok(Told::Hello(hello)) => {
                let implied = hello.implied();
                self.objects = ObjectReader::open(&self.options.with(&implied));
                cells.resize(self.objects.slots(), Cell::Absent);
                sink.implied(&implied)
            }
            Ok(Told::Nothing | Told::End) => Ok(()),
            Err(mistake) if mistake.is_fatal() => Err(self.script.mistake(mistake).into()),
            Err(mistake) => sink.bad_line(self.script.mistake(mistake)),
        }
    }
}

impl RecordReader for EventsReader {
    fn open(options: &ReadOptions) -> Self {
        Self { options: options.clone(), objects: ObjectReader::open(options), script: Script::new(options) }
    }

    fn consume<S: RecordSink + ?Sized>(&mut self, bytes: &[u8], end: End, sink: &mut S) -> Result<usize, ReadStop> {
        let split = self.script.split(bytes, end);
        let mut cells = vec![Cell::Absent; self.objects.slots()];
        each_line(split.lines, End::More, |line| {
            self.line(line, &mut cells, sink)?;
            self.script.line += 1;
            Ok(())
        })?;
        if split.is_broken {
            return Err(self.script.mistake(EventsMistake::AfterPadding).into());
        }
        if let Some(last) = split.last
            && !last.is_empty()
            && !self.script.note_cut(&last)
        {
            self.line(&last, &mut vec![Cell::Absent; self.objects.slots()], sink)?;
        }
        Ok(split.consumed)
    }

    fn may_be_padding(bytes: &[u8]) -> bool {
        bytes.last() == Some(&0)
    }

    fn line(&self) -> u64 {
        self.script.line
    }

    fn pass_line(&mut self) {
        self.script.line += 1;
    }

    fn names(&self) -> Vec<String> {
        self.objects.names()
    }

    fn has_header(&self) -> bool {
        false
    }

    fn notes(&self) -> Vec<Note> {
        self.script.notes()
    }

    fn has_ended(&self) -> bool {
        matches!(self.script.stage, Stage::Ended(_))
    }
}

/// Hands on whole states as objects, for an inspection: what a record does not name is as before.
struct WholeStates {
    script: Script,
    image: Map<String, Value>,
}

impl WholeStates {
    fn line<S: RecordSink + ?Sized>(&mut self, line: &[u8], sink: &mut S) -> Result<(), ReadStop> {
        match self.script.read(line) {
            Ok(Told::State(object, before)) => {
                let changes = check_object(object).map_err(|kind| bad_object(kind.into(), before))?;
                let momentary = MOMENTARY_FIELDS.into_iter().chain([TIME_FIELD]);
                momentary.for_each(|name| drop(self.image.shift_remove(name)));
                if let Value::Object(changes) = changes {
                    self.image.extend(changes);
                }
                let state = serde_json::to_vec(&self.image).unwrap_or_default();
                sink.record(self.script.line, &[Cell::Container(&state)])
            }
            Ok(Told::Nothing | Told::Hello(_) | Told::End) => Ok(()),
            Err(mistake) => Err(self.script.mistake(mistake).into()),
        }
    }
}

impl RecordReader for WholeStates {
    fn open(options: &ReadOptions) -> Self {
        // Of a spec there is no question.
        let options = ReadOptions { time: options.time.clone(), ..ReadOptions::default() };
        Self { script: Script::new(&options), image: Map::new() }
    }

    fn consume<S: RecordSink + ?Sized>(&mut self, bytes: &[u8], end: End, sink: &mut S) -> Result<usize, ReadStop> {
        let split = self.script.split(bytes, end);
        each_line(split.lines, End::More, |line| {
            self.line(line, sink)?;
            self.script.line += 1;
            Ok(())
        })?;
        if split.is_broken {
            return Err(self.script.mistake(EventsMistake::AfterPadding).into());
        }
        if let Some(last) = split.last
            && (!last.is_empty() || self.script.stage == Stage::Hello)
            && !self.script.note_cut(&last)
        {
            self.line(&last, sink)?;
        }
        Ok(split.consumed)
    }

    fn may_be_padding(bytes: &[u8]) -> bool {
        EventsReader::may_be_padding(bytes)
    }

    fn line(&self) -> u64 {
        self.script.line
    }

    fn pass_line(&mut self) {
        self.script.line += 1;
    }

    fn names(&self) -> Vec<String> {
        Vec::new()
    }

    fn has_header(&self) -> bool {
        false
    }

    fn notes(&self) -> Vec<Note> {
        self.script.notes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Format;
    use crate::intake::Intake;
    use crate::options::{HeaderLine, MissingPolicy};
    use crate::stream::RecordStream;
    use crate::testing::expected::*;
    use crate::testing::{fail, read_text, show, time, want};
    use proptest::prelude::*;

    const MUX: &str = r#"traceward 1 {"name":"mux","time":"ns"}
init {"x":1,"y":0,"@time":100}
next {"x":2,"@time":250,"@at":"mux.c:17","@in":"enter","event":"call f"}
next {"y":null,"@time":250}
next
end
"#;

    fn xy() -> ReadOptions {
        want(&[("x", NUMBER), ("y", NUMBER)])
    }

    #[test]
    fn changes_and_timestamps_are_implied() {
        let text = MUX.replace("next\n", "next {\"@time\":300}\n");
        let trace = read_text(&text, &xy()).unwrap();
        assert_eq!((trace.format, trace.states), (Format::EVENTS, 4));
        assert_eq!(trace.time, Some(vec![100, 250, 250, 300]));
        assert_eq!(show(&text, &xy()), "int 1 2 2 2\nint 0 0 - -");
        assert_eq!((trace.lines.line(0), trace.lines.line(3)), (2, 5));
        assert_eq!(trace.sources.place(1).unwrap().to_string(), "at mux.c:17 in enter");
        assert_eq!((trace.sources.place(2), trace.notes), (None, Vec::new()));
    }

    #[test]
    fn some_fields_belong_to_their_state_alone() {
        let momentary = want(&[("event", TEXT), ("@at", TEXT), ("x", NUMBER)]);
        let input = "traceward 1\ninit {\"x\":1}\nnext {\"event\":\"e\",\"@at\":\"a\"}\nnext\n";
        let expected = "text - \"e\" -\ntext - \"a\" -\nint 1 1 1";
        assert_eq!(show(input, &momentary), expected);
        let hold = ReadOptions { missing: MissingPolicy::Hold, ..momentary.clone() };
        assert_eq!(show(input, &hold), expected);
        // What nobody speaks of stays unknown.
        assert_eq!(show("traceward 1\ninit {\"x\":1}\nnext\n", &momentary), "unknown\nunknown\nint 1 1");
    }

    #[test]
    fn timestamps_are_read_where_the_hello_says_so() {
        let input = "traceward 1\ninit {\"x\":1,\"@time\":5}\nend\n";
        assert_eq!(read_text(input, &xy()).unwrap().time, None);
        let named = ReadOptions { time: time("x", Some(crate::TimeUnit::Ms)), ..xy() };
        assert_eq!(read_text(input, &named).unwrap().time, Some(vec![1_000_000]));
        let missing = "traceward 1 {\"time\":\"ns\"}\ninit {\"x\":1,\"@time\":5}\nnext {\"x\":2}\n";
        assert_eq!(fail(missing, &xy()), "3:@time: the state has no timestamp: `@time` is missing");
        let back = missing.replace("\"x\":2", "\"@time\":4");
        assert!(fail(back, &xy()).starts_with("3:@time: time goes backwards"));
    }

    #[test]
    fn timestamps_are_not_read_against_the_hello() {
        let input = "traceward 1 {\"time\":\"ns\"}\ninit {\"x\":1,\"@time\":5}\n";
        let named = |name, unit| ReadOptions { time: time(name, unit), ..xy() };
        for (unit, asked) in [(Some(crate::TimeUnit::Ms), "in ms"), (None, "as dates")] {
            let message = format!("1:-: `@time` holds nanoseconds, as this line says, and is asked for {asked}");
            assert_eq!(fail(input, &named("@time", unit)), message);
        }
        // The same, another column, and what the hello says nothing of.
        assert_eq!(read_text(input, &named("@time", Some(crate::TimeUnit::Ns))).unwrap().time, Some(vec![5]));
        assert_eq!(read_text(input, &named("x", Some(crate::TimeUnit::Ms))).unwrap().time, Some(vec![1_000_000]));
        let silent = input.replace(" {\"time\":\"ns\"}", "");
        let read = read_text(silent, &named("@time", Some(crate::TimeUnit::Ms))).unwrap();
        assert_eq!(read.time, Some(vec![5_000_000]));
    }

    #[test]
    fn a_line_that_does_not_belong_there_is_refused_with_its_place() {
        let after = |lines: &str| fail(format!("traceward 1\n{lines}"), &xy());
        for (lines, expected) in [
            ("next {\"x\":1}\n", "2:-: `next` comes before `init`"),
            ("init {}\n\ninit {}\n", "4:-: a second `init`: the first is on line 2"),
            ("init {}\nend\nnext {}\n", "4:-: the trace has ended on line 3, and this follows it"),
            ("init {}\nend now\n", "3:-: text follows `end`"),
            ("init {}\nend\ntraceward 1\n", "4:-: a second trace begins, and an input of events holds one"),
            ("nxt {}\n", "2:-: a line begins with `init`, `next` or `end`, and this one with `nxt`"),
            ("init {}\nnext {\"x\":}\n", "3:-: no valid JSON at character 11: expected value"),
            ("init {}\n next  [1]\n", "3:-: no valid JSON at character 8: expected an object, found an array"),
            ("init {}\nnext {} {}\n", "3:-: no valid JSON at character 9: trailing characters"),
            ("init {\"x\":1,\"x\":2}\n", "2:x: the record has `x` more than once"),
            ("init {}\n\0\0next {}\n", "3:-: text follows NUL bytes"),
            ("init {}\nnext {\0}\n", "3:-: text follows NUL bytes"),
            ("init {}\n\0\0next {}", "3:-: text follows NUL bytes"),
        ] {
            assert_eq!(after(lines), expected, "{lines}");
        }
        let other = fail("traceward 2\ninit {}\n", &xy());
        assert_eq!(other, "1:-: this is version 2 of the events protocol, and version 1 is read here");
        let named = ReadOptions { format: Some(Format::EVENTS), ..xy() };
        assert!(fail("{\"x\":1}\n", &named).starts_with("1:-: the first line has to be `traceward 1`"));
        for nothing in ["", "\0\0"] {
            let trace = read_text(nothing, &named).expect("no mistake");
            assert_eq!((trace.states, trace.notes), (0, vec![Note::EmptyInput]), "{nothing:?}");
        }
        assert!(fail("\ntraceward 1\n", &named).starts_with("1:-: the first line has to be `traceward 1`"));
    }

    #[test]
    fn a_program_that_was_cut_off_leaves_a_trace() {
        let cut = |tail: &str| {
            let input = format!("traceward 1\ninit {{\"x\":1}}\nnext {{\"x\":2}}\n{tail}");
            let trace = read_text(&input, &xy()).unwrap_or_else(|error| panic!("{tail:?}: {error}"));
            (trace.states, trace.notes)
        };
        let no_end = |is_cut| vec![Note::NoEnd { is_cut }];
        for tail in ["", "\0", "\0\0\0\0"] {
            assert_eq!(cut(tail), (2, no_end(false)), "{tail:?}");
        }
        for tail in ["n", "next", "next ", "next {", "next {\"x\":\"", "next {\"x\":3", "en", "next {\"x\":3\0\0"] {
            assert_eq!(cut(tail), (2, no_end(true)), "{tail:?}");
        }
        for tail in ["next {\"x\":3}", "next {\"x\":3}\0\0"] {
            assert_eq!(cut(tail), (3, no_end(false)), "{tail:?}");
        }
        for tail in ["end", "end\n", "end\0", "end\n\0\0\0", "end\r\n\n \n"] {
            assert_eq!(cut(tail).0, 2);
            assert!(!cut(tail).1.iter().any(|note| matches!(note, Note::NoEnd { .. })), "{tail:?}");
        }
        assert!(fail("traceward 1\ninit {}\nnxt", &xy()).contains("begins with"));
    }

    #[test]
    fn nul_bytes_without_end_take_no_memory_and_are_no_record() {
        for tail in ["", "next {\"x\":"] {
            let text = format!("traceward 1\ninit {{\"x\":1}}\n{tail}");
            // A program may have been cut off anywhere in a piece, also at its end.
            let filler = "\n".repeat((256 << 10) - text.len());
            let text = text.replace("init", &format!("{filler}init"));
            let input = std::io::Read::chain(text.as_bytes(), std::io::Read::take(std::io::repeat(0), 200 << 20));
            let trace = crate::read(input, &xy()).unwrap();
            assert_eq!((trace.states, trace.notes.last()), (1, Some(&Note::NoEnd { is_cut: !tail.is_empty() })));
        }
    }

    #[test]
    fn an_inspection_sees_whole_states() {
        let inspection = crate::inspect(MUX.replace("next\n", "next {\"@time\":300}\n").as_bytes(), &xy()).unwrap();
        let counts = |name: &str| {
            let column = inspection.columns.iter().find(|column| column.name == name).unwrap();
            (column.present, column.missing)
        };
        assert_eq!((inspection.format, inspection.rows), (Format::EVENTS, 4));
        assert_eq!((counts("x"), counts("y"), counts("event")), ((4, 0), (2, 2), (1, 3)));
        assert_eq!(inspection.time_span, Some((100, 300)));
        let error = crate::inspect(&b"traceward 1\nnext {}\n"[..], &xy()).unwrap_err();
        assert_eq!(error.to_string(), "`next` comes before `init`; write the first state with `init`");
    }

    /// The states of a stream, a line each, and its mistakes.
    struct Log(Intake, Vec<String>);

    impl RecordSink for Log {
        fn header(&mut self, _: &[String]) -> Result<Vec<Option<usize>>, TraceError> {
            unreachable!("events have no header")
        }

        fn implied(&mut self, implied: &Implied) -> Result<(), ReadStop> {
            self.0 = Intake::new(self.0.options().with(implied));
            Ok(())
        }

        fn record(&mut self, line: u64, cells: &[Cell<'_>]) -> Result<(), ReadStop> {
            if let Err(error) = self.0.offer(line, cells) {
                return self.bad_line(error);
            }
            self.0.accept();
            let place = self.0.source().map(|place| place.to_string());
            self.1.push(format!("{line} {:?} {:?} {place:?}", self.0.state(), self.0.time()));
            Ok(())
        }

        fn bad_line(&mut self, error: TraceError) -> Result<(), ReadStop> {
            self.1.push(format!("{:?}: {error}", error.line()));
            Ok(())
        }
    }

    fn stream(pieces: &[&[u8]]) -> (Vec<String>, Vec<Note>) {
        let mut stream = RecordStream::new(xy()).unwrap();
        let mut log = Log(Intake::new(xy()), Vec::new());
        let mut result = pieces.iter().try_for_each(|piece| stream.push(piece, &mut log));
        if result.is_ok() {
            result = stream.finish(&mut log);
        }
        log.1.extend(result.err().map(|stop| format!("{stop:?}")));
        (log.1, stream.notes())
    }

    #[test]
    fn a_stream_is_read_alike_wherever_it_is_cut() {
        let texts = [
            MUX.to_owned(),
            MUX.replace("end", "bad {\nnext {\"x\":7,\"@time\":400}\ninit {}"),
            MUX.replace("end\n", "next {\"x\":1"),
            MUX.replace("end\n", "next {\"x\":1\0\0\0"),
            MUX.replace("ns", "ms"),
            MUX.replace('\n', "\r\n") + "next {}",
        ];
        for text in &texts {
            let bytes = text.as_bytes();
            let at_once = stream(&[bytes]);
            assert!(!at_once.0.is_empty());
            for cut in 0..=bytes.len() {
                let (before, after) = bytes.split_at(cut);
                assert_eq!(stream(&[before, after]), at_once, "{text:?} cut at {cut}");
            }
            assert_eq!(stream(&bytes.chunks(1).collect::<Vec<_>>()), at_once);
        }
        let (states, notes) = stream(&[MUX.as_bytes()]);
        assert_eq!(states[1], r#"3 [Int(2), Int(0)] Some(250) Some("at mux.c:17 in enter")"#);
        assert_eq!(
            states[3],
            "Some(5): the state has no timestamp: `@time` is missing; every state needs one: \
             remove the record or fill it in"
        );
        assert_eq!(notes, []);
    }

    /// A state, or what changed: some members with small numbers or nothing.
    fn changes() -> impl Strategy<Value = String> {
        let member =
            (prop_oneof!["x", "y", "z"], prop_oneof![Just("null".to_owned()), (0..3_u8).prop_map(|n| n.to_string())]);
        proptest::collection::btree_map(
            member.clone().prop_map(|(name, _)| name),
            member.prop_map(|(_, value)| value),
            0..4,
        )
        .prop_map(|members| {
            let members: Vec<String> = members.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
            format!("{{{}}}", members.join(","))
        })
    }

    proptest! {
        #[test]
        fn events_are_json_lines_of_changes(records in proptest::collection::vec(changes(), 1..20)) {
            let words = std::iter::once("init").chain(std::iter::repeat("next"));
            let states: String = words.zip(&records).map(|(word, record)| format!("{word} {record}\n")).collect();
            let events = read_text(format!("traceward 1\n{states}end\n"), &xy()).unwrap();
            let changes = ReadOptions { records: Records::Changes, header: HeaderLine::Names, ..xy() };
            let lines = read_text(records.join("\n"), &changes).unwrap();
            prop_assert_eq!(format!("{:?}", events.columns), format!("{:?}", lines.columns));
            prop_assert_eq!((events.states, events.names), (lines.states, lines.names));
            let nowhere = (0..events.states).all(|position| events.lines.line(position) == lines.lines.line(position) + 1);
            prop_assert!(nowhere);
        }
    }
}
