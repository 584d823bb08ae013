//! Records that only tell how late it is.
//!
//! A record that has the heartbeat's field is no state. Its timestamp moves the clock; where it has
//! none, the field itself is one.

use crate::cell::Cell;
use crate::error::TraceError;
use crate::note::Note;
use crate::options::{Implied, ReadOptions};
use crate::record::{ReadStop, RecordSink};
use crate::states::known;
use crate::time::{Anchor, TimeReader};

/// Tells heartbeats from states.
pub(crate) struct Heartbeat {
    options: ReadOptions,
    times: Option<TimeReader>,
    /// The last time that was told.
    last: Option<i64>,
    has_beaten: bool,
}

impl Heartbeat {
    /// The heartbeat that options ask for, if they do.
    pub(crate) fn new(options: &ReadOptions) -> Option<Self> {
        options.heartbeat.as_ref()?;
        Some(Self { options: options.clone(), times: TimeReader::new(options), last: None, has_beaten: false })
    }

    /// A sink that passes states on, and the time that heartbeats tell.
    pub(crate) fn before<'a>(&'a mut self, sink: &'a mut dyn RecordSink) -> Beating<'a> {
        Beating { heartbeat: self, sink }
    }

    /// What is worth telling: that there was none.
    pub(crate) fn note(&self) -> Option<Note> {
        let field = self.options.heartbeat.clone().filter(|_| !self.has_beaten)?;
        Some(Note::NoHeartbeat { field })
    }

    /// Whether a record is a heartbeat.
    fn is_beat(&self, cells: &[Cell<'_>]) -> bool {
        let cell = self.options.heartbeat_slot().and_then(|slot| cells.get(slot));
        cell.is_some_and(|cell| {
            let is_said = |text: &[u8]| !matches!(text, b"" | b"0" | b"false" | b"FALSE" | b"False");
            match known(*cell, &self.options.null) {
                Cell::Absent | Cell::Null | Cell::Gone | Cell::Bool(false) => false,
                Cell::QuotedEmpty => false,
                // A record without a timestamp is no state, and 0 is a time like any other.
                cell => cell.text().is_none_or(|text| is_said(&text) || *text == *b"0" && self.is_time(cells)),
            }
        })
    }

    /// Whether the field itself is the time of a heartbeat: the record has no other.
    fn is_time(&self, cells: &[Cell<'_>]) -> bool {
        let slots = self.options.time_slots();
        let is_missing =
            |cell: &Cell<'_>| matches!(known(*cell, &self.options.null), Cell::Absent | Cell::Null | Cell::Gone);
        slots.len() == 1 && cells.get(slots.start).is_some_and(is_missing)
    }

    /// The time that a heartbeat tells.
    fn time(&mut self, line: u64, cells: &[Cell<'_>]) -> Result<Option<i64>, TraceError> {
        let is_time = self.is_time(cells);
        let Some(times) = &mut self.times else { return Ok(None) };
        let anchor = self.last.map_or(Anchor::Nothing, Anchor::Near);
        let (orders, slots) = (times.orders(), self.options.time_slots());
        let own = self.options.heartbeat_slot().map(|slot| slot..slot + 1);
        let cells = match own.filter(|_| is_time) {
            Some(own) => &cells[own],
            None => &cells[slots],
        };
        let time = times.read_now(cells, line, anchor).inspect_err(|_| times.restore_orders(orders))?;
        self.last = Some(time);
        Ok(Some(time))
    }
}

/// Takes records, and passes on those that are states.
pub(crate) struct Beating<'a> {
    heartbeat: &'a mut Heartbeat,
    sink: &'a mut dyn RecordSink,
}

impl RecordSink for Beating<'_> {
    fn header(&mut self, names: &[String]) -> Result<Vec<Option<usize>>, TraceError> {
        self.sink.header(names)
    }

    fn implied(&mut self, implied: &Implied) -> Result<(), ReadStop> {
        let heartbeat = &mut *self.heartbeat;
        heartbeat.options = heartbeat.options.with(implied);
        heartbeat.times = TimeReader::new(&heartbeat.options);
        self.sink.implied(implied)
    }

    fn record(&mut self, line: u64, cells: &[Cell<'_>]) -> Result<(), ReadStop> {
        if !self.heartbeat.is_beat(cells) {
            return self.sink.record(line, cells);
        }
        self.heartbeat.has_beaten = true;
        match self.heartbeat.time(line, cells) {
            Ok(Some(time)) => self.sink.clock(time),
            Ok(None) => Ok(()),
            Err(error) => self.sink.bad_line(error),
        }
    }

    fn clock(&mut self, time: i64) -> Result<(), ReadStop> {
        self.sink.clock(time)
    }

    fn bad_line(&mut self, error: TraceError) -> Result<(), ReadStop> {
        self.sink.bad_line(error)
    }
}
