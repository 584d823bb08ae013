//! Records in order of time, for files that are out of order.
//!
//! Records are sorted before they become states. So everything that depends on their order – what
//! is carried on, which value comes first, where a key begins – is as if the file had been sorted.
//! Only the cells that somebody wants are kept meanwhile.

use crate::cell::{Cell, KeptCell};
use crate::error::{TraceError, TraceErrorKind};
use crate::options::ReadOptions;
use crate::record::{ReadStop, RecordSink};
use crate::states::States;
use crate::time::TimeBuilder;

/// Keeps records until all of them are there.
pub(crate) struct Sorter<'o> {
    options: &'o ReadOptions,
    pub(crate) states: States<'o>,
    time: TimeBuilder,
    lines: Vec<u64>,
    /// The cells of all records, one after the other.
    cells: Vec<KeptCell>,
    /// The texts of these cells.
    bytes: Vec<u8>,
    slots: usize,
}

impl<'o> Sorter<'o> {
    /// A sorter for records of these options.
    pub(crate) fn new(options: &'o ReadOptions) -> Result<Self, TraceError> {
        let time = TimeBuilder::new(options).ok_or(TraceErrorKind::SortWithoutTime)?;
        let slots = options.names().len();
        let states = States::new(options);
        Ok(Self { options, states, time, lines: Vec::new(), cells: Vec::new(), bytes: Vec::new(), slots })
    }

    /// Makes states of all records, in order of time.
    pub(crate) fn replay(self) -> (States<'o>, Result<(), TraceError>) {
        let Self { options, mut states, time, lines, cells, bytes, slots } = self;
        let times = match time.finish_unordered() {
            Ok(times) => times,
            Err(error) => return (states, Err(error)),
        };
        let mut order: Vec<usize> = (0..lines.len()).collect();
        order.sort_by_key(|&record| times[record]);
        let mut record = vec![Cell::Absent; slots];
        for index in order {
            let kept = &cells[index * slots..(index + 1) * slots];
            record.iter_mut().zip(kept).for_each(|(cell, kept)| *cell = kept.cell(&bytes));
            record[options.time_slots().start] = Cell::Time(times[index]);
            if let Err(ReadStop::Failed(error)) = states.record(lines[index], &record) {
                return (states, Err(error));
            }
        }
        (states, Ok(()))
    }
}

impl RecordSink for Sorter<'_> {
    fn header(&mut self, names: &[String]) -> Result<Vec<Option<usize>>, TraceError> {
        self.states.header(names)
    }

    fn record(&mut self, line: u64, cells: &[Cell<'_>]) -> Result<(), ReadStop> {
        if self.states.lacks_key(cells) {
            // It becomes no state, wherever it stands, and needs no timestamp.
            return self.states.record(line, cells);
        }
        let anchor = self.time.anchor_near();
        self.time.push(&cells[self.options.time_slots()], line, anchor)?;
        self.lines.push(line);
        self.cells.extend(cells.iter().map(|&cell| KeptCell::new(cell, &mut self.bytes)));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::{MissingPolicy, RecordOrder, Records, TimeUnit};
    use crate::testing::expected::{NUMBER, TEXT};
    use crate::testing::{fail, read_text, show, time, want};

    fn sorted(names: &[(&str, traceward_logic::lower::Expected)], unit: Option<TimeUnit>) -> ReadOptions {
        ReadOptions { order: RecordOrder::ByTime, time: time("t", unit), ..want(names) }
    }

    #[test]
    fn records_are_sorted_stably_and_keep_their_lines() {
        let options = sorted(&[("x", TEXT)], Some(TimeUnit::S));
        let trace = read_text("t,x\n3,c\n1,\"a\"\"\"\n2,b\n\n1,\n", &options).unwrap();
        assert_eq!(trace.time.as_deref(), Some(&[1_000_000_000, 1_000_000_000, 2_000_000_000, 3_000_000_000][..]));
        let lines: Vec<u64> = (0..4).map(|position| trace.lines.line(position)).collect();
        assert_eq!(lines, [3, 6, 4, 2]);
        assert_eq!(crate::testing::show_column(trace.columns[0].as_ref()), "text \"a\\\"\" - \"b\" \"c\"");
    }

    #[test]
    fn what_depends_on_the_order_depends_on_the_sorted_one() {
        let options = sorted(&[("x", NUMBER)], Some(TimeUnit::S));
        let input = "{\"t\":2}\n{\"t\":1,\"x\":1}\n{\"t\":3,\"x\":3}\n{\"t\":4}\n";
        let hold = ReadOptions { missing: MissingPolicy::Hold, ..options.clone() };
        assert_eq!(show(input, &hold), "int 1 1 3 3");
        let changes = ReadOptions { records: Records::Changes, ..options };
        assert_eq!(show(input, &changes), "int 1 1 3 3");
    }

    #[test]
    fn sorted_times_of_day_take_the_nearer_way() {
        let options = sorted(&[("x", NUMBER)], None);
        let input = "t,x\n23:59:58,1\n00:00:01,3\n23:59:59,2\n00:00:02,4\n";
        assert_eq!(show(input, &options), "int 1 2 3 4");
    }

    #[test]
    fn sorting_needs_timestamps_and_tells_the_line_without_one() {
        let options = ReadOptions { time: None, ..sorted(&[("x", NUMBER)], None) };
        assert_eq!(fail("x\n1\n", &options), "-:-: records cannot be sorted by time without timestamps");
        let options = sorted(&[("x", NUMBER)], Some(TimeUnit::S));
        assert_eq!(fail("t,x\n2,1\n,1\n", &options), "3:t: the state has no timestamp: `t` is missing");
        assert_eq!(fail("t,x\n2,1\n1,a\n", &options), "3:x: `x` is used as a number, but here it is `a`");
        let keyed = ReadOptions { key: Some("k".to_owned()), ..options };
        assert_eq!(show("t,x,k\n2,2,a\n,7,\n1,1,a\n", &keyed), "int 1 2");
    }
}
