//! An input as it arrives: bytes are pushed, complete records come out at once, and memory stays as
//! it is.
//!
//! Formats are split by the same readers as files are, and cells mean the same (`typing`), so a
//! live stream reads like the file it would have become.

use crate::error::{TraceError, TraceErrorKind};
use crate::format::{Format, LiveReader};
use crate::heartbeat::Heartbeat;
use crate::intake::CannotRestore;
use crate::lateness::OrderBuffer;
use crate::note::Note;
use crate::opening::Opening;
use crate::options::{ReadOptions, RecordOrder};
use crate::read::check_separator;
use crate::record::{End, ReadStop, RecordSink};
use crate::source::{byte_order_mark, may_become_mark};

/// Splits bytes into records as they arrive.
pub struct RecordStream {
    options: ReadOptions,
    reader: Option<(Format, Box<dyn LiveReader>)>,
    /// Bytes that do not tell the format yet.
    opening: Vec<u8>,
    /// Whether a byte-order mark has been looked for.
    begun: bool,
    /// Holds back what may not be in order, if that was asked for.
    buffer: Option<OrderBuffer>,
    /// Tells heartbeats from states, if there are any.
    heartbeat: Option<Heartbeat>,
}

impl RecordStream {
    /// A stream of which nothing has arrived.
    pub fn new(options: ReadOptions) -> Result<Self, TraceError> {
        check_separator(options.separator)?;
        if options.order == RecordOrder::ByTime {
            return Err(TraceErrorKind::SortedStream.into());
        }
        let buffer = OrderBuffer::new(&options);
        let heartbeat = Heartbeat::new(&options);
        Ok(Self { options, reader: None, opening: Vec::new(), begun: false, buffer, heartbeat })
    }

    /// Takes bytes that have arrived, and hands the complete records among them to a sink.
    pub fn push(&mut self, bytes: &[u8], sink: &mut dyn RecordSink) -> Result<(), ReadStop> {
        let Some(mut buffer) = self.buffer.take() else { return self.beat(sink, |all, sink| all.split(bytes, sink)) };
        let result = self.beat(&mut buffer.before(sink), |all, sink| all.split(bytes, sink));
        self.buffer = Some(buffer);
        result
    }

    /// Reads with heartbeats told from states.
    fn beat(
        &mut self,
        sink: &mut dyn RecordSink,
        read: impl FnOnce(&mut Self, &mut dyn RecordSink) -> Result<(), ReadStop>,
    ) -> Result<(), ReadStop> {
        let Some(mut heartbeat) = self.heartbeat.take() else { return read(self, sink) };
        let result = read(self, &mut heartbeat.before(sink));
        self.heartbeat = Some(heartbeat);
        result
    }

    /// Learns how late it is, from somebody else than the records.
    pub fn advance_to(&mut self, time: i64, sink: &mut dyn RecordSink) -> Result<(), ReadStop> {
        let Some(mut buffer) = self.buffer.take() else { return sink.clock(time) };
        let result = buffer.before(sink).clock(time);
        self.buffer = Some(buffer);
        result
    }

    /// The stream has ended: what is left without a line end is the last record.
    pub fn finish(&mut self, sink: &mut dyn RecordSink) -> Result<(), ReadStop> {
        let Some(mut buffer) = self.buffer.take() else { return self.beat(sink, Self::split_rest) };
        let result = self.beat(&mut buffer.before(sink), Self::split_rest);
        let result = result.and_then(|()| buffer.flush(sink));
        self.buffer = Some(buffer);
        result
    }

    fn split(&mut self, bytes: &[u8], sink: &mut dyn RecordSink) -> Result<(), ReadStop> {
        if let Some((_, reader)) = &mut self.reader {
            return reader.push(bytes, sink);
        }
        self.opening.extend_from_slice(bytes);
        if may_become_mark(&self.opening) && !self.begun {
            return Ok(());
        }
        self.skip_mark()?;
        self.begin(End::More, sink)
    }

    fn split_rest(&mut self, sink: &mut dyn RecordSink) -> Result<(), ReadStop> {
        if self.reader.is_none() {
            self.skip_mark()?;
            self.begin(End::Last, sink)?;
        }
        match &mut self.reader {
            Some((_, reader)) => reader.finish(sink),
            None => Ok(()),
        }
    }

    /// The number of records that came too late to be put in order, and were left out.
    pub fn late(&self) -> u64 {
        self.buffer.as_ref().map_or(0, OrderBuffer::late)
    }

    /// The records that are held back to be put in order, and where the clock is, as bytes; none if
    /// none are to be held back.
    pub fn save_held(&self) -> Option<Vec<u8>> {
        self.buffer.as_ref().map(OrderBuffer::save)
    }

    /// Goes on from what [`Self::save_held`] wrote for the same options.
    pub fn restore_held(&mut self, bytes: &[u8]) -> Result<(), CannotRestore> {
        self.buffer.as_mut().ok_or(CannotRestore)?.restore(bytes)
    }

    /// The names that have been seen: the header, or the members so far. Of JSON lines with ever
    /// new names only the first ones.
    pub fn names(&self) -> Vec<String> {
        self.reader.as_ref().map(|(_, reader)| reader.names()).unwrap_or_default()
    }

    /// Whether those names are all there will be.
    pub fn has_header(&self) -> bool {
        self.reader.as_ref().is_some_and(|(_, reader)| reader.has_header())
    }

    /// What is worth telling about the input so far.
    pub fn notes(&self) -> Vec<Note> {
        let notes = self.reader.as_ref().map(|(_, reader)| reader.notes()).unwrap_or_default();
        let held = self.buffer.as_ref().map(OrderBuffer::notes).unwrap_or_default();
        notes.into_iter().chain(held).chain(self.heartbeat.as_ref().and_then(Heartbeat::note)).collect()
    }

    /// Whether the input has said that its trace has ended. Others end where their bytes do.
    pub fn has_ended(&self) -> bool {
        self.reader.as_ref().is_some_and(|(_, reader)| reader.has_ended())
    }

    /// The format, once it is known.
    pub fn format(&self) -> Option<Format> {
        self.reader.as_ref().map(|(format, _)| *format)
    }

    fn skip_mark(&mut self) -> Result<(), ReadStop> {
        if !self.begun {
            let mark = byte_order_mark(&self.opening)?;
            self.opening.drain(..mark);
            self.begun = true;
        }
        Ok(())
    }

    /// Chooses the format by what there is, if that tells it, and reads that.
    fn begin(&mut self, end: End, sink: &mut dyn RecordSink) -> Result<(), ReadStop> {
        let format = match (Format::of(&self.options, Opening::new(&self.opening, end))?, end) {
            (Some(format), _) => format,
            (None, End::Last) => Format::CSV,
            (None, End::More) => return Ok(()),
        };
        let (_, reader) = self.reader.insert((format, (format.road().live)(&self.options)));
        reader.push(&std::mem::take(&mut self.opening), sink)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::Cell;
    use crate::intake::Intake;
    use crate::options::{ReadVariable, TimeUnit};
    use crate::record::LONGEST_RECORD;
    use crate::testing;
    use traceward_logic::lower::Expected::{self, Bit, Type};
    use traceward_logic::value::Value;
    use traceward_logic::value::ValueType::{Boolean, Number, String as Text};

    fn options(variables: &[(&str, Expected)]) -> ReadOptions {
        let variables = variables.iter().map(|&(name, expected)| ReadVariable::new(name, expected));
        ReadOptions { variables: variables.collect(), ..ReadOptions::default() }
    }

    /// One line a record: its line, its time, and its values.
    struct Log {
        intake: Intake,
        seen: String,
    }

    impl RecordSink for Log {
        fn header(&mut self, names: &[String]) -> Result<Vec<Option<usize>>, TraceError> {
            self.intake.header(names)
        }

        fn record(&mut self, line: u64, cells: &[Cell<'_>]) -> Result<(), ReadStop> {
            if let Err(error) = self.intake.offer(line, cells) {
                return self.bad_line(error);
            }
            self.intake.accept();
            let time = self.intake.time().map(|time| format!(" @{time}")).unwrap_or_default();
            let values: Vec<String> = self.intake.state().iter().map(Value::to_string).collect();
            self.seen.push_str(&format!("{line}{time}: {}\n", values.join(" ")));
            Ok(())
        }

        fn bad_line(&mut self, error: TraceError) -> Result<(), ReadStop> {
            self.seen.push_str(&format!("{}: bad: {}\n", error.line().unwrap_or(0), error.message()));
            Ok(())
        }
    }

    fn push_all(pieces: &[&[u8]], options: &ReadOptions) -> String {
        let mut stream = RecordStream::new(options.clone()).unwrap();
        let mut log = Log { intake: Intake::new(options.clone()), seen: String::new() };
        let pushed = pieces.iter().try_for_each(|piece| stream.push(piece, &mut log));
        match pushed.and_then(|()| stream.finish(&mut log)) {
            Ok(()) => log.seen,
            Err(ReadStop::Failed(error)) => log.seen + &format!("fatal: {}\n", error.message()),
            Err(ReadStop::Asked) => panic!("nobody asked"),
        }
    }

    /// What arrives, however the bytes are cut.
    fn arrivals(input: impl AsRef<[u8]>, options: &ReadOptions) -> String {
        let input = input.as_ref();
        let at_once = push_all(&[input], options);
        for cut in 0..=input.len() {
            let (before, after) = input.split_at(cut);
            assert_eq!(push_all(&[before, after], options), at_once, "cut at {cut}");
        }
        assert_eq!(push_all(&input.chunks(1).collect::<Vec<_>>(), options), at_once, "byte by byte");
        at_once
    }

    const MIXED: [(&str, Expected); 3] = [("a", Type(Boolean)), ("n", Type(Number)), ("s", Type(Text))];

    #[test]
    fn csv_is_split_alike_wherever_it_is_cut() {
        let input =
            "\u{feff}\r\n a ; n;s;x\r\n1;2;\"it;s \"\"so\"\"\r\nyes\";\r\n\r\ntrue;;q;\n;1.5;\"\";z\nF;-3;w w;last";
        assert_eq!(
            arrivals(input, &options(&MIXED)),
            "3: true 2 \"it;s \\\"so\\\"\\r\\nyes\"\n6: true none \"q\"\n7: none 1.5 \"\"\n8: false -3 \"w w\"\n"
        );
    }

    #[test]
    fn lines_may_end_in_a_carriage_return() {
        let csv = "a;n;s\r1;2;\"x\r\ny\"\r\r0;3;\"z\"\r\n1;4;\r";
        assert_eq!(arrivals(csv, &options(&MIXED)), "2: true 2 \"x\\r\\ny\"\n5: false 3 \"z\"\n6: true 4 none\n");
        let json = "{\"n\":1}\r{\"n\":2}\r\n\r{\"n\":}\r{\"n\":3}";
        assert_eq!(
            arrivals(json, &options(&[("n", Type(Number))])),
            "1: 1\n2: 2\n4: bad: no valid JSON at character 6: expected value\n5: 3\n"
        );
    }

    #[test]
    fn a_line_that_ends_in_a_carriage_return_is_taken_at_once() {
        let options = options(&[("n", Type(Number))]);
        let mut stream = RecordStream::new(options.clone()).unwrap();
        let mut log = Log { intake: Intake::new(options), seen: String::new() };
        stream.push(b"n\r1\r", &mut log).unwrap();
        assert_eq!(log.seen, "2: 1\n");
    }

    #[test]
    fn json_is_split_alike_wherever_it_is_cut() {
        let input =
            "\n{\"a\":true,\"n\":1e3,\"s\":\"\\u00e4\\n\"}\r\n\r\n{\"s\":\"\u{e4}\",\"a\":null}\n{\"n\":{\"m\":1}}\n{}";
        assert_eq!(
            arrivals(input, &options(&MIXED)),
            "2: true 1000.0 \"ä\\n\"\n4: none none \"ä\"\n5: bad: `n` is an object, not a single value\n6: none none none\n"
        );
    }

    #[test]
    fn bad_lines_are_handed_on_in_their_place() {
        let csv = "a,n,s\n1,1,x\nmaybe,1,x\n1,1\n1,1,\"x\"y\n1,1,\"x\",\n1,one,x\n1,2,\"never closed\n0,3,z\n";
        assert_eq!(
            arrivals(csv, &options(&MIXED)),
            "2: true 1 \"x\"\n\
             3: bad: `a` is used as a boolean, but here it is `maybe`\n\
             4: bad: the row has 2 fields, the header has 3\n\
             5: bad: text follows the closing quote of a field\n\
             6: bad: the row has 4 fields, the header has 3\n\
             7: bad: `n` is used as a number, but here it is `one`\n\
             8: bad: a quoted field that opens here never ends\n\
             9: false 3 \"z\"\n"
        );
        let json = "{\"a\":1}\n{\"a\":\n[1]\n{\"s\":5}\n{\"a\":0}\n";
        assert_eq!(
            arrivals(json, &options(&MIXED)),
            "1: true none none\n\
             2: bad: no valid JSON at character 5: EOF while parsing a value\n\
             3: bad: expected a JSON object at character 1, found an array\n\
             4: bad: `s` is used as a string, but here it is `5`\n\
             5: false none none\n"
        );
    }

    #[test]
    fn numbers_that_stand_as_booleans_are_bits() {
        let bits = arrivals("x,y\n1,\n0.0,\nnan,\n2,\n", &options(&[("x", Bit)]));
        assert_eq!(bits, "2: 1\n3: 0\n4: none\n5: bad: `x` is used as a boolean, but here it is `2`\n");
    }

    #[test]
    fn timestamps_come_with_their_states() {
        let timed = |unit| ReadOptions { time: testing::time("t", unit), ..options(&[("x", Type(Number))]) };
        assert_eq!(
            arrivals("t,x\n1.5,1\n,2\nsoon,3\n1,4\n2,5\n", &timed(Some(TimeUnit::Ms))),
            "2 @1500000: 1\n3: bad: the state has no timestamp: `t` is missing\n\
             4: bad: `t` was given a unit, but its timestamp `soon` is no plain number\n\
             5: bad: time goes backwards: `t` is 1 ms, but 1.5 ms on line 2 before it\n6 @2000000: 5\n"
        );
        let days = "t,x\n01/02/1970,1\n13/01/1970,2\n01/02/1970,3\n";
        let seen = arrivals(days, &timed(None));
        assert!(seen.starts_with("2: bad: `t` is ambiguous"), "{seen}");
        assert!(seen.ends_with("3 @1036800000000000: 2\n4 @2678400000000000: 3\n"), "{seen}");
        let error = "fatal: there is no `t`, which was named as the time column\n";
        assert_eq!(arrivals("u,x\n1,1\n", &timed(None)), error);
    }

    #[test]
    fn nothing_arrives_of_nothing() {
        assert_eq!(arrivals("", &options(&MIXED)), "");
        assert_eq!(arrivals("\n\n", &options(&MIXED)), "");
        assert_eq!(arrivals("a,n,s\n", &options(&MIXED)), "");
        assert_eq!(arrivals(b"\xff\xfea\0", &options(&MIXED)), "fatal: the input is UTF-16 text\n");
    }

    #[test]
    fn a_record_without_an_end_is_given_up() {
        let options = options(&[("x", Type(Number))]);
        let endless = vec![b'y'; LONGEST_RECORD];
        let pieces: [&[u8]; 4] = [b"{\"x\":1}\n{\"s\":\"", &endless, b"yy", b"\"}\n{\"x\":2}\n"];
        let given_up = "2: bad: a record is longer than 64 MiB\n";
        assert_eq!(push_all(&pieces, &options), format!("1: 1\n{given_up}3: 2\n"));
        let pieces: [&[u8]; 4] = [b"x\n1\n\"2\n3\n", &endless, b"\n4\n", b"5\n"];
        let seen = push_all(&pieces, &options);
        let expected = "2: 1\n3: bad: a record is longer than 64 MiB\n4: 3\n";
        assert!(seen.starts_with(expected) && seen.ends_with("6: 4\n7: 5\n"), "{}", seen.replace('y', ""));
    }
}
