//! Records put in order by time while they come, for inputs whose records are late by no more than
//! so much.
//!
//! A record waits until none that is earlier can follow: the clock is the largest time so far minus
//! the lateness, and what lies behind the clock is late and left out. Records of the same moment
//! stay as they came. A file and a stream pass the same buffer, so that they never differ; `sort`
//! is for files alone, which may be in any order.

use crate::cell::{Cell, KeptCell};
use crate::error::{TraceError, TraceErrorKind};
use crate::intake::CannotRestore;
use crate::note::Note;
use crate::options::{Implied, ReadOptions, RecordOrder};
use crate::record::{ReadStop, RecordSink};
use crate::states::has_no_key;
use crate::time::{Anchor, DayOrders, TimeReader};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The number of late records whose lines are named.
const MOST_NAMED: usize = 5;

const VERSION: u8 = 1;

/// Holds records back until they are in order.
pub(crate) struct OrderBuffer {
    options: ReadOptions,
    /// The lateness in nanoseconds.
    lateness: u64,
    /// Reads the timestamps; none if there are none to read.
    times: Option<TimeReader>,
    /// The largest time so far.
    newest: Option<i64>,
    /// The number of records that were held so far, by which those of the same moment are told
    /// apart.
    taken: u64,
    held: BTreeMap<(i64, u64), HeldRecord>,
    late: LateRecords,
    /// Records that have been let go, for use of their memory.
    spare: Vec<HeldRecord>,
}

/// A record that is held back.
#[derive(Default, Serialize, Deserialize)]
struct HeldRecord {
    line: u64,
    cells: Vec<KeptCell>,
    /// The texts of the cells.
    bytes: Vec<u8>,
}

/// The records that were late.
#[derive(Clone, Default, Serialize, Deserialize)]
struct LateRecords {
    count: u64,
    /// The lines of the first ones.
    first: Vec<u64>,
}

impl OrderBuffer {
    /// A buffer for records of these options, if they ask for one.
    pub(crate) fn new(options: &ReadOptions) -> Option<Self> {
        let RecordOrder::Within { lateness } = options.order else { return None };
        Some(Self {
            options: options.clone(),
            lateness,
            times: TimeReader::new(options),
            newest: None,
            taken: 0,
            held: BTreeMap::new(),
            late: LateRecords::default(),
            spare: Vec::new(),
        })
    }

    /// A sink that passes records on in order.
    pub(crate) fn before<'a, S: RecordSink + ?Sized>(&'a mut self, sink: &'a mut S) -> InOrder<'a, S> {
        InOrder { buffer: self, sink }
    }

    /// Passes on what is held: no more records will come.
    pub(crate) fn flush<S: RecordSink + ?Sized>(&mut self, sink: &mut S) -> Result<(), ReadStop> {
        self.release(i64::MAX, sink)
    }

    /// The number of records that were late.
    pub(crate) fn late(&self) -> u64 {
        self.late.count
    }

    /// What is worth telling about the order of the records.
    pub(crate) fn notes(&self) -> Vec<Note> {
        let LateRecords { count, first } = self.late.clone();
        let late = (count > 0).then_some(Note::Late { records: count, lines: first, lateness: self.lateness });
        let held = (!self.held.is_empty()).then_some(Note::HeldBack { records: self.held.len() as u64 });
        late.into_iter().chain(held).collect()
    }

    /// The timestamp of a record.
    fn time(&mut self, line: u64, cells: &[Cell<'_>]) -> Result<i64, TraceError> {
        let times = self.times.as_mut().ok_or(TraceErrorKind::SortWithoutTime)?;
        let anchor = self.newest.map_or(Anchor::Nothing, Anchor::Near);
        let orders = times.orders();
        let slots = self.options.time_slots();
        times.read_now(&cells[slots], line, anchor).inspect_err(|_| times.restore_orders(orders))
    }

    /// The time before which no record is taken any more.
    fn clock(&self) -> Option<i64> {
        self.newest.map(|newest| newest.saturating_sub_unsigned(self.lateness))
    }

    /// Holds a record back, or counts it if it is late.
    fn take(&mut self, time: i64, line: u64, cells: &[Cell<'_>]) {
        if self.clock().is_some_and(|clock| time < clock) {
            self.late.count += 1;
            if self.late.first.len() < MOST_NAMED {
                self.late.first.push(line);
            }
            return;
        }
        self.newest = self.newest.max(Some(time));
        let mut record = self.spare.pop().unwrap_or_default();
        record.keep(line, cells);
        self.held.insert((time, self.taken), record);
        self.taken += 1;
    }

    /// Passes on the records up to a time.
    fn release<S: RecordSink + ?Sized>(&mut self, until: i64, sink: &mut S) -> Result<(), ReadStop> {
        let slot = self.options.time_slots().start;
        while let Some(first) = self.held.first_entry().filter(|first| first.key().0 <= until) {
            let ((time, _), mut record) = first.remove_entry();
            let mut cells = record.cells();
            cells[slot] = Cell::Time(time);
            let passed = sink.record(record.line, &cells);
            record.clear();
            self.spare.push(record);
            passed?;
        }
        Ok(())
    }

    /// What is held and where the clock is, as bytes.
    pub(crate) fn save(&self) -> Vec<u8> {
        let saved = SavedBuffer {
            version: VERSION,
            lateness: self.lateness,
            newest: self.newest,
            orders: self.times.as_ref().map(TimeReader::orders),
            held: self.held.iter().map(|((time, _), record)| (*time, record)).collect(),
            late: &self.late,
        };
        postcard::to_allocvec(&saved).unwrap_or_default()
    }

    /// Goes on from what [`Self::save`] wrote for the same options.
    pub(crate) fn restore(&mut self, bytes: &[u8]) -> Result<(), CannotRestore> {
        let saved: RestoredBuffer = postcard::from_bytes(bytes).map_err(|_| CannotRestore)?;
        let cells = self.options.names().len();
        let fits = saved.version == VERSION
            && saved.lateness == self.lateness
            && saved.orders.is_some() == self.times.is_some()
            && saved.held.iter().all(|(_, record)| record.cells.len() == cells && record.is_whole())
            && saved.held.is_sorted_by_key(|(time, _)| *time);
        if !fits {
            return Err(CannotRestore);
        }
        if let (Some(times), Some(orders)) = (&mut self.times, saved.orders) {
            times.restore_orders(orders);
        }
        self.taken = saved.held.len() as u64;
        self.held = saved.held.into_iter().zip(0..).map(|((time, record), nth)| ((time, nth), record)).collect();
        (self.newest, self.late) = (saved.newest, saved.late);
        Ok(())
    }
}

#[derive(Serialize)]
struct SavedBuffer<'a> {
    version: u8,
    lateness: u64,
    newest: Option<i64>,
    orders: Option<DayOrders>,
    held: Vec<(i64, &'a HeldRecord)>,
    late: &'a LateRecords,
}

#[derive(Deserialize)]
struct RestoredBuffer {
    version: u8,
    lateness: u64,
    newest: Option<i64>,
    orders: Option<DayOrders>,
    held: Vec<(i64, HeldRecord)>,
    late: LateRecords,
}

impl HeldRecord {
    fn keep(&mut self, line: u64, cells: &[Cell<'_>]) {
        self.line = line;
        for &cell in cells {
            let kept = KeptCell::new(cell, &mut self.bytes);
            self.cells.push(kept);
        }
    }

    fn cells(&self) -> Vec<Cell<'_>> {
        self.cells.iter().map(|kept| kept.cell(&self.bytes)).collect()
    }

    fn clear(&mut self) {
        self.cells.clear();
        self.bytes.clear();
    }

    /// Whether all texts are among the bytes.
    fn is_whole(&self) -> bool {
        self.cells.iter().all(|kept| kept.is_within(self.bytes.len()))
    }
}

/// Takes records in any order, and passes them on in order.
pub(crate) struct InOrder<'a, S: ?Sized> {
    buffer: &'a mut OrderBuffer,
    sink: &'a mut S,
}

impl<S: RecordSink + ?Sized> InOrder<'_, S> {
    /// Passes on the records that are in order by now, and how late it is.
    fn pass_on(&mut self) -> Result<(), ReadStop> {
        let Some(clock) = self.buffer.clock() else { return Ok(()) };
        self.buffer.release(clock, self.sink)?;
        self.sink.clock(clock)
    }
}

impl<S: RecordSink + ?Sized> RecordSink for InOrder<'_, S> {
    fn header(&mut self, names: &[String]) -> Result<Vec<Option<usize>>, TraceError> {
        self.sink.header(names)
    }

    fn implied(&mut self, implied: &Implied) -> Result<(), ReadStop> {
        let buffer = &mut *self.buffer;
        buffer.options = buffer.options.with(implied);
        buffer.times = TimeReader::new(&buffer.options);
        self.sink.implied(implied)
    }

    fn record(&mut self, line: u64, cells: &[Cell<'_>]) -> Result<(), ReadStop> {
        if has_no_key(cells, &self.buffer.options) {
            // It becomes no state, wherever it stands, and needs no timestamp.
            return self.sink.record(line, cells);
        }
        if self.buffer.times.is_none() {
            return Err(TraceErrorKind::SortWithoutTime.into());
        }
        match self.buffer.time(line, cells) {
            Ok(time) => self.buffer.take(time, line, cells),
            Err(error) => return self.sink.bad_line(error),
        }
        self.pass_on()
    }

    /// A time that somebody has seen counts as that of a record does.
    fn clock(&mut self, time: i64) -> Result<(), ReadStop> {
        self.buffer.newest = self.buffer.newest.max(Some(time));
        self.pass_on()
    }

    fn bad_line(&mut self, error: TraceError) -> Result<(), ReadStop> {
        self.sink.bad_line(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::intake::Intake;
    use crate::options::{Records, TimeUnit};
    use crate::read::read;
    use crate::stream::RecordStream;
    use crate::testing::expected::NUMBER;
    use crate::testing::{fail, read_text, time, want};
    use proptest::prelude::*;

    fn options(lateness: Option<u64>, key: Option<&str>) -> ReadOptions {
        let order = lateness.map_or(RecordOrder::AsTheyCome, |lateness| RecordOrder::Within { lateness });
        let time = time("t", Some(TimeUnit::Ns));
        ReadOptions { order, time, key: key.map(str::to_owned), ..want(&[("x", NUMBER)]) }
    }

    /// The records that are left, in order, and those that are late, by the definition: each is
    /// compared with all before it, and the others are sorted.
    fn in_order(times: &[i64], lateness: u64) -> (Vec<usize>, Vec<usize>) {
        let is_late = |&record: &usize| times[..record].iter().any(|before| before - times[record] > lateness as i64);
        let (late, mut left): (Vec<usize>, Vec<usize>) = (0..times.len()).partition(is_late);
        left.sort_by_key(|&record| times[record]);
        (left, late)
    }

    /// A line a record: its time, its number, and one of three keys.
    fn csv(times: &[i64], records: &[usize]) -> String {
        let line = |&record: &usize| format!("{},{record},{}\n", times[record], record % 3);
        format!("t,x,k\n{}", records.iter().map(line).collect::<String>())
    }

    fn json(times: &[i64]) -> Vec<String> {
        let line = |(record, time)| format!("{{\"t\": {time}, \"x\": {record}}}\n");
        times.iter().enumerate().map(line).collect()
    }

    /// One text a record: its line, its time and its value; and what is bad.
    struct Log {
        intake: Intake,
        seen: Vec<String>,
    }

    impl Log {
        fn new(options: &ReadOptions) -> Self {
            Self { intake: Intake::new(options.clone()), seen: Vec::new() }
        }
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
            let (time, value) = (self.intake.time().unwrap_or(-1), &self.intake.state()[0]);
            self.seen.push(format!("{line}: {value} at {time}"));
            Ok(())
        }

        fn bad_line(&mut self, error: TraceError) -> Result<(), ReadStop> {
            self.seen.push(format!("{}: {}", error.line().unwrap_or(0), error.message()));
            Ok(())
        }
    }

    fn arrivals(pieces: &[&[u8]], options: &ReadOptions) -> (Vec<String>, Vec<Note>) {
        let mut stream = RecordStream::new(options.clone()).unwrap();
        let mut log = Log::new(options);
        pieces.iter().for_each(|piece| stream.push(piece, &mut log).unwrap());
        stream.finish(&mut log).unwrap();
        (log.seen, stream.notes())
    }

    fn times() -> impl Strategy<Value = Vec<i64>> {
        // Mostly forwards, with ties and with steps back of all sizes.
        proptest::collection::vec(-6_i64..8, 1..20).prop_map(|steps| {
            let forwards = steps.iter().enumerate().map(|(position, step)| 2 * position as i64 + step);
            forwards.collect()
        })
    }

    fn noted(late: &[usize], first_line: u64, lateness: u64) -> Vec<Note> {
        let lines = late.iter().take(MOST_NAMED).map(|&record| record as u64 + first_line).collect();
        let note = Note::Late { records: late.len() as u64, lines, lateness };
        if late.is_empty() { Vec::new() } else { vec![note] }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_file_within_the_lateness_is_the_sorted_file(
            times in times(), lateness in 0_u64..12, by_key in any::<bool>()
        ) {
            let key = by_key.then_some("k");
            let (left, late) = in_order(&times, lateness);
            let all: Vec<usize> = (0..times.len()).collect();
            let found = read(csv(&times, &all).as_bytes(), &options(Some(lateness), key)).unwrap();
            let sorted = read(csv(&times, &left).as_bytes(), &options(None, key)).unwrap();
            prop_assert_eq!((&found.columns, &found.time, &found.keys), (&sorted.columns, &sorted.time, &sorted.keys));
            let lines: Vec<u64> = (0..found.states).map(|position| found.lines.line(position)).collect();
            prop_assert_eq!(lines, left.iter().map(|&record| record as u64 + 2).collect::<Vec<_>>());
            prop_assert_eq!(found.notes, noted(&late, 2, lateness));
        }

        #[test]
        fn a_stream_is_put_in_order_wherever_it_is_cut(times in times(), lateness in 0_u64..12) {
            let options = options(Some(lateness), None);
            let input = json(&times).concat();
            let (left, late) = in_order(&times, lateness);
            let expected: Vec<String> =
                left.iter().map(|&record| format!("{}: {record} at {}", record + 1, times[record])).collect();
            for cut in 0..=input.len() {
                let (before, after) = input.as_bytes().split_at(cut);
                let (seen, notes) = arrivals(&[before, after], &options);
                prop_assert_eq!((&seen, notes), (&expected, noted(&late, 1, lateness)), "cut at {}", cut);
            }
        }

        #[test]
        fn what_is_held_back_can_be_saved_at_every_record(times in times(), lateness in 0_u64..12) {
            let options = options(Some(lateness), None);
            let records = json(&times);
            let whole = arrivals(&[records.concat().as_bytes()], &options);
            for cut in 0..=records.len() {
                let (mut stream, mut log) = (RecordStream::new(options.clone()).unwrap(), Log::new(&options));
                stream.push(records[..cut].concat().as_bytes(), &mut log).unwrap();
                let (held, taken) = (stream.save_held().unwrap(), log.intake.save());
                let (mut again, mut other) = (RecordStream::new(options.clone()).unwrap(), Log::new(&options));
                again.restore_held(&held).unwrap();
                prop_assert_eq!(again.save_held(), Some(held));
                other.intake.restore(&taken).unwrap();
                other.seen = log.seen;
                // Lines are counted by the reader, which is another one now.
                let padding = "\n".repeat(cut);
                again.push((padding + &records[cut..].concat()).as_bytes(), &mut other).unwrap();
                again.finish(&mut other).unwrap();
                let notes: Vec<Note> = again.notes();
                let late = notes.into_iter().filter(|note| matches!(note, Note::Late { .. })).collect::<Vec<_>>();
                prop_assert_eq!((&other.seen, &late), (&whole.0, &whole.1), "cut at {}", cut);
            }
        }
    }

    #[test]
    fn a_record_is_let_go_once_none_can_come_before_it() {
        let options = options(Some(2), None);
        let mut stream = RecordStream::new(options.clone()).unwrap();
        let mut log = Log::new(&options);
        for (line, seen, held) in [
            ("{\"t\": 5, \"x\": 0}\n", 0, 1),
            ("{\"t\": 6, \"x\": 1}\n", 0, 2),
            // The clock is at 5: one of 5 may still come, but not before the one that is there.
            ("{\"t\": 7, \"x\": 2}\n", 1, 2),
            ("{\"t\": 5, \"x\": 3}\n", 2, 2),
            ("{\"t\": 4, \"x\": 4}\n", 2, 2),
            ("{\"t\": 9, \"x\": 5}\n", 4, 1),
        ] {
            stream.push(line.as_bytes(), &mut log).unwrap();
            assert_eq!(log.seen.len(), seen, "after {line}");
            assert!(stream.notes().contains(&Note::HeldBack { records: held }), "after {line}: {:?}", stream.notes());
        }
        assert_eq!(stream.late(), 1);
        stream.finish(&mut log).unwrap();
        assert_eq!(log.seen, ["1: 0 at 5", "4: 3 at 5", "2: 1 at 6", "3: 2 at 7", "6: 5 at 9"]);
        assert_eq!(stream.notes(), [Note::Late { records: 1, lines: vec![5], lateness: 2 }]);
        assert_eq!(stream.notes()[0].to_string(), "1 record is more than 2ns late and left out: line 5");
    }

    /// What is wrong with a record is told of its own line, whenever it is let go.
    #[test]
    fn errors_name_the_line_of_their_record() {
        let within = options(Some(10), None);
        let input = "t,x,k\n3,1,a\n2,one,a\n1,0,a\n";
        assert_eq!(fail(input, &within), "3:x: `x` is used as a number, but here it is `one`");
        let (seen, _) = arrivals(&[input.as_bytes()], &within);
        assert_eq!(seen, ["4: 0 at 1", "3: `x` is used as a number, but here it is `one`", "2: 1 at 3"]);
        assert_eq!(fail("t,x,k\n3,1,a\n,2,a\n", &within), "3:t: the state has no timestamp: `t` is missing");
        let untimed = ReadOptions { time: None, ..within };
        assert_eq!(fail("x\n1\n", &untimed), "-:-: records cannot be sorted by time without timestamps");
    }

    #[test]
    fn what_is_carried_on_is_carried_in_order() {
        let changes = ReadOptions { records: Records::Changes, ..options(Some(5), None) };
        let trace = read_text("{\"t\":2}\n{\"t\":1,\"x\":1}\n{\"t\":3,\"x\":3}\n{\"t\":4}\n", &changes).unwrap();
        assert_eq!(crate::testing::show_column(trace.columns[0].as_ref()), "int 1 1 3 3");
        let keyed = options(Some(5), Some("k"));
        let trace = read_text("t,x,k\n2,2,a\n,7,\n1,1,a\n", &keyed).unwrap();
        assert_eq!(crate::testing::show_column(trace.columns[0].as_ref()), "int 1 2");
    }

    #[test]
    fn bytes_that_were_not_saved_here_are_refused() {
        let mut stream = RecordStream::new(options(Some(5), None)).unwrap();
        let mut log = Log::new(&options(Some(5), None));
        stream.push(b"{\"t\":1,\"x\":1}\n{\"t\":2,\"x\":\"\\u0041\"}\n", &mut log).unwrap();
        let bytes = stream.save_held().unwrap();
        for length in 0..bytes.len() {
            assert_eq!(stream.restore_held(&bytes[..length]), Err(CannotRestore), "{length} bytes");
        }
        let other = RecordStream::new(options(Some(6), None)).unwrap().restore_held(&bytes);
        assert_eq!(other, Err(CannotRestore));
        assert_eq!(RecordStream::new(options(None, None)).unwrap().restore_held(&bytes), Err(CannotRestore));
        // A byte that is changed is refused, or means another record: it never panics.
        for index in 0..bytes.len() {
            for flip in [1, 128] {
                let mut changed = bytes.clone();
                changed[index] ^= flip;
                let mut stream = RecordStream::new(options(Some(5), None)).unwrap();
                if stream.restore_held(&changed).is_ok() {
                    stream.finish(&mut Log::new(&options(Some(5), None))).unwrap();
                }
            }
        }
    }
}
